/* The symplectic Euler methods of Jay & Simeon: the catalogue entry and the schemes. */
#include "method/euler.h"

#include <string.h>

static const method_option options[] = {
    { "natural", "", "(3.2): the extension that suggests itself; inconsistent when a force is nonlinear in the multipliers" },
    { "conjugate", "", "(3.8): the conjugate form, of order 1" },
    { METHOD_ADJOINT, "", "the adjoint of the chosen one, whose step it undoes with -h; not (3.8), unless forces are linear in the multipliers" },
    { "alpha", "number", "weight of the first multipliers, not 0 (0.5); for natural also not 1" },
};
enum { OPTION_COUNT = sizeof options / sizeof *options };

static const method_info info = {
    .name = "euler",
    .summary = "symplectic Euler with constraints; forces and rates may be nonlinear in the multipliers",
    .source = "Jay & Simeon: Consistent extensions of the symplectic Euler method; (3.2), (3.5), (3.8)",
    .equations = "phi = f + r: r is G' lambda and every term of a force or rate with a multiplier in it\n"
                 "Z = p0 + h f(q0,Z) + h alpha r(q0,p0,Psi0),  q1 = q0 + h H_p(q0,Z),  g(q1) = 0\n"
                 "p1 = Z - h alpha r(q1,p1,Psi0) + h r(q1,p1,Psi~1),  G1 H_p(q1,p1) + g_t = 0",
    .order = 1,
    .keeps = KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_POSITION | KEEPS_VELOCITY,
    .options = options,
    .option_count = OPTION_COUNT,
    .table = "euler            (3.5), 'true'\n"
             "euler:natural    Z as in (3.5), p1 = Z + h (1 - alpha) r(q1,p1,Psi1); natural,conjugate is (3.7)\n"
             "euler:conjugate  Z = p0 + h alpha r(q0,p0,Psi0),  q1 = q0 + h H_p(q1,Z),\n"
             "                 p1 = Z + h f(q1,Z) - h alpha r(q1,p1,Psi0) + h r(q1,p1,Psi~1)\n"
             "euler:adjoint    Z = p0 - h alpha r(q0,p0,Psi) + h r(q0,p0,Psi~),  q1 = q0 + h H_p(q1,Z),\n"
             "                 p1 = Z + h f(q1,Z) + h alpha r(q1,p1,Psi)\n"
             "All of order 1. With forces linear in the multipliers natural is (3.5), adjoint is conjugate, and alpha does not matter.\n"
             "With forces nonlinear in them natural does not converge to the solution.",
};

static int is_natural(const method_spec *spec) { return method_has_word(spec, "natural"); }

static euler_scheme scheme_of(const method_spec *spec, real alpha)
{
    int adjoint = 0;
    for (int i = 0; i < spec->option_count; i++) adjoint ^= strcmp(spec->options[i].key, METHOD_ADJOINT) == 0;
    euler_scheme scheme = { method_has_word(spec, "conjugate") ? 0 : 1, { alpha, 0 }, { -alpha, 1 } };
    if (is_natural(spec)) scheme.b[0] = 0, scheme.b[1] = 1 - alpha;
    return adjoint ? euler_adjoint(&scheme) : scheme;
}

/* Theorem 3.1 of the paper */
static void natural_on(struct system *s, method_info *out)
{
    if (s->structure.nonlinear_multiplier) out->order = 0;
}

static void declare(const method_spec *spec, method_info *out)
{
    if (is_natural(spec)) out->adapt = natural_on;
}

static int create(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    real alpha;
    euler *r = NULL;
    *self = NULL;
    int status = method_check_words(s->context, spec);
    if (!status) status = method_real_option(s->context, spec, "alpha", (real)0.5, &alpha);
    if (status) return status;
    if (alpha == 0 || (is_natural(spec) && alpha == 1))
        return fail(s->context, TAUT_BAD_USAGE, "method 'euler': alpha=%g leaves a set of multipliers without weight; take another, as in "
                                                "euler:alpha=0.5", (double)alpha);
    if (is_natural(spec) && s->structure.nonlinear_multiplier)
        note_once(s->context, "euler:natural is inconsistent on this model: a force is nonlinear in the multipliers, and the result does not "
                         "converge to the solution; take euler");
    euler_scheme scheme = scheme_of(spec, alpha);
    status = euler_create(s, &scheme, tolerance, &r);
    *self = r;
    return status;
}

static int step(void *self, state *x, real h) { return euler_step(self, x, h); }
static const newton_counts *counts(const void *self) { return euler_counts(self); }
static void destroy(void *self) { euler_destroy(self); }

const struct method_class method_euler = { &info, NULL, declare, create, step, counts, destroy, NULL };
