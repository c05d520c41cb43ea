/* The checkpoint of a run file: written from an engine, and read into one. What is read may have been written by
   anyone: every number is looked at before it is used. Internal to this folder. */
#ifndef TAUT_RECORD_CHECKPOINT_H
#define TAUT_RECORD_CHECKPOINT_H

#include "record/reader.h"
#include "record/writer.h"
#include "run/run.h"

int taut_checkpoint_write(writer *w, const engine_api *api, void *engine, const run_result *so_far);
/* What was watched, as properties of the run, for readers. */
int taut_checkpoint_extremes(writer *w, const run_result *at);
/* Brings the engine to the checkpoint, and *from to what the run had done there (clear it with run_result_clear, also
   after a failure). Refuses counts out of their ranges, numbers that are not finite, modes that a contact does not
   have, a state whose energy and constraints are not those that the checkpoint tells, and a wrong checksum. */
int taut_checkpoint_read(record *r, const engine_api *api, void *engine, run_result *from);

#endif
