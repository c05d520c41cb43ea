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
    double *x, *right, *most, *residual, *sums; /* of the unknowns of the order */
    double *values, *plain;  /* for KLU: of the last factorisation; right-hand sides */
    int checked;             /* the first solution has been */
    int refined;             /* nonzero: solutions are */
    int klu_at_work;         /* nonzero: the last factorisation is KLU's */
    void *klu;               /* made when the first such matrix comes */
    linear_info *info;
} blocks;

static void substitute_transposed(const blocks *s, double *b)
{
    const int *row = s->plan->row, *column = s->plan->column;
    for (int k = 0; k < s->plan->n; k++) s->x[column[k]] = b[k];
    taut_blocks_substitute_transposed(&s->numbers, s->x);
    for (int k = 0; k < s->plan->n; k++) b[k] = s->x[row[k]];
}

/* How well x satisfies the equations with the right-hand sides in s->right; s->residual becomes what is left of these.
   The size of an equation is |A||x| + |b|, with the largest |x| of all late unknowns, and of all others. Each unknown's
   own size would be too strict: parts of the motion may be zero, but for round-off of other parts (Arioli, Demmel, Duff
   1989). Infinite where a number is not finite. 0 where a part of that size shows that the error is below
   ERROR_MOST. */
static double error_of(const blocks *s, const double *x)
{
    double largest[2], error = 0;
    if (taut_blocks_holds(&s->numbers, x, s->right, s->residual, largest, ERROR_MOST)) return 0;
    for (int k = 0; k < s->plan->unknowns; k++) {
        s->most[k] = largest[s->plan->late_mask[k] != 0];
        s->sums[k] = fabs(s->right[k]);
    }
    taut_blocks_sizes(&s->numbers, s->most, s->sums);
    for (int k = 0; k < s->plan->unknowns; k++)
        if (!(fabs(s->residual[k]) <= error * s->sums[k]))
            error = s->sums[k] > 0 && fabs(s->residual[k]) < INFINITY ? fabs(s->residual[k]) / s->sums[k] : INFINITY;
    return error;
}

/* A step of iterative refinement of x, of which s->residual is what is left. */
static void refine(const blocks *s, double *x)
{
    taut_blocks_substitute(&s->numbers, s->residual);
    for (int k = 0; k < s->plan->unknowns; k++) x[k] += s->residual[k];
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

/* The matrix is in its places. Values that are not finite come through to a pivot. */
int taut_blocks_factor_placed(void *state, linear_info *info)
{
    blocks *s = state;
    s->info = info;
    s->klu_at_work = s->checked = s->refined = 0;
    info->backend = LINEAR_BLOCKS;
    info->factor_nonzeros = (long)s->plan->factor_count;
    info->pivot_growth = 0;
    if (taut_blocks_eliminate(&s->numbers)) {
        info->factorisations++;
        return TAUT_OK;
    }
    if (!taut_linear_finite((long)s->plan->front_count, s->numbers.image))
        return taut_fail(s->context, TAUT_NOT_FINITE, "the matrix holds a value that is not finite");
    return factor_by_klu(s, info);
}

static int blocks_factor(void *state, const double *values, int anew, linear_info *info)
{
    blocks *s = state;
    const int *place = s->plan->place;
    double *image = s->numbers.image;
    (void)anew;
    for (int e = 0; e < s->plan->entries; e++) image[place[e]] = values[e];
    return taut_blocks_factor_placed(state, info);
}

void taut_blocks_places(const void *state, linear_places *places)
{
    const blocks_plan *plan = ((const blocks *)state)->plan;
    *places = (linear_places){ plan->place, plan->row, plan->column, (int)plan->front_count, plan->unknowns + BLOCKS_BEHIND };
}

double *taut_blocks_values(const void *state) { return ((const blocks *)state)->numbers.image; }

/* Solves the equations with the right-hand sides s->right. */
static int solve_by_klu(const blocks *s, double *x)
{
    for (int k = 0; k < s->plan->n; k++) s->plain[k] = s->right[s->plan->row[k]];
    const int status = taut_linear_klu_columns.solve(s->klu, s->plain);
    for (int k = 0; k < s->plan->n; k++) x[s->plan->column[k]] = s->plain[k];
    return status;
}

/* Whether the first solution, x, is good enough, or is so after refinement, which then all others get too. */
static int check(blocks *s, double *x)
{
    const double error = error_of(s, x);
    s->refined = error > ERROR_MOST && error <= REFINED_MOST;
    if (!s->refined) return error <= ERROR_MOST;
    refine(s, x);
    return error_of(s, x) <= ERROR_MOST;
}

/* The first solution is checked; where it is not good enough, KLU makes it again. */
int taut_blocks_solve_placed(void *state, double *x)
{
    blocks *s = state;
    const int sound = s->checked && !s->refined && !s->klu_at_work;
    if (!sound) memcpy(s->right, x, (size_t)s->plan->unknowns * sizeof *x);
    if (s->klu_at_work) return solve_by_klu(s, x);
    taut_blocks_substitute(&s->numbers, x);
    if (sound) return TAUT_OK;
    if (s->checked) {
        error_of(s, x);
        refine(s, x);
        return TAUT_OK;
    }
    if ((s->checked = check(s, x))) return TAUT_OK;
    int status = factor_by_klu(s, s->info);
    return status ? status : solve_by_klu(s, x);
}

static int blocks_solve(void *state, double *b)
{
    blocks *s = state;
    const int *row = s->plan->row, *column = s->plan->column;
    if (s->klu_at_work) return taut_linear_klu_columns.solve(s->klu, b);
    for (int k = 0; k < s->plan->n; k++) s->x[row[k]] = b[k];
    const int status = taut_blocks_solve_placed(state, s->x);
    for (int k = 0; k < s->plan->n; k++) b[k] = s->x[column[k]];
    return status;
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
    const size_t past = BLOCKS_BEHIND, unknowns = (size_t)plan->unknowns + past, work = taut_blocks_work(plan);
    z->plan = plan;
    z->image = room_take(l, plan->front_count + past, sizeof(double));
    z->fronts = room_take(l, plan->front_count + past, sizeof(double));
    z->inverses = room_take(l, plan->inverse_count, sizeof(double));
    z->work = room_take(l, work, sizeof(double));
    z->more = room_take(l, work, sizeof(double));
    z->pivots = room_take(l, work, sizeof(int));
    s->values = room_take(l, (size_t)plan->entries, sizeof(double));
    s->plain = room_take(l, (size_t)plan->n, sizeof(double));
    double **arrays[] = { &z->size, &s->x, &s->right, &s->most, &s->residual, &s->sums };
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
                                               1,                blocks_create_like };
