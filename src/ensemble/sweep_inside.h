/* What the files of a sweep share. */
#ifndef TAUT_ENSEMBLE_SWEEP_INSIDE_H
#define TAUT_ENSEMBLE_SWEEP_INSIDE_H

#include "ensemble/lyapunov.h"
#include "ensemble/statistics.h"
#include "ensemble/sweep.h"
#include "record/sweep_file.h"

struct sweep {
    taut_context *context;
    sweep_spec spec;
    executor_vary *vary;
    char **varied;           /* names of their columns */
    executor *executor;
    lyapunov *exponents;     /* NULL: none */
    size_t *columns;         /* kept, of the executor's */
    char (*names)[256];      /* of the kept columns */
    size_t column_count, own_count; /* own: of the executor; the last one may be the exponent */
    sweep_moment *moments;
    size_t moment_count, kept_count;
    executor_leg *legs;
    size_t leg_count;
    double steps_each;       /* of a member */
    /* members whose values at all moments are kept: those whose key is at most this */
    uint64_t path_key;
    /* the file */
    writer *writer;
    sweep_writer *file;
    unsigned char *done;     /* a bit per member, from first on */
    uint64_t done_count, failed_count;
    /* sums of the members from .. to, one after the other */
    statistics sums;
    uint64_t from, to;       /* to < from: none yet */
    /* a chunk */
    size_t capacity;
    double *values, *rows, *frame;
    double *raw, *exponent;  /* of the executor, and of the exponents, on their way into rows */
    executor_member *members;
    /* without a file: what quantiles and histograms are made of (sweep_memory.c) */
    double *paths;           size_t path_count, path_capacity;
    double *kept;            size_t kept_members, kept_capacity; /* of each member the kept moments */
    double *column;          size_t column_capacity; /* values of a cell */
};

/* More frames than these are not read for quantiles: the paths are enough. */
enum { SWEEP_FRAMES_MOST = 10000000 };

/* sweep.c */
uint64_t taut_sweep_key(uint64_t seed, uint64_t member);
/* The key of the last of `most` members among first .. last. */
int taut_sweep_path_key(taut_context *context, uint64_t seed, uint64_t first, uint64_t last, size_t most,
                        uint64_t *key);

/* sweep_memory.c: a member of a sweep without a file, for its statistics. */
int taut_sweep_remember(sweep *s, uint64_t member, const double *rows);
void taut_sweep_memory_clear(sweep *s);

/* sweep_finish.c: statistics and histograms of what is committed in the file. */
int taut_sweep_summarise(taut_context *context, const char *path, sweep_writer *to, unsigned stats);

#endif
