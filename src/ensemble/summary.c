#include "ensemble/summary.h"

#include <math.h>

#include "ensemble/sweep.h"

static void make_histogram(summary *s, const double *sorted, size_t count)
{
    const double low = sorted[0], high = sorted[count - 1], width = high - low;
    s->low = low, s->high = high;
    if (!(width > 0) || !(width - width == 0)) {
        s->counts[0] = count;
        s->bins = 1;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const size_t bin = (size_t)((sorted[i] - low) / width * SUMMARY_BINS);
        s->counts[bin < SUMMARY_BINS ? bin : SUMMARY_BINS - 1]++;
    }
    s->bins = SUMMARY_BINS;
}

void taut_summary_make(unsigned stats, const statistics_cell *sums, double *values, size_t count, summary *s)
{
    const double none = (double)NAN;
    count = taut_statistics_sort(values, count);
    *s = (summary){ .count = sums->count,
                    .mean = stats & STATS_MEAN ? taut_statistics_mean(sums) : none,
                    .sd = stats & STATS_SD ? taut_statistics_deviation(sums) : none,
                    .lowest = sums->count ? sums->lowest : none,
                    .highest = sums->count ? sums->highest : none,
                    .low = none, .high = none };
    for (int i = 0; i < SWEEP_QUANTILES; i++)
        s->quantiles[i] =
            stats & STATS_QUANTILES ? taut_statistics_quantile(values, count, taut_sweep_quantiles[i]) : none;
    if (stats & STATS_HISTOGRAM && count) make_histogram(s, values, count);
}
