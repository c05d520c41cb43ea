/* Coordinates that multipliers give: equations K(lambda) v = b(lambda), as those of em are where constraints are of
 * degree 2. K is a mass matrix with h^2 times the curvature of the constraints. */
#include <string.h>

#include "lower/factors.h"
#include "lower/reduce_inside.h"

/* Unknowns in one equation: as many as two neighbours and itself. Then elimination fills little. */
enum { NESTED_MOST = 3 };

typedef struct {
    symbols *y;
    reduced_phase *p;
    uint32_t size, multipliers;
    expr *leaves, *values;    /* size: of the coordinates; multipliers follow among the leaves */
    uint32_t *index;          /* size + multipliers: unknowns of the phase */
    expr *slopes;             /* size x multipliers: of the values */
    unsigned char *mark;
    elimination m;
    /* K in blocks of two at the most: its inverse. v[i] = own[i] b[i] + other[i] b[partner[i]] */
    int is_paired;
    uint32_t *partner;
    expr *own, *other;
} nested;

static int is_multiplier(const nested *z, size_t i) { return X(reduce_size)(z->y, z->p, i) == STEP_C; }

static int create(nested *z)
{
    const reduced_phase *p = z->p;
    taut_context *context = z->y->context;
    z->index = taut_mem_new(context, 2 * p->count + 1, sizeof *z->index);
    z->leaves = taut_mem_new(context, 4 * p->count + 1, sizeof *z->leaves);
    z->mark = taut_mem_new(context, p->count + 1, 1);
    if (!z->index || !z->leaves || !z->mark) return TAUT_OUT_OF_MEMORY;
    z->values = z->leaves + p->count, z->own = z->values + p->count, z->other = z->own + p->count;
    z->partner = z->index + p->count;
    for (int last = 0; last < 2; last++)
        for (size_t i = 0; i < p->count; i++) {
            if (p->is_explicit[i] || is_multiplier(z, i) != last) continue;
            const uint32_t k = z->size + z->multipliers;
            z->index[k] = (uint32_t)i, z->leaves[k] = X(reduce_leaf)(z->y, p, i);
            if (last)
                z->multipliers++;
            else
                z->size++;
        }
    z->slopes = taut_mem_new(context, (size_t)z->size * z->multipliers + 1, sizeof *z->slopes);
    return z->slopes ? X(reduce_elimination)(z->y, z->size, &z->m) : TAUT_OUT_OF_MEMORY;
}

static void clear(nested *z)
{
    taut_context *context = z->y->context;
    X(reduce_elimination_clear)(z->y, &z->m);
    taut_mem_free(context, z->index);
    taut_mem_free(context, z->leaves);
    taut_mem_free(context, z->mark);
    taut_mem_free(context, z->slopes);
}

/* Row i of K. *fits: it is free of coordinates, and short; *varies: multipliers are in it. */
static int write_row(nested *z, uint32_t i, int *fits, int *varies)
{
    symbols *y = z->y;
    const expr e = z->p->equations[z->index[i]];
    expr *row = z->m.a + (size_t)i * z->size;
    int degree = 0, count = 0, status = X(reduce_degree)(y, z->p, e, 0, z->p->count, &degree);
    if (!status) status = taut_expr_gradient(y->g, e, z->leaves, z->size, row);
    *fits &= degree < NO_POLYNOMIAL && row[i] != y->zero;
    for (uint32_t k = 0; !status && *fits && k < z->size; k++) {
        count += row[k] != y->zero;
        status = X(reduce_mark)(y, z->p, row[k], z->mark);
        for (size_t u = 0; !status && u < z->p->count; u++)
            if (z->mark[u]) *fits &= is_multiplier(z, u), *varies = 1;
    }
    *fits &= count <= NESTED_MOST;
    return status;
}

static int write_matrix(nested *z, int *fits)
{
    int status = TAUT_OK, varies = 0;
    *fits = z->size && z->multipliers;
    for (uint32_t i = 0; !status && *fits && i < z->size; i++) status = write_row(z, i, fits, &varies);
    *fits &= varies;
    return status;
}

/* ---- K v = b ---- */

static expr entry(const nested *z, uint32_t i, uint32_t k) { return z->m.a[(size_t)i * z->size + k]; }

/* Who stands in an equation besides its own unknown: one at the most, and each of the two in that of the other. */
static void find_partners(nested *z)
{
    z->is_paired = 1;
    for (uint32_t i = 0; i < z->size; i++) {
        uint32_t found = 0;
        z->partner[i] = i;
        for (uint32_t k = 0; k < z->size; k++)
            if (k != i && (entry(z, i, k) != z->y->zero || entry(z, k, i) != z->y->zero)) z->partner[i] = k, found++;
        z->is_paired &= found <= 1;
    }
}

static int invert_one(nested *z, uint32_t i)
{
    const expr a = entry(z, i, i);
    z->own[i] = taut_expr_div(z->y->g, z->y->one, a);
    z->other[i] = z->y->zero;
    X(reduce_check)(z->y, z->p, a, a);
    return z->own[i] ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* e/k, term by term: these have constants that take it in. */
static expr divide(graph *g, expr e, expr k)
{
    if (!e) return 0;
    const node n = *taut_graph_node(g, e);
    if (n.op == OP_ADD || n.op == OP_SUB) return taut_expr_binary(g, (op)n.op, divide(g, n.a, k), divide(g, n.b, k));
    return taut_expr_div(g, e, k);
}

/* Two equations by their determinant, with one division. A constant that both other coefficients have is divided by
   beforehand: it would be a factor of all that follows. */
static int invert_two(nested *z, uint32_t i, uint32_t k)
{
    symbols *y = z->y;
    graph *g = y->g;
    expr factor, same;
    const expr b = X(factor_split)(y, entry(z, i, k), &factor), c = X(factor_split)(y, entry(z, k, i), &same);
    int usable = 0, status = factor == same ? X(reduce_is_usable)(y, factor, &usable) : TAUT_OK;
    if (status) return status;
    const expr divisor = usable ? factor : y->one;
    const expr a = divide(g, entry(z, i, i), divisor), d = divide(g, entry(z, k, k), divisor);
    const expr left = usable ? b : entry(z, i, k), right = usable ? c : entry(z, k, i);
    const expr ad = taut_expr_mul(g, a, entry(z, k, k));
    const expr determinant = taut_expr_sub(g, ad, taut_expr_mul(g, divisor, taut_expr_mul(g, left, right)));
    const expr inverse = determinant ? taut_expr_div(g, y->one, determinant) : 0;
    if (!inverse) return TAUT_OUT_OF_MEMORY;
    if (determinant == y->zero) return TAUT_UNSUPPORTED;
    X(reduce_check)(y, z->p, determinant, ad);
    z->own[i] = taut_expr_mul_reciprocal(g, d, inverse), z->own[k] = taut_expr_mul_reciprocal(g, a, inverse);
    z->other[i] = taut_expr_neg(g, taut_expr_mul_reciprocal(g, left, inverse));
    z->other[k] = taut_expr_neg(g, taut_expr_mul_reciprocal(g, right, inverse));
    return z->own[i] && z->own[k] && z->other[i] && z->other[k] ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static int invert_pairs(nested *z)
{
    int status = TAUT_OK;
    for (uint32_t i = 0; !status && i < z->size; i++)
        if (z->partner[i] == i)
            status = invert_one(z, i);
        else if (z->partner[i] > i)
            status = invert_two(z, i, z->partner[i]);
    return status;
}

static int invert(nested *z)
{
    expr *diagonal = z->m.right + z->size;
    find_partners(z);
    if (z->is_paired) return invert_pairs(z);
    for (uint32_t i = 0; i < z->size; i++) diagonal[i] = entry(z, i, i);
    return X(reduce_eliminate)(z->y, z->p, &z->m, diagonal);
}

/* out := K^-1 right, which is overwritten */
static int solve(const nested *z, expr *right, expr *out)
{
    graph *g = z->y->g;
    if (!z->is_paired) return X(reduce_substitute)(z->y, &z->m, right, out);
    for (uint32_t i = 0; i < z->size; i++) {
        const expr own = taut_expr_mul_reciprocal(g, right[i], z->own[i]);
        out[i] = taut_expr_add(g, own, taut_expr_mul(g, z->other[i], right[z->partner[i]]));
        if (!out[i]) return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

/* ---- what follows ---- */

/* e with values for coordinates. Reciprocals of pivots are in the values alone, and stay as they are. */
static int give_values(const nested *z, expr *e)
{
    if (*e) *e = taut_expr_substitute(z->y->g, *e, z->leaves, z->values, z->size);
    return *e ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* The values of the coordinates, and their slopes: K v = -e(0), K dv = -de/dlambda at v. */
static int find_values(nested *z)
{
    symbols *y = z->y;
    graph *g = y->g;
    const uint32_t size = z->size;
    expr *zeros = z->m.right + size, *column = taut_mem_new(y->context, size + 1, sizeof *column);
    int status = column ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < size; i++) zeros[i] = y->zero;
    for (uint32_t i = 0; !status && i < size; i++) {
        const expr rest = taut_expr_substitute(g, z->p->equations[z->index[i]], z->leaves, zeros, size);
        z->m.right[i] = rest ? taut_expr_neg(g, rest) : 0;
        if (!z->m.right[i]) status = TAUT_OUT_OF_MEMORY;
    }
    if (!status) status = solve(z, z->m.right, z->values);
    for (uint32_t j = 0; !status && j < z->multipliers; j++) {
        for (uint32_t i = 0; !status && i < size; i++) {
            expr slope = taut_expr_derivative(g, z->p->equations[z->index[i]], z->leaves[size + j]);
            status = give_values(z, &slope);
            z->m.right[i] = status ? 0 : taut_expr_neg(g, slope);
            if (!z->m.right[i]) status = TAUT_OUT_OF_MEMORY;
        }
        if (!status) status = solve(z, z->m.right, column);
        for (uint32_t i = 0; !status && i < size; i++) z->slopes[(size_t)i * z->multipliers + j] = column[i];
    }
    taut_mem_free(y->context, column);
    return status;
}

/* out := the slopes of e by the multipliers, through the coordinates as well; then values are put into e. */
static int replace(nested *z, expr *e, expr *out)
{
    symbols *y = z->y;
    graph *g = y->g;
    const uint32_t all = z->size + z->multipliers;
    expr *slopes = taut_mem_new(y->context, (size_t)all + 1, sizeof *slopes);
    int status = slopes ? taut_expr_gradient(g, *e, z->leaves, all, slopes) : TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; !status && i < all; i++) status = give_values(z, &slopes[i]);
    for (uint32_t j = 0; !status && j < z->multipliers; j++) {
        expr sum = slopes[z->size + j];
        for (uint32_t i = 0; sum && i < z->size; i++)
            if (slopes[i] != y->zero)
                sum = taut_expr_add(g, sum, taut_expr_mul(g, slopes[i], z->slopes[(size_t)i * z->multipliers + j]));
        out[j] = sum;
        if (!sum) status = TAUT_OUT_OF_MEMORY;
    }
    taut_mem_free(y->context, slopes);
    return status ? status : give_values(z, e);
}

static int replace_all(nested *z)
{
    reduced_phase *p = z->p;
    const size_t width = z->multipliers;
    p->slopes = taut_mem_new(z->y->context, p->count * width + 1, sizeof *p->slopes);
    p->matrix = taut_mem_new(z->y->context, width * width + 1, sizeof *p->matrix);
    int status = p->slopes && p->matrix ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < p->count; i++)
        status = replace(z, &z->y->unknowns[p->first + i], p->slopes + i * width);
    for (uint32_t j = 0; !status && j < z->multipliers; j++) {
        expr *e = &p->equations[z->index[z->size + j]], factor;
        *e = X(factor_split)(z->y, *e, &factor); /* a power of h */
        status = replace(z, e, p->matrix + j * width);
    }
    for (uint32_t i = 0; !status && i < z->size; i++) p->is_explicit[z->index[i]] = 1;
    return status;
}

int X(reduce_nested)(symbols *y, reduced_phase *p)
{
    nested z = { .y = y, .p = p };
    int fits = 0, status = create(&z);
    if (!status) status = write_matrix(&z, &fits);
    if (!status && fits) {
        status = invert(&z);
        if (!status) status = find_values(&z);
        if (!status) status = replace_all(&z);
    }
    clear(&z);
    return status;
}
