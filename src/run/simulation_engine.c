/* The simulation behind the table of engine.h. */
#include <stdio.h>
#include <string.h>

#include "run/simulation.h"

static int create(model *m, const engine_options *options, void **self)
{
    simulation *z;
    int status = X(simulation_create)(m, options, &z);
    *self = z;
    return status;
}

static void destroy(void *self) { X(simulation_destroy)(self); }
static int step(void *self, wide h) { return X(simulation_step)(self, (real)h); }
static int step_again(void *self) { return X(simulation_step)(self, ((simulation *)self)->h); }
static int steps_again(void *self, long count, long *done) { return X(simulation_steps)(self, count, done); }
static long steps(const void *self) { return ((const simulation *)self)->steps; }
static wide get_time(const void *self)
{
    const simulation *z = self;
    return (wide)z->x.t + z->x.t_low;
}


static void counts(const void *self, engine_counts *out)
{
    const simulation *z = self;
    *out = (engine_counts){ .steps = z->steps, .work = X(simulation_counts)(z) };
    newton_counts_add(&out->work, &z->work_before);
    memcpy(out->events, z->event_counts, sizeof out->events);
}

static size_t column_count(const void *self) { return X(simulation_column_count)(self); }
static int column_name(const void *self, size_t column, char *buffer, size_t size)
{
    return X(simulation_column_name)(self, column, buffer, size);
}
static int frame(void *self, void *values) { return X(simulation_frame)(self, values); }

static int balance(const void *self) { return X(simulation_has_work)(self); }

static size_t watch_count(const void *self) { return X(simulation_watch_count)(self); }
static void watch_name(const void *self, size_t index, char *buffer, size_t size)
{
    X(simulation_watch_name)(self, index, buffer, size);
}
static void look(void *self, engine_look *found) { X(simulation_look)(self, found); }
static void watch(void *self) { X(simulation_watch)(self); }
static void watched(const void *self, size_t index, engine_watched *quantity)
{
    X(simulation_watched)(self, index, quantity);
}
static void watch_from(void *self, size_t index, const engine_watched *quantity)
{
    X(simulation_watch_from)(self, index, quantity);
}

static void samples(const void *self, engine_samples *out)
{
    const simulation *z = self;
    *out = (engine_samples){ z->samples, z->sum_t, z->sum_tt };
}

static void samples_from(void *self, const engine_samples *from)
{
    simulation *z = self;
    z->samples = (real)from->count, z->sum_t = (real)from->sum_t, z->sum_tt = (real)from->sum_tt;
}

static int characteristic_time(void *self, wide *time)
{
    real found;
    int status = X(simulation_time)(self, &found);
    *time = status ? 0 : found;
    return status;
}

static int energy_conserved(const void *self)
{
    const simulation *z = self;
    const struct system *s = z->s;
    return s->energy && !s->structure.time_dependent && !s->structure.has_forces &&
           !s->structure.constraint_time && X(simulation_lossless)(z);
}

/* Kinetic energy v.p/2, for want of a formula that knows better; potential energy is the rest. */
static int energy_size(void *self, wide *size)
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
        *size = balance(z) ? sum + REAL(fabs)(X(simulation_work)(z)) : sum;
    }
    if (z->s->c && z->start.as_is) return ENGINE_ENERGY_FREE; /* off the constraints their forces do work */
    if (balance(z) || energy_conserved(z)) return ENGINE_ENERGY_KEPT;
    return z->m->contact_count && !found->time_dependent && !found->has_forces ? ENGINE_ENERGY_LOST
                                                                               : ENGINE_ENERGY_FREE;
}

static void off(void *self, engine_off *position, engine_off *velocity)
{
    X(simulation_off)(self, position, velocity);
}

static void constraint_name(const void *self, uint32_t constraint, char *buffer, size_t size)
{
    snprintf(buffer, size, "%s", X(system_constraint_origin)(((const simulation *)self)->s, constraint).name);
}

static int is_still(void *self) { return X(simulation_is_still)(self); }
static int step_error(void *self, double *error) { return X(simulation_step_error)(self, error); }

static void start_moves(const void *self, wide *q, wide *w)
{
    const simulation *z = self;
    *q = z->start.moved_q;
    *w = z->start.moved_w;
}

static const method_info *info_at(int index) { return X(method_at)(index)->info; }

static int parse(taut_context *context, const char *text)
{
    method_spec spec;
    return X(method_parse)(context, text, &spec);
}

static const method_info *declared(const void *self) { return &((const simulation *)self)->declared; }

static void sizes(const void *self, uint32_t *coordinates, uint32_t *constraints)
{
    const simulation *z = self;
    *coordinates = z->s->n;
    *constraints = z->s->c;
}

static int hamiltonian(const void *self)
{
    const struct system *s = ((const simulation *)self)->s;
    if (s->slip && !s->structure.has_forces) return 3;
    return s->energy && !s->structure.has_forces ? 1 + (s->phase_space != NULL) : 0;
}

static void take_back(void *self) { X(simulation_take_back)(self); }
static void restart(void *self) { X(simulation_restart)(self); }
static int flow_to(void *self, wide until, wide tolerance)
{
    return X(simulation_flow)(self, (real)until, (real)tolerance);
}
static int solution(void *self, wide *q, wide *p, wide *lambda) { return X(simulation_solution)(self, q, p, lambda); }
static int follow(void *self, wide h, long steps, struct run_progress *progress, engine_follow *out)
{
    return X(simulation_follow_watched)(self, (real)h, steps, progress, out);
}
static int there_and_back(void *self, wide h, long steps, engine_return *out)
{
    return X(simulation_return)(self, (real)h, steps, out);
}
static int symplecticity(void *self, wide h, engine_symplecticity *out)
{
    return X(simulation_symplecticity)(self, (real)h, out);
}

static void on_event(void *self, engine_on_event event, void *user)
{
    simulation *z = self;
    z->on_event = event;
    z->on_event_user = user;
}

static const long *event_counts(const void *self)
{
    const simulation *z = self;
    return z->m->contact_count ? z->event_counts : NULL;
}

static int growth(void *self, wide h, long steps, long from, long stride, engine_growth *out)
{
    return X(simulation_growth)(self, (real)h, steps, from, stride, out);
}
static int stability(void *self, wide h, wide period, wide until, engine_stability *out)
{
    return X(simulation_stability)(self, (real)h, (real)period, (real)until, out);
}

static int field_count(void *self)
{
    state_field fields[STATE_FIELDS];
    return X(state_fields)(&((simulation *)self)->x, fields);
}

static engine_field field_at(void *self, int index)
{
    state_field fields[STATE_FIELDS];
    X(state_fields)(&((simulation *)self)->x, fields);
    return (engine_field){ fields[index].name, fields[index].data, fields[index].count };
}

static const native_use *native_of(const void *self) { return &((const simulation *)self)->native; }

static uint32_t redundancy(const void *self, char *text, size_t size)
{
    return X(simulation_redundancy)(self, text, size);
}
static int strain_of(const void *self, char *text, size_t size)
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
static int restored(void *self, const engine_counts *done) { return X(simulation_restored)(self, done); }
static const char *column_kind(const void *self, size_t column) { return X(simulation_column_kind)(self, column); }

static size_t columns_of(const void *self, engine_column type) { return X(simulation_columns_of)(self, type); }
static int column_values(void *self, engine_column type, size_t first, size_t count, void *values)
{
    return X(simulation_column_values)(self, type, first, count, values);
}
static int set_state(void *self, wide t, const wide *q, const wide *w, int by_momentum, start_mode start)
{
    return X(simulation_set_state)(self, t, q, w, by_momentum, start);
}
static int kick(void *self, const wide *impulse) { return X(simulation_kick)(self, impulse); }
static int clone(const void *self, taut_context *context, void **result)
{
    simulation *z;
    int status = X(simulation_clone)(self, context, &z);
    *result = z;
    return status;
}
static int matrix_pattern(void *self, engine_matrix which, int *rows, int *columns, const int **start,
                          const int **index)
{
    return X(simulation_matrix_pattern)(self, which, rows, columns, start, index);
}
static int matrix_values(void *self, engine_matrix which, void *values)
{
    return X(simulation_matrix_values)(self, which, values);
}
static void point(const void *self, wide *q, wide *p)
{
    const simulation *z = self;
    for (uint32_t i = 0; i < z->s->n; i++) q[i] = (wide)z->x.q[i] + z->x.q_low[i];
    for (uint32_t i = 0; i < z->s->n; i++) p[i] = (wide)z->x.p[i] + z->x.p_low[i];
}
static int tangent(void *self, wide h, size_t count, void *dq, void *dp)
{
    return X(simulation_tangent)(self, (real)h, count, dq, dp);
}
static int step_tangent(void *self, wide h, size_t count, void *dq, void *dp)
{
    return X(simulation_step_tangent)(self, (real)h, count, dq, dp);
}
static int set_point(void *self, const wide *q, const wide *p) { return X(simulation_set_point)(self, q, p); }
static wide *input_at(void *self, size_t index) { return &((simulation *)self)->m->parameters[index].value; }
static int inputs_changed(void *self) { return X(simulation_inputs_changed)(self); }

#define ENGINE X(engine)
const engine_api ENGINE = {
#ifdef TAUT_REAL_QUAD
    "quad",
#else
    "double",
#endif
    REAL_DIGITS,
    create,
    destroy,
    step,
    step_again,
    steps_again,
    steps,
    get_time,
    counts,
    column_count,
    column_name,
    frame,
    watch_count,
    watch_name,
    look,
    watch,
    watched,
    watch_from,
    samples,
    samples_from,
    energy_conserved,
    start_moves,
    X(simulation_check),
    X(method_count),
    info_at,
    parse,
    REAL_EPSILON,
    declared,
    sizes,
    hamiltonian,
    restart,
    flow_to,
    solution,
    follow,
    there_and_back,
    symplecticity,
    on_event,
    event_counts,
    balance,
    growth,
    stability,
    sizeof(real),
    field_count,
    field_at,
    restored,
    column_kind,
    take_back,
    characteristic_time,
    energy_size,
    off,
    constraint_name,
    is_still,
    step_error,
    redundancy,
    strain_of,
    native_of,
    columns_of,
    column_values,
    set_state,
    kick,
    clone,
    matrix_pattern,
    matrix_values,
    point,
    set_point,
    input_at,
    inputs_changed,
    tangent,
    step_tangent,
};
