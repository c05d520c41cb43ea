/* Threads and the public interface: one model in many threads, clones that share what is compiled, objects that are
   released in other threads. Under ThreadSanitizer, too. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "support_library.h"

enum { THREADS = 8, MEMBERS = 100, FRAME = 32 };

static const char PENDULUM[] = "local a, v, u = point('a', 2), param('v', 0), input('u', 0)\n"
                               "lagrangian(norm2(a.dot)/2 - 9.81*a.y)\n"
                               "constraint('rod', norm2(a) - 1)\n"
                               "force(a, {u, 0})\n"
                               "start { a = {0, -1}, ['a.dot'] = {v, 0} }\n";
static const char BALL[] = "local y, v = coordinate 'y', param('v', 0)\n"
                           "lagrangian(y.dot^2/2 - 10*y)\n"
                           "contact('floor', y, { restitution = 0.5 })\n"
                           "start { y = 1, ['y.dot'] = v }\n";

typedef struct {
    taut_model *model;
    const taut_simulation *prototype;
    int first, every;
    int status;
    double (*frames)[FRAME];
} share;

static int member(taut_simulation *z, int i, double *frame)
{
    const double v = 0.05 * i, u = 0.1 * i;
    int status = taut_set(z, TAUT_PARAM, 0, 1, &v);
    if (!status && taut_count(z, TAUT_INPUT)) status = taut_set(z, TAUT_INPUT, 0, 1, &u);
    if (!status) status = run_to(z, 0.02, 0.6);
    return status ? status : frame_of(z, frame);
}

static void *simulate(void *user)
{
    share *s = user;
    taut_context *context = taut_context_create(NULL);
    taut_simulation *z = NULL;
    s->status = taut_simulation_create(context, s->model, NULL, &z);
    taut_model_release(s->model); /* its own reference: the simulation keeps it */
    for (int i = s->first; !s->status && i < MEMBERS; i += s->every) s->status = member(z, i, s->frames[i]);
    taut_simulation_release(z);
    taut_context_destroy(context);
    return NULL;
}

static void run_members(const char *text, int threads, double (*frames)[FRAME])
{
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    pthread_t ids[THREADS];
    share shares[THREADS];
    assert_int_equal(taut_model_load_text(context, "test", text, strlen(text), NULL, 0, &model), TAUT_OK);
    for (int i = 0; i < threads; i++) {
        shares[i] = (share){ taut_model_keep(model), NULL, i, threads, 0, frames };
        assert_int_equal(pthread_create(&ids[i], NULL, simulate, &shares[i]), 0);
    }
    taut_model_release(model); /* while they are at work */
    for (int i = 0; i < threads; i++) {
        pthread_join(ids[i], NULL);
        assert_int_equal(shares[i].status, TAUT_OK);
    }
    taut_context_destroy(context);
}

static void a_hundred_members_in_eight_threads(void **state)
{
    (void)state;
    static const char *const texts[] = { PENDULUM, BALL };
    for (int t = 0; t < 2; t++) {
        double(*one)[FRAME] = calloc(MEMBERS, sizeof *one), (*many)[FRAME] = calloc(MEMBERS, sizeof *many);
        run_members(texts[t], 1, one);
        run_members(texts[t], THREADS, many);
        assert_memory_equal(one, many, MEMBERS * sizeof *one);
        assert_memory_not_equal(one[1], one[2], sizeof *one);
        free(one);
        free(many);
    }
}

/* Each goes on under its own input. */
static void *go_on(void *user)
{
    share *s = user;
    taut_context *context = taut_context_create(NULL);
    taut_simulation *z = (taut_simulation *)s->prototype;
    const double u = s->first;
    s->status = taut_set(z, TAUT_INPUT, 0, 1, &u);
    if (!s->status) s->status = run_to(z, 0.01, 1);
    if (!s->status) s->status = frame_of(z, s->frames[s->first]);
    taut_simulation_release(z); /* in this thread, which did not make it */
    taut_context_destroy(context);
    return NULL;
}

static void clones_in_threads(void **state)
{
    (void)state;
    double frames[2][THREADS][FRAME] = { { { 0 } } };
    for (int together = 0; together < 2; together++) {
        taut_context *contexts[THREADS + 1];
        taut_model *model = NULL;
        taut_simulation *z = NULL, *clones[THREADS];
        pthread_t ids[THREADS];
        share shares[THREADS];
        contexts[THREADS] = taut_context_create(NULL);
        assert_int_equal(taut_model_load_text(contexts[THREADS], "test", PENDULUM, strlen(PENDULUM), NULL, 0, &model),
                         TAUT_OK);
        assert_int_equal(taut_simulation_create(contexts[THREADS], model, NULL, &z), TAUT_OK);
        assert_int_equal(run_to(z, 0.01, 0.3), TAUT_OK);
        for (int i = 0; i < THREADS; i++) {
            contexts[i] = taut_context_create(NULL);
            assert_int_equal(taut_simulation_clone(z, contexts[i], &clones[i]), TAUT_OK);
        }
        for (int i = 0; i < THREADS; i++) {
            shares[i] = (share){ NULL, clones[i], i, 1, 0, frames[together] };
            assert_int_equal(pthread_create(&ids[i], NULL, go_on, &shares[i]), 0);
            if (!together) pthread_join(ids[i], NULL);
        }
        taut_simulation_release(z); /* what the clones share lasts as long as they do */
        taut_model_release(model);
        taut_context_destroy(contexts[THREADS]);
        for (int i = 0; i < THREADS; i++) {
            if (together) pthread_join(ids[i], NULL);
            assert_int_equal(shares[i].status, TAUT_OK);
            taut_context_destroy(contexts[i]);
        }
    }
    assert_memory_equal(frames[0], frames[1], sizeof frames[0]);
    assert_memory_not_equal(frames[0][1], frames[0][2], sizeof frames[0][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hundred_members_in_eight_threads), cmocka_unit_test(clones_in_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
