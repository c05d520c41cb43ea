/* The back end for small systems: own dense LU, in arrays that are made once. */
#include <math.h>
#include <string.h>

#include "linalg/dense.h"
#include "linalg/linear_backend.h"

typedef struct {
    taut_context *context;
    const linear_pattern *pattern;
    double *a, *row_scale, *column_size;
    int *pivot;
} small;

static void small_destroy(void *state)
{
    small *s = state;
    if (!s) return;
    mem_free(s->context, s->a);
    mem_free(s->context, s->row_scale);
    mem_free(s->context, s->column_size);
    mem_free(s->context, s->pivot);
    mem_free(s->context, s);
}

static int small_create(taut_context *context, const linear_pattern *pattern, void **state)
{
    size_t n = (size_t)pattern->n;
    *state = NULL;
    /* dense.c counts entries in int */
    if (n > 46340) return fail(context, TAUT_UNSUPPORTED, "%zu unknowns are too many for the small dense solver", n);
    small *s = mem_new(context, 1, sizeof *s);
    if (!s) return TAUT_OUT_OF_MEMORY;
    s->context = context;
    s->pattern = pattern;
    s->a = mem_new(context, n * n, sizeof *s->a);
    s->row_scale = mem_new(context, n, sizeof *s->row_scale);
    s->column_size = mem_new(context, n, sizeof *s->column_size);
    s->pivot = mem_new(context, n, sizeof *s->pivot);
    if (!s->a || !s->row_scale || !s->column_size || !s->pivot) {
        small_destroy(s);
        return TAUT_OUT_OF_MEMORY;
    }
    *state = s;
    return TAUT_OK;
}

static void load(small *s, const double *values)
{
    const linear_pattern *pattern = s->pattern;
    const size_t n = (size_t)pattern->n;
    memset(s->a, 0, n * n * sizeof *s->a);
    for (size_t j = 0; j < n; j++)
        for (int p = pattern->column_start[j]; p < pattern->column_start[j + 1]; p++) {
            int i = pattern->row_index[p];
            s->a[(size_t)i * n + j] = values[p] * s->row_scale[i];
        }
}

static int small_factor(void *state, const double *values, int anew, linear_info *info)
{
    (void)anew;
    small *s = state;
    const int n = s->pattern->n;
    linear_scales(s->pattern, values, s->row_scale, s->column_size);
    load(s, values);
    int stopped = dense_factor(n, s->a, s->pivot, 0);
    info->factorisations++;
    info->factor_nonzeros = (long)n * n;

    double least = INFINITY, most = 0, growth = 1;
    int known = stopped ? stopped - 1 : n; /* pivots before a breakdown may themselves be too small */
    for (int k = 0; k < known; k++) {
        const double *row = s->a + (size_t)k * n;
        double pivot = fabs(row[k]);
        if (!(pivot > LINEAR_SINGULAR * s->column_size[k])) return linear_singular(s->context, info, k);
        if (pivot < least) least = pivot;
        if (pivot > most) most = pivot;
        /* the growth of each column against its own size, as KLU measures it */
        for (int j = k; j < n; j++)
            if (fabs(row[j]) > growth * s->column_size[j]) growth = fabs(row[j]) / s->column_size[j];
    }
    if (stopped) return linear_singular(s->context, info, stopped - 1);
    info->pivot_growth = growth;
    info->smallest_pivot = n ? least / most : 1;
    return TAUT_OK;
}

static int small_solve(void *state, double *b)
{
    small *s = state;
    for (int i = 0; i < s->pattern->n; i++) b[i] *= s->row_scale[i];
    dense_solve(s->pattern->n, s->a, s->pivot, b);
    return TAUT_OK;
}

static int small_solve_transposed(void *state, double *b)
{
    small *s = state;
    dense_solve_transposed(s->pattern->n, s->a, s->pivot, b);
    for (int i = 0; i < s->pattern->n; i++) b[i] *= s->row_scale[i];
    return TAUT_OK;
}

const linear_operations linear_small = { "small",     small_create, small_factor, small_solve, small_solve_transposed,
                                         small_destroy, 0 };
