/* Lowered steps: the same step as the general path's, to round-off, for every method that is a table. */
#include "lower/program.h"
#include "step/stepper.h"
#include "support_method.h"

static const struct {
    const char *model;
    double h;
} models[] = {
    { "double-spherical-pendulum", 0.01 }, { "triple-pendulum", 0.001 }, { "rigid-body", 0.01 }, { "heavy-top", 0.001 },
    { "slider-crank", 0.001 }, { "four-bar", 0.001 }, { "spring-pendulum", 0.001 }, { "henon-heiles", 0.01 },
    { "driven-pendulum", 0.001 }, { "damped-pendulum", 0.01 }, { "bead-on-hoop", 0.001 }, { "four-particles", 0.001 },
    { "water", 0.0002 }, { "chain-molecule", 0.001 }, { "papers/jay-simeon-4.1", 0.001 },
    { "papers/double-spherical-pendulum-chart", 0.01 }, { "point-vortices", 0.01 }, { "argon-trimer", 0.001 },
};
static const char *const methods[] = { "rattle", "shake", "lobatto:s=2", "lobatto:s=3", "galerkin:LGL,m=3",
                                       "galerkin:EGG,m=3", "del", "del:left", "em", "euler", "euler:adjoint" };

/* The largest difference of two states, relative to the largest of each kind of number. */
static real difference(const state *a, const state *b, const char **where)
{
    const real *x[] = { a->q, a->p, a->w }, *y[] = { b->q, b->p, b->w };
    static const char *const names[] = { "q", "p", "w" };
    real worst = 0;
    *where = "";
    for (int k = 0; k < 3; k++) {
        real apart = 0, size = real_largest(x[k], a->n);
        for (uint32_t i = 0; i < a->n; i++) apart = real_most(apart, x[k][i] - y[k][i]);
        if (size > 0 && apart / size > worst) worst = apart / size, *where = names[k];
    }
    return worst;
}

static int uses_stepper(const simulation *z) { return !z->method.code; }

/* Differences of an iteration's end: some ulps of positions; velocities have those divided by h. */
static void compare(const char *model, const char *method, real h)
{
    simulation *z = open_model(model);
    method_spec spec;
    X(method_destroy)(&z->method);
    if (X(method_parse)(z->m->context, method, &spec) || X(method_create)(z->s, &spec, 0, &z->method)) {
        close_model(z); /* a method that refuses the model */
        return;
    }
    if (!uses_stepper(z) || !X(stepper_is_lowered)(z->method.self)) {
        printf("%-40s %-18s is not lowered\n", model, method);
        close_model(z);
        return;
    }
    state general;
    real worst = 0;
    const char *where = "", *at;
    assert_int_equal(X(state_create)(z->s, &general), TAUT_OK);
    program *p = X(stepper_program)(z->method.self);
    for (int i = 0; i < 20; i++) {
        X(state_copy)(&z->x, &general);
        X(stepper_use_lowered)(z->method.self, 0);
        assert_int_equal(X(method_step)(&z->method, &general, h), TAUT_OK);
        X(stepper_use_lowered)(z->method.self, 1);
        assert_int_equal(X(method_step)(&z->method, &z->x, h), TAUT_OK);
        real apart = difference(&z->x, &general, &at);
        if (apart > worst) worst = apart, where = at;
    }
    printf("%-40s %-18s %8.1f eps apart in %s; %ld iterations, %ld matrices, %ld left to the general path\n", model, method,
           (double)(worst / REAL_EPSILON), where, p->counts.iterations, p->counts.factorisations, p->left);
    X(state_clear)(z->s, &general);
    close_model(z);
}

static void lowered_steps_are_the_steps(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
            compare(models[i].model, methods[k], (real)models[i].h);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lowered_steps_are_the_steps) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
