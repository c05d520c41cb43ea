/* Linear stability of the constraint manifold: the residuals chi of states off it, carried along by the vector field of
 * a formulation (not by the method) over a period of the motion, or over a part of it. */
#include <string.h>

#include "base/room.h"
#include "linalg/dense.h"
#include "linalg/full.h"
#include "method/scheme.h"
#include "run/simulation.h"
#include "solve/saddle.h"

#define STAGES 5            /* of the Gauss method that integrates: order 10, with half of the step */
#define LEVELS 3            /* of displacements, each half of the one before, extrapolated */
#ifdef TAUT_REAL_QUAD
#define TOLERANCE ((real)1e-26)
#define DISPLACEMENT ((real)1e-4)
#else
#define TOLERANCE 1e-13
#define DISPLACEMENT 2e-3
#endif
#define CLOSED 1e-6         /* an orbit that comes back to this part of its size is periodic */
#define SPAN_STEPS 50       /* of motions without a period */
#define SEARCH_STEPS 2000   /* for a period, at the most */

/* ---- the period ---- */

typedef struct {
    simulation *z;
    state x, before, begin;
    real *rate;             /* of the start, (q,p) */
    real q, p;              /* sizes */
} search;

/* Positive behind the plane through the start, at right angles to the motion there; *gap: relative distance to the
   start. */
static real section(const search *s, const state *x, real *gap)
{
    real sum = 0;
    *gap = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        real q = (x->q[i] - s->begin.q[i]) / s->q, p = (x->p[i] - s->begin.p[i]) / s->p;
        sum += q * s->rate[i] / s->q + p * s->rate[x->n + i] / s->p;
        *gap = real_most(real_most(*gap, q), p);
    }
    return sum;
}

/* The time between before and x at which the section is crossed; x := the state there. */
static int refine(search *s, real *gap)
{
    real low = s->before.t, high = s->x.t, ignored, f_low = section(s, &s->before, &ignored),
         f_high = section(s, &s->x, gap);
    for (int k = 0; k < 60 && high - low > 4 * REAL_EPSILON * high; k++) {
        real part = f_low / (f_low - f_high); /* in (0, 1) */
        if (k % 3 == 2) part = (real)1 / 2;    /* secants from one side only are slow */
        real t = low + part * (high - low);
        if (!(t > low && t < high)) break;
        X(state_copy)(&s->before, &s->x);
        int status = X(flow_advance)(s->z->flow, &s->x, t, TOLERANCE);
        if (status) return status;
        real f = section(s, &s->x, gap);
        if (f < 0)
            low = t, f_low = f;
        else
            high = t, f_high = f;
        if (f == 0) break;
    }
    /* the last time looked at need not be the best one */
    real best = -f_low < f_high ? low : high;
    int status = TAUT_OK;
    if (s->x.t != best) X(state_copy)(&s->before, &s->x);
    if (s->x.t != best) status = X(flow_advance)(s->z->flow, &s->x, best, TOLERANCE);
    section(s, &s->x, gap);
    return status;
}

/* *period: 0 when there is none up to `until`. */
static int find_period(simulation *z, real h, real until, real *period)
{
    search s = { .z = z };
    const formulation *f = X(method_formulation)(&z->method);
    uint32_t n = z->s->n;
    *period = 0;
    s.rate = taut_mem_new(z->s->context, 4 * (size_t)n, sizeof(real));
    int status = s.rate ? X(state_create)(z->s, &s.x) : TAUT_OUT_OF_MEMORY;
    if (!status) status = X(state_create)(z->s, &s.before);
    if (!status) status = X(state_create)(z->s, &s.begin);
    if (!status) {
        X(state_copy)(&z->x, &s.x), X(state_copy)(&z->x, &s.begin);
        real *at = s.rate + 2 * n;
        memcpy(at, z->x.q, n * sizeof(real)), memcpy(at + n, z->x.p, n * sizeof(real));
        f->class->begin(f->self, &z->x);
        status = f->class->evaluate(f->self, z->x.t, at, s.rate);
        s.q = real_largest(z->x.q, n), s.p = real_largest(z->x.p, n);
        if (!(s.q > 0)) s.q = 1;
        if (!(s.p > 0)) s.p = 1;
    }
    real gap, side = -1;
    while (!status && !*period && s.x.t < s.begin.t + until) {
        X(state_copy)(&s.x, &s.before);
        status = X(flow_advance)(z->flow, &s.x, s.x.t + h, TOLERANCE);
        if (status) break;
        real now = section(&s, &s.x, &gap), t = s.x.t;
        if (side < 0 && now >= 0 && s.before.t > s.begin.t) {
            status = refine(&s, &gap);
            if (!status && gap <= (real)CLOSED) *period = s.x.t - s.begin.t;
            if (!status && !*period) status = X(flow_advance)(z->flow, &s.x, t, TOLERANCE);
        }
        side = now;
    }
    X(state_clear)(z->s, &s.x), X(state_clear)(z->s, &s.before), X(state_clear)(z->s, &s.begin);
    taut_mem_free(z->s->context, s.rate);
    return status;
}

/* ---- residuals carried along ---- */

typedef struct {
    simulation *z;
    formulation f;
    scheme *scheme;
    state x;
    uint32_t count;
    void *room;                 /* of the arrays below */
    real *directions;           /* count x 2n */
    real *chi[2];               /* before and after */
    real *levels[2][LEVELS];    /* columns of X0 and X */
    real *first, *last;         /* count x count, row-major: residuals at the start, and after the span */
} carrier;

static void carrier_clear(carrier *c)
{
    X(scheme_destroy)(c->scheme);
    X(formulation_destroy)(&c->f);
    X(state_clear)(c->z->s, &c->x);
    room_free(c->z->s->context, &c->room);
}

/* The functional iteration is much cheaper where it converges; stiff equations need Newton's. */
static int choose_solver(carrier *c, int functional)
{
    scheme_options o = { .type = SCHEME_GAUSS, .stages = STAGES, .functional = functional };
    X(scheme_destroy)(c->scheme);
    c->scheme = NULL;
    return X(scheme_create)(&c->f, &o, &c->scheme);
}

static void lay_out(void *self, room_layout *l)
{
    carrier *c = self;
    size_t k = c->count;
    c->directions = room_reals(l, k * c->f.size);
    for (int i = 0; i < 2; i++) {
        c->chi[i] = room_reals(l, k);
        for (int level = 0; level < LEVELS; level++) c->levels[i][level] = room_reals(l, k);
    }
    c->first = room_reals(l, k * k), c->last = room_reals(l, k * k);
}

static int carrier_create(carrier *c, simulation *z)
{
    const formulation_class *list[] = { X(method_formulation)(&z->method)->class, NULL };
    *c = (carrier){ .z = z };
    int status = X(formulation_create)(z->s, list, &c->f);
    if (!status) status = choose_solver(c, 1);
    if (!status) status = X(state_create)(z->s, &c->x);
    if (status) return status;
    c->count = list[0]->chi_count(c->f.self);
    return room_create(z->s->context, lay_out, c, &c->room);
}

/* Directions that change the residuals: H_pp G' Q^-1 e in q, G' Q^-1 e in p, of the size of the state. */
static int choose_directions(carrier *c)
{
    simulation *z = c->z;
    uint32_t n = z->s->n, m = z->s->c;
    saddle *k;
    real *right = taut_mem_new(z->s->context, m, sizeof *right);
    int status = right ? X(saddle_create)(z->s, &k) : TAUT_OUT_OF_MEMORY;
    if (status) {
        taut_mem_free(z->s->context, right);
        return status;
    }
    place at = place_at(z->s, z->x.q, z->x.w, &z->x.t, z->x.lambda);
    status = X(saddle_factor)(k, &at);
    for (uint32_t j = 0; !status && j < m; j++) {
        real *dq = c->directions + (size_t)j * 2 * n, *dp = c->directions + ((size_t)m + j) * 2 * n + n, q = 0, p = 0,
             Q = 0, P = 0;
        memset(right, 0, m * sizeof *right);
        right[j] = 1;
        status = X(saddle_solve)(k, dp, dq, right);
        memset(dp, 0, n * sizeof(real));
        X(block_multiply_transposed)(&z->s->blocks[BLOCK_G], X(saddle_jacobian)(k), 1, right, dp);
        for (uint32_t i = 0; i < n; i++) {
            q = real_most(q, dq[i]), p = real_most(p, dp[i]);
            Q = real_most(Q, z->x.q[i]), P = real_most(P, z->x.p[i]);
        }
        for (uint32_t i = 0; i < n; i++) dq[i] *= (Q > 0 ? Q : 1) / q, dp[i] *= (P > 0 ? P : 1) / p;
    }
    X(saddle_destroy)(k);
    taut_mem_free(z->s->context, right);
    return status;
}

/* chi at the start displaced by `part` of a direction, and after the span. */
static int carry(carrier *c, const real *direction, real part, real span, long steps, real sign)
{
    const formulation_class *class = c->f.class;
    state *x = &c->x;
    uint32_t n = x->n;
    real *z = c->scheme->z; /* room for (q,p) between steps */
    X(state_copy)(&c->z->x, x);
    for (uint32_t i = 0; i < n; i++) x->q[i] += sign * part * direction[i], x->p[i] += sign * part * direction[n + i];
    class->begin(c->f.self, x);
    int status = class->end(c->f.self, x);
    for (int after = 0; !status && after < 2; after++) {
        for (long k = 0; after && !status && k < steps; k++) status = X(scheme_step)(c->scheme, x, span / (real)steps);
        memcpy(z, x->q, n * sizeof(real)), memcpy(z + n, x->p, n * sizeof(real));
        if (!status) status = class->chi(c->f.self, x->t, z, c->chi[after]);
    }
    return status;
}

static int differentiate(carrier *c, uint32_t column, real span, long steps)
{
    size_t k = c->count;
    real part = DISPLACEMENT;
    for (int level = 0; level < LEVELS; level++, part /= 2) {
        for (int side = 0; side < 2; side++) {
            int status = carry(c, c->directions + column * (size_t)c->f.size, part, span, steps, side ? -1 : 1);
            if (status) return status;
            for (int after = 0; after < 2; after++)
                for (size_t i = 0; i < k; i++) {
                    real *out = &c->levels[after][level][i], value = c->chi[after][i] / (2 * part);
                    *out = side ? *out - value : value;
                }
        }
    }
    for (int after = 0; after < 2; after++)
        for (size_t i = 0; i < k; i++) {
            real t[LEVELS];
            for (int level = 0; level < LEVELS; level++) t[level] = c->levels[after][level][i];
            for (int order = 1, power = 4; order < LEVELS; order++, power *= 4)
                for (int level = LEVELS - 1; level >= order; level--)
                    t[level] += (t[level] - t[level - 1]) / (power - 1);
            (after ? c->last : c->first)[i * k + column] = t[LEVELS - 1];
        }
    return TAUT_OK;
}

/* X = last first^-1, row by row in place of last; trace, determinant, eigenvalues. */
static int conclude(carrier *c, engine_stability *out)
{
    int k = (int)c->count, pivot[ENGINE_MULTIPLIERS];
    double matrix[ENGINE_MULTIPLIERS * ENGINE_MULTIPLIERS], re[ENGINE_MULTIPLIERS], im[ENGINE_MULTIPLIERS];
    if (X(dense_factor)(k, c->first, pivot, 0))
        return taut_fail(c->z->s->context, TAUT_SINGULAR, "the constraints are redundant at the start");
    for (int i = 0; i < k; i++) {
        real *row = c->last + (size_t)i * (size_t)k, sum = 0;
        X(dense_solve_transposed)(k, c->first, pivot, row);
        for (int j = 0; j < k; j++) sum += REAL(fabs)(row[j]), matrix[j * k + i] = (double)row[j];
        out->trace += row[i];
        if (sum > out->norm) out->norm = sum;
    }
    int status = taut_eigenvalues(c->z->s->context, k, matrix, re, im);
    if (status == TAUT_NO_CONVERGENCE)
        return taut_fail(c->z->s->context, status, "the eigenvalues of the monodromy matrix could not be found");
    if (status) return status;
    for (int i = 0; i < k; i++)
        for (int j = i + 1; j < k; j++)
            if (re[j] * re[j] + im[j] * im[j] > re[i] * re[i] + im[i] * im[i]) {
                double x = re[i], y = im[i];
                re[i] = re[j], im[i] = im[j], re[j] = x, im[j] = y;
            }
    for (int i = 0; i < k; i++) out->real_part[i] = re[i], out->imaginary_part[i] = im[i];
    int swaps = X(dense_factor)(k, c->last, pivot, 0);
    real determinant = swaps ? 0 : 1;
    for (int i = 0; !swaps && i < k; i++)
        determinant *= (pivot[i] == i ? 1 : -1) * c->last[(size_t)i * (size_t)k + (size_t)i];
    out->determinant = determinant;
    return TAUT_OK;
}

/* How far from the start the motion is after the span. */
static int find_gap(simulation *z, real span, engine_stability *out)
{
    state x;
    int status = X(state_create)(z->s, &x);
    if (status) return status;
    X(state_copy)(&z->x, &x);
    status = X(flow_advance)(z->flow, &x, z->x.t + span, TOLERANCE);
    real q = 0, p = 0, dq = 0, dp = 0;
    for (uint32_t i = 0; i < x.n; i++) {
        q = real_most(q, z->x.q[i]), p = real_most(p, z->x.p[i]);
        dq = real_most(dq, x.q[i] - z->x.q[i]), dp = real_most(dp, x.p[i] - z->x.p[i]);
    }
    out->gap = real_most(q > 0 ? dq / q : dq, p > 0 ? dp / p : dp);
    X(state_clear)(z->s, &x);
    return status;
}

int X(simulation_stability)(simulation *z, real h, real period, real until, engine_stability *out)
{
    carrier c = { .z = z };
    *out = (engine_stability){ 0 };
    if (!X(method_formulation)(&z->method)) return TAUT_OK;
    if (z->m->phase) { /* (18) */
        strcpy(out->note, z->m->phase->first ? "every constraint of the Dirac bracket is a first integral"
                                             : "every constraint is a first integral");
        return TAUT_OK;
    }
    if (!z->s->c || z->s->c * 2 > ENGINE_MULTIPLIERS || z->s->structure.force_multiplier || z->s->slip) {
        strcpy(out->note, !z->s->c                           ? "the model has no constraints"
                          : z->s->slip                       ? "only for constraints on positions"
                          : z->s->structure.force_multiplier ? "a force depends on the multipliers"
                                                             : "only for up to eight constraints");
        return TAUT_OK;
    }
    int status = X(simulation_make_flow)(z);
    /* a period of the state is one of the equations only if they do not depend on time */
    if (!status && !(period > 0) && !z->s->structure.time_dependent)
        status = find_period(z, h, REAL(fmin)(until, SEARCH_STEPS * h), &period);
    out->periodic = period > 0;
    real span = period > 0 ? period : REAL(fmin)(until, SPAN_STEPS * h);
    out->span = span;
    if (!status) status = find_gap(z, span, out);
    if (!status) status = carrier_create(&c, z);
    if (!status && c.count != 2 * z->s->c) {
        strcpy(out->note, "only for imposed constraints");
        carrier_clear(&c);
        return TAUT_OK;
    }
    if (!status) status = choose_directions(&c);
    long steps = 2 * (long)REAL(ceil)(span / h);
    if (steps < 32) steps = 32;
    for (uint32_t j = 0; !status && j < c.count; j++) {
        status = differentiate(&c, j, span, steps);
        if (status != TAUT_NO_CONVERGENCE || !c.scheme->options.functional || !c.f.class->stages_create) continue;
        status = choose_solver(&c, 0);
        if (!status) status = differentiate(&c, j, span, steps);
    }
    out->count = (int)c.count;
    if (!status) status = conclude(&c, out);
    out->applies = !status;
    carrier_clear(&c);
    return status;
}
