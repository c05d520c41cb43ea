/* Files that a command writes whole. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

int write_whole_file(taut_context *context, const char *path, int (*write)(void *user, FILE *file), void *user)
{
    size_t size = strlen(path) + 8;
    char *partial = malloc(size);
    if (!partial) return complain(EXIT_FAILED, "out of memory");
    snprintf(partial, size, "%s.part", path);
    FILE *file = fopen(partial, "wb");
    int code = EXIT_DONE;
    if (!file) {
        code = complain(EXIT_USAGE, "cannot write %s: %s", path, strerror(errno));
    } else {
        int status = write(user, file);
        if (status) code = complain(exit_status_of(status), "%s: %s", path, taut_error_text(context));
        if (fclose(file) == EOF && !code) code = complain(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
        if (!code && rename(partial, path)) code = complain(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
        if (code) unlink(partial);
    }
    free(partial);
    return code;
}
