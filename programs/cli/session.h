/* A run as `taut run`, `taut resume` and `taut replay` make it. */
#ifndef TAUT_CLI_SESSION_H
#define TAUT_CLI_SESSION_H

#include "cli/cli.h"

typedef struct {
    taut_context *context;
    taut_session *session;
    taut_session_spec spec;
    taut_session_info info;
    taut_simulation *simulation; /* that of the session */
    taut_simulation_info about;
    const char *model;       /* the name of its file */
    wide step, until;        /* as given */
    const char *path;        /* of the run file; NULL: there is none */
    int csv, json, progress_shown;
    int output_error;        /* of writing frames */
    int native_asked;        /* --native is given: say so where there is none, whatever the reason */
    int resumed;
    double begun_work;           /* processor time when the run began */
    double begun, shown, looked; /* when the run began, the progress was shown, and the clock was read last */
    long look_every, look_in;    /* calls between looks at the clock, and until the next one */
} session;

extern const char *const event_names[5];

/* The options that all have: --csv, -o, --force, --every, --native, --threads. Returns an exit status. */
int session_options(session *z, const options *o);
/* What becomes of frames, messages and signals; path is that of the run file. */
void session_prepare(session *z, const char *path);
/* Complains that there is a run file of this name, if there is one that is not to be replaced. */
int session_refuse_file(const session *z, const char *advice);
/* Runs, records, prints the summary. Returns an exit status. */
int session_run(session *z);
/* The summary, as a document of --json. */
void session_answer(const session *z, int status);
void session_clear(session *z);

/* The fastest frequency at the state, where steps are longer than its method is stable with; otherwise 0, also for
   systems where looking would take as long as many steps. */
double unstable_frequency(taut_simulation *simulation, double step);
/* Warns of it, if it is not 0. `at`: where it was looked for. */
void tell_stability(const taut_simulation *simulation, const char *at, double frequency);

#endif
