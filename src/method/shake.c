/* SHAKE, Verlet with constraints in position form, as a one-step map: the catalogue entry, and the choice between its
   two forms. */
#include "method/del.h"
#include "method/verlet.h"

static const method_info info = {
    .name = "shake",
    .summary =
        "Verlet with constraints in position form: the positions of rattle, its momenta up to a constraint force",
    .source = "Ryckaert, Ciccotti & Berendsen 1977; Wendlandt & Marsden 1997, 4.1; q-dependent mass: trapezoidal rule",
    .equations = "L_d(q0,q1) = h/2 (L(q0,v) + L(q1,v)),  v = (q1 - q0)/h\n"
                 "-D1 L_d(q0,q1) - f- = p0 + h/2 G0' lambda,  g(q1) = 0\n"
                 "p1 = D2 L_d(q0,q1) + f+\n"
                 "p1 has a component along G1' of size h; the next lambda absorbs it. Velocities and energy show it.",
    .slips = "psi(q0,v) + psi(q1,v) = 0 with v = (q1 - q0)/h, by lambda",
    .order = 2,
    .momentum_order = 1,
    .keeps = KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_POSITION,
    .stable = 2,
    .keeps_free = KEEPS_REVERSIBLE, /* it is Verlet's method */
};

static const del_rule trapezoidal = { 2, { (real)0.5, (real)0.5 }, { 0, 1 }, (real)0.5, 0 };

static const char *refuse(const struct system *s)
{
    if (s->structure.explicit_force) return NULL;
    if (s->form == FORM_RATES) return "it needs a Lagrangian or a Hamiltonian, and this model has rates";
    if (s->structure.force_multiplier)
        return "a force depends on multipliers, and those of shake change their meaning after the first step; take "
               "rattle";
    return s->form == FORM_HAMILTONIAN
               ? "with a Hamiltonian it needs a constant mass matrix in small blocks and forces free of momenta; take "
                 "rattle"
               : NULL;
}

static int table(struct system *s, const method_spec *spec, step_table *t)
{
    (void)spec;
    if (s->form != FORM_LAGRANGIAN) return TAUT_UNSUPPORTED; /* the code serves */
    X(del_table)(s, &trapezoidal, t);
    return TAUT_OK;
}

static int start(struct system *s, const method_spec *spec, state *x, const real *q1, real h)
{
    (void)spec;
    return X(del_start)(s, &trapezoidal, x, q1, h);
}

const struct method_class X(method_shake) = { .info = &info,
                                              .refuse = refuse,
                                              .table = table,
                                              .code = &X(verlet_plain),
                                              .reduces = X(verlet_serves),
                                              .start = start };
