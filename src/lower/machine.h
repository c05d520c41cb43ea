/* Tapes as machine code of x86-64, written by Taut itself: there at once, without a compiler. Each tape becomes a
 * function of the registers of its program, with the operations of the tape in its order, so with the same bits; the
 * iteration around the tapes is the interpreter's. C from a compiler (emit.h), which keeps values in the processor's
 * registers across tapes, takes over when it is there. */
#ifndef TAUT_LOWER_MACHINE_H
#define TAUT_LOWER_MACHINE_H

#include "lower/program.h"

/* Sets `machine` of the tapes, or leaves it NULL where the processor is another or the system forbids it, or where the
   steps that are asked for are too few. */
int X(machine_create)(program *p);

#endif
