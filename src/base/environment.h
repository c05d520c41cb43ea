/* The floating-point environment of the host. The library computes with numbers that are not finite on its way (and
 * says so in its statuses), rounds to nearest, and has denormal numbers: a host that traps exceptions, has set another
 * rounding direction or flushes denormals gets all that back when a call returns.
 *
 * Looking whether the environment is the default one takes a few instructions, and that is all that happens where it
 * is. */
#ifndef TAUT_BASE_ENVIRONMENT_H
#define TAUT_BASE_ENVIRONMENT_H

#include <fenv.h>
#include <stdint.h>

typedef struct {
    fenv_t theirs;
    int is_kept; /* theirs is that of the host, and the default one is in force */
} host_environment;

static inline int environment_is_default(void)
{
#if defined(__x86_64__) && defined(__GNUC__)
    uint32_t vector;  /* masks 0x1f80, rounding 0x6000, denormals 0x8040 */
    uint16_t classic; /* masks 0x3f, precision and rounding 0xf00: quad is in software, which looks at this one too */
    __asm__ __volatile__("stmxcsr %0\n\tfnstcw %1" : "=m"(vector), "=m"(classic));
    return (vector & 0xffc0) == 0x1f80 && (classic & 0xf3f) == 0x33f;
#elif defined(__GLIBC__)
    return fegetround() == FE_TONEAREST && fegetexcept() == 0;
#else
    return fegetround() == FE_TONEAREST;
#endif
}

/* The default environment until environment_leave; again is harmless. */
static inline void environment_enter(host_environment *e)
{
    if (environment_is_default()) return;
    fegetenv(&e->theirs);
    fesetenv(FE_DFL_ENV);
    e->is_kept = 1;
}

static inline void environment_leave(host_environment *e)
{
    if (!e->is_kept) return;
    e->is_kept = 0;
    fesetenv(&e->theirs);
}

#endif
