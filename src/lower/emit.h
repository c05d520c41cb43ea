/* A lowered step as C text: one function that does what the interpreter does, with the same operations in the same
 * order, so with the same bits. In double alone. */
#ifndef TAUT_LOWER_EMIT_H
#define TAUT_LOWER_EMIT_H

#include "lower/program.h"

/* What the text defines. Returns 0 where the step was made, and 1 where it is left to the general path; then x is as it
   was. */
typedef int code_function(
    int first,                /* h or a constant is another than in the last call: fills s anew */
    const double *k,          /* constants, as in the first registers */
    double *s,                /* values of setup, program_setup_count numbers; kept between calls */
    double *x,                /* the state's block */
    const double *time,       /* t0, what compensated summation left over of it, t1, t1 - t0, h */
    const double *inputs,     /* unknowns that are set from outside */
    double *reported,         /* the multipliers that the method reports, if others than those of the state */
    long *counts);            /* iterations, matrices: added to */

/* Values of setup, at the most. */
uint32_t X(program_setup_count)(const program *p);
/* The text; *text is allocated. NULL without a failure: the step is too long to be compiled in a reasonable time. */
int X(program_emit)(const program *p, const char *name, char **text, size_t *length);

#endif
