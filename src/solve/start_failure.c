/* Why a state cannot be made consistent. First whether the constraints can be met, then their rank: where they are
 * not met the rank says nothing (at the closest approach of two circles the gradients are parallel), and a matrix
 * that breaks down there names nothing. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solve/rank.h"
#include "solve/start_parts.h"

/* What is left of constraints in balance agrees to the digits of a converged search; of these the first is named. */
#define SAME 1e-6

static const char *unknowns(const starter *z) { return z->velocity ? "velocities" : "positions"; }
static const char *derivative(const starter *z, uint32_t k)
{
    return z->velocity && !X(system_is_velocity_constraint)(z->s, k) ? "the time derivative of " : "";
}

/* Where the sum of squares is least, what is left of the constraints that contradict each other is in balance, and
   nothing is left of the others. */
static int contradictory(starter *z, const double *left)
{
    struct system *s = z->s;
    uint32_t pair[2] = { 0, 0 }, more = 0;
    double most[2] = { -1, -1 };
    for (uint32_t k = 0; k < s->c; k++)
        if (fabs(left[k]) > most[0] * (1 + SAME)) pair[0] = k, most[0] = fabs(left[k]);
    for (uint32_t k = 0; k < s->c; k++)
        if (k != pair[0] && fabs(left[k]) > most[1] * (1 + SAME)) pair[1] = k, most[1] = fabs(left[k]);
    for (uint32_t k = 0; k < s->c; k++) more += k != pair[0] && k != pair[1] && fabs(left[k]) > SAME * most[0];
    X(start_residual)(z, z->r);
    const origin one = X(system_constraint_origin)(s, pair[0]);
    if (!(most[1] > SAME * most[0]))
        return taut_fail(s->context, TAUT_BAD_MODEL,
                    "%s:%d: no start %s found: %sconstraint '%s' cannot be met near the start: at best it misses by "
                    "%.3g; change it, or start elsewhere",
                    one.file, one.line, unknowns(z), derivative(z, pair[0]), one.name, (double)z->r[pair[0]]);
    uint32_t a = pair[0] < pair[1] ? pair[0] : pair[1], b = pair[0] + pair[1] - a;
    const origin first = X(system_constraint_origin)(s, a), second = X(system_constraint_origin)(s, b);
    char others[60] = "";
    if (more) snprintf(others, sizeof others, " (and %u more)", more);
    return taut_fail(s->context, TAUT_BAD_MODEL,
                "%s:%d: no start %s found: constraints '%.60s' (line %d) and '%.60s' (line %d)%s contradict each other "
                "near the start: at best they miss by %.3g and %.3g; change one of them, or start elsewhere",
                first.file, first.line, unknowns(z), first.name, first.line, second.name, second.line, others,
                (double)z->r[a], (double)z->r[b]);
}

/* Of constraints that are met, constraint k depends on `on`, or has no gradient where that is empty. */
static int say_dependent(const starter *z, const start_report *report, uint32_t k, const char *on, int apart)
{
    const struct system *s = z->s;
    const origin of = X(system_constraint_origin)(s, k);
    if (apart && on[0] && X(system_is_velocity_constraint)(s, k))
        return taut_fail(s->context, TAUT_BAD_MODEL,
                         "%s:%d: constraint '%s' contradicts %s: no velocities meet them all; change one of them",
                         of.file, of.line, of.name, on);
    if (apart && on[0])
        return taut_fail(s->context, TAUT_BAD_MODEL,
                         "%s:%d: constraint '%s' contradicts %s: they agree at the start and part as time goes on; "
                         "change one of them", of.file, of.line, of.name, on);
    if (apart)
        return taut_fail(s->context, TAUT_BAD_MODEL,
                         "%s:%d: constraint '%s' cannot be kept: it changes with time where its gradient is zero; "
                         "change it, or start elsewhere", of.file, of.line, of.name);
    if (!on[0])
        return taut_fail(s->context, TAUT_SINGULAR,
                         "%s:%d: constraint '%s' has a zero gradient where it is met, so it can exert no force; a sum "
                         "of squares, as norm2(a - p) to pin a point, is like that: write its parts as constraints of "
                         "their own, a.x - p.x and so on; or start elsewhere", of.file, of.line, of.name);
    if (report->singular)
        return taut_fail(s->context, TAUT_SINGULAR,
                         "%s:%d: the start is a singular position: constraint '%s' depends on %s here, and not beside "
                         "it, or they touch without crossing; how the motion goes on is not determined; start beside "
                         "it, or change one of them",
                         of.file, of.line, of.name, on);
    if (s->structure.force_multiplier)
        return taut_fail(s->context, TAUT_SINGULAR,
                         "%s:%d: constraint '%s' is redundant: it depends on %s, so the multipliers are not "
                         "determined, and there are forces that depend on them; remove it",
                         of.file, of.line, of.name, on);
    return taut_fail(s->context, TAUT_SINGULAR,
                     "%s:%d: constraint '%s' is redundant: it depends on %s, so its multiplier is not determined; "
                     "remove it", of.file, of.line, of.name, on);
}

/* Of constraints that are met at the unknowns: TAUT_OK when they are independent. */
static int dependent(starter *z, start_report *report)
{
    struct system *s = z->s;
    rank *found = NULL;
    uint32_t k = 0, first = 0;
    char on[400];
    place at = start_here(z);
    X(system_block_values)(s, BLOCK_G, &at, z->g);
    int status = X(rank_create)(s, z->g, &found);
    if (status) return status;
    while (first < s->c && !X(rank_is_dependent)(found, first)) first++;
    if (first < s->c) {
        X(system_constraint_rate)(s, &at, z->r);
        int apart = !X(rank_reaches)(found, z->r, &k);
        report->unmet = apart;
        if (!apart || !X(rank_is_dependent)(found, k)) k = first;
        X(rank_names)(found, k, on, sizeof on);
        status = say_dependent(z, report, k, on, apart);
    }
    X(rank_destroy)(found);
    return status;
}

/* Looks for consistent values, into the unknowns. *found: 2 the nearest, 1 some, -1 none but where they are as nearly
   met as can be (left: as of start_settle), 0 the system is too large to say. */
static int look_for_consistent(starter *z, const real *given, double *left, int *found)
{
    struct system *s = z->s;
    uint32_t count = z->count;
    int searched = 0, status = X(start_nearest)(z, given, found);
    if (status || *found) {
        *found *= 2;
        return status;
    }
    /* over all unknowns, free or given */
    memcpy(start_unknown(z), given, s->n * sizeof(real));
    uint32_t *free = taut_mem_new(s->context, s->n, sizeof *free), *keep = z->free;
    real *met = taut_mem_new(s->context, s->n, sizeof *met);
    status = free && met ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        for (uint32_t i = 0; i < s->n; i++) free[i] = i;
        z->free = free, z->count = s->n;
        status = X(start_settle)(z, left, &searched);
        z->free = keep, z->count = count;
    }
    if (!status && searched) {
        *found = X(start_is_met)(z) ? 1 : -1;
        memcpy(met, start_unknown(z), s->n * sizeof(real));
    }
    if (!status && *found == 1) { /* nearer, if not known to be the nearest */
        int nearer;
        status = X(start_nearest)(z, given, &nearer);
        if (!nearer) memcpy(start_unknown(z), met, s->n * sizeof(real));
    }
    taut_mem_free(s->context, free);
    taut_mem_free(s->context, met);
    return status;
}

static int say_inconsistent(starter *z, start_mode mode, int status, int found, real moved)
{
    struct system *s = z->s;
    X(start_residual)(z, z->r);
    uint32_t k = X(start_worst)(z->r, s->c);
    const origin of = X(system_constraint_origin)(s, k);
    char where[120] = "no consistent ones were found near them";
    if (found > 0)
        snprintf(where, sizeof where, "%sconsistent %s differ by up to %.3g", found == 2 ? "the nearest " : "",
                 unknowns(z), (double)moved);
    if (mode == START_PROJECT)
        return taut_fail(s->context, status,
                    "%s:%d: the start %s could not be projected onto the constraints: %sconstraint '%s' misses by "
                    "%.3g (%s); start nearer",
                    of.file, of.line, unknowns(z), derivative(z, k), of.name, (double)z->r[k], where);
    if (z->count)
        return taut_fail(s->context, TAUT_BAD_MODEL,
                    "%s:%d: no start %s found: %sconstraint '%s' still misses by %.3g after the free values were "
                    "solved for; give a better guess in free(), free more values, or use the start mode 'project'",
                    of.file, of.line, unknowns(z), derivative(z, k), of.name, (double)z->r[k]);
    return taut_fail(s->context, TAUT_BAD_MODEL,
                "%s:%d: the start %s are inconsistent: %sconstraint '%s' misses by %.3g (%s); correct the start "
                "values, free some with free(guess), or use the start mode 'project'",
                of.file, of.line, unknowns(z), derivative(z, k), of.name, (double)z->r[k], where);
}

static int explain(starter *z, start_mode mode, int status, const char *said, const real *given, double *left,
                   start_report *report)
{
    struct system *s = z->s;
    int found = 0, failed = TAUT_OK;
    if (X(start_is_met)(z)) {
        failed = dependent(z, report);
        if (failed) return failed;
        if (status == TAUT_SINGULAR) return taut_fail(s->context, status, "%s", said);
    }
    report->unmet = 1;
    failed = look_for_consistent(z, given, left, &found);
    if (failed) return failed;
    if (found < 0) return contradictory(z, left);
    if (found && mode == START_PROJECT) { /* it is not the start's fault */
        failed = dependent(z, report);
        if (failed) return failed;
    }
    real moved = 0, *unknown = start_unknown(z);
    for (uint32_t i = 0; i < s->n; i++) moved = real_most(moved, unknown[i] - given[i]);
    memcpy(unknown, given, s->n * sizeof(real));
    return say_inconsistent(z, mode, status, found, moved);
}

int X(start_explain)(starter *z, start_mode mode, int status, start_report *report)
{
    struct system *s = z->s;
    char said[TAUT_ERROR_TEXT];
    snprintf(said, sizeof said, "%s", taut_error_text(s->context));
    real *given = taut_mem_new(s->context, s->n, sizeof *given);
    double *left = taut_mem_new(s->context, s->c, sizeof *left);
    int failed = TAUT_OUT_OF_MEMORY;
    if (given && left) {
        memcpy(given, start_unknown(z), s->n * sizeof(real));
        failed = explain(z, mode, status, said, given, left, report);
        memcpy(start_unknown(z), given, s->n * sizeof(real));
    }
    taut_mem_free(s->context, given);
    taut_mem_free(s->context, left);
    return failed;
}
