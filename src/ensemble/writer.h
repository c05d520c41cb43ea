/* What the two texts have in common, for the files of this folder. */
#ifndef TAUT_ENSEMBLE_WRITER_H
#define TAUT_ENSEMBLE_WRITER_H

#include "ensemble/text.h"
#include "lower/emit.h"

/* What is known of a register: it is a truth; it is declared in front of the block that computes it; it is read behind
   loops that compute it; it is declared. */
enum { TEXT_IS_TRUTH = 1, TEXT_GOES_OUT = 2, TEXT_IS_READ_LATER = 4, TEXT_STANDS = 8 };

typedef struct text_writer {
    const text_plan *plan;
    const text_program *t;
    const step_flow *f;      /* that is written, of t->p */
    builder *out;
    int lanes;               /* numbers that vary are vectors; 0: all are numbers */
    int fast;                /* what sums leave over counts as zero */
    unsigned char *varies;   /* of every register of the flow, as its value is in the text */
    unsigned char *written;  /* its value is there */
    unsigned char *writes;   /* instructions that compute it: none, one, or more */
    unsigned char *facts;
    uint32_t *passing;       /* the instruction whose value, a constant of its own, it has for the moment; or 0 */
    int fuses;               /* there are sums of products */
    uint32_t in_order, in_order_end; /* values of a straight flow in between are computed in its order */
    int is_inside;           /* of an iteration, where numbers of the state and from outside are read from memory */
    int section;             /* numbers of the state and from outside are loaded again in each */
    unsigned char *depth;    /* processor's registers that its value takes to compute, about */
    const program_instruction **source; /* what computes it, outside of iterations; NULL: nothing does */
    const program_instruction **inside; /* the same in iterations */
    unsigned char *roughly;  /* of a value: only verdicts read it, and it need not be exact; or NULL */
    unsigned char *single;   /* of a rough value: it is in single precision */
    int guards;              /* what 1/x needs is seen to later */
} text_writer;

/* How a register is written. */
typedef struct {
    char text[48];
} text_operand;

void taut_text_put(text_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Functions of the elementary text that the plan's programs need, and operations of lanes. */
int taut_text_prelude(const text_plan *p, int lanes, builder *out);
/* The writer turns to a flow of a program. */
int taut_text_begin(text_writer *w, const text_program *t, const step_flow *f);
void taut_text_end(text_writer *w);

/* ---- registers (text.c) ---- */

text_operand taut_text_name(const text_writer *w, uint32_t r);
/* The same where a vector is needed. */
text_operand taut_text_vector(const text_writer *w, uint32_t r);
/* A truth, of all lanes where it is a mask. */
text_operand taut_text_truth(const text_writer *w, uint32_t r, int is_mask);
const char *taut_text_type(const text_writer *w, uint32_t r);
/* The value of a literal. Returns 0 where it is not one. */
int taut_text_literal(const text_writer *w, uint32_t r, double *value);
/* Is it this literal? */
int taut_text_weighs(const text_writer *w, uint32_t r, double weight);
/* The index of a register that is read from outside; UINT32_MAX: it is not. */
uint32_t taut_text_place(const text_writer *w, uint32_t r);
/* A number of the new state, or a report. */
int taut_text_is_put_out(const text_writer *w, uint32_t r);
/* A number of the state that does not count: of q_low and p_low, in fast steps. */
int taut_text_is_left_over(const text_writer *w, uint32_t r);
/* The register outside of iterations that is the sum of two; UINT32_MAX: there is none. */
uint32_t taut_text_sum(const text_writer *w, uint32_t a, uint32_t b);

/* ---- values (text.c) ---- */

/* What an instruction computes, and the same as a constant of its own. */
void taut_text_value(text_writer *w, const program_instruction *c);
void taut_text_instruction(text_writer *w, const program_instruction *c, const char *indent);
/* The value of a register, with all that it needs and that is not there yet, outside of iterations: late and depth
   first, so that few values wait at a time. Operations are those of the flow; when they are done changes no bit. */
void taut_text_need(text_writer *w, uint32_t r);
/* Behind an iteration: a number that is in memory anyway is not worth a register, or a second place in memory, across
   it. */
void taut_text_section(text_writer *w);

/* ---- measures (measures.c) ---- */

/* Values that only verdicts read are put into single precision, and verdicts become pairs, of what is surely so and of
   what surely is not. For flows that are relative. */
int taut_text_begin_roughly(text_writer *w);
text_operand taut_text_single(const text_writer *w, uint32_t r);
/* The verdict that an instruction is, or its opposite; and the name of the opposite. */
void taut_text_rough(text_writer *w, const program_instruction *c, int is_not);
text_operand taut_text_not(const text_writer *w, uint32_t r);
/* Sees to it that single precision has room for a value. */
void taut_text_guard(text_writer *w, const program_instruction *c);

/* ---- flows ---- */

/* The flow with its loops and conditions, or a straight one (flow_text.c). In lanes the new state goes to y, lanes whose
   step is left are added to `left` or `other`, and what may not be finite to `sum`; a thread returns 1 instead. */
int taut_text_flow(text_writer *w);
/* What is expected of a flow of the program (lower/expect.h), which the caller clears (straight.c). factors: NULL, or of
   each coordinate the register of the constant that makes its velocity of its momentum, where velocities need not be
   kept; factors[0] is UINT32_MAX where they must. */
int taut_text_straight(text_writer *w, const text_program *t, const step_flow *from, int which, step_flow *f,
                       uint32_t *factors);
/* Is there a mixed way? */
static inline int text_goes_further(const program *p)
{
    int further = 0;
    for (int k = 0; k < p->phase_count; k++) further |= p->phases[k].further_count > 0;
    return further;
}

/* ---- CUDA C ---- */

/* What stands before (cuda_text.c). */
void taut_text_cuda_begin(int blocks, builder *out);
/* Time at the end of a step. */
void taut_text_cuda_time(text_writer *w, const char *from, const char *from_low, const char *h, const char *indent);
/* What expected steps need, such steps, and the kernel (cuda_direct.c). */
int taut_text_cuda_direct(text_writer *w, const step_flow *relative);

#endif
