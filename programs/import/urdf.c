/* Reading URDF: a tree of XML as links and joints. */
#include "import/urdf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"

/* Roll, pitch, yaw: about the fixed axes x, y, z in this order. */
static void from_angles(const double rpy[3], double q[4])
{
    double turn[3][4];
    for (int i = 0; i < 3; i++) quaternion_about(i, rpy[i], turn[i]);
    quaternion_multiply(turn[2], turn[1], q);
    quaternion_multiply(q, turn[0], q);
}

typedef struct {
    taut_context *context;
    const char *path;
    urdf_robot *robot;
    int code;              /* not 0 after a failure */
} reader;

static const char *attribute(const xml_node *node, const char *name, const char *otherwise)
{
    const char *value = xml_attribute(node, name);
    return value ? value : otherwise;
}

/* `count` numbers from an attribute; those that are not there stay as they are. */
static void get_numbers(reader *r, const xml_node *node, const char *name, double *out, int count)
{
    const char *text = attribute(node, name, NULL);
    char word[WIDE_TEXT];
    for (int i = 0; text && i < count && !r->code; i++) {
        text += strspn(text, " \t\r\n");
        size_t length = strcspn(text, " \t\r\n");
        wide value = 0;
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), text);
        if (taut_wide_parse(word, &value) || !isfinite((double)value))
            r->code = taut_fail(r->context, TAUT_BAD_MODEL, "%s:%d: %s=\"...\" needs %d numbers; '%s' is none", r->path,
                                node->line, name, count, word);
        out[i] = (double)value;
        text += length;
    }
}

static pose get_pose(reader *r, const xml_node *node)
{
    pose p = pose_none;
    double rpy[3] = { 0 };
    get_numbers(r, node, "xyz", p.at, 3);
    get_numbers(r, node, "rpy", rpy, 3);
    from_angles(rpy, p.q);
    return p;
}

static char *copy(reader *r, const char *text)
{
    char *result = malloc(strlen(text) + 1);
    if (result) strcpy(result, text);
    else if (!r->code) r->code = taut_fail(r->context, TAUT_OUT_OF_MEMORY, "out of memory");
    return result;
}

/* One more element at the end of an array, all zero. NULL after a failure. */
static void *more(reader *r, void **array, size_t *count, size_t size)
{
    char *grown = realloc(*array, (*count + 1) * size);
    if (!grown) {
        if (!r->code) r->code = taut_fail(r->context, TAUT_OUT_OF_MEMORY, "out of memory");
        return NULL;
    }
    *array = grown;
    return memset(grown + size * (*count)++, 0, size);
}

static void in_inertial(reader *r, urdf_link *l, const xml_node *node)
{
    static const char *const entries[] = { "ixx", "iyy", "izz", "ixy", "ixz", "iyz" };
    if (xml_is(node, "origin")) l->centre = get_pose(r, node);
    if (xml_is(node, "mass")) get_numbers(r, node, "value", &l->mass, 1);
    for (int i = 0; i < 6 && xml_is(node, "inertia"); i++) get_numbers(r, node, entries[i], &l->inertia[i], 1);
    if (!r->code && l->mass < 0)
        r->code = taut_fail(r->context, TAUT_BAD_MODEL, "%s:%d: link '%s' has a negative mass", r->path, node->line,
                            l->name);
}

static void read_visual(reader *r, urdf_link *l, const xml_node *node)
{
    void *array = l->visuals;
    urdf_visual *v = more(r, &array, &l->visual_count, sizeof *v);
    l->visuals = array;
    if (!v) return;
    v->shape = URDF_NO_SHAPE, v->pose = pose_none;
    for (const xml_node *e = node->first; e; e = e->next) {
        if (xml_is(e, "origin")) v->pose = get_pose(r, e);
        if (!xml_is(e, "geometry")) continue;
        for (const xml_node *shape = e->first; shape; shape = shape->next) {
            if (xml_is(shape, "box")) v->shape = URDF_BOX, get_numbers(r, shape, "size", v->size, 3);
            if (xml_is(shape, "sphere")) v->shape = URDF_SPHERE, get_numbers(r, shape, "radius", v->size, 1);
            if (!xml_is(shape, "cylinder")) continue;
            v->shape = URDF_CYLINDER;
            get_numbers(r, shape, "radius", &v->size[0], 1);
            get_numbers(r, shape, "length", &v->size[1], 1);
        }
    }
    for (int i = 0; i < (v->shape == URDF_BOX ? 3 : v->shape == URDF_CYLINDER ? 2 : 1) && !r->code; i++)
        if (v->shape != URDF_NO_SHAPE && !(v->size[i] > 0))
            r->code = taut_fail(r->context, TAUT_BAD_MODEL, "%s:%d: a shape has a size that is not positive", r->path,
                                node->line);
}

static void read_link(reader *r, const xml_node *node)
{
    void *array = r->robot->links;
    urdf_link *l = more(r, &array, &r->robot->link_count, sizeof *l);
    r->robot->links = array;
    if (!l) return;
    l->name = copy(r, attribute(node, "name", "?"));
    l->line = node->line;
    l->centre = pose_none;
    for (const xml_node *e = node->first; e && !r->code; e = e->next) {
        if (xml_is(e, "visual")) read_visual(r, l, e);
        if (!xml_is(e, "inertial")) continue;
        for (const xml_node *i = e->first; i && !r->code; i = i->next) in_inertial(r, l, i);
    }
}

static void set_text(reader *r, char **place, const char *text)
{
    free(*place);
    *place = copy(r, text);
}

static int has_axis(const urdf_joint *j) { return strcmp(j->type, "fixed") != 0 && strcmp(j->type, "floating") != 0; }

static void in_joint(reader *r, urdf_joint *j, const xml_node *node)
{
    if (xml_is(node, "origin")) j->origin = get_pose(r, node);
    if (xml_is(node, "parent")) set_text(r, &j->parent, attribute(node, "link", "?"));
    if (xml_is(node, "child")) set_text(r, &j->child, attribute(node, "link", "?"));
    if (xml_is(node, "axis")) {
        get_numbers(r, node, "xyz", j->axis, 3);
        if (!r->code && has_axis(j) && j->axis[0] == 0 && j->axis[1] == 0 && j->axis[2] == 0)
            r->code = taut_fail(r->context, TAUT_BAD_MODEL, "%s:%d: the axis of joint '%s' is zero", r->path,
                                node->line, j->name);
    }
    if (xml_is(node, "dynamics")) get_numbers(r, node, "damping", &j->damping, 1);
    if (xml_is(node, "limit")) {
        get_numbers(r, node, "lower", &j->lower, 1);
        get_numbers(r, node, "upper", &j->upper, 1);
        j->has_limits = j->lower < j->upper;
    }
    if (xml_is(node, "mimic")) {
        set_text(r, &j->mimic, attribute(node, "joint", "?"));
        get_numbers(r, node, "multiplier", &j->multiplier, 1);
        get_numbers(r, node, "offset", &j->offset, 1);
    }
}

static void read_joint(reader *r, const xml_node *node)
{
    void *array = r->robot->joints;
    urdf_joint *j = more(r, &array, &r->robot->joint_count, sizeof *j);
    r->robot->joints = array;
    if (!j) return;
    *j = (urdf_joint){ .name = copy(r, attribute(node, "name", "?")), .type = copy(r, attribute(node, "type", "?")),
                       .line = node->line, .origin = pose_none, .axis = { 1, 0, 0 }, .multiplier = 1 };
    for (const xml_node *e = node->first; e && !r->code; e = e->next) in_joint(r, j, e);
}

int urdf_read(taut_context *context, const char *path, const xml_node *root, urdf_robot *robot)
{
    memset(robot, 0, sizeof *robot);
    reader r = { .context = context, .path = path, .robot = robot };
    robot->name = copy(&r, attribute(root, "name", "robot"));
    for (const xml_node *e = root->first; e && !r.code; e = e->next) {
        if (xml_is(e, "link")) read_link(&r, e);
        if (xml_is(e, "joint")) read_joint(&r, e);
    }
    if (!r.code && !robot->link_count)
        r.code = taut_fail(context, TAUT_BAD_MODEL, "%s:1: the robot has no links", path);
    return r.code;
}

void urdf_clear(urdf_robot *robot)
{
    for (size_t i = 0; i < robot->link_count; i++) {
        free(robot->links[i].name);
        free(robot->links[i].visuals);
    }
    for (size_t i = 0; i < robot->joint_count; i++) {
        urdf_joint *j = &robot->joints[i];
        free(j->name), free(j->type), free(j->parent), free(j->child), free(j->mimic);
    }
    free(robot->name);
    free(robot->links);
    free(robot->joints);
}
