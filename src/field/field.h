/* A field: a family of functions f_row(x), each a sum of terms, with value, gradient, Jacobian, Hessian, and
 * directional second and third derivatives, in the precision of the unit. x is given by kind: x[KIND_Q], x[KIND_W],
 * x[KIND_T] (one value), x[KIND_LAMBDA].
 *
 * What is evaluated must have been prepared; evaluation then allocates nothing. All evaluations add to their output. */
#ifndef TAUT_FIELD_FIELD_H
#define TAUT_FIELD_FIELD_H

#include "base/pool.h"
#include "base/real.h"
#include "kernel/kernel.h"
#include "linalg/pattern.h"

/* What evaluations write besides their results. A field is constant once it is prepared, and any number of threads may
   evaluate it, each with a workspace of its own. */
typedef struct workspace {
    taut_context *context;
    real *registers, *vector, *entries;    /* of tapes; of the functions of a system: coordinates, and entries of a
                                              matrix */
    size_t register_count, vector_count, entry_count; /* register_count: of each thread of the pool */
    pool *pool;                            /* who evaluates; NULL: one thread */
    /* A share of a system with inputs has constants of its own: these, where a field has those of the plan. */
    const real *plan_constants, *constants;
} workspace;

/* Makes sure of at least so many numbers of each. */
int X(workspace_reserve)(workspace *w, size_t registers, size_t vector, size_t entries);
/* From now on this pool evaluates; it must outlive the workspace. After a failure it is as before. */
int X(workspace_use)(workspace *w, pool *p);
void X(workspace_clear)(workspace *w);

/* Where a field is evaluated, and with which workspace. Directions need none. */
typedef struct {
    const real *x[KIND_COUNT];
    workspace *work;
} place;

static inline place direction_of(const real *q, const real *w, const real *t)
{
    return (place){ .x = { [KIND_Q] = q, [KIND_W] = w, [KIND_T] = t } };
}

typedef struct field field;

/* sizes[kind]: how many variables of each kind there are. The store, its kernels and the family must outlive the field.
   constants: the table of constants, evaluated, in this precision (see store_constants). Preparation makes room in the
   workspace. */
int X(field_create)(store *s, const family *f, const uint32_t *sizes, const real *constants, workspace *w,
                    field **result);
void X(field_destroy)(field *f);
uint32_t X(field_rows)(const field *f);
unsigned X(field_kinds)(const field *f);
const family *X(field_family)(const field *f);
store *X(field_store)(const field *f);
const real *X(field_constants)(const field *f);

int X(field_prepare_values)(field *f);
int X(field_prepare_gradient)(field *f, kind by);
int X(field_prepare_jacobian)(field *f, kind by);      /* also prepares the gradient */
int X(field_prepare_hessian)(field *f, kind a, kind b);
int X(field_prepare_second)(field *f);
int X(field_prepare_slope)(field *f, kind by);
int X(field_prepare_third)(field *f, kind by);
int X(field_prepare_slope_gradient)(field *f, kind by);

/* out[row] += f_row(x) */
void X(field_values)(const field *f, const place *x, real *out);
/* out[v] += sum_row weights[row] df_row/dx_v; weights NULL means 1 */
void X(field_gradient)(const field *f, kind by, const place *x, const real *weights, real *out);
/* values[entry] += df_row/dx_v, on the pattern (rows x variables) */
const pattern *X(field_jacobian_pattern)(const field *f, kind by);
void X(field_jacobian)(const field *f, kind by, const place *x, real *values);
/* The same numbers in another order, entry e of the pattern at order[e]; overwrites. A field has one such order for
   each kind, the first one prepared: make it from the pattern alone. */
int X(field_prepare_ordered_jacobian)(field *f, kind by, const int *order);
void X(field_ordered_jacobian)(const field *f, kind by, const place *x, real *values);
/* The same for rows from .. to - 1 alone, evaluated by this worker of the pool; only where rows can be told apart
   (field_by_rows), and cut there (field_cuts_at). */
void X(field_ordered_jacobian_rows)(const field *f, kind by, const place *x, uint32_t from, uint32_t to, int worker,
                                    real *values);
int X(field_by_rows)(const field *f, kind by);
int X(field_cuts_at)(const field *f, uint32_t row);
/* values[entry] += sum_row weights[row] d^2 f_row/(dx_a dx_b), on the pattern (variables a x variables b), full for a
   == b */
const pattern *X(field_hessian_pattern)(const field *f, kind a, kind b);
void X(field_hessian)(const field *f, kind a, kind b, const place *x, const real *weights, real *values);
/* values[entry] += d/dx_v (grad f_row . u): the derivative of the Jacobian along u, on a pattern (rows x variables) of
   its own */
const pattern *X(field_slope_pattern)(const field *f, kind by);
void X(field_slope)(const field *f, kind by, const place *x, const place *u, real *values);
/* out[v] += sum_row weights[row] d/dx_v (grad f_row . u): the same, summed over the rows, without a matrix */
void X(field_slope_gradient)(const field *f, kind by, const place *x, const place *u, const real *weights, real *out);
/* out[row] += d^2/ds^2 f_row(x + s u) at s = 0. A NULL direction of a kind means zero. */
void X(field_second)(const field *f, const place *x, const place *u, real *out);
/* out[v] += sum_row weights[row] d/dx_v (u' Hess f_row w) */
void X(field_third)(const field *f, kind by, const place *x, const place *u, const place *w, const real *weights,
                    real *out);

/* Discrete gradients between the places x0 and x1 (kernel.h says which modes there are): like gradient, Jacobian and
   Hessian, with D_by f_row for the derivative. Slopes are derivatives of D_a by the variables b of x1; their pattern is
   not symmetric. */
int X(field_prepare_discrete)(field *f, discrete_mode mode, kind by);
int X(field_prepare_discrete_jacobian)(field *f, discrete_mode mode, kind by);
int X(field_prepare_discrete_slope)(field *f, discrete_mode mode, kind a, kind b);
void X(field_discrete)(const field *f, discrete_mode mode, kind by, const place *x0, const place *x1,
                       const real *weights, real *out);
const pattern *X(field_discrete_pattern)(const field *f, discrete_mode mode, kind by);
void X(field_discrete_jacobian)(const field *f, discrete_mode mode, kind by, const place *x0, const place *x1,
                                real *values);
const pattern *X(field_discrete_slope_pattern)(const field *f, discrete_mode mode, kind a, kind b);
void X(field_discrete_slope)(const field *f, discrete_mode mode, kind a, kind b, const place *x0, const place *x1,
                             const real *weights, real *values);

/* Structure of a prepared Hessian block: is it zero, does it depend on a variable? */
int X(field_hessian_zero)(const field *f, kind a, kind b);
int X(field_hessian_varies)(const field *f, kind a, kind b);

/* Is every row of degree 2 at most in the variables of this kind, whatever the constants are? Prepares the kernels
   alone. */
int X(field_is_quadratic)(field *f, kind by, int *is);

/* Does a prepared gradient depend on any variable? */
int X(field_gradient_varies)(const field *f, kind by);

/* Instances and kernels, for information. */
size_t X(field_instances)(const field *f);
size_t X(field_kernels)(const field *f);

#endif
