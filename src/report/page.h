/* The page of a run: a template (viewer/) with the run's data put in. */
#ifndef TAUT_REPORT_PAGE_H
#define TAUT_REPORT_PAGE_H

#include <stdio.h>

#include "record/record.h"
#include "report/json.h"
#include "report/mesh.h"
#include "report/picture.h"

/* Where the data goes in a template. */
#define PAGE_MARK "<!--TAUT DATA-->"

/* The shapes of a picture, as an object "picture". Frames of its animation: the first `dense` without gaps, then every
   so manyth. meshes: per shape, or NULL. */
void taut_page_picture(json *j, const picture *p, long frames, long dense, long every, const mesh *meshes);

/* The mark in a template, or NULL. */
const char *taut_page_mark(const char *template_text, size_t template_size);
/* Writes the page of a run. Everything is read and computed before the first byte is written. docs/report.md describes
   the data. */
int taut_page_write(taut_context *context, record *r, const char *template_text, size_t template_size, FILE *file);
/* The same of a part of the run: frames from .. to (times; -INFINITY and INFINITY: all), every K-th of them. No frame
   in it is an error. */
typedef struct {
    double from, to;
    long every;
    const char *meshes; /* the folder of the meshes; NULL: beside the run file */
} page_part;
int taut_page_write_part(taut_context *context, record *r, const page_part *part, const char *template_text,
                         size_t template_size, FILE *file);

#endif
