/* Members of an ensemble, in memory or in a file: a sweep (ensemble/sweep.h) of the prototype's model. */
#include "library/library.h"

#include <math.h>

#include "base/builder.h"
#include "base/clock.h"
#include "ensemble/sweep.h"

typedef struct {
    uint64_t member, steps;
    int status;
    double t;
    char *reason;
} failure;

struct taut_members {
    taut_context *context;
    model *m;                    /* of its own, with the values of the prototype */
    char *method, *keep;
    definition *definitions;     /* for the file; the strings are its own */
    size_t definition_count;
    builder table, at;           /* CSV of the values, for a file; times with commas between them */
    sample *sample;
    sweep *sweep;
    sweep_spec spec;
    size_t times;                /* kept moments */
    failure *failures;           size_t failure_count, failure_capacity;
    /* of a run */
    taut_members_run_options run;
    double *rows;                size_t row_capacity; /* of a chunk, where the user has no memory for all */
    double begun;
    int stop;
    volatile int stops;          /* what the sweep looks at */
};

static void forget_failures(taut_members *z)
{
    for (size_t i = 0; i < z->failure_count; i++) taut_mem_free(z->context, z->failures[i].reason);
    z->failure_count = 0;
}

void taut_members_release(taut_members *z)
{
    if (!z) return;
    taut_context *context = z->context;
    taut_sweep_free(z->sweep);
    taut_sample_free(z->sample);
    taut_library_settings_free(context, z->definitions, z->definition_count);
    forget_failures(z);
    taut_builder_clear(&z->table);
    taut_builder_clear(&z->at);
    taut_model_free(z->m);
    void *blocks[] = { z->method, z->keep, z->failures, z->rows };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(context, blocks[i]);
    taut_mem_free(context, z);
    taut_context_release(context);
}

/* ---- made ---- */

static int copy_settings(taut_members *z, const taut_simulation *from)
{
    definition *list = NULL;
    char (*numbers)[WIDE_TEXT] = NULL;
    size_t count = 0;
    int status = taut_library_list_settings(from, &list, &count, &numbers);
    if (!status && count) {
        z->definitions = taut_library_settings(z->context, list, count);
        if (z->definitions) z->definition_count = count;
        else status = TAUT_OUT_OF_MEMORY;
    }
    taut_mem_free(from->context, list);
    taut_mem_free(from->context, numbers);
    return status;
}

static void put_number(builder *to, double x)
{
    char text[WIDE_TEXT];
    taut_wide_shortest(text, sizeof text, taut_wide_from_double(x));
    taut_builder_put(to, "%s", text);
}

/* A file has the values as the text of a table. */
static int write_table(taut_members *z, const taut_members_spec *spec)
{
    for (size_t k = 0; k < spec->name_count; k++) taut_builder_put(&z->table, "%s%s", k ? "," : "", spec->names[k]);
    for (size_t i = 0; i < spec->value_rows; i++) {
        taut_builder_put(&z->table, "\n");
        for (size_t k = 0; k < spec->name_count; k++) {
            if (k) taut_builder_put(&z->table, ",");
            put_number(&z->table, spec->values[i * spec->name_count + k]);
        }
    }
    taut_builder_put(&z->table, "\n");
    return z->table.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

static int write_times(taut_members *z, const taut_members_spec *spec)
{
    for (size_t i = 0; i < spec->at_count; i++) {
        if (i) taut_builder_put(&z->at, ",");
        put_number(&z->at, spec->at[i]);
    }
    return z->at.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

static int create_sample(taut_members *z, const taut_members_spec *spec)
{
    const sample_design design = taut_sample_design_find(spec->sample ? spec->sample : "random");
    const uint64_t of = spec->of ? spec->of : spec->count ? spec->first + spec->count : 0;
    const sample_numbers numbers = { spec->names, spec->name_count, spec->value_rows, spec->values };
    if (design == DESIGNS)
        return taut_fail(z->context, TAUT_BAD_USAGE, "sample is random, latin or sobol, not '%s'", spec->sample);
    if (!spec->vary_count && !spec->name_count)
        return taut_fail(z->context, TAUT_BAD_USAGE, "nothing varies: give laws, or names and values");
    int status = TAUT_OK;
    if (spec->file && spec->name_count) {
        status = write_table(z, spec);
        if (!status)
            status = taut_sample_create(z->context, spec->vary, spec->vary_count, z->table.text, "the values", design,
                                        spec->seed, of, &z->sample);
    } else {
        status = taut_sample_create_with(z->context, spec->vary, spec->vary_count, &numbers, design, spec->seed, of,
                                         &z->sample);
    }
    if (status) return status;
    if (!spec->count && !z->sample->members)
        return taut_fail(z->context, TAUT_BAD_USAGE, "the number of members is missing: no grid or values say it");
    if (!spec->count && spec->first >= z->sample->members)
        return taut_fail(z->context, TAUT_BAD_USAGE, "the first member is %llu, counted from 0: there are %llu",
                         (unsigned long long)spec->first, (unsigned long long)z->sample->members);
    z->spec.first = spec->first;
    z->spec.last = spec->count ? spec->first + spec->count - 1 : z->sample->members - 1;
    return TAUT_OK;
}

static int varies_start(const taut_members *z)
{
    for (size_t i = 0; i < z->sample->count; i++)
        if (taut_model_find_parameter(z->m, z->sample->varies[i].name) < 0) return 1;
    return 0;
}

static int fill_spec(taut_members *z, const taut_simulation *from, const taut_members_spec *spec)
{
    const int on = taut_executor_find(spec->on ? spec->on : "lanes");
    if (on < 0)
        return taut_fail(z->context, TAUT_BAD_USAGE, "on is interpreter, lanes or gpu, not '%s'", spec->on);
    sweep_spec *to = &z->spec;
    to->m = z->m;
    to->definitions = z->definitions;
    to->definition_count = z->definition_count;
    to->method = z->method;
    to->step = taut_wide_from_double(spec->h), to->until = taut_wide_from_double(spec->until);
    to->tolerance = from->options.tolerance;
    to->start = spec->strict ? START_STRICT : varies_start(z) ? START_PROJECT : from->options.start;
    to->sample = z->sample;
    to->table = z->table.text, to->table_name = z->table.text ? "the values" : NULL;
    to->keep = z->keep;
    to->at = z->at.text;
    to->stats = spec->stats;
    to->every = spec->every;
    to->lyapunov = spec->lyapunov != 0;
    to->paths = spec->paths ? spec->paths : 2000;
    to->on = (executor_kind)on;
    to->threads = spec->threads, to->fast = spec->fast != 0, to->native = from->options.native;
    return TAUT_OK;
}

static int check(taut_context *context, const taut_simulation *from, const taut_members_spec *spec)
{
    if (from->api->number_size != sizeof(double))
        return taut_fail(context, TAUT_UNSUPPORTED, "members of ensembles are in double precision");
    if (from->options.time != 0)
        return taut_fail(context, TAUT_UNSUPPORTED, "members of ensembles begin at time 0, not at %.9g",
                         (double)from->options.time);
    int status = taut_library_check_threads(context, spec->threads);
    if (status) return status;
    if (spec->stats > STATS_ALL)
        return taut_fail(context, TAUT_BAD_USAGE, "stats is a sum of TAUT_STATS_*, not %u", spec->stats);
    if (spec->every < 0)
        return taut_fail(context, TAUT_BAD_USAGE, "every is a number of steps, not %ld", spec->every);
    if ((spec->vary_count && !spec->vary) || (spec->name_count && !spec->names) || (spec->at_count && !spec->at)
        || (spec->name_count && spec->value_rows && !spec->values))
        return taut_fail(context, TAUT_BAD_USAGE, "vary, names, values or at is NULL, and its count is not 0; give the "
                                                  "array, or a count of 0");
    for (size_t i = 0; i < spec->vary_count; i++)
        if (!spec->vary[i]) return taut_fail(context, TAUT_BAD_USAGE, "law %zu is NULL; leave it out", i + 1);
    for (size_t i = 0; i < spec->name_count; i++)
        if (!spec->names[i]) return taut_fail(context, TAUT_BAD_USAGE, "name %zu is NULL; leave it out", i + 1);
    if (spec->count > (uint64_t)1 << 40 || spec->first > (uint64_t)1 << 40)
        return taut_fail(context, TAUT_BAD_USAGE, "there are at most 2^40 members");
    return TAUT_OK;
}

static int make(taut_members *z, const taut_simulation *from, const taut_members_spec *spec)
{
    z->table.context = z->at.context = z->context;
    z->method = taut_mem_text(z->context, from->method);
    if (spec->keep) z->keep = taut_mem_text(z->context, spec->keep);
    if (!z->method || (spec->keep && !z->keep)) return TAUT_OUT_OF_MEMORY;
    int status = taut_library_model(from, z->context, &z->m);
    if (!status && spec->file) status = copy_settings(z, from);
    if (!status) status = write_times(z, spec);
    if (!status) status = create_sample(z, spec);
    if (!status) status = fill_spec(z, from, spec);
    if (!status) status = taut_sweep_create(z->context, &z->spec, &z->sweep);
    if (!status && spec->file) status = taut_sweep_record(z->sweep, spec->file, spec->replace);
    for (size_t k = 0; !status && k < taut_sweep_moments(z->sweep); k++)
        z->times += taut_sweep_moment(z->sweep, k)->kept != 0;
    return status;
}

int taut_members_create(taut_simulation *prototype, const taut_members_spec *given, taut_members **result)
{
    taut_context *context = prototype ? prototype->context : NULL;
    taut_members_spec spec;
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, prototype, "prototype");
    LIBRARY_NEEDS(context, given, "spec");
    library_begin(context);
    int status = taut_library_take(context, "taut_members_spec", given, sizeof spec, &spec);
    if (!status) status = check(context, prototype, &spec);
    taut_members *z = status ? NULL : taut_mem_new(context, 1, sizeof *z);
    if (!status && !z) status = TAUT_OUT_OF_MEMORY;
    if (status) return library_done(context, status);
    taut_context_keep(context);
    z->context = context;
    status = make(z, prototype, &spec);
    if (status)
        taut_members_release(z);
    else
        *result = z;
    return library_done(context, status);
}

/* ---- asked ---- */

void taut_members_about(const taut_members *z, taut_members_info *info)
{
    if (!z || !info) return;
    const executor *e = taut_sweep_executor(z->sweep);
    const taut_members_info found = { .first = z->spec.first, .count = z->spec.last - z->spec.first + 1,
                                      .columns = taut_sweep_columns(z->sweep), .times = z->times,
                                      .moments = z->spec.stats ? taut_sweep_moments(z->sweep) : 0,
                                      .varied = z->sample->count,
                                      .on = taut_executor_name(taut_executor_on(e)), .note = taut_executor_note(e),
                                      .device = taut_executor_device(e) };
    taut_library_give(&found, sizeof found, info);
}

const char *taut_members_column(const taut_members *z, size_t index)
{
    return z && index < taut_sweep_columns(z->sweep) ? taut_sweep_column_name(z->sweep, index) : NULL;
}

const char *taut_members_varied(const taut_members *z, size_t index)
{
    return z && index < z->sample->count ? z->sample->varies[index].name : NULL;
}

double taut_members_time(const taut_members *z, size_t index)
{
    for (size_t k = 0; z && k < taut_sweep_moments(z->sweep); k++) {
        const sweep_moment *m = taut_sweep_moment(z->sweep, k);
        if (m->kept && !index--) return m->t;
    }
    return (double)NAN;
}

int taut_members_values(taut_members *z, uint64_t member, double *values)
{
    LIBRARY_NEEDS(NULL, z, "members");
    LIBRARY_NEEDS(z->context, values, "values");
    library_begin(z->context);
    if (member < z->spec.first || member > z->spec.last)
        return library_done(z->context, taut_fail(z->context, TAUT_BAD_USAGE, "there is no member %llu",
                                                  (unsigned long long)member));
    taut_sample_values(z->sample, member, values);
    return library_done(z->context, TAUT_OK);
}

int taut_members_failure(taut_members *z, size_t index, taut_failure *given)
{
    LIBRARY_NEEDS(NULL, z, "members");
    LIBRARY_NEEDS(z->context, given, "failure");
    library_begin(z->context);
    if (index >= z->failure_count)
        return library_done(z->context, taut_fail(z->context, TAUT_BAD_USAGE, "%zu members failed, there is no %zu",
                                                  z->failure_count, index));
    const failure *f = &z->failures[index];
    const taut_failure found = { .member = f->member, .status = f->status, .time = f->t, .steps = f->steps,
                                 .reason = f->reason };
    taut_library_give(&found, sizeof found, given);
    return library_done(z->context, TAUT_OK);
}

int taut_members_statistic(taut_members *z, size_t moment, size_t column, taut_statistic *given)
{
    summary s;
    LIBRARY_NEEDS(NULL, z, "members");
    LIBRARY_NEEDS(z->context, given, "statistic");
    library_begin(z->context);
    int status = taut_sweep_statistic_of(z->sweep, moment, column, &s);
    if (status) return library_done(z->context, status);
    const sweep_moment *m = taut_sweep_moment(z->sweep, moment);
    taut_statistic found = { .time = m->t, .kept = m->kept, .count = s.count, .mean = s.mean, .sd = s.sd,
                             .lowest = s.lowest, .highest = s.highest, .low = s.low, .high = s.high, .bins = s.bins };
    _Static_assert(sizeof found.quantiles == sizeof s.quantiles && sizeof found.counts == sizeof s.counts, "");
    memcpy(found.quantiles, s.quantiles, sizeof s.quantiles);
    memcpy(found.counts, s.counts, sizeof s.counts);
    taut_library_give(&found, sizeof found, given);
    return library_done(z->context, TAUT_OK);
}

/* ---- run ---- */

static int note_failures(taut_members *z, const sweep_chunk *c)
{
    for (size_t i = 0; i < c->count; i++) {
        const executor_member *m = &c->members[i];
        if (!m->status) continue;
        int status = taut_mem_grow(z->context, &z->failures, &z->failure_capacity, z->failure_count + 1,
                                   sizeof *z->failures);
        if (status) return status;
        failure *f = &z->failures[z->failure_count];
        *f = (failure){ .member = c->first + i, .steps = (uint64_t)m->steps, .status = m->status, .t = m->t,
                        .reason = taut_mem_text(z->context, m->reason) };
        if (!f->reason) return TAUT_OUT_OF_MEMORY;
        z->failure_count++;
    }
    return TAUT_OK;
}

/* The kept rows of a chunk, without those that are for the statistics alone. */
static int gather(taut_members *z, const sweep_chunk *c, const double **rows)
{
    const size_t columns = taut_sweep_columns(z->sweep), moments = taut_sweep_moments(z->sweep);
    const size_t size = z->times * columns;
    double *to = NULL;
    *rows = c->rows;
    if (z->run.rows)
        to = z->run.rows + (size_t)(c->first - z->spec.first) * size;
    else if (!z->run.chunk || moments == z->times)
        return TAUT_OK;
    else if (taut_mem_grow(z->context, &z->rows, &z->row_capacity, mem_product(c->count, size) + 1, sizeof *z->rows))
        return TAUT_OUT_OF_MEMORY;
    else
        to = z->rows;
    *rows = to;
    for (size_t i = 0; i < c->count; i++)
        for (size_t k = 0; k < moments; k++) {
            if (!taut_sweep_moment(z->sweep, k)->kept) continue;
            memcpy(to, c->rows + (i * moments + k) * columns, columns * sizeof *to);
            to += columns;
        }
    return TAUT_OK;
}

static int take_chunk(void *user, const sweep_chunk *c)
{
    taut_members *z = user;
    const double *rows;
    int status = note_failures(z, c);
    if (!status) status = gather(z, c, &rows);
    z->run.done += c->count;
    z->run.failed = z->failure_count;
    if (!status && z->run.chunk) {
        const taut_members_chunk chunk = { .size = sizeof chunk, .first = c->first, .count = c->count,
                                           .values = c->values, .rows = rows, .done = z->run.done,
                                           .failed = z->run.failed, .seconds = clock_seconds() - z->begun };
        library_leave(z->context);
        status = z->run.chunk(z->run.user, &chunk);
        library_again(z->context);
        if (status == TAUT_STOP) z->stop = 1, status = TAUT_OK;
        if (status)
            status = taut_fail(z->context, status, "after %llu members: the callback returned %d",
                               (unsigned long long)z->run.done, status);
    }
    z->stops = z->stop || (z->run.interrupt && *z->run.interrupt);
    return status;
}

int taut_members_run(taut_members *z, taut_members_run_options *given)
{
    LIBRARY_NEEDS(NULL, z, "members");
    LIBRARY_NEEDS(z->context, given, "run");
    taut_members_run_options *run = &z->run;
    const uint64_t count = z->spec.last - z->spec.first + 1, before = run->done;
    sweep_progress progress = { 0 };
    library_begin(z->context);
    int status = taut_library_take(z->context, "taut_members_run_options", given, sizeof *run, run);
    run->done = before;
    if (!status && run->rows && (z->times && run->row_capacity / z->times < count))
        status = taut_fail(z->context, TAUT_BAD_USAGE, "%llu members have %zu rows each, and there is room for %zu",
                           (unsigned long long)count, z->times, run->row_capacity);
    if (status) return library_done(z->context, status);
    z->begun = clock_seconds();
    z->stop = 0;
    z->stops = run->interrupt && *run->interrupt;
    for (size_t i = 0; run->rows && !before && i < (size_t)count * z->times * taut_sweep_columns(z->sweep); i++)
        run->rows[i] = (double)NAN;
    const sweep_watch watch = { .chunk = take_chunk, .stop = &z->stops, .user = z };
    status = taut_sweep_run(z->sweep, &watch, &progress);
    run->failed = z->failure_count;
    run->steps = progress.steps, run->seconds = progress.seconds;
    run->stopped = run->done < count;
    taut_library_give(run, sizeof *run, given);
    return library_done(z->context, status);
}

/* ---- parts together ---- */

int taut_members_merge(taut_context *context, const char *const *parts, size_t count, const char *path, int replace,
                       taut_members_merged *merged)
{
    sweep_progress p = { 0 };
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, parts, "parts");
    LIBRARY_NEEDS(context, path, "path");
    library_begin(context);
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < count; i++)
        if (!parts[i]) status = taut_fail(context, TAUT_BAD_USAGE, "part %zu has no name; give it one", i + 1);
    if (!status && !count) status = taut_fail(context, TAUT_BAD_USAGE, "there are no parts; give their names");
    if (!status) status = taut_sweep_merge(context, parts, count, path, replace, &p);
    const taut_members_merged found = { .members = p.members, .done = p.done, .failed = p.failed };
    if (!status && merged) taut_library_give(&found, sizeof found, merged);
    return library_done(context, status);
}
