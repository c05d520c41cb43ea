/* Impulses and the velocities that follow, under the constraints that always hold. */
#include <string.h>

#include "base/room.h"
#include "contact/hybrid_inside.h"

static void lay_out_blocks(void *self, room_layout *l)
{
    response_work *work = self;
    const struct system *s = work->owner->s;
    work->pi_w = room_reals(l, (size_t)s->blocks[BLOCK_PI_W].value_count);
    work->nu_w = room_reals(l, (size_t)s->blocks[BLOCK_NU_W].value_count);
    work->force = room_reals(l, (size_t)s->blocks[BLOCK_PHI_LAMBDA].value_count);
    work->jacobian = room_reals(l, (size_t)s->blocks[BLOCK_G].value_count);
}

void X(response_clear)(taut_context *context, response_work *work)
{
    X(kkt_destroy)(work->kkt);
    room_free(context, &work->blocks);
    work->kkt = NULL;
    work->owner = NULL;
}

/* For the open mode set: at the first time, or when it was thrown away meanwhile. */
static int prepare(taut_context *context, response_work *work, const mode_set *open)
{
    static const block_id needed[] = { BLOCK_PI_W, BLOCK_NU_W, BLOCK_PHI_LAMBDA, BLOCK_G };
    X(response_clear)(context, work);
    int status = X(kkt_create)(open->s, &work->kkt);
    for (int i = 0; !status && i < 4; i++) status = X(system_prepare_block)(open->s, needed[i]);
    work->owner = open;
    if (!status) status = room_create(context, lay_out_blocks, work, &work->blocks);
    if (status) work->owner = NULL;
    return status;
}

/* The matrix of the open mode set at x. */
static int factor(hybrid *self, const state *x)
{
    response_work *work = &self->response;
    mode_set *open;
    int status = X(mode_sets_open)(&self->sets, &open);
    if (!status && work->owner != open) status = prepare(self->context, work, open);
    if (status) return status;
    struct system *s = open->s;
    self->open = open;
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    X(system_block_values)(s, BLOCK_PI_W, &at, work->pi_w);
    X(system_block_values)(s, BLOCK_NU_W, &at, work->nu_w);
    X(system_block_values)(s, BLOCK_PHI_LAMBDA, &at, work->force);
    X(system_block_values)(s, BLOCK_G, &at, work->jacobian);
    return X(kkt_factor)(work->kkt, &at);
}

/* v := the velocities that the impulse `kick` makes: pi_w w = kick + phi_lambda mu, v = nu_w w, G v = 0; refined to the
   precision of the unit around a matrix in double. */
static int respond(hybrid *self)
{
    response_work *work = &self->response;
    struct system *s = self->open->s;
    uint32_t n = self->n, c = self->c;
    const block_shape *blocks = s->blocks;
    memset(work->v, 0, n * sizeof(real));
    memset(work->w, 0, n * sizeof(real));
    memset(work->multiplier, 0, c * sizeof(real));
    real before = 0;
    for (int k = 0; k < 30; k++) {
        memcpy(work->a, work->kick, n * sizeof(real));
        X(block_multiply)(&blocks[BLOCK_PI_W], work->pi_w, -1, work->w, work->a);
        X(block_multiply)(&blocks[BLOCK_PHI_LAMBDA], work->force, 1, work->multiplier, work->a);
        for (uint32_t i = 0; i < n; i++) work->b[i] = -work->v[i];
        X(block_multiply)(&blocks[BLOCK_NU_W], work->nu_w, 1, work->w, work->b);
        memset(work->right, 0, c * sizeof(real));
        X(block_multiply)(&blocks[BLOCK_G], work->jacobian, -1, work->v, work->right);
        int status = X(kkt_solve)(work->kkt, work->a, work->b, work->right);
        if (status) return status;
        for (uint32_t i = 0; i < n; i++) work->w[i] += work->a[i], work->v[i] += work->b[i];
        for (uint32_t i = 0; i < c; i++) work->multiplier[i] += work->right[i];
        real size = real_largest(work->b, n), scale = real_largest(work->v, n);
        if (size <= REAL_EPSILON * scale || (k > 1 && size < (real)1e-10 * scale && size > before / 2)) return TAUT_OK;
        before = size;
    }
    return taut_fail(self->context, TAUT_NO_CONVERGENCE,
                     "the answer of the velocities to an impact could not be found");
}

static int problem_grow(hybrid *self, int rows)
{
    contact_problem *problem = &self->problem;
    size_t n = self->n, r = (size_t)rows;
    void *J = taut_mem_resize(self->context, problem->J, mem_product(r, n), sizeof(real));
    if (J) problem->J = J;
    void *W = taut_mem_resize(self->context, problem->W, mem_product(r, r), sizeof(real));
    if (W) problem->W = W;
    return J && W ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

int X(problem_collect)(hybrid *self, const state *x, const unsigned char *takes_part)
{
    response_work *work = &self->response;
    contact_problem *problem = &self->problem;
    problem->count = problem->rows = 0;
    for (size_t i = 0; i < self->count; i++) {
        if (!takes_part[i]) continue;
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        cone_contact *c = &problem->cones[problem->count];
        *c = (cone_contact){ .first = problem->rows,
                             .tangents = (int)self->traits[i].slide_count,
                             .mu = t->mu * t->normal };
        if (!(c->mu >= 0)) c->mu = 0;
        problem->contacts[problem->count++] = i;
        problem->rows += 1 + c->tangents;
    }
    int status = factor(self, x);
    if (!status && problem->rows) status = problem_grow(self, problem->rows);
    if (status) return status;
    for (int i = 0; i < problem->count; i++)
        for (int r = 0; r <= problem->cones[i].tangents; r++)
            X(kinematics_row)(self->kinematics, problem->contacts[i], r,
                           problem->J + (size_t)(problem->cones[i].first + r) * self->n);
    for (int s = 0; s < problem->rows; s++) {
        memcpy(work->kick, problem->J + (size_t)s * self->n, self->n * sizeof(real));
        status = respond(self);
        if (status) return status;
        for (int r = 0; r < problem->rows; r++) {
            const real *row = problem->J + (size_t)r * self->n;
            real sum = 0;
            for (uint32_t i = 0; i < self->n; i++) sum += row[i] * work->v[i];
            problem->W[(size_t)r * (size_t)problem->rows + (size_t)s] = sum;
        }
    }
    return TAUT_OK;
}

int X(problem_respond)(hybrid *self)
{
    response_work *work = &self->response;
    const contact_problem *problem = &self->problem;
    memset(work->kick, 0, self->n * sizeof(real));
    for (int r = 0; r < problem->rows; r++)
        for (uint32_t i = 0; i < self->n; i++) work->kick[i] += problem->J[(size_t)r * self->n + i] * problem->P[r];
    return respond(self);
}

/* pi(q,w) = p + J'P + G'mu,  G nu(q,w) + g_t = 0 */
int X(problem_apply)(hybrid *self, state *x)
{
    response_work *work = &self->response;
    contact_problem *problem = &self->problem;
    struct system *s = self->open->s;
    uint32_t n = self->n, c = self->c;
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    X(system_momentum)(s, &at, work->kick);
    for (int r = 0; r < problem->rows; r++)
        for (uint32_t i = 0; i < n; i++) work->kick[i] += problem->J[(size_t)r * n + i] * problem->P[r];
    memset(work->multiplier, 0, c * sizeof(real));
    real before = 0, fast = real_largest(x->w, n); /* after the impact it may be at rest */
    for (int iteration = 0; iteration < 60; iteration++) {
        X(system_momentum)(s, &at, work->a);
        for (uint32_t i = 0; i < n; i++) work->a[i] = work->kick[i] - work->a[i];
        X(block_multiply_transposed)(&s->blocks[BLOCK_G], work->jacobian, 1, work->multiplier, work->a);
        memset(work->b, 0, n * sizeof(real));
        X(system_velocity)(s, &at, work->v);
        X(system_constraint_rate)(s, &at, work->right);
        X(block_multiply)(&s->blocks[BLOCK_G], work->jacobian, 1, work->v, work->right);
        for (uint32_t i = 0; i < c; i++) work->right[i] = -work->right[i];
        int status = X(kkt_solve)(work->kkt, work->a, work->b, work->right);
        if (status) return status;
        for (uint32_t i = 0; i < n; i++) x->w[i] += work->a[i];
        for (uint32_t i = 0; i < c; i++) work->multiplier[i] += work->right[i];
        real size = real_largest(work->a, n), scale = real_most(real_largest(x->w, n), fast);
        if (!(size > REAL_EPSILON * scale) || (iteration > 1 && size < (real)1e-10 * scale && size > before / 2)) {
            X(system_momentum)(s, &at, x->p);
            memset(x->p_low, 0, n * sizeof(real));
            return TAUT_OK;
        }
        before = size;
    }
    return taut_fail(self->context, TAUT_NO_CONVERGENCE,
                     "at t = %.9g: the velocities after an impact could not be found", (double)x->t);
}
