#include "run/simulation.h"

#include <stdio.h>
#include <string.h>

void simulation_destroy(simulation *z)
{
    if (!z) return;
    taut_context *context = z->m->context;
    method_destroy(&z->method);
    acceleration_destroy(z->acceleration);
    flow_destroy(z->flow);
    if (z->s) state_clear(z->s, &z->x);
    if (z->s) state_clear(z->s, &z->begin);
    real *arrays[] = { z->v, z->lambda, z->g, z->g_rate, z->g_values, z->observables };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(context, arrays[i]);
    system_destroy(z->s);
    mem_free(context, z);
}

static int create_arrays(simulation *z)
{
    struct system *s = z->s;
    struct { real **array; size_t size; } all[] = {
        { &z->v, s->n }, { &z->lambda, s->c }, { &z->g, s->c }, { &z->g_rate, s->c },
        { &z->g_values, (size_t)s->blocks[BLOCK_G].value_count }, { &z->observables, z->m->observable_count },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i].array = mem_new(s->context, all[i].size, sizeof(real)))) return TAUT_OUT_OF_MEMORY;
    return TAUT_OK;
}

/* From two points to the first of them and its momentum, by the method's discrete Lagrangian. */
static int start_from_points(simulation *z, start_mode mode, real h)
{
    state second;
    if (!(h - h == 0) || h == 0)
        return fail(z->m->context, TAUT_BAD_USAGE, "%s:%d: start_points are a step apart: the simulation needs the step when it is created",
                    z->m->file, z->m->start_points_line);
    int status = state_create(z->s, &second);
    if (!status) status = start_second_point(z->s, mode, z->x.t + h, &second, &z->start);
    if (!status) status = z->method.class->start(z->method.self, &z->x, second.q, h);
    state_clear(z->s, &second);
    return status;
}

int simulation_create(model *m, const engine_options *options, simulation **result)
{
    return simulation_create_with(m, options, NULL, result);
}

int simulation_create_with(model *m, const engine_options *options, const struct method_class *class, simulation **result)
{
    method_spec spec = { 0 };
    *result = NULL;
    int status = class ? TAUT_OK : method_parse(m->context, options->method, &spec);
    if (status) return status;
    if (!class) class = method_find(spec.name);
    simulation *z = mem_new(m->context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->m = m;
    z->declared = method_class_declared(class, &spec);
    status = system_create(m, &z->s);
    if (!status && z->declared.adapt) z->declared.adapt(z->s, &z->declared);
    if (!status) status = system_prepare_block(z->s, BLOCK_G);
    if (!status) status = create_arrays(z);
    if (!status) status = state_create(z->s, &z->x);
    if (!status) status = state_create(z->s, &z->begin);
    start_mode mode = options->start_as_is ? START_AS_IS : options->project_start ? START_PROJECT : START_STRICT;
    if (!status && mode == START_AS_IS && !z->declared.any_start)
        status = fail(m->context, TAUT_UNSUPPORTED, "method '%s' keeps the constraints and needs a start on them; --start as-is is for naive, "
                                                    "extended and dirac", class->info->name);
    if (!status) status = start_state(z->s, mode, &z->x, &z->start);
    if (!status) status = method_create_with(z->s, class, &spec, (real)options->tolerance, &z->method);
    if (!status && m->start_points_line) status = start_from_points(z, mode, (real)options->step);
    if (!status) status = acceleration_create(z->s, &z->acceleration);
    if (!status) status = acceleration_solve(z->acceleration, z->x.q, z->x.w, z->x.t, z->x.lambda, NULL);
    if (!status) status = symmetry_find(z->s, z->x.q, z->x.w, z->symmetries, &z->symmetry_count);
    if (status) {
        simulation_destroy(z);
        return status;
    }
    memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
    state_copy(&z->x, &z->begin);
    while (z->column_symmetries < z->symmetry_count && z->symmetries[z->column_symmetries].type != SYMMETRY_SHIFT)
        z->column_symmetries++;
    *result = z;
    return TAUT_OK;
}

static int is_finite(const simulation *z)
{
    real sum = 0;
    for (uint32_t i = 0; i < z->s->n; i++) sum += (z->x.q[i] - z->x.q[i]) + (z->x.p[i] - z->x.p[i]);
    return sum == 0;
}

int simulation_step(simulation *z, real h)
{
    int status = z->method.class->step(z->method.self, &z->x, h);
    if (status) return status;
    z->steps++;
    if (is_finite(z)) return TAUT_OK;
    return fail(z->m->context, -TAUT_NOT_FINITE, "at t = %.9g: the state is no longer finite; try a smaller step", (double)z->x.t);
}

void simulation_restart(simulation *z)
{
    state_copy(&z->begin, &z->x);
    memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
}

void simulation_restored(simulation *z, const engine_counts *counts)
{
    z->before = *counts;
    z->steps = counts->steps;
    memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
}

int simulation_flow(simulation *z, real until, real tolerance)
{
    int status = z->flow ? TAUT_OK : flow_create(z->s, &z->flow);
    return status ? status : flow_advance(z->flow, &z->x, until, tolerance);
}

int simulation_solution(simulation *z, wide *q, wide *p, wide *lambda)
{
    int status = simulation_multipliers(z);
    if (status) return status;
    for (uint32_t i = 0; i < z->s->n; i++) q[i] = (wide)z->x.q[i] + z->x.q_low[i];
    for (uint32_t i = 0; i < z->s->n; i++) p[i] = (wide)z->x.p[i] + z->x.p_low[i];
    for (uint32_t k = 0; k < z->s->c; k++) lambda[k] = z->lambda[k];
    return TAUT_OK;
}

static place here(const simulation *z) { return place_at(z->x.q, z->x.w, &z->x.t, z->lambda); }

static real largest(const real *x, uint32_t count)
{
    real most = 0;
    for (uint32_t i = 0; i < count; i++) most = real_most(most, x[i]);
    return most;
}

void simulation_residuals(simulation *z, real *position, real *velocity)
{
    struct system *s = z->s;
    place at = here(z);
    system_constraints(s, &at, z->g);
    system_velocity(s, &at, z->v);
    system_block_values(s, BLOCK_G, &at, z->g_values);
    system_constraint_rate(s, &at, z->g_rate);
    block_multiply(&s->blocks[BLOCK_G], z->g_values, 1, z->v, z->g_rate);
    *position = largest(z->g, s->c);
    *velocity = largest(z->g_rate, s->c);
}

real simulation_energy(simulation *z)
{
    place at = here(z);
    system_velocity(z->s, &at, z->v);
    return system_energy(z->s, &at, z->v);
}

int simulation_multipliers(simulation *z)
{
    if (!z->s->c) return TAUT_OK;
    /* From the state alone, not from the last frame: what is recorded must not depend on how often, or since when. */
    memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
    return acceleration_solve(z->acceleration, z->x.q, z->x.w, z->x.t, z->lambda, NULL);
}

/* ---- columns ---- */

typedef enum {
    COLUMN_TIME, COLUMN_Q, COLUMN_V, COLUMN_P, COLUMN_LAMBDA, COLUMN_ENERGY, COLUMN_CONSTRAINT, COLUMN_RATE, COLUMN_SYMMETRY,
    COLUMN_OBSERVABLE, COLUMN_TYPES
} column_type;

static size_t columns_of(const simulation *z, column_type type)
{
    switch (type) {
    case COLUMN_TIME: return 1;
    case COLUMN_Q:
    case COLUMN_V:
    case COLUMN_P: return z->s->n;
    case COLUMN_LAMBDA: return z->s->c;
    case COLUMN_ENERGY: return z->s->energy ? 1 : 0;
    case COLUMN_CONSTRAINT:
    case COLUMN_RATE: return 1;
    case COLUMN_SYMMETRY: return (size_t)z->column_symmetries;
    case COLUMN_OBSERVABLE: return z->m->observable_count;
    default: return 0;
    }
}

size_t simulation_column_count(const simulation *z)
{
    size_t count = 0;
    for (int type = 0; type < COLUMN_TYPES; type++) count += columns_of(z, (column_type)type);
    return count;
}

void simulation_column_name(const simulation *z, size_t column, char *buffer, size_t size)
{
    int type = 0;
    char name[200];
    while (column >= columns_of(z, (column_type)type)) column -= columns_of(z, (column_type)type++);
    if (type >= COLUMN_Q && type <= COLUMN_P) model_coordinate_name(z->m, (uint32_t)column, name, sizeof name);
    switch ((column_type)type) {
    case COLUMN_TIME: snprintf(buffer, size, "t"); break;
    case COLUMN_Q: snprintf(buffer, size, "%s", name); break;
    case COLUMN_V: snprintf(buffer, size, "%s.dot", name); break;
    case COLUMN_P: snprintf(buffer, size, "p.%s", name); break;
    case COLUMN_LAMBDA: snprintf(buffer, size, "lambda.%s", z->m->constraints[column].name); break;
    case COLUMN_ENERGY: snprintf(buffer, size, "energy"); break;
    case COLUMN_CONSTRAINT: snprintf(buffer, size, "constraint"); break;
    case COLUMN_RATE: snprintf(buffer, size, "velocity_constraint"); break;
    case COLUMN_SYMMETRY: symmetry_name(z->s, &z->symmetries[column], buffer, size); break;
    default: snprintf(buffer, size, "%s", z->m->observables[column].name); break;
    }
}

const char *simulation_column_kind(const simulation *z, size_t column)
{
    static const char *const kinds[COLUMN_TYPES] = {
        [COLUMN_TIME] = "time", [COLUMN_Q] = "coordinate", [COLUMN_V] = "velocity", [COLUMN_P] = "momentum",
        [COLUMN_LAMBDA] = "multiplier", [COLUMN_ENERGY] = "energy", [COLUMN_CONSTRAINT] = "constraint",
        [COLUMN_RATE] = "velocity_constraint", [COLUMN_SYMMETRY] = "conserved", [COLUMN_OBSERVABLE] = "observable",
    };
    int type = 0;
    while (column >= columns_of(z, (column_type)type)) column -= columns_of(z, (column_type)type++);
    return kinds[type] ? kinds[type] : "value";
}

int simulation_frame(simulation *z, wide *values)
{
    struct system *s = z->s;
    uint32_t n = s->n;
    real position, velocity;
    int status = simulation_multipliers(z);
    if (status) return status;
    simulation_residuals(z, &position, &velocity); /* leaves the velocities in z->v */
    *values++ = z->x.t;
    for (uint32_t i = 0; i < n; i++) *values++ = z->x.q[i];
    for (uint32_t i = 0; i < n; i++) *values++ = z->v[i];
    for (uint32_t i = 0; i < n; i++) *values++ = z->x.p[i];
    for (uint32_t k = 0; k < s->c; k++) *values++ = z->lambda[k];
    if (s->energy) *values++ = simulation_energy(z);
    *values++ = position;
    *values++ = velocity;
    for (int i = 0; i < z->column_symmetries; i++) *values++ = symmetry_momentum(s, &z->symmetries[i], z->x.q, z->x.p);
    place at = here(z);
    system_observables(s, &at, z->observables);
    for (size_t i = 0; i < z->m->observable_count; i++) *values++ = z->observables[i];
    return TAUT_OK;
}
