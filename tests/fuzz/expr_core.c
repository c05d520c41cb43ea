#include "expr_core.h"

#include "field/field.h"

int X(fuzz_field)(graph *g, expr f, expr_lookup lookup, void *user, const wide *x, wide *value, wide *gradient)
{
    taut_context *context = taut_graph_context(g);
    workspace w = { .context = context };
    family terms = { .row_count = 1 };
    field *made = NULL;
    real at[EXPR_VARIABLES], out = 0, slopes[EXPR_VARIABLES] = { 0 }, *constants = NULL;
    const uint32_t sizes[KIND_COUNT] = { [KIND_Q] = EXPR_VARIABLES, [KIND_T] = 1 };
    store *s = taut_store_create(context, g);
    if (!s) return TAUT_OUT_OF_MEMORY;
    int status = taut_family_add(s, &terms, 0, f);
    const size_t count = taut_store_constant_count(s);
    if (!status && !(constants = taut_mem_new(context, count + 1, sizeof *constants))) status = TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) {
        wide exact;
        status = taut_expr_value(g, taut_store_constants(s)[i], lookup, user, &exact);
        constants[i] = (real)exact;
    }
    if (!status) status = X(field_create)(s, &terms, sizes, constants, &w, &made);
    if (!status) status = X(field_prepare_values)(made);
    if (!status) status = X(field_prepare_gradient)(made, KIND_Q);
    if (!status) {
        for (int i = 0; i < EXPR_VARIABLES; i++) at[i] = (real)x[i];
        const place here = { .x = { [KIND_Q] = at }, .work = &w };
        X(field_values)(made, &here, &out);
        X(field_gradient)(made, KIND_Q, &here, NULL, slopes);
        *value = (wide)out;
        for (int i = 0; i < EXPR_VARIABLES; i++) gradient[i] = (wide)slopes[i];
    }
    X(field_destroy)(made);
    taut_mem_free(context, constants);
    taut_family_clear(s, &terms);
    taut_store_destroy(s);
    X(workspace_clear)(&w);
    return status;
}
