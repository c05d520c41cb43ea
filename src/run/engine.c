#include "run/engine.h"

#include <string.h>

const engine_api *taut_engine_find(const char *precision)
{
    if (strcmp(precision, "double") == 0) return &taut_engine_double;
#ifdef TAUT_HAVE_QUAD
    if (strcmp(precision, "quad") == 0) return &taut_engine_quad;
#endif
    return NULL;
}

/* From the last to the first, so that wide numbers may take the place of doubles. */
void taut_engine_widen(const engine_api *api, const void *values, size_t count, wide *to)
{
    if (api->number_size == sizeof(wide)) {
        if (count) memmove(to, values, count * sizeof *to);
        return;
    }
    for (size_t i = count; i-- > 0;) {
        double value;
        memcpy(&value, (const char *)values + i * sizeof value, sizeof value);
        to[i] = value;
    }
}
