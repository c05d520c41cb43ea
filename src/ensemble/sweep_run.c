/* The members of a sweep, chunk by chunk, into its file or into memory. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "ensemble/sweep_inside.h"

/* A chunk takes about this long; so much is lost when the process is killed, besides what waits for a commit. */
#define CHUNK_SECONDS 0.2
enum { CHUNK_BYTES = 128 << 20, CHUNK_MOST = 1 << 20 };

typedef struct {
    sweep *s;
    const sweep_watch *watch;
    sweep_progress progress;
    double begun, committed, cost, interval; /* times of commits, as in record/recorder.c */
    int torn;                /* a member was written in part: what is not committed yet must not be */
    size_t chunk;
    uint64_t next;           /* where to look for members that are not done */
} loop;

static int is_done(const sweep *s, uint64_t member)
{
    const uint64_t at = member - s->spec.first;
    return s->done[at / 8] >> at % 8 & 1;
}

static size_t bytes_of_member(const sweep *s)
{
    return s->moment_count * s->column_count * sizeof *s->rows + s->spec.sample->count * sizeof *s->values +
           sizeof *s->members;
}

static size_t most_members(const sweep *s)
{
    const size_t fit = CHUNK_BYTES / bytes_of_member(s);
    return fit < 1 ? 1 : fit < CHUNK_MOST ? fit : CHUNK_MOST;
}

static int make_room(sweep *s, size_t count)
{
    if (count <= s->capacity) return TAUT_OK;
    const size_t width = s->moment_count * s->column_count, varied = s->spec.sample->count;
    double *values = taut_mem_resize(s->context, s->values, mem_product(count, varied) + 1, sizeof *values);
    if (values) s->values = values;
    double *rows = taut_mem_resize(s->context, s->rows, mem_product(count, width) + 1, sizeof *rows);
    if (rows) s->rows = rows;
    executor_member *members = taut_mem_resize(s->context, s->members, count, sizeof *members);
    if (members) s->members = members;
    if (s->exponents) {
        const size_t own = s->moment_count * s->own_count;
        double *raw = taut_mem_resize(s->context, s->raw, mem_product(count, own) + 1, sizeof *raw);
        if (raw) s->raw = raw;
        double *exponent = taut_mem_resize(s->context, s->exponent, mem_product(count, s->moment_count) + 1,
                                           sizeof *exponent);
        if (exponent) s->exponent = exponent;
        if (!raw || !exponent) return TAUT_OUT_OF_MEMORY;
    }
    if (!s->frame) s->frame = taut_mem_new(s->context, 1 + varied + s->column_count, sizeof *s->frame);
    if (!values || !rows || !members || !s->frame) return TAUT_OUT_OF_MEMORY;
    s->capacity = count;
    return TAUT_OK;
}

/* ---- which ---- */

/* The next stretch of members that are not done. */
static int next_missing(loop *z, uint64_t *first, uint64_t *count)
{
    const sweep *s = z->s;
    while (z->next <= s->spec.last && is_done(s, z->next)) z->next++;
    *first = z->next;
    *count = 0;
    while (*count < z->chunk && z->next <= s->spec.last && !is_done(s, z->next)) z->next++, ++*count;
    return TAUT_OK;
}

static int claim(loop *z, uint64_t *first, uint64_t *count)
{
    const sweep *s = z->s;
    if (!z->watch->claim) return next_missing(z, first, count);
    int status = z->watch->claim(z->watch->user, first, count);
    if (!status && *count && (*first < s->spec.first || *count > s->spec.last - *first + 1))
        status = taut_fail(s->context, TAUT_BAD_USAGE, "members %llu.. were handed out that are not those of the file",
                           (unsigned long long)*first);
    return status;
}

/* ---- what becomes of them ---- */

static int put_frames(sweep *s, uint64_t member, const double *values, const double *rows)
{
    const size_t varied = s->spec.sample->count;
    int status = TAUT_OK;
    s->frame[0] = (double)member;
    memcpy(s->frame + 1, values, varied * sizeof *values);
    for (size_t k = 0; !status && k < s->moment_count; k++) {
        if (!s->moments[k].kept) continue;
        memcpy(s->frame + 1 + varied, rows + k * s->column_count, s->column_count * sizeof *rows);
        status = taut_writer_frame(s->writer, s->moments[k].step, s->frame);
    }
    return status;
}

/* What became of the members of a chunk: stretches that ended alike. */
static int record_ends(sweep *s, uint64_t first, size_t count)
{
    int status = TAUT_OK;
    for (size_t i = 0, same; !status && i < count; i += same) {
        const executor_member *m = &s->members[i];
        for (same = 1; i + same < count && !m->status; same++) {
            const executor_member *other = m + same;
            if (other->status || other->t != m->t || other->steps != m->steps) break;
        }
        const sweep_member one = { .member = first + i, .failed = 1, .t = m->t, .steps = m->steps,
                                   .reason = m->reason };
        status = m->status ? taut_sweep_member(s->file, &one)
                           : taut_sweep_members_finished(s->file, first + i, same, m->t, m->steps);
    }
    return status;
}

static int record_member(sweep *s, uint64_t member, const double *values, const double *rows)
{
    int status = put_frames(s, member, values, rows);
    if (!status && s->spec.stats & (STATS_QUANTILES | STATS_HISTOGRAM) &&
        taut_sweep_key(s->spec.sample->seed, member) <= s->path_key)
        status = taut_sweep_path(s->file, member, rows, s->moment_count * s->column_count);
    return status;
}

static int put_member(loop *z, uint64_t member, const executor_member *found, const double *values, const double *rows)
{
    sweep *s = z->s;
    const uint64_t at = member - s->spec.first;
    int status = s->file ? record_member(s, member, values, rows) : taut_sweep_remember(s, member, rows);
    if (status) return status;
    if (s->spec.stats) taut_statistics_add(&s->sums, rows);
    s->done[at / 8] |= (unsigned char)(1 << at % 8);
    s->done_count++;
    s->failed_count += found->status != TAUT_OK;
    z->progress.here++;
    z->progress.steps += (double)found->steps;
    return TAUT_OK;
}

static int put_sums(sweep *s)
{
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (!s->spec.stats || !s->file || s->to + 1 == s->from) return TAUT_OK;
    int status = taut_statistics_pack(&s->sums, &bytes, &size);
    if (!status) status = taut_sweep_sums(s->file, s->from, s->to, bytes, size);
    taut_mem_free(s->context, bytes);
    return status;
}

/* Sums in a file are of members one after the other: others begin new ones. */
static int begin_sums(sweep *s, uint64_t first)
{
    if (!s->spec.stats || !s->file || s->to + 1 == first) return TAUT_OK;
    int status = put_sums(s);
    memset(s->sums.cells, 0, s->sums.count * sizeof *s->sums.cells);
    s->from = first;
    s->to = first - 1;
    return status;
}

/* Rows of the executor, and the exponents as one more column. */
static int compute(sweep *s, size_t count)
{
    double *rows = s->exponents ? s->raw : s->rows;
    int status = taut_executor_run(s->executor, s->legs, s->leg_count, count, s->values, NULL, rows, s->members, NULL);
    if (status || !s->exponents) return status;
    status = taut_lyapunov_run(s->exponents, s->legs, s->leg_count, count, s->values, s->exponent);
    for (size_t i = 0; i < count * s->moment_count; i++) {
        double *to = s->rows + i * s->column_count;
        memcpy(to, rows + i * s->own_count, s->own_count * sizeof *to);
        to[s->own_count] = s->exponent[i];
    }
    return status;
}

static int do_chunk(loop *z, uint64_t first, size_t count)
{
    sweep *s = z->s;
    const size_t varied = s->spec.sample->count, width = s->moment_count * s->column_count;
    int status = make_room(s, count);
    if (!status) status = begin_sums(s, first);
    for (size_t i = 0; !status && i < count; i++)
        taut_sample_values(s->spec.sample, first + i, s->values + i * varied);
    if (!status) status = compute(s, count);
    for (size_t i = 0; !status && i < count; i++)
        z->torn = (status = put_member(z, first + i, &s->members[i], s->values + i * varied, s->rows + i * width)) != 0;
    if (!status && s->file) z->torn = (status = record_ends(s, first, count)) != 0;
    if (!status) s->to = first + count - 1;
    const sweep_chunk chunk = { first, count, s->values, s->rows, s->members };
    return status || !z->watch->chunk ? status : z->watch->chunk(z->watch->user, &chunk);
}

/* ---- commits ---- */

static int commit(loop *z, int wait, int *done)
{
    const double begun = clock_seconds();
    if (!z->s->file) return TAUT_OK;
    int status = put_sums(z->s);
    if (!status) status = taut_writer_commit(z->s->writer, wait, done);
    z->committed = clock_seconds();
    z->cost = z->committed - begun;
    const double most = z->watch->interval > 0 ? z->watch->interval : 1;
    if (z->interval < most) z->interval = 2 * z->interval < most ? 2 * z->interval : most;
    return status;
}

static int commit_if_due(loop *z)
{
    const double interval = z->interval > 10 * z->cost ? z->interval : 10 * z->cost;
    int done;
    if (!z->s->file) return TAUT_OK;
    if (clock_seconds() - z->committed < interval && !taut_writer_is_full(z->s->writer)) return TAUT_OK;
    return commit(z, 0, &done);
}

static void tell(loop *z)
{
    z->progress.done = z->s->done_count;
    z->progress.failed = z->s->failed_count;
    z->progress.seconds = clock_seconds() - z->begun;
    if (z->watch->progress) z->watch->progress(z->watch->user, &z->progress);
}

/* Chunks as long as CHUNK_SECONDS, in whole widths of the executor. */
static void adapt(loop *z, double seconds, size_t done)
{
    const size_t width = taut_executor_width(z->s->executor), most = most_members(z->s);
    double wanted = (double)done * (seconds > 0 ? CHUNK_SECONDS / seconds : 4);
    if (wanted > 4 * (double)z->chunk) wanted = 4 * (double)z->chunk;
    size_t chunk = wanted < 1 ? 1 : (size_t)wanted;
    if (chunk > most) chunk = most;
    if (width && chunk > width) chunk -= chunk % width;
    z->chunk = chunk;
}

/* The end: what is missing is said in the file, statistics are made of what is there. */
static int finish(loop *z, int status)
{
    enum { PATIENCE = 60000 }; /* a reader may be active, and this is the last chance */
    sweep *s = z->s;
    char message[TAUT_ERROR_TEXT];
    int done = 0;
    if (!s->file) return status;
    if (status && (z->torn || !taut_writer_is_whole(s->writer))) return status;
    snprintf(message, sizeof message, "%s", status ? taut_error_text(s->context) : "");
    char text[TAUT_ERROR_TEXT];
    snprintf(text, sizeof text, "%s", message);
    taut_text_hide_folder(text, s->spec.m->file);
    int written = taut_writer_property(s->writer, "message", text);
    if (!written && status) written = taut_writer_property(s->writer, "status", "failed");
    if (!written) written = commit(z, PATIENCE, &done);
    if (!written && !done)
        written = taut_fail(s->context, TAUT_CANNOT_WRITE,
                            "another program has been reading the file for a minute without a pause");
    if (!written && !status)
        written = taut_sweep_summarise(s->context, taut_writer_path(s->writer), s->file, s->spec.stats);
    if (!written && !status)
        written = taut_writer_property(s->writer, "status", z->progress.stopped ? "stopped" : "finished");
    if (!written) written = taut_writer_commit(s->writer, PATIENCE, &done);
    return status ? taut_fail(s->context, status, "%s", message) : written;
}

int taut_sweep_run(sweep *s, const sweep_watch *watch, sweep_progress *result)
{
    const double now = clock_seconds();
    loop z = { .s = s, .watch = watch, .begun = now, .committed = now, .interval = 0.05, .next = s->spec.first };
    int done = 0, status = s->file ? taut_writer_commit(s->writer, 5000, &done) : TAUT_OK; /* that it has begun */
    z.chunk = taut_executor_width(s->executor) ? taut_executor_width(s->executor) : 1;
    if (z.chunk > most_members(s)) z.chunk = most_members(s);
    z.progress.members = s->spec.last - s->spec.first + 1;
    tell(&z);
    while (!status && !(watch->stop && *watch->stop)) {
        uint64_t first, count;
        status = claim(&z, &first, &count);
        if (status || !count) break;
        for (uint64_t at = 0; !status && at < count;) { /* what was handed out may be more than fits */
            const size_t most = most_members(s), some = count - at < most ? (size_t)(count - at) : most;
            const double begun = clock_seconds();
            status = do_chunk(&z, first + at, some);
            at += some;
            if (!status && !watch->claim) adapt(&z, clock_seconds() - begun, some);
        }
        if (!status) status = watch->claim ? commit(&z, 5000, &done) : commit_if_due(&z); /* another may count on it */
        if (!status) tell(&z);
    }
    z.progress.stopped = s->done_count < z.progress.members;
    status = finish(&z, status);
    tell(&z);
    *result = z.progress;
    return status;
}
