/* What a run watches: energy, residuals, conserved momenta, and energy - work. The sums are kept in the precision of
   the unit: a run in double precision does all its arithmetic in it. */
#include <stdio.h>
#include <string.h>

#include "run/simulation.h"

size_t X(simulation_watch_count)(const simulation *z)
{
    return 3 + (size_t)z->symmetry_count + (size_t)X(simulation_has_work)(z);
}

void X(simulation_watch_name)(const simulation *z, size_t index, char *buffer, size_t size)
{
    static const char *const names[] = { "energy", "constraint", "velocity_constraint" };
    if (index < 3)
        snprintf(buffer, size, "%s", names[index]);
    else if (index == 3 + (size_t)z->symmetry_count)
        snprintf(buffer, size, "energy - work");
    else
        X(symmetry_name)(z->s, &z->symmetries[index - 3], buffer, size);
}

/* Energy - work where the model has work, otherwise the energy. */
static real held_energy(const simulation *z, int has_work)
{
    return has_work ? z->energy - X(simulation_work)(z) : z->energy;
}

static double size_of_state(const simulation *z)
{
    return (double)REAL(fmax)(real_largest(z->x.q, z->s->n), real_largest(z->x.w, z->s->n));
}

void X(simulation_look)(simulation *z, engine_look *found)
{
    X(simulation_read)(z, READING_WATCHED); /* nothing in it can fail */
    const int has_work = X(simulation_has_work)(z);
    const watch_sums *sums = &z->watched[has_work ? 3 + z->symmetry_count : 0];
    real held = held_energy(z, has_work);
    found->energy = (double)z->energy;
    found->change = z->samples > 0 ? (double)(z->energy - z->watched[0].first) : 0;
    found->held = (double)held;
    found->error = z->samples > 0 ? (double)(held - sums->first) : 0;
    found->position = (double)z->largest_g;
    found->velocity = (double)z->largest_rate;
    found->size = z->s->form == FORM_RATES ? size_of_state(z) : 0;
}

static void add(watch_sums *w, real value, real t, int is_first)
{
    /* not a number: the residual of a state without velocities; the next step says so */
    real v = value - value == 0 ? value : w->last;
    if (is_first) w->first = w->lowest = w->highest = v;
    if (v < w->lowest) w->lowest = v;
    if (v > w->highest) w->highest = v;
    w->last = v;
    w->sum += v - w->first;
    w->sum_t += t * (v - w->first);
}

void X(simulation_watch)(simulation *z)
{
    X(simulation_read)(z, READING_WATCHED);
    real t = z->x.t + z->x.t_low;
    int is_first = z->samples == 0;
    watch_sums *w = z->watched;
    add(w++, z->energy, t, is_first);
    add(w++, z->largest_g, t, is_first);
    add(w++, z->largest_rate, t, is_first);
    for (int i = 0; i < z->symmetry_count; i++) add(w++, z->momenta[i], t, is_first);
    if (X(simulation_has_work)(z)) add(w, held_energy(z, 1), t, is_first);
    z->samples += 1;
    z->sum_t += t;
    z->sum_tt += t * t;
}

void X(simulation_watched)(const simulation *z, size_t index, engine_watched *quantity)
{
    const watch_sums *w = &z->watched[index];
    *quantity = (engine_watched){ w->first, w->last, w->lowest, w->highest, w->sum, w->sum_t };
}

void X(simulation_watch_from)(simulation *z, size_t index, const engine_watched *quantity)
{
    const engine_watched *w = quantity;
    z->watched[index] = (watch_sums){ (real)w->first,   (real)w->last, (real)w->lowest,
                                      (real)w->highest, (real)w->sum,  (real)w->sum_t };
}
