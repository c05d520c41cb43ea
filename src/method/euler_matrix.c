#include "method/euler_matrix.h"

#include "solve/assembly.h"

/* One derivative in one place of the matrix: coefficient h^power block(at). */
typedef struct {
    const block_shape *block;
    int at, name, power;
    real coefficient;
} entry;

#define ENTRIES_MOST 64

struct euler_matrix {
    struct system *s;
    const euler_scheme *scheme;
    euler_layout layout;
    entry entries[ENTRIES_MOST];
    int count;
    block_shape identity;
    assembly *matrix;
    real *values;
};

euler_layout euler_layout_of(const struct system *s, const euler_scheme *scheme)
{
    euler_layout l = { .lagrangian = s->form == FORM_LAGRANGIAN, .n = (int)s->n, .c = (int)s->c, .stage = { -1, -1 }, .move = -1 };
    if (l.lagrangian) {
        if (scheme->start != 0) l.stage[0] = l.blocks++;
        if (scheme->start != 1) l.stage[1] = l.blocks++;
        l.end = l.velocity = l.blocks++;
    } else {
        l.move = 1, l.end = 2, l.velocity = 3, l.blocks = 4;
        l.stage[0] = l.stage[1] = 0;
    }
    l.size = l.blocks * l.n + 2 * l.c;
    return l;
}

void euler_matrix_destroy(euler_matrix *m)
{
    if (!m) return;
    assembly_destroy(m->matrix);
    mem_free(m->s->context, m->values);
    mem_free(m->s->context, m);
}

/* ---- the pattern; row and column are places in the matrix ---- */

static int add(euler_matrix *m, const block_shape *b, int at, int row, int column, real coefficient, int power)
{
    if (coefficient == 0 || b->value_count == 0) return TAUT_OK;
    entry *e = &m->entries[m->count++];
    *e = (entry){ b, at, 0, power, coefficient };
    return assembly_add(m->matrix, b, row, column, &e->name);
}

/* A derivative by q1, which is D or h (s W0 + e W1). */
static int add_by_position(euler_matrix *m, const block_shape *b, int at, int row, real coefficient, int power)
{
    const euler_layout *l = &m->layout;
    real weight[2] = { m->scheme->start, 1 - m->scheme->start };
    if (l->move >= 0) return add(m, b, at, row, l->move * l->n, coefficient, power);
    int status = TAUT_OK;
    for (int i = 0; !status && i < 2; i++)
        if (l->stage[i] >= 0) status = add(m, b, at, row, l->stage[i] * l->n, coefficient * weight[i], power + 1);
    return status;
}

/* The impulse h s f(q0,W0) + h sum a r(q0,w0,.), subtracted. */
static int add_first_impulse(euler_matrix *m, int row)
{
    const block_shape *blocks = m->s->blocks;
    const euler_layout *l = &m->layout;
    int status = TAUT_OK;
    if (l->stage[0] >= 0) status = add(m, &blocks[BLOCK_APPLIED_W], AT_STAGE0, row, l->stage[0] * l->n, -m->scheme->start, 1);
    for (int k = 0; !status && k < 2; k++)
        status = add(m, &blocks[BLOCK_REACTION_LAMBDA], AT_START_A + k, row, l->blocks * l->n + k * l->c, -m->scheme->a[k], 1);
    return status;
}

static int add_stages(euler_matrix *m)
{
    const block_shape *blocks = m->s->blocks;
    const euler_layout *l = &m->layout;
    int status = TAUT_OK;
    for (int i = 0; !status && i < (l->lagrangian ? 2 : 1); i++) {
        int row = l->stage[i] * l->n;
        if (row < 0) continue;
        status = add(m, &blocks[BLOCK_PI_W], AT_STAGE0 + i, row, row, 1, 0);
        if (!status && i) status = add_by_position(m, &blocks[BLOCK_PI_Q], AT_STAGE1, row, 1, 0);
        if (!status) status = add_first_impulse(m, row);
    }
    return status;
}

static int add_end(euler_matrix *m)
{
    const block_shape *blocks = m->s->blocks;
    const euler_layout *l = &m->layout;
    real weight = 1 - m->scheme->start;
    int row = l->end * l->n;
    int status = add(m, &blocks[BLOCK_PI_W], AT_END, row, row, 1, 0);
    if (!status) status = add_by_position(m, &blocks[BLOCK_PI_Q], AT_END, row, 1, 0);
    if (!status) status = add_first_impulse(m, row);
    if (!status && l->stage[1] >= 0) {
        status = add(m, &blocks[BLOCK_APPLIED_W], AT_STAGE1, row, l->stage[1] * l->n, -weight, 1);
        if (!status) status = add_by_position(m, &blocks[BLOCK_APPLIED_Q], AT_STAGE1, row, -weight, 1);
    }
    for (int k = 0; !status && k < 2; k++) {
        real b = m->scheme->b[k];
        status = add_by_position(m, &blocks[BLOCK_REACTION_Q], AT_END_A + k, row, -b, 1);
        if (!status) status = add(m, &blocks[BLOCK_REACTION_W], AT_END_A + k, row, row, -b, 1);
        if (!status) status = add(m, &blocks[BLOCK_REACTION_LAMBDA], AT_END_A + k, row, l->blocks * l->n + k * l->c, -b, 1);
    }
    return status;
}

/* D - h (s nu(q0,Z) + e nu(q1,Z)) and u - nu(q1,z1) */
static int add_motion(euler_matrix *m)
{
    const block_shape *blocks = m->s->blocks;
    const euler_layout *l = &m->layout;
    real s = m->scheme->start, e = 1 - s;
    int row = l->move * l->n, stage = l->stage[0] * l->n, velocity = l->velocity * l->n;
    int status = add(m, &m->identity, AT_END, row, row, 1, 0);
    if (!status) status = add(m, &blocks[BLOCK_NU_W], AT_STAGE0, row, stage, -s, 1);
    if (!status) status = add(m, &blocks[BLOCK_NU_W], AT_STAGE1, row, stage, -e, 1);
    if (!status) status = add_by_position(m, &blocks[BLOCK_NU_Q], AT_STAGE1, row, -e, 1);
    if (!status) status = add(m, &m->identity, AT_END, velocity, velocity, 1, 0);
    if (!status) status = add_by_position(m, &blocks[BLOCK_NU_Q], AT_END, velocity, -1, 0);
    return status ? status : add(m, &blocks[BLOCK_NU_W], AT_END, velocity, l->end * l->n, -1, 0);
}

static int add_constraints(euler_matrix *m)
{
    const block_shape *blocks = m->s->blocks;
    const euler_layout *l = &m->layout;
    int row = l->blocks * l->n;
    int status = add_by_position(m, &blocks[BLOCK_G], AT_END, row, 1, 0);
    if (!status) status = add_by_position(m, &blocks[BLOCK_RATE_Q], AT_RATE, row + l->c, 1, 0);
    return status ? status : add(m, &blocks[BLOCK_G], AT_END, row + l->c, l->velocity * l->n, 1, 0);
}

static int prepare_blocks(euler_matrix *m)
{
    static const block_id needed[] = { BLOCK_PI_Q, BLOCK_PI_W, BLOCK_NU_Q, BLOCK_NU_W, BLOCK_G, BLOCK_RATE_Q, BLOCK_APPLIED_Q,
                                       BLOCK_APPLIED_W, BLOCK_REACTION_Q, BLOCK_REACTION_W, BLOCK_REACTION_LAMBDA };
    struct system *s = m->s;
    size_t largest = s->n;
    int status = system_prepare_split(s);
    for (size_t i = 0; !status && i < sizeof needed / sizeof *needed; i++) {
        status = system_prepare_block(s, needed[i]);
        if (!status && (size_t)s->blocks[needed[i]].value_count > largest) largest = (size_t)s->blocks[needed[i]].value_count;
    }
    if (status) return status;
    m->identity.parts[0] = (block_part){ .source = PART_IDENTITY, .shape = s->identity, .sign = 1 };
    m->identity.part_count = 1;
    m->identity.value_count = (int)s->n;
    m->values = mem_new(s->context, largest, sizeof *m->values);
    return m->values ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

int euler_matrix_create(struct system *s, const euler_scheme *scheme, euler_matrix **result)
{
    euler_matrix *m = mem_new(s->context, 1, sizeof *m);
    *result = NULL;
    if (!m) return TAUT_OUT_OF_MEMORY;
    m->s = s;
    m->scheme = scheme;
    m->layout = euler_layout_of(s, scheme);
    int status = prepare_blocks(m);
    if (!status) status = assembly_create(s->context, m->layout.size, &m->matrix);
    if (!status) status = add_stages(m);
    if (!status) status = add_end(m);
    if (!status && !m->layout.lagrangian) status = add_motion(m);
    if (!status && s->c) status = add_constraints(m);
    if (!status) assembly_expect_zeros(m->matrix);
    if (!status) status = assembly_finish(m->matrix, 0);
    if (status)
        euler_matrix_destroy(m);
    else
        *result = m;
    return status;
}

int euler_matrix_factor(euler_matrix *m, const place *at, real h)
{
    assembly_zero(m->matrix);
    for (int i = 0; i < m->count; i++) {
        const entry *e = &m->entries[i], *before = i ? e - 1 : NULL;
        real factor = e->coefficient;
        for (int k = 0; k < e->power; k++) factor *= h;
        if (!before || before->block != e->block || before->at != e->at) block_values(e->block, &at[e->at], m->values);
        assembly_put(m->matrix, e->name, factor, m->values);
    }
    return assembly_factor(m->matrix);
}

int euler_matrix_solve(euler_matrix *m, real *r) { return assembly_solve(m->matrix, r); }
