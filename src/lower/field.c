#include "lower/field.h"

#include <string.h>

/* Groups besides those of motion.h: w of phase 1, and what gradients take for constants. */
enum {
    VELOCITY = MOTION_GROUPS, FROZEN_RATE, FROZEN_U, FROZEN_M, FROZEN_U_M, FROZEN_LAMBDA, FROZEN_C, FROZEN_MU
};
/* Places: the state with the unknown velocity; with other multipliers. */
enum { AT_VELOCITY = MOTION_PLACES, WITH_LAMBDA, WITH_MU };

void X(field_table)(step_table *t)
{
    X(motion_table)(t);
    X(step_add_phase)(t, "velocities");
    X(step_add_group)(t, 1, STEP_N);
    for (int g = FROZEN_RATE; g <= FROZEN_MU; g++) X(step_add_group)(t, 2, g < FROZEN_LAMBDA ? STEP_N : STEP_C);
    for (int i = AT_VELOCITY; i <= WITH_MU; i++) {
        X(step_add_place)(t, 0);
        X(step_put)(t, i, STEP_Q, STEP_Q0, 1, 0);
        X(step_put)(t, i, STEP_W, i == AT_VELOCITY ? VELOCITY : STEP_W0, 1, 0);
    }
    X(step_put)(t, WITH_LAMBDA, STEP_LAMBDA, FROZEN_LAMBDA, 1, 0);
    X(step_put)(t, WITH_MU, STEP_LAMBDA, FROZEN_MU, 1, 0);
}

typedef struct {
    symbols *y;
    graph *g;
    size_t n, c;
    field_symbols *f;
    expr *pi, *nu, *psi;      /* momenta, velocities, and G nu + g_t, at the state */
} finder;

static int status_of(const finder *z, int status) { return status || !z->y->failed ? status : TAUT_OUT_OF_MEMORY; }

static expr checked(finder *z, expr e)
{
    if (!e) z->y->failed = 1;
    return e;
}

static expr *new_list(finder *z, size_t count)
{
    expr *list = X(symbol_new)(z->y, count);
    for (size_t i = 0; list && i < count; i++) list[i] = z->y->zero;
    return list;
}

static expr *function_at(finder *z, step_function function, int place, size_t count)
{
    expr *out = new_list(z, count);
    if (!z->y->failed) X(symbol_function)(z->y, function, place, NULL, out);
    return out;
}

static const expr *group_of(const finder *z, int group) { return z->y->unknowns + z->y->offsets[group]; }

static expr *copy_of(finder *z, const expr *list, size_t count)
{
    expr *out = X(symbol_new)(z->y, count);
    if (!list) z->y->failed = 1;
    if (!z->y->failed && count) memcpy(out, list, count * sizeof *out);
    return out;
}

/* ---- derivatives ---- */

/* Derivatives along (q, w, t), each of which may be NULL or 0. */
static expr *derive(finder *z, const expr *list, size_t count, const expr *q, const expr *w, expr t)
{
    expr *out = X(symbol_new)(z->y, count);
    const motion_direction d = X(motion_along)(z->y, q, w, t);
    for (size_t i = 0; !z->y->failed && i < count; i++)
        out[i] = checked(z, taut_expr_directional(z->g, list[i], d.leaves, d.along, d.count));
    return out;
}

/* The gradient of a number by q, or by w. */
static expr *gradient(finder *z, expr scalar, int by_w)
{
    expr *leaves = X(symbol_new)(z->y, z->n), *out = X(symbol_new)(z->y, z->n);
    const state *x = &z->y->layout;
    for (uint32_t i = 0; !z->y->failed && i < z->n; i++) leaves[i] = X(symbol_state)(z->y, by_w ? x->w : x->q, i);
    if (!z->y->failed && taut_expr_gradient(z->g, scalar, leaves, z->n, out)) z->y->failed = 1;
    return out;
}

static expr dot(finder *z, const expr *a, const expr *b, size_t count)
{
    expr sum = z->y->zero;
    for (size_t i = 0; !z->y->failed && i < count; i++) sum = taut_expr_add(z->g, sum, taut_expr_mul(z->g, a[i], b[i]));
    return checked(z, sum);
}

static expr *difference(finder *z, const expr *a, const expr *b, size_t count)
{
    expr *out = X(symbol_new)(z->y, count);
    for (size_t i = 0; !z->y->failed && i < count; i++) out[i] = checked(z, taut_expr_sub(z->g, a[i], b[i]));
    return out;
}

static expr *sum_of(finder *z, const expr *a, const expr *b, size_t count)
{
    expr *out = X(symbol_new)(z->y, count);
    for (size_t i = 0; !z->y->failed && i < count; i++) out[i] = checked(z, taut_expr_add(z->g, a[i], b[i]));
    return out;
}

/* ---- linear equations ---- */

static int keep_checks(finder *z, const reduced_phase *p, expr **list, size_t *count)
{
    expr *all = X(symbol_new)(z->y, 2 * (*count + p->check_count));
    if (!all) return TAUT_OUT_OF_MEMORY;
    if (*count) memcpy(all, *list, 2 * *count * sizeof *all);
    for (uint32_t i = 0; i < p->check_count; i++) {
        int is_there = 0;
        for (size_t k = 0; k < *count; k++)
            is_there |= all[2 * k] == p->checks[i].pivot && all[2 * k + 1] == p->checks[i].reference;
        if (is_there) continue;
        all[2 * *count] = p->checks[i].pivot, all[2 * *count + 1] = p->checks[i].reference;
        ++*count;
    }
    *list = all;
    return TAUT_OK;
}

/* The unknowns of a phase, which may have been solved for something else before, become the solution. It begins with
   zeros: what the state has, or another stage, would make the first correction smaller, but not what two of them leave,
   and would be waited for. */
static int solve(finder *z, int phase, const expr *equations)
{
    symbols *y = z->y;
    reduced_phase p = { 0 };
    const expr *guesses = new_list(z, z->n + z->c);
    const size_t first = y->offsets[phase ? VELOCITY : MOTION_RATES], end = first + (phase ? z->n : z->n + z->c);
    for (size_t i = first; i < end; i++)
        y->unknowns[i] = checked(z, taut_expr_variable(z->g, (kind)LEAF_UNKNOWN, (uint32_t)i));
    X(symbols_forget_places)(y);
    int status = status_of(z, TAUT_OK);
    if (!status) status = X(motion_solve)(y, phase, equations, guesses, &p);
    field_symbols *f = z->f;
    if (!status)
        status = phase && !f->velocity ? keep_checks(z, &p, &f->velocity_checks, &f->velocity_check_count)
                                       : keep_checks(z, &p, &f->checks, &f->check_count);
    X(reduced_clear)(y, &p);
    return status;
}

/* Unknowns stand for themselves, so that equations can be written in them. */
static void forget(finder *z)
{
    symbols *y = z->y;
    for (size_t i = 0; i < y->offsets[FROZEN_RATE]; i++)
        y->unknowns[i] = checked(z, taut_expr_variable(z->g, (kind)LEAF_UNKNOWN, (uint32_t)i));
    X(symbols_forget_places)(y);
}

/* p = pi(q, w, t), for w. */
static int find_velocity(finder *z)
{
    symbols *y = z->y;
    if (y->s->form != FORM_LAGRANGIAN) return TAUT_OK;
    expr *equations = function_at(z, STEP_PI, AT_VELOCITY, z->n);
    for (uint32_t i = 0; !y->failed && i < z->n; i++)
        equations[i] = checked(z, taut_expr_sub(z->g, equations[i], X(symbol_state)(y, y->layout.p, i)));
    int status = status_of(z, TAUT_OK);
    if (!status) status = solve(z, 1, equations);
    if (!status) z->f->velocity = copy_of(z, group_of(z, VELOCITY), z->n);
    return status_of(z, status);
}

/* Rates of w and multipliers with d^2 g/dt^2 = 0 along v: see motion_equations. */
static int solve_motion(finder *z, const expr *v, const expr *more)
{
    expr *equations = new_list(z, z->n + z->c);
    forget(z);
    int status = status_of(z, TAUT_OK);
    if (!status) status = X(motion_equations)(z->y, v, more, equations);
    return status ? status : solve(z, 0, equations);
}

/* The saddle point, with the same matrix: pi_w x = G' a, psi_w x = right (c). x: n, a: c. */
static int solve_saddle(finder *z, const expr *right, expr **x, expr **a)
{
    const size_t n = z->n, c = z->c;
    expr *equations = new_list(z, n + c);
    forget(z);
    const expr *unknown = group_of(z, MOTION_RATES);
    expr *pull = function_at(z, STEP_BOND, MOTION_HERE, n);
    expr *momenta = derive(z, z->pi, n, NULL, unknown, 0), *rates = derive(z, z->psi, c, NULL, unknown, 0);
    for (size_t i = 0; !z->y->failed && i < n + c; i++)
        equations[i] = checked(z, i < n ? taut_expr_sub(z->g, momenta[i], pull[i])
                                        : taut_expr_sub(z->g, rates[i - n], right[i - n]));
    int status = status_of(z, TAUT_OK);
    if (!status) status = solve(z, 0, equations);
    *x = copy_of(z, group_of(z, MOTION_RATES), n), *a = copy_of(z, group_of(z, MOTION_LAMBDA), c);
    return status_of(z, status);
}

/* Frozen groups become their values. */
static int thaw(finder *z, expr *list, size_t count, const int *groups, expr *const *values, int group_count)
{
    const size_t room = (size_t)group_count * (z->n + z->c);
    expr *leaves = X(symbol_new)(z->y, room), *by = X(symbol_new)(z->y, room);
    size_t found = 0;
    for (int i = 0; !z->y->failed && i < group_count; i++) {
        const size_t length = groups[i] < FROZEN_LAMBDA ? z->n : z->c;
        if (length) memcpy(leaves + found, group_of(z, groups[i]), length * sizeof *leaves);
        if (length) memcpy(by + found, values[i], length * sizeof *by);
        found += length;
    }
    const int status = status_of(z, TAUT_OK);
    return status ? status : X(motion_replace)(z->y, list, count, leaves, by, found, list);
}

/* ---- naive: formulation_dirac.c ---- */

static int put_multipliers(finder *z)
{
    z->f->lambda = copy_of(z, group_of(z, MOTION_LAMBDA), z->c);
    return status_of(z, TAUT_OK);
}

static int find_naive(finder *z)
{
    int status = solve_motion(z, z->nu, NULL);
    if (status) return status;
    memcpy(z->f->rate, z->nu, z->n * sizeof(expr));
    X(symbol_function)(z->y, STEP_PHI, MOTION_HERE, NULL, z->f->rate + z->n);
    return put_multipliers(z);
}

/* ---- dirac: formulation_dirac.c ---- */

/* psi_q' a at fixed p: of a.psi(q,w) by q and, with w = w(q,p), by w. The latter is -pi_q' x with pi_w x = psi_w' a =
   G' a. */
static expr *momentum_gradient(finder *z, expr *x, expr *a)
{
    static const int groups[] = { FROZEN_M, FROZEN_MU };
    expr *const values[] = { x, a };
    expr scalar = taut_expr_sub(z->g, dot(z, z->psi, group_of(z, FROZEN_MU), z->c),
                                dot(z, z->pi, group_of(z, FROZEN_M), z->n));
    expr *out = gradient(z, checked(z, scalar), 0);
    if (status_of(z, TAUT_OK) || thaw(z, out, z->n, groups, values, 2)) z->y->failed = 1;
    return out;
}

static int find_dirac(finder *z)
{
    expr *x, *a;
    int status = solve_saddle(z, z->psi, &x, &a);
    if (status) return status;
    expr *v = difference(z, z->nu, derive(z, z->nu, z->n, NULL, x, 0), z->n), *more = momentum_gradient(z, x, a);
    status = status_of(z, TAUT_OK);
    if (!status) status = solve_motion(z, v, more);
    if (status) return status;
    memcpy(z->f->rate, v, z->n * sizeof(expr));
    expr *force = function_at(z, STEP_PHI, MOTION_HERE, z->n);
    expr *all = z->y->failed ? NULL : sum_of(z, force, more, z->n);
    if (all) memcpy(z->f->rate + z->n, all, z->n * sizeof(expr));
    return put_multipliers(z);
}

/* ---- extended: formulation_extended.c ---- */

/* H_e - H as a number whose gradient is right with all multipliers and directions taken for constants. Each of them
 * solves equations, and what these change is in the solution u, c (u_m, mu) of the transposed ones:
 *
 *     -lambda.g - u.(pi' - f - G' lambda) + c.psi'           along (nu, alpha, 1);  pi_w' u = psi_w' c,  G u = g
 *     2 mu.psi + mu.(psi_w m) - u_m.(pi_w m - G' mu)         pi_w m = G' mu,  psi_w m = -psi,  u_m = nu_w m */
static expr extended_part(finder *z)
{
    const expr *rate = group_of(z, FROZEN_RATE), *u = group_of(z, FROZEN_U), *m = group_of(z, FROZEN_M),
               *u_m = group_of(z, FROZEN_U_M), *lambda = group_of(z, FROZEN_LAMBDA), *c = group_of(z, FROZEN_C),
               *mu = group_of(z, FROZEN_MU);
    const size_t n = z->n;
    expr *g = function_at(z, STEP_G, MOTION_HERE, z->c), *free = function_at(z, STEP_FREE, MOTION_HERE, n);
    expr *bond = function_at(z, STEP_BOND, WITH_LAMBDA, n), *pull = function_at(z, STEP_BOND, WITH_MU, n);
    if (z->y->failed) return 0;
    expr *left = difference(z, derive(z, z->pi, n, z->nu, rate, z->y->one), sum_of(z, free, bond, n), n);
    expr *turn = derive(z, z->psi, z->c, z->nu, rate, z->y->one);
    expr *other = difference(z, derive(z, z->pi, n, NULL, m, 0), pull, n), *slope = derive(z, z->psi, z->c, NULL, m, 0);
    if (z->y->failed) return 0;
    expr first = taut_expr_sub(z->g, dot(z, c, turn, z->c), dot(z, lambda, g, z->c));
    first = taut_expr_sub(z->g, first, dot(z, u, left, n));
    expr twice = taut_expr_mul(z->g, taut_expr_number(z->g, 2), dot(z, mu, z->psi, z->c));
    expr second = taut_expr_add(z->g, twice, dot(z, mu, slope, z->c));
    second = taut_expr_sub(z->g, second, dot(z, u_m, other, n));
    return checked(z, taut_expr_add(z->g, first, second));
}

/* The gradient of a number by p and, at fixed p, by q, from those by w and q: pi_w x = by_w, by_q - pi_q' x. */
static int gradient_in_phase(finder *z, expr **by_w, expr **by_q)
{
    static const int groups[] = { FROZEN_M };
    symbols *y = z->y;
    if (y->s->form != FORM_LAGRANGIAN) return TAUT_OK;
    forget(z);
    expr *momenta = derive(z, z->pi, z->n, NULL, group_of(z, VELOCITY), 0);
    expr *equations = y->failed ? NULL : difference(z, momenta, *by_w, z->n);
    int status = status_of(z, TAUT_OK);
    if (!status) status = solve(z, 1, equations);
    if (status) return status;
    *by_w = copy_of(z, group_of(z, VELOCITY), z->n);
    expr *moved = gradient(z, dot(z, z->pi, group_of(z, FROZEN_M), z->n), 0);
    expr *const values[] = { *by_w };
    status = status_of(z, TAUT_OK);
    if (!status) status = thaw(z, moved, z->n, groups, values, 1);
    if (!status) *by_q = difference(z, *by_q, moved, z->n);
    return status_of(z, status);
}

static int find_extended(finder *z)
{
    static const int groups[] = { FROZEN_RATE, FROZEN_U, FROZEN_M, FROZEN_U_M, FROZEN_LAMBDA, FROZEN_C, FROZEN_MU };
    expr *values[7], *right = new_list(z, z->c), *x;
    const size_t n = z->n;
    int status = status_of(z, solve_motion(z, z->nu, NULL));
    if (status) return status;
    values[0] = copy_of(z, group_of(z, MOTION_RATES), n), values[4] = copy_of(z, group_of(z, MOTION_LAMBDA), z->c);
    status = put_multipliers(z);
    for (size_t k = 0; k < z->c; k++) right[k] = checked(z, taut_expr_neg(z->g, z->psi[k]));
    if (!status) status = solve_saddle(z, right, &values[2], &values[6]);
    if (!status) status = solve_saddle(z, function_at(z, STEP_G, MOTION_HERE, z->c), &x, &values[5]);
    if (status) return status;
    values[1] = derive(z, z->nu, n, NULL, x, 0), values[3] = derive(z, z->nu, n, NULL, values[2], 0);
    const expr part = extended_part(z);
    if (!part) return TAUT_OUT_OF_MEMORY;
    expr *by_w = gradient(z, part, 1), *by_q = gradient(z, part, 0);
    status = status_of(z, TAUT_OK);
    if (!status) status = thaw(z, by_w, n, groups, values, 7);
    if (!status) status = thaw(z, by_q, n, groups, values, 7);
    if (!status) status = gradient_in_phase(z, &by_w, &by_q);
    if (status) return status;
    expr *v = sum_of(z, z->nu, by_w, n), *free = function_at(z, STEP_FREE, MOTION_HERE, n);
    expr *force = z->y->failed ? NULL : difference(z, free, by_q, n);
    if (z->y->failed) return TAUT_OUT_OF_MEMORY;
    memcpy(z->f->rate, v, n * sizeof(expr)), memcpy(z->f->rate + n, force, n * sizeof(expr));
    return TAUT_OK;
}

/* ---- constraints on phase space: formulation_bracket.c ---- */

/* The motion of H - b.chi with frozen b: (H - b.chi)_p, -(H - b.chi)_q, for the first k of the constraints. */
static int write_bracket(finder *z, const expr *chi, size_t k, expr *rate)
{
    const expr energy = X(symbol_energy)(z->y, MOTION_HERE, z->nu);
    if (!energy) return TAUT_OUT_OF_MEMORY;
    const expr all = checked(z, taut_expr_sub(z->g, energy, dot(z, chi, group_of(z, FROZEN_C), k)));
    expr *by_p = z->y->failed ? NULL : gradient(z, all, 1), *by_q = z->y->failed ? NULL : gradient(z, all, 0);
    for (size_t i = 0; !z->y->failed && i < z->n; i++)
        rate[i] = by_p[i], rate[z->n + i] = checked(z, taut_expr_neg(z->g, by_q[i]));
    return status_of(z, TAUT_OK);
}

/* d chi/dt = 0 along it, for b. */
static int find_bracket(finder *z)
{
    static const int groups[] = { FROZEN_C };
    const size_t n = z->n, c = z->c, k = c - z->y->s->phase_space->first;
    expr *equations = new_list(z, n + c), *rate = z->f->rate;
    expr *chi = function_at(z, STEP_G, MOTION_HERE, c);
    int status = status_of(z, TAUT_OK);
    if (!status) status = write_bracket(z, chi, k, rate);
    if (status) return status;
    expr *along = derive(z, chi, k, rate, rate + n, z->y->one);
    forget(z);
    expr *unknown = copy_of(z, group_of(z, MOTION_LAMBDA), c);
    status = status_of(z, TAUT_OK);
    if (!status) status = thaw(z, along, k, groups, &unknown, 1);
    if (status) return status;
    memcpy(equations, group_of(z, MOTION_RATES), n * sizeof *equations);
    for (size_t i = 0; i < c; i++) equations[n + i] = i < k ? along[i] : unknown[i];
    status = solve(z, 0, equations);
    unknown = copy_of(z, group_of(z, MOTION_LAMBDA), c);
    return status ? status : z->y->failed ? TAUT_OUT_OF_MEMORY : thaw(z, rate, 2 * n, groups, &unknown, 1);
}

/* ---- all of them ---- */

int X(field_symbols_find)(symbols *y, field_type type, field_symbols *f)
{
    finder z = { .y = y, .g = y->g, .n = y->s->n, .c = y->s->c, .f = f };
    *f = (field_symbols){ .rate = X(symbol_new)(y, 2 * z.n) };
    z.pi = function_at(&z, STEP_PI, MOTION_HERE, z.n);
    z.nu = copy_of(&z, X(symbol_vector)(y, STEP_NU0), z.n);
    z.psi = type == FIELD_BRACKET ? NULL : function_at(&z, STEP_RATE, MOTION_ALONG, z.c);
    f->psi = z.psi, f->g = z.psi ? function_at(&z, STEP_G, MOTION_HERE, z.c) : NULL;
    int status = status_of(&z, TAUT_OK);
    if (!status) status = find_velocity(&z);
    if (status) return status;
    switch (type) {
    case FIELD_NAIVE: return find_naive(&z);
    case FIELD_EXTENDED: return find_extended(&z);
    case FIELD_DIRAC: return find_dirac(&z);
    case FIELD_BRACKET: return find_bracket(&z);
    }
    return TAUT_UNSUPPORTED;
}
