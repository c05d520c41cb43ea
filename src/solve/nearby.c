#include "solve/nearby.h"

#include <string.h>

#include "base/room.h"

/* Solutions with factors in double, refined: each pass gains some twelve digits. */
#define PASSES (sizeof(real) > sizeof(double) ? 3 : 2)
#define MOST 60 /* corrections; each gains the displacement as a factor */

struct nearby {
    struct system *s;
    const state *base;
    kkt *kkt;
    void *room;                  /* of the arrays below */
    real *pi, *nu, *g, *g_here;  /* values of blocks: at base; G anywhere */
    real *w, *v, *lambda;        /* the refined solution */
    real *a, *b, *c;             /* its residual */
    real *r, *velocity;
};

void X(nearby_destroy)(nearby *z)
{
    if (!z) return;
    X(kkt_destroy)(z->kkt);
    room_free(z->s->context, &z->room);
    taut_mem_free(z->s->context, z);
}

static void lay_out(void *self, room_layout *l)
{
    nearby *z = self;
    const struct system *s = z->s;
    size_t g = (size_t)s->blocks[BLOCK_G].value_count;
    z->pi = room_reals(l, (size_t)s->blocks[BLOCK_PI_W].value_count);
    z->nu = room_reals(l, (size_t)s->blocks[BLOCK_NU_W].value_count);
    z->g = room_reals(l, g), z->g_here = room_reals(l, g);
    z->w = room_reals(l, s->n), z->v = room_reals(l, s->n), z->lambda = room_reals(l, s->c);
    z->a = room_reals(l, s->n), z->b = room_reals(l, s->n), z->c = room_reals(l, s->c);
    z->r = room_reals(l, s->c);
    z->velocity = room_reals(l, s->n);
}

int X(nearby_create)(struct system *s, const state *base, nearby **result)
{
    static const block_id needed[] = { BLOCK_PI_W, BLOCK_NU_W, BLOCK_G };
    *result = NULL;
    nearby *z = taut_mem_new(s->context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->s = s;
    z->base = base;
    int status = TAUT_OK;
    for (int i = 0; !status && i < 3; i++) status = X(system_prepare_block)(s, needed[i]);
    if (!status) status = room_create(s->context, lay_out, z, &z->room);
    if (!status) status = X(kkt_create)(s, &z->kkt);
    place at = place_at(s, base->q, base->w, &base->t, base->lambda);
    if (!status) status = X(kkt_factor)(z->kkt, &at);
    if (status) {
        X(nearby_destroy)(z);
        return status;
    }
    X(system_block_values)(s, BLOCK_PI_W, &at, z->pi);
    X(system_block_values)(s, BLOCK_NU_W, &at, z->nu);
    X(system_block_values)(s, BLOCK_G, &at, z->g);
    *result = z;
    return TAUT_OK;
}

/* pi_w w = G' lambda,  v = nu_w w,  G v = -r: w and v are what lowers the constraints by r. */
static int solve(nearby *z)
{
    struct system *s = z->s;
    const block_shape *blocks = s->blocks;
    memset(z->w, 0, s->n * sizeof(real));
    memset(z->v, 0, s->n * sizeof(real));
    memset(z->lambda, 0, s->c * sizeof(real));
    for (size_t pass = 0; pass < PASSES; pass++) {
        memset(z->a, 0, s->n * sizeof(real));
        X(block_multiply)(&blocks[BLOCK_PI_W], z->pi, -1, z->w, z->a);
        X(block_multiply_transposed)(&blocks[BLOCK_G], z->g, 1, z->lambda, z->a);
        for (uint32_t i = 0; i < s->n; i++) z->b[i] = -z->v[i];
        X(block_multiply)(&blocks[BLOCK_NU_W], z->nu, 1, z->w, z->b);
        for (uint32_t k = 0; k < s->c; k++) z->c[k] = -z->r[k];
        X(block_multiply)(&blocks[BLOCK_G], z->g, -1, z->v, z->c);
        int status = X(kkt_solve)(z->kkt, z->a, z->b, z->c);
        if (status) return status;
        for (uint32_t i = 0; i < s->n; i++) z->w[i] += z->a[i], z->v[i] += z->b[i];
        for (uint32_t k = 0; k < s->c; k++) z->lambda[k] += z->c[k];
    }
    return TAUT_OK;
}

static void residual(nearby *z, const state *x, int velocity)
{
    struct system *s = z->s;
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    if (!velocity) {
        X(system_constraints)(s, &at, z->r);
        return;
    }
    X(system_velocity)(s, &at, z->velocity);
    X(system_block_values)(s, BLOCK_G, &at, z->g_here);
    X(system_constraint_rate)(s, &at, z->r);
    X(block_multiply)(&s->blocks[BLOCK_G], z->g_here, 1, z->velocity, z->r);
}

static int correct(nearby *z, state *x, int velocity)
{
    struct system *s = z->s;
    real *unknown = velocity ? x->w : x->q, *change = velocity ? z->w : z->v, before = 0;
    for (int k = 0; k < MOST; k++) {
        residual(z, x, velocity);
        int status = solve(z);
        if (status) return status;
        real size = 0, reach = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            reach = real_most(reach, unknown[i]);
            size = real_most(size, change[i]);
            unknown[i] += change[i];
        }
        if (!(size - size == 0)) break;
        if (size <= REAL_EPSILON / 4 * reach
            || (k > 0 && size <= (real)1e3 * REAL_EPSILON * reach && size > before / 2))
            return TAUT_OK;
        if (k > 3 && size > before) break;
        before = size;
    }
    return taut_fail(s->context, TAUT_NO_CONVERGENCE,
                     "at t = %.9g: no state on the constraints was found this far from the trajectory", (double)x->t);
}

int X(nearby_state)(nearby *z, real part, const real *dq, const real *dw, state *x)
{
    struct system *s = z->s;
    X(state_copy)(z->base, x);
    for (uint32_t i = 0; i < s->n; i++) x->q[i] += part * dq[i], x->w[i] += part * dw[i];
    int status = s->c ? correct(z, x, 0) : TAUT_OK;
    if (!status && s->c) status = correct(z, x, 1);
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    if (!status) X(system_momentum)(s, &at, x->p);
    return status;
}
