/* A step of euler.h: one Newton iteration for all its unknowns, which euler_matrix.h lists. */
#include <stdio.h>
#include <string.h>

#include "method/euler_matrix.h"

struct euler {
    struct system *s;
    euler_scheme scheme;
    euler_layout layout;
    newton newton;
    euler_matrix *matrix;
    real *x;                   /* unknowns */
    real *move, *q1;           /* q1 - q0 and q1 */
    real *first, *second;      /* impulses p0 -> Z and Z -> p1 */
    real *work;
    real *g1;                  /* values of G at q1 */
    real *multipliers;         /* A and B of the last step */
    state next;
    /* the step at hand */
    const state *from;
    real h;
};

euler_scheme euler_adjoint(const euler_scheme *scheme)
{
    euler_scheme other = { .start = 1 - scheme->start };
    memcpy(other.a, scheme->b, sizeof other.a);
    memcpy(other.b, scheme->a, sizeof other.b);
    return other;
}

void euler_destroy(euler *r)
{
    if (!r) return;
    real *arrays[] = { r->x, r->move, r->q1, r->first, r->second, r->work, r->g1, r->multipliers };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(r->s->context, arrays[i]);
    euler_matrix_destroy(r->matrix);
    state_clear(r->s, &r->next);
    newton_clear(&r->newton);
    mem_free(r->s->context, r);
}

static int create_arrays(euler *r)
{
    struct system *s = r->s;
    struct { real **array; size_t size; } all[] = {
        { &r->x, (size_t)r->layout.size }, { &r->move, s->n }, { &r->q1, s->n }, { &r->first, s->n }, { &r->second, s->n },
        { &r->work, s->n }, { &r->g1, (size_t)s->blocks[BLOCK_G].value_count }, { &r->multipliers, 2 * (size_t)s->c },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i].array = mem_new(s->context, all[i].size, sizeof(real)))) return TAUT_OUT_OF_MEMORY;
    return TAUT_OK;
}

int euler_create(struct system *s, const euler_scheme *scheme, real tolerance, euler **result)
{
    euler *r = mem_new(s->context, 1, sizeof *r);
    *result = NULL;
    if (!r) return TAUT_OUT_OF_MEMORY;
    r->s = s;
    r->scheme = *scheme;
    r->layout = euler_layout_of(s, scheme);
    int status = euler_matrix_create(s, &r->scheme, &r->matrix);
    if (!status) status = create_arrays(r);
    if (!status) status = state_create(s, &r->next);
    if (!status) status = newton_create(s->context, r->layout.size, tolerance, &r->newton);
    if (status)
        euler_destroy(r);
    else
        *result = r;
    return status;
}

const newton_counts *euler_counts(const euler *r) { return &r->newton.counts; }
const real *euler_multipliers(const euler *r, int which) { return r->multipliers + (which ? r->s->c : 0); }

/* ---- the equations ---- */

/* q1 - q0 and q1 from the unknowns, and where everything is. */
static void find_places(euler *r, const real *x, place *at)
{
    const euler_layout *l = &r->layout;
    const state *from = r->from;
    size_t n = r->s->n, c = r->s->c;
    const real *block[2] = { NULL, NULL }, *end = x + (size_t)l->end * n, *lambda = x + (size_t)l->blocks * n;
    real weight[2] = { r->h * r->scheme.start, r->h * (1 - r->scheme.start) };
    for (int i = 0; i < 2; i++)
        if (l->stage[i] >= 0) block[i] = x + (size_t)l->stage[i] * n;
    if (l->move >= 0) {
        memcpy(r->move, x + (size_t)l->move * n, n * sizeof(real));
    } else {
        memset(r->move, 0, n * sizeof(real));
        for (int i = 0; i < 2; i++)
            for (size_t k = 0; block[i] && k < n; k++) r->move[k] += weight[i] * block[i][k];
    }
    for (size_t k = 0; k < n; k++) r->q1[k] = from->q[k] + (r->move[k] + from->q_low[k]);
    at[AT_STAGE0] = place_at(from->q, block[0], &from->t, NULL);
    at[AT_STAGE1] = place_at(r->q1, block[1], &r->next.t, NULL);
    at[AT_END] = place_at(r->q1, end, &r->next.t, NULL);
    for (int k = 0; k < 2; k++) {
        at[AT_START_A + k] = place_at(from->q, from->w, &from->t, lambda + (size_t)k * c);
        at[AT_END_A + k] = place_at(r->q1, end, &r->next.t, lambda + (size_t)k * c);
    }
    at[AT_RATE] = place_at(r->q1, x + (size_t)l->velocity * n, &r->next.t, NULL);
}

/* out = h (weight f(stage) + sum weights_k r(at_k)) */
static void impulse(euler *r, real weight, const place *stage, const real *weights, const place *at, real *out)
{
    struct system *s = r->s;
    uint32_t n = s->n;
    memset(out, 0, n * sizeof(real));
    if (weight != 0) {
        system_applied_force(s, stage, r->work);
        for (uint32_t i = 0; i < n; i++) out[i] = r->h * weight * r->work[i];
    }
    for (int k = 0; s->c && k < 2; k++) {
        if (weights[k] == 0) continue;
        system_reaction(s, &at[k], r->work);
        for (uint32_t i = 0; i < n; i++) out[i] += r->h * weights[k] * r->work[i];
    }
}

static void find_impulses(euler *r, const place *at)
{
    impulse(r, r->scheme.start, &at[AT_STAGE0], r->scheme.a, &at[AT_START_A], r->first);
    impulse(r, 1 - r->scheme.start, &at[AT_STAGE1], r->scheme.b, &at[AT_END_A], r->second);
}

/* pi(at) - p0 - first - second (may be NULL) */
static void momentum_equation(euler *r, const place *at, const real *second, real *out)
{
    const state *from = r->from;
    system_momentum(r->s, at, out);
    for (uint32_t i = 0; i < r->s->n; i++)
        out[i] = (out[i] - from->p[i]) - (r->first[i] + (second ? second[i] : 0) + from->p_low[i]);
}

/* D - h (s nu(q0,Z) + e nu(q1,Z)), and u - nu(q1,z1) */
static void motion_equations(euler *r, const place *at, const real *x, real *out)
{
    const euler_layout *l = &r->layout;
    size_t n = r->s->n;
    const real *move = x + (size_t)l->move * n, *velocity = x + (size_t)l->velocity * n;
    real *moved = out + (size_t)l->move * n, *rest = out + (size_t)l->velocity * n;
    real weight[2] = { r->h * r->scheme.start, r->h * (1 - r->scheme.start) };
    memcpy(moved, move, n * sizeof(real));
    for (int i = 0; i < 2; i++) {
        if (weight[i] == 0) continue;
        system_velocity(r->s, &at[AT_STAGE0 + i], r->work);
        for (size_t k = 0; k < n; k++) moved[k] -= weight[i] * r->work[k];
    }
    system_velocity(r->s, &at[AT_END], r->work);
    for (size_t k = 0; k < n; k++) rest[k] = velocity[k] - r->work[k];
}

static int residual(void *self, const real *x, real *out)
{
    euler *r = self;
    struct system *s = r->s;
    const euler_layout *l = &r->layout;
    size_t n = s->n, c = s->c;
    place at[EULER_PLACES];
    find_places(r, x, at);
    find_impulses(r, at);
    for (int i = 0; i < (l->lagrangian ? 2 : 1); i++)
        if (l->stage[i] >= 0) momentum_equation(r, &at[AT_STAGE0 + i], NULL, out + (size_t)l->stage[i] * n);
    momentum_equation(r, &at[AT_END], r->second, out + (size_t)l->end * n);
    if (!l->lagrangian) motion_equations(r, at, x, out);
    if (!c) return TAUT_OK;
    out += (size_t)l->blocks * n;
    system_constraints(s, &at[AT_END], out);
    system_constraint_rate(s, &at[AT_END], out + c);
    system_block_values(s, BLOCK_G, &at[AT_END], r->g1);
    block_multiply(&s->blocks[BLOCK_G], r->g1, 1, at[AT_RATE].x[KIND_W], out + c);
    return TAUT_OK;
}

static int factor(void *self, const real *x)
{
    euler *r = self;
    place at[EULER_PLACES];
    find_places(r, x, at);
    int status = euler_matrix_factor(r->matrix, at, r->h);
    if (status != TAUT_SINGULAR) return status;
    return fail(r->s->context, TAUT_SINGULAR,
                "at t = %.9g: the equations of the step are singular; the constraints, the mass matrix or the dependence of the forces on "
                "the multipliers lose rank here, or the step is too large: try a smaller one, or 'taut check'",
                (double)r->from->t);
}

static int solve(void *self, real *out) { return euler_matrix_solve(((euler *)self)->matrix, out); }

static real largest_of(real least, const real *x, real scale, size_t count)
{
    for (size_t k = 0; k < count; k++) least = real_most(least, scale * x[k]);
    return least;
}

/* Displacements of the stages relative to the positions. w1 relative to itself, but velocities that would take more than 10^5 steps for
   the distance from the origin count as that fast: the roundings of the positions are in them. */
static real measure(void *self, const real *x, const real *change)
{
    euler *r = self;
    const euler_layout *l = &r->layout;
    size_t n = r->s->n, end = (size_t)l->end * n;
    real scale = l->lagrangian ? r->h : 1, reach = largest_of(r->s->least, r->from->q, 1, n), largest = reach, moved = 0;
    for (int i = 0; i < 2; i++) {
        int block = l->lagrangian ? l->stage[i] : l->move;
        if (block < 0) continue;
        largest = largest_of(largest, x + (size_t)block * n, scale, n);
        moved = largest_of(moved, change + (size_t)block * n, scale, n);
    }
    const real least = (real)1e-3; /* as in newton_relative */
    real slow = real_most(1, reach / (100000 * r->h) / largest_of(least, x + (size_t)l->velocity * n, 1, n));
    real size = largest_of(0, change + end, 1, n) / (slow * largest_of(least, x + end, 1, n));
    return real_most(size, moved / largest);
}

static void name(void *self, int equation, char *buffer, size_t size)
{
    euler *r = self;
    const euler_layout *l = &r->layout;
    int block = equation / l->n;
    char coordinate[150];
    if (block >= l->blocks) {
        system_constraint_name(r->s, (uint32_t)((equation - l->blocks * l->n) % l->c), buffer, size);
        return;
    }
    system_coordinate_name(r->s, (uint32_t)(equation % l->n), coordinate, sizeof coordinate);
    snprintf(buffer, size, block == l->move || block == 3 ? "motion of %s" : "momentum of %s", coordinate);
}

/* ---- the step ---- */

/* From the state alone: the velocity goes on, and both sets of multipliers begin with the last A. */
static void guess(euler *r)
{
    const euler_layout *l = &r->layout;
    const state *from = r->from;
    size_t n = r->s->n, c = r->s->c;
    place start = place_at(from->q, from->w, &from->t, NULL);
    for (int i = 0; i < 2; i++)
        if (l->stage[i] >= 0) memcpy(r->x + (size_t)l->stage[i] * n, from->w, n * sizeof(real));
    memcpy(r->x + (size_t)l->end * n, from->w, n * sizeof(real));
    if (!l->lagrangian) {
        real *velocity = r->x + (size_t)l->velocity * n;
        system_velocity(r->s, &start, velocity);
        for (size_t k = 0; k < n; k++) r->x[(size_t)l->move * n + k] = r->h * velocity[k];
    }
    for (int k = 0; k < 2; k++) memcpy(r->x + (size_t)l->blocks * n + (size_t)k * c, from->lambda, c * sizeof(real));
}

/* The first correction mends the guess: in the end of the step it is of size h, in the positions of size h^2. It is made before the iteration,
   which would take the ratio of the next one to it for a rate of convergence. */
static int improve_guess(euler *r)
{
    real *change = r->newton.residual;
    int status = factor(r, r->x);
    if (!status) status = residual(r, r->x, change);
    if (!status) status = solve(r, change);
    for (int i = 0; !status && i < r->layout.size; i++) r->x[i] -= change[i];
    r->newton.counts.factorisations++;
    r->newton.counts.iterations++;
    return status;
}

int euler_step(euler *r, state *x, real h)
{
    struct system *s = r->s;
    const euler_layout *l = &r->layout;
    size_t n = s->n;
    real t, t_low;
    state_next_time(x, h, &t, &t_low);
    state_copy(x, &r->next);
    r->next.t = t, r->next.t_low = t_low;
    r->from = x;
    r->h = h;
    guess(r);
    newton_problem problem = { r, l->size, residual, factor, solve, measure, name, NULL };
    int status = improve_guess(r);
    if (!status) status = newton_solve(&r->newton, &problem, r->x, 1, x->t, "equations of the step");
    if (status) return status;
    place at[EULER_PLACES];
    find_places(r, r->x, at);
    find_impulses(r, at);
    for (size_t k = 0; k < n; k++) r->first[k] += r->second[k];
    add_compensated(r->next.q, r->next.q_low, r->move, s->n);
    add_compensated(r->next.p, r->next.p_low, r->first, s->n); /* the sum of the impulses: momenta add up to round-off */
    memcpy(r->next.w, l->lagrangian ? at[AT_END].x[KIND_W] : r->next.p, n * sizeof(real));
    memcpy(r->multipliers, r->x + (size_t)l->blocks * n, 2 * (size_t)s->c * sizeof(real));
    memcpy(r->next.lambda, r->multipliers, s->c * sizeof(real));
    state_copy(&r->next, x);
    return TAUT_OK;
}
