/* Static condensation in numbers: the programs of all shapes of islands, the linear solver of the multipliers between them,
 * and the check of the first solution with a matrix. Theory: islands.h. */
#include "lower/islands_inside.h"

#include <string.h>

#ifndef TAUT_REAL_QUAD
void X(islands_destroy)(islands *z)
{
    if (!z) return;
    taut_context *context = z->s->context;
    for (uint32_t k = 0; k < z->shape_count; k++) {
        island_shape *s = &z->shapes[k];
        void *const tables[] = { s->key, s->rows, s->columns, s->schur, s->schur_row, s->schur_column };
        for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) taut_mem_free(context, tables[i]);
        X(element_program_clear)(context, &s->factor);
        X(element_program_clear)(context, &s->forward);
        X(element_program_clear)(context, &s->backward);
        X(element_program_clear)(context, &s->check);
    }
    void *const lists[] = { z->shapes, z->is_late, z->late_rows, z->late_columns, z->direct_to, z->direct_row,
                            z->direct_column, z->places };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) taut_mem_free(context, lists[i]);
    taut_linear_destroy(z->solver);
    room_free(context, &z->room);
    taut_mem_free(context, z);
}

/* ---- numbers ---- */

static const real *vector_of(const void *user, const element_input *in)
{
    (void)in;
    return user;
}

typedef struct {
    islands *z;
    island_shape *shape;
} target;

const int *X(islands_places)(const islands *z) { return z->places; }

double *X(islands_begin)(islands *z)
{
    memset(z->numbers, 0, (z->number_count + (size_t)z->direct_count) * sizeof *z->numbers);
    return z->numbers;
}

static void put_factors(const element_group *g, void *user)
{
    const target *to = user;
    const island_shape *s = to->shape;
    islands *z = to->z;
    for (uint32_t from = 0; from < g->count; from += ELEMENT_BLOCK)
        for (uint32_t o = 0; o < s->schur_count; o++)
            X(element_add)(g, from, s->schur + (size_t)o * s->stride, element_value(g, s->factor_count + o), z->schur);
    const real *worst = element_value(g, s->factor_count + s->schur_count);
    for (uint32_t i = 0; i < g->count; i++)
        if (!(worst[i] > 0)) z->worst = -1;
}

int X(islands_factor)(islands *z, int *usable)
{
    z->worst = 1;
    z->checked = 0;
    if (z->schur_entries) memset(z->schur, 0, (size_t)z->schur_entries * sizeof *z->schur);
    for (int k = 0; k < z->direct_count; k++) z->schur[z->direct_to[k]] = z->numbers[z->number_count + (size_t)k];
    for (uint32_t k = 0; k < z->shape_count; k++) {
        target to = { z, &z->shapes[k] };
        X(element_run)(z->s, &to.shape->lanes, &to.shape->factor, &to.shape->entries, &to.shape->lanes.saved, NULL,
                       NULL, put_factors, &to);
    }
    *usable = z->worst > 0;
    if (!*usable || !z->solver) return TAUT_OK;
    taut_linear_forget(z->solver);
    const int status = taut_linear_factor(z->solver, z->schur);
    *usable = !status;
    return status == TAUT_OUT_OF_MEMORY ? status : TAUT_OK; /* the whole matrix has the last word */
}

static void put_forward(const element_group *g, void *user)
{
    const target *to = user;
    const island_shape *s = to->shape;
    for (uint32_t from = 0; from < g->count; from += ELEMENT_BLOCK)
        for (uint32_t i = s->first.own; i < s->first.row_count; i++)
            X(element_add)(g, from, s->rows + (size_t)i * s->stride, element_value(g, i), to->z->right);
}

static void put_backward(const element_group *g, void *user)
{
    const target *to = user;
    const island_shape *s = to->shape;
    for (uint32_t k = 0; k < s->first.own; k++) {
        const uint32_t *index = s->columns + (size_t)k * s->stride + g->first;
        const real *value = element_value(g, k);
        for (uint32_t i = 0; i < g->count; i++) to->z->found[index[i]] = value[i];
    }
}

/* ---- the first solution ---- */

typedef struct {
    const real *right, *found;
    real sizes[CHECK_SIZES];
} solution;

static const real *part_of_solution(const void *user, const element_input *in)
{
    const solution *s = user;
    return in->from == FROM_RIGHT ? s->right : in->from == FROM_UNKNOWN ? s->found : &s->sizes[in->at];
}

static void put_check(const element_group *g, void *user)
{
    const target *to = user;
    const island_shape *s = to->shape;
    const real *worst = element_value(g, 0);
    for (uint32_t i = 0; i < g->count; i++)
        if (!(worst[i] >= 0)) to->z->worst = -1;
    for (uint32_t from = 0; from < g->count; from += ELEMENT_BLOCK)
        for (uint32_t i = s->first.own; i < s->first.row_count; i++) {
            const uint32_t *rows = s->rows + (size_t)i * s->stride, o = 1 + 2 * (i - s->first.own);
            X(element_add)(g, from, rows, element_value(g, o), to->z->sums);
            X(element_add)(g, from, rows, element_value(g, o + 1), to->z->sizes);
        }
}

static int is_good(islands *z, const real *right)
{
    solution found = { right, z->found, { 0 } };
    z->worst = 1;
    memset(z->sums, 0, (size_t)z->size * sizeof *z->sums);
    memset(z->sizes, 0, (size_t)z->size * sizeof *z->sizes);
    for (int i = 0; i < z->size; i++) {
        const int late = z->is_late[i];
        found.sizes[late ? CHECK_LATE : CHECK_EARLY] = real_most(found.sizes[late ? CHECK_LATE : CHECK_EARLY], z->found[i]);
    }
    for (uint32_t k = 0; k < z->shape_count; k++) {
        target to = { z, &z->shapes[k] };
        X(element_run)(z->s, &to.shape->lanes, &to.shape->check, &to.shape->entries, NULL, part_of_solution, &found,
                       put_check, &to);
    }
    for (int k = 0; k < z->direct_count; k++) {
        const real value = z->numbers[z->number_count + (size_t)k];
        z->sums[z->direct_row[k]] += value * z->found[z->direct_column[k]];
        z->sizes[z->direct_row[k]] += REAL(fabs)(value) * found.sizes[CHECK_LATE];
    }
    for (int k = 0; k < z->late_count; k++) {
        const int i = z->late_rows[k];
        if (!(REAL(fabs)(right[i] - z->sums[i]) <= ISLANDS_ERROR_MOST * (z->sizes[i] + REAL(fabs)(right[i])))) return 0;
    }
    return z->worst > 0;
}

int X(islands_solve)(islands *z, real *r, int *good)
{
    int status = TAUT_OK;
    *good = 1;
    memcpy(z->right, r, (size_t)z->size * sizeof *r);
    for (uint32_t k = 0; k < z->shape_count; k++) {
        target to = { z, &z->shapes[k] };
        const element_table *saved = &to.shape->lanes.saved;
        X(element_run)(z->s, &to.shape->lanes, &to.shape->forward, saved, saved, vector_of, z->right, put_forward, &to);
    }
    for (int k = 0; k < z->late_count; k++) z->late[k] = z->right[z->late_rows[k]];
    if (z->solver) status = taut_linear_solve(z->solver, z->late);
    for (int k = 0; k < z->late_count; k++) z->found[z->late_columns[k]] = z->late[k];
    for (uint32_t k = 0; !status && k < z->shape_count; k++) {
        target to = { z, &z->shapes[k] };
        X(element_run)(z->s, &to.shape->lanes, &to.shape->backward, &to.shape->lanes.saved, NULL, vector_of, z->found,
                       put_backward, &to);
    }
    if (!status && !z->checked) *good = is_good(z, r);
    z->checked = 1;
    if (!status && *good) memcpy(r, z->found, (size_t)z->size * sizeof *r);
    return status;
}
#else
void X(islands_destroy)(islands *z) { (void)z; }

const int *X(islands_places)(const islands *z)
{
    (void)z;
    return NULL;
}

double *X(islands_begin)(islands *z)
{
    (void)z;
    return NULL;
}

int X(islands_factor)(islands *z, int *usable)
{
    (void)z;
    *usable = 0;
    return TAUT_OK;
}

int X(islands_solve)(islands *z, real *r, int *good)
{
    (void)z, (void)r;
    *good = 0;
    return TAUT_UNSUPPORTED;
}
#endif

