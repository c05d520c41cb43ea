/* Reads frames: columns of `frames` by name, columns in chunks from their bytes. */
#include <string.h>

#include "record/reader.h"
#include "record/statement.h"

/* Where values go: frame by frame, `width` to a frame, as doubles or, if there is a place for them, exactly. */
typedef struct {
    double *values;
    wide *exact;
    size_t width;
} target;

static void store(const target *to, size_t at, double value)
{
    if (to->exact) to->exact[at] = value;
    else to->values[at] = value;
}

/* A binary128 or binary64 number in the byte order of the file. */
static void store_bytes(const target *to, size_t at, const unsigned char *bytes, int quad)
{
    double value;
#ifdef TAUT_HAVE_QUAD
    if (quad) {
        taut_little_endian(&to->exact[at], bytes, 1, sizeof *to->exact);
        return;
    }
#else
    (void)quad;
#endif
    taut_little_endian(&value, bytes, 1, sizeof value);
    store(to, at, value);
}

/* Whether the file has more digits and the caller wants them. */
static int quad_wanted(const record *r, const target *to)
{
#ifdef TAUT_HAVE_QUAD
    return to->exact && r->exact;
#else
    (void)r, (void)to;
    return 0;
#endif
}

static int damaged(const record *r, long frame)
{
    return taut_fail(r->d.context, TAUT_CANNOT_READ, "'%s' is damaged: frame %ld is not complete, or not numbers",
                     r->d.path, frame);
}

/* The requested columns of `frames`: slot[place] is the number of the result, from 1. */
static int prepare_inside(const record *r, const size_t *columns, size_t count, int quad, int *slot,
                          sqlite3_stmt **statement)
{
    text sql = { 0 };
    int used = 0;
    taut_text_add(&sql, quad ? "select frame, exact" : "select frame");
    for (size_t k = 0; k < count; k++) {
        const char *name = r->layout.sql[columns[k]];
        long place = r->layout.place[columns[k]];
        if (!name || slot[place]) continue;
        slot[place] = ++used;
        if (!quad) taut_text_add_format(&sql, ", \"%w\"", name);
    }
    taut_text_add(&sql, " from frames where frame >= ?1 and frame < ?2 order by frame");
    return taut_text_prepare(&sql, &r->d, statement);
}

static int take_row(const record *r, sqlite3_stmt *s, const size_t *columns, size_t row, const int *slot, int quad,
                    const target *to)
{
    const unsigned char *bytes = quad ? sqlite3_column_blob(s, 1) : NULL;
    if (quad && (!bytes || (size_t)sqlite3_column_bytes(s, 1) != r->layout.inside * 16))
        return damaged(r, (long)sqlite3_column_int64(s, 0));
    for (size_t k = 0; k < to->width; k++) {
        if (!r->layout.sql[columns[k]]) continue;
        long place = r->layout.place[columns[k]];
        if (quad) {
            store_bytes(to, row * to->width + k, bytes + 16 * place, 1);
        } else {
            const int column = slot[place], type = sqlite3_column_type(s, column);
            if (type != SQLITE_FLOAT && type != SQLITE_NULL) return damaged(r, (long)sqlite3_column_int64(s, 0));
            store(to, row * to->width + k, type == SQLITE_NULL ? NAN : sqlite3_column_double(s, column));
        }
    }
    return TAUT_OK;
}

static int read_inside(record *r, long first, long count, const size_t *columns, const target *to)
{
    sqlite3_stmt *statement = NULL;
    int quad = quad_wanted(r, to), *slot = taut_mem_new(r->d.context, r->layout.inside, sizeof *slot), row = 1;
    int status = slot ? prepare_inside(r, columns, to->width, quad, slot, &statement) : TAUT_OUT_OF_MEMORY;
    if (!status) {
        sqlite3_bind_int64(statement, 1, first);
        sqlite3_bind_int64(statement, 2, first + count);
    }
    for (long i = 0; !status && i < count; i++) {
        row = taut_database_row(&r->d, statement);
        if (row > 0 && sqlite3_column_int64(statement, 0) == first + i)
            status = take_row(r, statement, columns, (size_t)i, slot, quad, to);
        else status = row < 0 ? taut_database_fail(&r->d) : damaged(r, first + i);
    }
    sqlite3_finalize(statement);
    taut_mem_free(r->d.context, slot);
    return status;
}

int taut_record_check_cells(const record *r)
{
    sqlite3_stmt *statement = NULL;
    text sql = { 0 };
    if (r->exact) return TAUT_OK; /* blobs, whose size is looked at where they are read */
    taut_text_add(&sql, "select frame");
    for (size_t k = 0; k < r->layout.count; k++)
        if (r->layout.sql[k]) taut_text_add_format(&sql, ", \"%w\"", r->layout.sql[k]);
    taut_text_add(&sql, " from frames order by frame");
    int status = taut_text_prepare(&sql, &r->d, &statement), row = 0;
    while (!status && (row = taut_database_row(&r->d, statement)) > 0)
        for (int k = 1; !status && k < sqlite3_column_count(statement); k++) {
            const int type = sqlite3_column_type(statement, k);
            if (type != SQLITE_FLOAT && type != SQLITE_NULL)
                status = damaged(r, (long)sqlite3_column_int64(statement, 0));
        }
    if (!status && row < 0) status = taut_database_fail(&r->d);
    sqlite3_finalize(statement);
    return status;
}

/* A column that is in a chunk, and its position in the answer. */
typedef struct {
    long place;
    size_t k;
} wanted;

static int by_place(const void *a, const void *b)
{
    long x = ((const wanted *)a)->place, y = ((const wanted *)b)->place;
    return (x > y) - (x < y);
}

static int take_frame(record *r, sqlite3_stmt *s, long frame, const wanted *list, size_t count, size_t row,
                      const target *to)
{
    const long chunks = (long)taut_layout_chunks(&r->layout);
    const size_t size = quad_wanted(r, to) ? 16 : 8;
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < count;) {
        long chunk = list[i].place / LAYOUT_CHUNK;
        sqlite3_bind_int64(s, 1, frame * chunks + chunk);
        int found = taut_database_row(&r->d, s);
        const unsigned char *bytes = found > 0 ? sqlite3_column_blob(s, 0) : NULL;
        if (found < 0) status = taut_database_fail(&r->d);
        else if (!bytes
                 || (size_t)sqlite3_column_bytes(s, 0) != size * taut_layout_chunk_size(&r->layout, (size_t)chunk))
            status = damaged(r, frame);
        for (; i < count && list[i].place / LAYOUT_CHUNK == chunk; i++)
            if (!status)
                store_bytes(to, row * to->width + list[i].k, bytes + size * (size_t)(list[i].place % LAYOUT_CHUNK),
                            size == 16);
        sqlite3_reset(s);
    }
    return status;
}

static int read_outside(record *r, long first, long count, const size_t *columns, const target *to)
{
    sqlite3_stmt *statement = NULL;
    size_t used = 0;
    wanted *list = taut_mem_new(r->d.context, to->width, sizeof *list);
    if (!list) return TAUT_OUT_OF_MEMORY;
    for (size_t k = 0; k < to->width; k++)
        if (!r->layout.sql[columns[k]]) list[used++] = (wanted){ r->layout.place[columns[k]], k };
    qsort(list, used, sizeof *list, by_place);
    int status = used ? taut_database_prepare(&r->d,
                                         quad_wanted(r, to) ? "select exact from chunks where number = ?1"
                                                            : "select data from chunks where number = ?1",
                                         &statement)
                      : TAUT_OK;
    for (long i = 0; used && !status && i < count; i++)
        status = take_frame(r, statement, first + i, list, used, (size_t)i, to);
    sqlite3_finalize(statement);
    taut_mem_free(r->d.context, list);
    return status;
}

/* In one transaction, so that all parts are of the same commit. */
static int read_frames(record *r, long first, long count, const size_t *columns, const target *to)
{
    if (first < 0 || count < 0 || first > r->frame_count || count > r->frame_count - first)
        return taut_fail(r->d.context, TAUT_BAD_USAGE, "'%s' has %ld frames; %ld from number %ld are asked for",
                         r->d.path, r->frame_count, count, first);
    for (size_t k = 0; k < to->width; k++)
        if (columns[k] >= r->layout.count)
            return taut_fail(r->d.context, TAUT_BAD_USAGE, "'%s' has no column %zu", r->d.path, columns[k]);
    int status = taut_database_run(&r->d, "begin");
    if (status) return status;
    status = read_inside(r, first, count, columns, to);
    if (!status && r->layout.outside) status = read_outside(r, first, count, columns, to);
    sqlite3_exec(r->d.handle, "end", NULL, NULL, NULL);
    return status;
}

int taut_record_read(record *r, long first, long count, const size_t *columns, size_t column_count, double *values)
{
    return read_frames(r, first, count, columns, &(target){ values, NULL, column_count });
}

int taut_record_read_wide(record *r, long first, long count, const size_t *columns, size_t column_count, wide *values)
{
    return read_frames(r, first, count, columns, &(target){ NULL, values, column_count });
}

int taut_record_read_steps(record *r, long first, long count, long *steps)
{
    sqlite3_stmt *statement;
    int row = 1, status = taut_database_prepare(
                     &r->d, "select step from frames where frame >= ?1 and frame < ?2 order by frame", &statement);
    if (status) return status;
    sqlite3_bind_int64(statement, 1, first);
    sqlite3_bind_int64(statement, 2, first + count);
    for (long i = 0; !status && i < count; i++) {
        row = taut_database_row(&r->d, statement);
        if (row > 0 && sqlite3_column_type(statement, 0) == SQLITE_INTEGER)
            steps[i] = (long)sqlite3_column_int64(statement, 0);
        else status = row < 0 ? taut_database_fail(&r->d) : damaged(r, first + i);
    }
    sqlite3_finalize(statement);
    return status;
}

/* ---- the checkpoint ---- */

static int find_part(record *r, const char *name, sqlite3_stmt **statement)
{
    int status = taut_database_prepare(&r->d, "select value from checkpoint where name = ?1", statement);
    if (status) return status;
    sqlite3_bind_text(*statement, 1, name, -1, SQLITE_STATIC);
    int row = taut_database_row(&r->d, *statement);
    if (row < 0) return taut_database_fail(&r->d);
    if (row > 0) return TAUT_OK;
    return taut_fail(r->d.context, TAUT_UNSUPPORTED,
                "'%s' cannot be resumed by this Taut: its checkpoint has no '%s' (it was written by taut %s)",
                r->d.path, name, taut_record_property(r, "taut") ? taut_record_property(r, "taut") : "?");
}

void taut_record_checkpoint_begin(record *r) { taut_sha256_begin(&r->sum); }

int taut_record_checkpoint_has(record *r, const char *name, int *has)
{
    sqlite3_stmt *statement;
    int status = taut_database_prepare(&r->d, "select 1 from checkpoint where name = ?1", &statement);
    if (status) return status;
    sqlite3_bind_text(statement, 1, name, -1, SQLITE_STATIC);
    const int row = taut_database_row(&r->d, statement);
    sqlite3_finalize(statement);
    *has = row > 0;
    return row < 0 ? taut_database_fail(&r->d) : TAUT_OK;
}

int taut_record_checkpoint_end(record *r)
{
    unsigned char digest[SHA256_SIZE];
    char text[2 * SHA256_SIZE + 1], found[2 * SHA256_SIZE + 1] = "";
    int has;
    taut_sha256_end(&r->sum, digest);
    taut_sha256_text(digest, text);
    int status = taut_record_checkpoint_has(r, "checksum", &has);
    if (status || !has) return status;
    status = taut_record_checkpoint_text(r, "checksum", found, sizeof found);
    if (!status && strcmp(found, text) != 0)
        status = taut_fail(r->d.context, TAUT_CANNOT_READ,
                           "'%s' cannot be resumed: its checkpoint was changed after it was written", r->d.path);
    return status;
}

int taut_record_checkpoint_text(record *r, const char *name, char *buffer, size_t size)
{
    sqlite3_stmt *statement = NULL;
    int status = find_part(r, name, &statement);
    const int is_text = !status && sqlite3_column_type(statement, 0) == SQLITE_TEXT;
    const char *found = is_text ? (const char *)sqlite3_column_text(statement, 0) : NULL;
    if (!status && (!found || strlen(found) >= size))
        status = taut_fail(r->d.context, TAUT_CANNOT_READ, "'%s' is damaged: '%s' of its checkpoint is invalid",
                           r->d.path, name);
    if (!status) strcpy(buffer, found);
    if (!status) taut_record_sum(&r->sum, name, found, strlen(found));
    sqlite3_finalize(statement);
    return status;
}

int taut_record_checkpoint_numbers(record *r, const char *name, void *numbers, size_t count, size_t size)
{
    sqlite3_stmt *statement = NULL;
    int status = find_part(r, name, &statement);
    const int is_bytes = !status && sqlite3_column_type(statement, 0) == SQLITE_BLOB;
    const void *found = is_bytes ? sqlite3_column_blob(statement, 0) : NULL;
    if (!status && (!is_bytes || (!found && count) || (size_t)sqlite3_column_bytes(statement, 0) != count * size))
        status = taut_fail(r->d.context, TAUT_CANNOT_READ,
                      "'%s' cannot be resumed: '%s' of its checkpoint is not %zu numbers of %zu bytes", r->d.path, name,
                      count, size);
    if (!status) taut_little_endian(numbers, found, count, size);
    if (!status) taut_record_sum(&r->sum, name, found, count * size);
    sqlite3_finalize(statement);
    return status;
}
