#include "method/scheme.h"

#include <string.h>

#include "base/elementary.h"
#include "base/room.h"

void X(scheme_destroy)(scheme *r)
{
    if (!r) return;
    room_free(r->s->context, &r->room);
    X(state_clear)(r->s, &r->next);
    X(state_clear)(r->s, &r->place);
    X(newton_clear)(&r->newton);
    X(program_destroy)(r->lowered);
    X(explicit_trial_destroy)(r->trial);
    taut_mem_free(r->s->context, r);
}

static void lay_out(void *self, room_layout *l)
{
    scheme *r = self;
    size_t size = r->size, stages = (size_t)r->stages;
    r->z = room_reals(l, size), r->low = room_reals(l, size);
    r->at = room_reals(l, stages * size);
    r->k = room_reals(l, stages * size);
    r->x = room_reals(l, stages * size);
    r->move = room_reals(l, size), r->error = room_reals(l, size);
    r->lambda = room_reals(l, r->s->c);
}

static int lower(scheme *r)
{
    const field_type field = r->f->class->field;
    const unsigned project = r->options.project;
    const explicit_limits limits = { project & PROJECT_POSITION, project & PROJECT_MOMENTUM, r->options.eps };
    switch (r->options.type) {
    case SCHEME_RK4: return X(explicit_step_create)(r->s, field, &X(scheme_classical), &limits, &r->lowered);
    case SCHEME_RKF45: return X(explicit_trial_create)(r->s, field, &X(scheme_fehlberg), &r->trial);
    case SCHEME_GAUSS: return X(explicit_trial_create)(r->s, field, &X(scheme_field), &r->trial);
    }
    return TAUT_OK;
}

int X(scheme_create)(formulation *f, const scheme_options *options, scheme **result)
{
    struct system *s = f->s;
    *result = NULL;
    scheme *r = taut_mem_new(s->context, 1, sizeof *r);
    if (!r) return TAUT_OUT_OF_MEMORY;
    r->s = s;
    r->f = f;
    r->options = *options;
    r->size = f->size;
    r->stages = options->type == SCHEME_RK4 ? 4 : options->type == SCHEME_RKF45 ? 6 : options->stages;
    int status = room_create(s->context, lay_out, r, &r->room);
    if (!status) status = X(state_create)(s, &r->next);
    if (!status) status = X(state_create)(s, &r->place);
    if (!status) status = X(newton_create)(s->context, r->stages * (int)r->size, options->tolerance, &r->newton);
    if (!status && options->type == SCHEME_GAUSS) status = X(scheme_implicit_create)(r);
    if (!status) status = lower(r);
    if (status)
        X(scheme_destroy)(r);
    else
        *result = r;
    return status;
}

const newton_counts *X(scheme_counts)(const scheme *r) { return &r->newton.counts; }
program *X(scheme_program)(const scheme *r) { return r->options.project ? NULL : r->lowered; }
void X(scheme_use_lowered)(scheme *r, int use) { r->general_alone = !use; }

/* The field by straight-line code: the change of a step of length 1 from there with one stage. */
static int read_field(scheme *r, int i)
{
    const size_t n = r->s->n;
    const real *at = r->at + (size_t)i * r->size;
    state *x = &r->place;
    memcpy(x->q, at, n * sizeof(real)), memcpy(x->p, at + n, n * sizeof(real));
    x->t = r->t[i], *x->step = 1;
    return X(explicit_trial_read)(r->trial, x, r->k + (size_t)i * r->size, NULL, r->lambda);
}

int X(scheme_evaluate)(scheme *r, int i)
{
    const int is_field = r->trial && r->options.type == SCHEME_GAUSS && !r->general_alone;
    r->newton.counts.evaluations++;
    r->has_lambda = is_field && read_field(r, i);
    if (r->has_lambda) return TAUT_OK;
    return r->f->class->evaluate(r->f->self, r->t[i], r->at + (size_t)i * r->size, r->k + (size_t)i * r->size);
}

/* ---- one step ---- */

static void begin_at(scheme *r, const state *x, real h)
{
    size_t n = r->s->n, bytes = n * sizeof(real);
    memcpy(r->z, x->q, bytes), memcpy(r->z + n, x->p, bytes);
    memcpy(r->low, x->q_low, bytes), memcpy(r->low + n, x->p_low, bytes);
    r->t0 = x->t, r->t0_low = x->t_low, r->h = h;
}

static void move_state(scheme *r, state *x)
{
    X(add_compensated)(x->q, x->q_low, r->move, x->n);
    X(add_compensated)(x->p, x->p_low, r->move + x->n, x->n);
}

/* Section 11: each of the constraints where its residual exceeds eps, positions first. */
static int correct(scheme *r, state *x)
{
    static const unsigned order[] = { PROJECT_POSITION, PROJECT_MOMENTUM };
    newton_counts *counts = &r->newton.counts;
    int any = 0;
    for (int i = 0; i < 2; i++) {
        int done = 0;
        if (!(r->options.project & order[i])) continue;
        begin_at(r, x, 0);
        int status = r->f->class->project(r->f->self, order[i], r->options.eps, x->t, r->z, r->move, &done);
        if (status) return status;
        if (!done) continue;
        any = 1;
        if (order[i] == PROJECT_POSITION)
            counts->position_projections++;
        else
            counts->momentum_projections++;
        move_state(r, x);
    }
    counts->projected_steps += any;
    return TAUT_OK;
}

static int fixed_step(scheme *r, state *x, real h)
{
    begin_at(r, x, h);
    int status = r->options.type == SCHEME_RK4 ? X(scheme_explicit)(r, x, &X(scheme_classical)) : X(scheme_implicit)(r);
    if (status) return status;
    move_state(r, x);
    X(state_next_time)(x, h, &x->t, &x->t_low);
    return correct(r, x);
}

/* ---- steps by the error ---- */

/* A step shorter than this part of the way is a failure, and so are more tries than this, seconds for a small model. */
#define SHORTEST 1e-12
#define TRIES 1000000

/* The largest of some numbers, here or after the step. */
static real size_of(const scheme *r, size_t first, size_t count)
{
    real most = real_largest(r->z + first, count);
    for (size_t i = first; i < first + count; i++) most = real_most(most, r->z[i] + r->move[i]);
    return most;
}

/* In the max norm, as it is, or in units of q and of p. Coordinates that are small have no size of their own; momenta
   that are, have the one that the step gives them. */
static real error_of(const scheme *r)
{
    const size_t n = r->s->n;
    if (!r->options.relative) return real_largest(r->error, r->size);
    const real q = real_largest(r->error, n), p = real_largest(r->error + n, n);
    const real q_size = REAL(fmax)(size_of(r, 0, n), r->s->least), p_size = size_of(r, n, n);
    return real_most(q > 0 ? q / q_size : q, p > 0 ? p / p_size : p);
}

/* Steps with max-norm error at most the tolerance; after each, accepted or not, the size is multiplied by 0.9
   (tol/error)^(1/5), at least 0.2 and at most 5. The size is part of the state, so that what comes does not depend on
   what was. */
static int variable_steps(scheme *r, state *x, real way)
{
    real tolerance = r->options.tolerance, length = REAL(fabs)(way), end, end_low;
    X(state_next_time)(x, way, &end, &end_low);
    if (!(*x->step > 0)) *x->step = r->options.first > 0 ? r->options.first : length;
    for (long tries = 0; tries < TRIES; tries++) {
        const int stopped = taut_stopped(r->s->context);
        if (stopped) return stopped;
        real left = (end - x->t) + (end_low - x->t_low);
        int last = *x->step >= REAL(fabs)(left);
        real h = last ? left : way > 0 ? *x->step : -*x->step, factor = 5;
        begin_at(r, x, h);
        int status = X(scheme_explicit)(r, x, &X(scheme_fehlberg));
        if (status < 0 || status == TAUT_OUT_OF_MEMORY) return status;
        real error = status ? (real)NAN : error_of(r);
        int finite = error - error == 0, good = finite && error <= tolerance;
        if (!finite)
            factor = (real)0.2;
        else if (error > 0)
            factor = REAL(fmin)(5, REAL(fmax)((real)0.2, (real)0.9 * ELEMENTARY(pow)(tolerance / error, (real)1 / 5)));
        /* a last step that was cut short says little about the next one, unless it was too long itself */
        if (!last || factor < 1) *x->step = REAL(fabs)(h) * factor;
        if (good) {
            move_state(r, x);
            if (last)
                x->t = end, x->t_low = end_low;
            else
                X(state_next_time)(x, h, &x->t, &x->t_low);
            int corrected = correct(r, x);
            if (corrected || last) return corrected;
            continue;
        }
        r->newton.counts.rejected++;
        if (*x->step > (real)SHORTEST * length) continue;
        return status ? status
                      : taut_fail(r->s->context, TAUT_NO_CONVERGENCE,
                                  "at t = %.9g: %s error of %.1e a step needs steps below %.1e; try a larger %s",
                                  (double)x->t, r->options.relative ? "a relative" : "an", (double)tolerance,
                                  (double)*x->step, r->options.relative ? "rtol" : "tol");
    }
    return taut_fail(r->s->context, TAUT_NO_CONVERGENCE,
                     "at t = %.9g: a step of %.3g takes more than %d steps of its own, now of %.1e; try a shorter "
                     "step, or a larger %s",
                     (double)x->t, (double)way, TRIES, (double)*x->step, r->options.relative ? "rtol" : "tol");
}

static int general_step(scheme *r, state *x, real h)
{
    r->f->class->begin(r->f->self, x);
    r->has_lambda = 0;
    if (r->s->c) memcpy(r->lambda, x->lambda, r->s->c * sizeof(real));
    int status = r->options.type == SCHEME_RKF45 ? variable_steps(r, x, h) : fixed_step(r, x, h);
    if (!status) status = r->f->class->end(r->f->self, x);
    if (!status && r->has_lambda && r->s->c) memcpy(x->lambda, r->lambda, r->s->c * sizeof(real));
    return status;
}

int X(scheme_step)(scheme *r, state *x, real h)
{
    if (r->lowered && !r->general_alone && X(program_step)(r->lowered, x, h, NULL) == PROGRAM_DONE) {
        r->newton.counts.evaluations += r->stages;
        return TAUT_OK;
    }
    X(state_copy)(x, &r->next);
    int status = general_step(r, &r->next, h);
    if (!status) X(state_copy)(&r->next, x);
    return status;
}

long X(scheme_steps)(scheme *r, state *x, const real *lengths, int stride, long count, multiplier_growth *size)
{
    if (!r->lowered || r->general_alone) return 0;
    const long done = X(program_steps)(r->lowered, x, lengths, stride, count, size);
    r->newton.counts.evaluations += done * r->stages;
    return done;
}
