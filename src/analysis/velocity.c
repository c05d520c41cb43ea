/* Velocities that a Lagrangian lacks. The Dirac algorithm handles coordinates without kinetic energy, but most
   often a .dot was forgotten. */
#include <stdio.h>

#include "analysis/dirac_inside.h"

/* Marks the coordinates whose velocities occur in L. */
static int mark_velocities(const model *m, unsigned char *present)
{
    expr *roots = taut_mem_new(m->context, m->summand_count, sizeof *roots), *list;
    size_t count;
    if (!roots) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < m->summand_count; i++) roots[i] = m->summands[i].value;
    int status = taut_expr_reachable(m->graph, roots, m->summand_count, &list, &count);
    taut_mem_free(m->context, roots);
    if (status) return status;
    for (size_t i = 0; i < count; i++) {
        const node *n = taut_graph_node(m->graph, list[i]);
        if (n->op == OP_VARIABLE && n->b == KIND_W) present[n->a] = 1;
    }
    taut_expr_list_free(m->graph, list);
    return TAUT_OK;
}

int taut_missing_velocity(const model *m, char *text, size_t size, int *all)
{
    *text = 0;
    *all = 0;
    if (m->form != FORM_LAGRANGIAN) return TAUT_OK;
    unsigned char *present = taut_mem_new(m->context, m->coordinate_count, 1);
    int status = present ? mark_velocities(m, present) : TAUT_OUT_OF_MEMORY;
    const group *without = NULL;
    *all = !status;
    for (size_t i = m->group_count; !status && i-- > 0;) {
        const group *g = &m->groups[i];
        int some = 0;
        for (uint32_t k = 0; k < g->size; k++) some |= present[g->first + k];
        if (some) *all = 0;
        else without = g;
    }
    taut_mem_free(m->context, present);
    if (status || !without) return status;
    const char *name = *all && m->embedding_count ? m->embeddings[0].name : without->name;
    const char *velocity = name == without->name && without->type == GROUP_ROTATION ? "omega" : "dot";
    if (*all)
        snprintf(text, size, "the Lagrangian contains no velocity, and nothing moves by it: write %.100s.%s where it "
                             "was forgotten", name, velocity);
    else
        snprintf(text, size, "the Lagrangian contains no velocity of '%.100s': if it was forgotten, write %.100s.%s",
                 name, name, velocity);
    return TAUT_OK;
}
