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
        const double coefficient = mjcf_number(m, e, NULL, "coef", 1);
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
            divisor = mjcf_number(m, e, NULL, "divisor", 1);
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

/* The shortcuts of MJCF set gain and bias of one kind of actuator; what a class sets, its elements begin with. */
static void apply_gain(mjcf_model *m, mjcf_actuator *a, const xml_node *node)
{
    const char *dynamics = xml_attribute(node, "dyntype"), *gain = xml_attribute(node, "gaintype"),
               *bias = xml_attribute(node, "biastype");
    if (xml_is(node, "general")) {
        if (dynamics) a->trouble = strcmp(dynamics, "none") != 0 ? "it has a state of its own (dyntype)" : NULL;
        if (gain) a->is_affine = strcmp(gain, "affine") == 0;
        if (bias) a->is_biased = strcmp(bias, "affine") == 0;
        if ((gain && !a->is_affine && strcmp(gain, "fixed") != 0) ||
            (bias && !a->is_biased && strcmp(bias, "none") != 0))
            a->trouble = "its gain or bias is neither constant nor affine";
        mjcf_numbers(m, node, NULL, "gainprm", a->gain, 3);
        mjcf_numbers(m, node, NULL, "biasprm", a->bias, 3);
        return;
    }
    a->trouble = NULL;
    a->is_affine = xml_is(node, "damper");
    a->is_biased = xml_is(node, "position") || xml_is(node, "velocity");
    memset(a->bias, 0, sizeof a->bias);
    if (xml_is(node, "motor")) {
        memcpy(a->gain, (const double[3]){ 1, 0, 0 }, sizeof a->gain);
    } else if (xml_is(node, "position")) {
        a->gain[0] = mjcf_number(m, node, NULL, "kp", a->gain[0]);
        a->bias[1] = -a->gain[0];
        a->bias[2] = -mjcf_number(m, node, NULL, "kv", 0);
        if (mjcf_number(m, node, NULL, "timeconst", 0) != 0 || xml_attribute(node, "dampratio"))
            a->trouble = "timeconst and dampratio have no counterpart";
    } else if (xml_is(node, "velocity")) {
        a->gain[0] = mjcf_number(m, node, NULL, "kv", a->gain[0]);
        a->bias[2] = -a->gain[0];
    } else if (xml_is(node, "damper")) {
        memset(a->gain, 0, sizeof a->gain);
        a->gain[2] = -mjcf_number(m, node, NULL, "kv", 0);
    } else {
        a->trouble = "actuators of this kind have no counterpart";
    }
}

static void apply_class(mjcf_model *m, mjcf_actuator *a, long class)
{
    if (class < 0) return;
    apply_class(m, a, m->classes[class].parent);
    for (long part = class; part >= 0; part = m->classes[part].same)
        for (const xml_node *e = m->classes[part].node->first; e && !m->code; e = e->next)
            if (mjcf_is_actuator(e->name)) apply_gain(m, a, e);
}

static void read_gain(mjcf_model *m, mjcf_actuator *a)
{
    a->gain[0] = 1;
    apply_class(m, a, mjcf_class_of(m, a->node));
    apply_gain(m, a, a->node);
    if (!a->is_affine) a->gain[1] = a->gain[2] = 0;
    if (!a->is_biased) memset(a->bias, 0, sizeof a->bias);
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
    mjcf_numbers(m, node, node->name, "gear", a->gear, 6);
    read_gain(m, a);
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
