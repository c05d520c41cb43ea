/* Inflate, as RFC 1950 and 1951 describe it: the reference for what is compressed. */
#ifndef TAUT_TESTS_SUPPORT_INFLATE_H
#define TAUT_TESTS_SUPPORT_INFLATE_H

#include "support.h"

typedef struct {
    const unsigned char *in;
    size_t at, size;
    unsigned bit;
} bit_reader;

static inline unsigned read_bits(bit_reader *r, int count)
{
    unsigned value = 0;
    for (int i = 0; i < count; i++) {
        assert_true(r->at < r->size);
        value |= (unsigned)(r->in[r->at] >> r->bit & 1) << i;
        if (++r->bit == 8) r->bit = 0, r->at++;
    }
    return value;
}

typedef struct {
    int count[16], symbol[320];
} huffman;

static inline void make_huffman(huffman *h, const unsigned char *length, int count)
{
    int offset[16] = { 0 };
    memset(h, 0, sizeof *h);
    for (int i = 0; i < count; i++) h->count[length[i]]++;
    h->count[0] = 0;
    for (int k = 1; k < 15; k++) offset[k + 1] = offset[k] + h->count[k];
    for (int i = 0; i < count; i++)
        if (length[i]) h->symbol[offset[length[i]]++] = i;
    int left = 1; /* codes that are not used: none, unless there is but one */
    for (int k = 1; k < 16; k++) left = 2 * left - h->count[k], assert_true(left >= 0);
}

static inline int read_symbol(bit_reader *r, const huffman *h)
{
    int code = 0, first = 0, index = 0;
    for (int k = 1; k < 16; k++) {
        code |= (int)read_bits(r, 1);
        if (code - first < h->count[k]) return h->symbol[index + code - first];
        index += h->count[k];
        first = (first + h->count[k]) << 1;
        code <<= 1;
    }
    fail_msg("no such code");
    return 0;
}

static inline size_t inflate(const unsigned char *in, size_t size, unsigned char *out, size_t most)
{
    static const unsigned char order[19] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    static const short length_base[29] = { 3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                           31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258 };
    static const short length_more[29] = { 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                           2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0 };
    static const short far_base[30] = { 1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                        33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                        1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577 };
    static const short far_more[30] = { 0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                        6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13 };
    bit_reader r = { in + 2, 0, size - 2, 0 };
    size_t count = 0;
    assert_int_equal((in[0] * 256 + in[1]) % 31, 0);
    for (int last = 0; !last;) {
        unsigned char length[320] = { 0 };
        huffman h, literals, distances;
        last = (int)read_bits(&r, 1);
        assert_int_equal(read_bits(&r, 2), 2);
        int nl = (int)read_bits(&r, 5) + 257, nd = (int)read_bits(&r, 5) + 1, nc = (int)read_bits(&r, 4) + 4;
        for (int i = 0; i < nc; i++) length[order[i]] = (unsigned char)read_bits(&r, 3);
        make_huffman(&h, length, 19);
        memset(length, 0, sizeof length);
        for (int i = 0; i < nl + nd;) {
            int symbol = read_symbol(&r, &h), repeat = 1;
            unsigned char value = (unsigned char)symbol;
            if (symbol == 16) value = length[i - 1], repeat = 3 + (int)read_bits(&r, 2);
            if (symbol >= 17) value = 0, repeat = symbol == 17 ? 3 + (int)read_bits(&r, 3) : 11 + (int)read_bits(&r, 7);
            while (repeat--) length[i++] = value;
        }
        make_huffman(&literals, length, nl);
        make_huffman(&distances, length + nl, nd);
        for (int symbol; (symbol = read_symbol(&r, &literals)) != 256;) {
            if (symbol < 256) {
                assert_true(count < most);
                out[count++] = (unsigned char)symbol;
                continue;
            }
            size_t n = (size_t)length_base[symbol - 257] + read_bits(&r, length_more[symbol - 257]);
            int d = read_symbol(&r, &distances);
            size_t far = (size_t)far_base[d] + read_bits(&r, far_more[d]);
            assert_true(far <= count && count + n <= most);
            for (; n; n--, count++) out[count] = out[count - far];
        }
    }
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < count; i++) a = (a + out[i]) % 65521, b = (b + a) % 65521;
    const unsigned char *sum = in + size - 4;
    assert_true(((uint32_t)sum[0] << 24 | (uint32_t)sum[1] << 16 | (uint32_t)sum[2] << 8 | sum[3]) == (b << 16 | a));
    return count;
}

#endif
