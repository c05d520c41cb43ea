/* The sparse back end: SuiteSparse's KLU. The pattern is analysed once. Later factorisations keep the pivot order of
   the last full one, which is several times faster, as long as it proves harmless: the growth of the factors is
   measured after every one of them, and the pivots are chosen anew when it is bad. */
#include <klu.h>
#include <math.h>

#include "linalg/linear_backend.h"

/* Growth times 2e-16 is the relative backward error. Chosen pivots may cost three digits; beyond that KLU's preference
   for the diagonal (threshold 0.001, which keeps the fill low) is given up for true partial pivoting, in an order of
   the columns whose fill is bounded whatever rows are exchanged (COLAMD). In the order for diagonal pivots (AMD) the
   same exchanges may fill the factors of a chain with n^2 entries. Kept pivots may cost four digits, or one more than
   chosen ones did. */
static const double growth_chosen = 1e3, growth_kept = 1e4;

typedef struct {
    taut_context *context;
    const linear_pattern *pattern;
    klu_common common;
    klu_symbolic *symbolic; /* of the order that it was created with */
    klu_symbolic *columns;  /* of the one for exchanged rows; NULL: not needed yet, or the same */
    klu_symbolic *used;     /* the one of them that numeric belongs to */
    klu_numeric *numeric;
    double full_growth; /* of the last full factorisation */
    double preference;  /* KLU's own pivot threshold for the diagonal */
    double *row_scale, *column_size;
} klu;

static void klu_state_destroy(void *state)
{
    klu *s = state;
    if (!s) return;
    if (s->numeric) klu_free_numeric(&s->numeric, &s->common);
    if (s->symbolic) klu_free_symbolic(&s->symbolic, &s->common);
    if (s->columns) klu_free_symbolic(&s->columns, &s->common);
    taut_mem_free(s->context, s->row_scale);
    taut_mem_free(s->context, s->column_size);
    taut_mem_free(s->context, s);
}

/* What KLU's status means to us; never called for KLU_OK. */
static int klu_failure(const klu *s)
{
    if (s->common.status == KLU_OUT_OF_MEMORY) return taut_fail(s->context, TAUT_OUT_OF_MEMORY, "out of memory in KLU");
    if (s->common.status == KLU_TOO_LARGE)
        return taut_fail(s->context, TAUT_UNSUPPORTED, "the factors are too large for KLU; try MUMPS");
    return taut_fail(s->context, TAUT_UNSUPPORTED, "KLU refuses a matrix of %d unknowns (status %d)", s->pattern->n,
                s->common.status);
}

enum { ORDER_AMD = 0, ORDER_COLAMD = 1 };

static int analyse(klu *s, int ordering, klu_symbolic **result)
{
    const linear_pattern *pattern = s->pattern;
    s->common.ordering = ordering;
    *result = klu_analyze(pattern->n, pattern->column_start, pattern->row_index, &s->common);
    return *result ? TAUT_OK : klu_failure(s);
}

static int create_ordered(taut_context *context, const linear_pattern *pattern, int ordering, void **state)
{
    *state = NULL;
    klu *s = taut_mem_new(context, 1, sizeof *s);
    if (!s) return TAUT_OUT_OF_MEMORY;
    s->context = context;
    s->pattern = pattern;
    klu_defaults(&s->common);
    s->preference = s->common.tol;
    s->row_scale = taut_mem_new(context, (size_t)pattern->n, sizeof *s->row_scale);
    s->column_size = taut_mem_new(context, (size_t)pattern->n, sizeof *s->column_size);
    int status = s->row_scale && s->column_size ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) status = analyse(s, ordering, &s->symbolic);
    if (status) {
        klu_state_destroy(s);
        return status;
    }
    *state = s;
    return TAUT_OK;
}

static int klu_state_create(taut_context *context, const linear_pattern *pattern, void **state)
{
    return create_ordered(context, pattern, ORDER_AMD, state);
}

static int klu_columns_create(taut_context *context, const linear_pattern *pattern, void **state)
{
    return create_ordered(context, pattern, ORDER_COLAMD, state);
}

void taut_linear_klu_forecast(const void *state, double *entries, double *operations)
{
    const klu *s = state;
    *entries = s->symbolic->lnz + s->symbolic->unz + s->symbolic->nzoff;
    *operations = s->symbolic->est_flops;
}

int taut_linear_klu_matches(const linear_pattern *pattern)
{
    klu_common common;
    klu_defaults(&common);
    klu_symbolic *symbolic = klu_analyze_given(pattern->n, pattern->column_start, pattern->row_index, NULL, NULL,
                                               &common);
    int matches = symbolic && symbolic->structural_rank == pattern->n;
    if (symbolic) klu_free_symbolic(&symbolic, &common);
    return matches;
}

/* The largest factor by which a column of U exceeds the same column of the scaled matrix. */
static double measured_growth(klu *s, const double *values)
{
    const linear_pattern *pattern = s->pattern;
    if (!klu_rgrowth(pattern->column_start, pattern->row_index, (double *)values, s->used, s->numeric, &s->common))
        return INFINITY;
    double growth = 1 / s->common.rgrowth;
    if (isnan(growth)) return INFINITY;
    return growth > 1 ? growth : 1;
}

static int factor_full(klu *s, klu_symbolic *order, const double *values, linear_info *info)
{
    const linear_pattern *pattern = s->pattern;
    if (s->numeric) klu_free_numeric(&s->numeric, &s->common);
    s->used = order;
    s->numeric = klu_factor(pattern->column_start, pattern->row_index, (double *)values, order, &s->common);
    info->factorisations++;
    if (s->numeric) {
        s->full_growth = measured_growth(s, values);
        return TAUT_OK;
    }
    if (s->common.status != KLU_SINGULAR) return klu_failure(s);
    int column = s->common.singular_col;
    return taut_linear_singular(s->context, info, column >= 0 && column < pattern->n ? column : -1);
}

/* Tries the pivot order of the last full factorisation; nonzero when that went well. */
static int factor_again(klu *s, const double *values, linear_info *info)
{
    const linear_pattern *pattern = s->pattern;
    if (!s->numeric) return 0;
    if (!klu_refactor(pattern->column_start, pattern->row_index, (double *)values, s->used, s->numeric, &s->common)
        || s->common.status != KLU_OK)
        return 0;
    double growth = measured_growth(s, values);
    if (!(growth <= fmax(growth_kept, 10 * s->full_growth))) return 0;
    info->pivot_growth = growth;
    info->refactorisations++;
    return 1;
}

/* The column of the first pivot that is nothing but round-off, or -1. */
static int vanished_column(klu *s, const double *values, linear_info *info)
{
    const double *pivot = s->numeric->Udiag;
    double least = INFINITY, most = 0;
    taut_linear_scales(s->pattern, values, s->row_scale, s->column_size);
    for (int k = 0; k < s->pattern->n; k++) {
        double size = fabs(pivot[k]);
        int column = s->used->Q[k];
        if (!(size > LINEAR_SINGULAR * s->column_size[column])) return column;
        if (size < least) least = size;
        if (size > most) most = size;
    }
    info->smallest_pivot = s->pattern->n ? least / most : 1;
    info->factor_nonzeros = (long)s->numeric->lnz + s->numeric->unz + s->numeric->nzoff;
    return -1;
}

/* Partial pivoting. */
static int factor_exchanging(klu *s, const double *values, linear_info *info)
{
    int status = TAUT_OK;
    if (!s->columns && s->symbolic->ordering != ORDER_COLAMD) status = analyse(s, ORDER_COLAMD, &s->columns);
    s->common.tol = 1;
    return status ? status : factor_full(s, s->columns ? s->columns : s->symbolic, values, info);
}

static int klu_state_factor(void *state, const double *values, int anew, linear_info *info)
{
    klu *s = state;
    if (!anew && factor_again(s, values, info) && vanished_column(s, values, info) < 0) return TAUT_OK;
    s->common.tol = s->preference;
    int status = factor_full(s, s->symbolic, values, info);
    if (!status && s->full_growth > growth_chosen) status = factor_exchanging(s, values, info);
    if (status) return status;
    info->pivot_growth = s->full_growth;
    int column = vanished_column(s, values, info);
    if (column < 0) return TAUT_OK;
    klu_free_numeric(&s->numeric, &s->common); /* a singular matrix's pivots are no model for the next one */
    return taut_linear_singular(s->context, info, column);
}

static int klu_state_solve(void *state, double *b)
{
    klu *s = state;
    if (klu_solve(s->used, s->numeric, s->pattern->n, 1, b, &s->common)) return TAUT_OK;
    return klu_failure(s);
}

static int klu_state_solve_transposed(void *state, double *b)
{
    klu *s = state;
    if (klu_tsolve(s->used, s->numeric, s->pattern->n, 1, b, &s->common)) return TAUT_OK;
    return klu_failure(s);
}

const linear_operations taut_linear_klu = { "klu",           klu_state_create,           klu_state_factor,
                                       klu_state_solve, klu_state_solve_transposed, klu_state_destroy, 0, NULL };
const linear_operations taut_linear_klu_columns = { "klu, columns",  klu_columns_create,         klu_state_factor,
                                               klu_state_solve, klu_state_solve_transposed, klu_state_destroy, 0,
                                               NULL };
