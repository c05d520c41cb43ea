/* Run files of the public interface: what their files share. */
#ifndef TAUT_LIBRARY_FILE_H
#define TAUT_LIBRARY_FILE_H

#include "library/library.h"
#include "record/sweep_file.h"
#include "report/units.h"

struct taut_file {
    taut_context *context;
    record *r;
    const record_event *events;
    size_t event_count;
    char (*units)[UNIT_TEXT];    /* of the columns; NULL: not asked for yet */
    /* of an ensemble, when they are asked for: moment by moment, a column after the other */
    sweep_moment *moments;       size_t moment_count, moment_capacity;
    taut_statistic *statistics;
    size_t kept;                 /* columns that have statistics */
    int has_statistics;
};

/* All columns of a list are there; NULL: all of them. */
int taut_library_check_columns(taut_file *f, const size_t *columns, size_t count);

#endif
