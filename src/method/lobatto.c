/* The constrained Lobatto IIIA-IIIB pair: the catalogue entry. */
#include "method/stages.h"

static const method_option options[] = {
    { "s", "2..9", "stages (3 if not given); the order is 2s - 2" },
};

static const method_info info = {
    .name = "lobatto",
    .summary = "constrained Lobatto IIIA-IIIB, of any even order, for any Lagrangian or Hamiltonian",
    .source = "Jay 1996, SIAM J. Numer. Anal. 33; Hairer, Lubich & Wanner VII.1.4",
    .equations = "Q_i = q0 + h sum_j a_ij H_p(Q_j,P_j),  P_i = p0 + h sum_j A_ij f_j,  i = 1..s\n"
                 "f_j = -H_q(Q_j,P_j) + G(Q_j)' Lambda_j + F_j,  g(Q_i) = 0\n"
                 "q1 = Q_s,  p1 = p0 + h sum_j b_j f_j,  G1 H_p(q1,p1) + g_t = 0\n"
                 "a: Lobatto IIIA,  A: Lobatto IIIB,  b_i A_ij + b_j a_ji = b_i b_j",
    .order = 4,
    .keeps = KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION | KEEPS_VELOCITY,
    .options = options,
    .option_count = 1,
};

static int stage_count(taut_context *context, const method_spec *spec, int *count)
{
    return method_whole_option(context, spec, "s", 3, 2, STAGES_MOST, count);
}

static void declare(const method_spec *spec, method_info *declared)
{
    int count = 3;
    stage_count(NULL, spec, &count);
    declared->order = 2 * count - 2;
}

static int create(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    int count;
    stages *r = NULL;
    int status = stage_count(s->context, spec, &count);
    if (!status) status = stages_create(s, count, tolerance, &r);
    *self = r;
    return status;
}

static int step(void *self, state *x, real h) { return stages_step(self, x, h); }
static const newton_counts *counts(const void *self) { return stages_counts(self); }
static void destroy(void *self) { stages_destroy(self); }

const struct method_class method_lobatto = { &info, NULL, declare, create, step, counts, destroy, NULL };
