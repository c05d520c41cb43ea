/* base/elementary.h as text, for C code that Taut writes. */
#ifndef TAUT_BASE_ELEMENTARY_TEXT_H
#define TAUT_BASE_ELEMENTARY_TEXT_H

#include <stddef.h>

/* The whole file, as the build keeps it; a 0 follows. */
extern const unsigned char taut_elementary_source[];
extern const size_t taut_elementary_source_size;

#define TAUT_ELEMENTARY_UNKNOWN ((size_t)-1)

/* Writes what C code that calls taut_math_NAME for each of the names ("sin", "exp", ...) needs, in the order of the
   file, and a 0. Returns its length, which may be more than fits: then buffer holds the beginning, as after snprintf.
   Returns TAUT_ELEMENTARY_UNKNOWN when there is no section of a name. buffer may be NULL when size is 0. */
size_t taut_elementary_text(const char *const *names, size_t count, char *buffer, size_t size);

#endif
