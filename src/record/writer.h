/* The run file, written. What is written becomes part of the file with the next commit, all at once; until then nobody sees it, and
   after a crash it was never there. One process writes to a file at a time: from create or open to close it is locked against others
   that want to write, not against readers. */
#ifndef TAUT_RECORD_WRITER_H
#define TAUT_RECORD_WRITER_H

#include "record/record.h"

typedef struct writer writer;

/* A new file. An existing one is refused, unless it is empty or, with replace, a run that nobody writes to. Begins the first transaction.
   quad: frames also keep the digits that a double has not. Columns are copied. */
int writer_create(taut_context *context, const char *path, int replace, const record_column *columns, size_t column_count, int quad,
                  writer **result);
/* An existing run, to go on with. */
int writer_open(taut_context *context, const char *path, writer **result);
/* What is not committed is gone. NULL is allowed. */
void writer_close(writer *w);

int writer_property(writer *w, const char *name, const char *value);
int writer_setting(writer *w, size_t number, const char *name, const char *value);
int writer_frame(writer *w, long step, const wide *values);
int writer_event(writer *w, const record_event *event);
/* The checkpoint's parts: a text, or numbers of 8 or 16 bytes. */
int writer_checkpoint_text(writer *w, const char *name, const char *value);
int writer_checkpoint_numbers(writer *w, const char *name, const void *numbers, size_t count, size_t size);
/* Removes the frames and events after a step. */
int writer_drop_after(writer *w, long step);
/* 0 after a failure that has cost what was not committed. */
int writer_is_whole(const writer *w);
/* *done is 0 when readers were in the way for longer than `wait` milliseconds: nothing is lost, try again. After a failure the writer is
   good for nothing but close; the file is as after the last commit. */
int writer_commit(writer *w, int wait, int *done);

#endif
