#include "linalg/partition.h"

static int root_of(int *parent, int i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

void taut_partition_clear(taut_context *context, partition *p)
{
    taut_mem_free(context, p->start);
    taut_mem_free(context, p->order);
    taut_mem_free(context, p->block_of);
    *p = (partition){ 0 };
}

static int is_diagonal(const pattern *shape)
{
    for (int i = 0; i < shape->rows; i++)
        for (int k = shape->start[i]; k < shape->start[i + 1]; k++)
            if (shape->index[k] != i) return 0;
    return 1;
}

int taut_partition_create(taut_context *context, const pattern *shape, partition *p)
{
    int n = shape->rows;
    *p = (partition){ 0 };
    p->start = taut_mem_new(context, (size_t)n + 1, sizeof *p->start);
    p->order = taut_mem_resize(context, NULL, (size_t)n, sizeof *p->order);
    p->block_of = taut_mem_resize(context, NULL, (size_t)n, sizeof *p->block_of);
    if (p->start && p->order && p->block_of && is_diagonal(shape)) {
        for (int i = 0; i < n; i++) p->start[i + 1] = i + 1, p->order[i] = p->block_of[i] = i;
        p->count = n;
        p->largest = n > 0;
        return TAUT_OK;
    }
    int *parent = taut_mem_resize(context, NULL, (size_t)n, sizeof *parent);
    if (!p->start || !p->order || !p->block_of || !parent) {
        taut_partition_clear(context, p);
        taut_mem_free(context, parent);
        return TAUT_OUT_OF_MEMORY;
    }
    for (int i = 0; i < n; i++) parent[i] = i;
    for (int i = 0; i < n; i++)
        for (int k = shape->start[i]; k < shape->start[i + 1]; k++) {
            int a = root_of(parent, i), b = root_of(parent, shape->index[k]);
            if (a != b) parent[a > b ? a : b] = a > b ? b : a; /* the smallest member is the root */
        }
    for (int i = 0; i < n; i++) {
        int r = root_of(parent, i);
        p->block_of[i] = r == i ? p->count++ : p->block_of[r];
        p->start[p->block_of[i] + 1]++;
    }
    for (int b = 0; b < p->count; b++) {
        if (p->start[b + 1] > p->largest) p->largest = p->start[b + 1];
        p->start[b + 1] += p->start[b];
    }
    for (int i = 0; i < n; i++) p->order[p->start[p->block_of[i]]++] = i;
    for (int b = p->count; b > 0; b--) p->start[b] = p->start[b - 1];
    p->start[0] = 0;
    taut_mem_free(context, parent);
    return TAUT_OK;
}
