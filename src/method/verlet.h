/* RATTLE and SHAKE of systems too large to be lowered (src/lower), where they are explicit but for the multipliers:
 * constant mass, forces of position and time, for RATTLE also of velocity. This is what eliminating the momenta and
 * positions from their tables leads to, written out: a step by the table takes eight times as long on the hanging
 * chain of 1,000 links (lobatto:s=2 is the table of RATTLE: compare `taut run models/hanging-chain.lua -D N=1000 -s
 * 0.001 -T 0.2 -m rattle` with -m lobatto:s=2). */
#ifndef TAUT_METHOD_VERLET_H
#define TAUT_METHOD_VERLET_H

#include "method/method.h"

int X(verlet_serves)(const struct system *s);
int X(verlet_serves_rattle)(const struct system *s); /* forces of velocity, too */
extern const method_code X(verlet_projected); /* RATTLE */
extern const method_code X(verlet_plain);     /* SHAKE: without the velocity constraint at the end of a step */

#endif
