/* A run as `taut run` and `taut resume` do it. */
#ifndef TAUT_CLI_SESSION_H
#define TAUT_CLI_SESSION_H

#include "cli/inside.h"
#include "record/recorder.h"

typedef struct {
    taut_context *context;
    model *m;
    const engine_api *api;
    void *engine;
    run_options options;
    const char *method;
    const char *path;        /* of the run file; NULL: there is none */
    recorder *recorder;
    int csv, json, progress_shown;
    int native_asked;        /* --native is given: say so where there is none, whatever the reason */
    long steps_before;       /* done by the run that this one continues */
    double begun_work;           /* processor time when the run began */
    double begun, shown, looked; /* when the run began, the progress was shown, and the clock was read last */
    long look_every, look_in;    /* calls between looks at the clock, and until the next one */
} session;

/* The summary, as a document of --json. */
void session_answer(const session *z, const run_result *result, int status);

/* Fills the callbacks of z->options, by what is asked for. */
void session_prepare(session *z);
/* Runs, records, prints the summary. Returns an exit status. */
int session_run(session *z);
void session_clear(session *z);

/* The options that run and resume share. */
#define OPTION_NATIVE \
    { "native", 0, "auto|on|off", "steps as machine code: Taut's own, by the C compiler, or never (auto)", 0 }
#define OPTION_THREADS { "threads", 0, "N", "threads for the steps of large systems; the results are the same (1)", 0 }

#endif
