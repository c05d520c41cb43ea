/* Multipliers that grow while the motion stays as it is: the constraints come to depend on each other where they did
 * not before. A constraint is missing that was taken for redundant, or the position is singular and the motion has
 * several ways to go on.
 *
 * With a distance d(t) to the dependence multipliers grow as 1/d, in some steps to many times their size, and their
 * forces cancel but for what the motion needs: sum_k |G_k| |lambda_k| grows, |G' lambda| does not. A step sees the
 * first by a sum over the multipliers, and asks for the second only when it has grown by a seventh, which a motion
 * that the steps resolve does not do, except out of rest. Results do not depend on any of this. */
#include "run/simulation.h"

#include <string.h>

#include "solve/redundancy.h"
#include "system/vector.h"

/* Where a motion needs no force of constraints (a straight chain that falls freely), multipliers are round-off, which
   grows and shrinks by any factor: all forces of constraints together are then less than this of the other forces, or
   change momenta in a step by less than this of them. */
#define ROUND_OFF_FORCE ((real)1e-6)
#define ROUND_OFF_MOMENTUM ((real)1e-9)
#define NEWS 2       /* in the size of the multipliers since the last look */
#define NEWS_FIRST 3 /* since they began to grow: less is not yet FAR */
#define FAR 4 /* since the growth began, when it is reported: 1/d grows by seven or more wherever the steps are */

/* Lengths of the gradients at the state, squared, into z->g_rate. */
static void find_lengths(simulation *z)
{
    const struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    place at = place_at(s, z->x.q, z->x.w, &z->x.t, z->x.lambda);
    X(system_block_values)(s, BLOCK_G, &at, z->g_values);
    for (int k = 0; k < p->rows; k++) {
        real sum = 0;
        for (int e = p->start[k]; e < p->start[k + 1]; e++) sum += z->g_values[e] * z->g_values[e];
        z->g_rate[k] = sum;
    }
}

/* Whether forces that add up to `apart`, each as a size, are round-off. Overwrites z->v. */
static int is_round_off(simulation *z, real apart)
{
    const struct system *s = z->s;
    real forces = 0, momenta = 0;
    place at = place_at(s, z->x.q, z->x.w, &z->x.t, z->lambda);
    if (s->form != FORM_RATES) X(system_free_force)(s, &at, z->v);
    for (uint32_t i = 0; i < s->n; i++) {
        momenta += REAL(fabs)(z->x.p[i]);
        if (s->form != FORM_RATES) forces += REAL(fabs)(z->v[i]);
    }
    const real h = REAL(fabs)(z->h);
    return h * apart <= ROUND_OFF_FORCE * h * forces + ROUND_OFF_MOMENTUM * momenta;
}

/* sum_k |G_k| |lambda_k| / |G' lambda| at the state, with the multipliers that belong to it, which those of a method
   need not do; 0 where there are none. Of many constraints the method's are taken: to solve for others costs as much
   as several steps, and out of rest multipliers grow in many of them. Leaves the terms in z->g, *sum is theirs. */
static real find_ratio(simulation *z, real *sum)
{
    const struct system *s = z->s;
    real apart = 0, whole = 0;
    *sum = 0;
    memcpy(z->lambda, z->x.lambda, s->c * sizeof(real));
    if (s->c <= STRAIN_WEIGHED && X(acceleration_solve)(z->acceleration, z->x.q, z->x.w, z->x.t, z->lambda, NULL))
        return 0;
    find_lengths(z);
    memset(z->v, 0, s->n * sizeof(real));
    X(block_multiply_transposed)(&s->blocks[BLOCK_G], z->g_values, 1, z->lambda, z->v);
    for (uint32_t k = 0; k < s->c; k++) apart += z->g[k] = REAL(sqrt)(z->g_rate[k]) * REAL(fabs)(z->lambda[k]);
    for (uint32_t i = 0; i < s->n; i++) whole += z->v[i] * z->v[i];
    *sum = apart;
    return whole > 0 ? apart / REAL(sqrt)(whole) : 0;
}

void X(simulation_strain_begin)(simulation *z)
{
    const struct system *s = z->s;
    z->strain = (strain){ .watched = s->c && !z->m->phase && !z->hybrid };
    if (!z->strain.watched || s->c > STRAIN_WEIGHED) return;
    find_lengths(z);
    for (uint32_t k = 0; k < s->c; k++) z->weights[k] = REAL(sqrt)(z->g_rate[k]);
    z->strain.size = (multiplier_growth){ .weights = z->weights, .count = s->c };
    simulation_moved(z);
}

real X(simulation_strain_of_many)(const simulation *z) { return X(vector_largest)(z->pool, z->s->c, z->x.lambda); }

/* Most growths are over after a step, and nothing of them is asked for. */
static void keep_for_later(simulation *z)
{
    const size_t n = z->s->n, size = n * sizeof(real);
    memcpy(z->grew, z->x.q, size), memcpy(z->grew + n, z->x.w, size), memcpy(z->grew + 2 * n, z->x.p, size);
    memcpy(z->grew + 3 * n, z->x.lambda, z->s->c * sizeof(real));
    z->strain.at = z->x.t, z->strain.looked = z->strain.size.size;
    z->strain.waits = 1;
}

/* The ratio at the state that was kept. */
static void catch_up(simulation *z)
{
    const state now = z->x;
    const size_t n = z->s->n;
    real apart;
    z->x.q = z->grew, z->x.w = z->grew + n, z->x.p = z->grew + 2 * n, z->x.lambda = z->grew + 3 * n;
    z->x.t = z->strain.at;
    const real ratio = find_ratio(z, &apart);
    if (!is_round_off(z, apart)) z->strain.calm = ratio;
    z->x = now;
    z->strain.waits = 0;
}

void X(simulation_strain_look)(simulation *z)
{
    strain *n = &z->strain;
    real apart;
    if (z->s->c <= STRAIN_WEIGHED && !(n->calm > 0) && !n->waits) {
        keep_for_later(z);
        return;
    }
    /* a look costs most of a step, or several substeps: only when there is something new */
    if (n->calm > 0 && !(n->size.size > NEWS * n->looked)) return;
    if (n->waits && !(n->size.size > NEWS_FIRST * n->looked)) return;
    if (n->waits) catch_up(z);
    n->looked = n->size.size;
    const real ratio = find_ratio(z, &apart);
    if ((n->calm > 0 && !(ratio > FAR * n->calm)) || is_round_off(z, apart)) return;
    if (!(n->calm > 0)) {
        n->calm = ratio;
        return;
    }
    n->seen = 1;
    n->t = z->x.t;
    n->grown = ratio / n->calm;
    X(redundancy_names)(z->s, z->g, n->names, sizeof n->names);
}
