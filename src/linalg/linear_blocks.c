/* The back end for matrices of mechanisms: block elimination in an order fixed from the pattern (linear_blocks.h). A
 * matrix for which that order is not good enough is handed to KLU: one with a pivot that is round-off, or one whose
 * first solution does not satisfy the equations to round-off, not even after a step of iterative refinement. */
#include <math.h>
#include <string.h>

#include "base/room.h"
#include "linalg/linear_blocks.h"

/* Of |b - A x| relative to |A||x| + |b|, row by row. Elimination with pivoting leaves some 1e-16; as for LDL, four
   digits may be lost. */
static const double ERROR_MOST = 1e-12;
/* Up to this error a step of iterative refinement may repair solutions: inverses of badly conditioned panels need
   it. */
static const double REFINED_MOST = 1e-8;

typedef struct {
    taut_context *context;
    const linear_pattern *pattern;
    blocks_plan *plan;
    void *room;              /* of the numbers below */
    blocks_numbers numbers;
    double *x, *most, *residual, *sums; /* of the unknowns of the order */
    double *values;          /* for KLU: of the last factorisation */
    int checked;             /* the first solution has been */
    int refined;             /* nonzero: solutions are */
    int klu_at_work;         /* nonzero: the last factorisation is KLU's */
    void *klu;               /* made when the first such matrix comes */
    linear_info *info;
} blocks;

/* s->x := A^-1 b */
static void substitute(const blocks *s, const double *b)
{
    const int *row = s->plan->row;
    for (int k = 0; k < s->plan->n; k++) s->x[row[k]] = b[k];
    taut_blocks_substitute(&s->numbers, s->x);
}

static void give_solution(const blocks *s, double *b)
{
    const int *column = s->plan->column;
    for (int k = 0; k < s->plan->n; k++) b[k] = s->x[column[k]];
}

static void substitute_transposed(const blocks *s, double *b)
{
    const int *row = s->plan->row, *column = s->plan->column;
    for (int k = 0; k < s->plan->n; k++) s->x[column[k]] = b[k];
    taut_blocks_substitute_transposed(&s->numbers, s->x);
    for (int k = 0; k < s->plan->n; k++) b[k] = s->x[row[k]];
}

/* Right-hand sides, for the residual of the solution. */
static void keep_right(const blocks *s, const double *b)
{
    const int *row = s->plan->row;
    for (int k = 0; k < s->plan->n; k++) s->residual[row[k]] = b[k], s->sums[row[k]] = fabs(b[k]);
}

/* How well s->x satisfies the equations with the right-hand sides that were kept; s->residual becomes what is left of
   these. The size of an equation is |A||x| + |b|, with the largest |x| of all late unknowns, and of all others. Each
   unknown's own size would be too strict: parts of the motion may be zero, but for round-off of other parts (Arioli,
   Demmel, Duff 1989). Infinite where a number is not finite. */
static double error_of(const blocks *s)
{
    const int count = s->plan->unknowns;
    const unsigned char *is_late = s->plan->is_late;
    double most[2] = { 0 }, error = 0;
    for (int k = 0; k < count; k++)
        if (fabs(s->x[k]) > most[is_late[k]]) most[is_late[k]] = fabs(s->x[k]);
    for (int k = 0; k < count; k++) s->most[k] = most[is_late[k]];
    taut_blocks_residual(&s->numbers, s->x, s->most, s->residual, s->sums);
    for (int k = 0; k < count; k++)
        if (!(fabs(s->residual[k]) <= error * s->sums[k]))
            error = s->sums[k] > 0 && fabs(s->residual[k]) < INFINITY ? fabs(s->residual[k]) / s->sums[k] : INFINITY;
    return error;
}

/* A step of iterative refinement of s->x, of which s->residual is what is left. */
static void refine(const blocks *s)
{
    double *kept = s->most;
    memcpy(kept, s->x, (size_t)s->plan->unknowns * sizeof *kept);
    taut_blocks_substitute(&s->numbers, s->residual);
    for (int k = 0; k < s->plan->unknowns; k++) s->x[k] = kept[k] + s->residual[k];
}

/* b := A'^-1 b with a step of iterative refinement. */
static void refine_transposed(const blocks *s, double *b)
{
    const linear_pattern *p = s->pattern;
    double *left = s->residual, *found = s->sums;
    memcpy(left, b, (size_t)p->n * sizeof *b);
    substitute_transposed(s, b);
    memcpy(found, b, (size_t)p->n * sizeof *b);
    for (int j = 0; j < p->n; j++)
        for (int e = p->column_start[j]; e < p->column_start[j + 1]; e++)
            left[j] -= s->numbers.image[s->plan->place[e]] * found[p->row_index[e]];
    substitute_transposed(s, left);
    for (int j = 0; j < p->n; j++) b[j] = found[j] + left[j];
}

/* ---- the back end ---- */

static int factor_by_klu(blocks *s, linear_info *info)
{
    int status = s->klu ? TAUT_OK : taut_linear_klu_columns.create(s->context, s->pattern, &s->klu);
    for (int e = 0; e < s->plan->entries; e++) s->values[e] = s->numbers.image[s->plan->place[e]];
    if (!status) status = taut_linear_klu_columns.factor(s->klu, s->values, 1, info);
    s->klu_at_work = !status;
    if (!status) info->backend = LINEAR_KLU_COLUMNS;
    return status;
}

static int blocks_factor(void *state, const double *values, int anew, linear_info *info)
{
    blocks *s = state;
    (void)anew;
    s->info = info;
    s->klu_at_work = s->checked = s->refined = 0;
    info->backend = LINEAR_BLOCKS;
    info->factor_nonzeros = (long)s->plan->factor_count;
    info->pivot_growth = 0;
    if (!taut_blocks_eliminate(&s->numbers, values)) return factor_by_klu(s, info);
    info->factorisations++;
    return TAUT_OK;
}

/* Whether the first solution, s->x, is good enough, or is so after refinement, which then all others get too. */
static int check(blocks *s, const double *b)
{
    const double error = error_of(s);
    s->refined = error > ERROR_MOST && error <= REFINED_MOST;
    if (!s->refined) return error <= ERROR_MOST;
    refine(s);
    keep_right(s, b);
    return error_of(s) <= ERROR_MOST;
}

/* The first solution is checked; where it is not good enough, KLU makes it again. */
static int blocks_solve(void *state, double *b)
{
    blocks *s = state;
    if (s->klu_at_work) return taut_linear_klu_columns.solve(s->klu, b);
    if (!s->checked || s->refined) keep_right(s, b);
    substitute(s, b);
    if (s->checked && s->refined) {
        error_of(s);
        refine(s);
    }
    if (s->checked || (s->checked = check(s, b))) {
        give_solution(s, b);
        return TAUT_OK;
    }
    int status = factor_by_klu(s, s->info);
    return status ? status : taut_linear_klu_columns.solve(s->klu, b);
}

static int blocks_solve_transposed(void *state, double *b)
{
    blocks *s = state;
    if (s->klu_at_work) return taut_linear_klu_columns.solve_transposed(s->klu, b);
    if (s->refined)
        refine_transposed(s, b);
    else
        substitute_transposed(s, b);
    return TAUT_OK;
}

static void blocks_destroy(void *state)
{
    blocks *s = state;
    if (!s) return;
    if (s->klu) taut_linear_klu_columns.destroy(s->klu);
    taut_blocks_plan_destroy(s->context, s->plan);
    room_free(s->context, &s->room);
    taut_mem_free(s->context, s);
}

static void lay_out(void *self, room_layout *l)
{
    blocks *s = self;
    blocks_numbers *z = &s->numbers;
    const blocks_plan *plan = s->plan;
    const size_t past = 2 * BLOCKS_LANES, unknowns = (size_t)plan->unknowns + past, work = taut_blocks_work(plan);
    z->plan = plan;
    z->image = room_take(l, plan->front_count + past, sizeof(double));
    z->fronts = room_take(l, plan->front_count + past, sizeof(double));
    z->inverses = room_take(l, plan->inverse_count, sizeof(double));
    z->work = room_take(l, work, sizeof(double));
    z->more = room_take(l, work, sizeof(double));
    z->pivots = room_take(l, work, sizeof(int));
    s->values = room_take(l, (size_t)plan->entries, sizeof(double));
    double **arrays[] = { &z->size, &s->x, &s->most, &s->residual, &s->sums };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = room_take(l, unknowns, sizeof(double));
}

/* Takes over a user of the plan, also when it fails. */
static int create_by_plan(taut_context *context, const linear_pattern *pattern, blocks_plan *plan, void **state)
{
    blocks *s = *state = taut_mem_new(context, 1, sizeof *s);
    if (!s) {
        taut_blocks_plan_destroy(context, plan);
        return TAUT_OUT_OF_MEMORY;
    }
    s->context = context;
    s->pattern = pattern;
    s->plan = plan;
    int status = room_create(context, lay_out, s, &s->room);
    if (!status) return TAUT_OK;
    blocks_destroy(s);
    *state = NULL;
    return status;
}

int taut_blocks_create(taut_context *context, const linear_pattern *pattern, const linear_nodes *nodes,
                       double *operations, double *entries, void **state)
{
    blocks_plan *plan;
    *state = NULL;
    int status = taut_blocks_analyse(context, pattern, nodes, &plan);
    if (status || !plan) return status;
    *operations = plan->operations;
    *entries = 2 * (double)plan->front_count + (double)plan->inverse_count;
    return create_by_plan(context, pattern, plan, state);
}

static int blocks_create_like(const void *other, const linear_pattern *pattern, void **state)
{
    const blocks *like = other;
    like->plan->users++;
    return create_by_plan(like->context, pattern, like->plan, state);
}

/* No create: it needs the nodes. */
const linear_operations taut_linear_blocks = { "blocks",         NULL,
                                               blocks_factor,    blocks_solve,
                                               blocks_solve_transposed, blocks_destroy,
                                               0,                blocks_create_like };
