/* The inside of a record, for the files that read from it. Internal to this folder. */
#ifndef TAUT_RECORD_READER_H
#define TAUT_RECORD_READER_H

#include "record/layout.h"

/* Names and values, one after the other. */
typedef struct {
    char **texts;
    size_t count;
} pairs;

struct record {
    database d;
    layout layout;
    const record_column **order; /* the columns by name */
    int exact;                   /* the frames have digits beyond those of a double */
    pairs properties, settings;
    record_event *events;
    size_t event_count;
    long frame_count;
    sha256 sum;                  /* of the checkpoint so far */
};

/* Parts of the checkpoint; a part that is missing is an error. They are read in the order in which they were written,
   between begin and end, which compares their checksum; a file without one is of an earlier Taut. */
void taut_record_checkpoint_begin(record *r);
int taut_record_checkpoint_end(record *r);
int taut_record_checkpoint_has(record *r, const char *name, int *has);
int taut_record_checkpoint_text(record *r, const char *name, char *buffer, size_t size);
int taut_record_checkpoint_numbers(record *r, const char *name, void *numbers, size_t count, size_t size);

#endif
