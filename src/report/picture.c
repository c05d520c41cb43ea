#include "report/picture.h"

#include <stdlib.h>
#include <string.h>

/* ---- collecting: equal places are one ---- */

typedef struct {
    uint32_t *slots;  /* 1 + place, 0 when free */
    size_t size;      /* a power of two */
} place_table;

static size_t hash(const drawn_place *place)
{
    uint64_t h = place->at[0];
    h = h * 0x9e3779b97f4a7c15u + place->at[1];
    h = h * 0x9e3779b97f4a7c15u + place->at[2];
    return (size_t)((h * 0x9e3779b97f4a7c15u) >> 20);
}

static int place_number(picture *p, place_table *table, const drawn_place *place, uint32_t *number)
{
    size_t at = hash(place) & (table->size - 1);
    for (; table->slots[at]; at = (at + 1) & (table->size - 1)) {
        *number = table->slots[at] - 1;
        if (memcmp(&p->places[*number], place, sizeof *place) == 0) return TAUT_OK;
    }
    int status = taut_mem_grow(p->m->context, &p->places, &p->place_capacity, p->place_count + 1, sizeof *p->places);
    if (status) return status;
    *number = (uint32_t)p->place_count;
    p->places[p->place_count++] = *place;
    table->slots[at] = (uint32_t)p->place_count;
    return TAUT_OK;
}

int taut_picture_add(picture *p, const shape *what, const drawn_place *places)
{
    size_t count = (size_t)what->rows * what->columns;
    taut_context *context = p->m->context;
    for (size_t i = 0; i < count; i++)
        for (int k = 0; k < 3; k++)
            if (!places[i].at[k]) return TAUT_OUT_OF_MEMORY; /* of the graph */
    if (p->index_count + count > PICTURE_PLACES) {
        p->omitted++;
        return TAUT_OK;
    }
    int status = taut_mem_grow(context, &p->shapes, &p->shape_capacity, p->shape_count + 1, sizeof *p->shapes);
    if (!status)
        status = taut_mem_grow(context, &p->places, &p->place_capacity, p->place_count + count, sizeof *p->places);
    if (status) return status;
    shape *kept = &p->shapes[p->shape_count++];
    *kept = *what;
    kept->first = (uint32_t)p->place_count;
    memcpy(p->places + p->place_count, places, count * sizeof *places);
    p->place_count += count;
    p->index_count += count;
    return TAUT_OK;
}

/* Replaces the places of the shapes, one after the other so far, by different ones and an index. */
static int make_index(picture *p)
{
    taut_context *context = p->m->context;
    drawn_place *all = p->places;
    size_t count = p->place_count;
    place_table table = { .size = 16 };
    while (table.size < 2 * count) table.size *= 2;
    table.slots = taut_mem_new(context, table.size, sizeof *table.slots);
    p->index = taut_mem_new(context, count, sizeof *p->index);
    p->places = NULL;
    p->place_count = p->place_capacity = 0;
    int status = table.slots && p->index ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) status = place_number(p, &table, &all[i], &p->index[i]);
    taut_mem_free(context, all);
    taut_mem_free(context, table.slots);
    return status;
}

/* ---- preparing values ---- */

static int varies(const picture *p, const drawn_place *place)
{
    for (int k = 0; k < 3; k++)
        if (!taut_expr_is_constant(p->m->graph, place->at[k])) return 1;
    return 0;
}

static int find_moving(picture *p)
{
    p->moving = taut_mem_new(p->m->context, p->place_count, sizeof *p->moving);
    if (!p->moving) return TAUT_OUT_OF_MEMORY;
    p->flat = 1;
    for (size_t i = 0; i < p->place_count; i++) {
        if (varies(p, &p->places[i])) p->moving[p->moving_count++] = (uint32_t)i;
        if (!taut_expr_is_number(p->m->graph, p->places[i].at[2], 0)) p->flat = 0;
    }
    return TAUT_OK;
}

static int is_variable(const node *n) { return n->op == OP_VARIABLE && n->b != KIND_T; }

static int compare(const void *a, const void *b)
{
    const picture_variable *x = a, *y = b;
    if (x->k != y->k) return x->k < y->k ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Nodes are unique, so no variable comes twice. */
static int prepare(picture *p)
{
    graph *g = p->m->graph;
    taut_context *context = p->m->context;
    expr *list = NULL;
    int status = taut_expr_reachable(g, (const expr *)p->places, 3 * p->place_count, &list, &p->order_count);
    if (status) return status;
    p->order = list;
    size_t count = 0;
    for (size_t i = 0; i < p->order_count; i++) count += (size_t)is_variable(taut_graph_node(g, list[i]));
    p->position = taut_mem_new(context, taut_graph_count(g), sizeof *p->position);
    p->values = taut_mem_new(context, p->order_count, sizeof *p->values);
    p->coordinates = taut_mem_new(context, count, sizeof *p->coordinates);
    if (!p->position || !p->values || !p->coordinates) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < p->order_count; i++) {
        const node *n = taut_graph_node(g, list[i]);
        p->position[list[i]] = (uint32_t)i;
        if (is_variable(n)) p->coordinates[p->coordinate_count++] = (picture_variable){ (kind)n->b, n->a };
    }
    if (count) qsort(p->coordinates, count, sizeof *p->coordinates, compare);
    return TAUT_OK;
}

int taut_picture_create(model *m, picture **result)
{
    picture *p = taut_mem_new(m->context, 1, sizeof *p);
    *result = NULL;
    if (!p) return TAUT_OUT_OF_MEMORY;
    p->m = m;
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < m->shape_count; i++)
        status = taut_picture_add(p, &m->shapes[i], m->places + m->shapes[i].first);
    if (!status && !m->shape_count) {
        p->guessed = 1;
        status = taut_picture_guess(p);
    }
    if (!status && p->place_count) status = make_index(p);
    if (!status) status = find_moving(p);
    if (!status && p->place_count) status = prepare(p);
    if (status) taut_picture_destroy(p);
    else *result = p;
    return status;
}

void taut_picture_destroy(picture *p)
{
    if (!p) return;
    taut_context *context = p->m->context;
    if (p->order) taut_expr_list_free(p->m->graph, p->order);
    taut_mem_free(context, p->shapes);
    taut_mem_free(context, p->index);
    taut_mem_free(context, p->places);
    taut_mem_free(context, p->moving);
    taut_mem_free(context, p->position);
    taut_mem_free(context, p->values);
    taut_mem_free(context, p->coordinates);
    taut_mem_free(context, p);
}

/* ---- values ---- */

static wide leaf(const picture *p, expr e, double t, const double *coordinates)
{
    const node *n = taut_graph_node(p->m->graph, e);
    if (n->op == OP_CONSTANT) return taut_graph_constant(p->m->graph, e);
    if (n->op == OP_PARAMETER) return p->m->parameters[n->a].value;
    if (n->b == KIND_T) return (wide)t;
    const picture_variable wanted = { (kind)n->b, n->a };
    size_t low = 0, high = p->coordinate_count;
    while (high - low > 1) {
        size_t middle = (low + high) / 2;
        if (compare(&p->coordinates[middle], &wanted) <= 0) low = middle;
        else high = middle;
    }
    return (wide)coordinates[low];
}

void taut_picture_places(const picture *p, double t, const double *coordinates, float *places)
{
    for (size_t i = 0; i < p->order_count; i++) {
        const node *n = taut_graph_node(p->m->graph, p->order[i]);
        int arity = taut_op_arity(n->op);
        wide a = arity >= 1 ? p->values[p->position[n->a]] : 0, b = arity == 2 ? p->values[p->position[n->b]] : 0;
        p->values[i] = arity ? taut_op_apply(n->op, a, b, (int32_t)n->b) : leaf(p, p->order[i], t, coordinates);
    }
    for (size_t i = 0; i < p->place_count; i++)
        for (int k = 0; k < 3; k++) places[3 * i + (size_t)k] = (float)p->values[p->position[p->places[i].at[k]]];
}
