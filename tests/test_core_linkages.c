/* The overconstrained linkages of the IFToMM library of multibody benchmarks (A02, A04) against their one freedom: its
   mass and its potential as functions of one angle, written out here by hand and integrated by Runge and Kutta's
   scheme, which shares nothing with Taut. The library publishes curves of B0 and P3; these are their numbers. */
#include <stdlib.h>

#include "support.h"

/* ---- one freedom: mass(x) x'' + mass'(x) x'^2/2 + potential'(x) = 0 ---- */

typedef struct {
    void (*at)(const void *self, double x, double *mass, double *potential);
    const void *self;
    double x, rate;
} freedom;

/* Derivatives by central differences of fourth order: truncation and round-off are both some 1e-12 with this step. */
static double acceleration_of(const freedom *f, double x, double rate)
{
    static const double weight[] = { 1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12 };
    const double apart = 1e-3;
    double mass, potential, mass_rate = 0, force = 0;
    for (int k = 0; k < 5; k++) {
        if (k == 2) continue;
        f->at(f->self, x + (k - 2) * apart, &mass, &potential);
        mass_rate += weight[k] * mass / apart, force -= weight[k] * potential / apart;
    }
    f->at(f->self, x, &mass, &potential);
    return (force - mass_rate * rate * rate / 2) / mass;
}

/* Runge-Kutta 4 with steps of half a millisecond: 1e-10 in ten seconds. */
static void advance(freedom *f, double time)
{
    const int steps = (int)(time / 5e-4 + 0.5);
    const double h = time / steps;
    for (int i = 0; i < steps; i++) {
        double x = f->x, v = f->rate, a1 = acceleration_of(f, x, v), v2 = v + h / 2 * a1,
               a2 = acceleration_of(f, x + h / 2 * v, v2), v3 = v + h / 2 * a2,
               a3 = acceleration_of(f, x + h / 2 * v2, v3), v4 = v + h * a3, a4 = acceleration_of(f, x + h * v3, v4);
        f->x = x + h / 6 * (v + 2 * v2 + 2 * v3 + v4);
        f->rate = v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
}

static simulation *open_linkage(const char *name, definition *with, size_t count, const char *method)
{
    char path[200];
    model *m = NULL;
    simulation *z = NULL;
    engine_options options = { .method = method };
    taut_context *context = taut_context_create(NULL);
    snprintf(path, sizeof path, MODELS "/%s.lua", name);
    int status = taut_model_read_file(context, path, with, count, &m);
    if (!status) status = X(simulation_create)(m, &options, &z);
    if (status) fail_msg("%s", taut_error_text(context));
    return z;
}

static int is_long(void) { return getenv("TAUT_TEST_LONG") != NULL; }

/* ---- A02: N + 1 cranks turn about their feet, N couplers stay level; x is the angle to the vertical ---- */

static void four_bars_at(const void *self, double x, double *mass, double *potential)
{
    const int N = *(const int *)self;
    *mass = (N + 1) / 3.0 + N;
    *potential = 9.81 * ((N + 1) / 2.0 + N) * cos(x);
}

/* Largest distance of an upper joint from the parallelogram. */
static double miss(const simulation *z, int N, double x)
{
    double most = 0;
    for (int i = 0; i <= N; i++) {
        most = fmax(most, fabs((double)z->x.q[2 * i] - i - sin(x)));
        most = fmax(most, fabs((double)z->x.q[2 * i + 1] - cos(x)));
    }
    return most;
}

static double four_bars(int N, const char *method, double h, int steps)
{
    char text[16];
    snprintf(text, sizeof text, "%d", N);
    definition with = { "N", text, 0 };
    simulation *z = open_linkage("n-four-bar", &with, 1, method);
    freedom f = { four_bars_at, &N, 0, -1 };
    double worst = 0;
    int flat = 0; /* how often all were in one line, where N constraints depend on the others */
    for (int k = 0; k < steps; k++) {
        double before = cos(f.x);
        do_steps(z, 1, (real)h);
        advance(&f, h);
        flat += before * cos(f.x) <= 0;
        worst = fmax(worst, miss(z, N, f.x));
    }
    assert_true(flat > 0);
    close_model(z);
    return worst;
}

static void n_four_bars(void **state)
{
    (void)state;
    const int most = QUAD || SANITIZED ? 2 : 40, until = is_long() && !QUAD ? 10 : 2;
    for (int N = 1; N <= most; N += is_long() ? 1 : N < 2 ? 1 : 19) {
        /* order 6 */
        double worst = four_bars(N, "lobatto:s=4", 0.02, 50 * until);
        if (!(worst < 5e-7)) fail_msg("N = %d: %g", N, worst);
    }
    if (QUAD || SANITIZED) return;
    /* order 2, through the flat position as anywhere else */
    double coarse = four_bars(2, "rattle", 0.002, 1000), fine = four_bars(2, "rattle", 0.001, 2000);
    assert_between(coarse / fine, 3.9, 4.1);
}

/* ---- branch points, in every method that keeps the constraints ---- */

/* Rounding errors, 1e-16, grow by the inverse of a step's distance from the flat position, some thousand. Another
   branch is off by lengths of bars. */
#define SAME_BRANCH (QUAD ? 1e-24 : 1e-9)

static const char *const keeping[] = { "rattle", "shake", "lobatto:s=3", "del", "galerkin", "em", "euler", "compose" };

/* Two parallelograms turn over and over: laid flat, each may go on as one, or with its bars crossed. */
static void parallelograms(void **state)
{
    (void)state;
    definition with[] = { { "N", "2", 0 }, { "speed", "30", 0 } };
    for (size_t i = 0; i < sizeof keeping / sizeof *keeping; i++) {
        simulation *z = open_linkage("n-four-bar", with, 2, keeping[i]);
        int flat = 0, steps = QUAD ? 40 : 400;
        for (int k = 0; k < steps; k++) {
            const real *q = z->x.q, before = q[1];
            do_steps(z, 1, (real)0.002);
            flat += before * q[1] <= 0;
            for (int b = 1; b <= 2; b++) {
                real across = REAL(fabs)(q[2 * b] - q[0] - b), up = REAL(fabs)(q[2 * b + 1] - q[1]);
                if (!(across < SAME_BRANCH && up < SAME_BRANCH))
                    fail_msg("%s, step %d: off by %g, %g", keeping[i], k, (double)across, (double)up);
            }
        }
        assert_true(flat >= steps / 60);
        close_model(z);
    }
}

/* A kite: crank and coupler of length 1, ground and rocker of length 2. Its other end is the mirror image of the
   crank's foot in the diagonal. Through its dead point, the crank turned outward, all bars lie in one line, and the
   coupler could stay on the crank, too, and turn with it. */
static void a_kite(void **state)
{
    (void)state;
    static const char text[] =
        "local p, q = point('p', 2), point('q', 2)\n"
        "lagrangian(norm2(p.dot)/2 + norm2(q.dot)/2 - 9.81*(p.y + q.y))\n"
        "constraint('crank', norm2(p) - 1)\n"
        "constraint('coupler', norm2(p - q) - 1)\n"
        "constraint('rocker', norm2(q - {2, 0}) - 4)\n"
        "start { p = {0, 1}, q = {0.8, 1.6}, ['p.dot'] = {-10, 0}, ['q.dot'] = {free(), free()} }\n";
    for (size_t i = 0; i < sizeof keeping / sizeof *keeping; i++) {
        model *m = NULL;
        simulation *z = NULL;
        engine_options options = { .method = keeping[i] };
        taut_context *context = taut_context_create(NULL);
        int status = taut_model_read_text(context, "kite.lua", text, strlen(text), NULL, 0, &m), flat = 0;
        if (!status) status = X(simulation_create)(m, &options, &z);
        if (status) fail_msg("%s", taut_error_text(context));
        for (int k = 0; k < (QUAD ? 100 : 800); k++) {
            const real *x = z->x.q, before = x[1];
            do_steps(z, 1, (real)0.002);
            flat += before * x[1] <= 0 && x[0] < 0;
            /* the diagonal from (2, 0) to p; n is normal to it */
            real n[2] = { -x[1], x[0] - 2 }, part = 4 * n[0] / (n[0] * n[0] + n[1] * n[1]);
            real across = REAL(fabs)(x[2] - part * n[0]), up = REAL(fabs)(x[3] - part * n[1]);
            if (!(across < SAME_BRANCH && up < SAME_BRANCH))
                fail_msg("%s, step %d: off by %g, %g", keeping[i], k, (double)across, (double)up);
        }
        assert_true(flat > 0);
        close_model(z);
    }
}

/* ---- A04: of threefold symmetry. Turns of hinges 1, 3, 5 are theta, of 2, 4, 6 psi, and the loop closes where
   (1 + sin theta)(1 + sin psi) = 1; so sin theta = 2^sin(x) - 1, sin psi = 2^-sin(x) - 1, for all x ---- */

#define QUARTER 1.5707963267948966 /* pi/2 */
static const double corner[6][3] = { { 0, 0, 0 }, { 1, 0, 0 }, { 1, -1, 0 }, { 1, -1, 1 }, { 0, -1, 1 }, { 0, 0, 1 } };
static const int axis_of[6] = { 1, 2, 0, 1, 2, 0 };

/* Frame k: after the turns of hinges 0 .. k, x -> R x + d. */
typedef struct {
    double R[6][3][3], d[6][3];
} frames;

static void turn(double s, double c, int k, const double R[3][3], double out[3][3])
{
    int i = (k + 1) % 3, j = (k + 2) % 3;
    for (int r = 0; r < 3; r++) {
        out[r][k] = R[r][k];
        out[r][i] = R[r][i] * c + R[r][j] * s;
        out[r][j] = R[r][j] * c - R[r][i] * s;
    }
}

static void move(const double R[3][3], const double *d, const double *p, double *out)
{
    for (int r = 0; r < 3; r++) out[r] = R[r][0] * p[0] + R[r][1] * p[1] + R[r][2] * p[2] + d[r];
}

static void linkage_at(double x, frames *f)
{
    static const double one[3][3] = { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } }, none[3] = { 0 };
    for (int k = 0; k < 6; k++) {
        const double(*R)[3] = k ? (const double(*)[3])f->R[k - 1] : one, *d = k ? f->d[k - 1] : none;
        double s = pow(2, k % 2 ? -sin(x) : sin(x)) - 1, c = sqrt((1 - s) * (1 + s)), place[3], moved[3];
        /* a quarter turn, sine 1, is passed by theta at x = pi/2 + 2 pi i, by psi at -pi/2 + 2 pi i */
        double passed = floor((x + (k % 2 ? 1 : 3) * QUARTER) / (4 * QUARTER));
        if (fmod(fabs(passed), 2) == 1) c = -c;
        turn(s, c, axis_of[k], R, f->R[k]);
        move(R, d, corner[k], place); /* the hinge stays */
        move(f->R[k], none, corner[k], moved);
        for (int r = 0; r < 3; r++) f->d[k][r] = place[r] - moved[r];
    }
}

/* Kinetic energy for x' = 1, twice, by differences of the rods' positions and of their unit vectors: with second
   moments J about the centre, sum_k J_k |dR e_k|^2, J_k = (I_1 + I_2 + I_3)/2 - I_k. */
static void bricard_at(const void *self, double x, double *mass, double *potential)
{
    static const double weight[] = { -1.0 / 60, 3.0 / 20, -3.0 / 4, 0, 3.0 / 4, -3.0 / 20, 1.0 / 60 };
    const double apart = 1e-2; /* sixth order */
    frames at, near[7];
    (void)self;
    linkage_at(x, &at);
    for (int k = 0; k < 7; k++)
        if (k != 3) linkage_at(x + (k - 3) * apart, &near[k]);
    *mass = *potential = 0;
    for (int rod = 0; rod < 5; rod++) {
        double middle[3], here[3], rate[3] = { 0 }, turning[3][3] = { { 0 } };
        for (int r = 0; r < 3; r++) middle[r] = (corner[rod][r] + corner[rod + 1][r]) / 2;
        move(at.R[rod], at.d[rod], middle, here);
        *potential += 9.81 * here[1];
        for (int k = 0; k < 7; k++) {
            if (k == 3) continue;
            move(near[k].R[rod], near[k].d[rod], middle, here);
            for (int r = 0; r < 3; r++) {
                rate[r] += weight[k] / apart * here[r];
                for (int c = 0; c < 3; c++) turning[r][c] += weight[k] / apart * near[k].R[rod][r][c];
            }
        }
        for (int c = 0; c < 3; c++) {
            int along = corner[rod + 1][c] != corner[rod][c];
            double moment = along ? 1 / 12.0 : 0.01 / 12; /* of a rod of mass 1, length 1, section 0.1 x 0.1 */
            *mass += rate[c] * rate[c];
            for (int r = 0; r < 3; r++) *mass += moment * turning[r][c] * turning[r][c];
        }
    }
}

static void bricard(void **state)
{
    (void)state;
    frames f;
    for (double x = -12; x < 12; x += 0.1) { /* the loop closes */
        linkage_at(x, &f);
        for (int r = 0; r < 3; r++) {
            assert_at_most(fabs(f.d[5][r]), 1e-13);
            for (int c = 0; c < 3; c++) assert_at_most(fabs(f.R[5][r][c] - (r == c)), 1e-13);
        }
    }
    const int until = QUAD || SANITIZED ? 0 : is_long() ? 10 : 2, steps = until ? 100 * until : 10;
    simulation *z = open_linkage("bricard", NULL, 0, "lobatto:s=3");
    freedom one = { bricard_at, NULL, 0, 0 };
    double worst = 0;
    for (int k = 0; k < steps; k++) {
        double p3[3];
        do_steps(z, 1, (real)0.01);
        advance(&one, 0.01);
        linkage_at(one.x, &f);
        move(f.R[2], f.d[2], corner[2], p3);
        assert_int_equal(X(simulation_read)(z, READING_OBSERVABLES), TAUT_OK);
        for (int r = 0; r < 3; r++) worst = fmax(worst, fabs((double)z->observables[r] - p3[r]));
    }
    assert_at_most(worst, 1e-8); /* order 4; measured: 7e-10 in two seconds, 3e-9 in ten */
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(n_four_bars),
        cmocka_unit_test(parallelograms),
        cmocka_unit_test(a_kite),
        cmocka_unit_test(bricard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
