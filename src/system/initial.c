/* The start values of a model as numbers. */
#include "base/room.h"
#include "system/system_inside.h"

/* Whether one of these values is to be solved for. */
static int any_free(const start_value *values, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (values[i].type == START_FREE) return 1;
    return 0;
}

static int any_guess(const model *m)
{
    for (size_t k = 0; k < m->constraint_count; k++)
        if (m->constraints[k].guess) return 1;
    return 0;
}

static void lay_out(void *self, room_layout *l)
{
    struct system *s = self;
    const model *m = s->m;
    initial_values *start = &s->start;
    start->q = room_reals(l, s->n), start->w = room_reals(l, s->n);
    if (m->start_points_line) start->second = room_reals(l, s->n);
    if (any_guess(m)) start->lambda = room_reals(l, s->c);
    if (any_free(m->start_q, s->n)) start->free_q = room_take(l, s->n, 1);
    if (any_free(m->start_w, s->n)) start->free_w = room_take(l, s->n, 1);
    if (m->start_points_line && any_free(m->start_q1, s->n)) start->free_second = room_take(l, s->n, 1);
}

/* Many are the same: the last few are kept. */
static int evaluate(struct system *s, const start_value *from, real *values, unsigned char *is_free)
{
    int status = TAUT_OK;
    struct { expr e; real value; } last[8] = { { 0, 0 } };
    for (uint32_t i = 0; !status && i < s->n; i++) {
        const expr e = from[i].value;
        if (e && last[e % 8].e != e) status = X(system_constant)(s, last[e % 8].e = e, &last[e % 8].value);
        if (e) values[i] = last[e % 8].value;
        if (is_free) is_free[i] = from[i].type == START_FREE;
    }
    return status;
}

int X(system_evaluate_start)(struct system *s)
{
    int status = room_create_own(s->context, lay_out, s, &s->start.room);
    return status ? status : X(system_refresh_start)(s, NULL, 0);
}

int X(system_refresh_start)(struct system *s, const start_setting *others, size_t other_count)
{
    const model *m = s->m;
    initial_values *start = &s->start;
    real largest = 0;
    int status = evaluate(s, m->start_q, start->q, start->free_q);
    if (!status) status = evaluate(s, m->start_w, start->w, start->free_w);
    if (!status && start->second) status = evaluate(s, m->start_q1, start->second, start->free_second);
    /* Forces may be nonlinear in the multipliers, with several roots: a guess selects one. In rates they may stand in
       any way, and zero is where powers have no derivative and squares lose the sign: without a guess begin at one
       there. */
    start->other_lambda = s->form == FORM_RATES ? 1 : 0;
    for (uint32_t k = 0; !status && start->lambda && k < s->c; k++) {
        start->lambda[k] = start->other_lambda;
        if (m->constraints[k].guess) status = X(system_constant)(s, m->constraints[k].guess, &start->lambda[k]);
    }
    for (size_t i = 0; !status && i < other_count; i++)
        (others[i].is_rate ? start->w : start->q)[others[i].index] = others[i].value;
    for (uint32_t i = 0; !status && i < s->n; i++) largest = real_most(largest, start->q[i]);
    s->least = largest > 0 ? largest / 1000 : (real)1e-3;
    return status;
}
