/* XML files as trees. Files of strangers are read: no document types (so no entities), and limits on size, depth and
   number of elements. A tree notes which of its elements and attributes were asked for; `unread.h` lists the others. */
#ifndef TAUT_IMPORT_XML_H
#define TAUT_IMPORT_XML_H

#include <stddef.h>

#include "base/context.h"

typedef struct xml_node {
    char *name;
    char **attributes;  /* name, value, ..., NULL */
    unsigned char *read; /* per attribute, then for the element itself: was it asked for? */
    size_t count;        /* of attributes */
    int line;
    struct xml_node *parent, *first, *last, *next;
} xml_node;

#define XML_BYTES_MOST (64u << 20)
#define XML_DEPTH_MOST 400
#define XML_ELEMENTS_MOST 1000000u

/* Reads a file. Returns a status; the context has the text of a failure. *root is to be freed by xml_free. */
int xml_read(taut_context *context, const char *path, xml_node **root);
/* `elements`: how many there are already, of the limit; it is added to. The new tree goes below `parent`, which is
   `depth` elements deep. */
int xml_read_below(taut_context *context, const char *path, xml_node *parent, int depth, size_t *elements);
void xml_free(xml_node *root);

/* NULL where there is none. It counts as read from now on; so does an element that has the name it is asked for. */
const char *xml_attribute(const xml_node *node, const char *name);
int xml_is(const xml_node *node, const char *name);
/* The next ones do not count as reading. */
const char *xml_peek(const xml_node *node, const char *name);
int xml_is_named(const xml_node *node, const char *name);
int xml_was_read(const xml_node *node, size_t attribute); /* node->count: the element itself */
/* The element with its attributes, or with all below it, too, counts as read. */
void xml_mark(const xml_node *node);
void xml_mark_all(const xml_node *node);
/* Adds an attribute that counts as not read. Non-zero when memory is out. */
int xml_add(xml_node *node, const char *name, const char *value);
/* Takes a node out of its parent. */
void xml_detach(xml_node *node);

#endif
