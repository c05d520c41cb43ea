/* For the subcommands that use more of the library than taut.h. */
#ifndef TAUT_CLI_INSIDE_H
#define TAUT_CLI_INSIDE_H

#include "cli/cli.h"
#include "run/engine.h"
#include "run/progress.h"

/* The -D definitions as models read them. */
typedef struct {
    definitions given;
    definition items[OPTIONS_MOST];
} inside_definitions;
/* As load_model; the model belongs to the caller (taut_model_free). */
int inside_load(taut_context *context, const char *path, inside_definitions *d, model **m);

/* What computations inside the library write; NULL of NULL. */
run_progress *inside_progress(taut_progress *progress);

/* As precision_option and start_option. */
int inside_precision(const options *o, const engine_api **api);
int inside_start(const options *o, int as_is, start_mode *mode);
/* The fastest frequency at the state of an engine, where steps are longer than its method is stable with; otherwise 0,
   also for systems where looking would take as long as many steps. */
double inside_unstable(const engine_api *api, void *engine, wide step);
/* Warns of it, if it is not 0. `at`: where it was looked for. */
void inside_tell_stability(const engine_api *api, const void *engine, const char *at, double frequency);

#endif
