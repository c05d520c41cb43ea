/* The page of taut compare --report. */
#ifndef TAUT_CLI_COMPARE_PAGE_H
#define TAUT_CLI_COMPARE_PAGE_H

#include "run/compare.h"

/* Writes the page; complains when it cannot. Returns an exit status. */
int compare_page(const char *path, const model *m, const engine_api *api, const compare_options *options,
                 const compare_result *result);

#endif
