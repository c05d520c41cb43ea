/* What is watched by programs over elements: energies, residuals, velocities, momenta and powers are those of the
 * fields, whatever the form of the model; the bits are the same for interpreter and machine code, and for all widths. */
#include "lower/element_reading.h"
#include "native/native.h"
#include "support_allocator.h"
#include "support_method.h"

/* A tree of bodies with springs and dampers between them, a motor that pulls at one, and a part of L that moves nothing. */
static const char springs[] =
    "gravity{0, 0, -9.81}\n"
    "local n, before, bodies = option('n', 7), world, {}\n"
    "for i = 1, n do\n"
    "  bodies[i] = body('b' .. i, { shape = box{0.3, 0.1 + i/50, 0.05}, mass = 1 + i/7, at = {0.3*i - 0.15, 0, 0} })\n"
    "  local at = {0.3*(i - 1), 0, 0}\n"
    "  if i % 3 == 2 then spherical('j' .. i, before, bodies[i], { at = at })\n"
    "  else revolute('j' .. i, before, bodies[i], { at = at, axis = {0, 1, i % 2} }) end\n"
    "  before = bodies[i]\n"
    "end\n"
    "for i = 1, n - 2 do\n"
    "  local l = norm(bodies[i].centre - bodies[i + 2].centre)\n"
    "  lagrangian(-(20 + i)/2*(l - 0.4)^2) force(l, -l.dot/2)\nend\n"
    "lagrangian(3 + cos(2*time()))\n"
    "force(bodies[2].centre, {0.3*sin(9*time()), 0, 0})\n";
/* Bodies that nothing holds: all momenta. */
static const char loose[] =
    "local bodies = {}\n"
    "for i = 1, 9 do bodies[i] = body('b' .. i, { shape = box{0.3, 0.1 + i/50, 0.05}, mass = 1 + i/7,\n"
    "    at = {0.5*i, 0.1*i^2, 0}, velocity = {0.1*i, -0.2, 1/i}, omega = {i, 0.3, -1} }) end\n"
    "for i = 1, 8 do lagrangian(-5*(norm(bodies[i].centre - bodies[i + 1].centre) - 0.5)^2) end\n";
/* Hamiltonians whose velocities are sums over elements, with a constraint that moves. */
static const char hamiltonian[] =
    "local x, H = {}, 0\n"
    "for i = 1, 9 do x[i] = point('x' .. i) local p = momentum(x[i])\n"
    "  H = H + norm2(p)/(2 + x[i].x^2 + 0.1*i) + 9.81*x[i].z end\n"
    "for i = 1, 8 do H = H + 2*norm2(x[i] - x[i + 1]) end\n"
    "hamiltonian(H)\n"
    "constraint('first', x[1].z - 0.1*sin(3*time()))\n"
    "for i = 2, 9 do constraint('l' .. i, norm2(x[i] - x[i - 1]) - 1) end\n"
    "for i = 1, 9 do start { [x[i]] = {i, 0, 0} } end\n"
    "start { ['p.x1.z'] = 0.465 }\n";

static const struct {
    const char *name, *text, *method;
    double h;
} models[] = {
    { "springs", springs, "rattle", 0.001 },
    { "loose", loose, "rattle", 0.001 },
    { "hamiltonian", hamiltonian, NULL, 0 },
    { "hinged-chain", NULL, "rattle", 0.0005 },
    { "hinged-chain", NULL, "em", 0.0005 },
    { "hinged-chain", NULL, "lobatto:s=2", 0.0005 },
    { "suspension", NULL, "rattle", 0.0005 },
    { "stewart-legs", NULL, "rattle", 0.0005 },
    { "bricard", NULL, "rattle", 0.0005 },
    { "spatial-four-bar", NULL, "rattle", 0.001 },
    { "pyramid", NULL, NULL, 0.01 },
    { "hinged-plates", NULL, "rattle", 0.001 },
    { "heavy-top", NULL, "em", 0.001 },
    { "henon-heiles", NULL, "lobatto:s=2", 0.01 },
    { "driven-pendulum", NULL, "rattle", 0.001 },
    { "bead-on-hoop", NULL, "euler", 0.001 },
    { "nonholonomic/snakeboard", NULL, "rattle", 0.01 },
    { "nonholonomic/rattleback", NULL, "rattle", 0.001 },
    { "papers/jay-simeon-4.1", NULL, "euler", 0.001 },
    { "papers/jay-simeon-4.2", NULL, "euler", 0.001 },
    { "joints/screw", NULL, "rattle", 0.001 },
    { "joints/rolling", NULL, "rattle", 0.001 },
};
enum { MODELS_COUNT = sizeof models / sizeof *models, STEPS = 5 };

static simulation *open_case(size_t i)
{
    simulation *z = models[i].text ? open_text(models[i].text) : open_model(models[i].name);
    if (models[i].method) use_method(z, models[i].method);
    return z;
}

/* Elements also where straight-line code reads the state. */
static element_reading *elements_of(simulation *z, int mode)
{
    element_reading *made;
    z->native.mode = mode;
    assert_int_equal(X(element_reading_create)(z->s, X(simulation_has_work)(z), &made), TAUT_OK);
    assert_non_null(made);
    return made;
}

typedef struct {
    element_watched watched;
    real power, momenta[SYMMETRY_LIMIT], v[1000];
} seen;

static seen see(simulation *z, element_reading *elements)
{
    reading *const lowered = z->reading;
    element_reading *const own = z->elements;
    seen found = { .power = 0 };
    assert_true(z->s->n <= 1000);
    simulation_moved(z);
    z->reading = NULL, z->elements = elements;
    X(simulation_read)(z, READING_WATCHED | READING_VELOCITY);
    found.watched = (element_watched){ z->energy, z->largest_g, z->largest_rate };
    memcpy(found.momenta, z->momenta, (size_t)z->symmetry_count * sizeof(real));
    memcpy(found.v, z->v, z->s->n * sizeof(real));
    if (X(simulation_has_work)(z)) {
        assert_int_equal(X(simulation_read)(z, READING_POWER), TAUT_OK);
        found.power = z->power;
    }
    z->reading = lowered, z->elements = own;
    simulation_moved(z);
    return found;
}

/* In rounding errors of what the numbers are sums of. */
static real apart(simulation *z, const seen *a, const seen *b)
{
    const struct system *s = z->s;
    const real v = real_largest(a->v, s->n), p = real_largest(z->x.p, s->n), q = real_largest(z->x.q, s->n);
    place at = simulation_place(z);
    X(system_block_values)(s, BLOCK_G, &at, z->g_values);
    const real g = real_largest(z->g_values, (size_t)s->blocks[BLOCK_G].value_count),
               lambda = real_largest(z->lambda, s->c), energy = v * p + REAL(fabs)(a->watched.energy) + 1;
    real worst = 0, off = 0;
    for (uint32_t i = 0; i < s->n; i++) off = real_most(off, a->v[i] - b->v[i]);
    worst = real_most(worst, v > 0 ? off / v : off);
    worst = real_most(worst, (a->watched.energy - b->watched.energy) / ((real)s->n * energy));
    worst = real_most(worst, (a->watched.largest_g - b->watched.largest_g) / (g * (1 + q) + 1));
    worst = real_most(worst, (a->watched.largest_rate - b->watched.largest_rate) / (g * v + 1));
    worst = real_most(worst, (a->power - b->power) / ((1 + v) * (1 + lambda) * (1 + g) + (real)s->n * energy));
    for (int i = 0; i < z->symmetry_count; i++)
        worst = real_most(worst, (a->momenta[i] - b->momenta[i]) / ((real)s->n * p * (1 + q)));
    return worst / REAL_EPSILON;
}

static void elements_are_the_fields(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < MODELS_COUNT; i++) {
        simulation *z = open_case(i);
        element_reading *elements = elements_of(z, TAUT_NATIVE_AUTO);
        real worst = 0;
        for (int k = 0; k <= (models[i].h > 0 ? STEPS : 0); k++) {
            if (k && X(simulation_step)(z, (real)models[i].h))
                fail_msg("%s: %s", models[i].name, taut_error_text(z->m->context));
            const seen fields = see(z, NULL), found = see(z, elements);
            worst = real_most(worst, apart(z, &fields, &found));
        }
        printf("%-26s %-14s %6.2f rounding errors apart\n", models[i].name, models[i].method ? models[i].method : "",
               (double)worst);
        assert_at_most(worst, 2);
        X(element_reading_destroy)(elements);
        close_model(z);
    }
}

/* The interpreter takes widths by the number of elements, machine code 4 or 8. */
static void bits_do_not_depend_on_who_computes(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < MODELS_COUNT; i++) {
        simulation *z = open_case(i);
        element_reading *interpreted = elements_of(z, TAUT_NATIVE_OFF), *native = elements_of(z, TAUT_NATIVE_AUTO);
        if (models[i].h > 0) assert_int_equal(X(simulation_step)(z, (real)models[i].h), TAUT_OK);
        const seen first = see(z, interpreted), second = see(z, native);
        assert_memory_equal(&first.watched, &second.watched, sizeof first.watched);
        assert_memory_equal(first.v, second.v, z->s->n * sizeof(real));
        assert_true(first.power == second.power);
        X(element_reading_destroy)(interpreted);
        X(element_reading_destroy)(native);
        close_model(z);
    }
}

#if !QUAD
/* Static condensation in lanes, and the whole matrix: the same equations, solved to rounding errors of these. A joint
   that carries little beside one that carries much has the digits of the latter. */
static void multipliers_are_those_of_the_whole_matrix(void **unused)
{
    (void)unused;
    static const char *const names[] = { "springs", "hinged-chain", "suspension", "stewart-legs" };
    int found = 0;
    for (size_t i = 0; i < MODELS_COUNT; i++) {
        simulation *z = open_case(i);
        element_motion *motion;
        real worst = 0;
        int solved = 0;
        assert_int_equal(X(element_motion_create)(z->s, &motion), TAUT_OK);
        for (size_t k = 0; k < sizeof names / sizeof *names; k++)
            if (!strcmp(names[k], models[i].name)) assert_non_null(motion);
        for (int k = 0; motion && k <= STEPS; k++) {
            real lambda[1000], whole[1000];
            if (k) assert_int_equal(X(simulation_step)(z, (real)models[i].h), TAUT_OK);
            memcpy(whole, z->x.lambda, z->s->c * sizeof(real));
            memset(lambda, 0, sizeof lambda);
            assert_int_equal(X(acceleration_solve)(z->acceleration, z->x.q, z->x.w, z->x.t, whole, NULL), TAUT_OK);
            if (!X(element_motion_multipliers)(motion, &z->x, lambda)) continue;
            solved++;
            for (uint32_t c = 0; c < z->s->c; c++)
                worst = real_most(worst, (lambda[c] - whole[c]) / (1 + real_largest(whole, z->s->c)));
        }
        if (motion) {
            printf("%-26s %d of %d, %8.2f rounding errors apart\n", models[i].name, solved, STEPS + 1,
                   (double)(worst / REAL_EPSILON));
            assert_true(solved >= STEPS);
            found++;
        }
        assert_at_most(worst / REAL_EPSILON, 128);
        X(element_motion_destroy)(motion);
        close_model(z);
    }
    assert_true(found >= 8);
}
#endif

/* A maximum of numbers of which one is none: in whichever lane and row. */
static void what_is_no_number_is_seen(void **unused)
{
    (void)unused;
    simulation *z = open_model("hinged-chain");
    int rates = 0;
    assert_non_null(z->elements);
    for (uint32_t i = 0; i < z->s->n; i += 13) {
        const real q = z->x.q[i];
        z->x.q[i] = (real)NAN;
        const seen found = see(z, z->elements), fields = see(z, NULL);
        assert_true(fields.watched.largest_g != fields.watched.largest_g);
        assert_true(found.watched.largest_g != found.watched.largest_g);
        assert_int_equal(found.watched.largest_rate != found.watched.largest_rate,
                         fields.watched.largest_rate != fields.watched.largest_rate);
        rates += found.watched.largest_rate != found.watched.largest_rate;
        z->x.q[i] = (real)INFINITY;
        const seen far = see(z, z->elements);
        assert_false(far.watched.largest_g - far.watched.largest_g == 0);
        z->x.q[i] = q;
    }
    assert_true(rates > 0);
    const seen again = see(z, z->elements);
    assert_true(again.watched.largest_g < 1);
    close_model(z);
}

/* What depends on constants alone is computed again when these change, also in a second simulation. */
static void constants_are_looked_at(void **unused)
{
    (void)unused;
    simulation *z = open_model("hinged-chain"), *other;
    const seen first = see(z, z->elements);
    for (size_t k = 0; k < taut_store_constant_count(z->s->store); k++) z->s->constants[k] *= (real)1.01;
    z->s->constants_version++;
    const seen found = see(z, z->elements), fields = see(z, NULL);
    assert_true(REAL(fabs)(found.watched.energy - first.watched.energy) > (real)1e-6);
    assert_at_most(apart(z, &fields, &found), 2);
    assert_int_equal(X(simulation_clone)(z, z->context, &other), TAUT_OK);
    const seen copied = see(other, other->elements);
    assert_memory_equal(&copied.watched, &found.watched, sizeof found.watched);
    X(simulation_destroy)(other);
    close_model(z);
}

/* Memory that runs out at any moment of their creation: it is said, and nothing leaks. */
static int create_one(simulation *z, int motion)
{
    element_reading *reading = NULL;
    element_motion *made = NULL;
    const int status = motion ? X(element_motion_create)(z->s, &made) : X(element_reading_create)(z->s, 1, &reading);
    if (status) assert_true(!made && !reading);
    X(element_reading_destroy)(reading);
    X(element_motion_destroy)(made);
    return status;
}

static void memory_runs_out(void **unused)
{
    (void)unused;
    counter c = { 0 };
    const taut_allocator allocator = { counted_resize, &c };
    taut_context *context = taut_context_create(&allocator);
    model *m = NULL;
    const int status = taut_model_read_file(context, MODELS "/spatial-four-bar.lua", NULL, 0, &m);
    simulation *z = simulation_of(context, status, m);
    for (int motion = 0; motion < 2; motion++) {
        const long live = c.live, begun = c.calls;
        assert_int_equal(create_one(z, motion), TAUT_OK);
        assert_int_equal(c.live, live);
        const long calls = c.calls - begun;
        for (long k = 1; k <= calls; k += 1 + calls / 150) {
            c.fail_at = c.calls + k, c.fail_count = 1, c.failures = 0;
            const int found = create_one(z, motion);
            assert_int_equal(found, c.failures ? TAUT_OUT_OF_MEMORY : TAUT_OK);
            assert_int_equal(c.live, live);
            assert_true(c.failures > 0 || k > calls - 8);
        }
        c.fail_count = 0;
        assert_int_equal(create_one(z, motion), TAUT_OK);
    }
    close_model(z);
}

/* Which simulations have them: bodies, where there is no straight-line code. */
static void elements_are_for_bodies(void **unused)
{
    (void)unused;
    static const struct {
        const char *model;
        int expected;
    } cases[] = { { "hinged-chain", 1 }, { "stewart-legs", 1 }, { "four-bar", 0 }, { "hanging-chain", 0 } };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        simulation *z = open_model(cases[i].model);
        assert_int_equal(z->elements != NULL, cases[i].expected);
        close_model(z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_are_the_fields),   cmocka_unit_test(bits_do_not_depend_on_who_computes),
        cmocka_unit_test(what_is_no_number_is_seen), cmocka_unit_test(constants_are_looked_at),
        cmocka_unit_test(elements_are_for_bodies),   cmocka_unit_test(memory_runs_out),
#if !QUAD
        cmocka_unit_test(multipliers_are_those_of_the_whole_matrix),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
