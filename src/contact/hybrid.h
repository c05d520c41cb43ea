/* Steps of a model with contacts: from event to event, each substep a step of the method in one mode set.
 *
 * Event-driven: a step is cut where a gap or the multiplier of a closed contact crosses zero, where slip ends, and
 * where sticking needs more than friction can give. The length of the substep is found to round-off; a substep is a
 * step like any other, so the order is that of the method. Then the event is dealt with - an impact, other contact
 * modes - and the rest of the step follows. Active set (Jay & Simeon; order 1, method euler): whole steps, the contact
 * modes are judged at their end.
 *
 * What a step does depends on (state, h) alone; the state remembers the modes of the contacts (state.extra). */
#ifndef TAUT_CONTACT_HYBRID_H
#define TAUT_CONTACT_HYBRID_H

#include "contact/modes.h"
#include "system/symmetry.h"

/* Called at every event, with x as it is just after it. A status other than 0 ends the step. */
typedef int (*event_callback)(void *user, size_t contact, event_kind kind, real impulse);

typedef struct hybrid hybrid;

typedef struct {
    int active_set;
    event_callback event;
    void *user;
    struct native_use *native; /* of the systems of all mode sets; may be NULL */
    pool *pool;                /* likewise */
    int softened;              /* the constraints that always hold depend on each other */
} hybrid_options;

/* spec is kept: it must outlive the object. s: the system with all contacts open, whose states have room for what
 * contacts remember. */
int X(hybrid_create)(const model *m, const struct method_class *class, const method_spec *spec, real tolerance,
                  const hybrid_options *options, hybrid **result);
void X(hybrid_destroy)(hybrid *self);
/* The system of a mode set with all kinds of forces that there are in any: a method that runs it runs the model. For
   before the first step. */
int X(hybrid_strictest)(hybrid *self, const struct system **result);
/* Once, before the first step. Finds out which contacts are closed at the start; an impact when they close. A start
 * below a surface is an error, and so is a method that cannot run the contacts. */
int X(hybrid_start)(hybrid *self, state *x);
/* h > 0. On a positive status x is as it was. */
int X(hybrid_step)(hybrid *self, state *x, real h);
/* x back to where the last step, which succeeded, began. */
void X(hybrid_take_back)(const hybrid *self, state *x);
newton_counts X(hybrid_counts)(const hybrid *self);
method_execution X(hybrid_execution)(const hybrid *self); /* method_execution_of */
/* The inputs of the model have other values now. */
void X(hybrid_inputs)(hybrid *self);

/* Of the symmetries in the list, those that contacts leave. */
int X(hybrid_symmetries)(hybrid *self, const state *x, symmetry *list, int *count);

/* For frames: the multipliers that belong to x (the constraints', then the contacts'), the gaps, the observables. Each
 * may be NULL. */
int X(hybrid_measure)(hybrid *self, const state *x, real *lambda, real *gaps, real *observables);

#endif
