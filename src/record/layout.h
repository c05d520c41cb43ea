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
/* Creates the tables; quad: with room for the digits that REAL has not. */
int taut_layout_create(const database *d, const layout *l, int quad);
int taut_layout_read(const database *d, layout *l);
void taut_layout_clear(taut_context *context, layout *l);

#endif
