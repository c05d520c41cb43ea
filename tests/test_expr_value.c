/* Values and their culprits, substitution, text. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "support_expr.h"

static expr x(uint32_t i) { return taut_expr_variable(g, KIND_Q, i); }
static expr p(uint32_t i) { return taut_expr_parameter(g, i); }

/* ---- values ---- */

static void assert_culprit(expr f, expr expected)
{
    wide value;
    expr_fault fault = { .culprit = 12345 };
    assert_int_equal(taut_expr_value(g, f, lookup, NULL, &value), TAUT_OK);
    assert_int_equal(taut_expr_fault(g, f, lookup, NULL, (wide)1e300, &fault), TAUT_OK);
    assert_int_equal(value - value == 0, expected == 0);
    assert_int_equal(fault.culprit, expected);
}

static void culprit_is_the_first_that_is_not_finite(void **state)
{
    (void)state;
    wide kept[3];
    memcpy(kept, variables, sizeof kept);
    expr division = quotient(x(1), sub(x(0), number(1))), logarithm = unary(OP_LOG, x(2));
    expr f = add(unary(OP_SIN, mul(number(3), division)), unary(OP_EXP, logarithm));
    variables[2] = 2;
    assert_culprit(f, 0);
    variables[0] = 1;
    assert_culprit(f, division);
    variables[0] = 1.25, variables[2] = -1.5;
    assert_culprit(f, logarithm);
    assert_culprit(unary(OP_SQRT, x(2)), unary(OP_SQRT, x(2)));
    variables[0] = 1 / (wide)0.0;
    assert_culprit(f, x(0)); /* the state itself */
    memcpy(variables, kept, sizeof kept);
    assert_culprit(unary(OP_ATAN, quotient(number(1), number(0))), 0); /* pi/2 is finite */
}

static void culprit_among_constants(void **state)
{
    (void)state;
    expr division = quotient(number(1), number(0)), root = taut_expr_pow(g, number(-2), number((wide)0.25));
    assert_culprit(add(x(0), division), division);
    assert_culprit(mul(root, x(0)), root);
    assert_culprit(taut_expr_powi(g, number(0), -3), taut_expr_powi(g, number(0), -3));
    assert_culprit(quotient(p(0), sub(p(1), number((wide)1.75))), quotient(p(0), sub(p(1), number((wide)1.75))));
}

/* A number that has become too large is not a division by zero. */
static void overflow_is_told_from_what_is_not_defined(void **state)
{
    (void)state;
    expr_fault fault;
    const expr large = number((wide)1e200), none = sub(x(0), x(0));
    const struct {
        expr f;
        const char *complaint;
    } given[] = {
        { quotient(x(0), none), "division by zero" },
        { taut_expr_powi(g, none, -2), "division by zero" },
        { quotient(large, quotient(x(0), large)), "overflow" },
        { taut_expr_powi(g, mul(large, x(0)), 2), "overflow" },
        { taut_expr_pow(g, mul(large, x(0)), x(0)), "overflow" },
        { unary(OP_EXP, mul(number(1000), x(0))), "overflow" },
        { mul(mul(large, x(0)), large), "overflow" },
        { unary(OP_LOG, none), "logarithm of a number that is not positive" },
        { unary(OP_SQRT, taut_expr_neg(g, x(0))), "square root of a negative number" },
    };
    wide kept[3];
    memcpy(kept, variables, sizeof kept);
    variables[0] = 2;
    for (size_t i = 0; i < sizeof given / sizeof *given; i++) {
        assert_int_equal(taut_expr_fault(g, given[i].f, lookup, NULL, (wide)1e308, &fault), TAUT_OK);
        assert_string_equal(fault.complaint, given[i].complaint);
    }
    memcpy(variables, kept, sizeof kept);
}

static void none_has_no_value(void **state)
{
    (void)state;
    wide value;
    char text[16];
    assert_int_not_equal(taut_expr_value(g, 0, lookup, NULL, &value), TAUT_OK);
    assert_true(taut_expr_print(g, 0, NULL, NULL, text, sizeof text) < sizeof text);
}

/* ---- substitution ---- */

static void substitution_is_simultaneous(void **state)
{
    (void)state;
    expr from[2] = { x(0), x(1) }, to[2] = { x(1), x(0) };
    expr f = sub(unary(OP_SIN, x(0)), mul(p(0), taut_expr_powi(g, x(1), 3)));
    expr swapped = sub(unary(OP_SIN, x(1)), mul(p(0), taut_expr_powi(g, x(0), 3)));
    assert_int_equal(taut_expr_substitute(g, f, from, to, 2), swapped);
    assert_int_equal(taut_expr_substitute(g, swapped, from, to, 2), f);
}

static void substitution_simplifies_and_keeps_the_rest(void **state)
{
    (void)state;
    expr x0 = x(0), zero = number(0), one = number(1), composed = add(x(0), unary(OP_COS, x(2)));
    expr rest = unary(OP_EXP, x(1));
    expr f = add(mul(x0, rest), rest);
    assert_int_equal(taut_expr_substitute(g, f, &x0, &zero, 1), rest);
    assert_int_equal(taut_expr_substitute(g, f, &x0, &one, 1), mul(number(2), rest));
    assert_int_equal(taut_expr_substitute(g, rest, &x0, &zero, 1), rest);
    assert_int_equal(taut_expr_substitute(g, f, NULL, NULL, 0), f);
    assert_int_equal(taut_expr_substitute(g, f, &x0, &composed, 1), add(mul(composed, rest), rest));
    expr power = taut_expr_pow(g, x(1), x0), two = number(2);
    assert_int_equal(taut_expr_substitute(g, power, &x0, &two, 1), taut_expr_powi(g, x(1), 2));
}

static void substitution_of_none_is_none(void **state)
{
    (void)state;
    expr x0 = x(0), none = 0;
    assert_int_equal(taut_expr_substitute(g, mul(x0, x(1)), &x0, &none, 1), 0);
    assert_int_equal(taut_expr_substitute(g, 0, &x0, &x0, 1), 0);
}

/* ---- text: a reader with the precedence of the model language, for the way back ---- */

static const char *cursor;

static wide read_sum(void);

static void expect_character(char c)
{
    if (*cursor != c) fail_msg("'%c' expected at '%s'", c, cursor);
    cursor++;
}

static op function_named(const char *name, size_t length)
{
    for (op o = OP_SQRT; o < OP_COUNT; o++)
        if (strlen(taut_op_name(o)) == length && !strncmp(taut_op_name(o), name, length)) return o;
    return OP_NONE;
}

static wide read_primary(void)
{
    while (*cursor == ' ') cursor++;
    if (*cursor == '(') {
        cursor++;
        wide value = read_sum();
        expect_character(')');
        return value;
    }
    if (isdigit((unsigned char)*cursor)) {
        char text[64];
        size_t n = strspn(cursor, "0123456789.");
        if (cursor[n] == 'e') n += 2 + strspn(cursor + n + 2, "0123456789");
        wide value;
        snprintf(text, sizeof text, "%.*s", (int)n, cursor);
        assert_int_equal(taut_wide_parse(text, &value), 0);
        cursor += n;
        return value;
    }
    size_t n = 0;
    while (isalnum((unsigned char)cursor[n])) n++;
    op o = function_named(cursor, n);
    const char *name = cursor;
    cursor += n;
    if (o == OP_NONE) return *name == 'x' ? variables[name[1] - '0'] : parameters[name[1] - '0'];
    expect_character('(');
    wide a = read_sum(), b = 0;
    if (taut_op_arity(o) == 2) {
        expect_character(',');
        b = read_sum();
    }
    expect_character(')');
    return taut_op_apply(o, a, b, 0);
}

/* As in Lua: ^ binds tighter than the minus before it and groups to the right. */
static wide read_unary(void)
{
    while (*cursor == ' ') cursor++;
    if (*cursor == '-') {
        cursor++;
        return -read_unary();
    }
    wide base = read_primary();
    if (*cursor != '^') return base;
    cursor++;
    wide exponent = read_unary();
    return WIDE(pow)(base, exponent);
}

static wide read_product(void)
{
    wide value = read_unary();
    while (*cursor == '*' || *cursor == '/') {
        int times = *cursor++ == '*';
        wide factor = read_unary();
        value = times ? value * factor : value / factor;
    }
    return value;
}

static wide read_sum(void)
{
    wide value = read_product();
    while (cursor[0] == ' ' && (cursor[1] == '+' || cursor[1] == '-')) {
        int plus = cursor[1] == '+';
        cursor += 2;
        wide term = read_product();
        value = plus ? value + term : value - term;
    }
    return value;
}

static void name_it(void *user, op o, kind k, uint32_t index, char *buffer, size_t size)
{
    (void)user;
    (void)k;
    snprintf(buffer, size, "%c%u", o == OP_PARAMETER ? 'p' : 'x', index);
}

static void assert_text(expr f, const char *expected)
{
    char text[200];
    size_t length = taut_expr_print(g, f, name_it, NULL, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(length, strlen(text));
}

static void text_reads_well(void **state)
{
    (void)state;
    assert_text(sub(x(0), sub(x(1), x(2))), "x0 - (x1 - x2)");
    assert_text(sub(sub(x(0), x(1)), x(2)), "x0 - x1 - x2");
    assert_text(mul(add(x(0), p(0)), x(1)), "(p0 + x0)*x1");
    assert_text(quotient(x(0), mul(x(1), x(2))), "x0/(x1*x2)");
    assert_text(taut_expr_neg(g, taut_expr_powi(g, x(0), 2)), "-x0^2");
    assert_text(taut_expr_powi(g, sub(x(0), x(1)), -2), "(x0 - x1)^-2");
    assert_text(taut_expr_powi(g, taut_expr_powi(g, x(0), 2), 3), "(x0^2)^3");
    assert_text(taut_expr_pow(g, x(0), taut_expr_neg(g, p(0))), "x0^(-p0)");
    assert_text(mul(number(taut_wide_from_double(0.1)), unary(OP_SQRT, x(0))), "0.1*sqrt(x0)");
    assert_text(taut_expr_binary(g, OP_ATAN2, x(0), add(x(1), number(-3))), "atan2(x0, -3 + x1)");
}

/* All pairs of operations on some operands, printed, read back and evaluated. */
static void text_means_the_same(void **state)
{
    (void)state;
    static const op two[] = { OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_POW, OP_ATAN2, OP_MIN, OP_MAX };
    enum { TWO = sizeof two / sizeof *two };
    expr third = quotient(number(1), number(3));
    expr pool[] = { x(0),
                    x(1),
                    number(-3),
                    third,
                    p(0),
                    taut_expr_neg(g, x(1)),
                    taut_expr_neg(g, p(1)),
                    sub(x(0), x(1)),
                    number(taut_wide_from_double(1e-7)),
                    mul(number(-2), x(2)),
                    taut_expr_powi(g, x(2), -3),
                    taut_expr_powi(g, add(x(0), x(2)), 2),
                    unary(OP_TANH, x(1)),
                    unary(OP_ABS, x(2)) };
    enum { POOL = sizeof pool / sizeof *pool };
    char text[400];
    for (int i = 0; i < POOL * POOL * POOL; i++)
        for (int j = 0; j < TWO * TWO; j++) {
            expr inner = taut_expr_binary(g, two[j % TWO], pool[i % POOL], pool[i / POOL % POOL]),
                 c = pool[i / POOL / POOL];
            expr f = i & 1 ? taut_expr_binary(g, two[j / TWO], inner, c) : taut_expr_binary(g, two[j / TWO], c, inner);
            if (j % 3 == 0) f = taut_expr_neg(g, f);
            wide value = value_of(f);
            taut_expr_print(g, f, name_it, NULL, text, sizeof text);
            cursor = text;
            wide again = read_sum();
            assert_int_equal(*cursor, 0);
            /* Numbers are printed to 18 digits or so; 1e-13 leaves room for a power to enlarge their rounding. */
            int finite = value - value == 0, good = WIDE(fabs)(again - value) <= (wide)1e-13 * (1 + WIDE(fabs)(value));
            if (finite ? !good : again - again == 0)
                fail_msg("%s is %.17g, not %.17g", text, (double)again, (double)value);
        }
}

static void text_is_cut_to_the_size(void **state)
{
    (void)state;
    char text[64];
    expr f = add(x(0), mul(x(1), x(2))); /* "x0 + x1*x2": 10 characters */
    for (size_t size = 0; size <= 20; size++) {
        memset(text, '#', sizeof text);
        size_t length = taut_expr_print(g, f, name_it, NULL, text, size);
        for (size_t i = size; i < sizeof text; i++) assert_int_equal(text[i], '#');
        if (size == 0) continue;
        assert_int_equal(length, strlen(text));
        assert_int_equal(length, size > 10 ? 10 : size - 1);
        if (size > 10) assert_string_equal(text, "x0 + x1*x2");
        if (size >= 4 && size <= 10) assert_string_equal(text + length - 3, "...");
    }
}

/* Fibonacci-like sharing: the text of e would have 2^300 characters. */
static void text_of_a_shared_graph_ends(void **state)
{
    (void)state;
    static char text[100000];
    expr e = x(0);
    for (int i = 0; i < 300; i++) e = add(unary(OP_SIN, e), unary(OP_COS, e));
    assert_int_equal(taut_expr_print(g, e, name_it, NULL, text, sizeof text), sizeof text - 1);
    assert_string_equal(text + sizeof text - 4, "...");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(culprit_is_the_first_that_is_not_finite, setup, teardown),
        cmocka_unit_test_setup_teardown(culprit_among_constants, setup, teardown),
        cmocka_unit_test_setup_teardown(overflow_is_told_from_what_is_not_defined, setup, teardown),
        cmocka_unit_test_setup_teardown(none_has_no_value, setup, teardown),
        cmocka_unit_test_setup_teardown(substitution_is_simultaneous, setup, teardown),
        cmocka_unit_test_setup_teardown(substitution_simplifies_and_keeps_the_rest, setup, teardown),
        cmocka_unit_test_setup_teardown(substitution_of_none_is_none, setup, teardown),
        cmocka_unit_test_setup_teardown(text_reads_well, setup, teardown),
        cmocka_unit_test_setup_teardown(text_means_the_same, setup, teardown),
        cmocka_unit_test_setup_teardown(text_is_cut_to_the_size, setup, teardown),
        cmocka_unit_test_setup_teardown(text_of_a_shared_graph_ends, setup, teardown),
    };
    return cmocka_run_group_tests_name("expr: values and text", tests, NULL, NULL);
}
