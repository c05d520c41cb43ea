/* Finite-time Lyapunov exponents of members: how fast the distance to a neighbouring solution grows, as the mean of
   log(growth) per unit of time. A tangent vector is carried along by the exact tangent of the step and brought back to
   length one after each. The largest exponent wins, whatever the vector was, in some time. */
#ifndef TAUT_ENSEMBLE_LYAPUNOV_H
#define TAUT_ENSEMBLE_LYAPUNOV_H

#include "ensemble/executor.h"

typedef struct lyapunov lyapunov;

/* TAUT_UNSUPPORTED where the method has no tangent: methods that are code, and models with contacts. The model must
   outlive it and stay as it is. */
int taut_lyapunov_create(const model *m, const executor_options *options, lyapunov **result);
/* NULL is allowed. */
void taut_lyapunov_destroy(lyapunov *l);
/* A number for each member and each leg that reads: the exponent so far; NaN at the start, and where the member did not
   get. The first step, in which the vector becomes tangent to the constraints, does not count. */
int taut_lyapunov_run(lyapunov *l, const executor_leg *legs, size_t leg_count, size_t count, const double *values,
                      double *rows);

#endif
