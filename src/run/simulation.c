#include "run/simulation.h"

#include <stdio.h>
#include <string.h>

void simulation_destroy(simulation *z)
{
    if (!z) return;
    taut_context *context = z->m->context;
    hybrid_destroy(z->hybrid);
    method_destroy(&z->method);
    acceleration_destroy(z->acceleration);
    flow_destroy(z->flow);
    if (z->s) state_clear(z->s, &z->x);
    if (z->s) state_clear(z->s, &z->begin);
    real *arrays[] = { z->v,           z->lambda, z->g,          z->g_rate,       z->g_values,
                       z->observables, z->gaps,   z->phase_work, z->phase_entries };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(context, arrays[i]);
    system_destroy(z->s);
    phase_destroy(z->derived);
    phase_model_destroy(z->open);
    mem_free(context, z);
}

static int create_arrays(simulation *z)
{
    struct system *s = z->s;
    struct { real **array; size_t size; } all[] = {
        { &z->v, s->n }, { &z->lambda, s->c + z->m->contact_count }, { &z->g, s->c }, { &z->g_rate, s->c },
        { &z->g_values, (size_t)s->blocks[BLOCK_G].value_count }, { &z->observables, z->m->observable_count },
        { &z->gaps, z->m->contact_count },
        { &z->phase_work, z->m->phase ? 4 * (size_t)s->n : 0 },
        { &z->phase_entries, z->m->phase ? (size_t)s->c * s->n : 0 },
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
        return fail(z->m->context, TAUT_BAD_USAGE,
                    "%s:%d: start_points are a step apart: the simulation needs the step when it is created",
                    z->m->file, z->m->start_points_line);
    int status = state_create(z->s, &second);
    if (!status) status = start_second_point(z->s, mode, z->x.t + h, &second, &z->start);
    if (!status) status = z->method.class->start(z->s, &z->spec, &z->x, second.q, h);
    state_clear(z->s, &second);
    return status;
}

/* An ordinary model is compiled as it is. One with constraints on phase space, or with a Lagrangian that is singular
   also with its constraints, is first turned into a system on phase space. */
/* With contacts: the system in which all of them are open. */
static int open_system(simulation *z)
{
    model *m = z->m;
    if (m->phase_line)
        return fail(m->context, TAUT_UNSUPPORTED,
                    "%s:%d: contacts cannot be combined with the Dirac algorithm; remove one of them", m->file,
                    m->contacts[0].line);
    unsigned char *modes = mem_new(m->context, m->contact_count, 1);
    int status = modes ? phase_model_create(m, modes, &z->open) : TAUT_OUT_OF_MEMORY;
    mem_free(m->context, modes);
    if (!status) status = system_create(z->open, &z->s);
    if (!status) z->s->extra_count = (uint32_t)(EXTRA_SIZE * m->contact_count);
    return status;
}

int simulation_system(simulation *z, phase_start start)
{
    if (z->m->contact_count) return open_system(z);
    int status = z->m->phase_line ? TAUT_SINGULAR : system_create(z->m, &z->s);
    if (status != TAUT_SINGULAR) return status;
    status = phase_model(z->m, start, &z->derived);
    if (status) return status;
    z->m = z->derived;
    return system_create(z->m, &z->s);
}

int simulation_create(model *m, const engine_options *options, simulation **result)
{
    return simulation_create_with(m, options, NULL, result);
}

/* An event of the contacts: counted and reported. */
static int on_event(void *self, size_t contact, event_kind kind, real impulse)
{
    simulation *z = self;
    z->event_counts[kind]++;
    if (!z->on_event) return TAUT_OK;
    engine_event event = { (wide)z->x.t + z->x.t_low, z->m->contacts[contact].name, kind, event_names[kind], impulse };
    return z->on_event(z->on_event_user, &event);
}

static int create_hybrid(simulation *z, const struct method_class *class, const engine_options *options)
{
    hybrid_options with = { options->active_set, on_event, z };
    if (!z->m->contact_count && options->active_set)
        return fail(z->m->context, TAUT_BAD_USAGE,
                    "the model has no contacts; active-set steps are for models with contacts");
    if (!z->m->contact_count) return TAUT_OK;
    int status = hybrid_create(z->m, class, &z->spec, (real)options->tolerance, &with, &z->hybrid);
    if (!status) status = hybrid_start(z->hybrid, &z->x);
    if (!status) status = hybrid_symmetries(z->hybrid, &z->x, z->symmetries, &z->symmetry_count);
    return status;
}

int simulation_create_with(model *m, const engine_options *options, const struct method_class *class,
                           simulation **result)
{
    *result = NULL;
    simulation *z = mem_new(m->context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->m = m;
    note_forget(m->context);
    int status = class ? TAUT_OK : method_parse(m->context, options->method, &z->spec);
    if (status) {
        simulation_destroy(z);
        return status;
    }
    if (!class) class = method_find(z->spec.name);
    z->declared = method_class_declared(class, &z->spec);
    phase_start phase = options->start_as_is ? PHASE_AS_IS : options->project_start ? PHASE_PROJECT : PHASE_STRICT;
    status = simulation_system(z, phase);
    m = z->m;
    if (!status && z->declared.adapt) z->declared.adapt(z->s, &z->declared);
    if (!status) status = system_prepare_block(z->s, BLOCK_G);
    if (!status) status = create_arrays(z);
    if (!status) status = state_create(z->s, &z->x);
    if (!status) status = state_create(z->s, &z->begin);
    start_mode mode = options->start_as_is ? START_AS_IS : options->project_start ? START_PROJECT : START_STRICT;
    if (!status && mode == START_AS_IS && !z->declared.any_start)
        status = fail(m->context, TAUT_UNSUPPORTED,
                      "method '%s' keeps the constraints and needs a start on them; a start as it is, off the "
                      "constraints, is for naive, extended and dirac",
                      class->info->name);
    if (!status) status = start_state(z->s, mode, &z->x, &z->start);
    if (!status) status = method_create_with(z->s, class, &z->spec, (real)options->tolerance, &z->method);
    if (!status && m->start_points_line) status = start_from_points(z, mode, (real)options->step);
    if (!status && !m->phase) status = acceleration_create(z->s, &z->acceleration);
    if (!status && !m->phase) status = acceleration_solve(z->acceleration, z->x.q, z->x.w, z->x.t, z->x.lambda, NULL);
    if (!status && !m->phase) status = system_prepare_power(z->s);
    if (!status) status = symmetry_find(z->s, z->x.q, z->x.w, z->symmetries, &z->symmetry_count);
    if (!status) status = create_hybrid(z, class, options);
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

static place here(const simulation *z) { return place_at(z->x.q, z->x.w, &z->x.t, z->lambda); }

static int is_finite(const simulation *z)
{
    real sum = 0;
    for (uint32_t i = 0; i < z->s->n; i++) sum += (z->x.q[i] - z->x.q[i]) + (z->x.p[i] - z->x.p[i]);
    return sum == 0;
}

int simulation_has_work(const simulation *z)
{
    return z->s->energy && !z->m->phase && !z->m->contact_count &&
           (z->s->structure.time_dependent || z->s->structure.has_forces);
}

real simulation_work(const simulation *z) { return *z->x.work + *z->x.work_low; }

/* At the state. Where its multipliers cannot be found, with the method's own. */
static real power(simulation *z)
{
    const structure *found = &z->s->structure;
    place at = here(z);
    if ((found->force_multiplier || found->constraint_time) && simulation_multipliers(z))
        memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
    system_velocity(z->s, &at, z->v);
    return system_power(z->s, &at, z->v, z->g_rate);
}

int simulation_step(simulation *z, real h)
{
    int add_work = simulation_has_work(z) && !z->declared.own_work;
    real work = add_work ? h / 2 * power(z) : 0, before = *z->x.work, before_low = *z->x.work_low;
    long events[ENGINE_EVENT_KINDS];
    memcpy(events, z->event_counts, sizeof events);
    int status = z->hybrid ? hybrid_step(z->hybrid, &z->x, h) : method_step(&z->method, &z->x, h);
    if (status) memcpy(z->event_counts, events, sizeof events); /* they have not happened */
    if (status) return status;
    if (!z->declared.own_work) *z->x.work = before, *z->x.work_low = before_low; /* methods know nothing of it */
    if (add_work) { /* the trapezoidal rule */
        work += h / 2 * power(z);
        add_compensated(z->x.work, z->x.work_low, &work, 1);
    }
    z->steps++;
    if (is_finite(z)) return TAUT_OK;
    return fail(z->m->context, -TAUT_NOT_FINITE, "at t = %.9g: the state is no longer finite; try a smaller step",
                (double)z->x.t);
}

int simulation_lossless(const simulation *z)
{
    for (size_t i = 0; i < z->m->contact_count; i++) {
        real e = 0;
        if (z->m->contacts[i].friction || system_constant(z->s, z->m->contacts[i].restitution, &e) || e != 1) return 0;
    }
    return 1;
}

int simulation_without_contacts(const simulation *z, const char *what)
{
    if (!z->hybrid) return TAUT_OK;
    return fail(z->m->context, TAUT_UNSUPPORTED, "%s:%d: %s is for smooth motion, and this model has contacts",
                z->m->file, z->m->contacts[0].line, what);
}

newton_counts simulation_counts(const simulation *z)
{
    return z->hybrid ? hybrid_counts(z->hybrid) : *method_counts(&z->method);
}

void simulation_restart(simulation *z)
{
    state_copy(&z->begin, &z->x);
    memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
    memset(z->event_counts, 0, sizeof z->event_counts);
}

int simulation_make_flow(simulation *z)
{
    formulation *f = z->m->phase ? method_formulation(&z->method) : NULL;
    if (z->flow) return TAUT_OK;
    return f ? flow_create_along(z->s, f->class->evaluate, f->self, &z->flow) : flow_create(z->s, &z->flow);
}

void simulation_restored(simulation *z, const engine_counts *counts)
{
    z->before = *counts;
    z->steps = counts->steps;
    memcpy(z->event_counts, counts->events, sizeof z->event_counts);
    memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
}

int simulation_flow(simulation *z, real until, real tolerance)
{
    int status = simulation_without_contacts(z, "the exact solution");
    if (!status) status = simulation_make_flow(z);
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

static real largest(const real *x, uint32_t count)
{
    real most = 0;
    for (uint32_t i = 0; i < count; i++) most = real_most(most, x[i]);
    return most;
}

/* q' by the method's own equations into z->v, the largest |chi|, and the largest |d chi/dt|. */
static void phase_residuals(simulation *z, real *position, real *velocity)
{
    struct system *s = z->s;
    formulation *f = method_formulation(&z->method);
    real *at = z->phase_work, *rate = at + 2 * s->n;
    memcpy(at, z->x.q, s->n * sizeof(real));
    memcpy(at + s->n, z->x.p, s->n * sizeof(real));
    f->class->begin(f->self, &z->x);
    f->class->chi(f->self, z->x.t, at, z->g);
    *position = largest(z->g, s->c);
    if (f->class->evaluate(f->self, z->x.t, at, rate)) {
        /* no velocity belongs to this state; the next step will say so */
        for (uint32_t i = 0; i < 2 * s->n; i++) rate[i] = (real)NAN;
    }
    memcpy(z->v, rate, s->n * sizeof(real));
    place here = place_at(z->x.q, z->x.p, &z->x.t, NULL);
    system_block_values(s, BLOCK_G, &here, z->g_values);
    system_constraint_rate(s, &here, z->g_rate);
    for (int by = 0; by < 2; by++) {
        const pattern *p = field_jacobian_pattern(s->constraint, by ? KIND_W : KIND_Q);
        memset(z->phase_entries, 0, (size_t)pattern_entries(p) * sizeof(real));
        field_jacobian(s->constraint, by ? KIND_W : KIND_Q, &here, z->phase_entries);
        for (int r = 0; r < p->rows; r++)
            for (int e = p->start[r]; e < p->start[r + 1]; e++)
                z->g_rate[r] += z->phase_entries[e] * rate[(by ? s->n : 0) + (uint32_t)p->index[e]];
    }
    *velocity = largest(z->g_rate, s->c);
}

void simulation_residuals(simulation *z, real *position, real *velocity)
{
    struct system *s = z->s;
    place at = here(z);
    if (z->m->phase) {
        phase_residuals(z, position, velocity);
        return;
    }
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
    if (!z->m->phase) system_velocity(z->s, &at, z->v); /* H is the energy there, and q' another thing than H_p */
    return system_energy(z->s, &at, z->v);
}

int simulation_multipliers(simulation *z)
{
    if (z->hybrid) return hybrid_measure(z->hybrid, &z->x, z->lambda, z->gaps, z->observables);
    if (!z->s->c || z->m->phase) return TAUT_OK;
    /* From the state alone, not from the last frame: what is recorded must not depend on how often frames are taken. */
    memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
    return acceleration_solve(z->acceleration, z->x.q, z->x.w, z->x.t, z->lambda, NULL);
}

/* ---- columns ---- */

typedef enum {
    COLUMN_TIME,
    COLUMN_Q,
    COLUMN_V,
    COLUMN_P,
    COLUMN_LAMBDA,
    COLUMN_CONTACT,
    COLUMN_GAP,
    COLUMN_ENERGY,
    COLUMN_WORK,
    COLUMN_CONSTRAINT,
    COLUMN_RATE,
    COLUMN_SYMMETRY,
    COLUMN_OBSERVABLE,
    COLUMN_MIDDLE_TIME,
    COLUMN_MIDDLE_LAMBDA,
    COLUMN_TYPES
} column_type;

static size_t columns_of(const simulation *z, column_type type)
{
    switch (type) {
    case COLUMN_TIME: return 1;
    case COLUMN_Q:
    case COLUMN_V:
    case COLUMN_P: return z->s->n;
    case COLUMN_LAMBDA: return z->m->phase ? 0 : z->s->c;
    case COLUMN_CONTACT:
    case COLUMN_GAP: return z->m->contact_count;
    case COLUMN_ENERGY: return z->s->energy ? 1 : 0;
    case COLUMN_WORK: return simulation_has_work(z) ? 1 : 0;
    case COLUMN_CONSTRAINT:
    case COLUMN_RATE: return 1;
    case COLUMN_SYMMETRY: return (size_t)z->column_symmetries;
    case COLUMN_OBSERVABLE: return z->m->observable_count;
    case COLUMN_MIDDLE_TIME: return z->declared.midpoint_multipliers && z->s->c ? 1 : 0;
    case COLUMN_MIDDLE_LAMBDA: return z->declared.midpoint_multipliers ? z->s->c : 0;
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
    case COLUMN_CONTACT: snprintf(buffer, size, "lambda.%s", z->m->contacts[column].name); break;
    case COLUMN_GAP: snprintf(buffer, size, "gap.%s", z->m->contacts[column].name); break;
    case COLUMN_ENERGY: snprintf(buffer, size, "energy"); break;
    case COLUMN_WORK: snprintf(buffer, size, "work"); break;
    case COLUMN_MIDDLE_TIME: snprintf(buffer, size, "t_mid"); break;
    case COLUMN_MIDDLE_LAMBDA: snprintf(buffer, size, "lambda_mid.%s", z->m->constraints[column].name); break;
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
        [COLUMN_LAMBDA] = "multiplier", [COLUMN_CONTACT] = "multiplier", [COLUMN_GAP] = "gap",
        [COLUMN_ENERGY] = "energy", [COLUMN_WORK] = "work", [COLUMN_CONSTRAINT] = "constraint",
        [COLUMN_RATE] = "velocity_constraint", [COLUMN_SYMMETRY] = "conserved", [COLUMN_OBSERVABLE] = "observable",
        [COLUMN_MIDDLE_TIME] = "midpoint_time", [COLUMN_MIDDLE_LAMBDA] = "midpoint_multiplier",
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
    for (size_t k = 0; !z->m->phase && k < s->c + z->m->contact_count; k++) *values++ = z->lambda[k];
    for (size_t k = 0; k < z->m->contact_count; k++) *values++ = z->gaps[k];
    if (s->energy) *values++ = simulation_energy(z);
    if (simulation_has_work(z)) *values++ = simulation_work(z);
    *values++ = position;
    *values++ = velocity;
    for (int i = 0; i < z->column_symmetries; i++) *values++ = symmetry_momentum(s, &z->symmetries[i], z->x.q, z->x.p);
    place at = here(z);
    if (z->m->phase && z->m->phase->velocities) at.x[KIND_W] = z->v;
    if (!z->hybrid) system_observables(s, &at, z->observables);
    for (size_t i = 0; i < z->m->observable_count; i++) *values++ = z->observables[i];
    if (!z->declared.midpoint_multipliers || !s->c) return TAUT_OK;
    *values++ = *z->x.t_lambda;
    for (uint32_t k = 0; k < s->c; k++) *values++ = z->x.lambda[k];
    return TAUT_OK;
}
