#include "step/stepper.h"

#include <string.h>

#include "base/room.h"
#include "lower/lower.h"
#include "step/stepper_inside.h"
#include "step/tangent.h"
#include "system/vector.h"

void X(stepper_destroy)(stepper *r)
{
    if (!r) return;
    for (int i = 0; i < STEP_PHASES; i++) X(step_phase_clear)(&r->phases[i]);
    X(step_phase_clear)(&r->results);
    X(element_graph_clear)(r->s->context, &r->graph);
    X(step_functions_clear)(&r->functions);
    X(newton_clear)(&r->newton);
    X(program_destroy)(r->lowered);
    X(step_tangent_destroy)(r->tangent);
    room_free(r->s->context, &r->room);
    taut_mem_free(r->s->context, r);
}

/* ---- the workspace ---- */

/* Numbers of the largest block of derivatives. */
static size_t largest_block(const stepper *r)
{
    static const kind kinds[] = { KIND_Q, KIND_W, KIND_LAMBDA };
    size_t largest = r->s->n + (size_t)r->s->embedded; /* of an identity */
    for (int i = 0; i < r->table.term_count; i++)
        for (int k = 0; k < 3; k++) {
            const block_shape *b = X(step_function_block)(&r->functions, r->table.terms[i].function, kinds[k]);
            if (b && (size_t)b->value_count > largest) largest = (size_t)b->value_count;
        }
    return largest;
}

static void lay_out(void *self, room_layout *l)
{
    stepper *r = self;
    step_work *w = &r->work;
    size_t n = r->s->n, c = r->s->c, y = r->s->embedded;
    w->x = room_reals(l, w->offsets[r->table.group_count]);
    for (int v = STEP_NU0; v < 0; v++) w->known[v + STEP_KNOWN] = room_reals(l, X(step_vector_length)(w, v));
    for (int i = 0; i < r->table.place_count; i++) {
        for (int slot = STEP_Q; slot <= STEP_LAMBDA; slot++)
            if (X(step_slot_needs_room)(&r->table.places[i], (step_slot)slot))
                w->rooms[i][slot] = room_reals(l, slot == STEP_LAMBDA ? c : n + y);
    }
    w->value = room_reals(l, n + y + c);
    w->now.scratch = room_reals(l, n + c);
    w->block = room_reals(l, largest_block(r));
    for (int i = 0; i < r->table.phase_count; i++)
        X(step_phase_place)(&r->phases[i], room_reals(l, X(step_phase_numbers)(&r->phases[i])));
    X(step_phase_place)(&r->results, room_reals(l, X(step_phase_numbers)(&r->results)));
    w->now.move = r->results.fixed;
}

static int uses_vector(const step_table *t, int vector)
{
    for (int g = 0; g < t->group_count; g++)
        for (int i = 0; i < t->groups[g].guess.count; i++)
            if (t->groups[g].guess.parts[i].vector == vector) return 1;
    for (int i = 0; i < t->place_count; i++)
        for (int slot = 0; slot < STEP_SLOTS; slot++)
            for (int k = 0; k < t->places[i].slots[slot].count; k++)
                if (t->places[i].slots[slot].parts[k].vector == vector) return 1;
    for (int i = 0; i < t->term_count; i++)
        if (t->terms[i].function == STEP_VECTOR && t->terms[i].place == vector) return 1;
    return 0;
}

/* Systems with constant mass in small blocks are evaluated field by field: their terms are few. */
static int create_graph(stepper *r)
{
    int usable = 0, status = r->s->inverse_mass ? TAUT_OK : X(element_graph_create)(r->s, &r->table, 0, &r->graph, &usable);
    if (usable) r->work.graph = &r->graph;
    else r->why_fields = r->s->inverse_mass ? "its mass matrix is constant, in small blocks"
                         : r->s->embedded   ? "it has embedded points"
                                            : "its terms join too many coordinates, or call functions of the program";
    return status;
}

step_path X(stepper_path)(const stepper *r)
{
    step_path path = { .kind = r->lowered ? PATH_STRAIGHT : PATH_FIELDS, .why = r->why, .why_fields = r->why_fields };
    for (int i = 0; i < r->table.phase_count; i++) {
        const step_compiled *p = &r->phases[i];
        if (!p->elements) continue;
        path.phases++;
        path.condensed += p->clusters != NULL;
    }
    if (r->lowered || !path.phases) return path;
    path.kind = PATH_ELEMENTS;
    path.shapes = (int)r->graph.shape_count;
    return path;
}

static int compile(stepper *r, real tolerance)
{
    step_work *w = &r->work;
    int largest = 1, status = X(step_functions_create)(r->s, &r->table, &r->functions);
    w->functions = &r->functions;
    w->table = &r->table;
    w->s = r->s;
    for (int v = -STEP_KNOWN; v < 0; v++) r->needs[v + STEP_KNOWN] = uses_vector(&r->table, v);
    double size = 0;
    for (int g = 0; g < r->table.group_count; g++) {
        size += (double)X(step_vector_length)(w, g);
        w->offsets[g + 1] = w->offsets[g] + X(step_vector_length)(w, g);
    }
    if (!status && size > 2147483647.0)
        status = taut_fail(r->s->context, TAUT_UNSUPPORTED, "the model is too large for so many stages; take fewer");
    if (!status) status = X(system_prepare_block)(r->s, BLOCK_G);
    if (r->s->softening) r->why = "constraints depend on each other";
    else if (!status) status = X(lower_create)(r->s, &r->table, tolerance, &r->lowered, &r->why);
    if (!status && !r->lowered) status = create_graph(r);
    for (int i = 0; !status && i < r->table.phase_count; i++) {
        status = X(step_phase_compile)(w, i, &r->phases[i]);
        if (r->phases[i].size > largest) largest = r->phases[i].size;
    }
    if (!status) status = X(step_phase_compile)(w, -1, &r->results);
    if (!status) status = X(newton_create)(r->s->context, largest, tolerance, &r->newton);
    if (!status && r->s->softening && !r->s->stresses) status = X(newton_keep_secants)(&r->newton, X(step_phase_product));
    r->newton.pool = r->s->work->pool;
    return status ? status : room_create(r->s->context, lay_out, r, &r->room);
}

int X(stepper_create)(struct system *s, const step_table *table, real tolerance, stepper **result)
{
    stepper *r = taut_mem_new(s->context, 1, sizeof *r);
    *result = NULL;
    if (!r) return TAUT_OUT_OF_MEMORY;
    r->s = s;
    r->table = *table;
    int status = compile(r, tolerance);
    if (status)
        X(stepper_destroy)(r);
    else
        *result = r;
    return status;
}

int X(stepper_is_lowered)(const stepper *r) { return r->lowered != NULL; }
void X(stepper_use_lowered)(stepper *r, int use) { r->general_alone = !use; }
void X(stepper_use_elements)(stepper *r, int use) { r->work.by_fields = !use; }
void X(stepper_use_clusters)(stepper *r, int use) { r->work.by_whole_matrices = !use; }
void X(stepper_write_unknowns)(stepper *r, int phase) { X(step_phase_end)(&r->phases[phase]); }

int X(stepper_has_elements)(const stepper *r, int phase, int *has_clusters)
{
    *has_clusters = r->phases[phase].clusters != NULL;
    return r->phases[phase].elements != NULL;
}

program *X(stepper_program)(stepper *r) { return r->lowered; }
int X(stepper_phases)(const stepper *r) { return r->table.phase_count; }

const newton_counts *X(stepper_counts)(stepper *r)
{
    if (!r->lowered) return &r->newton.counts;
    r->counts = r->newton.counts;
    newton_counts_add(&r->counts, &r->lowered->space.counts);
    return &r->counts;
}

const real *X(stepper_reported)(const stepper *r)
{
    return X(step_vector)(&r->work, r->table.reported >= 0 ? r->table.reported : r->table.lambda);
}

void X(stepper_input)(stepper *r, int group, const real *values)
{
    memcpy(r->work.x + r->work.offsets[group], values, X(step_vector_length)(&r->work, group) * sizeof(real));
}

/* ---- a step ---- */

/* The embedded points at the start, and their mean rate on the way to q0 + h w0. */
static void find_embedded(stepper *r, const state *x)
{
    step_work *w = &r->work;
    real *y0 = w->known[STEP_Y0 + STEP_KNOWN], *rate = w->known[STEP_Y_RATE0 + STEP_KNOWN], *q = w->value;
    size_t y = r->s->embedded;
    place start = place_at(r->s, x->q, NULL, &x->t, NULL), end = place_at(r->s, q, NULL, &w->t1, NULL);
    memset(y0, 0, y * sizeof(real));
    memset(rate, 0, y * sizeof(real));
    X(field_values)(r->s->chart, &start, y0);
    for (uint32_t i = 0; i < x->n; i++) q[i] = x->q[i] + w->h * x->w[i];
    X(field_values)(r->s->chart, &end, rate);
    for (size_t k = 0; k < y; k++) rate[k] = (rate[k] - y0[k]) / w->h;
}

/* dw/dt of a Lagrangian with constant mass. Where the step is too long for it to say much, zero: stiff forces would
   lead a guess astray. */
static void find_rate(stepper *r, const place *start)
{
    step_work *w = &r->work;
    const struct system *s = r->s;
    real *rate = w->known[STEP_W_RATE0 + STEP_KNOWN], moves = 0, changes = 0;
    if (s->form == FORM_LAGRANGIAN && s->inverse_mass && s->structure.uncoupled) {
        X(system_force)(s, start, w->value);
        X(system_apply_inverse_mass)(s, w->value, rate);
        for (uint32_t i = 0; i < s->n; i++)
            moves = real_most(moves, start->x[KIND_W][i]), changes = real_most(changes, w->h * rate[i]);
    }
    if (!(4 * changes <= moves)) memset(rate, 0, s->n * sizeof(real));
}

static void begin(stepper *r, const state *x, real h)
{
    step_work *w = &r->work;
    w->now.start = x;
    w->h = h;
    w->powers[STEP_POWERS] = 1;
    for (int i = 1; i <= STEP_POWERS; i++) {
        w->powers[STEP_POWERS + i] = w->powers[STEP_POWERS + i - 1] * h;
        w->powers[STEP_POWERS - i] = 1 / w->powers[STEP_POWERS + i];
    }
    X(state_next_time)(x, h, &w->t1, &w->t1_low);
    w->now.span = w->t1 - x->t;
    w->elements = (element_step){ .start = x, .unknowns = w->x, .h = h,
                                  .times = { [STATE_T0] = x->t, [STATE_T0_LOW] = x->t_low, [STATE_T1] = w->t1,
                                             [STATE_SPAN] = w->now.span } };
    place start = place_at(r->s, x->q, x->w, &x->t, x->lambda);
    if (r->needs[STEP_NU0 + STEP_KNOWN]) X(system_velocity)(r->s, &start, w->known[STEP_NU0 + STEP_KNOWN]);
    if (r->needs[STEP_PHI0 + STEP_KNOWN]) X(system_force)(r->s, &start, w->known[STEP_PHI0 + STEP_KNOWN]);
    if (r->needs[STEP_W_RATE0 + STEP_KNOWN]) find_rate(r, &start);
    if (r->s->embedded && r->needs[STEP_Y0 + STEP_KNOWN]) find_embedded(r, x);
}

/* The guess comes from the state alone, so that a resumed run repeats every bit. */
static void guess(stepper *r, int phase)
{
    step_work *w = &r->work;
    for (int g = 0; g < r->table.group_count; g++)
        if (r->table.groups[g].phase == phase)
            X(step_sum_value)(w, &r->table.groups[g].guess, X(step_vector_length)(w, g), w->x + w->offsets[g]);
    X(step_phase_begin)(&r->phases[phase]);
}

#define GROWN 4 /* multipliers within a step */

/* x -= change, once */
static int improve(stepper *r, const newton_problem *problem, real *x)
{
    real *change = r->newton.residual;
    int status = problem->factor(problem->self, x);
    if (!status) status = problem->residual(problem->self, x, change);
    if (!status) status = problem->solve(problem->self, change);
    if (!status && !problem->corrects(problem->self)) X(newton_correct)(&r->newton, x, problem->size);
    r->newton.counts.factorisations++;
    r->newton.counts.iterations++;
    return status;
}

/* Whether the step needs much larger multipliers than the last one: it has come near to a singular position. Elsewhere
   noise is that of the problem: unknowns that are nearly zero, masses of very different sizes. */
static int has_grown(const stepper *r, const step_compiled *p)
{
    const step_work *w = &r->work;
    real before = 0, now = 0;
    for (uint32_t k = 0; k < r->s->c; k++) before = real_most(before, w->now.start->lambda[k]);
    for (int g = p->first_group; g < p->first_group + p->group_count; g++)
        for (uint32_t k = 0; r->table.groups[g].size == STEP_C && k < r->s->c; k++)
            now = real_most(now, X(step_vector)(w, g)[k]);
    return now > GROWN * before;
}

static int solve_phase(stepper *r, int phase)
{
    step_compiled *p = &r->phases[phase];
    const step_phase *described = &r->table.phases[phase];
    step_work *w = &r->work;
    real *x = w->x + w->offsets[p->first_group];
    p->clusters_failed = 0;
    guess(r, phase);
    if (p->solver == STEP_EXPLICIT) {
        X(step_phase_residual)(p, r->newton.residual);
        X(newton_correct)(&r->newton, x, p->size);
        return TAUT_OK;
    }
    newton_problem problem = X(step_phase_problem)(p);
    r->newton.careful = r->s->careful;
    for (;; p->clusters_failed = 1, guess(r, phase)) {
        int status = described->improve_guess ? improve(r, &problem, x) : TAUT_OK;
        if (!status)
            status = X(newton_solve)(&r->newton, &problem, x, described->improve_guess, w->now.start->t,
                                     described->what);
        /* condensation does without pivoting: what it has not solved is tried with it */
        if (!status || status == NEWTON_NOISY) X(step_phase_end)(p);
        if (status == NEWTON_NOISY && !has_grown(r, p)) status = TAUT_OK;
        const int failed = status == TAUT_NO_CONVERGENCE || status == NEWTON_NOISY || status == NEWTON_STRAYED;
        if (!failed || !p->clusters || p->clusters_failed) return status;
    }
}

/* All functions are evaluated before the state changes. */
static void finish(stepper *r, state *x)
{
    const step_table *t = &r->table;
    step_work *w = &r->work;
    uint32_t n = r->s->n;
    if (!X(step_phase_results)(&r->phases[t->phase_count - 1], r->results.fixed)) X(step_phase_begin)(&r->results);
    const real *move = r->results.fixed, *push = move + n, *work = push + n;
    pool *by = r->s->work->pool;
    X(vector_add_compensated)(by, n, x->q, x->q_low, move);
    if (t->sets_momentum) {
        pool_copy(by, x->p, push, n * sizeof(real));
        pool_clear(by, x->p_low, n * sizeof(real));
    } else {
        X(vector_add_compensated)(by, n, x->p, x->p_low, push);
    }
    X(add_compensated)(x->work, x->work_low, work, 1);
    pool_copy(by, x->w, r->s->form == FORM_LAGRANGIAN && t->w >= 0 ? X(step_vector)(w, t->w) : x->p,
              n * sizeof(real));
    if (t->trend) X(state_expect)(by, x, X(step_vector)(w, t->lambda), t->trend, x);
    if (t->lambda >= 0) pool_copy(by, x->lambda, X(step_vector)(w, t->lambda), r->s->c * sizeof(real));
    if (t->lambda_time >= 0) *x->t_lambda = x->t + (t->lambda_time * w->h + x->t_low);
    x->t = w->t1, x->t_low = w->t1_low;
}

/* What the last step found stands where the general path would have left it. */
static void keep_reported(stepper *r, const state *x)
{
    int reported = r->table.reported >= 0 ? r->table.reported : r->table.lambda;
    if (reported >= 0 && r->table.reported >= 0)
        X(program_reported)(r->lowered, r->work.x + r->work.offsets[reported]);
    else if (reported >= 0)
        memcpy(r->work.x + r->work.offsets[reported], x->lambda, r->s->c * sizeof(real));
}

static int step_lowered(stepper *r, state *x, real h)
{
    if (X(program_step)(r->lowered, x, h, r->work.x) != PROGRAM_DONE) return 0;
    keep_reported(r, x);
    return 1;
}

long X(stepper_steps)(stepper *r, state *x, const real *lengths, int stride, long count, multiplier_growth *size)
{
    if (!r->lowered || r->general_alone) return 0;
    const long done = X(program_steps)(r->lowered, x, lengths, stride, count, size);
    if (done) keep_reported(r, x);
    return done;
}

int X(stepper_solve)(stepper *r, const state *x, real h)
{
    int status = TAUT_OK;
    begin(r, x, h);
    for (int i = 0; !status && i < r->table.phase_count; i++) status = solve_phase(r, i);
    return status;
}

int X(stepper_step)(stepper *r, state *x, real h)
{
    if (r->lowered && !r->general_alone && step_lowered(r, x, h)) return TAUT_OK;
    int status = X(stepper_solve)(r, x, h);
    if (!status) finish(r, x);
    return status;
}

newton_problem X(stepper_problem)(stepper *r, int phase, const state *x, real h, real **unknowns)
{
    begin(r, x, h);
    guess(r, phase);
    *unknowns = r->work.x + r->work.offsets[r->phases[phase].first_group];
    return X(step_phase_problem)(&r->phases[phase]);
}
