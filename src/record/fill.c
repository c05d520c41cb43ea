#include "record/fill.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"

enum {
    SECTOR = 512,    /* bytes of the head of a journal */
    PIECE = 1 << 16  /* bytes that are written at once: SQLite's VFS takes no more than 2^17 - 1 */
};

int taut_fill_lock(const database *d, int page_size)
{
    return taut_database_run_format(d, "pragma page_size = %d; pragma journal_mode = memory; begin immediate",
                                    page_size);
}

static int unlock(const database *d) { return taut_database_run(d, "rollback; pragma journal_mode = delete"); }

static void put_32(unsigned char *p, uint32_t value)
{
    for (int i = 3; i >= 0; i--, value >>= 8) p[i] = (unsigned char)(value & 255);
}

/* Who reads has a lock that this one waits for. While it does no other reader gets one, as when SQLite commits. */
static int lock(sqlite3_file *file, int wait)
{
    const double end = clock_seconds() + wait / 1e3;
    int code;
    while ((code = file->pMethods->xLock(file, SQLITE_LOCK_EXCLUSIVE)) == SQLITE_BUSY && clock_seconds() < end)
        sqlite3_sleep(1);
    return code;
}

/* A journal that says: the database was empty. With it on the disk a file that is filled in part is emptied when it is
   next read. */
static int write_journal(sqlite3_vfs *vfs, const char *name, sqlite3_file *journal, const unsigned char *page_size)
{
    static const unsigned char magic[8] = { 0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7 };
    const int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_MAIN_JOURNAL;
    unsigned char head[SECTOR] = { 0 };
    int flags_given;
    memcpy(head, magic, sizeof magic); /* then: no pages, nonce, pages of the database */
    sqlite3_randomness(4, head + 12);
    put_32(head + 20, SECTOR);
    memcpy(head + 24, page_size, 4);
    journal->pMethods = NULL;
    int code = vfs->xOpen(vfs, name, journal, flags, &flags_given);
    if (!code) code = journal->pMethods->xWrite(journal, head, SECTOR, 0);
    if (!code) code = journal->pMethods->xSync(journal, SQLITE_SYNC_NORMAL);
    return code;
}

static int write_all(sqlite3_file *file, const unsigned char *bytes, sqlite3_int64 size)
{
    int code = SQLITE_OK;
    for (sqlite3_int64 at = 0; !code && at < size; at += PIECE)
        code = file->pMethods->xWrite(file, bytes + at, (int)(size - at < PIECE ? size - at : PIECE), at);
    return code ? code : file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

/* The commit: when the journal is gone, the file counts. */
static int commit(sqlite3_vfs *vfs, const char *name, sqlite3_file *journal, sqlite3_file *file,
                  const unsigned char *bytes, sqlite3_int64 size)
{
    unsigned char page_size[4] = { 0, 0, bytes[16], bytes[17] };
    if (bytes[16] == 0 && bytes[17] == 1) page_size[1] = 1, page_size[3] = 0; /* 65536 */
    int code = write_journal(vfs, name, journal, page_size);
    const int begun = !code;
    if (!code) code = write_all(file, bytes, size);
    if (journal->pMethods) journal->pMethods->xClose(journal);
    if (!code) code = vfs->xDelete(vfs, name, 1);
    if (!code) return SQLITE_OK;
    const int number = errno;
    if (begun && file->pMethods->xTruncate(file, 0)) return code; /* the journal does it */
    vfs->xDelete(vfs, name, 0);
    errno = number;
    return code;
}

int taut_fill(const database *d, unsigned char *bytes, sqlite3_int64 size, int wait, int *done)
{
    sqlite3_file *file = NULL;
    sqlite3_vfs *vfs = NULL;
    sqlite3_int64 found = 0;
    const char *name = sqlite3_filename_journal(sqlite3_db_filename(d->handle, "main"));
    *done = 0;
    if (sqlite3_file_control(d->handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        || sqlite3_file_control(d->handle, "main", SQLITE_FCNTL_VFS_POINTER, &vfs))
        return taut_database_fail(d);
    sqlite3_file *journal = taut_mem_new(d->context, 1, (size_t)vfs->szOsFile);
    if (!journal) return TAUT_OUT_OF_MEMORY;
    put_32(bytes + 24, 1); /* changes, and when the next was written: */
    put_32(bytes + 92, 1);
    put_32(bytes + 96, (uint32_t)sqlite3_libversion_number());
    errno = 0;
    int code = lock(file, wait);
    if (!code) code = file->pMethods->xFileSize(file, &found);
    if (!code && found) code = SQLITE_CORRUPT;
    if (!code) code = commit(vfs, name, journal, file, bytes, size);
    taut_mem_free(d->context, journal);
    if (code == SQLITE_BUSY) return TAUT_OK;
    if (code) return taut_database_fail_as(d, code, errno);
    int status = unlock(d);
    /* SQLite has not written to the file, and what it gives up is in memory. */
    if (!status && file->pMethods->xFileSize(file, &found) == SQLITE_OK && found != size)
        status = taut_database_fail_as(d, SQLITE_CORRUPT, 0);
    *done = !status;
    return status;
}
