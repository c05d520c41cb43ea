/* Linear systems: every back end on every kind of matrix that mechanics makes. */
#include "linear_matrices.h"

static void random_dense_matrices(void **state)
{
    (void)state;
    for (int n = 1; n <= 40; n += 3)
        for (int k = 0; k < ALL; k++) {
            matrix a = random_dense(n, (uint64_t)n);
            check_on(all[k], &a, 0, small_error);
            end(&a);
        }
}

static void random_sparse_matrices(void **state)
{
    (void)state;
    for (int n = 20; n <= 500; n += 160)
        for (int k = 0; k < ALL; k++) {
            matrix a = random_sparse(n, (uint64_t)n);
            check_on(all[k], &a, 0, loose_error);
            end(&a);
        }
}

static void saddle_points(void **state)
{
    (void)state;
    for (int symmetric = 0; symmetric < 2; symmetric++)
        for (int k = 0; k < ALL; k++) {
            matrix a = saddle_point(60, 5);
            check_on(all[k], &a, symmetric, small_error);
            end(&a);
        }
}

/* Sylvester: [M G'; G 0] with M positive definite and G of full rank has one negative eigenvalue per constraint. */
static void mumps_counts_the_constraints(void **state)
{
    (void)state;
    matrix a = saddle_point(60, 5);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_MUMPS, &a, 1);
    assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
    assert_int_equal(taut_linear_status(solver)->negative_pivots, 60);
    taut_linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
}

/* A chain has no fill in its natural order: 2 (n-1) entries off the diagonal and n on it. */
static void a_long_chain_by_ldl_and_by_klu(void **state)
{
    (void)state;
    const int n = 100000;
    for (int skew = 0; skew < 2; skew++) {
        matrix a = tridiagonal(n, 0.3 * skew, 11);
        taut_context *context = taut_context_create(NULL);
        linear *ldl = make(context, LINEAR_LDL, &a, 0), *klu = make(context, LINEAR_KLU, &a, 0);
        assert_int_equal(taut_linear_factor(ldl, a.value), TAUT_OK);
        assert_int_equal(taut_linear_factor(klu, a.value), TAUT_OK);
        assert_int_equal(taut_linear_status(ldl)->backend, LINEAR_LDL);
        assert_int_equal(taut_linear_status(ldl)->factor_nonzeros, 3L * n - 2);
        assert_int_equal(taut_linear_status(ldl)->negative_pivots, 0);
        check_solves(ldl, &a, small_error);
        double *x = malloc(sizeof(double) * (size_t)n), *y = malloc(sizeof(double) * (size_t)n);
        for (int i = 0; i < n; i++) x[i] = y[i] = sin(i);
        taut_linear_solve(ldl, x);
        taut_linear_solve(klu, y);
        /* dominance 0.1 over entries of at most 2.2: the condition is below 40, and some eps per operation */
        for (int i = 0; i < n; i++) assert_true(fabs(x[i] - y[i]) <= 1e-13);
        free(x);
        free(y);
        taut_linear_destroy(ldl);
        taut_linear_destroy(klu);
        taut_context_destroy(context);
        end(&a);
    }
}

/* The path with a pinned end, 2 on the diagonal and -1 beside it but for what makes it unsymmetric: couplings reach
   from one end to the other. */
static matrix path(int n, double skew)
{
    matrix a = tridiagonal(n, 0, 1);
    for (int j = 0; j < n; j++)
        for (int p = a.start[j]; p < a.start[j + 1]; p++)
            a.value[p] = a.row[p] == j ? 2 : a.row[p] < j ? -1 - skew : -1 + skew;
    return a;
}

/* Lengths about the one from which a chain has four recurrences; one thread and several, of which all bits are the
   same; values that need pivots in between. */
static void long_chains_by_any_number_of_threads(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    for (int n = 8189; n <= 8197; n++) {
        matrix a = path(n, n % 2 * 1e-4), bad = path(n, 0);
        double *x[3];
        for (int j = 0; j < n; j++) /* pivots vanish, though the matrix is regular */
            for (int p = bad.start[j]; p < bad.start[j + 1]; p++)
                if (bad.row[p] == j) bad.value[p] = n % 2 && j == 0;
        for (int k = 0; k < 3; k++) {
            pool *p;
            linear *solver = make(context, LINEAR_LDL, &a, 0);
            assert_int_equal(taut_pool_create(context, k + 1, &p), TAUT_OK);
            taut_linear_use(solver, p);
            for (int again = 0; again < 2; again++) {
                assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
                assert_int_equal(taut_linear_status(solver)->backend, LINEAR_LDL);
                assert_int_equal(taut_linear_status(solver)->negative_pivots, 0);
                check_solves(solver, &a, small_error);
                if (again) break;
                assert_int_equal(taut_linear_factor(solver, bad.value), TAUT_OK);
                assert_int_equal(taut_linear_status(solver)->backend, LINEAR_KLU);
                check_solves(solver, &bad, small_error);
            }
            x[k] = malloc(2 * sizeof(double) * (size_t)n);
            for (int i = 0; i < 2 * n; i++) x[k][i] = sin(i);
            taut_linear_solve(solver, x[k]);
            taut_linear_solve_transposed(solver, x[k] + n);
            assert_memory_equal(x[k], x[0], 2 * sizeof(double) * (size_t)n);
            taut_linear_destroy(solver);
            taut_pool_destroy(p);
        }
        for (int k = 0; k < 3; k++) free(x[k]);
        end(&a);
        end(&bad);
    }
    taut_context_destroy(context);
}

/* Trees have an order without fill, and AMD finds it. The star with its hub first would fill completely (1.25e9
   entries) in the natural order, the tree numbered from its root nearly so. */
static void stars_and_trees_have_no_fill(void **state)
{
    (void)state;
    const int n = 50000;
    int *parent = calloc((size_t)n, sizeof *parent);
    for (int kind = 0; kind < 2; kind++) {
        uint64_t seed = 8;
        for (int k = 0; k < n; k++) parent[k] = k == 0 ? -1 : kind == 0 ? 0 : (int)((next_number(&seed) + 0.5) * k);
        matrix a = on_tree(n, parent, 0.2, 21);
        taut_context *context = taut_context_create(NULL);
        linear *solver = make(context, LINEAR_LDL, &a, 0);
        assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
        assert_int_equal(taut_linear_status(solver)->backend, LINEAR_LDL);
        assert_int_equal(taut_linear_status(solver)->factor_nonzeros, 3L * n - 2);
        check_solves(solver, &a, small_error);
        taut_linear_destroy(solver);
        taut_context_destroy(context);
        end(&a);
    }
    free(parent);
}

/* With fill, in AMD's order, and twice: what a solve leaves in the work arrays must not leak into the next factors. */
static void ldl_with_fill(void **state)
{
    (void)state;
    matrix a = cube(8);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_LDL, &a, 0);
    for (int time = 0; time < 2; time++) {
        assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
        assert_int_equal(taut_linear_status(solver)->backend, LINEAR_LDL);
        assert_true(taut_linear_status(solver)->factor_nonzeros > 2 * (long)a.count);
        check_solves(solver, &a, small_error);
    }
    taut_linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
}

/* Only one of (i, j), (j, i) stored; a diagonal entry missing; more than one component. */
static void ldl_completes_an_unsymmetric_pattern(void **state)
{
    (void)state;
    const int n = 60;
    matrix a = begin(n, 4 * (size_t)n);
    uint64_t seed = 4;
    for (int k = 0; k < n; k++) {
        add(&a, k, k, 3 + next_number(&seed));
        if (k + 7 < n && k != 20) add(&a, k + 7, k, next_number(&seed));
        if (k + 11 < n && k % 2) add(&a, k, k + 11, next_number(&seed));
    }
    finish(&a);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_LDL, &a, 0);
    assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
    assert_int_equal(taut_linear_status(solver)->backend, LINEAR_LDL);
    check_solves(solver, &a, small_error);
    taut_linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
    /* diag(1, 0) + the other diagonal: regular, though (1, 1) is not even in the pattern */
    matrix corner = begin(2, 3);
    add(&corner, 0, 0, 1);
    add(&corner, 0, 1, 2);
    add(&corner, 1, 0, 3);
    finish(&corner);
    for (int k = 0; k < ALL; k++) check_on(all[k], &corner, 0, small_error);
    end(&corner);
}

/* LDL must not solve saddle points itself: growth or a zero pivot hands them to KLU, and the next good matrix comes
   back. */
static void ldl_hands_over_what_needs_pivoting(void **state)
{
    (void)state;
    matrix a = tridiagonal(50, 0, 3);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_LDL, &a, 0);
    double good = *entry(&a, 10, 10);
    const double bad[] = { 1e-9, 0 }; /* growth 1e8; no pivot at all */
    for (int k = 0; k < 2; k++) {
        /* the row before is decoupled so that the pivot is the entry itself */
        double coupling = *entry(&a, 10, 9);
        *entry(&a, 10, 9) = 0;
        *entry(&a, 10, 10) = bad[k];
        assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
        assert_int_equal(taut_linear_status(solver)->backend, LINEAR_KLU);
        check_solves(solver, &a, small_error);
        *entry(&a, 10, 9) = coupling;
        *entry(&a, 10, 10) = good;
        assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
        assert_int_equal(taut_linear_status(solver)->backend, LINEAR_LDL);
        assert_true(taut_linear_status(solver)->pivot_growth < 2);
        check_solves(solver, &a, small_error);
    }
    taut_linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
}

/* Growth off the diagonal alone, which the products l_kj u_jk do not show: 1e7 * 1e7 meets 0 at (1, 2). */
static void ldl_sees_growth_off_the_diagonal(void **state)
{
    (void)state;
    const double value[9] = { 1, 1e7, 0, 0, 1, 0, 1e7, 0, 1 }; /* by columns */
    matrix a = begin(3, 9);
    for (int k = 0; k < 9; k++) add(&a, k % 3, k / 3, value[k]);
    finish(&a);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_LDL, &a, 0);
    assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
    assert_int_equal(taut_linear_status(solver)->backend, LINEAR_KLU);
    taut_linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
}

/* Powers of ten from 1e-9 to 1e9 on rows and columns: badly scaled is not singular. The solution is known through the
   unscaled system, so that a row's error counts in the row's own scale. */
static void scaling_does_not_make_singular(void **state)
{
    (void)state;
    const int n = 30;
    for (int k = 0; k < ALL; k++) {
        matrix a = tridiagonal(n, 0.2, 6);
        taut_context *context = taut_context_create(NULL);
        linear *solver = make(context, all[k], &a, 0);
        double b[30] = { 0 }, x[30];
        uint64_t seed = 12;
        double row[30], column[30];
        for (int i = 0; i < n; i++) row[i] = pow(10, 18 * next_number(&seed));
        for (int i = 0; i < n; i++) column[i] = pow(10, 18 * next_number(&seed));
        for (int j = 0; j < n; j++)
            for (int p = a.start[j]; p < a.start[j + 1]; p++) {
                a.value[p] *= row[a.row[p]] * column[j];
                b[a.row[p]] += a.value[p] / column[j];
            }
        assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
        memcpy(x, b, sizeof x);
        taut_linear_solve(solver, x);
        /* the condition of the unscaled matrix is below 40 */
        for (int i = 0; i < n; i++) assert_true(fabs(x[i] * column[i] - 1) <= 1e-12);
        taut_linear_destroy(solver);
        taut_context_destroy(context);
        end(&a);
    }
}

/* The first values make the diagonal the best pivots; the next make it 1e-14 of the rest, so that the kept pivots would
   leave a backward error near 1e-2. */
static void klu_notices_pivots_gone_bad(void **state)
{
    (void)state;
    matrix a = random_sparse(200, 31);
    double *good = malloc(sizeof(double) * a.count), *mild = malloc(sizeof(double) * a.count);
    for (int j = 0; j < a.n; j++)
        for (int p = a.start[j]; p < a.start[j + 1]; p++) {
            good[p] = a.row[p] == j ? 10 : a.value[p];
            mild[p] = a.row[p] == j ? 11 : a.value[p];
            if (a.row[p] == j) a.value[p] *= 1e-14;
        }
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_KLU, &a, 0);
    const linear_info *info = taut_linear_status(solver);
    assert_int_equal(taut_linear_factor(solver, good), TAUT_OK);
    assert_int_equal(taut_linear_factor(solver, mild), TAUT_OK);
    assert_int_equal(info->refactorisations, 1);
    assert_int_equal(info->factorisations, 1);
    assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
    assert_int_equal(info->refactorisations, 1);
    assert_true(info->factorisations > 1);
    assert_true(info->pivot_growth < 1e6);
    check_solves(solver, &a, small_error);
    taut_linear_destroy(solver);
    taut_context_destroy(context);
    free(good);
    free(mild);
    end(&a);
}

/* KLU's preference for the diagonal lets this matrix grow by 2e4; partial pivoting does not. */
static void klu_gives_up_a_bad_diagonal(void **state)
{
    (void)state;
    matrix a = random_sparse(180, 180);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_KLU, &a, 0);
    assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
    assert_true(taut_linear_status(solver)->pivot_growth <= 1e3);
    check_solves(solver, &a, small_error);
    taut_linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
}

static void solve_bits(linear *solver, const matrix *a, double *x)
{
    for (int i = 0; i < a->n; i++) x[i] = cos(i);
    assert_int_equal(taut_linear_solve(solver, x), TAUT_OK);
}

/* Two objects, with the process's random numbers moved on between them (orderings may draw on those). */
static void the_same_input_gives_the_same_bits(void **state)
{
    (void)state;
    matrix a = cube(12);
    size_t size = sizeof(double) * (size_t)a.n;
    double *x = malloc(size), *y = malloc(size);
    for (int k = 0; k < ALL; k++) {
        if (all[k] == LINEAR_SMALL) continue; /* 1728 unknowns are too slow there, and it has no ordering */
        taut_context *context = taut_context_create(NULL);
        for (int time = 0; time < 2; time++) {
            linear *solver = make(context, all[k], &a, all[k] == LINEAR_MUMPS);
            assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
            solve_bits(solver, &a, time ? y : x);
            taut_linear_destroy(solver);
            rand();
        }
        assert_memory_equal(x, y, size);
        taut_context_destroy(context);
    }
    free(x);
    free(y);
    end(&a);
}

/* With pivots kept from other values KLU gives other bits (the test would be empty if it did not); after linear_forget
   those of a new object. */
static void forgetting_is_like_starting_anew(void **state)
{
    (void)state;
    matrix a = random_sparse(300, 41);
    size_t size = sizeof(double) * (size_t)a.n;
    double *x = malloc(size), *y = malloc(size), *z = malloc(size), *before = malloc(sizeof(double) * a.count);
    uint64_t seed = 1;
    for (size_t p = 0; p < a.count; p++) before[p] = a.value[p] * (1 + 0.5 * next_number(&seed));
    taut_context *context = taut_context_create(NULL);
    linear *old = make(context, LINEAR_KLU, &a, 0), *new = make(context, LINEAR_KLU, &a, 0);
    assert_int_equal(taut_linear_factor(new, a.value), TAUT_OK);
    assert_int_equal(taut_linear_factor(old, before), TAUT_OK);
    assert_int_equal(taut_linear_factor(old, a.value), TAUT_OK);
    assert_int_equal(taut_linear_status(old)->refactorisations, 1);
    solve_bits(new, &a, x);
    solve_bits(old, &a, y);
    taut_linear_forget(old);
    assert_int_equal(taut_linear_factor(old, a.value), TAUT_OK);
    solve_bits(old, &a, z);
    assert_memory_not_equal(x, y, size);
    assert_memory_equal(x, z, size);
    taut_linear_destroy(old);
    taut_linear_destroy(new);
    taut_context_destroy(context);
    free(x);
    free(y);
    free(z);
    free(before);
    end(&a);
}

/* Entries below the normal numbers: their row has no scale that is a number, and the matrix is no worse for it. */
static void scales_of_tiny_rows(void **state)
{
    (void)state;
    for (int k = 0; k < ALL; k++) {
        if (all[k] != LINEAR_SMALL && all[k] != LINEAR_LAPACK) continue; /* the others scale for themselves */
        matrix a = begin(2, 4);
        add(&a, 0, 0, 0x1p-1070), add(&a, 1, 1, 2);
        finish(&a);
        taut_context *context = taut_context_create(NULL);
        linear *solver = make(context, all[k], &a, 0);
        double x[2] = { 0x1p-1068, 6 };
        assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
        taut_linear_solve(solver, x);
        assert_true(x[0] == 4 && x[1] == 3); /* powers of two: exact */
        taut_linear_destroy(solver);
        taut_context_destroy(context);
        end(&a);
    }
}

/* Wilkinson's matrix, 1 on the diagonal and in the last column, -1 below: without an exchange of rows the last column
   doubles with every elimination. Its last pivot, 2^(n-1), is the growth. */
static void growth_of_wilkinsons_matrix(void **state)
{
    (void)state;
    enum { N = 12 };
    static const linear_backend dense[] = { LINEAR_SMALL, LINEAR_LAPACK };
    for (int k = 0; k < 2; k++) {
        matrix a = begin(N, N * N);
        for (int j = 0; j < N; j++)
            for (int i = 0; i < N; i++)
                if (i == j || j == N - 1) add(&a, i, j, 1);
                else if (i > j) add(&a, i, j, -1);
        finish(&a);
        taut_context *context = taut_context_create(NULL);
        linear *solver = make(context, dense[k], &a, 0);
        assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
        /* rows are scaled by powers of two, all by the same */
        assert_true(taut_linear_status(solver)->pivot_growth == 1 << (N - 1));
        taut_linear_destroy(solver);
        taut_context_destroy(context);
        end(&a);
    }
}

static void automatic_choices(void **state)
{
    (void)state;
    struct {
        matrix a;
        linear_backend expected;
    } cases[] = { { random_dense(10, 1), LINEAR_SMALL },
                  { random_dense(60, 1), LINEAR_LAPACK },
                  { tridiagonal(1000, 0, 1), LINEAR_KLU },
                  { saddle_point(500, 1), LINEAR_KLU },
                  { cube(16), LINEAR_KLU },      /* factors of more than ten times the matrix, but not large */
                  { cube(22), LINEAR_MUMPS } }; /* AMD's factors have more than 2e6 entries, the matrix 7e4 */
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        taut_context *context = taut_context_create(NULL);
        linear *solver = make(context, LINEAR_AUTO, &cases[k].a, 1);
        assert_int_equal(taut_linear_status(solver)->backend, cases[k].expected);
        assert_int_equal(taut_linear_factor(solver, cases[k].a.value), TAUT_OK);
        assert_int_equal(taut_linear_status(solver)->backend, cases[k].expected);
        check_solves(solver, &cases[k].a, small_error);
        taut_linear_destroy(solver);
        taut_context_destroy(context);
        end(&cases[k].a);
    }
}

/* A grid with `side` points along each of its dimensions, whose diagonal is useless. */
static matrix useless_diagonal(int side, int dimensions)
{
    int n = 1;
    for (int k = 0; k < dimensions; k++) n *= side;
    uint64_t seed = 5;
    matrix a = begin(n, 7 * (size_t)n);
    for (int k = 0; k < n; k++) {
        add(&a, k, k, 1e-6 * next_number(&seed));
        for (int step = 1; step < n; step *= side) {
            if (k / step % side == side - 1) continue;
            add(&a, k, k + step, next_number(&seed));
            add(&a, k + step, k, next_number(&seed));
        }
    }
    finish(&a);
    return a;
}

/* Diagonal pivots will not do, and the rows are exchanged in an order of the columns that is made for it: 204,000
   entries. In the order for diagonal pivots the exchanges fill the factors with 995,000. */
static void exchanged_rows_fill_little(void **state)
{
    (void)state;
    matrix a = useless_diagonal(60, 2);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_KLU, &a, 0);
    for (int time = 0; time < 2; time++) { /* the second time in the order of the first */
        assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
        assert_in_range(taut_linear_status(solver)->factor_nonzeros, 1, 400000);
        assert_true(taut_linear_status(solver)->pivot_growth < 1000);
        check_solves(solver, &a, loose_error);
    }
    assert_int_equal(taut_linear_status(solver)->refactorisations, 1);
    taut_linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
}

/* Exchanging rows fills KLU's factors far beyond the forecast, and AUTO changes
   its mind. MUMPS in turn needs more memory than it had foreseen. */
static void automatic_changes_its_mind(void **state)
{
    (void)state;
    matrix a = useless_diagonal(18, 3);
    taut_context *context = taut_context_create(NULL);
    linear *solver = make(context, LINEAR_AUTO, &a, 0);
    assert_int_equal(taut_linear_status(solver)->backend, LINEAR_KLU);
    for (int time = 0; time < 2; time++) {
        assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
        assert_int_equal(taut_linear_status(solver)->backend, LINEAR_MUMPS);
        check_solves(solver, &a, loose_error);
    }
    taut_linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
}

/* The same matrix after the choice was settled: with values that fill as much it is MUMPS from the first matrix on,
   with harmless ones KLU for good. What comes first no longer matters. */
static void a_settled_choice_stays(void **state)
{
    (void)state;
    for (int filling = 0; filling < 2; filling++) {
        matrix a = useless_diagonal(18, 3);
        const int n = a.n;
        double *trial = malloc((size_t)a.start[n] * sizeof *trial);
        for (int j = 0; j < n; j++) /* a dominant diagonal needs no exchange */
            for (int p = a.start[j]; p < a.start[j + 1]; p++) trial[p] = filling ? a.value[p] : a.row[p] == j ? 10 : 1;
        taut_context *context = taut_context_create(NULL);
        linear *solver = make(context, LINEAR_AUTO, &a, 0);
        taut_linear_settle(solver, trial);
        assert_int_equal(taut_linear_status(solver)->backend, filling ? LINEAR_MUMPS : LINEAR_KLU);
        assert_int_equal(taut_linear_status(solver)->factorisations, 0);
        assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
        assert_int_equal(taut_linear_status(solver)->backend, filling ? LINEAR_MUMPS : LINEAR_KLU);
        check_solves(solver, &a, loose_error);
        taut_linear_destroy(solver);
        taut_context_destroy(context);
        free(trial);
        end(&a);
    }
}

/* A symmetric chain of which the lower triangle alone is given: the same bits, also where the general elimination or
   KLU has to take over (two zeros on the diagonal). */
static void a_triangle_of_a_chain(void **state)
{
    (void)state;
    for (int k = 0; k < 4; k++) {
        const int n = k % 2 ? 20000 : 300;
        matrix a = tridiagonal(n, 0, 5);
        taut_context *context = taut_context_create(NULL);
        linear *whole = make(context, LINEAR_LDL, &a, 1), *part = make(context, LINEAR_LDL, &a, 1);
        const int *order, *other;
        assert_int_equal(taut_linear_value_order(whole, &order), TAUT_OK);
        assert_int_equal(taut_linear_value_order(part, &other), TAUT_OK);
        double *values = calloc(3 * (size_t)n, sizeof *values), *lower = calloc(3 * (size_t)n, sizeof *lower);
        double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
        for (int p = 0; p < 3 * n - 2; p++) values[order[p]] = a.value[p];
        if (k >= 2) values[0] = values[1] = 0;
        assert_int_equal(taut_linear_takes_lower(part), 2 * n - 1);
        memcpy(lower, values, (size_t)(2 * n - 1) * sizeof *lower);
        for (int i = 2 * n - 1; i < 3 * n - 2; i++) lower[i] = NAN;
        assert_int_equal(taut_linear_factor(whole, values), TAUT_OK);
        assert_int_equal(taut_linear_factor_lower(part, lower), TAUT_OK);
        assert_int_equal(taut_linear_status(whole)->backend, k < 2 ? LINEAR_LDL : LINEAR_KLU);
        for (int i = 0; i < n; i++) x[i] = y[i] = i % 7 - 3;
        assert_int_equal(taut_linear_solve(whole, x), TAUT_OK);
        assert_int_equal(taut_linear_solve(part, y), TAUT_OK);
        assert_memory_equal(x, y, (size_t)n * sizeof *x);
        for (int i = 0; i < n; i++) y[i] = i % 7 - 3;
        assert_int_equal(taut_linear_solve_transposed(part, y), TAUT_OK);
        for (int i = 0; i < n && k < 2; i++) assert_true(x[i] == y[i]); /* its own transposed matrix */
        free(values), free(lower), free(x), free(y);
        taut_linear_destroy(whole);
        taut_linear_destroy(part);
        taut_context_destroy(context);
        end(&a);
    }
}

static void nothing_is_a_system_too(void **state)
{
    (void)state;
    for (int k = 0; k < ALL; k++) {
        matrix a = random_dense(0, 1);
        check_on(all[k], &a, 1, small_error);
        end(&a);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_dense_matrices),
        cmocka_unit_test(random_sparse_matrices),
        cmocka_unit_test(saddle_points),
        cmocka_unit_test(mumps_counts_the_constraints),
        cmocka_unit_test(a_long_chain_by_ldl_and_by_klu),
        cmocka_unit_test(long_chains_by_any_number_of_threads),
        cmocka_unit_test(stars_and_trees_have_no_fill),
        cmocka_unit_test(ldl_with_fill),
        cmocka_unit_test(ldl_completes_an_unsymmetric_pattern),
        cmocka_unit_test(ldl_hands_over_what_needs_pivoting),
        cmocka_unit_test(ldl_sees_growth_off_the_diagonal),
        cmocka_unit_test(scaling_does_not_make_singular),
        cmocka_unit_test(klu_notices_pivots_gone_bad),
        cmocka_unit_test(klu_gives_up_a_bad_diagonal),
        cmocka_unit_test(the_same_input_gives_the_same_bits),
        cmocka_unit_test(forgetting_is_like_starting_anew),
        cmocka_unit_test(scales_of_tiny_rows),
        cmocka_unit_test(growth_of_wilkinsons_matrix),
        cmocka_unit_test(automatic_choices),
        cmocka_unit_test(exchanged_rows_fill_little),
        cmocka_unit_test(automatic_changes_its_mind),
        cmocka_unit_test(a_settled_choice_stays),
        cmocka_unit_test(a_triangle_of_a_chain),
        cmocka_unit_test(nothing_is_a_system_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
