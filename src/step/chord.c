#include "step/chord.h"

#include <string.h>

#include "base/room.h"
#include "linalg/dense.h"
#include "solve/multiplier.h"
#include "system/vector.h"
#define NUMBER real
#include "linalg/products_sum.h"

enum { CHORD_MOST = 8 }; /* groups of a kind */

/* What a block is made of. */
typedef enum { CHORD_DROPPED, CHORD_MASS, CHORD_PUSH, CHORD_G, CHORD_STRANGE } chord_part;

struct chord {
    const step_compiled *p;
    struct system *s;
    int n_count, c_count;             /* groups of n and of c numbers, and as many equations */
    int n_columns[CHORD_MOST], c_columns[CHORD_MOST], n_rows[CHORD_MOST], c_rows[CHORD_MOST];
    int *order;                       /* of the values of G, as in products_order */
    products *rows, *columns;         /* G v; G' x */
    multiplier *matrix;
    /* for the step at hand; row-major */
    real inverse[CHORD_MOST * CHORD_MOST];  /* A^-1 */
    real b[CHORD_MOST * CHORD_MOST];        /* B, n_count x c_count */
    real forward[CHORD_MOST * CHORD_MOST];  /* C A^-1, c_count x n_count */
    real mix[CHORD_MOST * CHORD_MOST];      /* (C A^-1 B)^-1 */
    void *room;                       /* of the arrays below */
    real *g;
    real *y[CHORD_MOST];              /* W r_n */
    real *push[CHORD_MOST];           /* G' lambda */
    real *u[CHORD_MOST];
    real *work;
};

void X(chord_destroy)(chord *c)
{
    if (!c) return;
    taut_context *context = c->s->context;
    taut_mem_free(context, c->order);
    room_free(context, &c->room);
    taut_products_destroy(context, c->rows);
    taut_products_destroy(context, c->columns);
    X(multiplier_destroy)(c->matrix);
    taut_mem_free(context, c);
}

/* ---- is the phase of this kind? ---- */

static chord_part part_of(step_function function, kind by)
{
    switch (function) {
    case STEP_PI:
    case STEP_PI_CHANGE:
    case STEP_E_W:
    case STEP_E_W_CHANGE: return by == KIND_W ? CHORD_MASS : CHORD_DROPPED;
    case STEP_PHI:
    case STEP_BOND:
    case STEP_REACTION:
    case STEP_D_BOND: return by == KIND_LAMBDA ? CHORD_PUSH : CHORD_DROPPED;
    case STEP_FREE:
    case STEP_APPLIED:
    case STEP_FORCE:
    case STEP_E_Q:
    case STEP_D_Q: return CHORD_DROPPED;
    case STEP_G: return by == KIND_Q ? CHORD_G : CHORD_DROPPED;
    case STEP_RATE: return by == KIND_W ? CHORD_G : CHORD_DROPPED;
    case STEP_VECTOR:
    case STEP_NU:
    case STEP_D_W:
    case STEP_D_T:
    case STEP_D_T_BOND:
    case STEP_SLIP:
    case STEP_SLIP_BOND:
    case STEP_SLIP_WORK:
    case STEP_FORCE_WORK:
    case STEP_CHART:
    case STEP_CHART_PULL:
    case STEP_PI_RATE:
    case STEP_RATE_RATE:
    case STEP_FUNCTIONS: break;
    }
    return CHORD_STRANGE;
}

static int list_groups(chord *c)
{
    const step_compiled *p = c->p;
    const step_table *t = p->w->table;
    int n_rows = 0, c_rows = 0;
    for (int g = p->first_group; g < p->first_group + p->group_count; g++) {
        int at = (int)(p->w->offsets[g] - p->w->offsets[p->first_group]);
        if (c->n_count == CHORD_MOST || c->c_count == CHORD_MOST) return 0;
        if (t->groups[g].size == STEP_N)
            c->n_columns[c->n_count++] = at;
        else if (t->groups[g].size == STEP_C)
            c->c_columns[c->c_count++] = at;
        else
            return 0;
    }
    for (int e = 0; e < t->equation_count; e++) {
        if (p->rows[e] < 0 || t->equations[e].phase != p->index) continue;
        if (n_rows == CHORD_MOST || c_rows == CHORD_MOST) return 0;
        if (t->equations[e].size == STEP_N)
            c->n_rows[n_rows++] = p->rows[e];
        else if (t->equations[e].size == STEP_C)
            c->c_rows[c_rows++] = p->rows[e];
        else
            return 0;
    }
    return c->n_count && c->c_count && n_rows == c->n_count && c_rows == c->c_count;
}

static int index_of(const int *list, int count, int value)
{
    for (int i = 0; i < count; i++)
        if (list[i] == value) return i;
    return -1;
}

/* Where the number of an entry stands: in A, B or C. NULL: nowhere, it is dropped or the phase is of another kind. */
static real *number_of(const chord *c, chord_part part, const assembly_entry *e, real *a, real *b, real *g)
{
    int n_row = index_of(c->n_rows, c->n_count, e->row), c_row = index_of(c->c_rows, c->c_count, e->row);
    int n_column = index_of(c->n_columns, c->n_count, e->column);
    int c_column = index_of(c->c_columns, c->c_count, e->column);
    if (part == CHORD_MASS && n_row >= 0 && n_column >= 0) return &a[n_row * c->n_count + n_column];
    if (part == CHORD_PUSH && n_row >= 0 && c_column >= 0) return &b[n_row * c->c_count + c_column];
    if (part == CHORD_G && c_row >= 0 && n_column >= 0) return &g[c_row * c->n_count + n_column];
    return NULL;
}

static int fits(const chord *c)
{
    const step_compiled *p = c->p;
    real nowhere[CHORD_MOST * CHORD_MOST];
    for (int i = 0; i < p->evaluation_count; i++)
        for (int k = 0; k < p->evaluations[i].entry_count; k++) {
            const step_entry *e = &p->entries[p->evaluations[i].first_entry + k];
            chord_part part = part_of(p->evaluations[i].function, e->by);
            if (part != CHORD_DROPPED && !number_of(c, part, &e->at, nowhere, nowhere, nowhere)) return 0;
        }
    return 1;
}

/* ---- preparation ---- */

static void lay_out(void *self, room_layout *l)
{
    chord *c = self;
    size_t n = c->s->n, m = c->s->c;
    c->g = room_reals(l, (size_t)c->s->blocks[BLOCK_G].value_count);
    for (int i = 0; i < c->n_count; i++) c->y[i] = room_reals(l, n);
    for (int k = 0; k < c->c_count; k++) c->push[k] = room_reals(l, n), c->u[k] = room_reals(l, m);
    c->work = room_reals(l, n);
}

static int prepare(chord *c)
{
    struct system *s = c->s;
    int status = X(system_prepare_block)(s, BLOCK_G);
    if (!status) status = X(multiplier_prepare_order)(s, &c->order, &c->rows, &c->columns);
    if (!status) status = X(multiplier_create)(s, c->order, &c->matrix);
    return status ? status : room_create(s->context, lay_out, c, &c->room);
}

int X(chord_create)(const step_compiled *p, chord **result)
{
    struct system *s = p->w->s;
    *result = NULL;
    if (s->form != FORM_LAGRANGIAN || !s->inverse_mass || !s->structure.uncoupled || s->structure.force_multiplier
        || s->embedded || !s->c)
        return TAUT_OK;
    chord *c = taut_mem_new(s->context, 1, sizeof *c);
    if (!c) return TAUT_OUT_OF_MEMORY;
    c->p = p;
    c->s = s;
    int fit = list_groups(c) && fits(c), status = fit ? prepare(c) : TAUT_OK;
    if (status || !fit)
        X(chord_destroy)(c);
    else
        *result = c;
    return status;
}

/* ---- the step at hand ---- */

/* out (rows x columns) = x (rows x inner) y (inner x columns) */
static void multiply(int rows, int inner, int columns, const real *x, const real *y, real *out)
{
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            real sum = 0;
            for (int k = 0; k < inner; k++) sum += x[i * inner + k] * y[k * columns + j];
            out[i * columns + j] = sum;
        }
}

int X(chord_factor)(chord *c, int *usable)
{
    const step_compiled *p = c->p;
    const state *x = p->w->now.start;
    real a[CHORD_MOST * CHORD_MOST] = { 0 }, g[CHORD_MOST * CHORD_MOST] = { 0 }, k[CHORD_MOST * CHORD_MOST];
    real work[CHORD_MOST];
    int pivot[CHORD_MOST];
    memset(c->b, 0, sizeof c->b);
    for (int i = 0; i < p->evaluation_count; i++)
        for (int m = 0; m < p->evaluations[i].entry_count; m++) {
            const step_entry *e = &p->entries[p->evaluations[i].first_entry + m];
            chord_part part = part_of(p->evaluations[i].function, e->by);
            real *number = part == CHORD_DROPPED ? NULL : number_of(c, part, &e->at, a, c->b, g);
            if (number) *number += step_factor(p->w, e->at.coefficient, e->at.power);
        }
    *usable = 0;
    if (X(dense_invert)(c->n_count, a, c->inverse, pivot, work, (real)1e-12)) return TAUT_OK;
    multiply(c->c_count, c->n_count, c->n_count, g, c->inverse, c->forward);
    multiply(c->c_count, c->n_count, c->c_count, c->forward, c->b, k);
    if (X(dense_invert)(c->c_count, k, c->mix, pivot, work, (real)1e-12)) return TAUT_OK;
    real half = p->w->h / 2, t = x->t + half;
    for (uint32_t j = 0; j < x->n; j++) c->work[j] = x->q[j] + half * x->w[j];
    place at = place_at(c->s, c->work, NULL, &t, NULL);
    kind by;
    field *slopes = system_slopes(c->s, &by);
    X(field_ordered_jacobian)(slopes, by, &at, c->g);
    int status = X(multiplier_factor)(c->matrix, c->g, c->g);
    *usable = !status;
    return status;
}

int X(chord_solve)(chord *c, int settle, real *r)
{
    const struct system *s = c->s;
    const size_t n = s->n, m = s->c;
    const int nc = c->n_count, cc = c->c_count;
    real *all[2 * CHORD_MOST], factors[2 * CHORD_MOST], *rows[CHORD_MOST];
    pool *by = s->work->pool;
    int status = TAUT_OK;
    for (int i = 0; i < nc; i++) X(system_apply_inverse_mass)(s, r + c->n_rows[i], c->y[i]);
    for (int k = 0; k < cc && settle; k++) {
        pool_clear(by, r + c->c_columns[k], m * sizeof(real));
        pool_clear(by, c->push[k], n * sizeof(real));
    }
    for (int k = 0; k < cc && !settle; k++) {
        X(vector_combine)(by, n, nc, c->forward + k * nc, (const real *const *)c->y, c->work);
        products_sum(by, c->rows, c->g, c->work, c->u[k]);
        X(vector_add)(by, m, -1, r + c->c_rows[k], c->u[k]);
        rows[k] = r + c->c_columns[k];
    }
    for (int k = 0; k < cc && !settle; k++) /* r_c has been read */
        X(vector_combine)(by, m, cc, c->mix + k * cc, (const real *const *)c->u, rows[k]);
    for (int k = 0; k < cc && !settle && !status; k++) {
        status = X(multiplier_solve)(c->matrix, 1, rows[k]);
        products_sum(by, c->columns, c->g, rows[k], c->work);
        X(system_apply_inverse_mass)(s, c->work, c->push[k]);
    }
    for (int i = 0; i < nc; i++) {
        for (int j = 0; j < nc; j++) all[j] = c->y[j], factors[j] = c->inverse[i * nc + j];
        for (int k = 0; k < cc; k++) {
            all[nc + k] = c->push[k], factors[nc + k] = 0;
            for (int j = 0; j < nc; j++) factors[nc + k] -= c->inverse[i * nc + j] * c->b[j * cc + k];
        }
        X(vector_combine)(by, n, nc + cc, factors, (const real *const *)all, r + c->n_columns[i]);
    }
    return status;
}

int X(chord_choose)(chord *c, const real *unknowns, real *change)
{
    int status = TAUT_OK;
    for (int k = 0; !status && k < c->c_count; k++)
        status = X(multiplier_choose)(c->matrix, unknowns ? unknowns + c->c_columns[k] : NULL,
                                      change + c->c_columns[k]);
    return status;
}
