/* RATTLE: the catalogue entry, and the choice between its forms. In general it is the Lobatto pair with two stages; where forces depend on
   the multipliers, r of phi = f + r is taken at the ends of the step, not with the momentum P between them (Jay & Simeon's class). */
#include "method/euler.h"
#include "method/rattle.h"
#include "method/stages.h"

static const method_info info = {
    .name = "rattle",
    .summary = "Verlet with constraints, for any Lagrangian or Hamiltonian",
    .source = "Andersen 1983; general H: Jay 1996, Hairer, Lubich & Wanner VII.1.4",
    .equations = "P = p0 - h/2 H_q(q0,P) + h/2 (G0' lambda + F0)\n"
                 "q1 = q0 + h/2 (H_p(q0,P) + H_p(q1,P)),  g(q1) = 0\n"
                 "p1 = P - h/2 H_q(q1,P) + h/2 (G1' mu + F1),  G1 H_p(q1,p1) + g_t = 0\n"
                 "F at (q0,P), (q1,P); terms with multipliers in them at (q0,p0,lambda), (q1,p1,mu)",
    .order = 2,
    .keeps = KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION | KEEPS_VELOCITY,
};

typedef struct {
    taut_context *context;
    rattle_explicit *simple;
    stages *general;
    euler *nonlinear;
} rattle;

static const euler_scheme symmetric = { (real)0.5, { (real)0.5, 0 }, { 0, (real)0.5 } };

static void destroy(void *self)
{
    rattle *r = self;
    rattle_explicit_destroy(r->simple);
    stages_destroy(r->general);
    euler_destroy(r->nonlinear);
    mem_free(r->context, r);
}

static int create(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    (void)spec;
    *self = NULL;
    rattle *r = mem_new(s->context, 1, sizeof *r);
    if (!r) return TAUT_OUT_OF_MEMORY;
    r->context = s->context;
    int status = s->structure.force_multiplier ? euler_create(s, &symmetric, tolerance, &r->nonlinear)
                 : s->structure.explicit_force ? rattle_explicit_create(s, 1, tolerance, &r->simple)
                                               : stages_create(s, 2, tolerance, &r->general);
    if (status)
        destroy(r);
    else
        *self = r;
    return status;
}

static int step(void *self, state *x, real h)
{
    rattle *r = self;
    if (r->nonlinear) return euler_step(r->nonlinear, x, h);
    return r->simple ? rattle_explicit_step(r->simple, x, h) : stages_step(r->general, x, h);
}

static const newton_counts *counts(const void *self)
{
    const rattle *r = self;
    if (r->nonlinear) return euler_counts(r->nonlinear);
    return r->simple ? rattle_explicit_counts(r->simple) : stages_counts(r->general);
}

const struct method_class method_rattle = { &info, NULL, NULL, create, step, counts, destroy, NULL };
