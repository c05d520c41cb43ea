#include "method/motion_matrix.h"

#include <string.h>

#include "solve/assembly.h"

/* Unknowns of a stage, and the equations that come at the same offsets. Of a Lagrangian w is the velocity, and the pairs of changes of w and
   of v (A_W and A_V, C_W and C_V) are one unknown each; a formulation leaves out what it does not have. */
enum { X_Q, X_P, Y_Q, Y_P, V, FREE, E, A_W, A_V, ALPHA, C_W, C_V, C, S, BETA, PARTS };

/* A block of a stage: which, with what factor, in the row of which equation, in the column of which unknown. */
typedef struct {
    enum { OF_SYSTEM, OF_IDENTITY, OF_G, OF_RATE, OF_ACCELERATION } source;
    int transposed;
    block_id id;
    int row, column;
    int factor;
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
    block_shape identity, g_transposed, rate_transposed;
    assembly *matrix;
    real *values, *unknowns;
    int room;                    /* in values */
};

void motion_matrix_destroy(motion_matrix *m)
{
    if (!m) return;
    assembly_destroy(m->matrix);
    mem_free(m->s->context, m->values);
    mem_free(m->s->context, m->unknowns);
    mem_free(m->s->context, m);
}

static void put(motion_matrix *m, int source, int transposed, block_id id, int row, int column, int factor)
{
    m->entries[m->count++] =
        (entry){ .source = source, .transposed = transposed, .id = id, .row = row, .column = column, .factor = factor };
}

static void add(motion_matrix *m, block_id id, int row, int column, int factor) { put(m, OF_SYSTEM, 0, id, row, column, factor); }
static void one(motion_matrix *m, int row, int column, int factor) { put(m, OF_IDENTITY, 0, 0, row, column, factor); }
static void jacobian(motion_matrix *m, int row, int column, int factor) { put(m, OF_G, 0, 0, row, column, factor); }
static void multiplied(motion_matrix *m, int row, int column, int factor) { put(m, OF_G, 1, 0, row, column, factor); }
static void rate(motion_matrix *m, int row, int column, int factor) { put(m, OF_RATE, 0, 0, row, column, factor); }
static void rate_multiplied(motion_matrix *m, int row, int column, int factor) { put(m, OF_RATE, 1, 0, row, column, factor); }

/* L: pi_w b + pi_q a = p,  H: b = nu_q a + nu_w p: the change b of v (or of dv/dt) that belongs to those of q and p (or of their rates). */
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
    int lagrangian = m->s->form == FORM_LAGRANGIAN, w = lagrangian ? V : X_P, a_w = lagrangian ? A_V : A_W, c_w = lagrangian ? C_V : C_W;
    int naive = m->type == MOTION_NAIVE, extended = m->type == MOTION_EXTENDED, y_q = naive ? V : Y_Q, force = extended ? FREE : Y_P;
    one(m, X_Q, X_Q, 1), one(m, X_P, X_P, 1);
    velocity_equation(m, V, X_Q, X_P);
    one(m, force, force, 1);
    add(m, BLOCK_PHI_Q, force, X_Q, -1), add(m, BLOCK_PHI_W, force, w, -1), add(m, BLOCK_PHI_LAMBDA, force, BETA, -1);
    velocity_equation(m, E, extended ? V : y_q, force);
    jacobian(m, BETA, E, 1), rate(m, BETA, V, extended || naive ? 2 : 1), put(m, OF_ACCELERATION, 0, 0, BETA, X_Q, 1);
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
    one(m, Y_P, Y_P, 1), one(m, Y_P, FREE, -1), rate_multiplied(m, Y_P, ALPHA, -2), put(m, OF_ACCELERATION, 1, 0, Y_P, C, 1);
    add(m, BLOCK_PHI_Q, Y_P, C_V, 1), add(m, BLOCK_PHI_W, Y_P, S, -1);
}

static const block_shape *shape_of(const motion_matrix *m, const entry *e)
{
    switch (e->source) {
    case OF_SYSTEM: return &m->s->blocks[e->id];
    case OF_IDENTITY: return &m->identity;
    case OF_G: return e->transposed ? &m->g_transposed : &m->s->blocks[BLOCK_G];
    default: return e->transposed ? &m->rate_transposed : &m->s->blocks[BLOCK_RATE_Q];
    }
}

static int prepare_blocks(motion_matrix *m)
{
    struct system *s = m->s;
    int status = system_prepare_block(s, BLOCK_G);
    if (!status) status = system_prepare_block(s, BLOCK_RATE_Q);
    for (int k = 0; !status && k < m->count; k++)
        if (m->entries[k].source == OF_SYSTEM) status = system_prepare_block(s, m->entries[k].id);
    if (status) return status;
    m->identity = (block_shape){ .part_count = 1, .value_count = (int)s->n, .prepared = 1 };
    m->identity.parts[0] = (block_part){ .source = PART_IDENTITY, .shape = s->identity, .sign = 1 };
    m->g_transposed = s->blocks[BLOCK_G];
    m->g_transposed.parts[0].transposed = 1;
    m->rate_transposed = s->blocks[BLOCK_RATE_Q];
    m->rate_transposed.parts[0].transposed = 1;
    for (int k = 0; k < m->count; k++)
        if (shape_of(m, &m->entries[k])->value_count > m->room) m->room = shape_of(m, &m->entries[k])->value_count;
    return TAUT_OK;
}

static int create_pattern(motion_matrix *m)
{
    struct system *s = m->s;
    int size = m->offset[PARTS], status = assembly_create(s->context, size * m->stages, &m->matrix);
    for (int i = 0; !status && i < m->stages; i++) {
        int base = i * size;
        for (int k = 0; !status && k < m->count; k++) {
            entry *e = &m->entries[k];
            status = assembly_add(m->matrix, shape_of(m, e), base + m->offset[e->row], base + m->offset[e->column], &e->id_of[i]);
        }
        for (int part = 0; part < 2; part++)
            for (int j = 0; !status && j < m->stages; j++)
                status = assembly_add(m->matrix, &m->identity, base + m->offset[part ? X_P : X_Q],
                                      j * size + m->offset[part ? Y_P : m->type == MOTION_NAIVE ? V : Y_Q], &m->coupling[part][i][j]);
    }
    if (status) return status;
    assembly_expect_zeros(m->matrix);
    return assembly_finish(m->matrix, 0);
}

int motion_matrix_create(struct system *s, int stages, const real *a, motion_type type, motion_matrix **result)
{
    *result = NULL;
    motion_matrix *m = mem_new(s->context, 1, sizeof *m);
    if (!m) return TAUT_OUT_OF_MEMORY;
    m->s = s;
    m->stages = stages;
    m->type = type;
    for (int i = 0; i < stages; i++)
        for (int j = 0; j < stages; j++) m->a[i][j] = a[i * stages + j];
    int n = (int)s->n, c = (int)s->c, naive = type == MOTION_NAIVE, extended = type == MOTION_EXTENDED, pairs = s->form != FORM_LAGRANGIAN;
    int sizes[PARTS] = { [X_Q] = n, [X_P] = n, [Y_Q] = naive ? 0 : n, [Y_P] = n, [V] = n, [FREE] = extended ? n : 0, [E] = n, [BETA] = c,
                         [A_W] = naive || !pairs ? 0 : n, [A_V] = naive ? 0 : n, [ALPHA] = naive ? 0 : c,
                         [C_W] = extended && pairs ? n : 0, [C_V] = extended ? n : 0, [C] = extended ? c : 0, [S] = extended ? n : 0 };
    for (int k = 0; k < PARTS; k++) m->offset[k + 1] = m->offset[k] + sizes[k];
    m->room = n;
    list_entries(m);
    int status = prepare_blocks(m);
    if (!status) {
        m->values = mem_new(s->context, (size_t)m->room, sizeof(real));
        m->unknowns = mem_new(s->context, (size_t)m->offset[PARTS] * (size_t)stages, sizeof(real));
        status = m->values && m->unknowns ? create_pattern(m) : TAUT_OUT_OF_MEMORY;
    }
    if (status)
        motion_matrix_destroy(m);
    else
        *result = m;
    return status;
}

void motion_matrix_clear(motion_matrix *m, real h)
{
    m->h = h;
    assembly_zero(m->matrix);
}

/* Values of the block of an entry at a stage. */
static void find_values(motion_matrix *m, const entry *e, const place *at, const real *v, const real *acceleration)
{
    struct system *s = m->s;
    place moving = *at;
    moving.x[KIND_W] = v; /* what BLOCK_RATE_Q expects in every form */
    place along = place_at(acceleration, NULL, NULL, NULL);
    switch (e->source) {
    case OF_SYSTEM: system_block_values(s, e->id, at, m->values); break;
    case OF_IDENTITY:
        for (uint32_t i = 0; i < s->n; i++) m->values[i] = 1;
        break;
    case OF_ACCELERATION:
        memset(m->values, 0, (size_t)m->room * sizeof(real));
        field_slope(s->constraint, KIND_Q, at, &along, m->values);
        break;
    case OF_RATE: system_block_values(s, BLOCK_RATE_Q, &moving, m->values); break;
    default: system_block_values(s, BLOCK_G, at, m->values); break;
    }
}

void motion_matrix_put(motion_matrix *m, int stage, const place *at, const real *v, const real *acceleration)
{
    for (int k = 0; k < m->count; k++) {
        const entry *e = &m->entries[k];
        find_values(m, e, at, v, acceleration);
        assembly_put(m->matrix, e->id_of[stage], e->factor, m->values);
    }
    for (uint32_t i = 0; i < m->s->n; i++) m->values[i] = 1;
    for (int part = 0; part < 2; part++)
        for (int j = 0; j < m->stages; j++) assembly_put(m->matrix, m->coupling[part][stage][j], -m->h * m->a[stage][j], m->values);
}

int motion_matrix_factor(motion_matrix *m, real t)
{
    int status = assembly_factor(m->matrix);
    if (status != TAUT_SINGULAR) return status;
    return fail(m->s->context, TAUT_SINGULAR,
                "at t = %.9g: the matrix of the step is singular; the constraints or the mass matrix lose rank here, or the step is too "
                "large: try a smaller one, or 'taut check'", (double)t);
}

int motion_matrix_solve(motion_matrix *m, real *r)
{
    size_t n = m->s->n, size = (size_t)m->offset[PARTS];
    memset(m->unknowns, 0, size * (size_t)m->stages * sizeof(real));
    for (int i = 0; i < m->stages; i++) memcpy(m->unknowns + (size_t)i * size, r + (size_t)i * 2 * n, 2 * n * sizeof(real));
    int status = assembly_solve(m->matrix, m->unknowns);
    for (int i = 0; !status && i < m->stages; i++) memcpy(r + (size_t)i * 2 * n, m->unknowns + (size_t)i * size, 2 * n * sizeof(real));
    return status;
}
