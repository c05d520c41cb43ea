/* Steps of random small models: a Lagrangian with masses of position and a potential, a constraint, forces, all from the
   input. The steps of the interpreter, of machine code, and of the general path: the first two have the same bits, the
   third agrees with them to round-off. */
#include <math.h>

#include "lower/program.h"
#include "run/simulation.h"
#include "step/stepper.h"
#include "fuzz.h"

static choices c;
enum { TEXT_MOST = 6000, STEPS = 3, APART_MOST = 1 << 20 };

typedef struct {
    char text[TEXT_MOST];
    size_t size;
} writing;

static void put(writing *w, const char *text)
{
    const size_t n = strlen(text);
    if (w->size + n + 1 > TEXT_MOST) return;
    memcpy(w->text + w->size, text, n + 1);
    w->size += n;
}

static void put_expression(writing *w, int depth, int count, int velocities)
{
    static const char *const unary[] = { "sin(", "cos(", "0.3*sin(2*", "atan(", "exp(0.3*sin(1*", "tanh(", "sqrt(2+sin(1*",
                                         "log(3+cos(1*", "abs(3+sin(1*" };
    static const char *const ends[] = { ")", ")", ")", ")", "))", ")", "))", "))", "))" };
    static const char names[] = "xyz";
    char leaf[30];
    if (depth == 0 || !choices_left(&c) || choose(&c, 6) == 0) {
        if (choose(&c, 4) == 0) snprintf(leaf, sizeof leaf, "%g", (double)choose(&c, 41) / 10 - 2);
        else
            snprintf(leaf, sizeof leaf, "%c%s", names[choose(&c, (uint32_t)count)],
                     velocities && choose(&c, 2) ? ".dot" : "");
        put(w, leaf[0] == '-' ? "(" : ""), put(w, leaf), put(w, leaf[0] == '-' ? ")" : "");
        return;
    }
    const uint32_t o = choose(&c, 14);
    if (o < 9) {
        put(w, unary[o]), put_expression(w, depth - 1, count, velocities), put(w, ends[o]);
        return;
    }
    static const char *const binary[] = { " + ", " - ", "*", "/(2+", "*0.5*" };
    put(w, "(");
    put_expression(w, depth - 1, count, velocities);
    put(w, binary[o - 9]);
    if (o == 12) put(w, "sin("), put_expression(w, depth - 1, count, velocities), put(w, "))");
    else put_expression(w, depth - 1, count, velocities);
    put(w, ")");
}

/* 0: nothing comes of it. */
static int write_model(writing *w)
{
    static const char names[] = "xyz";
    const int count = 1 + (int)choose(&c, 3), constrained = count > 1 && choose(&c, 2);
    char line[200];
    for (int i = 0; i < count; i++) {
        snprintf(line, sizeof line, "local %c = coordinate '%c'\n", names[i], names[i]);
        put(w, line);
        if (choose(&c, 4)) snprintf(line, sizeof line, "lagrangian(%g*%c.dot^2)\n", 0.5 + choose(&c, 8), names[i]);
        else {
            snprintf(line, sizeof line, "lagrangian(%c.dot^2*(2+sin(", names[i]);
            put(w, line), put_expression(w, 1, count, 0);
            snprintf(line, sizeof line, ")))\n");
        }
        put(w, line);
    }
    put(w, "lagrangian(-(");
    put_expression(w, 4, count, 0);
    put(w, "))\n");
    if (choose(&c, 3) == 0) put(w, "force(x, -0.1*("), put_expression(w, 2, count, 1), put(w, "))\n");
    if (constrained) put(w, "constraint('g', x^2 + y^2 - 1 + 0.1*sin("), put_expression(w, 2, count, 0), put(w, "))\n");
    snprintf(line, sizeof line, "start { x = 0.6, %s%s['x.dot'] = %g }\n", count > 1 ? constrained ? "y = free(0.8), " :
             "y = 0.8, " : "", count > 2 ? "z = -0.4, " : "", (double)choose(&c, 21) / 10 - 1);
    put(w, line);
    if (constrained) put(w, "solve_for(y.dot)\n");
    return w->size + 300 < TEXT_MOST;
}

/* As in tests/test_core_lower.c: in units of the rounding errors of a step of h. */
static double apart(const simulation *z, const state *a, const state *b, double h)
{
    const uint32_t n = a->n;
    double q = 1, w = 1, p = 1, worst = 0;
    (void)z;
    for (uint32_t i = 0; i < n; i++) q = fmax(q, fabs(a->q[i])), w = fmax(w, fabs(a->w[i])), p = fmax(p, fabs(a->p[i]));
    for (uint32_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs(a->q[i] - b->q[i]) / q);
        worst = fmax(worst, fabs(a->w[i] - b->w[i]) / (w + q / h));
        worst = fmax(worst, fabs(a->p[i] - b->p[i]) / (p + 10 * q / h));
    }
    return worst / REAL_EPSILON;
}

static simulation *make(model *m, const char *method, int native)
{
    simulation *z = NULL;
    const engine_options o = { .method = method, .native = native, .steps = 1e9 };
    const int status = X(simulation_create)(m, &o, &z);
    check_status(m->context, status);
    return status ? NULL : z;
}

static void steps(model *m, const char *method, double h)
{
    simulation *plain = make(m, method, TAUT_NATIVE_OFF), *native = plain ? make(m, method, TAUT_NATIVE_AUTO) : NULL;
    FUZZ_CHECK(!plain == !native, "only one of them is made");
    state general;
    if (plain && !plain->method.code && X(stepper_is_lowered)(plain->method.self) && !X(state_create)(plain->s, &general)) {
        const size_t bytes = X(state_size)(&general) * sizeof(real);
        for (int i = 0; i < STEPS; i++) {
            X(state_copy)(&plain->x, &general);
            X(stepper_use_lowered)(plain->method.self, 0);
            const int third = X(method_step)(&plain->method, &general, h);
            X(stepper_use_lowered)(plain->method.self, 1);
            const int first = X(method_step)(&plain->method, &plain->x, h),
                      second = X(method_step)(&native->method, &native->x, h);
            FUZZ_CHECK(first == second, "%s: statuses %d and %d", method, first, second);
            FUZZ_CHECK(memcmp(plain->x.block, native->x.block, bytes) == 0, "%s: native steps are others", method);
            if (first || third) break;
            const double rounds = apart(plain, &plain->x, &general, h);
            FUZZ_CHECK(rounds <= APART_MOST, "%s: the general path is %g rounding errors away", method, rounds);
        }
        X(state_clear)(plain->s, &general);
    }
    X(simulation_destroy)(native);
    X(simulation_destroy)(plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const methods[] = { "rattle", "shake", "lobatto:s=2", "lobatto:s=3", "galerkin:LGL,m=2", "del",
                                           "del:left", "em", "euler", "euler:adjoint", "galerkin:LLL,m=3",
                                           "compose:rattle,order=4" };
    static const double lengths[] = { 0.01, 0.001, 0.05, 0.1 };
    writing w = { "", 0 };
    bounds b;
    model *m = NULL;
    c = (choices){ data, size, 0 };
    const char *method = methods[choose(&c, sizeof methods / sizeof *methods)];
    const double h = lengths[choose(&c, 4)];
    if (!write_model(&w)) return 0;
    taut_context *context = bounded_begin(&b);
    const int status = taut_model_read_text(context, "step.lua", w.text, w.size, NULL, 0, &m);
    check_status(context, status);
    FUZZ_CHECK(status == TAUT_OK || status == TAUT_BAD_MODEL || status == TAUT_OUT_OF_MEMORY, "%d", status);
    if (!status) steps(m, method, h);
    taut_model_free(m);
    bounded_end(&b);
    return 0;
}
