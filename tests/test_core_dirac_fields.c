/* The three vector fields: against the printed formulas of the pendulum, a Lagrangian against its Hamiltonian, on the
   manifold against each other, and what each keeps or derives from off it. */
#include "support_dirac.h"

/* A pendulum by its Hamiltonian: no Legendre transform in between. */
#define PENDULUM_H \
    "local x, y = coordinate 'x', coordinate 'y'\nlocal px, py = momentum(x), momentum(y)\n" \
    "hamiltonian((px^2 + py^2)/2 + y)\nconstraint('rod', (x^2 + y^2 - 1)/2)\nstart { x = 1, y = 0, ['p.x'] = 0, " \
    "['p.y'] = -2 }\n"

/* A mass matrix that depends on q and t, a coupling of v to q and t, constraints of third degree that depend on time:
   by L, and by H with the inverse of the 2 x 2 block written out. */
#define GENERAL_START \
    "start { x = 0.4, y = free(0.3), z = 0.2, ['x.dot'] = 0.7, ['y.dot'] = free(0.1), ['z.dot'] = 0.5 }\n"
#define GENERAL_L                                                                                                   \
    "local x, y, z, t = coordinate 'x', coordinate 'y', coordinate 'z', time()\n"                                   \
    "local a, b = 2 + x^2/2 + sin(t)/4, x*y/3\n"                                                                    \
    "lagrangian(a*x.dot^2/2 + b*x.dot*y.dot + (1 + y^2)*y.dot^2/2 + z.dot^2/2 + (y + t*z)*x.dot + cos(x)*z.dot " \
    "- x^2*z - cos(y) - z^2)\n" \
    "constraint('c', x^3/3 + y + z*y^2 - 2/5 - t*x^2/5)\n" GENERAL_START
#define GENERAL_H                                                                                                   \
    "local x, y, z, t = coordinate 'x', coordinate 'y', coordinate 'z', time()\n"                                   \
    "local px, py, pz = momentum(x), momentum(y), momentum(z)\n"                                                    \
    "local a, b, d = 2 + x^2/2 + sin(t)/4, x*y/3, 1 + y^2\nlocal u, w = px - (y + t*z), pz - cos(x)\n"              \
    "hamiltonian((d*u^2 - 2*b*u*py + a*py^2)/(a*d - b^2)/2 + w^2/2 + x^2*z + cos(y) + z^2)\n"                       \
    "constraint('c', x^3/3 + y + z*y^2 - 2/5 - t*x^2/5)\n"                                                          \
    "start { x = 0.4, y = free(0.3), z = 0.2, ['p.x'] = 1, ['p.y'] = free(0.1), ['p.z'] = 1 }\n"

/* (35)-(38) of the paper. */
static void printed_field(int formulation, const real *z, real *out)
{
    real x = z[0], y = z[1], px = z[2], py = z[3], r2 = x * x + y * y;
    real lambda = -(px * px + py * py - y) / r2, mu = -(x * px + y * py) / r2;
    if (formulation == NAIVE) {
        out[0] = px, out[1] = py, out[2] = lambda * x, out[3] = lambda * y - 1;
    } else if (formulation == DIRAC) {
        out[0] = px + mu * x, out[1] = py + mu * y;
        out[2] = lambda * x - mu * px, out[3] = lambda * y - mu * py - 1;
    } else {
        out[0] = (2 - 1 / r2) * px + 2 * mu * x, out[1] = (2 - 1 / r2) * py + 2 * mu * y;
        out[2] = lambda * x / r2 - 2 * mu * px - 2 * mu * mu * x;
        out[3] = lambda * y / r2 - 2 * mu * py - 2 * mu * mu * y - (1 + 1 / r2) / 2;
    }
}

static void pendulum_has_the_printed_equations(void **unused)
{
    (void)unused;
    for (int form = 0; form < 2; form++)
        for (int f = 0; f < FORMULATIONS; f++) {
            simulation *z = form ? open_text_with(PENDULUM_H, formulations[f]) : open_with("pendulum", formulations[f]);
            for (uint64_t seed = 1; seed < 20; seed++) {
                real at[4] = { 1, 0, 0, -2 }, rate[4], printed[4];
                disturb(at, 4, (real)0.5, 1000003 * seed); /* far from the manifold */
                field_at(z, 0, at, rate);
                printed_field(f, at, printed);
                /* a few dozen operations on numbers of size up to 100 */
                assert_at_most(distance(rate, printed, 4), 4000 * REAL_EPSILON);
            }
            close_model(z);
        }
}

/* The Legendre transform between the two is solved to round-off; so must the fields agree. */
static void lagrangian_and_hamiltonian_agree(void **unused)
{
    (void)unused;
    for (int f = 0; f < FORMULATIONS; f++) {
        simulation *a = open_text_with(GENERAL_L, formulations[f]), *b = open_text_with(GENERAL_H, formulations[f]);
        for (uint64_t seed = 1; seed < 20; seed++) {
            real at[6], first[6], second[6];
            place_of(a, at);
            disturb(at, 6, (real)0.3, 7919 * seed);
            field_at(a, (real)0.5, at, first);
            field_at(b, (real)0.5, at, second);
            /* conditions of the mass matrix and of Q are below 30 here */
            assert_at_most(distance(first, second, 6) / (1 + largest_of(first, 6)), 2000 * REAL_EPSILON);
        }
        close_model(a);
        close_model(b);
    }
}

/* On the manifold the corrections of (31) and (37) vanish. */
static void all_agree_on_the_manifold(void **unused)
{
    (void)unused;
    static const char *const files[] = { "pendulum",       "chain-molecule", "double-spherical-pendulum",
                                         "bead-on-hoop",   "heavy-top",      "four-bar",
                                         "driven-pendulum" };
    for (size_t k = 0; k <= sizeof files / sizeof *files; k++) {
        int own = k == sizeof files / sizeof *files;
        simulation *z = own ? open_text(GENERAL_L) : open_model(files[k]);
        uint32_t n = z->s->n;
        real at[64], rate[FORMULATIONS][64];
        do_steps(z, 5, (real)1 / 200); /* rattle: on the manifold, not at the start */
        place_of(z, at);
        for (int f = 0; f < FORMULATIONS; f++) {
            use_method(z, formulations[f]);
            field_at(z, z->x.t, at, rate[f]);
        }
        for (int part = 0; part < 2; part++)
            for (int f = EXTENDED; f <= DIRAC; f++) {
                const real *x = rate[NAIVE] + (uint32_t)part * n, *y = rate[f] + (uint32_t)part * n;
                /* residuals are rounding errors of the state; the multipliers make up to 1e4 times that of them
                   (four-bar) */
                assert_at_most(distance(x, y, n) / (1 + largest_of(x, n)), 1e5 * REAL_EPSILON);
            }
        close_model(z);
    }
}

/* d/ds chi(t + s, z + s F) at s = 0, by central differences, extrapolated. */
static void derivative_along(simulation *z, real t, const real *at, const real *rate, uint32_t size, uint32_t count,
                             real *out)
{
    real step = (QUAD ? (real)1e-5 : (real)1e-3) / (1 + largest_of(rate, size)), moved[64], chi[32], rough[32] = { 0 };
    memset(out, 0, count * sizeof(real));
    for (int half = 0; half < 2; half++, step /= 2)
        for (int side = -1; side <= 1; side += 2) {
            for (uint32_t i = 0; i < size; i++) moved[i] = at[i] + side * step * rate[i];
            chi_at(z, t + side * step, moved, chi);
            for (uint32_t k = 0; k < count; k++) (half ? out : rough)[k] += side * chi[k] / (2 * step);
        }
    for (uint32_t k = 0; k < count; k++) out[k] += (out[k] - rough[k]) / 3;
}

/* phi and psi are first integrals of the Hamilton-Dirac equations everywhere; naive has phi' = psi, psi' = 0. */
static void residuals_move_as_they_should(void **unused)
{
    (void)unused;
    static const char *const files[] = { "chain-molecule", "bead-on-hoop", "heavy-top", "damped-pendulum", NULL };
    for (int f = NAIVE; f <= DIRAC; f += DIRAC)
        for (int k = 0; k < 5; k++) {
            simulation *z =
                files[k] ? open_with(files[k], formulations[f]) : open_text_with(GENERAL_L, formulations[f]);
            uint32_t n = z->s->n, c = z->s->c;
            real at[64], rate[64], change[32], chi[32], scale;
            place_of(z, at);
            disturb(at, 2 * n, (real)0.1, 31337);
            field_at(z, (real)0.25, at, rate);
            chi_at(z, (real)0.25, at, chi);
            derivative_along(z, (real)0.25, at, rate, 2 * n, 2 * c, change);
            scale = 1 + largest_of(rate, 2 * n) * largest_of(rate, 2 * n);
            for (uint32_t i = 0; f == NAIVE && i < c; i++) change[i] -= chi[c + i];
            /* differences: step^4 and eps / step */
            assert_at_most(largest_of(change, 2 * c) / scale, QUAD ? 1e-17 : 1e-9);
            close_model(z);
        }
}

/* H_e = H - lambda.g + mu.psi, from lambda and mu as the fields of naive and dirac show them: lambda is naive's
   multiplier, and q' = H_p + H_pp G' mu that of dirac, so that for unit mass mu.psi = -psi.Q^-1 psi = -|H_p - q'|^2. */
static real extended_hamiltonian(simulation *naive, simulation *dirac, const real *at)
{
    uint32_t n = naive->s->n, c = naive->s->c;
    real rate[64], chi[32], t = 0;
    field_at(dirac, t, at, rate);
    place here = place_at(naive->s, at, at + n, &t, NULL); /* unit mass: v = p */
    real value = X(system_energy)(naive->s, &here, at + n);
    for (uint32_t i = 0; i < n; i++) value -= (at[n + i] - rate[i]) * (at[n + i] - rate[i]);
    chi_at(naive, t, at, chi);
    field_at(naive, t, at, rate);
    /* lambda from p' = -H_q + G' lambda: kept by X(acceleration_solve), which agrees */
    real lambda[32] = { 0 };
    assert_int_equal(X(acceleration_solve)(naive->acceleration, at, at + n, t, lambda, NULL), TAUT_OK);
    for (uint32_t k = 0; k < c; k++) value -= lambda[k] * chi[k];
    return value;
}

/* The extended field is J grad H_e, with H_e put together by other means and differentiated by differences. */
static void extended_is_the_gradient_of_its_hamiltonian(void **unused)
{
    (void)unused;
    static const char *const files[] = { "pendulum", "chain-molecule" }; /* unit masses */
    for (int k = 0; k < 2; k++) {
        simulation *z = open_with(files[k], "extended"), *naive = open_with(files[k], "naive"),
                   *dirac = open_with(files[k], "dirac");
        uint32_t n = z->s->n;
        real at[64], rate[64], step = QUAD ? (real)1e-5 : (real)1e-3;
        place_of(z, at);
        disturb(at, 2 * n, (real)0.05, 271828);
        field_at(z, 0, at, rate);
        for (uint32_t i = 0; i < 2 * n; i++) {
            real kept = at[i], slope[2] = { 0, 0 };
            for (int half = 0; half < 2; half++)
                for (int side = -1; side <= 1; side += 2) {
                    at[i] = kept + side * step / (1 + half);
                    slope[half] += side * extended_hamiltonian(naive, dirac, at) * (1 + half) / (2 * step);
                }
            at[i] = kept;
            real exact = i < n ? -rate[n + i] : rate[i - n], found = slope[1] + (slope[1] - slope[0]) / 3;
            /* step^4 times fifth derivatives (Lennard-Jones: up to 1e4), and eps / step */
            assert_at_most(REAL(fabs)(found - exact), QUAD ? 1e-14 : 1e-7);
        }
        close_model(z), close_model(naive), close_model(dirac);
    }
}

/* Exact solves: without refinement the fields of quad would be right to 1e-16 only. dg/dt = G q' + g_t of dirac is zero
   to round-off. */
static void linear_solves_reach_the_precision(void **unused)
{
    (void)unused;
    simulation *z = open_with("chain-molecule", "dirac");
    struct system *s = z->s;
    real at[64], rate[64], gv[16] = { 0 }, g[64];
    place_of(z, at);
    disturb(at, 2 * s->n, (real)0.1, 99991);
    field_at(z, 0, at, rate);
    real t = 0;
    place here = place_at(s, at, at + s->n, &t, NULL);
    assert_true(s->blocks[BLOCK_G].value_count <= 64);
    X(system_block_values)(s, BLOCK_G, &here, g);
    X(block_multiply)(&s->blocks[BLOCK_G], g, 1, rate, gv);
    assert_at_most(largest_of(gv, s->c), 100 * REAL_EPSILON);
    close_model(z);
}

static void forces_are_taken_or_refused(void **unused)
{
    (void)unused;
    simulation *z = open_model("damped-pendulum");
    assert_null(X(method_refusal)(&X(method_naive), z->s));
    assert_null(X(method_refusal)(&X(method_dirac), z->s));
    assert_non_null(strstr(X(method_refusal)(&X(method_extended), z->s), "without forces"));
    close_model(z);
    z = open_text(
        "local a = point('a', 2)\nlagrangian(norm2(a.dot)/2 - a.y)\nlocal l = constraint('rod', (norm2(a) - 1)/2)\n"
        "force(a, -0.1*l^2*a.dot)\nstart { a = {1, 0}, ['a.dot'] = {0, -1} }\n");
    assert_null(X(method_refusal)(&X(method_naive), z->s));
    assert_non_null(strstr(X(method_refusal)(&X(method_dirac), z->s), "depends on the multipliers"));
    use_method(z, "naive:gauss,s=3");
    real position, velocity;
    do_steps(z, 100, (real)1 / 50);
    X(simulation_residuals)(z, &position, &velocity);
    assert_at_most(position, 1e-6); /* h^6 drift */
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pendulum_has_the_printed_equations),
        cmocka_unit_test(lagrangian_and_hamiltonian_agree),
        cmocka_unit_test(all_agree_on_the_manifold),
        cmocka_unit_test(residuals_move_as_they_should),
        cmocka_unit_test(extended_is_the_gradient_of_its_hamiltonian),
        cmocka_unit_test(linear_solves_reach_the_precision),
        cmocka_unit_test(forces_are_taken_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
