/* Sessions of the public interface: what their files share. */
#ifndef TAUT_LIBRARY_SESSION_H
#define TAUT_LIBRARY_SESSION_H

#include "library/library.h"
#include "record/csv.h"

struct taut_session {
    taut_context *context;
    taut_simulation *z;          /* NULL: the run is finished */
    recorder *recorder;          /* NULL: there is no file */
    taut_session_spec spec;      /* callbacks and interrupt; strings of it are not kept */
    run_options options;
    int resumed;
    run_result from;             /* where a run is resumed */
    run_result result;           /* empty before the run */
    int ran, stopped;
    const char *meddled;         /* a call of the progress callback that it may not make */
    csv_out lines;
};

/* Without a simulation; release it after a failure, too. */
int taut_session_make(taut_context *context, const taut_session_spec *given, taut_session **result);
/* The numbers of the spec, and what the engine is made with. *until is kept where the spec has none. */
int taut_session_numbers(taut_session *s, engine_options *e);
/* A file that is new, where the spec has one. */
int taut_session_record(taut_session *s, const engine_options *e);

#endif
