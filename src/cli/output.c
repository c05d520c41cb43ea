/* Texts for the terminal, and files that a command writes whole. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/new_file.h"
#include "base/text.h"
#include "cli/cli.h"

void put_text(FILE *file, const char *text)
{
    int bytes;
    for (; *text; text += bytes) {
        if (taut_text_visible(text, &bytes) || *text == '\n' || *text == '\t') fwrite(text, 1, (size_t)bytes, file);
        else
            for (int i = 0; i < bytes; i++) fprintf(file, "\\x%02x", (unsigned char)text[i]);
    }
}

int write_whole_file(taut_context *context, const char *path, int (*write)(void *user, FILE *file), void *user)
{
    size_t size = strlen(path) + 8;
    char *partial = malloc(size);
    if (!partial) return complain(EXIT_FAILED, "out of memory");
    snprintf(partial, size, "%s.part", path);
    FILE *file = taut_new_file(partial);
    int code = EXIT_DONE;
    if (!file) {
        code = complain(EXIT_USAGE, "cannot write %s: %s", path, strerror(errno));
    } else {
        int status = write(user, file);
        if (status) code = complain(exit_status_of(status), "%s: %s", path, taut_error_text(context));
        if (fclose(file) == EOF && !code) code = complain(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
        if (!code && taut_new_file_settle(partial, path))
            code = complain(EXIT_FAILED, "cannot write %s: %s", path, strerror(errno));
        if (code) unlink(partial);
    }
    free(partial);
    return code;
}
