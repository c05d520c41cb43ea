/* Members of the public interface: what their files share. */
#ifndef TAUT_LIBRARY_MEMBERS_H
#define TAUT_LIBRARY_MEMBERS_H

#include "base/builder.h"
#include "ensemble/sweep.h"
#include "library/library.h"

typedef struct {
    uint64_t member, steps;
    int status;
    double t;
    char *reason;
} member_failure;

struct taut_members {
    taut_context *context;
    model *m;                    /* of its own, with the values of the prototype; NULL: that of the file */
    char *method, *keep, *table_name;
    definition *definitions;     /* for the file; the strings are its own */
    size_t definition_count;
    builder table, at;           /* CSV of the values, for a file; times with commas between them */
    sample *sample;
    sweep_stored stored;         /* of a file that is gone on with: what the spec points to */
    sweep *sweep;
    sweep_spec spec;
    size_t times;                /* kept moments */
    member_failure *failures;           size_t failure_count, failure_capacity;
    /* of a run */
    taut_members_run_options run;
    double *rows;                size_t row_capacity; /* of a chunk, where the user has no memory for all */
    double begun;
    int stop;
    volatile int stops;          /* what the sweep looks at */
};

/* What members are made from. */
typedef struct {
    const taut_simulation *prototype; /* or */
    const taut_model *model;
    const char *method;
    wide tolerance;
    start_mode start;
    int native;
} members_source;

#endif
