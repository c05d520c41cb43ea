/* Terms of equal shape share a kernel.
 *
 * A family is a set of functions f_row(x), each a sum of terms; the Lagrangian, the constraints, the forces are
 * families. A term is an instance of its kernel: a row of variable indices and of indices into the table of constants.
 * The constants (expressions of literals and parameters) are shared by all families of a store. Independent of
 * precision. */
#ifndef TAUT_KERNEL_KERNEL_H
#define TAUT_KERNEL_KERNEL_H

#include "kernel/tape.h"

/* Discrete gradients D f between two places 0 and 1 (expr/discrete.c). */
typedef enum {
    DISCRETE_JOINT,     /* f1 - f0 = D_q f . dq + D_w f . dw + D_t f dt */
    DISCRETE_POLARISED, /* for f of degree 2 in w: of f + 1/2 f_w . (w1 - w0) at w0, a function of q, t and bilinear in
                           (w0, w1); by q and t */
    DISCRETE_MODES
} discrete_mode;

typedef struct {
    uint32_t slots, constants;  /* numbers of variable and constant slots */
    uint8_t *slot_kind;         /* kind of each variable slot */
    unsigned kinds;             /* mask of them */
    expr value;                 /* over the store's shape graph */
    uint32_t *key;              /* the shape: code that equal terms share */
    size_t key_length;
    uint32_t *code;             /* inner nodes of the key, three words each: operation, operand, operand or number */
    uint32_t inner_count;
    uint64_t hash;
    expr *gradient;             /* by slot; NULL until asked for */
    /* Tapes, made when a field prepares them; NULL until then. */
    tape *values;
    tape *gradients[KIND_COUNT];
    tape *hessians[KIND_COUNT][KIND_COUNT]; /* [a][b]; for a == b the lower triangle by slots */
    uint8_t hessian_varies[KIND_COUNT][KIND_COUNT]; /* some entry depends on a variable */
    tape *second;               /* d^2/ds^2 f(x + s u) */
    tape *slopes[KIND_COUNT];   /* d/dx_slot of grad f . u */
    tape *third[KIND_COUNT];    /* d/dx_slot of u' Hess w */
    expr *discrete[DISCRETE_MODES]; /* by slot: D f between the slots and the directions u; NULL until asked for */
    tape *discretes[DISCRETE_MODES][KIND_COUNT];
    tape *discrete_slopes[DISCRETE_MODES][KIND_COUNT][KIND_COUNT]; /* [a][b]: of D_a by the variables b of place 1 */
} kernel;

/* All terms of one family that share one kernel. */
typedef struct {
    uint32_t kernel;            /* index into the store */
    uint32_t count;
    uint32_t *variables;        /* count rows of kernel->slots */
    uint32_t *constants;        /* count rows of kernel->constants */
    uint32_t *rows;             /* count: which function of the family the term belongs to */
    size_t variable_capacity, constant_capacity, row_capacity;
} batch;

typedef struct {
    uint32_t row_count;
    batch *batches;
    size_t batch_count, batch_capacity;
} family;

typedef struct store store;

/* g is the graph in which terms are given; it must outlive the store. */
store *taut_store_create(taut_context *context, graph *g);
void taut_store_destroy(store *s);
taut_context *taut_store_context(store *s);
size_t taut_store_kernel_count(const store *s);
kernel *taut_store_kernel(store *s, uint32_t index);
graph *taut_store_shapes(store *s);
/* The table of constants: expressions without variables, in the graph of the model. */
size_t taut_store_constant_count(const store *s);
const expr *taut_store_constants(const store *s);

/* Splits e into terms and adds them to function `row` of the family. */
int taut_family_add(store *s, family *f, uint32_t row, expr e);
void taut_family_clear(store *s, family *f);
/* Gives back the room for more terms. */
void taut_family_trim(store *s, family *f);
/* The terms of f that contain a variable of one of these kinds (with = 1), or those that do not (with = 0). *part
   borrows the batches of f, which must not change while it is used; free it with family_part_clear. */
int taut_family_part(store *s, const family *f, unsigned kinds, int with, family *part);
void taut_family_part_clear(store *s, family *part);
/* Mask of the kinds of variables that occur. */
unsigned taut_family_kinds(store *s, const family *f);

/* Derivative code, made once per kernel. Kinds select the slots. Return a status. */
int taut_kernel_prepare_values(store *s, kernel *k);
int taut_kernel_prepare_gradient(store *s, kernel *k, kind by);
int taut_kernel_prepare_hessian(store *s, kernel *k, kind a, kind b);
int taut_kernel_prepare_second(store *s, kernel *k);
int taut_kernel_prepare_slope(store *s, kernel *k, kind by);
int taut_kernel_prepare_third(store *s, kernel *k, kind by);
int taut_kernel_prepare_discrete(store *s, kernel *k, discrete_mode mode, kind by);
int taut_kernel_prepare_discrete_slope(store *s, kernel *k, discrete_mode mode, kind a, kind b);

#endif
