/* iteration.h and iteration_words.h as text, for C code that Taut writes; made by the build. */
#ifndef TAUT_LOWER_ITERATION_TEXT_H
#define TAUT_LOWER_ITERATION_TEXT_H

#include <stddef.h>

extern const unsigned char taut_iteration_text[];
extern const size_t taut_iteration_text_size;
extern const unsigned char taut_iteration_words_text[];
extern const size_t taut_iteration_words_text_size;

#endif
