/* What a model is: rank of its constraints, start values, conserved quantities, structure, suitable methods. */
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "run/simulation.h"
#include "solve/integrable.h"
#include "solve/rank.h"

/* At the start; where the constraints are not met their rank says nothing. */
static int find_rank(simulation *z, engine_check *out, void (*redundant)(void *, uint32_t, const char *), void *user)
{
    struct system *s = z->s;
    rank *found;
    out->rank = s->c;
    if (s->phase_space) { /* the Dirac algorithm has looked */
        out->rank_known = 1;
        return TAUT_OK;
    }
    if (z->start.unmet) return TAUT_OK;
    place at = place_at(z->s, z->x.q, z->x.w, &z->x.t, NULL);
    X(system_block_values)(s, BLOCK_G, &at, z->g_values);
    int status = X(rank_create)(s, z->g_values, &found);
    if (status) return status;
    out->rank = X(rank_number)(found);
    out->rank_known = 1;
    for (uint32_t k = 0; k < s->c; k++) {
        char on[400];
        if (!X(rank_is_dependent)(found, k)) continue;
        X(rank_names)(found, k, on, sizeof on);
        redundant(user, k, on);
    }
    X(rank_destroy)(found);
    return TAUT_OK;
}

/* Which velocity constraints are integrable, and what is left for the positions. */
static int look_at_velocity_constraints(simulation *z, engine_check *out)
{
    struct system *s = z->s;
    rank *found = NULL;
    unsigned char *integrable = taut_mem_new(s->context, s->c, sizeof *integrable);
    int status = integrable ? X(integrable_find)(s, &z->x, integrable, &out->integrable_known) : TAUT_OUT_OF_MEMORY;
    place at = place_at(z->s, z->x.q, z->x.w, &z->x.t, NULL);
    X(system_block_values)(s, BLOCK_G, &at, z->g_values);
    if (!status) status = X(rank_create)(s, z->g_values, &found);
    out->position_freedom = (int)s->n;
    for (uint32_t k = 0; !status && k < s->c; k++) {
        const int velocity = X(system_is_velocity_constraint)(s, k);
        if ((!velocity || integrable[k]) && !X(rank_is_dependent)(found, k)) out->position_freedom--;
        char *names = integrable[k] ? out->integrable : out->nonholonomic;
        const size_t length = strlen(names);
        if (velocity && out->integrable_known)
            snprintf(names + length, sizeof out->integrable - length, "%s%s", length ? ", " : "",
                     X(system_constraint_origin)(s, k).name);
    }
    X(rank_destroy)(found);
    taut_mem_free(s->context, integrable);
    return status;
}

static void copy_structure(const simulation *z, engine_check *out)
{
    const struct system *s = z->s;
    const structure *f = &s->structure;
    out->coordinates = s->n;
    out->constraints = s->c;
    out->time_dependent = f->time_dependent;
    out->has_forces = f->has_forces;
    out->force_position = f->force_position;
    out->force_time = f->force_time;
    out->force_velocity = f->force_velocity;
    out->force_multiplier = f->force_multiplier;
    out->constant_mass = f->constant_mass;
    out->uncoupled = f->uncoupled;
    out->diagonal_mass = f->diagonal_mass;
    out->largest_block = f->largest_block;
    out->separable = f->separable;
    out->augmented = f->augmented;
    out->explicit_force = f->explicit_force;
    out->energy_conserved =
        s->energy && !f->time_dependent && !f->has_forces && !f->constraint_time && X(simulation_lossless)(z);
    out->velocity_constraints = s->slip_count;
    out->kernels = taut_store_kernel_count(s->store);
    out->constants = taut_store_constant_count(s->store);
    const field *fields[] = { s->energy, s->constraint, s->slip, s->force, s->rate_q, s->rate_w, s->observable };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i]) out->instances += X(field_instances)(fields[i]);
}

static void tell_start(simulation *z, void (*start)(void *, const char *, wide, int), void *user)
{
    const model *m = z->m;
    char name[220], column[230];
    for (uint32_t i = 0; i < z->s->n; i++) {
        taut_model_coordinate_name(m, i, name, sizeof name);
        start(user, name, z->x.q[i], m->start_q[i].type == START_FREE);
    }
    for (uint32_t i = 0; i < z->s->n; i++) {
        taut_model_namer((void *)m, OP_VARIABLE, KIND_W, i, column, sizeof column);
        start(user, column, z->x.w[i], m->start_w[i].type == START_FREE);
    }
}

/* Which contacts are closed at the start. *strictest: of all that a method must be able to run. */
static int look_at_contacts(simulation *z, engine_check *out, const struct system **strictest)
{
    hybrid_options options = { .softened = z->s->softening != NULL };
    out->contacts = (uint32_t)z->m->contact_count;
    if (!out->contacts) return TAUT_OK;
    int status = X(hybrid_create)(z->m, X(method_find)("rattle"), &z->spec, 0, &options, &z->hybrid);
    if (!status) status = X(hybrid_strictest)(z->hybrid, strictest);
    if (out->start_status) return status == TAUT_OUT_OF_MEMORY ? status : TAUT_OK; /* it has been said */
    if (!status) status = X(hybrid_start)(z->hybrid, &z->x);
    if (status == TAUT_OUT_OF_MEMORY) return status;
    out->start_status = status;
    if (status) snprintf(out->start_text, sizeof out->start_text, "%s", taut_error_text(z->m->context));
    size_t at = 0;
    for (size_t i = 0; !status && i < out->contacts; i++) {
        if (contact_mode_of(&z->x, i) == MODE_OPEN) continue;
        out->closed++;
        if (at + 110 < sizeof out->closed_names)
            at += (size_t)snprintf(out->closed_names + at, sizeof out->closed_names - at, "%s%s", at ? ", " : "",
                                   z->m->contacts[i].name);
    }
    return status ? TAUT_OK : X(hybrid_symmetries)(z->hybrid, &z->x, z->symmetries, &z->symmetry_count);
}

static int find_frequency(simulation *z, engine_check *out)
{
    real found = 0;
    if (out->start_status || z->m->phase) return TAUT_OK;
    taut_budget_part(z->context, "the fastest frequency");
    int status = X(acceleration_create)(z->s, &z->acceleration);
    if (!status) status = X(simulation_frequency)(z, 0, &found);
    out->frequency = found;
    return status;
}

static int look(simulation *z, start_mode mode, engine_check *out, void (*start)(void *, const char *, wide, int),
                void (*redundant)(void *, uint32_t, const char *), void (*conserved)(void *, const char *),
                void (*method)(void *, const char *, const char *), void *user)
{
    struct system *s = z->s;
    char name[220];
    copy_structure(z, out);
    taut_budget_part(z->context, "the consistent start");
    out->start_status = X(start_state)(s, mode, &z->x, &z->start);
    if (out->start_status == TAUT_OUT_OF_MEMORY) return out->start_status;
    if (out->start_status) snprintf(out->start_text, sizeof out->start_text, "%s", taut_error_text(s->context));
    out->free_q = z->start.free_q, out->free_w = z->start.free_w;
    out->moved_q = z->start.moved_q, out->moved_w = z->start.moved_w;
    tell_start(z, start, user);
    taut_budget_part(z->context, "the rank of the constraints");
    int status = find_rank(z, out, redundant, user);
    out->degrees_of_freedom = (int)s->n - (int)out->rank;
    if (s->phase_space)
        out->degrees_of_freedom = (2 * (int)s->n - (int)s->c - (int)s->phase_space->first) / 2;
    out->phase = s->phase_space != NULL;
    if (!status && s->slip && !out->start_status) status = look_at_velocity_constraints(z, out);
    if (!status) status = X(symmetry_find)(s, z->x.q, z->x.w, z->symmetries, &z->symmetry_count);
    const struct system *strictest = NULL;
    if (!status) status = find_frequency(z, out);
    if (!status) status = look_at_contacts(z, out, &strictest);
    for (int i = 0; !status && i < z->symmetry_count; i++) {
        X(symmetry_name)(s, &z->symmetries[i], name, sizeof name);
        conserved(user, name);
    }
    for (int i = 0; !status && i < X(method_count)(); i++) {
        const struct method_class *c = X(method_at)(i);
        const char *refusal = X(method_refusal)(c, s);
        method(user, c->info->name, refusal || !strictest ? refusal : X(method_refusal)(c, strictest));
    }
    return status;
}

int X(simulation_check)(model *m, start_mode mode, engine_check *result,
                        void (*start)(void *user, const char *name, wide value, int free),
                        void (*redundant)(void *user, uint32_t constraint, const char *on),
                        void (*conserved)(void *user, const char *name),
                        void (*method)(void *user, const char *name, const char *refusal), void *user)
{
    *result = (engine_check){ 0 };
    simulation *z = taut_mem_new(m->context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->m = m;
    z->context = m->context;
    taut_budget_begin(z->context, "derivatives of the formulas");
    int status = X(simulation_system)(z, mode);
    m = z->m;
    if (!status) status = X(system_prepare_block)(z->s, BLOCK_G);
    if (!status) status = X(simulation_workspace)(z);
    if (!status) status = X(state_create)(z->s, &z->x);
    if (!status) status = look(z, mode, result, start, redundant, conserved, method, user);
    taut_budget_end(z->context);
    X(simulation_destroy)(z);
    return status;
}
