#include "contact/cone_finish.h"

#include <string.h>

#include "base/room.h"
#include "linalg/dense.h"

#define SINGULAR 1e-12       /* a pivot of a matrix with a diagonal of ones that is none */
#define SOFT_NORMAL 1e-7     /* of the diagonal */
#define SOFT_TANGENT 1e-5    /* friction is avoided where normal forces do as well */
#define SWEEPS 2000
#define ULPS (1000 * REAL_EPSILON)
#define AGREE ((real)1e-9)   /* velocities that depend on each other do so by round-off of larger ones */

/* What a contact does. */
typedef enum {
    ACT_NONE,     /* P = 0, u_N >= 0 */
    ACT_GIVEN,    /* u_N = 0, friction is a given part of the normal impulse */
    ACT_STICKS,   /* u = 0 */
    ACT_LIMIT,    /* u_N = 0, P_T = mu P_N along the direction of the answer before; no slip to speak of */
    ACT_SLIPS     /* u_N = 0, P_T = -mu P_N u_T/|u_T| */
} act;

typedef struct {
    int contacts, rows;
    cone_contact *c;
    const real *W, *b, *softening;
    void *room;         /* of the arrays below */
    act *acts;
    real (*part)[2];    /* P_T / P_N of ACT_GIVEN and ACT_LIMIT */
    real *u, *size;     /* W P + b, and the size of its terms */
    real *F, *A, *Q;
    int *pivot;
    real speed;         /* the largest b, in units of the square roots of the diagonal */
} finish;

int X(cone_is_singular)(int rows, const real *W, real *work)
{
    size_t n = (size_t)rows;
    for (size_t r = 0; r < n; r++)
        for (size_t s = 0; s < n; s++) {
            real size = REAL(sqrt)(REAL(fabs)(W[r * n + r] * W[s * n + s]));
            work[r * n + s] = size > 0 ? W[r * n + s] / size : 0;
        }
    for (size_t k = 0; k < n; k++) {
        size_t best = k;
        for (size_t r = k; r < n; r++)
            if (work[r * n + r] > work[best * n + best]) best = r;
        if (!(work[best * n + best] > (real)SINGULAR)) return 1;
        for (size_t s = 0; s < n; s++) { /* rows, then columns */
            real t = work[k * n + s];
            work[k * n + s] = work[best * n + s], work[best * n + s] = t;
        }
        for (size_t r = 0; r < n; r++) {
            real t = work[r * n + k];
            work[r * n + k] = work[r * n + best], work[r * n + best] = t;
        }
        for (size_t r = k + 1; r < n; r++) {
            real factor = work[r * n + k] / work[k * n + k];
            for (size_t s = k + 1; factor != 0 && s < n; s++) work[r * n + s] -= factor * work[k * n + s];
        }
    }
    return 0;
}

void X(cone_softening)(int count, const cone_contact *contacts, int rows, const real *W, real *softening)
{
    real most = 0;
    for (int r = 0; r < rows; r++) most = real_most(most, W[(size_t)r * (size_t)(rows + 1)]);
    for (int i = 0; i < count; i++)
        for (int t = 0; t <= contacts[i].tangents; t++) {
            int r = contacts[i].first + t;
            real w = W[(size_t)r * (size_t)(rows + 1)];
            softening[r] = (t ? (real)SOFT_TANGENT : (real)SOFT_NORMAL) * (w > 0 ? w : most > 0 ? most : 1);
        }
}

/* ---- sweeps ---- */

static real velocity(int rows, const real *W, const real *b, const real *P, int r)
{
    real u = b[r];
    for (int s = 0; s < rows; s++) u += W[(size_t)r * (size_t)rows + (size_t)s] * P[s];
    return u;
}

void X(cone_sweep)(int count, const cone_contact *contacts, int rows, const real *W, const real *b, real *P)
{
    memset(P, 0, (size_t)rows * sizeof *P);
    for (int sweep = 0; sweep < SWEEPS; sweep++)
        for (int i = 0; i < count; i++) {
            const cone_contact *c = &contacts[i];
            real w = W[(size_t)c->first * (size_t)(rows + 1)], size = 0;
            real *T = P + c->first + 1;
            if (!(w > 0)) continue;
            P[c->first] = REAL(fmax)(P[c->first] - velocity(rows, W, b, P, c->first) / w, 0);
            real most = c->mu * P[c->first];
            for (int t = 0; t < c->tangents; t++) {
                int r = c->first + 1 + t;
                w = W[(size_t)r * (size_t)(rows + 1)];
                T[t] = c->sliding ? -most * c->direction[t]
                       : w > 0    ? T[t] - velocity(rows, W, b, P, r) / w
                                  : 0;
                size += T[t] * T[t];
            }
            size = REAL(sqrt)(size);
            for (int t = 0; t < c->tangents && !c->sliding && size > most; t++) T[t] *= most / size;
        }
}

/* ---- the equations of a choice ---- */

static void find_velocities(finish *k, const real *P)
{
    for (int r = 0; r < k->rows; r++) {
        real u = k->b[r], size = REAL(fabs)(u);
        for (int s = 0; s < k->rows; s++) {
            real part = k->W[(size_t)r * (size_t)k->rows + (size_t)s] * P[s];
            u += part;
            size += REAL(fabs)(part);
        }
        k->u[r] = u;
        k->size[r] = size + REAL(sqrt)(REAL(fabs)(k->W[(size_t)r * (size_t)(k->rows + 1)])) * k->speed;
    }
}

static real slip_size(const finish *k, const cone_contact *c)
{
    real sum = 0;
    for (int t = 1; t <= c->tangents; t++) sum += k->u[c->first + t] * k->u[c->first + t];
    return REAL(sqrt)(sum);
}

static real friction_size(const cone_contact *c, const real *P)
{
    real sum = 0;
    for (int t = 1; t <= c->tangents; t++) sum += P[c->first + t] * P[c->first + t];
    return REAL(sqrt)(sum);
}

/* Row r of a contact that slips: P_T |u_T| + mu P_N u_T = 0 */
static void slip_row(const finish *k, const cone_contact *c, int r, const real *P, real *a)
{
    size_t rows = (size_t)k->rows;
    real size = slip_size(k, c);
    for (size_t s = 0; s < rows; s++) {
        real grow = 0;
        for (int t = 1; t <= c->tangents; t++)
            grow += k->u[c->first + t] * k->W[(size_t)(c->first + t) * rows + s];
        a[s] = c->mu * P[c->first] * k->W[(size_t)r * rows + s] + (size > 0 ? P[r] * grow / size : 0);
    }
    a[r] += size;
    a[c->first] += c->mu * k->u[r];
    k->F[r] = P[r] * size + c->mu * P[c->first] * k->u[r];
}

static void equations(finish *k, const real *P)
{
    size_t rows = (size_t)k->rows;
    memset(k->A, 0, rows * rows * sizeof *k->A);
    find_velocities(k, P);
    for (int i = 0; i < k->contacts; i++) {
        const cone_contact *c = &k->c[i];
        act does = k->acts[i];
        for (int t = 0; t <= c->tangents; t++) {
            int r = c->first + t;
            real *a = k->A + (size_t)r * rows;
            if (does == ACT_NONE || (t && (does == ACT_GIVEN || does == ACT_LIMIT))) {
                real part = does == ACT_NONE || !t ? 0 : k->part[i][t - 1];
                k->F[r] = P[r] - part * P[c->first];
                a[r] = 1;
                if (t) a[c->first] -= part;
            } else if (t && does == ACT_SLIPS) {
                slip_row(k, c, r, P, a);
            } else {
                memcpy(a, k->W + (size_t)r * rows, rows * sizeof *a);
                a[r] += k->softening[r];
                k->F[r] = k->u[r];
            }
        }
    }
}

/* Whether what must be zero is. */
static int is_solved(const finish *k, const real *P)
{
    for (int i = 0; i < k->contacts; i++) {
        const cone_contact *c = &k->c[i];
        if (k->acts[i] == ACT_NONE) continue;
        for (int t = 0; t <= c->tangents; t++) {
            int r = c->first + t;
            real scale = k->size[r] * (t && k->acts[i] == ACT_SLIPS ? c->mu * REAL(fabs)(P[c->first]) : 1);
            if (t && (k->acts[i] == ACT_GIVEN || k->acts[i] == ACT_LIMIT)) continue; /* exact in each correction */
            if (!(REAL(fabs)(k->F[r]) <= 16 * REAL_EPSILON * scale)) return 0;
        }
    }
    return 1;
}

/* k->Q: to the solution for the acts at hand. */
static int iterate(finish *k)
{
    real before = 0;
    for (int turn = 0; turn < 40; turn++) {
        real size = 0;
        equations(k, k->Q);
        for (int r = 0; r < k->rows; r++) size = REAL(fmax)(size, REAL(fabs)(k->F[r]) / (k->size[r] > 0 ? k->size[r] : 1));
        if (!(size - size == 0)) return 0;
        if (turn && (is_solved(k, k->Q) || (turn > 2 && size < AGREE && size > before / 2))) return 1;
        if (X(dense_factor)(k->rows, k->A, k->pivot, 0)) return 0;
        X(dense_solve)(k->rows, k->A, k->pivot, k->F);
        for (int r = 0; r < k->rows; r++) k->Q[r] -= k->F[r];
        before = size;
    }
    return 0;
}

/* ---- the choice ---- */

static void set_limit(finish *k, int i, const real *P)
{
    const cone_contact *c = &k->c[i];
    real size = friction_size(c, P);
    k->acts[i] = size > 0 ? ACT_LIMIT : ACT_STICKS;
    for (int t = 0; t < c->tangents && size > 0; t++) k->part[i][t] = c->mu * P[c->first + 1 + t] / size;
}

static void first_choice(finish *k, const real *P)
{
    find_velocities(k, P);
    for (int i = 0; i < k->contacts; i++) {
        const cone_contact *c = &k->c[i];
        real slip = slip_size(k, c), tangent = c->tangents ? k->size[c->first + 1] : 0;
        for (int t = 0; t < c->tangents; t++) k->part[i][t] = c->sliding ? -c->mu * c->direction[t] : 0;
        k->acts[i] = !(P[c->first] > 0) ? ACT_NONE : !c->tangents || c->sliding || c->mu == 0 ? ACT_GIVEN : ACT_STICKS;
        if (k->acts[i] != ACT_STICKS || !(slip > (real)1e-5 * tangent)) continue;
        set_limit(k, i, P);
        if (c->tangents == 2 && k->acts[i] == ACT_LIMIT) k->acts[i] = ACT_SLIPS;
    }
}

/* Corrects what is most wrong with the acts. Returns whether there was something. */
static int correct(finish *k, const real *P)
{
    real worst = 0;
    int which = -1;
    act better = ACT_NONE;
    find_velocities(k, P);
    for (int i = 0; i < k->contacts; i++) {
        const cone_contact *c = &k->c[i];
        int n = c->first;
        real w = REAL(sqrt)(REAL(fabs)(k->W[(size_t)n * (size_t)(k->rows + 1)]));
        real unit = w > 0 && k->speed > 0 ? k->speed / w : 1; /* of impulses */
        real wrong = 0;
        act to = ACT_NONE;
        if (k->acts[i] == ACT_NONE) {
            wrong = -k->u[n] / k->size[n], to = c->tangents && !c->sliding && c->mu > 0 ? ACT_STICKS : ACT_GIVEN;
        } else if (P[n] < 0) {
            wrong = -P[n] / unit;
        } else if (k->acts[i] == ACT_STICKS) {
            wrong = (friction_size(c, P) - c->mu * P[n]) / unit, to = ACT_LIMIT;
        } else if (k->acts[i] == ACT_LIMIT) {
            real along = 0, slip = slip_size(k, c), scale = k->size[n + 1];
            for (int t = 1; t <= c->tangents; t++) along += P[n + t] * k->u[n + t];
            if (along > 0) wrong = slip / scale, to = ACT_STICKS;
            else if (c->tangents == 2) wrong = slip / scale, to = ACT_SLIPS;
        }
        if (!(wrong > ULPS) || wrong <= worst) continue;
        worst = wrong, which = i, better = to;
    }
    if (which < 0) return 0;
    if (better == ACT_LIMIT) set_limit(k, which, P);
    else k->acts[which] = better;
    return 1;
}

static void lay_out(void *self, room_layout *l)
{
    finish *k = self;
    size_t count = (size_t)k->contacts, rows = (size_t)k->rows;
    k->acts = room_take(l, count, sizeof *k->acts);
    k->part = room_take(l, count, sizeof *k->part);
    k->u = room_reals(l, rows), k->size = room_reals(l, rows);
    k->F = room_reals(l, rows), k->Q = room_reals(l, rows);
    k->A = room_reals(l, rows * rows);
    k->pivot = room_take(l, rows, sizeof *k->pivot);
}

/* Into the cones exactly, where an ulp is missing; and who slips. */
static void read_answer(finish *k, real *P)
{
    find_velocities(k, k->Q);
    for (int i = 0; i < k->contacts; i++) {
        cone_contact *c = &k->c[i];
        real *from = k->Q + c->first, most = c->mu * REAL(fmax)(from[0], 0), size = friction_size(c, k->Q);
        if (k->acts[i] == ACT_NONE) memset(from, 0, (size_t)(1 + c->tangents) * sizeof *from);
        from[0] = REAL(fmax)(from[0], 0);
        for (int t = 1; t <= c->tangents && size > most; t++) from[t] *= most / size;
        c->slips = (k->acts[i] == ACT_LIMIT || k->acts[i] == ACT_SLIPS) &&
                   slip_size(k, c) > ULPS * k->size[c->first + 1];
    }
    memcpy(P, k->Q, (size_t)k->rows * sizeof *P);
}

int X(cone_finish)(taut_context *context, int count, cone_contact *contacts, int rows, const real *W, const real *b,
                   const real *softening, real *P, int *done)
{
    finish k = { .contacts = count, .rows = rows, .c = contacts, .W = W, .b = b, .softening = softening };
    int status = room_create(context, lay_out, &k, &k.room), right = 0;
    *done = 0;
    if (status) return status;
    for (int r = 0; r < rows; r++) {
        real w = REAL(sqrt)(REAL(fabs)(W[(size_t)r * (size_t)(rows + 1)]));
        k.speed = w > 0 ? REAL(fmax)(k.speed, REAL(fabs)(b[r]) / w) : k.speed;
    }
    memcpy(k.Q, P, (size_t)rows * sizeof *P);
    first_choice(&k, P);
    for (int turn = 0; !right && turn < 20 + 6 * count; turn++) {
        if (!iterate(&k)) break;
        right = !correct(&k, k.Q);
    }
    if (right) read_answer(&k, P);
    *done = right;
    taut_mem_free(context, k.room);
    return TAUT_OK;
}
