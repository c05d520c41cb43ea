/* Elimination of a cluster in symbols, in an order that the pattern gives. */
#include "lower/cluster_inside.h"

#ifndef TAUT_REAL_QUAD
#define NOWHERE CLUSTER_NOWHERE

static expr *entry(const elimination *e, uint32_t i, uint32_t j) { return elimination_entry(e, i, j); }

/* The pivot on the diagonal with the least work; those of constraints when all others are done. */
static uint32_t choose(const elimination *e)
{
    uint32_t best = NOWHERE, least = UINT32_MAX;
    for (int late = 0; late < 2 && best == NOWHERE; late++)
        for (uint32_t k = late ? e->own - e->own_late : 0; k < (late ? e->own : e->own - e->own_late); k++) {
            uint32_t down = 0, right = 0;
            if (e->done[k] || !*entry(e, k, k)) continue;
            for (uint32_t i = 0; i < e->rows; i++) down += (i >= e->own || !e->done[i]) && *entry(e, i, k) != 0;
            for (uint32_t j = 0; j < e->columns; j++) right += (j >= e->own || !e->done[j]) && *entry(e, k, j) != 0;
            if (down * right < least) best = k, least = down * right;
        }
    return best;
}

/* A pivot may lose five digits of what it is made of. */
static void judge(elimination *e, expr pivot, expr size)
{
    graph *g = e->g;
    const expr least = taut_expr_mul(g, taut_expr_number(g, (wide)1e-5), size),
               rest = taut_expr_sub(g, taut_expr_unary(g, OP_ABS, pivot), least);
    e->worst = e->worst ? taut_expr_binary(g, OP_MIN, e->worst, rest) : rest;
}

/* Replaces the entries of row and column k by those of U and L, and its pivot by the inverse. */
static void eliminate(elimination *e, uint32_t k, expr *sizes)
{
    graph *g = e->g;
    judge(e, *entry(e, k, k), sizes[k]);
    const expr inverse = *entry(e, k, k) = taut_expr_div(g, taut_expr_number(g, 1), *entry(e, k, k));
    e->done[k] = 1;
    for (uint32_t i = 0; i < e->rows; i++) {
        expr *const l = entry(e, i, k);
        if ((i < e->own && e->done[i]) || !*l) continue;
        *l = taut_expr_mul(g, *l, inverse);
        for (uint32_t j = 0; j < e->columns; j++) {
            const expr u = *entry(e, k, j);
            if ((j < e->own && e->done[j]) || !u) continue;
            expr *const to = entry(e, i, j), product = taut_expr_mul(g, *l, u);
            *to = *to ? taut_expr_sub(g, *to, product) : taut_expr_neg(g, product);
            if (i == j && i < e->own) sizes[i] = taut_expr_add(g, sizes[i], taut_expr_unary(g, OP_ABS, product));
        }
    }
}

int X(elimination_run)(elimination *e, taut_context *context)
{
    int status = TAUT_OK;
    expr *sizes = taut_mem_new(context, e->own, sizeof *sizes);
    if (!sizes) return TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < e->own; k++)
        sizes[k] = *entry(e, k, k) ? taut_expr_unary(e->g, OP_ABS, *entry(e, k, k)) : taut_expr_number(e->g, 0);
    for (uint32_t n = 0; !status && n < e->own; n++) {
        const uint32_t k = e->order[n] = choose(e);
        if (k == NOWHERE)
            status = TAUT_UNSUPPORTED;
        else
            e->step[k] = n, eliminate(e, k, sizes);
    }
    taut_mem_free(context, sizes);
    return status;
}

int X(elimination_is_factor)(const elimination *e, uint32_t i, uint32_t j)
{
    return (i < e->own || j < e->own) && *entry(e, i, j);
}

/* Of a row or column i: is it another one that comes after number k? */
static int is_after(const elimination *e, uint32_t i, uint32_t k) { return i >= e->own || e->step[i] > e->step[k]; }

void X(elimination_forward)(const elimination *e, graph *g, expr *right)
{
    for (uint32_t i = e->own; i < e->rows; i++) right[i] = 0;
    for (uint32_t n = 0; n < e->own; n++) {
        const uint32_t k = e->order[n];
        for (uint32_t i = 0; i < e->rows; i++) {
            if (i == k || !is_after(e, i, k) || !*entry(e, i, k)) continue;
            const expr product = taut_expr_mul(g, *entry(e, i, k), right[k]);
            right[i] = right[i] ? taut_expr_sub(g, right[i], product) : taut_expr_neg(g, product);
        }
    }
    for (uint32_t i = e->own; i < e->rows; i++)
        if (!right[i]) right[i] = taut_expr_number(g, 0);
}

void X(elimination_backward)(const elimination *e, graph *g, const expr *y, expr *found)
{
    for (uint32_t n = e->own; n-- > 0;) {
        const uint32_t k = e->order[n];
        expr sum = y[k];
        for (uint32_t j = 0; j < e->columns; j++)
            if (j != k && is_after(e, j, k) && *entry(e, k, j))
                sum = taut_expr_sub(g, sum, taut_expr_mul(g, *entry(e, k, j), found[j]));
        found[k] = taut_expr_mul(g, sum, *entry(e, k, k));
    }
}
#endif
