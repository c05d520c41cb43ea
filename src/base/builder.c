#include "base/builder.h"

#include <string.h>

#include "base/text.h"

static char *room_for(builder *b, size_t length)
{
    if (b->failed || taut_mem_grow(b->context, &b->text, &b->capacity, b->length + length + 1, 1)) {
        b->failed = 1;
        return NULL;
    }
    char *at = b->text + b->length;
    at[length] = 0;
    b->length += length;
    return at;
}

void taut_builder_add(builder *b, const char *text, size_t length)
{
    char *at = room_for(b, length);
    if (at) memcpy(at, text, length);
}

void taut_builder_put_v(builder *b, const char *format, va_list arguments)
{
    char line[256];
    va_list again;
    va_copy(again, arguments);
    int count = taut_text_format_v(line, sizeof line, format, arguments);
    if (count < 0)
        b->failed = 1;
    else if ((size_t)count < sizeof line)
        taut_builder_add(b, line, (size_t)count);
    else {
        char *at = room_for(b, (size_t)count);
        if (at) taut_text_format_v(at, (size_t)count + 1, format, again);
    }
    va_end(again);
}

void taut_builder_put(builder *b, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    taut_builder_put_v(b, format, arguments);
    va_end(arguments);
}

void taut_builder_clear(builder *b)
{
    taut_mem_free(b->context, b->text);
    *b = (builder){ .context = b->context };
}
