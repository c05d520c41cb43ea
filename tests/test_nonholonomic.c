/* Constraints on velocities: the models of models/nonholonomic against exact solutions and published figures, and what
   methods keep on them. */
#include <complex.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support_columns.h"

static const double PI = 3.14159265358979323846;

static taut_simulation *open_with(taut_context *context, const char *name, const char *method,
                                  const taut_setting *definitions, size_t count)
{
    char path[1024];
    taut_model *model = NULL;
    taut_simulation *z = NULL;
    taut_options options = { .size = sizeof options, .method = method };
    snprintf(path, sizeof path, "%s/nonholonomic/%s.lua", MODELS, name);
    if (taut_model_load_file(context, path, definitions, count, &model)) fail_msg("%s", taut_error_text(context));
    if (taut_simulation_create(context, model, &options, &z)) fail_msg("%s", taut_error_text(context));
    taut_model_release(model);
    return z;
}

static taut_simulation *open_file(taut_context *context, const char *name, const char *method)
{
    return open_with(context, name, method, NULL, 0);
}

/* ---- exact solutions, by an extrapolation method with errors of some 1e-13 a step ---- */

static void knife_edge_runs_along_a_cycloid(void **unused)
{
    taut_context *context = taut_context_create(NULL);
    taut_simulation *z = open_file(context, "knife-edge", NULL);
    const double w = 2, A = 9.81 * sin(0.3) / (2 * w * w), t = 1.7;
    (void)unused;
    assert_int_equal(taut_flow(z, t, 1e-13), TAUT_OK);
    assert_column(z, "x", A * (1 - cos(2 * w * t)) / 2, 1e-10);
    assert_column(z, "y", A * (w * t - sin(2 * w * t) / 2), 1e-10);
    /* lambda (sin, -cos) is what is missing to m (u (cos, sin))' in gravity: across the blade, along (-sin, cos), the
       acceleration is u w and gravity has -g sin(alpha) sin(th) */
    const double pull = 9.81 * sin(0.3), u = pull * sin(w * t) / w;
    assert_column(z, "lambda.blade", -(u * w + pull * sin(w * t)), 1e-9);
    taut_simulation_release(z);
    taut_context_destroy(context);
}

static void sleigh_goes_straight_in_the_end(void **unused)
{
    taut_context *context = taut_context_create(NULL);
    taut_simulation *z = open_file(context, "sleigh", NULL);
    const double m = 1, a = 0.4, J = 0.5 + m * a * a, E = m / 2 + J * 0.01 / 2;
    const double U = sqrt(2 * E / m), W = sqrt(2 * E / J), k = m * a * U / J, t0 = atanh(1 / U) / k;
    (void)unused;
    for (double t = 2; t <= 10; t += 4) {
        assert_int_equal(taut_flow(z, t, 1e-13), TAUT_OK);
        assert_column(z, "speed", U * tanh(k * (t - t0)), 1e-9);
        assert_column(z, "th.dot", W / cosh(k * (t - t0)), 1e-9);
        assert_column(z, "energy", E, 1e-11);
    }
    taut_simulation_release(z);
    taut_context_destroy(context);
}

static void disks_run_round_circles(void **unused)
{
    taut_context *context = taut_context_create(NULL);
    taut_simulation *z = open_file(context, "vertical-disk", NULL);
    (void)unused;
    assert_int_equal(taut_flow(z, 3, 1e-13), TAUT_OK);
    assert_column(z, "x", sin(0.7 * 3) / 0.7, 1e-10);
    assert_column(z, "y", (1 - cos(0.7 * 3)) / 0.7, 1e-10);
    assert_column(z, "roll", 7.5, 1e-10);
    taut_simulation_release(z);
    z = open_file(context, "tilted-disk", NULL);
    const double m = 0.3, R = 0.1, J = m * R * R / 2, lean = 0.5, W = 4;
    const double w = (m * 9.81 * R * sin(lean) / (W * cos(lean)) - J / 2 * W * sin(lean)) / (J + m * R * R);
    assert_int_equal(taut_flow(z, 2, 1e-13), TAUT_OK);
    assert_column(z, "lean", lean, 1e-10);
    assert_column(z, "turn", W * 2, 1e-9);
    assert_column(z, "x", R * w / W * sin(W * 2), 1e-9);
    assert_column(z, "y", R * w / W * (1 - cos(W * 2)), 1e-9);
    taut_simulation_release(z);
    taut_context_destroy(context);
}

/* The velocity of the centre turns with 2/7 of the table's rate. */
static void ball_on_a_turntable(void **unused)
{
    taut_context *context = taut_context_create(NULL);
    taut_simulation *z = open_file(context, "turntable", NULL);
    const double k = 2.0 / 7 * 3, t = 4;
    (void)unused;
    assert_int_equal(taut_flow(z, t, 1e-13), TAUT_OK);
    assert_column(z, "c.x", 0.5 + (0.1 * sin(k * t) - 0.3 * (1 - cos(k * t))) / k, 1e-9);
    assert_column(z, "c.y", (0.3 * sin(k * t) + 0.1 * (1 - cos(k * t))) / k, 1e-9);
    assert_column(z, "spin", 2, 1e-8);
    taut_simulation_release(z);
    taut_context_destroy(context);
}

static double bessel_1(double x) /* to round-off for small x */
{
    double term = x / 2, sum = term;
    for (int k = 1; k < 12; k++) sum += term *= -x * x / 4 / (k * (k + 1));
    return sum;
}

static void snakeboard_gathers_speed(void **unused)
{
    taut_context *context = taut_context_create(NULL);
    taut_simulation *z = open_file(context, "snakeboard", NULL);
    const double gain = -2 * PI * 0.7 * 0.072 / 0.2 * bessel_1(0.3) / 6;
    (void)unused;
    for (int period = 1; period <= 2; period++) {
        assert_int_equal(taut_flow(z, 2 * PI * period, 1e-13), TAUT_OK);
        assert_column(z, "speed", period * gain, 1e-10);
    }
    taut_simulation_release(z);
    taut_context_destroy(context);
}

/* ---- what methods keep ---- */

typedef struct {
    const char *method;
    double order;
    int reversible, velocity, energy;
} kept;

static const kept all_kept[] = {
    { "rattle", 2, 1, 1, 0 },           { "del", 2, 1, 1, 0 },      { "lobatto:s=3", 4, 1, 1, 0 },
    { "galerkin:LLL,m=3", 4, 1, 1, 0 }, { "em", 2, 1, 0, 1 },       { "em:project", 2, 1, 1, 1 },
    { "compose:del,order=4", 4, 1, 1, 0 }, { "compose:em,order=4", 4, 1, 0, 1 }, { "naive:rk4", 4, 0, 0, 0 },
    { "euler", 1, 0, 1, 0 },            { "shake", 2, 0, 0, 0 },    { "del:left", 1, 0, 1, 0 },
    { "galerkin:EGG,m=3", 4, 1, 1, 0 }, { "naive:gauss,s=2", 4, 0, 0, 0 },
};

static double error_of(taut_context *context, const char *name, const char *method, double h, double until,
                       const double *exact)
{
    double q[20], error = 0;
    taut_simulation *z = open_file(context, name, method);
    size_t n = taut_count(z, TAUT_POSITION);
    if (run_to(z, h, until)) fail_msg("%s under %s: %s", name, method, taut_error_text(context));
    assert_int_equal(taut_get(z, TAUT_POSITION, 0, n, q, NULL), TAUT_OK);
    for (size_t i = 0; i < n; i++) error = fmax(error, fabs(q[i] - exact[i]));
    taut_simulation_release(z);
    return error;
}

static void check_kept(taut_context *context, const char *name, const kept *k, double h)
{
    double exact[20], begin[20], q[20], away = 0, energy = 0, rate = 0, first, work0 = 0;
    taut_simulation *z = open_file(context, name, k->method);
    const size_t n = taut_count(z, TAUT_POSITION);
    assert_true(n <= 20);
    assert_int_equal(taut_get(z, TAUT_POSITION, 0, n, begin, NULL), TAUT_OK);
    assert_int_equal(taut_get(z, TAUT_ENERGY, 0, 1, &first, NULL), TAUT_OK);
    const int works = taut_count(z, TAUT_WORK) > 0;
    if (works) assert_int_equal(taut_get(z, TAUT_WORK, 0, 1, &work0, NULL), TAUT_OK);
    for (int step = 0; step < 40; step++) {
        double e, w = 0, r;
        if (taut_step(z, h)) fail_msg("%s under %s: %s", name, k->method, taut_error_text(context));
        assert_int_equal(taut_get(z, TAUT_ENERGY, 0, 1, &e, NULL), TAUT_OK);
        if (works) assert_int_equal(taut_get(z, TAUT_WORK, 0, 1, &w, NULL), TAUT_OK);
        assert_int_equal(taut_get(z, TAUT_CONSTRAINT_RATE, 0, 1, &r, NULL), TAUT_OK);
        energy = fmax(energy, fabs(e - w - first + work0));
        rate = fmax(rate, r);
    }
    for (int step = 0; k->reversible && step < 40; step++) assert_int_equal(taut_step(z, -h), TAUT_OK);
    assert_int_equal(taut_get(z, TAUT_POSITION, 0, n, q, NULL), TAUT_OK);
    for (size_t i = 0; i < n; i++) away = fmax(away, fabs(q[i] - begin[i]));
    taut_simulation_release(z);
    z = open_file(context, name, NULL);
    assert_int_equal(taut_flow(z, 16 * h, 1e-13), TAUT_OK);
    assert_int_equal(taut_get(z, TAUT_POSITION, 0, n, exact, NULL), TAUT_OK);
    taut_simulation_release(z);
    const double coarse = error_of(context, name, k->method, h, 16 * h, exact),
                 fine = error_of(context, name, k->method, h / 2, 16 * h, exact), order = log2(coarse / fine);
    printf("  %-13s %-20s order %.2f  back %.1e  energy %.1e  velocity %.1e\n", name, k->method, order,
           k->reversible ? away : NAN, energy, rate);
    assert_true(order > k->order - 0.35); /* from two steps; the next order is in it */
    if (k->reversible) assert_true(away < 1e-11);
    if (k->energy) assert_true(energy < 1e-12);
    if (k->velocity) assert_true(rate < 1e-12);
    if (strcmp(name, "sleigh")) return;
    if (!k->energy) assert_true(energy > 1e-11); /* or the example shows nothing */
    if (!k->velocity) assert_true(rate > 1e-11);
}

static void methods_keep_what_they_declare(void **unused)
{
    taut_context *context = taut_context_create(NULL);
    (void)unused;
    for (size_t i = 0; i < sizeof all_kept / sizeof *all_kept; i++) {
        check_kept(context, "sleigh", &all_kept[i], 0.1);
        check_kept(context, "turntable", &all_kept[i], 0.005);
    }
    taut_context_destroy(context);
}

/* Published: the weave and capsize speeds, and the eigenvalues of table 2. */
static double complex root_near(const double *c, double complex x)
{
    for (int i = 0; i < 50; i++) {
        double complex f = 1, slope = 0; /* x^4 + c[3] x^3 + .. + c[0] */
        for (int k = 3; k >= 0; k--) slope = slope * x + f, f = f * x + c[k];
        x -= f / slope;
    }
    return x;
}

/* a := a b^-1 for 4 x 4 matrices, rows of vectors: solves with partial pivoting */
static void propagator(double before[4][4], double after[4][4], double out[4][4])
{
    double m[4][8];
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) m[i][j] = before[i][j], m[i][4 + j] = after[i][j];
    for (int k = 0; k < 4; k++) {
        int best = k;
        for (int i = k + 1; i < 4; i++)
            if (fabs(m[i][k]) > fabs(m[best][k])) best = i;
        for (int j = 0; j < 8; j++) {
            double keep = m[k][j];
            m[k][j] = m[best][j], m[best][j] = keep;
        }
        for (int i = 0; i < 4; i++) {
            double factor = i == k ? 0 : m[i][k] / m[k][k];
            for (int j = 0; j < 8; j++) m[i][j] -= factor * m[k][j];
        }
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) out[i][j] = m[i][4 + j] / m[i][i];
}

/* Coefficients of the characteristic polynomial, by Faddeev and LeVerrier. */
static void characteristic(double a[4][4], double *c)
{
    double m[4][4] = { { 0 } }, last = 1;
    for (int k = 1; k <= 4; k++) {
        double next[4][4] = { { 0 } }, trace = 0;
        for (int i = 0; i < 4; i++) m[i][i] += last;
        for (int i = 0; i < 4; i++)
            for (int j = 0; j < 4; j++)
                for (int l = 0; l < 4; l++) next[i][j] += a[i][l] * m[l][j];
        for (int i = 0; i < 4; i++) trace += next[i][i];
        memcpy(m, next, sizeof m);
        c[4 - k] = last = -trace / k;
    }
}

/* Small motions beside the straight one, in roll, steer and their rates, over a time T: the eigenvalues of that map are
   exp(lambda T). Terms of second order vanish by symmetry, those of third are 1e-10. */
static void find_map(taut_context *context, double speed, double T, double *c)
{
    static const char *const starts[] = { "roll0", "steer0", "roll_rate", "steer_rate" };
    static const char *const columns[] = { "roll", "steer", "roll.dot", "steer.dot" };
    double before[4][4], after[4][4], map[4][4];
    for (int i = 0; i < 4; i++) {
        double values[4] = { 0 };
        taut_setting settings[5] = { { "v0", NULL, speed } };
        values[i] = 1e-5;
        for (int k = 0; k < 4; k++) settings[1 + k] = (taut_setting){ starts[k], NULL, values[k] };
        taut_simulation *z = open_with(context, "bicycle", NULL, settings, 5);
        for (int k = 0; k < 4; k++) before[i][k] = value_of(z, columns[k]);
        assert_int_equal(taut_flow(z, T, 1e-14), TAUT_OK);
        for (int k = 0; k < 4; k++) after[i][k] = value_of(z, columns[k]);
        taut_simulation_release(z);
    }
    propagator(before, after, map); /* transposed, with the same eigenvalues */
    characteristic(map, c);
}

static void eigenvalues(taut_context *context, double speed, double T, const double complex *published, int count,
                        double bound)
{
    double c[4];
    find_map(context, speed, T, c);
    for (int i = 0; i < count; i++) {
        const double complex found = clog(root_near(c, cexp(published[i] * T))) / T;
        printf("  v = %g: %.9f %+.9f i, published %.9f %+.9f i\n", speed, creal(found), cimag(found),
               creal(published[i]), cimag(published[i]));
        assert_true(cabs(found - published[i]) <= bound * cabs(published[i]));
    }
}

static void bicycle_benchmark(void **unused)
{
    taut_context *context = taut_context_create(NULL);
    /* Meijaard et al. 2007, table 2 */
    const double complex still[] = { 3.13164324790656, -3.13164324790656, 5.53094371765393, -5.53094371765393 },
                         five[] = { -0.32286642900409, -0.77534188219585 + 4.46486771378823 * I, -14.07838969279822 };
    (void)unused;
    eigenvalues(context, 0, 0.2, still, 4, 1e-6);
    eigenvalues(context, 5, 0.2, five, 3, 1e-6);
    /* At the weave speed a pair crosses the imaginary axis, at the capsize speed an eigenvalue goes through zero. Both
       are given to a millimetre a second, and the real parts change by less than 1 for 1 m/s. */
    double c[4];
    find_map(context, 4.292, 0.2, c);
    const double weave = creal(clog(root_near(c, cexp(3.45 * I * 0.2))) / 0.2);
    find_map(context, 6.024, 0.2, c);
    const double capsize = creal(clog(root_near(c, 1)) / 0.2);
    printf("  real parts at the weave and capsize speeds: %.1e, %.1e\n", weave, capsize);
    assert_true(fabs(weave) < 1e-3 && fabs(capsize) < 1e-3);
    taut_context_destroy(context);
}

/* Kane & Levinson 1982: spun with -5 rad/s it comes to stand after some four seconds and turns the other way. */
static void rattleback_reverses(void **unused)
{
    taut_context *context = taut_context_create(NULL);
    taut_simulation *z = open_file(context, "rattleback", "em");
    const double first = value_of(z, "energy");
    double worst = 0;
    (void)unused;
    assert_true(value_of(z, "spin") < -4.9);
    for (int i = 1; i <= 16; i++) {
        if (run_to(z, 0.001, 0.5 * i)) fail_msg("%s", taut_error_text(context));
        worst = fmax(worst, fabs(value_of(z, "energy") - first) / first);
    }
    printf("  spin %.4f after 8 s, energy off by %.1e\n", value_of(z, "spin"), worst);
    assert_true(value_of(z, "spin") > 4.9 && value_of(z, "spin") < 5.05);
    assert_true(worst < 1e-11); /* 8,000 steps */
    taut_simulation_release(z);
    taut_context_destroy(context);
}

/* ---- long runs: docs/methods.md ---- */

static double energy_error(taut_context *context, const char *name, double coupling, const char *method, double until)
{
    taut_setting c = { "coupling", NULL, coupling };
    taut_simulation *z = open_with(context, name, method, &c, coupling != 0);
    const size_t rows = (size_t)(until / 0.1 + 0.5) + 1, energy = (size_t)column_of(z, "energy");
    double *all = malloc(rows * sizeof *all), worst = 0;
    taut_run run = { .size = sizeof run, .h = 0.1, .until = until, .columns = &energy, .column_count = 1, .rows = all,
                     .row_capacity = rows };
    assert_non_null(all);
    if (taut_advance(z, &run)) fail_msg("%s under %s: %s", name, method, taut_error_text(context));
    for (size_t i = 0; i < run.row_count; i++) worst = fmax(worst, fabs(all[i] - all[0]));
    printf("  %-12s %-4g %-12s to t = %-6g %.2e\n", name, coupling, method, until, worst);
    free(all);
    taut_simulation_release(z);
    return worst;
}

/* Regular motion: the figures of the table. Coupled, motions part after some hundred steps whatever the last bit was,
   and their errors have a size, not digits. */
static void energy_over_long_times(void **unused)
{
    static const struct {
        const char *name, *method;
        double coupling, until, least, most;
    } rows[] = {
        { "particle", "rattle", 0, 1000, 1.7e-3, 1.9e-3 },       { "particle", "del", 0, 1000, 5.2e-4, 5.4e-4 },
        { "particle", "lobatto:s=3", 0, 1000, 5.8e-7, 6.0e-7 },  { "particle", "em", 0, 1000, 0, 1e-13 },
        { "particle", "naive:rk4", 0, 1000, 9e-5, 9.6e-5 },      { "transmission", "rattle", 0, 1000, 0.0115, 0.0125 },
        { "transmission", "del", 0, 1000, 0.0115, 0.0125 },
        { "transmission", "lobatto:s=3", 0, 1000, 1.7e-5, 1.9e-5 },
        { "transmission", "em", 0, 1000, 0, 1e-11 },             { "transmission", "rattle", 0.2, 10000, 0.05, 1 },
        { "transmission", "del", 0.2, 10000, 0.05, 1 },
        { "transmission", "lobatto:s=3", 0.2, 10000, 5e-5, 2e-3 },
        { "transmission", "em", 0.2, 10000, 0, 1e-10 },
    };
    taut_context *context = taut_context_create(NULL);
    (void)unused;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double error = energy_error(context, rows[i].name, rows[i].coupling, rows[i].method, rows[i].until);
        assert_true(error >= rows[i].least && error <= rows[i].most);
    }
    taut_context_destroy(context);
}

/* ---- starts, and what is said ---- */

typedef struct {
    char text[4000];
} heard;

static void hear(void *user, const char *line)
{
    heard *h = user;
    size_t at = strlen(h->text);
    snprintf(h->text + at, sizeof h->text - at, "%s\n", line);
}

/* The error of a model, or its notes; said must be in it. */
static void assert_said(const char *text, const char *method, const char *said)
{
    heard h = { "" };
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    taut_simulation *z = NULL;
    taut_options options = { .size = sizeof options, .method = method, .step = 0.1 };
    taut_context_log(context, hear, &h);
    int status = taut_model_load_text(context, "m.lua", text, strlen(text), NULL, 0, &model);
    if (!status) status = taut_simulation_create(context, model, &options, &z);
    if (status) hear(&h, taut_error_text(context));
    if (said ? !strstr(h.text, said) : h.text[0] != 0) fail_msg("%s\nsays: %s", text, h.text);
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
}

#define PLANE                                                                       \
    "local x, y, th = coordinate 'x', coordinate 'y', coordinate 'th'\n"           \
    "lagrangian((x.dot^2 + y.dot^2 + th.dot^2)/2)\nstart { x = 1, y = 2, th = 0.3 }\n"

static void integrable_ones_are_told(void **unused)
{
    (void)unused;
    assert_said(PLANE "constraint('blade', x.dot*sin(th) - y.dot*cos(th))\n", NULL, NULL);
    assert_said(PLANE "constraint('product', x.dot*y + x*y.dot)\n", NULL, "constraint 'product' on velocities can be "
                "integrated");
    /* with a factor; and with a constraint on positions */
    assert_said(PLANE "constraint('angle', (x.dot*y - x*y.dot)*exp(th))\n", NULL, "constraint 'angle' on velocities");
    assert_said(PLANE "constraint('blade', x.dot*sin(th) - y.dot*cos(th))\n"
                "constraint('bent', th - x - y + 2.7)\n", NULL, "constraint 'blade' on velocities");
    /* together, not alone: x' = y th', y' = 0 */
    assert_said(PLANE "constraint('one', x.dot - y*th.dot)\n", NULL, NULL);
    assert_said(PLANE "constraint('one', x.dot - y*th.dot)\nconstraint('two', y.dot)\n", NULL,
                "constraints 'one', 'two' on velocities");
    /* time is a dimension, too: x exp(-t) is constant, whatever factor the constraint has; x' = y t has y in it */
    assert_said(PLANE "constraint('timed', (x.dot - x)*y)\nstart { ['x.dot'] = 1 }\n", NULL,
                "constraint 'timed' on velocities");
    assert_said(PLANE "constraint('timed', x.dot - time()*x)\nstart { ['x.dot'] = 0 }\n", NULL,
                "constraint 'timed' on velocities");
    assert_said(PLANE "constraint('timed', x.dot - y*time())\nstart { ['x.dot'] = 0 }\n", NULL, NULL);
    /* a direction that turns; a factor that grows */
    assert_said(PLANE "constraint('timed', x.dot*cos(time()) - y.dot*sin(time()))\n", NULL, NULL);
    assert_said(PLANE "constraint('timed', (x.dot*y + x*y.dot)*(1 + time()))\n", NULL,
                "constraint 'timed' on velocities");
}

static void starts_are_checked(void **unused)
{
    (void)unused;
    assert_said(PLANE "constraint('blade', x.dot*sin(th) - y.dot*cos(th))\nstart { ['y.dot'] = 1 }\n", NULL,
                "the start velocities are inconsistent: constraint 'blade' misses by -0.955");
    assert_said(PLANE "constraint('one', x.dot - th.dot - 1)\nconstraint('two', x.dot - th.dot - 2)\n"
                "start { ['x.dot'] = free() }\n", NULL,
                "constraint 'two' contradicts 'one': no velocities meet them all; ");
    assert_said(PLANE "constraint('one', x.dot*sin(th) - y.dot*cos(th))\n"
                "constraint('two', 2*x.dot*sin(th) - 2*y.dot*cos(th))\n", NULL,
                "1 of 2 constraints depends on the others");
    assert_said(PLANE "constraint('blade', x.dot*sin(th) - y.dot*cos(th))\n", "dirac:rk4",
                "the Dirac bracket would make other motion");
    assert_said(PLANE "constraint('blade', x.dot*sin(th) - y.dot*cos(th))\n", "extended", "has no Hamiltonian");
    assert_said("local x, y = coordinate 'x', coordinate 'y'\nlagrangian((x.dot^2 + y.dot^2)/2)\n"
                "constraint('blade', x.dot*y - y.dot)\nstart_points { x = {0, 0.1}, y = {0, 0} }\n", "del",
                "start_points in a model with constraints on velocities");
    /* free positions that no constraint determines stay at their guess */
    assert_said("local x, y, z = coordinate 'x', coordinate 'y', coordinate 'z'\n"
                "lagrangian((x.dot^2 + y.dot^2 + z.dot^2)/2)\nconstraint('contact', z.dot - y*x.dot)\n"
                "start { x = free(1), y = free(2), z = 0, ['x.dot'] = 1, ['z.dot'] = free() }\n", NULL, NULL);
    assert_said("local x, y = coordinate 'x', coordinate 'y'\nlocal p, r = momentum(x), momentum(y)\n"
                "hamiltonian(p^2/2 + r^2/2 + x^2/2 + y^4/4)\nconstraint('slope', r - x*p)\n"
                "start { x = 1, y = free(1), ['p.x'] = 0.2, ['p.y'] = free() }\n", "dirac:rk4",
                "constraint 'slope' is linear in the momenta: the motion is that of the Dirac bracket");
}

/* Two blades of a body that say the same: the motion is that of one. */
static void redundant_ones_move_alike(void **unused)
{
    static const char one[] = PLANE "force(x, 1)\nconstraint('one', x.dot*sin(th) - y.dot*cos(th))\n"
                              "start { ['th.dot'] = 1 }\n",
                      two[] = PLANE "force(x, 1)\nconstraint('one', x.dot*sin(th) - y.dot*cos(th))\n"
                              "constraint('two', 2*x.dot*sin(th) - 2*y.dot*cos(th))\nstart { ['th.dot'] = 1 }\n";
    static const char *const methods[] = { "rattle", "del", "em", "lobatto:s=3" };
    taut_context *context = taut_context_create(NULL);
    (void)unused;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        double q[2][3];
        for (int i = 0; i < 2; i++) {
            const char *text = i ? two : one;
            taut_model *model = NULL;
            taut_simulation *z = NULL;
            taut_options options = { .size = sizeof options, .method = methods[k] };
            assert_int_equal(taut_model_load_text(context, "m.lua", text, strlen(text), NULL, 0, &model), TAUT_OK);
            if (taut_simulation_create(context, model, &options, &z)) fail_msg("%s", taut_error_text(context));
            if (run_to(z, 0.05, 2)) fail_msg("%s: %s", methods[k], taut_error_text(context));
            assert_int_equal(taut_get(z, TAUT_POSITION, 0, 3, q[i], NULL), TAUT_OK);
            taut_simulation_release(z);
            taut_model_release(model);
        }
        for (int i = 0; i < 3; i++) assert_true(fabs(q[0][i] - q[1][i]) < 1e-11);
    }
    taut_context_destroy(context);
}

/* Two wheels on one axle, both rolling: sideways they say the same, by the rates of the hinges between them. In the
   stages of a step the rates of positions follow the motion up to the error of the method, so that both cannot be met
   there, and forces that try to grow until the iteration fails. Reference: own ODE in minimal coordinates, as far as
   its digits go. */
static void wheels_on_one_axle(void **unused)
{
    static const char text[] =
        "gravity{0, 0, -9.81}\nlocal R, b = 0.1, 0.2\n"
        "local ch = body('ch', { mass = 5, inertia = {0.1, 0.12, 0.05}, at = {0, 0, R + 0.25} })\n"
        "local wheel = { mass = 0.5, inertia = {1.4e-3, 2.5e-3, 1.4e-3}, at = {0, b, R} }\n"
        "local wl = body('wl', wheel)\nwheel.at = {0, -b, R}\nlocal wr = body('wr', wheel)\n"
        "revolute('jl', ch, wl, { at = {0, b, R}, axis = {0, 1, 0}, angle = { torque = 0.3 } })\n"
        "revolute('jr', ch, wr, { at = {0, -b, R}, axis = {0, 1, 0}, angle = { torque = 0.1 } })\n"
        "rolling('gl', world, wl, { at = {0, b, 0}, normal = {0, 0, 1}, axis = {0, 1, 0} })\n"
        "rolling('gr', world, wr, { at = {0, -b, 0}, normal = {0, 0, 1}, axis = {0, 1, 0} })\n"
        "observe('x', (wl.centre.x + wr.centre.x)/2)\nobserve('y', (wl.centre.y + wr.centre.y)/2)\n"
        "observe('up', ch:direction{0, 0, 1}.z)\n";
    static const struct { const char *method; double within; } ways[] = {
        { "lobatto:s=3", 1e-6 }, { "lobatto:s=4", 1e-8 }, { "rattle", 5e-4 }, { "galerkin", 5e-4 } };
    taut_context *context = taut_context_create(NULL);
    (void)unused;
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        taut_model *model = NULL;
        taut_simulation *z = NULL;
        taut_options options = { .size = sizeof options, .method = ways[k].method };
        assert_int_equal(taut_model_load_text(context, "m.lua", text, strlen(text), NULL, 0, &model), TAUT_OK);
        if (taut_simulation_create(context, model, &options, &z)) fail_msg("%s", taut_error_text(context));
        if (run_to(z, 0.01, 1)) fail_msg("%s: %s", ways[k].method, taut_error_text(context));
        assert_column(z, "x", 0.20353054, ways[k].within + 3e-8);
        assert_column(z, "y", -0.11309547, ways[k].within + 3e-8);
        assert_column(z, "up", 0.9765466, ways[k].within + 1e-5);
        taut_simulation_release(z);
        taut_model_release(model);
    }
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(knife_edge_runs_along_a_cycloid), cmocka_unit_test(sleigh_goes_straight_in_the_end),
        cmocka_unit_test(disks_run_round_circles),         cmocka_unit_test(ball_on_a_turntable),
        cmocka_unit_test(snakeboard_gathers_speed),        cmocka_unit_test(methods_keep_what_they_declare),
        cmocka_unit_test(bicycle_benchmark),               cmocka_unit_test(rattleback_reverses),
        cmocka_unit_test(integrable_ones_are_told),        cmocka_unit_test(starts_are_checked),
        cmocka_unit_test(redundant_ones_move_alike),        cmocka_unit_test(wheels_on_one_axle),
        cmocka_unit_test(energy_over_long_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
