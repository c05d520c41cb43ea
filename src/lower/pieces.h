/* A long program as several functions: register allocation of compilers takes time that grows faster than the length of
 * a function, so tapes are cut into pieces. Values that one piece computes and another one reads stand in an array,
 * whose places are used again when nobody reads them any more; the others stay inside of their piece. */
#ifndef TAUT_LOWER_PIECES_H
#define TAUT_LOWER_PIECES_H

#include "lower/program.h"

enum { PIECE_LENGTH = 200 }; /* instructions */

#define PIECE_INSIDE UINT32_MAX

typedef struct {
    uint32_t *slot;           /* of each register: its place in the array; PIECE_INSIDE: it has none */
    uint32_t count;           /* places: the unknowns of the table, then the values */
    /* While they are made, of each register: the piece that computes it (0: none of a step), when, and when it is read
       for the last time. Positions count instructions, in the order in which a step comes by. */
    uint32_t *piece, *start, *end, position;
    unsigned char *crosses;   /* another piece reads it, or what stands around them */
    unsigned char *may_be;    /* it is computed where a condition holds */
} pieces;

/* Registers of setup have no place. */
int X(pieces_create)(const program *p, const step_flow *f, pieces *z);
void X(pieces_clear)(const program *p, pieces *z);
/* Does it stand around the pieces: exits, counters, and what is handed out? */
int X(pieces_stand_around)(const program *p, const step_flow *f, const program_instruction *c);

#endif
