/* MJCF: classes of defaults. */
#include <string.h>

#include "import/mjcf.h"

void mjcf_add_class(mjcf_model *m, const xml_node *node, long parent)
{
    const char *name = xml_attribute(node, "class");
    size_t own = 0;
    if (!name && parent >= 0) return mjcf_fail(m, node, "a <default> inside another has no class");
    if (parent < 0) name = "main"; /* whatever it is called, all elements have it */
    while (own < m->class_count && strcmp(m->classes[own].name, name) != 0) own++;
    if (own == MJCF_CLASSES_MOST) return mjcf_fail(m, node, "there are more than %u classes", MJCF_CLASSES_MOST);
    if (own == m->class_count) {
        mjcf_class *c = mjcf_more(m, &m->classes, &m->class_count, sizeof *c);
        if (!c) return;
        c->name = name, c->parent = parent;
    }
    for (const xml_node *e = node->first; e && !m->code; e = e->next) {
        if (xml_is(e, "default")) {
            mjcf_add_class(m, e, (long)own);
            continue;
        }
        mjcf_class *c = &m->classes[own];
        const xml_node **part = mjcf_more(m, &c->parts, &c->part_count, sizeof *part);
        if (part) *part = e;
    }
}

static long find_class(const mjcf_model *m, const char *name)
{
    for (size_t i = 0; i < m->class_count; i++)
        if (strcmp(m->classes[i].name, name) == 0) return (long)i;
    for (const xml_node *e = NULL; (e = mjcf_section(m, "default", e));) {
        const char *top = xml_peek(e, "class");
        if (top && strcmp(top, name) == 0) return 0;
    }
    return -1;
}

long mjcf_class_of(const mjcf_model *m, const xml_node *node)
{
    const xml_node *named = node;
    const char *attribute = "class", *name = xml_peek(node, attribute);
    while (!name && named->parent) {
        named = named->parent, attribute = "childclass";
        if (xml_is_named(named, "body") || xml_is_named(named, "frame")) name = xml_peek(named, attribute);
    }
    const long found = name ? find_class(m, name) : -1;
    if (found >= 0) xml_attribute(named, attribute); /* a class that is not there is listed with what is not read */
    return found >= 0 ? found : m->class_count ? 0 : -1;
}

/* Kinds of actuators share their defaults, but for gain and bias. */
int mjcf_is_actuator(const char *name)
{
    static const char *const kinds[] = { "general", "motor", "position", "velocity", "damper", "intvelocity",
                                         "cylinder", "muscle", "adhesion" };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(name, kinds[i]) == 0) return 1;
    return 0;
}

static int is_of_gain(const char *name)
{
    static const char *const names[] = { "kp", "kv", "dampratio", "timeconst", "gaintype", "gainprm", "biastype",
                                         "biasprm", "dyntype", "dynprm" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0) return 1;
    return 0;
}

/* The element of <default> that speaks of this one: its name depends on where the element is. NULL: it has none. */
static const char *kind_of(const xml_node *node)
{
    static const char *const of_bodies[] = { "geom", "site", "joint" };
    const xml_node *p = node->parent;
    if (!p) return NULL;
    if (xml_is_named(p, "equality") || xml_is_named(p, "tendon")) return p->name;
    if (xml_is_named(p, "actuator")) return mjcf_is_actuator(node->name) ? node->name : NULL;
    if (!xml_is_named(p, "worldbody") && !xml_is_named(p, "body") && !xml_is_named(p, "frame")) return NULL;
    for (size_t i = 0; i < sizeof of_bodies / sizeof *of_bodies; i++)
        if (xml_is_named(node, of_bodies[i])) return of_bodies[i];
    return NULL;
}

/* What the element itself or a nearer class says goes before. */
static void inherit(mjcf_model *m, xml_node *node, const xml_node *part, const char *kind, size_t *inherited)
{
    const int is_actuator = mjcf_is_actuator(kind);
    for (size_t i = 0; i < part->count && !m->code; i++) {
        const char *name = part->attributes[2 * i];
        if (is_actuator && is_of_gain(name)) continue;
        const char *value = xml_attribute(part, name);
        if (xml_peek(node, name)) continue;
        if (++*inherited > MJCF_INHERITED_MOST)
            mjcf_fail(m, part, "classes give elements more than %u attributes; this is not read", MJCF_INHERITED_MOST);
        else if (xml_add(node, name, value)) m->code = taut_fail(m->context, TAUT_OUT_OF_MEMORY, "out of memory");
    }
}

static void apply(mjcf_model *m, xml_node *node, const char *kind, size_t *inherited)
{
    for (long c = mjcf_class_of(m, node); c >= 0 && !m->code; c = m->classes[c].parent)
        for (size_t i = m->classes[c].part_count; i-- > 0 && !m->code;) { /* the last one counts */
            const xml_node *part = m->classes[c].parts[i];
            if (xml_is_named(part, kind) || (mjcf_is_actuator(kind) && mjcf_is_actuator(part->name))) {
                xml_is(part, part->name); /* it counts as read */
                inherit(m, node, part, kind, inherited);
            }
        }
}

void mjcf_apply_classes(mjcf_model *m)
{
    size_t inherited = 0;
    for (xml_node *e = m->root; e && !m->code;) {
        const char *kind = kind_of(e);
        if (kind) apply(m, e, kind, &inherited);
        if (e->first && !xml_is_named(e, "default")) e = e->first;
        else {
            while (e && !e->next) e = e->parent;
            if (e) e = e->next;
        }
    }
}
