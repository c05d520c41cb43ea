/* Matches found through hash chains, and Huffman codes of each block (RFC 1951). */
#include "base/deflate.h"

#include <string.h>

enum { WINDOW = 32768, HASH = 1 << 15, CHAIN = 96, LEAST = 3, MOST = 258, BLOCK = 1 << 15 };
enum { LITERALS = 286, DISTANCES = 30, LENGTHS = 19, BITS_MOST = 15 };

typedef struct {
    uint16_t length;      /* of a match; 0: a literal */
    uint16_t value;       /* its distance, or the literal */
} token;

typedef struct {
    taut_context *context;
    unsigned char *out;
    size_t size, capacity;
    uint32_t bits;
    int count;            /* of bits that wait */
    int status;
    token tokens[BLOCK];
    int token_count;
    int32_t head[HASH], before[WINDOW];
} packer;

static void put_byte(packer *z, unsigned byte)
{
    if (!z->status) z->status = taut_mem_grow(z->context, &z->out, &z->capacity, z->size + 1, 1);
    if (!z->status) z->out[z->size++] = (unsigned char)byte;
}

/* The lowest bit first. */
static void put_bits(packer *z, uint32_t bits, int count)
{
    z->bits |= bits << z->count;
    for (z->count += count; z->count >= 8; z->count -= 8, z->bits >>= 8) put_byte(z, z->bits & 255);
}

/* ---- Huffman codes ---- */

typedef struct {
    unsigned char length[LITERALS + 2];
    uint16_t code[LITERALS + 2]; /* reversed, as it is written */
} code_table;

/* Lengths of the codes by joining the two rarest again and again; numbers of uses are halved until no code is too
   long. */
static void find_lengths(uint32_t *uses, int count, int most, unsigned char *length)
{
    for (;;) {
        int parent[2 * LITERALS + 4], node[LITERALS + 2], live = 0, next = count, longest = 0;
        uint32_t weight[2 * LITERALS + 4];
        for (int i = 0; i < count; i++)
            if (uses[i]) node[live++] = i, weight[i] = uses[i];
        for (int i = 0; i < 2 * LITERALS + 4; i++) parent[i] = -1;
        while (live > 1) {
            int a = 0, b = 1; /* the two lightest; of equals the first */
            if (weight[node[b]] < weight[node[a]]) a = 1, b = 0;
            for (int i = 2; i < live; i++)
                if (weight[node[i]] < weight[node[a]]) b = a, a = i;
                else if (weight[node[i]] < weight[node[b]]) b = i;
            parent[node[a]] = parent[node[b]] = next;
            weight[next] = weight[node[a]] + weight[node[b]];
            int kept = a < b ? a : b, gone = a < b ? b : a;
            node[kept] = next++;
            node[gone] = node[--live];
        }
        for (int i = 0; i < count; i++) {
            int depth = 0;
            for (int at = i; parent[at] >= 0; at = parent[at]) depth++;
            length[i] = (unsigned char)(uses[i] ? depth ? depth : 1 : 0);
            if (length[i] > longest) longest = length[i];
        }
        if (longest <= most) return;
        for (int i = 0; i < count; i++) uses[i] = uses[i] ? uses[i] / 2 + 1 : 0;
    }
}

static void make_codes(code_table *t, int count)
{
    int of_length[BITS_MOST + 1] = { 0 };
    uint32_t next[BITS_MOST + 2] = { 0 };
    for (int i = 0; i < count; i++) of_length[t->length[i]]++;
    of_length[0] = 0;
    for (int k = 1; k <= BITS_MOST; k++) next[k + 1] = (next[k] + (uint32_t)of_length[k]) << 1;
    for (int i = 0; i < count; i++) {
        uint32_t code = t->length[i] ? next[t->length[i]]++ : 0, reversed = 0;
        for (int k = 0; k < t->length[i]; k++) reversed |= (code >> k & 1) << (t->length[i] - 1 - k);
        t->code[i] = (uint16_t)reversed;
    }
}

/* ---- lengths and distances as symbols with more bits ---- */

typedef struct {
    int symbol, bits, more;
} part;

static part length_part(int length)
{
    if (length == MOST) return (part){ 285, 0, 0 };
    int past = length - LEAST, bits = 0;
    while (past >> bits >= 8) bits++;
    return (part){ 257 + 4 * bits + (past >> bits), bits, past & ((1 << bits) - 1) };
}

static part distance_part(int distance)
{
    int past = distance - 1, bits = 0;
    while (past >> bits >= 4) bits++;
    return (part){ 2 * bits + (past >> bits), bits, past & ((1 << bits) - 1) };
}

/* The lengths of both tables in one list, runs of equal ones shortened: symbol, and how many more. */
static int shorten(const unsigned char *lengths, int count, unsigned char *symbols, unsigned char *more)
{
    int made = 0;
    for (int i = 0; i < count;) {
        int run = 1;
        while (i + run < count && lengths[i + run] == lengths[i]) run++;
        int taken = run;
        if (lengths[i] == 0 && run >= 11)
            taken = run > 138 ? 138 : run, symbols[made] = 18, more[made++] = (unsigned char)(taken - 11);
        else if (lengths[i] == 0 && run >= 3) symbols[made] = 17, more[made++] = (unsigned char)(taken - 3);
        else if (i > 0 && lengths[i] == lengths[i - 1] && run >= 3)
            taken = run > 6 ? 6 : run, symbols[made] = 16, more[made++] = (unsigned char)(taken - 3);
        else taken = 1, symbols[made] = lengths[i], more[made++] = 0;
        i += taken;
    }
    return made;
}

static void put_tables(packer *z, const code_table *literals, const code_table *distances)
{
    static const unsigned char order[LENGTHS] = { 16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15 };
    unsigned char all[LITERALS + DISTANCES], symbols[LITERALS + DISTANCES], more[LITERALS + DISTANCES];
    uint32_t uses[LENGTHS] = { 0 };
    code_table t = { { 0 }, { 0 } };
    memcpy(all, literals->length, LITERALS);
    memcpy(all + LITERALS, distances->length, DISTANCES);
    int count = shorten(all, LITERALS + DISTANCES, symbols, more);
    for (int i = 0; i < count; i++) uses[symbols[i]]++;
    find_lengths(uses, LENGTHS, 7, t.length);
    make_codes(&t, LENGTHS);
    int last = LENGTHS;
    while (last > 4 && !t.length[order[last - 1]]) last--;
    put_bits(z, LITERALS - 257, 5);
    put_bits(z, DISTANCES - 1, 5);
    put_bits(z, (uint32_t)last - 4, 4);
    for (int i = 0; i < last; i++) put_bits(z, t.length[order[i]], 3);
    for (int i = 0; i < count; i++) {
        put_bits(z, t.code[symbols[i]], t.length[symbols[i]]);
        if (symbols[i] >= 16) put_bits(z, more[i], symbols[i] == 16 ? 2 : symbols[i] == 17 ? 3 : 7);
    }
}

static void put_block(packer *z, int last)
{
    uint32_t literal_uses[LITERALS] = { 0 }, distance_uses[DISTANCES] = { 0 };
    code_table literals = { { 0 }, { 0 } }, distances = { { 0 }, { 0 } };
    for (int i = 0; i < z->token_count; i++) {
        const token *t = &z->tokens[i];
        literal_uses[t->length ? length_part(t->length).symbol : t->value]++;
        if (t->length) distance_uses[distance_part(t->value).symbol]++;
    }
    literal_uses[256] = 1;
    find_lengths(literal_uses, LITERALS, BITS_MOST, literals.length);
    find_lengths(distance_uses, DISTANCES, BITS_MOST, distances.length);
    make_codes(&literals, LITERALS);
    make_codes(&distances, DISTANCES);
    put_bits(z, (uint32_t)last, 1);
    put_bits(z, 2, 2);
    put_tables(z, &literals, &distances);
    for (int i = 0; i < z->token_count; i++) {
        const token *t = &z->tokens[i];
        part p = t->length ? length_part(t->length) : (part){ t->value, 0, 0 };
        put_bits(z, literals.code[p.symbol], literals.length[p.symbol]);
        put_bits(z, (uint32_t)p.more, p.bits);
        if (!t->length) continue;
        p = distance_part(t->value);
        put_bits(z, distances.code[p.symbol], distances.length[p.symbol]);
        put_bits(z, (uint32_t)p.more, p.bits);
    }
    put_bits(z, literals.code[256], literals.length[256]);
    z->token_count = 0;
}

/* ---- matches ---- */

static unsigned hash(const unsigned char *p) { return (p[0] << 10 ^ p[1] << 5 ^ p[2]) & (HASH - 1); }

static void remember(packer *z, const unsigned char *data, size_t size, size_t at)
{
    if (at + LEAST > size) return;
    unsigned h = hash(data + at);
    z->before[at % WINDOW] = z->head[h];
    z->head[h] = (int32_t)at;
}

static int longest_match(const packer *z, const unsigned char *data, size_t size, size_t at, int *distance)
{
    int best = 0, most = size - at < MOST ? (int)(size - at) : MOST;
    if (most < LEAST) return 0;
    int32_t from = z->head[hash(data + at)];
    for (int tries = 0; tries < CHAIN && from >= 0 && at - (size_t)from < WINDOW; tries++) {
        int length = 0;
        while (length < most && data[(size_t)from + (size_t)length] == data[at + (size_t)length]) length++;
        if (length > best) best = length, *distance = (int)(at - (size_t)from);
        if (best == most) break;
        from = z->before[from % WINDOW];
    }
    return best >= LEAST ? best : 0;
}

static void put_token(packer *z, int length, int value)
{
    if (z->token_count == BLOCK) put_block(z, 0);
    z->tokens[z->token_count++] = (token){ (uint16_t)length, (uint16_t)value };
}

static uint32_t adler(const unsigned char *data, size_t size)
{
    uint32_t a = 1, b = 0;
    for (size_t i = 0; i < size; i++) a = (a + data[i]) % 65521, b = (b + a) % 65521;
    return b << 16 | a;
}

static void pack(packer *z, const unsigned char *data, size_t size)
{
    memset(z->head, -1, sizeof z->head);
    put_byte(z, 0x78);
    put_byte(z, 0xda);
    for (size_t at = 0; at < size;) {
        int distance = 0, length = longest_match(z, data, size, at, &distance);
        put_token(z, length, length ? distance : data[at]);
        for (int i = 0; i < (length ? length : 1); i++) remember(z, data, size, at++);
    }
    put_block(z, 1);
    if (z->count) put_bits(z, 0, 8 - z->count);
    uint32_t sum = adler(data, size);
    for (int k = 24; k >= 0; k -= 8) put_byte(z, sum >> k & 255);
}

int taut_deflate(taut_context *context, const unsigned char *data, size_t size, unsigned char **result,
                 size_t *result_size)
{
    *result = NULL;
    if (size > INT32_MAX) return TAUT_OUT_OF_MEMORY; /* places are of 31 bits */
    packer *z = taut_mem_new(context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->context = context;
    pack(z, data, size);
    int status = z->status;
    if (status) taut_mem_free(context, z->out);
    else *result = z->out, *result_size = z->size;
    taut_mem_free(context, z);
    return status;
}
