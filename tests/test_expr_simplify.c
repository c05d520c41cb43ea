/* The simplifier: equal values, cancelled factors, canonical zero, bounded work. */
#include "expr/expr.h"

#include "support_core.h"

static graph *g;
static expr x, y, z, m;

static int start(void **state)
{
    int status = set_up(state);
    g = taut_graph_create(context);
    x = taut_expr_variable(g, KIND_Q, 0), y = taut_expr_variable(g, KIND_Q, 1), z = taut_expr_variable(g, KIND_W, 0),
    m = taut_expr_parameter(g, 0);
    return status;
}

static int finish(void **state)
{
    taut_graph_destroy(g);
    return tear_down(state);
}

static wide values[4];
static wide lookup(void *user, op o, kind k, uint32_t index)
{
    (void)user;
    return o == OP_PARAMETER ? values[3] : k == KIND_W ? values[2] : values[index];
}

static wide value_of(expr e)
{
    wide value = 0;
    assert_int_equal(taut_expr_value(g, e, lookup, NULL, &value), TAUT_OK);
    return value;
}

static void name(void *user, op o, kind k, uint32_t index, char *buffer, size_t size)
{
    (void)user;
    snprintf(buffer, size, "%s", o == OP_PARAMETER ? "m" : k == KIND_W ? "z" : index ? "y" : "x");
}

static void assert_prints(expr e, const char *text)
{
    char found[300];
    taut_expr_print(g, taut_expr_simplify(g, e, NULL, NULL), name, NULL, found, sizeof found);
    assert_string_equal(found, text);
}

static expr two(void) { return taut_expr_number(g, 2); }

static void zero_is_found(void **state)
{
    (void)state;
    expr square = taut_expr_powi(g, taut_expr_add(g, x, y), 2);
    expr expanded =
        taut_expr_add(g, taut_expr_add(g, taut_expr_powi(g, x, 2), taut_expr_mul(g, two(), taut_expr_mul(g, x, y))),
                      taut_expr_powi(g, y, 2));
    assert_true(taut_expr_is_number(g, taut_expr_simplify(g, taut_expr_sub(g, square, expanded), NULL, NULL), 0));
    /* 0.1 is no binary number: 0.1 x + 0.2 x - 0.3 x is zero all the same */
    expr tenth = taut_expr_mul(g, taut_expr_number(g, (wide)1 / 10), x),
         fifth = taut_expr_mul(g, taut_expr_number(g, (wide)2 / 10), x);
    expr sum = taut_expr_sub(g, taut_expr_add(g, tenth, fifth), taut_expr_mul(g, taut_expr_number(g, (wide)3 / 10), x));
    assert_true(taut_expr_is_number(g, taut_expr_simplify(g, sum, NULL, NULL), 0));
}

static void factors_cancel(void **state)
{
    (void)state;
    expr difference = taut_expr_sub(g, taut_expr_powi(g, x, 2), taut_expr_powi(g, y, 2));
    assert_prints(taut_expr_div(g, difference, taut_expr_sub(g, x, y)), "x + y");
    /* 1/(x-y) - 1/(x+y) has the denominators of both, and 2y above */
    expr one = taut_expr_number(g, 1), top, bottom;
    expr e =
        taut_expr_sub(g, taut_expr_div(g, one, taut_expr_sub(g, x, y)), taut_expr_div(g, one, taut_expr_add(g, x, y)));
    assert_true(taut_expr_simplify(g, e, &top, &bottom) != 0);
    assert_true(top == taut_expr_mul(g, two(), y));
    /* parameters below the line go into the terms */
    assert_prints(
        taut_expr_div(g, taut_expr_add(g, taut_expr_mul(g, taut_expr_powi(g, m, 2), y), taut_expr_powi(g, z, 2)), m),
        "m*y + 1/m*z^2");
    /* what is not rational is an atom, and its argument is simplified */
    expr sine = taut_expr_unary(g, OP_SIN, taut_expr_div(g, difference, taut_expr_sub(g, x, y)));
    assert_prints(taut_expr_div(g, taut_expr_mul(g, sine, x), sine), "x");
}

static expr random_expression(generator *r, int depth)
{
    expr leaves[] = { x, y, z, m, taut_expr_number(g, 2), taut_expr_unary(g, OP_SIN, x) };
    if (!depth) return leaves[random_below(r, 6)];
    expr a = random_expression(r, depth - 1), b = random_expression(r, depth - 1);
    switch (random_below(r, 5)) {
    case 0: return taut_expr_add(g, a, b);
    case 1: return taut_expr_sub(g, a, b);
    case 2: return taut_expr_mul(g, a, b);
    case 3: return taut_expr_div(g, a, taut_expr_add(g, taut_expr_number(g, 3), taut_expr_powi(g, b, 2))); /* never by
                                                                                                              zero */
    default: return taut_expr_powi(g, a, 2);
    }
}

/* The value stays: to 1e-12 of the size of what is added up, with some thousand rounding errors of 1e-19 or less, and
   cancellation in expanded polynomials of degree some ten at arguments of size one. */
static void values_stay(void **state)
{
    (void)state;
    generator r = { 88172645463325252ULL };
    for (int k = 0; k < 400; k++) {
        expr e = random_expression(&r, 4), s = taut_expr_simplify(g, e, NULL, NULL);
        assert_true(s != 0);
        for (int i = 0; i < 4; i++) values[i] = random_number(&r) + 2 * (i == 3);
        wide before = value_of(e), after = value_of(s);
        assert_near(after, before, (wide)1e-12 * (1 + WIDE(fabs)(before)), "value", k);
    }
}

static void work_is_bounded(void **state)
{
    (void)state;
    expr sum = taut_expr_number(g, 1);
    for (uint32_t i = 0; i < 40; i++) sum = taut_expr_add(g, sum, taut_expr_variable(g, KIND_Q, i));
    expr big = taut_expr_powi(g, sum, 30); /* C(70,30) terms */
    assert_true(taut_expr_simplify(g, big, NULL, NULL) == big);
    for (uint32_t i = 40; i < 200; i++) sum = taut_expr_add(g, sum, taut_expr_variable(g, KIND_Q, i)); /* more atoms
                                                                                                          than there is
                                                                                                          room for */
    assert_true(taut_expr_simplify(g, sum, NULL, NULL) == sum);
    expr bad = taut_expr_div(g, x, taut_expr_sub(g, taut_expr_mul(g, x, y), taut_expr_mul(g, y, x)));
    assert_true(taut_expr_simplify(g, bad, NULL, NULL) != 0); /* x/0 stays for the evaluation to point at */
}

static void same_input_same_result(void **state)
{
    (void)state;
    generator r = { 12345 };
    for (int k = 0; k < 50; k++) {
        expr e = random_expression(&r, 3), s = taut_expr_simplify(g, e, NULL, NULL);
        assert_true(taut_expr_simplify(g, e, NULL, NULL) == s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(zero_is_found, start, finish),
        cmocka_unit_test_setup_teardown(factors_cancel, start, finish),
        cmocka_unit_test_setup_teardown(values_stay, start, finish),
        cmocka_unit_test_setup_teardown(work_is_bounded, start, finish),
        cmocka_unit_test_setup_teardown(same_input_same_result, start, finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
