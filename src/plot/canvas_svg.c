/* Pictures as SVG. */
#include <stdlib.h>

#include "plot/canvas.h"
#include "plot/font.h"

typedef struct {
    canvas base;
    buffer text;
    int clips;
} svg;

/* Text between elements; what cannot be seen becomes U+FFFD. */
static void put_escaped(buffer *b, const char *text)
{
    const char *from = text;
    for (uint32_t code; (code = taut_font_next(&text)); from = text) {
        if (code == '<') taut_buffer_print(b, "&lt;");
        else if (code == '>') taut_buffer_print(b, "&gt;");
        else if (code == '&') taut_buffer_print(b, "&amp;");
        else if (code == 0xFFFD) taut_buffer_print(b, "\xEF\xBF\xBD");
        else taut_buffer_add(b, from, (size_t)(text - from));
    }
}

static void put_colour(buffer *b, const char *what, colour ink)
{
    taut_buffer_print(b, " %s=\"#%06x\"", what, ink.rgb);
    if (ink.alpha < 1) taut_buffer_print(b, " %s-opacity=\"%.3g\"", what, ink.alpha);
}

static void stroke(canvas *c, const spot *points, size_t count, int dots, double width, colour ink)
{
    buffer *b = &((svg *)c)->text;
    if (!count) return;
    taut_buffer_print(b, "<path fill=\"none\" stroke-width=\"%.3g\"", width);
    put_colour(b, "stroke", ink);
    taut_buffer_print(b, " d=\"");
    for (size_t i = 0; i < count; i++) {
        taut_buffer_print(b, "%c%.2f %.2f", !i || dots ? 'M' : i % 8 ? ' ' : 'L', points[i].x, points[i].y);
        if (dots || count == 1) taut_buffer_print(b, "h0");
        if (i % 8 == 7) taut_buffer_add(b, "\n", 1);
    }
    taut_buffer_print(b, "\"/>\n");
}

static void fill(canvas *c, const spot *points, size_t count, colour ink)
{
    buffer *b = &((svg *)c)->text;
    taut_buffer_print(b, "<path");
    put_colour(b, "fill", ink);
    taut_buffer_print(b, " d=\"");
    for (size_t i = 0; i < count; i++)
        taut_buffer_print(b, "%c%.2f %.2f", !i ? 'M' : i % 8 ? ' ' : 'L', points[i].x, points[i].y);
    taut_buffer_print(b, "Z\"/>\n");
}

static void text(canvas *c, double x, double y, double size, const char *words, colour ink)
{
    buffer *b = &((svg *)c)->text;
    taut_buffer_print(b, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.3g\"", x, y, size);
    put_colour(b, "fill", ink);
    taut_buffer_print(b, ">");
    put_escaped(b, words);
    taut_buffer_print(b, "</text>\n");
}

static void clip(canvas *c, double x, double y, double width, double height)
{
    svg *z = (svg *)c;
    z->clips++;
    taut_buffer_print(&z->text, "<clipPath id=\"c%d\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>"
                                "</clipPath>\n<g clip-path=\"url(#c%d)\">\n",
                      z->clips, x, y, width, height, z->clips);
}

static void unclip(canvas *c) { taut_buffer_print(&((svg *)c)->text, "</g>\n"); }

static void discard(canvas *c)
{
    taut_buffer_free(&((svg *)c)->text);
    free(c);
}

static int finish(canvas *c, FILE *file)
{
    svg *z = (svg *)c;
    taut_buffer_print(&z->text, "</g>\n</svg>\n");
    const int failed = z->text.failed;
    if (!failed) fwrite(z->text.bytes, 1, z->text.size, file);
    discard(c);
    return failed;
}

canvas *taut_canvas_svg(double width, double height, const char *title, colour background)
{
    static const canvas_class kind = { stroke, fill, text, clip, unclip, finish, discard };
    svg *z = calloc(1, sizeof *z);
    if (!z) return NULL;
    z->base = (canvas){ &kind, width, height, 0 };
    taut_buffer_print(&z->text, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.6g\" height=\"%.6g\" "
                                "viewBox=\"0 0 %.6g %.6g\" role=\"img\">\n<title>", width, height, width, height);
    put_escaped(&z->text, title);
    taut_buffer_print(&z->text, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n"
                                "<g font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" "
                                "stroke-linejoin=\"round\" stroke-linecap=\"round\">\n", background.rgb);
    return &z->base;
}
