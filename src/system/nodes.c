#include "system/nodes.h"

#include "model/model.h"

#include "base/room.h"
#include "linalg/partition.h"

typedef struct {
    const struct system *s;
    system_nodes *nodes;
} making;

static void lay_out(void *self, room_layout *l)
{
    const making *m = self;
    const size_t n = m->s->n, c = m->s->c;
    m->nodes->coordinate = room_take(l, n, sizeof(int));
    m->nodes->constraint = room_take(l, c, sizeof(int));
    m->nodes->late = room_take(l, n + c, 1);
}

/* Entries of the blocks that say how w makes momentum and velocity. */
static size_t list_couplings(const struct system *s, int *row, int *column)
{
    static const block_id which[] = { BLOCK_PI_W, BLOCK_NU_W };
    size_t count = 0;
    for (size_t b = 0; b < sizeof which / sizeof *which; b++)
        for (int i = 0; i < s->blocks[which[b]].part_count; i++) {
            const pattern *shape = s->blocks[which[b]].parts[i].shape;
            for (int r = 0; r < shape->rows; r++)
                for (int e = shape->start[r]; e < shape->start[r + 1]; e++, count++)
                    if (row) row[count] = r, column[count] = shape->index[e];
        }
    return count;
}

static int find_partition(struct system *s, partition *p)
{
    int status = X(system_prepare_block)(s, BLOCK_PI_W);
    if (!status) status = X(system_prepare_block)(s, BLOCK_NU_W);
    if (status) return status;
    const size_t count = list_couplings(s, NULL, NULL);
    int *row = taut_mem_new(s->context, count, sizeof *row), *column = taut_mem_new(s->context, count, sizeof *column);
    pattern *shape = NULL;
    status = row && column ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) list_couplings(s, row, column);
    if (!status) status = taut_pattern_create(s->context, (int)s->n, (int)s->n, row, column, count, &shape);
    if (!status) status = taut_partition_create(s->context, shape, p);
    taut_pattern_destroy(s->context, shape);
    taut_mem_free(s->context, row);
    taut_mem_free(s->context, column);
    return status;
}

int X(system_nodes_create)(struct system *s, system_nodes *nodes)
{
    making m = { s, nodes };
    partition p = { 0 };
    *nodes = (system_nodes){ 0 };
    int status = room_create_own(s->context, lay_out, &m, &nodes->room);
    if (!status) status = find_partition(s, &p);
    if (!status) {
        for (uint32_t i = 0; i < s->n; i++) nodes->coordinate[i] = p.block_of[i];
        for (uint32_t k = 0; k < s->c; k++) nodes->constraint[k] = p.count + (int)k, nodes->late[p.count + (int)k] = 1;
        nodes->count = p.count + (int)s->c;
    }
    taut_partition_clear(s->context, &p);
    if (status) X(system_nodes_clear)(s, nodes);
    return status;
}

void X(system_nodes_clear)(struct system *s, system_nodes *nodes)
{
    taut_mem_free(s->context, nodes->room);
    *nodes = (system_nodes){ 0 };
}

int X(system_goes_on)(const struct system *s, uint32_t i)
{
    const struct model *m = s->m;
    return m->group_of[i] == m->group_of[i - 1] && m->groups[m->group_of[i]].type != GROUP_SCALAR;
}
