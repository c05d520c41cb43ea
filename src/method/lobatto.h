/* The constrained Lobatto IIIA-IIIB pair as a table; two stages are RATTLE. */
#ifndef TAUT_METHOD_LOBATTO_H
#define TAUT_METHOD_LOBATTO_H

#include "method/tableau.h"
#include "step/table.h"

/* stages: from 2 to STAGES_MOST */
void X(lobatto_table)(const struct system *s, int stages, int is_part, step_table *t);

#endif
