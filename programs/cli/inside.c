#include "cli/inside.h"

#include <stdlib.h>
#include <string.h>

#include "library/library.h"
#include "method/method.h"
#include "native/native.h"

int inside_load(taut_context *context, const char *path, inside_definitions *d, model **m)
{
    taut_model *loaded = NULL;
    const int code = load_model(context, path, &d->given, &loaded);
    for (size_t i = 0; i < d->given.count; i++)
        d->items[i] = (definition){ d->given.items[i].name, d->given.items[i].text, 1 };
    if (!loaded) return code;
    *m = loaded->m;
    loaded->m = NULL;
    taut_model_release(loaded);
    return code;
}

run_progress *inside_progress(taut_progress *progress) { return progress ? &progress->progress : NULL; }

int inside_precision(const options *o, const engine_api **api)
{
    const char *name = (*api)->name;
    const int code = precision_option(o, &name);
    if (!code) *api = taut_engine_find(name);
    return code;
}

int inside_start(const options *o, int as_is, start_mode *mode)
{
    int start = TAUT_STRICT;
    const int code = start_option(o, as_is, &start);
    *mode = (start_mode)start;
    return code;
}

enum { FREQUENCY_MOST = 100000 }; /* coordinates; `taut check` looks at larger ones */

double inside_unstable(const engine_api *api, void *engine, wide step)
{
    wide frequency = 0;
    const double stable = api->declared(engine)->stable;
    uint32_t coordinates, constraints;
    api->sizes(engine, &coordinates, &constraints);
    if (!(stable > 0) || coordinates > FREQUENCY_MOST) return 0;
    return !api->frequency(engine, &frequency) && frequency * step > stable ? (double)frequency : 0;
}

void inside_tell_stability(const engine_api *api, const void *engine, const char *at, double frequency)
{
    const struct method_info *method = api->declared(engine);
    if (frequency > 0)
        complain(0, "the fastest frequency %s is %.3g: %s is unstable there with steps above %.3g; take a "
                    "smaller --step, or a method for stiff motion, em or del", at, frequency, method->name,
                 method->stable / frequency);
}
