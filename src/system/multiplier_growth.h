/* How large the multipliers are after each step, as one number, and whether it has grown much: of interest to who runs
   a simulation (run/simulation_strain.c), and seen by who does many steps at once. */
#ifndef TAUT_SYSTEM_MULTIPLIER_GROWTH_H
#define TAUT_SYSTEM_MULTIPLIER_GROWTH_H

#include "base/real.h"

typedef struct multiplier_growth {
    const real *weights; /* of the multipliers */
    uint32_t count;
    real size;           /* after the last step */
    int grown;           /* much in the last step */
} multiplier_growth;

#define GROWTH_MUCH ((real)1.15) /* in one step: 1/d does so from seven steps before its pole on */

/* The size after another step. */
static inline void multiplier_growth_to(multiplier_growth *g, real size)
{
    g->grown = size > GROWTH_MUCH * g->size && g->size > 0;
    g->size = size;
}

static inline void multiplier_growth_step(multiplier_growth *g, const real *lambda)
{
    const real *weights = g->weights;
    const uint32_t count = g->count;
    real size = 0;
    for (uint32_t k = 0; k < count; k++) {
        size += weights[k] * REAL(fabs)(lambda[k]);
        __asm__ volatile(""); /* mostly two or three of them: not for vectors */
    }
    multiplier_growth_to(g, size);
}

#endif
