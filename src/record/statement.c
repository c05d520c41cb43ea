#include "record/statement.h"

#include <stdarg.h>

/* sqlite3_str_new never returns NULL: without memory it gives a string that stays empty and remembers why. */
static sqlite3_str *string_of(text *t)
{
    if (!t->string) t->string = sqlite3_str_new(NULL);
    return t->string;
}

void taut_text_add(text *t, const char *more) { sqlite3_str_appendall(string_of(t), more); }

void taut_text_add_format(text *t, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    sqlite3_str_vappendf(string_of(t), format, arguments);
    va_end(arguments);
}

static int finish(text *t, const database *d, char **sql)
{
    int code = sqlite3_str_errcode(string_of(t));
    *sql = sqlite3_str_finish(t->string);
    t->string = NULL;
    if (code == SQLITE_OK && *sql) return TAUT_OK;
    sqlite3_free(*sql);
    *sql = NULL;
    return taut_fail(d->context, TAUT_OUT_OF_MEMORY, "out of memory in SQLite");
}

int taut_text_run(text *t, const database *d)
{
    char *sql;
    int status = finish(t, d, &sql);
    if (!status) status = taut_database_run(d, sql);
    sqlite3_free(sql);
    return status;
}

int taut_text_prepare(text *t, const database *d, sqlite3_stmt **statement)
{
    char *sql;
    *statement = NULL;
    int status = finish(t, d, &sql);
    if (!status) status = taut_database_prepare(d, sql, statement);
    sqlite3_free(sql);
    return status;
}
