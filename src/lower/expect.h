/* Straight flows: steps with the rounds that are expected, without loops and conditions. A pass over the flow of the
 * step follows the way that such a step goes; a verdict that is another one leaves, with a program_way. What decides
 * little is left out: of several reasons to end the usual one is asked for, and whether corrections are numbers is seen
 * when the step is done. So the step is the same to the bit, and mostly operations on its numbers. */
#ifndef TAUT_LOWER_EXPECT_H
#define TAUT_LOWER_EXPECT_H

#include "lower/program.h"

/* Instead of a number: for steps that need one more correction with a matrix, and for those that do not. It has
   verdicts that are computed, and FLOW_LEAVE, which machine code does not take. */
enum { EXPECT_MIXED = -1 };
/* How many are worth it, PROGRAM_WHOLE at the most. */
int X(expect_count)(const program *p);
/* The rounds of a phase in the which-th of them. */
int X(expect_rounds)(const program *p, const program_phase *f, int which);
/* Makes it, and adds what it counts. Values that it needs for a moment are among the numbers behind the registers of the
   program's flow. f->count is 0 where there is no such way. */
int X(expect_flow)(const program *p, int which, step_flow *f, long *counts);
/* The same of another flow of that program. */
int X(expect_flow_of)(const program *p, const step_flow *from, int which, step_flow *f, long *counts);

#endif
