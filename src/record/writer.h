/* Writes the run file. What is written becomes part of the file with the next commit, all at once; until then no reader
   sees it, and after a crash it is lost. One process writes to a file at a time: from create or open to close it is
   locked against other writers, not against readers. */
#ifndef TAUT_RECORD_WRITER_H
#define TAUT_RECORD_WRITER_H

#include "record/record.h"

typedef struct writer writer;

/* Creates a new file. An existing one is refused, unless it is empty or, with replace, a run that no process writes.
   Begins the first transaction. quad: frames also keep the digits beyond a double. frames: how many to expect; a file
   that will be large gets larger pages. Columns are copied. */
int taut_writer_create(taut_context *context, const char *path, int replace, const record_column *columns,
                       size_t column_count, int quad, double frames, writer **result);
/* The file of an ensemble. What is written is then in a transaction of the file from the first on; that of a run is in
   memory until the first commit. */
int taut_writer_create_sweep(taut_context *context, const char *path, int replace, const record_column *columns,
                             size_t column_count, double frames, writer **result);
/* Opens an existing run, to continue it. */
int taut_writer_open(taut_context *context, const char *path, writer **result);
/* What is not committed is lost. NULL is allowed. */
void taut_writer_close(writer *w);

int taut_writer_property(writer *w, const char *name, const char *value);
int taut_writer_setting(writer *w, size_t number, const char *name, const char *value);
/* Values are doubles, or wide numbers in quad. */
int taut_writer_frame(writer *w, long step, const void *values);
int taut_writer_event(writer *w, const record_event *event);
/* Entries of the checkpoint: a string, or numbers of 8 or 16 bytes. They stand between begin and end, which adds a
   checksum of them all, in their order. */
void taut_writer_checkpoint_begin(writer *w);
int taut_writer_checkpoint_end(writer *w);
int taut_writer_checkpoint_text(writer *w, const char *name, const char *value);
int taut_writer_checkpoint_numbers(writer *w, const char *name, const void *numbers, size_t count, size_t size);
/* Removes the frames and events after a step. */
int taut_writer_drop_after(writer *w, long step);
const char *taut_writer_path(const writer *w);
/* 1 when so many frames wait in memory that it is time to commit. */
int taut_writer_is_full(const writer *w);
/* 0 after a failure that lost what was not committed. */
int taut_writer_is_whole(const writer *w);
/* *done is 0 when readers blocked it for longer than `wait` milliseconds: nothing is lost, try again. After a failure
   the writer can only be closed; the file is as after the last commit. */
int taut_writer_commit(writer *w, int wait, int *done);
/* The same, and these statements before the next transaction begins. */
int taut_writer_commit_with(writer *w, const char *sql, int *done);

#endif
