#include "lower/explicit.h"

#include <string.h>

#include "lower/lower.h"

/* Coordinates and constraints of systems whose fields are written out, and nodes of a field times stages: about half of
   them become instructions of a step. */
enum { SOLVED_MOST = 48, NODES_MOST = 2 * LOWER_STEP_MOST };

/* The symbols of a step while it is made. */
typedef struct {
    taut_context *context;
    symbols y;
    step_table *table;
    const explicit_tableau *t;
    field_symbols f;
    expr h;
    uint32_t n, c;
    expr *k;                  /* stages x 2n: rates */
    expr *lambda;             /* c: of the last stage */
    expr *leaves;             /* what a field stands on: q, w (or p) and t, 2n + 1; */
    expr *values;             /* and what that is at a stage */
    expr *checks;             /* of all stages */
    size_t check_count;
} staging;

static int status_of(const staging *z, int status)
{
    return status || !z->y.failed ? status : TAUT_OUT_OF_MEMORY;
}

static expr checked(staging *z, expr e)
{
    if (!e) z->y.failed = 1;
    return e;
}

static expr scaled(staging *z, expr factor, real number)
{
    return taut_expr_mul(z->y.g, taut_expr_number(z->y.g, (wide)number), factor);
}

/* sum_i weights[i] k_i[j], times h */
static expr sum_of_rates(staging *z, const real *weights, int count, uint32_t j)
{
    graph *g = z->y.g;
    expr sum = z->y.zero;
    for (int i = 0; i < count; i++)
        if (weights[i] != 0) sum = taut_expr_add(g, sum, scaled(z, z->k[(size_t)i * 2 * z->n + j], weights[i]));
    return checked(z, taut_expr_mul(g, z->h, sum));
}

/* A number of the state with what is added to it, as add_compensated does it. */
static expr moved(staging *z, uint32_t j, expr by)
{
    const state *x = &z->y.layout;
    const uint32_t i = j < z->n ? j : j - z->n;
    const expr at = X(symbol_state)(&z->y, j < z->n ? x->q : x->p, i);
    const expr low = X(symbol_state)(&z->y, j < z->n ? x->q_low : x->p_low, i);
    return checked(z, taut_expr_add(z->y.g, at, taut_expr_add(z->y.g, by, low)));
}

/* ---- places ---- */

static void find_leaves(staging *z, const real *second, expr *leaves)
{
    const state *x = &z->y.layout;
    for (uint32_t i = 0; i < z->n; i++) {
        leaves[i] = X(symbol_state)(&z->y, x->q, i);
        leaves[z->n + i] = X(symbol_state)(&z->y, second, i);
    }
    leaves[2 * z->n] = X(symbol_leaf)(&z->y, STATE_T0);
}

static void add_checks(staging *z, const expr *checks, size_t count)
{
    if (count) memcpy(z->checks + 2 * z->check_count, checks, 2 * count * sizeof *checks);
    z->check_count += count;
}

/* (q, p, t) in `values` become (q, w, t). */
static int find_velocity(staging *z)
{
    symbols *y = &z->y;
    const field_symbols *f = &z->f;
    const size_t n = z->n, all = n + 2 * f->velocity_check_count;
    expr *roots = X(symbol_new)(y, all), *leaves = X(symbol_new)(y, 2 * n + 1);
    if (!f->velocity || y->failed) return status_of(z, TAUT_OK);
    find_leaves(z, y->layout.p, leaves);
    memcpy(roots, f->velocity, n * sizeof *roots);
    if (all > n) memcpy(roots + n, f->velocity_checks, (all - n) * sizeof *roots);
    int status = status_of(z, TAUT_OK);
    if (!status) status = X(motion_replace)(y, roots, all, leaves, z->values, 2 * n + 1, roots);
    if (status) return status;
    memcpy(z->values + n, roots, n * sizeof *roots);
    add_checks(z, roots + n, f->velocity_check_count);
    return TAUT_OK;
}

static void find_place(staging *z, int stage)
{
    symbols *y = &z->y;
    const real c = z->t->c[stage];
    for (uint32_t j = 0; j < 2 * z->n; j++) z->values[j] = moved(z, j, sum_of_rates(z, z->t->a[stage], stage, j));
    const expr low = X(symbol_leaf)(y, STATE_T0_LOW), later = taut_expr_add(y->g, scaled(z, z->h, c), low);
    z->values[2 * z->n] = checked(z, taut_expr_add(y->g, X(symbol_leaf)(y, STATE_T0), later));
}

static int put_stage(staging *z, int stage)
{
    symbols *y = &z->y;
    const field_symbols *f = &z->f;
    const size_t n = z->n, c = f->lambda ? z->c : 0, all = 2 * n + c + 2 * f->check_count;
    expr *roots = X(symbol_new)(y, all);
    find_place(z, stage);
    int status = status_of(z, TAUT_OK);
    if (!status) status = find_velocity(z);
    if (status) return status;
    memcpy(roots, f->rate, 2 * n * sizeof *roots);
    if (c) memcpy(roots + 2 * n, f->lambda, c * sizeof *roots);
    if (f->check_count) memcpy(roots + 2 * n + c, f->checks, 2 * f->check_count * sizeof *roots);
    status = X(motion_replace)(y, roots, all, z->leaves, z->values, 2 * n + 1, roots);
    if (status) return status;
    memcpy(z->k + (size_t)stage * 2 * n, roots, 2 * n * sizeof *roots);
    if (c) memcpy(z->lambda, roots + 2 * n, c * sizeof *roots);
    add_checks(z, roots + 2 * n + c, f->check_count);
    return TAUT_OK;
}

/* ---- all stages ---- */

static int check_length(staging *z)
{
    expr *list;
    size_t count;
    int status = taut_expr_reachable(z->y.g, z->f.rate, 2 * (size_t)z->n, &list, &count);
    if (status) return status;
    taut_expr_list_free(z->y.g, list);
    return count * (size_t)z->t->stages > NODES_MOST ? TAUT_UNSUPPORTED : TAUT_OK;
}

static int make_room(staging *z)
{
    symbols *y = &z->y;
    const size_t places = (size_t)z->t->stages + 1;
    z->k = X(symbol_new)(y, places * 2 * z->n), z->lambda = X(symbol_new)(y, z->c);
    z->leaves = X(symbol_new)(y, 2 * (size_t)z->n + 1), z->values = X(symbol_new)(y, 2 * (size_t)z->n + 1);
    z->checks = X(symbol_new)(y, 2 * places * (z->f.check_count + z->f.velocity_check_count));
    if (y->failed) return TAUT_OUT_OF_MEMORY;
    find_leaves(z, y->layout.w, z->leaves);
    return status_of(z, TAUT_OK);
}

/* Multipliers of constraints that depend on each other are not determined by an elimination. */
static int serves(const struct system *s) { return s->n + s->c <= SOLVED_MOST && !s->softening; }

/* by_state: the length is the number `step` of the state. */
static int begin(staging *z, struct system *s, field_type type, const explicit_tableau *t, int by_state)
{
    *z = (staging){ .context = s->context, .t = t, .n = s->n, .c = s->c };
    if (!serves(s)) return TAUT_UNSUPPORTED;
    z->table = taut_mem_new(s->context, 1, sizeof *z->table);
    if (!z->table) return TAUT_OUT_OF_MEMORY;
    X(field_table)(z->table);
    int status = X(symbols_create)(s, z->table, &z->y);
    if (status) return status;
    z->h = by_state ? X(symbol_state)(&z->y, z->y.layout.step, 0) : z->y.h;
    status = X(field_symbols_find)(&z->y, type, &z->f);
    if (!status) status = check_length(z);
    if (!status) status = make_room(z);
    for (int i = 0; !status && i < t->stages; i++) status = put_stage(z, i);
    return status;
}

static int end(staging *z, int status)
{
    status = X(symbols_status)(&z->y, status);
    X(symbols_clear)(&z->y);
    taut_mem_free(z->context, z->table);
    return status == TAUT_UNSUPPORTED ? TAUT_OK : status;
}

/* The change of q and p by the stages, with given weights. */
static expr *change_of(staging *z, const real *weights)
{
    expr *out = X(symbol_new)(&z->y, 2 * (size_t)z->n);
    for (uint32_t j = 0; !z->y.failed && j < 2 * z->n; j++) out[j] = sum_of_rates(z, weights, z->t->stages, j);
    return out;
}

/* ---- a step ---- */

/* w at the end, or NULL. */
static int find_end(staging *z, const expr *change, const expr **w)
{
    for (uint32_t j = 0; j < 2 * z->n; j++) z->values[j] = moved(z, j, change[j]);
    z->values[2 * z->n] = X(symbol_leaf)(&z->y, STATE_T1);
    const int status = status_of(z, TAUT_OK);
    *w = z->f.velocity ? z->values + z->n : NULL;
    return status ? status : find_velocity(z);
}

/* The constraint functions at the end, each followed by eps; z->values: the end. */
static int find_limits(staging *z, const explicit_limits *limits, straight_step *step)
{
    symbols *y = &z->y;
    const size_t c = z->c;
    expr *of = X(symbol_new)(y, 2 * c), *pairs = X(symbol_new)(y, 4 * c), eps;
    if (!limits->positions && !limits->momenta) return status_of(z, TAUT_OK);
    eps = checked(z, taut_expr_number(y->g, (wide)limits->eps));
    int status = status_of(z, TAUT_OK);
    if (status) return status;
    if (c) memcpy(of, z->f.g, c * sizeof *of), memcpy(of + c, z->f.psi, c * sizeof *of);
    status = X(motion_replace)(y, of, 2 * c, z->leaves, z->values, 2 * (size_t)z->n + 1, of);
    for (size_t k = 0; !status && k < 2 * c; k++)
        if (k < c ? limits->positions : limits->momenta)
            pairs[2 * step->limit_count] = of[k], pairs[2 * step->limit_count + 1] = eps, step->limit_count++;
    step->limits = pairs;
    return status;
}

static int make_step(staging *z, const explicit_limits *limits, program **result)
{
    straight_step step = { .lambda = z->f.lambda ? z->lambda : NULL };
    const expr *change = change_of(z, z->t->b);
    int status = status_of(z, TAUT_OK);
    if (!status) status = find_end(z, change, &step.w);
    if (!status && z->f.g) status = find_limits(z, limits, &step);
    if (status) return status;
    step.move = change, step.push = change + z->n;
    step.checks = z->checks, step.check_count = z->check_count;
    return X(lower_straight)(&z->y, &step, result);
}

int X(explicit_step_create)(struct system *s, field_type type, const explicit_tableau *t, const explicit_limits *limits,
                             program **result)
{
    staging z;
    *result = NULL;
    int status = begin(&z, s, type, t, 0);
    if (!status) status = make_step(&z, limits, result);
    status = end(&z, status);
    if (!status && *result) status = X(program_compile)(*result);
    if (!status) return TAUT_OK;
    X(program_destroy)(*result);
    *result = NULL;
    return status;
}

/* ---- trials ---- */

struct explicit_trial {
    struct system *s;
    program *program;
    size_t check_count;
    int has_error, has_lambda;
};

void X(explicit_trial_destroy)(explicit_trial *r)
{
    if (!r) return;
    X(program_destroy)(r->program);
    taut_mem_free(r->s->context, r);
}

static int make_trial(staging *z, explicit_trial *r)
{
    const size_t n2 = 2 * (size_t)z->n, c = z->f.lambda ? z->c : 0, checks = 2 * z->check_count;
    expr *all = X(symbol_new)(&z->y, 2 * n2 + c + checks);
    const expr *move = change_of(z, z->t->b), *error = change_of(z, z->t->error);
    size_t count = n2;
    for (int i = 0; i < z->t->stages; i++) r->has_error |= z->t->error[i] != 0;
    r->has_lambda = c > 0, r->check_count = z->check_count;
    if (z->y.failed) return TAUT_OUT_OF_MEMORY;
    memcpy(all, move, n2 * sizeof *all);
    if (r->has_error) memcpy(all + count, error, n2 * sizeof *all), count += n2;
    if (c) memcpy(all + count, z->lambda, c * sizeof *all), count += c;
    if (checks) memcpy(all + count, z->checks, checks * sizeof *all), count += checks;
    return X(lower_outputs)(&z->y, all, count, LOWER_STEP_MOST, &r->program);
}

int X(explicit_trial_create)(struct system *s, field_type type, const explicit_tableau *t, explicit_trial **result)
{
    staging z;
    explicit_trial *r = taut_mem_new(s->context, 1, sizeof *r);
    *result = NULL;
    if (!r) return TAUT_OUT_OF_MEMORY;
    r->s = s;
    int status = begin(&z, s, type, t, 1);
    if (!status) status = make_trial(&z, r);
    status = end(&z, status);
    if (!status && r->program) status = X(program_compile)(r->program);
    if (status || !r->program)
        X(explicit_trial_destroy)(r);
    else
        *result = r;
    return status;
}

int X(explicit_trial_read)(explicit_trial *r, const state *x, real *move, real *error, real *lambda)
{
    const size_t n2 = 2 * (size_t)r->s->n, c = r->has_lambda ? r->s->c : 0, all = r->has_error ? 2 * n2 : n2;
    X(program_read)(r->program, x);
    const real *values = program_reports(r->program), *check = values + all + c;
    int sure = 1;
    for (size_t i = 0; i < r->check_count; i++)
        sure &= REAL(fabs)(check[2 * i]) > (real)PIVOT_LEAST * REAL(fabs)(check[2 * i + 1]);
    if (!sure) return 0;
    memcpy(move, values, n2 * sizeof *move);
    if (r->has_error) memcpy(error, values + n2, n2 * sizeof *error);
    if (c) memcpy(lambda, values + all, c * sizeof *lambda);
    return 1;
}
