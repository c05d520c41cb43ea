/* Diagonal blocks of a square pattern: sets of indices that its entries connect. Independent of precision. */
#ifndef TAUT_LINALG_PARTITION_H
#define TAUT_LINALG_PARTITION_H

#include "linalg/pattern.h"

/* The members of block b are order[start[b]] .. order[start[b+1]-1], ascending. */
typedef struct {
    int count, largest;
    int *start, *order, *block_of;
} partition;

int taut_partition_create(taut_context *context, const pattern *shape, partition *p);
void taut_partition_clear(taut_context *context, partition *p);

#endif
