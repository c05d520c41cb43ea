/* How the errors of a method that does not keep the constraints grow, from the current state: energy, residuals, and
 * the distance to the exact solution. */
#include <string.h>

#include "base/elementary.h"
#include "run/simulation.h"

/* Reference: relative error allowed in each of its steps. */
#ifdef TAUT_REAL_QUAD
#define TOLERANCE ((real)1e-24)
#else
#define TOLERANCE 1e-13
#endif

/* Least squares for log(largest so far) over log(t). */
typedef struct {
    real n, x, y, xx, xy;
    real most;
} slope;

static void look(slope *s, real value, real t, int counts)
{
    s->most = real_most(s->most, value);
    if (!counts || !(s->most > 0)) return;
    real x = ELEMENTARY(log)(t), y = ELEMENTARY(log)(s->most);
    s->n += 1, s->x += x, s->y += y, s->xx += x * x, s->xy += x * y;
}

static wide exponent(const slope *s)
{
    real spread = s->n * s->xx - s->x * s->x;
    return s->n > 2 && spread > 0 ? (wide)((s->n * s->xy - s->x * s->y) / spread) : (wide)NAN;
}

static real distance(const state *x, const state *y)
{
    real sum = 0;
    for (uint32_t i = 0; i < x->n; i++) {
        real q = (x->q[i] - y->q[i]) + (x->q_low[i] - y->q_low[i]),
             p = (x->p[i] - y->p[i]) + (x->p_low[i] - y->p_low[i]);
        sum += q * q + p * p;
    }
    return REAL(sqrt)(sum);
}

static real size_of(const state *x)
{
    real sum = 0;
    for (uint32_t i = 0; i < x->n; i++) sum += x->q[i] * x->q[i] + x->p[i] * x->p[i];
    return REAL(sqrt)(sum);
}

int X(simulation_growth)(simulation *z, real h, long steps, long from, long stride, engine_growth *out)
{
    slope slopes[GROWTH_KINDS] = { { 0 } };
    state exact = { 0 };
    real size = size_of(&z->x), energy = X(simulation_energy)(z), begun = z->x.t;
    int status = X(state_create)(z->s, &exact);
    if (!status) status = X(simulation_make_flow)(z);
    if (!status) X(state_copy)(&z->x, &exact);
    for (long n = 1; !status && n <= steps; n++) {
        real position, velocity;
        status = X(simulation_step)(z, h);
        if (status) break;
        real t = (z->x.t - begun) + z->x.t_low;
        int counts = n >= from;
        X(simulation_residuals)(z, &position, &velocity);
        look(&slopes[GROWTH_POSITION], position, t, counts);
        look(&slopes[GROWTH_VELOCITY], velocity, t, counts);
        look(&slopes[GROWTH_ENERGY], X(simulation_energy)(z) - energy, t, counts);
        if (!stride || n % stride) continue;
        status = X(flow_advance)(z->flow, &exact, z->x.t + z->x.t_low, TOLERANCE);
        if (status) break;
        look(&slopes[GROWTH_TRAJECTORY], distance(&z->x, &exact), t, counts);
        size = REAL(fmax)(size, size_of(&exact));
    }
    *out = (engine_growth){ .size = size };
    for (int k = 0; k < GROWTH_KINDS; k++) out->exponent[k] = exponent(&slopes[k]), out->largest[k] = slopes[k].most;
    X(state_clear)(z->s, &exact);
    return status;
}
