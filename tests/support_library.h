/* Short forms for tests of the public interface. */
#ifndef SUPPORT_LIBRARY_H
#define SUPPORT_LIBRARY_H

#include <string.h>
#include <taut/taut.h>

static inline int run_to(taut_simulation *z, double h, double until)
{
    taut_run run;
    memset(&run, 0, sizeof run);
    run.size = sizeof run, run.h = h, run.until = until;
    return taut_advance(z, &run);
}

static inline size_t columns_of(const taut_simulation *z) { return taut_count(z, TAUT_ALL); }
static inline long column_of(taut_simulation *z, const char *name) { return taut_find(z, TAUT_ALL, name); }

static inline int frame_of(taut_simulation *z, double *values)
{
    return taut_get(z, TAUT_ALL, 0, columns_of(z), values, NULL);
}

static inline long steps_of(const taut_simulation *z)
{
    taut_work work;
    work.size = sizeof work;
    taut_counts(z, &work);
    return work.steps;
}

#endif
