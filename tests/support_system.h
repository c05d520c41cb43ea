/* A system and a state of it, from the text of a model. */
#ifndef TAUT_TESTS_SUPPORT_SYSTEM_H
#define TAUT_TESTS_SUPPORT_SYSTEM_H

#include "system/state.h" /* before cmocka.h, which defines a macro fail */

#include "support_core.h"

enum { MOST = 40 }; /* coordinates or constraints of a sample */

/* a factor that is 1 but looks as if it varied */
#define ONE "(cos(a.x)^2 + sin(a.x)^2)"

typedef struct {
    model *m;
    struct system *s;
    state x;
} sample;

static inline void open_sample(sample *z, const char *text)
{
    memset(z, 0, sizeof *z);
    z->m = load(text);
    int status = X(system_create)(z->m, &z->s);
    if (status) print_error("%s\n%s\n", taut_error_text(context), text);
    assert_int_equal(status, TAUT_OK);
    assert_int_equal(X(state_create)(z->s, &z->x), TAUT_OK);
}

static inline void close_sample(sample *z)
{
    X(state_clear)(z->s, &z->x);
    X(system_destroy)(z->s);
    taut_model_free(z->m);
}

#endif
