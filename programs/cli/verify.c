/* taut verify */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/screen.h"

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
    taut_model *m;
    const char *path;                    /* of the model */
    taut_verification *verification;
    taut_verification_spec spec;
    taut_verification_info found;
    wide step_used, until_used;
    char step[WIDE_TEXT], until[WIDE_TEXT], period[WIDE_TEXT];
    int csv;
} session;

static taut_verification_row row_at(const session *z, size_t index)
{
    taut_verification_row row = { .size = sizeof row };
    taut_verification_row_at(z->verification, index, &row);
    return row;
}

/* ---- output ---- */

static void print_number(taut_value x)
{
    putchar(',');
    if (x.high == x.high) printf("%.10g", x.high);
}

static void print_csv(const session *z)
{
    puts("property,declared,measured,limit,verdict,note");
    for (size_t i = 0; i < z->found.rows; i++) {
        const taut_verification_row row = row_at(z, i);
        printf("%s,%s", row.property, row.declared);
        print_number(row.value);
        print_number(row.limit);
        printf(",%s,\"", row.verdict_text);
        for (const char *c = row.note; *c; c++) {
            if (*c == '"') putchar('"');
            putchar(*c);
        }
        puts("\"");
    }
}

#define WIDTH 80

/* "property: note", in lines of 80 columns. */
static void print_note(const taut_verification_row *row)
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

static tone tone_of(int verdict)
{
    switch (verdict) {
    case TAUT_VERDICT_HOLDS: return TONE_GOOD;
    case TAUT_VERDICT_FAILS: return TONE_ERROR;
    case TAUT_VERDICT_UNDECIDED:
    case TAUT_VERDICT_TREND:
    case TAUT_VERDICT_TOO_SHORT: return TONE_WARNING;
    default: return TONE_PLAIN;
    }
}

static void answer_row(json *j, const taut_verification_row *row)
{
    taut_json_open(j, NULL, '{');
    taut_json_text(j, "property", row->property);
    taut_json_text(j, "declared", strcmp(row->declared, "-") == 0 ? NULL : row->declared);
    taut_json_wide(j, "measured", wide_of(row->value), 17);
    taut_json_wide(j, "limit", wide_of(row->limit), 17);
    taut_json_text(j, "verdict", row->verdict_text);
    taut_json_text(j, "text", row->measured);
    taut_json_text(j, "note", row->note[0] ? row->note : NULL);
    taut_json_close(j, '}');
}

static void answer_table(const session *z)
{
    json *j = answer_json();
    const taut_verification_info *r = &z->found;
    answer_model(z->path, taut_model_title(z->m));
    taut_json_text(j, "method", z->spec.method);
    taut_json_text(j, "precision", r->precision);
    taut_json_text(j, "energy_precision", r->energy_precision);
    taut_json_wide(j, "step", z->step_used, 0);
    taut_json_flag(j, "step_chosen", !z->spec.step);
    taut_json_wide(j, "until", z->until_used, 0);
    taut_json_integer(j, "steps", r->steps);
    taut_json_open(j, "properties", '[');
    for (size_t i = 0; i < r->rows; i++) {
        const taut_verification_row row = row_at(z, i);
        answer_row(j, &row);
    }
    taut_json_close(j, ']');
}

static void print_table(const session *z)
{
    const taut_verification_info *r = &z->found;
    screen_put(stdout, TONE_HEADING, "%s", taut_model_title(z->m));
    printf("\n  method %s   step %.6g%s\n", z->spec.method, (double)z->step_used, z->spec.step ? "" : " (chosen)");
    printf("  %ld steps in %s%s; energy in %s to t = %.6g\n\n", r->steps, r->precision,
           digits_of(r->precision) < 20 ? ", which hides small defects" : "", r->energy_precision,
           (double)z->until_used);
    printf("  %-19s %-8s %s\n", "", "declared", "measured");
    for (size_t i = 0; i < r->rows; i++) {
        const taut_verification_row row = row_at(z, i);
        printf("  %-19s %-8s %-34s ", row.property, row.declared, row.measured);
        screen_put(stdout, tone_of(row.verdict), "%s", row.verdict_text);
        putchar('\n');
    }
    int notes = 0;
    for (size_t i = 0; i < r->rows; i++) {
        const taut_verification_row row = row_at(z, i);
        if (!row.note[0]) continue;
        if (!notes++) putchar('\n');
        print_note(&row);
    }
}

/* ---- the command ---- */

/* A number of the library, where the option is given; *text stays where it is not. */
static int text_option(const options *o, const char *name, wide *value, char *buffer, const char **text)
{
    if (!options_value(o, name, NULL)) return 0;
    if (number_option(o, name, "", value)) return EXIT_USAGE;
    taut_wide_shortest(buffer, WIDE_TEXT, *value);
    *text = buffer;
    return 0;
}

static int is_length(wide x) { return x > 0 && x - x == 0; }

static int read_options(const options *o, session *z)
{
    taut_verification_spec *spec = &z->spec;
    wide step = 0, until = 0, period = 0;
    *spec = (taut_verification_spec){ .size = sizeof *spec, .method = options_value(o, "method", "rattle") };
    z->csv = options_value(o, "csv", NULL) != NULL;
    if (text_option(o, "step", &step, z->step, &spec->step) || text_option(o, "until", &until, z->until, &spec->until))
        return EXIT_USAGE;
    if (spec->step && !is_length(step))
        return complain(EXIT_USAGE, "the step must be a positive number, not %s", options_value(o, "step", ""));
    if (spec->until && !is_length(until))
        return complain(EXIT_USAGE, "the end time must be a positive number, not %s", options_value(o, "until", ""));
    if (spec->step && spec->until && until < step)
        return complain(EXIT_USAGE, "the end time %s comes before the end of the first step",
                        options_value(o, "until", ""));
    if (text_option(o, "period", &period, z->period, &spec->period)) return EXIT_USAGE;
    if (spec->period && !is_length(period))
        return complain(EXIT_USAGE, "the period must be a positive number, not %s", options_value(o, "period", ""));
    if (precision_option(o, &spec->precision)) return EXIT_USAGE;
    return start_option(o, 0, &spec->start) || threads_option(o, &spec->threads) ? EXIT_USAGE : 0;
}

static int count(const session *z, int verdict)
{
    int found = 0;
    for (size_t i = 0; i < z->found.rows; i++) found += row_at(z, i).verdict == verdict;
    return found;
}

static int conclude(session *z)
{
    z->found.size = sizeof z->found;
    taut_verification_about(z->verification, &z->found);
    taut_wide_parse(z->found.step, &z->step_used);
    taut_wide_parse(z->found.until, &z->until_used);
    if (answer_is_json())
        answer_table(z);
    else if (z->csv)
        print_csv(z);
    else
        print_table(z);
    if (fflush(stdout) == EOF) return complain(EXIT_FAILED, "cannot write to standard output: %s", strerror(errno));
    int wrong = count(z, TAUT_VERDICT_FAILS), open = count(z, TAUT_VERDICT_UNDECIDED);
    if (!wrong && !open) return EXIT_DONE;
    char text[100] = "";
    if (wrong)
        snprintf(text, sizeof text, "%d declared %s", wrong,
                 wrong == 1 ? "property does not hold" : "properties do not hold");
    if (open)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d could not be decided", wrong ? ", " : "", open);
    return complain(EXIT_FAILED, "%s on %s: %s", z->spec.method, z->path, text);
}

static int compute(session *z)
{
    taut_progress *progress = NULL;
    int status = taut_verification_create(z->context, z->m, &z->spec, &z->verification);
    if (status)
        return complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "%s", taut_error_text(z->context));
    status = taut_progress_create(z->context, &progress);
    screen_watch("verify", progress);
    if (!status) status = taut_verification_run(z->verification, progress);
    screen_unwatch();
    taut_progress_release(progress);
    if (status) return complain(EXIT_FAILED, "%s", taut_error_text(z->context));
    return conclude(z);
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
    if (!code) z.path = o.positional[0], code = load_model(z.context, z.path, d, &z.m);
    if (!code) code = compute(&z);
    taut_verification_release(z.verification);
    taut_model_release(z.m);
    taut_context_destroy(z.context);
    free(d);
    return code;
}
