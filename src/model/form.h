/* What kind of model it is. Compiled systems hand this on to methods, which see no model (system/system.h). */
#ifndef TAUT_MODEL_FORM_H
#define TAUT_MODEL_FORM_H

#include <stdint.h>

#include "base/wide.h"

typedef enum { FORM_NONE, FORM_LAGRANGIAN, FORM_HAMILTONIAN, FORM_RATES } form;

/* What the Dirac algorithm made of a model (analysis/phase_space.c): form is FORM_HAMILTONIAN, and the constraints are
   functions chi(q,p) that stand in the equations of motion by the Dirac bracket, not by multipliers. */
typedef struct {
    int velocities;            /* observables are functions of (q, q'): the model came from a Lagrangian */
    uint32_t first;            /* of the constraints so many, the last ones, are first class and not in the bracket: the
                                  motion keeps them if it begins on them */
    uint32_t free_q, free_w;   /* start values that were solved for */
    wide moved_q, moved_w;     /* largest change of the start by polishing or projection */
    char missing[320];         /* what to say of a Lagrangian that lacks velocities; empty if it lacks none */
} phase_info;

#endif
