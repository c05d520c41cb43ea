#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "plot/canvas.h"

void taut_buffer_add(buffer *b, const void *bytes, size_t size)
{
    if (b->failed) return;
    if (b->size + size + 1 > b->capacity) {
        size_t capacity = b->capacity ? b->capacity : 4096;
        while (capacity < b->size + size + 1) capacity *= 2;
        char *more = realloc(b->bytes, capacity);
        if (!more) {
            b->failed = 1;
            return;
        }
        b->bytes = more;
        b->capacity = capacity;
    }
    memcpy(b->bytes + b->size, bytes, size);
    b->size += size;
    b->bytes[b->size] = 0;
}

void taut_buffer_print(buffer *b, const char *format, ...)
{
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    const int length = taut_text_format_v(text, sizeof text, format, arguments);
    va_end(arguments);
    taut_buffer_add(b, text, length < (int)sizeof text ? (size_t)length : sizeof text - 1);
}

void taut_buffer_free(buffer *b)
{
    free(b->bytes);
    *b = (buffer){ 0 };
}

/* ---- deflate (RFC 1951), one block of fixed codes ---- */

enum { WINDOW = 32768, HASHES = 1 << 15, LONGEST = 258, TRIES = 32 };

typedef struct {
    buffer *to;
    uint64_t bits;
    int count;
} bit_writer;

static void put_bits(bit_writer *w, uint32_t bits, int count)
{
    w->bits |= (uint64_t)bits << w->count;
    w->count += count;
    while (w->count >= 8) {
        const unsigned char byte = (unsigned char)w->bits;
        taut_buffer_add(w->to, &byte, 1);
        w->bits >>= 8;
        w->count -= 8;
    }
}

/* Huffman codes begin with their highest bit. */
static void put_code(bit_writer *w, uint32_t code, int count)
{
    uint32_t turned = 0;
    for (int i = 0; i < count; i++) turned |= (code >> i & 1) << (count - 1 - i);
    put_bits(w, turned, count);
}

static void put_symbol(bit_writer *w, uint32_t s)
{
    if (s < 144) put_code(w, 0x30 + s, 8);
    else if (s < 256) put_code(w, 0x190 + s - 144, 9);
    else if (s < 280) put_code(w, s - 256, 7);
    else put_code(w, 0xC0 + s - 280, 8);
}

static void put_match(bit_writer *w, int length, int distance)
{
    static const uint16_t lengths[] = { 3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23,  27,
                                        31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258, 259 };
    static const uint8_t more[] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                    2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
    int k = 0, d = 0, base = 1, extra = 0;
    while (lengths[k + 1] <= length) k++;
    put_symbol(w, 257 + (uint32_t)k);
    put_bits(w, (uint32_t)(length - lengths[k]), more[k]);
    while (base + (1 << extra) <= distance) { /* bases 1, 2, 3, 4, 5, 7, 9, 13 ... */
        base += 1 << extra;
        d++;
        extra = d < 4 ? 0 : d / 2 - 1;
    }
    put_code(w, (uint32_t)d, 5);
    put_bits(w, (uint32_t)(distance - base), extra);
}

static uint32_t hash_of(const unsigned char *p)
{
    return ((uint32_t)p[0] << 16 | (uint32_t)p[1] << 8 | p[2]) * 2654435761u >> 17;
}

typedef struct {
    const unsigned char *bytes;
    size_t size;
    long *head, *before; /* the last place with a hash; the place before it in the window */
} matcher;

static void enter(matcher *m, size_t at)
{
    if (at + 3 > m->size) return;
    const uint32_t h = hash_of(m->bytes + at);
    m->before[at % WINDOW] = m->head[h];
    m->head[h] = (long)at;
}

static int find_match(const matcher *m, size_t at, int *distance)
{
    int best = 0, most = m->size - at < LONGEST ? (int)(m->size - at) : LONGEST;
    if (most < 3) return 0;
    long place = m->head[hash_of(m->bytes + at)];
    for (int tries = 0; tries < TRIES && place >= 0 && (long)at - place <= WINDOW - 1 && best < most; tries++) {
        int length = 0;
        while (length < most && m->bytes[(size_t)place + (size_t)length] == m->bytes[at + (size_t)length]) length++;
        if (length > best) best = length, *distance = (int)((long)at - place);
        const long next = m->before[(size_t)place % WINDOW];
        if (next >= place) break;
        place = next;
    }
    return best >= 3 ? best : 0;
}

void taut_buffer_deflate(buffer *to, const unsigned char *bytes, size_t size)
{
    matcher m = { bytes, size, malloc(HASHES * sizeof(long)), malloc(WINDOW * sizeof(long)) };
    bit_writer w = { to, 0, 0 };
    uint32_t a = 1, b = 0;
    if (!m.head || !m.before) {
        to->failed = 1;
        size = 0;
    }
    for (int i = 0; size && i < HASHES; i++) m.head[i] = -1;
    taut_buffer_add(to, "\x78\x01", 2);
    put_bits(&w, 1, 1), put_bits(&w, 1, 2);
    for (size_t at = 0; at < size;) {
        int distance = 0, length = find_match(&m, at, &distance);
        if (length) put_match(&w, length, distance);
        else put_symbol(&w, bytes[at]), length = 1;
        for (int i = 0; i < length; i++) enter(&m, at++);
    }
    put_symbol(&w, 256);
    put_bits(&w, 0, (8 - w.count % 8) % 8);
    for (size_t i = 0; i < size; i++) a = (a + bytes[i]) % 65521, b = (b + a) % 65521;
    const uint32_t both = b << 16 | a;
    for (int i = 24; i >= 0; i -= 8) taut_buffer_add(to, &(unsigned char){ (unsigned char)(both >> i) }, 1);
    free(m.head);
    free(m.before);
}
