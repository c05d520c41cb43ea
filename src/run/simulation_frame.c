/* What is read off the state of a simulation: residuals, energy, multipliers, and the columns of a frame.
 * simulation_read is the one place where a state is evaluated for frames, for what a run watches and for the work of
 * forces; nothing is evaluated twice at one state. On a small system straight-line code reads the state
 * (lower/reading.h), on larger ones of bodies programs over elements do (lower/element_reading.h); what these do not
 * have, and everything of other systems, is evaluated by the fields. */
#include <stdio.h>
#include <string.h>

#include "run/simulation.h"
#include "system/vector.h"

/* q' by the method's own equations into z->v, the largest |chi|, and the largest |d chi/dt|. */
static void phase_residuals(simulation *z, real *position, real *velocity)
{
    struct system *s = z->s;
    formulation *f = X(method_formulation)(&z->method);
    real *at = z->phase_work, *rate = at + 2 * s->n;
    memcpy(at, z->x.q, s->n * sizeof(real));
    memcpy(at + s->n, z->x.p, s->n * sizeof(real));
    f->class->begin(f->self, &z->x);
    f->class->chi(f->self, z->x.t, at, z->g);
    *position = real_largest(z->g, s->c);
    if (f->class->evaluate(f->self, z->x.t, at, rate)) {
        for (uint32_t i = 0; i < 2 * s->n; i++) rate[i] = (real)NAN; /* no velocity belongs to this state; the next step
                                                                        will say so */
    }
    memcpy(z->v, rate, s->n * sizeof(real));
    place here = place_at(z->s, z->x.q, z->x.p, &z->x.t, NULL);
    X(system_block_values)(s, BLOCK_G, &here, z->g_values);
    X(system_constraint_rate)(s, &here, z->g_rate);
    for (int by = 0; by < 2; by++) {
        const pattern *p = X(field_jacobian_pattern)(s->constraint, by ? KIND_W : KIND_Q);
        memset(z->phase_entries, 0, (size_t)pattern_entries(p) * sizeof(real));
        X(field_jacobian)(s->constraint, by ? KIND_W : KIND_Q, &here, z->phase_entries);
        for (int r = 0; r < p->rows; r++)
            for (int e = p->start[r]; e < p->start[r + 1]; e++)
                z->g_rate[r] += z->phase_entries[e] * rate[(by ? s->n : 0) + (uint32_t)p->index[e]];
    }
    *velocity = real_largest(z->g_rate, s->c);
}

static void read_velocity(simulation *z)
{
    place at = simulation_place(z);
    if (z->elements)
        X(element_reading_velocity)(z->elements, &z->x, z->v);
    else
        X(system_velocity)(z->s, &at, z->v);
}

/* Not every run has frames, and straight-line code has most of what small systems need. */
int X(simulation_find_motion)(simulation *z)
{
    size_t checks;
    const int is_lowered = z->reading && X(reading_multiplier_program)(z->reading, &checks);
    int status = TAUT_OK;
    if (!z->motion_sought && !z->s->inverse_mass && !is_lowered) status = X(element_motion_create)(z->s, &z->motion);
    z->motion_sought = !status;
    return status;
}

/* With G, where the residuals have been read before. */
static int read_multipliers(simulation *z)
{
    const real *g = z->known & READING_JACOBIAN ? z->g_values : NULL;
    if (z->hybrid) return X(hybrid_measure)(z->hybrid, &z->x, z->lambda, z->gaps, z->observables);
    if (!z->s->c || z->m->phase) return TAUT_OK;
    const int status = X(simulation_find_motion)(z);
    if (status) return status;
    if (z->motion && X(element_motion_multipliers)(z->motion, &z->x, z->lambda)) return TAUT_OK;
    /* From the state alone, not from the last frame: what is recorded must not depend on how often, or since when. */
    memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
    return X(acceleration_solve_with)(z->acceleration, z->x.q, z->x.w, z->x.t, g, z->lambda, NULL);
}

/* In a singular position the motion may go on, though the multipliers are not determined: they are missing values. */
static int miss_multipliers(simulation *z)
{
    for (uint32_t k = 0; k < z->s->c; k++) z->lambda[k] = (real)NAN;
    return TAUT_OK;
}

static void read_residuals(simulation *z)
{
    struct system *s = z->s;
    place at = simulation_place(z);
    if (z->m->phase) {
        phase_residuals(z, &z->largest_g, &z->largest_rate);
        return;
    }
    X(system_constraints)(s, &at, z->g);
    X(system_block_values)(s, BLOCK_G, &at, z->g_values);
    X(system_constraint_rate)(s, &at, z->g_rate);
    X(block_multiply_by)(z->pool, &s->blocks[BLOCK_G], z->g_values, 1, z->v, z->g_rate);
    z->largest_g = X(vector_largest)(z->pool, s->c, z->g);
    z->largest_rate = X(vector_largest)(z->pool, s->c, z->g_rate);
}

static void read_energy(simulation *z)
{
    place at = simulation_place(z);
    z->energy = X(system_energy)(z->s, &at, z->v); /* on phase space this is H, which does not ask for v */
}

static void read_momenta(simulation *z)
{
    X(symmetry_momenta)(z->s, z->symmetries, z->symmetry_count, z->x.q, z->x.p, z->momenta);
}

static void read_observables(simulation *z)
{
    place at = simulation_place(z);
    if (z->m->phase && z->m->phase->velocities) at.x[KIND_W] = z->v;
    X(system_observables)(z->s, &at, z->observables);
}

/* Where the multipliers of the state cannot be found, with the method's own. */
static void read_power(simulation *z)
{
    const structure *found = &z->s->structure;
    place at = simulation_place(z);
    if ((found->force_multiplier || found->constraint_time) && X(simulation_read)(z, READING_DETERMINED))
        memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
    if (z->elements) {
        z->power = X(element_reading_power)(z->elements, &z->x, z->v, z->lambda);
        return;
    }
    z->power = X(system_power)(z->s, &at, z->v, z->g_rate);
    z->known &= ~(unsigned)(READING_RESIDUALS | READING_JACOBIAN); /* g_rate was room to work in */
}

/* What else must be known first. The velocity on phase space comes with the residuals. */
static unsigned with_needs(const simulation *z, unsigned wanted)
{
    if (wanted & READING_DETERMINED) wanted |= READING_MULTIPLIERS;
    if (wanted & READING_OBSERVABLES) wanted |= READING_VELOCITY | READING_MULTIPLIERS;
    if (wanted & (READING_RESIDUALS | READING_ENERGY | READING_POWER)) wanted |= z->m->phase ? 0 : READING_VELOCITY;
    if (wanted & READING_VELOCITY && z->m->phase) wanted |= READING_RESIDUALS;
    return wanted;
}

/* ---- by straight-line code ---- */

static void lower_watched(simulation *z)
{
    const size_t n = z->s->n, c = z->s->c;
    const real *from = X(reading_watched)(z->reading, &z->x);
    if (!from) return;
    memcpy(z->v, from, n * sizeof(real));
    from += n;
    z->largest_g = real_largest(from, c);
    z->largest_rate = real_largest(from + c, c);
    from += 2 * c;
    z->energy = *from++;
    for (int i = 0; i < z->symmetry_count; i++) z->momenta[i] = from[i];
    z->known |= READING_WATCHED | READING_VELOCITY;
}

static int lower_multipliers(simulation *z)
{
    const size_t c = z->s->c;
    int status = X(reading_prepare)(z->reading);
    const real *from = status ? NULL : X(reading_multipliers)(z->reading, &z->x);
    if (!from) return status;
    if (c) memcpy(z->lambda, from, c * sizeof(real));
    if (z->m->observable_count) memcpy(z->observables, from + c, z->m->observable_count * sizeof(real));
    z->known |= READING_MULTIPLIERS | READING_DETERMINED | READING_OBSERVABLES;
    return TAUT_OK;
}

static void lower_power(simulation *z)
{
    const real *from = X(reading_power)(z->reading, &z->x);
    if (!from) return;
    z->power = *from;
    z->known |= READING_POWER;
    if (!X(reading_power_solves)(z->reading)) return;
    memcpy(z->lambda, from + 1, z->s->c * sizeof(real));
    z->known |= READING_MULTIPLIERS | READING_DETERMINED;
}

/* As much of it as there is code for becomes known. */
static int read_lowered(simulation *z, unsigned missing)
{
    if (missing & READING_POWER) lower_power(z);
    if (missing & (READING_WATCHED | READING_VELOCITY)) lower_watched(z);
    const unsigned solved = missing & ~z->known & (READING_MULTIPLIERS | READING_DETERMINED | READING_OBSERVABLES);
    return solved ? lower_multipliers(z) : TAUT_OK;
}

/* ---- by programs over elements ---- */

static void read_elements(simulation *z)
{
    read_velocity(z);
    const element_watched found = X(element_reading_watched)(z->elements, &z->x, z->v);
    z->largest_g = found.largest_g, z->largest_rate = found.largest_rate, z->energy = found.energy;
    read_momenta(z);
    z->known |= READING_WATCHED | READING_VELOCITY;
}

/* ---- of points between bars ---- */

static void watch_points(simulation *z)
{
    const points_watched *found = X(points_watch_read)(z->points, &z->x);
    if (!found) return;
    z->largest_g = found->position, z->largest_rate = found->velocity;
    for (int i = 0; i < z->symmetry_count; i++) z->momenta[i] = found->momenta[i];
    z->known |= READING_RESIDUALS | READING_MOMENTA;
    if (!X(points_watch_has_energy)(z->points)) return;
    z->energy = found->energy;
    z->known |= READING_ENERGY;
}

/* ---- all of it ---- */

static int read_by_fields(simulation *z, unsigned wanted)
{
    const unsigned missing = with_needs(z, wanted) & ~z->known;
    int status = TAUT_OK;
    if (missing & READING_VELOCITY && !z->m->phase) read_velocity(z);
    if (missing & READING_POWER) read_power(z);
    if (missing & READING_RESIDUALS) {
        read_residuals(z);
        z->known |= READING_RESIDUALS | READING_JACOBIAN;
    }
    if (missing & (READING_MULTIPLIERS | READING_DETERMINED)) {
        status = read_multipliers(z);
        if (!status) z->known |= READING_DETERMINED;
        const int singular = status == TAUT_SINGULAR || (status == TAUT_NO_CONVERGENCE && z->s->softening);
        if (singular && !(missing & READING_DETERMINED) && !z->hybrid) status = miss_multipliers(z);
    }
    if (status) return status;
    if (missing & READING_ENERGY) read_energy(z);
    if (missing & READING_MOMENTA) read_momenta(z);
    if (missing & READING_OBSERVABLES && !z->hybrid) read_observables(z);
    z->known |= missing;
    return TAUT_OK;
}

int X(simulation_read)(simulation *z, unsigned wanted)
{
    if (z->points && (wanted & ~z->known) & READING_WATCHED) watch_points(z);
    int status = z->reading && (wanted & ~z->known) ? read_lowered(z, wanted & ~z->known) : TAUT_OK;
    if (z->elements && !status && (wanted & ~z->known & READING_WATCHED)) read_elements(z);
    return status || !(wanted & ~z->known) ? status : read_by_fields(z, wanted & ~z->known);
}

void X(simulation_residuals)(simulation *z, real *position, real *velocity)
{
    simulation_moved(z);
    read_by_fields(z, READING_RESIDUALS);
    *position = z->largest_g;
    *velocity = z->largest_rate;
}

real X(simulation_energy)(simulation *z)
{
    simulation_moved(z);
    X(simulation_read)(z, READING_ENERGY);
    return z->energy;
}

int X(simulation_multipliers)(simulation *z)
{
    simulation_moved(z);
    return X(simulation_read)(z, READING_DETERMINED);
}

int X(simulation_solution)(simulation *z, wide *q, wide *p, wide *lambda)
{
    int status = X(simulation_multipliers)(z);
    if (status) return status;
    for (uint32_t i = 0; i < z->s->n; i++) q[i] = (wide)z->x.q[i] + z->x.q_low[i];
    for (uint32_t i = 0; i < z->s->n; i++) p[i] = (wide)z->x.p[i] + z->x.p_low[i];
    for (uint32_t k = 0; k < z->s->c; k++) lambda[k] = z->lambda[k];
    return TAUT_OK;
}

/* ---- columns ---- */

size_t X(simulation_columns_of)(const simulation *z, engine_column type)
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
    case COLUMN_WORK: return X(simulation_has_work)(z) ? 1 : 0;
    case COLUMN_CONSTRAINT:
    case COLUMN_RATE: return 1;
    case COLUMN_SYMMETRY: return (size_t)z->column_symmetries;
    case COLUMN_OBSERVABLE: return z->m->observable_count;
    case COLUMN_MIDDLE_TIME: return z->declared.midpoint_multipliers && z->s->c ? 1 : 0;
    case COLUMN_MIDDLE_LAMBDA: return z->declared.midpoint_multipliers ? z->s->c : 0;
    default: return 0;
    }
}

size_t X(simulation_column_count)(const simulation *z)
{
    size_t count = 0;
    for (int type = 0; type < COLUMN_TYPES; type++) count += X(simulation_columns_of)(z, (engine_column)type);
    return count;
}

/* The type of a column, which becomes its index among those of the type; COLUMN_TYPES beyond the last. */
static engine_column find_column(const simulation *z, size_t *column)
{
    int type = 0;
    for (; type < COLUMN_TYPES && *column >= X(simulation_columns_of)(z, (engine_column)type); type++)
        *column -= X(simulation_columns_of)(z, (engine_column)type);
    return (engine_column)type;
}

int X(simulation_column_name)(const simulation *z, size_t column, char *buffer, size_t size)
{
    engine_column type = find_column(z, &column);
    char name[200];
    if (size) buffer[0] = 0;
    if (type >= COLUMN_Q && type <= COLUMN_P) taut_model_coordinate_name(z->m, (uint32_t)column, name, sizeof name);
    switch (type) {
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
    case COLUMN_SYMMETRY: X(symmetry_name)(z->s, &z->symmetries[column], buffer, size); break;
    case COLUMN_OBSERVABLE: snprintf(buffer, size, "%s", z->m->observables[column].name); break;
    case COLUMN_TYPES: return 1;
    }
    return 0;
}

/* Which readings a column needs, and where its numbers then are. */
static const struct {
    unsigned reading;
    const char *kind;
} column_table[COLUMN_TYPES] = {
    [COLUMN_TIME] = { 0, "time" },
    [COLUMN_Q] = { 0, "coordinate" },
    [COLUMN_V] = { READING_VELOCITY, "velocity" },
    [COLUMN_P] = { 0, "momentum" },
    [COLUMN_LAMBDA] = { READING_MULTIPLIERS, "multiplier" },
    [COLUMN_CONTACT] = { READING_MULTIPLIERS, "multiplier" },
    [COLUMN_GAP] = { READING_MULTIPLIERS, "gap" },
    [COLUMN_ENERGY] = { READING_ENERGY, "energy" },
    [COLUMN_WORK] = { 0, "work" },
    [COLUMN_CONSTRAINT] = { READING_RESIDUALS, "constraint" },
    [COLUMN_RATE] = { READING_RESIDUALS, "velocity_constraint" },
    [COLUMN_SYMMETRY] = { READING_MOMENTA, "conserved" },
    [COLUMN_OBSERVABLE] = { READING_OBSERVABLES, "observable" },
    [COLUMN_MIDDLE_TIME] = { 0, "midpoint_time" },
    [COLUMN_MIDDLE_LAMBDA] = { 0, "midpoint_multiplier" },
};

const char *X(simulation_column_kind)(const simulation *z, size_t column)
{
    engine_column type = find_column(z, &column);
    return type < COLUMN_TYPES ? column_table[type].kind : NULL;
}

static const real *numbers_of(const simulation *z, engine_column type, real *work)
{
    switch (type) {
    case COLUMN_TIME: return &z->x.t;
    case COLUMN_Q: return z->x.q;
    case COLUMN_V: return z->v;
    case COLUMN_P: return z->x.p;
    case COLUMN_LAMBDA: return z->lambda;
    case COLUMN_CONTACT: return z->lambda + z->s->c;
    case COLUMN_GAP: return z->gaps;
    case COLUMN_ENERGY: return &z->energy;
    case COLUMN_WORK: *work = X(simulation_work)(z); return work;
    case COLUMN_CONSTRAINT: return &z->largest_g;
    case COLUMN_RATE: return &z->largest_rate;
    case COLUMN_SYMMETRY: return z->momenta;
    case COLUMN_OBSERVABLE: return z->observables;
    case COLUMN_MIDDLE_TIME: return z->x.t_lambda;
    case COLUMN_MIDDLE_LAMBDA: return z->x.lambda;
    case COLUMN_TYPES: break;
    }
    return NULL;
}

int X(simulation_column_values)(simulation *z, engine_column type, size_t first, size_t count, real *values)
{
    real work;
    int status = count && column_table[type].reading ? X(simulation_read)(z, column_table[type].reading) : TAUT_OK;
    if (!status && count) memcpy(values, numbers_of(z, type, &work) + first, count * sizeof *values);
    return status;
}

int X(simulation_frame)(simulation *z, real *values)
{
    int status = X(simulation_read)(z, READING_FRAME);
    for (int type = 0; !status && type < COLUMN_TYPES; type++) {
        size_t count = X(simulation_columns_of)(z, (engine_column)type);
        status = X(simulation_column_values)(z, (engine_column)type, 0, count, values);
        values += count;
    }
    return status;
}
