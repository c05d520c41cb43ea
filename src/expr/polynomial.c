#include "expr/polynomial.h"

#include <string.h>

#define ALGEBRA_BYTES ((size_t)48 << 20)
#define ALGEBRA_WORK 4000000

#ifdef TAUT_HAVE_QUAD
#define CANCELLED 0x1p-90
#else
#define CANCELLED 0x1p-52
#endif

void taut_algebra_begin(algebra *a, graph *g)
{
    memset(a, 0, sizeof *a);
    a->g = g;
}

void taut_algebra_end(algebra *a)
{
    for (size_t i = 0; i < a->block_count; i++) taut_mem_free(taut_graph_context(a->g), a->blocks[i]);
    taut_mem_free(taut_graph_context(a->g), a->blocks);
}

void taut_algebra_too_large(algebra *a)
{
    if (!a->failed) a->failed = TAUT_UNSUPPORTED;
}

void *taut_algebra_memory(algebra *a, size_t count, size_t size)
{
    taut_context *context = taut_graph_context(a->g);
    a->bytes += count * size;
    if (a->bytes > ALGEBRA_BYTES) taut_algebra_too_large(a);
    if (a->failed) return NULL;
    void *block = NULL;
    if (taut_mem_grow(context, &a->blocks, &a->block_capacity, a->block_count + 1, sizeof *a->blocks) ||
        !(block = taut_mem_new(context, count ? count : 1, size))) {
        a->failed = TAUT_OUT_OF_MEMORY;
        return NULL;
    }
    a->blocks[a->block_count++] = block;
    return block;
}

static polynomial room(algebra *a, size_t count)
{
    if (count > POLYNOMIAL_TERMS) taut_algebra_too_large(a);
    monomial *at = a->failed ? NULL : taut_algebra_memory(a, count, sizeof *at);
    return (polynomial){ at, 0 };
}

polynomial taut_polynomial_number(algebra *a, wide value)
{
    polynomial p = room(a, 1);
    if (p.at && value != 0) p.at[p.count++].coefficient = value;
    return p;
}

polynomial taut_polynomial_atom(algebra *a, expr e)
{
    int i = 0;
    while (i < a->atom_count && a->atoms[i] != e) i++;
    if (i == POLYNOMIAL_ATOMS) taut_algebra_too_large(a);
    polynomial p = room(a, 1);
    if (!p.at) return p;
    if (i == a->atom_count) a->atoms[a->atom_count++] = e;
    p.at[0].power[i] = p.at[0].degree = 1;
    p.at[0].coefficient = 1;
    p.count = 1;
    return p;
}

polynomial taut_polynomial_scale(algebra *a, polynomial p, wide factor)
{
    polynomial r = room(a, p.count);
    if (!r.at || factor == 0) return r;
    for (; r.count < p.count; r.count++) {
        r.at[r.count] = p.at[r.count];
        r.at[r.count].coefficient *= factor;
    }
    return r;
}

/* Descending. */
static int order(const monomial *x, const monomial *y)
{
    if (x->degree != y->degree) return x->degree > y->degree ? -1 : 1;
    return -memcmp(x->power, y->power, sizeof x->power);
}

static int compare(const void *x, const void *y) { return order(x, y); }

/* x + y, or 0 when only rounding errors are left of them. */
static wide sum(wide x, wide y)
{
    wide s = x + y;
    return WIDE(fabs)(s) <= (wide)CANCELLED * (WIDE(fabs)(x) + WIDE(fabs)(y)) ? 0 : s;
}

polynomial taut_polynomial_add(algebra *a, polynomial p, polynomial q)
{
    polynomial r = room(a, p.count + q.count);
    size_t i = 0, j = 0;
    if (!r.at) return r;
    a->work += p.count + q.count;
    while (i < p.count || j < q.count) {
        int side = i == p.count ? 1 : j == q.count ? -1 : order(&p.at[i], &q.at[j]);
        monomial *m = &r.at[r.count];
        *m = side <= 0 ? p.at[i] : q.at[j];
        if (side == 0) m->coefficient = sum(p.at[i].coefficient, q.at[j].coefficient);
        i += side <= 0;
        j += side >= 0;
        r.count += m->coefficient != 0;
    }
    return r;
}

static int multiply_monomials(const monomial *x, const monomial *y, monomial *z)
{
    if (x->degree + y->degree > POLYNOMIAL_DEGREE) return 0;
    for (int i = 0; i < POLYNOMIAL_ATOMS; i++) z->power[i] = (uint8_t)(x->power[i] + y->power[i]);
    z->degree = (uint8_t)(x->degree + y->degree);
    z->coefficient = x->coefficient * y->coefficient;
    return 1;
}

polynomial taut_polynomial_multiply(algebra *a, polynomial p, polynomial q)
{
    polynomial r = { NULL, 0 };
    size_t products = p.count * q.count, used = 0;
    a->work += products;
    if (products > 20 * POLYNOMIAL_TERMS || a->work > ALGEBRA_WORK) taut_algebra_too_large(a);
    monomial *all = a->failed ? NULL : taut_algebra_memory(a, products, sizeof *all);
    if (!all) return r;
    for (size_t i = 0; i < p.count; i++)
        for (size_t j = 0; j < q.count; j++)
            if (!multiply_monomials(&p.at[i], &q.at[j], &all[used++])) {
                taut_algebra_too_large(a);
                return r;
            }
    qsort(all, used, sizeof *all, compare);
    r.at = all;
    for (size_t i = 0; i < used;) { /* gathers equal monomials, in place */
        monomial m = all[i];
        for (i++; i < used && order(&m, &all[i]) == 0; i++) m.coefficient = sum(m.coefficient, all[i].coefficient);
        if (m.coefficient != 0) r.at[r.count++] = m;
    }
    if (r.count > POLYNOMIAL_TERMS) taut_algebra_too_large(a);
    return r;
}

static int divide_monomials(const monomial *x, const monomial *y, monomial *z)
{
    if (x->degree < y->degree) return 0;
    for (int i = 0; i < POLYNOMIAL_ATOMS; i++) {
        if (x->power[i] < y->power[i]) return 0;
        z->power[i] = (uint8_t)(x->power[i] - y->power[i]);
    }
    z->degree = (uint8_t)(x->degree - y->degree);
    z->coefficient = x->coefficient / y->coefficient;
    return 1;
}

int taut_polynomial_divide(algebra *a, polynomial p, polynomial q, polynomial *quotient)
{
    polynomial result = room(a, p.count + 1);
    if (!result.at || !q.count) return 0;
    while (p.count) {
        monomial m = { 0 };
        if (a->failed || result.count > p.count + 400 || result.count + 1 >= POLYNOMIAL_TERMS) return 0;
        if (!divide_monomials(&p.at[0], &q.at[0], &m)) return 0;
        polynomial grown = room(a, result.count + 1), single = room(a, 1);
        if (!grown.at || !single.at) return 0;
        memcpy(grown.at, result.at, result.count * sizeof m);
        grown.at[result.count] = m;
        grown.count = result.count + 1;
        result = grown;
        m.coefficient = -m.coefficient;
        single.at[0] = m;
        single.count = 1;
        polynomial rest = taut_polynomial_add(a, p, taut_polynomial_multiply(a, single, q));
        if (a->failed || !rest.at || (rest.count && order(&rest.at[0], &p.at[0]) <= 0)) return 0; /* the head must have
                                                                                                     gone */
        p = rest;
    }
    *quotient = result;
    return 1;
}

int taut_polynomial_equal(polynomial p, polynomial q)
{
    if (p.count != q.count) return 0;
    for (size_t i = 0; i < p.count; i++)
        if (order(&p.at[i], &q.at[i]) != 0 || sum(p.at[i].coefficient, -q.at[i].coefficient) != 0) return 0;
    return 1;
}

int taut_polynomial_is_number(polynomial p, wide value)
{
    return p.count == 1 && p.at[0].degree == 0 && p.at[0].coefficient == value;
}
