/* Wendlandt & Marsden 1997, Tables 1 and 2, to the digits of docs/reference/wendlandt-marsden.md (long double, Newton
   to round-off). */
#include "support_del.h"

/* (5.10): samples every 0.1 s from 0 to 30. */
enum { SAMPLES = 301 };

typedef struct {
    real q[SAMPLES][6], energy[SAMPLES], momentum[SAMPLES][3];
} record;

static real norm(const real *x, const real *y, int size)
{
    real sum = 0;
    for (int i = 0; i < size; i++) sum += (x[i] - y[i]) * (x[i] - y[i]);
    return REAL(sqrt)(sum);
}

static double position_error(const record *a, const record *b, int size)
{
    real sum = 0;
    for (int i = 0; i < SAMPLES; i++) sum += norm(a->q[i], b->q[i], size);
    return (double)(sum / (SAMPLES * size));
}

static double energy_error(const record *a, real standard)
{
    real sum = 0;
    for (int i = 0; i < SAMPLES; i++) sum += REAL(fabs)(a->energy[i] - standard);
    return (double)(sum / SAMPLES);
}

static double momentum_error(const record *a, const real *standard, int size)
{
    real sum = 0;
    for (int i = 0; i < SAMPLES; i++) sum += norm(a->momentum[i], standard, size);
    return (double)(sum / (SAMPLES * size));
}

/* The energy of a step from q0 to q1, as the paper takes it. */
typedef real (*step_energy)(const real *q0, const real *q1, real h);

/* The discrete momentum is that of the state: p = -D1 L_d up to constraint forces. */
static void momenta(const simulation *z, real *out)
{
    for (int i = 0; i < z->symmetry_count; i++) out[i] = momentum_of(z->s, &z->symmetries[i], z->x.q, z->x.p);
}

static void run(simulation *z, int steps_a_sample, step_energy energy, record *out)
{
    real h = 1 / ((real)10 * steps_a_sample), before[6];
    size_t bytes = z->s->n * sizeof(real);
    for (long n = 0; n <= 300L * steps_a_sample; n++) {
        long i = n / steps_a_sample;
        int sampled = n % steps_a_sample == 0;
        memcpy(before, z->x.q, bytes);
        if (sampled) memcpy(out->q[i], before, bytes), momenta(z, out->momentum[i]);
        do_steps(z, 1, h);
        if (sampled) out->energy[i] = energy(before, z->x.q, h);
    }
}

/* Equal to so many digits of the reference. */
static void assert_digits(const char *what, double value, double reference, double digits)
{
    printf("  %s %.6e (reference %.6e)\n", what, value, reference);
    if (!(fabs(value / reference - 1) <= 0.51 * pow(10, 1 - digits)))
        fail_msg("%s = %.8e, the reference has %.8e", what, value, reference);
}

/* ---- Table 1 ---- */

/* w = 2 vec(conj(q0) q1)/h, E = w.Iw/2, I = diag(1,2,3) */
static real body_energy(const real *a, const real *b, real h)
{
    real sum = 0;
    for (int i = 0; i < 3; i++) {
        int j = 1 + (i + 1) % 3, k = 1 + (i + 2) % 3;
        real w = 2 * (a[0] * b[i + 1] - a[i + 1] * b[0] - (a[j] * b[k] - a[k] * b[j])) / h;
        sum += (i + 1) * w * w / 2;
    }
    return sum;
}

/* An Euler step of 1e-5 from (1,0,0,0) with w = (0,3,4), normalised; the run with 1e-5 from there gives every second
   point. */
static void table_1(void **unused)
{
    (void)unused;
    static const struct { int steps_a_sample; double quaternion, energy, momentum, constant; } rows[] = {
        { 1000, 0, 0, 0, 0 }, /* the standard of the positions */
        { 100, 3.959791e-6, 6.274367e-5, 1.686707e-5, 32.999937235709 },
        { 10, 3.996685e-4, 6.274407e-3, 1.686657e-3, 32.993725572523 },
        { 1, 3.647627e-2, 6.216796e-1, 1.665214e-1, 32.378320383524 },
    };
    real tiny = taut_wide_from_double(1e-5), q0[4] = { 1, 0, 0, 0 }, q1[4] = { 1, 0, 3 * tiny / 2, 2 * tiny }, J[3],
         second[4][4];
    real length = REAL(sqrt)(1 + 25 * tiny * tiny / 4);
    for (int i = 0; i < 4; i++) q1[i] /= length;
    simulation *fine = open_with("rigid-body", "del", 0);
    start_at(fine, q0, q1, tiny);
    real E = body_energy(q0, q1, tiny);
    momenta(fine, J);
    /* the difference over 1e-5 leaves 11 digits in double */
    assert_at_most(REAL(fabs)(E - (real)taut_wide_from_double(32.999999979375)), QUAD ? 1e-12 : 1e-8);
    assert_at_most(REAL(fabs)(J[0] - (real)taut_wide_from_double(6.0e-5)), 1e-9);
    assert_at_most(REAL(fabs)(J[1] - (real)taut_wide_from_double(5.99999999625)), QUAD ? 1e-11 : 1e-9);
    assert_at_most(REAL(fabs)(J[2] - (real)taut_wide_from_double(11.9999999925)), QUAD ? 1e-11 : 1e-9);
    long done = 0;
    for (int i = 0; i < 4; i++) {
        long until = 10000 / rows[i].steps_a_sample;
        do_steps(fine, until - done, tiny);
        done = until;
        memcpy(second[i], fine->x.q, sizeof second[i]);
    }
    close_model(fine);
    record *standard = calloc(1, sizeof *standard), *found = calloc(1, sizeof *found);
    assert_true(standard && found);
    /* In quad the standard takes a minute: there only the energies and momenta of the larger steps. */
    for (int i = QUAD || SANITIZED ? 2 : 0; i < 4; i++) {
        simulation *z = open_with("rigid-body", "del", 0);
        start_at(z, q0, second[i], 1 / ((real)10 * rows[i].steps_a_sample));
        run(z, rows[i].steps_a_sample, body_energy, i ? found : standard);
        close_model(z);
        if (!i) continue;
        printf("rigid body, h = %g\n", 0.1 / rows[i].steps_a_sample);
        if (!QUAD && !SANITIZED) assert_digits("quaternion", position_error(found, standard, 4), rows[i].quaternion, 6);
        /* at 1e-3 in double the rounding errors of the start, eps/1e-5, are 1e-6 of the error */
        assert_digits("energy", energy_error(found, E), rows[i].energy, i == 1 ? 5 : 6);
        assert_digits("momentum", momentum_error(found, J, 3), rows[i].momentum, i == 1 ? 5 : 6);
        for (int k = 0; k < SAMPLES; k++) /* Moser-Veselov: the energy is constant; a difference over h leaves eps/h */
            assert_at_most(REAL(fabs)(found->energy[k] - (real)taut_wide_from_double(rows[i].constant)),
                           i == 1 ? 1e-9 : 1e-10);
    }
    free(standard);
    free(found);
}

/* ---- Table 2 ---- */

/* T((q1 - q0)/h) + V((q0 + q1)/2) */
static real pendulum_energy(const real *a, const real *b, real h)
{
    real sum = 0;
    for (int i = 0; i < 6; i++) {
        real m = i < 3 ? 2 : (real)7 / 2, v = (b[i] - a[i]) / h;
        sum += m * v * v / 2;
        if (i % 3 == 2) sum += m * taut_wide_from_double(9.81) * (a[i] + b[i]) / 2;
    }
    return sum;
}

/* A run under em: samples of q, and the largest changes of energy and momentum. `second`, where not NULL, is q at the
   times 1e-3, 1e-2 and 1e-1. */
static void run_energy_momentum(int steps_a_sample, record *out, real second[3][6])
{
    simulation *z = open_with("double-spherical-pendulum", "em", 0);
    real h = 1 / ((real)10 * steps_a_sample), E = X(simulation_energy)(z), J, now, energy = 0, momentum = 0;
    momenta(z, &J);
    for (long n = 0; n <= 300L * steps_a_sample; n++) {
        if (n % steps_a_sample == 0) {
            memcpy(out->q[n / steps_a_sample], z->x.q, sizeof out->q[0]);
            momenta(z, &now);
            energy = larger(energy, REAL(fabs)(X(simulation_energy)(z) - E));
            momentum = larger(momentum, REAL(fabs)(now - J));
        }
        for (int i = 0; second && i < 3; i++)
            if (n == (i == 0 ? 10 : i == 1 ? 100 : 1000)) memcpy(second[i], z->x.q, sizeof second[i]);
        do_steps(z, 1, h);
    }
    printf("em, h = %g: energy changed by %.1e, momentum by %.1e\n", (double)h, (double)energy, (double)momentum);
    assert_at_most(energy, 5e-11);
    assert_at_most(momentum, 5e-11);
    close_model(z);
}

static void table_2(void **unused)
{
    (void)unused;
    static const struct { int steps_a_sample; double position, em_position, energy, momentum; } rows[] = {
        { 100, 1.144413e-5, 1.211371e-5, 3.267054e-4, 1.707316e-4 },
        { 10, 1.133023e-3, 1.223227e-3, 3.222382e-2, 1.696054e-2 },
        { 1, 9.587063e-2, 1.182093e-1, 2.666967, 1.560072 },
    };
    if (QUAD || SANITIZED) skip(); /* 300,000 steps for the standard */
    record *standard = calloc(1, sizeof *standard), *found = calloc(1, sizeof *found);
    assert_true(standard && found);
    simulation *z = open_with("double-spherical-pendulum", "del", 0);
    real q0[6], second[3][6], E, J[1];
    memcpy(q0, z->x.q, sizeof q0);
    E = X(simulation_energy)(z);
    momenta(z, J);
    close_model(z);
    assert_at_most(REAL(fabs)(E - (real)taut_wide_from_double(24.939585255421)), 1e-11);
    assert_at_most(REAL(fabs)(J[0] - (real)taut_wide_from_double(199.831905)), 1e-6);
    run_energy_momentum(1000, standard, second);
    for (int i = 0; i < 3; i++) {
        real h = 1 / ((real)10 * rows[i].steps_a_sample);
        run_energy_momentum(rows[i].steps_a_sample, found, NULL);
        assert_digits("position (em)", position_error(found, standard, 6), rows[i].em_position, 5);
        z = open_with("double-spherical-pendulum", "del", 0);
        start_at(z, q0, second[i], h);
        run(z, rows[i].steps_a_sample, pendulum_energy, found);
        close_model(z);
        printf("double spherical pendulum, h = %g\n", (double)h);
        assert_digits("position", position_error(found, standard, 6), rows[i].position, 5);
        assert_digits("energy", energy_error(found, E), rows[i].energy, 5);
        assert_digits("momentum", momentum_error(found, J, 1), rows[i].momentum, 5);
        /* the discrete momentum is constant: eps/h at the start, a walk after it */
        for (int k = 0; k < SAMPLES; k++)
            assert_at_most(REAL(fabs)(found->momentum[k][0] - found->momentum[0][0]), 1e-11);
    }
    free(standard);
    free(found);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(table_1), cmocka_unit_test(table_2) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
