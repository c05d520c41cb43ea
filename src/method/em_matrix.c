#include "method/em_matrix.h"

#include <math.h>
#include <string.h>

#include "solve/assembly.h"

/* Which place a block is evaluated at. */
typedef enum { AT_STEP, AT_END, AT_MIDDLE } where;

/* A block with its place in the matrix and its factor, factor h^power. */
typedef struct {
    block_shape shape;
    where at;
    int row, column;    /* in blocks of n */
    double factor;
    int power;
    int id;
} entry;

#define ENTRIES 12
struct em_matrix {
    struct system *s;
    field *hamiltonian;
    entry entries[ENTRIES];
    int count;
    assembly *matrix;
    real *values;
};

void em_matrix_destroy(em_matrix *m)
{
    if (!m) return;
    assembly_destroy(m->matrix);
    mem_free(m->s->context, m->values);
    mem_free(m->s->context, m);
}

static entry *add(em_matrix *m, block_part part, where at, int row, int column, double factor, int power)
{
    entry *e = &m->entries[m->count++];
    part.sign = 1;
    *e = (entry){ .at = at, .row = row, .column = column, .factor = factor, .power = power };
    e->shape.parts[e->shape.part_count++] = part;
    return e;
}

static block_part slope(field *f, discrete_mode mode, kind a, kind b)
{
    return (block_part){ .source = PART_DISCRETE_SLOPE, .field = f, .a = a, .b = b, .mode = mode };
}

static block_part jacobian(field *f, kind by) { return (block_part){ .source = PART_JACOBIAN, .field = f, .a = by, .b = by }; }

static block_part constraint_slope(struct system *s)
{
    block_part part = slope(s->constraint, DISCRETE_JOINT, KIND_Q, KIND_Q);
    part.weighted = 1;
    return part;
}

/* Columns of the multipliers, rows of the constraints. */
static void describe_constraints(em_matrix *m, int force_row, int lambda, double by_q)
{
    struct system *s = m->s;
    if (s->c) {
        block_part force = { .source = PART_DISCRETE, .field = s->constraint, .a = KIND_Q, .b = KIND_Q, .transposed = 1, .mode = DISCRETE_JOINT };
        add(m, force, AT_STEP, force_row, lambda, -1, 1);
        add(m, jacobian(s->constraint, KIND_Q), AT_END, lambda, 0, by_q, 0);
    }
    if (s->c && s->structure.has_forces) add(m, jacobian(s->force, KIND_LAMBDA), AT_MIDDLE, force_row, lambda, -1, 1);
}

/* Unknowns v1, lambda; q1 moves by h/2, q and v half way by h/4 and 1/2. */
static void describe_lagrangian(em_matrix *m)
{
    struct system *s = m->s;
    field *l = s->energy;
    add(m, (block_part){ .source = PART_HESSIAN, .field = l, .a = KIND_W, .b = KIND_W }, AT_END, 0, 0, 1, 0);
    add(m, (block_part){ .source = PART_HESSIAN, .field = l, .a = KIND_W, .b = KIND_Q }, AT_END, 0, 0, 0.5, 1);
    add(m, slope(l, DISCRETE_POLARISED, KIND_Q, KIND_Q), AT_STEP, 0, 0, -0.5, 2);
    add(m, slope(l, DISCRETE_POLARISED, KIND_Q, KIND_W), AT_STEP, 0, 0, -1, 1);
    if (s->c) add(m, constraint_slope(s), AT_STEP, 0, 0, -0.5, 2);
    if (s->structure.has_forces) {
        add(m, jacobian(s->force, KIND_Q), AT_MIDDLE, 0, 0, -0.25, 2);
        add(m, jacobian(s->force, KIND_W), AT_MIDDLE, 0, 0, -0.5, 1);
    }
    describe_constraints(m, 0, 1, 0.5);
}

/* Unknowns q1 - q0, p1 - p0, lambda. Forces of a Lagrangian model depend on velocities, which are (q1 - q0)/h. */
static void describe_hamiltonian(em_matrix *m)
{
    struct system *s = m->s;
    field *h = m->hamiltonian;
    block_part identity = { .source = PART_IDENTITY };
    add(m, identity, AT_END, 0, 0, 1, 0);
    add(m, identity, AT_END, 1, 1, 1, 0);
    add(m, slope(h, DISCRETE_JOINT, KIND_W, KIND_Q), AT_STEP, 0, 0, -1, 1);
    add(m, slope(h, DISCRETE_JOINT, KIND_W, KIND_W), AT_STEP, 0, 1, -1, 1);
    add(m, slope(h, DISCRETE_JOINT, KIND_Q, KIND_Q), AT_STEP, 1, 0, 1, 1);
    add(m, slope(h, DISCRETE_JOINT, KIND_Q, KIND_W), AT_STEP, 1, 1, 1, 1);
    if (s->c) add(m, constraint_slope(s), AT_STEP, 1, 0, -1, 1);
    if (s->structure.has_forces) {
        int lagrangian = s->form == FORM_LAGRANGIAN;
        add(m, jacobian(s->force, KIND_Q), AT_MIDDLE, 1, 0, -0.5, 1);
        add(m, jacobian(s->force, KIND_W), AT_MIDDLE, 1, lagrangian ? 0 : 1, lagrangian ? -1 : -0.5, lagrangian ? 0 : 1);
    }
    describe_constraints(m, 1, 2, 1);
}

static int create_matrix(em_matrix *m)
{
    struct system *s = m->s;
    int n = (int)s->n, status = assembly_create(s->context, (m->hamiltonian ? 2 * n : n) + (int)s->c, &m->matrix), largest = 0;
    for (int i = 0; !status && i < m->count; i++) {
        entry *e = &m->entries[i];
        status = block_prepare(s, &e->shape);
        if (!status) status = assembly_add(m->matrix, &e->shape, e->row * n, e->column * n, &e->id);
        if (e->shape.value_count > largest) largest = e->shape.value_count;
    }
    if (status) return status;
    m->values = mem_new(s->context, (size_t)largest, sizeof *m->values);
    assembly_expect_zeros(m->matrix);
    return m->values ? assembly_finish(m->matrix, 0) : TAUT_OUT_OF_MEMORY;
}

int em_matrix_create(struct system *s, field *hamiltonian, em_matrix **result)
{
    em_matrix *m = mem_new(s->context, 1, sizeof *m);
    *result = NULL;
    if (!m) return TAUT_OUT_OF_MEMORY;
    m->s = s;
    m->hamiltonian = hamiltonian;
    if (hamiltonian)
        describe_hamiltonian(m);
    else
        describe_lagrangian(m);
    int status = create_matrix(m);
    if (status)
        em_matrix_destroy(m);
    else
        *result = m;
    return status;
}

int em_matrix_factor(em_matrix *m, const place *from, const place *to, const place *middle, real h)
{
    real powers[] = { 1, h, h * h };
    assembly_zero(m->matrix);
    for (int i = 0; i < m->count; i++) {
        entry *e = &m->entries[i];
        if (!e->shape.value_count) continue;
        block_values_between(&e->shape, from, e->at == AT_MIDDLE ? middle : to, m->values);
        assembly_put(m->matrix, e->id, (real)e->factor * powers[e->power], m->values);
    }
    return assembly_factor(m->matrix);
}

/* out += scale |block| |x| */
static void add_sizes(const block_shape *b, const real *values, real scale, const real *x, real *out)
{
    for (int i = 0; i < b->part_count; i++) {
        const block_part *part = &b->parts[i];
        const pattern *p = part->shape;
        for (int r = 0; r < p->rows; r++)
            for (int e = p->start[r]; e < p->start[r + 1]; e++) {
                int row = part->transposed ? p->index[e] : r, column = part->transposed ? r : p->index[e];
                out[row] += scale * REAL(fabs)(*values++ * x[column]);
            }
    }
}

/* A derivative by q1 (or by q half way, which is as large): q moves with the unknowns of column 0. */
static int is_by_position(const entry *e)
{
    const block_part *part = &e->shape.parts[0];
    return e->column == 0 && part->source != PART_IDENTITY && part->b == KIND_Q;
}

void em_matrix_sizes(em_matrix *m, const place *from, const place *to, const place *middle, real h, const real *x,
                     real *out)
{
    int n = (int)m->s->n, lambda = m->hamiltonian ? 2 : 1;
    real powers[] = { 1, REAL(fabs)(h), h * h };
    memset(out, 0, ((size_t)(lambda * n) + m->s->c) * sizeof *out);
    for (int i = 0; i < m->count; i++) {
        const entry *e = &m->entries[i];
        if (!e->shape.value_count) continue;
        block_values_between(&e->shape, from, e->at == AT_MIDDLE ? middle : to, m->values);
        real scale = (real)fabs(e->factor) * powers[e->power];
        const real *size = x + e->column * n;
        if (is_by_position(e)) {
            size = to->x[KIND_Q];
            if (!m->hamiltonian) scale *= 2 / powers[1]; /* v1 moves q1 by h/2 of itself */
        } else if (m->hamiltonian && e->column == 1) {
            size = to->x[KIND_W];
        }
        add_sizes(&e->shape, m->values, scale, size, out + e->row * n);
    }
}

int em_matrix_solve(em_matrix *m, real *r) { return assembly_solve(m->matrix, r); }
