/* Curves in a terminal: a letter of braille has two by four points. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plot/figure.h"

typedef struct {
    unsigned char points;    /* of a cell, a bit each */
    unsigned char curve;     /* the last one in it, from 1 */
} cell;

typedef struct {
    const figure *f;
    const figure_screen *screen;
    FILE *file;
    axis x, y;
    int width, height, margin; /* in cells; columns for numbers */
    cell *cells;
    size_t curve;
} sheet;

/* ---- points and lines ---- */

static void put_point(sheet *z, int x, int y)
{
    static const unsigned char bits[4][2] = { { 0x01, 0x08 }, { 0x02, 0x10 }, { 0x04, 0x20 }, { 0x40, 0x80 } };
    if (x < 0 || y < 0 || x >= 2 * z->width || y >= 4 * z->height) return;
    cell *c = &z->cells[(y / 4) * z->width + x / 2];
    c->points |= bits[y % 4][x % 2];
    c->curve = (unsigned char)(1 + z->curve % 6);
}

static void put_piece(void *user, const spot *points, size_t count)
{
    sheet *z = user;
    for (size_t i = 0; i < count; i++) {
        const spot a = points[i && !z->f->dots ? i - 1 : i], b = points[i];
        const int steps = (int)fmin(1e5, ceil(fmax(fabs(b.x - a.x), fabs(b.y - a.y))));
        for (int k = 0; k <= steps; k++) {
            const double t = steps ? (double)k / steps : 0;
            put_point(z, (int)floor(a.x + t * (b.x - a.x) + 0.5), (int)floor(a.y + t * (b.y - a.y) + 0.5));
        }
    }
}

/* ---- texts ---- */

/* Raised digits after ^; without UTF-8 a plain minus. */
static void plain_text(const sheet *z, const char *from, char *to, size_t size)
{
    size_t at = 0;
    for (; *from && at + 4 < size; from++) {
        if (*from == AXIS_RAISE) to[at++] = '^';
        else if (*from == AXIS_LOWER) continue;
        else if (!z->screen->braille && strncmp(from, "\u2212", 3) == 0) to[at++] = '-', from += 2;
        else if (!z->screen->braille && strncmp(from, "\u00b2", 2) == 0) to[at++] = '^', to[at++] = '2', from++;
        else if (!z->screen->braille && strncmp(from, "\u00b7", 2) == 0) to[at++] = '*', from++;
        else to[at++] = *from;
    }
    to[at] = 0;
}

static int columns_of(const char *text)
{
    int columns = 0;
    for (; *text; text++) columns += ((unsigned char)*text & 0xC0) != 0x80;
    return columns;
}

static void begin_colour(const sheet *z, int curve)
{
    static const char *const colours[] = { "", "\033[36m", "\033[33m", "\033[35m", "\033[32m", "\033[31m", "\033[34m" };
    if (z->screen->colours && curve) fputs(colours[curve], z->file);
}

static void end_colour(const sheet *z, int curve)
{
    if (z->screen->colours && curve) fputs("\033[0m", z->file);
}

/* No wider than the screen, which would break it. */
static void put_clipped(const sheet *z, const char *text, int room)
{
    char part[600];
    size_t length = 0;
    for (int columns = 0; text[length] && length + 1 < sizeof part; length++) {
        if (((unsigned char)text[length] & 0xC0) != 0x80 && ++columns > room) break;
    }
    snprintf(part, sizeof part, "%.*s", (int)length, text);
    z->screen->put(z->file, part);
}

static void put_head(const sheet *z)
{
    char label[400], text[400];
    if (z->f->title[0]) {
        if (z->screen->colours) fputs("\033[1m", z->file);
        put_clipped(z, z->f->title, z->screen->columns);
        if (z->screen->colours) fputs("\033[0m", z->file);
        fputc('\n', z->file);
    }
    if (z->f->subtitle[0]) put_clipped(z, z->f->subtitle, z->screen->columns), fputc('\n', z->file);
    int used = 0;
    for (size_t k = 0; z->f->curve_count > 1 && k < z->f->curve_count; k++) {
        const int columns = columns_of(z->f->curves[k].name) + 3;
        if (used && used + columns > z->screen->columns) fputc('\n', z->file), used = 0;
        begin_colour(z, (int)(1 + k % 6));
        fputs(z->screen->braille ? "\u2501\u2501 " : "-- ", z->file);
        end_colour(z, (int)(1 + k % 6));
        put_clipped(z, z->f->curves[k].name, z->screen->columns - 3);
        used += columns + 3;
        if (k + 1 < z->f->curve_count && used < z->screen->columns) fputs("   ", z->file);
    }
    if (used) fputc('\n', z->file);
    taut_figure_label(z->f, &z->y, 1, label, sizeof label);
    plain_text(z, label, text, sizeof text);
    put_clipped(z, text, z->screen->columns);
    fputc('\n', z->file);
}

/* The tick of a row of cells, or "". */
static const char *number_of_row(const sheet *z, int row)
{
    for (int i = 0; i < z->y.tick_count; i++) {
        const double place = taut_axis_place(&z->y, z->y.ticks[i].value);
        if (z->y.ticks[i].text[0] && place >= 0 && place <= 1 && (int)((1 - place) * (z->height - 1) + 0.5) == row)
            return z->y.ticks[i].text;
    }
    return "";
}

static void put_rows(const sheet *z)
{
    const int utf8 = z->screen->braille;
    for (int row = 0; row < z->height; row++) {
        char number[80];
        plain_text(z, number_of_row(z, row), number, sizeof number);
        fprintf(z->file, "%*s%s %s", z->margin - columns_of(number), "", number,
                *number ? (utf8 ? "\u2524" : "+") : (utf8 ? "\u2502" : "|"));
        int last = z->width;
        while (last > 0 && !z->cells[row * z->width + last - 1].points) last--;
        for (int i = 0, now = 0; i <= last; i++) {
            const cell c = i < last ? z->cells[row * z->width + i] : (cell){ 0, 0 };
            if (c.curve != now) end_colour(z, now), begin_colour(z, c.curve), now = c.curve;
            if (i == last) break;
            if (!c.points) fputc(' ', z->file);
            else if (!utf8) fputc("*ox+#@"[c.curve - 1], z->file);
            else fprintf(z->file, "\xE2%c%c", 0xA0 + (c.points >> 6), 0x80 + (c.points & 0x3F));
        }
        fputc('\n', z->file);
    }
}

static void put_foot(const sheet *z)
{
    const int utf8 = z->screen->braille;
    char label[400], text[400];
    char marks[1024] = "";
    int used = 0;
    fprintf(z->file, "%*s %s", z->margin, "", utf8 ? "\u2514" : "+");
    for (int i = 0; i < z->width && i < 1000; i++) marks[i] = '-';
    for (int i = 0; i < z->x.tick_count; i++) {
        const double place = taut_axis_place(&z->x, z->x.ticks[i].value);
        if (z->x.ticks[i].text[0] && place >= 0 && place <= 1) marks[(int)(place * (z->width - 1) + 0.5)] = '+';
    }
    for (int i = 0; i < z->width; i++)
        fputs(!utf8 ? (marks[i] == '+' ? "+" : "-") : marks[i] == '+' ? "\u252C" : "\u2500", z->file);
    fprintf(z->file, "\n%*s  ", z->margin, "");
    for (int i = 0; i < z->x.tick_count; i++) {
        const double place = taut_axis_place(&z->x, z->x.ticks[i].value);
        if (!z->x.ticks[i].text[0] || place < 0 || place > 1) continue;
        plain_text(z, z->x.ticks[i].text, text, sizeof text);
        const int columns = columns_of(text);
        int at = (int)(place * (z->width - 1) + 0.5) - columns / 2;
        if (at < 0) at = 0;
        if (at + columns > z->width) at = z->width - columns;
        if (at < used + (used > 0)) continue;
        fprintf(z->file, "%*s%s", at - used, "", text);
        used = at + columns;
    }
    taut_figure_label(z->f, &z->x, 0, label, sizeof label);
    plain_text(z, label, text, sizeof text);
    const int blanks = (z->width - columns_of(text)) / 2;
    fprintf(z->file, "\n%*s", z->margin + 2 + (blanks > 0 ? blanks : 0), "");
    put_clipped(z, text, z->width);
    fputc('\n', z->file);
}

/* Equal units: a letter is twice as high as it is wide, and its points are squares. */
static void make_equal(sheet *z)
{
    const double x = (z->x.high - z->x.low) / (2 * z->width), y = (z->y.high - z->y.low) / (4 * z->height);
    axis *a = x < y ? &z->x : &z->y;
    const double by = ((x < y ? y * 2 * z->width : x * 4 * z->height) - (a->high - a->low)) / 2;
    a->low -= by, a->high += by;
}

static int widest_number(const sheet *z)
{
    int widest = 0;
    for (int i = 0; i < z->y.tick_count; i++) {
        char text[80];
        plain_text(z, z->y.ticks[i].text, text, sizeof text);
        if (columns_of(text) > widest) widest = columns_of(text);
    }
    return widest;
}

int taut_figure_text(const figure *f, const figure_screen *screen, FILE *file)
{
    sheet z = { .f = f, .screen = screen, .file = file, .margin = 6 };
    int failed = 0;
    z.height = screen->lines < 4 ? 4 : screen->lines;
    taut_figure_axes(f, &z.x, &z.y);
    for (int time = 0; time < 2; time++) { /* the numbers need room, and the room decides on the numbers */
        z.width = screen->columns - z.margin - 2;
        if (z.width > 1000) z.width = 1000;
        if (z.width < 8) z.width = 8;
        if (!time) {
            taut_axis_settle(&z.x, z.width / 12 + 1, !f->equal && strcmp(f->curves[0].x_column, "t") == 0);
            taut_axis_settle(&z.y, z.height / 4 + 1, 0);
        } else {
            if (f->equal) make_equal(&z);
            taut_axis_ticks(&z.x, z.width / 12 + 1);
            taut_axis_ticks(&z.y, z.height / 4 + 1);
        }
        z.margin = widest_number(&z);
    }
    z.width = screen->columns - z.margin - 2;
    if (z.width > 1000) z.width = 1000;
    if (z.width < 8) z.width = 8;
    z.cells = calloc((size_t)z.width * (size_t)z.height, sizeof *z.cells);
    if (!z.cells) return 1;
    const spot corner = { 0, 0 }, size = { 2 * z.width - 1, 4 * z.height - 1 };
    for (z.curve = 0; z.curve < f->curve_count; z.curve++) {
        const series *s = &f->curves[z.curve];
        for (int b = 0; b < BANDS; b++)
            if (s->bands[b]) failed |= taut_figure_curve(s, s->bands[b], &z.x, &z.y, corner, size, 1, 1, put_piece, &z);
        failed |= taut_figure_curve(s, s->y, &z.x, &z.y, corner, size, 1, f->dots, put_piece, &z);
    }
    if (!failed) put_head(&z), put_rows(&z), put_foot(&z);
    free(z.cells);
    return failed;
}
