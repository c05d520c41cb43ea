/* The public interface (taut.h): events of contacts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include "support_library.h"

#include "support_allocator.h"

/* A ball that falls from 1 with g = 2: it hits the ground at t = 1 with speed 2. RATTLE is exact in a constant
   field. */
static const char ball[] = "local y = coordinate 'y'\n"
                           "lagrangian(3/2*y.dot^2 - 3*2*y)\n"
                           "contact('ground', y, {restitution = 0.5})\n"
                           "start { y = 1 }\n";

typedef struct {
    taut_simulation *simulation;
    int count, stop_at;
    int jump_at;               /* leaves by longjmp */
    jmp_buf out;
    taut_event last;
    double time, velocity;     /* of the simulation, when it is called */
    double event_velocity, event_time, event_low;
} listener;

static int listen(void *user, const taut_event *event)
{
    listener *l = user;
    double frame[32];
    assert_in_range(columns_of(l->simulation), 1, 32);
    assert_int_equal(frame_of(l->simulation, frame), TAUT_OK);
    long column = column_of(l->simulation, "y.dot");
    l->last = *event;
    l->time = taut_time(l->simulation);
    l->velocity = frame[column];
    l->event_time = event->frame[0];
    l->event_velocity = event->frame[column];
    l->event_low = event->frame_low[0];
    if (++l->count == l->jump_at) longjmp(l->out, 1);
    return l->count == l->stop_at ? TAUT_UNSUPPORTED : TAUT_OK;
}

static taut_simulation *open_ball(taut_context *context, const char *precision, taut_model **model)
{
    taut_simulation *simulation = NULL;
    taut_options options = { .size = sizeof options };
    options.precision = precision;
    assert_int_equal(taut_model_load_text(context, "ball", ball, strlen(ball), NULL, 0, model), TAUT_OK);
    assert_int_equal(taut_simulation_create(context, *model, &options, &simulation), TAUT_OK);
    return simulation;
}

static void tell(const char *precision)
{
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    taut_simulation *simulation = open_ball(context, precision, &model);
    listener l = { .simulation = simulation };
    taut_events(simulation, listen, &l);
    assert_int_equal(run_to(simulation, 0.03, 0.9), TAUT_OK);
    assert_int_equal(l.count, 0);
    assert_int_equal(run_to(simulation, 0.03, 1.2), TAUT_OK);
    assert_int_equal(l.count, 1);
    /* a few ulps of numbers of about 1 */
    assert_true(fabs(l.last.time - 1) < 1e-14);
    assert_true(l.event_time == l.last.time);
    assert_true(fabs(l.event_low) <= 1.2e-16); /* half a unit in the last place of 1 */
    assert_true(strcmp(precision, "double") != 0 || l.event_low == 0);
    assert_string_equal(l.last.contact, "ground");
    assert_string_equal(l.last.kind, "impact");
    assert_true(fabs(l.last.impulse - 3 * 2 * 1.5) < 1e-13); /* m u (1 + e) */
    assert_true(fabs(l.event_velocity - 1) < 1e-14);         /* e u, just after */
    /* and the simulation was at the end of the step: 34 steps, and the velocity less by g times what was left of
       the last one */
    assert_true(fabs(l.time - 1.02) < 1e-14);
    assert_true(fabs(l.velocity - (1 - 2 * 0.02)) < 1e-13);
    /* to the end of its jumps, each half as long as the one before: 1 + 1 + 1/2 + .. = 3 */
    assert_int_equal(run_to(simulation, 0.03, 3.1), TAUT_OK);
    assert_string_equal(l.last.kind, "rest");
    assert_true(l.last.impulse == 0);
    assert_true(fabs(l.last.time - 3) < 1e-6); /* sqrt(eps), docs/contacts.md */
    taut_simulation_release(simulation);
    taut_model_release(model);
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

/* A status that the callback returns is that of the step, which is taken back. NULL disables the callback. */
static void listener_may_stop(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    taut_simulation *simulation = open_ball(context, "double", &model);
    listener l = { .simulation = simulation, .stop_at = 1 };
    double before[32], after[32];
    taut_events(simulation, listen, &l);
    assert_int_equal(run_to(simulation, 0.25, 0.75), TAUT_OK);
    assert_int_equal(frame_of(simulation, before), TAUT_OK);
    assert_int_equal(taut_step(simulation, 0.5), TAUT_UNSUPPORTED);
    assert_int_equal(l.count, 1);
    assert_int_equal(frame_of(simulation, after), TAUT_OK);
    assert_memory_equal(before, after, columns_of(simulation) * sizeof(double));
    taut_events(simulation, NULL, NULL);
    assert_int_equal(taut_step(simulation, 0.5), TAUT_OK);
    assert_int_equal(l.count, 1);
    taut_simulation_release(simulation);
    taut_model_release(model);
    taut_context_destroy(context);
}

/* What a listener refuses has not happened, not even for the counts: the same step again gives the same, bit by
   bit, as without it. */
static void a_refused_step_leaves_no_trace(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL, *other = NULL;
    taut_simulation *simulation = open_ball(context, "double", &model);
    taut_simulation *undisturbed = open_ball(context, "double", &other);
    listener l = { .simulation = simulation, .stop_at = 2 };
    double one[32], two[32];
    taut_events(simulation, listen, &l);
    /* impacts at 1, 2, 2.5, 2.75, ...: the step to 2.6 holds three of them */
    assert_int_equal(taut_step(simulation, 2.6), TAUT_UNSUPPORTED);
    assert_int_equal(l.count, 2);
    assert_non_null(strstr(taut_error_text(context), "impact"));
    assert_non_null(strstr(taut_error_text(context), "ground"));
    assert_true(taut_time(simulation) == 0);
    assert_int_equal(steps_of(simulation), 0);
    l.stop_at = 0;
    assert_int_equal(taut_step(simulation, 2.6), TAUT_OK);
    assert_int_equal(l.count, 5);
    assert_string_equal(taut_error_text(context), "");
    assert_int_equal(taut_step(undisturbed, 2.6), TAUT_OK);
    assert_int_equal(frame_of(simulation, one), TAUT_OK);
    assert_int_equal(frame_of(undisturbed, two), TAUT_OK);
    assert_memory_equal(one, two, columns_of(simulation) * sizeof(double));
    assert_int_equal(steps_of(simulation), 1);
    taut_simulation_release(simulation);
    taut_simulation_release(undisturbed);
    taut_model_release(model);
    taut_model_release(other);
    taut_context_destroy(context);
}

/* A listener that never returns (a longjmp; an exception: exception.cpp) leaves the simulation at the end of a
   step, whole: it goes on like one without a callback, and only new events are reported. */
static void a_listener_may_jump_out(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL, *other = NULL;
    taut_simulation *simulation = open_ball(context, "double", &model);
    taut_simulation *undisturbed = open_ball(context, "double", &other);
    listener l = { .simulation = simulation, .jump_at = 1 };
    double one[32], two[32];
    size_t size = columns_of(simulation) * sizeof(double);
    volatile int jumped = 0;
    taut_events(simulation, listen, &l);
    if (setjmp(l.out)) jumped = 1;
    else run_to(simulation, 2.6, 5.2);
    assert_true(jumped);
    assert_int_equal(l.count, 1); /* of the three events of that step */
    assert_true(taut_time(simulation) == 2.6);
    assert_int_equal(taut_step(undisturbed, 2.6), TAUT_OK);
    assert_int_equal(frame_of(simulation, one), TAUT_OK);
    assert_int_equal(frame_of(undisturbed, two), TAUT_OK);
    assert_memory_equal(one, two, size);
    assert_int_equal(taut_step(simulation, 0.1), TAUT_OK);
    assert_int_equal(l.count, 1); /* nothing happens before 2.75 */
    assert_int_equal(taut_step(simulation, 0.1), TAUT_OK);
    assert_int_equal(l.count, 2);
    assert_true(fabs(l.last.time - 2.75) < 1e-13);
    assert_int_equal(taut_step(undisturbed, 0.1), TAUT_OK);
    assert_int_equal(taut_step(undisturbed, 0.1), TAUT_OK);
    assert_int_equal(frame_of(simulation, one), TAUT_OK);
    assert_int_equal(frame_of(undisturbed, two), TAUT_OK);
    assert_memory_equal(one, two, size);
    taut_simulation_release(simulation);
    taut_simulation_release(undisturbed);
    taut_model_release(model);
    taut_model_release(other);
    taut_context_destroy(context);
}

/* Memory that ends while an event is kept: the step fails and is as before. */
static void no_memory_for_an_event(void **state)
{
    (void)state;
    for (long k = 1, failed = 1; failed; k++) {
        counter c = { 0 };
        const taut_allocator allocator = { counted_resize, &c };
        taut_context *context = taut_context_create(&allocator);
        taut_model *model = NULL;
        taut_simulation *simulation = open_ball(context, "double", &model);
        listener l = { .simulation = simulation };
        taut_events(simulation, listen, &l);
        assert_true(column_of(simulation, "y.dot") > 0); /* the names are there: the listener allocates nothing */
        c.fail_at = c.calls + k;
        c.fail_count = 1;
        int status = taut_step(simulation, 2.6);
        failed = c.failures;
        assert_int_equal(status, failed ? TAUT_OUT_OF_MEMORY : TAUT_OK);
        assert_int_equal(l.count, failed ? 0 : 3);
        assert_true(taut_time(simulation) == (failed ? 0 : 2.6));
        assert_int_equal(run_to(simulation, 2.6, 2.6), TAUT_OK);
        assert_int_equal(l.count, 3);
        taut_simulation_release(simulation);
        taut_model_release(model);
        taut_context_destroy(context);
        if (c.live) print_error("allocation %ld: %ld blocks leak\n", k, c.live);
        assert_int_equal(c.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_told), cmocka_unit_test(listener_may_stop),
        cmocka_unit_test(a_refused_step_leaves_no_trace),
        cmocka_unit_test(a_listener_may_jump_out), cmocka_unit_test(no_memory_for_an_event),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
