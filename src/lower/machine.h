/* Tapes as machine code of x86-64, written by Taut itself: there at once, without a compiler. Each tape becomes a
 * function of the registers of its program, with the operations of the tape in its order, so with the same bits; the
 * iteration around the tapes is the interpreter's. C from a compiler (emit.h), which keeps values in the processor's
 * registers across tapes, takes over when it is there. */
#ifndef TAUT_LOWER_MACHINE_H
#define TAUT_LOWER_MACHINE_H

#include "lower/program.h"

/* Sets `machine` of the tapes, or leaves it NULL where the processor is another or the system forbids it, or where it
   would take longer to write than it saves: the program is run so many times (if p->s->native knows what is asked
   for). *pays: it was not that. */
int X(machine_create)(program *p, double times, int *pays);

#endif
