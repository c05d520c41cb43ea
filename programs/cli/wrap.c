/* Output on a terminal: a line that is wider than the terminal is broken between words, not wherever it ends. What goes
   elsewhere, to files and other programs, stays as it is. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "cli/wrap.h"

#ifdef __GLIBC__

enum { LINE = 4096, NARROWEST = 40, HANGING_MOST = 45 };

/* A line that is being written, or what is left of the last one. */
typedef struct {
    char text[LINE];
    size_t length;
} line;

typedef struct {
    size_t width;
    line now;
    line rest; /* of a paragraph: its last words, which the next line continues */
    int failed;
} wrapper;

static wrapper terminal;
static FILE *plain;   /* standard output itself, where lines are wrapped, */
static FILE *dropped; /* or as it was before it was dropped */

static void put(const char *text, size_t size)
{
    while (size && !terminal.failed) {
        ssize_t done = write(STDOUT_FILENO, text, size);
        if (done < 0 && errno == EINTR) continue;
        if (done < 0) {
            terminal.failed = 1;
            return;
        }
        text += done;
        size -= (size_t)done;
    }
}

/* Columns: what continues a character of UTF-8 takes none, and neither does a colour, from ESC to m. */
static size_t takes_column(char c, int *colour)
{
    if (c == '\033') *colour = 1;
    const size_t takes = !*colour && ((unsigned char)c & 0xC0) != 0x80;
    if (c == 'm') *colour = 0;
    return takes;
}

static size_t columns_of(const char *text, size_t size)
{
    size_t columns = 0;
    int colour = 0;
    for (size_t i = 0; i < size; i++) columns += takes_column(text[i], &colour);
    return columns;
}

static size_t leading(const char *text) { return strspn(text, " "); }

/* Columns of a table are separated by gaps, two blanks or more. Where the last one begins that is not too far to the
   right to hang text under it; 0: there is no gap; 1: too far. */
static size_t last_column(const char *text)
{
    size_t found = 0;
    for (const char *at = text + leading(text); (at = strstr(at, "  "));) {
        const char *word = at + strspn(at, " ");
        if (*word && (word - text <= HANGING_MOST || !found)) found = (size_t)(word - text);
        at = word;
    }
    return found > HANGING_MOST ? 1 : found;
}

/* The place of the blank at which to break, after `from`: at a gap between columns if one is in the second half and
   leads beyond `hanging`, else between words. A word with a dash stays where it is: at the start of a line it would be
   taken for an option. What stands in brackets stays together. 0: there is none. */
static size_t break_at(const char *text, size_t from, size_t hanging, size_t width)
{
    size_t word = 0, gap = 0, columns = columns_of(text, from);
    int inside = 0, colour = 0;
    for (size_t i = from; text[i] && columns <= width; i++) {
        if (text[i] == '[' && !colour) inside++;
        if (text[i] == ']') inside--;
        if (text[i] == ' ' && text[i + 1] != '-' && i > from && text[i - 1] != ' ' && inside <= 0) {
            word = i;
            if (text[i + 1] == ' ' && i + strspn(text + i, " ") > hanging) gap = i;
        }
        columns += takes_column(text[i], &colour);
    }
    return gap && columns_of(text, gap) > width / 2 ? gap : word;
}

/* Writes whole lines of at most `width` columns, as far as there are places to break; what remains stays in z, with
   `hanging` blanks before it. */
static void put_full_lines(line *z, size_t hanging, size_t width)
{
    while (columns_of(z->text, z->length) > width) {
        size_t at = break_at(z->text, leading(z->text), hanging, width);
        if (!at) return;
        put(z->text, at);
        put("\n", 1);
        const size_t next = at + strspn(z->text + at, " ");
        memmove(z->text + hanging, z->text + next, z->length - next + 1);
        memset(z->text, ' ', hanging);
        z->length = z->length - next + hanging;
    }
}

static void put_line(const line *z)
{
    put(z->text, z->length);
    put("\n", 1);
}

static void put_rest(void)
{
    if (terminal.rest.length) put_line(&terminal.rest);
    terminal.rest.length = 0;
}

/* A paragraph is made of lines without gaps that are indented alike: when one is broken, the next one follows in the
   same line, as far as there is room. */
static void take_line(line *z)
{
    const size_t indent = leading(z->text), column = last_column(z->text);
    const size_t usage = strncmp(z->text, "usage: ", 7) == 0 ? 7 : 0;
    line *rest = &terminal.rest;
    z->text[z->length] = 0;
    if (rest->length) {
        if (column || indent == z->length || indent != leading(rest->text) || rest->length + z->length + 2 > LINE) {
            put_rest();
        } else {
            rest->text[rest->length++] = ' ';
            memcpy(rest->text + rest->length, z->text + indent, z->length - indent + 1);
            rest->length += z->length - indent;
            put_full_lines(rest, indent, terminal.width);
            return;
        }
    }
    if (columns_of(z->text, z->length) <= terminal.width || !break_at(z->text, indent, indent, terminal.width)) {
        put_line(z); /* it fits, or has no place to break: a row of numbers */
    } else if (column || usage) {
        put_full_lines(z, usage ? usage : column > 1 && column < terminal.width / 2 + 5 ? column : indent + 2,
                       terminal.width);
        put_line(z);
    } else {
        *rest = *z;
        put_full_lines(rest, indent, terminal.width);
    }
}

/* A line that is too long for the buffer is written as it is. */
static ssize_t take(void *cookie, const char *text, size_t size)
{
    (void)cookie;
    line *z = &terminal.now;
    for (size_t i = 0; i < size && !terminal.failed; i++) {
        if (text[i] == '\n') {
            z->text[z->length] = 0;
            take_line(z);
            z->length = 0;
        } else {
            if (z->length + 2 > LINE) {
                put_rest();
                put(z->text, z->length);
                z->length = 0;
            }
            z->text[z->length++] = text[i];
        }
    }
    return terminal.failed ? 0 : (ssize_t)size;
}

void wrap_begin(void)
{
    struct winsize size;
    if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || size.ws_col < NARROWEST) return;
    FILE *stream = fopencookie(NULL, "w", (cookie_io_functions_t){ .write = take });
    if (!stream) return;
    setvbuf(stream, NULL, _IOLBF, BUFSIZ);
    terminal.width = size.ws_col;
    plain = stdout;
    stdout = stream;
}

void wrap_off(void)
{
    if (plain) stdout = plain;
    terminal.width = 0;
}

void wrap_drop(void)
{
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere) return;
    dropped = stdout;
    stdout = nowhere;
}

void wrap_keep(void)
{
    if (!dropped) return;
    fclose(stdout);
    stdout = dropped;
    dropped = NULL;
}

int wrap_end(void)
{
    const int failed = fflush(stdout) == EOF || ferror(stdout);
    if (!terminal.width) return failed;
    put_rest();
    put(terminal.now.text, terminal.now.length);
    terminal.now.length = 0;
    return failed || terminal.failed;
}

#else

void wrap_begin(void) {}
void wrap_off(void) {}
void wrap_drop(void) {} /* stdout cannot be another stream: --quiet leaves the results */
void wrap_keep(void) {}
int wrap_end(void) { return fflush(stdout) == EOF || ferror(stdout); }

#endif
