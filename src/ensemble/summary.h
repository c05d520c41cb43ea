/* Statistics of one column at one moment, over the members: what a file has of it, or the caller of the library. */
#ifndef TAUT_ENSEMBLE_SUMMARY_H
#define TAUT_ENSEMBLE_SUMMARY_H

#include "ensemble/statistics.h"
#include "record/sweep_file.h"

enum { SUMMARY_BINS = 50 };

/* What was not asked for, and what too few members have, is NaN; a histogram of no values has no bins. */
typedef struct {
    uint64_t count;          /* of members that got there */
    double mean, sd, lowest, highest, quantiles[SWEEP_QUANTILES];
    double low, high;        /* ends of the histogram */
    uint64_t counts[SUMMARY_BINS];
    size_t bins;             /* of equal width; one where all values are the same */
} summary;

/* stats: a sum of STATS_* (sweep.h). values: for quantiles and histogram, of all members or of some; they are sorted
   here. */
void taut_summary_make(unsigned stats, const statistics_cell *sums, double *values, size_t count, summary *s);

#endif
