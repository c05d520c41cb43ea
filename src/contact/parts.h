/* Inside of the hybrid stepping: what its files share. */
#ifndef TAUT_CONTACT_PARTS_H
#define TAUT_CONTACT_PARTS_H

#include "contact/hybrid.h"
#include "contact/lcp.h"
#include "contact/locate.h"
#include "solve/kkt.h"

/* The contacts that take part in an impact, or in a decision on forces, as rows of one problem. */
typedef struct {
    size_t *who;              /* contacts */
    cone_contact *cones;
    int count, rows;
    real *J;                  /* rows x n: gradients */
    real *W;                  /* rows x rows: J K J', K the response of velocities to impulses under the constraints that always hold */
    real *b, *P;              /* rows; there is room for all contacts */
} meeting;

struct hybrid {
    const model *m;
    taut_context *context;
    size_t count;
    uint32_t n, c;
    hybrid_options options;
    phases phases;
    watch *watch;
    phase *open;              /* all contacts open; looked up anew when needed */
    real *restitution;
    state saved;              /* x at the beginning of the step */
    real h;                   /* of the step */
    real shortest;            /* a piece of the step that is shorter moves nothing by more than a rounding */
    unsigned char *leaving;   /* contacts that have just been let go */
    unsigned char *held;      /* open contacts along whose surfaces a piece is made (piece.c) */
    int can_hold;             /* the method's order is 2 or more */
    int beside;               /* the method keeps positions on the constraints, and velocities beside them */
    unsigned char *modes;     /* before an event */
    unsigned char *takes_part; /* in a meeting */
    real *impulse;            /* of the last impact, per contact */
    real *floor, *slip_floor; /* round-off of rates and slips before it, which is what is left in them after it */
    real *guess;              /* of the multipliers of contacts that close */
    real *width;              /* of regularised friction */
    meeting meeting;
    /* work: n each, and c */
    real *a, *b, *v, *w, *kick, *multiplier, *right;
    real *pi_w, *nu_w, *force, *jacobian; /* block values of the open phase */
    kkt *kkt;                 /* of the open phase kkt_owner */
    const phase *kkt_owner;
    /* event functions (locate.c): two for each contact */
    real *value, *start, *tolerance, *rate, *rate_start;
    unsigned char *ignore;
    unsigned char *together;  /* functions with their zeros at the event */
};

/* ---- response.c: impulses and the velocities that follow ---- */
/* Collects the contacts that `takes_part` marks (watch has looked at x), with their gradients and W. */
int meeting_collect(hybrid *z, const state *x, const unsigned char *takes_part);
/* x.w, x.p := after the impulses z->meeting.P, under the constraints that always hold. */
int meeting_apply(hybrid *z, state *x);

/* ---- impact.c ---- */
/* trigger: a contact that closes however slowly, or -1. *happened: somebody hit somebody. */
int contact_impact(hybrid *z, state *x, long trigger, int *happened);
/* Below this speed a contact that is pressed together does not open again: the height of the jump is some roundings of the gap. */
real contact_rest_speed(const touch *t, real acceleration);

/* ---- piece.c ---- */
/* Moves x by a piece of the step: `left`, or what comes before the first event or can be done at once. */
int contact_piece(hybrid *z, state *x, real left, located *event);
/* Whether a contact is held in it. */
int contact_holds(const hybrid *z);

/* ---- decide.c ---- */
/* Which contacts that touch stay closed, by the complementarity problem of the forces. */
int contact_settle(hybrid *z, state *x);
/* The same starting from the modes of x, mending what is wrong with them one by one. */
int contact_mend(hybrid *z, state *x);
/* Open contacts that a piece has left below zero nevertheless are put onto their surfaces. */
int contact_lift(hybrid *z, state *x);
/* Closes a contact at x (watch has looked). */
void close_contact(hybrid *z, state *x, size_t i);
void open_contact(state *x, size_t i);
void stick_contact(hybrid *z, state *x, size_t i);
void slip_contact(hybrid *z, state *x, size_t i, const real *direction);
/* Remembers the modes of x; tells what became of them since. *changed (may be NULL): something did. */
void contact_remember(hybrid *z, const state *x);
int contact_tell_changes(hybrid *z, const state *x, int *changed);
int contact_tell(hybrid *z, size_t contact, event_kind kind, real impulse);

#endif
