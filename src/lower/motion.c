#include "lower/motion.h"

#include <string.h>

#include "expr/call.h"

void X(motion_table)(step_table *t)
{
    X(step_table_begin)(t);
    X(step_add_phase)(t, "multipliers");
    X(step_add_group)(t, 0, STEP_N), X(step_add_group)(t, 0, STEP_C);
    X(step_add_place)(t, 0), X(step_add_place)(t, 0);
    X(step_put)(t, MOTION_HERE, STEP_Q, STEP_Q0, 1, 0), X(step_put)(t, MOTION_HERE, STEP_W, STEP_W0, 1, 0);
    X(step_put)(t, MOTION_HERE, STEP_LAMBDA, MOTION_LAMBDA, 1, 0);
    X(step_put)(t, MOTION_ALONG, STEP_Q, STEP_Q0, 1, 0), X(step_put)(t, MOTION_ALONG, STEP_W, STEP_NU0, 1, 0);
}

/* ---- equations ---- */

motion_direction X(motion_along)(symbols *y, const expr *q, const expr *w, expr t)
{
    const size_t n = y->s->n;
    motion_direction d = { X(symbol_new)(y, 2 * n + 1), X(symbol_new)(y, 2 * n + 1), 2 * n + 1 };
    for (uint32_t i = 0; !y->failed && i < n; i++) {
        d.leaves[i] = X(symbol_state)(y, y->layout.q, i), d.along[i] = q ? q[i] : y->zero;
        d.leaves[n + i] = X(symbol_state)(y, y->layout.w, i), d.along[n + i] = w ? w[i] : y->zero;
    }
    if (!y->failed) d.leaves[2 * n] = X(symbol_leaf)(y, STATE_T0), d.along[2 * n] = t ? t : y->zero;
    return d;
}

int X(motion_equations)(symbols *y, const expr *v, const expr *more, expr *equations)
{
    const size_t n = y->s->n, c = y->s->c;
    expr *force = X(symbol_new)(y, n), *rates = X(symbol_new)(y, c);
    if (y->failed || !v) return TAUT_OUT_OF_MEMORY;
    const motion_direction d = X(motion_along)(y, v, y->unknowns + y->offsets[MOTION_RATES], y->one);
    if (y->failed) return TAUT_OUT_OF_MEMORY;
    X(symbol_function)(y, STEP_PI, MOTION_HERE, NULL, equations);
    X(symbol_function)(y, STEP_PHI, MOTION_HERE, NULL, force);
    X(symbol_function)(y, STEP_RATE, MOTION_ALONG, NULL, rates);
    if (taut_graph_has_calls(y->g)) return TAUT_UNSUPPORTED;
    for (size_t i = 0; !y->failed && i < n; i++) {
        expr rate = taut_expr_directional(y->g, equations[i], d.leaves, d.along, d.count);
        if (more) force[i] = taut_expr_add(y->g, force[i], more[i]);
        if (!(equations[i] = taut_expr_sub(y->g, rate, force[i]))) y->failed = 1;
    }
    for (size_t k = 0; !y->failed && k < c; k++) {
        equations[n + k] = taut_expr_directional(y->g, rates[k], d.leaves, d.along, d.count);
        if (!equations[n + k]) y->failed = 1;
    }
    return y->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

/* ---- the solution of linear equations, written out ---- */

int X(motion_replace)(symbols *y, const expr *roots, size_t root_count, const expr *leaves, const expr *values,
                      size_t count, expr *out)
{
    expr *list = NULL, *image = taut_mem_new(y->context, taut_graph_count(y->g), sizeof *image);
    size_t found = 0;
    int status = image ? taut_expr_reachable(y->g, roots, root_count, &list, &found) : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) image[leaves[i]] = values[i];
    for (size_t i = 0; !status && i < found; i++) {
        const expr e = list[i];
        const node n = *taut_graph_node(y->g, e);
        if (image[e]) continue;
        const int leaf = n.op == OP_VARIABLE || n.op == OP_CONSTANT;
        image[e] = leaf ? e : taut_expr_rebuild(y->g, &n, image[n.a], op_has_number((op)n.op) ? 0 : image[n.b]);
        if (!image[e]) status = TAUT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; !status && i < root_count; i++) out[i] = image[roots[i]];
    if (list) taut_expr_list_free(y->g, list);
    taut_mem_free(y->context, image);
    return status;
}

/* The leaves of the unknowns that are left, and those of the right-hand side. */
static int find_leaves(symbols *y, const reduced_phase *p, expr *unknowns, expr *right)
{
    for (uint32_t i = 0; i < p->size; i++) {
        unknowns[i] = X(reduce_leaf)(y, p, p->left[i]);
        right[i] = taut_expr_variable(y->g, (kind)LEAF_RIGHT, i);
        if (!unknowns[i] || !right[i]) return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

/* values of the unknowns that are left := values - correction there; change: work */
static int correct(symbols *y, const reduced_phase *p, const expr *unknowns, const expr *right, expr *values,
                   expr *change)
{
    const size_t size = p->size;
    int status = X(motion_replace)(y, p->residual, size, unknowns, values, size, change);
    if (!status) status = X(motion_replace)(y, p->change, size, right, change, size, change);
    for (uint32_t i = 0; !status && i < size; i++)
        if (!(values[i] = taut_expr_sub(y->g, values[i], change[i]))) status = TAUT_OUT_OF_MEMORY;
    return status;
}

int X(motion_solve)(symbols *y, int phase, const expr *equations, const expr *guesses, reduced_phase *p)
{
    int status = X(reduce_linear)(y, phase, equations, p);
    if (status) return status;
    expr *const all = y->unknowns + p->first;
    expr *leaves = X(symbol_new)(y, p->size), *right = X(symbol_new)(y, p->size);
    expr *values = X(symbol_new)(y, p->size), *change = X(symbol_new)(y, p->size);
    status = y->failed ? TAUT_OUT_OF_MEMORY : find_leaves(y, p, leaves, right);
    for (uint32_t i = 0; !status && i < p->size; i++) values[i] = guesses[p->left[i]];
    for (int times = 0; !status && times < 2; times++) status = correct(y, p, leaves, right, values, change);
    if (!status) status = X(motion_replace)(y, all, p->count, leaves, values, p->size, all);
    X(symbols_forget_places)(y);
    return status;
}
