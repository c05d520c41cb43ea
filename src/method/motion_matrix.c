#include "method/motion_matrix.h"

#include <string.h>

#include "base/room.h"
#include "solve/assembly.h"

/* Unknowns of a stage, and the equations that come at the same offsets. Of a Lagrangian w is the velocity, and the
   pairs of changes of w and of v (A_W and A_V, C_W and C_V) are one unknown each; a formulation leaves out what it does
   not have. */
enum { X_Q, X_P, Y_Q, Y_P, V, FREE, E, A_W, A_V, ALPHA, C_W, C_V, C, S, BETA, PARTS };

/* A block of a stage, in the row of an equation and the column of an unknown; its values are those at one of three
   places. */
typedef struct {
    assembly_entry at;
    enum { AT_STAGE, AT_VELOCITY, AT_ACCELERATION } place; /* the second and third have v and dv/dt for w */
    int id_of[STAGES_MOST];
} entry;

#define ENTRIES_MOST 48

struct motion_matrix {
    struct system *s;
    int stages;
    motion_type type;
    real a[STAGES_MOST][STAGES_MOST], h;
    int offset[PARTS + 1];       /* within a stage; the last is its size */
    entry entries[ENTRIES_MOST];
    int count;
    int coupling[2][STAGES_MOST][STAGES_MOST]; /* -h a_ij of y in the equations of x */
    block_shape softening;       /* the diagonal of each of these groups of multipliers (solve/redundancy.h) */
    pattern *diagonal;           /* its shape; NULL: nothing is softened */
    int softened[STAGES_MOST][3];
    block_shape identity, g_transposed, rate_transposed, acceleration, acceleration_transposed;
    assembly *matrix;
    void *room;                  /* of the arrays below */
    real *values, *unknowns;
    int value_count;             /* of the largest block */
};

void X(motion_matrix_destroy)(motion_matrix *m)
{
    if (!m) return;
    X(assembly_destroy)(m->matrix);
    taut_pattern_destroy(m->s->context, m->diagonal);
    room_free(m->s->context, &m->room);
    taut_mem_free(m->s->context, m);
}

static void lay_out(void *self, room_layout *l)
{
    motion_matrix *m = self;
    m->values = room_reals(l, (size_t)m->value_count);
    m->unknowns = room_reals(l, (size_t)m->offset[PARTS] * (size_t)m->stages);
}

static void put(motion_matrix *m, const block_shape *block, int place, int row, int column, int factor)
{
    m->entries[m->count++] = (entry){ .at = { block, row, column, 0, factor, -1 }, .place = place };
}

static void add(motion_matrix *m, block_id id, int row, int column, int factor)
{
    put(m, &m->s->blocks[id], AT_STAGE, row, column, factor);
}
static void one(motion_matrix *m, int row, int column, int factor)
{
    put(m, &m->identity, AT_STAGE, row, column, factor);
}
static void jacobian(motion_matrix *m, int row, int column, int factor) { add(m, BLOCK_G, row, column, factor); }
static void multiplied(motion_matrix *m, int row, int column, int factor)
{
    put(m, &m->g_transposed, AT_STAGE, row, column, factor);
}
static void rate(motion_matrix *m, int row, int column, int factor)
{
    put(m, &m->s->blocks[BLOCK_RATE_Q], AT_VELOCITY, row, column, factor);
}
static void rate_multiplied(motion_matrix *m, int row, int column, int factor)
{
    put(m, &m->rate_transposed, AT_VELOCITY, row, column, factor);
}

/* L: pi_w b + pi_q a = p,  H: b = nu_q a + nu_w p: the change b of v (or of dv/dt) that belongs to those of q and p (or
   of their rates). */
static void velocity_equation(motion_matrix *m, int b, int a, int p)
{
    int lagrangian = m->s->form == FORM_LAGRANGIAN;
    if (lagrangian)
        add(m, BLOCK_PI_W, b, b, 1), add(m, BLOCK_PI_Q, b, a, 1), one(m, b, p, -1);
    else
        one(m, b, b, 1), add(m, BLOCK_NU_Q, b, a, -1), add(m, BLOCK_NU_W, b, p, -1);
}

/* pi_w w = G' multiplier, v = nu_w w */
static void reaction(motion_matrix *m, int w, int v, int multiplier)
{
    if (m->s->form == FORM_LAGRANGIAN) {
        add(m, BLOCK_PI_W, v, v, 1), multiplied(m, v, multiplier, -1);
    } else {
        one(m, w, w, 1), multiplied(m, w, multiplier, -1);
        one(m, v, v, 1), add(m, BLOCK_NU_W, v, w, -1);
    }
}

/* The equations of motion_matrix.h, each at the unknown that it is named by here. */
static void list_entries(motion_matrix *m)
{
    int lagrangian = m->s->form == FORM_LAGRANGIAN, w = lagrangian ? V : X_P, a_w = lagrangian ? A_V : A_W,
        c_w = lagrangian ? C_V : C_W;
    int naive = m->type == MOTION_NAIVE, extended = m->type == MOTION_EXTENDED, y_q = naive ? V : Y_Q,
        force = extended ? FREE : Y_P;
    one(m, X_Q, X_Q, 1), one(m, X_P, X_P, 1);
    velocity_equation(m, V, X_Q, X_P);
    one(m, force, force, 1);
    add(m, BLOCK_PHI_Q, force, X_Q, -1), add(m, BLOCK_PHI_W, force, w, -1), add(m, BLOCK_PHI_LAMBDA, force, BETA, -1);
    velocity_equation(m, E, extended ? V : y_q, force);
    jacobian(m, BETA, E, 1), rate(m, BETA, V, extended || naive ? 2 : 1),
        put(m, &m->acceleration, AT_ACCELERATION, BETA, X_Q, 1);
    if (naive) return;
    reaction(m, A_W, A_V, ALPHA);
    jacobian(m, ALPHA, A_V, 1), jacobian(m, ALPHA, V, -1), rate(m, ALPHA, X_Q, -1);
    one(m, Y_Q, Y_Q, 1), one(m, Y_Q, V, -1);
    if (!extended) {
        one(m, Y_Q, A_V, 1);
        add(m, BLOCK_PHI_W, Y_P, a_w, 1), rate_multiplied(m, Y_P, ALPHA, -1);
        rate(m, BETA, Y_Q, 1);
        return;
    }
    reaction(m, C_W, C_V, C);
    jacobian(m, C, C_V, 1), jacobian(m, C, X_Q, -1);
    if (lagrangian)
        add(m, BLOCK_PI_W, S, S, 1), add(m, BLOCK_PI_Q, S, C_V, -1), one(m, Y_Q, S, -1);
    else
        one(m, S, S, 1), add(m, BLOCK_NU_W, Y_Q, S, -1), add(m, BLOCK_NU_Q, Y_Q, C_V, 1);
    add(m, BLOCK_PHI_W, S, c_w, 1), rate_multiplied(m, S, C, -2), multiplied(m, S, ALPHA, 2);
    one(m, Y_P, Y_P, 1), one(m, Y_P, FREE, -1), rate_multiplied(m, Y_P, ALPHA, -2),
        put(m, &m->acceleration_transposed, AT_ACCELERATION, Y_P, C, 1);
    add(m, BLOCK_PHI_Q, Y_P, C_V, 1), add(m, BLOCK_PHI_W, Y_P, S, -1);
}

/* The blocks that only this matrix has; their parts are the system's. */
static int prepare_blocks(motion_matrix *m)
{
    static const block_id needed[] = { BLOCK_PI_Q,  BLOCK_PI_W,       BLOCK_NU_Q, BLOCK_NU_W,  BLOCK_PHI_Q,
                                       BLOCK_PHI_W, BLOCK_PHI_LAMBDA, BLOCK_G,    BLOCK_RATE_Q };
    struct system *s = m->s;
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < sizeof needed / sizeof *needed; i++)
        status = X(system_prepare_block)(s, needed[i]);
    if (status) return status;
    m->identity = (block_shape){ .part_count = 1, .value_count = (int)s->n, .prepared = 1 };
    m->identity.parts[0] = (block_part){ .source = PART_IDENTITY, .shape = s->identity, .sign = 1 };
    m->g_transposed = s->blocks[BLOCK_G];
    m->g_transposed.parts[0].transposed = 1;
    m->rate_transposed = m->acceleration = s->blocks[BLOCK_RATE_Q];
    m->rate_transposed.parts[0].transposed = 1;
    m->acceleration.parts[0].steady = 1;
    m->acceleration_transposed = m->acceleration;
    m->acceleration_transposed.parts[0].transposed = 1;
    for (int k = 0; k < m->count; k++)
        if (m->entries[k].at.block->value_count > m->value_count) m->value_count = m->entries[k].at.block->value_count;
    if (!s->softening) return TAUT_OK;
    m->softening = (block_shape){ .part_count = 1, .value_count = (int)s->c, .prepared = 1 };
    if ((int)s->c > m->value_count) m->value_count = (int)s->c;
    status = taut_pattern_identity(s->context, (int)s->c, &m->diagonal);
    m->softening.parts[0] = (block_part){ .source = PART_IDENTITY, .shape = m->diagonal, .sign = 1 };
    return status;
}

static const int multipliers[] = { BETA, ALPHA, C };

static int add_softening(motion_matrix *m, int stage)
{
    int status = TAUT_OK, base = stage * m->offset[PARTS];
    for (int k = 0; !status && k < 3; k++) {
        int at = base + m->offset[multipliers[k]];
        m->softened[stage][k] = -1;
        if (m->offset[multipliers[k] + 1] > m->offset[multipliers[k]])
            status = X(assembly_add)(m->matrix, &m->softening, at, at, &m->softened[stage][k]);
    }
    return status;
}

static int create_pattern(motion_matrix *m)
{
    struct system *s = m->s;
    int size = m->offset[PARTS], status = X(assembly_create)(s->context, size * m->stages, &m->matrix);
    for (int i = 0; !status && i < m->stages; i++) {
        int base = i * size;
        for (int k = 0; !status && k < m->count; k++) {
            entry *e = &m->entries[k];
            status = X(assembly_add)(m->matrix, e->at.block, base + m->offset[e->at.row],
                                     base + m->offset[e->at.column], &e->id_of[i]);
        }
        for (int part = 0; part < 2; part++)
            for (int j = 0; !status && j < m->stages; j++)
                status = X(assembly_add)(m->matrix, &m->identity, base + m->offset[part ? X_P : X_Q],
                                         j * size
                                             + m->offset[part                      ? Y_P
                                                         : m->type == MOTION_NAIVE ? V
                                                                                   : Y_Q],
                                         &m->coupling[part][i][j]);
        if (!status && m->diagonal) status = add_softening(m, i);
    }
    if (status) return status;
    X(assembly_expect_zeros)(m->matrix);
    return X(assembly_finish)(m->matrix, 0);
}

int X(motion_matrix_create)(struct system *s, int stages, const real *a, motion_type type, motion_matrix **result)
{
    *result = NULL;
    motion_matrix *m = taut_mem_new(s->context, 1, sizeof *m);
    if (!m) return TAUT_OUT_OF_MEMORY;
    m->s = s;
    m->stages = stages;
    m->type = type;
    for (int i = 0; i < stages; i++)
        for (int j = 0; j < stages; j++) m->a[i][j] = a[i * stages + j];
    int n = (int)s->n, c = (int)s->c, naive = type == MOTION_NAIVE, extended = type == MOTION_EXTENDED,
        pairs = s->form != FORM_LAGRANGIAN;
    int sizes[PARTS] = { [X_Q] = n,
                         [X_P] = n,
                         [Y_Q] = naive ? 0 : n,
                         [Y_P] = n,
                         [V] = n,
                         [FREE] = extended ? n : 0,
                         [E] = n,
                         [BETA] = c,
                         [A_W] = naive || !pairs ? 0 : n,
                         [A_V] = naive ? 0 : n,
                         [ALPHA] = naive ? 0 : c,
                         [C_W] = extended && pairs ? n : 0,
                         [C_V] = extended ? n : 0,
                         [C] = extended ? c : 0,
                         [S] = extended ? n : 0 };
    for (int k = 0; k < PARTS; k++) m->offset[k + 1] = m->offset[k] + sizes[k];
    m->value_count = n;
    list_entries(m);
    int status = prepare_blocks(m);
    if (!status) status = room_create(s->context, lay_out, m, &m->room);
    if (!status) status = create_pattern(m);
    if (status)
        X(motion_matrix_destroy)(m);
    else
        *result = m;
    return status;
}

void X(motion_matrix_clear)(motion_matrix *m, real h)
{
    m->h = h;
    X(assembly_zero)(m->matrix);
}

void X(motion_matrix_put)(motion_matrix *m, int stage, const place *at, const real *v, const real *acceleration)
{
    place places[] = { *at, *at, *at };
    places[AT_VELOCITY].x[KIND_W] = v; /* what BLOCK_RATE_Q expects in every form */
    places[AT_ACCELERATION].x[KIND_W] = acceleration;
    for (int k = 0; k < m->count; k++) {
        const entry *e = &m->entries[k];
        X(block_values)(e->at.block, &places[e->place], m->values);
        X(assembly_put)(m->matrix, e->id_of[stage], e->at.coefficient, m->values);
    }
    for (uint32_t i = 0; i < m->s->n; i++) m->values[i] = 1;
    for (int part = 0; part < 2; part++)
        for (int j = 0; j < m->stages; j++)
            X(assembly_put)(m->matrix, m->coupling[part][stage][j], -m->h * m->a[stage][j], m->values);
    for (uint32_t i = 0; m->diagonal && i < m->s->c; i++) m->values[i] = m->s->softening[i];
    for (int k = 0; m->diagonal && k < 3; k++)
        if (m->softened[stage][k] >= 0) X(assembly_put)(m->matrix, m->softened[stage][k], 1, m->values);
}

int X(motion_matrix_factor)(motion_matrix *m, real t)
{
    int status = X(assembly_factor)(m->matrix);
    if (status != TAUT_SINGULAR) return status;
    return taut_fail(m->s->context, TAUT_SINGULAR,
                     "at t = %.9g: the matrix of the step is singular; the constraints or the mass matrix lose rank "
                     "here, or the step is too large: try a smaller one",
                     (double)t);
}

int X(motion_matrix_solve)(motion_matrix *m, real *r)
{
    size_t n = m->s->n, size = (size_t)m->offset[PARTS];
    memset(m->unknowns, 0, size * (size_t)m->stages * sizeof(real));
    for (int i = 0; i < m->stages; i++)
        memcpy(m->unknowns + (size_t)i * size, r + (size_t)i * 2 * n, 2 * n * sizeof(real));
    int status = X(assembly_solve)(m->matrix, m->unknowns);
    for (int i = 0; !status && i < m->stages; i++)
        memcpy(r + (size_t)i * 2 * n, m->unknowns + (size_t)i * size, 2 * n * sizeof(real));
    return status;
}
