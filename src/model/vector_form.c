/* How vectors came about: which are cross products, or others times a scalar. Products of such vectors are polynomials of
 * dot and triple products of the vectors that they are made of, by
 *     (a x b).(c x d) = (a.c)(b.d) - (a.d)(b.c),   (a x b) x c = b (a.c) - a (b.c),
 * and in that form (expr/shown.h) discrete gradients see that rotations leave them as they are. */
#include <string.h>

#include "expr/shown.h"
#include "model/script.h"

/* One vector as it is: its components say all. */
static int is_plain(const graph *g, const vector_form *f)
{
    return f->count == 1 && !f->parts[0].is_cross && taut_expr_is_number(g, f->parts[0].factor, 1);
}

void taut_vector_form_get(lua_State *L, int i, const vector *v, vector_form *f)
{
    const vector *given = taut_vectors_at(L, i);
    if (given && given->has_form) {
        memcpy(f, given + 1, sizeof *f);
        return;
    }
    *f = (vector_form){ .count = v->dimension == 2 || v->dimension == 3, .dimension = v->dimension };
    f->parts[0].factor = taut_expr_integer(taut_script_of(L)->graph, 1);
    memcpy(f->parts[0].a, v->at, sizeof f->parts[0].a);
}

int taut_vector_form_push(lua_State *L, const vector *v, const vector_form *f)
{
    if (!f->count || is_plain(taut_script_of(L)->graph, f)) return taut_vectors_push(L, v);
    for (uint32_t i = 0; i < v->dimension; i++) taut_script_built(L, v->at[i]);
    vector *made = taut_symbols_new(L, SYMBOL_VECTOR, sizeof *v + sizeof *f, 0);
    *made = *v;
    made->has_form = 1;
    memcpy(made + 1, f, sizeof *f);
    return 1;
}

void taut_vector_form_scale(graph *g, expr factor, vector_form *f)
{
    for (uint32_t i = 0; i < f->count; i++) f->parts[i].factor = taut_expr_mul(g, factor, f->parts[i].factor);
}

/* A sum with a vector as it is, such as a place plus a direction times a length, is another one as it is: taken apart,
   the square of a difference of large vectors would lose its digits. */
void taut_vector_form_add(graph *g, vector_form *f, const vector_form *other, int sign)
{
    if (is_plain(g, f) || is_plain(g, other) || !other->count || f->count + other->count > VECTOR_PARTS) {
        f->count = 0;
        return;
    }
    for (uint32_t i = 0; i < other->count && f->count; i++) {
        vector_part *part = &f->parts[f->count++];
        *part = other->parts[i];
        if (sign < 0) part->factor = taut_expr_neg(g, part->factor);
    }
}

static expr product(graph *g, const expr *a, const expr *b, uint32_t dimension)
{
    expr sum = taut_expr_integer(g, 0);
    for (uint32_t i = 0; i < dimension; i++) sum = taut_expr_add(g, sum, taut_expr_mul(g, a[i], b[i]));
    return sum;
}

static expr triple(graph *g, const expr *a, const expr *b, const expr *c)
{
    expr sum = taut_expr_integer(g, 0);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        expr minor = taut_expr_sub(g, taut_expr_mul(g, b[j], c[k]), taut_expr_mul(g, b[k], c[j]));
        sum = taut_expr_add(g, sum, taut_expr_mul(g, a[i], minor));
    }
    /* one of degree 2 is seen as it is */
    const unsigned kinds = 1u << KIND_Q | 1u << KIND_T | 1u << KIND_EMBEDDED;
    return sum && taut_expr_degree(g, sum, kinds) > 2 ? taut_expr_triple(g, sum, a, b, c) : sum;
}

/* Adds factor v to f. */
static void append(vector_form *f, expr factor, const expr *v)
{
    if (f->count >= VECTOR_PARTS) {
        f->count = VECTOR_PARTS + 1; /* too many */
        return;
    }
    vector_part *part = &f->parts[f->count++];
    *part = (vector_part){ .factor = factor };
    memcpy(part->a, v, sizeof part->a);
}

static void append_cross(graph *g, const vector_part *x, const vector_part *y, vector_form *f)
{
    expr factor = taut_expr_mul(g, x->factor, y->factor), minus = taut_expr_neg(g, factor);
    if (!x->is_cross && !y->is_cross) {
        append(f, factor, x->a);
        if (f->count > VECTOR_PARTS) return;
        vector_part *part = &f->parts[f->count - 1];
        part->is_cross = 1;
        memcpy(part->b, y->a, sizeof part->b);
    } else if (x->is_cross && y->is_cross) { /* (a x b) x (c x d) = b (a.(c x d)) - a (b.(c x d)) */
        append(f, taut_expr_mul(g, factor, triple(g, x->a, y->a, y->b)), x->b);
        append(f, taut_expr_mul(g, minus, triple(g, x->b, y->a, y->b)), x->a);
    } else if (x->is_cross) { /* (a x b) x c = b (a.c) - a (b.c) */
        append(f, taut_expr_mul(g, factor, product(g, x->a, y->a, 3)), x->b);
        append(f, taut_expr_mul(g, minus, product(g, x->b, y->a, 3)), x->a);
    } else { /* c x (a x b) = a (b.c) - b (a.c) */
        append(f, taut_expr_mul(g, factor, product(g, y->b, x->a, 3)), y->a);
        append(f, taut_expr_mul(g, minus, product(g, y->a, x->a, 3)), y->b);
    }
}

void taut_vector_form_cross(graph *g, const vector_form *a, const vector_form *b, vector_form *f)
{
    *f = (vector_form){ .dimension = 3 };
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count && f->count <= VECTOR_PARTS; k++)
            append_cross(g, &a->parts[i], &b->parts[k], f);
    if (f->count > VECTOR_PARTS) f->count = 0;
}

static expr dot_of_parts(graph *g, const vector_part *x, const vector_part *y, uint32_t dimension)
{
    if (!x->is_cross && !y->is_cross) return product(g, x->a, y->a, dimension);
    if (!x->is_cross) return triple(g, x->a, y->a, y->b);
    if (!y->is_cross) return triple(g, y->a, x->a, x->b);
    return taut_expr_sub(g, taut_expr_mul(g, product(g, x->a, y->a, 3), product(g, x->b, y->b, 3)),
                         taut_expr_mul(g, product(g, x->a, y->b, 3), product(g, x->b, y->a, 3)));
}

/* Functions of positions and time alone, of a degree above 2: what is of degree 2 is seen as it is, and energies that
   depend on velocities are taken apart in other ways. */
static int has_use_of_form(graph *g, expr value)
{
    const unsigned places = 1u << KIND_Q | 1u << KIND_T | 1u << KIND_EMBEDDED;
    return !taut_expr_is_constant(g, value) && !(taut_expr_kinds(g, value) & ~places) &&
           taut_expr_degree(g, value, places) > 2;
}

expr taut_vector_form_dot(graph *g, const vector_form *a, const vector_form *b, expr value)
{
    if (!value || !a->count || !b->count || (is_plain(g, a) && is_plain(g, b)) || !has_use_of_form(g, value))
        return value;
    expr form = taut_expr_integer(g, 0);
    for (uint32_t i = 0; i < a->count; i++)
        for (uint32_t k = 0; k < b->count; k++) {
            const vector_part *x = &a->parts[i], *y = &b->parts[k];
            expr factor = taut_expr_mul(g, x->factor, y->factor);
            form = taut_expr_add(g, form, taut_expr_mul(g, factor, dot_of_parts(g, x, y, a->dimension)));
        }
    return taut_expr_shown(g, value, form);
}
