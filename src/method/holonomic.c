#include "method/holonomic.h"

#include <string.h>

#include "base/room.h"

const char *X(holonomic_refuse)(const struct system *s)
{
    if (s->phase_space) return "its constraints are on phase space, not on positions; use dirac";
    return s->form == FORM_RATES ? "rates have no momenta and no Hamiltonian; give a lagrangian or a hamiltonian"
                                 : NULL;
}

void X(holonomic_destroy)(void *self)
{
    holonomic *f = self;
    if (!f) return;
    X(legendre_destroy)(f->legendre);
    X(saddle_destroy)(f->saddle);
    X(acceleration_destroy)(f->acceleration);
    X(motion_matrix_destroy)(f->matrix);
    room_free(f->s->context, &f->room);
    taut_mem_free(f->s->context, f);
}

static void lay_out(void *self, room_layout *l)
{
    holonomic *f = self;
    size_t n = f->s->n, c = f->s->c;
    f->w = room_reals(l, n), f->v = room_reals(l, n);
    f->lambda = room_reals(l, c);
    f->rate_of_change = room_reals(l, n);
    f->phi = room_reals(l, c), f->psi = room_reals(l, c);
    f->jacobian = room_reals(l, (size_t)f->s->blocks[BLOCK_G].value_count);
    f->a = room_reals(l, n), f->b = room_reals(l, n), f->u = room_reals(l, n), f->f = room_reals(l, n);
    f->mean = room_reals(l, n), f->solved = room_reals(l, n), f->other = room_reals(l, n);
    f->c = room_reals(l, c), f->curvature = room_reals(l, c), f->second = room_reals(l, c);
    f->stage_rate = room_reals(l, 2 * n);
    f->extra = room_reals(l, HOLONOMIC_EXTRA * (n > c ? n : c));
}

int X(holonomic_create)(struct system *s, int (*evaluate)(void *, real, const real *, real *), motion_type type,
                        void **self)
{
    *self = NULL;
    holonomic *f = taut_mem_new(s->context, 1, sizeof *f);
    if (!f) return TAUT_OUT_OF_MEMORY;
    f->s = s;
    f->evaluate = evaluate;
    f->type = type;
    int status = X(legendre_create)(s, &f->legendre);
    if (!status)
        status = s->structure.force_multiplier ? X(acceleration_create)(s, &f->acceleration)
                                               : X(saddle_create)(s, &f->saddle);
    if (!status) status = X(system_prepare_block)(s, BLOCK_G);
    if (!status) status = X(system_prepare_rates)(s);
    if (!status) status = X(field_prepare_slope_gradient)(s->constraint, KIND_Q);
    if (!status) status = X(field_prepare_slope_gradient)(s->energy, KIND_Q);
    if (!status) status = room_create(s->context, lay_out, f, &f->room);
    if (status)
        X(holonomic_destroy)(f);
    else
        *self = f;
    return status;
}

void X(holonomic_begin)(void *self, const state *x)
{
    holonomic *f = self;
    memcpy(f->w, x->w, f->s->n * sizeof(real));
    memcpy(f->lambda, x->lambda, f->s->c * sizeof(real));
}

int X(holonomic_end)(void *self, state *x)
{
    holonomic *f = self;
    int status = X(legendre_stage)(f->legendre, x->q, x->p, x->t, f->w);
    if (status) return status;
    memcpy(x->w, f->w, f->s->n * sizeof(real));
    memcpy(x->lambda, f->lambda, f->s->c * sizeof(real));
    return TAUT_OK;
}

/* w, v and psi, with the values of G in `jacobian`. */
static int find_velocities(holonomic *f, real t, const real *z, const real *jacobian, place *at)
{
    struct system *s = f->s;
    f->t = t, f->q = z;
    int status = X(legendre_stage)(f->legendre, z, z + s->n, t, f->w);
    if (status) return status;
    *at = place_at(f->s, z, f->w, &f->t, f->lambda);
    X(system_velocity)(s, at, f->v);
    if (f->saddle) status = X(saddle_factor)(f->saddle, at);
    if (status) return status;
    if (jacobian == f->jacobian) X(system_block_values)(s, BLOCK_G, at, f->jacobian);
    X(system_constraint_rate)(s, at, f->psi);
    X(block_multiply)(&s->blocks[BLOCK_G], jacobian, 1, f->v, f->psi);
    return TAUT_OK;
}

int X(holonomic_arrive)(holonomic *f, real t, const real *z, place *at)
{
    return find_velocities(f, t, z, f->saddle ? X(saddle_jacobian)(f->saddle) : f->jacobian, at);
}

int X(holonomic_solve)(holonomic *f, real *right, real *w, real *v)
{
    memset(w, 0, f->s->n * sizeof(real));
    memset(v, 0, f->s->n * sizeof(real));
    return X(saddle_solve)(f->saddle, w, v, right);
}

uint32_t X(holonomic_chi_count)(const void *self) { return 2 * ((const holonomic *)self)->s->c; }

int X(holonomic_chi)(void *self, real t, const real *z, real *out)
{
    holonomic *f = self;
    struct system *s = f->s;
    f->t = t;
    int status = X(legendre_stage)(f->legendre, z, z + s->n, t, f->w);
    if (status) return status;
    place at = place_at(f->s, z, f->w, &f->t, NULL);
    X(system_velocity)(s, &at, f->v);
    X(system_constraints)(s, &at, out);
    X(system_block_values)(s, BLOCK_G, &at, f->jacobian);
    X(system_constraint_rate)(s, &at, out + s->c);
    X(block_multiply)(&s->blocks[BLOCK_G], f->jacobian, 1, f->v, out + s->c);
    return TAUT_OK;
}

/* ---- projections: section 11 of the paper, in the metric of the mass matrix ---- */

#define CORRECTIONS 30

/* Position (67): G(q0) dq = g(q_k), q_{k+1} = q_k - dq, with the matrix of q0 and dq = H_pp G' Q^-1 g. Momentum (66):
   p := p - G' Q^-1 psi; once if H is quadratic in p, otherwise again until the residual is within eps. */
int X(holonomic_project)(void *self, unsigned which, real eps, real t, const real *z, real *moved, int *done)
{
    holonomic *f = self;
    struct system *s = f->s;
    uint32_t n = s->n, c = s->c;
    int momentum = which == PROJECT_MOMENTUM;
    real *chi = f->extra, *at = f->stage_rate, before = 0; /* chi: 2c, at: the corrected z */
    *done = 0;
    memset(moved, 0, 2 * (size_t)n * sizeof(real));
    memcpy(at, z, 2 * (size_t)n * sizeof(real));
    for (int k = 0; c && k < CORRECTIONS; k++) {
        int status = X(holonomic_chi)(f, t, at, chi);
        if (status) return status;
        real *right = momentum ? chi + c : chi, size = real_largest(right, c);
        if (size <= eps) return TAUT_OK;
        /* where eps asks for more than the precision has, the residual stops at rounding errors */
        if (k > 1 && size > before / 2 && size <= REAL(sqrt)(REAL_EPSILON)) return TAUT_OK;
        before = size;
        place here;
        if (k == 0) status = X(holonomic_arrive)(f, t, at, &here);
        if (!status) status = X(holonomic_solve)(f, right, f->a, f->b);
        if (status) return status;
        *done = 1;
        if (momentum) {
            memset(f->a, 0, n * sizeof(real));
            X(block_multiply_transposed)(&s->blocks[BLOCK_G], X(saddle_jacobian)(f->saddle), 1, right, f->a);
        }
        const real *change = momentum ? f->a : f->b;
        real *target = moved + (momentum ? n : 0);
        for (uint32_t i = 0; i < n; i++) target[i] -= change[i];
        for (uint32_t i = 0; i < 2 * n; i++) at[i] = z[i] + moved[i];
    }
    return c == 0 ? TAUT_OK
                  : taut_fail(s->context, TAUT_NO_CONVERGENCE,
                              "at t = %.9g: the projection onto the %s constraints does not converge: %.3g is left "
                              "after %d corrections; try a "
                              "smaller step",
                              (double)t, momentum ? "momentum" : "position", (double)before, CORRECTIONS);
}

/* ---- Newton's matrix ---- */

int X(holonomic_stages_create)(void *self, int stages, const real *a)
{
    holonomic *f = self;
    f->stages = stages;
    return X(motion_matrix_create)(f->s, stages, a, f->type, &f->matrix);
}

int X(holonomic_stages_factor)(void *self, real h, const real *t, const real *z)
{
    holonomic *f = self;
    uint32_t n = f->s->n;
    X(motion_matrix_clear)(f->matrix, h);
    for (int i = 0; i < f->stages; i++, z += 2 * n) {
        int status = f->evaluate(f, t[i], z, f->stage_rate);
        if (status) return status;
        place at = place_at(f->s, z, f->w, &f->t, f->lambda);
        X(motion_matrix_put)(f->matrix, i, &at, f->v, f->rate_of_change);
    }
    return X(motion_matrix_factor)(f->matrix, t[0]);
}

int X(holonomic_stages_solve)(void *self, real *r) { return X(motion_matrix_solve)(((holonomic *)self)->matrix, r); }
