/* Records a run loop: writes frames and checkpoints into a run file, and reads them back to continue the run. */
#ifndef TAUT_RECORD_RECORDER_H
#define TAUT_RECORD_RECORDER_H

#include "record/record.h"
#include "run/run.h"

typedef struct recorder recorder;

/* Everything needed to start the run again. */
typedef struct {
    const model *m;
    const definition *definitions;
    size_t definition_count;
    const engine_api *api;
    const engine_options *engine;
    const run_options *run;       /* step, until, every */
} recorder_subject;

/* Creates a run file. replace: see writer_create. */
int taut_recorder_create(taut_context *context, const char *path, int replace, const recorder_subject *subject,
                         void *engine, recorder **result);
/* Opens an existing run file and locks it for writing. Then create model and engine from recorder_record, and
   restore. */
int taut_recorder_open(taut_context *context, const char *path, recorder **result);
const record *taut_recorder_record(const recorder *r);
/* Brings the engine, which must be new, to the checkpoint. *from (clear it with run_result_clear) is for run_options.
   Frames after the checkpoint, which a failure may have left, are removed and computed again. The end becomes until. */
int taut_recorder_restore(recorder *r, const engine_api *api, void *engine, wide until, run_result *from);
/* NULL is allowed. What is not committed is lost. */
void taut_recorder_close(recorder *r);

/* For run_options: a frame, and what follows every step. Commits when it is time. Values are of the engine's
   precision. */
int taut_recorder_frame(recorder *r, const void *values);
int taut_recorder_after_step(recorder *r, const run_result *so_far);
/* An event within the current step, and the frame just after it, if there is one. */
int taut_recorder_event(recorder *r, wide t, const char *name, const char *kind, wide impulse, const void *values);
/* Ends the run with its status; the error message in the context is kept. Commits everything, but no new checkpoint
   after a failure: a resumed run continues from the one before, and fails again if the model is the cause. */
int taut_recorder_finish(recorder *r, const run_result *result, int status);

/* The time between commits, in seconds, which a crash may lose. It begins small and doubles up to `most` (default 1); a
   slow commit makes it longer, so that commits never take more than about a tenth of the time. */
void taut_recorder_interval(recorder *r, double first, double most);
/* The last committed step. */
long taut_recorder_committed(const recorder *r);

#endif
