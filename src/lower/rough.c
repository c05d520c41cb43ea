/* A rough matrix: that of a phase without the curvature of its constraints. */
#include <string.h>

#include "lower/reduce_inside.h"

/* Few unknowns are eliminated in as many operations as a further round takes. */
enum { ROUGH_FROM = 9 };

static int is_multiplier(const symbols *y, const reduced_phase *p, size_t i)
{
    return X(reduce_size)(y, p, i) == STEP_C;
}

/* The multipliers of the phase as leaves, and as many zeros. */
typedef struct {
    expr *leaves, *zeros;
    size_t count;
} multipliers;

static int list_multipliers(symbols *y, const reduced_phase *p, multipliers *all)
{
    all->leaves = taut_mem_new(y->context, 2 * p->count + 1, sizeof *all->leaves);
    if (!all->leaves) return TAUT_OUT_OF_MEMORY;
    all->zeros = all->leaves + p->count;
    for (size_t i = 0; i < p->count; i++) {
        if (!is_multiplier(y, p, i)) continue;
        all->zeros[all->count] = y->zero;
        all->leaves[all->count++] = X(reduce_leaf)(y, p, i);
    }
    return TAUT_OK;
}

/* Row i of the matrix, where it belongs to a coordinate, without multipliers. *constant: nothing in it varies then;
   *changed: something did. */
static int strip_row(symbols *y, const reduced_phase *p, uint32_t i, const multipliers *all, expr *row, int *constant,
                     int *changed)
{
    for (uint32_t k = 0; k < p->size; k++) {
        if (is_multiplier(y, p, p->left[k]) || taut_expr_is_constant(y->g, row[k])) continue;
        row[k] = taut_expr_substitute(y->g, row[k], all->leaves, all->zeros, all->count);
        if (!row[k]) return TAUT_OUT_OF_MEMORY;
        *changed = 1;
        *constant &= taut_expr_is_constant(y->g, row[k]);
    }
    int usable = 0;
    const int status = *constant ? X(reduce_is_usable)(y, row[i], &usable) : TAUT_OK;
    *constant &= usable;
    return status;
}

int X(reduce_rough)(symbols *y, reduced_phase *p, expr *matrix)
{
    const size_t entries = (size_t)p->size * p->size;
    multipliers all = { 0 };
    int constant = 1, changed = 0;
    if (sizeof(real) > sizeof(double) || p->size < ROUGH_FROM) return TAUT_OK;
    expr *stripped = taut_mem_new(y->context, entries + 1, sizeof *stripped);
    int status = stripped ? list_multipliers(y, p, &all) : TAUT_OUT_OF_MEMORY;
    if (!status) memcpy(stripped, matrix, entries * sizeof *matrix);
    for (uint32_t i = 0; !status && constant && i < p->size; i++)
        if (!is_multiplier(y, p, p->left[i]))
            status = strip_row(y, p, i, &all, stripped + (size_t)i * p->size, &constant, &changed);
    p->is_rough = !status && constant && changed;
    if (p->is_rough) memcpy(matrix, stripped, entries * sizeof *matrix);
    taut_mem_free(y->context, stripped);
    taut_mem_free(y->context, all.leaves);
    return status;
}
