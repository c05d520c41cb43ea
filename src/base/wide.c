#include "base/wide.h"

#include <ctype.h>
#include <stdio.h>

static wide parse(const char *text, char **end)
{
#ifdef TAUT_HAVE_QUAD
    return strtof128(text, end);
#else
    return strtold(text, end);
#endif
}

wide wide_from_double(double value)
{
    char text[40];
    if (!isfinite(value) || (fabs(value) < 9e15 && value == (double)(long long)value)) return value; /* whole numbers are exact */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value);
        if (strtod(text, NULL) == value) break;
    }
    return parse(text, NULL);
}

int wide_parse(const char *text, wide *value)
{
    char *end;
    *value = parse(text, &end);
    if (end == text) return 1;
    while (isspace((unsigned char)*end)) end++;
    return *end != 0;
}

int wide_format(char *buffer, size_t size, wide value, int digits)
{
#ifdef TAUT_HAVE_QUAD
    char format[16];
    if (digits <= 17) return snprintf(buffer, size, "%.*g", digits, (double)value);
    snprintf(format, sizeof format, "%%.%dg", digits);
    return strfromf128(buffer, size, format, value);
#else
    return snprintf(buffer, size, "%.*Lg", digits, value);
#endif
}

int wide_shortest(char *buffer, size_t size, wide value)
{
    int length = 0;
    if (WIDE(fabs)(value) < (wide)1e15 && value == WIDE(floor)(value)) return wide_format(buffer, size, value, 15);
    /* binary128 needs 36 digits to come back from text, the 64 bits of a long double 21 */
    for (int digits = 1; digits <= WIDE_DIGITS + 2; digits++) {
        length = wide_format(buffer, size, value, digits);
        if (value != value || parse(buffer, NULL) == value) break;
    }
    return length;
}
