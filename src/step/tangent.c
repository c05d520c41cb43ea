#include "step/tangent.h"

#include <string.h>

#include "solve/legendre.h"
#include "step/stepper_inside.h"

struct step_tangent {
    struct system *s;
    legendre *legendre;       /* where w0 stands in equations */
    size_t capacity;          /* tangent vectors that there is room for */
    real *room;
    real *unknowns;           /* of each vector: as many numbers as the stepper has unknowns */
    real *stage;              /* dw of each vector; of Lagrangian models */
    real *right;              /* of each vector: equations of a phase, or results */
    real *slot, *value;       /* work, of one vector */
    real *block;              /* values of one */
    real *saved;              /* the unknowns of the last step, which are reported */
    size_t longest;           /* of `right` */
};

/* One call. */
typedef struct {
    stepper *r;
    step_tangent *t;
    step_work *w;
    size_t count;
    const real *dq, *dp;
} pass;

static const kind KINDS[3] = { KIND_Q, KIND_W, KIND_LAMBDA };
static const step_slot SLOTS[3] = { STEP_Q, STEP_W, STEP_LAMBDA };

void X(step_tangent_destroy)(step_tangent *t)
{
    if (!t) return;
    X(legendre_destroy)(t->legendre);
    taut_mem_free(t->s->context, t->room);
    taut_mem_free(t->s->context, t);
}

/* ---- what it needs ---- */

/* Does a place or an equation contain the vector? Guesses do not matter. */
static int contains(const step_table *t, int vector)
{
    for (int i = 0; i < t->place_count; i++)
        for (int slot = 0; slot < STEP_SLOTS; slot++)
            for (int k = 0; k < t->places[i].slots[slot].count; k++)
                if (t->places[i].slots[slot].parts[k].vector == vector) return 1;
    for (int i = 0; i < t->term_count; i++)
        if (t->terms[i].function == STEP_VECTOR && t->terms[i].place == vector) return 1;
    return 0;
}

static int is_covered(const step_table *t)
{
    static const int without[] = { STEP_LAMBDA0, STEP_NU0, STEP_PHI0, STEP_W_RATE0, STEP_Y_RATE0 };
    for (size_t i = 0; i < sizeof without / sizeof *without; i++)
        if (contains(t, without[i])) return 0;
    for (int i = 0; i < t->group_count; i++)
        if (t->groups[i].phase == STEP_INPUT) return 0;
    for (int i = 0; i < t->term_count; i++) /* its derivative by q is of second order in the chart */
        if (t->terms[i].function == STEP_CHART_PULL || t->terms[i].function == STEP_CHART) return 0;
    return 1;
}

int X(stepper_prepare_tangent)(stepper *r)
{
    struct system *s = r->s;
    if (r->tangent) return TAUT_OK;
    if (!is_covered(&r->table) || s->embedded)
        return taut_fail(s->context, TAUT_UNSUPPORTED, "this step has no tangent in closed form");
    step_tangent *t = taut_mem_new(s->context, 1, sizeof *t);
    if (!t) return TAUT_OUT_OF_MEMORY;
    t->s = s;
    int status = TAUT_OK;
    if (contains(&r->table, STEP_W0) && s->form == FORM_LAGRANGIAN) {
        status = X(legendre_create)(s, &t->legendre);
        if (!status) status = X(system_prepare_block)(s, BLOCK_PI_Q);
        if (!status) status = X(system_prepare_block)(s, BLOCK_PI_W);
    }
    t->longest = 2 * (size_t)s->n;
    for (int i = 0; i < r->table.phase_count; i++)
        if ((size_t)r->phases[i].size > t->longest) t->longest = (size_t)r->phases[i].size;
    if (status)
        X(step_tangent_destroy)(t);
    else
        r->tangent = t;
    return status;
}

static size_t largest_block(const stepper *r)
{
    size_t largest = (size_t)r->s->blocks[BLOCK_PI_Q].value_count;
    for (int i = 0; i < r->table.term_count; i++)
        for (int k = 0; k < 3; k++) {
            const block_shape *b = X(step_function_block)(&r->functions, r->table.terms[i].function, KINDS[k]);
            if (b && (size_t)b->value_count > largest) largest = (size_t)b->value_count;
        }
    return largest;
}

static int reserve(stepper *r, size_t count)
{
    step_tangent *t = r->tangent;
    if (count <= t->capacity) return TAUT_OK;
    const size_t n = r->s->n, c = r->s->c;
    const size_t unknowns = r->work.offsets[r->table.group_count], block = largest_block(r);
    const size_t numbers = count * (unknowns + n + t->longest) + 2 * (n + c) + block + unknowns + 1;
    real *room = taut_mem_resize(t->s->context, t->room, numbers, sizeof *room);
    if (!room) return TAUT_OUT_OF_MEMORY;
    t->room = room;
    t->capacity = count;
    t->unknowns = room;
    t->stage = t->unknowns + count * unknowns;
    t->right = t->stage + count * n;
    t->slot = t->right + count * t->longest;
    t->value = t->slot + n + c;
    t->block = t->value + n + c;
    t->saved = t->block + block;
    return TAUT_OK;
}

/* ---- derivatives along tangent vectors ---- */

static const real *vector_of(const pass *a, int vector, size_t j)
{
    const size_t n = a->w->s->n;
    if (vector == STEP_Q0) return a->dq + j * n;
    if (vector == STEP_P0) return a->dp + j * n;
    if (vector == STEP_W0) return a->w->s->form == FORM_LAGRANGIAN ? a->t->stage + j * n
                                                                    : a->dp + j * n;
    return a->t->unknowns + j * a->w->offsets[a->w->table->group_count] + a->w->offsets[vector];
}

/* The derivative of a slot of a place along vector j, in a->t->slot. */
static void slot_along(const pass *a, int place, step_slot slot, size_t j)
{
    const step_sum *sum = &a->w->table->places[place].slots[slot];
    const size_t length = slot == STEP_LAMBDA ? a->w->s->c : a->w->s->n;
    real *out = a->t->slot;
    memset(out, 0, length * sizeof *out);
    for (int i = 0; i < sum->count; i++) {
        const real *x = vector_of(a, sum->parts[i].vector, j);
        const real factor = step_factor(a->w, sum->parts[i].coefficient, sum->parts[i].power);
        for (size_t k = 0; k < length; k++) out[k] += factor * x[k];
    }
}

/* right[j] += factor derivative, for each use of the function. */
static void add_uses(const pass *a, const step_compiled *p, const step_evaluation *e, size_t j, const real *derivative)
{
    const size_t rows = p->index < 0 ? 2 * a->w->s->n : (size_t)p->size; /* results without the work */
    real *right = a->t->right + j * a->t->longest;
    for (int u = e->first_use; u < e->first_use + e->use_count; u++) {
        const real factor = step_factor(a->w, p->uses[u].coefficient, p->uses[u].power);
        const size_t row = (size_t)p->uses[u].row;
        for (size_t k = 0; k < e->length && row + k < rows; k++) right[row + k] += factor * derivative[k];
    }
}

static int is_discrete(step_function f) { return f == STEP_D_W || f == STEP_D_Q || f == STEP_D_BOND; }
static int is_change(step_function f) { return f == STEP_PI_CHANGE || f == STEP_E_W_CHANGE; }
static int is_work(step_function f) { return f == STEP_D_T || f == STEP_D_T_BOND || f == STEP_FORCE_WORK; }

/* By the slot k of the place, or of the one where discrete gradients begin. */
static void add_block(const pass *a, const step_compiled *p, const step_evaluation *e, int k, int at_beginning)
{
    step_work *w = a->w;
    const block_shape *block = X(step_function_block)(w->functions, e->function, KINDS[k]);
    const int place_index = at_beginning ? w->table->from : e->place;
    if (!block || !w->table->places[place_index].slots[SLOTS[k]].count) return;
    place at = w->at[e->place], from = w->now.from ? *w->now.from : at;
    if (at_beginning) { /* the multipliers are the same */
        const place swap = at;
        at = from, from = swap;
        at.x[KIND_LAMBDA] = swap.x[KIND_LAMBDA];
    }
    X(block_values_between)(block, &from, &at, a->t->block);
    for (size_t j = 0; j < a->count; j++) {
        slot_along(a, place_index, SLOTS[k], j);
        memset(a->t->value, 0, e->length * sizeof *a->t->value);
        X(block_multiply)(block, a->t->block, 1, a->t->slot, a->t->value);
        add_uses(a, p, e, j, a->t->value);
    }
}

static void add_evaluation(const pass *a, const step_compiled *p, const step_evaluation *e)
{
    if (is_work(e->function)) return;
    if (e->function == STEP_VECTOR) {
        for (size_t j = 0; j < a->count; j++) add_uses(a, p, e, j, vector_of(a, e->place, j));
        return;
    }
    for (int k = 0; k < 3; k++) add_block(a, p, e, k, 0);
    for (int k = 0; k < 2 && is_discrete(e->function); k++) add_block(a, p, e, k, 1);
    for (size_t j = 0; j < a->count && is_change(e->function); j++) {
        const real *dp = a->dp + j * a->w->s->n;
        for (size_t i = 0; i < e->length; i++) a->t->value[i] = -dp[i];
        add_uses(a, p, e, j, a->t->value);
    }
}

/* right := the derivatives of the equations, or results, along the vectors. */
static void differentiate(const pass *a, const step_compiled *p)
{
    memset(a->t->right, 0, a->count * a->t->longest * sizeof *a->t->right);
    for (int i = 0; i < p->evaluation_count; i++) add_evaluation(a, p, &p->evaluations[i]);
}

/* dw from pi(q,w,t) = p */
static int find_stage(const pass *a)
{
    const struct system *s = a->w->s;
    const state *x = a->w->now.start;
    const size_t n = s->n;
    int status = TAUT_OK;
    if (!a->t->legendre) return TAUT_OK;
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    X(system_block_values)(s, BLOCK_PI_Q, &at, a->t->block);
    for (size_t j = 0; !status && j < a->count; j++) {
        real *dw = a->t->stage + j * n;
        memcpy(dw, a->dp + j * n, n * sizeof *dw);
        X(block_multiply)(&s->blocks[BLOCK_PI_Q], a->t->block, -1, a->dq + j * n, dw);
        status = X(legendre_mass_solve)(a->t->legendre, &at, dw);
    }
    return status;
}

/* ---- phases ---- */

/* du -= M^-1 right of all vectors; *size: the largest correction, relative to the largest du of its vector. */
static int correct(const pass *a, step_compiled *p, const newton_problem *problem, real *size)
{
    const size_t all = a->w->offsets[a->w->table->group_count], first = a->w->offsets[p->first_group];
    *size = 0;
    for (size_t j = 0; j < a->count; j++) {
        real *right = a->t->right + j * a->t->longest, *du = a->t->unknowns + j * all + first, moved = 0, largest = 0;
        int status = problem->solve(problem->self, right);
        if (status) return status;
        for (int i = 0; i < p->size; i++) {
            du[i] -= right[i];
            moved = real_most(moved, right[i]), largest = real_most(largest, du[i]);
        }
        if (!(moved - moved == 0))
            return taut_fail(a->w->s->context, TAUT_NOT_FINITE,
                             "at t = %.9g: the tangent of the step is not finite", (double)a->w->now.start->t);
        *size = real_most(*size, largest > 0 ? moved / largest : moved);
    }
    return TAUT_OK;
}

/* Corrections with one matrix, until they are round-off: the solvers work in double, or with softened constraints. */
enum { CORRECTIONS_MOST = 20 };

static int solve_phase(const pass *a, int index)
{
    step_compiled *p = &a->r->phases[index];
    const newton_problem problem = X(step_phase_problem)(p);
    real *x = a->w->x + a->w->offsets[p->first_group], size = 1, before = 1;
    for (int i = 0; i < p->place_count; i++) X(step_find_place)(a->w, p->places[i]);
    p->chord_tried = 2; /* the full matrix */
    p->clusters_failed = 1, p->clusters_at_work = 0;
    p->softened.choose = 0;
    int status = problem.factor ? problem.factor(problem.self, x) : TAUT_OK;
    for (int k = 0; !status && k < CORRECTIONS_MOST; k++) {
        differentiate(a, p);
        status = correct(a, p, &problem, &size);
        if (size <= 4 * REAL_EPSILON || (k > 1 && size > before / 2)) break;
        before = size;
    }
    if (status || size <= REAL(sqrt)(REAL_EPSILON)) return status;
    return taut_fail(a->w->s->context, TAUT_NO_CONVERGENCE,
                     "at t = %.9g: the tangent of the step does not converge; the equations of the step are nearly "
                     "singular", (double)a->w->now.start->t);
}

/* The vectors at the state h later; the unknowns are at the solution. */
static int follow(const pass *a, real *dq, real *dp)
{
    stepper *r = a->r;
    const size_t n = r->s->n;
    memset(a->t->unknowns, 0, a->count * r->work.offsets[r->table.group_count] * sizeof(real));
    int status = find_stage(a);
    for (int i = 0; !status && i < r->table.phase_count; i++) status = solve_phase(a, i);
    if (status) return status;
    X(step_phase_begin)(&r->results);
    differentiate(a, &r->results);
    for (size_t j = 0; j < a->count; j++)
        for (size_t i = 0; i < n; i++) {
            const real *right = a->t->right + j * a->t->longest;
            dq[j * n + i] += right[i];
            dp[j * n + i] = (r->table.sets_momentum ? 0 : dp[j * n + i]) + right[n + i];
        }
    return TAUT_OK;
}

int X(stepper_tangent)(stepper *r, const state *x, real h, size_t count, real *dq, real *dp)
{
    const size_t unknowns = r->work.offsets[r->table.group_count];
    int status = count ? X(stepper_prepare_tangent)(r) : TAUT_OK;
    if (!status && count) status = reserve(r, count);
    if (status || !count) return status;
    const pass a = { r, r->tangent, &r->work, count, dq, dp };
    memcpy(a.t->saved, r->work.x, unknowns * sizeof(real));
    status = X(stepper_solve)(r, x, h);
    if (!status) status = follow(&a, dq, dp);
    memcpy(r->work.x, a.t->saved, unknowns * sizeof(real));
    return status;
}
