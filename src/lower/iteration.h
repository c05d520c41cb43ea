/* When an iteration of a lowered step ends. C code that Taut writes contains this text word for word, so that every
 * executor decides alike, to the bit. */
enum { ITERATION_GOES_ON, ITERATION_NEEDS_MATRIX, ITERATION_ENDED, ITERATION_HOPELESS };

#define ITERATIONS_MOST 12

/* PIVOT_LEAST: pivots below so much of what they are made of have lost too many digits; above PIVOT_SURE they have lost
   hardly any. A correction of linear equations that moves so little is right to the last digits, and no second one is
   needed: LINEAR_SURE with pivots that are sure, LINEAR_ENOUGH with others. ITERATION_SMALL: below, a new matrix does
   not pay. */
#ifdef ITERATION_SINGLE
typedef float iteration_number;
#define PIVOT_LEAST 1e-3f
#define PIVOT_SURE 1e-1f
#define LINEAR_SURE 1e-2f
#define LINEAR_ENOUGH 1e-4f
#define ITERATION_SMALL 5e-5f
#else
typedef double iteration_number;
#define PIVOT_LEAST 1e-5
#define PIVOT_SURE 1e-2
#define LINEAR_SURE 1e-3
#define LINEAR_ENOUGH 1e-7
#define ITERATION_SMALL 1e-13
#endif

typedef struct {
    int linear;               /* the matrix does not depend on the unknowns */
    int always;               /* the matrix is formed in every iteration: convergence is quadratic */
    int skip_first;           /* the first correction is of lower order than the next: it says nothing of them */
    iteration_number enough;  /* a relative correction that is small enough to be the last */
    iteration_number rest;    /* the same for the estimated one that is left out */
    iteration_number epsilon; /* of the arithmetic */
    iteration_number floor;   /* below it, stagnation with a fresh matrix is round-off of an ill-conditioned problem */
} iteration;

/* After correction k, of relative size `size`; fresh: the matrix is of this place; sure: so are all pivots. */
static inline int iteration_judge(const iteration *f, int k, iteration_number size, iteration_number before,
                                  int fresh, int sure)
{
    if (!(size - size == 0)) return ITERATION_HOPELESS;
    if (k < f->skip_first) return ITERATION_GOES_ON;
    if (size <= f->enough) return ITERATION_ENDED;
    if (f->linear && size <= (sure ? LINEAR_SURE : LINEAR_ENOUGH)) return ITERATION_ENDED;
    if (k <= f->skip_first) return ITERATION_GOES_ON;
    const iteration_number rate = size / before;
    if (rate < 1 && rate * size * (f->always ? rate : 1) <= f->rest) return ITERATION_ENDED;
    if (2 * rate > 1) {
        if (size <= (fresh ? f->floor : 64 * f->epsilon)) return ITERATION_ENDED;
        return fresh ? ITERATION_HOPELESS : ITERATION_NEEDS_MATRIX;
    }
    if (f->always || rate * rate * rate * size <= f->enough || size <= ITERATION_SMALL) return ITERATION_GOES_ON;
    return ITERATION_NEEDS_MATRIX;
}
