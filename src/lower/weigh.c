/* How much a correction counts. */
#include "lower/factors.h"
#include "lower/reduce.h"

#include <string.h>

static expr larger(symbols *y, expr a, expr b)
{
    return a == y->zero ? b : b == y->zero ? a : taut_expr_binary(y->g, OP_MAX, a, b);
}

static expr size_of(symbols *y, expr e) { return taut_expr_unary(y->g, OP_ABS, e); }

/* The numbers of the state come first: some of the weights begin with them, too. */
static expr largest_of_state(symbols *y, expr least, const real *member)
{
    expr most = y->zero;
    for (uint32_t i = 0; i < y->s->n; i++) most = larger(y, most, size_of(y, X(symbol_state)(y, member, i)));
    return larger(y, most, least);
}

/* What corrections are compared with, as in step/phase.c: but for what the iteration itself has found. */
static expr scale_of(symbols *y, const reduced_phase *p, step_measure measure)
{
    const step_table *t = y->table;
    expr reach = X(symbol_least)(y), most = y->zero;
    if (measure != STEP_MOMENTUM) reach = largest_of_state(y, reach, y->layout.q);
    if (measure == STEP_MOVES) return reach;
    if (measure == STEP_MOMENTUM) most = largest_of_state(y, most, y->layout.p);
    if (measure == STEP_VELOCITY) {
        expr steps = taut_expr_mul(y->g, taut_expr_number(y->g, 100000), y->h);
        most = taut_expr_div(y->g, reach, size_of(y, steps));
        if (y->s->form == FORM_LAGRANGIAN) return largest_of_state(y, most, y->layout.w);
    }
    for (int g = 0; g < t->group_count; g++) {
        if (t->groups[g].measure != measure) continue;
        if (y->offsets[g] < p->first || y->offsets[g] >= p->first + p->count) continue;
        for (size_t i = y->offsets[g]; i < y->offsets[g + 1]; i++)
            most = larger(y, most, size_of(y, p->guesses[i - p->first]));
    }
    return most;
}

/* |e| for a constant: of the factors of a product, so that those that differ in sign alone are one. */
static expr size_of_constant(symbols *y, expr e)
{
    graph *g = y->g;
    if (!e) return 0;
    node n = *taut_graph_node(g, e);
    if (n.op == OP_NEG) return size_of_constant(y, n.a);
    if (n.op == OP_MUL || n.op == OP_DIV)
        return taut_expr_binary(g, (op)n.op, size_of_constant(y, n.a), size_of_constant(y, n.b));
    return size_of(y, e);
}

/* Constants times variables, whose largest size is wanted. */
typedef struct {
    expr constant, variable;  /* variable 0: it has been taken in by another one */
} scaled;

/* max(|k x|, |l x|) = max(|k|, |l|) |x| and max(|k x|, |k y|) = |k| max(|x|, |y|), also when rounded. */
static void gather(symbols *y, scaled *all, size_t count, int by_variable)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = i + 1; all[i].variable && k < count; k++) {
            if (!all[k].variable) continue;
            if (by_variable && all[i].variable == all[k].variable)
                all[i].constant = larger(y, all[i].constant, all[k].constant), all[k].variable = 0;
            else if (!by_variable && all[i].constant == all[k].constant)
                all[i].variable = larger(y, all[i].variable, all[k].variable), all[k].variable = 0;
        }
}

/* The largest size of the expressions: list[i stride]. */
static expr largest_of(symbols *y, const expr *list, size_t count, size_t stride, scaled *work)
{
    expr most = y->zero;
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        expr e = list[i * stride], k;
        if (e == y->zero) continue;
        expr rest = X(factor_split)(y, e, &k);
        while (taut_graph_node(y->g, rest)->op == OP_NEG) rest = taut_graph_node(y->g, rest)->a;
        work[found++] = (scaled){ X(factor_sort)(y, size_of_constant(y, k)), size_of(y, rest) };
    }
    gather(y, work, found, 1);
    gather(y, work, found, 0);
    for (size_t i = 0; i < found; i++)
        if (work[i].variable) most = larger(y, most, taut_expr_mul(y->g, work[i].constant, work[i].variable));
    return most;
}

/* What the corrections of the unknowns that are left say about those that are measured: weights[k] |change k| is a
   bound of what it moves, at[., k] for itself, through[., k] for explicit ones. */
typedef struct {
    expr *leaves, *at, *through;
    scaled *work;
    size_t count;             /* of unknowns that are measured */
    uint32_t most;            /* unknowns left in one explicit one: its change is a sum of so many */
} weighing;

static int add_weights(symbols *y, reduced_phase *p, size_t i, expr factor, weighing *w)
{
    uint32_t count = 0;
    expr *at = w->at + w->count * p->size, *through = w->through + w->count * p->size;
    expr *to = p->is_explicit[i] ? through : at;
    for (uint32_t k = 0; k < p->size; k++) at[k] = through[k] = y->zero;
    w->count++;
    int status = TAUT_OK;
    if (p->slopes)
        memcpy(to, p->slopes + i * p->size, p->size * sizeof *to);
    else
        status = taut_expr_gradient(y->g, y->unknowns[p->first + i], w->leaves, p->size, to);
    for (uint32_t k = 0; !status && k < p->size; k++) {
        if (to[k] == y->zero) continue;
        to[k] = taut_expr_mul(y->g, factor, to[k]);
        if (!to[k]) status = TAUT_OUT_OF_MEMORY;
        count++;
    }
    if (p->is_explicit[i] && count > w->most) w->most = count;
    return status;
}

/* Unknowns of two groups that are the same thing count once. */
static int is_repeated(const symbols *y, int g, int phase)
{
    const step_group *all = y->table->groups;
    for (int k = 0; k < g; k++) {
        size_t length = y->offsets[k + 1] - y->offsets[k];
        if (all[k].phase == phase && all[k].measure == all[g].measure && length == y->offsets[g + 1] - y->offsets[g]
            && all[k].scale.coefficient == all[g].scale.coefficient && all[k].scale.power == all[g].scale.power
            && memcmp(y->unknowns + y->offsets[k], y->unknowns + y->offsets[g], length * sizeof(expr)) == 0)
            return 1;
    }
    return 0;
}

/* Where multipliers give velocities, those fit to the momenta whatever the multipliers are: what counts is how far the
   constraints are off, in positions. */
static int counts_as_move(const reduced_phase *p, const step_group *group)
{
    return p->matrix && group->measure == STEP_VELOCITY;
}

static int weigh_group(symbols *y, reduced_phase *p, int g, weighing *w)
{
    const step_group *group = &y->table->groups[g];
    expr factor = y->one;
    int status = TAUT_OK;
    if (counts_as_move(p, group)) factor = y->h;
    if (group->measure == STEP_MOVES) factor = X(symbol_factor)(y, group->scale.coefficient, group->scale.power);
    for (size_t i = y->offsets[g]; !status && i < y->offsets[g + 1]; i++)
        status = add_weights(y, p, i - p->first, factor, w);
    return status;
}

/* Adds the weights that groups with this measure give. */
static int weigh_by(symbols *y, int phase, reduced_phase *p, step_measure measure, weighing *w)
{
    const step_table *t = y->table;
    int status = TAUT_OK, any = 0;
    w->count = 0, w->most = 1;
    for (int g = 0; !status && g < t->group_count; g++) {
        const step_measure own = counts_as_move(p, &t->groups[g]) ? STEP_MOVES : t->groups[g].measure;
        if (t->groups[g].phase != phase || own != measure || is_repeated(y, g, phase)) continue;
        status = weigh_group(y, p, g, w);
        any = 1;
    }
    if (status || !any) return status;
    const expr scale = scale_of(y, p, measure);
    if (!p->unit) p->unit = scale;
    const expr factor_of_all = taut_expr_div(y->g, p->unit, scale);
    for (uint32_t k = 0; !status && k < p->size; k++) {
        expr at = largest_of(y, w->at + k, w->count, p->size, w->work);
        expr sum = taut_expr_mul(y->g, taut_expr_number(y->g, w->most),
                                 largest_of(y, w->through + k, w->count, p->size, w->work));
        p->weights[k] = larger(y, p->weights[k], taut_expr_mul(y->g, larger(y, at, sum), factor_of_all));
        if (!p->weights[k]) status = TAUT_OUT_OF_MEMORY;
    }
    return status;
}

int X(reduce_weigh)(symbols *y, int phase, reduced_phase *p)
{
    size_t size = p->size, all = p->count * size;
    expr *room = taut_mem_new(y->context, size + 2 * all + 1, sizeof *room);
    scaled *work = taut_mem_new(y->context, p->count + 1, sizeof *work);
    weighing w = { room, room + size, room + size + all, work, 0, 1 };
    int status = room && work ? TAUT_OK : TAUT_OUT_OF_MEMORY, useful = !size;
    for (uint32_t k = 0; !status && k < p->size; k++)
        w.leaves[k] = X(reduce_leaf)(y, p, p->left[k]), p->weights[k] = y->zero;
    for (int measure = STEP_MOVES; !status && size && measure < STEP_MEASURES; measure++)
        status = weigh_by(y, phase, p, (step_measure)measure, &w);
    for (uint32_t k = 0; k < p->size; k++) useful |= p->weights[k] != y->zero;
    taut_mem_free(y->context, room);
    taut_mem_free(y->context, work);
    if (!p->unit) p->unit = y->one;
    return status ? status : useful ? TAUT_OK : TAUT_UNSUPPORTED;
}
