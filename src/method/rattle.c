/* RATTLE: the catalogue entry, and the choice between its forms. In general it is the Lobatto pair with two stages;
   where forces depend on the multipliers, r of phi = f + r is taken at the ends of the step, not with the momentum P
   between them (Jay & Simeon's class). */
#include "method/euler.h"
#include "method/lobatto.h"
#include "method/verlet.h"

static const method_info info = {
    .name = "rattle",
    .summary = "Verlet with constraints, for any Lagrangian or Hamiltonian",
    .source = "Andersen 1983; general H: Jay 1996, Hairer, Lubich & Wanner VII.1.4",
    .equations = "P = p0 - h/2 H_q(q0,P) + h/2 (G0' lambda + F0)\n"
                 "q1 = q0 + h/2 (H_p(q0,P) + H_p(q1,P)),  g(q1) = 0\n"
                 "p1 = P - h/2 H_q(q1,P) + h/2 (G1' mu + F1),  G1 H_p(q1,p1) + g_t = 0\n"
                 "F at (q0,P), (q1,P); terms with multipliers in them at (q0,p0,lambda), (q1,p1,mu)",
    .slips = "psi(q0,V0) + psi(q1,V1) = 0 with the velocities V0 = H_p(q0,P), V1 = H_p(q1,P), by lambda;\n"
             "psi(q1,v1) = 0 by mu",
    .order = 2,
    .keeps = KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION | KEEPS_VELOCITY,
    .stable = 2,
};

static const euler_scheme symmetric = { (real)0.5, { (real)0.5, 0 }, { 0, (real)0.5 } };

static int table(struct system *s, const method_spec *spec, step_table *t)
{
    if (s->structure.force_multiplier)
        X(euler_table)(s, &symmetric, t);
    else
        X(lobatto_table)(s, 2, spec->is_part, t);
    return TAUT_OK;
}

const struct method_class
    X(method_rattle) = { .info = &info, .table = table, .code = &X(verlet_projected),
                         .reduces = X(verlet_serves_rattle) };
