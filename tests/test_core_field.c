/* Fields against the expression graph: every derivative that a field evaluates through kernels, tapes and lanes is
   compared with the symbolic derivative of the whole expression, evaluated in `wide`. The functions are random models
   of the model language. */
#include "field/field.h"
#include "field/lanes.h"

#include "support_core.h"

/* Rounding: terms of some 30 operations with values of the order of 1, and derivatives of them up to third order.
   Measured: below 10 eps (1 + |result|); 10^3 leaves room for other compilers and libraries. A wrong derivative is off
   by a good part of 1. */
#define ROUNDING ((wide)(1e3 * (double)REAL_EPSILON))

enum { MOST = 160 }; /* variables of a kind */

typedef struct {
    model *m;
    store *s;
    family f;
    field *field;
    workspace work;
    real *constants;
    uint32_t sizes[KIND_COUNT];
    uint32_t rows;
    expr total;                     /* sum_row weights[row] f_row, and with weights 1: */
    expr plain;
    real x[KIND_COUNT][MOST], u[KIND_COUNT][MOST], w[KIND_COUNT][MOST], weights[MOST];
} sample;

static place place_of(sample *z, real x[KIND_COUNT][MOST])
{
    place p = { .work = &z->work };
    for (int k = 0; k < KIND_COUNT; k++) p.x[k] = x[k];
    return p;
}

static wide parameter_value(void *user, op o, kind k, uint32_t index)
{
    (void)k;
    return o == OP_PARAMETER ? ((sample *)user)->m->parameters[index].value : 0;
}

static wide lookup(void *user, op o, kind k, uint32_t index)
{
    sample *z = user;
    if (o == OP_PARAMETER) return z->m->parameters[index].value;
    if (k == KIND_DIRECTION_U) return z->u[index / MOST][index % MOST];
    if (k == KIND_DIRECTION_W) return z->w[index / MOST][index % MOST];
    return z->x[k][index];
}

static wide value(sample *z, expr e)
{
    wide v;
    assert_true(e != 0);
    assert_int_equal(taut_expr_value(z->m->graph, e, lookup, z, &v), TAUT_OK);
    return v;
}

static expr variable(sample *z, kind k, uint32_t i) { return taut_expr_variable(z->m->graph, k, i); }
static expr derivative(sample *z, expr e, kind k, uint32_t i)
{
    return taut_expr_derivative(z->m->graph, e, variable(z, k, i));
}

/* The forces of the model become the functions of a field: they may contain variables of every kind. */
static void open_sample(sample *z, const char *text, generator *r)
{
    memset(z, 0, sizeof *z);
    z->m = load(text);
    z->s = taut_store_create(context, z->m->graph);
    z->rows = z->m->coordinate_count;
    uint32_t sizes[KIND_COUNT] = { z->m->coordinate_count, z->m->coordinate_count, 1,
                                   (uint32_t)z->m->constraint_count };
    memcpy(z->sizes, sizes, sizeof sizes);
    for (int k = 0; k < KIND_COUNT; k++) {
        assert_true(sizes[k] <= MOST);
        for (uint32_t i = 0; i < sizes[k]; i++) {
            z->x[k][i] = random_number(r);
            z->u[k][i] = random_number(r);
            z->w[k][i] = random_number(r);
        }
    }
    graph *g = z->m->graph;
    z->total = z->plain = taut_expr_number(g, 0);
    for (uint32_t row = 0; row < z->rows; row++) z->weights[row] = random_number(r);
    for (size_t i = 0; i < z->m->force_count; i++) {
        const action *a = &z->m->forces[i];
        assert_int_equal(taut_family_add(z->s, &z->f, a->target, a->value), TAUT_OK);
        z->total = taut_expr_add(g, z->total, taut_expr_mul(g, taut_expr_number(g, z->weights[a->target]), a->value));
        z->plain = taut_expr_add(g, z->plain, a->value);
    }
    z->f.row_count = z->rows;
    size_t count = taut_store_constant_count(z->s);
    z->constants = calloc(count + 1, sizeof *z->constants);
    for (size_t i = 0; i < count; i++) {
        wide v;
        assert_int_equal(taut_expr_value(g, taut_store_constants(z->s)[i], parameter_value, z, &v), TAUT_OK);
        z->constants[i] = (real)v;
    }
    z->work = (workspace){ .context = context };
    assert_int_equal(X(field_create)(z->s, &z->f, z->sizes, z->constants, &z->work, &z->field), TAUT_OK);
}

static void close_sample(sample *z)
{
    X(field_destroy)(z->field);
    X(workspace_clear)(&z->work);
    taut_family_clear(z->s, &z->f);
    taut_store_destroy(z->s);
    taut_model_free(z->m);
    free(z->constants);
}

static wide allowed(wide reference) { return ROUNDING * (1 + WIDE(fabs)(reference)); }

/* ---- the comparisons; outputs begin at 1, because evaluations add ---- */

static void ones(real *out, size_t count)
{
    for (size_t i = 0; i < count; i++) out[i] = 1;
}

static void check_values(sample *z)
{
    real out[MOST];
    place at = place_of(z, z->x);
    wide reference[MOST] = { 0 };
    ones(out, z->rows);
    assert_int_equal(X(field_prepare_values)(z->field), TAUT_OK);
    X(field_values)(z->field, &at, out);
    for (size_t i = 0; i < z->m->force_count; i++) reference[z->m->forces[i].target] += value(z, z->m->forces[i].value);
    for (uint32_t row = 0; row < z->rows; row++)
        assert_near(out[row], 1 + reference[row], allowed(reference[row]), "value", row);
}

static void check_gradients(sample *z)
{
    place at = place_of(z, z->x);
    for (int k = 0; k < KIND_COUNT; k++) {
        real weighted[MOST], plain[MOST];
        ones(weighted, MOST);
        ones(plain, MOST);
        assert_int_equal(X(field_prepare_gradient)(z->field, (kind)k), TAUT_OK);
        X(field_gradient)(z->field, (kind)k, &at, z->weights, weighted);
        X(field_gradient)(z->field, (kind)k, &at, NULL, plain);
        for (uint32_t i = 0; i < z->sizes[k]; i++) {
            wide a = value(z, derivative(z, z->total, (kind)k, i)), b = value(z, derivative(z, z->plain, (kind)k, i));
            assert_near(weighted[i], 1 + a, allowed(a), "weighted gradient", i);
            assert_near(plain[i], 1 + b, allowed(b), "gradient", i);
        }
    }
}

static void check_pattern(const pattern *p, uint32_t rows, uint32_t columns)
{
    assert_int_equal(p->rows, rows);
    assert_int_equal(p->columns, columns);
    for (int r = 0; r < p->rows; r++)
        for (int e = p->start[r]; e < p->start[r + 1]; e++) {
            assert_in_range(p->index[e], 0, columns - 1);
            if (e > p->start[r]) assert_true(p->index[e] > p->index[e - 1]);
        }
}

/* An entry is stored exactly where the symbolic derivative is not the number 0. */
static void check_entry(sample *z, const pattern *p, const real *values, uint32_t row, uint32_t column, expr e,
                        const char *what)
{
    int entry = taut_pattern_find(p, (int)row, (int)column);
    int zero = taut_expr_is_number(z->m->graph, e, 0);
    if ((entry < 0) != zero)
        print_error("%s (%u, %u): %s\n", what, row, column, zero ? "a zero is stored" : "an entry is missing");
    assert_int_equal(entry < 0, zero);
    if (zero) return;
    wide reference = value(z, e);
    assert_near(values[entry], 1 + reference, allowed(reference), what, (long)row * 1000 + column);
}

static void check_jacobians(sample *z)
{
    place at = place_of(z, z->x);
    graph *g = z->m->graph;
    expr row_sum[MOST];
    for (uint32_t row = 0; row < z->rows; row++) row_sum[row] = taut_expr_number(g, 0);
    for (size_t i = 0; i < z->m->force_count; i++) {
        expr *sum = &row_sum[z->m->forces[i].target];
        *sum = taut_expr_add(g, *sum, z->m->forces[i].value);
    }
    for (int k = 0; k < KIND_COUNT; k++) {
        assert_int_equal(X(field_prepare_jacobian)(z->field, (kind)k), TAUT_OK);
        const pattern *p = X(field_jacobian_pattern)(z->field, (kind)k);
        if (z->sizes[k]) check_pattern(p, z->rows, z->sizes[k]);
        real *values = malloc(((size_t)pattern_entries(p) + 1) * sizeof *values);
        ones(values, (size_t)pattern_entries(p));
        X(field_jacobian)(z->field, (kind)k, &at, values);
        for (uint32_t row = 0; row < z->rows; row++)
            for (uint32_t i = 0; i < z->sizes[k]; i++)
                check_entry(z, p, values, row, i, derivative(z, row_sum[row], (kind)k, i), "Jacobian");
        free(values);
    }
}

static void check_hessian(sample *z, kind a, kind b)
{
    place at = place_of(z, z->x);
    assert_int_equal(X(field_prepare_hessian)(z->field, a, b), TAUT_OK);
    const pattern *p = X(field_hessian_pattern)(z->field, a, b);
    check_pattern(p, z->sizes[a], z->sizes[b]);
    assert_int_equal(X(field_hessian_zero)(z->field, a, b), pattern_entries(p) == 0);
    real *values = malloc(((size_t)pattern_entries(p) + 1) * sizeof *values);
    ones(values, (size_t)pattern_entries(p));
    X(field_hessian)(z->field, a, b, &at, z->weights, values);
    for (uint32_t i = 0; i < z->sizes[a]; i++) {
        expr row = derivative(z, z->total, a, i);
        for (uint32_t j = 0; j < z->sizes[b]; j++) check_entry(z, p, values, i, j, derivative(z, row, b, j), "Hessian");
    }
    for (int i = 0; a == b && i < p->rows; i++) /* stored in full, and symmetric to the bit: one number is put in two
                                                   places */
        for (int e = p->start[i]; e < p->start[i + 1]; e++) {
            int mirror = taut_pattern_find(p, p->index[e], i);
            assert_true(mirror >= 0 && values[mirror] == values[e]);
        }
    free(values);
}

static void check_hessians(sample *z)
{
    for (int a = 0; a < KIND_COUNT; a++)
        for (int b = 0; b < KIND_COUNT; b++)
            if (z->sizes[a] && z->sizes[b]) check_hessian(z, (kind)a, (kind)b);
}

/* sum over all variables of d e/dx u, u of kind `direction` */
static expr along(sample *z, expr e, kind direction)
{
    graph *g = z->m->graph;
    expr variables[KIND_COUNT * MOST], directions[KIND_COUNT * MOST];
    size_t count = 0;
    for (int k = 0; k < KIND_COUNT; k++)
        for (uint32_t i = 0; i < z->sizes[k]; i++, count++) {
            variables[count] = variable(z, (kind)k, i);
            directions[count] = taut_expr_variable(g, direction, (uint32_t)k * MOST + i);
        }
    return taut_expr_directional(g, e, variables, directions, count);
}

static void check_second_and_third(sample *z)
{
    place at = place_of(z, z->x), u = place_of(z, z->u), w = place_of(z, z->w);
    wide reference[MOST] = { 0 };
    real out[MOST];
    ones(out, MOST);
    assert_int_equal(X(field_prepare_second)(z->field), TAUT_OK);
    X(field_second)(z->field, &at, &u, out);
    for (size_t i = 0; i < z->m->force_count; i++) {
        expr e = along(z, along(z, z->m->forces[i].value, KIND_DIRECTION_U), KIND_DIRECTION_U);
        reference[z->m->forces[i].target] += value(z, e);
    }
    for (uint32_t row = 0; row < z->rows; row++)
        assert_near(out[row], 1 + reference[row], 10 * allowed(reference[row]), "second", row);
    expr bilinear = along(z, along(z, z->total, KIND_DIRECTION_U), KIND_DIRECTION_W);
    for (int k = 0; k < KIND_COUNT; k++) {
        assert_int_equal(X(field_prepare_third)(z->field, (kind)k), TAUT_OK);
        ones(out, MOST);
        X(field_third)(z->field, (kind)k, &at, &u, &w, z->weights, out);
        for (uint32_t i = 0; i < z->sizes[k]; i++) {
            wide expected = value(z, derivative(z, bilinear, (kind)k, i));
            assert_near(out[i], 1 + expected, 10 * allowed(expected), "third", i);
        }
    }
}

/* The same against differences, which know nothing of the graph: (f(x + e u) - 2 f(x) + f(x - e u))/e^2 for the second,
   and differences of u' Hess w, gathered from the Hessians, for the third derivatives. */
static real quadratic_form(sample *z, const place *at)
{
    real sum = 0;
    for (int a = 0; a < KIND_COUNT; a++)
        for (int b = 0; b < KIND_COUNT; b++) {
            const pattern *p = X(field_hessian_pattern)(z->field, (kind)a, (kind)b);
            if (!p) continue;
            real *values = calloc((size_t)pattern_entries(p) + 1, sizeof *values);
            X(field_hessian)(z->field, (kind)a, (kind)b, at, z->weights, values);
            for (int i = 0; i < p->rows; i++)
                for (int e = p->start[i]; e < p->start[i + 1]; e++)
                    sum += z->u[a][i] * values[e] * z->w[b][p->index[e]];
            free(values);
        }
    return sum;
}

static void check_differences(sample *z)
{
    /* Error of a central difference: e^2 f'''/6 with derivatives up to 10^4, plus eps f/e: best near eps^(1/3). */
    const real step = REAL(cbrt)(REAL_EPSILON), error = 1e5 * step * step;
    place at = place_of(z, z->x), u = place_of(z, z->u), w = place_of(z, z->w);
    for (int k = 0; k < KIND_COUNT; k++) {
        real third[MOST] = { 0 };
        X(field_third)(z->field, (kind)k, &at, &u, &w, z->weights, third);
        for (uint32_t i = 0; i < z->sizes[k]; i++) {
            real keep = z->x[k][i];
            z->x[k][i] = keep + step;
            real above = quadratic_form(z, &at);
            z->x[k][i] = keep - step;
            real below = quadratic_form(z, &at);
            z->x[k][i] = keep;
            real expected = (above - below) / (2 * step);
            assert_near(third[i], expected, error * (1 + REAL(fabs)(expected)), "third by differences", i);
        }
    }
}

static void check_all(const char *text, generator *r)
{
    sample z;
    open_sample(&z, text, r);
    check_values(&z);
    check_gradients(&z);
    check_jacobians(&z);
    check_hessians(&z);
    check_second_and_third(&z);
    check_differences(&z);
    close_sample(&z);
}

/* ---- random models ---- */

typedef struct {
    char text[200000];
    size_t length;
    generator r;
} writer;

static void __attribute__((format(printf, 2, 3))) put(writer *w, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    w->length += (size_t)vsnprintf(w->text + w->length, sizeof w->text - w->length, format, arguments);
    va_end(arguments);
    assert_true(w->length < sizeof w->text);
}

static void put_leaf(writer *w)
{
    switch (random_below(&w->r, 10)) {
    case 0: put(w, "t"); break;
    case 1: put(w, "l%u", 1 + random_below(&w->r, 2)); break;
    case 2: put(w, "%u.%02u", random_below(&w->r, 3), random_below(&w->r, 100)); break;
    case 3: put(w, "k"); break;
    case 4:
    case 5:
    case 6: put(w, "x%u.dot", 1 + random_below(&w->r, 4)); break;
    default: put(w, "x%u", 1 + random_below(&w->r, 4)); break;
    }
}

/* Formulas that are smooth everywhere; $ stands for a formula. */
static const char *const forms[] = {
    "($ + $)",
    "($ - $)",
    "$*$",
    "$*$*$",
    "k*($ - $)",
    "sin($)",
    "cos($)",
    "exp($/4)",
    "sqrt(1 + ($)^2)",
    "($)^2",
    "($)^3",
    "$/(2 + ($)^2)",
    "atan2($, 2 + ($)^2)",
    "tanh($)",
    "log(3 + ($)^2)",
    "atan($)",
    "asin(sin($)/2)",
    "acos(cos($)/3)",
    "tan(sin($))",
    "sinh($/3)",
    "cosh($/3)",
    "norm{$, $, 1}",
    "(1 + norm2{$, $})^-3",
    "(2 + cos($))^1.5",
    "-($)",
};

static void put_formula(writer *w, int depth)
{
    if (depth == 0) {
        put_leaf(w);
        return;
    }
    for (const char *at = forms[random_below(&w->r, sizeof forms / sizeof *forms)]; *at; at++)
        if (*at == '$')
            put_formula(w, depth - 1 - (int)random_below(&w->r, 2) * (depth > 1));
        else
            put(w, "%c", *at);
}

static void random_models(void **state)
{
    (void)state;
    static writer w;
    w.r.seed = 20240229;
    for (int sample = 0; sample < 12; sample++) {
        w.length = 0;
        put(&w, "local k, t = param('k', 0.7), time()\n");
        for (int i = 1; i <= 4; i++)
            put(&w, "local x%d = coordinate 'x%d'; lagrangian(x%d.dot^2/2); start { x%d = 0 }\n", i, i, i, i);
        put(&w, "local l1, l2 = constraint('c1', x1*x2), constraint('c2', x3 + x4)\n");
        for (int i = 0; i < 7; i++) {
            put(&w, "force(x%d, ", 1 + i % 3); /* the fourth row stays empty */
            put_formula(&w, 2 + i % 2);
            put(&w, ")\n");
        }
        check_all(w.text, &w.r);
    }
}

/* Rings and pairs of 110 coordinates: every batch is longer than the lanes, and not a multiple of them; Lennard-Jones,
   bending, mixed kinds, one sum of all. */
static void more_instances_than_lanes(void **state)
{
    (void)state;
    assert_true(110 > 2 * LANES && 110 % LANES);
    static writer w;
    w.length = 0;
    w.r.seed = 7;
    put(&w,
        "local t, x = time(), {}\n"
        "for i = 1, 110 do x[i] = coordinate('x'..i); lagrangian(x[i].dot^2/2); start { ['x'..i] = 0 } end\n"
        "local l = constraint('c', x[1])\n"
        "for i = 1, 110 do local y, z = x[i %% 110 + 1], x[(i + 6) %% 110 + 1]\n"
        "  local s = (2 + (x[i] - y)^2 + (x[i].dot - z)^2)^-3\n"
        "  force(x[i %% 90 + 1], i/110*(s^2 - 2*s) + l*cos(x[i] - 2*y + z)*exp(t/3) + (i - 3.5)*x[i]*y.dot - z^2*t)\n"
        "end\n");
    check_all(w.text, &w.r);
}

/* Tables with arithmetic in them (field/tables.h): groups of three and of two instances to a function, strides that
   are not one, a table that breaks off in the middle and goes on elsewhere, one that runs backwards, constants that
   come in no order, all instances in one function. */
static void tables_in_stretches(void **state)
{
    (void)state;
    static writer w;
    w.length = 0;
    w.r.seed = 19;
    put(&w,
        "local t, x = time(), {}\n"
        "for i = 1, 150 do x[i] = coordinate('x'..i); lagrangian(x[i].dot^2/2); start { ['x'..i] = 0 } end\n"
        "local l = constraint('c', x[1])\n"
        "for i = 0, 48 do local at = 3*i < 75 and 3*i or 3*i - 70\n" /* a break */
        "  for c = 1, 3 do force(x[i + 1], (x[3*i + c] - x[at + c])^2*x[3*i + c].dot) end\n"
        "  for c = 1, 3 do force(x[100 - i], (2 + x[3*i + c]*x[150 - 3*i - c])^3) end\n" /* backwards */
        "  for c = 1, 2 do force(x[2*i + 1], sin(x[2*i + c] + l)*(i*i %% 7 + 1)) end\n" /* constants */
        "end\n"
        "for i = 1, 149 do force(x[1], cos(x[i + 1] - x[i])*t) end\n");
    check_all(w.text, &w.r);
}

/* Operations that read one value twice: its register is given back once. */
static void a_value_read_twice(void **state)
{
    (void)state;
    generator r = { 11 };
    check_all("local x, y = coordinate 'x', coordinate 'y'; lagrangian(x.dot^2/2 + y.dot^2/2); start { x = 0, y = 0 }\n"
              "local l = constraint('c', x); local e = 2 + sin(x + y); local d = 3 + cos(x - y)\n"
              "force(x, atan2(e, e)*(e^e + exp(x)*tanh(y - x.dot)*cosh(x))*(sin(2*y) + d^d*l))", &r);
}

/* ---- patterns on their own ---- */

static void structural_zeros_are_not_stored(void **state)
{
    (void)state;
    generator r = { 5 };
    sample z;
    open_sample(
        &z,
        "local x, y = coordinate 'x', coordinate 'y'; lagrangian(x.dot^2/2 + y.dot^2/2); start { x = 0, y = 0 }\n"
        "local l = constraint('c', x)\n"
        "force(x, 3*x*y + 2*y + 5 + x.dot^2*y + l*x)\n",
        &r);
    assert_int_equal(X(field_instances)(z.field), 5);
    static const struct { kind a, b; int entries, varies; } expected[] = {
        { KIND_Q, KIND_Q, 2, 0 },      /* (x,y) and its mirror; no squares */
        { KIND_W, KIND_W, 1, 1 },      /* 2 y */
        { KIND_Q, KIND_W, 1, 1 },      /* y, x.dot */
        { KIND_W, KIND_Q, 1, 1 },
        { KIND_LAMBDA, KIND_Q, 1, 0 }, /* 1 */
        { KIND_LAMBDA, KIND_LAMBDA, 0, 0 },
        { KIND_T, KIND_T, 0, 0 },
    };
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        kind a = expected[i].a, b = expected[i].b;
        assert_int_equal(X(field_prepare_hessian)(z.field, a, b), TAUT_OK);
        assert_int_equal(pattern_entries(X(field_hessian_pattern)(z.field, a, b)), expected[i].entries);
        assert_int_equal(X(field_hessian_varies)(z.field, a, b), expected[i].varies);
        assert_int_equal(X(field_hessian_zero)(z.field, a, b), expected[i].entries == 0);
    }
    close_sample(&z);
}

/* A place or direction that leaves a kind out means zero there. */
static void missing_kinds_are_zero(void **state)
{
    (void)state;
    generator r = { 9 };
    sample z;
    open_sample(&z,
                "local x = coordinate 'x'; lagrangian(x.dot^2/2); start { x = 0 }\n"
                "local l = constraint('c', x); force(x, x^2 + 7*x.dot + 3*l*x + exp(time()))\n",
                &r);
    place at = { .work = &z.work }, u = { .work = NULL };
    real one = 1, x = (real)0.5, out = 0;
    at.x[KIND_Q] = &x;
    assert_int_equal(X(field_prepare_values)(z.field), TAUT_OK);
    X(field_values)(z.field, &at, &out);
    assert_true(out == (real)1.25); /* exact: x^2 + exp(0) */
    assert_int_equal(X(field_prepare_second)(z.field), TAUT_OK);
    u.x[KIND_T] = &one;
    out = 0;
    X(field_second)(z.field, &at, &u, &out);
    assert_true(out == 1);
    u.x[KIND_Q] = &one;
    u.x[KIND_LAMBDA] = &one;
    out = 0;
    X(field_second)(z.field, &at, &u, &out);
    assert_true(out == 1 + 2 + 6); /* exp(t), x^2, 3 l x counted twice */
    close_sample(&z);
}

/* f_60 = F_59 f_0 + F_60 f_1 through shared sums, F the Fibonacci numbers: what is left whole must be counted once. */
static void shared_sums_have_the_right_value(void **state)
{
    (void)state;
    generator r = { 3 };
    sample z;
    open_sample(
        &z,
        "local x, y = coordinate 'x', coordinate 'y'; lagrangian(x.dot^2/2 + y.dot^2/2); start { x = 0, y = 0 }\n"
        "local a, b = x^2, y^2; for i = 2, 60 do a, b = b, a + b end; force(x, b)\n",
        &r);
    real out[2] = { 0 }, gradient[2] = { 0 };
    place at = place_of(&z, z.x);
    assert_int_equal(X(field_prepare_values)(z.field), TAUT_OK);
    assert_int_equal(X(field_prepare_gradient)(z.field, KIND_Q), TAUT_OK);
    X(field_values)(z.field, &at, out);
    X(field_gradient)(z.field, KIND_Q, &at, NULL, gradient);
    wide a = (wide)956722026041 * z.x[KIND_Q][0], b = (wide)1548008755920 * z.x[KIND_Q][1]; /* F_59 x, F_60 y */
    wide sum = a * z.x[KIND_Q][0] + b * z.x[KIND_Q][1];
    assert_near(out[0], sum, 1000 * (wide)REAL_EPSILON * sum, "value", 0); /* a thousand additions */
    assert_near(gradient[0], 2 * a, 1000 * (wide)REAL_EPSILON * WIDE(fabs)(2 * a), "gradient", 0);
    assert_near(gradient[1], 2 * b, 1000 * (wide)REAL_EPSILON * WIDE(fabs)(2 * b), "gradient", 1);
    close_sample(&z);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(random_models),          TEST(more_instances_than_lanes), TEST(tables_in_stretches),
        TEST(a_value_read_twice),     TEST(structural_zeros_are_not_stored),
        TEST(missing_kinds_are_zero), TEST(shared_sums_have_the_right_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
