/* Tables as text: the only code that turns frames into lines. All return 0, or EOF when the file cannot be written
   (errno says why). */
#ifndef TAUT_RECORD_CSV_H
#define TAUT_RECORD_CSV_H

#include <stdio.h>

#include "base/wide.h"

/* A name of the header, number index of the line. */
int taut_csv_name(FILE *file, size_t index, const char *name);
int taut_csv_end(FILE *file);
/* Numbers with this many digits; the line is not ended. */
int taut_csv_values(FILE *file, const wide *values, size_t count, int digits);
/* A whole line of numbers with this many digits. */
/* The same with all digits of a double. */
int taut_csv_doubles(FILE *file, const double *values, size_t count);
int taut_csv_line(FILE *file, const wide *values, size_t count, int digits);

#endif
