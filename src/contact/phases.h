/* The phases of a model with contacts: for each set of modes a system, a method and what belongs to a state in it; made when first
 * met, the least used thrown away when there are too many. */
#ifndef TAUT_CONTACT_PHASES_H
#define TAUT_CONTACT_PHASES_H

#include "contact/watch.h"
#include "method/method.h"
#include "solve/acceleration.h"

/* What a state remembers of each contact, in state.extra. */
enum { EXTRA_MODE, EXTRA_LAMBDA, EXTRA_SLOTS = EXTRA_LAMBDA + 3, EXTRA_SIZE = EXTRA_SLOTS + CONTACT_SLOTS };

static inline real *contact_extra(const state *x, size_t contact) { return x->extra + EXTRA_SIZE * contact; }
static inline contact_mode contact_mode_of(const state *x, size_t contact) { return (contact_mode)contact_extra(x, contact)[EXTRA_MODE]; }

typedef struct {
    size_t contact_count;
    unsigned char *modes;
    model *m;
    struct system *s;
    method method;
    acceleration *acceleration;
    state begin, end;      /* of a step */
    void *room;            /* of the arrays below, and of modes */
    real *lambda, *dv;     /* multipliers and accelerations at a state */
    long *first;           /* per contact: its first constraint, -1 when open */
    int *rows;             /* and how many it has */
    long used;
} phase;

typedef struct {
    const model *m;
    const struct method_class *class;
    const method_spec *spec;
    real tolerance;
    phase **list;
    int count;
    long clock;
    newton_counts gone;    /* work of phases that were thrown away */
    unsigned char *wanted;
} phases;

#define PHASES_KEPT 48

int phases_create(const model *m, const struct method_class *class, const method_spec *spec, real tolerance, phases *p);
void phases_clear(phases *p);
/* The phase of the modes of x. It stays valid until PHASES_KEPT others were asked for. */
int phases_get(phases *p, const state *x, phase **result);
/* The phase in which all contacts are open; it stays valid. */
int phases_open(phases *p, phase **result);
newton_counts phases_counts(const phases *p);

/* Copies x to the beginning of a step, and what it remembers to the parameters of the phase. */
int phase_load(phase *ph, const state *x);
/* Copies a state of the phase to x. */
void phase_store(const phase *ph, const state *from, state *x);
/* Multipliers and accelerations at a state of the phase. */
int phase_forces(phase *ph, const state *at);

#endif
