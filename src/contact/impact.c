/* Impacts: velocities jump, positions do not.
 *
 * Newton's restitution, u_N+ >= -e u_N- with complementary impulses, and Coulomb's law between the impulses and the slip after the
 * impact: the cone problem of lcp.h with the right-hand side ((1 + e) u_N-, u_T-). With several contacts of different e, or with
 * friction, this law can create energy. The plastic impact (e = 0) cannot: its impulses P0 have P0'u+ <= 0, so the energy falls by at
 * least P0'W P0/2. Impulses between the two, P0 + theta (P - P0), are admissible as well (the cone is convex, and so are the conditions on
 * u_N), and the energy is a convex function of theta: theta is 1, or the largest with which the energy does not grow. */
#include <string.h>

#include "base/workspace.h"
#include "contact/parts.h"

#define REST_HEIGHT 16 /* a jump of so many roundings of the gap is still found by the search for its end (locate.c) */

real contact_rest_speed(const touch *t, real acceleration)
{
    return acceleration < 0 ? REAL(sqrt)(-2 * acceleration * REST_HEIGHT * t->round_off) : 0;
}

/* A problem of some of the contacts of the meeting. */
typedef struct {
    int count, rows;
    int *which;              /* contacts of the meeting */
    int *row;                /* their rows there */
    cone_contact *cones;
    real *W, *u, *b, *P, *plastic;
    void *room;              /* of these arrays */
} collision;

/* Room for `count` contacts with `rows` rows. */
static void lay_out(void *self, layout *l)
{
    collision *k = self;
    size_t count = (size_t)k->count, rows = (size_t)k->rows;
    k->which = layout_take(l, count, sizeof *k->which);
    k->row = layout_take(l, rows, sizeof *k->row);
    k->cones = layout_take(l, count, sizeof *k->cones);
    k->W = layout_reals(l, rows * rows);
    k->u = layout_reals(l, rows), k->b = layout_reals(l, rows);
    k->P = layout_reals(l, rows), k->plastic = layout_reals(l, rows);
}

/* Takes the contacts k->which out of the meeting. u: velocities of all rows. */
static void collision_fill(const meeting *all, collision *k, const real *u)
{
    k->rows = 0;
    for (int i = 0; i < k->count; i++) {
        k->cones[i] = all->cones[k->which[i]];
        int first = k->cones[i].first;
        k->cones[i].first = k->rows;
        for (int r = 0; r <= k->cones[i].tangents; r++) k->row[k->rows++] = first + r;
    }
    for (int r = 0; r < k->rows; r++) {
        k->u[r] = u[k->row[r]];
        for (int s = 0; s < k->rows; s++)
            k->W[(size_t)r * (size_t)k->rows + (size_t)s] = all->W[(size_t)k->row[r] * (size_t)all->rows + (size_t)k->row[s]];
    }
}

/* Change of the kinetic energy by impulses P: P'(u + W P/2). *scale: P'W P. */
static real gain(const collision *k, const real *P, real *scale)
{
    real sum = 0, square = 0;
    for (int r = 0; r < k->rows; r++) {
        real w = 0;
        for (int s = 0; s < k->rows; s++) w += k->W[(size_t)r * (size_t)k->rows + (size_t)s] * P[s];
        sum += P[r] * (k->u[r] + w / 2);
        square += P[r] * w;
    }
    if (scale) *scale = square;
    return sum;
}

/* Impulses of the contacts, with restitution e[which]; energy does not grow. */
static int collide(taut_context *context, collision *k, const real *e)
{
    int plastic = 1;
    for (int i = 0; i < k->count; i++) plastic = plastic && e[k->which[i]] == 0;
    for (int r = 0; r < k->rows; r++) k->b[r] = k->u[r];
    int status = cone_solve(context, k->count, k->cones, k->rows, k->W, k->b, k->plastic);
    if (status) return status;
    memcpy(k->P, k->plastic, (size_t)k->rows * sizeof(real));
    if (plastic) return TAUT_OK;
    for (int i = 0; i < k->count; i++) k->b[k->cones[i].first] *= 1 + e[k->which[i]];
    status = cone_solve(context, k->count, k->cones, k->rows, k->W, k->b, k->P);
    real scale, energy = status ? 0 : gain(k, k->P, &scale);
    if (status || !(energy > 1000 * REAL_EPSILON * scale)) return status;
    /* gain(theta) = g0 + theta (g1 - g0 - c) + theta^2 c, c = (P - P0)'W(P - P0)/2; the root with g0 < 0 < g1 */
    for (int r = 0; r < k->rows; r++) k->b[r] = k->P[r] - k->plastic[r];
    real g0 = gain(k, k->plastic, NULL), c;
    gain(k, k->b, &c);
    c /= 2;
    real linear = energy - g0 - c, root = REAL(sqrt)(REAL(fmax)(linear * linear - 4 * c * g0, 0));
    real theta = linear + root > 0 ? -2 * g0 / (linear + root) : 0;
    for (int r = 0; r < k->rows; r++) k->P[r] = k->plastic[r] + REAL(fmin)(theta, 1) * k->b[r];
    return TAUT_OK;
}

static int simultaneous(hybrid *z, collision *k, const real *e)
{
    meeting *all = &z->meeting;
    k->count = all->count;
    for (int i = 0; i < all->count; i++) k->which[i] = i;
    collision_fill(all, k, all->b);
    int status = collide(z->context, k, e);
    for (int r = 0; !status && r < k->rows; r++) all->P[k->row[r]] += k->P[r];
    return status;
}

/* One contact after the other, the one that closes fastest first, until none does. What has not come to an end after many impacts (an
   inelastic collapse) is ended by one plastic impact of all. all->b: velocities on the way. */
static int sequential(hybrid *z, collision *k, real *e, const real *slow, const real *rest)
{
    meeting *all = &z->meeting;
    for (long turn = 0; turn < 1000L * (all->count + 1); turn++) {
        int next = -1;
        for (int i = 0; i < all->count; i++) {
            real u = all->b[all->cones[i].first];
            if (u < -slow[i] && (next < 0 || u < all->b[all->cones[next].first])) next = i;
        }
        if (next < 0) return TAUT_OK;
        k->count = 1;
        k->which[0] = next;
        collision_fill(all, k, all->b);
        real one[1] = { -e[next] * all->b[all->cones[next].first] > rest[next] ? e[next] : 0 };
        k->which[0] = 0;
        int status = collide(z->context, k, one);
        if (status) return status;
        for (int r = 0; r < k->rows; r++) {
            all->P[k->row[r]] += k->P[r];
            for (int s = 0; s < all->rows; s++) all->b[s] += all->W[(size_t)s * (size_t)all->rows + (size_t)k->row[r]] * k->P[r];
        }
    }
    for (int i = 0; i < all->count; i++) e[i] = 0;
    return simultaneous(z, k, e);
}

/* Contacts that touch, and whether one of them closes. */
static int who_meets(hybrid *z, const state *x, long trigger, unsigned char *takes_part)
{
    int closes = 0;
    for (size_t i = 0; i < z->count; i++) {
        const touch *t = watch_touch(z->watch, i);
        takes_part[i] = contact_mode_of(x, i) != MODE_OPEN || t->gap <= t->round_off || (long)i == trigger;
        real slow = REAL(fmax)(t->rate_round_off, contact_rest_speed(t, watch_acceleration(z->watch, i, 0, NULL)));
        if (takes_part[i] && (t->rate < -slow || ((long)i == trigger && t->rate < 0))) closes = 1;
    }
    return closes;
}

/* Methods like em leave the velocities beside the constraints that always hold. What meets is the motion within them: the energy of the rest is
   lost, and the balance of the impact is exact. */
static int onto_velocities(hybrid *z, state *x)
{
    memset(z->meeting.P, 0, (size_t)z->meeting.rows * sizeof(real));
    int status = z->c ? meeting_apply(z, x) : TAUT_OK;
    if (!status) watch_look(z->watch, x->q, x->w, x->t, z->h);
    return status;
}

int contact_impact(hybrid *z, state *x, long trigger, int *happened)
{
    phase *open;
    meeting *all = &z->meeting;
    *happened = 0;
    memset(z->impulse, 0, z->count * sizeof(real));
    memset(z->floor, 0, z->count * sizeof(real));
    memset(z->slip_floor, 0, z->count * sizeof(real));
    watch_look(z->watch, x->q, x->w, x->t, z->h);
    int status = phases_open(&z->phases, &open);
    if (!status) status = phase_load(open, x);
    if (!status) status = phase_forces(open, &open->begin);
    if (status) return status;
    watch_accelerate(z->watch, open->dv);
    if (!who_meets(z, x, trigger, z->takes_part)) return TAUT_OK;
    status = meeting_collect(z, x, z->takes_part);
    if (!status) status = onto_velocities(z, x);
    collision k = { .count = all->count, .rows = all->rows };
    if (!status) status = workspace_create(z->context, lay_out, &k, &k.room);
    real *e = mem_new(z->context, 3 * z->count, sizeof *e), *slow = e + z->count, *rest = slow + z->count;
    if (!e) status = TAUT_OUT_OF_MEMORY;
    for (int i = 0; !status && i < all->count; i++) {
        size_t who = all->who[i];
        const touch *t = watch_touch(z->watch, who);
        rest[i] = REAL(fmax)(t->rate_round_off, contact_rest_speed(t, watch_acceleration(z->watch, who, 0, NULL)));
        slow[i] = (long)who == trigger ? 0 : rest[i];
        z->floor[who] = t->rate_round_off;
        z->slip_floor[who] = t->slip_round_off;
        /* no restitution for what does not close, or would not get off the surface */
        e[i] = t->rate < 0 && -z->restitution[who] * t->rate > rest[i] ? z->restitution[who] : 0;
        if (z->m->impact_law == IMPACT_SEQUENTIAL) e[i] = z->restitution[who];
        for (int r = 0; r <= all->cones[i].tangents; r++) all->b[all->cones[i].first + r] = r ? t->slip[r - 1] : t->rate;
    }
    if (!status) memset(all->P, 0, (size_t)all->rows * sizeof(real));
    if (!status) status = z->m->impact_law == IMPACT_SEQUENTIAL ? sequential(z, &k, e, slow, rest) : simultaneous(z, &k, e);
    if (!status) status = meeting_apply(z, x);
    for (int i = 0; !status && i < all->count; i++) z->impulse[all->who[i]] = all->P[all->cones[i].first];
    mem_free(z->context, k.room);
    mem_free(z->context, e);
    *happened = !status;
    return status;
}
