/* `taut check --json`. */
#ifndef TAUT_CLI_CHECK_JSON_H
#define TAUT_CLI_CHECK_JSON_H

#include "taut/taut.h"

/* The members after the model's; returns an exit status. dirac: with the report of the Dirac algorithm. */
int check_answer(taut_context *context, taut_findings *findings, int dirac);

#endif
