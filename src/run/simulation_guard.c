/* Whether a state is still one of the model's motion: how far it is off the constraints, in units of the terms that
 * they consist of; whether anything moves but by round-off; whether a step resolves the equations. The run's guard
 * (run/guard.h) asks when something looks strange; nothing here is evaluated otherwise. */
#include "run/simulation.h"

#define SLIGHT ((real)1e-2)    /* a constraint that is off by less of the largest coordinate may be one of small terms */
#define STILL ((real)1e-9)     /* what moves by less of that in a step may be round-off of the positions */
#define TOLERANCE ((real)1e-6) /* of the exact solution: a step that does not resolve a motion is off by all of it */

/* Whether velocities off the constraints say anything. A method that keeps positions alone has them by its
   construction, in proportion to the step. */
static int judges_velocity(const simulation *z, uint32_t k)
{
    const unsigned keeps = z->declared.keeps;
    return X(system_is_velocity_constraint)(z->s, k) || keeps & KEEPS_VELOCITY || !(keeps & KEEPS_POSITION);
}

/* Off by `value`, which is a sum of terms of this size. */
static void note(engine_off *worst, real value, real size, uint32_t k, int is_velocity)
{
    const double ratio = size > 0 ? (double)(REAL(fabs)(value) / size) : HUGE_VAL;
    if (!(ratio > worst->ratio)) return;
    worst->ratio = ratio, worst->value = (double)REAL(fabs)(value), worst->size = (double)size;
    worst->constraint = k, worst->is_velocity = is_velocity;
}

/* After a start that is left as it is the motion is off the constraints, which is no error.
   The terms of g_k at a first order, sum_i |G_ki| |q_i|, and of dg_k/dt, sum_i |G_ki| |v_i|: without units, whatever
   the coordinates are. Of positions the larger of |q_i| and the way from the start count. */
void X(simulation_off)(simulation *z, engine_off *position, engine_off *velocity)
{
    const struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    *position = *velocity = (engine_off){ 0 };
    if (!s->c || z->m->phase || z->start.as_is) return;
    real g, rate, reach = real_largest(z->x.q, s->n);
    X(simulation_residuals)(z, &g, &rate); /* leaves g, dg/dt, G and v in z->g, g_rate, g_values and v */
    const real elapsed = REAL(fabs)(z->x.t - z->begin.t);
    for (uint32_t k = 0; k < s->c; k++) {
        real all = 0, terms = 0, rates = 0;
        for (int e = p->start[k]; e < p->start[k + 1]; e++) {
            const int i = p->index[e];
            const real gradient = REAL(fabs)(z->g_values[e]);
            all += gradient;
            terms += gradient * REAL(fmax)(REAL(fabs)(z->x.q[i]), REAL(fabs)(z->x.q[i] - z->begin.q[i]));
            rates += gradient * REAL(fabs)(z->v[i]);
        }
        const real floor = SLIGHT * all * reach;
        if (REAL(fabs)(z->g[k]) > floor) note(position, z->g[k], terms, k, 0);
        if (REAL(fabs)(z->g_rate[k]) * elapsed > floor && judges_velocity(z, k))
            note(velocity, z->g_rate[k], rates, k, 1);
    }
    simulation_moved(z); /* what is watched is read as if nobody had looked */
}

int X(simulation_is_still)(simulation *z)
{
    X(simulation_read)(z, READING_VELOCITY);
    return real_largest(z->v, z->s->n) * REAL(fabs)(z->h) <= STILL * real_largest(z->x.q, z->s->n);
}

static real apart(const real *x, const real *y, const real *from, uint32_t n)
{
    real most = 0;
    for (uint32_t i = 0; i < n; i++) most = REAL(fmax)(most, REAL(fabs)(x[i] - y[i]));
    const real size =
        REAL(fmax)(real_largest(from, n), REAL(fmax)(real_largest(x, n), real_largest(y, n)));
    return size > 0 ? most / size : 0;
}

/* One step of the method and the exact solution over the same time, from here. */
int X(simulation_step_error)(simulation *z, double *error)
{
    simulation *step = NULL, *exact = NULL;
    const uint32_t n = z->s->n;
    int status = X(simulation_clone)(z, z->context, &step);
    if (!status) status = X(simulation_clone)(z, z->context, &exact);
    if (!status) status = X(simulation_step)(step, z->h);
    if (!status) status = X(simulation_flow)(exact, z->x.t + z->h, TOLERANCE);
    if (!status)
        *error = (double)REAL(fmax)(apart(step->x.q, exact->x.q, z->x.q, n), apart(step->x.w, exact->x.w, z->x.w, n));
    X(simulation_destroy)(exact);
    X(simulation_destroy)(step);
    return status;
}
