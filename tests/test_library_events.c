/* The public interface (taut.h): events of contacts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <taut/taut.h>

/* A ball that falls from 1 with g = 2: it hits the ground at t = 1 with speed 2. RATTLE is exact in a constant field. */
static const char ball[] = "local y = coordinate 'y'\n"
                           "lagrangian(3/2*y.dot^2 - 3*2*y)\n"
                           "contact('ground', y, {restitution = 0.5})\n"
                           "start { y = 1 }\n";

typedef struct {
    taut_simulation *simulation;
    int count, stop_at;
    taut_event last;
    double time, velocity;
} listener;

static int listen(void *user, const taut_event *event)
{
    listener *l = user;
    double frame[32];
    assert_in_range(taut_simulation_columns(l->simulation), 1, 32);
    assert_int_equal(taut_simulation_frame(l->simulation, frame), TAUT_OK);
    l->last = *event;
    l->time = taut_simulation_time(l->simulation);
    l->velocity = frame[taut_simulation_column(l->simulation, "y.dot")];
    return ++l->count == l->stop_at ? TAUT_UNSUPPORTED : TAUT_OK;
}

static taut_simulation *open_ball(taut_context *context, const char *precision, taut_model **model)
{
    taut_simulation *simulation = NULL;
    taut_simulation_options options = taut_simulation_options_default();
    options.precision = precision;
    assert_int_equal(taut_model_load_text(context, "ball", ball, strlen(ball), NULL, 0, model), TAUT_OK);
    assert_int_equal(taut_simulation_create(*model, &options, &simulation), TAUT_OK);
    return simulation;
}

static void tell(const char *precision)
{
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    taut_simulation *simulation = open_ball(context, precision, &model);
    listener l = { .simulation = simulation };
    taut_simulation_events(simulation, listen, &l);
    assert_int_equal(taut_simulation_run(simulation, 0.03, 0.9), TAUT_OK);
    assert_int_equal(l.count, 0);
    assert_int_equal(taut_simulation_run(simulation, 0.03, 1.2), TAUT_OK);
    assert_int_equal(l.count, 1);
    /* some roundings of numbers of about 1 */
    assert_true(fabs(l.last.time - 1) < 1e-14);
    assert_true(l.time == l.last.time);
    assert_string_equal(l.last.contact, "ground");
    assert_string_equal(l.last.kind, "impact");
    assert_true(fabs(l.last.impulse - 3 * 2 * 1.5) < 1e-13); /* m u (1 + e) */
    assert_true(fabs(l.velocity - 1) < 1e-14);               /* e u, just after */
    /* to the end of its jumps, each half as long as the one before: 1 + 1 + 1/2 + .. = 3 */
    assert_int_equal(taut_simulation_run(simulation, 0.03, 3.1), TAUT_OK);
    assert_string_equal(l.last.kind, "rest");
    assert_true(l.last.impulse == 0);
    assert_true(fabs(l.last.time - 3) < 1e-6); /* sqrt(eps), docs/contacts.md */
    taut_simulation_destroy(simulation);
    taut_model_destroy(model);
    taut_context_destroy(context);
}

static void events_are_told(void **state)
{
    (void)state;
    tell("double");
#ifdef TAUT_HAVE_QUAD
    tell("quad");
#endif
}

/* A status from the callback is that of the step, which has not been then; nobody is told any more when nobody is to be. */
static void listener_may_stop(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    taut_simulation *simulation = open_ball(context, "double", &model);
    listener l = { .simulation = simulation, .stop_at = 1 };
    double before[32], after[32];
    taut_simulation_events(simulation, listen, &l);
    assert_int_equal(taut_simulation_run(simulation, 0.25, 0.75), TAUT_OK);
    assert_int_equal(taut_simulation_frame(simulation, before), TAUT_OK);
    assert_int_equal(taut_simulation_step(simulation, 0.5), TAUT_UNSUPPORTED);
    assert_int_equal(l.count, 1);
    assert_int_equal(taut_simulation_frame(simulation, after), TAUT_OK);
    assert_memory_equal(before, after, taut_simulation_columns(simulation) * sizeof(double));
    taut_simulation_events(simulation, NULL, NULL);
    assert_int_equal(taut_simulation_step(simulation, 0.5), TAUT_OK);
    assert_int_equal(l.count, 1);
    taut_simulation_destroy(simulation);
    taut_model_destroy(model);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(events_are_told), cmocka_unit_test(listener_may_stop) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
