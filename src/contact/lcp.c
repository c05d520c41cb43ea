#include "contact/lcp.h"

#include <string.h>

#include "base/elementary.h"
#include "base/room.h"
#include "contact/cone_finish.h"
#include "linalg/dense.h"

/* What counts as zero in problems whose entries are of the order of one. */
#define SMALL (REAL(sqrt)(REAL_EPSILON) * REAL(sqrt)(REAL(sqrt)(REAL_EPSILON)))

/* ---- Lemke ---- */

/* The tableau: rows of the basic variables; columns 0..n-1 of w, n..2n-1 of z, 2n of the artificial z0, 2n+1 the
 * right-hand side. */
typedef struct {
    int n, width;
    real *a;
    int *basic;
} tableau;

static real *row_of(const tableau *t, int i) { return t->a + (size_t)i * (size_t)t->width; }

static void pivot(tableau *t, int at, int column)
{
    real *p = row_of(t, at), scale = 1 / p[column];
    for (int k = 0; k < t->width; k++) p[k] *= scale;
    p[column] = 1;
    for (int i = 0; i < t->n; i++) {
        real *r = row_of(t, i), factor = r[column];
        if (i == at || factor == 0) continue;
        for (int k = 0; k < t->width; k++) r[k] -= factor * p[k];
        r[column] = 0;
    }
    t->basic[at] = column;
}

/* Is row i before row j in the order of (right-hand side, columns of w) / pivot element? */
static int before(const tableau *t, int i, int j, int column, real small)
{
    const real *a = row_of(t, i), *b = row_of(t, j);
    real x = a[t->width - 1] / a[column], y = b[t->width - 1] / b[column];
    if (REAL(fabs)(x - y) > small) return x < y;
    if (t->basic[i] == 2 * t->n || t->basic[j] == 2 * t->n) return t->basic[i] == 2 * t->n; /* z0 leaves when it can */
    for (int k = 0; k < t->n; k++) {
        x = a[k] / a[column], y = b[k] / b[column];
        if (REAL(fabs)(x - y) > small) return x < y;
    }
    return i < j;
}

static int leaving_row(const tableau *t, int column, real small)
{
    int best = -1;
    for (int i = 0; i < t->n; i++)
        if (row_of(t, i)[column] > small && (best < 0 || before(t, i, best, column, small))) best = i;
    return best;
}

static int run(taut_context *context, tableau *t, real small)
{
    int n = t->n, at = 0;
    for (int i = 1; i < n; i++)
        if (row_of(t, i)[t->width - 1] < row_of(t, at)[t->width - 1]) at = i;
    if (!(row_of(t, at)[t->width - 1] < 0)) return TAUT_OK;
    int left = t->basic[at];
    pivot(t, at, 2 * n);
    for (int k = 0; k < 100 + 50 * n; k++) {
        int column = left < n ? left + n : left - n; /* the complement of what left comes in */
        at = leaving_row(t, column, small);
        if (at < 0) break;
        left = t->basic[at];
        pivot(t, at, column);
        if (left == 2 * n) return TAUT_OK;
    }
    return taut_fail(context, TAUT_NO_CONVERGENCE,
                "the complementarity problem of the contacts has no solution that could be found");
}

int X(lcp_solve)(taut_context *context, int n, const real *M, const real *q, real *z)
{
    tableau t = { .n = n, .width = 2 * n + 2 };
    t.a = taut_mem_new(context, (size_t)n * (size_t)t.width, sizeof *t.a);
    t.basic = taut_mem_new(context, (size_t)n, sizeof *t.basic);
    int status = t.a && t.basic ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (int i = 0; !status && i < n; i++) {
        real *r = row_of(&t, i);
        r[i] = 1;
        for (int k = 0; k < n; k++) r[n + k] = -M[(size_t)i * (size_t)n + (size_t)k];
        r[2 * n] = -1;
        r[2 * n + 1] = q[i];
        t.basic[i] = i;
    }
    /* The caller scales: entries of M and q are of the order of one. */
    if (!status) status = run(context, &t, SMALL);
    memset(z, 0, (size_t)n * sizeof *z);
    for (int i = 0; !status && i < n; i++)
        if (t.basic[i] >= n && t.basic[i] < 2 * n) z[t.basic[i] - n] = REAL(fmax)(row_of(&t, i)[t.width - 1], 0);
    taut_mem_free(context, t.a);
    taut_mem_free(context, t.basic);
    return status;
}

/* ---- contacts ---- */

/* A column of the tangential basis of a contact: one unknown of its friction. */
typedef struct {
    int contacts, rows, size;
    cone_contact *c;
    const real *W, *b;
    void *room;         /* of the arrays below */
    real *scale;        /* per contact: P = scale * unknown */
    int *normal, *edge, *slack; /* first unknown of each contact; edge and slack are -1 without friction to be found */
    real (*turn)[2];    /* direction of the first edge */
    real *D;            /* rows x size: P = D z */
    real *M, *q, *z;
    real *softening, *softened; /* D (rows), W + D (rows x rows): contacts that depend on each other */
} cone;

static int sides(const cone_contact *c)
{
    return c->sliding || c->mu == 0 ? 0 : c->tangents == 2 ? CONE_SIDES : 2 * c->tangents;
}

static int count_unknowns(const cone *k)
{
    int size = 0;
    for (int i = 0; i < k->contacts; i++) size += 1 + (sides(&k->c[i]) ? sides(&k->c[i]) + 1 : 0);
    return size;
}

static void number_unknowns(cone *k)
{
    int next = 0;
    for (int i = 0; i < k->contacts; i++) {
        int count = sides(&k->c[i]);
        k->normal[i] = next++;
        k->edge[i] = count ? next : -1;
        next += count;
        k->slack[i] = count ? next++ : -1;
    }
}

/* Each unknown as a column of impulses. */
static void fill_directions(cone *k)
{
    int n = k->size;
    memset(k->D, 0, (size_t)k->rows * (size_t)n * sizeof *k->D);
    for (int i = 0; i < k->contacts; i++) {
        const cone_contact *c = &k->c[i];
        k->D[(size_t)c->first * (size_t)n + (size_t)k->normal[i]] = k->scale[i];
        for (int t = 0; c->sliding && t < c->tangents; t++)
            k->D[(size_t)(c->first + 1 + t) * (size_t)n + (size_t)k->normal[i]] =
                -c->mu * c->direction[t] * k->scale[i];
        int count = sides(c);
        for (int e = 0; e < count; e++) {
            real angle = 2 * (real)WIDE_PI * e / count, x = ELEMENTARY(cos)(angle), y = ELEMENTARY(sin)(angle);
            real *column = k->D + (size_t)(c->first + 1) * (size_t)n + (size_t)(k->edge[i] + e);
            if (c->tangents == 1) {
                column[0] = e ? -k->scale[i] : k->scale[i];
                continue;
            }
            column[0] = (x * k->turn[i][0] - y * k->turn[i][1]) * k->scale[i];
            column[n] = (x * k->turn[i][1] + y * k->turn[i][0]) * k->scale[i];
        }
    }
}

/* (E' W D, E' b) with E = D, but the normal equations are along the normal alone (a sliding contact's column is not its
   row); then the equations of the friction's slack. Everything in units of `size`. */
static void fill_problem(cone *k, real size)
{
    int n = k->size, rows = k->rows;
    memset(k->M, 0, (size_t)n * (size_t)n * sizeof *k->M);
    memset(k->q, 0, (size_t)n * sizeof *k->q);
    for (int i = 0; i < k->contacts; i++) {
        const cone_contact *c = &k->c[i];
        for (int u = k->normal[i]; u <= k->normal[i] + sides(c); u++) {
            for (int r = c->first; r <= c->first + c->tangents; r++) {
                real e = k->D[(size_t)r * (size_t)n + (size_t)u];
                if (e == 0 || (u == k->normal[i] && r != c->first)) continue;
                k->q[u] += e * k->b[r] / size;
                for (int s = 0; s < rows; s++) {
                    real w = e * k->W[(size_t)r * (size_t)rows + (size_t)s];
                    if (w == 0) continue;
                    for (int v = 0; v < n; v++)
                        k->M[(size_t)u * (size_t)n + (size_t)v] += w * k->D[(size_t)s * (size_t)n + (size_t)v];
                }
            }
        }
        if (k->slack[i] < 0) continue;
        size_t last = (size_t)k->slack[i];
        k->M[last * (size_t)n + (size_t)k->normal[i]] = c->mu;
        for (int e = 0; e < sides(c); e++) {
            k->M[(size_t)(k->edge[i] + e) * (size_t)n + last] = 1;
            k->M[last * (size_t)n + (size_t)(k->edge[i] + e)] = -1;
        }
    }
}

static void read_impulses(cone *k, real size, real *P)
{
    for (int r = 0; r < k->rows; r++) {
        P[r] = 0;
        for (int u = 0; u < k->size; u++) P[r] += k->D[(size_t)r * (size_t)k->size + (size_t)u] * k->z[u] * size;
    }
    for (int i = 0; i < k->contacts; i++) k->c[i].slips = k->slack[i] >= 0 && k->z[k->slack[i]] > SMALL;
}

/* Turns the edges of the contacts that slip against their slip. Returns the largest turn (a sine). */
static real turn_edges(cone *k, const real *P)
{
    real most = 0;
    for (int i = 0; i < k->contacts; i++) {
        const cone_contact *c = &k->c[i];
        if (sides(c) != CONE_SIDES || !c->slips) continue;
        real u[2], length = 0;
        for (int t = 0; t < 2; t++) {
            size_t r = (size_t)(c->first + 1 + t);
            u[t] = k->b[r];
            for (int s = 0; s < k->rows; s++) u[t] += k->W[r * (size_t)k->rows + (size_t)s] * P[s];
            length += u[t] * u[t];
        }
        length = REAL(sqrt)(length);
        if (!(length > 0)) continue;
        real x = -u[0] / length, y = -u[1] / length;
        /* relative to the nearest edge there is */
        real angle = ELEMENTARY(atan2)(y * k->turn[i][0] - x * k->turn[i][1], x * k->turn[i][0] + y * k->turn[i][1]);
        real part = 2 * (real)WIDE_PI / CONE_SIDES;
        angle -= part * REAL(round)(angle / part);
        most = REAL(fmax)(most, REAL(fabs)(angle));
        k->turn[i][0] = x, k->turn[i][1] = y;
    }
    return most;
}

/* ---- the round cone ---- */

/* Row r of W P + b. */
static real velocity(const cone *k, int r, const real *P)
{
    real u = k->b[r];
    for (int s = 0; s < k->rows; s++) u += k->W[(size_t)r * (size_t)k->rows + (size_t)s] * P[s];
    return u;
}

/* The equation of tangential row r of a contact that slips, P_T |u_T| + mu P_N u_T = 0, and its derivative by P; a
 * holds row r of W. */
static real slip_equation(const cone *k, const cone_contact *c, int r, const real *P, real *a)
{
    size_t rows = (size_t)k->rows, n = (size_t)c->first;
    const real *first = k->W + (n + 1) * rows, *second = c->tangents == 2 ? first + rows : NULL;
    real own = velocity(k, r, P), u[2] = { velocity(k, c->first + 1, P), second ? velocity(k, c->first + 2, P) : 0 };
    real size = REAL(sqrt)(u[0] * u[0] + u[1] * u[1]);
    for (size_t s = 0; s < rows; s++) {
        real grow = u[0] * first[s] + (second ? u[1] * second[s] : 0);
        a[s] = c->mu * P[n] * a[s] + (size > 0 ? P[r] * grow / size : 0);
    }
    a[r] += size;
    a[n] += c->mu * own;
    return P[r] * size + c->mu * P[n] * own;
}

/* What must be zero when it is known which contacts act (those of `first`), stick and slip; A (rows x rows): its
 * derivative by P. */
static void round_equations(const cone *k, const real *first, const real *P, real *F, real *A)
{
    size_t rows = (size_t)k->rows;
    memset(A, 0, rows * rows * sizeof *A);
    for (int i = 0; i < k->contacts; i++) {
        const cone_contact *c = &k->c[i];
        int n = c->first, acts = first[n] > 0;
        for (int r = n; r <= n + c->tangents; r++) {
            real *a = A + (size_t)r * rows;
            if (!acts || (r > n && (c->sliding || c->mu == 0))) { /* P = 0, or the given part of the normal impulse */
                real part = acts && c->sliding ? -c->mu * c->direction[r - n - 1] : 0;
                F[r] = P[r] - part * P[n];
                a[r] = 1;
                if (r > n) a[n] -= part;
                continue;
            }
            memcpy(a, k->W + (size_t)r * rows, rows * sizeof *a);
            F[r] = r > n && c->slips ? slip_equation(k, c, r, P, a) : velocity(k, r, P);
        }
    }
}

/* Where the iteration leads a contact to no slip (a double zero of its equation, found slowly) it sticks. Returns how
 * many there are. */
static int find_stuck(const cone *k, const real *P)
{
    int found = 0;
    real size = 0;
    for (int r = 0; r < k->rows; r++) size = real_most(size, k->b[r]);
    for (int i = 0; i < k->contacts; i++) {
        cone_contact *c = &k->c[i];
        if (!c->slips || c->tangents < 2) continue;
        real x = velocity(k, c->first + 1, P), y = velocity(k, c->first + 2, P);
        if (!(x * x + y * y < (real)1e-12 * size * size)) continue;
        c->slips = 0;
        found++;
    }
    return found;
}

/* Newton's method from what the cone with sides gave; that stays where it does not converge. */
static int make_round(taut_context *context, const cone *k, real *P)
{
    size_t rows = (size_t)k->rows;
    real *A = taut_mem_new(context, mem_product(rows, rows + 2), sizeof *A);
    real *F = A + rows * rows, *Q = F + rows, before = 0;
    int *pivot = taut_mem_new(context, rows, sizeof *pivot), status = A && pivot ? TAUT_OK : TAUT_OUT_OF_MEMORY,
        done = 0;
    if (!status) memcpy(Q, P, rows * sizeof *Q);
    for (int turn = 0; !status && !done && turn < 40; turn++) {
        real size = 0, change = 0;
        round_equations(k, P, Q, F, A);
        if (X(dense_factor)(k->rows, A, pivot, REAL_EPSILON)) break;
        X(dense_solve)(k->rows, A, pivot, F);
        for (size_t r = 0; r < rows; r++) Q[r] -= F[r], size = real_most(size, Q[r]), change = real_most(change, F[r]);
        done = change <= 4 * REAL_EPSILON * size ||
               (turn > 2 && change < 1e4 * REAL_EPSILON * size && change > before / 2);
        before = change;
        if (!done && turn == 25 && find_stuck(k, Q)) turn = 0;
    }
    for (int i = 0; done && i < k->contacts; i++) {
        const cone_contact *c = &k->c[i];
        if (!(P[c->first] > 0)) memset(Q + c->first, 0, (size_t)(1 + c->tangents) * sizeof *Q);
        else done = Q[c->first] > 0;
    }
    if (done) memcpy(P, Q, rows * sizeof *P);
    taut_mem_free(context, A);
    taut_mem_free(context, pivot);
    return status;
}

static void lay_out(void *self, room_layout *l)
{
    cone *k = self;
    size_t count = (size_t)k->contacts, n = (size_t)k->size;
    k->scale = room_reals(l, count);
    k->normal = room_take(l, count, sizeof *k->normal);
    k->edge = room_take(l, count, sizeof *k->edge);
    k->slack = room_take(l, count, sizeof *k->slack);
    k->turn = room_take(l, count, sizeof *k->turn);
    k->D = room_reals(l, (size_t)k->rows * n);
    k->M = room_reals(l, n * n), k->q = room_reals(l, n), k->z = room_reals(l, n);
    k->softening = room_reals(l, (size_t)k->rows), k->softened = room_reals(l, (size_t)k->rows * (size_t)k->rows);
}

static void soften(cone *k)
{
    size_t rows = (size_t)k->rows;
    memcpy(k->softened, k->W, rows * rows * sizeof *k->softened);
    for (size_t r = 0; r < rows; r++) k->softened[r * (rows + 1)] += k->softening[r];
    k->W = k->softened;
}

/* From what Lemke's method found, or did not; then from sweeps. */
static int finish(taut_context *context, const cone *k, int found, real *P)
{
    int done = 0, status = TAUT_OK;
    if (found) status = X(cone_finish)(context, k->contacts, k->c, k->rows, k->W, k->b, k->softening, P, &done);
    if (status || done) return status;
    X(cone_sweep)(k->contacts, k->c, k->rows, k->W, k->b, P);
    status = X(cone_finish)(context, k->contacts, k->c, k->rows, k->W, k->b, k->softening, P, &done);
    if (status || done) return status;
    return taut_fail(context, TAUT_NO_CONVERGENCE,
                     "the complementarity problem of the contacts has no solution that could be found");
}

int X(cone_solve)(taut_context *context, int count, cone_contact *contacts, int rows, const real *W, const real *b,
               real *P)
{
    cone k = { .contacts = count, .rows = rows, .c = contacts, .W = W, .b = b };
    memset(P, 0, (size_t)rows * sizeof *P);
    if (!count) return TAUT_OK;
    k.size = count_unknowns(&k);
    int status = room_create(context, lay_out, &k, &k.room);
    if (!status) number_unknowns(&k);
    real size = 0;
    for (int i = 0; !status && i < count; i++) {
        real w = W[(size_t)contacts[i].first * (size_t)(rows + 1)];
        k.scale[i] = w > 0 ? 1 / REAL(sqrt)(w) : 1;
        k.turn[i][0] = 1, k.turn[i][1] = 0;
        for (int r = 0; r <= contacts[i].tangents; r++)
            size = REAL(fmax)(size, REAL(fabs)(b[contacts[i].first + r]) * k.scale[i]);
    }
    int round = 0, singular = !status && size > 0 && X(cone_is_singular)(rows, W, k.softened);
    if (!status) X(cone_softening)(count, contacts, rows, W, k.softening);
    if (singular) soften(&k);
    for (int i = 0; i < count; i++) round |= sides(&contacts[i]) == CONE_SIDES;
    for (int turns = 0; !status && size > 0 && turns < 6; turns++) {
        fill_directions(&k);
        fill_problem(&k, size);
        status = X(lcp_solve)(context, k.size, k.M, k.q, k.z);
        if (status) break;
        read_impulses(&k, size, P);
        if (!round || turn_edges(&k, P) <= REAL_EPSILON) break;
    }
    k.W = W;
    if (singular || status == TAUT_NO_CONVERGENCE)
        status = status && status != TAUT_NO_CONVERGENCE ? status : finish(context, &k, !status, P);
    else if (!status && round && size > 0)
        status = make_round(context, &k, P);
    room_free(context, &k.room);
    return status;
}
