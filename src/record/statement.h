/* An SQL statement that is put together. Internal to this folder. */
#ifndef TAUT_RECORD_STATEMENT_H
#define TAUT_RECORD_STATEMENT_H

#include "record/database.h"

typedef struct {
    sqlite3_str *string;
} text;

/* Failures are kept and reported at the end. Formats are those of sqlite3_mprintf. */
void taut_text_add(text *t, const char *more);
void taut_text_add_format(text *t, const char *format, ...);
/* Runs or prepares the statement, and frees its string. */
int taut_text_run(text *t, const database *d);
int taut_text_prepare(text *t, const database *d, sqlite3_stmt **statement);

#endif
