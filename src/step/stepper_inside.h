/* Inside of a stepper, for the files of this folder. */
#ifndef TAUT_STEP_STEPPER_INSIDE_H
#define TAUT_STEP_STEPPER_INSIDE_H

#include "lower/program.h"
#include "step/phase.h"
#include "step/stepper.h"

struct stepper {
    struct system *s;
    step_table table;
    step_functions functions;
    element_graph graph;
    step_work work;
    step_compiled phases[STEP_PHASES], results;
    int needs[STEP_KNOWN];            /* which of the known vectors occur, by index + STEP_KNOWN */
    newton newton;
    newton_counts counts;             /* of both paths */
    int general_alone;                /* lowered is not used */
    program *lowered;                 /* the same step as straight-line code; NULL: too large */
    const char *why, *why_fields;     /* as in step_path */
    struct step_tangent *tangent;     /* tangent.h; NULL: not prepared */
    void *room;                       /* of the numbers of everything */
};

/* The unknowns of the step from x, by the general path: they are in the workspace. */
int X(stepper_solve)(stepper *r, const state *x, real h);

#endif
