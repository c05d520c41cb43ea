/* A phase of clusters in numbers. Theory: clusters.h. */
#include "lower/clusters.h"

#include "lower/cluster_inside.h"

#ifndef TAUT_REAL_QUAD
#include <string.h>

#include "base/extreme.h"
#include "base/loops.h"
#include "solve/redundancy.h"

/* ---- programs ---- */

typedef struct {
    const clusters *z;
    const element_step *now;
} source;

static const real *vector_of(const void *user, const element_input *in)
{
    const source *from = user;
    const state *x = from->now->start;
    switch (in->from) {
    case FROM_CONSTANT: return from->z->s->constants;
    case FROM_OTHER_CONSTANT: return X(field_constants)(from->z->part.table->energy);
    case FROM_Q: return x->q;
    case FROM_P: return x->p;
    case FROM_W: return x->w;
    case FROM_Q_LOW: return x->q_low;
    case FROM_P_LOW: return x->p_low;
    case FROM_LAMBDA: return x->lambda;
    case FROM_TREND: return x->trend;
    case FROM_UNKNOWN: return from->now->unknowns + in->at;
    case FROM_H: return &from->now->h;
    case FROM_TIME: return &from->now->times[in->at];
    case FROM_TABLES: return from->z->numbers;
    case FROM_LATE: return from->z->late;
    }
    return NULL;
}

static void run(const clusters *z, const element_lanes *l, const element_program *p, const element_step *now,
                const element_table *t, element_put *put, void *out)
{
    const source from = { z, now };
    X(element_run)(z->s, l, p, t, t, vector_of, &from, put, out);
}

static void run_block(const clusters *z, const cluster_block *b, const element_program *p, const element_step *now)
{
    run(z, &b->lanes, p, now, &b->table, NULL, NULL);
}

/* ---- unknowns ---- */

static real *row_of(const cluster_block *b, uint32_t group, uint32_t row)
{
    return b->table.numbers + ((size_t)group * b->table.rows + row) * b->lanes.width;
}

static void read_unknowns(const cluster_block *b, const real *unknowns)
{
    const uint32_t width = b->lanes.width, stride = b->kind->all.stride;
    for (uint32_t group = 0; group < b->lanes.groups; group++) {
        real *x = row_of(b, group, 0);
        const uint32_t *index = b->unknown + (size_t)group * width;
        for (uint32_t k = 0; k < b->own; k++, index += stride, x += width)
            for (uint32_t i = 0; i < width; i++) x[i] = unknowns[index[i]];
    }
}

void X(clusters_write)(const clusters *z, real *unknowns)
{
    for (uint32_t n = 0; n < z->block_count; n++) {
        const cluster_block *b = &z->blocks[n];
        const uint32_t width = b->lanes.width, stride = b->kind->all.stride;
        for (uint32_t group = 0; group < b->lanes.groups; group++) {
            const real *x = row_of(b, group, 0);
            const uint32_t *index = b->unknown + (size_t)group * width;
            for (uint32_t k = 0; k < b->own; k++, index += stride, x += width)
                for (uint32_t i = 0; i < width; i++) unknowns[index[i]] = x[i]; /* lanes without a cluster repeat one */
        }
    }
}

static void find_places(const clusters *z, const element_step *now)
{
    for (uint32_t k = 0; k < z->block_count; k++) run_block(z, &z->blocks[k], &z->blocks[k].places, now);
}

void X(clusters_begin)(clusters *z, const element_step *now)
{
    if (z->solver) memset(z->late, 0, (size_t)z->at.vector_count * sizeof *z->late);
    for (uint32_t k = 0; k < z->block_count; k++) {
        run_block(z, &z->blocks[k], &z->blocks[k].begin, now);
        read_unknowns(&z->blocks[k], now->unknowns);
    }
    for (uint32_t k = 0; k < z->late_block_count; k++)
        run(z, &z->lates[k].lanes, &z->lates[k].begin, now, &z->lates[k].table, NULL, NULL);
}

/* ---- the matrix ---- */

int X(clusters_are_rough)(const clusters *z) { return z->graph.are_connected || z->is_softened; }

static void look_at_pivots(const element_group *g, void *user)
{
    clusters *z = user;
    const real *worst = element_value(g, g->program->output_count - 1);
    for (uint32_t i = 0; i < g->count; i++)
        if (!(worst[i] > 0)) z->worst = -1;
}

static void take_first(const real *numbers, const cluster_sums *s, double *values)
{
    for (size_t k = 0; k < s->count; k++) values[s->to[k]] = (double)numbers[s->from[k]];
}

static void add_others(const real *numbers, const cluster_sums *s, double *values)
{
    for (size_t k = 0; k < s->count; k++) values[s->to[k]] += (double)numbers[s->from[k]];
}

static void soften(const clusters *z, const real *t, double *values)
{
    const uint32_t entries = (uint32_t)(z->phase.c_group_count * z->phase.c_group_count);
    const double *softening = z->s->softening;
    for (uint32_t k = 0; k < z->graph.late_count; k++)
        for (uint32_t e = 0; e < entries; e++)
            values[z->softened[k * entries + e]] += (double)t[e] * softening[z->late_constraints[k]];
}

int X(clusters_factor)(clusters *z, const element_step *now, const real *t, int *usable)
{
    z->worst = 1;
    z->numbers[z->number_count] = 0;
    find_places(z, now);
    for (uint32_t k = 0; k < z->block_count; k++)
        run(z, &z->blocks[k].lanes, &z->blocks[k].factor, now, &z->blocks[k].table, look_at_pivots, z);
    *usable = z->worst > 0;
    if (!*usable || !z->solver) return TAUT_OK;
    double *values = taut_linear_begin(z->solver);
    take_first(z->numbers, &z->first, values);
    add_others(z->numbers, &z->others, values);
    if (t && z->softened) soften(z, t, values);
    taut_linear_forget(z->solver);
    const int status = taut_linear_factor_placed(z->solver);
    *usable = !status;
    return status == TAUT_OUT_OF_MEMORY ? status : TAUT_OK; /* the whole matrix has the last word */
}

/* ---- the equations ---- */

typedef struct {
    clusters *z;
    const late_block *block;
} late_target;

static void put_late_rows(const element_group *g, void *user)
{
    const late_target *to = user;
    const late_block *b = to->block;
    for (uint32_t o = 0; o < b->row_count; o++) {
        const uint32_t *index = b->late + (size_t)o * b->kind->all.stride + g->first;
        const real *value = element_value(g, o);
        for (uint32_t i = 0; i < g->count; i++) to->z->late[index[i]] = (double)value[i];
    }
}

static WIDE_LOOPS extreme largest_of(const real *x, size_t count, extreme most)
{
    for (size_t i = 0; i < count; i++) most = extreme_see(most, x[i]);
    return most;
}

void X(clusters_residual)(clusters *z, const element_step *now, real *push)
{
    extreme most = { 0 };
    find_places(z, now);
    for (uint32_t k = 0; k < z->block_count; k++) {
        const cluster_block *b = &z->blocks[k];
        run_block(z, b, &b->residual, now);
        for (uint32_t group = 0; z->pushes && group < b->lanes.groups; group++)
            most = largest_of(row_of(b, group, b->at_push), b->lanes.width, most);
    }
    if (z->pushes) *push = real_most(*push, extreme_value(most));
    for (uint32_t k = 0; k < z->late_block_count; k++) {
        late_target to = { z, &z->lates[k] };
        run(z, &z->lates[k].lanes, &z->lates[k].residual, now, &z->lates[k].table, put_late_rows, &to);
    }
}

/* ---- the correction ---- */

typedef struct {
    extreme largest, moved;
} extremes;

static WIDE_LOOPS extremes correct_rows(real *restrict x, const real *restrict d, size_t count, extremes most)
{
    for (size_t i = 0; i < count; i++) {
        most.largest = extreme_see(most.largest, x[i]);
        most.moved = extreme_see(most.moved, d[i]);
        x[i] -= d[i];
    }
    return most;
}

static void correct_block(const clusters *z, const cluster_block *b, extremes *sizes)
{
    const uint32_t width = b->lanes.width;
    const cluster_phase *p = &z->phase;
    for (uint32_t group = 0; group < b->lanes.groups; group++) {
        real *x = row_of(b, group, 0);
        const real *d = row_of(b, group, b->at_d);
        size_t count = (size_t)b->kind->own_n * width;
        for (int g = 0; g < p->n_group_count; g++, x += count, d += count) {
            extremes *of = &sizes[p->n_groups[g] - z->part.first_group];
            *of = correct_rows(x, d, count, *of);
        }
        count = (size_t)b->kind->own_c * width;
        for (int g = 0; g < p->c_group_count; g++, x += count, d += count) {
            extremes *of = &sizes[p->c_groups[g] - z->part.first_group];
            *of = correct_rows(x, d, count, *of);
        }
    }
}

int X(clusters_solve)(clusters *z, const element_step *now)
{
    const int status = z->solver ? taut_linear_solve_placed(z->solver, z->late) : TAUT_OK;
    for (uint32_t k = 0; !status && k < z->block_count; k++) run_block(z, &z->blocks[k], &z->blocks[k].backward, now);
    return status;
}

int X(clusters_choose)(clusters *z, const real *t, const real *unknowns)
{
    const uint32_t groups = (uint32_t)z->phase.c_group_count;
    int status = TAUT_OK;
    const int *column = z->at.column, *row = z->at.row;
    if (!z->solver) return TAUT_OK;
    memset(z->chosen, 0, (size_t)z->at.vector_count * sizeof *z->chosen);
    for (uint32_t k = 0; k < z->late_count; k++)
        z->chosen[column[k]] = (double)unknowns[z->late_unknowns[k]] - z->late[column[k]];
    for (int pass = 0; !status && pass < REDUNDANCY_PASSES; pass++) {
        for (uint32_t k = 0; k < z->graph.late_count; k++) {
            const uint32_t first = k * groups;
            const double softening = z->s->softening[z->late_constraints[k]];
            double before[STEP_GROUPS], sum[STEP_GROUPS] = { 0 };
            for (uint32_t j = 0; j < groups; j++) before[j] = softening * z->chosen[column[first + j]];
            for (uint32_t e = 0; e < groups * groups; e++) sum[e / groups] += (double)t[e] * before[e % groups];
            for (uint32_t j = 0; j < groups; j++) z->right[first + j] = sum[j];
        }
        for (uint32_t k = 0; k < z->late_count; k++) z->chosen[row[k]] = z->right[k];
        status = taut_linear_solve_placed(z->solver, z->chosen);
    }
    for (uint32_t k = 0; !status && k < z->late_count; k++) z->late[column[k]] += z->chosen[column[k]];
    return status;
}

/* Own multipliers in the tables: their corrections, and where they are in a vector of the phase. */
typedef void each_multiplier(real *in_table, real *in_vector);

static void take(real *in_table, real *in_vector) { *in_vector = *in_table; }
static void give(real *in_table, real *in_vector) { *in_table = *in_vector; }

static void pass_multipliers(const clusters *z, real *change, each_multiplier *pass)
{
    const size_t before = z->part.offsets[z->part.first_group];
    for (uint32_t n = 0; n < z->block_count; n++) {
        const cluster_block *b = &z->blocks[n];
        const uint32_t width = b->lanes.width, stride = b->kind->all.stride;
        for (uint32_t k = b->own - b->own_late; k < b->own; k++)
            for (uint32_t i = 0; i < b->lanes.groups * width; i++)
                pass(row_of(b, i / width, b->at_d + k) + i % width, change + (b->unknown[(size_t)k * stride + i] - before));
    }
}

void X(clusters_take_multipliers)(const clusters *z, real *change)
{
    pass_multipliers(z, change, take);
    for (uint32_t k = 0; k < z->late_count; k++)
        change[z->late_unknowns[k] - z->part.offsets[z->part.first_group]] = z->late[z->at.column[k]];
}

void X(clusters_put_multipliers)(clusters *z, const real *change)
{
    pass_multipliers(z, (real *)change, give);
    for (uint32_t k = 0; k < z->late_count; k++)
        z->late[z->at.column[k]] = (double)change[z->late_unknowns[k] - z->part.offsets[z->part.first_group]];
}

void X(clusters_correct)(clusters *z, real *unknowns, cluster_size *sizes)
{
    extremes most[STEP_GROUPS] = { 0 };
    for (uint32_t k = 0; k < z->block_count; k++) correct_block(z, &z->blocks[k], most);
    const uint32_t groups = (uint32_t)z->phase.c_group_count;
    for (uint32_t g = 0; g < groups; g++) {
        extremes of = most[z->phase.c_groups[g] - z->part.first_group];
        for (uint32_t k = g; k < z->late_count; k += groups) {
            real *lambda = &unknowns[z->late_unknowns[k]];
            const double change = z->late[z->at.column[k]];
            of.largest = extreme_see(of.largest, *lambda);
            of.moved = extreme_see(of.moved, change);
            *lambda -= change;
        }
        most[z->phase.c_groups[g] - z->part.first_group] = of;
    }
    for (int g = 0; g < z->part.group_count; g++)
        sizes[g] = (cluster_size){ extreme_value(most[g].largest), extreme_value(most[g].moved) };
}

/* ---- predictions ---- */

static void look_at_block(const clusters *z, const cluster_block *b, extremes *sizes)
{
    const uint32_t width = b->lanes.width;
    const cluster_phase *p = &z->phase;
    const size_t count = (size_t)b->kind->own_n * width;
    for (uint32_t group = 0; group < b->lanes.groups; group++)
        for (int g = 0; g < p->n_group_count; g++) {
            extremes *of = &sizes[p->n_groups[g] - z->part.first_group];
            of->largest = largest_of(row_of(b, group, 0) + g * count, count, of->largest);
            of->moved = largest_of(row_of(b, group, b->at_d) + g * count, count, of->moved);
        }
}

/* All of them from the same unknowns. */
int X(clusters_predict)(clusters *z, const element_step *now, cluster_size *sizes)
{
    extremes most[STEP_GROUPS] = { 0 };
    if (!z->predicts) return 0;
    find_places(z, now);
    for (uint32_t k = 0; k < z->block_count; k++) {
        const cluster_block *b = &z->blocks[k];
        if (!b->predict.output_count) continue;
        run_block(z, b, &b->predict, now);
        look_at_block(z, b, most);
    }
    for (int g = 0; g < z->part.group_count; g++)
        sizes[g] = (cluster_size){ extreme_value(most[g].largest), extreme_value(most[g].moved) };
    return 1;
}

static WIDE_LOOPS void subtract(real *restrict x, const real *restrict d, size_t count)
{
    for (size_t i = 0; i < count; i++) x[i] -= d[i];
}

void X(clusters_accept)(clusters *z)
{
    for (uint32_t k = 0; k < z->block_count; k++) {
        const cluster_block *b = &z->blocks[k];
        for (uint32_t group = 0; b->predict.output_count && group < b->lanes.groups; group++)
            subtract(row_of(b, group, 0), row_of(b, group, b->at_d), (size_t)b->own * b->lanes.width);
    }
}

/* ---- results ---- */

typedef struct {
    const cluster_block *block;
    real *out;
} result_target;

static void put_results(const element_group *g, void *user)
{
    const result_target *to = user;
    const cluster_block *b = to->block;
    for (uint32_t o = 0; o < 2 * b->kind->own_n; o++) {
        const uint32_t *index = b->result + (size_t)o * b->kind->all.stride + g->first;
        const real *value = element_value(g, o);
        for (uint32_t i = 0; i < g->count; i++) to->out[index[i]] = value[i];
    }
}

int X(clusters_have_results)(const clusters *z) { return z->has_results; }

void X(clusters_results)(clusters *z, const element_step *now, real *out)
{
    for (uint32_t k = 0; k < z->block_count; k++) {
        const cluster_block *b = &z->blocks[k];
        result_target to = { b, out };
        run(z, &b->lanes, &b->results, now, &b->table, put_results, &to);
    }
}
#else
void X(clusters_begin)(clusters *z, const element_step *now) { (void)z, (void)now; }

int X(clusters_predict)(clusters *z, const element_step *now, cluster_size *sizes)
{
    (void)z, (void)now, (void)sizes;
    return 0;
}

void X(clusters_accept)(clusters *z) { (void)z; }

int X(clusters_are_rough)(const clusters *z)
{
    (void)z;
    return 0;
}

int X(clusters_factor)(clusters *z, const element_step *now, const real *t, int *usable)
{
    (void)z, (void)now, (void)t;
    *usable = 0;
    return TAUT_OK;
}

void X(clusters_residual)(clusters *z, const element_step *now, real *push) { (void)z, (void)now, (void)push; }

int X(clusters_solve)(clusters *z, const element_step *now)
{
    (void)z, (void)now;
    return TAUT_UNSUPPORTED;
}

int X(clusters_choose)(clusters *z, const real *t, const real *unknowns)
{
    (void)z, (void)t, (void)unknowns;
    return TAUT_UNSUPPORTED;
}

void X(clusters_take_multipliers)(const clusters *z, real *change) { (void)z, (void)change; }
void X(clusters_put_multipliers)(clusters *z, const real *change) { (void)z, (void)change; }
void X(clusters_correct)(clusters *z, real *unknowns, cluster_size *sizes) { (void)z, (void)unknowns, (void)sizes; }
void X(clusters_write)(const clusters *z, real *unknowns) { (void)z, (void)unknowns; }

int X(clusters_have_results)(const clusters *z)
{
    (void)z;
    return 0;
}

void X(clusters_results)(clusters *z, const element_step *now, real *out) { (void)z, (void)now, (void)out; }
#endif
