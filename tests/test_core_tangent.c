/* The exact tangent of a step: against differences of steps, and the symplectic form along it. */
#include "support.h"

enum { MOST = 40 }; /* coordinates */

/* NULL where the method is not for such models. */
static simulation *open_with(const char *name, const char *text, const char *method)
{
    char path[512];
    model *m = NULL;
    simulation *z = NULL;
    taut_context *context = taut_context_create(NULL);
    engine_options options = { .method = method };
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, name);
    int status = text ? taut_model_read_text(context, name, text, strlen(text), NULL, 0, &m)
                      : taut_model_read_file(context, path, NULL, 0, &m);
    if (!status) status = X(simulation_create)(m, &options, &z);
    if (status == TAUT_UNSUPPORTED) {
        taut_model_free(m);
        taut_context_destroy(context);
        return NULL;
    }
    if (status) fail_msg("%s, %s: %s", name, method, taut_error_text(context));
    return z;
}

static const char ENTANGLED[] = /* velocities in the forces, a mass that depends on positions, time in a constraint */
    "local a, b, x = point('a', 2), point('b', 2), coordinate 'x'\n"
    "lagrangian(norm2(a.dot)/2 + norm2(b.dot) + (2 + cos(x))*x.dot^2/2 + a.x*x.dot*b.y.dot/4"
    "  - 9.81*(a.y + 2*b.y) - x^4/4)\n"
    "constraint('rod', norm2(a) - (1 + sin(time())/20))\n"
    "constraint('link', norm2(b - a) + x*a.x/3 - 1)\n"
    "force(x, -0.3*x.dot^3)\nforce(b, {-0.1*b.x.dot*b.y, 0.2*b.x})\n"
    "start { a = {0.6, free(0.8)}, b = {1.5, free(0.9)}, x = 0.3, ['a.dot'] = {0.4, free()},\n"
    "        ['b.dot'] = {free(), 0.2},\n"
    "        ['x.dot'] = 0.7 }\n";

static const char HAMILTONIAN[] =
    "local x, y = coordinate 'x', coordinate 'y'\nlocal px, py = momentum(x), momentum(y)\n"
    "hamiltonian((px^2 + py^2)*(1 + x^2/2)/2 + px*py*y/4 + px^4/8 + y*x^2)\n"
    "start { x = 1, y = 1/2, ['p.x'] = 1/2, ['p.y'] = -1 }\n";

/* Too many constraints for straight-line code: rattle is written out, and its tangent is that of its table. */
static const char CHAIN[] =
    "local before = {0, 0}\nfor i = 1, 14 do\n  local a = point('a' .. i, 2)\n"
    "  lagrangian(norm2(a.dot)/2 - a.y - norm2(a)^2/50)\n  constraint('rod' .. i, norm2(a - before) - 1)\n"
    "  start { [a] = {0.8*i, 0.6*i} }\n  before = a\nend\n";

static const char ROLLING[] = /* beside one on positions, with a part without velocities, and time */
    "local x, y, th, z = coordinate 'x', coordinate 'y', coordinate 'th', coordinate 'z'\n"
    "lagrangian((x.dot^2 + y.dot^2 + (1 + x^2/4)*th.dot^2 + z.dot^2)/2 + x.dot*th.dot*y/5 - x^2/2 - z)\n"
    "constraint('blade', x.dot*sin(th) - y.dot*cos(th) + th.dot*z/3 - x*sin(time())/10)\n"
    "constraint('wire', z - x*y/2)\n"
    "start { x = 0.3, y = 0.2, th = 0.5, z = 0.03, ['x.dot'] = 0.4, ['y.dot'] = free(), ['th.dot'] = 1,\n"
    "        ['z.dot'] = free() }\n";

static const struct {
    const char *name, *text;
    double h;
    int has_forces;
} models[] = {
    { "pendulum", NULL, 0.05, 0 },       { "double-spherical-pendulum", NULL, 0.02, 0 },
    { "slider-crank", NULL, 0.001, 0 },  { "henon-heiles", NULL, 0.05, 0 },
    { "heavy-top", NULL, 0.0005, 0 },    { "damped-pendulum", NULL, 0.02, 1 },
    { "a Hamiltonian", HAMILTONIAN, 0.02, 0 },
    { "entangled", ENTANGLED, 0.01, 1 },
    { "chain", CHAIN, 0.02, 0 },
    { "constraints on velocities", ROLLING, 0.02, 1 }, /* no form is kept */
};
static const char *const methods[] = { "rattle", "lobatto:s=3", "del", "galerkin:LGL", "em", "euler", "compose:order=4",
                                       "compose:euler,order=4", "shake" };

static void unit_vectors(size_t n, real *dq, real *dp)
{
    memset(dq, 0, 2 * n * n * sizeof *dq);
    memset(dp, 0, 2 * n * n * sizeof *dp);
    for (size_t i = 0; i < n; i++) dq[i * n + i] = dp[(n + i) * n + i] = 1;
}

/* (q,p) after a step from the point moved by d along number i of (q,p). */
static void moved(simulation *z, const state *from, real h, size_t i, real d, real *to)
{
    const size_t n = z->s->n;
    wide q[MOST], p[MOST];
    X(state_copy)(from, &z->x);
    for (size_t k = 0; k < n; k++) {
        q[k] = (wide)from->q[k] + from->q_low[k] + (i == k ? d : 0);
        p[k] = (wide)from->p[k] + from->p_low[k] + (i == n + k ? d : 0);
    }
    assert_int_equal(X(simulation_set_point)(z, q, p), 0);
    if (X(simulation_step)(z, h)) fail_msg("%s", taut_error_text(z->context));
    for (size_t k = 0; k < n; k++) to[k] = z->x.q[k] + z->x.q_low[k], to[n + k] = z->x.p[k] + z->x.p_low[k];
}

/* Differences of fourth order: errors of eps/d and of d^4, here 1e-12 and 1e-13 in double, 1e-26 and 1e-31 in quad,
   times the growth of the step's derivatives, which is what the bounds leave room for. */
static void as_differences(void **unused)
{
    static const real weights[4] = { -1, 8, -8, 1 };
    static const int places[4] = { 2, 1, -1, -2 };
    const real d = QUAD ? (real)0x1p-26 : (real)0x1p-10, bound = QUAD ? (real)1e-23 : (real)1e-6;
    int compared = 0;
    (void)unused;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            simulation *z = open_with(models[m].name, models[m].text, methods[k]);
            if (!z) continue;
            const size_t n = z->s->n;
            const real h = taut_wide_from_double(models[m].h);
            real *dq = calloc(4 * n * n, sizeof *dq), *dp = dq + 2 * n * n, there[4][2 * MOST], worst = 0, size = 1;
            do_steps(z, 7, h);
            state from = save_state(z);
            unit_vectors(n, dq, dp);
            int status = X(simulation_tangent)(z, h, 2 * n, dq, dp);
            /* em with rotations finds velocities by code, and shake with a Hamiltonian is code */
            if (status == TAUT_UNSUPPORTED && (!strcmp(methods[k], "em") || !strcmp(methods[k], "shake"))) {
                X(state_clear)(z->s, &from);
                free(dq);
                close_model(z);
                continue;
            }
            if (status) fail_msg("%s, %s: %s", models[m].name, methods[k], taut_error_text(z->context));
            assert_memory_equal(z->x.q, from.q, n * sizeof(real));
            for (size_t i = 0; i < 2 * n; i++) {
                for (int p = 0; p < 4; p++) moved(z, &from, h, i, places[p] * d, there[p]);
                for (size_t r = 0; r < 2 * n; r++) {
                    real found = 0;
                    for (int p = 0; p < 4; p++) found += weights[p] * there[p][r] / (12 * d);
                    const real exact = r < n ? dq[i * n + r] : dp[i * n + r - n];
                    worst = larger(worst, REAL(fabs)(found - exact)), size = larger(size, REAL(fabs)(exact));
                }
            }
            compared++;
            if (!(worst <= bound * size))
                fail_msg("%s, %s: the tangent differs by %.2e of %.2e", models[m].name, methods[k], (double)worst,
                         (double)size);
            X(state_clear)(z->s, &from);
            free(dq);
            close_model(z);
        }
    assert_true(compared >= 50);
}

static real product(size_t n, const real *dq, const real *dp, size_t i, size_t j, real *size)
{
    real sum = 0;
    *size = 0;
    for (size_t k = 0; k < n; k++) {
        const real a = dq[i * n + k] * dp[j * n + k], b = dp[i * n + k] * dq[j * n + k];
        sum += a - b;
        *size += REAL(fabs)(a) + REAL(fabs)(b);
    }
    return sum;
}

/* A step leads onto the manifold of g = 0 and dg/dt = 0, so that the vectors after it are tangent to that. The next
   step then keeps omega of each pair, to the rounding of the products and of the linear systems: 1e5 ulp of their
   size. */
static void keeps_the_form(void **unused)
{
    static const char *const symplectic[] = { "rattle", "lobatto:s=3", "del", "galerkin:LGL", "euler",
                                              "compose:order=4" };
    (void)unused;
    for (size_t m = 0; m < sizeof models / sizeof *models; m++)
        for (size_t k = 0; !models[m].has_forces && k < sizeof symplectic / sizeof *symplectic; k++) {
            simulation *z = open_with(models[m].name, models[m].text, symplectic[k]);
            if (!z) continue;
            const size_t n = z->s->n;
            const real h = taut_wide_from_double(models[m].h);
            real *dq = calloc(4 * n * n, sizeof *dq), *dp = dq + 2 * n * n;
            real *before = calloc(4 * n * n, sizeof *before), scale, worst = 0,
                 largest = 0;
            do_steps(z, 7, h);
            unit_vectors(n, dq, dp);
            assert_int_equal(X(simulation_step_tangent)(z, h, 2 * n, dq, dp), 0);
            for (size_t i = 0; i < 2 * n; i++)
                for (size_t j = 0; j < 2 * n; j++) before[i * 2 * n + j] = product(n, dq, dp, i, j, &scale);
            assert_int_equal(X(simulation_step_tangent)(z, h, 2 * n, dq, dp), 0);
            for (size_t i = 0; i < 2 * n; i++)
                for (size_t j = 0; j < 2 * n; j++) {
                    const real now = product(n, dq, dp, i, j, &scale);
                    worst = larger(worst, REAL(fabs)(now - before[i * 2 * n + j]));
                    largest = larger(largest, scale);
                }
            if (!(worst <= 1e5 * REAL_EPSILON * largest))
                fail_msg("%s, %s: omega changes by %.2e of %.2e", models[m].name, symplectic[k], (double)worst,
                         (double)largest);
            free(before);
            free(dq);
            close_model(z);
        }
}

/* A step with tangent vectors is the step without them, to the bit, and reports the same. */
static void same_step(void **unused)
{
    (void)unused;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        simulation *z[2];
        real x[2][200];
        for (int i = 0; i < 2; i++) {
            real dq[3 * 6] = { 1, 0, 0, 0, 0, 0, 0, 1 }, dp[3 * 6] = { 0 };
            z[i] = open_with("double-spherical-pendulum", NULL, methods[k]);
            for (int s = 0; s < 5; s++) {
                if (i) assert_int_equal(X(simulation_step_tangent)(z[i], (real)0.02, 3, dq, dp), 0);
                else do_steps(z[i], 1, (real)0.02);
                if (i) assert_int_equal(X(simulation_tangent)(z[i], (real)0.01, 2, dq, dp), 0);
            }
            assert_true(X(simulation_column_count)(z[i]) < 200);
            assert_int_equal(X(simulation_frame)(z[i], x[i]), 0);
        }
        assert_memory_equal(x[0], x[1], X(simulation_column_count)(z[0]) * sizeof(real));
        for (int i = 0; i < 2; i++) close_model(z[i]);
    }
}

static void without(void **unused)
{
    static const struct { const char *model, *method; } none[] = {
        { "pendulum", "naive" }, { "pendulum", "em:project" }, { "bouncing-ball", "rattle" } };
    (void)unused;
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        simulation *z = open_with(none[i].model, NULL, none[i].method);
        real dq[MOST] = { 1 }, dp[MOST] = { 0 };
        assert_int_equal(X(simulation_tangent)(z, (real)0.01, 1, dq, dp), TAUT_UNSUPPORTED);
        close_model(z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_differences),
        cmocka_unit_test(keeps_the_form),
        cmocka_unit_test(same_step),
        cmocka_unit_test(without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
