#include "linalg/tridiagonal.h"

#include <math.h>
#include <stdint.h>

#include "base/loops.h"
#include "linalg/linear_backend.h"

/* p begins anew with 1 after so many rows, before it may become too small. */
enum { ROWS = 32 };
#define STEEP 2.0 /* rows that are solved for two at a time then miss by some five rounding errors, others by one */

/* e[i] belongs to the rows i and i + 1. */
static WIDE_LOOPS void find_bends(int n, const double *restrict diagonal, const double *restrict coupling,
                                  double *restrict e)
{
    for (int i = 0; i < n - 1; i++) e[i] = coupling[i] / diagonal[i] * (coupling[i] / diagonal[i + 1]);
}

/* r of rows from .. to - 1 on each side, counted from the ends; the right side has all of them but the last `fewer`. */
static void find_ratios(int n, int from, int to, int fewer, const double *restrict e, double *restrict r)
{
    double left[ROWS + 1], right[ROWS + 1];
    double a = 1, b = 1, a_before = 0, b_before = 0; /* p of the last row, and of the one before */
    const int count = to - from, last = n - 1 - from;
    if (from) a_before = 1 / r[from - 1], b_before = 1 / r[last + 1];
    left[0] = right[0] = 1;
    for (int j = 0; j < count; j++) {
        const double bend = from + j ? e[from + j - 1] : 0, bend_right = from + j ? e[last - j] : 0;
        const double p = a - bend * a_before, q = b - bend_right * b_before;
        left[j + 1] = p, right[j + 1] = q;
        a_before = a, a = p;
        b_before = b, b = q;
    }
    for (int j = 0; j < count; j++) r[from + j] = left[j + 1] / left[j];
    for (int j = 0; j < count - fewer; j++) r[last - j] = right[j + 1] / right[j];
}

/* From ratios to factors, for rows from .. to - 1, whose neighbour towards the middle is coupled by coupling[i + side].
   Returns whether all pivots are well above zero; *steep: whether a factor is large. */
static WIDE_LOOPS int find_factors(int from, int to, int side, const double *restrict diagonal,
                                   const double *restrict coupling, double *restrict inverse, double *restrict next,
                                   int *steep)
{
    int64_t lost = 0, large = 0;
    for (int i = from; i < to; i++) {
        const double ratio = inverse[i], one = 1 / (diagonal[i] * ratio);
        lost |= !(ratio > LINEAR_SINGULAR) | !(diagonal[i] > 0);
        inverse[i] = one;
        next[i] = coupling[i + side] * one;
        large |= !(fabs(next[i]) <= STEEP);
    }
    *steep |= large != 0;
    return !lost;
}

static WIDE_LOOPS void find_skips(int from, int to, int side, const double *restrict next, double *restrict skip)
{
    for (int i = from; i < to; i++) skip[i] = next[i] * next[i + side];
}

int taut_tridiagonal_factor(tridiagonal *t, const double *diagonal, const double *coupling)
{
    const int n = t->n, m = n / 2;
    double *inverse = t->inverse, *next = t->next;
    find_bends(n, diagonal, coupling, t->bends);
    for (int from = 0, to; from < m; from = to) {
        to = m - from < ROWS ? m : from + ROWS;
        find_ratios(n, from, to, to == m && n - 1 - m < m, t->bends, inverse);
    }
    t->steep = 0;
    if (!find_factors(0, m, 0, diagonal, coupling, inverse, next, &t->steep)) return 0;
    if (!find_factors(m + 1, n, -1, diagonal, coupling, inverse, next, &t->steep)) return 0;
    find_skips(0, m - 1, 1, next, t->skip);
    find_skips(m + 2, n, -1, next, t->skip);
    const double d = diagonal[m] - next[m - 1] * coupling[m - 1] - next[m + 1] * coupling[m];
    inverse[m] = 1 / d;
    return d > LINEAR_SINGULAR * diagonal[m];
}

/* Two rows behind row i, whose solution so far is `before`; step: towards the middle. Returns that of the second. */
static inline double forward(const tridiagonal *t, double *x, int i, int step, double before)
{
    const double first = x[i + step], second = x[i + 2 * step] - t->next[i + step] * first;
    x[i + step] = first - t->next[i] * before;
    return x[i + 2 * step] = second + t->skip[i] * before;
}

/* Rows i and i - step, where `behind` is the solution of row i + step. Returns that of the second. */
static inline double back(const tridiagonal *t, double *x, int i, int step, double behind)
{
    const double first = x[i] * t->inverse[i];
    const double second = x[i - step] * t->inverse[i - step] - t->next[i - step] * first;
    x[i] = first - t->next[i] * behind;
    return x[i - step] = second + t->skip[i - step] * behind;
}

static void forward_rest(const tridiagonal *t, double *x, int i, int last, int step, double before)
{
    for (; (last - i) * step >= 2; i += 2 * step) before = forward(t, x, i, step, before);
    if (i != last) x[last] -= t->next[i] * before;
}

static void back_rest(const tridiagonal *t, double *x, int i, int end, int step, double behind)
{
    for (; (i - end) * step >= 1; i -= 2 * step) behind = back(t, x, i, step, behind);
    if (i == end) x[i] = x[i] * t->inverse[i] - t->next[i] * behind;
}

static void solve_middle(const tridiagonal *t, double *x)
{
    const int m = t->n / 2;
    x[m] = (x[m] - t->next[m - 1] * x[m - 1] - t->next[m + 1] * x[m + 1]) * t->inverse[m];
}

/* Row by row. */
static void solve_steep(const tridiagonal *t, double *x)
{
    const int n = t->n, m = n / 2;
    for (int i = 1; i < m; i++) x[i] -= t->next[i - 1] * x[i - 1];
    for (int k = n - 2; k > m; k--) x[k] -= t->next[k + 1] * x[k + 1];
    solve_middle(t, x);
    for (int i = m - 1; i >= 0; i--) x[i] = x[i] * t->inverse[i] - t->next[i] * x[i + 1];
    for (int k = m + 1; k < n; k++) x[k] = x[k] * t->inverse[k] - t->next[k] * x[k - 1];
}

void taut_tridiagonal_solve(const tridiagonal *t, double *x)
{
    const int n = t->n, m = n / 2;
    if (t->steep) {
        solve_steep(t, x);
        return;
    }
    double a = x[0], b = x[n - 1];
    int j = 0;
    for (; j + 2 < n - 1 - m; j += 2) {
        a = forward(t, x, j, 1, a);
        b = forward(t, x, n - 1 - j, -1, b);
    }
    forward_rest(t, x, j, m - 1, 1, a);
    forward_rest(t, x, n - 1 - j, m + 1, -1, b);
    solve_middle(t, x);
    a = b = x[m];
    for (j = 1; m + j + 1 < n; j += 2) {
        a = back(t, x, m - j, 1, a);
        b = back(t, x, m + j, -1, b);
    }
    back_rest(t, x, m - j, 0, 1, a);
    back_rest(t, x, m + j, n - 1, -1, b);
}
