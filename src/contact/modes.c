#include "contact/modes.h"

#include <string.h>

#include "base/room.h"
#include "solve/rank.h"
#include "solve/redundancy.h"

/* Of all forces with the same effect those of least size are found. Friction counts for so much more than a normal
   force: then few of them are outside of their cones (a mass in a groove: friction/normal force = tan(slope)/100). */
#define FRICTION_WEIGHT 100
/* D relative to S. Where contacts slip, round-off in the dependent equations, divided by it, would move. */
#define SOFTENING_PART 1e-4

static void mode_set_destroy(mode_set *set, taut_context *context)
{
    if (!set) return;
    X(method_destroy)(&set->method);
    X(acceleration_destroy)(set->acceleration);
    X(projector_destroy)(set->projector);
    X(shares_destroy)(set->shares);
    if (set->s) {
        X(state_clear)(set->s, &set->begin);
        X(state_clear)(set->s, &set->end);
    }
    X(system_destroy)(set->s);
    taut_mode_model_destroy(set->m);
    room_free(context, &set->room);
    taut_flat_destroy(set->flat);
    taut_mem_free(context, set);
}

static void lay_out(void *self, room_layout *l)
{
    mode_set *set = self;
    size_t count = set->contact_count;
    set->lambda = room_reals(l, set->s->c);
    set->dv = room_reals(l, set->s->n);
    set->jacobian = room_reals(l, (size_t)set->s->blocks[BLOCK_G].value_count);
    set->first = room_take(l, count, sizeof *set->first);
    set->rows = room_take(l, count, sizeof *set->rows);
    if (set->rubs) {
        set->rubbing = room_reals(l, (size_t)set->s->blocks[BLOCK_FREE_LAMBDA].value_count);
        set->middle_q = room_reals(l, set->s->n), set->middle_w = room_reals(l, set->s->n);
        set->moved = room_reals(l, set->s->n);
        set->drive = room_reals(l, set->s->c);
    }
    if (set->softened) {
        set->work = room_reals(l, X(redundancy_room)(set->s));
        set->left = room_reals(l, set->s->c);
        set->distances = room_take(l, count, sizeof *set->distances);
    }
    set->modes = room_take(l, count, sizeof *set->modes);
}

/* Room for D, which depends on the state: mode_set_load finds it. */
static int prepare_softening(struct system *s)
{
    int status = X(system_prepare_block)(s, BLOCK_G);
    if (!status) status = X(system_prepare_block)(s, X(redundancy_block)(s));
    if (!status && s->c) s->softening = taut_mem_new(s->context, s->c, sizeof *s->softening);
    return status ? status : s->softening || !s->c ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static double softening_part(const mode_set *set)
{
    double part = SOFTENING_PART;
    for (int level = 1; level < set->softened; level++) part /= 100;
    return part;
}

/* Gaps and slides of bodies are distances, their multipliers forces: all of these count alike, whatever body they are
   on, and in all directions. */
static void equalise(mode_set *set)
{
    double *softening = set->s->softening, sum = 0;
    int rows = 0;
    for (size_t i = 0; i < set->contact_count; i++)
        for (int r = 0; set->distances[i] && r < set->rows[i]; r++) sum += softening[set->first[i] + r], rows++;
    for (size_t i = 0; i < set->contact_count; i++)
        for (int r = 0; set->distances[i] && r < set->rows[i]; r++) softening[set->first[i] + r] = sum / rows;
}

static void soften(mode_set *set, const state *x)
{
    struct system *s = set->s;
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    X(system_block_values)(s, BLOCK_G, &at, set->jacobian);
    X(redundancy_diagonal)(s, &at, set->jacobian, softening_part(set), set->work, s->softening);
    equalise(set);
    for (uint32_t k = 0; k < s->c; k++) s->softening[k] /= FRICTION_WEIGHT;
    /* the constraints that always hold have what multipliers they need: that of a rotation, say */
    for (uint32_t k = 0; k < set->perpetual; k++) s->softening[k] *= set->perpetual_softening;
    for (size_t i = 0; i < set->contact_count; i++)
        for (int r = 1; r < set->rows[i]; r++) s->softening[set->first[i] + r] *= FRICTION_WEIGHT;
}

/* Its cones; the friction of each is set where it is used. */
static int create_shares(const mode_sets *p, const unsigned char *modes, mode_set *set)
{
    size_t count = p->m->contact_count;
    int closed = 0, first = (int)p->m->constraint_count;
    share_cone *cones = taut_mem_new(p->m->context, count, sizeof *cones);
    if (!cones) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        int rows = (int)taut_contact_rows(&p->m->contacts[i], modes[i]);
        if (modes[i] == MODE_OPEN) continue;
        cones[closed++] = (share_cone){ .first = first, .rows = rows };
        first += rows;
    }
    int status = X(shares_create)(set->s, (uint32_t)p->m->constraint_count, closed, cones, &set->shares);
    taut_mem_free(p->m->context, cones);
    return status;
}

static int mode_set_create(const mode_sets *p, const unsigned char *modes, int softened, mode_set **result)
{
    taut_context *context = p->m->context;
    size_t count = p->m->contact_count;
    mode_set *set = taut_mem_new(context, 1, sizeof *set);
    *result = NULL;
    if (!set) return TAUT_OUT_OF_MEMORY;
    set->contact_count = count;
    set->softened = softened;
    for (size_t i = 0; i < count; i++)
        set->rubs |= modes[i] == MODE_SLIP || (modes[i] == MODE_CLOSED && p->m->contacts[i].friction);
    int status = taut_mode_model_create(p->m, modes, &set->m);
    if (!status) status = X(system_create)(set->m, &set->s);
    if (!status) set->s->native = p->native;
    if (!status) status = X(workspace_use)(set->s->work, p->pool);
    if (!status) status = X(system_prepare_power)(set->s);
    if (!status && softened) status = prepare_softening(set->s);
    if (!status && set->rubs) status = X(system_prepare_block)(set->s, BLOCK_FREE_LAMBDA);
    if (!status) status = taut_flat_begin(context, &set->flat);
    if (!status) status = X(state_create)(set->s, &set->begin);
    if (!status) status = X(state_create)(set->s, &set->end);
    if (!status) status = X(method_create_with)(set->s, p->class, p->spec, p->tolerance, &set->method);
    if (!status) status = X(acceleration_create)(set->s, &set->acceleration);
    if (!status) status = X(projector_create)(set->s, &set->projector);
    if (!status && softened) status = create_shares(p, modes, set);
    if (!status) status = room_create(context, lay_out, set, &set->room);
    if (!status) status = taut_flat_place(set->flat);
    if (status) {
        mode_set_destroy(set, context);
        return status;
    }
    long row = (long)p->m->constraint_count;
    set->perpetual = (uint32_t)p->m->constraint_count;
    set->perpetual_softening = p->softened ? 1 : 0;
    for (size_t i = 0; i < count; i++) {
        set->modes[i] = modes[i];
        set->first[i] = modes[i] == MODE_OPEN ? -1 : row;
        set->rows[i] = (int)taut_contact_rows(&p->m->contacts[i], modes[i]);
        row += set->rows[i];
        if (softened) set->distances[i] = p->m->contacts[i].slide_type != SLIDE_POINTS;
    }
    *result = set;
    return TAUT_OK;
}

int X(mode_sets_create)(const model *m, const struct method_class *class, const method_spec *spec, real tolerance,
                     mode_sets *p)
{
    *p = (mode_sets){ .m = m, .class = class, .spec = spec, .tolerance = tolerance };
    p->list = taut_mem_new(m->context, MODE_SETS_KEPT, sizeof *p->list);
    p->wanted = taut_mem_new(m->context, m->contact_count, 1);
    return p->list && p->wanted ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

void X(mode_sets_clear)(mode_sets *p)
{
    if (!p->m) return;
    for (int i = 0; i < p->count; i++) mode_set_destroy(p->list[i], p->m->context);
    taut_mem_free(p->m->context, p->list);
    taut_mem_free(p->m->context, p->wanted);
    *p = (mode_sets){ 0 };
}

newton_counts X(mode_sets_counts)(const mode_sets *p)
{
    newton_counts sum = p->gone;
    for (int i = 0; i < p->count; i++) newton_counts_add(&sum, X(method_counts)(&p->list[i]->method));
    return sum;
}

method_execution X(mode_sets_execution)(const mode_sets *p)
{
    method_execution e = p->count ? X(method_execution_of)(&p->list[0]->method) : X(method_execution_by)(NULL);
    const int parts = e.parts;
    for (int i = 1; i < p->count; i++) e = X(method_execution_join)(e, X(method_execution_of)(&p->list[i]->method));
    e.parts = parts;
    return e;
}

static int all_open(const mode_sets *p, const mode_set *set)
{
    for (size_t i = 0; i < p->m->contact_count; i++)
        if (set->modes[i] != MODE_OPEN) return 0;
    return 1;
}

/* Room for one more: the mode set that was not used for the longest time goes, but never that of no contact. */
static int free_place(mode_sets *p)
{
    if (p->count < MODE_SETS_KEPT) return p->count++;
    int oldest = -1;
    for (int i = 0; i < p->count; i++)
        if (!all_open(p, p->list[i]) && (oldest < 0 || p->list[i]->used < p->list[oldest]->used)) oldest = i;
    newton_counts_add(&p->gone, X(method_counts)(&p->list[oldest]->method));
    mode_set_destroy(p->list[oldest], p->m->context);
    p->list[oldest] = NULL;
    return oldest;
}

static int find(mode_sets *p, const unsigned char *modes, int softened, mode_set **result)
{
    for (int i = 0; i < p->count; i++)
        if (p->list[i]->softened == softened &&
            memcmp(p->list[i]->modes, modes, p->m->contact_count) == 0) {
            *result = p->list[i];
            (*result)->used = ++p->clock;
            return TAUT_OK;
        }
    int status = mode_set_create(p, modes, softened, result);
    if (status) return status;
    p->list[free_place(p)] = *result;
    (*result)->used = ++p->clock;
    return TAUT_OK;
}

int X(mode_sets_get)(mode_sets *p, const state *x, mode_set **result)
{
    for (size_t i = 0; i < p->m->contact_count; i++) p->wanted[i] = (unsigned char)contact_mode_of(x, i);
    return find(p, p->wanted, contacts_softened(x) ? contacts_softened(x) : p->softened, result);
}

int X(mode_sets_open)(mode_sets *p, mode_set **result)
{
    memset(p->wanted, MODE_OPEN, p->m->contact_count);
    return find(p, p->wanted, p->softened, result);
}

void X(mode_sets_inputs)(mode_sets *p)
{
    for (int k = 0; k < p->count; k++) {
        for (size_t i = 0; i < p->m->parameter_count; i++)
            if (p->m->parameters[i].is_input) p->list[k]->m->parameters[i].value = p->m->parameters[i].value;
        X(system_refresh_inputs)(p->list[k]->s);
    }
}

/* ---- states ---- */

/* The parameters of a contact in the model of the mode set. */
static parameter *parameters_of(const mode_set *set, size_t contact)
{
    return set->m->parameters + set->m->parameter_count - CONTACT_SLOTS * (set->contact_count - contact);
}

void X(mode_set_slots)(const mode_set *set, size_t contact, real *slots)
{
    const parameter *from = parameters_of(set, contact);
    for (int k = 0; k < CONTACT_SLOTS; k++) slots[k] = (real)from[k].value;
}

int X(mode_set_load)(mode_set *set, const state *x)
{
    struct system *s = set->s;
    state *to = &set->begin;
    size_t perpetual = x->c, contacts = x->extra_count / EXTRA_SIZE;
    int changed = 0;
    to->t = x->t;
    to->t_low = x->t_low;
    memcpy(to->block, x->block, 5 * (size_t)x->n * sizeof(real));
    memcpy(to->lambda, x->lambda, perpetual * sizeof(real));
    memset(to->trend, 0, 3 * (size_t)s->c * sizeof(real)); /* modes come and go */
    memcpy(to->t_lambda, x->t_lambda, 4 * sizeof(real)); /* and work, work_low, step, which follow it */
    for (size_t i = 0; i < contacts; i++) {
        const real *extra = contact_extra(x, i);
        if (set->first[i] < 0) continue;
        for (int r = 0; r < set->rows[i]; r++) to->lambda[set->first[i] + r] = extra[EXTRA_LAMBDA + r];
        parameter *slots = parameters_of(set, i);
        for (int k = 0; k < CONTACT_SLOTS; k++) {
            if (slots[k].value == (wide)extra[EXTRA_SLOTS + k]) continue;
            slots[k].value = (wide)extra[EXTRA_SLOTS + k];
            changed = 1;
        }
    }
    int status = changed ? X(system_refresh_constants)(s) : TAUT_OK;
    if (!status && set->softened) soften(set, to);
    if (!status && s->structure.augmented) { /* the added part of the momentum is that of other constraints */
        place at = place_at(s, to->q, to->w, &to->t, NULL);
        X(system_momentum)(s, &at, to->p);
    }
    return status;
}

void X(mode_set_take)(mode_set *open, const state *from)
{
    struct system *s = open->s;
    state *to = &open->begin;
    to->t = from->t;
    to->t_low = from->t_low;
    memcpy(to->block, from->block, 5 * (size_t)to->n * sizeof(real));
    memcpy(to->lambda, from->lambda, s->c * sizeof(real));
    memset(to->trend, 0, 3 * (size_t)s->c * sizeof(real));
    if (open->softened) soften(open, to);
    if (s->structure.augmented) {
        place at = place_at(s, to->q, to->w, &to->t, NULL);
        X(system_momentum)(s, &at, to->p);
    }
}

void X(mode_set_store)(const mode_set *set, const state *from, state *x)
{
    size_t contacts = x->extra_count / EXTRA_SIZE;
    x->t = from->t;
    x->t_low = from->t_low;
    memcpy(x->block, from->block, 5 * (size_t)x->n * sizeof(real));
    memcpy(x->lambda, from->lambda, x->c * sizeof(real));
    memcpy(x->t_lambda, from->t_lambda, 4 * sizeof(real));
    for (size_t i = 0; i < contacts; i++) {
        real *extra = contact_extra(x, i);
        if (set->first[i] < 0) continue;
        for (int r = 0; r < set->rows[i]; r++) extra[EXTRA_LAMBDA + r] = from->lambda[set->first[i] + r];
    }
}

#define MOST_WORK 1e6 /* operations to find a rank */

int X(mode_set_dependent)(mode_set *set, const state *x, int *dependent)
{
    const struct system *s = set->s;
    rank *found;
    *dependent = 0;
    if (set->softened || s->c < set->perpetual + 2 || (double)s->c * s->c * s->n > MOST_WORK) return TAUT_OK;
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    X(system_block_values)(s, BLOCK_G, &at, set->jacobian);
    int status = X(rank_create)(s, set->jacobian, &found);
    if (status) return status;
    *dependent = X(rank_number)(found) < s->c;
    X(rank_destroy)(found);
    return TAUT_OK;
}

void X(mode_set_drive)(mode_set *set, real s)
{
    const struct system *z = set->s;
    const state *a = &set->begin, *b = &set->end;
    real t = a->t + s / 2;
    if (!set->rubs) return;
    for (uint32_t i = 0; i < z->n; i++) {
        set->moved[i] = (b->q[i] - a->q[i]) + (b->q_low[i] - a->q_low[i]);
        set->middle_q[i] = a->q[i] + set->moved[i] / 2;
        set->middle_w[i] = z->form == FORM_LAGRANGIAN ? set->moved[i] / s : (a->p[i] + b->p[i]) / 2;
    }
    place at = place_at(z, set->middle_q, set->middle_w, &t, b->lambda);
    X(system_block_values)(z, BLOCK_FREE_LAMBDA, &at, set->rubbing);
    memset(set->drive, 0, z->c * sizeof(real));
    X(block_multiply_transposed)(&z->blocks[BLOCK_FREE_LAMBDA], set->rubbing, 1, set->moved, set->drive);
    set->drive_noise = 4 * REAL_EPSILON * (real)z->n * real_largest(a->q, z->n) *
                       real_largest(set->rubbing, (uint32_t)z->blocks[BLOCK_FREE_LAMBDA].value_count);
}

#define MET ((real)1e-10) /* accelerations that keep the constraints, relative to their terms */

/* Whether the accelerations keep the constraints: corrections are small too where D is too large for S. */
static int is_met(mode_set *set, const state *x)
{
    const struct system *s = set->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    place at = place_at(s, x->q, x->w, &x->t, x->lambda);
    real most = real_largest(set->dv, s->n), push = 0, part = (real)softening_part(set);
    /* what the forces alone would do, by the diagonal of S */
    for (uint32_t k = 0; k < s->c; k++)
        push = real_most(push, REAL(sqrt)((real)s->softening[k] / part) * set->lambda[k]);
    X(system_velocity)(s, &at, set->work);
    X(system_constraint_curvature)(s, &at, set->work, set->left);
    X(system_block_values)(s, BLOCK_G, &at, set->jacobian);
    for (int k = 0; k < p->rows; k++) {
        if (s->softening[k] == 0) continue; /* solved exactly */
        real sum = set->left[k], size = REAL(fabs)(sum);
        size += REAL(sqrt)((real)s->softening[k] / part) * push;
        for (int e = p->start[k]; e < p->start[k + 1]; e++) {
            sum += set->jacobian[e] * set->dv[p->index[e]];
            size += REAL(fabs)(set->jacobian[e]) * most;
        }
        if (!(REAL(fabs)(sum) <= MET * size)) return 0;
    }
    return 1;
}

int X(mode_set_forces)(mode_set *set, const state *at)
{
    memcpy(set->lambda, at->lambda, set->s->c * sizeof(real));
    int status = X(acceleration_solve)(set->acceleration, at->q, at->w, at->t, set->lambda, set->dv);
    if (status || !set->softened || !set->s->c || is_met(set, at)) return status;
    return taut_fail(set->s->context, TAUT_NO_CONVERGENCE,
                     "at t = %.9g: the forces of contacts that depend on each other were not found; try a smaller "
                     "step, or another start",
                     (double)at->t);
}

int X(contact_check_state)(const model *m, const state *x)
{
    for (size_t i = 0; i < m->contact_count; i++) {
        const contact *c = &m->contacts[i];
        const real mode = contact_extra(x, i)[EXTRA_MODE], softened = contact_extra(x, i)[EXTRA_SOFTENED];
        const int known = mode == MODE_OPEN || mode == MODE_HELD || mode == taut_contact_closed_mode(c, 0)
                          || mode == taut_contact_closed_mode(c, 1);
        if (!known || !(softened >= 0 && softened <= SOFTENED_LEVELS && softened == (real)(int)softened))
            return taut_fail(m->context, TAUT_BAD_USAGE, "the state is invalid: contact '%s' cannot be in mode %.9g",
                             c->name, (double)mode);
    }
    return TAUT_OK;
}
