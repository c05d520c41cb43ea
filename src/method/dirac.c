/* naive, extended and dirac: three formulations of the same equations of motion (formulation.h), each under any of the
 * schemes (scheme.h). The catalogue entries, their options, and what they declare. */
#include <string.h>

#include "method/method.h"
#include "method/scheme.h"

/* ---- the formulations ---- */

const char *X(formulation_refusal)(const struct system *s, const formulation_class *const *list)
{
    const char *first = NULL;
    for (; *list; list++) {
        const char *reason = (*list)->refuse(s);
        if (!reason) return NULL;
        if (!first) first = reason;
    }
    return first;
}

int X(formulation_create)(struct system *s, const formulation_class *const *list, formulation *f)
{
    *f = (formulation){ .s = s, .size = 2 * s->n };
    while ((*list)->refuse(s)) list++;
    int status = (*list)->create(s, &f->self);
    if (!status) f->class = *list;
    return status;
}

void X(formulation_destroy)(formulation *f)
{
    if (f->class) f->class->destroy(f->self);
    *f = (formulation){ 0 };
}

/* The first that a system allows is taken. */
static const formulation_class *const naive_list[] = { &X(formulation_naive), NULL };
static const formulation_class *const extended_list[] = { &X(formulation_extended), NULL };
static const formulation_class *const dirac_list[] = { &X(formulation_dirac), &X(formulation_bracket), NULL };

/* ---- options ---- */

static const method_option options[] = {
    { "rk4", "(a word)", "the scheme: the classical Runge-Kutta method, order 4; this one if none is given" },
    { "rkf45", "(a word)", "the scheme: Runge-Kutta-Fehlberg, order 5, steps of its own by the error estimate" },
    { "midpoint", "(a word)", "the scheme: the implicit midpoint rule, order 2" },
    { "gauss", "(a word)", "the scheme: the Gauss method with s stages, order 2s" },
    { "s", "1..9", "gauss: stages (2 if not given)" },
    { "rtol", "a number", "rkf45: error of a step, relative to the largest coordinate and momentum (1e-8)" },
    { "tol", "a number",
      "rkf45: error of a step in the max norm, instead of rtol; midpoint, gauss: of the iteration (round-off)" },
    { "first", "a number", "rkf45: the first step to try (that of the run)" },
    { "solver", "newton|functional", "midpoint, gauss: how the stages are solved for (newton)" },
    { "project", "none|position|momentum|both",
      "correct the residuals that exceed eps after a step, positions first (none)" },
    { "eps", "a number", "residual above which a projection corrects (1e-6)" },
};
#define OPTION_COUNT (int)(sizeof options / sizeof *options)

static const char *const schemes[] = { "rk4", "rkf45", "midpoint", "gauss" };
enum { RK4, RKF45, MIDPOINT, GAUSS };

static const char *text_option(const method_spec *spec, const char *key, const char *otherwise)
{
    for (int i = 0; i < spec->option_count; i++)
        if (strcmp(spec->options[i].key, key) == 0) return spec->options[i].value ? spec->options[i].value : "";
    return otherwise;
}

static int scheme_of(const method_spec *spec, int *count)
{
    int found = RK4;
    *count = 0;
    for (int i = 0; i < 4; i++)
        if (X(method_has_word)(spec, schemes[i])) found = i, ++*count;
    return found;
}

/* -1: not one of the words. */
static int project_of(const method_spec *spec)
{
    static const char *const words[] = { "none", "position", "momentum", "both" };
    const char *text = text_option(spec, "project", "none");
    for (int i = 0; i < 4; i++)
        if (strcmp(text, words[i]) == 0) return i; /* PROJECT_POSITION, PROJECT_MOMENTUM */
    return -1;
}

/* Keys that belong to some of the schemes only. */
static int misplaced(taut_context *context, const method_spec *spec, int scheme)
{
    static const struct {
        const char *key;
        unsigned schemes;
        const char *whose;
    } rules[] = {
        { "s", 1u << GAUSS, "gauss" },
        { "tol", 1u << RKF45 | 1u << MIDPOINT | 1u << GAUSS, "rkf45, midpoint and gauss" },
        { "rtol", 1u << RKF45, "rkf45" },
        { "first", 1u << RKF45, "rkf45" },
        { "solver", 1u << MIDPOINT | 1u << GAUSS, "midpoint and gauss" },
    };
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (text_option(spec, rules[i].key, NULL) && !(rules[i].schemes >> scheme & 1))
            return taut_fail(context, TAUT_BAD_USAGE, "method '%s:%s' has no option '%s': it belongs to %s", spec->name,
                             schemes[scheme], rules[i].key, rules[i].whose);
    if (text_option(spec, "tol", NULL) && text_option(spec, "rtol", NULL))
        return taut_fail(context, TAUT_BAD_USAGE, "method '%s': give tol or rtol, not both", spec->name);
    if (text_option(spec, "eps", NULL) && project_of(spec) == 0)
        return taut_fail(context, TAUT_BAD_USAGE, "method '%s': eps needs project=position, momentum or both",
                         spec->name);
    return TAUT_OK;
}

static int positive_option(taut_context *context, const method_spec *spec, const char *key, real otherwise, real *value)
{
    int status = X(method_real_option)(context, spec, key, otherwise, value);
    if (status || *value > 0 || !text_option(spec, key, NULL)) return status;
    return taut_fail(context, TAUT_BAD_USAGE, "method '%s' needs %s greater than zero, not '%s'", spec->name, key,
                     text_option(spec, key, ""));
}

static int read_options(taut_context *context, const method_spec *spec, real tolerance, scheme_options *o)
{
    int count, scheme = scheme_of(spec, &count), project = project_of(spec);
    const char *solver = text_option(spec, "solver", "newton");
    *o = (scheme_options){ .type = scheme == RK4 ? SCHEME_RK4 : scheme == RKF45 ? SCHEME_RKF45 : SCHEME_GAUSS };
    for (int i = 0; i < 4; i++)
        if (text_option(spec, schemes[i], NULL) && !X(method_has_word)(spec, schemes[i]))
            return taut_fail(context, TAUT_BAD_USAGE, "method '%s': the scheme '%s' is a word without a value",
                             spec->name, schemes[i]);
    if (count > 1)
        return taut_fail(context, TAUT_BAD_USAGE,
                         "method '%s' takes one scheme of rk4, rkf45, midpoint, gauss, as in %s:rk4", spec->name,
                         spec->name);
    if (project < 0)
        return taut_fail(context, TAUT_BAD_USAGE, "method '%s': project is none, position, momentum or both, not '%s'",
                         spec->name, text_option(spec, "project", ""));
    o->functional = strcmp(solver, "functional") == 0;
    if (!o->functional && strcmp(solver, "newton") != 0)
        return taut_fail(context, TAUT_BAD_USAGE, "method '%s': solver is newton or functional, not '%s'", spec->name,
                         solver);
    o->project = (unsigned)project;
    o->relative = scheme == RKF45 && !text_option(spec, "tol", NULL);
    int status = misplaced(context, spec, scheme);
    if (!status)
        status = X(method_whole_option)(context, spec, "s", scheme == MIDPOINT ? 1 : 2, 1, STAGES_MOST, &o->stages);
    if (!status)
        status = positive_option(context, spec, o->relative ? "rtol" : "tol", o->relative ? (real)1e-8 : tolerance,
                                 &o->tolerance);
    if (!status) status = positive_option(context, spec, "first", 0, &o->first);
    if (!status) status = positive_option(context, spec, "eps", (real)1e-6, &o->eps);
    return status;
}

/* ---- what is declared ---- */

/* The Gauss methods keep quadratic first integrals: the momenta of affine symmetries, which all three formulations have
   everywhere in phase space; they are symmetric; and the extended equations are canonical. A correction of positions
   moves along q, one of momenta along G', which has no momentum. Explicit schemes keep nothing to round-off. */
static void declare_scheme(const method_spec *spec, method_info *info, unsigned more)
{
    int count, stages = 2, scheme = scheme_of(spec, &count), project = project_of(spec);
    X(method_whole_option)(NULL, spec, "s", 2, 1, STAGES_MOST, &stages);
    int order[] = { 4, 5, 2, 2 * stages };
    info->order = order[scheme];
    info->variable = scheme == RKF45;
    info->keeps = 0;
    int loose = (scheme == MIDPOINT || scheme == GAUSS) && text_option(spec, "tol", NULL);
    if (scheme < MIDPOINT || loose) return;
    info->keeps_free = KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_SYMPLECTIC; /* then it is the Gauss method for H */
    if (project == 0) info->keeps = KEEPS_MOMENTUM | KEEPS_REVERSIBLE | more;
    if (project == PROJECT_MOMENTUM) info->keeps = KEEPS_MOMENTUM;
}

static void declare(const method_spec *spec, method_info *info) { declare_scheme(spec, info, 0); }
static void declare_extended(const method_spec *spec, method_info *info)
{
    declare_scheme(spec, info, KEEPS_SYMPLECTIC);
}

/* ---- the methods ---- */

typedef struct {
    taut_context *context;
    formulation formulation;
    scheme *scheme;
} method_object;

static void destroy(void *self)
{
    method_object *m = self;
    X(scheme_destroy)(m->scheme);
    X(formulation_destroy)(&m->formulation);
    taut_mem_free(m->context, m);
}

static int create(struct system *s, const method_spec *spec, real tolerance, const formulation_class *const *list,
                  void **self)
{
    scheme_options o;
    *self = NULL;
    int status = read_options(s->context, spec, tolerance, &o);
    if (status) return status;
    method_object *m = taut_mem_new(s->context, 1, sizeof *m);
    if (!m) return TAUT_OUT_OF_MEMORY;
    m->context = s->context;
    status = X(formulation_create)(s, list, &m->formulation);
    const formulation_class *class = m->formulation.class;
    if (!status && o.type == SCHEME_GAUSS && !o.functional && !class->stages_create)
        status = taut_fail(s->context, TAUT_UNSUPPORTED,
                           "method '%s' has no Newton iteration for this model; use solver=functional", spec->name);
    if (!status && o.project && (!class->project || s->structure.force_multiplier))
        status = taut_fail(s->context, TAUT_UNSUPPORTED,
                           "method '%s' has no projections for this model; leave out project=", spec->name);
    if (!status) status = X(scheme_create)(&m->formulation, &o, &m->scheme);
    if (status)
        destroy(m);
    else
        *self = m;
    return status;
}

static int step(void *self, state *x, real h) { return X(scheme_step)(((method_object *)self)->scheme, x, h); }
static const newton_counts *counts(const void *self) { return X(scheme_counts)(((const method_object *)self)->scheme); }

static long steps(void *self, state *x, const real *lengths, int stride, long count, multiplier_growth *size)
{
    return X(scheme_steps)(((method_object *)self)->scheme, x, lengths, stride, count, size);
}

static int parts(const void *self, method_part *out, const char **why)
{
    const scheme *r = ((const method_object *)self)->scheme;
    program *lowered = X(scheme_program)(r);
    *why = r->options.type != SCHEME_RK4 ? "steps of its own and implicit stages are not straight-line code; take rk4"
           : r->options.project          ? "projections are not straight-line code; leave out project="
                                         : METHOD_NOT_LOWERED;
    if (lowered) *out = (method_part){ lowered, 1, 0 };
    return lowered != NULL;
}

static method_execution execution(const void *self)
{
    const scheme *r = ((const method_object *)self)->scheme;
    method_execution e = X(method_execution_by)(r->general_alone ? NULL : r->lowered);
    if (r->trial && !r->general_alone) e.code = CODE_PARTLY;
    return e;
}

#define SOURCE "Seiler 1997, Numerical integration of constrained Hamiltonian systems using Dirac brackets"
#define SETTING "psi = G H_p + g_t,  kappa = {psi,H} + psi_t,  Q = G H_pp G'\n"

static const char *naive_refuse(const struct system *s) { return X(formulation_refusal)(s, naive_list); }
static int naive_create(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    return create(s, spec, tolerance, naive_list, self);
}

static const method_info naive_info = {
    .name = "naive",
    .summary = "the constraints differentiated twice and then ignored, under a Runge-Kutta scheme",
    .source = SOURCE ", (27), (28)",
    .equations = "q' = H_p,  p' = -H_q + F + G' lambda,  lambda = -Q^-1 kappa\n" SETTING
                 "under rk4, rkf45, midpoint or gauss; the constraints drift: phi as t^2, psi as t",
    .slips = "G q'' + ... = 0 has d psi/dt = 0 in their rows: index reduction; they drift as the others do",
    .order = 4,
    .options = options,
    .option_count = OPTION_COUNT,
    .any_start = 1,
};

static const method_code naive_code = { naive_create, step, counts, destroy, parts, steps, NULL, NULL,
                                        execution, NULL };
const struct method_class
    X(method_naive) = { .info = &naive_info, .refuse = naive_refuse, .declare = declare, .code = &naive_code };

static const char *extended_refuse(const struct system *s) { return X(formulation_refusal)(s, extended_list); }
static int extended_create(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    return create(s, spec, tolerance, extended_list, self);
}

static const method_info extended_info = {
    .name = "extended",
    .summary = "the canonical equations of the extended Hamiltonian, under a Runge-Kutta scheme",
    .source = SOURCE ", (32), (33); Leimkuhler & Reich 1994",
    .equations = "q' = dH_e/dp,  p' = -dH_e/dq,  H_e = H - lambda.g + mu.psi\n"
                 "lambda = -Q^-1 kappa,  mu = -Q^-1 psi\n" SETTING
                 "under rk4, rkf45, midpoint or gauss; residuals oscillate about the manifold",
    .order = 4,
    .options = options,
    .option_count = OPTION_COUNT,
    .any_start = 1,
};

static const method_code extended_code = { extended_create, step, counts, destroy, parts, steps, NULL, NULL,
                                           execution, NULL };
const struct method_class X(method_extended) = {
    .info = &extended_info, .refuse = extended_refuse, .declare = declare_extended, .code = &extended_code
};

static const char *dirac_refuse(const struct system *s) { return X(formulation_refusal)(s, dirac_list); }
static int dirac_create(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    return create(s, spec, tolerance, dirac_list, self);
}

static const method_info dirac_info = {
    .name = "dirac",
    .summary = "the Hamilton-Dirac equations, whose first integrals the constraints are, under a Runge-Kutta scheme",
    .source = SOURCE ", (31)",
    .equations = "q' = H_p - H_pp G' a,  p' = -H_q + F + G' b + psi_q' a\n"
                 "a = Q^-1 psi,  b = Q^-1 ({psi,psi} a - kappa)\n" SETTING
                 "under rk4, rkf45, midpoint or gauss; midpoint and gauss keep quadratic phi and psi",
    .order = 4,
    .options = options,
    .option_count = OPTION_COUNT,
    .any_start = 1,
};

static const method_code dirac_code = { dirac_create, step, counts, destroy, parts, steps, NULL, NULL,
                                        execution, NULL };
const struct method_class
    X(method_dirac) = { .info = &dirac_info, .refuse = dirac_refuse, .declare = declare, .code = &dirac_code };

static method_object *object_of(const method *m)
{
    int has = m->class == &X(method_naive) || m->class == &X(method_extended) || m->class == &X(method_dirac);
    return has ? m->self : NULL;
}

formulation *X(method_formulation)(const method *m)
{
    method_object *of = object_of(m);
    return of ? &of->formulation : NULL;
}

scheme *X(method_scheme)(const method *m)
{
    const method_object *of = object_of(m);
    return of ? of->scheme : NULL;
}
