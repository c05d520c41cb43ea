/* The inside of a sweep_writer. Internal to this folder. */
#ifndef TAUT_RECORD_SWEEP_INSIDE_H
#define TAUT_RECORD_SWEEP_INSIDE_H

#include "record/database.h"
#include "record/sweep_file.h"

enum {
    PUT_VARIED, PUT_MOMENT, PUT_MEMBER, PUT_MEMBERS, PUT_PATH, PUT_SUMS, PUT_STATISTIC, PUT_HISTOGRAM, SWEEP_STATEMENTS
};

struct sweep_writer {
    taut_context *context;
    const database *d;       /* of the writer */
    sqlite3_stmt *statements[SWEEP_STATEMENTS];
    unsigned char *bytes;    /* on their way into the file */
    size_t capacity;
};

/* writer.c */
const database *taut_writer_database(const writer *w);

#endif
