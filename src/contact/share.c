#include "contact/share.h"

#include <string.h>

#include "base/room.h"
#include "linalg/linear.h"

#define FREE_WEIGHT 1e-3  /* constraints that always hold have what multipliers they need, at next to no cost */
#define STIFFNESS 1e-12   /* added to a diagonal of ones: where nothing holds */
#define FORCE_MOST 1e6    /* times the least forces without cones: no more is sought */
#define TURNS 100
#define SEARCHES 30
#define ROWS 3

/* A cone, or a constraint without one: the coordinates that its force acts on. */
typedef struct {
    int first, rows, cone;      /* -1: none */
    int size;                   /* how many coordinates */
    int column, entry;          /* its first ones in `coordinate`, and in `place` (size x size) */
} share_item;

struct shares {
    struct system *s;
    int count, items;           /* cones; and all that has multipliers */
    share_cone *cones;
    share_item *item;
    int *coordinate;            /* of the items */
    int *place;                 /* of the items: entries of the matrix */
    int *from;                  /* of the entries of BLOCK_PHI_LAMBDA: where in B */
    pattern *columns;
    int *diagonal;
    linear *solver;
    size_t b_count;
    void *room;                 /* of the arrays below */
    real *block, *B;            /* B: rows x size, item by item */
    real *root;                 /* c: of D */
    real *unit;                 /* n: of the coordinates, such that the matrix has a diagonal of ones */
    real *f, *F, *y, *step, *trial, *lambda, *z, *size;
    double *values, *right;
};

void X(shares_destroy)(shares *self)
{
    if (!self) return;
    taut_context *context = self->s->context;
    void *owned[] = { self->cones, self->item, self->coordinate, self->place, self->from, self->diagonal };
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++) taut_mem_free(context, owned[i]);
    taut_pattern_destroy(context, self->columns);
    taut_linear_destroy(self->solver);
    room_free(context, &self->room);
    taut_mem_free(context, self);
}

share_cone *X(shares_cones)(shares *self) { return self->cones; }

/* ---- patterns ---- */

/* Of every entry of BLOCK_PHI_LAMBDA. */
static void list_entries(const block_shape *b, int *multiplier, int *coordinate)
{
    for (int i = 0; i < b->part_count; i++) {
        const pattern *p = b->parts[i].shape;
        for (int r = 0; r < p->rows; r++)
            for (int e = p->start[r]; e < p->start[r + 1]; e++) {
                *multiplier++ = b->parts[i].transposed ? r : p->index[e];
                *coordinate++ = b->parts[i].transposed ? p->index[e] : r;
            }
    }
}

static void set_items(shares *self, uint32_t free, int *of)
{
    for (int i = 0; i < self->items; i++) {
        share_item *t = &self->item[i];
        int cone = i - (int)free;
        *t = (share_item){ .first = cone < 0 ? i : self->cones[cone].first,
                           .rows = cone < 0 ? 1 : self->cones[cone].rows,
                           .cone = cone < 0 ? -1 : cone };
        for (int r = 0; r < t->rows; r++) of[t->first + r] = i;
    }
}

/* Which coordinates each item acts on; where the entries of the block go. */
static int find_coordinates(shares *self, const int *multiplier, const int *coordinate, const int *of, int *item,
                            pattern **acts)
{
    size_t entries = (size_t)self->s->blocks[BLOCK_PHI_LAMBDA].value_count;
    taut_context *context = self->s->context;
    for (size_t e = 0; e < entries; e++) item[e] = of[multiplier[e]];
    int status = taut_pattern_create(context, self->items, (int)self->s->n, item, coordinate, entries, acts);
    if (status) return status;
    const pattern *p = *acts;
    self->coordinate = taut_mem_new(context, (size_t)pattern_entries(p), sizeof(int));
    if (!self->coordinate) return TAUT_OUT_OF_MEMORY;
    memcpy(self->coordinate, p->index, (size_t)pattern_entries(p) * sizeof(int));
    int at = 0;
    for (int i = 0; i < self->items; i++) {
        share_item *t = &self->item[i];
        t->size = p->start[i + 1] - p->start[i];
        t->column = p->start[i];
        t->entry = at; /* of B, for now */
        at += t->rows * t->size;
    }
    self->b_count = (size_t)at;
    for (size_t e = 0; e < entries; e++) {
        const share_item *t = &self->item[item[e]];
        int column = taut_pattern_find(p, item[e], coordinate[e]) - t->column;
        self->from[e] = t->entry + (multiplier[e] - t->first) * t->size + column;
    }
    return TAUT_OK;
}

/* The matrix: all pairs of coordinates of an item, and the diagonal. */
static int make_matrix(shares *self)
{
    taut_context *context = self->s->context;
    int n = (int)self->s->n;
    size_t pairs = 0, at = 0;
    for (int i = 0; i < self->items; i++) pairs += (size_t)self->item[i].size * (size_t)self->item[i].size;
    int *row = taut_mem_new(context, 2 * (pairs + (size_t)n), sizeof *row), *column = row + pairs + n;
    self->place = taut_mem_new(context, pairs, sizeof *self->place);
    self->diagonal = taut_mem_new(context, (size_t)n, sizeof *self->diagonal);
    int status = row && self->place && self->diagonal ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (int i = 0; !status && i < self->items; i++) {
        share_item *t = &self->item[i];
        const int *c = self->coordinate + t->column;
        t->entry = (int)at;
        for (int k = 0; k < t->size; k++)
            for (int l = 0; l < t->size; l++, at++) row[at] = c[k], column[at] = c[l];
    }
    for (int k = 0; !status && k < n; k++) row[pairs + (size_t)k] = column[pairs + (size_t)k] = k;
    if (!status) status = taut_pattern_create(context, n, n, row, column, pairs + (size_t)n, &self->columns);
    for (size_t e = 0; !status && e < pairs; e++) self->place[e] = taut_pattern_find(self->columns, row[e], column[e]);
    for (int k = 0; !status && k < n; k++) self->diagonal[k] = taut_pattern_find(self->columns, k, k);
    taut_mem_free(context, row);
    if (status) return status;
    return taut_linear_create(context, n <= 12 ? LINEAR_SMALL : LINEAR_LDL, n, self->columns->start,
                              self->columns->index, 1, &self->solver);
}

static int make_items(shares *self, uint32_t free)
{
    struct system *s = self->s;
    taut_context *context = s->context;
    size_t entries = (size_t)s->blocks[BLOCK_PHI_LAMBDA].value_count;
    pattern *acts = NULL;
    int *list = taut_mem_new(context, 3 * entries + s->c, sizeof *list);
    int *coordinate = list + entries, *item = coordinate + entries, *of = item + entries;
    self->item = taut_mem_new(context, (size_t)self->items, sizeof *self->item);
    self->from = taut_mem_new(context, entries, sizeof *self->from);
    int status = list && self->item && self->from ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        set_items(self, free, of);
        list_entries(&s->blocks[BLOCK_PHI_LAMBDA], list, coordinate);
        status = find_coordinates(self, list, coordinate, of, item, &acts);
    }
    taut_pattern_destroy(context, acts);
    taut_mem_free(context, list);
    return status;
}

static void lay_out(void *object, room_layout *l)
{
    shares *self = object;
    size_t n = self->s->n, c = self->s->c;
    self->block = room_reals(l, (size_t)self->s->blocks[BLOCK_PHI_LAMBDA].value_count);
    self->B = room_reals(l, self->b_count);
    self->root = room_reals(l, c), self->lambda = room_reals(l, c), self->z = room_reals(l, c);
    self->unit = room_reals(l, n), self->f = room_reals(l, n), self->F = room_reals(l, n);
    self->y = room_reals(l, n), self->step = room_reals(l, n), self->trial = room_reals(l, n);
    self->size = room_reals(l, n);
    self->values = room_take(l, (size_t)pattern_entries(self->columns), sizeof *self->values);
    self->right = room_take(l, n, sizeof *self->right);
}

int X(shares_create)(struct system *s, uint32_t free, int count, const share_cone *cones, shares **result)
{
    *result = NULL;
    int status = X(system_prepare_block)(s, BLOCK_PHI_LAMBDA);
    if (status) return status;
    shares *self = taut_mem_new(s->context, 1, sizeof *self);
    if (!self) return TAUT_OUT_OF_MEMORY;
    self->s = s;
    self->count = count;
    self->items = count + (int)free;
    self->cones = taut_mem_new(s->context, (size_t)count, sizeof *cones);
    if (self->cones) memcpy(self->cones, cones, (size_t)count * sizeof *cones);
    else status = TAUT_OUT_OF_MEMORY;
    if (!status) status = make_items(self, free);
    if (!status) status = make_matrix(self);
    if (!status) status = room_create(s->context, lay_out, self, &self->room);
    if (status) X(shares_destroy)(self);
    else *result = self;
    return status;
}

/* ---- cones ---- */

/* What a cone leaves of p (normal, tangential), |p_T| <= slope p_N, in place; V (3 x 3): its derivative. */
static void project(int rows, real slope, real *p, real (*V)[ROWS])
{
    real side = REAL(sqrt)((rows > 1 ? p[1] * p[1] : 0) + (rows > 2 ? p[2] * p[2] : 0));
    memset(V, 0, ROWS * sizeof *V);
    if (side <= slope * p[0] && p[0] >= 0) { /* inside */
        for (int r = 0; r < rows; r++) V[r][r] = 1;
    } else if (slope * side <= -p[0] || !(side > 0)) { /* nothing is left */
        memset(p, 0, (size_t)rows * sizeof *p);
    } else { /* onto the edge */
        real part = 1 + slope * slope, normal = (p[0] + slope * side) / part, turn = slope * normal / side;
        real e[ROWS] = { 1, slope * p[1] / side, rows > 2 ? slope * p[2] / side : 0 };
        for (int r = 0; r < rows; r++)
            for (int k = 0; k < rows; k++) V[r][k] = e[r] * e[k] / part;
        for (int r = 1; slope > 0 && r < rows; r++)
            for (int k = 1; k < rows; k++)
                V[r][k] += turn * ((r == k ? 1 : 0) - e[r] * e[k] / (slope * slope));
        for (int r = 0; r < rows; r++) p[r] = normal * e[r];
    }
}

/* sqrt(D) lambda and its derivative by sqrt(D^-1) z; z = B'y. */
static void forces_of(const shares *self, const share_item *t, const real *z, real *p, real (*V)[ROWS])
{
    const real *root = self->root + t->first;
    for (int r = 0; r < t->rows; r++) p[r] = z[r] / root[r];
    if (t->cone < 0) {
        V[0][0] = 1;
        return;
    }
    project(t->rows, t->rows > 1 ? self->cones[t->cone].mu * root[1] / root[0] : 0, p, V);
}

static const real *rows_of(const shares *self, int item, size_t *at)
{
    const real *B = self->B + *at;
    *at += (size_t)self->item[item].rows * (size_t)self->item[item].size;
    return B;
}

/* self->lambda, self->F = B lambda - f and self->size, the size of its terms, at y. */
static void evaluate(shares *self, const real *y)
{
    uint32_t n = self->s->n;
    size_t at = 0;
    for (uint32_t k = 0; k < n; k++) self->F[k] = -self->f[k], self->size[k] = REAL(fabs)(self->f[k]);
    for (int i = 0; i < self->items; i++) {
        const share_item *t = &self->item[i];
        const int *c = self->coordinate + t->column;
        const real *B = rows_of(self, i, &at);
        real p[ROWS], V[ROWS][ROWS], *z = self->z + t->first;
        for (int r = 0; r < t->rows; r++) {
            z[r] = 0;
            for (int k = 0; k < t->size; k++) z[r] += B[r * t->size + k] * y[c[k]];
        }
        forces_of(self, t, z, p, V);
        for (int r = 0; r < t->rows; r++) {
            real lambda = self->lambda[t->first + r] = p[r] / self->root[t->first + r];
            for (int k = 0; k < t->size; k++) {
                real part = B[r * t->size + k] * lambda;
                self->F[c[k]] += part;
                self->size[c[k]] += REAL(fabs)(part);
            }
        }
    }
}

/* The matrix at self->z: the derivative of F, and a little stiffness. */
static void fill(shares *self)
{
    uint32_t n = self->s->n;
    size_t at = 0;
    memset(self->values, 0, (size_t)pattern_entries(self->columns) * sizeof *self->values);
    for (int i = 0; i < self->items; i++) {
        const share_item *t = &self->item[i];
        const int *place = self->place + t->entry;
        const real *B = rows_of(self, i, &at);
        real p[ROWS], V[ROWS][ROWS];
        forces_of(self, t, self->z + t->first, p, V);
        for (int r = 0; r < t->rows; r++)
            for (int s = 0; s < t->rows; s++) {
                double v = (double)(V[r][s] / (self->root[t->first + r] * self->root[t->first + s]));
                if (v == 0) continue;
                for (int k = 0; k < t->size; k++)
                    for (int l = 0; l < t->size; l++)
                        self->values[place[k * t->size + l]] +=
                            v * (double)B[r * t->size + k] * (double)B[s * t->size + l];
            }
    }
    for (uint32_t k = 0; k < n; k++) self->values[self->diagonal[k]] += STIFFNESS;
}

/* ---- the dual ---- */

/* The square roots of D; of constraints without a cone next to nothing, beside what the cones do with the same
   coordinates. self->unit: of the coordinates, such that the matrix has a diagonal of ones. */
static void weigh(shares *self, const double *weights)
{
    uint32_t n = self->s->n;
    memset(self->unit, 0, n * sizeof *self->unit);
    memset(self->size, 0, n * sizeof *self->size);
    for (int free = 0; free < 2; free++) {
        real *diagonal = free ? self->size : self->unit;
        size_t at = 0;
        for (int i = 0; i < self->items; i++) {
            const share_item *t = &self->item[i];
            const int *c = self->coordinate + t->column;
            const real *B = rows_of(self, i, &at);
            for (int r = 0; (t->cone < 0) == free && r < t->rows; r++, B += t->size) {
                real d = free ? 0 : (real)weights[t->first + r];
                for (int k = 0; free && k < t->size; k++)
                    if (self->unit[c[k]] > 0) d = real_most(d, B[k] * B[k] / self->unit[c[k]] * (real)FREE_WEIGHT);
                if (!(d > 0)) d = 1;
                self->root[t->first + r] = REAL(sqrt)(d);
                for (int k = 0; k < t->size; k++) diagonal[c[k]] += B[k] * B[k] / d;
            }
        }
    }
    for (uint32_t k = 0; k < n; k++) {
        real sum = self->unit[k] + self->size[k];
        self->unit[k] = sum > 0 ? 1 / REAL(sqrt)(sum) : 1;
    }
}

/* B at the place, in these units, and f. */
static void set_up(shares *self, const place *at, const double *weights, const real *lambda)
{
    const struct system *s = self->s;
    real *B = self->B;
    memset(self->B, 0, self->b_count * sizeof *self->B);
    memset(self->f, 0, s->n * sizeof *self->f);
    X(system_block_values)(s, BLOCK_PHI_LAMBDA, at, self->block);
    for (int e = 0; e < s->blocks[BLOCK_PHI_LAMBDA].value_count; e++) self->B[self->from[e]] += self->block[e];
    weigh(self, weights);
    for (int i = 0; i < self->items; i++) {
        const share_item *t = &self->item[i];
        const int *c = self->coordinate + t->column;
        for (int r = 0; r < t->rows; r++)
            for (int k = 0; k < t->size; k++, B++) {
                *B *= self->unit[c[k]];
                self->f[c[k]] += *B * lambda[t->first + r];
            }
    }
}

static real product(const real *a, const real *b, uint32_t n)
{
    real sum = 0;
    for (uint32_t k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

/* |lambda|_D^2 of what has a cone. */
static real square(const shares *self)
{
    real sum = 0;
    for (int i = 0; i < self->items; i++)
        for (int r = 0; self->item[i].cone >= 0 && r < self->item[i].rows; r++) {
            real p = self->lambda[self->item[i].first + r] * self->root[self->item[i].first + r];
            sum += p * p;
        }
    return sum;
}

static int solve(shares *self, const real *right, real *out)
{
    for (uint32_t k = 0; k < self->s->n; k++) self->right[k] = (double)right[k];
    int status = taut_linear_factor(self->solver, self->values);
    if (!status) status = taut_linear_solve(self->solver, self->right);
    for (uint32_t k = 0; !status && k < self->s->n; k++) out[k] = (real)self->right[k];
    return status;
}

/* y := y + part step, part at most 1: where the function is least along the step, roughly; F there. */
static void search(shares *self)
{
    uint32_t n = self->s->n;
    real low = 0, high = 1, part = 1, begin = product(self->F, self->step, n), slope_low = begin, slope_high = 0;
    memcpy(self->trial, self->y, n * sizeof *self->y);
    for (int turn = 0; turn < SEARCHES; turn++) {
        for (uint32_t k = 0; k < n; k++) self->y[k] = self->trial[k] + part * self->step[k];
        evaluate(self, self->y);
        real slope = product(self->F, self->step, n);
        if (REAL(fabs)(slope) <= -begin / 10 || (slope < 0 && part == 1)) return;
        if (slope > 0) high = part, slope_high = slope;
        else low = part, slope_low = slope;
        real next = low - slope_low * (high - low) / (slope_high - slope_low), edge = (high - low) / 10;
        part = turn % 3 == 2 ? (low + high) / 2 : REAL(fmin)(REAL(fmax)(next, low + edge), high - edge);
    }
}

/* Largest part of F, relative to the largest of its terms. */
static real error_of(const shares *self)
{
    real most = real_largest(self->size, self->s->n);
    return most > 0 ? real_largest(self->F, self->s->n) / most : 0;
}

static int descend(shares *self, real tolerance, int *found)
{
    uint32_t n = self->s->n;
    real before = 1, least = product(self->f, self->y, n); /* |lambda|_D^2 without cones */
    for (int turn = 0; turn < TURNS; turn++) {
        real error = error_of(self), norm = square(self);
        *found = error <= tolerance;
        if (error <= 4 * REAL_EPSILON || (*found && error > before / 2)) return TAUT_OK;
        if (!(error - error == 0)) return TAUT_OK;
        /* all forces that make f are larger than twice what the function has fallen by */
        if (2 * product(self->f, self->y, n) - norm > (real)(FORCE_MOST * FORCE_MOST) * least) return TAUT_OK;
        before = error;
        fill(self);
        for (uint32_t k = 0; k < n; k++) self->step[k] = -self->F[k];
        int status = solve(self, self->step, self->step);
        if (status) return status == TAUT_SINGULAR ? TAUT_OK : status;
        search(self);
    }
    return TAUT_OK;
}

int X(shares_solve)(shares *self, const place *at, const double *weights, real tolerance, real *lambda, int *found)
{
    *found = 0;
    set_up(self, at, weights, lambda);
    /* as if all forces were inside: those of least size without cones */
    memset(self->z, 0, self->s->c * sizeof *self->z);
    taut_linear_forget(self->solver);
    fill(self);
    int status = solve(self, self->f, self->y);
    if (status) return status == TAUT_SINGULAR ? TAUT_OK : status;
    evaluate(self, self->y);
    status = descend(self, tolerance, found);
    if (!status && *found) memcpy(lambda, self->lambda, self->s->c * sizeof *lambda);
    return status;
}
