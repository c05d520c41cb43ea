/* Block elimination (linalg/linear_blocks.h) on matrices of random mechanisms: bodies that are joined by constraints
   and by dampers, in trees and in loops; and what it hands over to KLU. */
#include "linear_matrices.h"

enum { BODY = 6, MOST = 400 };

/* A mechanism: joints of some rows between bodies, or a body and the ground (-1). */
typedef struct {
    int bodies, joints, damper_count;
    int one[MOST], other[MOST], rows[MOST];
    int from[MOST], to[MOST];          /* dampers */
} mechanism;

typedef struct {
    matrix a;
    int row[BODY * MOST + 6 * MOST], column[BODY * MOST + 6 * MOST];
    unsigned char late[8 * MOST];
    linear_nodes nodes;
} system_matrix;

static int whole(uint64_t *seed, int below) { return (int)((next_number(seed) + 0.5) * below); }

/* Each body hangs on an earlier one, or on the ground. */
static mechanism random_tree(int bodies, uint64_t *seed)
{
    mechanism m = { .bodies = bodies };
    for (int b = 0; b < bodies; b++) {
        m.one[m.joints] = b, m.other[m.joints] = b ? whole(seed, b < 4 ? b : 4) + (b < 4 ? 0 : b - 4) : -1;
        m.rows[m.joints++] = 1 + whole(seed, 5);
    }
    return m;
}

static mechanism chain(int bodies)
{
    mechanism m = { .bodies = bodies, .joints = bodies };
    for (int b = 0; b < bodies; b++) m.one[b] = b, m.other[b] = b - 1, m.rows[b] = 5;
    return m;
}

static void close_loops(mechanism *m, int count, uint64_t *seed)
{
    for (int k = 0; k < count; k++) {
        m->one[m->joints] = whole(seed, m->bodies), m->other[m->joints] = whole(seed, m->bodies);
        m->rows[m->joints] = 1;
        m->joints += m->one[m->joints] != m->other[m->joints];
    }
}

static void add_dampers(mechanism *m, int count, uint64_t *seed)
{
    for (int k = 0; k < count; k++) {
        m->from[m->damper_count] = whole(seed, m->bodies);
        m->to[m->damper_count] = whole(seed, m->bodies);
        m->damper_count += m->from[m->damper_count] != m->to[m->damper_count];
    }
}

/* [A B; C 0]: A nearly symmetric and positive definite in blocks of a body, with blocks of dampers; B near C'. Rows and
   columns are shuffled when `seed` says so. units: of the constraints. */
static system_matrix matrix_of(const mechanism *m, double units, uint64_t *seed)
{
    system_matrix s = { 0 };
    int n = BODY * m->bodies, *shuffled;
    const int first = n;
    for (int j = 0; j < m->joints; j++) n += m->rows[j];
    s.a = begin(n, 40000);
    shuffled = calloc((size_t)n, sizeof *shuffled);
    for (int i = 0; i < n; i++) shuffled[i] = i;
    for (int i = n - 1; i > 0; i--) {
        int k = whole(seed, i + 1), other = shuffled[i];
        shuffled[i] = shuffled[k], shuffled[k] = other;
    }
    for (int b = 0; b < m->bodies; b++)
        for (int i = 0; i < BODY; i++)
            for (int k = 0; k < BODY; k++)
                add(&s.a, shuffled[BODY * b + i], BODY * b + k, (i == k ? 3 : 0) + 0.3 * next_number(seed));
    for (int d = 0; d < m->damper_count; d++) {
        int seen = 0;
        for (int e = 0; e < d; e++)
            seen |= (m->from[e] == m->from[d] && m->to[e] == m->to[d])
                    || (m->from[e] == m->to[d] && m->to[e] == m->from[d]);
        for (int i = 0; !seen && i < BODY; i++) {
            add(&s.a, shuffled[BODY * m->from[d] + i], BODY * m->to[d] + i, -0.1);
            add(&s.a, shuffled[BODY * m->to[d] + i], BODY * m->from[d] + i, -0.1);
        }
    }
    for (int j = 0, at = first, node = m->bodies; j < m->joints; j++)
        for (int r = 0; r < m->rows[j]; r++, at++, node++) {
            for (int side = 0; side < 2; side++) {
                int body = side ? m->other[j] : m->one[j];
                for (int i = 0; body >= 0 && i < BODY; i++) {
                    double g = ((i == (r + side) % BODY) + next_number(seed) / 2) * units;
                    add(&s.a, shuffled[at], BODY * body + i, g);
                    add(&s.a, shuffled[BODY * body + i], at, g * (1 + 0.01 * next_number(seed)));
                }
            }
            s.row[shuffled[at]] = s.column[at] = node;
            s.late[node] = 1;
            s.nodes.count = node + 1;
        }
    for (int i = 0; i < first; i++) s.row[shuffled[i]] = s.column[i] = i / BODY;
    finish(&s.a);
    free(shuffled);
    return s;
}

static linear *solver_of(taut_context *context, system_matrix *s)
{
    linear *solver;
    s->nodes.row = s->row, s->nodes.column = s->column, s->nodes.late = s->late;
    assert_int_equal(taut_linear_create_blocks(context, LINEAR_AUTO_COLUMNS, s->a.n, s->a.start, s->a.row, &s->nodes,
                                               &solver),
                     TAUT_OK);
    return solver;
}

/* Solutions satisfy their equations, are those of KLU, and are found without it. */
static void check_mechanism(const mechanism *m, double units, uint64_t *seed)
{
    taut_context *context = taut_context_create(NULL);
    system_matrix *s = malloc(sizeof *s);
    *s = matrix_of(m, units, seed);
    linear *solver = solver_of(context, s);
    assert_int_equal(taut_linear_status(solver)->backend, LINEAR_BLOCKS);
    assert_int_equal(taut_linear_factor(solver, s->a.value), TAUT_OK);
    check_solves(solver, &s->a, small_error);
    assert_int_equal(taut_linear_status(solver)->backend, LINEAR_BLOCKS);
    taut_linear_destroy(solver);
    end(&s->a);
    free(s);
    taut_context_destroy(context);
}

static void random_mechanisms(void **state)
{
    (void)state;
    uint64_t seed = 7;
    for (int bodies = 4; bodies <= 150; bodies = bodies * 3 / 2 + 1)
        for (int kind = 0; kind < 4; kind++) {
            mechanism m = random_tree(bodies, &seed);
            if (kind & 1) close_loops(&m, bodies / 4 + 1, &seed);
            if (kind & 2) add_dampers(&m, bodies / 2, &seed);
            check_mechanism(&m, kind == 3 ? 1e-6 : 1, &seed);
        }
}

/* A chain costs the same for every body, also with dampers between neighbours, and when all bodies hang on one
   constraint. */
static void the_factors_of_chains_grow_linearly(void **state)
{
    (void)state;
    long entries[3][2];
    for (int kind = 0; kind < 3; kind++)
        for (int twice = 0; twice < 2; twice++) {
            uint64_t seed = 3;
            mechanism m = chain(30 * (twice + 1));
            for (int b = 1; kind == 1 && b < m.bodies; b++) m.from[m.damper_count] = b, m.to[m.damper_count++] = b - 1;
            if (kind == 2) m.other[m.joints] = 0, m.one[m.joints] = m.bodies - 1, m.rows[m.joints++] = 1;
            taut_context *context = taut_context_create(NULL);
            system_matrix *s = malloc(sizeof *s);
            *s = matrix_of(&m, 1, &seed);
            linear *solver = solver_of(context, s);
            assert_int_equal(taut_linear_factor(solver, s->a.value), TAUT_OK);
            assert_int_equal(taut_linear_status(solver)->backend, LINEAR_BLOCKS);
            entries[kind][twice] = taut_linear_status(solver)->factor_nonzeros;
            taut_linear_destroy(solver);
            end(&s->a);
            free(s);
            taut_context_destroy(context);
        }
    for (int kind = 0; kind < 3; kind++) assert_true(entries[kind][1] < 2.1 * (double)entries[kind][0]);
}

/* A body without mass that two joints hold: its front, which has one of them, is singular, the matrix is not. And a
   constraint without slopes. */
static void hands_over_what_needs_other_pivots(void **state)
{
    (void)state;
    uint64_t seed = 5;
    const mechanism m = chain(12);
    taut_context *context = taut_context_create(NULL);
    system_matrix *s = malloc(sizeof *s);
    *s = matrix_of(&m, 1, &seed);
    linear *solver = solver_of(context, s);
    double *values = malloc(sizeof(double) * (size_t)s->a.start[s->a.n]);
    memcpy(values, s->a.value, sizeof(double) * (size_t)s->a.start[s->a.n]);
    for (int again = 0; again < 2; again++) {
        memcpy(s->a.value, values, sizeof(double) * (size_t)s->a.start[s->a.n]);
        for (int j = 0; j < s->a.n; j++)
            for (int p = s->a.start[j]; p < s->a.start[j + 1]; p++)
                if (s->column[j] == 2 && s->row[s->a.row[p]] == 2) s->a.value[p] = 0;
        assert_int_equal(taut_linear_factor(solver, s->a.value), TAUT_OK);
        check_solves(solver, &s->a, small_error);
        assert_int_equal(taut_linear_status(solver)->backend, LINEAR_KLU_COLUMNS);
        memcpy(s->a.value, values, sizeof(double) * (size_t)s->a.start[s->a.n]);
        assert_int_equal(taut_linear_factor(solver, s->a.value), TAUT_OK);
        check_solves(solver, &s->a, small_error);
        assert_int_equal(taut_linear_status(solver)->backend, LINEAR_BLOCKS);
    }
    for (int j = 0; j < s->a.n; j++) /* a constraint without slopes */
        for (int p = s->a.start[j]; p < s->a.start[j + 1]; p++)
            if (s->row[s->a.row[p]] == 14) s->a.value[p] = 0;
    assert_int_equal(taut_linear_factor(solver, s->a.value), TAUT_SINGULAR);
    s->a.value[0] = NAN;
    assert_int_equal(taut_linear_factor(solver, s->a.value), TAUT_NOT_FINITE);
    free(values);
    taut_linear_destroy(solver);
    end(&s->a);
    free(s);
    taut_context_destroy(context);
}

/* One body of a chain needs pivots beside the diagonal: it exchanges its rows, and those that are eliminated together
   with it do not. */
static void exchanges_rows_of_a_body(void **state)
{
    (void)state;
    uint64_t seed = 6;
    const mechanism m = chain(12);
    taut_context *context = taut_context_create(NULL);
    system_matrix *s = malloc(sizeof *s);
    *s = matrix_of(&m, 1, &seed);
    linear *solver = solver_of(context, s);
    for (int j = 0; j < s->a.n; j++)
        for (int p = s->a.start[j], k = 0; p < s->a.start[j + 1]; p++)
            if (s->column[j] == 5 && s->row[s->a.row[p]] == 5) s->a.value[p] = k++ == (j + 1) % BODY ? 3 : 0.1 * k;
    assert_int_equal(taut_linear_factor(solver, s->a.value), TAUT_OK);
    check_solves(solver, &s->a, small_error);
    assert_int_equal(taut_linear_status(solver)->backend, LINEAR_BLOCKS);
    taut_linear_destroy(solver);
    end(&s->a);
    free(s);
    taut_context_destroy(context);
}

/* Pivots that are small beside what they are next to: the first solution shows it. Where they are not very small, a
   step of iterative refinement is enough. */
static void check_small_pivots(double factor, linear_backend backend)
{
    uint64_t seed = 9;
    mechanism m = random_tree(12, &seed);
    for (int j = 0; j < m.joints; j++) m.rows[j] = 5;
    taut_context *context = taut_context_create(NULL);
    system_matrix *s = malloc(sizeof *s);
    *s = matrix_of(&m, 1, &seed);
    linear *solver = solver_of(context, s);
    for (int j = 0; j < s->a.n; j++)
        for (int p = s->a.start[j]; p < s->a.start[j + 1]; p++)
            if (s->column[j] == 2 && s->row[s->a.row[p]] == 2) s->a.value[p] *= factor;
    assert_int_equal(taut_linear_factor(solver, s->a.value), TAUT_OK);
    check_solves(solver, &s->a, small_error);
    assert_int_equal(taut_linear_status(solver)->backend, backend);
    taut_linear_destroy(solver);
    end(&s->a);
    free(s);
    taut_context_destroy(context);
}

static void the_first_solution_is_checked(void **state)
{
    (void)state;
    check_small_pivots(1e-9, LINEAR_KLU_COLUMNS);
    check_small_pivots(1e-5, LINEAR_BLOCKS);
}

/* Nodes with more equations than unknowns, and matrices for which the fronts would be large, are left to KLU. */
static void refuses_what_does_not_fit(void **state)
{
    (void)state;
    uint64_t seed = 2;
    mechanism m = random_tree(20, &seed);
    taut_context *context = taut_context_create(NULL);
    system_matrix *s = malloc(sizeof *s);
    *s = matrix_of(&m, 1, &seed);
    s->row[0] = s->row[0] ? 0 : 1;
    linear *solver = solver_of(context, s);
    assert_int_not_equal(taut_linear_status(solver)->backend, LINEAR_BLOCKS);
    taut_linear_destroy(solver);
    end(&s->a);
    free(s);
    taut_context_destroy(context);
}

/* Another solver with the same analysis: the same bits, whichever is destroyed first. */
static void like_another(void **state)
{
    (void)state;
    uint64_t seed = 4;
    mechanism m = random_tree(25, &seed);
    taut_context *context = taut_context_create(NULL);
    system_matrix *s = malloc(sizeof *s);
    *s = matrix_of(&m, 1, &seed);
    linear *first = solver_of(context, s), *second;
    double x[2][BODY * 25 + 150];
    assert_int_equal(taut_linear_create_like(first, &second), TAUT_OK);
    linear *both[] = { first, second };
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < s->a.n; i++) x[k][i] = sin(i);
        assert_int_equal(taut_linear_factor(both[k], s->a.value), TAUT_OK);
        assert_int_equal(taut_linear_solve(both[k], x[k]), TAUT_OK);
        taut_linear_destroy(both[k]);
    }
    assert_memory_equal(x[0], x[1], sizeof(double) * (size_t)s->a.n);
    end(&s->a);
    free(s);
    taut_context_destroy(context);
}

enum { NODES = 24 };

/* The Schur complement of the multipliers between bodies: nodes of `size` rows, or of 1 to `size`; a node is next to an
   earlier one, all of them in a ring, or to several. Nearly symmetric; indefinite where `turned` says that pivots are
   not on the diagonal of one node, or of all. */
enum { CHAIN, RING, TREE, LATTICE, GRAPHS };

static system_matrix schur_matrix(int graph, int count, int size, int mixed, int turned, uint64_t *seed)
{
    system_matrix s = { 0 };
    char near[NODES][NODES] = { { 0 } };
    int first[NODES + 1] = { 0 };
    for (int k = 0; k < count; k++) {
        const int before = graph == TREE ? whole(seed, k ? k : 1) : k - 1;
        near[k][k] = 1;
        if (k) near[k][before] = near[before][k] = 1;
        if (graph == LATTICE && k >= 4) near[k][k - 4] = near[k - 4][k] = 1;
        first[k + 1] = first[k] + (mixed ? 1 + whole(seed, size) : size);
    }
    if (graph == RING) near[0][count - 1] = near[count - 1][0] = 1;
    s.a = begin(first[count], 80000);
    for (int a = 0; a < count; a++)
        for (int b = 0; b < count; b++)
            for (int i = first[a]; near[a][b] && i < first[a + 1]; i++)
                for (int j = first[b]; j < first[b + 1]; j++) {
                    const int of_node = first[a + 1] - first[a], exchange = a == b && (turned < 0 || turned - 1 == a);
                    const int is_large = exchange ? i - first[a] == (j - first[a] + 1) % of_node : i == j;
                    add(&s.a, i, j, (is_large ? 4 + size : 0) + 0.4 * next_number(seed));
                }
    finish(&s.a);
    for (int k = 0; k < count; k++)
        for (int i = first[k]; i < first[k + 1]; i++) s.row[i] = s.column[i] = k;
    s.nodes.count = count;
    return s;
}

enum { SMALL = 16 }; /* rows for the own dense LU, whatever the nodes */

static void check_schur(int graph, int count, int size, int mixed, int turned)
{
    uint64_t seed = 21;
    taut_context *context = taut_context_create(NULL);
    system_matrix *s = malloc(sizeof *s);
    *s = schur_matrix(graph, count, size, mixed, turned, &seed);
    linear *solver = solver_of(context, s);
    const linear_backend expected = s->a.n <= SMALL ? LINEAR_SMALL : LINEAR_BLOCKS;
    assert_int_equal(taut_linear_status(solver)->backend, expected);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(taut_linear_factor(solver, s->a.value), TAUT_OK);
        check_solves(solver, &s->a, small_error);
        assert_int_equal(taut_linear_status(solver)->backend, expected);
    }
    taut_linear_destroy(solver);
    end(&s->a);
    free(s);
    taut_context_destroy(context);
}

/* Each size of node by itself, and mixed: alone and in lanes, with and without exchanges of rows in a node. */
static void nodes_of_every_size(void **state)
{
    (void)state;
    for (int graph = 0; graph < GRAPHS; graph++)
        for (int size = 1; size <= 8; size++)
            for (int mixed = 0; mixed < 2; mixed++)
                for (int turned = -1; turned < 3; turned++)
                    for (int count = 1; count <= NODES; count += count < 6 ? 1 : 6)
                        check_schur(graph, count, size, mixed, turned);
}

/* A node with a row of zeros, among equal ones, alone and in lanes with others. */
static void singular_nodes_are_noticed(void **state)
{
    (void)state;
    for (int graph = 0; graph < GRAPHS; graph++)
        for (int size = 2; size <= 7; size++)
            for (int node = 0; node < NODES; node += 5) {
                uint64_t seed = 22;
                taut_context *context = taut_context_create(NULL);
                system_matrix *s = malloc(sizeof *s);
                *s = schur_matrix(graph, NODES, size, 0, 0, &seed);
                linear *solver = solver_of(context, s);
                const int last = (node + 1) * size - 1;
                for (int j = 0; j < s->a.n; j++)
                    for (int p = s->a.start[j]; p < s->a.start[j + 1]; p++)
                        if (s->a.row[p] == last) s->a.value[p] = 0;
                assert_int_equal(taut_linear_factor(solver, s->a.value), TAUT_SINGULAR);
                taut_linear_destroy(solver);
                end(&s->a);
                free(s);
                taut_context_destroy(context);
            }
}

static void scatter(linear *solver, const matrix *a, const linear_places *places, int adds)
{
    double *values = adds ? taut_linear_begin(solver) : taut_linear_values(solver);
    for (int p = 0; p < a->start[a->n]; p++)
        if (adds) /* in two parts, exactly */
            values[places->entry[p]] += 0.5 * a->value[p], values[places->entry[p]] += 0.5 * a->value[p];
        else
            values[places->entry[p]] = a->value[p];
}

/* x in the order of the solver, back to that of the matrix. */
static void solve_in_places(linear *solver, const linear_places *places, int n, double *x)
{
    double *placed = calloc((size_t)places->vector_count + 1, sizeof *placed);
    for (int i = 0; i < n; i++) placed[places->row[i]] = x[i];
    assert_int_equal(taut_linear_solve_placed(solver, placed), TAUT_OK);
    for (int i = 0; i < n; i++) x[i] = placed[places->column[i]];
    free(placed);
}

/* Values and vectors in their places give the same bits, for a matrix that blocks can do, and for one that KLU does;
   and so does a solver that has no places of its own. */
static void the_same_in_places(void **state)
{
    (void)state;
    for (int kind = 0; kind < 6; kind++) {
        uint64_t seed = 11;
        mechanism m = kind < 3 ? random_tree(25, &seed) : chain(kind == 3 ? 40 : kind - 3);
        if (kind == 2) close_loops(&m, 5, &seed);
        taut_context *context = taut_context_create(NULL);
        system_matrix *s = malloc(sizeof *s);
        *s = matrix_of(&m, 1, &seed);
        for (int j = 0; kind == 1 && j < s->a.n; j++)
            for (int p = s->a.start[j]; p < s->a.start[j + 1]; p++)
                if (s->column[j] == 2 && s->row[s->a.row[p]] == 2) s->a.value[p] = 0;
        linear *solver = kind == 5 ? make(context, LINEAR_KLU, &s->a, 0) : solver_of(context, s);
        linear_places places;
        double x[2][BODY * 40 + 200];
        assert_int_equal(taut_linear_places(solver, &places), TAUT_OK);
        assert_true(places.vector_count >= s->a.n);
        for (int again = 0; again < 3; again++) {
            for (int p = 0; p < s->a.start[s->a.n]; p++) s->a.value[p] *= 1 + 0.1 * again;
            for (int i = 0; i < s->a.n; i++) x[0][i] = x[1][i] = sin(i + again);
            assert_int_equal(taut_linear_factor(solver, s->a.value), TAUT_OK);
            for (int k = 0; k < 2; k++) assert_int_equal(taut_linear_solve(solver, x[0]), TAUT_OK);
            taut_linear_forget(solver);
            scatter(solver, &s->a, &places, again > 0);
            assert_int_equal(taut_linear_factor_placed(solver), TAUT_OK);
            for (int k = 0; k < 2; k++) solve_in_places(solver, &places, s->a.n, x[1]);
            assert_memory_equal(x[0], x[1], sizeof(double) * (size_t)s->a.n);
        }
        taut_linear_values(solver)[places.entry[s->a.start[s->a.n] / 2]] = INFINITY;
        assert_int_equal(taut_linear_factor_placed(solver), TAUT_NOT_FINITE);
        assert_int_equal(taut_linear_solve_placed(solver, x[0]), TAUT_BAD_USAGE);
        taut_linear_destroy(solver);
        end(&s->a);
        free(s);
        taut_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_mechanisms),
        cmocka_unit_test(the_factors_of_chains_grow_linearly),
        cmocka_unit_test(hands_over_what_needs_other_pivots),
        cmocka_unit_test(exchanges_rows_of_a_body),
        cmocka_unit_test(the_first_solution_is_checked),
        cmocka_unit_test(refuses_what_does_not_fit),
        cmocka_unit_test(like_another),
        cmocka_unit_test(the_same_in_places),
        cmocka_unit_test(nodes_of_every_size),
        cmocka_unit_test(singular_nodes_are_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
