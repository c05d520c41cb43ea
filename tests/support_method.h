/* Tests of one method after the other: puts a method into an open simulation. */
#ifndef TAUT_TESTS_SUPPORT_METHOD_H
#define TAUT_TESTS_SUPPORT_METHOD_H

#include "support.h"

static inline void use_method(simulation *z, const char *text)
{
    method_spec spec;
    int status = X(method_parse)(z->m->context, text, &spec);
    if (!status) {
        X(method_destroy)(&z->method);
        status = X(method_create)(z->s, &spec, 0, &z->method);
    }
    if (status) fail_msg("%s: %s", text, taut_error_text(z->m->context));
}

static inline simulation *open_with(const char *name, const char *method)
{
    simulation *z = open_model(name);
    use_method(z, method);
    return z;
}

#endif
