/* Extended XYZ: each frame the number of points, a line of properties, and a line per point: its name, position,
   velocity. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/new_file.h"
#include "base/text.h"
#include "record/export.h"

typedef struct {
    char name[256];
    long columns[6];  /* position, velocity; -1: a plane has no z */
} particle;

typedef struct {
    taut_context *context;
    const char *path;
    FILE *file;
    particle *points;
    size_t count, capacity;
    size_t *columns;      /* asked for: t, six for each point (a missing one is t), then scalars */
    size_t column_count;
    const char **scalars; /* names of the last ones */
    size_t scalar_count;
} molecule;

static long find(const record *r, const char *point, const char *suffix)
{
    char name[300];
    snprintf(name, sizeof name, "%s%s", point, suffix);
    return taut_record_column_find(r, name);
}

/* A point has coordinates .x and .y; a rotation too, but also .w. */
static int find_points(molecule *z, const record *r)
{
    static const char *const suffixes[] = { ".x", ".y", ".z", ".x.dot", ".y.dot", ".z.dot" };
    const record_column *columns = taut_record_columns(r);
    for (size_t i = 0; i < taut_record_column_count(r); i++) {
        size_t length = strlen(columns[i].name);
        if (strcmp(columns[i].kind, "coordinate") != 0 || length < 3 || length > 250 ||
            strcmp(columns[i].name + length - 2, ".x") != 0)
            continue;
        if (taut_mem_grow(z->context, &z->points, &z->capacity, z->count + 1, sizeof *z->points))
            return TAUT_OUT_OF_MEMORY;
        particle *p = &z->points[z->count];
        memcpy(p->name, columns[i].name, length - 2);
        p->name[length - 2] = 0;
        if (find(r, p->name, ".w") >= 0 || find(r, p->name, ".y") < 0) continue;
        for (int k = 0; k < 6; k++) p->columns[k] = find(r, p->name, suffixes[k]);
        z->count++;
    }
    return z->count ? TAUT_OK
                    : taut_fail(z->context, TAUT_UNSUPPORTED,
                           "an XYZ file consists of points, and the run has none; export to .csv or .h5 instead");
}

static int is_scalar(const record_column *c)
{
    static const char *const many[] = { "time", "coordinate", "velocity", "momentum", "multiplier" };
    for (size_t i = 0; i < sizeof many / sizeof *many; i++)
        if (strcmp(c->kind, many[i]) == 0) return 0;
    return 1;
}

static int choose_columns(molecule *z, const record *r)
{
    const record_column *columns = taut_record_columns(r);
    size_t all = taut_record_column_count(r);
    long t = taut_record_column_find(r, "t");
    z->columns = taut_mem_new(z->context, 1 + 6 * z->count + all, sizeof *z->columns);
    z->scalars = taut_mem_new(z->context, all, sizeof *z->scalars);
    if (!z->columns || !z->scalars) return TAUT_OUT_OF_MEMORY;
    z->columns[z->column_count++] = (size_t)(t < 0 ? 0 : t);
    for (size_t i = 0; i < z->count; i++)
        for (int k = 0; k < 6; k++)
            z->columns[z->column_count++] = (size_t)(z->points[i].columns[k] < 0 ? 0 : z->points[i].columns[k]);
    for (size_t i = 0; i < all; i++) {
        if (!is_scalar(&columns[i])) continue;
        z->scalars[z->scalar_count++] = columns[i].name;
        z->columns[z->column_count++] = i;
    }
    return TAUT_OK;
}

static int cannot_write(const molecule *z)
{
    return taut_fail(z->context, TAUT_CANNOT_WRITE, "cannot write '%s': %s", z->path, strerror(errno));
}

/* Keys and names are one word. */
static void put_word(FILE *file, const char *word)
{
    for (; *word; word++) putc(strchr(" \t\n\"=,", *word) ? '_' : *word, file);
}

static void put_number(FILE *file, const char *before, wide value)
{
    char text[40];
    taut_text_format(text, sizeof text, "%.17g", (double)value);
    fprintf(file, "%s%s", before, text);
}

static int write_molecules(void *user, const wide *values, long first, long count)
{
    molecule *z = user;
    (void)first;
    for (long i = 0; i < count; i++, values += z->column_count) {
        const wide *at = values + 1, *scalars = values + 1 + 6 * z->count;
        fprintf(z->file, "%zu\nProperties=species:S:1:pos:R:3:vel:R:3", z->count);
        put_number(z->file, " Time=", values[0]);
        for (size_t k = 0; k < z->scalar_count; k++) {
            putc(' ', z->file);
            put_word(z->file, z->scalars[k]);
            put_number(z->file, "=", scalars[k]);
        }
        putc('\n', z->file);
        for (size_t p = 0; p < z->count; p++, at += 6) {
            put_word(z->file, z->points[p].name);
            for (int k = 0; k < 6; k++) put_number(z->file, " ", z->points[p].columns[k] < 0 ? 0 : at[k]);
            if (putc('\n', z->file) == EOF) return cannot_write(z);
        }
    }
    return ferror(z->file) ? cannot_write(z) : TAUT_OK;
}

int taut_export_xyz(taut_context *context, record *r, const char *path, const export_options *options)
{
    molecule z = { .context = context, .path = path };
    char *part = taut_export_begin(context, path);
    int status = part ? find_points(&z, r) : TAUT_OUT_OF_MEMORY;
    if (!status) status = choose_columns(&z, r);
    if (!status && !(z.file = taut_new_file(path, part))) status = cannot_write(&z);
    const export_options chosen = { z.columns, z.column_count, options->every };
    if (!status) status = taut_export_read(context, r, &chosen, write_molecules, &z);
    if (z.file && fclose(z.file) && !status) status = cannot_write(&z);
    taut_mem_free(context, z.points);
    taut_mem_free(context, z.columns);
    taut_mem_free(context, z.scalars);
    return taut_export_end(context, part, path, status);
}
