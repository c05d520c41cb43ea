/* The state of a run: what a method maps from one time to the next. */
#ifndef TAUT_SYSTEM_STATE_H
#define TAUT_SYSTEM_STATE_H

#include "system/system.h"

/* The *_low arrays are what compensated summation has left over: the state proper is q + q_low, p + p_low. */
typedef struct {
    real t, t_low;
    real *q, *p;
    real *w;              /* stage variable that belongs to (q, p): velocity of a Lagrangian model, p otherwise */
    real *lambda;         /* the method's own multipliers: the guess for the next step */
    real *q_low, *p_low;
    real *t_lambda;       /* one number: the time that lambda belongs to, of methods that say so */
    real *work, *work_low; /* one number each: of forces, of time in L or H and of moving constraints since the start;
                              energy - work is constant */
    real *step;           /* size of the next step of a method that chooses it; 0: none yet */
    real *trend;          /* by how much lambda is expected to change in the next step; 0 unless the method says so */
    real *change;         /* by how much it changed in the last one, and how that changed (2c); 0 unless needed */
    real *extra;          /* what contacts remember (contact/modes.h); extra_count numbers, none without contacts */
    uint32_t n, c, extra_count;
    real *block;          /* all of the above, one behind the other */
    void *room;           /* what to free: an allocation of its own; NULL in a flat workspace (base/flat.h), */
    struct flat_workspace *home; /* which is this one */
} state;

/* In the flat workspace that is open, if there is one: then x must stay where it is. */
int X(state_create)(const struct system *s, state *x);
void X(state_clear)(const struct system *s, state *x);
size_t X(state_size)(const state *x); /* numbers in block */
void X(state_find_members)(state *x);  /* where they are in x->block */
void X(state_copy)(const state *from, state *to);
/* Exchanges two states of the same system. Nothing is copied where both belong to one flat workspace, or both to none:
   then they live equally long. */
void X(state_swap)(state *x, state *y);

/* Every number of a state, by name: what a checkpoint holds and a resumed run starts from. A new member of the state is
   added here too, and keeps its name from then on. Returns the count. */
typedef struct {
    const char *name;
    real *data;
    size_t count;
} state_field;
#define STATE_FIELDS 24
int X(state_fields)(state *x, state_field *fields);

/* t + t_low + h, compensated: after n steps of h this is n h to round-off. */
void X(state_next_time)(const state *x, real h, real *t, real *t_low);

/* The trend of the state after x, which may be x itself, where its multipliers are to be lambda: with d their
   change in a step, d (STEADY), or d + d1 - d2 (ALTERNATING), d1 and d2 those of the steps before, which is right for a
   sequence of the second degree to which one of changing sign is added. It is believed where changes are small:
   not at all where d is an eighth of lambda. */
enum { TREND_NONE, TREND_STEADY, TREND_ALTERNATING };
void X(state_expect)(pool *p, const state *x, const real *lambda, int trend, state *after);

/* x + low += d, for count numbers. */
void X(add_compensated)(real *x, real *low, const real *d, uint32_t count);

#endif
