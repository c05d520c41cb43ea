/* Which of the words that there are was probably meant by one that there is not. */
#ifndef TAUT_BASE_NEAR_H
#define TAUT_BASE_NEAR_H

#include <stddef.h>

typedef struct {
    const char *given;
    const char *word; /* the nearest so far, as it was tried; NULL: none is near */
    size_t least;
} near_word;

/* The given word must stay as long as it is asked for. */
near_word taut_near(const char *given);
void taut_near_try(near_word *n, const char *word);
/* "did you mean 'word'? ", with `before` in front of the word, or "". Returns buffer. */
#define NEAR_TEXT 128
const char *taut_near_text(const near_word *n, const char *before, char *buffer);

#endif
