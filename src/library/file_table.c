/* What a run file says of its columns, where a time is in it, and the statistics of ensembles. */
#include "library/file.h"

#include <math.h>

/* ---- columns ---- */

/* Of the model that the file contains, without what its script says. NULL where it cannot be read: then there are no
   units. */
static model *load_quietly(const record *r, taut_context *context)
{
    const char *source = taut_record_property(r, "source"), *name = taut_record_property(r, "model");
    const size_t count = taut_record_setting_count(r);
    definition *settings = taut_mem_new(context, count, sizeof *settings);
    model *m = NULL;
    for (size_t i = 0; settings && i < count; i++) taut_record_setting(r, i, &settings[i].name, &settings[i].value);
    if (settings && source &&
        taut_model_read_text(context, name ? name : "model", source, strlen(source), settings, count, &m))
        m = NULL;
    taut_mem_free(context, settings);
    return m;
}

static int find_units(taut_file *f)
{
    const size_t count = taut_file_columns(f);
    taut_context *quiet = taut_context_create(taut_context_has_allocator(f->context)
                                                  ? taut_context_allocator(f->context) : NULL);
    if (!quiet) return TAUT_OUT_OF_MEMORY;
    f->units = taut_mem_new(f->context, count, sizeof *f->units);
    model *m = f->units ? load_quietly(f->r, quiet) : NULL;
    for (size_t i = 0; f->units && i < count; i++) taut_unit_of(f->r, m, i, f->units[i]);
    taut_model_free(m);
    taut_context_destroy(quiet);
    return f->units ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static int check_column(taut_file *f, size_t index)
{
    return taut_library_check_columns(f, &index, 1);
}

int taut_file_column_at(taut_file *f, size_t index, taut_column *column)
{
    LIBRARY_NEEDS(NULL, f, "file");
    LIBRARY_NEEDS(f->context, column, "column");
    library_begin(f->context);
    int status = check_column(f, index);
    if (!status && !f->units) status = find_units(f);
    if (status) return library_done(f->context, status);
    const record_column *c = &taut_record_columns(f->r)[index];
    const taut_column found = { .name = c->name, .kind = c->kind, .unit = f->units[index],
                                .is_length = taut_unit_is_of_point(f->r, c->name) };
    taut_library_give(&found, sizeof found, column);
    return library_done(f->context, TAUT_OK);
}

/* ---- frames ---- */

/* By bisection: times only grow. */
static int find_frame(taut_file *f, double t, int past, size_t *frame)
{
    const long found = taut_record_column_find(f->r, "t");
    const size_t time = found < 0 ? 0 : (size_t)found;
    long low = 0, high = taut_record_frame_count(f->r);
    while (low < high) {
        const long middle = low + (high - low) / 2;
        double now;
        int status = taut_record_read(f->r, middle, 1, &time, 1, &now);
        if (status) return status;
        if (past ? now <= t : now < t) low = middle + 1;
        else high = middle;
    }
    *frame = (size_t)low;
    return TAUT_OK;
}

int taut_file_find_frame(taut_file *f, double t, int past, size_t *frame)
{
    LIBRARY_NEEDS(NULL, f, "file");
    LIBRARY_NEEDS(f->context, frame, "frame");
    library_begin(f->context);
    return library_done(f->context, find_frame(f, t, past, frame));
}

/* ---- statistics ---- */

static int take_moment(void *user, const sweep_moment *m)
{
    taut_file *f = user;
    int status = taut_mem_grow(f->context, &f->moments, &f->moment_capacity, f->moment_count + 1, sizeof *f->moments);
    if (!status) f->moments[f->moment_count++] = *m;
    return status;
}

static int take_statistic(void *user, const sweep_statistic *x)
{
    taut_file *f = user;
    if (x->moment >= f->moment_count || x->column >= f->kept) return TAUT_OK;
    taut_statistic *s = &f->statistics[x->moment * f->kept + x->column];
    s->count = x->count;
    s->mean = x->mean, s->sd = x->sd, s->lowest = x->lowest, s->highest = x->highest;
    if (x->quantiles) memcpy(s->quantiles, x->quantiles, sizeof s->quantiles);
    return TAUT_OK;
}

_Static_assert(sizeof ((taut_statistic *)0)->quantiles == SWEEP_QUANTILES * sizeof(double), "quantiles");

/* What varies and the member are no statistics. */
static int is_kept(const taut_file *f, size_t column)
{
    const char *kind = taut_record_columns(f->r)[column].kind;
    return strcmp(kind, "member") != 0 && strcmp(kind, "varied") != 0;
}

static int load_statistics(taut_file *f)
{
    if (f->has_statistics) return TAUT_OK;
    if (!taut_sweep_is(f->r))
        return taut_fail(f->context, TAUT_BAD_USAGE, "'%s' is a single run, and has no statistics",
                         taut_record_path(f->r));
    f->moment_count = f->kept = 0;
    int status = taut_sweep_read_moments(f->r, take_moment, f);
    for (size_t i = 0; i < taut_file_columns(f); i++) f->kept += (size_t)is_kept(f, i);
    const size_t count = f->moment_count * f->kept;
    taut_mem_free(f->context, f->statistics);
    f->statistics = status ? NULL : taut_mem_new(f->context, count, sizeof *f->statistics);
    if (!status && !f->statistics) status = TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) {
        taut_statistic *s = &f->statistics[i];
        *s = (taut_statistic){ .time = f->moments[i / f->kept].t, .kept = f->moments[i / f->kept].kept,
                               .mean = NAN, .sd = NAN, .lowest = NAN, .highest = NAN, .low = NAN, .high = NAN };
        for (int k = 0; k < SWEEP_QUANTILES; k++) s->quantiles[k] = NAN;
    }
    if (!status) status = taut_sweep_read_statistics(f->r, take_statistic, f);
    f->has_statistics = !status;
    return status;
}

int taut_file_moments(taut_file *f, size_t *count)
{
    LIBRARY_NEEDS(NULL, f, "file");
    LIBRARY_NEEDS(f->context, count, "count");
    library_begin(f->context);
    int status = load_statistics(f);
    *count = status ? 0 : f->moment_count;
    return library_done(f->context, status);
}

int taut_file_statistic(taut_file *f, size_t moment, size_t column, taut_statistic *statistic)
{
    LIBRARY_NEEDS(NULL, f, "file");
    LIBRARY_NEEDS(f->context, statistic, "statistic");
    library_begin(f->context);
    int status = check_column(f, column);
    if (!status) status = load_statistics(f);
    if (!status && (moment >= f->moment_count || !is_kept(f, column)))
        status = taut_fail(f->context, TAUT_BAD_USAGE, "there is no moment %zu, or column %zu has no statistics",
                           moment, column);
    if (status) return library_done(f->context, status);
    size_t place = 0;
    for (size_t i = 0; i < column; i++) place += (size_t)is_kept(f, i);
    taut_library_give(&f->statistics[moment * f->kept + place], sizeof *statistic, statistic);
    return library_done(f->context, TAUT_OK);
}
