/* Dense LU with partial pivoting: P A = L U, row-major. Rows are exchanged whole, so every inner loop runs along a
   row. */
#include "linalg/dense.h"

static real largest_entry(int n, const real *a)
{
    real largest = 0;
    for (int i = 0; i < n * n; i++) {
        real size = REAL(fabs)(a[i]);
        if (size > largest) largest = size;
    }
    return largest;
}

static int pivot_row(int n, const real *a, int k)
{
    int best = k;
    real size = REAL(fabs)(a[k * n + k]);
    for (int i = k + 1; i < n; i++) {
        real candidate = REAL(fabs)(a[i * n + k]);
        if (candidate > size) {
            size = candidate;
            best = i;
        }
    }
    return best;
}

static void swap_rows(int n, real *a, real *b)
{
    for (int j = 0; j < n; j++) {
        real kept = a[j];
        a[j] = b[j];
        b[j] = kept;
    }
}

int X(dense_factor)(int n, real *a, int *pivot, real threshold)
{
    real limit = threshold > 0 ? threshold * largest_entry(n, a) : 0;
    for (int k = 0; k < n; k++) {
        real *row_k = a + k * n;
        int p = pivot_row(n, a, k);
        pivot[k] = p;
        /* written so that a pivot that is not a number fails too */
        if (!(REAL(fabs)(a[p * n + k]) > limit)) return 1 + k;
        if (p != k) swap_rows(n, row_k, a + p * n);
        for (int i = k + 1; i < n; i++) {
            real *row_i = a + i * n;
            real factor = row_i[k] / row_k[k];
            row_i[k] = factor;
            if (factor == 0) continue; /* sparse matrices are common here */
            for (int j = k + 1; j < n; j++) row_i[j] -= factor * row_k[j];
        }
    }
    return 0;
}

void X(dense_solve)(int n, const real *a, const int *pivot, real *b)
{
    for (int k = 0; k < n; k++) {
        real kept = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = kept;
    }
    for (int i = 1; i < n; i++) {
        const real *row = a + i * n;
        real sum = b[i];
        for (int j = 0; j < i; j++) sum -= row[j] * b[j];
        b[i] = sum;
    }
    for (int i = n - 1; i >= 0; i--) {
        const real *row = a + i * n;
        real sum = b[i];
        for (int j = i + 1; j < n; j++) sum -= row[j] * b[j];
        b[i] = sum / row[i];
    }
}

/* A' = U' L' P: the triangles are used by columns, which are rows of the storage. */
void X(dense_solve_transposed)(int n, const real *a, const int *pivot, real *b)
{
    for (int i = 0; i < n; i++) {
        const real *row = a + i * n;
        real value = b[i] / row[i];
        b[i] = value;
        for (int j = i + 1; j < n; j++) b[j] -= row[j] * value;
    }
    for (int i = n - 1; i > 0; i--) {
        const real *row = a + i * n;
        real value = b[i];
        for (int j = 0; j < i; j++) b[j] -= row[j] * value;
    }
    for (int k = n - 1; k >= 0; k--) {
        real kept = b[k];
        b[k] = b[pivot[k]];
        b[pivot[k]] = kept;
    }
}

int X(dense_invert)(int n, real *a, real *inverse, int *pivot, real *work, real threshold)
{
    int singular = X(dense_factor)(n, a, pivot, threshold);
    if (singular) return singular;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) work[i] = i == j;
        X(dense_solve)(n, a, pivot, work);
        for (int i = 0; i < n; i++) inverse[i * n + j] = work[i];
    }
    return 0;
}
