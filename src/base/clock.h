/* Seconds: on the wall, from some moment on, and of processor time of this process. A clock that a system does not
   have is replaced by the time of day, so that limits of time still end what they limit. */
#ifndef TAUT_BASE_CLOCK_H
#define TAUT_BASE_CLOCK_H

#include <time.h>

static inline double clock_seconds_of(clockid_t clock)
{
    struct timespec t;
    if (clock_gettime(clock, &t)) return (double)time(NULL);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static inline double clock_seconds(void) { return clock_seconds_of(CLOCK_MONOTONIC); }
static inline double clock_work(void) { return clock_seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

#endif
