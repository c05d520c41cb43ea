/* Sparse patterns in compressed rows, with ascending columns. Independent of precision. */
#ifndef TAUT_LINALG_PATTERN_H
#define TAUT_LINALG_PATTERN_H

#include "base/context.h"

typedef struct {
    int rows, columns;
    int *start; /* rows + 1 */
    int *index; /* columns */
} pattern;

/* The pattern of the given entries (in any order, repetitions allowed). */
int taut_pattern_create(taut_context *context, int rows, int columns, const int *row, const int *column, size_t count,
                   pattern **result);
/* All (i, k) with a_ij and b_jk present. */
int taut_pattern_product(taut_context *context, const pattern *a, const pattern *b, pattern **result);
int taut_pattern_copy(taut_context *context, const pattern *from, pattern **result);
/* The unit matrix. */
int taut_pattern_identity(taut_context *context, int size, pattern **result);
void taut_pattern_destroy(taut_context *context, pattern *p);
static inline int pattern_entries(const pattern *p) { return p->start[p->rows]; }
/* Position of an entry, or -1. */
int taut_pattern_find(const pattern *p, int row, int column);
/* The transposed pattern; from[k] (allocated, may be asked with NULL) is the position in p of entry k of the result. */
int taut_pattern_transpose(taut_context *context, const pattern *p, pattern **result, int **from);

#endif
