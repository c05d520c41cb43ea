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
/* Nonzero: the file is that of an ensemble (docs/ensembles.md), and its frames are kept values of members. */
TAUT_API int taut_file_is_ensemble(const taut_file *file);
/* Calls `take` for every member that is done, in their order; a status other than 0 ends it. */
TAUT_API int taut_file_members(taut_file *file, int (*take)(void *user, uint64_t member, int failed), void *user);
/* Looks at every frame: TAUT_CANNOT_READ where something else than numbers is in the file. */
TAUT_API int taut_file_check(taut_file *file);
/* Columns: how many, their names (NULL beyond the last), the index of a name (-1: none). */
TAUT_API size_t taut_file_columns(const taut_file *file);
TAUT_API const char *taut_file_column(const taut_file *file, size_t index);
TAUT_API long taut_file_find(const taut_file *file, const char *name);
/* A column: its kind (docs/run-file.md: "time", "coordinate", "velocity", ...), its unit, from those that the model
   names ("" where it is not known), and whether it is a length, as the coordinates of points are, or the velocity or
   momentum of one. */
typedef struct taut_column {
    size_t size;
    const char *name, *kind, *unit;
    int is_length;
} taut_column;
/* TAUT_BAD_USAGE beyond the last. Strings are valid until the file is closed. */
TAUT_API int taut_file_column_at(taut_file *file, size_t index, taut_column *column);
/* Frames that were committed when this was called; the file may still be written. */
TAUT_API int taut_file_frames(taut_file *file, size_t *count);
/* Values of some columns (NULL: all) in frames first .. first + count - 1, row by row; high has room for that. low, if
   not NULL, gets what lies beyond a double in a run of quad precision. What is not a number comes as NaN. */
TAUT_API int taut_file_read(taut_file *file, size_t first, size_t count, const size_t *columns, size_t column_count,
                            double *high, double *low);
/* The same, less the values in the first frame of the run: differences of all digits, before they are rounded. */
TAUT_API int taut_file_changes(taut_file *file, size_t first, size_t count, const size_t *columns, size_t column_count,
                               double *values);
/* The first frame at or after the time t (past nonzero: after it) of those that taut_file_frames counted; their number
   where there is none. */
TAUT_API int taut_file_find_frame(taut_file *file, double t, int past, size_t *frame);
/* Of an ensemble: how many moments its statistics have, and that of a column at one of them, without a histogram; its
   count is 0 where there is none, and numbers that are not in the file are NaN. */
TAUT_API int taut_file_moments(taut_file *file, size_t *count);
TAUT_API int taut_file_statistic(taut_file *file, size_t moment, size_t column, taut_statistic *statistic);
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

/* ---- what is drawn ----
   The picture of a run: shapes, and where their places are in any of its frames; what the page of a run animates, for
   renderers of yours. From the model's draw{...}, or guessed from its constraints and points. */
typedef struct taut_drawing taut_drawing;
/* Loads the model that the file has. meshes: the folder of the meshes that it draws; NULL: that of the file. A mesh
   that cannot be read is not drawn, and the log says so. Close the file after it. */
TAUT_API int taut_drawing_create(taut_file *file, const char *meshes, taut_drawing **result);
/* NULL is allowed. */
TAUT_API void taut_drawing_release(taut_drawing *drawing);

typedef struct taut_drawing_info {
    size_t size;
    size_t shapes, places;
    size_t moving;           /* places that depend on coordinates or time; the others are as in the first frame */
    const uint32_t *moves;   /* those, ascending */
    size_t omitted;          /* shapes that are left out, because there are too many */
    int flat;                /* nonzero: a picture of the plane, z is 0 everywhere */
    int guessed;             /* nonzero: the model has no draw{...} */
    const char *time_unit;   /* "" where the model names none */
} taut_drawing_info;
/* What it points to is valid as long as the drawing. */
TAUT_API void taut_drawing_about(const taut_drawing *drawing, taut_drawing_info *info);

/* Shapes, and their places. A half axis of a mesh has length 1, in the length of its file. */
enum {
    TAUT_SHAPE_BAR,          /* the ends */
    TAUT_SHAPE_SPRING,       /* the ends */
    TAUT_SHAPE_BALL,         /* the centre */
    TAUT_SHAPE_BOX,          /* the centre, the ends of its three half axes */
    TAUT_SHAPE_DISC,         /* the same, of two radii and half the thickness */
    TAUT_SHAPE_PATH,         /* the places on it */
    TAUT_SHAPE_SURFACE,      /* rows x columns places, row after row */
    TAUT_SHAPE_CYLINDER,     /* the ends of its axis */
    TAUT_SHAPE_CAPSULE,      /* the ends of its axis */
    TAUT_SHAPE_PLANE,        /* a place on it, the head of its normal */
    TAUT_SHAPE_GROUND,       /* the origin */
    TAUT_SHAPE_ARROW,        /* foot and head */
    TAUT_SHAPE_MESH,         /* as a box */
    TAUT_SHAPES
};
typedef struct taut_shape {
    size_t size;
    int type;                /* one of TAUT_SHAPE_* */
    const uint32_t *places;  /* rows x columns numbers of places */
    size_t rows, columns;
    double radius;           /* of balls, cylinders, capsules; 0: as large as looks well. The height of the ground */
    double scale;            /* of an arrow: its length for one unit; 0: as looks well */
    const char *colour, *label; /* NULL: none; a colour is a name of docs/model-language.md, or #rrggbb */
    const float *corners;    /* of a mesh: 9 numbers for each triangle, in its own axes */
    size_t triangles;
} taut_shape;
/* TAUT_BAD_USAGE beyond the last. */
TAUT_API int taut_drawing_shape(const taut_drawing *drawing, size_t index, taut_shape *shape);
/* All places of a frame, 3 numbers each, and its time; NaN where an expression has no value. */
TAUT_API int taut_drawing_places(taut_drawing *drawing, size_t frame, double *t, float *places);

/* ---- sessions ----
   A run from the start of a model to an end, as `taut run` makes it: it is watched (energy, constraints, conserved
   momenta), it fails where it computes nothing of the model any more, and it may be recorded in a file that has
   checkpoints: a session that was interrupted, or killed, goes on to the same bits. Numbers are given as strings, so
   that they have all digits of quad precision. */
typedef struct taut_session taut_session;

typedef struct taut_session_spec {
    size_t size;
    const char *method, *precision; /* as those of taut_options */
    const char *step, *until;       /* NULL: "0.01", "10" */
    const char *tolerance;          /* NULL: "0" */
    int start, active_set, native, threads; /* as those of taut_options */
    long every;                     /* a frame every so many steps, and one at the end; 0: 1 */
    const char *file;               /* a run file; NULL: none */
    int replace;                    /* nonzero: an existing file is replaced */
    /* Frames as lines of CSV with all columns and all digits, the first line with their names; of models with contacts
       also a line for each event. Whole lines, or pieces of long ones. It returns 0; another number ends the run with
       TAUT_CANNOT_WRITE. NULL: none. */
    int (*write)(void *user, const char *data, size_t size);
    /* Called now and then: steps that are done of all, and how much the energy has changed. It may read the simulation;
       where it changes it, the run ends with TAUT_BAD_USAGE. It must return. NULL: none. */
    void (*progress)(void *user, taut_simulation *simulation, long done, long steps, double energy_change);
    void *user;
    const volatile int *interrupt;  /* looked at after some steps and within long ones: nonzero ends the run, which is
                                       no failure. NULL: none */
    int takes_model;                /* nonzero: the caller's reference becomes that of the session, if the call
                                       succeeds. Where it is the only one, the model need not be copied */
} taut_session_spec;

/* Compiles the model and finds its start, and creates the file. spec may be NULL for the defaults. */
TAUT_API int taut_session_create(taut_context *context, taut_model *model, const taut_session_spec *spec,
                                 taut_session **result);
/* The session of a run file, where it was interrupted or failed: model and numbers are those of the file, which is
   locked. Of the spec are read: until (NULL: that of the file), native, threads, progress, interrupt. Where the run is
   finished, and until is NULL, there is nothing to do: the session has no simulation, and taut_session_run returns at
   once. */
TAUT_API int taut_session_open(taut_context *context, const char *path, const taut_session_spec *spec,
                               taut_session **result);
/* A member of the ensemble in a file, as a session of its own: it has all columns and, to the last bit, the numbers
   that the ensemble kept (unless it was made with `fast`). Model, method, step, tolerance and start are those of the
   file, until too where it is NULL. */
TAUT_API int taut_session_of_member(taut_context *context, const char *path, uint64_t member,
                                    const taut_session_spec *spec, taut_session **result);
/* NULL is allowed. */
TAUT_API void taut_session_release(taut_session *session);
/* Its simulation, to be read: it belongs to the session, and whoever changes it changes what is recorded. NULL where
   nothing is left to do. */
TAUT_API taut_simulation *taut_session_simulation(taut_session *session);
/* Runs to the end, once. On failure the state is that before the step that failed, and what was computed until then is
   recorded. */
TAUT_API int taut_session_run(taut_session *session);

typedef struct taut_session_info {
    size_t size;
    taut_value step, until;
    taut_value time;             /* of the state */
    long steps, steps_planned;   /* since the start of the model, and to the end */
    long steps_before;           /* of them, those that were done when the session was opened */
    int finished;                /* nothing is left to do */
    int stopped;                 /* by interrupt: 1 after a step, 2 within one, which was not made; otherwise 0 */
    long committed;              /* the step from which the file can be resumed; -1: none */
    long stride;                 /* quantities are looked at every so many steps, and in every frame */
    size_t watched;              /* quantities */
} taut_session_info;
TAUT_API void taut_session_about(const taut_session *session, taut_session_info *info);

/* What became of a quantity, of those that the model has: energy, constraints, conserved momenta, energy - work. */
typedef struct taut_watched {
    size_t size;
    const char *name;
    int kind;                    /* TAUT_ENERGY, TAUT_CONSTRAINT, TAUT_CONSTRAINT_RATE, TAUT_CONSERVED, or TAUT_WORK:
                                    energy - work, where forces or time change the energy */
    int conserved;               /* nonzero: exact motions do not change it */
    taut_value first, last, lowest, highest;
    taut_value slope;            /* its trend, by least squares, per unit of time */
} taut_watched;
/* TAUT_BAD_USAGE beyond the last. The name is valid as long as the session. */
TAUT_API int taut_session_watched(const taut_session *session, size_t index, taut_watched *watched);
/* One of its numbers as a string, as taut_digits has them. */
enum { TAUT_WATCHED_FIRST, TAUT_WATCHED_LAST, TAUT_WATCHED_LOWEST, TAUT_WATCHED_HIGHEST, TAUT_WATCHED_SLOPE };
TAUT_API int taut_session_digits(taut_session *session, size_t index, int which, char *buffer, size_t capacity);

/* ---- C code ----
   A model under a method as C11 for firmware and other programs, which needs nothing but the math functions of the C
   library (docs/compile.md). Its start is that of a simulation, and in double so is every bit of its steps. */
typedef struct taut_c_code taut_c_code;
typedef struct taut_c_spec {
    size_t size;
    const char *method;      /* with its options; NULL: "rattle" */
    const char *step;        /* the default, a macro of the header; NULL: "0.01" */
    const char *tolerance;   /* of the Newton iterations; NULL: "0" */
    int start;               /* TAUT_STRICT or TAUT_PROJECT */
    int single;              /* nonzero: float instead of double */
    const char *prefix;      /* begins all external names: a letter, then letters, digits and _, at most 40 in all;
                                NULL: "model" */
    const char *header;      /* the name of the file by which the source includes the header; NULL: "model.h" */
} taut_c_spec;
/* TAUT_UNSUPPORTED for models and methods that cannot be written so. spec may be NULL. */
TAUT_API int taut_c_create(taut_context *context, taut_model *model, const taut_c_spec *spec, taut_c_code **result);
/* NULL is allowed. */
TAUT_API void taut_c_release(taut_c_code *code);
/* The texts, with a zero behind them; *size, which may be NULL, is without it. Valid as long as the code. */
TAUT_API const char *taut_c_header(const taut_c_code *code, size_t *size);
TAUT_API const char *taut_c_source(const taut_c_code *code, size_t *size);

#ifdef __cplusplus
}
#endif
#endif
