#include "run/plan.h"

#include <limits.h>

#define EDGE ((wide)1e-9)
/* A `long` holds them, and sums of a few more. */
#define STEPS_MOST ((wide)LONG_MAX < (wide)9e18 ? (wide)(LONG_MAX / 2) : (wide)9e18)

run_plan taut_run_plan(wide begin, wide until, wide step)
{
    run_plan p = { .begin = begin, .until = until, .step = step, .steps = -1 };
    const wide ratio = (until - begin) / step, whole = WIDE(round)(ratio);
    if (step - step != 0 || !(ratio >= -EDGE) || ratio > STEPS_MOST) return p;
    p.partial = !(WIDE(fabs)(ratio - whole) <= EDGE * WIDE(fmax)(whole, 1));
    p.steps = p.partial ? (long)WIDE(floor)(ratio) + 1 : (long)whole;
    return p;
}

long taut_run_plan_divides(const run_plan *p) { return p->partial || p->steps < 0 ? 0 : p->steps; }

long taut_run_stride(long steps, long most) { return 1 + (steps - 1) / most; }

long taut_run_next_multiple(long n, long every) { return every ? (n / every + 1) * every : -1; }

size_t taut_run_plan_rows(long steps, long every)
{
    if (steps < 0) return 0;
    return 1 + (size_t)(steps / every) + (steps % every != 0);
}

run_walk taut_run_walk(const run_plan *p, long done, long look_every, long frame_every)
{
    return (run_walk){ .plan = *p, .done = done, .look_every = look_every, .frame_every = frame_every,
                       .next_look = taut_run_next_multiple(done, look_every),
                       .next_frame = taut_run_next_multiple(done, frame_every) };
}

run_leg taut_run_next(const run_walk *w, long most)
{
    const long whole = w->plan.steps - w->plan.partial;
    if (w->done >= whole) return (run_leg){ 1, 1 };
    long end = whole;
    if (w->next_look > 0 && w->next_look < end) end = w->next_look;
    if (w->next_frame > 0 && w->next_frame < end) end = w->next_frame;
    const long steps = end - w->done;
    return (run_leg){ steps < most ? steps : most, 0 };
}

wide taut_run_length(const run_plan *p, const run_leg *leg, wide t) { return leg->shorter ? p->until - t : p->step; }

int taut_run_done(run_walk *w, long steps)
{
    const int last = (w->done += steps) == w->plan.steps;
    int due = last ? RUN_END : 0;
    if (w->look_every && (last || w->done == w->next_look)) due |= RUN_LOOK;
    if (w->frame_every && (last || w->done == w->next_frame)) due |= RUN_FRAME;
    if (w->done == w->next_look) w->next_look += w->look_every;
    if (w->done == w->next_frame) w->next_frame += w->frame_every;
    return due;
}
