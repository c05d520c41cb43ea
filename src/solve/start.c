/* Start values: first the free positions from g = 0, then the free velocities (momenta) from G nu + g_t = 0, both as
 * the solution nearest to the guess (Gauss-Newton, minimum norm); then the whole state is checked, and moved onto the
 * constraints in the metric of the mass matrix - by a rounding error if it was consistent, by as much as it takes with
 * START_PROJECT. */
#include <string.h>

#include "base/room.h"
#include "linalg/full.h"
#include "solve/start_parts.h"

static void starter_clear(starter *z)
{
    room_free(z->s->context, &z->room);
    X(kkt_destroy)(z->kkt);
}

static void lay_out(void *self, room_layout *l)
{
    starter *z = self;
    const struct system *s = z->s;
    z->free = room_take(l, s->n, sizeof *z->free);
    z->r = room_reals(l, s->c);
    z->trial = room_reals(l, s->n);
    z->g = room_reals(l, (size_t)s->blocks[BLOCK_G].value_count);
    z->nu = room_reals(l, (size_t)s->blocks[BLOCK_NU_W].value_count);
    z->a = room_reals(l, s->n);
    z->b = room_reals(l, s->n);
    z->v = room_reals(l, s->n);
}

static int starter_create(starter *z, struct system *s, state *x)
{
    *z = (starter){ .s = s, .x = x, .is_free = { s->start.free_q, s->start.free_w } };
    int status = X(system_prepare_block)(s, BLOCK_G);
    if (!status) status = X(system_prepare_block)(s, BLOCK_NU_W);
    if (!status) status = room_create(s->context, lay_out, z, &z->room);
    return status ? status : X(kkt_create)(s, &z->kkt);
}

/* The first constraint whose row holds a number that is not finite; as many as there are: none does. */
static uint32_t not_finite_row(const double *dense, uint32_t columns, uint32_t rows)
{
    for (uint32_t k = 0; k < rows; k++)
        for (uint32_t f = 0; f < columns; f++)
            if (!(dense[(size_t)f * rows + k] - dense[(size_t)f * rows + k] == 0)) return k;
    return rows;
}

/* One Gauss-Newton step of minimum norm, halved while the residual does not shrink. *size: relative change. */
static int free_step(starter *z, double *dense, double *right, real *size)
{
    struct system *s = z->s;
    real *unknown = start_unknown(z);
    const int m = (int)s->c, n = (int)z->count;
    X(start_residual)(z, z->r);
    real before = real_largest(z->r, s->c);
    X(start_jacobian)(z, dense);
    for (int k = 0; k < m; k++) right[k] = (double)-z->r[k];
    const uint32_t bad = not_finite_row(dense, z->count, s->c);
    if (bad < s->c) {
        const origin of = X(system_constraint_origin)(s, bad);
        return taut_fail(s->context, TAUT_NOT_FINITE,
                         "%s:%d: constraint '%s' has no finite derivative where the search for the free start values "
                         "came to; give another guess in free()",
                         of.file, of.line, of.name);
    }
    int status = taut_least_squares(s->context, m, n, dense, right, 1e-12);
    if (status) return status;
    memcpy(z->trial, unknown, s->n * sizeof(real));
    real scale = 1, change = 0;
    for (int halving = 0; halving < 40; halving++, scale /= 2) {
        change = 0;
        for (int i = 0; i < n; i++) {
            unknown[z->free[i]] = z->trial[z->free[i]] + scale * (real)right[i];
            change = REAL(fmax)(change, REAL(fabs)(scale * (real)right[i]));
        }
        X(start_residual)(z, z->r);
        if (real_largest(z->r, s->c) <= before) break;
        if (change <= 4 * REAL_EPSILON * (real_largest(z->trial, s->n) + 1)) break;
    }
    *size = change / (real_largest(unknown, s->n) + s->least);
    return TAUT_OK;
}

static int solve_free(starter *z)
{
    struct system *s = z->s;
    const unsigned char *is_free = z->is_free[z->velocity];
    z->count = 0;
    for (uint32_t i = 0; is_free && i < s->n; i++)
        if (is_free[i]) z->free[z->count++] = i;
    if (!z->count || !s->c) return TAUT_OK;
    size_t rows = s->c > z->count ? s->c : z->count;
    if ((size_t)s->c * z->count > 20000000)
        return taut_fail(s->context, TAUT_UNSUPPORTED,
                         "%u free start values under %u constraints are too many to solve for; give them by a formula",
                         z->count, s->c);
    double *dense = taut_mem_new(s->context, (size_t)s->c * z->count, sizeof *dense);
    double *right = taut_mem_new(s->context, rows, sizeof *right);
    int status = dense && right ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    real size = 1, before = 1;
    for (int k = 0; !status && k < 200; k++) {
        status = free_step(z, dense, right, &size);
        if (!(size > REAL_EPSILON) || (size < (real)1e-12 && size > before / 2)) break; /* round-off */
        before = size;
    }
    taut_mem_free(s->context, dense);
    taut_mem_free(s->context, right);
    int searched; /* undamped steps of full rank may lead nowhere near a point where gradients become parallel */
    return status || X(start_is_met)(z) ? status : X(start_settle)(z, NULL, &searched);
}

/* Moves the unknowns onto the constraints in the mass metric: one Newton step. *size: relative change. */
static int project_step(starter *z, real *size)
{
    struct system *s = z->s;
    place at = start_here(z);
    /* along the gradients alone: with forces that depend on multipliers, friction for one, it would not be the nearest
       place, and the energy could grow */
    int status = z->factored ? TAUT_OK : X(kkt_factor_without_forces)(z->kkt, &at);
    if (status) return status;
    z->factored = 0;
    X(start_residual)(z, z->r);
    for (uint32_t k = 0; k < s->c; k++) z->r[k] = -z->r[k];
    memset(z->a, 0, s->n * sizeof(real));
    memset(z->b, 0, s->n * sizeof(real));
    status = X(kkt_solve)(z->kkt, z->a, z->b, z->r);
    if (status) return status;
    real *unknown = start_unknown(z), *change = z->velocity ? z->a : z->b;
    *size = real_largest(change, s->n) / (real_largest(unknown, s->n) + s->least);
    for (uint32_t i = 0; i < s->n; i++) unknown[i] += change[i];
    return TAUT_OK;
}

/* Where this fails the unknowns are as before; start_explain says why: TAUT_SINGULAR and TAUT_NO_CONVERGENCE, or
   TAUT_BAD_MODEL (without a text) when a strict start would have to move too far. */
static int onto_constraints(starter *z, start_mode mode, real *total)
{
    struct system *s = z->s;
    real *unknown = start_unknown(z), size = 0, before = 0;
    int status = TAUT_OK;
    *total = 0;
    if (!s->c) return TAUT_OK;
    memcpy(z->trial, unknown, s->n * sizeof(real));
    for (int k = 0; !status && k < 60; k++) {
        status = project_step(z, &size);
        if (status) break;
        if (k == 0 && mode == START_STRICT && !(size <= (real)CONSISTENT)) {
            status = TAUT_BAD_MODEL;
            break;
        }
        if (k == 0 && size <= 4 * REAL_EPSILON) { /* consistent as given: leave the numbers alone */
            memcpy(unknown, z->trial, s->n * sizeof(real));
            z->factored = !z->velocity;
            return TAUT_OK;
        }
        if (!(size - size == 0)) break;
        if (size <= REAL_EPSILON || (k > 0 && size < (real)1e-9 && size > before / 2)) {
            for (uint32_t i = 0; i < s->n; i++) *total = real_most(*total, unknown[i] - z->trial[i]);
            if (*total <= (real)POLISH * (real_largest(unknown, s->n) + s->least)) *total = 0;
            return TAUT_OK;
        }
        before = size;
    }
    memcpy(unknown, z->trial, s->n * sizeof(real));
    if (status) return status;
    return taut_fail(s->context, TAUT_NO_CONVERGENCE, "the projection onto the constraints does not converge");
}

static void given_values(const struct system *s, state *x)
{
    memcpy(x->q, s->start.q, s->n * sizeof(real));
    memcpy(x->w, s->start.w, s->n * sizeof(real));
    for (uint32_t k = 0; k < s->c; k++) x->lambda[k] = s->start.lambda ? s->start.lambda[k] : s->start.other_lambda;
}

/* Solves for positions, or for velocities as well, from the values in x. */
static int make_consistent(starter *z, int last, start_mode mode, start_report *report)
{
    int status = TAUT_OK;
    for (z->velocity = 0; !status && z->velocity <= last; z->velocity++) {
        real moved = 0;
        status = solve_free(z);
        *(z->velocity ? &report->free_w : &report->free_q) += z->s->c ? z->count : 0;
        if (!status) status = onto_constraints(z, mode, &moved);
        if (status == TAUT_SINGULAR) {
            int softened;
            status = X(start_soften)(z, report, &softened);
            if (!status) status = softened ? onto_constraints(z, mode, &moved) : TAUT_SINGULAR;
        }
        if (status == TAUT_SINGULAR || status == TAUT_BAD_MODEL || status == TAUT_NO_CONVERGENCE)
            status = X(start_explain)(z, mode, status, report);
        real *most = z->velocity ? &report->moved_w : &report->moved_q;
        *most = REAL(fmax)(*most, moved);
    }
    return status;
}

int X(start_second_point)(struct system *s, start_mode mode, real t, state *x, start_report *report)
{
    starter z;
    memcpy(x->q, s->start.second, s->n * sizeof(real));
    x->t = t;
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    int status = X(system_check_finite)(s, &at, "at the second of the start points");
    if (status) return status;
    status = starter_create(&z, s, x);
    z.is_free[0] = s->start.free_second;
    if (!status) status = make_consistent(&z, 0, mode, report);
    starter_clear(&z);
    return status;
}

/* Beside constraints that depend on each other their gradients do not quite: only where they are met this is seen. */
static int soften_as_is(struct system *s, state *x, start_report *report)
{
    starter z;
    int softened, status = starter_create(&z, s, x);
    if (!status) status = X(start_soften)(&z, report, &softened);
    starter_clear(&z);
    return status;
}

int X(start_state)(struct system *s, start_mode mode, state *x, start_report *report)
{
    starter z;
    *report = (start_report){ 0 };
    given_values(s, x);
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    int status = X(system_check_finite)(s, &at, "at the start");
    if (status) return status;
    if (s->phase_space) { /* consistent already: analysis/phase_space.c */
        const phase_info *found = s->phase_space;
        *report = (start_report){ .free_q = found->free_q, .free_w = found->free_w,
                                  .moved_q = (real)found->moved_q, .moved_w = (real)found->moved_w };
        X(system_momentum)(s, &at, x->p);
        return TAUT_OK;
    }
    if (mode == START_AS_IS) {
        report->as_is = 1;
        X(system_momentum)(s, &at, x->p);
        return s->c ? soften_as_is(s, x, report) : TAUT_OK;
    }
    status = starter_create(&z, s, x);
    if (!status) status = make_consistent(&z, s->start.second ? 0 : 1, mode, report);
    starter_clear(&z);
    if (!status) status = X(system_check_finite)(s, &at, "at the start");
    if (!status) X(system_momentum)(s, &at, x->p);
    return status;
}

/* ---- projection ---- */

struct projector {
    starter z;
};

int X(projector_create)(struct system *s, projector **result)
{
    *result = taut_mem_new(s->context, 1, sizeof **result);
    if (!*result) return TAUT_OUT_OF_MEMORY;
    int status = starter_create(&(*result)->z, s, NULL);
    if (status) {
        X(projector_destroy)(*result);
        *result = NULL;
    }
    return status;
}

void X(projector_destroy)(projector *p)
{
    if (!p) return;
    taut_context *context = p->z.s->context;
    starter_clear(&p->z);
    taut_mem_free(context, p);
}

int X(projector_apply)(projector *p, state *x)
{
    struct system *s = p->z.s;
    real moved;
    int status = TAUT_OK;
    p->z.x = x;
    p->z.factored = 0;
    for (p->z.velocity = 0; !status && p->z.velocity < 2; p->z.velocity++)
        status = onto_constraints(&p->z, START_PROJECT, &moved);
    if (status) return status;
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    X(system_momentum)(s, &at, x->p);
    memset(x->q_low, 0, s->n * sizeof(real));
    memset(x->p_low, 0, s->n * sizeof(real));
    return TAUT_OK;
}

int X(start_project)(struct system *s, state *x)
{
    projector *p;
    if (s->phase_space)
        return taut_fail(s->context, TAUT_UNSUPPORTED, "states near the start are not looked for on phase space");
    int status = X(projector_create)(s, &p);
    if (!status) status = X(projector_apply)(p, x);
    if (p) X(projector_destroy)(p);
    return status;
}
