/* The discrete Euler-Lagrange equations with the midpoint rule (4.1) or the left rule (4.16) of Wendlandt & Marsden
   1997: the catalogue entry. */
#include "method/del.h"

static const method_option options[] = {
    { "left", "", "the left rule (4.16), L_d = h L(q0, (q1 - q0)/h): order 1, not reversible" },
};

static const method_info info = {
    .name = "del",
    .summary = "discrete Euler-Lagrange equations, midpoint rule, for any Lagrangian; with a chart when the model "
               "embeds its points",
    .source = "Wendlandt & Marsden 1997, (4.1), (4.5), (4.12), (4.16)",
    .equations = "L_d(q0,q1) = h L((q0 + q1)/2, (q1 - q0)/h)\n"
                 "-D1 L_d(q0,q1) - f- = p0 + h/2 G0' lambda,  g(q1) = 0\n"
                 "p1 = D2 L_d(q0,q1) + f+ + h/2 G1' mu,  G1 v(q1,p1) + g_t = 0\n"
                 "embedded points a = psi(q): a at (psi(q0) + psi(q1))/2, a' = (psi(q1) - psi(q0))/h",
    .slips = "psi((q0 + q1)/2, (q1 - q0)/h) = 0 by lambda, psi(q1,v1) = 0 by mu: the discrete principle of\n"
             "Lagrange and d'Alembert, Cortes & Martinez 2001, Nonlinearity 14",
    .order = 2,
    .keeps = KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION | KEEPS_VELOCITY,
    .options = options,
    .option_count = 1,
};

static int is_left(const method_spec *spec) { return X(method_has_word)(spec, "left"); }

static void declare(const method_spec *spec, method_info *out)
{
    if (!is_left(spec)) return;
    out->order = 1;
    out->keeps &= ~(unsigned)KEEPS_REVERSIBLE;
    out->summary = "discrete Euler-Lagrange equations, left rule, for any Lagrangian";
    out->equations = "L_d(q0,q1) = h L(q0, (q1 - q0)/h)\n"
                     "-D1 L_d(q0,q1) - h F0 = p0 + h G0' lambda,  g(q1) = 0\n"
                     "p1 = D2 L_d(q0,q1) + h G1' mu,  G1 v(q1,p1) + g_t = 0";
}

static const char *refuse(const struct system *s)
{
    if (s->form == FORM_LAGRANGIAN) return NULL;
    return s->form == FORM_HAMILTONIAN
               ? "it needs a Lagrangian, and this model has a Hamiltonian; write the model with lagrangian(), or take "
                 "rattle"
               : "it needs a Lagrangian, and this model has rates; write the model with lagrangian()";
}

static del_rule rule_of(const method_spec *spec)
{
    int left = is_left(spec);
    return (del_rule){ 1, { 1 }, { left ? 0 : (real)0.5 }, left ? 1 : (real)0.5, 1 };
}

static int table(struct system *s, const method_spec *spec, step_table *t)
{
    if (is_left(spec) && s->structure.force_multiplier)
        return taut_fail(s->context, TAUT_UNSUPPORTED,
                         "method 'del:left' cannot run this model: a force depends on multipliers, and those of the "
                         "left rule are not yet "
                         "the constraint forces; take del or euler");
    del_rule rule = rule_of(spec);
    X(del_table)(s, &rule, t);
    return TAUT_OK;
}

static int start(struct system *s, const method_spec *spec, state *x, const real *q1, real h)
{
    del_rule rule = rule_of(spec);
    return X(del_start)(s, &rule, x, q1, h);
}

const struct method_class
    X(method_del) = { .info = &info, .refuse = refuse, .declare = declare, .table = table, .start = start };
