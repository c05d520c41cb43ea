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
    uint32_t page, count, content; /* page: its number, from 0 */
} stage_leaf;

/* Zero at first: empty. */
typedef struct {
    unsigned char *image;    /* pages */
    size_t capacity;         /* bytes */
    size_t count;            /* rows */
    stage_leaf leaf;         /* the last one */
    uint32_t children, root_content; /* the root, which lists the others */
} stage;

#define STAGE_LIMIT 8 /* of stages attached at one time; SQLite allows ten databases */

/* 1 when rows of this table, whose definition is given, can be laid out: they and the definition must fit a page. */
int taut_stage_suits(const char *definition, size_t width);
/* Adds a row: the number of the frame, one more than that of the row before; the step; `width` doubles. */
int taut_stage_add(taut_context *context, stage *s, int64_t frame, int64_t step, const double *values, size_t width);
size_t taut_stage_size(const stage *s);
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
/* When it is detached, or the database is closed. */
void taut_stage_clear(taut_context *context, stage *s);

#endif
