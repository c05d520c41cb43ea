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
