/* MJCF: equalities, tendons, actuators and what is left out, in Lua. */
#include <math.h>
#include <string.h>

#include "import/mjcf.h"

/* ---- equalities ---- */

/* The two bodies and the place of <connect> and <weld>, by bodies or by sites. Non-zero where one is not there. */
static int ends_of(mjcf_model *m, const xml_node *e, long body[2], double at[3])
{
    const char *site1 = xml_attribute(e, "site1"), *site2 = xml_attribute(e, "site2");
    double anchor[3] = { 0 };
    if (site1 && site2) {
        const long one = mjcf_find_site(m, e, site1), two = mjcf_find_site(m, e, site2);
        if (one < 0 || two < 0) return -1;
        body[0] = m->sites[one].body, body[1] = m->sites[two].body;
        memcpy(at, m->sites[one].pose.at, sizeof anchor);
        return 0;
    }
    body[0] = mjcf_find_body(m, e, xml_attribute(e, "body1"));
    body[1] = mjcf_find_body(m, e, xml_attribute(e, "body2"));
    if (body[0] < 0 || body[1] < 0) return -1;
    /* the anchor of <connect> is in the axes of the first body, that of <weld> in the axes of the second */
    const pose *axes = &m->bodies[body[xml_is(e, "weld")]].world;
    mjcf_numbers(m, e, "anchor", anchor, 3);
    if (m->is_global) memcpy(at, anchor, sizeof anchor);
    else pose_apply(axes, anchor, at);
    return 0;
}

/* A weld with a pose of its own: frames in both bodies, which need not meet in the position of the description. */
static void put_welded(mjcf_model *m, FILE *f, const long body[2], const double relative[7])
{
    const pose given = { { relative[0], relative[1], relative[2] },
                         { relative[3], relative[4], relative[5], relative[6] } };
    pose wanted = pose_compose(&m->bodies[body[0]].world, &given);
    quaternion_normalise(wanted.q);
    fprintf(f, "{");
    for (int i = 0; i < 2; i++) {
        const long carrier = body[i] ? m->bodies[body[i]].carrier : 0;
        const pose axes = carrier ? mjcf_axes(m, carrier) : pose_none, back = pose_inverse(&axes);
        const pose frame = pose_compose(&back, i ? &m->bodies[body[1]].world : &wanted);
        double z[3], x[3];
        pose_turn(frame.q, (const double[3]){ 0, 0, 1 }, z), pose_turn(frame.q, (const double[3]){ 1, 0, 0 }, x);
        fprintf(f, "%s = { at = ", i ? ", second" : " first"), lua_put_list(f, frame.at, 3);
        fprintf(f, ", axis = "), lua_put_list(f, z, 3);
        fprintf(f, ", x_axis = "), lua_put_list(f, x, 3), fprintf(f, " }");
    }
    fprintf(f, " })\n");
}

static void put_closing(mjcf_model *m, FILE *f, const xml_node *e, const char *name)
{
    long body[2];
    double at[3], relative[7] = { 0 };
    char one[MJCF_REFERENCE], two[MJCF_REFERENCE];
    if (ends_of(m, e, body, at)) return;
    mjcf_reference(m, body[0], one), mjcf_reference(m, body[1], two);
    if (strcmp(one, two) == 0) return mjcf_leave_out_all(m, f, e, "its two bodies do not move against each other");
    const int is_weld = xml_is(e, "weld");
    const int has_pose = is_weld && mjcf_numbers(m, e, "relpose", relative, 7) == 7 &&
                         (relative[3] != 0 || relative[4] != 0 || relative[5] != 0 || relative[6] != 0);
    fprintf(f, "%s(\"%s\", %s, %s, ", is_weld ? "fixed" : "spherical", name, one, two);
    if (has_pose) return put_welded(m, f, body, relative);
    fprintf(f, "{ at = "), lua_put_list(f, at, 3), fprintf(f, " })\n");
}

/* y = c0 + c1 x + ... + c4 x^4 */
static void put_polynomial(FILE *f, const char *name, const char *y, const char *x, const double c[5])
{
    int terms = 0;
    fprintf(f, "constraint(\"%s\", %s - (", name, y);
    for (int i = 0; i < 5; i++) {
        if (c[i] == 0 || (i && !x)) continue;
        fprintf(f, "%s", terms++ ? " + " : "");
        if (i == 0) fprintf(f, "%.12g", c[0]);
        else if (c[i] != 1) fprintf(f, "%.12g*%s", c[i], x);
        else fprintf(f, "%s", x);
        if (i > 1) fprintf(f, "^%d", i);
    }
    fprintf(f, "%s))\n", terms ? "" : "0");
}

static void put_coupling(mjcf_model *m, FILE *f, const xml_node *e, const char *name)
{
    const char *one = xml_attribute(e, "joint1"), *two = xml_attribute(e, "joint2");
    double c[5] = { 0, 1, 0, 0, 0 };
    char y[MJCF_SYMBOL], x[MJCF_SYMBOL];
    mjcf_numbers(m, e, "polycoef", c, 5);
    const long first = mjcf_find_joint(m, e, one), second = two ? mjcf_find_joint(m, e, two) : -1;
    if (first < 0 || (two && second < 0)) return;
    if (m->joints[first].kind >= MJCF_BALL || (two && m->joints[second].kind >= MJCF_BALL))
        return mjcf_leave_out_all(m, f, e, "one of its joints neither turns nor slides");
    const int is_gear = two && c[2] == 0 && c[3] == 0 && c[4] == 0 && c[1] != 0 &&
                        m->bodies[m->joints[first].body].joint_count == 1 &&
                        m->bodies[m->joints[second].body].joint_count == 1;
    if (is_gear) {
        fprintf(f, "gear(\"%s\", joint.%s, joint.%s, { ratio = %.12g", name, m->joints[second].lua,
                m->joints[first].lua, c[1]);
        if (c[0] != 0) fprintf(f, ", offset = %.12g", c[0]);
        fprintf(f, " })\n");
    } else {
        put_polynomial(f, name, mjcf_symbol(m, first, y), two ? mjcf_symbol(m, second, x) : NULL, c);
    }
}

/* Lengths count from those of the position of the description. */
static void put_tendons_equal(mjcf_model *m, FILE *f, const xml_node *e, const char *name)
{
    const char *two = xml_attribute(e, "tendon2");
    const long first = mjcf_find_tendon(m, e, xml_attribute(e, "tendon1")),
               second = two ? mjcf_find_tendon(m, e, two) : -1;
    double c[5] = { 0, 1, 0, 0, 0 };
    char y[MJCF_SYMBOL], x[MJCF_SYMBOL];
    mjcf_numbers(m, e, "polycoef", c, 5);
    if (first < 0 || (two && second < 0)) return;
    if (m->tendons[first].trouble || (two && m->tendons[second].trouble))
        return mjcf_leave_out_all(m, f, e, "one of its tendons is left out");
    snprintf(y, sizeof y, "(tendon.%s - %.12g)", m->tendons[first].lua, m->tendons[first].length);
    if (two) snprintf(x, sizeof x, "(tendon.%s - %.12g)", m->tendons[second].lua, m->tendons[second].length);
    put_polynomial(f, name, y, two ? x : NULL, c);
}

static void write_equalities(mjcf_model *m, FILE *f)
{
    size_t number = 0;
    for (const xml_node *section = NULL; (section = mjcf_section(m, "equality", section));)
        for (const xml_node *e = section->first; e && !m->code; e = e->next) {
            char name[LUA_NAME];
            if (!number++) fprintf(f, "\n-- equalities\n");
            mjcf_take_name(m, &m->joint_names, xml_attribute(e, "name"), "equality", number, name);
            if (mjcf_has(e, "active", "false")) {
                fprintf(f, "-- <%s> '%s' is not active\n", xml_is(e, "weld") ? "weld" : "equality", name);
                xml_mark_all(e);
            }
            else if (xml_is(e, "connect") || xml_is(e, "weld")) put_closing(m, f, e, name);
            else if (xml_is(e, "joint")) put_coupling(m, f, e, name);
            else if (xml_is(e, "tendon")) put_tendons_equal(m, f, e, name);
            else mjcf_leave_out_all(m, f, e, "an equality of this kind has no counterpart");
        }
}

/* ---- tendons ---- */

static void put_sum_of_joints(mjcf_model *m, FILE *f, const mjcf_tendon *t)
{
    int terms = 0;
    for (const xml_node *e = t->node->first; e; e = e->next) {
        char symbol[MJCF_SYMBOL];
        if (!xml_is(e, "joint")) continue;
        const long j = mjcf_find_joint(m, e, xml_attribute(e, "joint"));
        if (j < 0) return;
        const double c = mjcf_number(m, e, "coef", 1);
        fprintf(f, "%s", !terms++ ? c < 0 ? "-" : "" : c < 0 ? " - " : " + ");
        if (fabs(c) != 1) fprintf(f, "%.12g*", fabs(c));
        fprintf(f, "%s", mjcf_symbol(m, j, symbol));
    }
    if (t->length != 0) fprintf(f, " + %.12g", t->length); /* MuJoCo counts joints from their references on */
}

static void put_end(mjcf_model *m, FILE *f, const mjcf_site *s, int is_drawn)
{
    if (!is_drawn && (s->body == 0 || m->bodies[s->body].carrier == 0)) fprintf(f, "vector");
    mjcf_put_point(m, f, s->body, s->pose.at);
}

static void put_path(mjcf_model *m, FILE *f, const mjcf_tendon *t, int is_drawn)
{
    double divisor = 1;
    long before = -1;
    int terms = 0;
    for (const xml_node *e = t->node->first; e; e = e->next) {
        if (xml_is(e, "pulley")) divisor = mjcf_number(m, e, "divisor", 1), before = -1;
        if (!xml_is(e, "site")) continue;
        const long site = mjcf_find_site(m, e, xml_attribute(e, "site"));
        if (site < 0) return;
        if (before >= 0) {
            const mjcf_site *a = &m->sites[before], *b = &m->sites[site];
            fprintf(f, is_drawn ? "%sbar(" : "%snorm(", terms++ ? is_drawn ? ", " : " + " : "");
            put_end(m, f, a, is_drawn), fprintf(f, is_drawn ? ", " : " - ");
            put_end(m, f, b, is_drawn), fprintf(f, ")");
            if (divisor != 1 && !is_drawn) fprintf(f, "/%.12g", divisor);
        }
        before = site;
    }
}

static void put_tendon(mjcf_model *m, FILE *f, const mjcf_tendon *t)
{
    double rest[2] = { -1, -1 }, range[2] = { 0 };
    if (t->trouble) return mjcf_leave_out_all(m, f, t->node, t->trouble);
    fprintf(f, "tendon.%s = ", t->lua);
    if (xml_is(t->node, "fixed")) put_sum_of_joints(m, f, t);
    else put_path(m, f, t, 0);
    fprintf(f, "\nobserve(\"tendon_%s\", tendon.%s)\n", t->lua, t->lua);
    if (xml_is(t->node, "spatial")) fprintf(f, "draw { "), put_path(m, f, t, 1), fprintf(f, " }\n");
    const double stiffness = mjcf_number(m, t->node, "stiffness", 0),
                 damping = mjcf_number(m, t->node, "damping", 0);
    const int ends = mjcf_numbers(m, t->node, "springlength", rest, 2);
    if (stiffness != 0 && ends == 2 && rest[0] != rest[1])
        mjcf_leave_out(m, f, t->node, "its spring has two lengths (springlength)");
    else if (stiffness != 0 && rest[0] < 0 && !t->has_rest)
        mjcf_leave_out(m, f, t->node, "its spring is at rest where those of joints are (springref); give springlength");
    else if (stiffness != 0)
        fprintf(f, "lagrangian(-%.12g/2*(tendon.%s - %.12g)^2)\n", stiffness, t->lua, rest[0] < 0 ? t->rest : rest[0]);
    if (damping != 0) fprintf(f, "force(tendon.%s, -%.12g*tendon.%s.dot)\n", t->lua, damping, t->lua);
    if (mjcf_limits(m, t->node, "limited", "range", range)) {
        fprintf(f, "if limits then\n  contact(\"tendon_%s_low\", tendon.%s - %.12g)\n", t->lua, t->lua, range[0]);
        fprintf(f, "  contact(\"tendon_%s_high\", %.12g - tendon.%s)\nend\n", t->lua, range[1], t->lua);
    }
    if (mjcf_number(m, t->node, "frictionloss", 0) != 0)
        mjcf_leave_out(m, f, t->node, "frictionloss, the dry friction of the tendon");
}

/* ---- actuators ---- */

/* The input, in its range. */
static void put_input(FILE *f, const mjcf_actuator *a)
{
    if (a->has_input_range) fprintf(f, "within(");
    fprintf(f, "input(\"ctrl_%s\", 0)", a->lua);
    if (a->has_input_range) fprintf(f, ", "), lua_put_list(f, a->input_range, 2), fprintf(f, ")");
}

void mjcf_put_motor(FILE *f, const mjcf_actuator *a)
{
    const double inner = a->has_force_range ? a->gain[0] : 1, outer = a->gear[0] * a->gain[0] / inner;
    if (outer != 1) fprintf(f, "%.12g*", outer);
    if (a->has_force_range) fprintf(f, "within(");
    if (inner != 1) fprintf(f, "%.12g*", inner);
    put_input(f, a);
    if (a->has_force_range) fprintf(f, ", "), lua_put_list(f, a->force_range, 2), fprintf(f, ")");
}

static void put_at_site(mjcf_model *m, FILE *f, const mjcf_actuator *a)
{
    const mjcf_site *s = &m->sites[a->site];
    const long carrier = s->body ? m->bodies[s->body].carrier : 0;
    if (!carrier) return mjcf_leave_out_all(m, f, a->node, "its site does not move");
    const pose axes = mjcf_axes(m, carrier), back = pose_inverse(&axes), within = pose_compose(&back, &s->pose);
    fprintf(f, "do\n  local u = "), put_input(f, a), fprintf(f, "\n");
    if (a->has_force_range) {
        fprintf(f, "  u = within(%.12g*u + %.12g, ", a->gain[0], a->bias[0]);
        lua_put_list(f, a->force_range, 2), fprintf(f, ")\n");
    }
    for (int part = 0; part < 2; part++) {
        double v[3];
        pose_turn(within.q, a->gear + 3 * part, v);
        if (fabs(v[0]) + fabs(v[1]) + fabs(v[2]) == 0) continue;
        fprintf(f, part ? "  torque(link.%s, " : "  force_at(link.%s, ", m->bodies[carrier].lua);
        if (!part) lua_put_list(f, within.at, 3), fprintf(f, ", ");
        if (a->has_force_range) fprintf(f, "u*vector");
        else if (a->bias[0] != 0) fprintf(f, "(%.12g*u + %.12g)*vector", a->gain[0], a->bias[0]);
        else if (a->gain[0] != 1) fprintf(f, "%.12g*u*vector", a->gain[0]);
        else fprintf(f, "u*vector");
        lua_put_list(f, v, 3), fprintf(f, ", \"body\")\n");
    }
    fprintf(f, "end\n");
}

static void put_actuator(mjcf_model *m, FILE *f, const mjcf_actuator *a)
{
    char symbol[MJCF_SYMBOL];
    if (a->trouble) return mjcf_leave_out_all(m, f, a->node, a->trouble);
    if (mjcf_is_motor(m, a)) return; /* with its joint */
    if (a->site >= 0) return put_at_site(m, f, a);
    fprintf(f, "actuator(");
    if (a->joint >= 0) {
        fprintf(f, "%s", mjcf_symbol(m, a->joint, symbol));
        if (m->joints[a->joint].reference != 0) fprintf(f, " + %.12g", m->joints[a->joint].reference);
    } else {
        fprintf(f, "tendon.%s", m->tendons[a->tendon].lua);
    }
    fprintf(f, ", "), put_input(f, a), fprintf(f, ", %.12g, ", a->gear[0]);
    lua_put_list(f, a->gain, 3), fprintf(f, ", "), lua_put_list(f, a->bias, 3);
    if (a->has_force_range) fprintf(f, ", "), lua_put_list(f, a->force_range, 2);
    fprintf(f, ")\n");
}

/* ---- what is not read at all ---- */

static void write_rest(mjcf_model *m, FILE *f)
{
    static const char *const sections[][2] = {
        { "contact", "pairs and exclusions of contacts; write contact(...) for what should touch" },
        { "sensor", "sensors; write observe(...) for what you want to see" },
        { "keyframe", "positions to begin with; write first.NAME = ... above" },
        { "deformable", "bodies of this kind are not made" }, { "extension", "plugins are not read" },
    };
    fprintf(f, "\n");
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        for (const xml_node *e = NULL; (e = mjcf_section(m, sections[i][0], e));)
            if (e->first) mjcf_leave_out_all(m, f, e, sections[i][1]);
    mjcf_write_unread(m, f);
    fprintf(f, "-- Bodies do not touch each other or the ground here; write contact(...) for those that should.\n");
}

void mjcf_write_drives(mjcf_model *m, FILE *f)
{
    if (m->tendon_count) fprintf(f, "\nlocal tendon = {}\n");
    for (size_t i = 0; i < m->tendon_count; i++) put_tendon(m, f, &m->tendons[i]);
    write_equalities(m, f);
    int has_more = 0;
    for (size_t i = 0; i < m->actuator_count; i++)
        has_more |= m->actuators[i].trouble || !mjcf_is_motor(m, &m->actuators[i]);
    if (has_more) fprintf(f, "\n-- actuators that are more than motors of a joint\n");
    for (size_t i = 0; i < m->actuator_count; i++) put_actuator(m, f, &m->actuators[i]);
    write_rest(m, f);
}
