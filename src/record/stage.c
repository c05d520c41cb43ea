#include "record/stage.h"

#include <string.h>

enum {
    PAGE = 65536,            /* bytes; the largest there is, so that there are few */
    HEAD = 100,              /* of the file, at the begin of page 1 */
    LEAF = 0x0d, INTERIOR = 0x05, LEAF_HEAD = 8, INTERIOR_HEAD = 12,
    ROOT = 2,                /* page of the table frames */
    CELL = 18,               /* bytes of a row before its content, at most: two numbers of variable length */
    TYPE_NULL = 0, TYPE_DOUBLE = 7, TYPE_ZERO = 8 /* of values; NULL and zero have no content */
};

/* ---- numbers in the file: most significant byte first ---- */

static void put_16(unsigned char *p, uint32_t value) { p[0] = (unsigned char)(value >> 8), p[1] = (unsigned char)value; }

static void put_32(unsigned char *p, uint32_t value)
{
    put_16(p, value >> 16);
    put_16(p + 2, value);
}

/* Seven bits a byte, all but the last byte with their highest bit set. The nine-byte form of numbers beyond 2^56 is
   not needed: numbers here are sizes, and counts of frames. */
static int varint_size(uint64_t value)
{
    int size = 1;
    while (value >>= 7) size++;
    return size;
}

static unsigned char *put_varint(unsigned char *p, uint64_t value)
{
    int size = varint_size(value);
    for (int i = size - 1; i >= 0; i--, value >>= 7)
        p[i] = (unsigned char)((value & 127) | (i < size - 1 ? 128 : 0));
    return p + size;
}

/* A whole number: its type, and how many bytes it takes. */
static int type_of_whole(int64_t value, int *size)
{
    static const int sizes[] = { 1, 2, 3, 4, 6 };
    *size = 0;
    if (value == 0) return TYPE_ZERO;
    for (int i = 0; i < 5; i++) {
        int64_t limit = (int64_t)1 << (8 * sizes[i] - 1);
        *size = sizes[i];
        if (value >= -limit && value < limit) return i + 1;
    }
    *size = 8;
    return 6;
}

static unsigned char *put_whole(unsigned char *p, int64_t value, int size)
{
    for (int i = size - 1; i >= 0; i--, value >>= 8) p[i] = (unsigned char)(value & 255);
    return p + size;
}

static void put_double(unsigned char *p, const unsigned char *value)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint64_t bits;
    memcpy(&bits, value, sizeof bits);
    bits = __builtin_bswap64(bits);
    memcpy(p, &bits, sizeof bits);
#else
    memcpy(p, value, 8);
#endif
}

/* ---- rows ---- */

/* Bytes of a row at most, with its place in the list of the page. */
static size_t largest_row(size_t width) { return 2 + CELL + 3 + 2 + width + 8 + 8 * width; }

/* A leaf under construction: rows from its end downwards, their places from its begin upwards. */
typedef struct {
    unsigned char *page;
    uint32_t count, content;
} leaf;

static void begin_leaf(leaf *l, unsigned char *page) { *l = (leaf){ page, 0, PAGE }; }

static void end_leaf(const leaf *l)
{
    memset(l->page, 0, LEAF_HEAD);
    l->page[0] = LEAF;
    put_16(l->page + 3, l->count);
    put_16(l->page + 5, l->content); /* PAGE itself is written as 0 */
}

static double value_at(const unsigned char *values, size_t i)
{
    double value;
    memcpy(&value, values + 8 * i, sizeof value);
    return value;
}

/* Values with content: all but zeros and what is not a number, which becomes NULL. */
static size_t count_full(const unsigned char *values, size_t width)
{
    size_t count = 0;
    for (size_t i = 0; i < width; i++) {
        const double value = value_at(values, i);
        count += (size_t)((value < 0) | (value > 0));
    }
    return count;
}

/* The values of a row as they stand in the file: their types, and their content one after the other. full: as many as
   there are, the usual case. */
static void encode(const unsigned char *values, size_t width, int full, unsigned char *types, unsigned char *content)
{
    memset(types, TYPE_DOUBLE, width);
    for (size_t i = 0; full && i < width; i++) put_double(content + 8 * i, values + 8 * i);
    for (size_t i = 0; !full && i < width; i++) {
        const double value = value_at(values, i);
        if (value < 0 || value > 0) {
            put_double(content, values + 8 * i);
            content += 8;
        } else {
            types[i] = value == 0 ? TYPE_ZERO : TYPE_NULL;
        }
    }
}

/* A row (frame, step, values ...): its size, its number, a list of types, the content. The frame is the number of the
   row, and NULL in the list. Returns 0 when the leaf is full. */
static int add_row(leaf *l, int64_t frame, const unsigned char *row, size_t width)
{
    int64_t step;
    int step_size;
    const size_t full = count_full(row + 8, width);
    memcpy(&step, row, sizeof step);
    int step_type = type_of_whole(step, &step_size);
    size_t head = 2 + width;
    head += head + 1 < 128 ? 1 : 2; /* with its own size */
    size_t size = head + (size_t)step_size + 8 * full;
    size_t all = (size_t)varint_size(size) + (size_t)varint_size((uint64_t)frame) + size;
    if (l->content < LEAF_HEAD + 2 * ((size_t)l->count + 1) + all) return 0;
    l->content -= (uint32_t)all;
    put_16(l->page + LEAF_HEAD + 2 * l->count++, l->content);
    unsigned char *p = l->page + l->content;
    p = put_varint(p, size);
    p = put_varint(p, (uint64_t)frame);
    p = put_varint(p, head);
    *p++ = TYPE_NULL;
    *p++ = (unsigned char)step_type;
    encode(row + 8, width, full == width, p, put_whole(p + width, step, step_size));
    return 1;
}

/* The leaves, from page 3 on, and the root above them; a single leaf is the root itself. Returns the count of pages. */
static uint32_t put_rows(unsigned char *image, const stage_rows *rows)
{
    unsigned char *root = image + (ROOT - 1) * PAGE;
    uint32_t pages = ROOT, children = 0, content = PAGE;
    leaf l;
    begin_leaf(&l, image + (size_t)pages++ * PAGE);
    for (size_t i = 0; i < rows->count; i++) {
        int64_t frame = rows->first + (int64_t)i;
        const unsigned char *row = rows->rows + i * 8 * (1 + rows->width);
        if (add_row(&l, frame, row, rows->width)) continue;
        end_leaf(&l); /* full: the root lists it with the number of its last row */
        unsigned char cell[4 + CELL], *p = put_varint(cell + 4, (uint64_t)(frame - 1));
        put_32(cell, pages);
        content -= (uint32_t)(p - cell);
        memcpy(root + content, cell, (size_t)(p - cell));
        put_16(root + INTERIOR_HEAD + 2 * children++, content);
        begin_leaf(&l, image + (size_t)pages++ * PAGE);
        add_row(&l, frame, row, rows->width);
    }
    end_leaf(&l);
    if (!children) {
        memcpy(root, l.page, PAGE);
        return ROOT;
    }
    memset(root, 0, INTERIOR_HEAD);
    root[0] = INTERIOR;
    put_16(root + 3, children);
    put_16(root + 5, content);
    put_32(root + 8, pages);
    return pages;
}

/* ---- the file ---- */

/* Page 1: the head, and the table of tables with one row (type, name, table, root page, definition). */
static void put_head(unsigned char *image, const char *definition, uint32_t pages)
{
    static const char magic[16] = "SQLite format 3";
    size_t length = strlen(definition), size;
    unsigned char head[16], *p = head + 1;
    memset(image, 0, HEAD);
    memcpy(image, magic, sizeof magic);
    put_16(image + 16, 1);        /* 65536 bytes a page */
    image[18] = image[19] = 1;    /* with a journal */
    image[21] = 64, image[22] = image[23] = 32;
    put_32(image + 24, 1);        /* changes, */
    put_32(image + 28, pages);
    put_32(image + 40, 1);        /* changes of tables, */
    put_32(image + 44, 4);        /* version of the format */
    put_32(image + 56, 1);        /* UTF-8 */
    put_32(image + 92, 1);        /* changes when the next was written: */
    put_32(image + 96, SQLITE_VERSION_NUMBER);
    *p++ = 13 + 2 * 5, *p++ = 13 + 2 * 6, *p++ = 13 + 2 * 6, *p++ = 1;
    p = put_varint(p, 13 + 2 * length);
    head[0] = (unsigned char)(p - head);
    size = (size_t)(p - head) + 5 + 6 + 6 + 1 + length;
    size_t content = PAGE - size - (size_t)varint_size(size) - 1;
    image[HEAD] = LEAF;
    memset(image + HEAD + 1, 0, LEAF_HEAD - 1);
    put_16(image + HEAD + 3, 1);
    put_16(image + HEAD + 5, (uint32_t)content);
    put_16(image + HEAD + LEAF_HEAD, (uint32_t)content);
    unsigned char *to = put_varint(image + content, size);
    *to++ = 1; /* number of the row */
    memcpy(to, head, (size_t)(p - head));
    memcpy(to + (p - head), "tableframesframes\2", 18);
    memcpy(to + (p - head) + 18, definition, length);
}

int taut_stage_suits(const char *definition, size_t width)
{
    return definition && strlen(definition) < PAGE - 400 && LEAF_HEAD + largest_row(width) < PAGE - 64;
}

void taut_stage_clear(taut_context *context, stage *s)
{
    taut_mem_free(context, s->image);
    *s = (stage){ 0 };
}

static int fill(database *d, stage *s, const char *definition, const stage_rows *rows, uint32_t *pages)
{
    size_t a_page = (PAGE - LEAF_HEAD) / largest_row(rows->width);
    size_t most = ((size_t)ROOT + 1 + rows->count / a_page) * PAGE;
    if (s->capacity < most) {
        taut_stage_clear(d->context, s);
        if (!(s->image = taut_mem_resize(d->context, NULL, most, 1))) return TAUT_OUT_OF_MEMORY;
        s->capacity = most;
    }
    *pages = put_rows(s->image, rows);
    put_head(s->image, definition, *pages);
    return TAUT_OK;
}

/* A stage that is not taken can be done without, but not memory: SQLite may have given up the transaction. */
static int refused(const database *d)
{
    return sqlite3_errcode(d->handle) == SQLITE_NOMEM ? taut_database_fail(d) : TAUT_OK;
}

int taut_stage_copy(database *d, stage *s, int number, const char *definition, const stage_rows *rows, int *attached,
                    int *copied)
{
    uint32_t pages;
    sqlite3_stmt *statement = NULL;
    char name[16], sql[80];
    *attached = *copied = 0;
    int status = fill(d, s, definition, rows, &pages);
    if (status) return status;
    sqlite3_int64 size = (sqlite3_int64)pages * PAGE;
    sqlite3_snprintf(sizeof name, name, "stage%d", number);
    sqlite3_snprintf(sizeof sql, sql, "attach ':memory:' as %s", name);
    if (sqlite3_exec(d->handle, sql, NULL, NULL, NULL)) return refused(d);
    *attached = 1;
    if (sqlite3_deserialize(d->handle, name, s->image, size, size, SQLITE_DESERIALIZE_READONLY)) {
        *attached = -1;
        return taut_fail(d->context, TAUT_OUT_OF_MEMORY, "out of memory in SQLite");
    }
    sqlite3_snprintf(sizeof sql, sql, "insert into main.frames select * from %s.frames", name);
    if (sqlite3_prepare_v2(d->handle, sql, -1, &statement, NULL)) return refused(d);
    status = taut_database_do(d, statement);
    sqlite3_finalize(statement);
    *copied = !status;
    return status;
}

int taut_stage_detach(database *d, int number) { return taut_database_run_format(d, "detach stage%d", number); }
