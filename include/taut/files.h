/* Run files, pages, exports. taut.h includes it. */
#ifndef TAUT_FILES_H
#define TAUT_FILES_H

#include "taut/taut.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- run files (docs/run-file.md) and pages ---- */

typedef struct taut_file taut_file;
TAUT_API int taut_file_open(taut_context *context, const char *path, taut_file **result);
/* NULL is allowed. */
TAUT_API void taut_file_close(taut_file *file);
/* "title", "model", "source", "method", "precision", "step", "until", "every", "status" ("running", "stopped",
   "finished", "failed"), "message", ...; NULL where there is none. Valid until the file is closed. */
TAUT_API const char *taut_file_property(const taut_file *file, const char *name);
/* Columns: how many, their names (NULL beyond the last), the index of a name (-1: none). */
TAUT_API size_t taut_file_columns(const taut_file *file);
TAUT_API const char *taut_file_column(const taut_file *file, size_t index);
TAUT_API long taut_file_find(const taut_file *file, const char *name);
/* Frames that were committed when this was called; the file may still be written. */
TAUT_API int taut_file_frames(taut_file *file, size_t *count);
/* Values of some columns (NULL: all) in frames first .. first + count - 1, row by row; high has room for that. low, if
   not NULL, gets what lies beyond a double in a run of quad precision. What is not a number comes as NaN. */
TAUT_API int taut_file_read(taut_file *file, size_t first, size_t count, const size_t *columns, size_t column_count,
                            double *high, double *low);
/* Events of contacts. contact and kind are valid until the next call; impulse is NaN where there is none. */
typedef struct taut_file_event {
    size_t size; /* sizeof(taut_file_event) */
    long step;
    double time, impulse;
    const char *contact, *kind;
} taut_file_event;
TAUT_API int taut_file_events(taut_file *file, size_t *count);
TAUT_API int taut_file_event_at(taut_file *file, size_t index, taut_file_event *event);
/* The page of a run (docs/report.md): one HTML file, given to `write` in pieces. `write` returns 0; another number ends
   it with TAUT_CANNOT_WRITE. */
TAUT_API int taut_page(taut_file *file, int (*write)(void *user, const char *data, size_t size), void *user);
/* The same of a part of the run; an ensemble has no parts, and its page is whole. */
typedef struct taut_page_options {
    size_t size;
    const double *from, *to; /* the first and the last time; NULL: of the run */
    long every;              /* every K-th frame of them; 0: 1 */
    const char *meshes;      /* the folder of the meshes that the model draws; NULL: that of the run file */
} taut_page_options;
TAUT_API int taut_page_part(taut_file *file, const taut_page_options *options,
                            int (*write)(void *user, const char *data, size_t size), void *user);
/* The run in another format, which the end of the name says: one of taut_export_ending. An existing file is replaced
   when the new one is complete. docs/run-file.md describes the formats. */
typedef struct taut_export {
    size_t size;
    const size_t *columns;   /* in this order, for .csv and HDF5; NULL: all */
    size_t column_count;     /* with columns NULL: not read */
    long every;              /* every K-th frame, from the first; 0: 1 */
} taut_export;
/* what may be NULL: everything. */
TAUT_API int taut_file_export(taut_file *file, const char *path, const taut_export *what);
/* ".csv", ".h5", ".hdf5", ".xyz"; NULL beyond the last. */
TAUT_API const char *taut_export_ending(size_t index);

#ifdef __cplusplus
}
#endif
#endif
