/* Reading URDF with expat. */
#include "cli/urdf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "base/wide.h"
#include "cli/cli.h"

/* ---- poses ---- */

static void multiply(const double a[4], const double b[4], double out[4])
{
    const double c[4] = { a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3],
                          a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
                          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
                          a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0] };
    memcpy(out, c, sizeof c);
}

void urdf_turn(const double q[4], const double v[3], double out[3])
{
    const double pure[4] = { 0, v[0], v[1], v[2] }, back[4] = { q[0], -q[1], -q[2], -q[3] };
    double t[4];
    multiply(q, pure, t);
    multiply(t, back, t);
    memcpy(out, t + 1, 3 * sizeof *out);
}

urdf_pose urdf_compose(const urdf_pose *a, const urdf_pose *b)
{
    urdf_pose c;
    urdf_turn(a->q, b->at, c.at);
    for (int i = 0; i < 3; i++) c.at[i] += a->at[i];
    multiply(a->q, b->q, c.q);
    return c;
}

/* ---- what is read ---- */

#ifdef TAUT_HAVE_EXPAT
#include <expat.h>

/* Roll, pitch, yaw: about the fixed axes x, y, z in this order. */
static void from_angles(const double rpy[3], double q[4])
{
    double turn[3][4] = { { 0 } };
    for (int i = 0; i < 3; i++) turn[i][0] = taut_math_cos(rpy[i] / 2), turn[i][i + 1] = taut_math_sin(rpy[i] / 2);
    multiply(turn[2], turn[1], q);
    multiply(q, turn[0], q);
}

static const urdf_pose no_pose = { { 0, 0, 0 }, { 1, 0, 0, 0 } };

#define DEPTH 8

typedef struct {
    const char *path;
    XML_Parser parser;
    urdf_robot *robot;
    char names[DEPTH][32]; /* of the open elements */
    int depth;
    int code;              /* not 0 after a complaint */
} reader;

static const char *attribute(const char **list, const char *name, const char *otherwise)
{
    for (; *list; list += 2)
        if (strcmp(list[0], name) == 0) return list[1];
    return otherwise;
}

static int line_of(const reader *r) { return (int)XML_GetCurrentLineNumber(r->parser); }

/* `count` numbers from an attribute; those that are not there stay as they are. */
static void get_numbers(reader *r, const char **list, const char *name, double *out, int count)
{
    const char *text = attribute(list, name, NULL);
    char word[WIDE_TEXT];
    for (int i = 0; text && i < count && !r->code; i++) {
        text += strspn(text, " \t\r\n");
        size_t length = strcspn(text, " \t\r\n");
        wide value = 0;
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), text);
        if (taut_wide_parse(word, &value))
            r->code = complain(EXIT_USAGE, "%s:%d: %s=\"...\" needs %d numbers; '%s' is none", r->path, line_of(r),
                               name, count, word);
        out[i] = (double)value;
        text += length;
    }
}

static urdf_pose get_pose(reader *r, const char **list)
{
    urdf_pose p = no_pose;
    double rpy[3] = { 0 };
    get_numbers(r, list, "xyz", p.at, 3);
    get_numbers(r, list, "rpy", rpy, 3);
    from_angles(rpy, p.q);
    return p;
}

static char *copy(reader *r, const char *text)
{
    char *result = malloc(strlen(text) + 1);
    if (result) strcpy(result, text);
    else if (!r->code) r->code = complain(EXIT_FAILED, "out of memory");
    return result;
}

/* One more element at the end of an array, all zero. NULL after a complaint. */
static void *more(reader *r, void **array, size_t *count, size_t size)
{
    char *grown = realloc(*array, (*count + 1) * size);
    if (!grown) {
        if (!r->code) r->code = complain(EXIT_FAILED, "out of memory");
        return NULL;
    }
    *array = grown;
    return memset(grown + size * (*count)++, 0, size);
}

static void begin_link(reader *r, const char **list)
{
    void *array = r->robot->links;
    urdf_link *l = more(r, &array, &r->robot->link_count, sizeof *l);
    r->robot->links = array;
    if (!l) return;
    l->name = copy(r, attribute(list, "name", "?"));
    l->line = line_of(r);
    l->centre = no_pose;
}

static void begin_joint(reader *r, const char **list)
{
    void *array = r->robot->joints;
    urdf_joint *j = more(r, &array, &r->robot->joint_count, sizeof *j);
    r->robot->joints = array;
    if (!j) return;
    *j = (urdf_joint){ .name = copy(r, attribute(list, "name", "?")), .type = copy(r, attribute(list, "type", "?")),
                       .line = line_of(r), .origin = no_pose, .axis = { 1, 0, 0 }, .multiplier = 1 };
}

static int is(const reader *r, int level, const char *name)
{
    return r->depth > level && level < DEPTH && strcmp(r->names[level], name) == 0;
}

/* An element inside a link: inertial, and what is drawn. */
static void in_link(reader *r, const char *name, const char **list)
{
    static const char *const entries[] = { "ixx", "iyy", "izz", "ixy", "ixz", "iyz" };
    urdf_link *l = &r->robot->links[r->robot->link_count - 1];
    urdf_visual *v = l->visual_count ? &l->visuals[l->visual_count - 1] : NULL;
    if (is(r, 2, "inertial") && strcmp(name, "origin") == 0) l->centre = get_pose(r, list);
    if (is(r, 2, "inertial") && strcmp(name, "mass") == 0) get_numbers(r, list, "value", &l->mass, 1);
    for (int i = 0; i < 6 && is(r, 2, "inertial") && strcmp(name, "inertia") == 0; i++)
        get_numbers(r, list, entries[i], &l->inertia[i], 1);
    if (r->depth == 2 && strcmp(name, "visual") == 0) {
        void *array = l->visuals;
        v = more(r, &array, &l->visual_count, sizeof *v);
        l->visuals = array;
        if (v) v->shape = URDF_NO_SHAPE, v->pose = no_pose;
    }
    if (!is(r, 2, "visual") || !v) return;
    if (strcmp(name, "origin") == 0) v->pose = get_pose(r, list);
    if (strcmp(name, "box") == 0) v->shape = URDF_BOX, get_numbers(r, list, "size", v->size, 3);
    if (strcmp(name, "sphere") == 0) v->shape = URDF_SPHERE, get_numbers(r, list, "radius", v->size, 1);
    if (strcmp(name, "cylinder") == 0) {
        v->shape = URDF_CYLINDER;
        get_numbers(r, list, "radius", &v->size[0], 1);
        get_numbers(r, list, "length", &v->size[1], 1);
    }
}

static void set_text(reader *r, char **place, const char *text)
{
    free(*place);
    *place = copy(r, text);
}

static void in_joint(reader *r, const char *name, const char **list)
{
    urdf_joint *j = &r->robot->joints[r->robot->joint_count - 1];
    if (strcmp(name, "origin") == 0) j->origin = get_pose(r, list);
    if (strcmp(name, "parent") == 0) set_text(r, &j->parent, attribute(list, "link", "?"));
    if (strcmp(name, "child") == 0) set_text(r, &j->child, attribute(list, "link", "?"));
    if (strcmp(name, "axis") == 0) get_numbers(r, list, "xyz", j->axis, 3);
    if (strcmp(name, "dynamics") == 0) get_numbers(r, list, "damping", &j->damping, 1);
    if (strcmp(name, "limit") == 0) {
        get_numbers(r, list, "lower", &j->lower, 1);
        get_numbers(r, list, "upper", &j->upper, 1);
        j->has_limits = j->lower < j->upper;
    }
    if (strcmp(name, "mimic") == 0) {
        set_text(r, &j->mimic, attribute(list, "joint", "?"));
        get_numbers(r, list, "multiplier", &j->multiplier, 1);
        get_numbers(r, list, "offset", &j->offset, 1);
    }
}

static void XMLCALL begin_element(void *user, const char *name, const char **list)
{
    reader *r = user;
    if (r->code) return;
    if (r->depth == 0) {
        if (strcmp(name, "robot") != 0)
            r->code = complain(EXIT_USAGE, "%s:%d: a robot description begins with <robot>, not with <%s>", r->path,
                               line_of(r), name);
        else r->robot->name = copy(r, attribute(list, "name", "robot"));
    }
    if (r->depth == 1 && strcmp(name, "link") == 0) begin_link(r, list);
    if (r->depth == 1 && strcmp(name, "joint") == 0) begin_joint(r, list);
    if (r->depth >= 2 && is(r, 1, "link") && !r->code) in_link(r, name, list);
    if (r->depth == 2 && is(r, 1, "joint") && !r->code) in_joint(r, name, list);
    if (r->depth < DEPTH) snprintf(r->names[r->depth], sizeof r->names[0], "%s", name);
    r->depth++;
}

static void XMLCALL end_element(void *user, const char *name)
{
    (void)name;
    ((reader *)user)->depth--;
}

static int parse(reader *r, FILE *file)
{
    char buffer[8192];
    for (int is_last = 0; !is_last && !r->code;) {
        size_t size = fread(buffer, 1, sizeof buffer, file);
        is_last = size == 0;
        if (XML_Parse(r->parser, buffer, (int)size, is_last) == XML_STATUS_ERROR && !r->code)
            r->code = complain(EXIT_USAGE, "%s:%d: %s; this is no XML (a .xacro file must be expanded first)", r->path,
                               line_of(r), XML_ErrorString(XML_GetErrorCode(r->parser)));
    }
    return r->code;
}

int urdf_read(const char *path, urdf_robot *robot)
{
    memset(robot, 0, sizeof *robot);
    FILE *file = fopen(path, "rb");
    if (!file) return complain(EXIT_USAGE, "cannot read '%s'; check the path", path);
    reader r = { .path = path, .robot = robot, .parser = XML_ParserCreate(NULL) };
    if (!r.parser) r.code = complain(EXIT_FAILED, "out of memory");
    if (r.parser) {
        XML_SetUserData(r.parser, &r);
        XML_SetElementHandler(r.parser, begin_element, end_element);
        parse(&r, file);
        XML_ParserFree(r.parser);
    }
    fclose(file);
    if (!r.code && !robot->link_count) r.code = complain(EXIT_USAGE, "%s:1: the robot has no links", path);
    return r.code;
}
#else
int urdf_read(const char *path, urdf_robot *robot)
{
    memset(robot, 0, sizeof *robot);
    return complain(EXIT_USAGE, "cannot read '%s': this build has no XML (it was made without expat)", path);
}
#endif

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
