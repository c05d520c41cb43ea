/* Where the constraints are met, or as nearly met as can be. */
#include <string.h>

#include "linalg/full.h"
#include "solve/start_parts.h"

/* What differs by less counts as the same: links of a chain that are all too long are, but for rounding. */
#define TIE 1e-6

uint32_t X(start_worst)(const real *x, uint32_t count)
{
    const real most = real_largest(x, count);
    uint32_t at = 0;
    while (at + 1 < count && (most - most == 0 ? REAL(fabs)(x[at]) < most * (real)(1 - TIE) : x[at] - x[at] == 0)) at++;
    return at;
}

void X(start_residual)(starter *z, real *out)
{
    struct system *s = z->s;
    place at = start_here(z);
    if (!z->velocity) {
        X(system_constraints)(s, &at, out);
        return;
    }
    X(system_velocity)(s, &at, z->v);
    X(system_block_values)(s, BLOCK_G, &at, z->g);
    X(system_constraint_rate)(s, &at, out);
    X(block_multiply)(&s->blocks[BLOCK_G], z->g, 1, z->v, out);
}

void X(start_jacobian)(starter *z, double *dense)
{
    struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    place at = start_here(z);
    X(system_block_values)(s, BLOCK_G, &at, z->g);
    X(system_block_values)(s, BLOCK_NU_W, &at, z->nu);
    for (uint32_t f = 0; f < z->count; f++) {
        memset(z->a, 0, s->n * sizeof(real));
        memset(z->b, 0, s->n * sizeof(real));
        z->a[z->free[f]] = 1;
        if (z->velocity)
            X(block_multiply)(&s->blocks[BLOCK_NU_W], z->nu, 1, z->a, z->b);
        else
            z->b[z->free[f]] = 1;
        for (uint32_t k = 0; k < s->c; k++) {
            real sum = 0;
            if (!z->velocity && X(system_is_velocity_constraint)(s, k)) { /* positions have nothing to do with it */
                dense[(size_t)f * s->c + k] = 0;
                continue;
            }
            for (int e = p->start[k]; e < p->start[k + 1]; e++) sum += z->g[e] * z->b[p->index[e]];
            dense[(size_t)f * s->c + k] = (double)sum;
        }
    }
}

/* The residual of velocities is G v + g_t: their distance is measured in v, whatever w is. */
int X(start_is_met)(starter *z)
{
    struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    place at = start_here(z);
    X(start_residual)(z, z->r);
    X(system_block_values)(s, BLOCK_G, &at, z->g);
    real scale = real_largest(z->velocity ? z->v : z->x->q, s->n) + s->least;
    for (uint32_t k = 0; k < s->c; k++) {
        real sum = 0;
        for (int e = p->start[k]; e < p->start[k + 1]; e++) sum += z->g[e] * z->g[e];
        if (!(REAL(fabs)(z->r[k]) <= (real)CONSISTENT * scale * REAL(sqrt)(sum))) return 0;
    }
    return 1;
}

/* ---- as nearly met as can be ---- */

#define MOST_ROWS 500      /* constraints for which the c x c matrix is factored several hundred times in seconds */
#define MOST_ENTRIES 1000000
#define ITERATIONS 300     /* a double root is halved each time: 52 halvings are all digits */
#define ATTEMPTS 40        /* of damping, each ten times the last: from undamped to steepest descent below round-off */
#define LEAST_DAMPING 1e-15

typedef struct {
    double *weight;        /* of each residual: the inverse length of its gradient where the search begins */
    double *j;             /* weighted Jacobian, column-major */
    double *a, *damped;    /* c x c: J J', and with damping */
    double *r, *y, *next;  /* weighted residual; solution; residual after the step */
    double damping;
    int status;            /* of the solver; the search ends with a failure */
} settler;

static double weighted_residual(starter *z, const settler *l, double *out)
{
    double sum = 0;
    X(start_residual)(z, z->r);
    for (uint32_t k = 0; k < z->s->c; k++) {
        out[k] = l->weight[k] * (double)z->r[k];
        sum += out[k] * out[k];
    }
    return sum;
}

static void choose_weights(starter *z, settler *l)
{
    uint32_t c = z->s->c;
    X(start_jacobian)(z, l->j);
    for (uint32_t k = 0; k < c; k++) {
        double sum = 0;
        for (uint32_t f = 0; f < z->count; f++) sum += l->j[(size_t)f * c + k] * l->j[(size_t)f * c + k];
        l->weight[k] = sum > 0 && sum - sum == 0 ? 1 / sqrt(sum) : 1;
    }
}

/* J J', and the mean of its diagonal, in which the damping is measured. */
static double form_matrix(starter *z, settler *l)
{
    uint32_t c = z->s->c;
    double trace = 0;
    X(start_jacobian)(z, l->j);
    memset(l->a, 0, (size_t)c * c * sizeof *l->a);
    for (uint32_t f = 0; f < z->count; f++) {
        double *column = l->j + (size_t)f * c;
        for (uint32_t k = 0; k < c; k++) column[k] *= l->weight[k];
        for (uint32_t k = 0; k < c; k++)
            for (uint32_t i = 0; column[k] != 0 && i < c; i++) l->a[(size_t)k * c + i] += column[k] * column[i];
    }
    for (uint32_t k = 0; k < c; k++) trace += l->a[(size_t)k * c + k];
    return trace / c;
}

/* x := trial - J' (J J' + damping)^-1 r. Not 0 when the matrix is not positive definite. */
static int damped_step(starter *z, settler *l, double mean)
{
    uint32_t c = z->s->c;
    real *unknown = start_unknown(z);
    memcpy(l->damped, l->a, (size_t)c * c * sizeof *l->a);
    for (uint32_t k = 0; k < c; k++) l->damped[(size_t)k * c + k] += l->damping * mean;
    memcpy(l->y, l->r, c * sizeof *l->r);
    int definite = 0;
    l->status = taut_positive_solve(z->s->context, (int)c, l->damped, l->y, &definite);
    if (!definite) return 1;
    for (uint32_t f = 0; f < z->count; f++) {
        double sum = 0;
        for (uint32_t k = 0; k < c; k++) sum += l->j[(size_t)f * c + k] * l->y[k];
        unknown[z->free[f]] = z->trial[z->free[f]] - (real)sum;
    }
    return 0;
}

/* One step that lessens the sum of squares, more damped until it does; returns the new sum, or the old one when
   nothing lessens it. The damping of the next step follows from how much of the promised gain was had: (J J' + d) y =
   r leaves r - J J' y = d y of the linear model. */
static double descending_step(starter *z, settler *l, double mean, double cost)
{
    real *unknown = start_unknown(z);
    memcpy(z->trial, unknown, z->s->n * sizeof(real));
    for (int attempt = 0; !l->status && attempt < ATTEMPTS; attempt++, l->damping *= 10) {
        double promised = 0;
        if (damped_step(z, l, mean)) continue;
        double next = weighted_residual(z, l, l->next);
        if (!(next < cost)) continue;
        for (uint32_t k = 0; k < z->s->c; k++) promised += l->y[k] * l->y[k];
        double gain = (cost - next) / (cost - promised * l->damping * l->damping * mean * mean);
        if (gain > 0.75) l->damping = fmax(l->damping / 10, LEAST_DAMPING);
        if (gain < 0.25) l->damping *= 4;
        return next;
    }
    memcpy(unknown, z->trial, z->s->n * sizeof(real));
    return cost;
}

/* Descends until nothing shrinks any more. Returns the sum of squares. */
static double descend(starter *z, settler *l)
{
    double cost = weighted_residual(z, l, l->r);
    l->damping = 1e-3;
    for (int k = 0; !l->status && k < ITERATIONS && cost > 0; k++) {
        double mean = form_matrix(z, l);
        if (!(mean > 0 && mean - mean == 0)) break;
        double next = descending_step(z, l, mean, cost), change = (cost - next) / cost;
        cost = weighted_residual(z, l, l->r);
        if (change < 1e-14 * z->s->c) break; /* the round-off of the sum */
    }
    return cost;
}

/* From a saddle or a maximum no gradient leads away, and a start that is symmetric is often one. A minimum is found
   again. */
static void settle(starter *z, settler *l, real *best)
{
    struct system *s = z->s;
    real *unknown = start_unknown(z), size = real_largest(unknown, s->n) + s->least;
    uint64_t seed = 1;
    double first = descend(z, l);
    if (X(start_is_met)(z)) return;
    memcpy(best, unknown, s->n * sizeof(real));
    for (uint32_t f = 0; f < z->count; f++) unknown[z->free[f]] += size * (real)(1e-3 * next_number(&seed));
    double second = descend(z, l);
    if (!(second < first)) memcpy(unknown, best, s->n * sizeof(real));
}

int X(start_settle)(starter *z, double *left, int *searched)
{
    struct system *s = z->s;
    size_t c = s->c, entries = c * z->count;
    *searched = c <= MOST_ROWS && entries <= MOST_ENTRIES;
    if (!*searched) return TAUT_OK;
    double *work = taut_mem_new(s->context, entries + 2 * c * c + 4 * c, sizeof *work);
    real *best = taut_mem_new(s->context, s->n, sizeof *best);
    int status = work && best ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        settler l = { .j = work, .a = work + entries, .damped = work + entries + c * c };
        l.weight = l.damped + c * c, l.r = l.weight + c, l.y = l.r + c, l.next = l.y + c;
        choose_weights(z, &l);
        settle(z, &l, best);
        status = l.status;
        weighted_residual(z, &l, l.r);
        if (left) memcpy(left, l.r, c * sizeof *left);
    }
    taut_mem_free(s->context, work);
    taut_mem_free(s->context, best);
    return status;
}

/* ---- the nearest ---- */

/* r := g + J (given - x), the constraints as they are seen from x, at the given point. */
static void seen_at(starter *z, const real *given)
{
    struct system *s = z->s;
    const real *unknown = start_unknown(z);
    place at = start_here(z);
    X(start_residual)(z, z->r);
    X(system_block_values)(s, BLOCK_G, &at, z->g);
    for (uint32_t i = 0; i < s->n; i++) z->a[i] = given[i] - unknown[i];
    memset(z->b, 0, s->n * sizeof(real));
    if (z->velocity) {
        X(system_block_values)(s, BLOCK_NU_W, &at, z->nu);
        X(block_multiply)(&s->blocks[BLOCK_NU_W], z->nu, 1, z->a, z->b);
    }
    X(block_multiply)(&s->blocks[BLOCK_G], z->g, 1, z->velocity ? z->b : z->a, z->r);
}

#define NEAREST_ITERATIONS 200

/* x := given - M^-1 G' (G M^-1 G')^-1 (g + G (given - x)) with g and G at x. At its fixed point g = 0 and x - given
   is along M^-1 G'. */
int X(start_nearest)(starter *z, const real *given, int *found)
{
    struct system *s = z->s;
    real *unknown = start_unknown(z), *change = z->velocity ? z->a : z->b;
    *found = 0;
    for (int k = 0; k < NEAREST_ITERATIONS; k++) {
        place at = start_here(z);
        int status = X(kkt_factor)(z->kkt, &at);
        if (!status) {
            seen_at(z, given);
            for (uint32_t i = 0; i < s->c; i++) z->r[i] = -z->r[i];
            memset(z->a, 0, s->n * sizeof(real));
            memset(z->b, 0, s->n * sizeof(real));
            status = X(kkt_solve)(z->kkt, z->a, z->b, z->r);
        }
        if (status) return status == TAUT_OUT_OF_MEMORY ? status : TAUT_OK;
        real moved = 0, size = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            moved = real_most(moved, given[i] + change[i] - unknown[i]);
            size = real_most(size, change[i]);
            unknown[i] = given[i] + change[i];
        }
        if (!(moved - moved == 0)) return TAUT_OK;
        if (moved <= (real)1e-9 * size) { /* far below the digits that are reported */
            *found = X(start_is_met)(z);
            return TAUT_OK;
        }
    }
    return TAUT_OK;
}
