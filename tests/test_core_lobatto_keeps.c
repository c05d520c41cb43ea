/* What a step of the Lobatto pair keeps, for any number of stages, and where it comes to the same as something else. */
#include <time.h>

#include "support_keeps.h"
#include "support_method.h"
#include "support_symplectic.h"

typedef struct {
    const char *name;
    double h;
} problem;

/* Steps of about 1/20 of the fastest period. */
static const problem problems[] = {
    { "pendulum", 0.1 },          { "double-spherical-pendulum", 0.05 },
    { "triple-pendulum", 0.1 },   { "rigid-body", 0.02 },
    { "slider-crank", 0.002 },    { "four-bar", 0.01 },
    { "heavy-top", 0.001 },       { "henon-heiles", 0.1 },
    { "driven-pendulum", 0.001 }, { "bead-on-hoop", 0.02 },
    { "six-balls", 0.02 },
};
#define PROBLEMS (sizeof problems / sizeof *problems)
static const char *const methods[] = { "lobatto:s=2", "lobatto:s=3", "lobatto:s=4", "lobatto:s=6", "lobatto:s=9" };
#define METHODS (sizeof methods / sizeof *methods)

/* Bounds: as for RATTLE (test_core_rattle_keeps.c), where they are derived. Iterations: from a guess without
   accelerations Newton gains a digit or two with the first matrix, and doubles them with the next ones; 6 to 9 with the
   end of the step, a third more in quad. */
static void kept_at_every_step(void **unused)
{
    (void)unused;
    long steps = (QUAD ? 20 : 1000) / (SANITIZED ? 10 : 1);
    for (size_t i = 0; i < PROBLEMS; i++)
        for (size_t k = 0; k < METHODS; k++) {
            simulation *z = open_with(problems[i].name, methods[k]);
            kept worst = follow(z, taut_wide_from_double(problems[i].h), steps);
            const newton_counts *counts = X(method_counts)(&z->method);
            double iterations = (double)counts->iterations / (double)steps;
            printf(
                "%-26s %s in units of round-off: g %.2f  dg/dt %.2f  momenta %.2f;  %.1f iterations, %.1f matrices\n",
                problems[i].name, methods[k], (double)worst.position, (double)worst.velocity, (double)worst.momentum,
                iterations, (double)counts->factorisations / (double)steps);
            assert_at_most(worst.position, 3);
            assert_at_most(worst.velocity, 3);
            assert_at_most(worst.momentum, 2 + 0.2 * sqrt((double)steps));
            assert_at_most(iterations, QUAD ? 12 : 9);
            close_model(z);
        }
}

/* There and back by -h: within a rounding or two a step, as for RATTLE. */
static void runs_backwards(void **unused)
{
    (void)unused;
    long steps = QUAD ? 10 : 50;
    for (size_t i = 0; i < PROBLEMS; i++)
        for (size_t k = 0; k < METHODS; k++) {
            simulation *z = open_with(problems[i].name, methods[k]);
            uint32_t n = z->s->n;
            real h = taut_wide_from_double(problems[i].h);
            do_steps(z, 5, h);
            state start = save_state(z);
            do_steps(z, steps, h);
            real q = larger(largest_of(start.q, n), largest_of(z->x.q, n)),
                 p = larger(largest_of(start.p, n), largest_of(z->x.p, n));
            real moved = return_error(z, &start, 1, q, p);
            do_steps(z, steps, -h);
            real back = return_error(z, &start, 1, q, p);
            printf("%-26s %s moved %.1g, comes back to %.1f eps\n", problems[i].name, methods[k], (double)moved,
                   (double)(back / REAL_EPSILON));
            assert_at_most(0.01, moved);
            assert_at_most(back, (double)(4 * steps) * REAL_EPSILON);
            X(state_clear)(z->s, &start);
            close_model(z);
        }
}

/* The controls are those of RATTLE's test: on the manifold, not symplectic. */
static void a_step_is_symplectic(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < PROBLEMS; i++)
        for (size_t k = 0; k < METHODS; k++) {
            if (k == METHODS - 1 && i > 2) continue; /* nine stages on three models are enough */
            simulation *z = open_with(problems[i].name, methods[k]);
            real h = taut_wide_from_double(problems[i].h);
            do_steps(z, 5, h);
            double kept = defect(z, one_step, h, 1), runge = defect(z, projected_runge, h, 1);
            printf("%-26s %s defect of omega: %.1e   control: Runge %.1e\n", problems[i].name, methods[k], kept, runge);
            assert_at_most(kept, round_off());
            assert_at_most(1e-8, runge);
            close_model(z);
        }
}

/* ---- the same as ... ---- */

static real relative_distance(const simulation *a, const simulation *b)
{
    uint32_t n = a->s->n;
    real q = distance(a->x.q, b->x.q, n) / largest_of(b->x.q, n),
         p = distance(a->x.p, b->x.p, n) / largest_of(b->x.p, n);
    return larger(q, p);
}

/* Two stages are RATTLE: the same code in general, and its explicit form to round-off where the mass is constant. */
static void two_stages_are_rattle(void **unused)
{
    (void)unused;
    long steps = 50;
    for (size_t i = 0; i < PROBLEMS; i++) {
        simulation *a = open_with(problems[i].name, "lobatto:s=2"), *b = open_model(problems[i].name);
        do_steps(a, steps, taut_wide_from_double(problems[i].h));
        do_steps(b, steps, taut_wide_from_double(problems[i].h));
        real apart = relative_distance(a, b);
        printf("%-26s lobatto:s=2 and rattle are %.1f eps apart after %ld steps\n", problems[i].name,
               (double)(apart / REAL_EPSILON), steps);
        if (!a->s->structure.explicit_force) assert_true(apart == 0);
        assert_at_most(apart, (double)(4 * steps) * REAL_EPSILON);
        close_model(a);
        close_model(b);
    }
}

/* A bead on an ellipse with mass 1 + x^2, a drag and a push in time: as a Lagrangian, as a Hamiltonian, as rates. The
   unknowns of a step differ (velocities; forces and positions), the numbers do not. */
static const char as_lagrangian[] = "local x, y = coordinate 'x', coordinate 'y'\n"
                                    "lagrangian((1 + x^2)*(x.dot^2 + y.dot^2)/2 - y)\n"
                                    "force(x, -(1 + x^2)*x.dot/8 + sin(time())/4)\n"
                                    "constraint('ellipse', x^2 + 2*y^2 - 1)\n"
                                    "start { x = 1, y = 0, ['x.dot'] = 0, ['y.dot'] = 1/2 }\n";
static const char as_hamiltonian[] = "local x, y = coordinate 'x', coordinate 'y'\n"
                                     "local px, py = momentum(x), momentum(y)\n"
                                     "hamiltonian((px^2 + py^2)/(1 + x^2)/2 + y)\n"
                                     "force(x, -px/8 + sin(time())/4)\n"
                                     "constraint('ellipse', x^2 + 2*y^2 - 1)\n"
                                     "start { x = 1, y = 0, ['p.x'] = 0, ['p.y'] = 1 }\n";
static const char as_rates[] = "local x, y = coordinate 'x', coordinate 'y'\n"
                               "local px, py = momentum(x), momentum(y)\n"
                               "local lambda = constraint('ellipse', x^2 + 2*y^2 - 1)\n"
                               "rate(x, px/(1 + x^2))\n"
                               "rate(y, py/(1 + x^2))\n"
                               "rate(px, x*(px^2 + py^2)/(1 + x^2)^2 - px/8 + sin(time())/4 + 2*x*lambda)\n"
                               "rate(py, -1 + 4*y*lambda)\n"
                               "start { x = 1, y = 0, ['p.x'] = 0, ['p.y'] = 1 }\n";

static void forms_agree(void **unused)
{
    (void)unused;
    long steps = 40;
    for (size_t k = 0; k < METHODS; k++) {
        simulation *l = open_text(as_lagrangian), *h = open_text(as_hamiltonian), *r = open_text(as_rates);
        simulation *all[] = { l, h, r };
        for (int i = 0; i < 3; i++) {
            use_method(all[i], methods[k]);
            do_steps(all[i], steps, (real)1 / 20);
        }
        real a = relative_distance(l, h), b = relative_distance(r, h);
        printf("%s: Lagrangian and Hamiltonian are %.1f eps apart, rates and Hamiltonian %.1f\n", methods[k],
               (double)(a / REAL_EPSILON), (double)(b / REAL_EPSILON));
        assert_at_most(a, (double)(4 * steps) * REAL_EPSILON);
        assert_at_most(b, (double)(4 * steps) * REAL_EPSILON);
        for (int i = 0; i < 3; i++) close_model(all[i]);
    }
}

/* A fresh method goes on from a copy of the state to the same bits. The chain is large enough for the sparse back
   end. */
static void depends_on_the_state_alone(void **unused)
{
    (void)unused;
    static const problem some[] = { { "triple-pendulum", 0.1 }, { "rigid-body", 0.02 }, { "hanging-chain", 0.01 } };
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < 3; k++) {
            simulation *a = open_with(some[i].name, methods[k]), *b = open_with(some[i].name, methods[k]);
            real h = taut_wide_from_double(some[i].h);
            do_steps(a, 7, h);
            X(state_copy)(&a->x, &b->x);
            do_steps(a, 5, h);
            do_steps(b, 5, h);
            for (size_t j = 0; j < X(state_size)(&a->x); j++) assert_true(a->x.block[j] == b->x.block[j]);
            close_model(a);
            close_model(b);
        }
}

/* ---- large models, options ---- */

/* Six stages of a chain of 1000 links: 23000 unknowns. A dense matrix of them has 4 GB and takes minutes; this takes a
   tenth of a second a step, and some more to set up. */
static void a_long_chain_is_sparse(void **unused)
{
    (void)unused;
    definition links = { "N", "1000", 0 };
    model *m = NULL;
    if (QUAD || SANITIZED) skip(); /* the time is that of an optimised build in double */
    taut_context *context = taut_context_create(NULL);
    int status = taut_model_read_file(context, MODELS "/hanging-chain.lua", &links, 1, &m);
    simulation *z = simulation_of(context, status, m);
    use_method(z, "lobatto:s=6");
    clock_t begun = clock();
    do_steps(z, 3, (real)1 / 1000);
    double each = (double)(clock() - begun) / CLOCKS_PER_SEC / 3;
    printf("hanging chain of 1000 links, six stages: %.3f s a step\n", each);
    assert_at_most(each, 2);
    close_model(z);
}

static void options_are_checked(void **unused)
{
    (void)unused;
    static const char *const bad[] = { "lobatto:s=1", "lobatto:s=10", "lobatto:s=two", "lobatto:s",
                                       "lobatto:stages=3" };
    simulation *z = open_model("pendulum");
    method_spec spec;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        method m = { 0 };
        int status = X(method_parse)(z->m->context, bad[i], &spec);
        if (!status) status = X(method_create)(z->s, &spec, 0, &m);
        assert_int_equal(status, TAUT_BAD_USAGE);
        assert_non_null(strstr(taut_error_text(z->m->context), "lobatto"));
        assert_null(m.self);
    }
    for (int s = 2; s <= 9; s++) {
        char text[32];
        snprintf(text, sizeof text, "lobatto:s=%d", s);
        assert_int_equal(X(method_parse)(z->m->context, text, &spec), TAUT_OK);
        assert_int_equal(X(method_declared)(&spec).order, 2 * s - 2);
    }
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kept_at_every_step),
        cmocka_unit_test(runs_backwards),
        cmocka_unit_test(a_step_is_symplectic),
        cmocka_unit_test(two_stages_are_rattle),
        cmocka_unit_test(forms_agree),
        cmocka_unit_test(depends_on_the_state_alone),
        cmocka_unit_test(a_long_chain_is_sparse),
        cmocka_unit_test(options_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
