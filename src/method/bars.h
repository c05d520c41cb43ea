/* Points between bars: systems all of whose constraints keep a distance,
 *
 *     g_k = s_k/2 (|q_a - q_b|^2 - L_k^2),
 *
 * between two points, or between a point and a fixed place. That this is so is found by testing, whatever the model
 * calls it: each g is of degree 2 in the coordinates for all constants, and its gradient is that of a distance at
 * several states. Coordinates that no constraint contains are points, too. */
#ifndef TAUT_METHOD_BARS_H
#define TAUT_METHOD_BARS_H

#include "base/room.h"
#include "system/system.h"

/* Bars one after another whose two ends move on by one point from each to the next; otherwise ends are looked up. */
typedef struct {
    uint32_t first, count;
    int steady;
    int linked;             /* and each begins where the one before ends: a chain; */
    int fresh;              /* no run before has a bar at its ends a, and these follow those of the fresh runs before */
} bar_run;

/* Points one behind the other. */
typedef struct {
    uint32_t first, count;
} point_range;

typedef struct {
    struct system *s;
    uint32_t count;         /* bars: constraints */
    uint32_t points;        /* that move: numbers begin .. begin + points - 1; */
    uint32_t begin;         /* 1: number 0 is the fixed end of the first bar, so that a chain is numbered from there */
    uint32_t fixed;         /* places where bars end, which are points too: but for number 0 they are `behind` .. */
    uint32_t behind;        /* behind the moving points, with what fills up the last BARS_LANES of these */
    uint32_t all;           /* of both, and what fills up */
    size_t point_room, bar_room; /* so many numbers an array of points or of bars has, to be read and written in whole
                                    blocks of lanes from anywhere on */
    uint32_t *first;        /* coordinate of each moving point, by its number; */
    unsigned char *size;    /* it has so many, at most BARS_SPACE */
    uint32_t spacing;       /* 3 or 2: all points have so many, one behind the other; 0: they are looked up */
    uint32_t *a, *b;        /* ends */
    bar_run *runs;
    uint32_t run_count;
    point_range *others;    /* points that are not ends a of a linked run that is fresh */
    uint32_t other_count;
    int one_chain;          /* all bars are one fresh run from a fixed end, and there are no other points */
    /* By the constants, found by bars_refresh: */
    real *scale, *square;   /* s_k, L_k^2 */
    real *places;           /* of the fixed ends, BARS_SPACE each */
    unsigned version;       /* of the constants */
    int known, holds;       /* with these constants each g is what is said above */
    real *q, *g, *entries, *origin; /* work; the last two as long as the coordinates at least */
} bars;

enum { BARS_SPACE = 3, BARS_LANES = 4 };
/* Whole blocks of lanes. */
#define BARS_FILLED(count) (((count) + (BARS_LANES - 1)) & ~(uint32_t)(BARS_LANES - 1))

/* Vectors of points or bars by component. */
typedef struct {
    real *c[BARS_SPACE];
} vectors;

static inline int bars_is_fixed(const bars *b, uint32_t point) { return point < b->begin || point >= b->behind; }
/* The point of fixed place j. */
static inline uint32_t bars_fixed(const bars *b, uint32_t j)
{
    return j < b->begin ? 0 : b->behind + j - b->begin;
}
/* Where the coordinates of a fixed point are. */
static inline real *bars_place(const bars *b, uint32_t point)
{
    return b->places + (size_t)(point < b->begin ? 0 : point - b->behind + b->begin) * BARS_SPACE;
}

/* An array with a number for each point, the first moving one at the beginning of a line of the cache. */
static inline real *bars_point_reals(const bars *b, room_layout *l)
{
    real *at = room_reals(l, b->point_room + BARS_LANES);
    return at ? at + (BARS_LANES - b->begin) % BARS_LANES : NULL;
}

/* *result is NULL for another system. BLOCK_G must have been prepared. */
int X(bars_find)(struct system *s, bars **result);
void X(bars_destroy)(bars *b);
/* Scales and lengths with the constants of now; allocates nothing. Returns whether all constraints are distances. */
int X(bars_refresh)(bars *b);
/* Inverse masses of the moving points, by number; *even: all are equal. Returns whether each point has one mass, and
   momenta vanish with velocities. */
int X(bars_weigh)(const bars *b, real *w, int *even);
static inline int bars_hold(bars *b)
{
    return b->known && b->version == b->s->constants_version ? b->holds : X(bars_refresh)(b);
}

#endif
