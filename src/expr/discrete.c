/* Discrete gradients by mean partial derivatives.
 *
 * Every operation z = op(a, b) has an exact difference with coefficients that are symmetric in the two ends 0 and 1,
 *     z1 - z0 = A (a1 - a0) + B (b1 - b0),
 * for a product A = (b0 + b1)/2 and B = (a0 + a1)/2. The chain rule with these in place of the partial derivatives
 * gives a vector D f with f1 - f0 = D f . (x1 - x0): each operation contributes an identity. What follows from the
 * quotients of expr/ops.h:
 *   - No subtraction of values of f. Where a quotient is needed it is written as an even function of the difference,
 *     so that the rounding of the difference does not matter: sin: cos(mean) sinc(half the difference), log:
 *     atanhc(difference/sum)/mean, ...
 *   - A function of one argument has one quotient: F(G(x)) and its expanded form give the same D.
 *   - On affine functions the mean is the value half way, so that D w is the gradient half way for every polynomial w
 *     of degree 2, in whatever way it is written. With f = F(w), w its quadratic atoms: D f = Dw(mid)' DF(w0, w1), with
 *     DF a function of the atoms alone. For an affine symmetry xi that leaves the atoms as they are, Dw(mid) xi(mid) =
 *     0: D f is orthogonal to the symmetry, exactly.
 *   - A formula with a second form that shows such atoms, or a triple product (expr/shown.h), is taken by that. What
 *     nothing shows is kept to order 2 only: exp(x^2) exp(y^2) is rotation invariant, its factors are not.
 *
 * An angle atan2(y, x) jumps by 2 pi where the ends lie on different sides of its cut; the exact difference of the row
 * is that of the angle turned from 0 to 1, which does not. What is above the angle takes the same angle at end 1: the
 * one at end 0 plus the turn. A function with the period 2 pi does not see the jump, so that its identity holds as it
 * stands. An even function of a multiple of the angle, such as its square, has a corner at the cut: it takes the angle
 * as it is. Any other function is continued across the cut: D f is its discrete gradient along the continued angle, as
 * the motion feels it, and f itself jumps. */
#include "expr/call.h"
#include "expr/graph.h"
#include "expr/shown.h"

/* The two ends of an operand. */
typedef struct {
    expr at0, at1;
} ends;

static expr half_of(graph *g, expr e) { return taut_expr_mul(g, taut_expr_number(g, (wide)0.5), e); }
static expr mean(graph *g, ends x) { return half_of(g, taut_expr_add(g, x.at0, x.at1)); }
static expr difference(graph *g, ends x) { return taut_expr_sub(g, x.at1, x.at0); }
static expr even_of(graph *g, op o, expr x) { return taut_expr_numbered(g, o, x, 0); }
static expr both(graph *g, op o, ends x)
{
    return taut_expr_mul(g, taut_expr_unary(g, o, x.at0), taut_expr_unary(g, o, x.at1));
}
static ends each(graph *g, op o, ends x)
{
    return (ends){ taut_expr_unary(g, o, x.at0), taut_expr_unary(g, o, x.at1) };
}

/* x^n: even powers as squares, odd ones as x times an even power. */
static expr power_quotient(graph *g, ends x, int n)
{
    if (n == 1) return taut_expr_number(g, 1);
    if (n < 0) {
        expr down = taut_expr_mul(g, taut_expr_powi(g, x.at0, n), taut_expr_powi(g, x.at1, n));
        return taut_expr_neg(g, taut_expr_mul(g, power_quotient(g, x, -n), down));
    }
    int part = n % 2 ? n - 1 : n / 2;
    ends power = { taut_expr_powi(g, x.at0, part), taut_expr_powi(g, x.at1, part) };
    expr inner = power_quotient(g, x, part);
    if (n % 2 == 0) return taut_expr_mul(g, inner, taut_expr_add(g, power.at0, power.at1));
    return taut_expr_add(g, taut_expr_mul(g, mean(g, x), inner), mean(g, power));
}

/* theta/s, where s and c are sine and cosine of theta up to a common factor: 2 atan(s/(r + c))/s with r^2 = s^2 + c^2,
   good up to half a turn */
static expr angle_quotient(graph *g, expr s, expr c)
{
    expr r = taut_expr_unary(g, OP_SQRT, taut_expr_add(g, taut_expr_powi(g, s, 2), taut_expr_powi(g, c, 2)));
    expr sum = taut_expr_add(g, r, c);
    return taut_expr_div(g, taut_expr_mul(g, taut_expr_number(g, 2), even_of(g, OP_ATANC, taut_expr_div(g, s, sum))),
                         sum);
}

/* |a1| - |a0| = (a0 + a1)/(|a0| + |a1|) (a1 - a0); 1e-300 for 0/0 alone */
static expr abs_quotient(graph *g, ends x)
{
    ends size = each(g, OP_ABS, x);
    expr sum = taut_expr_add(g, taut_expr_add(g, size.at0, size.at1), taut_expr_number(g, (wide)1e-300));
    return taut_expr_div(g, taut_expr_add(g, x.at0, x.at1), sum);
}

/* sin(t1 - t0) = (a1 - a0) (c^2 + a^2)/c with a, c the means of a and of sqrt(1 - a^2); cos(t1 - t0) = c0 c1 + a0 a1 */
static expr asin_quotient(graph *g, ends x)
{
    expr one = taut_expr_number(g, 1);
    ends c = { taut_expr_unary(g, OP_SQRT, taut_expr_sub(g, one, taut_expr_powi(g, x.at0, 2))),
               taut_expr_unary(g, OP_SQRT, taut_expr_sub(g, one, taut_expr_powi(g, x.at1, 2))) };
    expr a2 = taut_expr_powi(g, mean(g, x), 2), c2 = taut_expr_powi(g, mean(g, c), 2);
    expr rate = taut_expr_div(g, taut_expr_add(g, a2, c2), mean(g, c));
    expr cosine = taut_expr_add(g, taut_expr_mul(g, c.at0, c.at1), taut_expr_mul(g, x.at0, x.at1));
    return taut_expr_mul(g, rate, angle_quotient(g, taut_expr_mul(g, difference(g, x), rate), cosine));
}

static expr exp_quotient(graph *g, ends x)
{
    return taut_expr_mul(g, taut_expr_unary(g, OP_EXP, mean(g, x)), even_of(g, OP_SINHC, half_of(g, difference(g, x))));
}

static expr log_quotient(graph *g, ends x)
{
    expr sum = taut_expr_add(g, x.at0, x.at1), two = taut_expr_number(g, 2);
    return taut_expr_div(g, taut_expr_mul(g, two, even_of(g, OP_ATANHC, taut_expr_div(g, difference(g, x), sum))), sum);
}

/* a1/b1 - a0/b0 = (mean(b) (a1 - a0) - mean(a) (b1 - b0))/(b0 b1) */
static expr div_quotient(graph *g, ends factor, ends b)
{
    expr r = taut_expr_div(g, taut_expr_number(g, 1), taut_expr_mul(g, b.at0, b.at1));
    return taut_expr_mul(g, mean(g, factor), r);
}
static expr div_quotient_a(graph *g, ends b) { return div_quotient(g, b, b); }
static expr div_quotient_b(graph *g, ends a, ends b) { return taut_expr_neg(g, div_quotient(g, a, b)); }

/* a^b = exp(b log a): the factor of (b log a)1 - (b log a)0 */
static expr pow_quotient(graph *g, ends z, ends a, ends b)
{
    expr change = taut_expr_add(g, taut_expr_mul(g, mean(g, b), taut_expr_mul(g, log_quotient(g, a), difference(g, a))),
                           taut_expr_mul(g, mean(g, each(g, OP_LOG, a)), difference(g, b)));
    expr middle = taut_expr_mul(g, taut_expr_unary(g, OP_SQRT, z.at0), taut_expr_unary(g, OP_SQRT, z.at1));
    return taut_expr_mul(g, middle, even_of(g, OP_SINHC, half_of(g, change)));
}
static expr pow_quotient_a(graph *g, ends z, ends a, ends b)
{
    expr r = pow_quotient(g, z, a, b);
    return taut_expr_mul(g, r, taut_expr_mul(g, mean(g, b), log_quotient(g, a)));
}
static expr pow_quotient_b(graph *g, ends z, ends a, ends b)
{
    expr r = pow_quotient(g, z, a, b);
    return taut_expr_mul(g, r, mean(g, each(g, OP_LOG, a)));
}

/* The sine of the turn from 0 to 1, times both radii: x0 y1 - y0 x1, with a = y, b = x */
static expr turn_sine(graph *g, ends a, ends b)
{
    return taut_expr_sub(g, taut_expr_mul(g, mean(g, b), difference(g, a)),
                         taut_expr_mul(g, mean(g, a), difference(g, b)));
}

/* The turn over its sine times both radii. */
static expr atan2_quotient(graph *g, ends a, ends b)
{
    expr cosine = taut_expr_add(g, taut_expr_mul(g, a.at0, a.at1), taut_expr_mul(g, b.at0, b.at1));
    return angle_quotient(g, turn_sine(g, a, b), cosine);
}
static expr atan2_quotient_a(graph *g, ends a, ends b) { return taut_expr_mul(g, mean(g, b), atan2_quotient(g, a, b)); }
static expr atan2_quotient_b(graph *g, ends a, ends b)
{
    return taut_expr_neg(g, taut_expr_mul(g, mean(g, a), atan2_quotient(g, a, b)));
}

/* min and max are (a + b -+ |a - b|)/2: half the quotient of |a - b| */
static expr corner_quotient(graph *g, ends a, ends b)
{
    return half_of(g, abs_quotient(g, (ends){ taut_expr_sub(g, a.at0, b.at0), taut_expr_sub(g, a.at1, b.at1) }));
}

static expr no_quotient(graph *g, op o, int *status)
{
    *status = taut_fail(g->context, TAUT_UNSUPPORTED, "the function %s has no discrete gradient", taut_op_name(o));
    return 0;
}

#define MEAN_LEAF(NAME, ...) case OP_##NAME: break;
#define MEAN_UNARY(NAME, text, written, value, derivative, quotient, ...) case OP_##NAME: *da = (quotient); break;
#define MEAN_BINARY(NAME, text, written, value, by_a, by_b, mean_a, mean_b, ...) \
    case OP_##NAME: *da = (mean_a), *db = (mean_b); break;

/* The mean partial derivatives of node `at`, not a leaf; z, a, b: it and its operands at both ends. Returns a
   status. */
static int mean_partials(graph *g, node at, ends z, ends a, ends b, expr *da, expr *db)
{
    const expr one = taut_expr_number(g, 1), half = taut_expr_number(g, (wide)0.5);
    const expr d = taut_op_arity(at.op) == 1 ? difference(g, a) : 0;
    const int32_t n = (int32_t)at.b;
    int status = TAUT_OUT_OF_MEMORY;
    *da = *db = 0;
    switch ((op)at.op) {
        OPERATIONS(MEAN_LEAF, MEAN_UNARY, MEAN_UNARY, MEAN_BINARY)
    }
    return *da && (taut_op_arity(at.op) < 2 || *db) ? TAUT_OK : status;
}

/* ---- over the cut of an angle ---- */

/* The angle at end 1 that continues the one at end 0 without a jump. */
static expr turned_angle(graph *g, expr angle, ends a, ends b)
{
    return taut_expr_add(g, angle, taut_expr_mul(g, turn_sine(g, a, b), atan2_quotient(g, a, b)));
}

/* The factor c of an operand c atan2(y, x), c the same at both ends; 0 for any other operand. *angle: the atan2. */
static expr angle_factor(const walk *w, const unsigned char *active, expr e, expr *angle)
{
    graph *g = w->g;
    expr factor = taut_expr_number(g, 1);
    for (;;) {
        const node n = g->nodes[e];
        *angle = e;
        if (n.op == OP_ATAN2) return factor;
        if (n.op == OP_NEG) factor = taut_expr_neg(g, factor), e = n.a;
        else if (n.op == OP_MUL && !active[walk_position(w, n.a)]) factor = taut_expr_mul(g, factor, n.a), e = n.b;
        else if (n.op == OP_MUL && !active[walk_position(w, n.b)]) factor = taut_expr_mul(g, factor, n.b), e = n.a;
        else if (n.op == OP_DIV && !active[walk_position(w, n.b)]) factor = taut_expr_div(g, factor, n.b), e = n.a;
        else return 0;
    }
}

/* An even function without a period, of a multiple of an angle: it has a corner at the cut, and no jump. */
static int has_corner_at_cut(const walk *w, const unsigned char *active, const node *n)
{
    const int even = n->op == OP_ABS || n->op == OP_COSH || (n->op == OP_POWI && (int32_t)n->b % 2 == 0);
    expr angle;
    return even && active[walk_position(w, n->a)] && angle_factor(w, active, n->a, &angle);
}

/* By how much the multiple of an angle at end 1 is beyond its value: exactly 0 where no cut was crossed. */
static expr excess(const walk *w, const unsigned char *active, const expr *at1, expr multiple)
{
    graph *g = w->g;
    expr angle, factor = angle_factor(w, active, multiple, &angle), pi = taut_expr_number(g, WIDE_PI);
    expr end = at1[walk_position(w, angle)];
    expr above = taut_expr_unary(g, OP_SIGN, taut_expr_sub(g, end, pi)),
         below = taut_expr_unary(g, OP_SIGN, taut_expr_add(g, end, pi));
    return taut_expr_mul(g, taut_expr_mul(g, factor, pi), taut_expr_add(g, above, below));
}

/* For a function with such a corner: its operand as it is at both ends, in place of the continued one. *rate: the
   difference of the one over that of the other; 1e-300 for 0/0 alone. */
static ends over_corner(const walk *w, const unsigned char *active, const expr *at1, ends a, expr *rate)
{
    graph *g = w->g;
    expr jump = excess(w, active, at1, a.at0), d = difference(g, a);
    expr square = taut_expr_add(g, taut_expr_powi(g, d, 2), taut_expr_number(g, (wide)1e-300));
    *rate = taut_expr_sub(g, taut_expr_number(g, 1), taut_expr_mul(g, jump, taut_expr_div(g, d, square)));
    return (ends){ a.at0, taut_expr_sub(g, a.at1, jump) };
}

/* at1[i], preset for the variables, of every node: it at the other end. */
static int build_other_end(walk *w, const unsigned char *active, expr *at1)
{
    graph *g = w->g;
    for (size_t i = 0; i < w->count; i++) {
        node n = g->nodes[w->list[i]];
        const int arity = taut_op_arity(n.op);
        expr rate;
        if (at1[i]) continue;
        if (!active[i]) {
            at1[i] = w->list[i];
            continue;
        }
        ends a = { n.a, at1[walk_position(w, n.a)] }, b = { n.b, arity == 2 ? at1[walk_position(w, n.b)] : 0 };
        if (has_corner_at_cut(w, active, &n)) a = over_corner(w, active, at1, a, &rate);
        at1[i] = n.op == OP_ATAN2 ? turned_angle(g, w->list[i], a, b) : taut_expr_rebuild(g, &n, a.at1, b.at1);
        if (!at1[i]) return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

static int sweep_triple(walk *w, const expr components[9], const unsigned char *active, const expr *at1, expr adjoint,
                        expr *adjoints)
{
    expr ends1[9], out[9];
    for (int i = 0; i < 9; i++) ends1[i] = at1[walk_position(w, components[i])];
    taut_triple_quotient(w->g, components, ends1, out);
    for (int i = 0; i < 9; i++) {
        const size_t at = walk_position(w, components[i]);
        if (active[at] && taut_accumulate(w->g, &adjoints[at], adjoint, out[i])) return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

/* Adjoints from the root down; at1[i] is node i at the other end. */
static int sweep(walk *w, expr f, const unsigned char *active, const expr *at1, expr *adjoint)
{
    graph *g = w->g;
    adjoint[walk_position(w, f)] = taut_expr_number(g, 1);
    if (!adjoint[walk_position(w, f)]) return TAUT_OUT_OF_MEMORY;
    for (size_t i = w->count; i-- > 0;) {
        expr da, db;
        node n = g->nodes[w->list[i]];
        int arity = taut_op_arity(n.op);
        if (!adjoint[i] || !active[i] || arity == 0) continue;
        if (n.op == OP_CALL)
            return taut_fail(g->context, TAUT_UNSUPPORTED,
                             "the function '%s' has no discrete gradient, which this method needs; choose another "
                             "method, or write its formula in the model",
                             taut_graph_called(g, call_function_of(&n))->name);
        expr components[9];
        if (n.op == OP_SHOWN && taut_expr_is_triple(g, n.b, components)) {
            if (sweep_triple(w, components, active, at1, adjoint[i], adjoint)) return TAUT_OUT_OF_MEMORY;
            continue;
        }
        size_t a = walk_position(w, n.a), b = arity == 2 ? walk_position(w, n.b) : a;
        ends z = { w->list[i], at1[i] }, x = { n.a, at1[a] }, y = { w->list[b], at1[b] };
        expr rate = 0;
        if (has_corner_at_cut(w, active, &n)) x = over_corner(w, active, at1, x, &rate);
        int status = mean_partials(g, n, z, x, y, &da, &db);
        if (status) return status;
        if (rate) da = taut_expr_mul(g, da, rate);
        if (active[a] && n.op != OP_SHOWN && taut_accumulate(g, &adjoint[a], adjoint[i], da)) return TAUT_OUT_OF_MEMORY;
        if (arity == 2 && active[b] && taut_accumulate(g, &adjoint[b], adjoint[i], db)) return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

int taut_expr_discrete_gradient(graph *g, expr f, const expr *from, const expr *to, size_t count, expr *out)
{
    walk w;
    if (!f || !are_made(from, count) || !are_made(to, count) || taut_walk_begin(&w, g, &f, 1))
        return TAUT_OUT_OF_MEMORY;
    expr *at1 = taut_mem_new(g->context, w.count, sizeof *at1),
         *adjoint = taut_mem_new(g->context, w.count, sizeof *adjoint);
    unsigned char *active = taut_mem_new(g->context, w.count, 1);
    expr zero = taut_expr_number(g, 0);
    int status = at1 && adjoint && active && zero ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t v = 0; !status && v < count; v++)
        if (walk_has(&w, from[v])) at1[walk_position(&w, from[v])] = to[v];
    if (!status) taut_find_active(&w, from, count, active);
    if (!status) status = build_other_end(&w, active, at1);
    if (!status) status = sweep(&w, f, active, at1, adjoint);
    for (size_t v = 0; !status && v < count; v++) {
        expr d = walk_has(&w, from[v]) ? adjoint[walk_position(&w, from[v])] : 0;
        out[v] = d ? d : zero;
    }
    taut_mem_free(g->context, at1);
    taut_mem_free(g->context, adjoint);
    taut_mem_free(g->context, active);
    taut_walk_end(&w);
    return status;
}
