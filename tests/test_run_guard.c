/* The guard of a run (run/guard.h): runs that compute nothing of their model end with a message, and runs with large
   but honest errors go on. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <string.h>

#include "run/run.h"

/* ended: a part of the message, or NULL; status 0 then. */
static void run_from(start_mode start, const char *name, const char *text, const char *method, double step,
                     double until, const char *ended)
{
    taut_context *context = taut_context_create(NULL);
    const engine_api *api = &taut_engine_double;
    model *m = NULL;
    void *engine = NULL;
    run_result result = { 0 };
    const engine_options e = { .method = method, .step = taut_wide_from_double(step), .start = start };
    const run_options options = { .step = taut_wide_from_double(step), .until = taut_wide_from_double(until),
                                  .samples = 20000 };
    int status = taut_model_read_text(context, name, text, strlen(text), NULL, 0, &m);
    if (!status) status = api->create(m, &e, &engine);
    if (!status) status = taut_run_loop(context, api, engine, &options, &result);
    if (!status != !ended) fail_msg("%s under %s: status %d: %s", name, method, status, taut_error_text(context));
    if (ended && !strstr(taut_error_text(context), ended))
        fail_msg("%s under %s: no '%s' in: %s", name, method, ended, taut_error_text(context));
    taut_run_result_clear(context, &result);
    if (engine) api->destroy(engine);
    taut_model_free(m);
    taut_context_destroy(context);
}

static void run(const char *name, const char *text, const char *method, double step, double until, const char *ended)
{
    run_from(START_STRICT, name, text, method, step, until, ended);
}

static const char collision[] = "local q = point('q', 2)\n"
                                "lagrangian(norm2(q.dot)/2 + 1/norm(q))\n"
                                "start { q = {1, 0} }\n";
/* The Pythagorean three bodies of Burrau: a close encounter at t = 1.88. */
static const char burrau[] =
    "local m, x, q = {3, 4, 5}, {{1, 3}, {-2, -1}, {1, -1}}, {}\n"
    "for i = 1, 3 do q[i] = point('q' .. i, 2) lagrangian(m[i]/2*norm2(q[i].dot)) start { ['q' .. i] = x[i] } end\n"
    "for i = 1, 3 do for j = i + 1, 3 do lagrangian(m[i]*m[j]/norm(q[i] - q[j])) end end\n";

static void energy_that_stays_wrong(void **unused)
{
    (void)unused;
    run("collision", collision, "rattle", 0.01, 10, "the energy has changed by");
    run("collision", collision, "lobatto", 0.01, 10, "the energy has changed by");
    run("burrau", burrau, "rattle", 0.001, 3, "the energy has changed by");
    run("burrau", burrau, "lobatto:s=4", 0.00005, 2, NULL); /* which follow the encounter */
}

static const char eccentric[] = "local q = point('q', 2)\n" /* e = 0.9: at the pericentre the energy is off for a while */
                                "lagrangian(norm2(q.dot)/2 + 1/norm(q))\n"
                                "start { q = {1, 0}, ['q.dot'] = {0, 0.316} }\n";
/* Motion that forces stop, whose work the trapezoidal rule overestimates: step times damping is 1. */
static const char stiff_damper[] = "local x, y = coordinate 'x', coordinate 'y'\n"
                                   "lagrangian(x.dot^2/2 + y.dot^2/2 - x^2/2 - (y - x)^2/2*100)\n"
                                   "force(y, -100*(y.dot - x.dot)) force(x, 100*(y.dot - x.dot))\n"
                                   "start { x = 1, y = 0 }\n";
static const char at_rest[] = "local a = point('a', 2)\n"
                              "lagrangian(norm2(a.dot)/2 - 9.81*a.y)\n"
                              "constraint('rod', norm2(a) - 1)\n"
                              "start { a = {0.6, -0.8} }\n";

/* Nothing moves; the energies are rounding errors, which damping in joints of such light bodies makes larger. */
static const char light_hinge[] =
    "local a = body('a', { mass = 0.032, inertia = {4.9e-06, 4.4e-06, 3.1e-06}, at = {0.0386, -0.0083, 0.1175},\n"
    "  turned = {-0.707106781187, -4.24264068706e-06, -0.707106781174, 1.27e-11} })\n"
    "local b = body('b', { mass = 0.037, inertia = {8.3e-06, 8.2e-06, 5.4e-06}, at = {0.0752, -0.0078, 0.1141},\n"
    "  turned = {-0.520743433494, -1.56e-06, -0.85371322847, -2.56e-06} })\n"
    "revolute('j', a, b, { at = {0.0461, -0.0228, 0.1195}, axis = {-1.8e-11, -1, -6e-06},\n"
    "  angle = { damping = 0.03 } })\n";

static void honest_errors(void **unused)
{
    (void)unused;
    run("light hinge", light_hinge, "rattle", 0.01, 10, NULL);
    run("light hinge", light_hinge, "lobatto:s=3", 0.01, 10, NULL);
    run("eccentric", eccentric, "rattle", 0.01, 50, NULL);
    run("eccentric", eccentric, "euler", 0.002, 50, NULL);
    run("stiff damper", stiff_damper, "rattle", 0.01, 10, NULL);
    run("swings", at_rest, "shake", 0.05, 20, NULL);
    run("swings", at_rest, "euler", 0.05, 20, NULL);
}

static const char kinked[] = "local a, t = point('a', 2), time()\n" /* constraints differentiated twice do not see it */
                             "lagrangian(norm2(a.dot)/2 - 9.81*a.y)\n"
                             "constraint('rod', a.x - max(0, t - 0.505))\n"
                             "start { a = {0, 0} }\n";
static const char swing[] = "local a = point('a', 2)\n"
                            "lagrangian(norm2(a.dot)/2 - 9.81*a.y)\n"
                            "constraint('rod', norm2(a) - 1)\n"
                            "start { a = {1, 0} }\n";
static const char hanging[] = "local a = point('a', 2)\n"
                              "lagrangian(norm2(a.dot)/2 - 9.81*a.y)\n"
                              "constraint('rod', norm2(a) - 1)\n"
                              "start { a = {0, -1} }\n";

static void constraints_that_are_not_met(void **unused)
{
    (void)unused;
    run("kinked", kinked, "naive", 0.01, 1, "constraint 'rod' is not met any more: it is");
    run("kinked", kinked, "dirac", 0.01, 1, "constraint 'rod' is not met any more: its derivative");
    run("kinked", kinked, "em", 0.01, 1, NULL);
    run("swing", swing, "extended", 0.01, 60, "constraint 'rod' is not met any more");
    run("swing", swing, "extended", 0.01, 10, NULL); /* a drift */
    run("swing", swing, "naive", 0.01, 20, NULL);
    run("hanging", hanging, "shake", 0.01, 10, NULL); /* whose velocities are off by its construction */
    run("hanging", hanging, "rattle", 0.01, 10, NULL);
}

/* dirac stays off the constraint by as much as it starts, naive leaves it at a constant rate, and extended oscillates
   about it, where the forces of the constraint do work. */
static void starts_off_the_constraints(void **unused)
{
    (void)unused;
    static const char off[] = "local a = point('a', 2)\n"
                              "lagrangian(norm2(a.dot)/2 - a.y)\n"
                              "constraint('rod', norm2(a) - 1)\n"
                              "start { a = {2, 0} }\n";
    run_from(START_AS_IS, "off", off, "dirac:gauss", 0.1, 2, NULL);
    run_from(START_AS_IS, "off", off, "extended", 0.01, 2, NULL);
    run_from(START_AS_IS, "off", off, "naive", 0.01, 2, NULL);
}

static const char fast[] = "local y = coordinate 'y'\n"
                           "local z = momentum(y)\n"
                           "rate(y, z) rate(z, -100*y)\n"
                           "start { y = 1, ['p.y'] = 0 }\n";
static const char grows[] = "local y = coordinate 'y'\n"
                            "local z = momentum(y)\n"
                            "rate(y, y) rate(z, z/2)\n"
                            "start { y = 1, ['p.y'] = 1e-3 }\n";

static void growth_of_rates(void **unused)
{
    (void)unused;
    run("fast", fast, "rattle", 0.3, 100, "one more step is off from the exact solution");
    run("fast", fast, "euler", 0.21, 100, "one more step is off from the exact solution");
    run("fast", fast, "rattle", 0.15, 100, NULL);
    run("grows", grows, "rattle", 0.1, 40, NULL); /* e^40 is 2e17 */
    run("grows", grows, "euler", 0.1, 40, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_that_stays_wrong),
        cmocka_unit_test(honest_errors),
        cmocka_unit_test(constraints_that_are_not_met),
        cmocka_unit_test(starts_off_the_constraints),
        cmocka_unit_test(growth_of_rates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
