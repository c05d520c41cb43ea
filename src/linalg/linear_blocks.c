/* The back end for matrices of mechanisms: block elimination in an order fixed from the pattern (linear_blocks.h). A
 * matrix for which that order is not good enough is handed to KLU: one with a pivot that is round-off, or one whose
 * first solution does not satisfy the equations to round-off. */
#include <math.h>
#include <string.h>

#include "base/loops.h"
#include "base/room.h"
#include "linalg/linear_blocks.h"

/* Of |b - A x| relative to |A||x| + |b|, row by row. Elimination with pivoting leaves some 1e-16; as for LDL, four
   digits may be lost. */
static const double ERROR_MOST = 1e-12;

typedef struct {
    taut_context *context;
    const linear_pattern *pattern;
    blocks_plan *plan;
    void *room;              /* of the numbers below */
    double *values;          /* of the last factorisation */
    double *factors;
    int *pivot;              /* of each unknown of the order: which row of its front was exchanged with it */
    double *size;            /* of each unknown of the order: what its pivot is computed from */
    double *front;           /* work */
    double *stack;
    int *waiting;            /* fronts whose remainders are on the stack */
    double *x, *right, *residual, *sums;
    int checked;             /* the first solution has been */
    int klu_at_work;         /* nonzero: the last factorisation is KLU's */
    void *klu;               /* made when the first such matrix comes */
    linear_info *info;
} blocks;

/* ---- a front, by columns ---- */

static inline double larger(double a, double b) { return b > a ? b : a; }

/* Exchanges two rows of a front. */
static void exchange_rows(double *front, int width, int a, int b)
{
    for (int j = 0; j < width; j++, front += width) {
        const double other = front[a];
        front[a] = front[b], front[b] = other;
    }
}

/* Eliminates the own unknowns of a front. sizes: of these unknowns. 0 when a pivot is nothing but round-off. */
static WIDE_LOOPS int eliminate(double *restrict front, int own, int width, const double *sizes, int *pivots)
{
    for (int k = 0; k < own; k++) {
        double *restrict column = front + k * width;
        int at = k;
        for (int i = k + 1; i < own; i++)
            if (fabs(column[i]) > fabs(column[at])) at = i;
        pivots[k] = at;
        /* written so that what is not a number stops here too */
        if (!(fabs(column[at]) > LINEAR_SINGULAR * sizes[k])) return 0;
        if (at != k) exchange_rows(front, width, k, at);
        const double inverse = column[k] = 1 / column[k];
        for (int i = k + 1; i < width; i++) column[i] *= inverse;
        for (int j = k + 1; j < width; j++) {
            double *restrict other = front + j * width;
            const double factor = other[k];
            if (factor == 0) continue;
            for (int i = k + 1; i < width; i++) other[i] -= factor * column[i];
        }
    }
    return 1;
}

/* The largest number. */
static WIDE_LOOPS double most_of(const double *numbers, int count)
{
    double most = 0;
    for (int i = 0; i < count; i++) most = larger(most, fabs(numbers[i]));
    return most;
}

/* Entries of the matrix, and the remainders of the children from the stack, the last one first. */
static double *gather(const blocks *s, int index, double *stack_end, int *waiting_count)
{
    const blocks_plan *plan = s->plan;
    const blocks_front *f = &plan->fronts[index];
    const int width = f->own + f->later;
    memset(s->front, 0, (size_t)width * (size_t)width * sizeof *s->front);
    for (int e = f->first_entry; e < f->first_entry + f->entry_count; e++)
        s->front[plan->entries[e].at] = s->values[plan->entries[e].value];
    for (int c = 0; c < f->children; c++) {
        const blocks_front *child = &plan->fronts[s->waiting[--*waiting_count]];
        const int later = child->later, *into = plan->into + child->indices;
        stack_end -= (size_t)later * (size_t)later;
        const double *from = stack_end;
        for (int j = 0; j < later; j++, from += later) {
            double *column = s->front + into[j] * width;
            for (int i = 0; i < later; i++) column[into[i]] += from[i];
        }
    }
    return stack_end;
}

/* Sizes of what pivots are computed from: all that comes together in the columns of the front. */
static void measure(const blocks *s, const blocks_front *f)
{
    const int own = f->own, width = own + f->later, *index = s->plan->index + f->indices;
    for (int k = 0; k < own; k++)
        s->size[f->first + k] = larger(s->size[f->first + k], most_of(s->front + k * width, own));
    for (int j = 0; j < f->later; j++)
        s->size[index[j]] = larger(s->size[index[j]], most_of(s->front + (own + j) * width + own, f->later));
}

/* Factors and remainder of the front go where they belong. */
static double *put_away(const blocks *s, const blocks_front *f, double *stack_end)
{
    const int own = f->own, later = f->later, width = own + later;
    double *to = s->factors + f->factors;
    memcpy(to, s->front, (size_t)own * (size_t)width * sizeof *to);
    to += own * width;
    for (int j = 0; j < later; j++, to += own, stack_end += later) {
        const double *column = s->front + (own + j) * width;
        memcpy(to, column, (size_t)own * sizeof *to);
        memcpy(stack_end, column + own, (size_t)later * sizeof *stack_end);
    }
    return stack_end;
}

static int eliminate_all(blocks *s)
{
    const blocks_plan *plan = s->plan;
    double *stack_end = s->stack;
    int waiting_count = 0;
    memset(s->size, 0, (size_t)plan->n * sizeof *s->size);
    for (int k = 0; k < plan->count; k++) {
        const blocks_front *f = &plan->fronts[k];
        stack_end = gather(s, k, stack_end, &waiting_count);
        measure(s, f);
        if (!eliminate(s->front, f->own, f->own + f->later, s->size + f->first, s->pivot + f->first)) return 0;
        stack_end = put_away(s, f, stack_end);
        if (f->later) s->waiting[waiting_count++] = k;
    }
    return 1;
}

/* ---- solving ---- */

static void exchange(double *a, double *b)
{
    const double other = *a;
    *a = *b, *b = other;
}

/* x := L^-1 P x, for a front and its later unknowns. y: work, as many numbers as the front is wide. */
static void forward(const blocks *s, const blocks_front *f, double *restrict x, double *restrict y)
{
    const int own = f->own, later = f->later, width = own + later, *index = s->plan->index + f->indices;
    const double *restrict column = s->factors + f->factors;
    double *b = x + f->first;
    for (int k = 0; k < own; k++) exchange(b + k, b + s->pivot[f->first + k]);
    for (int k = 0; k < own; k++) y[k] = b[k];
    for (int j = 0; j < later; j++) y[own + j] = x[index[j]];
    for (int k = 0; k < own; k++, column += width)
        for (int i = k + 1; i < width; i++) y[i] -= column[i] * y[k];
    for (int k = 0; k < own; k++) b[k] = y[k];
    for (int j = 0; j < later; j++) x[index[j]] = y[own + j];
}

static void backward(const blocks *s, const blocks_front *f, double *restrict x, double *restrict y)
{
    const int own = f->own, later = f->later, width = own + later, *index = s->plan->index + f->indices;
    const double *restrict columns = s->factors + f->factors, *restrict column = columns + own * width;
    double *b = x + f->first;
    for (int k = 0; k < own; k++) y[k] = b[k];
    for (int j = 0; j < later; j++, column += own) {
        const double known = x[index[j]];
        for (int k = 0; k < own; k++) y[k] -= column[k] * known;
    }
    for (int k = own - 1; k >= 0; k--) {
        column = columns + k * width;
        const double found = b[k] = y[k] * column[k];
        for (int i = 0; i < k; i++) y[i] -= column[i] * found;
    }
}

/* The transposed of both, the other way round. */
static void forward_transposed(const blocks *s, const blocks_front *f, double *x)
{
    const int own = f->own, later = f->later, width = own + later, *index = s->plan->index + f->indices;
    const double *column = s->factors + f->factors;
    double *b = x + f->first;
    for (int k = 0; k < own; k++, column += width) {
        for (int i = 0; i < k; i++) b[k] -= column[i] * b[i];
        b[k] *= column[k];
    }
    for (int j = 0; j < later; j++, column += own)
        for (int k = 0; k < own; k++) x[index[j]] -= column[k] * b[k];
}

static void backward_transposed(const blocks *s, const blocks_front *f, double *x)
{
    const int own = f->own, later = f->later, width = own + later, *index = s->plan->index + f->indices;
    double *b = x + f->first;
    for (int k = own - 1; k >= 0; k--) {
        const double *column = s->factors + f->factors + k * width;
        for (int j = 0; j < later; j++) b[k] -= column[own + j] * x[index[j]];
        for (int i = k + 1; i < own; i++) b[k] -= column[i] * b[i];
    }
    for (int k = own - 1; k >= 0; k--) exchange(b + k, b + s->pivot[f->first + k]);
}

static void substitute(const blocks *s, double *b)
{
    const blocks_plan *plan = s->plan;
    for (int k = 0; k < plan->n; k++) s->x[k] = b[plan->row[k]];
    for (int k = 0; k < plan->count; k++) forward(s, &plan->fronts[k], s->x, s->front);
    for (int k = plan->count - 1; k >= 0; k--) backward(s, &plan->fronts[k], s->x, s->front);
    for (int k = 0; k < plan->n; k++) b[plan->column[k]] = s->x[k];
}

static void substitute_transposed(const blocks *s, double *b)
{
    const blocks_plan *plan = s->plan;
    for (int k = 0; k < plan->n; k++) s->x[k] = b[plan->column[k]];
    for (int k = 0; k < plan->count; k++) forward_transposed(s, &plan->fronts[k], s->x);
    for (int k = plan->count - 1; k >= 0; k--) backward_transposed(s, &plan->fronts[k], s->x);
    for (int k = 0; k < plan->n; k++) b[plan->row[k]] = s->x[k];
}

/* Does x satisfy the equations with `right` as well as round-off allows? The size of an equation is |A||x| + |b|, with
   the largest |x| of all late unknowns, and of all others. Each unknown's own size would be too strict: parts of the
   motion may be zero, but for round-off of other parts (Arioli, Demmel, Duff 1989). */
static int is_good(const blocks *s, const double *x)
{
    const linear_pattern *p = s->pattern;
    double most[2] = { 0 };
    for (int k = 0; k < p->n; k++) {
        const int column = s->plan->column[k], late = s->plan->is_late[k];
        most[late] = larger(most[late], fabs(x[column]));
    }
    for (int i = 0; i < p->n; i++) s->residual[i] = s->right[i], s->sums[i] = fabs(s->right[i]);
    for (int k = 0; k < p->n; k++) {
        const int j = s->plan->column[k];
        const double size = most[s->plan->is_late[k]];
        for (int e = p->column_start[j]; e < p->column_start[j + 1]; e++) {
            s->residual[p->row_index[e]] -= s->values[e] * x[j];
            s->sums[p->row_index[e]] += fabs(s->values[e]) * size;
        }
    }
    for (int i = 0; i < p->n; i++)
        if (!(fabs(s->residual[i]) <= ERROR_MOST * s->sums[i])) return 0;
    return 1;
}

/* ---- the back end ---- */

static int factor_by_klu(blocks *s, linear_info *info)
{
    int status = s->klu ? TAUT_OK : taut_linear_klu_columns.create(s->context, s->pattern, &s->klu);
    if (!status) status = taut_linear_klu_columns.factor(s->klu, s->values, 1, info);
    s->klu_at_work = !status;
    if (!status) info->backend = LINEAR_KLU_COLUMNS;
    return status;
}

static int blocks_factor(void *state, const double *values, int anew, linear_info *info)
{
    blocks *s = state;
    (void)anew;
    memcpy(s->values, values, (size_t)s->pattern->entries * sizeof *values);
    s->info = info;
    s->klu_at_work = s->checked = 0;
    info->backend = LINEAR_BLOCKS;
    info->factor_nonzeros = (long)s->plan->factor_count;
    info->pivot_growth = 0;
    if (!eliminate_all(s)) return factor_by_klu(s, info);
    info->factorisations++;
    return TAUT_OK;
}

/* The first solution is checked; where it is not good enough, KLU makes it again. */
static int blocks_solve(void *state, double *b)
{
    blocks *s = state;
    const size_t bytes = (size_t)s->pattern->n * sizeof *b;
    if (s->klu_at_work) return taut_linear_klu_columns.solve(s->klu, b);
    if (!s->checked) memcpy(s->right, b, bytes);
    substitute(s, b);
    if (s->checked || is_good(s, b)) {
        s->checked = 1;
        return TAUT_OK;
    }
    int status = factor_by_klu(s, s->info);
    memcpy(b, s->right, bytes);
    return status ? status : taut_linear_klu_columns.solve(s->klu, b);
}

static int blocks_solve_transposed(void *state, double *b)
{
    blocks *s = state;
    if (s->klu_at_work) return taut_linear_klu_columns.solve_transposed(s->klu, b);
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
    const blocks_plan *plan = s->plan;
    const size_t n = (size_t)plan->n, widest = (size_t)plan->widest;
    s->values = room_take(l, (size_t)s->pattern->entries, sizeof *s->values);
    s->factors = room_take(l, plan->factor_count, sizeof *s->factors);
    s->stack = room_take(l, plan->stack_most, sizeof *s->stack);
    s->front = room_take(l, widest * widest, sizeof *s->front);
    s->waiting = room_take(l, (size_t)plan->count, sizeof *s->waiting);
    s->pivot = room_take(l, n, sizeof *s->pivot);
    double **arrays[] = { &s->size, &s->x, &s->right, &s->residual, &s->sums };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = room_take(l, n, sizeof(double));
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
    *entries = (double)plan->factor_count + (double)plan->stack_most;
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
