/* Many frames inserted at once. SQLite takes some 10,000 instructions to bind, encode and insert a row of thirty
   numbers; it takes a third of that to copy a finished row from one table to another of the same definition. So the
   frames are laid out in memory as a table of a second database, in the documented file format of SQLite
   (https://www.sqlite.org/fileformat2.html), and copied by one statement. Internal to this folder. */
#ifndef TAUT_RECORD_STAGE_H
#define TAUT_RECORD_STAGE_H

#include <stdint.h>

#include "record/database.h"

typedef struct {
    unsigned char *image;
    size_t capacity;
} stage;

/* Frames in memory: row after row, each its step (an int64_t) and `width` doubles. Their numbers in the file begin with
   `first`. */
typedef struct {
    const unsigned char *rows;
    size_t count, width;
    int64_t first;
} stage_rows;

#define STAGE_LIMIT 8 /* of stages attached at one time; SQLite allows ten databases */

/* 1 when rows of this table, whose definition is given, can be laid out: they and the definition must fit a page. */
int taut_stage_suits(const char *definition, size_t width);
/* Attaches the frames as number `number` of the stages and copies them into frames. The memory of the stage is in use
   until it is detached, which must wait until the transaction is over. A stage that SQLite does not take is no failure:
   then nothing was copied. *attached is -1 after a failure that leaves the connection unfit for anything but closing:
   SQLite has let go of one database and had no memory to open the stage in its place. */
int taut_stage_copy(database *d, stage *s, int number, const char *definition, const stage_rows *rows, int *attached,
                    int *copied);
int taut_stage_detach(database *d, int number);
/* When it is detached, or the database is closed. */
void taut_stage_clear(taut_context *context, stage *s);

#endif
