/* MJCF: tendons and actuators. */
#include <math.h>
#include <string.h>

#include "import/mjcf.h"

/* ---- tendons ---- */

static double distance_of(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static void read_fixed(mjcf_model *m, mjcf_tendon *t)
{
    for (const xml_node *e = t->node->first; e && !m->code; e = e->next) {
        if (!xml_is(e, "joint")) continue;
        const long j = mjcf_find_joint(m, e, xml_attribute(e, "joint"));
        if (j < 0) return;
        if (m->joints[j].kind >= MJCF_BALL) t->trouble = "it runs over a joint that neither turns nor slides";
        const double coefficient = mjcf_number(m, e, "coef", 1);
        t->length += coefficient * m->joints[j].reference;
        t->rest += coefficient * (m->joints[j].reference + m->joints[j].rest);
    }
    t->has_rest = 1;
}

static void read_spatial(mjcf_model *m, mjcf_tendon *t)
{
    double divisor = 1;
    long before = -1;
    for (const xml_node *e = t->node->first; e && !m->code; e = e->next) {
        if (xml_is(e, "geom")) t->trouble = "it is wrapped around a geom";
        if (xml_is(e, "pulley")) {
            divisor = mjcf_number(m, e, "divisor", 1);
            before = -1;
            if (!(divisor > 0)) mjcf_fail(m, e, "the divisor of a pulley is not positive");
        }
        if (!xml_is(e, "site")) continue;
        const long site = mjcf_find_site(m, e, xml_attribute(e, "site"));
        if (site < 0) return;
        if (before >= 0) t->length += distance_of(m->sites[before].pose.at, m->sites[site].pose.at) / divisor;
        before = site;
    }
    t->rest = t->length, t->has_rest = 1;
    for (size_t i = 0; i < m->joint_count; i++)
        if (m->joints[i].kind < MJCF_BALL && m->joints[i].rest != 0) t->has_rest = 0;
}

static void read_tendon(mjcf_model *m, const xml_node *node)
{
    mjcf_tendon *t = mjcf_more(m, &m->tendons, &m->tendon_count, sizeof *t);
    if (!t) return;
    t->node = node;
    mjcf_take_name(m, &m->tendon_names, xml_attribute(node, "name"), "tendon", m->tendon_count, t->lua);
    if (xml_is(node, "fixed")) read_fixed(m, t);
    else if (xml_is(node, "spatial")) read_spatial(m, t);
    else t->trouble = "its kind is not known";
}

/* ---- actuators ---- */

static void apply_general(mjcf_model *m, mjcf_actuator *a, const xml_node *node)
{
    const char *dynamics = xml_attribute(node, "dyntype"), *gain = xml_attribute(node, "gaintype"),
               *bias = xml_attribute(node, "biastype");
    if (dynamics) a->trouble = strcmp(dynamics, "none") != 0 ? "it has a state of its own (dyntype)" : NULL;
    if (dynamics) a->is_filtered = 0;
    if (gain) a->is_affine = strcmp(gain, "affine") == 0;
    if (bias) a->is_biased = strcmp(bias, "affine") == 0;
    if ((gain && !a->is_affine && strcmp(gain, "fixed") != 0) || (bias && !a->is_biased && strcmp(bias, "none") != 0))
        a->trouble = "its gain or bias is neither constant nor affine";
    mjcf_numbers(m, node, "gainprm", a->gain, 3);
    mjcf_numbers(m, node, "biasprm", a->bias, 3);
}

/* The shortcuts of MJCF set gain and bias of one kind of actuator; what a class sets, its elements begin with. */
static void apply_gain(mjcf_model *m, mjcf_actuator *a, const xml_node *node)
{
    if (xml_is(node, "general")) return apply_general(m, a, node);
    const int is_position = xml_is(node, "position");
    a->trouble = NULL;
    a->is_affine = xml_is(node, "damper");
    a->is_biased = is_position || xml_is(node, "velocity");
    if (!is_position) memset(a->bias, 0, sizeof a->bias), a->is_filtered = 0;
    if (xml_is(node, "motor")) {
        memcpy(a->gain, (const double[3]){ 1, 0, 0 }, sizeof a->gain);
    } else if (is_position) { /* what it does not give it has from its class */
        a->gain[0] = mjcf_number(m, node, "kp", a->gain[0]);
        a->bias[1] = -a->gain[0];
        a->bias[2] = -mjcf_number(m, node, "kv", -a->bias[2]);
        a->bias[2] = mjcf_number(m, node, "dampratio", a->bias[2]); /* see use_ratio */
        a->is_filtered = mjcf_number(m, node, "timeconst", a->is_filtered) != 0;
    } else if (xml_is(node, "velocity")) {
        a->gain[0] = mjcf_number(m, node, "kv", a->gain[0]);
        a->bias[2] = -a->gain[0];
    } else if (xml_is(node, "damper")) {
        memset(a->gain, 0, sizeof a->gain);
        a->gain[2] = -mjcf_number(m, node, "kv", 0);
    } else {
        a->trouble = "actuators of this kind have no counterpart";
    }
}

static void apply_class(mjcf_model *m, mjcf_actuator *a, long class)
{
    if (class < 0) return;
    apply_class(m, a, m->classes[class].parent);
    const mjcf_class *c = &m->classes[class];
    for (size_t i = 0; i < c->part_count && !m->code; i++)
        if (mjcf_is_actuator(c->parts[i]->name)) apply_gain(m, a, c->parts[i]);
}

static void read_gain(mjcf_model *m, mjcf_actuator *a)
{
    a->gain[0] = 1;
    apply_class(m, a, mjcf_class_of(m, a->node));
    apply_gain(m, a, a->node);
    if (!a->is_affine) a->gain[1] = a->gain[2] = 0;
    if (!a->is_biased) memset(a->bias, 0, sizeof a->bias);
    if (a->is_filtered && !a->trouble) a->trouble = "its position is filtered (timeconst)";
}

/* The diagonal element of the mass matrix that belongs to a joint, in the position of the description: of all that
   moves with it. Bodies are in the list before what they carry. */
static double inertia_at(const mjcf_model *m, const mjcf_joint *j)
{
    const double length = sqrt(j->axis[0] * j->axis[0] + j->axis[1] * j->axis[1] + j->axis[2] * j->axis[2]);
    const double u[3] = { j->axis[0] / length, j->axis[1] / length, j->axis[2] / length };
    double sum = j->armature;
    for (long i = j->body; i < (long)m->body_count && (i == j->body || m->bodies[i].parent >= j->body); i++) {
        const mjcf_body *b = &m->bodies[i];
        const double *I = b->inertia, r[3] = { b->centre.at[0] - j->at[0], b->centre.at[1] - j->at[1],
                                               b->centre.at[2] - j->at[2] };
        const double back[4] = { b->centre.q[0], -b->centre.q[1], -b->centre.q[2], -b->centre.q[3] };
        double w[3], along = r[0] * u[0] + r[1] * u[1] + r[2] * u[2];
        if (!(b->mass > 0)) continue;
        pose_turn(back, u, w);
        if (j->kind == MJCF_SLIDE) sum += b->mass;
        else
            sum += b->mass * (r[0] * r[0] + r[1] * r[1] + r[2] * r[2] - along * along) + I[0] * w[0] * w[0] +
                   I[1] * w[1] * w[1] + I[2] * w[2] * w[2] +
                   2 * (I[3] * w[0] * w[1] + I[4] * w[0] * w[2] + I[5] * w[1] * w[2]);
    }
    return sum;
}

/* A servo whose rate has a positive factor means by it a ratio of damping: 1 is critical, for the inertia that its
   joint moves in the position of the description. */
static void use_ratio(mjcf_model *m, mjcf_actuator *a)
{
    const double ratio = a->bias[2], gear = a->gear[0];
    if (a->trouble || a->is_affine || !a->is_biased || !(ratio > 0) || a->gain[0] != -a->bias[1]) return;
    if (a->joint < 0) a->trouble = "dampratio is read for actuators of joints alone; give kv";
    else if (gear != 0) a->bias[2] = -2 * ratio * sqrt(a->gain[0] * inertia_at(m, &m->joints[a->joint])) / fabs(gear);
}

static void read_actuator(mjcf_model *m, const xml_node *node)
{
    mjcf_actuator *a = mjcf_more(m, &m->actuators, &m->actuator_count, sizeof *a);
    if (!a) return;
    const char *joint = xml_attribute(node, "joint"), *tendon = xml_attribute(node, "tendon"),
               *site = xml_attribute(node, "site");
    a->node = node;
    a->joint = a->tendon = a->site = -1;
    a->gear[0] = 1;
    mjcf_take_name(m, &m->input_names, xml_attribute(node, "name"), "actuator", m->actuator_count, a->lua);
    mjcf_numbers(m, node, "gear", a->gear, 6);
    read_gain(m, a);
    a->has_input_range = mjcf_limits(m, node, "ctrllimited", "ctrlrange", a->input_range);
    a->has_force_range = mjcf_limits(m, node, "forcelimited", "forcerange", a->force_range);
    if (!joint) joint = xml_attribute(node, "jointinparent");
    if (joint) a->joint = mjcf_find_joint(m, node, joint);
    else if (tendon) a->tendon = mjcf_find_tendon(m, node, tendon);
    else if (site) a->site = mjcf_find_site(m, node, site);
    else a->trouble = "it acts on neither a joint nor a tendon nor a site";
    if (m->code) return;
    if (a->joint >= 0 && m->joints[a->joint].kind >= MJCF_BALL) a->trouble = "its joint neither turns nor slides";
    if (a->tendon >= 0 && m->tendons[a->tendon].trouble) a->trouble = "its tendon is left out";
    if (a->site >= 0 && xml_attribute(node, "refsite")) a->trouble = "refsite has no counterpart";
    if (a->site >= 0 && (a->bias[1] != 0 || a->bias[2] != 0 || a->gain[1] != 0 || a->gain[2] != 0))
        a->trouble = "a site has no length";
    use_ratio(m, a);
}

int mjcf_is_motor(const mjcf_model *m, const mjcf_actuator *a)
{
    (void)m;
    return a->joint >= 0 && !a->trouble && a->gain[1] == 0 && a->gain[2] == 0 && a->bias[0] == 0 && a->bias[1] == 0 &&
           a->bias[2] == 0;
}

void mjcf_read_drives(mjcf_model *m)
{
    for (const xml_node *e = NULL; (e = mjcf_section(m, "tendon", e));)
        for (const xml_node *t = e->first; t && !m->code; t = t->next) read_tendon(m, t);
    for (const xml_node *e = NULL; (e = mjcf_section(m, "actuator", e));)
        for (const xml_node *a = e->first; a && !m->code; a = a->next) read_actuator(m, a);
}
