/* A run loop that is recorded: frames and checkpoints on their way into a run file, and back out of it to go on. */
#ifndef TAUT_RECORD_RECORDER_H
#define TAUT_RECORD_RECORDER_H

#include "record/record.h"
#include "run/run.h"

typedef struct recorder recorder;

/* What a run was started with: all that it takes to start it again. */
typedef struct {
    const model *m;
    const definition *definitions;
    size_t definition_count;
    const engine_api *api;
    const engine_options *engine;
    const run_options *run;       /* step, until, every */
} recorder_subject;

/* A new run file, with the start values committed to it by the first recorder_after_step. replace: see writer_create. */
int recorder_create(taut_context *context, const char *path, int replace, const recorder_subject *subject, void *engine, recorder **result);
/* An existing one, locked for going on. Then: make model and engine of what recorder_record says, and restore. */
int recorder_open(taut_context *context, const char *path, recorder **result);
const record *recorder_record(const recorder *r);
/* Takes the engine, which must be new, to the checkpoint. *from (clear it with run_result_clear) is for run_options. Frames after the
   checkpoint, which a failure may have left, are taken back: they will be computed again. The end becomes until. */
int recorder_restore(recorder *r, const engine_api *api, void *engine, wide until, run_result *from);
/* NULL is allowed. What is not committed is gone. */
void recorder_close(recorder *r);

/* For run_options: a frame, and what follows every step. Commits when it is time. */
int recorder_frame(recorder *r, const wide *values);
int recorder_after_step(recorder *r, const run_result *so_far);
/* Something that happened within the step that is under way, and the frame just after it, if there is one. */
int recorder_event(recorder *r, wide t, const char *name, const char *kind, wide impulse, const wide *values);
/* The end, with the status of the run; what it said is in the context, and stays there. Commits everything, but no new checkpoint after a
   failure: a resumed run goes on from the one before, and meets the failure again if it is one of the model. */
int recorder_finish(recorder *r, const run_result *result, int status);

/* Seconds of computing that may be at risk: the time between commits. It begins small and doubles up to `most`; a commit that takes long
   makes it longer, so that commits never take more than about a tenth of the time. 1 unless set. */
void recorder_interval(recorder *r, double first, double most);
/* The last step that is safe. */
long recorder_committed(const recorder *r);

#endif
