#include "solve/flow.h"

#include <string.h>

#include "base/elementary.h"
#include "base/room.h"
#include "solve/start.h"
#include "solve/subset.h"

/* Columns of the extrapolation: order 2 COLUMNS. More let the steps grow and the rounding errors with them. */
#ifdef TAUT_REAL_QUAD
#define COLUMNS 12
#else
#define COLUMNS 7
#endif
#define SHORTEST 1e-10 /* a step shorter than this part of the way is a failure */
#define NEAR 1e-4      /* constraints this near to depending on each other, relative to the start, */
#define SLOW 1e-3      /* and a step this short, relative to the longest before: the flow cannot tell where to go on */
#define TIMES 60       /* factors of four between the first guess of a time and the last */

struct flow {
    struct system *s;
    acceleration *acceleration;
    subset *subset;               /* constraints that a step is taken with; NULL: all, and nobody looks at them */
    double independent, at_first; /* how much they are, where f->y is and where it was first */
    real longest;                 /* of the steps */
    flow_field *field;            /* instead of it, where the equations of motion are another's */
    void *owner;
    uint32_t size;                /* of y = (q, w) */
    void *room;                   /* of the arrays below */
    real *y, *before, *now, *next, *rate, *first_rate, *lambda;
    real *known;                  /* multipliers at y: the guess to begin with; lambda may come from a failed attempt */
    real *table[COLUMNS];         /* the last row of the extrapolation, column by column */
    real step;                    /* that the last advance ended with; 0: none yet */
};

void X(flow_destroy)(flow *f)
{
    if (!f) return;
    X(acceleration_destroy)(f->acceleration);
    X(subset_destroy)(f->subset);
    room_free(f->s->context, &f->room);
    taut_mem_free(f->s->context, f);
}

static void lay_out(void *self, room_layout *l)
{
    flow *f = self;
    f->y = room_reals(l, f->size);
    f->before = room_reals(l, f->size);
    f->now = room_reals(l, f->size);
    f->next = room_reals(l, f->size);
    f->rate = room_reals(l, f->size);
    f->first_rate = room_reals(l, f->size);
    for (int i = 0; i < COLUMNS; i++) f->table[i] = room_reals(l, f->size);
    f->lambda = room_reals(l, f->s->c), f->known = room_reals(l, f->s->c);
}

int X(flow_create)(struct system *s, flow **result) { return X(flow_create_along)(s, NULL, NULL, result); }

int X(flow_create_along)(struct system *s, flow_field *field, void *owner, flow **result)
{
    *result = NULL;
    flow *f = taut_mem_new(s->context, 1, sizeof *f);
    if (!f) return TAUT_OUT_OF_MEMORY;
    f->s = s;
    f->field = field;
    f->owner = owner;
    f->size = 2 * s->n;
    int status = room_create(s->context, lay_out, f, &f->room);
    if (!status && !field) status = X(acceleration_create)(s, &f->acceleration);
    if (!status && !field) status = X(subset_create)(s, &f->subset);
    if (!status && !field && s->softening && !f->subset)
        status = taut_fail(s->context, TAUT_UNSUPPORTED,
                           "the exact solution of a model whose constraints depend on each other is for up to some "
                           "hundred of them, not %u", s->c);
    if (status)
        X(flow_destroy)(f);
    else
        *result = f;
    return status;
}

/* Beside the constraints those that depend on each other contradict each other: the stages of a step are. So a step is
   taken with as many as are independent, chosen where it begins; on the constraints the motion does not depend on
   which. */
static void choose_constraints(flow *f, real t)
{
    if (!f->subset) return;
    place at = place_at(f->s, f->y, f->y + f->s->n, &t, f->known);
    f->independent = X(subset_look)(f->subset, &at);
    if (!(f->at_first > 0)) f->at_first = f->independent;
    if (f->s->softening)
        X(acceleration_keep)(f->acceleration, X(subset_kept)(f->subset), X(subset_leaving)(f->subset));
}

static int rate(flow *f, real t, const real *y, real *out)
{
    uint32_t n = f->s->n;
    if (f->field) return f->field(f->owner, t, y, out);
    int status = X(acceleration_solve)(f->acceleration, y, y + n, t, f->lambda, NULL);
    if (status) return status;
    place at = place_at(f->s, y, y + n, &t, f->lambda);
    X(system_velocity)(f->s, &at, out);
    memcpy(out + n, X(acceleration_stage_rate)(f->acceleration), n * sizeof(real));
    return TAUT_OK;
}

/* `parts` (even) steps of the midpoint rule, the first by Euler: an expansion of the error in (H/parts)^2.
   Leaves the result in f->now. */
static int midpoint(flow *f, real t, real H, int parts)
{
    real h = H / parts;
    memcpy(f->before, f->y, f->size * sizeof(real));
    for (uint32_t i = 0; i < f->size; i++) f->now[i] = f->y[i] + h * f->first_rate[i];
    for (int k = 1; k < parts; k++) {
        int status = rate(f, t + k * h, f->now, f->rate);
        if (status) return status;
        for (uint32_t i = 0; i < f->size; i++) f->next[i] = f->before[i] + 2 * h * f->rate[i];
        real *swap = f->before;
        f->before = f->now, f->now = f->next, f->next = swap;
    }
    return TAUT_OK;
}

/* Row `row` of the scheme of Aitken and Neville over the row before, which f->table holds. */
static void extrapolate(flow *f, int row)
{
    for (uint32_t i = 0; i < f->size; i++) {
        real above = f->table[0][i], entry = f->now[i];
        f->table[0][i] = entry;
        for (int k = 1; k <= row; k++) {
            real ratio = (real)(row + 1) / (row + 1 - k);
            entry += (entry - above) / (ratio * ratio - 1);
            above = k < row ? f->table[k][i] : 0;
            f->table[k][i] = entry;
        }
    }
}

/* Difference of the last two columns, relative to the size of q or w. */
static real error_of(const flow *f)
{
    uint32_t n = f->s->n;
    const real *best = f->table[COLUMNS - 1], *other = f->table[COLUMNS - 2];
    real q = 0, w = 0;
    for (uint32_t i = 0; i < n; i++) {
        q = real_most(q, best[i] - other[i]);
        w = real_most(w, best[n + i] - other[n + i]);
    }
    real q_size = real_largest(f->y, n) + real_largest(best, n),
         w_size = real_largest(f->y + n, n) + real_largest(best + n, n);
    real q_error = q > 0 ? q / q_size : q, w_error = w > 0 ? w / w_size : w; /* a NaN passes */
    return real_most(q_error, w_error);
}

/* One step of the whole scheme. A positive status or an error that is not a number: try a shorter one. An attempt that
   diverges leaves multipliers of 1e300, from which none converges any more: each begins with those at y. */
static int attempt(flow *f, real t, real H, real *error)
{
    memcpy(f->lambda, f->known, f->s->c * sizeof(real));
    int status = rate(f, t, f->y, f->first_rate);
    if (!status) memcpy(f->known, f->lambda, f->s->c * sizeof(real));
    for (int row = 0; !status && row < COLUMNS; row++) {
        status = midpoint(f, t, H, 2 * (row + 1));
        if (!status) extrapolate(f, row);
    }
    if (!status) *error = error_of(f);
    return status;
}

/* A first step: a quarter of the time in which the state changes by its own size; of the whole way where a state at
   rest has no such time. */
static int first_step(flow *f, real t, real way, real *step)
{
    uint32_t n = f->s->n;
    int status = rate(f, t, f->y, f->first_rate);
    if (status) return status;
    real q = real_largest(f->y, n), v = real_largest(f->first_rate, n), w = real_largest(f->y + n, n),
         a = real_largest(f->first_rate + n, n);
    real slow = v > 0 && q > 0 ? q / v : way, fast = a > 0 && w > 0 ? w / a : way;
    *step = (slow < fast ? slow : fast) / 4;
    return TAUT_OK;
}

static void begin(flow *f, const state *x)
{
    uint32_t n = f->s->n;
    for (uint32_t i = 0; i < n; i++) f->y[i] = x->q[i] + x->q_low[i], f->y[n + i] = x->w[i];
    memcpy(f->lambda, x->lambda, f->s->c * sizeof(real));
    memcpy(f->known, x->lambda, f->s->c * sizeof(real));
    choose_constraints(f, x->t);
}

/* The motion is as smooth as before, and yet steps become shorter and shorter: whatever is beside the constraints by a
   rounding error is multiplied by the inverse of their independence. Beyond this point any branch may be taken. */
static int is_singular(const flow *f, real H)
{
    return f->subset && f->independent < NEAR * f->at_first && H < (real)SLOW * f->longest;
}

static int singular(flow *f, real t)
{
    char names[120];
    X(subset_names)(f->subset, f->known, names, sizeof names);
    return taut_fail(f->s->context, TAUT_SINGULAR,
                     "at t = %.6g: the constraints come to depend on each other, as they did not before (the largest "
                     "forces are those of %s): the position is singular, and the exact solution may go on in more "
                     "than one branch; or a constraint is missing that was removed as redundant (those may stay)",
                     (double)t, names);
}

int X(flow_time)(flow *f, const state *x, real tolerance, real *time)
{
    real H, error;
    *time = 0;
    begin(f, x);
    int status = first_step(f, x->t, 1, &H);
    for (int k = 0; !status && k < TIMES; k++) {
        status = attempt(f, x->t, H, &error);
        if (status == TAUT_OUT_OF_MEMORY || status < 0) return status;
        int good = !status && error <= tolerance;
        status = TAUT_OK;
        if (!good && *time > 0) return TAUT_OK;
        if (good) *time = H;
        H = good ? 4 * H : H / 4;
    }
    if (!status) *time = 0;
    return status;
}

int X(flow_advance)(flow *f, state *x, real until, real tolerance)
{
    struct system *s = f->s;
    uint32_t n = s->n;
    real t = x->t, way = until - x->t;
    begin(f, x);
    int status = f->step > 0 || !(way > 0) ? TAUT_OK : first_step(f, t, way, &f->step);
    while (!status && t < until) {
        int last = f->step >= until - t;
        real H = last ? until - t : f->step, error = 0;
        status = taut_stopped(s->context);
        if (!status) status = attempt(f, t, H, &error);
        if (status == TAUT_OUT_OF_MEMORY || status == TAUT_STOPPED || status < 0) break;
        int failed = status || !(error - error == 0);
        real factor =
            failed ? (real)0.25
                   : (real)0.9 * ELEMENTARY(pow)(tolerance / (error + REAL_EPSILON * tolerance),
                                                 (real)1 / (2 * COLUMNS - 1));
        factor = REAL(fmin)(4, REAL(fmax)((real)0.1, factor));
        if (!failed && error <= tolerance) {
            t = last ? until : t + H;
            memcpy(f->y, f->table[COLUMNS - 1], f->size * sizeof(real));
            choose_constraints(f, t);
            if (H > f->longest) f->longest = H;
            if (is_singular(f, H)) return singular(f, t);
            if (!last || factor < 1) f->step = H * factor;
            continue;
        }
        f->step = H * factor;
        if (f->step > SHORTEST * way) {
            status = TAUT_OK;
            continue;
        }
        return status ? status
                      : taut_fail(s->context, TAUT_NO_CONVERGENCE,
                                  "at t = %.9g: the reference solution needs steps below %.1e; "
                                  "the motion is not smooth there",
                                  (double)t, (double)f->step);
    }
    if (status) return status;
    x->t = until, x->t_low = 0;
    memcpy(x->q, f->y, n * sizeof(real));
    memcpy(x->w, f->y + n, n * sizeof(real));
    memcpy(x->lambda, f->lambda, s->c * sizeof(real));
    memset(x->trend, 0, 3 * (size_t)s->c * sizeof(real)); /* and the change */
    memset(x->q_low, 0, n * sizeof(real));
    memset(x->p_low, 0, n * sizeof(real));
    place at = place_at(f->s, x->q, x->w, &x->t, x->lambda);
    X(system_momentum)(s, &at, x->p);
    return s->softening ? X(start_project)(s, x) : TAUT_OK; /* all of them */
}
