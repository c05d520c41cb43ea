/* The same run gives the same bits: twice in one process, with and without frames on the way, and continued from a copy
   of the state in a fresh simulation (what checkpoints will rely on). */
#include "run/simulation.h"

#include "support_core.h"

enum { COLUMNS = 4000, STEPS = 40, MIDDLE = 17 };

typedef struct {
    const char *file;     /* of models/, or NULL and a text */
    const char *text;
    definition size;
    double step;
    const char *method;   /* NULL: rattle */
} example;

/* A chain with friction: implicit, and long enough for the sparse back ends. */
static const char damped_chain[] =
    "local last = origin\n"
    "for i = 1, 40 do local a = point('a'..i); lagrangian(norm2(a.dot)/2 - 9.81*a.z); force(a, -0.1*a.dot)\n"
    "constraint('bar'..i, norm2(a - last) - 1); start { ['a'..i] = {i, 0, 0} }; last = a end";

#define NO_SIZE { NULL, NULL, 0 }
static const example examples[] = {
    { "double-spherical-pendulum", NULL, NO_SIZE, 0.01, NULL },
    { "triple-pendulum", NULL, NO_SIZE, 0.05, NULL },
    { "rigid-body", NULL, NO_SIZE, 0.01, NULL },
    { "heavy-top", NULL, NO_SIZE, 0.001, NULL },
    { "driven-pendulum", NULL, NO_SIZE, 0.001, NULL },
    { "chain-molecule", NULL, NO_SIZE, 0.05, NULL },
    { "four-bar", NULL, NO_SIZE, 0.01, NULL },
    { "henon-heiles", NULL, NO_SIZE, 0.1, NULL },
    { "hanging-chain", NULL, { "N", "60", 0 }, 0.01, NULL },
    { NULL, damped_chain, NO_SIZE, 0.01, NULL },
    { "heavy-top", NULL, NO_SIZE, 0.001, "em" },
    { "driven-pendulum", NULL, NO_SIZE, 0.001, "em:project" },
    { NULL, damped_chain, NO_SIZE, 0.01, "em" },
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

typedef struct {
    model *m;
    simulation *z;
} run;

static void open_run(run *r, const example *e)
{
    const engine_options options = { .method = e->method ? e->method : "rattle" };
    definition size = e->size;
    char path[512];
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, e->file ? e->file : "");
    r->m = e->file ? load_file(path, &size, size.name ? 1 : 0) : load(e->text);
    int status = X(simulation_create)(r->m, &options, &r->z);
    if (status) print_error("%s\n", taut_error_text(context));
    assert_int_equal(status, TAUT_OK);
}

static void close_run(run *r)
{
    X(simulation_destroy)(r->z);
    taut_model_free(r->m);
}

static void go(run *r, int count, double h)
{
    for (int n = 0; n < count; n++) {
        int status = X(simulation_step)(r->z, (real)h);
        if (status) print_error("%s\n", taut_error_text(context));
        assert_int_equal(status, TAUT_OK);
    }
}

/* Compared as `real`: `wide` may have padding. */
static int same(real x, real y) { return memcmp(&x, &y, sizeof x) == 0; }

static void assert_same_state(const run *a, const run *b, const char *what)
{
    const state *x = &a->z->x, *y = &b->z->x;
    assert_true(same(x->t, y->t) && same(x->t_low, y->t_low));
    for (size_t i = 0; i < X(state_size)(x); i++)
        if (!same(x->block[i], y->block[i])) {
            print_error("%s, %s: number %zu of the state is %.20g, not %.20g\n", a->m->title, what, i,
                        (double)x->block[i], (double)y->block[i]);
            fail();
        }
}

static void assert_same_frame(run *a, run *b, const char *what)
{
    static real x[COLUMNS], y[COLUMNS];
    size_t count = X(simulation_column_count)(a->z);
    assert_true(count <= COLUMNS);
    assert_int_equal(X(simulation_frame)(a->z, x), TAUT_OK);
    assert_int_equal(X(simulation_frame)(b->z, y), TAUT_OK);
    for (size_t i = 0; i < count; i++)
        if (!same(x[i], y[i])) {
            char name[200];
            X(simulation_column_name)(a->z, i, name, sizeof name);
            print_error("%s, %s: column %s is %.20g, not %.20g\n", a->m->title, what, name, (double)x[i], (double)y[i]);
            fail();
        }
}

static void the_same_run_twice(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        run a, b;
        open_run(&a, &examples[i]);
        go(&a, STEPS, examples[i].step);
        open_run(&b, &examples[i]);
        go(&b, STEPS, examples[i].step);
        assert_same_state(&a, &b, "twice");
        assert_same_frame(&a, &b, "twice");
        close_run(&a);
        close_run(&b);
    }
}

/* Looking does not disturb, and what is seen does not depend on how often one looked. */
static void frames_do_not_matter(void **state)
{
    (void)state;
    static real frame[COLUMNS];
    for (int i = 0; i < EXAMPLES; i++) {
        run a, b;
        open_run(&a, &examples[i]);
        open_run(&b, &examples[i]);
        for (int n = 0; n < STEPS; n++) {
            go(&a, 1, examples[i].step);
            go(&b, 1, examples[i].step);
            assert_int_equal(X(simulation_frame)(b.z, frame), TAUT_OK);
        }
        assert_same_state(&a, &b, "with frames");
        assert_same_frame(&a, &b, "with frames");
        close_run(&a);
        close_run(&b);
    }
}

static void continued_from_a_copy(void **state)
{
    (void)state;
    static real frame[COLUMNS];
    for (int i = 0; i < EXAMPLES; i++) {
        run a, b;
        open_run(&a, &examples[i]);
        open_run(&b, &examples[i]);
        for (int n = 0; n < MIDDLE; n++) {
            go(&a, 1, examples[i].step);
            assert_int_equal(X(simulation_frame)(a.z, frame), TAUT_OK); /* the fresh one has seen none */
        }
        X(state_copy)(&a.z->x, &b.z->x);
        simulation_moved(b.z);
        go(&a, STEPS - MIDDLE, examples[i].step);
        go(&b, STEPS - MIDDLE, examples[i].step);
        assert_same_state(&a, &b, "continued");
        assert_same_frame(&a, &b, "continued");
        close_run(&a);
        close_run(&b);
    }
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = { TEST(the_same_run_twice), TEST(frames_do_not_matter),
                                        TEST(continued_from_a_copy) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
