/* Solving with the eliminated fronts (linear_blocks.h), and how well the equations hold. */
#include "linalg/linear_blocks_loops.h"

/* Later unknowns of a group in the order: known := x, or x := x + known. */
INLINE void gather(const blocks_numbers *s, const blocks_group *g, const double *x, double *known, int lanes)
{
    const int *index = s->plan->index + g->indices;
    const unsigned char *follow = s->plan->follow + g->runs;
    for (int i = 0; i < g->later;)
        if (follow[i] > 1) {
            AT(known + i * lanes) = CONST_AT(x + index[i * lanes]);
            i += lanes > 1 ? 1 : BLOCKS_LANES;
        } else {
            for (int l = 0; l < lanes; l++) known[i * lanes + l] = x[index[i * lanes + l]];
            i++;
        }
}

INLINE void scatter(const blocks_numbers *s, const blocks_group *g, const double *known, double *x, int lanes)
{
    const int *index = s->plan->index + g->indices;
    const unsigned char *follow = s->plan->follow + g->runs;
    for (int i = 0; i < g->later;)
        if (follow[i] > 1) {
            AT(x + index[i * lanes]) += CONST_AT(known + i * lanes);
            i += lanes > 1 ? 1 : BLOCKS_LANES;
        } else {
            for (int l = 0; l < lanes; l++) x[index[i * lanes + l]] += known[i * lanes + l];
            i++;
        }
}

/* A front of few unknowns: y = D b1, b2 := b2 - F21 y. */
INLINE void forward_few(const blocks_numbers *s, const blocks_group *g, double *x, const int own)
{
    const int mine = (own + BLOCKS_PAST) / BLOCKS_LANES;
    const double *left = s->fronts + g->at + BLOCKS_LANES * mine;
    double *known = s->work, *y = x + g->first;
    multiply_some(y, NULL, s->inverses + g->inverses, (size_t)(BLOCKS_LANES * mine), y, own, 1, 1, mine);
    if (g->straight) {
        double *to = x + s->plan->index[g->indices];
        multiply(to, to, left, g->stride, y, own, vectors_of(g->later, 1), 1, -1);
    } else {
        multiply(known, NULL, left, g->stride, y, own, vectors_of(g->later, 1), 1, -1);
        scatter(s, g, known, x, 1);
    }
}

/* x1 = y - E x2 */
INLINE void backward_few(const blocks_numbers *s, const blocks_group *g, double *x, const int own)
{
    const int mine = (own + BLOCKS_PAST) / BLOCKS_LANES;
    const double *known = s->work, *right = s->fronts + g->at + (size_t)own * g->stride;
    double *y = x + g->first;
    if (g->straight)
        known = x + s->plan->index[g->indices];
    else
        gather(s, g, x, s->work, 1);
    multiply_some(y, y, right, g->later_stride, known, g->later, 1, -1, mine);
}

/* The same in lanes. */
INLINE void forward_lanes(const blocks_numbers *s, const blocks_group *g, double *x, const int own)
{
    const int *index = s->plan->index + g->indices;
    const unsigned char *follow = s->plan->follow + g->runs;
    const double *left = s->fronts + g->at + BLOCKS_LANES * own;
    double *y = x + g->first;
    vector found[BLOCKS_FIXED];
    product_lanes(found, s->inverses + g->inverses, (size_t)(BLOCKS_LANES * own), y, own);
#pragma GCC unroll 6
    for (int i = 0; i < own; i++) AT(y + BLOCKS_LANES * i) = found[i];
    for (int i = 0; i < g->later; i++, index += BLOCKS_LANES) {
        vector sum;
        row_lanes(&sum, left + BLOCKS_LANES * i, g->stride, found, own);
        if (follow[i] > 1)
            AT(x + *index) -= sum;
        else
            for (int l = 0; l < BLOCKS_LANES; l++) x[index[l]] -= sum[l];
    }
}

INLINE void backward_lanes(const blocks_numbers *s, const blocks_group *g, double *x, const int own)
{
    const int *index = s->plan->index + g->indices;
    const unsigned char *follow = s->plan->follow + g->runs;
    const double *right = s->fronts + g->at + (size_t)own * g->stride;
    double *y = x + g->first;
    vector sum[BLOCKS_FIXED];
#pragma GCC unroll 6
    for (int i = 0; i < own; i++) sum[i] = CONST_AT(y + BLOCKS_LANES * i);
    for (int j = 0; j < g->later; j++, index += BLOCKS_LANES, right += g->later_stride) {
        vector known;
        if (follow[j] > 1)
            known = CONST_AT(x + *index);
        else
            known = (vector){ x[index[0]], x[index[1]], x[index[2]], x[index[3]] };
#pragma GCC unroll 6
        for (int i = 0; i < own; i++) sum[i] -= CONST_AT(right + BLOCKS_LANES * i) * known;
    }
#pragma GCC unroll 6
    for (int i = 0; i < own; i++) AT(y + BLOCKS_LANES * i) = sum[i];
}

INLINE void forward(const blocks_numbers *s, const blocks_group *g, double *x, int lanes)
{
    const int panels = g->panels, *panel = s->plan->panel + g->first_panel, end = g->rows + g->later;
    const double *front = s->fronts + g->at, *inverse = s->inverses + g->inverses;
    double *known = s->work, *found = s->more, *mine = x + g->first;
    for (int i = 0; panels > 1 && i < end * lanes; i++) known[i] = 0;
    for (int p = 0, row = 0, of_panel; p < panels; row += of_panel, p++) {
        of_panel = panel[p];
        const int rest = panels > 1 ? row + of_panel : g->rows, vectors = vectors_of(of_panel, lanes);
        const double *left = front + (size_t)row * g->stride + rest * lanes;
        multiply(found, NULL, inverse, (size_t)(BLOCKS_LANES * vectors), mine + row * lanes, of_panel, vectors, lanes,
                 1);
        copy(mine + row * lanes, found, of_panel * lanes);
        multiply(known + rest * lanes, panels > 1 ? known + rest * lanes : NULL, left, g->stride, found, of_panel,
                 vectors_of(end - rest, lanes), lanes, -1);
        for (int i = rest * lanes; p + 1 < panels && i < (rest + panel[p + 1]) * lanes; i++) mine[i] += known[i];
        inverse += of_panel * BLOCKS_LANES * vectors;
    }
    scatter(s, g, known + g->rows * lanes, x, lanes);
}

INLINE void backward(const blocks_numbers *s, const blocks_group *g, double *x, int lanes)
{
    const int own = g->own, *panel = s->plan->panel + g->first_panel;
    const double *front = s->fronts + g->at;
    double *known = s->work, *found = s->more, *mine = x + g->first;
    gather(s, g, x, known, lanes);
    for (int p = g->panels - 1, row = own; p >= 0; p--) {
        const int of_panel = panel[p], rest = row, vectors = vectors_of(of_panel, lanes);
        row -= of_panel;
        multiply(found, mine + row * lanes, front + (size_t)own * g->stride + row * lanes, g->later_stride, known,
                 g->later, vectors, lanes, -1);
        if (rest < own)
            multiply(found, found, front + (size_t)rest * g->stride + row * lanes, g->stride, mine + rest * lanes,
                     own - rest, vectors, lanes, -1);
        copy(mine + row * lanes, found, of_panel * lanes);
    }
}

static VECTOR_LOOPS void substitute(const blocks_numbers *s, double *x)
{
    const blocks_plan *plan = s->plan;
    for (int k = 0; k < plan->count; k++) {
        const blocks_group *g = &plan->groups[k];
#define FORWARD(lanes, fixed)                                                                                        \
    (!(fixed) ? forward(s, g, x, lanes) : (lanes) > 1 ? forward_lanes(s, g, x, fixed) : forward_few(s, g, x, fixed))
        BY_SHAPE(g, FORWARD)
#undef FORWARD
    }
    for (int k = plan->count - 1; k >= 0; k--) {
        const blocks_group *g = &plan->groups[k];
#define BACKWARD(lanes, fixed)                                                                                       \
    (!(fixed) ? backward(s, g, x, lanes) : (lanes) > 1 ? backward_lanes(s, g, x, fixed) : backward_few(s, g, x, fixed))
        BY_SHAPE(g, BACKWARD)
#undef BACKWARD
    }
}

void taut_blocks_substitute(const blocks_numbers *s, double *x) { substitute(s, x); }

/* ---- the transposed: x2 := x2 - E'x1 on the way up, x1 := D'(x1 - F21'x2) on the way down ---- */

/* A number of a front, in its row and column. */
static const double *entry(const blocks_numbers *s, const blocks_group *g, int row, int column)
{
    const size_t at = column < g->own ? (size_t)column * g->stride
                                      : (size_t)g->own * g->stride + (size_t)(column - g->own) * g->later_stride;
    return s->fronts + g->at + at + (row < g->own ? row : g->rows + row - g->own) * g->lanes;
}

static int unknown_of(const blocks_numbers *s, const blocks_group *g, int k, int lane)
{
    return k < g->own ? g->first + k * g->lanes + lane
                      : s->plan->index[g->indices + (size_t)((k - g->own) * g->lanes + lane)];
}

static void forward_transposed(const blocks_numbers *s, const blocks_group *g, double *x, int lane)
{
    const int *panel = s->plan->panel + g->first_panel;
    for (int p = 0, row = 0; p < g->panels; row += panel[p++])
        for (int j = row + panel[p]; j < g->own + g->later; j++) {
            const double *e = entry(s, g, row, j) + lane;
            double *to = x + unknown_of(s, g, j, lane);
            for (int i = 0; i < panel[p]; i++) *to -= e[i * g->lanes] * x[unknown_of(s, g, row + i, lane)];
        }
}

static void backward_transposed(const blocks_numbers *s, const blocks_group *g, double *x, int lane)
{
    const int *panel = s->plan->panel + g->first_panel, lanes = g->lanes;
    const double *inverse = s->inverses + g->inverses;
    for (int p = 0; p < g->panels; p++) inverse += panel[p] * taut_blocks_rows(panel[p], lanes) * lanes;
    for (int p = g->panels - 1, row = g->own; p >= 0; p--) {
        const int of_panel = panel[p], rest = row, rows = taut_blocks_rows(of_panel, lanes) * lanes;
        row -= of_panel;
        inverse -= of_panel * rows;
        for (int k = 0; k < of_panel; k++) {
            double sum = x[unknown_of(s, g, row + k, lane)];
            for (int i = rest; i < g->own + g->later; i++)
                sum -= entry(s, g, i, row + k)[lane] * x[unknown_of(s, g, i, lane)];
            s->work[k] = sum;
        }
        for (int k = 0; k < of_panel; k++) {
            double sum = 0;
            for (int i = 0; i < of_panel; i++) sum += inverse[k * rows + i * lanes + lane] * s->work[i];
            x[unknown_of(s, g, row + k, lane)] = sum;
        }
    }
}

void taut_blocks_substitute_transposed(const blocks_numbers *s, double *x)
{
    const blocks_plan *plan = s->plan;
    for (int k = 0; k < plan->count; k++)
        for (int l = 0; l < plan->groups[k].lanes; l++) forward_transposed(s, &plan->groups[k], x, l);
    for (int k = plan->count - 1; k >= 0; k--)
        for (int l = 0; l < plan->groups[k].lanes; l++) backward_transposed(s, &plan->groups[k], x, l);
}

/* ---- how well the equations hold ---- */

/* to := to - F21 x1, and to := to - A x of a group */
INLINE void subtract_later(const blocks_numbers *s, const blocks_group *g, const double *x, double *to, int lanes)
{
    const double *left = s->image + g->at + g->rows * lanes, *mine = x + g->first;
    double *known = s->work;
    const int vectors = vectors_of(g->later, lanes);
    if (lanes == 1 && g->straight) {
        double *later = to + s->plan->index[g->indices];
        multiply(later, later, left, g->stride, mine, g->own, vectors, lanes, -1);
    } else {
        multiply(known, NULL, left, g->stride, mine, g->own, vectors, lanes, -1);
        scatter(s, g, known, to, lanes);
    }
}

INLINE void subtract_product(const blocks_numbers *s, const blocks_group *g, const double *x, double *to, int lanes)
{
    const double *front = s->image + g->at, *right = front + (size_t)g->own * g->stride, *later = s->work;
    double *mine = to + g->first;
    const int vectors = vectors_of(g->own, lanes);
    if (lanes == 1 && g->straight)
        later = x + s->plan->index[g->indices];
    else
        gather(s, g, x, s->work, lanes);
    multiply(mine, mine, front, g->stride, x + g->first, g->own, vectors, lanes, -1);
    multiply(mine, mine, right, g->later_stride, later, g->later, vectors, lanes, -1);
    subtract_later(s, g, x, to, lanes);
}

INLINE double largest_lane(const vector *x) { return fmax(fmax((*x)[0], (*x)[1]), fmax((*x)[2], (*x)[3])); }

INLINE void find_largest(const blocks_plan *plan, const double *x, double *most)
{
    vector early = { 0 }, late = { 0 };
    for (int k = 0; k < plan->unknowns; k += BLOCKS_LANES) {
        const vector size = SIZE_OF(CONST_AT(x + k));
        const bits is_late = BITS_AT(plan->late_mask + k);
        const vector one = (vector)((bits)size & ~is_late), other = (vector)((bits)size & is_late);
        early = LARGER_OF(early, one), late = LARGER_OF(late, other);
    }
    most[0] = largest_lane(&early), most[1] = largest_lane(&late);
}

/* Compares residuals with a part of the sizes of their equations. */
INLINE int are_small(const blocks_numbers *s, const double *right, const double *residual, const double *most,
                     double limit)
{
    const blocks_plan *plan = s->plan;
    const int *diagonal = plan->diagonal;
    const double *image = s->image;
    bits small = BITS_AT(first_lanes[BLOCKS_LANES]);
    for (int k = 0; k < plan->unknowns; k += BLOCKS_LANES, diagonal += BLOCKS_LANES) {
        const vector large = CHOSEN(BITS_AT(plan->late_mask + k), EQUAL(most[1]), EQUAL(most[0]));
        const vector entries = { image[diagonal[0]], image[diagonal[1]], image[diagonal[2]], image[diagonal[3]] };
        const vector sizes = SIZE_OF(entries) * large + SIZE_OF(CONST_AT(right + k));
        small &= SIZE_OF(CONST_AT(residual + k)) <= limit * sizes;
    }
    return (small[0] & small[1] & small[2] & small[3]) != 0;
}

static VECTOR_LOOPS int holds(const blocks_numbers *s, const double *x, const double *right, double *residual,
                              double *most, double limit)
{
    const blocks_plan *plan = s->plan;
    find_largest(plan, x, most);
    for (int k = 0; k < plan->unknowns; k += BLOCKS_LANES) AT(residual + k) = CONST_AT(right + k);
    for (int k = 0; k < plan->count; k++) {
        const blocks_group *g = &plan->groups[k];
        if (g->lanes > 1)
            subtract_product(s, g, x, residual, BLOCKS_LANES);
        else
            subtract_product(s, g, x, residual, 1);
    }
    return are_small(s, right, residual, most, limit);
}

int taut_blocks_holds(const blocks_numbers *s, const double *x, const double *right, double *residual, double *most,
                      double limit)
{
    return holds(s, x, right, residual, most, limit);
}

/* sizes := sizes + |matrix| most */
INLINE void add_sizes(double *sizes, const double *matrix, size_t stride, const double *most, int count, int vectors,
                      int lanes)
{
    for (int i = 0; i < vectors; i++, sizes += BLOCKS_LANES, matrix += BLOCKS_LANES) {
        vector sum = AT(sizes);
        for (int k = 0; k < count; k++)
            sum += SIZE_OF(CONST_AT(matrix + (size_t)k * stride)) * FACTOR(most + k * lanes, lanes);
        AT(sizes) = sum;
    }
}

INLINE void add_sizes_of_group(const blocks_numbers *s, const blocks_group *g, const double *most, double *sizes,
                               int lanes)
{
    const double *front = s->image + g->at, *right = front + (size_t)g->own * g->stride;
    const double *left = front + g->rows * lanes, *mine = most + g->first;
    const int vectors = vectors_of(g->own, lanes), later_vectors = vectors_of(g->later, lanes);
    double *known = s->work;
    gather(s, g, most, known, lanes);
    add_sizes(sizes + g->first, front, g->stride, mine, g->own, vectors, lanes);
    add_sizes(sizes + g->first, right, g->later_stride, known, g->later, vectors, lanes);
    for (int i = 0; i < BLOCKS_LANES * later_vectors; i++) known[i] = 0;
    add_sizes(known, left, g->stride, mine, g->own, later_vectors, lanes);
    scatter(s, g, known, sizes, lanes);
}

static VECTOR_LOOPS void add_all_sizes(const blocks_numbers *s, const double *most, double *sizes)
{
    const blocks_plan *plan = s->plan;
    for (int k = 0; k < plan->count; k++) {
        const blocks_group *g = &plan->groups[k];
        if (g->lanes > 1)
            add_sizes_of_group(s, g, most, sizes, BLOCKS_LANES);
        else
            add_sizes_of_group(s, g, most, sizes, 1);
    }
}

void taut_blocks_sizes(const blocks_numbers *s, const double *most, double *sizes) { add_all_sizes(s, most, sizes); }
