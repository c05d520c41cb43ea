/* From symbols to a program: which node is computed in which tape, and where its value stands. */
#include <string.h>

#include "base/elementary.h"
#include "expr/call.h"
#include "lower/factors.h"
#include "lower/literals.h"
#include "lower/lower.h"
#include "lower/polish.h"
#include "lower/reduce.h"
#include "lower/symbols.h"

#define NOWHERE UINT32_MAX

enum { NUMBERS_MOST = 400 }; /* coordinates and constraints */

typedef struct {
    symbols *y;
    program *p;
    size_t literal_capacity;
    uint32_t *place;          /* register of a node, for good; NOWHERE: not computed yet */
    uint32_t *loop_place;     /* the same inside the iteration of the phase at hand */
    unsigned char *depends;   /* on what: a mask */
    size_t place_count;
} schedule;

enum { ON_STATE = 1, ON_UNKNOWNS = 2, ON_RIGHT = 4 };

static int grow_places(schedule *z)
{
    size_t count = taut_graph_count(z->y->g), capacity = z->place_count;
    taut_context *context = z->y->context;
    if (count <= z->place_count) return TAUT_OK;
    uint32_t *place = taut_mem_resize(context, z->place, count, sizeof *place);
    if (place) z->place = place;
    uint32_t *loop = taut_mem_resize(context, z->loop_place, count, sizeof *loop);
    if (loop) z->loop_place = loop;
    unsigned char *depends = taut_mem_resize(context, z->depends, count, 1);
    if (depends) z->depends = depends;
    if (!place || !loop || !depends) return TAUT_OUT_OF_MEMORY;
    memset(z->place + capacity, 0xff, (count - capacity) * sizeof *z->place);
    z->place_count = count;
    return TAUT_OK;
}

static int put(schedule *z, segment *to, program_instruction i)
{
    if (taut_mem_grow(z->y->context, &to->code, &to->capacity, (size_t)to->count + 1, sizeof *to->code))
        return TAUT_OUT_OF_MEMORY;
    to->code[to->count++] = i;
    return TAUT_OK;
}

static int put_literal(schedule *z, expr e, uint32_t *place)
{
    program *p = z->p;
    if (taut_mem_grow(z->y->context, &p->literals, &z->literal_capacity, (size_t)p->literal_count + 1,
                      sizeof *p->literals))
        return TAUT_OUT_OF_MEMORY;
    p->literals[p->literal_count] = (real)taut_graph_constant(z->y->g, e);
    *place = PROGRAM_LITERAL | p->literal_count++;
    return TAUT_OK;
}

static uint32_t leaf_place(const program *p, const node *n)
{
    switch (n->b) {
    case LEAF_CONSTANT: return n->a;
    case LEAF_STATE: return p->state_first + n->a;
    case LEAF_UNKNOWN: return p->unknown_first + n->a;
    }
    return NOWHERE;
}

/* ---- what a node depends on ---- */

/* Marks the nodes of the list; unknowns: those of the phase, [first, first + count). */
static void find_dependence(schedule *z, const expr *list, size_t count, const reduced_phase *phase)
{
    for (size_t i = 0; i < count; i++) {
        node n = *taut_graph_node(z->y->g, list[i]);
        unsigned char on = n.varies ? ON_STATE : 0;
        if (n.op == OP_VARIABLE) {
            if (n.b == (uint32_t)LEAF_RIGHT) on |= ON_RIGHT;
            if (n.b == (uint32_t)LEAF_UNKNOWN && phase && n.a >= phase->first && n.a < phase->first + phase->count)
                on |= ON_UNKNOWNS;
        } else if (n.op != OP_CONSTANT) {
            on |= z->depends[n.a];
            if (taut_op_arity((op)n.op) == 2) on |= z->depends[n.b];
        }
        z->depends[list[i]] = on & (ON_STATE | ON_UNKNOWNS | ON_RIGHT);
        z->loop_place[list[i]] = NOWHERE;
    }
}

static uint32_t where(const schedule *z, expr e)
{
    return z->loop_place[e] != NOWHERE ? z->loop_place[e] : z->place[e];
}

static uint32_t new_register(schedule *z) { return z->p->register_count++; }

/* Computes a node in a tape; its operands are there. */
static int put_node(schedule *z, expr e, segment *to, uint32_t *place)
{
    node n = *taut_graph_node(z->y->g, e);
    int numbered = op_has_number((op)n.op), two = !numbered && taut_op_arity((op)n.op) == 2;
    *place = new_register(z);
    return put(z, to,
               (program_instruction){ n.op, *place, where(z, n.a), numbered ? n.b : two ? where(z, n.b) : 0, 0 });
}

/* A node whose value stays: a leaf, a literal, or computed in setup or in the tape given. */
static int put_lasting(schedule *z, expr e, segment *to)
{
    node n = *taut_graph_node(z->y->g, e);
    if (z->place[e] != NOWHERE) return TAUT_OK;
    if (n.op == OP_CONSTANT) return put_literal(z, e, &z->place[e]);
    if (n.op == OP_VARIABLE) {
        z->place[e] = leaf_place(z->p, &n);
        return TAUT_OK;
    }
    return put_node(z, e, to, &z->place[e]);
}

/* ---- tapes ---- */

typedef int (*pass_test)(const schedule *z, expr e);

static int is_constant(const schedule *z, expr e) { return !z->depends[e]; }
static int is_lasting(const schedule *z, expr e) { return !(z->depends[e] & (ON_UNKNOWNS | ON_RIGHT)); }

static int put_all(schedule *z, const expr *list, size_t count, pass_test test, segment *to)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < count; i++)
        if (test(z, list[i])) status = put_lasting(z, list[i], to);
    return status;
}

/* Nodes below `roots` that depend on the unknowns of the phase, into a tape of the iteration. */
static int put_loop(schedule *z, const expr *roots, size_t root_count, segment *to)
{
    expr *list;
    size_t count;
    int status = taut_expr_reachable(z->y->g, roots, root_count, &list, &count);
    if (status) return status;
    for (size_t i = 0; !status && i < count; i++) {
        expr e = list[i];
        node n = *taut_graph_node(z->y->g, e);
        if (z->loop_place[e] != NOWHERE || is_lasting(z, e)) continue;
        if (n.op == OP_VARIABLE)
            z->loop_place[e] = leaf_place(z->p, &n);
        else
            status = put_node(z, e, to, &z->loop_place[e]);
    }
    taut_expr_list_free(z->y->g, list);
    return status;
}

static int list_of(schedule *z, const expr *roots, size_t count, const reduced_phase *phase, expr **list, size_t *found)
{
    int status = taut_expr_reachable(z->y->g, roots, count, list, found);
    if (!status) status = grow_places(z);
    if (!status) find_dependence(z, *list, *found, phase);
    return status;
}

/* ---- a phase ---- */

static int new_registers(schedule *z, uint32_t **where_to, size_t count)
{
    *where_to = taut_mem_new(z->y->context, count + 1, sizeof **where_to);
    return *where_to ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static int create_lists(schedule *z, program_phase *f, const reduced_phase *r)
{
    const size_t size = r->size;
    int status = new_registers(z, &f->unknowns, size);
    if (!status) status = new_registers(z, &f->guesses, size);
    if (!status) status = new_registers(z, &f->residuals, size);
    if (!status) status = new_registers(z, &f->changes, size);
    if (!status) status = new_registers(z, &f->weights, size);
    if (!status && r->has_second) status = new_registers(z, &f->seconds, size);
    f->checks = taut_mem_new(z->y->context, (size_t)r->check_count + 1, sizeof *f->checks);
    return status ? status : f->checks ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* Everything that the tapes of a phase compute. */
typedef struct {
    expr *all;
    size_t count;
    expr *residual, *factor, *change, *further; /* parts of all */
    size_t factor_count;
} phase_roots;

static int gather_roots(schedule *z, const reduced_phase *r, phase_roots *o)
{
    size_t size = r->size, n = 0;
    o->all = taut_mem_new(z->y->context, 8 * size + 2 * (size_t)r->check_count + 2, sizeof *o->all);
    if (!o->all) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < size; i++) o->all[n++] = r->guesses[r->left[i]];
    o->residual = o->all + n;
    for (size_t i = 0; i < size; i++) o->all[n++] = r->residual[i];
    o->factor = o->all + n;
    for (size_t i = 0; i < size; i++) o->all[n++] = r->weights[i];
    if (size) o->all[n++] = r->unit;
    for (size_t i = 0; i < r->check_count; i++) o->all[n++] = r->checks[i].pivot, o->all[n++] = r->checks[i].reference;
    o->factor_count = (size_t)(o->all + n - o->factor);
    o->change = o->all + n;
    for (size_t i = 0; i < size; i++) o->all[n++] = r->change[i];
    for (size_t i = 0; r->has_second && i < size; i++) o->all[n++] = r->second[i];
    o->further = o->all + n;
    for (size_t i = 0; r->has_further && i < 3 * size; i++) o->all[n++] = r->further[i];
    o->count = n;
    return TAUT_OK;
}

/* The matrix has values of its own where it is not formed in every iteration: what the residual computes again is
   copied. In the tape of the solution, what depends on the right-hand side is computed, the rest must be there. */
static int put_factor(schedule *z, const reduced_phase *r, const phase_roots *o, program_phase *f)
{
    expr *list;
    size_t count;
    int status = put_loop(z, o->factor, o->factor_count, &f->factor);
    if (!status) status = taut_expr_reachable(z->y->g, o->all, (size_t)(o->further - o->all), &list, &count);
    if (status) return status;
    for (size_t i = 0; !status && i < count; i++) {
        expr e = list[i];
        if ((z->depends[e] & ON_RIGHT) || is_lasting(z, e) || z->loop_place[e] != NOWHERE) continue;
        node n = *taut_graph_node(z->y->g, e);
        if (n.op == OP_VARIABLE)
            z->loop_place[e] = leaf_place(z->p, &n);
        else
            status = put_node(z, e, &f->factor, &z->loop_place[e]);
    }
    taut_expr_list_free(z->y->g, list);
    f->iteration.linear = r->degree <= 1;
    for (uint32_t i = 0; i < r->size; i++) {
        /* some entry of the matrix depends on the unknowns */
        if (z->depends[r->change[i]] & ON_UNKNOWNS) f->iteration.linear = 0;
    }
    return status;
}

/* Copies of what the solution takes from the residual's tape. */
static int put_copies(schedule *z, const expr *list, size_t count, const segment *residual, program_phase *f)
{
    int status = TAUT_OK;
    uint32_t first = 0, end = 0;
    if (residual->count) {
        first = residual->code[0].target;
        end = residual->code[residual->count - 1].target + 1;
    }
    for (size_t i = 0; !status && i < count; i++) {
        node n = *taut_graph_node(z->y->g, list[i]);
        if (!(z->depends[list[i]] & ON_RIGHT) || n.op == OP_VARIABLE) continue;
        expr operands[2] = { n.a, n.b };
        for (int k = 0; !status && k < (op_has_number((op)n.op) ? 1 : taut_op_arity((op)n.op)); k++) {
            expr e = operands[k];
            uint32_t at = z->loop_place[e];
            if ((z->depends[e] & ON_RIGHT) || at == NOWHERE) continue;
            int is_leaf = taut_graph_node(z->y->g, e)->op == OP_VARIABLE;
            if (!is_leaf && (at < first || at >= end)) continue;
            uint32_t copy = new_register(z);
            status = put(z, &f->factor, (program_instruction){ PROGRAM_MOVE, copy, at, 0, 0 });
            z->loop_place[e] = copy;
        }
    }
    return status;
}

static void name_registers(schedule *z, const reduced_phase *r, program_phase *f)
{
    f->size = r->size;
    for (uint32_t i = 0; i < r->size; i++) {
        f->unknowns[i] = z->p->unknown_first + (uint32_t)r->first + r->left[i];
        f->guesses[i] = z->place[r->guesses[r->left[i]]];
        f->residuals[i] = where(z, r->residual[i]);
        f->weights[i] = where(z, r->weights[i]);
    }
    if (r->size) f->unit = where(z, r->unit);
    f->check_count = r->check_count;
    for (uint32_t i = 0; i < r->check_count; i++)
        f->checks[i] = (program_check){ where(z, r->checks[i].pivot), where(z, r->checks[i].reference) };
}

static void place_right(schedule *z, const reduced_phase *r, const expr *list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const node *n = taut_graph_node(z->y->g, list[i]);
        if (n->op == OP_VARIABLE && n->b == (uint32_t)LEAF_RIGHT) z->loop_place[list[i]] = where(z, r->residual[n->a]);
    }
}

/* Nodes below the roots of further corrections that a tape has computed are to be computed again. */
static int forget_tape(schedule *z, const expr *roots, size_t root_count, const segment *t)
{
    expr *list;
    size_t count;
    int status = taut_expr_reachable(z->y->g, roots, root_count, &list, &count);
    if (status || !t->count) return status;
    const uint32_t first = t->code[0].target, end = t->code[t->count - 1].target + 1;
    for (size_t i = 0; i < count; i++)
        if (z->loop_place[list[i]] != NOWHERE && z->loop_place[list[i]] >= first && z->loop_place[list[i]] < end)
            z->loop_place[list[i]] = NOWHERE;
    taut_expr_list_free(z->y->g, list);
    return TAUT_OK;
}

/* Corrections after these. */
static int put_further(schedule *z, const reduced_phase *r, const phase_roots *o, program_phase *f)
{
    const uint32_t size = r->size;
    const expr *more = r->further + size;
    int status = TAUT_OK;
    f->further_count = PROGRAM_FURTHER;
    for (int k = 0; !status && k < PROGRAM_FURTHER; k++) status = new_registers(z, &f->further[k].sums, size);
    if (!status) status = new_registers(z, &f->lasts, size);
    if (!status) status = put_loop(z, o->further, size, &f->further[0].tape);
    for (uint32_t i = 0; !status && i < size; i++) f->further[0].sums[i] = where(z, r->further[i]);
    /* one of both tapes is run, so that they share nothing */
    if (!status) status = forget_tape(z, o->further, size, &f->further[0].tape);
    if (!status) status = put_loop(z, o->further + size, 2 * (size_t)size, &f->further[1].tape);
    for (uint32_t i = 0; !status && i < size; i++)
        f->further[1].sums[i] = where(z, more[i]), f->lasts[i] = where(z, more[size + i]);
    return status;
}

static int put_solve(schedule *z, const reduced_phase *r, const phase_roots *o, program_phase *f)
{
    const int twice = f->iteration.twice;
    int status = put_loop(z, o->change, twice ? 2 * (size_t)r->size : r->size, &f->solve);
    for (uint32_t i = 0; !status && i < r->size; i++) {
        f->changes[i] = where(z, r->change[i]);
        if (twice) f->seconds[i] = where(z, r->second[i]);
    }
    return status || !twice || !r->has_further ? status : put_further(z, r, o, f);
}

/* Nodes that these are made of and that depend so. */
static int count_nodes(schedule *z, const expr *roots, size_t root_count, unsigned on, unsigned not_on, uint32_t *found)
{
    expr *list;
    size_t count;
    int status = taut_expr_reachable(z->y->g, roots, root_count, &list, &count);
    *found = 0;
    if (status) return status;
    for (size_t i = 0; i < count; i++) *found += (z->depends[list[i]] & on) && !(z->depends[list[i]] & not_on);
    taut_expr_list_free(z->y->g, list);
    return TAUT_OK;
}

/* The matrix is formed in every iteration where that costs no more than the rest of it, and then used twice if it
   can be: what that takes does not count. */
static int decide(schedule *z, const reduced_phase *r, const phase_roots *o, program_phase *f)
{
    const size_t once = o->factor_count + r->size; /* the corrections follow */
    uint32_t solve, all, needed;
    int status = count_nodes(z, o->change, r->size, ON_RIGHT, 0, &solve);
    if (!status) status = count_nodes(z, o->factor, once, ON_UNKNOWNS, ON_RIGHT, &needed);
    if (!status) status = count_nodes(z, o->factor, once + (r->has_second ? r->size : 0), ON_UNKNOWNS, ON_RIGHT, &all);
    if (status) return status;
    f->iteration.rough = r->is_rough;
    f->iteration.always = !f->iteration.linear && !r->is_rough &&
                          f->factor.count + needed <= f->residual.count + solve + all;
    f->iteration.twice = f->iteration.always && r->has_second && !f->iteration.skip_first;
    return TAUT_OK;
}

/* Is it an operation of every step that is not there yet? */
static int is_new(const schedule *z, expr e)
{
    const node *n = taut_graph_node(z->y->g, e);
    return n->varies && n->op != OP_VARIABLE && !(e < z->place_count && z->place[e] != NOWHERE);
}

/* A product that one sum alone will read, and take in (fuse.c). */
static int is_taken_in(const schedule *z, expr e, const unsigned char *reads)
{
    const node *n = taut_graph_node(z->y->g, e);
    return reads[e] == 1 && (n->op == OP_MUL || (n->op == OP_POWI && n->b == 2)) && is_new(z, e);
}

/* Those of the list; reads: room for all nodes, zeros. */
static size_t count_of(const schedule *z, const expr *roots, size_t root_count, const expr *list, size_t count,
                       unsigned char *reads)
{
    graph *g = z->y->g;
    size_t found = 0;
    for (size_t i = 0; i < root_count; i++) reads[roots[i]] = 2;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count; i++) {
            const node *n = taut_graph_node(g, list[i]);
            if (!is_new(z, list[i])) continue;
            const int two = !op_has_number((op)n->op) && taut_op_arity((op)n->op) == 2;
            const int is_sum = n->op == OP_ADD || n->op == OP_SUB;
            if (pass) {
                found += !(is_sum && (is_taken_in(z, n->a, reads) || is_taken_in(z, n->b, reads)));
            } else {
                if (reads[n->a] < 2) reads[n->a]++;
                if (two && reads[n->b] < 2) reads[n->b]++;
            }
        }
    return found;
}

static int count_new(void *user, const expr *roots, size_t root_count, size_t *result)
{
    const schedule *z = user;
    expr *list;
    size_t count;
    int status = taut_expr_reachable(z->y->g, roots, root_count, &list, &count);
    if (status) return status;
    unsigned char *reads = taut_mem_new(z->y->context, taut_graph_count(z->y->g), 1);
    if (reads) *result = count_of(z, roots, root_count, list, count, reads);
    taut_mem_free(z->y->context, reads);
    taut_expr_list_free(z->y->g, list);
    return reads ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static int put_phase(schedule *z, reduced_phase *r, program_phase *f)
{
    phase_roots o = { 0 };
    expr *list = NULL;
    size_t count = 0;
    int status = create_lists(z, f, r);
    if (!status) status = X(polish_phase)(z->y, &(polish_cost){ count_new, z }, r);
    if (!status) status = gather_roots(z, r, &o);
    if (!status) status = list_of(z, o.all, o.count, r, &list, &count);
    if (!status) status = put_all(z, list, count, is_constant, &z->p->setup);
    if (!status) status = put_all(z, list, count, is_lasting, &f->begin);
    if (!status) status = put_loop(z, o.residual, r->size, &f->residual);
    if (!status) status = put_factor(z, r, &o, f);
    if (!status) name_registers(z, r, f);
    if (!status) place_right(z, r, list, count);
    if (!status) status = decide(z, r, &o, f);
    if (!status && !f->iteration.linear && !f->iteration.always) status = put_copies(z, list, count, &f->residual, f);
    if (!status) status = put_solve(z, r, &o, f);
    if (list) taut_expr_list_free(z->y->g, list);
    taut_mem_free(z->y->context, o.all);
    return status;
}

/* ---- results ---- */

typedef struct {
    expr *all;
    expr *move, *push, *w, *lambda, *trend, *change, *reported, *work, *checks, *limits;
    size_t count;
} result_roots;

static expr *take(result_roots *o, size_t count)
{
    expr *at = o->all + o->count;
    o->count += count;
    return at;
}

/* Takes a term out of the list; 0: it is not there. */
static int take_term(symbols *y, factor_terms *l, expr rest, expr constant)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->terms[i].rest == rest && X(factor_sort)(y, l->terms[i].constant) == constant) {
            l->terms[i] = l->terms[--l->count];
            return 1;
        }
    return 0;
}

/* Is w = k (p + push), a constant k, as a Lagrangian with constant diagonal mass has it? Then it is k times the new
   momentum, p + (push + what rounding left over of p), which is summed in any case. */
static expr velocity_of(symbols *y, uint32_t i, expr push, expr w)
{
    graph *g = y->g;
    const expr p = X(symbol_state)(y, y->layout.p, i), low = X(symbol_state)(y, y->layout.p_low, i);
    factor_terms of = { .count = 0 }, by = { .count = 0 };
    expr k = 0;
    if (y->failed || !X(factor_list_all)(y, w, &of) || !X(factor_list_all)(y, push, &by)) return w;
    for (size_t j = 0; j < of.count; j++)
        if (of.terms[j].rest == p) k = X(factor_sort)(y, of.terms[j].constant);
    if (!k || !take_term(y, &of, p, k)) return w;
    take_term(y, &of, low, k);
    if (of.count != by.count) return w;
    for (size_t j = 0; j < by.count; j++) {
        const expr constant = X(factor_sort)(y, taut_expr_mul(g, k, by.terms[j].constant));
        if (!take_term(y, &of, by.terms[j].rest, constant)) return w;
    }
    return taut_expr_mul(g, k, taut_expr_add(g, p, taut_expr_add(g, push, low)));
}

static int write_results(symbols *y, result_roots *o)
{
    const step_table *t = y->table;
    size_t n = y->s->n, c = y->s->c;
    o->all = taut_mem_new(y->context, 3 * n + 5 * c + 1, sizeof *o->all);
    if (!o->all) return TAUT_OUT_OF_MEMORY;
    o->move = take(o, n), o->push = take(o, n), o->work = take(o, 1);
    for (size_t i = 0; i < o->count; i++) o->all[i] = y->zero;
    X(symbols_forget_places)(y);
    X(symbol_terms)(y, STEP_RESULT_Q, NULL, o->move);
    X(symbol_terms)(y, STEP_RESULT_P, NULL, o->push);
    X(symbol_terms)(y, STEP_RESULT_WORK, o->move, o->work);
    if (y->s->form == FORM_LAGRANGIAN && t->w >= 0)
        o->w = memcpy(take(o, n), X(symbol_vector)(y, t->w), n * sizeof(expr));
    for (uint32_t i = 0; o->w && !t->sets_momentum && i < n; i++) {
        o->w[i] = velocity_of(y, i, o->push[i], o->w[i]);
        if (!o->w[i]) y->failed = 1;
    }
    if (t->lambda >= 0 && c) o->lambda = memcpy(take(o, c), X(symbol_vector)(y, t->lambda), c * sizeof(expr));
    if (o->lambda && t->trend) o->trend = take(o, c);
    if (o->trend && t->trend == TREND_ALTERNATING) o->change = take(o, 2 * c);
    if (o->trend) X(symbol_trend)(y, o->lambda, o->trend, o->change);
    if (t->reported >= 0 && c) o->reported = memcpy(take(o, c), X(symbol_vector)(y, t->reported), c * sizeof(expr));
    return y->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

static int name_results(schedule *z, const expr *from, size_t count, uint32_t **to)
{
    if (!from) return TAUT_OK;
    int status = new_registers(z, to, count);
    for (size_t i = 0; !status && i < count; i++) (*to)[i] = z->place[from[i]];
    return status;
}

static int name_checks(schedule *z, const expr *from, size_t count, program_check **to, uint32_t *to_count)
{
    if (!count) return TAUT_OK;
    program_check *list = *to = taut_mem_new(z->y->context, count, sizeof *list);
    if (!list) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) list[i] = (program_check){ z->place[from[2 * i]], z->place[from[2 * i + 1]] };
    *to_count = (uint32_t)count;
    return TAUT_OK;
}

static int schedule_results(schedule *z, const result_roots *o, size_t check_count, size_t limit_count)
{
    symbols *y = z->y;
    program *p = z->p;
    expr *list = NULL;
    size_t count = 0;
    int status = list_of(z, o->all, o->count, NULL, &list, &count);
    if (!status) status = put_all(z, list, count, is_constant, &p->setup);
    if (!status) status = put_all(z, list, count, is_lasting, &p->results);
    if (!status) status = name_results(z, o->move, y->s->n, &p->move);
    if (!status) status = name_results(z, o->push, y->s->n, &p->push);
    if (!status) status = name_results(z, o->w, y->s->n, &p->w);
    if (!status) status = name_results(z, o->lambda, y->s->c, &p->lambda);
    if (!status) status = name_results(z, o->trend, y->s->c, &p->trend);
    if (!status) status = name_results(z, o->change, 2 * (size_t)y->s->c, &p->change);
    if (!status) status = name_results(z, o->reported, y->s->c, &p->reported);
    if (!status) status = name_checks(z, o->checks, check_count, &p->checks, &p->check_count);
    if (!status) status = name_checks(z, o->limits, limit_count, &p->limits, &p->limit_count);
    if (!status) p->work = z->place[*o->work], p->has_work = *o->work != y->zero;
    if (list) taut_expr_list_free(y->g, list);
    return status;
}

static int put_results(schedule *z)
{
    result_roots o = { 0 };
    int status = write_results(z->y, &o);
    if (!status) status = X(polish)(z->y, &(polish_cost){ count_new, z }, o.all, o.count);
    if (!status) status = schedule_results(z, &o, 0, 0);
    taut_mem_free(z->y->context, o.all);
    return status;
}

static expr *take_copy(result_roots *o, const expr *list, size_t count)
{
    return list ? memcpy(take(o, count), list, count * sizeof *list) : NULL;
}

/* The results of a step that has nothing else. */
static int put_straight(schedule *z, const straight_step *step)
{
    const size_t n = z->y->s->n, c = z->y->s->c, checks = step->check_count,
                 limits = step->limit_count;
    result_roots o = { .all = taut_mem_new(z->y->context, 3 * n + c + 2 * (checks + limits) + 1, sizeof *o.all) };
    if (!o.all) return TAUT_OUT_OF_MEMORY;
    o.move = take_copy(&o, step->move, n), o.push = take_copy(&o, step->push, n);
    o.w = take_copy(&o, step->w, n), o.lambda = c ? take_copy(&o, step->lambda, c) : NULL;
    o.work = take_copy(&o, &z->y->zero, 1);
    for (uint32_t i = 0; o.w && i < n; i++) {
        o.w[i] = velocity_of(z->y, i, o.push[i], o.w[i]);
        if (!o.w[i]) z->y->failed = 1;
    }
    o.checks = checks ? take_copy(&o, step->checks, 2 * checks) : NULL;
    o.limits = limits ? take_copy(&o, step->limits, 2 * limits) : NULL;
    int status = z->y->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
    if (!status) status = X(polish)(z->y, &(polish_cost){ count_new, z }, o.all, o.count);
    if (!status) status = schedule_results(z, &o, checks, limits);
    taut_mem_free(z->y->context, o.all);
    return status;
}

/* ---- the whole program ---- */

static void begin_program(schedule *z, const step_table *t)
{
    program *p = z->p;
    const symbols *y = z->y;
    p->s = y->s;
    p->constant_count = y->constant_count;
    p->other_count = y->other_count;
    if (p->other_count) p->others = X(field_constants)(t->energy);
    p->given_count = X(symbol_given_count)(y->s);
    p->state_first = p->constant_count + p->other_count + 1 + p->given_count;
    p->state_count = (uint32_t)X(state_size)(&y->layout);
    p->unknown_first = p->state_first + p->state_count + STATE_LEAVES;
    p->unknown_count = (uint32_t)y->offsets[t->group_count];
    p->register_count = p->unknown_first + p->unknown_count;
    p->sets_momentum = t->sets_momentum;
    p->lambda_time = t->lambda_time;
}

static int list_inputs(schedule *z)
{
    const step_table *t = z->y->table;
    program *p = z->p;
    int status = new_registers(z, &p->inputs, p->unknown_count);
    for (int g = 0; !status && g < t->group_count; g++)
        for (size_t i = z->y->offsets[g]; t->groups[g].phase == STEP_INPUT && i < z->y->offsets[g + 1]; i++)
            p->inputs[p->input_count++] = (uint32_t)i;
    return status;
}

/* The iteration ends as that of solve/newton.h does. Where multipliers are all that is left, momenta are kept whatever
   these are, each step solves the constraints from scratch, and where a later phase finds the velocities what is left
   out stays out of them (newton_relax). */
static void set_tolerance(program_phase *f, const reduced_phase *r, const step_phase *described, int is_last,
                          double tolerance)
{
    const double eps = (double)REAL_EPSILON;
    iteration *i = &f->iteration;
    i->epsilon = eps;
    i->floor = (double)ELEMENTARY(pow)(REAL_EPSILON, (real)0.6);
    i->enough = tolerance > 0 ? tolerance : eps / 2;
    i->rest = tolerance > 0 ? tolerance / 4 : eps / 2048;
    if ((r->only_multipliers || r->is_rough) && !is_last && tolerance <= 0) i->enough = 2 * eps, i->rest = eps / 8;
    if (r->matrix && tolerance <= 0) i->rest = eps / 64;
    i->skip_first = described->improve_guess;
    f->what = described->what;
}

static int put_phases(schedule *z, const step_table *t, double tolerance)
{
    program *p = z->p;
    int status = TAUT_OK;
    p->phases = taut_mem_new(p->context, (size_t)t->phase_count + 1, sizeof *p->phases);
    if (!p->phases) return TAUT_OUT_OF_MEMORY;
    for (int k = 0; !status && k < t->phase_count; k++) {
        reduced_phase r;
        program_phase *f = &p->phases[p->phase_count++];
        status = X(reduce_phase)(z->y, k, &r);
        set_tolerance(f, &r, &t->phases[k], k == t->phase_count - 1, tolerance);
        if (!status) status = put_phase(z, &r, f);
        X(reduced_clear)(z->y, &r);
    }
    return status;
}

static int end_program(program *p, uint32_t instructions_most)
{
    X(program_place_literals)(p);
    int status = X(program_length)(p) > instructions_most ? TAUT_UNSUPPORTED : X(program_fuse)(p);
    if (!status) status = X(program_end_segments)(p);
    if (!status) status = X(step_flow_create)(p, 0, &p->flow);
    return status ? status : X(program_room)(p);
}

static void clear_schedule(schedule *z)
{
    taut_mem_free(z->y->context, z->place);
    taut_mem_free(z->y->context, z->loop_place);
    taut_mem_free(z->y->context, z->depends);
}

/* A mass matrix that has no inverse without the constraints has no safe pivots on its diagonal. Other tables take the
   energy to which multiples of the constraints have been added. */
static int has_singular_mass(const struct system *s, const step_table *t)
{
    return s->structure.augmented && t->energy && t->energy == s->ambient;
}

int X(lower_serves)(const struct system *s) { return s->n + s->c <= NUMBERS_MOST; }

int X(lower_create)(struct system *s, const step_table *table, real tolerance, program **result, const char **why)
{
    symbols y = { 0 };
    schedule z = { .y = &y, .p = taut_mem_new(s->context, 1, sizeof *z.p) };
    *result = NULL;
    *why = !X(lower_serves)(s) ? "it has too many coordinates and constraints"
           : has_singular_mass(s, table) ? "its mass matrix is singular without the constraints"
                                         : NULL;
    if (!z.p) return TAUT_OUT_OF_MEMORY;
    if (*why) {
        taut_mem_free(s->context, z.p);
        return TAUT_OK;
    }
    z.p->context = s->context;
    z.p->s = s;
    int status = X(symbols_create)(s, table, &y);
    if (!status) begin_program(&z, table);
    if (!status) status = list_inputs(&z);
    if (!status) status = put_phases(&z, table, (double)tolerance);
    if (!status) status = put_results(&z);
    z.p->is_picky = y.is_picky;
    const int has_calls = y.g && taut_graph_has_calls(y.g);
    if (!status && has_calls) status = TAUT_UNSUPPORTED; /* the general path calls the function */
    if (!status) status = end_program(z.p, LOWER_STEP_MOST);
    status = X(symbols_status)(&y, status);
    clear_schedule(&z);
    X(symbols_clear)(&y);
    int can_be = status != TAUT_UNSUPPORTED;
    if (!can_be)
        *why = has_calls ? "it calls functions of the program" : "it would be too long, or have no fixed elimination";
    if (!status) status = X(program_compile)(z.p);
    if (status)
        X(program_destroy)(z.p);
    else
        *result = z.p;
    return can_be ? status : TAUT_OK;
}

/* ---- steps and readings without an iteration ---- */

static int put_outputs(schedule *z, const expr *outputs, size_t count)
{
    program *p = z->p;
    expr *list = NULL;
    size_t found = 0;
    int status = list_of(z, outputs, count, NULL, &list, &found);
    if (!status) status = put_all(z, list, found, is_constant, &p->setup);
    if (!status) status = put_all(z, list, found, is_lasting, &p->results);
    if (!status) status = name_results(z, outputs, count, &p->outputs);
    p->output_count = status ? 0 : (uint32_t)count;
    if (list) taut_expr_list_free(z->y->g, list);
    return status;
}

/* outputs, or step: the other one is NULL. */
static int lower_line(symbols *y, const straight_step *step, const expr *outputs, size_t count, uint32_t most,
                      program **result)
{
    schedule z = { .y = y, .p = taut_mem_new(y->context, 1, sizeof *z.p) };
    *result = NULL;
    if (!z.p) return TAUT_OUT_OF_MEMORY;
    z.p->context = y->context;
    begin_program(&z, y->table);
    z.p->is_picky = y->is_picky;
    int status = taut_graph_has_calls(y->g) ? TAUT_UNSUPPORTED
                 : step                     ? put_straight(&z, step)
                                            : put_outputs(&z, outputs, count);
    if (!status) status = end_program(z.p, most);
    clear_schedule(&z);
    if (status)
        X(program_destroy)(z.p);
    else
        *result = z.p;
    return status == TAUT_UNSUPPORTED ? TAUT_OK : status;
}

int X(lower_outputs)(symbols *y, const expr *outputs, size_t count, uint32_t most, program **result)
{
    return lower_line(y, NULL, outputs, count, most, result);
}

int X(lower_straight)(symbols *y, const straight_step *step, program **result)
{
    return lower_line(y, step, NULL, 0, LOWER_STEP_MOST, result);
}
