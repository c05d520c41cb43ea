#include "record/csv.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

int taut_csv_flush(csv_out *out)
{
    if (!out->failed && out->length) out->failed = out->write(out->user, out->text, out->length) != 0;
    out->length = 0;
    return out->failed ? EOF : 0;
}

static int add(csv_out *out, const char *text, size_t length)
{
    while (length) {
        if (out->length == sizeof out->text && taut_csv_flush(out)) return EOF;
        const size_t room = sizeof out->text - out->length, some = length < room ? length : room;
        memcpy(out->text + out->length, text, some);
        out->length += some;
        text += some, length -= some;
    }
    return out->failed ? EOF : 0;
}

int taut_csv_text(csv_out *out, const char *text) { return add(out, text, strlen(text)); }

int taut_csv_name(csv_out *out, size_t index, const char *name)
{
    return index && add(out, ",", 1) ? EOF : taut_csv_text(out, name);
}

int taut_csv_end(csv_out *out) { return add(out, "\n", 1); }

int taut_csv_values(csv_out *out, const wide *values, size_t count, int digits)
{
    char text[WIDE_TEXT];
    for (size_t i = 0; i < count; i++) {
        taut_wide_format(text, sizeof text, values[i], digits);
        if (taut_csv_name(out, i, text)) return EOF;
    }
    return 0;
}

int taut_csv_doubles(csv_out *out, const double *values, size_t count)
{
    char text[40];
    for (size_t i = 0; i < count; i++) {
        const int length = taut_text_format(text, sizeof text, "%.17g", values[i]);
        if ((i && add(out, ",", 1)) || add(out, text, (size_t)length)) return EOF;
    }
    return 0;
}

int taut_csv_line(csv_out *out, const wide *values, size_t count, int digits)
{
    return taut_csv_values(out, values, count, digits) ? EOF : taut_csv_end(out);
}
