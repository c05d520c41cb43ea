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

static int cannot_write(const char *path, int status)
{
    return complain(status, "cannot write %s: %s", path, strerror(errno));
}

static int write_part(taut_context *context, const whole_file *f, const char *part)
{
    FILE *file = taut_new_file(f->path, part);
    if (!file) return cannot_write(f->path, EXIT_USAGE);
    const int status = f->write(f->user, file), written = !ferror(file), error = errno, closed = fclose(file) != EOF;
    if (!written) errno = error;
    if (!written || (!status && !closed)) return cannot_write(f->path, EXIT_FAILED);
    if (!status) return EXIT_DONE;
    const char *said = taut_error_text(context); /* "" where the command itself has failed */
    return complain(exit_status_of(status), "%s: %s", f->path, *said ? said : "out of memory");
}

int write_whole_files(taut_context *context, const whole_file *files, size_t count)
{
    char **parts = calloc(count, sizeof *parts);
    size_t begun = 0, settled = 0;
    int code = parts ? EXIT_DONE : complain(EXIT_FAILED, "out of memory");
    for (; !code && begun < count; begun++) {
        parts[begun] = malloc(strlen(files[begun].path) + sizeof NEW_FILE_ENDING);
        if (!parts[begun]) {
            code = complain(EXIT_FAILED, "out of memory");
            break;
        }
        taut_new_file_name(files[begun].path, parts[begun]);
        code = write_part(context, &files[begun], parts[begun]);
    }
    for (; !code && settled < count; settled++)
        if (taut_new_file_settle(files[settled].path, parts[settled])) {
            code = cannot_write(files[settled].path, EXIT_FAILED);
            break;
        }
    for (size_t i = settled; i < begun; i++) taut_new_file_discard(files[i].path, parts[i]);
    for (size_t i = 0; parts && i < count; i++) free(parts[i]);
    free(parts);
    return code;
}

void put_output_name(const char *path)
{
    if (!taut_new_file_is_special(path)) printf("%s\n", path);
}

int write_whole_file(taut_context *context, const char *path, int (*write)(void *user, FILE *file), void *user)
{
    return write_whole_files(context, &(whole_file){ path, write, user }, 1);
}
