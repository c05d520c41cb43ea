/* How large what the equations of a phase are made of is: whether what they miss is the round-off of computing it. */
#include <string.h>

#include "step/phase.h"

/* out += |block| |x| */
static void add_sizes(const block_shape *b, const real *values, const real *x, real *out)
{
    for (int i = 0; i < b->part_count; i++) {
        const block_part *part = &b->parts[i];
        const pattern *p = part->shape;
        for (int r = 0; r < p->rows; r++)
            for (int e = p->start[r]; e < p->start[r + 1]; e++) {
                int row = part->transposed ? p->index[e] : r, column = part->transposed ? r : p->index[e];
                out[row] += REAL(fabs)(*values++ * x[column]);
            }
    }
}

/* The size of what a function is a sum of, to first order: its value, and its derivatives times the numbers of the
   place. */
static void find_sizes(step_compiled *p, const step_evaluation *e, real *sizes)
{
    static const kind kinds[] = { KIND_Q, KIND_W, KIND_LAMBDA };
    step_work *w = p->w;
    const place *at = &w->at[e->place];
    if (e->function == STEP_RATE && p->elements) X(system_block_values)(w->s, BLOCK_G, at, p->g);
    w->now.g = p->g;
    X(step_function_value)(w->functions, e->function, &w->now, at, w->value);
    for (size_t k = 0; k < e->length; k++) sizes[k] = REAL(fabs)(w->value[k]);
    for (int i = 0; i < 3; i++) {
        const block_shape *block = X(step_function_block)(w->functions, e->function, kinds[i]);
        if (!block || !at->x[kinds[i]]) continue;
        X(block_values_between)(block, w->now.from ? w->now.from : at, at, w->block);
        add_sizes(block, w->block, at->x[kinds[i]], sizes);
    }
    if (e->function == STEP_PI_CHANGE || e->function == STEP_E_W_CHANGE)
        for (uint32_t k = 0; k < w->s->n; k++) sizes[k] += REAL(fabs)(w->now.start->p[k]);
}

/* Positions are rounded numbers, and their error reaches the constraints and the forces through their slopes: at
   coordinates of 1e4 lengths a bar is known to 1e-12, and velocities, which have to undo that in one step, to 1e-12/h.
   Likewise w and lambda. Four times: each of these numbers, each product and each sum of them is rounded by at most
   half of REAL_EPSILON. */
int X(step_phase_is_round_off)(void *self, const real *x, const real *r)
{
    step_compiled *p = self;
    step_work *w = p->w;
    real *total = p->sizes, *sizes = p->sizes + p->size;
    (void)x;
    X(step_move_places)(p);
    memset(total, 0, (size_t)p->size * sizeof(real));
    for (int i = 0; i < p->evaluation_count; i++) {
        const step_evaluation *e = &p->evaluations[i];
        if (e->function == STEP_VECTOR)
            for (size_t k = 0; k < e->length; k++) sizes[k] = REAL(fabs)(X(step_vector)(w, e->place)[k]);
        else
            find_sizes(p, e, sizes);
        for (int u = e->first_use; u < e->first_use + e->use_count; u++) {
            real factor = REAL(fabs)(step_factor(w, p->uses[u].coefficient, p->uses[u].power));
            for (size_t k = 0; k < e->length; k++) total[p->uses[u].row + (int)k] += factor * sizes[k];
        }
    }
    for (int i = 0; i < p->size; i++)
        if (!(REAL(fabs)(r[i]) <= 4 * REAL_EPSILON * total[i])) return 0;
    return 1;
}
