/* Statistics over the members, at every moment and of every column: counts, sums and extremes of all members. Quantiles
   and histograms come from the values themselves. */
#ifndef TAUT_ENSEMBLE_STATISTICS_H
#define TAUT_ENSEMBLE_STATISTICS_H

#include "base/context.h"
#include "ensemble/exact.h"

typedef struct {
    uint64_t count;          /* of finite values */
    double lowest, highest;
    exact_sum sum, squares;
    int overflow;            /* a square was too large for a double */
} statistics_cell;

typedef struct {
    taut_context *context;
    size_t count;
    statistics_cell *cells;
} statistics;

int taut_statistics_create(taut_context *context, size_t cells, statistics *s);
void taut_statistics_clear(statistics *s);
/* One member: a value per cell; what is not finite does not count. */
void taut_statistics_add(statistics *s, const double *values);
void taut_statistics_join(statistics *s, const statistics *other);
/* NaN where there are too few members. The deviation is that of a sample (n - 1). */
double taut_statistics_mean(const statistics_cell *c);
double taut_statistics_deviation(const statistics_cell *c);

/* As bytes for a file, whatever the machine: equal statistics have equal bytes. *bytes belongs to the context. */
int taut_statistics_pack(const statistics *s, unsigned char **bytes, size_t *size);
/* Adds what was packed. 0 cells more or less than there are is TAUT_CANNOT_READ. */
int taut_statistics_unpack(statistics *s, const unsigned char *bytes, size_t size);

/* Sorts, and drops what is not finite; returns how many are left. */
size_t taut_statistics_sort(double *values, size_t count);
/* Of sorted values, interpolated between neighbours (as numpy, R type 7). NaN of none. */
double taut_statistics_quantile(const double *sorted, size_t count, double p);

#endif
