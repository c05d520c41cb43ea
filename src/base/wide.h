/* `wide` is the widest precision of the build: binary128 where the compiler has it, long double elsewhere.
   Expressions keep their constants in it, and it is the currency in which values cross from the numerical core
   (compiled once per precision) to the run loop and the command. */
#ifndef TAUT_BASE_WIDE_H
#define TAUT_BASE_WIDE_H

#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#ifdef TAUT_HAVE_QUAD
typedef _Float128 wide;
#define WIDE(function) function##f128
#define WIDE_PI 3.14159265358979323846264338327950288419717F128
#define WIDE_DIGITS 34
#else
typedef long double wide;
#define WIDE(function) function##l
#define WIDE_PI 3.14159265358979323846264338327950288419717L
#define WIDE_DIGITS 21
#endif
#define WIDE_TEXT 64 /* room for any number as text */

/* The number meant by a double: the value of its shortest decimal form, so that 0.1 is one tenth. */
wide taut_wide_from_double(double value);
/* Reads a whole text as a number; returns 0, or 1 when the text is not a number. */
int taut_wide_parse(const char *text, wide *value);
/* Writes value with the given count of significant digits; returns the length written. */
int taut_wide_format(char *buffer, size_t size, wide value, int digits);

/* Writes value with as few digits as it takes to read it back exactly. */
int taut_wide_shortest(char *buffer, size_t size, wide value);

#endif
