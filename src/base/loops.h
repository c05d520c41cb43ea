/* Loops over long arrays, compiled for the vector units of several processors; which one runs is decided when the
   program is loaded. The bits are the same: every element is computed by the same operations, none of them fused. */
#ifndef TAUT_BASE_LOOPS_H
#define TAUT_BASE_LOOPS_H

/* VECTOR_LOOPS is for loops that are written with vectors of 256 bits. Neither is used with clang, whose builds are for
   checking, nor under sanitizers, which cannot follow the choice; and binary128 has no vectors. */
#if defined(__x86_64__) && defined(__gnu_linux__) && defined(__GNUC__) && !defined(__clang__) \
    && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(TAUT_REAL_QUAD)
#define WIDE_LOOPS __attribute__((target_clones("avx512f", "avx2", "default")))
#define VECTOR_LOOPS __attribute__((target_clones("avx2", "default")))
#else
#define WIDE_LOOPS
#define VECTOR_LOOPS
#endif

#endif
