/* When an iteration of a lowered step ends. C code that Taut writes contains this text word for word, so that every
 * executor decides alike, to the bit. */
enum { ITERATION_GOES_ON, ITERATION_NEEDS_MATRIX, ITERATION_ENDED, ITERATION_HOPELESS };

/* The second: with rough matrices. Up to the third, a new matrix that brings little is not the end. */
enum { ITERATIONS_MOST = 12, ITERATIONS_ROUGH = 24, ITERATIONS_PATIENT = 4 };

/* PIVOT_LEAST: pivots below so much of what they are made of have lost too many digits; above PIVOT_SURE they have lost
   hardly any. A correction of linear equations that moves so little is right to the last digits, and no second one is
   needed: LINEAR_SOUND with pivots above PIVOT_SOUND, LINEAR_SURE with pivots that are sure, LINEAR_ENOUGH with others.
   ITERATION_SMALL: below, a new matrix does not pay. */
#ifdef ITERATION_SINGLE
typedef float iteration_number;
#define PIVOT_LEAST 1e-3f
#define PIVOT_SURE 1e-1f
#define PIVOT_SOUND 1e-1f
#define LINEAR_SURE 1e-2f
#define LINEAR_SOUND 1e-2f
#define LINEAR_ENOUGH 1e-4f
#define ITERATION_SMALL 5e-5f
#else
typedef double iteration_number;
#define PIVOT_LEAST 1e-5
#define PIVOT_SURE 1e-2
#define PIVOT_SOUND 3e-1
#define LINEAR_SURE 1e-3
#define LINEAR_SOUND 3e-2
#define LINEAR_ENOUGH 1e-7
#define ITERATION_SMALL 1e-13
#endif

typedef struct {
    int linear;               /* the matrix does not depend on the unknowns */
    int always;               /* the matrix is formed in every iteration: convergence is quadratic */
    int skip_first;           /* the first correction is of lower order than the next: it says nothing of them */
    int rough;                /* the matrix leaves something out: corrections shrink by a factor, and no faster with a
                                 new one */
    int twice;                /* each matrix is used for two corrections, the second by what the first leaves */
    iteration_number enough;  /* a relative correction that is small enough to be the last */
    iteration_number rest;    /* the same for the estimated one that is left out */
    iteration_number epsilon; /* of the arithmetic */
    iteration_number floor;   /* below it, stagnation with a fresh matrix is round-off of an ill-conditioned problem */
} iteration;

static inline int iteration_most(const iteration *f) { return f->rough ? ITERATIONS_ROUGH : ITERATIONS_MOST; }

/* The largest correction of linear equations that needs no second one. sure: 1, if all pivots are, 2, if they are
   sound. */
static inline iteration_number iteration_linear(int sure)
{
    return sure == 2 ? LINEAR_SOUND : sure ? LINEAR_SURE : LINEAR_ENOUGH;
}

/* After two corrections with one matrix, of the relative sizes first/unit and second/unit. Both come from one residual:
   the error of the matrix's elimination is that of linear equations, and the third correction would be second/first as
   large. */
static inline int iteration_judge_two(const iteration *f, iteration_number first, iteration_number second,
                                      iteration_number unit, int sure)
{
    if (!(first - first == 0 && second - second == 0)) return ITERATION_HOPELESS;
    if (first <= f->enough * unit) return ITERATION_ENDED;
    if (first <= iteration_linear(sure) * unit && second * second <= f->rest * unit * first) return ITERATION_ENDED;
    if (2 * second > first) return second <= f->floor * unit ? ITERATION_ENDED : ITERATION_HOPELESS;
    return ITERATION_GOES_ON;
}

#ifndef ITERATION_TWO_AT_MOST
/* Where the iteration goes on after two corrections with one matrix: is one more with it enough? Each of them is about
   twice second/first of the one before; what comes after the third is counted twice. */
static inline int iteration_once_more(const iteration *f, iteration_number first, iteration_number second,
                                      iteration_number unit, int sure)
{
    return first <= iteration_linear(sure) * unit && 8 * second * second * second < f->rest * unit * first * first;
}

/* After further corrections with that matrix, the last of them of the relative size last/unit: each of them is about
   twice second/first of the one before. Where they do not end the iteration it goes on with a new matrix. */
static inline int iteration_judge_further(const iteration *f, iteration_number first, iteration_number second,
                                          iteration_number last, iteration_number unit, int sure)
{
    if (!(last - last == 0)) return ITERATION_HOPELESS;
    const iteration_number left = 2 * second * (2 * last); /* times first, and twice that */
    if (first <= iteration_linear(sure) * unit && left <= f->rest * unit * first) return ITERATION_ENDED;
    return ITERATION_GOES_ON;
}
#endif

/* After correction k, of the relative size size/unit; fresh: the matrix is of this place. Where two corrections
   were made, `before` is the size of the first of them. */
static inline int iteration_judge(const iteration *f, int k, iteration_number size, iteration_number before,
                                  iteration_number unit, int fresh, int sure)
{
    if (f->twice) return iteration_judge_two(f, before, size, unit, sure);
    if (!(size - size == 0)) return ITERATION_HOPELESS;
    if (k < f->skip_first) return ITERATION_GOES_ON;
    if (size <= f->enough * unit) return ITERATION_ENDED;
    if (f->linear && size <= iteration_linear(sure) * unit) return ITERATION_ENDED;
    if (k <= f->skip_first) return ITERATION_GOES_ON;
    const iteration_number rate = size / before;
    if (rate < 1 && rate * size * (f->always ? rate : 1) <= f->rest * unit) return ITERATION_ENDED;
    if (2 * rate > 1) {
        if (size <= (fresh ? f->floor : 64 * f->epsilon) * unit) return ITERATION_ENDED;
        /* the first correction with a new matrix may be as large as one with a matrix that was of little use */
        const int patient = k <= (rate < 1 ? ITERATIONS_PATIENT : f->always ? 0 : 2);
        return fresh && !patient ? ITERATION_HOPELESS : ITERATION_NEEDS_MATRIX;
    }
    if (f->always || f->rough || rate * rate * rate * size <= f->enough * unit || size <= ITERATION_SMALL * unit)
        return ITERATION_GOES_ON;
    return ITERATION_NEEDS_MATRIX;
}
