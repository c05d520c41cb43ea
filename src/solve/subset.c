#include "solve/subset.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/room.h"
#include "solve/redundancy.h"

#define MOST_WORK 1e8  /* operations of a look */
#define INDEPENDENT 1e-6 /* what is left of a gradient that does not depend on others, at least; at the start, where the
                            rank was found with 3e-7 (rank.c) */

struct subset {
    struct system *s;
    uint32_t number;     /* 0: not counted yet */
    void *room;          /* of the arrays below */
    real *g, *work;      /* values of BLOCK_G; redundancy_room */
    real *forces;        /* c */
    double *rows;        /* c x n: what is left of the gradients beside those that were chosen */
    double *diagonal;    /* c: squares of the lengths of the gradients */
    double *leaving;     /* c: softening that leaves out those that are not kept */
    unsigned char *kept;
};

void X(subset_destroy)(subset *z)
{
    if (!z) return;
    room_free(z->s->context, &z->room);
    taut_mem_free(z->s->context, z);
}

static void lay_out(void *self, room_layout *l)
{
    subset *z = self;
    const struct system *s = z->s;
    z->g = room_reals(l, (size_t)s->blocks[BLOCK_G].value_count);
    z->work = room_reals(l, X(redundancy_room)(s));
    z->forces = room_reals(l, s->c);
    z->rows = room_take(l, (size_t)s->c * s->n, sizeof *z->rows);
    z->diagonal = room_take(l, s->c, sizeof *z->diagonal);
    z->leaving = room_take(l, s->c, sizeof *z->leaving);
    z->kept = room_take(l, s->c, 1);
}

int X(subset_create)(struct system *s, subset **result)
{
    *result = NULL;
    if (!s->c || (double)s->c * s->c * s->n > MOST_WORK) return TAUT_OK;
    subset *z = taut_mem_new(s->context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->s = s;
    int status = X(system_prepare_block)(s, BLOCK_G);
    if (!status) status = X(system_prepare_block)(s, X(redundancy_block)(s));
    if (!status) status = room_create(s->context, lay_out, z, &z->room);
    if (status)
        X(subset_destroy)(z);
    else
        *result = z;
    return status;
}

static double dot(const double *x, const double *y, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* Gradients of length one; of length zero where there is none. */
static void spread(subset *z)
{
    const struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    const real *weights = z->work;
    memset(z->rows, 0, (size_t)s->c * s->n * sizeof *z->rows);
    for (int k = 0; k < p->rows; k++) {
        double *row = z->rows + (size_t)k * s->n, length = sqrt(z->diagonal[k]);
        for (int e = p->start[k]; length > 0 && e < p->start[k + 1]; e++)
            row[p->index[e]] = (double)z->g[e] * sqrt((double)weights[p->index[e]]) / length;
    }
}

/* The longest of what is left; *square: of its length. */
static uint32_t longest(const subset *z, double *square)
{
    uint32_t best = 0;
    *square = -1;
    for (uint32_t k = 0; k < z->s->c; k++) {
        const double *row = z->rows + (size_t)k * z->s->n;
        double here = z->kept[k] ? -1 : dot(row, row, z->s->n);
        if (here > *square) *square = here, best = k;
    }
    return best;
}

double X(subset_look)(subset *z, const place *at)
{
    const struct system *s = z->s;
    const uint32_t n = s->n, most = z->number ? z->number : s->c;
    double least = 1;
    uint32_t found = 0;
    X(system_block_values)(s, BLOCK_G, at, z->g);
    X(redundancy_diagonal)(s, at, z->g, 1, z->work, z->diagonal);
    spread(z);
    memset(z->kept, 0, s->c);
    for (; found < most; found++) {
        double square;
        uint32_t k = longest(z, &square);
        double *row = z->rows + (size_t)k * n, length = sqrt(square);
        if (!z->number && s->softening && !(length > INDEPENDENT)) break;
        least = length;
        z->kept[k] = 1;
        if (!(length > 0)) continue;
        for (uint32_t i = 0; i < n; i++) row[i] /= length;
        for (uint32_t j = 0; j < s->c; j++) {
            double *other = z->rows + (size_t)j * n, part = z->kept[j] ? 0 : dot(row, other, n);
            for (uint32_t i = 0; part != 0 && i < n; i++) other[i] -= part * row[i];
        }
    }
    z->number = found;
    for (uint32_t k = 0; k < s->c; k++) z->leaving[k] = z->kept[k] ? 0 : SOFTENING_LEAVES_OUT * z->diagonal[k];
    return least;
}

uint32_t X(subset_number)(const subset *z) { return z->number; }
const unsigned char *X(subset_kept)(const subset *z) { return z->kept; }
const double *X(subset_leaving)(const subset *z) { return z->leaving; }

void X(subset_names)(subset *z, const real *lambda, char *text, size_t size)
{
    for (uint32_t k = 0; k < z->s->c; k++) z->forces[k] = (real)sqrt(z->diagonal[k]) * REAL(fabs)(lambda[k]);
    X(redundancy_names)(z->s, z->forces, text, size);
}
