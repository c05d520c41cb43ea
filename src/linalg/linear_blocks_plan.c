/* The plan of block elimination: fronts, which of them go together, and where each entry of the matrix stands. */
#include <stdlib.h>
#include <string.h>

#include "base/room.h"
#include "linalg/linear_blocks.h"

enum {
    JOINED_LATER = 12,     /* later unknowns of a front that is joined to its parent, at least */
    WIDEST = 20000,        /* unknowns of a front */
    NUMBERS_MOST = 1 << 29 /* of all fronts: they are counted in int */
};

/* The fronts in the order in which they were found: a parent has a larger number than its children. */
typedef struct {
    int *parent;             /* -1: does not exist */
    int *own, *later;        /* unknowns */
    int *height;             /* above its lowest descendants: 0 without children */
    int *alike;              /* lanes that fronts of its shape and height fill */
    int *bare;               /* whether children leave what they have among its own unknowns alone */
    int *into;               /* the front that it is joined to, or itself */
    int *next;               /* of a front: those that are joined to it, ascending, itself last; -1: the end */
    int *head;
    int *panels, *panel;     /* of a front: how many, and the unknowns of all panels, one front behind the other */
    int *first_panel;
} tree;

/* A front among those of its height. */
typedef struct {
    int front, height, own, later, panels;
    const int *panel;
} shape;

typedef struct {
    const linear_pattern *pattern;
    const linear_nodes *nodes;
    const blocks_order *o;
    tree t;
    shape *shapes;           /* sorted; equal ones follow each other */
    int shape_count;
    int *group_of, *lane_of; /* of an unknown of the order, of its front */
    int *front_at;           /* of a group and lane, BLOCKS_LANES for each group: its front; -1: a lane without one */
    int *first_of_node;      /* its unknowns in the order, and how far apart they are */
    int *apart;
    int *next;               /* work, for each node */
    void *room;
} making;

static void lay_out_making(void *self, room_layout *l)
{
    making *m = self;
    const size_t n = (size_t)m->pattern->n, nodes = (size_t)m->nodes->count, fronts = (size_t)m->o->front_count;
    int **of_fronts[] = { &m->t.parent, &m->t.own,  &m->t.later,  &m->t.height,  &m->t.alike, &m->t.into,
                          &m->t.bare, &m->t.next,   &m->t.head, &m->t.panels, &m->t.panel, &m->t.first_panel };
    for (size_t i = 0; i < sizeof of_fronts / sizeof *of_fronts; i++) *of_fronts[i] = room_take(l, fronts, sizeof(int));
    m->shapes = room_take(l, fronts, sizeof *m->shapes);
    m->front_at = room_take(l, BLOCKS_LANES * fronts, sizeof(int));
    m->group_of = room_take(l, BLOCKS_LANES * n, sizeof(int));
    m->lane_of = room_take(l, BLOCKS_LANES * n, sizeof(int));
    m->first_of_node = room_take(l, nodes, sizeof(int));
    m->apart = room_take(l, nodes, sizeof(int));
    m->next = room_take(l, nodes, sizeof(int));
}

void taut_blocks_plan_destroy(taut_context *context, blocks_plan *plan)
{
    if (!plan || --plan->users > 0) return;
    void *arrays[] = { plan->groups, plan->panel,    plan->place,       plan->ones, plan->index,
                       plan->row,    plan->into_row, plan->into_column, plan->column, plan->late_mask,
                       plan->run,    plan->follow,   plan->diagonal };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) taut_mem_free(context, arrays[i]);
    taut_mem_free(context, plan);
}

/* ---- the tree ---- */

static const blocks_list *later_nodes(const blocks_order *o, int front)
{
    return &o->near[o->member[o->first_member[front]]];
}

static void find_parents(const blocks_order *o, tree *t)
{
    for (int f = 0; f < o->front_count; f++) {
        const blocks_list *near = later_nodes(o, f);
        t->into[f] = f;
        t->parent[f] = -1;
        for (int m = o->first_member[f]; m < o->first_member[f + 1]; m++) t->own[f] += o->size[o->member[m]];
        for (int k = 0; k < near->count; k++) {
            t->later[f] += o->size[near->at[k]];
            if (t->parent[f] < 0 || o->front[near->at[k]] < t->parent[f]) t->parent[f] = o->front[near->at[k]];
        }
    }
}

/* Of the fronts into which others have been joined. */
static void find_heights(const blocks_order *o, tree *t)
{
    for (int f = 0; f < o->front_count; f++) t->height[f] = 0;
    for (int f = 0; f < o->front_count; f++) {
        const int parent = t->parent[f];
        if (t->into[f] == f && parent >= 0 && t->height[parent] <= t->height[f]) t->height[parent] = t->height[f] + 1;
    }
}

/* Of the fronts that are left, which all have their parents now. */
static void find_bare(const blocks_order *o, tree *t)
{
    for (int f = 0; f < o->front_count; f++) t->bare[f] = 1;
    for (int f = 0; f < o->front_count; f++) {
        const int parent = t->parent[f];
        if (t->into[f] != f || parent < 0) continue;
        const blocks_list *near = later_nodes(o, f);
        for (int k = 0; k < near->count; k++)
            if (t->into[o->front[near->at[k]]] != parent) t->bare[parent] = 0;
    }
}

static int compare_shapes(const shape *x, const shape *y)
{
    if (x->height != y->height) return x->height < y->height ? -1 : 1;
    if (x->own != y->own) return x->own < y->own ? -1 : 1;
    if (x->later != y->later) return x->later < y->later ? -1 : 1;
    if (x->panels != y->panels) return x->panels < y->panels ? -1 : 1;
    for (int p = 0; p < x->panels; p++)
        if (x->panel[p] != y->panel[p]) return x->panel[p] < y->panel[p] ? -1 : 1;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const shape *x = a, *y = b;
    const int order = compare_shapes(x, y);
    return order ? order : (x->front > y->front) - (x->front < y->front);
}

static void sort_shapes(making *m)
{
    const tree *t = &m->t;
    m->shape_count = 0;
    for (int f = 0; f < m->o->front_count; f++)
        if (t->into[f] == f)
            m->shapes[m->shape_count++] = (shape){ f, t->height[f], t->own[f], t->later[f], t->panels[f],
                                                   t->panel + t->first_panel[f] };
    qsort(m->shapes, (size_t)m->shape_count, sizeof *m->shapes, compare);
}

static int count_equal(const making *m, int first)
{
    int count = 1;
    while (first + count < m->shape_count && !compare_shapes(&m->shapes[first], &m->shapes[first + count])) count++;
    return count;
}

/* How many of `left` fronts of one shape go together next: BLOCKS_LANES fronts in lanes take some 2.4 times the time of
   a single one, and less where fronts are small and loops short. */
static int take_lanes(int left, int own)
{
    const int least = own > 3 ? 3 : 2;
    return left >= BLOCKS_LANES ? BLOCKS_LANES : left >= least ? left : 1;
}

static void find_alike(making *m)
{
    sort_shapes(m);
    for (int k = 0; k < m->shape_count;) {
        const int count = count_equal(m, k);
        for (int end = k + count; k < end; k++) m->t.alike[m->shapes[k].front] = take_lanes(count, m->shapes[k].own);
    }
}

/* Where the later unknowns of a front are those of its parent and the parent's later ones, one front for both has no
   more entries. Small fronts, and fronts that fill lanes where the parent does not, are faster by themselves. */
static void join_fronts(const blocks_order *o, tree *t)
{
    for (int f = o->front_count - 1; f >= 0; f--) {
        if (t->parent[f] < 0) continue;
        const int parent = t->parent[f], root = t->parent[f] = t->into[parent];
        if (t->later[f] != t->own[root] + t->later[root] || t->own[f] + t->own[root] > BLOCKS_MOST) continue;
        if (t->alike[f] > t->alike[root] || t->later[f] < JOINED_LATER) continue;
        t->into[f] = root;
        t->own[root] += t->own[f];
    }
    for (int f = 0; f < o->front_count; f++) /* of one that was joined after its child had been looked at */
        if (t->parent[f] >= 0) t->parent[f] = t->into[t->parent[f]];
}

static int unknowns_of_found(const blocks_order *o, int found)
{
    int unknowns = 0;
    for (int k = o->first_member[found]; k < o->first_member[found + 1]; k++) unknowns += o->size[o->member[k]];
    return unknowns;
}

/* Which fronts are joined to which, in the order in which they were found: a panel each. */
static void list_panels(const blocks_order *o, tree *t)
{
    int count = 0;
    for (int f = 0; f < o->front_count; f++) t->head[f] = -1;
    for (int f = o->front_count - 1; f >= 0; f--) t->next[f] = t->head[t->into[f]], t->head[t->into[f]] = f;
    for (int f = 0; f < o->front_count; f++) {
        t->first_panel[f] = count;
        for (int found = t->head[f]; found >= 0; found = t->next[found])
            t->panel[count++] = unknowns_of_found(o, found);
        t->panels[f] = count - t->first_panel[f];
    }
}

/* ---- groups ---- */

static void make_group(making *m, blocks_plan *plan, int first_shape, int used)
{
    blocks_group *g = &plan->groups[plan->count];
    const shape *z = &m->shapes[first_shape];
    *g = (blocks_group){ .own = z->own, .later = z->later, .lanes = used > 1 ? BLOCKS_LANES : 1,
                         .fixed = z->panels == 1 && z->own <= BLOCKS_FIXED ? z->own : 0,
                         .bare = 1, .panels = z->panels, .first_panel = m->t.first_panel[z->front] };
    for (int l = 0; l < BLOCKS_LANES; l++) {
        m->front_at[plan->count * BLOCKS_LANES + l] = l < used ? m->shapes[first_shape + l].front : -1;
        if (l < used) g->bare &= m->t.bare[m->shapes[first_shape + l].front];
    }
    plan->count++;
}

static void make_groups(making *m, blocks_plan *plan)
{
    sort_shapes(m);
    for (int k = 0; k < m->shape_count;)
        for (int left = count_equal(m, k), used; left > 0; left -= used, k += used)
            make_group(m, plan, k, used = take_lanes(left, m->shapes[k].own));
}

/* The unknowns of the nodes of a front. */
static void number_front(making *m, const blocks_group *g, int front, int lane)
{
    const blocks_order *o = m->o;
    int k = 0;
    for (int found = m->t.head[front]; found >= 0; found = m->t.next[found])
        for (int i = o->first_member[found]; i < o->first_member[found + 1]; i++) {
            const int node = o->member[i];
            m->first_of_node[node] = g->first + k * g->lanes + lane;
            m->apart[node] = g->lanes;
            k += o->size[node];
        }
}

static void count_work(blocks_plan *plan, const blocks_group *g, int used)
{
    const double own = g->own, later = g->later;
    double rest = own + later;
    for (int p = 0; p < g->panels; p++) {
        const double b = plan->panel[g->first_panel + p];
        rest -= b;
        plan->operations += 2.0 * used * b * (b * b + b * rest + rest * rest);
    }
    plan->factor_count += (size_t)used * (size_t)(g->own * (g->own + 2 * g->later));
}

static void lay_out_group(blocks_plan *plan, blocks_group *g, size_t *indices, size_t *runs)
{
    const int lanes = g->lanes, past = lanes == 1 && g->panels > 1 ? BLOCKS_PAST : 0;
    const int later_rows = taut_blocks_rows(g->later, lanes);
    g->rows = taut_blocks_rows(g->own, lanes);
    g->first = plan->unknowns;
    g->at = plan->front_count;
    g->stride = (size_t)((g->rows + later_rows + past) * lanes);
    g->later_stride = g->bare ? (size_t)((g->rows + past) * lanes) : g->stride;
    g->inverses = plan->inverse_count;
    g->indices = *indices;
    g->runs = *runs;
    plan->unknowns += g->rows * lanes;
    plan->front_count += (size_t)g->own * g->stride + (size_t)g->later * g->later_stride;
    *indices += (size_t)(g->later * lanes);
    *runs += (size_t)g->later;
    for (int p = 0; p < g->panels; p++) {
        const int b = plan->panel[g->first_panel + p];
        plan->inverse_count += (size_t)(b * taut_blocks_rows(b, lanes) * lanes);
    }
    if (g->rows + g->later > plan->widest) plan->widest = g->rows + g->later;
}

/* 0 where the fronts are enormous. */
static int lay_out_groups(making *m, blocks_plan *plan, size_t *indices, size_t *runs)
{
    *indices = *runs = 0;
    for (int k = 0; k < plan->count; k++) {
        blocks_group *g = &plan->groups[k];
        if (g->own + g->later > WIDEST) return 0;
        lay_out_group(plan, g, indices, runs);
        if (plan->front_count > NUMBERS_MOST || plan->inverse_count > NUMBERS_MOST || *indices > NUMBERS_MOST) return 0;
        int used = 0;
        for (int l = 0; l < g->lanes; l++) {
            const int front = m->front_at[k * BLOCKS_LANES + l];
            if (front >= 0) number_front(m, g, front, l), used++;
            else plan->one_count += g->own;
            for (int i = 0; i < g->own; i++) {
                m->group_of[g->first + i * g->lanes + l] = k;
                m->lane_of[g->first + i * g->lanes + l] = l;
            }
        }
        count_work(plan, g, used);
    }
    return 1;
}

/* ---- unknowns and entries ---- */

/* Rows and columns of the matrix in the order. */
static void number_rows(making *m, blocks_plan *plan)
{
    for (int pass = 0; pass < 2; pass++) {
        const int *node = pass ? m->nodes->column : m->nodes->row;
        int *to = pass ? plan->column : plan->row;
        memcpy(m->next, m->first_of_node, (size_t)m->nodes->count * sizeof *m->next);
        for (int i = 0; i < plan->n; i++) {
            to[i] = m->next[node[i]];
            m->next[node[i]] += m->apart[node[i]];
            plan->late_mask[to[i]] = m->nodes->late[node[i]] ? -1 : 0;
        }
    }
}

static int compare_numbers(const void *a, const void *b)
{
    const int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

/* A lane without a front leaves zeros: in its own lane of the parents, where the first lane does so, or behind all. */
static int unknown_without_front(const making *m, const blocks_plan *plan, const blocks_group *g, int i, int lane)
{
    const int *index = plan->index + g->indices;
    for (int k = 0; k < g->later; k++) {
        const int unknown = index[k * g->lanes], parent = m->group_of[unknown];
        if (parent != m->group_of[index[0]] || plan->groups[parent].lanes == 1 || m->lane_of[unknown])
            return plan->unknowns;
    }
    return index[i * g->lanes] + lane;
}

/* The later unknowns of a front. work: as many numbers. */
static void list_later(const making *m, blocks_plan *plan, const blocks_group *g, int front, int lane, int *work)
{
    int *index = plan->index + g->indices + lane, count = 0;
    const blocks_list *near = front >= 0 ? later_nodes(m->o, front) : NULL;
    for (int k = 0; near && k < near->count; k++)
        for (int i = 0; i < m->o->size[near->at[k]]; i++)
            work[count++] = m->first_of_node[near->at[k]] + i * m->apart[near->at[k]];
    if (near) qsort(work, (size_t)count, sizeof *work, compare_numbers);
    for (int i = 0; i < g->later; i++)
        index[i * g->lanes] = near ? work[i] : unknown_without_front(m, plan, g, i, lane);
}

/* The number of an unknown in a front of its own: the k-th of its own ones, or m + the k-th of the later ones. */
static int place_in_front(const blocks_plan *plan, const blocks_group *g, int lane, int unknown)
{
    if (unknown < g->first + g->own * g->lanes) return (unknown - g->first) / g->lanes;
    const int *index = plan->index + g->indices + lane;
    int low = 0, high = g->later;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (index[middle * g->lanes] < unknown)
            low = middle + 1;
        else
            high = middle;
    }
    return g->own + low;
}

static int row_of(const blocks_group *g, int row)
{
    return (row < g->own ? row : g->rows + row - g->own) * g->lanes;
}

static size_t column_of(const blocks_group *g, int column, int lane)
{
    return g->at + (size_t)lane
           + (column < g->own ? (size_t)column * g->stride
                              : (size_t)g->own * g->stride + (size_t)(column - g->own) * g->later_stride);
}

/* Where the later unknowns of a front stand in that of the parent; a lane without a front adds zeros behind all. */
static void find_into(const making *m, blocks_plan *plan, const blocks_group *g, int lane)
{
    const int *index = plan->index + g->indices + lane;
    int *row = plan->into_row + g->indices + (size_t)(lane * g->later);
    size_t *column = plan->into_column + g->indices + lane;
    const int first = g->later ? index[0] : plan->unknowns;
    const blocks_group *parent = first < plan->unknowns ? &plan->groups[m->group_of[first]] : NULL;
    for (int i = 0; i < g->later; i++) {
        const int at = parent ? place_in_front(plan, parent, m->lane_of[first], index[i * g->lanes]) : 0;
        row[i] = parent ? row_of(parent, at) : 0;
        column[i * g->lanes] = parent ? column_of(parent, at, m->lane_of[first]) : plan->front_count;
    }
}

/* Where BLOCKS_LANES rows of all lanes follow each other in the parents. Those of a lane without a front are all its
   first one: it leaves zeros, wherever they go. */
static void find_runs(const making *m, blocks_plan *plan, int group)
{
    const blocks_group *g = &plan->groups[group];
    const int *index = plan->index + g->indices;
    for (int i = 0; i < g->later; i++) {
        int run = i + BLOCKS_LANES <= g->later, follow = g->lanes > 1 || run;
        for (int l = 0; run && l < g->lanes && m->front_at[group * BLOCKS_LANES + l] >= 0; l++) {
            const int *row = plan->into_row + g->indices + (size_t)(l * g->later + i);
            for (int k = 1; k < BLOCKS_LANES; k++) run &= row[k] == row[0] + k;
        }
        for (int k = 1; follow && k < BLOCKS_LANES; k++) follow &= index[i * g->lanes + k] == index[i * g->lanes] + k;
        plan->run[g->runs + (size_t)i] = run ? BLOCKS_LANES : 1;
        plan->follow[g->runs + (size_t)i] = follow ? BLOCKS_LANES : 1;
    }
}

static void find_neighbours_of_lanes(blocks_plan *plan, blocks_group *g)
{
    const int *index = plan->index + g->indices, *row = plan->into_row + g->indices;
    const size_t *column = plan->into_column + g->indices;
    g->straight = g->lanes == 1 && g->later;
    g->matched = g->lanes > 1;
    for (int i = 0; i < g->later; i++) {
        g->straight &= index[i] == index[0] + i && row[i] == row[0] + i;
        for (int l = 1; l < g->lanes; l++)
            g->matched &= row[l * g->later + i] == row[i]
                          && column[i * g->lanes + l] == column[i * g->lanes] + (size_t)l;
    }
}

/* Each entry of the matrix belongs to the front of the unknown that is eliminated first. */
static void place_entries(const making *m, blocks_plan *plan)
{
    const linear_pattern *p = m->pattern;
    for (int k = 0; k <= plan->unknowns; k++) plan->diagonal[k] = (int)plan->front_count;
    for (int j = 0; j < p->n; j++)
        for (int e = p->column_start[j]; e < p->column_start[j + 1]; e++) {
            const int row = plan->row[p->row_index[e]], column = plan->column[j], first = row < column ? row : column;
            const blocks_group *g = &plan->groups[m->group_of[first]];
            const int lane = m->lane_of[first];
            plan->place[e] = (int)(column_of(g, place_in_front(plan, g, lane, column), lane)
                                   + (size_t)row_of(g, place_in_front(plan, g, lane, row)));
            if (row == column) plan->diagonal[row] = plan->place[e], plan->diagonals++;
        }
    for (int k = 0, count = 0; k < plan->count; k++)
        for (int l = 0; l < plan->groups[k].lanes; l++)
            for (int i = 0; m->front_at[k * BLOCKS_LANES + l] < 0 && i < plan->groups[k].own; i++)
                plan->ones[count++] = (int)column_of(&plan->groups[k], i, l) + row_of(&plan->groups[k], i);
}

/* ---- the plan ---- */

static int allocate(taut_context *context, blocks_plan *plan, size_t indices, size_t runs)
{
    plan->place = taut_mem_new(context, (size_t)plan->entries, sizeof *plan->place);
    plan->ones = taut_mem_new(context, (size_t)plan->one_count, sizeof *plan->ones);
    plan->index = taut_mem_new(context, indices, sizeof *plan->index);
    plan->into_row = taut_mem_new(context, indices, sizeof *plan->into_row);
    plan->into_column = taut_mem_new(context, indices, sizeof *plan->into_column);
    plan->row = taut_mem_new(context, (size_t)plan->n, sizeof *plan->row);
    plan->column = taut_mem_new(context, (size_t)plan->n, sizeof *plan->column);
    plan->late_mask = taut_mem_new(context, (size_t)plan->unknowns + 1, sizeof *plan->late_mask);
    plan->run = taut_mem_new(context, runs, sizeof *plan->run);
    plan->follow = taut_mem_new(context, runs, sizeof *plan->follow);
    plan->diagonal = taut_mem_new(context, (size_t)plan->unknowns + 1, sizeof *plan->diagonal);
    return plan->place && plan->ones && plan->index && plan->into_row && plan->into_column && plan->row
                   && plan->column && plan->late_mask && plan->run && plan->follow && plan->diagonal
               ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static void make_tree(making *m)
{
    tree *t = &m->t;
    find_parents(m->o, t);
    find_heights(m->o, t);
    list_panels(m->o, t);
    find_alike(m);
    join_fronts(m->o, t);
    find_heights(m->o, t);
    find_bare(m->o, t);
    list_panels(m->o, t);
}

/* *fits: 0 where the fronts are enormous. */
static int make_plan(making *m, taut_context *context, blocks_plan *plan, int *fits)
{
    const size_t fronts = (size_t)m->o->front_count;
    size_t indices, runs;
    plan->n = m->pattern->n;
    plan->entries = m->pattern->entries;
    plan->groups = taut_mem_new(context, fronts, sizeof *plan->groups);
    plan->panel = taut_mem_new(context, fronts, sizeof *plan->panel);
    if (!plan->groups || !plan->panel) return TAUT_OUT_OF_MEMORY;
    make_tree(m);
    memcpy(plan->panel, m->t.panel, fronts * sizeof *plan->panel);
    make_groups(m, plan);
    if (!(*fits = lay_out_groups(m, plan, &indices, &runs))) return TAUT_OK;
    int status = allocate(context, plan, indices, runs);
    int *work = taut_mem_new(context, (size_t)plan->widest, sizeof *work);
    if (!work) status = TAUT_OUT_OF_MEMORY;
    if (!status) number_rows(m, plan);
    for (int k = 0; !status && k < plan->count; k++)
        for (int l = 0; l < plan->groups[k].lanes; l++)
            list_later(m, plan, &plan->groups[k], m->front_at[k * BLOCKS_LANES + l], l, work);
    for (int k = 0; !status && k < plan->count; k++)
        for (int l = 0; l < plan->groups[k].lanes; l++) find_into(m, plan, &plan->groups[k], l);
    for (int k = 0; !status && k < plan->count; k++) {
        find_runs(m, plan, k);
        find_neighbours_of_lanes(plan, &plan->groups[k]);
    }
    if (!status) place_entries(m, plan);
    taut_mem_free(context, work);
    return status;
}

static int plan_fronts(taut_context *context, const linear_pattern *pattern, const linear_nodes *nodes,
                       const blocks_order *o, blocks_plan **result)
{
    making m = { .pattern = pattern, .nodes = nodes, .o = o };
    blocks_plan *plan = taut_mem_new(context, 1, sizeof *plan);
    int status = plan ? room_create_own(context, lay_out_making, &m, &m.room) : TAUT_OUT_OF_MEMORY, fits = 0;
    if (plan) plan->users = 1;
    if (!status) status = make_plan(&m, context, plan, &fits);
    taut_mem_free(context, m.room);
    if (status || !fits)
        taut_blocks_plan_destroy(context, plan);
    else
        *result = plan;
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

int taut_blocks_analyse(taut_context *context, const linear_pattern *pattern, const linear_nodes *nodes,
                        blocks_plan **result)
{
    blocks_order o;
    int *size;
    *result = NULL;
    int status = count_unknowns(context, pattern->n, nodes, &size);
    if (status || !size) return status;
    status = taut_blocks_order(context, pattern, nodes, size, &o);
    if (!status) status = plan_fronts(context, pattern, nodes, &o, result);
    taut_blocks_order_clear(context, &o);
    return status;
}
