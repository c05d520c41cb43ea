#include "method/motion_matrix.h"

#include <string.h>

#include "solve/assembly.h"

/* Unknowns of a stage, and the equations that come at the same offsets. */
enum { X_Q, X_P, Y_Q, Y_P, O, E, ALPHA, BETA, PARTS };

/* A block of a stage: which, with what factor, in the row of which equation, in the column of which unknown. */
typedef struct {
    enum { OF_SYSTEM, OF_IDENTITY, OF_G, OF_G_TRANSPOSED, OF_RATE, OF_RATE_TRANSPOSED, OF_ACCELERATION } source;
    block_id id;
    int row, column;
    int factor;
    int id_of[STAGES_MOST];
} entry;

#define ENTRIES_MOST 24

struct motion_matrix {
    struct system *s;
    int stages, keeps_position, own_o;
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

static void add(motion_matrix *m, int source, block_id id, int row, int column, int factor)
{
    m->entries[m->count++] = (entry){ .source = source, .id = id, .row = row, .column = column, .factor = factor };
}

/* Equations of a stage, named by the unknown at whose offset they stand. */
static void list_entries(motion_matrix *m)
{
    int lagrangian = m->s->form == FORM_LAGRANGIAN, o = m->own_o ? O : Y_Q; /* of a Lagrangian, o is y_q */
    add(m, OF_IDENTITY, 0, X_Q, X_Q, 1);
    add(m, OF_IDENTITY, 0, X_P, X_P, 1);
    if (lagrangian) { /* pi_q x_q + pi_w y_q + G' alpha = x_p */
        add(m, OF_SYSTEM, BLOCK_PI_Q, Y_Q, X_Q, 1);
        add(m, OF_SYSTEM, BLOCK_PI_W, Y_Q, Y_Q, 1);
        add(m, OF_IDENTITY, 0, Y_Q, X_P, -1);
        if (m->keeps_position) add(m, OF_G_TRANSPOSED, 0, Y_Q, ALPHA, 1);
    } else { /* o + G' alpha = x_p;  y_q = nu_q x_q + nu_w o */
        add(m, OF_IDENTITY, 0, O, O, 1);
        add(m, OF_IDENTITY, 0, O, X_P, -1);
        if (m->keeps_position) add(m, OF_G_TRANSPOSED, 0, O, ALPHA, 1);
        add(m, OF_IDENTITY, 0, Y_Q, Y_Q, 1);
        add(m, OF_SYSTEM, BLOCK_NU_Q, Y_Q, X_Q, -1);
        add(m, OF_SYSTEM, BLOCK_NU_W, Y_Q, O, -1);
    }
    add(m, OF_IDENTITY, 0, Y_P, Y_P, 1);
    add(m, OF_SYSTEM, BLOCK_PHI_Q, Y_P, X_Q, -1);
    add(m, OF_SYSTEM, BLOCK_PHI_W, Y_P, o, -1);
    add(m, OF_SYSTEM, BLOCK_PHI_LAMBDA, Y_P, BETA, -1);
    if (m->keeps_position) add(m, OF_RATE_TRANSPOSED, 0, Y_P, ALPHA, -1);
    add(m, lagrangian ? OF_SYSTEM : OF_IDENTITY, BLOCK_PI_W, E, E, 1);
    add(m, OF_SYSTEM, lagrangian ? BLOCK_PI_Q : BLOCK_NU_Q, E, Y_Q, lagrangian ? 1 : -1);
    add(m, lagrangian ? OF_IDENTITY : OF_SYSTEM, BLOCK_NU_W, E, Y_P, -1);
    if (m->keeps_position) {
        add(m, OF_G, 0, ALPHA, Y_Q, 1);
        add(m, OF_RATE, 0, ALPHA, X_Q, 1);
    }
    add(m, OF_G, 0, BETA, E, 1);
    add(m, OF_RATE, 0, BETA, Y_Q, 2);
    add(m, OF_ACCELERATION, 0, BETA, X_Q, 1);
}

static const block_shape *shape_of(const motion_matrix *m, const entry *e)
{
    switch (e->source) {
    case OF_SYSTEM: return &m->s->blocks[e->id];
    case OF_IDENTITY: return &m->identity;
    case OF_G: return &m->s->blocks[BLOCK_G];
    case OF_G_TRANSPOSED: return &m->g_transposed;
    case OF_RATE_TRANSPOSED: return &m->rate_transposed;
    default: return &m->s->blocks[BLOCK_RATE_Q];
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
                status = assembly_add(m->matrix, &m->identity, base + m->offset[part ? X_P : X_Q], j * size + m->offset[part ? Y_P : Y_Q],
                                      &m->coupling[part][i][j]);
    }
    if (status) return status;
    assembly_expect_zeros(m->matrix);
    return assembly_finish(m->matrix, 0);
}

int motion_matrix_create(struct system *s, int stages, const real *a, int keeps_position, motion_matrix **result)
{
    *result = NULL;
    motion_matrix *m = mem_new(s->context, 1, sizeof *m);
    if (!m) return TAUT_OUT_OF_MEMORY;
    m->s = s;
    m->stages = stages;
    m->keeps_position = keeps_position;
    m->own_o = s->form != FORM_LAGRANGIAN;
    for (int i = 0; i < stages; i++)
        for (int j = 0; j < stages; j++) m->a[i][j] = a[i * stages + j];
    int n = (int)s->n, c = (int)s->c, sizes[PARTS] = { n, n, n, n, m->own_o ? n : 0, n, keeps_position ? c : 0, c };
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
    case OF_RATE:
    case OF_RATE_TRANSPOSED: system_block_values(s, BLOCK_RATE_Q, &moving, m->values); break;
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
