/* Does a step keep the symplectic form on the constraint manifold {g = 0, G H_p + g_t = 0}?
 *
 * For surfaces x(a,b) in the manifold through a state of a run, omega(x_a, x_b) = q_a.p_b - p_a.q_b before and after
 * the step, with the derivatives by central differences of order 4. Their error is eps/d + C d^4, smallest near d =
 * eps^(1/5): eps^(4/5), that is 3e-13 in double and 1e-27 in quad, times what the fifth derivatives of the motion ask.
 * That is what round-off means here. */
#ifndef TAUT_TESTS_SUPPORT_SYMPLECTIC_H
#define TAUT_TESTS_SUPPORT_SYMPLECTIC_H

#include "linalg/dense.h"
#include "support.h"

enum { MOST = 16 }; /* coordinates */

/* Nearest point (Euclidean norm of q, then of w) with g = 0 and G nu + g_t = 0, from a state d away from one: Newton,
   to round-off. */
static inline void onto_manifold(simulation *z, state *x)
{
    struct system *s = z->s;
    const pattern *shape = s->blocks[BLOCK_G].parts[0].shape;
    int n = (int)s->n, c = (int)s->c, pivot[MOST];
    real a[MOST * MOST], r[MOST], v[MOST], *g = z->g_values, row[MOST][MOST], before = 0;
    for (int velocity = 0; velocity < 2 && c; velocity++)
        for (int k = 0; k < 30; k++) {
            place at = place_at(z->s, x->q, x->w, &x->t, NULL);
            real *unknown = velocity ? x->w : x->q, size = 0;
            X(system_block_values)(s, BLOCK_G, &at, g);
            memset(row, 0, sizeof row);
            for (int i = 0; i < c; i++)
                for (int e = shape->start[i]; e < shape->start[i + 1]; e++) row[i][shape->index[e]] = g[e];
            if (velocity) {
                X(system_velocity)(s, &at, v); /* all models with constraints here are Lagrangian: v is w */
                X(system_constraint_rate)(s, &at, r);
                for (int i = 0; i < c; i++)
                    for (int j = 0; j < n; j++) r[i] += row[i][j] * v[j];
            } else {
                X(system_constraints)(s, &at, r);
            }
            for (int i = 0; i < c; i++)
                for (int l = 0; l < c; l++) {
                    a[i * c + l] = 0;
                    for (int j = 0; j < n; j++) a[i * c + l] += row[i][j] * row[l][j];
                }
            assert_int_equal(X(dense_factor)(c, a, pivot, 0), 0);
            X(dense_solve)(c, a, pivot, r);
            for (int j = 0; j < n; j++) {
                real change = 0;
                for (int i = 0; i < c; i++) change += row[i][j] * r[i];
                unknown[j] -= change;
                size = larger(size, REAL(fabs)(change));
            }
            if (size == 0 || (k > 2 && size >= before / 2)) break;
            before = size;
        }
    place at = place_at(z->s, x->q, x->w, &x->t, NULL);
    X(system_momentum)(s, &at, x->p);
}

/* The map under test: a step, or something that is not symplectic. */
typedef void (*step_map)(simulation *z, real h);

static inline void one_step(simulation *z, real h) { do_steps(z, 1, h); }

/* The control: explicit Euler, then back onto the manifold. Its defect is of size h^2. */
static inline void projected_euler(simulation *z, real h)
{
    struct system *s = z->s;
    real v[MOST], dv[MOST];
    place at = place_at(z->s, z->x.q, z->x.w, &z->x.t, z->lambda);
    X(system_velocity)(s, &at, v);
    assert_int_equal(X(acceleration_solve)(z->acceleration, z->x.q, z->x.w, z->x.t, z->lambda, dv), TAUT_OK);
    for (uint32_t i = 0; i < s->n; i++) z->x.q[i] += h * v[i], z->x.w[i] += h * dv[i];
    z->x.t += h;
    onto_manifold(z, &z->x);
}

/* A second control: the midpoint rule of Runge, explicit and of order 2, then back onto the manifold. */
static inline void projected_runge(simulation *z, real h)
{
    struct system *s = z->s;
    real q[MOST], w[MOST], v[MOST], dv[MOST];
    memcpy(q, z->x.q, s->n * sizeof(real));
    memcpy(w, z->x.w, s->n * sizeof(real));
    for (int stage = 1; stage <= 2; stage++) {
        real part = stage == 1 ? h / 2 : h;
        place at = place_at(z->s, z->x.q, z->x.w, &z->x.t, z->lambda);
        X(system_velocity)(s, &at, v);
        assert_int_equal(X(acceleration_solve)(z->acceleration, z->x.q, z->x.w, z->x.t, z->lambda, dv), TAUT_OK);
        for (uint32_t i = 0; i < s->n; i++) z->x.q[i] = q[i] + part * v[i], z->x.w[i] = w[i] + part * dv[i];
        z->x.t += h / 2;
    }
    onto_manifold(z, &z->x);
}

typedef struct {
    real q[MOST], p[MOST];
} tangent;

/* Directions of the perturbation: the same in every precision. */
static inline real direction(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (real)((double)(*seed >> 11) / 9007199254740992.0 - 0.5);
}

/* d/da of the state before (0) and after (1) the map, along a random direction. */
static inline void derivatives(simulation *z, const state *centre, step_map map, real h, uint64_t seed, tangent out[2])
{
    static const struct { int at, weight; } stencil[] = { { -2, 1 }, { -1, -8 }, { 1, 8 }, { 2, -1 } }; /* over 12 d */
    uint32_t n = z->s->n;
    real q[MOST], w[MOST], d = REAL(pow)(REAL_EPSILON, (real)0.2) / 4;
    real q_size = largest_of(centre->q, n), w_size = largest_of(centre->w, n);
    for (uint32_t i = 0; i < n; i++) q[i] = q_size * direction(&seed), w[i] = w_size * direction(&seed);
    memset(out, 0, 2 * sizeof *out);
    for (int k = 0; k < 4; k++) {
        X(state_copy)(centre, &z->x);
        for (uint32_t i = 0; i < n; i++) {
            z->x.q[i] += stencil[k].at * d * q[i], z->x.w[i] += stencil[k].at * d * w[i];
            z->x.q_low[i] = z->x.p_low[i] = 0;
        }
        if (z->s->form == FORM_HAMILTONIAN)
            memcpy(z->x.p, z->x.w, n * sizeof(real));
        else
            onto_manifold(z, &z->x);
        for (int after = 0; after < 2; after++) {
            if (after) map(z, h);
            for (uint32_t i = 0; i < n; i++) {
                out[after].q[i] += stencil[k].weight * (z->x.q[i] + z->x.q_low[i]) / (12 * d);
                out[after].p[i] += stencil[k].weight * (z->x.p[i] + z->x.p_low[i]) / (12 * d);
            }
        }
    }
}

static inline real omega(const tangent *a, const tangent *b, uint32_t n, real *size)
{
    real sum = 0;
    *size = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += a->q[i] * b->p[i] - a->p[i] * b->q[i];
        *size += REAL(fabs)(a->q[i] * b->p[i]) + REAL(fabs)(a->p[i] * b->q[i]);
    }
    return sum;
}

/* Largest |omega after - factor * omega before| over three pairs of directions, relative to the sizes of its terms. */
static inline double defect(simulation *z, step_map map, real h, real factor)
{
    state centre = save_state(z);
    real worst = 0, size, ignored;
    for (uint64_t pair = 1; pair <= 3; pair++) {
        tangent a[2], b[2];
        derivatives(z, &centre, map, h, 2 * pair, a);
        derivatives(z, &centre, map, h, 2 * pair + 1, b);
        real before = omega(&a[0], &b[0], z->s->n, &size), after = omega(&a[1], &b[1], z->s->n, &ignored);
        worst = larger(worst, REAL(fabs)(after - factor * before) / size);
    }
    X(state_copy)(&centre, &z->x);
    X(state_clear)(z->s, &centre);
    return (double)worst;
}

/* See the top; 4 for d, which is smaller than that (the fifth derivatives are large), and 50 for the sum of rounding
   errors it divides. */
static inline double round_off(void) { return 200 * pow((double)REAL_EPSILON, 0.8); }

#endif
