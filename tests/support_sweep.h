/* What the tests of ensembles share: a sweep into a file, and everything that a file has as one digest. */
#ifndef TAUT_TESTS_SUPPORT_SWEEP_H
#define TAUT_TESTS_SUPPORT_SWEEP_H

#include "base/sha256.h"
#include "ensemble/sweep.h"
#include "record/sweep_file.h"

#include "support.h"

typedef struct {
    const char *model, *method;
    const char *vary[4];
    size_t vary_count;
    uint64_t members;        /* of the whole ensemble */
    double step, until;
    const char *keep, *at;
    unsigned stats;
    size_t paths;
    int threads;
    sample_design design;
    executor_kind on;
} sweep_recipe;

/* Members first .. last into a new file, or those that are missing in it. */
static inline int recorded_sweep_in(taut_context *context, const sweep_recipe *c, uint64_t first, uint64_t last,
                                    const char *path, int resume, const sweep_watch *watch, sweep_progress *p)
{
    char file[512];
    model *m = NULL;
    sample *sampled = NULL;
    sweep *s = NULL;
    record *r = NULL;
    sweep_stored stored = { 0 };
    sweep_spec spec = { .method = c->method, .step = taut_wide_from_double(c->step),
                        .until = taut_wide_from_double(c->until), .first = first, .last = last, .keep = c->keep,
                        .at = c->at, .stats = c->stats, .paths = c->paths, .threads = c->threads, .on = c->on,
                        .start = START_PROJECT, .native = TAUT_NATIVE_OFF };
    snprintf(file, sizeof file, "%s/%s.lua", MODELS, c->model);
    int status = TAUT_OK;
    if (resume) {
        status = taut_record_open(context, path, &r);
        if (!status) status = taut_sweep_load(context, r, &stored);
        taut_record_close(r);
        spec = stored.spec;
        spec.threads = c->threads;
        spec.native = TAUT_NATIVE_OFF;
    } else {
        status = taut_model_read_file(context, file, NULL, 0, &m);
        if (!status)
            status = taut_sample_create(context, c->vary, c->vary_count, NULL, NULL, c->design, 5, c->members, &sampled);
        spec.m = m;
        spec.sample = sampled;
    }
    if (!status) status = taut_sweep_create(context, &spec, &s);
    if (!status) status = resume ? taut_sweep_continue(s, path) : taut_sweep_record(s, path, 0);
    if (!status) status = taut_sweep_run(s, watch, p);
    taut_sweep_free(s);
    taut_sample_free(sampled);
    taut_model_free(m);
    taut_sweep_stored_clear(context, &stored);
    return status;
}

static inline void recorded_sweep(const sweep_recipe *c, uint64_t first, uint64_t last, const char *path, int resume)
{
    taut_context *context = taut_context_create(NULL);
    const sweep_watch watch = { 0 };
    sweep_progress p;
    if (recorded_sweep_in(context, c, first, last, path, resume, &watch, &p))
        fail_msg("%s", taut_error_text(context));
    taut_context_destroy(context);
}

/* ---- what a file has ---- */

typedef struct {
    sha256 hash;
    uint64_t members, failed, paths;
} sweep_digest;

static inline int digest_member(void *user, const sweep_member *m)
{
    sweep_digest *d = user;
    taut_sha256_add(&d->hash, &m->member, sizeof m->member);
    taut_sha256_add(&d->hash, &m->failed, sizeof m->failed);
    taut_sha256_add(&d->hash, &m->t, sizeof m->t);
    taut_sha256_add(&d->hash, &m->steps, sizeof m->steps);
    taut_sha256_add(&d->hash, m->reason, strlen(m->reason));
    d->members++;
    d->failed += m->failed != 0;
    return TAUT_OK;
}
static inline int digest_path(void *user, uint64_t member, const double *values, size_t count)
{
    sweep_digest *d = user;
    taut_sha256_add(&d->hash, &member, sizeof member);
    taut_sha256_add(&d->hash, values, count * sizeof *values);
    d->paths++;
    return TAUT_OK;
}
static inline int digest_sums(void *user, uint64_t first, uint64_t last, const void *bytes, size_t size)
{
    sweep_digest *d = user;
    taut_sha256_add(&d->hash, &first, sizeof first);
    taut_sha256_add(&d->hash, &last, sizeof last);
    taut_sha256_add(&d->hash, bytes, size);
    return TAUT_OK;
}
static inline int digest_statistic(void *user, const sweep_statistic *x)
{
    sweep_digest *d = user;
    const double numbers[] = { (double)x->moment, (double)x->column, (double)x->count, x->mean, x->sd, x->lowest,
                               x->highest };
    for (size_t i = 0; i < 7; i++) { /* one NaN is like the other */
        const double y = isnan(numbers[i]) ? -1e300 : numbers[i];
        taut_sha256_add(&d->hash, &y, sizeof y);
    }
    for (size_t i = 0; i < SWEEP_QUANTILES; i++) {
        const double y = isnan(x->quantiles[i]) ? -1e300 : x->quantiles[i];
        taut_sha256_add(&d->hash, &y, sizeof y);
    }
    return TAUT_OK;
}
static inline int digest_histogram(void *user, size_t moment, size_t column, double low, double high, const char *counts)
{
    sweep_digest *d = user;
    const double numbers[] = { (double)moment, (double)column, low, high };
    taut_sha256_add(&d->hash, numbers, sizeof numbers);
    taut_sha256_add(&d->hash, counts, strlen(counts));
    return TAUT_OK;
}

/* Members, frames, paths, sums and statistics; text has 65 bytes. */
static inline sweep_digest digest_of(const char *path, char *text)
{
    taut_context *context = taut_context_create(NULL);
    record *r;
    sweep_digest d = { 0 };
    taut_sha256_begin(&d.hash);
    if (taut_record_open(context, path, &r)) fail_msg("%s", taut_error_text(context));
    const size_t width = taut_record_column_count(r);
    const long frames = taut_record_frame_count(r);
    size_t *columns = malloc(width * sizeof *columns);
    double *values = malloc((width * (size_t)frames + 1) * sizeof *values);
    for (size_t i = 0; i < width; i++) columns[i] = i;
    int status = taut_record_read(r, 0, frames, columns, width, values);
    for (size_t i = 0; i < width * (size_t)frames; i++)
        if (isnan(values[i])) values[i] = -1e300;
    taut_sha256_add(&d.hash, values, width * (size_t)frames * sizeof *values);
    if (!status) status = taut_sweep_read_members(r, digest_member, &d);
    if (!status) status = taut_sweep_read_paths(r, digest_path, &d);
    if (!status) status = taut_sweep_read_sums(r, digest_sums, &d);
    if (!status) status = taut_sweep_read_statistics(r, digest_statistic, &d);
    if (!status) status = taut_sweep_read_histograms(r, digest_histogram, &d);
    if (status) fail_msg("%s", taut_error_text(context));
    unsigned char digest[SHA256_SIZE];
    taut_sha256_end(&d.hash, digest);
    taut_sha256_text(digest, text);
    free(columns);
    free(values);
    taut_record_close(r);
    taut_context_destroy(context);
    return d;
}

#endif
