/* A lowered step as C text: one function that does what the interpreter does, with the same operations in the same
 * order, so with the same bits. In double alone; files for people (compile/compile.h) may be in float. */
#ifndef TAUT_LOWER_EMIT_H
#define TAUT_LOWER_EMIT_H

#include "base/builder.h"
#include "lower/program.h"

/* What the text defines. Returns FLOW_DONE where the step was made; otherwise why not (flow.h), and x is as it was. */
typedef int code_function(
    int first,                /* h or a constant is another than in the last call: fills s again */
    const double *k,          /* constants, as in the first registers */
    double *s,                /* values of setup, program_setup_count numbers; kept between calls */
    double *x,                /* the state's block */
    const double *time,       /* t0, what compensated summation left over of it, t1, t1 - t0, h */
    const double *inputs,     /* unknowns that are set from outside */
    double *reported,         /* the multipliers that the method reports, if others than those of the state; or what a
                                 program that reads a state puts out, which leaves x alone and needs no counts */
    long *counts);            /* FLOW_COUNTS of them: added to */

/* Values of setup, at the most. */
uint32_t X(program_setup_count)(const program *p);
/* The text; *text is allocated. */
int X(program_emit)(const program *p, const char *name, char **text, size_t *length);

/* ---- parts, for files that hold several steps ---- */

typedef struct {
    unsigned char is_used[OP_COUNT];     /* operations */
    int fuses;                           /* sums of products */
    int measures, checks;                /* sizes of several corrections; pivots */
} emit_functions;

/* Adds the operations of the program's tapes. */
void X(program_mark_functions)(const program *p, emit_functions *used);
/* What must stand before: elementary functions, the type `number`. single: float. */
void X(emit_prelude)(builder *out, const emit_functions *used, int single);
/* The function; *setup_count: values of setup that it keeps. fixed: what the system gives (symbols.h) are literals, and
   k has the constants alone. */
int X(program_emit_function)(const program *p, const char *name, int is_static, int single, int fixed,
                             uint32_t *setup_count, builder *out);
/* An operation on operands as text. */
void X(emit_operation)(builder *out, op o, const char *a, const char *b, int32_t n, int single);
/* A literal. */
void X(emit_number)(double value, int single, char *buffer, size_t size);
/* Makes the text fit for a comment, in place. */
void X(emit_comment)(char *text);

#endif
