/* The last of making a program: literals get their registers, and tapes their ends. */
#ifndef TAUT_LOWER_LITERALS_H
#define TAUT_LOWER_LITERALS_H

#include "lower/program.h"

/* Literals stand before the values in the end: until their number is known, with the highest bit set. */
#define PROGRAM_LITERAL 0x80000000u

/* Gives literals the registers behind those there are. */
void X(program_place_literals)(program *p);
/* Tapes end with an instruction that says so. */
int X(program_end_segments)(program *p);

#endif
