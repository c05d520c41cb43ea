/* One phase of a step in symbols, made ready for elimination: explicit equations solved away, Newton's matrix of the
 * others eliminated in a fixed order. */
#ifndef TAUT_LOWER_REDUCE_H
#define TAUT_LOWER_REDUCE_H

#include "lower/known.h"
#include "lower/symbols.h"

typedef struct {
    expr pivot, reference;    /* reference: the entry as it was, or the first thing subtracted from nothing */
} pivot_check;

typedef struct {
    size_t first, count;      /* unknowns of the phase, in symbols.unknowns */
    expr *equations;          /* count; those of explicit unknowns are not used any more */
    expr *guesses;            /* count */
    unsigned char *is_explicit;
    uint32_t *left;           /* the unknowns that are left, from `first` */
    uint32_t size;            /* how many */
    expr *residual, *change, *weights; /* size each; changes contain LEAF_RIGHT i for residual i */
    expr unit;                /* what a correction is compared with: weights[k] |change k| <= tolerance unit */
    expr *second;             /* size: corrections after `change`, with the same matrix */
    int has_second;
    expr *further;            /* after `second` with the same matrix, size each: one more correction; the sum of
                                 several, and the last of these */
    int has_further;
    pivot_check *checks;
    uint32_t check_count;
    known_sums known;         /* by the constraints, of coefficients of multipliers */
    expr *slopes;             /* count x size: of all unknowns of the phase by those that are left; NULL: their
                                 derivatives */
    expr *matrix;             /* size x size; NULL: the derivatives of the residuals */
    int only_multipliers;     /* what is left are multipliers */
    int is_rough;             /* the matrix: it leaves the curvature of the constraints out, so that all that it has of
                                 coordinates is a constant */
    int degree;               /* of the equations in what is left; 3: more than 2, or no polynomial */
} reduced_phase;

/* Fails with TAUT_UNSUPPORTED, without a message, where there is no fixed order of elimination. Replaces explicit
   unknowns of the symbols by what they are. */
int X(reduce_phase)(symbols *y, int phase, reduced_phase *p);
/* The same for given equations, those of all unknowns of the phase, that are linear in them: without guesses and
   weights, for there is no iteration. TAUT_UNSUPPORTED where they are not. */
int X(reduce_linear)(symbols *y, int phase, const expr *equations, reduced_phase *p);
/* The leaf of unknown i of the phase. */
expr X(reduce_leaf)(symbols *y, const reduced_phase *p, size_t i);
/* The weights of the corrections of the unknowns that are left. TAUT_UNSUPPORTED where no measure says anything. */
int X(reduce_weigh)(symbols *y, int phase, reduced_phase *p);
void X(reduced_clear)(symbols *y, reduced_phase *p);

#endif
