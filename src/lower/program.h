/* A lowered step: tapes over one flat array of numbers.
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
 * A step without unknowns (field.h) has no phases, and its results have pivots of their own. A program that reads a
 * state (reading.h) has no phases, and outputs for results. What is made of tapes, and what
 * executors print, is a flow (flow.h). */
#ifndef TAUT_LOWER_PROGRAM_H
#define TAUT_LOWER_PROGRAM_H

#include "base/words.h"
#include "kernel/tape.h"
#include "lower/flow.h"
#include "lower/iteration.h"
#include "system/multiplier_growth.h"
#include "system/state.h"

/* A flow as machine code (machine.h): what the interpreter returns. state: its block, where the flow's registers of it
   are. */
typedef int program_code(real *registers, real *state);

typedef struct {
    program_instruction *code;
    uint32_t count;
    size_t capacity;
} segment;

typedef struct {
    uint32_t pivot, reference; /* registers */
} program_check;

/* Corrections after two with one matrix, where these are not enough: one where that will do, several otherwise. */
enum { FURTHER_ONCE, FURTHER_MORE, PROGRAM_FURTHER };
typedef struct {
    segment tape;
    uint32_t *sums;           /* registers: the sum of the corrections */
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
} program_phase;

/* Numbers behind the registers of a flow, for what machine code needs for a moment. */
enum { PROGRAM_WORK = 48 };

/* Steps of one length. Compositions take a few in turn. */
enum { PROGRAM_LENGTHS = 10 };
enum { PROGRAM_WHOLE = 4 };   /* straight flows for whole steps, at most (expect.h) */

typedef enum { WAY_FITS, WAY_LESS, WAY_MORE, WAY_OTHER } program_way; /* of a step that one of them is tried for */

/* What has been learnt of steps of a length: how they go. */
typedef struct {
    int expected;             /* of `whole`, for the next step; -1: none */
    int after[PROGRAM_WHOLE]; /* what came the last time after each of them: a composition has two steps of a length */
    int last;                 /* of them; -1: another way */
    int failed;               /* none of those that were tried was what happens in this step */
    int misses, pause;        /* times that this was so in a row; steps before the next try */
} program_learnt;

typedef struct {
    real *registers;          /* with what setup computes */
    real h;                   /* of setup; 0: never run */
    unsigned constants_version;
    program_learnt learnt;
} program_length;

/* What steps write. */
typedef struct {
    void *room;               /* of the arrays below */
    double *setup_values;     /* of native code */
    real *registers;
    newton_counts counts;
    program_length lengths[PROGRAM_LENGTHS], *now; /* now: that of the last step, with its registers */
    int length_count, next_length; /* next: to be overwritten */
    int code_is_new;          /* it has not been called yet */
    long left;                /* steps that were left to the general path */
    long further;             /* further corrections so far: one counts once, several twice */
} program_workspace;

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
    program_check *checks;    /* of results, where these solve linear equations; or NULL */
    program_check *limits;    /* results that must not be larger than a reference; or NULL */
    uint32_t check_count, limit_count;
    uint32_t *outputs, output_count; /* of a program that reads a state, and has none of the results above; or NULL */
    uint32_t *inputs, input_count; /* unknowns of the table that are set from outside */
    step_flow flow;                /* the step, or what is read off a state */
    /* Executors of it besides the interpreter, or NULL: machine code; and C made of it (emit.h), in double. */
    void *pages;
    size_t pages_size;
    program_code *set_up, *step;
    struct {
        program_code *code;   /* 0 where the step went this way; otherwise a program_way, and the state is as it was */
        long counts[FLOW_COUNTS];
    } whole[PROGRAM_WHOLE];
    struct native *native;
    void *code;
    program_workspace space; /* all else is the plan: constant, but for code that comes while steps are made */
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
/* Those, or the outputs that were read last. */
static inline const real *program_reports(const program *p) { return p->space.registers + p->flow.report_first; }
/* The registers, once it is known how many there are. */
int X(program_room)(program *p);
void X(program_destroy)(program *p);
/* A tape, or a flow, by the interpreter; and the same as any processor does it. Returns why the flow was left. */
int X(program_run)(const program_instruction *code, real *registers);
int X(program_run_anywhere)(const program_instruction *code, real *registers);
/* Drops what nobody reads, and makes sums of products one operation (fuse.c). Before there are registers. */
int X(program_fuse)(program *p);
/* Instructions of all tapes. */
uint32_t X(program_length)(const program *p);

#endif
