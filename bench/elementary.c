/* The elementary functions of base/elementary.h beside those of the C library: time per call, and the ratio.
 * usage: elementary   Process CPU time, the least of many batches, the two functions in turn. `apart`: arguments that
 * do not depend on each other; `chain`: each argument waits for the result before. */
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/elementary.h"

enum { COUNT = 2048, BATCHES = 60, REPEAT = 8 };

static double xs[COUNT], ys[COUNT];
static volatile double sink, zero; /* zero: a product with it is not computed in advance */

static uint64_t seed = 88172645463325252u;

static double uniform(double low, double high)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return low + (high - low) * ((double)(seed >> 11) * 0x1p-53);
}

/* Each function is called from loops of its own, as it would be in a program. */
#define LOOPS(NAME, CALL)                                                 \
    static double apart_##NAME(void)                                      \
    {                                                                     \
        double sum = 0;                                                   \
        for (int i = 0; i < COUNT; i++) {                                 \
            const double x = xs[i], y = ys[i];                            \
            (void)y;                                                      \
            sum += CALL;                                                  \
        }                                                                 \
        return sum;                                                       \
    }                                                                     \
    static double chain_##NAME(void)                                      \
    {                                                                     \
        const double nothing = zero;                                      \
        double last = 0;                                                  \
        for (int i = 0; i < COUNT; i++) {                                 \
            const double x = xs[i] + nothing * last, y = ys[i];           \
            (void)y;                                                      \
            last = CALL;                                                  \
        }                                                                 \
        return last;                                                      \
    }

#define PAIR(NAME, OWN, LIBM) LOOPS(own_##NAME, OWN) LOOPS(libm_##NAME, LIBM)
#define UNARY(NAME) PAIR(NAME, taut_math_##NAME(x), NAME(x))

static double own_both(double x)
{
    double s, c;
    taut_math_sincos(x, &s, &c);
    return s + c;
}

static double libm_both(double x)
{
    double s, c;
    sincos(x, &s, &c);
    return s + c;
}

UNARY(sin)
UNARY(cos)
PAIR(sincos, own_both(x), libm_both(x))
UNARY(tan)
UNARY(asin)
UNARY(acos)
UNARY(atan)
PAIR(atan2, taut_math_atan2(y, x), atan2(y, x))
UNARY(exp)
UNARY(log)
PAIR(pow, taut_math_pow(x, y), pow(x, y))
UNARY(cbrt)
UNARY(sinh)
UNARY(cosh)
UNARY(tanh)
UNARY(atanh)
PAIR(sinc, taut_math_sinc(x, 0), sin(x) / x)

typedef double loop(void);

static const struct {
    const char *name;
    double low, high, low_y, high_y; /* of the arguments */
    loop *own, *libm, *own_chain, *libm_chain;
} rows[] = {
#define ROW(NAME, low, high, low_y, high_y) \
    { #NAME, low, high, low_y, high_y, apart_own_##NAME, apart_libm_##NAME, chain_own_##NAME, chain_libm_##NAME },
    ROW(sin, -10, 10, 0, 0)
    ROW(sin, -0.5, 0.5, 0, 0)
    ROW(sin, 1e5, 1e6, 0, 0)
    ROW(cos, -10, 10, 0, 0)
    ROW(sincos, -10, 10, 0, 0)
    ROW(tan, -10, 10, 0, 0)
    ROW(asin, -1, 1, 0, 0)
    ROW(acos, -1, 1, 0, 0)
    ROW(atan, -5, 5, 0, 0)
    ROW(atan2, -1, 1, -1, 1)
    ROW(exp, -10, 10, 0, 0)
    ROW(log, 0.01, 10, 0, 0)
    ROW(pow, 0.01, 10, -5, 5)
    ROW(cbrt, -10, 10, 0, 0)
    ROW(sinh, -5, 5, 0, 0)
    ROW(cosh, -5, 5, 0, 0)
    ROW(tanh, -5, 5, 0, 0)
    ROW(atanh, -1, 1, 0, 0)
    ROW(sinc, -0.1, 0.1, 0, 0)
};

static double least(loop *run, double best)
{
    double begun = clock_work();
    for (int i = 0; i < REPEAT; i++) sink = run();
    double each = 1e9 * (clock_work() - begun) / COUNT / REPEAT;
    return each < best ? each : best;
}

int main(void)
{
    printf("ns per call        arguments          apart     libm    ratio     chain     libm    ratio\n");
    for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
        double best[4] = { 1e30, 1e30, 1e30, 1e30 };
        char range[64];
        for (int i = 0; i < COUNT; i++) {
            xs[i] = uniform(rows[r].low, rows[r].high);
            ys[i] = uniform(rows[r].low_y, rows[r].high_y);
        }
        for (int b = 0; b < BATCHES; b++) {
            best[0] = least(rows[r].own, best[0]), best[1] = least(rows[r].libm, best[1]);
            best[2] = least(rows[r].own_chain, best[2]), best[3] = least(rows[r].libm_chain, best[3]);
        }
        snprintf(range, sizeof range, "%g .. %g", rows[r].low, rows[r].high);
        printf("%-12s %18s   %10.2f %8.2f %8.2f  %8.2f %8.2f %8.2f\n", rows[r].name, range, best[0], best[1],
               best[0] / best[1], best[2], best[3], best[2] / best[3]);
    }
    return 0;
}
