#include "import/xml.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"

static void free_strings(char **list)
{
    for (char **s = list; s && *s; s++) free(*s);
    free(list);
}

void xml_free(xml_node *root)
{
    while (root) { /* from the leaves up, without recursion */
        while (root->first) root = root->first;
        xml_node *parent = root->parent;
        if (parent) parent->first = root->next;
        free(root->name);
        free_strings(root->attributes);
        free(root->read);
        free(root);
        root = parent;
    }
}

static size_t find(const xml_node *node, const char *name)
{
    size_t i = 0;
    while (i < node->count && strcmp(node->attributes[2 * i], name) != 0) i++;
    return i;
}

const char *xml_attribute(const xml_node *node, const char *name)
{
    const size_t i = find(node, name);
    if (i == node->count) return NULL;
    node->read[i] = 1;
    return node->attributes[2 * i + 1];
}

int xml_is(const xml_node *node, const char *name)
{
    if (!xml_is_named(node, name)) return 0;
    node->read[node->count] = 1;
    return 1;
}

const char *xml_peek(const xml_node *node, const char *name)
{
    const size_t i = find(node, name);
    return i < node->count ? node->attributes[2 * i + 1] : NULL;
}

int xml_is_named(const xml_node *node, const char *name) { return strcmp(node->name, name) == 0; }

int xml_was_read(const xml_node *node, size_t attribute) { return node->read[attribute]; }

void xml_mark(const xml_node *node) { memset(node->read, 1, node->count + 1); }

void xml_mark_all(const xml_node *node)
{
    for (const xml_node *e = node; e;) {
        xml_mark(e);
        if (e->first) e = e->first;
        else {
            while (e != node && !e->next) e = e->parent;
            e = e == node ? NULL : e->next;
        }
    }
}

void xml_detach(xml_node *node)
{
    xml_node *parent = node->parent, **link = &parent->first;
    while (*link != node) link = &(*link)->next;
    *link = node->next;
    if (parent->last == node) {
        parent->last = parent->first;
        while (parent->last && parent->last->next) parent->last = parent->last->next;
    }
    node->parent = node->next = NULL;
}

static char *copy(const char *text)
{
    char *result = malloc(strlen(text) + 1);
    return result ? strcpy(result, text) : NULL;
}

int xml_add(xml_node *node, const char *name, const char *value)
{
    const size_t count = node->count;
    char **list = realloc(node->attributes, (2 * count + 3) * sizeof *list);
    if (list) node->attributes = list;
    unsigned char *read = list ? realloc(node->read, count + 2) : NULL;
    if (!read) return -1;
    node->read = read;
    list[2 * count] = copy(name), list[2 * count + 1] = list[2 * count] ? copy(value) : NULL;
    list[2 * count + 2] = NULL;
    if (!list[2 * count + 1]) {
        free(list[2 * count]);
        list[2 * count] = NULL;
        return -1;
    }
    read[count + 1] = read[count], read[count] = 0;
    node->count++;
    return 0;
}

#ifdef TAUT_HAVE_EXPAT
#include <expat.h>

typedef struct {
    taut_context *context;
    const char *path;
    XML_Parser parser;
    xml_node *root, *open; /* open: the element whose end has not come */
    xml_node *parent;      /* of the root, in another file */
    int depth, code;
    size_t *elements;
} reader;

static int line_of(const reader *r) { return (int)XML_GetCurrentLineNumber(r->parser); }

static void stop(reader *r, int code)
{
    if (!r->code) r->code = code;
    XML_StopParser(r->parser, XML_FALSE);
}

static xml_node *make_node(const char *name, const char **list)
{
    size_t count = 0;
    xml_node *node = calloc(1, sizeof *node);
    while (list[count]) count++;
    if (node) {
        node->name = copy(name);
        node->attributes = calloc(count + 1, sizeof *node->attributes);
        node->read = calloc(count / 2 + 1, 1);
        node->count = count / 2;
    }
    int failed = !node || !node->name || !node->attributes || !node->read;
    for (size_t i = 0; i < count && !failed; i++) failed = !(node->attributes[i] = copy(list[i]));
    if (!failed) return node;
    if (node) xml_free(node);
    return NULL;
}

static void XMLCALL begin_element(void *user, const char *name, const char **list)
{
    reader *r = user;
    if (r->code) return;
    if (++r->depth > XML_DEPTH_MOST)
        return stop(r, taut_fail(r->context, TAUT_BAD_MODEL,
                                 "%s:%d: more than %d elements are nested; this is not read", r->path, line_of(r),
                                 XML_DEPTH_MOST));
    if (++*r->elements > XML_ELEMENTS_MOST)
        return stop(r, taut_fail(r->context, TAUT_BAD_MODEL, "%s:%d: there are more than %u elements; this is not read",
                                 r->path, line_of(r), XML_ELEMENTS_MOST));
    xml_node *node = make_node(name, list), *parent = r->open ? r->open : r->parent;
    if (!node) return stop(r, taut_fail(r->context, TAUT_OUT_OF_MEMORY, "out of memory"));
    node->line = line_of(r);
    node->parent = parent;
    if (parent && parent->last) parent->last->next = node;
    else if (parent) parent->first = node;
    if (parent) parent->last = node;
    if (!r->open) r->root = node;
    r->open = node;
}

static void XMLCALL end_element(void *user, const char *name)
{
    reader *r = user;
    (void)name;
    if (r->code) return;
    r->depth--;
    r->open = r->open == r->root ? NULL : r->open->parent;
}

static void XMLCALL begin_type(void *user, const char *name, const char *system, const char *public, int internal)
{
    reader *r = user;
    (void)name, (void)system, (void)public, (void)internal;
    stop(r, taut_fail(r->context, TAUT_BAD_MODEL, "%s:%d: a document type (<!DOCTYPE ...>) is not read; take it out",
                      r->path, line_of(r)));
}

static void parse(reader *r, FILE *file)
{
    char buffer[8192];
    size_t total = 0;
    for (int is_last = 0; !is_last && !r->code;) {
        size_t size = fread(buffer, 1, sizeof buffer, file);
        is_last = size == 0;
        if (is_last && ferror(file)) {
            r->code = taut_fail(r->context, TAUT_CANNOT_READ, "cannot read '%s'; check the path", r->path);
            return;
        }
        if ((total += size) > XML_BYTES_MOST) {
            r->code = taut_fail(r->context, TAUT_BAD_MODEL, "%s is longer than %u MiB; this is not read", r->path,
                                XML_BYTES_MOST >> 20);
            return;
        }
        if (XML_Parse(r->parser, buffer, (int)size, is_last) == XML_STATUS_ERROR && !r->code)
            r->code = taut_fail(r->context, TAUT_BAD_MODEL,
                                "%s:%d: %s; this is no XML (a .xacro file must be expanded first)", r->path, line_of(r),
                                XML_ErrorString(XML_GetErrorCode(r->parser)));
    }
}

static int read_file(reader *r)
{
    const char *why = NULL;
    FILE *file = r->parent ? taut_input_file(r->path, &why) : fopen(r->path, "rb"); /* a user may name a pipe */
    if (!file)
        return taut_fail(r->context, TAUT_CANNOT_READ, "cannot read '%s': %s; check the path", r->path,
                         why ? why : strerror(errno));
    r->parser = XML_ParserCreate(NULL);
    if (!r->parser) r->code = taut_fail(r->context, TAUT_OUT_OF_MEMORY, "out of memory");
    else {
        XML_SetUserData(r->parser, r);
        XML_SetElementHandler(r->parser, begin_element, end_element);
        XML_SetStartDoctypeDeclHandler(r->parser, begin_type);
        parse(r, file);
        XML_ParserFree(r->parser);
    }
    fclose(file);
    return r->code;
}

int xml_read(taut_context *context, const char *path, xml_node **root)
{
    size_t elements = 0;
    reader r = { .context = context, .path = path, .elements = &elements };
    int code = read_file(&r);
    *root = r.root;
    return code;
}

int xml_read_below(taut_context *context, const char *path, xml_node *parent, int depth, size_t *elements)
{
    reader r = { .context = context, .path = path, .elements = elements, .parent = parent, .depth = depth };
    return read_file(&r);
}
#else
int xml_read(taut_context *context, const char *path, xml_node **root)
{
    *root = NULL;
    return taut_fail(context, TAUT_CANNOT_READ, "cannot read '%s': this build has no XML (it was made without expat)",
                     path);
}

int xml_read_below(taut_context *context, const char *path, xml_node *parent, int depth, size_t *elements)
{
    (void)parent, (void)depth, (void)elements;
    return taut_fail(context, TAUT_CANNOT_READ, "cannot read '%s': this build has no XML (it was made without expat)",
                     path);
}
#endif
