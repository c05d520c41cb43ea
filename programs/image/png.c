/* PNG files (ISO 15948). */
#include <stdlib.h>
#include <string.h>

#include "base/context.h"
#include "base/deflate.h"
#include "image/image.h"

int taut_image_create(taut_context *context, int width, int height, image *result)
{
    *result = (image){ width, height, taut_mem_new(context, mem_product((size_t)width, (size_t)height), 3), 0 };
    return result->rgb ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

void taut_image_free(taut_context *context, image *z)
{
    taut_mem_free(context, z->rgb);
    *z = (image){ 0 };
}

static uint32_t sum_of(uint32_t crc, const unsigned char *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int k = 0; k < 8; k++) crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
    }
    return crc;
}

static void set_number(unsigned char *to, uint32_t number)
{
    for (int k = 0; k < 4; k++) to[k] = (unsigned char)(number >> (24 - 8 * k));
}

static void put_number(FILE *file, uint32_t number)
{
    unsigned char bytes[4];
    set_number(bytes, number);
    fwrite(bytes, 1, sizeof bytes, file);
}

static void put_chunk(FILE *file, const char *type, const unsigned char *data, size_t size)
{
    uint32_t crc = sum_of(sum_of(~0u, (const unsigned char *)type, 4), data, size);
    put_number(file, (uint32_t)size);
    fwrite(type, 1, 4, file);
    fwrite(data, 1, size, file);
    put_number(file, ~crc);
}

static int paeth(int left, int up, int corner)
{
    int guess = left + up - corner, a = abs(guess - left), b = abs(guess - up), c = abs(guess - corner);
    return a <= b && a <= c ? left : b <= c ? up : corner;
}

/* A row as differences from its neighbours; the sum of their sizes says how good that is. */
static long filter(int type, const unsigned char *row, const unsigned char *above, size_t size, size_t step,
                   unsigned char *out)
{
    long sum = 0;
    for (size_t i = 0; i < size; i++) {
        int left = i >= step ? row[i - step] : 0, up = above ? above[i] : 0,
            corner = above && i >= step ? above[i - step] : 0;
        int guess = type == 1   ? left
                    : type == 2 ? up
                    : type == 3 ? (left + up) / 2
                    : type == 4 ? paeth(left, up, corner)
                                : 0;
        out[i] = (unsigned char)(row[i] - guess);
        sum += abs((signed char)out[i]);
    }
    return sum;
}

/* Each row with the filter that leaves least; a row of palette numbers stays as it is. */
static void filter_rows(const unsigned char *pixels, size_t width, size_t height, size_t step, unsigned char *spare,
                        unsigned char *out)
{
    size_t size = width * step;
    for (size_t y = 0; y < height; y++, out += 1 + size) {
        const unsigned char *row = pixels + y * size;
        long least = filter(0, row, NULL, size, step, out + 1);
        out[0] = 0;
        for (int type = 1; step > 1 && type <= 4; type++) {
            long sum = filter(type, row, y ? row - size : NULL, size, step, spare);
            if (sum >= least) continue;
            least = sum;
            out[0] = (unsigned char)type;
            memcpy(out + 1, spare, size);
        }
    }
}

/* The picture by numbers of its colours, in the order in which they come; 0: more than 256. */
static int number_colours(const image *z, unsigned char (*colours)[3], unsigned char *numbers)
{
    enum { SLOTS = 1024 };
    int count = 0;
    short slots[SLOTS];
    memset(slots, -1, sizeof slots);
    for (size_t i = 0; i < (size_t)z->width * (size_t)z->height; i++) {
        const unsigned char *c = z->rgb + 3 * i;
        unsigned at = (c[0] * 73u + c[1] * 151u + c[2] * 283u) % SLOTS;
        while (slots[at] >= 0 && memcmp(colours[slots[at]], c, 3) != 0) at = (at + 1) % SLOTS;
        if (slots[at] < 0) {
            if (count == 256) return 0;
            memcpy(colours[count], c, 3);
            slots[at] = (short)count++;
        }
        numbers[i] = (unsigned char)slots[at];
    }
    return count;
}

int taut_png_write(taut_context *context, const image *z, FILE *file)
{
    size_t width = (size_t)z->width, height = (size_t)z->height, packed_size = 0;
    unsigned char head[13] = { 0 }, density[9] = { 0 }, colours[256][3], *packed = NULL;
    unsigned char *numbers = taut_mem_new(context, mem_product(width, height), 1);
    unsigned char *spare = taut_mem_new(context, 3 * width, 1), *rows = taut_mem_new(context, height, 1 + 3 * width);
    int status = numbers && spare && rows ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        int count = number_colours(z, colours, numbers);
        size_t step = count ? 1 : 3;
        filter_rows(count ? numbers : z->rgb, width, height, step, spare, rows);
        status = taut_deflate(context, rows, height * (1 + step * width), &packed, &packed_size);
        set_number(head, (uint32_t)width);
        set_number(head + 4, (uint32_t)height);
        set_number(density, z->per_metre);
        set_number(density + 4, z->per_metre);
        density[8] = 1; /* the unit is a metre */
        head[8] = 8;
        head[9] = count ? 3 : 2;
        if (!status) {
            fwrite("\x89PNG\r\n\x1a\n", 1, 8, file);
            put_chunk(file, "IHDR", head, sizeof head);
            if (z->per_metre) put_chunk(file, "pHYs", density, sizeof density);
            if (count) put_chunk(file, "PLTE", colours[0], 3 * (size_t)count);
            put_chunk(file, "IDAT", packed, packed_size);
            put_chunk(file, "IEND", head, 0);
        }
    }
    taut_mem_free(context, packed);
    taut_mem_free(context, numbers);
    taut_mem_free(context, spare);
    taut_mem_free(context, rows);
    return status;
}
