/* Nothing depends on the units of mass and length: a motion in kilograms and metres, in those of molecules and in those of
   planets is the same motion, by every method, on the general path as lowered; contacts bounce and come to rest; and how
   far a start was moved is measured against its size. */
#include "support.h"

#include <math.h>

#include "step/stepper.h"

static const struct {
    const char *mass, *length;
} units[] = { { "1", "1" }, { "1e-27", "1e-10" }, { "2^-90", "2^-33" }, { "1e30", "1e11" } };
enum { SCALES = sizeof units / sizeof *units };

static simulation *open_in(int unit, const char *format, const char *method)
{
    char text[1500];
    model *m = NULL;
    simulation *z = NULL;
    const engine_options options = { .method = method };
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    snprintf(text, sizeof text, format, units[unit].mass, units[unit].length);
    int status = taut_model_read_text(context, "units.lua", text, strlen(text), NULL, 0, &m);
    if (!status) status = X(simulation_create)(m, &options, &z);
    if (status) fail_msg("mass %s, length %s, %s: %s", units[unit].mass, units[unit].length, method, taut_error_text(context));
    return z;
}

static const char pendulum[] =
    "local m, l = param('m', %s), param('l', %s)\n"
    "local a, b = point('a', 3), point('b', 3)\n"
    "lagrangian(m/2*(norm2(a.dot) + norm2(b.dot)) - m*l*(a.z + b.z))\n"
    "constraint('first', norm2(a) - l^2)\n"
    "constraint('second', norm2(b - a) - l^2)\n"
    "start { a = {l, 0, 0}, b = {l, l, 0}, ['a.dot'] = {0, l/8, l/4}, ['b.dot'] = {l/8, l/8, 0} }\n";
/* a mass matrix of position, a force of velocity */
static const char bead[] =
    "local m, l = param('m', %s), param('l', %s)\n"
    "local r, a = coordinate 'r', coordinate 'a'\n"
    "local h = coordinate 'h'\n"
    "lagrangian(m/2*(r.dot^2 + r^2*a.dot^2 + h.dot^2) - m*l*h)\n"
    "constraint('bowl', h*l - r^2/2)\n"
    "force(r, -m/10*r.dot)\n"
    "start { r = l, a = 0.3, h = l/2, ['r.dot'] = l/4, ['a.dot'] = 0.5, ['h.dot'] = l/4 }\n";

static void every_method(void **state)
{
    (void)state;
    static const char *const methods[] = { "rattle", "shake", "lobatto:s=2", "lobatto:s=3", "del", "galerkin",
                                           "galerkin:LLL,m=3", "em", "euler", "naive:rk4", "extended:gauss", "dirac:rk4",
                                           "compose:rattle,order=4" };
    const int steps = QUAD ? 5 : 40;
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (int other = 0; other < 2; other++)
            for (int lowered = 0; lowered < 2; lowered++) {
                if (other && strncmp(methods[i], "extended", 8) == 0) continue; /* takes no forces */
                real first[6] = { 0 };
                for (int unit = 0; unit < SCALES; unit++) {
                    simulation *z = open_in(unit, other ? bead : pendulum, methods[i]);
                    const real length = z->x.q[0];
                    if (!lowered && !z->method.code) X(stepper_use_lowered)(z->method.self, 0);
                    for (int k = 0; k < steps; k++)
                        if (X(simulation_step)(z, (real)1 / 50))
                            fail_msg("mass %s, length %s, %s%s, %s: step %d: %s", units[unit].mass, units[unit].length,
                                     methods[i], lowered ? "" : ", general path", other ? "bead" : "pendulum", k,
                                     taut_error_text(z->m->context));
                    for (uint32_t k = 0; k < z->s->n; k++) {
                        const real x = z->x.q[k] / (other && k == 1 ? 1 : length);
                        if (!unit) first[k] = x;
                        /* 40 steps of a motion that is not chaotic yet: errors add up */
                        if (!(REAL(fabs)(x - first[k]) <= 2000 * REAL_EPSILON))
                            fail_msg("mass %s, length %s, %s%s: coordinate %u is %g lengths away", units[unit].mass,
                                     units[unit].length, methods[i], lowered ? "" : ", general path", k,
                                     (double)(x - first[k]));
                    }
                    close_model(z);
                }
            }
}

/* A ball that bounces without loss for ever, and one that comes to rest after impacts that never end. */
static void contacts(void **state)
{
    (void)state;
    static const char *const methods[] = { "rattle", "em", "lobatto:s=3", "galerkin" };
    static const char *const balls[] = {
        "local m, l = param('m', %s), param('l', %s)\n"
        "local z = coordinate 'z'\n"
        "lagrangian(m*z.dot^2/2 - 10*m*l*z)\n"
        "contact('floor', z, { restitution = 1 })\n"
        "start { z = l }\n",
        "local m, l = param('m', %s), param('l', %s)\n"
        "local z = coordinate 'z'\n"
        "lagrangian(m*z.dot^2/2 - 10*m*l*z)\n"
        "contact('floor', z, { restitution = 0.5 })\n"
        "start { z = l }\n" };
    for (int i = 0; i < 4; i++)
        for (int rests = 0; rests < 2; rests++)
            for (int unit = 0; unit < SCALES; unit++) {
                simulation *z = open_in(unit, balls[rests], methods[i]);
                const real length = z->x.q[0], h = (real)1 / 50;
                for (int k = 0; k < (QUAD ? 20 : 100); k++) {
                    do_steps(z, 1, h);
                    const real height = z->x.q[0] / length, speed = z->x.w[0] / length;
                    if (!(height >= -100 * REAL_EPSILON)) fail_msg("%s: the ball is at %g", methods[i], (double)height);
                    /* constant acceleration: these methods keep the energy of a parabola, and impacts keep it, too */
                    if (!rests) assert_at_most(REAL(fabs)(speed * speed / 2 + 10 * height - 10), 5e5 * REAL_EPSILON);
                }
                if (rests && !QUAD) /* sqrt(2/10) (1 + 2 (1/2 + 1/4 + ..)) = 1.342 is over */
                    assert_at_most(REAL(fabs)(z->x.q[0]) + REAL(fabs)(z->x.w[0]), 1e-10 * length);
                close_model(z);
            }
}

/* A start whose last digits are polished was not moved; one that misses by 1e-11 of its size was, in any units. */
static void moved_starts(void **state)
{
    (void)state;
    static const char text[] =
        "local m, l = param('m', %%s), param('l', %%s)\n"
        "local a = point('a', 2)\n"
        "lagrangian(m/2*norm2(a.dot) - m*l*a.y)\n"
        "constraint('bar', norm2(a) - l^2)\n"
        "start { a = {0.6*l, 0.8*l*(1 + %s)}, ['a.dot'] = {0.8*l, -0.6*l} }\n";
    for (int unit = 0; unit < SCALES; unit++)
        for (int off = 0; off < 2; off++) {
            char format[600];
            wide q, w;
            snprintf(format, sizeof format, text, off ? "1e-11" : QUAD ? "1e-30" : "1e-15");
            simulation *z = open_in(unit, format, "rattle");
            X(engine).start_moves(z, &q, &w);
            const double length = hypot((double)z->x.q[0], (double)z->x.q[1]);
            if (off) assert_between(q / length, 5e-12, 1e-11);
            else assert_true(q == 0 && w == 0);
            close_model(z);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(every_method), cmocka_unit_test(contacts),
                                        cmocka_unit_test(moved_starts) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
