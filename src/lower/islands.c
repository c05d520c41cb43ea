#include "lower/islands.h"

#include <string.h>

#include "lower/element_inside.h"

#define NOWHERE UINT32_MAX

/* Unknowns of an island, and multipliers around it. */
enum { OWN_MOST = 32, AROUND_MOST = 48 };

/* An island, or what is the same of all islands of a shape. Unknowns and equations are numbered within it: `own` ones
   first, in pairs that make the diagonal; then multipliers around it. */
typedef struct {
    uint32_t own, own_late;   /* late: those of its own multipliers, the last of `own` */
    uint32_t row_count, column_count; /* with those around it */
    uint32_t rows[OWN_MOST + AROUND_MOST], columns[OWN_MOST + AROUND_MOST]; /* of the matrix */
} island;

typedef struct {
    island first;             /* an island of the shape */
    uint32_t *key;            /* its pattern */
    size_t key_length;
    element_lanes lanes;
    element_table entries;    /* of the matrix */
    element_program factor, forward, backward, check;
    uint32_t factor_count, schur_count;
    /* By [k * stride + i], for island i of the shape: rows and columns. */
    uint32_t stride;
    uint32_t *rows, *columns;
    uint32_t *schur;          /* where what is left goes among the values of S */
    uint32_t *schur_row, *schur_column; /* of the output: within the island */
} island_shape;

struct islands {
    struct system *s;
    int size;
    island_shape *shapes;
    uint32_t shape_count;
    size_t shape_capacity;
    unsigned char *is_late;   /* columns of the matrix that are multipliers */
    int late_count;           /* unknowns of S */
    int *late_rows, *late_columns; /* of the matrix */
    int direct_count;         /* entries of D: */
    int *direct_to;           /* where they are in S, */
    int *direct_row, *direct_column; /* and in the matrix */
    int *places;              /* of the values of the matrix, in `numbers` */
    size_t number_count;
    real *numbers;            /* entries of all islands, then those of D */
    int schur_entries;
    linear *solver;
    void *room;
    double *schur;            /* values of S */
    real *right, *found;      /* by rows and by columns */
    double *late;
    real *sums, *sizes;       /* of the equations of S in the whole matrix, and of their terms */
    int checked;              /* the first solution has been */
    real worst;               /* of the pivots in this factorisation: below 0 where one is not good enough */
};

#ifndef TAUT_REAL_QUAD
typedef struct {
    const island_matrix *m;
    islands *z;
    taut_context *context;
    uint32_t *set;            /* union of columns (0 ..) and rows (size ..): parents */
    uint32_t *island_of;      /* the same: its island, or NOWHERE: late */
    uint32_t island_count;
    uint32_t *constraint_island; /* the island that a constraint belongs to; NOWHERE: several, or none yet */
    unsigned char *is_shared; /* of a constraint: it is around several */
    int *row_start, *row_column, *row_entry; /* the matrix by rows */
    uint32_t *late_row, *late_column; /* number in S, by row and column */
    uint32_t *shape_of;       /* of each island */
    island *at;               /* work */
    uint32_t *key;
    size_t key_length, key_capacity;
    int unusable;
} making;

/* ---- which there are ---- */

static uint32_t find(uint32_t *set, uint32_t i)
{
    while (set[i] != i) i = set[i] = set[set[i]];
    return i;
}

static int is_late_entry(const island_matrix *m, int row, int column)
{
    return m->row_constraint[row] >= 0 || m->column_constraint[column] >= 0;
}

/* Coordinates that entries connect. */
static int connect(making *b)
{
    const island_matrix *m = b->m;
    const uint32_t n = (uint32_t)m->size;
    b->set = taut_mem_new(b->context, 2 * (size_t)n, sizeof *b->set);
    b->island_of = taut_mem_new(b->context, 2 * (size_t)n, sizeof *b->island_of);
    if (!b->set || !b->island_of) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < 2 * n; i++) b->set[i] = i, b->island_of[i] = NOWHERE;
    for (int c = 0; c < m->size; c++)
        for (int p = m->column_start[c]; p < m->column_start[c + 1]; p++)
            if (!is_late_entry(m, m->row_index[p], c)) {
                const uint32_t x = find(b->set, (uint32_t)c), y = find(b->set, n + (uint32_t)m->row_index[p]);
                b->set[x > y ? x : y] = x > y ? y : x;
            }
    for (uint32_t i = 0; i < 2 * n; i++) {
        if ((i < n ? m->column_constraint[i] : m->row_constraint[i - n]) >= 0) continue;
        const uint32_t root = find(b->set, i);
        if (root == i) b->island_of[i] = b->island_count++;
        b->island_of[i] = b->island_of[root];
    }
    return TAUT_OK;
}

static void meet(making *b, int constraint, uint32_t where)
{
    uint32_t *known = &b->constraint_island[constraint];
    if (*known == NOWHERE)
        *known = where;
    else if (*known != where)
        b->is_shared[constraint] = 1;
}

/* Constraints of one island are its own. */
static int place_constraints(making *b)
{
    const island_matrix *m = b->m;
    const uint32_t n = (uint32_t)m->size, c = m->s->c;
    b->constraint_island = taut_mem_new(b->context, c, sizeof *b->constraint_island);
    b->is_shared = taut_mem_new(b->context, c, 1);
    if (!b->constraint_island || !b->is_shared) return TAUT_OUT_OF_MEMORY;
    memset(b->constraint_island, 0xff, c * sizeof *b->constraint_island);
    for (int j = 0; j < m->size; j++)
        for (int p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const int i = m->row_index[p], of_row = m->row_constraint[i], of_column = m->column_constraint[j];
            if (of_row >= 0 && of_column < 0) meet(b, of_row, b->island_of[j]);
            if (of_column >= 0 && of_row < 0) meet(b, of_column, b->island_of[n + (uint32_t)i]);
            if (of_row >= 0 && of_column >= 0 && of_row != of_column)
                b->is_shared[of_row] = b->is_shared[of_column] = 1;
        }
    for (uint32_t k = 0; k < c; k++)
        if (b->constraint_island[k] == NOWHERE) b->unusable = 1;
    for (uint32_t i = 0; i < 2 * n && !b->unusable; i++) {
        const int k = i < n ? m->column_constraint[i] : m->row_constraint[i - n];
        if (k >= 0 && !b->is_shared[k]) b->island_of[i] = b->constraint_island[k];
    }
    return TAUT_OK;
}

static int list_by_rows(making *b)
{
    const island_matrix *m = b->m;
    const size_t entries = (size_t)m->column_start[m->size];
    b->row_start = taut_mem_new(b->context, (size_t)m->size + 2, sizeof *b->row_start);
    b->row_column = taut_mem_new(b->context, entries, sizeof *b->row_column);
    b->row_entry = taut_mem_new(b->context, entries, sizeof *b->row_entry);
    if (!b->row_start || !b->row_column || !b->row_entry) return TAUT_OUT_OF_MEMORY;
    for (size_t p = 0; p < entries; p++) b->row_start[m->row_index[p] + 2]++;
    for (int i = 0; i < m->size; i++) b->row_start[i + 2] += b->row_start[i + 1];
    for (int j = 0; j < m->size; j++)
        for (int p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const int at = b->row_start[m->row_index[p] + 1]++;
            b->row_column[at] = j, b->row_entry[at] = p;
        }
    return TAUT_OK;
}

/* ---- the unknowns of S ---- */

static int number_late(making *b)
{
    const island_matrix *m = b->m;
    islands *z = b->z;
    const uint32_t n = (uint32_t)m->size;
    int rows = 0;
    b->late_row = taut_mem_new(b->context, n, sizeof *b->late_row);
    b->late_column = taut_mem_new(b->context, n, sizeof *b->late_column);
    z->is_late = taut_mem_new(b->context, n, 1);
    z->late_rows = taut_mem_new(b->context, n, sizeof *z->late_rows);
    z->late_columns = taut_mem_new(b->context, n, sizeof *z->late_columns);
    if (!b->late_row || !b->late_column || !z->late_rows || !z->late_columns || !z->is_late) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < n; i++) z->is_late[i] = m->column_constraint[i] >= 0;
    for (uint32_t i = 0; i < n; i++) {
        b->late_column[i] = b->late_row[i] = NOWHERE;
        if (b->island_of[i] == NOWHERE) z->late_columns[b->late_column[i] = (uint32_t)z->late_count++] = (int)i;
        if (b->island_of[n + i] == NOWHERE) z->late_rows[b->late_row[i] = (uint32_t)rows++] = (int)i;
    }
    if (rows != z->late_count) b->unusable = 1;
    for (int k = 0; k < rows && !b->unusable; k++) /* they make the diagonal of S */
        if (m->row_constraint[z->late_rows[k]] != m->column_constraint[z->late_columns[k]]) b->unusable = 1;
    return TAUT_OK;
}

/* ---- an island ---- */

/* Adds a number to an ascending list from `first` on; 0: the list is full. */
static int add_sorted(uint32_t *list, uint32_t first, uint32_t *count, uint32_t most, uint32_t number)
{
    uint32_t at = *count;
    while (at > first && list[at - 1] > number) at--;
    if (at > first && list[at - 1] == number) return 1;
    if (*count == most) return 0;
    memmove(list + at + 1, list + at, (*count - at) * sizeof *list);
    list[at] = number;
    ++*count;
    return 1;
}

/* Members of the islands: rows and columns, ascending, those of constraints last. */
static void add_member(making *b, island *of, int is_row, uint32_t number)
{
    const int late = (is_row ? b->m->row_constraint : b->m->column_constraint)[number] >= 0;
    uint32_t *count = is_row ? &of->row_count : &of->column_count;
    if (*count == OWN_MOST) {
        b->unusable = 1;
        return;
    }
    (is_row ? of->rows : of->columns)[(*count)++] = number;
    if (late && !is_row) of->own_late++;
}

static int list_members(making *b)
{
    const island_matrix *m = b->m;
    const uint32_t n = (uint32_t)m->size;
    b->at = taut_mem_new(b->context, b->island_count, sizeof *b->at);
    if (!b->at) return TAUT_OUT_OF_MEMORY;
    for (int late = 0; late < 2; late++)
        for (uint32_t i = 0; i < 2 * n && !b->unusable; i++) {
            const int is_row = i >= n, constraint = is_row ? m->row_constraint[i - n] : m->column_constraint[i];
            if (b->island_of[i] != NOWHERE && (constraint >= 0) == late)
                add_member(b, &b->at[b->island_of[i]], is_row, is_row ? i - n : i);
        }
    for (uint32_t k = 0; k < b->island_count && !b->unusable; k++) {
        island *of = &b->at[k];
        of->own = of->column_count;
        if (of->row_count != of->column_count) b->unusable = 1;
        for (uint32_t i = of->own - of->own_late; i < of->own && !b->unusable; i++)
            if (m->row_constraint[of->rows[i]] < 0) b->unusable = 1;
    }
    return TAUT_OK;
}

/* Multipliers around an island. */
static void find_around(making *b, island *of)
{
    const island_matrix *m = b->m;
    for (uint32_t k = 0; k < of->own && !b->unusable; k++) {
        const int row = (int)of->rows[k], column = (int)of->columns[k];
        for (int p = b->row_start[row]; p < b->row_start[row + 1]; p++)
            if (b->island_of[b->row_column[p]] == NOWHERE
                && !add_sorted(of->columns, of->own, &of->column_count, of->own + AROUND_MOST - 1,
                               (uint32_t)b->row_column[p]))
                b->unusable = 1;
        for (int p = m->column_start[column]; p < m->column_start[column + 1]; p++)
            if (b->island_of[m->size + m->row_index[p]] == NOWHERE
                && !add_sorted(of->rows, of->own, &of->row_count, of->own + AROUND_MOST - 1,
                               (uint32_t)m->row_index[p]))
                b->unusable = 1;
    }
}

static uint32_t position(const uint32_t *list, uint32_t first, uint32_t end, uint32_t number)
{
    for (uint32_t i = first; i < end; i++)
        if (list[i] == number) return i;
    return NOWHERE;
}

static int put(making *b, uint32_t number)
{
    if (taut_mem_grow(b->context, &b->key, &b->key_capacity, b->key_length + 1, sizeof *b->key))
        return TAUT_OUT_OF_MEMORY;
    b->key[b->key_length++] = number;
    return TAUT_OK;
}

/* own, late, rows, columns; then its entries but those of D, by rows: column and row within the island. The k-th has its
   place at `place` + k `width`, if there are places. */
enum { KEY_HEAD = 4 };

static int make_key(making *b, const island *of, int *places, size_t place, uint32_t width)
{
    const uint32_t head[KEY_HEAD] = { of->own, of->own_late, of->row_count, of->column_count };
    int status = TAUT_OK;
    b->key_length = 0;
    for (int i = 0; !status && i < KEY_HEAD; i++) status = put(b, head[i]);
    for (uint32_t i = 0; i < of->row_count; i++)
        for (int p = b->row_start[of->rows[i]]; !status && p < b->row_start[of->rows[i] + 1]; p++) {
            const uint32_t end = i < of->own ? of->column_count : of->own;
            const uint32_t j = position(of->columns, 0, end, (uint32_t)b->row_column[p]);
            if (j == NOWHERE) continue; /* of another island around a multiplier, or of D */
            if (places) places[b->row_entry[p]] = (int)place, place += width;
            status = put(b, i * (OWN_MOST + AROUND_MOST) + j);
        }
    return status;
}

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

/* Of |b - A x| relative to |A||x| + |b|, row by row, with the largest |x| of multipliers and of all others, as
   linear_blocks.c has it. */
static const double ERROR_MOST = 1e-12;
enum { CHECK_EARLY, CHECK_LATE, CHECK_SIZES }; /* of unknowns: inputs behind the others */

/* Sums and sizes of the rows. Of its own rows what is left to ERROR_MOST of the size, at the least. */
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
                   rest = taut_expr_sub(g, taut_expr_mul(g, taut_expr_number(g, (wide)ERROR_MOST), whole),
                                        taut_expr_unary(g, OP_ABS, left));
        worst = worst ? taut_expr_binary(g, OP_MIN, worst, rest) : rest;
        all = all ? taut_expr_add(g, all, left) : left;
    }
    /* times zero: what is not a number, which a minimum may lose */
    e->outputs[0] = taut_expr_add(g, worst, taut_expr_sub(g, all, all));
    if (!e->outputs[0]) e->failed = 1;
}

/* ---- programs of a shape ---- */

static int make_inputs(taut_context *context, element_program *p, element_source from, const uint32_t *index,
                       uint32_t stride)
{
    p->inputs = taut_mem_new(context, p->input_count, sizeof *p->inputs);
    if (!p->inputs) return TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < p->input_count; k++)
        p->inputs[k] = (element_input){ from, 0, index + (size_t)k * stride, 0 };
    return TAUT_OK;
}

static int read_key(elimination *e, const island_shape *shape)
{
    memset(e->a, 0, (size_t)e->rows * e->columns * sizeof *e->a);
    for (size_t p = KEY_HEAD; p < shape->key_length; p++) {
        const uint32_t i = shape->key[p] / (OWN_MOST + AROUND_MOST), j = shape->key[p] % (OWN_MOST + AROUND_MOST);
        *entry(e, i, j) = taut_expr_variable(e->g, KIND_SLOT, (uint32_t)(p - KEY_HEAD));
    }
    for (size_t p = KEY_HEAD; p < shape->key_length; p++)
        if (!*entry(e, shape->key[p] / (OWN_MOST + AROUND_MOST), shape->key[p] % (OWN_MOST + AROUND_MOST)))
            return TAUT_OUT_OF_MEMORY;
    return TAUT_OK;
}

static int list_schur(making *b, island_shape *shape, elimination *e)
{
    const size_t most = (size_t)(e->rows - e->own) * (e->columns - e->own);
    shape->schur_row = taut_mem_new(b->context, most, sizeof *shape->schur_row);
    shape->schur_column = taut_mem_new(b->context, most, sizeof *shape->schur_column);
    if (!shape->schur_row || !shape->schur_column) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = e->own; i < e->rows; i++)
        for (uint32_t j = e->own; j < e->columns; j++) {
            if (!*entry(e, i, j)) continue;
            shape->schur_row[shape->schur_count] = i, shape->schur_column[shape->schur_count++] = j;
            add_output(e, *entry(e, i, j));
        }
    return TAUT_OK;
}

static int make_programs(making *b, island_shape *shape, elimination *e)
{
    struct system *s = b->m->s;
    const island *of = &shape->first;
    uint32_t step[OWN_MOST];
    int status = eliminate_all(e, of->own_late, b->context);
    if (status) return status;
    for (uint32_t n = 0; n < e->own; n++) step[e->order[n]] = n;
    list_factors(e);
    shape->factor_count = e->output_count;
    status = list_schur(b, shape, e);
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

static int compile_shape(making *b, island_shape *shape)
{
    const island *of = &shape->first;
    const size_t cells = (size_t)of->row_count * of->column_count;
    elimination e = { .g = taut_graph_create(b->context), .shape = shape, .own = of->own, .rows = of->row_count,
                      .columns = of->column_count, .a = taut_mem_new(b->context, cells, sizeof *e.a),
                      .outputs = taut_mem_new(b->context, cells + 2 * (OWN_MOST + AROUND_MOST), sizeof *e.outputs) };
    int status = e.g && e.a && e.outputs ? read_key(&e, shape) : TAUT_OUT_OF_MEMORY;
    if (!status) status = make_programs(b, shape, &e);
    taut_graph_destroy(e.g);
    taut_mem_free(b->context, e.a);
    taut_mem_free(b->context, e.outputs);
    return status;
}

/* ---- shapes ---- */

static int find_shape(making *b, const island *of, uint32_t *index)
{
    islands *z = b->z;
    int status = make_key(b, of, NULL, 0, 0);
    if (status) return status;
    for (*index = 0; *index < z->shape_count; ++*index) {
        const island_shape *s = &z->shapes[*index];
        if (s->key_length == b->key_length && !memcmp(s->key, b->key, b->key_length * sizeof *b->key)) return TAUT_OK;
    }
    if (taut_mem_grow(b->context, &z->shapes, &z->shape_capacity, (size_t)z->shape_count + 1, sizeof *z->shapes))
        return TAUT_OUT_OF_MEMORY;
    island_shape *made = &z->shapes[z->shape_count++];
    *made = (island_shape){ .first = *of, .key_length = b->key_length };
    made->key = taut_mem_new(b->context, b->key_length, sizeof *made->key);
    if (!made->key) return TAUT_OUT_OF_MEMORY;
    memcpy(made->key, b->key, b->key_length * sizeof *made->key);
    return TAUT_OK;
}

enum { SHAPES_MOST = 64 };

static int find_shapes(making *b)
{
    int status = TAUT_OK;
    b->shape_of = taut_mem_new(b->context, b->island_count, sizeof *b->shape_of);
    if (!b->shape_of) return TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; !status && k < b->island_count && !b->unusable; k++) {
        find_around(b, &b->at[k]);
        if (!b->unusable) status = find_shape(b, &b->at[k], &b->shape_of[k]);
        if (!status && !b->unusable) b->z->shapes[b->shape_of[k]].lanes.count++;
        if (b->z->shape_count > SHAPES_MOST) b->unusable = 1;
    }
    return status;
}

/* The tables of a shape; the last island also stands for lanes without one. */
static int make_tables(making *b, uint32_t index)
{
    island_shape *shape = &b->z->shapes[index];
    const island *first = &shape->first;
    const uint32_t count = shape->lanes.count,
                   stride = shape->stride = (count + ELEMENT_WIDTH_MOST - 1) / ELEMENT_WIDTH_MOST * ELEMENT_WIDTH_MOST;
    const size_t begin = b->z->number_count;
    shape->entries.rows = (uint32_t)(shape->key_length - KEY_HEAD);
    b->z->number_count += (size_t)shape->lanes.groups * shape->entries.rows * shape->lanes.width;
    shape->rows = taut_mem_new(b->context, (size_t)first->row_count * stride, sizeof *shape->rows);
    shape->columns = taut_mem_new(b->context, (size_t)first->column_count * stride, sizeof *shape->columns);
    if (!shape->rows || !shape->columns) return TAUT_OUT_OF_MEMORY;
    if (b->z->number_count > INT32_MAX) b->unusable = 1;
    int status = TAUT_OK;
    uint32_t i = 0;
    for (uint32_t k = 0; !status && k < b->island_count; k++) {
        if (b->shape_of[k] != index) continue;
        const island *of = &b->at[k];
        const uint32_t width = shape->lanes.width, group = i / width;
        status = make_key(b, of, b->z->places, begin + (size_t)group * shape->entries.rows * width + i % width, width);
        for (uint32_t r = 0; r < of->row_count; r++) shape->rows[(size_t)r * stride + i] = of->rows[r];
        for (uint32_t c = 0; c < of->column_count; c++) shape->columns[(size_t)c * stride + i] = of->columns[c];
        i++;
    }
    uint32_t *const tables[] = { shape->rows, shape->columns };
    const uint32_t lengths[] = { first->row_count, first->column_count };
    for (int t = 0; t < 2; t++)
        for (uint32_t k = 0; k < lengths[t]; k++)
            for (uint32_t j = count; j < stride; j++)
                tables[t][(size_t)k * stride + j] = tables[t][(size_t)k * stride + count - 1];
    return status;
}

/* Right-hand sides of its own rows, all its unknowns, and the largest ones. */
static int make_check_inputs(taut_context *context, island_shape *s)
{
    const uint32_t own = s->first.own, columns = s->first.column_count;
    int status = make_inputs(context, &s->check, FROM_RIGHT, s->rows, 0);
    for (uint32_t k = 0; !status && k < s->check.input_count; k++) {
        element_input *in = &s->check.inputs[k];
        if (k < own)
            *in = (element_input){ FROM_RIGHT, 0, s->rows + (size_t)k * s->stride, 0 };
        else if (k < own + columns)
            *in = (element_input){ FROM_UNKNOWN, 0, s->columns + (size_t)(k - own) * s->stride, 0 };
        else
            *in = (element_input){ FROM_TIME, k - own - columns, NULL, 0 };
    }
    return status;
}

static int make_shapes(making *b)
{
    islands *z = b->z;
    z->places = taut_mem_new(b->context, (size_t)b->m->column_start[b->m->size], sizeof *z->places);
    int status = z->places ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; !status && !b->unusable && k < z->shape_count; k++) {
        island_shape *shape = &z->shapes[k];
        X(element_lanes_begin)(b->m->s, shape->lanes.count, &shape->lanes);
        status = make_tables(b, k);
        if (!status) status = compile_shape(b, shape);
        if (!status) status = make_inputs(b->context, &shape->forward, FROM_RIGHT, shape->rows, shape->stride);
        if (!status)
            status = make_inputs(b->context, &shape->backward, FROM_RIGHT,
                                 shape->columns + (size_t)shape->first.own * shape->stride, shape->stride);
        if (!status) status = make_check_inputs(b->context, shape);
    }
    return status;
}

/* ---- S ---- */

typedef struct {
    int *row, *column;
    size_t count;
} entry_list;

/* Entries of D, then those that islands leave, shape by shape. */
static void list_late(making *b, entry_list *l)
{
    const island_matrix *m = b->m;
    const islands *z = b->z;
    l->count = 0;
    for (int j = 0; j < m->size; j++)
        for (int p = m->column_start[j]; p < m->column_start[j + 1]; p++) {
            const int i = m->row_index[p];
            if (b->late_column[j] == NOWHERE || b->late_row[i] == NOWHERE) continue;
            if (l->row) l->row[l->count] = (int)b->late_row[i], l->column[l->count] = (int)b->late_column[j];
            l->count++;
        }
    for (uint32_t k = 0; k < z->shape_count; k++) {
        const island_shape *s = &z->shapes[k];
        for (uint32_t o = 0; o < s->schur_count; o++)
            for (uint32_t i = 0; i < s->lanes.count; i++, l->count++) {
                if (!l->row) continue;
                l->row[l->count] = (int)b->late_row[s->rows[(size_t)s->schur_row[o] * s->stride + i]];
                l->column[l->count] = (int)b->late_column[s->columns[(size_t)s->schur_column[o] * s->stride + i]];
            }
    }
}

static int place_late(making *b, const pattern *columns, const entry_list *l, size_t direct)
{
    const island_matrix *m = b->m;
    islands *z = b->z;
    size_t at = 0;
    z->direct_to = taut_mem_new(b->context, direct, sizeof *z->direct_to);
    z->direct_row = taut_mem_new(b->context, direct, sizeof *z->direct_row);
    z->direct_column = taut_mem_new(b->context, direct, sizeof *z->direct_column);
    if (!z->direct_to || !z->direct_row || !z->direct_column) return TAUT_OUT_OF_MEMORY;
    for (int j = 0; j < m->size; j++)
        for (int p = m->column_start[j]; p < m->column_start[j + 1]; p++)
            if (b->late_column[j] != NOWHERE && b->late_row[m->row_index[p]] != NOWHERE) {
                z->places[p] = (int)(z->number_count + (size_t)z->direct_count);
                z->direct_row[z->direct_count] = m->row_index[p], z->direct_column[z->direct_count] = j;
                z->direct_to[z->direct_count++] = taut_pattern_find(columns, l->column[at], l->row[at]);
                at++;
            }
    for (uint32_t k = 0; k < z->shape_count; k++) {
        island_shape *s = &z->shapes[k];
        s->schur = taut_mem_new(b->context, (size_t)s->schur_count * s->stride, sizeof *s->schur);
        if (!s->schur) return TAUT_OUT_OF_MEMORY;
        for (uint32_t o = 0; o < s->schur_count; o++)
            for (uint32_t i = 0; i < s->lanes.count; i++, at++)
                s->schur[(size_t)o * s->stride + i] = (uint32_t)taut_pattern_find(columns, l->column[at], l->row[at]);
    }
    return TAUT_OK;
}

enum { NODE_MOST = 12 };

static int same_column(const pattern *columns, int a, int b)
{
    const int count = columns->start[a + 1] - columns->start[a];
    return count == columns->start[b + 1] - columns->start[b]
           && !memcmp(columns->index + columns->start[a], columns->index + columns->start[b],
                      (size_t)count * sizeof *columns->index);
}

/* Multipliers of one constraint are a node, and so are those that meet the same others: all of a joint. */
static int list_nodes(making *b, const pattern *columns, int *node, int *count)
{
    const island_matrix *m = b->m;
    const islands *z = b->z;
    int *known = taut_mem_new(b->context, m->s->c, sizeof *known),
        *size = taut_mem_new(b->context, (size_t)z->late_count, sizeof *size);
    const int status = known && size ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    *count = 0;
    for (int k = 0; !status && k < z->late_count; k++) {
        int *const of = &known[m->column_constraint[z->late_columns[k]]];
        for (int p = columns->start[k]; !*of && p < columns->start[k + 1] && columns->index[p] < k; p++) {
            const int other = columns->index[p];
            if (size[node[other]] < NODE_MOST && same_column(columns, k, other)) *of = node[other] + 1;
        }
        if (!*of) *of = ++*count;
        size[node[k] = *of - 1]++;
    }
    taut_mem_free(b->context, known);
    taut_mem_free(b->context, size);
    return status;
}

static int create_solver(making *b, const pattern *columns)
{
    islands *z = b->z;
    const size_t n = (size_t)z->late_count;
    int *node = taut_mem_new(b->context, n, sizeof *node), count = 0;
    unsigned char *late = taut_mem_new(b->context, n, 1);
    int status = node && late ? list_nodes(b, columns, node, &count) : TAUT_OUT_OF_MEMORY;
    const linear_nodes nodes = { count, node, node, late };
    if (!status)
        status = taut_linear_create_blocks(b->context, LINEAR_AUTO, z->late_count, columns->start, columns->index,
                                           &nodes, &z->solver);
    taut_mem_free(b->context, node);
    taut_mem_free(b->context, late);
    return status;
}

static int make_late(making *b)
{
    islands *z = b->z;
    entry_list l = { 0 };
    pattern *columns = NULL;
    if (!z->late_count) return TAUT_OK;
    list_late(b, &l);
    const size_t count = l.count;
    size_t direct = count;
    for (uint32_t k = 0; k < z->shape_count; k++)
        direct -= (size_t)z->shapes[k].schur_count * z->shapes[k].lanes.count;
    l.row = taut_mem_new(b->context, count, sizeof *l.row);
    l.column = taut_mem_new(b->context, count, sizeof *l.column);
    int status = l.row && l.column ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        list_late(b, &l);
        status = taut_pattern_create(b->context, z->late_count, z->late_count, l.column, l.row, count, &columns);
    }
    if (!status) status = place_late(b, columns, &l, direct);
    if (!status) status = create_solver(b, columns);
    if (!status) z->schur_entries = pattern_entries(columns);
    taut_pattern_destroy(b->context, columns);
    taut_mem_free(b->context, l.row);
    taut_mem_free(b->context, l.column);
    return status;
}

/* ---- creation ---- */

static void lay_out(void *self, room_layout *l)
{
    islands *z = self;
    /* groups are multiples of a line of the cache */
    element_table all = { 1, NULL };
    const element_lanes one = { .groups = 1, .width = (uint32_t)(z->number_count + (size_t)z->direct_count) };
    X(element_table_lay_out)(&one, &all, l);
    z->numbers = all.numbers;
    real *at = z->numbers;
    for (uint32_t k = 0; k < z->shape_count; k++) {
        island_shape *s = &z->shapes[k];
        X(element_table_lay_out)(&s->lanes, &s->lanes.saved, l);
        s->entries.numbers = at;
        if (at) at += (size_t)s->lanes.groups * s->entries.rows * s->lanes.width;
    }
    z->schur = room_take(l, (size_t)z->schur_entries, sizeof *z->schur);
    z->late = room_take(l, (size_t)z->late_count, sizeof *z->late);
    z->sums = room_reals(l, (size_t)z->size), z->sizes = room_reals(l, (size_t)z->size);
    z->right = room_reals(l, (size_t)z->size);
    z->found = room_reals(l, (size_t)z->size);
}

static void clear_making(making *b)
{
    void *const blocks[] = { b->set, b->island_of, b->constraint_island, b->is_shared, b->row_start, b->row_column,
                             b->row_entry, b->late_row, b->late_column, b->shape_of, b->at, b->key };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(b->context, blocks[i]);
}

int X(islands_create)(const island_matrix *m, islands **result)
{
    taut_context *context = m->s->context;
    islands *z = taut_mem_new(context, 1, sizeof *z);
    making b = { .m = m, .z = z, .context = context };
    *result = NULL;
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->s = m->s;
    z->size = m->size;
    int status = connect(&b);
    if (!status) status = place_constraints(&b);
    if (!status && !b.unusable) status = list_by_rows(&b);
    if (!status && !b.unusable) status = list_members(&b);
    if (!status && !b.unusable) status = number_late(&b);
    if (!status && !b.unusable) status = find_shapes(&b);
    if (!status && !b.unusable) status = make_shapes(&b);
    if (!status && !b.unusable) status = make_late(&b);
    if (status == TAUT_UNSUPPORTED) status = TAUT_OK, b.unusable = 1; /* no safe order */
    if (!status && !b.unusable) status = room_create(context, lay_out, z, &z->room);
    clear_making(&b);
    if (status || b.unusable)
        X(islands_destroy)(z);
    else
        *result = z;
    return status;
}

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
        if (!(REAL(fabs)(right[i] - z->sums[i]) <= ERROR_MOST * (z->sizes[i] + REAL(fabs)(right[i])))) return 0;
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
/* Matrices are factored in double in both precisions: software arithmetic has nothing to gain from lanes. */
int X(islands_create)(const island_matrix *m, islands **result)
{
    (void)m;
    *result = NULL;
    return TAUT_OK;
}

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
