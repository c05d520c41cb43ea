/* What the tests of the Galerkin integrators share. */
#ifndef TAUT_TESTS_SUPPORT_GALERKIN_H
#define TAUT_TESTS_SUPPORT_GALERKIN_H

#include "support.h"

static const char *const algorithms[] = { "LLL", "LGL", "LLG", "LGG", "ELL", "EGL", "ELG", "EGG" };
enum { ALGORITHMS = 8 };

/* Gives the simulation another method. */
static inline void use_galerkin(simulation *z, const char *name, int m)
{
    char text[64];
    method_spec spec;
    snprintf(text, sizeof text, "galerkin:%s,m=%d", name, m);
    X(method_destroy)(&z->method);
    int status = X(method_parse)(z->m->context, text, &spec);
    if (!status) status = X(method_create)(z->s, &spec, 0, &z->method);
    if (status) fail_msg("%s: %s", text, taut_error_text(z->m->context));
}

static inline method_info declared_galerkin(simulation *z, const char *name, int m)
{
    char text[64];
    method_spec spec;
    snprintf(text, sizeof text, "galerkin:%s,m=%d", name, m);
    assert_int_equal(X(method_parse)(z->m->context, text, &spec), TAUT_OK);
    return X(method_declared)(&spec);
}

#endif
