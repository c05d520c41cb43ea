#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>

int taut_text_format_v(char *buffer, size_t size, const char *format, va_list arguments)
{
    text_locale l = text_locale_enter();
    int length = vsnprintf(buffer, size, format, arguments);
    text_locale_leave(l);
    return length;
}

int taut_text_format(char *buffer, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = taut_text_format_v(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}

double taut_text_number(const char *text, char **end)
{
    text_locale l = text_locale_enter();
    double value = strtod(text, end);
    text_locale_leave(l);
    return value;
}
