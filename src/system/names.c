/* What the parts of a system are called, and where they stand in the user's file. */
#include <stdio.h>

#include "system/system_inside.h"

const char *X(system_file)(const struct system *s) { return s->m->file; }

origin X(system_form_origin)(const struct system *s) { return (origin){ s->m->file, "", s->m->form_line }; }

origin X(system_start_points_origin)(const struct system *s)
{
    return (origin){ s->m->file, "start_points", s->m->start_points_line };
}

int X(system_is_velocity_constraint)(const struct system *s, uint32_t k) { return s->m->constraints[k].velocity; }

origin X(system_constraint_origin)(const struct system *s, uint32_t k)
{
    return (origin){ s->m->file, s->m->constraints[k].name, s->m->constraints[k].line };
}

void X(system_constraint_name)(const struct system *s, uint32_t k, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s", s->m->constraints[k].name);
}

void X(system_coordinate_name)(const struct system *s, uint32_t i, char *buffer, size_t size)
{
    taut_model_coordinate_name(s->m, i, buffer, size);
}
