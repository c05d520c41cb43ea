/* The fastest frequency at a state: accelerations a(q) of the constrained motion, with velocities held, change by
 * -omega^2 u along a mode u. The mode with the largest |a'(q) u|/|u| is found by power iteration on central differences
 * of a. Multipliers follow the position, so what constraint forces add (a pendulum, a tight chain) is in it. */
#include <string.h>

#include "run/simulation.h"

#define DISPLACED ((real)1e-5) /* relative to the coordinates */
#define MOST_LOOKS 60
#define FEW_LOOKS 8            /* of more coordinates than MANY */
#define MANY 20000
#define SETTLED ((real)1e-4)   /* a change of the square in each of three looks */
#define ROUGHLY ((real)1e-2)   /* the same, well below the limit */
/* The fastest mode is in the first direction with a part of some 1/sqrt(n), which each look makes larger by the ratio
   of its square to that of the others: after so many looks more, a square so many times below another one is not that
   of a mode beside which the fastest one is still small. */
#define FAR_LOOKS 2
#define FAR_BELOW ((real)256)

typedef struct {
    simulation *z;
    real *q, *direction, *ahead, *behind, *lambda;
} probe;

static int accelerate(probe *p, real by, real *out)
{
    simulation *z = p->z;
    for (uint32_t i = 0; i < z->s->n; i++) p->q[i] = z->x.q[i] + by * p->direction[i];
    if (z->s->c) memcpy(p->lambda, z->x.lambda, z->s->c * sizeof(real));
    return X(acceleration_solve)(z->acceleration, p->q, z->x.w, z->x.t, p->lambda, out);
}

/* direction := its image, of length 1. *square: of the frequency; negative where the distance grows. */
static int look(probe *p, real displaced, real *square)
{
    const uint32_t n = p->z->s->n;
    real length = 0, along = 0;
    int status = accelerate(p, displaced, p->ahead);
    if (!status) status = accelerate(p, -displaced, p->behind);
    if (status) return status;
    for (uint32_t i = 0; i < n; i++) {
        const real image = (p->ahead[i] - p->behind[i]) / (2 * displaced);
        along += image * p->direction[i];
        p->direction[i] = image;
        length += image * image;
    }
    length = REAL(sqrt)(length);
    *square = along > 0 ? -length : length;
    for (uint32_t i = 0; length > 0 && i < n; i++) p->direction[i] /= length;
    return TAUT_OK;
}

/* limit: 0, or a frequency; one that is surely far below it need not be known well. */
static int find(probe *p, real limit, real *frequency)
{
    const struct system *s = p->z->s;
    const real displaced = DISPLACED * (real_largest(p->z->x.q, s->n) + s->least);
    real length = 0, before = 0, square = 0;
    uint64_t seed = 1;
    int status = TAUT_OK, settled = 0;
    for (uint32_t i = 0; i < s->n; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        p->direction[i] = (real)((double)(seed >> 11) * 0x1p-52 - 1);
        length += p->direction[i] * p->direction[i];
    }
    for (uint32_t i = 0; i < s->n; i++) p->direction[i] /= REAL(sqrt)(length);
    for (int k = 0; !status && settled < 3 && k < (s->n > MANY ? FEW_LOOKS : MOST_LOOKS); k++, before = square) {
        status = look(p, displaced, &square);
        if (square == 0 || (k >= FAR_LOOKS && square * FAR_BELOW < limit * limit)) break;
        const real change = 2 * square < limit * limit ? ROUGHLY : SETTLED;
        settled = REAL(fabs)(square - before) <= change * REAL(fabs)(square) ? settled + 1 : 0;
    }
    const real noise = REAL_EPSILON / displaced * (real_largest(p->ahead, s->n) + s->least);
    *frequency = !status && square > 16 * noise ? REAL(sqrt)(square) : 0;
    return status;
}

int X(simulation_frequency)(simulation *z, real limit, real *frequency)
{
    const size_t n = z->s->n;
    *frequency = 0;
    if (!z->acceleration || !n) return TAUT_OK;
    real *room = taut_mem_new(z->context, 4 * n + z->s->c, sizeof *room);
    if (!room) return TAUT_OUT_OF_MEMORY;
    probe p = { z, room, room + n, room + 2 * n, room + 3 * n, room + 4 * n };
    const int status = find(&p, limit, frequency);
    taut_mem_free(z->context, room);
    return status == TAUT_OUT_OF_MEMORY ? status : TAUT_OK; /* where accelerations cannot be found, there is no answer */
}
