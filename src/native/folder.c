/* Private folders for the compiler's temporary files. Their owner holds a lock on them, so that those of a process that
   was killed are known: whoever compiles next removes them. */
#include "native/inside.h"

#if NATIVE_AVAILABLE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"

int taut_native_print(char *buffer, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = taut_text_format_v(buffer, size, format, arguments);
    va_end(arguments);
    return length < 0 || (size_t)length >= size;
}

int taut_native_random_name(char *buffer, size_t size, const char *prefix)
{
    unsigned long long number;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) != sizeof number) return 1;
    return taut_native_print(buffer, size, "%s%016llx", prefix, number);
}

int taut_native_above(int file)
{
    if (file < 0 || file > 2) return file;
    int moved = fcntl(file, F_DUPFD_CLOEXEC, 3), kept = errno;
    close(file);
    errno = kept;
    return moved;
}

/* ---- removal ---- */

static void empty_folder(int folder, int depth)
{
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    if (!list && copy >= 0) close(copy);
    for (struct dirent *e; list && (e = readdir(list));) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
        if (unlinkat(folder, e->d_name, 0) == 0 || depth == 0) continue;
        int inner = openat(folder, e->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (inner < 0) continue;
        empty_folder(inner, depth - 1);
        close(inner);
        unlinkat(folder, e->d_name, AT_REMOVEDIR);
    }
    if (list) closedir(list);
}

void taut_native_folder_remove(native_folder *f)
{
    if (f->folder >= 0) {
        fchmod(f->folder, 0700); /* whatever the compiler made of it */
        empty_folder(f->folder, 8);
        unlinkat(f->parent, f->name, AT_REMOVEDIR);
        close(f->folder);
    }
    if (f->parent >= 0) close(f->parent);
    f->folder = f->parent = -1;
}

/* Older than a minute, because a folder is made a moment before it is locked. */
enum { STALE = 60 };

/* One of our names, prefix and 16 digits. */
static int is_ours(const char *name, const char *prefix)
{
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 && strspn(name + length, "0123456789abcdef") == 16 && !name[length + 16];
}

static void sweep_one(int parent, const char *name)
{
    int inner = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner >= 0 && flock(inner, LOCK_EX | LOCK_NB) == 0) {
        empty_folder(inner, 8);
        unlinkat(parent, name, AT_REMOVEDIR);
    }
    if (inner >= 0) close(inner);
}

static const char *temporary_path(void)
{
    const char *path = secure_getenv("TMPDIR");
    return path && path[0] == '/' ? path : "/tmp";
}

void taut_native_folder_sweep(const native_cache *c)
{
    const char *prefix = c->folder < 0 ? "taut-" : "work-";
    int copy = c->folder < 0 ? open(temporary_path(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)
                             : openat(c->folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *list = copy < 0 ? NULL : fdopendir(copy);
    if (!list && copy >= 0) close(copy);
    for (struct dirent *e; list && (e = readdir(list));) {
        struct stat st;
        int folder = is_ours(e->d_name, prefix), file = c->folder >= 0 && is_ours(e->d_name, "new-");
        if ((!folder && !file) || fstatat(copy, e->d_name, &st, AT_SYMLINK_NOFOLLOW)) continue;
        if (st.st_uid != geteuid() || time(NULL) - st.st_mtime < STALE) continue;
        if (file)
            unlinkat(copy, e->d_name, 0);
        else
            sweep_one(copy, e->d_name);
    }
    if (list) closedir(list);
}

/* ---- creation ---- */

/* In the folder f->parent, whose path is given. */
static int create_in(native_folder *f, const char *prefix, const char *parent_path)
{
    if (f->parent < 0 || taut_native_random_name(f->name, sizeof f->name, prefix) ||
        taut_native_print(f->path, sizeof f->path, "%s/%s", parent_path, f->name))
        return 1;
    if (mkdirat(f->parent, f->name, 0700)) return 1;
    f->folder = openat(f->parent, f->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->folder < 0) {
        int kept = errno;
        unlinkat(f->parent, f->name, AT_REMOVEDIR);
        errno = kept;
        return 1;
    }
    flock(f->folder, LOCK_EX | LOCK_NB);
    return 0;
}

int taut_native_folder_create(native_folder *f, const native_cache *c, char *reason)
{
    const char *temporary = temporary_path();
    *f = (native_folder){ .folder = -1, .parent = -1 };
    if (c->folder >= 0) {
        f->parent = fcntl(c->folder, F_DUPFD_CLOEXEC, 3);
        if (!create_in(f, "work-", c->path)) return 0;
        if (f->parent >= 0) close(f->parent);
    }
    f->parent = open(temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!create_in(f, "taut-", temporary)) return 0;
    taut_native_print(reason, NATIVE_TEXT, "no temporary folder can be made in '%.400s': %s", temporary,
                      strerror(errno));
    if (f->parent >= 0) close(f->parent);
    f->parent = -1;
    return 1;
}
#endif
