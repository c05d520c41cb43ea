#include "base/budget.h"

#include "base/clock.h"

#define ADVICE "make the model smaller, or allow more (taut_context_limit; of the command TAUT_LOAD_"
/* The clock costs more than most requests. */
enum { ASKED_BETWEEN = 64, LARGE_REQUEST = 1 << 16 };
#define OPERATIONS_PER_SECOND 1e9
#define BETWEEN_LOOKS ((size_t)1000000)

static double thread_seconds(void) { return clock_seconds_of(CLOCK_THREAD_CPUTIME_ID); }

void taut_budget_init(load_budget *b)
{
    b->bytes_most = BUDGET_BYTES;
    b->seconds_most = BUDGET_SECONDS;
    b->part = "";
    atomic_init(&b->bytes, 0);
}

void taut_context_limit(taut_context *context, size_t bytes, double seconds)
{
    if (!context) return;
    load_budget *b = taut_context_budget(context);
    b->bytes_most = bytes ? bytes : BUDGET_BYTES;
    b->seconds_most = seconds > 0 ? seconds : BUDGET_SECONDS;
    b->in_time = 0;
}

void taut_budget_begin(taut_context *context, const char *part)
{
    load_budget *b = taut_context_budget(context);
    if (!b->depth++) {
        b->began = thread_seconds();
        b->in_time = 0;
        taut_mem_keep(context, 1);
    }
    b->part = part;
}

void taut_budget_part(taut_context *context, const char *part) { taut_context_budget(context)->part = part; }

void taut_budget_end(taut_context *context)
{
    load_budget *b = taut_context_budget(context);
    if (!--b->depth) taut_mem_keep(context, 0);
}

static double spent(const load_budget *b) { return b->depth ? thread_seconds() - b->began : 0; }

/* The clock of a thread is a call of the system, that on the wall is none: a thread does not work faster than time goes
   by. */
int taut_budget_is_late(taut_context *context)
{
    load_budget *b = taut_context_budget(context);
    if (!b->depth) return 0;
    const double now = clock_seconds();
    if (now < b->in_time) return 0;
    const double left = b->seconds_most - spent(b);
    b->in_time = now + left;
    return left < 0;
}

double taut_budget_seconds(const taut_context *context)
{
    return taut_context_budget((taut_context *)context)->seconds_most;
}

int taut_budget_take(taut_context *context, size_t size)
{
    load_budget *b = taut_context_budget(context);
    if (!b->depth) return TAUT_OK;
    const long long used = atomic_load_explicit(&b->bytes, memory_order_relaxed);
    if (used > 0 && (size > b->bytes_most || (size_t)used > b->bytes_most - size))
        return taut_fail(context, TAUT_OUT_OF_MEMORY,
                         "loading the model takes more than %zu MiB of memory: %lld MiB were in use when %s asked for "
                         "%zu MiB more; " ADVICE "MEMORY)",
                         b->bytes_most >> 20, used >> 20, b->part, size >> 20);
    return ++b->asked % ASKED_BETWEEN && size < LARGE_REQUEST ? TAUT_OK : taut_budget_check(context);
}

int taut_budget_check(taut_context *context)
{
    const load_budget *b = taut_context_budget(context);
    if (!taut_budget_is_late(context)) return TAUT_OK;
    return taut_fail(context, TAUT_OUT_OF_MEMORY,
                     "loading the model takes more than %g s, the last of them for %s; " ADVICE "SECONDS)",
                     b->seconds_most, b->part);
}

int taut_budget_count(taut_context *context, size_t *done, size_t operations)
{
    if ((*done += operations) < BETWEEN_LOOKS) return TAUT_OK;
    *done = 0;
    return taut_budget_check(context);
}

int taut_budget_work(taut_context *context, double operations, const char *what)
{
    const load_budget *b = taut_context_budget(context);
    if (!b->depth || operations / OPERATIONS_PER_SECOND <= b->seconds_most - spent(b)) return TAUT_OK;
    return taut_fail(context, TAUT_UNSUPPORTED,
                     "loading the model would take more than %g s: %s takes some %.0e operations, for %s; " ADVICE
                     "SECONDS)",
                     b->seconds_most, what, operations, b->part);
}
