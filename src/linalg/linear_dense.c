/* The back ends for dense systems: one state, with the LU of linalg/dense.h for small ones and LAPACK's for others. */
#include <math.h>
#include <string.h>

#include "base/room.h"
#include "linalg/dense.h"
#include "linalg/lapack.h"
#include "linalg/linear_backend.h"

/* What the two differ in. Both pivot by rows. */
typedef struct {
    /* Returns 0; k + 1 when it stopped at pivot k, which is zero or not finite; -1 when the library refuses. */
    int (*factor)(const lapack *l, int n, double *a, void *pivot);
    /* The same, 0 or -1. */
    int (*solve)(const lapack *l, int n, const double *a, const void *pivot, double *b, int transposed);
    int by_columns;
    int most; /* unknowns; 0: any number */
} dense_lu;

typedef struct {
    taut_context *context;
    const linear_pattern *pattern;
    const dense_lu *lu;
    lapack library;               /* of the one that needs it */
    size_t row_step, column_step; /* entry (i, j) is a[i row_step + j column_step] */
    void *room;                   /* of the arrays below */
    double *a, *row_scale, *column_size;
    void *pivot;                  /* int, or lapack_int */
} dense;

/* ---- own ---- */

static int own_factor(const lapack *l, int n, double *a, void *pivot)
{
    (void)l;
    return X(dense_factor)(n, a, pivot, 0);
}

static int own_solve(const lapack *l, int n, const double *a, const void *pivot, double *b, int transposed)
{
    (void)l;
    (transposed ? X(dense_solve_transposed) : X(dense_solve))(n, a, pivot, b);
    return 0;
}

static const dense_lu own = { own_factor, own_solve, 0, 46340 }; /* it counts entries in int */

/* ---- LAPACK ---- */

static int lapack_factor(const lapack *l, int n, double *a, void *pivot)
{
    return taut_lapack_factor(l, n, a, pivot) ? -1 : 0; /* a zero pivot is found by the test of the pivots */
}

static int lapack_solve(const lapack *l, int n, const double *a, const void *pivot, double *b, int transposed)
{
    return taut_lapack_solve(l, n, a, pivot, b, transposed) ? -1 : 0;
}

static const dense_lu by_lapack = { lapack_factor, lapack_solve, 1, 0 };

/* ---- both ---- */

static void destroy(void *state)
{
    dense *s = state;
    if (!s) return;
    room_free(s->context, &s->room);
    taut_mem_free(s->context, s);
}

static void lay_out(void *self, room_layout *l)
{
    dense *s = self;
    size_t n = (size_t)s->pattern->n;
    s->a = room_take(l, n * n, sizeof *s->a);
    s->row_scale = room_take(l, n, sizeof *s->row_scale);
    s->column_size = room_take(l, n, sizeof *s->column_size);
    s->pivot = room_take(l, n, sizeof(lapack_int) > sizeof(int) ? sizeof(lapack_int) : sizeof(int));
}

static int create(taut_context *context, const linear_pattern *pattern, const dense_lu *lu, void **state)
{
    const int n = pattern->n;
    *state = NULL;
    if (lu->most && n > lu->most)
        return taut_fail(context, TAUT_UNSUPPORTED, "%d unknowns are too many for the small dense solver", n);
    dense *s = taut_mem_new(context, 1, sizeof *s);
    if (!s) return TAUT_OUT_OF_MEMORY;
    *s = (dense){ .context = context, .pattern = pattern, .lu = lu };
    s->row_step = lu->by_columns ? 1 : (size_t)n;
    s->column_step = lu->by_columns ? (size_t)n : 1;
    int status = lu == &by_lapack ? taut_lapack_load(context, &s->library) : TAUT_OK;
    if (!status) status = room_create(context, lay_out, s, &s->room);
    if (status)
        destroy(s);
    else
        *state = s;
    return status;
}

static void load(dense *s, const double *values)
{
    const linear_pattern *pattern = s->pattern;
    const size_t n = (size_t)pattern->n;
    memset(s->a, 0, n * n * sizeof *s->a);
    for (size_t j = 0; j < n; j++)
        for (int p = pattern->column_start[j]; p < pattern->column_start[j + 1]; p++) {
            size_t i = (size_t)pattern->row_index[p];
            s->a[i * s->row_step + j * s->column_step] = values[p] * s->row_scale[i];
        }
}

static int refused(const dense *s)
{
    return taut_fail(s->context, TAUT_UNSUPPORTED, "LAPACK refuses a matrix of %d unknowns", s->pattern->n);
}

static int factor(void *state, const double *values, int anew, linear_info *info)
{
    (void)anew;
    dense *s = state;
    const int n = s->pattern->n;
    taut_linear_scales(s->pattern, values, s->row_scale, s->column_size);
    load(s, values);
    const int stopped = s->lu->factor(&s->library, n, s->a, s->pivot);
    if (stopped < 0) return refused(s);
    info->factorisations++;
    info->factor_nonzeros = (long)n * n;

    double least = INFINITY, most = 0, growth = 1;
    for (int k = 0; k < n; k++) { /* pivots before a breakdown may themselves be too small */
        const double *column = s->a + (size_t)k * s->column_step, size = s->column_size[k];
        double pivot = fabs(column[(size_t)k * s->row_step]);
        if (k == stopped - 1 || !(pivot > LINEAR_SINGULAR * size)) return taut_linear_singular(s->context, info, k);
        if (pivot < least) least = pivot;
        if (pivot > most) most = pivot;
        /* the growth of each column against its own size, as KLU measures it */
        for (int i = 0; i <= k; i++) {
            double entry = fabs(column[(size_t)i * s->row_step]);
            if (entry > growth * size) growth = entry / size;
        }
    }
    info->pivot_growth = growth;
    info->smallest_pivot = n ? least / most : 1;
    return TAUT_OK;
}

static int apply(dense *s, double *b, int transposed)
{
    const int n = s->pattern->n;
    for (int i = 0; !transposed && i < n; i++) b[i] *= s->row_scale[i];
    if (s->lu->solve(&s->library, n, s->a, s->pivot, b, transposed)) return refused(s);
    for (int i = 0; transposed && i < n; i++) b[i] *= s->row_scale[i];
    return TAUT_OK;
}

static int solve(void *state, double *b) { return apply(state, b, 0); }
static int solve_transposed(void *state, double *b) { return apply(state, b, 1); }

static int create_small(taut_context *context, const linear_pattern *pattern, void **state)
{
    return create(context, pattern, &own, state);
}

static int create_lapack(taut_context *context, const linear_pattern *pattern, void **state)
{
    return create(context, pattern, &by_lapack, state);
}

const linear_operations taut_linear_small = { "small", create_small, factor, solve, solve_transposed, destroy, 0,
                                              NULL };
const linear_operations taut_linear_lapack = { "lapack", create_lapack, factor, solve, solve_transposed, destroy, 0,
                                               NULL };
