/* Frames as straight-line code: the same numbers as the fields of the system give, to round-off, at states along
   motions of models that are small enough. (That native code gives the same bits is in test_same_bits.c.) */
#include "lower/reading.h"
#include "support_method.h"

static const struct {
    const char *model;
    const char *method;
    double h;
} runs[] = {
    { "double-spherical-pendulum", "rattle", 0.01 }, { "double-spherical-pendulum", "em", 0.01 },
    { "triple-pendulum", "lobatto:s=3", 0.001 }, { "rigid-body", "rattle", 0.01 }, { "heavy-top", "em", 0.001 },
    { "slider-crank", "galerkin:LGL,m=3", 0.001 }, { "four-bar", "rattle", 0.001 }, { "spring-pendulum", "del", 0.001 },
    { "henon-heiles", "lobatto:s=2", 0.01 }, { "driven-pendulum", "rattle", 0.001 },
    { "damped-pendulum", "rattle", 0.01 }, { "bead-on-hoop", "euler", 0.001 }, { "four-particles", "em", 0.001 },
    { "water", "shake", 0.0002 }, { "chain-molecule", "rattle", 0.001 }, { "papers/jay-simeon-4.1", "euler", 0.001 },
    { "papers/jay-simeon-4.2", "euler", 0.001 }, { "papers/pendulum-off-manifold", "rattle", 0.001 },
    { "papers/double-spherical-pendulum-chart", "rattle", 0.01 }, { "argon-trimer", "rattle", 0.001 },
    { "stewart-platform", "rattle", 0.001 }, { "spatial-four-bar", "rattle", 0.001 }, { "pendulum", "naive", 0.001 },
    { "six-balls", "lobatto:s=3", 0.001 }, { "hinged-plates", "rattle", 0.001 },
};
enum { STEPS = 10 };

/* Everything that a frame and a step read off a state. */
typedef struct {
    real *v, *lambda, *observables, momenta[SYMMETRY_LIMIT];
    real g, rate, energy, power;
} seen;

static void see(simulation *z, seen *to)
{
    const struct system *s = z->s;
    simulation_moved(z);
    assert_int_equal(X(simulation_read)(z, READING_FRAME), TAUT_OK);
    memcpy(to->v, z->v, s->n * sizeof(real));
    memcpy(to->lambda, z->lambda, s->c * sizeof(real));
    memcpy(to->observables, z->observables, z->m->observable_count * sizeof(real));
    memcpy(to->momenta, z->momenta, sizeof z->momenta);
    to->g = z->largest_g, to->rate = z->largest_rate, to->energy = z->energy;
    if (!X(simulation_has_work)(z)) return;
    assert_int_equal(X(simulation_read)(z, READING_POWER), TAUT_OK);
    to->power = z->power;
}

static void see_by_fields(simulation *z, seen *to)
{
    reading *lowered = z->reading;
    z->reading = NULL;
    see(z, to);
    z->reading = lowered;
}

static void seen_create(const simulation *z, seen *to)
{
    *to = (seen){ .v = calloc(z->s->n + 1, sizeof(real)), .lambda = calloc(z->s->c + 1, sizeof(real)),
                  .observables = calloc(z->m->observable_count + 1, sizeof(real)) };
}

static void seen_clear(seen *of)
{
    free(of->v), free(of->lambda), free(of->observables);
}

static real apart(const real *a, const real *b, size_t count, real scale)
{
    real most = 0;
    for (size_t i = 0; i < count; i++) most = real_most(most, a[i] - b[i]);
    return most > 0 ? most / (scale > 0 ? scale : 1) / REAL_EPSILON : most;
}

/* Sizes of what the quantities are sums of: a value alone may be a small difference. */
typedef struct {
    real energy, momentum, residual, rate, power;
} sizes;

static sizes sizes_of(simulation *z, const seen *of)
{
    const struct system *s = z->s;
    real q = real_largest(z->x.q, s->n), p = real_largest(z->x.p, s->n), v = real_largest(of->v, s->n), g = 0;
    place at = place_at(s, z->x.q, z->x.w, &z->x.t, z->lambda);
    X(system_block_values)(s, BLOCK_G, &at, z->g_values);
    g = real_largest(z->g_values, (size_t)s->blocks[BLOCK_G].value_count);
    sizes found = { .energy = (real)s->n * v * p + REAL(fabs)(of->energy), .momentum = (real)s->n * p * (1 + q) };
    found.residual = (real)s->n * (g * (1 + q) + 1), found.rate = (real)s->n * g * (1 + v) + 1;
    found.power = REAL(fabs)(of->power) + (1 + v) * (1 + real_largest(of->lambda, s->c)) * (1 + g) + found.energy;
    return found;
}

/* Rounding errors of multipliers, and of observables that contain them, count so many: those of the equations, solved
   twice; in quad the fields solve with matrices in double, and end where the next correction is estimated to be
   nothing. */
#define SOLVED (QUAD ? 256 : 2)

/* The largest difference in units of rounding errors. */
static real compare(simulation *z, const seen *a, const seen *b)
{
    const size_t n = z->s->n, c = z->s->c, observables = z->m->observable_count;
    const sizes size = sizes_of(z, a);
    real worst = apart(a->v, b->v, n, real_largest(a->v, n));
    worst = real_most(worst, apart(&a->g, &b->g, 1, size.residual));
    worst = real_most(worst, apart(&a->rate, &b->rate, 1, size.rate));
    worst = real_most(worst, apart(&a->energy, &b->energy, 1, size.energy));
    worst = real_most(worst, apart(a->momenta, b->momenta, (size_t)z->symmetry_count, size.momentum));
    worst = real_most(worst, apart(&a->power, &b->power, 1, size.power));
    worst = real_most(worst, apart(a->lambda, b->lambda, c, 1 + real_largest(a->lambda, c)) / SOLVED);
    return real_most(worst, apart(a->observables, b->observables, observables,
                                  1 + real_largest(a->observables, observables)) / SOLVED);
}

/* Along a motion of the model. */
static void follow(simulation *z, const char *model, const char *method, real h)
{
    seen a, b;
    real worst = 0;
    if (!z->reading) fail_msg("%s: no straight-line code", model);
    seen_create(z, &a), seen_create(z, &b);
    for (int k = 0; k < STEPS; k++) {
        if (X(simulation_step)(z, h)) fail_msg("%s: %s", model, taut_error_text(z->m->context));
        see(z, &a);
        see_by_fields(z, &b);
        worst = real_most(worst, compare(z, &a, &b));
    }
    printf("%-42s %-18s %6.2f rounding errors apart; watched %d, multipliers %d, power %d\n", model, method,
           (double)worst, X(reading_watched)(z->reading, &z->x) != NULL,
           X(reading_multipliers)(z->reading, &z->x) != NULL, X(reading_power)(z->reading, &z->x) != NULL);
    assert_at_most(worst, 4);
    seen_clear(&a), seen_clear(&b);
}

static void frames_are_those_of_the_fields(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        simulation *z = open_with(runs[i].model, runs[i].method);
        follow(z, runs[i].model, runs[i].method, (real)runs[i].h);
        close_model(z);
    }
}

/* Time in L and in H, and a force. */
static void power_is_that_of_the_fields(void **unused)
{
    (void)unused;
    static const char *const texts[] = {
        "local x, t = coordinate 'x', time()\nlagrangian((2 + sin(t))*x.dot^2/2 - t*x^2)\nforce(x, -x.dot)\n"
        "start { x = 1, ['x.dot'] = 2 }",
        "local x, t = coordinate 'x', time()\nlocal p = momentum(x)\nhamiltonian((2 + sin(t))*p^2/2 + t*x^2)\n"
        "start { x = 1, ['p.x'] = 2 }",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        simulation *z = open_text(texts[i]);
        follow(z, i ? "H(q,p,t)" : "L(q,v,t)", "rattle", (real)0.01);
        assert_non_null(X(reading_power)(z->reading, &z->x));
        close_model(z);
    }
}

/* Constraints that say almost the same: (2x, 2y, 0) and (1, 0, 0) at y = 1e-4, so that the determinant of G W G' is
   1e-8 of its terms. The fields, with pivoting and more corrections, have the multipliers: those of a point held at
   rest against gravity along y. */
static void lost_digits_are_left_to_the_fields(void **unused)
{
    (void)unused;
    simulation *z = open_text("local p = point 'p'\nlagrangian((p.x.dot^2 + p.y.dot^2 + p.z.dot^2)/2 - 3*p.y)\n"
                              "constraint('round', p.x^2 + p.y^2 - 1)\nconstraint('wall', p.x - sqrt(1 - 1e-8))\n"
                              "start { p = {sqrt(1 - 1e-8), 1e-4, 0} }");
    assert_non_null(z->reading);
    assert_int_equal(X(simulation_read)(z, READING_FRAME), TAUT_OK);
    assert_non_null(X(reading_watched)(z->reading, &z->x));
    assert_null(X(reading_multipliers)(z->reading, &z->x));
    const real round = 3 / (2 * z->x.q[1]), wall = -2 * z->x.q[0] * round; /* 2 y round = 3, 2 x round + wall = 0 */
    assert_at_most(REAL(fabs)(z->lambda[0] / round - 1), 1e-7);            /* 1e8 rounding errors, in double */
    assert_at_most(REAL(fabs)(z->lambda[1] / wall - 1), 1e-7);
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(frames_are_those_of_the_fields),
                                        cmocka_unit_test(power_is_that_of_the_fields),
                                        cmocka_unit_test(lost_digits_are_left_to_the_fields) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
