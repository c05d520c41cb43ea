/* What the formats share, and CSV. */
#include "record/export.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/new_file.h"
#include "record/csv.h"

enum { PIECE = 200000 }; /* numbers at a time */

long taut_export_frame_count(const record *r, const export_options *options)
{
    const long count = taut_record_frame_count(r);
    return count ? (count - 1) / options->every + 1 : 0;
}

int taut_export_read(taut_context *context, record *r, const export_options *options, export_piece piece, void *user)
{
    const size_t width = options->column_count;
    const long all = taut_record_frame_count(r), every = options->every;
    /* short reads: the run that writes need not wait for them */
    long most = PIECE / (long)(width ? width : 1);
    if (most < 1 || every > 1) most = 1;
    if (most > 2000) most = 2000;
    if (most > all) most = all > 0 ? all : 1;
    wide *values = taut_mem_new(context, (size_t)most * width, sizeof *values);
    int status = values ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (long at = 0; !status && at < all; at += every > 1 ? every : most) {
        long count = all - at < most ? all - at : most;
        if ((status = taut_stopped(context))) break;
        status = taut_record_read_wide(r, at, count, options->columns, width, values);
        if (!status) status = piece(user, values, at / every, count);
    }
    taut_mem_free(context, values);
    return status;
}

char *taut_export_begin(taut_context *context, const char *path)
{
    char *part = taut_mem_new(context, strlen(path) + sizeof NEW_FILE_ENDING, 1);
    if (part) taut_new_file_name(path, part);
    return part;
}

int taut_export_end(taut_context *context, char *part, const char *path, int status)
{
    if (!status && taut_new_file_settle(path, part))
        status = taut_fail(context, TAUT_CANNOT_WRITE, "cannot write '%s': %s", path, strerror(errno));
    if (status && part) taut_new_file_discard(path, part);
    taut_mem_free(context, part);
    return status;
}

/* ---- CSV ---- */

typedef struct {
    taut_context *context;
    const char *path;
    FILE *file;
    csv_out out;
    size_t width;
    int digits;
} table;

static int write_text(void *user, const char *text, size_t size)
{
    const table *z = user;
    return fwrite(text, 1, size, z->file) != size;
}

static int cannot_write(const table *z)
{
    return taut_fail(z->context, TAUT_CANNOT_WRITE, "cannot write '%s': %s", z->path, strerror(errno));
}

static int write_lines(void *user, const wide *values, long first, long count)
{
    table *z = user;
    (void)first;
    for (long i = 0; i < count; i++)
        if (taut_csv_line(&z->out, values + (size_t)i * z->width, z->width, z->digits)) return cannot_write(z);
    return TAUT_OK;
}

static int write_header(table *z, const record *r, const export_options *options)
{
    for (size_t i = 0; i < options->column_count; i++)
        if (taut_csv_name(&z->out, i, taut_record_columns(r)[options->columns[i]].name)) return cannot_write(z);
    return taut_csv_end(&z->out) ? cannot_write(z) : TAUT_OK;
}

int taut_export_csv(taut_context *context, record *r, const char *path, const export_options *options)
{
    const char *precision = taut_record_property(r, "precision");
    table z = { .context = context, .path = path, .width = options->column_count };
    z.out.write = write_text, z.out.user = &z;
    z.digits = precision && strcmp(precision, "quad") == 0 && WIDE_DIGITS >= 34 ? 34 : 17;
    char *part = taut_export_begin(context, path);
    if (!part) return TAUT_OUT_OF_MEMORY;
    z.file = taut_new_file(path, part);
    int status = z.file ? write_header(&z, r, options) : cannot_write(&z);
    if (!status) status = taut_export_read(context, r, options, write_lines, &z);
    if (!status && taut_csv_flush(&z.out)) status = cannot_write(&z);
    if (z.file && fclose(z.file) && !status) status = cannot_write(&z);
    return taut_export_end(context, part, path, status);
}
