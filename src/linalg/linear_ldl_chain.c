/* LDL of a matrix whose unknowns form chains in their natural order: tridiagonal, with zeros where one chain ends and
   the next begins. Eliminated from both ends to the middle: two recurrences that do not wait for each other, each with
   a division in its way. A long one has four, see below. */
#include <math.h>

#include "linalg/linear_ldl.h"

int taut_ldl_is_chain(const ldl *s)
{
    if (s->order || s->n < 3) return 0;
    for (int k = 0; k < s->n; k++) {
        int count = s->row_start[k + 1] - s->row_start[k];
        if (s->sources.diagonal[k] < 0 || count > 1 || (count && s->row[s->row_start[k]].column != k - 1)) return 0;
        if (count != s->sources.start[k + 1] - s->sources.start[k]) return 0;
    }
    return 1;
}

static double value_at(const double *values, int place) { return place >= 0 ? values[place] : 0; }

/* The values by bands: diagonal, then the entries (k+1, k), then (k, k+1). */
int taut_ldl_chain_order(ldl *s)
{
    const int n = s->n;
    const linear_pattern *pattern = s->pattern;
    if (s->value_order || pattern->entries != 3 * n - 2) return TAUT_OK; /* with gaps there is nothing to gain */
    s->value_order = taut_mem_new(s->context, (size_t)pattern->entries, sizeof *s->value_order);
    if (!s->value_order) return TAUT_OUT_OF_MEMORY;
    for (int k = 0; k < n; k++)
        for (int p = pattern->column_start[k]; p < pattern->column_start[k + 1]; p++) {
            int row = pattern->row_index[p];
            s->value_order[p] = row == k ? k : row > k ? n + k : 2 * n - 1 + row;
        }
    for (int k = 0; k < n; k++) s->sources.diagonal[k] = s->value_order[s->sources.diagonal[k]];
    for (int p = 0; p < s->sources.start[n]; p++) {
        ldl_source *e = &s->sources.entry[p];
        e->lower = s->value_order[e->lower], e->upper = s->value_order[e->upper];
    }
    return TAUT_OK;
}

/* The diagonal; lower[k], upper[k]: the entries (k+1, k) and (k, k+1). */
static void read_bands(const ldl *s, const double *values, double *diagonal, double *lower, double *upper)
{
    const int n = s->n;
    for (int k = 0; k < n; k++) {
        const int p = s->sources.start[k];
        diagonal[k] = values[s->sources.diagonal[k]];
        if (k == 0) continue;
        const int coupled = s->sources.start[k + 1] > p;
        lower[k - 1] = coupled ? value_at(values, s->sources.entry[p].lower) : 0;
        upper[k - 1] = coupled ? value_at(values, s->sources.entry[p].upper) : 0;
    }
}

static inline double larger(double a, double b) { return a > b ? a : b; }

/* Judges the pivot d of a row whose diagonal was `given` and from which `size` was taken; as in the general
   elimination. */
static inline int judge(ldl_outcome *found, double d, double given, double size)
{
    const double pivot = fabs(d), diagonal_size = fabs(given);
    if (size + pivot > found->growth * diagonal_size * 1.000001) found->growth = (size + pivot) / diagonal_size;
    found->least = pivot < found->least ? pivot : found->least;
    found->most = pivot > found->most ? pivot : found->most;
    found->negative += d < 0;
    /* written so that what is not a number counts as vanished */
    return !(pivot > LINEAR_SINGULAR * (diagonal_size + size));
}

/* What two parts found. */
static void join(ldl_outcome *a, const ldl_outcome *b)
{
    if (b->growth > a->growth) a->growth = b->growth;
    a->least = fmin(a->least, b->least), a->most = fmax(a->most, b->most);
    a->negative += b->negative;
    if (b->stopped < a->stopped) a->stopped = b->stopped;
}

/* ---- long chains ----
 *
 * For two threads, each of which has two recurrences to turn between: each half is cut once more. Rows are counted from
 * an end towards the middle, those of the right half backwards. The row `cut` waits until those on both sides of it are
 * eliminated:
 *
 *     0 ... cut-1   cut   cut+1 ... rows-1   (the middle)
 *
 * Eliminating a row behind the cut moves its coupling with the row cut to the next one: besides l and u, which belong
 * to the next row, it has a far l and u that belong to the row cut. In the end the row cut is coupled with the middle,
 * and is eliminated after all others of its half. */

#define CHAIN_LONG 8192 /* rows; a shorter one takes no longer than telling another thread of it */

int taut_ldl_chain_is_long(int n) { return n >= CHAIN_LONG; }

typedef struct {
    const double *diagonal, *below, *above; /* of row k, here and in the following: at k step */
    double *inverse, *lower, *upper;
    double *far_lower, *far_upper;          /* of row cut + 1 + j at j step */
    int rows, cut;
    ldl_outcome found;
    double taken, taken_size;               /* from the diagonal of the middle */
} chain_half;

static inline __attribute__((always_inline)) void eliminate_half(chain_half *h, const ptrdiff_t step)
{
    const double *diagonal = h->diagonal, *below = h->below, *above = h->above;
    double *inverse = h->inverse, *lower = h->lower, *upper = h->upper;
    double *far_lower = h->far_lower, *far_upper = h->far_upper;
    const ptrdiff_t cut = h->cut, behind = h->rows - 1 - cut;
    ldl_outcome found = h->found, found_behind = h->found;
    int lost = 0;
    /* what the row before takes off the diagonal, and the larger of the two sums of sizes; before and behind the cut */
    double a = 0, a_size = 0, b = 0, b_size = 0;
    /* couplings of the row at hand with the row cut: of that row with this one, and of this one with that row */
    double f = above[cut * step], g = below[cut * step];
    double taken = 0, taken_lower = 0, taken_upper = 0; /* from the diagonal of the row cut */
    for (ptrdiff_t j = 0; j < cut; j++) {
        const ptrdiff_t i = j * step, k = (cut + 1 + j) * step;
        const double given = diagonal[i], d = given - a, one = 1 / d, z = below[i], w = above[i];
        lost |= judge(&found, d, given, a_size);
        inverse[i] = one;
        const double l = z * one, u = w * one;
        lower[i] = l, upper[i] = u;
        a = l * w, a_size = larger(fabs(l * z), fabs(u * w));
        if (j >= behind) continue;
        const double given_k = diagonal[k], d_k = given_k - b, one_k = 1 / d_k, z_k = below[k], w_k = above[k];
        lost |= judge(&found_behind, d_k, given_k, b_size);
        inverse[k] = one_k;
        const double l_k = z_k * one_k, u_k = w_k * one_k, far_l = f * one_k, far_u = g * one_k;
        lower[k] = l_k, upper[k] = u_k;
        far_lower[j * step] = far_l, far_upper[j * step] = far_u;
        taken += far_l * g, taken_lower += fabs(far_l * f), taken_upper += fabs(far_u * g);
        f = -(far_l * w_k), g = -(l_k * g);
        b = l_k * w_k, b_size = larger(fabs(l_k * z_k), fabs(u_k * w_k));
    }
    const double given = diagonal[cut * step], d = given - a - taken, one = 1 / d;
    lost |= judge(&found, d, given, a_size + larger(taken_lower, taken_upper));
    inverse[cut * step] = one;
    const double l = g * one, u = f * one; /* with the middle */
    lower[cut * step] = l, upper[cut * step] = u;
    h->taken = b + l * f;
    h->taken_size = b_size + larger(fabs(l * g), fabs(u * f));
    join(&found, &found_behind);
    if (lost) found.stopped = 0;
    h->found = found;
}

static double *upper_of(const ldl *s) { return s->symmetric ? s->lower : s->upper; }

/* Half 0 or 1 of the matrix in the three bands. */
static chain_half half_of(const ldl *s, int half, const double *diagonal, const double *below, const double *above)
{
    const int n = s->n, middle = n / 2;
    chain_half h = { .rows = half ? n - 1 - middle : middle, .found = { 1, INFINITY, 0, 0, n } };
    h.cut = h.rows / 2;
    if (half) {
        h.diagonal = diagonal + n - 1, h.below = above + n - 2, h.above = below + n - 2;
        h.inverse = s->inverse + n - 1, h.lower = s->lower + n - 2, h.upper = upper_of(s) + n - 2;
        h.far_lower = s->far_lower + n - 1, h.far_upper = s->far_upper + n - 1;
    } else {
        h.diagonal = diagonal, h.below = below, h.above = above;
        h.inverse = s->inverse, h.lower = s->lower, h.upper = upper_of(s);
        h.far_lower = s->far_lower, h.far_upper = s->far_upper;
    }
    return h;
}

static void eliminate_piece(void *self, int index, int worker)
{
    chain_half *halves = self;
    (void)worker;
    if (index)
        eliminate_half(&halves[1], -1);
    else
        eliminate_half(&halves[0], 1);
}

static ldl_outcome eliminate_long(ldl *s, const double *diagonal, const double *below, const double *above)
{
    const int middle = s->n / 2;
    chain_half halves[2] = { half_of(s, 0, diagonal, below, above), half_of(s, 1, diagonal, below, above) };
    taut_pool_run(s->pool, 2, eliminate_piece, halves);
    ldl_outcome found = halves[0].found;
    join(&found, &halves[1].found);
    const double given = diagonal[middle], d = given - halves[0].taken - halves[1].taken;
    if (judge(&found, d, given, halves[0].taken_size + halves[1].taken_size)) found.stopped = 0;
    s->inverse[middle] = 1 / d;
    return found;
}

typedef struct {
    const double *lower, *upper, *inverse, *far_lower, *far_upper;
    double *x;
    int rows, cut;
    double end;  /* forward: taken from the middle; back: the middle */
} chain_right;

static inline __attribute__((always_inline)) void forward_half(chain_right *h, const ptrdiff_t step)
{
    const double *restrict lower = h->lower, *restrict inverse = h->inverse, *restrict far_lower = h->far_lower;
    double *restrict x = h->x;
    const ptrdiff_t cut = h->cut, behind = h->rows - 1 - cut;
    double a = x[0], b = x[(cut + 1) * step], far = 0;
    for (ptrdiff_t j = 0; j < cut - 1; j++) {
        const ptrdiff_t i = j * step, k = (cut + 1 + j) * step;
        const double next = x[i + step] - lower[i] * a;
        x[i] = a * inverse[i];
        a = next;
        if (j >= behind - 1) continue;
        const double next_k = x[k + step] - lower[k] * b;
        far += far_lower[j * step] * b;
        x[k] = b * inverse[k];
        b = next_k;
    }
    const ptrdiff_t i = (cut - 1) * step, k = (cut + behind) * step; /* the last ones */
    x[i] = a * inverse[i];
    far += far_lower[(behind - 1) * step] * b;
    x[k] = b * inverse[k];
    const double c = x[cut * step] - lower[i] * a - far;
    x[cut * step] = c * inverse[cut * step];
    h->end = lower[k] * b + lower[cut * step] * c;
}

static inline __attribute__((always_inline)) void back_half(chain_right *h, const ptrdiff_t step)
{
    const double *restrict upper = h->upper, *restrict far_upper = h->far_upper;
    double *restrict x = h->x;
    const ptrdiff_t cut = h->cut, behind = h->rows - 1 - cut;
    const double c = x[cut * step] - upper[cut * step] * h->end;
    double a = c, b = h->end;
    x[cut * step] = c;
    for (ptrdiff_t j = 0; j < cut; j++) {
        const ptrdiff_t i = (cut - 1 - j) * step, k = (cut + behind - j) * step;
        x[i] = a = x[i] - upper[i] * a;
        if (j < behind) x[k] = b = x[k] - far_upper[(behind - 1 - j) * step] * c - upper[k] * b;
    }
}

static void forward_piece(void *self, int index, int worker)
{
    chain_right *halves = self;
    (void)worker;
    if (index)
        forward_half(&halves[1], -1);
    else
        forward_half(&halves[0], 1);
}

static void back_piece(void *self, int index, int worker)
{
    chain_right *halves = self;
    (void)worker;
    if (index)
        back_half(&halves[1], -1);
    else
        back_half(&halves[0], 1);
}

static void substitute_long(const ldl *s, const double *lower, const double *upper, double *x)
{
    const int n = s->n, middle = n / 2, transposed = lower != s->lower;
    const double *far_lower = transposed ? s->far_upper : s->far_lower;
    const double *far_upper = transposed ? s->far_lower : s->far_upper;
    chain_right halves[2] = { { lower, upper, s->inverse, far_lower, far_upper, x, middle, middle / 2, 0 },
                              { lower + n - 2, upper + n - 2, s->inverse + n - 1, far_lower + n - 1,
                                far_upper + n - 1, x + n - 1, n - 1 - middle, (n - 1 - middle) / 2, 0 } };
    taut_pool_run(s->pool, 2, forward_piece, halves);
    x[middle] = (x[middle] - halves[0].end - halves[1].end) * s->inverse[middle];
    halves[0].end = halves[1].end = x[middle];
    taut_pool_run(s->pool, 2, back_piece, halves);
}

/* ---- any length ---- */

/* After elimination: inverse[k] = 1/d_k; lower and upper hold l and u towards the middle, of row k at k from the left
   and at k - 1 from the right. */
ldl_outcome taut_ldl_chain_eliminate(ldl *s, const double *values)
{
    const int n = s->n, middle = n / 2;
    double *inverse = s->inverse, *lower = s->lower, *upper = upper_of(s);
    const double *diagonal = inverse, *below = lower, *above = upper;
    ldl_outcome left = { 1, INFINITY, 0, 0, n }, right = left;
    int lost = 0, i = 0, k = n - 1;
    if (s->value_order)
        diagonal = values, below = values + n, above = s->symmetric ? below : values + 2 * n - 1;
    else
        read_bands(s, values, inverse, lower, upper);
    if (s->far_lower) return eliminate_long(s, diagonal, below, above);
    /* what the row before takes off the diagonal, and the larger of the two sums of sizes */
    double a = 0, a_size = 0, b = 0, b_size = 0;
    for (; i < middle && k > middle; i++, k--) {
        const double given = diagonal[i], d = given - a, one = 1 / d, z = below[i], w = above[i];
        lost |= judge(&left, d, given, a_size);
        inverse[i] = one;
        const double l = z * one, u = w * one;
        lower[i] = l, upper[i] = u;
        a = l * w, a_size = larger(fabs(l * z), fabs(u * w));
        const double given_k = diagonal[k], d_k = given_k - b, one_k = 1 / d_k, z_k = above[k - 1], w_k = below[k - 1];
        lost |= judge(&right, d_k, given_k, b_size);
        inverse[k] = one_k;
        const double l_k = z_k * one_k, u_k = w_k * one_k;
        lower[k - 1] = l_k, upper[k - 1] = u_k;
        b = l_k * w_k, b_size = larger(fabs(l_k * z_k), fabs(u_k * w_k));
    }
    for (; i < middle; i++) {
        const double given = diagonal[i], d = given - a, one = 1 / d, z = below[i], w = above[i];
        lost |= judge(&left, d, given, a_size);
        inverse[i] = one;
        const double l = z * one, u = w * one;
        lower[i] = l, upper[i] = u;
        a = l * w, a_size = larger(fabs(l * z), fabs(u * w));
    }
    const double given = diagonal[middle], d = given - a - b;
    lost |= judge(&left, d, given, a_size + b_size);
    inverse[middle] = 1 / d;
    join(&left, &right);
    if (lost) left.stopped = 0;
    return left;
}

/* With the two triangles exchanged, the transposed system. */
void taut_ldl_chain_substitute(const ldl *s, const double *restrict lower, const double *restrict upper,
                               double *restrict x)
{
    const int n = s->n, middle = n / 2;
    const double *restrict inverse = s->inverse;
    if (s->far_lower) {
        substitute_long(s, lower, upper, x);
        return;
    }
    double a = x[0], b = x[n - 1];
    int i = 0, k = n - 1;
    for (; i < middle - 1 && k > middle + 1; i++, k--) {
        const double next = x[i + 1] - lower[i] * a, next_k = x[k - 1] - lower[k - 1] * b;
        x[i] = a * inverse[i], x[k] = b * inverse[k];
        x[i + 1] = a = next, x[k - 1] = b = next_k;
    }
    for (; i < middle - 1; i++) {
        const double next = x[i + 1] - lower[i] * a;
        x[i] = a * inverse[i];
        x[i + 1] = a = next;
    }
    for (; k > middle + 1; k--) {
        const double next = x[k - 1] - lower[k - 1] * b;
        x[k] = b * inverse[k];
        x[k - 1] = b = next;
    }
    const double m = (x[middle] - lower[middle - 1] * a - lower[middle] * b) * inverse[middle];
    x[middle - 1] = a * inverse[middle - 1], x[middle + 1] = b * inverse[middle + 1];
    x[middle] = a = b = m;
    for (i = middle - 1, k = middle + 1; i >= 0 && k < n; i--, k++) {
        x[i] = a = x[i] - upper[i] * a;
        x[k] = b = x[k] - upper[k - 1] * b;
    }
    for (; i >= 0; i--) x[i] = a = x[i] - upper[i] * a;
    for (; k < n; k++) x[k] = b = x[k] - upper[k - 1] * b;
}
