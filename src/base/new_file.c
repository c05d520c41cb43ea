#include "base/new_file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

FILE *taut_new_file(const char *part)
{
    if (unlink(part) && errno != ENOENT) return NULL;
    const int number = open(part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    FILE *file = number < 0 ? NULL : fdopen(number, "wb");
    if (!file && number >= 0) close(number);
    return file;
}

int taut_new_file_settle(const char *part, const char *path)
{
    const int number = open(part, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (number < 0) return -1;
    int failed = fsync(number);
    if (close(number)) failed = -1;
    return failed ? failed : rename(part, path);
}
