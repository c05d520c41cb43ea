/* A hundred simulations of one model in eight threads. Each thread has a context; the model is shared. */
#include <pthread.h>

#include "example.h"

enum { MEMBERS = 100, THREADS = 8 };

static const char text[] = "local a, v = point('a', 2), param('v', 0)\n"
                           "lagrangian(norm2(a.dot)/2 - 9.81*a.y)\n"
                           "constraint('rod', norm2(a) - 1)\n"
                           "start { a = {0, -1}, ['a.dot'] = {v, 0} }\n";

typedef struct {
    taut_model *model;
    int first;
    double *heights;
} share;

/* Members first, first + THREADS, ... */
static void *work(void *user)
{
    const share *s = user;
    taut_context *context = taut_context_create(NULL);
    taut_simulation *z = NULL;
    CHECK(context, taut_simulation_create(context, s->model, NULL, &z));
    for (int i = s->first; i < MEMBERS; i += THREADS) {
        const double v = 0.08 * i;
        CHECK(context, taut_set(z, TAUT_PARAM, 0, 1, &v));
        advance(context, z, 0.01, 1);
        s->heights[i] = get(context, z, TAUT_POSITION, 1);
    }
    taut_simulation_release(z);
    taut_context_destroy(context);
    return NULL;
}

int main(void)
{
    taut_context *context = taut_context_create(NULL);
    taut_model *model = load(context, "pendulum", text);
    pthread_t threads[THREADS];
    share shares[THREADS];
    double heights[MEMBERS];
    for (int i = 0; i < THREADS; i++) {
        shares[i] = (share){ model, i, heights };
        if (pthread_create(&threads[i], NULL, work, &shares[i])) return 1;
    }
    for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < MEMBERS; i += 20) printf("v = %.2f  y = %.4f\n", 0.08 * i, heights[i]);
    taut_model_release(model);
    taut_context_destroy(context);
    return 0;
}
