/* What the page of a comparison shows of the runs themselves: energies and positions over time, for each method with
   the first of its steps. */
#ifndef TAUT_REPORT_COMPARE_TRACE_H
#define TAUT_REPORT_COMPARE_TRACE_H

#include "report/picture.h"
#include "run/compare.h"

/* One run. */
typedef struct {
    long count, capacity;    /* of frames */
    double *t, *energy;      /* less work, where the run has it; its change since the first frame */
    float *motion;           /* the moving places of the picture, frame by frame */
    size_t *sources;         /* columns of its engine: time, energy, work, then the coordinates of the picture */
    wide first;              /* energy */
} trace;

typedef struct {
    taut_context *context;
    const engine_api *api;
    const compare_options *options;
    picture *shown;
    float *still, *places;   /* all places in the first frame, and in the present one */
    double *values;          /* of the picture's coordinates */
    trace *runs;             /* per row of the comparison */
    int run_count;
} compare_trace;

/* Sets options->frame and what belongs to it. Clear it also after a failure. */
int taut_compare_trace_begin(compare_trace *z, model *m, const engine_api *api, compare_options *options);
void taut_compare_trace_clear(compare_trace *z);

#endif
