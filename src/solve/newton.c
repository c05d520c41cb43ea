#include "solve/newton.h"

#include <stdio.h>
#include <string.h>

#include "base/elementary.h"
#include "base/room.h"

static void lay_out(void *self, room_layout *l)
{
    newton *n = self;
    n->residual = room_reals(l, (size_t)n->largest + NEWTON_FILLED);
    n->start = room_reals(l, (size_t)n->largest);
}

int X(newton_create)(taut_context *context, int largest, real tolerance, newton *n)
{
    *n = (newton){ .context = context, .most = 50, .largest = largest };
    n->enough = tolerance > 0 ? tolerance : REAL_EPSILON / 2;
    /* What is left out must be far below a rounding: it has the same sign at every step, and drifts (a rigid body's
       momentum by 0.015 eps a step with eps/8) where rounding errors cancel. */
    n->rest = tolerance > 0 ? tolerance / 4 : REAL_EPSILON / 2048;
    n->floor = ELEMENTARY(pow)(REAL_EPSILON, (real)0.6);
    return room_create(context, lay_out, n, &n->room);
}

static void lay_out_secants(void *self, room_layout *l)
{
    newton_secants *z = self;
    for (int i = 0; i < NEWTON_SECANTS; i++) {
        z->moved[i] = room_reals(l, (size_t)z->length);
        z->changed[i] = room_reals(l, (size_t)z->length);
    }
    z->before = room_reals(l, (size_t)z->length);
    z->done = room_reals(l, (size_t)z->length);
}

int X(newton_keep_secants)(newton *n, real (*product)(void *self, const real *a, const real *b))
{
    n->secants.product = product;
    n->secants.length = n->largest;
    return room_create(n->context, lay_out_secants, &n->secants, &n->secants.room);
}

void X(newton_relax)(newton *n)
{
    n->enough = REAL(fmax)(n->enough, 2 * REAL_EPSILON);
    n->rest = REAL(fmax)(n->rest, REAL_EPSILON / 8);
    n->relaxed = 1;
}

void X(newton_clear)(newton *n)
{
    if (n->context) room_free(n->context, &n->room), room_free(n->context, &n->secants.room);
    *n = (newton){ 0 };
}

real X(newton_relative)(const real *x, const real *dx, int count)
{
    /* 1e-3: unknowns that are all nearly zero have no scale of their own */
    real largest = (real)1e-3, change = 0;
    for (int i = 0; i < count; i++) {
        largest = real_most(largest, x[i]);
        change = real_most(change, dx[i]);
    }
    return change / largest;
}

static int worst_equation(const real *r, int size)
{
    int worst = 0;
    for (int i = 0; i < size; i++)
        if (r[i] != r[i] || REAL(fabs)(r[i]) > REAL(fabs)(r[worst])) {
            worst = i;
            if (r[i] != r[i]) break;
        }
    return worst;
}

static int whole_residual(newton *n, const newton_problem *p, const real *x)
{
    return (p->whole ? p->whole : p->residual)(p->self, x, n->residual);
}

static int give_up(newton *n, const newton_problem *p, const real *x, int iterations, real time, const char *what)
{
    char name[200];
    int status = whole_residual(n, p, x);
    if (status) return status;
    int worst = worst_equation(n->residual, p->size);
    real value = n->residual[worst];
    p->name(p->self, worst, name, sizeof name);
    if (!(value - value == 0))
        return taut_fail(n->context, TAUT_NOT_FINITE,
                         "at t = %.9g: %s: equation '%s' is not a finite number; try a smaller step", (double)time,
                         what, name);
    return taut_fail(
        n->context, TAUT_NO_CONVERGENCE,
        "at t = %.9g: %s: no convergence after %d Newton iterations; equation '%s' misses by %.3g; try a smaller step",
        (double)time, what, iterations, name, (double)value);
}

/* The corrections stagnate with the matrix of this place. If the residual is all round-off, the equations are solved
   as well as they can be evaluated. Corrections that are large even so come from a matrix that is nearly singular: a
   failure. */
static int is_solved(newton *n, const newton_problem *p, const real *x, real size, int *solved)
{
    *solved = 0;
    if (!p->is_round_off || !(size <= REAL(sqrt)(REAL_EPSILON))) return TAUT_OK;
    int status = whole_residual(n, p, x);
    if (!status) *solved = p->is_round_off(p->self, x, n->residual);
    return status;
}

/* x -= dx */
typedef struct {
    real *x;
    const real *dx;
    size_t count;
} correction;

static void correct_piece(void *self, int index, int worker)
{
    const correction *j = self;
    size_t end = pool_begin(j->count, POOL_NUMBERS, index + 1);
    (void)worker;
    for (size_t i = pool_begin(j->count, POOL_NUMBERS, index); i < end; i++) j->x[i] -= j->dx[i];
}

void X(newton_correct)(const newton *n, real *x, int count)
{
    correction j = { x, n->residual, (size_t)count };
    taut_pool_run(n->pool, pool_pieces(j.count, POOL_NUMBERS), correct_piece, &j);
}

/* ---- secants ---- */

static void subtract(real factor, const real *x, real *y, int count)
{
    for (int i = 0; i < count; i++) y[i] -= factor * x[i];
}

/* The pair of the last two corrections joins the others. One that the others imply says nothing more. */
static void add_secant(newton_secants *z, const newton_problem *p, const real *correction)
{
    real *moved = z->moved[z->count], *changed = z->changed[z->count];
    for (int i = 0; i < p->size; i++) moved[i] = -z->done[i], changed[i] = correction[i] - z->before[i];
    const real whole = z->product(p->self, changed, changed);
    for (int j = 0; j < z->count; j++) {
        real along = z->product(p->self, z->changed[j], changed);
        subtract(along, z->changed[j], changed, p->size);
        subtract(along, z->moved[j], moved, p->size);
    }
    const real left = z->product(p->self, changed, changed);
    if (!(left > REAL_EPSILON * whole) || !(left - left == 0)) return;
    const real scale = 1 / REAL(sqrt)(left);
    for (int i = 0; i < p->size; i++) moved[i] *= scale, changed[i] *= scale;
    z->count++;
}

/* The correction that the matrix gives joins the secants, and where that shrinks slowly becomes what they say. The first
   one of a solve stays out: it also meets the equations that are not softened, and moves multipliers by what `product`
   does not see in the motion; the corrections behind it move both alike. */
static void follow_secants(newton *n, const newton_problem *p, int slow)
{
    newton_secants *z = &n->secants;
    real *correction = n->residual;
    if (z->begun && z->count < NEWTON_SECANTS) add_secant(z, p, correction);
    memcpy(z->before, correction, (size_t)p->size * sizeof *correction);
    for (int j = 0; slow && j < z->count; j++) {
        real along = z->product(p->self, z->changed[j], z->before);
        for (int i = 0; i < p->size; i++) correction[i] += along * (z->moved[j][i] - z->changed[j][i]);
    }
    memcpy(z->done, correction, (size_t)p->size * sizeof *correction);
    z->begun = 1;
}

/* ---- the iteration ---- */

/* Rounding errors of many equations add up, those of a chain at its end: a correction of c of them is known to no
   better than sqrt(c) units. What is left out stays a small part of that. 1 up to 256 equations. */
static real crowd_of(int equations)
{
    return equations > 256 ? REAL(sqrt)((real)equations) / 16 : 1;
}

/* With a matrix of this place: from this rate on secants are followed, for so many corrections; not where the first slow
   one is below the floor, and after FEW of them no further than there. At the last rate the equations are too far from
   linear for secants. */
#define SLOW_RATE ((real)0.05)
#define SLOW_FEW 2
#define SLOW_MOST (2 * NEWTON_SECANTS)
#define SLOW_STRAYS 10

static int secants_go_on(int slow, real size, real rate, real floor)
{
    if (!slow) return size > floor && rate > SLOW_RATE;
    return slow < SLOW_MOST && size > 1024 * REAL_EPSILON
           && !(slow > SLOW_FEW && rate > (real)0.5 && size <= floor);
}

/* In quad matrices are factored in double, and unknowns that the measure hardly sees (multipliers) lag behind: one
   small correction after a large one does not promise that the next one is as small again. */
#define LUCKY_RATE ((real)(sizeof(real) > sizeof(double) ? 1e-8 : 0))

/* Corrections that shrink by less than the first after some have shrunk by more than the second. Matrices that are
   factored in double say nothing of that in quad. */
#define STOPS_RATE ((real)0.1)
#define FAST_RATE ((real)1e-3)

/* Solutions that are doubtful. An iteration that converges to the solution near its beginning has its largest correction
   first. Corrections that stagnate say how far round-off of the equations is amplified. */
#define STRAY 10
#define NOISE (8192 * REAL_EPSILON)

static int stagnated(const newton *n, real size)
{
    return (n->careful & NEWTON_NOISE) && size > NOISE ? NEWTON_NOISY : TAUT_OK;
}

int X(newton_solve)(newton *n, const newton_problem *p, real *x, int has_factor, real time, const char *what)
{
    const real enough = n->enough, crowd = n->relaxed ? crowd_of(p->size) : 1, rest = crowd * n->rest;
    const real floor = n->floor;
    /* sizes of the first and of the last correction; the fastest rate of this matrix */
    real first = 0, before = 0, best = 1;
    newton_matrix rough = NEWTON_EXACT;
    int fresh = 0, settled = 0, bad = 0, solved = 0, status = TAUT_OK, most = p->factor ? n->most : 4 * n->most, k;
    int secants = n->secants.product != NULL, slow = 0;
    const int is_double = sizeof(real) == sizeof(double);
    n->counts.calls++;
    if (p->kind) pool_copy(n->pool, n->start, x, (size_t)p->size * sizeof *x);
    for (k = 0; k < most; k++) {
        if (!has_factor && p->factor) {
            status = p->factor(p->self, x);
            if (status) return status;
            n->counts.factorisations++;
            has_factor = 1;
            best = 1;
            slow = 0;
            n->secants.count = n->secants.begun = 0;
            rough = p->kind ? p->kind(p->self) : NEWTON_EXACT;
            fresh = rough == NEWTON_EXACT;
        }
        status = p->residual(p->self, x, n->residual);
        if (!status) status = p->solve(p->self, n->residual);
        if (status) return status;
        n->counts.iterations++;
        if (secants && fresh && k > 0) follow_secants(n, p, slow);
        real size = p->measure(p->self, x, n->residual);
        if (!(size - size == 0)) return give_up(n, p, x, k + 1, time, what);
        if (k == 0) first = size;
        if ((n->careful & NEWTON_STRAYS) && size > STRAY * first && size > REAL(sqrt)(REAL_EPSILON))
            return NEWTON_STRAYED;
        if (!n->corrected && !(p->corrects && p->corrects(p->self))) X(newton_correct)(n, x, p->size);
        if (rough == NEWTON_SETTLES) {
            int shrinks = settled++ == 0 || size < before / 2;
            before = size;
            if (size > 2 * REAL_EPSILON && shrinks && settled < 10) continue;
            status = is_solved(n, p, x, size, &solved);
            if (status || solved) return status;
            has_factor = 0;
            continue;
        }
        real rate = k > 0 && before > 0 ? size / before : 1;
        if (size <= enough || (k > 0 && rate < 1 && REAL(fmax)(rate, LUCKY_RATE) * size <= rest)) return TAUT_OK;
        /* Among rounding errors the corrections seem to shrink slowly. They still shrink as fast as they did before,
           and what is left is what that says. */
        if (rate < best) best = rate;
        if (k > 0 && size <= crowd * 64 * REAL_EPSILON && REAL(fmax)(best, LUCKY_RATE) * size <= rest) return TAUT_OK;
        /* Slow, with a matrix that was fast before: what moves is round-off of an ill-conditioned problem. */
        if (k > 0 && is_double && size <= floor && rate > STOPS_RATE && best < FAST_RATE) return stagnated(n, size);
        if (secants && fresh && k > 0 && secants_go_on(slow, size, rate, floor)) {
            if (slow++ && rate > SLOW_STRAYS) has_factor = 0;
            before = size;
            continue;
        }
        if (k > 0 && rate > (real)0.5) {
            /* with a matrix borrowed from elsewhere, or no other, slowness says nothing, unless it is down to
               rounding errors */
            if (size <= (fresh ? floor : p->factor ? 64 * REAL_EPSILON : 1024 * REAL_EPSILON))
                return stagnated(n, size);
            if (fresh) status = is_solved(n, p, x, size, &solved);
            if (status || solved) return status;
            if ((fresh || rate > 1) && ++bad > 8) {
                k++;
                break;
            }
            if (!fresh) has_factor = 0;
        }
        /* Slow, three more corrections will not do: rebuild the matrix, unless the corrections are below what a
           double matrix could improve on. Nine, with a rough matrix, whose successor is dear. */
        real few = rate * rate * rate;
        if (k > 0 && size * (rough ? few * few * few : few) > enough && size > (real)1e-13) has_factor = 0;
        before = size;
        if (rough == NEWTON_ROUGH && !has_factor && size > REAL(sqrt)(REAL_EPSILON)) {
            /* it may have led astray */
            memcpy(x, n->start, (size_t)p->size * sizeof *x);
            k = -1;
            before = 0;
        }
    }
    return give_up(n, p, x, k, time, what);
}
