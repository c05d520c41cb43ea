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

#ifdef TAUT_HAVE_QUAD
/* The same without text, in the range of most numbers: value = size 10^-places with size a whole number of 15 to 17
   digits. A double times 10^22 or less has at most 53 + 52 bits, so all products and differences here are exact, and
   the quotient is rounded once, as parse rounds it. Returns 0 where it does not serve. */
static int decimal(double value, wide *result)
{
    static const double tens[] = { 1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11, 1e12,
                                   1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
    const double x = fabs(value);
    int exponent, places = 15;
    const double mantissa = frexp(x, &exponent);
    if (!(x >= 1e-5 && x < 1e14) || mantissa == 0.5) return 0; /* of a power of two the neighbours are not as far apart
                                                                  on both sides */
    for (double y = x; y >= 1 && places > 0; y /= 10) places--;
    for (double y = x; y < 0.1; y *= 10) places++;
    const wide half = WIDE(ldexp)(1, exponent - 54); /* of the distance to the next double */
    for (int digits = 15; digits <= 17; digits++, places++) {
        if (places < 0 || places > 22) return 0;
        wide ten = tens[places], exact = (wide)x * ten;
        if (exact >= (wide)tens[digits]) return 0; /* the count above was off by one: leave it to the text */
        if (exact < (wide)tens[digits - 1]) return 0;
        const int64_t below = (int64_t)exact;
        const wide rest = exact - below, up = rest - (wide)0.5;
        const int64_t size = below + (up > 0 || (up == 0 && (below & 1)));
        const wide off = (size > below ? 1 - rest : rest), most = half * ten;
        if (off > most) continue;
        if (off == most) return 0; /* in the middle between two doubles */
        *result = (wide)size / ten;
        if (value < 0) *result = -*result;
        return 1;
    }
    return 0;
}
#else
static int decimal(double value, wide *result)
{
    (void)value, (void)result;
    return 0;
}
#endif

static wide by_text(double value)
{
    char text[40];
    for (int digits = 15; digits <= 17; digits++) {
        taut_text_format(text, sizeof text, "%.*g", digits, value);
        if (taut_text_number(text, NULL) == value) break;
    }
    return parse(text, NULL);
}

wide taut_wide_from_double(double value)
{
    wide found;
    if (!isfinite(value) || (fabs(value) < 9e15 && value == (double)(long long)value)) return value; /* whole numbers
                                                                                                        are exact */
    return decimal(value, &found) ? found : by_text(value);
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
