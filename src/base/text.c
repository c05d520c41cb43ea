#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int taut_text_format_v(char *buffer, size_t size, const char *format, va_list arguments)
{
    text_locale l = text_locale_enter();
    int length = vsnprintf(buffer, size, format, arguments);
    text_locale_leave(l);
    return length;
}

int taut_text_format(char *buffer, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int length = taut_text_format_v(buffer, size, format, arguments);
    va_end(arguments);
    return length;
}

double taut_text_number(const char *text, char **end)
{
    text_locale l = text_locale_enter();
    double value = strtod(text, end);
    text_locale_leave(l);
    return value;
}

/* The code of a character of several bytes; -1: the bytes are none. */
static long decode(const unsigned char *c, int *bytes)
{
    const int more = c[0] < 0xc2 ? 0 : c[0] < 0xe0 ? 1 : c[0] < 0xf0 ? 2 : c[0] < 0xf5 ? 3 : 0;
    long code = more == 1 ? c[0] & 0x1f : more == 2 ? c[0] & 0x0f : c[0] & 0x07;
    *bytes = 1;
    for (int i = 1; i <= more; i++) {
        if ((c[i] & 0xc0) != 0x80) return -1;
        code = code << 6 | (c[i] & 0x3f);
    }
    /* too long a form, half of a pair, beyond the last */
    if (!more || (more == 2 && code < 0x800) || (more == 3 && (code < 0x10000 || code > 0x10ffff))
        || (code >= 0xd800 && code < 0xe000))
        return -1;
    *bytes = 1 + more;
    return code;
}

int taut_text_visible(const char *text, int *bytes)
{
    /* C1 controls; marks of direction; zero width; separators, embeddings and overrides; isolates and invisible
       operators; byte order mark; annotations and what is no character; tags */
    static const long hidden[][2] = { { 0x80, 0x9f },     { 0x61c, 0x61c },   { 0x180e, 0x180e }, { 0x200b, 0x200f },
                                      { 0x2028, 0x202e }, { 0x2060, 0x206f }, { 0xfeff, 0xfeff }, { 0xfff0, 0xfffb },
                                      { 0xfffe, 0xffff }, { 0xe0000, 0xe0fff } };
    const unsigned char *c = (const unsigned char *)text;
    *bytes = *c ? 1 : 0;
    if (*c < 0x80) return *c >= 0x20 && *c < 0x7f;
    const long code = decode(c, bytes);
    for (size_t i = 0; i < sizeof hidden / sizeof *hidden; i++)
        if (code >= hidden[i][0] && code <= hidden[i][1]) return 0;
    return code >= 0;
}

int taut_text_all_visible(const char *text)
{
    int bytes;
    for (; *text; text += bytes)
        if (!taut_text_visible(text, &bytes)) return 0;
    return 1;
}

const char *taut_text_file_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

void taut_text_hide_folder(char *text, const char *path)
{
    const char *name = taut_text_file_name(path);
    const size_t length = strlen(path), kept = strlen(name);
    for (char *at = text; length > kept && (at = strstr(at, path)); at += kept) {
        memmove(at, name, kept);
        memmove(at + kept, at + length, strlen(at + length) + 1);
    }
}
