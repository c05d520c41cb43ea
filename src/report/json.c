#include "report/json.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

/* Length of the UTF-8 character at p of at most n bytes, or 0 when it is none. */
static size_t utf8_length(const unsigned char *p, size_t n)
{
    size_t length = p[0] < 0x80                   ? 1
                    : p[0] >= 0xc2 && p[0] < 0xe0 ? 2
                    : p[0] >= 0xe0 && p[0] < 0xf0 ? 3
                    : p[0] >= 0xf0 && p[0] < 0xf5 ? 4
                                                  : 0;
    if (length > n) return 0;
    for (size_t i = 1; i < length; i++)
        if ((p[i] & 0xc0) != 0x80) return 0;
    if (length > 2 && ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
                       (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f)))
        return 0;
    return length;
}

static void put_string(FILE *file, const char *text, size_t size, const char *path)
{
    const unsigned char *p = (const unsigned char *)text, *end = p + size;
    const size_t folder = path ? (size_t)(taut_text_file_name(path) - path) : 0, whole = folder ? strlen(path) : 0;
    putc('"', file);
    while (p < end) {
        if (path && folder && (size_t)(end - p) >= whole && memcmp(p, path, whole) == 0) p += folder;
        size_t length = utf8_length(p, (size_t)(end - p));
        if (length == 0) fputs("\\ufffd", file), length = 1;
        else if (length > 1) fwrite(p, 1, length, file);
        else if (*p == '"' || *p == '\\') fprintf(file, "\\%c", *p);
        else if (*p == '\n') fputs("\\n", file);
        else if (*p < 0x20 || *p == 0x7f || *p == '<' || *p == '>' || *p == '&') fprintf(file, "\\u%04x", *p);
        else putc(*p, file);
        p += length;
    }
    putc('"', file);
}

static void begin(json *j, const char *key)
{
    if (j->separate) fputs(",\n", j->file);
    if (key) {
        put_string(j->file, key, strlen(key), NULL);
        putc(':', j->file);
    }
    j->separate = 1;
}

void taut_json_open(json *j, const char *key, char bracket)
{
    begin(j, key);
    putc(bracket, j->file);
    j->separate = 0;
}

void taut_json_close(json *j, char bracket)
{
    putc(bracket, j->file);
    j->separate = 1;
}

void taut_json_text_of(json *j, const char *key, const char *text, size_t size)
{
    begin(j, key);
    if (text) put_string(j->file, text, size, NULL);
    else fputs("null", j->file);
}

void taut_json_text(json *j, const char *key, const char *text)
{
    begin(j, key);
    if (text) put_string(j->file, text, strlen(text), j->path);
    else fputs("null", j->file);
}

void taut_json_number(json *j, const char *key, double value)
{
    char text[40] = "null";
    if (isfinite(value)) taut_text_format(text, sizeof text, "%.17g", value);
    begin(j, key);
    fputs(text, j->file);
}

void taut_json_wide(json *j, const char *key, wide value, int digits)
{
    char text[WIDE_TEXT] = "null";
    if (value - value == 0 && digits) taut_wide_format(text, sizeof text, value, digits);
    else if (value - value == 0) taut_wide_shortest(text, sizeof text, value);
    begin(j, key);
    fputs(text, j->file);
}

void taut_json_integer(json *j, const char *key, long long value)
{
    begin(j, key);
    fprintf(j->file, "%lld", value);
}

void taut_json_flag(json *j, const char *key, int value)
{
    begin(j, key);
    fputs(value ? "true" : "false", j->file);
}

/* ---- base64 ---- */

typedef struct {
    FILE *file;
    unsigned char held[3];
    int count;
} base64;

static void put_triple(base64 *b)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    uint32_t bits = (uint32_t)b->held[0] << 16 | (uint32_t)b->held[1] << 8 | b->held[2];
    for (int i = 0; i < 4; i++) putc(i <= b->count ? digits[bits >> (18 - 6 * i) & 63] : '=', b->file);
    b->count = 0;
    memset(b->held, 0, sizeof b->held);
}

static void put_bytes(base64 *b, uint64_t bits, int count)
{
    for (int i = 0; i < count; i++) {
        b->held[b->count++] = (unsigned char)(bits >> (8 * i));
        if (b->count == 3) put_triple(b);
    }
}

void taut_base64_bytes(FILE *file, const unsigned char *bytes, size_t count)
{
    base64 b = { .file = file };
    for (size_t i = 0; i < count; i++) put_bytes(&b, bytes[i], 1);
    if (b.count) put_triple(&b);
}

void taut_base64_doubles(FILE *file, const double *values, size_t count)
{
    base64 b = { .file = file };
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        put_bytes(&b, bits, 8);
    }
    if (b.count) put_triple(&b);
}

void taut_json_floats(json *j, const char *key, const float *values, size_t count)
{
    begin(j, key);
    putc('"', j->file);
    taut_base64_floats(j->file, values, count);
    putc('"', j->file);
}

void taut_base64_floats(FILE *file, const float *values, size_t count)
{
    base64 b = { .file = file };
    for (size_t i = 0; i < count; i++) {
        uint32_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        put_bytes(&b, bits, 4);
    }
    if (b.count) put_triple(&b);
}
