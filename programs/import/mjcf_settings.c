/* MJCF: included files, <compiler> and <option>. */
#include <stdlib.h>
#include <string.h>

#include "base/elementary.h"
#include "import/mjcf.h"

/* ---- included files: those beside or below the description, each once ---- */

static int is_inside(const char *file)
{
    if (!*file || *file == '/' || strpbrk(file, "\\:")) return 0;
    for (const char *part = file; part; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == 0)) return 0;
    }
    return 1;
}

static int depth_of(const xml_node *node)
{
    int depth = 0;
    for (; node; node = node->parent) depth++;
    return depth;
}

/* The elements of the included file instead of the <include>. */
static void splice(xml_node *include)
{
    xml_node *parent = include->parent, *root = include->first, **link = &parent->first;
    while (*link != include) link = &(*link)->next;
    xml_node *after = include->next, *first = root ? root->first : NULL;
    for (xml_node *e = first; e; e = e->next) e->parent = parent;
    *link = first ? first : after;
    if (first) root->last->next = after;
    if (parent->last == include)
        for (parent->last = parent->first; parent->last && parent->last->next;) parent->last = parent->last->next;
    if (root) root->first = root->last = NULL;
    include->parent = include->next = NULL;
    xml_free(include);
}

static void read_included(mjcf_model *m, xml_node *include, const char **done, int *count)
{
    const char *file = xml_attribute(include, "file");
    if (!file || !is_inside(file))
        return mjcf_fail(m, include, "<include> is read only from beside or below the description, not '%.60s'",
                         file ? file : "");
    if (*count == MJCF_FILES_MOST) return mjcf_fail(m, include, "more than %d files are included", MJCF_FILES_MOST);
    for (int i = 0; i < *count; i++)
        if (strcmp(done[i], file) == 0) return mjcf_fail(m, include, "'%.60s' is included twice", file);
    const char *slash = strrchr(m->path, '/');
    const size_t folder = slash ? (size_t)(slash - m->path) + 1 : 0, size = folder + strlen(file) + 1;
    char *path = malloc(size), *name = malloc(strlen(file) + 1);
    if (path && name) {
        snprintf(path, size, "%.*s%s", (int)folder, m->path, file);
        done[(*count)++] = strcpy(name, file);
        m->code = xml_read_below(m->context, path, include, depth_of(include), &m->elements);
    } else {
        free(name);
        m->code = taut_fail(m->context, TAUT_OUT_OF_MEMORY, "out of memory");
    }
    free(path);
    if (!m->code) splice(include);
}

static xml_node *find_include(const mjcf_model *m)
{
    for (xml_node *e = m->root; e;) {
        if (xml_is(e, "include")) return e;
        if (e->first) e = e->first;
        else {
            while (e && !e->next) e = e->parent;
            if (e) e = e->next;
        }
    }
    return NULL;
}

static size_t count_elements(const xml_node *root)
{
    size_t count = 0;
    for (const xml_node *e = root; e;) {
        count++;
        if (e->first) e = e->first;
        else {
            while (e && !e->next) e = e->parent;
            if (e) e = e->next;
        }
    }
    return count;
}

void mjcf_include(mjcf_model *m)
{
    const char *done[MJCF_FILES_MOST];
    int count = 0;
    xml_node *include;
    m->elements = count_elements(m->root);
    while (!m->code && (include = find_include(m))) read_included(m, include, done, &count);
    for (int i = 0; i < count; i++) free((char *)done[i]);
    if (!m->code && m->elements > MJCF_ELEMENTS_MOST)
        mjcf_fail(m, m->root, "there are more than %u elements; this is not read", MJCF_ELEMENTS_MOST);
}

/* ---- <compiler>, <option> ---- */

static void read_compiler(mjcf_model *m, const xml_node *node)
{
    const char *order = xml_attribute(node, "eulerseq"), *from = xml_attribute(node, "inertiafromgeom");
    double groups[2] = { m->groups[0], m->groups[1] };
    if (mjcf_has(node, "angle", "radian")) m->turn = 1;
    if (mjcf_has(node, "angle", "degree")) m->turn = (2 * TAUT_HALF_PI_HIGH) / 180;
    if (mjcf_has(node, "coordinate", "global")) m->is_global = 1;
    if (mjcf_has(node, "coordinate", "local")) m->is_global = 0;
    if (mjcf_has(node, "autolimits", "false")) m->has_limits_by_range = 0;
    if (mjcf_has(node, "balanceinertia", "true")) m->balances = 1;
    if (from) m->from_geoms = strcmp(from, "true") == 0 ? 1 : strcmp(from, "false") == 0 ? 0 : -1;
    if (order && (strlen(order) != 3 || strspn(order, "xyzXYZ") != 3))
        mjcf_fail(m, node, "eulerseq=\"%.20s\" is no order of three axes", order);
    else if (order) strcpy(m->order, order);
    m->least_mass = mjcf_number(m, node, "boundmass", m->least_mass);
    m->least_inertia = mjcf_number(m, node, "boundinertia", m->least_inertia);
    m->total_mass = mjcf_number(m, node, "settotalmass", m->total_mass);
    mjcf_numbers(m, node, "inertiagrouprange", groups, 2);
    for (int i = 0; i < 2; i++) m->groups[i] = groups[i] < -1e6 ? -1000000 : groups[i] > 1e6 ? 1000000 : (int)groups[i];
}

void mjcf_read_settings(mjcf_model *m)
{
    m->turn = (2 * TAUT_HALF_PI_HIGH) / 180;
    strcpy(m->order, "xyz");
    m->has_limits_by_range = 1, m->from_geoms = -1, m->groups[1] = 5, m->total_mass = -1;
    m->gravity[2] = -9.81;
    for (const xml_node *e = NULL; (e = mjcf_section(m, "compiler", e));) read_compiler(m, e);
    for (const xml_node *e = NULL; (e = mjcf_section(m, "option", e));) {
        mjcf_numbers(m, e, "gravity", m->gravity, 3);
        for (const xml_node *flag = e->first; flag; flag = flag->next)
            if (xml_is(flag, "flag") && mjcf_has(flag, "gravity", "disable"))
                memset(m->gravity, 0, sizeof m->gravity);
    }
    for (const xml_node *e = NULL; (e = mjcf_section(m, "default", e)) && !m->code;) mjcf_add_class(m, e, -1);
}
