/* Which frames of a long run an animation has. Pages and films follow the same rules. */
#ifndef TAUT_REPORT_CHOICE_H
#define TAUT_REPORT_CHOICE_H

#include <stddef.h>

/* Largest numbers of values and of frames in an animation. Systems with many places get few frames, but not fewer than
   the last. */
#define MOTION_VALUES 1500000
#define MOTION_FRAMES 6000
#define MOTION_FRAMES_LEAST 60
/* An animation that would have to leave out more than every so manyth frame, and can have at least so many, begins with
   half of them one after the other: what passes between frames that are far apart cannot be seen. */
#define MOTION_STRIDE 4
#define MOTION_FRAMES_DENSE 500

/* Which frames an animation of many has: the first `dense` ones, then every so manyth, `frames` in all. */
typedef struct {
    long frames, dense, every;
} moving_choice;

/* Of so many frames, with so many places that move. */
static inline moving_choice moving_choose(size_t places, long frames)
{
    long most = MOTION_VALUES / (3 * (long)(places ? places : 1));
    moving_choice c = { .every = 1 };
    most = most < MOTION_FRAMES_LEAST ? MOTION_FRAMES_LEAST : most > MOTION_FRAMES ? MOTION_FRAMES : most;
    if (frames > most) {
        if (frames > MOTION_STRIDE * most && most >= MOTION_FRAMES_DENSE) c.dense = most / 2;
        c.every = (frames - c.dense + most - c.dense - 1) / (most - c.dense);
    }
    c.frames = c.dense + (frames - c.dense + c.every - 1) / c.every;
    return c;
}

static inline long moving_frame(const moving_choice *c, long i)
{
    return i < c->dense ? i : c->dense + (i - c->dense) * c->every;
}

#endif
