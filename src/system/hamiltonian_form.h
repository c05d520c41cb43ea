/* H(q,p,t) of a Lagrangian model as a formula, for models with rotations and for diagonal mass matrices that are not
   constant.
 *
 * Discrete gradients keep what their quadratic atoms show. The mass matrix of a unit quaternion depends on q, and its
 * Lagrangian, in velocities, does not lead to a scheme that keeps energy and angular momentum both; its Hamiltonian
 * does, because it is a function of the invariant quadratic forms q.q and p.e_a(q), where e_0 = q and e_1..3 = q i, q
 * j, q k:
 *     M(q) = 4 sum K_ab e_a e_b',   H = 1/8 sum (K^-1)_ab (p.e_a) (p.e_b)/(q.q)^2 + V(q,t),
 * K constant: the inertia, and the augmentation of the mass matrix along q. Likewise p_i^2/(2 m_i(q,t)) shows the
 * symmetries of m_i. */
#ifndef TAUT_SYSTEM_HAMILTONIAN_FORM_H
#define TAUT_SYSTEM_HAMILTONIAN_FORM_H

#include "system/system.h"

typedef struct hamiltonian_form {
    taut_context *context;
    store *store;
    family family;
    real *constants;
    field *field;         /* KIND_W are the momenta */
} hamiltonian_form;

/* s->hamiltonian := the formula, sought once for a system, which owns it. It stays NULL, with TAUT_OK, where the model
   has no such formula or no use for one: with constant mass, with a rotation whose mass matrix is coupled to other
   coordinates or is not as above, with other mass that is not diagonal, or with terms linear in velocities. */
int X(hamiltonian_form_find)(struct system *s);
void X(hamiltonian_form_destroy)(hamiltonian_form *z);
/* Takes from the momenta of rotations their components along q. These are zero under em (q0.p0 + q1.p1 = 0 follows from
   q.q = 1 at both ends), but for rounding errors of q.q, which come divided by the step and walk. */
void X(hamiltonian_form_clean)(const struct system *s, const real *q, real *p, real *p_low);

#endif
