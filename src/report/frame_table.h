/* The numbers of a page: columns of a run's frames, all of them when they are few, otherwise per bucket of frames the
 * first value, the minimum and the maximum, so that no extreme value is lost. */
#ifndef TAUT_REPORT_FRAME_TABLE_H
#define TAUT_REPORT_FRAME_TABLE_H

#include "record/record.h"

/* Largest numbers of values and of columns in a page. */
#define TABLE_VALUES 1200000
#define TABLE_COLUMNS 400

typedef struct {
    size_t source;           /* column of the record */
    int deviation;           /* of the value in the first frame, computed before rounding to double */
    double first, last, lowest, highest;
    double slope;            /* least-squares change per unit of time over all frames */
    size_t not_finite;       /* frames in which it is not a number */
    double *values;          /* rows of them; with an envelope 3 rows: first value of the bucket, minimum, maximum */
} table_column;

typedef struct table {
    taut_context *context;
    long frames;
    long bucket;             /* frames per row; 1: no envelope */
    size_t rows;
    table_column *columns;
    size_t column_count;
    size_t omitted;          /* columns of the record that are not here */
} table;

int taut_table_read(taut_context *context, record *r, table *t);
void taut_table_clear(table *t);

#endif
