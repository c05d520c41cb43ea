/* What a method declares against what it does on a model. Independent of precision. */
#ifndef TAUT_RUN_VERIFY_H
#define TAUT_RUN_VERIFY_H

#include "run/crew.h"
#include "run/engine.h"
#include "run/progress.h"

typedef enum {
    VERDICT_HOLDS,           /* declared, and so */
    VERDICT_FAILS,           /* declared, and not so */
    VERDICT_UNDECIDED,       /* declared; the measurement does not decide, the note says why */
    VERDICT_NOT_APPLICABLE,  /* the model has nothing to keep; the note says why */
    VERDICT_KEPT,            /* not declared, yet kept on this model */
    VERDICT_NOT_KEPT,        /* not declared, not kept */
    VERDICT_NO_TREND, VERDICT_TREND, VERDICT_ROUND_OFF, VERDICT_TOO_SHORT, /* of the energy */
    VERDICT_NO_RETURN,       /* of the energy: it has a trend, and so has the motion */
    VERDICT_MEASURED         /* a number without a judgement */
} verdict;
const char *taut_verdict_text(verdict v);

typedef struct {
    char property[24], declared[12], measured[48], note[500];
    wide value;              /* what was measured, and */
    wide limit;              /* what would still be the measurement's own error; NaN where there is none */
    verdict verdict;
} verify_row;

typedef struct {
    /* Small defects are measured with this engine, in the widest precision there is ... */
    const engine_api *api;
    void *engine;
    /* ... and the energy over a long time with this one, which may be the same. */
    const engine_api *long_api;
    void *long_engine;
    wide step, until;        /* 0: chosen */
    wide period;             /* of the motion; 0: searched for */
    /* For several threads, each measurement with engines of its own: the model, and what the engines were made with.
       NULL: one thread. */
    model *m;
    crew crew;
    const engine_options *create;
    run_progress *progress;  /* NULL: nobody looks */
} verify_options;

#define VERIFY_ROWS 20
typedef struct {
    verify_row rows[VERIFY_ROWS];
    int count;
    wide step, until;        /* used */
    long steps;              /* of the runs in the wider precision */
} verify_result;

/* Fails only when the model does not run under the method with this step. */
int taut_verify_run(taut_context *context, const verify_options *options, verify_result *result);
/* A new row, not applicable until set otherwise. */
verify_row *taut_verify_add_row(verify_result *result, const char *property);
/* How many rows have this verdict. */
int taut_verify_count(const verify_result *result, verdict v);

#endif
