/* Expressions with a second form, which shows symmetries that the first hides: (a x b).(c x d) is a polynomial of dot
 * products, each an invariant of degree 2, but as a sum over components it is not. Values and derivatives are those of
 * the expression as it was written; the second form may lose digits where it is small. Discrete gradients
 * (expr/discrete.c) take the second form. */
#ifndef TAUT_EXPR_SHOWN_H
#define TAUT_EXPR_SHOWN_H

#include "expr/expr.h"

/* value, seen by discrete gradients as form. */
expr taut_expr_shown(graph *g, expr value, expr form);
/* value, which is the triple product a.(b x c). */
expr taut_expr_triple(graph *g, expr value, const expr a[3], const expr b[3], const expr c[3]);
/* e without second forms. */
expr taut_expr_plain(graph *g, expr e);

/* The nine components of the triple product that a SHOWN node's second form is; 0 where it is a scalar. */
int taut_expr_is_triple(const graph *g, expr form, expr components[9]);
/* The discrete gradient of a triple product between two places, by its nine components. */
void taut_triple_quotient(graph *g, const expr at0[9], const expr at1[9], expr out[9]);

#endif
