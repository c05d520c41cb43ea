/* The model language: every function gives what it should. Expressions are evaluated at chosen values of the variables
   and compared with the same formula in C. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "model/model.h"

#include <cmocka.h> /* last: it has a macro `fail` */

/* ---- helpers ---- */

static taut_context *context;

static int set_up(void **state)
{
    (void)state;
    context = taut_context_create(NULL);
    return context ? 0 : -1;
}

static int tear_down(void **state)
{
    (void)state;
    taut_context_destroy(context);
    return 0;
}

static model *load_with(const char *text, definition *definitions, size_t count)
{
    model *m = NULL;
    int status = taut_model_read_text(context, "test.lua", text, strlen(text), definitions, count, &m);
    if (status) print_error("%s\n", taut_error_text(context));
    assert_int_equal(status, TAUT_OK);
    assert_non_null(m);
    return m;
}

static model *load(const char *text) { return load_with(text, NULL, 0); }

/* q_i = 0.3 + 0.1 i, w_i = 0.05 i - 0.2, t = 0.7, lambda_k = 1 + k. */
static double Q(int i) { return 0.3 + 0.1 * i; }
static double W(int i) { return 0.05 * i - 0.2; }

static wide lookup(void *user, op o, kind k, uint32_t index)
{
    const model *m = user;
    if (o == OP_PARAMETER) return m->parameters[index].value;
    switch (k) {
    case KIND_Q: return Q((int)index);
    case KIND_W: return W((int)index);
    case KIND_T: return 0.7;
    case KIND_LAMBDA: return 1 + index;
    default: return 0;
    }
}

static wide exact_value_of(const model *m, expr e)
{
    wide value = 0;
    assert_int_not_equal(e, 0);
    assert_int_equal(taut_expr_value(m->graph, e, lookup, (void *)m, &value), TAUT_OK);
    return value;
}

/* Component k of a place of a shape. */
static expr place_of(const model *m, size_t shape_index, uint32_t place, int k)
{
    return m->places[m->shapes[shape_index].first + place].at[k];
}

static double value_of(const model *m, expr e) { return (double)exact_value_of(m, e); }

static void check(double value, double expected)
{
    double error = value - expected, size = expected < 0 ? -expected : expected;
    /* the expectation is rounded a few times in double */
    if (!(error < 1e-14 * (1 + size) && error > -1e-14 * (1 + size)))
        fail_msg("%.17g instead of %.17g", value, expected);
}

/* a: 0 1 2, b: 3 4 5, x: 6, c: 7 8, r: 9 10 11 12 */
#define PRELUDE \
    "local g, m = param('g', 9.81), param('m', 2)\n" \
    "local a, b, x, c, r = point 'a', point 'b', coordinate 'x', point('c', 2), rotation 'r'\n" \
    "start { a = {1, 2, 3}, b = {4, 5, 6}, x = 7, c = {8, 9}, r = {1, 0, 0, 0} }\n"

static double observe(const char *expression)
{
    char text[2000];
    snprintf(text, sizeof text,
             PRELUDE "lagrangian(0)\nlocal k = constraint('rod', norm2(a) - 1)\nobserve('value', %s)\n", expression);
    model *m = load(text);
    assert_int_equal(m->observable_count, 1);
    assert_string_equal(m->observables[0].name, "value");
    assert_int_equal(m->observables[0].line, 6);
    double value = value_of(m, m->observables[0].value);
    taut_model_free(m);
    return value;
}

/* ---- expressions ---- */

static void scalars(void **state)
{
    (void)state;
    double x = Q(6), v = W(6);
    const struct { const char *text; double value;
    } cases[] = {
        { "x + 1", x + 1 },
        { "1 + x", 1 + x },
        { "x - g", x - 9.81 },
        { "2 - x", 2 - x },
        { "x*x", x * x },
        { "3*x", 3 * x },
        { "x/4", x / 4 },
        { "1/x", 1 / x },
        { "-x", -x },
        { "x^2", x * x },
        { "x^0.5", sqrt(x) },
        { "x^m", x * x },
        { "2^x", pow(2, x) },
        { "x^-1", 1 / x },
        { "sin(x)", sin(x) },
        { "cos(x)", cos(x) },
        { "tan(x)", tan(x) },
        { "asin(x/2)", asin(x / 2) },
        { "acos(x/2)", acos(x / 2) },
        { "atan(x)", atan(x) },
        { "atan2(x, -2)", atan2(x, -2) },
        { "atan(x, -2)", atan2(x, -2) },
        { "sinh(x)", sinh(x) },
        { "cosh(x)", cosh(x) },
        { "tanh(x)", tanh(x) },
        { "exp(x)", exp(x) },
        { "log(x)", log(x) },
        { "sqrt(x)", sqrt(x) },
        { "cbrt(-x)", -cbrt(x) },
        { "abs(-x)", x },
        { "min(x, 0.5)", 0.5 },
        { "max(x, 0.5, 2)", 2 },
        { "pi*x", 3.14159265358979323846 * x },
        { "time()*x", 0.7 * x },
        { "k*x", 2 * x /* the second constraint: the rotation has the first */ },
        { "x.dot", v },
        { "(x^2).dot", 2 * x * v },
        { "(x*time()).dot", v * 0.7 + x },
        { "time().dot", 1 },
        { "(g*x).dot", 9.81 * v },
        { "sin(1)", sin(1) },
        { "sqrt(2)", sqrt(2) },
        { "math.sin(1) + x", sin(1) + x },
        { "10 // 3 + x", 3 + x },
        { "math.maxinteger - math.maxinteger + x", x },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) check(observe(cases[i].text), cases[i].value);
}

static void vectors(void **state)
{
    (void)state;
    double dot = 0, square = 0, distance = 0, radial = 0;
    for (int i = 0; i < 3; i++) {
        dot += Q(i) * Q(i + 3);
        square += Q(i) * Q(i);
        distance += (Q(i + 3) - Q(i)) * (Q(i + 3) - Q(i));
        radial += 2 * Q(i) * W(i);
    }
    const struct { const char *text; double value; } cases[] = {
        { "a.x", Q(0) },               { "a.y", Q(1) },                { "a.z", Q(2) },
        { "a[1]", Q(0) },              { "b[3]", Q(5) },               { "#a + #c + x", 5 + Q(6) },
        { "c.y", Q(8) },               { "r.w", Q(9) },                { "r.z", Q(12) },
        { "r[2]", Q(10) },             { "a.dot.z", W(2) },            { "a.z.dot", W(2) },
        { "(b - a).dot.y", W(4) - W(1) }, { "(2*b - a/4 + c3).dot.x", 2 * W(3) - W(0) / 4 }, { "r.dot.w", W(9) },
        { "(a + b).x", Q(0) + Q(3) },  { "(-a).y", -Q(1) },            { "(g*a).z", 9.81 * Q(2) },
        { "(a*g).z", 9.81 * Q(2) },    { "(a/m).z", Q(2) / 2 },        { "(a - {1, 0, x}).z", Q(2) - Q(6) },
        { "({1, 0, x} - a).z", Q(6) - Q(2) }, { "(a + origin).x", Q(0) }, { "(origin - a).x", -Q(0) },
        { "(x*{1, 2, 3} + a).z", 3 * Q(6) + Q(2) }, { "vector{x, 2, 3}.x", Q(6) }, { "origin.z + x", Q(6) },
        { "dot(a, b)", dot },          { "dot(a, {0, 0, 1})", Q(2) },  { "dot({0, 1}, c)", Q(8) },
        { "dot(origin, a) + x", Q(6) }, { "norm2(a)", square },        { "norm(a)", sqrt(square) },
        { "norm2(b - a)", distance },  { "norm2(a).dot", radial },     { "norm2({3, 4})", 25 },
        { "cross(a, b).x", Q(1) * Q(5) - Q(2) * Q(4) }, { "cross(a, b).y", Q(2) * Q(3) - Q(0) * Q(5) },
        { "cross(a, b).z", Q(0) * Q(4) - Q(1) * Q(3) }, { "cross(c, {1, 2})", Q(7) * 2 - Q(8) },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[200];
        snprintf(text, sizeof text, "(function() c3 = vector{1, g, 3}; return %s end)()", cases[i].text);
        check(observe(text), cases[i].value);
    }
}

/* Against the matrix of the rotation and the definition omega = 2 vec(conj(r) r'). */
static void rotations(void **state)
{
    (void)state;
    double w = Q(9), x = Q(10), y = Q(11), z = Q(12), wd = W(9), xd = W(10), yd = W(11), zd = W(12);
    double R[3][3] = { { w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y) },
                       { 2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x) },
                       { 2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z } };
    const char *const axes[] = { "x", "y", "z" };
    for (int row = 0; row < 3; row++) {
        char text[100];
        snprintf(text, sizeof text, "r:apply{1, 2, x}.%s", axes[row]);
        check(observe(text), R[row][0] + 2 * R[row][1] + Q(6) * R[row][2]);
    }
    check(observe("r.omega.x"), 2 * (w * xd - wd * x - (y * zd - z * yd)));
    check(observe("r.omega.y"), 2 * (w * yd - wd * y - (z * xd - x * zd)));
    check(observe("r.omega.z"), 2 * (w * zd - wd * z - (x * yd - y * xd)));
}

static void numbers_are_exact(void **state)
{
    (void)state;
    model *m = load("local x = coordinate 'x' lagrangian(x.dot^2)\n"
                    "start { x = 0.1 } observe('tenth', x*0 + 0.1) observe('root', sqrt(2)) observe('pi', pi)");
    wide tenth = 1, error;
    tenth /= 10;
    assert_true(exact_value_of(m, m->observables[0].value) == tenth);
    assert_true(exact_value_of(m, m->start_q[0].value) == tenth);
    error = exact_value_of(m, m->observables[1].value);
    error = error * error - 2;
    assert_true(error < 1e-18 && error > -1e-18); /* 1e-33 in binary128, 1e-18 in long double */
    assert_true(exact_value_of(m, m->observables[2].value) == WIDE_PI);
    taut_model_free(m);
}

/* ---- the model as data ---- */

static void double_pendulum(void **state)
{
    (void)state;
    static const char text[] =
        "title \"Double spherical pendulum\"\n"
        "local g      = param(\"g\", 9.81)\n"
        "local m1, m2 = param(\"m1\", 2.0), param(\"m2\", 3.5)\n"
        "local l1, l2 = param(\"l1\", 4.0), param(\"l2\", 3.0)\n"
        "local a, b = point \"a\", point \"b\"\n"
        "lagrangian(m1/2*norm2(a.dot) + m2/2*norm2(b.dot) - g*(m1*a.z + m2*b.z))\n"
        "constraint(\"rod1\", norm2(a) - l1^2)\n"
        "constraint(\"rod2\", norm2(b - a) - l2^2)\n"
        "start { a = {2.820, 0.025, free(-3)}, b = {5.085, 0.105, free(-5)},\n"
        "        [\"a.dot\"] = {3.381, 2.506, free(0)}, [\"b.dot\"] = {2.497, 10.495, free(0)} }\n"
        "draw { bar(origin, a), bar(a, b) }\n";
    model *m = load(text);
    char name[50];
    assert_string_equal(m->title, "Double spherical pendulum");
    assert_string_equal(m->file, "test.lua");
    assert_string_equal(m->source, text);
    assert_int_equal(m->source_size, strlen(text));
    assert_int_equal(m->form, FORM_LAGRANGIAN);
    assert_int_equal(m->form_line, 6);
    assert_int_equal(m->group_count, 2);
    assert_int_equal(m->coordinate_count, 6);
    assert_int_equal(m->groups[1].first, 3);
    assert_int_equal(m->groups[1].size, 3);
    assert_int_equal(m->groups[1].line, 5);
    assert_int_equal(m->group_of[4], 1);
    assert_int_equal(m->parameter_count, 5);
    assert_int_equal(taut_model_find_parameter(m, "m2"), 2);
    assert_int_equal(taut_model_find_parameter(m, "m3"), -1);
    assert_int_equal(m->parameters[2].line, 3);
    assert_int_equal(m->summand_count, 1);
    assert_int_equal(m->constraint_count, 2);
    assert_int_equal(m->constraints[1].line, 8);
    check(value_of(m, m->constraints[0].value), Q(0) * Q(0) + Q(1) * Q(1) + Q(2) * Q(2) - 16);
    assert_int_equal(m->start_q[0].type, START_GIVEN);
    assert_int_equal(m->start_q[0].line, 9);
    assert_int_equal(m->start_q[5].type, START_FREE);
    check(value_of(m, m->start_q[5].value), -5);
    check(value_of(m, m->start_w[4].value), 10.495);
    assert_int_equal(m->start_w[5].type, START_FREE);
    assert_int_equal(m->shape_count, 2);
    assert_int_equal(m->shapes[1].type, SHAPE_BAR);
    check(value_of(m, place_of(m, 0, 0, 2)), 0);
    check(value_of(m, place_of(m, 1, 1, 2)), Q(5));
    taut_model_coordinate_name(m, 4, name, sizeof name);
    assert_string_equal(name, "b.y");
    taut_model_namer(m, OP_VARIABLE, KIND_W, 0, name, sizeof name);
    assert_string_equal(name, "a.x.dot");
    taut_model_namer(m, OP_VARIABLE, KIND_LAMBDA, 0, name, sizeof name);
    assert_string_equal(name, "lambda.rod1");
    taut_model_namer(m, OP_VARIABLE, KIND_T, 0, name, sizeof name);
    assert_string_equal(name, "t");
    taut_model_namer(m, OP_PARAMETER, KIND_Q, 1, name, sizeof name);
    assert_string_equal(name, "m1");
    taut_model_free(m);
}

static void lagrangian_adds_up(void **state)
{
    (void)state;
    model *m = load("local x = coordinate 'x'\nlagrangian(x.dot^2/2)\nlagrangian(-x)\nstart { x = 1 }");
    assert_int_equal(m->summand_count, 2);
    assert_int_equal(m->summands[1].line, 3);
    assert_int_equal(m->start_w[0].type, START_MISSING); /* means 0 */
    check(value_of(m, m->start_w[0].value), 0);
    assert_string_equal(m->title, "test.lua");
    taut_model_free(m);
}

static void hamiltonian(void **state)
{
    (void)state;
    model *m = load(
        "local x, a, r = coordinate 'x', point('a', 2), rotation 'r'\n"
        "hamiltonian(momentum(x)^2/2 + norm2(momentum(a))/2)\n"
        "start { x = 1, ['p.x'] = 2, a = {1, 2}, ['p.a'] = {3, 4}, r = {1, 0, 0, 0}, [momentum(r)] = {0, 1, 2, 3} }");
    char name[50];
    assert_int_equal(m->form, FORM_HAMILTONIAN);
    check(value_of(m, m->summands[0].value), (W(0) * W(0) + W(1) * W(1) + W(2) * W(2)) / 2);
    check(value_of(m, m->start_w[0].value), 2);
    check(value_of(m, m->start_w[2].value), 4);
    check(value_of(m, m->start_w[6].value), 3);
    taut_model_namer(m, OP_VARIABLE, KIND_W, 2, name, sizeof name);
    assert_string_equal(name, "p.a.y");
    taut_model_free(m);
}

static void rates(void **state)
{
    (void)state;
    model *m =
        load("local a = point('a', 2)\nlocal v = momentum(a)\nlocal k = constraint('circle', norm2(a) - 1)\n"
             "rate(a, v)\nrate(v.x, k*a.x)\nrate(momentum(a.y), k^3*a.y - 9.81)\nstart { a = {1, 0}, [v] = {0, 1} }");
    assert_int_equal(m->form, FORM_RATES);
    assert_int_equal(m->rate_count, 4);
    assert_int_equal(m->rates[0].target_kind, KIND_Q);
    assert_int_equal(m->rates[3].target_kind, KIND_W);
    assert_int_equal(m->rates[3].target, 1);
    assert_int_equal(m->rates[3].line, 6);
    check(value_of(m, m->rates[3].value), Q(1) - 9.81);
    taut_model_free(m);
}

static void forces(void **state)
{
    (void)state;
    model *m =
        load("local a, x = point 'a', coordinate 'x'\nlagrangian(norm2(a.dot)/2 + x.dot^2/2)\n"
             "local k = constraint('c', x - a.z)\nforce(a, -0.1*a.dot)\nforce(x, sin(time()) - 0.2*abs(k)*x.dot)\n"
             "force(a, {0, 0, -1})\nforce(a.x, a.y)\nstart { a = origin, x = 0 }");
    assert_int_equal(m->force_count, 3 + 1 + 1 + 1); /* the zero components of {0, 0, -1} are left out */
    assert_int_equal(m->forces[3].target, 3);
    check(value_of(m, m->forces[3].value), sin(0.7) - 0.2 * W(3));
    assert_int_equal(m->forces[4].target, 2);
    assert_int_equal(m->forces[4].line, 6);
    check(value_of(m, m->forces[5].value), Q(1));
    taut_model_free(m);
}

static void rotation_model(void **state)
{
    (void)state;
    model *m = load("local r = rotation 'r'\nlagrangian(norm2(r.omega)/2)\n"
                    "start { ['r.omega'] = {1, 2, 3}, r = {0.5, 0.5, 0.5, 0.5} }");
    char name[50];
    assert_int_equal(m->constraint_count, 1);
    assert_string_equal(m->constraints[0].name, "r");
    double sum = -1;
    for (int i = 0; i < 4; i++) sum += Q(i) * Q(i);
    check(value_of(m, m->constraints[0].value), sum);
    /* r (0, omega) / 2 with r = (1, 1, 1, 1)/2: (-(1+2+3), 1 + (3-2), 2 + (1-3), 3 + (2-1)) / 4 */
    const double expected[] = { -1.5, 0.5, 0, 1 };
    for (int i = 0; i < 4; i++) check(value_of(m, m->start_w[i].value), expected[i]);
    taut_model_coordinate_name(m, 0, name, sizeof name);
    assert_string_equal(name, "r.w");
    taut_model_free(m);
}

/* Components of a rotation by their letters: w first. */
static void start_of_rotation(void **state)
{
    (void)state;
    model *m = load("local r = rotation 'r'\nlagrangian(norm2(r.omega)/2)\n"
                    "start { ['r.w'] = 0.1, ['r.x'] = 0.2, ['r.y'] = 0.3, ['r.z'] = 0.4,\n"
                    "        ['r.w.dot'] = 1, ['r.x.dot'] = 2, ['r.dot.y'] = 3, ['r.dot.z'] = 4 }");
    for (int i = 0; i < 4; i++) {
        check(value_of(m, m->start_q[i].value), 0.1 * (i + 1));
        check(value_of(m, m->start_w[i].value), i + 1);
    }
    taut_model_free(m);
}

/* The first point is that of t = 0. */
static void start_by_points(void **state)
{
    (void)state;
    model *m = load("local a, x = point('a', 2), coordinate 'x'\nlagrangian(norm2(a.dot)/2 + x.dot^2/2)\n"
                    "start_points { a = {{1, 2}, {3, 4}}, x = {5, 6} }");
    const double before[] = { 1, 2, 5 }, after[] = { 3, 4, 6 };
    for (int i = 0; i < 3; i++) {
        check(value_of(m, m->start_q[i].value), before[i]);
        check(value_of(m, m->start_q1[i].value), after[i]);
    }
    taut_model_free(m);
}

static void start_keys(void **state)
{
    (void)state;
    model *m =
        load("local a, b, x, l = point 'a', point 'b', coordinate 'x', param('l', 2)\nlagrangian(x.dot^2)\n"
             "start { ['a.x'] = l^2, ['a.y'] = free(l), ['a.z'] = free(), [b] = l*vector{1, 2, 3}, [x] = sqrt(2) }\n"
             "start { ['a.x.dot'] = 5, ['a.dot.y'] = 6, [b.dot] = {7, 8, free(9)}, [x.dot] = 10 }\n"
             "solve_for(b.y, x.dot, a.dot.z, 'b.x')\n");
    check(value_of(m, m->start_q[0].value), 4);
    check(value_of(m, m->start_q[1].value), 2);
    assert_int_equal(m->start_q[1].type, START_FREE);
    assert_int_equal(m->start_q[2].type, START_FREE);
    check(value_of(m, m->start_q[2].value), 0);
    check(value_of(m, m->start_q[5].value), 6);
    assert_int_equal(m->start_q[3].type, START_FREE);
    assert_int_equal(m->start_q[4].type, START_FREE);
    check(value_of(m, m->start_q[4].value), 4);
    assert_int_equal(m->start_q[5].type, START_GIVEN);
    check(value_of(m, m->start_w[0].value), 5);
    check(value_of(m, m->start_w[1].value), 6);
    assert_int_equal(m->start_w[2].type, START_FREE);
    assert_int_equal(m->start_w[5].type, START_FREE);
    check(value_of(m, m->start_w[6].value), 10);
    assert_int_equal(m->start_w[6].type, START_FREE);
    taut_model_free(m);
}

static void drawing(void **state)
{
    (void)state;
    model *m = load(
        "local a, c, x = point 'a', point('c', 2), coordinate 'x'\nlagrangian(x.dot^2)\nlocal R = param('R', 0.5)\n"
        "start { a = origin, c = origin, x = 0 }\n"
        "draw { spring(a, c), ball(c, R), a,\n bar({x, 1}, origin), ball(a) }\ndraw { (a + {1, 0, 0})/2 }");
    assert_int_equal(m->shape_count, 6);
    assert_int_equal(m->shapes[0].type, SHAPE_SPRING);
    check(value_of(m, place_of(m, 0, 1, 1)), Q(4));
    check(value_of(m, place_of(m, 0, 1, 2)), 0);
    assert_int_equal(m->shapes[1].type, SHAPE_BALL);
    check(m->shapes[1].radius, 0.5);
    assert_int_equal(m->shapes[2].type, SHAPE_BALL);
    check(m->shapes[2].radius, 0);
    check(value_of(m, place_of(m, 3, 0, 0)), Q(5));
    assert_int_equal(m->shapes[3].line, 6);
    check(value_of(m, place_of(m, 5, 0, 0)), (Q(0) + 1) / 2);
    taut_model_free(m);
}

/* Bodies are four places: the centre and the ends of the half axes, turned. Paths and surfaces call their function. */
static void drawing_bodies(void **state)
{
    (void)state;
    model *m = load("local a, x, r = point 'a', coordinate 'x', rotation 'r'\nlagrangian(x.dot^2)\nstart { a = origin, "
                    "x = 0, r = {1, 0, 0, 0} }\n"
                    "draw { box(a, {2, 4, 6}, r), disc({1, 2}, {0.5, 0.2}, x),\n"
                    "path(function(u) return {u, u^2 + x} end, {0, 2}, 4), path { origin, a },\n"
                    "surface(function(u, v) return {u, v, u*v} end, {0, 1}, {2, 5}, 2, 3) }");
    assert_int_equal(m->shape_count, 5);
    assert_int_equal(m->shapes[0].type, SHAPE_BOX);
    check(value_of(m, place_of(m, 0, 0, 1)), Q(1));
    /* second column of the matrix of a quaternion w x y z: (2xy - 2wz, w^2 - x^2 + y^2 - z^2, 2yz + 2wx), times 4/2 */
    check(value_of(m, place_of(m, 0, 2, 0)), Q(0) + 2 * (2 * Q(5) * Q(6) - 2 * Q(4) * Q(7)));
    check(value_of(m, place_of(m, 0, 2, 2)), Q(2) + 2 * (2 * Q(6) * Q(7) + 2 * Q(4) * Q(5)));
    assert_int_equal(m->shapes[1].type, SHAPE_DISC);
    check(value_of(m, place_of(m, 1, 1, 1)), 2 + WIDE(sin)(Q(3)) / 2);
    check(value_of(m, place_of(m, 1, 3, 2)), taut_wide_from_double(0.1));
    assert_int_equal(m->shapes[2].columns, 5);
    check(value_of(m, place_of(m, 2, 4, 1)), 4 + Q(3));
    assert_int_equal(m->shapes[3].columns, 2);
    check(value_of(m, place_of(m, 3, 1, 2)), Q(2));
    assert_int_equal(m->shapes[4].rows, 4);
    assert_int_equal(m->shapes[4].columns, 3);
    check(value_of(m, place_of(m, 4, 5, 2)), 3); /* u = 1, v = 3 */
    taut_model_free(m);
}

/* ---- settings, log, text ---- */

static void definitions(void **state)
{
    (void)state;
    definition d[] = { { "g", "0.1", 0 }, { "N", "3", 0 }, { "name", "long one", 0 }, { "on", "false", 0 },
                       { "h", "1e3", 0 },  { "mu", "0.4", 0 }, { "other", "1", 0 } };
    model *m = load_with(
        "local x = coordinate 'x' lagrangian(x.dot^2) start { x = 0 }\n"
        "local g = param('g', 1) local two = param('two', 2*g)\n"
        "local N, name, on, h = option('N', 100), option('name', 'short'), option('on', true), option('h', 0.5)\n"
        "assert(math.type(N) == 'integer' and N == 3 and name == 'long one' and on == false and h == 1000.0)\n"
        "assert(math.type(h) == 'float' and option('rest', 7) == 7 and option('mu', 0) == 0.4)\n",
        d, 7);
    wide tenth = 1;
    tenth /= 10;
    assert_true(m->parameters[0].value == tenth);
    assert_true(m->parameters[1].value == 2 * tenth);
    for (int i = 0; i < 6; i++) assert_int_equal(d[i].used, 1);
    assert_int_equal(d[6].used, 0);
    taut_model_free(m);
}

static char logged[2000];

static void log_line(void *user, const char *line)
{
    (void)user;
    strcat(logged, line);
    strcat(logged, "|");
}

#define SMALL "local x = coordinate 'x' lagrangian(x.dot^2/2) start { x = 0 }\n"

static void printing(void **state)
{
    (void)state;
    logged[0] = 0;
    taut_context_log(context, log_line, NULL);
    model *m = load(SMALL "local a, g = point 'a', param('g', 1) start { a = origin }\nlocal k = constraint('c', a.z)\n"
                          "print('one', 2, nil, x)\nprint(tostring(g*x^2 + x.dot)) print(a) print('k is ' .. "
                          "tostring(k)) print(tostring(-a.x) .. '')\n"
                          "print(origin, time())");
    assert_string_equal(logged, "one\t2\tnil\tx|g*x^2 + x.dot|{a.x, a.y, a.z}|k is lambda.c|-a.x|origin\tt|");
    taut_model_free(m);
    taut_context_log(context, NULL, NULL);
    logged[0] = 0;
    taut_context_log(context, log_line, NULL);
    m = load("local x = coordinate 'x' print(momentum(x)) hamiltonian(momentum(x)) start { x = 0 }");
    assert_string_equal(logged, "p.x|");
    taut_model_free(m);
}

/* The order of pairs does not depend on addresses or on the seed of Lua's hash. */
static void order_of_pairs(void **state)
{
    (void)state;
    logged[0] = 0;
    taut_context_log(context, log_line, NULL);
    model *m =
        load(SMALL
             "local t = { zeta = 1, alpha = 2, mu = 3, [2] = 'b', [1] = 'a', beta = 4, [1.5] = 'c' }\n"
             "for k, v in pairs(t) do print(k, v) t[k] = nil t.mu = nil end assert(next(t) == nil)\n"
             "for i, v in ipairs{5, 6} do print(i, v) end\n"
             "for k in pairs(setmetatable({}, { __pairs = function() return next, { own = 1 } end })) do print(k) end");
    assert_string_equal(logged, "1\ta|1.5\tc|2\tb|alpha\t2|beta\t4|zeta\t1|1\t5|2\t6|own|");
    taut_model_free(m);
}

/* The same for next; and no text has an address in it. */
static void nothing_of_the_process(void **state)
{
    (void)state;
    logged[0] = 0;
    taut_context_log(context, log_line, NULL);
    model *m =
        load(SMALL
             "local t = { zeta = 1, alpha = 2, mu = 3, [2] = 'b', [1] = 'a', beta = 4, [1.5] = 'c', [true] = 0 }\n"
             "local k, v = next(t) while k ~= nil do print(k, v) k, v = next(t, k) end\n"
             "assert(next({}) == nil and next(t, true) == nil)\n"
             "print({}, print, setmetatable({}, { __name = 'thing' }), setmetatable({}, { __tostring = function() "
             "return 'own' end }))\n"
             "print(tostring({}), string.format('%s %5s %% %d %s', {}, 1, 2, print), ('%-3s|'):format(nil))");
    assert_string_equal(logged, "1\ta|1.5\tc|2\tb|alpha\t2|beta\t4|mu\t3|zeta\t1|true\t0|"
                                "table\tfunction\tthing\town|table\ttable     1 % 2 function\tnil||");
    taut_model_free(m);
}

/* Where numbers lie in a table depends on the strings that were in it, whose hash has another seed in every process.
   The numbers come in their order all the same, and the length of a list with holes is found by doubling and halving
   from 1 on (docs/model-language.md), here by a script that uses neither # nor rawlen. */
static void tables_after_names(void **state)
{
    (void)state;
    taut_model_free(load(
        SMALL
        "local function has(t, i) return t[i] ~= nil end\n"
        "local function length(t)\n"
        "  local low, high = 0, 1\n"
        "  while has(t, high) do low, high = high, 2*high end\n"
        "  while high - low > 1 do local m = (low + high)//2 if has(t, m) then low = m else high = m end end\n"
        "  return low\n"
        "end\n"
        "for n = 1, 60 do\n"
        "  local t, last = {}, 0\n"
        "  for i = 1, n % 7 do t['a' .. n*7 + i] = true end\n"
        "  for i = 1, 9 do if (i + n) % 4 ~= 0 then t[i] = i end end\n"
        "  for i = 1, n % 7 do t['a' .. n*7 + i] = nil end\n"
        "  for i = 1, 3 do t['b' .. n*7 + i] = true t['b' .. n*7 + i] = nil end\n"
        "  t[11], t[12], t[16], t[1007], t[2.5] = 11, 12, 16, 1007, 2.5\n"
        "  for k, v in pairs(t) do assert(k == v and last < k, k) last = k end\n"
        "  local k = nil last = 0 repeat k = next(t, k) assert(not k or last < k) last = k until not k\n"
        "  local l = length(t)\n"
        "  assert(#t == l and rawlen(t) == l and select('#', table.unpack(t)) == l)\n"
        "  table.insert(t, 'x') assert(t[l + 1] == 'x')\n"
        "  l = length(t) assert(#t == l) local is = t[l] assert(table.remove(t) == is and t[l] == nil)\n"
        "end\n"
        "local t = { [math.maxinteger] = 3, [math.maxinteger - 1] = 2, [2.0^63] = 4, [-2.0^70] = 1 }\n"
        "local all = '' for k, v in pairs(t) do all = all .. v end assert(all == '1234')\n"
        "assert(#setmetatable({}, { __len = function() return 42 end }) == 42 and -#'ab' == -2 and 2^#{1, 2, 3} == 8)\n"
        "assert(2^-#{1, 2} == 0.25 and '10'^2 == 100 and #'a'..#'bc' == '12' and not (#{1} ~= 1) and #\n{1, 2} == 2)"));
}

/* Items that are equal keep their order: a long list whose halves are uneven, where Lua asks the clock for pivots. */
static void sorting_is_stable(void **state)
{
    (void)state;
    taut_model_free(load(SMALL
                         "local t = {}\n"
                         "for i = 1, 3000 do t[i] = { i % 7 == 0 and 0 or i % 3, i } end\n"
                         "table.sort(t, function(a, b) return a[1] < b[1] end)\n"
                         "for i = 2, #t do local a, b = t[i - 1], t[i]\n"
                         "  assert(a[1] < b[1] or a[1] == b[1] and a[2] < b[2]) end\n"
                         "for n = 0, 40 do local list = {} for i = 1, n do list[i] = i*37 % 41 end\n"
                         "  table.sort(list) for i = 2, n do assert(list[i - 1] < list[i]) end assert(#list == n) end"));
}

/* What is left of Lua works as in Lua. */
static void lua_itself(void **state)
{
    (void)state;
    static const char *const scripts[] = {
        "local t = {3, 1, 2} table.sort(t) assert(table.concat(t, ',') == '1,2,3')",
        "local t = {3, 1, 2} table.sort(t, function(a, b) return a > b end) assert(table.concat(t) == '321')",
        "local t = {1, 3} table.insert(t, 2, 2) table.insert(t, 4) assert(table.remove(t, 1) == 1 and #t == 3 and "
        "table.remove(t) == 4)",
        "local t = table.move({1, 2, 3}, 2, 3, 1) assert(t[1] == 2 and table.unpack({4, 5}) == 4)",
        "assert(('ab'):rep(3, '-') == 'ab-ab-ab' and (''):rep(1e15 // 1 | 0) == '' and ('x'):rep(0) == '')",
        "assert(('key = value'):match('^(%w+)%s*=%s*(%w+)$') == 'key' and ('a,b'):find(',', 1, true) == 2)",
        "local n = 0 for w in ('one two three'):gmatch('%a+') do n = n + 1 end assert(n == 3)",
        "assert(('hello'):gsub('l', 'L') == 'heLLo' and string.format('%5.2f', 1) == ' 1.00')",
        "local ok, e = pcall(error, 'no', 0) assert(not ok and e == 'no') assert(select('#', pcall(function() return "
        "1, 2 end)) == 3)",
        "local ok, e = xpcall(function(a, b) error(a .. b, 0) end, function(m) return m .. '!' end, 'x', 'y') assert(e "
        "== 'xy!')",
        "local ok, a, b = xpcall(function(...) return ... end, print, 1, 2) assert(ok and a == 1 and b == 2)",
        "local ok, e = pcall(function() local z = nil; return z.y end) assert(e:find('test.lua:2:', 1, true))",
        "local t = setmetatable({}, { __index = function(_, k) return k * 2 end }) assert(t[4] == 8)",
        "assert(getmetatable('') == 'protected' and getmetatable(x) == 'protected')",
        "math.randomseed(7) local r = math.random() math.randomseed(7) assert(r == math.random())",
        "assert(rawget(_G, 'nothing') == nil) mine = 3 assert(mine == 3 and _G.mine == 3)",
        "assert(x ~= nil and nil ~= x and x ~= 'x' and not (x == true) and rawequal(x, x)) assert(not (x == print))",
        "local a, t = point 'a', {} assert(a ~= nil and t == t and t ~= {} and t ~= 1 and 'a' ~= 1) start { a = origin "
        "}",
        /* chains, brackets, comments and texts around the operators that equality.c changes */
        "assert(1 < 2 == true and 1 == 1 ~= false and (1 < 2 == not (2 < 1)) == (2 == 2.0))",
        "local a, b, c = 1, 2, 3 assert(a == b == false == (c ~= a) ~= false, '== ~=') assert(a < b == (b < c))",
        "assert(#'==' == 2 and [[~= ]] .. '' == '~= ' and [==[]] ==]==] .. 'x' ~= '') --[[ == ]] --[==[ ~= ]==] -- ==",
        "local f = function(u, ...) if u == ... then return u ~= 1, u == ... end return u == nil end assert(f(2, 2) "
        "and f(nil, 1) == true)",
        "local t = {1 == 1, x = 2 ~= 2; 1 < 2 == true, [1 == 1] = 5} assert(t[1] and t.x == false and t[2] and t[true] "
        "== 5)",
        "assert(-2^2 == -4 and 1 | 2 == 3 and 'a' .. 'b' == 'ab' and ~0 == -1 and 1 << 2 ~= 5 and (not 1 == 2) == "
        "false)",
        "local k = 0 repeat k = k + 1 until k == 3 or k ~= k while k ~= 5 do k = k + 1 end assert(k == 5 and -k == -5 "
        "and 0x10 == 16 and 1e1 == 10)",
        "local c <const> = 2 == 2 local v = setmetatable({}, { __eq = function() return true end }) assert(c and v == "
        "setmetatable({}, getmetatable(v)))",
        "for i = 1, 2.5 do assert(i ~= 3) end local n = 0 for i = 0, 1, 0.25 do n = n + 1 end assert(n == 5)",
        "local theta = coordinate 'θ' start { ['θ'] = 1 }",
        "for i = 1, 3 do local p = point('p' .. i) start { [p] = {i, 0, 0} } end",
    };
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++) {
        char text[1000];
        snprintf(text, sizeof text, SMALL "%s", scripts[i]);
        taut_model_free(load(text));
    }
}

static void first_bytes(void **state)
{
    (void)state;
    taut_model_free(load("#!/usr/bin/env taut\n" SMALL));
    model *m = load("\xEF\xBB\xBF" SMALL);
    taut_model_free(m);
}

static void from_file(void **state)
{
    (void)state;
    char path[] = "taut_test_modelXXXXXX";
    int descriptor = mkstemp(path);
    assert_true(descriptor >= 0);
    FILE *file = fdopen(descriptor, "w");
    assert_non_null(file);
    fputs(SMALL, file);
    fclose(file);
    model *m;
    assert_int_equal(taut_model_read_file(context, path, NULL, 0, &m), TAUT_OK);
    assert_string_equal(m->file, path);
    assert_string_equal(m->title, path);
    assert_string_equal(m->source, SMALL);
    taut_model_free(m);
    remove(path);
    assert_int_equal(taut_model_read_file(context, path, NULL, 0, &m), TAUT_CANNOT_READ);
    assert_null(m);
    assert_non_null(strstr(taut_error_text(context), path));
    assert_int_equal(taut_model_read_file(context, ".", NULL, 0, &m), TAUT_CANNOT_READ);
    assert_null(m);
    taut_model_free(NULL);
}

/* A chain of 10^5 links: every part is counted, and lands at its place. */
static void long_chain(void **state)
{
    (void)state;
    definition d = { "N", "100000", 0 };
    model *m = load_with("local N = option('N', 10)\n"
                         "local g, m, l = param('g', 9.81), param('m', 0.1), param('l', 0.1)\n"
                         "local last, points = origin, {}\n"
                         "for i = 1, N do\n"
                         "  local a = point('a' .. i)\n"
                         "  lagrangian(m/2*norm2(a.dot) - m*g*a.z)\n"
                         "  constraint('rod' .. i, norm2(a - last) - l^2)\n"
                         "  start { [a] = {0.1*i, 0, 0} }\n"
                         "  last, points[i] = a, a\n"
                         "end\n",
                         &d, 1);
    char name[50];
    assert_int_equal(m->group_count, 100000);
    assert_int_equal(m->coordinate_count, 300000);
    assert_int_equal(m->constraint_count, 100000);
    assert_int_equal(m->summand_count, 100000);
    assert_string_equal(m->constraints[99999].name, "rod100000");
    assert_int_equal(m->group_of[299999], 99999);
    taut_model_coordinate_name(m, 299999, name, sizeof name);
    assert_string_equal(name, "a100000.z");
    check(value_of(m, m->start_q[299997].value), 10000);
    taut_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(scalars, set_up, tear_down),
        cmocka_unit_test_setup_teardown(vectors, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rotations, set_up, tear_down),
        cmocka_unit_test_setup_teardown(numbers_are_exact, set_up, tear_down),
        cmocka_unit_test_setup_teardown(double_pendulum, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lagrangian_adds_up, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hamiltonian, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rates, set_up, tear_down),
        cmocka_unit_test_setup_teardown(forces, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rotation_model, set_up, tear_down),
        cmocka_unit_test_setup_teardown(start_of_rotation, set_up, tear_down),
        cmocka_unit_test_setup_teardown(start_by_points, set_up, tear_down),
        cmocka_unit_test_setup_teardown(start_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(drawing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(drawing_bodies, set_up, tear_down),
        cmocka_unit_test_setup_teardown(definitions, set_up, tear_down),
        cmocka_unit_test_setup_teardown(printing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(order_of_pairs, set_up, tear_down),
        cmocka_unit_test_setup_teardown(nothing_of_the_process, set_up, tear_down),
        cmocka_unit_test_setup_teardown(tables_after_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(sorting_is_stable, set_up, tear_down),
        cmocka_unit_test_setup_teardown(lua_itself, set_up, tear_down),
        cmocka_unit_test_setup_teardown(first_bytes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(from_file, set_up, tear_down),
        cmocka_unit_test_setup_teardown(long_chain, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
