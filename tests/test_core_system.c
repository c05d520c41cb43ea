/* The system: its functions and blocks against differences, what it finds in a model, inverse mass, symmetries. */
#include "system/symmetry.h"

#include "support_core.h"

enum { MOST = 24 };

/* ---- a system at a random place ---- */

typedef struct {
    model *m;
    struct system *s;
    real q[MOST], w[MOST], t, lambda[MOST];
} sample;

static int try_sample(sample *z, const char *text)
{
    generator r = { 77 };
    memset(z, 0, sizeof *z);
    z->m = load(text);
    assert_true(z->m->coordinate_count <= MOST && z->m->constraint_count <= MOST);
    for (int i = 0; i < MOST; i++)
        z->q[i] = random_number(&r), z->w[i] = random_number(&r), z->lambda[i] = random_number(&r);
    z->t = (real)0.375;
    return X(system_create)(z->m, &z->s);
}

static void open_sample(sample *z, const char *text)
{
    int status = try_sample(z, text);
    if (status) print_error("%s\n%s\n", taut_error_text(context), text);
    assert_int_equal(status, TAUT_OK);
}

static void close_sample(sample *z)
{
    X(system_destroy)(z->s);
    taut_model_free(z->m);
}

static place here(const sample *z) { return place_at(z->s, z->q, z->w, &z->t, z->lambda); }

static real *variable(sample *z, kind k, uint32_t i)
{
    return k == KIND_Q ? &z->q[i] : k == KIND_W ? &z->w[i] : k == KIND_T ? &z->t : &z->lambda[i];
}

typedef void (*function)(sample *z, real *out);

/* Central differences of fourth order: error step^4 f^(5)/30 plus eps f/step. For double 1e-12 f^(5) + 2e-13 f, for
   quad 1e-24 f^(5) + 2e-28 f; the models below have derivatives up to some 10^2. */
#ifdef TAUT_REAL_QUAD
static const real step = 1e-6, difference_error = 1e-20;
#else
static const real step = 1e-3, difference_error = 1e-9;
#endif

static void differences(sample *z, function f, uint32_t rows, kind k, uint32_t i, real *out)
{
    static const int at[] = { -2, -1, 1, 2 }, weight[] = { 1, -8, 8, -1 };
    real *x = variable(z, k, i), keep = *x;
    memset(out, 0, rows * sizeof *out);
    for (int j = 0; j < 4; j++) {
        real values[MOST];
        *x = keep + at[j] * step;
        f(z, values);
        for (uint32_t r = 0; r < rows; r++) out[r] += weight[j] * values[r] / (12 * step);
    }
    *x = keep;
}

static void momentum(sample *z, real *out) { place at = here(z); X(system_momentum)(z->s, &at, out); }
static void velocity(sample *z, real *out) { place at = here(z); X(system_velocity)(z->s, &at, out); }
static void force(sample *z, real *out) { place at = here(z); X(system_force)(z->s, &at, out); }
static void constraints(sample *z, real *out) { place at = here(z); X(system_constraints)(z->s, &at, out); }

static void free_force(sample *z, real *out) { place at = here(z); X(system_free_force)(z->s, &at, out); }
static void constraint_force(sample *z, real *out) { place at = here(z); X(system_constraint_force)(z->s, &at, out); }

/* G v + g_t with w for v */
static void constraint_speed(sample *z, real *out)
{
    place at = here(z);
    assert_int_equal(X(system_prepare_block)(z->s, BLOCK_G), TAUT_OK);
    const block_shape *shape = &z->s->blocks[BLOCK_G];
    real *values = calloc((size_t)shape->value_count + 1, sizeof *values);
    X(system_block_values)(z->s, BLOCK_G, &at, values);
    X(system_constraint_rate)(z->s, &at, out);
    X(block_multiply)(shape, values, 1, z->w, out);
    free(values);
}

static void energy_field(sample *z, real *out)
{
    place at = here(z);
    *out = 0;
    X(field_values)(z->s->energy, &at, out);
}

static void given_force(sample *z, real *out)
{
    place at = here(z);
    memset(out, 0, z->s->n * sizeof *out);
    X(field_values)(z->s->force, &at, out);
}

/* ---- models for the comparison with differences ---- */

static const char lagrangian_text[] =
    "local x, y, a, t = coordinate 'x', coordinate 'y', point('a', 2), time()\n"
    "local m = param('m', 1.5)\n"
    "lagrangian((2 + cos(x - y))*x.dot^2/2 + (1 + x^2*exp(-t))*y.dot^2/2 + x.dot*y.dot*sin(t)/3)\n"
    "lagrangian(m/2*norm2(a.dot) + x.dot*a.x*cos(t) + a.x.dot^4/12 - m*a.y - (x*a.x - y)^2*t)\n"
    "local l = constraint('ring', norm2(a) - 1 - x^2 - sin(t))\n"
    "local k = constraint('cam', x*y - a.x*t)\n"
    "force(x, -0.1*x.dot*norm(a.dot) + l*y)\n"
    "force(a, {a.y*k, x.dot*y.dot - l^2*t})\n"
    "start { x = 0.3, y = 0.4, a = {1, 0} }\n";

static const char hamiltonian_text[] = "local x, y, a, t = coordinate 'x', coordinate 'y', point('a', 2), time()\n"
                                       "local px, py, pa = momentum(x), momentum(y), momentum(a)\n"
                                       "hamiltonian(px^2/(2 + 2*x^2) + py^2/2*exp(t/5) + px*py*cos(x)/4 + py*y*t + "
                                       "norm2(pa)/2 + pa.x*a.y + (x*y - a.x)^2)\n"
                                       "local l = constraint('ring', norm2(a) - 1 - x^2 - sin(t))\n"
                                       "force(y, -0.1*py*px + l*x*t)\n"
                                       "start { x = 0.3, y = 0.4, a = {1, 0} }\n";

static const char rate_text[] =
    "local x, y, t = coordinate 'x', coordinate 'y', time()\n"
    "local u, v = momentum(x), momentum(y)\n"
    "local l = constraint('curve', x^2 + y^3 - t)\n"
    "rate(x, u*(2 + cos(y)) + t*v)\n"
    "rate(y, v + u^3/3)\n"
    "rate(u, -x*u + l^2*y + sin(t))\n"
    "rate(v, x*y - v + l*x*u)\n"
    "start { x = 0.3, y = 0.4 }\n";

static const char body_text[] = /* the Lagrangian is augmented */
    "local r, a, t = rotation 'r', point 'a', time()\n"
    "local w = r.omega\n"
    "lagrangian((w.x^2 + 2*w.y^2 + 3*w.z^2)/2 + norm2(a.dot)/2 - a.z - r:apply{0, 0, 1}.z)\n"
    "constraint('link', norm2(r:apply{0, 0, 1} - a) - 1)\n"
    "force(a, -0.2*a.dot)\n"
    "start { r = {1, 0, 0, 0}, a = {0, 0, 2} }\n";

static const char *const texts[] = { lagrangian_text, hamiltonian_text, rate_text, body_text };
enum { TEXTS = sizeof texts / sizeof *texts };

/* ---- functions ---- */

/* pi = L_v, phi = L_q + F + G' lambda; nu = H_p, phi = -H_q + F + G' lambda */
static void functions_are_gradients(void **state)
{
    (void)state;
    for (int text = 0; text < TEXTS; text++) {
        sample z;
        open_sample(&z, texts[text]);
        uint32_t n = z.s->n, c = z.s->c;
        if (z.s->form != FORM_RATES) {
            real gradient[MOST], by_w[MOST], phi[MOST], given[MOST];
            (z.s->form == FORM_LAGRANGIAN ? momentum : velocity)(&z, by_w);
            force(&z, phi);
            given_force(&z, given);
            for (uint32_t i = 0; i < n; i++) {
                real d, g[MOST], expected;
                differences(&z, energy_field, 1, KIND_W, i, &d);
                assert_near(by_w[i], d, difference_error, "gradient by w", i);
                differences(&z, energy_field, 1, KIND_Q, i, &gradient[i]);
                differences(&z, constraints, c, KIND_Q, i, g);
                expected = (z.s->form == FORM_LAGRANGIAN ? gradient[i] : -gradient[i]) + given[i];
                for (uint32_t k = 0; k < c; k++) expected += g[k] * z.lambda[k];
                assert_near(phi[i], expected, difference_error, "force", i);
            }
            place without = place_at(z.s, z.q, z.w, &z.t, NULL), at = here(&z);
            real free_force[MOST], no_lambda[MOST];
            X(system_free_force)(z.s, &at, free_force);
            for (uint32_t i = 0; i < n; i++) {
                real expected = (z.s->form == FORM_LAGRANGIAN ? gradient[i] : -gradient[i]) + given[i];
                assert_near(free_force[i], expected, difference_error, "free force", i);
            }
            X(system_force)(z.s, &without, no_lambda);
            for (uint32_t k = 0; k < c; k++) z.lambda[k] = 0;
            force(&z, phi);
            /* no multipliers are zero multipliers */
            for (uint32_t i = 0; i < n; i++) assert_true(phi[i] == no_lambda[i]);
        }
        close_sample(&z);
    }
}

static void trivial_functions_are_w(void **state)
{
    (void)state;
    for (int text = 0; text < TEXTS; text++) {
        sample z;
        real out[MOST];
        open_sample(&z, texts[text]);
        (z.s->form == FORM_LAGRANGIAN ? velocity : momentum)(&z, out);
        assert_memory_equal(out, z.w, z.s->n * sizeof(real));
        close_sample(&z);
    }
}

static void rates_are_as_written(void **state)
{
    (void)state;
    sample z;
    real nu[MOST], phi[MOST];
    open_sample(&z, rate_text);
    velocity(&z, nu);
    force(&z, phi);
    real x = z.q[0], y = z.q[1], u = z.w[0], v = z.w[1], t = z.t, l = z.lambda[0];
    const real few = 8 * REAL_EPSILON; /* a few operations on numbers of the order of 1 */
    assert_near(nu[0], u * (2 + REAL(cos)(y)) + t * v, few, "rate", 0);
    assert_near(nu[1], v + u * u * u / 3, few, "rate", 1);
    assert_near(phi[0], -x * u + l * l * y + REAL(sin)(t), few, "rate", 2);
    assert_near(phi[1], x * y - v + l * x * u, few, "rate", 3);
    close_sample(&z);
}

static void energy_is_the_legendre_transform(void **state)
{
    (void)state;
    sample z;
    real L, p[MOST], sum = 0;
    open_sample(&z, lagrangian_text);
    place at = here(&z);
    energy_field(&z, &L);
    momentum(&z, p);
    for (uint32_t i = 0; i < z.s->n; i++) sum += p[i] * z.w[i];
    assert_near(X(system_energy)(z.s, &at, z.w), sum - L, 32 * REAL_EPSILON, "energy",
                0); /* the same sum in another order */
    close_sample(&z);
    open_sample(&z, hamiltonian_text);
    at = here(&z);
    energy_field(&z, &L);
    assert_true(X(system_energy)(z.s, &at, NULL) == L);
    close_sample(&z);
}

/* ---- blocks ---- */

static const struct {
    block_id id;
    function f;
    kind by;
    int constraint_rows;
    const char *name;
} blocks[] = {
    { BLOCK_PI_Q, momentum, KIND_Q, 0, "pi_q" },   { BLOCK_PI_W, momentum, KIND_W, 0, "pi_w" },
    { BLOCK_NU_Q, velocity, KIND_Q, 0, "nu_q" },   { BLOCK_NU_W, velocity, KIND_W, 0, "nu_w" },
    { BLOCK_PHI_Q, force, KIND_Q, 0, "phi_q" },    { BLOCK_PHI_W, force, KIND_W, 0, "phi_w" },
    { BLOCK_PHI_LAMBDA, force, KIND_LAMBDA, 0, "phi_lambda" }, { BLOCK_G, constraints, KIND_Q, 1, "G" },
    { BLOCK_RATE_Q, constraint_speed, KIND_Q, 1, "dg/dt by q" },
    /* from here on not for rates */
    { BLOCK_FREE_Q, free_force, KIND_Q, 0, "free force by q" },
    { BLOCK_FREE_LAMBDA, free_force, KIND_LAMBDA, 0, "free force by lambda" },
    { BLOCK_CONSTRAINT_FORCE_Q, constraint_force, KIND_Q, 0, "constraint force by q" },
    { BLOCK_CONSTRAINT_FORCE_LAMBDA, constraint_force, KIND_LAMBDA, 0, "constraint force by lambda" },
};

static void check_block(sample *z, int b)
{
    struct system *s = z->s;
    uint32_t rows = blocks[b].constraint_rows ? s->c : s->n, columns = blocks[b].by == KIND_LAMBDA ? s->c : s->n;
    place at = here(z);
    assert_int_equal(X(system_prepare_block)(s, blocks[b].id), TAUT_OK);
    assert_int_equal(X(system_prepare_block)(s, blocks[b].id), TAUT_OK); /* twice is once */
    const block_shape *shape = &s->blocks[blocks[b].id];
    real *values = calloc((size_t)shape->value_count + 1, sizeof *values);
    X(system_block_values)(s, blocks[b].id, &at, values);
    for (uint32_t j = 0; j < columns; j++) {
        real expected[MOST], unit[MOST] = { 0 }, out[MOST];
        differences(z, blocks[b].f, rows, blocks[b].by, j, expected);
        for (uint32_t i = 0; i < rows; i++) out[i] = i;
        unit[j] = 1;
        X(block_multiply)(shape, values, 2, unit, out);
        for (uint32_t i = 0; i < rows; i++)
            assert_near(out[i], i + 2 * expected[i], 2 * difference_error, blocks[b].name, i * 100 + j);
        for (uint32_t i = 0; i < rows; i++) { /* row i of the transposed product is column i */
            real transposed[MOST] = { 0 }, row[MOST] = { 0 };
            row[i] = 1;
            X(block_multiply_transposed)(shape, values, -1, row, transposed);
            assert_near(transposed[j], -expected[i], difference_error, blocks[b].name, i * 100 + j);
        }
    }
    free(values);
}

static void blocks_are_derivatives(void **state)
{
    (void)state;
    for (int text = 0; text < TEXTS; text++) {
        sample z;
        open_sample(&z, texts[text]);
        for (size_t b = 0; b < sizeof blocks / sizeof *blocks; b++)
            if (z.s->form != FORM_RATES || blocks[b].id <= BLOCK_G || blocks[b].id == BLOCK_RATE_Q)
                check_block(&z, (int)b);
        close_sample(&z);
    }
}

/* A place without multipliers means zero multipliers in the blocks as it does in the functions. */
static void no_multipliers_are_zero_multipliers(void **state)
{
    (void)state;
    sample z;
    open_sample(&z, "local a = point 'a'; lagrangian(norm2(a.dot)/2 - a.z^3); constraint('rod', norm2(a) - 1)\n"
                    "start { a = {1, 0, 0} }");
    assert_int_equal(X(system_prepare_block)(z.s, BLOCK_PHI_Q), TAUT_OK);
    int count = z.s->blocks[BLOCK_PHI_Q].value_count;
    real *with = calloc((size_t)count, sizeof *with), *without = calloc((size_t)count, sizeof *without);
    memset(z.lambda, 0, sizeof z.lambda);
    place zero = here(&z), none = place_at(z.s, z.q, z.w, &z.t, NULL);
    X(system_block_values)(z.s, BLOCK_PHI_Q, &zero, with);
    X(system_block_values)(z.s, BLOCK_PHI_Q, &none, without);
    assert_memory_equal(with, without, (size_t)count * sizeof *with);
    free(with);
    free(without);
    close_sample(&z);
}

/* ---- time derivatives ---- */

/* g_t; d^2/ds^2 g(q + s v, t + s); d/dt of pi and nu at fixed w */
static void rates_are_derivatives(void **state)
{
    (void)state;
    for (int text = 0; text < TEXTS; text++) {
        sample z;
        open_sample(&z, texts[text]);
        struct system *s = z.s;
        real g_t[MOST], expected[MOST], v[MOST], rate[MOST], column[MOST];
        place at = here(&z);
        X(system_constraint_rate)(s, &at, g_t);
        differences(&z, constraints, s->c, KIND_T, 0, expected);
        for (uint32_t k = 0; k < s->c; k++) assert_near(g_t[k], expected[k], difference_error, "g_t", k);

        generator r = { 5 };
        for (uint32_t i = 0; i < s->n; i++) v[i] = random_number(&r);
        assert_int_equal(X(system_prepare_rates)(s), TAUT_OK);
        for (int which = 0; which < 2; which++) {
            function f = which ? velocity : momentum;
            (which ? X(system_velocity_rate) : X(system_momentum_rate))(s, &at, v, rate);
            differences(&z, f, s->n, KIND_T, 0, expected);
            for (uint32_t j = 0; j < s->n; j++) {
                differences(&z, f, s->n, KIND_Q, j, column);
                for (uint32_t i = 0; i < s->n; i++) expected[i] += column[i] * v[j];
            }
            for (uint32_t i = 0; i < s->n; i++)
                assert_near(rate[i], expected[i], (real)s->n * difference_error,
                            which ? "velocity rate" : "momentum rate", i);
        }
        /* (g(-2) (-1) + 16 g(-1) - 30 g(0) + 16 g(1) - g(2))/(12 e^2), along (v, 1); round-off eps/e^2 asks for a
           larger e */
        static const int weight[] = { -1, 16, -30, 16, -1 };
        const real e = 4 * step;
        sample moved = z;
        memset(expected, 0, sizeof expected);
        for (int j = 0; j < 5; j++) {
            for (uint32_t i = 0; i < s->n; i++) moved.q[i] = z.q[i] + (j - 2) * e * v[i];
            moved.t = z.t + (j - 2) * e;
            constraints(&moved, column);
            for (uint32_t k = 0; k < s->c; k++) expected[k] += weight[j] * column[k] / (12 * e * e);
        }
        X(system_constraint_curvature)(s, &at, v, rate);
        /* 256 times the fourth-order error of `step`, and eps/e^2: 1e-11 in double, 1e-23 in quad */
        for (uint32_t k = 0; k < s->c; k++) assert_near(rate[k], expected[k], 256 * difference_error, "curvature", k);
        close_sample(&z);
    }
}

/* Rows with and without time mixed: each rate must find its own row. */
static void time_derivatives_find_their_rows(void **state)
{
    (void)state;
    sample z;
    real g_t[5];
    open_sample(
        &z, "local t, x = time(), {}\n"
            "for i = 1, 5 do x[i] = coordinate('x'..i); lagrangian(x[i].dot^2/2); start { ['x'..i] = 0 } end\n"
            "constraint('a', x[1]); constraint('b', x[2] - 2*t); constraint('c', x[3]); constraint('d', x[4] + 5*t^2)\n"
            "constraint('e', x[5]*t)");
    z.t = 3;
    z.q[4] = 7;
    place at = here(&z);
    X(system_constraint_rate)(z.s, &at, g_t);
    static const int expected[] = { 0, -2, 0, 30, 7 };
    for (int k = 0; k < 5; k++) assert_true(g_t[k] == expected[k]);
    close_sample(&z);
}

static void observables(void **state)
{
    (void)state;
    sample z;
    real out[2];
    open_sample(&z, "local x = coordinate 'x'; lagrangian(x.dot^2/2); local l = constraint('c', x); start { x = 0 }\n"
                    "observe('one', x*x.dot + l); observe('two', time() + 1)");
    place at = here(&z);
    X(system_observables)(z.s, &at, out);
    assert_near(out[0], z.q[0] * z.w[0] + z.lambda[0], 4 * REAL_EPSILON, "observable", 0);
    assert_near(out[1], z.t + 1, 4 * REAL_EPSILON, "observable", 1);
    close_sample(&z);
}

/* ---- structure ---- */

#define XY "local x, y, t = coordinate 'x', coordinate 'y', time(); start { x = 0.5, y = 0.25 }\n"
#define MASSES "lagrangian(x.dot^2/2 + y.dot^2)\n"

/* What was found, in words: a model of the table lists the flags that are set, and the size of the largest block. */
static const struct {
    const char *text, *found;
} structures[] = {
    { XY MASSES, "constant diagonal block1 separable explicit " },
    { XY MASSES "lagrangian(-sin(x*y))", "constant diagonal block1 separable explicit " },
    { XY MASSES "lagrangian(x.dot*y.dot)", "constant block2 separable explicit " },
    { XY MASSES "lagrangian(x^2*y.dot^2)", "diagonal block1 " },
    { XY MASSES "lagrangian(x*y.dot)", "constant diagonal block1 " },                  /* gyroscopic: p = M v + a(q) */
    { XY MASSES "lagrangian(x^2*y.dot - cos(y)*x.dot)", "constant diagonal block1 " }, /* a magnetic field */
    { XY MASSES "lagrangian(x*y.dot + x^2*y.dot^2)", "diagonal block1 " },
    { XY MASSES "lagrangian(x.dot^4)", "diagonal block1 separable " },                   /* separable, not quadratic */
    { XY MASSES "lagrangian(3*x.dot)", "constant diagonal block1 separable explicit " }, /* a shift of the momentum */
    { XY MASSES "lagrangian(exp(t)*x.dot^2)", "time diagonal block1 separable " },
    { XY MASSES "lagrangian(t*x.dot)", "time constant diagonal block1 separable " }, /* p = v + t */
    { XY MASSES "lagrangian(-t*x)", "time constant diagonal block1 separable explicit " },
    { XY MASSES "constraint('c', x - sin(t))", "time constraint_time constant diagonal block1 separable explicit " },
    { XY MASSES "constraint('c', x - y)", "constant diagonal block1 separable explicit " },
    { XY MASSES "force(x, y)", "forces force_position constant diagonal block1 separable explicit " },
    { XY MASSES "force(x, y*t)", "time forces force_position force_time constant diagonal block1 separable explicit " },
    { XY MASSES "force(x, -x.dot)", "forces force_velocity constant diagonal block1 separable " },
    { XY MASSES "force(x, constraint('c', x))", "forces force_multiplier constant diagonal block1 separable " },
    { XY "hamiltonian(momentum(x)^2/2 + momentum(y)^2 + x*y)", "constant diagonal block1 separable explicit " },
    { XY "hamiltonian(momentum(x)^2/2 + momentum(y)^2*x^2)", "diagonal block1 " },
    { XY "hamiltonian(momentum(x)^2/2 + momentum(y)^2 + x*momentum(y) - y*momentum(x))",
      "constant diagonal block1 " }, /* rotating */
    { XY "hamiltonian(momentum(x)^2/2 + (momentum(y) - momentum(x))^2)", "constant block2 separable explicit " },
    { XY "hamiltonian(sqrt(1 + momentum(x)^2) + momentum(y)^2)", "diagonal block1 separable " },
    /* a unit quaternion: the kinetic energy does not see motion along q */
    { "local r = rotation 'r'; local w = r.omega; lagrangian(norm2(w)/2); start { r = {1, 0, 0, 0} }",
      "block4 augmented " },
    /* a massless joint c that constraints carry along: constant mass with the added squares, one block of a and c each
       axis */
    { "local a, c = point('a', 2), point('c', 2); lagrangian(norm2(a.dot)/2); constraint('cx', c.x - 2*a.x)\n"
      "constraint('cy', c.y + a.y); start { a = {1, 0}, c = {2, 0} }",
      "constant block2 separable augmented explicit " },
    /* one that constraints on circles carry */
    { "local a, b, c = point('a', 2), point('b', 2), point('c', 2); lagrangian(norm2(a.dot)/2 + norm2(b.dot)/2)\n"
      "constraint('ac', norm2(a - c) - 1); constraint('bc', norm2(b - c) - 1)\n"
      "start { a = {1, 0}, b = {0, 1}, c = {0, 0} }",
      "block6 augmented " },
};

static void describe(const structure *f, char *text, size_t size)
{
    const struct { int set; const char *word;
    } flags[] = {
        { f->time_dependent, "time" },
        { f->constraint_time, "constraint_time" },
        { f->has_forces, "forces" },
        { f->force_position, "force_position" },
        { f->force_time, "force_time" },
        { f->force_velocity, "force_velocity" },
        { f->force_multiplier, "force_multiplier" },
        { f->constant_mass, "constant" },
        { f->diagonal_mass, "diagonal" },
        { f->largest_block, "block" },
        { f->separable, "separable" },
        { f->augmented, "augmented" },
        { f->explicit_force, "explicit" },
    };
    size_t at = 0;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i].word[0] == 'b')
            at += (size_t)snprintf(text + at, size - at, "block%d ", flags[i].set);
        else if (flags[i].set)
            at += (size_t)snprintf(text + at, size - at, "%s ", flags[i].word);
}

static void structure_is_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof structures / sizeof *structures; i++) {
        sample z;
        char found[300];
        open_sample(&z, structures[i].text);
        describe(&z.s->structure, found, sizeof found);
        if (strcmp(found, structures[i].found)) print_error("in\n%s\n", structures[i].text);
        assert_string_equal(found, structures[i].found);
        /* an offset of the momentum is kept where it is constant, and the fast path needs it */
        assert_int_equal(z.s->offset != NULL, z.s->structure.uncoupled && z.s->inverse_mass);
        assert_true(z.s->structure.uncoupled || !z.s->structure.explicit_force);
        close_sample(&z);
    }
}

/* A coupled block of 17 is too large to invert beforehand: constant mass, but not the explicit path. */
static void large_blocks_are_left_to_the_solver(void **state)
{
    (void)state;
    for (int size = 16; size <= 17; size++) {
        char text[400];
        sample z;
        snprintf(text, sizeof text,
                 "local last; for i = 1, %d do local x = coordinate('x'..i); start { ['x'..i] = 0 }\n"
                 "lagrangian(x.dot^2/2); if last then lagrangian((x.dot - last.dot)^2/2) end; last = x end", size);
        open_sample(&z, text);
        assert_int_equal(z.s->structure.constant_mass, 1);
        assert_int_equal(z.s->structure.largest_block, size);
        assert_int_equal(z.s->structure.explicit_force, size <= 16);
        assert_int_equal(z.s->inverse_mass != NULL, size <= 16);
        close_sample(&z);
    }
}

static void a_massless_coordinate_is_refused(void **state)
{
    (void)state;
    sample z;
    assert_int_equal(try_sample(&z, XY "lagrangian(x.dot^2/2 + x*y)"), TAUT_SINGULAR);
    assert_text_has(taut_error_text(context), "test.lua:2");
    assert_text_has(taut_error_text(context), "'y'");
    assert_null(z.s);
    close_sample(&z);
    assert_int_equal(try_sample(&z, XY "lagrangian((x.dot + y.dot)^2/2)"), TAUT_SINGULAR);
    close_sample(&z);
    /* covered in one direction only */
    assert_int_equal(try_sample(&z, "local a, b = point('a', 2), point('b', 2); lagrangian(norm2(a.dot)/2)\n"
                                    "constraint('c', norm2(a - b) - 1); start { a = {0, 0}, b = {1, 0} }"),
                     TAUT_SINGULAR);
    close_sample(&z);
}

/* Units are the user's business: a small moment of inertia next to a large mass is not a singular matrix. */
static void scales_do_not_matter(void **state)
{
    (void)state;
    sample z;
    open_sample(&z, XY "lagrangian((x.dot + 1e-7*y.dot)^2/2 + 1e-14/2*y.dot^2)");
    assert_int_equal(z.s->structure.augmented, 0);
    assert_int_equal(z.s->structure.explicit_force, 1);
    close_sample(&z);
}

/* A rotation has no energy along its quaternion, however that stands: here in two of its coordinates, and in the others
   by 4e-6 and 1e-11, as of a finger that is turned by a right angle but for the digits of a description. */
static void a_rotation_is_singular_alone(void **state)
{
    (void)state;
    sample z;
    open_sample(&z, "local r, s = rotation 'r', rotation 's'; local w, v = r.omega, s.omega\n"
                    "lagrangian((4.8853e-06*w.x^2 + 4.3733e-06*w.y^2 + 3.0933e-06*w.z^2)/2 + norm2(v)/2)\n"
                    "start { r = {-0.707106781187, -4.24264068706e-06, -0.707106781174, 1.27279348903e-11},\n"
                    "        s = {1, 0, 0, 0} }");
    assert_int_equal(z.s->structure.augmented, 1);
    for (int i = 0; i < 8; i++) assert_true(z.s->singular[i]);
    close_sample(&z);
}

/* On the constraints the augmented Lagrangian has the momenta and the energy of the plain one. */
static void augmentation_does_not_show(void **state)
{
    (void)state;
    sample z;
    real p[4], sum = 0;
    open_sample(&z, "local r = rotation 'r'; local w = r.omega; lagrangian((w.x^2 + 2*w.y^2 + 3*w.z^2)/2 - r.x)\n"
                    "start { r = {1, 0, 0, 0} }");
    assert_int_equal(z.s->structure.augmented, 1);
    /* q = (3,1,-1,5)/6 is a unit quaternion; v = q (0, omega)/2 with omega = (1,2,-1), by hand */
    static const int q[] = { 3, 1, -1, 5 }, omega[] = { 1, 2, -1 };
    for (int i = 0; i < 4; i++) z.q[i] = (real)q[i] / 6;
    z.w[0] = -(z.q[1] * omega[0] + z.q[2] * omega[1] + z.q[3] * omega[2]) / 2;
    z.w[1] = (z.q[0] * omega[0] + z.q[2] * omega[2] - z.q[3] * omega[1]) / 2;
    z.w[2] = (z.q[0] * omega[1] + z.q[3] * omega[0] - z.q[1] * omega[2]) / 2;
    z.w[3] = (z.q[0] * omega[2] + z.q[1] * omega[1] - z.q[2] * omega[0]) / 2;
    place at = here(&z);
    const real few = 32 * REAL_EPSILON; /* a quartic of some forty operations */
    /* T = (1 + 2*4 + 3*1)/2 = 6, V = 1/6 */
    assert_near(X(system_energy)(z.s, &at, z.w), 6 + (real)1 / 6, few, "energy", 0);
    momentum(&z, p);
    for (int i = 0; i < 4; i++) sum += p[i] * z.w[i];
    assert_near(sum, 12, few, "p . v = 2 T", 0);
    sum = 0;
    for (int i = 0; i < 4; i++) sum += p[i] * z.q[i];
    assert_near(sum, 0, few, "no momentum along q", 0);
    close_sample(&z);
}

/* ---- inverse mass ---- */

static void inverse_mass(void **state)
{
    (void)state;
    sample z;
    /* M = [2 1/3; 1/3 5] for (x, y), 7 for z, and p = M v + (0, 0, 4) */
    open_sample(&z, "local x, y, z = coordinate 'x', coordinate 'y', coordinate 'z'\n"
                    "start { x = 0, y = 0, z = 0, ['x.dot'] = 2, ['z.dot'] = 3 }\n"
                    "lagrangian(x.dot^2 + 5/2*y.dot^2 + param('c', 1)/3*x.dot*y.dot + 7*z.dot^2/2 + 4*z.dot)");
    assert_int_equal(z.s->structure.explicit_force, 1);
    const real determinant = 10 - (real)1 / 9, x[] = { 3, -2, 11 };
    const real expected[] = { (5 * x[0] - x[1] / 3) / determinant, (2 * x[1] - x[0] / 3) / determinant, x[2] / 7 };
    real out[3], p[3];
    X(system_apply_inverse_mass)(z.s, x, out);
    /* condition 2.6: a few eps; in quad below 1e-33 */
    for (int i = 0; i < 3; i++) assert_near(out[i], expected[i], 5 * REAL_EPSILON, "M^-1 x", i);
    assert_true(z.s->offset[0] == 0 && z.s->offset[2] == 4);
    for (int i = 0; i < 3; i++) z.w[i] = out[i];
    momentum(&z, p);
    for (int i = 0; i < 3; i++) assert_near(p[i] - z.s->offset[i], x[i], 20 * REAL_EPSILON, "M M^-1 x", i);
    close_sample(&z);
    open_sample(&z, XY "hamiltonian(momentum(x)^2/6 + momentum(x)*momentum(y)/7 + momentum(y)^2/2 + 3*momentum(y))");
    X(system_apply_inverse_mass)(z.s, x, out); /* H_pp itself */
    assert_near(out[0], x[0] / 3 + x[1] / 7, 4 * REAL_EPSILON, "H_pp p", 0);
    assert_near(out[1], x[0] / 7 + x[1], 4 * REAL_EPSILON, "H_pp p", 1);
    assert_true(z.s->offset[0] == 0 && z.s->offset[1] == 3);
    close_sample(&z);
}

/* ---- values that are not finite ---- */

static void culprits_are_named(void **state)
{
    (void)state;
    static const struct { const char *text; const char *says[3]; } table[] = {
        { XY MASSES "lagrangian(-1/(x - 0.5))", { "test.lua:3", "Lagrangian", "division by zero" } },
        { XY MASSES "lagrangian(0)\nforce(x, log(y - 0.25))", { "test.lua:4", "force", "logarithm" } },
        { XY MASSES "constraint('c', sqrt(y - x))", { "test.lua:3", "'c'", "square root" } },
        { XY MASSES "lagrangian(-sqrt((x - 0.5)^2))", { "test.lua:2", "force on 'x'", "no derivative" } },
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        sample z;
        open_sample(&z, table[i].text);
        real q[] = { (real)0.5, (real)0.25 }, w[] = { 0, 0 }, t = 0, lambda[1] = { 0 };
        place at = place_at(z.s, q, w, &t, lambda);
        assert_int_equal(X(system_check_finite)(z.s, &at, "now"), TAUT_NOT_FINITE);
        for (int k = 0; k < 3; k++) assert_text_has(taut_error_text(context), table[i].says[k]);
        q[0] = 2, q[1] = 3;
        assert_int_equal(X(system_check_finite)(z.s, &at, "now"), TAUT_OK);
        close_sample(&z);
    }
}

/* ---- symmetries ---- */

#define TWO "local a, b = point 'a', point 'b'; start { a = {1, 0.2, 0}, b = {-1, 0, 0.5} }\n" \
            "lagrangian(norm2(a.dot)/2 + norm2(b.dot))\n"
#define PLANE "local a, b = point('a', 2), point('b', 2); start { a = {1, 0.2}, b = {-1, 0} }\n" \
              "lagrangian(norm2(a.dot)/2 + norm2(b.dot))\n"
#define ONE "local a = point 'a'; start { a = {1, 0.2, -0.3} }; lagrangian(norm2(a.dot)/2)\n"
#define ALL "momentum.x momentum.y momentum.z angular_momentum.x angular_momentum.y angular_momentum.z "

static const struct {
    const char *text, *found;
} symmetries[] = {
    { TWO, ALL },
    { TWO "local u = norm2(a - b)^-3; lagrangian(-(u^2 - 2*u))", ALL },
    { TWO "constraint('bar', norm2(a - b) - 4)", ALL },
    { TWO "lagrangian(-3*a.z - 6*b.z - norm2(a - b))", "momentum.x momentum.y angular_momentum.z " },
    { TWO "constraint('pin', norm2(a) - 1)", "angular_momentum.x angular_momentum.y angular_momentum.z " },
    { TWO "constraint('pin', norm2(a) - 1); lagrangian(-b.x)", "angular_momentum.x " },
    { TWO "constraint('plane', a.x + a.y)", "momentum.z " }, /* b turns alone, but all points turn together */
    { TWO "constraint('track', a.y); constraint('other', b.y)", "momentum.x momentum.z angular_momentum.y " },
    { PLANE "lagrangian(-norm2(a - b))", "momentum.x momentum.y angular_momentum.z " },
    { PLANE "constraint('pin', norm2(a) - 1); lagrangian(-a.y - b.y)", "" },
    { ONE "lagrangian(1/norm(a))", "angular_momentum.x angular_momentum.y angular_momentum.z " },
    { ONE "lagrangian(-a.x^2 - 2*a.y^2 - 2*a.z^2)", "angular_momentum.x " },
    { ONE "lagrangian(-a.x*sin(time()))", "momentum.y momentum.z angular_momentum.x " },
    { ONE "lagrangian(0.3*(a.x*a.dot.y - a.y*a.dot.x))",
      "momentum.z angular_momentum.z " }, /* a magnetic field along z */
    { ONE "force(a, {1, 0, 0})", "momentum.y momentum.z angular_momentum.x " },
    { ONE "force(a, -a.dot)", "" },
    { ONE "force(a.z, sqrt(a.z + 0.5))",
      "momentum.x momentum.y angular_momentum.z " }, /* undefined at some random states */
    { TWO "force(a, b - a); force(b, a - b)", ALL },
    { TWO "force(a, b - a)", "" },
    { ONE "local l = constraint('rod', norm2(a) - 1.13); force(a, -l*a.dot)", "" },
    { "local r = rotation 'r'; local w = r.omega; lagrangian(w.x^2 + 2*w.y^2 + 3*w.z^2); start { r = {1, 0, 0, 0} }",
      "angular_momentum.x angular_momentum.y angular_momentum.z " },
    { "local r = rotation 'r'; local w = r.omega; lagrangian(w.x^2 + 2*w.y^2 + 3*w.z^2 - r:apply{0, 0, 1}.z)\n"
      "start { r = {1, 0, 0, 0} }",
      "angular_momentum.z " },
    { "local r, a = rotation 'r', point 'a'; local w = r.omega; lagrangian(w.x^2 + w.y^2 + 3*w.z^2 + norm2(a.dot)/2)\n"
      "start { r = {1, 0, 0, 0}, a = {0, 0, 0} }",
      ALL },
    { "local r, p = coordinate 'r', coordinate 'phi'; lagrangian((r.dot^2 + r^2*p.dot^2)/2 + 1/r); start { r = 1, phi "
      "= 0 }",
      "p.phi " },
    { "local r, p = coordinate 'r', coordinate 'phi'; lagrangian((r.dot^2 + r^2*p.dot^2)/2 + 1/r); start { r = 1, phi "
      "= 0 }\n"
      "force(p, -0.1*p.dot)",
      "" },
    { "local x, y = coordinate 'x', coordinate 'y'; lagrangian(x.dot^2/2 + y.dot^2/2); start { x = 0, y = 0 }",
      "p.x p.y " },
    { "local a = point 'a'; local p = momentum(a); hamiltonian(norm2(p)/2 - 1/norm(a)); start { a = {1, 0, 0} }",
      "angular_momentum.x angular_momentum.y angular_momentum.z " },
    { "local a = point 'a'; local p = momentum(a); hamiltonian(norm2(p)/2 + a.x*p.y - a.y*p.x); start { a = {1, 0, 0} "
      "}",
      "momentum.z angular_momentum.z " }, /* a rotating frame */
    /* a strong inner force must not hide a weak outer one, some 1e-11 of it */
    { TWO "lagrangian(-1e10*norm2(a - b) - a.z)", "momentum.x momentum.y angular_momentum.z " },
};

static void found_symmetries(sample *z, char *text, symmetry *list, int *count)
{
    real q[MOST], w[MOST] = { 0 };
    for (uint32_t i = 0; i < z->s->n; i++)
        assert_int_equal(X(system_constant)(z->s, z->m->start_q[i].value, &q[i]), TAUT_OK);
    assert_int_equal(X(symmetry_find)(z->s, q, w, list, count), TAUT_OK);
    *text = 0;
    for (int i = 0; i < *count; i++) {
        X(symmetry_name)(z->s, &list[i], text + strlen(text), 100);
        strcat(text, " ");
    }
}

static void symmetries_are_found(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof symmetries / sizeof *symmetries; i++) {
        sample z;
        symmetry list[SYMMETRY_LIMIT];
        int count;
        char text[1000];
        open_sample(&z, symmetries[i].text);
        found_symmetries(&z, text, list, &count);
        if (strcmp(text, symmetries[i].found)) print_error("in\n%s\n", symmetries[i].text);
        assert_string_equal(text, symmetries[i].found);
        close_sample(&z);
    }
}

static void momenta_match_hand_formulas(void **state)
{
    (void)state;
    sample z;
    symmetry list[SYMMETRY_LIMIT];
    int count;
    char text[1000];
    real p[MOST], momenta[SYMMETRY_LIMIT];
    open_sample(&z, TWO);
    found_symmetries(&z, text, list, &count);
    assert_int_equal(count, 6);
    momentum(&z, p);
    X(symmetry_momenta)(z.s, list, count, z.q, p, momenta);
    const real *a = z.q, *b = z.q + 3, few = 16 * REAL_EPSILON; /* a few products of numbers below 2 */
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3; /* masses 1 and 2 */
        assert_near(momenta[k], z.w[k] + 2 * z.w[3 + k], few, "momentum", k);
        assert_near(momenta[3 + k],
                    a[i] * z.w[j] - a[j] * z.w[i] + 2 * (b[i] * z.w[3 + j] - b[j] * z.w[3 + i]), few,
                    "angular momentum", k);
    }
    close_sample(&z);
    /* J = R I omega, written out by the model language */
    open_sample(&z, "local r = rotation 'r'; local w = r.omega; lagrangian((w.x^2 + 2*w.y^2 + 3*w.z^2)/2)\n"
                    "local J = r:apply{w.x, 2*w.y, 3*w.z}; observe('x', J.x); observe('y', J.y); observe('z', J.z)\n"
                    "start { r = {1, 0, 0, 0} }");
    found_symmetries(&z, text, list, &count);
    assert_int_equal(count, 3);
    /* a unit quaternion, and v tangent to the sphere, exactly: q = (1,1,-1,1)/2, v . q = 0 */
    static const int q[] = { 1, 1, -1, 1 }, v[] = { 3, -1, 1, -1 };
    real J[3];
    for (int i = 0; i < 4; i++) z.q[i] = (real)q[i] / 2, z.w[i] = v[i];
    momentum(&z, p);
    X(symmetry_momenta)(z.s, list, count, z.q, p, momenta);
    place at = here(&z);
    X(system_observables)(z.s, &at, J);
    for (int k = 0; k < 3; k++)
        assert_near(momenta[k], J[k], 500 * REAL_EPSILON, "J", k); /* J ~ 10 */
    close_sample(&z);
    open_sample(&z, "local r, p = coordinate 'r', coordinate 'phi'; lagrangian((r.dot^2 + r^2*p.dot^2)/2 + 1/r)\n"
                    "start { r = 1, phi = 0 }");
    found_symmetries(&z, text, list, &count);
    momentum(&z, p);
    X(symmetry_momenta)(z.s, list, count, z.q, p, momenta);
    assert_near(momenta[0], z.q[0] * z.q[0] * z.w[1], few, "r^2 phi'", 0);
    close_sample(&z);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(functions_are_gradients),
        TEST(trivial_functions_are_w),
        TEST(rates_are_as_written),
        TEST(energy_is_the_legendre_transform),
        TEST(blocks_are_derivatives),
        TEST(no_multipliers_are_zero_multipliers),
        TEST(rates_are_derivatives),
        TEST(time_derivatives_find_their_rows),
        TEST(observables),
        TEST(structure_is_found),
        TEST(large_blocks_are_left_to_the_solver),
        TEST(a_massless_coordinate_is_refused),
        TEST(scales_do_not_matter),
        TEST(a_rotation_is_singular_alone),
        TEST(augmentation_does_not_show),
        TEST(inverse_mass),
        TEST(culprits_are_named),
        TEST(symmetries_are_found),
        TEST(momenta_match_hand_formulas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
