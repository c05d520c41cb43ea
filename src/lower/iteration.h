/* When an iteration of a lowered step ends: the one place that says so. Verdicts are written in words: NUMBER_OF(a
 * constant), PRODUCT, IS_BELOW, IS_AT_MOST, BOTH, EITHER, NOT, CHOSEN(where, this, that), WHERE(a flag of the phase,
 * this), ENDS_WHERE. The builder of flows (flow.c) makes instructions of them, which all executors print: so every
 * executor decides alike, to the bit. */
#ifndef TAUT_LOWER_ITERATION_H
#define TAUT_LOWER_ITERATION_H

/* The second: with rough matrices. Up to the third, a new matrix that brings little is not the end. */
enum { ITERATIONS_MOST = 12, ITERATIONS_ROUGH = 24, ITERATIONS_PATIENT = 4 };

/* PIVOT_LEAST: pivots below so much of what they are made of have lost too many digits; above PIVOT_SURE they have lost
   hardly any. A correction of linear equations that moves so little is right to the last digits, and no second one is
   needed: LINEAR_SOUND with pivots above PIVOT_SOUND, LINEAR_SURE with pivots that are sure, LINEAR_ENOUGH with others.
   ITERATION_SMALL: below, a new matrix does not pay. */
#define PIVOT_LEAST 1e-5
#define PIVOT_SURE 1e-2
#define PIVOT_SOUND 3e-1
#define LINEAR_SURE 1e-3
#define LINEAR_SOUND 3e-2
#define LINEAR_ENOUGH 1e-7
#define ITERATION_SMALL 1e-13
/* The same in single precision. */
#define SINGLE_PIVOT_LEAST 1e-3
#define SINGLE_PIVOT_SURE 1e-1
#define SINGLE_PIVOT_SOUND 1e-1
#define SINGLE_LINEAR_SURE 1e-2
#define SINGLE_LINEAR_SOUND 1e-2
#define SINGLE_LINEAR_ENOUGH 1e-4
#define SINGLE_ITERATION_SMALL 5e-5

typedef struct {
    int linear;               /* the matrix does not depend on the unknowns */
    int always;               /* the matrix is formed in every iteration: convergence is quadratic */
    int skip_first;           /* the first correction is of lower order than the next: it says nothing of them */
    int rough;                /* the matrix leaves something out: corrections shrink by a factor, and no faster with a
                                 new one */
    int twice;                /* each matrix is used for two corrections, the second by what the first leaves */
    double enough;            /* a relative correction that is small enough to be the last */
    double rest;              /* the same for the estimated one that is left out */
    double epsilon;           /* of the arithmetic */
    double floor;             /* below it, stagnation with a fresh matrix is round-off of an ill-conditioned problem */
} iteration;

static inline int iteration_most(const iteration *f) { return f->rough ? ITERATIONS_ROUGH : ITERATIONS_MOST; }

/* Of several reasons to end the usual one stands first, of two conditions the one that decides last (expect.c). first, second, size, before: sizes of corrections; unit: what they are compared with; linear: the
   largest correction of linear equations that needs no second one. */

/* Pivots: are all of them sound, are they sure? */
#define LINEAR_LARGEST(sound, sure) \
    CHOSEN(sound, NUMBER_OF(LINEAR_SOUND), CHOSEN(sure, NUMBER_OF(LINEAR_SURE), NUMBER_OF(LINEAR_ENOUGH)))

/* After two corrections with one matrix, of the relative sizes first/unit and second/unit. Both come from one residual:
   the error of the matrix's elimination is that of linear equations, and the third correction would be second/first as
   large. Where the second one is not half of the first it is round-off, or there is no hope. */
#define TWO_STAY(first, second) IS_BELOW(first, PRODUCT(NUMBER_OF(2), second))
#define TWO_END(f, first, second, unit, linear_largest) \
    ENDS_WHERE(BOTH(IS_AT_MOST(first, PRODUCT(linear_largest, unit)), \
                    IS_AT_MOST(PRODUCT(second, second), PRODUCT(PRODUCT(NUMBER_OF((f)->rest), unit), first)))) \
    ENDS_WHERE(IS_AT_MOST(first, PRODUCT(NUMBER_OF((f)->enough), unit))) \
    ENDS_WHERE(BOTH(IS_AT_MOST(second, PRODUCT(NUMBER_OF((f)->floor), unit)), TWO_STAY(first, second)))

/* Where the iteration goes on after two corrections with one matrix: is one more with it enough? Each of them is about
   twice second/first of the one before; what comes after the third is counted twice. */
#define ONE_MORE_ENDS(f, first, second, unit, linear) \
    BOTH(IS_AT_MOST(first, PRODUCT(linear, unit)), \
         IS_BELOW(PRODUCT(PRODUCT(PRODUCT(NUMBER_OF(8), second), second), second), \
                  PRODUCT(PRODUCT(PRODUCT(NUMBER_OF((f)->rest), unit), first), first)))

/* After further corrections with that matrix, the last of them of the relative size last/unit: each of them is about
   twice second/first of the one before, and what is left counts twice. Where they do not end the iteration it goes on
   with a new matrix. */
#define FURTHER_ENDED(f, first, second, last, unit, linear) \
    BOTH(IS_AT_MOST(first, PRODUCT(linear, unit)), \
         IS_AT_MOST(PRODUCT(PRODUCT(NUMBER_OF(2), second), PRODUCT(NUMBER_OF(2), last)), \
                    PRODUCT(PRODUCT(NUMBER_OF((f)->rest), unit), first)))

/* After correction k, of the relative size size/unit, which is `rate` times the one before; counts: it is not the first
   one of those to be skipped; later: nor the first behind them; fresh: the matrix is of this place. The first
   correction with a new matrix may be as large as one with a matrix that was of little use, hence patience. */
#define PLAIN_STAYS(rate) IS_BELOW(NUMBER_OF(1), PRODUCT(NUMBER_OF(2), rate))
#define PLAIN_ENDS(f, counts, later, size, rate, unit, linear_largest, fresh) \
    ENDS_WHERE(WHERE((f)->linear, BOTH(counts, IS_AT_MOST(size, PRODUCT(linear_largest, unit))))) \
    ENDS_WHERE(BOTH(later, BOTH(IS_BELOW(rate, NUMBER_OF(1)), \
                                IS_AT_MOST(PRODUCT(PRODUCT(rate, size), (f)->always ? (rate) : NUMBER_OF(1)), \
                                           PRODUCT(NUMBER_OF((f)->rest), unit))))) \
    ENDS_WHERE(BOTH(counts, IS_AT_MOST(size, PRODUCT(NUMBER_OF((f)->enough), unit)))) \
    ENDS_WHERE(BOTH(BOTH(later, IS_AT_MOST(size, PRODUCT(CHOSEN(fresh, NUMBER_OF((f)->floor), \
                                                                NUMBER_OF(64 * (f)->epsilon)), unit))), \
                    PLAIN_STAYS(rate)))
#define PLAIN_HOPELESS(f, k, later, rate, fresh) \
    BOTH(BOTH(later, PLAIN_STAYS(rate)), \
         BOTH(fresh, NOT(IS_AT_MOST(k, CHOSEN(IS_BELOW(rate, NUMBER_OF(1)), NUMBER_OF(ITERATIONS_PATIENT), \
                                              NUMBER_OF((f)->always ? 0 : 2))))))
#define PLAIN_NEEDS_MATRIX(f, later, size, rate, unit) \
    BOTH(later, EITHER(PLAIN_STAYS(rate), \
                       WHERE(!(f)->always && !(f)->rough, \
                             NOT(EITHER(IS_AT_MOST(PRODUCT(PRODUCT(PRODUCT(rate, rate), rate), size), \
                                                   PRODUCT(NUMBER_OF((f)->enough), unit)), \
                                        IS_AT_MOST(size, PRODUCT(NUMBER_OF(ITERATION_SMALL), unit)))))))

#endif
