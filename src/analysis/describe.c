/* What the Dirac algorithm found, as lines of text. */
#include <stdio.h>
#include <string.h>

#include "analysis/dirac_inside.h"

typedef struct {
    dirac *d;
    const char *more;        /* as dirac_report takes it */
    void (*line)(void *user, const char *text);
    void *user;
    char *text, *formula, *below, *whole; /* TEXT each */
} printer;

#define TEXT 100000 /* longest line; formulas are cut there */

static void namer(void *user, op o, kind k, uint32_t index, char *buffer, size_t size)
{
    const dirac *d = user;
    char name[220];
    if (o == OP_VARIABLE && k == KIND_LAMBDA) {
        snprintf(buffer, size, "u%u", index + 1);
    } else if (o == OP_VARIABLE && k == KIND_W && index < d->n) {
        taut_model_coordinate_name(d->m, index, name, sizeof name);
        snprintf(buffer, size, "p.%s", name);
    } else {
        taut_model_namer(d->m, o, k, index, buffer, size);
    }
}

void taut_dirac_print(const dirac *d, expr e, char *buffer, size_t size)
{
    taut_expr_print(d->g, e, namer, (void *)d, buffer, size);
}

void taut_dirac_name(const dirac *d, size_t k, char *buffer, size_t size)
{
    (void)d;
    snprintf(buffer, size, "chi%zu", k + 1);
}

void taut_dirac_moved(dirac *d, expr generator, char *buffer, size_t size)
{
    buffer[0] = 0;
    for (uint32_t i = 0; i < 2 * d->n; i++) {
        weakness weak = WEAK_ZERO;
        expr by = taut_expr_derivative(d->g, generator, d->z[(i + d->n) % (2 * d->n)]); /* {q,f} = f_p, {p,f} = -f_q */
        if (!by || taut_sampler_judge(d->sampler, by, &weak) || weak == WEAK_ZERO) continue;
        char name[220];
        size_t at = strlen(buffer);
        taut_dirac_print(d, d->z[i], name, sizeof name);
        snprintf(buffer + at, size - at, "%s%s", at ? ", " : "", name);
    }
}

static void say(printer *p, const char *label, const char *text)
{
    snprintf(p->whole, TEXT, "    %-14s %s", label, text);
    p->line(p->user, p->whole);
}

static const char *generation_name(const dirac_constraint *c, char *buffer, size_t size)
{
    static const char *const names[] = { "", "primary", "secondary", "tertiary", "quaternary" };
    if (c->gauge) return "gauge";
    if (c->generation <= 4) return names[c->generation];
    snprintf(buffer, size, "%dth", c->generation);
    return buffer;
}

static void constraints(printer *p)
{
    dirac *d = p->d;
    for (size_t k = 0; k < d->count; k++) {
        const dirac_constraint *c = &d->chi[k];
        char *formula = p->formula, name[40], label[40], from[250] = "";
        const char *class = d->first + d->second == 0 ? "" : c->first_class ? "   first class" : "   second class";
        taut_dirac_print(d, c->value, formula, TEXT - 1000);
        taut_dirac_name(d, k, name, sizeof name);
        if (c->source >= 0) snprintf(from, sizeof from, "   ('%.200s')", d->m->constraints[c->source].name);
        snprintf(p->text, TEXT, "%s = %s%s%s", name, formula, class, from);
        say(p, generation_name(c, label, sizeof label), p->text);
    }
}

#define LONG 300 /* formulas beyond are printed on request */

static void multipliers(printer *p)
{
    dirac *d = p->d;
    if (!d->multiplier) return;
    for (size_t k = 0; k < d->count; k++) {
        const dirac_constraint *c = &d->chi[k];
        char *formula = p->formula, name[250];
        if (c->multiplier < 0) continue;
        expr u = d->multiplier[c->multiplier];
        int holonomic = c->source >= 0 && !(taut_expr_kinds(d->g, c->value) & 1u << KIND_W);
        if (holonomic) /* its force is +G' lambda */
            snprintf(name, sizeof name, "lambda.%.200s", d->m->constraints[c->source].name);
        else
            snprintf(name, sizeof name, "u%d", c->multiplier + 1);
        if (u) u = holonomic ? taut_expr_simplify(d->g, taut_expr_neg(d->g, u), NULL, NULL) : u;
        if (u) taut_dirac_print(d, u, formula, TEXT - 1000);
        if (u && p->more && strlen(formula) > LONG) snprintf(formula, TEXT, "(a long formula; %s prints it)", p->more);
        snprintf(p->text, TEXT, u ? "%s = %s" : "%s is free", name, formula);
        say(p, "multiplier", p->text);
    }
}

/* ---- the Dirac bracket ---- */

#define INVERSE 6 /* largest bracket matrix that is inverted for printing */

/* The constraints that the bracket is made of, INVERSE at the most. */
typedef struct {
    const dirac_constraint *chi[INVERSE];
    int index[INVERSE], count;
} basis;

/* C^-1 everywhere, not only on the manifold: the samples are taken off it. */
static int invert_brackets(dirac *d, const basis *of, expr *inverse)
{
    int k = of->count, status = taut_sampler_spread(d->sampler, &d->hamiltonian, 1, NULL, 0);
    for (int b = 0; !status && b < k; b++) {
        tableau t;
        status = taut_tableau_create(d, k, k, &t);
        for (int i = 0; !status && i < k; i++) {
            t.h[i] = taut_expr_number(d->g, i == b ? -1 : 0);
            for (int j = 0; j < k; j++)
                if (!(t.m[i * k + j] = taut_dirac_bracket(d, of->chi[i]->gradient, of->chi[j]->gradient)))
                    status = TAUT_OUT_OF_MEMORY;
        }
        if (!status) status = taut_tableau_eliminate(d, &t);
        for (int j = 0; !status && j < k; j++) {
            int row = t.pivot_row[j];
            if (row < 0) status = TAUT_UNSUPPORTED;
            else
                inverse[j * k + b] = taut_expr_simplify(
                    d->g, taut_expr_neg(d->g, taut_expr_div(d->g, t.h[row], t.m[row * k + j])), NULL, NULL);
            if (row >= 0 && !inverse[j * k + b]) status = TAUT_OUT_OF_MEMORY;
        }
        taut_tableau_clear(d, &t);
    }
    return status;
}

/* " + top (body)/(bottom)" with the sign in front. */
static void add_product(printer *p, expr factor, const char *body)
{
    dirac *d = p->d;
    expr top, bottom;
    char *above = p->formula, *below = p->below;
    size_t at = strlen(p->text);
    if (!taut_expr_simplify(d->g, factor, &top, &bottom)) return;
    taut_dirac_print(d, top, above, TEXT);
    int negative = above[0] == '-';
    if (negative) taut_dirac_print(d, taut_expr_neg(d->g, top), above, TEXT);
    taut_dirac_print(d, bottom, below, TEXT);
    int one = strcmp(above, "1") == 0, whole = strcmp(below, "1") == 0, sum = strchr(above, ' ') != NULL;
    snprintf(p->text + at, TEXT - at, " %c %s%s%s%s%s%s%s%s", negative ? '-' : '+', sum ? "(" : "", one ? "" : above,
             sum ? ")" : "", one ? "" : "*", body, whole ? "" : "/(", whole ? "" : below, whole ? "" : ")");
}

static void fundamental(printer *p, const basis *of, const expr *inverse)
{
    dirac *d = p->d;
    uint32_t n2 = 2 * d->n;
    for (uint32_t i = 0; i < n2; i++)
        for (uint32_t j = i + 1; j < n2; j++) {
            expr sum = taut_expr_number(d->g, j == i + d->n ? 1 : 0);
            for (int a = 0; a < of->count; a++)
                for (int b = 0; b < of->count; b++) { /* {z,chi} = J chi_z */
                    expr left = of->chi[a]->gradient[(i + d->n) % n2], right = of->chi[b]->gradient[(j + d->n) % n2];
                    if (i >= d->n) left = taut_expr_neg(d->g, left);
                    if (j < d->n) right = taut_expr_neg(d->g, right);
                    sum = taut_expr_sub(
                        d->g, sum, taut_expr_mul(d->g, left, taut_expr_mul(d->g, inverse[a * of->count + b], right)));
                }
            char first[220], second[220], *value = p->formula;
            sum = taut_expr_simplify(d->g, sum, NULL, NULL);
            if (!sum || taut_expr_is_number(d->g, sum, 0)) continue;
            taut_dirac_print(d, d->z[i], first, sizeof first);
            taut_dirac_print(d, d->z[j], second, sizeof second);
            taut_dirac_print(d, sum, value, TEXT - 1000);
            snprintf(p->text, TEXT, "{%s,%s}* = %s", first, second, value);
            say(p, "", p->text);
        }
}

static void bracket(printer *p)
{
    dirac *d = p->d;
    basis of = { .count = 0 };
    int k = 0;
    for (size_t i = 0; i < d->count; i++) {
        if (!d->chi[i].in_bracket) continue;
        if (k < INVERSE) of.chi[k] = &d->chi[i], of.index[k] = (int)i + 1, of.count++;
        k++;
    }
    if (!k) return;
    if (k > INVERSE) {
        snprintf(p->text, TEXT,
                 "{F,G}* = {F,G} - {F,chi} C^-1 {chi,G}, C = {chi,chi} of size %d is inverted numerically", k);
        say(p, "Dirac bracket", p->text);
        return;
    }
    expr inverse[INVERSE * INVERSE];
    int status = invert_brackets(d, &of, inverse);
    snprintf(p->text, TEXT, "{F,G}* = {F,G}");
    for (int a = 0; !status && a < k; a++)
        for (int b = a + 1; b < k; b++) {
            char body[100];
            expr factor = taut_expr_neg(d->g, inverse[a * k + b]);
            if (taut_expr_is_number(d->g, factor, 0)) continue;
            snprintf(body, sizeof body, "({F,chi%d}{chi%d,G} - {F,chi%d}{chi%d,G})", of.index[a], of.index[b],
                     of.index[b], of.index[a]);
            add_product(p, factor, body);
        }
    if (status || (strlen(p->text) > 2 * LONG && p->more))
        snprintf(p->text, TEXT, "{F,G}* = {F,G} - {F,chi} C^-1 {chi,G}, C = {chi,chi}%s%s%s", status ? "" : "; ",
                 status ? "" : p->more, status ? "" : " prints C^-1");
    say(p, "Dirac bracket", p->text);
    if (!status && ((d->singular && d->n <= 2) || (!p->more && d->n <= 3))) fundamental(p, &of, inverse);
    taut_sampler_spread(d->sampler, &d->hamiltonian, 1, d->chi, d->count);
}

static void gauge(printer *p)
{
    dirac *d = p->d;
    for (int i = 0; i < d->first; i++) {
        char *formula = p->formula, moved[900];
        taut_dirac_print(d, d->generator[i], formula, TEXT - 1000);
        taut_dirac_moved(d, d->generator[i], moved, sizeof moved);
        snprintf(p->text, TEXT, "%s is first class and moves %s", formula, moved[0] ? moved : "nothing");
        say(p, i ? "" : d->verdict == DIRAC_DETERMINED ? "of the start" : "gauge freedom", p->text);
    }
    int free = 0;
    for (int i = 0; d->multiplier && i < d->multiplier_count; i++) free += !d->multiplier[i];
    if (d->verdict == DIRAC_DETERMINED)
        snprintf(p->text, TEXT, "every multiplier is determined, and with it the motion from a given start");
    else
        snprintf(p->text, TEXT, "%d arbitrary function%s of time; gauge conditions to add: %d", free,
                 free == 1 ? "" : "s", free);
    size_t at = strlen(p->text);
    if (free && free < d->first)
        snprintf(p->text + at, TEXT - at, ", or up to %d until nothing is first class", d->first);
    if (d->first) say(p, "", p->text);
}

#define SHOWN 8 /* constraints shown unless the report is whole */

static void print_all(printer *p)
{
    dirac *d = p->d;
    if (d->hamiltonian && d->verdict != DIRAC_REFUSED) {
        taut_dirac_print(d, d->hamiltonian, p->formula, TEXT - 1000);
        say(p, d->m->form == FORM_LAGRANGIAN ? "H_c" : "H", p->formula);
    }
    if (d->count <= SHOWN || !p->more) {
        constraints(p);
        if (d->verdict <= DIRAC_UNDETERMINED) multipliers(p);
    } else {
        snprintf(p->text, TEXT, "%zu; %s shows them", d->count, p->more);
        say(p, "constraints", p->text);
    }
    if (d->verdict == DIRAC_DETERMINED) bracket(p);
    if (d->verdict <= DIRAC_UNDETERMINED) gauge(p);
    if (d->verdict <= DIRAC_UNDETERMINED) {
        int twice = 2 * (int)d->n - 2 * d->first - d->second;
        snprintf(p->text, TEXT, "%d first class, %d second class: (2*%u - 2*%d - %d)/2 = %d degree%s of freedom",
                 d->first, d->second, d->n, d->first, d->second, twice / 2, twice == 2 ? "" : "s");
        say(p, "classes", p->text);
    }
    if (d->verdict == DIRAC_INCONSISTENT) say(p, "INCONSISTENT", d->reason);
    if (d->verdict == DIRAC_REFUSED) say(p, "not made", d->reason);
    if (d->warning[0]) say(p, "warning", d->warning);
}

int taut_dirac_report(dirac *d, const char *more, void (*line)(void *user, const char *text), void *user)
{
    printer p = { .d = d, .more = more, .line = line, .user = user };
    p.text = taut_mem_new(d->context, TEXT, 1);
    p.formula = taut_mem_new(d->context, TEXT, 1);
    p.below = taut_mem_new(d->context, TEXT, 1);
    p.whole = taut_mem_new(d->context, TEXT, 1);
    int status = p.text && p.formula && p.below && p.whole ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) print_all(&p);
    taut_mem_free(d->context, p.text);
    taut_mem_free(d->context, p.formula);
    taut_mem_free(d->context, p.below);
    taut_mem_free(d->context, p.whole);
    return status;
}
