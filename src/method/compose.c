/* Compositions of a method with itself, or with its adjoint, to higher order: the catalogue entry and the step. */
#include <string.h>

#include "method/composition.h"
#include "method/method.h"

#define OTHERWISE_BASE "rattle"
#define OTHERWISE_ORDER 4

static const method_option options[] = {
    { "order", "2, 4, 6, 8", "the order to reach (4); not below that of BASE" },
    { "scheme", "a name", "of the table below (the best for the orders)" },
};

static const method_info info = {
    .name = "compose",
    .summary = "another method with substeps chosen so that the order is 2, 4, 6 or 8: compose:BASE,order=8",
    .source = "Suzuki 1990; Yoshida 1990; McLachlan 1995; Kahan & Li 1997; Sofroniou & Spaletta 2005",
    .equations = "x1 = S(g_m h) .. S(g_1 h) x0,  g_1 + .. + g_m = 1,  g_i = g_(m+1-i)\n"
                 "S = BASE if it is reversible, otherwise S(h) = BASE*(h/2) BASE(h/2) with its adjoint BASE*",
    .slips = "as the steps that it is made of",
    .order = OTHERWISE_ORDER,
    .keeps = KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION | KEEPS_VELOCITY,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .has_base = 1,
    .table = "BASE is a method that is reversible or has an adjoint (rattle if none is named); options that compose "
             "does not have are its own:\n"
             "compose:lobatto:s=3,order=8   compose:euler,alpha=0.4,order=6   compose:galerkin:LGL,m=3,order=6\n"
             "scheme              from S of order  to order, with substeps\n"
             "jump                any              +2: 3 (9 for +4, 27 for +6); also called yoshida for order 4\n"
             "suzuki              any              +2: 5 (25, 125); the best for +2\n"
             "yoshida             2                6: 7, 8: 15\n"
             "kahan-li            2                6: 9, 8: 17 (the best)\n"
             "suzuki-umeno        2                8: 15\n"
             "sofroniou-spaletta  2                6: 11 (the best)\n"
             "Keeps what BASE keeps, and is reversible; what is shown above is so for rattle. Some substeps go back in "
             "time.",
};

typedef struct {
    struct system *s;
    method base, adjoint;          /* adjoint.self is NULL for a reversible base */
    method_spec specs[2];          /* of both */
    real tolerance;
    int count;
    real steps[COMPOSITION_MOST], lengths[COMPOSITION_MOST]; /* parts of a step; of the last one */
    state begin;
    newton_counts counts;
} compose;

/* ---- what is asked for ---- */

typedef struct {
    method_spec base;
    method_info declared;          /* of the base */
    int symmetric, has_adjoint;
    int order, unit;               /* wanted, and of S */
} plan;

static const char *text_option(const method_spec *spec, const char *key)
{
    for (int i = 0; i < spec->option_count; i++)
        if (strcmp(spec->options[i].key, key) == 0) return spec->options[i].value;
    return NULL;
}

/* context may be NULL for a spec that came out of method_parse: its base was checked there. */
static int read_plan(taut_context *context, const method_spec *spec, plan *p)
{
    int status = X(method_parse)(context, spec->base[0] ? spec->base : OTHERWISE_BASE, &p->base);
    if (status) return status;
    p->declared = X(method_declared)(&p->base);
    p->symmetric = (p->declared.keeps & KEEPS_REVERSIBLE) != 0;
    p->has_adjoint = 0;
    for (int i = 0; i < p->declared.option_count; i++)
        p->has_adjoint |= strcmp(p->declared.options[i].name, METHOD_ADJOINT) == 0;
    p->unit = p->declared.order + p->declared.order % 2;
    return X(method_whole_option)(context, spec, "order", p->unit > OTHERWISE_ORDER ? p->unit : OTHERWISE_ORDER, 2, 8,
                                  &p->order);
}

/* Whatever else is declared of the base is so of its composition. */
static void declare(const method_spec *spec, method_info *out)
{
    plan p;
    if (read_plan(NULL, spec, &p)) return;
    *out = p.declared; /* the base's, but for these */
    out->name = info.name, out->summary = info.summary, out->source = info.source, out->equations = info.equations;
    out->options = info.options, out->option_count = info.option_count, out->table = info.table,
    out->has_base = info.has_base;
    out->order = p.order, out->order_free = 0;
    /* A base that leaves dg/dt off zero (em) turns its sign in every substep, which no composition takes away. */
    const int leaves_rates = (out->keeps & KEEPS_POSITION) && !(out->keeps & KEEPS_VELOCITY);
    out->momentum_order = leaves_rates && p.declared.order < p.order ? p.declared.order : 0;
    out->midpoint_multipliers = 0; /* those of the last substep, which are of no order */
    out->keeps |= KEEPS_REVERSIBLE;
}

static int check_plan(taut_context *context, const method_spec *spec, const plan *p, real *steps, int *count)
{
    const char *name = spec->base[0] ? spec->base : OTHERWISE_BASE, *scheme = text_option(spec, "scheme");
    int status = X(method_check_words)(context, spec);
    if (status) return status;
    if (!p->symmetric && !p->has_adjoint)
        return taut_fail(context, TAUT_BAD_USAGE,
                         "method 'compose' needs a method that is reversible or has an adjoint, and '%s' has neither; "
                         "take rattle, lobatto, em or euler",
                         name);
    if (p->order % 2)
        return taut_fail(context, TAUT_BAD_USAGE, "method 'compose' has orders 2, 4, 6 and 8, not %d", p->order);
    if (p->order < p->unit)
        return taut_fail(context, TAUT_BAD_USAGE,
                         "method 'compose': '%s' gives order %d as it is; ask for a higher order, or for less of it",
                         name, p->unit);
    *count = X(composition_find)(scheme, p->unit, p->order, steps);
    if (*count) return TAUT_OK;
    return taut_fail(context, TAUT_BAD_USAGE,
                     "method 'compose': the scheme '%s' does not lead from order %d to order %d; the schemes are: %s",
                     scheme, p->unit, p->order, X(composition_schemes));
}

/* ---- the method ---- */

static void destroy(void *self)
{
    compose *z = self;
    X(method_destroy)(&z->base);
    X(method_destroy)(&z->adjoint);
    X(state_clear)(z->s, &z->begin);
    taut_mem_free(z->s->context, z);
}

static int create_adjoint(compose *z, real tolerance)
{
    X(method_spec_copy)(&z->specs[0], &z->specs[1]);
    z->specs[1].is_adjoint = 1;
    return X(method_create)(z->s, &z->specs[1], tolerance, &z->adjoint);
}

static int create(struct system *s, const method_spec *spec, real tolerance, void **self)
{
    plan p;
    *self = NULL;
    compose *z = taut_mem_new(s->context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->s = s;
    int status = read_plan(s->context, spec, &p);
    if (!status) status = check_plan(s->context, spec, &p, z->steps, &z->count);
    if (!status) status = X(state_create)(s, &z->begin);
    p.base.is_part = 1;
    if (!status) X(method_spec_copy)(&p.base, &z->specs[0]);
    z->tolerance = tolerance;
    if (!status) status = X(method_create)(s, &p.base, tolerance, &z->base);
    if (!status && !p.symmetric) status = create_adjoint(z, tolerance);
    if (status)
        destroy(z);
    else
        *self = z;
    return status;
}

static void add_counts(newton_counts *sum, const method *m)
{
    if (m->self) newton_counts_add(sum, X(method_counts)(m));
}

static int substep(compose *z, state *x, real h)
{
    if (!z->adjoint.self) return X(method_step)(&z->base, x, h);
    int status = X(method_step)(&z->base, x, h / 2);
    return status ? status : X(method_step)(&z->adjoint, x, h / 2);
}

static int step(void *self, state *x, real h)
{
    compose *z = self;
    int status = TAUT_OK;
    X(state_copy)(x, &z->begin);
    for (int i = 0; i < z->count; i++) z->lengths[i] = z->steps[i] * h;
    for (int i = 0; !status && i < z->count;) {
        const long done = z->adjoint.self ? 0 : X(method_steps)(&z->base, x, z->lengths + i, 1, z->count - i, NULL);
        if (!done) status = substep(z, x, z->lengths[i]);
        i += done ? (int)done : 1;
    }
    z->counts = (newton_counts){ 0 };
    add_counts(&z->counts, &z->base);
    add_counts(&z->counts, &z->adjoint);
    if (!status)
        X(state_next_time)(&z->begin, h, &x->t, &x->t_low); /* the substeps add up to this but for a rounding */
    else
        X(state_copy)(&z->begin, x);
    return status;
}

static const newton_counts *counts(const void *self) { return &((const compose *)self)->counts; }

static int parts(const void *self, method_part *out, const char **why)
{
    const compose *z = self;
    const method *methods[] = { &z->base, &z->adjoint };
    int count = 0, halved = z->adjoint.self != NULL;
    for (int i = 0; i < z->count; i++)
        for (int k = 0; k <= halved; k++) {
            /* a base is one lowered step, or none: there are no compositions of compositions */
            if (!X(method_parts)(methods[k], &out[count], why)) return 0;
            out[count].factor = z->steps[i];
            out[count++].halved = halved;
        }
    return count;
}

static method_execution execution(const void *self)
{
    const compose *z = self;
    method_execution e = X(method_execution_of)(&z->base);
    if (z->adjoint.self) e = X(method_execution_join)(e, X(method_execution_of)(&z->adjoint));
    e.parts *= z->count;
    return e;
}

static step_path path(const void *self) { return X(method_path_of)(&((const compose *)self)->base); }

static int prepare_tangent(void *self)
{
    compose *z = self;
    int status = X(method_prepare_tangent)(z->s, &z->specs[0], z->tolerance, &z->base);
    if (status || !z->adjoint.self) return status;
    return X(method_prepare_tangent)(z->s, &z->specs[1], z->tolerance, &z->adjoint);
}

static int tangent(void *self, const state *from, real h, size_t count, real *dq, real *dp)
{
    compose *z = self;
    state *x = &z->begin;
    const int halves = z->adjoint.self ? 2 : 1;
    int status = TAUT_OK;
    X(state_copy)(from, x);
    for (int i = 0; !status && i < halves * z->count; i++) {
        const method *m = i % halves ? &z->adjoint : &z->base;
        const real part = z->steps[i / halves] * h / halves;
        status = X(method_tangent)(m, x, part, count, dq, dp);
        if (!status) status = X(method_step)(m, x, part);
    }
    return status;
}

static const method_code code = { create, step, counts, destroy, parts, NULL, NULL, NULL, execution, path };
const struct method_class X(method_compose) = { .info = &info, .declare = declare, .code = &code,
                                                .prepare_tangent = prepare_tangent, .tangent = tangent };
