#include "solve/saddle.h"

#include <string.h>

#include "base/room.h"

/* In double a solve with pivoting (or of a positive definite matrix) leaves residuals of a rounding already; not with
   a matrix that is softened. */
static int refines(const struct system *s) { return sizeof(real) > sizeof(double) || s->softening; }

#define REFINEMENTS 10 /* at the most; each gains some ten digits of a well-conditioned matrix */

struct saddle {
    struct system *s;
    kkt *kkt;
    size_t size;                 /* 2n + c */
    void *room;                  /* of the arrays below; they are there where solutions are refined */
    real *pi_w, *nu_w;           /* block values */
    real *x, *right, *residual;      /* size each: solution, right-hand sides, residuals */
};

void X(saddle_destroy)(saddle *k)
{
    if (!k) return;
    room_free(k->s->context, &k->room);
    X(kkt_destroy)(k->kkt);
    taut_mem_free(k->s->context, k);
}

static void lay_out(void *self, room_layout *l)
{
    saddle *k = self;
    k->pi_w = room_reals(l, (size_t)k->s->blocks[BLOCK_PI_W].value_count);
    k->nu_w = room_reals(l, (size_t)k->s->blocks[BLOCK_NU_W].value_count);
    k->x = room_reals(l, k->size);
    k->right = room_reals(l, k->size);
    k->residual = room_reals(l, k->size);
}

int X(saddle_create)(struct system *s, saddle **result)
{
    *result = NULL;
    saddle *k = taut_mem_new(s->context, 1, sizeof *k);
    if (!k) return TAUT_OUT_OF_MEMORY;
    k->s = s;
    k->size = 2 * (size_t)s->n + s->c;
    int status = X(kkt_create)(s, &k->kkt);
    if (!status && refines(s)) {
        status = X(system_prepare_block)(s, BLOCK_PI_W);
        if (!status) status = X(system_prepare_block)(s, BLOCK_NU_W);
        if (!status) status = room_create(s->context, lay_out, k, &k->room);
    }
    if (status)
        X(saddle_destroy)(k);
    else
        *result = k;
    return status;
}

int X(saddle_factor)(saddle *k, const place *at)
{
    if (refines(k->s)) {
        X(system_block_values)(k->s, BLOCK_PI_W, at, k->pi_w);
        X(system_block_values)(k->s, BLOCK_NU_W, at, k->nu_w);
    }
    return X(kkt_factor)(k->kkt, at);
}

const real *X(saddle_jacobian)(const saddle *k) { return X(kkt_jacobian)(k->kkt); }

/* residual := right - matrix x */
static void find_residual(saddle *k)
{
    struct system *s = k->s;
    const block_shape *g = &s->blocks[BLOCK_G];
    const real *w = k->x, *v = w + s->n, *lambda = v + s->n, *jacobian = X(kkt_jacobian)(k->kkt);
    real *a = k->residual, *b = a + s->n, *c = b + s->n;
    memcpy(k->residual, k->right, k->size * sizeof(real));
    X(block_multiply)(&s->blocks[BLOCK_PI_W], k->pi_w, -1, w, a);
    X(block_multiply_transposed)(g, jacobian, 1, lambda, a);
    for (uint32_t i = 0; i < s->n; i++) b[i] -= v[i];
    X(block_multiply)(&s->blocks[BLOCK_NU_W], k->nu_w, 1, w, b);
    X(block_multiply)(g, jacobian, -1, v, c);
}

/* Largest |change| relative to the largest |x|, in w, v and lambda apart. */
static real change_of(const saddle *k)
{
    size_t ends[] = { k->s->n, 2 * (size_t)k->s->n, k->size }, i = 0;
    real most = 0;
    for (int part = 0; part < 3; part++) {
        real size = 0, change = 0;
        for (; i < ends[part]; i++) size = real_most(size, k->x[i]), change = real_most(change, k->residual[i]);
        if (change > most * size) most = size > 0 ? change / size : 1;
    }
    return most;
}

int X(saddle_solve)(saddle *k, real *a, real *b, real *c)
{
    struct system *s = k->s;
    uint32_t n = s->n;
    if (!refines(s)) return X(kkt_solve)(k->kkt, a, b, c);
    memcpy(k->right, a, n * sizeof(real));
    memcpy(k->right + n, b, n * sizeof(real));
    memcpy(k->right + 2 * n, c, s->c * sizeof(real));
    memset(k->x, 0, k->size * sizeof(real));
    real before = 1;
    for (int i = 0; i <= REFINEMENTS; i++) {
        find_residual(k);
        int status = X(kkt_solve)(k->kkt, k->residual, k->residual + n, k->residual + 2 * n);
        if (!status) status = X(kkt_choose)(k->kkt, NULL, k->residual + 2 * n);
        if (status) return status;
        for (size_t j = 0; j < k->size; j++) k->x[j] += k->residual[j];
        real change = change_of(k);
        if (!(change > REAL_EPSILON) || (i > 1 && change > before / 2)) break; /* round-off */
        before = change;
    }
    memcpy(a, k->x, n * sizeof(real));
    memcpy(b, k->x + n, n * sizeof(real));
    memcpy(c, k->x + 2 * n, s->c * sizeof(real));
    return TAUT_OK;
}
