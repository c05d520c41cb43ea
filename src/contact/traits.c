#include "contact/traits.h"

static int has_time(const model *m, const contact *c)
{
    unsigned kinds = taut_expr_kinds(m->graph, c->gap);
    for (uint32_t k = 0; c->slide_type == SLIDE_GIVEN && k < c->slide_count; k++)
        kinds |= taut_expr_kinds(m->graph, c->slide[k]);
    return (kinds & 1u << KIND_T) != 0;
}

contact_traits *X(contact_traits_create)(const model *m)
{
    contact_traits *list = taut_mem_new(m->context, m->contact_count, sizeof *list);
    for (size_t i = 0; list && i < m->contact_count; i++) {
        const contact *c = &m->contacts[i];
        list[i] = (contact_traits){ .origin = { m->file, c->name, c->line },
                                    .slide_type = c->slide_type,
                                    .slide_count = c->slide_count,
                                    .point_count = c->point_count,
                                    .has_friction = c->friction != 0,
                                    .closed = { taut_contact_closed_mode(c, 0), taut_contact_closed_mode(c, 1) },
                                    .regularised = c->law == FRICTION_REGULARISED,
                                    .moves = has_time(m, c) };
        if (c->slide_type == SLIDE_BODY)
            list[i].turn.first = m->groups[c->turn].first, list[i].turn.size = m->groups[c->turn].size;
        for (uint32_t p = 0; p < c->point_count; p++) {
            const group *g = &m->groups[c->point[p]];
            list[i].point[p].first = g->first, list[i].point[p].size = g->size;
        }
    }
    return list;
}
