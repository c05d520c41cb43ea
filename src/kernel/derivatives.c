/* Derivative tapes of a kernel, each made once. Entries that are zero are left out: patterns are exact. */
#include "expr/call.h"
#include "kernel/store.h"

/* Where a function of the user has no such derivative the graph returns nothing, as without memory. */
static int honest(const store *s, int status)
{
    return status == TAUT_OUT_OF_MEMORY && taut_graph_is_refused(s->shapes) ? TAUT_UNSUPPORTED : status;
}

static int ensure_gradient(store *s, kernel *k)
{
    if (k->gradient) return TAUT_OK;
    expr *variables = taut_mem_new(s->context, k->slots, sizeof *variables);
    expr *gradient = taut_mem_new(s->context, k->slots, sizeof *gradient);
    int status = variables && gradient ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; !status && i < k->slots; i++) {
        variables[i] = taut_expr_variable(s->shapes, KIND_SLOT, i);
        if (!variables[i]) status = TAUT_OUT_OF_MEMORY;
    }
    if (!status) status = taut_expr_gradient(s->shapes, k->value, variables, k->slots, gradient);
    taut_mem_free(s->context, variables);
    if (status)
        taut_mem_free(s->context, gradient);
    else
        k->gradient = gradient;
    return honest(s, status);
}

/* Outputs being gathered for a tape. */
typedef struct {
    expr *values;
    uint32_t *i, *j;
    uint32_t count;
} outputs;

static int outputs_create(store *s, outputs *o, size_t most)
{
    o->values = taut_mem_new(s->context, most, sizeof *o->values);
    o->i = taut_mem_new(s->context, most, sizeof *o->i);
    o->j = taut_mem_new(s->context, most, sizeof *o->j);
    o->count = 0;
    return o->values && o->i && o->j ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static void outputs_clear(store *s, outputs *o)
{
    taut_mem_free(s->context, o->values);
    taut_mem_free(s->context, o->i);
    taut_mem_free(s->context, o->j);
}

static int outputs_put(store *s, outputs *o, expr e, uint32_t i, uint32_t j)
{
    if (!e) return TAUT_OUT_OF_MEMORY;
    if (taut_expr_is_number(s->shapes, e, 0)) return TAUT_OK;
    o->values[o->count] = e;
    o->i[o->count] = i;
    o->j[o->count] = j;
    o->count++;
    return TAUT_OK;
}

static int finish(store *s, kernel *k, outputs *o, int status, uint32_t directions, tape **result)
{
    if (!status)
        status =
            taut_tape_create(s->shapes, o->values, o->i, o->j, o->count, k->slots, k->constants, directions, result);
    outputs_clear(s, o);
    return honest(s, status);
}

int taut_kernel_prepare_values(store *s, kernel *k)
{
    if (k->values) return TAUT_OK;
    return taut_tape_create(s->shapes, &k->value, NULL, NULL, 1, k->slots, k->constants, 0, &k->values);
}

int taut_kernel_prepare_gradient(store *s, kernel *k, kind by)
{
    if (k->gradients[by]) return TAUT_OK;
    outputs o;
    int status = ensure_gradient(s, k);
    if (status) return status;
    status = outputs_create(s, &o, k->slots);
    for (uint32_t i = 0; !status && i < k->slots; i++)
        if (k->slot_kind[i] == by) status = outputs_put(s, &o, k->gradient[i], i, 0);
    return finish(s, k, &o, status, 0, &k->gradients[by]);
}

/* Derivatives of the components (by slot) of kind a by the variables of kind b: one reverse sweep a row. `variable`
   says which variables: slots, or directions. lower: the lower triangle only. */
static int put_rows(store *s, kernel *k, const expr *components, kind variable, kind a, kind b, int lower, outputs *o)
{
    expr *variables = taut_mem_new(s->context, k->slots, sizeof *variables);
    expr *row = taut_mem_new(s->context, k->slots, sizeof *row);
    int status = variables && row ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; !status && i < k->slots; i++) {
        variables[i] = taut_expr_variable(s->shapes, variable, i);
        if (!variables[i]) status = TAUT_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; !status && i < k->slots; i++) {
        if (k->slot_kind[i] != a) continue;
        status = taut_expr_gradient(s->shapes, components[i], variables, k->slots, row);
        for (uint32_t j = 0; !status && j < k->slots; j++)
            if (k->slot_kind[j] == b && (!lower || j <= i)) status = outputs_put(s, o, row[j], i, j);
    }
    taut_mem_free(s->context, variables);
    taut_mem_free(s->context, row);
    return status;
}

int taut_kernel_prepare_hessian(store *s, kernel *k, kind a, kind b)
{
    if (k->hessians[a][b]) return TAUT_OK;
    outputs o;
    int status = ensure_gradient(s, k);
    if (status) return status;
    status = outputs_create(s, &o, (size_t)k->slots * k->slots);
    if (!status) status = put_rows(s, k, k->gradient, KIND_SLOT, a, b, a == b, &o);
    for (uint32_t n = 0; !status && n < o.count; n++)
        if (!taut_expr_is_constant(s->shapes, o.values[n])) k->hessian_varies[a][b] = 1;
    return finish(s, k, &o, status, 0, &k->hessians[a][b]);
}

/* sum_i d e/dx_i u_i over all variable slots, u of the given kind. */
static expr along(store *s, kernel *k, expr e, kind direction)
{
    expr *variables = taut_mem_new(s->context, k->slots, sizeof *variables);
    expr *directions = taut_mem_new(s->context, k->slots, sizeof *directions);
    expr result = 0;
    if (variables && directions) {
        int failed = 0;
        for (uint32_t i = 0; i < k->slots; i++) {
            variables[i] = taut_expr_variable(s->shapes, KIND_SLOT, i);
            directions[i] = taut_expr_variable(s->shapes, direction, i);
            failed |= !variables[i] || !directions[i];
        }
        if (!failed) result = taut_expr_directional(s->shapes, e, variables, directions, k->slots);
    }
    taut_mem_free(s->context, variables);
    taut_mem_free(s->context, directions);
    return result;
}

int taut_kernel_prepare_second(store *s, kernel *k)
{
    if (k->second) return TAUT_OK;
    outputs o;
    int status = outputs_create(s, &o, 1);
    if (!status)
        status = outputs_put(s, &o, along(s, k, along(s, k, k->value, KIND_DIRECTION_U), KIND_DIRECTION_U), 0, 0);
    return finish(s, k, &o, status, 1, &k->second);
}

/* The gradient by x of `value`, which contains directions. */
static int prepare_gradient_of(store *s, kernel *k, expr value, kind by, uint32_t directions, tape **result)
{
    outputs o;
    int status = outputs_create(s, &o, k->slots);
    if (!value) status = TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; !status && i < k->slots; i++) {
        if (k->slot_kind[i] != by) continue;
        expr slot = taut_expr_variable(s->shapes, KIND_SLOT, i);
        status = outputs_put(s, &o, slot ? taut_expr_derivative(s->shapes, value, slot) : 0, i, 0);
    }
    return finish(s, k, &o, status, directions, result);
}

int taut_kernel_prepare_slope(store *s, kernel *k, kind by)
{
    if (k->slopes[by]) return TAUT_OK;
    return prepare_gradient_of(s, k, along(s, k, k->value, KIND_DIRECTION_U), by, 1, &k->slopes[by]);
}

int taut_kernel_prepare_third(store *s, kernel *k, kind by)
{
    if (k->third[by]) return TAUT_OK;
    expr bilinear = along(s, k, along(s, k, k->value, KIND_DIRECTION_U), KIND_DIRECTION_W);
    return prepare_gradient_of(s, k, bilinear, by, 2, &k->third[by]);
}

/* ---- discrete gradients: place 0 in the slots, place 1 in the directions u ---- */

static int is_varied(const kernel *k, discrete_mode mode, uint32_t slot)
{
    return k->slot_kind[slot] == KIND_Q || k->slot_kind[slot] == KIND_T
           || (mode == DISCRETE_JOINT && k->slot_kind[slot] == KIND_W);
}

/* The mean of f + 1/2 f_w . (w1 - w0) at w0 and of the same from the other end: for f = 1/2 w'M w + a.w - V both are
   1/2 w0'M w1 + a.(w0 + w1)/2 - V, but discrete gradients of products depend on how these are written, and a step read
   from its end has to see the same. */
static expr polarised(store *s, kernel *k)
{
    graph *g = s->shapes;
    expr sum = k->value, half = taut_expr_number(g, (wide)0.5);
    expr *ends = taut_mem_new(s->context, 2 * (size_t)k->slots, sizeof *ends),
         *others = taut_mem_new(s->context, 2 * (size_t)k->slots, sizeof *others);
    int status = ends && others ? ensure_gradient(s, k) : TAUT_OUT_OF_MEMORY;
    size_t count = 0;
    for (uint32_t i = 0; !status && i < k->slots; i++) {
        if (k->slot_kind[i] != KIND_W) continue;
        expr w0 = taut_expr_variable(g, KIND_SLOT, i), w1 = taut_expr_variable(g, KIND_DIRECTION_U, i);
        sum = taut_expr_add(g, sum, taut_expr_mul(g, half, taut_expr_mul(g, k->gradient[i], taut_expr_sub(g, w1, w0))));
        ends[count] = others[count + 1] = w0, ends[count + 1] = others[count] = w1;
        count += 2;
    }
    if (!status && count)
        sum = taut_expr_mul(g, half, taut_expr_add(g, sum, taut_expr_substitute(g, sum, ends, others, count)));
    taut_mem_free(s->context, ends);
    taut_mem_free(s->context, others);
    return status ? 0 : sum;
}

static int ensure_discrete(store *s, kernel *k, discrete_mode mode)
{
    if (k->discrete[mode]) return TAUT_OK;
    expr *from = taut_mem_new(s->context, k->slots, sizeof *from), *to = taut_mem_new(s->context, k->slots, sizeof *to);
    expr *found = taut_mem_new(s->context, k->slots, sizeof *found),
         *all = taut_mem_new(s->context, k->slots, sizeof *all);
    expr f = mode == DISCRETE_JOINT ? k->value : polarised(s, k), zero = taut_expr_number(s->shapes, 0);
    int status = from && to && found && all && f && zero ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    size_t count = 0;
    for (uint32_t i = 0; !status && i < k->slots; i++) {
        if (!is_varied(k, mode, i)) continue;
        from[count] = taut_expr_variable(s->shapes, KIND_SLOT, i);
        to[count] = taut_expr_variable(s->shapes, KIND_DIRECTION_U, i);
        if (!from[count] || !to[count]) status = TAUT_OUT_OF_MEMORY;
        count++;
    }
    if (!status) status = taut_expr_discrete_gradient(s->shapes, f, from, to, count, found);
    for (uint32_t i = 0, n = 0; !status && i < k->slots; i++) all[i] = is_varied(k, mode, i) ? found[n++] : zero;
    taut_mem_free(s->context, from);
    taut_mem_free(s->context, to);
    taut_mem_free(s->context, found);
    if (status)
        taut_mem_free(s->context, all);
    else
        k->discrete[mode] = all;
    return status;
}

int taut_kernel_prepare_discrete(store *s, kernel *k, discrete_mode mode, kind by)
{
    if (k->discretes[mode][by]) return TAUT_OK;
    outputs o;
    int status = ensure_discrete(s, k, mode);
    if (status) return status;
    status = outputs_create(s, &o, k->slots);
    for (uint32_t i = 0; !status && i < k->slots; i++)
        if (k->slot_kind[i] == by) status = outputs_put(s, &o, k->discrete[mode][i], i, 0);
    return finish(s, k, &o, status, 1, &k->discretes[mode][by]);
}

int taut_kernel_prepare_discrete_slope(store *s, kernel *k, discrete_mode mode, kind a, kind b)
{
    if (k->discrete_slopes[mode][a][b]) return TAUT_OK;
    outputs o;
    int status = ensure_discrete(s, k, mode);
    if (status) return status;
    status = outputs_create(s, &o, (size_t)k->slots * k->slots);
    if (!status) status = put_rows(s, k, k->discrete[mode], KIND_DIRECTION_U, a, b, 0, &o);
    return finish(s, k, &o, status, 1, &k->discrete_slopes[mode][a][b]);
}
