/* taut verify */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "run/verify.h"

static int verify_main(int argc, char **argv);

static const option_definition definitions_of_verify[] = {
    { "method", 'm', "METHOD", "a name from 'taut methods', with options after a colon (rattle)", 0 },
    { "step", 's', "STEP", "time step (chosen for the model)", 0 },
    { "until", 'T', "END", "how long to watch the energy (4000 steps)", 0 },
    { "csv", 0, NULL, "a table for scripts", 0 },
    OPTION_JSON,
    { "period", 0, "T", "period of the motion, for the stability of the manifold (found by a search)", 0 },
    { "define", 'D', "name=value", "set a param or option of the model", 1 },
    { "precision", 0, "double|quad", "of all measurements (quad if available; trend of the energy: double)", 0 },
    { "start", 0, "strict|project", "project: move an inconsistent start onto the constraints (strict)", 0 },
    OPTION_THREADS_APART,
};

const command command_verify = {
    "verify",
    "MODEL [-m METHOD] [-s STEP] [-T END] [--csv] [--json] [--period T] [-D name=value]... [--precision double|quad] "
    "[--start strict|project] [--threads N]",
    "what a method declares against what it does on a model",
    definitions_of_verify,
    sizeof definitions_of_verify / sizeof *definitions_of_verify,
    verify_main,
    "order        errors over 8 steps against the equations of motion, solved by extrapolation, as the step is halved\n"
    "symplectic   change of the symplectic form over a step, for tangent vectors of the constraint manifold\n"
    "energy       largest error; its trend over END, with the scatter of the trend (drifts; no return: the motion has "
    "a trend)\n"
    "momenta      of the symmetries that were found in the model\n"
    "reversible   distance to the start after 50 steps and 50 steps back\n"
    "constraints  largest |g| and |dg/dt|\n"
    "growth       of naive, extended, dirac: exponents of errors and residuals over the last nine tenths of END\n"
    "manifold     of the same: Floquet multipliers of residuals over a period of the motion\n\n"
    "Verdicts on what is declared: holds, does not hold, undecided, not applicable; otherwise: kept here, not kept.\n"
    "Exit status: 0 every declared property that applies was confirmed, 1 one was not or the simulation failed,\n"
    "2 bad usage or bad model.\n"
};

typedef struct {
    taut_context *context;
    model *m;
    const engine_api *api, *long_api;
    void *engine, *long_engine;
    engine_options engine_options;
    verify_options options;
    int csv;
} session;

/* ---- output ---- */

static void print_number(wide x)
{
    putchar(',');
    if (x == x) printf("%.10g", (double)x);
}

static void print_csv(const verify_result *r)
{
    puts("property,declared,measured,limit,verdict,note");
    for (int i = 0; i < r->count; i++) {
        const verify_row *row = &r->rows[i];
        printf("%s,%s", row->property, row->declared);
        print_number(row->value);
        print_number(row->limit);
        printf(",%s,\"", taut_verdict_text(row->verdict));
        for (const char *c = row->note; *c; c++) {
            if (*c == '"') putchar('"');
            putchar(*c);
        }
        puts("\"");
    }
}

#define WIDTH 80

/* "property: note", in lines of 80 columns. */
static void print_note(const verify_row *row)
{
    int column = printf("  %s:", row->property);
    for (const char *word = row->note; *word;) {
        int length = (int)strcspn(word, " "), fits = column + 1 + length <= WIDTH;
        if (!fits) column = 0;
        column += printf("%s%.*s", fits ? " " : "\n    ", length, word);
        word += length;
        while (*word == ' ') word++;
    }
    putchar('\n');
}

static tone tone_of(verdict v)
{
    switch (v) {
    case VERDICT_HOLDS: return TONE_GOOD;
    case VERDICT_FAILS: return TONE_ERROR;
    case VERDICT_UNDECIDED:
    case VERDICT_TREND:
    case VERDICT_TOO_SHORT: return TONE_WARNING;
    default: return TONE_PLAIN;
    }
}

static void answer_table(const session *z, const verify_result *r)
{
    json *j = answer_json();
    answer_model(z->m);
    taut_json_text(j, "method", z->engine_options.method);
    taut_json_text(j, "precision", z->api->name);
    taut_json_text(j, "energy_precision", z->long_api->name);
    taut_json_wide(j, "step", r->step, 0);
    taut_json_flag(j, "step_chosen", !(z->options.step > 0));
    taut_json_wide(j, "until", r->until, 0);
    taut_json_integer(j, "steps", r->steps);
    taut_json_open(j, "properties", '[');
    for (int i = 0; i < r->count; i++) {
        const verify_row *row = &r->rows[i];
        taut_json_open(j, NULL, '{');
        taut_json_text(j, "property", row->property);
        taut_json_text(j, "declared", strcmp(row->declared, "-") == 0 ? NULL : row->declared);
        taut_json_wide(j, "measured", row->value, 17);
        taut_json_wide(j, "limit", row->limit, 17);
        taut_json_text(j, "verdict", taut_verdict_text(row->verdict));
        taut_json_text(j, "text", row->measured);
        taut_json_text(j, "note", row->note[0] ? row->note : NULL);
        taut_json_close(j, '}');
    }
    taut_json_close(j, ']');
}

static void print_table(const session *z, const verify_result *r)
{
    screen_put(stdout, TONE_HEADING, "%s", z->m->title);
    printf("\n  method %s   step %.6g%s\n", z->engine_options.method, (double)r->step,
           z->options.step > 0 ? "" : " (chosen)");
    printf("  %ld steps in %s%s; energy in %s to t = %.6g\n\n", r->steps, z->api->name,
           z->api->digits < 20 ? ", which hides small defects" : "", z->long_api->name, (double)r->until);
    printf("  %-19s %-8s %s\n", "", "declared", "measured");
    for (int i = 0; i < r->count; i++) {
        const verify_row *row = &r->rows[i];
        printf("  %-19s %-8s %-34s ", row->property, row->declared, row->measured);
        screen_put(stdout, tone_of(row->verdict), "%s", taut_verdict_text(row->verdict));
        putchar('\n');
    }
    int notes = 0;
    for (int i = 0; i < r->count; i++) {
        if (!r->rows[i].note[0]) continue;
        if (!notes++) putchar('\n');
        print_note(&r->rows[i]);
    }
}

/* ---- the command ---- */

static int read_options(const options *o, session *z)
{
    const char *step = options_value(o, "step", NULL), *until = options_value(o, "until", NULL);
    z->engine_options.method = options_value(o, "method", "rattle");
    z->csv = options_value(o, "csv", NULL) != NULL;
    if ((step && number_option(o, "step", "", &z->options.step)) ||
        (until && number_option(o, "until", "", &z->options.until)))
        return EXIT_USAGE;
    if (step && (!(z->options.step > 0) || z->options.step - z->options.step != 0))
        return complain(EXIT_USAGE, "the step must be a positive number, not %s", step);
    if (until && (!(z->options.until > 0) || z->options.until - z->options.until != 0))
        return complain(EXIT_USAGE, "the end time must be a positive number, not %s", until);
    if (step && until && z->options.until < z->options.step)
        return complain(EXIT_USAGE, "the end time %s comes before the end of the first step", until);
    if (options_value(o, "period", NULL)) {
        if (number_option(o, "period", "", &z->options.period)) return EXIT_USAGE;
        if (!(z->options.period > 0) || z->options.period - z->options.period != 0)
            return complain(EXIT_USAGE, "the period must be a positive number, not %s", options_value(o, "period", ""));
    }
    z->engine_options.step = z->options.step;
    z->long_api = &taut_engine_double;
    z->api = taut_engine_find("quad") ? taut_engine_find("quad") : &taut_engine_double;
    if (options_value(o, "precision", NULL)) {
        if (precision_option(o, &z->api)) return EXIT_USAGE;
        z->long_api = z->api;
    }
    return start_option(o, 0, &z->engine_options.start) || threads_option(o, &z->options.crew.threads) ? EXIT_USAGE : 0;
}

static int conclude(const session *z, const verify_result *r)
{
    if (answer_is_json())
        answer_table(z, r);
    else if (z->csv)
        print_csv(r);
    else
        print_table(z, r);
    if (fflush(stdout) == EOF) return complain(EXIT_FAILED, "cannot write to standard output: %s", strerror(errno));
    int wrong = taut_verify_count(r, VERDICT_FAILS), open = taut_verify_count(r, VERDICT_UNDECIDED);
    if (!wrong && !open) return EXIT_DONE;
    char text[100] = "";
    if (wrong)
        snprintf(text, sizeof text, "%d declared %s", wrong,
                 wrong == 1 ? "property does not hold" : "properties do not hold");
    if (open)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d could not be decided", wrong ? ", " : "", open);
    return complain(EXIT_FAILED, "%s on %s: %s", z->engine_options.method, z->m->file, text);
}

static int compute(session *z)
{
    verify_result result;
    int status = z->api->create(z->m, &z->engine_options, &z->engine);
    z->engine_options.again = 1;
    if (!status && z->long_api != z->api) status = z->long_api->create(z->m, &z->engine_options, &z->long_engine);
    if (status)
        return complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "%s", taut_error_text(z->context));
    z->options.api = z->api;
    z->options.engine = z->engine;
    z->options.long_api = z->long_api;
    z->options.long_engine = z->long_engine ? z->long_engine : z->engine;
    z->options.m = z->m;
    z->options.create = &z->engine_options;
    run_progress progress = { .doing = NULL };
    z->options.progress = &progress;
    screen_watch("verify", &progress);
    status = taut_verify_run(z->context, &z->options, &result);
    screen_unwatch();
    if (status) return complain(EXIT_FAILED, "%s", taut_error_text(z->context));
    return conclude(z, &result);
}

static int verify_main(int argc, char **argv)
{
    options o;
    session z = { 0 };
    definitions *d = calloc(1, sizeof *d);
    int parsed = options_parse(&command_verify, argc, argv, &o), code;
    if (parsed || !d) {
        free(d);
        return parsed > 0 ? EXIT_DONE : parsed ? EXIT_USAGE : complain(EXIT_FAILED, "out of memory");
    }
    code = o.positional_count == 1
               ? read_options(&o, &z)
               : complain(EXIT_USAGE, "'taut verify' needs one model file, as in: taut verify models/pendulum.lua");
    if (!code) code = definitions_read(&o, d);
    if (!code && !(z.context = make_context())) code = EXIT_FAILED;
    if (!code) code = load_model(z.context, o.positional[0], d, &z.m);
    z.options.crew.definitions = d->items, z.options.crew.definition_count = d->count;
    if (!code) code = compute(&z);
    if (z.engine) z.api->destroy(z.engine);
    if (z.long_engine) z.long_api->destroy(z.long_engine);
    taut_model_free(z.m);
    taut_context_destroy(z.context);
    free(d);
    return code;
}
