/* Lowered steps as text for many trajectories at once: C with vector types, a trajectory per lane, Newton's iterations
 * masked per lane; or CUDA C, a trajectory per thread. The operations and their order are those of the tapes, so the
 * bits are those of the interpreter.
 *
 * What a step reads besides state and time are values of setup and constants of its program, from outside of the text.
 * Those that are the same for all members are numbers (`even`), the others have a lane of their own per member
 * (`odd`). */
#ifndef TAUT_ENSEMBLE_TEXT_H
#define TAUT_ENSEMBLE_TEXT_H

#include "base/builder.h"
#include "ensemble/executor.h"
#include "method/method.h"

/* Instructions of a step, at most: compilers take more than linear time. */
enum { TEXT_LONGEST = 4000, TEXT_PROGRAMS = 2 };

/* A program in a text. */
typedef struct {
    program *p;
    unsigned char *varies;   /* of every register: it differs between members */
    uint32_t *place;         /* of every register that is read from outside: its index among those of its kind */
    uint32_t *even, *odd;    /* the registers */
    uint32_t even_count, odd_count;
} text_program;

/* A step length that parts of a step have, with one program. */
typedef struct {
    int program;
    double factor;
    int halved;
    uint32_t even_at, odd_at; /* its numbers in the arrays */
} text_length;

typedef struct {
    taut_context *context;
    text_program programs[TEXT_PROGRAMS];
    int program_count;
    text_length *lengths;
    int length_count;
    int *parts;              /* of a step: their lengths, by index */
    int part_count;
    uint32_t even_count, odd_count; /* of all lengths */
    uint32_t n, c, numbers;  /* of the state's block */
    unsigned char *loaded, *stored; /* numbers of the state that steps read, or write */
    int own_work;            /* the steps add the work that they do */
    int uses_time;
    size_t instructions, registers; /* of the longest program */
} text_plan;

/* TAUT_UNSUPPORTED, with *why instead of a message, where the method is not lowered. varies: the system's constants,
   least and the inverse mass that differ between members, in this order. */
int taut_text_plan_create(taut_context *context, const method *m, const struct system *s, int own_work,
                          const unsigned char *varies, text_plan *p, const char **why);
/* Of programs that read a state (lower/reading.h), instead of steps. */
int taut_text_plan_readings(taut_context *context, const struct system *s, program *const *programs, int count,
                            const unsigned char *varies, text_plan *p);
void taut_text_plan_clear(text_plan *p);
/* The registers that an instruction reads, three at the most; returns how many. */
int taut_text_operands(const program_instruction *c, uint32_t *operands);
/* The numbers from outside for steps of length h with the constants that a system has now. registers: room for
   p->registers. even, odd: NULL, or where they go; odd numbers stand `stride` apart. */
void taut_text_outside(const text_plan *p, const struct system *s, double h, double *registers, double *even,
                       double *odd, size_t stride);

/* A table with an item for each part of a step: where its numbers are, its length, its program. */
typedef enum { TABLE_EVEN, TABLE_ODD, TABLE_LENGTH, TABLE_PROGRAM } text_table;
void taut_text_table(builder *out, const char *storage, const char *type, const char *name, const text_plan *p,
                     text_table what);

/* ---- C with vector types ---- */

/* Steps of `groups` groups of lanes. x: the state's numbers, [group][number][lane]; odd likewise. time: t, what is left
   over of it, h. A lane with done < 0 is none. A lane whose step is left to the general path stays at the beginning of
   that step: done[group lanes + lane] says how many were made of it, and is the number of steps otherwise. */
typedef void lanes_function(double *x, const double *even, const double *odd, double *time, long steps, long *done);
#define LANES_ENTRY "taut_lanes"
int taut_text_lanes(const text_plan *p, int lanes, int groups, builder *out);

/* ---- CUDA C ---- */

#define CUDA_ENTRY "taut_steps"
/* Blocks of threads on a multiprocessor: more of them hide more waiting, fewer leave more registers to each thread. On
   an H200 rattle took 18.3 ps a step with three, 18.5 with two and 18.6 with four; fast 14.5 with four and 15.0 with
   three; em 38.0 with three and 41.6 with two or four; lobatto:s=3 118 with one or two and 123 with four. */
enum { CUDA_BLOCKS = 3, CUDA_BLOCKS_LONG = 2, CUDA_BLOCKS_FAST = 4, CUDA_LONG = 1000 /* instructions */ };
/* The text has the numbers from outside that are the same for all members in `even`, and in single precision in
   `single`. fast: sums of the state without what rounding leaves over. */
int taut_text_cuda(const text_plan *p, int blocks, int fast, builder *out);
/* Are its steps without branches (cuda_direct.c)? Where they have one part, and are judged by the size of corrections. */
int taut_text_cuda_is_direct(const text_plan *p);

/* ---- rows: columns of frames, read off the states (row_text.c) ---- */

/* What a column is made of. */
typedef enum {
    ROW_TIME,
    ROW_STATE,               /* the number `first` of the state's block */
    ROW_SUM,                 /* of the numbers `first` and `first + 1` */
    ROW_OUTPUT,              /* the output `first` of a program */
    ROW_LARGEST              /* |output|, from `first` to `first + count - 1` */
} row_source;
typedef struct {
    row_source source;
    int program;
    uint32_t first, count;
} row_column;

typedef struct {
    text_plan plan;
    size_t checks[TEXT_PROGRAMS]; /* of a program: pairs of pivot and reference, its last outputs */
    const row_column *columns;
    size_t column_count;
} row_text;

/* Rows of `groups` groups of lanes. x and odd as above; time: t, and what is left over of it. rows:
   [group][column][lane]. sure: of a lane, nonzero where its numbers count; the others are for the simulation to
   read. */
typedef void rows_function(const double *x, const double *even, const double *odd, const double *time, double *rows,
                           long *sure);
#define LANE_ROWS_ENTRY "taut_lane_rows"
int taut_text_lane_rows(const row_text *r, int lanes, int groups, builder *out);
/* The kernel's arguments: x, odd, t, t_low, count, rows ([column][member]), sure. */
#define CUDA_ROWS_ENTRY "taut_rows"
int taut_text_cuda_rows(const row_text *r, builder *out);

#endif
