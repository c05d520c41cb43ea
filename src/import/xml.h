/* XML files as trees. Files of strangers are read: no document types (so no entities), and limits on size, depth and
   number of elements. */
#ifndef TAUT_IMPORT_XML_H
#define TAUT_IMPORT_XML_H

#include <stddef.h>

#include "base/context.h"

typedef struct xml_node {
    char *name;
    char **attributes;  /* name, value, ..., NULL */
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

/* NULL where there is none. */
const char *xml_attribute(const xml_node *node, const char *name);
int xml_is(const xml_node *node, const char *name);
/* Takes a node out of its parent. */
void xml_detach(xml_node *node);

#endif
