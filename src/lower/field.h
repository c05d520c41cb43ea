/* The equations of motion that Runge-Kutta schemes integrate (method/formulation.h) in symbols: (q', p') at the state,
 * with multipliers solved for. The equations of each stand in the formulation_*.c of src/method. */
#ifndef TAUT_LOWER_FIELD_H
#define TAUT_LOWER_FIELD_H

#include "lower/motion.h"

typedef enum { FIELD_NAIVE, FIELD_EXTENDED, FIELD_DIRAC, FIELD_BRACKET } field_type;

/* Expressions of the state's q, w and t; the velocities are of q, p and t. Each solution has its pivots: pairs with
   what they are made of. */
typedef struct {
    expr *velocity;           /* n: w that belongs to p; NULL: it is p */
    expr *velocity_checks;
    size_t velocity_check_count; /* pairs */
    expr *g, *psi;            /* the constraints and their rates, c; of the bracket NULL */
    expr *rate;               /* q' and p', 2n */
    expr *lambda;             /* c; NULL: the field leaves them alone */
    expr *checks;
    size_t check_count;
} field_symbols;

void X(field_table)(step_table *t);
/* y stands on that table. The lists live as long as the symbols. TAUT_UNSUPPORTED where equations are not linear in
   what they are solved for, or where there is no fixed order of elimination. */
int X(field_symbols_find)(symbols *y, field_type type, field_symbols *f);

#endif
