/* Functions of the program in the equations of a model: as the formula would, with the derivatives that they have; and
   what becomes of those that fail. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "expr/call.h"
#include "support_allocator.h"
#include "support_library.h"

/* ---- functions ---- */

typedef struct {
    int calls, most;         /* largest order that was asked for */
    double fail_from;        /* x[0] above this gives NaN, and a status that is positive; 0: never */
    int status;
} watcher;

static int watch(watcher *w, int order, const double *x, double *value)
{
    if (!w) return 0;
    w->calls++;
    if (order > w->most) w->most = order;
    if (w->fail_from != 0 && x[0] > w->fail_from) {
        *value = NAN;
        return w->status;
    }
    return 0;
}

/* x^2 y + y^3/3 */
static int cubic(void *user, int order, const double *x, double *value, double *gradient, double *hessian)
{
    *value = x[0] * x[0] * x[1] + x[1] * x[1] * x[1] / 3;
    if (order > 0) gradient[0] = 2 * x[0] * x[1], gradient[1] = x[0] * x[0] + x[1] * x[1];
    if (order > 1) hessian[0] = 2 * x[1], hessian[2] = 2 * x[0], hessian[3] = 2 * x[1], hessian[1] = NAN; /* not read */
    const int status = watch(user, order, x, value);
    return status > 0 ? status : 0;
}

/* x^2 + y^2 + z^2/4 + x z/5 */
static int surface(void *user, int order, const double *x, double *value, double *gradient, double *hessian)
{
    static const double second[9] = { 2, 0, 0.2, 0, 2, 0, 0.2, 0, 0.5 };
    (void)user;
    *value = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] / 4 + x[0] * x[2] / 5;
    if (order > 0)
        gradient[0] = 2 * x[0] + x[2] / 5, gradient[1] = 2 * x[1], gradient[2] = x[2] / 2 + x[0] / 5;
    if (order > 1) memcpy(hessian, second, sizeof second);
    return 0;
}

/* v^3, of which a force needs the value alone */
static int drag(void *user, int order, const double *x, double *value, double *gradient, double *hessian)
{
    (void)hessian;
    *value = x[0] * x[0] * x[0];
    if (order > 0) gradient[0] = 3 * x[0] * x[0];
    const int status = watch(user, order, x, value);
    return status > 0 ? status : 0;
}

static void define_all(taut_context *context, watcher *w, int order_of_drag)
{
    assert_int_equal(taut_define(context, "cubic", 2, 2, cubic, w), 0);
    assert_int_equal(taut_define(context, "surface", 3, 2, surface, NULL), 0);
    assert_int_equal(taut_define(context, "drag", 1, order_of_drag, drag, NULL), 0);
}

static const char *const FORMULAS[] = { "a.x^2*a.y + a.y^3/3", "a.x^2 + a.y^2 + a.z^2/4 + a.x*a.z/5", "a.x.dot^3" };
static const char *const CALLS[] = { "call('cubic', a.x, a.y)", "call('surface', a)", "call('drag', a.x.dot)" };

static taut_model *load_with(taut_context *context, const char *const *f, const char *potential_only)
{
    char text[1000];
    taut_model *model = NULL;
    snprintf(text, sizeof text, "local a = point 'a'\nlagrangian(norm2(a.dot)/2 - (%s) - 2*a.z)\n"
             "constraint('ground', %s - 2)\n%s%s%s\nobserve('phi', %s)\n"
             "start { a = {1, 0.5, free(1)}, ['a.dot'] = {free(0.1), 0.3, 0.2} }\n",
             f[0], f[1], potential_only ? "-- " : "force(a.x, -0.1*(", f[2], potential_only ? "" : "))", f[0]);
    int status = taut_model_load_text(context, "called.lua", text, strlen(text), NULL, 0, &model);
    if (status) print_message("%s\n", taut_error_text(context));
    assert_int_equal(status, 0);
    return model;
}

static int create(taut_context *context, taut_model *model, const char *method, taut_simulation **z)
{
    const taut_options options = { .size = sizeof options, .method = method, .start = TAUT_PROJECT };
    return taut_simulation_create(context, model, &options, z);
}

/* ---- as the formula ---- */

/* Newton's iteration ends within round-off, which a hundred steps amplify by a hundred or so. */
static void same_motion(void **unused)
{
    static const char *const methods[] = { "rattle", "lobatto:s=2", "lobatto:s=3", "del", "galerkin:LGL", "euler",
                                           "naive", "compose:order=4" };
    (void)unused;
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        for (int order = 0; order <= 1; order++)
            for (int forced = 0; forced <= 1; forced++) {
                taut_context *context = taut_context_create(NULL);
                taut_simulation *z[2] = { NULL, NULL };
                double x[2][64];
                define_all(context, NULL, order);
                for (int i = 0; i < 2; i++) {
                    taut_model *model = load_with(context, i ? CALLS : FORMULAS, forced ? NULL : "without");
                    int status = create(context, model, methods[k], &z[i]);
                    if (!status) status = run_to(z[i], 0.01, 1);
                    if (!status) status = frame_of(z[i], x[i]);
                    if (status) fail_msg("%s: %s", methods[k], taut_error_text(context));
                    taut_model_release(model);
                }
                assert_int_equal(columns_of(z[0]), columns_of(z[1]));
                for (size_t i = 0; i < columns_of(z[0]); i++)
                    if (!(fabs(x[0][i] - x[1][i]) < 1e-11 * (1 + fabs(x[0][i]))))
                        fail_msg("%s (order %d, forced %d): column %s is %.17g and %.17g", methods[k], order, forced,
                                 taut_name(z[0], TAUT_ALL, i), x[0][i], x[1][i]);
                taut_simulation_release(z[0]);
                taut_simulation_release(z[1]);
                taut_context_destroy(context);
            }
}

/* What a function does not give comes from differences: first ones err by 1e-10, second ones of values by 1e-7, where
   the function and its derivatives are of size one. A motion whose Newton's matrices have them is that of the
   formula. */
static void by_differences(void **unused)
{
    const double at[2] = { 1.25, -0.5 }, exact[7] = { 1.5625 * -0.5 - 0.125 / 3, -1.25, 1.8125, -1, 2.5, 2.5, -1 };
    (void)unused;
    for (int given = 0; given <= 2; given++) {
        static const char *const methods[] = { "lobatto:s=3", "del", "euler" };
        taut_context *context = taut_context_create(NULL);
        double x[2], room[21];
        assert_int_equal(taut_define(context, "cubic", 2, given, cubic, NULL), 0);
        for (int order = 0; order <= 2; order++) {
            memcpy(x, at, sizeof x);
            taut_call_evaluate(context, taut_context_function(context, "cubic"), order, x, room);
            assert_memory_equal(x, at, sizeof x);
            for (size_t i = 0; i < call_size(2, order); i++) {
                const int of = i == 0 ? 0 : i < 3 ? 1 : 2;
                if (i == 4) continue; /* the upper triangle is not read */
                const double most = of <= given ? 1e-15 : of - given == 1 ? 2e-9 : 1e-6;
                if (!(fabs(room[i] - exact[i]) <= most))
                    fail_msg("order %d, %d given: number %zu is %.17g, not %.17g", order, given, i, room[i], exact[i]);
            }
        }
        assert_false(taut_context_has_fault(context));
        if (!given) { /* a Lagrangian takes functions with a gradient alone */
            taut_context_destroy(context);
            continue;
        }
        define_all(context, NULL, 1);
        assert_int_equal(taut_define(context, "rough", 2, given, cubic, NULL), 0);
        const char *const rough[] = { "call('rough', a.x, a.y)", CALLS[1], CALLS[2] };
        for (int k = 0; k < 3; k++) {
            taut_simulation *z[2] = { NULL, NULL };
            double found[2][64];
            for (int i = 0; i < 2; i++) {
                taut_model *model = load_with(context, i ? rough : FORMULAS, "without");
                int status = create(context, model, methods[k], &z[i]);
                if (!status) status = run_to(z[i], 0.01, 0.5);
                if (!status) status = frame_of(z[i], found[i]);
                if (status) fail_msg("%s: %s", methods[k], taut_error_text(context));
                taut_model_release(model);
            }
            for (size_t i = 0; i < 3; i++)
                if (!(fabs(found[0][i] - found[1][i]) < 1e-10))
                    fail_msg("%s, %d given: column %zu is %.17g and %.17g", methods[k], given, i, found[0][i],
                             found[1][i]);
            taut_simulation_release(z[0]);
            taut_simulation_release(z[1]);
        }
        taut_context_destroy(context);
    }
}

/* ---- what the function is asked for ---- */

static void asked(void **unused)
{
    watcher w = { 0 };
    taut_context *context = taut_context_create(NULL);
    taut_simulation *z = NULL;
    (void)unused;
    define_all(context, &w, 1);
    taut_model *model = load_with(context, CALLS, "without");
    assert_int_equal(create(context, model, "rattle", &z), 0);
    assert_int_equal(taut_step(z, 0.01), 0);
    w.calls = w.most = 0;
    assert_int_equal(taut_step(z, 0.01), 0);
    assert_int_equal(w.most, 1); /* a force of positions: RATTLE needs no Hessian of it */
    assert_true(w.calls > 0 && w.calls <= 4);
    taut_simulation_release(z);
    assert_int_equal(create(context, model, "lobatto:s=3", &z), 0);
    w.calls = w.most = 0;
    assert_int_equal(taut_step(z, 0.01), 0);
    assert_int_equal(w.most, 2);
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
}

/* Value and derivatives at one place are asked for at once: an order 2 Hamiltonian system with all entries. */
static int quartic(void *user, int order, const double *x, double *value, double *gradient, double *hessian)
{
    double r = 0;
    for (int i = 0; i < 4; i++) r += x[i] * x[i];
    *value = r * r / 4 + x[0] * x[3];
    for (int i = 0; order > 0 && i < 4; i++) gradient[i] = r * x[i] + (i == 0 ? x[3] : i == 3 ? x[0] : 0);
    for (int i = 0; order > 1 && i < 4; i++)
        for (int j = 0; j < 4; j++)
            hessian[i * 4 + j] = 2 * x[i] * x[j] + (i == j ? r : 0) + (i + j == 3 && (i == 0 || j == 0) ? 1 : 0);
    return *value > 1e6 ? (int)(intptr_t)user : 0;
}

/* A whole system as one function of coordinates and momenta. */
static void whole_system(void **unused)
{
    static const char *const energies[] = { "(x^2 + y^2 + p^2 + r^2)^2/4 + x*r", "call('H', x, y, p, r)" };
    double found[2][4];
    (void)unused;
    for (int i = 0; i < 2; i++) {
        char text[500];
        taut_context *context = taut_context_create(NULL);
        taut_model *model = NULL;
        taut_simulation *z = NULL;
        assert_int_equal(taut_define(context, "H", 4, 2, quartic, NULL), 0);
        snprintf(text, sizeof text, "local x, y = coordinate 'x', coordinate 'y'\n"
                 "local p, r = momentum(x), momentum(y)\nhamiltonian(%s)\n"
                 "start { x = 1, y = 0.5, [p] = 0.2, [r] = 0 }\n",
                 energies[i]);
        assert_int_equal(taut_model_load_text(context, "whole", text, strlen(text), NULL, 0, &model), 0);
        assert_int_equal(create(context, model, "lobatto:s=2", &z), 0);
        assert_int_equal(run_to(z, 0.01, 1), 0);
        assert_int_equal(taut_get(z, TAUT_POSITION, 0, 2, found[i], NULL), 0);
        assert_int_equal(taut_get(z, TAUT_MOMENTUM, 0, 2, found[i] + 2, NULL), 0);
        double worst, at[4] = { 1, 0.5, -0.3, 2 };
        assert_int_equal(taut_check_function(context, "H", at, &worst), 0);
        assert_true(worst < 1e-9);
        taut_simulation_release(z);
        taut_model_release(model);
        taut_context_destroy(context);
    }
    for (int i = 0; i < 4; i++) assert_true(fabs(found[0][i] - found[1][i]) < 1e-12);
}

static int wrong(void *user, int order, const double *x, double *value, double *gradient, double *hessian)
{
    const int status = drag(user, order, x, value, gradient, hessian);
    if (order > 0) gradient[0] *= 1.001;
    return status;
}

static void wrong_derivative(void **unused)
{
    taut_context *context = taut_context_create(NULL);
    double x = 2, worst = 0;
    (void)unused;
    assert_int_equal(taut_define(context, "wrong", 1, 1, wrong, NULL), 0);
    assert_int_equal(taut_check_function(context, "wrong", &x, &worst), 0);
    assert_true(worst > 0.9e-3 && worst < 1.1e-3);
    assert_int_equal(taut_check_function(context, "nobody", &x, &worst), TAUT_BAD_USAGE);
    taut_context_destroy(context);
}

/* ---- refusals ---- */

static void load_refused(taut_context *context, const char *text, int line, const char *part)
{
    taut_model *model = NULL;
    taut_error error = { .size = sizeof error };
    assert_int_equal(taut_model_load_text(context, "bad.lua", text, strlen(text), NULL, 0, &model), TAUT_BAD_MODEL);
    taut_context_error(context, &error);
    assert_null(model);
    if (!strstr(error.text, part)) fail_msg("'%s' lacks '%s'", error.text, part);
    assert_int_equal(error.line, line);
}

static void refused_models(void **unused)
{
    static const char head[] = "local x, y = coordinate 'x', coordinate 'y'\n";
    static const struct { const char *text; int line; const char *part; } bad[] = {
        { "lagrangian(x.dot^2/2 + y.dot^2/2 - call('nobody', x))", 2, "no function 'nobody'" },
        { "lagrangian(x.dot^2/2 + y.dot^2/2 - call('cubic', x))", 2, "has 2 arguments, got 1" },
        { "lagrangian(x.dot^2/2 + y.dot^2/2 - call(x))", 2, "name of a function first" },
        { "lagrangian(x.dot^2/2 + y.dot^2/2 - call('value', x))", 2, "order 1" },
        { "lagrangian(x.dot^2/2 + y.dot^2/2 - call('slope', x.dot))", 2, "order 2" },
        { "lagrangian(x.dot^2/2 + y.dot^2/2)\nconstraint('c', call('slope', x) - y)", 3,
          "'slope' stands in a constraint" },
        { "lagrangian(x.dot^2/2 + y.dot^2/2)\nforce(x, call('value', x).dot)", 3, "order 1" },
        { "lagrangian(x.dot^2/2 + y.dot^2/2)\nconstraint('c', call('cubic', x, y).dot)", 3, "" },
    };
    taut_context *context = taut_context_create(NULL);
    (void)unused;
    define_all(context, NULL, 1);
    assert_int_equal(taut_define(context, "value", 1, 0, drag, NULL), 0);
    assert_int_equal(taut_define(context, "slope", 1, 1, drag, NULL), 0);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[400];
        snprintf(text, sizeof text, "%s%s\nstart { x = 1, y = 1 }\n", head, bad[i].text);
        load_refused(context, text, bad[i].line, bad[i].part);
    }
    assert_int_equal(taut_define(context, "two words", 1, 1, drag, NULL), TAUT_BAD_USAGE);
    assert_int_equal(taut_define(context, "f", 0, 1, drag, NULL), TAUT_BAD_USAGE);
    assert_int_equal(taut_define(context, "f", TAUT_ARGUMENTS_MOST + 1, 1, drag, NULL), TAUT_BAD_USAGE);
    assert_int_equal(taut_define(context, "f", 1, 3, drag, NULL), TAUT_BAD_USAGE);
    assert_int_equal(taut_define(context, "f", 1, 1, NULL, NULL), TAUT_BAD_USAGE);
    taut_context_destroy(context);
}

/* What only a formula has. */
static void refused_methods(void **unused)
{
    static const struct { const char *method, *precision, *part; } bad[] = {
        { "em", "double", "'cubic' has no discrete gradient" },
        { "extended", "double", "third derivatives" },
#ifdef TAUT_HAVE_QUAD
        { "rattle", "quad", "gives doubles" },
#endif
    };
    taut_context *context = taut_context_create(NULL);
    (void)unused;
    define_all(context, NULL, 1);
    taut_model *model = load_with(context, CALLS, "without");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const taut_options options = { .size = sizeof options, .method = bad[i].method, .start = TAUT_PROJECT,
                                       .precision = bad[i].precision };
        taut_simulation *z = NULL;
        const int status = taut_simulation_create(context, model, &options, &z);
        if (status != TAUT_UNSUPPORTED || !strstr(taut_error_text(context), bad[i].part))
            fail_msg("%s: %d, %s", bad[i].method, status, taut_error_text(context));
        assert_null(z);
    }
    const taut_options native = { .size = sizeof native, .native = TAUT_NATIVE_ON, .start = TAUT_PROJECT };
    taut_simulation *z = NULL;
    assert_int_equal(taut_simulation_create(context, model, &native, &z), TAUT_UNSUPPORTED);
    taut_model_release(model);
    taut_context_destroy(context);
}

/* ---- failures ---- */

static void failing(int given, int expected, const char *method)
{
    watcher w = { .fail_from = 0, .status = given };
    taut_context *context = taut_context_create(NULL);
    taut_simulation *z = NULL;
    taut_error error = { .size = sizeof error };
    char part[100];
    double before[64], after[64];
    define_all(context, &w, 1);
    taut_model *model = load_with(context, CALLS, "without");
    assert_int_equal(create(context, model, method, &z), 0);
    assert_int_equal(run_to(z, 0.01, 0.1), 0);
    assert_int_equal(frame_of(z, before), 0);
    w.fail_from = -100;
    const int status = taut_step(z, 0.01);
    taut_context_error(context, &error);
    if (abs(status) != expected) fail_msg("%s: %d, %s", method, status, error.text);
    snprintf(part, sizeof part, "'cubic' failed with status %d", given);
    if (given < 0) snprintf(part, sizeof part, "'cubic' gave a number that is not finite");
    if (!strstr(error.text, part)) fail_msg("%s: %s", method, error.text);
    assert_string_equal(error.item, "cubic");
    assert_true(fabs(error.time - 0.1) < 0.02);
    w.fail_from = 0;
    if (status > 0) { /* it is as before, and goes on as if nothing had happened */
        assert_int_equal(frame_of(z, after), 0);
        assert_memory_equal(before, after, columns_of(z) * sizeof *before);
        assert_int_equal(taut_step(z, 0.01), 0);
    }
    w.fail_from = -100;
    taut_simulation *other = NULL;
    assert_int_equal(create(context, model, method, &other), expected);
    taut_context_error(context, &error);
    assert_string_equal(error.item, "cubic");
    assert_true(error.time == 0);
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
}

static void failures(void **unused)
{
    static const char *const methods[] = { "rattle", "lobatto:s=3", "del", "galerkin:LGL", "euler", "naive" };
    (void)unused;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        failing(7, TAUT_REFUSED, methods[i]);
        failing(-3, TAUT_NOT_FINITE, methods[i]); /* the function returns 0 and NaN */
    }
}

/* In numbers that are only looked at. */
static void failing_observable(void **unused)
{
    watcher w = { 0 };
    taut_context *context = taut_context_create(NULL);
    taut_simulation *z = NULL;
    double value, rows[200];
    static const char text[] = "local x = coordinate 'x'\nlagrangian(x.dot^2/2)\nobserve('f', call('drag', x))\n"
                               "start { x = 1, [x.dot] = 1 }\n";
    taut_model *model = NULL;
    (void)unused;
    assert_int_equal(taut_define(context, "drag", 1, 0, drag, &w), 0);
    assert_int_equal(taut_model_load_text(context, "looked at", text, strlen(text), NULL, 0, &model), 0);
    assert_int_equal(create(context, model, "rattle", &z), 0);
    w.fail_from = 1.5, w.status = 4;
    const size_t column = (size_t)column_of(z, "f");
    taut_run run = { .size = sizeof run, .h = 0.1, .until = 1, .rows = rows, .row_capacity = 100, .columns = &column,
                     .column_count = 1 };
    assert_int_equal(taut_advance(z, &run), TAUT_REFUSED);
    assert_true(run.row_count == 6); /* x = 1 .. 1.5 */
    assert_non_null(strstr(taut_error_text(context), "'drag' failed with status 4"));
    for (int i = 0; i < 2; i++) assert_true(taut_get(z, TAUT_OBSERVABLE, 0, 1, &value, NULL) > 0);
    assert_int_equal(taut_get(z, TAUT_POSITION, 0, 1, &value, NULL), 0);
    w.fail_from = 0;
    for (int i = 0; i < 2; i++) { /* here, and further on */
        const double x = 1.6 + 0.1 * i;
        assert_int_equal(taut_get(z, TAUT_OBSERVABLE, 0, 1, &value, NULL), 0);
        assert_true(fabs(value - x * x * x) < 1e-12);
        assert_int_equal(taut_step(z, 0.1), 0);
    }
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
}

/* ---- built by calls, cloned, in an ensemble, in another context ---- */

static void built(void **unused)
{
    taut_context *context = taut_context_create(NULL), *other = taut_context_create(NULL);
    taut_builder *b = NULL;
    taut_model *model = NULL;
    taut_simulation *z = NULL, *clone = NULL;
    taut_expr a[2], v[2], squares[2], potential, kinetic, out;
    double x[2][2], rows[6];
    char source[2000];
    (void)unused;
    define_all(context, NULL, 1);
    assert_int_equal(taut_model_begin(context, "Built", &b), 0);
    taut_group(b, TAUT_POINT, "a", 2, a);
    for (int i = 0; i < 2; i++) v[i] = taut_rate(b, a[i]);
    taut_apply(b, "*", 2, v, v, squares);
    potential = taut_call(b, "cubic", 2, a);
    kinetic = taut_sum(b, 2, squares);
    taut_apply(b, "-", 1, &kinetic, &potential, &out);
    taut_add(b, TAUT_ADD_LAGRANGIAN, NULL, 0, out);
    taut_start(b, a[0], taut_number(b, 1), 0);
    taut_start(b, a[1], taut_number(b, 2), 0);
    assert_int_equal(taut_model_finish(b, &model), 0);
    assert_int_equal(taut_model_source(model, source, sizeof source, NULL), 0);
    assert_non_null(strstr(source, "call('cubic', "));
    assert_int_equal(create(other, model, "rattle", &z), 0); /* a context that does not know the function */
    assert_int_equal(taut_simulation_clone(z, context, &clone), 0);
    assert_int_equal(run_to(z, 0.01, 0.5), 0);
    assert_int_equal(run_to(clone, 0.01, 0.5), 0);
    assert_int_equal(taut_get(z, TAUT_POSITION, 0, 2, x[0], NULL), 0);
    assert_int_equal(taut_get(clone, TAUT_POSITION, 0, 2, x[1], NULL), 0);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_int_equal(taut_restart(z), 0);
    const size_t column = (size_t)column_of(z, "a.x");
    const taut_run run = { .size = sizeof run, .h = 0.01, .until = 0.5, .every = 50, .columns = &column,
                           .column_count = 1, .row_capacity = 2 };
    const taut_vary vary = { TAUT_POSITION, 1 };
    const double values[3] = { 2, 2.1, 2.2 };
    assert_int_equal(taut_ensemble(z, &run, 3, &vary, 1, values, 2, rows, NULL), 0);
    assert_true(rows[1] == x[0][0] && rows[3] != rows[1]);
    taut_simulation_release(clone);
    taut_simulation_release(z);
    taut_model_release(model);
    assert_int_equal(taut_model_begin(context, NULL, &b), 0);
    taut_call(b, "cubic", 2, a);
    assert_int_equal(taut_model_finish(b, &model), TAUT_BAD_USAGE);
    taut_context_destroy(other);
    taut_context_destroy(context);
}

/* The tangent is exact where the derivatives are: as with the formula, to round-off. That by inputs is found in
   double. */
static void linearised(void **unused)
{
    static const char *const potentials[] = { "a.x^2*a.y + a.y^3/3", "call('cubic', a)" };
    double a[2][16], b[2][4];
    (void)unused;
    for (int i = 0; i < 2; i++) {
        char text[400];
        taut_context *context = taut_context_create(NULL);
        taut_model *model = NULL;
        taut_simulation *z = NULL;
        define_all(context, NULL, 2);
        snprintf(text, sizeof text, "local a, u = point('a', 2), input('u', 0.5)\nlagrangian(norm2(a.dot)/2 - (%s))\n"
                 "constraint('line', a.x + a.y^2 - 2)\nforce(a.x, u)\nstart { a = {1, 1} }\n", potentials[i]);
        assert_int_equal(taut_model_load_text(context, "m", text, strlen(text), NULL, 0, &model), 0);
        assert_int_equal(create(context, model, "rattle", &z), 0);
        assert_int_equal(run_to(z, 0.01, 0.1), 0);
        assert_int_equal(taut_linearise(z, 0.01, a[i], b[i]), 0);
        taut_simulation_release(z);
        taut_model_release(model);
        taut_context_destroy(context);
    }
    for (int i = 0; i < 16; i++) assert_true(fabs(a[0][i] - a[1][i]) < 1e-11);
    for (int i = 0; i < 4; i++) assert_true(fabs(b[0][i] - b[1][i]) < 1e-9);
    assert_true(fabs(b[0][2]) > 1e-3);
}

/* No memory, at any moment. */
static void without_memory(void **unused)
{
    (void)unused;
    long done = 0;
    for (long fail_at = 1; !done; fail_at++) {
        counter c = { .fail_at = fail_at, .fail_count = 1 };
        const taut_allocator allocator = { counted_resize, &c };
        taut_context *context = taut_context_create(&allocator);
        taut_model *model = NULL;
        taut_simulation *z = NULL;
        static const char text[] = "local a = point('a', 2)\nlagrangian(norm2(a.dot)/2 - call('cubic', a))\n"
                                   "start { a = {1, 2} }\n";
        if (context) {
            int status = taut_define(context, "cubic", 2, 2, cubic, NULL);
            if (!status) status = taut_model_load_text(context, "m", text, strlen(text), NULL, 0, &model);
            if (!status) status = taut_simulation_create(context, model, NULL, &z);
            if (!status) status = taut_step(z, 0.01);
            if (status) assert_int_equal(abs(status), TAUT_OUT_OF_MEMORY);
            done = !status && !c.failures;
            taut_simulation_release(z);
            taut_model_release(model);
            taut_context_destroy(context);
        }
        assert_int_equal(c.live, 0);
    }
}

static const struct CMUnitTest tests[] = {
    cmocka_unit_test(same_motion),
    cmocka_unit_test(by_differences),
    cmocka_unit_test(asked),
    cmocka_unit_test(whole_system),
    cmocka_unit_test(wrong_derivative),
    cmocka_unit_test(refused_models),
    cmocka_unit_test(refused_methods),
    cmocka_unit_test(failures),
    cmocka_unit_test(failing_observable),
    cmocka_unit_test(built),
    cmocka_unit_test(linearised),
    cmocka_unit_test(without_memory),
};

int main(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
