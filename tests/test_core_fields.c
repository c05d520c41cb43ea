/* Runge-Kutta schemes of the fields naive, extended and dirac as straight-line code: the same step as the general
   path's, to round-off. */
#include "lower/program.h"
#include "method/scheme.h"
#include "solve/legendre.h"
#include <limits.h>

#include "support_allocator.h"
#include "support_method.h"

static const struct {
    const char *model;
    double h;
} models[] = {
    { "double-spherical-pendulum", 0.01 }, { "triple-pendulum", 0.001 }, { "rigid-body", 0.01 }, { "heavy-top", 0.001 },
    { "slider-crank", 0.001 }, { "four-bar", 0.001 }, { "spring-pendulum", 0.001 }, { "henon-heiles", 0.01 },
    { "driven-pendulum", 0.001 }, { "damped-pendulum", 0.01 }, { "bead-on-hoop", 0.001 }, { "four-particles", 0.001 },
    { "water", 0.0002 }, { "chain-molecule", 0.001 }, { "papers/jay-simeon-4.1", 0.001 },
    { "papers/double-spherical-pendulum-chart", 0.01 }, { "argon-trimer", 0.001 },
    { "stewart-platform", 0.001 }, { "spatial-four-bar", 0.0005 }, { "hinged-plates", 0.001 },
    { "nonholonomic/sleigh", 0.05 }, { "nonholonomic/turntable", 0.005 }, { "nonholonomic/tilted-disk", 0.005 },
    { "nonholonomic/snakeboard", 0.05 }, { "papers/cubic-surface", 0.001 },
    { "papers/variable-mass-oscillator", 0.01 }, { "papers/pendulum-off-manifold", 0.001 }, { "pendulum", 0.01 },
};
enum { STEPS = 20 };
static const char *const methods[] = { "naive", "extended", "dirac", "naive:rkf45", "extended:rkf45", "dirac:rkf45",
                                       "naive:midpoint", "extended:gauss", "dirac:midpoint,solver=functional",
                                       "naive:project=both,eps=1e-9",
                                       "dirac:project=both" };

/* Numbers of one kind, relative to the largest of them, in rounding errors. */
static real apart(const real *a, const real *b, uint32_t count)
{
    const real size = real_largest(a, count);
    real worst = 0;
    for (uint32_t i = 0; i < count && size > 0; i++) worst = real_most(worst, (a[i] - b[i]) / size);
    return worst / REAL_EPSILON;
}

/* By how many of their rounding errors one of each momentum moves velocities at the most: |L_vv^-1||p| beside the
   largest of them. Momenta are kept to one rounding error, half of it in each of two states that are compared. */
static real rounding_of_velocities(const simulation *z)
{
    const uint32_t n = z->s->n;
    const place at = place_at(z->s, z->x.q, z->x.w, &z->x.t, z->x.lambda);
    const real largest = real_largest(z->x.w, n);
    legendre *l = NULL;
    if (z->s->form != FORM_LAGRANGIAN || largest == 0) return 0;
    real *sums = calloc(n, sizeof *sums), *column = malloc(n * sizeof *column);
    assert_true(sums && column);
    assert_int_equal(X(legendre_create)(z->s, &l), TAUT_OK);
    for (uint32_t j = 0; j < n; j++) {
        memset(column, 0, n * sizeof *column);
        column[j] = z->x.p[j];
        assert_int_equal(X(legendre_mass_solve)(l, &at, column), TAUT_OK);
        for (uint32_t i = 0; i < n; i++) sums[i] += REAL(fabs)(column[i]);
    }
    const real most = real_largest(sums, n) / largest;
    X(legendre_destroy)(l);
    free(sums), free(column);
    return most;
}

static void compare(simulation *z, const char *model, const char *method, real h)
{
    state general;
    scheme *r = X(method_scheme)(&z->method);
    real worst = 0, velocity = 0, lambda = 0;
    assert_int_equal(X(state_create)(z->s, &general), TAUT_OK);
    for (int i = 0; i < STEPS; i++) {
        X(state_copy)(&z->x, &general);
        X(scheme_use_lowered)(r, 0);
        assert_int_equal(X(method_step)(&z->method, &general, h), TAUT_OK);
        X(scheme_use_lowered)(r, 1);
        assert_int_equal(X(method_step)(&z->method, &z->x, h), TAUT_OK);
        worst = real_most(worst, apart(general.q, z->x.q, z->s->n));
        worst = real_most(worst, apart(general.p, z->x.p, z->s->n));
        velocity = real_most(velocity, apart(general.w, z->x.w, z->s->n));
        lambda = real_most(lambda, apart(general.lambda, z->x.lambda, z->s->c));
    }
    const long left = r->lowered ? r->lowered->space.left : 0;
    const real of_momenta = rounding_of_velocities(z), most = strstr(model, "stewart") ? 128 : 16;
    printf("%-40s %-30s %6.1f rounding errors apart, velocities %.1f (of momenta: %.1f), multipliers %.1f; %ld of %d "
           "left\n", model, method, (double)worst, (double)velocity, (double)of_momenta, (double)lambda, left, STEPS);
    /* at most 6, but for the platform in its first steps: it starts at rest, and its momenta are what forces and
       constraint forces leave of each other */
    assert_at_most(worst, most);
    assert_at_most(velocity, most + of_momenta);
    /* those of rkf45 belong to a place within its last step, and the lengths of these steps follow from differences */
    if (r->lowered) assert_at_most(lambda, 128);
    /* but for those that lead off the constraints */
    if (!strstr(method, "project")) assert_int_equal(left, 0);
    X(state_clear)(z->s, &general);
}

static int try(const char *model, const char *method, real h)
{
    simulation *z = open_model(model);
    method_spec spec;
    X(method_destroy)(&z->method);
    int served = !X(method_parse)(z->m->context, method, &spec) && !X(method_create)(z->s, &spec, 0, &z->method);
    const scheme *r = served ? X(method_scheme)(&z->method) : NULL;
    served = served && (r->lowered || r->trial);
    if (served) compare(z, model, method, h);
    close_model(z);
    return served;
}

static void lowered_steps_are_the_steps(void **unused)
{
    (void)unused;
    int served = 0;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
            served += try(models[i].model, methods[k], (real)models[i].h);
    printf("%d pairs\n", served);
    assert_true(served >= 120);
}

/* A model that no other method runs. */
static simulation *open_phase(const char *text, model **m)
{
    const engine_options options = { .method = "dirac" };
    simulation *z = NULL;
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    int status = taut_model_read_text(context, "test.lua", text, strlen(text), NULL, 0, m);
    if (!status) status = X(simulation_create)(*m, &options, &z);
    if (status) fail_msg("%s", taut_error_text(context));
    return z;
}

/* Constraints on phase space, which the Dirac algorithm found: the field of the bracket. */
static void brackets_are_lowered(void **unused)
{
    (void)unused;
    static const struct {
        const char *name, *text;
    } all[] = {
        { "parabola", "local q1, q2 = coordinate 'q1', coordinate 'q2'\n"
                      "lagrangian(q1.dot^2/2 - q1^2/2 - (q2 - q1^2)^2/2)\nstart { q1 = 1, q2 = 1 }" },
        { "vortices", "local x, y = {}, {}\nfor i = 1, 3 do\n"
                      "  x[i], y[i] = coordinate('x' .. i), coordinate('y' .. i)\n"
                      "  lagrangian(i*x[i].dot*y[i])\n"
                      "  start { ['x' .. i] = i, ['y' .. i] = i^2/2 }\nend\n"
                      "for i = 1, 2 do lagrangian(log((x[i] - x[i + 1])^2 + (y[i] - y[i + 1])^2)) end" },
    };
    for (int i = 0; i < 2; i++) {
        model *m = NULL; /* that of the simulation is another one */
        simulation *z = open_phase(all[i].text, &m);
        assert_non_null(X(method_scheme)(&z->method)->lowered);
        compare(z, all[i].name, "dirac", (real)0.01);
        use_method(z, "dirac:rkf45");
        assert_non_null(X(method_scheme)(&z->method)->trial);
        compare(z, all[i].name, "dirac:rkf45", (real)0.01);
        taut_context *context = m->context;
        X(simulation_destroy)(z);
        taut_model_free(m);
        taut_context_destroy(context);
    }
}

static const scheme *scheme_with(simulation **z, const char *text, const char *method)
{
    *z = open_text(text);
    use_method(*z, method);
    return X(method_scheme)(&(*z)->method);
}

/* A field that is no solution of linear equations is evaluated by iteration. */
static void others_are_not_lowered(void **unused)
{
    (void)unused;
    simulation *z;
    const scheme *r = scheme_with(&z, "local x = coordinate 'x'\nlagrangian(x.dot^2/2 + x.dot^4 - x^2)\n"
                                      "start { x = 1, ['x.dot'] = 0.5 }", "naive");
    assert_null(r->lowered);
    do_steps(z, 10, (real)0.01);
    close_model(z);
}

#define ALIKE                                                                                     \
    "local a = point 'a'\nlagrangian(norm2(a.dot)/2 - a.z)\n"                                    \
    "constraint('one', norm2(a)/2 - 1/2)\nconstraint('two', norm2(a)/2 - 1/2 + a.y/10000)\n"     \
    "start { a = {1, 0, 0}, ['a.dot'] = {0, 0, 1} }"

/* Where a pivot has lost five digits the general path makes the step, with its bits. */
static void lost_digits_are_left(void **unused)
{
    (void)unused;
    static const char *const all[] = { "naive", "extended", "dirac", "dirac:rkf45" };
    for (int k = 0; k < 4; k++) {
        simulation *z;
        const scheme *r = scheme_with(&z, ALIKE, all[k]);
        state general;
        assert_true(r->lowered || r->trial);
        assert_int_equal(X(state_create)(z->s, &general), TAUT_OK);
        for (int i = 0; i < STEPS; i++) {
            X(state_copy)(&z->x, &general);
            X(scheme_use_lowered)((scheme *)r, 0);
            assert_int_equal(X(method_step)(&z->method, &general, (real)0.01), TAUT_OK);
            X(scheme_use_lowered)((scheme *)r, 1);
            assert_int_equal(X(method_step)(&z->method, &z->x, (real)0.01), TAUT_OK);
            assert_memory_equal(general.block, z->x.block, X(state_size)(&general) * sizeof(real));
        }
        if (r->lowered) assert_int_equal(r->lowered->space.left, STEPS);
        X(state_clear)(z->s, &general);
        close_model(z);
    }
}

/* A field is a function of t, q and p: what the state has for multipliers and velocities changes no bit. */
static void nothing_else_is_read(void **unused)
{
    (void)unused;
    for (int k = 0; k < 3; k++) {
        simulation *z = open_with("heavy-top", (const char *const[]){ "naive", "extended", "dirac" }[k]);
        state other;
        assert_int_equal(X(state_create)(z->s, &other), TAUT_OK);
        X(state_copy)(&z->x, &other);
        for (uint32_t i = 0; i < z->s->c; i++) other.lambda[i] += 3, other.trend[i] = 1;
        for (uint32_t i = 0; i < z->s->n; i++) other.w[i] += 1;
        assert_int_equal(X(method_step)(&z->method, &z->x, (real)0.001), TAUT_OK);
        assert_int_equal(X(method_step)(&z->method, &other, (real)0.001), TAUT_OK);
        assert_int_equal(X(method_scheme)(&z->method)->lowered->space.left, 0);
        assert_memory_equal(other.q, z->x.q, z->s->n * sizeof(real));
        assert_memory_equal(other.p, z->x.p, z->s->n * sizeof(real));
        assert_memory_equal(other.w, z->x.w, z->s->n * sizeof(real));
        assert_memory_equal(other.lambda, z->x.lambda, z->s->c * sizeof(real));
        X(state_clear)(z->s, &other);
        close_model(z);
    }
}

/* A step that cannot be made leaves the state as it was, and the general path says why. */
static void failures_are_explained(void **unused)
{
    (void)unused;
    simulation *z;
    scheme_with(&z, "local a = point 'a'\nlagrangian(norm2(a.dot)/2 - a.z)\n"
                    "constraint('rod', norm2(a) - 1)\nstart { a = {1, 0, 0}, ['a.dot'] = {0, 0, 1} }", "naive");
    state before;
    assert_int_equal(X(state_create)(z->s, &before), TAUT_OK);
    for (uint32_t i = 0; i < z->s->n; i++) z->x.q[i] = 0; /* the constraint has no gradient there */
    X(state_copy)(&z->x, &before);
    assert_true(X(method_step)(&z->method, &z->x, (real)0.01) > 0);
    assert_true(strlen(taut_error_text(z->m->context)) > 20);
    assert_memory_equal(z->x.block, before.block, X(state_size)(&before) * sizeof(real));
    X(state_clear)(z->s, &before);
    close_model(z);
}

/* Wherever memory runs out while fields are lowered, there is a status and no leak. */
static void memory_runs_out(void **unused)
{
    (void)unused;
    static const char *const all[] = { "naive", "extended", "dirac:project=both", "dirac:rkf45" };
    static const char text[] = "local a = point 'a'\nlagrangian((1 + a.z^2)*norm2(a.dot)/2 - a.z)\n"
                               "constraint('rod', norm2(a) - 1)\nstart { a = {1, 0, 0}, ['a.dot'] = {0, 0, 1} }";
    counter counted = { .fail_at = LONG_MAX };
    const taut_allocator allocator = { counted_resize, &counted };
    taut_context *context = taut_context_create(&allocator);
    const engine_options options = { .method = "rattle" };
    model *m = NULL;
    simulation *z = NULL;
    assert_non_null(context);
    assert_int_equal(taut_model_read_text(context, "test.lua", text, strlen(text), NULL, 0, &m), TAUT_OK);
    assert_int_equal(X(simulation_create)(m, &options, &z), TAUT_OK);
    X(method_destroy)(&z->method);
    for (int i = 0; i < 4; i++) {
        method_spec spec;
        assert_int_equal(X(method_parse)(context, all[i], &spec), TAUT_OK);
        assert_int_equal(X(method_create)(z->s, &spec, 0, &z->method), TAUT_OK); /* and prepares the system's fields */
        X(method_destroy)(&z->method);
        counted = (counter){ .fail_at = LONG_MAX, .live = counted.live };
        assert_int_equal(X(method_create)(z->s, &spec, 0, &z->method), TAUT_OK);
        X(method_destroy)(&z->method);
        const long calls = counted.calls, live = counted.live;
        for (long k = 1; k <= calls; k += 1 + calls / 200)
            for (int once = 0; once < 2; once++) {
                counted = (counter){ .fail_at = k, .fail_count = once ? 1 : LONG_MAX, .live = live };
                const int status = X(method_create)(z->s, &spec, 0, &z->method);
                assert_true(status == TAUT_OUT_OF_MEMORY || (once && status == TAUT_OK));
                X(method_destroy)(&z->method);
                assert_int_equal(counted.live, live);
            }
        counted = (counter){ .fail_at = LONG_MAX, .live = live };
    }
    close_model(z);
    assert_int_equal(counted.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lowered_steps_are_the_steps),
                                        cmocka_unit_test(brackets_are_lowered),
                                        cmocka_unit_test(others_are_not_lowered),
                                        cmocka_unit_test(lost_digits_are_left),
                                        cmocka_unit_test(nothing_else_is_read),
                                        cmocka_unit_test(failures_are_explained),
                                        cmocka_unit_test(memory_runs_out) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
