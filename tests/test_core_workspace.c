/* One flat workspace per simulation: every number that steps work on and that grows with the model is in one
 * allocation, and steps allocate nothing. Each case runs twice, with chains of two lengths. After some steps the blocks
 * of memory whose contents have changed are listed: but for the flat workspace they have the same sizes for both
 * lengths, so they hold no arrays of the model's size. Where tapes are evaluated, which belongs to the system, is left
 * out, and KLU's scales of rows and columns are outside, with its factors: docs/architecture.md says why. */
#include "solve/multiplier.h"
#include "support.h"

enum { BLOCKS_MOST = 400, STEPS = 3, KLU = 4 }; /* KLU: blocks of a matrix: solver, KLU's object, two of scales */

/* ---- an allocator that knows its blocks ---- */

typedef struct tracked {
    struct tracked *before, *after;
    size_t size;
    char *copy;          /* as it was */
    long padding[4];     /* what follows is aligned for anything */
} tracked;

typedef struct {
    tracked list;        /* a ring */
    long calls;
} tracker;

static void put(tracker *z, tracked *b)
{
    b->before = &z->list, b->after = z->list.after;
    b->before->after = b->after->before = b;
}

static void *tracked_resize(void *user, void *block, size_t size)
{
    tracker *z = user;
    tracked *b = block ? (tracked *)block - 1 : NULL;
    z->calls++;
    if (b) b->before->after = b->after, b->after->before = b->before;
    if (size == 0) {
        if (b) free(b->copy);
        free(b);
        return NULL;
    }
    tracked *made = realloc(b, sizeof *made + size);
    if (!made) {
        if (b) put(z, b);
        return NULL;
    }
    if (!b) made->copy = NULL;
    free(made->copy);
    made->copy = NULL;
    made->size = size;
    put(z, made);
    return made + 1;
}

static void take_copies(tracker *z)
{
    for (tracked *b = z->list.after; b != &z->list; b = b->after) {
        free(b->copy);
        b->copy = malloc(b->size);
        assert_non_null(b->copy);
        memcpy(b->copy, b + 1, b->size);
    }
}

static int holds(const tracked *b, const void *at)
{
    return (const char *)at >= (const char *)(b + 1) && (const char *)at < (const char *)(b + 1) + b->size;
}

/* ---- the blocks that steps write ---- */

static int is_of_system(const tracked *b, const struct system *s)
{
    const workspace *w = s->work;
    return holds(b, w->registers) || holds(b, w->vector) || (w->entries && holds(b, w->entries));
}

static int compare_sizes(const void *a, const void *b)
{
    const size_t x = *(const size_t *)a, y = *(const size_t *)b;
    return (x > y) - (x < y);
}

/* Sizes of the blocks besides the flat one, ascending. */
static int list_changed(const tracker *t, const simulation *z, size_t *sizes)
{
    int count = 0, flat = 0;
    for (const tracked *b = t->list.after; b != &t->list; b = b->after) {
        if (holds(b, taut_flat_block(z->flat))) flat++;
        if (holds(b, taut_flat_block(z->flat)) || is_of_system(b, z->s) || memcmp(b + 1, b->copy, b->size) == 0)
            continue;
        assert_true(count < BLOCKS_MOST);
        sizes[count++] = b->size;
    }
    assert_int_equal(flat, 1);
    qsort(sizes, (size_t)count, sizeof *sizes, compare_sizes);
    return count;
}

static int in_flat(const simulation *z, const void *at)
{
    const char *block = taut_flat_block(z->flat);
    return (const char *)at >= block && (const char *)at < block + taut_flat_size(z->flat);
}

typedef struct {
    const char *method;
    double h;
    const char *links[2];
    int general;         /* steps are not lowered */
    int outside;         /* at the most so many blocks that differ */
    const char *model;   /* NULL: hanging-chain */
} example;

static void run(const example *e, const char *links, size_t *sizes, int *count, size_t *flat)
{
    tracker t = { .calls = 0 };
    t.list.before = t.list.after = &t.list;
    const taut_allocator allocator = { tracked_resize, &t };
    taut_context *context = taut_context_create(&allocator);
    definition n = { "N", links, 0 };
    engine_options options = { .method = e->method, .native = TAUT_NATIVE_OFF };
    model *m = NULL;
    simulation *z = NULL;
    assert_non_null(context);
    char path[512];
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, e->model ? e->model : "hanging-chain");
    int status = taut_model_read_file(context, path, &n, 1, &m);
    if (!status) status = X(simulation_create)(m, &options, &z);
    if (status) fail_msg("%s: %s", e->method, taut_error_text(context));
    assert_true(in_flat(z, z->x.block));
    assert_true(in_flat(z, z->begin.block));
    assert_true(in_flat(z, z->v));
    do_steps(z, STEPS, (real)e->h); /* KLU may have to begin */
    assert_int_equal(X(simulation_read)(z, READING_FRAME), TAUT_OK);
    take_copies(&t);
    long before = t.calls;
    do_steps(z, STEPS, (real)e->h);
    assert_int_equal(X(simulation_read)(z, READING_FRAME), TAUT_OK);
    assert_int_equal(t.calls, before);
    if (e->general && !z->method.code) assert_false(X(stepper_is_lowered)(z->method.self));
    *count = list_changed(&t, z, sizes);
    *flat = taut_flat_size(z->flat);
    X(simulation_destroy)(z);
    taut_model_free(m);
    taut_context_destroy(context);
    assert_ptr_equal(t.list.after, &t.list);
}

/* Multipliers that a frame reads are a program of its own, made when they are first asked for. */
enum { FRAME = 1 };
/* Of bodies they are a phase of clusters, with its own tables: its unknowns, what passes between clusters, the matrix. */
enum { MOTION = 3 };
static const example examples[] = {
    { "rattle", 0.001, { "3", "4" }, 0, FRAME, NULL },
    { "shake", 0.001, { "3", "4" }, 0, FRAME, NULL },
    { "lobatto:s=3", 0.001, { "2", "3" }, 0, FRAME, NULL },
    { "galerkin:LGL,m=3", 0.001, { "2", "3" }, 0, FRAME, NULL },
    { "del", 0.001, { "2", "3" }, 0, FRAME, NULL },
    { "em", 0.001, { "2", "3" }, 0, FRAME, NULL },
    { "em:project", 0.001, { "2", "3" }, 0, FRAME, NULL },
    { "euler", 0.001, { "2", "3" }, 0, FRAME, NULL },
    { "compose:rattle,order=4", 0.001, { "2", "3" }, 0, FRAME, NULL },
    { "dirac:rk4", 0.001, { "2", "3" }, 0, FRAME, NULL },
    { "dirac:gauss,s=2", 0.001, { "2", "3" }, 0, KLU + FRAME, NULL },
    { "extended:midpoint", 0.001, { "2", "3" }, 0, KLU + FRAME, NULL },
    { "naive:rkf45", 0.001, { "2", "3" }, 0, FRAME, NULL },
    { "rattle", 0.001, { "120", "125" }, 1, 0, NULL },
    { "shake", 0.001, { "120", "125" }, 1, 0, NULL },
    { "lobatto:s=3", 0.001, { "120", "125" }, 1, 0, NULL },
    { "galerkin:LGL,m=3", 0.001, { "120", "125" }, 1, 0, NULL },
    { "del", 0.001, { "120", "125" }, 1, KLU, NULL },
    { "em", 0.001, { "120", "125" }, 1, 0, NULL },
    { "euler", 0.001, { "120", "125" }, 1, KLU, NULL },
    { "compose:rattle,order=4", 0.001, { "120", "125" }, 1, 0, NULL },
    { "dirac:rk4", 0.001, { "120", "125" }, 1, 0, NULL },
    { "rattle", 0.0005, { "20", "23" }, 1, MOTION, "hinged-chain" },
};

static void one_block(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        const example *e = &examples[i];
        if (QUAD && e->general && strcmp(e->method, "rattle") != 0) continue;
        size_t sizes[2][BLOCKS_MOST], flat[2];
        int count[2];
        for (int k = 0; k < 2; k++) run(e, e->links[k], sizes[k], &count[k], &flat[k]);
        assert_true(flat[0] < flat[1]);
        int outside[2] = { 0, 0 };
        for (int a = 0, b = 0; a < count[0] || b < count[1];) {
            if (a < count[0] && b < count[1] && sizes[0][a] == sizes[1][b]) {
                a++, b++;
                continue;
            }
            int first = b == count[1] || (a < count[0] && sizes[0][a] < sizes[1][b]);
            size_t size = first ? sizes[0][a++] : sizes[1][b++];
            outside[first ? 0 : 1]++;
            if (outside[0] > e->outside || outside[1] > e->outside)
                fail_msg("%s, %s links: steps write %zu bytes outside the flat workspace, but not with %s links",
                         e->method, e->links[first ? 0 : 1], size, e->links[first ? 1 : 0]);
        }
    }
}

/* docs/performance.md: what a link of a long chain takes of it, under rattle: 138 numbers, and the forces of a piece,
   which it has but once. Shorter ones are stepped as points between bars (method/points.h), which
   takes 54 numbers more, and watched so, 13; with 141 of before, as the forces of a piece are those of all. */
static void bytes_a_link(void **unused)
{
    (void)unused;
    if (QUAD) return;
    const example e = { .method = "rattle", .h = 0.001 };
    size_t sizes[BLOCKS_MOST], flat;
    int count;
    run(&e, "84000", sizes, &count, &flat);
    assert_between((double)flat / 84000, 138 * sizeof(double), 138.5 * sizeof(double));
    run(&e, "1000", sizes, &count, &flat);
    assert_between((double)flat / 1000, 208 * sizeof(double), 209 * sizeof(double));
}

/* And a body of a long chain of hinges: 36,900 bytes. With the whole matrices of both phases, which nothing needs as long
   as clusters are good enough, it would be some 57,000. */
static void bytes_a_body(void **unused)
{
    (void)unused;
    if (QUAD) return; /* there the whole matrices are what is factored */
    const example e = { .method = "rattle", .h = 0.0005, .model = "hinged-chain" };
    size_t sizes[BLOCKS_MOST], flat[2];
    int count;
    run(&e, "200", sizes, &count, &flat[0]);
    run(&e, "300", sizes, &count, &flat[1]);
    printf("%.0f bytes a body\n", (double)(flat[1] - flat[0]) / 100);
    assert_true((double)(flat[1] - flat[0]) / 100 < 38000);
}

/* ---- states of different lifetime ---- */

/* A state that does not belong to the simulation is stepped by its method, and goes; what the simulation does then is
   what it does without such a guest. */
static void guest(void **unused)
{
    (void)unused;
    simulation *z = open_model("hanging-chain"), *other = open_model("hanging-chain");
    const real h = (real)0.001;
    size_t size = X(state_size)(&z->x) * sizeof(real);
    assert_non_null(z->method.code); /* steps exchange states */
    do_steps(z, 3, h), do_steps(other, 3, h);
    const void *place = z->x.block;
    state x = save_state(z);
    for (int i = 0; i < 3; i++) assert_int_equal(X(method_step)(&z->method, &x, h), TAUT_OK);
    assert_false(in_flat(z, x.block));
    assert_ptr_equal(z->x.block, place);
    do_steps(other, 3, h);
    assert_memory_equal(x.block, other->x.block, size);
    X(state_clear)(z->s, &x);
    do_steps(z, 3, h);
    assert_memory_equal(z->x.block, other->x.block, size);
    do_steps(z, 1, h);
    assert_true(in_flat(z, z->x.block));
    /* in turn with one of the simulation, as in measurements of a way back and forth */
    state y = save_state(z);
    do_steps(z, 1, h);
    X(state_swap)(&z->x, &y);
    do_steps(z, 1, h);
    assert_memory_equal(z->x.block, y.block, size);
    X(state_swap)(&z->x, &y);
    X(state_clear)(z->s, &y);
    do_steps(z, 1, h), do_steps(other, 3, h);
    assert_memory_equal(z->x.block, other->x.block, size);
    close_model(z), close_model(other);
}

/* ---- matrices that share their analysis ---- */

static void solve(multiplier *m, const real *g, uint32_t c, real *x)
{
    for (uint32_t i = 0; i < c; i++) x[i] = (real)(i % 7) - 3;
    assert_int_equal(X(multiplier_factor)(m, g, g), TAUT_OK);
    assert_int_equal(X(multiplier_solve)(m, 1, x), TAUT_OK);
}

static void shared_analysis(void **unused)
{
    (void)unused;
    static const char *const models[] = { "hanging-chain", "water", "double-spherical-pendulum" };
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        simulation *z = open_model(models[k]);
        uint32_t c = z->s->c;
        place at = simulation_place(z);
        real *g = calloc((size_t)z->s->blocks[BLOCK_G].value_count, sizeof *g), *x = calloc(4 * (size_t)c, sizeof *x);
        multiplier *a = NULL, *b = NULL, *d = NULL;
        assert_true(g && x);
        X(acceleration_destroy)(z->acceleration), z->acceleration = NULL;
        X(method_destroy)(&z->method);
        assert_null(z->s->multiplier);
        X(system_block_values)(z->s, BLOCK_G, &at, g);
        assert_int_equal(X(multiplier_create)(z->s, NULL, &a), TAUT_OK);
        assert_ptr_equal(z->s->multiplier, a);
        solve(a, g, c, x);
        assert_int_equal(X(multiplier_create)(z->s, NULL, &b), TAUT_OK);
        solve(b, g, c, x + c);
        for (int e = 0; e < z->s->blocks[BLOCK_G].value_count; e++) g[e] *= 2;
        solve(b, g, c, x + 2 * c); /* factors of its own */
        for (uint32_t i = 0; i < c; i++) x[3 * c + i] = (real)(i % 7) - 3;
        assert_int_equal(X(multiplier_solve)(a, 1, x + 3 * c), TAUT_OK);
        assert_memory_equal(x, x + c, c * sizeof *x);
        assert_memory_equal(x, x + 3 * c, c * sizeof *x);
        for (uint32_t i = 0; i < c; i++) assert_true(x[i] == 4 * x[2 * c + i]); /* powers of two, exact */
        X(multiplier_destroy)(a);
        assert_null(z->s->multiplier);
        solve(b, g, c, x);
        assert_memory_equal(x, x + 2 * c, c * sizeof *x);
        assert_int_equal(X(multiplier_create)(z->s, NULL, &d), TAUT_OK); /* begins a new shape */
        X(multiplier_destroy)(b);
        solve(d, g, c, x);
        assert_memory_equal(x, x + 2 * c, c * sizeof *x);
        X(multiplier_destroy)(d);
        free(g), free(x);
        close_model(z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_block), cmocka_unit_test(bytes_a_link),
                                        cmocka_unit_test(bytes_a_body),
                                        cmocka_unit_test(guest), cmocka_unit_test(shared_analysis) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
