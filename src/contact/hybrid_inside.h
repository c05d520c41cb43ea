/* Inside of the hybrid stepping: what its files share. */
#ifndef TAUT_CONTACT_HYBRID_INSIDE_H
#define TAUT_CONTACT_HYBRID_INSIDE_H

#include "contact/hybrid.h"
#include "contact/lcp.h"
#include "contact/locate.h"
#include "solve/kkt.h"

/* A step of the method that fails is tried again with a part of it, so often in one step of the run: thousands of them
   would be a step that hardly ends. (The tests need 6.) */
#define CONTACT_FAILURES 1000

/* The contacts that take part in an impact, or in a decision on forces, as rows of one problem. */
typedef struct {
    size_t *contacts;         /* which they are */
    cone_contact *cones;
    int count, rows;
    real *J;                  /* rows x n: gradients; grows */
    real *W; /* rows x rows: J K J', K the response of velocities to impulses under the constraints that
                always hold; grows */
    real *b, *P;              /* rows; there is room for all contacts */
} contact_problem;

/* Of the model: one number for each contact. */
typedef struct {
    real *restitution;
    real *width;              /* of regularised friction */
    real *roll_width;         /* of rolling resistance; 0: there is none */
    real *guess;              /* of the multiplier when it closes */
} contact_constants;

/* Of the method. */
typedef struct {
    int can_hold;             /* its order is 2 or more */
    int midpoint;             /* it takes forces half way, with the multipliers of its step */
    int velocities_off;       /* it keeps positions on the constraints, and leaves velocities off them */
} contact_method;

/* For a substep a contact that slips sticks; or has no friction. */
enum contact_stop { STOP_NOT, STOP_STICK, STOP_SMOOTH };

/* Of a step. */
typedef struct {
    state saved;              /* x at the beginning */
    real h;
    real shortest;            /* a substep below this length moves no coordinate by more than one ulp */
    real relax;               /* what counts as no force, times this: grows where contacts change again and again at one
                                 time, between modes that fit equally well */
    unsigned char *held;      /* open contacts along whose surfaces a substep is made (substep.c) */
    real *extra;              /* what x remembers of the contacts */
    int onto;                 /* velocities are put onto the constraints before a substep */
    long failures;            /* of the method's steps, up to now */
    long still;               /* events at one time, up to now */
    real energy;              /* before the event that is being handled: it is no more after it */
    real merge;               /* the length of its last merged step (merge.c); 0: there was none */
    state before;             /* x before the event, or the substep, that may fail */
    state unmerged, merged;   /* of merge.c: x before a merged step, and after it */
    unsigned char *modes;     /* of the contacts, before merged steps; and: */
    real *impulse;            /* of impacts in them */
    unsigned char *stopped;   /* contacts that slip, but in a substep do not (substep.c): one of contact_stop */
} contact_step;

/* Of an event: one number for each contact. */
typedef struct {
    state saved;              /* x before modes were tried */
    unsigned char *modes_before;
    unsigned char *leaving;   /* has just been let go */
    unsigned char *takes_part; /* in the problem */
    unsigned char *begins;    /* to slip, at this time */
    real *impulse;            /* of the last impact */
    real free;                /* the largest acceleration without contacts, once it is known: at rest, that with them is
                                 round-off of it */
    real pace;                /* the largest acceleration that was met, with and without contacts */
    real *rate_noise, *slip_noise; /* round-off of rate and slip before it, which is what is left in them after it */
} contact_event;

/* Of the search for an event (locate.c): two functions for each contact. */
typedef struct {
    real *value, *start, *tolerance;
    real *rate, *rate_start;  /* of the gaps: one for each contact */
    unsigned char *ignore;
    unsigned char *simultaneous; /* functions with their zeros at the event */
} contact_crossing;

/* Work of response.c. */
typedef struct {
    real *a, *b, *v, *w, *kick;   /* n each */
    real *multiplier, *right;     /* c each */
    const mode_set *owner;        /* the open mode set, to which the rest belongs */
    kkt *kkt;
    void *blocks;                 /* room of the values of blocks below */
    real *pi_w, *nu_w, *force, *jacobian;
} response_work;

struct hybrid {
    taut_context *context;
    contact_traits *traits;   /* of each contact */
    int moves;                /* surfaces, or constraints, do */
    int mergeable;            /* merged steps are possible */
    int sequential;           /* the impact law: one impact after the other */
    size_t count;             /* of contacts */
    uint32_t n, c;            /* coordinates; constraints that always hold */
    hybrid_options options;
    mode_sets sets;
    mode_set *open;           /* all contacts open; looked up again when needed */
    kinematics *kinematics;
    contact_constants constants;
    contact_method method;
    contact_step step;
    contact_event event;
    contact_problem problem;
    contact_crossing crossing;
    response_work response;
    void *room;               /* of the arrays of these, but for those that say otherwise */
};

/* ---- response.c: impulses and the velocities that follow ---- */
/* Collects the contacts that `takes_part` marks (the kinematics are those of x), with their gradients and W. */
int X(problem_collect)(hybrid *self, const state *x, const unsigned char *takes_part);
/* response.v, response.multiplier := velocities that the impulses self->problem.P make, and the multipliers. */
int X(problem_respond)(hybrid *self);
/* x.w, x.p := after the impulses self->problem.P, under the constraints that always hold. */
int X(problem_apply)(hybrid *self, state *x);
void X(response_clear)(taut_context *context, response_work *work);

/* ---- impact.c ---- */
/* trigger: a contact that closes however slowly, or -1. *happened: there was an impact. */
int X(contact_impact)(hybrid *self, state *x, long trigger, int *happened);
/* Below this speed a contact that is pressed together does not open again: the height of the jump is some ulps of the
 * gap. */
real X(contact_settling_speed)(const contact_motion *t, real acceleration);

/* ---- merge.c ---- */
/* Failures that other modes, or a merged step, may not have. */
static inline int contact_may_merge(int status)
{
    return status == TAUT_NO_CONVERGENCE || status == TAUT_SINGULAR || status == TAUT_NOT_FINITE;
}
/* Moves x by one merged step, or some, until modes are found that fit, or to the end of *left, which becomes less. On
   TAUT_NO_CONVERGENCE there is no such step either. */
int X(contact_merge)(hybrid *self, state *x, real *left);
/* Of the model with all contacts open, which is that of x. And: velocities such that it is `most` at most, but for some
   ulps, unless surfaces move; returns 0 where rest has more. */
real X(contact_energy)(const hybrid *self, const state *x);
int X(contact_limit_energy)(hybrid *self, state *x, real most);
/* At the end of a step, where an event finds no modes: all contacts are open, and remember their forces. */
void X(contact_put_off)(hybrid *self, state *x);

/* ---- substep.c ---- */
/* Moves x by a substep: `left`, or what comes before the first event or can be done at once. */
int X(contact_substep)(hybrid *self, state *x, real left, located *event);
/* Whether a contact is held in it; or stopped. */
int X(contact_holds)(const hybrid *self);
int X(contact_stops)(const hybrid *self);

/* ---- layer.c ---- */
/* `left`, or how long a substep from set->begin may be where friction turns around. The kinematics and the forces of
   the mode set are those of there. */
real X(contact_longest)(hybrid *self, const mode_set *set, real left);
/* Whether such a force changes so much from one end of a substep to the other, the rates of the stages being a and b,
   that the first terms of a series do not tell what it does. */
int X(contact_fades)(const hybrid *self, const mode_set *set, const real *a, const real *b);

/* ---- forces.c ---- */
#define SOME_ULPS (1000 * REAL_EPSILON) /* relative error of multipliers and accelerations */
#define SHARED_ULPS (100000 * REAL_EPSILON) /* of accelerations by forces that were shared out */
#define RELAX_MOST ((real)1e6)          /* they are judged less strictly by this much, where all else fails */
/* An acceleration of a gap that is none: a rounding of its terms (`size`), or one that would not move the gap by a
   rounding in a step. */
real X(contact_no_acceleration)(const hybrid *self, size_t contact, real size);
/* Touches, and does not open or close by more than round-off. The kinematics have accelerations. */
int X(contact_touches)(const hybrid *self, size_t contact);
/* event.takes_part := which contacts touch, *some of them; all are open then. */
int X(contact_find_touching)(hybrid *self, state *x, int *some);
/* The modes of the contacts that touch become those of the complementarity problem of the forces. On
   TAUT_NO_CONVERGENCE self->problem has the contacts, and all are open. */
int X(contact_ask)(hybrid *self, state *x);
/* Of a mode set whose constraints depend on each other, with its multipliers and accelerations at a state of it, at
   which the kinematics are: set->lambda become forces inside the friction cones that make the same accelerations.
   *possible (may be NULL): there are such forces. */
int X(contact_share)(hybrid *self, mode_set *set, const state *at, int *possible);

/* ---- decide.c ---- */
/* Slips by more than round-off. */
int X(contact_slips)(const hybrid *self, size_t contact);
/* Which contacts that touch stay closed, by the complementarity problem of the forces. */
int X(contact_settle)(hybrid *self, state *x);
/* The same starting from the modes of x, correcting what is wrong with them one by one. */
int X(contact_correct_modes)(hybrid *self, state *x);
/* Whether the modes of x fit as they are; if so, x is put onto their constraints. */
int X(contact_try_modes)(hybrid *self, state *x, int *fits);
/* Open contacts that a substep has left below zero nevertheless are put onto their surfaces. */
int X(contact_lift)(hybrid *self, state *x);
/* Closes a contact at x (the kinematics are those of x). */
void X(close_contact)(hybrid *self, state *x, size_t i);
void X(open_contact)(state *x, size_t i);
void X(stick_contact)(hybrid *self, state *x, size_t i);
void X(slip_contact)(hybrid *self, state *x, size_t i, const real *direction);
/* Remembers the modes of x; reports what became of them since. *changed (may be NULL): something did. */
void X(contact_remember_modes)(hybrid *self, const state *x);
int X(contact_report_changes)(hybrid *self, const state *x, int *changed);
int X(contact_report)(hybrid *self, size_t contact, event_kind kind, real impulse);

#endif
