/* Memory that runs out at any moment: every call says so, nothing leaks, and the graph goes on working. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "expr/expr.h" /* before cmocka, which defines fail() */

#include <cmocka.h>

#include "support_allocator.h"

static wide lookup(void *user, op o, kind k, uint32_t index)
{
    (void)user;
    (void)k;
    return (o == OP_PARAMETER ? (wide)1.5 : (wide)0.5) + (wide)(index % 7) / 8;
}

/* What a call is retried with until no allocation fails in it; asserts that failure and success are told apart. */
#define UNTIL_DONE(c, call, succeeded)                                                                                 \
    for (;;) {                                                                                                         \
        long before = (c)->failures;                                                                                   \
        call;                                                                                                          \
        assert_int_equal((c)->failures == before, (succeeded) != 0);                                                   \
        if (succeeded) break;                                                                                          \
    }

enum { RESULTS = 8 };

static wide value_of(graph *g, counter *c, expr e)
{
    wide value = 0;
    int status;
    UNTIL_DONE(c, status = taut_expr_value(g, e, lookup, NULL, &value), !status);
    return value;
}

/* One use of everything that allocates, on a graph that already has `padding` nodes: its arrays then grow elsewhere. */
static void use_all(graph *g, counter *c, uint32_t padding, wide *results)
{
    expr x[2], u[2], one, e, wave, pole, f, gradient[2], d, replaced, outer, *atoms, *list;
    size_t count, used = 0;
    int status;
    unsigned kinds;
    for (uint32_t i = 0; i < padding; i++) UNTIL_DONE(c, e = taut_expr_variable(g, KIND_LAMBDA, i), e);
    for (uint32_t i = 0; i < 2; i++) {
        UNTIL_DONE(c, x[i] = taut_expr_variable(g, KIND_Q, i), x[i]);
        UNTIL_DONE(c, u[i] = taut_expr_variable(g, KIND_DIRECTION_U, i), u[i]);
    }
    UNTIL_DONE(c, e = taut_expr_mul(g, x[0], x[0]), e);
    assert_int_equal(taut_graph_node(g, e)->op, OP_POWI); /* a failure must not leave another form behind */
    UNTIL_DONE(c, status = taut_expr_gradient(g, e, x, 2, gradient), !status); /* here 0, 1 and 2 are new numbers */
    UNTIL_DONE(c, wave = taut_expr_mul(g, x[1], taut_expr_unary(g, OP_SIN, e)), wave);
    UNTIL_DONE(c, pole = taut_expr_div(g, taut_expr_parameter(g, 0), taut_expr_powi(g, x[1], 3)), pole);
    UNTIL_DONE(
        c, f = taut_expr_add(g, taut_expr_add(g, wave, pole), taut_expr_unary(g, OP_SQRT, taut_expr_add(g, e, x[1]))),
        f);
    results[used++] = value_of(g, c, f);
    UNTIL_DONE(c, status = taut_expr_gradient(g, f, x, 2, gradient), !status);
    results[used++] = value_of(g, c, gradient[0]);
    results[used++] = value_of(g, c, gradient[1]);
    UNTIL_DONE(c, d = taut_expr_derivative(g, gradient[0], x[1]), d);
    results[used++] = value_of(g, c, d);
    UNTIL_DONE(c, d = taut_expr_directional(g, f, x, u, 2), d);
    results[used++] = value_of(g, c, d);
    UNTIL_DONE(c, one = taut_expr_number(g, (wide)1.25), one);
    UNTIL_DONE(c, replaced = taut_expr_substitute(g, f, &x[0], &one, 1), replaced);
    results[used++] = value_of(g, c, replaced);
    UNTIL_DONE(c, status = taut_expr_degree(g, f, 1u << KIND_Q), status >= 0);
    assert_int_equal(status, DEGREE_NOT_POLYNOMIAL);
    UNTIL_DONE(c, kinds = taut_expr_kinds(g, f), kinds != ~0u);
    assert_int_equal(kinds, 1u << KIND_Q);
    UNTIL_DONE(c, status = taut_expr_reachable(g, &f, 1, &list, &count), !status);
    taut_expr_list_free(g, list);
    results[used++] = (wide)count;
    UNTIL_DONE(c, status = taut_expr_atoms(g, f, 1u << KIND_Q, &outer, &atoms, &count), !status);
    taut_expr_list_free(g, atoms);
    results[used++] = (wide)count;
    assert_int_equal(used, RESULTS);
}

/* A whole life with failing allocations. Returns the number of allocations asked for. */
static long live(long fail_at, long fail_count, uint32_t padding, wide *results)
{
    counter c = { 0, fail_at, fail_count, 0, 0 };
    taut_context *context;
    graph *g;
    UNTIL_DONE(&c, context = taut_context_create(&(taut_allocator){ counted_resize, &c }), context);
    UNTIL_DONE(&c, g = taut_graph_create(context), g);
    use_all(g, &c, padding, results);
    assert_int_equal(c.failures > 0, taut_error_text(context)[0] != 0 || fail_at == 1);
    taut_graph_destroy(g);
    taut_context_destroy(context);
    assert_int_equal(c.live, 0);
    return c.calls;
}

/* The nodes have room for some 390 at first and the table is doubled at 512: with these paddings, every node that
   use_all makes is once the one that does not fit. */
static const struct {
    uint32_t from, to;
} paddings[] = { { 0, 1 }, { 300, 392 }, { 430, 514 } };

static void any_allocation_may_fail(void **state)
{
    (void)state;
    wide expected[RESULTS], results[RESULTS];
    live(0, 0, 0, expected);
    for (size_t range = 0; range < sizeof paddings / sizeof *paddings; range++)
        for (uint32_t padding = paddings[range].from; padding < paddings[range].to; padding++) {
            long calls = live(0, 0, padding, results);
            for (long k = 1; k <= calls; k++)
                for (long failing = 1; failing <= 3; failing += 2) { /* one alone, and a while of need */
                    live(k, failing, padding, results);
                    for (int i = 0; i < RESULTS; i++) assert_true(results[i] == expected[i]);
                }
        }
}

/* Memory that never comes back: the graph can still be destroyed. */
static void memory_may_stay_away(void **state)
{
    (void)state;
    long last = 1;
    for (long k = 1; k <= last; k++) {
        counter c = { 0, k, 1000000, 0, 0 };
        taut_context *context = taut_context_create(&(taut_allocator){ counted_resize, &c });
        graph *g = context ? taut_graph_create(context) : NULL;
        expr f = 0, x = 0, d = 0;
        if (g) {
            f = x = taut_expr_variable(g, KIND_Q, 0);
            for (uint32_t i = 1; i < 600; i++)
                f = taut_expr_add(g, f, taut_expr_unary(g, OP_SIN, taut_expr_variable(g, KIND_Q, i)));
            d = taut_expr_derivative(g, f, x);
        }
        assert_int_equal(d == 0, c.failures > 0);
        if (c.failures) last = k + 1;
        taut_graph_destroy(g);
        taut_context_destroy(context);
        assert_int_equal(c.live, 0);
    }
}

static void none_in_none_out(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    graph *g = taut_graph_create(context);
    expr x = taut_expr_variable(g, KIND_Q, 0);
    for (op o = OP_NEG; o < OP_COUNT; o++) {
        if (o == OP_POWI) continue;
        if (taut_op_arity(o) == 1) assert_int_equal(taut_expr_unary(g, o, 0), 0);
        if (taut_op_arity(o) == 2) assert_true(!taut_expr_binary(g, o, 0, x) && !taut_expr_binary(g, o, x, 0));
    }
    for (int n = -2; n <= 2; n++) assert_int_equal(taut_expr_powi(g, 0, n), 0);
    taut_graph_destroy(g);
    taut_context_destroy(context);
    taut_graph_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_allocation_may_fail),
        cmocka_unit_test(memory_may_stay_away),
        cmocka_unit_test(none_in_none_out),
    };
    return cmocka_run_group_tests_name("expr: memory", tests, NULL, NULL);
}
