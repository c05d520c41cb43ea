/* RATTLE with constant mass, W = M^-1, and forces of position and time; or, for Lagrangians, of velocity, too.
 *
 *     P = p0 + h/2 (f0 + G0' lambda),   q1 = q0 + h (W P + v0),   g(q1,t1) = 0
 *                                                                     nonlinear in lambda, matrix h^2/2 G1 W G0'
 *     p1 = P + h/2 (f1 + G1' mu),       G1 (W p1 + v0) + g_t = 0                      linear in mu, matrix h/2 G1 W G1'
 *
 * (v0: velocity at zero momentum.) The matrix G1 W G1' of the end of one step is G0 W G0' of the next, near enough for
 * its Newton iteration to begin with: one factorisation a step as a rule.
 * SHAKE is this without mu: its lambda is the sum of mu and lambda here, at the same positions.
 *
 * Forces of velocity (drag) are f0 = f(q0,V) and f1 = f(q1,V) with V = W P + v0, so that f1 is explicit. f0 is
 * evaluated again with every correction of lambda: it changes by drag h/2 W times what V does, which is little as a
 * rule. Where the corrections shrink slowly, the step is done by the table of RATTLE, which has the force in its
 * matrix; this depends on the state and h alone. */
#include <string.h>

#include "method/verlet_loops.h"
#include "method/verlet_parts.h"
#define NUMBER real
#include "linalg/products_sum.h"
#ifndef TAUT_REAL_QUAD
#include "linalg/products_opposite.h"
#endif

#define BORROW_ABOVE 12 /* constraints */
#define DRAG_RATE ((real)0.5) /* at which corrections have to shrink while forces follow velocities */

/* Whether forces at the points of these rows are opposite in g. */
static int are_opposite(const verlet *r, const real *g, uint32_t from, uint32_t to)
{
#ifdef TAUT_REAL_QUAD
    (void)g, (void)from, (void)to;
    return r->points != NULL;
#else
    return r->points && products_are_opposite(r->columns, r->points, g, (int)from, (int)to);
#endif
}

static int create_projected(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    return X(verlet_create)(s, spec, 1, tolerance, self);
}

static int create_plain(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    return X(verlet_create)(s, spec, 0, tolerance, self);
}

static const newton_counts *counts(const void *self)
{
    verlet *r = (verlet *)self;
    if (!r->table) return &r->newton.counts;
    r->total = r->newton.counts;
    newton_counts_add(&r->total, X(stepper_counts)(r->table));
    return &r->total;
}

static void name_constraint(void *self, int equation, char *buffer, size_t size)
{
    X(system_constraint_name)(((verlet *)self)->s, (uint32_t)equation, buffer, size);
}

/* ---- loops over coordinates or constraints, in pieces ----
   The parts of a piece that belong together are done while its numbers are in the cache. */

/* Numbers from .. to - 1; the largest of something, or 0. what: its arguments, or NULL. worker: of the pool. */
typedef extreme (*loop)(verlet *r, const void *what, uint32_t from, uint32_t to, int worker);

typedef struct {
    verlet *r;
    loop part;
    const void *what;
    uint32_t count;
    extreme *most; /* of each thread */
} loop_job;

static void loop_piece(void *self, int index, int worker)
{
    loop_job *j = self;
    const uint32_t length = j->r->piece;
    extreme most = j->part(j->r, j->what, (uint32_t)pool_begin(j->count, length, index),
                           (uint32_t)pool_begin(j->count, length, index + 1), worker);
    j->most[worker] = extreme_join(j->most[worker], most);
}

/* The largest of all pieces. */
static real run_loop(verlet *r, loop part, const void *what, uint32_t count)
{
    extreme most = 0, seen[POOL_THREADS_MOST];
    loop_job j = { r, part, what, count, seen };
    pool *p = r->s->work->pool;
    const int threads = taut_pool_threads(p);
    for (int k = 0; k < threads; k++) seen[k] = 0;
    taut_pool_run(p, pool_pieces(count, r->piece), loop_piece, &j);
    for (int k = 0; k < threads; k++) most = extreme_join(most, seen[k]);
    return extreme_value(most);
}

static extreme largest_velocity(verlet *r, const void *what, uint32_t from, uint32_t to, int worker)
{
    (void)what;
    return r->fastest[worker] = extreme_join(r->fastest[worker], largest(r->next.w, from, to));
}

typedef struct {
    real *multipliers;   /* lambda or mu */
    const real *before;  /* what they were; NULL: zero */
    const real *change;  /* of them, to be scaled and subtracted */
    real scale;
} correction;

static extreme correct_some(verlet *r, const void *what, uint32_t from, uint32_t to, int worker)
{
    const correction *c = what;
    (void)r, (void)worker;
    return subtract(c->before, c->change, c->scale, from, to, c->multipliers);
}

/* multipliers = before - r->scale change. Returns the largest. */
static real correct(verlet *r, real *multipliers, const real *before, const real *change)
{
    return run_loop(r, correct_some, &(correction){ multipliers, before, change, r->scale }, r->s->c);
}

/* G' x for coordinates from .. to - 1 of a piece, in the room of this worker: forces that are used at once need no
   array that goes through memory. x NULL: zero. */
static const real *forces_of(const verlet *r, const real *g, const real *multipliers, uint32_t from, uint32_t to,
                             int worker)
{
    real *out = worker ? r->pushes + (size_t)(worker - 1) * r->piece : r->push;
    const int opposite = g == r->g0 ? r->opposite0 : r->opposite1;
    const products_job sums = { .p = r->columns, .a = g, .b = multipliers, .out = out,
                                .opposite = opposite ? r->points : NULL };
    if (multipliers)
        products_some(&sums, (int)from, (int)to);
    else
        memset(out, 0, (to - from) * sizeof *out);
    return out;
}

/* The free forces from coordinate `from` on, which begins a piece. */
static const real *free_forces(const verlet *r, const real *f, uint32_t from) { return f + (r->repeated ? 0 : from); }

/* At the end of the step. */
static const real *force_at_end(const verlet *r) { return r->steady_force ? r->f : r->f1; }

/* Whether one piece of the force stands for all: gravity, say. It then stays in the cache. */
static void find_repeated(verlet *r)
{
    const uint32_t n = r->s->n;
    r->repeated = r->steady_force && n > r->piece;
    for (uint32_t from = r->piece, end; r->repeated && from < n; from = end) {
        end = n - from < r->piece ? n : from + r->piece;
        r->repeated = memcmp(r->f, r->f + from, (end - from) * sizeof(real)) == 0;
    }
}

/* The same for any mass, and with drag. */
static void find_base(verlet *r)
{
    struct system *s = r->s;
    const state *x = r->from;
    real *velocity = r->drag ? r->drift : r->base, *momentum = r->drag ? r->stage : r->kick; /* scratch */
    const real half = r->h / 2;
    for (uint32_t j = 0; j < s->n; j++) momentum[j] = x->p[j] + (half * r->f[j] + x->p_low[j]);
    velocity_of(s, momentum, r->work, velocity);
    for (uint32_t j = 0; j < s->n; j++) r->base[j] = r->h * velocity[j] + x->q_low[j];
}

static extreme stage_some(verlet *r, const void *what, uint32_t from, uint32_t to, int worker)
{
    (void)what, (void)worker;
    diagonal_stage(r->s, r->from, r->f, r->push0, r->h / 2, from, to, r->stage);
    return 0;
}

/* V, of the last force and multipliers. */
static void find_stage(verlet *r)
{
    if (r->pieces) run_loop(r, stage_some, NULL, r->s->n);
    for (uint32_t j = 0; !r->pieces && j < r->s->n; j++) r->stage[j] = r->drift[j] + r->h / 2 * r->kick[j];
}

/* Of the forces G0' lambda to q1, masses apart unless they are equal. */
static real push_factor(const verlet *r)
{
    return r->h * r->h / 2 * (r->even ? r->s->inverse_mass[0] : 1);
}
static const real *push_weights(const verlet *r)
{
    return r->even || !r->pieces ? NULL : r->s->inverse_mass;
}

/* ---- velocities at the end, first half: of all forces but push1 ---- */

/* G1, G1 v and G1 W G1' of rows of constraints; q1 is in known_q by now. */
static void start_rows(verlet *r, const row_range *rows, int worker)
{
    const place at = place_at(r->s, r->known_q, NULL, &r->next.t, NULL);
    const products_job sums = { .p = r->rows, .a = r->g1, .b = r->next.w, .out = r->velocity_error + rows->first };
    X(field_ordered_jacobian_rows)(r->s->constraint, KIND_Q, &at, rows->first, rows->end, worker, r->g1);
    products_some(&sums, (int)rows->first, (int)rows->end);
    if (!are_opposite(r, r->g1, rows->first, rows->end)) r->opposite1 = 0;
    if (r->by_rows) X(multiplier_sum_rows)(r->matrix, r->g1, rows->first, rows->end);
}

/* What the pieces of the rows leave: those that need several pieces of the coordinates, and the entries of G1 W G1'
   between the pieces. */
static void start_rest(verlet *r)
{
    const row_cuts *cuts = &r->cuts;
    for (int k = 0; k < cuts->rest_count; k++) start_rows(r, &cuts->rest[k], 0);
    for (int k = 0; r->by_rows && k < cuts->pieces + cuts->rest_count; k++) {
        const row_range *rows = k < cuts->pieces ? &cuts->ranges[k] : &cuts->rest[k - cuts->pieces];
        if (rows->end > rows->first) X(multiplier_sum_next)(r->matrix, r->g1, rows->end - 1);
    }
    r->summed = r->by_rows;
}

/* For a piece with a diagonal mass, where push is the force of the constraints: what the sums of positions left over,
   the sum of forces, for now in place of the momenta, its velocities, and, by pieces, G1 and G1 v. */
static void start_piece(verlet *r, const real *push, uint32_t from, uint32_t to, int worker)
{
    const real *f = free_forces(r, r->f, from), *f_end = free_forces(r, force_at_end(r), from);
    low_parts(from, to, r->from->q, r->base, push_weights(r), push, push_factor(r), r->next.q_low, r->known_q);
    const extreme most = diagonal_start(r->s, r->even, r->from, f, push, f_end, r->h / 2, from, to, r->next.p,
                                        r->next.w);
    if (r->by_pieces) start_rows(r, &r->cuts.ranges[from / r->piece], worker);
    r->fastest[worker] = extreme_join(r->fastest[worker], most);
}

/* Before the first piece, and after the last one. */
static void start_begin(verlet *r)
{
    for (int k = 0; k < taut_pool_threads(r->s->work->pool); k++) r->fastest[k] = 0;
    r->opposite1 = 1;
}

static void start_end(verlet *r)
{
    extreme most = 0;
    for (int k = 0; k < taut_pool_threads(r->s->work->pool); k++) most = extreme_join(most, r->fastest[k]);
    if (r->by_pieces) start_rest(r);
    const real speed = extreme_value(most);
    r->finite &= speed - speed == 0;
    r->speed = speed > r->s->least || speed != speed ? speed : r->s->least;
    r->begun = r->forces = 1;
}

/* The force of the constraints is that of the positions, once more. */
static extreme start_some(verlet *r, const void *what, uint32_t from, uint32_t to, int worker)
{
    (void)what;
    start_piece(r, forces_of(r, r->g0, r->s->c ? r->lambda : NULL, from, to, worker), from, to, worker);
    return 0;
}

/* ---- positions ---- */

typedef struct {
    int again;    /* they have been placed before in this step */
    int compare;  /* are the positions of the state known_q? */
    int start;    /* velocities are begun as well */
} placing;

/* q1 = q0 + base + h^2/2 W G0' lambda, all of it in pieces; otherwise the sum alone. */
static extreme place_some(verlet *r, const void *what, uint32_t from, uint32_t to, int worker)
{
    const placing *z = what;
    const struct system *s = r->s;
    if (z->compare && memcmp(r->known_q + from, r->from->q + from, (to - from) * sizeof(real)) != 0) r->differs = 1;
    if (!r->pieces)
        return move_positions(from, to, r->from, r->base, NULL, r->kick + from, r->h * r->h / 2, z->again, &r->next);
    if (!z->again || r->drag)
        diagonal_base(s, r->even, r->from, free_forces(r, r->f, from), r->h, from, to, r->base);
    const real *push = r->drag ? r->push0 + from : forces_of(r, r->g0, s->c ? r->lambda : NULL, from, to, worker);
    const extreme most = move_positions(from, to, r->from, r->base, push_weights(r), push, push_factor(r), z->again,
                                        &r->next);
    if (z->start) start_piece(r, push, from, to, worker);
    return most;
}

/* Returns how far q1 moved, or the first time how large it is. last: these seem to be the last ones, and what comes
   after them is begun while they are in the cache. */
static real place_positions(verlet *r, int again, int compare, int last)
{
    const struct system *s = r->s;
    const placing how = { again, compare, last && r->by_pieces && r->steady_force && !r->drag };
    r->begun = 0;
    if (how.start) start_begin(r);
    if (r->push0 && s->c) products_sum(s->work->pool, r->columns, r->g0, r->lambda, r->push0);
    if (!r->pieces && !again) find_base(r);
    if (!r->pieces) X(system_apply_inverse_mass)(s, r->push0, r->kick);
    if (again && r->drag) {
        place at = place_at(s, r->from->q, r->stage, &r->from->t, NULL);
        find_stage(r);
        X(system_free_force)(s, &at, r->f);
        if (!r->pieces) find_base(r);
    }
    const real most = run_loop(r, place_some, &how, s->n);
    if (how.start) start_end(r);
    return most;
}

/* The positions follow the multipliers: r->next.q belongs to the current iterate (see position_measure). */
static int position_residual(void *self, const real *lambda, real *out)
{
    verlet *r = self;
    (void)lambda;
    place at = place_at(r->s, r->next.q, NULL, &r->next.t, NULL);
    if (r->slow) return TAUT_NO_CONVERGENCE;
    X(system_constraints)(r->s, &at, out);
    return TAUT_OK;
}

static int position_factor(void *self, const real *lambda)
{
    verlet *r = self;
    (void)lambda;
    place at = place_at(r->s, r->next.q, NULL, &r->next.t, NULL);
    X(field_ordered_jacobian)(r->s->constraint, KIND_Q, &at, r->g1);
    r->factored = 0;
    return X(multiplier_factor)(r->matrix, r->g1, r->g0);
}

static int position_solve(void *self, real *out)
{
    verlet *r = self;
    r->scale = 2 / (r->h * r->h);
    if (!r->s->softening) return X(multiplier_solve_scaled)(r->matrix, &r->scale, out);
    int status = X(multiplier_solve)(r->matrix, r->scale, out);
    if (!status) status = X(multiplier_choose)(r->matrix, r->choose ? r->lambda : NULL, out);
    r->choose = 0;
    r->scale = 1;
    return status;
}

/* The correction is subtracted, and the positions are moved at once: that is its measure. */
static real position_measure(void *self, const real *lambda, const real *change)
{
    verlet *r = self;
    (void)lambda;
    r->lambda_size = correct(r, r->next.lambda, r->lambda, change);
    r->lambda = r->next.lambda;
    const real moved = place_positions(r, 1, 0, ++r->corrections >= r->usual), size = moved / r->size;
    r->finite &= moved - moved == 0;
    if (r->drag) {
        r->slow |= r->last > 0 && !(size <= 64 * REAL_EPSILON) && !(size <= DRAG_RATE * r->last);
        r->last = size;
    }
    return size;
}

/* Sums the forces but push1, and finds the velocities that belong to them; by pieces, with G1 and G1 v. */
static void start_velocities(verlet *r)
{
    const struct system *s = r->s;
    const state *x = r->from;
    const real *f1 = force_at_end(r);
    start_begin(r);
    if (r->pieces) {
        run_loop(r, start_some, NULL, s->n);
    } else {
        low_parts(0, s->n, x->q, r->base, NULL, r->kick, push_factor(r), r->next.q_low, r->known_q);
        for (uint32_t j = 0; j < s->n; j++) {
            r->base[j] = r->f[j] + r->push0[j] + f1[j];
            r->kick[j] = x->p[j] + (r->h / 2 * r->base[j] + x->p_low[j]);
        }
        velocity_of(s, r->kick, r->work, r->next.w);
        run_loop(r, largest_velocity, NULL, s->n);
    }
    start_end(r);
}

/* The largest error of velocity constraints from .. to - 1. */
static extreme largest_error(verlet *r, const void *what, uint32_t from, uint32_t to, int worker)
{
    enum { ROWS = 512 };
    real error[ROWS];
    extreme most = 0;
    (void)what, (void)worker;
    const products_job sums = { .p = r->rows, .a = r->g1, .b = r->next.w, .out = error };
    for (uint32_t end; from < to; from = end) {
        end = to - from < ROWS ? to : from + ROWS;
        products_some(&sums, (int)from, (int)end);
        if (r->s->structure.constraint_time)
            for (uint32_t k = from; k < end; k++) error[k - from] += r->rate[k];
        most = extreme_join(most, largest(error, 0, end - from));
    }
    return most;
}

/* G1' mu, if there are constraints to keep, and what follows from it, with a diagonal mass. Returns how much velocities
   changed, or, where the constraints of each piece are given (what: row_cuts), the largest error of their velocity
   constraints. */
static extreme place_some_velocities(verlet *r, const void *what, uint32_t from, uint32_t to, int worker)
{
    const struct system *s = r->s;
    const row_cuts *checked = what;
    const row_range *rows = checked ? &checked->ranges[from / r->piece] : NULL;
    if (!r->forces)
        sum_forces(free_forces(r, r->f, from), forces_of(r, r->g0, s->c ? r->lambda : NULL, from, to, worker),
                   free_forces(r, force_at_end(r), from), to - from, r->next.p + from);
    const real *push = forces_of(r, r->g1, s->c && r->project ? r->mu : NULL, from, to, worker);
    const extreme most = diagonal_momenta(s, r->even, r->from, push, r->h / 2, from, to, &r->next);
    if (!(extreme_value(most) - extreme_value(most) == 0)) r->wild = 1;
    return rows ? largest_error(r, NULL, rows->first, rows->end, worker) : most;
}

/* Momenta and velocities that belong to mu. Returns how much the velocities changed, relative to their size. */
static real place_velocities(verlet *r)
{
    const state *x = r->from;
    const struct system *s = r->s;
    real moved = 0;
    if (r->pieces) {
        moved = run_loop(r, place_some_velocities, NULL, s->n);
        r->forces = 0;
        return moved / r->speed;
    }
    if (s->c && r->project) products_sum(s->work->pool, r->columns, r->g1, r->mu, r->push1);
    for (uint32_t j = 0; j < s->n; j++) {
        r->next.p[j] = x->p[j], r->next.p_low[j] = x->p_low[j];
        X(add_compensated)(&r->next.p[j], &r->next.p_low[j], &(real){ r->h / 2 * (r->base[j] + r->push1[j]) }, 1);
    }
    memcpy(r->kick, r->next.w, s->n * sizeof(real));
    velocity_of(s, r->next.p, r->work, r->next.w);
    for (uint32_t j = 0; j < s->n; j++) moved = real_most(moved, r->next.w[j] - r->kick[j]);
    return moved / r->speed;
}

static int velocity_residual(void *self, const real *mu, real *out)
{
    verlet *r = self;
    struct system *s = r->s;
    (void)mu;
    products_sum(s->work->pool, r->rows, r->g1, r->next.w, out);
    if (s->structure.constraint_time)
        for (uint32_t k = 0; k < s->c; k++) out[k] += r->rate[k];
    return TAUT_OK;
}

static int velocity_factor(void *self, const real *mu)
{
    verlet *r = self;
    (void)mu;
    int status = r->summed ? X(multiplier_factor_summed)(r->matrix, r->g1)
                           : X(multiplier_factor)(r->matrix, r->g1, r->g1);
    r->summed = 0;
    r->factored = !status;
    return status;
}

static int velocity_solve(void *self, real *out)
{
    verlet *r = self;
    r->scale = 2 / r->h;
    return X(multiplier_solve_scaled)(r->matrix, &r->scale, out);
}

static real velocity_measure(void *self, const real *mu, const real *change)
{
    verlet *r = self;
    (void)mu;
    correct(r, r->mu, r->mu, change);
    return place_velocities(r);
}

/* Force and constraint Jacobian where the step begins. */
static void begin(verlet *r, const state *x)
{
    struct system *s = r->s;
    place at = place_at(s, x->q, NULL, &x->t, NULL);
    if (!r->drag) X(system_free_force)(s, &at, r->f);
    find_repeated(r);
    if (s->c) X(field_ordered_jacobian)(s->constraint, KIND_Q, &at, r->g0);
    r->opposite0 = s->c && are_opposite(r, r->g0, 0, s->c);
    r->factored = 0;
}

/* The positions that the multipliers of the state lead to, and their size. Where the step seems to begin where the last
   one ended, which is known for certain only when all positions have been looked at, force and Jacobian are there. */
static void first_positions(verlet *r, const state *x)
{
    place at = place_at(r->s, x->q, x->w, &x->t, NULL);
    if (r->drag) X(system_free_force)(r->s, &at, r->f); /* a guess */
    const int compare = r->known && r->known_constants == r->s->constants_version && r->known_t == x->t;
    r->differs = 0;
    if (compare) r->size = place_positions(r, 0, 1, 0);
    if (compare && !r->differs) return;
    begin(r, x);
    r->size = place_positions(r, 0, 0, 0);
}

/* The force and Jacobian at the end of this step are those at the beginning of the next. */
static void end(verlet *r, const state *x)
{
    real *g = r->g0, *f = r->f;
    r->g0 = r->g1, r->g1 = g;
    r->opposite0 = r->opposite1;
    if (!r->steady_force) r->f = r->f1, r->f1 = f;
    r->known_t = x->t;
    r->known_constants = r->s->constants_version;
    r->known = 1;
}

static int find_positions(verlet *r, const state *x)
{
    struct system *s = r->s;
    r->lambda = x->lambda;
    first_positions(r, x);
    r->finite = r->pieces && r->size - r->size == 0;
    if (!s->c) return TAUT_OK;
    if (r->size < s->least) r->size = s->least;
    newton_problem problem = { r, (int)s->c, position_residual, position_factor, position_solve, position_measure,
                               name_constraint, NULL, NULL, NULL, NULL };
    /* The iteration begins with the matrix G0 W G0' of the start of the step, formed here when the last step did not
       leave it. A small matrix is cheaper than the corrections it saves: there it begins with G1 W G0' at the guess. */
    int borrow = s->c > BORROW_ABOVE, status = TAUT_OK;
    if (borrow && !r->factored) status = X(multiplier_factor)(r->matrix, r->g0, r->g0);
    if (status) return status;
    r->choose = s->softening != NULL;
    r->slow = 0, r->last = 0;
    r->corrections = 0;
    status = X(newton_solve)(&r->newton, &problem, r->next.lambda, borrow, x->t, "constraints at the new positions");
    r->usual = r->corrections;
    return status;
}

/* The velocities keep the constraints, as far as that can be told: G v is a sum of rounded products of rounded
   velocities. */
static int velocities_fit(verlet *r, real error)
{
    const real unit = r->newton.enough * REAL(sqrt)((real)r->terms) * r->speed;
    const uint32_t entries = (uint32_t)r->s->blocks[BLOCK_G].value_count;
    extreme most = 0; /* entry of G, as far as it takes to know */
    int fit = 0;
    for (uint32_t from = 0, to; from < entries && !fit; from = to) {
        to = entries - from < POOL_NUMBERS ? entries : from + POOL_NUMBERS;
        most = extreme_join(most, largest(r->g1, from, to));
        fit = error <= unit * extreme_value(most);
    }
    return fit;
}

/* Momenta and velocities that belong to mu. Returns the largest error of the velocity constraints: of those that one
   piece of the coordinates has, while it is in the cache. */
static real place_and_check(verlet *r)
{
    const row_cuts *cuts = &r->cuts;
    if (!cuts->ranges || !r->pieces) {
        place_velocities(r);
        return run_loop(r, largest_error, NULL, r->s->c);
    }
    real most = run_loop(r, place_some_velocities, cuts, r->s->n);
    r->forces = 0;
    for (int k = 0; k < cuts->rest_count; k++)
        most = real_most(most, extreme_value(largest_error(r, NULL, cuts->rest[k].first, cuts->rest[k].end, 0)));
    return most;
}

/* mu from the velocity constraint: it is linear, so that one correction is enough as a rule. */
static int find_mu(verlet *r)
{
    struct system *s = r->s;
    newton_problem problem = { r, (int)s->c, velocity_residual, velocity_factor, velocity_solve, velocity_measure,
                               name_constraint, NULL, NULL, NULL, NULL };
    int status = velocity_factor(r, r->mu);
    if (status) return status;
    if (!r->by_pieces) velocity_residual(r, r->mu, r->velocity_error);
    status = velocity_solve(r, r->velocity_error);
    if (status) return status;
    correct(r, r->mu, NULL, r->velocity_error);
    const real error = place_and_check(r);
    r->newton.counts.calls++, r->newton.counts.iterations++, r->newton.counts.factorisations++;
    if (velocities_fit(r, error)) return TAUT_OK;
    return X(newton_solve)(&r->newton, &problem, r->mu, 1, r->next.t, "velocity constraints");
}

static int find_momenta(verlet *r)
{
    struct system *s = r->s;
    place at = place_at(s, r->next.q, r->stage, &r->next.t, NULL);
    int status = TAUT_OK;
    if (r->drag) find_stage(r);
    if (!r->steady_force) X(system_free_force)(s, &at, r->f1);
    if (!r->begun) start_velocities(r);
    if (s->c && !r->by_pieces) {
        X(field_ordered_jacobian)(s->constraint, KIND_Q, &at, r->g1);
        r->opposite1 = are_opposite(r, r->g1, 0, s->c);
    }
    if (!r->project) r->factored = 0;
    if (s->c && r->project) {
        if (s->structure.constraint_time) X(system_constraint_rate)(s, &at, r->rate);
        status = find_mu(r);
    } else {
        place_velocities(r);
    }
    if (s->form != FORM_LAGRANGIAN) memcpy(r->next.w, r->next.p, s->n * sizeof(real));
    return status;
}

static method_outcome outcome(const void *self)
{
    const verlet *r = self;
    if (r->by_points) return X(points_outcome)(r->points_of);
    const int seen = r->known && r->finite && !r->wild;
    return (method_outcome){ .finite = seen, .multiplier = seen && r->s->c ? r->lambda_size : -1 };
}

static void add_apart(const verlet *r, const row_range *rows, const real *lambda, method_forces *sums)
{
    sums->apart += forces_apart(r->rows, r->g0, lambda, (int)rows->first, (int)rows->end);
}

/* G and the free force are there, for the next step. */
static int forces_left(const void *self, const state *x, method_forces *sums)
{
    const verlet *r = self;
    const row_cuts *cuts = &r->cuts;
    const row_range all = { 0, r->s->c }, *left = cuts->ranges ? cuts->rest : &all; /* by no piece */
    const uint32_t n = r->s->n;
    if (r->by_points) return X(points_forces)(r->points_of, x, sums);
    if (!r->known || r->drag || !r->s->c) return 0;
    *sums = (method_forces){ 0 };
    for (uint32_t from = 0, end; from < n; from = end) {
        end = n - from < r->piece ? n : from + r->piece;
        add_forces(forces_of(r, r->g0, x->lambda, from, end, 0), free_forces(r, r->f, from), x->p + from, end - from,
                   sums);
        if (cuts->ranges) add_apart(r, &cuts->ranges[from / r->piece], x->lambda, sums);
    }
    for (int k = 0; k < (cuts->ranges ? cuts->rest_count : 1); k++) add_apart(r, &left[k], x->lambda, sums);
    return 1;
}

static int step(void *self, state *x, real h)
{
    verlet *r = self;
    r->from = x;
    r->h = h;
    r->wild = 0;
    r->summed = 0;
    X(state_next_time)(x, h, &r->next.t, &r->next.t_low);
    int status = TAUT_OK;
    r->by_points = 0;
    if (r->points_of) status = X(points_step)(r->points_of, x, h, &r->next, &r->by_points);
    if (!status && r->by_points) X(state_swap)(x, &r->next);
    if (status || r->by_points) return status;
    if (r->points_of) memset(r->next.trend, 0, r->s->c * sizeof(real));
    status = find_positions(r, x);
    if (!status && !r->slow) status = find_momenta(r);
    if (status || r->slow) {
        r->factored = r->known = 0;
        return r->slow ? X(stepper_step)(r->table, x, h) : status;
    }
    X(state_swap)(x, &r->next);
    end(r, x);
    return TAUT_OK;
}

const method_code X(verlet_projected) = { create_projected, step, counts, X(verlet_destroy), NULL, NULL, outcome,
                                          forces_left, NULL, NULL };
const method_code X(verlet_plain) = { create_plain, step, counts, X(verlet_destroy), NULL, NULL, outcome,
                                      forces_left, NULL, NULL };
