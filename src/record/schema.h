/* The tables of a run file as SQL, each in one place: what a new file gets, and what a file must have, no more and no
   less. A file may come from anywhere: a view in place of a table, a trigger or a changed definition is refused before
   anything is read. Internal to this folder. */
#ifndef TAUT_RECORD_SCHEMA_H
#define TAUT_RECORD_SCHEMA_H

#include "record/layout.h"

/* Creates all tables of a new file. */
int taut_schema_create(const database *d, const layout *l, int quad);
/* Those of an ensemble, in addition. */
int taut_schema_create_sweep(const database *d);
/* Refuses a file whose tables are not those; reads its layout. quad: its frames have digits beyond a double. */
int taut_schema_read(const database *d, layout *l, int *quad);

#endif
