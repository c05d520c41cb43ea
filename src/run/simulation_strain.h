/* What simulation_strain.c and simulation_strain_parts.c share. */
#ifndef TAUT_RUN_SIMULATION_STRAIN_H
#define TAUT_RUN_SIMULATION_STRAIN_H

#include "run/simulation.h"

#define STRAIN_NEWS 2 /* in the size of the multipliers since the last look */
/* Since the growth began, when it is reported: 1/d grows by seven or more wherever the steps are. */
#define STRAIN_FAR 4

/* Lengths of the gradients at the state, squared, into z->g_rate; G into z->g_values. */
void X(simulation_strain_lengths)(simulation *z);

/* Where a motion needs no force of constraints (a straight chain that falls freely), multipliers are round-off, which
   grows and shrinks by any factor: all forces of constraints together (apart) are then less than this of the other
   forces, or change momenta in a step by less than this of them. */
static inline int strain_is_round_off(const simulation *z, real apart, real forces, real momenta)
{
    const real h = REAL(fabs)(z->h);
    return h * apart <= (real)1e-6 * h * forces + (real)1e-9 * momenta;
}

/* And where the forces of constraints together are not above the others, they only pass those on: out of rest the tension
   of a long chain grows from nothing, joint by joint, and cancels from link to link. */
static inline int strain_is_ordinary(const simulation *z, real apart, real forces, real momenta)
{
    return apart <= forces || strain_is_round_off(z, apart, forces, momenta);
}

#endif
