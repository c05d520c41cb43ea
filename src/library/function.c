/* Functions of the user that models call: a look at their derivatives. (taut_define is base/context.c's.) */
#include "expr/call.h"
#include "library/library.h"

#include <math.h>

static int call(const context_function *f, int order, const double *x, double *to)
{
    const size_t n = f->arguments;
    return f->function(f->user, order, x, to, order > 0 ? to + 1 : NULL, order > 1 ? to + 1 + n : NULL);
}

/* The derivatives by argument i of what the function gives, by differences of fourth order: an error of 1e-11 or so
   where everything is about 1 in size. */
static int slope(const context_function *f, double *x, size_t i, int order, double *room, size_t count, double *to)
{
    static const int places[4] = { 2, 1, -1, -2 };
    static const double weights[4] = { -1, 8, -8, 1 };
    const double at = x[i], d = 0x1p-10 * (fabs(at) > 1 ? fabs(at) : 1);
    int status = TAUT_OK;
    for (size_t k = 0; k < count; k++) to[k] = 0;
    for (int p = 0; !status && p < 4; p++) {
        x[i] = at + places[p] * d;
        status = call(f, order, x, room);
        for (size_t k = 0; !status && k < count; k++) to[k] += weights[p] * room[(order ? 1 : 0) + k] / (12 * d);
    }
    x[i] = at;
    return status;
}

/* The largest found, and the largest difference; 0 where one of the numbers is not finite. */
static int compare(const double *given, const double *found, size_t count, double *largest, double *difference)
{
    for (size_t k = 0; k < count; k++) {
        const double d = fabs(given[k] - found[k]);
        if (!(d - d == 0)) return 0;
        if (fabs(found[k]) > *largest) *largest = fabs(found[k]);
        if (d > *difference) *difference = d;
    }
    return 1;
}

static int not_finite(taut_context *context, const context_function *f, const char *what)
{
    return taut_fail(context, TAUT_NOT_FINITE,
                     "the function '%s' gives %s that is not finite at these arguments or beside them; check it where "
                     "it is smooth", f->name, what);
}

static int check(taut_context *context, const context_function *f, double *x, double *room, double *worst)
{
    const size_t n = f->arguments;
    double *given = room, *work = given + call_size(n, 2), *found = work + call_size(n, 2);
    int status = call(f, f->order, x, given);
    if (!status && !(given[0] - given[0] == 0)) return not_finite(context, f, "a value");
    for (int order = 1; !status && order <= f->order; order++) {
        double largest = 1, difference = 0;
        for (size_t i = 0; !status && i < n; i++) {
            status = slope(f, x, i, order - 1, work, order == 1 ? 1 : n, found);
            const double *own = order == 1 ? given + 1 + i : given + 1 + n + i * n;
            if (!status && !compare(own, found, order == 1 ? 1 : i + 1, &largest, &difference))
                return not_finite(context, f, order == 1 ? "a value or a first derivative" : "a derivative");
        }
        if (difference / largest > *worst) *worst = difference / largest;
    }
    if (!status) return TAUT_OK;
    return taut_fail(context, TAUT_REFUSED, "the function '%s' failed with status %d", f->name, status);
}

int taut_check_function(taut_context *context, const char *name, const double *x, double *worst)
{
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, worst, "worst");
    *worst = (double)NAN; /* of a check that fails */
    LIBRARY_NEEDS(context, name, "name");
    LIBRARY_NEEDS(context, x, "x");
    library_begin(context);
    const context_function *f = taut_context_function(context, name);
    if (!f)
        return library_done(context, taut_fail(context, TAUT_BAD_USAGE, "there is no function '%s'; see taut_define",
                                               name));
    const size_t n = f->arguments;
    double *room = taut_mem_new(context, n + 2 * call_size(n, 2) + n, sizeof *room);
    if (!room) return library_done(context, TAUT_OUT_OF_MEMORY);
    memcpy(room, x, n * sizeof *x);
    double found = 0;
    int status = check(context, f, room, room + n, &found);
    if (!status) *worst = found;
    taut_mem_free(context, room);
    return library_done(context, status);
}
