/* The sparse derivative blocks of a system: which parts they have, their values, products. */
#include "system/system.h"

#include <string.h>

static void add_part(block_shape *b, block_part part) { b->parts[b->part_count++] = part; }

static void add_hessian(block_shape *b, field *f, kind a, kind c, int sign, int weighted)
{
    add_part(b, (block_part){ .source = PART_HESSIAN, .field = f, .a = a, .b = c, .sign = sign, .weighted = weighted });
}

static void add_jacobian(block_shape *b, field *f, kind by, int transposed)
{
    add_part(
        b, (block_part){ .source = PART_JACOBIAN, .field = f, .a = by, .b = by, .sign = 1, .transposed = transposed });
}

/* G, or its transposed */
static void add_slopes(const struct system *s, block_shape *b, int transposed)
{
    kind by;
    field *slopes = system_slopes(s, &by);
    add_jacobian(b, slopes, by, transposed);
}

/* d/dq of G' lambda */
static void add_bond_slopes(const struct system *s, block_shape *b)
{
    kind by;
    field *slopes = system_slopes(s, &by);
    add_hessian(b, slopes, by, KIND_Q, 1, 1);
}

static void add_identity(block_shape *b) { add_part(b, (block_part){ .source = PART_IDENTITY, .sign = 1 }); }

/* phi_q, phi_w, phi_lambda: forces, and the constraint force for Lagrangian and Hamiltonian models. */
static void describe_force(const struct system *s, block_id id, block_shape *b)
{
    kind by = id == BLOCK_PHI_Q ? KIND_Q : id == BLOCK_PHI_W ? KIND_W : KIND_LAMBDA;
    if (s->form == FORM_RATES) {
        add_jacobian(b, s->rate_w, by, 0);
        return;
    }
    if (id == BLOCK_PHI_LAMBDA)
        add_slopes(s, b, 1);
    else
        add_hessian(b, s->energy, KIND_Q, by, s->form == FORM_LAGRANGIAN ? 1 : -1, 0);
    if (id == BLOCK_PHI_Q) add_bond_slopes(s, b);
    if (s->structure.has_forces) add_jacobian(b, s->force, by, 0);
}

/* The parts f and r of phi, by one kind. */
static void describe_split(const struct system *s, block_id id, block_shape *b)
{
    int rates = s->form == FORM_RATES, reaction = id >= BLOCK_REACTION_Q;
    kind by = id == BLOCK_APPLIED_Q || id == BLOCK_REACTION_Q ? KIND_Q
              : id == BLOCK_REACTION_LAMBDA                   ? KIND_LAMBDA
                                                              : KIND_W;
    if (!reaction && !rates) add_hessian(b, s->energy, KIND_Q, by, s->form == FORM_LAGRANGIAN ? 1 : -1, 0);
    if (id == BLOCK_REACTION_Q && !rates) add_bond_slopes(s, b);
    if (id == BLOCK_REACTION_LAMBDA && !rates) add_slopes(s, b, 1);
    add_jacobian(b, reaction ? s->reaction : s->applied, by, 0);
}

static void describe(const struct system *s, block_id id, block_shape *b)
{
    int momentum = id == BLOCK_PI_Q || id == BLOCK_PI_W;
    kind by = id == BLOCK_PI_Q || id == BLOCK_NU_Q ? KIND_Q : KIND_W;
    if (id == BLOCK_G) {
        add_slopes(s, b, 0);
    } else if (id == BLOCK_POSITION) {
        add_jacobian(b, s->constraint, KIND_Q, 0);
    } else if (id == BLOCK_RATE_Q && s->pfaffian) {
        add_jacobian(b, s->pfaffian, KIND_Q, 0);
    } else if (id == BLOCK_RATE_Q) {
        add_part(b, (block_part){ .source = PART_SLOPE, .field = s->constraint, .a = KIND_Q, .b = KIND_Q, .sign = 1 });
    } else if (id >= BLOCK_APPLIED_Q && id <= BLOCK_REACTION_LAMBDA) {
        describe_split(s, id, b);
    } else if (id > BLOCK_G && s->form == FORM_RATES) {
        return; /* rates have no parts: empty */
    } else if (id == BLOCK_CONSTRAINT_FORCE_LAMBDA) {
        add_slopes(s, b, 1);
    } else if (id == BLOCK_CONSTRAINT_FORCE_Q) {
        add_bond_slopes(s, b);
    } else if (id == BLOCK_FREE_Q || id == BLOCK_FREE_LAMBDA) {
        if (id == BLOCK_FREE_Q) add_hessian(b, s->energy, KIND_Q, KIND_Q, s->form == FORM_LAGRANGIAN ? 1 : -1, 0);
        if (s->structure.has_forces) add_jacobian(b, s->force, id == BLOCK_FREE_Q ? KIND_Q : KIND_LAMBDA, 0);
    } else if (id >= BLOCK_PHI_Q) {
        describe_force(s, id, b);
    } else if (momentum != (s->form == FORM_LAGRANGIAN)) { /* the trivial one of pi and nu: it is w itself */
        if (by == KIND_W) add_identity(b);
    } else if (s->form == FORM_RATES) {
        add_jacobian(b, s->rate_q, by, 0);
    } else {
        add_hessian(b, s->energy, KIND_W, by, 1, 0);
    }
}

static int prepare_part(struct system *s, block_part *part)
{
    int status = TAUT_OK;
    if (part->source == PART_IDENTITY) {
        part->shape = s->identity;
    } else if (part->source == PART_HESSIAN) {
        status = X(field_prepare_hessian)(part->field, part->a, part->b);
        part->shape = X(field_hessian_pattern)(part->field, part->a, part->b);
    } else if (part->source == PART_DISCRETE) {
        status = X(field_prepare_discrete_jacobian)(part->field, part->mode, part->a);
        part->shape = X(field_discrete_pattern)(part->field, part->mode, part->a);
    } else if (part->source == PART_DISCRETE_SLOPE) {
        status = X(field_prepare_discrete_slope)(part->field, part->mode, part->a, part->b);
        part->shape = X(field_discrete_slope_pattern)(part->field, part->mode, part->a, part->b);
    } else if (part->source == PART_SLOPE) {
        status = X(field_prepare_slope)(part->field, part->a);
        part->shape = X(field_slope_pattern)(part->field, part->a);
    } else {
        status = X(field_prepare_jacobian)(part->field, part->a);
        part->shape = X(field_jacobian_pattern)(part->field, part->a);
    }
    return status;
}

int X(block_prepare)(struct system *s, block_shape *b)
{
    b->value_count = 0;
    for (int i = 0; i < b->part_count; i++) {
        int status = prepare_part(s, &b->parts[i]);
        if (status) return status;
        b->value_count += pattern_entries(b->parts[i].shape);
    }
    b->prepared = 1;
    return TAUT_OK;
}

int X(system_prepare_block)(struct system *s, block_id id)
{
    block_shape *b = &s->blocks[id];
    if (b->prepared) return TAUT_OK;
    *b = (block_shape){ 0 };
    describe(s, id, b);
    return X(block_prepare)(s, b);
}

void X(system_block_values)(const struct system *s, block_id id, const place *at, real *values)
{
    X(block_values)(&s->blocks[id], at, values);
}

void X(block_values)(const block_shape *b, const place *at, real *values)
{
    X(block_values_between)(b, at, at, values);
}

void X(block_values_between)(const block_shape *b, const place *from, const place *at, real *values)
{
    real one = 1;
    for (int i = 0; i < b->part_count; i++) {
        const block_part *part = &b->parts[i];
        place motion = direction_of(at->x[KIND_W], NULL, part->steady ? NULL : &one);
        int entries = pattern_entries(part->shape);
        pool_clear(at->work->pool, values, (size_t)entries * sizeof *values);
        if (part->source == PART_IDENTITY)
            for (int k = 0; k < entries; k++) values[k] = 1;
        else if (part->weighted && !at->x[KIND_LAMBDA]) /* no multipliers are zero multipliers, as in system_force */
            ;
        else if (part->source == PART_DISCRETE)
            X(field_discrete_jacobian)(part->field, part->mode, part->a, from, at, values);
        else if (part->source == PART_DISCRETE_SLOPE)
            X(field_discrete_slope)
            (part->field, part->mode, part->a, part->b, from, at, part->weighted ? at->x[KIND_LAMBDA] : NULL, values);
        else if (part->source == PART_HESSIAN)
            X(field_hessian)(part->field, part->a, part->b, at, part->weighted ? at->x[KIND_LAMBDA] : NULL, values);
        else if (part->source == PART_SLOPE)
            X(field_slope)(part->field, part->a, at, &motion, values);
        else
            X(field_jacobian)(part->field, part->a, at, values);
        if (part->sign < 0)
            for (int k = 0; k < entries; k++) values[k] = -values[k];
        values += entries;
    }
}

typedef struct {
    const pattern *shape;
    const real *values;
    real scale;
    const real *x;
    real *out;
} product;

static void multiply_rows(const product *j, int from, int to)
{
    const pattern *p = j->shape;
    for (int r = from; r < to; r++) {
        real sum = 0;
        for (int k = p->start[r]; k < p->start[r + 1]; k++) sum += j->values[k] * j->x[p->index[k]];
        j->out[r] += j->scale * sum;
    }
}

static void multiply_piece(void *self, int index, int worker)
{
    const product *j = self;
    size_t rows = (size_t)j->shape->rows;
    (void)worker;
    multiply_rows(j, (int)pool_begin(rows, POOL_NUMBERS, index), (int)pool_begin(rows, POOL_NUMBERS, index + 1));
}

static void part_multiply(pool *by, const block_part *part, const real *values, int transposed, real scale,
                          const real *x, real *out)
{
    const pattern *p = part->shape;
    product j = { p, values, scale, x, out };
    if (!transposed && p->rows > POOL_NUMBERS)
        taut_pool_run(by, pool_pieces((size_t)p->rows, POOL_NUMBERS), multiply_piece, &j);
    else if (!transposed)
        multiply_rows(&j, 0, p->rows);
    for (int r = 0; transposed && r < p->rows; r++) {
        real factor = scale * x[r];
        for (int k = p->start[r]; k < p->start[r + 1]; k++) out[p->index[k]] += values[k] * factor;
    }
}

void X(block_multiply_by)(pool *by, const block_shape *b, const real *values, real scale, const real *x, real *out)
{
    for (int i = 0; i < b->part_count; i++) {
        part_multiply(by, &b->parts[i], values, b->parts[i].transposed, scale, x, out);
        values += pattern_entries(b->parts[i].shape);
    }
}

void X(block_multiply)(const block_shape *b, const real *values, real scale, const real *x, real *out)
{
    X(block_multiply_by)(NULL, b, values, scale, x, out);
}

void X(block_multiply_transposed)(const block_shape *b, const real *values, real scale, const real *x, real *out)
{
    for (int i = 0; i < b->part_count; i++) {
        part_multiply(NULL, &b->parts[i], values, !b->parts[i].transposed, scale, x, out);
        values += pattern_entries(b->parts[i].shape);
    }
}
