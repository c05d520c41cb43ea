/* Power loss while a run is recorded. A VFS of SQLite writes down every write, truncation, sync and deletion. From that
 * log the disk is put together as it may be after a loss of power at any moment: what was synced is there; of what was
 * not, each write is there, is not, or is there in part (by sectors of 512 bytes), files that are deleted may be there
 * again. The run file must open, have every frame that was committed, and be resumed to the same bits.
 *
 * And every call of that VFS fails once: the run ends with a message, and its file is resumed likewise. */
#include <sqlite3.h>
#include <unistd.h>

#include "support_record.h"

enum { SECTOR = 512, LEG = 5 /* steps */, FILES = 2 /* the run file and its journal */ };

typedef enum { OP_WRITE_BYTES, OP_TRUNCATE, OP_SYNC, OP_DELETE, OP_COMMITTED } operation;

typedef struct {
    operation what;
    int file;
    sqlite3_int64 at;     /* offset; new size; is the folder synced?; step */
    size_t size;
    unsigned char *data;
} entry;

static entry *entries;
static size_t entry_count, entry_capacity;
static long calls, fail_at; /* of the VFS; fail_at 0: none */
static char folder[] = "taut-power-XXXXXX", path[300], whole_path[300];
static sqlite3_vfs *below;

static uint64_t seed = 1;
static uint32_t draw(uint32_t most)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % most);
}

static void note(operation what, int file, sqlite3_int64 at, const void *data, size_t size)
{
    if (file < 0) return;
    if (entry_count == entry_capacity) {
        entry_capacity = 2 * entry_capacity + 256;
        entries = realloc(entries, entry_capacity * sizeof *entries);
        assert_non_null(entries);
    }
    entry *e = &entries[entry_count++];
    *e = (entry){ what, file, at, size, NULL };
    if (data) {
        e->data = malloc(size);
        assert_non_null(e->data);
        memcpy(e->data, data, size);
    }
}

static void forget(void)
{
    for (size_t i = 0; i < entry_count; i++) free(entries[i].data);
    entry_count = 0;
}

static int fails(void) { return ++calls == fail_at; }

/* ---- the VFS ---- */

typedef struct {
    sqlite3_file base;
    int which;            /* of FILES; -1: another one */
    sqlite3_file *real;   /* behind this */
} power_file;

static int which_file(const char *name)
{
    if (!name) return -1;
    const size_t n = strlen(name), m = strlen("-journal");
    return n > m && strcmp(name + n - m, "-journal") == 0 ? 1 : n > 5 && strcmp(name + n - 5, ".taut") == 0 ? 0 : -1;
}

#define REAL_OF(f) (((power_file *)(f))->real)
#define FORWARD(f, call, ...) REAL_OF(f)->pMethods->call(REAL_OF(f), ##__VA_ARGS__)

static int power_close(sqlite3_file *f) { return FORWARD(f, xClose); }
static int power_read(sqlite3_file *f, void *data, int size, sqlite3_int64 at)
{
    return fails() ? SQLITE_IOERR_READ : FORWARD(f, xRead, data, size, at);
}
static int power_write(sqlite3_file *f, const void *data, int size, sqlite3_int64 at)
{
    if (fails()) return SQLITE_FULL;
    note(OP_WRITE_BYTES, ((power_file *)f)->which, at, data, (size_t)size);
    return FORWARD(f, xWrite, data, size, at);
}
static int power_truncate(sqlite3_file *f, sqlite3_int64 size)
{
    if (fails()) return SQLITE_IOERR_TRUNCATE;
    note(OP_TRUNCATE, ((power_file *)f)->which, size, NULL, 0);
    return FORWARD(f, xTruncate, size);
}
static int power_sync(sqlite3_file *f, int flags)
{
    if (fails()) return SQLITE_IOERR_FSYNC;
    note(OP_SYNC, ((power_file *)f)->which, 0, NULL, 0);
    return FORWARD(f, xSync, flags);
}
static int power_size(sqlite3_file *f, sqlite3_int64 *size) { return FORWARD(f, xFileSize, size); }
static int power_lock(sqlite3_file *f, int level) { return FORWARD(f, xLock, level); }
static int power_unlock(sqlite3_file *f, int level) { return FORWARD(f, xUnlock, level); }
static int power_reserved(sqlite3_file *f, int *out) { return FORWARD(f, xCheckReservedLock, out); }
static int power_control(sqlite3_file *f, int op, void *argument) { return FORWARD(f, xFileControl, op, argument); }
static int power_sector(sqlite3_file *f) { return (void)f, SECTOR; }
static int power_device(sqlite3_file *f) { return (void)f, SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

static const sqlite3_io_methods methods = { 1, power_close, power_read, power_write, power_truncate, power_sync,
                                            power_size, power_lock, power_unlock, power_reserved, power_control,
                                            power_sector, power_device, NULL, NULL, NULL, NULL, NULL, NULL };

static int power_open(sqlite3_vfs *v, const char *name, sqlite3_file *f, int flags, int *out)
{
    power_file *p = (power_file *)f;
    (void)v;
    p->base.pMethods = NULL;
    if (fails()) return SQLITE_CANTOPEN;
    p->which = which_file(name);
    p->real = (sqlite3_file *)(p + 1);
    const int code = below->xOpen(below, name, p->real, flags, out);
    if (p->real->pMethods) p->base.pMethods = &methods;
    return code;
}

static int power_delete(sqlite3_vfs *v, const char *name, int sync)
{
    (void)v;
    if (fails()) return SQLITE_IOERR_DELETE;
    note(OP_DELETE, which_file(name), sync, NULL, 0);
    return below->xDelete(below, name, sync);
}

static sqlite3_vfs power;

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/run.taut", folder);
    snprintf(whole_path, sizeof whole_path, "%s/whole.taut", folder);
    below = sqlite3_vfs_find(NULL);
    assert_non_null(below);
    power = *below;
    power.zName = "power";
    power.szOsFile = (int)sizeof(power_file) + below->szOsFile;
    power.xOpen = power_open;
    power.xDelete = power_delete;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(path), unlink(whole_path);
    rmdir(folder);
    forget();
    free(entries);
    return 0;
}

static void with_power(int on)
{
    if (on) sqlite3_vfs_register(&power, 1);
    else {
        sqlite3_vfs_register(below, 1);
        sqlite3_vfs_unregister(&power);
    }
}

/* ---- what the disk has after a loss of power ---- */

typedef struct {
    unsigned char *bytes;
    size_t size, capacity;
    int is_there;
} image;

static void put_bytes(image *d, size_t at, const unsigned char *data, size_t size)
{
    if (at + size > d->capacity) {
        d->capacity = 2 * (at + size);
        d->bytes = realloc(d->bytes, d->capacity);
        assert_non_null(d->bytes);
    }
    if (at + size > d->size) { /* what was never written may be anything */
        for (size_t i = d->size; i < at; i++) d->bytes[i] = (unsigned char)draw(256);
        d->size = at + size;
    }
    memcpy(d->bytes + at, data, size);
}

static void perform(image *d, const entry *e, uint32_t chance)
{
    d->is_there = 1;
    if (e->what == OP_TRUNCATE) {
        if ((size_t)e->at < d->size) d->size = (size_t)e->at;
        return;
    }
    for (size_t k = 0; k < e->size; k += SECTOR) {
        const size_t n = e->size - k < SECTOR ? e->size - k : SECTOR;
        if (chance == 4 || draw(4) < chance) put_bytes(d, (size_t)e->at + k, e->data + k, n);
    }
}

/* The disk after the first `until` entries; *committed is the last step whose commit came back. */
static void lose_power(size_t until, image disk[FILES], long *committed)
{
    size_t synced[FILES] = { 0 }; /* entries before this one are certain */
    *committed = -1;
    for (size_t i = 0; i < until; i++) {
        if (entries[i].what == OP_SYNC) synced[entries[i].file] = i;
        if (entries[i].what == OP_COMMITTED) *committed = (long)entries[i].at;
    }
    image ghosts[FILES] = { { 0 } }; /* deleted, but the folder was not synced, nor a new file of that name */
    for (int f = 0; f < FILES; f++) disk[f] = (image){ .is_there = f == 0 };
    for (size_t i = 0; i < until; i++) {
        const entry *e = &entries[i];
        image *d = &disk[e->file], *ghost = &ghosts[e->file];
        if (e->what == OP_DELETE || e->what == OP_SYNC) {
            free(ghost->bytes);
            *ghost = (image){ 0 };
        }
        if (e->what == OP_DELETE) {
            if (e->at) free(d->bytes);
            else *ghost = *d;
            *d = (image){ 0 };
        } else if (e->what == OP_WRITE_BYTES || e->what == OP_TRUNCATE) {
            if (i < synced[e->file]) perform(d, e, 4);
            else if (draw(3)) perform(d, e, draw(2) ? 4 : draw(5));
        }
    }
    for (int f = 0; f < FILES; f++) {
        image *gone = &ghosts[f];
        if (gone->is_there && draw(2)) {
            const image kept = *gone;
            *gone = disk[f];
            disk[f] = kept;
        }
        free(gone->bytes);
    }
}

static void put_disk(image disk[FILES])
{
    for (int f = 0; f < FILES; f++) {
        char name[320];
        snprintf(name, sizeof name, "%s%s", path, f ? "-journal" : "");
        unlink(name);
        if (disk[f].is_there) {
            FILE *file = fopen(name, "wb");
            assert_non_null(file);
            if (disk[f].size) assert_int_equal(fwrite(disk[f].bytes, 1, disk[f].size, file), disk[f].size);
            fclose(file);
        }
        free(disk[f].bytes);
    }
}

/* 0: there is no run yet. */
static int opens(const frames *whole, const recipe *c, long committed)
{
    taut_context *context = taut_context_create(NULL);
    record *r = NULL;
    const int status = taut_record_open(context, path, &r);
    taut_record_close(r);
    if (status) {
        const char *text = taut_error_text(context);
        if (committed >= 0 || !(strstr(text, "No such file") || strstr(text, "empty")))
            fail_msg("step %ld was committed, but: %s", committed, text);
        taut_context_destroy(context);
        return 0;
    }
    taut_context_destroy(context);
    frames f = read_frames_of(path), begin = *whole;
    assert_true(f.count >= 1 && f.count <= whole->count);
    if (f.steps[f.count - 1] < committed - committed % c->every)
        fail_msg("step %ld was committed, the last frame is of %ld", committed, f.steps[f.count - 1]);
    begin.count = f.count;
    assert_same_frames(&f, &begin);
    free_frames(&f);
    return 1;
}

static void resumes(const frames *whole, const recipe *c)
{
    recorded_run(c, path, 1, 0);
    frames f = read_frames_of(path);
    assert_same_frames(&f, whole);
    free_frames(&f);
}

static volatile long committed_step;

static const recipe recipes[] = {
    { .model = "double-spherical-pendulum", .method = "rattle", .step = 0.01, .steps = 60, .every = 3, .interval = 1,
      .committed = &committed_step },
    { .model = "bouncing-ball", .method = "rattle", .step = 0.02, .steps = 60, .every = 1, .interval = 1,
      .committed = &committed_step },
};

static void power_is_lost(void **state)
{
    (void)state;
    const int is_long = getenv("TAUT_TEST_LONG") != NULL;
    for (size_t k = 0; k < sizeof recipes / sizeof *recipes; k++) {
        const recipe *c = &recipes[k];
        taut_context *context = taut_context_create(NULL);
        recorded_run(c, whole_path, 0, 0);
        frames whole = read_frames_of(whole_path);
        forget(), calls = fail_at = 0;
        with_power(1);
        int status = TAUT_OK;
        for (long leg = 0; !status && leg < c->steps; leg += LEG) { /* each commits at its end, if not before */
            status = recorded_run_in(context, c, path, leg > 0, leg + LEG);
            note(OP_COMMITTED, 0, leg + LEG, NULL, 0);
        }
        with_power(0);
        if (status) fail_msg("%s", taut_error_text(context));
        taut_context_destroy(context);
        const size_t stride = is_long ? 1 : entry_count / (SANITIZED ? 60 : 400) + 1;
        long losses = 0, commits = 0, none = 0;
        for (size_t i = 0; i < entry_count; i++) commits += entries[i].what == OP_COMMITTED;
        for (size_t i = 0; i <= entry_count; i += stride)
            for (int again = 0; again < (is_long ? 20 : 2); again++) {
                image disk[FILES];
                long committed;
                lose_power(i, disk, &committed);
                put_disk(disk);
                if (!opens(&whole, c, committed)) none++;
                else if (losses % 16 == 0) resumes(&whole, c);
                losses++;
            }
        print_message("%s: %zu calls, %ld commits; power was lost %ld times, %ld of them before the first commit\n",
                      c->model, entry_count, commits, losses, none);
        assert_true(commits >= 12 && losses > none);
        free_frames(&whole);
        unlink(path), unlink(whole_path);
    }
}

static void every_call_fails_once(void **state)
{
    (void)state;
    recipe at_once = recipes[0], *c = &at_once;
    const int is_long = getenv("TAUT_TEST_LONG") != NULL;
    at_once.interval = 0; /* commits the start values, and the rest in the end */
    unlink(path), unlink(whole_path);
    recorded_run(c, whole_path, 0, 0);
    frames whole = read_frames_of(whole_path);
    long failed = 0, harmless = 0, last = 1000000;
    for (long at = 1; at < last; at += is_long ? 1 : 1 + at / (SANITIZED ? 12 : 16)) {
        taut_context *context = taut_context_create(NULL);
        forget(), calls = 0, fail_at = at;
        committed_step = -1;
        with_power(1);
        const int status = recorded_run_in(context, c, path, 0, 0);
        with_power(0);
        const int happened = calls >= at;
        if (!happened) last = at;
        if (status && !taut_error_text(context)[0]) fail_msg("call %ld fails without a message", at);
        if (status && !happened) fail_msg("%s", taut_error_text(context));
        taut_context_destroy(context);
        failed += status != 0, harmless += !status && happened;
        if (access(path, R_OK) == 0 && opens(&whole, c, committed_step)) resumes(&whole, c);
        char journal[320];
        snprintf(journal, sizeof journal, "%s-journal", path);
        unlink(path), unlink(journal);
    }
    print_message("%ld runs failed, %ld went on\n", failed, harmless);
    assert_true(failed > 20);
    free_frames(&whole);
    unlink(whole_path);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(power_is_lost), cmocka_unit_test(every_call_fails_once) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
