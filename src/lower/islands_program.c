/* The programs of a shape of islands: elimination in symbols, in an order that the pattern gives. */
#include "lower/islands_inside.h"

#ifndef TAUT_REAL_QUAD
#include <string.h>

#define NOWHERE UINT32_MAX

/* ---- elimination in symbols ---- */

typedef struct {
    graph *g;
    const island_shape *shape;
    uint32_t own, rows, columns;
    expr *a;                  /* rows x columns; 0: nothing there */
    uint32_t order[OWN_MOST];
    unsigned char done[OWN_MOST];
    expr *outputs;            /* of the factorisation: inverse pivots, L, U; then what is left; then the worst pivot */
    uint32_t output_count;
    expr worst;
    int failed;
} elimination;

static expr *entry(elimination *e, uint32_t i, uint32_t j) { return &e->a[(size_t)i * e->columns + j]; }

/* The pivot on the diagonal with the least work; those of constraints when all others are done. */
static uint32_t choose(elimination *e, uint32_t own_late)
{
    uint32_t best = NOWHERE, least = UINT32_MAX;
    for (int late = 0; late < 2 && best == NOWHERE; late++)
        for (uint32_t k = late ? e->own - own_late : 0; k < (late ? e->own : e->own - own_late); k++) {
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

static void add_output(elimination *e, expr made)
{
    if (!made) e->failed = 1;
    e->outputs[e->output_count++] = made;
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
            if (i == j && i < e->own)
                sizes[i] = taut_expr_add(g, sizes[i], taut_expr_unary(g, OP_ABS, product));
        }
    }
}

static int eliminate_all(elimination *e, uint32_t own_late, taut_context *context)
{
    expr *sizes = taut_mem_new(context, e->own, sizeof *sizes);
    if (!sizes) return TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < e->own; k++)
        sizes[k] = *entry(e, k, k) ? taut_expr_unary(e->g, OP_ABS, *entry(e, k, k)) : taut_expr_number(e->g, 0);
    for (uint32_t step = 0; step < e->own; step++) {
        const uint32_t k = e->order[step] = choose(e, own_late);
        if (k == NOWHERE) break;
        eliminate(e, k, sizes);
    }
    taut_mem_free(context, sizes);
    return e->own && e->order[e->own - 1] == NOWHERE ? TAUT_UNSUPPORTED : TAUT_OK;
}

/* Numbers that solutions need, in the order of the saved rows. */
static void list_factors(elimination *e)
{
    for (uint32_t i = 0; i < e->rows; i++)
        for (uint32_t j = 0; j < e->columns; j++)
            if ((i < e->own || j < e->own) && *entry(e, i, j)) add_output(e, *entry(e, i, j));
}

/* Slots for them. */
static void name_factors(elimination *e)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < e->rows; i++)
        for (uint32_t j = 0; j < e->columns; j++)
            if ((i < e->own || j < e->own) && *entry(e, i, j))
                *entry(e, i, j) = taut_expr_variable(e->g, KIND_SLOT, at++);
}

/* Of a row that is eliminated k-th: is another one after it? */
static int is_after(const uint32_t *step, uint32_t own, uint32_t i, uint32_t k) { return i >= own || step[i] > step[k]; }

/* y := L^-1 r; what it leaves to the rows around is output, too. */
static void list_forward(elimination *e, const uint32_t *step, uint32_t first_input)
{
    graph *g = e->g;
    expr right[OWN_MOST + AROUND_MOST];
    for (uint32_t i = 0; i < e->rows; i++)
        right[i] = i < e->own ? taut_expr_variable(g, KIND_SLOT, first_input + i) : 0;
    for (uint32_t n = 0; n < e->own; n++) {
        const uint32_t k = e->order[n];
        for (uint32_t i = 0; i < e->rows; i++) {
            if (i == k || !is_after(step, e->own, i, k) || !*entry(e, i, k)) continue;
            const expr product = taut_expr_mul(g, *entry(e, i, k), right[k]);
            right[i] = right[i] ? taut_expr_sub(g, right[i], product) : taut_expr_neg(g, product);
        }
    }
    e->output_count = 0;
    for (uint32_t i = 0; i < e->rows; i++) add_output(e, right[i] ? right[i] : taut_expr_number(g, 0));
}

/* x := U^-1 (y - what the multipliers around have) */
static void list_backward(elimination *e, const uint32_t *step, uint32_t first_saved, uint32_t first_input)
{
    graph *g = e->g;
    expr found[OWN_MOST + AROUND_MOST];
    for (uint32_t j = e->own; j < e->columns; j++)
        found[j] = taut_expr_variable(g, KIND_SLOT, first_input + j - e->own);
    for (uint32_t n = e->own; n-- > 0;) {
        const uint32_t k = e->order[n];
        expr sum = taut_expr_variable(g, KIND_SLOT, first_saved + k);
        for (uint32_t j = 0; j < e->columns; j++)
            if (j != k && is_after(step, e->own, j, k) && *entry(e, k, j))
                sum = taut_expr_sub(g, sum, taut_expr_mul(g, *entry(e, k, j), found[j]));
        found[k] = taut_expr_mul(g, sum, *entry(e, k, k));
    }
    e->output_count = 0;
    for (uint32_t k = 0; k < e->own; k++) add_output(e, found[k]);
}


/* Sums and sizes of the rows. Of its own rows what is left to ISLANDS_ERROR_MOST of the size, at the least. */
static void list_check(elimination *e, uint32_t own_late, uint32_t entries)
{
    graph *g = e->g;
    const uint32_t first = entries + e->own;
    expr size[CHECK_SIZES], worst = 0, all = 0;
    for (uint32_t k = 0; k < CHECK_SIZES; k++)
        size[k] = taut_expr_variable(g, KIND_SLOT, first + e->columns + k);
    e->output_count = 1; /* the first is found last */
    for (uint32_t i = 0; i < e->rows; i++) {
        const expr right = i < e->own ? taut_expr_variable(g, KIND_SLOT, entries + i) : 0;
        expr sum = 0, whole = right ? taut_expr_unary(g, OP_ABS, right) : 0;
        for (uint32_t j = 0; j < e->columns; j++) {
            if (!*entry(e, i, j)) continue;
            const expr product = taut_expr_mul(g, *entry(e, i, j), taut_expr_variable(g, KIND_SLOT, first + j)),
                       most = taut_expr_mul(g, taut_expr_unary(g, OP_ABS, *entry(e, i, j)),
                                            size[j < e->own - own_late ? CHECK_EARLY : CHECK_LATE]);
            sum = sum ? taut_expr_add(g, sum, product) : product;
            whole = whole ? taut_expr_add(g, whole, most) : most;
        }
        if (i >= e->own) {
            add_output(e, sum ? sum : taut_expr_number(g, 0));
            add_output(e, whole ? whole : taut_expr_number(g, 0));
            continue;
        }
        const expr left = sum ? taut_expr_sub(g, right, sum) : right,
                   rest = taut_expr_sub(g, taut_expr_mul(g, taut_expr_number(g, (wide)ISLANDS_ERROR_MOST), whole),
                                        taut_expr_unary(g, OP_ABS, left));
        worst = worst ? taut_expr_binary(g, OP_MIN, worst, rest) : rest;
        all = all ? taut_expr_add(g, all, left) : left;
    }
    /* times zero: what is not a number, which a minimum may lose */
    e->outputs[0] = taut_expr_add(g, worst, taut_expr_sub(g, all, all));
    if (!e->outputs[0]) e->failed = 1;
}

/* ---- programs of a shape ---- */

static int read_key(elimination *e, const island_shape *shape)
{
    memset(e->a, 0, (size_t)e->rows * e->columns * sizeof *e->a);
    for (size_t p = KEY_HEAD; p < shape->key_length; p++) {
        const uint32_t i = shape->key[p] / KEY_ROW, j = shape->key[p] % KEY_ROW;
        *entry(e, i, j) = taut_expr_variable(e->g, KIND_SLOT, (uint32_t)(p - KEY_HEAD));
    }
    for (size_t p = KEY_HEAD; p < shape->key_length; p++)
        if (!*entry(e, shape->key[p] / KEY_ROW, shape->key[p] % KEY_ROW))
            return TAUT_OUT_OF_MEMORY;
    return TAUT_OK;
}

static int list_schur(taut_context *context, island_shape *shape, elimination *e)
{
    const size_t most = (size_t)(e->rows - e->own) * (e->columns - e->own);
    shape->schur_row = taut_mem_new(context, most, sizeof *shape->schur_row);
    shape->schur_column = taut_mem_new(context, most, sizeof *shape->schur_column);
    if (!shape->schur_row || !shape->schur_column) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = e->own; i < e->rows; i++)
        for (uint32_t j = e->own; j < e->columns; j++) {
            if (!*entry(e, i, j)) continue;
            shape->schur_row[shape->schur_count] = i, shape->schur_column[shape->schur_count++] = j;
            add_output(e, *entry(e, i, j));
        }
    return TAUT_OK;
}

static int make_programs(struct system *s, island_shape *shape, elimination *e)
{
    const island *of = &shape->first;
    uint32_t step[OWN_MOST];
    int status = eliminate_all(e, of->own_late, s->context);
    if (status) return status;
    for (uint32_t n = 0; n < e->own; n++) step[e->order[n]] = n;
    list_factors(e);
    shape->factor_count = e->output_count;
    status = list_schur(s->context, shape, e);
    add_output(e, e->worst);
    if (status || e->failed) return TAUT_OUT_OF_MEMORY;
    const uint32_t saved = shape->lanes.saved.rows = shape->factor_count + e->own;
    shape->factor.saved_count = shape->entries.rows;
    shape->factor.kept_count = shape->factor_count;
    status = X(element_program_create)(s, e->g, e->outputs, e->output_count, &shape->lanes, &shape->factor);
    name_factors(e);
    list_forward(e, step, shape->factor_count);
    shape->forward.saved_count = shape->forward.kept_first = shape->factor_count;
    shape->forward.input_count = shape->forward.kept_count = e->own;
    if (!status && !e->failed)
        status = X(element_program_create)(s, e->g, e->outputs, e->output_count, &shape->lanes, &shape->forward);
    list_backward(e, step, shape->factor_count, saved);
    shape->backward.saved_count = saved;
    shape->backward.input_count = e->columns - e->own;
    if (!status && !e->failed)
        status = X(element_program_create)(s, e->g, e->outputs, e->output_count, &shape->lanes, &shape->backward);
    if (!status) status = read_key(e, shape);
    list_check(e, of->own_late, shape->entries.rows);
    shape->check.saved_count = shape->entries.rows;
    shape->check.input_count = e->own + e->columns + CHECK_SIZES;
    if (!status && !e->failed)
        status = X(element_program_create)(s, e->g, e->outputs, e->output_count, &shape->lanes, &shape->check);
    return e->failed ? TAUT_OUT_OF_MEMORY : status;
}

int X(islands_compile)(struct system *s, island_shape *shape)
{
    const island *of = &shape->first;
    const size_t cells = (size_t)of->row_count * of->column_count;
    elimination e = { .g = taut_graph_create(s->context), .shape = shape, .own = of->own, .rows = of->row_count,
                      .columns = of->column_count, .a = taut_mem_new(s->context, cells, sizeof *e.a),
                      .outputs = taut_mem_new(s->context, cells + 2 * (OWN_MOST + AROUND_MOST), sizeof *e.outputs) };
    int status = e.g && e.a && e.outputs ? read_key(&e, shape) : TAUT_OUT_OF_MEMORY;
    if (!status) status = make_programs(s, shape, &e);
    taut_graph_destroy(e.g);
    taut_mem_free(s->context, e.a);
    taut_mem_free(s->context, e.outputs);
    return status;
}
#endif
