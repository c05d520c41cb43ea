/* The consistent start: free values are found from the constraints, the rest is checked. */
#ifndef TAUT_SOLVE_START_H
#define TAUT_SOLVE_START_H

#include "base/words.h"
#include "solve/kkt.h"
#include "system/state.h"

typedef struct {
    uint32_t free_q, free_w;   /* how many values were solved for */
    real moved_q, moved_w;     /* largest change by projection; 0 where it only polishes, to 1e-13 */
    uint32_t dependent;        /* constraints that depend on others, and agree with them */
    char names[160];           /* of the first of these */
    int singular;              /* they depend on each other at the start, and not beside it */
    int as_is;                 /* START_AS_IS: constraints need not be met */
    int unmet;                 /* failed as constraints are not met, or not for long: their rank here says nothing */
} start_report;

/* Fills x (t = 0). Failures say which constraint misses and by how much, which contradict each other, or which is
   redundant. Of a model with start_points only the first positions are there: velocities and momenta are zero. */
int X(start_state)(struct system *s, start_mode mode, state *x, start_report *report);
/* The second positions of start_points, at time t, as a state like x; adds to the report. */
int X(start_second_point)(struct system *s, start_mode mode, real t, state *x, start_report *report);
/* Moves q, then w, of any state onto the constraints of its time in the metric of the mass matrix; p follows. What
   compensated summation had left over is dropped. */
int X(start_project)(struct system *s, state *x);
/* The same, many times: x is a state of s, which is not one on phase space. */
typedef struct projector projector;
int X(projector_create)(struct system *s, projector **result);
void X(projector_destroy)(projector *p);
int X(projector_apply)(projector *p, state *x);

#endif
