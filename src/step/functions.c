#include "step/functions.h"

#include <string.h>

#include "system/vector.h"

/* ---- which there are ---- */

size_t X(step_function_length)(size_t n, size_t c, size_t embedded, step_function function)
{
    switch (function) {
    case STEP_G: case STEP_RATE: case STEP_RATE_RATE: case STEP_SLIP: return c;
    case STEP_E_W: case STEP_E_W_CHANGE: case STEP_E_Q: return n + embedded;
    case STEP_CHART: return embedded;
    case STEP_D_T: case STEP_D_T_BOND: case STEP_SLIP_WORK: case STEP_FORCE_WORK: return 1;
    case STEP_VECTOR:
    case STEP_PI:
    case STEP_PI_CHANGE:
    case STEP_NU:
    case STEP_PHI:
    case STEP_FREE:
    case STEP_BOND:
    case STEP_SLIP_BOND:
    case STEP_APPLIED:
    case STEP_REACTION:
    case STEP_FORCE:
    case STEP_D_W:
    case STEP_D_Q:
    case STEP_D_BOND:
    case STEP_CHART_PULL:
    case STEP_PI_RATE:
    case STEP_FUNCTIONS: break;
    }
    return n;
}

int X(step_function_empty)(const struct system *s, step_function function)
{
    switch (function) {
    case STEP_BOND: case STEP_REACTION: case STEP_G: case STEP_RATE: case STEP_RATE_RATE: case STEP_D_BOND:
        return !s->c;
    case STEP_D_T: return !s->structure.time_dependent;
    case STEP_SLIP: case STEP_SLIP_BOND: return !s->slip;
    case STEP_D_T_BOND: return !s->structure.constraint_time;
    case STEP_SLIP_WORK: return !s->slip || !s->structure.constraint_time;
    case STEP_FORCE: case STEP_FORCE_WORK: return !s->structure.has_forces;
    case STEP_CHART: case STEP_CHART_PULL: return !s->embedded;
    case STEP_VECTOR:
    case STEP_PI:
    case STEP_PI_CHANGE:
    case STEP_NU:
    case STEP_PHI:
    case STEP_FREE:
    case STEP_APPLIED:
    case STEP_E_W:
    case STEP_E_W_CHANGE: case STEP_E_Q: case STEP_D_W: case STEP_D_Q: case STEP_PI_RATE: case STEP_FUNCTIONS: break;
    }
    return 0;
}

int X(step_function_pushes)(step_function function)
{
    return function == STEP_PHI || function == STEP_FREE || function == STEP_APPLIED || function == STEP_FORCE
           || function == STEP_E_Q || function == STEP_D_Q;
}

/* ---- derivatives ---- */

/* The block of the system, or BLOCK_COUNT. */
static block_id system_block(const struct system *s, step_function function, kind by)
{
    static const block_id none[3] = { BLOCK_COUNT, BLOCK_COUNT, BLOCK_COUNT };
    static const struct {
        step_function function;
        block_id by[3];
    } blocks[] = {
        { STEP_PI, { BLOCK_PI_Q, BLOCK_PI_W, BLOCK_COUNT } },
        { STEP_PI_CHANGE, { BLOCK_PI_Q, BLOCK_PI_W, BLOCK_COUNT } },
        { STEP_NU, { BLOCK_NU_Q, BLOCK_NU_W, BLOCK_COUNT } },
        { STEP_PHI, { BLOCK_PHI_Q, BLOCK_PHI_W, BLOCK_PHI_LAMBDA } },
        { STEP_FREE, { BLOCK_FREE_Q, BLOCK_PHI_W, BLOCK_FREE_LAMBDA } },
        { STEP_BOND, { BLOCK_CONSTRAINT_FORCE_Q, BLOCK_COUNT, BLOCK_CONSTRAINT_FORCE_LAMBDA } },
        { STEP_APPLIED, { BLOCK_APPLIED_Q, BLOCK_APPLIED_W, BLOCK_COUNT } },
        { STEP_REACTION, { BLOCK_REACTION_Q, BLOCK_REACTION_W, BLOCK_REACTION_LAMBDA } },
        { STEP_G, { BLOCK_G, BLOCK_COUNT, BLOCK_COUNT } },
        { STEP_RATE, { BLOCK_RATE_Q, BLOCK_G, BLOCK_COUNT } },
    };
    const block_id *found = none;
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        if (blocks[i].function == function) found = blocks[i].by;
    if (function == STEP_G && by == KIND_Q && s->slip) return BLOCK_POSITION;
    return by == KIND_Q ? found[0] : by == KIND_W ? found[1] : by == KIND_LAMBDA ? found[2] : BLOCK_COUNT;
}

static int own_index(kind by) { return by == KIND_Q ? 0 : by == KIND_W ? 1 : 2; }

const block_shape *X(step_function_block)(const step_functions *f, step_function function, kind by)
{
    block_id id = system_block(f->s, function, by);
    const block_shape *b = id != BLOCK_COUNT ? &f->s->blocks[id] : &f->own[function][own_index(by)];
    return b->value_count ? b : NULL;
}

static void own_part(step_functions *f, step_function function, kind by, block_part part)
{
    block_shape *b = &f->own[function][own_index(by)];
    part.sign = 1;
    b->parts[0] = part;
    b->part_count = 1;
}

static void own_hessian(step_functions *f, step_function function, kind row)
{
    field *e = f->table->energy;
    own_part(f, function, KIND_Q, (block_part){ .source = PART_HESSIAN, .field = e, .a = row, .b = KIND_Q });
    own_part(f, function, KIND_W, (block_part){ .source = PART_HESSIAN, .field = e, .a = row, .b = KIND_W });
}

static void own_slopes(step_functions *f, step_function function, kind row)
{
    field *e = f->table->energy;
    discrete_mode mode = f->table->mode;
    own_part(f, function, KIND_Q,
             (block_part){ .source = PART_DISCRETE_SLOPE, .field = e, .a = row, .b = KIND_Q, .mode = mode });
    own_part(f, function, KIND_W,
             (block_part){ .source = PART_DISCRETE_SLOPE, .field = e, .a = row, .b = KIND_W, .mode = mode });
}

static void own_jacobian(step_functions *f, step_function function, kind slot, field *of, kind by, int transposed)
{
    own_part(f, function, slot,
             (block_part){ .source = PART_JACOBIAN, .field = of, .a = by, .b = by, .transposed = transposed });
}

/* Derivatives that only tables have. */
static void describe_own(step_functions *f, step_function function)
{
    struct system *s = f->s;
    switch (function) {
    case STEP_E_W: case STEP_E_W_CHANGE: own_hessian(f, function, KIND_W); break;
    case STEP_E_Q: own_hessian(f, function, KIND_Q); break;
    case STEP_D_W: own_slopes(f, function, KIND_W); break;
    case STEP_D_Q: own_slopes(f, function, KIND_Q); break;
    case STEP_D_BOND:
        own_part(f, function, KIND_Q,
                 (block_part){ .source = PART_DISCRETE_SLOPE,
                               .field = s->constraint,
                               .a = KIND_Q,
                               .b = KIND_Q,
                               .weighted = 1,
                               .mode = DISCRETE_JOINT });
        own_part(f, function, KIND_LAMBDA,
                 (block_part){ .source = PART_DISCRETE,
                               .field = s->constraint,
                               .a = KIND_Q,
                               .b = KIND_Q,
                               .transposed = 1,
                               .mode = DISCRETE_JOINT });
        break;
    case STEP_SLIP:
        own_jacobian(f, function, KIND_Q, s->slip, KIND_Q, 0);
        own_jacobian(f, function, KIND_W, s->slip, KIND_W, 0);
        break;
    case STEP_SLIP_BOND:
        own_part(f, function, KIND_Q,
                 (block_part){ .source = PART_HESSIAN, .field = s->slip, .a = KIND_W, .b = KIND_Q, .weighted = 1 });
        own_jacobian(f, function, KIND_LAMBDA, s->slip, KIND_W, 1);
        break;
    case STEP_FORCE:
        own_jacobian(f, function, KIND_Q, s->force, KIND_Q, 0);
        own_jacobian(f, function, KIND_W, s->force, KIND_W, 0);
        own_jacobian(f, function, KIND_LAMBDA, s->force, KIND_LAMBDA, 0);
        break;
    case STEP_CHART: own_jacobian(f, function, KIND_Q, s->chart, KIND_Q, 0); break;
    case STEP_CHART_PULL: own_jacobian(f, function, KIND_W, s->chart, KIND_Q, 1); break;
    default: break; /* the system has their blocks, or they have none */
    }
}

/* ---- preparation ---- */

static int prepare_values(step_functions *f, step_function function)
{
    struct system *s = f->s;
    const step_table *t = f->table;
    switch (function) {
    case STEP_E_W: case STEP_E_W_CHANGE: return X(field_prepare_gradient)(t->energy, KIND_W);
    case STEP_E_Q: return X(field_prepare_gradient)(t->energy, KIND_Q);
    case STEP_D_W: return X(field_prepare_discrete)(t->energy, t->mode, KIND_W);
    case STEP_D_Q: return X(field_prepare_discrete)(t->energy, t->mode, KIND_Q);
    case STEP_D_T: return X(field_prepare_discrete)(t->energy, t->mode, KIND_T);
    case STEP_D_BOND: return X(field_prepare_discrete)(s->constraint, DISCRETE_JOINT, KIND_Q);
    case STEP_D_T_BOND: return X(field_prepare_discrete_jacobian)(s->constraint, DISCRETE_JOINT, KIND_T);
    case STEP_SLIP_BOND: return X(field_prepare_gradient)(s->slip, KIND_W);
    case STEP_CHART: return X(field_prepare_values)(s->chart);
    case STEP_APPLIED: case STEP_REACTION: return X(system_prepare_split)(s);
    default: return TAUT_OK; /* prepared with the system, or with the blocks */
    }
}

static int prepare_function(step_functions *f, step_function function)
{
    static const kind kinds[] = { KIND_Q, KIND_W, KIND_LAMBDA };
    int status = prepare_values(f, function);
    describe_own(f, function);
    for (int i = 0; !status && i < 3; i++) {
        block_id id = system_block(f->s, function, kinds[i]);
        block_shape *own = &f->own[function][i];
        if (id != BLOCK_COUNT)
            status = X(system_prepare_block)(f->s, id);
        else if (own->part_count)
            status = X(block_prepare)(f->s, own);
    }
    return status;
}

static void make_identity(block_shape *b, const pattern *shape)
{
    *b = (block_shape){ .part_count = 1, .prepared = 1, .value_count = shape ? shape->rows : 0 };
    b->parts[0] = (block_part){ .source = PART_IDENTITY, .shape = shape, .sign = 1 };
}

static int make_identities(step_functions *f)
{
    struct system *s = f->s;
    int status = TAUT_OK;
    make_identity(&f->identities[STEP_N], s->identity);
    if (s->softening) status = taut_pattern_identity(s->context, (int)s->c, &f->identity_c);
    if (f->identity_c) make_identity(&f->identities[STEP_C], f->identity_c);
    if (!status && s->embedded) status = taut_pattern_identity(s->context, (int)s->embedded, &f->identity_y);
    if (f->identity_y) make_identity(&f->identities[STEP_Y], f->identity_y);
    return status;
}

int X(step_functions_create)(struct system *s, const step_table *table, step_functions *f)
{
    *f = (step_functions){ .s = s, .table = table };
    int status = make_identities(f), done[STEP_FUNCTIONS] = { 0 };
    for (int i = 0; !status && i < table->term_count; i++) {
        step_function function = table->terms[i].function;
        if (!done[function] && !X(step_function_empty)(s, function)) status = prepare_function(f, function);
        done[function] = 1;
    }
    return status;
}

void X(step_functions_clear)(step_functions *f)
{
    if (f->s) taut_pattern_destroy(f->s->context, f->identity_y);
    if (f->s) taut_pattern_destroy(f->s->context, f->identity_c);
    *f = (step_functions){ 0 };
}

/* ---- values ---- */

static void subtract_start(const struct system *s, const state *x, real *out)
{
    X(vector_subtract)(s->work->pool, x->n, x->p, x->p_low, out);
}

/* -(t1 - t0) lambda.D_t g */
static real moving_constraints(const step_functions *f, const step_circumstances *c, const place *at)
{
    const struct system *s = f->s;
    const pattern *p = X(field_discrete_pattern)(s->constraint, DISCRETE_JOINT, KIND_T);
    real sum = 0;
    memset(c->scratch, 0, s->c * sizeof(real));
    X(field_discrete_jacobian)(s->constraint, DISCRETE_JOINT, KIND_T, c->from, at, c->scratch);
    for (uint32_t k = 0; k < s->c; k++)
        if (p->start[k + 1] > p->start[k]) sum += at->x[KIND_LAMBDA][k] * c->scratch[p->start[k]];
    return -c->span * sum;
}

/* -(t1 - t0) lambda.b */
static real slip_work(const step_functions *f, const step_circumstances *c, const place *at)
{
    const struct system *s = f->s;
    place rest = *at;
    real sum = 0;
    rest.x[KIND_W] = NULL;
    memset(c->scratch, 0, s->c * sizeof(real));
    X(field_values)(s->slip, &rest, c->scratch);
    for (uint32_t k = 0; k < s->c; k++) sum += at->x[KIND_LAMBDA][k] * c->scratch[k];
    return -c->span * sum;
}

static real force_work(const step_functions *f, const step_circumstances *c, const place *at)
{
    real sum = 0;
    memset(c->scratch, 0, f->s->n * sizeof(real));
    X(field_values)(f->s->force, at, c->scratch);
    for (uint32_t i = 0; i < f->s->n; i++) sum += c->scratch[i] * c->move[i];
    return sum;
}

/* Functions that add to what they are given. */
static void field_value(const step_functions *f, step_function function, const step_circumstances *c, const place *at,
                        real *out)
{
    const struct system *s = f->s;
    const step_table *t = f->table;
    pool_clear(s->work->pool, out, X(step_function_length)(s->n, s->c, s->embedded, function) * sizeof(real));
    switch (function) {
    case STEP_FORCE: X(field_values)(s->force, at, out); break;
    case STEP_SLIP: X(field_values)(s->slip, at, out); break;
    case STEP_SLIP_BOND: X(field_gradient)(s->slip, KIND_W, at, at->x[KIND_LAMBDA], out); break;
    case STEP_E_W: case STEP_E_W_CHANGE: X(field_gradient)(t->energy, KIND_W, at, NULL, out); break;
    case STEP_E_Q: X(field_gradient)(t->energy, KIND_Q, at, NULL, out); break;
    case STEP_D_W: X(field_discrete)(t->energy, t->mode, KIND_W, c->from, at, NULL, out); break;
    case STEP_D_Q: X(field_discrete)(t->energy, t->mode, KIND_Q, c->from, at, NULL, out); break;
    case STEP_D_T: X(field_discrete)(t->energy, t->mode, KIND_T, c->from, at, NULL, out); break;
    case STEP_D_BOND:
        X(field_discrete)(s->constraint, DISCRETE_JOINT, KIND_Q, c->from, at, at->x[KIND_LAMBDA], out);
        break;
    case STEP_CHART: X(field_values)(s->chart, at, out); break;
    case STEP_CHART_PULL: X(field_gradient)(s->chart, KIND_Q, at, at->x[KIND_W], out); break;
    default: break;
    }
}

void X(step_function_value)(const step_functions *f, step_function function, const step_circumstances *c,
                            const place *at, real *out)
{
    const struct system *s = f->s;
    switch (function) {
    case STEP_PI: X(system_momentum)(s, at, out); return;
    case STEP_PI_CHANGE:
        X(system_momentum)(s, at, out);
        subtract_start(s, c->start, out);
        return;
    case STEP_NU: X(system_velocity)(s, at, out); return;
    case STEP_PHI: X(system_force)(s, at, out); return;
    case STEP_FREE: X(system_free_force)(s, at, out); return;
    case STEP_BOND: X(system_constraint_force)(s, at, out); return;
    case STEP_APPLIED: X(system_applied_force)(s, at, out); return;
    case STEP_REACTION: X(system_reaction)(s, at, out); return;
    case STEP_G: X(system_constraints)(s, at, out); return;
    case STEP_RATE:
        X(system_constraint_rate)(s, at, out);
        X(block_multiply_by)(s->work->pool, &s->blocks[BLOCK_G], c->g, 1, at->x[KIND_W], out);
        return;
    case STEP_D_T_BOND: *out = moving_constraints(f, c, at); return;
    case STEP_SLIP_WORK: *out = slip_work(f, c, at); return;
    case STEP_FORCE_WORK: *out = force_work(f, c, at); return;
    case STEP_VECTOR:
    case STEP_FORCE:
    case STEP_SLIP:
    case STEP_SLIP_BOND:
    case STEP_E_W:
    case STEP_E_W_CHANGE:
    case STEP_E_Q:
    case STEP_D_W:
    case STEP_D_Q:
    case STEP_D_BOND:
    case STEP_CHART: case STEP_CHART_PULL: case STEP_D_T: case STEP_PI_RATE: case STEP_RATE_RATE: case STEP_FUNCTIONS: break;
    }
    field_value(f, function, c, at, out);
    if (function == STEP_E_W_CHANGE) subtract_start(s, c->start, out);
    if (function == STEP_D_T) *out *= c->span;
}
