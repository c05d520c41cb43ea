#include "record/database.h"

#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>

#include "record/record.h"

/* A file may come from anywhere. What it declares is data: triggers and views do not run, functions that have effects
   are not called from it, its pages are not written as such, and a word in double quotes is a name. */
static int distrust(database *d)
{
    static const struct { int option, value; } settings[] = {
        { SQLITE_DBCONFIG_DEFENSIVE, 1 },     { SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0 },
        { SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 }, { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
        { SQLITE_DBCONFIG_DQS_DML, 0 },        { SQLITE_DBCONFIG_DQS_DDL, 0 },
    };
    static const struct { int limit, value; } limits[] = {
        { SQLITE_LIMIT_SQL_LENGTH, 1 << 20 }, { SQLITE_LIMIT_EXPR_DEPTH, 200 },
        { SQLITE_LIMIT_COMPOUND_SELECT, 4 },  { SQLITE_LIMIT_TRIGGER_DEPTH, 1 },
        { SQLITE_LIMIT_WORKER_THREADS, 0 },   { SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100 },
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        if (sqlite3_db_config(d->handle, settings[i].option, settings[i].value, NULL)) return taut_database_fail(d);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        sqlite3_limit(d->handle, limits[i].limit, limits[i].value);
    sqlite3_busy_timeout(d->handle, 5000); /* a commit of the one that writes takes less, as a rule much less */
    return TAUT_OK;
}

/* Reading a pipe would wait for ever, and writing a run to a device would lose it. Names that SQLite knows by itself,
   such as :memory:, are no files. */
static int check_kind(taut_context *context, const char *path)
{
    struct stat found;
    if (stat(path, &found) || S_ISREG(found.st_mode) || S_ISDIR(found.st_mode)) return TAUT_OK;
    return taut_fail(context, TAUT_CANNOT_READ, "cannot read '%s': it is not a regular file, as a run has to be", path);
}

int taut_database_open(taut_context *context, const char *path, int flags, database *d)
{
    *d = (database){ .context = context };
    if (check_kind(context, path)) return TAUT_CANNOT_READ;
    if (!(d->path = taut_mem_text(context, path))) return TAUT_OUT_OF_MEMORY;
    int code = sqlite3_open_v2(path, &d->handle, flags | SQLITE_OPEN_NOMUTEX, NULL); /* one thread at a time */
    int status = TAUT_OK;
    if (!d->handle)
        status = taut_fail(context, TAUT_OUT_OF_MEMORY, "out of memory in SQLite");
    else if (code)
        status = taut_database_fail(d);
    else
        status = distrust(d);
    if (status) taut_database_close(d);
    return status;
}

static int interrupted(void *context) { return taut_stopped(context); }

void taut_database_stoppable(const database *d)
{
    sqlite3_progress_handler(d->handle, 100000, interrupted, d->context);
}

void taut_database_close(database *d)
{
    if (d->handle) sqlite3_close(d->handle);
    taut_mem_free(d->context, d->path);
    *d = (database){ .context = d->context };
}

/* Of failures that do not say it themselves. */
static int purpose(const database *d) { return d->writes ? TAUT_CANNOT_WRITE : TAUT_CANNOT_READ; }

/* What SQLite or the system said. */
typedef struct {
    int code, number;        /* extended; 0: none */
    const char *text;
} failure;

static int system_failure(const database *d, const failure *f, int status, const char *what)
{
    return taut_fail(d->context, status, "cannot %s '%s': %s", what, d->path,
                     f->number ? strerror(f->number) : f->text);
}

static int transfer_failure(const database *d, const failure *f)
{
    switch (f->code) {
    case SQLITE_IOERR_READ:
    case SQLITE_IOERR_SHORT_READ: return system_failure(d, f, TAUT_CANNOT_READ, "read");
    case SQLITE_IOERR_WRITE:
    case SQLITE_IOERR_FSYNC:
    case SQLITE_IOERR_DIR_FSYNC:
    case SQLITE_IOERR_TRUNCATE: return system_failure(d, f, TAUT_CANNOT_WRITE, "write");
    default: return system_failure(d, f, purpose(d), "read or write");
    }
}

int taut_database_moved(const database *d)
{
    return taut_fail(d->context, TAUT_CANNOT_WRITE,
                     "'%s' was removed, moved or replaced while the run was writing to it", d->path);
}

static int fail(const database *d, const failure *f)
{
    taut_context *context = d->context;
    switch (f->code & 255) {
    case SQLITE_NOMEM: return taut_fail(context, TAUT_OUT_OF_MEMORY, "out of memory in SQLite");
    case SQLITE_NOTADB:
        return taut_fail(context, TAUT_CANNOT_READ, "'%s' is not a run file (no SQLite database)", d->path);
    case SQLITE_CORRUPT:
        return taut_fail(context, TAUT_CANNOT_READ,
                         "'%s' is damaged: %s; 'sqlite3 FILE .recover' may save what is left", d->path, f->text);
    case SQLITE_FULL: return taut_fail(context, TAUT_CANNOT_WRITE, "cannot write '%s': the disk is full", d->path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED: return taut_fail(context, purpose(d), "another process is writing to '%s'", d->path);
    case SQLITE_READONLY:
        if (f->code == SQLITE_READONLY_DBMOVED) return taut_database_moved(d);
        return taut_fail(context, TAUT_CANNOT_WRITE, "cannot write '%s': the file or its folder is read-only", d->path);
    case SQLITE_CANTOPEN: return system_failure(d, f, purpose(d), "open");
    case SQLITE_IOERR: return transfer_failure(d, f);
    case SQLITE_INTERRUPT: return taut_fail(context, TAUT_STOPPED, "stopped while reading or writing '%s'", d->path);
    case SQLITE_TOOBIG:
        return taut_fail(context, TAUT_UNSUPPORTED, "the state is larger than '%s' can hold (10^9 bytes)", d->path);
    default:
        return taut_fail(context, TAUT_CANNOT_READ, "'%s' does not have what a run file has: %s", d->path, f->text);
    }
}

int taut_database_fail(const database *d)
{
    const failure f = { sqlite3_extended_errcode(d->handle), sqlite3_system_errno(d->handle),
                        sqlite3_errmsg(d->handle) };
    return fail(d, &f);
}

int taut_database_fail_as(const database *d, int code, int number)
{
    const failure f = { code, number, sqlite3_errstr(code) };
    return fail(d, &f);
}

int taut_database_run(const database *d, const char *sql)
{
    return sqlite3_exec(d->handle, sql, NULL, NULL, NULL) ? taut_database_fail(d) : TAUT_OK;
}

int taut_database_run_format(const database *d, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *sql = sqlite3_vmprintf(format, arguments);
    va_end(arguments);
    int status = sql ? taut_database_run(d, sql) : taut_fail(d->context, TAUT_OUT_OF_MEMORY, "out of memory in SQLite");
    sqlite3_free(sql);
    return status;
}

int taut_database_prepare(const database *d, const char *sql, sqlite3_stmt **statement)
{
    *statement = NULL;
    return sqlite3_prepare_v2(d->handle, sql, -1, statement, NULL) ? taut_database_fail(d) : TAUT_OK;
}

int taut_database_row(const database *d, sqlite3_stmt *statement)
{
    int code = sqlite3_step(statement);
    if (code == SQLITE_ROW) return 1;
    if (code == SQLITE_DONE) return 0;
    taut_database_fail(d);
    return -1;
}

int taut_database_do(const database *d, sqlite3_stmt *statement)
{
    int status = sqlite3_step(statement) == SQLITE_DONE ? TAUT_OK : taut_database_fail(d);
    sqlite3_reset(statement);
    return status;
}

int taut_database_number(const database *d, const char *sql, long otherwise, long *value)
{
    sqlite3_stmt *statement;
    int status = taut_database_prepare(d, sql, &statement);
    if (status) return status;
    int row = taut_database_row(d, statement);
    const int type = row > 0 ? sqlite3_column_type(statement, 0) : SQLITE_NULL;
    *value = type == SQLITE_INTEGER ? (long)sqlite3_column_int64(statement, 0) : otherwise;
    if (row < 0) status = taut_database_fail(d);
    else if (type != SQLITE_INTEGER && type != SQLITE_NULL)
        status = taut_fail(d->context, TAUT_CANNOT_READ, "'%s' is damaged: a count in it is no whole number", d->path);
    sqlite3_finalize(statement);
    return status;
}

int taut_database_check(const database *d, int *empty)
{
    long application, version, tables;
    int status = taut_database_number(d, "select count(*) from sqlite_master", 0, &tables);
    if (!status) status = taut_database_number(d, "pragma application_id", 0, &application);
    if (!status) status = taut_database_number(d, "pragma user_version", 0, &version);
    if (status) return status;
    *empty = tables == 0 && application == 0;
    if (*empty) return TAUT_OK;
    if (application != RECORD_APPLICATION)
        return taut_fail(d->context, TAUT_CANNOT_READ, "'%s' is an SQLite database, but not a run file", d->path);
    if (version > RECORD_VERSION)
        return taut_fail(d->context, TAUT_UNSUPPORTED,
                    "'%s' was written by a later Taut (layout %ld, this one knows up to %d); use that Taut", d->path,
                    version, RECORD_VERSION);
    return TAUT_OK;
}

void taut_record_sum(sha256 *sum, const char *name, const void *bytes, size_t size)
{
    char head[32];
    sqlite3_snprintf(sizeof head, head, ":%lld:", (long long)size); /* where an entry ends, no other begins */
    taut_sha256_add(sum, name, strlen(name) + 1);
    taut_sha256_add(sum, head, strlen(head));
    if (size) taut_sha256_add(sum, bytes, size);
}

void taut_little_endian(void *to, const void *from, size_t count, size_t size)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (count) memcpy(to, from, count * size);
#else
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < size; k++) ((char *)to)[i * size + k] = ((const char *)from)[i * size + size - 1 - k];
#endif
}
