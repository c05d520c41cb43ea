#include "field/cuts.h"

#include "base/pool.h"
#include "field/lanes.h"

#define CHUNK (84 * LANES) /* instances: some ten microseconds */

/* Which numbers the chunks add to, one chunk after the other. */
typedef struct {
    int64_t lowest, highest;     /* of this chunk */
    int64_t before, before_last; /* the highest of those before it, and of those before the last one */
    int alone, next;             /* so far: no two add to the same, and only neighbours do */
} overlap;

static const overlap overlap_none = { INT64_MAX, -1, -1, -1, 1, 1 };

static inline void see(overlap *o, uint32_t index)
{
    o->lowest = index < o->lowest ? index : o->lowest;
    o->highest = index > o->highest ? index : o->highest;
}

static void end_chunk(overlap *o)
{
    o->alone &= o->lowest > o->before;
    o->next &= o->lowest > o->before_last;
    o->before_last = o->before;
    if (o->highest > o->before) o->before = o->highest;
    o->lowest = INT64_MAX, o->highest = -1;
}

static int colours_of(const overlap *o) { return o->alone ? 1 : o->next ? 2 : 0; }

void X(cut_find)(const batch *b, const kernel *k, uint32_t run, cut *c)
{
    overlap rows = overlap_none, variables[KIND_COUNT];
    *c = (cut){ .length = CHUNK / run * run };
    c->chunks = pool_pieces(b->count, c->length);
    if (c->chunks < 2) return;
    for (int a = 0; a < KIND_COUNT; a++) variables[a] = overlap_none;
    for (int chunk = 0; chunk < c->chunks; chunk++) {
        for (uint32_t i = (uint32_t)chunk * c->length; i < cut_end(c, b, chunk); i++) {
            see(&rows, b->rows[i]);
            for (uint32_t n = 0; n < k->slots; n++)
                see(&variables[k->slot_kind[n]], b->variables[(size_t)i * k->slots + n]);
        }
        end_chunk(&rows);
        for (int a = 0; a < KIND_COUNT; a++) end_chunk(&variables[a]);
    }
    c->rows = colours_of(&rows);
    for (int a = 0; a < KIND_COUNT; a++) c->variables[a] = colours_of(&variables[a]);
}

int X(cut_colours)(const batch *b, const cut *c, uint32_t width, const uint32_t *table, const uint32_t *other)
{
    overlap entries = overlap_none;
    for (int chunk = 0; c->chunks > 1 && chunk < c->chunks; chunk++) {
        size_t end = (size_t)cut_end(c, b, chunk) * width;
        for (size_t at = (size_t)chunk * c->length * width; at < end; at++) {
            see(&entries, table[at]);
            if (other) see(&entries, other[at]);
        }
        end_chunk(&entries);
    }
    return colours_of(&entries);
}
