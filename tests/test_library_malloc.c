/* A step allocates nothing: not from the context's allocator (test_library_state), and, here, nothing from malloc
   either, by whatever library it calls. malloc and its like are this program's own, which count in each thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <taut/taut.h>

#include <cmocka.h>

/* Sanitizers have a malloc of their own. */
#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define COUNTS 0
static long calls;
#else
#define COUNTS 1
static __thread long calls;

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

void *malloc(size_t size) { calls++; return __libc_malloc(size); }
void *calloc(size_t count, size_t size) { calls++; return __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { calls++; return __libc_realloc(block, size); }
void *aligned_alloc(size_t alignment, size_t size) { calls++; return __libc_memalign(alignment, size); }
#endif

#define OK(call) assert_int_equal((call), TAUT_OK)
enum { STEPS = 20, NUMBERS = 40000 };

typedef struct {
    const char *model, *method, *setting, *value;
    int native;
} situation;

static const char CART[] = "local x, a, u = coordinate 'x', coordinate 'a', input('u', 0)\n"
                           "lagrangian(1.1/2*x.dot^2 + 0.05*x.dot*a.dot*cos(a) + 0.025/2*a.dot^2 - 0.4905*cos(a))\n"
                           "force(x, u)\n"
                           "start { x = 0, a = 0.1 }\n";

/* Steps of all kinds, with what is read after them: how many allocations? */
static long allocations(taut_simulation *z, double *numbers, double h)
{
    const size_t positions = taut_count(z, TAUT_POSITION), inputs = taut_count(z, TAUT_INPUT);
    const size_t columns[] = { 0, 1, 2 };
    const long before = calls;
    double u = 0;
    for (int i = 0; i < STEPS; i++) {
        u += 0.01;
        if (inputs) OK(taut_set(z, TAUT_INPUT, 0, 1, &u));
        OK(taut_step(z, h));
        OK(taut_get(z, TAUT_POSITION, 0, positions, numbers, NULL));
        OK(taut_get(z, TAUT_VELOCITY, 0, positions, numbers, NULL));
    }
    taut_run run = { .size = sizeof run, .h = h, .until = taut_time(z) + STEPS * h, .columns = columns,
                     .column_count = 3, .rows = numbers, .row_capacity = NUMBERS / 3 };
    OK(taut_advance(z, &run));
    return calls - before;
}

static void check(const situation *s)
{
    taut_model *model = NULL;
    taut_simulation *z = NULL;
    taut_context *context = taut_context_create(NULL);
    const taut_setting setting = { s->setting, s->value, 0 };
    const taut_options options = { .size = sizeof options, .method = s->method, .native = s->native };
    double *numbers = malloc(NUMBERS * sizeof *numbers);
    assert_non_null(numbers);
    if (s->model)
        OK(taut_model_load_file(context, s->model, &setting, s->setting != NULL, &model));
    else
        OK(taut_model_load_text(context, "cart", CART, strlen(CART), NULL, 0, &model));
    OK(taut_simulation_create(context, model, &options, &z));
    allocations(z, numbers, 0.001); /* what is made when it is first needed */
    const long found = allocations(z, numbers, 0.001);
    if (found) fail_msg("%s under %s, native %d: %ld allocations in %d steps", s->model ? s->model : "cart", s->method,
                        s->native, found, 2 * STEPS);
    free(numbers);
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
}

static void steps_call_no_malloc(void **state)
{
    (void)state;
    static const situation list[] = {
        { NULL, "rattle", NULL, NULL, TAUT_NATIVE_OFF },
        { MODELS "/double-spherical-pendulum.lua", "rattle", NULL, NULL, TAUT_NATIVE_OFF },
        { MODELS "/double-spherical-pendulum.lua", "rattle", NULL, NULL, TAUT_NATIVE_AUTO },
        { MODELS "/double-spherical-pendulum.lua", "lobatto:s=3", NULL, NULL, TAUT_NATIVE_OFF },
        { MODELS "/double-spherical-pendulum.lua", "em", NULL, NULL, TAUT_NATIVE_OFF },
        { MODELS "/double-spherical-pendulum.lua", "extended:rk4", NULL, NULL, TAUT_NATIVE_OFF },
        { MODELS "/stewart-platform.lua", "rattle", NULL, NULL, TAUT_NATIVE_OFF },
        { MODELS "/truss.lua", "em", NULL, NULL, TAUT_NATIVE_OFF },
        { MODELS "/pyramid.lua", "rattle", NULL, NULL, TAUT_NATIVE_OFF },
        { MODELS "/hanging-chain.lua", "rattle", "N", "300", TAUT_NATIVE_OFF },
        { MODELS "/hanging-chain.lua", "em", "N", "300", TAUT_NATIVE_OFF },
        { MODELS "/hanging-chain.lua", "lobatto:s=3", "N", "100", TAUT_NATIVE_OFF },
    };
    if (!COUNTS) skip();
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) check(&list[i]);
}

/* And the count counts. */
static void the_count_counts(void **state)
{
    (void)state;
    if (!COUNTS) skip();
    const long before = calls;
    taut_context *context = taut_context_create(NULL);
    assert_true(calls > before);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(steps_call_no_malloc), cmocka_unit_test(the_count_counts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
