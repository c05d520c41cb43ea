/* A page of text, tables, plots and verdicts, written part by part into a template (viewer/dist/document.html).
 *
 *     document d;
 *     document_begin(&d, context, file, taut_template_document, taut_template_document_size, "Title", "one line");
 *     document_heading(&d, 2, "Results");
 *     document_table(&d, "caption", columns, 3);  document_row(&d, cells); ...  document_end_table(&d);
 *     document_plot(&d, "Work and precision", "evaluations", 1, "error", 1);
 *     document_series(&d, ...); ...  document_end_plot(&d);
 *     status = document_end(&d);
 *
 * Strings are UTF-8 of any content. Only begin and end can fail: document_end reports writing errors. */
#ifndef TAUT_REPORT_DOCUMENT_H
#define TAUT_REPORT_DOCUMENT_H

#include "base/context.h"
#include "report/json.h"

typedef struct {
    taut_context *context;
    json j;
    const char *rest;         /* of the template */
    size_t rest_size, columns;
} document;

typedef struct {
    const char *name;
    int right;                /* aligned so: numbers */
} document_column;

typedef enum { SERIES_LINE, SERIES_POINTS, SERIES_BOTH, SERIES_DASHED } series_style;
typedef enum { VERDICT_HOLDS, VERDICT_QUALIFIED, VERDICT_FAILS } verdict;

/* The template must live until the end. summary may be NULL. */
int taut_document_begin(document *d, taut_context *context, FILE *file, const char *template_text, size_t template_size,
                   const char *title, const char *summary);
int taut_document_end(document *d);

void taut_document_heading(document *d, int level, const char *text); /* level 2 or 3 */
void taut_document_text(document *d, const char *text);
void taut_document_source(document *d, const char *text);             /* Lua */

/* caption may be NULL */
void taut_document_table(document *d, const char *caption, const document_column *columns, size_t count);
void taut_document_row(document *d, const char *const *cells);        /* as many as columns */
void taut_document_end_table(document *d);

void taut_document_plot(document *d, const char *title, const char *x_label, int x_log, const char *y_label, int y_log);
/* What is not finite is a gap. */
void taut_document_series(document *d, const char *label, series_style style, const double *x, const double *y,
                     size_t count);
void taut_document_end_plot(document *d);

void taut_document_verdicts(document *d);
void taut_document_verdict(document *d, verdict v, const char *claim, const char *remark); /* remark may be NULL */
void taut_document_end_verdicts(document *d);

/* Animations side by side. In between, write to d->j: page_picture, then "still" (all places, json_floats) and the list
   "runs" of objects with label, failure (or null), t (a list) and motion (moving places, frame by frame). */
void taut_document_motion(document *d, const char *title, const char *label);
void taut_document_end_motion(document *d);

#endif
