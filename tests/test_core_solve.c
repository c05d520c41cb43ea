/* Assembly, the saddle-point problem, accelerations and multipliers. */
#include "solve/acceleration.h"
#include "solve/assembly.h"
#include "solve/legendre.h"
#include "solve/multiplier.h"

#include "support_system.h"

/* ---- systems ---- */

/* A double pendulum in the plane, in four forms: with constant mass only the multiplier matrix is solved; with a factor
   of the mass that is 1 but looks as if it varied, the full matrix; by its Lagrangian and by its Hamiltonian. */
#define PENDULUM_HEAD "local a, b = point('a', 2), point('b', 2); local m, n = param('m', 2), param('n', 3.5)\n" \
                      "start { a = {0.6, -0.8}, b = {1.4, -1.4} }\n"
#define PENDULUM_TAIL "constraint('upper', norm2(a) - 1); constraint('lower', norm2(b - a) - 1)\n"
static const char *const pendulums[] = {
    PENDULUM_HEAD "lagrangian(m/2*norm2(a.dot) + n/2*norm2(b.dot) - 9.81*(m*a.y + n*b.y))\n" PENDULUM_TAIL,
    PENDULUM_HEAD "lagrangian(m/2*norm2(a.dot)*" ONE " + n/2*norm2(b.dot) - 9.81*(m*a.y + n*b.y))\n" PENDULUM_TAIL,
    PENDULUM_HEAD "local p, q = momentum(a), momentum(b)\n"
                  "hamiltonian(norm2(p)/(2*m) + norm2(q)/(2*n) + 9.81*(m*a.y + n*b.y))\n" PENDULUM_TAIL,
    PENDULUM_HEAD "local p, q = momentum(a), momentum(b)\n"
                  "hamiltonian(norm2(p)/(2*m)*" ONE " + norm2(q)/(2*n) + 9.81*(m*a.y + n*b.y))\n" PENDULUM_TAIL,
    /* and a force that depends on a multiplier, though by nothing: constant mass, full matrix */
    PENDULUM_HEAD "lagrangian(m/2*norm2(a.dot) + n/2*norm2(b.dot) - 9.81*(m*a.y + n*b.y))\n"
                  "constraint('upper', norm2(a) - 1); local l = constraint('lower', norm2(b - a) - 1)\n"
                  "force(a.x, l*(" ONE " - 1))\n",
};
enum { PENDULUMS = sizeof pendulums / sizeof *pendulums };

/* q, v on the constraints: a = (3,-4)/5, b - a = (4,-3)/5, velocities across the rods */
static void set_pendulum(sample *z)
{
    const real v[] = { 4, 3, 4 + 6, 3 + 8 }; /* 5*(4,3)/5; plus 10*(3,4)/5 */
    static const int q[] = { 3, -4, 7, -7 };
    for (int i = 0; i < 4; i++) {
        real mass = i < 2 ? 2 : (real)3.5;
        z->x.q[i] = (real)q[i] / 5;
        z->x.w[i] = z->s->form == FORM_LAGRANGIAN ? v[i] : mass * v[i];
    }
}

static void forms_are_as_meant(void **state)
{
    (void)state;
    static const int constant[] = { 1, 0, 1, 0, 1 }, explicit_force[] = { 1, 0, 1, 0, 0 };
    for (int i = 0; i < PENDULUMS; i++) {
        sample z;
        open_sample(&z, pendulums[i]);
        assert_int_equal(z.s->structure.constant_mass, constant[i]);
        assert_int_equal(z.s->structure.explicit_force, explicit_force[i]);
        close_sample(&z);
    }
}

/* The same physics, the same answers. a'' and multipliers to round-off: Newton refines in the precision of the unit,
   the condition of the saddle-point matrix is some 10, values up to 200. */
static void accelerations_agree_in_all_forms(void **state)
{
    (void)state;
    real lambda[PENDULUMS][2], dv[PENDULUMS][4];
    for (int i = 0; i < PENDULUMS; i++) {
        sample z;
        acceleration *a;
        open_sample(&z, pendulums[i]);
        set_pendulum(&z);
        assert_int_equal(X(acceleration_create)(z.s, &a), TAUT_OK);
        lambda[i][0] = lambda[i][1] = 0;
        assert_int_equal(X(acceleration_solve)(a, z.x.q, z.x.w, 0, lambda[i], dv[i]), TAUT_OK);
        X(acceleration_destroy)(a);
        close_sample(&z);
        for (int k = 0; k < 2; k++) assert_near(lambda[i][k], lambda[0][k], 1e4 * REAL_EPSILON, "multiplier", k);
        for (int k = 0; k < 4; k++) assert_near(dv[i][k], dv[0][k], 1e4 * REAL_EPSILON, "acceleration", k);
    }
    /* and they satisfy the equations: m a'' = -m g + 2 lambda1 a - 2 lambda2 (b - a), n b'' = -n g + 2 lambda2 (b -
       a) */
    const real *l = lambda[0], g = (real)981 / 100, a[] = { (real)3 / 5, (real)-4 / 5 },
               d[] = { (real)4 / 5, (real)-3 / 5 };
    for (int k = 0; k < 2; k++) {
        assert_near(2 * dv[0][k], (k ? -2 * g : 0) + 2 * l[0] * a[k] - 2 * l[1] * d[k], 1e4 * REAL_EPSILON,
                    "motion of a", k);
        assert_near((real)3.5 * dv[0][2 + k], (k ? (real)-3.5 * g : 0) + 2 * l[1] * d[k], 1e4 * REAL_EPSILON,
                    "motion of b", k);
    }
}

static void multiply(const struct system *s, block_id id, const place *at, real scale, const real *x, real *out)
{
    real values[400];
    assert_int_equal(X(system_prepare_block)((struct system *)s, id), TAUT_OK);
    assert_true(s->blocks[id].value_count <= 400);
    X(system_block_values)(s, id, at, values);
    X(block_multiply)(&s->blocks[id], values, scale, x, out);
}

static const char rates_text[] =
    "local x, y, t = coordinate 'x', coordinate 'y', time(); local u, v = momentum(x), momentum(y)\n"
    "local l = constraint('curve', x^2 + y^3 - 1 - t)\n"
    "rate(x, u*(2 + cos(y)) + t*v); rate(y, v + u^3/3); rate(u, -x*u + l^2*y + sin(t)); rate(v, x*y - v + l*x)\n"
    "start { x = 1, y = 0 }\n";

/* Any right side: pi_w w - phi_lambda lambda = a, v - nu_w w = b, G v = c. One solution is in double precision whatever
   the unit: 1e-12 for numbers of the order of 10 and a condition of the order of 10^2. */
static void saddle_point_equations_hold(void **state)
{
    (void)state;
    for (int text = 0; text <= PENDULUMS; text++) {
        sample z;
        kkt *k;
        open_sample(&z, text < PENDULUMS ? pendulums[text] : rates_text);
        struct system *s = z.s;
        if (text < PENDULUMS)
            set_pendulum(&z);
        else
            z.x.q[0] = 1, z.x.q[1] = (real)0.5, z.x.w[0] = (real)0.3, z.x.w[1] = (real)-0.7;
        for (uint32_t i = 0; i < s->c; i++) z.x.lambda[i] = (real)0.75;
        place at = place_at(z.s, z.x.q, z.x.w, &z.x.t, z.x.lambda);
        assert_int_equal(X(kkt_create)(s, &k), TAUT_OK);
        assert_int_equal(X(kkt_factor)(k, &at), TAUT_OK);
        for (int side = 0; side < 3; side++) { /* each right side alone */
            real a[MOST] = { 0 }, b[MOST] = { 0 }, c[MOST] = { 0 }, r[MOST];
            generator g = { 41 };
            for (uint32_t i = 0; i < s->n; i++)
                a[i] = side == 0 ? random_number(&g) : 0, b[i] = side == 1 ? random_number(&g) : 0;
            for (uint32_t i = 0; i < s->c; i++) c[i] = side == 2 ? random_number(&g) : 0;
            real w[MOST], v[MOST], lambda[MOST];
            memcpy(w, a, sizeof w), memcpy(v, b, sizeof v), memcpy(lambda, c, sizeof lambda);
            assert_int_equal(X(kkt_solve)(k, w, v, lambda), TAUT_OK);
            for (uint32_t i = 0; i < s->n; i++) r[i] = -a[i];
            multiply(s, BLOCK_PI_W, &at, 1, w, r);
            multiply(s, BLOCK_PHI_LAMBDA, &at, -1, lambda, r);
            for (uint32_t i = 0; i < s->n; i++) assert_near(r[i], 0, 1e-12, "momentum line", i);
            for (uint32_t i = 0; i < s->n; i++) r[i] = v[i] - b[i];
            multiply(s, BLOCK_NU_W, &at, -1, w, r);
            for (uint32_t i = 0; i < s->n; i++) assert_near(r[i], 0, 1e-12, "velocity line", i);
            for (uint32_t i = 0; i < s->c; i++) r[i] = -c[i];
            multiply(s, BLOCK_G, &at, 1, v, r);
            for (uint32_t i = 0; i < s->c; i++) assert_near(r[i], 0, 1e-12, "constraint line", i);
        }
        X(kkt_destroy)(k);
        close_sample(&z);
    }
}

static void no_constraints_are_fine(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "local x = coordinate 'x'; lagrangian(2*x.dot^2 - x^2); start { x = 1 }",
        "local x = coordinate 'x'; lagrangian((2 + x^4)*x.dot^2 - x^2); start { x = 1 }",
        "local x = coordinate 'x'; hamiltonian(momentum(x)^2/8 + x^2); start { x = 1 }",
        "local x = coordinate 'x'; rate(x, momentum(x)/4); rate(momentum(x), -2*x); start { x = 1 }",
    };
    static const int expected[] = { -2, -3, -2, -2 }; /* x'' = -2x/4, -2x/6, ... times 4, 9 (see below) */
    for (int i = 0; i < 4; i++) {
        sample z;
        acceleration *a;
        real q = 1, w = 0, dv;
        open_sample(&z, forms[i]);
        assert_int_equal(X(acceleration_create)(z.s, &a), TAUT_OK);
        assert_int_equal(X(acceleration_solve)(a, &q, &w, 0, z.x.lambda, &dv), TAUT_OK);
        assert_near(dv * (i == 1 ? 9 : 4), expected[i], 16 * REAL_EPSILON, "acceleration", i);
        X(acceleration_destroy)(a);
        close_sample(&z);
    }
}

/* lambda = m (g y - |v|^2)/(2 l^2), from m a'' = (0, -m g) + 2 lambda a and a . a'' + |v|^2 = 0 */
static void pendulum_multiplier(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "local a = point('a', 2); lagrangian(3/2*norm2(a.dot) - 3*9.5*a.y); constraint('rod', norm2(a) - 25); start { "
        "a = {3, -4} }",
        "local a = point('a', 2); local p = momentum(a); hamiltonian(norm2(p)/6 + 3*9.5*a.y); constraint('rod', "
        "norm2(a) - 25)\n"
        "start { a = {3, -4} }",
    };
    for (int i = 0; i < 2; i++) {
        sample z;
        acceleration *a;
        real q[] = { 3, -4 }, w[] = { 8, 6 }, lambda = 0, dv[2];
        if (i) w[0] *= 3, w[1] *= 3;
        open_sample(&z, forms[i]);
        assert_int_equal(X(acceleration_create)(z.s, &a), TAUT_OK);
        assert_int_equal(X(acceleration_solve)(a, q, w, 0, &lambda, dv), TAUT_OK);
        const real expected = 3 * ((real)9.5 * -4 - 100) / 50;
        const real few = 64 * REAL_EPSILON; /* values below 20, condition 1 */
        assert_near(lambda, expected, few, "multiplier", i);
        assert_near(dv[0], 2 * expected * 3 / 3, few, "acceleration", 0);
        assert_near(dv[1], (real)-9.5 + 2 * expected * -4 / 3, few, "acceleration", 1);
        X(acceleration_destroy)(a);
        close_sample(&z);
    }
}

/* The pivot moves: with r = a - pivot, lambda = m (r_y (g + pivot'') - |r'|^2)/(2 l^2) */
static void driven_pivot_multiplier(void **state)
{
    (void)state;
    sample z;
    acceleration *a;
    open_sample(
        &z, "local a, t = point('a', 2), time(); local pivot = vector{0, t^3}\n"
            "lagrangian(norm2(a.dot) - 2*9.5*a.y); constraint('rod', norm2(a - pivot) - 25); start { a = {3, -4} }");
    const real t = (real)0.5, height = t * t * t, speed = 3 * t * t, lift = 6 * t;
    real q[] = { 3, -4 + height }, w[] = { 8, 6 + speed }, lambda = 0;
    assert_int_equal(X(acceleration_create)(z.s, &a), TAUT_OK);
    assert_int_equal(X(acceleration_solve)(a, q, w, t, &lambda, NULL), TAUT_OK);
    assert_near(lambda, 2 * (-4 * ((real)9.5 + lift) - 100) / 50, 64 * REAL_EPSILON, "multiplier", 0);
    X(acceleration_destroy)(a);
    close_sample(&z);
}

/* Jay & Simeon (4.1) at t = 0: psi = 1 with exp(t), and the rate is quadratic in psi. z' = (2, -1) there, dv = (4, 1) =
   y''. */
static void nonlinear_multiplier(void **state)
{
    (void)state;
    sample z;
    acceleration *a;
    open_sample(&z, "local y1, y2 = coordinate 'y1', coordinate 'y2'; local z1, z2 = momentum(y1), momentum(y2)\n"
                    "local psi = constraint('g', y1*y2^2 - 1); rate(y1, 2*z1); rate(y2, -z2)\n"
                    "rate(z1, 2*y1*y2*z1*z2 - y1*z1*z2 + y2*z1*psi^2); rate(z2, z1 - y1*z2^3 - sqrt(y1)*z1*z2^2*psi)\n"
                    "start { y1 = 1, y2 = 1, ['p.y1'] = 1, ['p.y2'] = 1 }");
    real q[] = { 1, 1 }, w[] = { 1, 1 }, psi = (real)0.6, dv[2];
    assert_int_equal(X(acceleration_create)(z.s, &a), TAUT_OK);
    assert_int_equal(X(acceleration_solve)(a, q, w, 0, &psi, dv), TAUT_OK);
    assert_near(psi, 1, 64 * REAL_EPSILON, "psi", 0);
    assert_near(dv[0], 4, 64 * REAL_EPSILON, "acceleration", 0);
    assert_near(dv[1], 1, 64 * REAL_EPSILON, "acceleration", 1);
    X(acceleration_destroy)(a);
    close_sample(&z);
}

/* Terms of the acceleration that come from mass and velocity that depend on q and t:
   d/dt ((1 + x^2) e^t x') = x e^t x'^2 gives x'' = -x x'^2/(1 + x^2) - x'; for H = p^2/2 e^-t/(1 + x^2) it is the same
   motion; x' = u (1 + x^2) + t^2, u' = 0 gives x'' = 2 x u x' + 2 t. */
static void accelerations_with_varying_mass_and_time(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "local x, t = coordinate 'x', time(); lagrangian((1 + x^2)*exp(t)*x.dot^2/2); start { x = 1 }",
        "local x, t = coordinate 'x', time(); hamiltonian(momentum(x)^2/2*exp(-t)/(1 + x^2)); start { x = 1 }",
        ("local x, t = coordinate 'x', time(); rate(x, momentum(x)*(1 + x^2) + t^2) rate(momentum(x), 0) "
         "start { x = 1 }"),
    };
    const real x = (real)0.75, v = (real)1.5, t = (real)0.5, growth = REAL(exp)(t), mass = 1 + x * x;
    for (int i = 0; i < 3; i++) {
        sample z;
        acceleration *a;
        real q = x, w = i == 1 ? mass * growth * v : v, dv;
        const real expected = i < 2 ? -x * v * v / mass - v : 2 * x * v * (v * mass + t * t) + 2 * t;
        open_sample(&z, forms[i]);
        assert_int_equal(X(acceleration_create)(z.s, &a), TAUT_OK);
        assert_int_equal(X(acceleration_solve)(a, &q, &w, t, z.x.lambda, &dv), TAUT_OK);
        assert_near(dv, expected, 64 * REAL_EPSILON, "acceleration", i); /* values below 10 */
        X(acceleration_destroy)(a);
        close_sample(&z);
    }
}

/* Terms linear in the velocities: L = (x'^2 + y'^2)/2 + 3 x^2 y' + t x' gives x'' = 6 x y' - 1, y'' = -6 x x', p =
   (x' + t, y' + 3 x^2); and the same by its Hamiltonian. The mass matrix is constant in both, and momenta at rest are
   not. */
static void accelerations_and_momenta_in_a_magnetic_field(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "local x, y, t = coordinate 'x', coordinate 'y', time(); lagrangian((x.dot^2 + y.dot^2)/2 + 3*x^2*y.dot + "
        "t*x.dot)\n"
        "start { x = 1, y = 0 }",
        "local x, y, t = coordinate 'x', coordinate 'y', time()\n"
        "hamiltonian(((momentum(x) - t)^2 + (momentum(y) - 3*x^2)^2)/2); start { x = 1, y = 0 }",
    };
    const real q[] = { (real)0.75, (real)-0.5 }, v[] = { (real)1.5, (real)0.25 }, t = (real)0.5;
    const real p[] = { v[0] + t, v[1] + 3 * q[0] * q[0] };
    const real expected[] = { 6 * q[0] * v[1] - 1, -6 * q[0] * v[0] };
    for (int i = 0; i < 2; i++) {
        sample z;
        acceleration *a;
        legendre *l;
        real dv[2], w[2];
        open_sample(&z, forms[i]);
        assert_true(z.s->structure.constant_mass && z.s->inverse_mass && !z.s->offset);
        assert_int_equal(X(acceleration_create)(z.s, &a), TAUT_OK);
        assert_int_equal(X(legendre_create)(z.s, &l), TAUT_OK);
        assert_int_equal(X(acceleration_solve)(a, q, i ? p : v, t, z.x.lambda, dv), TAUT_OK);
        assert_int_equal(X(legendre_stage)(l, q, p, t, w), TAUT_OK);
        for (int k = 0; k < 2; k++) {
            assert_near(dv[k], expected[k], 64 * REAL_EPSILON, "acceleration", k); /* values below 10 */
            assert_near(w[k], i ? p[k] : v[k], 16 * REAL_EPSILON, "velocity", k);
        }
        X(acceleration_destroy)(a);
        X(legendre_destroy)(l);
        close_sample(&z);
    }
}

/* ---- the multiplier matrix and assembly on their own ---- */

/* S = G1 W G0' against the product by blocks, with a coupled mass matrix and different Jacobians on the two sides */
static void multiplier_matrix(void **state)
{
    (void)state;
    sample z;
    multiplier *m;
    open_sample(
        &z, "local a, b = point 'a', point 'b'; lagrangian(norm2(a.dot) + norm2(b.dot) + a.x.dot*b.x.dot + "
            "a.y.dot*a.z.dot/2)\n"
            "constraint('one', norm2(a) - 1); constraint('two', norm2(b - a) - 1); constraint('three', a.x*b.y - b.z)\n"
            "start { a = {1, 0, 0}, b = {0, 1, 0} }");
    struct system *s = z.s;
    generator r = { 3 };
    real q0[6], q1[6], g0[40], g1[40];
    for (int i = 0; i < 6; i++) q0[i] = random_number(&r), q1[i] = q0[i] + random_number(&r) / 4;
    assert_int_equal(X(system_prepare_block)(s, BLOCK_G), TAUT_OK);
    const block_shape *g = &s->blocks[BLOCK_G];
    place at0 = place_at(z.s, q0, NULL, &z.x.t, NULL), at1 = place_at(z.s, q1, NULL, &z.x.t, NULL);
    X(system_block_values)(s, BLOCK_G, &at0, g0);
    X(system_block_values)(s, BLOCK_G, &at1, g1);
    assert_int_equal(X(multiplier_create)(s, NULL, &m), TAUT_OK);
    assert_int_equal(X(multiplier_factor)(m, g1, g0), TAUT_OK);
    for (int k = 0; k < 3; k++) {
        real x[3] = { 0 }, force[6] = { 0 }, velocity[6], back[3] = { 0 };
        x[k] = 1;
        assert_int_equal(X(multiplier_solve)(m, 1, x), TAUT_OK);
        X(block_multiply_transposed)(g, g0, 1, x, force);
        X(system_apply_inverse_mass)(s, force, velocity);
        X(block_multiply)(g, g1, 1, velocity, back);
        for (int i = 0; i < 3; i++) assert_near(back[i], i == k, 1e-12, "S S^-1", i); /* double, condition below 10^2 */
    }
    X(multiplier_destroy)(m);
    close_sample(&z);
}

/* The same for long chains, which are tridiagonal and repeat; with equal and with different masses, closed to a ring,
   and in two pieces; G given in another order than that of its pattern. */
static void multiplier_matrix_of_chains(void **state)
{
    (void)state;
    enum { LINKS = 40, N = 3 * LINKS, ENTRIES = 6 * (LINKS + 1) };
    static const struct { const char *mass, *bar; } models[] = {
        { "1", "true" }, { "1 + i/20", "true" }, { "2", "i ~= 17" }, { "1 + i % 3", "true" },
    };
    for (size_t kind = 0; kind < sizeof models / sizeof *models; kind++) {
        char text[700];
        snprintf(text, sizeof text,
                 "local before, first = origin, nil\n"
                 "for i = 1, 40 do local a = point('a'..i); lagrangian((%s)/2*norm2(a.dot))\n"
                 "  if %s then constraint('bar'..i, norm2(a - before) - 1) end\n"
                 "  start { ['a'..i] = {i, 0, 0} }; before, first = a, first or a end\n%s",
                 models[kind].mass, models[kind].bar, kind == 3 ? "constraint('ring', norm2(before - first) - 1)" : "");
        sample z;
        multiplier *m;
        open_sample(&z, text);
        struct system *s = z.s;
        generator r = { 5 };
        static real q0[N], q1[N], g0[ENTRIES], g1[ENTRIES], given0[ENTRIES], given1[ENTRIES];
        int order[ENTRIES];
        for (int i = 0; i < N; i++) q0[i] = i / 3 % 7 + random_number(&r), q1[i] = q0[i] + random_number(&r) / 100;
        assert_int_equal(X(system_prepare_block)(s, BLOCK_G), TAUT_OK);
        const block_shape *g = &s->blocks[BLOCK_G];
        place at0 = place_at(z.s, q0, NULL, &z.x.t, NULL), at1 = place_at(z.s, q1, NULL, &z.x.t, NULL);
        X(system_block_values)(s, BLOCK_G, &at0, g0);
        X(system_block_values)(s, BLOCK_G, &at1, g1);
        assert_true(g->value_count <= ENTRIES);
        for (int e = 0; e < g->value_count; e++) order[e] = g->value_count - 1 - e;
        for (int e = 0; e < g->value_count; e++) given0[order[e]] = g0[e], given1[order[e]] = g1[e];
        assert_int_equal(X(multiplier_create)(s, order, &m), TAUT_OK);
        assert_int_equal(X(multiplier_factor)(m, given1, given0), TAUT_OK);
        for (uint32_t k = 0; k < s->c; k++) {
            real x[LINKS + 1] = { 0 }, force[N] = { 0 }, velocity[N], back[LINKS + 1] = { 0 };
            x[k] = 1;
            assert_int_equal(X(multiplier_solve)(m, 3, x), TAUT_OK);
            X(block_multiply_transposed)(g, g0, 1, x, force);
            X(system_apply_inverse_mass)(s, force, velocity);
            X(block_multiply)(g, g1, 1, velocity, back);
            /* double; the condition of these matrices is below 10^4 */
            for (uint32_t i = 0; i < s->c; i++) assert_near(back[i], 3 * (i == k), 1e-11, "S S^-1", (int)i);
        }
        X(multiplier_destroy)(m);
        close_sample(&z);
    }
}

/* The same block put twice, at overlapping places, with factors; transposed parts; the pattern may have holes on the
   diagonal. */
static void assembled_matrix(void **state)
{
    (void)state;
    sample z;
    assembly *a;
    int id[4];
    open_sample(&z, PENDULUM_HEAD "lagrangian(m/2*norm2(a.dot) + n/2*norm2(b.dot))\n" PENDULUM_TAIL);
    set_pendulum(&z);
    struct system *s = z.s;
    place at = place_at(z.s, z.x.q, z.x.w, &z.x.t, z.x.lambda);
    assert_int_equal(X(system_prepare_block)(s, BLOCK_PI_W), TAUT_OK);
    assert_int_equal(X(system_prepare_block)(s, BLOCK_PHI_LAMBDA), TAUT_OK);
    assert_int_equal(X(system_prepare_block)(s, BLOCK_G), TAUT_OK);
    assert_int_equal(X(assembly_create)(context, 6, &a), TAUT_OK);
    static const block_id ids[] = { BLOCK_PI_W, BLOCK_PI_W, BLOCK_PHI_LAMBDA, BLOCK_G };
    static const int row[] = { 0, 0, 0, 4 }, column[] = { 0, 0, 4, 0 };
    for (int i = 0; i < 4; i++)
        assert_int_equal(X(assembly_add)(a, &s->blocks[ids[i]], row[i], column[i], &id[i]), TAUT_OK);
    assert_int_equal(X(assembly_finish)(a, 0), TAUT_OK);
    for (int round = 0; round < 2; round++) { /* a second time with other factors: nothing is left of the first */
        const real factor[] = { 3 + round, -1, -2, 1 };
        real values[40], x[] = { 1, 2, 3, 4, 5, 6 }, back[6] = { -1, -2, -3, -4, -5, -6 };
        X(assembly_zero)(a);
        for (int i = 0; i < 4; i++) {
            X(system_block_values)(s, ids[i], &at, values);
            X(assembly_put)(a, id[i], factor[i], values);
        }
        assert_int_equal(X(assembly_factor)(a), TAUT_OK);
        assert_int_equal(X(assembly_solve)(a, x), TAUT_OK);
        multiply(s, BLOCK_PI_W, &at, factor[0] + factor[1], x, back);
        multiply(s, BLOCK_PHI_LAMBDA, &at, factor[2], x + 4, back);
        multiply(s, BLOCK_G, &at, factor[3], x, back + 4);
        for (int i = 0; i < 6; i++) assert_near(back[i], 0, 1e-12, "A A^-1", i); /* double, condition below 10^2 */
    }
    X(assembly_destroy)(a);
    close_sample(&z);
}

/* A step must depend on its state alone (a resumed run gets the bits of the uninterrupted one): no pivots are kept from
   the matrices of earlier steps, though they would do. */
static void factors_depend_on_the_matrix_alone(void **state)
{
    (void)state;
    enum { N = 200 };
    int row[2 * N], column[2 * N];
    pattern *shape;
    /* a ring */
    for (int i = 0; i < N; i++) row[2 * i] = row[2 * i + 1] = column[2 * i] = i, column[2 * i + 1] = (i + 1) % N;
    assert_int_equal(taut_pattern_create(context, N, N, row, column, 2 * N, &shape), TAUT_OK);
    block_shape b = { .part_count = 1, .value_count = 2 * N };
    b.parts[0] = (block_part){ .source = PART_JACOBIAN, .sign = 1, .shape = shape };
    real x[2][N], values[2 * N];
    for (int fresh = 0; fresh < 2; fresh++) {
        assembly *a;
        int id;
        assert_int_equal(X(assembly_create)(context, N, &a), TAUT_OK);
        assert_int_equal(X(assembly_add)(a, &b, 0, 0, &id), TAUT_OK);
        assert_int_equal(X(assembly_finish)(a, 0), TAUT_OK);
        for (int round = fresh; round < 2; round++) { /* first a small diagonal, which is no pivot; then one of the
                                                         order of 1 */
            generator r = { 19 };
            for (int i = 0; i < N; i++)
                for (int e = shape->start[i]; e < shape->start[i + 1]; e++)
                    values[e] = (2 + random_number(&r)) * (shape->index[e] == i && round == 0 ? 1e-6 : 1);
            X(assembly_zero)(a);
            X(assembly_put)(a, id, 1, values);
            assert_int_equal(X(assembly_factor)(a), TAUT_OK);
        }
        assert_int_equal(X(assembly_status)(a)->backend, LINEAR_KLU); /* the one that could keep them */
        for (int i = 0; i < N; i++) x[fresh][i] = i + (real)0.1;
        assert_int_equal(X(assembly_solve)(a, x[fresh]), TAUT_OK);
        X(assembly_destroy)(a);
    }
    for (int i = 0; i < N; i++) assert_true(x[0][i] == x[1][i]);
    taut_pattern_destroy(context, shape);
}

/* A ring of N unknowns, and the solution of a matrix of this pattern. */
enum { RING = 200 };
static void ring(pattern **shape, block_shape *b)
{
    int row[2 * RING], column[2 * RING];
    for (int i = 0; i < RING; i++)
        row[2 * i] = row[2 * i + 1] = column[2 * i] = i, column[2 * i + 1] = (i + 1) % RING;
    assert_int_equal(taut_pattern_create(context, RING, RING, row, column, 2 * RING, shape), TAUT_OK);
    *b = (block_shape){ .part_count = 1, .value_count = 2 * RING };
    b->parts[0] = (block_part){ .source = PART_JACOBIAN, .sign = 1, .shape = *shape };
}

static void solve_ring(assembly *a, int id, real *x)
{
    generator r = { 19 };
    real values[2 * RING];
    for (int i = 0; i < 2 * RING; i++) values[i] = 2 + random_number(&r);
    for (int i = 0; i < RING; i++) x[i] = i + (real)0.1;
    X(assembly_zero)(a);
    X(assembly_put)(a, id, 1, values);
    assert_int_equal(X(assembly_factor)(a), TAUT_OK);
    assert_int_equal(X(assembly_solve)(a, x), TAUT_OK);
}

/* A matrix that is analysed later, or by another one that is gone when it is used, is the same matrix. */
static void analysed_later_or_alike(void **state)
{
    (void)state;
    pattern *shape;
    block_shape b;
    assembly *made, *later, *like;
    int id[3];
    real x[3][RING];
    ring(&shape, &b);
    assembly **all[] = { &made, &later, &like };
    for (int i = 0; i < 3; i++) {
        assert_int_equal(X(assembly_create)(context, RING, all[i]), TAUT_OK);
        assert_int_equal(X(assembly_add)(*all[i], &b, 0, 0, &id[i]), TAUT_OK);
    }
    assert_int_equal(X(assembly_finish)(made, 0), TAUT_OK);
    assert_int_equal(X(assembly_fix)(later, 0), TAUT_OK);
    assert_int_equal(pattern_entries(X(assembly_columns_of)(later)), 2 * RING);
    assert_int_equal(X(assembly_finish_like)(like, made), TAUT_OK);
    solve_ring(made, id[0], x[0]);
    X(assembly_destroy)(made);
    for (int i = 0; i < 2; i++) assert_int_equal(X(assembly_analyse)(later), TAUT_OK); /* the second time in vain */
    solve_ring(later, id[1], x[1]);
    solve_ring(like, id[2], x[2]);
    for (int i = 0; i < RING; i++) assert_true(x[1][i] == x[0][i] && x[2][i] == x[0][i]);
    X(assembly_destroy)(later);
    X(assembly_destroy)(like);
    taut_pattern_destroy(context, shape);
}

/* Of several saddle-point matrices of a system one is analysed; the others have that from it, and outlive it. */
static void saddle_points_share_an_analysis(void **state)
{
    (void)state;
    sample z;
    kkt *first, *second;
    open_sample(&z, pendulums[1]);
    struct system *s = z.s;
    set_pendulum(&z);
    place at = place_at(z.s, z.x.q, z.x.w, &z.x.t, z.x.lambda);
    real found[2][3][MOST];
    assert_null(s->kkt);
    assert_int_equal(X(kkt_create)(s, &first), TAUT_OK);
    assert_ptr_equal(s->kkt, first);
    assert_int_equal(X(kkt_create)(s, &second), TAUT_OK);
    assert_ptr_equal(s->kkt, first);
    for (int i = 0; i < 2; i++) {
        kkt *k = i ? second : first;
        for (int side = 0; side < 3; side++)
            for (int j = 0; j < MOST; j++) found[i][side][j] = 1 + side + j;
        assert_int_equal(X(kkt_factor)(k, &at), TAUT_OK);
        assert_int_equal(X(kkt_solve)(k, found[i][0], found[i][1], found[i][2]), TAUT_OK);
        X(kkt_destroy)(k);
        assert_null(s->kkt);
    }
    assert_memory_equal(found[0][0], found[1][0], s->n * sizeof(real));
    assert_memory_equal(found[0][2], found[1][2], s->c * sizeof(real));
    close_sample(&z);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(analysed_later_or_alike),
        TEST(saddle_points_share_an_analysis),
        TEST(forms_are_as_meant),
        TEST(accelerations_agree_in_all_forms),
        TEST(saddle_point_equations_hold),
        TEST(no_constraints_are_fine),
        TEST(pendulum_multiplier),
        TEST(driven_pivot_multiplier),
        TEST(nonlinear_multiplier),
        TEST(accelerations_with_varying_mass_and_time),
        TEST(accelerations_and_momenta_in_a_magnetic_field),
        TEST(multiplier_matrix), TEST(multiplier_matrix_of_chains),
        TEST(assembled_matrix),
        TEST(factors_depend_on_the_matrix_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
