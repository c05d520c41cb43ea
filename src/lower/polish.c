/* What a step table and derivatives leave behind: h/2 times twice a product, p + h f beside -h f - p, and constants
 * that are equal but for the order of their factors. Each node is taken for +-2^k times another one. Signs and powers
 * of two go through products and sums without a rounding error, so that every value stays what it was to the last bit
 * (as long as it neither overflows nor underflows), and what was computed twice is found to be one node. Momenta of two
 * bodies that act on each other are the opposite of each other as before. */
#include "lower/polish.h"

#include <string.h>

#include "lower/factors.h"
#include "lower/group.h"

/* +-2^power e */
typedef struct {
    expr e;
    int negative, power;
} image;

enum { POWER_MOST = 40 };

/* Constants that have been taken apart; e 0: none. */
enum { CONSTANTS_KEPT = 509 };
typedef struct {
    expr e;
    image parts;
} known_constant;

typedef struct {
    symbols *y;
    known_constant *constants; /* CONSTANTS_KEPT, by e modulo that */
    int powers;               /* are powers of two moved, too? */
    const image *right;       /* of LEAF_RIGHT; NULL: there is none */
    image *of;                /* by node */
} polisher;

static wide power_of_two(int power)
{
    wide value = 1;
    for (; power > 0; power--) value *= 2;
    for (; power < 0; power++) value /= 2;
    return value;
}

/* ---- constants ---- */

static image split_number(symbols *y, expr e)
{
    image a = { e ? X(factor_sort)(y, e) : 0, 0, 0 };
    if (!a.e) return a;
    const node n = *taut_graph_node(y->g, a.e);
    const int is_number = n.op == OP_CONSTANT;
    if (n.op == OP_NEG) return (image){ n.a, 1, 0 };
    if (!is_number && !(n.op == OP_MUL && taut_graph_node(y->g, n.a)->op == OP_CONSTANT)) return a;
    wide number = taut_graph_constant(y->g, is_number ? a.e : n.a);
    if (number == 0 || number - number != 0) return a;
    if (number < 0) number = -number, a.negative = 1;
    for (; number >= 2 && a.power < POWER_MOST; number /= 2) a.power++;
    for (; number < 1 && a.power > -POWER_MOST; number *= 2) a.power--;
    const expr rest = taut_expr_number(y->g, number);
    a.e = is_number ? rest : taut_expr_mul(y->g, rest, n.b);
    return a;
}

/* A constant without its sign and the power of two of its number. Most are asked for many times. */
static image take_number(const polisher *z, expr e)
{
    if (e == z->y->one || !e) return (image){ e, 0, 0 };
    known_constant *k = &z->constants[e % CONSTANTS_KEPT];
    if (k->e != e) *k = (known_constant){ e, split_number(z->y, e) };
    return k->parts;
}

/* ---- from images to values ---- */

/* e 2^power, with as little to do in every step as there can be. */
static expr scale(symbols *y, expr e, int power)
{
    graph *g = y->g;
    if (!e || !power || e == y->zero) return e;
    const expr factor = taut_expr_number(g, power_of_two(power));
    expr k, rest = X(factor_split)(y, e, &k);
    if (k == y->one) return taut_expr_mul(g, factor, e);
    return taut_expr_mul(g, taut_expr_mul(g, factor, k), rest);
}

/* Scaling costs an operation in every step, unless there is a constant that takes it in. */
static int costs_to_scale(symbols *y, expr e)
{
    expr k;
    if (!taut_graph_node(y->g, e)->varies) return 0;
    X(factor_split)(y, e, &k);
    return k == y->one;
}

static int is_reciprocal(symbols *y, expr e)
{
    const node *n = taut_graph_node(y->g, e);
    return n->op == OP_DIV && n->a == y->one;
}

/* A reciprocal stays one: it is there for several products. */
static expr multiply(symbols *y, expr a, expr b)
{
    if (a && b && is_reciprocal(y, b)) return taut_expr_mul_reciprocal(y->g, a, b);
    if (a && b && is_reciprocal(y, a)) return taut_expr_mul_reciprocal(y->g, b, a);
    return taut_expr_mul(y->g, a, b);
}

enum { DEEP_MOST = 5 };

/* Can the factor go into constants within e, without an operation more? */
static int can_sink(symbols *y, expr e, int depth)
{
    const node n = *taut_graph_node(y->g, e);
    if (!costs_to_scale(y, e)) return 1;
    if (depth == DEEP_MOST) return 0;
    if (n.op == OP_MUL) return can_sink(y, n.b, depth + 1) || can_sink(y, n.a, depth + 1);
    return (n.op == OP_ADD || n.op == OP_SUB) && can_sink(y, n.a, depth + 1) && can_sink(y, n.b, depth + 1);
}

static expr sink(symbols *y, expr e, int power, int depth)
{
    graph *g = y->g;
    if (!e || !power || !costs_to_scale(y, e) || !can_sink(y, e, depth)) return scale(y, e, power);
    const node n = *taut_graph_node(g, e);
    if (n.op == OP_MUL && can_sink(y, n.b, depth + 1)) return multiply(y, n.a, sink(y, n.b, power, depth + 1));
    if (n.op == OP_MUL) return multiply(y, sink(y, n.a, power, depth + 1), n.b);
    return taut_expr_binary(g, (op)n.op, sink(y, n.a, power, depth + 1), sink(y, n.b, power, depth + 1));
}

static expr times_power(const polisher *z, expr e, int power)
{
    return z->powers ? sink(z->y, e, power, 0) : scale(z->y, e, power);
}

static int costs(const polisher *z, expr e)
{
    return z->powers ? !can_sink(z->y, e, 0) : costs_to_scale(z->y, e);
}

static expr value_of(const polisher *z, image a)
{
    const expr e = times_power(z, a.e, a.power);
    return a.negative ? taut_expr_neg(z->y->g, e) : e;
}

/* Powers that leave the range are multiplied out. */
static image limited(symbols *y, image a)
{
    if (a.power > POWER_MOST || a.power < -POWER_MOST) a.e = scale(y, a.e, a.power), a.power = 0;
    return a;
}

/* Both become multiples of the same power of two. */
static int make_even(const polisher *z, image *a, image *b)
{
    if (a->power == b->power) return a->power;
    const int cost_a = costs(z, a->e), cost_b = costs(z, b->e);
    const int to_b = cost_a != cost_b ? cost_a < cost_b : b->power == 0 || (a->power != 0 && b->power > a->power);
    image *moved = to_b ? a : b;
    const int power = to_b ? b->power : a->power;
    moved->e = times_power(z, moved->e, moved->power - power);
    moved->power = power;
    return power;
}

/* ---- operations ---- */

/* Is b what rounding left over when a, a number of the state, was summed? */
static int is_low_part(const symbols *y, expr a, expr b)
{
    const node *x = taut_graph_node(y->g, a), *low = taut_graph_node(y->g, b);
    const uint32_t n = y->s->n; /* q, p, w, then what was left over of q and of p (state.h) */
    if (x->op != OP_VARIABLE || low->op != OP_VARIABLE) return 0;
    if (x->b != (uint32_t)LEAF_STATE || low->b != (uint32_t)LEAF_STATE) return 0;
    return x->a < 2 * n && low->a == x->a + 3 * n;
}

static image sum_of(const polisher *z, image a, image b)
{
    symbols *y = z->y;
    graph *g = y->g;
    if (!a.e || !b.e) return (image){ 0, 0, 0 };
    /* such a sum by itself is the number again: what is left over counts where it is added to something small */
    if (a.negative == b.negative && a.power == b.power && is_low_part(y, a.e, b.e)) return a;
    if (a.negative == b.negative && a.power == b.power && is_low_part(y, b.e, a.e)) return b;
    if (a.e == y->zero) return b;
    if (b.e == y->zero) return a;
    const int power = make_even(z, &a, &b);
    if (a.e == b.e && a.negative == b.negative) return limited(y, (image){ a.e, a.negative, power + 1 });
    if (a.negative == b.negative) return (image){ taut_expr_add(g, a.e, b.e), a.negative, power };
    return (image){ a.negative ? taut_expr_sub(g, b.e, a.e) : taut_expr_sub(g, a.e, b.e), 0, power };
}

static image with_constant(const polisher *z, expr constant, image rest)
{
    symbols *y = z->y;
    if (constant == y->one) return limited(y, rest);
    const image k = take_number(z, constant);
    const image all = { taut_expr_mul(y->g, k.e, rest.e), k.negative ^ rest.negative, k.power + rest.power };
    return limited(y, all);
}

/* The constant of e, and what is left: one where e is a constant. */
static expr split(symbols *y, expr e, expr *k)
{
    if (taut_graph_node(y->g, e)->varies) return X(factor_split)(y, e, k);
    *k = e;
    return y->one;
}

static image product_of(const polisher *z, image a, image b, int divides)
{
    symbols *y = z->y;
    graph *g = y->g;
    if (!a.e || !b.e) return (image){ 0, 0, 0 };
    expr k, l;
    const expr x = split(y, a.e, &k), other = split(y, b.e, &l);
    const expr rest = divides ? taut_expr_div(g, x, other) : multiply(y, x, other);
    const int power = divides ? a.power - b.power : a.power + b.power;
    return with_constant(z, divides ? taut_expr_div(g, k, l) : taut_expr_mul(g, k, l),
                         (image){ rest, a.negative ^ b.negative, power });
}

static image power_of(const polisher *z, image a, int32_t n)
{
    symbols *y = z->y;
    graph *g = y->g;
    if (!a.e) return a;
    if (n > POWER_MOST || n < -POWER_MOST) return (image){ taut_expr_powi(g, value_of(z, a), n), 0, 0 };
    expr k;
    const expr x = split(y, a.e, &k);
    return with_constant(z, taut_expr_powi(g, k, n),
                         (image){ taut_expr_powi(g, x, n), a.negative && n % 2, a.power * n });
}

/* max(2^k a, 2^k b) */
static image extreme_of(const polisher *z, const node *n, image a, image b)
{
    symbols *y = z->y;
    if (a.e && b.e && !a.negative && !b.negative && !(costs(z, a.e) && costs(z, b.e))) {
        const int power = make_even(z, &a, &b);
        return (image){ taut_expr_rebuild(y->g, n, a.e, b.e), 0, power };
    }
    if (!a.negative && !b.negative && a.power == b.power)
        return (image){ taut_expr_rebuild(y->g, n, a.e, b.e), 0, a.power };
    return (image){ taut_expr_rebuild(y->g, n, value_of(z, a), value_of(z, b)), 0, 0 };
}

static image image_of_leaf(const polisher *z, expr e, const node *n)
{
    if (n->op == OP_CONSTANT) return take_number(z, e);
    if (n->op == OP_VARIABLE && n->b == (uint32_t)LEAF_RIGHT && z->right) {
        image a = z->right[n->a];
        a.e = e;
        return a;
    }
    return (image){ e, 0, 0 };
}

static image image_of(const polisher *z, expr e)
{
    symbols *y = z->y;
    const node n = *taut_graph_node(y->g, e);
    if (n.op == OP_VARIABLE || n.op == OP_CONSTANT || n.op == OP_PARAMETER) return image_of_leaf(z, e, &n);
    const int two = !op_has_number((op)n.op) && taut_op_arity((op)n.op) == 2;
    const image a = z->of[n.a], b = two ? z->of[n.b] : (image){ 0, 0, 0 };
    if (!a.e || (two && !b.e)) return (image){ 0, 0, 0 };
    switch ((op)n.op) {
    case OP_NEG: return (image){ a.e, !a.negative, a.power };
    case OP_ADD: return sum_of(z, a, b);
    case OP_SUB: return sum_of(z, a, (image){ b.e, !b.negative, b.power });
    case OP_MUL: return product_of(z, a, b, 0);
    case OP_DIV: return product_of(z, a, b, 1);
    case OP_POWI: return power_of(z, a, (int32_t)n.b);
    case OP_ABS: return (image){ taut_expr_unary(y->g, OP_ABS, a.e), 0, a.power };
    case OP_MAX: case OP_MIN: return extreme_of(z, &n, a, b);
    default: break;
    }
    return (image){ taut_expr_rebuild(y->g, &n, value_of(z, a), two ? value_of(z, b) : 0), 0, 0 };
}

/* Without powers of two they are part of their nodes. */
static image kept(const polisher *z, image a)
{
    if (z->powers || !a.power || !a.e) return a;
    return (image){ scale(z->y, a.e, a.power), a.negative, 0 };
}

/* ---- all nodes below some roots ---- */

/* Those that are known stay. */
static int find_images(polisher *z, const expr *roots, size_t count)
{
    graph *g = z->y->g;
    expr *list;
    size_t found;
    int status = taut_expr_reachable(g, roots, count, &list, &found);
    if (status) return status;
    for (size_t i = 0; !status && i < found; i++) {
        image *a = &z->of[list[i]];
        if (!a->e) *a = kept(z, image_of(z, list[i]));
        if (!a->e) status = TAUT_OUT_OF_MEMORY;
    }
    taut_expr_list_free(g, list);
    return status;
}

static int take_values(const polisher *z, const expr *list, size_t count, expr *out)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < count; i++) {
        out[i] = value_of(z, z->of[list[i]]);
        if (!out[i]) status = TAUT_OUT_OF_MEMORY;
    }
    return status;
}

/* Pairs of a pivot and its reference. Signs do not matter to them, nor factors that both have. */
static int take_checks(const polisher *z, const expr *list, size_t count, expr *out)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < count; i++) {
        const image pivot = z->of[list[2 * i]], reference = z->of[list[2 * i + 1]];
        out[2 * i] = pivot.e;
        out[2 * i + 1] = times_power(z, reference.e, reference.power - pivot.power);
        if (!out[2 * i + 1]) status = TAUT_OUT_OF_MEMORY;
    }
    return status;
}

/* ---- a phase ---- */

/* Its expressions one after the other: residuals, pivots with their references, all others. */
static size_t list_phase(const reduced_phase *p, expr *list)
{
    size_t n = 0;
    for (size_t i = 0; i < p->size; i++) list[n++] = p->residual[i];
    for (size_t i = 0; i < p->check_count; i++) list[n++] = p->checks[i].pivot, list[n++] = p->checks[i].reference;
    for (size_t i = 0; i < p->size; i++) list[n++] = p->guesses[p->left[i]];
    for (size_t i = 0; i < p->size; i++) list[n++] = p->weights[i];
    for (size_t i = 0; i < p->size; i++) list[n++] = p->change[i];
    for (size_t i = 0; p->has_second && i < p->size; i++) list[n++] = p->second[i];
    for (size_t i = 0; p->has_further && i < 3 * (size_t)p->size; i++) list[n++] = p->further[i];
    if (p->size) list[n++] = p->unit;
    return n;
}

static void take_phase(reduced_phase *p, const expr *list)
{
    for (size_t i = 0; i < p->size; i++) p->residual[i] = *list++;
    for (size_t i = 0; i < p->check_count; i++) p->checks[i].pivot = *list++, p->checks[i].reference = *list++;
    for (size_t i = 0; i < p->size; i++) p->guesses[p->left[i]] = *list++;
    for (size_t i = 0; i < p->size; i++) p->weights[i] = *list++;
    for (size_t i = 0; i < p->size; i++) p->change[i] = *list++;
    for (size_t i = 0; p->has_second && i < p->size; i++) p->second[i] = *list++;
    for (size_t i = 0; p->has_further && i < 3 * (size_t)p->size; i++) p->further[i] = *list++;
    if (p->size) p->unit = *list;
}

/* right: what the residuals are besides the nodes that stand for them then. */
static int polish_phase(polisher *z, const reduced_phase *p, const expr *list, size_t count, image *right, expr *out)
{
    const size_t size = p->size, first = size + 2 * (size_t)p->check_count;
    int status = find_images(z, list, size);
    for (size_t i = 0; !status && i < size; i++) right[i] = z->of[list[i]], out[i] = right[i].e;
    z->right = right;
    if (!status) status = find_images(z, list, count);
    if (!status) status = take_checks(z, list + size, p->check_count, out + size);
    if (!status) status = take_values(z, list + first, count - first, out + first);
    return status;
}

static int polish_list(polisher *z, const expr *list, size_t count, expr *out)
{
    int status = find_images(z, list, count);
    return status ? status : take_values(z, list, count, out);
}

/* ---- the way with the least to do ---- */

/* Signs alone; signs and powers of two; the better one of both with products grouped. */
enum { POLISHED = 2, WAYS = 3 };

static int choose(symbols *y, const polish_cost *cost, const reduced_phase *p, expr *const *ways, size_t count,
                  const expr **best)
{
    size_t least = SIZE_MAX;
    int status = TAUT_OK;
    for (int i = 0; !status && i < WAYS; i++) {
        size_t found;
        if (i == POLISHED) status = X(group_products)(y, p, *best, count, ways[i]);
        if (!status) status = cost->count(cost->user, ways[i], count, &found);
        if (!status && found < least) least = found, *best = ways[i];
    }
    return status;
}

/* list: room for WAYS + 1 lists of so many. */
static int polish_ways(symbols *y, const polish_cost *cost, const reduced_phase *p, expr *list, size_t count,
                       image *right, const expr **best)
{
    expr *ways[WAYS];
    const size_t nodes = taut_graph_count(y->g); /* those that are made meanwhile are not asked for */
    image *of = taut_mem_new(y->context, nodes, sizeof *of);
    known_constant *constants = taut_mem_new(y->context, CONSTANTS_KEPT, sizeof *constants);
    int status = of && constants ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (int i = 0; !status && i < POLISHED; i++) {
        polisher z = { .y = y, .constants = constants, .powers = i, .of = of };
        if (i) memset(of, 0, nodes * sizeof *of);
        ways[i] = list + (size_t)(i + 1) * count;
        status = p ? polish_phase(&z, p, list, count, right, ways[i]) : polish_list(&z, list, count, ways[i]);
    }
    taut_mem_free(y->context, of);
    taut_mem_free(y->context, constants);
    ways[POLISHED] = list + (POLISHED + 1) * count;
    return status ? status : choose(y, cost, p, ways, count, best);
}

int X(polish_phase)(symbols *y, const polish_cost *cost, reduced_phase *p)
{
    const size_t room = 8 * (size_t)p->size + 2 * (size_t)p->check_count + 2;
    image *right = taut_mem_new(y->context, (size_t)p->size + 1, sizeof *right);
    expr *list = taut_mem_new(y->context, (WAYS + 1) * room, sizeof *list);
    const expr *best = NULL;
    int status = right && list ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) status = polish_ways(y, cost, p, list, list_phase(p, list), right, &best);
    if (!status) take_phase(p, best);
    taut_mem_free(y->context, right);
    taut_mem_free(y->context, list);
    return status;
}

int X(polish)(symbols *y, const polish_cost *cost, expr *all, size_t count)
{
    expr *list = taut_mem_new(y->context, (WAYS + 1) * count + 1, sizeof *list);
    const expr *best = NULL;
    if (list && count) memcpy(list, all, count * sizeof *list);
    int status = list ? polish_ways(y, cost, NULL, list, count, NULL, &best) : TAUT_OUT_OF_MEMORY;
    if (!status && count) memcpy(all, best, count * sizeof *all);
    taut_mem_free(y->context, list);
    return status;
}
