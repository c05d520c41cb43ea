#include "linalg/products.h"

enum { PERIOD_MOST = 24, REPEATS_LEAST = 8 };

typedef struct {
    int lists;
    const int *start, *a, *b;
} list_set;

static int length(const list_set *s, int r) { return s->start[r + 1] - s->start[r]; }

/* Is list r + 2 period moved from list r + period as that is from list r? */
static int goes_on(const list_set *s, int r, int period)
{
    if (r + 2 * period >= s->lists || length(s, r) != length(s, r + period)
        || length(s, r) != length(s, r + 2 * period))
        return 0;
    const int *x = s->start;
    for (int e = 0; e < length(s, r); e++) {
        int p = x[r] + e, q = x[r + period] + e, t = x[r + 2 * period] + e;
        if (s->a[q] - s->a[p] != s->a[t] - s->a[q] || s->b[q] - s->b[p] != s->b[t] - s->b[q]) return 0;
    }
    return 1;
}

/* How often the `period` lists from r on repeat, 1: not at all. At most `most` are looked for. */
static int count_repeats(const list_set *s, int r, int period, int most)
{
    int repeats = 1;
    for (;; repeats++) {
        if (repeats == most) return repeats;
        for (int m = 0; m < period; m++)
            if (!goes_on(s, r + (repeats - 1) * period + m, period)) return repeats == 1 ? 1 : repeats + 1;
    }
}

static int find_period(const list_set *s, int r, int *repeats)
{
    for (int period = 1; period <= PERIOD_MOST; period++)
        if (count_repeats(s, r, period, REPEATS_LEAST) >= REPEATS_LEAST) {
            *repeats = count_repeats(s, r, period, s->lists);
            return period;
        }
    *repeats = 1;
    return 1;
}

static int add_start(taut_context *context, products *p)
{
    if (taut_mem_grow(context, &p->start, &p->start_capacity, p->start_count + 1, sizeof *p->start))
        return TAUT_OUT_OF_MEMORY;
    p->start[p->start_count++] = (int)p->entry_count;
    return TAUT_OK;
}

static int add_list(taut_context *context, products *p, const list_set *s, int r, int period, int repeats)
{
    size_t count = (size_t)length(s, r);
    if (taut_mem_grow(context, &p->entries, &p->entry_capacity, p->entry_count + count, sizeof *p->entries))
        return TAUT_OUT_OF_MEMORY;
    for (int e = s->start[r]; e < s->start[r + 1]; e++) {
        products_entry entry = { s->a[e], s->b[e], 0, 0 };
        int next = repeats > 1 ? s->start[r + period] + e - s->start[r] : e;
        entry.a_step = s->a[next] - s->a[e], entry.b_step = s->b[next] - s->b[e];
        p->entries[p->entry_count++] = entry;
    }
    return add_start(context, p);
}

/* Lists r .. r + period - 1, which repeat. Single lists that do not are joined to one piece. */
static int add_piece(taut_context *context, products *p, const list_set *s, int r, int period, int repeats)
{
    products_piece *last = p->piece_count ? &p->pieces[p->piece_count - 1] : NULL;
    int status = TAUT_OK;
    if (repeats == 1 && last && last->repeats == 1) {
        last->period += period;
    } else {
        if (taut_mem_grow(context, &p->pieces, &p->piece_capacity, p->piece_count + 1, sizeof *p->pieces))
            return TAUT_OUT_OF_MEMORY;
        p->pieces[p->piece_count++] = (products_piece){ r, period, repeats, NULL, (int)p->start_count };
        status = add_start(context, p);
    }
    for (int m = 0; !status && m < period; m++) status = add_list(context, p, s, r + m, period, repeats);
    return status;
}

int taut_products_create(taut_context *context, int lists, const int *start, const int *a, const int *b,
                         products **result)
{
    const list_set s = { lists, start, a, b };
    products *p = taut_mem_new(context, 1, sizeof *p);
    int status = p ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    *result = NULL;
    if (p) p->lists = lists;
    for (int r = 0, repeats; !status && r < lists;) {
        int period = find_period(&s, r, &repeats);
        status = add_piece(context, p, &s, r, period, repeats);
        r += period * repeats;
    }
    for (size_t n = 0; !status && n < p->piece_count; n++) p->pieces[n].start = p->start + p->pieces[n].start_at;
    if (status)
        taut_products_destroy(context, p);
    else
        *result = p;
    return status;
}

/* A piece after a renumbering, from period k on. */
typedef struct {
    const products *p;
    const products_piece *piece;
    const int *a_to, *b_to;
} renumbering;

static int number(const int *to, int i) { return to ? to[i] : i; }

static products_entry entry_at(const renumbering *z, int e, int k)
{
    const products_entry *from = &z->p->entries[e];
    return (products_entry){ number(z->a_to, from->a + k * from->a_step), number(z->b_to, from->b + k * from->b_step),
                             0, 0 };
}

/* How many periods from k on are moved from one to the next by the same distances, which those at `to` have. Period by
   period, as they lie in memory. */
static int regular_periods(const renumbering *z, const products_entry *to, int k)
{
    const int first = z->piece->start[0], end = z->piece->start[z->piece->period];
    int count = 1;
    for (; k + count < z->piece->repeats; count++)
        for (int e = first; e < end; e++) {
            const products_entry *begin = &to[e - first], here = entry_at(z, e, k + count);
            if (here.a != begin->a + count * begin->a_step || here.b != begin->b + count * begin->b_step) return count;
        }
    return count;
}

/* Adds the piece from period k on; *count of its periods are done then. */
static int add_renumbered(taut_context *context, products *to, const renumbering *z, int k, int *count)
{
    const products_piece *piece = z->piece;
    const int first = piece->start[0], entries = piece->start[piece->period] - first;
    if (taut_mem_grow(context, &to->pieces, &to->piece_capacity, to->piece_count + 1, sizeof *to->pieces)
        || taut_mem_grow(context, &to->entries, &to->entry_capacity, to->entry_count + (size_t)entries,
                         sizeof *to->entries))
        return TAUT_OUT_OF_MEMORY;
    const int start_at = (int)to->start_count;
    int status = add_start(context, to);
    products_entry *at = to->entries + to->entry_count;
    for (int e = 0; e < entries; e++) {
        at[e] = entry_at(z, first + e, k);
        if (k + 1 == piece->repeats) continue;
        const products_entry next = entry_at(z, first + e, k + 1);
        at[e].a_step = next.a - at[e].a, at[e].b_step = next.b - at[e].b;
    }
    *count = regular_periods(z, at, k);
    for (int m = 0; !status && m < piece->period; m++) {
        to->entry_count += (size_t)(piece->start[m + 1] - piece->start[m]);
        status = add_start(context, to);
    }
    to->pieces[to->piece_count++] =
        (products_piece){ piece->first + k * piece->period, piece->period, *count, NULL, start_at };
    return status;
}

int taut_products_renumber(taut_context *context, const products *p, const int *a_to, const int *b_to,
                           products **result)
{
    const size_t most = 4 * p->piece_count + 16;
    products *to = taut_mem_new(context, 1, sizeof *to);
    int status = to ? TAUT_OK : TAUT_OUT_OF_MEMORY, count = 0;
    *result = NULL;
    if (to) to->lists = p->lists;
    for (size_t n = 0; !status && n < p->piece_count && to->piece_count <= most; n++) {
        const renumbering z = { p, &p->pieces[n], a_to, b_to };
        for (int k = 0; !status && k < z.piece->repeats && to->piece_count <= most; k += count)
            status = add_renumbered(context, to, &z, k, &count);
    }
    if (status || to->piece_count > most) {
        taut_products_destroy(context, to);
        return status;
    }
    for (size_t n = 0; n < to->piece_count; n++) to->pieces[n].start = to->start + to->pieces[n].start_at;
    *result = to;
    return TAUT_OK;
}

void taut_products_order(const products *p, int *order)
{
    for (size_t n = 0; n < p->piece_count; n++) {
        const products_piece *piece = &p->pieces[n];
        int first = piece->start[0], count = piece->start[piece->period] - first;
        for (int e = 0; e < count; e++) {
            const products_entry *entry = &p->entries[first + e];
            int base = p->entries[first].a; /* where the entries of this piece begin */
            for (int k = 0; k < piece->repeats; k++)
                order[entry->a + k * entry->a_step] = base + e * piece->repeats + k;
        }
    }
}

void taut_products_destroy(taut_context *context, products *p)
{
    if (!p) return;
    taut_mem_free(context, p->pieces);
    taut_mem_free(context, p->start);
    taut_mem_free(context, p->entries);
    taut_mem_free(context, p);
}
