#include "method/points.h"

#ifdef TAUT_REAL_QUAD /* as bars_find */
int X(points_step)(points *r, const state *x, real h, state *next, int *done)
{
    (void)r, (void)x, (void)h, (void)next;
    *done = 0;
    return TAUT_OK;
}
method_outcome X(points_outcome)(const points *r) { return (void)r, (method_outcome){ .multiplier = -1 }; }
int X(points_forces)(const points *r, const state *x, method_forces *sums) { return (void)r, (void)x, (void)sums, 0; }
#else

#include "method/diagonal_loops.h"
#include "method/points_loops.h"
#include "method/points_parts.h"

/* ---- weights ---- */

static real weight_of(const points *r, uint32_t point) { return bars_is_fixed(r->b, point) ? 0 : r->w[point]; }

static real shared_weight(const points *r, uint32_t k, uint32_t l)
{
    const bars *b = r->b;
    real sum = 0;
    if (b->a[k] == b->a[l]) sum += weight_of(r, b->a[k]);
    if (b->b[k] == b->b[l]) sum += weight_of(r, b->b[k]);
    if (b->a[k] == b->b[l]) sum -= weight_of(r, b->a[k]);
    if (b->b[k] == b->a[l]) sum -= weight_of(r, b->b[k]);
    return sum;
}

/* What follows from the constants. Returns whether steps are made here. */
static int weigh(points *r)
{
    bars *b = r->b;
    r->weighed = r->s->constants_version;
    r->known = r->factored = 0;
    r->weighs = bars_hold(b) && X(bars_weigh)(b, r->w, &r->even);
    r->served = 1;
    if (!r->weighs) return 0;
    real longest = 0;
    for (uint32_t k = 0; k < b->count; k++) {
        r->weights[k] = weight_of(r, b->a[k]) + weight_of(r, b->b[k]);
        longest = REAL(fmax)(longest, b->square[k]);
    }
    r->reach = REAL(sqrt)(longest / BARS_SPACE);
    for (uint32_t e = 0; e < r->coupling_count; e++) {
        coupling *z = &r->couplings[e];
        z->weight = shared_weight(r, z->k, z->l);
        if (r->chain) r->between[z->k] = z->weight;
    }
    for (uint32_t j = 0; j < b->fixed; j++)
        for (int c = 0; c < BARS_SPACE; c++)
            r->q.c[c][bars_fixed(b, j)] = r->q1.c[c][bars_fixed(b, j)] = b->places[j * BARS_SPACE + (uint32_t)c];
    return 1;
}

static int serves(points *r)
{
    return r->served && r->weighed == r->s->constants_version ? r->weighs : weigh(r);
}

/* ---- the matrix: rows W columns' ---- */

static void fill(points *r, const vectors *rows, const vectors *columns)
{
    const uint32_t c = r->b->count, symmetric = rows == columns;
    double *values = r->values;
    if (r->chain) {
        points_diagonal(c, r->weights, rows, columns, values);
        points_next(c - 1, r->between, rows, 1, columns, 0, values + c);
        if (!symmetric) points_next(c - 1, r->between, rows, 0, columns, 1, values + 2 * c - 1);
        return;
    }
    points_diagonal(c, r->weights, rows, columns, r->rest);
    for (uint32_t k = 0; k < c; k++) values[r->diagonal[k]] = r->rest[k];
    const real *const x = rows->c[0], *const y = rows->c[1], *const z = rows->c[2];
    const real *const u = columns->c[0], *const v = columns->c[1], *const w = columns->c[2];
    for (uint32_t e = 0; e < r->coupling_count; e++) {
        const coupling *j = &r->couplings[e];
        const uint32_t k = j->k, l = j->l;
        values[j->below] = j->weight * (x[l] * u[k] + y[l] * v[k] + z[l] * w[k]);
        values[j->above] = symmetric ? values[j->below] : j->weight * (x[k] * u[l] + y[k] * v[l] + z[k] * w[l]);
    }
}

/* A matrix that is singular is one for verlet.c, which knows what to say. */
static int factor(points *r, const vectors *rows, const vectors *columns)
{
    int status = TAUT_OK;
    fill(r, rows, columns);
    r->banded = r->chain && rows == columns;
    if (!r->banded)
        status = taut_linear_factor(r->solver, r->values);
    else if (!taut_tridiagonal_factor(&r->bands, r->values, r->values + r->b->count))
        status = TAUT_SINGULAR;
    r->left |= status != TAUT_OK;
    return status;
}

static int solve(void *self, real *out)
{
    points *r = self;
    if (!r->banded) return taut_linear_solve(r->solver, out);
    taut_tridiagonal_solve(&r->bands, out);
    return TAUT_OK;
}

/* ---- positions ---- */

/* Of the forces of the bars to positions; masses apart unless they are equal. */
static real push_factor(const points *r) { return r->h * r->h / 2 * (r->even ? r->s->inverse_mass[0] : 1); }

/* Returns how far q1 moved, or, the first time, the largest q1. */
static real place_points(points *r, int again)
{
    points_push(r->b, r->y, &r->d, &r->push);
    const real moved = extreme_value(points_move(r->b, &r->q, &r->base, r->even ? NULL : r->w, &r->push,
                                                 push_factor(r), again, &r->q1));
    r->finite &= moved - moved == 0;
    return moved;
}

static int position_residual(void *self, const real *y, real *out)
{
    points *r = self;
    (void)y;
    if (r->left) return TAUT_NO_CONVERGENCE;
    points_stretches(r->b, &r->q1, out);
    return TAUT_OK;
}

static int position_factor(void *self, const real *y)
{
    points *r = self;
    (void)y;
    points_bars(r->b, &r->q1, &r->d1);
    r->factored = 0;
    return factor(r, &r->d1, &r->d);
}

static real position_measure(void *self, const real *y, const real *change)
{
    points *r = self;
    (void)y;
    points_subtract(r->b->count, 2 / (r->h * r->h), change, r->y);
    return place_points(r, 1) / r->size;
}

static void name_bar(void *self, int equation, char *buffer, size_t size)
{
    X(system_constraint_name)(((points *)self)->s, (uint32_t)equation, buffer, size);
}

static void find_force(points *r, const real *q, const real *t, real *f)
{
    const place at = place_at(r->s, q, NULL, t, NULL);
    X(system_free_force)(r->s, &at, f);
}

/* At a state that the last step has not left. */
static void begin(points *r)
{
    points_spread(r->b, r->from->q, &r->q);
    points_bars(r->b, &r->q, &r->d);
    find_force(r, r->from->q, &r->from->t, r->f);
    r->factored = 0;
}

static int find_positions(points *r)
{
    const state *x = r->from;
    const bars *b = r->b;
    const size_t n = r->s->n;
    if (!r->known || r->known_t != x->t || memcmp(r->known_q, x->q, n * sizeof(real)) != 0) begin(r);
    diagonal_base(r->s, r->even, x, r->f, r->h, 0, r->s->n, r->motion);
    points_spread(b, r->motion, &r->base);
    points_guess(b->count, b->scale, x->lambda, r->trend ? x->trend : NULL, r->y);
    const real size = place_points(r, 0);
    r->size = size > r->s->least || size != size ? size : r->s->least;
    int status = r->factored ? TAUT_OK : factor(r, &r->d, &r->d);
    if (status) return status;
    newton_problem problem = { r, (int)b->count, position_residual, position_factor, solve, position_measure,
                               name_bar, NULL, NULL, NULL, NULL };
    return X(newton_solve)(r->newton, &problem, r->y, 1, x->t, "constraints at the new positions");
}

/* ---- velocities ---- */

/* The sum of all forces but those of the bars at the end, once more. */
static void sum_again(points *r)
{
    points_push(r->b, r->y, &r->d, &r->push);
    points_collect(r->b, &r->push, r->pull);
    sum_forces(r->f, r->pull, r->f1, r->s->n, r->next->p);
}

static real place_velocities(points *r)
{
    if (!r->summed) sum_again(r);
    r->summed = 0;
    points_push(r->b, r->mu, &r->d1, &r->push);
    points_collect(r->b, &r->push, r->pull);
    const real moved = extreme_value(diagonal_momenta(r->s, r->even, r->from, r->pull, r->h / 2, 0, r->s->n, r->next));
    points_spread(r->b, r->next->w, &r->v);
    return moved;
}

static int velocity_residual(void *self, const real *mu, real *out)
{
    points *r = self;
    (void)mu;
    points_rates(r->b, &r->d1, &r->v, out);
    return TAUT_OK;
}

static int velocity_factor(void *self, const real *mu)
{
    (void)mu;
    return factor(self, &((points *)self)->d1, &((points *)self)->d1);
}

static real velocity_measure(void *self, const real *mu, const real *change)
{
    points *r = self;
    (void)mu;
    points_subtract(r->b->count, 2 / r->h, change, r->mu);
    return place_velocities(r) / r->speed;
}

/* As far as that can be told: see velocities_fit of verlet.c. */
static int velocities_fit(const points *r, real error)
{
    return error <= r->newton->enough * REAL(sqrt)((real)(2 * BARS_SPACE)) * r->speed * r->reach;
}

static int find_mu(points *r)
{
    const bars *b = r->b;
    newton *n = r->newton;
    newton_problem problem = { r, (int)b->count, velocity_residual, velocity_factor, solve, velocity_measure,
                               name_bar, NULL, NULL, NULL, NULL };
    points_rates(b, &r->d1, &r->v, r->mu);
    int status = velocity_factor(r, r->mu);
    if (!status) status = solve(r, r->mu);
    if (status) return status;
    for (uint32_t k = 0; k < b->count; k++) r->mu[k] *= -2 / r->h;
    const real moved = place_velocities(r), error = extreme_value(points_rates(b, &r->d1, &r->v, r->rest));
    r->finite &= moved - moved == 0;
    n->counts.calls++, n->counts.iterations++, n->counts.factorisations++;
    return velocities_fit(r, error)
               ? TAUT_OK
               : X(newton_solve)(n, &problem, r->mu, 1, r->next->t, "velocity constraints");
}

/* The positions are the last ones. The sum of all forces but those of the bars at the end is, for now, in the place of
   the new momenta. */
static real turn(points *r)
{
    const uint32_t n = r->s->n;
    const real h = r->h, *weights = r->even ? NULL : r->s->inverse_mass;
    state *next = r->next;
    points_collect(r->b, &r->push, r->pull);
    low_parts(0, n, r->from->q, r->motion, weights, r->pull, push_factor(r), next->q_low,
              r->known_q);
    memcpy(next->q, r->known_q, n * sizeof(real));
    if (!r->steady_force) find_force(r, next->q, &next->t, r->f1);
    const real speed = extreme_value(diagonal_start(r->s, r->even, r->from, r->f, r->pull, r->f1, h / 2, 0, n, next->p,
                                                    next->w));
    r->summed = 1;
    points_spread(r->b, next->w, &r->v);
    return speed;
}

static int find_momenta(points *r)
{
    const real speed = turn(r);
    r->finite &= speed - speed == 0;
    r->speed = speed > r->s->least || speed != speed ? speed : r->s->least;
    points_bars(r->b, &r->q1, &r->d1);
    if (r->project) return find_mu(r);
    memset(r->mu, 0, r->b->count * sizeof(real));
    const real moved = place_velocities(r);
    r->finite &= moved - moved == 0;
    return TAUT_OK;
}

/* ---- steps ---- */

static void exchange(vectors *x, vectors *y)
{
    const vectors z = *x;
    *x = *y, *y = z;
}

/* Positions, bars and force at the end of this step are those at the beginning of the next. */
static void end(points *r)
{
    state *next = r->next;
    const uint32_t c = r->b->count;
    r->multiplier = extreme_value(points_settle(c, r->b->scale, r->y, r->from->lambda, next->lambda, next->trend));
    if (!r->trend) memset(next->trend, 0, c * sizeof(real));
    if (r->s->form != FORM_LAGRANGIAN) memcpy(next->w, next->p, r->s->n * sizeof(real));
    exchange(&r->q, &r->q1), exchange(&r->d, &r->d1);
    real *f = r->f;
    if (!r->steady_force) r->f = r->f1, r->f1 = f;
    r->known_t = next->t;
    r->known = 1;
    r->factored = r->project;
}

int X(points_step)(points *r, const state *x, real h, state *next, int *done)
{
    *done = 0;
    if (!serves(r)) return TAUT_OK;
    r->from = x, r->next = next, r->h = h;
    r->left = 0, r->finite = 1;
    int status = find_positions(r);
    if (!status) status = find_momenta(r);
    *done = !r->left;
    if (status || r->left)
        r->known = r->factored = 0;
    else
        end(r);
    return r->left ? TAUT_OK : status;
}

method_outcome X(points_outcome)(const points *r)
{
    const int seen = r->known && r->finite;
    return (method_outcome){ .finite = seen, .multiplier = seen ? r->multiplier : -1 };
}

int X(points_forces)(const points *r, const state *x, method_forces *sums)
{
    const bars *b = r->b;
    if (!r->known) return 0;
    *sums = (method_forces){ 0 };
    points_guess(b->count, b->scale, x->lambda, NULL, r->y);
    points_push(b, r->y, &r->d, &r->push);
    for (uint32_t k = 0; k < b->count; k++) {
        const real ends = bars_is_fixed(b, b->b[k]) ? 1 : 2;
        sums->apart += REAL(fabs)(r->y[k]) * REAL(sqrt)(ends * b->square[k]);
    }
    points_collect(b, &r->push, r->pull);
    add_forces(r->pull, r->f, x->p, r->s->n, sums);
    return 1;
}
#endif
