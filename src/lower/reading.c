#include "lower/reading.h"

#include <string.h>

#include "lower/emit.h"
#include "lower/lower.h"
#include "lower/machine.h"
#include "lower/motion.h"
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
        X(symbol_function)(y, STEP_G, MOTION_HERE, NULL, take(o, c));
        X(symbol_function)(y, STEP_RATE, MOTION_ALONG, NULL, take(o, c));
        *take(o, 1) = X(symbol_energy)(y, MOTION_HERE, v);
        for (int i = 0; i < symmetry_count; i++) *take(o, 1) = momentum_of(y, &symmetries[i], work, work + n);
    }
    taut_mem_free(y->context, work);
    return status;
}

/* ---- multipliers ---- */

/* The guess is the state's own multipliers. */
static int solve_motion(symbols *y, reduced_phase *p)
{
    const size_t n = y->s->n, c = y->s->c;
    expr *equations = X(symbol_new)(y, n + c), *guesses = X(symbol_new)(y, n + c);
    if (!equations || !guesses) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < n + c; i++)
        guesses[i] = i < n ? y->zero : X(symbol_state)(y, y->layout.lambda, i - (uint32_t)n);
    int status = X(motion_equations)(y, velocity(y), NULL, equations);
    return status ? status : X(motion_solve)(y, 0, equations, guesses, p);
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
    memcpy(take(o, c), y->unknowns + y->offsets[MOTION_LAMBDA], c * sizeof(expr));
    X(symbol_observables)(y, MOTION_HERE, take(o, observables));
    put_checks(p, o);
    return TAUT_OK;
}

static int write_power(symbols *y, const reduced_phase *p, int solves, output_list *o)
{
    const size_t c = solves ? y->s->c : 0;
    int status = begin_outputs(o, y, 1 + c + 2 * (size_t)p->check_count);
    const expr *v = velocity(y);
    if (status || !v) return TAUT_OUT_OF_MEMORY;
    *take(o, 1) = X(symbol_power)(y, MOTION_HERE, v);
    memcpy(take(o, c), y->unknowns + y->offsets[MOTION_LAMBDA], c * sizeof(expr));
    if (solves) put_checks(p, o);
    return TAUT_OK;
}

/* ---- programs ---- */

static int make_program(reading *r, int which, output_list *o)
{
    for (size_t i = 0; i < o->count; i++) o->y->failed |= !o->all[i];
    if (o->y->failed) return TAUT_OUT_OF_MEMORY;
    return o->count ? X(lower_outputs)(o->y, o->all, o->count, LOWER_READING_MOST, &r->programs[which]) : TAUT_OK;
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
    if (!status) X(motion_table)(table);
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
int X(reading_has_power)(const reading *r) { return r->programs[POWER] != NULL; }

program *X(reading_watched_program)(const reading *r) { return r->programs[WATCHED]; }

program *X(reading_multiplier_program)(const reading *r, size_t *checks)
{
    *checks = r->check_count[MULTIPLIERS];
    return r->programs[MULTIPLIERS];
}
