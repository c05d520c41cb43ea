#include "contact/kinematics.h"

#include <string.h>

#include "base/room.h"

struct kinematics {
    taut_context *context;
    const contact_traits *traits;
    model *own;            /* its constraints: those of the model, gaps, slides */
    struct system *s;
    size_t count;          /* of contacts */
    uint32_t first_gap;    /* its row in s: as many constraints has the model */
    uint32_t *slide;       /* per contact: row of its first given slide, or that of a body, in s */
    uint32_t *arm;         /* per contact: of a body, its first observable; behind slide */
    int bodies;            /* there are contacts of bodies */
    void *room;            /* of the arrays below */
    contact_motion *touches;
    real *g, *rate, *curvature, *jacobian, *v, *mu, *second, *size, *dv;
    real *place_q, *place_w, t;
    real fastest;          /* of the accelerations */
};

void X(kinematics_destroy)(kinematics *self)
{
    if (!self) return;
    taut_context *context = self->context;
    taut_mem_free(context, self->slide);
    room_free(context, &self->room);
    X(system_destroy)(self->s);
    taut_mode_model_destroy(self->own);
    taut_mem_free(context, self);
}

static void lay_out(void *object, room_layout *l)
{
    kinematics *self = object;
    size_t n = self->s->n, c = self->s->c;
    self->touches = room_take(l, self->count, sizeof *self->touches);
    self->mu = room_reals(l, 4 * self->count);
    self->g = room_reals(l, c), self->rate = room_reals(l, c), self->curvature = room_reals(l, c);
    self->second = room_reals(l, c), self->size = room_reals(l, c);
    self->jacobian = room_reals(l, (size_t)self->s->blocks[BLOCK_G].value_count);
    self->v = room_reals(l, n), self->dv = room_reals(l, n);
    self->place_q = room_reals(l, n), self->place_w = room_reals(l, n);
}

int X(kinematics_create)(const model *m, const contact_traits *traits, kinematics **result)
{
    *result = NULL;
    kinematics *self = taut_mem_new(m->context, 1, sizeof *self);
    if (!self) return TAUT_OUT_OF_MEMORY;
    self->context = m->context;
    self->traits = traits;
    self->count = m->contact_count;
    self->first_gap = (uint32_t)m->constraint_count;
    self->slide = taut_mem_new(m->context, 2 * self->count, sizeof *self->slide);
    self->arm = self->slide ? self->slide + self->count : NULL;
    int status = self->slide ? taut_gap_model_create(m, &self->own) : TAUT_OUT_OF_MEMORY;
    if (!status) status = X(system_create)(self->own, &self->s);
    if (!status) status = X(system_prepare_block)(self->s, BLOCK_G);
    if (!status) status = X(system_prepare_rates)(self->s);
    if (!status) status = room_create(m->context, lay_out, self, &self->room);
    uint32_t row = self->first_gap + (uint32_t)self->count;
    for (size_t i = 0; !status && i < self->count; i++) {
        self->slide[i] = row;
        if (traits[i].slide_type == SLIDE_GIVEN) row += traits[i].slide_count;
    }
    uint32_t arm = (uint32_t)self->count;
    for (size_t i = 0; !status && i < self->count; i++) {
        if (traits[i].slide_type != SLIDE_BODY) continue;
        self->bodies = 1;
        self->slide[i] = row;
        self->arm[i] = arm;
        row += traits[i].slide_count;
        arm += traits[i].point[0].size;
    }
    if (status)
        X(kinematics_destroy)(self);
    else
        *result = self;
    return status;
}

const contact_motion *X(kinematics_of)(const kinematics *self, size_t contact) { return &self->touches[contact]; }
const real *X(kinematics_velocity)(const kinematics *self) { return self->v; }
struct system *X(kinematics_system)(kinematics *self) { return self->s; }
real X(kinematics_smallest_scale)(const kinematics *self) { return self->s->least; }

static uint32_t gap_row(const kinematics *self, size_t contact) { return self->first_gap + (uint32_t)contact; }

/* d row / d coordinate */
static real entry(const kinematics *self, uint32_t row, uint32_t coordinate)
{
    int at = taut_pattern_find(self->s->blocks[BLOCK_G].parts[0].shape, (int)row, (int)coordinate);
    return at < 0 ? 0 : self->jacobian[at];
}

/* Unit tangents of a contact of points. In the plane (n_y, -n_x); in space the first is normal to the axis farthest
 * from n. */
static void find_tangents(const kinematics *self, size_t i, contact_motion *t)
{
    const contact_traits *c = &self->traits[i];
    real n[3] = { 0, 0, 0 };
    for (uint32_t k = 0; k < c->point[0].size; k++)
        n[k] = entry(self, gap_row(self, i), c->point[0].first + k) / t->normal;
    memset(t->tangent, 0, sizeof t->tangent);
    if (c->point[0].size == 2) {
        t->tangent[0][0] = n[1], t->tangent[0][1] = -n[0];
        return;
    }
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (REAL(fabs)(n[k]) < REAL(fabs)(n[axis])) axis = k;
    int j = (axis + 1) % 3, k = (axis + 2) % 3;
    real length = REAL(sqrt)(n[j] * n[j] + n[k] * n[k]);
    real *a = t->tangent[0], *b = t->tangent[1];
    a[j] = -n[k] / length, a[k] = n[j] / length;
    for (int l = 0; l < 3; l++) b[l] = n[(l + 1) % 3] * a[(l + 2) % 3] - n[(l + 2) % 3] * a[(l + 1) % 3];
}

/* Relative velocity (or place) of the points of a contact along a tangent. */
static real along_points(const kinematics *self, size_t i, const real *tangent, const real *x)
{
    const contact_traits *c = &self->traits[i];
    real sum = 0;
    for (uint32_t p = 0; p < c->point_count; p++)
        for (uint32_t k = 0; k < c->point[p].size; k++) {
            real part = tangent[k] * x[c->point[p].first + k];
            sum += p ? -part : part;
        }
    return sum;
}

/* fastest: the largest velocity, whose rounding the constraints hand on to all others. */
static void look_at(kinematics *self, size_t i, real h, real fastest)
{
    const contact_traits *c = &self->traits[i];
    const pattern *shape = self->s->blocks[BLOCK_G].parts[0].shape;
    contact_motion *t = &self->touches[i];
    uint32_t row = gap_row(self, i);
    real size = 0, speed = REAL(fabs)(self->rate[row]), sum = 0;
    t->gap = self->g[row];
    t->rate = self->rate[row];
    for (int e = shape->start[row]; e < shape->start[row + 1]; e++) {
        real x = REAL(fabs)(self->place_q[shape->index[e]]), v = REAL(fabs)(self->v[shape->index[e]]),
             g = REAL(fabs)(self->jacobian[e]);
        size += g * (REAL(fmax)(x, self->s->least) + REAL(fabs)(h) * v);
        speed += g * fastest;
        t->rate += self->jacobian[e] * self->v[shape->index[e]];
    }
    t->round_off = 16 * REAL_EPSILON * size;
    t->rate_round_off = 64 * REAL_EPSILON * speed;
    for (uint32_t k = 0; c->point_count && k < c->point[0].size; k++) {
        real g = entry(self, row, c->point[0].first + k);
        sum += g * g;
    }
    t->normal = c->point_count ? REAL(sqrt)(sum) : 1;
    t->mu = self->mu[i];
    real slip = 0;
    if (c->slide_type == SLIDE_POINTS) find_tangents(self, i, t);
    for (uint32_t k = 0; k < c->slide_count; k++) {
        if (c->slide_type == SLIDE_POINTS) {
            t->slip[k] = along_points(self, i, t->tangent[k], self->v);
            slip += (real)c->point_count * fastest;
            continue;
        }
        uint32_t r = self->slide[i] + k;
        t->slip[k] = self->rate[r];
        for (int e = shape->start[r]; e < shape->start[r + 1]; e++) {
            t->slip[k] += self->jacobian[e] * self->v[shape->index[e]];
            slip += REAL(fabs)(self->jacobian[e]) * fastest;
        }
    }
    t->slip_round_off = 64 * REAL_EPSILON * slip;
}

/* Slides of bodies are measured from where they are. */
static void anchor_bodies(kinematics *self, const place *at)
{
    real slots[CONTACT_SLOTS];
    for (size_t i = 0; i < self->count; i++) {
        const contact_traits *c = &self->traits[i];
        contact_motion *t = &self->touches[i];
        real sum = 0;
        if (c->slide_type != SLIDE_BODY) continue;
        for (uint32_t k = 0; k < c->point[0].size; k++) {
            real g = entry(self, gap_row(self, i), c->point[0].first + k);
            sum += g * g;
        }
        t->normal = REAL(sqrt)(sum);
        find_tangents(self, i, t);
        X(kinematics_stick_slots)(self, i, slots);
        parameter *to = self->own->parameters + self->own->parameter_count - CONTACT_SLOTS * (self->count - i);
        for (int k = 0; k < CONTACT_SLOTS; k++) to[k].value = (wide)slots[k];
    }
    X(system_refresh_constants)(self->s);
    X(system_constraints)(self->s, at, self->g);
    X(system_constraint_rate)(self->s, at, self->rate);
    X(system_block_values)(self->s, BLOCK_G, at, self->jacobian);
}

void X(kinematics_evaluate)(kinematics *self, const real *q, const real *stage, real t, real h)
{
    struct system *s = self->s;
    memcpy(self->place_q, q, s->n * sizeof(real));
    memcpy(self->place_w, stage, s->n * sizeof(real));
    self->t = t;
    place at = place_at(s, self->place_q, self->place_w, &self->t, NULL);
    X(system_velocity)(s, &at, self->v);
    X(system_constraints)(s, &at, self->g);
    X(system_constraint_rate)(s, &at, self->rate);
    X(system_block_values)(s, BLOCK_G, &at, self->jacobian);
    X(system_observables)(s, &at, self->mu);
    if (self->bodies) anchor_bodies(self, &at);
    real fastest = real_largest(self->v, s->n);
    for (size_t i = 0; i < self->count; i++) look_at(self, i, h, fastest);
}

void X(kinematics_row)(const kinematics *self, size_t contact, int r, real *out)
{
    const pattern *shape = self->s->blocks[BLOCK_G].parts[0].shape;
    memset(out, 0, self->s->n * sizeof(real));
    const contact_motion *t = &self->touches[contact];
    const contact_traits *c = &self->traits[contact];
    if (r > 0 && c->slide_type == SLIDE_POINTS) {
        for (uint32_t p = 0; p < c->point_count; p++)
            for (uint32_t k = 0; k < c->point[p].size; k++)
                out[c->point[p].first + k] = p ? -t->tangent[r - 1][k] : t->tangent[r - 1][k];
        return;
    }
    uint32_t row = r == 0 ? gap_row(self, contact) : self->slide[contact] + (uint32_t)r - 1;
    for (int e = shape->start[row]; e < shape->start[row + 1]; e++) out[shape->index[e]] = self->jacobian[e];
}

void X(kinematics_accelerate)(kinematics *self, const real *dv)
{
    struct system *s = self->s;
    place at = place_at(s, self->place_q, self->place_w, &self->t, NULL);
    const pattern *shape = s->blocks[BLOCK_G].parts[0].shape;
    X(system_constraint_curvature)(s, &at, self->v, self->curvature);
    memcpy(self->second, self->curvature, s->c * sizeof(real));
    memcpy(self->dv, dv, s->n * sizeof(real));
    self->fastest = real_largest(dv, s->n);
    for (uint32_t r = 0; r < s->c; r++) {
        self->size[r] = REAL(fabs)(self->curvature[r]);
        for (int e = shape->start[r]; e < shape->start[r + 1]; e++) {
            self->second[r] += self->jacobian[e] * dv[shape->index[e]];
            self->size[r] += REAL(fabs)(self->jacobian[e]) * self->fastest;
        }
    }
}

real X(kinematics_acceleration)(const kinematics *self, size_t contact, int r, real *scale)
{
    /* points that do not slip do not move, and their tangents neither */
    if (r > 0 && self->traits[contact].slide_type == SLIDE_POINTS) {
        if (scale) *scale = (real)self->traits[contact].point_count * self->fastest;
        return along_points(self, contact, self->touches[contact].tangent[r - 1], self->dv);
    }
    uint32_t row = r == 0 ? gap_row(self, contact) : self->slide[contact] + (uint32_t)r - 1;
    if (scale) *scale = self->size[row];
    return self->second[row];
}

real X(kinematics_fastest)(const kinematics *self) { return self->fastest; }

real X(kinematics_slip_along)(const kinematics *self, size_t contact, const real *slots)
{
    const contact_traits *c = &self->traits[contact];
    const contact_motion *t = &self->touches[contact];
    real sum = 0;
    if (c->slide_type != SLIDE_GIVEN && c->slide_count == 2) {
        for (int k = 0; k < 3; k++)
            sum += slots[SLOT_DIRECTION + k] * (t->slip[0] * t->tangent[0][k] + t->slip[1] * t->tangent[1][k]);
        return sum;
    }
    for (uint32_t k = 0; k < c->slide_count; k++) sum += slots[SLOT_DIRECTION + k] * t->slip[k];
    return sum;
}

void X(kinematics_slip_slots)(const kinematics *self, size_t contact, const real *d, real *slots)
{
    const contact_motion *t = &self->touches[contact];
    memset(slots, 0, CONTACT_SLOTS * sizeof *slots);
    if (self->traits[contact].slide_count == 1) {
        slots[SLOT_DIRECTION] = d[0] < 0 ? -1 : 1;
        return;
    }
    real length = REAL(sqrt)(d[0] * d[0] + d[1] * d[1]), x = length > 0 ? d[0] / length : 1,
         y = length > 0 ? d[1] / length : 0;
    if (self->traits[contact].slide_type != SLIDE_GIVEN) {
        for (int k = 0; k < 3; k++) slots[SLOT_DIRECTION + k] = x * t->tangent[0][k] + y * t->tangent[1][k];
    } else {
        slots[SLOT_DIRECTION] = x, slots[SLOT_DIRECTION + 1] = y;
    }
}

void X(kinematics_stick_slots)(const kinematics *self, size_t contact, real *slots)
{
    const contact_motion *t = &self->touches[contact];
    const contact_traits *c = &self->traits[contact];
    memset(slots, 0, CONTACT_SLOTS * sizeof *slots);
    for (uint32_t k = 0; c->slide_type == SLIDE_BODY && k < c->point[0].size; k++) {
        slots[SLOT_CENTRE + k] = self->place_q[c->point[0].first + k];
        slots[SLOT_ARM + k] = self->mu[self->arm[contact] + k];
    }
    for (uint32_t k = 0; c->slide_type == SLIDE_BODY && k < c->turn.size; k++)
        slots[SLOT_TURN + k] = self->place_q[c->turn.first + k];
    for (uint32_t r = 0; r < self->traits[contact].slide_count; r++) {
        if (self->traits[contact].slide_type == SLIDE_GIVEN) {
            slots[SLOT_ANCHOR + r] = self->g[self->slide[contact] + r];
            continue;
        }
        for (int k = 0; k < 3; k++) slots[SLOT_TANGENT + 3 * r + k] = t->tangent[r][k];
        if (c->slide_type == SLIDE_POINTS)
            slots[SLOT_ANCHOR + r] = along_points(self, contact, t->tangent[r], self->place_q);
    }
}

void X(kinematics_from_stick)(const kinematics *self, size_t contact, const real *slots, const real *from, real *to)
{
    const contact_motion *t = &self->touches[contact];
    uint32_t rows = self->traits[contact].slide_count;
    int given = self->traits[contact].slide_type == SLIDE_GIVEN;
    to[0] = to[1] = 0;
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t k = 0; k < rows; k++) {
            real overlap = given ? r == k : 0;
            for (uint32_t d = 0; !given && d < 3; d++) overlap += slots[SLOT_TANGENT + 3 * r + d] * t->tangent[k][d];
            to[k] += overlap * from[r];
        }
}
