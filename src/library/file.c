/* Run files, pages and exports of the public interface. */
#include "library/file.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "record/export.h"
#include "report/page.h"
#include "report/sweep_page.h"
#include "report/template.h"

int taut_file_open(taut_context *context, const char *path, taut_file **result)
{
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, path, "path");
    library_begin(context);
    taut_file *f = taut_mem_new(context, 1, sizeof *f);
    int status = f ? taut_record_open(context, path, &f->r) : TAUT_OUT_OF_MEMORY;
    if (status) {
        taut_mem_free(context, f);
        return library_done(context, status);
    }
    f->context = context;
    taut_context_keep(context);
    *result = f;
    return library_done(context, TAUT_OK);
}

void taut_file_close(taut_file *f)
{
    if (!f) return;
    taut_context *context = f->context;
    taut_record_close(f->r);
    taut_mem_free(context, f->units);
    taut_mem_free(context, f->moments);
    taut_mem_free(context, f->statistics);
    taut_mem_free(context, f);
    taut_context_release(context);
}

const char *taut_file_property(const taut_file *f, const char *name)
{
    return f && name ? taut_record_property(f->r, name) : NULL;
}

int taut_file_is_ensemble(const taut_file *f) { return f ? taut_sweep_is(f->r) : 0; }

typedef struct {
    taut_file *f;
    int (*take)(void *user, uint64_t member, int failed);
    void *user;
} member_reader;

static int take_member(void *user, const sweep_member *m)
{
    const member_reader *r = user;
    library_leave(r->f->context);
    const int status = r->take(r->user, m->member, m->failed);
    library_again(r->f->context);
    return status ? taut_fail(r->f->context, status, "the callback that takes members returned %d", status) : TAUT_OK;
}

int taut_file_members(taut_file *f, int (*take)(void *user, uint64_t member, int failed), void *user)
{
    member_reader r = { f, take, user };
    LIBRARY_NEEDS(NULL, f, "file");
    LIBRARY_NEEDS(f->context, take, "take");
    library_begin(f->context);
    int status = taut_sweep_is(f->r) ? taut_sweep_read_members(f->r, take_member, &r)
                                     : taut_fail(f->context, TAUT_BAD_USAGE, "the file is that of a single run");
    return library_done(f->context, status);
}

int taut_file_check(taut_file *f)
{
    LIBRARY_NEEDS(NULL, f, "file");
    library_begin(f->context);
    return library_done(f->context, taut_record_check_cells(f->r));
}

size_t taut_file_columns(const taut_file *f) { return f ? taut_record_column_count(f->r) : 0; }

const char *taut_file_column(const taut_file *f, size_t index)
{
    return index < taut_file_columns(f) ? taut_record_columns(f->r)[index].name : NULL;
}

long taut_file_find(const taut_file *f, const char *name)
{
    return f && name ? taut_record_column_find(f->r, name) : -1;
}

int taut_file_frames(taut_file *f, size_t *count)
{
    LIBRARY_NEEDS(NULL, f, "file");
    LIBRARY_NEEDS(f->context, count, "count");
    library_begin(f->context);
    int status = taut_record_refresh(f->r);
    *count = status ? 0 : (size_t)taut_record_frame_count(f->r);
    return library_done(f->context, status);
}

/* Frames are read in pieces of about so many numbers. */
#define PIECE 65536

/* origin: numbers that are taken away from those of every frame; NULL: none. */
static int read_pairs(taut_file *f, size_t first, size_t count, const size_t *columns, size_t width,
                      const wide *origin, double *high, double *low)
{
    const size_t most = width < PIECE ? PIECE / (width ? width : 1) : 1;
    wide *wides = taut_mem_new(f->context, most * width, sizeof *wides);
    int status = wides ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t done = 0; !status && done < count;) {
        const size_t some = count - done < most ? count - done : most;
        status = taut_record_read_wide(f->r, (long)(first + done), (long)some, columns, width, wides);
        for (size_t i = 0; !status && i < some * width; i++) {
            const size_t at = done * width + i;
            if (origin) wides[i] -= origin[i % width];
            high[at] = (double)wides[i];
            if (low) low[at] = isfinite(high[at]) ? (double)(wides[i] - high[at]) : 0;
        }
        done += some;
    }
    taut_mem_free(f->context, wides);
    return status;
}

int taut_library_check_columns(taut_file *f, const size_t *columns, size_t count)
{
    const size_t all = taut_file_columns(f);
    for (size_t i = 0; columns && i < count; i++)
        if (columns[i] >= all)
            return taut_fail(f->context, TAUT_BAD_USAGE, "there is no column %zu: the run has %zu, counted from 0",
                             columns[i], all);
    return TAUT_OK;
}

/* All columns, in their order; NULL without memory. */
static size_t *list_columns(taut_file *f, size_t *count)
{
    *count = taut_file_columns(f);
    size_t *list = taut_mem_new(f->context, *count, sizeof *list);
    for (size_t i = 0; list && i < *count; i++) list[i] = i;
    return list;
}

static int read(taut_file *f, size_t first, size_t count, const size_t *columns, size_t width, const wide *origin,
                double *high, double *low)
{
    if (!count || !width) return TAUT_OK;
    return low || origin ? read_pairs(f, first, count, columns, width, origin, high, low)
                         : taut_record_read(f->r, (long)first, (long)count, columns, width, high);
}

/* changes: since the first frame. */
static int read_some(taut_file *f, size_t first, size_t count, const size_t *columns, size_t column_count, int changes,
                     double *high, double *low)
{
    const size_t frames = (size_t)taut_record_frame_count(f->r);
    size_t *list = NULL;
    wide *origin = NULL;
    if (first > frames || count > frames - first)
        return taut_fail(f->context, TAUT_BAD_USAGE, "%zu frames from %zu on are asked for, and there are %zu",
                         count, first, frames);
    int status = taut_library_check_columns(f, columns, column_count);
    if (!status && !columns && !(columns = list = list_columns(f, &column_count))) status = TAUT_OUT_OF_MEMORY;
    if (!status && changes && !(origin = taut_mem_new(f->context, column_count, sizeof *origin)))
        status = TAUT_OUT_OF_MEMORY;
    if (!status && origin && count) status = taut_record_read_wide(f->r, 0, 1, columns, column_count, origin);
    if (!status) status = read(f, first, count, columns, column_count, origin, high, low);
    taut_mem_free(f->context, list);
    taut_mem_free(f->context, origin);
    return status;
}

int taut_file_read(taut_file *f, size_t first, size_t count, const size_t *columns, size_t column_count, double *high,
                   double *low)
{
    LIBRARY_NEEDS(NULL, f, "file");
    LIBRARY_NEEDS(f->context, high || !count, "high");
    library_begin(f->context);
    return library_done(f->context, read_some(f, first, count, columns, column_count, 0, high, low));
}

int taut_file_changes(taut_file *f, size_t first, size_t count, const size_t *columns, size_t column_count,
                      double *values)
{
    LIBRARY_NEEDS(NULL, f, "file");
    LIBRARY_NEEDS(f->context, values || !count, "values");
    library_begin(f->context);
    return library_done(f->context, read_some(f, first, count, columns, column_count, 1, values, NULL));
}

int taut_file_events(taut_file *f, size_t *count)
{
    LIBRARY_NEEDS(NULL, f, "file");
    LIBRARY_NEEDS(f->context, count, "count");
    library_begin(f->context);
    int status = taut_record_events(f->r, &f->events, &f->event_count);
    if (status) f->event_count = 0;
    *count = f->event_count;
    return library_done(f->context, status);
}

int taut_file_event_at(taut_file *f, size_t index, taut_file_event *event)
{
    LIBRARY_NEEDS(NULL, f, "file");
    LIBRARY_NEEDS(f->context, event, "event");
    library_begin(f->context);
    if (index >= f->event_count)
        return library_done(f->context, taut_fail(f->context, TAUT_BAD_USAGE,
                                                  "there is no event %zu; taut_file_events counted %zu", index,
                                                  f->event_count));
    const record_event *e = &f->events[index];
    const taut_file_event found = { .step = e->step, .time = e->t, .impulse = e->impulse, .contact = e->name,
                                    .kind = e->kind };
    taut_library_give(&found, sizeof found, event);
    return library_done(f->context, TAUT_OK);
}

/* ---- pages ---- */

typedef int (*page_writer)(void *user, const char *data, size_t size);

int taut_library_hand_on(taut_context *context, library_page *make, void *self, page_writer write, void *user)
{
    char *text = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&text, &size);
    if (!memory) return taut_fail(context, TAUT_OUT_OF_MEMORY, "out of memory for the page");
    int status = make(self, memory);
    if (fclose(memory) && !status) status = taut_fail(context, TAUT_OUT_OF_MEMORY, "out of memory for the page");
    if (!status && write(user, text, size))
        status = taut_fail(context, TAUT_CANNOT_WRITE, "the page was not taken: its callback failed");
    free(text);
    return status;
}

typedef struct {
    taut_file *f;
    const page_part *part;
} file_page;

static int make_page(void *self, FILE *memory)
{
    const file_page *p = self;
    taut_file *f = p->f;
    return taut_sweep_is(f->r) ? taut_sweep_page_write(f->context, f->r, (const char *)taut_template_ensemble,
                                                       taut_template_ensemble_size, memory)
                               : taut_page_write_part(f->context, f->r, p->part, (const char *)taut_template_page,
                                                      taut_template_page_size, memory);
}

static int write_page(taut_file *f, const page_part *part, page_writer write, void *user)
{
    library_begin(f->context);
    return library_done(f->context, taut_library_hand_on(f->context, make_page, &(file_page){ f, part }, write, user));
}

int taut_page(taut_file *f, page_writer write, void *user)
{
    const page_part whole = { .from = -INFINITY, .to = INFINITY, .every = 1 };
    LIBRARY_NEEDS(NULL, f, "file");
    LIBRARY_NEEDS(f->context, write, "write");
    return write_page(f, &whole, write, user);
}

int taut_page_part(taut_file *f, const taut_page_options *options, page_writer write, void *user)
{
    taut_page_options o;
    LIBRARY_NEEDS(NULL, f, "file");
    LIBRARY_NEEDS(f->context, options, "options");
    LIBRARY_NEEDS(f->context, write, "write");
    library_begin(f->context);
    int status = taut_library_take(f->context, "taut_page_options", options, sizeof o, &o);
    if (!status && o.every < 0)
        status = taut_fail(f->context, TAUT_BAD_USAGE, "every is a number from 1 on, or 0 for 1, not %ld", o.every);
    if (status) return library_done(f->context, status);
    const page_part part = { .from = o.from ? *o.from : -INFINITY, .to = o.to ? *o.to : INFINITY,
                             .every = o.every ? o.every : 1, .meshes = o.meshes };
    library_done(f->context, TAUT_OK);
    return write_page(f, &part, write, user);
}

/* ---- exports ---- */

typedef int (*exporter)(taut_context *context, record *r, const char *path, const export_options *options);
static const struct {
    const char *ending;
    exporter export;
} exports[] = { { ".csv", taut_export_csv },
                { ".h5", taut_export_hdf5 },
                { ".hdf5", taut_export_hdf5 },
                { ".xyz", taut_export_xyz } };
enum { EXPORTS = sizeof exports / sizeof *exports };

const char *taut_export_ending(size_t index) { return index < EXPORTS ? exports[index].ending : NULL; }

static exporter find_exporter(const char *path)
{
    const size_t length = strlen(path);
    for (size_t i = 0; i < EXPORTS; i++) {
        const size_t ending = strlen(exports[i].ending);
        if (length > ending && strcmp(path + length - ending, exports[i].ending) == 0) return exports[i].export;
    }
    return NULL;
}

int taut_file_export(taut_file *f, const char *path, const taut_export *what)
{
    taut_export o = { 0 };
    size_t *all = NULL;
    LIBRARY_NEEDS(NULL, f, "file");
    LIBRARY_NEEDS(f->context, path, "path");
    library_begin(f->context);
    const exporter export = find_exporter(path);
    int status = what ? taut_library_take(f->context, "taut_export", what, sizeof o, &o) : TAUT_OK;
    if (!status && !export)
        status = taut_fail(f->context, TAUT_BAD_USAGE, "'%s': the name of an export ends in .csv, .h5 or .xyz", path);
    if (!status && o.every < 0)
        status = taut_fail(f->context, TAUT_BAD_USAGE, "every is a number from 1 on, or 0 for 1, not %ld", o.every);
    if (!status) status = taut_library_check_columns(f, o.columns, o.column_count);
    if (!status && !o.columns && !(all = list_columns(f, &o.column_count))) status = TAUT_OUT_OF_MEMORY;
    if (!status) {
        const export_options options = { o.columns ? o.columns : all, o.column_count, o.every ? o.every : 1 };
        status = export(f->context, f->r, path, &options);
    }
    taut_mem_free(f->context, all);
    return library_done(f->context, status);
}
