#include "contact/watch.h"

#include <string.h>

#include "base/workspace.h"

struct watch {
    const model *m;
    model *own;            /* its constraints: those of m, gaps, slides */
    struct system *s;
    size_t count;
    void *room;            /* of the arrays below */
    uint32_t *slide;       /* per contact: row of its first given slide in s */
    touch *touches;
    real *g, *rate, *curvature, *jacobian, *v, *mu, *second, *size, *dv;
    real *place_q, *place_w, t;
    real fastest;          /* of the accelerations */
};

void watch_destroy(watch *w)
{
    if (!w) return;
    taut_context *context = w->m->context;
    mem_free(context, w->room);
    system_destroy(w->s);
    phase_model_destroy(w->own);
    mem_free(context, w);
}

static void lay_out(void *self, layout *l)
{
    watch *w = self;
    size_t n = w->s->n, c = w->s->c;
    w->slide = layout_take(l, w->count, sizeof *w->slide);
    w->touches = layout_take(l, w->count, sizeof *w->touches);
    w->mu = layout_reals(l, w->count);
    w->g = layout_reals(l, c), w->rate = layout_reals(l, c), w->curvature = layout_reals(l, c);
    w->second = layout_reals(l, c), w->size = layout_reals(l, c);
    w->jacobian = layout_reals(l, (size_t)w->s->blocks[BLOCK_G].value_count);
    w->v = layout_reals(l, n), w->dv = layout_reals(l, n);
    w->place_q = layout_reals(l, n), w->place_w = layout_reals(l, n);
}

int watch_create(const model *m, watch **result)
{
    *result = NULL;
    watch *w = mem_new(m->context, 1, sizeof *w);
    if (!w) return TAUT_OUT_OF_MEMORY;
    w->m = m;
    w->count = m->contact_count;
    int status = phase_watch_create(m, &w->own);
    if (!status) status = system_create(w->own, &w->s);
    if (!status) status = system_prepare_block(w->s, BLOCK_G);
    if (!status) status = system_prepare_rates(w->s);
    if (!status) status = workspace_create(m->context, lay_out, w, &w->room);
    uint32_t row = (uint32_t)(m->constraint_count + w->count);
    for (size_t i = 0; !status && i < w->count; i++) {
        w->slide[i] = row;
        if (m->contacts[i].slide_type == SLIDE_GIVEN) row += m->contacts[i].slide_count;
    }
    if (status)
        watch_destroy(w);
    else
        *result = w;
    return status;
}

const touch *watch_touch(const watch *w, size_t contact) { return &w->touches[contact]; }
const real *watch_velocity(const watch *w) { return w->v; }
struct system *watch_system(watch *w) { return w->s; }
real watch_least(const watch *w) { return w->s->least; }

static uint32_t gap_row(const watch *w, size_t contact) { return (uint32_t)(w->m->constraint_count + contact); }

/* d row / d coordinate */
static real entry(const watch *w, uint32_t row, uint32_t coordinate)
{
    int at = pattern_find(w->s->blocks[BLOCK_G].parts[0].shape, (int)row, (int)coordinate);
    return at < 0 ? 0 : w->jacobian[at];
}

/* Unit tangents of a contact of points. In the plane (n_y, -n_x); in space the first is normal to the axis farthest from n. */
static void find_tangents(const watch *w, size_t i, touch *t)
{
    const contact *c = &w->m->contacts[i];
    const group *p = &w->m->groups[c->point[0]];
    real n[3] = { 0, 0, 0 };
    for (uint32_t k = 0; k < p->size; k++) n[k] = entry(w, gap_row(w, i), p->first + k) / t->normal;
    memset(t->tangent, 0, sizeof t->tangent);
    if (p->size == 2) {
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
static real along_points(const watch *w, size_t i, const real *tangent, const real *x)
{
    const contact *c = &w->m->contacts[i];
    real sum = 0;
    for (uint32_t p = 0; p < c->point_count; p++)
        for (uint32_t k = 0; k < w->m->groups[c->point[p]].size; k++) {
            real part = tangent[k] * x[w->m->groups[c->point[p]].first + k];
            sum += p ? -part : part;
        }
    return sum;
}

/* fastest: the largest velocity, whose rounding the constraints hand on to all others. */
static void look_at(watch *w, size_t i, real h, real fastest)
{
    const contact *c = &w->m->contacts[i];
    const pattern *shape = w->s->blocks[BLOCK_G].parts[0].shape;
    touch *t = &w->touches[i];
    uint32_t row = gap_row(w, i);
    real size = 0, speed = REAL(fabs)(w->rate[row]), sum = 0;
    t->gap = w->g[row];
    t->rate = w->rate[row];
    for (int e = shape->start[row]; e < shape->start[row + 1]; e++) {
        real x = REAL(fabs)(w->place_q[shape->index[e]]), v = REAL(fabs)(w->v[shape->index[e]]), g = REAL(fabs)(w->jacobian[e]);
        size += g * (REAL(fmax)(x, w->s->least) + REAL(fabs)(h) * v);
        speed += g * fastest;
        t->rate += w->jacobian[e] * w->v[shape->index[e]];
    }
    t->round_off = 16 * REAL_EPSILON * size;
    t->rate_round_off = 64 * REAL_EPSILON * speed;
    for (uint32_t k = 0; c->point_count && k < w->m->groups[c->point[0]].size; k++) {
        real g = entry(w, row, w->m->groups[c->point[0]].first + k);
        sum += g * g;
    }
    t->normal = c->point_count ? REAL(sqrt)(sum) : 1;
    t->mu = w->mu[i];
    real slip = 0;
    if (c->slide_type == SLIDE_POINTS) find_tangents(w, i, t);
    for (uint32_t k = 0; k < c->slide_count; k++) {
        if (c->slide_type == SLIDE_POINTS) {
            t->slip[k] = along_points(w, i, t->tangent[k], w->v);
            slip += (real)c->point_count * fastest;
            continue;
        }
        uint32_t r = w->slide[i] + k;
        t->slip[k] = w->rate[r];
        for (int e = shape->start[r]; e < shape->start[r + 1]; e++) {
            t->slip[k] += w->jacobian[e] * w->v[shape->index[e]];
            slip += REAL(fabs)(w->jacobian[e]) * fastest;
        }
    }
    t->slip_round_off = 64 * REAL_EPSILON * slip;
}

void watch_look(watch *w, const real *q, const real *stage, real t, real h)
{
    struct system *s = w->s;
    memcpy(w->place_q, q, s->n * sizeof(real));
    memcpy(w->place_w, stage, s->n * sizeof(real));
    w->t = t;
    place at = place_at(s, w->place_q, w->place_w, &w->t, NULL);
    system_velocity(s, &at, w->v);
    system_constraints(s, &at, w->g);
    system_constraint_rate(s, &at, w->rate);
    system_block_values(s, BLOCK_G, &at, w->jacobian);
    system_observables(s, &at, w->mu);
    real fastest = real_largest(w->v, s->n);
    for (size_t i = 0; i < w->count; i++) look_at(w, i, h, fastest);
}

void watch_row(const watch *w, size_t contact, int r, real *out)
{
    const pattern *shape = w->s->blocks[BLOCK_G].parts[0].shape;
    memset(out, 0, w->s->n * sizeof(real));
    const touch *t = &w->touches[contact];
    if (r > 0 && w->m->contacts[contact].slide_type == SLIDE_POINTS) {
        for (uint32_t p = 0; p < w->m->contacts[contact].point_count; p++) {
            const group *owner = &w->m->groups[w->m->contacts[contact].point[p]];
            for (uint32_t k = 0; k < owner->size; k++) out[owner->first + k] = p ? -t->tangent[r - 1][k] : t->tangent[r - 1][k];
        }
        return;
    }
    uint32_t row = r == 0 ? gap_row(w, contact) : w->slide[contact] + (uint32_t)r - 1;
    for (int e = shape->start[row]; e < shape->start[row + 1]; e++) out[shape->index[e]] = w->jacobian[e];
}

void watch_accelerate(watch *w, const real *dv)
{
    struct system *s = w->s;
    place at = place_at(s, w->place_q, w->place_w, &w->t, NULL);
    const pattern *shape = s->blocks[BLOCK_G].parts[0].shape;
    system_constraint_curvature(s, &at, w->v, w->curvature);
    memcpy(w->second, w->curvature, s->c * sizeof(real));
    memcpy(w->dv, dv, s->n * sizeof(real));
    w->fastest = real_largest(dv, s->n);
    for (uint32_t r = 0; r < s->c; r++) {
        w->size[r] = REAL(fabs)(w->curvature[r]);
        for (int e = shape->start[r]; e < shape->start[r + 1]; e++) {
            w->second[r] += w->jacobian[e] * dv[shape->index[e]];
            w->size[r] += REAL(fabs)(w->jacobian[e]) * w->fastest;
        }
    }
}

real watch_acceleration(const watch *w, size_t contact, int r, real *scale)
{
    /* points that do not slip do not move, and their tangents neither */
    if (r > 0 && w->m->contacts[contact].slide_type == SLIDE_POINTS) {
        if (scale) *scale = (real)w->m->contacts[contact].point_count * w->fastest;
        return along_points(w, contact, w->touches[contact].tangent[r - 1], w->dv);
    }
    uint32_t row = r == 0 ? gap_row(w, contact) : w->slide[contact] + (uint32_t)r - 1;
    if (scale) *scale = w->size[row];
    return w->second[row];
}

real watch_along(const watch *w, size_t contact, const real *slots)
{
    const model *m = w->m;
    const touch *t = &w->touches[contact];
    real sum = 0;
    if (m->contacts[contact].slide_type == SLIDE_POINTS && m->contacts[contact].slide_count == 2) {
        for (int k = 0; k < 3; k++) sum += slots[SLOT_DIRECTION + k] * (t->slip[0] * t->tangent[0][k] + t->slip[1] * t->tangent[1][k]);
        return sum;
    }
    for (uint32_t k = 0; k < m->contacts[contact].slide_count; k++) sum += slots[SLOT_DIRECTION + k] * t->slip[k];
    return sum;
}

void watch_direction(const watch *w, size_t contact, const real *d, real *slots)
{
    const touch *t = &w->touches[contact];
    memset(slots, 0, CONTACT_SLOTS * sizeof *slots);
    if (w->m->contacts[contact].slide_count == 1) {
        slots[SLOT_DIRECTION] = d[0] < 0 ? -1 : 1;
        return;
    }
    real length = REAL(sqrt)(d[0] * d[0] + d[1] * d[1]), x = length > 0 ? d[0] / length : 1, y = length > 0 ? d[1] / length : 0;
    if (w->m->contacts[contact].slide_type == SLIDE_POINTS) {
        for (int k = 0; k < 3; k++) slots[SLOT_DIRECTION + k] = x * t->tangent[0][k] + y * t->tangent[1][k];
    } else {
        slots[SLOT_DIRECTION] = x, slots[SLOT_DIRECTION + 1] = y;
    }
}

void watch_anchor(const watch *w, size_t contact, real *slots)
{
    const touch *t = &w->touches[contact];
    memset(slots, 0, CONTACT_SLOTS * sizeof *slots);
    for (uint32_t r = 0; r < w->m->contacts[contact].slide_count; r++) {
        if (w->m->contacts[contact].slide_type == SLIDE_GIVEN) {
            slots[SLOT_ANCHOR + r] = w->g[w->slide[contact] + r];
            continue;
        }
        for (int k = 0; k < 3; k++) slots[SLOT_TANGENT + 3 * r + k] = t->tangent[r][k];
        slots[SLOT_ANCHOR + r] = along_points(w, contact, t->tangent[r], w->place_q);
    }
}
