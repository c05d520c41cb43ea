/* Things that several layers name, and files and options too: one type each, and one table of their names. */
#ifndef TAUT_BASE_WORDS_H
#define TAUT_BASE_WORDS_H

#include <stddef.h>

/* How a start is made consistent. */
typedef enum {
    START_STRICT,   /* given values must satisfy the constraints (to 1e-9); the last digits are polished to round-off */
    START_PROJECT,  /* mass-weighted projection onto the constraints */
    START_AS_IS,    /* the given values, and the guesses of free ones, on the constraints or not */
    START_MODES
} start_mode;

static inline const char *start_mode_name(start_mode mode)
{
    static const char *const names[START_MODES] = { "strict", "project", "as-is" };
    return names[mode];
}

/* What happens to a contact inside a step. */
typedef enum { EVENT_IMPACT, EVENT_REST, EVENT_RELEASE, EVENT_STICK, EVENT_SLIP, EVENT_KINDS } event_kind;

static inline const char *event_kind_name(event_kind kind)
{
    static const char *const names[EVENT_KINDS] = { "impact", "rest", "release", "stick", "slip" };
    return names[kind];
}

/* What makes the steps of a method, the slowest first. */
typedef enum {
    CODE_GENERAL,     /* the general path: loops over the parts of a model */
    CODE_PARTLY,      /* straight-line code evaluates the equations; the rest is general */
    CODE_INTERPRETED, /* straight-line code, by the interpreter */
    CODE_NATIVE,      /* straight-line code as instructions of the processor */
    CODE_KINDS
} step_code;

static inline const char *step_code_name(step_code code)
{
    static const char *const names[CODE_KINDS] = { "general", "partly", "interpreted", "native" };
    return names[code];
}

/* The work of a method. Of methods that evaluate a vector field: evaluations, steps tried and not taken, corrections
   back to the constraints. The texts are the names in run files. */
#define NEWTON_COUNTS(COUNT)                        \
    COUNT(iterations, "newton_iterations")          \
    COUNT(factorisations, "factorisations")         \
    COUNT(evaluations, "evaluations")               \
    COUNT(rejected, "rejected")                     \
    COUNT(position_projections, "position_projections") \
    COUNT(momentum_projections, "momentum_projections") \
    COUNT(projected_steps, "projected_steps")

typedef struct {
    long calls; /* of newton_solve: not recorded */
#define COUNT(member, text) long member;
    NEWTON_COUNTS(COUNT)
#undef COUNT
} newton_counts;

static inline void newton_counts_add(newton_counts *sum, const newton_counts *c)
{
    sum->calls += c->calls;
#define COUNT(member, text) sum->member += c->member;
    NEWTON_COUNTS(COUNT)
#undef COUNT
}

typedef struct {
    const char *name;
    size_t at; /* of the number in newton_counts */
} newton_count;

/* The i-th of them; its name is NULL beyond the last. */
static inline newton_count newton_count_at(int i)
{
#define COUNT(member, text) { text, offsetof(newton_counts, member) },
    static const newton_count all[] = { NEWTON_COUNTS(COUNT) { NULL, 0 } };
#undef COUNT
    return all[i];
}

#endif
