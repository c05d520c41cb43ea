/* How points.c and points_watch.c go through points and bars (bars.h). Numbers stand by component: x.c[c][i] is that of
   point i. */
#ifndef TAUT_METHOD_POINTS_LANES_H
#define TAUT_METHOD_POINTS_LANES_H

#include "base/extreme.h"
#include "base/loops.h"
#include "method/bars.h"
#include "system/state.h"

/* Into functions with WIDE_LOOPS around them, which say for which processor. */
#define POINTS_INSIDE static inline __attribute__((always_inline))

/* So many numbers at once, wherever they stand. */
typedef real lanes __attribute__((vector_size(BARS_LANES * sizeof(real)), aligned(sizeof(real)), may_alias));
#define LANES_AT(x) (*(const lanes *)(x))
#define LANES_TO(x) (*(lanes *)(x))
/* The first `left` of them; zero for the others. */
typedef int64_t lane_bits __attribute__((vector_size(BARS_LANES * sizeof(real))));
#define LANES_FIRST(x, left) \
    ((lanes)((lane_bits)(x) & ((lane_bits){ 0, 1, 2, 3 } < (int64_t)(left))))
/* The last one of `before` and all but the last of x; all but the first of x and the first of `after`. Numbers that
   have just been written are not read across two writes: the processor would wait until they are in the cache. */
#ifdef __clang__
#define LANES_MIX(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)
#define LANES_BEHIND(before, x) __builtin_shufflevector(before, x, 3, 4, 5, 6)
#define LANES_AHEAD(x, after) __builtin_shufflevector(x, after, 1, 2, 3, 4)
#else
#define LANES_MIX(x, y, ...) __builtin_shuffle(x, y, (lane_bits){ __VA_ARGS__ })
#define LANES_BEHIND(before, x) __builtin_shuffle(before, x, (lane_bits){ 3, 4, 5, 6 })
#define LANES_AHEAD(x, after) __builtin_shuffle(x, after, (lane_bits){ 1, 2, 3, 4 })
#endif

/* BODY for every moving point I from a first one on, with each coordinate c of it: J is its place in arrays of the
   state. */
#define POINTS_EACH(B, FIRST, BODY)                                               \
    do {                                                                          \
        const size_t begin_ = (B)->begin, count_ = (B)->points;                   \
        if ((B)->spacing == 3) {                                                  \
            for (size_t i_ = (FIRST); i_ < count_; i_++) {                        \
                const size_t I = begin_ + i_, J = 3 * i_;                         \
                BODY(0, J) BODY(1, J + 1) BODY(2, J + 2)                          \
            }                                                                     \
        } else if ((B)->spacing == 2) {                                           \
            for (size_t i_ = (FIRST); i_ < count_; i_++) {                        \
                const size_t I = begin_ + i_, J = 2 * i_;                         \
                BODY(0, J) BODY(1, J + 1)                                         \
            }                                                                     \
        } else {                                                                  \
            for (size_t i_ = (FIRST); i_ < count_; i_++) {                        \
                const size_t I = begin_ + i_, J = (B)->first[I];                  \
                BODY(0, J)                                                        \
                if ((B)->size[I] > 1) { BODY(1, J + 1) }                          \
                if ((B)->size[I] > 2) { BODY(2, J + 2) }                          \
            }                                                                     \
        }                                                                         \
    } while (0)

/* The same with FOUR for the points I .. I + 3 of space, and ONE for all others. */
#define POINTS_FOURS(B, ...)                                                      \
    do {                                                                          \
        const size_t fours_ = (B)->spacing == 3 ? (B)->points / 4 * 4 : 0;        \
        for (size_t i_ = 0; i_ < fours_; i_ += 4) {                               \
            const size_t I = (B)->begin + i_, J = 3 * i_;                         \
            __VA_ARGS__                                                           \
        }                                                                         \
        POINTS_EACH(B, fours_, ONE);                                              \
    } while (0)

/* BODY for every bar K of a run, with the points A and B_ at its ends. */
#define BARS_OF_RUN(B, RUN, ...)                                                  \
    do {                                                                          \
        const size_t first_ = (RUN)->first, end_ = first_ + (RUN)->count;         \
        if ((RUN)->steady) {                                                      \
            const size_t a_ = (B)->a[first_] - first_, b_ = (B)->b[first_] - first_; \
            for (size_t K = first_; K < end_; K++) {                              \
                const size_t A = a_ + K, B_ = b_ + K;                             \
                __VA_ARGS__                                                       \
            }                                                                     \
        } else {                                                                  \
            for (size_t K = first_; K < end_; K++) {                              \
                const size_t A = (B)->a[K], B_ = (B)->b[K];                       \
                __VA_ARGS__                                                       \
            }                                                                     \
        }                                                                         \
    } while (0)

/* Numbers of the state by component: of four points of space at a time, where all points are such. */
static WIDE_LOOPS void points_spread(const bars *b, const real *restrict from, const vectors *to)
{
    real *restrict x0 = to->c[0], *restrict x1 = to->c[1], *restrict x2 = to->c[2];
#define ONE(c, j) x##c[I] = from[j];
    POINTS_FOURS(b, {
        const lanes first = LANES_AT(from + J), second = LANES_AT(from + J + 4), third = LANES_AT(from + J + 8);
        const lanes x = LANES_MIX(first, second, 0, 3, 6, 0), y = LANES_MIX(first, second, 1, 4, 7, 0);
        const lanes z = LANES_MIX(first, second, 2, 5, 0, 0);
        LANES_TO(x0 + I) = LANES_MIX(x, third, 0, 1, 2, 5), LANES_TO(x1 + I) = LANES_MIX(y, third, 0, 1, 2, 6);
        LANES_TO(x2 + I) = LANES_MIX(z, third, 0, 1, 4, 7);
    });
#undef ONE
}

/* BODY for every bar K, with x0, x1 and x2 the differences of its ends in P, Q and R: in lanes where bars are linked,
   otherwise one by one. BODY gets their type, and how to read and to write numbers of that type. */
#define BARS_EACH(B, P, Q, R, BODY)                                                                      \
    for (uint32_t r_ = 0; r_ < (B)->run_count; r_++) {                                                   \
        const bar_run *run_ = &(B)->runs[r_];                                                            \
        const size_t end_ = (size_t)run_->first + run_->count;                                           \
        if (run_->linked) {                                                                              \
            const size_t a_ = (B)->a[run_->first];                                                       \
            const real *p_ = (P) + a_, *q_ = (Q) + a_, *s_ = (R) + a_;                                   \
            const real at_first[BARS_SPACE] = { p_[-1], q_[-1], s_[-1] };                                \
            lanes pb = { 0 }, qb = { 0 }, rb = { 0 };                                                    \
            pb[BARS_LANES - 1] = at_first[0], qb[BARS_LANES - 1] = at_first[1];                          \
            rb[BARS_LANES - 1] = at_first[2];                                                            \
            for (size_t K = run_->first; K < end_; K += BARS_LANES) {                                    \
                const size_t k_ = K - run_->first, left_ = end_ - K;                                     \
                const lanes pa = LANES_AT(p_ + k_), qa = LANES_AT(q_ + k_), ra = LANES_AT(s_ + k_);      \
                const lanes x0 = pa - LANES_BEHIND(pb, pa), x1 = qa - LANES_BEHIND(qb, qa);              \
                const lanes x2 = ra - LANES_BEHIND(rb, ra);                                              \
                BODY(lanes, LANES_AT, LANES_PUT)                                                         \
                pb = pa, qb = qa, rb = ra;                                                               \
            }                                                                                            \
        } else {                                                                                         \
            BARS_OF_RUN(B, run_, {                                                                       \
                const real x0 = (P)[A] - (P)[B_], x1 = (Q)[A] - (Q)[B_], x2 = (R)[A] - (R)[B_];          \
                BODY(real, ONE_AT, ONE_PUT)                                                              \
            });                                                                                          \
        }                                                                                                \
    }
/* Behind the last bar zeros are written; behind the last one of a run what is written later. */
#define LANES_PUT(x, value) LANES_TO(x) = LANES_FIRST(value, left_)
#define ONE_AT(x) (*(x))
#define ONE_PUT(x, value) *(x) = (value)

#endif
