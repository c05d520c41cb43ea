/* An ensemble: members from a sample, advanced by an executor chunk by chunk, their kept values handed out, and
 * statistics made of them. In a file (record/sweep_file.h) they are recorded, so that it can be stopped, killed and
 * gone on with; without one they are in memory.
 *
 *     taut_sweep_create(context, &spec, &s);
 *     taut_sweep_record(s, path, replace);            or taut_sweep_continue(s, path), or neither
 *     taut_sweep_run(s, &watch, &progress);
 *     taut_sweep_free(s); */
#ifndef TAUT_ENSEMBLE_SWEEP_H
#define TAUT_ENSEMBLE_SWEEP_H

#include "ensemble/executor.h"
#include "ensemble/sample.h"
#include "ensemble/summary.h"
#include "record/record.h"

enum { STATS_MEAN = 1, STATS_SD = 2, STATS_QUANTILES = 4, STATS_HISTOGRAM = 8, STATS_ALL = 15 };
/* A list with commas between the names, or "none". */
int taut_sweep_stats_parse(taut_context *context, const char *text, unsigned *stats);
void taut_sweep_stats_text(unsigned stats, char *buffer, size_t size);

/* Everything that says what the members are. Strings must last as long as the sweep. */
typedef struct {
    const model *m;
    const definition *definitions; /* with which it was loaded */
    size_t definition_count;
    const char *method;
    wide step, until, tolerance;
    start_mode start;
    const sample *sample;
    const char *table, *table_name; /* of the sample; NULL: none */
    uint64_t first, last;           /* members, both included */
    const char *keep;               /* columns with commas between them; NULL: t, coordinates and energy */
    const char *at;                 /* times with commas between them; NULL: the end */
    unsigned stats;
    long every;                     /* steps between moments of the statistics; 0: a hundredth of the run */
    int lyapunov;                   /* a column more: the finite-time exponent so far (ensemble/lyapunov.h) */
    size_t paths;                   /* members that keep their values at all moments, at the most */
    executor_kind on;
    int threads, fast, native;
} sweep_spec;

typedef struct sweep sweep;

typedef struct {
    uint64_t members, done, failed; /* of this file; done counts those that failed */
    uint64_t here;                  /* done since taut_sweep_run began */
    double steps;                   /* of these members */
    double seconds;                 /* since then */
    int stopped;                    /* before all were done */
} sweep_progress;

/* Members that are done. */
typedef struct {
    uint64_t first;
    size_t count;
    const double *values;           /* what varies, of each */
    const double *rows;             /* of each, moment by moment, the kept columns */
    const executor_member *members;
} sweep_chunk;

typedef struct {
    void (*progress)(void *user, const sweep_progress *p); /* after every chunk; NULL: nobody looks */
    const volatile int *stop;                              /* nonzero: end after this chunk; NULL: never */
    /* The next members to be done, instead of those that are missing in order: count 0 ends it. Each lot is committed
       before the next one. NULL: in order. */
    int (*claim)(void *user, uint64_t *first, uint64_t *count);
    int (*chunk)(void *user, const sweep_chunk *chunk);    /* every chunk, once it is done; NULL: nobody looks. Another
                                                              status than 0 ends the run with it */
    double interval;                                       /* seconds between commits at the most; 0: 1 */
    void *user;
} sweep_watch;

/* Compiles the model, resolves names, plans the moments. */
int taut_sweep_create(taut_context *context, const sweep_spec *spec, sweep **result);
/* NULL is allowed. */
void taut_sweep_free(sweep *s);
const executor *taut_sweep_executor(const sweep *s);
/* Members that are done, those that failed among them. */
uint64_t taut_sweep_done(const sweep *s);
uint64_t taut_sweep_failed(const sweep *s);

int taut_sweep_record(sweep *s, const char *path, int replace);
/* The file of a sweep of the same spec, which is locked. */
int taut_sweep_continue(sweep *s, const char *path);
/* The members that are not done, statistics at the end. What a failure leaves is committed as far as it came. */
int taut_sweep_run(sweep *s, const sweep_watch *watch, sweep_progress *result);

/* ---- in memory ---- */

size_t taut_sweep_columns(const sweep *s);
const char *taut_sweep_column_name(const sweep *s, size_t column);
size_t taut_sweep_moments(const sweep *s);
const sweep_moment *taut_sweep_moment(const sweep *s, size_t moment);
const char *taut_sweep_varied_name(const sweep *s, size_t i);
/* Of a sweep without a file, of the members that are done. */
int taut_sweep_statistic_of(sweep *s, size_t moment, size_t column, summary *result);

/* ---- from the file ---- */

/* A spec as the file of an ensemble has it, with a model and a sample of its own. */
typedef struct {
    sweep_spec spec;
    model *m;
    sample *sample;
    definition *definitions;
    char *method, *keep, *at, *table;
} sweep_stored;
int taut_sweep_load(taut_context *context, const record *r, sweep_stored *stored);
void taut_sweep_stored_clear(taut_context *context, sweep_stored *stored);

/* What varies in the model: the numbers that the names of the sample stand for, and the names of their columns
   (start.NAME for start values), which belong to the context. vary has sample->count items. */
int taut_sweep_resolve(taut_context *context, const model *m, const sample *s, executor_vary *vary, char **names);

/* ---- parts together ---- */

/* Files of parts of one ensemble as one: what they say of it must agree, and so must members that two of them have. */
int taut_sweep_merge(taut_context *context, const char *const *paths, size_t count, const char *to, int replace,
                     sweep_progress *result);

#endif
