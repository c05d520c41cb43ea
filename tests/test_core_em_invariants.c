/* Momenta under em of potentials that are made of cross and triple products, and the declaration of them. */
#include <stdarg.h>

#include "support.h"
#include "support_method.h"

static const char *const every[] = { "em", "em:project", "compose:em,order=4" };

static uint64_t seed;

static int below(int n)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return (int)((seed >> 11) % (uint64_t)n);
}

static double uniform(double low, double high) { return low + (high - low) * below(1 << 20) / (1 << 20); }

typedef struct {
    char at[4000];
    size_t length;
} text;

static void put(text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void put(text *t, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    t->length += (size_t)vsnprintf(t->at + t->length, sizeof t->at - t->length, format, list);
    va_end(list);
    assert_true(t->length < sizeof t->at);
}

/* Each is a function of the shape of four points alone: s are those numbers. a, b, c are its edges. */
static const char *const invariants[] = {
    "dot(cross(a, b), cross(b, c))",
    "norm2(cross(a, b) + cross(b, c))",
    "norm(cross(a, c))",
    "dot(a, cross(b, c))",
    "dot(cross(a, b), c)^2",
    "dot(a/norm(a), c/norm(c))",
    "dot(cross(a, b)/norm(cross(a, b)), cross(b, c)/norm(cross(b, c)))",
    "atan2(norm(b)*dot(a, cross(b, c)), dot(cross(a, b), cross(b, c)))",
    "dot(cross(cross(a, b), b/norm(b)), cross(b, c))",
    "dot(cross(a, cross(b, c)), cross(cross(a, b), c))",
    "-dot(-2*cross(b, a), cross(c, b)/3)",
    "acos(0.9*dot(cross(a, b), cross(b, c))/(norm(cross(a, b))*norm(cross(b, c))))",
    "norm2(cross(cross(a, b), cross(b, c)))",
    "dot(cross(a, c), b)*norm(a)",
};
enum { INVARIANTS = sizeof invariants / sizeof *invariants };

/* Four points on springs, or on two bars; the rest of the energy is `potential`. */
static void write_model(text *t, const char *potential, int bars)
{
    t->length = 0;
    put(t, "title 'four' local q = {} for i = 1, 4 do q[i] = point('q' .. i) lagrangian((1 + i/3)*norm2(q[i].dot)/2) end\n"
           "for i = 1, 4 do for j = 1, i - 1 do lagrangian(-8*(norm(q[i] - q[j]) - 1)^2) end end\n"
           "local a, b, c = q[2] - q[1], q[3] - q[2], q[4] - q[3]\n%s\n", potential);
    if (bars) put(t, "constraint('b1', norm2(a) - 1) constraint('b2', dot(cross(a, b), cross(a, b)) - 0.9)\n");
    put(t, "start { q1 = {0, 0, 0}, q2 = {1, 0, 0}, q3 = {free(0.8), free(0.9), 0.3}, q4 = {0.2, 0.5, %.3f},\n",
        uniform(0.7, 0.9));
    for (int i = 1; i <= 4; i++)
        put(t, "['q%d.dot'] = {free(%.3f), free(%.3f), free(%.3f)}%s", i, uniform(-1, 1), uniform(-1, 1),
            uniform(-1, 1), i < 4 ? ", " : "}\n");
}

static simulation *open_declared(const char *source, const char *method)
{
    taut_context *context = taut_context_create(NULL);
    model *m = NULL;
    simulation *z = NULL;
    engine_options options = { .method = method };
    int status = taut_model_read_text(context, "test.lua", source, strlen(source), NULL, 0, &m);
    if (!status) status = X(simulation_create)(m, &options, &z);
    if (status) fail_msg("%s: %s", source, taut_error_text(context));
    return z;
}

static double in_units(const engine_kept *kept) { return (double)(kept->error / kept->scale / REAL_EPSILON); }

/* Random potentials of the shape: all six momenta are declared, and kept. */
static void momenta_of_shapes(void **unused)
{
    (void)unused;
    double worst = 0, worst_energy = 0;
    seed = 88172645463325252ULL;
    const int models = SANITIZED || QUAD ? 4 : 28;
    for (int i = 0; i < models; i++) {
        text potential = { .length = 0 }, t;
        for (int k = 0; k < 1 + i % 3; k++)
            put(&potential, "lagrangian(%.2f*%s(%.2f*%s + %.2f*%s))\n", uniform(-0.7, 0.7),
                below(2) ? "sin" : "cos", uniform(0.3, 1), invariants[(i + k) % INVARIANTS], uniform(-1, 1),
                invariants[below(INVARIANTS)]);
        write_model(&t, potential.at, i % 2);
        simulation *z = open_declared(t.at, every[i % 3]);
        engine_follow kept;
        assert_int_equal(z->symmetry_count, 6);
        if (!(z->declared.keeps & KEEPS_MOMENTUM)) fail_msg("not declared: %s", t.at);
        int status = X(simulation_follow)(z, (real)0.01, SANITIZED || QUAD ? 5 : 30, &kept);
        if (status) fail_msg("%s: %s", t.at, taut_error_text(z->m->context));
        worst = fmax(worst, in_units(&kept.momentum)), worst_energy = fmax(worst_energy, in_units(&kept.energy));
        /* a rounding of each of some ten forces in a step, random in sign; denominators of a fifth or so enlarge it */
        if (in_units(&kept.momentum) > 40) fail_msg("%.0f units: %s", in_units(&kept.momentum), t.at);
        assert_at_most(in_units(&kept.energy), 200);
        close_model(z);
    }
    printf("%d models: momenta within %.1f units, energy %.1f\n", models, worst, worst_energy);
}

/* What nothing shows: the same numbers by components, and a product of functions of components. Not declared, and not
   kept. Linear momenta alone, which every difference shows, are. */
static void hidden_symmetries(void **unused)
{
    (void)unused;
    static const struct { const char *potential; int symmetries, declared; } cases[] = {
        { "local x, y, z = a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x\n"
          "lagrangian(-sin(x^2 + y^2 + z^2))", 6, 0 },
        { "lagrangian(-exp(a.x^2/4)*exp(a.y^2/4)*exp(a.z^2/4))", 6, 0 },
        { "lagrangian(-exp(a.x^2/4)*exp(b.y^2/3))", 3, 1 },
        { "lagrangian(-sin(norm2(cross(a, b))))", 6, 1 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int k = 0; k < 3; k++) {
            text t;
            seed = 88172645463325252ULL;
            write_model(&t, cases[i].potential, 0);
            simulation *z = open_declared(t.at, every[k]);
            engine_follow kept;
            assert_int_equal(z->symmetry_count, cases[i].symmetries);
            assert_int_equal(!!(z->declared.keeps & KEEPS_MOMENTUM), cases[i].declared);
            assert_int_equal(X(simulation_follow)(z, (real)0.02, 20, &kept), TAUT_OK);
            printf("%-34.34s %-18s momentum %.1g units\n", cases[i].potential, every[k], in_units(&kept.momentum));
            if (cases[i].declared) assert_at_most(in_units(&kept.momentum), 40);
            else assert_true(in_units(&kept.momentum) > (k == 2 ? 1e3 : 1e6)); /* order 4 comes nearer */
            close_model(z);
        }
}

/* Three edges that come to lie in a plane, and pass it: nothing of a triple product is singular there. */
static void through_the_plane(void **unused)
{
    (void)unused;
    static const char source[] =
        "title 'plane' local q = {} for i = 1, 4 do q[i] = point('q' .. i) lagrangian(norm2(q[i].dot)/2) end\n"
        "local a, b, c = q[2] - q[1], q[3] - q[1], q[4] - q[1]\n"
        "for i = 1, 4 do for j = 1, i - 1 do lagrangian(-2*(norm(q[i] - q[j]) - 1)^2) end end\n"
        "lagrangian(-sin(3*dot(a, cross(b, c))) - cos(2*dot(a, cross(b, c))))\n"
        "start { q1 = {0, 0, 0}, q2 = {1, 0, 0}, q3 = {0, 1, 0}, q4 = {0.4, 0.4, 0.05},\n"
        "  ['q4.dot'] = {0, 0, -1}, ['q2.dot'] = {0.1, 0.5, 0.2} }";
    simulation *z = open_declared(source, "em");
    engine_follow kept;
    assert_true(z->declared.keeps & KEEPS_MOMENTUM);
    int status = X(simulation_follow)(z, (real)0.02, SANITIZED || QUAD ? 25 : 500, &kept);
    if (status) fail_msg("%s", taut_error_text(z->m->context));
    assert_at_most(in_units(&kept.energy), 40);
    assert_at_most(in_units(&kept.momentum), 8);
    close_model(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momenta_of_shapes),
        cmocka_unit_test(hidden_symmetries),
        cmocka_unit_test(through_the_plane),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
