#include "contact/phases.h"

#include <string.h>

#include "base/workspace.h"

static void phase_destroy(phase *ph, taut_context *context)
{
    if (!ph) return;
    method_destroy(&ph->method);
    acceleration_destroy(ph->acceleration);
    if (ph->s) {
        state_clear(ph->s, &ph->begin);
        state_clear(ph->s, &ph->end);
    }
    system_destroy(ph->s);
    phase_model_destroy(ph->m);
    mem_free(context, ph->room);
    mem_free(context, ph);
}

static void lay_out(void *self, layout *l)
{
    phase *ph = self;
    size_t count = ph->contact_count;
    ph->lambda = layout_reals(l, ph->s->c);
    ph->dv = layout_reals(l, ph->s->n);
    ph->first = layout_take(l, count, sizeof *ph->first);
    ph->rows = layout_take(l, count, sizeof *ph->rows);
    ph->modes = layout_take(l, count, sizeof *ph->modes);
}

static int phase_create(const phases *p, const unsigned char *modes, phase **result)
{
    taut_context *context = p->m->context;
    size_t count = p->m->contact_count;
    phase *ph = mem_new(context, 1, sizeof *ph);
    *result = NULL;
    if (!ph) return TAUT_OUT_OF_MEMORY;
    ph->contact_count = count;
    int status = phase_model_create(p->m, modes, &ph->m);
    if (!status) status = system_create(ph->m, &ph->s);
    if (!status) status = state_create(ph->s, &ph->begin);
    if (!status) status = state_create(ph->s, &ph->end);
    if (!status) status = method_create_with(ph->s, p->class, p->spec, p->tolerance, &ph->method);
    if (!status) status = acceleration_create(ph->s, &ph->acceleration);
    if (!status) status = workspace_create(context, lay_out, ph, &ph->room);
    if (status) {
        phase_destroy(ph, context);
        return status;
    }
    long row = (long)p->m->constraint_count;
    for (size_t i = 0; i < count; i++) {
        ph->modes[i] = modes[i];
        ph->first[i] = modes[i] == MODE_OPEN ? -1 : row;
        ph->rows[i] = (int)phase_rows(&p->m->contacts[i], modes[i]);
        row += ph->rows[i];
    }
    *result = ph;
    return TAUT_OK;
}

int phases_create(const model *m, const struct method_class *class, const method_spec *spec, real tolerance, phases *p)
{
    *p = (phases){ .m = m, .class = class, .spec = spec, .tolerance = tolerance };
    p->list = mem_new(m->context, PHASES_KEPT, sizeof *p->list);
    p->wanted = mem_new(m->context, m->contact_count, 1);
    return p->list && p->wanted ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

void phases_clear(phases *p)
{
    if (!p->m) return;
    for (int i = 0; i < p->count; i++) phase_destroy(p->list[i], p->m->context);
    mem_free(p->m->context, p->list);
    mem_free(p->m->context, p->wanted);
    *p = (phases){ 0 };
}

newton_counts phases_counts(const phases *p)
{
    newton_counts sum = p->gone;
    for (int i = 0; i < p->count; i++) newton_counts_add(&sum, method_counts(&p->list[i]->method));
    return sum;
}

static int all_open(const phases *p, const phase *ph)
{
    for (size_t i = 0; i < p->m->contact_count; i++)
        if (ph->modes[i] != MODE_OPEN) return 0;
    return 1;
}

/* Room for one more: the phase that was not used for the longest time goes, but never that of no contact. */
static int free_place(phases *p)
{
    if (p->count < PHASES_KEPT) return p->count++;
    int oldest = -1;
    for (int i = 0; i < p->count; i++)
        if (!all_open(p, p->list[i]) && (oldest < 0 || p->list[i]->used < p->list[oldest]->used)) oldest = i;
    newton_counts_add(&p->gone, method_counts(&p->list[oldest]->method));
    phase_destroy(p->list[oldest], p->m->context);
    p->list[oldest] = NULL;
    return oldest;
}

static int find(phases *p, const unsigned char *modes, phase **result)
{
    for (int i = 0; i < p->count; i++)
        if (memcmp(p->list[i]->modes, modes, p->m->contact_count) == 0) {
            *result = p->list[i];
            (*result)->used = ++p->clock;
            return TAUT_OK;
        }
    int status = phase_create(p, modes, result);
    if (status) return status;
    p->list[free_place(p)] = *result;
    (*result)->used = ++p->clock;
    return TAUT_OK;
}

int phases_get(phases *p, const state *x, phase **result)
{
    for (size_t i = 0; i < p->m->contact_count; i++) p->wanted[i] = (unsigned char)contact_mode_of(x, i);
    return find(p, p->wanted, result);
}

int phases_open(phases *p, phase **result)
{
    memset(p->wanted, MODE_OPEN, p->m->contact_count);
    return find(p, p->wanted, result);
}

/* ---- states ---- */

int phase_load(phase *ph, const state *x)
{
    struct system *s = ph->s;
    state *to = &ph->begin;
    size_t perpetual = x->c, contacts = x->extra_count / EXTRA_SIZE;
    int changed = 0;
    to->t = x->t;
    to->t_low = x->t_low;
    memcpy(to->block, x->block, 5 * (size_t)x->n * sizeof(real));
    memcpy(to->lambda, x->lambda, perpetual * sizeof(real));
    memcpy(to->t_lambda, x->t_lambda, 4 * sizeof(real)); /* and work, work_low, step, which follow it */
    for (size_t i = 0; i < contacts; i++) {
        const real *extra = contact_extra(x, i);
        if (ph->first[i] < 0) continue;
        for (int r = 0; r < ph->rows[i]; r++) to->lambda[ph->first[i] + r] = extra[EXTRA_LAMBDA + r];
        parameter *slots = ph->m->parameters + ph->m->parameter_count - CONTACT_SLOTS * (contacts - i);
        for (int k = 0; k < CONTACT_SLOTS; k++) {
            if (slots[k].value == (wide)extra[EXTRA_SLOTS + k]) continue;
            slots[k].value = (wide)extra[EXTRA_SLOTS + k];
            changed = 1;
        }
    }
    int status = changed ? system_refresh_constants(s) : TAUT_OK;
    if (!status && s->structure.augmented) { /* the added part of the momentum is that of other constraints */
        place at = place_at(s, to->q, to->w, &to->t, NULL);
        system_momentum(s, &at, to->p);
    }
    return status;
}

void phase_store(const phase *ph, const state *from, state *x)
{
    size_t contacts = x->extra_count / EXTRA_SIZE;
    x->t = from->t;
    x->t_low = from->t_low;
    memcpy(x->block, from->block, 5 * (size_t)x->n * sizeof(real));
    memcpy(x->lambda, from->lambda, x->c * sizeof(real));
    memcpy(x->t_lambda, from->t_lambda, 4 * sizeof(real));
    for (size_t i = 0; i < contacts; i++) {
        real *extra = contact_extra(x, i);
        if (ph->first[i] < 0) continue;
        for (int r = 0; r < ph->rows[i]; r++) extra[EXTRA_LAMBDA + r] = from->lambda[ph->first[i] + r];
    }
}

int phase_forces(phase *ph, const state *at)
{
    memcpy(ph->lambda, at->lambda, ph->s->c * sizeof(real));
    return acceleration_solve(ph->acceleration, at->q, at->w, at->t, ph->lambda, ph->dv);
}
