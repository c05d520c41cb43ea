/* RATTLE and SHAKE where they are explicit but for the multipliers: constant mass, forces of position and time. This is what eliminating the
 * momenta and positions from their tables leads to, written out: on the hanging chain of 1,000 links a step by the table takes VERLET_RATIO times as long. */
#ifndef TAUT_METHOD_VERLET_H
#define TAUT_METHOD_VERLET_H

#include "method/method.h"

int verlet_serves(const struct system *s);
extern const method_code verlet_projected; /* RATTLE */
extern const method_code verlet_plain;     /* SHAKE: without the velocity constraint at the end of a step */

#endif
