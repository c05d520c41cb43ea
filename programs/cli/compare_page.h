/* The page of taut compare --report. */
#ifndef TAUT_CLI_COMPARE_PAGE_H
#define TAUT_CLI_COMPARE_PAGE_H

#include "cli/compare_trace.h"

/* Writes the page; complains when it cannot. Returns an exit status. */
int compare_page(const char *path, const model *m, const engine_api *api, const compare_options *options,
                 const compare_result *result, const compare_trace *trace);

#endif
