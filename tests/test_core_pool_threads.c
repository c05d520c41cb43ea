/* Steps of large systems by one thread and by several: the same bits. The systems are large enough for all loops to be
   cut into pieces; under ThreadSanitizer no two pieces touch the same memory. */
#include "support.h"

/* Links: above POOL_NUMBERS coordinates and some chunks of fields (field/cuts.c); and so many that kernels with one
   instance a link are cut, too, and chains are long ones (linalg/linear_ldl_chain.c). */
#define SOME "2500"
#define MANY (QUAD ? SOME : "12500")

/* Sanitizers make everything some ten times slower: one number of threads, one step. */
#if SANITIZED || defined(__SANITIZE_THREAD__) || QUAD
#define BRIEF 1
#else
#define BRIEF 0
#endif

/* A bent chain; its masses, what else belongs to a link, what comes after. */
#define CHAIN(kinetic, link, tail)                                                              \
    "local N, t = option('N', 100), time()\n"                                                   \
    "local g, d, k = param('g', 9.81), param('d', 0.8), param('k', 400)\n"                      \
    "local before, second, x, z = origin, nil, 0, 0\n"                                          \
    "for i = 1, N do local a, m = point('a'..i), 1 + i % 4/8\n"                                 \
    "  x, z = x + cos(0.3*sin(i)), z + sin(0.3*sin(i))\n"                                       \
    "  " kinetic "\n  " link "\n"                                                               \
    "  start { ['a'..i] = {x, 0, z} }\n"                                                        \
    "  second, before = before, a end\n" tail
#define EQUAL "lagrangian(norm2(a.dot)/2 - g*a.z)"
#define L_PART "lagrangian(m*norm2(a.dot)/2 - m*g*a.z)"
#define H_PART "hamiltonian(norm2(momentum(a))/(2*m) + m*g*a.z)"
#define BAR "constraint('bar'..i, norm2(a - before) - 1)\n"
#define ROOT "constraint('bar'..i, norm(a - before) - 1)\n" /* not for method/points.h, which has no threads */
#define SPRING "if second and i > 2 then lagrangian(-k/2*(norm(a - second) - 1.9)^2) end\n"

static const struct {
    const char *name, *text, *method, *links;
    int steps, brief; /* brief: 1 also where it is slow, 2 also in quad */
} cases[] = {
    { "equal masses", CHAIN(EQUAL, BAR, ""), "rattle", MANY, 4, 2 },
    { "equal masses, roots", CHAIN(EQUAL, ROOT, ""), "rattle", MANY, 4, 2 },
    { "equal masses, roots", CHAIN(EQUAL, ROOT, ""), "shake", MANY, 3, 0 },
    { "masses, roots", CHAIN(L_PART, ROOT, ""), "rattle", MANY, 4, 0 },
    { "springs, roots", CHAIN(L_PART, ROOT SPRING, ""), "rattle", MANY, 3, 2 },
    { "gaps, roots", CHAIN(L_PART, "if i % 1000 ~= 0 then " ROOT " end", ""), "rattle", MANY, 4, 1 },
    { "moving pin", CHAIN(L_PART, "if i > 1 then " BAR " else constraint('bar1', norm2(a - "
                                  "vector{sin(t)/10 - t/10, 0, 0}) - 1) end", ""), "rattle", SOME, 4, 0 },
    { "coupled masses", CHAIN(L_PART "; lagrangian(a.x.dot*a.y.dot/5)", BAR, ""), "rattle", SOME, 4, 0 },
    { "Hamiltonian", CHAIN(H_PART, BAR, ""), "rattle", SOME, 4, 0 },
    { "drag", CHAIN(L_PART, BAR "force(a, -d*a.dot)", ""), "rattle", SOME, 3, 1 },
    { "springs", CHAIN(L_PART, BAR SPRING, ""), "em", MANY, 2, 2 },
    { "springs", CHAIN(L_PART, BAR SPRING, ""), "lobatto:s=3", SOME, 2, 1 },
    { "drag", CHAIN(L_PART, BAR "force(a, -d*a.dot)", ""), "lobatto:s=2", SOME, 2, 0 },
    { "springs", CHAIN(L_PART, BAR SPRING, ""), "galerkin", SOME, 2, 0 },
    { "masses", CHAIN(L_PART, BAR, ""), "del", SOME, 2, 0 },
    { "masses", CHAIN(L_PART, BAR, ""), "dirac:rk4", SOME, 2, 1 },
    { "masses", CHAIN(L_PART, BAR, ""), "compose:rattle,order=4", SOME, 2, 0 },
    /* each mass slides on a plane, with friction that its multiplier brings about */
    { "friction", CHAIN(L_PART, "local n = constraint('floor'..i, a.z - z)\n"
                                "force(a, -0.2*n/sqrt(norm2(a.dot) + 1e-2)*a.dot)\n"
                                "if i > 1 then lagrangian(-k/2*norm2(a - before - vector{1, 0, 0})) end", ""),
      "euler", SOME, 2, 1 },
};

/* Of the moderate ones. */
enum { ANY = 6 };

static simulation *open_case(taut_context *context, size_t i, int threads)
{
    definition n = { "N", cases[i].links, 0 };
    const engine_options options = { .method = cases[i].method, .threads = threads, .native = TAUT_NATIVE_OFF };
    model *m = NULL;
    simulation *z = NULL;
    int status = taut_model_read_text(context, "test.lua", cases[i].text, strlen(cases[i].text), &n, 1, &m);
    if (!status) status = X(simulation_create)(m, &options, &z);
    if (status) fail_msg("%s, %s: %s", cases[i].name, cases[i].method, taut_error_text(context));
    assert_int_equal(taut_pool_threads(z->pool), threads);
    return z;
}

static void close_case(simulation *z)
{
    model *m = z->m;
    X(simulation_destroy)(z);
    taut_model_free(m);
}

static void step_on(simulation *z, size_t i, int count)
{
    for (int k = 0; k < count; k++)
        if (X(simulation_step)(z, (real)1e-3))
            fail_msg("%s, %s: %s", cases[i].name, cases[i].method, taut_error_text(z->m->context));
}

static void compare(size_t i, const simulation *a, const simulation *b, int threads)
{
    size_t count = X(state_size)(&a->x);
    assert_int_equal(count, X(state_size)(&b->x));
    for (size_t k = 0; k < count; k++)
        if (memcmp(&a->x.block[k], &b->x.block[k], sizeof(real)))
            fail_msg("%s, %s: number %zu of %zu is other with %d threads: %.17g and %.17g", cases[i].name,
                     cases[i].method, k, count, threads, (double)a->x.block[k], (double)b->x.block[k]);
}

static void same_bits(void **unused)
{
    (void)unused;
    static const int threads[] = { 3, 2, 8 };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (cases[i].brief < BRIEF + QUAD) continue;
        int steps = BRIEF ? 1 : cases[i].steps;
        taut_context *context = taut_context_create(NULL);
        simulation *one = open_case(context, i, 1);
        real before = one->x.q[2];
        step_on(one, i, steps);
        assert_true(one->x.q[2] != before || strcmp(cases[i].name, "friction") == 0); /* it moves */
        for (size_t k = 0; k < sizeof threads / sizeof *threads; k++) {
            if (BRIEF && k) break;
            simulation *several = open_case(context, i, threads[k]);
            step_on(several, i, steps);
            compare(i, one, several, threads[k]);
            close_case(several);
        }
        close_case(one);
        taut_context_destroy(context);
    }
}

/* A run of two threads goes on with one and with three. */
static void goes_on_with_others(void **unused)
{
    (void)unused;
    taut_context *context = taut_context_create(NULL);
    simulation *whole = open_case(context, ANY, 1), *first = open_case(context, ANY, 2);
    simulation *second = open_case(context, ANY, 3);
    const int steps = BRIEF ? 1 : 3;
    step_on(whole, ANY, 2 * steps);
    step_on(first, ANY, steps);
    X(state_copy)(&first->x, &second->x);
    engine_counts counts = { .steps = steps };
    X(simulation_restored)(second, &counts);
    step_on(second, ANY, steps);
    compare(ANY, whole, second, 3);
    close_case(whole);
    close_case(first);
    close_case(second);
    taut_context_destroy(context);
}

/* A step that fails: the same message, and the same state. */
static void same_failure(void **unused)
{
    (void)unused;
    char texts[2][TAUT_ERROR_TEXT];
    simulation *z[2];
    int status[2];
    taut_context *context[2];
    for (int k = 0; k < 2; k++) {
        context[k] = taut_context_create(NULL);
        z[k] = open_case(context[k], ANY, k ? 3 : 1);
        status[k] = X(simulation_step)(z[k], 50); /* far too long */
        snprintf(texts[k], sizeof texts[k], "%s", taut_error_text(context[k]));
    }
    assert_int_not_equal(status[0], TAUT_OK);
    assert_int_equal(status[0], status[1]);
    assert_string_equal(texts[0], texts[1]);
    compare(ANY, z[0], z[1], 3);
    for (int k = 0; k < 2; k++) {
        close_case(z[k]);
        taut_context_destroy(context[k]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(same_bits), cmocka_unit_test(goes_on_with_others),
                                        cmocka_unit_test(same_failure) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
