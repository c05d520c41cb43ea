/* What is written into the files, for the files of this folder. Everything is in double. */
#ifndef TAUT_COMPILE_PLAN_H
#define TAUT_COMPILE_PLAN_H

#include "base/builder.h"
#include "compile/compile.h"
#include "lower/emit.h"
#include "run/simulation.h"

/* A number that has a name in the C code. */
typedef struct {
    char name[128];         /* without the prefix: "Q_a_x" */
    char what[200];         /* for a comment */
    uint32_t index;
} plan_name;

enum { PLAN_PROGRAMS = 2 }; /* a method and its adjoint */

typedef struct {
    taut_context *context;
    const compile_options *options;
    char upper[COMPILE_PREFIX + 1];
    simulation *z;
    method_part parts[METHOD_PARTS];
    int part_count;
    program *programs[PLAN_PROGRAMS];
    int program_count;
    uint32_t setup_counts[PLAN_PROGRAMS];
    uint32_t n, c, numbers;          /* of the state's block, as far as steps use it */
    uint32_t constant_count;
    const expr *constants;           /* expressions of the model's graph */
    int has_reported;                /* steps report other multipliers than they keep */
    plan_name *names;                /* of numbers of the state, then of the time */
    size_t name_count, name_capacity;
    plan_name *parameters;           /* those that constants depend on; index: of the model's */
    size_t parameter_count, parameter_capacity;
} plan;

/* Indices in the block, as system/state.c lays it out. */
static inline uint32_t plan_t_lambda(const plan *p) { return 5 * p->n + p->c; }

int taut_plan_create(model *m, const compile_options *options, plan *p);
void taut_plan_clear(plan *p);
void taut_compile_header(const plan *p, builder *out);
/* Fills setup_counts as well: before the header. */
int taut_compile_source(plan *p, builder *out);

#endif
