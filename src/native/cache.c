/* Objects by their contents, in a folder that only the user can read and write.
 *
 * An entry is one file, named by its key: the object and after it (the loader does not mind) a trailer with the key,
 * the size and the SHA-256 of all of these. It is written under another name and then renamed, so that an entry is
 * there as a whole or not at all; what a crash or a full disk leaves is found by the digest. Whatever is not as it
 * should be - not a file of the user's own, others may write to it, wrong digest - is as good as missing, and the next
 * object for the key takes its place. The digest is no seal against someone who can write to the folder as the user:
 * they could change the user's programs as well. */
#include "native/inside.h"

#if NATIVE_AVAILABLE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <time.h>
#include <unistd.h>

typedef struct {
    char magic[16];
    unsigned char key[SHA256_SIZE];
    uint64_t size;
    unsigned char digest[SHA256_SIZE]; /* of magic, key, size and the object */
} trailer;

static const char magic[16] = "taut-native-1\n";

static void begin_digest(sha256 *s, const unsigned char key[SHA256_SIZE], uint64_t size)
{
    taut_sha256_begin(s);
    taut_sha256_add(s, magic, sizeof magic);
    taut_sha256_add(s, key, SHA256_SIZE);
    taut_sha256_add(s, &size, sizeof size);
}

static void entry_name(const unsigned char key[SHA256_SIZE], char name[2 * SHA256_SIZE + 4])
{
    taut_sha256_text(key, name);
    strcpy(name + 2 * SHA256_SIZE, ".so");
}

/* ---- the folder ---- */

/* The user's, or as asked for. Returns 1 where there is none. */
static int find_path(native_cache *c, const char *folder)
{
    const char *base = secure_getenv("XDG_CACHE_HOME"), *between = "";
    if (folder) return !*folder || taut_native_print(c->path, sizeof c->path, "%s", folder);
    if (!base || base[0] != '/') {
        base = secure_getenv("HOME");
        between = "/.cache";
    }
    if (!base || base[0] != '/') {
        taut_native_print(c->why, sizeof c->why, "there is no home folder for a cache");
        return 1;
    }
    return taut_native_print(c->path, sizeof c->path, "%s%s/taut", base, between);
}

/* The folder, and the one that it is in (~/.cache), but no more: a home that is not there is not made. */
static int make_folder(const native_cache *c)
{
    char parent[NATIVE_PATH];
    if (mkdir(c->path, 0700) == 0 || errno != ENOENT) return 0;
    taut_native_print(parent, sizeof parent, "%s", c->path);
    char *slash = strrchr(parent, '/');
    if (!slash || slash == parent) return 1;
    *slash = 0;
    return mkdir(parent, 0700) || mkdir(c->path, 0700);
}

void taut_native_cache_open(native_cache *c, const char *folder)
{
    struct stat st;
    c->folder = -1;
    c->path[0] = c->why[0] = 0;
    if (find_path(c, folder)) return;
    make_folder(c);
    c->folder = open(c->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (c->folder < 0) {
        taut_native_print(c->why, sizeof c->why, "'%.400s' cannot be used as a cache: %s", c->path,
                          errno == ENOTDIR || errno == ELOOP ? "it is not a folder" : strerror(errno));
        return;
    }
    if (fstat(c->folder, &st) || st.st_uid != geteuid() || st.st_mode & 077) {
        taut_native_print(c->why, sizeof c->why, "'%.400s' is not used as a cache: others than its user have access",
                          c->path);
        taut_native_cache_close(c);
    }
}

void taut_native_cache_close(native_cache *c)
{
    if (c->folder >= 0) close(c->folder);
    c->folder = -1;
}

/* ---- getting ---- */

static int is_acceptable(const struct stat *st)
{
    return S_ISREG(st->st_mode) && st->st_uid == geteuid() && !(st->st_mode & 077) && st->st_nlink == 1 &&
           st->st_size > (off_t)sizeof(trailer) && (uint64_t)st->st_size <= NATIVE_OBJECT_LARGEST;
}

/* The object of an open entry, if that is what the trailer says. */
static int take(int file, const struct stat *st, const unsigned char key[SHA256_SIZE], native_object *o)
{
    char reason[NATIVE_TEXT];
    unsigned char digest[SHA256_SIZE];
    trailer t;
    sha256 s;
    size_t size = (size_t)st->st_size - sizeof t;
    if (pread(file, &t, sizeof t, (off_t)size) != sizeof t) return 1;
    if (memcmp(t.magic, magic, sizeof magic) != 0 || memcmp(t.key, key, SHA256_SIZE) != 0 || t.size != size) return 1;
    begin_digest(&s, key, size);
    if (taut_native_object_copy(o, file, size, &s, reason)) return 1;
    taut_sha256_end(&s, digest);
    return memcmp(digest, t.digest, sizeof digest) != 0;
}

int taut_native_cache_get(const native_cache *c, const unsigned char key[SHA256_SIZE], native_object *o)
{
    char name[2 * SHA256_SIZE + 4];
    struct stat st;
    if (c->folder < 0) return NATIVE_MISSING;
    entry_name(key, name);
    /* O_NONBLOCK: a pipe that someone put there must not stop us */
    int file = openat(c->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (file < 0) return errno == ENOENT ? NATIVE_MISSING : NATIVE_REFUSED;
    int refused = fstat(file, &st) || !is_acceptable(&st) || take(file, &st, key, o);
    if (refused)
        taut_native_object_clear(o);
    else
        futimens(file, NULL); /* used now; where that cannot be written, it is only removed sooner */
    close(file);
    return refused ? NATIVE_REFUSED : NATIVE_FOUND;
}

/* ---- putting ---- */

static int write_all(int file, const void *data, size_t size)
{
    const char *from = data;
    while (size) {
        ssize_t n = write(file, from, size);
        if (n < 0 && errno != EINTR) return 1;
        if (n > 0) from += n, size -= (size_t)n;
    }
    return 0;
}

static int write_entry(int file, const unsigned char key[SHA256_SIZE], const native_object *o)
{
    char buffer[16384];
    trailer t = { .size = o->size };
    sha256 s;
    memcpy(t.magic, magic, sizeof magic);
    memcpy(t.key, key, SHA256_SIZE);
    begin_digest(&s, key, o->size);
    for (size_t at = 0; at < o->size;) {
        ssize_t got = pread(o->file, buffer, sizeof buffer, (off_t)at);
        if (got <= 0) return 1;
        taut_sha256_add(&s, buffer, (size_t)got);
        if (write_all(file, buffer, (size_t)got)) return 1;
        at += (size_t)got;
    }
    taut_sha256_end(&s, t.digest);
    return write_all(file, &t, sizeof t) || fsync(file);
}

static int is_entry(const char *name) { return strlen(name) == 2 * SHA256_SIZE + 3 && strcmp(name + 64, ".so") == 0; }

/* The total size of the entries; the name of the one that was used longest ago, but for `keep`. */
static uint64_t survey(int folder, const char *keep, char *oldest, uint64_t *oldest_size)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    if (!list && copy >= 0) close(copy);
    struct timespec least = { 0 };
    uint64_t total = 0;
    *oldest = 0;
    for (struct dirent *e; list && (e = readdir(list));) {
        struct stat st;
        if (!is_entry(e->d_name) || fstatat(folder, e->d_name, &st, AT_SYMLINK_NOFOLLOW)) continue;
        total += (uint64_t)st.st_size;
        int before = st.st_mtim.tv_sec != least.tv_sec ? st.st_mtim.tv_sec < least.tv_sec
                                                       : st.st_mtim.tv_nsec < least.tv_nsec;
        if (strcmp(e->d_name, keep) == 0 || (*oldest && !before)) continue;
        strcpy(oldest, e->d_name);
        *oldest_size = (uint64_t)st.st_size;
        least = st.st_mtim;
    }
    if (list) closedir(list);
    return total;
}

/* One process at a time: several would each remove what is too much. An entry that is being read stays readable. */
static void prune(const native_cache *c, const char *keep, size_t most)
{
    char oldest[2 * SHA256_SIZE + 4];
    uint64_t size = 0;
    int lock = openat(c->folder, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (lock < 0) return;
    /* 1000: an end, should the clock or the folder be out of order */
    if (flock(lock, LOCK_EX | LOCK_NB) == 0)
        for (int i = 0; i < 1000 && survey(c->folder, keep, oldest, &size) > most && *oldest; i++)
            if (unlinkat(c->folder, oldest, 0)) break;
    close(lock);
}

void taut_native_cache_put(native_cache *c, const unsigned char key[SHA256_SIZE], const native_object *o, size_t most)
{
    char name[2 * SHA256_SIZE + 4], fresh[32];
    if (c->folder < 0 || o->size + sizeof(trailer) > most || taut_native_random_name(fresh, sizeof fresh, "new-"))
        return;
    entry_name(key, name);
    int file = openat(c->folder, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int failed = file < 0 || write_entry(file, key, o);
    if (!failed) failed = renameat(c->folder, fresh, c->folder, name);
    if (failed) {
        taut_native_print(c->why, sizeof c->why, "the cache '%.400s' cannot be written to: %s", c->path,
                          strerror(errno));
        if (file >= 0) unlinkat(c->folder, fresh, 0);
    }
    if (file >= 0) close(file);
    if (!failed) prune(c, name, most);
}
#endif
