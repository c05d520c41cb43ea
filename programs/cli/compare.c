/* taut compare */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/inside.h"
#include "cli/screen.h"
#include "method/method.h" /* first: it defines names that the others use */
#include "cli/compare_page.h"
#include "run/compare.h"

static int compare_main(int argc, char **argv);

static const option_definition definitions_of_compare[] = {
    { "methods", 'm', "LIST", "names from 'taut methods' with their options, separated by commas", 0 },
    { "step", 's', "STEP", "time step (0.01)", 0 },
    { "until", 'T', "END", "end time (10)", 0 },
    { "steps", 0, "LIST", "several steps instead of one: error against cost", 0 },
    { "csv", 0, NULL, "a table for scripts", 0 },
    OPTION_JSON,
    { "report", 0, "FILE", "also write a page with the table and plots", 0 },
    { "define", 'D', "name=value", "set a param or option of the model", 1 },
    { "precision", 0, "double|quad", "of the methods' runs (double)", 0 },
    { "start", 0, "strict|project", "project: move an inconsistent start onto the constraints (strict)", 0 },
    OPTION_THREADS_APART,
};

const command command_compare = {
    "compare", "MODEL -m A,B,C [-s STEP] [-T END] [--steps h1,h2,...] [--csv] [--json] [--report page.html] "
               "[-D name=value]... [--precision double|quad] [--start strict|project] [--threads N]",
    "several methods on one model: errors, drifts and costs",
    definitions_of_compare, sizeof definitions_of_compare / sizeof *definitions_of_compare, compare_main,
    "energy, momenta: largest change; slope: size of the energy's trend per unit of time; |g|, |dg/dt|: largest;\n"
    "error q, p: largest difference to the exact solution at END; its: Newton iterations per step; time: wall time\n"
    "of the steps alone; by: what made them. A method that refuses the model, or fails, has its reason below the\n"
    "table.\n\n"
    "Exit status: 0 done, 1 no method reached the end, 2 bad usage or bad model.\n"
};

#define METHODS_MOST 32
typedef struct {
    taut_context *context;
    model *m;
    const engine_api *api, *reference_api;
    char names[METHODS_MOST][256];
    const char *methods[METHODS_MOST];
    wide steps[STEPS_MOST];
    compare_options options;
    int csv;
    const char *report;      /* a path, or NULL */
} session;

/* ---- options ---- */

/* Is the text up to a comma, a colon or the end the name of a method? Options of a method have commas between them
   too. */
static int begins_method(const engine_api *api, const char *text)
{
    size_t length = strcspn(text, ",:");
    for (int i = 0; i < api->method_count(); i++) {
        const char *name = api->method_info(i)->name;
        if (strlen(name) == length && strncmp(name, text, length) == 0) return 1;
    }
    return 0;
}

static int read_methods(const options *o, session *z)
{
    const char *text = options_value(o, "methods", NULL);
    if (!text || !*text) return complain(EXIT_USAGE, "'taut compare' needs methods, as in: -m rattle,lobatto:s=3");
    while (*text) {
        size_t length = strcspn(text, ",");
        while (text[length] && !begins_method(z->api, text + length + 1)) length += 1 + strcspn(text + length + 1, ",");
        if (z->options.method_count == METHODS_MOST)
            return complain(EXIT_USAGE, "option --methods takes at most %d methods", METHODS_MOST);
        char *name = z->names[z->options.method_count];
        if (length >= sizeof z->names[0])
            return complain(EXIT_USAGE, "option --methods: a method of more than %zu letters", sizeof z->names[0] - 1);
        memcpy(name, text, length);
        name[length] = 0;
        z->methods[z->options.method_count++] = name;
        text += length + (text[length] == ',');
    }
    z->options.methods = z->methods;
    return 0;
}

static int read_options(const options *o, session *z)
{
    z->csv = options_value(o, "csv", NULL) != NULL;
    z->report = options_value(o, "report", NULL);
    z->api = &taut_engine_double;
    z->options.steps = z->steps;
    if (number_option(o, "until", "10", &z->options.until)) return EXIT_USAGE;
    if (!(z->options.until > 0) || z->options.until - z->options.until != 0)
        return complain(EXIT_USAGE, "the end time must be a positive number");
    if (inside_precision(o, &z->api) || inside_start(o, 0, &z->options.start) ||
        threads_option(o, &z->options.crew.threads))
        return EXIT_USAGE;
    z->reference_api = taut_engine_find("quad") ? taut_engine_find("quad") : z->api;
    if (options_value(o, "steps", NULL)) {
        if (options_value(o, "step", NULL)) return complain(EXIT_USAGE, "give --step or --steps, not both");
        if (steps_option(o, z->options.until, z->steps, STEPS_MOST, &z->options.step_count)) return EXIT_USAGE;
    } else {
        z->options.step_count = 1;
        if (number_option(o, "step", "0.01", &z->steps[0])) return EXIT_USAGE;
        if (!taut_converge_step_count(z->steps[0], z->options.until))
            return complain(EXIT_USAGE, "the step %.9g does not divide the end time %.9g; it must", (double)z->steps[0],
                            (double)z->options.until);
    }
    return read_methods(o, z);
}

/* ---- output ---- */

static void put(int width, wide value, int shown)
{
    char text[32] = "-";
    if (shown && value == value) snprintf(text, sizeof text, "%.1e", (double)value);
    printf("%*s", width, text);
}

static void put_error(int width, const compare_row *row, int kind)
{
    put(width - 1, row->error[kind], 1);
    putchar(row->limited[kind] ? '~' : ' ');
}

/* A name that is too long has a line of its own. */
static void put_name(const char *name, int width)
{
    if ((int)strlen(name) > width) printf("%s\n%*s", name, width, "");
    else printf("%-*s", width, name);
}

/* With the first letter of what made the steps. */
static void put_time(int width, const compare_row *row)
{
    char text[32];
    const double seconds = row->seconds;
    if (seconds < 0.00995) snprintf(text, sizeof text, "%.1fms", 1e3 * seconds);
    else if (seconds < 0.9995) snprintf(text, sizeof text, "%.0fms", 1e3 * seconds);
    else snprintf(text, sizeof text, seconds < 99.95 ? "%.1fs" : "%.0fs", seconds);
    printf("%*s %c\n", width, text, step_code_name(row->code)[0]);
}

static double iterations(const compare_row *row)
{
    return (double)row->counts.work.iterations / (double)row->counts.steps;
}

static int is_explicit(const compare_row *row) { return !row->counts.work.iterations && row->counts.work.evaluations; }

/* Newton iterations a step, or evaluations of the vector field: 4f. */
static void put_iterations(int width, const compare_row *row)
{
    if (is_explicit(row)) printf("%*.0ff", width - 1, (double)row->counts.work.evaluations / (double)row->counts.steps);
    else printf("%*.*f", width, iterations(row) < 9.95, iterations(row));
}

static void put_failure(const compare_row *row)
{
    fputs("  ", stdout);
    screen_put(stdout, row->refused ? TONE_WARNING : TONE_ERROR, "%s", row->refused ? "refused" : "failed");
    putchar('\n');
}

static void print_table(const compare_result *r)
{
    printf("%-12s%8s%8s%8s%8s%8s%8s%8s%4s%5s%3s\n", "method", "energy", "slope", "momenta", "|g|", "|dg/dt|", "error q",
           "error p", "its", "time", "by");
    for (int i = 0; i < r->count; i++) {
        const compare_row *row = &r->rows[i];
        put_name(row->method, 12);
        if (row->failure[0]) {
            put_failure(row);
            continue;
        }
        int constrained = r->kinds == 3;
        put(8, row->energy, r->has_energy);
        put(8, WIDE(fabs)(row->slope), r->has_energy);
        put(8, row->momentum, r->has_momenta);
        put(8, row->position, constrained);
        put(8, row->velocity, constrained);
        put_error(9, row, CONVERGE_Q);
        put_error(8, row, CONVERGE_P);
        put_iterations(3, row);
        put_time(6, row);
    }
}

/* Several steps: cost and error side by side. */
static void print_work(const compare_result *r)
{
    printf("%-15s %9s %9s %9s %10s %9s %5s %4s %2s\n", "method", "step", "steps", "energy", "error q", "error p", "its",
           "time", "by");
    for (int i = 0; i < r->count; i++) {
        const compare_row *row = &r->rows[i];
        put_name(i && row->method == r->rows[i - 1].method ? "" : row->method, 15);
        printf(" %9.4g", (double)row->step);
        if (row->failure[0]) {
            put_failure(row);
            continue;
        }
        printf(" %9ld", row->counts.steps);
        put(10, row->energy, r->has_energy);
        put_error(12, row, CONVERGE_Q);
        put_error(10, row, CONVERGE_P);
        put_iterations(5, row);
        put_time(6, row);
    }
}

static void print_csv(const compare_result *r)
{
    char step[WIDE_TEXT];
    puts("method,step,steps,energy,slope,momenta,constraint,velocity_constraint,error_q,error_p,error_lambda,"
         "newton_iterations,factorisations,evaluations,seconds,code,general_steps,failure");
    for (int i = 0; i < r->count; i++) {
        const compare_row *row = &r->rows[i];
        const wide values[] = { row->energy,   row->slope,    row->momentum, row->position,
                                row->velocity, row->error[0], row->error[1], row->error[2] };
        const int shown[] = { r->has_energy, r->has_energy, r->has_momenta, 1, 1, 1, 1, r->kinds == 3 };
        taut_wide_shortest(step, sizeof step, row->step);
        printf("\"%s\",%s,", row->method, step);
        if (row->failure[0]) {
            printf(",,,,,,,,,,,,,,,%s\n", row->refused ? "refused" : "failed");
            continue;
        }
        printf("%ld", row->counts.steps);
        for (int k = 0; k < 8; k++) {
            putchar(',');
            if (shown[k] && values[k] == values[k]) printf("%.10g", (double)values[k]);
        }
        printf(",%ld,%ld,%ld,%.6g,%s,%ld,\n", row->counts.work.iterations, row->counts.work.factorisations,
               row->counts.work.evaluations, row->seconds, step_code_name(row->code), row->general_steps);
    }
}

/* What the table leaves out as "-" is null. */
static void answer_row(json *j, const compare_result *r, const compare_row *row)
{
    const int done = !row->failure[0], constrained = done && r->kinds == 3;
    const wide none = (wide)NAN;
    taut_json_open(j, NULL, '{');
    taut_json_text(j, "method", row->method);
    taut_json_wide(j, "step", row->step, 0);
    taut_json_wide(j, "energy", done && r->has_energy ? row->energy : none, 17);
    taut_json_wide(j, "slope", done && r->has_energy ? row->slope : none, 17);
    taut_json_wide(j, "momenta", done && r->has_momenta ? row->momentum : none, 17);
    taut_json_wide(j, "constraint", constrained ? row->position : none, 17);
    taut_json_wide(j, "velocity_constraint", constrained ? row->velocity : none, 17);
    taut_json_wide(j, "error_q", done ? row->error[CONVERGE_Q] : none, 17);
    taut_json_wide(j, "error_p", done ? row->error[CONVERGE_P] : none, 17);
    taut_json_wide(j, "error_lambda", constrained ? row->error[CONVERGE_LAMBDA] : none, 17);
    taut_json_integer(j, "steps", done ? row->counts.steps : 0);
    taut_json_integer(j, "newton_iterations", done ? row->counts.work.iterations : 0);
    taut_json_integer(j, "factorisations", done ? row->counts.work.factorisations : 0);
    taut_json_integer(j, "evaluations", done ? row->counts.work.evaluations : 0);
    taut_json_number(j, "seconds", done ? row->seconds : NAN);
    taut_json_text(j, "code", done ? step_code_name(row->code) : NULL);
    taut_json_integer(j, "general_steps", done ? row->general_steps : 0);
    taut_json_text(j, "ended", done ? "finished" : row->refused ? "refused" : "failed");
    taut_json_text(j, "failure", done ? NULL : row->failure);
    taut_json_close(j, '}');
}

static void answer_table(const session *z, const compare_result *r)
{
    static const char *const kinds[CONVERGE_KINDS] = { "q", "p", "lambda" };
    json *j = answer_json();
    answer_model(z->m->file, z->m->title);
    taut_json_text(j, "precision", z->api->name);
    taut_json_wide(j, "until", z->options.until, 0);
    taut_json_open(j, "reference", '{');
    taut_json_text(j, "precision", z->reference_api->name);
    taut_json_open(j, "error", '{');
    for (int k = 0; k < r->kinds; k++) taut_json_wide(j, kinds[k], r->reference_error[k], 17);
    taut_json_close(j, '}');
    taut_json_text(j, "failure", r->reference_failure[0] ? r->reference_failure : NULL);
    taut_json_close(j, '}');
    taut_json_open(j, "rows", '[');
    for (int i = 0; i < r->count; i++) answer_row(j, r, &r->rows[i]);
    taut_json_close(j, ']');
    taut_json_text(j, "report", z->report);
}

static void print_notes(const session *z, const compare_result *r)
{
    int limited = 0, explicit = 0, best = -1, fastest = -1;
    for (int i = 0; i < r->count; i++) {
        const compare_row *row = &r->rows[i];
        if (row->failure[0]) continue;
        explicit |= is_explicit(row);
        limited |= row->limited[CONVERGE_Q] || row->limited[CONVERGE_P];
        if (best < 0 || row->error[CONVERGE_Q] < r->rows[best].error[CONVERGE_Q]) best = i;
        if (fastest < 0 || row->seconds < r->rows[fastest].seconds) fastest = i;
    }
    putchar('\n');
    if (explicit) puts("its: Newton iterations a step; 4f: four evaluations of the equations of motion a step");
    if (best >= 0) puts("by: n native code, i interpreter, p code for the equations alone, g general path");
    if (limited) puts("~ near round-off or the reference's own error");
    if (best >= 0 && !r->reference_failure[0])
        printf("smallest error: %s   least time: %s\nreference: in %s, its error: q %.0e, p %.0e\n",
               r->rows[best].method, r->rows[fastest].method, z->reference_api->name,
               (double)r->reference_error[CONVERGE_Q], (double)r->reference_error[CONVERGE_P]);
}

/* Reasons of refusals and failures, one each; returns how many rows reached the end. */
static int tell_failures(const compare_result *r)
{
    int done = 0;
    for (int i = 0; i < r->count; i++) {
        const compare_row *row = &r->rows[i];
        int again = i && row->method == r->rows[i - 1].method && row->refused;
        if (!row->failure[0]) done++;
        else if (!again) complain(0, "%s: %s", row->method, row->failure);
    }
    if (r->reference_failure[0]) complain(0, "the reference: %s", r->reference_failure);
    return done;
}

static int compare(session *z)
{
    compare_result result = { 0 };
    compare_trace trace = { 0 };
    int status = z->report ? compare_trace_begin(&trace, z->m, z->api, &z->options) : TAUT_OK, code = EXIT_DONE;
    taut_progress *progress = NULL;
    if (!status) status = taut_progress_create(z->context, &progress);
    z->options.progress = inside_progress(progress);
    screen_watch("compare", progress);
    if (!status) status = taut_compare_run(z->m, z->api, z->reference_api, &z->options, &result);
    screen_unwatch();
    taut_progress_release(progress);
    if (status) {
        compare_trace_clear(&trace);
        taut_compare_result_clear(z->context, &result);
        return complain(EXIT_FAILED, "%s", taut_error_text(z->context));
    }
    if (answer_is_json()) {
        answer_table(z, &result);
    } else if (z->csv) {
        print_csv(&result);
    } else {
        screen_put(stdout, TONE_HEADING, "%s", z->m->title);
        printf("\n  t = 0 .. %.9g   %s", (double)z->options.until, z->api->name);
        if (z->options.step_count == 1)
            printf("   step %.6g, %ld steps", (double)z->steps[0],
                   taut_converge_step_count(z->steps[0], z->options.until));
        puts("\n");
        if (z->options.step_count == 1) print_table(&result);
        else print_work(&result);
        print_notes(z, &result);
    }
    if (fflush(stdout) == EOF) code = complain(EXIT_FAILED, "cannot write to standard output: %s", strerror(errno));
    if (z->report && !code) code = compare_page(z->report, z->m, z->api, &z->options, &result, &trace);
    compare_trace_clear(&trace);
    if (!tell_failures(&result) && !code)
        code = answer_is_json() ? complain(EXIT_FAILED, "no method reached the end") : EXIT_FAILED;
    if (!code && z->report) screen_next("open %s in a browser", z->report);
    taut_compare_result_clear(z->context, &result);
    return code;
}

static int compare_main(int argc, char **argv)
{
    options o;
    session z = { 0 };
    inside_definitions *d = calloc(1, sizeof *d);
    int parsed = options_parse(&command_compare, argc, argv, &o), code;
    if (parsed || !d) {
        free(d);
        return parsed > 0 ? EXIT_DONE : parsed ? EXIT_USAGE : complain(EXIT_FAILED, "out of memory");
    }
    code = o.positional_count == 1
               ? read_options(&o, &z)
               : complain(EXIT_USAGE,
                          "'taut compare' needs one model file, as in: taut compare models/pendulum.lua -m rattle,del");
    if (!code) code = definitions_read(&o, &d->given);
    if (!code && !(z.context = make_context())) code = EXIT_FAILED;
    for (int i = 0; !code && i < z.options.method_count; i++) {
        int status = z.api->method_parse(z.context, z.methods[i]);
        if (status) code = complain(exit_status_of(status), "%s", taut_error_text(z.context));
    }
    if (!code) code = inside_load(z.context, o.positional[0], d, &z.m);
    z.options.crew.definitions = d->items, z.options.crew.definition_count = d->given.count;
    if (!code) code = compare(&z);
    taut_model_free(z.m);
    taut_context_destroy(z.context);
    free(d);
    return code;
}
