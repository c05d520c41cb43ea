/* Terms, kernels, tapes: what is shared, what is kept apart, and that nothing explodes. */
#include "support_core.h"

#include "kernel/store.h"

static graph *g;
static store *s;
static family f;

static int begin(void **state)
{
    if (set_up(state)) return -1;
    g = taut_graph_create(context);
    s = g ? taut_store_create(context, g) : NULL;
    f = (family){ 0 };
    return s ? 0 : -1;
}

static int end(void **state)
{
    taut_family_clear(s, &f);
    taut_store_destroy(s);
    taut_graph_destroy(g);
    return tear_down(state);
}

static expr q(uint32_t i) { return taut_expr_variable(g, KIND_Q, i); }
static expr w(uint32_t i) { return taut_expr_variable(g, KIND_W, i); }
static expr number(double x) { return taut_expr_number(g, taut_wide_from_double(x)); }
static expr sine(expr e) { return taut_expr_unary(g, OP_SIN, e); }

static void add(expr e)
{
    assert_true(e != 0);
    assert_int_equal(taut_family_add(s, &f, 0, e), TAUT_OK);
}

static size_t instances(const family *a)
{
    size_t count = 0;
    for (size_t b = 0; b < a->batch_count; b++) count += a->batches[b].count;
    return count;
}

static kernel *kernel_at(size_t batch_index) { return taut_store_kernel(s, f.batches[batch_index].kernel); }

/* ---- sharing ---- */

static void equal_shapes_share_a_kernel(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 100; i++)
        add(taut_expr_mul(g, number(1.5 + i), taut_expr_powi(g, taut_expr_sub(g, q(i), q(i + 7)), 2)));
    assert_int_equal(f.batch_count, 1);
    assert_int_equal(f.batches[0].count, 100);
    assert_int_equal(taut_store_kernel_count(s), 1);
    assert_int_equal(taut_store_constant_count(s), 100);
    const kernel *k = kernel_at(0);
    assert_int_equal(k->slots, 2);
    assert_int_equal(k->constants, 1);
    for (uint32_t i = 0; i < 100; i++) {
        uint32_t constant = f.batches[0].constants[i];
        assert_int_equal(f.batches[0].variables[2 * i], i);
        assert_int_equal(f.batches[0].variables[2 * i + 1], i + 7);
        assert_true(taut_graph_constant(g, taut_store_constants(s)[constant]) == (wide)1.5 + i);
    }
}

static void families_share_kernels_and_constants(void **state)
{
    (void)state;
    family other = { 0 };
    add(taut_expr_mul(g, number(3), sine(q(0))));
    assert_int_equal(taut_family_add(s, &other, 5, taut_expr_mul(g, number(3), sine(q(9)))), TAUT_OK);
    assert_int_equal(taut_store_kernel_count(s), 1);
    assert_int_equal(taut_store_constant_count(s), 1);
    assert_int_equal(other.row_count, 6);
    assert_int_equal(other.batches[0].rows[0], 5);
    taut_family_clear(s, &other);
}

/* One link is norm2(a.dot)/2 - g a.z and norm2(a - previous) - 1: 3 squares of velocities and one weight a link; 3
   squares of differences a link but for the first, which hangs from the origin and has plain squares; one constant a
   link. */
static void hanging_chain(void **state)
{
    (void)state;
    enum { N = 1000 };
    definition size = { "N", "1000", 0 };
    model *m = load_file(MODELS "/hanging-chain.lua", &size, 1);
    store *chain = taut_store_create(context, m->graph);
    family energy = { 0 }, constraints = { 0 };
    for (size_t i = 0; i < m->summand_count; i++)
        assert_int_equal(taut_family_add(chain, &energy, 0, m->summands[i].value), TAUT_OK);
    assert_int_equal(energy.batch_count, 2);
    assert_int_equal(energy.batches[0].count + energy.batches[1].count, 4 * N);
    assert_true(energy.batches[0].count == 3 * N || energy.batches[1].count == 3 * N);
    for (size_t i = 0; i < m->constraint_count; i++)
        assert_int_equal(taut_family_add(chain, &constraints, (uint32_t)i, m->constraints[i].value), TAUT_OK);
    assert_int_equal(constraints.batch_count, 3);
    assert_int_equal(instances(&constraints), 4 * N);
    assert_int_equal(taut_store_kernel_count(chain), 5);
    assert_true(taut_store_constant_count(chain) <= 3); /* 1/2, -g, -1 */
    taut_family_clear(chain, &energy);
    taut_family_clear(chain, &constraints);
    taut_store_destroy(chain);
    taut_model_free(m);
}

/* ---- what is kept apart ---- */

static void equality_pattern_is_part_of_the_shape(void **state)
{
    (void)state;
    add(taut_expr_mul(g, sine(q(0)), taut_expr_unary(g, OP_COS, q(0))));
    add(taut_expr_mul(g, sine(q(1)), taut_expr_unary(g, OP_COS, q(2))));
    add(taut_expr_mul(g, sine(q(3)), taut_expr_unary(g, OP_COS, q(3))));
    assert_int_equal(f.batch_count, 2);
    assert_int_equal(f.batches[0].count, 2);
    assert_int_equal(kernel_at(0)->slots, 1);
    assert_int_equal(kernel_at(1)->slots, 2);
}

/* Terms of a few shapes that are alike in all but one thing. */
static expr similar_term(uint32_t shape, uint32_t i, uint32_t j)
{
    expr a = q(i), b = q(j), difference = taut_expr_sub(g, a, b);
    switch (shape) {
    case 0: return taut_expr_mul(g, a, sine(b));
    case 1: return taut_expr_mul(g, a, sine(w(j)));
    case 2: return taut_expr_mul(g, number(2), sine(taut_expr_mul(g, number(2 + j), a)));
    case 3: return taut_expr_powi(g, taut_expr_sub(g, a, w(j)), 2 + (int)(i % 2));
    case 4: return taut_expr_mul(g, sine(taut_expr_add(g, a, w(0))), sine(taut_expr_add(g, b, w(0))));
    case 5: return i == j ? a : taut_expr_mul(g, number(1 + i), taut_expr_powi(g, difference, 2));
    case 6: return taut_expr_mul(g, number(-2), taut_expr_add(g, sine(a), taut_expr_mul(g, number(3), sine(b))));
    default: return number(i + 7);
    }
}

/* Terms are compared with the kernels of those before. It must make no difference: in a store of its own, where there
   is nothing to compare with, each has the same shape, variables and constants. */
static void what_comes_before_a_term_makes_no_difference(void **state)
{
    (void)state;
    uint32_t seed = 1;
    for (int trial = 0; trial < 3000; trial++) {
        seed = seed * 1664525u + 1013904223u;
        expr e = similar_term((seed >> 8) % 8, (seed >> 12) % 3, (seed >> 16) % 3);
        family here = { 0 }, alone = { 0 };
        store *other = taut_store_create(context, g);
        assert_non_null(other);
        assert_int_equal(taut_family_add(s, &here, 0, e), TAUT_OK);
        assert_int_equal(taut_family_add(other, &alone, 0, e), TAUT_OK);
        assert_int_equal(here.batch_count, alone.batch_count);
        for (size_t n = 0; n < here.batch_count; n++) {
            const batch *b = &here.batches[n], *c = &alone.batches[n];
            const kernel *k = taut_store_kernel(s, b->kernel), *l = taut_store_kernel(other, c->kernel);
            assert_int_equal(b->count, c->count);
            assert_int_equal(k->slots, l->slots);
            assert_int_equal(k->constants, l->constants);
            assert_int_equal(k->key_length, l->key_length);
            assert_memory_equal(k->key, l->key, k->key_length * sizeof *k->key);
            if (k->slots) assert_memory_equal(k->slot_kind, l->slot_kind, k->slots);
            for (size_t i = 0; i < (size_t)b->count * k->slots; i++)
                assert_int_equal(b->variables[i], c->variables[i]);
            for (size_t i = 0; i < (size_t)b->count * k->constants; i++)
                assert_int_equal(taut_store_constants(s)[b->constants[i]],
                                 taut_store_constants(other)[c->constants[i]]);
        }
        taut_family_clear(s, &here);
        taut_family_clear(other, &alone);
        taut_store_destroy(other);
    }
}

static void square_and_product_are_apart(void **state)
{
    (void)state;
    add(taut_expr_mul(g, q(0), q(0)));
    add(taut_expr_mul(g, q(0), q(1)));
    assert_int_equal(f.batch_count, 2);
    assert_int_equal(kernel_at(0)->slots, 1);
    assert_int_equal(kernel_at(1)->slots, 2);
}

static void kinds_are_part_of_the_shape(void **state)
{
    (void)state;
    add(taut_expr_mul(g, q(0), sine(q(1))));
    add(taut_expr_mul(g, q(0), sine(w(1)))); /* the same index, another kind: another variable */
    add(taut_expr_mul(g, w(0), sine(w(1))));
    add(taut_expr_mul(g, q(1), sine(w(1))));
    assert_int_equal(f.batch_count, 3);
    assert_int_equal(taut_family_kinds(s, &f), 1u << KIND_Q | 1u << KIND_W);
}

static void exponents_are_part_of_the_shape(void **state)
{
    (void)state;
    add(taut_expr_powi(g, q(0), 2));
    add(taut_expr_powi(g, q(0), 3));
    add(taut_expr_powi(g, q(0), -3));
    assert_int_equal(f.batch_count, 3);
}

/* ---- splitting ---- */

static void coefficients_are_distributed(void **state)
{
    (void)state;
    expr squares = taut_expr_add(g, taut_expr_powi(g, q(0), 2), taut_expr_powi(g, q(1), 2));
    add(taut_expr_mul(g, number(0.5), squares));
    add(taut_expr_div(g, squares, number(3)));
    add(taut_expr_neg(g, squares));
    add(taut_expr_mul(g, taut_expr_parameter(g, 0),
                      taut_expr_sub(g, taut_expr_powi(g, q(2), 2), taut_expr_mul(g, number(2), squares))));
    /* c x^2 in three of the four, -x^2 in the other */
    assert_int_equal(instances(&f), 2 + 2 + 2 + 3);
    assert_int_equal(f.batch_count, 2);
}

static void products_of_sums_stay_whole(void **state)
{
    (void)state;
    add(taut_expr_mul(g, taut_expr_add(g, q(0), q(1)), taut_expr_add(g, q(2), q(3))));
    assert_int_equal(instances(&f), 1);
    assert_int_equal(kernel_at(0)->slots, 4);
}

static void a_sum_that_vanishes_has_no_terms(void **state)
{
    (void)state;
    add(taut_expr_mul(g, number(0), sine(q(0))));
    assert_int_equal(instances(&f), 0);
    assert_int_equal(f.row_count, 1);
}

static void a_constant_is_a_term(void **state)
{
    (void)state;
    add(taut_expr_sub(g, taut_expr_parameter(g, 0), number(2)));
    assert_true(instances(&f) >= 1);
    assert_int_equal(taut_family_kinds(s, &f), 0);
    assert_int_equal(kernel_at(0)->slots, 0);
}

/* 10^5 deep on either side: no recursion, linear time */
static void deep_sums(void **state)
{
    (void)state;
    enum { DEPTH = 100000 };
    expr left = sine(q(0)), right = taut_expr_powi(g, w(0), 2);
    for (uint32_t i = 1; i < DEPTH; i++) {
        left = taut_expr_add(g, left, sine(q(i)));
        right = taut_expr_sub(g, taut_expr_powi(g, w(i), 2), right);
    }
    add(left);
    assert_int_equal(f.batch_count, 1);
    assert_int_equal(f.batches[0].count, DEPTH);
    add(right);
    assert_int_equal(instances(&f), 2 * DEPTH);
    assert_int_equal(f.batch_count, 3); /* w^2 with alternating signs */
}

/* f_n = f_(n-1) + f_(n-2) has as many summands as the Fibonacci number: 10^41 for n = 200. */
static void shared_sums_do_not_explode(void **state)
{
    (void)state;
    expr a = sine(q(0)), b = sine(q(1));
    for (int n = 0; n < 200; n++) {
        expr next = taut_expr_add(g, b, a);
        a = b, b = next;
    }
    size_t nodes = taut_graph_count(g);
    add(b);
    assert_true(instances(&f) > 0);
    assert_true(instances(&f) <= 4 * nodes + 1000 + nodes); /* the bound of taut_family_add, and what was left whole */
    for (size_t n = 0; n < f.batch_count; n++) assert_true(kernel_at(n)->key_length < 10 * nodes);
}

/* ---- derivative code ---- */

static tape *hessian_of(kernel *k, kind a, kind b)
{
    assert_int_equal(taut_kernel_prepare_hessian(s, k, a, b), TAUT_OK);
    return k->hessians[a][b];
}

static void a_term_of_300_variables(void **state)
{
    (void)state;
    enum { N = 300 };
    expr sum = number(1);
    for (uint32_t i = 0; i < N; i++) sum = taut_expr_add(g, sum, taut_expr_powi(g, q(i), 2));
    add(taut_expr_unary(g, OP_SQRT, sum));
    assert_int_equal(instances(&f), 1);
    kernel *k = kernel_at(0);
    assert_int_equal(k->slots, N);
    assert_int_equal(taut_kernel_prepare_gradient(s, k, KIND_Q), TAUT_OK);
    assert_int_equal(k->gradients[KIND_Q]->output_count, N);
    assert_int_equal(hessian_of(k, KIND_Q, KIND_Q)->output_count, N * (N + 1) / 2);
    assert_true(k->hessians[KIND_Q][KIND_Q]->length < 20 * N * N); /* some operations an entry */
    assert_int_equal(taut_kernel_prepare_second(s, k), TAUT_OK);
    assert_true(k->second->length < 50 * N); /* linear */
}

static void zero_derivatives_are_left_out(void **state)
{
    (void)state;
    add(taut_expr_mul(g, taut_expr_mul(g, q(0), w(0)), taut_expr_variable(g, KIND_T, 0)));
    kernel *k = kernel_at(0);
    assert_int_equal(hessian_of(k, KIND_Q, KIND_Q)->output_count, 0);
    assert_int_equal(hessian_of(k, KIND_W, KIND_Q)->output_count, 1);
    assert_int_equal(hessian_of(k, KIND_T, KIND_T)->output_count, 0);
    assert_int_equal(hessian_of(k, KIND_W, KIND_LAMBDA)->output_count, 0);
    assert_true(k->hessian_varies[KIND_W][KIND_Q]);
}

static void constants_of_the_model_do_not_vary(void **state)
{
    (void)state;
    add(taut_expr_mul(g, taut_expr_parameter(g, 0), taut_expr_powi(g, w(0), 2)));
    hessian_of(kernel_at(0), KIND_W, KIND_W);
    assert_false(kernel_at(0)->hessian_varies[KIND_W][KIND_W]);
    add(taut_expr_mul(g, taut_expr_powi(g, q(0), 2), taut_expr_powi(g, w(0), 2)));
    hessian_of(kernel_at(1), KIND_W, KIND_W);
    assert_true(kernel_at(1)->hessian_varies[KIND_W][KIND_W]);
}

static void registers_are_reused(void **state)
{
    (void)state;
    expr e = q(0);
    for (int i = 0; i < 1000; i++) e = sine(e);
    add(e);
    assert_int_equal(taut_kernel_prepare_values(s, kernel_at(0)), TAUT_OK);
    const tape *t = kernel_at(0)->values;
    assert_int_equal(t->length, 1000);
    assert_int_equal(t->register_count, 2); /* the variable, and one that is read and written in place */
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(equal_shapes_share_a_kernel),
        TEST(families_share_kernels_and_constants),
        TEST(hanging_chain),
        TEST(equality_pattern_is_part_of_the_shape),
        TEST(what_comes_before_a_term_makes_no_difference),
        TEST(square_and_product_are_apart),
        TEST(kinds_are_part_of_the_shape),
        TEST(exponents_are_part_of_the_shape),
        TEST(coefficients_are_distributed),
        TEST(products_of_sums_stay_whole),
        TEST(a_sum_that_vanishes_has_no_terms),
        TEST(a_constant_is_a_term),
        TEST(deep_sums),
        TEST(shared_sums_do_not_explode),
        TEST(a_term_of_300_variables),
        TEST(zero_derivatives_are_left_out),
        TEST(constants_of_the_model_do_not_vary),
        TEST(registers_are_reused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
