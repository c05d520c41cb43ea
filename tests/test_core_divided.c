/* Steps whose equations are nearly singular, which are made in two parts (run/simulation_divided.c): they pass, keep
   the energy as their neighbours do, and are repeated from a state. */
#include "support.h"
#include "support_method.h"

#define ENGINE X(engine)

/* Sarrus' linkage, redundant from the start; at t = 0.5715, 2.82, ... both legs are folded flat, and each could turn
   about its hinges by itself. */
static const char sarrus[] =
    "gravity{0, 0, -9.81}\n"
    "local s, c = math.sin(math.pi/3), math.cos(math.pi/3)\n"
    "local top = body('top', { shape = box{1, 1, 0.1}, mass = 2, at = {0, 0, 2*s} })\n"
    "local function leg(name, d)\n"
    "  local function P(r, h) return {d[1]*r, d[2]*r, h} end\n"
    "  local n = {d[2], -d[1], 0}\n"
    "  local lo = body(name .. 'lo', { mass = 1, inertia = {0.09, 0.09, 0.09}, at = P(0.5 + c/2, s/2) })\n"
    "  local up = body(name .. 'up', { mass = 1, inertia = {0.09, 0.09, 0.09}, at = P(0.5 + c/2, 1.5*s) })\n"
    "  revolute(name .. '1', world, lo, { at = P(0.5, 0), axis = n })\n"
    "  revolute(name .. '2', lo, up, { at = P(0.5 + c, s), axis = n })\n"
    "  revolute(name .. '3', up, top, { at = P(0.5, 2*s), axis = n })\n"
    "end\n"
    "leg('a', {1, 0}) leg('b', {0, 1})\n";

/* A row of N parallelograms on cranks of rods of length and mass 1: at t = 2.687 all bars are in one line. */
static const char parallelograms[] =
    "local N, before = 40\n"
    "for i = 0, N do\n"
    "  local b = point('B' .. i, 2)\n"
    "  lagrangian(norm2(b.dot)/6 - 9.81*b.y/2)\n"
    "  constraint('crank' .. i, norm2(b - vector{i, 0}) - 1)\n"
    "  start { ['B' .. i] = {i, 1}, ['B' .. i .. '.dot'] = {1, 0} }\n"
    "  if before then\n"
    "    local a = before\n"
    "    lagrangian((norm2(a.dot) + norm2(b.dot) + dot(a.dot, b.dot))/6 - 9.81*(a.y + b.y)/2)\n"
    "    constraint('coupler' .. i, norm2(b - a) - 1)\n"
    "  end\n"
    "  before = b\n"
    "end\n";

static simulation *open_at(const char *text, const char *method)
{
    simulation *z = open_text(text);
    use_method(z, method);
    return z;
}

/* The energy grows by no more than `most` in a step. Whether a stage falls onto the singular position depends on the
   step; these are some where one does. */
static void passes(const char *text, const char *method, real h, long steps, real most)
{
    char said[TAUT_ERROR_TEXT];
    simulation *z = open_at(text, method);
    real before = X(simulation_energy)(z), worst = 0;
    for (long i = 0; i < steps; i++) {
        const int status = X(simulation_step)(z, h);
        if (status) fail_msg("%s, %g: %s", method, (double)h, taut_error_text(z->context));
        const real now = X(simulation_energy)(z);
        worst = real_most(worst, now - before);
        before = now;
    }
    printf("%s, %g: %.1e, %ld in parts\n", method, (double)h, (double)worst, z->divided.count);
    assert_at_most(worst, most);
    assert_true(z->divided.count > 0);
    assert_true(ENGINE.divided(z, said, sizeof said));
    assert_non_null(strstr(said, "with nearly singular equations w"));
    const real off = REAL(fabs)(z->x.t + z->x.t_low - h * (real)steps);
    assert_at_most(off, (real)steps * REAL_EPSILON * (1 + h * (real)steps));
    X(simulation_restart)(z);
    assert_false(ENGINE.divided(z, said, sizeof said));
    close_model(z);
}

/* Whole, the first of these steps made 130 of 68 units of energy, the second was the last, and the third made 1e-5 of
   620 where its neighbours make 1e-11. */
static void energy_beside_singular_positions(void **unused)
{
    (void)unused;
    if (QUAD || SANITIZED) skip();
    passes(sarrus, "lobatto:s=3", (real)0.001, 600, (real)1e-6);
    passes(sarrus, "galerkin", (real)0.001, 600, (real)1e-6);
    passes(parallelograms, "lobatto:s=4", (real)0.01, 275, (real)1e-9);
}

/* Parts depend on the state alone. */
static void repeated(void **unused)
{
    (void)unused;
    if (QUAD || SANITIZED) skip();
    simulation *z = open_at(sarrus, "lobatto:s=3"), *other = open_at(sarrus, "lobatto:s=3");
    do_steps(z, 569, (real)0.001);
    X(state_copy)(&z->x, &other->x);
    simulation_moved(other);
    do_steps(z, 5, (real)0.001);
    do_steps(other, 5, (real)0.001);
    assert_true(z->divided.count > 0);
    assert_int_equal(z->divided.count, other->divided.count);
    assert_memory_equal(z->x.block, other->x.block, X(state_size)(&z->x) * sizeof(real));
    close_model(z);
    close_model(other);
}

/* A step that is too large for the motion stays a failure. */
static void too_large_is_too_large(void **unused)
{
    (void)unused;
    simulation *z = open_model("water");
    use_method(z, "rattle");
    assert_int_equal(X(simulation_step)(z, (real)0.1), TAUT_NO_CONVERGENCE);
    assert_int_equal(z->divided.count, 0);
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_beside_singular_positions),
        cmocka_unit_test(repeated),
        cmocka_unit_test(too_large_is_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
