#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int is_regular(const struct stat *found) { return S_ISREG(found->st_mode) || S_ISDIR(found->st_mode); }

/* /dev/stdout is a link to whatever the output of this process is, and that may be a regular file, which is in use. */
static int is_output(const char *path, const struct stat *found)
{
    struct stat link, output;
    return lstat(path, &link) == 0 && S_ISLNK(link.st_mode) && fstat(STDOUT_FILENO, &output) == 0
           && output.st_dev == found->st_dev && output.st_ino == found->st_ino;
}

int taut_new_file_is_special(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 && (!is_regular(&found) || is_output(path, &found));
}

void taut_new_file_name(const char *path, char *part)
{
    strcpy(part, path);
    if (!taut_new_file_is_special(path)) strcat(part, NEW_FILE_ENDING);
}

static int is_direct(const char *path, const char *part) { return strcmp(path, part) == 0; }

/* What is the output already is not opened again: it may be a socket, or have a place to go on from. A disk is no place
   for a file, whoever has the right. */
static int open_special(const char *path)
{
    struct stat found;
    if (stat(path, &found)) return -1;
    if (is_output(path, &found)) return fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0);
    if (S_ISCHR(found.st_mode) || S_ISFIFO(found.st_mode)) return open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
    errno = EOPNOTSUPP;
    return -1;
}

FILE *taut_new_file(const char *path, const char *part)
{
    const int direct = is_direct(path, part);
    if (!direct && unlink(part) && errno != ENOENT) return NULL;
    const int number =
        direct ? open_special(path) : open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *file = number < 0 ? NULL : fdopen(number, "wb");
    if (!file && number >= 0) close(number);
    return file;
}

int taut_new_file_settle(const char *path, const char *part)
{
    if (is_direct(path, part)) return 0;
    const int number = open(part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (number < 0) return -1;
    int failed = fsync(number);
    if (close(number)) failed = -1;
    return failed ? failed : rename(part, path);
}

void taut_new_file_discard(const char *path, const char *part)
{
    if (!is_direct(path, part)) unlink(part);
}
