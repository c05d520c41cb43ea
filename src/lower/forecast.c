/* Steps that are too large for straight-line code are given up as soon as that is known. */
#include "lower/reduce_inside.h"

/* Polishing makes of a phase three times as many nodes and more, and the phases that follow it begin there: so the first
   of several phases must be that much smaller. */
enum { POLISHED_LEAST = 3 };

/* Coordinates whose velocities the kinetic energy takes with a mass that depends on the state. */
static int count_moving_masses(const symbols *y, size_t *count)
{
    const family *f = &y->s->energy_family;
    unsigned char *moves = taut_mem_new(y->context, y->s->n, 1);
    *count = 0;
    if (!moves) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < f->batch_count; i++) {
        const batch *b = &f->batches[i];
        const kernel *k = taut_store_kernel(y->s->store, b->kernel);
        if (!k->hessian_varies[KIND_W][KIND_W]) continue;
        const uint32_t *variables = b->variables;
        for (uint32_t t = 0; t < b->count; t++, variables += k->slots)
            for (uint32_t slot = 0; slot < k->slots; slot++) {
                if (k->slot_kind[slot] != KIND_W) continue;
                *count += !moves[variables[slot]];
                moves[variables[slot]] = 1;
            }
    }
    taut_mem_free(y->context, moves);
    return TAUT_OK;
}

int X(reduce_forecast)(symbols *y, int phase)
{
    const step_table *t = y->table;
    size_t moving = 0, left = 0;
    int status = y->s->form == FORM_LAGRANGIAN ? count_moving_masses(y, &moving) : TAUT_OK;
    for (int g = 0; g < t->group_count; g++)
        if (t->groups[g].phase == phase)
            left += t->groups[g].size == STEP_C ? y->s->c : t->groups[g].size == STEP_N ? moving : 0;
    y->nodes_most = phase == 0 && t->phase_count > 1 ? REDUCE_NODES_MOST / POLISHED_LEAST : REDUCE_NODES_MOST;
    return status ? status : left > REDUCE_LEFT_MOST ? TAUT_UNSUPPORTED : TAUT_OK;
}
