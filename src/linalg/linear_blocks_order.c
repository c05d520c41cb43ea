/* The symbolic half of block elimination: the order of the nodes by minimum degree on the graph of the nodes, the
 * fronts, and where each entry of the matrix goes. */
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "linalg/linear_blocks.h"
#include "linalg/pattern.h"

enum { WIDEST = 20000 }; /* unknowns of a front: its entries are counted in int */

typedef pattern node_pattern; /* where a parameter is called pattern */

/* ---- the graph of the nodes that are left ---- */

typedef struct {
    int *at;                 /* neighbours, ascending */
    int count;
    size_t capacity;
} node_list;

/* A node and its degree when it was put on the heap; stale where the degree is another one now. */
typedef struct {
    int degree, node;
} candidate;

typedef struct {
    taut_context *context;
    int count;               /* nodes */
    const unsigned char *late;
    const pattern *graph;    /* as it was at first */
    int *size;               /* unknowns of a node */
    node_list *near;         /* of a node that is eliminated: those eliminated after it */
    int *degree;             /* unknowns of the neighbours */
    int *pending;            /* of a late node: neighbours in the first graph that must go before it */
    int *front;              /* of a node that is eliminated; -1: left */
    int *member;             /* the nodes in the order of elimination */
    int *first_member;       /* of a front; the node there is the one that has the front's neighbours in `near` */
    int front_count, member_count;
    candidate *heap;
    size_t heap_count, heap_capacity;
    node_list merged;        /* work */
} ordering;

static void ordering_clear(ordering *o)
{
    for (int i = 0; o->near && i < o->count; i++) taut_mem_free(o->context, o->near[i].at);
    void *arrays[] = { o->size,  o->near,   o->degree,       o->pending, o->front,
                       o->heap, o->member, o->first_member, o->merged.at };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) taut_mem_free(o->context, arrays[i]);
}

static int comes_before(candidate a, candidate b)
{
    return a.degree < b.degree || (a.degree == b.degree && a.node < b.node);
}

static int offer(ordering *o, int node)
{
    if (o->pending[node]) return TAUT_OK;
    if (taut_mem_grow(o->context, &o->heap, &o->heap_capacity, o->heap_count + 1, sizeof *o->heap))
        return TAUT_OUT_OF_MEMORY;
    candidate new = { o->degree[node], node };
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

/* The next node: the one with the fewest unknowns around it. Each node that is left is on the heap with its degree, or
   waits for others. */
static int choose(ordering *o)
{
    for (;;) {
        candidate next = take_first(o);
        if (o->front[next.node] < 0 && o->degree[next.node] == next.degree) return next.node;
    }
}

static int find_degree(const ordering *o, int node)
{
    int degree = 0;
    for (int k = 0; k < o->near[node].count; k++) degree += o->size[o->near[node].at[k]];
    return degree;
}

/* Nodes a and b are neighbours of each other and have the same other neighbours. */
static int same_neighbours(const ordering *o, int a, int b)
{
    const node_list *x = &o->near[a], *y = &o->near[b];
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
    const node_list *x = &o->near[node], *y = &o->near[pivot];
    node_list *to = &o->merged;
    if (taut_mem_grow(o->context, &to->at, &to->capacity, (size_t)x->count + (size_t)y->count + 1, sizeof *to->at))
        return TAUT_OUT_OF_MEMORY;
    to->count = 0;
    for (int i = 0, k = 0; i < x->count || k < y->count;) {
        int next = k == y->count || (i < x->count && x->at[i] < y->at[k]) ? x->at[i] : y->at[k];
        i += i < x->count && x->at[i] == next;
        k += k < y->count && y->at[k] == next;
        if (next != node && o->front[next] < 0) to->at[to->count++] = next;
    }
    node_list old = *x;
    o->near[node] = *to;
    *to = old;
    return TAUT_OK;
}

/* Of nodes that wait, those that wait for this one. */
static void put_in_front(ordering *o, int node)
{
    o->front[node] = o->front_count;
    o->member[o->member_count++] = node;
    for (int e = o->graph->start[node]; !o->late[node] && e < o->graph->start[node + 1]; e++)
        if (o->late[o->graph->index[e]]) o->pending[o->graph->index[e]]--;
}

/* Eliminates a node, and with it the neighbours that have the same neighbours: that fills nothing. */
static int eliminate(ordering *o, int pivot)
{
    node_list *near = &o->near[pivot];
    int own = o->size[pivot], left = 0, status = TAUT_OK;
    o->first_member[o->front_count] = o->member_count;
    put_in_front(o, pivot);
    for (int k = 0; k < near->count; k++) {
        int node = near->at[k];
        if (own + o->size[node] > BLOCKS_MOST || o->pending[node] || !same_neighbours(o, pivot, node)) continue;
        own += o->size[node];
        put_in_front(o, node);
    }
    for (int k = 0; k < near->count; k++)
        if (o->front[near->at[k]] < 0) near->at[left++] = near->at[k];
    near->count = left;
    for (int k = 0; !status && k < left; k++) {
        status = join_neighbours(o, near->at[k], pivot);
        o->degree[near->at[k]] = find_degree(o, near->at[k]);
        if (!status) status = offer(o, near->at[k]);
    }
    o->front_count++;
    return status;
}

static int begin(ordering *o)
{
    const pattern *graph = o->graph;
    size_t count = (size_t)o->count;
    o->near = taut_mem_new(o->context, count, sizeof *o->near);
    o->degree = taut_mem_new(o->context, count, sizeof *o->degree);
    o->pending = taut_mem_new(o->context, count, sizeof *o->pending);
    o->front = taut_mem_new(o->context, count, sizeof *o->front);
    o->member = taut_mem_new(o->context, count, sizeof *o->member);
    o->first_member = taut_mem_new(o->context, count + 1, sizeof *o->first_member);
    if (!o->near || !o->degree || !o->pending || !o->front || !o->member || !o->first_member)
        return TAUT_OUT_OF_MEMORY;
    for (int i = 0; i < o->count; i++) {
        node_list *near = &o->near[i];
        o->front[i] = -1;
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
    for (int i = 0; i < o->count; i++)
        if (offer(o, i)) return TAUT_OUT_OF_MEMORY;
    return TAUT_OK;
}

static int order_nodes(ordering *o)
{
    int status = begin(o);
    while (!status && o->member_count < o->count) status = eliminate(o, choose(o));
    if (!status) o->first_member[o->front_count] = o->member_count;
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

/* *size NULL: a node has more equations than unknowns, or fewer. */
static int count_unknowns(taut_context *context, int n, const linear_nodes *nodes, int **size)
{
    int *rows = taut_mem_new(context, (size_t)nodes->count, sizeof *rows), fits = 1;
    *size = taut_mem_new(context, (size_t)nodes->count, sizeof **size);
    int status = rows && *size ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (int i = 0; !status && i < n; i++) rows[nodes->row[i]]++, (*size)[nodes->column[i]]++;
    for (int k = 0; !status && k < nodes->count; k++) fits &= rows[k] == (*size)[k];
    taut_mem_free(context, rows);
    if (!status && fits) return TAUT_OK;
    taut_mem_free(context, *size);
    *size = NULL;
    return status;
}

/* ---- fronts ---- */

/* The fronts in the order in which they were found: a parent has a larger number than its children. */
typedef struct {
    int count;
    int *parent;             /* -1: none */
    int *own, *later;        /* unknowns */
    int *into;               /* the front that it is joined to, or itself */
    int *head, *next;        /* lists of children */
    int *stack;
    int *order;              /* in postorder */
    void *room;
} tree;

static void lay_out_tree(void *self, room_layout *l)
{
    tree *t = self;
    int **arrays[] = { &t->parent, &t->own, &t->later, &t->into, &t->head, &t->next, &t->stack, &t->order };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = room_take(l, (size_t)t->count + 1, sizeof(int));
}

static void find_parents(const ordering *o, tree *t)
{
    for (int f = 0; f < t->count; f++) {
        const node_list *near = &o->near[o->member[o->first_member[f]]];
        t->into[f] = f;
        t->parent[f] = -1;
        for (int m = o->first_member[f]; m < o->first_member[f + 1]; m++) t->own[f] += o->size[o->member[m]];
        for (int k = 0; k < near->count; k++) {
            t->later[f] += o->size[near->at[k]];
            if (t->parent[f] < 0 || o->front[near->at[k]] < t->parent[f]) t->parent[f] = o->front[near->at[k]];
        }
    }
}

/* Where the later unknowns of a front are those of its parent and the parent's later ones, one front for both has no
   more entries. */
static void join_fronts(tree *t)
{
    for (int f = t->count - 1; f >= 0; f--) {
        if (t->parent[f] < 0) continue;
        const int root = t->parent[f] = t->into[t->parent[f]];
        if (t->later[f] != t->own[root] + t->later[root] || t->own[f] + t->own[root] > BLOCKS_MOST) continue;
        t->into[f] = root;
        t->own[root] += t->own[f];
    }
    for (int f = 0; f < t->count; f++) /* of one that was joined after its child had been looked at */
        if (t->parent[f] >= 0) t->parent[f] = t->into[t->parent[f]];
}

/* Children before their parent, and those of one parent, with all that is below them, one behind the other. Returns how
   many fronts are left. */
static int find_postorder(tree *t)
{
    int placed = 0;
    for (int f = 0; f <= t->count; f++) t->head[f] = -1;
    for (int f = t->count - 1; f >= 0; f--) {
        const int parent = t->parent[f] < 0 ? t->count : t->parent[f];
        if (t->into[f] == f) t->next[f] = t->head[parent], t->head[parent] = f;
    }
    for (int root = t->head[t->count]; root >= 0; root = t->next[root]) {
        int depth = 0;
        t->stack[depth++] = root;
        while (depth) {
            const int f = t->stack[depth - 1], child = t->head[f];
            if (child >= 0)
                t->head[f] = t->next[child], t->stack[depth++] = child;
            else
                t->order[placed++] = f, depth--;
        }
    }
    return placed;
}

/* ---- the plan ---- */

typedef struct {
    const linear_pattern *pattern;
    const linear_nodes *nodes;
    const ordering *o;
    tree t;
    int *front_of;           /* of an unknown of the order: its front in the plan */
    int *first_of_node;      /* its unknowns in the order */
    int *row_at, *column_at; /* of rows and columns of the matrix: their unknown in the order */
    int *fill;
    size_t *waiting;         /* remainders of the children of a front */
    void *room;
} making;

static void lay_out_making(void *self, room_layout *l)
{
    making *m = self;
    const size_t n = (size_t)m->pattern->n, nodes = (size_t)m->nodes->count + 1;
    m->front_of = room_take(l, n, sizeof(int));
    m->row_at = room_take(l, n, sizeof(int));
    m->column_at = room_take(l, n, sizeof(int));
    m->first_of_node = room_take(l, nodes, sizeof(int));
    m->fill = room_take(l, nodes + (size_t)m->t.count, sizeof(int));
    m->waiting = room_take(l, (size_t)m->t.count + 1, sizeof(size_t));
}

void taut_blocks_plan_destroy(taut_context *context, blocks_plan *plan)
{
    if (!plan || --plan->users > 0) return;
    void *arrays[] = { plan->fronts, plan->entries, plan->index, plan->into,
                       plan->row,    plan->column,  plan->is_late };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) taut_mem_free(context, arrays[i]);
    taut_mem_free(context, plan);
}

/* Numbers the nodes of a front of the tree that was found, with those that were joined to it, children first. */
static void number_nodes(making *m, blocks_plan *plan, int found, int front, int *unknown)
{
    const ordering *o = m->o;
    for (int k = o->first_member[found]; k < o->first_member[found + 1]; k++) {
        const int node = o->member[k];
        m->first_of_node[node] = *unknown;
        for (int i = 0; i < o->size[node]; i++) m->front_of[(*unknown)++] = front;
    }
    plan->fronts[front].own = *unknown - plan->fronts[front].first;
}

/* Joined fronts follow each other in number only if nothing else was found between; `fill` lists them by root. */
static void number_unknowns(making *m, blocks_plan *plan)
{
    const tree *t = &m->t;
    int *head = m->fill, *next = m->t.next, unknown = 0; /* the lists of children have been used up */
    for (int f = 0; f < t->count; f++) head[f] = -1;
    for (int f = t->count - 1; f >= 0; f--) next[f] = head[t->into[f]], head[t->into[f]] = f;
    for (int k = 0; k < plan->count; k++) {
        plan->fronts[k].first = unknown;
        for (int f = head[t->order[k]]; f >= 0; f = next[f]) number_nodes(m, plan, f, k, &unknown);
    }
}

/* row, column of the order, and back. */
static void number_rows(making *m, blocks_plan *plan)
{
    const int n = plan->n;
    int *next = m->fill;
    for (int pass = 0; pass < 2; pass++) {
        const int *node = pass ? m->nodes->column : m->nodes->row;
        int *at = pass ? m->column_at : m->row_at, *from = pass ? plan->column : plan->row;
        memcpy(next, m->first_of_node, (size_t)m->nodes->count * sizeof *next);
        for (int i = 0; i < n; i++) {
            at[i] = next[node[i]]++;
            from[at[i]] = i;
            plan->is_late[at[i]] = m->nodes->late[node[i]];
        }
    }
}

static int compare(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

static void list_later(making *m, blocks_plan *plan, int front)
{
    const ordering *o = m->o;
    const blocks_front *f = &plan->fronts[front];
    const node_list *near = &o->near[o->member[o->first_member[m->t.order[front]]]];
    int *index = plan->index + f->indices, count = 0;
    for (int k = 0; k < near->count; k++)
        for (int i = 0; i < o->size[near->at[k]]; i++) index[count++] = m->first_of_node[near->at[k]] + i;
    qsort(index, (size_t)count, sizeof *index, compare);
}

/* Where the later unknowns of a front stand in that of the parent. */
static void find_into(const making *m, blocks_plan *plan, int front)
{
    const blocks_front *f = &plan->fronts[front];
    if (!f->later) return;
    const int *index = plan->index + f->indices;
    const blocks_front *parent = &plan->fronts[m->front_of[index[0]]];
    const int *of_parent = plan->index + parent->indices;
    for (int i = 0, k = 0; i < f->later; i++) {
        const int unknown = index[i];
        while (unknown >= parent->first + parent->own && of_parent[k] < unknown) k++;
        plan->into[f->indices + (size_t)i] =
            unknown < parent->first + parent->own ? unknown - parent->first : parent->own + k;
    }
}

/* The number of the first one that is not less. */
static int find_sorted(const int *list, int count, int value)
{
    int low = 0, high = count;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (list[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int place_in_front(const blocks_plan *plan, const blocks_front *f, int unknown)
{
    if (unknown < f->first + f->own) return unknown - f->first;
    return f->own + find_sorted(plan->index + f->indices, f->later, unknown);
}

/* The entries of the matrix by fronts: each belongs to the front of the unknown that is eliminated first. */
static void place_entries(making *m, blocks_plan *plan)
{
    const linear_pattern *p = m->pattern;
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < p->n; j++)
            for (int e = p->column_start[j]; e < p->column_start[j + 1]; e++) {
                const int row = m->row_at[p->row_index[e]], column = m->column_at[j];
                blocks_front *f = &plan->fronts[m->front_of[row < column ? row : column]];
                const int width = f->own + f->later;
                if (pass)
                    plan->entries[f->first_entry + f->entry_count] =
                        (blocks_entry){ e, place_in_front(plan, f, column) * width + place_in_front(plan, f, row) };
                f->entry_count++;
            }
        int first = 0;
        for (int k = 0; !pass && k < plan->count; k++) {
            plan->fronts[k].first_entry = first;
            first += plan->fronts[k].entry_count;
            plan->fronts[k].entry_count = 0;
        }
    }
}

/* What a factorisation takes, and the most of the remainders that wait for their parents. */
static void find_needs(making *m, blocks_plan *plan)
{
    size_t waiting = 0, *taken = m->waiting;
    for (int k = 0; k < plan->count; k++) {
        blocks_front *f = &plan->fronts[k];
        const double own = f->own, later = f->later;
        const size_t remainder = (size_t)f->later * (size_t)f->later;
        f->factors = plan->factor_count;
        plan->factor_count += (size_t)f->own * (size_t)(f->own + 2 * f->later);
        plan->operations += 2.0 / 3 * own * own * own + 2 * own * own * later + 2 * own * later * later;
        if (f->own + f->later > plan->widest) plan->widest = f->own + f->later;
        waiting += remainder - taken[k];
        if (waiting > plan->stack_most) plan->stack_most = waiting;
        if (!f->later) continue;
        const int parent = m->front_of[plan->index[f->indices]];
        plan->fronts[parent].children++;
        taken[parent] += remainder;
    }
}

static int allocate(const making *m, taut_context *context, blocks_plan *plan)
{
    size_t indices = 0;
    for (int k = 0; k < plan->count; k++) {
        plan->fronts[k].later = m->t.later[m->t.order[k]];
        plan->fronts[k].indices = indices;
        indices += (size_t)plan->fronts[k].later;
    }
    plan->entries = taut_mem_new(context, (size_t)m->pattern->entries, sizeof *plan->entries);
    plan->index = taut_mem_new(context, indices, sizeof *plan->index);
    plan->into = taut_mem_new(context, indices, sizeof *plan->into);
    plan->row = taut_mem_new(context, (size_t)plan->n, sizeof *plan->row);
    plan->column = taut_mem_new(context, (size_t)plan->n, sizeof *plan->column);
    plan->is_late = taut_mem_new(context, (size_t)plan->n, sizeof *plan->is_late);
    return plan->entries && plan->index && plan->into && plan->row && plan->column && plan->is_late
               ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static int make_plan(making *m, taut_context *context, blocks_plan *plan)
{
    find_parents(m->o, &m->t);
    join_fronts(&m->t);
    plan->n = m->pattern->n;
    plan->count = find_postorder(&m->t);
    plan->fronts = taut_mem_new(context, (size_t)plan->count, sizeof *plan->fronts);
    int status = plan->fronts ? allocate(m, context, plan) : TAUT_OUT_OF_MEMORY;
    if (status) return status;
    number_unknowns(m, plan);
    number_rows(m, plan);
    for (int k = 0; k < plan->count; k++) list_later(m, plan, k);
    for (int k = 0; k < plan->count; k++) find_into(m, plan, k);
    find_needs(m, plan);
    if (plan->widest <= WIDEST) place_entries(m, plan);
    return TAUT_OK;
}

static int plan_fronts(taut_context *context, const linear_pattern *pattern, const linear_nodes *nodes,
                       const ordering *o, blocks_plan **result)
{
    making m = { .pattern = pattern, .nodes = nodes, .o = o, .t.count = o->front_count };
    blocks_plan *plan = taut_mem_new(context, 1, sizeof *plan);
    int status = plan ? room_create_own(context, lay_out_tree, &m.t, &m.t.room) : TAUT_OUT_OF_MEMORY;
    if (!status) status = room_create_own(context, lay_out_making, &m, &m.room);
    if (plan) plan->users = 1;
    if (!status) status = make_plan(&m, context, plan);
    taut_mem_free(context, m.t.room);
    taut_mem_free(context, m.room);
    if (status || plan->widest > WIDEST)
        taut_blocks_plan_destroy(context, plan);
    else
        *result = plan;
    return status;
}

int taut_blocks_analyse(taut_context *context, const linear_pattern *pattern, const linear_nodes *nodes,
                        blocks_plan **result)
{
    ordering o = { .context = context, .count = nodes->count, .late = nodes->late };
    node_pattern *graph = NULL;
    *result = NULL;
    int status = count_unknowns(context, pattern->n, nodes, &o.size);
    if (status || !o.size) return status;
    status = node_graph(context, pattern, nodes, &graph);
    o.graph = graph;
    if (!status) status = order_nodes(&o);
    if (!status) status = plan_fronts(context, pattern, nodes, &o, result);
    ordering_clear(&o);
    taut_pattern_destroy(context, graph);
    return status;
}
