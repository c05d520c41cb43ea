/* A simulation that becomes another one: the same model with other parameters and start values, as if it had been
   created with them, to the bit, and without compiling anything. For members of ensembles. */
#include <string.h>

#include "run/simulation.h"

/* Everything else may have been chosen by values: which terms were added to a singular mass matrix, which constraints
   depend on each other, what the Dirac algorithm found. */
int X(simulation_can_become)(const simulation *z)
{
    method_part parts[METHOD_PARTS];
    const char *why;
    const struct system *s = z->s;
    if (z->hybrid || z->m->phase || z->derived || z->m->start_points_line) return 0;
    if (s->softening || s->plan) return 0;
    if (s->structure.augmented && (s->augmentations != 1 || s->embedded)) return 0;
    if (s->hamiltonian_sought && !s->structure.uncoupled) return 0;
    const int count = X(method_parts)(&z->method, parts, &why);
    for (int i = 0; i < count; i++)
        if (parts[i].program->is_picky || parts[i].program->other_count || parts[i].program->input_count) return 0;
    return count > 0;
}

/* The start that a simulation has when it is created. */
static int begin_again(simulation *z, start_mode mode, wide t, int *same)
{
    struct system *s = z->s;
    state *x = &z->x;
    memset(x->block, 0, X(state_size)(x) * sizeof(real));
    x->t = (real)t, x->t_low = (real)(t - (wide)x->t);
    int status = X(start_state)(s, mode, x, &z->start);
    if (s->softening) {
        taut_mem_free(s->context, s->softening);
        taut_mem_free(s->context, s->stresses);
        s->softening = NULL, s->stresses = NULL;
        *same = 0;
        return TAUT_OK;
    }
    if (!status) status = X(acceleration_solve)(z->acceleration, x->q, x->w, x->t, x->lambda, NULL);
    return status;
}

int X(simulation_become)(simulation *z, const start_setting *others, size_t other_count, start_mode mode, wide t,
                         int *same)
{
    struct system *s = z->s;
    *same = 1;
    int status = X(system_refresh_constants)(s);
    if (!status) status = X(system_refresh_start)(s, others, other_count);
    if (!status) status = X(system_refresh_mass)(s, same);
    if (status || !*same) return status;
    status = begin_again(z, mode, t, same);
    if (status || !*same) return status;
    memcpy(z->lambda, z->x.lambda, s->c * sizeof(real));
    X(state_copy)(&z->x, &z->begin);
    z->steps = 0, z->h = 0;
    X(simulation_strain_begin)(z);
    simulation_moved(z);
    return TAUT_OK;
}

/* ---- the numbers that make the difference ---- */

static size_t mass_entries(const struct system *s)
{
    return s->inverse_mass ? (size_t)pattern_entries(s->inverse_mass_shape) : 0;
}

size_t X(simulation_member_size)(const simulation *z)
{
    const struct system *s = z->s;
    return taut_store_constant_count(s->store) + 1 + mass_entries(s) + (s->offset ? s->n : 0);
}

/* Between a member's numbers and the system's, one way or the other. */
static real *carry(real *numbers, real *own, size_t count, int load)
{
    if (count) memcpy(load ? own : numbers, load ? numbers : own, count * sizeof(real));
    return numbers + count;
}

static void carry_all(simulation *z, real *numbers, int load)
{
    struct system *s = z->s;
    numbers = carry(numbers, s->constants, taut_store_constant_count(s->store), load);
    numbers = carry(numbers, &s->least, 1, load);
    numbers = carry(numbers, s->inverse_mass, mass_entries(s), load);
    carry(numbers, s->offset, s->offset ? s->n : 0, load);
}

void X(simulation_member_save)(const simulation *z, real *numbers) { carry_all((simulation *)z, numbers, 0); }

int X(simulation_member_load)(simulation *z, const real *numbers)
{
    const struct system *s = z->s;
    const real *inverse = numbers + taut_store_constant_count(s->store) + 1;
    for (size_t i = 1; i < mass_entries(s); i++)
        if ((inverse[i] == inverse[0]) != (s->inverse_mass[i] == s->inverse_mass[0])) return 1;
    carry_all(z, (real *)numbers, 1);
    z->s->mass_is_current = 0; /* nobody has looked whether it is singular */
    z->s->constants_version++;
    simulation_moved(z);
    return 0;
}
