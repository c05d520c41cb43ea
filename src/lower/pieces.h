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
} pieces;

/* Three calls: begin, the registers that are read behind the last tape, and places for all. Registers of setup have
   none. */
int X(pieces_create)(const program *p, pieces *z);
void X(pieces_result)(pieces *z, uint32_t r);
int X(pieces_place)(const program *p, pieces *z);
void X(pieces_clear)(const program *p, pieces *z);

#endif
