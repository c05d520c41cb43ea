/* Files of SQLite in memory, for targets that open thousands of them a second: a VFS that becomes the default. It has a
   few files at a time, found by their names; locks are those of one process, and the index of a write-ahead log is
   memory. Whatever else is asked for is done by the VFS that was the default before. */
#ifndef TAUT_TESTS_FUZZ_MEMORY_VFS_H
#define TAUT_TESTS_FUZZ_MEMORY_VFS_H

#include <sqlite3.h>

#include "fuzz.h"

enum { MEMORY_FILES = 8, MEMORY_NAME = 160, MEMORY_REGIONS = 16, MEMORY_MOST = 16 << 20 };

typedef struct {
    char name[MEMORY_NAME]; /* empty: this one is not in use */
    uint8_t *data;
    size_t size, capacity;
    int opened, deletes;    /* deletes: when it is closed */
    int shared, reserved, exclusive; /* locks */
    void *regions[MEMORY_REGIONS];
} memory_file;

typedef struct {
    sqlite3_file base;
    memory_file *file;
    int lock;
} memory_handle;

static memory_file memory_files[MEMORY_FILES];
static sqlite3_vfs memory_vfs, *memory_under;

static inline memory_file *memory_find(const char *name)
{
    for (int i = 0; name && i < MEMORY_FILES; i++)
        if (memory_files[i].name[0] && strcmp(memory_files[i].name, name) == 0) return &memory_files[i];
    return NULL;
}

static inline void memory_forget(memory_file *f)
{
    free(f->data);
    for (int i = 0; i < MEMORY_REGIONS; i++) free(f->regions[i]);
    *f = (memory_file){ .data = NULL };
}

static inline memory_file *memory_add(const char *name)
{
    for (int i = 0; i < MEMORY_FILES; i++) {
        memory_file *f = &memory_files[i];
        if (f->name[0]) continue;
        snprintf(f->name, sizeof f->name, "%s", name ? name : "?");
        f->deletes = !name;
        return f;
    }
    return NULL;
}

static inline int memory_resize(memory_file *f, size_t size)
{
    if (size > MEMORY_MOST) return SQLITE_FULL;
    if (size > f->capacity) {
        uint8_t *data = realloc(f->data, 2 * size);
        if (!data) return SQLITE_IOERR_NOMEM;
        f->data = data, f->capacity = 2 * size;
    }
    if (size > f->size) memset(f->data + f->size, 0, size - f->size);
    f->size = size;
    return SQLITE_OK;
}

/* The contents of a file, which need not be there. */
static inline void memory_put(const char *name, const uint8_t *data, size_t size)
{
    memory_file *f = memory_find(name);
    if (!f) f = memory_add(name);
    FUZZ_CHECK(f && !memory_resize(f, 0) && !memory_resize(f, size), "no room for %s", name);
    if (size) memcpy(f->data, data, size);
}

/* Nothing is left; all must be closed. */
static inline void memory_clear(void)
{
    for (int i = 0; i < MEMORY_FILES; i++) {
        FUZZ_CHECK(!memory_files[i].opened, "%s is still open", memory_files[i].name);
        if (memory_files[i].name[0]) memory_forget(&memory_files[i]);
    }
}

/* ---- a file ---- */

static int memory_unlock(sqlite3_file *file, int level)
{
    memory_handle *h = (memory_handle *)file;
    if (h->lock >= SQLITE_LOCK_EXCLUSIVE && level < SQLITE_LOCK_EXCLUSIVE) h->file->exclusive = 0;
    if (h->lock >= SQLITE_LOCK_RESERVED && level < SQLITE_LOCK_RESERVED) h->file->reserved = 0;
    if (h->lock >= SQLITE_LOCK_SHARED && level < SQLITE_LOCK_SHARED) h->file->shared--;
    if (level < h->lock) h->lock = level;
    return SQLITE_OK;
}

static int memory_lock(sqlite3_file *file, int level)
{
    memory_handle *h = (memory_handle *)file;
    memory_file *f = h->file;
    if (level <= h->lock) return SQLITE_OK;
    if (h->lock < SQLITE_LOCK_SHARED) {
        if (f->exclusive) return SQLITE_BUSY;
        f->shared++, h->lock = SQLITE_LOCK_SHARED;
    }
    if (level >= SQLITE_LOCK_RESERVED && h->lock < SQLITE_LOCK_RESERVED) {
        if (f->reserved) return SQLITE_BUSY;
        f->reserved = 1, h->lock = SQLITE_LOCK_RESERVED;
    }
    if (level >= SQLITE_LOCK_EXCLUSIVE) {
        if (f->shared > 1) return SQLITE_BUSY;
        f->exclusive = 1, h->lock = SQLITE_LOCK_EXCLUSIVE;
    }
    return SQLITE_OK;
}

static int memory_reserved(sqlite3_file *file, int *is) { return *is = ((memory_handle *)file)->file->reserved, SQLITE_OK; }

static int memory_close(sqlite3_file *file)
{
    memory_handle *h = (memory_handle *)file;
    memory_unlock(file, SQLITE_LOCK_NONE);
    if (--h->file->opened == 0 && h->file->deletes) memory_forget(h->file);
    return SQLITE_OK;
}

static int memory_read(sqlite3_file *file, void *to, int count, sqlite3_int64 from)
{
    const memory_file *f = ((memory_handle *)file)->file;
    const size_t at = (size_t)from, want = (size_t)count, have = at < f->size ? f->size - at : 0;
    if (have) memcpy(to, f->data + at, have < want ? have : want);
    if (have < want) memset((char *)to + have, 0, want - have);
    return have < want ? SQLITE_IOERR_SHORT_READ : SQLITE_OK;
}

static int memory_write(sqlite3_file *file, const void *from, int count, sqlite3_int64 to)
{
    memory_file *f = ((memory_handle *)file)->file;
    const size_t at = (size_t)to, end = at + (size_t)count;
    const int code = end > f->size ? memory_resize(f, end) : SQLITE_OK;
    if (!code) memcpy(f->data + at, from, (size_t)count);
    return code;
}

static int memory_truncate(sqlite3_file *file, sqlite3_int64 size)
{
    return memory_resize(((memory_handle *)file)->file, (size_t)size);
}

static int memory_sync(sqlite3_file *file, int flags) { return (void)file, (void)flags, SQLITE_OK; }
static int memory_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return *size = (sqlite3_int64)((memory_handle *)file)->file->size, SQLITE_OK;
}
static int memory_control(sqlite3_file *file, int what, void *with)
{
    return (void)file, (void)what, (void)with, SQLITE_NOTFOUND;
}
static int memory_sector(sqlite3_file *file) { return (void)file, 512; }
static int memory_device(sqlite3_file *file) { return (void)file, 0; }

static int memory_map(sqlite3_file *file, int region, int size, int extends, void volatile **result)
{
    memory_file *f = ((memory_handle *)file)->file;
    *result = NULL;
    if (region < 0 || region >= MEMORY_REGIONS) return SQLITE_IOERR_SHMMAP;
    if (!f->regions[region] && extends) f->regions[region] = calloc(1, (size_t)size);
    *result = f->regions[region];
    return SQLITE_OK;
}
static int memory_map_lock(sqlite3_file *file, int offset, int n, int flags)
{
    return (void)file, (void)offset, (void)n, (void)flags, SQLITE_OK;
}
static void memory_barrier(sqlite3_file *file) { (void)file; }
static int memory_unmap(sqlite3_file *file, int deletes)
{
    memory_file *f = ((memory_handle *)file)->file;
    for (int i = 0; deletes && f->opened == 1 && i < MEMORY_REGIONS; i++) free(f->regions[i]), f->regions[i] = NULL;
    return SQLITE_OK;
}

/* ---- the system of files ---- */

static int memory_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags, int *given)
{
    static const sqlite3_io_methods methods = {
        .iVersion = 2, .xClose = memory_close, .xRead = memory_read, .xWrite = memory_write, .xTruncate = memory_truncate,
        .xSync = memory_sync, .xFileSize = memory_size, .xLock = memory_lock, .xUnlock = memory_unlock,
        .xCheckReservedLock = memory_reserved, .xFileControl = memory_control, .xSectorSize = memory_sector,
        .xDeviceCharacteristics = memory_device, .xShmMap = memory_map, .xShmLock = memory_map_lock,
        .xShmBarrier = memory_barrier, .xShmUnmap = memory_unmap };
    memory_handle *h = (memory_handle *)file;
    (void)vfs;
    *h = (memory_handle){ .file = memory_find(name) };
    if (!h->file && !(flags & SQLITE_OPEN_CREATE)) return SQLITE_CANTOPEN;
    if (!h->file && !(h->file = memory_add(name))) return SQLITE_CANTOPEN;
    h->file->opened++;
    h->file->deletes |= (flags & SQLITE_OPEN_DELETEONCLOSE) != 0;
    if (given) *given = flags;
    h->base.pMethods = &methods;
    return SQLITE_OK;
}

static int memory_delete(sqlite3_vfs *vfs, const char *name, int sync)
{
    memory_file *f = memory_find(name);
    (void)vfs, (void)sync;
    if (!f) return SQLITE_IOERR_DELETE_NOENT;
    if (f->opened) f->deletes = 1;
    else memory_forget(f);
    return SQLITE_OK;
}

static int memory_access(sqlite3_vfs *vfs, const char *name, int flags, int *result)
{
    const memory_file *f = memory_find(name);
    (void)vfs;
    *result = f && !f->deletes && (flags != SQLITE_ACCESS_EXISTS || f->size);
    return SQLITE_OK;
}

static int memory_full_name(sqlite3_vfs *vfs, const char *name, int size, char *full)
{
    (void)vfs;
    return snprintf(full, (size_t)size, "%s", name) < size ? SQLITE_OK : SQLITE_CANTOPEN;
}

/* ---- SQLite's own memory ---- */

/* Blocks of powers of two, which are kept: SQLite is not what is tested, and the allocator of the sanitizer takes a
   quarter of the time of a target. The class of a block stands before it. */
enum { MEMORY_LEAST = 6, MEMORY_CLASSES = 24 };
static void *memory_blocks[MEMORY_CLASSES];

static int memory_class(int size)
{
    int class = MEMORY_LEAST;
    while (class < MEMORY_CLASSES && (1 << class) - 16 < size) class++;
    return class;
}

static void *memory_malloc(int size)
{
    const int class = memory_class(size);
    if (class == MEMORY_CLASSES) return NULL;
    char *block = memory_blocks[class];
    if (block) memcpy(&memory_blocks[class], block + 16, sizeof block);
    else if (!(block = malloc((size_t)1 << class))) return NULL;
    memcpy(block, &class, sizeof class);
    return block + 16;
}

static int memory_class_of(void *block)
{
    int class;
    memcpy(&class, (char *)block - 16, sizeof class);
    return class;
}

static void memory_free(void *block)
{
    if (!block) return;
    const int class = memory_class_of(block);
    memcpy(block, &memory_blocks[class], sizeof block);
    memory_blocks[class] = (char *)block - 16;
}

static int memory_room(void *block) { return block ? (1 << memory_class_of(block)) - 16 : 0; }

static void *memory_realloc(void *block, int size)
{
    const int room = memory_room(block);
    if (size <= room) return block;
    void *result = memory_malloc(size);
    if (result && block) memcpy(result, block, (size_t)room), memory_free(block);
    return result;
}

static int memory_rounded(int size) { return size < MEMORY_MOST / 2 ? (1 << memory_class(size)) - 16 : size; }
static int memory_start(void *user) { return (void)user, SQLITE_OK; }
static void memory_stop(void *user) { (void)user; }

/* Before SQLite is used. */
static inline void memory_configure(void)
{
    static const sqlite3_mem_methods methods = { memory_malloc, memory_free,  memory_realloc, memory_room,
                                                 memory_rounded, memory_start, memory_stop,   NULL };
    FUZZ_CHECK(!sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) && !sqlite3_config(SQLITE_CONFIG_SINGLETHREAD)
                   && !sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0), "SQLite is in use");
}

/* From here on all connections are to files in memory. */
static inline void memory_begin(void)
{
    memory_under = sqlite3_vfs_find(NULL);
    FUZZ_CHECK(memory_under, "SQLite has no VFS");
    memory_vfs = *memory_under; /* time, randomness */
    memory_vfs.pNext = NULL;
    memory_vfs.szOsFile = sizeof(memory_handle);
    memory_vfs.mxPathname = MEMORY_NAME - 1;
    memory_vfs.zName = "taut-fuzz-memory";
    memory_vfs.xOpen = memory_open, memory_vfs.xDelete = memory_delete, memory_vfs.xAccess = memory_access;
    memory_vfs.xFullPathname = memory_full_name;
    FUZZ_CHECK(sqlite3_vfs_register(&memory_vfs, 1) == SQLITE_OK, "SQLite refuses the VFS");
}

#endif
