#include "record/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/fill.h"
#include "record/schema.h"
#include "record/stage.h"
#include "record/statement.h"
#include "record/sweep_inside.h"

enum { INSERT_FRAME, INSERT_CHUNK, INSERT_EVENT, PUT_PROPERTY, PUT_SETTING, PUT_CHECKPOINT, STATEMENTS };

struct writer {
    database d;
    database file;           /* the file, as long as d is in memory; its handle is NULL otherwise */
    layout layout;
    int quad;
    long next_frame;
    struct stat identity;    /* of the file */
    int is_new;              /* it was created here, and nothing is committed yet */
    sqlite3_stmt *statements[STATEMENTS];
    wide *exact;             /* of a frame's columns, or of a chunk: as many as the larger of them has */
    double *chunk;
    unsigned char *bytes;    /* of numbers on their way into the file */
    size_t bytes_capacity;
    /* Frames on their way into the transaction; none where a frame goes there at once. */
    int gathers;
    char *definition;        /* of the table frames */
    stage stages[STAGE_LIMIT + 1];
    int stage_count;         /* of them in use until the transaction is over; the next one gathers */
    int attached;            /* the next one too: its rows must be inserted one by one, and no others added */
    size_t taken;            /* of the rows that it has, those that are in already, one by one */
    double *row;             /* on its way out of it again */
    int unfit;               /* the connection can only be closed */
    sha256 sum;              /* of the checkpoint so far */
};

enum {
    GATHERED = 16 << 20,     /* bytes of frames in memory; then it is time to commit */
    FEW = 32,                /* frames that are inserted one by one sooner than by a stage */
    LARGE = 1 << 20,         /* bytes of frames from which on a file is large */
    SMALL_PAGE = 4096, LARGE_PAGE = 16384 /* bytes of its pages */
};

/* One transaction after another is open from create to close, and keeps others from writing. Readers wait only while it
   is being committed. synchronous=extra: what is committed also survives a power failure, and so does the deletion of
   the journal, which would undo it. Pages that wait for the commit stay in memory. */
static int begin(writer *w)
{
    return taut_database_run(&w->d, "begin immediate");
}

static int configure(writer *w)
{
    return taut_database_run(&w->d, "pragma synchronous = extra; pragma cache_spill = off; pragma foreign_keys = off; "
                                    "pragma secure_delete = off");
}

/* The first transaction of a run is put together in a database in memory, and comes to the file as a whole. */
static int begin_in_memory(writer *w, int page)
{
    taut_context *context = w->d.context;
    w->file = w->d;
    w->d = (database){ .context = context };
    int status = taut_fill_lock(&w->file, page);
    if (!status) status = taut_database_open(context, ":memory:", SQLITE_OPEN_READWRITE, &w->d);
    w->d.writes = 1;
    taut_mem_free(context, w->d.path);
    if (!status && !(w->d.path = taut_mem_text(context, w->file.path))) status = TAUT_OUT_OF_MEMORY;
    if (!status) status = configure(w);
    if (!status)
        status = taut_database_run_format(&w->d, "pragma auto_vacuum = none; pragma page_size = %d", page);
    return status ? status : begin(w);
}

void taut_writer_close(writer *w)
{
    if (!w) return;
    taut_context *context = w->d.context;
    for (int i = 0; i < STATEMENTS; i++) sqlite3_finalize(w->statements[i]);
    taut_layout_clear(context, &w->layout);
    taut_mem_free(context, w->exact);
    taut_mem_free(context, w->chunk);
    taut_mem_free(context, w->bytes);
    taut_mem_free(context, w->definition);
    taut_mem_free(context, w->row);
    struct stat now;
    char *path = w->is_new ? w->d.path : NULL;
    if (path) w->d.path = NULL;
    taut_database_close(&w->d);
    taut_database_close(&w->file);
    /* an empty file is no run */
    if (path && stat(path, &now) == 0 && now.st_ino == w->identity.st_ino && now.st_size == 0) unlink(path);
    taut_mem_free(context, path);
    for (int i = 0; i <= STAGE_LIMIT; i++) taut_stage_clear(context, &w->stages[i]);
    taut_mem_free(context, w);
}

static int prepare_frame(writer *w)
{
    text sql = { 0 };
    taut_text_add(&sql, "insert into main.frames values (?1, ?2");
    for (size_t i = 0; i < w->layout.inside + (w->quad ? 1 : 0); i++) taut_text_add_format(&sql, ", ?%d", (int)i + 3);
    taut_text_add(&sql, ")");
    return taut_text_prepare(&sql, &w->d, &w->statements[INSERT_FRAME]);
}

/* Prepared when it is first needed: a short run does without most of them. */
static int prepared(writer *w, int which, sqlite3_stmt **s)
{
    static const char *const sql[STATEMENTS] = {
        [INSERT_EVENT] = "insert into main.events (step, t, name, kind, impulse) values (?1, ?2, ?3, ?4, ?5)",
        [PUT_PROPERTY] = "insert or replace into main.run values (?1, ?2)",
        [PUT_SETTING] = "insert or replace into main.settings values (?1, ?2, ?3)",
        [PUT_CHECKPOINT] = "insert or replace into main.checkpoint values (?1, ?2)",
        [INSERT_CHUNK] = "insert into main.chunks values (?1, ?2, ?3, ?4)",
    };
    static const char quad_chunk[] = "insert into main.chunks values (?1, ?2, ?3, ?4, ?5)";
    int status = TAUT_OK;
    if (!w->statements[which] && which == INSERT_FRAME)
        status = prepare_frame(w);
    else if (!w->statements[which])
        status = taut_database_prepare(&w->d, which == INSERT_CHUNK && w->quad ? quad_chunk : sql[which],
                                       &w->statements[which]);
    *s = w->statements[which];
    return status;
}

/* Frames are gathered where all of a frame is in the table, in double precision. */
static int prepare_gathering(writer *w)
{
    sqlite3_stmt *s;
    if (w->quad || w->layout.outside) return TAUT_OK;
    int status = taut_database_prepare(&w->d, "select sql from sqlite_master where name = 'frames'", &s);
    if (status) return status;
    int row = taut_database_row(&w->d, s);
    const char *sql = row > 0 ? (const char *)sqlite3_column_text(s, 0) : NULL;
    if (row < 0) status = taut_database_fail(&w->d);
    if (sql && !(w->definition = taut_mem_text(w->d.context, sql))) status = TAUT_OUT_OF_MEMORY;
    sqlite3_finalize(s);
    w->gathers = w->definition && taut_stage_suits(w->definition, w->layout.inside, 0);
    long page = 0;
    if (!status && w->file.handle) status = taut_database_number(&w->d, "pragma page_size", 0, &page);
    if (page && taut_stage_suits(w->definition, w->layout.inside, (size_t)page))
        taut_stage_pages(&w->stages[0], (uint32_t)page, page == LARGE_PAGE);
    return status;
}

static int count_frames(writer *w)
{
    return taut_database_number(&w->d, "select max(frame) + 1 from main.frames", 0, &w->next_frame);
}

static int prepare(writer *w)
{
    int status = prepare_gathering(w);
    size_t most = w->layout.inside > LAYOUT_CHUNK ? w->layout.inside : LAYOUT_CHUNK;
    if (status) return status;
    w->exact = taut_mem_new(w->d.context, most, sizeof *w->exact);
    w->chunk = taut_mem_new(w->d.context, LAYOUT_CHUNK, sizeof *w->chunk);
    w->row = taut_mem_new(w->d.context, w->layout.count, sizeof *w->row);
    return w->exact && w->chunk && w->row ? count_frames(w) : TAUT_OUT_OF_MEMORY;
}

static int connect(taut_context *context, const char *path, writer *w)
{
    int status = taut_database_open(context, path, SQLITE_OPEN_READWRITE, &w->d);
    w->d.writes = 1;
    if (!status && sqlite3_db_readonly(w->d.handle, "main") == 1)
        status = taut_fail(context, TAUT_CANNOT_WRITE, "cannot write '%s': the file is read-only", path);
    if (!status) status = configure(w);
    if (!status) sqlite3_busy_timeout(w->d.handle, 500); /* who writes for longer writes a run */
    if (!status && stat(path, &w->identity))
        status = taut_fail(context, TAUT_CANNOT_READ, "cannot read '%s': %s", path, strerror(errno));
    return status;
}

/* An existing run, locked. On failure *result is NULL. */
static int lock_run(taut_context *context, const char *path, writer **result)
{
    int empty = 0;
    *result = NULL;
    if (access(path, R_OK)) return taut_fail(context, TAUT_CANNOT_READ, "cannot read '%s': %s", path, strerror(errno));
    writer *w = taut_mem_new(context, 1, sizeof *w);
    if (!w) return TAUT_OUT_OF_MEMORY;
    int status = connect(context, path, w);
    if (!status) status = begin(w);
    if (!status) status = taut_database_check(&w->d, &empty);
    if (!status && empty)
        status =
            taut_fail(context, TAUT_CANNOT_READ, "'%s' is empty: the run ended before it began; start it again", path);
    if (status)
        taut_writer_close(w);
    else
        *result = w;
    return status;
}

/* Removes the file if it may be replaced: it is a run, and no process writes to it. */
static int remove_run(taut_context *context, const char *path)
{
    writer *old;
    int status = lock_run(context, path, &old);
    if (status) return status;
    taut_writer_close(old);
    if (unlink(path) == 0) return TAUT_OK;
    return taut_fail(context, TAUT_CANNOT_WRITE, "cannot replace '%s': %s", path, strerror(errno));
}

static int exists(taut_context *context, const char *path)
{
    return taut_fail(context, TAUT_BAD_USAGE,
                     "'%s' exists; resume that run, force its replacement, or give another name", path);
}

/* Makes sure that there is an empty file. own: it was created here, and cannot be another process's. */
static int claim(taut_context *context, const char *path, int replace, int *own)
{
    struct stat found;
    *own = 0;
    if (stat(path, &found) == 0 && S_ISREG(found.st_mode) && found.st_size == 0) return TAUT_OK;
    int file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0 && errno == EEXIST && replace) {
        int status = remove_run(context, path);
        if (status) return status;
        file = open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    }
    if (file < 0 && errno == EEXIST) return exists(context, path);
    if (file < 0) return taut_fail(context, TAUT_CANNOT_WRITE, "cannot create '%s': %s", path, strerror(errno));
    close(file);
    *own = 1;
    return TAUT_OK;
}

/* Of bytes of frames. A page is written by a call of the system, which costs more than what it copies. But a table or
   index has a page at least, and a short run should have a small file. */
static int begin_new(writer *w, double size, int memory)
{
    int empty = 1;
    if (memory && !w->quad && !w->layout.outside) {
        int status = begin_in_memory(w, size < LARGE ? SMALL_PAGE : LARGE_PAGE);
        if (!status) status = taut_database_check(&w->file, &empty);
        return status || empty ? status : exists(w->d.context, w->d.path);
    }
    int status = size < LARGE ? TAUT_OK : taut_database_run_format(&w->d, "pragma page_size = %d", LARGE_PAGE);
    if (!status) status = begin(w);
    if (!status) status = taut_database_check(&w->d, &empty);
    /* an empty file was there, and another process has filled it meanwhile */
    return status || empty ? status : exists(w->d.context, w->d.path);
}

static int create(taut_context *context, const char *path, int replace, const record_column *columns,
                  size_t column_count, int quad, double frames, int memory, writer **result)
{
    int own;
    *result = NULL;
    writer *w = taut_mem_new(context, 1, sizeof *w);
    if (!w) return TAUT_OUT_OF_MEMORY;
    w->d.context = context;
    w->quad = quad;
    int status = claim(context, path, replace, &own);
    if (!status) status = connect(context, path, w);
    if (!status) status = taut_layout_make(context, columns, column_count, &w->layout);
    if (!status) status = begin_new(w, frames * (double)column_count * (quad ? 24 : 8), memory);
    if (!status) status = taut_schema_create(&w->d, &w->layout, w->quad);
    if (!status) status = prepare(w);
    if (status) {
        taut_writer_close(w);
        if (own) unlink(path);
    } else {
        w->is_new = own;
        *result = w;
    }
    return status;
}

int taut_writer_create(taut_context *context, const char *path, int replace, const record_column *columns,
                       size_t column_count, int quad, double frames, writer **result)
{
    return create(context, path, replace, columns, column_count, quad, frames, 1, result);
}

int taut_writer_create_sweep(taut_context *context, const char *path, int replace, const record_column *columns,
                             size_t column_count, double frames, writer **result)
{
    return create(context, path, replace, columns, column_count, 0, frames, 0, result);
}

int taut_writer_open(taut_context *context, const char *path, writer **result)
{
    writer *w;
    *result = NULL;
    int status = lock_run(context, path, &w);
    if (status) return status;
    status = taut_schema_read(&w->d, &w->layout, &w->quad);
    if (!status) status = prepare(w);
    if (status)
        taut_writer_close(w);
    else
        *result = w;
    return status;
}

static int put_two_texts(writer *w, int statement, const char *name, const char *value)
{
    sqlite3_stmt *s;
    int status = prepared(w, statement, &s);
    if (status) return status;
    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, value, -1, SQLITE_STATIC);
    return taut_database_do(&w->d, s);
}

int taut_writer_property(writer *w, const char *name, const char *value)
{
    return put_two_texts(w, PUT_PROPERTY, name, value);
}

void taut_writer_checkpoint_begin(writer *w) { taut_sha256_begin(&w->sum); }

int taut_writer_checkpoint_end(writer *w)
{
    unsigned char digest[SHA256_SIZE];
    char text[2 * SHA256_SIZE + 1];
    taut_sha256_end(&w->sum, digest);
    taut_sha256_text(digest, text);
    return put_two_texts(w, PUT_CHECKPOINT, "checksum", text);
}

int taut_writer_checkpoint_text(writer *w, const char *name, const char *value)
{
    taut_record_sum(&w->sum, name, value, strlen(value));
    return put_two_texts(w, PUT_CHECKPOINT, name, value);
}

int taut_writer_setting(writer *w, size_t number, const char *name, const char *value)
{
    sqlite3_stmt *s;
    int status = prepared(w, PUT_SETTING, &s);
    if (status) return status;
    sqlite3_bind_int64(s, 1, (sqlite3_int64)number);
    sqlite3_bind_text(s, 2, name, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 3, value, -1, SQLITE_STATIC);
    return taut_database_do(&w->d, s);
}

/* Numbers as bytes of the file, for the time until the statement has run. */
static int bind_numbers(writer *w, sqlite3_stmt *s, int parameter, const void *numbers, size_t count, size_t size)
{
    int status = taut_mem_grow(w->d.context, &w->bytes, &w->bytes_capacity, mem_product(count, size), 1);
    if (status) return status;
    taut_little_endian(w->bytes, numbers, count, size);
    return sqlite3_bind_blob64(s, parameter, w->bytes, count * size, SQLITE_TRANSIENT) ? taut_database_fail(&w->d)
                                                                                       : TAUT_OK;
}

int taut_writer_checkpoint_numbers(writer *w, const char *name, const void *numbers, size_t count, size_t size)
{
    sqlite3_stmt *s;
    int status = prepared(w, PUT_CHECKPOINT, &s);
    if (status) return status;
    sqlite3_bind_text(s, 1, name, -1, SQLITE_STATIC);
    status = bind_numbers(w, s, 2, numbers, count, size);
    if (!status) taut_record_sum(&w->sum, name, w->bytes, count * size);
    if (!status) status = taut_database_do(&w->d, s);
    sqlite3_clear_bindings(s);
    return status;
}

static int put_chunk(writer *w, size_t chunk)
{
    sqlite3_stmt *s;
    size_t size = taut_layout_chunk_size(&w->layout, chunk);
    int status = prepared(w, INSERT_CHUNK, &s);
    if (status) return status;
    sqlite3_bind_int64(s, 1, (sqlite3_int64)(w->next_frame * (long)taut_layout_chunks(&w->layout) + (long)chunk));
    sqlite3_bind_int64(s, 2, w->next_frame);
    sqlite3_bind_int64(s, 3, (sqlite3_int64)chunk);
    status = bind_numbers(w, s, 4, w->chunk, size, sizeof *w->chunk);
    if (!status && w->quad) status = bind_numbers(w, s, 5, w->exact, size, sizeof *w->exact);
    return status ? status : taut_database_do(&w->d, s);
}

static double value_at(const writer *w, const void *values, size_t i)
{
    return w->quad ? (double)((const wide *)values)[i] : ((const double *)values)[i];
}

static int put_chunks(writer *w, const void *values)
{
    const layout *l = &w->layout;
    size_t place = 0;
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < l->count; i++) {
        if (l->sql[i]) continue;
        w->chunk[place % LAYOUT_CHUNK] = value_at(w, values, i);
        if (w->quad) w->exact[place % LAYOUT_CHUNK] = ((const wide *)values)[i];
        if (++place % LAYOUT_CHUNK == 0 || place == l->outside) status = put_chunk(w, (place - 1) / LAYOUT_CHUNK);
    }
    return status;
}

static int insert_frame(writer *w, long frame, long step, const void *values)
{
    const layout *l = &w->layout;
    sqlite3_stmt *s;
    int parameter = 3, status = prepared(w, INSERT_FRAME, &s);
    if (status) return status;
    sqlite3_bind_int64(s, 1, frame);
    sqlite3_bind_int64(s, 2, step);
    for (size_t i = 0; i < l->count; i++) {
        if (!l->sql[i]) continue;
        if (w->quad) w->exact[parameter - 3] = ((const wide *)values)[i];
        sqlite3_bind_double(s, parameter++, value_at(w, values, i));
    }
    if (w->quad) status = bind_numbers(w, s, parameter, w->exact, l->inside, sizeof *w->exact);
    return status ? status : taut_database_do(&w->d, s);
}

/* ---- gathered frames ---- */

static stage *gathering(writer *w) { return &w->stages[w->stage_count]; }

/* Those that are in are not inserted again when a later one fails. */
static int insert_one_by_one(writer *w, long first)
{
    const stage *s = gathering(w);
    stage_leaf at = { 0 };
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < s->count; i++) {
        int64_t step;
        taut_stage_next(s, &at, &step, w->row, w->layout.count);
        if (i < w->taken) continue;
        status = insert_frame(w, first + (long)i, (long)step, w->row);
        if (!status) w->taken++;
    }
    return status;
}

/* Into the transaction. */
static int put_gathered(writer *w)
{
    stage *s = gathering(w);
    if (!s->count) return TAUT_OK;
    int attached = 0, copied = 0, status = TAUT_OK;
    long first = w->next_frame - (long)s->count;
    if (s->count > FEW && !w->taken && !w->attached && w->stage_count < STAGE_LIMIT) {
        status = taut_stage_copy(&w->d, s, w->stage_count, w->definition, &attached, &copied);
        w->attached = attached > 0;
        w->unfit = attached < 0;
    }
    if (!status && !copied) status = insert_one_by_one(w, first);
    if (status) return status;
    taut_stage_empty(s);
    w->stage_count += w->attached;
    w->attached = 0;
    w->taken = 0;
    return TAUT_OK;
}

/* When the transaction is over. */
static int detach_stages(writer *w)
{
    int status = TAUT_OK;
    while (!status && w->stage_count) status = taut_stage_detach(&w->d, --w->stage_count);
    return status;
}

const char *taut_writer_path(const writer *w) { return w->d.path; }
const database *taut_writer_database(const writer *w) { return &w->d; }

int taut_writer_is_full(const writer *w)
{
    const stage *s = &w->stages[w->stage_count];
    return taut_stage_size(s) >= GATHERED || taut_stage_is_full(s);
}

int taut_writer_frame(writer *w, long step, const void *values)
{
    int status = w->attached || (w->gathers && taut_stage_is_full(gathering(w))) ? put_gathered(w) : TAUT_OK;
    if (!status)
        status = w->gathers ? taut_stage_add(w->d.context, gathering(w), w->next_frame, step, values, w->layout.count)
                            : insert_frame(w, w->next_frame, step, values);
    if (!status && w->layout.outside) status = put_chunks(w, values);
    if (!status) w->next_frame++;
    return status;
}

int taut_writer_event(writer *w, const record_event *event)
{
    sqlite3_stmt *s;
    int status = prepared(w, INSERT_EVENT, &s);
    if (status) return status;
    sqlite3_bind_int64(s, 1, event->step);
    sqlite3_bind_double(s, 2, event->t);
    sqlite3_bind_text(s, 3, event->name, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 4, event->kind, -1, SQLITE_STATIC);
    sqlite3_bind_double(s, 5, event->impulse); /* NaN becomes NULL */
    return taut_database_do(&w->d, s);
}

int taut_writer_drop_after(writer *w, long step)
{
    int status = put_gathered(w);
    if (!status && w->layout.outside)
        status = taut_database_run_format(
            &w->d, "delete from main.chunks where frame in (select frame from main.frames where step > %lld)",
            (sqlite3_int64)step);
    if (!status)
        status = taut_database_run_format(&w->d, "delete from main.frames where step > %lld", (sqlite3_int64)step);
    if (!status)
        status = taut_database_run_format(&w->d, "delete from main.events where step > %lld", (sqlite3_int64)step);
    return status ? status : count_frames(w);
}

/* Is the file still where it was? Writing to one that was removed would go nowhere. */
static int check_identity(const writer *w)
{
    struct stat now;
    if (stat(w->d.path, &now) == 0 && now.st_ino == w->identity.st_ino && now.st_dev == w->identity.st_dev)
        return TAUT_OK;
    return taut_database_moved(&w->d);
}

int taut_writer_is_whole(const writer *w) { return !w->unfit && !sqlite3_get_autocommit(w->d.handle); }

/* From memory to the file. */
static void change_over(writer *w)
{
    for (int i = 0; i < STATEMENTS; i++) sqlite3_finalize(w->statements[i]), w->statements[i] = NULL;
    taut_database_close(&w->d);
    w->d = w->file;
    w->file = (database){ .context = w->d.context };
    taut_stage_empty(gathering(w));
    w->stage_count = 0, w->attached = 0, w->taken = 0;
}

/* What is in memory, as a file. */
static int serialize(writer *w, unsigned char **bytes, sqlite3_int64 *size)
{
    int status = taut_database_run(&w->d, "commit");
    if (!status) status = detach_stages(w);
    if (status) return status;
    *bytes = sqlite3_serialize(w->d.handle, "main", size, 0);
    return *bytes ? TAUT_OK : taut_fail(w->d.context, TAUT_OUT_OF_MEMORY, "out of memory in SQLite");
}

/* The first commit. Frames that are laid out already are not copied row by row: their pages follow those of the
   database in memory. */
static int publish(writer *w, int wait, int *done)
{
    unsigned char *base = NULL, *whole = NULL;
    sqlite3_int64 size = 0;
    long root = 0;
    const int joins = gathering(w)->count && !w->taken && !w->attached && !w->stage_count;
    int status = joins ? TAUT_OK : put_gathered(w);
    if (!status && joins)
        status = taut_database_number(&w->d, "select rootpage from sqlite_schema where name = 'frames'", 0, &root);
    if (!status) status = serialize(w, &base, &size);
    if (!status) whole = joins ? taut_stage_join(gathering(w), base, root, &size) : base;
    if (!status && !whole) {
        sqlite3_free(base);
        base = NULL;
        status = begin(w);
        if (!status) status = put_gathered(w);
        if (!status) status = serialize(w, &base, &size);
        whole = base;
    }
    if (!status) status = taut_fill(&w->file, whole, size, wait, done);
    sqlite3_free(base);
    if (status) return status;
    if (*done) {
        change_over(w);
        return TAUT_OK;
    }
    status = begin(w);
    return status ? status : put_gathered(w);
}

static int commit(writer *w, int wait, const char *between, int *done)
{
    *done = 0;
    int status = check_identity(w);
    if (!status && w->file.handle) {
        status = publish(w, wait, done);
        if (status || !*done) return status;
    } else {
        if (!status) status = put_gathered(w);
        if (status) return status;
        sqlite3_busy_timeout(w->d.handle, wait);
        int code = sqlite3_exec(w->d.handle, "commit", NULL, NULL, NULL);
        if (code == SQLITE_BUSY && !sqlite3_get_autocommit(w->d.handle)) return TAUT_OK;
        if (code) return taut_database_fail(&w->d);
        *done = 1;
    }
    w->is_new = 0;
    sqlite3_busy_timeout(w->d.handle, 5000);
    status = detach_stages(w);
    if (!status && between) status = taut_database_run(&w->d, between);
    return status ? status : begin(w);
}

int taut_writer_commit(writer *w, int wait, int *done) { return commit(w, wait, NULL, done); }

int taut_writer_commit_with(writer *w, const char *sql, int *done) { return commit(w, 5000, sql, done); }
