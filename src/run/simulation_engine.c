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
static int frame(void *self, wide *values) { return X(simulation_frame)(self, values); }

static int balance(const void *self) { return X(simulation_has_work)(self); }

static size_t monitor_count(const void *self)
{
    return 3 + (size_t)((const simulation *)self)->symmetry_count + (size_t)balance(self);
}

static void monitor_name(const void *self, size_t index, char *buffer, size_t size)
{
    static const char *const names[] = { "energy", "constraint", "velocity_constraint" };
    const simulation *z = self;
    if (index < 3)
        snprintf(buffer, size, "%s", names[index]);
    else if (index == 3 + (size_t)z->symmetry_count)
        snprintf(buffer, size, "energy - work");
    else
        X(symmetry_name)(z->s, &z->symmetries[index - 3], buffer, size);
}

static int monitor(void *self, wide *values)
{
    simulation *z = self;
    real position, velocity;
    X(simulation_residuals)(z, &position, &velocity);
    values[0] = X(simulation_energy)(z);
    values[1] = position;
    values[2] = velocity;
    for (int i = 0; i < z->symmetry_count; i++)
        values[3 + i] = X(symmetry_momentum)(z->s, &z->symmetries[i], z->x.q, z->x.p);
    if (balance(z)) values[3 + z->symmetry_count] = values[0] - X(simulation_work)(z);
    return TAUT_OK;
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
    return s->energy && !s->structure.time_dependent && !s->structure.has_forces && X(simulation_lossless)(z);
}

/* Kinetic energy v.p/2, for want of a formula that knows better; potential energy is the rest. */
static int energy_size(void *self, wide *size)
{
    simulation *z = self;
    const structure *found = &z->s->structure;
    if (size) *size = 0;
    if (!z->s->energy) return ENGINE_ENERGY_FREE;
    if (size) {
        real energy = X(simulation_energy)(z), kinetic = 0; /* leaves the velocities in z->v */
        for (uint32_t i = 0; i < z->s->n; i++) kinetic += z->v[i] * z->x.p[i] / 2;
        real sum = REAL(fabs)(kinetic) + REAL(fabs)(energy - kinetic);
        *size = balance(z) ? sum + REAL(fabs)(X(simulation_work)(z)) : sum;
    }
    if (balance(z) || energy_conserved(z)) return ENGINE_ENERGY_KEPT;
    return z->m->contact_count && !found->time_dependent && !found->has_forces ? ENGINE_ENERGY_LOST
                                                                               : ENGINE_ENERGY_FREE;
}

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
    return s->energy && !s->structure.has_forces ? 1 + (s->phase_space != NULL) : 0;
}

static void take_back(void *self) { X(simulation_take_back)(self); }
static void restart(void *self) { X(simulation_restart)(self); }
static int flow_to(void *self, wide until, wide tolerance)
{
    return X(simulation_flow)(self, (real)until, (real)tolerance);
}
static int solution(void *self, wide *q, wide *p, wide *lambda) { return X(simulation_solution)(self, q, p, lambda); }
static int follow(void *self, wide h, long steps, engine_follow *out)
{
    return X(simulation_follow)(self, (real)h, steps, out);
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
static void restored(void *self, const engine_counts *done) { X(simulation_restored)(self, done); }
static const char *column_kind(const void *self, size_t column) { return X(simulation_column_kind)(self, column); }

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
    get_time,
    counts,
    column_count,
    column_name,
    frame,
    monitor_count,
    monitor_name,
    monitor,
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
    native_of,
};
