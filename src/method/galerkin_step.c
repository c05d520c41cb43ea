/* The step of the Galerkin variational integrators: (35), (30), (31) of Man, Gao & Zhong 2020, with Taut's sign +G' lambda.
 *
 * m = n+1 control points d_k, polynomials q(s) = sum N_k q^k and lambda(s) = sum N_k lambda^k over s in [0,1], two rules (b,c) and (B,C):
 *
 *     A_k = sum_j b_j [h N_k (L_q + F) + N_k' L_v](c_j) + h sum_j B_j [N_k G' lambda](C_j)
 *     A_0 = -p0,  A_k = 0 (0 < k < n),  A_n = p1                                             (35)
 *     g(q^k) = 0,  k = 1..n                                                                  (30)
 *     G(q^n) v + g_t = 0  with  L_v(q^n, v) = p1                                             (31)
 *
 * F is in A_k by the discrete Lagrange-d'Alembert principle. Unknowns: u^k = q^k - q0 (k = 1..n), v, lambda^0..lambda^n: m(d+c) of
 * them, and p1 is explicit. Two identities keep round-off from adding up. sum_j b_j N_k'(c_j) = N_k(1) - N_k(0), so that with
 * L_v - p0 for L_v the first row needs no p0; and sum_k N_k = 1, so that the last row is, in place of A_n,
 *     p1 = p0 + h sum_j b_j (L_q + F) + h sum_j B_j G' lambda. */
#include <stdio.h>
#include <string.h>

#include "method/galerkin.h"
#include "solve/assembly.h"

enum { MOST = GALERKIN_MOST };

/* A derivative that stands at all (k,l) of the stage equations:
 *     h^power sum_j weight_j left_k(j) right_l(j) block(j),  in the columns of u^l, or of lambda^l. */
typedef struct {
    block_id block;
    const real (*left)[MOST], (*right)[MOST];
    int power;
    int multipliers;
    int id[MOST][MOST];               /* -1: zero for every j */
} stage_term;

enum { FREE_TERMS = 5, BOND_TERMS = 2 };

struct galerkin {
    struct system *s;
    galerkin_tables tables;
    real free_left[MOST][MOST], free_left_slope[MOST][MOST], bond_left[MOST][MOST]; /* N_k for k < n; the last row's -1 and 0 */
    stage_term free_terms[FREE_TERMS], bond_terms[BOND_TERMS];
    int free_term_count;
    int id_pi_q, id_pi_w, id_g[MOST], id_rate_q, id_rate_v;
    assembly *matrix;
    newton newton;
    real *x;                          /* unknowns: u^1..u^n, v, lambda^0..lambda^n */
    real *values;                     /* of a block */
    real *q, *v, *force, *momentum;   /* at a point of a rule */
    real *lambda, *rate;
    real *move;
    const state *from;
    real h, t1, t1_low;
};

/* ---- where things are ---- */

static uint32_t last(const galerkin *r) { return (uint32_t)r->tables.m - 1; }
static size_t at_u(const galerkin *r, uint32_t k) { return (size_t)(k - 1) * r->s->n; }
static size_t at_v(const galerkin *r) { return (size_t)last(r) * r->s->n; }
static size_t at_lambda(const galerkin *r, uint32_t k) { return (size_t)r->tables.m * r->s->n + (size_t)k * r->s->c; }
static size_t at_row(const galerkin *r, uint32_t k) { return (size_t)k * r->s->n; }
static size_t at_g(const galerkin *r, uint32_t k) { return at_lambda(r, k - 1); } /* as many equations as multipliers */
static size_t at_rate(const galerkin *r) { return at_lambda(r, last(r)); }
static size_t size_of(const galerkin *r) { return (size_t)r->tables.m * (r->s->n + r->s->c); }

/* ---- creation ---- */

void galerkin_destroy(galerkin *r)
{
    if (!r) return;
    real *arrays[] = { r->x, r->values, r->q, r->v, r->force, r->momentum, r->lambda, r->rate, r->move };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(r->s->context, arrays[i]);
    assembly_destroy(r->matrix);
    newton_clear(&r->newton);
    mem_free(r->s->context, r);
}

static void describe_terms(galerkin *r)
{
    const galerkin_rule *free = &r->tables.free, *bond = &r->tables.bond;
    const int m = r->tables.m, n = m - 1;
    for (int k = 0; k < m; k++)
        for (int j = 0; j < m; j++) {
            r->free_left[k][j] = k < n ? free->value[k][j] : -1;
            r->free_left_slope[k][j] = k < n ? free->slope[k][j] : 0;
            r->bond_left[k][j] = k < n ? bond->value[k][j] : -1;
        }
    /* (37) and (38) of the paper; v = q'/h gives each N' its 1/h */
    stage_term terms[FREE_TERMS] = {
        { BLOCK_FREE_Q, r->free_left, free->value, 1, 0, { { 0 } } },
        { BLOCK_PHI_W, r->free_left, free->slope, 0, 0, { { 0 } } },
        { BLOCK_PI_Q, r->free_left_slope, free->value, 0, 0, { { 0 } } },
        { BLOCK_PI_W, r->free_left_slope, free->slope, -1, 0, { { 0 } } },
        { BLOCK_FREE_LAMBDA, r->free_left, free->value, 1, 1, { { 0 } } },
    };
    memcpy(r->free_terms, terms, sizeof terms);
    r->free_term_count = r->s->structure.force_multiplier ? FREE_TERMS : FREE_TERMS - 1;
    r->bond_terms[0] = (stage_term){ BLOCK_CONSTRAINT_FORCE_Q, r->bond_left, bond->value, 1, 0, { { 0 } } };
    r->bond_terms[1] = (stage_term){ BLOCK_CONSTRAINT_FORCE_LAMBDA, r->bond_left, bond->value, 1, 1, { { 0 } } };
}

static int add_term(galerkin *r, stage_term *term)
{
    const int m = r->tables.m;
    int status = TAUT_OK;
    for (int k = 0; k < m; k++)
        for (int l = 0; l < m; l++) {
            int here = 0;
            for (int j = 0; j < m; j++) here |= term->left[k][j] != 0 && term->right[l][j] != 0;
            term->id[k][l] = -1;
            if (!here || status || (!term->multipliers && l == 0)) continue; /* q0 is known */
            size_t column = term->multipliers ? at_lambda(r, (uint32_t)l) : at_u(r, (uint32_t)l);
            status = assembly_add(r->matrix, &r->s->blocks[term->block], (int)at_row(r, (uint32_t)k), (int)column, &term->id[k][l]);
        }
    return status;
}

static int create_matrix(galerkin *r)
{
    struct system *s = r->s;
    uint32_t n = last(r);
    int status = assembly_create(s->context, (int)size_of(r), &r->matrix);
    for (int i = 0; !status && i < r->free_term_count; i++) status = add_term(r, &r->free_terms[i]);
    for (int i = 0; !status && i < BOND_TERMS; i++) status = add_term(r, &r->bond_terms[i]);
    if (!status) status = assembly_add(r->matrix, &s->blocks[BLOCK_PI_Q], (int)at_row(r, n), (int)at_u(r, n), &r->id_pi_q);
    if (!status) status = assembly_add(r->matrix, &s->blocks[BLOCK_PI_W], (int)at_row(r, n), (int)at_v(r), &r->id_pi_w);
    for (uint32_t k = 1; !status && k <= n; k++)
        status = assembly_add(r->matrix, &s->blocks[BLOCK_G], (int)at_g(r, k), (int)at_u(r, k), &r->id_g[k]);
    if (!status) status = assembly_add(r->matrix, &s->blocks[BLOCK_RATE_Q], (int)at_rate(r), (int)at_u(r, n), &r->id_rate_q);
    if (!status) status = assembly_add(r->matrix, &s->blocks[BLOCK_G], (int)at_rate(r), (int)at_v(r), &r->id_rate_v);
    if (status) return status;
    /* 160 links, m = 4: 400 times faster, and linear time; with m = 2, as in RATTLE, the usual order serves */
    if (n > 1) assembly_expect_zeros(r->matrix);
    return assembly_finish(r->matrix, 0);
}

static int prepare_blocks(struct system *s)
{
    static const block_id needed[] = { BLOCK_FREE_Q, BLOCK_PHI_W, BLOCK_PI_Q, BLOCK_PI_W, BLOCK_FREE_LAMBDA, BLOCK_CONSTRAINT_FORCE_Q,
                                       BLOCK_CONSTRAINT_FORCE_LAMBDA, BLOCK_G, BLOCK_RATE_Q };
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < sizeof needed / sizeof *needed; i++) status = system_prepare_block(s, needed[i]);
    return status;
}

static int create_arrays(galerkin *r)
{
    struct system *s = r->s;
    size_t largest = 0;
    for (int b = 0; b < BLOCK_COUNT; b++)
        if ((size_t)s->blocks[b].value_count > largest) largest = (size_t)s->blocks[b].value_count;
    struct { real **array; size_t size; } all[] = {
        { &r->x, size_of(r) }, { &r->values, largest }, { &r->q, s->n }, { &r->v, s->n }, { &r->force, s->n },
        { &r->momentum, s->n }, { &r->lambda, s->c }, { &r->rate, s->c }, { &r->move, s->n },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i].array = mem_new(s->context, all[i].size, sizeof(real)))) return TAUT_OUT_OF_MEMORY;
    return TAUT_OK;
}

int galerkin_create(struct system *s, const galerkin_tables *tables, real tolerance, galerkin **result)
{
    *result = NULL;
    if ((double)tables->m * ((double)s->n + s->c) > 2147483647.0)
        return fail(s->context, TAUT_UNSUPPORTED, "method 'galerkin': the model is too large for m=%d; take a smaller m", tables->m);
    galerkin *r = mem_new(s->context, 1, sizeof *r);
    if (!r) return TAUT_OUT_OF_MEMORY;
    r->s = s;
    r->tables = *tables;
    describe_terms(r);
    int status = prepare_blocks(s);
    if (!status) status = create_arrays(r);
    if (!status) status = create_matrix(r);
    if (!status) status = newton_create(s->context, (int)size_of(r), tolerance, &r->newton);
    if (status)
        galerkin_destroy(r);
    else
        *result = r;
    return status;
}

const newton_counts *galerkin_counts(const galerkin *r) { return &r->newton.counts; }

/* ---- the polynomials ---- */

static real time_at(const galerkin *r, real part) { return r->from->t + (r->from->t_low + part * r->h); }

/* q := the curve at point j of the rule; v := its velocity, if wanted */
static void curve_at(const galerkin *r, const galerkin_rule *rule, int j, const real *x, real *q, real *v)
{
    const uint32_t d = r->s->n, n = last(r);
    const real *from = r->from->q, *low = r->from->q_low;
    memcpy(q, low, d * sizeof(real));
    if (v) memset(v, 0, d * sizeof(real));
    for (uint32_t k = 1; k <= n; k++) {
        const real *u = x + at_u(r, k), value = rule->value[k][j], slope = rule->slope[k][j] / r->h;
        if (value != 0)
            for (uint32_t i = 0; i < d; i++) q[i] += value * u[i];
        if (v)
            for (uint32_t i = 0; i < d; i++) v[i] += slope * u[i];
    }
    for (uint32_t i = 0; i < d; i++) q[i] += from[i];
}

static void multipliers_at(const galerkin *r, const galerkin_rule *rule, int j, const real *x, real *lambda)
{
    const uint32_t c = r->s->c;
    memset(lambda, 0, c * sizeof(real));
    for (uint32_t k = 0; k <= last(r); k++) {
        const real *node = x + at_lambda(r, k), value = rule->value[k][j];
        for (uint32_t i = 0; i < c; i++) lambda[i] += value * node[i];
    }
}

static void control_point(const galerkin *r, uint32_t k, const real *x, real *q)
{
    const real *u = x + at_u(r, k);
    for (uint32_t i = 0; i < r->s->n; i++) q[i] = r->from->q[i] + (r->from->q_low[i] + u[i]);
}

/* The place of point j of the first rule, with multipliers only if the forces need them; and of the second. */
static place free_place(galerkin *r, int j, const real *x, real *t)
{
    int needs_multipliers = r->s->structure.force_multiplier;
    curve_at(r, &r->tables.free, j, x, r->q, r->v);
    if (needs_multipliers) multipliers_at(r, &r->tables.free, j, x, r->lambda);
    *t = time_at(r, r->tables.free.node[j]);
    return place_at(r->q, r->v, t, needs_multipliers ? r->lambda : NULL);
}

static place bond_place(galerkin *r, int j, const real *x, real *t)
{
    curve_at(r, &r->tables.bond, j, x, r->q, NULL);
    multipliers_at(r, &r->tables.bond, j, x, r->lambda);
    *t = time_at(r, r->tables.bond.node[j]);
    return place_at(r->q, NULL, t, r->lambda);
}

/* ---- the equations ---- */

static void add_scaled(real *out, real factor, const real *x, uint32_t count)
{
    if (factor == 0) return;
    for (uint32_t i = 0; i < count; i++) out[i] += factor * x[i];
}

/* Rows 0..n-1: A_k (plus p0 for k = 0); row n: -(p1 - p0). */
static void action_rows(galerkin *r, const real *x, real *out)
{
    struct system *s = r->s;
    const galerkin_tables *t = &r->tables;
    const state *from = r->from;
    real time;
    memset(out, 0, (size_t)t->m * s->n * sizeof(real));
    for (int j = 0; j < t->m; j++) {
        place at = free_place(r, j, x, &time);
        system_momentum(s, &at, r->momentum);
        system_free_force(s, &at, r->force);
        for (uint32_t i = 0; i < s->n; i++) r->momentum[i] = (r->momentum[i] - from->p[i]) - from->p_low[i];
        for (int k = 0; k < t->m; k++) {
            add_scaled(out + at_row(r, (uint32_t)k), t->free.weight[j] * r->h * r->free_left[k][j], r->force, s->n);
            add_scaled(out + at_row(r, (uint32_t)k), t->free.weight[j] * r->free_left_slope[k][j], r->momentum, s->n);
        }
    }
    for (int j = 0; s->c && j < t->m; j++) {
        place at = bond_place(r, j, x, &time);
        system_constraint_force(s, &at, r->force);
        for (int k = 0; k < t->m; k++)
            add_scaled(out + at_row(r, (uint32_t)k), t->bond.weight[j] * r->h * r->bond_left[k][j], r->force, s->n);
    }
}

static int residual(void *self, const real *x, real *out)
{
    galerkin *r = self;
    struct system *s = r->s;
    const state *from = r->from;
    uint32_t n = last(r);
    action_rows(r, x, out);
    for (uint32_t k = 1; k <= n; k++) { /* (30) */
        real t = k < n ? time_at(r, r->tables.control[k]) : r->t1;
        control_point(r, k, x, r->q);
        place at = place_at(r->q, x + at_v(r), &t, NULL);
        system_constraints(s, &at, out + at_g(r, k));
        if (k < n) continue;
        system_momentum(s, &at, r->momentum);
        real *row = out + at_row(r, n);
        for (uint32_t i = 0; i < s->n; i++) row[i] += (r->momentum[i] - from->p[i]) - from->p_low[i];
        system_constraint_rate(s, &at, out + at_rate(r)); /* (31) */
        system_block_values(s, BLOCK_G, &at, r->values);
        block_multiply(&s->blocks[BLOCK_G], r->values, 1, x + at_v(r), out + at_rate(r));
    }
    return TAUT_OK;
}

/* ---- their derivatives ---- */

static void put_term(galerkin *r, const stage_term *term, const real *weight, int j, const place *at)
{
    const int m = r->tables.m;
    real scale = weight[j] * (term->power > 0 ? r->h : term->power < 0 ? 1 / r->h : 1);
    system_block_values(r->s, term->block, at, r->values);
    for (int k = 0; k < m; k++)
        for (int l = 0; l < m; l++) {
            real factor = scale * term->left[k][j] * term->right[l][j];
            if (factor != 0 && term->id[k][l] >= 0) assembly_put(r->matrix, term->id[k][l], factor, r->values);
        }
}

static void put(galerkin *r, block_id block, const place *at, int id)
{
    system_block_values(r->s, block, at, r->values);
    assembly_put(r->matrix, id, 1, r->values);
}

static void put_constraints(galerkin *r, const real *x)
{
    uint32_t n = last(r);
    for (uint32_t k = 1; k <= n; k++) {
        real t = k < n ? time_at(r, r->tables.control[k]) : r->t1;
        control_point(r, k, x, r->q);
        place at = place_at(r->q, x + at_v(r), &t, NULL);
        put(r, BLOCK_G, &at, r->id_g[k]);
        if (k < n) continue;
        assembly_put(r->matrix, r->id_rate_v, 1, r->values);
        put(r, BLOCK_RATE_Q, &at, r->id_rate_q);
        put(r, BLOCK_PI_Q, &at, r->id_pi_q);
        put(r, BLOCK_PI_W, &at, r->id_pi_w);
    }
}

static int factor(void *self, const real *x)
{
    galerkin *r = self;
    const galerkin_tables *t = &r->tables;
    real time;
    assembly_zero(r->matrix);
    for (int j = 0; j < t->m; j++) {
        place at = free_place(r, j, x, &time);
        for (int i = 0; i < r->free_term_count; i++) put_term(r, &r->free_terms[i], t->free.weight, j, &at);
    }
    for (int j = 0; r->s->c && j < t->m; j++) {
        place at = bond_place(r, j, x, &time);
        for (int i = 0; i < BOND_TERMS; i++) put_term(r, &r->bond_terms[i], t->bond.weight, j, &at);
    }
    put_constraints(r, x);
    int status = assembly_factor(r->matrix);
    if (status != TAUT_SINGULAR) return status;
    return fail(r->s->context, TAUT_SINGULAR,
                "at t = %.9g: the equations of the step are singular; the constraints or the mass matrix lose rank here, or the step "
                "is too large: try a smaller one, or 'taut check'",
                (double)r->from->t);
}

static int solve(void *self, real *out) { return assembly_solve(((galerkin *)self)->matrix, out); }

/* By displacement: the control points, and what the velocity moves in a step. */
static real measure(void *self, const real *x, const real *change)
{
    galerkin *r = self;
    const real *v = x + at_v(r), *dv = change + at_v(r);
    real largest = r->s->least, moved = 0;
    for (size_t i = 0; i < at_v(r); i++) moved = real_most(moved, change[i]);
    for (uint32_t i = 0; i < r->s->n; i++) {
        moved = real_most(moved, r->h * dv[i]);
        largest = real_most(real_most(largest, r->from->q[i]), r->h * v[i]);
    }
    return moved / largest;
}

static void name(void *self, int equation, char *buffer, size_t size)
{
    galerkin *r = self;
    char text[150];
    size_t e = (size_t)equation, first = at_lambda(r, 0);
    if (e >= first) {
        uint32_t k = (uint32_t)((e - first) / r->s->c);
        system_constraint_name(r->s, (uint32_t)((e - first) % r->s->c), text, sizeof text);
        if (k == last(r))
            snprintf(buffer, size, "velocity of %s", text);
        else
            snprintf(buffer, size, "%s at point %u", text, k + 1);
        return;
    }
    system_coordinate_name(r->s, (uint32_t)(e % r->s->n), text, sizeof text);
    if (e >= at_row(r, last(r)))
        snprintf(buffer, size, "momentum of %s", text);
    else
        snprintf(buffer, size, "motion of %s at point %u", text, (unsigned)(e / r->s->n));
}

/* ---- the step ---- */

/* From the state alone, so that a step depends on nothing else: a straight line, and the multipliers of the last step. */
static void guess(galerkin *r)
{
    const state *from = r->from;
    for (uint32_t k = 1; k <= last(r); k++)
        for (uint32_t i = 0; i < r->s->n; i++) r->x[at_u(r, k) + i] = r->h * r->tables.control[k] * from->w[i];
    memcpy(r->x + at_v(r), from->w, r->s->n * sizeof(real));
    for (uint32_t k = 0; k <= last(r); k++) memcpy(r->x + at_lambda(r, k), from->lambda, r->s->c * sizeof(real));
}

int galerkin_step(galerkin *r, state *x, real h)
{
    const uint32_t d = r->s->n, n = last(r);
    r->from = x;
    r->h = h;
    state_next_time(x, h, &r->t1, &r->t1_low);
    guess(r);
    newton_problem problem = { r, (int)size_of(r), residual, factor, solve, measure, name, NULL };
    int status = newton_solve(&r->newton, &problem, r->x, 0, x->t, "stages of the step");
    if (status) return status;
    real *rows = r->newton.residual; /* as long as the unknowns, and free now */
    action_rows(r, r->x, rows);
    for (uint32_t i = 0; i < d; i++) r->move[i] = -rows[at_row(r, n) + i];
    add_compensated(x->p, x->p_low, r->move, d);
    add_compensated(x->q, x->q_low, r->x + at_u(r, n), d);
    memcpy(x->w, r->x + at_v(r), d * sizeof(real));
    memcpy(x->lambda, r->x + at_lambda(r, n), r->s->c * sizeof(real));
    x->t = r->t1, x->t_low = r->t1_low;
    return TAUT_OK;
}
