/* The run file of an ensemble (docs/run-file.md): its frames are the kept values of the members, a row for each member
   and kept moment; the tables of this header are in it besides. */
#ifndef TAUT_RECORD_SWEEP_FILE_H
#define TAUT_RECORD_SWEEP_FILE_H

#include <stdint.h>

#include "record/record.h"
#include "record/writer.h"

/* What varies: the name of its column, and its law as given. */
typedef struct {
    const char *name, *law;
} sweep_varied;

/* When values are looked at. kept: they are frames; the others are for the statistics alone. */
typedef struct {
    long step;
    double t;
    int kept;
} sweep_moment;

enum { SWEEP_QUANTILES = 5 };
extern const double taut_sweep_quantiles[SWEEP_QUANTILES]; /* 0.05, 0.25, 0.5, 0.75, 0.95 */

/* ---- writing: all of it becomes part of the file with the next commit of the writer ---- */

typedef struct sweep_writer sweep_writer;

/* The tables of a new file. The writer is still the caller's, and must outlive this. */
int taut_sweep_writer_create(taut_context *context, writer *w, const sweep_varied *varied, size_t varied_count,
                             const sweep_moment *moments, size_t moment_count, sweep_writer **result);
/* Those of a file that is gone on with. */
int taut_sweep_writer_open(taut_context *context, writer *w, sweep_writer **result);
/* NULL is allowed. */
void taut_sweep_writer_close(sweep_writer *s);

typedef struct {
    uint64_t member;
    int failed;
    double t;
    long steps;
    const char *reason;      /* "": none */
} sweep_member;
int taut_sweep_member(sweep_writer *s, const sweep_member *m);
/* Members first .. first + count - 1, all of them finished at t with so many steps. */
int taut_sweep_members_finished(sweep_writer *s, uint64_t first, uint64_t count, double t, long steps);
/* The values of a member at all moments: moment by moment, a number per kept column. */
int taut_sweep_path(sweep_writer *s, uint64_t member, const double *values, size_t count);
/* The sums over members first .. last, which take the place of those that begin at the same member. */
int taut_sweep_sums(sweep_writer *s, uint64_t first, uint64_t last, const void *bytes, size_t size);

typedef struct {
    size_t moment, column;   /* column: among the kept ones */
    uint64_t count;
    double mean, sd, lowest, highest;
    const double *quantiles; /* SWEEP_QUANTILES; NULL: none */
} sweep_statistic;
/* Removes all statistics and histograms. */
int taut_sweep_forget(sweep_writer *s);
int taut_sweep_statistic(sweep_writer *s, const sweep_statistic *x);
/* counts: of bins of equal width from low to high. */
int taut_sweep_histogram(sweep_writer *s, size_t moment, size_t column, double low, double high, const uint64_t *counts,
                         size_t bins);

/* ---- reading ---- */

/* 1: the file is that of an ensemble. */
int taut_sweep_is(const record *r);
/* Refuses one of an ensemble, for what is about single runs: `what` cannot be done with it. */
int taut_sweep_refuse(const record *r, const char *what);

/* Each calls back for every row, in the order of members (moments and columns); a status other than 0 ends it. */
int taut_sweep_read_varied(record *r, int (*take)(void *user, const sweep_varied *v), void *user);
int taut_sweep_read_moments(record *r, int (*take)(void *user, const sweep_moment *m), void *user);
int taut_sweep_read_members(record *r, int (*take)(void *user, const sweep_member *m), void *user);
int taut_sweep_read_paths(record *r, int (*take)(void *user, uint64_t member, const double *values, size_t count),
                          void *user);
int taut_sweep_read_sums(record *r,
                         int (*take)(void *user, uint64_t first, uint64_t last, const void *bytes, size_t size),
                         void *user);
int taut_sweep_read_statistics(record *r, int (*take)(void *user, const sweep_statistic *x), void *user);
int taut_sweep_read_histograms(record *r,
                               int (*take)(void *user, size_t moment, size_t column, double low, double high,
                                           const char *counts),
                               void *user);

/* ---- parts together ---- */

/* A new file with the columns, properties and settings of the part, and its tables, all without members. Its
   transaction is open. */
int taut_sweep_join_begin(taut_context *context, record *part, const char *path, writer **w, sweep_writer **s);
/* The members of a part are among those that the file will have: for all parts, before the first of them is added. */
int taut_sweep_join_list(sweep_writer *s, writer *w, const char *part);
/* Adds members, frames and paths of a part; frames are in the order of members. Those that are there already must be
   the same. Sums are left to the caller. */
int taut_sweep_join_add(sweep_writer *s, writer *w, const char *part);
/* Removes the path of a member; all sums. */
int taut_sweep_drop_path(sweep_writer *s, uint64_t member);
int taut_sweep_drop_sums(sweep_writer *s);

#endif
