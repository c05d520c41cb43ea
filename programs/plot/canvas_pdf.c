/* Pictures as PDF: one page, with the standard fonts Helvetica and, for Greek, Symbol. */
#include <stdio.h>

#include "base/context.h"
#include "base/builder.h"
#include "base/deflate.h"
#include "plot/canvas.h"
#include "plot/font.h"

typedef struct {
    canvas base;
    builder content;
    char title[400];
    unsigned char alphas[101]; /* of what is drawn, in per cent */
} pdf;

/* Letters of WinAnsi that are not those of Latin-1. */
static int winansi(uint32_t code)
{
    static const struct { uint16_t code; unsigned char letter; } others[] = {
        { 0x2013, 0x96 }, { 0x2014, 0x97 }, { 0x2018, 0x91 }, { 0x2019, 0x92 },
        { 0x201C, 0x93 }, { 0x201D, 0x94 }, { 0x2026, 0x85 }, { 0x2212, 0x96 }, /* a minus as long as a dash */
    };
    if ((code >= 0x20 && code < 0x7F) || (code >= 0xA0 && code < 0x100)) return (int)code;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].code == code) return others[i].letter;
    return 0;
}

static int symbol(uint32_t code)
{
    static const char small[] = "abgdezhqiklmnxoprVstufcyw", large[] = "ABGDEZHQIKLMNXOPR STUFCYW";
    if (code >= 0x3B1 && code <= 0x3C9) return small[code - 0x3B1];
    return code >= 0x391 && code <= 0x3A9 && code != 0x3A2 ? large[code - 0x391] : 0;
}

static double down(const canvas *c, double y) { return c->height - y; }

static void put_ink(pdf *z, colour ink, char kind)
{
    const int per_cent = (int)(100 * ink.alpha + 0.5);
    taut_builder_put(&z->content, "/A%d gs %.3g %.3g %.3g %s\n", per_cent, (double)(ink.rgb >> 16 & 255) / 255,
                      (double)(ink.rgb >> 8 & 255) / 255, (double)(ink.rgb & 255) / 255, kind == 'S' ? "RG" : "rg");
    z->alphas[per_cent] = 1;
}

static void stroke(canvas *c, const spot *points, size_t count, int dots, double width, colour ink)
{
    pdf *z = (pdf *)c;
    if (!count) return;
    put_ink(z, ink, 'S');
    taut_builder_put(&z->content, "%.3g w\n", width);
    for (size_t i = 0; i < count; i++) {
        taut_builder_put(&z->content, "%.2f %.2f %c\n", points[i].x, down(c, points[i].y), !i || dots ? 'm' : 'l');
        if (dots || count == 1) taut_builder_put(&z->content, "%.2f %.2f l\n", points[i].x, down(c, points[i].y));
    }
    taut_builder_put(&z->content, "S\n");
}

static void fill(canvas *c, const spot *points, size_t count, colour ink)
{
    pdf *z = (pdf *)c;
    put_ink(z, ink, 'f');
    for (size_t i = 0; i < count; i++)
        taut_builder_put(&z->content, "%.2f %.2f %c\n", points[i].x, down(c, points[i].y), i ? 'l' : 'm');
    taut_builder_put(&z->content, "h f\n");
}

/* Pieces of one font each, every one at its place. */
static void text(canvas *c, double x, double y, double size, const char *words, colour ink)
{
    pdf *z = (pdf *)c;
    put_ink(z, ink, 'f');
    taut_builder_put(&z->content, "BT\n");
    while (*words) {
        const char *at = words;
        uint32_t code = taut_font_next(&at);
        const int greek = symbol(code) != 0;
        taut_builder_put(&z->content, "/%s %.3g Tf 1 0 0 1 %.2f %.2f Tm (", greek ? "S" : "H", size, x, down(c, y));
        for (at = words; (code = taut_font_next(&at)) && (symbol(code) != 0) == greek; words = at) {
            int letter = greek ? symbol(code) : winansi(code);
            if (!letter) letter = '?';
            if (letter == '(' || letter == ')' || letter == '\\') taut_builder_put(&z->content, "\\%c", letter);
            else if (letter < 0x7F) taut_builder_put(&z->content, "%c", letter);
            else taut_builder_put(&z->content, "\\%03o", (unsigned)letter);
            x += taut_font_find(code)->advance * size / FONT_EM;
        }
        taut_builder_put(&z->content, ") Tj\n");
    }
    taut_builder_put(&z->content, "ET\n");
}

static void clip(canvas *c, double x, double y, double width, double height)
{
    taut_builder_put(&((pdf *)c)->content, "q %.2f %.2f %.2f %.2f re W n\n", x, down(c, y + height), width, height);
}

static void unclip(canvas *c) { taut_builder_put(&((pdf *)c)->content, "Q\n"); }

static void discard(canvas *c)
{
    taut_builder_clear(&((pdf *)c)->content);
    taut_mem_free(c->context, c);
}

/* Title in UTF-16, as hexadecimal digits. */
static void put_title(builder *b, const char *title)
{
    taut_builder_put(b, "<FEFF");
    for (uint32_t code; (code = taut_font_next(&title));) taut_builder_put(b, "%04X", code < 0x10000 ? code : 0xFFFD);
    taut_builder_put(b, ">");
}

enum { OBJECTS = 7 };

static void begin_object(builder *b, size_t *places, int number)
{
    places[number] = b->length;
    taut_builder_put(b, "%d 0 obj\n", number);
}

static int finish(canvas *c, FILE *file)
{
    pdf *z = (pdf *)c;
    builder b = { .context = c->context };
    unsigned char *packed = NULL;
    size_t places[OBJECTS + 1] = { 0 }, packed_size = 0;
    int failed = z->content.failed || taut_deflate(c->context, (const unsigned char *)z->content.text,
                                                   z->content.length, &packed, &packed_size);
    taut_builder_put(&b, "%%PDF-1.4\n%%\xE2\xE3\xCF\xD3\n");
    begin_object(&b, places, 1);
    taut_builder_put(&b, "<< /Type /Catalog /Pages 2 0 R >>\nendobj\n");
    begin_object(&b, places, 2);
    taut_builder_put(&b, "<< /Type /Pages /Kids [3 0 R] /Count 1 >>\nendobj\n");
    begin_object(&b, places, 3);
    taut_builder_put(&b, "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 %.6g %.6g] /Contents 4 0 R\n"
                          "/Resources << /Font << /H 5 0 R /S 6 0 R >> /ExtGState <<", c->width, c->height);
    for (int k = 0; k <= 100; k++)
        if (z->alphas[k]) taut_builder_put(&b, " /A%d << /ca %.2f /CA %.2f >>", k, k / 100.0, k / 100.0);
    taut_builder_put(&b, " >> >> >>\nendobj\n");
    begin_object(&b, places, 4);
    taut_builder_put(&b, "<< /Length %zu /Filter /FlateDecode >>\nstream\n", packed_size);
    if (!failed) taut_builder_add(&b, (const char *)packed, packed_size);
    taut_builder_put(&b, "\nendstream\nendobj\n");
    begin_object(&b, places, 5);
    taut_builder_put(&b, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica "
                          "/Encoding /WinAnsiEncoding >>\nendobj\n");
    begin_object(&b, places, 6);
    taut_builder_put(&b, "<< /Type /Font /Subtype /Type1 /BaseFont /Symbol >>\nendobj\n");
    begin_object(&b, places, 7);
    taut_builder_put(&b, "<< /Producer (taut) /Title ");
    put_title(&b, z->title);
    taut_builder_put(&b, " >>\nendobj\n");
    const size_t start = b.length;
    taut_builder_put(&b, "xref\n0 %d\n0000000000 65535 f \n", OBJECTS + 1);
    for (int i = 1; i <= OBJECTS; i++) taut_builder_put(&b, "%010zu 00000 n \n", places[i]);
    taut_builder_put(&b, "trailer\n<< /Size %d /Root 1 0 R /Info 7 0 R >>\nstartxref\n%zu\n%%%%EOF\n", OBJECTS + 1,
                      start);
    failed |= b.failed;
    if (!failed) fwrite(b.text, 1, b.length, file);
    taut_builder_clear(&b);
    taut_mem_free(c->context, packed);
    discard(c);
    return failed;
}

canvas *taut_canvas_pdf(taut_context *context, double width, double height, const char *title, colour background)
{
    static const canvas_class kind = { stroke, fill, text, clip, unclip, finish, discard };
    pdf *z = taut_mem_new(context, 1, sizeof *z);
    if (!z) return NULL;
    z->base = (canvas){ &kind, context, width, height, 0 };
    z->content.context = context;
    snprintf(z->title, sizeof z->title, "%s", title);
    taut_builder_put(&z->content, "1 j 1 J\n");
    const spot corners[] = { { 0, 0 }, { width, 0 }, { width, height }, { 0, height } };
    fill(&z->base, corners, 4, background);
    return &z->base;
}
