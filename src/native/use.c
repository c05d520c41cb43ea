/* The setting of a simulation: what the user wants, and what became of it. */
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "native/inside.h"

int taut_native_mode(const char *name)
{
    static const struct { const char *name; int mode; } all[] = {
        { "auto", TAUT_NATIVE_AUTO }, { "on", TAUT_NATIVE_ON }, { "off", TAUT_NATIVE_OFF } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strcmp(name, all[i].name) == 0) return all[i].mode;
    return -1;
}

void taut_native_use_begin(native_use *use, int mode)
{
    const char *wanted = mode == TAUT_NATIVE_DEFAULT ? getenv("TAUT_NATIVE") : NULL;
    int found = wanted ? taut_native_mode(wanted) : mode;
    *use = (native_use){ .mode = found > TAUT_NATIVE_DEFAULT ? found : TAUT_NATIVE_AUTO };
}

int taut_native_wants_compiler(const native_use *use, int has_machine_code)
{
    if (!use || use->mode == TAUT_NATIVE_OFF) return 0;
    const char *named = use->options.compiler ? use->options.compiler : getenv("TAUT_CC");
    const int wanted = !has_machine_code && taut_native_pays(use, use->steps, NATIVE_STEPS);
    return use->mode == TAUT_NATIVE_ON || wanted || (named && *named);
}

int taut_native_pays(const native_use *use, double saves, double costs)
{
    return !use || use->mode == TAUT_NATIVE_ON || use->steps == 0 || saves >= costs;
}

/* Notes how it ended, once. */
static void note_end(native_use *use, native *n)
{
    native_facts facts;
    if (!taut_native_first_look(n, &facts)) return;
    use->pending--;
    if (facts.cause == NATIVE_CAUSE_NOT_CACHED) return; /* others were at work: interpreted, and no failure */
    if (!facts.cause) {
        use->ready++;
        use->cached += facts.cached;
        if (facts.seconds > use->seconds) use->seconds = facts.seconds;
    } else if (!use->failed++) {
        use->cause = facts.cause;
        taut_text_format(use->reason, sizeof use->reason, "%s", taut_native_reason(n));
    }
}

void *taut_native_take(native_use *use, native *n)
{
    void *entry;
    if (taut_native_poll(n, &entry) != NATIVE_PENDING) note_end(use, n);
    return entry;
}

/* The options of a request. */
static native_options options_of(const native_use *use)
{
    native_options options = use->options;
    if (use->mode == TAUT_NATIVE_AUTO && !options.delay) options.delay = NATIVE_DELAY;
    return options;
}

int taut_native_request_more(const native_use *use, taut_context *context, const char *text, size_t length,
                             const char *entry, native **result)
{
    *result = NULL;
    if (!use || use->mode == TAUT_NATIVE_OFF) return TAUT_OK;
    const native_options options = options_of(use);
    return taut_native_begin(context, text, length, entry, &options, result);
}

int taut_native_request(native_use *use, taut_context *context, const char *text, size_t length, const char *entry,
                        native **result)
{
    void *found;
    *result = NULL;
    if (!use || use->mode == TAUT_NATIVE_OFF) return TAUT_OK;
    native_options options = options_of(use);
    if (use->mode == TAUT_NATIVE_AUTO && use->pending >= NATIVE_AT_ONCE) options.cache_only = 1;
    int status = taut_native_begin(context, text, length, entry, &options, result);
    if (status) return status;
    use->asked++;
    use->pending++;
    if (use->mode != TAUT_NATIVE_ON || taut_native_wait(*result, &found) == NATIVE_READY) return TAUT_OK;
    status = taut_fail(context, TAUT_UNSUPPORTED, "native code is not available: %s", taut_native_reason(*result));
    taut_native_take(use, *result);
    taut_native_end(*result);
    *result = NULL;
    return status;
}

void taut_native_drop(native_use *use, native *n)
{
    void *entry;
    if (!n) return;
    if (use && taut_native_poll(n, &entry) == NATIVE_PENDING)
        use->pending--;
    else if (use)
        note_end(use, n);
    taut_native_end(n);
}
