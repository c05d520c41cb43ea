#include "method/stage_matrix.h"

#include <string.h>

#include "solve/assembly.h"

#define BLOCKS_MOST (2 * STAGES_MOST)

/* Coefficients between equations (or unknowns) and stages. */
typedef real table[BLOCKS_MOST][BLOCKS_MOST];

/* Equation i is  sum_j  pi_ij pi(j) - h nu_ij nu(j) - h phi_ij phi(j)  (+ the unknown itself, unless Lagrangian); unknown k moves Q_j by
   step q_jk and W_j by w_jk, with step = h for a Lagrangian. */
enum { ROW_PI, ROW_NU, ROW_PHI, ROWS };
enum { COLUMN_Q, COLUMN_W, COLUMNS };
static const struct {
    block_id id;
    int row, column;
} kinds[] = {
    { BLOCK_PI_Q, ROW_PI, COLUMN_Q },   { BLOCK_PI_W, ROW_PI, COLUMN_W },   { BLOCK_NU_Q, ROW_NU, COLUMN_Q },
    { BLOCK_NU_W, ROW_NU, COLUMN_W },   { BLOCK_PHI_Q, ROW_PHI, COLUMN_Q }, { BLOCK_PHI_W, ROW_PHI, COLUMN_W },
};
#define KINDS (int)(sizeof kinds / sizeof *kinds)

struct stage_matrix {
    struct system *s;
    const lobatto_pair *pair;
    int lagrangian;
    int blocks;                           /* of n unknowns; then come stages - 1 of c */
    table rows[ROWS], columns[COLUMNS];
    int place_of[KINDS][BLOCKS_MOST][BLOCKS_MOST]; /* names of the blocks in the assembly, or -1 */
    int force_of[BLOCKS_MOST][STAGES_MOST], g_of[STAGES_MOST][BLOCKS_MOST], own_of[BLOCKS_MOST];
    assembly *matrix;
    block_shape identity;
    real *values;
};

void stage_matrix_destroy(stage_matrix *m)
{
    if (!m) return;
    assembly_destroy(m->matrix);
    mem_free(m->s->context, m->values);
    mem_free(m->s->context, m);
}

/* ---- coefficients ---- */

/* Lagrangian: unknowns W_1 .. W_s, equations pi(i) - p0 - h sum A_ij phi(j). Combinations of rows and columns exist (the inverses of A and
   a, bordered) after which stages meet in the mass matrix alone; they have a third of the entries, but a poor diagonal: on a chain of
   1,000 links three stages then take less than half the time, and six take 42 s a step. As they are, the diagonal is the mass matrix. */
static void lagrangian_tables(stage_matrix *m)
{
    const lobatto_pair *pair = m->pair;
    for (int i = 0; i < pair->stages; i++) {
        m->rows[ROW_PI][i][i] = m->columns[COLUMN_W][i][i] = 1;
        memcpy(m->rows[ROW_PHI][i], pair->A[i], sizeof pair->A[i]);
        memcpy(m->columns[COLUMN_Q][i], pair->a[i], sizeof pair->a[i]);
    }
}

/* The others: unknowns Z_1 .. Z_{s-1} and U_2 .. U_s, equations Z_i - h phi(i) and U_i - h sum a_ij nu(j). */
static void phase_space_tables(stage_matrix *m)
{
    const lobatto_pair *pair = m->pair;
    int s = pair->stages, r = s - 1;
    for (int i = 0; i < s; i++) memcpy(m->columns[COLUMN_W][i], pair->A[i], sizeof pair->A[i]);
    for (int i = 0; i < r; i++) {
        m->rows[ROW_PHI][i][i] = 1;
        memcpy(m->rows[ROW_NU][r + i], pair->a[i + 1], sizeof pair->a[i]);
        m->columns[COLUMN_Q][i + 1][r + i] = 1;
    }
}

/* ---- pattern ---- */

static int meets(const stage_matrix *m, int kind, int i, int k)
{
    for (int j = 0; j < m->pair->stages; j++)
        if (m->rows[kinds[kind].row][i][j] != 0 && m->columns[kinds[kind].column][j][k] != 0) return 1;
    return 0;
}

static int add_functions(stage_matrix *m)
{
    struct system *s = m->s;
    int n = (int)s->n;
    for (int kind = 0; kind < KINDS; kind++)
        for (int i = 0; i < m->blocks; i++)
            for (int k = 0; k < m->blocks; k++) {
                const block_shape *b = &s->blocks[kinds[kind].id];
                int *name = &m->place_of[kind][i][k];
                *name = -1;
                if (!b->value_count || !meets(m, kind, i, k)) continue;
                if (assembly_add(m->matrix, b, i * n, k * n, name)) return TAUT_OUT_OF_MEMORY;
            }
    for (int i = 0; !m->lagrangian && i < m->blocks; i++)
        if (assembly_add(m->matrix, &m->identity, i * n, i * n, &m->own_of[i])) return TAUT_OUT_OF_MEMORY;
    return TAUT_OK;
}

static int add_constraints(stage_matrix *m)
{
    struct system *s = m->s;
    int n = (int)s->n, c = (int)s->c, first = m->blocks * n;
    for (int j = 0; j < m->pair->stages - 1; j++) /* multipliers of stage j, constraints of stage j + 1 */
        for (int i = 0; i < m->blocks; i++) {
            m->force_of[i][j] = m->g_of[j + 1][i] = -1;
            if (m->rows[ROW_PHI][i][j] != 0
                && assembly_add(m->matrix, &s->blocks[BLOCK_PHI_LAMBDA], i * n, first + j * c, &m->force_of[i][j]))
                return TAUT_OUT_OF_MEMORY;
            if (m->columns[COLUMN_Q][j + 1][i] != 0
                && assembly_add(m->matrix, &s->blocks[BLOCK_G], first + j * c, i * n, &m->g_of[j + 1][i]))
                return TAUT_OUT_OF_MEMORY;
        }
    return TAUT_OK;
}

static int create_matrix(stage_matrix *m)
{
    struct system *s = m->s;
    size_t largest = s->n;
    for (int b = 0; b <= BLOCK_G; b++) { /* pi, nu, phi and G */
        int status = system_prepare_block(s, (block_id)b);
        if (status) return status;
        if ((size_t)s->blocks[b].value_count > largest) largest = (size_t)s->blocks[b].value_count;
    }
    m->identity.parts[0] = (block_part){ .source = PART_IDENTITY, .shape = s->identity, .sign = 1 };
    m->identity.part_count = 1;
    m->identity.value_count = (int)s->n;
    m->values = mem_new(s->context, largest, sizeof *m->values);
    if (!m->values) return TAUT_OUT_OF_MEMORY;
    int status = assembly_create(s->context, m->blocks * (int)s->n + (m->pair->stages - 1) * (int)s->c, &m->matrix);
    if (!status) status = add_functions(m);
    if (!status && s->c) status = add_constraints(m);
    return status ? status : assembly_finish(m->matrix, 0);
}

int stage_matrix_create(struct system *s, const lobatto_pair *pair, stage_matrix **result)
{
    stage_matrix *m = mem_new(s->context, 1, sizeof *m);
    *result = NULL;
    if (!m) return TAUT_OUT_OF_MEMORY;
    m->s = s;
    m->pair = pair;
    m->lagrangian = s->form == FORM_LAGRANGIAN;
    m->blocks = m->lagrangian ? pair->stages : 2 * (pair->stages - 1);
    if (m->lagrangian)
        lagrangian_tables(m);
    else
        phase_space_tables(m);
    int status = create_matrix(m);
    if (status)
        stage_matrix_destroy(m);
    else
        *result = m;
    return status;
}

/* ---- values ---- */

/* Derivatives of pi, nu or phi at stage j, into every equation that has the function and every unknown that moves the stage. */
static void put_function(stage_matrix *m, int kind, int j, const place *at, real factor)
{
    int known = 0;
    for (int i = 0; i < m->blocks; i++) {
        real row = m->rows[kinds[kind].row][i][j];
        for (int k = 0; row != 0 && k < m->blocks; k++) {
            real column = m->columns[kinds[kind].column][j][k];
            if (column == 0 || m->place_of[kind][i][k] < 0) continue;
            if (!known) system_block_values(m->s, kinds[kind].id, at, m->values);
            known = 1;
            assembly_put(m->matrix, m->place_of[kind][i][k], factor * row * column, m->values);
        }
    }
}

/* Constraint force at stage j, constraints at stage j + 1. */
static void put_constraints(stage_matrix *m, int j, const place *at, real h, real step)
{
    system_block_values(m->s, BLOCK_PHI_LAMBDA, &at[j], m->values);
    for (int i = 0; i < m->blocks; i++)
        if (m->force_of[i][j] >= 0) assembly_put(m->matrix, m->force_of[i][j], -h * m->rows[ROW_PHI][i][j], m->values);
    system_block_values(m->s, BLOCK_G, &at[j + 1], m->values);
    for (int k = 0; k < m->blocks; k++)
        if (m->g_of[j + 1][k] >= 0)
            assembly_put(m->matrix, m->g_of[j + 1][k], step * m->columns[COLUMN_Q][j + 1][k], m->values);
}

int stage_matrix_factor(stage_matrix *m, const place *at, real h)
{
    real step = m->lagrangian ? h : 1; /* displacement by a unit of unknown */
    assembly_zero(m->matrix);
    for (int j = 0; j < m->pair->stages; j++)
        for (int kind = 0; kind < KINDS; kind++) {
            real factor = (kinds[kind].row == ROW_PI ? 1 : -h) * (kinds[kind].column == COLUMN_Q ? step : 1);
            put_function(m, kind, j, &at[j], factor);
        }
    for (int j = 0; m->s->c && j < m->pair->stages - 1; j++) put_constraints(m, j, at, h, step);
    if (!m->lagrangian) {
        for (uint32_t i = 0; i < m->s->n; i++) m->values[i] = 1;
        for (int i = 0; i < m->blocks; i++) assembly_put(m->matrix, m->own_of[i], 1, m->values);
    }
    return assembly_factor(m->matrix);
}

int stage_matrix_solve(stage_matrix *m, real *r) { return assembly_solve(m->matrix, r); }
