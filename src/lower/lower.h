/* Lowered steps: a step table on a system of moderate size becomes straight-line code over one flat array of numbers.
 *
 * The places of the table are substituted into the model's expressions, so that residuals, Newton's matrices, their
 * elimination in an order fixed once, and the new state are nodes of one hash-consed graph: what is common is computed
 * once, zeros and ones disappear, equations that give an unknown explicitly are solved away. The graph is cut into
 * tapes by what its nodes depend on; a small Newton iteration stands around them (program.h). Executors run the same
 * tapes, with the same bits: the interpreter of this folder, and C made from them (emit.c).
 *
 * A step whose pivots lose too many digits, or whose iteration does not converge as it should, is left to the general
 * path (step/stepper.h), which also says what is wrong. That decision depends on the state alone. */
#ifndef TAUT_LOWER_LOWER_H
#define TAUT_LOWER_LOWER_H

#include "lower/program.h"
#include "step/table.h"
#include "system/state.h"

/* Instructions. Up to here the interpreter is about as fast as the general path (two hinged plates under rattle: 19,600
   instructions, less than half the time; the chain molecule under galerkin: a fifth more), and native code many times
   as fast. The second: of what frames need. */
enum { LOWER_STEP_MOST = 24000, LOWER_READING_MOST = 8000 };

/* Is the system small enough to try? */
int X(lower_serves)(const struct system *s);
/* *result is NULL where the step is too large to be lowered, or has no fixed elimination: TAUT_OK all the same, and *why
   says so, a clause about it. */
int X(lower_create)(struct system *s, const step_table *table, real tolerance, program **result, const char **why);
struct symbols;
/* A step without an iteration: all that it computes. w and lambda may be NULL: p; as it was. The step is left where a
   pivot has lost too many digits of what it is made of, which follows it, and where a number is larger than the one
   that follows it. */
typedef struct {
    const uint32_t *move, *push, *w, *lambda; /* n, n, n, c nodes of the symbols */
    const uint32_t *checks, *limits;
    size_t check_count, limit_count; /* pairs */
} straight_step;
int X(lower_straight)(struct symbols *y, const straight_step *step, program **result);
/* Nodes of the symbols as a program that reads a state, without native code. *result is NULL where it would be longer
   than so many instructions: TAUT_OK all the same. */
int X(lower_outputs)(struct symbols *y, const uint32_t *outputs, size_t count, uint32_t most, program **result);

#endif
