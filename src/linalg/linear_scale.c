/* What the back ends share: scales against which pivots are judged, and the check for values that are not finite. */
#include <math.h>

#include "base/loops.h"
#include "linalg/linear_backend.h"

void taut_linear_scales(const linear_pattern *pattern, const double *values, double *row_scale, double *column_size)
{
    const int n = pattern->n;
    for (int i = 0; i < n; i++) row_scale[i] = 0;
    for (int p = 0; p < pattern->entries; p++) {
        double size = fabs(values[p]), *largest = &row_scale[pattern->row_index[p]];
        if (size > *largest) *largest = size;
    }
    for (int i = 0; i < n; i++) {
        int exponent = 0;
        frexp(row_scale[i], &exponent);
        /* the bounds keep the scale itself a normal number */
        if (exponent > 1000) exponent = 1000;
        if (exponent < -1000) exponent = -1000;
        row_scale[i] = ldexp(1, -exponent);
    }
    for (int j = 0; j < n; j++) {
        double largest = 0;
        for (int p = pattern->column_start[j]; p < pattern->column_start[j + 1]; p++) {
            double size = fabs(values[p]) * row_scale[pattern->row_index[p]];
            if (size > largest) largest = size;
        }
        column_size[j] = largest;
    }
}

int taut_linear_singular(taut_context *context, linear_info *info, long column)
{
    info->deficient = column;
    if (column < 0) return taut_fail(context, TAUT_SINGULAR, "the matrix is singular");
    return taut_fail(context, TAUT_SINGULAR, "the matrix is singular: its column %ld depends on the others", column);
}

static WIDE_LOOPS int are_finite(long count, const double *values)
{
    /* x * 0 is 0 for every finite x and not a number for every other; four sums hide the latency of the addition */
    double sum[4] = { 0, 0, 0, 0 };
    long i = 0;
    for (; i + 4 <= count; i += 4)
        for (int lane = 0; lane < 4; lane++) sum[lane] += values[i + lane] * 0.0;
    for (; i < count; i++) sum[0] += values[i] * 0.0;
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) == 0;
}

int taut_linear_finite(long count, const double *values) { return are_finite(count, values); }
