/* What the tests of methods share: a simulation from a file of models/ or from a text, and small measures of its
   state. */
#ifndef TAUT_TESTS_SUPPORT_H
#define TAUT_TESTS_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "run/simulation.h" /* before cmocka.h, which defines a macro fail */

#include <cmocka.h>

#ifdef TAUT_REAL_QUAD
#define QUAD 1
#else
#define QUAD 0
#endif

/* Sanitizers make a step some ten times slower: tests of length then run shorter. TAUT_TEST_LONG=1 asks for the full
   length. */
#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED 1
#endif
#endif
#ifndef SANITIZED
#define SANITIZED 0
#endif

static inline simulation *simulation_of(taut_context *context, int status, model *m)
{
    simulation *z = NULL;
    engine_options options = { .method = "rattle" };
    if (!status) status = X(simulation_create)(m, &options, &z);
    if (status) {
        print_error("%s\n", taut_error_text(context));
        fail_msg("no simulation");
    }
    return z;
}

static inline simulation *open_model(const char *name)
{
    char path[512];
    model *m = NULL;
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, name);
    int status = taut_model_read_file(context, path, NULL, 0, &m);
    return simulation_of(context, status, m);
}

static inline simulation *open_text(const char *text)
{
    model *m = NULL;
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    int status = taut_model_read_text(context, "test.lua", text, strlen(text), NULL, 0, &m);
    return simulation_of(context, status, m);
}

static inline void close_model(simulation *z)
{
    model *m = z->m;
    taut_context *context = m->context;
    X(simulation_destroy)(z);
    taut_model_free(m);
    taut_context_destroy(context);
}

static inline real momentum_of(const struct system *s, const symmetry *y, const real *q, const real *p)
{
    real momentum;
    X(symmetry_momenta)(s, y, 1, q, p, &momentum);
    return momentum;
}

static inline void do_steps(simulation *z, long count, real h)
{
    for (long i = 0; i < count; i++)
        if (X(simulation_step)(z, h)) fail_msg("step %ld: %s", i, taut_error_text(z->m->context));
}

/* A copy of the state; free it with state_clear(z->s, copy). */
static inline state save_state(simulation *z)
{
    state copy;
    assert_int_equal(X(state_create)(z->s, &copy), TAUT_OK);
    X(state_copy)(&z->x, &copy);
    return copy;
}

static inline real larger(real a, real b) { return !(a > b) ? b : a; } /* a NaN in either wins or stays */

static inline real distance(const real *x, const real *y, uint32_t n)
{
    real most = 0;
    for (uint32_t i = 0; i < n; i++) most = larger(REAL(fabs)(x[i] - y[i]), most);
    return most;
}

static inline real largest_of(const real *x, uint32_t n)
{
    real most = 0;
    for (uint32_t i = 0; i < n; i++) most = larger(REAL(fabs)(x[i]), most);
    return most;
}

/* value <= bound, with both in the message */
#define assert_at_most(value, bound) \
    do { \
        double value_ = (double)(value), bound_ = (double)(bound); \
        if (!(value_ <= bound_)) fail_msg("%s = %.3e is more than %s = %.3e", #value, value_, #bound, bound_); \
    } while (0)
#define assert_between(value, low, high) \
    do { \
        double value_ = (double)(value), low_ = (double)(low), high_ = (double)(high); \
        if (!(value_ >= low_ && value_ <= high_)) \
            fail_msg("%s = %.6g is not in %g .. %g", #value, value_, low_, high_); \
    } while (0)

#endif
