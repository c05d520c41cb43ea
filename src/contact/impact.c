/* Impacts: velocities jump, positions do not.
 *
 * Newton's restitution, u_N+ >= -e u_N- with complementary impulses, and Coulomb's law between the impulses and the
 * slip after the impact: the cone problem of lcp.h with the right-hand side ((1 + e) u_N-, u_T-). With several contacts
 * of different e, or with friction, this law can create energy. The plastic impact (e = 0) cannot: its impulses P0 have
 * P0'u+ <= 0, so the energy falls by at least P0'W P0/2. Impulses between the two, P0 + theta (P - P0), are admissible
 * as well (the cone is convex, and so are the conditions on u_N), and the energy is a convex function of theta: theta
 * is 1, or the largest with which the energy does not grow. */
#include <string.h>

#include "base/room.h"
#include "contact/hybrid_inside.h"

#define SETTLING_HEIGHT 16 /* a jump of so many ulps of the gap is still found by the search for its end (locate.c) */

real X(contact_settling_speed)(const contact_motion *t, real acceleration)
{
    return acceleration < 0 ? REAL(sqrt)(-2 * acceleration * SETTLING_HEIGHT * t->round_off) : 0;
}

/* A problem of some of the contacts of a contact_problem. */
typedef struct {
    int count, rows;
    int *which;              /* contacts of the contact_problem */
    int *row;                /* their rows there */
    cone_contact *cones;
    real *W, *u, *b, *P, *plastic;
    void *room;              /* of these arrays */
} collision;

/* Room for `count` contacts with `rows` rows. */
static void lay_out(void *self, room_layout *l)
{
    collision *k = self;
    size_t count = (size_t)k->count, rows = (size_t)k->rows;
    k->which = room_take(l, count, sizeof *k->which);
    k->row = room_take(l, rows, sizeof *k->row);
    k->cones = room_take(l, count, sizeof *k->cones);
    k->W = room_reals(l, rows * rows);
    k->u = room_reals(l, rows), k->b = room_reals(l, rows);
    k->P = room_reals(l, rows), k->plastic = room_reals(l, rows);
}

/* Takes the contacts k->which out of the problem. u: velocities of all rows. */
static void collision_fill(const contact_problem *problem, collision *k, const real *u)
{
    k->rows = 0;
    for (int i = 0; i < k->count; i++) {
        k->cones[i] = problem->cones[k->which[i]];
        int first = k->cones[i].first;
        k->cones[i].first = k->rows;
        for (int r = 0; r <= k->cones[i].tangents; r++) k->row[k->rows++] = first + r;
    }
    for (int r = 0; r < k->rows; r++) {
        k->u[r] = u[k->row[r]];
        for (int s = 0; s < k->rows; s++)
            k->W[(size_t)r * (size_t)k->rows + (size_t)s] =
                problem->W[(size_t)k->row[r] * (size_t)problem->rows + (size_t)k->row[s]];
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
    int status = X(cone_solve)(context, k->count, k->cones, k->rows, k->W, k->b, k->plastic);
    if (status) return status;
    memcpy(k->P, k->plastic, (size_t)k->rows * sizeof(real));
    if (plastic) return TAUT_OK;
    for (int i = 0; i < k->count; i++) k->b[k->cones[i].first] *= 1 + e[k->which[i]];
    status = X(cone_solve)(context, k->count, k->cones, k->rows, k->W, k->b, k->P);
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

static int simultaneous(hybrid *self, collision *k, const real *e)
{
    contact_problem *problem = &self->problem;
    k->count = problem->count;
    for (int i = 0; i < problem->count; i++) k->which[i] = i;
    collision_fill(problem, k, problem->b);
    int status = collide(self->context, k, e);
    for (int r = 0; !status && r < k->rows; r++) problem->P[k->row[r]] += k->P[r];
    return status;
}

/* One contact after the other, the one that closes fastest first, until none does. What has not come to an end after
   many impacts (an inelastic collapse) is ended by one plastic impact of all. problem->b: velocities on the way. */
static int sequential(hybrid *self, collision *k, real *e, const real *slow, const real *settling)
{
    contact_problem *problem = &self->problem;
    for (long turn = 0; turn < 1000L * (problem->count + 1); turn++) {
        int next = -1;
        for (int i = 0; i < problem->count; i++) {
            real u = problem->b[problem->cones[i].first];
            if (u < -slow[i] && (next < 0 || u < problem->b[problem->cones[next].first])) next = i;
        }
        if (next < 0) return TAUT_OK;
        k->count = 1;
        k->which[0] = next;
        collision_fill(problem, k, problem->b);
        real one[1] = { -e[next] * problem->b[problem->cones[next].first] > settling[next] ? e[next] : 0 };
        k->which[0] = 0;
        int status = collide(self->context, k, one);
        if (status) return status;
        for (int r = 0; r < k->rows; r++) {
            problem->P[k->row[r]] += k->P[r];
            for (int s = 0; s < problem->rows; s++)
                problem->b[s] += problem->W[(size_t)s * (size_t)problem->rows + (size_t)k->row[r]] * k->P[r];
        }
    }
    for (int i = 0; i < problem->count; i++) e[i] = 0;
    return simultaneous(self, k, e);
}

/* Contacts that touch, and whether one of them closes. */
static int find_colliding(hybrid *self, const state *x, long trigger, unsigned char *takes_part)
{
    int closes = 0;
    for (size_t i = 0; i < self->count; i++) {
        const contact_motion *t = X(kinematics_of)(self->kinematics, i);
        takes_part[i] = contact_mode_of(x, i) != MODE_OPEN || t->gap <= t->round_off || (long)i == trigger;
        real slow = REAL(fmax)(t->rate_round_off,
                               X(contact_settling_speed)(t, X(kinematics_acceleration)(self->kinematics, i, 0, NULL)));
        if (takes_part[i] && (t->rate < -slow || ((long)i == trigger && t->rate < 0))) closes = 1;
    }
    return closes;
}

/* Methods like em leave the velocities off the constraints that always hold. What meets is the motion within them: the
   energy of the rest is lost, and the balance of the impact is exact. */
static int onto_velocities(hybrid *self, state *x)
{
    memset(self->problem.P, 0, (size_t)self->problem.rows * sizeof(real));
    int status = self->c ? X(problem_apply)(self, x) : TAUT_OK;
    if (!status) X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    return status;
}

int X(contact_impact)(hybrid *self, state *x, long trigger, int *happened)
{
    mode_set *open;
    contact_problem *problem = &self->problem;
    *happened = 0;
    memset(self->event.impulse, 0, self->count * sizeof(real));
    memset(self->event.rate_noise, 0, self->count * sizeof(real));
    memset(self->event.slip_noise, 0, self->count * sizeof(real));
    X(kinematics_evaluate)(self->kinematics, x->q, x->w, x->t, self->step.h);
    int status = X(mode_sets_open)(&self->sets, &open);
    if (!status) status = X(mode_set_load)(open, x);
    if (!status) status = X(mode_set_forces)(open, &open->begin);
    if (status) return status;
    X(kinematics_accelerate)(self->kinematics, open->dv);
    if (!find_colliding(self, x, trigger, self->event.takes_part)) return TAUT_OK;
    status = X(problem_collect)(self, x, self->event.takes_part);
    if (!status) status = onto_velocities(self, x);
    collision k = { .count = problem->count, .rows = problem->rows };
    if (!status) status = room_create(self->context, lay_out, &k, &k.room);
    real *e = taut_mem_new(self->context, 3 * self->count, sizeof *e), *slow = e ? e + self->count : NULL,
         *settling = e ? slow + self->count : NULL;
    if (!e) status = TAUT_OUT_OF_MEMORY;
    for (int i = 0; !status && i < problem->count; i++) {
        size_t index = problem->contacts[i];
        const contact_motion *t = X(kinematics_of)(self->kinematics, index);
        settling[i] =
            REAL(fmax)(t->rate_round_off,
                       X(contact_settling_speed)(t, X(kinematics_acceleration)(self->kinematics, index, 0, NULL)));
        slow[i] = (long)index == trigger ? 0 : settling[i];
        self->event.rate_noise[index] = t->rate_round_off;
        self->event.slip_noise[index] = t->slip_round_off;
        /* no restitution for what does not close, or would not get off the surface */
        e[i] = t->rate < 0 && -self->constants.restitution[index] * t->rate > settling[i]
                   ? self->constants.restitution[index]
                   : 0;
        if (self->sequential) e[i] = self->constants.restitution[index];
        for (int r = 0; r <= problem->cones[i].tangents; r++)
            problem->b[problem->cones[i].first + r] = r ? t->slip[r - 1] : t->rate;
    }
    if (!status) memset(problem->P, 0, (size_t)problem->rows * sizeof(real));
    if (!status)
        status = self->sequential ? sequential(self, &k, e, slow, settling)
                                                          : simultaneous(self, &k, e);
    if (status == TAUT_NO_CONVERGENCE && k.room && e)
        status = taut_fail(self->context, status,
                           "at t = %.9g: no impulses were found that fit the laws of impact (%d contacts at once); try "
                           "less friction, regularised friction, or another start",
                           (double)x->t, problem->count);
    if (!status) status = X(problem_apply)(self, x);
    for (int i = 0; !status && i < problem->count; i++)
        self->event.impulse[problem->contacts[i]] = problem->P[problem->cones[i].first];
    room_free(self->context, &k.room);
    taut_mem_free(self->context, e);
    *happened = !status;
    return status;
}
