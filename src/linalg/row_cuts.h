/* Which rows of a sparse matrix need only the columns of one piece of a vector. A loop over pieces can then multiply
 * those rows while the piece is in the cache; what is left are the rows that need several pieces. Independent of
 * precision. */
#ifndef TAUT_LINALG_ROW_CUTS_H
#define TAUT_LINALG_ROW_CUTS_H

#include "linalg/pattern.h"

typedef struct {
    uint32_t first, end; /* rows first .. end - 1 */
} row_range;

typedef struct {
    row_range *ranges;   /* of each piece; NULL: rows are not worth cutting */
    row_range *rest;     /* all other rows */
    int pieces, rest_count;
} row_cuts;

/* Pieces of `length` columns each. Ranges are NULL for less than two pieces, and where much would be left. */
int taut_row_cuts_find(taut_context *context, const pattern *p, uint32_t length, row_cuts *result);
void taut_row_cuts_clear(taut_context *context, row_cuts *c);

#endif
