/* Pictures as SVG. */
#include "base/context.h"
#include "base/builder.h"
#include "plot/canvas.h"
#include "plot/font.h"

typedef struct {
    canvas base;
    builder text;
    int clips;
} svg;

/* Text between elements; what cannot be seen becomes U+FFFD. */
static void put_escaped(builder *b, const char *text)
{
    const char *from = text;
    for (uint32_t code; (code = taut_font_next(&text)); from = text) {
        if (code == '<') taut_builder_put(b, "&lt;");
        else if (code == '>') taut_builder_put(b, "&gt;");
        else if (code == '&') taut_builder_put(b, "&amp;");
        else if (code == 0xFFFD) taut_builder_put(b, "\xEF\xBF\xBD");
        else taut_builder_add(b, from, (size_t)(text - from));
    }
}

static void put_colour(builder *b, const char *what, colour ink)
{
    taut_builder_put(b, " %s=\"#%06x\"", what, ink.rgb);
    if (ink.alpha < 1) taut_builder_put(b, " %s-opacity=\"%.3g\"", what, ink.alpha);
}

static void stroke(canvas *c, const spot *points, size_t count, int dots, double width, colour ink)
{
    builder *b = &((svg *)c)->text;
    if (!count) return;
    taut_builder_put(b, "<path fill=\"none\" stroke-width=\"%.3g\"", width);
    put_colour(b, "stroke", ink);
    taut_builder_put(b, " d=\"");
    for (size_t i = 0; i < count; i++) {
        taut_builder_put(b, "%c%.2f %.2f", !i || dots ? 'M' : i % 8 ? ' ' : 'L', points[i].x, points[i].y);
        if (dots || count == 1) taut_builder_put(b, "h0");
        if (i % 8 == 7) taut_builder_add(b, "\n", 1);
    }
    taut_builder_put(b, "\"/>\n");
}

static void fill(canvas *c, const spot *points, size_t count, colour ink)
{
    builder *b = &((svg *)c)->text;
    taut_builder_put(b, "<path");
    put_colour(b, "fill", ink);
    taut_builder_put(b, " d=\"");
    for (size_t i = 0; i < count; i++)
        taut_builder_put(b, "%c%.2f %.2f", !i ? 'M' : i % 8 ? ' ' : 'L', points[i].x, points[i].y);
    taut_builder_put(b, "Z\"/>\n");
}

static void text(canvas *c, double x, double y, double size, const char *words, colour ink)
{
    builder *b = &((svg *)c)->text;
    taut_builder_put(b, "<text x=\"%.2f\" y=\"%.2f\" font-size=\"%.3g\"", x, y, size);
    put_colour(b, "fill", ink);
    taut_builder_put(b, ">");
    put_escaped(b, words);
    taut_builder_put(b, "</text>\n");
}

static void clip(canvas *c, double x, double y, double width, double height)
{
    svg *z = (svg *)c;
    z->clips++;
    taut_builder_put(&z->text, "<clipPath id=\"c%d\"><rect x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>"
                                "</clipPath>\n<g clip-path=\"url(#c%d)\">\n",
                      z->clips, x, y, width, height, z->clips);
}

static void unclip(canvas *c) { taut_builder_put(&((svg *)c)->text, "</g>\n"); }

static void discard(canvas *c)
{
    taut_builder_clear(&((svg *)c)->text);
    taut_mem_free(c->context, c);
}

static int finish(canvas *c, FILE *file)
{
    svg *z = (svg *)c;
    taut_builder_put(&z->text, "</g>\n</svg>\n");
    const int failed = z->text.failed;
    if (!failed) fwrite(z->text.text, 1, z->text.length, file);
    discard(c);
    return failed;
}

canvas *taut_canvas_svg(taut_context *context, double width, double height, const char *title, colour background)
{
    static const canvas_class kind = { stroke, fill, text, clip, unclip, finish, discard };
    svg *z = taut_mem_new(context, 1, sizeof *z);
    if (!z) return NULL;
    z->base = (canvas){ &kind, context, width, height, 0 };
    z->text.context = context;
    taut_builder_put(&z->text, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.6g\" height=\"%.6g\" "
                                "viewBox=\"0 0 %.6g %.6g\" role=\"img\">\n<title>", width, height, width, height);
    put_escaped(&z->text, title);
    taut_builder_put(&z->text, "</title>\n<rect width=\"100%%\" height=\"100%%\" fill=\"#%06x\"/>\n"
                                "<g font-family=\"Helvetica, Arial, 'Liberation Sans', sans-serif\" "
                                "stroke-linejoin=\"round\" stroke-linecap=\"round\">\n", background.rgb);
    return &z->base;
}
