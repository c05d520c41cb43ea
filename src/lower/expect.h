/* Straight flows: steps with the rounds that are expected, without loops and conditions. A pass over the flow of the
 * step follows the way that such a step goes; a verdict that is another one leaves, with a program_way. What decides
 * little is left out: of several reasons to end the usual one is asked for, and whether corrections are numbers is seen
 * when the step is done. So the step is the same to the bit, and mostly operations on its numbers. */
#ifndef TAUT_LOWER_EXPECT_H
#define TAUT_LOWER_EXPECT_H

#include "lower/program.h"

/* How many are worth it, PROGRAM_WHOLE at the most. */
int X(expect_count)(const program *p);
/* The rounds of a phase in the which-th of them. */
int X(expect_rounds)(const program *p, const program_phase *f, int which);
/* Makes it, and adds what it counts. Values that it needs for a moment are among the numbers behind the registers of the
   program's flow. f->count is 0 where there is no such way. */
int X(expect_flow)(const program *p, int which, step_flow *f, long *counts);

#endif
