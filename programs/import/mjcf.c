/* MJCF: what its readers share, and the order in which they read. */
#include "import/mjcf.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/wide.h"

void mjcf_fail(mjcf_model *m, const xml_node *node, const char *format, ...)
{
    char text[400];
    va_list list;
    if (m->code) return;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    m->code = taut_fail(m->context, TAUT_BAD_MODEL, "%s:%d: %s", m->path, node->line, text);
}

int mjcf_numbers(mjcf_model *m, const xml_node *node, const char *name, double *out, int most)
{
    const char *text = xml_attribute(node, name);
    char word[WIDE_TEXT];
    int count = 0;
    while (text && count < most && !m->code) {
        text += strspn(text, " \t\r\n");
        size_t length = strcspn(text, " \t\r\n");
        wide value = 0;
        if (!length) break;
        snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), text);
        if (taut_wide_parse(word, &value) || !isfinite((double)value))
            mjcf_fail(m, node, "%s=\"...\" of <%.40s> needs numbers; '%.40s' is none", name, node->name, word);
        out[count++] = (double)value;
        text += length;
    }
    return count;
}

double mjcf_number(mjcf_model *m, const xml_node *node, const char *name, double otherwise)
{
    mjcf_numbers(m, node, name, &otherwise, 1);
    return otherwise;
}

int mjcf_has(const xml_node *node, const char *name, const char *value)
{
    const char *found = xml_attribute(node, name);
    return found && strcmp(found, value) == 0;
}

int mjcf_limits(mjcf_model *m, const xml_node *node, const char *limited, const char *name, double range[2])
{
    const char *said = xml_attribute(node, limited);
    const int has_range = mjcf_numbers(m, node, name, range, 2) == 2 && range[0] < range[1];
    return has_range && (!said || strcmp(said, "auto") == 0 ? m->has_limits_by_range : strcmp(said, "true") == 0);
}

void *mjcf_more(mjcf_model *m, void *array, size_t *count, size_t size)
{
    void **place = array;
    /* room for a power of two */
    if ((*count & (*count - 1)) == 0) {
        void *grown = realloc(*place, (*count ? 2 * *count : 1) * size);
        if (!grown) {
            if (!m->code) m->code = taut_fail(m->context, TAUT_OUT_OF_MEMORY, "out of memory");
            return NULL;
        }
        *place = grown;
    }
    return memset((char *)*place + size * (*count)++, 0, size);
}

void mjcf_take_name(mjcf_model *m, lua_names *list, const char *name, const char *otherwise, size_t number,
                    char buffer[LUA_NAME])
{
    char numbered[LUA_NAME];
    snprintf(numbered, sizeof numbered, "%s%zu", otherwise, number);
    if (lua_names_take(list, name && *name ? name : numbered, buffer) && !m->code)
        m->code = taut_fail(m->context, TAUT_OUT_OF_MEMORY, "out of memory");
}

/* ---- what is named ---- */

#define FIND(what, list, count)                                                                              \
    for (size_t i = 0; name && i < (count); i++) {                                                           \
        const char *own = (list)[i].node ? xml_attribute((list)[i].node, "name") : NULL;                     \
        if (own && strcmp(own, name) == 0) return (long)i;                                                   \
    }                                                                                                        \
    mjcf_fail(m, node, "<%.40s> names a " what " '%.60s' that is not there", node->name, name ? name : "");  \
    return -1

long mjcf_find_body(mjcf_model *m, const xml_node *node, const char *name)
{
    if (!name || strcmp(name, "world") == 0) return 0;
    FIND("body", m->bodies, m->body_count);
}

long mjcf_find_joint(mjcf_model *m, const xml_node *node, const char *name)
{
    FIND("joint", m->joints, m->joint_count);
}

long mjcf_find_site(mjcf_model *m, const xml_node *node, const char *name) { FIND("site", m->sites, m->site_count); }
long mjcf_find_tendon(mjcf_model *m, const xml_node *node, const char *name)
{
    FIND("tendon", m->tendons, m->tendon_count);
}

const xml_node *mjcf_section(const mjcf_model *m, const char *name, const xml_node *after)
{
    for (const xml_node *e = after ? after->next : m->root->first; e; e = e->next)
        if (xml_is(e, name)) return e;
    return NULL;
}

/* ---- the whole ---- */

int mjcf_read(taut_context *context, const char *path, xml_node *root, mjcf_model *m)
{
    *m = (mjcf_model){ .context = context, .path = path, .root = root };
    mjcf_include(m);
    if (!m->code) mjcf_read_settings(m);
    if (!m->code) mjcf_apply_classes(m);
    if (!m->code) mjcf_read_bodies(m);
    if (!m->code) mjcf_add_masses(m);
    if (!m->code) mjcf_read_drives(m);
    int moves = 0;
    for (size_t i = 1; i < m->body_count; i++) moves |= m->bodies[i].carrier == (long)i;
    if (!moves) mjcf_fail(m, root, "the description has no body that moves, of those that are read");
    return m->code;
}

void mjcf_clear(mjcf_model *m)
{
    for (size_t i = 0; i < m->class_count; i++) free(m->classes[i].parts);
    free(m->classes), free(m->bodies), free(m->joints), free(m->geoms), free(m->sites), free(m->actuators);
    free(m->tendons);
    lua_names_clear(&m->body_names), lua_names_clear(&m->joint_names), lua_names_clear(&m->input_names);
    lua_names_clear(&m->tendon_names), lua_names_clear(&m->equality_names);
}
