/* What a step of verlet.c needs: found once, with the arrays. */
#include "base/room.h"
#include "method/lobatto.h"
#include "method/verlet_parts.h"
#define NUMBER real
#include "linalg/products_sum.h"
#ifndef TAUT_REAL_QUAD
#include "linalg/products_opposite.h"
#endif

int X(verlet_serves)(const struct system *s) { return s->structure.explicit_force; }

int X(verlet_serves_rattle)(const struct system *s)
{
    const structure *found = &s->structure;
    return found->explicit_force
           || (s->form == FORM_LAGRANGIAN && found->uncoupled && s->offset && found->force_velocity
               && !found->force_multiplier && s->c && !s->softening && !s->slip);
}

void X(verlet_destroy)(void *self)
{
    verlet *r = self;
    if (!r) return;
    room_free(r->s->context, &r->room);
    X(state_clear)(r->s, &r->next);
    X(multiplier_destroy)(r->matrix);
    taut_row_cuts_clear(r->s->context, &r->cuts);
    taut_mem_free(r->s->context, r->order);
    taut_mem_free(r->s->context, r->pushes);
    taut_products_destroy(r->s->context, r->rows);
    taut_products_destroy(r->s->context, r->columns);
    X(newton_clear)(&r->newton);
    X(stepper_destroy)(r->table);
    X(points_destroy)(r->points_of);
    taut_mem_free(r->s->context, r);
}

static void lay_out(void *self, room_layout *l)
{
    verlet *r = self;
    size_t n = r->s->n, c = r->s->c, entries = (size_t)r->s->blocks[BLOCK_G].value_count;
    r->f = room_reals(l, n), r->f1 = room_reals(l, r->steady_force ? 0 : n);
    r->g0 = room_reals(l, entries), r->g1 = room_reals(l, entries);
    r->mu = room_reals(l, c);
    if (!r->pieces || r->drag) r->push0 = room_reals(l, n);
    if (!r->pieces) r->push1 = room_reals(l, n), r->kick = room_reals(l, n), r->work = room_reals(l, n);
    if (r->drag) r->stage = room_reals(l, n);
    if (r->drag && !r->pieces) r->drift = room_reals(l, n);
    r->base = room_reals(l, n);
    r->rate = room_reals(l, r->s->structure.constraint_time ? c : 0), r->velocity_error = room_reals(l, c);
    r->known_q = room_reals(l, n);
    r->push = room_reals(l, n < r->piece ? n : r->piece);
}

/* Whether the constraints of each piece of the coordinates can be evaluated by themselves. */
static int have_pieces(const verlet *r)
{
    const row_cuts *cuts = &r->cuts;
    const field *g = r->s->constraint;
    int can = cuts->ranges && r->pieces && r->project && !r->s->structure.constraint_time
              && X(field_by_rows)(g, KIND_Q);
    for (int k = 0; can && k < cuts->pieces; k++)
        can = X(field_cuts_at)(g, cuts->ranges[k].first) && X(field_cuts_at)(g, cuts->ranges[k].end);
    return can;
}

static void find_points(verlet *r)
{
#ifdef TAUT_REAL_QUAD
    r->points = NULL;
#else
    r->points = r->pieces && !r->drag ? products_most_points(r->columns, r->s->blocks[BLOCK_G].value_count) : NULL;
#endif
}

static int prepare_constraints(verlet *r)
{
    const pattern *g = r->s->blocks[BLOCK_G].parts[0].shape;
    for (int k = 0; k < g->rows; k++)
        if (g->start[k + 1] - g->start[k] > r->terms) r->terms = g->start[k + 1] - g->start[k];
    int status = X(multiplier_prepare_order)(r->s, &r->order, &r->rows, &r->columns);
    if (!status) status = taut_row_cuts_find(r->s->context, g, r->piece, &r->cuts);
    if (!status) r->by_pieces = have_pieces(r);
    if (!status) find_points(r);
    if (!status) status = X(multiplier_create)(r->s, r->order, &r->matrix);
    if (!status) r->by_rows = r->by_pieces && X(multiplier_by_rows)(r->matrix);
    return status;
}

static void find_simple(verlet *r)
{
    const struct system *s = r->s;
    r->even = s->structure.diagonal_mass && s->n > 0;
    for (uint32_t j = 0; r->even && j < s->n; j++)
        r->even = s->inverse_mass[j] == s->inverse_mass[0] && s->offset[j] == 0;
    r->steady_force = !s->structure.has_forces && !X(field_gradient_varies)(s->energy, KIND_Q);
}

/* A piece goes through some ten arrays, in several loops, and at the beginning of each the processor waits for memory.
   So pieces are long where there are enough of them; their forces and positions stay in a cache of 512 KiB. */
static uint32_t piece_length(uint32_t n)
{
    enum { PIECES = 12, LONGEST = 4 * POOL_NUMBERS };
    uint32_t length = POOL_NUMBERS;
    while (length < LONGEST && n / (2 * length) >= PIECES) length *= 2;
    return length;
}

static int create_pushes(verlet *r)
{
    const struct system *s = r->s;
    const size_t others = (size_t)taut_pool_threads(s->work->pool) - 1;
    if (!others || s->n <= r->piece) return TAUT_OK; /* one piece: one thread */
    r->pushes = taut_mem_new(s->context, r->piece * others, sizeof *r->pushes);
    return r->pushes ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static int create_table(verlet *r, real tolerance)
{
    step_table *t = taut_mem_new(r->s->context, 1, sizeof *t);
    if (!t) return TAUT_OUT_OF_MEMORY;
    X(step_table_begin)(t);
    X(lobatto_table)(r->s, 2, 1, t);
    int status = X(stepper_create)(r->s, t, tolerance, &r->table);
    taut_mem_free(r->s->context, t);
    return status;
}

int X(verlet_create)(struct system *s, const method_spec *spec, int project, real tolerance, void **self)
{
    verlet *r = taut_mem_new(s->context, 1, sizeof *r);
    *self = NULL;
    if (!r) return TAUT_OUT_OF_MEMORY;
    r->s = s;
    r->project = project;
    r->drag = !s->structure.explicit_force;
    r->pieces = s->structure.diagonal_mass;
    r->piece = piece_length(s->n);
    r->usual = 2;
    int status = X(system_prepare_block)(s, BLOCK_G);
    find_simple(r);
    if (!status) status = room_create(s->context, lay_out, r, &r->room);
    if (!status) status = create_pushes(r);
    if (!status) status = X(state_create)(s, &r->next);
    if (!status) status = X(newton_create)(s->context, (int)s->c, tolerance, &r->newton);
    /* Momenta are kept whatever the multipliers are, and each step solves the constraints from scratch. */
    if (!status) X(newton_relax)(&r->newton);
    if (!status) r->newton.pool = s->work->pool, r->newton.corrected = 1;
    if (!status && s->c) status = prepare_constraints(r);
    if (!status && r->drag) status = create_table(r, tolerance);
    const points_options o = { project, r->steady_force, !spec->is_part && project };
    if (!status) status = X(points_create)(s, &o, &r->newton, &r->points_of);
    if (status)
        X(verlet_destroy)(r);
    else
        *self = r;
    return status;
}
