#include "expr/shown.h"

#include "expr/call.h"
#include "expr/graph.h"

expr taut_expr_shown(graph *g, expr value, expr form)
{
    return value == form ? value : taut_expr_binary(g, OP_SHOWN, value, form);
}

expr taut_expr_triple(graph *g, expr value, const expr a[3], const expr b[3], const expr c[3])
{
    expr list = c[2];
    for (int i = 7; i >= 0; i--) list = taut_expr_binary(g, OP_ARGUMENT, (i < 3 ? a : i < 6 ? b : c)[i % 3], list);
    return taut_expr_shown(g, value, list);
}

int taut_expr_is_triple(const graph *g, expr form, expr components[9])
{
    if (taut_graph_node(g, form)->op != OP_ARGUMENT) return 0;
    for (int i = 0; i < 9; i++) components[i] = taut_call_next(g, &form);
    return 1;
}

expr taut_expr_plain(graph *g, expr e)
{
    walk w;
    expr result = 0;
    if (!e || !g->has_shown) return e;
    if (taut_walk_begin(&w, g, &e, 1)) return 0;
    expr *image = taut_mem_new(g->context, w.count, sizeof *image);
    int status = image ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < w.count; i++) {
        const node n = g->nodes[w.list[i]];
        const int arity = taut_op_arity(n.op);
        expr a = arity ? image[walk_position(&w, n.a)] : 0, b = arity == 2 ? image[walk_position(&w, n.b)] : 0;
        const int same = a == n.a && (arity < 2 || b == n.b);
        image[i] = n.op == OP_SHOWN    ? a
                   : arity == 0 || same ? w.list[i]
                                        : taut_expr_rebuild(g, &n, a, b);
        if (!image[i]) status = TAUT_OUT_OF_MEMORY;
    }
    if (!status) result = image[walk_position(&w, e)];
    taut_mem_free(g->context, image);
    taut_walk_end(&w);
    return result;
}

/* ---- triple products ---- */

typedef struct {
    expr at[3];
} triad;

static triad add(graph *g, triad x, triad y)
{
    for (int i = 0; i < 3; i++) x.at[i] = taut_expr_add(g, x.at[i], y.at[i]);
    return x;
}

static triad subtract(graph *g, triad x, triad y)
{
    for (int i = 0; i < 3; i++) x.at[i] = taut_expr_sub(g, x.at[i], y.at[i]);
    return x;
}

static triad scale(graph *g, wide factor, triad x)
{
    expr k = taut_expr_number(g, factor);
    for (int i = 0; i < 3; i++) x.at[i] = taut_expr_mul(g, k, x.at[i]);
    return x;
}

static triad cross(graph *g, triad x, triad y)
{
    triad z;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        z.at[i] = taut_expr_sub(g, taut_expr_mul(g, x.at[j], y.at[k]), taut_expr_mul(g, x.at[k], y.at[j]));
    }
    return z;
}

static triad moments(graph *g, const triad x[3], const triad y[3])
{
    return add(g, add(g, cross(g, x[0], y[0]), cross(g, x[1], y[1])), cross(g, x[2], y[2]));
}

/* The inverse of the inertia of three unit masses, row by row. It is zero where all of them are at the origin; 1e-300
   for 0/0 alone. */
static void invert_inertia(graph *g, const triad p[3], triad inverse[3])
{
    triad row[3];
    expr square = taut_expr_number(g, 0), determinant = taut_expr_number(g, (wide)1e-300);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++) square = taut_expr_add(g, square, taut_expr_powi(g, p[k].at[i], 2));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            expr sum = i == j ? square : taut_expr_number(g, 0);
            for (int k = 0; k < 3; k++)
                sum = taut_expr_sub(g, sum, taut_expr_mul(g, p[k].at[i < j ? i : j], p[k].at[i < j ? j : i]));
            row[i].at[j] = sum;
        }
    for (int i = 0; i < 3; i++) inverse[i] = cross(g, row[(i + 1) % 3], row[(i + 2) % 3]);
    for (int i = 0; i < 3; i++)
        determinant = taut_expr_add(g, determinant, taut_expr_mul(g, row[0].at[i], inverse[0].at[i]));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) inverse[i].at[j] = taut_expr_div(g, inverse[i].at[j], determinant);
}

static triad multiply(graph *g, const triad rows[3], triad x)
{
    triad y;
    for (int i = 0; i < 3; i++) {
        y.at[i] = taut_expr_mul(g, rows[i].at[0], x.at[0]);
        for (int j = 1; j < 3; j++) y.at[i] = taut_expr_add(g, y.at[i], taut_expr_mul(g, rows[i].at[j], x.at[j]));
    }
    return y;
}

/* With the vectors p half way and their differences d, T = p0.(p1 x p2) has
 *     T1 - T0 = sum p_j x p_k . d_i + 1/4 T(d),    (i, j, k) cyclic.
 * The first sum is the gradient half way, which is orthogonal to rotations. T(d)/4 is written as X.d/4 with X orthogonal
 * to them, too, sum p_i x X_i = 0. Take from d the rotation r = w x p that is nearest to it, d = r + e, so that e is
 * orthogonal to rotations. As T(r) = 0,
 *     T(r + e) = Y.e,   Y_i = 1/2 (r_j x d_k + d_j x r_k) + 1/3 e_j x e_k,
 * and with X = Y - u x p, u such that sum p_i x X_i = 0, X.d = X.e = Y.e. Both w and u take the inertia of the p, which
 * is regular unless all three are parallel. Nothing here is singular where T is zero. X is even in d. */
void taut_triple_quotient(graph *g, const expr at0[9], const expr at1[9], expr out[9])
{
    triad p[3], d[3], r[3], e[3], y[3], inverse[3];
    for (int i = 0; i < 3; i++) {
        triad start = { { at0[3 * i], at0[3 * i + 1], at0[3 * i + 2] } },
              end = { { at1[3 * i], at1[3 * i + 1], at1[3 * i + 2] } };
        p[i] = scale(g, (wide)0.5, add(g, start, end));
        d[i] = subtract(g, end, start);
    }
    invert_inertia(g, p, inverse);
    triad w = multiply(g, inverse, moments(g, p, d));
    for (int i = 0; i < 3; i++) r[i] = cross(g, w, p[i]), e[i] = subtract(g, d[i], r[i]);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        y[i] = scale(g, (wide)0.5, add(g, cross(g, r[j], d[k]), cross(g, d[j], r[k])));
        y[i] = add(g, y[i], scale(g, (wide)1 / 3, cross(g, e[j], e[k])));
    }
    triad u = multiply(g, inverse, moments(g, p, y));
    for (int i = 0; i < 3; i++) {
        triad x = subtract(g, y[i], cross(g, u, p[i]));
        triad whole = add(g, cross(g, p[(i + 1) % 3], p[(i + 2) % 3]), scale(g, (wide)0.25, x));
        for (int m = 0; m < 3; m++) out[3 * i + m] = whole.at[m];
    }
}
