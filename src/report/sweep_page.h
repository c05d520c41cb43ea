/* The page of an ensemble: a template (viewer/, ensemble) with its data put in. */
#ifndef TAUT_REPORT_SWEEP_PAGE_H
#define TAUT_REPORT_SWEEP_PAGE_H

#include <stdio.h>

#include "record/record.h"

/* Of many members the page has some; docs/report.md says how many. */
int taut_sweep_page_write(taut_context *context, record *r, const char *template_text, size_t template_size,
                          FILE *file);

#endif
