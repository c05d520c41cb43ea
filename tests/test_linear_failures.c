/* Linear systems that cannot be solved: every back end says why, and is whole afterwards. */
#include "linear_matrices.h"
#include "support_allocator.h"

/* ---- singular matrices ---- */

static void expect_singular(linear_backend backend, const matrix *regular, const double *singular, int first,
                            int second)
{
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, backend, regular, 0);
    for (int time = 0; time < 2; time++) {
        assert_int_equal(taut_linear_factor(solver, singular), TAUT_SINGULAR);
        long deficient = taut_linear_status(solver)->deficient;
        assert_true(deficient == first || deficient == second);
        assert_true(strstr(taut_error_text(context), "singular") != NULL);
        double b[64] = { 0 };
        assert_int_equal(taut_linear_solve(solver, b), TAUT_BAD_USAGE);
        assert_int_equal(taut_linear_factor(solver, regular->value), TAUT_OK);
        assert_int_equal(taut_linear_status(solver)->deficient, -1);
        check_solves(solver, regular, small_error);
    }
    /* pivots may be kept from regular to singular, once, but never the other way */
    assert_true(taut_linear_status(solver)->refactorisations <= 1);
    taut_linear_destroy(solver);
    taut_context_destroy(context);
}

/* Unknown 17 has nothing in its row and column: only it can be the one. */
static void a_zero_column_is_named(void **state)
{
    (void)state;
    matrix a = tridiagonal(40, 0.2, 17);
    double *singular = malloc(sizeof(double) * a.count);
    memcpy(singular, a.value, sizeof(double) * a.count);
    for (int j = 0; j < a.n; j++)
        for (int p = a.start[j]; p < a.start[j + 1]; p++)
            if (j == 17 || a.row[p] == 17) singular[p] = 0;
    for (int k = 0; k < ALL; k++) expect_singular(all[k], &a, singular, 17, 17);
    free(singular);
    end(&a);
}

/* A star whose hub comes first, so that LDL takes AMD's order and must translate; 11 and 23 stand apart and depend on
   each other. */
static void a_dependent_pair_is_named_in_the_original_numbering(void **state)
{
    (void)state;
    const int n = 30;
    matrix a = begin(n, 4 * (size_t)n);
    for (int k = 0; k < n; k++) {
        add(&a, k, k, k == 0 ? n : 2);
        if (k == 0 || k == 11 || k == 23) continue;
        add(&a, k, 0, 1);
        add(&a, 0, k, 1);
    }
    add(&a, 11, 23, 1);
    add(&a, 23, 11, 1);
    finish(&a);
    double singular[120];
    memcpy(singular, a.value, sizeof(double) * a.count);
    *entry(&a, 11, 23) = *entry(&a, 23, 11) = 2;
    for (size_t p = 0; p < a.count; p++)
        if (a.value[p] != singular[p]) singular[p] = 2;
    *entry(&a, 11, 23) = *entry(&a, 23, 11) = 1;
    for (int k = 0; k < ALL; k++) expect_singular(all[k], &a, singular, 11, 23);
    end(&a);
}

/* Redundant constraints: G M^-1 G' in which rows 4 and 9 of G are parallel; entries with rounding, so that the vanished
   pivot is some eps and not zero. Either of the two may be named. */
static void parallel_constraints_are_named(void **state)
{
    (void)state;
    enum { N = 14, Q = 30 };
    for (int k = 0; k < ALL; k++) {
        double g[N][Q], singular[N * N];
        uint64_t seed = 77;
        matrix a = begin(N, N * N);
        for (int redundant = 0; redundant < 2; redundant++) {
            for (int i = 0; i < N; i++)
                for (int m = 0; m < Q; m++) g[i][m] = redundant && i == 9 ? 0.3 * g[4][m] : next_number(&seed);
            for (int j = 0; j < N; j++)
                for (int i = 0; i < N; i++) {
                    double sum = 0;
                    for (int m = 0; m < Q; m++) sum += g[i][m] * g[j][m] / (1 + m);
                    if (redundant) singular[j * N + i] = sum;
                    else add(&a, i, j, sum);
                }
        }
        finish(&a);
        expect_singular(all[k], &a, singular, 4, 9);
        end(&a);
    }
}

/* Structurally singular: column 1 is empty. Never regular, but never worse than that. */
static void an_empty_column_is_singular(void **state)
{
    (void)state;
    for (int k = 0; k < ALL; k++) {
        const int start[] = { 0, 2, 2, 4 }, row[] = { 0, 1, 1, 2 };
        const double value[] = { 1, 2, 3, 4 };
        taut_context *context = taut_context_create(NULL);
        linear *solver = NULL;
        assert_int_equal(taut_linear_create(context, all[k], 3, start, row, 0, &solver), TAUT_OK);
        for (int time = 0; time < 2; time++) {
            assert_int_equal(taut_linear_factor(solver, value), TAUT_SINGULAR);
            assert_int_equal(taut_linear_status(solver)->deficient, 1);
        }
        taut_linear_destroy(solver);
        taut_context_destroy(context);
    }
}

/* ---- what is refused ---- */

static void what_is_not_finite_is_refused(void **state)
{
    (void)state;
    const double bad[] = { NAN, INFINITY, -INFINITY };
    matrix a = tridiagonal(40, 0.2, 2);
    for (int k = 0; k < ALL; k++) {
        taut_context *context = taut_context_create(NULL);
        linear *solver = make(context, all[k], &a, 0);
        for (size_t p = 0; p < a.count; p++) {
            double kept = a.value[p];
            a.value[p] = bad[p % 3];
            assert_int_equal(taut_linear_factor(solver, a.value), TAUT_NOT_FINITE);
            a.value[p] = kept;
        }
        assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
        check_solves(solver, &a, small_error);
        taut_linear_destroy(solver);
        taut_context_destroy(context);
    }
    end(&a);
}

static void bad_usage_is_refused(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    linear *solver = NULL;
    const int start[] = { 0, 2, 3 }, descending[] = { 1, 0, 1 }, twice[] = { 0, 0, 1 }, outside[] = { 0, 2, 1 };
    const int *rows[] = { descending, twice, outside };
    for (int k = 0; k < ALL; k++) {
        for (int r = 0; r < 3; r++)
            assert_int_equal(taut_linear_create(context, all[k], 2, start, rows[r], 0, &solver), TAUT_BAD_USAGE);
        const int right[] = { 0, 1, 1 };
        double b[2] = { 1, 1 };
        assert_int_equal(taut_linear_create(context, all[k], 2, start, right, 0, &solver), TAUT_OK);
        assert_int_equal(taut_linear_solve(solver, b), TAUT_BAD_USAGE);
        assert_int_equal(taut_linear_solve_transposed(solver, b), TAUT_BAD_USAGE);
        taut_linear_destroy(solver);
    }
    assert_int_equal(taut_linear_create(context, (linear_backend)99, 2, start, outside, 0, &solver), TAUT_BAD_USAGE);
    taut_linear_destroy(NULL);
    taut_context_destroy(context);
}

/* ---- allocations that fail ---- */

/* Returns nonzero once the whole life of a solver passes without the failure coming up. */
static int live_through(linear_backend backend, const matrix *a, const double *second, long fail_at)
{
    counter count = { .fail_at = fail_at, .fail_count = 1 };
    taut_allocator allocator = { counted_resize, &count };
    taut_context *context = taut_context_create(&allocator);
    if (!context) {
        assert_int_equal(count.live, 0);
        return 0;
    }
    linear *solver = NULL;
    int status = taut_linear_create(context, backend, a->n, a->start, a->row, 0, &solver);
    if (status) assert_null(solver);
    if (!status) status = taut_linear_factor(solver, a->value);
    if (!status) check_solves(solver, a, small_error);
    if (!status) status = taut_linear_factor(solver, second);
    if (status) assert_int_equal(status, TAUT_OUT_OF_MEMORY);
    if (status && solver) { /* memory came back: the object must be whole */
        assert_int_equal(taut_linear_factor(solver, a->value), TAUT_OK);
        check_solves(solver, a, small_error);
    }
    taut_linear_destroy(solver);
    assert_int_equal(count.live, 1); /* the context alone */
    taut_context_destroy(context);
    assert_int_equal(count.live, 0);
    return status == TAUT_OK;
}

/* A chain numbered so that LDL takes AMD's order, and second values that send LDL to KLU: every allocation is met. */
static void every_allocation_may_fail(void **state)
{
    (void)state;
    enum { N = 25 };
    for (int k = 0; k < ALL; k++) {
        int parent[N];
        for (int i = 0; i < N; i++) parent[i] = i == 0 ? -1 : i / 3;
        matrix a = on_tree(N, parent, 0.1, 3);
        double second[3 * N];
        memcpy(second, a.value, sizeof(double) * a.count);
        for (int j = 0; j < N; j++)
            for (int p = a.start[j]; p < a.start[j + 1]; p++)
                if (a.row[p] == j) second[p] = j < 9 ? 1 : 1e-8;
        long fail_at = 1;
        while (!live_through(all[k], &a, second, fail_at)) assert_true(++fail_at < 1000);
        assert_true(fail_at > 5); /* the context, the solver, its pattern's two arrays and a state at least */
        end(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_zero_column_is_named),
        cmocka_unit_test(a_dependent_pair_is_named_in_the_original_numbering),
        cmocka_unit_test(parallel_constraints_are_named),
        cmocka_unit_test(an_empty_column_is_singular),
        cmocka_unit_test(what_is_not_finite_is_refused),
        cmocka_unit_test(bad_usage_is_refused),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
