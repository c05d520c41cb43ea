#include "record/layout.h"

#include <stdio.h>
#include <string.h>

#include "record/statement.h"

size_t taut_layout_chunks(const layout *l) { return (l->outside + LAYOUT_CHUNK - 1) / LAYOUT_CHUNK; }

size_t taut_layout_chunk_size(const layout *l, size_t chunk)
{
    size_t left = l->outside - chunk * LAYOUT_CHUNK;
    return left < LAYOUT_CHUNK ? left : LAYOUT_CHUNK;
}

void taut_layout_clear(taut_context *context, layout *l)
{
    for (size_t i = 0; l->columns && i < l->count; i++) {
        taut_mem_free(context, (char *)l->columns[i].name);
        taut_mem_free(context, (char *)l->columns[i].kind);
    }
    for (size_t i = 0; l->sql && i < l->count; i++) taut_mem_free(context, l->sql[i]);
    taut_mem_free(context, l->columns);
    taut_mem_free(context, l->sql);
    taut_mem_free(context, l->place);
    *l = (layout){ 0 };
}

static int make_room(taut_context *context, size_t count, layout *l)
{
    *l = (layout){ .count = count };
    l->columns = taut_mem_new(context, count, sizeof *l->columns);
    l->sql = taut_mem_new(context, count, sizeof *l->sql);
    l->place = taut_mem_new(context, count, sizeof *l->place);
    return l->columns && l->sql && l->place ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static int put(taut_context *context, layout *l, size_t i, const char *name, const char *kind, const char *sql)
{
    l->columns[i] = (record_column){ taut_mem_text(context, name), taut_mem_text(context, kind) };
    if (sql && !(l->sql[i] = taut_mem_text(context, sql))) return TAUT_OUT_OF_MEMORY;
    l->place[i] = (long)(sql ? l->inside++ : l->outside++);
    return l->columns[i].name && l->columns[i].kind ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* SQLite does not distinguish a.x from A.x, and some names are the table's own. */
static int is_taken(const layout *l, size_t before, const char *sql)
{
    static const char *const own[] = { "frame", "step", "exact" };
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (sqlite3_stricmp(own[i], sql) == 0) return 1;
    for (size_t i = 0; i < before; i++)
        if (l->sql[i] && sqlite3_stricmp(l->sql[i], sql) == 0) return 1;
    return 0;
}

static int one_of_many(const char *kind)
{
    static const char *const many[] = { "coordinate", "velocity", "momentum", "multiplier" };
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        if (strcmp(kind, many[i]) == 0) return 1;
    return 0;
}

int taut_layout_make(taut_context *context, const record_column *columns, size_t count, layout *l)
{
    int status = make_room(context, count, l);
    for (size_t i = 0; !status && i < count; i++) {
        char sql[300];
        snprintf(sql, sizeof sql, "%.255s", columns[i].name);
        int inside = count <= LAYOUT_COLUMNS || (!one_of_many(columns[i].kind) && l->inside < LAYOUT_COLUMNS);
        for (int n = 2; inside && is_taken(l, i, sql); n++)
            snprintf(sql, sizeof sql, "%.255s (%d)", columns[i].name, n);
        status = put(context, l, i, columns[i].name, columns[i].kind, inside ? sql : NULL);
    }
    return status;
}

static char *frames_statement(const layout *l, int quad)
{
    sqlite3_str *sql = sqlite3_str_new(NULL);
    sqlite3_str_appendall(sql, "create table frames (frame integer primary key, step integer not null");
    for (size_t i = 0; i < l->count; i++)
        if (l->sql[i]) sqlite3_str_appendf(sql, ", \"%w\" real", l->sql[i]);
    sqlite3_str_appendall(sql, quad ? ", exact blob)" : ")");
    return sqlite3_str_finish(sql);
}

/* Numbers out of chunks with SQL alone: the eight bytes of a double, taken apart. (exponent 0: no leading 1; 2047:
   infinite.) */
static const char cells[] =
    "create view cells as with places as (select number, name, chunk, place from columns where chunk is not null), "
    "bytes as (select frames.frame, frames.t, places.name, hex(substr(chunks.data, 8*places.place + 1, 8)) as h "
    "from places cross join frames join chunks on chunks.number = frames.frame * %d + places.chunk), "
    "digits as (select frame, t, name, "
    "(instr('123456789ABCDEF', substr(h, 15, 1)) << 4) + instr('123456789ABCDEF', substr(h, 16, 1)) as high, "
    "(instr('123456789ABCDEF', substr(h, 13, 1)) << 4) + instr('123456789ABCDEF', substr(h, 14, 1)) as low, "
    "(instr('123456789ABCDEF', substr(h, 11, 1)) << 44) + (instr('123456789ABCDEF', substr(h, 12, 1)) << 40) + "
    "(instr('123456789ABCDEF', substr(h, 9, 1)) << 36) + (instr('123456789ABCDEF', substr(h, 10, 1)) << 32) + "
    "(instr('123456789ABCDEF', substr(h, 7, 1)) << 28) + (instr('123456789ABCDEF', substr(h, 8, 1)) << 24) + "
    "(instr('123456789ABCDEF', substr(h, 5, 1)) << 20) + (instr('123456789ABCDEF', substr(h, 6, 1)) << 16) + "
    "(instr('123456789ABCDEF', substr(h, 3, 1)) << 12) + (instr('123456789ABCDEF', substr(h, 4, 1)) << 8) + "
    "(instr('123456789ABCDEF', substr(h, 1, 1)) << 4) + instr('123456789ABCDEF', substr(h, 2, 1)) as rest from bytes), "
    "parts as (select frame, t, name, high >> 7 as negative, ((high & 127) << 4) | (low >> 4) as exponent, "
    "((low & 15) << 48) | rest as mantissa from digits) "
    "select frame, t, name, case when exponent = 2047 then case when mantissa = 0 then 9e999 * (1 - 2 * negative) end "
    "when exponent = 0 then mantissa * (1 - 2 * negative) * (select value from powers where powers.exponent = 1) "
    "else (mantissa + (1 << 52)) * (1 - 2 * negative) * "
    "(select value from powers where powers.exponent = parts.exponent) end as value from parts";

int taut_layout_statements(const database *d, const layout *l, int quad, char **statements, int *count)
{
    int n = 0;
    statements[n++] = frames_statement(l, quad);
    if (l->outside) {
        statements[n++] = sqlite3_mprintf("create index columns_by_name on columns (name)");
        statements[n++] = sqlite3_mprintf("create table chunks (number integer primary key, frame integer not null, "
                                          "chunk integer not null, data blob not null%s)",
                                          quad ? ", exact blob not null" : "");
        statements[n++] = sqlite3_mprintf("create table powers (exponent integer primary key, value real not null)");
        statements[n++] = sqlite3_mprintf(cells, (int)taut_layout_chunks(l));
    }
    *count = n;
    for (int i = 0; i < n; i++)
        if (!statements[i]) return taut_fail(d->context, TAUT_OUT_OF_MEMORY, "out of memory in SQLite");
    return TAUT_OK;
}

/* 2^(exponent - 1075), for the view `cells`. */
static int fill_powers(const database *d)
{
    sqlite3_stmt *statement = NULL;
    int status = taut_database_prepare(d, "insert into powers values (?1, ?2)", &statement);
    for (int e = 1; !status && e < 2047; e++) {
        sqlite3_bind_int(statement, 1, e);
        sqlite3_bind_double(statement, 2, ldexp(1, e - 1075));
        status = taut_database_do(d, statement);
    }
    sqlite3_finalize(statement);
    return status;
}

static int list_columns(const database *d, const layout *l)
{
    sqlite3_stmt *statement;
    int status = taut_database_prepare(d, "insert into columns values (?1, ?2, ?3, ?4, ?5, ?6)", &statement);
    for (size_t i = 0; !status && i < l->count; i++) {
        sqlite3_bind_int64(statement, 1, (sqlite3_int64)i);
        sqlite3_bind_text(statement, 2, l->columns[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(statement, 3, l->columns[i].kind, -1, SQLITE_STATIC);
        if (l->sql[i]) {
            sqlite3_bind_text(statement, 4, l->sql[i], -1, SQLITE_STATIC);
        } else {
            sqlite3_bind_int64(statement, 5, l->place[i] / LAYOUT_CHUNK);
            sqlite3_bind_int64(statement, 6, l->place[i] % LAYOUT_CHUNK);
        }
        status = taut_database_do(d, statement);
        sqlite3_clear_bindings(statement);
    }
    sqlite3_finalize(statement);
    return status;
}

int taut_layout_create(const database *d, const layout *l, int quad)
{
    char *statements[LAYOUT_STATEMENTS] = { 0 };
    int count, status = taut_layout_statements(d, l, quad, statements, &count);
    if (!status) status = list_columns(d, l);
    for (int i = 0; !status && i < count; i++) status = taut_database_run(d, statements[i]);
    for (int i = 0; i < LAYOUT_STATEMENTS; i++) sqlite3_free(statements[i]);
    return !status && l->outside ? fill_powers(d) : status;
}

/* A row of the table of columns: number, name, kind, sql, chunk, place. */
static int take_column(const database *d, sqlite3_stmt *s, size_t i, layout *l)
{
    const int inside = sqlite3_column_type(s, 3) == SQLITE_TEXT;
    const long place = (long)l->outside;
    int fits = sqlite3_column_int64(s, 0) == (sqlite3_int64)i && sqlite3_column_type(s, 1) == SQLITE_TEXT
               && sqlite3_column_type(s, 2) == SQLITE_TEXT;
    if (inside) fits = fits && sqlite3_column_type(s, 4) == SQLITE_NULL && sqlite3_column_type(s, 5) == SQLITE_NULL;
    else
        fits = fits && sqlite3_column_type(s, 3) == SQLITE_NULL && sqlite3_column_type(s, 4) == SQLITE_INTEGER
               && sqlite3_column_type(s, 5) == SQLITE_INTEGER && sqlite3_column_int64(s, 4) == place / LAYOUT_CHUNK
               && sqlite3_column_int64(s, 5) == place % LAYOUT_CHUNK;
    if (!fits)
        return taut_fail(d->context, TAUT_CANNOT_READ, "'%s' is damaged: column %zu is not described as it must be",
                         d->path, i);
    return put(d->context, l, i, (const char *)sqlite3_column_text(s, 1), (const char *)sqlite3_column_text(s, 2),
               inside ? (const char *)sqlite3_column_text(s, 3) : NULL);
}

int taut_layout_read(const database *d, layout *l)
{
    sqlite3_stmt *statement = NULL;
    long count = 0;
    size_t found = 0;
    int row = 0;
    *l = (layout){ 0 };
    int status = taut_database_number(d, "select count(*) from columns", 0, &count);
    if (!status) status = make_room(d->context, (size_t)count, l);
    if (!status)
        status = taut_database_prepare(d, "select number, name, kind, sql, chunk, place from columns order by number",
                                       &statement);
    for (; !status && found < l->count && (row = taut_database_row(d, statement)) > 0; found++)
        status = take_column(d, statement, found, l);
    if (!status && row < 0) status = taut_database_fail(d);
    if (!status && (found < l->count || !count || strcmp(l->columns[0].kind, "time") != 0))
        status = taut_fail(d->context, TAUT_CANNOT_READ, "'%s' is damaged: its first column is not the time", d->path);
    sqlite3_finalize(statement);
    if (status) taut_layout_clear(d->context, l);
    return status;
}
