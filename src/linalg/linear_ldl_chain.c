/* LDL of a matrix whose unknowns form chains in their natural order: tridiagonal, with zeros where one chain ends and
   the next begins. Eliminated from both ends to the middle: two recurrences that do not wait for each other, each with
   a division in its way. */
#include <math.h>

#include "linalg/linear_ldl.h"

int taut_ldl_is_chain(const ldl *s)
{
    if (s->order || s->n < 3) return 0;
    for (int k = 0; k < s->n; k++) {
        int count = s->row_start[k + 1] - s->row_start[k];
        if (s->sources.diagonal[k] < 0 || count > 1 || (count && s->row[s->row_start[k]].column != k - 1)) return 0;
        if (count != s->sources.start[k + 1] - s->sources.start[k]) return 0;
    }
    return 1;
}

static double value_at(const double *values, int place) { return place >= 0 ? values[place] : 0; }

/* The values by bands: diagonal, then the entries (k+1, k), then (k, k+1). */
int taut_ldl_chain_order(ldl *s)
{
    const int n = s->n;
    const linear_pattern *pattern = s->pattern;
    if (s->value_order || pattern->entries != 3 * n - 2) return TAUT_OK; /* with gaps there is nothing to gain */
    s->value_order = taut_mem_new(s->context, (size_t)pattern->entries, sizeof *s->value_order);
    if (!s->value_order) return TAUT_OUT_OF_MEMORY;
    for (int k = 0; k < n; k++)
        for (int p = pattern->column_start[k]; p < pattern->column_start[k + 1]; p++) {
            int row = pattern->row_index[p];
            s->value_order[p] = row == k ? k : row > k ? n + k : 2 * n - 1 + row;
        }
    for (int k = 0; k < n; k++) s->sources.diagonal[k] = s->value_order[s->sources.diagonal[k]];
    for (int p = 0; p < s->sources.start[n]; p++) {
        ldl_source *e = &s->sources.entry[p];
        e->lower = s->value_order[e->lower], e->upper = s->value_order[e->upper];
    }
    return TAUT_OK;
}

/* The diagonal; lower[k], upper[k]: the entries (k+1, k) and (k, k+1). */
static void read_bands(const ldl *s, const double *values, double *diagonal, double *lower, double *upper)
{
    const int n = s->n;
    for (int k = 0; k < n; k++) {
        const int p = s->sources.start[k];
        diagonal[k] = values[s->sources.diagonal[k]];
        if (k == 0) continue;
        const int coupled = s->sources.start[k + 1] > p;
        lower[k - 1] = coupled ? value_at(values, s->sources.entry[p].lower) : 0;
        upper[k - 1] = coupled ? value_at(values, s->sources.entry[p].upper) : 0;
    }
}

static inline double larger(double a, double b) { return a > b ? a : b; }

/* Judges the pivot d of a row whose diagonal was `given` and from which `size` was taken; as in the general
   elimination. */
static inline int judge(ldl_outcome *found, double d, double given, double size)
{
    const double pivot = fabs(d), diagonal_size = fabs(given);
    if (size + pivot > found->growth * diagonal_size * 1.000001) found->growth = (size + pivot) / diagonal_size;
    found->least = pivot < found->least ? pivot : found->least;
    found->most = pivot > found->most ? pivot : found->most;
    found->negative += d < 0;
    /* written so that what is not a number counts as vanished */
    return !(pivot > LINEAR_SINGULAR * (diagonal_size + size));
}

/* After elimination: inverse[k] = 1/d_k; lower and upper hold l and u towards the middle, of row k at k from the left
   and at k - 1 from the right. */
ldl_outcome taut_ldl_chain_eliminate(ldl *s, const double *values)
{
    const int n = s->n, middle = n / 2;
    double *inverse = s->inverse, *lower = s->lower, *upper = s->upper;
    const double *diagonal = inverse, *below = lower, *above = upper;
    ldl_outcome left = { 1, INFINITY, 0, 0, n }, right = left;
    int lost = 0, i = 0, k = n - 1;
    if (s->value_order)
        diagonal = values, below = values + n, above = values + 2 * n - 1;
    else
        read_bands(s, values, inverse, lower, upper);
    /* what the row before takes off the diagonal, and the larger of the two sums of sizes */
    double a = 0, a_size = 0, b = 0, b_size = 0;
    for (; i < middle && k > middle; i++, k--) {
        const double given = diagonal[i], d = given - a, one = 1 / d, z = below[i], w = above[i];
        lost |= judge(&left, d, given, a_size);
        inverse[i] = one;
        const double l = z * one, u = w * one;
        lower[i] = l, upper[i] = u;
        a = l * w, a_size = larger(fabs(l * z), fabs(u * w));
        const double given_k = diagonal[k], d_k = given_k - b, one_k = 1 / d_k, z_k = above[k - 1], w_k = below[k - 1];
        lost |= judge(&right, d_k, given_k, b_size);
        inverse[k] = one_k;
        const double l_k = z_k * one_k, u_k = w_k * one_k;
        lower[k - 1] = l_k, upper[k - 1] = u_k;
        b = l_k * w_k, b_size = larger(fabs(l_k * z_k), fabs(u_k * w_k));
    }
    for (; i < middle; i++) {
        const double given = diagonal[i], d = given - a, one = 1 / d, z = below[i], w = above[i];
        lost |= judge(&left, d, given, a_size);
        inverse[i] = one;
        const double l = z * one, u = w * one;
        lower[i] = l, upper[i] = u;
        a = l * w, a_size = larger(fabs(l * z), fabs(u * w));
    }
    const double given = diagonal[middle], d = given - a - b;
    lost |= judge(&left, d, given, a_size + b_size);
    inverse[middle] = 1 / d;
    if (right.growth > left.growth) left.growth = right.growth;
    left.least = fmin(left.least, right.least), left.most = fmax(left.most, right.most);
    left.negative += right.negative;
    if (lost) left.stopped = 0;
    return left;
}

/* With the two triangles exchanged, the transposed system. */
void taut_ldl_chain_substitute(const ldl *s, const double *restrict lower, const double *restrict upper,
                               double *restrict x)
{
    const int n = s->n, middle = n / 2;
    const double *restrict inverse = s->inverse;
    double a = x[0], b = x[n - 1];
    int i = 0, k = n - 1;
    for (; i < middle - 1 && k > middle + 1; i++, k--) {
        const double next = x[i + 1] - lower[i] * a, next_k = x[k - 1] - lower[k - 1] * b;
        x[i] = a * inverse[i], x[k] = b * inverse[k];
        x[i + 1] = a = next, x[k - 1] = b = next_k;
    }
    for (; i < middle - 1; i++) {
        const double next = x[i + 1] - lower[i] * a;
        x[i] = a * inverse[i];
        x[i + 1] = a = next;
    }
    for (; k > middle + 1; k--) {
        const double next = x[k - 1] - lower[k - 1] * b;
        x[k] = b * inverse[k];
        x[k - 1] = b = next;
    }
    const double m = (x[middle] - lower[middle - 1] * a - lower[middle] * b) * inverse[middle];
    x[middle - 1] = a * inverse[middle - 1], x[middle + 1] = b * inverse[middle + 1];
    x[middle] = a = b = m;
    for (i = middle - 1, k = middle + 1; i >= 0 && k < n; i--, k++) {
        x[i] = a = x[i] - upper[i] * a;
        x[k] = b = x[k] - upper[k - 1] * b;
    }
    for (; i >= 0; i--) x[i] = a = x[i] - upper[i] * a;
    for (; k < n; k++) x[k] = b = x[k] - upper[k - 1] * b;
}
