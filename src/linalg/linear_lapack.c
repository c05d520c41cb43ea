/* The back end for dense systems: LAPACK's LU. The _work variants neither allocate nor search for NaN. */
#include <lapacke.h>
#include <math.h>
#include <string.h>

#include "linalg/linear_backend.h"

typedef struct {
    taut_context *context;
    const linear_pattern *pattern;
    double *a, *row_scale, *column_size; /* a by columns */
    lapack_int *pivot;
} lapack;

static void lapack_destroy(void *state)
{
    lapack *s = state;
    if (!s) return;
    mem_free(s->context, s->a);
    mem_free(s->context, s->row_scale);
    mem_free(s->context, s->column_size);
    mem_free(s->context, s->pivot);
    mem_free(s->context, s);
}

static int lapack_create(taut_context *context, const linear_pattern *pattern, void **state)
{
    size_t n = (size_t)pattern->n;
    *state = NULL;
    lapack *s = mem_new(context, 1, sizeof *s);
    if (!s) return TAUT_OUT_OF_MEMORY;
    s->context = context;
    s->pattern = pattern;
    s->a = mem_new(context, n * n, sizeof *s->a);
    s->row_scale = mem_new(context, n, sizeof *s->row_scale);
    s->column_size = mem_new(context, n, sizeof *s->column_size);
    s->pivot = mem_new(context, n, sizeof *s->pivot);
    if (!s->a || !s->row_scale || !s->column_size || !s->pivot) {
        lapack_destroy(s);
        return TAUT_OUT_OF_MEMORY;
    }
    *state = s;
    return TAUT_OK;
}

static void load(lapack *s, const double *values)
{
    const linear_pattern *pattern = s->pattern;
    const size_t n = (size_t)pattern->n;
    memset(s->a, 0, n * n * sizeof *s->a);
    for (size_t j = 0; j < n; j++)
        for (int p = pattern->column_start[j]; p < pattern->column_start[j + 1]; p++) {
            int i = pattern->row_index[p];
            s->a[j * n + (size_t)i] = values[p] * s->row_scale[i];
        }
}

static int lapack_factor(void *state, const double *values, int anew, linear_info *info)
{
    (void)anew;
    lapack *s = state;
    const int n = s->pattern->n;
    linear_scales(s->pattern, values, s->row_scale, s->column_size);
    load(s, values);
    /* a zero pivot does not stop dgetrf; the test below finds it in its place */
    if (LAPACKE_dgetrf_work(LAPACK_COL_MAJOR, n, n, s->a, n > 1 ? n : 1, s->pivot) < 0)
        return fail(s->context, TAUT_UNSUPPORTED, "LAPACK refuses a matrix of %d unknowns", n);
    info->factorisations++;
    info->factor_nonzeros = (long)n * n;

    double least = INFINITY, most = 0, growth = 1;
    for (int k = 0; k < n; k++) {
        const double *column = s->a + (size_t)k * n;
        double pivot = fabs(column[k]);
        if (!(pivot > LINEAR_SINGULAR * s->column_size[k])) return linear_singular(s->context, info, k);
        if (pivot < least) least = pivot;
        if (pivot > most) most = pivot;
        for (int i = 0; i <= k; i++)
            if (fabs(column[i]) > growth * s->column_size[k]) growth = fabs(column[i]) / s->column_size[k];
    }
    info->pivot_growth = growth;
    info->smallest_pivot = n ? least / most : 1;
    return TAUT_OK;
}

static int apply(lapack *s, char form, double *b)
{
    const int n = s->pattern->n, leading = n > 1 ? n : 1;
    if (LAPACKE_dgetrs_work(LAPACK_COL_MAJOR, form, n, 1, s->a, leading, s->pivot, b, leading) != 0)
        return fail(s->context, TAUT_UNSUPPORTED, "LAPACK refuses a matrix of %d unknowns", n);
    return TAUT_OK;
}

static int lapack_solve(void *state, double *b)
{
    lapack *s = state;
    for (int i = 0; i < s->pattern->n; i++) b[i] *= s->row_scale[i];
    return apply(s, 'N', b);
}

static int lapack_solve_transposed(void *state, double *b)
{
    lapack *s = state;
    int status = apply(s, 'T', b);
    for (int i = 0; i < s->pattern->n; i++) b[i] *= s->row_scale[i];
    return status;
}

const linear_operations linear_lapack = { "lapack",       lapack_create,  lapack_factor, lapack_solve,
                                          lapack_solve_transposed, lapack_destroy, 0 };
