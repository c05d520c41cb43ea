/* taut check */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/check_json.h"
#include "cli/cli.h"
#include "cli/screen.h"

static int check_main(int argc, char **argv);

static const option_definition definitions_of_check[] = {
    { "define", 'D', "name=value", "set a param or option of the model", 1 },
    { "method", 'm', "METHOD", "the method whose steps are described (rattle, or the first that suits)", 0 },
    { "start", 0, "strict|project", "project: move an inconsistent start onto the constraints (strict)", 0 },
    { "all", 'a', NULL, "show all start values and all dependent constraints", 0 },
    { "dirac", 0, NULL, "show everything that the Dirac algorithm finds", 0 },
    OPTION_JSON,
};

const command command_check = {
    "check", "MODEL [-D name=value]... [-m METHOD] [--start strict|project] [--all] [--dirac] [--json]",
    "what a model is: freedom, rank, start, structure, conserved quantities, how steps are computed",
    definitions_of_check, sizeof definitions_of_check / sizeof *definitions_of_check, check_main,
    "Exit status: 0 the model can run, 2 it cannot (the message says why).\n"
};

typedef struct {
    taut_context *context;
    taut_model *m;
    taut_findings *findings;
    taut_structure found;
    const char *method; /* asked for, or NULL */
    int all, dirac;
} report;

/* Shown without --all: start values, constraints that depend on others. */
#define SHOWN 24
#define SHOWN_DEPENDENT 20

static void append(char *text, size_t size, const char *separator, const char *more)
{
    size_t at = strlen(text);
    snprintf(text + at, size - at, "%s%s", at ? separator : "", more);
}

/* Item `index` of a kind; 0 beyond the last. */
static int item_at(const report *r, int kind, size_t index, taut_found *item)
{
    *item = (taut_found){ .size = sizeof *item };
    return !taut_findings_item(r->findings, kind, index, item);
}

static size_t item_count(const report *r, int kind)
{
    taut_found f;
    size_t count = 0;
    while (item_at(r, kind, count, &f)) count++;
    return count;
}

static int print_dependent(const report *r)
{
    taut_found f;
    const size_t count = item_count(r, TAUT_FOUND_DEPENDENT);
    const size_t shown = r->all || count <= SHOWN_DEPENDENT ? count : SHOWN_DEPENDENT;
    if (!count) return 0;
    printf("  dependent%s\n", r->found.start_failure[0] ? "" : "        the motion does not depend on which; their "
           "multipliers are one choice of many");
    for (size_t i = 0; i < shown && item_at(r, TAUT_FOUND_DEPENDENT, i, &f); i++)
        printf("    '%s' (line %d)%s%s\n", f.name, f.line,
               f.text[0] ? " depends on " : " has a zero gradient here", f.text);
    if (shown < count) printf("    and %zu more (--all shows them)\n", count - shown);
    return 1;
}

static void print_conserved(const report *r)
{
    taut_found f;
    char names[1024] = "";
    for (size_t i = 0; item_at(r, TAUT_FOUND_CONSERVED, i, &f); i++) append(names, sizeof names, ", ", f.name);
    const int energy = r->found.energy_conserved;
    printf("  conserved        %s%s%s\n", energy ? "energy" : "", energy && names[0] ? ", " : "",
           names[0] ? names
           : energy ? ""
                    : "nothing found");
}

/* One line for all that have the same reason, one after the other. */
static void print_methods(const report *r)
{
    taut_found f;
    char suits[1024] = "", same[300] = "", refused[4096] = "", line[700];
    const char *reason = NULL;
    for (size_t i = 0; item_at(r, TAUT_FOUND_METHOD, i, &f) || reason; i++) {
        if (reason && f.name && !f.text) {
            append(suits, sizeof suits, ", ", f.name);
            continue;
        }
        if (reason && f.name && strcmp(reason, f.text) == 0) {
            append(same, sizeof same, ", ", f.name);
            continue;
        }
        if (reason) {
            snprintf(line, sizeof line, "    %s: %s", same, reason);
            append(refused, sizeof refused, "\n", line);
        }
        reason = f.text;
        snprintf(same, sizeof same, "%s", f.text ? f.name : "");
        if (f.name && !f.text) append(suits, sizeof suits, ", ", f.name);
    }
    printf("  methods          %s\n", suits[0] ? suits : "none fits");
    if (refused[0]) printf("  not suitable\n%s\n", refused);
}

static void print_path(const char *method, const taut_path *p)
{
    printf("  steps            %s: ", method);
    switch (p->kind) {
    case TAUT_PATH_STRAIGHT: printf("straight-line code"); break;
    case TAUT_PATH_ELEMENTS:
        printf("programs over elements of %d shape%s, ", p->shapes, p->shapes == 1 ? "" : "s");
        if (p->condensed == 0) printf("not condensed");
        else if (p->condensed == p->phases) printf("condensed body by body");
        else printf("%d of %d phases condensed body by body", p->condensed, p->phases);
        break;
    case TAUT_PATH_FIELDS: printf("fields, term by term"); break;
    default: printf("loops that are written out for such models"); break;
    }
    putchar('\n');
    if (p->why[0]) printf("                   not straight-line code: %s\n", p->why);
    if (p->why_fields[0]) printf("                   no elements: %s\n", p->why_fields);
}

static void print_start(const report *r)
{
    const taut_structure *c = &r->found;
    taut_found f;
    const size_t count = item_count(r, TAUT_FOUND_START);
    const size_t shown = r->all || count <= SHOWN ? count : SHOWN;
    printf("  start");
    if (c->start_free)
        printf("           %zu value%s found from the constraints (marked free)", c->start_free,
               c->start_free == 1 ? "" : "s");
    putchar('\n');
    for (size_t i = 0; i < shown && item_at(r, TAUT_FOUND_START, i, &f); i++)
        printf("    %-16.63s %.12g%s\n", f.name, f.value.high, f.is_free ? "   free" : "");
    if (shown < count) printf("    ... %zu more (--all shows them)\n", count - shown);
    if (!c->start_failure[0] && (c->start_moved_positions.high > 0 || c->start_moved_velocities.high > 0))
        printf("    moved onto the constraints: positions by %.2g, velocities by %.2g\n",
               c->start_moved_positions.high, c->start_moved_velocities.high);
    if (!c->start_failure[0]) return;
    fputs("    ", stdout);
    screen_put(stdout, TONE_ERROR, "NOT CONSISTENT");
    printf(": %s\n", c->start_failure);
}

static void print_structure(const taut_structure *c)
{
    static const char *const forms[] = { [TAUT_FORM_NONE] = "none", [TAUT_FORM_LAGRANGIAN] = "Lagrangian",
                                         [TAUT_FORM_HAMILTONIAN] = "Hamiltonian", [TAUT_FORM_RATES] = "rates" };
    printf("  form             %s%s%s\n", forms[c->form], c->time_dependent ? ", depends on time" : "",
           c->has_forces ? ", with forces" : "");
    if (c->has_forces || c->force_multiplier) {
        char on[100] = "";
        if (c->force_position) append(on, sizeof on, ", ", "position");
        if (c->force_velocity) append(on, sizeof on, ", ", "velocity");
        if (c->force_time) append(on, sizeof on, ", ", "time");
        if (c->force_multiplier) append(on, sizeof on, ", ", "multipliers");
        printf("  forces           %s%s\n", on[0] ? "depend on " : "constant", on);
    }
    if (c->phase_space) puts("                   on phase space, by the Dirac algorithm below");
    if (c->form != TAUT_FORM_RATES && !c->phase_space) {
        printf("  mass matrix      %s, ", c->constant_mass ? "constant" : "depends on the state");
        if (c->diagonal_mass)
            puts("diagonal");
        else
            printf("largest diagonal block %d\n", c->largest_mass_block);
        if (c->augmented_mass)
            puts("                   singular alone, regular with the constraints (multiples of (dg/dt)^2/2 were added "
                 "to L)");
        const char *no = c->constant_mass && c->coupled
                             ? "no: terms linear in velocities, with q or t, make steps implicit"
                             : "no: steps are implicit";
        printf("  fast path        %s\n", !c->fast_path ? no
                                          : c->constraints  ? "yes: only the multipliers are solved for"
                                                            : "yes: steps are explicit");
    }
    if (c->fastest_frequency.high > 0)
        printf("  frequency        %.3g at most, at the start; steps of rattle, shake and euler are stable "
               "below %.3g\n", c->fastest_frequency.high, 2 / c->fastest_frequency.high);
    printf("  terms            %zu instance%s of %zu kernel%s, %zu constant%s\n", c->terms,
           c->terms == 1 ? "" : "s", c->kernels, c->kernels == 1 ? "" : "s", c->constants,
           c->constants == 1 ? "" : "s");
}

/* ---- the Dirac algorithm ---- */

/* Coordinates and constraints of an ordinary model up to which the algorithm is shown without --dirac. */
#define DIRAC_AUTO 6
#define DIRAC_AUTO_CONSTRAINTS 1

static int analyse(const report *r, taut_dirac_info *info)
{
    return taut_findings_dirac(r->findings, r->dirac ? NULL : "--dirac", info);
}

static void print_dirac(const report *r)
{
    const char *line;
    puts("  Dirac algorithm");
    for (size_t i = 0; (line = taut_findings_dirac_line(r->findings, i)); i++) puts(line);
}

static int wants_dirac(const report *r, int dependent)
{
    const taut_structure *c = &r->found;
    if (r->dirac || c->phase_space) return 1;
    if (c->velocity_constraints) return 0;
    return c->form != TAUT_FORM_RATES && !c->forces && !c->augmented_mass && c->constraints > 0 &&
           c->constraints <= DIRAC_AUTO_CONSTRAINTS && c->coordinates <= DIRAC_AUTO && !dependent;
}

/* A model that cannot run: if the algorithm finds out why, its report is shown before the message. */
static int refused(const report *r)
{
    const taut_structure *c = &r->found;
    taut_dirac_info d = { .size = sizeof d };
    if ((c->status == TAUT_SINGULAR || c->status == TAUT_BAD_MODEL || c->status == TAUT_NO_CONVERGENCE) &&
        c->form != TAUT_FORM_RATES && !analyse(r, &d) && (d.singular || d.asked) && d.covered) {
        printf("%s\n  coordinates      %zu\n", taut_model_title(r->m), d.coordinates);
        print_dirac(r);
    }
    return complain(EXIT_USAGE, "%s", c->failure);
}

static void print_freedom(const taut_structure *c)
{
    const int d = c->degrees_of_freedom;
    if (c->rank_known && c->velocity_constraints && !c->start_failure[0])
        printf("\n  freedom          %d degree%s in velocities, %d in positions\n", d, d == 1 ? "" : "s",
               c->position_freedom);
    else if (c->rank_known)
        printf("\n  freedom          %d degree%s\n", d, d == 1 ? "" : "s");
    else
        printf("\n  freedom          not known: there is no consistent start\n");
}

static int print_report(const report *r)
{
    const taut_structure *c = &r->found;
    screen_put(stdout, TONE_HEADING, "%s", taut_model_title(r->m));
    printf("\n  coordinates      %zu\n  constraints      %zu", c->coordinates, c->constraints);
    if (c->rank_known)
        printf(", rank %zu", c->rank);
    if (c->velocity_constraints) printf("; %zu on velocities", c->velocity_constraints);
    if (c->contacts) {
        printf("\n  contacts         %zu, %zu closed at the start%s%s", c->contacts, c->closed, c->closed ? ": " : "",
               c->closed_names);
        printf("\n  impacts          %s", c->sequential_impacts ? "sequential" : "simultaneous");
    }
    print_freedom(c);
    if (c->nonholonomic[0]) printf("  nonholonomic     %s\n", c->nonholonomic);
    if (c->integrable[0])
        printf("  integrable       %s\n                   keeps a function of coordinates and time constant: written "
               "in these, it would keep the positions, too\n", c->integrable);
    const int dependent = print_dependent(r);
    print_structure(c);
    print_conserved(r);
    if (wants_dirac(r, dependent)) {
        if (analyse(r, NULL)) return complain(EXIT_FAILED, "%s", taut_error_text(r->context));
        print_dirac(r);
    }
    print_methods(r);
    taut_path path = { .size = sizeof path };
    const char *method = check_method(r->findings, r->method);
    const int asks = method && (r->method || !c->start_failure[0]);
    if (asks && !taut_findings_path(r->findings, method, &path)) print_path(method, &path);
    else if (r->method) return complain(EXIT_USAGE, "%s", taut_error_text(r->context));
    print_start(r);
    return c->start_failure[0] ? complain(EXIT_USAGE, "%s", c->start_failure) : EXIT_DONE;
}

static int check(report *r, int start, const char *path)
{
    if (answer_is_json()) answer_model(path, taut_model_title(r->m));
    const int status = taut_findings_create(r->context, r->m, start, &r->findings);
    if (status) return complain(EXIT_FAILED, "%s", taut_error_text(r->context));
    r->found.size = sizeof r->found;
    taut_findings_about(r->findings, &r->found);
    if (r->found.status) return answer_is_json() ? complain(EXIT_USAGE, "%s", r->found.failure) : refused(r);
    return answer_is_json() ? check_answer(r->context, r->findings, r->method, r->dirac) : print_report(r);
}

static int check_main(int argc, char **argv)
{
    options o;
    report r = { 0 };
    definitions *d = calloc(1, sizeof *d);
    int parsed = options_parse(&command_check, argc, argv, &o);
    if (parsed || !d) {
        free(d);
        return parsed > 0 ? EXIT_DONE : parsed ? EXIT_USAGE : complain(EXIT_FAILED, "out of memory");
    }
    int start = TAUT_STRICT, code = definitions_read(&o, d);
    if (!code) code = start_option(&o, 0, &start);
    if (!code && o.positional_count != 1) code = complain(EXIT_USAGE, "'taut check' needs one model file");
    if (!code && !(r.context = make_context())) code = EXIT_FAILED;
    if (!code) code = load_model(r.context, o.positional[0], d, &r.m);
    r.all = options_value(&o, "all", NULL) != NULL;
    r.dirac = options_value(&o, "dirac", NULL) != NULL;
    r.method = options_value(&o, "method", NULL);
    if (!code) code = check(&r, start, o.positional[0]);
    taut_findings_release(r.findings);
    taut_model_release(r.m);
    taut_context_destroy(r.context);
    free(d);
    return code;
}
