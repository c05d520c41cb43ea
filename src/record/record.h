/* Reads the run file. docs/run-file.md describes the layout. Reading works while a run is being written: it sees the
   frames committed so far. */
#ifndef TAUT_RECORD_RECORD_H
#define TAUT_RECORD_RECORD_H

#include "base/context.h"
#include "base/wide.h"

/* Version of the layout; a file of a later one is refused. */
#define RECORD_APPLICATION 0x54617574 /* "Taut" */
#define RECORD_VERSION 1

typedef struct record record;

/* A column of the frames. kind: time, coordinate, velocity, momentum, multiplier, energy, work, constraint,
   velocity_constraint, conserved, observable, or another word in runs of a later Taut. */
typedef struct {
    const char *name;
    const char *kind;
} record_column;

/* An event between frames (contacts). impulse is NaN where there is none. */
typedef struct {
    long step;
    double t;
    const char *name, *kind;
    double impulse;
} record_event;

/* Refuses what is not a run with a message that says so. */
int taut_record_open(taut_context *context, const char *path, record **result);
/* NULL is allowed. */
void taut_record_close(record *r);

/* As it was given. */
const char *taut_record_path(const record *r);

/* A property of the run as a string, or NULL: taut, model (file name), source, title, method, precision, step, until,
   every, tolerance, start, status (running, stopped, finished, failed), message, created ... Valid until the record is
   closed. */
const char *taut_record_property(const record *r, const char *name);
/* The settings of the model, in their order. */
size_t taut_record_setting_count(const record *r);
void taut_record_setting(const record *r, size_t index, const char **name, const char **value);

size_t taut_record_column_count(const record *r);
const record_column *taut_record_columns(const record *r);
/* Number of the column with this name, or -1. */
long taut_record_column_find(const record *r, const char *name);

/* Frames committed when the record was opened, or at the last refresh. */
long taut_record_frame_count(const record *r);
int taut_record_refresh(record *r);
/* Values of some columns in frames first .. first + count - 1, frame by frame: values[i * column_count + k]. What is
   not a number comes back as NaN. A call reads at one instant; a long table is better read in pieces of some thousand
   frames. */
int taut_record_read(record *r, long first, long count, const size_t *columns, size_t column_count, double *values);
/* The same without the rounding to double of a run in quad. */
int taut_record_read_wide(record *r, long first, long count, const size_t *columns, size_t column_count, wide *values);
/* Numbers of the steps that the frames belong to. */
int taut_record_read_steps(record *r, long first, long count, long *steps);

/* Refuses a file with something else than numbers in `frames`, also in columns that the caller does not read. It looks at
   every frame. */
int taut_record_check_cells(const record *r);

/* All events in their order. The array and its strings belong to the record, until the next call. */
int taut_record_events(record *r, const record_event **events, size_t *count);

#endif
