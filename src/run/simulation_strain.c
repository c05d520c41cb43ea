/* Multipliers that grow while the motion stays as it is: the constraints come to depend on each other where they did
 * not before. A constraint is missing that was taken for redundant, or the position is singular and the motion has
 * several ways to go on.
 *
 * With a distance d(t) to the dependence multipliers grow as 1/d, in some steps to many times their size, and their
 * forces cancel but for what the motion needs: sum_k |G_k| |lambda_k| grows, |G' lambda| does not. A step sees the
 * first by a sum over the multipliers, and asks for the second only when it has grown by a seventh, which a motion that
 * the steps resolve does not do, except out of rest. Results do not depend on any of this.
 *
 * Mechanisms beside each other are looked at one by one where there are many constraints (simulation_strain_parts.c):
 * in the sums over all, those of one would be lost. */
#include "run/simulation_strain.h"

#include <string.h>

#include "solve/redundancy.h"
#include "system/vector.h"

#define NEWS_FIRST 3 /* in the size of the multipliers since they began to grow: less is not yet STRAIN_FAR */

/* Lengths of the gradients at the state, squared, into z->g_rate. */
void X(simulation_strain_lengths)(simulation *z)
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

/* Forces at a state. */
typedef struct {
    method_forces sums;
    int all;             /* the method had them all; otherwise free forces and momenta are yet to be summed */
} look;

/* The forces but those of constraints, and momenta. Overwrites z->v, unless they are all known. */
static void sum_others(simulation *z, look *l)
{
    const struct system *s = z->s;
    place at = place_at(s, z->x.q, z->x.w, &z->x.t, z->lambda);
    if (!l->all && s->form != FORM_RATES) X(system_free_force)(s, &at, z->v);
    for (uint32_t i = 0; !l->all && i < s->n; i++) {
        l->sums.momenta += REAL(fabs)(z->x.p[i]);
        if (s->form != FORM_RATES) l->sums.free += REAL(fabs)(z->v[i]);
    }
}

/* The terms of sum_k |G_k| |lambda_k| into z->g, with those of z->lambda, and G into z->g_values. Returns the sum. */
static real find_terms(simulation *z)
{
    real apart = 0;
    X(simulation_strain_lengths)(z);
    for (uint32_t k = 0; k < z->s->c; k++) apart += z->g[k] = REAL(sqrt)(z->g_rate[k]) * REAL(fabs)(z->lambda[k]);
    return apart;
}

/* sum_k |G_k| |lambda_k| / |G' lambda| at the state, with the multipliers that belong to it, which those of a method
   need not do; 0 where there are none. Of many constraints the method's are taken: to solve for others costs as much
   as several steps, and out of rest multipliers grow in many of them. What the method still has of its last step is
   asked of it. */
static real find_ratio(simulation *z, look *l)
{
    const struct system *s = z->s;
    *l = (look){ 0 };
    l->all = s->c > STRAIN_WEIGHED && X(method_forces_at)(&z->method, &z->x, &l->sums);
    if (!l->all) {
        memcpy(z->lambda, z->x.lambda, s->c * sizeof(real));
        if (s->c <= STRAIN_WEIGHED && X(acceleration_solve)(z->acceleration, z->x.q, z->x.w, z->x.t, z->lambda, NULL))
            return 0;
        l->sums.apart = find_terms(z);
        memset(z->v, 0, s->n * sizeof(real));
        X(block_multiply_transposed)(&s->blocks[BLOCK_G], z->g_values, 1, z->lambda, z->v);
        for (uint32_t i = 0; i < s->n; i++) l->sums.whole += z->v[i] * z->v[i];
    }
    return l->sums.whole > 0 ? l->sums.apart / REAL(sqrt)(l->sums.whole) : 0;
}

void X(simulation_strain_begin)(simulation *z)
{
    const struct system *s = z->s;
    z->strain = (strain){ .watched = s->c && !z->m->phase && !z->hybrid };
    X(simulation_strain_forget)(z);
    if (!z->strain.watched || s->c > STRAIN_WEIGHED) return;
    X(simulation_strain_lengths)(z);
    for (uint32_t k = 0; k < s->c; k++) z->weights[k] = REAL(sqrt)(z->g_rate[k]);
    z->strain.size = (multiplier_growth){ .weights = z->weights, .count = s->c };
    simulation_moved(z);
}

real X(simulation_strain_of_many)(const simulation *z)
{
    const real seen = X(method_outcome_of)(&z->method).multiplier;
    return seen >= 0 ? seen : X(vector_largest)(z->pool, z->s->c, z->x.lambda);
}

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
    look l;
    z->x.q = z->grew, z->x.w = z->grew + n, z->x.p = z->grew + 2 * n, z->x.lambda = z->grew + 3 * n;
    z->x.t = z->strain.at;
    const real ratio = find_ratio(z, &l);
    sum_others(z, &l);
    if (!strain_is_round_off(z, l.sums.apart, l.sums.free, l.sums.momenta)) z->strain.calm = ratio;
    z->x = now;
    z->strain.waits = 0;
}

void X(simulation_strain_look)(simulation *z)
{
    strain *n = &z->strain;
    look l;
    if (z->s->c <= STRAIN_WEIGHED && !(n->calm > 0) && !n->waits) {
        keep_for_later(z);
        return;
    }
    /* a look costs most of a step, or several substeps: only when there is something new */
    if (n->calm > 0 && !(n->size.size > STRAIN_NEWS * n->looked)) return;
    if (n->waits && !(n->size.size > NEWS_FIRST * n->looked)) return;
    if (n->waits) catch_up(z);
    n->looked = n->size.size;
    const real ratio = find_ratio(z, &l);
    if (n->calm > 0 && !(ratio > STRAIN_FAR * n->calm)) return;
    sum_others(z, &l);
    if (strain_is_round_off(z, l.sums.apart, l.sums.free, l.sums.momenta)) return;
    if (!(n->calm > 0)) {
        n->calm = ratio;
        return;
    }
    if (strain_is_ordinary(z, l.sums.apart, l.sums.free, l.sums.momenta)) return;
    n->seen = 1;
    n->t = z->x.t;
    n->grown = ratio / n->calm;
    if (l.all) { /* with what it takes to name constraints */
        memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
        find_terms(z);
    }
    X(redundancy_names)(z->s, z->g, n->names, sizeof n->names);
}
