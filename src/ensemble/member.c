/* A member of an ensemble as a model of its own. */
#include "ensemble/executor.h"

#include <string.h>

static int is_finite(double x) { return x - x == 0; }

static int set_value(model *m, const executor_vary *v, double value)
{
    if (!is_finite(value))
        return taut_fail(m->context, TAUT_NOT_FINITE, "a value of a member is not a finite number");
    if (v->kind == VARY_PARAMETER) {
        m->parameters[v->index].value = taut_wide_from_double(value);
        return TAUT_OK;
    }
    start_value *start = v->kind == VARY_POSITION ? &m->start_q[v->index] : &m->start_w[v->index];
    start->value = taut_expr_number(m->graph, taut_wide_from_double(value));
    if (start->type == START_MISSING) start->type = START_GIVEN;
    return start->value ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

int taut_member_model(taut_context *context, const model *m, const executor_vary *vary, size_t vary_count,
                      const double *values, model **result)
{
    int status = taut_model_copy(context, m, result);
    unsigned char *is_set = status ? NULL : taut_mem_new(context, m->parameter_count, 1);
    if (!status && !is_set) status = TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < vary_count; i++) {
        if (vary[i].kind == VARY_PARAMETER) is_set[vary[i].index] = 1;
        status = set_value(*result, &vary[i], values[i]);
    }
    if (!status) status = taut_model_derive_parameters(*result, is_set);
    taut_mem_free(context, is_set);
    if (status) {
        taut_model_free(*result);
        *result = NULL;
    }
    return status;
}
