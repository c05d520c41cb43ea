/* An ensemble as `taut ensemble` and `taut resume` run it: progress, the closing summary. */
#ifndef TAUT_CLI_SWEEPING_H
#define TAUT_CLI_SWEEPING_H

#include "cli/inside.h"
#include "ensemble/sweep.h"

/* The spec of a command line. Strings and lists are those of the options and of this. */
typedef struct {
    sweep_spec spec;
    inside_definitions definitions;
    model *m;
    sample *sample;
    char *table;
} sweep_request;
/* Complains, and returns an exit status. */
int sweep_request_read(taut_context *context, const options *o, sweep_request *z);
void sweep_request_clear(sweep_request *z);
/* --threads; all processors otherwise. */
int sweep_threads_option(const options *o, int *threads);

/* Runs what is missing in the file (the sweep has been given it) and prints the summary. Returns an exit status. */
int sweep_session(taut_context *context, sweep *s, const sweep_spec *spec, const char *path);
/* `taut resume` of an ensemble. */
int sweep_resume(taut_context *context, taut_file *file, const char *path, const options *o);

extern const option_definition definitions_of_ensemble[];
extern const int ensemble_option_count;

#endif
