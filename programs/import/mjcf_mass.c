/* MJCF: masses and moments of inertia, from geoms where a body has no <inertial>. */
#include <math.h>
#include <string.h>

#include "base/elementary.h"
#include "import/mjcf.h"

static const double pi = 2 * TAUT_HALF_PI_HIGH;

static double volume_of(const mjcf_geom *g)
{
    const double *s = g->size;
    switch (g->shape) {
    case MJCF_SPHERE: return 4 * pi / 3 * s[0] * s[0] * s[0];
    case MJCF_CAPSULE: return pi * s[0] * s[0] * (2 * s[1] + 4 * s[0] / 3);
    case MJCF_CYLINDER: return 2 * pi * s[0] * s[0] * s[1];
    case MJCF_BOX: return 8 * s[0] * s[1] * s[2];
    case MJCF_ELLIPSOID: return 4 * pi / 3 * s[0] * s[1] * s[2];
    default: return 0;
    }
}

/* Principal moments divided by the mass. */
static void moments_of(const mjcf_geom *g, double out[3])
{
    const double *s = g->size, r = s[0] * s[0], l = 2 * s[1];
    double across = 0, along = 0;
    if (g->shape == MJCF_BOX || g->shape == MJCF_ELLIPSOID) {
        const double part = g->shape == MJCF_BOX ? 3 : 5;
        for (int i = 0; i < 3; i++) {
            const double a = s[(i + 1) % 3], b = s[(i + 2) % 3];
            out[i] = (a * a + b * b) / part;
        }
        return;
    }
    if (g->shape == MJCF_SPHERE) across = along = 2 * r / 5;
    if (g->shape == MJCF_CYLINDER) across = (3 * r + l * l) / 12, along = r / 2;
    if (g->shape == MJCF_CAPSULE) { /* a cylinder between two half spheres */
        const double middle = l / (l + 4 * s[0] / 3), ends = 1 - middle;
        across = middle * (3 * r + l * l) / 12 + ends * (2 * r / 5 + l * l / 4 + 3 * s[0] * l / 8);
        along = middle * r / 2 + ends * 2 * r / 5;
    }
    out[0] = out[1] = across, out[2] = along;
}

/* Adds mass m at `away` from the centre, with principal moments in the axes q, both in the axes of the sum. */
static void add_inertia(double sum[6], double m, const double away[3], const double q[4], const double principal[3])
{
    static const int row[6] = { 0, 1, 2, 0, 0, 1 }, column[6] = { 0, 1, 2, 1, 2, 2 };
    double e[3][3];
    for (int k = 0; k < 3; k++) {
        const double unit[3] = { k == 0, k == 1, k == 2 };
        pose_turn(q, unit, e[k]);
    }
    const double square = away[0] * away[0] + away[1] * away[1] + away[2] * away[2];
    for (int i = 0; i < 6; i++) {
        const int r = row[i], c = column[i];
        for (int k = 0; k < 3; k++) sum[i] += principal[k] * e[k][r] * e[k][c];
        sum[i] += m * ((r == c ? square : 0) - away[r] * away[c]);
    }
}

static void sum_geoms(mjcf_model *m, mjcf_body *b)
{
    const mjcf_geom *geoms = m->geoms + b->geoms;
    double centre[3] = { 0 };
    b->mass = 0;
    for (size_t i = 0; i < b->geom_count; i++) {
        b->mass += geoms[i].mass;
        for (int k = 0; k < 3; k++) centre[k] += geoms[i].mass * geoms[i].pose.at[k];
    }
    if (!(b->mass > 0)) return;
    b->centre = b->world;
    for (int k = 0; k < 3; k++) b->centre.at[k] = centre[k] / b->mass;
    const pose back = pose_inverse(&b->centre);
    memset(b->inertia, 0, sizeof b->inertia);
    for (size_t i = 0; i < b->geom_count; i++) {
        double principal[3];
        if (!(geoms[i].mass > 0)) continue;
        const pose within = pose_compose(&back, &geoms[i].pose);
        moments_of(&geoms[i], principal);
        for (int k = 0; k < 3; k++) principal[k] *= geoms[i].mass;
        add_inertia(b->inertia, geoms[i].mass, within.at, within.q, principal);
    }
}

long mjcf_only_geom(const mjcf_model *m, const mjcf_body *b)
{
    long found = -1;
    if (b->has_inertial || b->mass <= 0) return -1;
    for (size_t i = 0; i < b->geom_count; i++) {
        const mjcf_geom *g = &m->geoms[b->geoms + i];
        if (!(g->mass > 0)) continue;
        if (found >= 0 || g->shape >= MJCF_ELLIPSOID) return -1;
        found = (long)(b->geoms + i);
    }
    return found;
}

static int has_product(const double inertia[6])
{
    const double small = 1e-12 * (inertia[0] + inertia[1] + inertia[2]);
    return fabs(inertia[3]) > small || fabs(inertia[4]) > small || fabs(inertia[5]) > small;
}

/* boundmass, boundinertia, balanceinertia: of principal moments. */
static void adjust(mjcf_model *m, mjcf_body *b)
{
    double *I = b->inertia;
    int changes = fmin(I[0], fmin(I[1], I[2])) < m->least_inertia;
    if (b->mass < m->least_mass) b->mass = m->least_mass, b->has_inertial = 1;
    if (changes && has_product(I))
        return mjcf_fail(m, b->node, "boundinertia is read for principal moments alone; give the body an "
                                     "<inertial> with diaginertia");
    for (int i = 0; i < 3 && changes; i++) I[i] = fmax(I[i], m->least_inertia);
    if (m->balances && !has_product(I) && (I[0] > I[1] + I[2] || I[1] > I[0] + I[2] || I[2] > I[0] + I[1])) {
        I[0] = I[1] = I[2] = (I[0] + I[1] + I[2]) / 3;
        changes = 1;
    }
    if (changes) b->has_inertial = 1; /* no longer that of its shape */
}

static void check_moving(mjcf_model *m, long body)
{
    mjcf_body *b = &m->bodies[body];
    const mjcf_body *parent = &m->bodies[b->parent];
    const double *I = b->inertia;
    b->carrier = b->joint_count ? body : parent->carrier == 0 ? 0 : b->mass > 0 ? body : parent->carrier;
    if (b->joint_count && !(b->mass > 0)) {
        int has_mesh = 0;
        for (size_t i = 0; i < b->geom_count; i++) has_mesh |= m->geoms[b->geoms + i].shape == MJCF_NO_SHAPE;
        mjcf_fail(m, b->node, "body '%.60s' moves and has no mass%s; give it an <inertial> element", b->lua,
                  has_mesh ? " (that of a mesh is not computed)" : "");
    }
    if (b->carrier != body) return;
    for (int i = 0; i < 3; i++)
        if (I[i] < 0 || I[i] > (I[0] + I[1] + I[2] - I[i]) * (1 + 1e-9))
            mjcf_fail(m, b->node, "the inertia of body '%.60s' is that of no body", b->lua);
}

void mjcf_add_masses(mjcf_model *m)
{
    double total = 0;
    for (size_t i = 0; i < m->geom_count; i++) {
        mjcf_geom *g = &m->geoms[i];
        if (g->is_by_density) g->mass = g->density * volume_of(g);
        if (g->shape >= MJCF_PLANE) g->mass = 0;
    }
    for (size_t i = 1; i < m->body_count && !m->code; i++) {
        mjcf_body *b = &m->bodies[i];
        if (!b->has_inertial && m->from_geoms != 0) sum_geoms(m, b);
        if (b->mass > 0) adjust(m, b);
        check_moving(m, (long)i);
        total += b->mass;
    }
    const double factor = m->total_mass > 0 && total > 0 ? m->total_mass / total : 1;
    for (size_t i = 1; i < m->body_count && factor != 1; i++) {
        mjcf_body *b = &m->bodies[i];
        b->mass *= factor;
        for (int k = 0; k < 6; k++) b->inertia[k] *= factor;
    }
    for (size_t i = 0; i < m->geom_count; i++) m->geoms[i].mass *= factor, m->geoms[i].density *= factor;
}
