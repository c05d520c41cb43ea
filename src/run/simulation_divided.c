/* Steps beside singular positions, in two parts.
 *
 * Where constraints come to depend on each other, a linkage laid flat, the places at which a step evaluates forces (its
 * stages) may come so near to the singular position that the equations of the step say little about them: with a
 * distance d Newton's matrix is nearly singular, round-off of g is divided by d, and the iteration, which converges
 * from no farther than about d, may end at a solution on another branch. Neither is a matter of the motion, which
 * passes in any case, but of where the stages fall. Two parts of unequal lengths put them elsewhere.
 *
 * Newton's iteration says when a step is doubtful. Then parts are tried until one pair is not; if all are, the step
 * stands as it is. All this depends on the state and the step alone, so that a resumed run does the same. */
#include <stdio.h>

#include "run/simulation.h"
#include "solve/newton.h"

/* What has more coordinates keeps no second state; with constant mass steps are explicit but for the constraints. */
enum { MOST = 10000, MOST_EXPLICIT = 1000 };

int X(simulation_divided_create)(simulation *z)
{
    const struct system *s = z->s;
    if (!s->c || z->m->phase || z->m->contact_count || s->n > (s->inverse_mass ? MOST_EXPLICIT : MOST)) return TAUT_OK;
    const int status = X(state_create)(s, &z->divided.start);
    z->divided.possible = !status;
    return status;
}

void X(simulation_divided_destroy)(simulation *z)
{
    if (z->divided.possible) X(state_clear)(z->s, &z->divided.start);
}

static int is_doubtful(int status) { return status == NEWTON_NOISY || status == NEWTON_STRAYED; }

static int careful_step(simulation *z, real h, int careful)
{
    z->s->careful = careful;
    const int status = X(method_step)(&z->method, &z->x, h);
    z->s->careful = 0;
    return status;
}

static int try_parts(simulation *z, real h, real first)
{
    int status = careful_step(z, first, NEWTON_NOISE | NEWTON_STRAYS);
    if (!status) status = careful_step(z, h - first, NEWTON_NOISE | NEWTON_STRAYS);
    if (status)
        X(state_copy)(&z->divided.start, &z->x);
    else
        X(state_next_time)(&z->divided.start, h, &z->x.t, &z->x.t_low);
    return status;
}

/* A jump of the energy by less of it is not worth a note. */
#define JUMP ((real)1e-10)

/* Kinetic and potential energy; 0 without one. Says how large they are. */
static real find_energy(simulation *z, real *size)
{
    real kinetic = 0;
    *size = 0;
    if (!z->s->energy) return 0;
    simulation_moved(z);
    X(simulation_read)(z, READING_ENERGY | READING_VELOCITY); /* nothing in it can fail */
    for (uint32_t i = 0; i < z->s->n; i++) kinetic += z->v[i] * z->x.p[i] / 2;
    *size = REAL(fabs)(kinetic) + REAL(fabs)(z->energy - kinetic);
    return z->energy;
}

/* Accepted as it is: how much energy it made goes into the note. */
static int whole_step(simulation *z, real h)
{
    division *d = &z->divided;
    real size, before = find_energy(z, &size);
    const int status = X(method_step)(&z->method, &z->x, h);
    if (status) return status;
    const real change = find_energy(z, &size) - before;
    if (!(REAL(fabs)(change) > JUMP * size)) return TAUT_OK;
    if (!d->doubtful++ || REAL(fabs)(change) > REAL(fabs)(d->change)) d->doubtful_t = d->start.t, d->change = change;
    return TAUT_OK;
}

static int in_parts(simulation *z, real h)
{
    static const double parts[] = { 0.382, 0.618, 0.236, 0.764, 0.146, 0.854 };
    division *d = &z->divided;
    X(state_copy)(&z->x, &d->start);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const int status = try_parts(z, h, (real)parts[i] * h);
        if (!status && !d->count++) d->t = d->start.t;
        if (!is_doubtful(status) && status != TAUT_NO_CONVERGENCE) return status;
    }
    return whole_step(z, h);
}

/* Of dependent constraints the matrix is softened, and the iteration strays more easily; beside singular positions it may
   not converge at all. Elsewhere a step that does not converge is too large. */
int X(simulation_smooth_step)(simulation *z, real h)
{
    if (!z->divided.possible) return X(method_step)(&z->method, &z->x, h);
    const int softened = z->s->softening != NULL,
              status = careful_step(z, h, softened ? NEWTON_NOISE | NEWTON_STRAYS : NEWTON_NOISE);
    return is_doubtful(status) || (status == TAUT_NO_CONVERGENCE && softened) ? in_parts(z, h) : status;
}

/* A sentence for each, or nothing. */
int X(simulation_divided_text)(const simulation *z, char *text, size_t size)
{
    const division *d = &z->divided;
    int end = 0;
    if (size) text[0] = 0;
    if (d->count)
        end = snprintf(text, size, "%ld step%s with nearly singular equations %s made in two parts, %s at t = %.6g",
                       d->count, d->count > 1 ? "s" : "", d->count > 1 ? "were" : "was",
                       d->count > 1 ? "the first" : "that", (double)d->t);
    if (d->doubtful && end >= 0 && (size_t)end < size)
        snprintf(text + end, size - (size_t)end,
                 "%s%ld step%s with nearly singular equations could be solved neither whole nor in parts without "
                 "doubt: the one at t = %.6g changed the energy by %.2g; another step length may do better",
                 end ? "; " : "", d->doubtful, d->doubtful > 1 ? "s" : "", (double)d->doubtful_t, (double)d->change);
    return d->count || d->doubtful;
}
