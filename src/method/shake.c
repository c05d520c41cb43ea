/* SHAKE, Verlet with constraints in position form, as a one-step map: the catalogue entry, and the choice between its two forms. */
#include "method/del.h"
#include "method/rattle.h"

static const method_info info = {
    .name = "shake",
    .summary = "Verlet with constraints in position form: the positions of rattle, its momenta up to a constraint force",
    .source = "Ryckaert, Ciccotti & Berendsen 1977; Wendlandt & Marsden 1997, 4.1; q-dependent mass: trapezoidal rule",
    .equations = "L_d(q0,q1) = h/2 (L(q0,v) + L(q1,v)),  v = (q1 - q0)/h\n"
                 "-D1 L_d(q0,q1) - f- = p0 + h/2 G0' lambda,  g(q1) = 0\n"
                 "p1 = D2 L_d(q0,q1) + f+\n"
                 "p1 has a component along G1' of size h; the next lambda absorbs it. Velocities and energy show it.",
    .order = 2,
    .momentum_order = 1,
    .keeps = KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_POSITION,
};

typedef struct {
    struct system *s;
    rattle_explicit *simple;
    del *general;
} shake;

static const del_options trapezoidal = { .rule = { 2, { (real)0.5, (real)0.5 }, { 0, 1 } }, .weight = (real)0.5, .project = 0 };

static const char *refuse(const struct system *s)
{
    if (s->structure.explicit_force) return NULL;
    if (s->form == FORM_RATES) return "it needs a Lagrangian or a Hamiltonian, and this model has rates";
    if (s->structure.force_multiplier) return "a force depends on multipliers, and those of shake change their meaning after the first step; take "
                                              "rattle";
    return s->form == FORM_HAMILTONIAN ? "with a Hamiltonian it needs a constant mass matrix in small blocks and forces free of momenta; take "
                                         "rattle"
                                       : NULL;
}

static void destroy(void *self)
{
    shake *r = self;
    rattle_explicit_destroy(r->simple);
    del_destroy(r->general);
    mem_free(r->s->context, r);
}

static int create(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    (void)spec;
    *self = NULL;
    shake *r = mem_new(s->context, 1, sizeof *r);
    if (!r) return TAUT_OUT_OF_MEMORY;
    r->s = s;
    int status = s->structure.explicit_force ? rattle_explicit_create(s, 0, tolerance, &r->simple)
                                             : del_create(s, &trapezoidal, tolerance, &r->general);
    if (status)
        destroy(r);
    else
        *self = r;
    return status;
}

static int step(void *self, state *x, real h)
{
    shake *r = self;
    return r->simple ? rattle_explicit_step(r->simple, x, h) : del_step(r->general, x, h);
}

/* The fast path has no discrete Lagrangian at hand: one is made for the start. */
static int start(void *self, state *x, const real *q1, real h)
{
    shake *r = self;
    del *d = r->general;
    int status = d ? TAUT_OK : del_create(r->s, &trapezoidal, 0, &d);
    if (!status) status = del_start(d, x, q1, h);
    if (d != r->general) del_destroy(d);
    return status;
}

static const newton_counts *counts(const void *self)
{
    const shake *r = self;
    return r->simple ? rattle_explicit_counts(r->simple) : del_counts(r->general);
}

const struct method_class method_shake = { &info, refuse, NULL, create, step, counts, destroy, start };
