/* Models built by calls: what they are is what the script says that they print. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support_allocator.h"
#include "support_library.h"

static taut_expr call(taut_builder *b, const char *op, taut_expr x, taut_expr y)
{
    taut_expr out;
    taut_apply(b, op, 1, &x, y ? &y : NULL, &out);
    return out;
}

/* A driven oscillator with everything in it. */
static int build(taut_context *context, taut_model **model)
{
    taut_builder *b = NULL;
    taut_expr x, a[3];
    int status = taut_model_begin(context, "Everything", &b);
    if (status) return status;
    const taut_expr k = taut_param(b, "k", 3.5), u = taut_input(b, "u", 0.25), t = taut_time_symbol(b);
    taut_group(b, TAUT_SCALAR, "x", 1, &x);
    taut_group(b, TAUT_POINT, "a", 3, a);
    const taut_expr v = taut_rate(b, x), half = taut_number(b, 0.5), tenth = taut_number(b, -0.1);
    taut_expr kinetic[4] = { call(b, "^", v, taut_number(b, 2)), 0, 0, 0 };
    for (int i = 0; i < 3; i++) kinetic[i + 1] = call(b, "*", taut_rate(b, a[i]), taut_rate(b, a[i]));
    taut_add(b, TAUT_ADD_LAGRANGIAN, NULL, 0, call(b, "*", half, taut_sum(b, 4, kinetic)));
    const taut_expr spring = call(b, "*", call(b, "/", k, taut_number(b, 2)), call(b, "*", x, x));
    taut_add(b, TAUT_ADD_LAGRANGIAN, NULL, 0, call(b, "-", spring, 0));
    const taut_expr driven = call(b, "*", u, call(b, "sin", t, 0));
    taut_add(b, TAUT_ADD_FORCE, NULL, x, call(b, "+", driven, call(b, "*", tenth, v)));
    taut_expr squares[3];
    taut_apply(b, "*", 3, a, a, squares);
    const taut_expr rod = call(b, "-", taut_sum(b, 3, squares), taut_number(b, 1));
    const taut_expr tension = taut_add(b, TAUT_ADD_CONSTRAINT, "rod", 0, rod);
    taut_add(b, TAUT_ADD_OBSERVABLE, "tension", 0, tension);
    taut_add(b, TAUT_ADD_OBSERVABLE, "angle", 0, call(b, "atan2", a[1], a[0]));
    taut_start(b, x, call(b, "/", k, taut_number(b, 7)), 0);
    taut_start(b, v, taut_number(b, 1), 0);
    taut_start(b, a[0], taut_number(b, 0.6), 0);
    taut_start(b, a[1], taut_number(b, 0.7), 1);
    taut_start(b, a[2], taut_number(b, 0), 0);
    taut_start(b, taut_rate(b, a[2]), taut_number(b, 2), 0);
    return taut_model_finish(b, model);
}

static const char SCRIPT[] = "title 'Everything'\n"
                             "local k, u, t = param('k', 3.5), input('u', 0.25), time()\n"
                             "local x, a = coordinate 'x', point 'a'\n"
                             "lagrangian(0.5*(x.dot^2 + a.x.dot*a.x.dot + a.y.dot*a.y.dot + a.z.dot*a.z.dot))\n"
                             "lagrangian(-(k/2*(x*x)))\n"
                             "force(x, u*sin(t) + -0.1*x.dot)\n"
                             "local l = constraint('rod', a.x*a.x + a.y*a.y + a.z*a.z - 1)\n"
                             "observe('tension', l)\n"
                             "observe('angle', atan2(a.y, a.x))\n"
                             "start { x = k/7, ['x.dot'] = 1, a = {0.6, free(0.7), 0}, ['a.dot'] = {0, 0, 2} }\n";

static void built_is_written(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    taut_model *models[3] = { NULL, NULL, NULL };
    char source[4096];
    double frames[3][64] = { { 0 } };
    size_t size;
    if (build(context, &models[0])) fail_msg("%s", taut_error_text(context));
    assert_string_equal(taut_model_title(models[0]), "Everything");
    assert_int_equal(taut_model_source(models[0], source, sizeof source, &size), TAUT_OK);
    assert_int_equal(taut_model_load_text(context, "source", source, size, NULL, 0, &models[1]), TAUT_OK);
    assert_int_equal(taut_model_load_text(context, "script", SCRIPT, strlen(SCRIPT), NULL, 0, &models[2]), TAUT_OK);
    for (int i = 0; i < 3; i++) {
        taut_simulation *z = NULL;
        assert_int_equal(taut_simulation_create(context, models[i], NULL, &z), TAUT_OK);
        assert_int_equal(run_to(z, 0.01, 1), TAUT_OK);
        assert_int_equal(frame_of(z, frames[i]), TAUT_OK);
        if (i) assert_memory_equal(frames[0], frames[i], columns_of(z) * sizeof(double));
        taut_simulation_release(z);
        taut_model_release(models[i]);
    }
    taut_context_destroy(context);
}

static void hamiltonian_and_rotation(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    taut_builder *b = NULL;
    taut_model *model = NULL;
    taut_simulation *z = NULL;
    taut_expr x, r[4];
    double energy;
    assert_int_equal(taut_model_begin(context, NULL, &b), TAUT_OK);
    taut_group(b, TAUT_SCALAR, "x", 1, &x);
    const taut_expr p = taut_momentum_of(b, x), two = taut_number(b, 2);
    const taut_expr sum = call(b, "+", call(b, "^", p, two), call(b, "^", x, two));
    taut_add(b, TAUT_ADD_HAMILTONIAN, NULL, 0, call(b, "/", sum, two));
    taut_start(b, x, taut_number(b, 1), 0);
    taut_start(b, p, taut_number(b, 1), 0);
    if (taut_model_finish(b, &model)) fail_msg("%s", taut_error_text(context));
    assert_int_equal(taut_simulation_create(context, model, NULL, &z), TAUT_OK);
    assert_int_equal(taut_get(z, TAUT_ENERGY, 0, 1, &energy, NULL), TAUT_OK);
    assert_true(energy == 1);
    taut_simulation_release(z);
    taut_model_release(model);
    assert_int_equal(taut_model_begin(context, NULL, &b), TAUT_OK);
    taut_group(b, TAUT_ROTATION, "r", 4, r);
    assert_true(r[0] && r[3]);
    assert_int_equal(taut_model_finish(b, NULL), TAUT_OK); /* given up */
    taut_context_destroy(context);
}

/* The first failure passes through, and is the one that is reported. */
static void failures_pass_through(void **state)
{
    (void)state;
    static const char *const says[] = { "taut_number: a number must be finite", "taut_param: it needs a name",
                                        "taut_apply: an operation is", "taut_apply: an operand is not",
                                        "taut_sum: a summand", "taut_group: a group has",
                                        "taut_add: there is no such role",
                                        "taut_add: constraints and observables have names",
                                        "taut_start: variable or value",
                                        "taut_apply: an operator needs two", "taut_rate: it is not",
                                        "taut_model_begin: a title" };
    taut_context *context = taut_context_create(NULL);
    for (int i = 0; i < (int)(sizeof says / sizeof *says); i++) {
        taut_builder *b = NULL;
        taut_model *model = (taut_model *)context;
        taut_expr x, q[4], none = 0;
        assert_int_equal(taut_model_begin(context, i == 11 ? "it's" : NULL, &b), TAUT_OK);
        taut_group(b, TAUT_SCALAR, "x", 1, &x);
        if (i == 0) none = taut_number(b, 1.0 / 0.0);
        if (i == 1) none = taut_param(b, "a'b", 1);
        if (i == 2) none = call(b, "os.exit", x, 0);
        if (i == 3) none = call(b, "+", x, 77);
        if (i == 4) none = taut_sum(b, 1, &none);
        if (i == 5) taut_group(b, TAUT_POINT, "y", 4, q), none = q[3];
        if (i == 6) none = taut_add(b, 9, NULL, 0, x);
        if (i == 7) none = taut_add(b, TAUT_ADD_CONSTRAINT, NULL, 0, x);
        if (i == 8) taut_start(b, x, 0, 0);
        if (i == 9) none = call(b, "*", x, 0);
        if (i == 10) none = taut_rate(b, 0);
        assert_int_equal(none, 0);
        assert_int_equal(call(b, "sin", none, 0), 0);
        assert_int_equal(taut_add(b, TAUT_ADD_LAGRANGIAN, NULL, 0, none), 0);
        assert_int_equal(taut_model_finish(b, &model), TAUT_BAD_USAGE);
        assert_null(model);
        if (!strstr(taut_error_text(context), says[i])) fail_msg("%s, not %s", taut_error_text(context), says[i]);
    }
    /* and what the language refuses */
    taut_builder *b = NULL;
    taut_model *model = NULL;
    taut_expr x;
    assert_int_equal(taut_model_begin(context, NULL, &b), TAUT_OK);
    taut_group(b, TAUT_SCALAR, "x", 1, &x);
    taut_group(b, TAUT_SCALAR, "x", 1, &x);
    assert_int_equal(taut_model_finish(b, &model), TAUT_BAD_MODEL);
    assert_non_null(strstr(taut_error_text(context), "the name 'x' is taken"));
    taut_context_destroy(context);
}

static void memory_may_end_anywhere(void **state)
{
    (void)state;
    long calls = 0;
    for (long k = 0, step = 1; k == 0 || k <= calls; k += step) {
        counter c = { .fail_at = k, .fail_count = k > 0 };
        const taut_allocator allocator = { counted_resize, &c };
        taut_context *context = taut_context_create(&allocator);
        taut_model *model = NULL;
        if (!context) continue;
        int status = build(context, &model);
        if (k == 0) calls = c.calls, step = calls / 200 + 1, assert_int_equal(status, TAUT_OK);
        if (status && status != TAUT_OUT_OF_MEMORY) fail_msg("allocation %ld: %s", k, taut_error_text(context));
        taut_model_release(model);
        taut_context_destroy(context);
        assert_int_equal(c.live, 0);
    }
}

/* What has no call of its own: a ball on a floor, with units and a picture, as the script has it. */
static void pieces_of_the_language(void **unused)
{
    static const char script[] = "units { length = 'm', time = 's' }\nlocal y = coordinate 'y'\n"
                                 "lagrangian(y.dot^2/2 - 10*y)\nlocal l = contact('floor', y, { restitution = 0.5 })\n"
                                 "observe('push', 2*l)\ndraw { ball({0, y}, 0.1) }\nstart { y = 1 }\n";
    taut_context *context = taut_context_create(NULL);
    double x[2][32];
    (void)unused;
    for (int i = 0; i < 2; i++) {
        taut_model *model = NULL;
        taut_simulation *z = NULL;
        taut_builder *b = NULL;
        if (i) {
            taut_expr y, l;
            assert_int_equal(taut_model_begin(context, "ball", &b), 0);
            taut_script(b, "units { length = 'm', time = 's' }", 0, NULL);
            taut_group(b, TAUT_SCALAR, "y", 1, &y);
            taut_script(b, "lagrangian(x[1].dot^2/2 - 10*x[1])", 1, &y);
            l = taut_script(b, "return contact('floor', x[1], { restitution = 0.5 })", 1, &y);
            taut_add(b, TAUT_ADD_OBSERVABLE, "push", 0, call(b, "*", taut_number(b, 2), l));
            taut_script(b, "draw { ball({0, x[1]}, 0.1) }", 1, &y);
            taut_start(b, y, taut_number(b, 1), 0);
            assert_int_equal(taut_model_finish(b, &model), 0);
        } else {
            assert_int_equal(taut_model_load_text(context, "ball", script, strlen(script), NULL, 0, &model), 0);
        }
        assert_int_equal(taut_simulation_create(context, model, NULL, &z), 0);
        assert_int_equal(run_to(z, 0.01, 1), 0);
        assert_int_equal(frame_of(z, x[i]), 0);
        assert_int_equal(columns_of(z), 10);
        taut_simulation_release(z);
        taut_model_release(model);
    }
    assert_memory_equal(x[0], x[1], 10 * sizeof(double));
    taut_builder *b = NULL;
    taut_model *model = NULL;
    taut_error error = { .size = sizeof error };
    assert_int_equal(taut_model_begin(context, NULL, &b), 0);
    taut_script(b, "return nobody(1)", 0, NULL);
    assert_int_equal(taut_model_finish(b, &model), TAUT_BAD_MODEL);
    taut_context_error(context, &error);
    assert_int_equal(error.line, 3);
    assert_int_equal(taut_model_begin(context, NULL, &b), 0);
    assert_int_equal(taut_script(b, "return 1", 1, &(taut_expr){ 77 }), 0);
    assert_int_equal(taut_model_finish(b, &model), TAUT_BAD_USAGE);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_of_the_language),
        cmocka_unit_test(built_is_written), cmocka_unit_test(hamiltonian_and_rotation),
        cmocka_unit_test(failures_pass_through), cmocka_unit_test(memory_may_end_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
