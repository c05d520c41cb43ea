/* The page of a comparison: a table, plots, and the runs side by side. */
#ifndef TAUT_REPORT_COMPARE_PAGE_H
#define TAUT_REPORT_COMPARE_PAGE_H

#include <stdio.h>

#include "report/compare_trace.h"

int taut_compare_page(const model *m, const engine_api *api, const compare_options *options,
                      const compare_result *result, const compare_trace *trace, FILE *file);

#endif
