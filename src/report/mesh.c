#include "report/mesh.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/input_file.h"
#include "base/wide.h"

typedef struct {
    taut_context *context;
    const char *name;
    mesh *out;
    size_t capacity;                      /* of triangles */
    float *points;                        /* vertices of an OBJ file */
    size_t point_count, point_capacity;
} reader;

static int add_triangle(reader *z, const float *a, const float *b, const float *c)
{
    if (z->out->count >= MESH_TRIANGLES)
        return taut_fail(z->context, TAUT_CANNOT_READ, "the mesh '%s' has more than %d triangles", z->name,
                         MESH_TRIANGLES);
    size_t at = z->out->count;
    int status = taut_mem_grow(z->context, &z->out->corners, &z->capacity, at + 1, 9 * sizeof(float));
    if (status) return status;
    memcpy(z->out->corners + 9 * at, a, 3 * sizeof *a);
    memcpy(z->out->corners + 9 * at + 3, b, 3 * sizeof *b);
    memcpy(z->out->corners + 9 * at + 6, c, 3 * sizeof *c);
    z->out->count++;
    return TAUT_OK;
}

static uint32_t little(const unsigned char *p)
{
    return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

/* 80 bytes, a count, and 50 bytes per triangle: a normal, three corners, two bytes. */
static int read_binary(reader *z, const unsigned char *text, size_t count)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < count; i++) {
        float corner[9];
        for (int k = 0; k < 9; k++) {
            uint32_t bits = little(text + 84 + 50 * i + 12 + 4 * (size_t)k);
            memcpy(&corner[k], &bits, sizeof bits);
            if (!(corner[k] - corner[k] == 0)) corner[k] = 0;
        }
        status = add_triangle(z, corner, corner + 3, corner + 6);
    }
    return status;
}

static char *skip_blanks(char *at)
{
    while (*at == ' ' || *at == '\t' || *at == '\r') at++;
    return at;
}

/* Three numbers from *at on, whatever the locale. */
static int read_point(char **at, float point[3])
{
    for (int k = 0; k < 3; k++) {
        char word[64];
        size_t length = 0;
        *at = skip_blanks(*at);
        while ((*at)[length] && !isspace((unsigned char)(*at)[length])) length++;
        wide value;
        if (!length || length >= sizeof word) return 0;
        memcpy(word, *at, length);
        word[length] = 0;
        if (taut_wide_parse(word, &value) || !(value - value == 0)) return 0;
        point[k] = (float)value;
        *at += length;
    }
    return 1;
}

static int bad_line(const reader *z, size_t number)
{
    return taut_fail(z->context, TAUT_CANNOT_READ, "cannot understand line %zu of the mesh '%s'", number, z->name);
}

/* v x y z; f a/b/c ...: vertices from 1, or from the end */
static int read_face(reader *z, char *at, size_t number)
{
    const float *first = NULL, *before = NULL;
    int status = TAUT_OK;
    for (at = skip_blanks(at); !status && *at && *at != '#'; at = skip_blanks(at)) {
        char *end;
        long index = strtol(at, &end, 10);
        if (index < 0) index += (long)z->point_count + 1;
        if (end == at || index < 1 || (size_t)index > z->point_count) return bad_line(z, number);
        const float *point = z->points + 3 * (index - 1);
        if (before && before != first) status = add_triangle(z, first, before, point);
        if (!first) first = point;
        before = point;
        for (at = end; *at && !isspace((unsigned char)*at);) at++;
    }
    return status;
}

static int add_point(reader *z, const float point[3])
{
    int status =
        taut_mem_grow(z->context, &z->points, &z->point_capacity, z->point_count + 1, 3 * sizeof *z->points);
    if (!status) memcpy(z->points + 3 * z->point_count++, point, 3 * sizeof *point);
    return status;
}

/* Both kinds of text: "vertex x y z" three times is a triangle of STL, "v" and "f" are OBJ. */
static int read_text(reader *z, char *text)
{
    float corner[9];
    int have = 0, status = TAUT_OK;
    size_t number = 0;
    for (char *line = text, *next; !status && line; line = next) {
        next = strchr(line, '\n');
        if (next) *next++ = 0;
        number++;
        char *at = skip_blanks(line);
        if (strncmp(at, "vertex", 6) == 0 && isspace((unsigned char)at[6])) {
            at += 6;
            if (!read_point(&at, corner + 3 * have)) return bad_line(z, number);
            have = (have + 1) % 3;
            if (!have) status = add_triangle(z, corner, corner + 3, corner + 6);
        } else if (at[0] == 'v' && isspace((unsigned char)at[1])) {
            at++;
            if (!read_point(&at, corner)) return bad_line(z, number);
            status = add_point(z, corner);
        } else if (at[0] == 'f' && isspace((unsigned char)at[1])) {
            status = read_face(z, at + 1, number);
        }
    }
    return status;
}

static int read_contents(reader *z, unsigned char *text, size_t size)
{
    size_t count = size >= 84 ? little(text + 80) : 0;
    int status = size >= 84 && size == 84 + 50 * count ? read_binary(z, text, count) : read_text(z, (char *)text);
    if (status || z->out->count) return status;
    return taut_fail(z->context, TAUT_CANNOT_READ, "the mesh '%s' has no triangles; it must be an STL or OBJ file",
                     z->name);
}

static int load(taut_context *context, const char *path, unsigned char **text, size_t *size)
{
    const char *why;
    FILE *file = taut_input_file(path, &why);
    size_t capacity = 0, got = 1;
    int status = file ? TAUT_OK : taut_fail(context, TAUT_CANNOT_READ, "cannot read the mesh '%s': %s", path, why);
    *text = NULL;
    *size = 0;
    while (!status && got) {
        status = taut_mem_grow(context, text, &capacity, *size + 65536, 1);
        if (status) break;
        got = fread(*text + *size, 1, 65535, file); /* room for a zero at the end */
        *size += got;
        (*text)[*size] = 0;
        if (*size > (size_t)1 << 28) status = taut_fail(context, TAUT_CANNOT_READ, "the mesh '%s' is too large", path);
    }
    if (!status && ferror(file))
        status = taut_fail(context, TAUT_CANNOT_READ, "cannot read the mesh '%s': %s", path, strerror(errno));
    if (file) fclose(file);
    return status;
}

int taut_mesh_read(taut_context *context, const char *model, const char *name, mesh *result)
{
    reader z = { .context = context, .name = name, .out = result };
    const char *slash = strrchr(model, '/');
    size_t folder = name[0] == '/' || !slash ? 0 : (size_t)(slash - model) + 1, size;
    unsigned char *text = NULL;
    char *path = taut_mem_new(context, folder + strlen(name) + 1, 1);
    *result = (mesh){ 0 };
    if (!path) return TAUT_OUT_OF_MEMORY;
    memcpy(path, model, folder);
    memcpy(path + folder, name, strlen(name) + 1);
    int status = load(context, path, &text, &size);
    if (!status) status = read_contents(&z, text, size);
    taut_mem_free(context, text);
    taut_mem_free(context, path);
    taut_mem_free(context, z.points);
    if (status) {
        taut_mem_free(context, result->corners);
        *result = (mesh){ 0 };
    }
    return status;
}
