/* The numbers of a page: columns of a run's frames, all of them when they are few, otherwise per bucket of frames the
 * first value, the minimum and the maximum, so that no extreme value is lost. */
#ifndef TAUT_REPORT_FRAME_TABLE_H
#define TAUT_REPORT_FRAME_TABLE_H

#include "record/record.h"

/* Largest numbers of values and of columns in a page, and of single frames before the buckets. */
#define TABLE_VALUES 1200000
#define TABLE_COLUMNS 400
#define TABLE_DENSE 3000
/* Largest number of values in the columns that are there frame by frame besides. */
#define TABLE_WHOLE 1200000

/* Frames first, first + every, ... of a run, `count` of them. */
typedef struct {
    long first, every, count;
} frame_selection;

typedef struct {
    size_t source;           /* column of the record */
    int deviation;           /* of the value in the run's first frame, computed before rounding to double */
    double first, last, lowest, highest;
    double slope;            /* least-squares change per unit of time over all frames */
    size_t not_finite;       /* frames in which it is not a number */
    double *values;          /* rows of them; with an envelope 3 rows: first value of the bucket, minimum, maximum */
} table_column;

typedef struct table {
    taut_context *context;
    long frames;             /* that were selected */
    long dense;              /* the first rows, which are single frames where the others are buckets */
    long bucket;             /* frames per row after those; 1: no envelope */
    size_t rows;
    table_column *columns;
    size_t column_count;
    size_t omitted;          /* columns of the record that are not here */
    /* With buckets, for sections and spectra: time, and pairs of a coordinate and its velocity or momentum, as many as
       there is room for, frame by frame; where there is no room for two pairs, of the first frames. */
    size_t *whole;           /* numbers of columns */
    size_t whole_count;
    long whole_rows;
    double *whole_values;    /* column after column */
} table;

int taut_table_read(taut_context *context, record *r, table *t); /* all frames */
int taut_table_select(taut_context *context, record *r, const frame_selection *selection, table *t);
void taut_table_clear(table *t);

#endif
