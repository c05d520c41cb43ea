#include "run/guard.h"

#include <math.h>

/* An error of the energy that is more than half of kinetic and potential energy together says that most of these are
   made by the method. This happens for a moment where a motion begins out of rest. It is no motion of the model any
   more when the error is also ENORMOUS against all energies of the run as long as they made sense; PATIENCE looks in
   a row, or the last one, decide. The first SETTLED looks, at the start and after a step, only take the measure: a
   step from rest may be all error under a method of first order. */
#define ENORMOUS 1e4
#define PATIENCE 5
#define SETTLED 2
/* After a close encounter that the steps did not resolve the error stays, FAR above the usual energies and a good part
   of what there is (a third of it where two bodies are left bound to each other). LASTING looks in a row decide: in an
   encounter that steps do resolve the error is gone as soon. A mean of the sizes is the usual energy, since a maximum
   would be that of encounters; every SAMPLE-th look adds to it. */
#define FAR 10
#define PART 0.25
#define LASTING 20
#define SAMPLE 16
/* A constraint that is off by a fifth of its terms: a rod that is longer by a third. Velocities: by half of the largest
   terms so far, and LASTING, because all of them are small where a motion turns back. Constraints are looked at one by
   one when the largest residual has grown: a look costs as much as a step. */
#define OFF_POSITION 0.2
#define OFF_VELOCITY 0.5
#define GROWN 16
#define QUIET 1e3     /* residuals that are less than this many of those at the start are round-off */
#define SMALL 1000    /* coordinates: looks at the constraints cost nothing worth mentioning */
/* A state of rates that is so much larger is looked at; a step whose error against the exact solution is half of the
   state does not resolve it. */
#define GROWTH 1e4
#define UNRESOLVED 0.5

void taut_guard_begin(run_guard *g, taut_context *context, const engine_api *api, void *engine)
{
    *g = (run_guard){ .context = context, .api = api, .engine = engine };
    g->kept = api->energy_size(engine, NULL);
    g->held = api->balance(engine) ? "energy - work" : "the energy";
}

static double time_of(const run_guard *g) { return (double)g->api->time(g->engine); }

/* ---- energy ---- */

/* Counts looks in a row. */
static int in_a_row(int *count, int yes) { return *count = yes ? *count + 1 : 0; }

/* change: of the energy alone. Where it is as it was, energy - work is off by its account of the work, which may be
   rough where forces are stiff, and the motion need not be. */
static int is_energy_lost(run_guard *g, double error, double change, int last)
{
    const double usual = g->samples > 0 ? g->sum / g->samples : 0;
    const int settling = g->looks < SETTLED, sampled = settling || g->looks % SAMPLE == 0,
              strange = error > g->energies / 4 || error > FAR * usual / 4;
    wide size = 0;
    if (sampled || strange) g->api->energy_size(g->engine, &size); /* as dear as the energy itself */
    if (settling || (sampled && error <= PART * (double)size)) g->sum += (double)size, g->samples += 1;
    if (settling || (strange && error <= (double)size / 2)) g->energies = fmax(g->energies, (double)size);
    const int far = !settling && fmin(error, change) > FAR * usual && fmin(error, change) > PART * (double)size;
    /* at rest all energies may be round-off */
    const int absurd = in_a_row(&g->absurd, error > ENORMOUS * g->energies && !g->api->is_still(g->engine)),
              lasting = in_a_row(&g->far, far && !g->api->is_still(g->engine));
    return absurd >= PATIENCE || (absurd && last) || lasting >= LASTING || (lasting >= PATIENCE && last);
}

static int look_at_energy(run_guard *g, const engine_look *seen, int last)
{
    if (!(seen->energy - seen->energy == 0) || !(seen->held - seen->held == 0))
        return taut_fail(g->context, TAUT_NOT_FINITE,
                         "at t = %.9g: %s is no longer a finite number: the step is too large; try a smaller one",
                         time_of(g), g->held);
    if (g->kept == ENGINE_ENERGY_FREE) return TAUT_OK;
    const double error = g->kept == ENGINE_ENERGY_KEPT ? fabs(seen->error) : seen->error;
    if (!is_energy_lost(g, error, fabs(seen->change), last)) return TAUT_OK;
    return taut_fail(g->context, TAUT_NOT_FINITE,
                     "at t = %.9g: %s has changed by %.2g, and kinetic and potential energy were of size %.2g before: "
                     "the step is too large; try a smaller one",
                     time_of(g), g->held, error, g->absurd ? g->energies : g->sum / g->samples);
}

/* ---- constraints ---- */

/* The residual that is worth the next look: this one is `ratio` of its terms. */
static double next_look(double residual, double ratio, double limit)
{
    return residual * fmin(GROWN, ratio > 0 ? fmax(limit / (2 * ratio), 1.5) : GROWN);
}

static int is_worth_a_look(run_guard *g, const engine_look *seen)
{
    if (g->looks < SETTLED) {
        g->next_position = fmax(g->next_position, QUIET * seen->position);
        g->next_velocity = fmax(g->next_velocity, QUIET * seen->velocity);
    }
    uint32_t n, c;
    g->api->sizes(g->engine, &n, &c);
    if (!c) return 0;
    if (g->looks == SETTLED && n <= SMALL) return 1; /* the start may have been bad already */
    return g->off || g->leaves || seen->position > g->next_position || seen->velocity > g->next_velocity;
}

static int say_off(const run_guard *g, const engine_off *worst)
{
    char name[200];
    g->api->constraint_name(g->engine, worst->constraint, name, sizeof name);
    return taut_fail(g->context, TAUT_NOT_FINITE,
                     "at t = %.9g: constraint '%s' is not met any more: %s is %.2g, a sum of terms of size %.2g; try a "
                     "smaller step, or a method that keeps constraints",
                     time_of(g), name, worst->is_velocity ? "its derivative by time" : "it", worst->value,
                     worst->is_velocity ? g->rates : worst->size);
}

static int look_at_constraints(run_guard *g, const engine_look *seen, int last)
{
    engine_off position, velocity;
    if (!g->looks) { /* a run that begins off the constraints is about that */
        g->api->off(g->engine, &position, &velocity);
        g->aside = position.ratio > 0;
    }
    if (g->aside || !is_worth_a_look(g, seen)) return TAUT_OK;
    g->api->off(g->engine, &position, &velocity);
    g->rates = fmax(g->rates, velocity.size);
    velocity.ratio = g->rates > 0 ? velocity.value / g->rates : velocity.ratio;
    g->next_position = next_look(seen->position, position.ratio, OFF_POSITION);
    g->next_velocity = next_look(seen->velocity, velocity.ratio, OFF_VELOCITY);
    const int off = in_a_row(&g->off, position.ratio > OFF_POSITION),
              leaves = in_a_row(&g->leaves, velocity.ratio > OFF_VELOCITY);
    if (off >= PATIENCE || (off && last)) return say_off(g, &position);
    return leaves >= LASTING || (leaves >= PATIENCE && last) ? say_off(g, &velocity) : TAUT_OK;
}

/* ---- growth of a model of rates ---- */

static int look_at_growth(run_guard *g, double size, int last)
{
    double error = 0;
    if (g->looks < SETTLED) g->size = fmax(g->size, size);
    if (!(size > GROWTH * g->size) || g->looks < SETTLED) return TAUT_OK;
    if (g->api->step_error(g->engine, &error) || !(error > UNRESOLVED)) {
        g->size = size, g->unresolved = 0;
        return TAUT_OK;
    }
    if (++g->unresolved < PATIENCE && !last) return TAUT_OK;
    return taut_fail(g->context, TAUT_NOT_FINITE,
                     "at t = %.9g: the state has grown from %.2g to %.2g, and one more step is off from the exact "
                     "solution by %.2g of it: the step is too large; try a smaller one",
                     time_of(g), g->size, size, error);
}

int taut_guard_look(run_guard *g, const engine_look *seen, int last)
{
    int status = look_at_energy(g, seen, last);
    if (!status) status = look_at_constraints(g, seen, last);
    if (!status && seen->size > 0) status = look_at_growth(g, seen->size, last);
    g->looks++;
    return status;
}
