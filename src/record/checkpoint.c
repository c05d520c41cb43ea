#include "record/checkpoint.h"

#include <stdio.h>
#include <string.h>

/* ---- writing ---- */

static int put_long(writer *w, const char *name, long value)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", value);
    return taut_writer_checkpoint_text(w, name, text);
}

static int put_wide(writer *w, const char *name, wide value)
{
    char text[WIDE_TEXT];
    taut_wide_format(text, sizeof text, value, WIDE_DIGITS + 2);
    return taut_writer_checkpoint_text(w, name, text);
}

/* first last lowest highest sum sum_t, separated by blanks */
static int put_watched(writer *w, size_t index, const watched *q)
{
    const wide values[] = { q->first, q->last, q->lowest, q->highest, q->sum, q->sum_t };
    char name[300], line[6 * WIDE_TEXT];
    size_t at = 0;
    for (int i = 0; i < 6; i++) {
        if (i) line[at++] = ' ';
        at += (size_t)taut_wide_format(line + at, sizeof line - at, values[i], WIDE_DIGITS + 2);
    }
    snprintf(name, sizeof name, "watched.%zu", index);
    return taut_writer_checkpoint_text(w, name, line);
}

/* What was watched, for readers: a property per quantity. Name, first, last, lowest, highest, slope, separated by
   tabs. */
int taut_checkpoint_extremes(writer *w, const run_result *at)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < at->quantity_count; i++) {
        const watched *q = &at->quantities[i];
        const wide values[] = { q->first, q->last, q->lowest, q->highest, q->slope };
        char name[40], line[sizeof q->name + 5 * (WIDE_TEXT + 1)];
        size_t used = (size_t)snprintf(line, sizeof line, "%s", q->name);
        for (int k = 0; k < 5; k++) {
            line[used++] = '\t';
            used += (size_t)taut_wide_shortest(line + used, sizeof line - used, values[k]);
        }
        snprintf(name, sizeof name, "watched.%zu", i);
        status = taut_writer_property(w, name, line);
    }
    return status;
}

/* What was done on the way, besides steps: the i-th count, with its name in the file. NULL beyond the last. */
static long *count_at(engine_counts *counts, int i, char *name, size_t size)
{
    for (int k = 0; newton_count_at(k).name; k++, i--) {
        snprintf(name, size, "%s", newton_count_at(k).name);
        if (i == 0) return (long *)((char *)&counts->work + newton_count_at(k).at);
    }
    if (i >= EVENT_KINDS) return NULL;
    snprintf(name, size, "%ss", event_kind_name((event_kind)i));
    return &counts->events[i];
}

/* ---- the state itself ---- */

/* Energy and residual of the state, which the checkpoint tells beside it. */
typedef struct {
    wide energy, residual;
} summary;

static int summarise(const engine_api *api, void *engine, summary *s)
{
    engine_look seen;
    wide value = 0;
    double number = 0;
    api->look(engine, &seen);
    *s = (summary){ seen.energy, 0 };
    if (!api->columns_of(engine, COLUMN_CONSTRAINT)) return TAUT_OK;
    void *place = api->number_size == sizeof number ? (void *)&number : (void *)&value;
    int status = api->column_values(engine, COLUMN_CONSTRAINT, 0, 1, place);
    s->residual = api->number_size == sizeof number ? (wide)number : value;
    return status;
}

int taut_checkpoint_write(writer *w, const engine_api *api, void *engine, const run_result *so_far)
{
    engine_counts counts;
    run_result now = *so_far, *at = &now;
    api->counts(engine, &counts);
    taut_run_result_update(api, engine, at);
    const struct { const char *name; long value; } whole[] = {
        { "step", at->steps_done }, { "sample_stride", at->sample_stride }, { "origin_step", at->origin_step },
        { "quantities", (long)at->quantity_count } };
    const struct { const char *name; wide value;
    } numbers[] = {
        { "samples", at->samples }, { "sum_t", at->sum_t }, { "sum_tt", at->sum_tt }, { "origin_time", at->origin_time }
    };
    int status = TAUT_OK;
    taut_writer_checkpoint_begin(w);
    for (size_t i = 0; !status && i < sizeof whole / sizeof *whole; i++)
        status = put_long(w, whole[i].name, whole[i].value);
    long *count;
    char name[40];
    for (int i = 0; !status && (count = count_at(&counts, i, name, sizeof name)); i++)
        status = put_long(w, name, *count);
    for (size_t i = 0; !status && i < sizeof numbers / sizeof *numbers; i++)
        status = put_wide(w, numbers[i].name, numbers[i].value);
    for (size_t i = 0; !status && i < at->quantity_count; i++) status = put_watched(w, i, &at->quantities[i]);
    if (!status) status = taut_checkpoint_extremes(w, at);
    for (int i = 0, n = api->field_count(engine); !status && i < n; i++) {
        char name[80];
        engine_field f = api->field(engine, i);
        snprintf(name, sizeof name, "state.%s", f.name);
        status = taut_writer_checkpoint_numbers(w, name, f.data, f.count, api->number_size);
    }
    summary s;
    if (!status) status = summarise(api, engine, &s);
    if (!status) status = put_wide(w, "energy", s.energy);
    if (!status) status = put_wide(w, "residual", s.residual);
    return status ? status : taut_writer_checkpoint_end(w);
}

/* ---- reading ---- */

static int damaged(const record *r, const char *name, const char *text)
{
    return taut_fail(r->d.context, TAUT_CANNOT_READ, "'%s' is damaged: '%s' of its checkpoint is '%.60s'", r->d.path,
                     name, text);
}

/* A count, from `least` to 2^53: no sum of some of them overflows. */
static int get_long(record *r, const char *name, long least, long *value)
{
    char text[32], *end;
    int status = taut_record_checkpoint_text(r, name, text, sizeof text);
    if (status) return status;
    *value = strtol(text, &end, 10);
    return *end || end == text || *value < least || (double)*value > 0x1p53 ? damaged(r, name, text) : TAUT_OK;
}

static int is_finite(wide value) { return value - value == 0; }

static int get_wides(record *r, const char *name, wide *values, int count)
{
    char line[6 * WIDE_TEXT], *at = line;
    int status = taut_record_checkpoint_text(r, name, line, sizeof line);
    for (int i = 0; !status && i < count; i++) {
        char *blank = strchr(at, ' ');
        if (blank) *blank = 0;
        if (taut_wide_parse(at, &values[i]) || !is_finite(values[i]) || !blank != (i == count - 1))
            return taut_fail(r->d.context, TAUT_CANNOT_READ,
                             "'%s' is damaged: '%s' of its checkpoint is not %d finite number%s", r->d.path, name,
                             count, count == 1 ? "" : "s");
        at = blank ? blank + 1 : at;
    }
    return status;
}

/* first last lowest highest sum sum_t */
static int get_watched(record *r, size_t index, watched *q)
{
    char name[32];
    wide v[6];
    snprintf(name, sizeof name, "watched.%zu", index);
    int status = get_wides(r, name, v, 6);
    if (!status)
        *q = (watched){ .first = v[0], .last = v[1], .lowest = v[2], .highest = v[3], .sum = v[4], .sum_t = v[5] };
    return status;
}

static int get_progress(record *r, const engine_api *api, void *engine, run_result *at, engine_counts *counts)
{
    taut_context *context = r->d.context;
    long quantities = 0;
    const struct { const char *name; long least, *value; } whole[] = { { "step", 0, &at->steps_done },
                                                                       { "sample_stride", 1, &at->sample_stride },
                                                                       { "origin_step", 0, &at->origin_step },
                                                                       { "quantities", 0, &quantities } };
    const struct { const char *name; wide *value; } numbers[] = { { "samples", &at->samples },
                                                                  { "sum_t", &at->sum_t },
                                                                  { "sum_tt", &at->sum_tt },
                                                                  { "origin_time", &at->origin_time } };
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < sizeof whole / sizeof *whole; i++)
        status = get_long(r, whole[i].name, whole[i].least, whole[i].value);
    long *count;
    char name[40];
    for (int i = 0; !status && (count = count_at(counts, i, name, sizeof name)); i++)
        status = get_long(r, name, 0, count);
    for (size_t i = 0; !status && i < sizeof numbers / sizeof *numbers; i++)
        status = get_wides(r, numbers[i].name, numbers[i].value, 1);
    if (!status && at->origin_step > at->steps_done) status = damaged(r, "origin_step", "later than 'step'");
    counts->steps = at->steps_done;
    at->quantity_count = api->watch_count(engine);
    if (!status && (size_t)quantities != at->quantity_count)
        status = taut_fail(context, TAUT_UNSUPPORTED,
                           "'%s' cannot be resumed: it has %ld conserved quantities, this Taut finds %zu", r->d.path,
                           quantities, at->quantity_count);
    if (!status && !(at->quantities = taut_mem_new(context, at->quantity_count, sizeof *at->quantities)))
        status = TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < at->quantity_count; i++) status = get_watched(r, i, &at->quantities[i]);
    return status;
}

/* What files of earlier versions do not have, and what is nothing but a guess. */
static int is_new(const char *name) { return strcmp(name, "trend") == 0 || strcmp(name, "change") == 0; }

static int get_fields(record *r, const engine_api *api, void *engine)
{
    int status = TAUT_OK;
    for (int i = 0, n = api->field_count(engine); !status && i < n; i++) {
        char name[80];
        int has = 1;
        const engine_field f = api->field(engine, i);
        snprintf(name, sizeof name, "state.%s", f.name);
        if (is_new(f.name)) status = taut_record_checkpoint_has(r, name, &has);
        if (!status && has) status = taut_record_checkpoint_numbers(r, name, f.data, f.count, api->number_size);
        if (!has) memset(f.data, 0, f.count * api->number_size);
    }
    return status;
}

/* A millionth: another build rounds otherwise, another state is elsewhere. The residual is round-off in most runs, of
   which only the size can be compared; where it was nothing at all it is compared with the coordinates. */
#define SAME 1e-6
#define SAME_SIZE 1000

static wide larger(wide a, wide b) { return a > b ? a : b; }
static wide size_of(wide a) { return a < 0 ? -a : a; }

static wide largest_coordinate(const engine_api *api, void *engine)
{
    wide largest = 0;
    for (int i = 0; i < api->field_count(engine); i++) {
        const engine_field f = api->field(engine, i);
        for (size_t k = 0; strcmp(f.name, "q") == 0 && k < f.count; k++)
            largest = larger(largest, size_of(api->number_size == sizeof(double) ? ((const double *)f.data)[k]
                                                                                 : ((const wide *)f.data)[k]));
    }
    return largest;
}

/* Is the state that was read the one that the run had reached? */
static int check_state(record *r, const engine_api *api, void *engine, const run_result *at)
{
    summary told, found;
    wide size = 0;
    int status = get_wides(r, "energy", &told.energy, 1);
    if (!status) status = get_wides(r, "residual", &told.residual, 1);
    if (!status) status = summarise(api, engine, &found);
    if (status) return status;
    api->energy_size(engine, &size);
    wide usual = larger(told.residual, at->quantity_count > 1 ? at->quantities[1].highest : 0);
    const wide limit = usual > 0 ? SAME_SIZE * usual : (wide)1e-9 * largest_coordinate(api, engine);
    if (size_of(found.energy - told.energy) <= (wide)SAME * larger(size, size_of(told.energy))
        && found.residual <= limit)
        return TAUT_OK;
    return taut_fail(r->d.context, TAUT_CANNOT_READ,
                     "'%s' cannot be resumed: the state of its checkpoint has energy %.9g and constraints to %.2g, and "
                     "the run had reached %.9g and %.2g",
                     r->d.path, (double)found.energy, (double)found.residual, (double)told.energy,
                     (double)told.residual);
}

int taut_checkpoint_read(record *r, const engine_api *api, void *engine, run_result *from)
{
    engine_counts counts = { 0 };
    int told = 0;
    *from = (run_result){ 0 };
    taut_record_checkpoint_begin(r);
    int status = get_progress(r, api, engine, from, &counts);
    if (!status) status = get_fields(r, api, engine);
    if (!status) status = api->restored(engine, &counts);
    if (!status) status = taut_record_checkpoint_has(r, "energy", &told);
    if (!status && told) status = check_state(r, api, engine, from);
    if (!status) status = taut_record_checkpoint_end(r);
    from->t = status ? 0 : api->time(engine);
    return status;
}
