/* The first commit of a new file. Its contents are put together in memory, and written to the empty file as they are:
   SQLite would copy them to its cache, page by page. Locks, journal and syncs are SQLite's: the file is locked by a
   transaction of the connection that writes nothing, and the calls are those of its VFS, in the order of a commit of
   SQLite (https://www.sqlite.org/atomiccommit.html). Internal to this folder. */
#ifndef TAUT_RECORD_FILL_H
#define TAUT_RECORD_FILL_H

#include "record/database.h"

/* Locks an empty file against other writers, until it is filled or the connection is closed. */
int taut_fill_lock(const database *d, int page_size);
/* Fills the locked file with a database (whose counts of changes are set), which is then on the disk, and unlocks it.
   *done is 0 when readers were in the way for longer than `wait` milliseconds; the file is then still locked. After a
   failure the file is empty, or will be when it is next read; the connection can only be closed. */
int taut_fill(const database *d, unsigned char *bytes, sqlite3_int64 size, int wait, int *done);

#endif
