#include "record/record.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "record/reader.h"
#include "record/schema.h"
#include "record/statement.h"

static void clear_pairs(taut_context *context, pairs *p)
{
    for (size_t i = 0; i < 2 * p->count; i++) taut_mem_free(context, p->texts[i]);
    taut_mem_free(context, p->texts);
    *p = (pairs){ 0 };
}

static void clear_events(record *r)
{
    for (size_t i = 0; i < r->event_count; i++) {
        taut_mem_free(r->d.context, (char *)r->events[i].name);
        taut_mem_free(r->d.context, (char *)r->events[i].kind);
    }
    taut_mem_free(r->d.context, r->events);
    r->events = NULL;
    r->event_count = 0;
}

void taut_record_close(record *r)
{
    if (!r) return;
    taut_context *context = r->d.context;
    clear_pairs(context, &r->properties);
    clear_pairs(context, &r->settings);
    clear_events(r);
    taut_layout_clear(context, &r->layout);
    taut_mem_free(context, r->order);
    taut_database_close(&r->d);
    taut_mem_free(context, r);
}

static int damaged(const database *d, const char *what)
{
    return taut_fail(d->context, TAUT_CANNOT_READ, "'%s' is damaged: %s", d->path, what);
}

/* A copy of a string in the file, *text. what: the message where it is none. */
static int take_text(const database *d, sqlite3_stmt *s, int column, const char *what, char **text)
{
    if (sqlite3_column_type(s, column) != SQLITE_TEXT) return damaged(d, what);
    const char *found = (const char *)sqlite3_column_text(s, column);
    if (!found) return taut_database_fail(d);
    *text = taut_mem_text(d->context, found);
    return *text ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* Two columns of strings. */
static int read_pairs(const database *d, const char *sql, pairs *p)
{
    sqlite3_stmt *statement;
    size_t capacity = 0;
    int row = 0, status = taut_database_prepare(d, sql, &statement);
    while (!status && (row = taut_database_row(d, statement)) > 0) {
        status = taut_mem_grow(d->context, &p->texts, &capacity, 2 * p->count + 2, sizeof *p->texts);
        if (status) break;
        char **at = &p->texts[2 * p->count++];
        at[0] = at[1] = NULL;
        for (int i = 0; !status && i < 2; i++)
            status = take_text(d, statement, i, "a property or a setting is not a text", &at[i]);
    }
    if (!status && row < 0) status = taut_database_fail(d);
    sqlite3_finalize(statement);
    return status;
}

static int by_name(const void *a, const void *b)
{
    const record_column *const *x = a, *const *y = b;
    int order = strcmp((*x)->name, (*y)->name);
    return order ? order : (*x > *y) - (*x < *y); /* of two with one name the first */
}

static int sort_columns(record *r)
{
    r->order = taut_mem_new(r->d.context, r->layout.count, sizeof *r->order);
    if (!r->order) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < r->layout.count; i++) r->order[i] = &r->layout.columns[i];
    qsort(r->order, r->layout.count, sizeof *r->order, by_name);
    return TAUT_OK;
}

static int read_head(record *r)
{
    int empty;
    int status = taut_database_check(&r->d, &empty);
    if (!status && empty)
        status = taut_fail(r->d.context, TAUT_CANNOT_READ, "'%s' is empty: no run has begun in it", r->d.path);
    if (!status) status = taut_schema_read(&r->d, &r->layout, &r->exact);
    if (!status) status = read_pairs(&r->d, "select name, value from run", &r->properties);
    if (!status) status = read_pairs(&r->d, "select name, value from settings order by number", &r->settings);
    if (!status) status = sort_columns(r);
    return status ? status : taut_record_refresh(r);
}

int taut_record_open(taut_context *context, const char *path, record **result)
{
    *result = NULL;
    if (access(path, R_OK))
        return taut_fail(context, TAUT_CANNOT_READ, "cannot read '%s': %s; check the path", path, strerror(errno));
    record *r = taut_mem_new(context, 1, sizeof *r);
    if (!r) return TAUT_OUT_OF_MEMORY;
    /* not read-only: after a crash the first to open the file has to undo what was half written */
    int status = taut_database_open(context, path, SQLITE_OPEN_READWRITE, &r->d);
    if (status == TAUT_CANNOT_READ) status = taut_database_open(context, path, SQLITE_OPEN_READONLY, &r->d);
    if (!status) taut_database_stoppable(&r->d);
    if (!status) status = read_head(r);
    if (status) {
        taut_record_close(r);
    } else {
        *result = r;
    }
    return status;
}

const char *taut_record_path(const record *r) { return r->d.path; }

const char *taut_record_property(const record *r, const char *name)
{
    for (size_t i = 0; i < r->properties.count; i++)
        if (strcmp(r->properties.texts[2 * i], name) == 0) return r->properties.texts[2 * i + 1];
    return NULL;
}

size_t taut_record_setting_count(const record *r) { return r->settings.count; }

void taut_record_setting(const record *r, size_t index, const char **name, const char **value)
{
    *name = r->settings.texts[2 * index];
    *value = r->settings.texts[2 * index + 1];
}

size_t taut_record_column_count(const record *r) { return r->layout.count; }
const record_column *taut_record_columns(const record *r) { return r->layout.columns; }

long taut_record_column_find(const record *r, const char *name)
{
    size_t low = 0, high = r->layout.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (strcmp(r->order[middle]->name, name) < 0) low = middle + 1;
        else high = middle;
    }
    return low < r->layout.count && strcmp(r->order[low]->name, name) == 0 ? (long)(r->order[low] - r->layout.columns)
                                                                           : -1;
}

long taut_record_frame_count(const record *r) { return r->frame_count; }

int taut_record_refresh(record *r)
{
    long pages = 0, page = 0, frames = 0;
    int status = taut_database_number(&r->d, "select max(frame) + 1 from frames", 0, &frames);
    if (!status) status = taut_database_number(&r->d, "pragma page_count", 0, &pages);
    if (!status) status = taut_database_number(&r->d, "pragma page_size", 0, &page);
    /* a frame takes some bytes: its number is no reason to ask for more memory than that */
    if (!status && (frames < 0 || frames / page > pages)) status = damaged(&r->d, "its frames are not numbered from 0");
    if (!status) r->frame_count = frames;
    return status;
}

/* step, t, name, kind, impulse */
static int take_event(record *r, sqlite3_stmt *s, record_event *e)
{
    const int impulse = sqlite3_column_type(s, 4);
    *e = (record_event){ 0 };
    if (sqlite3_column_type(s, 0) != SQLITE_INTEGER || sqlite3_column_type(s, 1) != SQLITE_FLOAT
        || (impulse != SQLITE_FLOAT && impulse != SQLITE_NULL))
        return damaged(&r->d, "an event is not numbers");
    e->step = (long)sqlite3_column_int64(s, 0);
    e->t = sqlite3_column_double(s, 1);
    e->impulse = impulse == SQLITE_NULL ? NAN : sqlite3_column_double(s, 4);
    int status = take_text(&r->d, s, 2, "an event without a name", (char **)&e->name);
    return status ? status : take_text(&r->d, s, 3, "an event without a kind", (char **)&e->kind);
}

int taut_record_events(record *r, const record_event **events, size_t *count)
{
    sqlite3_stmt *statement;
    size_t capacity = 0;
    clear_events(r);
    int row = 0, status = taut_database_prepare(&r->d, "select step, t, name, kind, impulse from events order by event",
                                                &statement);
    while (!status && (row = taut_database_row(&r->d, statement)) > 0) {
        status = taut_mem_grow(r->d.context, &r->events, &capacity, r->event_count + 1, sizeof *r->events);
        if (!status) status = take_event(r, statement, &r->events[r->event_count++]);
    }
    if (!status && row < 0) status = taut_database_fail(&r->d);
    sqlite3_finalize(statement);
    *events = r->events;
    *count = r->event_count;
    return status;
}
