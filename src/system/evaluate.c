/* The functions pi, nu, phi, g of a system and their sparse derivatives. */
#include "system/system_inside.h"

#include <string.h>

#include "system/vector.h"

static void clear(const place *at, real *out, size_t count)
{
    pool_clear(at->work->pool, out, count * sizeof *out);
}

void X(system_momentum)(const struct system *s, const place *at, real *out)
{
    if (s->form == FORM_LAGRANGIAN) {
        clear(at, out, s->n);
        X(field_gradient)(s->energy, KIND_W, at, NULL, out);
    } else {
        memmove(out, at->x[KIND_W], s->n * sizeof *out);
    }
}

void X(system_velocity)(const struct system *s, const place *at, real *out)
{
    if (s->form == FORM_LAGRANGIAN) {
        memmove(out, at->x[KIND_W], s->n * sizeof *out);
        return;
    }
    clear(at, out, s->n);
    if (s->form == FORM_HAMILTONIAN)
        X(field_gradient)(s->energy, KIND_W, at, NULL, out);
    else
        X(field_values)(s->rate_q, at, out);
}

void X(system_free_force)(const struct system *s, const place *at, real *out)
{
    clear(at, out, s->n);
    X(field_gradient)(s->energy, KIND_Q, at, NULL, out);
    if (s->form == FORM_HAMILTONIAN)
        for (uint32_t i = 0; i < s->n; i++) out[i] = -out[i];
    X(field_values)(s->force, at, out);
}

/* out += G' lambda */
static void add_constraint_force(const struct system *s, const place *at, real *out)
{
    kind by;
    field *slopes = system_slopes(s, &by);
    X(field_gradient)(slopes, by, at, at->x[KIND_LAMBDA], out);
}

void X(system_force)(const struct system *s, const place *at, real *out)
{
    if (s->form == FORM_RATES) {
        clear(at, out, s->n);
        X(field_values)(s->rate_w, at, out);
        return;
    }
    X(system_free_force)(s, at, out);
    if (at->x[KIND_LAMBDA]) add_constraint_force(s, at, out);
}

void X(system_constraint_force)(const struct system *s, const place *at, real *out)
{
    clear(at, out, s->n);
    add_constraint_force(s, at, out);
}

int X(system_prepare_split)(struct system *s)
{
    const family *whole = s->form == FORM_RATES ? &s->rate_w_family : &s->force_family;
    if (s->reaction) return TAUT_OK;
    taut_family_part_clear(s->store, &s->applied_family); /* of an attempt that ran out of memory */
    taut_family_part_clear(s->store, &s->reaction_family);
    int status = taut_family_part(s->store, whole, 1u << KIND_LAMBDA, 0, &s->applied_family);
    if (!status) status = taut_family_part(s->store, whole, 1u << KIND_LAMBDA, 1, &s->reaction_family);
    if (!status) status = X(system_make_field)(s, &s->applied_family, &s->applied);
    if (!status) status = X(field_prepare_values)(s->applied);
    if (!status) status = X(system_make_field)(s, &s->reaction_family, &s->reaction);
    return status ? status : X(field_prepare_values)(s->reaction);
}

void X(system_applied_force)(const struct system *s, const place *at, real *out)
{
    clear(at, out, s->n);
    if (s->energy) X(field_gradient)(s->energy, KIND_Q, at, NULL, out);
    if (s->form == FORM_HAMILTONIAN)
        for (uint32_t i = 0; i < s->n; i++) out[i] = -out[i];
    X(field_values)(s->applied, at, out);
}

void X(system_reaction)(const struct system *s, const place *at, real *out)
{
    clear(at, out, s->n);
    if (s->form != FORM_RATES) add_constraint_force(s, at, out);
    X(field_values)(s->reaction, at, out);
}

void X(system_constraints)(const struct system *s, const place *at, real *out)
{
    clear(at, out, s->c);
    X(field_values)(s->constraint, at, out);
}

void X(system_constraint_rate)(const struct system *s, const place *at, real *out)
{
    clear(at, out, s->c);
    if (!s->structure.constraint_time) return;
    if (s->pfaffian) { /* what is left at rest */
        place rest = *at;
        rest.x[KIND_W] = NULL;
        X(field_values)(s->pfaffian, &rest, out);
        return;
    }
    const pattern *p = X(field_jacobian_pattern)(s->constraint, KIND_T);
    /* The pattern has one column: entry k of the values belongs to the k-th row that contains t. */
    real *values = out; /* rows with an entry come in order, so values can be spread from the end in place */
    X(field_jacobian)(s->constraint, KIND_T, at, values);
    for (uint32_t k = s->c; k-- > 0;) {
        int has = p->start[k + 1] > p->start[k];
        out[k] = has ? values[p->start[k]] : 0;
    }
}

/* out += (the derivatives of the rows by one kind) x */
static void rate_times(const field *f, kind by, const place *at, const real *x, real *values, real *out)
{
    const pattern *p = X(field_jacobian_pattern)(f, by);
    clear(at, values, (size_t)pattern_entries(p));
    X(field_jacobian)(f, by, at, values);
    for (int r = 0; r < p->rows; r++)
        for (int k = p->start[r]; k < p->start[r + 1]; k++) out[r] += values[k] * x[p->index[k]];
}

void X(system_constraint_curvature)(const struct system *s, const place *at, const real *v, real *out)
{
    real one = 1;
    place direction = direction_of(v, NULL, &one);
    clear(at, out, s->c);
    X(field_second)(s->constraint, at, &direction, out);
    if (!s->slip) return;
    place moving = *at;
    moving.x[KIND_W] = v;
    rate_times(s->slip, KIND_Q, &moving, v, at->work->entries, out);
    rate_times(s->slip, KIND_T, &moving, &one, at->work->entries, out);
}

/* out += sum over the part (a: rows) of Hess f_ab x_b */
static void hessian_times(const struct system *s, kind a, kind b, const place *at, const real *x, real *values,
                          real *out)
{
    const pattern *p = X(field_hessian_pattern)(s->energy, a, b);
    clear(at, values, (size_t)pattern_entries(p));
    X(field_hessian)(s->energy, a, b, at, NULL, values);
    for (int r = 0; r < p->rows; r++)
        for (int k = p->start[r]; k < p->start[r + 1]; k++) out[r] += values[k] * x[p->index[k]];
}

/* d/dt of the gradient by w at fixed w: f_wq v + f_wt. */
static void gradient_rate(const struct system *s, const place *at, const real *v, real *out)
{
    real one = 1;
    clear(at, out, s->n);
    hessian_times(s, KIND_W, KIND_Q, at, v, at->work->entries, out);
    hessian_times(s, KIND_W, KIND_T, at, &one, at->work->entries, out);
}

void X(system_momentum_rate)(const struct system *s, const place *at, const real *v, real *out)
{
    if (s->form == FORM_LAGRANGIAN)
        gradient_rate(s, at, v, out);
    else
        clear(at, out, s->n);
}

void X(system_velocity_rate)(const struct system *s, const place *at, const real *v, real *out)
{
    real one = 1;
    clear(at, out, s->n);
    if (s->form == FORM_HAMILTONIAN) gradient_rate(s, at, v, out);
    if (s->form != FORM_RATES) return;
    rate_times(s->rate_q, KIND_Q, at, v, at->work->entries, out);
    rate_times(s->rate_q, KIND_T, at, &one, at->work->entries, out);
}

static int larger(int a, int b) { return a > b ? a : b; }

int X(system_prepare_rates)(struct system *s)
{
    int status = X(field_prepare_second)(s->constraint), room = 1;
    if (s->energy) {
        if (!status) status = X(field_prepare_hessian)(s->energy, KIND_W, KIND_Q);
        if (!status) status = X(field_prepare_hessian)(s->energy, KIND_W, KIND_T);
        if (!status)
            room = larger(pattern_entries(X(field_hessian_pattern)(s->energy, KIND_W, KIND_Q)),
                          pattern_entries(X(field_hessian_pattern)(s->energy, KIND_W, KIND_T)));
    } else {
        if (!status) status = X(field_prepare_jacobian)(s->rate_q, KIND_Q);
        if (!status) status = X(field_prepare_jacobian)(s->rate_q, KIND_T);
        if (!status)
            room = larger(pattern_entries(X(field_jacobian_pattern)(s->rate_q, KIND_Q)),
                          pattern_entries(X(field_jacobian_pattern)(s->rate_q, KIND_T)));
    }
    for (int i = 0; !status && s->slip && i < 2; i++) {
        const kind by = i ? KIND_T : KIND_Q;
        status = X(field_prepare_jacobian)(s->slip, by);
        if (!status) room = larger(room, pattern_entries(X(field_jacobian_pattern)(s->slip, by)));
    }
    return status ? status : X(workspace_reserve)(s->work, 0, 0, (size_t)room);
}

real X(system_energy)(const struct system *s, const place *at, const real *v)
{
    real value = 0;
    if (!s->energy) return 0;
    X(field_values)(s->energy, at, &value);
    if (s->form == FORM_HAMILTONIAN) return value;
    /* E = v . L_v - L */
    real *momentum = at->work->vector, action = 0;
    clear(at, momentum, s->n);
    X(field_gradient)(s->energy, KIND_W, at, NULL, momentum);
    for (uint32_t i = 0; i < s->n; i++) action += v[i] * momentum[i];
    return action - value;
}

int X(system_prepare_power)(struct system *s)
{
    return s->energy ? X(field_prepare_gradient)(s->energy, KIND_T) : TAUT_OK;
}

real X(system_power)(const struct system *s, const place *at, const real *v, real *rates)
{
    real power = 0;
    if (!s->energy) return 0;
    X(field_gradient)(s->energy, KIND_T, at, NULL, &power);
    if (s->form == FORM_LAGRANGIAN) power = -power;
    real *force = at->work->vector;
    clear(at, force, s->n);
    X(field_values)(s->force, at, force);
    for (uint32_t i = 0; i < s->n; i++) power += v[i] * force[i];
    if (!s->structure.constraint_time) return power;
    X(system_constraint_rate)(s, at, rates);
    for (uint32_t k = 0; k < s->c; k++) power -= at->x[KIND_LAMBDA][k] * rates[k];
    return power;
}

void X(system_observables)(const struct system *s, const place *at, real *out)
{
    clear(at, out, X(field_rows)(s->observable));
    X(field_values)(s->observable, at, out);
}

void X(system_apply_inverse_mass)(const struct system *s, const real *x, real *out)
{
    const pattern *p = s->inverse_mass_shape;
    if (s->structure.diagonal_mass) {
        X(vector_multiply)(s->work->pool, s->n, s->inverse_mass, x, out);
        return;
    }
    if (x == out) x = memcpy(s->work->vector, x, s->n * sizeof *x);
    for (uint32_t i = 0; i < s->n; i++) {
        real sum = 0;
        for (int k = p->start[i]; k < p->start[i + 1]; k++) sum += s->inverse_mass[k] * x[p->index[k]];
        out[i] = sum;
    }
}
