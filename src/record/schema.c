#include "record/schema.h"

#include <string.h>

#include "record/statement.h"

/* What every run file has. */
static const char *const always[] = {
    "create table run (name text primary key, value text not null)",
    "create table settings (number integer primary key, name text not null, value text not null)",
    "create table events (event integer primary key, step integer not null, t real not null, "
    "name text not null, kind text not null, impulse real)",
    "create table checkpoint (name text primary key, value)",
    LAYOUT_COLUMNS_TABLE,
};
enum { ALWAYS = sizeof always / sizeof *always };

/* What the file of an ensemble has as well. */
static const char *const of_ensembles[] = {
    "create table varied (number integer primary key, name text not null, law text not null)",
    "create table moments (number integer primary key, step integer not null, t real not null, kept integer not null)",
    "create table members (member integer primary key, status text not null, t real, steps integer, reason text)",
    "create table paths (member integer primary key, data blob not null)",
    "create table sums (first integer primary key, last integer not null, data blob not null)",
    "create table statistics (moment integer not null, \"column\" integer not null, count integer not null, "
    "mean real, sd real, lowest real, highest real, q05 real, q25 real, q50 real, q75 real, q95 real, "
    "primary key (moment, \"column\")) without rowid",
    "create table histograms (moment integer not null, \"column\" integer not null, low real, high real, "
    "counts text not null, primary key (moment, \"column\")) without rowid",
    "create view fans as select moments.t, columns.name, count, mean, sd, lowest, highest, q05, q25, q50, q75, q95 "
    "from statistics join moments on moments.number = moment join columns on columns.number = \"column\" + "
    "1 + (select count(*) from varied)",
};
enum { OF_ENSEMBLES = sizeof of_ensembles / sizeof *of_ensembles };

int taut_schema_create_sweep(const database *d)
{
    int status = TAUT_OK;
    for (int i = 0; !status && i < OF_ENSEMBLES; i++) status = taut_database_run(d, of_ensembles[i]);
    return status;
}

int taut_schema_create(const database *d, const layout *l, int quad)
{
    int status = taut_database_run_format(d, "pragma application_id = %d; pragma user_version = %d",
                                          RECORD_APPLICATION, RECORD_VERSION);
    for (int i = 0; !status && i < ALWAYS; i++) status = taut_database_run(d, always[i]);
    return status ? status : taut_layout_create(d, l, quad);
}

/* SQLite keeps a statement as it was given, but for "CREATE TABLE " (VIEW, INDEX) at its begin. */
static int is_same(const char *kept, const char *statement)
{
    const char *second = strchr(statement, ' ') + 1, *name = strchr(second, ' ') + 1;
    const size_t verb = (size_t)(name - statement);
    return sqlite3_strnicmp(kept, statement, (int)verb) == 0 && strcmp(kept + verb, name) == 0;
}

/* An index that SQLite makes for a primary key. */
static int is_own_index(const char *type, const char *name, const char *table, const char *sql)
{
    return !sql && strcmp(type, "index") == 0 && strncmp(name, "sqlite_autoindex_", 17) == 0
           && (strcmp(table, "run") == 0 || strcmp(table, "checkpoint") == 0);
}

static const char *text_at(sqlite3_stmt *s, int column)
{
    return sqlite3_column_type(s, column) == SQLITE_TEXT ? (const char *)sqlite3_column_text(s, column) : NULL;
}

static int strange(const database *d, const char *type, const char *name)
{
    return taut_fail(d->context, TAUT_CANNOT_READ,
                     "'%s' is refused: its %s '%s' is not one that Taut makes; use the file as it was written",
                     d->path, type ? type : "thing", name ? name : "?");
}

static int missing(const database *d, const char *statement)
{
    const char *name = strchr(strchr(statement, ' ') + 1, ' ') + 1;
    return taut_fail(d->context, TAUT_CANNOT_READ, "'%s' does not have what a run file has: no %.*s", d->path,
                     (int)strcspn(name, " "), name);
}

/* Everything that the file declares is one of the statements, and each of them is declared; with `more`, other things
   may be there. */
static int compare(const database *d, const char *const *statements, int count, int more)
{
    unsigned found = 0;
    sqlite3_stmt *s;
    int row = 0, status = taut_database_prepare(d, "select type, name, tbl_name, sql from sqlite_schema", &s);
    while (!status && (row = taut_database_row(d, s)) > 0) {
        const char *type = text_at(s, 0), *name = text_at(s, 1), *table = text_at(s, 2), *sql = text_at(s, 3);
        if (!type || !name || !table) {
            status = strange(d, type, name);
            break;
        }
        int which = 0;
        while (which < count && !(sql && is_same(sql, statements[which]))) which++;
        if (which < count) found |= 1u << which;
        else if (!more && !is_own_index(type, name, table, sql)) status = strange(d, type, name);
    }
    if (!status && row < 0) status = taut_database_fail(d);
    sqlite3_finalize(s);
    for (int i = 0; !status && i < count; i++)
        if (!(found >> i & 1)) status = missing(d, statements[i]);
    return status;
}

/* Whether the table of frames has the column for the digits beyond a double. */
static int is_quad(const database *d, const char *double_frames, int *quad)
{
    sqlite3_stmt *s;
    int status = taut_database_prepare(d, "select sql from sqlite_schema where name = 'frames'", &s);
    if (status) return status;
    int row = taut_database_row(d, s);
    const char *sql = row > 0 ? text_at(s, 0) : NULL;
    *quad = sql && !is_same(sql, double_frames);
    sqlite3_finalize(s);
    return row < 0 ? taut_database_fail(d) : TAUT_OK;
}

int taut_schema_read(const database *d, layout *l, int *quad)
{
    const char *statements[ALWAYS + OF_ENSEMBLES + LAYOUT_STATEMENTS];
    char *made[LAYOUT_STATEMENTS] = { 0 };
    int count = 0, all = ALWAYS;
    long is_ensemble = 0;
    *l = (layout){ 0 };
    *quad = 0;
    memcpy(statements, always, sizeof always);
    int status = compare(d, statements, ALWAYS, 1); /* then `columns` is a table, and can be read */
    if (!status) status = taut_layout_read(d, l);
    if (!status) status = taut_layout_statements(d, l, 0, made, &count);
    if (!status) status = is_quad(d, made[0], quad);
    if (!status && *quad) {
        for (int i = 0; i < LAYOUT_STATEMENTS; i++) sqlite3_free(made[i]), made[i] = NULL;
        status = taut_layout_statements(d, l, 1, made, &count);
    }
    if (!status)
        status = taut_database_number(d, "select count(*) from sqlite_schema where name = 'members'", 0, &is_ensemble);
    for (int i = 0; is_ensemble && i < OF_ENSEMBLES; i++) statements[all++] = of_ensembles[i];
    for (int i = 0; i < count; i++) statements[all++] = made[i];
    if (!status) status = compare(d, statements, all, 0);
    for (int i = 0; i < LAYOUT_STATEMENTS; i++) sqlite3_free(made[i]);
    if (status) taut_layout_clear(d->context, l);
    return status;
}
