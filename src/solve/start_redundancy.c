/* Constraints that depend on others where the start is: whether they do so everywhere near it and agree, so that the
 * model can run as written (redundancy.h), or only there. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "solve/rank.h"
#include "solve/redundancy.h"
#include "solve/start_parts.h"
#include "solve/stress.h"

#define ASIDE 1e-3 /* how far from the start the rank is looked at again, relative to the coordinates */
/* Of second derivatives, and of rates along what gradients allow, relative to coordinates and gradients. */
#define BENDS_LEAST 1e-9
#define ALONG_MOST 1e-11

/* From where all coordinates are, onto the constraints. *searched: 0 where they are too many; *met: 0 then, and where
   they are not met. */
static int settle_all(starter *z, int *searched, int *met)
{
    struct system *s = z->s;
    uint32_t count = z->count, *keep = z->free, *all = taut_mem_new(s->context, s->n, sizeof *all);
    if (!all) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < s->n; i++) all[i] = i;
    z->free = all, z->count = s->n;
    int status = X(start_settle)(z, NULL, searched);
    z->free = keep, z->count = count;
    taut_mem_free(s->context, all);
    *met = !status && *searched && X(start_is_met)(z);
    return status;
}

static int find_rank(starter *z, rank **found)
{
    place at = start_here(z);
    X(system_block_values)(z->s, BLOCK_G, &at, z->g);
    return X(rank_create)(z->s, z->g, found);
}

/* Whether a motion along z->v, which the gradients allow, can go on as far as second derivatives say: around a point
   where the rank stays the same there is a path q(s) with q' = v, so that G q'' = -v' g_qq v. In a singular position
   most v have none. For systems that are too large to search for points of such a path. size: of coordinates. */
static int goes_on(starter *z, rank *here, real size, int *possible)
{
    const struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    const real longest = real_largest(z->v, s->n), still = 0;
    real *bent = taut_mem_new(s->context, s->c, sizeof *bent), most = 0, along = 0;
    uint32_t first;
    place at = start_here(z), direction = place_at(s, z->v, NULL, &still, NULL);
    int status = bent ? X(field_prepare_second)(s->constraint) : TAUT_OUT_OF_MEMORY;
    if (!status) X(field_second)(s->constraint, &at, &direction, bent);
    for (uint32_t k = 0; !status && k < s->c; k++) {
        real slope = 0, rate = 0;
        for (int e = p->start[k]; e < p->start[k + 1]; e++)
            slope += REAL(fabs)(z->g[e]), rate += z->g[e] * z->v[p->index[e]];
        if (slope > 0) most = real_most(most, bent[k] * size / (slope * longest * longest));
        if (slope > 0) along = real_most(along, rate / (slope * longest));
    }
    /* nothing bends; or v is not known well enough: the least eigenvalues of a long structure */
    *possible = status || most < (real)BENDS_LEAST || along > (real)ALONG_MOST || X(rank_reaches)(here, bent, &first);
    taut_mem_free(s->context, bent);
    return status;
}

/* Beside the start, in a direction that the gradients allow: the rank there. A point that comes back from there tells
   that the direction is none of the motion (two surfaces that touch): more than any rank. *moved_aside: z->g are the
   values there. */
static int rank_aside(starter *z, rank *here, uint32_t *number, int *moved_aside)
{
    struct system *s = z->s;
    real *unknown = start_unknown(z), size = real_largest(unknown, s->n) + s->least, most = 0;
    uint64_t seed = 1;
    rank *there = NULL;
    int met = 0, searched = 0;
    *number = X(rank_number)(here);
    for (uint32_t i = 0; i < s->n; i++) z->v[i] = (real)next_number(&seed);
    X(rank_remove)(here, z->v);
    most = real_largest(z->v, s->n);
    if (!(most > (real)1e-9)) return TAUT_OK; /* nothing can move */
    real *aside = taut_mem_new(s->context, s->n, sizeof *aside), moved = 0;
    if (!aside) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < s->n; i++) aside[i] = unknown[i] += size * (real)ASIDE / most * z->v[i];
    int status = settle_all(z, &searched, &met);
    for (uint32_t i = 0; i < s->n; i++) moved = real_most(moved, unknown[i] - aside[i]);
    for (uint32_t i = 0; !searched && i < s->n; i++) unknown[i] -= size * (real)ASIDE / most * z->v[i];
    taut_mem_free(s->context, aside);
    if (!status && !searched && !s->slip) {
        int possible;
        status = goes_on(z, here, size, &possible);
        if (!status && !possible) *number = s->c + 1;
    }
    if (status || !met) return status;
    if (moved > size * (real)ASIDE / 2)
        *number = s->c + 1;
    else
        status = find_rank(z, &there);
    if (there) *number = X(rank_number)(there), *moved_aside = 1;
    X(rank_destroy)(there);
    return status;
}

/* Whether each dependent constraint has a gradient, and moves as those do on which it depends: 'x = t' and 'x = 2 t'
   do not. */
static int agree(starter *z, rank *found)
{
    uint32_t first;
    char on[100];
    for (uint32_t k = 0; k < z->s->c; k++) {
        if (!X(rank_is_dependent)(found, k)) continue;
        X(rank_names)(found, k, on, sizeof on);
        if (!on[0]) return 0;
    }
    place at = start_here(z);
    X(system_constraint_rate)(z->s, &at, z->r);
    return X(rank_reaches)(found, z->r, &first);
}

static void name_dependent(const struct system *s, const rank *found, start_report *report)
{
    size_t at = 0;
    uint32_t named = 0;
    report->names[0] = 0;
    for (uint32_t k = 0; k < s->c; k++) {
        if (!X(rank_is_dependent)(found, k)) continue;
        report->dependent++;
        if (named == 6) continue;
        at += (size_t)snprintf(report->names + at, sizeof report->names - at, "%s%.20s", named ? ", " : "",
                               X(system_constraint_origin)(s, k).name);
        named++;
    }
    if (named < report->dependent)
        snprintf(report->names + at, sizeof report->names - at, " and %u more", report->dependent - named);
}

/* Whether D is far below all of S that is not zero. With P = (S + D)^-1 D the eigenvalues of P are one where S is zero,
   and small elsewhere: below 0.046 if P^3 and P^6 are the same but for 10^-4. */
static int is_apart(starter *z, int *apart)
{
    struct system *s = z->s;
    uint64_t seed = 1;
    double most = 0;
    place at = start_here(z);
    int status = X(kkt_factor)(z->kkt, &at);
    real *once = z->r, *rest = taut_mem_new(s->context, s->c, sizeof *rest);
    if (!rest) return TAUT_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < s->c; k++) rest[k] = once[k] = (real)(next_number(&seed) / sqrt(s->softening[k]));
    if (!status) status = X(kkt_choose_by)(z->kkt, 3, NULL, rest);
    for (uint32_t k = 0; k < s->c; k++) rest[k] = once[k] = once[k] - rest[k]; /* P^3 of it */
    if (!status) status = X(kkt_choose_by)(z->kkt, 3, NULL, rest);
    for (uint32_t k = 0; k < s->c; k++) most = fmax(most, fabs((double)rest[k]) * sqrt(s->softening[k]));
    taut_mem_free(s->context, rest);
    *apart = !status && most <= 1e-4;
    return status;
}

static int soften_by(starter *z, double part)
{
    struct system *s = z->s;
    place at = start_here(z);
    X(system_block_values)(s, BLOCK_G, &at, z->g);
    int status = X(redundancy_soften)(s, &at, z->g, part);
    X(kkt_destroy)(z->kkt);
    z->kkt = NULL;
    return status ? status : X(kkt_create)(s, &z->kkt);
}

/* Those that depend on others are left out of the matrices, by a D that is far above the rest of S, and the others are
   not softened. The least multipliers come from those that make no force (stress.h); a dependent constraint for which
   there are none near by carries nothing. */
static int leave_out(starter *z, const rank *here, const real *aside)
{
    struct system *s = z->s;
    int status = soften_by(z, SOFTENING_LEAVES_OUT);
    if (!status) status = X(stress_plan_create)(s, here, z->g, aside, s->softening, &s->stresses);
    for (uint32_t k = 0; !status && k < s->c; k++)
        if (!X(rank_is_dependent)(here, k)) s->softening[k] = 0;
    if (status || !s->stresses) return status;
    X(kkt_destroy)(z->kkt);
    z->kkt = NULL;
    return X(kkt_create)(s, &z->kkt);
}

/* Constraints on velocities that depend on the rates of those on positions do so in the motion, and in the stages of a
   step only as far as these follow the motion: to meet all of them there would take forces that grow without bound. */
static int is_on_velocities(const struct system *s, const rank *here)
{
    for (uint32_t k = 0; k < s->c; k++)
        if (X(rank_is_dependent)(here, k) && X(system_is_velocity_constraint)(s, k)) return 1;
    return 0;
}

/* D far below the rest of S, or where that is not possible far above it. */
static int soften(starter *z, const rank *here, const real *aside)
{
    int apart = 0, status = TAUT_OK;
    if (is_on_velocities(z->s, here)) return leave_out(z, here, aside);
    for (double part = SOFTENING_MOST; !status && !apart && part >= SOFTENING_LEAST; part /= 100) {
        status = soften_by(z, part);
        if (!status) status = is_apart(z, &apart);
    }
    return status || apart ? status : leave_out(z, here, aside);
}

/* given: n numbers for where the constraints are met, and the values of BLOCK_G for those aside. */
static int look(starter *z, real *given, start_report *report, int *redundant)
{
    struct system *s = z->s;
    real *met_at = given, *there = given + s->n;
    rank *here = NULL;
    uint32_t aside = 0;
    int met = X(start_is_met)(z), searched = 0, moved = 0, status = TAUT_OK;
    if (!met) status = settle_all(z, &searched, &met);
    if (status || !met) return status;
    status = find_rank(z, &here);
    uint32_t number = status ? 0 : X(rank_number)(here);
    if (!status && number < s->c && agree(z, here)) {
        memcpy(met_at, start_unknown(z), s->n * sizeof(real));
        status = rank_aside(z, here, &aside, &moved);
        if (moved) memcpy(there, z->g, (size_t)s->blocks[BLOCK_G].value_count * sizeof(real));
        memcpy(start_unknown(z), met_at, s->n * sizeof(real));
        *redundant = !status && aside == number;
        report->singular = !status && aside > number;
    }
    if (!status && *redundant) {
        status = soften(z, here, moved ? there : NULL);
        if (!status) name_dependent(s, here, report);
    }
    X(rank_destroy)(here);
    return status;
}

int X(start_soften)(starter *z, start_report *report, int *softened)
{
    struct system *s = z->s;
    *softened = 0;
    if (s->softening || z->velocity || s->structure.force_multiplier) return TAUT_OK;
    const size_t size = 2 * (size_t)s->n + (size_t)s->blocks[BLOCK_G].value_count;
    real *given = taut_mem_new(s->context, size, sizeof *given);
    if (!given) return TAUT_OUT_OF_MEMORY;
    memcpy(given, start_unknown(z), s->n * sizeof(real));
    int status = look(z, given + s->n, report, softened);
    memcpy(start_unknown(z), given, s->n * sizeof(real));
    taut_mem_free(s->context, given);
    return status;
}
