/* Independent runs in several threads (run/crew.h): converge, compare and verify find the same bits with one thread and
   with three; failures and remarks come in the order of the pieces. */
#include <math.h>
#include <stdatomic.h>
#include <time.h>

#include "run/compare.h"
#include "run/verify.h"
#include "support.h"

static model *read_model(taut_context *context, const char *name, definition *definitions, size_t count)
{
    char path[512];
    model *m = NULL;
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, name);
    if (taut_model_read_file(context, path, definitions, count, &m)) fail_msg("%s", taut_error_text(context));
    return m;
}

/* ---- the crew itself ---- */

enum { PIECES = 12 };

typedef struct {
    int fails_from;          /* piece */
    int of[PIECES];          /* what each has found: coordinates of its model */
    atomic_int others;       /* pieces that had a model of their own */
    const model *given;
} task;

static int count_coordinates(void *self, int index, model *m)
{
    task *t = self;
    nanosleep(&(struct timespec){ 0, (PIECES - index) * 100000 }, NULL); /* the last ones are done first */
    t->of[index] = (int)m->coordinate_count;
    if (m != t->given) atomic_fetch_add(&t->others, 1);
    taut_note(m->context, "piece %d", index);
    if (index >= t->fails_from) return taut_fail(m->context, TAUT_NO_CONVERGENCE, "piece %d fails", index);
    return TAUT_OK;
}

typedef struct {
    char text[1000];
} transcript;

static void write_line(void *user, const char *line)
{
    transcript *t = user;
    snprintf(t->text + strlen(t->text), sizeof t->text - strlen(t->text), "%s\n", line);
}

static void pieces_are_taken_in_order(void **state)
{
    (void)state;
    transcript said[2] = { 0 };
    for (int several = 0; several < 2; several++)
        for (int fails = 0; fails < 2; fails++) {
            taut_context *context = taut_context_create(NULL);
            definition n = { "N", "7", 0 };
            model *m = read_model(context, "hanging-chain", &n, 1);
            task t = { .fails_from = fails ? 5 : PIECES, .given = m };
            const crew c = { .threads = several ? 3 : 1, .definitions = &n, .definition_count = 1 };
            taut_context_log(context, write_line, &said[several]);
            assert_int_equal(taut_crew_run(&c, m, PIECES, count_coordinates, &t),
                             fails ? TAUT_NO_CONVERGENCE : TAUT_OK);
            if (fails) assert_string_equal(taut_error_text(context), "piece 5 fails");
            for (int i = 0; i < (fails ? 6 : PIECES); i++) assert_int_equal(t.of[i], 21); /* 7 points */
            assert_int_equal(atomic_load(&t.others), several ? PIECES : 0);
            taut_model_free(m);
            taut_context_destroy(context);
        }
    assert_string_equal(said[0].text, said[1].text);
    assert_non_null(strstr(said[0].text, "piece 0\npiece 1\n"));
}

static void *plain_resize(void *user, void *block, size_t size)
{
    (void)user;
    if (size) return realloc(block, size);
    free(block);
    return NULL;
}

/* An allocator of the host is called by the host's thread alone. */
static void a_host_with_an_allocator_has_one_thread(void **state)
{
    (void)state;
    const taut_allocator allocator = { plain_resize, NULL };
    taut_context *context = taut_context_create(&allocator);
    model *m = read_model(context, "pendulum", NULL, 0);
    task t = { .fails_from = PIECES, .given = m };
    assert_int_equal(taut_crew_run(&(crew){ .threads = 3 }, m, PIECES, count_coordinates, &t), TAUT_OK);
    assert_int_equal(atomic_load(&t.others), 0);
    taut_model_free(m);
    taut_context_destroy(context);
}

/* ---- what uses it ---- */

static const engine_api *widest(void)
{
    return taut_engine_find("quad") ? taut_engine_find("quad") : &taut_engine_double;
}

static void converge_by(int threads, const char *name, wide reference_step, converge_result *result)
{
    static const wide steps[] = { (wide)1 / 16, (wide)1 / 32, (wide)1 / 64, (wide)1 / 128 };
    const engine_options e = { .method = "lobatto:s=3" };
    taut_context *context = taut_context_create(NULL);
    definition g = { "g", "5", 0 };
    model *m = read_model(context, name, &g, 1);
    const converge_options o = { .steps = steps, .count = 4, .until = (wide)1 / 4, .reference_step = reference_step,
                                 .m = m, .crew = { threads, &g, 1 }, .engine = &e, .reference = &e };
    void *engine, *reference;
    assert_int_equal(taut_engine_double.create(m, &e, &engine), TAUT_OK);
    assert_int_equal(widest()->create(m, &e, &reference), TAUT_OK);
    converge_result r;
    if (taut_converge_run(context, &taut_engine_double, engine, widest(), reference, &o, &r))
        fail_msg("%s", taut_error_text(context));
    *result = r;
    result->rows = malloc((size_t)r.count * sizeof *r.rows);
    memcpy(result->rows, r.rows, (size_t)r.count * sizeof *r.rows);
    taut_converge_result_clear(context, &r);
    taut_engine_double.destroy(engine);
    widest()->destroy(reference);
    taut_model_free(m);
    taut_context_destroy(context);
}

static void assert_same(wide x, wide y) { assert_true(x == y || (x != x && y != y)); }

static void converge_finds_the_same(void **state)
{
    (void)state;
    for (int by_method = 0; by_method < 2; by_method++) {
        converge_result one, three;
        converge_by(1, "double-spherical-pendulum", by_method ? (wide)1 / 256 : 0, &one);
        converge_by(3, "double-spherical-pendulum", by_method ? (wide)1 / 256 : 0, &three);
        assert_int_equal(one.count, three.count);
        for (int i = 0; i < one.count; i++)
            for (int k = 0; k < CONVERGE_KINDS; k++) {
                assert_true(one.rows[i].error[k] > 0);
                assert_same(one.rows[i].error[k], three.rows[i].error[k]);
                assert_same(one.rows[i].order[k], three.rows[i].order[k]);
                assert_int_equal(one.rows[i].limited[k], three.rows[i].limited[k]);
            }
        for (int k = 0; k < CONVERGE_KINDS; k++) assert_same(one.reference_error[k], three.reference_error[k]);
        free(one.rows);
        free(three.rows);
    }
}

static void compare_by(int threads, const char *name, const char *const *methods, compare_result *result)
{
    static const wide steps[] = { (wide)1 / 32, (wide)1 / 64 };
    taut_context *context = taut_context_create(NULL);
    model *m = read_model(context, name, NULL, 0);
    const compare_options o = { .methods = methods, .method_count = 4, .steps = steps, .step_count = 2,
                                .until = (wide)1 / 2, .crew = { .threads = threads } };
    compare_result r;
    if (taut_compare_run(m, &taut_engine_double, &taut_engine_double, &o, &r))
        fail_msg("%s", taut_error_text(context));
    *result = r;
    result->rows = malloc((size_t)r.count * sizeof *r.rows);
    memcpy(result->rows, r.rows, (size_t)r.count * sizeof *r.rows);
    taut_compare_result_clear(context, &r);
    taut_model_free(m);
    taut_context_destroy(context);
}

/* Who looks on sees every row end, also one that is refused. (With a row that is none, a reference would follow.) */
static void compare_counts_its_rows(void **state)
{
    (void)state;
    static const char *const methods[] = { "galerkin:m=99", "galerkin:m=98" };
    static const wide steps[] = { (wide)1 / 32, (wide)1 / 64 };
    taut_context *context = taut_context_create(NULL);
    model *m = read_model(context, "pendulum", NULL, 0);
    run_progress seen = { .parts = 0 };
    const compare_options o = { .methods = methods, .method_count = 2, .steps = steps, .step_count = 2,
                                .until = (wide)1 / 2, .crew = { .threads = 2 }, .progress = &seen };
    compare_result r;
    assert_int_equal(taut_compare_run(m, &taut_engine_double, &taut_engine_double, &o, &r), TAUT_OK);
    assert_int_equal(atomic_load(&seen.parts), 4);
    assert_int_equal(atomic_load(&seen.part), 4);
    taut_compare_result_clear(context, &r);
    taut_model_free(m);
    taut_context_destroy(context);
}

/* One of the methods refuses the first model; the second one has contacts. */
static void compare_finds_the_same(void **state)
{
    (void)state;
    static const char *const methods[][4] = { { "galerkin:m=99", "rattle", "em", "dirac:rk4" },
                                              { "rattle", "em", "lobatto:s=3", "del" } };
    static const char *const models[] = { "double-spherical-pendulum", "bouncing-ball" };
    for (int k = 0; k < 2; k++) {
        compare_result one, three;
        compare_by(1, models[k], methods[k], &one);
        compare_by(3, models[k], methods[k], &three);
        assert_int_equal(one.count, 8);
        assert_int_equal(one.has_momenta, three.has_momenta);
        assert_int_equal(one.has_energy, three.has_energy);
        assert_int_equal(one.kinds, three.kinds);
        for (int i = 0; i < one.count; i++) {
            const compare_row *x = &one.rows[i], *y = &three.rows[i];
            assert_string_equal(x->failure, y->failure);
            assert_int_equal(x->refused, y->refused);
            assert_same(x->energy, y->energy), assert_same(x->slope, y->slope), assert_same(x->momentum, y->momentum);
            assert_same(x->position, y->position), assert_same(x->velocity, y->velocity);
            assert_int_equal(x->counts.steps, y->counts.steps);
            assert_int_equal(x->counts.work.iterations, y->counts.work.iterations);
            for (int j = 0; j < CONVERGE_KINDS; j++) assert_same(x->error[j], y->error[j]);
        }
        assert_string_equal(one.reference_failure, three.reference_failure);
        free(one.rows);
        free(three.rows);
    }
}

static void verify_by(int threads, const char *method, verify_result *r)
{
    const engine_options e = { .method = method };
    taut_context *context = taut_context_create(NULL);
    model *m = read_model(context, "pendulum", NULL, 0);
    void *engine;
    assert_int_equal(taut_engine_double.create(m, &e, &engine), TAUT_OK);
    const verify_options o = { .api = &taut_engine_double, .engine = engine, .long_api = &taut_engine_double,
                               .long_engine = engine, .step = (wide)1 / 50, .until = 20, .m = m,
                               .crew = { .threads = threads }, .create = &e };
    if (taut_verify_run(context, &o, r)) fail_msg("%s", taut_error_text(context));
    taut_engine_double.destroy(engine);
    taut_model_free(m);
    taut_context_destroy(context);
}

static void verify_finds_the_same(void **state)
{
    (void)state;
    static const char *const methods[] = { "rattle", "em", "extended:rk4" };
    for (int k = 0; k < 3; k++) {
        verify_result one, three;
        verify_by(1, methods[k], &one);
        verify_by(3, methods[k], &three);
        assert_true(one.count >= 9);
        assert_int_equal(one.count, three.count);
        for (int i = 0; i < one.count; i++) {
            const verify_row *x = &one.rows[i], *y = &three.rows[i];
            assert_string_equal(x->property, y->property);
            assert_string_equal(x->measured, y->measured);
            assert_string_equal(x->note, y->note);
            assert_int_equal(x->verdict, y->verdict);
            assert_same(x->value, y->value), assert_same(x->limit, y->limit);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_are_taken_in_order), cmocka_unit_test(a_host_with_an_allocator_has_one_thread),
        cmocka_unit_test(converge_finds_the_same),   cmocka_unit_test(compare_finds_the_same),
        cmocka_unit_test(compare_counts_its_rows),   cmocka_unit_test(verify_finds_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
