/* Flows as machine code of x86-64 or aarch64, written by Taut itself: there at once, without a compiler. A flow becomes
 * a function of the registers of its program and of the state's block, with the operations of the flow, so with the
 * same bits. C from a compiler (emit.h) takes over when it is there. */
#ifndef TAUT_LOWER_MACHINE_H
#define TAUT_LOWER_MACHINE_H

#include "lower/program.h"

/* Sets `machine` of the tapes, or leaves it NULL where the processor is another or the system forbids it, or where it
   would take longer to write than it saves: the program is run so many times (if p->s->native knows what is asked
   for). *pays: it was not that. */
int X(machine_create)(program *p, double times, int *pays);

#endif
