/* One flat workspace per simulation: every number that steps work on and that grows with the model is in one
 * allocation, and steps allocate nothing. Each case runs twice, with chains of two lengths. After some steps the blocks
 * of memory whose contents have changed are listed: but for the flat workspace they have the same sizes for both
 * lengths, so they hold no arrays of the model's size. Where tapes are evaluated, which belongs to the system, is left
 * out, and KLU's scales of rows and columns are outside, with its factors: docs/architecture.md says why. */
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
    int status = taut_model_read_file(context, MODELS "/hanging-chain.lua", &n, 1, &m);
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

static const example examples[] = {
    { "rattle", 0.001, { "3", "4" }, 0, 0 },
    { "shake", 0.001, { "3", "4" }, 0, 0 },
    { "lobatto:s=3", 0.001, { "2", "3" }, 0, 0 },
    { "galerkin:LGL,m=3", 0.001, { "2", "3" }, 0, 0 },
    { "del", 0.001, { "2", "3" }, 0, 0 },
    { "em", 0.001, { "2", "3" }, 0, 0 },
    { "em:project", 0.001, { "2", "3" }, 0, 0 },
    { "euler", 0.001, { "2", "3" }, 0, 0 },
    { "compose:rattle,order=4", 0.001, { "2", "3" }, 0, 0 },
    { "dirac:rk4", 0.001, { "2", "3" }, 0, 0 },
    { "dirac:gauss,s=2", 0.001, { "2", "3" }, 0, KLU },
    { "extended:midpoint", 0.001, { "2", "3" }, 0, KLU },
    { "naive:rkf45", 0.001, { "2", "3" }, 0, 0 },
    { "rattle", 0.001, { "120", "125" }, 1, 0 },
    { "shake", 0.001, { "120", "125" }, 1, 0 },
    { "lobatto:s=3", 0.001, { "120", "125" }, 1, 0 },
    { "galerkin:LGL,m=3", 0.001, { "120", "125" }, 1, 0 },
    { "del", 0.001, { "120", "125" }, 1, KLU },
    { "em", 0.001, { "120", "125" }, 1, 0 },
    { "euler", 0.001, { "120", "125" }, 1, KLU },
    { "compose:rattle,order=4", 0.001, { "120", "125" }, 1, 0 },
    { "dirac:rk4", 0.001, { "120", "125" }, 1, 0 },
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

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(one_block) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
