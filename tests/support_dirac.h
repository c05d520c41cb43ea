/* Tests of naive, extended and dirac: a simulation under one of them, its vector field, a place off the constraints. */
#ifndef TAUT_TESTS_SUPPORT_DIRAC_H
#define TAUT_TESTS_SUPPORT_DIRAC_H

#include "support_method.h"

static const char *const formulations[] = { "naive", "extended", "dirac" };
enum { NAIVE, EXTENDED, DIRAC, FORMULATIONS };

static inline simulation *open_text_with(const char *text, const char *method)
{
    simulation *z = open_text(text);
    use_method(z, method);
    return z;
}

static inline void field_at(simulation *z, real t, const real *at, real *rate)
{
    formulation *f = X(method_formulation)(&z->method);
    assert_non_null(f);
    f->class->begin(f->self, &z->x);
    if (f->class->evaluate(f->self, t, at, rate)) fail_msg("%s", taut_error_text(z->m->context));
}

static inline void chi_at(simulation *z, real t, const real *at, real *chi)
{
    formulation *f = X(method_formulation)(&z->method);
    if (f->class->chi(f->self, t, at, chi)) fail_msg("%s", taut_error_text(z->m->context));
}

/* (q,p) of the state */
static inline void place_of(const simulation *z, real *at)
{
    memcpy(at, z->x.q, z->s->n * sizeof(real));
    memcpy(at + z->s->n, z->x.p, z->s->n * sizeof(real));
}

/* In (-1, 1), the same in every precision. */
static inline real noise(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return (real)((double)((*seed >> 20) % (1u << 20)) / (1 << 19) - 1.0);
}

static inline void disturb(real *at, size_t count, real size, uint64_t seed)
{
    for (size_t i = 0; i < count; i++) at[i] += size * noise(&seed);
}

#endif
