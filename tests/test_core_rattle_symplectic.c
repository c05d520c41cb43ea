/* A step of RATTLE keeps the symplectic form on the constraint manifold: measured as support_symplectic.h says. */
#include "support_symplectic.h"

static const struct {
    const char *name;
    double h;
} models[] = {
    { "pendulum", 0.05 },          { "double-spherical-pendulum", 0.02 },
    { "triple-pendulum", 0.05 },   { "rigid-body", 0.02 },
    { "slider-crank", 0.001 },     { "four-bar", 0.005 },
    { "heavy-top", 0.0005 },       { "henon-heiles", 0.05 },
    { "driven-pendulum", 0.0005 }, { "bead-on-hoop", 0.01 },
    { "six-balls", 0.02 },
};

/* The controls are of order 1 and 2 and lie on the manifold: what is left of their defects is the want of
   symplecticity, h^2 and h^3 by size; at least 1e-8 with these steps, and a thousand times what RATTLE is allowed. */
static void a_step_is_symplectic(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) {
        simulation *z = open_model(models[i].name);
        real h = taut_wide_from_double(models[i].h);
        do_steps(z, 20, h);
        double kept = defect(z, one_step, h, 1), euler = defect(z, projected_euler, h, 1),
               runge = defect(z, projected_runge, h, 1);
        printf("%-26s defect of omega: rattle %.1e   controls: Euler %.1e, Runge %.1e\n", models[i].name, kept, euler,
               runge);
        assert_at_most(kept, round_off());
        assert_at_most(1e-5, euler);
        assert_at_most(1e-8, runge);
        close_model(z);
    }
}

/* Linear drag -c v on a mass m shrinks omega by exp(-c h/m) a step. RATTLE takes P (1 + c h/2m) = p0 + .., p1 = P (1 -
   c h/2m) + ..: by (1 - c h/2m)/(1 + c h/2m) exactly. c = 0.4, m = 1. */
static void drag_shrinks_the_form(void **unused)
{
    (void)unused;
    simulation *z = open_model("damped-pendulum");
    real h = taut_wide_from_double(0.02), half = taut_wide_from_double(0.4) * h / 2, factor = (1 - half) / (1 + half);
    do_steps(z, 20, h);
    assert_at_most(defect(z, one_step, h, factor), round_off());
    assert_at_most(1e-4, defect(z, one_step, h, 1));
    close_model(z);
}

/* The implicit form for a Hamiltonian that is neither separable nor of constant mass. */
static void a_general_hamiltonian(void **unused)
{
    (void)unused;
    simulation *z = open_text("local x, y = coordinate 'x', coordinate 'y'\n"
                              "local px, py = momentum(x), momentum(y)\n"
                              "hamiltonian((px^2 + py^2)*(1 + x^2/2)/2 + px*py*y/4 + px^4/8 + y*x^2)\n"
                              "start { x = 1, y = 1/2, ['p.x'] = 1/2, ['p.y'] = -1 }\n");
    assert_false(z->s->structure.constant_mass);
    do_steps(z, 5, (real)1 / 50);
    double kept = defect(z, one_step, (real)1 / 50, 1);
    printf("a non-separable H          defect of omega: rattle %.1e\n", kept);
    assert_at_most(kept, round_off());
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_symplectic),
        cmocka_unit_test(drag_shrinks_the_form),
        cmocka_unit_test(a_general_hamiltonian),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
