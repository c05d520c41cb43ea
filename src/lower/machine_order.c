/* The order of instructions in a long function. Processors look some hundred instructions ahead, not to the end of a
 * step. So those come first that most others wait for, and what only decides whether the iteration has ended goes where
 * they wait themselves: for a division, say. */
#include "lower/machine_inside.h"

#if MACHINE_AVAILABLE
#include <string.h>

typedef struct {
    uint32_t first, left;     /* of its followers in the list of edges; those it waits for */
    uint32_t height, ready;   /* cycles from here to the end; and when its operands are there */
} waiting;

typedef struct {
    uint32_t to, next;
} edge;

typedef struct {
    const program *p;
    const program_instruction *code;
    uint32_t count;           /* of instructions; behind them one that is none: nothing can be left any more */
    waiting *w;
    edge *edges;
    uint32_t edge_count;
    uint32_t *write, *reads;  /* of a value: the instruction that computed it, and the list of its readers since */
    edge *readers;
    uint32_t reader_count;
    /* Heaps of instructions that wait for nothing more: operands are there, the highest first; or will be, the earliest
       first. */
    uint32_t *there, *coming, there_count, coming_count;
} ordering;

enum { ISSUED = 3 };          /* operations a cycle, or nearly so */

static uint32_t latency(const program_instruction *c)
{
    if (c->op == OP_DIV) return 13;
    if (c->op == OP_SQRT) return 20;
    if (c->op == OP_ABS || c->op == OP_NEG || c->op == PROGRAM_MOVE || c->op >= FLOW_EXITS) return 1;
    if (c->op > PROGRAM_MOVE && c->op < PROGRAM_END) return 4;
    if (c->op == OP_POWI && c->b == 3) return 6;
    return c->op < OP_ADD || c->op > OP_DIV ? 4 : 3;
}

/* ---- who waits for whom ---- */

static void add_edge(ordering *o, uint32_t from, uint32_t to)
{
    if (from == NEVER || from == to) return;
    o->edges[o->edge_count] = (edge){ to, o->w[from].first };
    o->w[from].first = o->edge_count++;
    o->w[to].left++;
}

/* For operands; to overwrite what others read; and to write the state until nothing can be left: that comes last. */
static void find_edges(ordering *o)
{
    const program *p = o->p;
    for (uint32_t i = 0; i < o->count; i++) {
        const program_instruction *c = &o->code[i];
        uint32_t read[3];
        for (int k = X(step_flow_operands)(c, read); k-- > 0;) {
            add_edge(o, o->write[read[k]], i);
            o->readers[o->reader_count] = (edge){ i, o->reads[read[k]] };
            o->reads[read[k]] = o->reader_count++;
        }
        if (c->op >= FLOW_EXITS) {
            add_edge(o, i, o->count);
            continue;
        }
        const uint32_t target = c->target;
        add_edge(o, o->write[target], i);
        for (uint32_t k = o->reads[target]; k != NEVER; k = o->readers[k].next) add_edge(o, o->readers[k].to, i);
        o->write[target] = i, o->reads[target] = NEVER;
        if (target >= p->state_first && target < p->state_first + p->state_count) add_edge(o, o->count, i);
    }
}

static uint32_t highest_follower(const ordering *o, uint32_t i)
{
    uint32_t most = 0;
    for (uint32_t k = o->w[i].first; k != NEVER; k = o->edges[k].next)
        if (o->w[o->edges[k].to].height > most) most = o->w[o->edges[k].to].height;
    return most;
}

static void find_heights(ordering *o)
{
    for (uint32_t i = o->count; i-- > 0;) {
        if (o->code[i].op >= FLOW_EXITS && !o->w[o->count].height)
            o->w[o->count].height = highest_follower(o, o->count);
        o->w[i].height = highest_follower(o, i) + latency(&o->code[i]);
    }
}

/* ---- heaps ---- */

/* Does a come out before b? Of equals, the one that was first. */
static int is_higher(const waiting *w, uint32_t a, uint32_t b)
{
    return w[a].height != w[b].height ? w[a].height > w[b].height : a < b;
}

static int is_earlier(const waiting *w, uint32_t a, uint32_t b)
{
    return w[a].ready != w[b].ready ? w[a].ready < w[b].ready : is_higher(w, a, b);
}

typedef int before_function(const waiting *w, uint32_t a, uint32_t b);

static inline void heap_put(const waiting *w, uint32_t *heap, uint32_t *count, uint32_t i, before_function *is_before)
{
    uint32_t at = (*count)++;
    while (at && is_before(w, i, heap[(at - 1) / 2])) heap[at] = heap[(at - 1) / 2], at = (at - 1) / 2;
    heap[at] = i;
}

static inline uint32_t heap_take(const waiting *w, uint32_t *heap, uint32_t *count, before_function *is_before)
{
    const uint32_t first = heap[0], moved = heap[--*count];
    uint32_t at = 0;
    for (uint32_t child; (child = 2 * at + 1) < *count; at = child) {
        if (child + 1 < *count && is_before(w, heap[child + 1], heap[child])) child++;
        if (!is_before(w, heap[child], moved)) break;
        heap[at] = heap[child];
    }
    heap[at] = moved;
    return first;
}

/* ---- the order ---- */

static void add_ready(ordering *o, uint32_t i, uint32_t now);

/* i begins then: those that wait for it alone are ready. */
static void release_followers(ordering *o, uint32_t i, uint32_t there, uint32_t now)
{
    for (uint32_t k = o->w[i].first; k != NEVER; k = o->edges[k].next) {
        waiting *w = &o->w[o->edges[k].to];
        if (there > w->ready) w->ready = there;
        if (!--w->left) add_ready(o, o->edges[k].to, now);
    }
}

static void add_ready(ordering *o, uint32_t i, uint32_t now)
{
    if (i == o->count)
        release_followers(o, i, o->w[i].ready, now);
    else if (o->w[i].ready <= now)
        heap_put(o->w, o->there, &o->there_count, i, is_higher);
    else
        heap_put(o->w, o->coming, &o->coming_count, i, is_earlier);
}

/* Among those whose operands are there, the one that most wait for; if there is none, the one that is first. */
static void put_in_order(ordering *o, program_instruction *ordered)
{
    uint32_t cycles = 0;
    for (uint32_t i = 0; i < o->count; i++)
        if (!o->w[i].left) add_ready(o, i, 0);
    if (!o->w[o->count].left) add_ready(o, o->count, 0);
    for (uint32_t done = 0; done < o->count; done++) {
        const uint32_t now = cycles / ISSUED;
        while (o->coming_count && o->w[o->coming[0]].ready <= now)
            heap_put(o->w, o->there, &o->there_count, heap_take(o->w, o->coming, &o->coming_count, is_earlier),
                     is_higher);
        const uint32_t i = o->there_count ? heap_take(o->w, o->there, &o->there_count, is_higher)
                                          : heap_take(o->w, o->coming, &o->coming_count, is_earlier);
        const uint32_t begins = o->w[i].ready > now ? o->w[i].ready : now;
        ordered[done] = o->code[i];
        cycles = begins * ISSUED > cycles ? begins * ISSUED + 1 : cycles + 1;
        release_followers(o, i, begins + latency(&o->code[i]), now);
    }
}

/* Words of an array of so many. */
#define WORDS(count, type) ((count) * sizeof(type) / sizeof(uint32_t))

void X(machine_order)(machine *m)
{
    taut_context *context = m->p->context;
    const size_t values = value_count(m->p), count = m->joined.count;
    /* an instruction waits for three operands and for what it overwrites, and each of its reads is waited for once;
       then there is the one that is none */
    const size_t edges = 9 * count, reads = 3 * count;
    const size_t words = WORDS(count + 1, waiting) + WORDS(edges, edge) + WORDS(reads, edge) + 2 * values + 2 * count;
    if (m->failed || taut_mem_grow(context, &m->order_work, &m->order_capacity, words, sizeof *m->order_work) ||
        taut_mem_grow(context, &m->ordered.code, &m->ordered.capacity, count + 1, sizeof *m->ordered.code)) {
        m->failed = 1;
        return;
    }
    ordering o = { .p = m->p, .code = m->joined.code, .count = m->joined.count };
    uint32_t *at = m->order_work;
    o.w = (waiting *)at, at += WORDS(count + 1, waiting);
    o.write = at, at += values, o.reads = at, at += values;
    o.there = at, at += count, o.coming = at, at += count;
    o.readers = (edge *)at, at += WORDS(reads, edge);
    o.edges = (edge *)at;
    memset(o.write, 0xff, 2 * values * sizeof *o.write);
    for (size_t i = 0; i <= count; i++) o.w[i] = (waiting){ NEVER, 0, 0, 0 };
    find_edges(&o);
    find_heights(&o);
    put_in_order(&o, m->ordered.code);
    const step_flow joined = m->joined;
    m->joined = m->ordered, m->ordered = joined;
    m->joined.count = joined.count;
}
#endif
