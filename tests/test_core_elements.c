/* Programs over elements: residuals, matrices and results are those of the fields, on trees, loops, springs, motors and
 * mixtures of points and bodies; machine code has the interpreter's bits; clusters solve what the whole matrix does. */
#include <math.h>

#include "lower/cluster_inside.h"
#include "native/native.h"
#include "step/stepper.h"
#include "support_method.h"

/* A tree of bodies with springs and dampers between them, a motor, a body on the world, and points on rods. */
#define TREE                                                                                                           \
    "gravity{0, 0, -9.81}\n"                                                                                           \
    "local n = option('n', 5)\n"                                                                                       \
    "local before, bodies = world, {}\n"                                                                               \
    "for i = 1, n do\n"                                                                                                \
    "  bodies[i] = body('b' .. i, { shape = box{0.3, 0.1 + i/50, 0.05}, mass = 1 + i/7, at = {0.3*i - 0.15, 0, 0} })\n" \
    "  local at = {0.3*(i - 1), 0, 0}\n"                                                                               \
    "  if i % 3 == 2 then spherical('j' .. i, before, bodies[i], { at = at })\n"                                       \
    "  else revolute('j' .. i, before, bodies[i], { at = at, axis = {0, 1, i % 2} }) end\n"                            \
    "  before = bodies[i]\n"                                                                                           \
    "end\n"

static const char tree[] = TREE;
static const char springs[] =
    TREE "for i = 1, n - 2 do\n"
         "  local l = norm(bodies[i].centre - bodies[i + 2].centre)\n"
         "  lagrangian(-(20 + i)/2*(l - 0.4)^2) force(l, -l.dot/2)\nend\n"
         "force(bodies[2].centre, {0.3*sin(9*time()), 0, 0})\n";
static const char mixed[] =
    TREE "local p, q = point('p'), point('q')\n"
         "lagrangian(0.3/2*norm2(p.dot) + 0.2/2*norm2(q.dot) - 9.81*(0.3*p.z + 0.2*q.z))\n"
         "constraint('rod', norm2(p - bodies[n].centre) - 0.25)\nconstraint('rod2', norm2(p - q) - 0.04)\n"
         "start { p = {0.3*n - 0.15, 0, -0.5}, q = {0.3*n - 0.15, 0, -0.7} }\n";

static const struct {
    const char *name, *text;
    double h;
} models[] = {
    { "tree", tree, 0.001 }, { "springs", springs, 0.001 }, { "mixed", mixed, 0.001 },
    { "hinged-chain", NULL, 0.0005 }, { "stewart-legs", NULL, 0.0005 }, { "suspension", NULL, 0.0005 },
};
static const char *const methods[] = { "rattle", "shake", "lobatto:s=2", "lobatto:s=3", "galerkin:LGL,m=3", "del",
                                       "euler", "euler:conjugate,adjoint" };

static simulation *open_case(size_t i) { return models[i].text ? open_text(models[i].text) : open_model(models[i].name); }

/* 0: the method does not run the model, or its steps have no elements. */
static int set_method(simulation *z, const char *text)
{
    method_spec spec;
    int has_clusters = 0, found = 0;
    X(method_destroy)(&z->method);
    if (X(method_parse)(z->m->context, text, &spec) || X(method_create)(z->s, &spec, 0, &z->method) || z->method.code)
        return 0;
    for (int k = 0; k < X(stepper_phases)(z->method.self); k++)
        found |= X(stepper_has_elements)(z->method.self, k, &has_clusters);
    return found;
}

/* Both iterations end at round-off of the positions; velocities have that divided by h. */
static real difference(const state *a, const state *b, real h)
{
    real q = real_largest(a->q, a->n), w = real_largest(a->w, a->n) + q / h, p = real_largest(a->p, a->n), worst = 0;
    real mass = 0;
    for (uint32_t i = 0; i < a->n; i++)
        if (a->w[i] != 0) mass = real_most(mass, a->p[i] / a->w[i]);
    for (uint32_t i = 0; i < a->n; i++) {
        worst = real_most(worst, (a->q[i] - b->q[i]) / q);
        worst = real_most(worst, (a->w[i] - b->w[i]) / w);
        worst = real_most(worst, (a->p[i] - b->p[i]) / (p + mass * w));
    }
    return worst / REAL_EPSILON;
}

enum { STEPS = 8 };

static void elements_are_the_fields(void **unused)
{
    (void)unused;
    int served = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            simulation *z = open_case(i);
            state fields;
            if (!set_method(z, methods[k])) {
                close_model(z);
                continue;
            }
            real worst = 0;
            served++;
            assert_int_equal(X(state_create)(z->s, &fields), TAUT_OK);
            for (int n = 0; n < STEPS; n++) {
                X(state_copy)(&z->x, &fields);
                X(stepper_use_elements)(z->method.self, 0);
                assert_int_equal(X(method_step)(&z->method, &fields, (real)models[i].h), TAUT_OK);
                X(stepper_use_elements)(z->method.self, 1);
                assert_int_equal(X(method_step)(&z->method, &z->x, (real)models[i].h), TAUT_OK);
                worst = real_most(worst, difference(&z->x, &fields, (real)models[i].h));
            }
            printf("%-14s %-24s %6.1f rounding errors apart\n", models[i].name, methods[k], (double)worst);
            assert_at_most(worst, 64);
            X(state_clear)(z->s, &fields);
            close_model(z);
        }
    printf("%d pairs\n", served);
    assert_true(served >= 30);
}

/* Newton's matrix: along the solution u of a right-hand side r the residual changes by r. Differences in double have few
   digits where unknowns reach 1e6 (multipliers); the small entries show in quad. */
static void check_matrix(simulation *z, const char *model, const char *method, int phase, real h)
{
    real *x;
    X(stepper_use_clusters)(z->method.self, 0);
    newton_problem p = X(stepper_problem)(z->method.self, phase, &z->x, h, &x);
    if (!p.factor) return;
    const size_t n = (size_t)p.size;
    real *right = calloc(n, sizeof *right), *along = calloc(n, sizeof *along), *start = calloc(n, sizeof *start),
         *up = calloc(n, sizeof *up), *down = calloc(n, sizeof *down), worst = INFINITY;
    uint64_t seed = 5;
    for (size_t i = 0; i < n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        along[i] = right[i] = (real)((double)(seed >> 11) * 0x1p-53 - 0.5);
        start[i] = x[i];
    }
    assert_int_equal(p.factor(p.self, x), TAUT_OK);
    assert_int_equal(p.solve(p.self, along), TAUT_OK);
    /* the best of some steps: between round-off and what is not linear */
    for (real part = (real)(QUAD ? 1e-10 : 1e3); part > (real)(QUAD ? 1e-11 : 1e-7); part /= 10) {
        const real step = part / real_largest(along, n);
        real off = 0;
        for (size_t i = 0; i < n; i++) x[i] = start[i] + step * along[i];
        assert_int_equal(p.residual(p.self, x, up), TAUT_OK);
        for (size_t i = 0; i < n; i++) x[i] = start[i] - step * along[i];
        assert_int_equal(p.residual(p.self, x, down), TAUT_OK);
        for (size_t i = 0; i < n; i++) x[i] = start[i], off = real_most(off, (up[i] - down[i]) / (2 * step) - right[i]);
        if (off < worst) worst = off;
    }
    printf("%-14s %-24s phase %d: matrix off by %.1e\n", model, method, phase, (double)worst);
    assert_at_most(worst, (real)(QUAD ? 1e-7 : 1e-2));
    free(right), free(along), free(start), free(up), free(down);
}

static void matrices_are_derivatives(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            simulation *z = open_case(i);
            if (set_method(z, methods[k]) && !X(method_step)(&z->method, &z->x, (real)models[i].h))
                for (int phase = 0; phase < X(stepper_phases)(z->method.self); phase++) {
                    int has_clusters;
                    if (X(stepper_has_elements)(z->method.self, phase, &has_clusters))
                        check_matrix(z, models[i].name, methods[k], phase, (real)models[i].h);
                }
            close_model(z);
        }
}

/* The interpreter of elements, and their machine code where this processor has any. */
static void machine_code_has_the_same_bits(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            simulation *z[2] = { open_case(i), open_case(i) };
            int served = 1;
            for (int n = 0; n < 2; n++) {
                z[n]->native.mode = n ? TAUT_NATIVE_AUTO : TAUT_NATIVE_OFF;
                served &= set_method(z[n], methods[k]);
            }
            for (int n = 0; served && n < STEPS; n++) {
                assert_int_equal(X(method_step)(&z[0]->method, &z[0]->x, (real)models[i].h), TAUT_OK);
                assert_int_equal(X(method_step)(&z[1]->method, &z[1]->x, (real)models[i].h), TAUT_OK);
                assert_memory_equal(z[0]->x.block, z[1]->x.block, X(state_size)(&z[0]->x) * sizeof(real));
            }
            close_model(z[0]);
            close_model(z[1]);
        }
}

static void clusters_are_found(void **unused)
{
    (void)unused;
    int has_clusters = 0;
    simulation *z = open_model("hinged-chain");
    for (int m = 0; m < 2; m++) {
        assert_true(set_method(z, m ? "lobatto:s=3" : "rattle"));
        for (int k = 0; k < 2; k++) {
            assert_true(X(stepper_has_elements)(z->method.self, k, &has_clusters));
            assert_int_equal(has_clusters, !QUAD); /* quad factors in double as a whole */
        }
    }
    close_model(z);
}

#if !QUAD
/* One correction from the same unknowns, by clusters and by the whole matrix, where nothing is left out. */
static void check_correction(simulation *z, const char *model, int phase, real h)
{
    real *x, worst = 0, largest = 0;
    stepper *r = z->method.self;
    newton_problem p = X(stepper_problem)(r, phase, &z->x, h, &x);
    const size_t n = (size_t)p.size;
    real *start = calloc(n, sizeof *start), *found = calloc(n, sizeof *found), *out = calloc(n, sizeof *out);
    X(stepper_use_clusters)(r, 1);
    assert_int_equal(p.factor(p.self, x), TAUT_OK);
    if (p.corrects(p.self) && p.kind(p.self) == NEWTON_EXACT) {
        X(stepper_write_unknowns)(r, phase);
        memcpy(start, x, n * sizeof *x);
        assert_int_equal(p.residual(p.self, x, out), TAUT_OK);
        assert_int_equal(p.solve(p.self, out), TAUT_OK);
        X(stepper_write_unknowns)(r, phase);
        memcpy(found, x, n * sizeof *x);
        X(stepper_use_clusters)(r, 0);
        p = X(stepper_problem)(r, phase, &z->x, h, &x);
        memcpy(x, start, n * sizeof *x);
        assert_int_equal(p.factor(p.self, x), TAUT_OK);
        assert_int_equal(p.residual(p.self, x, out), TAUT_OK);
        assert_int_equal(p.solve(p.self, out), TAUT_OK);
        for (size_t i = 0; i < n; i++) {
            largest = real_most(largest, x[i]);
            worst = real_most(worst, x[i] - out[i] - found[i]);
        }
        printf("%-14s phase %d: corrections %.1e apart\n", model, phase, (double)(worst / largest));
        assert_at_most(worst, (real)1e-11 * largest); /* matrices of condition 1e5 and less, in units of the unknowns */
    }
    free(start), free(found), free(out);
}

static void clusters_solve_what_the_whole_matrix_does(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        simulation *z = open_case(i);
        if (set_method(z, "rattle") && !X(method_step)(&z->method, &z->x, (real)models[i].h))
            for (int phase = 0; phase < 2; phase++) check_correction(z, models[i].name, phase, (real)models[i].h);
        close_model(z);
    }
}

/* ---- elimination in symbols, of numbers ---- */

enum { OWN = 4, ALL = 7 };

static void make_matrix(graph *g, elimination *e, expr *a, double values[ALL][ALL])
{
    uint64_t seed = 3;
    *e = (elimination){ .g = g, .own = OWN, .own_late = 1, .rows = ALL, .columns = ALL, .a = a };
    for (int i = 0; i < ALL; i++)
        for (int j = 0; j < ALL; j++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            values[i][j] = (i >= OWN && j >= OWN) || (i == OWN - 1 && j == OWN - 1) /* a multiplier */
                               ? 0 : (double)(seed >> 11) * 0x1p-53 - 0.5 + (i == j ? 3 : 0);
            a[i * ALL + j] = values[i][j] != 0 ? taut_expr_number(g, values[i][j]) : 0;
        }
}

/* With the unknowns of the other columns given, the own ones satisfy their equations; and S x is what forward leaves. */
static void elimination_solves(void **unused)
{
    (void)unused;
    simulation *z = open_model("hinged-chain");
    taut_context *context = z->m->context;
    graph *g = taut_graph_create(context);
    expr a[ALL * ALL], right[ALL], found[ALL];
    double values[ALL][ALL], x[ALL];
    elimination e;
    make_matrix(g, &e, a, values);
    assert_int_equal(X(elimination_run)(&e, context), TAUT_OK);
    assert_true(taut_graph_constant(g, e.worst) > 0);
    for (int i = 0; i < OWN; i++) right[i] = taut_expr_number(g, i + 1);
    for (int j = OWN; j < ALL; j++) found[j] = taut_expr_number(g, x[j] = cos(j));
    X(elimination_forward)(&e, g, right);
    X(elimination_backward)(&e, g, right, found);
    for (int j = 0; j < OWN; j++) x[j] = (double)taut_graph_constant(g, found[j]);
    for (int i = 0; i < OWN; i++) {
        double sum = -(i + 1);
        for (int j = 0; j < ALL; j++) sum += values[i][j] * x[j];
        assert_at_most((real)fabs(sum), (real)1e-13);
    }
    for (int i = OWN; i < ALL; i++) {
        double left = -(double)taut_graph_constant(g, right[i]);
        for (int j = 0; j < ALL; j++)
            left -= values[i][j] * x[j] - (j < OWN ? 0 : (double)taut_graph_constant(g, *elimination_entry(&e, i, j)) * x[j]);
        assert_at_most((real)fabs(left), (real)1e-13);
    }
    taut_graph_destroy(g);
    close_model(z);
}

/* A pivot that is the round-off of what it is made of is no pivot. */
static void lost_pivots_are_seen(void **unused)
{
    (void)unused;
    simulation *z = open_model("hinged-chain");
    taut_context *context = z->m->context;
    graph *g = taut_graph_create(context);
    expr a[ALL * ALL];
    double values[ALL][ALL];
    elimination e;
    make_matrix(g, &e, a, values);
    for (int j = 0; j < ALL; j++) /* the second equation is the first one, but for the last digits */
        if (a[j]) a[ALL + j] = taut_expr_number(g, values[0][j] * (j == 1 ? 1 + 1e-9 : 1));
    assert_int_equal(X(elimination_run)(&e, context), TAUT_OK);
    assert_false(taut_graph_constant(g, e.worst) > 0);
    taut_graph_destroy(g);
    close_model(z);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_the_fields),
        cmocka_unit_test(matrices_are_derivatives),
        cmocka_unit_test(machine_code_has_the_same_bits),
        cmocka_unit_test(clusters_are_found),
#if !QUAD
        cmocka_unit_test(clusters_solve_what_the_whole_matrix_does),
        cmocka_unit_test(elimination_solves),
        cmocka_unit_test(lost_pivots_are_seen),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
