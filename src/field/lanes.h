/* The tape interpreter: one instruction at a time over a block of lanes, so that its overhead is shared by the
   instances. */
#ifndef TAUT_FIELD_LANES_H
#define TAUT_FIELD_LANES_H

#include "base/real.h"
#include "kernel/tape.h"

#define LANES TAPE_LANES

/* Three lanes are run as this many: rows of inputs are padded with copies of a lane. */
enum { TAPE_PADDED = 4 };

/* registers holds register_count rows of LANES; inputs and numbers are in place. The context learns of functions of the
   user that fail. */
void X(tape_run)(const tape *t, real *registers, int lanes, taut_context *context);
/* Puts the numbers of the tape into their registers, for so many lanes. */
void X(tape_numbers)(const tape *t, real *registers, int lanes);

#endif
