/* Discrete gradients: D f . (x1 - x0) = f(x1) - f(x0), whatever f is and however near the ends are. */
#include <string.h>

#include "expr/shown.h"
#include "support_random_expr.h"

enum { EXPRESSIONS = 300 };

typedef struct {
    wide from[VARIABLES], to[VARIABLES];
} pair;

static int setup_random(void **state)
{
    random_state = 11;
    return setup(state);
}

static wide lookup_pair(void *user, op o, kind k, uint32_t index)
{
    const pair *at = user;
    if (o == OP_PARAMETER) return (wide)0.75 + index;
    return k == KIND_DIRECTION_U ? at->to[index] : at->from[index];
}

static wide value_between(expr e, const pair *at) { return value_by(lookup_pair, at, e); }

static expr other(int i) { return taut_expr_variable(g, KIND_DIRECTION_U, (uint32_t)i); }

static void discrete(expr f, expr out[VARIABLES])
{
    expr from[VARIABLES], to[VARIABLES];
    for (int i = 0; i < VARIABLES; i++) from[i] = variable(i), to[i] = other(i);
    assert_int_equal(taut_expr_discrete_gradient(g, f, from, to, VARIABLES, out), TAUT_OK);
}

static wide at_other_end(expr f, const pair *at)
{
    pair swapped = *at;
    memcpy(swapped.from, at->to, sizeof at->to);
    return value_between(f, &swapped);
}

static pair random_pair(wide distance)
{
    pair at;
    for (int i = 0; i < VARIABLES; i++)
        at.from[i] = uniform(-1, 1), at.to[i] = at.from[i] + distance * (wide)uniform(-1, 1);
    return at;
}

/* The size of D's terms times the difference, and of f: what a rounding is relative to. Expressions of some twenty
   operations may cancel inside: 1e5 units. */
static void assert_directional(expr f, const expr *d, const pair *at)
{
    wide sum = 0, size = 0, change = at_other_end(f, at) - value_between(f, at);
    for (int i = 0; i < VARIABLES; i++) {
        wide term = value_between(d[i], at) * (at->to[i] - at->from[i]);
        sum += term;
        size += WIDE(fabs)(term);
    }
    size += 1 + WIDE(fabs)(value_between(f, at)) + WIDE(fabs)(at_other_end(f, at));
    if (!(WIDE(fabs)(sum - change) <= (wide)1e5 * epsilon * size))
        fail_msg("D f . d = %.17g, f1 - f0 = %.17g, off by %.3g", (double)sum, (double)change, (double)(sum - change));
}

/* Both ends may be exchanged. */
static void assert_symmetric(const expr *d, const pair *at)
{
    pair swapped;
    memcpy(swapped.from, at->to, sizeof at->to);
    memcpy(swapped.to, at->from, sizeof at->from);
    for (int i = 0; i < VARIABLES; i++) {
        wide x = value_between(d[i], at), y = value_between(d[i], &swapped);
        assert_true(WIDE(fabs)(x - y) <= (wide)1e5 * epsilon * (1 + WIDE(fabs)(x)));
    }
}

/* With the ends together, D f is the gradient. */
static void assert_gradient_at_one_point(expr f, const expr *d)
{
    pair at = random_pair(0);
    expr x[VARIABLES], gradient[VARIABLES];
    for (int i = 0; i < VARIABLES; i++) x[i] = variable(i);
    assert_int_equal(taut_expr_gradient(g, f, x, VARIABLES, gradient), TAUT_OK);
    for (int i = 0; i < VARIABLES; i++) {
        wide exact = value_between(gradient[i], &at), found = value_between(d[i], &at);
        if (!(WIDE(fabs)(found - exact) <= (wide)1e5 * epsilon * (1 + WIDE(fabs)(exact))))
            fail_msg("D f = %.17g, gradient %.17g", (double)found, (double)exact);
    }
}

static void check(expr f)
{
    expr d[VARIABLES];
    discrete(f, d);
    wide distances[] = { 1, (wide)1e-3, (wide)1e-10, 64 * epsilon };
    for (size_t k = 0; k < sizeof distances / sizeof *distances; k++) {
        pair at = random_pair(distances[k]);
        assert_directional(f, d, &at);
        assert_symmetric(d, &at);
    }
    assert_gradient_at_one_point(f, d);
}

static int has_sign(op o) { return o == OP_SIGN || o >= OP_SINC; } /* a jump, and parts of discrete gradients
                                                                      themselves: no differences of those */

static void single_operations(void **state)
{
    (void)state;
    for (op o = OP_NEG; o < OP_COUNT; o++)
        if (!has_sign(o))
            for (int trial = 0; trial < 5; trial++) check(apply(o, variable(0), variable(1)));
    for (int n = -7; n <= 9; n++)
        if (n) check(taut_expr_powi(g, add(number(3), variable(1)), n));
    check(taut_expr_pow(g, taut_expr_parameter(g, 1), variable(0)));
    check(taut_expr_pow(g, taut_expr_add(g, number(3), variable(1)), taut_expr_parameter(g, 1)));
    check(taut_expr_pow(g, taut_expr_add(g, number(3), variable(1)), taut_expr_add(g, number(3), variable(1))));
}

static int usable(expr f)
{
    expr *list;
    size_t count;
    int found = 1;
    assert_int_equal(taut_expr_reachable(g, &f, 1, &list, &count), TAUT_OK);
    for (size_t i = 0; i < count; i++) found &= !has_sign(taut_graph_node(g, list[i])->op);
    taut_expr_list_free(g, list);
    return found;
}

static void random_expressions(void **state)
{
    (void)state;
    int checked = 0;
    for (int i = 0; i < EXPRESSIONS; i++) {
        expr f = random_expression(1 + i % 4);
        if (!usable(f)) continue;
        check(f);
        checked++;
    }
    assert_true(checked > EXPRESSIONS / 3);
}

/* Kinks and turns between the ends: |x|, min and max over their corner, atan over 150 degrees, atan2 over 170. */
static void far_ends(void **state)
{
    (void)state;
    expr x = variable(0), y = variable(1), d[VARIABLES];
    struct { expr f; pair at; } cases[] = {
        { unary(OP_ABS, x), { { -1, 0, 0 }, { 3, 0, 0 } } },
        { taut_expr_binary(g, OP_MIN, x, y), { { 0, 1, 0 }, { 2, -1, 0 } } },
        { taut_expr_binary(g, OP_MAX, x, y), { { 0, 1, 0 }, { 2, -1, 0 } } },
        { unary(OP_ATAN, x), { { -4, 0, 0 }, { 4, 0, 0 } } },
        { taut_expr_binary(g, OP_ATAN2, x, y), { { (wide)0.1, 1, 0 }, { (wide)0.07, -1, 0 } } },
        { unary(OP_ASIN, x), { { (wide)-0.99, 0, 0 }, { (wide)0.98, 0, 0 } } },
        { unary(OP_LOG, x), { { (wide)0.01, 0, 0 }, { 1, 0, 0 } } },
        { unary(OP_TANH, x), { { -20, 0, 0 }, { 30, 0, 0 } } },
        { unary(OP_EXP, x), { { -30, 0, 0 }, { 2, 0, 0 } } },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        discrete(cases[i].f, d);
        assert_directional(cases[i].f, d, &cases[i].at);
    }
    discrete(unary(OP_ABS, x), d);
    pair corner = { { 0, 0, 0 }, { 0, 0, 0 } };
    assert_true(value_between(d[0], &corner) == 0);
}

/* ---- angles over their cut ---- */

static expr angle(void) { return taut_expr_binary(g, OP_ATAN2, variable(1), variable(0)); }

/* Ends on both sides of the negative x axis, at most this many radians from it, on radii from 1/2 to 2. */
static pair over_the_cut(wide distance)
{
    pair at = random_pair(distance);
    wide before = distance * (wide)uniform(0.1, 1), behind = distance * (wide)uniform(0.1, 1),
         near = (wide)uniform(0.5, 2), far = near * (1 + distance * (wide)uniform(-0.5, 0.5)), side = below(2) ? 1 : -1;
    at.from[0] = -near * WIDE(cos)(before), at.from[1] = side * near * WIDE(sin)(before);
    at.to[0] = -far * WIDE(cos)(behind), at.to[1] = -side * far * WIDE(sin)(behind);
    return at;
}

/* sin or cos of a whole multiple of the angle, and of other things */
static expr wave(void)
{
    expr phase = add(mul(number(1 + below(4)), angle()), random_expression(below(2)));
    return unary(below(2) ? OP_SIN : OP_COS, phase);
}

/* A function with the period of the angle has no jump at the cut, and neither has its difference. */
static void periodic_functions_of_angles(void **state)
{
    (void)state;
    static const op over[] = { OP_NEG, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_POWI, OP_POW, OP_SQRT, OP_EXP, OP_SIN, OP_COS,
                               OP_ATAN };
    int checked = 0;
    for (int i = 0; i < EXPRESSIONS; i++) {
        expr f = wave(), d[VARIABLES];
        for (int depth = i % 3; depth > 0; depth--)
            f = apply(over[below(sizeof over / sizeof *over)], f, below(2) ? wave() : random_expression(1));
        if (!usable(f)) continue;
        discrete(f, d);
        wide distances[] = { (wide)0.5, (wide)1e-3, (wide)1e-10, 64 * epsilon };
        for (size_t k = 0; k < sizeof distances / sizeof *distances; k++) {
            pair at = over_the_cut(distances[k]);
            assert_directional(f, d, &at);
            assert_symmetric(d, &at);
        }
        checked++;
    }
    assert_true(checked > EXPRESSIONS / 2);
}

/* The square of an angle, its size: corners at the cut, over which they are as exact. */
static void corners_at_the_cut(void **state)
{
    (void)state;
    expr x = variable(0), y = variable(1), half = taut_expr_parameter(g, 0), d[VARIABLES];
    expr forms[] = { powi(angle(), 2), powi(mul(half, angle()), 4), unary(OP_ABS, angle()),
                     unary(OP_COSH, quotient(angle(), half)),
                     mul(unary(OP_SIN, angle()), add(x, mul(y, powi(angle(), 2)))),
                     unary(OP_SIN, add(unary(OP_ABS, angle()), y)) };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        discrete(forms[f], d);
        /* not nearer: 2 pi is taken away from 2 pi, and the rest divided by the turn */
        for (wide distance = 1; distance > (wide)1e-4; distance /= 10)
            for (int trial = 0; trial < 10; trial++) {
                pair at = over_the_cut(distance);
                assert_directional(forms[f], d, &at);
            }
        pair same = random_pair((wide)0.1); /* on one side nothing changes */
        same.from[0] += 3, same.to[0] += 3;
        assert_directional(forms[f], d, &same);
        assert_symmetric(d, &same);
    }
}

/* A torsion spring jumps at the cut: D f is that of the angle which goes on. */
static void springs_go_on_over_the_cut(void **state)
{
    (void)state;
    expr f = powi(sub(angle(), number(0.3)), 2), d[VARIABLES];
    discrete(f, d);
    pair at = { { -1, (wide)0.1, 0 }, { -1, (wide)-0.2, 0 } };
    wide turn = WIDE(atan)((wide)0.1) + WIDE(atan)((wide)0.2), before = WIDE(atan2)((wide)0.1, -1) - (wide)0.3,
         sum = value_between(d[1], &at) * (at.to[1] - at.from[1]);
    assert_true(WIDE(fabs)(sum - turn * (2 * before + turn)) <= 64 * epsilon);
    assert_true(value_between(d[2], &at) == 0);
}

/* ---- second forms ---- */

/* a.(b x c), as a sum over components */
static expr triple_product(const expr a[3], const expr b[3], const expr c[3])
{
    expr sum = number(0);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        sum = add(sum, mul(a[i], sub(mul(b[j], c[k]), mul(b[k], c[j]))));
    }
    return sum;
}

/* Three vectors of random components, also where they lie in a plane or the line of one; a function of their triple
   product and of others. */
static void triple_products(void **state)
{
    (void)state;
    for (int trial = 0; trial < 40; trial++) {
        expr v[3][3];
        for (int i = 0; i < 9; i++) {
            do v[i / 3][i % 3] = random_expression(1 + below(2));
            while (!usable(v[i / 3][i % 3]));
        }
        if (trial % 4 == 1)
            for (int i = 0; i < 3; i++) v[2][i] = add(v[0][i], mul(number(2), v[1][i]));
        if (trial % 4 == 3)
            for (int i = 0; i < 3; i++) v[1][i] = add(number(trial == 3), v[0][i]);
        expr value = triple_product(v[0], v[1], v[2]), shown = taut_expr_triple(g, value, v[0], v[1], v[2]);
        check(add(shown, unary(OP_SIN, mul(shown, variable(0)))));
    }
}

/* f in all respects, but for its discrete gradient, which is that of the second form. */
static void second_forms(void **state)
{
    (void)state;
    expr x = variable(0), y = variable(1), value = mul(mul(x, x), mul(y, y)), form = powi(mul(x, y), 2);
    expr root = unary(OP_SQRT, add(number(1), taut_expr_shown(g, value, form))), d[VARIABLES], of_form[VARIABLES];
    pair at = random_pair((wide)0.5);
    discrete(root, d);
    discrete(unary(OP_SQRT, add(number(1), form)), of_form);
    assert_true(value_between(root, &at) == value_between(unary(OP_SQRT, add(number(1), value)), &at));
    for (int i = 0; i < VARIABLES; i++) {
        assert_true(WIDE(fabs)(value_between(d[i], &at) - value_between(of_form[i], &at)) <= 64 * epsilon);
        expr derivative = taut_expr_derivative(g, root, variable(i));
        assert_true(taut_expr_plain(g, derivative)
                    == taut_expr_derivative(g, unary(OP_SQRT, add(number(1), value)), variable(i)));
    }
    assert_true(taut_expr_plain(g, root) == unary(OP_SQRT, add(number(1), value)));
    assert_int_equal(taut_expr_degree(g, taut_expr_shown(g, value, form), 1u << KIND_Q), 4);
}

/* Polynomials of degree 2, however they are written: the gradient half way. */
static void quadratic_is_midpoint(void **state)
{
    (void)state;
    expr x = variable(0), y = variable(1), z = variable(2), d[VARIABLES], v[VARIABLES] = { x, y, z },
         gradient[VARIABLES];
    expr forms[] = { mul(sub(x, y), add(mul(number(3), z), number(2))), powi(sub(add(x, z), mul(number(2), y)), 2),
                     add(mul(x, y), add(powi(z, 2), mul(sub(y, z), sub(y, z)))), quotient(mul(x, z), number(7)) };
    for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
        discrete(forms[f], d);
        assert_int_equal(taut_expr_gradient(g, forms[f], v, VARIABLES, gradient), TAUT_OK);
        pair at = random_pair(1), middle = at;
        for (int i = 0; i < VARIABLES; i++) middle.from[i] = (at.from[i] + at.to[i]) / 2;
        for (int i = 0; i < VARIABLES; i++)
            assert_true(WIDE(fabs)(value_between(d[i], &at) - value_between(gradient[i], &middle)) <= 16 * epsilon);
    }
}

/* Functions of several invariant quadratic atoms: orthogonal to the rotation about z, half way. exp(x^2) exp(y^2),
   which is as invariant, but whose atoms are not, is the control. */
static void orthogonal_to_symmetries(void **state)
{
    (void)state;
    expr x = variable(0), y = variable(1), z = variable(2), d[VARIABLES];
    expr r2 = add(powi(x, 2), powi(y, 2)), control = mul(unary(OP_EXP, powi(x, 2)), unary(OP_EXP, powi(y, 2)));
    expr forms[] = { quotient(unary(OP_SIN, mul(r2, z)), add(number(1), mul(unary(OP_SQRT, r2), powi(z, 2)))),
                     mul(unary(OP_EXP, r2), taut_expr_pow(g, add(r2, number(1)), unary(OP_COS, z))), control };
    for (int f = 0; f < 3; f++) {
        wide most = 0;
        discrete(forms[f], d);
        for (int trial = 0; trial < 10; trial++) {
            pair at = random_pair(1);
            wide turn = value_between(d[1], &at) * (at.from[0] + at.to[0]) / 2
                        - value_between(d[0], &at) * (at.from[1] + at.to[1]) / 2;
            if (WIDE(fabs)(turn) > most) most = WIDE(fabs)(turn);
        }
        assert_true(f < 2 ? most <= 64 * epsilon : most > (wide)1e-3);
    }
}

/* ---- through the atoms ---- */

typedef struct {
    const pair *at;
    wide w0[64], w1[64];
} atom_values;

static wide lookup_atoms(void *user, op o, kind k, uint32_t index)
{
    const atom_values *v = user;
    if (o == OP_PARAMETER) return (wide)0.75 + index;
    return k == KIND_SLOT ? v->w0[index] : v->w1[index];
}

/* f = F(w), w its quadratic atoms: D f = Dw(mid)' DF(w0, w1) */
static void goes_through_the_atoms(void **state)
{
    (void)state;
    int several = 0;
    for (int trial = 0; trial < EXPRESSIONS; trial++) {
        expr f = random_expression(3 + trial % 3), outer, *atoms, d[VARIABLES], slots[64], others[64], df[64],
             x[VARIABLES];
        size_t count;
        if (!usable(f)) continue;
        assert_int_equal(taut_expr_atoms(g, f, 1u << KIND_Q, &outer, &atoms, &count), TAUT_OK);
        assert_true(count <= 64);
        pair at = random_pair((wide)0.5), middle = at;
        atom_values v = { .at = &at };
        discrete(f, d);
        for (int i = 0; i < VARIABLES; i++) x[i] = variable(i), middle.from[i] = (at.from[i] + at.to[i]) / 2;
        for (uint32_t k = 0; k < count; k++) {
            slots[k] = taut_expr_variable(g, KIND_SLOT, k), others[k] = taut_expr_variable(g, KIND_DIRECTION_W, k);
            v.w0[k] = value_between(atoms[k], &at), v.w1[k] = at_other_end(atoms[k], &at);
        }
        assert_int_equal(taut_expr_discrete_gradient(g, outer, slots, others, count, df), TAUT_OK);
        wide sum[VARIABLES] = { 0 }, size = 1;
        for (uint32_t k = 0; k < count; k++) {
            expr gradient[VARIABLES];
            assert_int_equal(taut_expr_gradient(g, atoms[k], x, VARIABLES, gradient), TAUT_OK);
            for (int i = 0; i < VARIABLES; i++) {
                wide term = value_by(lookup_atoms, &v, df[k]) * value_between(gradient[i], &middle);
                sum[i] += term, size += WIDE(fabs)(term);
            }
        }
        for (int i = 0; i < VARIABLES; i++)
            assert_true(WIDE(fabs)(sum[i] - value_between(d[i], &at)) <= (wide)1e5 * epsilon * size);
        several += count > 1;
        taut_expr_list_free(g, atoms);
    }
    assert_true(several > EXPRESSIONS / 10);
}

/* A constant of a million added to f leaves D f as it is, to the last bit but a few. */
static void offsets_do_not_matter(void **state)
{
    (void)state;
    expr x = variable(0), d[VARIABLES], offset[VARIABLES];
    expr f = unary(OP_EXP, unary(OP_SIN, x));
    discrete(f, d);
    discrete(add(f, number(1000000)), offset);
    pair at = random_pair((wide)1e-9);
    assert_true(value_between(d[0], &at) == value_between(offset[0], &at));
}

/* ---- the even functions ---- */

/* d^n/dx^n F(x)/x: series and closed form meet, and the derivative of one is the next. */
static void even_functions_are_smooth(void **state)
{
    (void)state;
    static const wide seams[] = { 1, 1, (wide)0.5, (wide)0.5 };
    for (int f = 0; f < 4; f++)
        for (int n = 0; n < 3; n++) {
            wide h = WIDE(pow)(epsilon, (wide)0.25), x = seams[f];
            wide below_seam = taut_op_apply(OP_SINC + (op)f, x - h, 0, n),
                 above = taut_op_apply(OP_SINC + (op)f, x + h, 0, n);
            wide slope = taut_op_apply(OP_SINC + (op)f, x, 0, n + 1);
            /* central difference: h^2/6 f''' with h^2 = sqrt(eps); f''' is some hundreds for atanh at 1/2 */
            assert_true(WIDE(fabs)((above - below_seam) / (2 * h) - slope) <= 1000 * h * h);
            wide at0 = taut_op_apply(OP_SINC + (op)f, 0, 0, n), tiny = taut_op_apply(OP_SINC + (op)f, h * h, 0, n);
            assert_true(n % 2 ? at0 == 0 : WIDE(fabs)(at0 - tiny) <= 4 * h * h);
        }
    assert_true(taut_op_apply(OP_SINC, 0, 0, 0) == 1 && taut_op_apply(OP_SINHC, 0, 0, 0) == 1);
    assert_true(WIDE(fabs)(taut_op_apply(OP_ATANHC, (wide)0.25, 0, 0) - WIDE(atanh)((wide)0.25) * 4) <= 4 * epsilon);
    assert_true(WIDE(fabs)(taut_op_apply(OP_ATANC, (wide)0.25, 0, 0) - WIDE(atan)((wide)0.25) * 4) <= 4 * epsilon);
    assert_true(WIDE(fabs)(taut_op_apply(OP_SINC, (wide)0.75, 0, 0) - WIDE(sin)((wide)0.75) / (wide)0.75)
                <= 4 * epsilon);
    assert_true(WIDE(fabs)(taut_op_apply(OP_SINHC, (wide)0.75, 0, 0) - WIDE(sinh)((wide)0.75) / (wide)0.75)
                <= 4 * epsilon);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(single_operations, setup_random, teardown),
        cmocka_unit_test_setup_teardown(random_expressions, setup_random, teardown),
        cmocka_unit_test_setup_teardown(far_ends, setup_random, teardown),
        cmocka_unit_test_setup_teardown(periodic_functions_of_angles, setup_random, teardown),
        cmocka_unit_test_setup_teardown(corners_at_the_cut, setup_random, teardown),
        cmocka_unit_test_setup_teardown(springs_go_on_over_the_cut, setup_random, teardown),
        cmocka_unit_test_setup_teardown(triple_products, setup_random, teardown),
        cmocka_unit_test_setup_teardown(second_forms, setup_random, teardown),
        cmocka_unit_test_setup_teardown(quadratic_is_midpoint, setup_random, teardown),
        cmocka_unit_test_setup_teardown(orthogonal_to_symmetries, setup_random, teardown),
        cmocka_unit_test_setup_teardown(goes_through_the_atoms, setup_random, teardown),
        cmocka_unit_test_setup_teardown(offsets_do_not_matter, setup_random, teardown),
        cmocka_unit_test_setup_teardown(even_functions_are_smooth, setup_random, teardown),
    };
    return cmocka_run_group_tests_name("expr: discrete gradients", tests, NULL, NULL);
}
