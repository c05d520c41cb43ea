/* Galerkin variational integrators: the catalogue entry, the options, the tables of control points and quadrature rules. */
#include "method/galerkin.h"

#include <stdlib.h>
#include <string.h>

#include "method/quadrature.h"

#define FAMILY(name, control, free, bond) { name, "", control " control points, " free " rule, " bond " rule for the constraints" }
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
    .equations = "q(s) = sum_k N_k(s) q^k,  lambda(s) = sum_k N_k(s) lambda^k,  s = 0..1 over the step, k = 0..n, n = m-1\n"
                 "A_k = sum_j b_j [h N_k (L_q + F) + N_k' L_v](c_j) + h sum_j B_j [N_k G' lambda](C_j)\n"
                 "A_0 = -p0,  A_k = 0 for k = 1..n-1,  A_n = p1\n"
                 "g(q^k) = 0 for k = 1..n,  G v + g_t = 0 at the end, where p1 = L_v(q^n, v)",
    .order = 4,
    .keeps = KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION | KEEPS_VELOCITY,
    .options = options,
    .option_count = OPTION_COUNT,
    .table = "name  control points  rule  rule of constraints  order                      symplectic\n"
             "LLL   Lobatto         L     L                    2m-2                       yes\n"
             "LGL   Lobatto         G     L                    2m-2                       yes\n"
             "LLG   Lobatto         L     G                    2m-2                       no\n"
             "LGG   Lobatto         G     G                    2m-2                       no\n"
             "ELL   equidistant     L     L                    m (m even), m+1 (m odd)    m = 2, 3 (= LLL)\n"
             "EGL   equidistant     G     L                    m (m even), m+1 (m odd)    m = 2, 3 (= LGL)\n"
             "ELG   equidistant     L     G                    m (m even), m+1 (m odd)    no\n"
             "EGG   equidistant     G     G                    m (m even), m+1 (m odd)    no\n"
             "L: Lobatto, G: Gauss, m points each. All eight are time-symmetric and keep momenta and both constraints.\n"
             "Not symplectic: the constraint points are not those of the rule, (30) of the paper is not the variation of its action.",
};

/* The algorithm among the options; LLL if none is named. NULL if several are. */
static const char *name_of(const method_spec *spec)
{
    const char *found = NULL;
    for (int i = 0; i < NAME_COUNT; i++) {
        if (!method_has_word(spec, options[i].name)) continue;
        if (found) return NULL;
        found = options[i].name;
    }
    return found ? found : options[0].name;
}

/* m among the options, whatever it is; create refuses the impossible. */
static int points_of(const method_spec *spec)
{
    for (int i = 0; i < spec->option_count; i++)
        if (strcmp(spec->options[i].key, "m") == 0 && spec->options[i].value) return atoi(spec->options[i].value);
    return OTHERWISE_M;
}

static void declare(const method_spec *spec, method_info *d)
{
    const char *name = name_of(spec);
    int m = points_of(spec);
    if (!name) return;
    int lobatto = name[0] == 'L' || m <= 3; /* up to three, equidistant points are Lobatto's */
    d->order = lobatto ? 2 * m - 2 : m + m % 2;
    if (!lobatto || name[2] != 'L') d->keeps &= ~(unsigned)KEEPS_SYMPLECTIC;
}

static const char *refuse(const struct system *s)
{
    if (s->form == FORM_LAGRANGIAN) return NULL;
    return "it discretises the action of a Lagrangian, and this model has none; write the model with lagrangian(), or take a method "
           "for Hamiltonians or rates";
}

static void rule_create(int gauss, int m, const real *control, galerkin_rule *r)
{
    if (gauss)
        gauss_rule(m, r->node, r->weight);
    else
        lobatto_rule(m, r->node, r->weight);
    for (int j = 0; j < m; j++) {
        real value[GALERKIN_MOST], slope[GALERKIN_MOST];
        lagrange_at(m, control, r->node[j], value, slope);
        for (int k = 0; k < m; k++) {
            r->value[k][j] = control[k] == r->node[j] ? 1 : value[k];
            r->slope[k][j] = slope[k];
        }
    }
}

void galerkin_tables_create(const char *name, int m, galerkin_tables *t)
{
    *t = (galerkin_tables){ .m = m };
    if (name[0] == 'E')
        equidistant_nodes(m, t->control);
    else
        lobatto_rule(m, t->control, NULL);
    rule_create(name[1] == 'G', m, t->control, &t->free);
    rule_create(name[2] == 'G', m, t->control, &t->bond);
}

static int check_words(taut_context *context, const method_spec *spec)
{
    for (int i = 0; i < spec->option_count; i++)
        if (spec->options[i].value && strcmp(spec->options[i].key, "m") != 0)
            return fail(context, TAUT_BAD_USAGE, "method 'galerkin': '%s' takes no value; write galerkin:%s,m=4", spec->options[i].key,
                        spec->options[i].key);
    if (name_of(spec)) return TAUT_OK;
    return fail(context, TAUT_BAD_USAGE, "method 'galerkin': name one algorithm, as in galerkin:LGL,m=4; 'taut methods galerkin' "
                                         "lists them");
}

static int create(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    galerkin_tables tables;
    galerkin *r = NULL;
    int m;
    *self = NULL;
    int status = check_words(s->context, spec);
    if (!status) status = method_whole_option(s->context, spec, "m", OTHERWISE_M, 2, GALERKIN_MOST, &m);
    if (status) return status;
    galerkin_tables_create(name_of(spec), m, &tables);
    status = galerkin_create(s, &tables, tolerance, &r);
    *self = r;
    return status;
}

static int step(void *self, state *x, real h) { return galerkin_step(self, x, h); }
static const newton_counts *counts(const void *self) { return galerkin_counts(self); }
static void destroy(void *self) { galerkin_destroy(self); }

const struct method_class method_galerkin = { &info, refuse, declare, create, step, counts, destroy, NULL };
