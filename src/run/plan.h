/* The plan of a run: how many steps lead from one time to another, how long the last one is, and after which of them
 * something is looked at or a frame is taken. Pure functions; every loop over steps (runs, the library, tables of
 * errors, ensembles) takes its steps from here, so all of them end at the same time, with the same bits:
 *
 *     run_plan plan = taut_run_plan(begin, until, h);
 *     run_walk walk = taut_run_walk(&plan, 0, look_every, frame_every);
 *     while (walk.done < plan.steps) {
 *         run_leg leg = taut_run_next(&walk, most);             (leg.steps steps of the same length,
 *         ...  the length is taut_run_length(&plan, &leg, t)      or one shorter step)
 *         int due = taut_run_done(&walk, leg.steps);            (RUN_LOOK, RUN_FRAME, RUN_END)
 *     }
 */
#ifndef TAUT_RUN_PLAN_H
#define TAUT_RUN_PLAN_H

#include "base/wide.h"

typedef struct {
    wide begin, until, step; /* step < 0: backwards in time */
    long steps;              /* in all; 0: the end is reached already; -1: such steps do not lead there, or too many */
    int partial;             /* the last one is shorter, and ends exactly at `until` */
} run_plan;

/* All steps are whole where the end is a multiple of the step up to 1e-9 of itself: then the numbers were meant so and
   were written with as many digits, and the run ends where its whole steps lead. An end that is less than 1e-9 steps
   away is reached already. */
run_plan taut_run_plan(wide begin, wide until, wide step);
/* The number of equal steps, where the step divides the time; otherwise 0. */
long taut_run_plan_divides(const run_plan *p);

/* Every how many steps something happens that may happen `most` times. */
long taut_run_stride(long steps, long most);
/* The first multiple of `every` after n; -1 where `every` is 0. */
long taut_run_next_multiple(long n, long every);
/* Rows of so many steps: at the start, every so many steps, and at the end. */
size_t taut_run_plan_rows(long steps, long every);

/* Where a run is on its plan. */
typedef struct {
    run_plan plan;
    long done;                   /* steps */
    long look_every, frame_every; /* 0: never */
    long next_look, next_frame;  /* the steps after which they are due; -1: never */
} run_walk;

/* Steps of one length. */
typedef struct {
    long steps;
    int shorter;                 /* one step, which ends at `until` */
} run_leg;

enum { RUN_LOOK = 1, RUN_FRAME = 2, RUN_END = 4 };

run_walk taut_run_walk(const run_plan *p, long done, long look_every, long frame_every);
/* The steps up to the next one after which something is due, `most` at the most. Some are left. */
run_leg taut_run_next(const run_walk *w, long most);
/* The length of a leg's steps, which begins at the time t. */
wide taut_run_length(const run_plan *p, const run_leg *leg, wide t);
/* So many of the leg's steps were taken: a sum of RUN_LOOK, RUN_FRAME, RUN_END. At the end, looks and frames that are
   ever due are due. */
int taut_run_done(run_walk *w, long steps);

#endif
