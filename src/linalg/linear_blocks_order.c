/* The order of block elimination: minimum degree on the graph of the nodes. */
#include "linalg/linear_blocks.h"
#include "linalg/pattern.h"

typedef pattern node_pattern; /* where a parameter is called pattern */

/* ---- the graph of the nodes that are left ---- */

/* A node, its degree and its height when it was put on the heap; stale where they are others now. */
typedef struct {
    int degree, height, node;
} candidate;

typedef struct {
    taut_context *context;
    const unsigned char *late;
    const pattern *graph;    /* as it was at first */
    int *degree;             /* unknowns of the neighbours */
    int *height;             /* of a node that is left: above the lowest of those that left it something */
    int *pending;            /* of a late node: neighbours in the first graph that must go before it */
    candidate *heap;
    size_t heap_count, heap_capacity;
    blocks_list merged;      /* work */
    int member_count;
    blocks_order *to;        /* front: -1 for a node that is left */
} ordering;

void taut_blocks_order_clear(taut_context *context, blocks_order *o)
{
    for (int i = 0; o->near && i < o->count; i++) taut_mem_free(context, o->near[i].at);
    void *arrays[] = { o->size, o->near, o->front, o->member, o->first_member };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) taut_mem_free(context, arrays[i]);
}

static int comes_before(candidate a, candidate b)
{
    if (a.degree != b.degree) return a.degree < b.degree;
    return a.height < b.height || (a.height == b.height && a.node < b.node);
}

static int offer(ordering *o, int node)
{
    if (o->pending[node]) return TAUT_OK;
    if (taut_mem_grow(o->context, &o->heap, &o->heap_capacity, o->heap_count + 1, sizeof *o->heap))
        return TAUT_OUT_OF_MEMORY;
    candidate new = { o->degree[node], o->height[node], node };
    size_t k = o->heap_count++;
    for (; k > 0 && comes_before(new, o->heap[(k - 1) / 2]); k = (k - 1) / 2) o->heap[k] = o->heap[(k - 1) / 2];
    o->heap[k] = new;
    return TAUT_OK;
}

static candidate take_first(ordering *o)
{
    candidate first = o->heap[0], last = o->heap[--o->heap_count];
    size_t k = 0;
    for (size_t child; (child = 2 * k + 1) < o->heap_count; k = child) {
        if (child + 1 < o->heap_count && comes_before(o->heap[child + 1], o->heap[child])) child++;
        if (!comes_before(o->heap[child], last)) break;
        o->heap[k] = o->heap[child];
    }
    o->heap[k] = last;
    return first;
}

/* The next node: the one with the fewest unknowns around it, and of these one that depends on the fewest others, one
   after the other: a chain is eliminated from both ends. Each node that is left is on the heap, or waits for others. */
static int choose(ordering *o)
{
    for (;;) {
        candidate next = take_first(o);
        if (o->to->front[next.node] < 0 && o->degree[next.node] == next.degree && o->height[next.node] == next.height)
            return next.node;
    }
}

static int find_degree(const ordering *o, int node)
{
    int degree = 0;
    for (int k = 0; k < o->to->near[node].count; k++) degree += o->to->size[o->to->near[node].at[k]];
    return degree;
}

/* Nodes a and b are neighbours of each other and have the same other neighbours. */
static int same_neighbours(const ordering *o, int a, int b)
{
    const blocks_list *x = &o->to->near[a], *y = &o->to->near[b];
    if (x->count != y->count) return 0;
    for (int i = 0, k = 0;; i++, k++) {
        i += i < x->count && x->at[i] == b;
        k += k < y->count && y->at[k] == a;
        if (i >= x->count || k >= y->count) return i >= x->count && k >= y->count;
        if (x->at[i] != y->at[k]) return 0;
    }
}

/* near[node] := (near[node] and near[pivot]) without the nodes that are eliminated, and without itself */
static int join_neighbours(ordering *o, int node, int pivot)
{
    const blocks_list *x = &o->to->near[node], *y = &o->to->near[pivot];
    blocks_list *to = &o->merged;
    if (taut_mem_grow(o->context, &to->at, &to->capacity, (size_t)x->count + (size_t)y->count + 1, sizeof *to->at))
        return TAUT_OUT_OF_MEMORY;
    to->count = 0;
    for (int i = 0, k = 0; i < x->count || k < y->count;) {
        int next = k == y->count || (i < x->count && x->at[i] < y->at[k]) ? x->at[i] : y->at[k];
        i += i < x->count && x->at[i] == next;
        k += k < y->count && y->at[k] == next;
        if (next != node && o->to->front[next] < 0) to->at[to->count++] = next;
    }
    blocks_list old = *x;
    o->to->near[node] = *to;
    *to = old;
    return TAUT_OK;
}

/* Of nodes that wait, those that wait for this one. */
static void put_in_front(ordering *o, int node)
{
    o->to->front[node] = o->to->front_count;
    o->to->member[o->member_count++] = node;
    for (int e = o->graph->start[node]; !o->late[node] && e < o->graph->start[node + 1]; e++)
        if (o->late[o->graph->index[e]]) o->pending[o->graph->index[e]]--;
}

/* Has a node no neighbour in the first graph besides this one? */
static int is_part_of(const ordering *o, int node, int of)
{
    for (int e = o->graph->start[node]; e < o->graph->start[node + 1]; e++)
        if (o->graph->index[e] != node && o->graph->index[e] != of) return 0;
    return 1;
}

/* Eliminates a node, and with it the neighbours that have the same neighbours, or none but this one, such as the
   multiplier of the norm of a quaternion: that fills nothing. */
static int eliminate(ordering *o, int pivot)
{
    blocks_list *near = &o->to->near[pivot];
    int own = o->to->size[pivot], left = 0, status = TAUT_OK;
    o->to->first_member[o->to->front_count] = o->member_count;
    put_in_front(o, pivot);
    for (int k = 0; k < near->count; k++) {
        int node = near->at[k];
        const int together = own + o->to->size[node];
        if (together > BLOCKS_PANEL || o->pending[node]) continue;
        if (!is_part_of(o, node, pivot) && (together > BLOCKS_FIXED || !same_neighbours(o, pivot, node))) continue;
        own += o->to->size[node];
        put_in_front(o, node);
    }
    for (int k = 0; k < near->count; k++)
        if (o->to->front[near->at[k]] < 0) near->at[left++] = near->at[k];
    near->count = left;
    for (int k = 0; !status && k < left; k++) {
        status = join_neighbours(o, near->at[k], pivot);
        o->degree[near->at[k]] = find_degree(o, near->at[k]);
        if (o->height[near->at[k]] <= o->height[pivot]) o->height[near->at[k]] = o->height[pivot] + 1;
        if (!status) status = offer(o, near->at[k]);
    }
    o->to->front_count++;
    return status;
}

static int begin(ordering *o)
{
    const pattern *graph = o->graph;
    size_t count = (size_t)o->to->count;
    o->to->near = taut_mem_new(o->context, count, sizeof *o->to->near);
    o->degree = taut_mem_new(o->context, count, sizeof *o->degree);
    o->height = taut_mem_new(o->context, count, sizeof *o->height);
    o->pending = taut_mem_new(o->context, count, sizeof *o->pending);
    o->to->front = taut_mem_new(o->context, count, sizeof *o->to->front);
    o->to->member = taut_mem_new(o->context, count, sizeof *o->to->member);
    o->to->first_member = taut_mem_new(o->context, count + 1, sizeof *o->to->first_member);
    if (!o->to->near || !o->degree || !o->height || !o->pending || !o->to->front || !o->to->member
        || !o->to->first_member)
        return TAUT_OUT_OF_MEMORY;
    for (int i = 0; i < o->to->count; i++) {
        blocks_list *near = &o->to->near[i];
        o->to->front[i] = -1;
        if (taut_mem_grow(o->context, &near->at, &near->capacity, (size_t)(graph->start[i + 1] - graph->start[i]) + 1,
                          sizeof *near->at))
            return TAUT_OUT_OF_MEMORY;
        for (int e = graph->start[i]; e < graph->start[i + 1]; e++) {
            int other = graph->index[e];
            if (other == i) continue;
            near->at[near->count++] = other;
            o->pending[i] += o->late[i] && !o->late[other];
        }
        o->degree[i] = find_degree(o, i);
    }
    for (int i = 0; i < o->to->count; i++)
        if (offer(o, i)) return TAUT_OUT_OF_MEMORY;
    return TAUT_OK;
}

static int order_nodes(ordering *o)
{
    int status = begin(o);
    while (!status && o->member_count < o->to->count) status = eliminate(o, choose(o));
    if (!status) o->to->first_member[o->to->front_count] = o->member_count;
    return status;
}

/* ---- the graph, from the pattern ---- */

static int node_graph(taut_context *context, const linear_pattern *p, const linear_nodes *nodes, pattern **result)
{
    size_t most = 2 * (size_t)p->entries, count = 0;
    int *row = taut_mem_new(context, most, sizeof *row), *column = taut_mem_new(context, most, sizeof *column);
    int status = row && column ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (int j = 0; !status && j < p->n; j++)
        for (int e = p->column_start[j]; e < p->column_start[j + 1]; e++) {
            int a = nodes->row[p->row_index[e]], b = nodes->column[j];
            if (a == b) continue;
            row[count] = column[count + 1] = a;
            column[count] = row[count + 1] = b;
            count += 2;
        }
    if (!status) status = taut_pattern_create(context, nodes->count, nodes->count, row, column, count, result);
    taut_mem_free(context, row);
    taut_mem_free(context, column);
    return status;
}

int taut_blocks_order(taut_context *context, const linear_pattern *pattern, const linear_nodes *nodes, int *size,
                      blocks_order *result)
{
    ordering o = { .context = context, .late = nodes->late, .to = result };
    node_pattern *graph = NULL;
    *result = (blocks_order){ .count = nodes->count, .size = size };
    int status = node_graph(context, pattern, nodes, &graph);
    o.graph = graph;
    if (!status) status = order_nodes(&o);
    void *arrays[] = { o.degree, o.height, o.pending, o.heap, o.merged.at };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) taut_mem_free(context, arrays[i]);
    taut_pattern_destroy(context, graph);
    return status;
}
