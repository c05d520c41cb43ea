/* MJCF: the model in Lua; its bodies and joints. */
#include <math.h>
#include <string.h>

#include "import/mjcf.h"

/* ---- what is referred to ---- */

const char *mjcf_reference(const mjcf_model *m, long body, char buffer[MJCF_REFERENCE])
{
    const long carrier = body > 0 ? m->bodies[body].carrier : 0;
    if (carrier == 0) snprintf(buffer, MJCF_REFERENCE, "world");
    else snprintf(buffer, MJCF_REFERENCE, "link.%s", m->bodies[carrier].lua);
    return buffer;
}

const char *mjcf_symbol(const mjcf_model *m, long joint, char buffer[MJCF_SYMBOL])
{
    const mjcf_joint *j = &m->joints[joint];
    const mjcf_body *b = &m->bodies[j->body];
    if (b->joint_count == 1)
        snprintf(buffer, MJCF_SYMBOL, "joint.%s.%s", j->lua, j->kind == MJCF_HINGE ? "angle" : "slide");
    else snprintf(buffer, MJCF_SYMBOL, "joint.%s.%s", b->joint, j->lua);
    return buffer;
}

pose mjcf_axes(const mjcf_model *m, long body)
{
    const mjcf_body *b = &m->bodies[body];
    const long only = mjcf_only_geom(m, b);
    pose p = only >= 0 ? m->geoms[only].pose : b->centre;
    if (only >= 0 && m->geoms[only].shape == MJCF_SPHERE) memcpy(p.q, b->world.q, sizeof p.q);
    return p;
}

void mjcf_put_point(const mjcf_model *m, FILE *f, long body, const double at[3])
{
    const long carrier = body > 0 ? m->bodies[body].carrier : 0;
    if (carrier == 0) return lua_put_list(f, at, 3);
    const pose axes = mjcf_axes(m, carrier);
    double within[3];
    pose_within(&axes, at, within);
    fprintf(f, "link.%s:point", m->bodies[carrier].lua);
    lua_put_list(f, within, 3);
}

void mjcf_leave_out(mjcf_model *m, FILE *f, const xml_node *node, const char *why)
{
    const char *name = xml_attribute(node, "name");
    fprintf(f, "-- left out: <"), lua_put_words(f, node->name);
    fprintf(f, ">");
    if (name) fprintf(f, " '"), lua_put_words(f, name), fprintf(f, "'");
    fprintf(f, " (line %d): %s\n", node->line, why);
    m->left_out++;
}

void mjcf_leave_out_all(mjcf_model *m, FILE *f, const xml_node *node, const char *why)
{
    mjcf_leave_out(m, f, node, why);
    xml_mark_all(node);
}

/* ---- geoms ---- */

/* A box has the axes of its body when it is drawn: the sides of one whose axes are those in another order. 0: it has
   other axes. */
static int sides_of(const mjcf_geom *g, const double q[4], double sides[3])
{
    for (int k = 0; k < 3; k++) {
        const double unit[3] = { k == 0, k == 1, k == 2 }, back[4] = { q[0], -q[1], -q[2], -q[3] };
        double e[3];
        int along = -1;
        pose_turn(g->pose.q, unit, e);
        pose_turn(back, e, e);
        for (int i = 0; i < 3; i++)
            if (fabs(fabs(e[i]) - 1) < 1e-9) along = i;
        if (along < 0) return 0;
        sides[along] = 2 * g->size[k];
    }
    return 1;
}

static int put_geom(const mjcf_model *m, FILE *f, const mjcf_geom *g)
{
    static const char *const names[] = { "ball", "capsule", "cylinder", "box" };
    const long carrier = m->bodies[g->body].carrier;
    const double half[3] = { 0, 0, g->size[1] };
    double end[3], sides[3];
    if (g->shape >= MJCF_ELLIPSOID && (g->shape != MJCF_PLANE || carrier != 0)) return 0;
    if (g->shape == MJCF_BOX && !sides_of(g, carrier ? mjcf_axes(m, carrier).q : pose_none.q, sides)) return 0;
    fprintf(f, "draw { %s(", g->shape == MJCF_PLANE ? "plane" : names[g->shape]);
    if (g->shape == MJCF_CAPSULE || g->shape == MJCF_CYLINDER) {
        pose_turn(g->pose.q, half, end);
        for (int i = 0; i < 3; i++) end[i] = g->pose.at[i] - end[i];
        mjcf_put_point(m, f, g->body, end), fprintf(f, ", ");
        pose_apply(&g->pose, half, end);
        mjcf_put_point(m, f, g->body, end), fprintf(f, ", %.12g", g->size[0]);
    } else {
        mjcf_put_point(m, f, g->body, g->pose.at), fprintf(f, ", ");
        if (g->shape == MJCF_SPHERE) fprintf(f, "%.12g", g->size[0]);
        if (g->shape == MJCF_BOX) lua_put_list(f, sides, 3);
        if (g->shape == MJCF_BOX && carrier) fprintf(f, ", link.%s.rotation", m->bodies[carrier].lua);
        if (g->shape == MJCF_PLANE) pose_turn(g->pose.q, (const double[3]){ 0, 0, 1 }, end), lua_put_list(f, end, 3);
    }
    fprintf(f, ") }\n");
    return 1;
}

static int can_draw(const mjcf_model *m, const mjcf_geom *g)
{
    double sides[3];
    if (g->shape != MJCF_BOX) return g->shape < MJCF_BOX;
    return sides_of(g, mjcf_axes(m, m->bodies[g->body].carrier).q, sides);
}

/* ---- bodies ---- */

static void put_shape(FILE *f, const mjcf_geom *g)
{
    static const char *const names[] = { "sphere", "capsule", "cylinder" };
    const double sides[3] = { 2 * g->size[0], 2 * g->size[1], 2 * g->size[2] };
    fprintf(f, "shape = ");
    if (g->shape == MJCF_BOX) fprintf(f, "box"), lua_put_list(f, sides, 3);
    else fprintf(f, "%s{radius = %.12g", names[g->shape], g->size[0]);
    if (g->shape == MJCF_SPHERE) fprintf(f, "}");
    else if (g->shape != MJCF_BOX) fprintf(f, ", length = %.12g}", 2 * g->size[1]);
    if (g->is_by_density) fprintf(f, ", density = %.12g", g->density);
    else fprintf(f, ", mass = %.12g", g->mass);
}

static void put_body(mjcf_model *m, FILE *f, long body)
{
    const mjcf_body *b = &m->bodies[body];
    const pose axes = mjcf_axes(m, body);
    const long only = mjcf_only_geom(m, b);
    int drawn = 0;
    for (size_t i = 0; i < b->geom_count && only < 0; i++) drawn |= can_draw(m, &m->geoms[b->geoms + i]);
    fprintf(f, "link.%s = body(\"%s\", { ", b->lua, b->lua);
    if (only >= 0) put_shape(f, &m->geoms[only]);
    else {
        double I[6];
        int count = 3;
        for (int i = 0; i < 6; i++) {
            I[i] = fabs(b->inertia[i]) < 1e-13 * (b->inertia[0] + b->inertia[1] + b->inertia[2]) ? 0 : b->inertia[i];
            if (i > 2 && I[i] != 0) count = 6;
        }
        fprintf(f, "mass = %.12g, inertia = {", b->mass); /* small numbers of small bodies stay */
        for (int i = 0; i < count; i++) fprintf(f, "%s%.12g", i ? ", " : "", I[i]);
        fprintf(f, "}");
    }
    fprintf(f, ",\n  at = "), lua_put_list(f, axes.at, 3);
    if (fabs(fabs(axes.q[0]) - 1) > 1e-13) fprintf(f, ", turned = "), lua_put_list(f, axes.q, 4);
    fprintf(f, "%s })\n", drawn ? ", draw = false" : "");
    for (size_t i = 0; i < b->geom_count; i++)
        if (only < 0 ? drawn : (long)(b->geoms + i) != only) put_geom(m, f, &m->geoms[b->geoms + i]);
    for (size_t i = 0; i < b->geom_count && !b->has_inertial && m->from_geoms != 0; i++) {
        const mjcf_geom *g = &m->geoms[b->geoms + i];
        if (g->shape == MJCF_NO_SHAPE && (g->is_by_density ? g->density > 0 : g->has_mass))
            mjcf_leave_out(m, f, g->node, "the mass of a mesh is not computed; give the body an <inertial>");
    }
    if (mjcf_number(m, b->node, "gravcomp", 0) != 0) mjcf_leave_out(m, f, b->node, "gravcomp has no counterpart");
}

/* ---- joints ---- */

static void put_drive(mjcf_model *m, FILE *f, long joint)
{
    const mjcf_joint *j = &m->joints[joint];
    const char *comma = "";
    int motors = 0;
    fprintf(f, "drive(\"%s\", { ", j->lua);
    if (j->stiffness != 0) fprintf(f, "stiffness = %.12g", j->stiffness), comma = ", ";
    if (j->stiffness != 0 && j->rest != 0) fprintf(f, ", rest = %.12g", j->rest);
    if (j->damping != 0) fprintf(f, "%sdamping = %.12g", comma, j->damping), comma = ", ";
    if (j->has_limits) fprintf(f, "%slimits = ", comma), lua_put_list(f, j->range, 2), comma = ", ";
    for (size_t i = 0; i < m->actuator_count; i++) {
        const mjcf_actuator *a = &m->actuators[i];
        if (a->joint != joint || !mjcf_is_motor(m, a)) continue;
        if (!motors++) fprintf(f, "%s%s = ", comma, j->kind == MJCF_HINGE ? "torque" : "force"), comma = ", ";
        else fprintf(f, " + ");
        mjcf_put_motor(f, a);
    }
    fprintf(f, "%s", *comma ? " })" : "})");
}

static void put_after_joint(mjcf_model *m, FILE *f, long joint)
{
    const mjcf_joint *j = &m->joints[joint];
    char symbol[MJCF_SYMBOL];
    if (j->kind >= MJCF_BALL) return;
    if (j->armature != 0) fprintf(f, "armature(%s, %.12g)\n", mjcf_symbol(m, joint, symbol), j->armature);
    if (j->friction != 0) mjcf_leave_out(m, f, j->node, "frictionloss, the dry friction of the joint");
    if (xml_attribute(j->node, "springdamper"))
        mjcf_leave_out(m, f, j->node, "springdamper; give stiffness and damping");
}

static void put_ball(mjcf_model *m, FILE *f, long body)
{
    const mjcf_body *b = &m->bodies[body];
    const mjcf_joint *j = &m->joints[b->joints];
    char parent[MJCF_REFERENCE], child[MJCF_REFERENCE];
    mjcf_reference(m, b->parent, parent), mjcf_reference(m, body, child);
    fprintf(f, "joint.%s = spherical(\"%s\", %s, %s, { at = ", j->lua, j->lua, parent, child);
    lua_put_list(f, j->at, 3), fprintf(f, " })\n");
    if (j->damping != 0) {
        fprintf(f, "torque(%s, -%.12g*(%s.omega_space - %s.omega_space))\n", child, j->damping, child, parent);
        if (strcmp(parent, "world") != 0)
            fprintf(f, "torque(%s, %.12g*(%s.omega_space - %s.omega_space))\n", parent, j->damping, child, parent);
    }
    if (j->armature != 0) fprintf(f, "lagrangian(%.12g/2*norm2(joint.%s.omega))\n", j->armature, j->lua);
    if (j->stiffness != 0) mjcf_leave_out(m, f, j->node, "the spring of a ball joint");
    if (j->has_limits) mjcf_leave_out(m, f, j->node, "the limit of a ball joint");
    if (j->friction != 0) mjcf_leave_out(m, f, j->node, "frictionloss, the dry friction of the joint");
}

static void put_series(mjcf_model *m, FILE *f, long body)
{
    const mjcf_body *b = &m->bodies[body];
    char parent[MJCF_REFERENCE], child[MJCF_REFERENCE];
    fprintf(f, "joint.%s = series(\"%s\", %s, %s, {\n", b->joint, b->joint, mjcf_reference(m, b->parent, parent),
            mjcf_reference(m, body, child));
    for (size_t i = 0; i < b->joint_count; i++) {
        const mjcf_joint *j = &m->joints[b->joints + i];
        fprintf(f, "  {\"%s\", at = ", j->lua), lua_put_list(f, j->at, 3);
        fprintf(f, ", axis = "), lua_put_list(f, j->axis, 3);
        fprintf(f, ",\n    %s = ", j->kind == MJCF_HINGE ? "angle" : "slide"), put_drive(m, f, (long)(b->joints + i));
        fprintf(f, "}%s\n", i + 1 < b->joint_count ? "," : " })");
    }
}

static void put_joints(mjcf_model *m, FILE *f, long body)
{
    const mjcf_body *b = &m->bodies[body];
    const mjcf_joint *j = &m->joints[b->joints];
    char parent[MJCF_REFERENCE], child[MJCF_REFERENCE];
    mjcf_reference(m, b->parent, parent), mjcf_reference(m, body, child);
    if (b->joint_count == 0) {
        fprintf(f, "fixed(\"%s\", %s, %s, { at = ", b->joint, parent, child);
        lua_put_list(f, b->world.at, 3), fprintf(f, " })\n");
    } else if (b->joint_count > 1) {
        put_series(m, f, body);
    } else if (j->kind == MJCF_FREE) {
        fprintf(f, "-- %s moves freely\n", child);
        if (j->damping != 0 || j->stiffness != 0 || j->armature != 0 || j->friction != 0)
            mjcf_leave_out(m, f, j->node, "damping, stiffness, armature or frictionloss of a free joint");
    } else if (j->kind == MJCF_BALL) {
        put_ball(m, f, body);
    } else {
        const int turns = j->kind == MJCF_HINGE;
        fprintf(f, "joint.%s = %s(\"%s\", %s, %s, { at = ", j->lua, turns ? "revolute" : "prismatic", j->lua, parent,
                child);
        lua_put_list(f, j->at, 3), fprintf(f, ", axis = "), lua_put_list(f, j->axis, 3);
        fprintf(f, ",\n  %s = ", turns ? "angle" : "slide"), put_drive(m, f, (long)b->joints), fprintf(f, " })\n");
    }
    for (size_t i = 0; i < b->joint_count; i++) put_after_joint(m, f, (long)(b->joints + i));
}

void mjcf_write_bodies(mjcf_model *m, FILE *f)
{
    static const char *const unknown[] = { "composite", "flexcomp", "replicate", "attach", "plugin" };
    for (size_t i = 0; i < m->geom_count; i++)
        if (m->bodies[m->geoms[i].body].carrier == 0) put_geom(m, f, &m->geoms[i]);
    for (size_t i = 0; i < m->body_count; i++) {
        const mjcf_body *b = &m->bodies[i];
        if (i && b->carrier == (long)i) fprintf(f, "\n"), put_body(m, f, (long)i), put_joints(m, f, (long)i);
        if (i && mjcf_has(b->node, "mocap", "true")) mjcf_leave_out(m, f, b->node, "mocap: the body is fixed");
        for (const xml_node *e = b->node ? b->node->first : NULL; e; e = e->next)
            for (size_t k = 0; k < sizeof unknown / sizeof *unknown; k++)
                if (xml_is(e, unknown[k])) mjcf_leave_out_all(m, f, e, "bodies of this kind are not made");
    }
}

/* ---- the whole ---- */

static const char opening[] =
    "local limits = option(\"limits\", false)                   -- true: the joints stop at their limits (contacts)\n"
    "local motion, first = {}, {}\n"
    "-- motion.NAME = 0.5*sin(time()): this joint follows a function of time. first.NAME = 0.3: where it begins.\n"
    "\n"
    "local function drive(name, freedom)\n"
    "  freedom.motion, freedom.start = motion[name], first[name]\n"
    "  if not limits then freedom.limits = nil end\n"
    "  return freedom\n"
    "end\n";

static const char of_armature[] =
    "local function armature(x, inertia) lagrangian(inertia/2*x.dot^2) end     -- of a rotor that turns with a joint\n";

static const char of_actuators[] =
    "-- An actuator of MuJoCo on a joint or tendon x: a force of its input u, of the length gear*x and of its rate.\n"
    "local function actuator(x, u, gear, gain, bias, range)\n"
    "  local l, v = gear*x, gear*x.dot\n"
    "  local f = (gain[1] + gain[2]*l + gain[3]*v)*u + bias[1] + bias[2]*l + bias[3]*v\n"
    "  force(x, gear*(range and within(f, range) or f))\n"
    "end\n";

static const char of_ranges[] =
    "-- Inputs and forces of actuators stay in their ranges, where limits are asked for.\n"
    "local function within(x, range)\n"
    "  if limits then x = max(range[1], min(range[2], x)) end\n"
    "  return x\n"
    "end\n";

static void put_settings(mjcf_model *m, FILE *f)
{
    static const char *const medium[] = { "density", "viscosity", "wind" };
    int has_armature = 0, has_actuator = 0, has_range = 0;
    const double *g = m->gravity;
    if (g[0] != 0 || g[1] != 0 || g[2] != 0) fprintf(f, "gravity"), lua_put_list(f, g, 3), fprintf(f, "\n");
    for (const xml_node *e = NULL; (e = mjcf_section(m, "option", e));)
        for (size_t i = 0; i < sizeof medium / sizeof *medium; i++) {
            double v[3] = { 0 };
            mjcf_numbers(m, e, medium[i], v, 3);
            if (v[0] != 0 || v[1] != 0 || v[2] != 0)
                mjcf_leave_out(m, f, e, "forces of a medium (density, viscosity, wind)");
        }
    fputs(opening, f);
    for (size_t i = 0; i < m->joint_count; i++)
        has_armature |= m->joints[i].armature != 0 && m->joints[i].kind < MJCF_BALL;
    for (size_t i = 0; i < m->actuator_count; i++) {
        const mjcf_actuator *a = &m->actuators[i];
        has_range |= !a->trouble && (a->has_input_range || a->has_force_range);
        has_actuator |= !a->trouble && a->site < 0 && !mjcf_is_motor(m, a);
    }
    if (has_range || has_actuator) fputs(of_ranges, f);
    if (has_armature) fputs(of_armature, f);
    if (has_actuator) fputs(of_actuators, f);
}

int mjcf_write(void *model, FILE *f)
{
    mjcf_model *m = model;
    const char *title = xml_attribute(m->root, "model");
    fprintf(f, "-- From a description of MuJoCo by 'taut import'. All joints are at zero in the position below.\n");
    fprintf(f, "title \"");
    lua_put_words(f, title ? title : "MuJoCo model");
    fprintf(f, "\"\n");
    put_settings(m, f);
    fprintf(f, "\nlocal link, joint = {}, {}\n");
    mjcf_write_bodies(m, f);
    mjcf_write_drives(m, f);
    if (m->code) return m->code;
    return ferror(f) ? taut_fail(m->context, TAUT_CANNOT_WRITE, "the model cannot be written") : TAUT_OK;
}
