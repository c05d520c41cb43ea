/* A lowered step: tapes over one flat array of numbers, and the iteration around them.
 *
 * The numbers ("registers") are, in this order: the system's table of constants, h, and what else the system gives
 * (symbols.h); the numbers of the state's block
 * and of the step's times; the unknowns of the table; literals; values of the tapes. A tape is a range of instructions.
 *
 *     setup      what depends on constants and h alone; run when h changes
 *     per phase  begin     what does not depend on its unknowns; guesses
 *                residual  of the equations that are left
 *                factor    what else Newton's matrix and its elimination need, at the place of the residual
 *                solve     the correction
 *                further   corrections after two with one matrix, where these are not enough: one of two tapes
 *     results    the new state
 *
 * A program that reads a state (reading.h) has no phases, and outputs for results. */
#ifndef TAUT_LOWER_PROGRAM_H
#define TAUT_LOWER_PROGRAM_H

#include "base/words.h"
#include "kernel/tape.h"
#include "lower/iteration.h"
#include "system/multiplier_growth.h"
#include "system/state.h"

/* Operations besides those of expr/ops.h. The sums of products are rounded once (in double), by all who execute them. */
enum {
    PROGRAM_MOVE = OP_COUNT,  /* a */
    PROGRAM_MULTIPLY_ADD,     /* a b + c */
    PROGRAM_MULTIPLY_SUBTRACT, /* a b - c */
    PROGRAM_SUBTRACT_PRODUCT, /* c - a b */
    PROGRAM_END,              /* of a tape */
    PROGRAM_OPERATIONS
};

typedef struct {
    uint32_t op, target, a, b, c; /* registers; b is the number where op_has_number */
} program_instruction;

/* Machine code of tapes, one after the other. Returns the size of a correction; of results that become the new state:
   zero, or no number where one of them is none, and the state is as it was. state: its block, which is read instead of
   the copy among the registers. */
typedef real program_round(real *registers, real *state);

typedef struct {
    program_instruction *code;
    uint32_t count;
    size_t capacity;
    program_round *machine;   /* the same as machine code (machine.h), of setup and results; NULL: it is interpreted */
} segment;

typedef struct {
    uint32_t pivot, reference; /* registers */
} program_check;

/* Corrections after two with one matrix, where these are not enough: one where that will do, several otherwise. */
enum { FURTHER_ONCE, FURTHER_MORE, PROGRAM_FURTHER };
typedef struct {
    segment tape;
    uint32_t *sums;           /* registers: the sum of the corrections */
    program_round *machine;   /* or NULL */
} program_further;

typedef struct {
    segment begin, residual, factor, solve;
    program_further further[PROGRAM_FURTHER];
    int further_count;        /* both, or none */
    uint32_t size;            /* unknowns that are solved for */
    uint32_t *unknowns, *guesses, *residuals, *changes, *weights; /* registers, `size` each */
    uint32_t unit;            /* register: what weights times changes are compared with */
    uint32_t *seconds;        /* the corrections after these with the same matrix (iteration.twice); NULL: none */
    uint32_t *lasts;          /* the last of several further corrections; NULL: there are none */
    program_check *checks;
    uint32_t check_count;
    iteration iteration;      /* when it ends; in quad with tolerances that are rounded to double, near enough */
    const char *what;         /* is solved for */
    /* Rounds of the iteration as machine code, or NULL: the first, with begin and the guesses unless these are apart;
       with a new matrix; with that of an earlier round. The correction is part of them. */
    program_round *prepared, *first, *renewed, *again;
} program_phase;

/* Numbers behind the registers, for machine code; one is the size of the first of two corrections, and from
   PROGRAM_PASSING on they are for what is needed for a moment. */
enum { PROGRAM_BEFORE = 4, PROGRAM_PASSING, PROGRAM_WORK = PROGRAM_PASSING + 48 };

/* Steps of one length. Compositions take a few in turn. */
enum { PROGRAM_LENGTHS = 10 };
typedef enum { WAY_FITS, WAY_LESS, WAY_MORE, WAY_OTHER } program_way; /* of a step that a function is tried for */
enum { PROGRAM_WHOLE = 4 };   /* functions for whole steps, at most */
typedef struct {
    real *registers;          /* with what setup computes */
    real h;                   /* of setup; 0: never run */
    unsigned constants_version;
    int expected;             /* of `whole`, for the next step; -1: none */
    int after[PROGRAM_WHOLE]; /* what came the last time after each of them: a composition has two steps of a length */
    int last;                 /* of them; -1: another way */
    int failed;               /* none of those that were tried was what happens in this step */
    int misses, pause;        /* times that this was so in a row; steps before the next try */
} program_length;

/* Where the trend is in the block of a state, after lambda, t_lambda, work, work_low and step; the change follows. */
static inline uint32_t program_trend_at(uint32_t n, uint32_t c) { return 5 * n + c + 4; }

typedef struct program {
    struct system *s;
    taut_context *context;
    uint32_t register_count;
    uint32_t constant_count;  /* of the system; then come `others`, then h, then what the system gives */
    uint32_t other_count, given_count;
    int is_picky;             /* other values of constants might lead to another program, not only to other numbers */
    const real *others;
    uint32_t state_first, state_count; /* registers of the state's block; the times follow (symbols.h) */
    uint32_t unknown_first, unknown_count;
    uint32_t literal_first, literal_count;
    real *literals;
    segment setup, results;
    program_phase *phases;
    int phase_count;
    /* Registers of results. */
    uint32_t *move, *push, *w, *lambda; /* n, n, n, c; w and lambda may be NULL: p; as it was */
    uint32_t *trend, *change; /* c and 2c, or NULL: as it was */
    uint32_t work;
    int has_work;
    uint32_t *reported;       /* c, or NULL */
    int sets_momentum;
    real lambda_time;         /* negative: none */
    uint32_t *outputs, output_count; /* of a program that reads a state, and has none of the results above; or NULL */
    uint32_t *inputs, input_count; /* unknowns of the table that are set from outside */
    void *pages;              /* machine code of the tapes, or NULL */
    /* Whole steps as one function of machine code each, for so many rounds in all: zero where the iterations went that
       way; otherwise the state is as it was, and the function before it is more likely (1), or the one after it (2). */
    struct {
        program_round *code;
        long rounds, factorisations, calls, further; /* further: as in the program */
    } whole[PROGRAM_WHOLE];
    size_t pages_size;
    int machine_finishes;     /* it writes the new state, too; otherwise the old one is copied, and C writes it */
    /* C made of it (emit.h), in double: NULL while there is none. */
    struct native *native;
    void *code;
    int code_is_new;          /* it has not been called yet */
    /* The workspace. */
    void *room;               /* of the arrays below */
    double *setup_values;     /* of native code */
    real *registers;
    real *reports;            /* multipliers that are reported, c */
    real *values;             /* the outputs, of the state that was read last */
    newton_counts counts;
    program_length lengths[PROGRAM_LENGTHS], *now; /* now: that of the last step, with its registers */
    int length_count, next_length; /* next: to be overwritten */
    long left;                /* steps that were left to the general path */
    long further;             /* further corrections so far: one counts once, several twice */
} program;

typedef enum {
    PROGRAM_DONE,
    PROGRAM_LEFT              /* to the general path; the state is as it was */
} program_outcome;

/* One step by the interpreter. inputs: all unknowns of the table, of which those that are set from outside are read. */
program_outcome X(program_step)(program *p, state *x, real h, const real *inputs);
/* Up to `count` steps, as long as they go as the last one of their length did. Returns how many: possibly none. Their
   lengths are lengths[0], lengths[stride], ..: stride is 1, or 0 for steps of one length. size: as in method_steps
   (method.h). */
long X(program_steps)(program *p, state *x, const real *lengths, int stride, long count, multiplier_growth *size);
/* The outputs at a state, of a program that has them. */
void X(program_read)(program *p, const state *x);
/* Asks for native code, by the setting of the system: it takes over when it is there. */
int X(program_compile)(program *p);
/* The multipliers that the table reports, of the last step, where these are others than those of the state. */
void X(program_reported)(const program *p, real *out);
/* The registers, once it is known how many there are. */
int X(program_room)(program *p);
void X(program_destroy)(program *p);
/* A tape alone; and the same as any processor does it. */
void X(program_run)(const segment *t, real *registers);
void X(program_run_anywhere)(const segment *t, real *registers);
/* Drops what nobody reads, and makes sums of products one operation (fuse.c). Before there are registers. */
int X(program_fuse)(program *p);
/* Instructions of all tapes. */
uint32_t X(program_length)(const program *p);

#endif
