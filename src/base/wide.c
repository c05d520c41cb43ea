#include "base/wide.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static wide parse(const char *text, char **end)
{
    text_locale l = text_locale_enter();
#ifdef TAUT_HAVE_QUAD
    wide value = strtof128(text, end);
#else
    wide value = strtold(text, end);
#endif
    text_locale_leave(l);
    return value;
}

wide taut_wide_from_double(double value)
{
    char text[40];
    if (!isfinite(value) || (fabs(value) < 9e15 && value == (double)(long long)value)) return value; /* whole numbers
                                                                                                        are exact */
    for (int digits = 15; digits <= 17; digits++) {
        taut_text_format(text, sizeof text, "%.*g", digits, value);
        if (taut_text_number(text, NULL) == value) break;
    }
    return parse(text, NULL);
}

int taut_wide_parse(const char *text, wide *value)
{
    char *end;
    *value = parse(text, &end);
    if (end == text) return 1;
    return end[strspn(end, " \t\n\v\f\r")] != 0;
}

int taut_wide_format(char *buffer, size_t size, wide value, int digits)
{
#ifdef TAUT_HAVE_QUAD
    char format[16];
    if (digits <= 17) return taut_text_format(buffer, size, "%.*g", digits, (double)value);
    snprintf(format, sizeof format, "%%.%dg", digits);
    text_locale l = text_locale_enter();
    int length = strfromf128(buffer, size, format, value);
    text_locale_leave(l);
    return length;
#else
    return taut_text_format(buffer, size, "%.*Lg", digits, value);
#endif
}

int taut_wide_shortest(char *buffer, size_t size, wide value)
{
    if (WIDE(fabs)(value) < (wide)1e15 && value == WIDE(floor)(value)) return taut_wide_format(buffer, size, value, 15);
    if (value - value != 0) return taut_wide_format(buffer, size, value, 1);
    /* binary128 needs 36 digits to come back from text, the 64 bits of a long double 21. With a digit more the text is
       not further from the number, so it comes back from all that are longer than one that does. */
    int enough = WIDE_DIGITS + 2;
    for (int few = 0; enough - few > 1;) {
        const int digits = (few + enough) / 2;
        taut_wide_format(buffer, size, value, digits);
        if (parse(buffer, NULL) == value)
            enough = digits;
        else
            few = digits;
    }
    return taut_wide_format(buffer, size, value, enough);
}
