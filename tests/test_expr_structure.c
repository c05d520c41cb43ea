/* Degrees, kinds, quadratic atoms, reachability, and graphs too deep for recursion. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support_expr.h"

static const unsigned in_q = 1u << KIND_Q, in_w = 1u << KIND_W, in_t = 1u << KIND_T;

/* Some number in (0.5, 1.5) for every variable and parameter. */
static wide some_number(void *user, op o, kind k, uint32_t index)
{
    (void)user;
    return (wide)0.5 + (wide)((index * 37 + (unsigned)k * 11 + (unsigned)o * 5) % 101) / 101;
}

static wide some_value_of(expr e) { return value_by(some_number, NULL, e); }

static expr q(uint32_t i) { return taut_expr_variable(g, KIND_Q, i); }
static expr w(uint32_t i) { return taut_expr_variable(g, KIND_W, i); }
static expr t(void) { return taut_expr_variable(g, KIND_T, 0); }
static expr p(void) { return taut_expr_parameter(g, 0); }

/* |a - b|^2 of the points a and b, three coordinates each */
static expr distance2(uint32_t a, uint32_t b)
{
    expr sum = number(0);
    for (uint32_t i = 0; i < 3; i++) sum = add(sum, powi(sub(q(3 * a + i), q(3 * b + i)), 2));
    return sum;
}

/* ---- degree and kinds ---- */

static void degree_table(void **state)
{
    (void)state;
    const int none = DEGREE_NOT_POLYNOMIAL;
    const struct {
        expr f;
        unsigned kinds;
        int degree;
    } table[] = {
        { number(3), in_q, 0 },
        { p(), in_q, 0 },
        { q(0), in_q, 1 },
        { q(0), in_w, 0 },
        { taut_expr_neg(g, q(0)), in_q, 1 },
        { add(q(0), powi(q(1), 3)), in_q, 3 },
        { sub(powi(q(1), 2), q(0)), in_q, 2 },
        { mul(q(0), mul(q(1), w(0))), in_q, 2 },
        { mul(q(0), mul(q(1), w(0))), in_q | in_w, 3 },
        { quotient(q(0), p()), in_q, 1 },
        { quotient(q(0), w(0)), in_q, 1 },
        { quotient(w(0), q(0)), in_q, none },
        { quotient(w(0), q(0)), in_w, 1 },
        { quotient(w(0), q(0)), in_t, 0 },
        { powi(add(q(0), q(1)), 4), in_q, 4 },
        { powi(mul(q(0), q(1)), 3), in_q, 6 },
        { powi(q(0), -2), in_q, none },
        { powi(w(0), -2), in_q, 0 },
        { powi(powi(q(0), 40), 40), in_q, none }, /* beyond what is counted */
        { powi(q(0), INT32_MAX), in_q, none },
        { powi(add(powi(q(0), 3), q(1)), INT32_MAX), in_q, none },
        { unary(OP_SIN, t()), in_q, 0 },
        { mul(unary(OP_SIN, t()), q(0)), in_q, 1 },
        { mul(unary(OP_SIN, q(0)), q(1)), in_q, none },
        { unary(OP_SQRT, q(0)), in_q, none },
        { unary(OP_ABS, q(0)), in_q, none },
        { taut_expr_pow(g, q(0), p()), in_q, none },
        { taut_expr_pow(g, t(), q(0)), in_q, none },
        { taut_expr_binary(g, OP_MAX, q(0), number(1)), in_q, none },
        { taut_expr_binary(g, OP_ATAN2, t(), w(0)), in_q, 0 },
        { distance2(0, 1), in_q, 2 },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (taut_expr_degree(g, table[i].f, table[i].kinds) != table[i].degree)
            fail_msg("row %zu: degree %d, not %d", i, taut_expr_degree(g, table[i].f, table[i].kinds), table[i].degree);
    assert_true(taut_expr_degree(g, 0, in_q) < 0);
}

static void kinds_are_collected(void **state)
{
    (void)state;
    assert_int_equal(taut_expr_kinds(g, mul(p(), number(2))), 0);
    assert_int_equal(taut_expr_kinds(g, q(3)), in_q);
    assert_int_equal(taut_expr_kinds(g, add(unary(OP_SIN, mul(q(0), w(1))), t())), in_q | in_w | in_t);
    assert_int_equal(taut_expr_kinds(g, taut_expr_variable(g, KIND_CONSTANT_SLOT, 0)), 1u << KIND_CONSTANT_SLOT);
}

static void reachable_is_ascending_and_complete(void **state)
{
    (void)state;
    expr roots[3] = { unary(OP_SIN, add(q(0), q(1))), 0, mul(p(), q(1)) }, *list;
    size_t count;
    unary(OP_COS, q(5)); /* not below the roots */
    assert_int_equal(taut_expr_reachable(g, roots, 3, &list, &count), TAUT_OK);
    assert_int_equal(count, 6); /* q0 q1 sum sin p product */
    for (size_t i = 1; i < count; i++) assert_true(list[i - 1] < list[i]);
    taut_expr_list_free(g, list);
    assert_int_equal(taut_expr_reachable(g, NULL, 0, &list, &count), TAUT_OK);
    assert_int_equal(count, 0);
    taut_expr_list_free(g, list);
}

/* ---- atoms ---- */

/* Splits f, checks what holds for every split, and returns the number of atoms; *first is atom 0. */
static size_t split(expr f, unsigned kinds, expr *outer, expr *first)
{
    expr *atoms, slots[64];
    size_t count;
    assert_int_equal(taut_expr_atoms(g, f, kinds, outer, &atoms, &count), TAUT_OK);
    assert_true(count <= 64);
    assert_int_equal(taut_expr_kinds(g, *outer) & kinds, 0); /* nothing of the state is left outside */
    for (size_t i = 0; i < count; i++) {
        int degree = taut_expr_degree(g, atoms[i], kinds);
        assert_true(degree == 1 || degree == 2);
        slots[i] = taut_expr_variable(g, KIND_SLOT, (uint32_t)i);
        for (size_t j = 0; j < i; j++) assert_int_not_equal(atoms[i], atoms[j]);
    }
    wide whole = some_value_of(f), again = some_value_of(taut_expr_substitute(g, *outer, slots, atoms, count));
    /* Substitution may reassociate a handful of operations; the values here are of order 1 to 1e3. */
    assert_true(WIDE(fabs)(again - whole) <= 64 * epsilon * (1 + WIDE(fabs)(whole)));
    *first = count ? atoms[0] : 0;
    taut_expr_list_free(g, atoms);
    return count;
}

static void a_pair_potential_has_one_atom(void **state)
{
    (void)state;
    expr outer, atom, r2 = distance2(0, 1), s6 = powi(quotient(p(), r2), 3);
    expr f = mul(number(4), sub(powi(s6, 2), s6)); /* Lennard-Jones */
    assert_int_equal(split(f, in_q, &outer, &atom), 1);
    assert_int_equal(atom, r2);
    f = mul(number(0.5), powi(sub(unary(OP_SQRT, r2), p()), 2)); /* a spring */
    assert_int_equal(split(f, in_q, &outer, &atom), 1);
    assert_int_equal(atom, r2);
}

static void a_quadratic_is_its_own_atom(void **state)
{
    (void)state;
    expr outer, atom, f = add(mul(p(), powi(w(0), 2)), sub(mul(q(0), w(0)), q(1)));
    assert_int_equal(split(f, in_q | in_w, &outer, &atom), 1);
    assert_int_equal(atom, f);
    assert_int_equal(outer, taut_expr_variable(g, KIND_SLOT, 0));
    assert_int_equal(split(q(0), in_q, &outer, &atom), 1);
    assert_int_equal(split(mul(p(), unary(OP_SIN, t())), in_q, &outer, &atom), 0); /* nothing varies */
    assert_int_equal(outer, mul(p(), unary(OP_SIN, t())));
}

static void atoms_of_mixed_terms(void **state)
{
    (void)state;
    expr outer, atom;
    /* stretch and angle: |b-a|, and the dot product over both lengths: three atoms |a-b|^2, |c-b|^2, (a-b).(c-b) */
    expr u2 = distance2(0, 1), v2 = distance2(2, 1), dot = number(0);
    for (uint32_t i = 0; i < 3; i++) dot = add(dot, mul(sub(q(i), q(3 + i)), sub(q(6 + i), q(3 + i))));
    expr cosine = quotient(dot, mul(unary(OP_SQRT, u2), unary(OP_SQRT, v2)));
    expr f = add(unary(OP_SQRT, u2), powi(sub(unary(OP_ACOS, mul(number(0.5), cosine)), p()), 2));
    assert_int_equal(split(f, in_q, &outer, &atom), 3);
    /* q0 is an atom of its own and also inside the other */
    assert_int_equal(split(add(unary(OP_SIN, q(0)), unary(OP_EXP, add(powi(q(0), 2), q(1)))), in_q, &outer, &atom), 2);
    /* the same atom under two functions */
    assert_int_equal(split(mul(unary(OP_SIN, u2), unary(OP_COS, u2)), in_q, &outer, &atom), 1);
    /* cubic: q0^3 is a function of q0; q0 q1 q2 of a quadratic and a linear atom */
    assert_int_equal(split(powi(q(0), 3), in_q, &outer, &atom), 1);
    assert_int_equal(split(mul(mul(q(0), q(1)), q(2)), in_q, &outer, &atom), 2);
    /* mass that varies: w^2 sin(q): in both kinds two atoms, in w one, with sin(q) as a constant */
    expr kinetic = mul(powi(w(0), 2), unary(OP_SIN, q(0)));
    assert_int_equal(split(kinetic, in_q | in_w, &outer, &atom), 2);
    assert_int_equal(split(kinetic, in_w, &outer, &atom), 1);
    assert_int_equal(atom, kinetic);
    expr *atoms;
    size_t count;
    assert_int_not_equal(taut_expr_atoms(g, 0, in_q, &outer, &atoms, &count), TAUT_OK);
}

/* ---- deep graphs ---- */

static void name_it(void *user, op o, kind k, uint32_t index, char *buffer, size_t size)
{
    (void)user;
    (void)o;
    (void)k;
    snprintf(buffer, size, "q%u", index);
}

/* A sum of a million squares, (((q0^2 + q1^2) + q2^2) + ...): a recursion of that depth would overflow any stack. */
static void a_million_terms(void **state)
{
    (void)state;
    enum { TERMS = 1000000 };
    expr *variables = malloc(TERMS * sizeof *variables), *gradient = malloc(TERMS * sizeof *gradient);
    expr f = number(0), outer, *atoms;
    size_t count;
    wide sum = 0;
    char text[100];
    assert_true(variables && gradient);
    for (uint32_t i = 0; i < TERMS; i++) {
        wide v = some_number(NULL, OP_VARIABLE, KIND_Q, i);
        f = add(f, powi(variables[i] = q(i), 2));
        sum += v * v;
    }
    assert_true(some_value_of(f) == sum); /* the same operations in the same order */
    assert_int_equal(taut_expr_degree(g, f, in_q), 2);
    assert_int_equal(taut_expr_kinds(g, f), in_q);
    assert_int_equal(taut_expr_gradient(g, f, variables, TERMS, gradient), TAUT_OK);
    for (uint32_t i = 0; i < TERMS; i++) /* 2 q_i */
        if (taut_graph_node(g, gradient[i])->a != number(2) || taut_graph_node(g, gradient[i])->b != variables[i])
            fail();
    assert_int_equal(taut_expr_atoms(g, f, in_q, &outer, &atoms, &count), TAUT_OK);
    assert_int_equal(count, 1);
    taut_expr_list_free(g, atoms);
    assert_int_equal(taut_expr_print(g, f, name_it, NULL, text, sizeof text), sizeof text - 1);
    assert_string_equal(text + sizeof text - 4, "...");
    free(variables);
    free(gradient);
}

/* sin(q0 + sin(q0 + ...)): deep through functions; derivative and substitution walk it, too. */
static void a_deep_composition(void **state)
{
    (void)state;
    expr e = q(0), x = q(0), y = q(1);
    for (int i = 0; i < 100000; i++) e = unary(OP_SIN, sub(x, e));
    assert_int_equal(taut_expr_degree(g, e, in_q), DEGREE_NOT_POLYNOMIAL);
    assert_int_not_equal(taut_expr_derivative(g, e, x), 0);
    assert_int_not_equal(taut_expr_directional(g, e, &x, &y, 1), 0);
    assert_int_equal(taut_expr_kinds(g, taut_expr_substitute(g, e, &x, &y, 1)), in_q);
    static char text[100000];
    assert_true(taut_expr_print(g, e, name_it, NULL, text, sizeof text) < sizeof text);
}

/* -q0 - q1 - q2 ...: the sign is pulled out at every term. */
static void a_long_difference(void **state)
{
    (void)state;
    expr f = taut_expr_neg(g, q(0));
    wide sum = some_number(NULL, OP_VARIABLE, KIND_Q, 0);
    for (uint32_t i = 1; i < 100000; i++) {
        f = sub(f, q(i));
        sum += some_number(NULL, OP_VARIABLE, KIND_Q, i);
    }
    assert_true(some_value_of(f) == -sum);
    assert_true(taut_expr_is_number(g, taut_expr_derivative(g, f, q(7)), -1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(degree_table, setup, teardown),
        cmocka_unit_test_setup_teardown(kinds_are_collected, setup, teardown),
        cmocka_unit_test_setup_teardown(reachable_is_ascending_and_complete, setup, teardown),
        cmocka_unit_test_setup_teardown(a_pair_potential_has_one_atom, setup, teardown),
        cmocka_unit_test_setup_teardown(a_quadratic_is_its_own_atom, setup, teardown),
        cmocka_unit_test_setup_teardown(atoms_of_mixed_terms, setup, teardown),
        cmocka_unit_test_setup_teardown(a_million_terms, setup, teardown),
        cmocka_unit_test_setup_teardown(a_deep_composition, setup, teardown),
        cmocka_unit_test_setup_teardown(a_long_difference, setup, teardown),
    };
    return cmocka_run_group_tests_name("expr: structure", tests, NULL, NULL);
}
