/* What the files of taut_ensemble share. */
#ifndef TAUT_LIBRARY_ENSEMBLE_H
#define TAUT_LIBRARY_ENSEMBLE_H

#include "base/pool.h"
#include "library/library.h"

typedef struct {
    const taut_simulation *prototype;
    taut_run run;
    size_t members, row_size;    /* row_size: numbers of all rows of a member */
    const taut_vary *vary;
    size_t vary_count;
    const double *values;
    double *rows;
    int *statuses;
    void *saved;                 /* the prototype */
    size_t saved_size;
    int varies_param, varies_state, w_kind;
    unsigned char *done;         /* of a member: in lanes */
    struct ensemble_worker *workers;
    int worker_count;
    pool *pool;
    size_t first;                /* member of the pieces that the pool works on */
} ensemble;

typedef struct ensemble_worker {
    ensemble *e;
    taut_context *context;
    taut_simulation *z;
    double *state;               /* q, then w */
    /* of the first member that failed in this thread */
    size_t failed;
    int status;
    char message[TAUT_ERROR_TEXT];
} ensemble_worker;

/* ensemble.c: makes the worker's simulation the member, where it begins. */
int taut_ensemble_open(ensemble_worker *w, size_t member);

/* ensemble_lanes.c: the members that lanes compute, where that is worth it; those that fail there are not done. */
int taut_ensemble_lanes(ensemble *e);

#endif
