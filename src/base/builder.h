/* Text that grows. */
#ifndef TAUT_BASE_BUILDER_H
#define TAUT_BASE_BUILDER_H

#include <stdarg.h>

#include "base/context.h"

/* { .context = ... } is an empty one. Once memory ran out nothing is added any more: who builds looks at `failed` at
   the end. */
typedef struct {
    taut_context *context;
    char *text;               /* ends with a zero; NULL: empty */
    size_t length, capacity;
    int failed;
} builder;

/* As printf, in the C locale. */
void taut_builder_put(builder *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void taut_builder_put_v(builder *b, const char *format, va_list arguments);
void taut_builder_add(builder *b, const char *text, size_t length);
/* Frees the text. */
void taut_builder_clear(builder *b);

#endif
