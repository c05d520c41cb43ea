/* Inside of the system, for the files of this folder. */
#ifndef TAUT_SYSTEM_SYSTEM_INSIDE_H
#define TAUT_SYSTEM_SYSTEM_INSIDE_H

#include "model/model.h"
#include "system/system.h"

/* Creates (or re-creates) the field of a family. */
int X(system_make_field)(struct system *s, family *f, field **result);
/* Values of the table of constants, after the families are complete. */
int X(system_evaluate_constants)(struct system *s);
/* initial.c: s->start and s->least. */
int X(system_evaluate_start)(struct system *s);
/* structure.c: dg_k/dt = G_k v + g_t, or psi_k, as an expression; 0 without memory. */
expr X(system_rate_formula)(struct system *s, uint32_t k);
/* structure.c: adds (dg/dt)^2 terms where the mass matrix is singular alone, finds constant mass and its inverse. */
int X(system_find_structure)(struct system *s);

#endif
