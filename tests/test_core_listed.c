/* Models of every kind, and every method: those that `taut check` lists start and make steps, and those that it does
   not list are refused, for the reason that it gives. */
#include "support.h"

typedef struct {
    char refusal[40][512]; /* by method; empty: it is listed */
    int count;
} listing;

static void note_method(void *user, const char *name, const char *refusal)
{
    listing *l = user;
    assert_string_equal(name, X(method_at)(l->count)->info->name);
    snprintf(l->refusal[l->count++], sizeof l->refusal[0], "%s", refusal ? refusal : "");
}
static void ignore_start(void *user, const char *name, wide value, int free)
{
    (void)user, (void)name, (void)value, (void)free;
}
static void ignore_redundant(void *user, uint32_t constraint, const char *on)
{
    (void)user, (void)constraint, (void)on;
}
static void ignore_conserved(void *user, const char *name) { (void)user, (void)name; }

/* `steps` is enough to get to an event, where there is one. */
static void try_method(model *m, const char *name, const char *refusal, long steps)
{
    simulation *z = NULL;
    const engine_options options = { .method = name, .step = (wide)1 / 100 };
    int status = X(simulation_create)(m, &options, &z);
    if (refusal[0] && (status != TAUT_UNSUPPORTED || !strstr(taut_error_text(m->context), refusal)))
        fail_msg("%s on %s is refused by check (%s), and not when it starts: %s", name, m->title, refusal,
                 status ? taut_error_text(m->context) : "it runs");
    if (!refusal[0] && status)
        fail_msg("%s on %s is listed by check, and does not start: %s", name, m->title, taut_error_text(m->context));
    for (long k = 0; !status && k < steps; k++) {
        status = X(simulation_step)(z, (real)1 / 100);
        if (status) fail_msg("%s on %s, step %ld: %s", name, m->title, k, taut_error_text(m->context));
    }
    if (z) X(simulation_destroy)(z);
}

static void try_model(const char *title, const char *text, long steps)
{
    char whole[2000];
    model *m = NULL;
    listing l = { .count = 0 };
    engine_check found;
    taut_context *context = taut_context_create(NULL);
    snprintf(whole, sizeof whole, "title '%s' %s", title, text);
    int status = taut_model_read_text(context, "test.lua", whole, strlen(whole), NULL, 0, &m);
    if (!status)
        status = X(simulation_check)(m, START_STRICT, &found, ignore_start, ignore_redundant, ignore_conserved,
                                     note_method, &l);
    if (status) fail_msg("%s: %s", title, taut_error_text(context));
    assert_int_equal(l.count, X(method_count)());
    for (int i = 0; i < l.count; i++) try_method(m, X(method_at)(i)->info->name, l.refusal[i], steps);
    taut_model_free(m);
    taut_context_destroy(context);
}

#define PENDULUM "local a = point('a', 2) lagrangian(norm2(a.dot)/2 - 9*a.y) constraint('rod', norm2(a) - 1)\n"
#define HANGS " start { a = {0.6, -0.8}, ['a.dot'] = {0.8, 0.6} }"
#define BALL "local a = point('a', 2) lagrangian(norm2(a.dot)/2 - 9*a.y)\n"
#define FALLS " start { a = {0, 0.01}, ['a.dot'] = {1, 0} }"

static void listed_methods_run(void **state)
{
    (void)state;
    static const struct {
        const char *title, *text;
        long steps;
    } cases[] = {
        { "unconstrained", "local x = coordinate 'x' lagrangian(x.dot^2/2 - x^4/4) start { x = 1 }", 2 },
        { "constant mass", PENDULUM HANGS, 2 },
        { "mass of positions", "local a, b = coordinate 'a', coordinate 'b'\n"
                               "lagrangian((1 + b^2)*a.dot^2/2 + b.dot^2/2 + a.dot*b.dot*b - a^2)\n"
                               "constraint('c', a - b^2) start { a = 1, b = 1, ['a.dot'] = 2, ['b.dot'] = 1 }", 2 },
        { "not quadratic in velocities",
          "local x, y = coordinate 'x', coordinate 'y' lagrangian(-sqrt(1 - x.dot^2/4 - y.dot^2/4) - y)\n"
          "constraint('c', x^2 + y^2 - 1) start { x = 0.6, y = 0.8 }", 2 },
        { "gyroscopic", "local a = point('a', 2) lagrangian(norm2(a.dot)/2 + a.x*a.dot.y)\n"
                        "constraint('rod', norm2(a) - 1)" HANGS, 2 },
        { "Hamiltonian", "local a = point('a', 2) local p = momentum(a) hamiltonian(norm2(p)/2 + 9*a.y)\n"
                         "constraint('rod', norm2(a) - 1) start { a = {0.6, -0.8}, ['p.a'] = {0.8, 0.6} }", 2 },
        { "general Hamiltonian",
          "local a = point('a', 2) local p = momentum(a) hamiltonian(sqrt(1 + norm2(p)) + a.y*p.x)\n"
          "constraint('rod', norm2(a) - 1) start { a = {0.6, -0.8}, ['p.a'] = {free(0), free(0)} }", 2 },
        { "rates", "local x, y = coordinate 'x', coordinate 'y' local u, v = momentum(x), momentum(y)\n"
                   "local l = constraint('c', x^2 + y^2 - 1) rate(x, u) rate(y, v)\n"
                   "rate(u, x*l) rate(v, y*l - 1) start { x = 0.6, y = 0.8 }", 2 },
        { "nonlinear rates", "local x, y = coordinate 'x', coordinate 'y' local u, v = momentum(x), momentum(y)\n"
                             "local l = constraint('c', x^2 + y^2 - 1) rate(x, u) rate(y, v)\n"
                             "rate(u, x*(l + l^3/9)) rate(v, y*(l + l^3/9) - 1) start { x = 0.6, y = 0.8 }", 2 },
        { "moving constraint",
          "local a = point('a', 2) lagrangian(norm2(a.dot)/2 - 9*a.y)\n"
          "constraint('rod', norm2(a) - 1 - time()) start { a = {0.6, -0.8}, ['a.dot'] = {free(0), free(0)} }", 2 },
        { "force of positions", PENDULUM "force(a.x, -a.x)" HANGS, 2 },
        { "damped", PENDULUM "force(a, -a.dot)" HANGS, 2 },
        { "damped Hamiltonian", "local a = point('a', 2) local p = momentum(a) hamiltonian(norm2(p)/2 + 9*a.y)\n"
                                "constraint('rod', norm2(a) - 1) force(a, -p)\n"
                                "start { a = {0.6, -0.8}, ['p.a'] = {0.8, 0.6} }", 2 },
        { "driven", PENDULUM "force(a.x, sin(time()))" HANGS, 2 },
        { "force of a multiplier", "local a = point('a', 2) lagrangian(norm2(a.dot)/2 - 9*a.y)\n"
                                   "local l = constraint('rod', norm2(a) - 1) force(a, -l/50*a.dot)" HANGS, 2 },
        { "constraint on velocities", "local x, y, h = coordinate 'x', coordinate 'y', coordinate 'h'\n"
                                      "lagrangian((x.dot^2 + y.dot^2 + h.dot^2)/2)\n"
                                      "constraint('blade', x.dot*sin(h) - y.dot*cos(h))\n"
                                      "start { x = 0, y = 0, h = 0, ['x.dot'] = 1, ['h.dot'] = 1 }", 2 },
        { "embedded", "local u = coordinate 'u' local a = embed('a', {cos(u), sin(u)})\n"
                      "lagrangian(norm2(a.dot)/2 - a.y) start { u = 1, ['u.dot'] = 0.5 }", 2 },
        { "two points", PENDULUM "start_points { a = {{0.6, -0.8}, {free(0.608), -0.7939}} }", 2 },
        { "rotation", "local r = rotation 'r' lagrangian((r.omega.x^2 + 2*r.omega.y^2 + 3*r.omega.z^2)/2)\n"
                      "start { r = {1, 0, 0, 0}, ['r.omega'] = {1, 0.1, 0.2} }", 2 },
        { "redundant", PENDULUM "constraint('again', (norm2(a) - 1)*3)" HANGS, 2 },
        { "singular Lagrangian", "local x, y = coordinate 'x', coordinate 'y'\n"
                                 "lagrangian(x.dot^2/2 - x^2/2 - (y - x^2)^2/2) start { x = 1, y = 1 }", 2 },
        { "constraint on momenta", "local x, y = coordinate 'x', coordinate 'y'\n"
                                   "hamiltonian(momentum(x)^2/2 + momentum(y)^2/2 + x^2/2 + y^4/4)\n"
                                   "constraint('a', momentum(y) - x*momentum(x))\n"
                                   "start { x = 1, y = free(0.3), ['p.x'] = 0.2, ['p.y'] = free(0) }", 2 },
        { "gauge condition", "local x, y, z = coordinate 'x', coordinate 'y', coordinate 'z'\n"
                             "lagrangian((x.dot - z*y)^2/2 + (y.dot + z*x)^2/2) gauge('g', z - sin(time()))\n"
                             "start { x = 1, y = 0, z = 0, ['x.dot'] = 1 }", 2 },
        { "contact", BALL "contact('floor', a.y)" FALLS, 6 },
        { "contact with friction", BALL "contact('floor', a.y, { friction = 0.3, slide = {a.x} })" FALLS, 6 },
        { "contact with regularised friction",
          BALL "contact('floor', a.y, { friction = 0.3, slide = {a.x}, regularised = 0.01 })" FALLS, 6 },
        { "force of a contact", BALL "local n = contact('floor', a.y) force(a.x, -n/5*a.dot.x)" FALLS, 6 },
        { "contact of a Hamiltonian", "local a = point('a', 2) local p = momentum(a) hamiltonian(norm2(p)/2 + 9*a.y)\n"
                                      "contact('floor', a.y, { friction = 0.3, slide = {a.x} })\n"
                                      "start { a = {0, 0.01}, ['p.a'] = {1, 0} }", 6 },
        { "contact of rates", "local x, y = coordinate 'x', coordinate 'y' local u, v = momentum(x), momentum(y)\n"
                              "local n = contact('floor', y) rate(x, u) rate(y, v) rate(u, -n/5*u) rate(v, n - 9)\n"
                              "start { x = 0, y = 0.01, ['p.x'] = 1 }", 6 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) try_model(cases[i].title, cases[i].text, cases[i].steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(listed_methods_run) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
