/* The simulation behind the table of engine.h. */
#include <stdio.h>
#include <string.h>

#include "run/simulation.h"

#define DECLARE(type, name, arguments) static type api_##name arguments;
ENGINE_FUNCTIONS(DECLARE)
#undef DECLARE

static int api_create(model *m, const engine_options *options, void **self)
{
    simulation *z;
    int status = X(simulation_create)(m, options, &z);
    *self = z;
    return status;
}

static void api_destroy(void *self) { X(simulation_destroy)(self); }
static int api_step(void *self, wide h) { return X(simulation_step)(self, (real)h); }
static int api_step_again(void *self) { return X(simulation_step)(self, ((simulation *)self)->h); }
static int api_steps_again(void *self, long count, long *done) { return X(simulation_steps)(self, count, done); }
static long api_steps(const void *self) { return ((const simulation *)self)->steps; }
static wide api_time(const void *self)
{
    const simulation *z = self;
    return (wide)z->x.t + z->x.t_low;
}

static void api_counts(const void *self, engine_counts *out)
{
    const simulation *z = self;
    *out = (engine_counts){ .steps = z->steps, .work = X(simulation_counts)(z) };
    newton_counts_add(&out->work, &z->work_before);
    memcpy(out->events, z->event_counts, sizeof out->events);
}

static size_t api_column_count(const void *self) { return X(simulation_column_count)(self); }
static int api_column_name(const void *self, size_t column, char *buffer, size_t size)
{
    return X(simulation_column_name)(self, column, buffer, size);
}
static int api_frame(void *self, void *values) { return X(simulation_frame)(self, values); }

static int api_balance(const void *self) { return X(simulation_has_work)(self); }

static size_t api_watch_count(const void *self) { return X(simulation_watch_count)(self); }
static void api_watch_name(const void *self, size_t index, char *buffer, size_t size)
{
    X(simulation_watch_name)(self, index, buffer, size);
}
static void api_look(void *self, engine_look *found) { X(simulation_look)(self, found); }
static void api_watch(void *self) { X(simulation_watch)(self); }
static void api_watched(const void *self, size_t index, engine_watched *quantity)
{
    X(simulation_watched)(self, index, quantity);
}
static void api_watch_from(void *self, size_t index, const engine_watched *quantity)
{
    X(simulation_watch_from)(self, index, quantity);
}

static void api_samples(const void *self, engine_samples *out)
{
    const simulation *z = self;
    *out = (engine_samples){ z->samples, z->sum_t, z->sum_tt };
}

static void api_samples_from(void *self, const engine_samples *from)
{
    simulation *z = self;
    z->samples = (real)from->count, z->sum_t = (real)from->sum_t, z->sum_tt = (real)from->sum_tt;
}

static int api_characteristic_time(void *self, wide *time)
{
    real found;
    int status = X(simulation_time)(self, &found);
    *time = status ? 0 : found;
    return status;
}

static int api_energy_conserved(const void *self)
{
    const simulation *z = self;
    const struct system *s = z->s;
    return s->energy && !s->structure.time_dependent && !s->structure.has_forces &&
           !s->structure.constraint_time && X(simulation_lossless)(z);
}

/* Kinetic energy v.p/2, for want of a formula that knows better; potential energy is the rest. */
static int api_energy_size(void *self, wide *size)
{
    simulation *z = self;
    const structure *found = &z->s->structure;
    if (size) *size = 0;
    if (!z->s->energy) return ENGINE_ENERGY_FREE;
    if (size) {
        real kinetic = 0;
        X(simulation_read)(z, READING_ENERGY | READING_VELOCITY); /* nothing in it can fail */
        for (uint32_t i = 0; i < z->s->n; i++) kinetic += z->v[i] * z->x.p[i] / 2;
        real sum = REAL(fabs)(kinetic) + REAL(fabs)(z->energy - kinetic);
        *size = api_balance(z) ? sum + REAL(fabs)(X(simulation_work)(z)) : sum;
    }
    if (z->s->c && z->start.as_is) return ENGINE_ENERGY_FREE; /* off the constraints their forces do work */
    if (api_balance(z) || api_energy_conserved(z)) return ENGINE_ENERGY_KEPT;
    return z->m->contact_count && !found->time_dependent && !found->has_forces ? ENGINE_ENERGY_LOST
                                                                               : ENGINE_ENERGY_FREE;
}

static void api_off(void *self, engine_off *position, engine_off *velocity)
{
    X(simulation_off)(self, position, velocity);
}

static void api_constraint_name(const void *self, uint32_t constraint, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s", X(system_constraint_origin)(((const simulation *)self)->s, constraint).name);
}

static int api_is_still(void *self) { return X(simulation_is_still)(self); }
static int api_step_error(void *self, double *error) { return X(simulation_step_error)(self, error); }

static void api_start_moves(const void *self, wide *q, wide *w)
{
    const simulation *z = self;
    *q = z->start.moved_q;
    *w = z->start.moved_w;
}

static int api_check(model *m, start_mode mode, engine_check *result,
                     void (*start)(void *user, const char *name, wide value, int free),
                     void (*redundant)(void *user, uint32_t constraint, const char *on),
                     void (*conserved)(void *user, const char *name),
                     void (*method)(void *user, const char *name, const char *refusal), void *user)
{
    return X(simulation_check)(m, mode, result, start, redundant, conserved, method, user);
}

static int api_method_count(void) { return X(method_count)(); }
static const method_info *api_method_info(int index) { return X(method_at)(index)->info; }

static int api_method_parse(taut_context *context, const char *text)
{
    method_spec spec;
    return X(method_parse)(context, text, &spec);
}

static const method_info *api_declared(const void *self) { return &((const simulation *)self)->declared; }

static void api_sizes(const void *self, uint32_t *coordinates, uint32_t *constraints)
{
    const simulation *z = self;
    *coordinates = z->s->n;
    *constraints = z->s->c;
}

static int api_hamiltonian(const void *self)
{
    const struct system *s = ((const simulation *)self)->s;
    if (s->slip && !s->structure.has_forces) return 3;
    return s->energy && !s->structure.has_forces ? 1 + (s->phase_space != NULL) : 0;
}

static void api_take_back(void *self) { X(simulation_take_back)(self); }
static void api_restart(void *self) { X(simulation_restart)(self); }
static int api_flow(void *self, wide until, wide tolerance)
{
    return X(simulation_flow)(self, (real)until, (real)tolerance);
}
static int api_solution(void *self, wide *q, wide *p, wide *lambda)
{
    return X(simulation_solution)(self, q, p, lambda);
}
static int api_follow(void *self, wide h, long steps, struct run_progress *progress, engine_follow *out)
{
    return X(simulation_follow_watched)(self, (real)h, steps, progress, out);
}
static int api_there_and_back(void *self, wide h, long steps, engine_return *out)
{
    return X(simulation_return)(self, (real)h, steps, out);
}
static int api_symplecticity(void *self, wide h, engine_symplecticity *out)
{
    return X(simulation_symplecticity)(self, (real)h, out);
}

static void api_on_event(void *self, engine_on_event event, void *user)
{
    simulation *z = self;
    z->on_event = event;
    z->on_event_user = user;
}

static const long *api_event_counts(const void *self)
{
    const simulation *z = self;
    return z->m->contact_count ? z->event_counts : NULL;
}

static int api_growth(void *self, wide h, long steps, long from, long stride, engine_growth *out)
{
    return X(simulation_growth)(self, (real)h, steps, from, stride, out);
}
static int api_stability(void *self, wide h, wide period, wide until, engine_stability *out)
{
    return X(simulation_stability)(self, (real)h, (real)period, (real)until, out);
}

static int api_frequency(void *self, wide limit, wide *result)
{
    real found;
    const int status = X(simulation_frequency)(self, (real)limit, &found);
    *result = found;
    return status;
}

static int api_field_count(void *self)
{
    state_field fields[STATE_FIELDS];
    return X(state_fields)(&((simulation *)self)->x, fields);
}

static engine_field api_field(void *self, int index)
{
    state_field fields[STATE_FIELDS];
    X(state_fields)(&((simulation *)self)->x, fields);
    return (engine_field){ fields[index].name, fields[index].data, fields[index].count };
}

static step_code api_execution(const void *self, int *parts, long *left)
{
    const simulation *z = self;
    const method_execution e = z->hybrid ? X(hybrid_execution)(z->hybrid) : X(method_execution_of)(&z->method);
    *parts = e.parts, *left = e.left;
    return e.code;
}
static step_path api_path(const void *self) { return X(method_path_of)(&((const simulation *)self)->method); }
static const native_use *api_native(const void *self) { return &((const simulation *)self)->native; }

static uint32_t api_redundancy(const void *self, char *text, size_t size)
{
    return X(simulation_redundancy)(self, text, size);
}
static int api_strain(const void *self, char *text, size_t size)
{
    const strain *n = &((const simulation *)self)->strain;
    if (text) text[0] = 0;
    if (n->seen && text)
        snprintf(text, size,
                 "at t = %.6g: the constraints come near to depending on each other, as they did not before: the "
                 "forces of %s grow in a few steps, %.2g times, and cancel. The position is singular, and a motion may "
                 "change its branch there; or a constraint is missing that was removed as redundant (those may stay)",
                 (double)n->t, n->names, (double)n->grown);
    return n->seen;
}
static int api_divided(const void *self, char *text, size_t size)
{
    return X(simulation_divided_text)(self, text, size);
}
static int api_restored(void *self, const engine_counts *done) { return X(simulation_restored)(self, done); }
static const char *api_column_kind(const void *self, size_t column) { return X(simulation_column_kind)(self, column); }

static size_t api_columns_of(const void *self, engine_column type) { return X(simulation_columns_of)(self, type); }
static int api_column_values(void *self, engine_column type, size_t first, size_t count, void *values)
{
    return X(simulation_column_values)(self, type, first, count, values);
}
static int api_set_state(void *self, wide t, const wide *q, const wide *w, int by_momentum, start_mode start)
{
    return X(simulation_set_state)(self, t, q, w, by_momentum, start);
}
static int api_kick(void *self, const wide *impulse) { return X(simulation_kick)(self, impulse); }
static int api_clone(const void *self, taut_context *context, void **result)
{
    simulation *z;
    int status = X(simulation_clone)(self, context, &z);
    *result = z;
    return status;
}
static int api_matrix_pattern(void *self, engine_matrix which, int *rows, int *columns, const int **start,
                              const int **index)
{
    return X(simulation_matrix_pattern)(self, which, rows, columns, start, index);
}
static int api_matrix_values(void *self, engine_matrix which, void *values)
{
    return X(simulation_matrix_values)(self, which, values);
}
static void api_point(const void *self, wide *q, wide *p)
{
    const simulation *z = self;
    for (uint32_t i = 0; i < z->s->n; i++) q[i] = (wide)z->x.q[i] + z->x.q_low[i];
    for (uint32_t i = 0; i < z->s->n; i++) p[i] = (wide)z->x.p[i] + z->x.p_low[i];
}
static int api_tangent(void *self, wide h, size_t count, void *dq, void *dp)
{
    return X(simulation_tangent)(self, (real)h, count, dq, dp);
}
static int api_step_tangent(void *self, wide h, size_t count, void *dq, void *dp)
{
    return X(simulation_step_tangent)(self, (real)h, count, dq, dp);
}
static int api_set_point(void *self, const wide *q, const wide *p) { return X(simulation_set_point)(self, q, p); }
static wide *api_input(void *self, size_t index) { return &((simulation *)self)->m->parameters[index].value; }
static int api_inputs_changed(void *self) { return X(simulation_inputs_changed)(self); }

const engine_api X(engine) = {
#ifdef TAUT_REAL_QUAD
    .name = "quad",
#else
    .name = "double",
#endif
    .digits = REAL_DIGITS,
    .number_size = sizeof(real),
    .epsilon = REAL_EPSILON,
#define ENTRY(type, name, arguments) .name = api_##name,
    ENGINE_FUNCTIONS(ENTRY)
#undef ENTRY
};
