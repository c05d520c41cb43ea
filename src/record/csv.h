/* Tables as text: the only code that turns frames into lines. */
#ifndef TAUT_RECORD_CSV_H
#define TAUT_RECORD_CSV_H

#include "base/wide.h"

/* Text on its way: gathered, and handed to `write` in pieces. All calls return 0, or EOF once `write` has returned
   something else than 0; nothing is written any more then. */
typedef struct {
    int (*write)(void *user, const char *text, size_t size);
    void *user;
    int failed;
    size_t length;
    char text[8192];
} csv_out;

/* A name of the header, number index of the line. */
int taut_csv_name(csv_out *out, size_t index, const char *name);
/* As it is. */
int taut_csv_text(csv_out *out, const char *text);
int taut_csv_end(csv_out *out);
/* Hands on what is gathered. */
int taut_csv_flush(csv_out *out);
/* Numbers with this many digits; the line is not ended. */
int taut_csv_values(csv_out *out, const wide *values, size_t count, int digits);
/* The same with all digits of a double. */
int taut_csv_doubles(csv_out *out, const double *values, size_t count);
/* A whole line of numbers with this many digits. */
int taut_csv_line(csv_out *out, const wide *values, size_t count, int digits);

#endif
