/* Impulses and the velocities that follow, under the constraints that always hold. */
#include <string.h>

#include "contact/parts.h"

/* The matrix of the open phase at x. */
static int factor(hybrid *z, const state *x)
{
    phase *open;
    int status = phases_open(&z->phases, &open);
    if (status) return status;
    struct system *s = open->s;
    if (z->kkt_owner != open) { /* at the first time, or when the phase was thrown away meanwhile */
        kkt_destroy(z->kkt);
        z->kkt = NULL;
        z->kkt_owner = NULL;
        static const block_id needed[] = { BLOCK_PI_W, BLOCK_NU_W, BLOCK_PHI_LAMBDA, BLOCK_G };
        real **arrays[] = { &z->pi_w, &z->nu_w, &z->force, &z->jacobian };
        status = kkt_create(s, &z->kkt);
        for (int i = 0; !status && i < 4; i++) {
            status = system_prepare_block(s, needed[i]);
            mem_free(z->context, *arrays[i]);
            *arrays[i] = status ? NULL : mem_new(z->context, (size_t)s->blocks[needed[i]].value_count, sizeof(real));
            if (!status && !*arrays[i]) status = TAUT_OUT_OF_MEMORY;
        }
        if (status) return status;
        z->kkt_owner = open;
    }
    z->open = open;
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    system_block_values(s, BLOCK_PI_W, &at, z->pi_w);
    system_block_values(s, BLOCK_NU_W, &at, z->nu_w);
    system_block_values(s, BLOCK_PHI_LAMBDA, &at, z->force);
    system_block_values(s, BLOCK_G, &at, z->jacobian);
    return kkt_factor(z->kkt, &at);
}

/* z->v := the velocities that an impulse z->kick makes: pi_w w = kick + phi_lambda mu, v = nu_w w, G v = 0; refined to the precision of
   the unit around a matrix in double. */
static int respond(hybrid *z)
{
    struct system *s = z->open->s;
    uint32_t n = z->n, c = z->c;
    const block_shape *blocks = s->blocks;
    memset(z->v, 0, n * sizeof(real));
    memset(z->w, 0, n * sizeof(real));
    memset(z->multiplier, 0, c * sizeof(real));
    real before = 0;
    for (int k = 0; k < 30; k++) {
        memcpy(z->a, z->kick, n * sizeof(real));
        block_multiply(&blocks[BLOCK_PI_W], z->pi_w, -1, z->w, z->a);
        block_multiply(&blocks[BLOCK_PHI_LAMBDA], z->force, 1, z->multiplier, z->a);
        for (uint32_t i = 0; i < n; i++) z->b[i] = -z->v[i];
        block_multiply(&blocks[BLOCK_NU_W], z->nu_w, 1, z->w, z->b);
        memset(z->right, 0, c * sizeof(real));
        block_multiply(&blocks[BLOCK_G], z->jacobian, -1, z->v, z->right);
        int status = kkt_solve(z->kkt, z->a, z->b, z->right);
        if (status) return status;
        for (uint32_t i = 0; i < n; i++) z->w[i] += z->a[i], z->v[i] += z->b[i];
        for (uint32_t i = 0; i < c; i++) z->multiplier[i] += z->right[i];
        real size = real_largest(z->b, n), scale = real_largest(z->v, n);
        if (size <= REAL_EPSILON * scale || (k > 1 && size < (real)1e-10 * scale && size > before / 2)) return TAUT_OK;
        before = size;
    }
    return fail(z->context, TAUT_NO_CONVERGENCE, "the answer of the velocities to an impact could not be found");
}

static int meeting_grow(hybrid *z, int rows)
{
    meeting *k = &z->meeting;
    size_t n = z->n, r = (size_t)rows;
    void *J = mem_resize(z->context, k->J, r * n, sizeof(real));
    if (J) k->J = J;
    void *W = mem_resize(z->context, k->W, r * r, sizeof(real));
    if (W) k->W = W;
    return J && W ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

int meeting_collect(hybrid *z, const state *x, const unsigned char *takes_part)
{
    meeting *k = &z->meeting;
    k->count = k->rows = 0;
    for (size_t i = 0; i < z->count; i++) {
        if (!takes_part[i]) continue;
        const touch *t = watch_touch(z->watch, i);
        cone_contact *c = &k->cones[k->count];
        *c = (cone_contact){ .first = k->rows, .tangents = (int)z->m->contacts[i].slide_count, .mu = t->mu * t->normal };
        if (!(c->mu >= 0)) c->mu = 0;
        k->who[k->count++] = i;
        k->rows += 1 + c->tangents;
    }
    int status = factor(z, x);
    if (!status && k->rows) status = meeting_grow(z, k->rows);
    if (status) return status;
    for (int i = 0; i < k->count; i++)
        for (int r = 0; r <= k->cones[i].tangents; r++) watch_row(z->watch, k->who[i], r, k->J + (size_t)(k->cones[i].first + r) * z->n);
    for (int s = 0; s < k->rows; s++) {
        memcpy(z->kick, k->J + (size_t)s * z->n, z->n * sizeof(real));
        status = respond(z);
        if (status) return status;
        for (int r = 0; r < k->rows; r++) {
            const real *row = k->J + (size_t)r * z->n;
            real sum = 0;
            for (uint32_t i = 0; i < z->n; i++) sum += row[i] * z->v[i];
            k->W[(size_t)r * (size_t)k->rows + (size_t)s] = sum;
        }
    }
    return TAUT_OK;
}

/* pi(q,w) = p + J'P + G'mu,  G nu(q,w) + g_t = 0 */
int meeting_apply(hybrid *z, state *x)
{
    meeting *k = &z->meeting;
    struct system *s = z->open->s;
    uint32_t n = z->n, c = z->c;
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    system_momentum(s, &at, z->kick);
    for (int r = 0; r < k->rows; r++)
        for (uint32_t i = 0; i < n; i++) z->kick[i] += k->J[(size_t)r * n + i] * k->P[r];
    memset(z->multiplier, 0, c * sizeof(real));
    real before = 0;
    for (int iteration = 0; iteration < 60; iteration++) {
        system_momentum(s, &at, z->a);
        for (uint32_t i = 0; i < n; i++) z->a[i] = z->kick[i] - z->a[i];
        block_multiply_transposed(&s->blocks[BLOCK_G], z->jacobian, 1, z->multiplier, z->a);
        memset(z->b, 0, n * sizeof(real));
        system_velocity(s, &at, z->v);
        system_constraint_rate(s, &at, z->right);
        block_multiply(&s->blocks[BLOCK_G], z->jacobian, 1, z->v, z->right);
        for (uint32_t i = 0; i < c; i++) z->right[i] = -z->right[i];
        int status = kkt_solve(z->kkt, z->a, z->b, z->right);
        if (status) return status;
        for (uint32_t i = 0; i < n; i++) x->w[i] += z->a[i];
        for (uint32_t i = 0; i < c; i++) z->multiplier[i] += z->right[i];
        real size = real_largest(z->a, n), scale = real_largest(x->w, n);
        if (!(size > REAL_EPSILON * scale) || (iteration > 1 && size < (real)1e-10 * scale && size > before / 2)) {
            system_momentum(s, &at, x->p);
            memset(x->p_low, 0, n * sizeof(real));
            return TAUT_OK;
        }
        before = size;
    }
    return fail(z->context, TAUT_NO_CONVERGENCE, "at t = %.9g: the velocities after an impact could not be found", (double)x->t);
}
