/* When an iteration of a lowered step ends. C code that Taut writes contains this text word for word, so that every
 * executor decides alike, to the bit. */
enum { ITERATION_GOES_ON, ITERATION_NEEDS_MATRIX, ITERATION_ENDED, ITERATION_HOPELESS };

#define ITERATIONS_MOST 12

/* Pivots below so much of what they are made of have lost too many digits; above the other they have lost hardly any. */
#define PIVOT_LEAST 1e-5
#define PIVOT_SURE 1e-2

/* A correction of linear equations that moves so little is right to the last digits, and no second one is needed: with
   pivots that are sure, and with others. */
#define LINEAR_SURE 1e-3
#define LINEAR_ENOUGH 1e-7

typedef struct {
    int linear;               /* the matrix does not depend on the unknowns */
    int always;               /* the matrix is formed in every iteration: convergence is quadratic */
    int skip_first;           /* the first correction is of lower order than the next: it says nothing of them */
    double enough;            /* a relative correction that is small enough to be the last */
    double rest;              /* the same for the estimated one that is left out */
    double epsilon;           /* of the arithmetic */
} iteration;

/* After correction k, of relative size `size`; fresh: the matrix is of this place; sure: so are all pivots. */
static inline int iteration_judge(const iteration *f, int k, double size, double before, int fresh, int sure)
{
    if (!(size - size == 0)) return ITERATION_HOPELESS;
    if (k < f->skip_first) return ITERATION_GOES_ON;
    if (size <= f->enough) return ITERATION_ENDED;
    if (f->linear && size <= (sure ? LINEAR_SURE : LINEAR_ENOUGH)) return ITERATION_ENDED;
    if (k <= f->skip_first) return ITERATION_GOES_ON;
    const double rate = size / before;
    if (rate < 1 && rate * size * (f->always ? rate : 1) <= f->rest) return ITERATION_ENDED;
    if (rate > 0.5)
        return size <= 64 * f->epsilon ? ITERATION_ENDED : fresh ? ITERATION_HOPELESS : ITERATION_NEEDS_MATRIX;
    return !f->always && rate * rate * rate * size > f->enough && size > 1e-13 ? ITERATION_NEEDS_MATRIX
                                                                               : ITERATION_GOES_ON;
}
