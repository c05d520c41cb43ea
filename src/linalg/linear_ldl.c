/* The back end for the multiplier matrix G1 M^-1 G0': A = L D U without pivoting. The matrix is close to symmetric and
   positive definite, where no pivoting is needed; that this is so is measured in every factorisation, and a matrix of
   another kind is handed to KLU. */
#include <math.h>
#include <string.h>

#include "base/room.h"
#include "linalg/linear_ldl.h"

/* Factors that grow past this cost more than four digits; positive definite matrices have 1. */
static const double growth_limit = 1e4;

/* Row k of L and column k of U from all before them (up-looking), for k = 0, 1, ...:
     w = L^-1 A(0..k-1, k),  z = U'^-1 A(k, 0..k-1)',  l_kj = z_j / d_j,  u_jk = w_j / d_j,  d_k = a_kk - sum l_kj w_j.
   Growth: every entry of |L||D||U|, which times the rounding unit bounds the backward error, is at most
   sqrt(size_i size_j), where size_k is the larger of sum z_j l_kj and sum w_j u_jk with d_k added (Cauchy-Schwarz); it
   is compared to a_kk, which a positive definite matrix cannot exceed. */
static ldl_outcome eliminate(ldl *s, const double *values)
{
    const int n = s->n;
    const int *start = s->sources.start, *diagonal = s->sources.diagonal;
    const ldl_source *source = s->sources.entry;
    const int *row_start = s->row_start, *column_start = s->column_start, *row_index = s->row_index;
    const ldl_link *row = s->row;
    double *restrict lower = s->lower, *restrict upper = s->upper, *restrict inverse = s->inverse;
    double *restrict x = s->x, *restrict y = s->y;
    ldl_outcome found = { 1, INFINITY, 0, 0, n };

    for (int k = 0; k < n; k++) {
        for (int p = start[k]; p < start[k + 1]; p++) {
            ldl_source at = source[p];
            x[at.column] = at.upper >= 0 ? values[at.upper] : 0;
            y[at.column] = at.lower >= 0 ? values[at.lower] : 0;
        }
        const double given = diagonal[k] >= 0 ? values[diagonal[k]] : 0;
        double d = given, size_lower = 0, size_upper = 0;
        for (int r = row_start[k]; r < row_start[k + 1]; r++) {
            const int j = row[r].column, slot = row[r].slot;
            const double w = x[j], z = y[j];
            x[j] = y[j] = 0;
            for (int q = column_start[j]; q < slot; q++) {
                x[row_index[q]] -= lower[q] * w;
                y[row_index[q]] -= upper[q] * z;
            }
            const double l = z * inverse[j], u = w * inverse[j];
            lower[slot] = l;
            upper[slot] = u;
            d -= l * w;
            size_lower += fabs(l * z);
            size_upper += fabs(u * w);
        }
        const double pivot = fabs(d), size = fmax(size_lower, size_upper), diagonal_size = fabs(given);
        /* written so that what is not a number stops here too */
        if (!(pivot > LINEAR_SINGULAR * (diagonal_size + size))) {
            found.stopped = k;
            return found;
        }
        /* with a margin for rounding, so that a positive definite matrix never comes to the division */
        if (size + pivot > found.growth * diagonal_size * 1.000001) found.growth = (size + pivot) / diagonal_size;
        if (pivot < found.least) found.least = pivot;
        if (pivot > found.most) found.most = pivot;
        found.negative += d < 0;
        inverse[k] = 1 / d;
    }
    return found;
}

/* Of a long chain too, whose own elimination has other uses for x and y. */
static ldl_outcome eliminate_any(ldl *s, const double *values)
{
    for (int k = 0; s->far_lower && k < s->n; k++) s->x[k] = s->y[k] = 0;
    return eliminate(s, values);
}

/* (L D U) b' = b in place, in the order of elimination; with the two triangles exchanged, the transposed system. */
static void substitute(const ldl *s, const double *lower, const double *upper, double *b)
{
    const int n = s->n, *column_start = s->column_start, *row_index = s->row_index;
    for (int j = 0; j < n; j++) {
        const double value = b[j];
        for (int q = column_start[j]; q < column_start[j + 1]; q++) b[row_index[q]] -= lower[q] * value;
        b[j] = value * s->inverse[j];
    }
    for (int j = n - 1; j >= 0; j--) {
        double sum = b[j];
        for (int q = column_start[j]; q < column_start[j + 1]; q++) sum -= upper[q] * b[row_index[q]];
        b[j] = sum;
    }
}

static void apply(ldl *s, const double *lower, const double *upper, double *b)
{
    if (s->chain_at_work) {
        taut_ldl_chain_substitute(s, lower, upper, b);
        return;
    }
    if (!s->order) {
        substitute(s, lower, upper, b);
        return;
    }
    for (int k = 0; k < s->n; k++) s->x[k] = b[s->order[k]];
    substitute(s, lower, upper, s->x);
    for (int k = 0; k < s->n; k++) {
        b[s->order[k]] = s->x[k];
        s->x[k] = 0; /* eliminate counts on it */
    }
}

static int ldl_solve(void *state, double *b)
{
    ldl *s = state;
    if (s->klu_at_work) return taut_linear_klu.solve(s->klu, b);
    apply(s, s->lower, s->symmetric ? s->lower : s->upper, b);
    return TAUT_OK;
}

static int ldl_solve_transposed(void *state, double *b)
{
    ldl *s = state;
    if (s->klu_at_work) return taut_linear_klu.solve_transposed(s->klu, b);
    apply(s, s->symmetric ? s->lower : s->upper, s->lower, b);
    return TAUT_OK;
}

/* A pivot vanished or the factors grew: either the matrix is singular or it needs pivoting. KLU decides. Always anew,
   so that the result does not depend on which earlier matrices came this way. */
static int factor_by_klu(ldl *s, const double *values, const ldl_outcome *found, linear_info *info)
{
    const double *ordered = values;
    if (!taut_linear_finite(s->pattern->entries, values))
        return taut_fail(s->context, TAUT_NOT_FINITE, "the matrix holds a value that is not finite");
    for (int p = 0; s->value_order && p < s->pattern->entries; p++) s->pattern_values[p] = values[s->value_order[p]];
    if (s->value_order) ordered = s->pattern_values;
    int status = s->klu ? TAUT_OK : taut_linear_klu.create(s->context, s->pattern, &s->klu);
    if (!status) status = taut_linear_klu.factor(s->klu, ordered, 1, info);
    if (!status) {
        s->klu_at_work = 1;
        info->backend = LINEAR_KLU;
    }
    /* In a semidefinite matrix the row whose pivot vanished is the one that depends on those before it; in any other
       the vanished pivot says little, and KLU's column stands. */
    int k = found->stopped;
    if (status == TAUT_SINGULAR && k < s->n && found->growth <= growth_limit && s->sources.diagonal[k] >= 0
        && values[s->sources.diagonal[k]] != 0)
        status = taut_linear_singular(s->context, info, s->order ? s->order[k] : k);
    return status;
}

/* The entries above the diagonal are those below. */
static void complete(const ldl *s, double *values)
{
    memcpy(values + 2 * s->n - 1, values + s->n, (size_t)(s->n - 1) * sizeof *values);
}

/* symmetric: NULL, or the values once more, of which only those of the lower triangle are given. */
static int factor(ldl *s, const double *values, double *symmetric, linear_info *info)
{
    s->klu_at_work = 0;
    info->backend = LINEAR_LDL;
    s->chain_at_work = s->chain;
    s->symmetric = symmetric != NULL;
    ldl_outcome found = s->chain ? taut_ldl_chain_eliminate(s, values) : eliminate(s, values);
    if (s->chain && (found.stopped < s->n || !(found.growth <= growth_limit))) {
        s->chain_at_work = s->symmetric = 0;
        if (symmetric) complete(s, symmetric);
        found = eliminate_any(s, values);
    }
    info->factorisations++;
    info->factor_nonzeros = 2L * s->column_start[s->n] + s->n;
    if (found.stopped < s->n || !(found.growth <= growth_limit)) return factor_by_klu(s, values, &found, info);
    info->pivot_growth = found.growth;
    info->smallest_pivot = s->n ? found.least / found.most : 1;
    info->negative_pivots = found.negative;
    return TAUT_OK;
}

static int ldl_factor(void *state, const double *values, int anew, linear_info *info)
{
    (void)anew;
    return factor(state, values, NULL, info);
}

int taut_ldl_takes_lower(const void *state)
{
    const ldl *s = state;
    return s->chain && s->value_order ? 2 * s->n - 1 : 0;
}

int taut_ldl_factor_lower(void *state, double *values, linear_info *info)
{
    return factor(state, values, values, info);
}

static void ldl_destroy(void *state)
{
    ldl *s = state;
    if (!s) return;
    taut_context *context = s->context;
    if (s->klu) taut_linear_klu.destroy(s->klu);
    room_free(context, &s->room);
    void *blocks[] = { s->order,        s->sources.diagonal, s->sources.start, s->sources.entry, s->row_start, s->row,
                       s->column_start, s->row_index,        s->value_order,   s->users };
    int last = !s->users || --*s->users == 0;
    for (size_t i = 0; last && i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(context, blocks[i]);
    taut_mem_free(context, s);
}

static void lay_out(void *self, room_layout *l)
{
    ldl *s = self;
    size_t n = (size_t)s->n, entries = s->chain ? n : (size_t)s->column_start[n];
    s->lower = room_take(l, entries, sizeof *s->lower);
    s->upper = room_take(l, entries, sizeof *s->upper);
    s->inverse = room_take(l, n, sizeof *s->inverse);
    s->x = room_take(l, n, sizeof *s->x);
    s->y = room_take(l, n, sizeof *s->y);
    if (s->chain && taut_ldl_chain_is_long(s->n)) s->far_lower = s->x, s->far_upper = s->y;
    if (s->chain) s->pattern_values = room_take(l, (size_t)s->pattern->entries, sizeof *s->pattern_values);
}

/* By the elimination for any pattern, whatever the last factorisation was. */
int taut_ldl_small_pivots(void *state, const double *values, double limit, unsigned char *small)
{
    ldl *s = state;
    int count = 0;
    ldl_outcome found = eliminate_any(s, values);
    for (int k = 0; k < s->n; k++) {
        int is_small = k >= found.stopped || !(fabs(1 / s->inverse[k]) > limit);
        small[s->order ? s->order[k] : k] = (unsigned char)is_small;
        count += is_small;
    }
    return count;
}

const int *taut_ldl_elimination(const void *state) { return ((const ldl *)state)->order; }

int taut_ldl_value_order(void *state, const int **order)
{
    ldl *s = state;
    *order = NULL;
    if (!s->chain || (!s->value_order && *s->users > 1)) return TAUT_OK; /* others count on the order that there is */
    int status = taut_ldl_chain_order(s);
    *order = s->value_order;
    return status;
}

void taut_ldl_use(void *state, pool *p) { ((ldl *)state)->pool = p; }

static int ldl_create(taut_context *context, const linear_pattern *pattern, void **state)
{
    *state = NULL;
    ldl *s = taut_mem_new(context, 1, sizeof *s);
    if (!s) return TAUT_OUT_OF_MEMORY;
    s->context = context;
    s->pattern = pattern;
    s->n = pattern->n;
    s->users = taut_mem_new(context, 1, sizeof *s->users);
    if (s->users) *s->users = 1;
    int status = s->users ? taut_ldl_analyse(s) : TAUT_OUT_OF_MEMORY;
    if (!status) s->chain = taut_ldl_is_chain(s);
    if (!status) status = room_create(context, lay_out, s, &s->room);
    if (status) {
        ldl_destroy(s);
        return status;
    }
    *state = s;
    return TAUT_OK;
}

static int ldl_create_like(const void *other, const linear_pattern *pattern, void **state)
{
    const ldl *like = other;
    *state = NULL;
    ldl *s = taut_mem_new(like->context, 1, sizeof *s);
    if (!s) return TAUT_OUT_OF_MEMORY;
    *s = *like;
    ++*s->users;
    s->pattern = pattern;
    s->room = s->klu = NULL;
    s->klu_at_work = s->chain_at_work = s->symmetric = 0;
    int status = room_create(s->context, lay_out, s, &s->room);
    if (status)
        ldl_destroy(s);
    else
        *state = s;
    return status;
}

const linear_operations taut_linear_ldl = { "ldl",       ldl_create, ldl_factor, ldl_solve, ldl_solve_transposed,
                                            ldl_destroy, 1,          ldl_create_like };
