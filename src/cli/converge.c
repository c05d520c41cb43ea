/* taut converge */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "run/converge.h"

static int converge_main(int argc, char **argv);

static const option_definition definitions_of_converge[] = {
    { "method", 'm', "METHOD", "a name from 'taut methods', with options after a colon (rattle)", 0 },
    { "steps", 0, "LIST", "the steps to compare, separated by commas; each divides END", 0 },
    { "until", 'T', "END", "the time at which errors are measured", 0 },
    { "reference", 0, "REF", "METHOD,h or fine: what errors are measured against (fine)", 0 },
    { "csv", 0, NULL, "a table for scripts", 0 },
    OPTION_JSON,
    { "define", 'D', "name=value", "set a param or option of the model", 1 },
    { "precision", 0, "double|quad", "of the method's runs (double)", 0 },
    { "start", 0, "strict|project", "project: move an inconsistent start onto the constraints (strict)", 0 },
    OPTION_THREADS_APART,
};

const command command_converge = {
    "converge", "MODEL [-m METHOD] --steps h1,h2,... -T END [--reference METHOD,h|fine] [--csv] [--json] "
                "[-D name=value]... [--precision double|quad] [--start strict|project] [--threads N]",
    "errors and measured orders in q, p and the multipliers",
    definitions_of_converge, sizeof definitions_of_converge / sizeof *definitions_of_converge, converge_main,
    "Errors are largest absolute differences at END. The multipliers are those that belong to the state\n"
    "(d^2 g/dt^2 = 0). The reference 'fine' is the solution of the equations of motion by an integrator that no\n"
    "method uses (extrapolated midpoint rule, in quad where the build has it), refined until it is far more accurate\n"
    "than the smallest error. METHOD,h is a method with steps h and h/2; the latter is the reference. Either way the\n"
    "last refinement shows its error.\n\n"
    "Exit status: 0 done, 1 a step or the reference failed, 2 bad usage or bad model.\n"
};

typedef struct {
    taut_context *context;
    model *m;
    const engine_api *api, *reference_api;
    void *engine, *reference;
    engine_options engine_options, reference_options;
    char reference_method[256];
    wide steps[STEPS_MOST];
    converge_options options;
    int csv;
} session;

/* ---- output ---- */

static const char *const kinds[CONVERGE_KINDS] = { "q", "p", "lambda" };

static void print_csv(const session *z, const converge_result *r)
{
    fputs("step,steps", stdout);
    for (int k = 0; k < r->kinds; k++)
        printf(",error_%s,order_%s,reference_error_%s,limited_%s", kinds[k], kinds[k], kinds[k], kinds[k]);
    putchar('\n');
    for (int i = 0; i < r->count; i++) {
        const converge_row *row = &r->rows[i];
        char text[64];
        taut_wide_format(text, sizeof text, row->step, z->api->digits);
        printf("%s,%ld", text, row->steps);
        for (int k = 0; k < r->kinds; k++) {
            if (row->failure[0]) {
                fputs(",,,,", stdout);
                continue;
            }
            printf(",%.10g,", (double)row->error[k]);
            if (row->order[k] == row->order[k]) printf("%.6g", (double)row->order[k]);
            printf(",%.3g,%d", (double)r->reference_error[k], row->limited[k]);
        }
        putchar('\n');
    }
}

static void print_reference(const session *z, const converge_result *r)
{
    if (z->options.reference_step > 0)
        printf("  reference: %s with step %.6g, in %s\n", z->reference_options.method, (double)r->reference_fine,
               z->reference_api->name);
    else
        printf("  reference: equations of motion by extrapolation, tolerance %.0e, in %s\n", (double)r->reference_fine,
               z->reference_api->name);
    fputs("  its error:", stdout);
    for (int k = 0; k < r->kinds; k++) printf("%s %s %.0e", k ? "," : "", kinds[k], (double)r->reference_error[k]);
    printf(" (compared with %s %.2g)\n", z->options.reference_step > 0 ? "step" : "tolerance",
           (double)r->reference_coarse);
}

static void print_cell(const converge_row *row, int k)
{
    char order[16] = "";
    if (row->order[k] == row->order[k]) snprintf(order, sizeof order, "%.2f", (double)row->order[k]);
    printf("   %10.3e%s %6s", (double)row->error[k], row->limited[k] ? "~" : " ", order);
}

static void print_table(const session *z, const converge_result *r)
{
    int limited = 0;
    screen_put(stdout, TONE_HEADING, "%s", z->m->title);
    printf("\n  method %s   t = %.9g   %s\n", z->engine_options.method, (double)z->options.until,
           z->api->name);
    print_reference(z, r);
    printf("\n  %12s", "step");
    for (int k = 0; k < r->kinds; k++) {
        char head[24];
        snprintf(head, sizeof head, "error %s", kinds[k]);
        printf("%14s %6s", head, "order");
    }
    putchar('\n');
    for (int i = 0; i < r->count; i++) {
        const converge_row *row = &r->rows[i];
        printf("  %12.6g", (double)row->step);
        if (row->failure[0]) {
            fputs("   ", stdout);
            screen_put(stdout, TONE_ERROR, "failed");
            putchar('\n');
            continue;
        }
        for (int k = 0; k < r->kinds; k++) {
            print_cell(row, k);
            limited |= row->limited[k];
        }
        putchar('\n');
    }
    if (limited) puts("\n  ~ near the reference's own error or round-off: no order from this one");
}

/* An object with q, p and lambda; values NULL: null in each. */
static void answer_kinds(json *j, const converge_result *r, const char *key, const wide *values)
{
    taut_json_open(j, key, '{');
    for (int k = 0; k < r->kinds; k++) taut_json_wide(j, kinds[k], values ? values[k] : (wide)NAN, 17);
    taut_json_close(j, '}');
}

static void answer_table(const session *z, const converge_result *r)
{
    json *j = answer_json();
    const int by_method = z->options.reference_step > 0;
    answer_model(z->m);
    taut_json_text(j, "method", z->engine_options.method);
    taut_json_text(j, "precision", z->api->name);
    taut_json_wide(j, "until", z->options.until, 0);
    taut_json_open(j, "reference", '{');
    taut_json_text(j, "method", by_method ? z->reference_options.method : NULL);
    taut_json_text(j, "precision", z->reference_api->name);
    taut_json_wide(j, by_method ? "step" : "tolerance", r->reference_fine, 17);
    answer_kinds(j, r, "error", r->reference_error);
    taut_json_close(j, '}');
    taut_json_open(j, "rows", '[');
    for (int i = 0; i < r->count; i++) {
        const converge_row *row = &r->rows[i];
        const int failed = row->failure[0] != 0;
        taut_json_open(j, NULL, '{');
        taut_json_wide(j, "step", row->step, 0);
        taut_json_integer(j, "steps", row->steps);
        answer_kinds(j, r, "error", failed ? NULL : row->error);
        answer_kinds(j, r, "order", failed ? NULL : row->order);
        taut_json_open(j, "limited", '{');
        for (int k = 0; k < r->kinds; k++) taut_json_flag(j, kinds[k], row->limited[k]);
        taut_json_close(j, '}');
        taut_json_text(j, "failure", failed ? row->failure : NULL);
        taut_json_close(j, '}');
    }
    taut_json_close(j, ']');
}

/* ---- the command ---- */

/* METHOD,h: the step follows the last comma, since methods have commas of their own. */
static int read_reference(const options *o, session *z)
{
    const char *text = options_value(o, "reference", "fine"), *comma = strrchr(text, ',');
    z->reference_options = z->engine_options;
    if (strcmp(text, "fine") == 0) return 0;
    if (!comma || comma == text || taut_wide_parse(comma + 1, &z->options.reference_step) ||
        !(z->options.reference_step > 0))
        return complain(EXIT_USAGE, "option --reference is METHOD,h with a step h, or fine, not '%s'", text);
    if ((size_t)(comma - text) >= sizeof z->reference_method)
        return complain(EXIT_USAGE, "the method of --reference is too long");
    if (!taut_converge_step_count(z->options.reference_step, z->options.until))
        return complain(EXIT_USAGE, "the reference's step %s does not divide the end time %.9g", comma + 1,
                        (double)z->options.until);
    memcpy(z->reference_method, text, (size_t)(comma - text));
    z->reference_options.method = z->reference_method;
    return 0;
}

static int read_options(const options *o, session *z)
{
    z->engine_options.method = options_value(o, "method", "rattle");
    z->csv = options_value(o, "csv", NULL) != NULL;
    z->api = &taut_engine_double;
    if (!options_value(o, "until", NULL)) return complain(EXIT_USAGE, "'taut converge' needs an end time: -T END");
    if (number_option(o, "until", "", &z->options.until)) return EXIT_USAGE;
    if (!(z->options.until > 0) || z->options.until - z->options.until != 0)
        return complain(EXIT_USAGE, "the end time must be a positive number");
    if (precision_option(o, &z->api) || start_option(o, 0, &z->engine_options.start) ||
        threads_option(o, &z->options.crew.threads))
        return EXIT_USAGE;
    z->reference_api = taut_engine_find("quad") ? taut_engine_find("quad") : z->api;
    if (!options_value(o, "steps", NULL))
        return complain(EXIT_USAGE, "'taut converge' needs --steps, as in: --steps 0.1,0.05,0.025");
    z->options.steps = z->steps;
    return steps_option(o, z->options.until, z->steps, STEPS_MOST, &z->options.count) ? EXIT_USAGE
                                                                                      : read_reference(o, z);
}

static int compute(session *z)
{
    converge_result result;
    int status = z->api->create(z->m, &z->engine_options, &z->engine);
    z->reference_options.again = 1;
    if (!status) status = z->reference_api->create(z->m, &z->reference_options, &z->reference);
    if (status)
        return complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "%s", taut_error_text(z->context));
    z->options.m = z->m;
    z->options.engine = &z->engine_options, z->options.reference = &z->reference_options;
    run_progress progress = { .doing = NULL };
    z->options.progress = &progress;
    screen_watch("converge", &progress);
    status = taut_converge_run(z->context, z->api, z->engine, z->reference_api, z->reference, &z->options, &result);
    screen_unwatch();
    const char *advice = status == TAUT_UNSUPPORTED ? "; give a method instead: --reference METHOD,h" : "";
    int code = status ? complain(exit_status_of(status), "the reference: %s%s", taut_error_text(z->context), advice)
                      : EXIT_DONE;
    if (!status && answer_is_json()) answer_table(z, &result);
    else if (!status && z->csv) print_csv(z, &result);
    else if (!status) print_table(z, &result);
    if (!status && fflush(stdout) == EOF)
        code = complain(EXIT_FAILED, "cannot write to standard output: %s", strerror(errno));
    for (int i = 0; !status && i < result.count; i++)
        if (result.rows[i].failure[0])
            code = complain(EXIT_FAILED, "step %.6g: %s", (double)result.rows[i].step, result.rows[i].failure);
    if (!status && result.wrong[0]) code = complain(EXIT_FAILED, "%s", result.wrong);
    taut_converge_result_clear(z->context, &result);
    return code;
}

static int converge_main(int argc, char **argv)
{
    options o;
    session z = { 0 };
    definitions *d = calloc(1, sizeof *d);
    int parsed = options_parse(&command_converge, argc, argv, &o), code;
    if (parsed || !d) {
        free(d);
        return parsed > 0 ? EXIT_DONE : parsed ? EXIT_USAGE : complain(EXIT_FAILED, "out of memory");
    }
    code = o.positional_count == 1 ? read_options(&o, &z)
                                   : complain(EXIT_USAGE, "'taut converge' needs one model file, as in: taut converge "
                                                          "models/pendulum.lua --steps 0.1,0.05 -T 1");
    if (!code) code = definitions_read(&o, d);
    if (!code && !(z.context = make_context())) code = EXIT_FAILED;
    if (!code) code = load_model(z.context, o.positional[0], d, &z.m);
    z.options.crew.definitions = d->items, z.options.crew.definition_count = d->count;
    if (!code) code = compute(&z);
    if (z.engine) z.api->destroy(z.engine);
    if (z.reference) z.reference_api->destroy(z.reference);
    taut_model_free(z.m);
    taut_context_destroy(z.context);
    free(d);
    return code;
}
