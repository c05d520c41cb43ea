/* Sobol's sequence, scrambled. */
#ifndef TAUT_ENSEMBLE_SOBOL_H
#define TAUT_ENSEMBLE_SOBOL_H

#include <stdint.h>

enum { SOBOL_DIMENSIONS = 32 };

/* Point `index` (32 bits) of the sequence in one dimension (from 0), as 32 bits of a fraction; not scrambled. */
uint32_t taut_sobol_point(uint32_t index, int dimension);
/* The same in (0,1), after Owen's scrambling by (seed, dimension): each point is uniform, and every piece of 2^m points
   that begins at a multiple of 2^m is as even as before. */
double taut_sobol_scrambled(uint64_t seed, uint32_t index, int dimension);

#endif
