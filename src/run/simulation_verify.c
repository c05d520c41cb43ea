/* What a method keeps, measured from the current state: constraints, momenta, energy along a run; the way back; the
 * symplectic form over one step. Judging is left to run/verify.c. */
#include <string.h>

#include "base/room.h"
#include "run/progress.h"
#include "run/simulation.h"
#include "solve/nearby.h"

static real larger(real a, real b) { return !(a > b) ? b : a; } /* a NaN in either wins or stays */

/* ---- along a run ---- */

typedef struct {
    simulation *z;
    engine_follow *out;
    real momentum[SYMMETRY_LIMIT], momentum_scale[SYMMETRY_LIMIT], momentum_change[SYMMETRY_LIMIT];
    real energy;
    long counts[ENGINE_WINDOWS];
} follower;

/* A stored q is the exact root rounded, so that g_k is uncertain by eps/2 sum_i |G_ki| |q|; + |g_t t| for the rounding
   of t. Likewise dg_k/dt, with |v| for |q|. Max norms over the whole run: what passes through zero was not small
   before. */
static void look_at_constraints(follower *f)
{
    simulation *z = f->z;
    struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    real g, rate, q = real_largest(z->x.q, s->n);
    X(simulation_residuals)(z, &g, &rate); /* leaves G in z->g_values, G v + g_t in z->g_rate, v in z->v */
    real v = real_largest(z->v, s->n), g_scale = (real)f->out->position.scale,
         rate_scale = (real)f->out->velocity.scale;
    for (uint32_t k = 0; k < s->c; k++) {
        real row = 0, g_t = z->g_rate[k];
        for (int e = p->start[k]; e < p->start[k + 1]; e++) {
            row += REAL(fabs)(z->g_values[e]);
            g_t -= z->g_values[e] * z->v[p->index[e]];
        }
        if (!X(system_is_velocity_constraint)(s, k)) g_scale = larger(g_scale, row * q + REAL(fabs)(g_t * z->x.t));
        rate_scale = larger(rate_scale, row * v + REAL(fabs)(g_t));
    }
    f->out->no_position = s->c == s->slip_count;
    f->out->position = (engine_kept){ larger((real)f->out->position.error, g), g_scale };
    f->out->velocity = (engine_kept){ larger((real)f->out->velocity.error, rate), rate_scale };
}

/* The momentum p . xi(q) is a sum of terms no larger than |p_i| |q|. */
static void look_at_momenta(follower *f, int first)
{
    simulation *z = f->z;
    real sum = 0, reach = real_largest(z->x.q, z->s->n);
    for (uint32_t i = 0; i < z->s->n; i++) sum += REAL(fabs)(z->x.p[i]);
    X(symmetry_momenta)(z->s, z->symmetries, z->symmetry_count, z->x.q, z->x.p, z->momenta);
    for (int i = 0; i < z->symmetry_count; i++) {
        const real now = z->momenta[i];
        if (first) f->momentum[i] = now;
        f->momentum_change[i] = larger(f->momentum_change[i], REAL(fabs)(now - f->momentum[i]));
        f->momentum_scale[i] =
            larger(f->momentum_scale[i], z->symmetries[i].type == SYMMETRY_ROTATION ? sum * reach : sum);
    }
}

static void look_at_energy(follower *f, int first, int window)
{
    simulation *z = f->z;
    if (!z->s->energy) return;
    real now = X(simulation_energy)(z), terms = REAL(fabs)(now), kinetic = 0; /* leaves v in z->v */
    for (uint32_t i = 0; i < z->s->n; i++) terms += REAL(fabs)(z->v[i] * z->x.p[i]), kinetic += z->v[i] * z->x.p[i] / 2;
    if (first) f->energy = now;
    real change = now - f->energy;
    engine_follow *out = f->out;
    out->energy =
        (engine_kept){ larger((real)out->energy.error, REAL(fabs)(change)), larger((real)out->energy.scale, terms) };
    if (change < out->lowest) out->lowest = change;
    if (change > out->highest) out->highest = change;
    out->means[window] += change;
    out->kinetic[window] += kinetic;
    f->counts[window]++;
}

static void look(follower *f, int first, int window)
{
    if (f->z->s->c) look_at_constraints(f);
    look_at_momenta(f, first);
    look_at_energy(f, first, window);
}

int X(simulation_follow)(simulation *z, real h, long steps, engine_follow *out)
{
    return X(simulation_follow_watched)(z, h, steps, NULL, out);
}

int X(simulation_follow_watched)(simulation *z, real h, long steps, run_progress *progress, engine_follow *out)
{
    follower f = { .z = z, .out = out };
    *out = (engine_follow){ 0 };
    int smooth = X(simulation_without_contacts)(z, "a measurement of a method");
    if (smooth) return smooth;
    look(&f, 1, 0);
    for (long n = 1; n <= steps; n++) {
        int status = X(simulation_step)(z, h);
        if (status) return status;
        out->steps = n;
        progress_step(progress);
        look(&f, 0, (int)((n - 1) * ENGINE_WINDOWS / steps));
        if (!(out->energy.error - out->energy.error == 0))
            return taut_fail(z->s->context, TAUT_NOT_FINITE,
                             "at t = %.9g: the energy is no longer a finite number; try a smaller step",
                             (double)z->x.t);
    }
    for (int i = 0; i < ENGINE_WINDOWS; i++)
        if (f.counts[i]) out->means[i] /= f.counts[i], out->kinetic[i] /= f.counts[i];
    for (int i = 0; i < z->symmetry_count; i++) {
        engine_kept here = { f.momentum_change[i], f.momentum_scale[i] };
        if (i == 0 || here.error * out->momentum.scale > out->momentum.error * here.scale) out->momentum = here;
    }
    return TAUT_OK;
}

/* ---- random numbers, the same in every precision ---- */

static real next_random(uint64_t *seed) /* in (-1, 1) */
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return (real)((double)(*seed >> 11) / 4503599627370496.0 - 1.0);
}

/* A random direction of the size of the state. */
static void choose_direction(const state *base, uint64_t seed, real *dq, real *dw)
{
    real q = real_largest(base->q, base->n), w = real_largest(base->w, base->n);
    for (uint32_t i = 0; i < base->n; i++) dq[i] = (q > 0 ? q : 1) * next_random(&seed);
    for (uint32_t i = 0; i < base->n; i++) dw[i] = (w > 0 ? w : 1) * next_random(&seed);
}

/* x := base moved by part of its size, on the constraints. */
static int displace(simulation *z, const state *base, real part, state *x)
{
    uint32_t n = base->n;
    real *d = taut_mem_new(z->s->context, 2 * (size_t)n, sizeof *d);
    if (!d) return TAUT_OUT_OF_MEMORY;
    choose_direction(base, 2463534242ULL, d, d + n);
    X(state_copy)(base, x);
    for (uint32_t i = 0; i < n; i++) x->q[i] += part * d[i], x->w[i] += part * d[n + i];
    taut_mem_free(z->s->context, d);
    return X(start_project)(z->s, x);
}

/* ---- the way back ---- */

typedef struct {
    real q, p;
} sizes;

static real separation(const state *x, const state *y, const sizes *size)
{
    real q = 0, p = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        q = real_most(q, (x->q[i] - y->q[i]) + (x->q_low[i] - y->q_low[i]));
        p = real_most(p, (x->p[i] - y->p[i]) + (x->p_low[i] - y->p_low[i]));
    }
    return larger(q > 0 ? q / size->q : q, p > 0 ? p / size->p : p);
}

static void include(sizes *size, const state *x)
{
    size->q = larger(size->q, real_largest(x->q, x->n));
    size->p = larger(size->p, real_largest(x->p, x->n));
}

/* The state of the simulation and a perturbed one, `other`, back to where the way began. */
static int go_back(simulation *z, real h, long steps, const sizes *size, state *other, real *growth)
{
    real first = separation(&z->x, other, size);
    *growth = 1;
    for (long n = 0; n < steps; n++) {
        int status = X(simulation_step)(z, -h);
        X(state_swap)(&z->x, other), simulation_moved(z);
        if (!status) status = X(simulation_step)(z, -h);
        X(state_swap)(&z->x, other), simulation_moved(z);
        if (status) return status;
        if (first > 0) *growth = larger(*growth, separation(&z->x, other, size) / first);
    }
    return TAUT_OK;
}

/* A rounding error of positions, divided by the step, becomes a velocity off the constraints, and stays there where the
   method does not keep dg/dt = 0. The perturbation, which is one along them, does not show it. way: the farthest that a
   coordinate went in a step. */
static real growth_beside(const simulation *z, real way, const sizes *size)
{
    if (!z->s->c || !(z->declared.keeps & KEEPS_POSITION) || (z->declared.keeps & KEEPS_VELOCITY)) return 1;
    return way > 0 ? 1 + size->q / way : 1;
}

/* The largest change of a coordinate. */
static real distance(const real *from, const real *to, uint32_t n)
{
    real most = 0;
    for (uint32_t i = 0; i < n; i++) most = real_most(most, to[i] - from[i]);
    return most;
}

int X(simulation_return)(simulation *z, real h, long steps, engine_return *out)
{
    state begin = { 0 }, other = { 0 };
    sizes size = { 0, 0 };
    real growth = 1, way = 0;
    *out = (engine_return){ 0, 1 };
    int status = X(simulation_without_contacts)(z, "a measurement of a method");
    if (!status) status = X(state_create)(z->s, &begin);
    if (!status) status = X(state_create)(z->s, &other);
    if (!status) {
        X(state_copy)(&z->x, &begin);
        include(&size, &z->x);
    }
    for (long n = 0; !status && n < steps; n++) {
        X(state_copy)(&z->x, &other);
        status = X(simulation_step)(z, h);
        if (status) break;
        include(&size, &z->x);
        way = larger(way, distance(other.q, z->x.q, z->x.n));
    }
    if (!(size.q > 0)) size.q = 1; /* at rest in the origin: as choose_direction has it */
    if (!(size.p > 0)) size.p = 1;
    /* A displacement small enough to grow linearly, large enough for its rounding errors not to count. */
    if (!status) status = displace(z, &z->x, REAL(sqrt)(REAL_EPSILON), &other);
    if (!status) status = go_back(z, h, steps, &size, &other, &growth);
    if (!status) *out = (engine_return){ separation(&z->x, &begin, &size), growth * growth_beside(z, way, &size) };
    if (begin.block) X(state_copy)(&begin, &z->x), simulation_moved(z);
    X(state_clear)(z->s, &begin);
    X(state_clear)(z->s, &other);
    return status;
}

/* ---- the symplectic form ---- */

/* Tangent vectors by central differences along curves on the manifold, extrapolated: with LEVELS halvings the error is
   of order 2 LEVELS in the displacement. Rounding errors are divided by the smallest displacement: DISPLACEMENT / 8. */
#define LEVELS 4
#define VECTORS 4
#ifdef TAUT_REAL_QUAD
#define DISPLACEMENT (1 / (real)8192)
#else
#define DISPLACEMENT (1 / (real)64)
#endif
#define SHRINK 16  /* the displacement, when differences of two orders do not agree */
#define TRIALS 4

/* Two estimates of a vector (dq, dp): by all levels, and without the largest displacement. */
typedef struct {
    real *best, *other;
} tangent;

typedef struct {
    simulation *z;
    uint32_t size;              /* 2n */
    state base, x;
    nearby *nearby;
    void *room;                 /* of the arrays below */
    real *dq, *dw;              /* the direction */
    real *plus[2], *minus[2];   /* (q, p) before and after the step */
    real *levels[2][LEVELS];
    tangent vectors[2][VECTORS];
} prober;

static void prober_clear(prober *z)
{
    X(nearby_destroy)(z->nearby);
    X(state_clear)(z->z->s, &z->base);
    X(state_clear)(z->z->s, &z->x);
    room_free(z->z->s->context, &z->room);
}

static void lay_out(void *self, room_layout *l)
{
    prober *p = self;
    for (int after = 0; after < 2; after++) {
        p->plus[after] = room_reals(l, p->size);
        p->minus[after] = room_reals(l, p->size);
        for (int k = 0; k < LEVELS; k++) p->levels[after][k] = room_reals(l, p->size);
        for (int k = 0; k < VECTORS; k++) {
            p->vectors[after][k].best = room_reals(l, p->size);
            p->vectors[after][k].other = room_reals(l, p->size);
        }
    }
    p->dq = room_reals(l, p->size / 2), p->dw = room_reals(l, p->size / 2);
}

static int prober_create(prober *p, simulation *z)
{
    *p = (prober){ .z = z, .size = 2 * z->s->n };
    int status = X(state_create)(z->s, &p->base);
    if (!status) status = X(state_create)(z->s, &p->x);
    if (!status) status = room_create(z->s->context, lay_out, p, &p->room);
    if (status) return status;
    X(state_copy)(&z->x, &p->base);
    status = X(start_project)(z->s, &p->base);
    return status ? status : X(nearby_create)(z->s, &p->base, &p->nearby);
}

/* With the leftovers of compensated summation: they count here. base's own values are taken away, so that differences
   do not lose the digits that the leftovers brought. */
static void take(const prober *p, const state *x, real *out)
{
    uint32_t n = x->n;
    for (uint32_t i = 0; i < n; i++) {
        out[i] = (x->q[i] - p->base.q[i]) + x->q_low[i];
        out[n + i] = (x->p[i] - p->base.p[i]) + x->p_low[i];
    }
}

/* (q, p) before and after a step from the displaced base. */
static int probe(prober *p, real h, real displacement, real *before, real *after)
{
    simulation *z = p->z;
    int status = X(nearby_state)(p->nearby, displacement, p->dq, p->dw, &p->x);
    if (status) return status;
    take(p, &p->x, before);
    X(state_swap)(&z->x, &p->x), simulation_moved(z);
    status = X(simulation_step)(z, h);
    X(state_swap)(&z->x, &p->x), simulation_moved(z);
    if (!status) take(p, &p->x, after);
    return status;
}

static int differentiate(prober *p, real h, real displacement, int vector)
{
    choose_direction(&p->base, 88172645463325252ULL + 7919 * (uint64_t)vector, p->dq, p->dw);
    for (int k = 0; k < LEVELS; k++, displacement /= 2) {
        int status = probe(p, h, displacement, p->plus[0], p->plus[1]);
        if (!status) status = probe(p, h, -displacement, p->minus[0], p->minus[1]);
        if (status) return status;
        for (int after = 0; after < 2; after++)
            for (uint32_t i = 0; i < p->size; i++)
                p->levels[after][k][i] = (p->plus[after][i] - p->minus[after][i]) / (2 * displacement);
    }
    for (int after = 0; after < 2; after++)
        for (uint32_t i = 0; i < p->size; i++) {
            real t[LEVELS];
            for (int k = 0; k < LEVELS; k++) t[k] = p->levels[after][k][i];
            for (int column = 1, power = 4; column < LEVELS; column++, power *= 4) {
                p->vectors[after][vector].other[i] = t[LEVELS - 1];
                for (int k = LEVELS - 1; k >= column; k--) t[k] += (t[k] - t[k - 1]) / (power - 1);
            }
            p->vectors[after][vector].best[i] = t[LEVELS - 1];
        }
    return TAUT_OK;
}

/* omega(u, v) = dq_u . dp_v - dp_u . dq_v; *terms: the sum of absolute values */
static real omega(const real *u, const real *v, uint32_t n, real *terms)
{
    real sum = 0, absolute = 0;
    for (uint32_t i = 0; i < n; i++) {
        real a = u[i] * v[n + i], b = u[n + i] * v[i];
        sum += a - b;
        absolute += REAL(fabs)(a) + REAL(fabs)(b);
    }
    *terms = larger(*terms, absolute);
    return sum;
}

static void compare_pairs(const prober *p, engine_symplecticity *out)
{
    uint32_t n = p->size / 2;
    for (int i = 0; i < VECTORS; i++)
        for (int k = 0; k < i; k++) {
            const tangent *u = p->vectors[0], *v = p->vectors[1];
            real terms = 0;
            real best = omega(v[i].best, v[k].best, n, &terms) - omega(u[i].best, u[k].best, n, &terms);
            real other = omega(v[i].other, v[k].other, n, &terms) - omega(u[i].other, u[k].other, n, &terms);
            if (!(terms > 0)) continue;
            out->defect = larger((real)out->defect, REAL(fabs)(best) / terms);
            out->uncertainty = larger((real)out->uncertainty, REAL(fabs)(best - other) / terms);
            out->pairs++;
        }
}

int X(simulation_symplecticity)(simulation *z, real h, engine_symplecticity *out)
{
    prober p;
    real displacement = DISPLACEMENT;
    *out = (engine_symplecticity){ 0 };
    int smooth = X(simulation_without_contacts)(z, "a measurement of a method");
    if (smooth) return smooth;
    int status = prober_create(&p, z), done = 0;
    for (int trial = 0; !status && trial < TRIALS; trial++, displacement /= SHRINK) {
        int failed = TAUT_OK;
        for (int v = 0; !failed && v < VECTORS; v++) failed = differentiate(&p, h, displacement, v);
        if (failed < 0 || failed == TAUT_OUT_OF_MEMORY || (failed && trial == TRIALS - 1 && !done)) status = failed;
        if (failed) continue; /* displaced too far */
        /* Every number of the differences has an error of some ulps of the state. */
        real floor = 8 * REAL_EPSILON * (1 << (LEVELS - 1)) / displacement;
        engine_symplecticity now = { 0, floor, 0 };
        compare_pairs(&p, &now);
        if (!done || now.uncertainty < out->uncertainty) *out = now;
        done = 1;
        if (out->uncertainty <= 100 * floor) break;
    }
    prober_clear(&p);
    return status;
}
