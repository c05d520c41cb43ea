/* Workspaces of fields: room that grows while fields are prepared. */
#include "field/field.h"

static int grow(taut_context *context, real **numbers, size_t *count, size_t need)
{
    if (need <= *count) return TAUT_OK;
    real *resized = taut_mem_resize(context, *numbers, need, sizeof *resized);
    if (!resized) return TAUT_OUT_OF_MEMORY;
    *numbers = resized;
    *count = need;
    return TAUT_OK;
}

int X(workspace_reserve)(workspace *w, size_t registers, size_t vector, size_t entries)
{
    const size_t threads = (size_t)taut_pool_threads(w->pool);
    int status = TAUT_OK;
    if (registers > w->register_count) { /* else nothing is written: shares prepare the plan's, in many threads */
        size_t have = w->register_count * threads;
        status = grow(w->context, &w->registers, &have, registers * threads);
        w->register_count = have / threads;
    }
    if (!status) status = grow(w->context, &w->vector, &w->vector_count, vector);
    return status ? status : grow(w->context, &w->entries, &w->entry_count, entries);
}

int X(workspace_use)(workspace *w, pool *p)
{
    workspace used = *w;
    used.pool = p;
    used.register_count = 0;
    int status = X(workspace_reserve)(&used, w->register_count, 0, 0);
    if (!status) *w = used;
    return status;
}

void X(workspace_clear)(workspace *w)
{
    if (!w->context) return;
    taut_mem_free(w->context, w->registers);
    taut_mem_free(w->context, w->vector);
    taut_mem_free(w->context, w->entries);
    *w = (workspace){ 0 };
}
