/* Loops over long vectors, in pieces (base/pool.h). Every number is computed by the same operations whatever the
   pieces, so that the bits are those of a plain loop. */
#ifndef TAUT_SYSTEM_VECTOR_H
#define TAUT_SYSTEM_VECTOR_H

#include "base/pool.h"
#include "base/real.h"

/* out = sum of factors[i] x[i], terms from the second on whose factor is 0 left out; out must not be one of them. At
   least one term. */
void X(vector_combine)(pool *p, size_t length, int terms, const real *factors, const real *const *x, real *out);
/* out = base + (the sum of factors[i] x[i], from the first one on, + low) */
void X(vector_move)(pool *p, size_t length, int terms, const real *factors, const real *const *x, const real *base,
                    const real *low, real *out);
/* out += factor x */
void X(vector_add)(pool *p, size_t length, real factor, const real *x, real *out);
/* out = (out - x) - low */
void X(vector_subtract)(pool *p, size_t length, const real *x, const real *low, real *out);
/* out = w x, one by one; out may be x */
void X(vector_multiply)(pool *p, size_t length, const real *w, const real *x, real *out);
/* x + low += d */
void X(vector_add_compensated)(pool *p, size_t length, real *x, real *low, const real *d);
/* The largest |x_i|; 0 of none. */
real X(vector_largest)(pool *p, size_t length, const real *x);

#endif
