/* Members of the public interface: what they are, their runs, parts together. */
#include "library/members.h"

#include <math.h>

#include "base/clock.h"

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
    taut_sweep_stored_clear(context, &z->stored);
    taut_library_settings_free(context, z->definitions, z->definition_count);
    forget_failures(z);
    taut_builder_clear(&z->table);
    taut_builder_clear(&z->at);
    taut_model_free(z->m);
    void *blocks[] = { z->method, z->keep, z->table_name, z->failures, z->rows };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(context, blocks[i]);
    taut_mem_free(context, z);
    taut_context_release(context);
}

/* ---- asked ---- */

void taut_members_about(const taut_members *z, taut_members_info *info)
{
    if (!z || !info) return;
    const executor *e = taut_sweep_executor(z->sweep);
    const taut_members_info found = { .first = z->spec.first, .count = z->spec.last - z->spec.first + 1,
                                      .columns = taut_sweep_columns(z->sweep), .times = z->times,
                                      .moments = z->spec.stats ? taut_sweep_moments(z->sweep) : 0,
                                      .varied = z->spec.sample->count,
                                      .on = taut_executor_name(taut_executor_on(e)), .note = taut_executor_note(e),
                                      .device = taut_executor_device(e),
                                      .title = z->spec.m->title, .method = z->spec.method,
                                      .h = (double)z->spec.step, .until = (double)z->spec.until,
                                      .width = taut_executor_width(e), .threads = z->spec.threads,
                                      .done = taut_sweep_done(z->sweep), .failed = taut_sweep_failed(z->sweep) };
    taut_library_give(&found, sizeof found, info);
}

const char *taut_members_column(const taut_members *z, size_t index)
{
    return z && index < taut_sweep_columns(z->sweep) ? taut_sweep_column_name(z->sweep, index) : NULL;
}

const char *taut_members_varied(const taut_members *z, size_t index)
{
    return z && index < z->spec.sample->count ? z->spec.sample->varies[index].name : NULL;
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
    taut_sample_values(z->spec.sample, member, values);
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
    const member_failure *f = &z->failures[index];
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
    if (z->run.unlisted) return TAUT_OK;
    for (size_t i = 0; i < c->count; i++) {
        const executor_member *m = &c->members[i];
        if (!m->status) continue;
        int status = taut_mem_grow(z->context, &z->failures, &z->failure_capacity, z->failure_count + 1,
                                   sizeof *z->failures);
        if (status) return status;
        member_failure *f = &z->failures[z->failure_count];
        *f = (member_failure){ .member = c->first + i, .steps = (uint64_t)m->steps, .status = m->status, .t = m->t,
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
    z->run.done = taut_sweep_done(z->sweep);
    z->run.failed = taut_sweep_failed(z->sweep);
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

static void show(void *user, const sweep_progress *p)
{
    taut_members *z = user;
    const taut_members_progress progress = { .size = sizeof progress, .members = p->members, .done = p->done,
                                             .failed = p->failed, .here = p->here, .steps = p->steps,
                                             .seconds = p->seconds };
    library_leave(z->context);
    z->run.progress(z->run.user, &progress);
    library_again(z->context);
}

static int claim(void *user, uint64_t *first, uint64_t *count)
{
    taut_members *z = user;
    library_leave(z->context);
    const int status = z->run.claim(z->run.user, first, count);
    library_again(z->context);
    return status ? taut_fail(z->context, status, "the callback that claims members returned %d", status) : TAUT_OK;
}

int taut_members_run(taut_members *z, taut_members_run_options *given)
{
    LIBRARY_NEEDS(NULL, z, "members");
    LIBRARY_NEEDS(z->context, given, "run");
    taut_members_run_options *run = &z->run;
    const uint64_t count = z->spec.last - z->spec.first + 1, before = taut_sweep_done(z->sweep);
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
    const sweep_watch watch = { .chunk = take_chunk, .progress = run->progress ? show : NULL,
                                .claim = run->claim ? claim : NULL, .stop = &z->stops, .user = z };
    status = taut_sweep_run(z->sweep, &watch, &progress);
    run->done = progress.done, run->failed = progress.failed, run->here = progress.here;
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
