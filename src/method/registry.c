#include "method/method.h"
#include "base/near.h"
#include "lower/lower.h"
#include "system/hamiltonian_form.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct method_class *const table[] = { &X(method_rattle), &X(method_shake),    &X(method_lobatto),
                                                    &X(method_del),    &X(method_galerkin), &X(method_em),
                                                    &X(method_naive),  &X(method_extended), &X(method_dirac),
                                                    &X(method_euler),  &X(method_compose) };

int X(method_count)(void) { return (int)(sizeof table / sizeof *table); }
const struct method_class *X(method_at)(int index) { return table[index]; }

const struct method_class *X(method_find)(const char *name)
{
    for (int i = 0; i < X(method_count)(); i++)
        if (strcmp(table[i]->info->name, name) == 0) return table[i];
    return NULL;
}

static int unknown_method(taut_context *context, const char *name)
{
    char names[512] = "", advice[NEAR_TEXT];
    near_word n = taut_near(name);
    for (int i = 0; i < X(method_count)(); i++) {
        size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s%s", i ? ", " : "", table[i]->info->name);
        taut_near_try(&n, table[i]->info->name);
    }
    return taut_fail(context, TAUT_BAD_USAGE, "there is no method '%s'; %sthe methods are: %s", name,
                     taut_near_text(&n, "", advice), names);
}

static int knows(const method_info *info, const char *key, size_t length)
{
    for (int k = 0; k < info->option_count; k++)
        if (strncmp(info->options[k].name, key, length) == 0 && !info->options[k].name[length]) return 1;
    return 0;
}

static int no_such_option(taut_context *context, const method_info *info, const char *key)
{
    char names[512] = "", advice[NEAR_TEXT];
    near_word n = taut_near(key);
    for (int k = 0; k < info->option_count; k++) {
        size_t at = strlen(names);
        snprintf(names + at, sizeof names - at, "%s%s", k ? ", " : "", info->options[k].name);
        taut_near_try(&n, info->options[k].name);
    }
    return taut_fail(context, TAUT_BAD_USAGE, "method '%s' has no option '%s'; %s%s%s", info->name, key,
                     taut_near_text(&n, "", advice), *names ? "its options are: " : "it has none", names);
}

static int check_options(taut_context *context, const method_spec *spec, const method_info *info)
{
    for (int i = 0; i < spec->option_count; i++) {
        const char *key = spec->options[i].key;
        if (!knows(info, key, strlen(key))) return no_such_option(context, info, key);
        for (int k = 0; k < i; k++)
            if (strcmp(spec->options[k].key, key) == 0)
                return taut_fail(context, TAUT_BAD_USAGE, "method '%s' has the option '%s' twice; give it once",
                                 spec->name, key);
    }
    return TAUT_OK;
}

/* Takes what belongs to the base out of the options `at`: its name, which comes first, and every option that is not one
   of info's. Returns what is left, or NULL. */
static char *take_base(const method_info *info, char *at, method_spec *spec)
{
    char *left = NULL, *end = at;
    for (char *next; at; at = next) {
        size_t length = strcspn(at, ",");
        next = at[length] ? at + length + 1 : NULL;
        at[length] = 0;
        if (knows(info, at, strcspn(at, "=:"))) { /* moved together */
            if (left) *end++ = ',';
            if (!left) left = end;
            memmove(end, at, length);
            end += length;
            continue;
        }
        if (spec->base[0])
            strcat(spec->base, strchr(spec->base, ':') ? "," : ":"); /* no longer than the text it comes from */
        strcat(spec->base, at);
    }
    if (left) *end = 0;
    return left;
}

static int check_base(taut_context *context, const method_spec *spec)
{
    method_spec base;
    if (!spec->base[0]) return TAUT_OK;
    int status = X(method_parse)(context, spec->base, &base);
    if (status || !X(method_find)(base.name)->info->has_base) return status;
    return taut_fail(context, TAUT_BAD_USAGE,
                     "method '%s' is made of another one, and '%s' is made of one itself; name that", spec->name,
                     base.name);
}

int X(method_parse)(taut_context *context, const char *text, method_spec *spec)
{
    *spec = (method_spec){ 0 };
    if (strlen(text) >= sizeof spec->text) return taut_fail(context, TAUT_BAD_USAGE, "the method name is too long");
    strcpy(spec->text, text);
    spec->name = spec->text;
    char *at = strchr(spec->text, ':');
    if (at) *at++ = 0;
    const struct method_class *class = X(method_find)(spec->name);
    if (class && class->info->has_base) at = take_base(class->info, at, spec);
    while (at) {
        if (spec->option_count == METHOD_OPTIONS)
            return taut_fail(context, TAUT_BAD_USAGE, "the method has too many options: %s", text);
        char *next = strchr(at, ',');
        if (next) *next++ = 0;
        char *value = strchr(at, '=');
        if (value) *value++ = 0;
        spec->options[spec->option_count].key = at;
        spec->options[spec->option_count++].value = value;
        at = next;
    }
    if (!class) return unknown_method(context, spec->name);
    int status = check_options(context, spec, class->info);
    return status ? status : check_base(context, spec);
}

/* The same place in another text. */
static const char *moved(const method_spec *from, const char *at, const method_spec *to)
{
    return at ? to->text + (at - from->text) : NULL;
}

void X(method_spec_copy)(const method_spec *from, method_spec *to)
{
    *to = *from;
    to->name = moved(from, from->name, to);
    for (int i = 0; i < from->option_count; i++) {
        to->options[i].key = moved(from, from->options[i].key, to);
        to->options[i].value = moved(from, from->options[i].value, to);
    }
}

method_info X(method_class_declared)(const struct method_class *class, const method_spec *spec)
{
    method_info info = *class->info;
    if (class->declare) class->declare(spec, &info);
    return info;
}

method_info X(method_declared)(const method_spec *spec)
{
    return X(method_class_declared)(X(method_find)(spec->name), spec);
}

void X(method_adapt)(struct system *s, int constrained, method_info *info)
{
    if (info->adapt) info->adapt(s, info);
    if (!constrained) info->keeps |= info->keeps_free, info->momentum_order = 0;
    if (!constrained && info->order_free) info->order = info->order_free;
    /* Constraints on velocities: the flow of Lagrange and d'Alembert itself keeps no symplectic form. */
    if (s->slip) info->keeps &= ~(unsigned)KEEPS_SYMPLECTIC;
}

int X(method_adapt_to_symmetries)(struct system *s, const real *q, const real *w, const symmetry *list, int count,
                                  method_info *info)
{
    int suits = 1;
    if (!info->discrete_gradients || !(info->keeps & KEEPS_MOMENTUM)) return TAUT_OK;
    const int joint = s->hamiltonian || s->form == FORM_HAMILTONIAN;
    field *energy = s->hamiltonian ? s->hamiltonian->field : s->energy;
    int status = X(symmetry_suits_discrete)(s, energy, joint ? DISCRETE_JOINT : DISCRETE_POLARISED, q, w, list, count,
                                            &suits);
    if (!suits) info->keeps &= ~(unsigned)KEEPS_MOMENTUM;
    return status;
}

int X(method_whole_option)(taut_context *context, const method_spec *spec, const char *key, int otherwise, int least,
                           int most, int *value)
{
    *value = otherwise;
    for (int i = 0; i < spec->option_count; i++) {
        if (strcmp(spec->options[i].key, key) != 0) continue;
        const char *text = spec->options[i].value;
        char *end = NULL;
        long number = text ? strtol(text, &end, 10) : 0;
        if (!text || end == text || *end || number < least || number > most)
            return context ? taut_fail(context, TAUT_BAD_USAGE, "method '%s' needs %s=N with N from %d to %d, not '%s'",
                                       spec->name, key, least, most, text ? text : "")
                           : TAUT_BAD_USAGE;
        *value = (int)number;
    }
    return TAUT_OK;
}

int X(method_has_word)(const method_spec *spec, const char *word)
{
    for (int i = 0; i < spec->option_count; i++)
        if (!spec->options[i].value && strcmp(spec->options[i].key, word) == 0) return 1;
    return 0;
}

int X(method_real_option)(taut_context *context, const method_spec *spec, const char *key, real otherwise, real *value)
{
    *value = otherwise;
    for (int i = 0; i < spec->option_count; i++) {
        if (strcmp(spec->options[i].key, key) != 0) continue;
        const char *text = spec->options[i].value;
        wide number = 0;
        if (!text || taut_wide_parse(text, &number) || !(number - number == 0))
            return taut_fail(context, TAUT_BAD_USAGE, "method '%s' needs a number for %s, as in %s:%s=0.5, not '%s'",
                             spec->name, key, spec->name, key, text ? text : "");
        *value = (real)number;
    }
    return TAUT_OK;
}

int X(method_check_words)(taut_context *context, const method_spec *spec)
{
    const method_info *info = X(method_find)(spec->name)->info;
    for (int i = 0; i < spec->option_count; i++)
        for (int k = 0; k < info->option_count; k++) {
            const method_option *o = &info->options[k];
            if (strcmp(o->name, spec->options[i].key) != 0 || (o->values[0] != 0) == (spec->options[i].value != NULL))
                continue;
            return o->values[0]
                       ? taut_fail(context, TAUT_BAD_USAGE, "method '%s': '%s' needs a value: %s=%s", spec->name,
                                   o->name, o->name, o->values)
                       : taut_fail(context, TAUT_BAD_USAGE, "method '%s': '%s' takes no value", spec->name, o->name);
        }
    return TAUT_OK;
}

const char *X(method_refusal)(const struct method_class *class, const struct system *s)
{
    if (s->start.second && !class->start)
        return "the model gives start_points, and only methods with a discrete Lagrangian (del, shake) start from two "
               "points; give positions and velocities in start";
    if (s->phase_space && class != &X(method_dirac))
        return s->phase_space->velocities
                   ? "its Lagrangian is singular, the mass matrix has no inverse; only the Dirac bracket covers that: "
                     "use dirac:rk4 or dirac:gauss"
                   : "its constraints contain momenta, or gauge conditions; only the Dirac bracket covers that: use "
                     "dirac:rk4 or dirac:gauss";
    return class->refuse ? class->refuse(s) : NULL;
}

static int create_stepper(struct system *s, const struct method_class *class, const method_spec *spec, real tolerance,
                          void **self)
{
    stepper *made = NULL;
    step_table *t = taut_mem_new(s->context, 1, sizeof *t);
    *self = NULL;
    if (!t) return TAUT_OUT_OF_MEMORY;
    X(step_table_begin)(t);
    int status = class->table(s, spec, t), is_code = status == TAUT_UNSUPPORTED && class->code; /* this form of model */
    if (!status) status = X(stepper_create)(s, t, tolerance, &made);
    if (is_code) status = TAUT_OK;
    taut_mem_free(s->context, t);
    *self = made;
    return status;
}

/* Where a reduction is written out for large systems, straight-line code pays up to about so many constraints. On the
   hanging chain, interpreted, it takes 3,700 instructions a link and step with 24 links, and the reduction 1,800 with
   25. With forces of velocity it pays as long as there is some. */
enum { LOWERED_CONSTRAINTS = 8 };

int X(method_create_with)(struct system *s, const struct method_class *class, const method_spec *spec, real tolerance,
                          method *m)
{
    *m = (method){ .class = class };
    const char *reason = X(method_refusal)(class, s);
    const char *missing = reason && s->phase_space ? s->phase_space->missing : "";
    if (reason)
        return taut_fail(s->context, TAUT_UNSUPPORTED, "method '%s' cannot run this model: %s%s%s", class->info->name,
                    reason, *missing ? "; " : "", missing);
    int written_out = !class->table || (class->reduces && class->reduces(s)), status = TAUT_OK;
    const int most = s->structure.explicit_force ? LOWERED_CONSTRAINTS : INT_MAX;
    if (class->table && (!written_out || (X(lower_serves)(s) && (long)s->c <= most)))
        status = create_stepper(s, class, spec, tolerance, &m->self);
    if (status || !written_out || (m->self && X(stepper_is_lowered)(m->self))) return status;
    X(stepper_destroy)(m->self);
    m->code = class->code;
    return m->code->create(s, spec, tolerance, &m->self);
}

int X(method_create)(struct system *s, const method_spec *spec, real tolerance, method *m)
{
    return X(method_create_with)(s, X(method_find)(spec->name), spec, tolerance, m);
}

int X(method_step)(const method *m, state *x, real h)
{
    return m->code ? m->code->step(m->self, x, h) : X(stepper_step)(m->self, x, h);
}

long X(method_steps)(const method *m, state *x, const real *lengths, int stride, long count, multiplier_growth *size)
{
    if (m->code) return m->code->steps ? m->code->steps(m->self, x, lengths, stride, count, size) : 0;
    return X(stepper_steps)(m->self, x, lengths, stride, count, size);
}

method_outcome X(method_outcome_of)(const method *m)
{
    return m->code && m->code->outcome ? m->code->outcome(m->self) : (method_outcome){ .multiplier = -1 };
}

int X(method_forces_at)(const method *m, const state *x, method_forces *sums)
{
    return m->code && m->code->forces ? m->code->forces(m->self, x, sums) : 0;
}

const newton_counts *X(method_counts)(const method *m)
{
    return m->code ? m->code->counts(m->self) : X(stepper_counts)(m->self);
}

method_execution X(method_execution_by)(const program *p)
{
    if (!p) return (method_execution){ CODE_GENERAL, 1, 0 };
    return (method_execution){ p->step || p->code ? CODE_NATIVE : CODE_INTERPRETED, 1, p->space.left };
}

step_path X(method_path_of)(const method *m)
{
    if (!m->code) return X(stepper_path)(m->self);
    if (m->code->path) return m->code->path(m->self);
    if (X(method_execution_of)(m).code != CODE_GENERAL) return (step_path){ .kind = PATH_STRAIGHT };
    return (step_path){ .kind = m->class->table ? PATH_WRITTEN_OUT : PATH_FIELDS };
}

method_execution X(method_execution_join)(method_execution a, method_execution b)
{
    return (method_execution){ a.code < b.code ? a.code : b.code, a.parts + b.parts, a.left + b.left };
}

method_execution X(method_execution_of)(const method *m)
{
    if (!m->code) return X(method_execution_by)(X(stepper_program)(m->self));
    return m->code->execution ? m->code->execution(m->self) : X(method_execution_by)(NULL);
}

int X(method_prepare_tangent)(struct system *s, const method_spec *spec, real tolerance, method *m)
{
    int status = TAUT_OK;
    if (!m->code) return X(stepper_prepare_tangent)(m->self);
    if (m->class->tangent) return m->class->prepare_tangent(m->self);
    if (m->class->table && !m->tangent) {
        void *made;
        status = create_stepper(s, m->class, spec, tolerance, &made);
        m->tangent = made;
    }
    if (!status && m->tangent) return X(stepper_prepare_tangent)(m->tangent);
    if (status) return status;
    return taut_fail(s->context, TAUT_UNSUPPORTED,
                     "the step of method '%s' is code, and has no tangent in closed form; take rattle, shake, lobatto, "
                     "galerkin, del, em, euler, or compose of one of them", m->class->info->name);
}

int X(method_tangent)(const method *m, const state *x, real h, size_t count, real *dq, real *dp)
{
    if (!m->code) return X(stepper_tangent)(m->self, x, h, count, dq, dp);
    if (m->class->tangent) return m->class->tangent(m->self, x, h, count, dq, dp);
    return X(stepper_tangent)(m->tangent, x, h, count, dq, dp);
}

void X(method_destroy)(method *m)
{
    X(stepper_destroy)(m->tangent);
    if (m->self && m->code) m->code->destroy(m->self);
    if (m->self && !m->code) X(stepper_destroy)(m->self);
    *m = (method){ 0 };
}

int X(method_parts)(const method *m, method_part *parts, const char **why)
{
    *why = "its step is code, not a table of equations; take rattle, shake, lobatto, galerkin, del, em, euler, or "
           "compose of one of them";
    if (m->code && m->code->parts) return m->code->parts(m->self, parts, why);
    if (m->class->table) *why = METHOD_NOT_LOWERED;
    program *lowered = m->code ? NULL : X(stepper_program)(m->self);
    if (!lowered) return 0;
    *parts = (method_part){ lowered, 1, 0 };
    return 1;
}
