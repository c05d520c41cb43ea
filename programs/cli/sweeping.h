/* An ensemble as `taut ensemble`, `taut resume` and taut-mpi run it. */
#ifndef TAUT_CLI_SWEEPING_H
#define TAUT_CLI_SWEEPING_H

#include "cli/cli.h"

/* What a command line asks for. Strings and lists are those of the options and of this. */
typedef struct {
    definitions definitions;
    taut_model *model;
    taut_options options;
    taut_members_spec spec;
    const char *laws[OPTIONS_MOST];
    char *table;
} sweep_request;
/* Complains, and returns an exit status. */
int sweep_request_read(taut_context *context, const options *o, sweep_request *z);
/* The members of the request, in the file of its spec. Complains, and returns an exit status. */
int sweep_request_create(taut_context *context, const sweep_request *z, taut_members **members);
void sweep_request_clear(sweep_request *z);

/* --threads; all processors otherwise. */
int sweep_threads_option(const options *o, int *threads);

/* Runs what is missing in the file and prints the summary. Returns an exit status. */
int sweep_session(taut_context *context, taut_members *members, const char *path);
/* `taut resume` of an ensemble. */
int sweep_resume(taut_context *context, taut_file *file, const char *path, const options *o);

extern const option_definition definitions_of_ensemble[];
extern const int ensemble_option_count;

#endif
