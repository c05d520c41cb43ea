/* What of a description nobody asked for, as comments of its model: nothing is dropped in silence. What is known to
   make no difference to the motion is named in a line for each reason; everything else is left out, line by line. */
#ifndef TAUT_IMPORT_UNREAD_H
#define TAUT_IMPORT_UNREAD_H

#include <stdio.h>

#include "import/xml.h"

typedef struct {
    const char *element;    /* "*": any */
    const char *attributes; /* names with blanks between them; "*": any; NULL: the element with all below it */
    int reason;             /* one of the list of reasons */
    const char *parent;     /* NULL: any */
} unread_known;

/* Writes the comments and adds to *left_out what counts as left out. Non-zero when memory is out. */
int taut_unread_write(FILE *f, const xml_node *root, const unread_known *known, size_t count,
                      const char *const *reasons, int *left_out);

#endif
