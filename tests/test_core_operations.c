/* Every row of expr/ops.h: its value in this precision and in the widest, its derivative, its mean partial derivatives,
   its bound of errors, its text. The reference is <math.h>, named here once more; operands come from the domain that
   support_random_expr.h names. */
#include <stdio.h>
#include <string.h>

#include "analysis/dirac_inside.h"
#include "base/elementary.h"
#include "field/lanes.h"

#include "support_random_expr.h"

enum { TRIALS = 20 };

static op now; /* the operation under test, for messages */

static void assert_close(wide found, wide expected, wide error, const char *what)
{
    if (!(WIDE(fabs)(found - expected) <= error * (1 + WIDE(fabs)(expected))))
        fail_msg("%s of %s: %.17g, not %.17g, off by %.3g", what, taut_op_name(now), (double)found, (double)expected,
                 (double)(found - expected));
}

/* A node of the operation whose operands are in its domain. The even functions have the given order. */
static expr node_of(op o, int number)
{
    for (int trial = 0; trial < 1000; trial++) {
        expr f = apply(o, variable(0), variable(1)), *list, found = 0;
        size_t count;
        assert_int_equal(taut_expr_reachable(g, &f, 1, &list, &count), TAUT_OK);
        for (size_t i = 0; i < count; i++)
            if (taut_graph_node(g, list[i])->op == o) found = list[i];
        taut_expr_list_free(g, list);
        if (!found) continue; /* the power 1, say, is no power */
        if (op_has_number(o) && o != OP_POWI) found = taut_expr_numbered(g, o, taut_graph_node(g, found)->a, number);
        return found;
    }
    fail_msg("no random expression has the operation %s", taut_op_name(o));
    return 0;
}

static void random_operands(void)
{
    for (int i = 0; i < 3; i++) variables[i] = uniform(-1, 1);
}

typedef void row_test(expr e);

static void each_operation(row_test *test)
{
    int tested = 0;
    random_state = 5;
    for (now = OP_NONE; now < OP_COUNT; now++) {
        /* functions: test_library_function; second forms, which tapes do not have: test_expr_discrete */
        if (taut_op_arity(now) == 0 || now == OP_ARGUMENT || now == OP_CALL || now == OP_SHOWN) continue;
        tested++;
        for (int trial = 0; trial < TRIALS; trial++) {
            expr e = node_of(now, trial % 3);
            random_operands();
            test(e);
        }
    }
    assert_true(tested >= 28); /* the operations there were when this was written */
}

/* ---- values ---- */

/* d^n/dx^n F(x)/x from F, F', F'' for n = 0, 1, 2. */
#define EVEN_REFERENCE(F, F1, F2) \
    (n == 0 ? (F) / a : n == 1 ? ((F1) - (F) / a) / a : ((F2) - 2 * ((F1) - (F) / a) / a) / a)
#define REFERENCE(TYPE, NAME, M)                                                                                      \
    static TYPE NAME(op o, TYPE a, TYPE b, int n)                                                                     \
    {                                                                                                                 \
        switch (o) {                                                                                                  \
        case OP_NEG: return 0 - a;                                                                                    \
        case OP_ADD: return a + b;                                                                                    \
        case OP_SUB: return a - b;                                                                                    \
        case OP_MUL: return a * b;                                                                                    \
        case OP_DIV: return a / b;                                                                                    \
        case OP_POWI: return M(pow)(a, n);                                                                            \
        case OP_POW: return M(pow)(a, b);                                                                             \
        case OP_SQRT: return M(sqrt)(a);                                                                              \
        case OP_CBRT: return M(cbrt)(a);                                                                              \
        case OP_EXP: return M(exp)(a);                                                                                \
        case OP_LOG: return M(log)(a);                                                                                \
        case OP_SIN: return M(sin)(a);                                                                                \
        case OP_COS: return M(cos)(a);                                                                                \
        case OP_TAN: return M(tan)(a);                                                                                \
        case OP_ASIN: return M(asin)(a);                                                                              \
        case OP_ACOS: return M(acos)(a);                                                                              \
        case OP_ATAN: return M(atan)(a);                                                                              \
        case OP_ATAN2: return M(atan2)(a, b);                                                                         \
        case OP_SINH: return M(sinh)(a);                                                                              \
        case OP_COSH: return M(cosh)(a);                                                                              \
        case OP_TANH: return M(tanh)(a);                                                                              \
        case OP_ABS: return M(fabs)(a);                                                                               \
        case OP_SIGN: return M(copysign)(1, a);                                                                       \
        case OP_MIN: return M(fmin)(a, b);                                                                            \
        case OP_MAX: return M(fmax)(a, b);                                                                            \
        case OP_SINC: return EVEN_REFERENCE(M(sin)(a), M(cos)(a), -M(sin)(a));                                        \
        case OP_SINHC: return EVEN_REFERENCE(M(sinh)(a), M(cosh)(a), M(sinh)(a));                                     \
        case OP_ATANC: return EVEN_REFERENCE(M(atan)(a), 1 / (1 + a * a), -2 * a / ((1 + a * a) * (1 + a * a)));      \
        case OP_ATANHC: return EVEN_REFERENCE(M(atanh)(a), 1 / (1 - a * a), 2 * a / ((1 - a * a) * (1 - a * a)));     \
        CASE_LEAVES                                                                                                   \
        CASE_CALLS break;                                                                                            \
        }                                                                                                             \
        return 0;                                                                                                     \
    }

REFERENCE(wide, wide_reference, WIDE)
REFERENCE(real, real_reference, REAL)

/* What cancels in EVEN_REFERENCE: n divisions by a. The others differ from <math.h> by a product or two. */
static wide cancellation(const node *n, wide a)
{
    if (!op_has_number(n->op) || n->op == OP_POWI) return 16;
    return 16 / WIDE(pow)(WIDE(fabs)(a), 1 + (wide)n->b);
}

static void wide_value(expr e)
{
    const node n = *taut_graph_node(g, e);
    wide a = value_of(n.a), b = taut_op_arity(now) == 2 ? value_of(n.b) : 0;
    wide value = taut_op_apply(now, a, b, (int32_t)n.b);
    assert_close(value, wide_reference(now, a, b, (int32_t)n.b), cancellation(&n, a) * epsilon, "value");
}

#ifndef TAUT_REAL_QUAD
/* Functions whose bits are those of base/elementary.h: 1, with the value. */
static int elementary_value(op o, double a, double b, int n, double *value)
{
    switch (o) {
    case OP_POWI: *value = taut_math_powi(a, n); break;
    case OP_POW: *value = taut_math_pow(a, b); break;
    case OP_CBRT: *value = taut_math_cbrt(a); break;
    case OP_EXP: *value = taut_math_exp(a); break;
    case OP_LOG: *value = taut_math_log(a); break;
    case OP_SIN: *value = taut_math_sin(a); break;
    case OP_COS: *value = taut_math_cos(a); break;
    case OP_TAN: *value = taut_math_tan(a); break;
    case OP_ASIN: *value = taut_math_asin(a); break;
    case OP_ACOS: *value = taut_math_acos(a); break;
    case OP_ATAN: *value = taut_math_atan(a); break;
    case OP_ATAN2: *value = taut_math_atan2(a, b); break;
    case OP_SINH: *value = taut_math_sinh(a); break;
    case OP_COSH: *value = taut_math_cosh(a); break;
    case OP_TANH: *value = taut_math_tanh(a); break;
    case OP_SINC: *value = taut_math_sinc(a, n); break;
    case OP_SINHC: *value = taut_math_sinhc(a, n); break;
    case OP_ATANC: *value = taut_math_atanc(a, n); break;
    case OP_ATANHC: *value = taut_math_atanhc(a, n); break;
    case OP_NEG:
    case OP_ADD:
    case OP_SUB:
    case OP_MUL:
    case OP_DIV:
    case OP_SQRT:
    case OP_ABS:
    case OP_SIGN:
    case OP_MIN:
    case OP_MAX:
    CASE_LEAVES
    CASE_CALLS return 0;
    }
    return 1;
}
#endif

/* Through a tape, as steps do, with as many lanes as there are: each has other operands. */
static void lane_values(expr e)
{
    const node n = *taut_graph_node(g, e);
    real *registers, as[LANES], bs[LANES];
    tape *t;
    expr output = taut_expr_rebuild(g, &n, taut_expr_variable(g, KIND_SLOT, 0), taut_expr_variable(g, KIND_SLOT, 1));
    assert_int_equal(taut_tape_create(g, &output, NULL, NULL, 1, 2, 0, 0, &t), TAUT_OK);
    registers = calloc((size_t)t->register_count * LANES, sizeof *registers);
    assert_non_null(registers);
    for (int i = 0; i < LANES; i++) {
        random_operands();
        registers[i] = as[i] = (real)value_of(n.a);
        registers[LANES + i] = bs[i] = taut_op_arity(now) == 2 ? (real)value_of(n.b) : 0;
    }
    X(tape_numbers)(t, registers, LANES);
    X(tape_run)(t, registers, LANES, NULL);
    for (int i = 0; i < LANES; i++) {
        const real value = registers[t->outputs[0] * LANES + i];
        assert_close(value, real_reference(now, as[i], bs[i], (int32_t)n.b), cancellation(&n, as[i]) * REAL_EPSILON,
                     "value in a lane");
#ifndef TAUT_REAL_QUAD
        double expected;
        if (elementary_value(now, as[i], bs[i], (int32_t)n.b, &expected))
            assert_memory_equal(&value, &expected, sizeof value);
#endif
    }
    free(registers);
    taut_tape_destroy(context, t);
}

static void simplified_value(expr e)
{
    assert_close(value_of(taut_expr_simplify(g, e, NULL, NULL)), value_of(e), 64 * epsilon, "simplified value");
}

static void values_are_those_of_libm(void **state)
{
    (void)state;
    each_operation(wide_value);
}

static void values_in_lanes_too(void **state)
{
    (void)state;
    each_operation(lane_values);
}

static void simplification_keeps_values(void **state)
{
    (void)state;
    each_operation(simplified_value);
}

/* ---- derivatives ---- */

/* Central differences, h^2/6 f''' + eps f/h with h = eps^(1/3). The largest f''' in the domains is the fifth derivative
   of atanh(a)/a at 1/2, about 350 (from its series); 1000 leaves room for both. */
static void derivative_by_differences(expr e)
{
    const node n = *taut_graph_node(g, e);
    const wide h = WIDE(cbrt)(epsilon), a = value_of(n.a), b = taut_op_arity(now) == 2 ? value_of(n.b) : 0;
    expr f = taut_expr_rebuild(g, &n, variable(0), variable(1)), x[2] = { variable(0), variable(1) }, d[2];
    assert_int_equal(taut_expr_gradient(g, f, x, 2, d), TAUT_OK);
    for (int i = 0; i < taut_op_arity(now); i++) {
        variables[0] = a, variables[1] = b;
        wide derivative = value_of(d[i]), keep = variables[i];
        variables[i] = keep + h;
        wide above = value_of(f);
        variables[i] = keep - h;
        assert_close(derivative, (above - value_of(f)) / (2 * h), 1000 * h * h, "derivative");
    }
}

static void derivatives_are_those_of_the_values(void **state)
{
    (void)state;
    each_operation(derivative_by_differences);
}

/* ---- mean partial derivatives ---- */

static wide from[2], to[2];

static wide lookup_ends(void *user, op o, kind k, uint32_t index)
{
    (void)user;
    (void)o;
    return k == KIND_DIRECTION_U ? to[index] : from[index];
}

static void swap_ends(void)
{
    for (int i = 0; i < 2; i++) {
        wide keep = from[i];
        from[i] = to[i], to[i] = keep;
    }
}

static wide at_ends(expr e) { return value_by(lookup_ends, NULL, e); }

/* f1 - f0 = D f . (x1 - x0), and D f is symmetric: a dozen ulps of numbers of a few units, 256 leave room. */
static void mean_partials(expr e)
{
    const node n = *taut_graph_node(g, e);
    expr f = taut_expr_rebuild(g, &n, variable(0), variable(1)), x[2] = { variable(0), variable(1) }, d[2];
    expr other[2] = { taut_expr_variable(g, KIND_DIRECTION_U, 0), taut_expr_variable(g, KIND_DIRECTION_U, 1) };
    int status = taut_expr_discrete_gradient(g, f, x, other, 2, d), of_even = op_has_number(now) && now != OP_POWI;
    assert_int_equal(status, of_even ? TAUT_UNSUPPORTED : TAUT_OK); /* refused, not zero */
    if (of_even) {
        assert_non_null(strstr(taut_error_text(context), taut_op_name(now)));
        return;
    }
    for (int i = 0; i < 2; i++) from[i] = i < taut_op_arity(now) ? value_of(i ? n.b : n.a) : 0;
    random_operands();
    for (int i = 0; i < 2; i++) to[i] = i < taut_op_arity(now) ? value_of(i ? n.b : n.a) : 0;
    wide forth = at_ends(d[0]) * (to[0] - from[0]) + at_ends(d[1]) * (to[1] - from[1]);
    wide here = at_ends(f), d0 = at_ends(d[0]);
    swap_ends();
    assert_close(forth, at_ends(f) - here, 256 * epsilon, "discrete gradient");
    assert_close(d0, at_ends(d[0]), 256 * epsilon, "swapped discrete gradient");
}

static void differences_are_exact(void **state)
{
    (void)state;
    each_operation(mean_partials);
}

/* ---- in the model language ---- */

static const char *const names[2] = { "x", "y" };

static void name_operand(void *user, op o, kind k, uint32_t index, char *buffer, size_t size)
{
    (void)user, (void)o, (void)k;
    snprintf(buffer, size, "%s", names[index]);
}

static int load_formula(const char *formula, model **m)
{
    char text[400];
    snprintf(text, sizeof text, "local x, y = coordinate 'x', coordinate 'y'; lagrangian(x.dot^2/2 + y.dot^2/2)\n"
             "start { x = 1, y = 1 }; observe('f', %s)", formula);
    return taut_model_read_text(context, "test.lua", text, strlen(text), NULL, 0, m);
}

#define IN_LANGUAGE_OPERATOR(strength) 1
#define IN_LANGUAGE_FUNCTION(meant) 1
#define IN_LANGUAGE_ATAN 1
#define IN_LANGUAGE_LIST 1
#define IN_LANGUAGE_INTERNAL 0
#define IN_LANGUAGE_LEAF(...) 0,
#define IN_LANGUAGE(NAME, text, written, ...) IN_LANGUAGE_##written,
static const int in_language[] = { OPERATIONS(IN_LANGUAGE_LEAF, IN_LANGUAGE, IN_LANGUAGE, IN_LANGUAGE) };

static void printed_and_read(expr e)
{
    const node n = *taut_graph_node(g, e);
    char text[100], again[100];
    model *m = NULL;
    taut_expr_print(g, taut_expr_rebuild(g, &n, variable(0), variable(1)), name_operand, NULL, text, sizeof text);
    int status = load_formula(text, &m);
    if (!in_language[now]) {
        assert_int_equal(status, TAUT_BAD_MODEL);
        return;
    }
    if (status) fail_msg("%s", taut_error_text(context));
    expr read = m->observables[0].value;
    taut_expr_print(m->graph, read, taut_model_namer, m, again, sizeof again);
    assert_int_equal(taut_graph_node(m->graph, read)->op, now);
    assert_string_equal(text, again);
    taut_model_free(m);
}

static void text_is_read_back(void **state)
{
    (void)state;
    each_operation(printed_and_read);
}

/* math.sin and its like in a script, on numbers: the bits of base/elementary.h, in every build. Digests over many
   numbers, since the C library's last bits are others for few of them. */
static void numbers_of_scripts_have_the_same_bits(void **state)
{
    (void)state;
    static const char *const calls[] = { "sin(y)",  "cos(y)", "tan(y)", "asin(x)",      "acos(x)",
                                         "atan(y)", "exp(y)", "log(y)", "atan(x, -0.7)" };
    enum { CALLS = sizeof calls / sizeof *calls, COUNT = 4000 };
    uint64_t digests[CALLS] = { 0 };
    for (int i = 1; i <= COUNT; i++) {
        const double x = (double)i / (COUNT + 1), y = 20 * x;
        const double values[CALLS] = { taut_math_sin(y),  taut_math_cos(y),  taut_math_tan(y),
                                       taut_math_asin(x), taut_math_acos(x), taut_math_atan(y),
                                       taut_math_exp(y),  taut_math_log(y),  taut_math_atan2(x, -0.7) };
        for (int k = 0; k < CALLS; k++) digests[k] = (digests[k] ^ taut_math_bits(values[k])) * 1099511628211u;
    }
    for (int k = 0; k < CALLS; k++) {
        char text[600];
        model *m = NULL;
        int length = snprintf(text, sizeof text,
                              "local digest = 0\nfor i = 1, %d do local x = i/%d; local y = 20*x\n"
                              "digest = (digest ~ string.unpack('<i8', string.pack('<d', math.%s)))*1099511628211 end\n"
                              "assert(digest == 0x%016llx, 'math.%s'); assert(math.log(8, 2) == 3)\n"
                              "local q = coordinate 'q'; lagrangian(q.dot^2/2); start { q = 0 }\n",
                              COUNT, COUNT + 1, calls[k], (unsigned long long)digests[k], calls[k]);
        if (taut_model_read_text(context, "test.lua", text, (size_t)length, NULL, 0, &m))
            fail_msg("%s", taut_error_text(context));
        taut_model_free(m);
    }
}

/* ---- in the analysis ---- */

/* The bound is at least what the derivatives make of the operands' errors; it is equal to that for most: 1e-12 for
   rounding errors. */
static void bound_of_errors(expr e)
{
    const node n = *taut_graph_node(g, e);
    model *m = NULL;
    sampler *s = NULL;
    wide values[3], errors[3], least = 0, z[4] = { 0 };
    /* the size of the errors: what comes through the derivative outweighs the rest */
    const wide far[4] = { 1000, 1000 };
    assert_int_equal(load_formula("x", &m), TAUT_OK);
    for (int i = 0; i < 2; i++) z[i] = i < taut_op_arity(now) ? value_of(i ? n.b : n.a) : 0;
    assert_int_equal(taut_sampler_create(m, 2, far, &s), TAUT_OK);
    memcpy(s->base.z, z, sizeof z);
    expr x[2] = { taut_expr_variable(m->graph, KIND_Q, 0), taut_expr_variable(m->graph, KIND_Q, 1) }, d[2];
    expr f = taut_expr_rebuild(m->graph, &n, x[0], x[1]), all[3] = { x[0], x[1], f };
    assert_int_equal(taut_expr_gradient(m->graph, f, x, 2, d), TAUT_OK);
    assert_int_equal(taut_sampler_values(s, &s->base, all, 3, values, errors), TAUT_OK);
    for (int i = 0; i < 2; i++) {
        wide slope;
        assert_int_equal(taut_sampler_values(s, &s->base, &d[i], 1, &slope, NULL), TAUT_OK);
        least += WIDE(fabs)(slope) * errors[i];
    }
    if (!(errors[2] >= least * (1 - (wide)1e-12)))
        fail_msg("%s(%g, %g): bound %g, at least %g", taut_op_name(now), (double)z[0], (double)z[1], (double)errors[2],
                 (double)least);
    taut_sampler_destroy(s);
    taut_model_free(m);
}

static void errors_are_bounded(void **state)
{
    (void)state;
    each_operation(bound_of_errors);
}

/* ---- in algebra ---- */

#define IS_FUNCTION(NAME, ...) OP_##NAME,

static void functions_are_opaque(void **state)
{
    (void)state;
    static const op functions[] = { OPERATIONS_FUNCTIONS(IS_FUNCTION, IS_FUNCTION) };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        expr f = apply(functions[i], variable(0), variable(1));
        assert_int_equal(taut_expr_degree(g, f, 1u << KIND_Q), DEGREE_NOT_POLYNOMIAL);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_are_those_of_libm, setup, teardown),
        cmocka_unit_test_setup_teardown(values_in_lanes_too, setup, teardown),
        cmocka_unit_test_setup_teardown(simplification_keeps_values, setup, teardown),
        cmocka_unit_test_setup_teardown(derivatives_are_those_of_the_values, setup, teardown),
        cmocka_unit_test_setup_teardown(differences_are_exact, setup, teardown),
        cmocka_unit_test_setup_teardown(text_is_read_back, setup, teardown),
        cmocka_unit_test_setup_teardown(numbers_of_scripts_have_the_same_bits, setup, teardown),
        cmocka_unit_test_setup_teardown(errors_are_bounded, setup, teardown),
        cmocka_unit_test_setup_teardown(functions_are_opaque, setup, teardown),
    };
    return cmocka_run_group_tests_name("operations", tests, NULL, NULL);
}
