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

/* An ensemble is its members one by one, in any number of threads. */
static void an_ensemble(void **state)
{
    (void)state;
    enum { SIZE = 24, ROWS = 3, WIDTH = 3 };
    static const struct {
        const char *text;
        taut_vary vary[2];
    } cases[] = { { PENDULUM, { { TAUT_PARAM, 0 }, { TAUT_INPUT, 0 } } },
                  { PENDULUM, { { TAUT_INPUT, 0 }, { TAUT_INPUT, 0 } } },
                  { PENDULUM, { { TAUT_VELOCITY, 0 }, { TAUT_INPUT, 0 } } },
                  { BALL, { { TAUT_POSITION, 0 }, { TAUT_VELOCITY, 0 } } } };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        taut_context *context = taut_context_create(NULL);
        taut_model *model = NULL;
        taut_simulation *z = NULL;
        const size_t columns[] = { 0, 1, 2 };
        double rows[3][SIZE][ROWS][WIDTH], values[SIZE][2];
        int statuses[SIZE];
        taut_run run = { .size = sizeof run, .h = 0.02, .until = 0.2, .every = 5, .columns = columns,
                         .column_count = WIDTH, .row_capacity = ROWS };
        for (int i = 0; i < SIZE; i++) values[i][0] = 0.5 + 0.1 * i, values[i][1] = 0.2 * i;
        assert_int_equal(taut_model_load_text(context, "test", cases[c].text, strlen(cases[c].text), NULL, 0, &model),
                         TAUT_OK);
        assert_int_equal(taut_simulation_create(context, model, NULL, &z), TAUT_OK);
        static const int threads[] = { 0, 3, 8 };
        for (int t = 0; t < 3; t++) {
            memset(statuses, -1, sizeof statuses);
            if (taut_ensemble(z, &run, SIZE, cases[c].vary, 2, values[0], threads[t], rows[t][0][0], statuses))
                fail_msg("%s", taut_error_text(context));
            for (int i = 0; i < SIZE; i++) assert_int_equal(statuses[i], TAUT_OK);
            assert_memory_equal(rows[0], rows[t], sizeof rows[0]);
        }
        assert_true(taut_time(z) == 0);
        assert_memory_not_equal(rows[0][1], rows[0][2], sizeof rows[0][1]);
        if (c == 0) { /* one of them by hand */
            double one[ROWS][WIDTH];
            run.rows = one[0];
            assert_int_equal(taut_set(z, TAUT_PARAM, 0, 1, &values[7][0]), TAUT_OK);
            assert_int_equal(taut_set(z, TAUT_INPUT, 0, 1, &values[7][1]), TAUT_OK);
            assert_int_equal(taut_advance(z, &run), TAUT_OK);
            assert_memory_equal(one, rows[0][7], sizeof one);
        }
        taut_simulation_release(z);
        taut_model_release(model);
        taut_context_destroy(context);
    }
}

static void members_that_fail(void **state)
{
    (void)state;
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    taut_simulation *z = NULL;
    taut_run run = { .size = sizeof run, .h = 0.02, .until = 0.1, .row_capacity = 6 };
    const taut_vary vary = { TAUT_POSITION, 0 }, none = { TAUT_PARAM, 9 }, energy = { TAUT_ENERGY, 0 },
                    both[] = { { TAUT_VELOCITY, 0 }, { TAUT_MOMENTUM, 0 } };
    const double values[] = { 0, 0.5, 0, 0.7 }; /* the second and fourth are off the rod */
    int statuses[4];
    assert_int_equal(taut_model_load_text(context, "test", PENDULUM, strlen(PENDULUM), NULL, 0, &model), TAUT_OK);
    assert_int_equal(taut_simulation_create(context, model, NULL, &z), TAUT_OK);
    const size_t width = columns_of(z);
    double *rows = calloc(4 * 6 * width, sizeof *rows);
    assert_int_equal(taut_ensemble(z, &run, 4, &vary, 1, values, 2, rows, statuses), TAUT_BAD_MODEL);
    assert_non_null(strstr(taut_error_text(context), "member 1: "));
    assert_true(!statuses[0] && statuses[1] == TAUT_BAD_MODEL && !statuses[2] && statuses[3] == TAUT_BAD_MODEL);
    assert_true(rows[0] == 0 && rows[6 * width] != rows[6 * width]); /* NaN */
    assert_int_equal(taut_ensemble(z, &run, 4, &none, 1, values, 2, rows, NULL), TAUT_BAD_USAGE);
    assert_int_equal(taut_ensemble(z, &run, 4, &energy, 1, values, 2, rows, NULL), TAUT_BAD_USAGE);
    assert_int_equal(taut_ensemble(z, &run, 2, both, 2, values, 2, rows, NULL), TAUT_BAD_USAGE);
    assert_int_equal(taut_ensemble(z, &run, 4, &vary, 1, values, 65, rows, NULL), TAUT_BAD_USAGE);
    assert_int_equal(taut_ensemble(z, &run, 0, &vary, 1, values, 2, rows, NULL), TAUT_OK);
    free(rows);
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
}

/* ---- functions of the program ---- */

/* r^4/4 of the distance, from two points; fails for the last links where it is told to. */
static int quartic(void *user, int order, const double *x, double *value, double *gradient, double *hessian)
{
    const double dx = x[2] - x[0], dy = x[3] - x[1], r = dx * dx + dy * dy, d[4] = { -dx, -dy, dx, dy };
    *value = r * r / 4;
    for (int i = 0; order > 0 && i < 4; i++) gradient[i] = r * d[i];
    for (int i = 0; order > 1 && i < 4; i++)
        for (int j = 0; j < 4; j++)
            hessian[4 * i + j] = 2 * d[i] * d[j] + (i == j ? r : i % 2 == j % 2 ? -r : 0);
    return user && x[0] > *(const double *)user ? 5 : 0;
}

/* A chain of so many springs that the threads of a step share them; all of them call, and many of them fail. */
static const char SPRINGS[] = "local before = point('a0', 2)\nstart { a0 = {0, 0} }\nlagrangian(norm2(before.dot)/2)\n"
                              "for i = 1, 2000 do\n  local a = point('a' .. i, 2)\n"
                              "  lagrangian(norm2(a.dot)/2 - a.y - call('quartic', before, a))\n"
                              "  start { [a] = {i, 0.3*(i % 3)} }\n  before = a\nend\n";

static void functions_in_the_threads_of_a_step(void **state)
{
    enum { N = 4002 };
    double *x[2] = { calloc(N, sizeof(double)), calloc(N, sizeof(double)) }, none = 1e9, some = 500;
    (void)state;
    for (int i = 0; i < 2; i++) {
        taut_context *context = taut_context_create(NULL);
        taut_model *model = NULL;
        taut_simulation *z = NULL;
        double limit = none;
        const taut_options options = { .size = sizeof options, .method = "lobatto:s=2", .threads = i ? 4 : 1 };
        assert_int_equal(taut_define(context, "quartic", 4, 2, quartic, &limit), 0);
        assert_int_equal(taut_model_load_text(context, "springs", SPRINGS, strlen(SPRINGS), NULL, 0, &model), 0);
        assert_int_equal(taut_simulation_create(context, model, &options, &z), 0);
        assert_int_equal(run_to(z, 0.01, 0.03), 0);
        assert_int_equal(taut_get(z, TAUT_POSITION, 0, N, x[i], NULL), 0);
        limit = some; /* fifteen hundred fail, in all threads */
        assert_int_equal(taut_step(z, 0.01), TAUT_REFUSED);
        assert_non_null(strstr(taut_error_text(context), "'quartic' failed with status 5"));
        limit = none;
        assert_int_equal(taut_step(z, 0.01), 0);
        taut_simulation_release(z);
        taut_model_release(model);
        taut_context_destroy(context);
    }
    assert_memory_equal(x[0], x[1], N * sizeof(double));
    free(x[0]);
    free(x[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_in_the_threads_of_a_step),
        cmocka_unit_test(a_hundred_members_in_eight_threads), cmocka_unit_test(clones_in_threads),
        cmocka_unit_test(an_ensemble), cmocka_unit_test(members_that_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
