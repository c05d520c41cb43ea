/* How far a long call is. */
#include "library/library.h"

int taut_progress_create(taut_context *context, taut_progress **result)
{
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    library_begin(context);
    taut_progress *z = taut_mem_new(context, 1, sizeof *z);
    if (!z) return library_done(context, TAUT_OUT_OF_MEMORY);
    z->context = context;
    taut_context_keep(context);
    *result = z;
    return library_done(context, TAUT_OK);
}

void taut_progress_release(taut_progress *z)
{
    if (!z) return;
    taut_context *context = z->context;
    taut_mem_free(context, z);
    taut_context_release(context);
}

void taut_progress_read(const taut_progress *z, taut_progress_state *state)
{
    if (!z || !state) return;
    const run_progress *p = &z->progress;
    const taut_progress_state found = { .doing = atomic_load(&p->doing),
                                        .part = atomic_load(&p->part),
                                        .parts = atomic_load(&p->parts),
                                        .step = atomic_load(&p->step),
                                        .steps = atomic_load(&p->steps) };
    taut_library_give(&found, sizeof found, state);
}
