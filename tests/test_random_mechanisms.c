/* Random mechanisms: trees and loops of points, bars and springs in space, chains of bodies with joints, with and
 * without a floor to fall on. They are consistent by construction: bars are as long as the distances of the points
 * that were drawn, joints are where the bodies are, velocities are projected. Every method of the catalogue steps each
 * of them, and whatever it declares is measured. Dozens of them; TAUT_TEST_LONG=1 makes 3,000. TAUT_TEST_SEED begins
 * elsewhere. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "taut/taut.h"

#include <cmocka.h>

enum { TEXT = 8000, NUMBERS = 200, STEPS = 12, POINTS_MOST = 6 };
static const double h = 0.004;

static uint64_t state;
static double uniform(double low, double high)
{
    uint64_t z = state += 0x9e3779b97f4a7c15u; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}
static int below(int n) { return (int)uniform(0, n); }

typedef struct {
    char text[TEXT];
    size_t size;
    int contacts;
} script;

static void put(script *s, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    const int n = vsnprintf(s->text + s->size, TEXT - s->size, format, list);
    va_end(list);
    assert_true(n >= 0 && s->size + (size_t)n < TEXT);
    s->size += (size_t)n;
}

/* Points: each hangs on an earlier one, or on the origin, by a bar or a spring; then some bars more. */
static void write_points(script *s)
{
    const int count = 2 + below(POINTS_MOST - 1);
    double x[POINTS_MOST + 1][3] = { { 0 } };
    int joined[POINTS_MOST + 1][POINTS_MOST + 1] = { { 0 } }, bars = 0;
    for (int i = 1; i <= count; i++) {
        const int parent = below(i), spring = below(4) == 0;
        double apart = 0;
        do {
            apart = 0;
            for (int k = 0; k < 3; k++) x[i][k] = x[parent][k] + uniform(-1, 1);
            for (int j = 0; j < i; j++) {
                const double d = hypot(hypot(x[i][0] - x[j][0], x[i][1] - x[j][1]), x[i][2] - x[j][2]);
                if (j == 0 || d < apart) apart = d;
            }
        } while (apart < 0.3);
        put(s, "local p%d = point 'p%d'\nlagrangian(%.3f*norm2(p%d.dot) - 9.81*%.3f*p%d.z)\n", i, i, uniform(0.2, 2), i,
            uniform(0.2, 2), i);
        put(s, "start { p%d = {%.15g, %.15g, %.15g}, ['p%d.dot'] = {%.3f, %.3f, %.3f} }\n", i, x[i][0], x[i][1],
            x[i][2], i, uniform(-1, 1), uniform(-1, 1), uniform(-1, 1));
        char other[16];
        snprintf(other, sizeof other, parent ? "p%d" : "origin", parent);
        if (spring) put(s, "lagrangian(-%.3f*(norm(p%d - %s) - %.3f)^2)\n", uniform(5, 50), i, other, uniform(0.2, 1));
        else put(s, "constraint('bar%d', norm2(p%d - %s) - norm2{%.15g, %.15g, %.15g})\n", i, i, other,
                 x[i][0] - x[parent][0], x[i][1] - x[parent][1], x[i][2] - x[parent][2]), bars++;
        joined[i][parent] = joined[parent][i] = 1;
        if (s->contacts) /* so near below that some are reached */
            put(s, "contact('floor%d', p%d.z - (%.15g), { restitution = %.1f })\n", i, i,
                x[i][2] - uniform(0.002, 0.05), uniform(0, 0.9));
    }
    for (int k = below(3); k > 0; k--) { /* loops; never as many bars as would fix a triangle too often */
        const int i = 1 + below(count), j = 1 + below(count);
        if (i == j || joined[i][j] || bars + 2 > 2 * count) continue;
        put(s, "constraint('loop%d', norm2(p%d - p%d) - norm2{%.15g, %.15g, %.15g})\n", k, i, j, x[i][0] - x[j][0],
            x[i][1] - x[j][1], x[i][2] - x[j][2]);
        joined[i][j] = joined[j][i] = 1, bars++;
    }
}

/* A chain of bodies from the world on, a joint of some kind between each and the next. */
static void write_bodies(script *s)
{
    const int count = 1 + below(2);
    double x[3] = { 0, 0, 0 };
    put(s, "gravity{0, 0, -9.81}\n");
    for (int i = 1; i <= count; i++) {
        double joint[3];
        for (int k = 0; k < 3; k++) joint[k] = x[k] + uniform(-0.5, 0.5), x[k] = joint[k] + uniform(0.2, 0.6);
        put(s, "local b%d = body('b%d', { mass = %.3f, inertia = {%.3f, %.3f, %.3f}, at = {%.15g, %.15g, %.15g} })\n",
            i, i, uniform(0.5, 2), uniform(0.2, 0.3), uniform(0.2, 0.3), uniform(0.2, 0.3), x[0], x[1], x[2]);
        char parent[16];
        snprintf(parent, sizeof parent, i > 1 ? "b%d" : "world", i - 1);
        const int kind = below(4);
        put(s, "%s('j%d', %s, b%d, { at = {%.15g, %.15g, %.15g}",
            kind == 0 ? "revolute" : kind == 1 ? "spherical" : kind == 2 ? "universal" : "prismatic", i, parent, i,
            joint[0], joint[1], joint[2]);
        if (kind == 0 || kind == 3) put(s, ", axis = {%.3f, %.3f, 1}", uniform(-1, 1), uniform(-1, 1));
        if (kind == 2) put(s, ", axis = {1, 0, 0}, axis2 = {0, 1, 0}");
        put(s, " })\n");
    }
}

/* ---- what is measured ---- */

typedef struct {
    long mechanisms, runs, refused, failed, measured, touched;
} tally;
static tally all;

static double largest(taut_simulation *z, int kind)
{
    double x[NUMBERS], most = 0;
    const size_t n = taut_count(z, kind);
    assert_true(n <= NUMBERS);
    if (n && taut_get(z, kind, 0, n, x, NULL)) return NAN;
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
    return most;
}

static void read_all(taut_simulation *z, int kind, double *x, size_t *n)
{
    *n = taut_count(z, kind);
    assert_true(*n <= NUMBERS);
    assert_int_equal(taut_get(z, kind, 0, *n, x, NULL), TAUT_OK);
}

static void holds(const script *s, const char *method, const char *what, double value, double bound)
{
    all.measured++;
    if (value <= bound) return;
    print_error("%s\n", s->text);
    fail_msg("%s: %s is %.3g, more than %.3g", method, what, value, bound);
}

/* Bounds are some thousand rounding errors of what is compared: lengths and velocities of about 1 to 10. */
static void measure(const script *s, const taut_method_info *info, taut_simulation *z)
{
    double e0[4], e1[4], c0[NUMBERS], c1[NUMBERS], q0[NUMBERS], q1[NUMBERS], defect, doubt;
    size_t en, cn, qn;
    int pairs;
    const int free = !s->contacts;
    if (free && (info->keeps & TAUT_KEEPS_SYMPLECTIC) && taut_count(z, TAUT_POSITION) <= 12
        && taut_symplectic_defect(z, h, &defect, &doubt, &pairs) == TAUT_OK && pairs > 0)
        holds(s, info->name, "the symplectic defect", defect, 20 * doubt + 1e-8);
    read_all(z, TAUT_ENERGY, e0, &en), read_all(z, TAUT_CONSERVED, c0, &cn), read_all(z, TAUT_POSITION, q0, &qn);
    double size = 1 + fabs(e0[0]);
    for (int i = 0; i < STEPS; i++) {
        const int status = taut_step(z, h);
        assert_true(status >= 0);
        if (status) {
            all.failed++;
            return;
        }
        if (info->keeps & TAUT_KEEPS_POSITION) holds(s, info->name, "|g|", largest(z, TAUT_CONSTRAINT), 1e-10);
        if (info->keeps & TAUT_KEEPS_VELOCITY) holds(s, info->name, "|dg/dt|", largest(z, TAUT_CONSTRAINT_RATE), 1e-8);
        if (s->contacts) {
            double gaps[NUMBERS];
            size_t n;
            read_all(z, TAUT_GAP, gaps, &n);
            for (size_t k = 0; k < n; k++) {
                holds(s, info->name, "a gap below zero", -gaps[k], 1e-8);
                all.touched += gaps[k] < 1e-6;
            }
        }
    }
    read_all(z, TAUT_ENERGY, e1, &en), read_all(z, TAUT_CONSERVED, c1, &cn);
    if (free && (info->keeps & TAUT_KEEPS_ENERGY))
        holds(s, info->name, "the energy's change", fabs(e1[0] - e0[0]), 1e-9 * size);
    if (free && (info->keeps & TAUT_KEEPS_MOMENTUM))
        for (size_t i = 0; i < cn; i++)
            holds(s, info->name, "a momentum's change", fabs(c1[i] - c0[i]), 1e-9 * (size + fabs(c0[i])));
    if (!free || !(info->keeps & TAUT_KEEPS_REVERSIBLE)) return;
    for (int i = 0; i < STEPS; i++)
        if (taut_step(z, -h)) {
            all.failed++;
            return;
        }
    read_all(z, TAUT_POSITION, q1, &qn);
    for (size_t i = 0; i < qn; i++) holds(s, info->name, "the way back", fabs(q1[i] - q0[i]), 1e-8);
}

static void one_mechanism(void)
{
    script s = { .contacts = below(4) == 0 };
    if (!s.contacts && below(3) == 0) write_bodies(&s);
    else write_points(&s);
    taut_context *context = taut_context_create(NULL);
    taut_model *m = NULL;
    taut_method_info info = { .size = sizeof info };
    int served = 0;
    if (taut_model_load_text(context, "random.lua", s.text, s.size, NULL, 0, &m))
        fail_msg("%s\n%s", taut_error_text(context), s.text);
    for (size_t i = 0; taut_methods(i, &info) == TAUT_OK; i++) {
        taut_simulation *z = NULL;
        const taut_options o = { .size = sizeof o, .method = info.name, .start = TAUT_PROJECT,
                                 .native = TAUT_NATIVE_OFF };
        const int status = taut_simulation_create(context, m, &o, &z);
        if (status == TAUT_UNSUPPORTED || status == TAUT_BAD_USAGE) {
            all.refused++; /* not for such models: em and contacts, say */
            continue;
        }
        if (status) fail_msg("%s: %s\n%s", info.name, taut_error_text(context), s.text);
        all.runs++, served++;
        measure(&s, &info, z);
        taut_simulation_release(z);
    }
    all.mechanisms++;
    assert_true(served >= 1);
    taut_model_release(m);
    taut_context_destroy(context);
}

static void mechanisms(void **unused)
{
    (void)unused;
    const char *seed = getenv("TAUT_TEST_SEED");
    const int count = getenv("TAUT_TEST_LONG") ? 3000 : 60;
    for (int i = 0; i < count; i++) {
        /* each has its own: a failure is found again */
        state = (uint64_t)(seed ? atol(seed) : 1) * 1000003 + (uint64_t)i;
        one_mechanism();
    }
    print_message("%ld mechanisms, %ld runs, %ld not for the method, %ld ended early, %ld properties measured, "
                  "%ld contacts closed\n",
                  all.mechanisms, all.runs, all.refused, all.failed, all.measured, all.touched);
    assert_true(all.touched > 10);
    assert_true(all.failed * 20 <= all.runs); /* mechanisms near a singular position: few of them */
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(mechanisms) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
