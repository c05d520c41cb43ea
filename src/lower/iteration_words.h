/* The words of iteration.h as C, and its verdicts as functions: for texts. */
#define NUMBER_OF(constant) (constant)
#define PRODUCT(a, b) ((a) * (b))
#define IS_BELOW(a, b) ((a) < (b))
#define IS_AT_MOST(a, b) ((a) <= (b))
#define BOTH(a, b) ((a) && (b))
#define EITHER(a, b) ((a) || (b))
#define NOT(a) (!(a))
#define WHERE(flag, a) ((flag) && (a))
#define CHOSEN(a, b, c) ((a) ? (b) : (c))
#define ENDS_WHERE(a) if (a) return ITERATION_ENDED;

static inline double iteration_linear(int sure) { return LINEAR_LARGEST(sure == 2, sure); }

static inline int iteration_judge(const iteration *f, int k, double size, double before, double unit, int fresh,
                                  int sure)
{
    const double linear = iteration_linear(sure), rate = size / before;
    const int counts = k >= f->skip_first, later = k > f->skip_first;
    if (f->twice) {
        if (!(before - before == 0 && size - size == 0)) return ITERATION_HOPELESS;
        TWO_END(f, before, size, unit, linear)
        return TWO_STAY(before, size) ? ITERATION_HOPELESS : ITERATION_GOES_ON;
    }
    if (!(size - size == 0)) return ITERATION_HOPELESS;
    PLAIN_ENDS(f, counts, later, size, rate, unit, linear, fresh)
    if (PLAIN_HOPELESS(f, k, later, rate, fresh)) return ITERATION_HOPELESS;
    return PLAIN_NEEDS_MATRIX(f, later, size, rate, unit) ? ITERATION_NEEDS_MATRIX : ITERATION_GOES_ON;
}

static inline int iteration_once_more(const iteration *f, double first, double second, double unit, int sure)
{
    return ONE_MORE_ENDS(f, first, second, unit, iteration_linear(sure));
}

static inline int iteration_judge_further(const iteration *f, double first, double second, double last, double unit,
                                          int sure)
{
    if (!(last - last == 0)) return ITERATION_HOPELESS;
    return FURTHER_ENDED(f, first, second, last, unit, iteration_linear(sure)) ? ITERATION_ENDED
                                                                              : ITERATION_GOES_ON;
}
