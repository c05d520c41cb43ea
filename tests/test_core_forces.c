/* Damping, motors and time-dependent loads under every method that takes forces: orders on a constrained pendulum and
   on friction that depends on the multiplier; who refuses, and with which words. */
#include "support_method.h"

/* A pendulum on a rod with linear and quadratic damping, a motor, a load that depends on position and time. */
static const char driven_lagrangian[] =
    "local a, t = point('a', 2), time() lagrangian(0.75*norm2(a.dot) - 14.7*a.y) constraint('rod', norm2(a) - 4)\n"
    "local d = 0.3 + 0.1*sqrt(1 + norm2(a.dot)) force(a, { -d*a.dot.x + 2*cos(1.7*t), -d*a.dot.y - 0.5*a.x*sin(2*t) "
    "})\n"
    "start { a = {1.2, free(-1.5)}, ['a.dot'] = {0.7, free(0)} }";
static const char driven_hamiltonian[] = "local a, t = point('a', 2), time() local p = momentum(a) "
                                         "hamiltonian(norm2(p)/3 + 14.7*a.y) constraint('rod', norm2(a) - 4)\n"
                                         "local vx, vy = p.x/1.5, p.y/1.5 local d = 0.3 + 0.1*sqrt(1 + vx^2 + vy^2) "
                                         "force(a, { -d*vx + 2*cos(1.7*t), -d*vy - 0.5*a.x*sin(2*t) })\n"
                                         "start { a = {1.2, free(-1.5)}, ['p.a'] = {1.05, free(0)} }";
/* Friction nonlinear in the normal force, a damper, a drive; mass that depends on position. */
static const char friction_lagrangian[] =
    "local r, a, t = coordinate 'r', coordinate 'a', time() lagrangian((r.dot^2 + r^2*a.dot^2)/2 - 9.81*r*sin(a))\n"
    "local c = constraint('curve', r - 1 - 0.2*cos(2*a)) force(r, -0.1*r.dot) force(a, -0.02*c^2*a.dot*r + "
    "0.5*cos(3*t) - 0.1*a.dot)\n"
    "start { r = free(1), a = 0.4, ['r.dot'] = free(0), ['a.dot'] = 1.5 }";

/* Jay & Simeon's Coulomb friction, |N|^0.85: no derivative where a multiplier is zero; and a mass that depends on
   position. */
static const char fractional_lagrangian[] =
    "local a = point 'a' lagrangian((1 + 0.3*a.z^2)*norm2(a.dot)/2 - 9.81*a.z)\n"
    "local n = constraint('bowl', a.z - 0.2*(a.x^2 + a.y^2)) local N = sqrt(n^2*(1 + 0.16*(a.x^2 + a.y^2)))\n"
    "force(a, -0.2*N^0.85*a.dot/norm(a.dot)) start { a = {1, 0.5, 0.25}, ['a.dot'] = {0.3, 2, 0.52} }";

static simulation *open_source(const char *text, const char *method)
{
    simulation *z = open_text(text);
    use_method(z, method);
    return z;
}

/* Errors of q and p at t = 1/2 against the extrapolated equations of motion. */
static void errors_at_end(const char *text, const char *method, long steps, double *q, double *p)
{
    simulation *z = open_source(text, method);
    const real until = (real)0.5;
    state start = save_state(z);
    if (X(simulation_flow)(z, until, (real)5e5 * REAL_EPSILON)) fail_msg("%s", taut_error_text(z->m->context));
    state exact = save_state(z);
    X(state_copy)(&start, &z->x);
    do_steps(z, steps, until / (real)steps);
    *q = (double)distance(z->x.q, exact.q, z->s->n);
    *p = (double)distance(z->x.p, exact.p, z->s->n);
    X(state_clear)(z->s, &start);
    X(state_clear)(z->s, &exact);
    close_model(z);
}

typedef struct {
    const char *method;
    double order, momentum_order;
    long steps;
} expected;

static const expected all[] = {
    { "rattle", 2, 2, 40 },
    { "shake", 2, 1, 40 },
    { "lobatto:s=2", 2, 2, 40 },
    { "lobatto:s=3", 4, 4, 12 },
    { "lobatto:s=4", 6, 6, 8 },
    { "del", 2, 2, 40 },
    { "del:left", 1, 1, 160 },
    { "galerkin:LLL,m=2", 2, 2, 40 },
    { "galerkin:LLL,m=3", 4, 4, 12 },
    { "galerkin:LGL,m=3", 4, 4, 12 },
    { "galerkin:LLG,m=3", 4, 4, 12 },
    { "galerkin:LGG,m=3", 4, 4, 12 },
    { "galerkin:ELL,m=4", 4, 4, 8 },
    { "galerkin:EGL,m=4", 4, 4, 8 },
    { "galerkin:ELG,m=4", 4, 4, 8 },
    { "galerkin:EGG,m=4", 4, 4, 8 },
    { "euler", 1, 1, 160 },
    { "euler:conjugate", 1, 1, 160 },
    { "euler:adjoint", 1, 1, 160 },
    { "compose:euler,order=4", 4, 4, 8 },
    { "compose:rattle,order=6", 6, 6, 6 },
    { "compose:del,order=4", 4, 4, 12 },
};
enum { ALL = sizeof all / sizeof *all };

static int refused(const char *text, const char *name)
{
    method_spec spec;
    method m = { 0 };
    simulation *z = open_text(text);
    assert_int_equal(X(method_parse)(z->m->context, name, &spec), TAUT_OK);
    int status = X(method_create)(z->s, &spec, 0, &m);
    if (status) assert_int_equal(status, TAUT_UNSUPPORTED);
    if (status) printf("%-24s refuses: %s\n", name, taut_error_text(z->m->context));
    X(method_destroy)(&m);
    close_model(z);
    return status != 0;
}

/* The deviation of an order is about h (odd orders, shake) or h^2: within 0.2. The steps are as listed times `finer`;
   in double the reference, good to 1e-10, ends what can be seen of orders above `seen`. */
static int check_all(const char *name, const char *text, int finer, int seen)
{
    int refusals = 0;
    for (int i = 0; i < ALL; i++) {
        double q[2], p[2];
        if (refused(text, all[i].method)) {
            refusals++;
            continue;
        }
        if ((!QUAD || SANITIZED) && all[i].order > seen) continue;
        for (int k = 0; k < 2; k++) errors_at_end(text, all[i].method, (all[i].steps * finer) << k, &q[k], &p[k]);
        printf("%-12s %-24s order q %.3f p %.3f   errors %.1e %.1e\n", name, all[i].method, log2(q[0] / q[1]),
               log2(p[0] / p[1]), q[1], p[1]);
        assert_between(log2(q[0] / q[1]), all[i].order - 0.2, all[i].order + 0.2);
        assert_between(log2(p[0] / p[1]), all[i].momentum_order - 0.2, all[i].momentum_order + 0.2);
    }
    return refusals;
}

static void damped_and_driven_lagrangian(void **unused)
{
    (void)unused;
    assert_int_equal(check_all("Lagrangian", driven_lagrangian, 1, 4), 0); /* nobody refuses */
}

/* Methods with a discrete Lagrangian have none here, composed or not. */
static void damped_and_driven_hamiltonian(void **unused)
{
    (void)unused;
    assert_int_equal(check_all("Hamiltonian", driven_hamiltonian, 1, 4),
                     3 + 9 + 1); /* shake, del, del:left; galerkin; compose:del */
}

/* shake's and del:left's multipliers are not the constraint force of an instant. */
static void friction_nonlinear_in_the_multiplier(void **unused)
{
    (void)unused;
    assert_int_equal(check_all("friction", friction_lagrangian, 4, 2), 2);
}

static void friction_that_is_a_fractional_power(void **unused)
{
    (void)unused;
    assert_int_equal(check_all("fractional", fractional_lagrangian, 1, 2), 2); /* shake, del:left */
}

/* Coulomb friction on a cubic, |normal force|^0.87, has no derivative where the multiplier is 0: it is found from that
   without friction. A friction force is tangential and changes no multiplier: m (g + 6 b x vx^2)/(1 + 9 b^2 x^4). */
static void multiplier_finds_its_start(void **unused)
{
    (void)unused;
    static const char text[] =
        "local b = 0.01 local y = point('y', 2) lagrangian(norm2(y.dot)/2 - 9.81*y.y)\n"
        "local psi = constraint('surface', y.y - b*y.x^3)\n"
        "force(y, -0.1*((1 + 9*b^2*y.x^4)*psi^2)^(0.87/2)/norm(y.dot)*y.dot)\n"
        "start { y = {10, 10}, ['y.dot'] = {-3.6, -10.8} }";
    simulation *z = open_source(text, "euler");
    real b = (real)1 / 100, x = 10, v = -(real)36 / 10, steep = 3 * b * x * x;
    real lambda = ((real)981 / 100 + 6 * b * x * v * v) / (1 + steep * steep);
    assert_at_most(REAL(fabs)(z->x.lambda[0] - lambda), 100 * REAL_EPSILON);
    do_steps(z, 10, (real)1 / 100);
    close_model(z);
}

/* 0 = -15 + lambda - lambda^2: the message says what to do. */
static void multiplier_without_a_start(void **unused)
{
    (void)unused;
    static const char text[] = "local x = coordinate 'x' lagrangian(x.dot^2/2 - 5*x) local m = constraint('c', x)\n"
                               "force(x, -m^2 - 10) start { x = 0, ['x.dot'] = 0 }";
    taut_context *context = taut_context_create(NULL);
    model *m = NULL;
    simulation *z = NULL;
    engine_options options = { .method = "euler" };
    assert_int_equal(taut_model_read_text(context, "test.lua", text, strlen(text), NULL, 0, &m), TAUT_OK);
    assert_int_equal(X(simulation_create)(m, &options, &z), TAUT_NO_CONVERGENCE);
    assert_non_null(strstr(taut_error_text(context), "give a guess: start { [m] = number }"));
    assert_non_null(strstr(taut_error_text(context), "test.lua:1: 'c'"));
    taut_model_free(m);
    taut_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damped_and_driven_lagrangian),
        cmocka_unit_test(damped_and_driven_hamiltonian),
        cmocka_unit_test(friction_nonlinear_in_the_multiplier),
        cmocka_unit_test(friction_that_is_a_fractional_power),
        cmocka_unit_test(multiplier_finds_its_start),
        cmocka_unit_test(multiplier_without_a_start),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
