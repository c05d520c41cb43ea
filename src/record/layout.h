/* Where the columns of a frame are in the file: in `frames`, each a column of the table, or, when there are many, as
   bytes in `chunks`. Internal to this folder. */
#ifndef TAUT_RECORD_LAYOUT_H
#define TAUT_RECORD_LAYOUT_H

#include "record/database.h"
#include "record/record.h"

/* SQLite takes 2000 columns in a table, and reads rows of many columns slowly. */
#define LAYOUT_COLUMNS 1000
#define LAYOUT_CHUNK 4096 /* numbers */

typedef struct {
    record_column *columns;  /* names and kinds, owned */
    char **sql;              /* name in `frames`; NULL: in a chunk */
    long *place;             /* position among the columns of `frames`, or among those of all chunks */
    size_t count;
    size_t inside, outside;  /* columns of `frames`, numbers in chunks */
} layout;

size_t taut_layout_chunks(const layout *l);
/* How many numbers this chunk has. */
size_t taut_layout_chunk_size(const layout *l, size_t chunk);

/* Copies the columns and decides where they go. */
int taut_layout_make(taut_context *context, const record_column *columns, size_t count, layout *l);
/* The table of columns, which tells the layout, and the statements that follow from it: `frames` first. quad: with room
   for the digits that REAL has not. Free the statements with sqlite3_free, also after a failure. */
#define LAYOUT_COLUMNS_TABLE \
    "create table columns (number integer primary key, name text not null, kind text not null, sql text, " \
    "chunk integer, place integer)"
#define LAYOUT_STATEMENTS 5
int taut_layout_statements(const database *d, const layout *l, int quad, char **statements, int *count);
/* Fills the table of columns, and creates what follows from it. */
int taut_layout_create(const database *d, const layout *l, int quad);
/* Out of the table of columns; refuses what taut_layout_create would not have written. */
int taut_layout_read(const database *d, layout *l);
void taut_layout_clear(taut_context *context, layout *l);

#endif
