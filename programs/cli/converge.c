/* taut converge */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/screen.h"

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
    taut_model *m;
    const char *path;                    /* of the model */
    taut_convergence *convergence;
    taut_convergence_spec spec;
    taut_convergence_info found;
    char reference_method[256], until_text[WIDE_TEXT], reference_text[WIDE_TEXT];
    wide until, reference_step, steps[STEPS_MOST];
    char step_texts[STEPS_MOST][WIDE_TEXT];
    const char *step_list[STEPS_MOST];
    int csv;
} session;

static taut_convergence_row row_at(const session *z, size_t index)
{
    taut_convergence_row row = { .size = sizeof row };
    taut_convergence_row_at(z->convergence, index, &row);
    return row;
}

static int is_number(taut_value x) { return x.high == x.high; }

/* ---- output ---- */

static const char *const kinds[TAUT_ERRORS] = { "q", "p", "lambda" };

static void print_csv(const session *z)
{
    const taut_convergence_info *r = &z->found;
    fputs("step,steps", stdout);
    for (int k = 0; k < r->kinds; k++)
        printf(",error_%s,order_%s,reference_error_%s,limited_%s", kinds[k], kinds[k], kinds[k], kinds[k]);
    putchar('\n');
    for (size_t i = 0; i < r->rows; i++) {
        const taut_convergence_row row = row_at(z, i);
        char text[64];
        taut_wide_format(text, sizeof text, z->steps[i], digits_of(r->precision));
        printf("%s,%ld", text, row.steps);
        for (int k = 0; k < r->kinds; k++) {
            if (row.failure[0]) {
                fputs(",,,,", stdout);
                continue;
            }
            printf(",%.10g,", row.error[k].high);
            if (is_number(row.order[k])) printf("%.6g", row.order[k].high);
            printf(",%.3g,%d", r->reference_error[k].high, row.limited[k]);
        }
        putchar('\n');
    }
}

static void print_reference(const session *z)
{
    const taut_convergence_info *r = &z->found;
    if (z->spec.reference_step)
        printf("  reference: %s with step %.6g, in %s\n", z->spec.reference_method, r->reference_fine.high,
               r->reference_precision);
    else
        printf("  reference: equations of motion by extrapolation, tolerance %.0e, in %s\n", r->reference_fine.high,
               r->reference_precision);
    fputs("  its error:", stdout);
    for (int k = 0; k < r->kinds; k++) printf("%s %s %.0e", k ? "," : "", kinds[k], r->reference_error[k].high);
    printf(" (compared with %s %.2g)\n", z->spec.reference_step ? "step" : "tolerance", r->reference_coarse.high);
}

static void print_cell(const taut_convergence_row *row, int k)
{
    char order[16] = "";
    if (is_number(row->order[k])) snprintf(order, sizeof order, "%.2f", row->order[k].high);
    printf("   %10.3e%s %6s", row->error[k].high, row->limited[k] ? "~" : " ", order);
}

static void print_table(const session *z)
{
    const taut_convergence_info *r = &z->found;
    int limited = 0;
    screen_put(stdout, TONE_HEADING, "%s", taut_model_title(z->m));
    printf("\n  method %s   t = %.9g   %s\n", z->spec.method, (double)z->until, r->precision);
    print_reference(z);
    printf("\n  %12s", "step");
    for (int k = 0; k < r->kinds; k++) {
        char head[24];
        snprintf(head, sizeof head, "error %s", kinds[k]);
        printf("%14s %6s", head, "order");
    }
    putchar('\n');
    for (size_t i = 0; i < r->rows; i++) {
        const taut_convergence_row row = row_at(z, i);
        printf("  %12.6g", (double)z->steps[i]);
        if (row.failure[0]) {
            fputs("   ", stdout);
            screen_put(stdout, TONE_ERROR, "failed");
            putchar('\n');
            continue;
        }
        for (int k = 0; k < r->kinds; k++) {
            print_cell(&row, k);
            limited |= row.limited[k];
        }
        putchar('\n');
    }
    if (limited) puts("\n  ~ near the reference's own error or round-off: no order from this one");
}

/* An object with q, p and lambda; values NULL: null in each. */
static void answer_kinds(json *j, int count, const char *key, const taut_value *values)
{
    taut_json_open(j, key, '{');
    for (int k = 0; k < count; k++) taut_json_wide(j, kinds[k], values ? wide_of(values[k]) : (wide)NAN, 17);
    taut_json_close(j, '}');
}

static void answer_row(json *j, int count, wide step, const taut_convergence_row *row)
{
    const int failed = row->failure[0] != 0;
    taut_json_open(j, NULL, '{');
    taut_json_wide(j, "step", step, 0);
    taut_json_integer(j, "steps", row->steps);
    answer_kinds(j, count, "error", failed ? NULL : row->error);
    answer_kinds(j, count, "order", failed ? NULL : row->order);
    taut_json_open(j, "limited", '{');
    for (int k = 0; k < count; k++) taut_json_flag(j, kinds[k], row->limited[k]);
    taut_json_close(j, '}');
    taut_json_text(j, "failure", failed ? row->failure : NULL);
    taut_json_close(j, '}');
}

static void answer_table(const session *z)
{
    json *j = answer_json();
    const taut_convergence_info *r = &z->found;
    answer_model(z->path, taut_model_title(z->m));
    taut_json_text(j, "method", z->spec.method);
    taut_json_text(j, "precision", r->precision);
    taut_json_wide(j, "until", z->until, 0);
    taut_json_open(j, "reference", '{');
    taut_json_text(j, "method", z->spec.reference_method);
    taut_json_text(j, "precision", r->reference_precision);
    taut_json_wide(j, z->spec.reference_step ? "step" : "tolerance", wide_of(r->reference_fine), 17);
    answer_kinds(j, r->kinds, "error", r->reference_error);
    taut_json_close(j, '}');
    taut_json_open(j, "rows", '[');
    for (size_t i = 0; i < r->rows; i++) {
        const taut_convergence_row row = row_at(z, i);
        answer_row(j, r->kinds, z->steps[i], &row);
    }
    taut_json_close(j, ']');
}

/* ---- the command ---- */

/* METHOD,h: the step follows the last comma, since methods have commas of their own. */
static int read_reference(const options *o, session *z)
{
    const char *text = options_value(o, "reference", "fine"), *comma = strrchr(text, ',');
    if (strcmp(text, "fine") == 0) return 0;
    if (!comma || comma == text || taut_wide_parse(comma + 1, &z->reference_step) || !(z->reference_step > 0))
        return complain(EXIT_USAGE, "option --reference is METHOD,h with a step h, or fine, not '%s'", text);
    if ((size_t)(comma - text) >= sizeof z->reference_method)
        return complain(EXIT_USAGE, "the method of --reference is too long");
    if (!taut_step_count((double)z->reference_step, (double)z->until))
        return complain(EXIT_USAGE, "the reference's step %s does not divide the end time %.9g", comma + 1,
                        (double)z->until);
    memcpy(z->reference_method, text, (size_t)(comma - text));
    taut_wide_shortest(z->reference_text, sizeof z->reference_text, z->reference_step);
    z->spec.reference_method = z->reference_method;
    z->spec.reference_step = z->reference_text;
    return 0;
}

static int read_steps(const options *o, session *z)
{
    int count;
    if (!options_value(o, "steps", NULL))
        return complain(EXIT_USAGE, "'taut converge' needs --steps, as in: --steps 0.1,0.05,0.025");
    if (steps_option(o, z->until, z->steps, STEPS_MOST, &count)) return EXIT_USAGE;
    for (int i = 0; i < count; i++) {
        taut_wide_shortest(z->step_texts[i], sizeof z->step_texts[i], z->steps[i]);
        z->step_list[i] = z->step_texts[i];
    }
    z->spec.steps = z->step_list;
    z->spec.step_count = (size_t)count;
    return 0;
}

static int read_options(const options *o, session *z)
{
    taut_convergence_spec *spec = &z->spec;
    *spec = (taut_convergence_spec){ .size = sizeof *spec, .precision = "double", .until = z->until_text };
    spec->method = options_value(o, "method", "rattle");
    z->csv = options_value(o, "csv", NULL) != NULL;
    if (!options_value(o, "until", NULL)) return complain(EXIT_USAGE, "'taut converge' needs an end time: -T END");
    if (number_option(o, "until", "", &z->until)) return EXIT_USAGE;
    if (!(z->until > 0) || z->until - z->until != 0)
        return complain(EXIT_USAGE, "the end time must be a positive number");
    taut_wide_shortest(z->until_text, sizeof z->until_text, z->until);
    if (precision_option(o, &spec->precision) || start_option(o, 0, &spec->start) || threads_option(o, &spec->threads))
        return EXIT_USAGE;
    return read_steps(o, z) ? EXIT_USAGE : read_reference(o, z);
}

static int run(session *z)
{
    taut_progress *progress = NULL;
    int status = taut_progress_create(z->context, &progress);
    screen_watch("converge", progress);
    if (!status) status = taut_convergence_run(z->convergence, progress);
    screen_unwatch();
    taut_progress_release(progress);
    return status;
}

static int conclude(session *z)
{
    int code = EXIT_DONE;
    z->found.size = sizeof z->found;
    taut_convergence_about(z->convergence, &z->found);
    if (answer_is_json()) answer_table(z);
    else if (z->csv) print_csv(z);
    else print_table(z);
    if (fflush(stdout) == EOF)
        code = complain(EXIT_FAILED, "cannot write to standard output: %s", strerror(errno));
    for (size_t i = 0; i < z->found.rows; i++) {
        const taut_convergence_row row = row_at(z, i);
        if (row.failure[0]) code = complain(EXIT_FAILED, "step %.6g: %s", (double)z->steps[i], row.failure);
    }
    return z->found.wrong[0] ? complain(EXIT_FAILED, "%s", z->found.wrong) : code;
}

static int compute(session *z)
{
    int status = taut_convergence_create(z->context, z->m, &z->spec, &z->convergence);
    if (status)
        return complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "%s", taut_error_text(z->context));
    status = run(z);
    if (!status) return conclude(z);
    const char *advice = status == TAUT_UNSUPPORTED ? "; give a method instead: --reference METHOD,h" : "";
    return complain(exit_status_of(status), "the reference: %s%s", taut_error_text(z->context), advice);
}

static int converge_main(int argc, char **argv)
{
    options o;
    session *z = calloc(1, sizeof *z);
    definitions *d = calloc(1, sizeof *d);
    int parsed = options_parse(&command_converge, argc, argv, &o), code;
    if (parsed || !d || !z) {
        free(d);
        free(z);
        return parsed > 0 ? EXIT_DONE : parsed ? EXIT_USAGE : complain(EXIT_FAILED, "out of memory");
    }
    code = o.positional_count == 1 ? read_options(&o, z)
                                   : complain(EXIT_USAGE, "'taut converge' needs one model file, as in: taut converge "
                                                          "models/pendulum.lua --steps 0.1,0.05 -T 1");
    if (!code) code = definitions_read(&o, d);
    if (!code && !(z->context = make_context())) code = EXIT_FAILED;
    if (!code) z->path = o.positional[0], code = load_model(z->context, z->path, d, &z->m);
    if (!code) code = compute(z);
    taut_convergence_release(z->convergence);
    taut_model_release(z->m);
    taut_context_destroy(z->context);
    free(d);
    free(z);
    return code;
}
