/* A simulation is made, stepped, moved and set back; what is read off its state is in simulation_frame.c. */
#include "run/simulation.h"

#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "base/room.h"
#include "contact/modes.h"
#include "solve/integrable.h"
#include "solve/kkt.h"
#include "solve/multiplier.h"
#include "system/vector.h"

void X(simulation_destroy)(simulation *z)
{
    if (!z) return;
    taut_context *context = z->context;
    X(hybrid_destroy)(z->hybrid);
    X(method_destroy)(&z->method);
    X(acceleration_destroy)(z->acceleration);
    X(reading_destroy)(z->reading);
    X(element_reading_destroy)(z->elements);
    X(element_motion_destroy)(z->motion);
    X(points_watch_destroy)(z->points);
    X(flow_destroy)(z->flow);
    X(legendre_destroy)(z->legendre);
    X(impulse_destroy)(z->impulse);
    X(simulation_matrices_clear)(z);
    if (z->s) X(state_clear)(z->s, &z->x);
    if (z->s) X(state_clear)(z->s, &z->begin);
    if (z->s) X(simulation_divided_destroy)(z);
    room_free(context, &z->room);
    X(simulation_strain_destroy)(z);
    taut_flat_destroy(z->flat);
    X(system_destroy)(z->s);
    taut_phase_space_destroy(z->derived);
    taut_mode_model_destroy(z->open);
    taut_pool_destroy(z->pool);
    taut_mem_free(context, z);
}

static void lay_out(void *self, room_layout *l)
{
    simulation *z = self;
    const struct system *s = z->s;
    z->v = room_reals(l, s->n);
    z->lambda = room_reals(l, s->c + z->m->contact_count);
    z->g = room_reals(l, s->c), z->g_rate = room_reals(l, s->c);
    z->weights = room_reals(l, s->c <= STRAIN_WEIGHED ? s->c : 0);
    z->grew = room_reals(l, s->c && s->c <= STRAIN_WEIGHED ? 3 * (size_t)s->n + s->c : 0);
    z->g_values = room_reals(l, (size_t)s->blocks[BLOCK_G].value_count);
    z->observables = room_reals(l, z->m->observable_count);
    z->gaps = room_reals(l, z->m->contact_count);
    z->phase_work = room_reals(l, z->m->phase ? 4 * (size_t)s->n : 0);
    z->phase_entries = room_reals(l, z->m->phase ? (size_t)s->c * s->n : 0);
}

int X(simulation_workspace)(simulation *z) { return room_create(z->context, lay_out, z, &z->room); }

/* From two points to the first of them and its momentum, by the method's discrete Lagrangian. */
static int start_from_points(simulation *z, start_mode mode, real h)
{
    state second;
    if (!(h - h == 0) || h == 0)
        return taut_fail(z->m->context, TAUT_BAD_USAGE,
                    "%s:%d: start_points are a step apart: the simulation needs the step when it is created",
                    z->m->file, z->m->start_points_line);
    int status = X(state_create)(z->s, &second);
    if (!status) status = X(start_second_point)(z->s, mode, z->x.t + h, &second, &z->start);
    if (!status) status = z->method.class->start(z->s, &z->spec, &z->x, second.q, h);
    X(state_clear)(z->s, &second);
    return status;
}

/* With contacts: the system in which all of them are open. */
static int open_system(simulation *z)
{
    model *m = z->m;
    if (m->phase_line)
        return taut_fail(m->context, TAUT_UNSUPPORTED,
                    "%s:%d: contacts cannot be combined with the Dirac algorithm; remove one of them", m->file,
                    m->contacts[0].line);
    unsigned char *modes = taut_mem_new(m->context, m->contact_count, 1);
    int status = modes ? taut_mode_model_create(m, modes, &z->open) : TAUT_OUT_OF_MEMORY;
    taut_mem_free(m->context, modes);
    if (!status) status = X(system_create)(z->open, &z->s);
    if (!status) z->s->extra_count = (uint32_t)(EXTRA_SIZE * m->contact_count);
    return status;
}

/* Once: a constraint a(q).p = 0 may be meant for a wheel or a blade, and has another motion. */
static int tell_momenta(model *m)
{
    for (size_t k = 0; k < m->constraint_count; k++) {
        char line[600];
        const constraint *c = &m->constraints[k];
        const unsigned kinds = taut_expr_kinds(m->graph, c->value);
        if (kinds == ~0u) return TAUT_OUT_OF_MEMORY;
        if (c->gauge || !(kinds >> KIND_W & 1)) continue;
        const int degree = taut_expr_degree(m->graph, c->value, 1u << KIND_W);
        if (degree < 0) return TAUT_OUT_OF_MEMORY;
        if (degree > 1) continue;
        expr rest;
        const int status = taut_model_at_rest(m, c->value, &rest);
        if (status) return status;
        if (!taut_expr_is_number(m->graph, rest, 0)) continue;
        snprintf(line, sizeof line,
                 "constraint '%.200s' is linear in the momenta: the motion is that of the Dirac bracket, not that of a "
                 "wheel or a blade (the principle of Lagrange and d'Alembert); for these write the model with "
                 "lagrangian() and the constraint in velocities", c->name);
        taut_note_once(m->context, line);
        return TAUT_OK;
    }
    return TAUT_OK;
}

/* An ordinary model is compiled as it is. One with constraints on phase space, or with a Lagrangian that is singular
   and that its constraints do not cure, is first turned into a system on phase space. */
int X(simulation_system)(simulation *z, start_mode start)
{
    if (z->m->contact_count) return open_system(z);
    int status = z->m->phase_line ? TAUT_SINGULAR : X(system_create)(z->m, &z->s);
    if (status != TAUT_SINGULAR) return status;
    for (size_t k = 0; k < z->m->constraint_count; k++)
        if (z->m->constraints[k].velocity) return status;
    taut_budget_part(z->context, "the Dirac algorithm");
    status = z->m->phase_line ? tell_momenta(z->m) : TAUT_OK;
    if (!status) status = taut_phase_space_model(z->m, start, &z->derived);
    if (status) return status;
    z->m = z->derived;
    return X(system_create)(z->m, &z->s);
}

uint32_t X(simulation_redundancy)(const simulation *z, char *text, size_t size)
{
    const start_report *r = &z->start;
    text[0] = 0;
    if (r->dependent)
        snprintf(text, size,
                 "%u of %u constraints depend%s on the others (%s); the motion does not depend on which; %s "
                 "multiplier%s, and those of the constraints %s on, are one choice of many",
                 r->dependent, z->s->c, r->dependent == 1 ? "s" : "", r->names, r->dependent == 1 ? "its" : "their",
                 r->dependent == 1 ? "" : "s", r->dependent == 1 ? "it depends" : "they depend");
    return r->dependent;
}

/* Once: a start is made once in a simulation. */
static void tell_redundancy(const simulation *z)
{
    char line[400];
    X(simulation_redundancy)(z, line, sizeof line);
    taut_note_once(z->s->context, line);
}

/* Once: which constraints on velocities are none that need be. */
static int tell_integrable(simulation *z, const state *x)
{
    struct system *s = z->s;
    char names[300] = "", line[500];
    int known, several = 0;
    unsigned char *integrable = taut_mem_new(s->context, s->c, sizeof *integrable);
    int status = integrable ? X(integrable_find)(s, x, integrable, &known) : TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; !status && k < s->c; k++) {
        const size_t length = strlen(names);
        if (!integrable[k]) continue;
        several += length > 0;
        snprintf(names + length, sizeof names - length, "%s'%s'", length ? ", " : "",
                 X(system_constraint_origin)(s, k).name);
    }
    taut_mem_free(s->context, integrable);
    if (status || !names[0]) return status;
    snprintf(line, sizeof line,
             "constraint%s %s on velocities can be integrated: a function of coordinates and time stays constant; "
             "written in these, it would keep the positions, too", several ? "s" : "", names);
    taut_note_once(s->context, line);
    return TAUT_OK;
}

int X(simulation_create)(model *m, const engine_options *options, simulation **result)
{
    return X(simulation_create_with)(m, options, NULL, result);
}

/* An event of the contacts: counted and reported. */
static int on_event(void *self, size_t contact, event_kind kind, real impulse)
{
    simulation *z = self;
    z->event_counts[kind]++;
    simulation_moved(z);
    if (!z->on_event) return TAUT_OK;
    engine_event event = { (wide)z->x.t + z->x.t_low, z->m->contacts[contact].name, kind, impulse };
    return z->on_event(z->on_event_user, &event);
}

static int create_hybrid(simulation *z, const struct method_class *class, const engine_options *options)
{
    hybrid_options with = { .active_set = options->active_set,
                            .event = on_event,
                            .user = z,
                            .native = &z->native,
                            .pool = z->pool,
                            .softened = z->s->softening != NULL };
    if (!z->m->contact_count && options->active_set)
        return taut_fail(z->m->context, TAUT_BAD_USAGE,
                    "the model has no contacts; active-set steps are for models with contacts");
    if (!z->m->contact_count) return TAUT_OK;
    return X(hybrid_create)(z->m, class, &z->spec, z->tolerance, &with, &z->hybrid);
}

int X(simulation_has_work)(const simulation *z)
{
    return z->s->energy && !z->m->phase && !z->m->contact_count &&
           (z->s->structure.time_dependent || z->s->structure.has_forces || z->s->structure.constraint_time);
}

/* Does every step ask for the power? */
static int has_own_power(const simulation *z) { return X(simulation_has_work)(z) && !z->declared.own_work; }

/* Points of constant mass have fast fields. */
static int wants_elements(const simulation *z)
{
    return !z->m->phase && !z->s->inverse_mass && !(z->reading && X(reading_watched_program)(z->reading));
}

/* Does every step ask for multipliers? */
static int power_needs_motion(const simulation *z)
{
    const structure *found = &z->s->structure;
    return has_own_power(z) && (found->force_multiplier || found->constraint_time)
           && !(z->reading && X(reading_has_power)(z->reading));
}

/* Steps of programs have programs to read states, which ensembles run as well. */
static int create_watch(simulation *z)
{
    method_part parts[METHOD_PARTS];
    const char *why;
    if (z->m->phase || z->m->contact_count || X(method_parts)(&z->method, parts, &why)) return TAUT_OK;
    return X(points_watch_create)(z->s, z->symmetries, z->symmetry_count, &z->points);
}

int X(simulation_parts)(simulation *z, const struct method_class *class)
{
    int status = taut_flat_begin(z->context, &z->flat);
    if (!status) status = X(simulation_workspace)(z);
    if (!status) status = X(state_create)(z->s, &z->x);
    if (!status) status = X(state_create)(z->s, &z->begin);
    if (!status) status = X(simulation_divided_create)(z);
    /* before the method: a compiler may work on both at the same time */
    if (!status && !z->m->phase && !z->m->contact_count && !z->s->softening)
        status = X(reading_create)(z->s, z->symmetries, z->symmetry_count, has_own_power(z), &z->reading);
    if (!status && wants_elements(z)) status = X(element_reading_create)(z->s, has_own_power(z), &z->elements);
    if (!status && power_needs_motion(z)) status = X(simulation_find_motion)(z);
    if (!status) status = X(method_create_with)(z->s, class, &z->spec, z->tolerance, &z->method);
    if (!status) status = create_watch(z);
    if (!status && !z->m->phase) status = X(acceleration_create)(z->s, &z->acceleration);
    if (!status) status = X(simulation_strain_create)(z);
    return status;
}

enum { MANY_CONSTRAINTS = 256 };

/* Of many constraints: a matrix from which those of the start, of the steps and of frames have their analysis, as long
   as they are created. */
typedef struct {
    multiplier *multiplier;
    kkt *kkt;
} shared_matrix;

static int analyse_once(simulation *z, shared_matrix *shared)
{
    struct system *s = z->s;
    if (s->c < MANY_CONSTRAINTS || s->phase_space) return TAUT_OK;
    return X(multiplier_is_enough)(s) ? X(multiplier_create)(s, NULL, &shared->multiplier)
                                      : X(kkt_create)(s, &shared->kkt);
}

/* What belongs to the state at the start. */
static int begin_run(simulation *z, const engine_options *options)
{
    int status = TAUT_OK, ordinary = !z->m->phase;
    if (z->m->start_points_line) status = start_from_points(z, options->start, (real)options->step);
    if (!status && ordinary)
        status = X(acceleration_solve)(z->acceleration, z->x.q, z->x.w, z->x.t, z->x.lambda, NULL);
    if (!status && ordinary) status = X(system_prepare_power)(z->s);
    if (!status && z->hybrid) status = X(hybrid_start)(z->hybrid, &z->x);
    if (!status && z->hybrid) status = X(hybrid_symmetries)(z->hybrid, &z->x, z->symmetries, &z->symmetry_count);
    return status;
}

static int create(model *m, const engine_options *options, const struct method_class *class, simulation **result)
{
    *result = NULL;
    simulation *z = taut_mem_new(m->context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->m = m;
    z->context = m->context;
    z->tolerance = (real)options->tolerance;
    z->has_calls = taut_graph_has_calls(m->graph);
    if (!options->again) taut_note_forget(m->context);
    int status = class ? TAUT_OK : X(method_parse)(m->context, options->method, &z->spec);
    if (m->contact_count) z->spec.is_part = 1; /* events divide steps */
    if (status) {
        X(simulation_destroy)(z);
        return status;
    }
    if (!class) class = X(method_find)(z->spec.name);
    z->declared = X(method_class_declared)(class, &z->spec);
    taut_native_use_begin(&z->native, options->native);
    z->native.steps = options->steps;
    z->native.looks = options->looks;
    z->native.frames = options->frames;
    status = X(simulation_system)(z, options->start);
    if (!status) z->s->native = &z->native;
    if (!status) status = taut_pool_create(m->context, options->threads, &z->pool);
    if (!status) status = X(workspace_use)(z->s->work, z->pool);
    m = z->m;
    if (!status) X(method_adapt)(z->s, z->s->c || m->contact_count, &z->declared);
    if (!status) status = X(system_prepare_block)(z->s, BLOCK_G);
    state first = { 0 };
    if (!status) status = X(state_create)(z->s, &first);
    first.t = (real)options->time;
    first.t_low = (real)(options->time - (wide)first.t);
    if (!status && options->start == START_AS_IS && !z->declared.any_start)
        status = taut_fail(m->context, TAUT_UNSUPPORTED,
                           "method '%s' keeps the constraints and needs a start on them; a start as it is, off the "
                           "constraints, is for naive, extended and dirac",
                           class->info->name);
    taut_budget_part(z->context, "the consistent start");
    shared_matrix shared = { NULL, NULL };
    if (!status) status = analyse_once(z, &shared);
    if (!status) status = X(start_state)(z->s, options->start, &first, &z->start);
    taut_budget_part(z->context, "the matrices of a step");
    if (!status && z->start.dependent && !options->quiet) tell_redundancy(z);
    if (!status && z->s->slip && !options->quiet) status = tell_integrable(z, &first);
    if (!status) status = X(symmetry_find)(z->s, first.q, first.w, z->symmetries, &z->symmetry_count);
    if (!status) status = X(simulation_parts)(z, class);
    if (!status)
        status = X(method_adapt_to_symmetries)(z->s, first.q, first.w, z->symmetries, z->symmetry_count, &z->declared);
    if (!status) status = create_hybrid(z, class, options);
    X(multiplier_destroy)(shared.multiplier);
    X(kkt_destroy)(shared.kkt);
    if (!status) status = taut_flat_place(z->flat);
    /* what steps go through; all else of a start would take longer to get than it saves */
    if (!status) taut_flat_advise_part(z->flat, z->x.block, X(state_size)(&z->x) * sizeof(real));
    if (!status) X(state_copy)(&first, &z->x);
    if (z->s) X(state_clear)(z->s, &first);
    if (!status) status = begin_run(z, options);
    if (!status && z->native.mode == TAUT_NATIVE_ON && !z->native.asked)
        status = taut_fail(m->context, TAUT_UNSUPPORTED,
                           "native code is not available: steps of method '%s' are not compiled for this model",
                           class->info->name);
    if (!status) status = X(reading_wait)(z->reading);
    if (status) {
        X(simulation_destroy)(z);
        return status;
    }
    memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
    X(state_copy)(&z->x, &z->begin);
    X(simulation_strain_begin)(z);
    while (z->column_symmetries < z->symmetry_count && z->symmetries[z->column_symmetries].type != SYMMETRY_SHIFT)
        z->column_symmetries++;
    taut_flat_advise(z->flat);
    *result = z;
    return TAUT_OK;
}

int X(simulation_create_with)(model *m, const engine_options *options, const struct method_class *class,
                           simulation **result)
{
    taut_budget_begin(m->context, "derivatives of the formulas");
    const int status = create(m, options, class, result);
    taut_budget_end(m->context);
    return status;
}

enum { MANY = 48 }; /* coordinates */

static int is_finite(const simulation *z)
{
    const real *q = z->x.q, *p = z->x.p;
    const uint32_t n = z->s->n;
    real sum = 0;
    if (n > MANY && !z->hybrid && X(method_outcome_of)(&z->method).finite) return 1;
    if (n > MANY) { /* a sum would wait for each of its additions */
        const real far = X(vector_largest)(z->pool, n, q), fast = X(vector_largest)(z->pool, n, p);
        return far - far == 0 && fast - fast == 0;
    }
    for (uint32_t i = 0; i < n; i++) sum += (q[i] - q[i]) + (p[i] - p[i]);
    return sum == 0;
}

real X(simulation_work)(const simulation *z) { return *z->x.work + *z->x.work_low; }

static real power(simulation *z)
{
    X(simulation_read)(z, READING_POWER);
    return z->power;
}

static int check_finite(const simulation *z)
{
    if (is_finite(z)) return TAUT_OK;
    return taut_fail(z->context, -TAUT_NOT_FINITE, "at t = %.9g: the state is no longer finite; try a smaller step",
                     (double)z->x.t);
}

int X(simulation_step)(simulation *z, real h)
{
    int add_work = has_own_power(z);
    if (z->has_calls) taut_context_forget_fault(z->context);
    real work = add_work ? h / 2 * power(z) : 0, before = *z->x.work, before_low = *z->x.work_low;
    if (z->hybrid) memcpy(z->counts_before, z->event_counts, sizeof z->event_counts);
    z->h = h;
    int status = z->hybrid ? X(hybrid_step)(z->hybrid, &z->x, h) : X(simulation_smooth_step)(z, h);
    simulation_moved(z);
    /* they have not happened */
    if (status && z->hybrid) memcpy(z->event_counts, z->counts_before, sizeof z->event_counts);
    if (status) return status;
    if (z->strain.watched) simulation_strain(z);
    if (!z->declared.own_work) *z->x.work = before, *z->x.work_low = before_low; /* methods know nothing of it */
    if (add_work) { /* the trapezoidal rule */
        work += h / 2 * power(z);
        X(add_compensated)(z->x.work, z->x.work_low, &work, 1);
    }
    z->steps++;
    return check_finite(z);
}

int X(simulation_steps)(simulation *z, long count, long *done)
{
    const real work = *z->x.work, work_low = *z->x.work_low;
    *done = 0;
    multiplier_growth *size = z->strain.watched ? &z->strain.size : NULL;
    if (count > 1 && !z->hybrid && !has_own_power(z) && !(size && z->s->c > STRAIN_WEIGHED))
        *done = X(method_steps)(&z->method, &z->x, &z->h, 0, count, size);
    if (*done) {
        simulation_moved(z);
        if (*done > 1) z->strain.calm = 0, z->strain.waits = 0; /* they did not grow in the step before the last */
        if (size) simulation_strain_after(z);
        if (!z->declared.own_work) *z->x.work = work, *z->x.work_low = work_low;
        z->steps += *done;
        return check_finite(z);
    }
    *done = 1;
    return X(simulation_step)(z, z->h);
}

void X(simulation_take_back)(simulation *z)
{
    if (!z->hybrid) return;
    X(hybrid_take_back)(z->hybrid, &z->x);
    simulation_moved(z);
    memcpy(z->event_counts, z->counts_before, sizeof z->event_counts);
    z->steps--;
}

int X(simulation_lossless)(const simulation *z)
{
    for (size_t i = 0; i < z->m->contact_count; i++) {
        real e = 0;
        if (z->m->contacts[i].friction || X(system_constant)(z->s, z->m->contacts[i].restitution, &e) || e != 1)
            return 0;
    }
    return 1;
}

int X(simulation_without_contacts)(const simulation *z, const char *what)
{
    if (!z->hybrid) return TAUT_OK;
    return taut_fail(z->context, TAUT_UNSUPPORTED, "%s:%d: %s is for smooth motion, and this model has contacts",
                z->m->file, z->m->contacts[0].line, what);
}

newton_counts X(simulation_counts)(const simulation *z)
{
    return z->hybrid ? X(hybrid_counts)(z->hybrid) : *X(method_counts)(&z->method);
}

void X(simulation_restart)(simulation *z)
{
    X(state_copy)(&z->begin, &z->x);
    simulation_moved(z);
    z->strain.size.size = z->strain.calm = 0;
    z->divided.count = z->divided.doubtful = 0;
    z->strain.seen = 0;
    X(simulation_strain_forget)(z);
    memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
    memset(z->event_counts, 0, sizeof z->event_counts);
}

int X(simulation_make_flow)(simulation *z)
{
    formulation *f = z->m->phase ? X(method_formulation)(&z->method) : NULL;
    if (z->flow) return TAUT_OK;
    return f ? X(flow_create_along)(z->s, f->class->evaluate, f->self, &z->flow) : X(flow_create)(z->s, &z->flow);
}

/* Fields are written from outside, perhaps by a file that someone else has written. */
static int check_fields(simulation *z)
{
    state_field fields[STATE_FIELDS];
    const int count = X(state_fields)(&z->x, fields);
    for (int i = 0; i < count; i++)
        for (size_t k = 0; k < fields[i].count; k++)
            if (!(fields[i].data[k] - fields[i].data[k] == 0))
                return taut_fail(z->context, TAUT_NOT_FINITE,
                                 "the state is invalid: '%s' has a number that is not finite", fields[i].name);
    return z->hybrid ? X(contact_check_state)(z->m, &z->x) : TAUT_OK;
}

int X(simulation_restored)(simulation *z, const engine_counts *counts)
{
    const int status = check_fields(z);
    if (status) return status;
    const newton_counts own = X(simulation_counts)(z);
    simulation_moved(z);
    z->work_before = counts->work;
#define COUNT(member, text) z->work_before.member -= own.member;
    NEWTON_COUNTS(COUNT)
#undef COUNT
    z->steps = counts->steps;
    memcpy(z->event_counts, counts->events, sizeof z->event_counts);
    memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
    return TAUT_OK;
}

int X(simulation_flow)(simulation *z, real until, real tolerance)
{
    int status = X(simulation_without_contacts)(z, "the exact solution");
    if (!status) status = X(simulation_make_flow)(z);
    simulation_moved(z);
    return status ? status : X(flow_advance)(z->flow, &z->x, until, tolerance);
}

int X(simulation_time)(simulation *z, real *time)
{
    *time = 0;
    if (z->hybrid) return TAUT_OK;
    int status = X(simulation_make_flow)(z);
    /* 5e5 round-offs: what the extrapolation can reach */
    return status ? status : X(flow_time)(z->flow, &z->begin, (real)5e5 * REAL_EPSILON, time);
}
