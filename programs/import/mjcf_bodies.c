/* MJCF: the tree of bodies with their joints, geoms and sites. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/mjcf.h"

/* ---- places ---- */

static void read_turn(mjcf_model *m, const xml_node *node, double q[4])
{
    double v[6] = { 1, 0, 0, 0 };
    int bad = 0;
    memcpy(q, pose_none.q, sizeof pose_none.q);
    if (mjcf_numbers(m, node, "quat", v, 4) == 4) memcpy(q, v, 4 * sizeof *q), bad = quaternion_normalise(q);
    else if (mjcf_numbers(m, node, "axisangle", v, 4) == 4) bad = quaternion_about_vector(v, v[3] * m->turn, q);
    else if (mjcf_numbers(m, node, "xyaxes", v, 6) == 6) bad = quaternion_of_xy(v, v + 3, q);
    else if (mjcf_numbers(m, node, "zaxis", v, 3) == 3) bad = quaternion_of_z(v, q);
    else if (mjcf_numbers(m, node, "euler", v, 3) == 3)
        for (int i = 0; i < 3; i++) {
            double turn[4];
            const int is_fixed = m->order[i] < 'a'; /* capital letters: about axes that do not move along */
            quaternion_about((m->order[i] | 32) - 'x', v[i] * m->turn, turn);
            quaternion_multiply(is_fixed ? turn : q, is_fixed ? q : turn, q);
        }
    if (bad) mjcf_fail(m, node, "the rotation of <%.40s> has a direction that is zero", node->name);
}

/* In space, of what is given in the axes `base`. */
static pose read_pose(mjcf_model *m, const xml_node *node, const pose *base)
{
    pose own = pose_none;
    mjcf_numbers(m, node, "pos", own.at, 3);
    read_turn(m, node, own.q);
    return m->is_global ? own : pose_compose(base, &own);
}

/* ---- geoms ---- */

static void read_sizes(mjcf_model *m, const xml_node *node, mjcf_geom *g, const pose *base)
{
    double ends[6], v[3], length = 0;
    mjcf_numbers(m, node, "size", g->size, 3);
    if (mjcf_numbers(m, node, "fromto", ends, 6) == 6) {
        for (int i = 0; i < 3; i++) {
            g->pose.at[i] = (ends[i] + ends[i + 3]) / 2;
            v[i] = ends[i] - ends[i + 3];
            length += v[i] * v[i];
        }
        if (quaternion_of_z(v, g->pose.q)) return mjcf_fail(m, node, "the two ends of a geom are the same");
        g->size[g->shape == MJCF_CAPSULE || g->shape == MJCF_CYLINDER ? 1 : 2] = sqrt(length) / 2;
        if (g->shape == MJCF_BOX || g->shape == MJCF_ELLIPSOID) g->size[1] = g->size[0];
        if (!m->is_global) g->pose = pose_compose(base, &g->pose);
    }
    const int count = g->shape == MJCF_SPHERE ? 1 : g->shape == MJCF_CAPSULE || g->shape == MJCF_CYLINDER ? 2 : 3;
    for (int i = 0; i < count && g->shape < MJCF_PLANE; i++)
        if (!(g->size[i] > 0)) mjcf_fail(m, node, "a geom needs %d sizes that are positive", count);
}

static void read_geom(mjcf_model *m, const xml_node *node, long body, const pose *base)
{
    static const char *const names[] = { "sphere", "capsule", "cylinder", "box", "ellipsoid", "plane" };
    mjcf_geom *g = mjcf_more(m, &m->geoms, &m->geom_count, sizeof *g);
    if (!g) return;
    const char *type = xml_attribute(node, "type");
    g->node = node, g->body = body;
    g->shape = type ? MJCF_NO_SHAPE : MJCF_SPHERE;
    for (int i = 0; type && i < MJCF_NO_SHAPE; i++)
        if (strcmp(type, names[i]) == 0) g->shape = (mjcf_shape)i;
    g->pose = read_pose(m, node, base);
    if (g->shape != MJCF_NO_SHAPE) read_sizes(m, node, g, base);
    const double group = mjcf_number(m, node, "group", 0);
    g->density = mjcf_number(m, node, "density", 1000);
    g->is_by_density = !xml_attribute(node, "mass");
    g->mass = mjcf_number(m, node, "mass", 0); /* that by density: mjcf_mass.c */
    g->has_mass = g->mass > 0;
    if (g->density < 0 || g->mass < 0) mjcf_fail(m, node, "a geom has a negative mass or density");
    if (group < m->groups[0] || group > m->groups[1]) g->density = g->mass = 0, g->has_mass = 0;
}

/* ---- joints ---- */

static void read_joint(mjcf_model *m, const xml_node *node, long body, const pose *base)
{
    static const char *const names[] = { "hinge", "slide", "ball", "free" };
    mjcf_joint *j = mjcf_more(m, &m->joints, &m->joint_count, sizeof *j);
    if (!j) return;
    const int is_plain = xml_is(node, "freejoint"); /* it has no defaults */
    const char *type = is_plain ? "free" : xml_attribute(node, "type");
    int kind = type ? -1 : MJCF_HINGE;
    for (int i = 0; i < 4 && type; i++)
        if (strcmp(type, names[i]) == 0) kind = i;
    if (kind < 0) return mjcf_fail(m, node, "a joint of type '%.40s' is not known", type);
    j->kind = (mjcf_kind)kind;
    j->node = node, j->body = body;
    mjcf_take_name(m, &m->joint_names, xml_attribute(node, "name"), "joint", m->joint_count, j->lua);
    if (is_plain) return;
    double at[3] = { 0 }, axis[3] = { 0, 0, 1 }, unit = kind == MJCF_HINGE || kind == MJCF_BALL ? m->turn : 1;
    mjcf_numbers(m, node, "pos", at, 3);
    mjcf_numbers(m, node, "axis", axis, 3);
    if (kind < MJCF_BALL && axis[0] == 0 && axis[1] == 0 && axis[2] == 0)
        return mjcf_fail(m, node, "the axis of a joint is zero");
    if (m->is_global) memcpy(j->at, at, sizeof at), memcpy(j->axis, axis, sizeof axis);
    else pose_apply(base, at, j->at), pose_turn(base->q, axis, j->axis);
    j->stiffness = mjcf_number(m, node, "stiffness", 0);
    j->damping = mjcf_number(m, node, "damping", 0);
    j->armature = mjcf_number(m, node, "armature", 0);
    j->friction = mjcf_number(m, node, "frictionloss", 0);
    j->reference = kind < MJCF_BALL ? mjcf_number(m, node, "ref", 0) * unit : 0;
    j->rest = mjcf_number(m, node, "springref", 0) * unit - j->reference;
    j->has_limits = mjcf_limits(m, node, "limited", "range", j->range);
    for (int i = 0; i < 2; i++) j->range[i] = j->range[i] * unit - j->reference;
}

static void read_site(mjcf_model *m, const xml_node *node, long body, const pose *base)
{
    mjcf_site *s = mjcf_more(m, &m->sites, &m->site_count, sizeof *s);
    if (!s) return;
    s->node = node, s->body = body;
    s->pose = read_pose(m, node, base);
}

/* ---- bodies ---- */

static void read_inertial(mjcf_model *m, const xml_node *node, mjcf_body *b, const pose *base)
{
    b->has_inertial = 1;
    b->mass = mjcf_number(m, node, "mass", 0);
    b->centre = read_pose(m, node, base);
    if (!(b->mass > 0)) mjcf_fail(m, node, "an <inertial> needs a mass that is positive");
    if (mjcf_numbers(m, node, "fullinertia", b->inertia, 6) != 6 &&
        mjcf_numbers(m, node, "diaginertia", b->inertia, 3) != 3)
        mjcf_fail(m, node, "an <inertial> needs diaginertia (3 numbers) or fullinertia (6)");
}

/* What a body has of its own; frames inside it only turn what is in them. */
static void read_parts(mjcf_model *m, const xml_node *node, long body, const pose *base)
{
    for (const xml_node *e = node->first; e && !m->code; e = e->next) {
        if (xml_is(e, "geom")) read_geom(m, e, body, base);
        if (xml_is(e, "joint") || xml_is(e, "freejoint")) read_joint(m, e, body, base);
        if (xml_is(e, "site")) read_site(m, e, body, base);
        if (xml_is(e, "inertial") && m->from_geoms != 1) read_inertial(m, e, &m->bodies[body], base);
        else if (xml_is(e, "inertial")) xml_mark(e); /* the compiler is told to take geoms instead */
        if (xml_is(e, "frame")) {
            const pose inner = read_pose(m, e, base);
            read_parts(m, e, body, &inner);
        }
    }
}

static void read_body(mjcf_model *m, const xml_node *node, long parent, const pose *base);

static void read_children(mjcf_model *m, const xml_node *node, long body, const pose *base)
{
    for (const xml_node *e = node->first; e && !m->code; e = e->next) {
        if (xml_is(e, "body")) read_body(m, e, body, base);
        if (xml_is(e, "frame")) {
            const pose inner = read_pose(m, e, base);
            read_children(m, e, body, &inner);
        }
    }
}

static void fill_body(mjcf_model *m, const xml_node *node, long body, const pose *world)
{
    const size_t joints = m->joint_count, geoms = m->geom_count;
    read_parts(m, node, body, world);
    if (m->code) return;
    mjcf_body *b = &m->bodies[body];
    b->joints = joints, b->joint_count = m->joint_count - joints;
    b->geoms = geoms, b->geom_count = m->geom_count - geoms;
}

static void read_body(mjcf_model *m, const xml_node *node, long parent, const pose *base)
{
    const pose world = read_pose(m, node, base);
    if (m->is_global && !xml_attribute(node, "pos"))
        return mjcf_fail(m, node, "a body has no pos; with coordinate=\"global\" give one");
    const long body = (long)m->body_count;
    mjcf_body *b = mjcf_more(m, &m->bodies, &m->body_count, sizeof *b);
    if (!b) return;
    b->node = node, b->parent = parent, b->world = world;
    mjcf_take_name(m, &m->body_names, xml_attribute(node, "name"), "body", (size_t)body, b->lua);
    fill_body(m, node, body, &world);
    if (m->code) return;
    b = &m->bodies[body];
    for (size_t i = 0; i < b->joint_count; i++) {
        const mjcf_joint *j = &m->joints[b->joints + i];
        if (b->joint_count > 1 && j->kind >= MJCF_BALL)
            return mjcf_fail(m, j->node, "a ball or free joint beside other joints of its body is not read; put a body "
                                         "between them");
    }
    if (b->joint_count > 6) return mjcf_fail(m, node, "a body has more than six joints");
    read_children(m, node, body, &world);
}

/* Joints are fields of a table, and parts of a series fields of a joint: names that these have are not given away. */
static void reserve_names(mjcf_model *m)
{
    static const char *const names[] = { "a", "b", "name", "dimension", "line", "constraints", "symbols", "start",
                                         "rates", "is_free", "follows", "measured", "efforts", "advance", "radius",
                                         "has_own_frames", "kind", "first", "second", "place", "gap", "force", "torque",
                                         "force_space", "torque_space", "omega", "rate", "effort", "turned",
                                         "columns" };
    char unused[LUA_NAME];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        mjcf_take_name(m, &m->joint_names, names[i], "", 0, unused);
}

void mjcf_read_bodies(mjcf_model *m)
{
    reserve_names(m);
    mjcf_body *ground = mjcf_more(m, &m->bodies, &m->body_count, sizeof *ground);
    if (!ground) return;
    ground->world = ground->centre = pose_none;
    for (const xml_node *e = NULL; (e = mjcf_section(m, "worldbody", e)) && !m->code;) {
        ground->node = e;
        fill_body(m, e, 0, &pose_none);
        if (!m->code && m->bodies[0].joint_count) mjcf_fail(m, e, "the world has joints");
        if (!m->code) read_children(m, e, 0, &pose_none);
        ground = m->bodies;
    }
    for (size_t i = 1; i < m->body_count && !m->code; i++) {
        mjcf_body *b = &m->bodies[i];
        if (b->joint_count != 1) mjcf_take_name(m, &m->joint_names, b->lua, "", 0, b->joint);
    }
}
