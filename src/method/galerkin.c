/* Galerkin variational integrators: the catalogue entry, the options, the tables of control points and quadrature
   rules, the step.
 *
 * (35), (30), (31) of Man, Gao & Zhong 2020, with Taut's sign +G' lambda: m = n+1 control points d_k, polynomials q(s)
 * = sum N_k q^k and lambda(s) = sum N_k lambda^k over s in [0,1], two rules (b,c) and (B,C):
 *
 *     A_k = sum_j b_j [h N_k (L_q + F) + N_k' L_v](c_j) + h sum_j B_j [N_k G' lambda](C_j)
 *     A_0 = -p0,  A_k = 0 (0 < k < n),  A_n = p1                                             (35)
 *     g(q^k) = 0,  k = 1..n                                                                  (30)
 *     G(q^n) v + g_t = 0  with  L_v(q^n, v) = p1                                             (31)
 *
 * F is in A_k by the discrete Lagrange-d'Alembert principle. Unknowns: u^k = q^k - q0 (k = 1..n), v,
 * lambda^0..lambda^n: m(d+c) of them, and p1 is explicit. Two identities keep round-off from adding up. sum_j b_j
 * N_k'(c_j) = N_k(1) - N_k(0), so that with L_v - p0 for L_v the first row needs no p0; and sum_k N_k = 1, so that the
 * last row is, in place of A_n,
 *     p1 = p0 + h sum_j b_j (L_q + F) + h sum_j B_j G' lambda. */
#include "method/method.h"

#include <stdlib.h>
#include <string.h>

#include "method/quadrature.h"

enum { GALERKIN_MOST = 9 }; /* control points */

/* A quadrature rule on [0,1] with the Lagrange polynomials N_k of the control points and their derivatives at its
   nodes. */
typedef struct {
    real node[GALERKIN_MOST], weight[GALERKIN_MOST];
    real value[GALERKIN_MOST][GALERKIN_MOST];   /* [k][j]: N_k at node j */
    real slope[GALERKIN_MOST][GALERKIN_MOST];
} galerkin_rule;

typedef struct {
    int m;
    real control[GALERKIN_MOST];
    galerkin_rule free, bond;                   /* of the unconstrained and of the constrained action */
} galerkin_tables;

#define FAMILY(name, control, free, bond) \
    { \
        name, "", control " control points, " free " rule, " bond " rule for the constraints" \
    }
static const method_option options[] = {
    FAMILY("LLL", "Lobatto", "Lobatto", "Lobatto"),     FAMILY("LGL", "Lobatto", "Gauss", "Lobatto"),
    FAMILY("LLG", "Lobatto", "Lobatto", "Gauss"),       FAMILY("LGG", "Lobatto", "Gauss", "Gauss"),
    FAMILY("ELL", "equidistant", "Lobatto", "Lobatto"), FAMILY("EGL", "equidistant", "Gauss", "Lobatto"),
    FAMILY("ELG", "equidistant", "Lobatto", "Gauss"),   FAMILY("EGG", "equidistant", "Gauss", "Gauss"),
    { "m", "2..9", "control points, and points of each rule (3)" },
};
enum { OPTION_COUNT = sizeof options / sizeof *options, NAME_COUNT = OPTION_COUNT - 1, OTHERWISE_M = 3 };

static const method_info info = {
    .name = "galerkin",
    .summary = "Galerkin variational integrators of eight kinds and any even order, for any Lagrangian",
    .source = "Man, Gao & Zhong 2020",
    .equations =
        "q(s) = sum_k N_k(s) q^k,  lambda(s) = sum_k N_k(s) lambda^k,  s = 0..1 over the step, k = 0..n, n = m-1\n"
        "A_k = sum_j b_j [h N_k (L_q + F) + N_k' L_v](c_j) + h sum_j B_j [N_k G' lambda](C_j)\n"
        "A_0 = -p0,  A_k = 0 for k = 1..n-1,  A_n = p1\n"
        "g(q^k) = 0 for k = 1..n,  G v + g_t = 0 at the end, where p1 = L_v(q^n, v)",
    .slips = "sum_j B_j (2 c_j - 1)^k psi(q(c_j h), q'(c_j h)) = 0, k = 0..m-2, by the rule of the constraints;\n"
             "psi(q1,v1) = 0",
    .order = 4,
    .keeps = KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION | KEEPS_VELOCITY,
    .keeps_free = KEEPS_SYMPLECTIC, /* it is the rule of the constraints that is not variational */
    .options = options,
    .option_count = OPTION_COUNT,
    .table =
        "name  control points  rule  rule of constraints  order                      symplectic\n"
        "LLL   Lobatto         L     L                    2m-2                       yes\n"
        "LGL   Lobatto         G     L                    2m-2                       yes\n"
        "LLG   Lobatto         L     G                    2m-2                       no\n"
        "LGG   Lobatto         G     G                    2m-2                       no\n"
        "ELL   equidistant     L     L                    m (m even), m+1 (m odd)    m = 2, 3 (= LLL)\n"
        "EGL   equidistant     G     L                    m (m even), m+1 (m odd)    m = 2, 3 (= LGL)\n"
        "ELG   equidistant     L     G                    m (m even), m+1 (m odd)    no\n"
        "EGG   equidistant     G     G                    m (m even), m+1 (m odd)    no\n"
        "L: Lobatto, G: Gauss, m points each. All eight are time-symmetric and keep momenta and both constraints.\n"
        "Not symplectic: the constraint points are not those of the rule, (30) of the paper is not the variation of "
        "its action.\n"
        "Without constraints all eight are, of order 2m-2: control points are the places of constraints.",
};

/* The algorithm among the options; LLL if none is named. NULL if several are. */
static const char *name_of(const method_spec *spec)
{
    const char *found = NULL;
    for (int i = 0; i < NAME_COUNT; i++) {
        if (!X(method_has_word)(spec, options[i].name)) continue;
        if (found) return NULL;
        found = options[i].name;
    }
    return found ? found : options[0].name;
}

/* m among the options; create refuses the impossible. */
static int points_of(const method_spec *spec)
{
    for (int i = 0; i < spec->option_count; i++)
        if (strcmp(spec->options[i].key, "m") == 0 && spec->options[i].value) {
            const long m = strtol(spec->options[i].value, NULL, 10);
            return m > 0 && m <= GALERKIN_MOST ? (int)m : OTHERWISE_M;
        }
    return OTHERWISE_M;
}

static void declare(const method_spec *spec, method_info *d)
{
    const char *name = name_of(spec);
    int m = points_of(spec);
    if (!name) return;
    int lobatto = name[0] == 'L' || m <= 3; /* up to three, equidistant points are Lobatto's */
    d->order = lobatto ? 2 * m - 2 : m + m % 2;
    d->order_free = 2 * m - 2; /* control points are places of the constraints alone */
    if (!lobatto || name[2] != 'L') d->keeps &= ~(unsigned)KEEPS_SYMPLECTIC;
}

static const char *refuse(const struct system *s)
{
    if (s->form == FORM_LAGRANGIAN) return NULL;
    return "it discretises the action of a Lagrangian, and this model has none; write the model with lagrangian(), or "
           "take a method "
           "for Hamiltonians or rates";
}

static void rule_create(int gauss, int m, const real *control, galerkin_rule *r)
{
    if (gauss)
        X(gauss_rule)(m, r->node, r->weight);
    else
        X(lobatto_rule)(m, r->node, r->weight);
    for (int j = 0; j < m; j++) {
        real value[GALERKIN_MOST], slope[GALERKIN_MOST];
        X(lagrange_at)(m, control, r->node[j], value, slope);
        for (int k = 0; k < m; k++) {
            r->value[k][j] = control[k] == r->node[j] ? 1 : value[k];
            r->slope[k][j] = slope[k];
        }
    }
}

/* name: XYZ, as in the catalogue. */
static void find_tables(const char *name, int m, galerkin_tables *t)
{
    *t = (galerkin_tables){ .m = m };
    if (name[0] == 'E')
        X(equidistant_nodes)(m, t->control);
    else
        X(lobatto_rule)(m, t->control, NULL);
    rule_create(name[1] == 'G', m, t->control, &t->free);
    rule_create(name[2] == 'G', m, t->control, &t->bond);
}

static int check_words(taut_context *context, const method_spec *spec)
{
    for (int i = 0; i < spec->option_count; i++)
        if (spec->options[i].value && strcmp(spec->options[i].key, "m") != 0)
            return taut_fail(context, TAUT_BAD_USAGE, "method 'galerkin': '%s' takes no value; write galerkin:%s,m=4",
                             spec->options[i].key, spec->options[i].key);
    if (name_of(spec)) return TAUT_OK;
    return taut_fail(context, TAUT_BAD_USAGE,
                     "method 'galerkin': name one algorithm, as in galerkin:LGL,m=4; they are LLL, LLG, LGL, LGG, "
                     "ELL, ELG, EGL and EGG");
}

typedef struct {
    const galerkin_tables *tables;
    int last;
    int u[GALERKIN_MOST], v, lambda[GALERKIN_MOST];                              /* groups */
    int free[GALERKIN_MOST], bond[GALERKIN_MOST], control[GALERKIN_MOST];        /* places */
} galerkin;

static void unknowns(galerkin *z, step_table *t)
{
    for (int k = 1; k <= z->last; k++) { /* a parabola to begin with */
        z->u[k] = X(step_add_group)(t, 0, STEP_N);
        real c = z->tables->control[k];
        X(step_guess)(t, z->u[k], STEP_W0, c, 1), X(step_guess)(t, z->u[k], STEP_W_RATE0, c * c / 2, 2);
        X(step_measured)(t, z->u[k], STEP_MOVES, 1, 0);
    }
    z->v = X(step_add_group)(t, 0, STEP_N);
    X(step_guess)(t, z->v, STEP_W0, 1, 0), X(step_guess)(t, z->v, STEP_W_RATE0, 1, 1);
    X(step_measured)(t, z->v, STEP_MOVES, 1, 1);
    for (int k = 0; k <= z->last; k++) {
        z->lambda[k] = X(step_add_group)(t, 0, STEP_C);
        X(step_guess)(t, z->lambda[k], STEP_LAMBDA0, 1, 0);
    }
}

/* Point j of a rule: the curve, its velocity and the multipliers, as far as they are asked for. */
static int point_of(const galerkin *z, const galerkin_rule *rule, int j, int velocity, int multipliers, step_table *t)
{
    int place = X(step_add_place)(t, rule->node[j]);
    X(step_put)(t, place, STEP_Q, STEP_Q0, 1, 0);
    for (int k = 1; k <= z->last; k++) {
        X(step_put)(t, place, STEP_Q, z->u[k], rule->value[k][j], 0);
        if (velocity) X(step_put)(t, place, STEP_W, z->u[k], rule->slope[k][j], -1);
    }
    for (int k = 0; multipliers && k <= z->last; k++)
        X(step_put)(t, place, STEP_LAMBDA, z->lambda[k], rule->value[k][j], 0);
    return place;
}

static void places(galerkin *z, const struct system *s, step_table *t)
{
    for (int j = 0; j <= z->last; j++) {
        z->free[j] = point_of(z, &z->tables->free, j, 1, s->structure.force_multiplier, t);
        z->bond[j] = point_of(z, &z->tables->bond, j, s->slip != NULL, 1, t);
    }
    for (int k = 1; k <= z->last; k++) {
        z->control[k] = X(step_add_place)(t, k < z->last ? z->tables->control[k] : 1);
        X(step_put)(t, z->control[k], STEP_Q, STEP_Q0, 1, 0);
        X(step_put)(t, z->control[k], STEP_Q, z->u[k], 1, 0);
    }
    X(step_put)(t, z->control[z->last], STEP_W, z->v, 1, 0);
}

/* The impulses h sum_j b_j (L_q + F) + h sum_j B_j G' lambda, with weights N_k, or 1 for k = n. */
static void add_impulses(const galerkin *z, step_table *t, int equation, int k, real sign)
{
    const galerkin_rule *free = &z->tables->free, *bond = &z->tables->bond;
    for (int j = 0; j <= z->last; j++) {
        X(step_add)
        (t, equation, STEP_FREE, z->free[j], sign * free->weight[j] * (k < z->last ? free->value[k][j] : 1), 1);
        X(step_add)
        (t, equation, STEP_BOND, z->bond[j], sign * bond->weight[j] * (k < z->last ? bond->value[k][j] : 1), 1);
    }
}

/* Velocity constraints along the curve: orthogonal to polynomials up to degree m - 2, by the rule of the constraints,
       sum_j B_j (2 c_j - 1)^degree psi(Q_j, Q_j') = 0.
   At Lobatto points that is sum_j a_ij psi_j = 0, i = 2..m, of the pair of lobatto. */
static void add_slips(const galerkin *z, step_table *t, int equation, int degree)
{
    const galerkin_rule *bond = &z->tables->bond;
    for (int j = 0; j <= z->last; j++) {
        real weight = bond->weight[j];
        for (int k = 0; k < degree; k++) weight *= 2 * bond->node[j] - 1;
        X(step_add)(t, equation, STEP_SLIP, z->bond[j], weight, 1);
    }
}

static void equations(const galerkin *z, step_table *t)
{
    const galerkin_rule *free = &z->tables->free;
    int end = z->control[z->last];
    for (int k = 0; k < z->last; k++) { /* (35) */
        int e = X(step_add_equation)(t, 0, STEP_N, "motion of ");
        t->equations[e].point = k;
        for (int j = 0; j <= z->last; j++)
            X(step_add)(t, e, STEP_PI_CHANGE, z->free[j], free->weight[j] * free->slope[k][j], 0);
        add_impulses(z, t, e, k, 1);
    }
    int momentum = X(step_add_equation)(t, 0, STEP_N, "momentum of ");
    X(step_add)(t, momentum, STEP_PI_CHANGE, end, 1, 0);
    add_impulses(z, t, momentum, z->last, -1);
    for (int k = 1; k <= z->last; k++) { /* (30) */
        int e = X(step_add_equation)(t, 0, STEP_C, "");
        t->equations[e].point = k;
        X(step_add)(t, e, STEP_G, z->control[k], 1, 0);
        add_slips(z, t, e, k - 1);
    }
    X(step_add)(t, X(step_add_equation)(t, 0, STEP_C, "velocity of "), STEP_RATE, end, 1, 0); /* (31) */
    X(step_add)(t, STEP_RESULT_Q, STEP_VECTOR, z->u[z->last], 1, 0);
    add_impulses(z, t, STEP_RESULT_P, z->last, 1);
}

static int table(struct system *s, const method_spec *spec, step_table *t)
{
    galerkin_tables tables;
    int m, status = check_words(s->context, spec);
    if (!status) status = X(method_whole_option)(s->context, spec, "m", OTHERWISE_M, 2, GALERKIN_MOST, &m);
    if (status) return status;
    find_tables(name_of(spec), m, &tables);
    galerkin z = { .tables = &tables, .last = m - 1 };
    X(step_add_phase)(t, "stages of the step");
    /* 160 links, m = 4: 400 times faster, and linear time; with m = 2, as in RATTLE, the usual order serves */
    t->phases[0].many_zeros = m > 2;
    unknowns(&z, t);
    places(&z, s, t);
    equations(&z, t);
    t->w = z.v;
    t->lambda = z.lambda[z.last];
    return TAUT_OK;
}

const struct method_class X(method_galerkin) = { .info = &info, .refuse = refuse, .declare = declare, .table = table };
