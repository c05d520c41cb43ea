/* Fewer points that draw the same line. */
#ifndef TAUT_PLOT_THIN_H
#define TAUT_PLOT_THIN_H

#include <stddef.h>

#include "plot/canvas.h"

/* Takes the points of a line in their order (NaN: the line is interrupted), and hands on pieces of it. Where x grows,
   points that lie in the same column of width `cell` one after the other leave the first, the lowest, the highest and
   the last one, so that no extreme is lost. Elsewhere points in the square of the last one are left out, and segments
   that were drawn before between the same two squares. */
typedef struct {
    double cell;
    int dots;                /* single points */
    int grows;               /* x does */
    void (*piece)(void *user, const spot *points, size_t count);
    void *user;
    /* inside */
    spot *points;
    size_t count, capacity;
    spot first, low, high, last;
    size_t low_at, high_at, here; /* where in the column */
    uint64_t *seen;          /* pairs of squares, a table of hashes */
    size_t seen_count, seen_size;
    int goes_on;             /* the piece begins where something was left out: its first point is drawn already */
    int failed;
} thinner;

void taut_thin_point(thinner *t, spot p);
/* The last piece. Frees what was used; returns non-zero when memory was lacking. */
int taut_thin_end(thinner *t);

#endif
