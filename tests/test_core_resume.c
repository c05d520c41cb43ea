/* The fields of a state are all that a step depends on: a new simulation that is given those of another goes on with
   the same bits, under every method of the table and on models of every kind. What a method remembers besides, for
   speed, must not show. */
#include "support.h"

static simulation *make(taut_context *context, model *m, const char *method, real h, int *refused)
{
    simulation *z = NULL;
    engine_options options = { .method = method, .step = h };
    *refused = 0;
    int status = X(simulation_create)(m, &options, &z);
    if (status == TAUT_UNSUPPORTED || status == TAUT_BAD_USAGE) *refused = 1;
    else if (status) fail_msg("%s: %s", method, taut_error_text(context));
    return z;
}

static void copy_fields(simulation *from, simulation *to)
{
    state_field a[STATE_FIELDS], b[STATE_FIELDS];
    size_t numbers = 0;
    int count = X(state_fields)(&from->x, a);
    assert_true(count <= STATE_FIELDS);
    assert_int_equal(X(state_fields)(&to->x, b), count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(a[i].count, b[i].count);
        for (int k = 0; k < i; k++) assert_string_not_equal(a[i].name, a[k].name);
        memcpy(b[i].data, a[i].data, a[i].count * sizeof(real));
        if (a[i].data >= from->x.block && a[i].data < from->x.block + X(state_size)(&from->x)) numbers += a[i].count;
    }
    assert_int_equal(numbers, X(state_size)(&from->x)); /* every number of the block has a name */
    X(simulation_restored)
    (to, &(engine_counts){ .steps = from->steps, .work = { .iterations = 7, .factorisations = 5 } });
}

static void assert_same_fields(simulation *a, simulation *b, const char *method, const char *name, int step)
{
    state_field x[STATE_FIELDS], y[STATE_FIELDS];
    int count = X(state_fields)(&a->x, x);
    X(state_fields)(&b->x, y);
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < x[i].count; k++)
            if (x[i].data[k] != y[i].data[k])
                fail_msg("%s under %s: %s[%zu] differs %d steps after the resume, by %.3g", name, method, x[i].name, k,
                         step, (double)(x[i].data[k] - y[i].data[k]));
}

/* Steps taken in turn; one that fails must fail in both. */
static int go_on_together(taut_context *context, const char *name, const char *method, real h)
{
    char path[512];
    model *first = NULL, *second = NULL;
    int refused, other;
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, name);
    if (taut_model_read_file(context, path, NULL, 0, &first) || taut_model_read_file(context, path, NULL, 0, &second))
        fail_msg("%s", taut_error_text(context));
    simulation *a = make(context, first, method, h, &refused), *b = make(context, second, method, h, &other);
    assert_int_equal(refused, other);
    const int before = SANITIZED || QUAD ? 5 : 13, after = SANITIZED || QUAD ? 4 : 10;
    int status = TAUT_OK;
    for (int i = 0; a && !status && i < before; i++) status = X(simulation_step)(a, h);
    if (a && !status) copy_fields(a, b);
    for (int i = 0; a && !status && i < after; i++) {
        status = X(simulation_step)(a, h);
        assert_int_equal(X(simulation_step)(b, h), status);
        if (!status) assert_same_fields(a, b, method, name, i + 1);
    }
    if (a && status) fail_msg("%s under %s: %s", name, method, taut_error_text(context));
    if (a) assert_int_equal(b->steps, before + after);
    X(simulation_destroy)(a);
    X(simulation_destroy)(b);
    taut_model_free(first);
    taut_model_free(second);
    return !refused;
}

static void every_method_goes_on_with_the_same_bits(void **state)
{
    (void)state;
    static const struct { const char *name; double step;
    } models[] = { { "double-spherical-pendulum", 0.01 }, { "triple-pendulum", 0.01 }, { "rigid-body", 0.01 },
                   { "driven-pendulum", 0.001 },          { "henon-heiles", 0.05 },    { "chain-molecule", 0.005 } };
    static const char *const more[] = { "lobatto:s=3", "del:left", "galerkin:LGG,m=3" };
    const int named = X(method_count)(), extra = sizeof more / sizeof *more;
    taut_context *context = taut_context_create(NULL);
    for (int k = 0; k < named + extra; k++) {
        const char *method = k < named ? X(method_at)(k)->info->name : more[k - named];
        int runs = 0;
        for (size_t i = 0; i < sizeof models / sizeof *models; i++)
            runs += go_on_together(context, models[i].name, method, (real)models[i].step);
        if (!runs) print_message("%s has run no model here: it needs options or another model\n", method);
    }
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_method_goes_on_with_the_same_bits) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
