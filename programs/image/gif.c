/* Few colours, and animated GIF files (89a). */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "image/image.h"

/* ---- palette ---- */

enum { CELLS = 32768 }; /* 5 bits of each colour */

typedef struct {
    uint64_t uses, sum[3];
} cell;

typedef struct {
    int low[3], high[3];  /* of the cells in it, both included */
    uint64_t uses;
} colour_box;

static int cell_at(int r, int g, int b) { return r << 10 | g << 5 | b; }

/* Shrinks a box to its cells that are used. */
static void shrink(const cell *cells, colour_box *box)
{
    colour_box is = { { 32, 32, 32 }, { -1, -1, -1 }, 0 };
    for (int r = box->low[0]; r <= box->high[0]; r++)
        for (int g = box->low[1]; g <= box->high[1]; g++)
            for (int b = box->low[2]; b <= box->high[2]; b++) {
                const int at[3] = { r, g, b };
                uint64_t uses = cells[cell_at(r, g, b)].uses;
                for (int k = 0; uses && k < 3; k++) {
                    if (at[k] < is.low[k]) is.low[k] = at[k];
                    if (at[k] > is.high[k]) is.high[k] = at[k];
                }
                is.uses += uses;
            }
    *box = is;
}

static int longest_side(const colour_box *box)
{
    int best = 0;
    for (int k = 1; k < 3; k++)
        if (box->high[k] - box->low[k] > box->high[best] - box->low[best]) best = k;
    return best;
}

/* Where half of the pixels are on either side; both keep a cell. */
static void cut(const cell *cells, colour_box *box, colour_box *other)
{
    int side = longest_side(box), at = box->low[side];
    uint64_t below = 0;
    for (; at < box->high[side]; at++) {
        colour_box slice = *box;
        slice.low[side] = slice.high[side] = at;
        shrink(cells, &slice);
        below += slice.uses;
        if (2 * below >= box->uses) break;
    }
    if (at == box->high[side]) at--;
    *other = *box;
    other->low[side] = at + 1;
    box->high[side] = at;
    shrink(cells, box);
    shrink(cells, other);
}

/* The square root of the number of pixels: a large plain area does not take all colours. */
static uint64_t weight(const colour_box *box)
{
    int side = longest_side(box);
    uint64_t spread = (uint64_t)(box->high[side] - box->low[side]), root = 0;
    for (uint64_t bit = (uint64_t)1 << 31; bit; bit >>= 1)
        if ((root + bit) * (root + bit) <= box->uses) root += bit;
    return spread * (root + 1);
}

static void mean(const cell *cells, const colour_box *box, unsigned char *colour)
{
    cell all = { 0, { 0 } };
    for (int r = box->low[0]; r <= box->high[0]; r++)
        for (int g = box->low[1]; g <= box->high[1]; g++)
            for (int b = box->low[2]; b <= box->high[2]; b++) {
                const cell *c = &cells[cell_at(r, g, b)];
                all.uses += c->uses;
                for (int k = 0; k < 3; k++) all.sum[k] += c->sum[k];
            }
    for (int k = 0; k < 3; k++) colour[k] = (unsigned char)((all.sum[k] + all.uses / 2) / (all.uses ? all.uses : 1));
}

/* For the middle of each cell; a cell that is used, by the mean of its pixels. */
static void find_nearest(const cell *cells, palette *p)
{
    for (int i = 0; i < CELLS; i++) {
        int at[3] = { (i >> 10) * 8 + 4, (i >> 5 & 31) * 8 + 4, (i & 31) * 8 + 4 }, best = 0;
        long least = 1L << 30;
        for (int k = 0; cells[i].uses && k < 3; k++) at[k] = (int)(cells[i].sum[k] / cells[i].uses);
        for (int k = 0; k < p->count; k++) {
            long r = at[0] - p->colour[k][0], g = at[1] - p->colour[k][1], b = at[2] - p->colour[k][2];
            long far = 2 * r * r + 4 * g * g + 3 * b * b; /* as eyes see it */
            if (far < least) least = far, best = k;
        }
        p->nearest[i] = (unsigned char)best;
    }
}

int taut_palette_choose(taut_context *context, const image *const *pictures, int count, int most, palette *p)
{
    colour_box boxes[256] = { { { 0, 0, 0 }, { 31, 31, 31 }, 0 } };
    cell *cells = taut_mem_new(context, CELLS, sizeof *cells);
    if (!cells) return TAUT_OUT_OF_MEMORY;
    for (int n = 0; n < count; n++)
        for (size_t i = 0; i < (size_t)pictures[n]->width * (size_t)pictures[n]->height; i++) {
            const unsigned char *rgb = pictures[n]->rgb + 3 * i;
            cell *c = &cells[cell_at(rgb[0] >> 3, rgb[1] >> 3, rgb[2] >> 3)];
            c->uses++;
            for (int k = 0; k < 3; k++) c->sum[k] += rgb[k];
        }
    shrink(cells, &boxes[0]);
    for (p->count = 1; p->count < most; p->count++) {
        int best = 0;
        for (int i = 1; i < p->count; i++)
            if (weight(&boxes[i]) > weight(&boxes[best])) best = i;
        if (!weight(&boxes[best])) break;
        cut(cells, &boxes[best], &boxes[p->count]);
    }
    for (int i = 0; i < p->count; i++) mean(cells, &boxes[i], p->colour[i]);
    find_nearest(cells, p);
    taut_mem_free(context, cells);
    return TAUT_OK;
}

void taut_palette_apply(const palette *p, image *z)
{
    for (size_t i = 0; i < (size_t)z->width * (size_t)z->height; i++)
        memcpy(z->rgb + 3 * i, p->colour[palette_of(p, z->rgb + 3 * i)], 3);
}

/* ---- LZW ---- */

typedef struct {
    FILE *file;
    unsigned char block[255];
    int count;                 /* of bytes in the block */
    uint32_t bits;
    int bit_count;
} lzw_output;

static void put_block(lzw_output *z)
{
    if (!z->count) return;
    fputc(z->count, z->file);
    fwrite(z->block, 1, (size_t)z->count, z->file);
    z->count = 0;
}

static void put_code(lzw_output *z, int code, int size)
{
    z->bits |= (uint32_t)code << z->bit_count;
    for (z->bit_count += size; z->bit_count >= 8; z->bit_count -= 8, z->bits >>= 8) {
        z->block[z->count++] = (unsigned char)(z->bits & 255);
        if (z->count == 255) put_block(z);
    }
}

enum { CODES = 4096, CLEAR = 256, END = 257, TABLE = 16384 };

typedef struct {
    int32_t key[TABLE];    /* prefix << 8 | byte; -1: free */
    uint16_t code[TABLE];
} lzw_table;

static int slot_of(const lzw_table *t, int32_t key)
{
    uint32_t at = (uint32_t)key * 2654435761u >> 18;
    while (t->key[at] >= 0 && t->key[at] != key) at = (at + 1) % TABLE;
    return (int)at;
}

/* Numbers of colours, in rows of `width` that lie `stride` apart. */
static int put_lzw(taut_context *context, FILE *file, const unsigned char *from, int width, int height, int stride)
{
    lzw_table *t = taut_mem_new(context, 1, sizeof *t);
    if (!t) return TAUT_OUT_OF_MEMORY;
    lzw_output out = { .file = file };
    int size = 9, next = END + 1, prefix = -1;
    memset(t->key, -1, sizeof t->key);
    fputc(8, file);
    put_code(&out, CLEAR, size);
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++) {
            int byte = from[(size_t)y * (size_t)stride + (size_t)x];
            int at = prefix < 0 ? -1 : slot_of(t, prefix << 8 | byte);
            if (at < 0 || t->key[at] >= 0) {
                prefix = at < 0 ? byte : t->code[at];
                continue;
            }
            put_code(&out, prefix, size);
            if (next < CODES) {
                t->key[at] = prefix << 8 | byte;
                t->code[at] = (uint16_t)next;
                if (next++ == 1 << size) size++;
            } else {
                put_code(&out, CLEAR, size);
                memset(t->key, -1, sizeof t->key);
                size = 9, next = END + 1;
            }
            prefix = byte;
        }
    put_code(&out, prefix, size);
    put_code(&out, END, next == 1 << size && size < 12 ? size + 1 : size);
    put_code(&out, 0, 7);
    put_block(&out);
    fputc(0, file);
    taut_mem_free(context, t);
    return TAUT_OK;
}

/* ---- the file ---- */

static void put_short(FILE *file, int number)
{
    fputc(number & 255, file);
    fputc(number >> 8 & 255, file);
}

int taut_gif_begin(gif *z, taut_context *context, FILE *file, int width, int height, int delay, palette *colours)
{
    size_t count = (size_t)width * (size_t)height;
    *z = (gif) {
        .context = context, .file = file, .width = width, .height = height, .delay = delay, .colours = colours
    };
    z->now = taut_mem_new(context, count, 1);
    z->before = taut_mem_new(context, count, 1);
    if (!z->now || !z->before) return TAUT_OUT_OF_MEMORY;
    fputs("GIF89a", file);
    put_short(file, width);
    put_short(file, height);
    fputc(0xf7, file); /* 256 colours for all frames */
    fputc(0, file);
    fputc(0, file);
    fwrite(colours->colour, 3, 256, file);
    fwrite("\x21\xff\x0bNETSCAPE2.0\x03\x01\x00\x00\x00", 1, 19, file);
    return TAUT_OK;
}

/* The rectangle of pixels that changed; none: one pixel, so that the frame lasts. */
static void changed(const gif *z, int *left, int *top, int *right, int *bottom)
{
    *left = z->width, *top = z->height, *right = *bottom = -1;
    for (int y = 0; y < z->height; y++)
        for (int x = 0; x < z->width; x++) {
            size_t i = (size_t)y * (size_t)z->width + (size_t)x;
            if (z->any && z->now[i] == z->before[i]) continue;
            if (x < *left) *left = x;
            if (x > *right) *right = x;
            if (y < *top) *top = y;
            *bottom = y;
        }
    if (*right < 0) *left = *top = *right = *bottom = 0;
}

int taut_gif_frame(gif *z, const image *picture)
{
    size_t count = (size_t)z->width * (size_t)z->height;
    int left, top, right, bottom;
    for (size_t i = 0; i < count; i++) z->now[i] = (unsigned char)palette_of(z->colours, picture->rgb + 3 * i);
    changed(z, &left, &top, &right, &bottom);
    for (size_t i = 0; i < count; i++) { /* what is as before becomes "as before", and is kept for the next time */
        unsigned char now = z->now[i];
        if (z->any && now == z->before[i]) z->now[i] = 255;
        z->before[i] = now;
    }
    fwrite("\x21\xf9\x04\x05", 1, 4, z->file); /* stays, with a colour that cannot be seen */
    put_short(z->file, z->delay);
    fputc(255, z->file);
    fputc(0, z->file);
    fputc(0x2c, z->file);
    put_short(z->file, left);
    put_short(z->file, top);
    put_short(z->file, right - left + 1);
    put_short(z->file, bottom - top + 1);
    fputc(0, z->file);
    z->any = 1;
    return put_lzw(z->context, z->file, z->now + (size_t)top * (size_t)z->width + (size_t)left, right - left + 1,
                   bottom - top + 1, z->width);
}

void taut_gif_end(gif *z)
{
    if (z->any) fputc(0x3b, z->file);
    taut_mem_free(z->context, z->now);
    taut_mem_free(z->context, z->before);
}
