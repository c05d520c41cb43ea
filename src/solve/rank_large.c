#include "solve/rank_large.h"

#include <math.h>
#include <string.h>

#include "base/budget.h"
#include "base/room.h"
#include "linalg/linear.h"

#define ADDED 1e-10 /* of the identity */
/* A pivot is the square of the part of a unit gradient that is independent of those before it, plus what the identity
   adds: more than ADDED by the squares of its coefficients in them. */
#define SMALL 1e-8
#define PER_ENTRY 8 /* operations for an entry of G G', about */

struct large_rank {
    const struct system *s;
    const pattern *g;
    const real *values;
    pattern *shape;          /* of G G' */
    linear *solver;
    uint32_t number;
    void *room;              /* of the arrays below */
    double *entries;         /* of the matrix */
    double *row;             /* one row of G, n; zero between uses */
    double *inverse_length;  /* of the gradients */
    double *x;               /* c */
    unsigned char *dependent;
};

void X(large_rank_destroy)(large_rank *z)
{
    if (!z) return;
    taut_context *context = z->s->context;
    taut_pattern_destroy(context, z->shape);
    taut_linear_destroy(z->solver);
    room_free(context, &z->room);
    taut_mem_free(context, z);
}

static void lay_out(void *self, room_layout *l)
{
    large_rank *z = self;
    z->entries = room_take(l, (size_t)pattern_entries(z->shape), sizeof *z->entries);
    z->row = room_take(l, z->s->n, sizeof *z->row);
    z->inverse_length = room_take(l, z->s->c, sizeof *z->inverse_length);
    z->x = room_take(l, z->s->c, sizeof *z->x);
    z->dependent = room_take(l, z->s->c, 1);
}

/* Row by row: the gradient spread out, its products with those it shares coordinates with. */
static int form_matrix(large_rank *z)
{
    const pattern *g = z->g;
    size_t done = 0;
    int status = TAUT_OK;
    for (int k = 0; k < g->rows; k++) {
        double sum = 0;
        for (int e = g->start[k]; e < g->start[k + 1]; e++) sum += (double)(z->values[e] * z->values[e]);
        z->inverse_length[k] = sum > 0 ? 1 / sqrt(sum) : 0;
    }
    for (int k = 0; !status && k < g->rows; k++) {
        for (int e = g->start[k]; e < g->start[k + 1]; e++) z->row[g->index[e]] = (double)z->values[e];
        for (int p = z->shape->start[k]; p < z->shape->start[k + 1]; p++) {
            int j = z->shape->index[p];
            double sum = 0;
            for (int e = g->start[j]; e < g->start[j + 1]; e++) sum += (double)z->values[e] * z->row[g->index[e]];
            z->entries[p] = sum * z->inverse_length[k] * z->inverse_length[j] + (j == k ? ADDED : 0);
        }
        for (int e = g->start[k]; e < g->start[k + 1]; e++) z->row[g->index[e]] = 0;
        status = taut_budget_count(z->s->context, &done, PER_ENTRY * (size_t)(z->shape->start[k + 1] - z->shape->start[k]));
    }
    return status;
}

static int make(large_rank *z)
{
    taut_context *context = z->s->context;
    pattern *transposed = NULL;
    int *from = NULL, c = (int)z->s->c;
    int status = taut_pattern_transpose(context, z->g, &transposed, &from);
    if (!status) status = taut_pattern_product(context, z->g, transposed, &z->shape);
    taut_pattern_destroy(context, transposed);
    taut_mem_free(context, from);
    if (!status) status = room_create(context, lay_out, z, &z->room);
    if (!status) status = taut_linear_create(context, LINEAR_LDL, c, z->shape->start, z->shape->index, 1, &z->solver);
    if (!status) status = form_matrix(z);
    if (status) return status;
    z->number = z->s->c - (uint32_t)taut_linear_small_pivots(z->solver, z->entries, SMALL, z->dependent);
    return taut_linear_factor(z->solver, z->entries);
}

int X(large_rank_create)(const struct system *s, const real *values, large_rank **result)
{
    large_rank *z = taut_mem_new(s->context, 1, sizeof *z);
    *result = NULL;
    if (!z) return TAUT_OUT_OF_MEMORY;
    *z = (large_rank){ .s = s, .g = s->blocks[BLOCK_G].parts[0].shape, .values = values };
    int status = make(z);
    if (status)
        X(large_rank_destroy)(z);
    else
        *result = z;
    return status;
}

uint32_t X(large_rank_number)(const large_rank *z) { return z->number; }
int X(large_rank_is_dependent)(const large_rank *z, uint32_t k) { return z->dependent[k]; }
const int *X(large_rank_order)(const large_rank *z) { return taut_linear_elimination(z->solver); }
int X(large_rank_is_zero)(const large_rank *z, uint32_t k) { return z->inverse_length[k] == 0; }

double X(large_rank_outside)(large_rank *z, const real *x)
{
    double most = 0, left = 0;
    for (uint32_t k = 0; k < z->s->c; k++) {
        z->x[k] = (double)x[k] * z->inverse_length[k];
        most = fmax(most, fabs(z->x[k]));
    }
    for (int pass = 0; pass < 3; pass++) {
        for (uint32_t k = 0; k < z->s->c; k++) z->x[k] *= ADDED;
        if (taut_linear_solve(z->solver, z->x)) return 1;
    }
    for (uint32_t k = 0; k < z->s->c; k++) left = fmax(left, fabs(z->x[k]));
    return most > 0 ? left / most : 0;
}

void X(large_rank_remove)(large_rank *z, real *x)
{
    const pattern *g = z->g;
    for (int pass = 0; pass < 2; pass++) {
        for (int k = 0; k < g->rows; k++) {
            z->x[k] = 0;
            for (int e = g->start[k]; e < g->start[k + 1]; e++) z->x[k] += (double)(z->values[e] * x[g->index[e]]);
            z->x[k] *= z->inverse_length[k];
        }
        if (taut_linear_solve(z->solver, z->x)) return;
        for (int k = 0; k < g->rows; k++)
            for (int e = g->start[k]; e < g->start[k + 1]; e++)
                x[g->index[e]] -= z->x[k] * z->inverse_length[k] * z->values[e];
    }
}
