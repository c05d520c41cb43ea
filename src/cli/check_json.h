/* `taut check --json`. */
#ifndef TAUT_CLI_CHECK_JSON_H
#define TAUT_CLI_CHECK_JSON_H

#include "base/words.h"
#include "model/model.h"

/* Checks the model and writes the document (docs/json.md). Returns an exit status. */
int check_answer(model *m, start_mode start, int dirac);

#endif
