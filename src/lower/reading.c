#include "lower/reading.h"

#include <string.h>

#include "expr/call.h"
#include "lower/emit.h"
#include "lower/lower.h"
#include "lower/machine.h"
#include "lower/reduce.h"
#include "native/native.h"

/* Programs of two texts of native code: what is needed from the first step on, and what is made when it is first asked
   for. */
enum { WATCHED, POWER, MULTIPLIERS, PROGRAMS };
enum { SOON, LATER, TEXTS };
static const int first_of[TEXTS + 1] = { WATCHED, MULTIPLIERS, PROGRAMS };

/* Coordinates and constraints: beyond, the fields are as fast, and a long elimination takes long to write out. */
enum { WATCHED_MOST = 120, SOLVED_MOST = 48 };

struct reading {
    struct system *s;
    symmetry symmetries[SYMMETRY_LIMIT];
    int symmetry_count;
    int sought;               /* the program of the multipliers has been, whether there is one or not */
    program *programs[PROGRAMS]; /* NULL: there is none */
    /* Of programs that solve for multipliers: so many pairs of a pivot and its reference are the last outputs. */
    size_t check_count[PROGRAMS];
    int power_solves;
    native *native[TEXTS];    /* tables of functions */
    int has_code[TEXTS];
};

void X(reading_destroy)(reading *r)
{
    if (!r) return;
    for (int i = 0; i < PROGRAMS; i++) X(program_destroy)(r->programs[i]);
    for (int i = 0; i < TEXTS; i++) taut_native_end(r->native[i]);
    taut_mem_free(r->s->context, r);
}

/* ---- symbols ---- */

/* Groups of unknowns and places of the table that the symbols stand on. */
enum { RATES_OF_W, LAMBDA };
enum { HERE, MOVING };        /* the state with the multipliers; with the velocity for w */

static void make_table(step_table *t)
{
    X(step_table_begin)(t);
    X(step_add_phase)(t, "multipliers");
    X(step_add_group)(t, 0, STEP_N), X(step_add_group)(t, 0, STEP_C);
    X(step_add_place)(t, 0), X(step_add_place)(t, 0);
    X(step_put)(t, HERE, STEP_Q, STEP_Q0, 1, 0), X(step_put)(t, HERE, STEP_W, STEP_W0, 1, 0);
    X(step_put)(t, HERE, STEP_LAMBDA, LAMBDA, 1, 0);
    X(step_put)(t, MOVING, STEP_Q, STEP_Q0, 1, 0), X(step_put)(t, MOVING, STEP_W, STEP_NU0, 1, 0);
}

static const expr *velocity(symbols *y) { return X(symbol_vector)(y, STEP_NU0); }

/* Outputs of a program while it is made. */
typedef struct {
    symbols *y;
    expr *all;
    size_t count;
    size_t room;
} output_list;

static expr *take(output_list *o, size_t count)
{
    expr *at = o->all + o->count;
    o->count += count;
    return at;
}

static int begin_outputs(output_list *o, symbols *y, size_t room)
{
    *o = (output_list){ .y = y, .all = X(symbol_new)(y, room), .room = room };
    return o->all ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* p . xi, with xi = A q + b found from its values at 0 and at unit vectors. */
static expr momentum_of(symbols *y, const symmetry *symmetry, real *q, real *xi)
{
    const struct system *s = y->s;
    expr sum = y->zero;
    if (symmetry->type == SYMMETRY_SHIFT) return X(symbol_state)(y, y->layout.p, symmetry->index);
    memset(q, 0, s->n * sizeof *q);
    X(symmetry_action)(s, symmetry, q, xi);
    for (uint32_t i = 0; i < s->n; i++)
        if (xi[i] != 0)
            sum = taut_expr_add(y->g, sum, taut_expr_mul(y->g, taut_expr_number(y->g, (wide)xi[i]),
                                                         X(symbol_state)(y, y->layout.p, i)));
    if (symmetry->type == SYMMETRY_TRANSLATION) return sum;
    for (uint32_t k = 0; k < s->n; k++) {
        q[k] = 1;
        X(symmetry_action)(s, symmetry, q, xi);
        q[k] = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            if (xi[i] == 0) continue;
            expr product = taut_expr_mul(y->g, X(symbol_state)(y, y->layout.p, i), X(symbol_state)(y, y->layout.q, k));
            sum = taut_expr_add(y->g, sum, taut_expr_mul(y->g, taut_expr_number(y->g, (wide)xi[i]), product));
        }
    }
    return sum;
}

static int write_watched(symbols *y, const symmetry *symmetries, int symmetry_count, output_list *o)
{
    const size_t n = y->s->n, c = y->s->c;
    real *work = taut_mem_new(y->context, 2 * n + 1, sizeof *work);
    int status = work ? begin_outputs(o, y, n + 2 * c + 1 + (size_t)symmetry_count) : TAUT_OUT_OF_MEMORY;
    const expr *v = velocity(y);
    if (!status && v) {
        memcpy(take(o, n), v, n * sizeof *v);
        X(symbol_function)(y, STEP_G, HERE, NULL, take(o, c));
        X(symbol_function)(y, STEP_RATE, MOVING, NULL, take(o, c));
        *take(o, 1) = X(symbol_energy)(y, HERE, v);
        for (int i = 0; i < symmetry_count; i++) *take(o, 1) = momentum_of(y, &symmetries[i], work, work + n);
    }
    taut_mem_free(y->context, work);
    return status;
}

/* d/dt pi = phi and d^2 g/dt^2 = 0, for the rates of w and the multipliers: derivatives along (nu, dw, 1) in
   (q, w, t). */
static int write_motion(symbols *y, expr *equations)
{
    const size_t n = y->s->n, c = y->s->c;
    expr *variables = X(symbol_new)(y, 2 * n + 1), *directions = X(symbol_new)(y, 2 * n + 1);
    expr *force = X(symbol_new)(y, n), *rates = X(symbol_new)(y, c);
    const expr *v = velocity(y);
    if (y->failed || !v) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < n; i++) {
        variables[i] = X(symbol_state)(y, y->layout.q, i), directions[i] = v[i];
        variables[n + i] = X(symbol_state)(y, y->layout.w, i);
        directions[n + i] = y->unknowns[y->offsets[RATES_OF_W] + i];
    }
    variables[2 * n] = X(symbol_leaf)(y, STATE_T0), directions[2 * n] = y->one;
    X(symbol_function)(y, STEP_PI, HERE, NULL, equations);
    X(symbol_function)(y, STEP_PHI, HERE, NULL, force);
    X(symbol_function)(y, STEP_RATE, MOVING, NULL, rates);
    if (taut_graph_has_calls(y->g)) return TAUT_UNSUPPORTED;
    for (size_t i = 0; !y->failed && i < n; i++) {
        expr rate = taut_expr_directional(y->g, equations[i], variables, directions, 2 * n + 1);
        if (!(equations[i] = taut_expr_sub(y->g, rate, force[i]))) y->failed = 1;
    }
    for (size_t k = 0; !y->failed && k < c; k++) {
        equations[n + k] = taut_expr_directional(y->g, rates[k], variables, directions, 2 * n + 1);
        if (!equations[n + k]) y->failed = 1;
    }
    return y->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

/* ---- the solution of linear equations, written out ---- */

/* out := roots with leaves replaced by values; out may be where the values are. */
static int substitute(symbols *y, const expr *roots, const expr *leaves, const expr *values, size_t count, expr *out)
{
    expr *list = NULL, *image = taut_mem_new(y->context, taut_graph_count(y->g), sizeof *image);
    size_t found = 0;
    int status = image ? taut_expr_reachable(y->g, roots, count, &list, &found) : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) image[leaves[i]] = values[i];
    for (size_t i = 0; !status && i < found; i++) {
        const expr e = list[i];
        const node n = *taut_graph_node(y->g, e);
        if (image[e]) continue;
        const int leaf = n.op == OP_VARIABLE || n.op == OP_CONSTANT;
        image[e] = leaf ? e : taut_expr_rebuild(y->g, &n, image[n.a], op_has_number((op)n.op) ? 0 : image[n.b]);
        if (!image[e]) status = TAUT_OUT_OF_MEMORY;
    }
    for (size_t i = 0; !status && i < count; i++) out[i] = image[roots[i]];
    if (list) taut_expr_list_free(y->g, list);
    taut_mem_free(y->context, image);
    return status;
}

/* values of the unknowns that are left := values - correction there */
static int correct(symbols *y, const reduced_phase *p, expr *values)
{
    const size_t size = p->size;
    expr *leaves = X(symbol_new)(y, size), *right = X(symbol_new)(y, size), *change = X(symbol_new)(y, size);
    if (y->failed) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < size; i++) {
        leaves[i] = taut_expr_variable(y->g, (kind)LEAF_UNKNOWN, (uint32_t)p->first + p->left[i]);
        right[i] = taut_expr_variable(y->g, (kind)LEAF_RIGHT, i);
        if (!leaves[i] || !right[i]) return TAUT_OUT_OF_MEMORY;
    }
    int status = substitute(y, p->residual, leaves, values, size, change);
    if (!status) status = substitute(y, p->change, right, change, size, change);
    for (uint32_t i = 0; !status && i < size; i++)
        if (!(values[i] = taut_expr_sub(y->g, values[i], change[i]))) status = TAUT_OUT_OF_MEMORY;
    return status;
}

/* The unknowns of the symbols become what solves the equations; checks: pivots and their references. The guess is the
   state's own multipliers, and one correction more takes the rounding errors of the elimination away. */
static int solve_motion(symbols *y, reduced_phase *p)
{
    const size_t n = y->s->n, c = y->s->c;
    expr *equations = X(symbol_new)(y, n + c), *values = X(symbol_new)(y, n + c);
    int status = equations && values ? write_motion(y, equations) : TAUT_OUT_OF_MEMORY;
    if (!status) status = X(reduce_linear)(y, equations, p);
    for (uint32_t i = 0; !status && i < p->size; i++)
        values[i] = p->left[i] < n ? y->zero : X(symbol_state)(y, y->layout.lambda, p->left[i] - (uint32_t)n);
    for (int times = 0; !status && times < 2; times++) status = correct(y, p, values);
    for (uint32_t i = 0; !status && i < p->size; i++) y->unknowns[p->first + p->left[i]] = values[i];
    X(symbols_forget_places)(y);
    return status;
}

static void put_checks(const reduced_phase *p, output_list *o)
{
    for (uint32_t i = 0; i < p->check_count; i++) {
        *take(o, 1) = p->checks[i].pivot;
        *take(o, 1) = p->checks[i].reference;
    }
}

static int write_multipliers(symbols *y, const reduced_phase *p, output_list *o)
{
    const size_t c = y->s->c, observables = X(field_rows)(y->s->observable);
    int status = begin_outputs(o, y, c + observables + 2 * (size_t)p->check_count);
    if (status) return status;
    memcpy(take(o, c), y->unknowns + y->offsets[LAMBDA], c * sizeof(expr));
    X(symbol_observables)(y, HERE, take(o, observables));
    put_checks(p, o);
    return TAUT_OK;
}

static int write_power(symbols *y, const reduced_phase *p, int solves, output_list *o)
{
    const size_t c = solves ? y->s->c : 0;
    int status = begin_outputs(o, y, 1 + c + 2 * (size_t)p->check_count);
    const expr *v = velocity(y);
    if (status || !v) return TAUT_OUT_OF_MEMORY;
    *take(o, 1) = X(symbol_power)(y, HERE, v);
    memcpy(take(o, c), y->unknowns + y->offsets[LAMBDA], c * sizeof(expr));
    if (solves) put_checks(p, o);
    return TAUT_OK;
}

/* ---- programs ---- */

static int make_program(reading *r, int which, output_list *o)
{
    for (size_t i = 0; i < o->count; i++) o->y->failed |= !o->all[i];
    if (o->y->failed) return TAUT_OUT_OF_MEMORY;
    return o->count ? X(lower_outputs)(o->y, o->all, o->count, &r->programs[which]) : TAUT_OK;
}

static int make_watched(reading *r, symbols *y)
{
    output_list o;
    int status = write_watched(y, r->symmetries, r->symmetry_count, &o);
    return status ? status : make_program(r, WATCHED, &o);
}

/* The power, or multipliers and observables; without constraints there is nothing to solve. */
static int make_solved(reading *r, symbols *y, int which, int solves)
{
    reduced_phase p = { 0 };
    output_list o;
    int status = solves ? solve_motion(y, &p) : TAUT_OK;
    if (!status) status = which == POWER ? write_power(y, &p, solves, &o) : write_multipliers(y, &p, &o);
    if (!status) status = make_program(r, which, &o);
    r->check_count[which] = p.check_count;
    X(reduced_clear)(y, &p);
    return status;
}

static int make(reading *r, int which)
{
    const struct system *s = r->s;
    const int solves = which == MULTIPLIERS ? s->c > 0 : r->power_solves;
    if (s->n + s->c > (uint32_t)(solves && which != WATCHED ? SOLVED_MOST : WATCHED_MOST)) return TAUT_OK;
    symbols y = { 0 };
    step_table *table = taut_mem_new(s->context, 1, sizeof *table);
    int status = table ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) make_table(table);
    if (!status) status = X(symbols_create)(r->s, table, &y);
    if (!status) status = which == WATCHED ? make_watched(r, &y) : make_solved(r, &y, which, solves);
    status = X(symbols_status)(&y, status);
    X(symbols_clear)(&y);
    taut_mem_free(s->context, table);
    return status == TAUT_UNSUPPORTED ? TAUT_OK : status;
}

/* ---- native code ---- */

#ifndef TAUT_REAL_QUAD
static const char entry[] = "taut_reading";
static const char *const names[PROGRAMS] = { "taut_watched", "taut_power", "taut_multipliers" };

static void put_table(const reading *r, int text, builder *out)
{
    taut_builder_put(out, "\ntypedef int reading(int, const number *, number *restrict, number *restrict, "
                          "const number *,\n    const number *, number *, long *);\n"
                          "extern reading *const %s[];\nreading *const %s[] = { ", entry, entry);
    for (int i = first_of[text]; i < first_of[text + 1]; i++)
        taut_builder_put(out, "%s, ", r->programs[i] ? names[i] : "0");
    taut_builder_put(out, "};\n");
}

static int emit(const reading *r, int text, builder *out)
{
    emit_functions used = { .fuses = 0 };
    uint32_t setup_count;
    int status = TAUT_OK;
    for (int i = first_of[text]; i < first_of[text + 1]; i++)
        if (r->programs[i]) X(program_mark_functions)(r->programs[i], &used);
    X(emit_prelude)(out, &used, 0);
    for (int i = first_of[text]; !status && i < first_of[text + 1]; i++)
        if (r->programs[i]) status = X(program_emit_function)(r->programs[i], names[i], 1, 0, 0, &setup_count, out);
    put_table(r, text, out);
    return status ? status : out->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

/* Asks for the code of a text, if there is any. */
static int ask(reading *r, int text)
{
    struct native_use *use = r->s->native;
    builder out = { .context = r->s->context };
    int any = 0, all_machine = 1, status = TAUT_OK;
    if (!use || use->mode == TAUT_NATIVE_OFF) return TAUT_OK;
    for (int i = first_of[text]; !status && i < first_of[text + 1]; i++) {
        program *p = r->programs[i];
        if (!p) continue;
        any = 1;
        int pays;
        status = X(machine_create)(p, text == LATER ? use->frames : use->looks, &pays);
        all_machine &= p->pages || !pays;
    }
    if (!any || status || !taut_native_wants_compiler(use, all_machine)) return status;
    status = emit(r, text, &out);
    if (!status) status = taut_native_request_more(use, out.context, out.text, out.length, entry, &r->native[text]);
    taut_builder_clear(&out);
    return status;
}

static void look_for_code(reading *r, int text)
{
    void *found;
    if (!r->native[text] || taut_native_poll(r->native[text], &found) != NATIVE_READY) return;
    void *const *table = found;
    for (int i = first_of[text]; i < first_of[text + 1]; i++) {
        program *p = r->programs[i];
        if (p) p->code = table[i - first_of[text]], p->space.code_is_new = 1;
    }
    r->has_code[text] = 1;
}

static int wait(reading *r, int text)
{
    void *found;
    const native *asked = r->native[text];
    if (!asked || r->s->native->mode != TAUT_NATIVE_ON) return TAUT_OK;
    if (taut_native_wait(r->native[text], &found) == NATIVE_READY) return TAUT_OK;
    return taut_fail(r->s->context, TAUT_UNSUPPORTED, "native code is not available: %s", taut_native_reason(asked));
}
#else
static int ask(reading *r, int text)
{
    (void)r, (void)text;
    return TAUT_OK; /* never compiled, as steps in quad */
}
static int wait(reading *r, int text) { return ask(r, text); }
static void look_for_code(reading *r, int text) { (void)r, (void)text; }
#endif

int X(reading_wait)(reading *r) { return r ? wait(r, SOON) : TAUT_OK; }

int X(reading_is_native)(const reading *r)
{
    return r->has_code[SOON] && (!r->programs[MULTIPLIERS] || r->has_code[LATER]);
}

/* ---- all of it ---- */

int X(reading_create)(struct system *s, const symmetry *symmetries, int symmetry_count, int has_power,
                      reading **result)
{
    *result = NULL;
    if (s->n + s->c > WATCHED_MOST) return TAUT_OK;
    reading *r = taut_mem_new(s->context, 1, sizeof *r);
    if (!r) return TAUT_OUT_OF_MEMORY;
    r->s = s;
    memcpy(r->symmetries, symmetries, (size_t)symmetry_count * sizeof *symmetries);
    r->symmetry_count = symmetry_count;
    r->power_solves = has_power && s->c && (s->structure.force_multiplier || s->structure.constraint_time);
    int status = make(r, WATCHED);
    if (!status && has_power) status = make(r, POWER);
    if (!status) status = ask(r, SOON);
    if (status)
        X(reading_destroy)(r);
    else
        *result = r;
    return status;
}

int X(reading_prepare)(reading *r)
{
    if (r->sought) return TAUT_OK;
    int status = make(r, MULTIPLIERS);
    if (!status) status = ask(r, LATER);
    if (!status) status = wait(r, LATER);
    r->sought = !status;
    return status;
}

static const real *read(reading *r, int which, const state *x)
{
    program *p = r->programs[which];
    const int text = which >= first_of[LATER];
    if (!p) return NULL;
    if (!r->has_code[text]) look_for_code(r, text);
    X(program_read)(p, x);
    /* Has a pivot lost too many digits? A NaN has. */
    const real *values = program_reports(p), *check = values + p->output_count - 2 * r->check_count[which];
    int sure = 1;
    for (size_t i = 0; i < r->check_count[which]; i++)
        sure &= REAL(fabs)(check[2 * i]) > (real)PIVOT_LEAST * REAL(fabs)(check[2 * i + 1]);
    return sure ? values : NULL;
}

const real *X(reading_watched)(reading *r, const state *x) { return read(r, WATCHED, x); }
const real *X(reading_multipliers)(reading *r, const state *x) { return read(r, MULTIPLIERS, x); }
const real *X(reading_power)(reading *r, const state *x) { return read(r, POWER, x); }
int X(reading_power_solves)(const reading *r) { return r->power_solves; }

program *X(reading_watched_program)(const reading *r) { return r->programs[WATCHED]; }

program *X(reading_multiplier_program)(const reading *r, size_t *checks)
{
    *checks = r->check_count[MULTIPLIERS];
    return r->programs[MULTIPLIERS];
}
