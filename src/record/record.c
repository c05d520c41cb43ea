#include "record/record.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "record/layout.h"
#include "record/reader.h"
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

/* Two columns of strings. */
static int read_pairs(const database *d, const char *sql, pairs *p)
{
    sqlite3_stmt *statement;
    size_t capacity = 0;
    int row = 0, status = taut_database_prepare(d, sql, &statement);
    while (!status && (row = taut_database_row(d, statement)) > 0) {
        const char *name = (const char *)sqlite3_column_text(statement, 0),
                   *value = (const char *)sqlite3_column_text(statement, 1);
        status = taut_mem_grow(d->context, &p->texts, &capacity, 2 * p->count + 2, sizeof *p->texts);
        if (status) break;
        char **at = &p->texts[2 * p->count++];
        at[0] = taut_mem_text(d->context, name ? name : "");
        at[1] = taut_mem_text(d->context, value ? value : "");
        if (!at[0] || !at[1]) status = TAUT_OUT_OF_MEMORY;
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
    long exact;
    int status = taut_database_check(&r->d, &empty);
    if (!status && empty)
        status = taut_fail(r->d.context, TAUT_CANNOT_READ, "'%s' is empty: no run has begun in it", r->d.path);
    if (!status) status = read_pairs(&r->d, "select name, value from run", &r->properties);
    if (!status) status = read_pairs(&r->d, "select name, value from settings order by number", &r->settings);
    if (!status) status = taut_layout_read(&r->d, &r->layout);
    if (!status)
        status = taut_database_number(&r->d, "select count(*) from pragma_table_info('frames') where name = 'exact'", 0,
                                      &exact);
    if (!status) r->exact = (int)exact;
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
    return taut_database_number(&r->d, "select max(frame) + 1 from frames", 0, &r->frame_count);
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
        if (status) break;
        record_event *e = &r->events[r->event_count++];
        const char *name = (const char *)sqlite3_column_text(statement, 2),
                   *kind = (const char *)sqlite3_column_text(statement, 3);
        e->step = (long)sqlite3_column_int64(statement, 0);
        e->t = sqlite3_column_double(statement, 1);
        e->impulse = sqlite3_column_type(statement, 4) == SQLITE_NULL ? NAN : sqlite3_column_double(statement, 4);
        e->name = taut_mem_text(r->d.context, name ? name : "");
        e->kind = taut_mem_text(r->d.context, kind ? kind : "");
        if (!e->name || !e->kind) status = TAUT_OUT_OF_MEMORY;
    }
    if (!status && row < 0) status = taut_database_fail(&r->d);
    sqlite3_finalize(statement);
    *events = r->events;
    *count = r->event_count;
    return status;
}
