#include "solve/integrable.h"

#include <string.h>

#include "base/room.h"
#include "solve/start.h"

enum { POINTS = 4 };            /* the start, and places near it */
enum { SIZE_MOST = 120 };       /* coordinates and time: matrices are full here */
#define REMAINDER 1e-8          /* of dw on allowed directions, relative to the derivatives of w: round-off is 1e-15 */
#define DEPENDENT 1e-10         /* what is left of a row by the others, relative to it */

typedef struct {
    struct system *s;
    size_t n, size;             /* coordinates; and time */
    void *room;
    real *g, *rate;             /* values of BLOCK_G, and b */
    real *rows;                 /* c x size: orthonormal forms of the set */
    real *allowed;              /* size x size: the projection on what they allow */
    real *slopes, *product;     /* size x size: d_i w_j; and work */
    real *weights;              /* c */
    real *by_q, *by_t;          /* values of the derivatives of a by q and t */
} frobenius;

static void lay_out(void *self, room_layout *l)
{
    frobenius *z = self;
    const struct system *s = z->s;
    const size_t square = z->size * z->size;
    z->g = room_reals(l, (size_t)s->blocks[BLOCK_G].value_count);
    z->rate = room_reals(l, s->c);
    z->rows = room_reals(l, s->c * z->size);
    z->allowed = room_reals(l, square), z->slopes = room_reals(l, square), z->product = room_reals(l, square);
    z->weights = room_reals(l, s->c);
    z->by_q = room_reals(l, (size_t)pattern_entries(X(field_hessian_pattern)(s->slip, KIND_W, KIND_Q)));
    z->by_t = room_reals(l, (size_t)pattern_entries(X(field_hessian_pattern)(s->slip, KIND_W, KIND_T)));
}

static real dot(const real *a, const real *b, size_t count)
{
    real sum = 0;
    for (size_t i = 0; i < count; i++) sum += a[i] * b[i];
    return sum;
}

/* The forms of constraints on positions and of the set, orthonormal, and what they leave. */
static void find_allowed(frobenius *z, const unsigned char *set)
{
    const struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    const size_t size = z->size;
    size_t count = 0;
    for (uint32_t k = 0; k < s->c; k++) {
        real *row = z->rows + count * size;
        if (X(system_is_velocity_constraint)(s, k) && !set[k]) continue;
        memset(row, 0, size * sizeof *row);
        for (int e = p->start[k]; e < p->start[k + 1]; e++) row[p->index[e]] += z->g[e];
        row[z->n] = z->rate[k];
        const real whole = REAL(sqrt)(dot(row, row, size));
        for (int pass = 0; pass < 2; pass++)
            for (size_t i = 0; i < count; i++) {
                const real *other = z->rows + i * size, part = dot(row, other, size);
                for (size_t j = 0; j < size; j++) row[j] -= part * other[j];
            }
        const real left = REAL(sqrt)(dot(row, row, size));
        if (!(left > (real)DEPENDENT * whole)) continue;
        for (size_t j = 0; j < size; j++) row[j] /= left;
        count++;
    }
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++) {
            real sum = i == j;
            for (size_t k = 0; k < count; k++) sum -= z->rows[k * size + i] * z->rows[k * size + j];
            z->allowed[i * size + j] = sum;
        }
}

static void multiply(size_t size, const real *a, const real *b, real *out)
{
    memset(out, 0, size * size * sizeof *out);
    for (size_t i = 0; i < size; i++)
        for (size_t k = 0; k < size; k++)
            for (size_t j = 0; a[i * size + k] != 0 && j < size; j++)
                out[i * size + j] += a[i * size + k] * b[k * size + j];
}

/* slopes[i][j] := d_i w_j of velocity constraint k */
static void find_slopes(frobenius *z, uint32_t k, const place *at)
{
    const struct system *s = z->s;
    const pattern *p = X(field_hessian_pattern)(s->slip, KIND_W, KIND_Q),
                  *t = X(field_hessian_pattern)(s->slip, KIND_W, KIND_T);
    const size_t size = z->size;
    place rest = *at;
    rest.x[KIND_W] = NULL;
    memset(z->weights, 0, s->c * sizeof(real));
    z->weights[k] = 1;
    memset(z->slopes, 0, size * size * sizeof(real));
    memset(z->by_q, 0, (size_t)pattern_entries(p) * sizeof(real));
    memset(z->by_t, 0, (size_t)pattern_entries(t) * sizeof(real));
    X(field_hessian)(s->slip, KIND_W, KIND_Q, &rest, z->weights, z->by_q);
    X(field_hessian)(s->slip, KIND_W, KIND_T, &rest, z->weights, z->by_t);
    memset(z->product, 0, z->n * sizeof(real));
    X(field_gradient)(s->slip, KIND_Q, &rest, z->weights, z->product);
    for (size_t j = 0; j < z->n; j++) {
        for (int e = p->start[j]; e < p->start[j + 1]; e++) z->slopes[(size_t)p->index[e] * size + j] += z->by_q[e];
        for (int e = t->start[j]; e < t->start[j + 1]; e++) z->slopes[z->n * size + j] += z->by_t[e];
        z->slopes[j * size + z->n] = z->product[j];
    }
}

/* Is dw_k zero on what is allowed? */
static int closes(frobenius *z, uint32_t k, const place *at)
{
    const size_t size = z->size;
    real most = 0, left = 0;
    find_slopes(z, k, at);
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j <= i; j++) {
            const real one = z->slopes[i * size + j], other = z->slopes[j * size + i];
            most = real_most(real_most(most, one), other);
            z->slopes[i * size + j] = one - other;
            z->slopes[j * size + i] = other - one;
        }
    multiply(size, z->slopes, z->allowed, z->product);
    multiply(size, z->allowed, z->product, z->slopes);
    for (size_t i = 0; i < size * size; i++) left = real_most(left, z->slopes[i]);
    return left <= (real)REMAINDER * most;
}

/* Those that fail at this place leave the set. */
static void shrink(frobenius *z, const state *x, unsigned char *set)
{
    const struct system *s = z->s;
    const place at = place_at(s, x->q, x->w, &x->t, NULL);
    int changed = 1;
    X(system_block_values)(s, BLOCK_G, &at, z->g);
    X(system_constraint_rate)(s, &at, z->rate);
    while (changed) {
        changed = 0;
        find_allowed(z, set);
        for (uint32_t k = 0; k < s->c; k++)
            if (set[k] && !closes(z, k, &at)) changed = 1, set[k] = 2;
        for (uint32_t k = 0; k < s->c; k++) set[k] = set[k] == 1;
    }
}

/* Within a tenth of the size of the coordinates, or of 1; the same numbers every time. */
static void perturb(const struct system *s, int point, state *x)
{
    const real scale = real_most(real_largest(x->q, x->n), 1) / 10;
    uint32_t random = 12345u + 977u * (uint32_t)point;
    (void)s;
    for (uint32_t i = 0; i < x->n; i++) {
        random = random * 1664525u + 1013904223u;
        x->q[i] += scale * ((real)(random >> 8) / (1 << 23) - 1);
    }
    x->t += (real)0.1 * (real)point;
}

static int prepare(frobenius *z)
{
    struct system *s = z->s;
    int status = X(system_prepare_block)(s, BLOCK_G);
    if (!status) status = X(field_prepare_hessian)(s->slip, KIND_W, KIND_Q);
    if (!status) status = X(field_prepare_hessian)(s->slip, KIND_W, KIND_T);
    if (!status) status = X(field_prepare_gradient)(s->slip, KIND_Q);
    return status ? status : room_create_own(s->context, lay_out, z, &z->room);
}

int X(integrable_find)(struct system *s, const state *x, unsigned char *integrable, int *known)
{
    frobenius z = { .s = s, .n = s->n, .size = (size_t)s->n + 1 };
    state near = { 0 };
    *known = s->slip && z.size <= SIZE_MOST;
    for (uint32_t k = 0; k < s->c; k++) integrable[k] = *known && X(system_is_velocity_constraint)(s, k);
    if (!*known) return TAUT_OK;
    int status = prepare(&z);
    if (!status) status = X(state_create)(s, &near);
    for (int i = 0; !status && i < POINTS; i++) {
        X(state_copy)(x, &near);
        if (i) perturb(s, i, &near);
        const int missed = i ? X(start_project)(s, &near) : TAUT_OK;
        if (missed == TAUT_OUT_OF_MEMORY) status = missed;
        if (!missed) shrink(&z, &near, integrable);
    }
    X(state_clear)(s, &near);
    room_free(s->context, &z.room);
    return status;
}
