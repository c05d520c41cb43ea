/* Rows of `taut verify` for methods that leave the constraint manifold: how their errors grow, and whether the manifold
   is stable. */
#ifndef TAUT_RUN_VERIFY_GROWTH_H
#define TAUT_RUN_VERIFY_GROWTH_H

#include "run/verify.h"

/* With the step and the end of the result, on the engine for long runs. */
int taut_verify_growth_rows(taut_context *context, const verify_options *options, verify_result *result);

#endif
