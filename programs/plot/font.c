#include "plot/font.h"

#include "base/text.h"

uint32_t taut_font_next(const char **text)
{
    int bytes;
    const unsigned char *p = (const unsigned char *)*text;
    if (!*p) return 0;
    const int visible = taut_text_visible(*text, &bytes);
    *text += bytes;
    if (!visible) return 0xFFFD;
    uint32_t code = bytes == 1 ? p[0] : bytes == 2 ? p[0] & 0x1F : bytes == 3 ? p[0] & 0x0F : p[0] & 0x07;
    for (int i = 1; i < bytes; i++) code = code << 6 | (p[i] & 0x3F);
    return code;
}

const font_glyph *taut_font_find(uint32_t code)
{
    int low = 0, high = taut_font_glyph_count - 1;
    while (low < high) {
        const int middle = (low + high) / 2;
        if (taut_font_glyphs[middle].code < code) low = middle + 1;
        else high = middle;
    }
    return taut_font_glyphs[low].code == code ? &taut_font_glyphs[low] : &taut_font_glyphs[taut_font_glyph_count - 1];
}

double taut_font_width(const char *text, double size)
{
    double width = 0;
    for (uint32_t code; (code = taut_font_next(&text));) width += taut_font_find(code)->advance;
    return width * size / FONT_EM;
}
