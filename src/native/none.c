/* Where native code is left out of the build: it is never there, and says so. */
#include "native/inside.h"

#if !NATIVE_AVAILABLE
#include <string.h>

struct native {
    taut_context *context;
    int seen;
};

int taut_native_begin(taut_context *context, const char *text, size_t length, const char *entry,
                      const native_options *options, native **result)
{
    (void)text, (void)length, (void)entry, (void)options;
    *result = taut_mem_new(context, 1, sizeof **result);
    if (!*result) return TAUT_OUT_OF_MEMORY;
    (*result)->context = context;
    return TAUT_OK;
}

native_state taut_native_poll(const native *n, void **entry)
{
    (void)n;
    *entry = NULL;
    return NATIVE_FAILED;
}

native_state taut_native_wait(native *n, void **entry) { return taut_native_poll(n, entry); }

const char *taut_native_reason(const native *n)
{
    (void)n;
    return "this build of Taut is without it";
}

void taut_native_facts(const native *n, native_facts *facts)
{
    (void)n;
    memset(facts, 0, sizeof *facts);
    facts->cause = NATIVE_CAUSE_BUILD;
}

int taut_native_first_look(native *n, native_facts *facts)
{
    taut_native_facts(n, facts);
    return !n->seen++;
}

void taut_native_end(native *n)
{
    if (n) taut_mem_free(n->context, n);
}
#endif
