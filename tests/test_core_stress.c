/* Multipliers of least size in long structures, where no softening is small enough: by the multipliers that make no
   force (solve/stress.h). A truss with both diagonals has one state of self-stress in every bay, known in closed form:
   of least size are multipliers that are orthogonal to all of them. */
#include "support.h"

#include "solve/stress.h"
#include "support_allocator.h"

static simulation *open_truss_in(taut_context *context, int bays, const char *method)
{
    model *m = NULL;
    simulation *z = NULL;
    char number[16];
    snprintf(number, sizeof number, "%d", bays);
    engine_options options = { .method = method };
    definition defined = { "N", number, 0 };
    assert_int_equal(taut_model_read_file(context, MODELS "/truss.lua", &defined, 1, &m), TAUT_OK);
    if (X(simulation_create)(m, &options, &z)) fail_msg("%s: %s", method, taut_error_text(context));
    assert_int_equal(z->start.dependent, bays);
    return z;
}

static simulation *open_truss(int bays, const char *method)
{
    return open_truss_in(taut_context_create(NULL), bays, method);
}

/* sum_i G_ki^2 / M_ii of a bar, masses 1: 8 l^2, or half of it where one of its ends is held. */
static real weight_of(int k)
{
    const int kind = k ? (k - 1) % 5 : 2, bay = k ? (k - 1) / 5 + 1 : 0; /* v0, then u, t, v, d, e of each bay */
    const real square = kind >= 3 ? 2 : 1;
    return (!k || (bay == 1 && (kind == 0 || kind == 3)) ? 4 : 8) * square;
}

/* The largest product of multipliers with the self-stress of a bay, in the metric of the least size: sides 1, diagonals
   -1, as multipliers of norm2(p - q), whatever way the bay has turned. Relative to the largest force. */
static real misses(const real *lambda, int bays)
{
    real most = 0, size = 0;
    for (int i = 0; i < bays; i++) {
        const int before = 5 * i - 2 > 0 ? 5 * i - 2 : 0, first = 5 * i + 1; /* v of the bay before; u of this one */
        const int sides[4] = { before, first, first + 1, first + 2 };
        real sum = 0;
        for (int j = 0; j < 4; j++) sum += weight_of(sides[j]) * lambda[sides[j]];
        for (int j = 3; j < 5; j++) sum -= weight_of(first + j) * lambda[first + j];
        most = larger(REAL(fabs)(sum), most);
    }
    for (int k = 0; k < 5 * bays + 1; k++) size = larger(weight_of(k) * REAL(fabs)(lambda[k]), size);
    return most / size;
}

/* From any multipliers to the least ones that make the same force: both to round-off, some ulps of the largest of
   them. */
static void any_multipliers(void **state)
{
    (void)state;
    enum { BAYS = 20, COUNT = 5 * BAYS + 1 };
    simulation *z = open_truss(BAYS, "rattle");
    struct system *s = z->s;
    const block_shape *g = &s->blocks[BLOCK_G];
    rank *found = NULL;
    stress *chooser = NULL;
    double metric[COUNT];
    real lambda[COUNT], change[COUNT] = { 0 }, *values = calloc((size_t)g->value_count, sizeof *values);
    place at = place_at(s, z->x.q, z->x.w, &z->x.t, z->x.lambda);
    X(system_block_values)(s, BLOCK_G, &at, values);
    for (int k = 0; k < COUNT; k++) metric[k] = (double)weight_of(k), lambda[k] = (real)((k * 7919) % 104729) / 104729;
    assert_int_equal(X(rank_create)(s, values, &found), TAUT_OK);
    assert_null(s->stresses);
    assert_int_equal(X(stress_plan_create)(s, found, values, NULL, metric, &s->stresses), TAUT_OK);
    assert_int_equal(s->stresses->count, BAYS);
    assert_int_equal(X(stress_create)(s, NULL, &chooser), TAUT_OK);
    X(stress_at)(chooser, values);
    assert_int_equal(X(stress_choose)(chooser, lambda, change), TAUT_OK);
    real force[2 * (2 * BAYS + 1)] = { 0 };
    X(block_multiply_transposed)(g, values, 1, change, force); /* it makes none */
    assert_at_most(largest_of(force, s->n), 50 * REAL_EPSILON);
    assert_true(misses(lambda, BAYS) > (real)0.1);
    for (int k = 0; k < COUNT; k++) lambda[k] -= change[k];
    assert_at_most(misses(lambda, BAYS), 50 * REAL_EPSILON);
    X(stress_destroy)(chooser);
    X(rank_destroy)(found);
    free(values);
    close_model(z);
}

/* Memory that runs out at any moment. */
static void without_memory(void **state)
{
    (void)state;
    enum { BAYS = 6, COUNT = 5 * BAYS + 1 };
    counter memory = { 0 };
    const taut_allocator allocator = { counted_resize, &memory };
    simulation *z = open_truss_in(taut_context_create(&allocator), BAYS, "rattle");
    struct system *s = z->s;
    double metric[COUNT];
    real *values = calloc((size_t)s->blocks[BLOCK_G].value_count, sizeof *values);
    place at = place_at(s, z->x.q, z->x.w, &z->x.t, z->x.lambda);
    rank *found = NULL;
    X(system_block_values)(s, BLOCK_G, &at, values);
    for (int k = 0; k < COUNT; k++) metric[k] = (double)weight_of(k);
    assert_int_equal(X(rank_create)(s, values, &found), TAUT_OK);
    const long live = memory.live;
    int status = TAUT_OUT_OF_MEMORY, failed = 0;
    for (long k = 1; status; k++, failed++) {
        stress *chooser = NULL;
        memory.fail_at = memory.calls + k, memory.fail_count = 1000000;
        status = X(stress_plan_create)(s, found, values, values, metric, &s->stresses);
        if (!status) status = X(stress_create)(s, NULL, &chooser);
        memory.fail_count = 0;
        if (status) assert_int_equal(status, TAUT_OUT_OF_MEMORY);
        X(stress_destroy)(chooser);
        taut_mem_free(s->context, s->stresses);
        s->stresses = NULL;
        assert_int_equal(memory.live, live);
    }
    assert_true(failed > 20);
    X(rank_destroy)(found);
    free(values);
    close_model(z);
}

/* One that depends on more others than are looked at has none. */
static void too_many_neighbours(void **state)
{
    (void)state;
    simulation *z = open_text("local before\n"
                              "for i = 1, 200 do\n"
                              "  local x = coordinate('x' .. i)\n"
                              "  lagrangian(x.dot^2/2)\n"
                              "  constraint('c' .. i, before and x - before - 1 or x)\n"
                              "  start { ['x' .. i] = i - 1 }\n"
                              "  before = x\n"
                              "end\n"
                              "constraint('last', before - 199)\n");
    struct system *s = z->s;
    double metric[201];
    rank *found = NULL;
    real values[401]; /* two of each, but one of the first and of the last */
    place at = place_at(s, z->x.q, z->x.w, &z->x.t, z->x.lambda);
    assert_int_equal(s->blocks[BLOCK_G].value_count, 400);
    X(system_block_values)(s, BLOCK_G, &at, values);
    for (int k = 0; k < 201; k++) metric[k] = 1;
    assert_int_equal(X(rank_create)(s, values, &found), TAUT_OK);
    assert_int_equal(X(rank_number)(found), 200);
    assert_int_equal(X(stress_plan_create)(s, found, values, NULL, metric, &s->stresses), TAUT_OK);
    assert_null(s->stresses);
    X(rank_destroy)(found);
    close_model(z);
}

/* Of frames, and of the steps themselves, in every kind of method. Joints are up to N from the origin: gradients, and
   the self-stress that follows from them, are as exact as differences of such numbers. A bay moves as a rigid body, so
   that its self-stress stays the same along a step. */
static void of_a_long_truss(void **state)
{
    (void)state;
    static const char *const methods[] = { "rattle", "shake", "em", "lobatto:s=3", "del", "galerkin", "euler",
                                           "dirac:rk4" };
    if (SANITIZED) skip();
    const int bays = 500;
    const real bound = 20 * bays * REAL_EPSILON;
    for (size_t i = 0; i < (QUAD ? 1 : sizeof methods / sizeof *methods); i++) {
        simulation *z = open_truss(bays, methods[i]);
        assert_non_null(z->s->stresses);
        assert_int_equal(z->s->stresses->count, bays);
        assert_at_most(misses(z->x.lambda, bays), bound);
        do_steps(z, QUAD ? 1 : 3, (real)0.01);
        assert_at_most(misses(z->x.lambda, bays), bound);
        assert_int_equal(X(simulation_read)(z, READING_MULTIPLIERS), TAUT_OK);
        assert_at_most(misses(z->lambda, bays), bound);
        close_model(z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_multipliers),
        cmocka_unit_test(without_memory),
        cmocka_unit_test(too_many_neighbours),
        cmocka_unit_test(of_a_long_truss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
