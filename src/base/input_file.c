#include "base/input_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What was opened is looked at again: the name may belong to something else by then. */
static int open_regular(const char *path)
{
    struct stat found;
    if (stat(path, &found)) return -1;
    errno = 0;
    if (!S_ISREG(found.st_mode)) return -1;
    const int number = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (number < 0 || (fstat(number, &found) == 0 && S_ISREG(found.st_mode))) return number;
    close(number);
    errno = 0;
    return -1;
}

FILE *taut_input_file(const char *path, const char **why)
{
    const int number = open_regular(path);
    FILE *file = number < 0 ? NULL : fdopen(number, "rb");
    if (!file) *why = errno ? strerror(errno) : "it is not a regular file";
    if (!file && number >= 0) close(number);
    return file;
}
