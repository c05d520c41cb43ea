#include "plot/series.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/near.h"
#include "record/sweep_file.h"

/* ---- units, as viewer/src/units.ts has them ---- */

static void append(char *text, size_t size, const char *more)
{
    const size_t at = strlen(text);
    snprintf(text + at, size - at, "%s", more);
}

/* A product of powers of length, time and mass; "" where one is not known. */
static void unit(const model *m, int length, int time, int mass, char *text, size_t size)
{
    const struct { const char *name; int power; } parts[] = {
        { m ? m->units[UNIT_MASS] : NULL, mass },
        { m ? m->units[UNIT_LENGTH] : NULL, length },
        { m ? m->units[UNIT_TIME] : NULL, time },
    };
    text[0] = 0;
    for (int i = 0; i < 3; i++)
        if (parts[i].power && !parts[i].name) return;
    for (int below = 0; below < 2; below++)
        for (int i = 0, first = 1; i < 3; i++) {
            const int power = below ? -parts[i].power : parts[i].power;
            if (power <= 0) continue;
            append(text, size, !first ? " " : below ? "/" : "");
            append(text, size, parts[i].name);
            if (power > 1) append(text, size, "\u00b2");
            first = 0;
        }
    if (strcmp(text, "kg m\u00b2/s\u00b2") == 0) snprintf(text, size, "J");
    if (strcmp(text, "kg m/s\u00b2") == 0) snprintf(text, size, "N");
}

/* A coordinate is a length when it belongs to a point; others may be angles. */
static int is_of_point(const record *r, const char *name)
{
    char text[256];
    snprintf(text, sizeof text, "%s", strncmp(name, "p.", 2) == 0 ? name + 2 : name);
    size_t length = strlen(text);
    if (length > 4 && strcmp(text + length - 4, ".dot") == 0) text[length -= 4] = 0;
    if (length < 3 || text[length - 2] != '.' || !strchr("xyz", text[length - 1])) return 0;
    text[length - 1] = 'w'; /* those of a rotation are no lengths */
    return taut_record_column_find(r, text) < 0;
}

static void unit_of(const record *r, const model *m, size_t column, char *text, size_t size)
{
    const record_column *c = &taut_record_columns(r)[column];
    const int point = is_of_point(r, c->name), angular = strncmp(c->name, "angular", 7) == 0;
    text[0] = 0;
    if (strcmp(c->kind, "time") == 0) unit(m, 0, 1, 0, text, size);
    else if (strcmp(c->kind, "energy") == 0 || strcmp(c->kind, "work") == 0) unit(m, 2, -2, 1, text, size);
    else if (strcmp(c->kind, "conserved") == 0) unit(m, 1 + angular, -1, 1, text, size);
    else if (point && strcmp(c->kind, "coordinate") == 0) unit(m, 1, 0, 0, text, size);
    else if (point && strcmp(c->kind, "velocity") == 0) unit(m, 1, -1, 0, text, size);
    else if (point && strcmp(c->kind, "momentum") == 0) unit(m, 1, -1, 1, text, size);
}

/* ---- a run ---- */

const char *taut_series_default(const record *r)
{
    if (taut_record_column_find(r, "energy") >= 0) return "energy";
    for (size_t i = 1; i < taut_record_column_count(r); i++)
        if (strcmp(taut_record_columns(r)[i].kind, "time") != 0) return taut_record_columns(r)[i].name;
    return "t";
}

static int find_column(taut_context *context, const record *r, const char *name, size_t *column)
{
    char advice[NEAR_TEXT];
    const long found = taut_record_column_find(r, name);
    near_word n = taut_near(name);
    for (size_t i = 0; found < 0 && i < taut_record_column_count(r); i++)
        taut_near_try(&n, taut_record_columns(r)[i].name);
    if (found < 0)
        return taut_fail(context, TAUT_BAD_USAGE, "'%s' has no column '%s'; %s'taut plot --list' lists them",
                         taut_record_path(r), name, taut_near_text(&n, "", advice));
    *column = (size_t)found;
    return TAUT_OK;
}

/* The first frame whose time is at least t (beyond: later than t). Times grow. */
static int find_frame(record *r, size_t time, double t, int beyond, long *frame)
{
    long low = 0, high = taut_record_frame_count(r);
    while (low < high) {
        const long middle = low + (high - low) / 2;
        double now;
        int status = taut_record_read(r, middle, 1, &time, 1, &now);
        if (status) return status;
        if (beyond ? now <= t : now < t) low = middle + 1;
        else high = middle;
    }
    *frame = low;
    return TAUT_OK;
}

enum { PIECE = 100000 };

static int read_frames(taut_context *context, record *r, const size_t columns[2], const series_part *part, series *s)
{
    long first = 0, end = taut_record_frame_count(r);
    const long time = taut_record_column_find(r, "t");
    wide origin[2] = { 0, 0 };
    int status = TAUT_OK;
    if (time >= 0) status = find_frame(r, (size_t)time, part->from, 0, &first);
    if (!status && time >= 0) status = find_frame(r, (size_t)time, part->to, 1, &end);
    if (!status && part->change && end > 0) status = taut_record_read_wide(r, 0, 1, columns, 2, origin);
    if (status) return status;
    if (!taut_record_frame_count(r))
        return taut_fail(context, TAUT_BAD_USAGE, "'%s' has no frames yet", taut_record_path(r));
    if (first >= end)
        return taut_fail(context, TAUT_BAD_USAGE, "'%s' has no frame from t = %.9g to %.9g", taut_record_path(r),
                         part->from, part->to);
    const size_t most = (size_t)((end - first + part->every - 1) / part->every);
    /* a change is formed before it is rounded */
    double *values = part->change ? NULL : malloc(2 * PIECE * sizeof *values);
    wide *exact = part->change ? malloc(2 * PIECE * sizeof *exact) : NULL;
    s->x = malloc(most * sizeof *s->x);
    s->y = malloc(most * sizeof *s->y);
    if (!(values || exact) || !s->x || !s->y) status = taut_fail(context, TAUT_OUT_OF_MEMORY, "out of memory");
    for (long at = first, next = first; !status && at < end; at += PIECE) {
        const long count = end - at < PIECE ? end - at : PIECE;
        status = exact ? taut_record_read_wide(r, at, count, columns, 2, exact)
                       : taut_record_read(r, at, count, columns, 2, values);
        for (; !status && next < at + count; next += part->every) {
            const long k = 2 * (next - at);
            s->x[s->count] = exact ? (double)exact[k] : values[k];
            s->y[s->count++] = exact ? (double)(exact[k + 1] - origin[1]) : values[k + 1];
        }
    }
    free(values);
    free(exact);
    return status;
}

/* ---- an ensemble ---- */

typedef struct {
    series *s;
    const series_part *part;
    size_t column;           /* among the kept ones */
    double *times;
    size_t moments, capacity;
    int failed;
} fan;

static int take_moment(void *user, const sweep_moment *m)
{
    fan *f = user;
    if (f->moments == f->capacity) {
        const size_t capacity = f->capacity ? 2 * f->capacity : 256;
        double *more = realloc(f->times, capacity * sizeof *more);
        if (!more) return TAUT_OUT_OF_MEMORY;
        f->times = more;
        f->capacity = capacity;
    }
    f->times[f->moments++] = m->t;
    return TAUT_OK;
}

static int take_statistic(void *user, const sweep_statistic *x)
{
    fan *f = user;
    series *s = f->s;
    if (x->column != f->column || x->moment >= f->moments || !x->quantiles) return TAUT_OK;
    const double t = f->times[x->moment];
    if (t < f->part->from || t > f->part->to || s->count == f->moments) return TAUT_OK;
    s->x[s->count] = t;
    s->y[s->count] = x->quantiles[2];
    static const int which[BANDS] = { 0, 1, 3, 4 };
    for (int k = 0; k < BANDS; k++) s->bands[k][s->count] = x->quantiles[which[k]];
    s->count++;
    return TAUT_OK;
}

static int read_fan(taut_context *context, record *r, const size_t columns[2], const series_part *part, series *s)
{
    fan f = { .s = s, .part = part };
    if (strcmp(taut_record_columns(r)[columns[0]].name, "t") != 0)
        return taut_fail(context, TAUT_BAD_USAGE,
                         "'%s' is an ensemble: its plots are over t; 'taut replay' makes a run of a member",
                         taut_record_path(r));
    if (part->change || part->every > 1)
        return taut_fail(context, TAUT_BAD_USAGE, "'%s' is an ensemble, whose quantiles are plotted as they are",
                         taut_record_path(r));
    for (size_t i = 0; i < columns[1]; i++) /* what varies and the member are no statistics */
        f.column += strcmp(taut_record_columns(r)[i].kind, "member") != 0 &&
                    strcmp(taut_record_columns(r)[i].kind, "varied") != 0;
    int status = taut_sweep_read_moments(r, take_moment, &f);
    s->x = malloc((f.moments + 1) * sizeof *s->x);
    s->y = malloc((f.moments + 1) * sizeof *s->y);
    int room = s->x && s->y;
    for (int k = 0; k < BANDS; k++) room &= (s->bands[k] = malloc((f.moments + 1) * sizeof *s->x)) != NULL;
    if (!status && !room) status = taut_fail(context, TAUT_OUT_OF_MEMORY, "out of memory");
    if (!status) status = taut_sweep_read_statistics(r, take_statistic, &f);
    if (!status && !s->count)
        status = taut_fail(context, TAUT_BAD_USAGE,
                           "'%s' has no quantiles of '%s' in this time: they are made by 'taut ensemble' with --keep "
                           "and --stats",
                           taut_record_path(r), s->column);
    free(f.times);
    return status;
}

int taut_series_read(taut_context *context, record *r, const model *m, const char *x, const char *y,
                     const series_part *part, series *s)
{
    size_t columns[2];
    *s = (series){ 0 };
    int status = find_column(context, r, x, &columns[0]);
    if (!status) status = find_column(context, r, y, &columns[1]);
    if (status) return status;
    const record_column *all = taut_record_columns(r);
    snprintf(s->column, sizeof s->column, "%s", y);
    snprintf(s->name, sizeof s->name, "%s", y);
    snprintf(s->x_column, sizeof s->x_column, "%s", x);
    unit_of(r, m, columns[0], s->x_unit, sizeof s->x_unit);
    unit_of(r, m, columns[1], s->unit, sizeof s->unit);
    s->alike = *s->unit ? strcmp(s->unit, s->x_unit) == 0
                        : is_of_point(r, x) && is_of_point(r, y) &&
                              strcmp(all[columns[0]].kind, all[columns[1]].kind) == 0;
    status = taut_sweep_is(r) ? read_fan(context, r, columns, part, s) : read_frames(context, r, columns, part, s);
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
