#include "method/points_watch.h"

#ifdef TAUT_REAL_QUAD /* as bars_find */
int X(points_watch_create)(struct system *s, const symmetry *symmetries, int count, points_watch **result)
{
    (void)s, (void)symmetries, (void)count;
    *result = NULL;
    return TAUT_OK;
}
void X(points_watch_destroy)(points_watch *w) { (void)w; }
int X(points_watch_has_energy)(const points_watch *w) { return (void)w, 0; }
const points_watched *X(points_watch_read)(points_watch *w, const state *x) { return (void)w, (void)x, NULL; }
#else

#include "base/room.h"
#include "method/points.h"
#include "method/points_lanes.h"

struct points_watch {
    struct system *s;
    bars *b;
    symmetry symmetries[SYMMETRY_LIMIT];
    int count;
    int plain;           /* points have three coordinates, and symmetries move and turn them as points of space */
    int has_energy;
    unsigned version;    /* of the constants that the rest belongs to */
    int known, serves;
    void *room;
    vectors q, p, v, f;  /* f: force, the same everywhere */
    real *w;             /* inverse masses */
    real potential;      /* of the origin */
    points_watched found;
};

/* ---- what follows from the constants ---- */

static void find_potential(points_watch *z)
{
    struct system *s = z->s;
    real *zeros = z->b->q, *force = z->b->origin; /* work of the bars, as long as the coordinates at least */
    const real t = 0;
    const place at = place_at(s, zeros, zeros, &t, NULL);
    memset(zeros, 0, s->n * sizeof(real));
    X(system_free_force)(s, &at, force);
    points_spread(z->b, force, &z->f);
    z->potential = X(system_energy)(s, &at, zeros);
}

static int refresh(points_watch *z)
{
    const bars *b = z->b;
    int even;
    z->version = z->s->constants_version;
    z->known = 1;
    z->serves = bars_hold(z->b) && X(bars_weigh)(b, z->w, &even);
    if (!z->serves) return 0;
    for (uint32_t j = 0; j < b->fixed; j++)
        for (int c = 0; c < BARS_SPACE; c++) z->q.c[c][bars_fixed(b, j)] = b->places[j * BARS_SPACE + (uint32_t)c];
    if (z->has_energy) find_potential(z);
    return 1;
}

/* ---- sums ---- */

/* Sums are of BARS_LANES terms each, added up in the end: the same bits whatever the vectors of the processor. */
POINTS_INSIDE real total(const lanes *x)
{
    return ((*x)[0] + (*x)[1]) + ((*x)[2] + (*x)[3]);
}

/* Velocities; twice the kinetic energy, and the work of the forces from the origin on. Behind the points w, p and f are
   zero. */
static WIDE_LOOPS void sum_energy(points_watch *z, real *twice, real *work)
{
    lanes motion = { 0 }, against = { 0 };
    for (uint32_t i = z->b->begin; i < z->b->behind; i += BARS_LANES) {
        const lanes w = LANES_AT(z->w + i);
        for (int c = 0; c < BARS_SPACE; c++) {
            const lanes p = LANES_AT(z->p.c[c] + i), v = w * p;
            LANES_TO(z->v.c[c] + i) = v;
            motion += p * v;
            against += LANES_AT(z->f.c[c] + i) * LANES_AT(z->q.c[c] + i);
        }
    }
    *twice = total(&motion), *work = total(&against);
}

static WIDE_LOOPS real sum_along(const points_watch *z, int axis)
{
    lanes sum = { 0 };
    for (uint32_t i = z->b->begin; i < z->b->behind; i += BARS_LANES) sum += LANES_AT(z->p.c[axis] + i);
    return total(&sum);
}

static WIDE_LOOPS real sum_around(const points_watch *z, int axis)
{
    const int a = (axis + 1) % 3, b = (axis + 2) % 3;
    lanes sum = { 0 };
    for (uint32_t i = z->b->begin; i < z->b->behind; i += BARS_LANES)
        sum += LANES_AT(z->q.c[a] + i) * LANES_AT(z->p.c[b] + i) - LANES_AT(z->q.c[b] + i) * LANES_AT(z->p.c[a] + i);
    return total(&sum);
}

/* The largest s (|d|^2 - L^2)/2 and s d . (v_a - v_b). */
static WIDE_LOOPS void find_residuals(const points_watch *z, extreme *position, extreme *velocity)
{
    const bars *b = z->b;
    const real *restrict x = z->q.c[0], *restrict y = z->q.c[1], *restrict q2 = z->q.c[2];
    const real *restrict u = z->v.c[0], *restrict v = z->v.c[1], *restrict w = z->v.c[2];
    extreme far = 0, fast = 0;
    for (uint32_t r = 0; r < b->run_count; r++)
        BARS_OF_RUN(b, &b->runs[r], {
            const real d0 = x[A] - x[B_], d1 = y[A] - y[B_], d2 = q2[A] - q2[B_];
            const real g = (real)0.5 * b->scale[K] * (d0 * d0 + d1 * d1 + d2 * d2 - b->square[K]);
            const real rate = b->scale[K] * (d0 * (u[A] - u[B_]) + d1 * (v[A] - v[B_]) + d2 * (w[A] - w[B_]));
            far = extreme_see(far, g), fast = extreme_see(fast, rate);
        });
    *position = far, *velocity = fast;
}

static real momentum(const points_watch *z, const symmetry *y, const state *x)
{
    real found;
    if (!z->plain || y->type == SYMMETRY_SHIFT) {
        X(symmetry_momenta)(z->s, y, 1, x->q, x->p, &found);
        return found;
    }
    return y->type == SYMMETRY_TRANSLATION ? sum_along(z, (int)y->index) : sum_around(z, (int)y->index);
}

const points_watched *X(points_watch_read)(points_watch *z, const state *x)
{
    points_watched *found = &z->found;
    extreme position, velocity;
    real twice, work;
    if (!(z->known && z->version == z->s->constants_version ? z->serves : refresh(z))) return NULL;
    points_spread(z->b, x->q, &z->q);
    points_spread(z->b, x->p, &z->p);
    sum_energy(z, &twice, &work);
    find_residuals(z, &position, &velocity);
    found->position = extreme_value(position), found->velocity = extreme_value(velocity);
    found->energy = twice / 2 + (z->potential - work);
    for (int i = 0; i < z->count; i++) found->momenta[i] = momentum(z, &z->symmetries[i], x);
    return found;
}

int X(points_watch_has_energy)(const points_watch *z) { return z->has_energy; }

/* ---- creation ---- */

void X(points_watch_destroy)(points_watch *z)
{
    if (!z) return;
    taut_context *context = z->s->context;
    room_free(context, &z->room);
    X(bars_destroy)(z->b);
    taut_mem_free(context, z);
}

static void take(room_layout *l, const bars *b, vectors *x)
{
    for (int c = 0; c < BARS_SPACE; c++) x->c[c] = bars_point_reals(b, l);
}

static void lay_out(void *self, room_layout *l)
{
    points_watch *z = self;
    take(l, z->b, &z->q), take(l, z->b, &z->p), take(l, z->b, &z->v), take(l, z->b, &z->f);
    z->w = bars_point_reals(z->b, l);
}

/* Whether xi(q) of a symmetry is e or e x q for all points, found at some state. */
static int moves_points(const points_watch *z, const symmetry *y, const real *q, real *xi)
{
    const uint32_t k = y->index, a = (k + 1) % 3, b = (k + 2) % 3;
    if (y->type == SYMMETRY_SHIFT) return 1;
    X(symmetry_action)(z->s, y, q, xi);
    for (uint32_t i = 0; i < z->s->n; i += 3) {
        const real *x = xi + i, *at_point = q + i;
        const int moved = x[k] == 1 && x[a] == 0 && x[b] == 0;
        const int turned = x[k] == 0 && x[a] == -at_point[b] && x[b] == at_point[a];
        if (!(y->type == SYMMETRY_TRANSLATION ? moved : turned)) return 0;
    }
    return 1;
}

static void find_plain(points_watch *z)
{
    real *q = z->b->q, *xi = z->b->origin;
    z->plain = z->b->spacing == 3;
    for (uint32_t i = 0; i < z->s->n; i++) q[i] = 1 + (real)i;
    for (int i = 0; z->plain && i < z->count; i++) z->plain = moves_points(z, &z->symmetries[i], q, xi);
}

int X(points_watch_create)(struct system *s, const symmetry *symmetries, int count, points_watch **result)
{
    bars *b = NULL;
    *result = NULL;
    if (!X(points_may_serve)(s)) return TAUT_OK;
    int status = X(bars_find)(s, &b);
    if (status || !b) return status;
    points_watch *z = taut_mem_new(s->context, 1, sizeof *z);
    if (!z) {
        X(bars_destroy)(b);
        return TAUT_OUT_OF_MEMORY;
    }
    *z = (points_watch){ .s = s, .b = b, .count = count };
    memcpy(z->symmetries, symmetries, (size_t)count * sizeof *symmetries);
    z->has_energy = !s->structure.has_forces && !s->structure.time_dependent
                    && !X(field_gradient_varies)(s->energy, KIND_Q);
    find_plain(z);
    status = room_create(s->context, lay_out, z, &z->room);
    if (status)
        X(points_watch_destroy)(z);
    else
        *result = z;
    return status;
}
#endif
