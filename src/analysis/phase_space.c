/* The model on phase space that the Dirac algorithm leads to: H_c, all chi, and a start on chi = 0. */
#include <stdio.h>
#include <string.h>

#include "analysis/dirac_inside.h"

#define CONSISTENT 1e-9 /* relative displacement that counts as rounding of the given numbers */
#define POLISH 1e-13    /* relative displacement that is not worth a word */

void taut_phase_space_destroy(model *m)
{
    if (!m) return;
    taut_context *context = m->context;
    for (size_t k = 0; k < m->constraint_count; k++) taut_mem_free(context, m->constraints[k].name);
    taut_mem_free(context, m->constraints);
    taut_mem_free(context, m->summands);
    taut_mem_free(context, m->start_q);
    taut_mem_free(context, m->start_w);
    taut_mem_free(context, m->phase);
    taut_mem_free(context, m);
}

/* What is the model's own; everything else is shared with the model it came from. */
static int make_shell(dirac *d, model **result)
{
    model *m = taut_mem_new(d->context, 1, sizeof *m);
    *result = m;
    if (!m) return TAUT_OUT_OF_MEMORY;
    *m = *d->m;
    m->form = FORM_HAMILTONIAN;
    m->ambient = NULL;
    m->constraint_count = 0;
    m->summand_count = 1;
    m->summands = taut_mem_new(d->context, 1, sizeof *m->summands);
    m->constraints = taut_mem_new(d->context, d->count, sizeof *m->constraints);
    m->start_q = taut_mem_new(d->context, d->n, sizeof *m->start_q);
    m->start_w = taut_mem_new(d->context, d->n, sizeof *m->start_w);
    m->phase = taut_mem_new(d->context, 1, sizeof *m->phase);
    if (!m->summands || !m->constraints || !m->start_q || !m->start_w || !m->phase) return TAUT_OUT_OF_MEMORY;
    m->summands[0] = (summand){ d->hamiltonian, m->form_line };
    m->phase->velocities = d->m->form == FORM_LAGRANGIAN;
    m->phase->first = (uint32_t)d->first;
    for (size_t i = 0; i < 2 * d->count; i++) { /* those of the bracket, then the others */
        const size_t k = i % d->count;
        const dirac_constraint *c = &d->chi[k];
        const constraint *from = c->source >= 0 ? &d->m->constraints[c->source] : NULL;
        char name[40];
        if (c->in_bracket != (i < d->count)) continue;
        taut_dirac_name(d, k, name, sizeof name);
        char *text = taut_mem_text(d->context, from ? from->name : name);
        if (!text) return TAUT_OUT_OF_MEMORY;
        m->constraints[m->constraint_count++] =
            (constraint){ .name = text, .value = c->value, .line = from ? from->line : m->form_line,
                          .gauge = c->gauge };
    }
    return TAUT_OK;
}

/* ---- the start ---- */

#define TIE 1e-6 /* of what is the same but for rounding the first is named */
/* The constraint that misses most at a point: its line, its name and formula, and by how much. */
typedef struct {
    int line;
    char name[40], text[400];
    double value;
} missed_constraint;

static int find_missed(dirac *d, const point *x, missed_constraint *found)
{
    size_t worst = 0;
    wide most = -1, value = 0;
    for (size_t k = 0; k < d->count; k++) {
        wide here;
        if (taut_sampler_values(d->sampler, x, &d->chi[k].value, 1, &here, NULL)) return TAUT_OUT_OF_MEMORY;
        if (!(WIDE(fabs)(here) <= most * (wide)(1 + TIE))) most = WIDE(fabs)(here), worst = k, value = here;
    }
    const dirac_constraint *c = &d->chi[worst];
    found->line = c->source >= 0 ? d->m->constraints[c->source].line : d->m->form_line;
    found->value = (double)value;
    taut_dirac_print(d, c->value, found->text, sizeof found->text);
    taut_dirac_name(d, worst, found->name, sizeof found->name);
    return TAUT_OK;
}

static int report_inconsistent(dirac *d, const point *x, wide moved)
{
    missed_constraint c;
    if (find_missed(d, x, &c)) return TAUT_OUT_OF_MEMORY;
    return taut_fail(d->context, TAUT_BAD_MODEL,
                     "%s:%d: the start is not on the constraints: %s = %s is %.3g, not zero (consistent values differ "
                     "by up to %.3g); correct the "
                     "start values, free some with free(guess), or use the start mode 'project'",
                     d->m->file, c.line, c.name, c.text, c.value, (double)moved);
}

static int report_lost(dirac *d, const point *x)
{
    missed_constraint c;
    if (find_missed(d, x, &c)) return TAUT_OUT_OF_MEMORY;
    return taut_fail(d->context, TAUT_NO_CONVERGENCE,
                     "%s:%d: the start is not on the constraints, and no point of them was found near it: %s = %s is "
                     "%.3g there, not zero; correct the start values",
                     d->m->file, c.line, c.name, c.text, c.value);
}

static int put_on_manifold(dirac *d, start_mode mode, point *x, phase_info *info)
{
    size_t n2 = 2 * (size_t)d->n;
    wide given[2 * DIRAC_COORDINATES], relative = 0;
    int converged;
    if (mode == START_AS_IS) return TAUT_OK;
    memcpy(given, x->z, n2 * sizeof *given);
    int status = taut_sampler_project(d->sampler, x, d->chi, d->count, NULL, &converged);
    if (status) return status;
    if (!converged) {
        memcpy(x->z, given, n2 * sizeof *given);
        return report_lost(d, x);
    }
    for (size_t i = 0; i < n2; i++) {
        wide moved = WIDE(fabs)(x->z[i] - given[i]), *most = i < d->n ? &info->moved_q : &info->moved_w;
        *most = WIDE(fmax)(*most, moved);
        relative = WIDE(fmax)(relative, moved / d->sampler->scale[i >= d->n]);
    }
    if (mode == START_STRICT && !(relative <= (wide)CONSISTENT)) {
        wide moved = WIDE(fmax)(info->moved_q, info->moved_w);
        memcpy(x->z, given, n2 * sizeof *given);
        return report_inconsistent(d, x, moved);
    }
    if (relative <= (wide)POLISH) info->moved_q = info->moved_w = 0;
    return TAUT_OK;
}

static int find_start(dirac *d, start_mode mode, model *m)
{
    uint32_t n = d->n;
    wide z[2 * DIRAC_COORDINATES];
    point x = { z, 0 };
    int status = taut_start_point(d, mode != START_AS_IS, &x);
    for (uint32_t i = 0; i < n && mode != START_AS_IS; i++) {
        m->phase->free_q += d->m->start_q[i].type == START_FREE;
        m->phase->free_w += d->m->start_w[i].type == START_FREE;
    }
    for (uint32_t i = 0; !status && i < 2 * n; i++)
        if (!(z[i] - z[i] == 0))
            status = taut_fail(d->context, TAUT_NOT_FINITE, "%s:%d: the start is not finite; change the start values",
                          m->file, m->form_line);
    if (!status) status = put_on_manifold(d, mode, &x, m->phase);
    for (uint32_t i = 0; !status && i < n; i++) {
        m->start_q[i] = d->m->start_q[i];
        m->start_w[i] = d->m->start_w[i];
        m->start_q[i].value = taut_expr_number(d->g, z[i]);
        m->start_w[i].value = taut_expr_number(d->g, z[n + i]);
        if (!m->start_q[i].value || !m->start_w[i].value) status = TAUT_OUT_OF_MEMORY;
    }
    return status;
}

/* `before` is what was said about the singular mass matrix, empty for models with constraints on phase space. */
static int cannot_run(dirac *d, char *before)
{
    const model *m = d->m;
    if (d->verdict == DIRAC_INCONSISTENT)
        return taut_fail(d->context, TAUT_BAD_MODEL, "%s:%d: the model is inconsistent: %s", m->file, m->form_line,
                    d->reason);
    if (before[0] && taut_model_thin_body(m)) return taut_fail(d->context, TAUT_SINGULAR, "%s", before);
    if (before[0]) {
        before[strcspn(before, ";")] = 0;
        return taut_fail(d->context, TAUT_SINGULAR, "%s; by the Dirac algorithm: %s", before, d->reason);
    }
    return taut_fail(d->context, TAUT_BAD_MODEL, "%s:%d: %s", m->file, m->phase_line, d->reason);
}

/* Adds to a failure what was probably forgotten. */
static int explain(const model *m, int status)
{
    char text[TAUT_ERROR_TEXT], missing[sizeof m->phase->missing];
    int all;
    if (status == TAUT_SINGULAR && taut_model_thin_body(m)) return status;
    if (status != TAUT_BAD_MODEL && status != TAUT_SINGULAR && status != TAUT_NO_CONVERGENCE) return status;
    snprintf(text, sizeof text, "%s", taut_error_text(m->context));
    if (taut_missing_velocity(m, missing, sizeof missing, &all)) return TAUT_OUT_OF_MEMORY;
    if (!missing[0]) return status;
    if (!all) return taut_fail(m->context, status, "%s; %s", text, missing);
    size_t length = strlen(m->file);
    const char *rest = strncmp(text, m->file, length) == 0 ? strstr(text + length, ": ") : NULL; /* behind FILE:LINE */
    return taut_fail(m->context, status, "%s:%d: %s; as it stands, %s", m->file, m->form_line, missing,
                rest ? rest + 2 : text);
}

int taut_phase_space_model(model *m, start_mode start, model **result)
{
    dirac *d;
    char before[TAUT_ERROR_TEXT] = "";
    if (!m->phase_line) snprintf(before, sizeof before, "%s", taut_error_text(m->context));
    *result = NULL;
    if (m->start_points_line)
        return taut_fail(m->context, TAUT_UNSUPPORTED,
                    "%s:%d: start_points are for discrete Lagrangians, which a model with constraints on phase space "
                    "has none of; give positions and velocities in start",
                    m->file, m->start_points_line);
    int status = taut_dirac_analyse(m, &d);
    if (status) return status;
    /* singular at the start only: not a case for the algorithm */
    if (!d->singular && !m->phase_line && d->verdict == DIRAC_DETERMINED)
        status = taut_fail(m->context, TAUT_SINGULAR, "%s", before);
    else
        status = d->verdict == DIRAC_DETERMINED ? make_shell(d, result) : cannot_run(d, before);
    if (!status) status = find_start(d, start, *result);
    int all;
    if (status) status = explain(m, status);
    else status = taut_missing_velocity(m, (*result)->phase->missing, sizeof (*result)->phase->missing, &all);
    if (status) {
        taut_phase_space_destroy(*result);
        *result = NULL;
    }
    taut_dirac_destroy(d);
    return status;
}
