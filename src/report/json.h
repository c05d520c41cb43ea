/* Data inside a page: JSON that is safe between <script> and </script>, and numbers as base64 of little-endian
   values. */
#ifndef TAUT_REPORT_JSON_H
#define TAUT_REPORT_JSON_H

#include <stdio.h>

#include "base/wide.h"

/* A JSON writer. It inserts the commas. Check ferror of the file at the end. */
typedef struct {
    FILE *file;
    int separate; /* a comma before the next item */
    const char *path; /* of a file that strings name without its folders, or NULL: a document goes to others */
} json;

void taut_json_open(json *j, const char *key, char bracket);  /* key is NULL in a list; bracket is { or [ */
void taut_json_close(json *j, char bracket);                  /* } or ] */
/* A string; NULL is null. '<', '>' and '&' are escaped, so that no string ends a script element; what is not UTF-8
   becomes the replacement character. */
void taut_json_text(json *j, const char *key, const char *text);
/* As it is, with all paths. */
void taut_json_text_of(json *j, const char *key, const char *text, size_t size);
/* A number that reads back the same; what is not finite is null. */
void taut_json_number(json *j, const char *key, double value);
/* The same of a wide number, with so many digits; 0: as few as read back. */
void taut_json_wide(json *j, const char *key, wide value, int digits);
void taut_json_integer(json *j, const char *key, long long value);
void taut_json_flag(json *j, const char *key, int value);

/* The same as a string. */
void taut_json_floats(json *j, const char *key, const float *values, size_t count);

/* Base64 of values as little-endian IEEE numbers of 8 bytes, or rounded to 4. */
void taut_base64_bytes(FILE *file, const unsigned char *bytes, size_t count);
void taut_base64_doubles(FILE *file, const double *values, size_t count);
void taut_base64_floats(FILE *file, const float *values, size_t count);

#endif
