/* Constraints that depend on each other and agree: the motion is that without the superfluous ones, in every method,
   and the multipliers are those of least size, whatever the units. What is not of this kind is told apart. */
#include "support.h"

#define ROUND_OFF (QUAD ? 1e-29 : 3e-13)

static simulation *open_with(const char *text, const char *method)
{
    model *m = NULL;
    simulation *z = NULL;
    engine_options options = { .method = method };
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    int status = taut_model_read_text(context, "test.lua", text, strlen(text), NULL, 0, &m);
    if (!status) status = X(simulation_create)(m, &options, &z);
    if (status) fail_msg("%s: %s", method, taut_error_text(context));
    return z;
}

static real multiplier_of(simulation *z, const char *name)
{
    for (uint32_t k = 0; k < z->s->c; k++)
        if (strcmp(z->m->constraints[k].name, name) == 0) return z->x.lambda[k];
    fail_msg("no constraint %s", name);
    return 0;
}

#define PENDULA                                                                                                        \
    "local a, b = point 'a', point 'b'\n"                                                                              \
    "lagrangian(norm2(a.dot)/2 + norm2(b.dot) - 9.81*(a.z + 2*b.z))\n"                                                 \
    "constraint('rod1', norm2(a) - 1)\nconstraint('rod2', norm2(a - b) - 1)\n"                                         \
    "start { a = {0.6, 0, -0.8}, b = {0.6, 1, -0.8}, ['a.dot'] = {0, 0.3, 0}, ['b.dot'] = {0.2, 0.3, 0} }\n"
/* said again: in other units, by another formula, and as a sum */
#define AGAIN                                                                                                          \
    "constraint('rod1again', 1000*(norm2(a) - 1))\nconstraint('rod2again', norm(a - b) - 1)\n"                         \
    "constraint('both', norm2(a) - norm2(a - b))\n"

static void every_method_moves_alike(void **state)
{
    (void)state;
    static const char *const methods[] = { "rattle", "shake", "lobatto:s=3", "lobatto:s=4", "del", "galerkin",
                                           "galerkin:m=4", "em", "em:project", "euler", "euler:adjoint", "dirac:rk4",
                                           "dirac:gauss", "compose:rattle,order=4", "compose:euler,order=2" };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        simulation *one = open_with(PENDULA, methods[i]), *more = open_with(PENDULA AGAIN, methods[i]);
        assert_int_equal(more->start.dependent, 3);
        assert_null(one->s->softening);
        do_steps(one, 100, (real)0.01);
        do_steps(more, 100, (real)0.01);
        real apart = distance(one->x.q, more->x.q, one->s->n), pushed = distance(one->x.p, more->x.p, one->s->n);
        if (!(apart <= (real)ROUND_OFF && pushed <= 10 * (real)ROUND_OFF))
            fail_msg("%s: %.3e, %.3e", methods[i], (double)apart, (double)pushed);
        close_model(one);
        close_model(more);
    }
}

/* Two constraints with gradients n and c n, sharing a force: of least size are equal forces, lambda and lambda / c. */
static void forces_are_shared(void **state)
{
    (void)state;
    static const char *const methods[] = { "rattle", "lobatto:s=3", "em", "galerkin", "dirac:rk4" };
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        simulation *one = open_with(PENDULA, methods[i]);
        simulation *more = open_with(PENDULA "constraint('rod1again', 1000*(norm2(a) - 1))", methods[i]);
        do_steps(one, 50, (real)0.01);
        do_steps(more, 50, (real)0.01);
        real whole = multiplier_of(one, "rod1"), part = multiplier_of(more, "rod1");
        real other = 1000 * multiplier_of(more, "rod1again");
        assert_at_most(REAL(fabs)(part + other - whole), (real)1e-10 * REAL(fabs)(whole));
        assert_at_most(REAL(fabs)(part - other), (real)1e-5 * REAL(fabs)(whole));
        assert_at_most(REAL(fabs)(multiplier_of(more, "rod2") - multiplier_of(one, "rod2")),
                       (real)1e-10 * REAL(fabs)(whole));
        close_model(one);
        close_model(more);
    }
}

/* A plate on four legs: what they carry together is its weight, and of least size is a quarter each; two on one side
   carry what the centre of mass asks for. In metres and kilograms, in millimetres and grams. */
static void a_table_on_four_legs(void **state)
{
    (void)state;
    for (int small = 0; small < 2; small++) {
        char text[1200];
        double length = small ? 1000 : 1, mass = small ? 1000 : 1;
        snprintf(text, sizeof text,
                 "local l, m, x0 = %g, 3*%g, 0.1\n"
                 "local c, r = point 'c', rotation 'r'\n"
                 "lagrangian(m/2*norm2(c.dot) + m*l^2/20*norm2(r.omega) - m*9.81*l*c.z)\n"
                 "for i, at in ipairs{ {0.5, 0.5}, {-0.5, 0.5}, {-0.5, -0.5}, {0.5, -0.5} } do\n"
                 "  local p = c + r:apply{(at[1] - x0)*l, at[2]*l, 0}\n"
                 "  constraint('leg' .. i, p.z)\n"
                 "  if i < 3 then constraint('y' .. i, p.y - 0.5*l) end\n"
                 "end\n"
                 "start { c = {x0*l, 0, 0}, r = {1, 0, 0, 0}, ['c.dot'] = {l, 0, 0} }\n",
                 length, mass);
        simulation *z = open_with(text, "rattle");
        assert_int_equal(z->start.dependent, 1);
        do_steps(z, 20, (real)0.01);
        real leg[4], sum = 0, weight = (real)(3 * mass * 9.81 * length);
        for (int i = 0; i < 4; i++) {
            char name[16];
            snprintf(name, sizeof name, "leg%d", i + 1);
            sum += leg[i] = multiplier_of(z, name);
        }
        /* moments about the y axis, from the corners' own numbers: x of the legs 1 and 4 is 0.4 from the centre */
        real moment = (real)0.4 * (leg[0] + leg[3]) - (real)0.6 * (leg[1] + leg[2]);
        assert_at_most(REAL(fabs)(sum - weight), (real)1e-11 * weight);
        assert_at_most(REAL(fabs)(moment), (real)1e-11 * weight);
        assert_at_most(REAL(fabs)(leg[0] - leg[3]), (real)1e-6 * weight);
        assert_at_most(REAL(fabs)(leg[0] - (real)0.3 * weight), (real)1e-6 * weight);
        close_model(z);
    }
}

/* The linkage passes positions in which any 34 of its constraints become dependent; multipliers stay of the size of the
   weights. */
static void a_bricard_linkage(void **state)
{
    (void)state;
    simulation *z = open_model("bricard");
    real begun = X(simulation_energy)(z), most = 0;
    long steps = QUAD || SANITIZED ? 12 : 200;
    assert_int_equal(z->start.dependent, 1);
    for (long i = 0; i < steps; i++) {
        do_steps(z, 1, (real)0.01);
        most = larger(largest_of(z->x.lambda, z->s->c), most);
    }
    assert_between(most, 10, 60);
    assert_at_most(REAL(fabs)(X(simulation_energy)(z) - begun), 1e-3);
    place at = place_at(z->s, z->x.q, z->x.w, &z->x.t, NULL);
    real g[35];
    X(system_constraints)(z->s, &at, g);
    assert_at_most(largest_of(g, 35), QUAD ? 1e-32 : 2e-15);
    close_model(z);
}

static void three_of_bennetts(void **state)
{
    (void)state;
    simulation *z = open_model("bennett");
    assert_int_equal(z->start.dependent, 3);
    assert_string_equal(z->start.names, "h4z, h4u, h4v");
    do_steps(z, 10, (real)0.005);
    close_model(z);
}

/* Many: the rank comes from a sparse elimination, corrections from the multiplier matrix. */
static void a_truss(void **state)
{
    (void)state;
    model *m = NULL;
    simulation *z = NULL;
    engine_options options = { .method = "rattle" };
    definition bays = { "N", SANITIZED ? "210" : "400", 0 };
    taut_context *context = taut_context_create(NULL);
    assert_int_equal(taut_model_read_file(context, MODELS "/truss.lua", &bays, 1, &m), TAUT_OK);
    if (X(simulation_create)(m, &options, &z)) fail_msg("%s", taut_error_text(context));
    assert_int_equal(z->start.dependent, atoi(bays.value));
    assert_int_equal(z->s->n + z->start.dependent - z->s->c, 1);
    do_steps(z, 3, (real)0.001);
    close_model(z);
}

/* So long that the least eigenvalue of S that is not zero, of bending, is some 1e-14 of the largest: no softening is
   between the two, and those that depend on others are left out (their multipliers: test_core_stress). It falls as a
   rod does: all of it at rest at first, with the angular acceleration of its joints about the corner that is held. */
static void a_long_truss(void **state)
{
    (void)state;
    if (SANITIZED || QUAD) skip();
    const int N = 4000;
    model *m = NULL;
    simulation *z = NULL;
    engine_options options = { .method = "rattle" };
    definition bays = { "N", "4000", 0 };
    taut_context *context = taut_context_create(NULL);
    assert_int_equal(taut_model_read_file(context, MODELS "/truss.lua", &bays, 1, &m), TAUT_OK);
    if (X(simulation_create)(m, &options, &z)) fail_msg("%s", taut_error_text(context));
    assert_int_equal(z->start.dependent, N);
    real begun = X(simulation_energy)(z), inertia = 1, moment = 0, h = (real)0.001;
    do_steps(z, 2, h);
    for (int i = 1; i <= N; i++) inertia += 2 * (real)i * i + 1, moment += 2 * (real)i;
    real turn = -(real)9.81 * moment / inertia, tip = z->x.q[2 * (2 * N + 1) - 1] - 1;
    assert_at_most(REAL(fabs)(tip - turn * N * 4 * h * h / 2), 1e-9); /* of 3e-5; the next term, in h^4, is 1e-15 */
    assert_at_most(REAL(fabs)(X(simulation_energy)(z) - begun), 1e-11 * REAL(fabs)(begun));
    close_model(z);
}

/* A cloth of rigid bars, held by one row of joints that are pinned and have bars between them: columns swing down as
   chains do, and the bars between them carry nothing. */
static void a_cloth(void **state)
{
    (void)state;
    enum { SIDE = 5 };
    simulation *cloth[2];
    for (int bars = 0; bars < 2; bars++) {
        char text[1000];
        snprintf(text, sizeof text,
                 "local M, bars, p = %d, %d, {}\n"
                 "for i = 1, M do\n"
                 "  p[i] = {}\n"
                 "  for j = 1, M do\n"
                 "    local name = 'p' .. i .. '_' .. j\n"
                 "    local a = point(name)\n"
                 "    p[i][j] = a\n"
                 "    lagrangian(norm2(a.dot)/2 - 9.81*a.z)\n"
                 "    start { [name] = {i - 1, j - 1, 0} }\n"
                 "    local at = {x = i - 1, y = 0, z = 0}\n"
                 "    for _, k in ipairs(j == 1 and {'x', 'y', 'z'} or {}) do\n"
                 "      constraint('pin' .. i .. k, a[k] - at[k])\n"
                 "    end\n"
                 "    if j > 1 then constraint('c' .. i .. '_' .. j, norm2(a - p[i][j-1]) - 1) end\n"
                 "    if i > 1 and bars > 0 then constraint('r' .. i .. '_' .. j, norm2(a - p[i-1][j]) - 1) end\n"
                 "  end\n"
                 "end\n",
                 SIDE, bars);
        cloth[bars] = open_with(text, "rattle");
        assert_int_equal(cloth[bars]->start.dependent, bars ? SIDE - 1 : 0);
        do_steps(cloth[bars], QUAD ? 20 : 60, (real)0.01);
    }
    for (uint32_t i = 0; i < cloth[0]->s->n; i++)
        assert_at_most(REAL(fabs)(cloth[0]->x.q[i] - cloth[1]->x.q[i]), ROUND_OFF);
    assert_true(cloth[0]->x.q[3 * SIDE - 1] < (QUAD ? -0.1 : -1)); /* they have moved */
    close_model(cloth[0]);
    close_model(cloth[1]);
}

static void expect(const char *text, int status, const char *says)
{
    model *m = NULL;
    simulation *z = NULL;
    engine_options options = { .method = "rattle" };
    taut_context *context = taut_context_create(NULL);
    if (taut_model_read_text(context, "test.lua", text, strlen(text), NULL, 0, &m))
        fail_msg("%s", taut_error_text(context));
    assert_int_equal(X(simulation_create)(m, &options, &z), status);
    if (!strstr(taut_error_text(context), says)) fail_msg("'%s' is not in '%s'", says, taut_error_text(context));
    taut_model_free(m);
    taut_context_destroy(context);
}

#define POINT "local a = point('a', 2); lagrangian(norm2(a.dot)/2 - a.y)\n"

static void what_is_not_redundancy(void **state)
{
    (void)state;
    expect(POINT "constraint('pin', norm2(a))\nstart { a = {0, 0} }", TAUT_SINGULAR,
           "test.lua:2: constraint 'pin' has a zero gradient where it is met");
    /* two bars stretched out along one line: either may fold first */
    expect("local a, b = point('a', 2), point('b', 2)\nlagrangian((norm2(a.dot) + norm2(b.dot))/2)\n"
           "constraint('one', norm2(a) - 1)\nconstraint('two', norm2(b - a) - 1)\nconstraint('end_x', b.x - 2)\n"
           "constraint('end_y', b.y)\nstart { a = {1, 0}, b = {2, 0} }",
           TAUT_SINGULAR, "the start is a singular position");
    /* a parallelogram laid flat: it goes on as one, or as its mirror image */
    expect("local a, b = point('a', 2), point('b', 2)\nlagrangian((norm2(a.dot) + norm2(b.dot))/2 - a.y)\n"
           "constraint('crank', norm2(a) - 1)\nconstraint('rocker', norm2(b - {2, 0}) - 1)\n"
           "constraint('coupler', norm2(b - a) - 4)\nstart { a = {1, 0}, b = {3, 0} }",
           TAUT_SINGULAR, "the start is a singular position");
    expect(POINT "constraint('fast', a.x - 2*time())\nconstraint('slow', a.x - time())\n"
                 "start { a = {0, 0}, ['a.dot'] = {1, 0} }",
           TAUT_BAD_MODEL, "contradicts 'fast'");
    expect(POINT "local mu = constraint('floor', a.y)\nconstraint('again', 2*a.y)\nforce(a.x, -abs(mu)*a.x.dot)\n"
                 "start { a = {0, 0} }",
           TAUT_SINGULAR, "there are forces that depend on them; remove it");
}

/* Linkages with redundant joints, on their way through singular positions: there one more direction of S comes near to
   zero than softening is meant for. Steps of these lengths end so near to them that Newton's iteration gave up. */
static const char parallelogram_in_space[] = /* its coupler stays level: a parallelogram laid flat */
    "local bars = {}\n"
    "local function bar(name, C, along, v)\n"
    "  local c, r = point('c' .. name), rotation('r' .. name)\n"
    "  local w = r.omega\n"
    "  lagrangian(norm2(c.dot)/2 - 9.81*c.y + (w.x^2 + w.y^2 + w.z^2)/24)\n"
    "  start { ['c' .. name] = C, ['r' .. name] = {1, 0, 0, 0}, ['c' .. name .. '.dot'] = v,\n"
    "          ['r' .. name .. '.omega'] = {0, 0, along[2] ~= 0 and -1 or 0} }\n"
    "  return { r = r, at = function(s) return c + r:apply{s*along[1]/2, s*along[2]/2, 0} end }\n"
    "end\n"
    "local A, B = bar('A', {0, 0.5, 0}, {0, 1}, {0.5, 0, 0}), bar('B', {0.5, 1, 0}, {1, 0}, {1, 0, 0})\n"
    "local C = bar('C', {1, 0.5, 0}, {0, 1}, {0.5, 0, 0})\n"
    "local function hinge(name, p, q, r1, r2)\n"
    "  local e, z = p - q, r1 and r1:apply{0, 0, 1} or vector{0, 0, 1}\n"
    "  local x2, y2 = r2:apply{1, 0, 0}, r2:apply{0, 1, 0}\n"
    "  for k, v in pairs{ x = e.x, y = e.y, z = e.z, u = dot(z, x2), w = dot(z, y2) } do\n"
    "    constraint(name .. k, v)\n"
    "  end\n"
    "end\n"
    "hinge('j1', vector{0, 0, 0}, A.at(-1), nil, A.r) hinge('j2', A.at(1), B.at(-1), A.r, B.r)\n"
    "hinge('j3', B.at(1), C.at(1), B.r, C.r) hinge('j4', vector{1, 0, 0}, C.at(-1), nil, C.r)\n";

static const char sarrus[] = /* its platform falls through its base: all plates flat */
    "gravity{0, 0, -9.81}\n"
    "local th = math.pi/3\n"
    "local s, c = math.sin(th), math.cos(th)\n"
    "local top = body('top', { shape = box{1, 1, 0.1}, mass = 2, at = {0, 0, 2*s} })\n"
    "local function leg(name, d)\n"
    "  local function P(r, h) return {d[1]*r, d[2]*r, h} end\n"
    "  local plate = { mass = 1, inertia = {0.09, 0.09, 0.09} }\n"
    "  plate.at = P(0.5 + c/2, s/2)\n"
    "  local low = body(name .. 'lo', plate)\n"
    "  plate.at = P(0.5 + c/2, 1.5*s)\n"
    "  local up, n = body(name .. 'up', plate), {d[2], -d[1], 0}\n"
    "  revolute(name .. '1', world, low, { at = P(0.5, 0), axis = n })\n"
    "  revolute(name .. '2', low, up, { at = P(0.5 + c, s), axis = n })\n"
    "  revolute(name .. '3', up, top, { at = P(0.5, 2*s), axis = n })\n"
    "end\n"
    "leg('a', {1, 0}) leg('b', {0, 1})\n";

static void through_singular_positions(void **state)
{
    (void)state;
    static const struct { const char *model, *method; double h; long steps; double energy; } ways[] = {
        { parallelogram_in_space, "rattle", 0.003, 3000, 0.0025 },
        { sarrus, "rattle", 0.0007, 1700, 0.02 },
        { sarrus, "lobatto:s=3", 0.002, 1500, 2e-5 },
    };
    if (QUAD || SANITIZED) skip();
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        simulation *z = open_with(ways[i].model, ways[i].method);
        real begun = X(simulation_energy)(z), off = 0;
        for (long k = 0; k < ways[i].steps; k++) {
            do_steps(z, 1, (real)ways[i].h);
            off = larger(off, REAL(fabs)(X(simulation_energy)(z) - begun));
        }
        assert_at_most(off, ways[i].energy); /* the error of the method, as between singular positions */
        close_model(z);
    }
}

/* The multipliers of the frame at t = 3.139, one step of 0.001 beside such a position. */
static void frames_beside_a_singular_position(void **state)
{
    (void)state;
    if (QUAD || SANITIZED) skip();
    simulation *z = open_with(parallelogram_in_space, "rattle");
    real most = 0;
    do_steps(z, 3130, (real)0.001);
    for (int i = 0; i < 20; i++) {
        do_steps(z, 1, (real)0.001);
        if (X(simulation_multipliers)(z))
            fail_msg("at t = %g: %s", (double)z->x.t, taut_error_text(z->context));
        most = larger(most, largest_of(z->lambda, z->s->c));
    }
    assert_at_most(most, 1000);
    close_model(z);
}

/* More constraints than are searched for points beside the start. A sheet of squares with a diagonal each is flat: out of
   its plane it can move as far as gradients say, and no further. Plane parallelograms whose bars are said again move. */
static void many_in_a_singular_position(void **state)
{
    (void)state;
    if (QUAD || SANITIZED) skip();
    expect("local n, P = 17, {}\n"
           "for i = 1, n do P[i] = {} for j = 1, n do\n"
           "  local p = point('p' .. i .. '_' .. j)\n"
           "  P[i][j] = p\n"
           "  lagrangian(norm2(p.dot)/2 - p.z) start { ['p' .. i .. '_' .. j] = {i, j, 0} }\n"
           "  local function bar(name, to, l) constraint(name .. i .. '_' .. j, norm2(p - to) - l) end\n"
           "  if i > 1 then bar('r', P[i - 1][j], 1) end\n"
           "  if j > 1 then bar('c', P[i][j - 1], 1) end\n"
           "  if i > 1 and j > 1 then bar('d', P[i - 1][j - 1], 2) end\n"
           "end end\n", TAUT_SINGULAR, "the start is a singular position: constraint");
    simulation *z = open_with("for k = 1, 220 do\n"
                              "  local a, b = point('a' .. k), point('b' .. k)\n"
                              "  lagrangian((norm2(a.dot) + norm2(b.dot))/2 - 9.81*(a.z + b.z))\n"
                              "  constraint('p' .. k, norm2(a) - 1)\n"
                              "  constraint('q' .. k, norm2(b - {2, 0, 0}) - 1)\n"
                              "  constraint('c' .. k, norm2(b - a) - 4)\n"
                              "  constraint('y' .. k, a.y)\n"
                              "  constraint('again' .. k, norm(a) - 1)\n"
                              "  start { ['a' .. k] = {0.6, 0, -0.8}, ['b' .. k] = {2.6, 0, -0.8} }\n"
                              "end\n", "rattle");
    assert_int_equal(z->start.dependent, 220);
    close_model(z);
}

/* A state from a file goes on with the bits of a run that was not interrupted: nothing crosses but the state. */
static void bits_depend_on_the_state_alone(void **state)
{
    (void)state;
    static const char *const methods[] = { "rattle", "em", "lobatto:s=3" };
    for (int i = 0; i < 3; i++) {
        simulation *whole = open_with(PENDULA AGAIN, methods[i]), *rest = open_with(PENDULA AGAIN, methods[i]);
        do_steps(whole, 10, (real)0.01);
        X(state_copy)(&whole->x, &rest->x);
        do_steps(whole, 10, (real)0.01);
        do_steps(rest, 10, (real)0.01);
        assert_memory_equal(whole->x.q, rest->x.q, whole->s->n * sizeof(real));
        assert_memory_equal(whole->x.lambda, rest->x.lambda, whole->s->c * sizeof(real));
        close_model(whole);
        close_model(rest);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_method_moves_alike),
        cmocka_unit_test(forces_are_shared),
        cmocka_unit_test(a_table_on_four_legs),
        cmocka_unit_test(a_bricard_linkage),
        cmocka_unit_test(three_of_bennetts),
        cmocka_unit_test(a_truss),
        cmocka_unit_test(a_long_truss),
        cmocka_unit_test(a_cloth),
        cmocka_unit_test(what_is_not_redundancy),
        cmocka_unit_test(through_singular_positions),
        cmocka_unit_test(frames_beside_a_singular_position),
        cmocka_unit_test(many_in_a_singular_position),
        cmocka_unit_test(bits_depend_on_the_state_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
