/* What the tests of expressions share: a graph, short names for its functions, values, random numbers. */
#ifndef TAUT_TESTS_SUPPORT_EXPR_H
#define TAUT_TESTS_SUPPORT_EXPR_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include "expr/expr.h" /* before cmocka, which defines fail() */

#include <cmocka.h>

#ifdef TAUT_HAVE_QUAD
static const wide epsilon = 0x1p-112F128;
#else
static const wide epsilon = 0x1p-63L;
#endif

static taut_context *context;
static graph *g;

static inline int setup(void **state)
{
    (void)state;
    context = taut_context_create(NULL);
    g = context ? taut_graph_create(context) : NULL;
    return g ? 0 : -1;
}

static inline int teardown(void **state)
{
    (void)state;
    taut_graph_destroy(g);
    taut_context_destroy(context);
    return 0;
}

/* ---- values ---- */

typedef wide lookup_function(void *user, op o, kind k, uint32_t index);

static inline wide value_by(lookup_function *lookup, const void *user, expr e)
{
    wide value = 0;
    assert_int_not_equal(e, 0);
    assert_int_equal(taut_expr_value(g, e, lookup, (void *)user, &value), TAUT_OK);
    return value;
}

static wide variables[3] = { 1.25, 0.75, -1.5 }, parameters[2] = { 0.625, 1.75 };

static inline wide lookup(void *user, op o, kind k, uint32_t index)
{
    (void)user;
    (void)k;
    return o == OP_PARAMETER ? parameters[index] : variables[index];
}

static inline wide value_of(expr e) { return value_by(lookup, NULL, e); }

/* ---- random numbers ---- */

static uint64_t random_state;

static inline double uniform(double low, double high)
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15ULL; /* splitmix64 */
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static inline int below(int n) { return (int)uniform(0, n); }

/* ---- building ---- */

static inline expr number(wide value) { return taut_expr_number(g, value); }
static inline expr add(expr a, expr b) { return taut_expr_add(g, a, b); }
static inline expr sub(expr a, expr b) { return taut_expr_sub(g, a, b); }
static inline expr mul(expr a, expr b) { return taut_expr_mul(g, a, b); }
static inline expr quotient(expr a, expr b) { return taut_expr_div(g, a, b); }
static inline expr powi(expr a, int n) { return taut_expr_powi(g, a, n); }
static inline expr unary(op o, expr a) { return taut_expr_unary(g, o, a); }

#endif
