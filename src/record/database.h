/* SQLite as this folder uses it: a connection with a name, and messages for its failures. Internal to this folder. */
#ifndef TAUT_RECORD_DATABASE_H
#define TAUT_RECORD_DATABASE_H

#include <sqlite3.h>

#include "base/context.h"
#include "base/sha256.h"

typedef struct {
    taut_context *context;
    sqlite3 *handle;
    char *path;
    int writes;     /* opened to be written to: failures are then of that */
} database;

/* flags as of sqlite3_open_v2. On failure closing is allowed, and does nothing. */
int taut_database_open(taut_context *context, const char *path, int flags, database *d);
void taut_database_close(database *d);
/* Statements end with TAUT_STOPPED when the context is asked to stop: for reading, what is written must be finished. */
void taut_database_stoppable(const database *d);

/* The last failure as a status with a message: what it means for a run file, and what to do. */
int taut_database_fail(const database *d);
/* The same for a code of SQLite, which may be an extended one, and a number of the system (0: none). */
int taut_database_fail_as(const database *d, int code, int number);
/* The failure of a file that is no longer where it was. */
int taut_database_moved(const database *d);
/* Runs statements without results. */
int taut_database_run(const database *d, const char *sql);
/* The same for a formatted string (sqlite3_mprintf: %w within quotes for names, %Q for strings). */
int taut_database_run_format(const database *d, const char *format, ...);
int taut_database_prepare(const database *d, const char *sql, sqlite3_stmt **statement);
/* A step of a statement that has results: 1 there is a row, 0 there is none (left), -1 failed (the message is set). */
int taut_database_row(const database *d, sqlite3_stmt *statement);
/* Runs a statement without results, and resets it. */
int taut_database_do(const database *d, sqlite3_stmt *statement);
/* The first column of the first row as a whole number; otherwise if there is none or it is NULL. */
int taut_database_number(const database *d, const char *sql, long otherwise, long *value);

/* Refuses a file that is not a run, or one of a later version. empty: nothing was ever written to it. */
int taut_database_check(const database *d, int *empty);

/* Adds an entry, a name and its bytes, to a checksum. */
void taut_record_sum(sha256 *sum, const char *name, const void *bytes, size_t size);

/* Converts numbers between the file (little-endian) and this machine. */
void taut_little_endian(void *to, const void *from, size_t count, size_t size);

#endif
