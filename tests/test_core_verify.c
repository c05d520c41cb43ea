/* taut verify and taut converge can be believed: what holds is confirmed, what is misdeclared is found out, and what is
 * measured is what is there. The methods of this file stand in no table; verify takes a simulation, whatever made its
 * method. */
#include "solve/nearby.h"

#include "support.h"

#include "run/converge.h"
#include "run/verify.h"

#define ENGINE X(engine)

/* ---- methods that are not what they say ---- */

typedef struct {
    struct system *s;
    acceleration *acceleration;
    real *v, *dv;
    method rattle;
    newton_counts counts;
} faulty;

static void faulty_destroy(void *self)
{
    faulty *f = self;
    X(acceleration_destroy)(f->acceleration);
    X(method_destroy)(&f->rattle);
    taut_mem_free(f->s->context, f->v);
    taut_mem_free(f->s->context, f->dv);
    taut_mem_free(f->s->context, f);
}

static int faulty_create(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    faulty *f = taut_mem_new(s->context, 1, sizeof *f);
    assert_non_null(f);
    f->s = s;
    f->v = taut_mem_new(s->context, s->n, sizeof(real));
    f->dv = taut_mem_new(s->context, s->n, sizeof(real));
    assert_int_equal(X(acceleration_create)(s, &f->acceleration), TAUT_OK);
    assert_int_equal(X(method_create_with)(s, &X(method_rattle), spec, tolerance, &f->rattle), TAUT_OK);
    *self = f;
    return TAUT_OK;
}

static const newton_counts *faulty_counts(const void *self) { return &((const faulty *)self)->counts; }

/* Explicit Euler for a Lagrangian model. */
static int euler(faulty *f, state *x, real h)
{
    int status = X(acceleration_solve)(f->acceleration, x->q, x->w, x->t, x->lambda, f->dv);
    if (status) return status;
    for (uint32_t i = 0; i < x->n; i++) x->q[i] += h * x->w[i], x->w[i] += h * f->dv[i];
    x->t += h;
    place at = place_at(f->s, x->q, x->w, &x->t, x->lambda);
    X(system_momentum)(f->s, &at, x->p);
    return TAUT_OK;
}

static int plain_euler_step(void *self, state *x, real h) { return euler(self, x, h); }

static int projected_euler_step(void *self, state *x, real h)
{
    int status = euler(self, x, h);
    return status ? status : X(start_project)(((faulty *)self)->s, x);
}

/* RATTLE with the momenta and velocities stretched by a tiny part: omega grows by exactly that part. */
#define STRETCH (QUAD ? (real)1e-20 : (real)1e-8)

static int stretched_step(void *self, state *x, real h)
{
    int status = X(method_step)(&((faulty *)self)->rattle, x, h);
    for (uint32_t i = 0; !status && i < x->n; i++)
        x->p[i] *= 1 + STRETCH, x->p_low[i] *= 1 + STRETCH, x->w[i] *= 1 + STRETCH;
    return status;
}

/* A symmetric step whose Newton iteration, so to speak, was stopped too early: positions keep a small error. */
static int loose_step(void *self, state *x, real h)
{
    int status = X(method_step)(&((faulty *)self)->rattle, x, h);
    if (!status) x->q[0] *= 1 + STRETCH;
    return status;
}

static int rattle_step(void *self, state *x, real h) { return X(method_step)(&((faulty *)self)->rattle, x, h); }

/* Triple jumps of RATTLE, h = 2a + b: order 4 with a = 1/(2 - 2^(1/3)), and of that once more with the fifth root,
   order 6 (Yoshida). */
static int jump(faulty *f, state *x, real h, int order)
{
    if (order == 2) return X(method_step)(&f->rattle, x, h);
    real a = h / (2 - REAL(pow)(2, (real)1 / (order - 1)));
    int status = jump(f, x, a, order - 2);
    if (!status) status = jump(f, x, h - 2 * a, order - 2);
    return status ? status : jump(f, x, a, order - 2);
}

static int fourth_step(void *self, state *x, real h) { return jump(self, x, h, 4); }
static int sixth_step(void *self, state *x, real h) { return jump(self, x, h, 6); }

#define EVERYTHING \
    (KEEPS_SYMPLECTIC | KEEPS_ENERGY | KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION | KEEPS_VELOCITY)

static const method_info projected_euler_info = { .name = "projected-euler", .order = 1, .keeps = EVERYTHING },
                         plain_euler_info = { .name = "plain-euler", .order = 2, .keeps = EVERYTHING },
                         stretched_info = { .name = "stretched",
                                            .order = 2,
                                            .keeps = EVERYTHING & ~(unsigned)KEEPS_ENERGY },
                         loose_info = { .name = "loose", .order = 2, .keeps = EVERYTHING & ~(unsigned)KEEPS_ENERGY },
                         fourth_info = { .name = "fourth", .order = 4, .keeps = EVERYTHING & ~(unsigned)KEEPS_ENERGY },
                         sixth_info = { .name = "sixth", .order = 6, .keeps = EVERYTHING & ~(unsigned)KEEPS_ENERGY },
                         boastful_info = { .name = "boastful", .order = 4, .keeps = 0 };

#define FAULTY(name, does)                                                                                   \
    static const method_code name##_code = { .create = faulty_create, .step = does, .counts = faulty_counts, \
                                             .destroy = faulty_destroy };                                    \
    static const struct method_class name = { .info = &name##_info, .code = &name##_code }
FAULTY(projected_euler, projected_euler_step);
FAULTY(plain_euler, plain_euler_step);
FAULTY(stretched, stretched_step);
FAULTY(loose, loose_step);
FAULTY(fourth, fourth_step);
FAULTY(sixth, sixth_step);
FAULTY(boastful, rattle_step);

static simulation *open_with(const char *name, const struct method_class *class)
{
    char path[512];
    model *m = NULL;
    simulation *z = NULL;
    engine_options options = { 0 };
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, name);
    assert_int_equal(taut_model_read_file(context, path, NULL, 0, &m), TAUT_OK);
    assert_int_equal(X(simulation_create_with)(m, &options, class, &z), TAUT_OK);
    return z;
}

/* ---- verify ---- */

static verify_result verify(simulation *z, double step, double until)
{
    verify_result r;
    verify_options o = { .api = &ENGINE,
                         .engine = z,
                         .long_api = &ENGINE,
                         .long_engine = z,
                         .step = taut_wide_from_double(step),
                         .until = taut_wide_from_double(until) };
    if (taut_verify_run(z->m->context, &o, &r)) fail_msg("%s", taut_error_text(z->m->context));
    for (int i = 0; i < r.count; i++)
        printf("    %-19s %-4s %-36s %-14s %s\n", r.rows[i].property, r.rows[i].declared, r.rows[i].measured,
               taut_verdict_text(r.rows[i].verdict), r.rows[i].note);
    return r;
}

static const verify_row *row_of(const verify_result *r, const char *property)
{
    for (int i = 0; i < r->count; i++)
        if (strcmp(r->rows[i].property, property) == 0) return &r->rows[i];
    fail_msg("no row '%s'", property);
    return NULL;
}

static void assert_verdict(const verify_result *r, const char *property, verdict expected)
{
    verdict found = row_of(r, property)->verdict;
    if (found != expected) fail_msg("%s: %s, not %s", property, taut_verdict_text(found), taut_verdict_text(expected));
}

/* All that RATTLE declares, on models with constant mass, with a mass that depends on q, with quaternions, driven,
   damped, and none of the first. Steps: the ones that verify chooses, given here to save time. */
static void rattle_holds(void **unused)
{
    (void)unused;
    static const struct {
        const char *name;
        double step;
        int confirmed; /* properties that apply */
    } models[] = {
        { "double-spherical-pendulum", 0.02, 7 }, { "triple-pendulum", 0.05, 6 }, { "heavy-top", 0.0005, 7 },
        { "driven-pendulum", 0.001, 6 },          { "damped-pendulum", 0.02, 5 }, { "henon-heiles", 0.1, 4 },
    };
    for (size_t i = 0; i < (SANITIZED ? 2 : sizeof models / sizeof *models); i++) {
        simulation *z = open_model(models[i].name);
        printf("%s\n", models[i].name);
        verify_result r = verify(z, models[i].step, QUAD ? 100 * models[i].step : 1000 * models[i].step);
        assert_int_equal(taut_verify_count(&r, VERDICT_FAILS), 0);
        assert_int_equal(taut_verify_count(&r, VERDICT_UNDECIDED), 0);
        assert_int_equal(taut_verify_count(&r, VERDICT_HOLDS), models[i].confirmed);
        assert_int_equal(taut_verify_count(&r, VERDICT_TREND), 0); /* the runs in quad are too short to tell */
        close_model(z);
    }
}

/* What a model has nothing to say about is reported, with the reason. */
static void what_does_not_apply_is_told(void **unused)
{
    (void)unused;
    simulation *z = open_model("damped-pendulum");
    verify_result r = verify(z, 0.02, 1);
    static const char *const properties[] = { "symplectic", "energy", "momenta" };
    for (int i = 0; i < 3; i++) {
        assert_verdict(&r, properties[i], VERDICT_NOT_APPLICABLE);
        assert_true(row_of(&r, properties[i])->note[0] != 0);
    }
    close_model(z);
    z = open_model("henon-heiles");
    r = verify(z, 0.1, 10);
    assert_verdict(&r, "position g = 0", VERDICT_NOT_APPLICABLE);
    assert_verdict(&r, "velocity dg/dt = 0", VERDICT_NOT_APPLICABLE);
    close_model(z);
}

/* A free particle: every method is exact. Order cannot be contradicted, energy is kept though not declared. */
static void round_off_is_not_an_order(void **unused)
{
    (void)unused;
    simulation *z = open_text("local x = coordinate 'x'\nlagrangian(x.dot^2/2)\nstart { x = 1, ['x.dot'] = 0.5 }\n");
    verify_result r = verify(z, 0.1, 10);
    assert_verdict(&r, "order in q", VERDICT_HOLDS);
    assert_non_null(strstr(row_of(&r, "order in q")->note, "round-off"));
    assert_verdict(&r, "energy", VERDICT_KEPT);
    assert_verdict(&r, "energy trend", VERDICT_ROUND_OFF);
    assert_verdict(&r, "momenta", VERDICT_HOLDS);
    close_model(z);
}

static void projected_euler_is_found_out(void **unused)
{
    (void)unused;
    simulation *z = open_with("double-spherical-pendulum", &projected_euler);
    verify_result r = verify(z, 0.01, 4); /* after t = 10 it has so much energy that it no longer runs */
    assert_verdict(&r, "order in q", VERDICT_HOLDS);
    assert_verdict(&r, "order in p", VERDICT_HOLDS);
    assert_verdict(&r, "symplectic", VERDICT_FAILS);
    assert_verdict(&r, "energy", VERDICT_FAILS);
    assert_verdict(&r, "energy trend", VERDICT_TREND);
    assert_verdict(&r, "momenta", VERDICT_FAILS);
    assert_verdict(&r, "reversible", VERDICT_FAILS);
    assert_verdict(&r, "position g = 0", VERDICT_HOLDS);
    assert_verdict(&r, "velocity dg/dt = 0", VERDICT_HOLDS);
    /* det(1 + h A) = 1 + h^2 ..: a defect of the size of h^2 */
    assert_between(row_of(&r, "symplectic")->value, 1e-6, 1e-2);
    close_model(z);
}

static void plain_euler_is_found_out(void **unused)
{
    (void)unused;
    simulation *z = open_with("triple-pendulum", &plain_euler);
    verify_result r = verify(z, 0.01, 1);
    static const char *const properties[] = { "order in q", "order in p",     "symplectic",        "energy",
                                              "reversible", "position g = 0", "velocity dg/dt = 0" };
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        assert_verdict(&r, properties[i], VERDICT_FAILS);
    assert_between(row_of(&r, "order in q")->value, 0.9, 1.1);
    close_model(z);
}

/* A defect far below what an eye or a plot would see is measured at its size: omega grows by STRETCH, and is a good
   part of its terms. The momenta grow with it, 200 times; the way back does not undo it; the velocity constraint
   stays. */
static void a_small_defect_is_measured(void **unused)
{
    (void)unused;
    simulation *z = open_with("double-spherical-pendulum", &stretched);
    verify_result r = verify(z, 0.02, 4);
    assert_verdict(&r, "symplectic", VERDICT_FAILS);
    assert_between(row_of(&r, "symplectic")->value / STRETCH, 0.05, 1.01);
    assert_verdict(&r, "momenta", VERDICT_FAILS);
    assert_verdict(&r, "reversible", VERDICT_FAILS);
    assert_verdict(&r, "velocity dg/dt = 0", VERDICT_HOLDS);
    close_model(z);
    z = open_with("double-spherical-pendulum", &loose);
    r = verify(z, 0.02, 4);
    assert_verdict(&r, "position g = 0", VERDICT_FAILS);
    /* |q| = 4 stretched: g changes by 2 q.dq */
    assert_between(row_of(&r, "position g = 0")->value / STRETCH, 1, 40);
    close_model(z);
}

/* RATTLE declared as of order 4; what it keeps beyond its declaration is reported too. */
static void a_wrong_order_is_found_out(void **unused)
{
    (void)unused;
    simulation *z = open_with("pendulum", &boastful);
    verify_result r = verify(z, 0.02, 4);
    assert_verdict(&r, "order in q", VERDICT_FAILS);
    assert_verdict(&r, "order in p", VERDICT_FAILS);
    assert_verdict(&r, "symplectic", VERDICT_KEPT);
    assert_verdict(&r, "reversible", VERDICT_KEPT);
    assert_verdict(&r, "energy", VERDICT_NOT_KEPT);
    assert_int_equal(taut_verify_count(&r, VERDICT_FAILS), 2);
    close_model(z);
}

static void higher_orders_are_measured(void **unused)
{
    (void)unused;
    static const struct method_class *const methods[] = { &fourth, &sixth };
    for (int i = 0; i < 2; i++) {
        simulation *z = open_with("triple-pendulum", methods[i]);
        verify_result r = verify(z, 0.1, 5);
        assert_int_equal(taut_verify_count(&r, VERDICT_FAILS) + taut_verify_count(&r, VERDICT_UNDECIDED), 0);
        assert_between(row_of(&r, "order in q")->value, 4 + 2 * i - 0.2, 4 + 2 * i + 0.2);
        assert_between(row_of(&r, "order in p")->value, 4 + 2 * i - 0.2, 4 + 2 * i + 0.2);
        close_model(z);
    }
}

/* The step that verify chooses is one of 1, 0.5, 0.2, .. and runs. */
static void a_step_is_chosen(void **unused)
{
    (void)unused;
    simulation *z = open_model("pendulum");
    verify_result r = verify(z, 0, 2);
    assert_between(r.step, 1e-3, 0.1);
    assert_int_equal(taut_verify_count(&r, VERDICT_FAILS) + taut_verify_count(&r, VERDICT_UNDECIDED), 0);
    close_model(z);
}

/* Every number that a measurement touches is put back: the next measurement begins where this one began. */
static void measurements_leave_the_state(void **unused)
{
    (void)unused;
    simulation *z = open_model("double-spherical-pendulum");
    engine_symplecticity form;
    engine_return way;
    do_steps(z, 10, (real)1 / 64);
    state before = save_state(z);
    assert_int_equal(ENGINE.symplecticity(z, (wide)1 / 64, &form), TAUT_OK);
    assert_memory_equal(before.block, z->x.block, X(state_size)(&before) * sizeof(real));
    assert_int_equal(form.pairs, 6);
    assert_int_equal(ENGINE.there_and_back(z, (wide)1 / 64, 10, &way), TAUT_OK);
    assert_memory_equal(before.block, z->x.block, X(state_size)(&before) * sizeof(real));
    assert_true(before.t == z->x.t);
    assert_true(way.growth >= 1);
    X(state_clear)(z->s, &before);
    close_model(z);
}

/* ---- states nearby ---- */

/* Away from the trajectory by a hundredth, any way: on the constraints, and velocities along them there. Rounding
   errors of numbers of about 10. */
static void states_nearby_are_on_the_constraints(void **unused)
{
    (void)unused;
    simulation *z = open_model("double-spherical-pendulum");
    state base = save_state(z);
    real dq[6], dw[6], g, rate;
    nearby *n;
    assert_int_equal(z->s->n, 6);
    assert_int_equal(X(nearby_create)(z->s, &base, &n), TAUT_OK);
    for (int k = 0; k < 6; k++) {
        for (int i = 0; i < 6; i++) dq[i] = i == k, dw[i] = i == (k + 2) % 6;
        if (X(nearby_state)(n, (real)1 / 100, dq, dw, &z->x)) fail_msg("%s", taut_error_text(z->m->context));
        X(simulation_residuals)(z, &g, &rate);
        assert_at_most(g, 100 * REAL_EPSILON);
        assert_at_most(rate, 1000 * REAL_EPSILON);
        assert_between(distance(z->x.q, base.q, 6), 1e-3, 1.5e-2);
    }
    X(nearby_destroy)(n);
    X(state_clear)(z->s, &base);
    close_model(z);
}

/* Terms linear in the velocities with coefficients of q: constant mass, and yet the implicit form. */
static void rattle_holds_in_a_magnetic_field(void **unused)
{
    (void)unused;
    simulation *z = open_text("local a = point 'a'\n"
                              "lagrangian(norm2(a.dot)/2 - 9.81*a.z + (1 + a.z^2/4)*(a.x*a.dot.y - a.y*a.dot.x))\n"
                              "constraint('sphere', norm2(a) - 1) start { a = {0.6, 0, -0.8}, ['a.dot'] = {0, 2, 0} }");
    assert_true(z->s->structure.constant_mass && !z->s->structure.explicit_force);
    verify_result r = verify(z, 0.02, 8);
    static const char *const properties[] = { "order in q", "order in p",     "symplectic",        "momenta",
                                              "reversible", "position g = 0", "velocity dg/dt = 0" };
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        assert_verdict(&r, properties[i], VERDICT_HOLDS);
    close_model(z);
}

/* ---- the chosen step ---- */

/* The same pendulum with seconds, with units of 1e14 in a second and with units of 1e10 seconds: the same step. */
static void step_is_chosen_in_any_units(void **unused)
{
    (void)unused;
    static const char *const g[] = { "9.81", "9.81e-28", "9.81e20" };
    static const wide unit[] = { 1, (wide)1e14, (wide)1e-10 };
    wide step[3];
    for (int i = 0; i < 3; i++) {
        char text[200];
        snprintf(text, sizeof text,
                 "local a = point('a', 2) lagrangian(norm2(a.dot)/2 - %s*a.y) constraint('rod', norm2(a) - 1)\n"
                 "start { a = {1, 0} }",
                 g[i]);
        simulation *z = open_text(text);
        verify_result r = verify(z, 0, 0);
        assert_int_equal(taut_verify_count(&r, VERDICT_FAILS) + taut_verify_count(&r, VERDICT_UNDECIDED), 0);
        step[i] = r.step / unit[i];
        close_model(z);
    }
    for (int i = 1; i < 3; i++) assert_between(step[i] / step[0], 1 - 1e-12, 1 + 1e-12);
}

/* Two like charges in the plane: they fly apart for ever, faster and faster. The error of a method of first order
   goes with the motion. A bound pair under a method that loses energy drifts. */
static void drift_is_told_from_a_motion_that_leaves(void **unused)
{
    (void)unused;
    static const struct { const char *potential, *velocity, *method; double step, until; verdict verdict; } cases[] = {
        { "-log(1 + norm2(a - b))/2", "0, 0", "euler", 0.02, 20, VERDICT_NO_RETURN },
        { "4*(norm2(a - b)^-6 - norm2(a - b)^-3)", "0.2, 0.3", "dirac:rk4", 0.02, 80, VERDICT_TREND },
    };
    for (int i = 0; i < 2; i++) {
        char text[300];
        snprintf(text, sizeof text, "local a, b = point('a', 2), point('b', 2)\n"
                                    "lagrangian(norm2(a.dot)/2 + norm2(b.dot)/2 - (%s))\n"
                                    "start { a = {0, 0}, b = {1.3, 0}, ['b.dot'] = {%s} }", cases[i].potential,
                 cases[i].velocity);
        simulation *z = open_text(text);
        method_spec spec;
        X(method_destroy)(&z->method);
        assert_int_equal(X(method_parse)(z->m->context, cases[i].method, &spec), TAUT_OK);
        assert_int_equal(X(method_create)(z->s, &spec, 0, &z->method), TAUT_OK);
        verify_result r = verify(z, cases[i].step, cases[i].until);
        assert_int_equal(row_of(&r, "energy trend")->verdict, cases[i].verdict);
        close_model(z);
    }
}

/* ---- the exact flow ---- */

/* x'' = -x from (1, 0): cos t, -sin t. The tolerance is per step, of which there are some ten. */
static void flow_of_the_oscillator(void **unused)
{
    (void)unused;
    simulation *z = open_text("local x = coordinate 'x'\nlagrangian((x.dot^2 - x^2)/2)\nstart { x = 1 }\n");
    real tolerance = QUAD ? (real)1e-28 : (real)1e-13;
    assert_int_equal(X(simulation_flow)(z, 10, tolerance), TAUT_OK);
    assert_true(z->x.t == 10);
    assert_at_most(REAL(fabs)(z->x.q[0] - REAL(cos)(10)), 100 * tolerance);
    assert_at_most(REAL(fabs)(z->x.p[0] + REAL(sin)(10)), 100 * tolerance);
    close_model(z);
}

/* Energy, momentum and constraints along the flow of a pendulum that swings over, all of which it does not know of. The
   motion makes 1e3 or so of an error in this time. */
static void flow_keeps_what_the_motion_keeps(void **unused)
{
    (void)unused;
    simulation *z = open_model("double-spherical-pendulum");
    real tolerance = QUAD ? (real)1e-26 : (real)1e-12, g, rate, energy = X(simulation_energy)(z);
    real momentum = momentum_of(z->s, &z->symmetries[0], z->x.q, z->x.p);
    assert_int_equal(X(simulation_flow)(z, 5, tolerance), TAUT_OK);
    X(simulation_residuals)(z, &g, &rate);
    assert_at_most(g, 1e4 * tolerance);
    assert_at_most(rate, 1e5 * tolerance);
    assert_at_most(REAL(fabs)(X(simulation_energy)(z) - energy), 1e5 * tolerance);
    assert_at_most(REAL(fabs)(momentum_of(z->s, &z->symmetries[0], z->x.q, z->x.p) - momentum),
                   1e5 * tolerance);
    close_model(z);
}

/* A chain between two pins, released from rest: the start does not say how fast it will move, and the first steps
   that are tried end at multipliers of 1e300, which are no guess for the next try. The motion makes 1e3 or so of an
   error. */
static void flow_recovers_from_a_step_that_was_far_too_long(void **unused)
{
    (void)unused;
    simulation *z = open_text("local N, span, g = 20, 0.8, 1e6; local l, last = 1/N, nil\n"
                              "for i = 1, N - 1 do\n"
                              "  local a = point('a' .. i, 2)\n"
                              "  lagrangian(l*norm2(a.dot)/2 - g*l*a.y)\n"
                              "  force(a.x, -l/2*a.dot.x) force(a.y, -l/2*a.dot.y)\n"
                              "  constraint('bar' .. i, norm2(last and a - last or a) - l^2)\n"
                              "  start { ['a' .. i] = {i*span/N, free(-math.min(i, N - i)*0.6*l)} }\n"
                              "  last = a\n"
                              "end\n"
                              "constraint('pin', (last.x - span)^2 + last.y^2 - l^2)\n");
    real tolerance = QUAD ? (real)1e-20 : (real)1e-11, g, rate;
    if (X(simulation_flow)(z, (real)0.01, tolerance)) fail_msg("%s", taut_error_text(z->m->context));
    X(simulation_residuals)(z, &g, &rate);
    assert_at_most(g, 1e4 * tolerance);
    assert_at_most(rate, 1e4 * tolerance * largest_of(z->x.w, z->s->n));
    close_model(z);
}

/* ---- converge ---- */

static void converges_with_order_two(void **unused)
{
    (void)unused;
    wide steps[] = { (wide)1 / 10, (wide)1 / 20, (wide)1 / 40 };
    simulation *z = open_model("triple-pendulum"), *other = open_model("triple-pendulum");
    converge_result r;
    converge_options o = { .steps = steps, .count = 3, .until = 1, .reference_step = 0 };
    assert_int_equal(taut_converge_run(z->m->context, &ENGINE, z, &ENGINE, other, &o, &r), TAUT_OK);
    assert_int_equal(r.kinds, 3);
    for (int k = 0; k < 3; k++) {
        assert_true(r.rows[0].order[k] != r.rows[0].order[k]); /* none */
        for (int i = 1; i < 3; i++) assert_between(r.rows[i].order[k], 1.97, 2.03);
        assert_at_most(r.reference_error[k], 0.01 * r.rows[2].error[k]);
        assert_true(r.reference_error[k] > 0);
    }
    /* Quartered, the errors of RATTLE itself agree with what a reference by RATTLE says; that one is poor, and the
       result says so. */
    converge_result by_method;
    o.reference_step = (wide)1 / 40;
    assert_int_equal(taut_converge_run(z->m->context, &ENGINE, z, &ENGINE, other, &o, &by_method), TAUT_OK);
    assert_true(by_method.reference_fine == (wide)1 / 80);
    for (int k = 0; k < 3; k++) {
        assert_false(by_method.rows[0].limited[k]);
        assert_true(by_method.rows[1].limited[k]);
        assert_true(by_method.rows[2].limited[k]);
        assert_true(by_method.rows[2].order[k] != by_method.rows[2].order[k]);
        /* 3/4 of 4 errors of the finer step */
        assert_between(by_method.reference_error[k] / r.rows[2].error[k], 0.74, 0.76);
    }
    taut_converge_result_clear(z->m->context, &r);
    taut_converge_result_clear(z->m->context, &by_method);
    close_model(z);
    close_model(other);
}

static void steps_must_divide_the_end(void **unused)
{
    (void)unused;
    assert_int_equal(taut_converge_step_count(taut_wide_from_double(0.1), 1), 10);
    assert_int_equal(taut_converge_step_count(taut_wide_from_double(0.3), 1), 0);
    assert_int_equal(taut_converge_step_count(2, 1), 0);
    assert_int_equal(taut_converge_step_count(-1, 1), 0);
    /* 10/3 with as many digits as one writes is 3 steps of 10, and with seven it is not: (1/3 - 0.3333333)*30 = 1e-6 */
    assert_int_equal(taut_converge_step_count(taut_wide_from_double(0.33333333333), 10), 30);
    assert_int_equal(taut_converge_step_count(taut_wide_from_double(0.3333333), 10), 0);
    assert_int_equal(taut_converge_step_count(taut_wide_from_double(0.3333334), 10), 0);
    wide steps[] = { taut_wide_from_double(0.3) };
    simulation *z = open_model("pendulum");
    converge_result r;
    converge_options o = { .steps = steps, .count = 1, .until = 1, .reference_step = 0 };
    assert_int_equal(taut_converge_run(z->m->context, &ENGINE, z, &ENGINE, z, &o, &r), TAUT_BAD_USAGE);
    assert_non_null(strstr(taut_error_text(z->m->context), "divide"));
    taut_converge_result_clear(z->m->context, &r);
    close_model(z);
}

/* (4.1) of Jay & Simeon with (3.2), which is inconsistent there: it does converge, to another motion, and that is seen
   although no position is singular. With (3.5) errors are those of the method. */
static void another_motion_is_seen(void **unused)
{
    (void)unused;
    static const char *const methods[] = { "euler:natural", "euler" };
    wide steps[] = { (wide)1 / 1000, (wide)1 / 2000 };
    for (int i = 0; i < 2; i++) {
        simulation *z = NULL, *other = open_model("papers/jay-simeon-4.1");
        const engine_options options = { .method = methods[i] };
        assert_int_equal(X(simulation_create)(other->m, &options, &z), TAUT_OK);
        converge_result r;
        converge_options o = { .steps = steps, .count = 2, .until = 1 };
        assert_int_equal(taut_converge_run(other->m->context, &ENGINE, z, &ENGINE, other, &o, &r), TAUT_OK);
        assert_int_equal(strstr(r.wrong, "does not converge to the motion of the equations") != NULL, i == 0);
        assert_int_equal(strstr(r.wrong, "it is of order 0 on this model") != NULL, i == 0);
        if (i) assert_between(r.rows[1].order[0], 0.9, 1.1);
        taut_converge_result_clear(other->m->context, &r);
        X(simulation_destroy)(z);
        close_model(other);
    }
}

static int nowhere(void *engine, wide *q, wide *p, wide *lambda)
{
    const int status = ENGINE.solution(engine, q, p, lambda);
    q[4] = (wide)NAN;
    return status;
}

/* A coordinate that is not a number, between others that agree: there is no error, and no order. */
static void a_solution_that_is_none_has_no_error(void **unused)
{
    (void)unused;
    wide steps[] = { (wide)1 / 8, (wide)1 / 16 };
    simulation *z = open_model("double-spherical-pendulum"), *other = open_model("double-spherical-pendulum");
    engine_api api = ENGINE;
    api.solution = nowhere;
    converge_result r;
    converge_options o = { .steps = steps, .count = 2, .until = 1, .reference_step = (wide)1 / 64 };
    assert_int_equal(taut_converge_run(z->m->context, &api, z, &ENGINE, other, &o, &r), TAUT_OK);
    for (int i = 0; i < 2; i++) {
        assert_false(r.rows[i].failure[0]);
        assert_true(r.rows[i].error[0] != r.rows[i].error[0]);
        assert_true(r.rows[i].order[0] != r.rows[i].order[0]);
        assert_true(r.rows[i].error[1] > 0 && r.rows[i].error[1] < 1); /* the momenta are there */
    }
    taut_converge_result_clear(z->m->context, &r);
    close_model(z);
    close_model(other);
}

/* A step that fails is a row that says so; the others stand. */
static void a_failed_step_is_a_row(void **unused)
{
    (void)unused;
    wide steps[] = { 8, (wide)1 / 8, (wide)1 / 16 };
    simulation *z = open_model("double-spherical-pendulum"), *other = open_model("double-spherical-pendulum");
    converge_result r;
    converge_options o = { .steps = steps, .count = 3, .until = 8, .reference_step = (wide)1 / 64 };
    assert_int_equal(taut_converge_run(z->m->context, &ENGINE, z, &ENGINE, other, &o, &r), TAUT_OK);
    assert_true(r.rows[0].failure[0] != 0);
    assert_true(r.rows[1].failure[0] == 0 && r.rows[2].failure[0] == 0);
    taut_converge_result_clear(z->m->context, &r);
    close_model(z);
    close_model(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rattle_holds),
        cmocka_unit_test(what_does_not_apply_is_told),
        cmocka_unit_test(round_off_is_not_an_order),
        cmocka_unit_test(projected_euler_is_found_out),
        cmocka_unit_test(plain_euler_is_found_out),
        cmocka_unit_test(a_small_defect_is_measured),
        cmocka_unit_test(a_wrong_order_is_found_out),
        cmocka_unit_test(higher_orders_are_measured),
        cmocka_unit_test(a_step_is_chosen),
        cmocka_unit_test(measurements_leave_the_state),
        cmocka_unit_test(states_nearby_are_on_the_constraints),
        cmocka_unit_test(rattle_holds_in_a_magnetic_field),
        cmocka_unit_test(step_is_chosen_in_any_units),
        cmocka_unit_test(drift_is_told_from_a_motion_that_leaves),
        cmocka_unit_test(flow_of_the_oscillator),
        cmocka_unit_test(flow_keeps_what_the_motion_keeps),
        cmocka_unit_test(flow_recovers_from_a_step_that_was_far_too_long),
        cmocka_unit_test(converges_with_order_two),
        cmocka_unit_test(steps_must_divide_the_end),
        cmocka_unit_test(another_motion_is_seen),
        cmocka_unit_test(a_solution_that_is_none_has_no_error),
        cmocka_unit_test(a_failed_step_is_a_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
