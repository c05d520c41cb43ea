#include "system/vector.h"

#include "base/extreme.h"
#include "base/loops.h"
#include "system/state.h"

/* A loop: its arrays, and what does numbers from .. to - 1 of it. */
typedef struct job {
    void (*part)(struct job *j, size_t from, size_t to, int worker);
    size_t length;
    int terms;
    const real *factors, *const *x;
    const real *base, *low;
    real *out, *out_low;
    extreme *most;                   /* seen by each thread */
} job;

static void piece(void *self, int index, int worker)
{
    job *j = self;
    j->part(j, pool_begin(j->length, POOL_NUMBERS, index), pool_begin(j->length, POOL_NUMBERS, index + 1), worker);
}

static void run(pool *p, job *j)
{
    if (j->length > POOL_NUMBERS)
        taut_pool_run(p, pool_pieces(j->length, POOL_NUMBERS), piece, j);
    else
        j->part(j, 0, j->length, 0);
}

/* ---- sums ---- */

static WIDE_LOOPS void scale(const real factor, const real *restrict x, size_t from, size_t to, real *restrict out)
{
    for (size_t k = from; k < to; k++) out[k] = factor * x[k];
}

static WIDE_LOOPS void add(const real factor, const real *restrict x, size_t from, size_t to, real *restrict out)
{
    for (size_t k = from; k < to; k++) out[k] += factor * x[k];
}

static void combine_part(job *j, size_t from, size_t to, int worker)
{
    (void)worker;
    scale(j->factors[0], j->x[0], from, to, j->out);
    for (int i = 1; i < j->terms; i++)
        if (j->factors[i] != 0) add(j->factors[i], j->x[i], from, to, j->out);
}

void X(vector_combine)(pool *p, size_t length, int terms, const real *factors, const real *const *x, real *out)
{
    job j = { .part = combine_part, .length = length, .terms = terms, .factors = factors, .x = x, .out = out };
    run(p, &j);
}

static void add_part(job *j, size_t from, size_t to, int worker)
{
    (void)worker;
    add(*j->factors, *j->x, from, to, j->out);
}

void X(vector_add)(pool *p, size_t length, real factor, const real *x, real *out)
{
    job j = { .part = add_part, .length = length, .factors = &factor, .x = &x, .out = out };
    run(p, &j);
}

/* ---- what is moved from a base ---- */

static WIDE_LOOPS void move_by(const real *restrict base, const real *restrict low, size_t from, size_t to,
                               real *restrict out)
{
    for (size_t k = from; k < to; k++) out[k] = base[k] + (out[k] + low[k]);
}

static WIDE_LOOPS void move_by_one(const real *restrict base, const real *restrict low, real f, const real *restrict v,
                                   size_t from, size_t to, real *restrict out)
{
    for (size_t k = from; k < to; k++) out[k] = base[k] + (f * v[k] + low[k]);
}

static WIDE_LOOPS void move_by_two(const real *restrict base, const real *restrict low, real f, const real *restrict v,
                                   real g, const real *restrict u, size_t from, size_t to, real *restrict out)
{
    for (size_t k = from; k < to; k++) out[k] = base[k] + (f * v[k] + g * u[k] + low[k]);
}

static void move_part(job *j, size_t from, size_t to, int worker)
{
    (void)worker;
    if (j->terms == 1) { /* the two that occur most, in one pass */
        move_by_one(j->base, j->low, j->factors[0], j->x[0], from, to, j->out);
    } else if (j->terms == 2) {
        move_by_two(j->base, j->low, j->factors[0], j->x[0], j->factors[1], j->x[1], from, to, j->out);
    } else {
        for (size_t k = from; k < to; k++) j->out[k] = 0;
        for (int i = 0; i < j->terms; i++) add(j->factors[i], j->x[i], from, to, j->out);
        move_by(j->base, j->low, from, to, j->out);
    }
}

void X(vector_move)(pool *p, size_t length, int terms, const real *factors, const real *const *x, const real *base,
                    const real *low, real *out)
{
    job j = { .part = move_part, .length = length, .terms = terms, .factors = factors, .x = x, .base = base,
              .low = low, .out = out };
    run(p, &j);
}

/* ---- others ---- */

static WIDE_LOOPS void subtract(const real *restrict x, const real *restrict low, size_t from, size_t to,
                                real *restrict out)
{
    for (size_t k = from; k < to; k++) out[k] = (out[k] - x[k]) - low[k];
}

static void subtract_part(job *j, size_t from, size_t to, int worker)
{
    (void)worker;
    subtract(j->base, j->low, from, to, j->out);
}

void X(vector_subtract)(pool *p, size_t length, const real *x, const real *low, real *out)
{
    job j = { .part = subtract_part, .length = length, .base = x, .low = low, .out = out };
    run(p, &j);
}

static WIDE_LOOPS void multiply(const real *w, const real *x, size_t from, size_t to, real *out)
{
    for (size_t k = from; k < to; k++) out[k] = w[k] * x[k];
}

static void multiply_part(job *j, size_t from, size_t to, int worker)
{
    (void)worker;
    multiply(j->base, *j->x, from, to, j->out);
}

void X(vector_multiply)(pool *p, size_t length, const real *w, const real *x, real *out)
{
    if (length <= POOL_NUMBERS) {
        for (size_t k = 0; k < length; k++) out[k] = w[k] * x[k];
        return;
    }
    job j = { .part = multiply_part, .length = length, .base = w, .x = &x, .out = out };
    run(p, &j);
}

static void compensated_part(job *j, size_t from, size_t to, int worker)
{
    (void)worker;
    X(add_compensated)(j->out + from, j->out_low + from, *j->x + from, (uint32_t)(to - from));
}

void X(vector_add_compensated)(pool *p, size_t length, real *x, real *low, const real *d)
{
    job j = { .part = compensated_part, .length = length, .x = &d, .out = x, .out_low = low };
    run(p, &j);
}

static WIDE_LOOPS extreme largest(const real *x, size_t from, size_t to)
{
    extreme seen = 0;
    for (size_t k = from; k < to; k++) seen = extreme_see(seen, x[k]);
    return seen;
}

static void largest_part(job *j, size_t from, size_t to, int worker)
{
    j->most[worker] = extreme_join(j->most[worker], largest(*j->x, from, to));
}

real X(vector_largest)(pool *p, size_t length, const real *x)
{
    extreme most = 0, seen[POOL_THREADS_MOST];
    const int threads = taut_pool_threads(p);
    job j = { .part = largest_part, .length = length, .x = &x, .most = seen };
    for (int k = 0; k < threads; k++) seen[k] = 0;
    run(p, &j);
    for (int k = 0; k < threads; k++) most = extreme_join(most, seen[k]);
    return extreme_value(most);
}
