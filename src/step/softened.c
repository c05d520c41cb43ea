#include "step/softened.h"

#include <string.h>

#include "linalg/dense.h"
#include "solve/redundancy.h"
#include "solve/stress.h"
#include "step/phase.h"

/* ---- T: the matrix of the phase for one coordinate of mass 1 under one constraint of slope 1, without forces ---- */

static real slope(const struct system *s, step_function function, kind by)
{
    /* In the equations of constraints psi has the weights of g, and where g has none it stands alone. */
    if (s->slip && (function == STEP_G || function == STEP_D_BOND)) return 0;
    switch (function) {
    case STEP_PI:
    case STEP_PI_CHANGE:
    case STEP_E_W:
    case STEP_E_W_CHANGE:
    case STEP_NU:
    case STEP_RATE:
    case STEP_SLIP:
    case STEP_CHART_PULL: return by == KIND_W;
    case STEP_D_W: return by == KIND_W ? (real)0.5 : 0;
    case STEP_G:
    case STEP_CHART: return by == KIND_Q;
    case STEP_PHI:
    case STEP_BOND:
    case STEP_REACTION:
    case STEP_SLIP_BOND:
    case STEP_D_BOND: return by == KIND_LAMBDA;
    case STEP_VECTOR: return 1;
    case STEP_FREE:
    case STEP_APPLIED:
    case STEP_FORCE:
    case STEP_E_Q:
    case STEP_D_Q:
    case STEP_D_T:
    case STEP_D_T_BOND:
    case STEP_SLIP_WORK:
    case STEP_FORCE_WORK:
    case STEP_PI_RATE:
    case STEP_RATE_RATE:
    case STEP_FUNCTIONS: break;
    }
    return 0;
}

/* Groups of unknowns, or equations, in an order that has those of constraints last. Returns how many are others. */
typedef struct {
    int at[STEP_GROUPS];      /* row or column of the phase */
    int count, others;
} ordering;

static void add_to(const step_compiled *p, ordering *o, int at, step_size size, int pass)
{
    int constraint = size == STEP_C;
    if (constraint != pass || o->count == STEP_GROUPS || (size == STEP_Y && !p->w->s->embedded)) return;
    o->at[o->count++] = at;
    o->others += !constraint;
}

static void order_both(const step_compiled *p, ordering *rows, ordering *columns)
{
    const step_table *t = p->w->table;
    *rows = *columns = (ordering){ 0 };
    for (int pass = 0; pass < 2; pass++) {
        for (int g = p->first_group; g < p->first_group + p->group_count; g++)
            add_to(p, columns, (int)(p->w->offsets[g] - p->w->offsets[p->first_group]), t->groups[g].size, pass);
        for (int e = 0; e < t->equation_count; e++)
            if (t->equations[e].phase == p->index) add_to(p, rows, p->rows[e], t->equations[e].size, pass);
    }
}

static int find_in(const ordering *o, int at)
{
    int i = 0;
    while (i < o->count && o->at[i] != at) i++;
    return i;
}

/* T = -C A^-1 B of the matrix [A B; C 0]. Not 0 where A has no inverse. */
static int find_t(const step_compiled *p, softened *z)
{
    ordering rows, columns;
    real all[STEP_GROUPS * STEP_GROUPS] = { 0 }, a[STEP_GROUPS * STEP_GROUPS], column[STEP_GROUPS];
    int pivot[STEP_GROUPS];
    order_both(p, &rows, &columns);
    const int n = columns.others, size = columns.count;
    for (int i = 0; i < p->evaluation_count; i++)
        for (int k = 0; k < p->evaluations[i].entry_count; k++) {
            const step_entry *e = &p->entries[p->evaluations[i].first_entry + k];
            int row = find_in(&rows, e->at.row), at = find_in(&columns, e->at.column);
            if (row < size && at < size)
                all[row * size + at] += slope(p->w->s, p->evaluations[i].function, e->by)
                                        * step_factor(p->w, e->at.coefficient, e->at.power);
        }
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) a[i * n + j] = all[i * size + j];
    if (X(dense_factor)(n, a, pivot, 0)) return 1;
    for (int j = 0; j < z->count; j++) {
        for (int i = 0; i < n; i++) column[i] = all[i * size + n + j];
        X(dense_solve)(n, a, pivot, column);
        for (int i = 0; i < z->count; i++) {
            real sum = 0;
            for (int k = 0; k < n; k++) sum += all[(n + i) * size + k] * column[k];
            z->t[i * z->count + j] = -sum;
        }
    }
    return 0;
}

/* ---- entries ---- */

int X(softened_prepare)(step_compiled *p)
{
    softened *z = &p->softened;
    ordering rows, columns;
    int status = TAUT_OK;
    if (!p->w->s->softening) return TAUT_OK;
    order_both(p, &rows, &columns);
    int count = columns.count - columns.others;
    if (rows.count != columns.count || rows.others != columns.others || count > SOFTENED_MOST) return TAUT_OK;
    z->count = count;
    for (int i = 0; i < count; i++)
        z->rows[i] = rows.at[rows.others + i], z->columns[i] = columns.at[columns.others + i];
    for (int i = 0; i < count; i++)
        for (int j = 0; !status && j < count; j++)
            status = X(assembly_add)(p->matrix, &p->w->functions->identities[STEP_C], z->rows[i], z->columns[j],
                                     &z->ids[i * count + j]);
    return status || !count ? status : X(stress_create)(p->w->s, NULL, &z->stress);
}

void X(softened_clear)(step_compiled *p) { X(stress_destroy)(p->softened.stress); }

size_t X(softened_room)(const step_compiled *p)
{
    const struct system *s = p->w->s;
    if (!p->softened.count) return 0;
    if (p->softened.stress) return (size_t)s->blocks[BLOCK_G].value_count;
    return (size_t)p->size + (size_t)p->softened.count * s->c;
}

const real *X(softened_weights)(step_compiled *p)
{
    if (find_t(p, &p->softened)) memset(p->softened.t, 0, sizeof p->softened.t);
    return p->softened.t;
}

void X(softened_put)(step_compiled *p)
{
    softened *z = &p->softened;
    step_work *w = p->w;
    if (!z->count) return;
    X(softened_weights)(p);
    for (uint32_t k = 0; k < w->s->c; k++) w->block[k] = w->s->softening[k];
    for (int i = 0; i < z->count * z->count; i++)
        if (z->t[i] != 0) X(assembly_put)(p->matrix, z->ids[i], z->t[i], w->block);
}

/* ---- choices ---- */

/* The place whose G' the multipliers in a column are multiplied with; of a discrete gradient the middle between the
   start and there, up to the square of the step. */
static place place_of(const step_compiled *p, int column)
{
    const step_work *w = p->w;
    const state *start = w->now.start;
    for (int i = 0; i < p->evaluation_count; i++)
        for (int k = 0; k < p->evaluations[i].entry_count; k++) {
            const step_entry *e = &p->entries[p->evaluations[i].first_entry + k];
            if (e->by != KIND_LAMBDA || e->at.column != column) continue;
            place at = w->at[p->evaluations[i].place];
            if (p->evaluations[i].function != STEP_D_BOND) return at;
            for (uint32_t j = 0; j < w->s->n; j++) w->value[j] = (start->q[j] + at.x[KIND_Q][j]) / 2;
            at.x[KIND_Q] = w->value;
            return at;
        }
    return place_at(w->s, start->q, start->w, &start->t, start->lambda);
}

static int choose_by_stress(const step_compiled *p, const real *unknowns, real *change, real *g)
{
    const softened *z = &p->softened;
    int status = TAUT_OK;
    for (int j = 0; !status && j < z->count; j++) {
        place at = place_of(p, z->columns[j]);
        X(system_block_values)(p->w->s, BLOCK_G, &at, g);
        X(stress_at)(z->stress, g);
        status = X(stress_choose)(z->stress, unknowns ? unknowns + z->columns[j] : NULL, change + z->columns[j]);
    }
    return status;
}

int X(softened_choose)(const step_compiled *p, const real *unknowns, real *change, real *spare)
{
    const softened *z = &p->softened;
    const uint32_t c = p->w->s->c;
    const double *softening = p->w->s->softening;
    int status = TAUT_OK;
    if (z->stress) return choose_by_stress(p, unknowns, change, spare);
    for (int i = 0; i < p->size; i++) spare[i] = (unknowns ? unknowns[i] : 0) - change[i];
    for (int pass = 0; !status && pass < REDUNDANCY_PASSES; pass++) {
        for (uint32_t k = 0; k < c; k++) {
            real before[SOFTENED_MOST];
            for (int j = 0; j < z->count; j++) before[j] = softening[k] * spare[z->columns[j] + (int)k];
            for (int i = 0; i < z->count; i++) { /* rows of constraints may be columns of other unknowns */
                real sum = 0;
                for (int j = 0; j < z->count; j++) sum += z->t[i * z->count + j] * before[j];
                spare[p->size + i * (int)c + (int)k] = sum;
            }
        }
        memset(spare, 0, (size_t)p->size * sizeof(real));
        for (int i = 0; i < z->count; i++)
            memcpy(spare + z->rows[i], spare + p->size + i * (int)c, c * sizeof(real));
        status = X(assembly_solve)(p->matrix, spare);
    }
    for (int i = 0; !status && i < z->count; i++)
        for (uint32_t k = 0; k < c; k++) change[z->columns[i] + (int)k] += spare[z->columns[i] + (int)k];
    return status;
}
