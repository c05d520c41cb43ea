/* Expressions, built from the input out of every operation, each on operands within its domain, at a point with numbers
 * that double precision has. In the widest precision: derivatives against differences, the simplified expression against
 * the expression, the discrete gradient against the difference that it must give. By tapes: values and gradients in
 * double (and quad, where the build has it) against the tree.
 *
 * What may differ is bounded node by node: `spread` carries an error of each operation, `unit` of its value, through the
 * tree. */
#include <math.h>

#include "expr_core.h"
#include "fuzz.h"

static graph *g;
static choices c;
static wide point[EXPR_VARIABLES], other[EXPR_VARIABLES];
static const wide parameters[EXPR_PARAMETERS] = { 0.625, 1.75 };

#ifdef TAUT_HAVE_QUAD
static const wide finest = 0x1p-112F128;
#else
static const wide finest = 0x1p-63L;
#endif

enum { NODES_MOST = 3000, DEPTH_MOST = 6 };

static wide lookup(void *user, op o, kind k, uint32_t index)
{
    const wide *x = user;
    return o == OP_PARAMETER ? parameters[index] : k == KIND_SLOT ? other[index] : x[index];
}

/* ---- building, as tests/support_random_expr.h ---- */

static void name(void *user, op o, kind k, uint32_t index, char *buffer, size_t size)
{
    (void)user;
    snprintf(buffer, size, "%c%d_%u", o == OP_PARAMETER ? 'p' : 'v', (int)k, index);
}

static expr number(double x) { return taut_expr_number(g, taut_wide_from_double(x)); }
static expr bounded(expr a) { return taut_expr_unary(g, OP_SIN, a); }
static expr positive(expr a) { return taut_expr_add(g, number(2), bounded(a)); }
static expr away(expr a) { return choose(&c, 2) ? positive(a) : taut_expr_neg(g, positive(a)); }

static expr leaf(void)
{
    switch (choose(&c, 6)) {
    case 0: return number((double)choose(&c, 5) - 2);
    case 1: return number(((double)choose(&c, 4001) - 2000) / 1000);
    case 2: return taut_expr_parameter(g, choose(&c, EXPR_PARAMETERS));
    default: return taut_expr_variable(g, KIND_Q, choose(&c, EXPR_VARIABLES));
    }
}

static expr apply(op o, expr a, expr b)
{
    switch (o) {
    case OP_NEG: return taut_expr_neg(g, a);
    case OP_DIV: return taut_expr_div(g, a, away(b));
    case OP_POWI: return taut_expr_powi(g, away(a), (int32_t)choose(&c, 9) - 4);
    case OP_POW: return taut_expr_pow(g, positive(a), bounded(b));
    case OP_SQRT:
    case OP_LOG: return taut_expr_unary(g, o, positive(a));
    case OP_EXP:
    case OP_TAN:
    case OP_SINH:
    case OP_COSH: return taut_expr_unary(g, o, bounded(a));
    case OP_ASIN:
    case OP_ACOS: return taut_expr_unary(g, o, taut_expr_mul(g, number(0.5), bounded(a)));
    case OP_CBRT:
    case OP_ABS: return taut_expr_unary(g, o, away(a));
    case OP_SIGN: return taut_expr_mul(g, taut_expr_unary(g, o, away(a)), b);
    case OP_ATAN2: return taut_expr_binary(g, o, away(a), b);
    case OP_MIN:
    case OP_MAX: return taut_expr_binary(g, o, bounded(a), taut_expr_add(g, number(3), bounded(b)));
    case OP_ADD:
    case OP_SUB:
    case OP_MUL: return taut_expr_binary(g, o, a, b);
    case OP_SIN:
    case OP_COS:
    case OP_ATAN:
    case OP_TANH: return taut_expr_unary(g, o, a);
    case OP_SINC:
    case OP_SINHC:
    case OP_ATANC: return taut_expr_numbered(g, o, bounded(a), (int32_t)choose(&c, 2));
    case OP_ATANHC: return taut_expr_numbered(g, o, taut_expr_mul(g, number(0.5), bounded(a)), (int32_t)choose(&c, 2));
    default: return taut_expr_add(g, a, b);
    }
}

static expr build(int depth)
{
    if (depth == 0 || !choices_left(&c) || choose(&c, 8) == 0) return leaf();
    const op o = (op)(OP_NEG + choose(&c, OP_COUNT - OP_NEG));
    const expr a = build(depth - 1), b = build(depth - 1);
    return apply(o, a, b);
}

/* ---- values with bounds ---- */

typedef struct {
    wide value, bound;
} bounded_value;

/* Every operation errs by `unit` of its value, every leaf too. bound < 0: not finite. */
static bounded_value spread(expr f, const wide *x, wide unit)
{
    expr *list;
    size_t count;
    if (taut_expr_reachable(g, &f, 1, &list, &count)) return (bounded_value){ 0, -1 };
    bounded_value *all = calloc(taut_graph_count(g), sizeof *all), result = { 0, -1 };
    for (size_t i = 0; all && i < count; i++) {
        const node *n = taut_graph_node(g, list[i]);
        const op o = (op)n->op;
        bounded_value *v = &all[list[i]];
        if (o == OP_CONSTANT) v->value = taut_graph_constant(g, list[i]);
        else if (o == OP_PARAMETER) v->value = lookup((void *)x, o, KIND_Q, n->a);
        else if (o == OP_VARIABLE) v->value = lookup((void *)x, o, (kind)n->b, n->a);
        else {
            const int numbered = op_has_number(o), two = !numbered && taut_op_arity(o) == 2;
            const bounded_value a = all[n->a], b = two ? all[n->b] : (bounded_value){ 0, 0 };
            const int32_t k = numbered ? (int32_t)n->b : 0;
            v->value = taut_op_apply(o, a.value, b.value, k);
            for (int sign = -1; sign <= 1; sign += 2) {
                const wide by_a = taut_op_apply(o, a.value + sign * a.bound, b.value, k) - v->value,
                           by_b = two ? taut_op_apply(o, a.value, b.value + sign * b.bound, k) - v->value : 0;
                v->bound += (by_a < 0 ? -by_a : by_a) + (by_b < 0 ? -by_b : by_b);
            }
        }
        v->bound += unit * (v->value < 0 ? -v->value : v->value);
        if (v->value - v->value != 0 || v->bound - v->bound != 0) {
            v->bound = -1; /* it stays below zero on the way up, as far as it matters */
            result = *v;
            goto end;
        }
        if (list[i] == f) result = *v;
    }
end:
    free(all);
    taut_expr_list_free(g, list);
    return result;
}

static wide size_of(wide x) { return x < 0 ? -x : x; }

static void agree(const char *what, wide found, wide expected, wide bound)
{
    const wide most = 16 * bound + (wide)1e-300;
    FUZZ_CHECK(size_of(found - expected) <= most, "%s: %.17g and %.17g differ by %.3g, more than %.3g", what, (double)found,
               (double)expected, (double)(found - expected), (double)most);
}

/* ---- the comparisons ---- */

static void compare_tapes(expr f, const expr *slopes)
{
    wide value, gradient[EXPR_VARIABLES];
    const wide units[] = { 0x1p-52, finest };
#ifdef TAUT_HAVE_QUAD
    const int precisions = 2;
#else
    const int precisions = 1;
#endif
    for (int p = 0; p < precisions; p++) {
        const bounded_value exact = spread(f, point, 4 * units[p]);
        if (exact.bound < 0) return;
#ifdef TAUT_HAVE_QUAD
        const int status = p ? taut_fuzz_field_quad(g, f, lookup, point, point, &value, gradient)
                             : taut_fuzz_field_double(g, f, lookup, point, point, &value, gradient);
#else
        const int status = taut_fuzz_field_double(g, f, lookup, point, point, &value, gradient);
#endif
        if (status) return;
        agree("tape and tree", value, exact.value, exact.bound);
        for (int i = 0; i < EXPR_VARIABLES; i++) {
            const bounded_value slope = spread(slopes[i], point, 4 * units[p]);
            if (slope.bound >= 0) agree("gradients of tape and tree", gradient[i], slope.value, slope.bound);
        }
    }
}

/* The difference of fourth order along variable i with step h, and the round-off in it; 0 where it is not finite. */
static int difference(expr f, int i, wide h, wide *found, wide *noise)
{
    static const double weights[] = { 1, -8, 8, -1 }, places[] = { -2, -1, 1, 2 };
    *found = *noise = 0;
    for (int j = 0; j < 4; j++) {
        wide x[EXPR_VARIABLES];
        memcpy(x, point, sizeof x);
        x[i] += (wide)places[j] * h;
        const bounded_value v = spread(f, x, finest);
        if (v.bound < 0) return 0;
        *found += (wide)weights[j] * v.value / (12 * h);
        *noise += 8 * v.bound / (12 * h);
    }
    return 1;
}

/* Differences with steps h and h/2; what they differ by bounds the error of the finer one, where h resolves the
   function: spread() says how steep it is, also where that is the sine of something steep. Halved until it does. */
static void compare_differences(expr f, const expr *slopes)
{
    for (int i = 0; i < EXPR_VARIABLES; i++) {
        const bounded_value slope = spread(slopes[i], point, finest);
        wide h = (wide)0x1p-10, found, before = 0, noise;
        int resolved = 0;
        if (slope.bound < 0) continue;
        for (int k = 0; k < 24 && resolved < 2; k++, h /= 2) {
            if (!difference(f, i, h, &found, &noise)) return;
            const wide steep = noise * 12 * h / (8 * finest); /* the sum of four places */
            resolved += resolved || h * steep <= (wide)0x1p-4;
            if (resolved == 2)
                agree("derivative and differences", slope.value, found, size_of(found - before) + noise + slope.bound);
            before = found;
        }
    }
}

static void compare_simplified(expr f)
{
    const expr plain = taut_expr_simplify(g, f, NULL, NULL);
    if (!plain || taut_graph_count(g) > 100 * NODES_MOST) return;
    const bounded_value a = spread(f, point, finest), b = spread(plain, point, finest);
    if (a.bound >= 0 && b.bound >= 0) agree("expression and simplified expression", b.value, a.value, a.bound + b.bound);
}

/* f(other) - f(point) = sum_i D_i f (other_i - point_i) */
static void compare_discrete(expr f, const expr *variables)
{
    expr to[EXPR_VARIABLES], out[EXPR_VARIABLES];
    for (int i = 0; i < EXPR_VARIABLES; i++) to[i] = taut_expr_variable(g, KIND_SLOT, (uint32_t)i);
    if (taut_expr_discrete_gradient(g, f, variables, to, EXPR_VARIABLES, out)) return;
    if (taut_graph_count(g) > 20 * NODES_MOST) return;
    const bounded_value from = spread(f, point, finest), at = spread(f, other, finest);
    wide sum = 0, bound = from.bound + at.bound;
    if (from.bound < 0 || at.bound < 0) return;
    for (int i = 0; i < EXPR_VARIABLES; i++) {
        const bounded_value d = spread(out[i], point, finest);
        if (d.bound < 0) return;
        sum += d.value * (other[i] - point[i]);
        bound += d.bound * size_of(other[i] - point[i]);
    }
    agree("discrete gradient and difference", sum, at.value - from.value, bound);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bounds b;
    c = (choices){ data, size, 0 };
    taut_context *context = bounded_begin(&b);
    g = taut_graph_create(context);
    FUZZ_CHECK(g, "no graph");
    for (int i = 0; i < EXPR_VARIABLES; i++) {
        point[i] = ((wide)choose(&c, 513) - 256) / 256;
        other[i] = ((wide)choose(&c, 513) - 256) / 256;
    }
    const uint32_t what = choose(&c, 4);
    expr f = build(DEPTH_MOST), variables[EXPR_VARIABLES], slopes[EXPR_VARIABLES];
    for (int i = 0; i < EXPR_VARIABLES; i++) variables[i] = taut_expr_variable(g, KIND_Q, (uint32_t)i);
    if (f && taut_graph_count(g) < NODES_MOST && !taut_expr_gradient(g, f, variables, EXPR_VARIABLES, slopes)) {
        char text[200];
        taut_expr_print(g, f, name, NULL, text, 1 + choose(&c, sizeof text));
        switch (what) {
        case 0: compare_tapes(f, slopes); break;
        case 1: compare_differences(f, slopes); break;
        case 2: compare_simplified(f); break;
        default: compare_discrete(f, variables);
        }
    }
    taut_graph_destroy(g);
    bounded_end(&b);
    return 0;
}
