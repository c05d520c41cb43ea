/* taut check */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dirac.h"
#include "cli/answer.h"
#include "cli/check_json.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "run/engine.h"

static int check_main(int argc, char **argv);

static const option_definition definitions_of_check[] = {
    { "define", 'D', "name=value", "set a param or option of the model", 1 },
    { "start", 0, "strict|project", "project: move an inconsistent start onto the constraints (strict)", 0 },
    { "all", 'a', NULL, "show all start values", 0 },
    { "dirac", 0, NULL, "show everything that the Dirac algorithm finds", 0 },
    OPTION_JSON,
};

const command command_check = {
    "check", "MODEL [-D name=value]... [--start strict|project] [--all] [--dirac] [--json]",
    "what a model is: freedom, rank, start, structure, conserved quantities",
    definitions_of_check, sizeof definitions_of_check / sizeof *definitions_of_check, check_main,
    "Exit status: 0 the model can run, 2 it cannot (the message says why).\n"
};

/* The callbacks gather text, so that the report can be printed in the order a person reads it. */
typedef struct {
    model *m;
    int all, dirac;
    long shown;
    char conserved[1024], methods[1024], refused[4096], same[300], redundant[4096];
    struct start_line {
        char name[64];
        wide value;
        int free;
    } *starts;
    size_t start_count, start_capacity;
    const char *last_refusal;   /* of the methods in `same`, not yet in `refused` */
} report;

#define SHOWN 24 /* start values shown without --all */

static void append(char *text, size_t size, const char *separator, const char *more)
{
    size_t at = strlen(text);
    snprintf(text + at, size - at, "%s%s", at ? separator : "", more);
}

static void on_start(void *user, const char *name, wide value, int free)
{
    report *r = user;
    if (r->start_count == r->start_capacity) {
        size_t capacity = r->start_capacity ? 2 * r->start_capacity : 64;
        void *room = realloc(r->starts, capacity * sizeof *r->starts);
        if (!room) return;
        r->starts = room;
        r->start_capacity = capacity;
    }
    struct start_line *line = &r->starts[r->start_count++];
    snprintf(line->name, sizeof line->name, "%s", name);
    line->value = value;
    line->free = free;
}

static void on_redundant(void *user, uint32_t k, const char *on)
{
    report *r = user;
    char line[700];
    snprintf(line, sizeof line, "    '%s' (line %d)%s%s", r->m->constraints[k].name, r->m->constraints[k].line,
             on[0] ? " depends on " : " has a zero gradient here", on);
    append(r->redundant, sizeof r->redundant, "\n", line);
}

static void on_conserved(void *user, const char *name) { append(((report *)user)->conserved, 1024, ", ", name); }

static void flush_refusals(report *r)
{
    char line[700];
    if (!r->last_refusal) return;
    snprintf(line, sizeof line, "    %s: %s", r->same, r->last_refusal);
    append(r->refused, sizeof r->refused, "\n", line);
    r->last_refusal = NULL;
}

static void on_method(void *user, const char *name, const char *refusal)
{
    report *r = user;
    if (!refusal) {
        append(r->methods, sizeof r->methods, ", ", name);
        return;
    }
    if (r->last_refusal && strcmp(r->last_refusal, refusal) == 0) { /* one line for all with the same reason */
        append(r->same, sizeof r->same, ", ", name);
        return;
    }
    flush_refusals(r);
    r->last_refusal = refusal;
    snprintf(r->same, sizeof r->same, "%s", name);
}

static void print_start(const report *r, const engine_check *c)
{
    size_t shown = r->all || r->start_count <= SHOWN ? r->start_count : SHOWN;
    printf("  start");
    if (c->free_q + c->free_w)
        printf("           %u value%s found from the constraints (marked free)", c->free_q + c->free_w,
               c->free_q + c->free_w == 1 ? "" : "s");
    putchar('\n');
    for (size_t i = 0; i < shown; i++)
        printf("    %-16s %.12g%s\n", r->starts[i].name, (double)r->starts[i].value,
               r->starts[i].free ? "   free" : "");
    if (shown < r->start_count) printf("    ... %zu more (--all shows them)\n", r->start_count - shown);
    if (!c->start_status && (c->moved_q > 0 || c->moved_w > 0))
        printf("    moved onto the constraints: positions by %.2g, velocities by %.2g\n", (double)c->moved_q,
               (double)c->moved_w);
    if (!c->start_status) return;
    fputs("    ", stdout);
    screen_put(stdout, TONE_ERROR, "NOT CONSISTENT");
    printf(": %s\n", c->start_text);
}

static void print_structure(const model *m, const engine_check *c)
{
    static const char *const forms[] = { "none", "Lagrangian", "Hamiltonian", "rates" };
    printf("  form             %s%s%s\n", forms[m->form], c->time_dependent ? ", depends on time" : "",
           c->has_forces ? ", with forces" : "");
    if (c->has_forces || c->force_multiplier) {
        char on[100] = "";
        if (c->force_position) append(on, sizeof on, ", ", "position");
        if (c->force_velocity) append(on, sizeof on, ", ", "velocity");
        if (c->force_time) append(on, sizeof on, ", ", "time");
        if (c->force_multiplier) append(on, sizeof on, ", ", "multipliers");
        printf("  forces           %s%s\n", on[0] ? "depend on " : "constant", on);
    }
    if (c->phase) puts("                   on phase space, by the Dirac algorithm below");
    if (m->form != FORM_RATES && !c->phase) {
        printf("  mass matrix      %s, ", c->constant_mass ? "constant" : "depends on the state");
        if (c->diagonal_mass)
            puts("diagonal");
        else
            printf("largest diagonal block %d\n", c->largest_block);
        if (c->augmented)
            puts("                   singular alone, regular with the constraints (multiples of (dg/dt)^2/2 were added "
                 "to L)");
        const char *no = c->constant_mass && !c->uncoupled
                             ? "no: terms linear in velocities, with q or t, make steps implicit"
                             : "no: steps are implicit";
        printf("  fast path        %s\n", !c->explicit_force ? no
                                          : c->constraints  ? "yes: only the multipliers are solved for"
                                                            : "yes: steps are explicit");
    }
    if (c->frequency > 0)
        printf("  frequency        %.3g at most, at the start; steps of rattle, shake and euler are stable "
               "below %.3g\n", (double)c->frequency, 2 / (double)c->frequency);
    printf("  terms            %zu instance%s of %zu kernel%s, %zu constant%s\n", c->instances,
           c->instances == 1 ? "" : "s", c->kernels, c->kernels == 1 ? "" : "s", c->constants,
           c->constants == 1 ? "" : "s");
}

/* ---- the Dirac algorithm ---- */

/* Coordinates and constraints of an ordinary model up to which the algorithm is shown without --dirac. */
#define DIRAC_AUTO 6
#define DIRAC_AUTO_CONSTRAINTS 1

static void print_line(void *user, const char *text)
{
    (void)user;
    puts(text);
}

static int print_dirac(model *m, int full)
{
    dirac *d;
    int status = taut_dirac_analyse(m, &d);
    if (status) return status;
    puts("  Dirac algorithm");
    status = taut_dirac_report(d, full ? NULL : "--dirac", print_line, NULL);
    taut_dirac_destroy(d);
    return status;
}

static int wants_dirac(const report *r, const engine_check *c)
{
    const model *m = r->m;
    if (r->dirac || c->phase) return 1;
    if (c->velocity_constraints) return 0;
    return m->form != FORM_RATES && !m->force_count && !c->augmented && c->constraints > 0 &&
           c->constraints <= DIRAC_AUTO_CONSTRAINTS && c->coordinates <= DIRAC_AUTO && !r->redundant[0];
}

/* A model that cannot run: if the algorithm finds out why, its report is shown before the message. */
static int refused(model *m, int status, const char *text, int full)
{
    dirac *d;
    char copy[TAUT_ERROR_TEXT];
    snprintf(copy, sizeof copy, "%s", text);
    if (status == TAUT_OUT_OF_MEMORY) return complain(EXIT_FAILED, "%s", copy);
    if ((status == TAUT_SINGULAR || status == TAUT_BAD_MODEL || status == TAUT_NO_CONVERGENCE) &&
        m->form != FORM_RATES && !taut_dirac_analyse(m, &d)) {
        if ((d->singular || m->phase_line) && d->verdict != DIRAC_REFUSED) {
            printf("%s\n  coordinates      %u\n  Dirac algorithm\n", m->title, m->coordinate_count);
            taut_dirac_report(d, full ? NULL : "--dirac", print_line, NULL);
        }
        taut_dirac_destroy(d);
    }
    return complain(EXIT_USAGE, "%s", copy);
}

static int print_report(const report *r, const engine_check *c)
{
    screen_put(stdout, TONE_HEADING, "%s", r->m->title);
    printf("\n  coordinates      %u\n  constraints      %u", c->coordinates, c->constraints);
    if (c->rank_known)
        printf(", rank %u", c->rank);
    if (c->velocity_constraints) printf("; %u on velocities", c->velocity_constraints);
    if (c->contacts) {
        printf("\n  contacts         %u, %u closed at the start%s%s", c->contacts, c->closed, c->closed ? ": " : "",
               c->closed_names);
        printf("\n  impacts          %s", r->m->impact_law == IMPACT_SEQUENTIAL ? "sequential" : "simultaneous");
    }
    if (c->rank_known && c->velocity_constraints && !c->start_status)
        printf("\n  freedom          %d degree%s in velocities, %d in positions\n", c->degrees_of_freedom,
               c->degrees_of_freedom == 1 ? "" : "s", c->position_freedom);
    else if (c->rank_known)
        printf("\n  freedom          %d degree%s\n", c->degrees_of_freedom, c->degrees_of_freedom == 1 ? "" : "s");
    else
        printf("\n  freedom          not known: there is no consistent start\n");
    if (c->nonholonomic[0]) printf("  nonholonomic     %s\n", c->nonholonomic);
    if (c->integrable[0])
        printf("  integrable       %s\n                   keeps a function of coordinates and time constant: written "
               "in these, it would keep the positions, too\n", c->integrable);
    if (r->redundant[0]) printf("  dependent%s\n%s\n", c->start_status ? "" : "        the motion does not depend on "
           "which; their multipliers are one choice of many", r->redundant);
    print_structure(r->m, c);
    printf("  conserved        %s%s%s\n", c->energy_conserved ? "energy" : "",
           c->energy_conserved && r->conserved[0] ? ", " : "",
           r->conserved[0]       ? r->conserved
           : c->energy_conserved ? ""
                                 : "nothing found");
    if (wants_dirac(r, c) && print_dirac(r->m, r->dirac))
        return complain(EXIT_FAILED, "%s", taut_error_text(r->m->context));
    printf("  methods          %s\n", r->methods[0] ? r->methods : "none fits");
    if (r->refused[0]) printf("  not suitable\n%s\n", r->refused);
    print_start(r, c);
    return c->start_status ? complain(EXIT_USAGE, "%s", c->start_text) : EXIT_DONE;
}

static int check_main(int argc, char **argv)
{
    options o;
    report r = { 0 };
    model *m = NULL;
    engine_check result;
    definitions *d = calloc(1, sizeof *d);
    int parsed = options_parse(&command_check, argc, argv, &o);
    if (parsed || !d) {
        free(d);
        return parsed > 0 ? EXIT_DONE : parsed ? EXIT_USAGE : complain(EXIT_FAILED, "out of memory");
    }
    start_mode start = START_STRICT;
    int code = definitions_read(&o, d);
    if (!code) code = start_option(&o, 0, &start);
    if (!code && o.positional_count != 1) code = complain(EXIT_USAGE, "'taut check' needs one model file");
    taut_context *context = code ? NULL : make_context();
    if (!code && !context) code = EXIT_FAILED;
    if (!code) code = load_model(context, o.positional[0], d, &m);
    if (!code && answer_is_json()) {
        code = check_answer(m, start, options_value(&o, "dirac", NULL) != NULL);
    } else if (!code) {
        r.m = m;
        r.all = options_value(&o, "all", NULL) != NULL;
        r.dirac = options_value(&o, "dirac", NULL) != NULL;
        int status = taut_engine_double.check(m, start, &result, on_start, on_redundant, on_conserved, on_method, &r);
        flush_refusals(&r);
        code = status ? refused(m, status, taut_error_text(context), r.dirac) : print_report(&r, &result);
    }
    free(r.starts);
    taut_model_free(m);
    taut_context_destroy(context);
    free(d);
    return code;
}
