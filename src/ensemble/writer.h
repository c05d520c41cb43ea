/* What the two texts have in common, for the files of this folder. */
#ifndef TAUT_ENSEMBLE_WRITER_H
#define TAUT_ENSEMBLE_WRITER_H

#include "ensemble/text.h"
#include "lower/emit.h"

/* Velocities that are momenta times constants (speeds.c). */
typedef struct {
    uint32_t size;           /* the register of the size of the largest; UINT32_MAX: it is not so */
    uint32_t unit;           /* the larger one of it and something else */
    uint32_t *factors;       /* of a coordinate: the register of its constant */
    unsigned char *counts;   /* its velocity is among those that are read */
} text_speeds;

typedef struct text_writer {
    const text_plan *plan;
    const text_program *t;
    builder *out;
    int lanes;               /* numbers that vary are vectors; 0: all are numbers */
    int fast;                /* what sums leave over counts as zero */
    unsigned char *varies;   /* of every register of t->p, as its value is in the text */
    unsigned char *written;  /* its value is there */
    int is_inside;           /* of an iteration, where numbers of the state and from outside are read from memory */
    int section;             /* numbers of the state and from outside are loaded again in each */
    unsigned char *depth;    /* processor's registers that its value takes to compute, about */
    const program_instruction **source; /* what computes it, outside of iterations; NULL: nothing does */
    const program_instruction **inside; /* the same in iterations */
    unsigned char *roughly;  /* of a value: only measures read it, and it need not be exact (cuda_text.c); or NULL */
    unsigned char *single;   /* of a rough value: it is in single precision (cuda_direct.c); or NULL */
    int guards;              /* what 1/x needs is seen to later */
    int guesses;             /* fast: in place of a trend the state has what the next step begins with */
    const text_speeds *speeds; /* lanes: the size is made from momenta, by put_speed; or NULL */
    void (*put_speed)(struct text_writer *w);
} text_writer;

/* How a register is written. */
typedef struct {
    char text[48];
} text_operand;

void taut_text_put(text_writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The writer turns to a program. */
int taut_text_begin(text_writer *w, const text_program *t);
text_operand taut_text_name(const text_writer *w, uint32_t r);
/* The same where a vector is needed. */
text_operand taut_text_vector(const text_writer *w, uint32_t r);
/* Is the weight of a correction this literal? */
int taut_text_weighs(const text_writer *w, uint32_t r, double weight);
const char *taut_text_type(const text_writer *w, uint32_t r);
/* The instructions of a tape, each a constant of its own. */
void taut_text_tape(text_writer *w, const segment *tape, const char *indent);
/* The register of a tape outside of iterations that is the sum of two; UINT32_MAX: no tape has it. */
uint32_t taut_text_sum(const text_writer *w, uint32_t a, uint32_t b);
/* The value of a register, with all that it needs and that is not there yet, outside of iterations: late and depth
   first, so that few values wait at a time. Operations are those of the tapes; when they are done changes no bit. */
void taut_text_need(text_writer *w, uint32_t r);
/* Values of which nothing but weights and units of corrections is made, by products and extremes, become rough
   ones. */
int taut_text_begin_roughly(text_writer *w);
/* All that an iteration reads from before it. */
void taut_text_need_for(text_writer *w, const program_phase *f);
/* Behind an iteration: a number that is in memory anyway is not worth a register, or a second place in memory, across
   it. */
void taut_text_section(text_writer *w);
void taut_text_end(text_writer *w);
/* A measure in single precision. */
text_operand taut_text_single(const text_writer *w, uint32_t r);
/* w: after taut_text_begin. */
int taut_text_find_speeds(text_writer *w, text_speeds *v);
/* Coordinates whose velocities count and have one factor; the first of them. */
int taut_text_are_together(const text_speeds *v, uint32_t i, uint32_t k);
int taut_text_is_first(const text_speeds *v, uint32_t i);
void taut_text_forget_speeds(const text_writer *w, text_speeds *v);
/* Functions of the elementary text that the plan's programs need, the judge of iterations, measures. */
int taut_text_prelude(const text_plan *p, int lanes, builder *out);
/* What stands before a text in CUDA C: cuda_text.c. */
void taut_text_cuda_begin(int blocks, builder *out);

/* ---- steps in CUDA C (cuda_text.c) ---- */

/* Is it judged by more than the least size of its pivots? */
static inline int text_looks_at_pivots(const program_phase *f) { return f->iteration.linear || f->iteration.twice; }
/* Are quickN steps written for it: does every phase end by a quick verdict in most steps? */
int taut_text_cuda_has_quick(const program *p);
/* The corrections of a round. */
void taut_text_cuda_correction(text_writer *w, const program_phase *f);
/* The new state, behind all of a step that may leave it; its velocities may be made later. */
void taut_text_cuda_results(text_writer *w, int without_velocities);
/* Time at the end of a step. */
void taut_text_cuda_time(text_writer *w, const char *from, const char *from_low, const char *h, const char *indent);

/* ---- steps without branches (cuda_direct.c) ---- */

/* What its functions need, the functions, and the kernel. */
int taut_text_cuda_direct(text_writer *w);

#endif
