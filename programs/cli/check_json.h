/* `taut check --json`. */
#ifndef TAUT_CLI_CHECK_JSON_H
#define TAUT_CLI_CHECK_JSON_H

#include "taut/taut.h"

/* The method whose steps are described: the one that was asked for, or the first that suits; NULL: none does. */
const char *check_method(const taut_findings *findings, const char *asked);
/* The members after the model's; returns an exit status. method: as asked for, or NULL. dirac: with the report of the
   Dirac algorithm. */
int check_answer(taut_context *context, taut_findings *findings, const char *method, int dirac);

#endif
