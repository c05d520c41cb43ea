#include "record/csv.h"

#include "base/text.h"

int taut_csv_name(FILE *file, size_t index, const char *name)
{
    return fprintf(file, "%s%s", index ? "," : "", name) < 0 ? EOF : 0;
}

int taut_csv_end(FILE *file) { return putc('\n', file) == EOF ? EOF : 0; }

int taut_csv_values(FILE *file, const wide *values, size_t count, int digits)
{
    char text[WIDE_TEXT];
    for (size_t i = 0; i < count; i++) {
        taut_wide_format(text, sizeof text, values[i], digits);
        if ((i && putc(',', file) == EOF) || fputs(text, file) == EOF) return EOF;
    }
    return 0;
}

int taut_csv_doubles(FILE *file, const double *values, size_t count)
{
    char text[40];
    for (size_t i = 0; i < count; i++) {
        taut_text_format(text, sizeof text, "%.17g", values[i]);
        if ((i && putc(',', file) == EOF) || fputs(text, file) == EOF) return EOF;
    }
    return 0;
}

int taut_csv_line(FILE *file, const wide *values, size_t count, int digits)
{
    return taut_csv_values(file, values, count, digits) ? EOF : taut_csv_end(file);
}
