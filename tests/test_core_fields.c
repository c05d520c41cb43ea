/* Runge-Kutta schemes of the fields naive, extended and dirac as straight-line code: the same step as the general
   path's, to round-off. */
#include "lower/program.h"
#include "method/scheme.h"
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
    { "nonholonomic/snakeboard", 0.05 },
};
enum { STEPS = 20 };
static const char *const methods[] = { "naive", "extended", "dirac", "naive:rkf45", "extended:rkf45", "dirac:rkf45",
                                       "dirac:project=both,eps=1e-14" };

/* In units of rounding errors of the largest number of its kind. */
static real difference(const state *a, const state *b)
{
    const real *of[] = { a->q, a->p, a->w, a->lambda }, *to[] = { b->q, b->p, b->w, b->lambda };
    const uint32_t counts[] = { a->n, a->n, a->n, a->c };
    real worst = 0;
    for (int k = 0; k < 4; k++) {
        const real size = real_largest(of[k], counts[k]);
        for (uint32_t i = 0; i < counts[k] && size > 0; i++) worst = real_most(worst, (of[k][i] - to[k][i]) / size);
        if (getenv("SHOW")) printf("[%d %.1f] ", k, (double)(worst/REAL_EPSILON));
    }
    return worst / REAL_EPSILON;
}

static void compare(simulation *z, const char *model, const char *method, real h)
{
    state general;
    scheme *r = X(method_scheme)(&z->method);
    real worst = 0;
    assert_int_equal(X(state_create)(z->s, &general), TAUT_OK);
    for (int i = 0; i < STEPS; i++) {
        X(state_copy)(&z->x, &general);
        X(scheme_use_lowered)(r, 0);
        assert_int_equal(X(method_step)(&z->method, &general, h), TAUT_OK);
        X(scheme_use_lowered)(r, 1);
        assert_int_equal(X(method_step)(&z->method, &z->x, h), TAUT_OK);
        worst = real_most(worst, difference(&z->x, &general));
    }
    const long left = r->lowered ? r->lowered->space.left : -1;
    printf("%-40s %-30s %8.1f rounding errors apart; %ld of %d left, %u instructions\n", model, method, (double)worst, left, STEPS,
           r->lowered ? X(program_length)(r->lowered) : 0);
    X(state_clear)(z->s, &general);
}

static int try(const char *model, const char *method, real h)
{
    simulation *z = open_model(model);
    method_spec spec;
    X(method_destroy)(&z->method);
    int served = !X(method_parse)(z->m->context, method, &spec) && !X(method_create)(z->s, &spec, 0, &z->method);
    const scheme *r = served ? X(method_scheme)(&z->method) : NULL;
    if (served && !r->lowered && !r->trial) printf("%-40s %-30s not lowered\n", model, method), served = 0;
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
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(lowered_steps_are_the_steps) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
