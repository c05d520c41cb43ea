/* The symplectic Euler methods of Jay & Simeon: the catalogue entry and the schemes. */
#include "method/euler.h"

#include <string.h>

static const method_option options[] = {
    { "natural", "",
      "(3.2): the extension that suggests itself; inconsistent when a force is nonlinear in the multipliers" },
    { "conjugate", "", "(3.8): the conjugate form, of order 1" },
    { METHOD_ADJOINT, "",
      "the adjoint of the chosen one, whose step it undoes with a negative one; not (3.8), unless forces are "
      "linear in the multipliers" },
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
    .slips = "s psi(q0,V0) + (1 - s) psi(q1,V1) = 0 where g(q1) = 0 stands; psi(q1,v1) = 0",
    .order = 1,
    .keeps = KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_POSITION | KEEPS_VELOCITY,
    .stable = 2,
    .options = options,
    .option_count = OPTION_COUNT,
    .table = "euler            (3.5), 'true'\n"
             "euler:natural    Z as in (3.5), p1 = Z + h (1 - alpha) r(q1,p1,Psi1); natural,conjugate is (3.7)\n"
             "euler:conjugate  Z = p0 + h alpha r(q0,p0,Psi0),  q1 = q0 + h H_p(q1,Z),\n"
             "                 p1 = Z + h f(q1,Z) - h alpha r(q1,p1,Psi0) + h r(q1,p1,Psi~1)\n"
             "euler:adjoint    Z = p0 - h alpha r(q0,p0,Psi) + h r(q0,p0,Psi~),  q1 = q0 + h H_p(q1,Z),\n"
             "                 p1 = Z + h f(q1,Z) + h alpha r(q1,p1,Psi)\n"
             "All of order 1. With forces linear in the multipliers natural is (3.5), adjoint is conjugate, and alpha "
             "does not matter.\n"
             "With forces nonlinear in them natural does not converge to the solution.",
};

static int is_natural(const method_spec *spec) { return X(method_has_word)(spec, "natural"); }

euler_scheme X(euler_adjoint)(const euler_scheme *scheme)
{
    euler_scheme other = { .start = 1 - scheme->start };
    memcpy(other.a, scheme->b, sizeof other.a);
    memcpy(other.b, scheme->a, sizeof other.b);
    return other;
}

static euler_scheme scheme_of(const method_spec *spec, real alpha)
{
    const int adjoint = X(method_has_word)(spec, METHOD_ADJOINT) != spec->is_adjoint;
    euler_scheme scheme = { X(method_has_word)(spec, "conjugate") ? 0 : 1, { alpha, 0 }, { -alpha, 1 } };
    if (is_natural(spec)) scheme.b[0] = 0, scheme.b[1] = 1 - alpha;
    return adjoint ? X(euler_adjoint)(&scheme) : scheme;
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

/* ---- the step ---- */

/* A Lagrangian has W_0 at q0 and W_1 at q1 for Z, as far as they are needed, and q1 = q0 + h (s W_0 + e W_1); the
   others have Z, q1 - q0 and the velocity u at the end. */
typedef struct {
    const euler_scheme *scheme;
    int lagrangian;
    int stage[2], move, end, velocity, multipliers[2];  /* groups; -1: there is none */
    int at_stage[2], at_start[2], at_end[2], end_of_step, rate; /* places; at_start and at_end with either set of
                                                                   multipliers */
} euler;

static int add_stage_variable(step_table *t, step_measure measure, int power)
{
    int group = X(step_add_group)(t, 0, STEP_N);
    X(step_guess)(t, group, STEP_W0, 1, 0);
    X(step_measured)(t, group, measure, 1, power);
    return group;
}

static void unknowns(euler *z, step_table *t)
{
    z->stage[0] = z->stage[1] = z->move = -1;
    if (z->lagrangian) {
        if (z->scheme->start != 0) z->stage[0] = add_stage_variable(t, STEP_MOVES, 1);
        if (z->scheme->start != 1) z->stage[1] = add_stage_variable(t, STEP_MOVES, 1);
        z->end = z->velocity = add_stage_variable(t, STEP_VELOCITY, 0);
    } else {
        z->stage[0] = z->stage[1] = add_stage_variable(t, STEP_NOT_MEASURED, 0);
        z->move = X(step_add_group)(t, 0, STEP_N);
        X(step_guess)(t, z->move, STEP_NU0, 1, 1);
        X(step_measured)(t, z->move, STEP_MOVES, 1, 0);
        z->end = add_stage_variable(t, STEP_MOMENTUM, 0);
        z->velocity = X(step_add_group)(t, 0, STEP_N);
        X(step_guess)(t, z->velocity, STEP_NU0, 1, 0);
    }
    for (int k = 0; k < 2; k++) { /* both begin with the last A */
        z->multipliers[k] = X(step_add_group)(t, 0, STEP_C);
        X(step_guess)(t, z->multipliers[k], STEP_LAMBDA0, 1, 0);
    }
}

/* A place at the start (end = 0) or at q1, with w from a vector. */
static int add_place(const euler *z, step_table *t, int end, int w)
{
    int place = X(step_add_place)(t, end);
    X(step_put)(t, place, STEP_Q, STEP_Q0, 1, 0);
    if (end && z->move >= 0) X(step_put)(t, place, STEP_Q, z->move, 1, 0);
    if (end && z->move < 0) {
        X(step_put)(t, place, STEP_Q, z->stage[0], z->scheme->start, 1);
        X(step_put)(t, place, STEP_Q, z->stage[1], 1 - z->scheme->start, 1);
    }
    X(step_put)(t, place, STEP_W, w, 1, 0);
    return place;
}

static void places(euler *z, step_table *t)
{
    for (int i = 0; i < 2; i++)
        if (z->stage[i] >= 0) z->at_stage[i] = add_place(z, t, i, z->stage[i]);
    for (int k = 0; k < 2; k++) {
        z->at_start[k] = add_place(z, t, 0, STEP_W0);
        z->at_end[k] = add_place(z, t, 1, z->end);
        X(step_put)(t, z->at_start[k], STEP_LAMBDA, z->multipliers[k], 1, 0);
        X(step_put)(t, z->at_end[k], STEP_LAMBDA, z->multipliers[k], 1, 0);
    }
    z->end_of_step = add_place(z, t, 1, z->end);
    z->rate = z->lagrangian ? z->end_of_step : add_place(z, t, 1, z->velocity);
}

/* The impulses p0 -> Z (which = 0) and Z -> p1 */
static void add_impulse(const euler *z, step_table *t, int equation, int which, real sign)
{
    real weight = which ? 1 - z->scheme->start : z->scheme->start;
    const real *weights = which ? z->scheme->b : z->scheme->a;
    const int *at = which ? z->at_end : z->at_start;
    X(step_add)(t, equation, STEP_APPLIED, z->at_stage[which], sign * weight, 1);
    for (int k = 0; k < 2; k++) X(step_add)(t, equation, STEP_REACTION, at[k], sign * weights[k], 1);
}

static void equations(const euler *z, step_table *t)
{
    real s = z->scheme->start, e = 1 - s;
    for (int i = 0; i < (z->lagrangian ? 2 : 1); i++) {
        if (z->stage[i] < 0) continue;
        int stage = X(step_add_equation)(t, 0, STEP_N, "momentum of ");
        X(step_add)(t, stage, STEP_PI_CHANGE, z->at_stage[i], 1, 0);
        add_impulse(z, t, stage, 0, -1);
    }
    if (!z->lagrangian) {
        int motion = X(step_add_equation)(t, 0, STEP_N, "motion of ");
        X(step_add)(t, motion, STEP_VECTOR, z->move, 1, 0);
        X(step_add)(t, motion, STEP_NU, z->at_stage[0], -s, 1);
        X(step_add)(t, motion, STEP_NU, z->at_stage[1], -e, 1);
    }
    int end = X(step_add_equation)(t, 0, STEP_N, "momentum of ");
    X(step_add)(t, end, STEP_PI_CHANGE, z->end_of_step, 1, 0);
    add_impulse(z, t, end, 0, -1);
    add_impulse(z, t, end, 1, -1);
    if (!z->lagrangian) {
        int velocity = X(step_add_equation)(t, 0, STEP_N, "motion of ");
        X(step_add)(t, velocity, STEP_VECTOR, z->velocity, 1, 0);
        X(step_add)(t, velocity, STEP_NU, z->end_of_step, -1, 0);
    }
    int constraint = X(step_add_equation)(t, 0, STEP_C, "");
    X(step_add)(t, constraint, STEP_G, z->end_of_step, 1, 0);
    X(step_add)(t, constraint, STEP_SLIP, z->at_stage[0], s, 1);
    X(step_add)(t, constraint, STEP_SLIP, z->at_stage[1], e, 1);
    X(step_add)(t, X(step_add_equation)(t, 0, STEP_C, ""), STEP_RATE, z->rate, 1, 0);
}

void X(euler_table)(const struct system *s, const euler_scheme *scheme, step_table *t)
{
    euler z = { .scheme = scheme, .lagrangian = s->form == FORM_LAGRANGIAN };
    X(step_add_phase)(t, "equations of the step");
    t->phases[0].many_zeros = 1;
    /* the first correction is of size h in the end of the step, and of size h^2 in the positions */
    t->phases[0].improve_guess = 1;
    unknowns(&z, t);
    places(&z, t);
    equations(&z, t);
    if (z.lagrangian) {
        X(step_add)(t, STEP_RESULT_Q, STEP_VECTOR, z.stage[0], scheme->start, 1);
        X(step_add)(t, STEP_RESULT_Q, STEP_VECTOR, z.stage[1], 1 - scheme->start, 1);
    } else {
        X(step_add)(t, STEP_RESULT_Q, STEP_VECTOR, z.move, 1, 0);
    }
    add_impulse(&z, t, STEP_RESULT_P, 0, 1);
    add_impulse(&z, t, STEP_RESULT_P, 1, 1);
    t->w = z.end;
    t->lambda = z.multipliers[0];
    t->reported = z.multipliers[1];
}

static int table(struct system *s, const method_spec *spec, step_table *t)
{
    real alpha;
    int status = X(method_check_words)(s->context, spec);
    if (!status) status = X(method_real_option)(s->context, spec, "alpha", (real)0.5, &alpha);
    if (status) return status;
    if (alpha == 0 || (is_natural(spec) && alpha == 1))
        return taut_fail(s->context, TAUT_BAD_USAGE,
                         "method 'euler': alpha=%g leaves a set of multipliers without weight; take another, as in "
                         "euler:alpha=0.5",
                         (double)alpha);
    if (is_natural(spec) && s->structure.nonlinear_multiplier)
        taut_note_once(s->context, "euler:natural is inconsistent on this model: a force is nonlinear in the "
                                   "multipliers, and the result does not "
                                   "converge to the solution; take euler");
    euler_scheme scheme = scheme_of(spec, alpha);
    X(euler_table)(s, &scheme, t);
    return TAUT_OK;
}

const struct method_class X(method_euler) = { .info = &info, .declare = declare, .table = table };
