#include "plot/series.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"

/* The curve on its way. */
typedef struct {
    taut_context *context;
    taut_file *file;
    const char *path;
    const series_part *part;
    series *s;
    size_t columns[2];
    char *reason;
} reader;

__attribute__((format(printf, 2, 3))) static int refuse(reader *z, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(z->reason, SERIES_REASON, format, arguments);
    va_end(arguments);
    return TAUT_BAD_USAGE;
}

static int failed(reader *z, int status)
{
    if (status) snprintf(z->reason, SERIES_REASON, "%s", taut_error_text(z->context));
    return status;
}

static int no_memory(reader *z)
{
    refuse(z, "out of memory");
    return TAUT_OUT_OF_MEMORY;
}

const char *taut_series_default(taut_file *file)
{
    taut_column c = { .size = sizeof c };
    if (taut_file_find(file, "energy") >= 0) return "energy";
    for (size_t i = 1; !taut_file_column_at(file, i, &c); i++)
        if (strcmp(c.kind, "time") != 0) return c.name;
    return "t";
}

static int find_column(reader *z, const char *name, size_t *column)
{
    char advice[NEAR_TEXT];
    const long found = taut_file_find(z->file, name);
    near_word n = taut_near(name);
    for (size_t i = 0; found < 0 && i < taut_file_columns(z->file); i++)
        taut_near_try(&n, taut_file_column(z->file, i));
    if (found < 0)
        return refuse(z, "'%s' has no column '%s'; %s'taut plot --list' lists them", z->path, name,
                      taut_near_text(&n, "", advice));
    *column = (size_t)found;
    return TAUT_OK;
}

/* ---- a run ---- */

/* The frames of the part: first .. end - 1 of all. */
static int find_part(reader *z, size_t *first, size_t *end)
{
    size_t frames;
    const series_part *part = z->part;
    int status = taut_file_frames(z->file, &frames);
    *first = 0, *end = frames;
    if (!status && taut_file_find(z->file, "t") >= 0) {
        status = taut_file_find_frame(z->file, part->from, 0, first);
        if (!status) status = taut_file_find_frame(z->file, part->to, 1, end);
    }
    if (status) return failed(z, status);
    if (!frames) return refuse(z, "'%s' has no frames yet", z->path);
    if (*first < *end) return TAUT_OK;
    return refuse(z, "'%s' has no frame from t = %.9g to %.9g", z->path, part->from, part->to);
}

enum { PIECE = 100000 };

/* x and y side by side; y may be the change since the first frame of the run. */
static int read_piece(reader *z, size_t at, size_t count, double *values, double *changes)
{
    int status = taut_file_read(z->file, at, count, z->columns, 2, values, NULL);
    if (!status && changes) status = taut_file_changes(z->file, at, count, &z->columns[1], 1, changes);
    for (size_t i = 0; !status && changes && i < count; i++) values[2 * i + 1] = changes[i];
    return failed(z, status);
}

static int read_frames(reader *z)
{
    series *s = z->s;
    const size_t every = (size_t)z->part->every;
    size_t first, end;
    int status = find_part(z, &first, &end);
    if (status) return status;
    const size_t most = (end - first + every - 1) / every;
    double *values = malloc(2 * PIECE * sizeof *values), *changes = malloc(PIECE * sizeof *changes);
    s->x = malloc(most * sizeof *s->x);
    s->y = malloc(most * sizeof *s->y);
    if (!values || !changes || !s->x || !s->y) status = no_memory(z);
    for (size_t at = first, next = first; !status && at < end; at += PIECE) {
        const size_t count = end - at < PIECE ? end - at : PIECE;
        status = read_piece(z, at, count, values, z->part->change ? changes : NULL);
        for (; !status && next < at + count; next += every) {
            s->x[s->count] = values[2 * (next - at)];
            s->y[s->count++] = values[2 * (next - at) + 1];
        }
    }
    free(values);
    free(changes);
    return status;
}

/* ---- an ensemble ---- */

/* A moment that has quantiles and is in the part. */
static int take_statistic(reader *z, size_t moment)
{
    static const int which[BANDS] = { 0, 1, 3, 4 };
    taut_statistic x = { .size = sizeof x };
    series *s = z->s;
    int status = taut_file_statistic(z->file, moment, z->columns[1], &x);
    if (status) return failed(z, status);
    if (x.quantiles[2] != x.quantiles[2] || x.time < z->part->from || x.time > z->part->to) return TAUT_OK;
    s->x[s->count] = x.time;
    s->y[s->count] = x.quantiles[2];
    for (int k = 0; k < BANDS; k++) s->bands[k][s->count] = x.quantiles[which[k]];
    s->count++;
    return TAUT_OK;
}

static int read_fan(reader *z)
{
    series *s = z->s;
    size_t moments;
    taut_column c = { .size = sizeof c };
    if (strcmp(taut_file_column(z->file, z->columns[0]), "t") != 0)
        return refuse(z, "'%s' is an ensemble: its plots are over t; 'taut replay' makes a run of a member", z->path);
    if (z->part->change || z->part->every > 1)
        return refuse(z, "'%s' is an ensemble, whose quantiles are plotted as they are", z->path);
    int status = failed(z, taut_file_moments(z->file, &moments));
    if (!status) status = failed(z, taut_file_column_at(z->file, z->columns[1], &c));
    if (status) return status;
    const int has_statistics = strcmp(c.kind, "member") != 0 && strcmp(c.kind, "varied") != 0;
    s->x = malloc((moments + 1) * sizeof *s->x);
    s->y = malloc((moments + 1) * sizeof *s->y);
    int room = s->x && s->y;
    for (int k = 0; k < BANDS; k++) room &= (s->bands[k] = malloc((moments + 1) * sizeof *s->x)) != NULL;
    if (!room) return no_memory(z);
    for (size_t i = 0; !status && has_statistics && i < moments; i++) status = take_statistic(z, i);
    if (status || s->count) return status;
    return refuse(z, "'%s' has no quantiles of '%s' in this time: they are made by 'taut ensemble' with --keep and "
                  "--stats", z->path, s->column);
}

/* ---- both ---- */

static int read_curve(reader *z, const char *x, const char *y)
{
    series *s = z->s;
    taut_column of_x = { .size = sizeof of_x }, of_y = of_x;
    int status = find_column(z, x, &z->columns[0]);
    if (!status) status = find_column(z, y, &z->columns[1]);
    if (!status) status = failed(z, taut_file_column_at(z->file, z->columns[0], &of_x));
    if (!status) status = failed(z, taut_file_column_at(z->file, z->columns[1], &of_y));
    if (status) return status;
    snprintf(s->column, sizeof s->column, "%s", y);
    snprintf(s->name, sizeof s->name, "%s", y);
    snprintf(s->x_column, sizeof s->x_column, "%s", x);
    snprintf(s->x_unit, sizeof s->x_unit, "%s", of_x.unit);
    snprintf(s->unit, sizeof s->unit, "%s", of_y.unit);
    s->alike = *s->unit ? strcmp(s->unit, s->x_unit) == 0
                        : of_x.is_length && of_y.is_length && strcmp(of_x.kind, of_y.kind) == 0;
    return taut_file_is_ensemble(z->file) ? read_fan(z) : read_frames(z);
}

int taut_series_read(taut_context *context, taut_file *file, const char *path, const char *x, const char *y,
                     const series_part *part, series *s, char reason[SERIES_REASON])
{
    reader z = { .context = context, .file = file, .path = path, .part = part, .s = s, .reason = reason };
    *s = (series){ 0 };
    const int status = read_curve(&z, x, y);
    if (status) taut_series_clear(s);
    return status;
}

void taut_series_clear(series *s)
{
    free(s->x);
    free(s->y);
    for (int k = 0; k < BANDS; k++) free(s->bands[k]);
    *s = (series){ 0 };
}
