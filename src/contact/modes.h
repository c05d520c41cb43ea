/* The mode sets of a model with contacts: for each set of contact modes a system, a method and what belongs to a state
 * in it; made when first met, the least used thrown away when there are too many. */
#ifndef TAUT_CONTACT_MODES_H
#define TAUT_CONTACT_MODES_H

#include "base/flat.h"
#include "contact/kinematics.h"
#include "contact/share.h"
#include "method/method.h"
#include "solve/acceleration.h"
#include "solve/start.h"

/* What a state remembers of each contact, in state.extra; EXTRA_SOFTENED, of the first alone: that the constraints of
 * its mode set depend on each other, and are softened at this level. */
enum {
    EXTRA_MODE,
    EXTRA_LAMBDA,
    EXTRA_SLOTS = EXTRA_LAMBDA + 3,
    EXTRA_SOFTENED = EXTRA_SLOTS + CONTACT_SLOTS,
    EXTRA_SIZE
};

static inline real *contact_extra(const state *x, size_t contact) { return x->extra + EXTRA_SIZE * contact; }
static inline contact_mode contact_mode_of(const state *x, size_t contact)
{
    return (contact_mode)contact_extra(x, contact)[EXTRA_MODE];
}

#define SOFTENED_LEVELS 3 /* each with a hundredth of the D of the one before: long structures need less */
static inline int contacts_softened(const state *x) { return (int)x->extra[EXTRA_SOFTENED]; }
static inline void contacts_set_softened(const state *x, int softened) { x->extra[EXTRA_SOFTENED] = softened; }

typedef struct {
    size_t contact_count;
    unsigned char *modes;
    int softened;          /* its constraints depend on each other (solve/redundancy.h), and its multipliers are one
                              choice of many: 1 to SOFTENED_LEVELS */
    model *m;              /* compiled into s */
    struct system *s;
    method method;
    acceleration *acceleration;
    projector *projector;
    state begin, end;      /* of a step */
    flat_workspace *flat;  /* of its numbers, and those of its method */
    void *room;            /* of the arrays below, and of modes */
    real *lambda, *dv;     /* multipliers and accelerations at a state */
    int rubs;              /* a contact has friction that is a force; then: */
    real *rubbing;         /* d(forces)/d(multipliers) */
    real *middle_q, *middle_w, *moved; /* n each */
    real *drive;           /* c: work of the forces of a multiplier 1, without that of its constraint, in a step; of a
                              contact that rubs that of friction */
    real drive_noise;      /* what round-off of positions makes it */
    real *jacobian;        /* values of BLOCK_G */
    real *work, *left;     /* where it is softened; left: c */
    shares *shares;        /* the same: its cones are those of the closed contacts, in their order */
    uint32_t perpetual;    /* constraints that always hold */
    int perpetual_softening; /* 1: they depend on each other, too */
    unsigned char *distances; /* the same: of each contact, whether its gap is a distance */
    long *first;           /* per contact: its first constraint, -1 when open */
    int *rows;             /* and how many it has */
    long used;
} mode_set;

typedef struct {
    const model *m;        /* of which those of the mode sets are made */
    const struct method_class *class;
    const method_spec *spec;
    real tolerance;
    struct native_use *native;
    pool *pool;
    int softened;          /* all of them: the constraints that always hold depend on each other */
    mode_set **list;
    int count;
    long clock;
    newton_counts gone;    /* work of mode sets that were thrown away */
    unsigned char *wanted;
} mode_sets;

#define MODE_SETS_KEPT 48

int X(mode_sets_create)(const model *m, const struct method_class *class, const method_spec *spec, real tolerance,
                     mode_sets *p);
void X(mode_sets_clear)(mode_sets *p);
/* The mode set of x. It stays valid until MODE_SETS_KEPT others were asked for. */
int X(mode_sets_get)(mode_sets *p, const state *x, mode_set **result);
/* The mode set in which all contacts are open; it stays valid. */
int X(mode_sets_open)(mode_sets *p, mode_set **result);
newton_counts X(mode_sets_counts)(const mode_sets *p);
/* As method_execution_of, of the mode sets there are. */
method_execution X(mode_sets_execution)(const mode_sets *p);
/* The inputs of the model have other values now. */
void X(mode_sets_inputs)(mode_sets *p);

/* Refuses what no state can remember of its contacts: TAUT_BAD_USAGE. */
int X(contact_check_state)(const model *m, const state *x);

/* Copies x to the beginning of a step, and what it remembers to the parameters of its model. */
int X(mode_set_load)(mode_set *set, const state *x);
/* What the parameters of a contact are in it (CONTACT_SLOTS). */
void X(mode_set_slots)(const mode_set *set, size_t contact, real *slots);
/* Copies a state of another mode set to the beginning of a step of the one in which all contacts are open. */
void X(mode_set_take)(mode_set *open, const state *from);
/* Copies a state of the mode set to x. */
void X(mode_set_store)(const mode_set *set, const state *from, state *x);
/* set->drive of a step of length s from set->begin to set->end, as em takes forces: half way between positions. */
void X(mode_set_drive)(mode_set *set, real s);
/* Whether the constraints of a mode set that is not softened depend on each other at a state of it. Pivots do not say
   so surely: those of a singular matrix are round-off, which may be large. Of many constraints they decide nevertheless
   (*dependent: 0). */
int X(mode_set_dependent)(mode_set *set, const state *at, int *dependent);
/* Multipliers and accelerations at a state of the mode set. */
int X(mode_set_forces)(mode_set *set, const state *at);

#endif
