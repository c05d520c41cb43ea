#include "linalg/full.h"

#include <math.h>
#include <string.h>

#include "linalg/lapack.h"

/* Operations, about, that take as long as loading LAPACK does. */
#define SMALL 300000.0

/* ---- reflections (Householder) ---- */

static double length(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += x[i] * x[i];
    return sqrt(sum);
}

/* Makes x the vector u of the reflection 1 - u u'/u_0 that takes x to (r, 0, ..); returns r. u_0 = 0: x is zero, and
   nothing is reflected. */
static double reflection(double *x, int count)
{
    double size = length(x, count), sign = x[0] < 0 ? -1 : 1;
    if (!(size > 0)) {
        memset(x, 0, (size_t)count * sizeof *x);
        return 0;
    }
    for (int i = 0; i < count; i++) x[i] /= sign * size;
    x[0] += 1; /* between 1 and 2: nothing cancels */
    return -sign * size;
}

static void reflect(const double *u, int count, double *y)
{
    double sum = 0;
    if (!(u[0] > 0)) return;
    for (int i = 0; i < count; i++) sum += u[i] * y[i];
    sum /= u[0];
    for (int i = 0; i < count; i++) y[i] -= sum * u[i];
}

/* ---- least squares ---- */

typedef struct {
    int rows, columns, rank;
    double *a, *b;
    double *diagonal; /* of R; below it a has the vectors of the reflections */
    double *s, *corner; /* rank columns of R', made triangular; their diagonal */
    int *order;       /* of the columns */
} least;

static void swap_columns(least *l, int i, int j)
{
    int k = l->order[i];
    if (i == j) return;
    l->order[i] = l->order[j], l->order[j] = k;
    double *x = l->a + (size_t)i * (size_t)l->rows, *y = l->a + (size_t)j * (size_t)l->rows;
    for (int r = 0; r < l->rows; r++) {
        double t = x[r];
        x[r] = y[r], y[r] = t;
    }
}

/* A P = Q R, the longest column that is left first, until what is left counts as nothing. b := Q' b. */
static void triangularise(least *l, double tolerance)
{
    const int m = l->rows, n = l->columns;
    double first = 0;
    for (int k = 0; k < n; k++) l->order[k] = k;
    for (l->rank = 0; l->rank < m && l->rank < n; l->rank++) {
        const int k = l->rank;
        int at = k;
        double most = -1;
        for (int j = k; j < n; j++) {
            double size = length(l->a + (size_t)j * (size_t)m + k, m - k);
            if (size > most) most = size, at = j;
        }
        if (k == 0) first = most;
        if (!(most > tolerance * first)) return;
        swap_columns(l, k, at);
        double *u = l->a + (size_t)k * (size_t)m + k;
        l->diagonal[k] = reflection(u, m - k);
        for (int j = k + 1; j < n; j++) reflect(u, m - k, l->a + (size_t)j * (size_t)m + k);
        reflect(u, m - k, l->b + k);
    }
}

/* The first rows of R, with R' = Z S: S' u = b, y = Z (u, 0) is the shortest solution of R y = b. */
static void shortest(least *l)
{
    const int m = l->rows, n = l->columns, r = l->rank;
    for (int k = 0; k < r; k++) { /* column k of R' is row k of R */
        double *column = l->s + (size_t)k * (size_t)n;
        for (int j = 0; j < n; j++) column[j] = j < k ? 0 : j == k ? l->diagonal[k] : l->a[(size_t)j * (size_t)m + k];
        for (int i = 0; i < k; i++) reflect(l->s + (size_t)i * (size_t)n + i, n - i, column + i);
        for (int i = 0; i < k; i++) l->b[k] -= column[i] * l->b[i];
        l->corner[k] = reflection(column + k, n - k);
        l->b[k] /= l->corner[k];
    }
    for (int i = r; i < n; i++) l->b[i] = 0;
    for (int k = r; k-- > 0;) reflect(l->s + (size_t)k * (size_t)n + k, n - k, l->b + k);
}

static int small_least_squares(taut_context *context, int rows, int columns, double *a, double *b, double tolerance)
{
    const size_t m = (size_t)rows, n = (size_t)columns, least_of = m < n ? m : n;
    double most = 0, *work = taut_mem_new(context, least_of * (n + 2) + n, sizeof *work);
    int *order = taut_mem_new(context, n, sizeof *order);
    int status = work && order ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < m * n; i++) most = fmax(most, fabs(a[i]));
    if (!status && most > 0) {
        least l = { .rows = rows, .columns = columns, .a = a, .b = b, .order = order, .diagonal = work };
        l.corner = work + least_of, l.s = l.corner + least_of;
        double *x = l.s + least_of * n;
        for (size_t i = 0; i < m * n; i++) a[i] /= most; /* squares neither overflow nor vanish */
        triangularise(&l, tolerance);
        shortest(&l);
        for (int i = 0; i < columns; i++) x[order[i]] = b[i] / most;
        memcpy(b, x, n * sizeof *b);
    } else if (!status) {
        memset(b, 0, n * sizeof *b);
    }
    taut_mem_free(context, work);
    taut_mem_free(context, order);
    return status;
}

int taut_least_squares(taut_context *context, int rows, int columns, double *a, double *b, double tolerance)
{
    double m = rows, n = columns;
    return (m * n * fmin(m, n) <= SMALL ? small_least_squares : taut_lapack_least_squares)(context, rows, columns, a, b,
                                                                                           tolerance);
}

/* ---- positive definite ---- */

/* A = L L' in place, then L y = b, L' x = y. */
static int small_positive_solve(int n, double *a, double *b)
{
    for (int k = 0; k < n; k++) {
        double *column = a + (size_t)k * (size_t)n;
        if (!(column[k] > 0) || column[k] - column[k] != 0) return 0;
        column[k] = sqrt(column[k]);
        for (int i = k + 1; i < n; i++) column[i] /= column[k];
        for (int j = k + 1; j < n; j++)
            for (int i = j; i < n; i++) a[(size_t)j * (size_t)n + (size_t)i] -= column[i] * column[j];
    }
    for (int k = 0; k < n; k++) {
        const double *column = a + (size_t)k * (size_t)n;
        b[k] /= column[k];
        for (int i = k + 1; i < n; i++) b[i] -= column[i] * b[k];
    }
    for (int k = n; k-- > 0;) {
        const double *column = a + (size_t)k * (size_t)n;
        for (int i = k + 1; i < n; i++) b[k] -= column[i] * b[i];
        b[k] /= column[k];
    }
    return 1;
}

int taut_positive_solve(taut_context *context, int n, double *a, double *b, int *definite)
{
    if ((double)n * n * n > SMALL) return taut_lapack_positive_solve(context, n, a, b, definite);
    *definite = small_positive_solve(n, a, b);
    return TAUT_OK;
}
