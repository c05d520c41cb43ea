#include "solve/rank.h"

#include <math.h>
#include <stdio.h>

#include "base/room.h"
#include "solve/rank_large.h"

#define MOST_WORK 1e9 /* operations: a second or so */
/* A gradient is dependent when this much of its length, or less, is independent of those before it. The matrix of the
   multipliers holds squares of lengths and counts as singular below 1e-13 (LINEAR_SINGULAR), the square of this. It
   is well above the square root of the round-off of double, 1.5e-8, to which the point is known where two surfaces
   touch: the answer does not depend on last bits. */
#define DEPENDENT 3e-7
#define SAME 1e-6     /* numbers that agree to this follow from each other */
#define ROUNDED 1e-9  /* constraints are met up to this (start_parts.h), and so far their gradients are known */
#define INVOLVED 1e-6 /* a gradient that takes part with less than this of the largest does not; above DEPENDENT */

struct rank {
    const struct system *s;
    uint32_t rows, columns, number;
    large_rank *large;    /* instead of the arrays below */
    void *room;           /* of the arrays below */
    double *q;            /* orthonormal rows */
    double *r;            /* coefficients of each row in those before it */
    double *c;            /* coefficients of one row in the rows of G */
    double *length;       /* of the rows of G */
    unsigned char *dependent;
};

void X(rank_destroy)(rank *z)
{
    if (!z) return;
    taut_context *context = z->s->context;
    X(large_rank_destroy)(z->large);
    room_free(context, &z->room);
    taut_mem_free(context, z);
}

static double dot(const double *x, const double *y, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Gram-Schmidt: a row of which nothing is left depends on those before it. */
static void orthogonalise(rank *z)
{
    for (uint32_t k = 0; k < z->rows; k++) {
        double *row = z->q + (size_t)k * z->columns;
        z->length[k] = sqrt(dot(row, row, z->columns));
        for (int pass = 0; pass < 2; pass++) /* twice is enough */
            for (uint32_t j = 0; j < k; j++) {
                const double *base = z->q + (size_t)j * z->columns;
                double c = z->dependent[j] ? 0 : dot(base, row, z->columns);
                z->r[(size_t)k * z->rows + j] += c;
                for (uint32_t i = 0; i < z->columns; i++) row[i] -= c * base[i];
            }
        double left = sqrt(dot(row, row, z->columns));
        z->dependent[k] = !(left > DEPENDENT * z->length[k]);
        z->r[(size_t)k * z->rows + k] = left;
        for (uint32_t i = 0; i < z->columns; i++) row[i] = z->dependent[k] ? 0 : row[i] / left;
        z->number += !z->dependent[k];
    }
}

static void lay_out(void *self, room_layout *l)
{
    rank *z = self;
    z->q = room_take(l, (size_t)z->rows * z->columns, sizeof *z->q);
    z->r = room_take(l, (size_t)z->rows * z->rows, sizeof *z->r);
    z->c = room_take(l, z->rows, sizeof *z->c);
    z->length = room_take(l, z->rows, sizeof *z->length);
    z->dependent = room_take(l, z->rows, 1);
}

int X(rank_create)(const struct system *s, const real *values, rank **result)
{
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    rank *z = taut_mem_new(s->context, 1, sizeof *z);
    *result = NULL;
    if (!z) return TAUT_OUT_OF_MEMORY;
    *z = (rank){ .s = s, .rows = s->c, .columns = s->n };
    int large = (double)s->c * s->c * s->n > MOST_WORK;
    int status = large ? X(large_rank_create)(s, values, &z->large) : room_create(s->context, lay_out, z, &z->room);
    if (status) {
        X(rank_destroy)(z);
        return status;
    }
    if (large) {
        z->number = X(large_rank_number)(z->large);
        *result = z;
        return TAUT_OK;
    }
    for (int k = 0; k < p->rows; k++)
        for (int e = p->start[k]; e < p->start[k + 1]; e++)
            z->q[(size_t)k * s->n + (size_t)p->index[e]] = (double)values[e];
    orthogonalise(z);
    *result = z;
    return TAUT_OK;
}

uint32_t X(rank_number)(const rank *z) { return z->number; }

int X(rank_is_dependent)(const rank *z, uint32_t k)
{
    return z->large ? X(large_rank_is_dependent)(z->large, k) : z->dependent[k];
}

const int *X(rank_order)(const rank *z) { return z->large ? X(large_rank_order)(z->large) : NULL; }

/* The gradient of dependent constraint k is the sum of c_j times that of constraint j < k: solves R' c = r_k
   backwards. */
static const double *coefficients(rank *z, uint32_t k)
{
    double *c = z->c;
    for (uint32_t j = 0; j < z->rows; j++) c[j] = j < k ? z->r[(size_t)k * z->rows + j] : 0;
    for (uint32_t j = k; j-- > 0;) {
        if (z->dependent[j]) {
            c[j] = 0;
            continue;
        }
        c[j] /= z->r[(size_t)j * z->rows + j];
        for (uint32_t i = 0; i < j; i++) c[i] -= c[j] * z->r[(size_t)j * z->rows + i];
    }
    return c;
}

/* How much moves, at most, for the independent ones of x to be G times it. A coefficient of `coefficients` that should
   be zero is a rounding error, and so is its product with a number of x, however large that is: it counts against this,
   not against itself. */
static double largest_motion(const rank *z, const real *x)
{
    double most = 0;
    for (uint32_t j = 0; j < z->rows; j++)
        if (!z->dependent[j]) most = fmax(most, fabs((double)x[j]) / z->r[(size_t)j * z->rows + j]);
    return most;
}

int X(rank_reaches)(rank *z, const real *x, uint32_t *k)
{
    *k = 0;
    if (z->large) return X(large_rank_outside)(z->large, x) <= SAME;
    const double most = largest_motion(z, x);
    for (; *k < z->rows; ++*k) {
        if (!z->dependent[*k]) continue;
        const double *c = coefficients(z, *k);
        double sum = (double)x[*k], size = fabs(sum);
        for (uint32_t j = 0; j < *k; j++) sum -= c[j] * (double)x[j], size += fabs(c[j] * (double)x[j]);
        if (fabs(sum) > SAME * size + ROUNDED * most * z->length[*k]) return 0;
    }
    return 1;
}

void X(rank_remove)(const rank *z, real *x)
{
    if (z->large) {
        X(large_rank_remove)(z->large, x);
        return;
    }
    for (uint32_t k = 0; k < z->rows; k++) {
        const double *row = z->q + (size_t)k * z->columns;
        real along = 0;
        for (uint32_t i = 0; i < z->columns; i++) along += row[i] * x[i];
        for (uint32_t i = 0; i < z->columns; i++) x[i] -= along * row[i];
    }
}

void X(rank_names)(rank *z, uint32_t k, char *text, size_t size)
{
    if (z->large) {
        snprintf(text, size, "%s", X(large_rank_is_zero)(z->large, k) ? "" : "others");
        return;
    }
    const double *c = coefficients(z, k);
    double most = 0;
    size_t at = 0;
    text[0] = 0;
    for (uint32_t j = 0; j < k; j++) most = fmax(most, fabs(c[j]) * z->length[j]);
    for (uint32_t j = 0; j < k && at + 40 < size; j++)
        if (fabs(c[j]) * z->length[j] > INVOLVED * most)
            at += (size_t)snprintf(text + at, size - at, "%s'%.30s'", at ? ", " : "",
                                   X(system_constraint_origin)(z->s, j).name);
}
