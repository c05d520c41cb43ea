#include "contact/cone_finish.h"

#include <string.h>

#include "base/room.h"
#include "linalg/dense.h"

#define SINGULAR 1e-12       /* a pivot of a matrix with a diagonal of ones that is none */
#define SOFT_NORMAL 1e-7     /* of the diagonal */
#define SOFT_TANGENT 1e-5    /* friction is avoided where normal forces do as well */
#define LEVELS 3             /* of less softening, each a hundredth of that before */
#define SWEEPS 2000
#define SLIPS (10000 * REAL_EPSILON)
#define AT_LIMIT ((real)1e-6)
#define AGREE ((real)1e-9)   /* velocities that depend on each other do so by round-off of larger ones */

typedef struct {
    int contacts, rows;
    cone_contact *c;
    const real *W, *b, *softening;
    void *room;         /* of the arrays below */
    real *u, *size;     /* W P + b, and the size of its terms */
    real *F, *A, *Q, *trial, *step, *best;
    real part;          /* of D in the matrix */
    int *pivot;
    real speed;         /* the largest b, in units of the square roots of the diagonal */
    real scale;         /* of r in P - r u: another one leads another way */
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

/* ---- Newton's method on the natural map ---- */

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

static real length(const real *x, int count) { return REAL(sqrt)(x[0] * x[0] + (count > 1 ? x[1] * x[1] : 0)); }

/* r: impulses that belong to velocities; 1/W_NN, and one for all tangential rows. */
static real impulse_of(const finish *k, const cone_contact *c, int tangential)
{
    real w = 0;
    for (int t = tangential; t <= (tangential ? c->tangents : 0); t++)
        w = real_most(w, k->W[(size_t)(c->first + t) * (size_t)(k->rows + 1)]);
    return k->scale * (w > 0 ? 1 / w : 1);
}

static int is_given(const cone_contact *c) { return c->sliding || !(c->mu > 0); }

/* z = P_T - r u_T, which the law projects onto the disc of radius mu P_N. Returns its length. */
static real pushed(const finish *k, const cone_contact *c, const real *P, real *z)
{
    real r = impulse_of(k, c, 1);
    z[0] = z[1] = 0;
    for (int t = 0; t < c->tangents; t++) z[t] = P[c->first + 1 + t] - r * k->u[c->first + 1 + t];
    return length(z, 2);
}

/* F: velocities that must be zero, in the rows of contacts that act and stick; impulses elsewhere, in units of
   velocities. Returns its largest part relative to the terms of the velocities. */
static real natural_map(finish *k, const real *P)
{
    real most = 0;
    find_velocities(k, P);
    for (int i = 0; i < k->contacts; i++) {
        const cone_contact *c = &k->c[i];
        int n = c->first, acts = P[n] - impulse_of(k, c, 0) * k->u[n] > 0;
        real z[2], size = pushed(k, c, P, z), radius = c->mu * REAL(fmax)(P[n], 0);
        real unit = 1 / impulse_of(k, c, 1);
        k->F[n] = acts ? k->u[n] : P[n] / impulse_of(k, c, 0);
        for (int t = 0; t < c->tangents; t++) {
            int r = n + 1 + t;
            k->F[r] = !acts           ? unit * P[r]
                      : is_given(c)   ? unit * (P[r] + (c->sliding ? c->mu * c->direction[t] * P[n] : 0))
                      : size > radius ? unit * (P[r] - radius * z[t] / size)
                                      : k->u[r];
        }
        for (int t = 0; t <= c->tangents; t++)
            most = REAL(fmax)(most, REAL(fabs)(k->F[n + t]) / (k->size[n + t] > 0 ? k->size[n + t] : 1));
    }
    return most;
}

/* Row r of contact c with P_T = mu P_N z/|z|: its derivative, in the units of F. */
static void slip_row(const finish *k, const cone_contact *c, int t, const real *z, real size, real normal, real *a)
{
    size_t rows = (size_t)k->rows;
    real r = impulse_of(k, c, 1), part = c->mu * REAL(fmax)(normal, 0) / size;
    memset(a, 0, rows * sizeof *a);
    for (int s = 0; s < c->tangents; s++) { /* (I - z z'/|z|^2) (dP_T - r W dP) */
        real turn = part * ((s == t ? 1 : 0) - z[t] * z[s] / (size * size));
        const real *w = k->W + (size_t)(c->first + 1 + s) * rows;
        for (size_t j = 0; j < rows; j++) a[j] += turn * r * w[j];
        a[c->first + 1 + s] -= turn;
    }
    a[c->first + 1 + t] += 1;
    a[c->first] -= normal > 0 ? c->mu * z[t] / size : 0;
    for (size_t j = 0; j < rows; j++) a[j] /= r;
}

/* The matrix of the natural map at P, whose u and F are there, with W + D for W. */
static void fill_matrix(finish *k, const real *P)
{
    size_t rows = (size_t)k->rows;
    memset(k->A, 0, rows * rows * sizeof *k->A);
    for (int i = 0; i < k->contacts; i++) {
        const cone_contact *c = &k->c[i];
        int n = c->first, acts = P[n] - impulse_of(k, c, 0) * k->u[n] > 0;
        real z[2], size = pushed(k, c, P, z), radius = c->mu * REAL(fmax)(P[n], 0);
        for (int t = 0; t <= c->tangents; t++) {
            size_t r = (size_t)(n + t);
            real *a = k->A + r * rows;
            if (!acts || (t && is_given(c))) {
                a[r] = 1 / impulse_of(k, c, t > 0);
                if (acts && c->sliding) a[n] += a[r] * c->mu * c->direction[t - 1];
            } else if (t && size > radius) {
                slip_row(k, c, t - 1, z, size, P[n], a);
            } else {
                memcpy(a, k->W + r * rows, rows * sizeof *a);
                a[r] += k->part * k->softening[r];
            }
        }
    }
}

/* k->best := k->Q, as far as they say. */
static void keep_best(finish *k, real size, real *best)
{
    if (size >= *best) return;
    *best = size;
    memcpy(k->best, k->Q, (size_t)k->rows * sizeof *k->Q);
}

/* k->Q: to a zero of the natural map. D keeps corrections small where W is singular, and makes those slow to which W
   answers little: slips at the far end of a row of bodies that are small beside those at its other end. As long as they
   are left, D is made less, and what it held back goes to the edge of its cone, and slips. */
static int iterate(finish *k)
{
    real size = natural_map(k, k->Q), before = 2 * size, best = AGREE;
    k->part = 1;
    for (int turn = 0, since = 0, level = 0; turn < 60 + 20 * level; turn++, since++) {
        int finite = size - size == 0;
        if (!finite && level == 0) return 0;
        if (finite) keep_best(k, size, &best);
        if (finite && size <= 16 * REAL_EPSILON) return 1;
        if (!finite || (since > 2 && size < AGREE && size > before / 2)) {
            if (!finite || level == LEVELS || size < SLIPS / 2) break;
            level++;
            since = 0;
            k->part /= 100;
        }
        fill_matrix(k, k->Q);
        if (X(dense_factor)(k->rows, k->A, k->pivot, 0)) break;
        X(dense_solve)(k->rows, k->A, k->pivot, k->F);
        memcpy(k->trial, k->Q, (size_t)k->rows * sizeof *k->Q);
        memcpy(k->step, k->F, (size_t)k->rows * sizeof *k->F);
        before = size;
        real part = 1;
        for (int halving = 0; halving < 12; halving++, part /= 2) { /* a full step where none of them helps */
            real by = halving == 11 ? 1 : part;
            for (int r = 0; r < k->rows; r++) k->Q[r] = k->trial[r] - by * k->step[r];
            size = natural_map(k, k->Q);
            if (size < before || before < AGREE || level) break;
        }
    }
    if (!(best < AGREE)) return 0;
    memcpy(k->Q, k->best, (size_t)k->rows * sizeof *k->Q);
    return 1;
}

static void lay_out(void *self, room_layout *l)
{
    finish *k = self;
    size_t rows = (size_t)k->rows;
    k->u = room_reals(l, rows), k->size = room_reals(l, rows);
    k->F = room_reals(l, rows), k->Q = room_reals(l, rows);
    k->trial = room_reals(l, rows), k->step = room_reals(l, rows), k->best = room_reals(l, rows);
    k->A = room_reals(l, rows * rows);
    k->pivot = room_take(l, rows, sizeof *k->pivot);
}

/* Into the cones exactly, where an ulp is missing; and who slips. */
static void read_answer(finish *k, real *P)
{
    find_velocities(k, k->Q);
    for (int i = 0; i < k->contacts; i++) {
        cone_contact *c = &k->c[i];
        real *from = k->Q + c->first;
        int acts = from[0] - impulse_of(k, c, 0) * k->u[c->first] > 0;
        if (!acts || !(from[0] > 0)) memset(from, 0, (size_t)(1 + c->tangents) * sizeof *from);
        real most = c->mu * from[0], size = c->tangents ? length(from + 1, c->tangents) : 0;
        for (int t = 1; t <= c->tangents && size > most; t++) from[t] *= most / size;
        /* what is inside its cone sticks, though its slip may have been left off zero */
        c->slips = from[0] > 0 && c->tangents && !is_given(c) && size > (1 - AT_LIMIT) * most &&
                   length(k->u + c->first + 1, c->tangents) > SLIPS * k->size[c->first + 1];
    }
    memcpy(P, k->Q, (size_t)k->rows * sizeof *P);
}

int X(cone_finish)(taut_context *context, int count, cone_contact *contacts, int rows, const real *W, const real *b,
                   const real *softening, real *P, int *done)
{
    finish k = { .contacts = count, .rows = rows, .c = contacts, .W = W, .b = b, .softening = softening };
    int status = room_create(context, lay_out, &k, &k.room);
    *done = 0;
    if (status) return status;
    for (int r = 0; r < rows; r++) {
        real w = REAL(sqrt)(REAL(fabs)(W[(size_t)r * (size_t)(rows + 1)]));
        k.speed = w > 0 ? REAL(fmax)(k.speed, REAL(fabs)(b[r]) / w) : k.speed;
    }
    static const double scales[] = { 1, 0.1, 10, 0.01 };
    for (int i = 0; !*done && i < 4; i++) {
        k.scale = (real)scales[i];
        memcpy(k.Q, P, (size_t)rows * sizeof *P);
        *done = iterate(&k);
    }
    if (*done) read_answer(&k, P);
    room_free(context, &k.room);
    return TAUT_OK;
}
