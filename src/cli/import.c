/* taut import: a robot description (URDF) as a model of bodies and joints, to go on with. */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/urdf.h"

static int import_main(int argc, char **argv);

static const option_definition definitions_of_import[] = {
    { "output", 'o', "MODEL.lua", "the file to write; without it the model goes to standard output", 0 },
};

const command command_import = {
    "import", "ROBOT.urdf [-o MODEL.lua]", "a robot description (URDF) as a model of bodies and joints",
    definitions_of_import, sizeof definitions_of_import / sizeof *definitions_of_import, import_main,
    "The model has a body for every link with a mass and a joint for every joint; each joint has an input for its\n"
    "torque or force, or follows a motion that you write into the file. An existing file is replaced.\n"
};

typedef struct {
    const char *path;
    urdf_robot robot;
    long *order;   /* links, from the root on */
    size_t done;
} job;

/* ---- the tree of links ---- */

static long find_link(const urdf_robot *r, const char *name)
{
    for (size_t i = 0; name && i < r->link_count; i++)
        if (strcmp(r->links[i].name, name) == 0) return (long)i;
    return -1;
}

static long find_joint(const urdf_robot *r, const char *name)
{
    for (size_t i = 0; name && i < r->joint_count; i++)
        if (strcmp(r->joints[i].name, name) == 0) return (long)i;
    return -1;
}

/* Which joint each link hangs on. */
static int join(job *w)
{
    urdf_robot *r = &w->robot;
    for (size_t i = 0; i < r->link_count; i++) r->links[i].joint = -1;
    for (size_t i = 0; i < r->joint_count; i++) {
        const urdf_joint *j = &r->joints[i];
        const long parent = find_link(r, j->parent), child = find_link(r, j->child);
        if (parent < 0 || child < 0)
            return complain(EXIT_USAGE, "%s:%d: joint '%s' names a %s that is not there", w->path, j->line, j->name,
                            parent < 0 ? "parent" : "child");
        if (r->links[child].joint >= 0)
            return complain(EXIT_USAGE, "%s:%d: link '%s' is the child of two joints, '%s' and '%s'", w->path, j->line,
                            j->child, r->joints[r->links[child].joint].name, j->name);
        r->links[child].joint = (long)i;
    }
    return EXIT_DONE;
}

/* Puts the links in order, each after its parent, and finds their places with all joints at zero. */
static int place(job *w)
{
    urdf_robot *r = &w->robot;
    w->order = calloc(r->link_count, sizeof *w->order);
    if (!w->order) return complain(EXIT_FAILED, "out of memory");
    for (size_t i = 0; i < r->link_count; i++) {
        if (r->links[i].joint >= 0) continue;
        if (w->done)
            return complain(EXIT_USAGE, "%s:%d: link '%s' hangs on no joint, nor does '%s'; a robot has one root",
                            w->path, r->links[i].line, r->links[i].name, r->links[w->order[0]].name);
        r->links[i].world = (urdf_pose){ { 0, 0, 0 }, { 1, 0, 0, 0 } };
        w->order[w->done++] = (long)i;
    }
    for (size_t k = 0; k < w->done; k++)
        for (size_t i = 0; i < r->link_count; i++) {
            urdf_link *l = &r->links[i];
            if (l->joint < 0 || find_link(r, r->joints[l->joint].parent) != w->order[k]) continue;
            l->world = urdf_compose(&r->links[w->order[k]].world, &r->joints[l->joint].origin);
            w->order[w->done++] = (long)i;
        }
    if (w->done < r->link_count) return complain(EXIT_USAGE, "%s:1: the joints of the robot form a ring", w->path);
    return EXIT_DONE;
}

static int is_fixed(const urdf_joint *j) { return strcmp(j->type, "fixed") == 0; }

/* The link with a mass that this one is part of: itself, or what a link without mass is fixed to. -1: the world; -2: a
   link without mass that moves. */
static long carrier(const urdf_robot *r, long link)
{
    const urdf_link *l = &r->links[link];
    if (l->mass > 0) return link;
    if (l->joint < 0) return -1;
    return is_fixed(&r->joints[l->joint]) ? carrier(r, find_link(r, r->joints[l->joint].parent)) : -2;
}

/* ---- text ---- */

/* A name of Lua: letters, digits and _. */
static const char *identifier(const char *name, char *buffer, size_t size)
{
    size_t n = 0;
    if (!isalpha((unsigned char)name[0]) && name[0] != '_') buffer[n++] = '_';
    for (; *name && n + 1 < size; name++) buffer[n++] = (char)(isalnum((unsigned char)*name) ? *name : '_');
    buffer[n] = 0;
    static const char *const words[] = { "and",   "break", "do",  "else", "elseif", "end",    "false", "for",
                                         "function", "goto", "if", "in",   "local",  "nil",    "not",   "or",
                                         "repeat", "return", "then", "true", "until", "while" };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(buffer, words[i]) == 0 && n + 1 < size) strcat(buffer, "_");
    return buffer;
}

/* A name as part of a comment: it does not end the line. */
static const char *in_comment(const char *name, char *buffer, size_t size)
{
    size_t n = 0;
    for (; *name && n + 1 < size; name++) buffer[n++] = (unsigned char)*name < ' ' ? ' ' : *name;
    buffer[n] = 0;
    return buffer;
}

/* Rounding errors of compositions are no part of a description. */
static double tidy(double x) { return fabs(x) < 1e-13 ? 0 : x; }

static void put_list(FILE *f, const double *x, int count)
{
    fputc('{', f);
    for (int i = 0; i < count; i++) fprintf(f, "%s%.12g", i ? ", " : "", tidy(x[i]));
    fputc('}', f);
}

static const char *reference(const urdf_robot *r, long link, char *buffer, size_t size)
{
    char name[100];
    if (link < 0) snprintf(buffer, size, "world");
    else snprintf(buffer, size, "link.%s", identifier(r->links[link].name, name, sizeof name));
    return buffer;
}

/* A visual in the axes of the body, whose origin is the centre of mass. */
static urdf_pose in_body(const urdf_link *l, const urdf_pose *of_link)
{
    urdf_pose back = { { 0 }, { l->centre.q[0], -l->centre.q[1], -l->centre.q[2], -l->centre.q[3] } };
    double away[3];
    urdf_turn(back.q, l->centre.at, away);
    for (int i = 0; i < 3; i++) back.at[i] = -away[i];
    return urdf_compose(&back, of_link);
}

/* Boxes have the axes of the body when they are drawn: others are left to the body's own picture. */
static int can_draw(const urdf_link *l, const urdf_visual *v)
{
    const urdf_pose p = in_body(l, &v->pose);
    if (v->shape == URDF_BOX) return fabs(fabs(p.q[0]) - 1) < 1e-9;
    return v->shape != URDF_NO_SHAPE;
}

static int draws_all(const urdf_link *l)
{
    int all = l->visual_count > 0;
    for (size_t i = 0; i < l->visual_count; i++) all &= can_draw(l, &l->visuals[i]);
    return all;
}

static void put_visuals(FILE *f, const urdf_link *l, const char *name)
{
    for (size_t i = 0; i < l->visual_count; i++) {
        const urdf_visual *v = &l->visuals[i];
        const urdf_pose p = in_body(l, &v->pose);
        double half[3] = { 0, 0, v->size[1] / 2 }, from[3], to[3];
        urdf_turn(p.q, half, half);
        for (int k = 0; k < 3; k++) from[k] = p.at[k] - half[k], to[k] = p.at[k] + half[k];
        fprintf(f, "draw { ");
        if (v->shape == URDF_CYLINDER) {
            fprintf(f, "cylinder(%s:point", name), put_list(f, from, 3);
            fprintf(f, ", %s:point", name), put_list(f, to, 3);
            fprintf(f, ", %.12g)", v->size[0]);
        } else {
            fprintf(f, "%s(%s:point", v->shape == URDF_BOX ? "box" : "ball", name), put_list(f, p.at, 3);
            fprintf(f, ", ");
            if (v->shape == URDF_BOX) put_list(f, v->size, 3), fprintf(f, ", %s.rotation)", name);
            else fprintf(f, "%.12g)", v->size[0]);
        }
        fprintf(f, " }\n");
    }
}

static void put_body(FILE *f, const urdf_robot *r, long link)
{
    const urdf_link *l = &r->links[link];
    const urdf_pose centre = urdf_compose(&l->world, &l->centre);
    char name[120], plain[100];
    reference(r, link, name, sizeof name);
    identifier(l->name, plain, sizeof plain);
    fprintf(f, "%s = body(\"%s\", { mass = %.12g, inertia = ", name, plain, l->mass);
    put_list(f, l->inertia, l->inertia[3] == 0 && l->inertia[4] == 0 && l->inertia[5] == 0 ? 3 : 6);
    fprintf(f, ",\n  at = "), put_list(f, centre.at, 3);
    if (fabs(fabs(centre.q[0]) - 1) > 1e-13) fprintf(f, ", turned = "), put_list(f, centre.q, 4);
    fprintf(f, "%s })\n", draws_all(l) ? ", draw = false" : "");
    if (draws_all(l)) put_visuals(f, l, name);
}

/* The kind of joint of the model language, or NULL where there is none. */
static const char *kind_of(const urdf_joint *j)
{
    static const char *const kinds[][2] = { { "revolute", "revolute" }, { "continuous", "revolute" },
                                            { "prismatic", "prismatic" }, { "planar", "planar" },
                                            { "fixed", "fixed" } };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(j->type, kinds[i][0]) == 0) return kinds[i][1];
    return NULL;
}

static void put_joint(FILE *f, const urdf_robot *r, long link)
{
    const urdf_link *l = &r->links[link];
    const urdf_joint *j = &r->joints[l->joint];
    const char *kind = kind_of(j);
    char name[100], parent[120], child[120];
    double axis[3];
    if (!kind) {
        char joint[100], type[100], moved[100];
        fprintf(f, "-- joint '%s' is %s: '%s' moves freely\n", in_comment(j->name, joint, sizeof joint),
                in_comment(j->type, type, sizeof type), in_comment(l->name, moved, sizeof moved));
        return;
    }
    identifier(j->name, name, sizeof name);
    reference(r, carrier(r, find_link(r, j->parent)), parent, sizeof parent);
    reference(r, link, child, sizeof child);
    fprintf(f, "joint.%s = %s(\"%s\", %s, %s, { at = ", name, kind, name, parent, child);
    put_list(f, l->world.at, 3);
    urdf_turn(l->world.q, j->axis, axis);
    if (strcmp(kind, "fixed") != 0) fprintf(f, ", axis = "), put_list(f, axis, 3);
    if (strcmp(kind, "revolute") == 0 || strcmp(kind, "prismatic") == 0) {
        const int turns = kind[0] == 'r';
        fprintf(f, ",\n  %s = %s(\"%s\"", turns ? "angle" : "slide", j->mimic ? "follow" : "drive", name);
        if (!j->mimic) fprintf(f, ", \"%s\"", turns ? "torque" : "force");
        if (!j->mimic) fprintf(f, ", %.12g", j->damping);
        if (!j->mimic && j->has_limits) fprintf(f, ", %.12g, %.12g", j->lower, j->upper);
        fprintf(f, ")");
    }
    fprintf(f, " })\n");
}

static void put_mimics(FILE *f, const urdf_robot *r)
{
    for (size_t i = 0; i < r->joint_count; i++) {
        const urdf_joint *j = &r->joints[i];
        char name[100], other[100];
        if (!j->mimic) continue;
        fprintf(f, "gear(\"%s_mimic\", joint.%s, joint.%s, { ratio = %.12g, offset = %.12g })\n",
                identifier(j->name, name, sizeof name), identifier(j->mimic, other, sizeof other), name, j->multiplier,
                j->offset);
    }
}

static const char opening[] =
    "gravity{0, 0, -9.81}\n"
    "local limits = option(\"limits\", false)                   -- true: the joints stop at their limits (contacts)\n"
    "local motion, first = {}, {}\n"
    "-- motion.NAME = 0.5*sin(time()): this joint follows a function of time; without one its torque is an input.\n"
    "-- first.NAME = 0.3: where it begins.\n"
    "\n"
    "local function drive(name, effort, damping, least, greatest)\n"
    "  local freedom = { damping = damping ~= 0 and damping or nil }\n"
    "  if motion[name] then freedom.motion = motion[name]\n"
    "  else freedom.start, freedom[effort] = first[name] or 0, input(effort .. \"_\" .. name, 0) end\n"
    "  if limits and least then freedom.limits = {least, greatest} end\n"
    "  return freedom\n"
    "end\n";

static int write_model(void *user, FILE *f)
{
    job *w = user;
    const urdf_robot *r = &w->robot;
    int has_mimic = 0;
    for (size_t i = 0; i < r->joint_count; i++) has_mimic |= r->joints[i].mimic != NULL;
    fprintf(f, "-- From a robot description by 'taut import'. All joints are at zero in the position below.\ntitle \"");
    for (const char *c = r->name; *c; c++) fputc(*c == '"' || *c == '\\' || (unsigned char)*c < ' ' ? ' ' : *c, f);
    fprintf(f, "\"\n%s", opening);
    if (has_mimic) fprintf(f, "local function follow() return {} end                    -- moved by another joint\n");
    fprintf(f, "\nlocal link, joint = {}, {}\n\n");
    for (size_t k = 0; k < w->done; k++) {
        const long link = w->order[k];
        const urdf_link *l = &r->links[link];
        char name[120], plain[100];
        if (carrier(r, link) != link) {
            fprintf(f, "-- link '%s' has no mass: a frame of %s at ", in_comment(l->name, plain, sizeof plain),
                    reference(r, carrier(r, link), name, sizeof name));
            put_list(f, l->world.at, 3);
            fprintf(f, "\n");
            continue;
        }
        put_body(f, r, link);
        if (l->joint >= 0) put_joint(f, r, link);
        else
            fprintf(f, "fixed(\"ground\", world, %s, { at = {0, 0, 0} })     -- leave this out for a robot that floats\n",
                    reference(r, link, name, sizeof name));
    }
    put_mimics(f, r);
    return ferror(f) ? TAUT_CANNOT_WRITE : TAUT_OK;
}

/* ---- the command ---- */

static int check(const job *w)
{
    const urdf_robot *r = &w->robot;
    for (size_t i = 0; i < r->link_count; i++)
        if (carrier(r, (long)i) == -2)
            return complain(EXIT_USAGE, "%s:%d: link '%s' has no mass and moves; give it an <inertial> element",
                            w->path, r->links[i].line, r->links[i].name);
    for (size_t i = 0; i < r->joint_count; i++)
        if (r->joints[i].mimic && find_joint(r, r->joints[i].mimic) < 0)
            return complain(EXIT_USAGE, "%s:%d: joint '%s' mimics '%s', which is not there", w->path, r->joints[i].line,
                            r->joints[i].name, r->joints[i].mimic);
    return EXIT_DONE;
}

static int import_main(int argc, char **argv)
{
    options o;
    job w = { 0 };
    int parsed = options_parse(&command_import, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    if (o.positional_count != 1)
        return complain(EXIT_USAGE,
                        "'taut import' needs one robot description, as in: taut import arm.urdf -o arm.lua");
    taut_context *context = make_context();
    if (!context) return EXIT_FAILED;
    w.path = o.positional[0];
    const char *output = options_value(&o, "output", NULL);
    int code = urdf_read(w.path, &w.robot);
    if (!code) code = join(&w);
    if (!code) code = place(&w);
    if (!code) code = check(&w);
    if (!code && output) code = write_whole_file(context, output, write_model, &w);
    else if (!code) code = write_model(&w, stdout) ? EXIT_FAILED : EXIT_DONE;
    urdf_clear(&w.robot);
    free(w.order);
    taut_context_destroy(context);
    return code;
}
