/* The tape interpreter: one instruction at a time over a block of lanes, so that its overhead is shared by the
   instances. */
#ifndef TAUT_FIELD_LANES_H
#define TAUT_FIELD_LANES_H

#include "base/real.h"
#include "kernel/tape.h"

/* Instances evaluated together: registers of a typical kernel (30 or so) stay in the first-level cache. Many lengths of
   groups (tables.h) divide it. */
#define LANES 48

/* registers holds register_count rows of LANES; inputs and numbers are in place. */
void X(tape_run)(const tape *t, real *registers, int lanes);
/* Puts the numbers of the tape into their registers. */
void X(tape_numbers)(const tape *t, real *registers);

#endif
