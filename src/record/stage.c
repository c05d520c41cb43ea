#include "record/stage.h"

#include <math.h>
#include <string.h>

#include "base/flat.h"

enum {
    PAGE = 65536,            /* bytes, where they can be chosen: the largest there is, so that there are few */
    SMALL = 4 * PAGE,        /* room at first */
    LARGE = 8 << 20,         /* room for more, in large pages of the system: */
    SYSTEM_PAGE = 2 << 20,
    HEAD = 100,              /* of the file, at the begin of page 1 */
    LEAF = 0x0d, INTERIOR = 0x05, LEAF_HEAD = 8, INTERIOR_HEAD = 12,
    ROOT = 2,                /* page of the table frames, and how many there are before its leaves */
    CHILD = 2 + 4 + 9,       /* bytes that a leaf takes in the root, at most */
    CELL = 18,               /* bytes of a row before its content, at most: two numbers of variable length */
    TYPE_NULL = 0, TYPE_DOUBLE = 7, TYPE_ZERO = 8 /* of values; NULL and zero have no content */
};

/* ---- numbers in the file: most significant byte first ---- */

static void put_16(unsigned char *p, uint32_t value)
{
    p[0] = (unsigned char)(value >> 8), p[1] = (unsigned char)value;
}

static uint32_t get_16(const unsigned char *p) { return (uint32_t)p[0] << 8 | p[1]; }

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

static void put_double(unsigned char *p, double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    bits = __builtin_bswap64(bits);
#endif
    memcpy(p, &bits, sizeof bits);
}

/* ---- rows ---- */

/* Bytes of a row at most, with its place in the list of the page. */
static size_t largest_row(size_t width) { return 2 + CELL + 3 + 2 + width + 8 + 8 * width; }

static unsigned char *leaf_at(const stage *s, uint32_t leaf) { return s->image + s->start + (size_t)leaf * s->page; }

static void end_leaf(const stage *s)
{
    unsigned char *page = leaf_at(s, s->leaf.page);
    memset(page, 0, LEAF_HEAD);
    page[0] = LEAF;
    put_16(page + 3, s->leaf.count);
    put_16(page + 5, s->leaf.content); /* PAGE itself is written as 0 */
    const size_t used = LEAF_HEAD + 2 * (size_t)s->leaf.count; /* nothing of the process's memory gets into the file */
    memset(page + used, 0, s->leaf.content - used);
}

/* Values with content: all but zeros and what is not a number, which becomes NULL. */
static size_t count_full(const double *values, size_t width)
{
    size_t count = 0;
    for (size_t i = 0; i < width; i++) count += (size_t)((values[i] < 0) | (values[i] > 0));
    return count;
}

/* The values of a row as they stand in the file: their types, and their content one after the other. full: as many as
   there are, the usual case. */
static void encode(const double *values, size_t width, int full, unsigned char *types, unsigned char *content)
{
    memset(types, TYPE_DOUBLE, width);
    for (size_t i = 0; full && i < width; i++) put_double(content + 8 * i, values[i]);
    for (size_t i = 0; !full && i < width; i++)
        if (values[i] < 0 || values[i] > 0) {
            put_double(content, values[i]);
            content += 8;
        } else {
            types[i] = values[i] == 0 ? TYPE_ZERO : TYPE_NULL;
        }
}

/* A row (frame, step, values ...): its size, its number, a list of types, the content. The frame is the number of the
   row, and NULL in the list. Returns 0 when the leaf is full. */
static int add_row(stage *s, int64_t frame, int64_t step, const double *values, size_t width)
{
    int step_size;
    const size_t full = count_full(values, width);
    int step_type = type_of_whole(step, &step_size);
    size_t head = 2 + width;
    head += head + 1 < 128 ? 1 : 2; /* with its own size */
    size_t size = head + (size_t)step_size + 8 * full;
    size_t all = (size_t)varint_size(size) + (size_t)varint_size((uint64_t)frame) + size;
    stage_leaf *l = &s->leaf;
    if (l->content < LEAF_HEAD + 2 * ((size_t)l->count + 1) + all) return 0;
    l->content -= (uint32_t)all;
    unsigned char *page = leaf_at(s, l->page), *p = page + l->content;
    put_16(page + LEAF_HEAD + 2 * l->count++, l->content);
    p = put_varint(p, size);
    p = put_varint(p, (uint64_t)frame);
    p = put_varint(p, head);
    *p++ = TYPE_NULL;
    *p++ = (unsigned char)step_type;
    encode(values, width, full == width, p, put_whole(p + width, step, step_size));
    s->count++;
    return 1;
}

/* Room for a number of leaves. The first of them begins a large page. */
static int reserve(taut_context *context, stage *s, uint32_t leaves)
{
    const size_t front = (size_t)s->front * s->page;
    if (leaves > 1 && s->capacity >= s->start + (size_t)leaves * s->page) return TAUT_OK;
    size_t capacity = leaves > 1 ? 2 * s->capacity : s->many ? LARGE : SMALL;
    if (capacity > SMALL && capacity < LARGE) capacity = LARGE;
    while (capacity < front + (size_t)leaves * s->page) capacity *= 2;
    if (capacity > s->capacity) {
        unsigned char *image = taut_mem_resize(context, s->image, capacity, 1);
        if (!image) return TAUT_OUT_OF_MEMORY;
        if (capacity >= LARGE) taut_flat_large_pages(context, image, capacity);
        s->image = image;
        s->capacity = capacity;
    }
    if (leaves > 1) return TAUT_OK; /* those that are there stay where they are */
    s->start = front;
    if (s->capacity >= LARGE) s->start += SYSTEM_PAGE - ((uintptr_t)s->image + front) % SYSTEM_PAGE;
    return TAUT_OK;
}

int taut_stage_add(taut_context *context, stage *s, int64_t frame, int64_t step, const double *values, size_t width)
{
    if (!s->count) {
        if (!s->page) s->page = PAGE, s->front = ROOT;
        int status = reserve(context, s, 1);
        if (status) return status;
        s->leaf = (stage_leaf){ .content = s->page };
        s->first = frame;
    } else if (add_row(s, frame, step, values, width)) {
        return TAUT_OK;
    } else {
        int status = reserve(context, s, s->leaf.page + 2);
        if (status) return status;
        end_leaf(s);
        s->leaf = (stage_leaf){ .page = s->leaf.page + 1, .content = s->page };
    }
    add_row(s, frame, step, values, width); /* fits an empty page: taut_stage_suits */
    return TAUT_OK;
}

size_t taut_stage_size(const stage *s) { return s->count ? ((size_t)s->leaf.page + 1) * s->page : 0; }

int taut_stage_is_full(const stage *s)
{
    return s->count && INTERIOR_HEAD + (size_t)CHILD * (s->leaf.page + 1) > s->page;
}

void taut_stage_empty(stage *s) { s->count = 0, s->page = 0, s->many = 0; }

/* The root above the leaves, which are page `number` of the database and those that follow; a single leaf is the root
   itself. Each but the last is listed with the number of its last row. Returns how many pages there are in all. */
static uint32_t end_rows(const stage *s, unsigned char *root, uint32_t number)
{
    const uint32_t children = s->leaf.page;
    uint32_t content = s->page;
    int64_t next = s->first;
    end_leaf(s);
    if (!children) {
        memcpy(root, leaf_at(s, 0), s->page);
        return number - 1;
    }
    for (uint32_t i = 0; i < children; i++) {
        unsigned char cell[4 + CELL];
        next += get_16(leaf_at(s, i) + 3);
        put_32(cell, number + i);
        const uint32_t size = (uint32_t)(put_varint(cell + 4, (uint64_t)next - 1) - cell);
        content -= size;
        memcpy(root + content, cell, size);
        put_16(root + INTERIOR_HEAD + 2 * (size_t)i, content);
    }
    const size_t used = INTERIOR_HEAD + 2 * (size_t)children;
    memset(root, 0, INTERIOR_HEAD);
    memset(root + used, 0, content - used);
    root[0] = INTERIOR;
    put_16(root + 3, children);
    put_16(root + 5, content);
    put_32(root + 8, number + children);
    return number + children;
}

/* ---- reading them back ---- */

static const unsigned char *skip_varint(const unsigned char *p)
{
    while (*p & 128) p++;
    return p + 1;
}

static int64_t get_whole(const unsigned char *p, int size)
{
    uint64_t value = size && (p[0] & 128) ? ~(uint64_t)0 : 0;
    for (int i = 0; i < size; i++) value = value << 8 | p[i];
    return (int64_t)value;
}

void taut_stage_next(const stage *s, stage_leaf *at, int64_t *step, double *values, size_t width)
{
    static const int sizes[] = { 0, 1, 2, 3, 4, 6, 8 }; /* of whole numbers, by type */
    if (at->page < s->leaf.page && at->count == get_16(leaf_at(s, at->page) + 3)) at->page++, at->count = 0;
    const unsigned char *page = leaf_at(s, at->page), *p = page + get_16(page + LEAF_HEAD + 2 * at->count++);
    p = skip_varint(skip_varint(skip_varint(p))) + 1; /* sizes, the number of the row; NULL */
    const int step_size = *p == TYPE_ZERO ? 0 : sizes[*p];
    const unsigned char *types = p + 1, *content = types + width;
    *step = get_whole(content, step_size);
    content += step_size;
    for (size_t i = 0; i < width; i++) {
        values[i] = types[i] == TYPE_NULL ? NAN : 0;
        if (types[i] != TYPE_DOUBLE) continue;
        const uint64_t bits = (uint64_t)get_whole(content, 8);
        memcpy(&values[i], &bits, sizeof bits);
        content += 8;
    }
}

/* ---- the file ---- */

/* Page 1: the head, and the table of tables with one row (type, name, table, root page, definition). */
static void put_head(unsigned char *image, uint32_t page, const char *definition, uint32_t pages)
{
    static const char magic[16] = "SQLite format 3";
    size_t length = strlen(definition), size;
    unsigned char head[16], *p = head + 1;
    memset(image, 0, HEAD);
    memcpy(image, magic, sizeof magic);
    put_16(image + 16, page >> 16 | (page & 65535)); /* 65536 is written as 1 */
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
    size_t content = page - size - (size_t)varint_size(size) - 1;
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

int taut_stage_suits(const char *definition, size_t width, size_t page)
{
    if (!page) page = PAGE;
    return definition && strlen(definition) < page - 400 && LEAF_HEAD + largest_row(width) < page - 64;
}

void taut_stage_pages(stage *s, uint32_t page, int many) { s->page = page, s->front = STAGE_FRONT, s->many = many; }

void taut_stage_clear(taut_context *context, stage *s)
{
    taut_mem_free(context, s->image);
    *s = (stage){ 0 };
}

/* A stage that is not taken can be done without, but not memory: SQLite may have given up the transaction. */
static int refused(const database *d)
{
    return sqlite3_errcode(d->handle) == SQLITE_NOMEM ? taut_database_fail(d) : TAUT_OK;
}

int taut_stage_copy(database *d, stage *s, int number, const char *definition, int *attached, int *copied)
{
    sqlite3_stmt *statement = NULL;
    char name[16], sql[80];
    unsigned char *image = leaf_at(s, 0) - (size_t)ROOT * s->page;
    const uint32_t pages = end_rows(s, image + s->page, ROOT + 1);
    *attached = *copied = 0;
    put_head(image, s->page, definition, pages);
    sqlite3_int64 size = (sqlite3_int64)pages * s->page;
    sqlite3_snprintf(sizeof name, name, "stage%d", number);
    sqlite3_snprintf(sizeof sql, sql, "attach ':memory:' as %s", name);
    if (sqlite3_exec(d->handle, sql, NULL, NULL, NULL)) return refused(d);
    *attached = 1;
    if (sqlite3_deserialize(d->handle, name, image, size, size, SQLITE_DESERIALIZE_READONLY)) {
        *attached = -1;
        return taut_fail(d->context, TAUT_OUT_OF_MEMORY, "out of memory in SQLite");
    }
    /* SQLite then reads the rows where they are, instead of copying page after page to its cache. */
    sqlite3_snprintf(sizeof sql, sql, "pragma %s.mmap_size = %lld", name, size);
    if (sqlite3_exec(d->handle, sql, NULL, NULL, NULL)) return refused(d);
    sqlite3_snprintf(sizeof sql, sql, "insert into main.frames select * from %s.frames", name);
    if (sqlite3_prepare_v2(d->handle, sql, -1, &statement, NULL)) return refused(d);
    int status = taut_database_do(d, statement);
    sqlite3_finalize(statement);
    *copied = !status;
    return status;
}

int taut_stage_detach(database *d, int number) { return taut_database_run_format(d, "detach stage%d", number); }

/* ---- all of a new file ---- */

/* Is this a database in which the leaves of the stage can stand as they are? */
static int takes_leaves(const stage *s, const unsigned char *base, sqlite3_int64 size, long root)
{
    const uint32_t page = get_16(base + 16) == 1 ? PAGE : get_16(base + 16);
    if (page != s->page || size % page || size / page > s->front || root < 2 || root > size / page) return 0;
    /* no bytes of a page for others, no pages that say who refers to a page */
    if (base[20] || get_16(base + 52) || get_16(base + 54)) return 0;
    const unsigned char *frames = base + (size_t)(root - 1) * page;
    return frames[0] == LEAF && !get_16(frames + 3);
}

unsigned char *taut_stage_join(stage *s, const unsigned char *base, long root, sqlite3_int64 *size)
{
    if (!s->count || !takes_leaves(s, base, *size, root)) return NULL;
    unsigned char *image = leaf_at(s, 0) - *size;
    memcpy(image, base, (size_t)*size);
    const uint32_t pages = end_rows(s, image + (size_t)(root - 1) * s->page, (uint32_t)(*size / s->page) + 1);
    put_32(image + 28, pages);
    *size = (sqlite3_int64)pages * s->page;
    return image;
}
