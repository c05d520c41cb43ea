/* The model of a robot description: bodies, joints and inputs as Lua. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/unread.h"
#include "import/urdf.h"

typedef urdf_job job;

/* ---- the tree of links ---- */

typedef struct {
    const char *name;
    long at;
} entry;

static int compare_entries(const void *a, const void *b)
{
    return strcmp(((const entry *)a)->name, ((const entry *)b)->name);
}

static long find(const entry *list, size_t count, const char *name)
{
    const entry wanted = { name, 0 };
    const entry *found = name && count ? bsearch(&wanted, list, count, sizeof *list, compare_entries) : NULL;
    return found ? found->at : -1;
}

/* Which joint each link hangs on, and which joint another mimics. */
static int join_by(job *w, const entry *links, const entry *joints)
{
    urdf_robot *r = &w->robot;
    for (size_t i = 0; i < r->link_count; i++) r->links[i].joint = -1;
    for (size_t i = 0; i < r->joint_count; i++) {
        urdf_joint *j = &r->joints[i];
        const long parent = find(links, r->link_count, j->parent), child = find(links, r->link_count, j->child);
        if (parent < 0 || child < 0)
            return taut_fail(w->context, TAUT_BAD_MODEL, "%s:%d: joint '%s' names a %s that is not there", w->path,
                             j->line, j->name, parent < 0 ? "parent" : "child");
        if (r->links[child].joint >= 0)
            return taut_fail(w->context, TAUT_BAD_MODEL, "%s:%d: link '%s' is the child of two joints, '%s' and '%s'",
                             w->path, j->line, j->child, r->joints[r->links[child].joint].name, j->name);
        j->parent_link = parent, j->child_link = child;
        r->links[child].joint = (long)i;
        j->mimicked = find(joints, r->joint_count, j->mimic);
        if (j->mimic && j->mimicked < 0)
            return taut_fail(w->context, TAUT_BAD_MODEL, "%s:%d: joint '%s' mimics '%s', which is not there", w->path,
                             j->line, j->name, j->mimic);
    }
    return TAUT_OK;
}

static int join(job *w)
{
    const urdf_robot *r = &w->robot;
    entry *links = calloc(r->link_count + 1, sizeof *links), *joints = calloc(r->joint_count + 1, sizeof *joints);
    int code = links && joints ? TAUT_OK : taut_fail(w->context, TAUT_OUT_OF_MEMORY, "out of memory");
    if (!code) {
        for (size_t i = 0; i < r->link_count; i++) links[i] = (entry){ r->links[i].name, (long)i };
        for (size_t i = 0; i < r->joint_count; i++) joints[i] = (entry){ r->joints[i].name, (long)i };
        qsort(links, r->link_count, sizeof *links, compare_entries);
        qsort(joints, r->joint_count, sizeof *joints, compare_entries);
        code = join_by(w, links, joints);
    }
    free(links), free(joints);
    return code;
}

static int is_fixed(const urdf_joint *j) { return strcmp(j->type, "fixed") == 0; }

/* A link after its parent: where it is with all joints at zero, and which link with a mass it is part of: itself, or
   what a link without mass is fixed to. -1: the world; -2: a link without mass that moves. */
static void put_in_place(urdf_robot *r, long link)
{
    urdf_link *l = &r->links[link];
    const urdf_joint *j = l->joint < 0 ? NULL : &r->joints[l->joint];
    const urdf_link *parent = j ? &r->links[j->parent_link] : NULL;
    l->world = j ? pose_compose(&parent->world, &j->origin) : pose_none;
    l->carrier = l->mass > 0 ? link : !j ? -1 : is_fixed(j) ? parent->carrier : -2;
}

/* Puts the links in order, each after its parent, by lists of children. */
static int place(job *w)
{
    urdf_robot *r = &w->robot;
    w->order = calloc(r->link_count, sizeof *w->order);
    long *first = calloc(2 * r->link_count, sizeof *first);
    if (!w->order || !first) {
        free(first);
        return taut_fail(w->context, TAUT_OUT_OF_MEMORY, "out of memory");
    }
    long *next = first + r->link_count;
    for (size_t i = 0; i < r->link_count; i++) first[i] = -1;
    int code = TAUT_OK;
    for (size_t i = r->link_count; i-- > 0;) {
        const long joint = r->links[i].joint;
        if (joint < 0) continue;
        const long parent = r->joints[joint].parent_link;
        next[i] = first[parent], first[parent] = (long)i;
    }
    for (size_t i = 0; i < r->link_count && !code; i++) {
        if (r->links[i].joint >= 0) continue;
        if (w->done)
            code = taut_fail(w->context, TAUT_BAD_MODEL,
                             "%s:%d: link '%s' hangs on no joint, nor does '%s'; a robot has one root", w->path,
                             r->links[i].line, r->links[i].name, r->links[w->order[0]].name);
        else w->order[w->done++] = (long)i;
    }
    for (size_t k = 0; k < w->done && !code; k++) {
        put_in_place(r, w->order[k]);
        for (long i = first[w->order[k]]; i >= 0; i = next[i]) w->order[w->done++] = i;
    }
    free(first);
    if (!code && w->done < r->link_count)
        code = taut_fail(w->context, TAUT_BAD_MODEL, "%s:1: the joints of the robot form a ring", w->path);
    return code;
}

/* ---- text ---- */

static const char *reference(const urdf_robot *r, long link, char *buffer, size_t size)
{
    if (link < 0) snprintf(buffer, size, "world");
    else snprintf(buffer, size, "link.%s", r->links[link].lua);
    return buffer;
}

/* A visual in the axes of the body, whose origin is the centre of mass. */
static pose in_body(const urdf_link *l, const pose *of_link)
{
    const pose back = pose_inverse(&l->centre);
    return pose_compose(&back, of_link);
}

/* Boxes have the axes of the body when they are drawn: others are left to the body's own picture. */
static int can_draw(const urdf_link *l, const urdf_visual *v)
{
    const pose p = in_body(l, &v->pose);
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
        const pose p = in_body(l, &v->pose);
        double half[3] = { 0, 0, v->size[1] / 2 }, from[3], to[3];
        pose_turn(p.q, half, half);
        for (int k = 0; k < 3; k++) from[k] = p.at[k] - half[k], to[k] = p.at[k] + half[k];
        fprintf(f, "draw { ");
        if (v->shape == URDF_CYLINDER) {
            fprintf(f, "cylinder(%s:point", name), lua_put_list(f, from, 3);
            fprintf(f, ", %s:point", name), lua_put_list(f, to, 3);
            fprintf(f, ", %.12g)", v->size[0]);
        } else {
            fprintf(f, "%s(%s:point", v->shape == URDF_BOX ? "box" : "ball", name), lua_put_list(f, p.at, 3);
            fprintf(f, ", ");
            if (v->shape == URDF_BOX) lua_put_list(f, v->size, 3), fprintf(f, ", %s.rotation)", name);
            else fprintf(f, "%.12g)", v->size[0]);
        }
        fprintf(f, " }\n");
    }
}

static void put_body(FILE *f, const urdf_robot *r, long link)
{
    const urdf_link *l = &r->links[link];
    const pose centre = pose_compose(&l->world, &l->centre);
    char name[120];
    reference(r, link, name, sizeof name);
    fprintf(f, "%s = body(\"%s\", { mass = %.12g, inertia = ", name, l->lua, l->mass);
    lua_put_list(f, l->inertia, l->inertia[3] == 0 && l->inertia[4] == 0 && l->inertia[5] == 0 ? 3 : 6);
    fprintf(f, ",\n  at = "), lua_put_list(f, centre.at, 3);
    if (fabs(fabs(centre.q[0]) - 1) > 1e-13) fprintf(f, ", turned = "), lua_put_list(f, centre.q, 4);
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

static void leave_out(job *w, FILE *f, const urdf_joint *j, int it_has, const char *what)
{
    if (!it_has) return;
    fprintf(f, "-- left out: of joint '"), lua_put_words(f, j->name);
    fprintf(f, "' (line %d): %s\n", j->line, what);
    w->left_out++;
}

static void put_joint(job *w, FILE *f, long link)
{
    const urdf_robot *r = &w->robot;
    const urdf_link *l = &r->links[link];
    const urdf_joint *j = &r->joints[l->joint];
    const char *kind = kind_of(j);
    const char *name = j->lua;
    char parent[120], child[120];
    double axis[3];
    if (!kind) {
        fprintf(f, "-- joint '"), lua_put_words(f, j->name);
        fprintf(f, "' is "), lua_put_words(f, j->type);
        fprintf(f, ": '"), lua_put_words(f, l->name);
        fprintf(f, "' moves freely\n");
        leave_out(w, f, j, j->damping != 0, "its damping");
        return;
    }
    reference(r, r->links[j->parent_link].carrier, parent, sizeof parent);
    reference(r, link, child, sizeof child);
    fprintf(f, "joint.%s = %s(\"%s\", %s, %s, { at = ", name, kind, name, parent, child);
    lua_put_list(f, l->world.at, 3);
    pose_turn(l->world.q, j->axis, axis);
    if (strcmp(kind, "fixed") != 0) fprintf(f, ", axis = "), lua_put_list(f, axis, 3);
    if (strcmp(kind, "revolute") == 0 || strcmp(kind, "prismatic") == 0) {
        const int turns = kind[0] == 'r';
        fprintf(f, ",\n  %s = ", turns ? "angle" : "slide");
        if (j->mimic) fprintf(f, "follow(%.12g", j->damping);
        else fprintf(f, "drive(\"%s\", \"%s\", %.12g", name, turns ? "torque" : "force", j->damping);
        if (!j->mimic && j->has_limits) fprintf(f, ", %.12g, %.12g", j->lower, j->upper);
        fprintf(f, ")");
    }
    fprintf(f, " })\n");
    if (strcmp(kind, "planar") == 0 || strcmp(kind, "fixed") == 0) leave_out(w, f, j, j->damping != 0, "its damping");
    leave_out(w, f, j, j->mimic && j->has_limits, "its limits: another joint moves it");
}

static void put_mimics(FILE *f, const urdf_robot *r)
{
    for (size_t i = 0; i < r->joint_count; i++) {
        const urdf_joint *j = &r->joints[i];
        if (!j->mimic) continue;
        fprintf(f, "gear(\"%s_mimic\", joint.%s, joint.%s, { ratio = %.12g, offset = %.12g })\n", j->lua,
                r->joints[j->mimicked].lua, j->lua, j->multiplier, j->offset);
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

static int write_unread(job *w, FILE *f)
{
    enum { OF_CONTACTS, OF_LOOKS };
    static const char *const reasons[] = {
        [OF_CONTACTS] = "since nothing touches (write contact(...) for what should)",
        [OF_LOOKS] = "names, looks and other programs' data",
    };
    static const unread_known known[] = {
        { "collision contact", NULL, OF_CONTACTS, NULL },
        { "*", "name version xmlns:xacro", OF_LOOKS, NULL },
        { "material mesh gazebo transmission calibration", NULL, OF_LOOKS, NULL },
        { "link", "type", OF_LOOKS, NULL },
    };
    return taut_unread_write(f, w->root, known, sizeof known / sizeof *known, reasons, &w->left_out);
}

int urdf_write(void *user, FILE *f)
{
    job *w = user;
    const urdf_robot *r = &w->robot;
    int has_mimic = 0;
    for (size_t i = 0; i < r->joint_count; i++) has_mimic |= r->joints[i].mimic != NULL;
    fprintf(f, "-- From a robot description by 'taut import'. All joints are at zero in the position below.\ntitle \"");
    lua_put_words(f, r->name);
    fprintf(f, "\"\n%s", opening);
    if (has_mimic)
        fprintf(f, "-- a joint that is moved by another one\n"
                   "local function follow(damping) return { damping = damping ~= 0 and damping or nil } end\n");
    fprintf(f, "\nlocal link, joint = {}, {}\n\n");
    for (size_t k = 0; k < w->done; k++) {
        const long link = w->order[k];
        const urdf_link *l = &r->links[link];
        char name[120];
        if (l->carrier != link) {
            fprintf(f, "-- link '"), lua_put_words(f, l->name);
            fprintf(f, "' has no mass: a frame of %s at ", reference(r, l->carrier, name, sizeof name));
            lua_put_list(f, l->world.at, 3);
            fprintf(f, "\n");
            continue;
        }
        put_body(f, r, link);
        if (l->joint >= 0) put_joint(w, f, link);
        else
            fprintf(f,
                    "fixed(\"ground\", world, %s, { at = {0, 0, 0} })     -- leave this out for a robot that floats\n",
                    reference(r, link, name, sizeof name));
    }
    put_mimics(f, r);
    if (write_unread(w, f)) return taut_fail(w->context, TAUT_OUT_OF_MEMORY, "out of memory");
    return ferror(f) ? taut_fail(w->context, TAUT_CANNOT_WRITE, "the model cannot be written") : TAUT_OK;
}

/* ---- before it ---- */

static int take_names(job *w)
{
    urdf_robot *r = &w->robot;
    lua_names links = { 0 }, joints = { 0 };
    int failed = 0;
    for (size_t i = 0; i < r->link_count && !failed; i++)
        failed = lua_names_take(&links, r->links[i].name, r->links[i].lua);
    for (size_t i = 0; i < r->joint_count && !failed; i++)
        failed = lua_names_take(&joints, r->joints[i].name, r->joints[i].lua);
    lua_names_clear(&links), lua_names_clear(&joints);
    return failed ? taut_fail(w->context, TAUT_OUT_OF_MEMORY, "out of memory") : TAUT_OK;
}

int urdf_prepare(job *w)
{
    const urdf_robot *r = &w->robot;
    int code = join(w);
    if (!code) code = place(w);
    for (size_t i = 0; i < r->link_count && !code; i++)
        if (r->links[i].carrier == -2)
            code = taut_fail(w->context, TAUT_BAD_MODEL,
                             "%s:%d: link '%s' has no mass and moves; give it an <inertial> element", w->path,
                             r->links[i].line, r->links[i].name);
    int bodies = 0;
    for (size_t i = 0; i < r->link_count; i++) bodies += r->links[i].mass > 0;
    if (!code && !bodies)
        code = taut_fail(w->context, TAUT_BAD_MODEL,
                         "%s:%d: no link of the robot has a mass, so that nothing can move; give one an <inertial> "
                         "element",
                         w->path, r->links[0].line);
    return code ? code : take_names(w);
}
