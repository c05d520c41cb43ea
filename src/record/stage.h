/* Many frames inserted at once. SQLite takes some 10,000 instructions to bind, encode and insert a row of thirty
   numbers; it takes a quarter of that to copy a finished row from one table to another of the same definition. So the
   frames are laid out in memory as a table of a second database, in the documented file format of SQLite
   (https://www.sqlite.org/fileformat2.html), and copied by one statement. Internal to this folder. */
#ifndef TAUT_RECORD_STAGE_H
#define TAUT_RECORD_STAGE_H

#include <stdint.h>

#include "record/database.h"

/* A leaf under construction: rows from its end downwards, their places from its begin upwards. */
typedef struct {
    uint32_t page, count, content; /* page: its number among the leaves, from 0 */
} stage_leaf;

/* Zero at first: empty. */
typedef struct {
    unsigned char *image;    /* pages: room for what stands before the leaves, and the leaves */
    size_t capacity;         /* bytes */
    uint32_t page, front;    /* bytes of a page, 0: not chosen yet; pages before the leaves, at least */
    size_t start;            /* bytes before the leaves */
    int many;                /* rows are to be expected */
    size_t count;            /* rows */
    int64_t first;           /* number of the first */
    stage_leaf leaf;         /* the last one */
} stage;

#define STAGE_LIMIT 8 /* of stages attached at one time; SQLite allows ten databases */

#define STAGE_FRONT 32 /* pages that a database may have to which taut_stage_join adds the rows */

/* 1 when rows of this table, whose definition is given, can be laid out: they and the definition must fit a page (0: of
   the size that a stage chooses). */
int taut_stage_suits(const char *definition, size_t width, size_t page);
/* Before the first row: pages of this size, for taut_stage_join; and whether there will be many rows. */
void taut_stage_pages(stage *s, uint32_t page, int many);
/* Adds a row: the number of the frame, one more than that of the row before; the step; `width` doubles. */
int taut_stage_add(taut_context *context, stage *s, int64_t frame, int64_t step, const double *values, size_t width);
size_t taut_stage_size(const stage *s);
/* 1 when no further leaf can be listed: the next row needs an empty stage. */
int taut_stage_is_full(const stage *s);
/* Row after row from the first: *at is zero before the first call, and is not to be looked at. What is not a number
   comes back as NaN. */
void taut_stage_next(const stage *s, stage_leaf *at, int64_t *step, double *values, size_t width);
/* No rows; the memory stays. */
void taut_stage_empty(stage *s);
/* Attaches the rows as number `number` of the stages and copies them into frames. The memory of the stage is in use
   until it is detached, which must wait until the transaction is over. A stage that SQLite does not take is no failure:
   then nothing was copied. *attached is -1 after a failure that leaves the connection unfit for anything but closing:
   SQLite has let go of one database and had no memory to open the stage in its place. */
int taut_stage_copy(database *d, stage *s, int number, const char *definition, int *attached, int *copied);
int taut_stage_detach(database *d, int number);
/* A database (serialized), in which frames has the page `root`, and the rows: no row is copied, the pages stand before
   the leaves, in the memory of the stage. *size becomes that of all. NULL where that cannot be: frames has rows, or
   pages are not of the size of those of the stage, or too many. */
unsigned char *taut_stage_join(stage *s, const unsigned char *base, long root, sqlite3_int64 *size);
/* When it is detached, or the database is closed. */
void taut_stage_clear(taut_context *context, stage *s);

#endif
