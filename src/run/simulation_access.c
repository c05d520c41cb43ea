/* What the library does to a simulation besides stepping it: another state, an impulse, matrices at the state, other
   values of parameters. */
#include <string.h>

#include "run/simulation.h"
#include "system/vector.h"

static int is_ordinary(const simulation *z, const char *what)
{
    if (!z->m->phase) return TAUT_OK;
    return taut_fail(z->context, TAUT_UNSUPPORTED, "%s:%d: %s is not available on phase space (Dirac algorithm)",
                     z->m->file, z->m->form_line, what);
}

static int make_legendre(simulation *z)
{
    return z->legendre ? TAUT_OK : X(legendre_create)(z->s, &z->legendre);
}

/* ---- another state ---- */

static void take_numbers(const wide *from, uint32_t count, real *to)
{
    for (uint32_t i = 0; i < count; i++) to[i] = (real)from[i];
}

/* The consistent state nearest to `given` (q, then w) at the time of x, as if the model had been started there. */
static int start_there(simulation *z, real *given, start_mode start, state *x)
{
    struct system there = *z->s;
    start_report report;
    const uint32_t n = z->s->n;
    /* guesses are those of the start: the state depends on what is given alone */
    there.start = (initial_values){ .q = given, .w = given + n, .lambda = z->s->start.lambda,
                                    .other_lambda = z->s->start.other_lambda };
    int status = X(start_state)(&there, start, x, &report);
    if (there.softening != z->s->softening) { /* the method's matrices are not made for this */
        taut_mem_free(z->context, there.softening);
        taut_mem_free(z->context, there.stresses);
        if (!status)
            status = taut_fail(z->context, TAUT_SINGULAR,
                               "constraints depend on each other in this state (%s), and did not at the start of the "
                               "simulation; create one that starts here",
                               report.names);
    }
    return status;
}

/* Velocities from momenta, in place. */
static int find_stage(simulation *z, const state *x, real *given)
{
    const uint32_t n = z->s->n;
    real *w = taut_mem_new(z->context, n, sizeof *w);
    if (!w) return TAUT_OUT_OF_MEMORY;
    memcpy(w, z->s->start.w, n * sizeof *w);
    int status = make_legendre(z);
    if (!status) status = X(legendre_stage)(z->legendre, given, given + n, x->t, w);
    memcpy(given + n, w, n * sizeof *w);
    taut_mem_free(z->context, w);
    return status;
}

int X(simulation_set_state)(simulation *z, wide t, const wide *q, const wide *w, int by_momentum, start_mode start)
{
    const uint32_t n = z->s->n;
    state x = { 0 };
    int status = is_ordinary(z, "setting the state");
    if (!status && start == START_AS_IS && !z->declared.any_start)
        status = taut_fail(z->context, TAUT_UNSUPPORTED,
                           "method '%s' keeps the constraints and needs a state on them", z->declared.name);
    real *given = status ? NULL : taut_mem_new(z->context, 2 * (size_t)n, sizeof *given);
    if (!status && !given) status = TAUT_OUT_OF_MEMORY;
    if (!status) status = X(state_create)(z->s, &x);
    if (!status) {
        x.t = (real)t, x.t_low = (real)(t - (wide)x.t);
        take_numbers(q, n, given);
        take_numbers(w, n, given + n);
    }
    if (!status && by_momentum && z->s->form == FORM_LAGRANGIAN) status = find_stage(z, &x, given);
    if (!status) status = start_there(z, given, start, &x);
    if (!status) status = X(acceleration_solve)(z->acceleration, x.q, x.w, x.t, x.lambda, NULL);
    if (!status && z->hybrid) status = X(hybrid_start)(z->hybrid, &x);
    if (!status) {
        *x.t_lambda = x.t;
        X(state_copy)(&x, &z->x);
        memcpy(z->lambda, z->x.lambda, z->s->c * sizeof(real));
        simulation_moved(z);
    }
    X(state_clear)(z->s, &x);
    taut_mem_free(z->context, given);
    return status;
}

int X(simulation_set_point)(simulation *z, const wide *q, const wide *p)
{
    state *x = &z->x;
    int status = is_ordinary(z, "setting a point of phase space");
    if (!status) status = make_legendre(z);
    if (status) return status;
    for (uint32_t i = 0; i < z->s->n; i++) {
        x->q[i] = (real)q[i], x->q_low[i] = (real)(q[i] - (wide)x->q[i]);
        x->p[i] = (real)p[i], x->p_low[i] = (real)(p[i] - (wide)x->p[i]);
    }
    simulation_moved(z);
    return X(legendre_stage)(z->legendre, x->q, x->p, x->t, x->w);
}

/* ---- an impulse ---- */

/* numbers: p (n), no rates (c), w (n), mu (c), push (n) */
static int find_kick(simulation *z, const wide *impulse, real *numbers)
{
    const struct system *s = z->s;
    const uint32_t n = s->n;
    const state *x = &z->x;
    real *p = numbers, *rates = p + n, *w = rates + s->c, *mu = w + n, *push = mu + s->c;
    for (uint32_t i = 0; i < n; i++) p[i] = (real)((wide)x->p[i] + impulse[i]);
    memcpy(w, x->w, n * sizeof *w);
    int status = TAUT_OK;
    if (s->c && !z->impulse) status = X(impulse_create)(z->s, z->tolerance, &z->impulse);
    if (!s->c) status = make_legendre(z);
    if (status) return status;
    if (!s->c) return X(legendre_stage)(z->legendre, x->q, p, x->t, w);
    return X(impulse_find)(z->impulse, 0, x->q, x->t, p, x->p_low, rates, w, mu, push);
}

int X(simulation_kick)(simulation *z, const wide *impulse)
{
    const uint32_t n = z->s->n, c = z->s->c;
    int status = is_ordinary(z, "a kick");
    if (!status) status = X(simulation_without_contacts)(z, "a kick");
    real *numbers = status ? NULL : taut_mem_new(z->context, 3 * (size_t)n + 2 * (size_t)c, sizeof *numbers);
    if (!status && !numbers) status = TAUT_OUT_OF_MEMORY;
    if (!status) status = find_kick(z, impulse, numbers);
    if (!status) {
        const real *w = numbers + n + c, *push = w + n + c;
        memcpy(z->x.p, numbers, n * sizeof(real));
        X(add_compensated)(z->x.p, z->x.p_low, push, n);
        memcpy(z->x.w, w, n * sizeof(real));
        simulation_moved(z);
    }
    taut_mem_free(z->context, numbers);
    return status;
}

/* ---- matrices ---- */

void X(simulation_matrices_clear)(simulation *z)
{
    for (int i = 0; i < ENGINE_MATRICES; i++) {
        taut_pattern_destroy(z->context, z->matrices[i].shape);
        taut_mem_free(z->context, z->matrices[i].place);
        taut_mem_free(z->context, z->matrices[i].entries);
    }
}

static block_id block_of(engine_matrix which) { return which == ENGINE_MASS ? BLOCK_PI_W : BLOCK_G; }

/* Row and column of every entry of a block. */
static void list_entries(const block_shape *b, int *row, int *column)
{
    size_t k = 0;
    for (int i = 0; i < b->part_count; i++) {
        const pattern *p = b->parts[i].shape;
        for (int r = 0; r < p->rows; r++)
            for (int e = p->start[r]; e < p->start[r + 1]; e++, k++) {
                row[k] = b->parts[i].transposed ? p->index[e] : r;
                column[k] = b->parts[i].transposed ? r : p->index[e];
            }
    }
}

static int make_matrix(simulation *z, engine_matrix which)
{
    simulation_matrix *m = &z->matrices[which];
    const block_shape *b = &z->s->blocks[block_of(which)];
    const int n = (int)z->s->n, rows = which == ENGINE_MASS ? n : (int)z->s->c;
    int status = X(system_prepare_block)(z->s, block_of(which));
    if (status) return status;
    const size_t count = (size_t)b->value_count;
    int *row = taut_mem_new(z->context, count, sizeof *row), *column = taut_mem_new(z->context, count, sizeof *column);
    if (!m->place) m->place = taut_mem_new(z->context, count, sizeof *m->place);
    if (!m->entries) m->entries = taut_mem_new(z->context, count, sizeof *m->entries);
    status = row && column && m->place && m->entries ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        list_entries(b, row, column);
        status = taut_pattern_create(z->context, rows, n, row, column, count, &m->shape);
    }
    for (size_t k = 0; !status && k < count; k++) m->place[k] = taut_pattern_find(m->shape, row[k], column[k]);
    taut_mem_free(z->context, row);
    taut_mem_free(z->context, column);
    return status;
}

int X(simulation_matrix_pattern)(simulation *z, engine_matrix which, int *rows, int *columns, const int **start,
                                 const int **index)
{
    simulation_matrix *m = &z->matrices[which];
    if (which == ENGINE_MASS && z->s->form != FORM_LAGRANGIAN)
        return taut_fail(z->context, TAUT_UNSUPPORTED,
                         "%s:%d: the model has no mass matrix: it is not given by a Lagrangian", z->m->file,
                         z->m->form_line);
    int status = is_ordinary(z, "a matrix");
    if (!status && !m->shape) status = make_matrix(z, which);
    if (status) return status;
    *rows = m->shape->rows, *columns = m->shape->columns;
    *start = m->shape->start, *index = m->shape->index;
    return TAUT_OK;
}

int X(simulation_matrix_values)(simulation *z, engine_matrix which, real *values)
{
    int rows, columns;
    const int *start, *index;
    int status = X(simulation_matrix_pattern)(z, which, &rows, &columns, &start, &index);
    if (status) return status;
    const simulation_matrix *m = &z->matrices[which];
    const block_shape *b = &z->s->blocks[block_of(which)];
    place at = simulation_place(z);
    X(system_block_values)(z->s, block_of(which), &at, m->entries);
    memset(values, 0, (size_t)start[rows] * sizeof *values);
    size_t k = 0;
    for (int i = 0; i < b->part_count; i++)
        for (int e = 0; e < pattern_entries(b->parts[i].shape); e++, k++) values[m->place[k]] += m->entries[k];
    return TAUT_OK;
}

/* ---- parameters ---- */

/* The model of a mode set has the parameters of its model first. */
static void copy_inputs(const model *from, model *to)
{
    for (size_t i = 0; i < from->parameter_count; i++)
        if (from->parameters[i].is_input) to->parameters[i].value = from->parameters[i].value;
}

int X(simulation_inputs_changed)(simulation *z)
{
    simulation_moved(z);
    if (z->open) copy_inputs(z->m, z->open);
    X(system_refresh_inputs)(z->s);
    if (z->hybrid) X(hybrid_inputs)(z->hybrid);
    return TAUT_OK;
}

/* ---- tangent vectors ---- */

int X(simulation_tangent)(simulation *z, real h, size_t count, real *dq, real *dp)
{
    if (z->hybrid)
        return taut_fail(z->context, TAUT_UNSUPPORTED,
                         "the tangent of a step is for smooth motion, and this model has contacts");
    int status = X(method_prepare_tangent)(z->s, &z->spec, z->tolerance, &z->method);
    return status ? status : X(method_tangent)(&z->method, &z->x, h, count, dq, dp);
}

int X(simulation_step_tangent)(simulation *z, real h, size_t count, real *dq, real *dp)
{
    int status = X(simulation_tangent)(z, h, count, dq, dp);
    return status ? status : X(simulation_step)(z, h);
}
