/* A run in other formats. The file appears under its name when it is complete. */
#ifndef TAUT_RECORD_EXPORT_H
#define TAUT_RECORD_EXPORT_H

#include "record/record.h"

typedef struct {
    const size_t *columns;  /* indices, in the order of the output */
    size_t column_count;
    long every;             /* every K-th frame, from the first */
} export_options;

/* Byte for byte what a run writes as CSV, when all columns and frames are exported. */
int taut_export_csv(taut_context *context, record *r, const char *path, const export_options *options);
/* HDF5: a dataset per column, the properties of the run as attributes. docs/run-file.md says how large systems are
   kept. */
int taut_export_hdf5(taut_context *context, record *r, const char *path, const export_options *options);
/* Extended XYZ: the points of the model, with velocities; columns are not chosen. */
int taut_export_xyz(taut_context *context, record *r, const char *path, const export_options *options);

/* ---- for the formats themselves ---- */

/* Calls back for blocks of the table: count frames in values, frame by frame. */
typedef int (*export_piece)(void *user, const wide *values, long first, long count);
int taut_export_read(taut_context *context, record *r, const export_options *options, export_piece piece, void *user);
long taut_export_frame_count(const record *r, const export_options *options);
/* The name under which a file is written until it is complete; NULL without memory. Then it is moved to its place, or
   after a failure removed; returns the status. */
char *taut_export_begin(taut_context *context, const char *path);
int taut_export_end(taut_context *context, char *part, const char *path, int status);

#endif
