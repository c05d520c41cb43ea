/* taut compare */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/screen.h"

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

enum { METHODS_MOST = 32 };
typedef struct {
    taut_context *context;
    taut_model *m;
    taut_comparison *comparison;
    const char *path;        /* of the model */
    char names[METHODS_MOST][256];
    const char *methods[METHODS_MOST];
    wide steps[STEPS_MOST], until;
    char texts[STEPS_MOST][WIDE_TEXT]; /* of the steps */
    const char *step_texts[STEPS_MOST];
    taut_comparison_spec spec;
    taut_comparison_info info;
    int csv;
    const char *report;      /* a path, or NULL */
} session;

/* ---- options ---- */

/* Is the text up to a comma, a colon or the end the name of a method? Options of a method have commas between them
   too. */
static int begins_method(const char *text)
{
    size_t length = strcspn(text, ",:");
    taut_method_info info = { .size = sizeof info };
    for (size_t i = 0; taut_methods(i, &info) == TAUT_OK; i++)
        if (strlen(info.name) == length && strncmp(info.name, text, length) == 0) return 1;
    return 0;
}

static int read_methods(const options *o, session *z)
{
    const char *text = options_value(o, "methods", NULL);
    size_t *count = &z->spec.method_count;
    if (!text || !*text) return complain(EXIT_USAGE, "'taut compare' needs methods, as in: -m rattle,lobatto:s=3");
    while (*text) {
        size_t length = strcspn(text, ",");
        while (text[length] && !begins_method(text + length + 1)) length += 1 + strcspn(text + length + 1, ",");
        if (*count == METHODS_MOST)
            return complain(EXIT_USAGE, "option --methods takes at most %d methods", METHODS_MOST);
        char *name = z->names[*count];
        if (length >= sizeof z->names[0])
            return complain(EXIT_USAGE, "option --methods: a method of more than %zu letters", sizeof z->names[0] - 1);
        memcpy(name, text, length);
        name[length] = 0;
        z->methods[(*count)++] = name;
        text += length + (text[length] == ',');
    }
    z->spec.methods = z->methods;
    return 0;
}

static int read_steps(const options *o, session *z)
{
    int count = 1;
    if (options_value(o, "steps", NULL)) {
        if (options_value(o, "step", NULL)) return complain(EXIT_USAGE, "give --step or --steps, not both");
        if (steps_option(o, z->until, z->steps, STEPS_MOST, &count)) return EXIT_USAGE;
    } else {
        if (number_option(o, "step", "0.01", &z->steps[0])) return EXIT_USAGE;
        if (!taut_step_count((double)z->steps[0], (double)z->until))
            return complain(EXIT_USAGE, "the step %.9g does not divide the end time %.9g; it must", (double)z->steps[0],
                            (double)z->until);
    }
    for (int i = 0; i < count; i++) {
        taut_wide_shortest(z->texts[i], sizeof z->texts[i], z->steps[i]);
        z->step_texts[i] = z->texts[i];
    }
    z->spec.steps = z->step_texts;
    z->spec.step_count = (size_t)count;
    return 0;
}

static int read_options(const options *o, session *z)
{
    taut_comparison_spec *spec = &z->spec;
    spec->size = sizeof *spec;
    z->csv = options_value(o, "csv", NULL) != NULL;
    z->report = options_value(o, "report", NULL);
    spec->traces = z->report != NULL;
    spec->until = options_value(o, "until", "10");
    if (number_option(o, "until", "10", &z->until)) return EXIT_USAGE;
    if (!(z->until > 0) || z->until - z->until != 0)
        return complain(EXIT_USAGE, "the end time must be a positive number");
    if (precision_option(o, &spec->precision) || start_option(o, 0, &spec->start) ||
        threads_option(o, &spec->threads) || read_steps(o, z))
        return EXIT_USAGE;
    return read_methods(o, z);
}

/* ---- output ---- */

static void put(int width, wide value, int shown)
{
    char text[32] = "-";
    if (shown && value == value) snprintf(text, sizeof text, "%.1e", (double)value);
    printf("%*s", width, text);
}

static void put_error(int width, const taut_comparison_row *row, int kind)
{
    put(width - 1, wide_of(row->error[kind]), 1);
    putchar(row->limited[kind] ? '~' : ' ');
}

/* A name that is too long has a line of its own. */
static void put_name(const char *name, int width)
{
    if ((int)strlen(name) > width) printf("%s\n%*s", name, width, "");
    else printf("%-*s", width, name);
}

static const char *const code_names[] = { "general", "partly", "interpreted", "native" };

/* With the first letter of what made the steps. */
static void put_time(int width, const taut_comparison_row *row)
{
    char text[32];
    const double seconds = row->seconds;
    if (seconds < 0.00995) snprintf(text, sizeof text, "%.1fms", 1e3 * seconds);
    else if (seconds < 0.9995) snprintf(text, sizeof text, "%.0fms", 1e3 * seconds);
    else snprintf(text, sizeof text, seconds < 99.95 ? "%.1fs" : "%.0fs", seconds);
    printf("%*s %c\n", width, text, code_names[row->code][0]);
}

static double iterations(const taut_comparison_row *row)
{
    return (double)row->newton_iterations / (double)row->steps;
}

static int is_explicit(const taut_comparison_row *row) { return !row->newton_iterations && row->evaluations; }

/* Newton iterations a step, or evaluations of the vector field: 4f. */
static void put_iterations(int width, const taut_comparison_row *row)
{
    if (is_explicit(row)) printf("%*.0ff", width - 1, (double)row->evaluations / (double)row->steps);
    else printf("%*.*f", width, iterations(row) < 9.95, iterations(row));
}

static void put_failure(const taut_comparison_row *row)
{
    fputs("  ", stdout);
    screen_put(stdout, row->refused ? TONE_WARNING : TONE_ERROR, "%s", row->refused ? "refused" : "failed");
    putchar('\n');
}

/* Row `index`; 0 beyond the last. */
static int row_at(const session *z, size_t index, taut_comparison_row *row)
{
    *row = (taut_comparison_row){ .size = sizeof *row };
    return index < z->info.rows && !taut_comparison_row_at(z->comparison, index, row);
}

/* Is it of the same method as the one before? */
static int is_again(const session *z, size_t index)
{
    return index % z->spec.step_count != 0;
}

static void print_table(const session *z)
{
    const taut_comparison_info *r = &z->info;
    taut_comparison_row one, *row = &one;
    printf("%-12s%8s%8s%8s%8s%8s%8s%8s%4s%5s%3s\n", "method", "energy", "slope", "momenta", "|g|", "|dg/dt|", "error q",
           "error p", "its", "time", "by");
    for (size_t i = 0; row_at(z, i, row); i++) {
        put_name(row->method, 12);
        if (row->failure[0]) {
            put_failure(row);
            continue;
        }
        int constrained = r->kinds == 3;
        put(8, wide_of(row->energy), r->has_energy);
        put(8, WIDE(fabs)(wide_of(row->slope)), r->has_energy);
        put(8, wide_of(row->momentum), r->has_momenta);
        put(8, wide_of(row->position), constrained);
        put(8, wide_of(row->velocity), constrained);
        put_error(9, row, TAUT_ERROR_POSITION);
        put_error(8, row, TAUT_ERROR_MOMENTUM);
        put_iterations(3, row);
        put_time(6, row);
    }
}

/* Several steps: cost and error side by side. */
static void print_work(const session *z)
{
    const taut_comparison_info *r = &z->info;
    taut_comparison_row one, *row = &one;
    printf("%-15s %9s %9s %9s %10s %9s %5s %4s %2s\n", "method", "step", "steps", "energy", "error q", "error p", "its",
           "time", "by");
    for (size_t i = 0; row_at(z, i, row); i++) {
        put_name(is_again(z, i) ? "" : row->method, 15);
        printf(" %9.4g", row->step.high);
        if (row->failure[0]) {
            put_failure(row);
            continue;
        }
        printf(" %9ld", row->steps);
        put(10, wide_of(row->energy), r->has_energy);
        put_error(12, row, TAUT_ERROR_POSITION);
        put_error(10, row, TAUT_ERROR_MOMENTUM);
        put_iterations(5, row);
        put_time(6, row);
    }
}

static void print_csv(const session *z)
{
    const taut_comparison_info *r = &z->info;
    taut_comparison_row one, *row = &one;
    char step[WIDE_TEXT];
    puts("method,step,steps,energy,slope,momenta,constraint,velocity_constraint,error_q,error_p,error_lambda,"
         "newton_iterations,factorisations,evaluations,seconds,code,general_steps,failure");
    for (size_t i = 0; row_at(z, i, row); i++) {
        const wide values[] = { wide_of(row->energy),   wide_of(row->slope),    wide_of(row->momentum),
                                wide_of(row->position), wide_of(row->velocity), wide_of(row->error[0]),
                                wide_of(row->error[1]), wide_of(row->error[2]) };
        const int shown[] = { r->has_energy, r->has_energy, r->has_momenta, 1, 1, 1, 1, r->kinds == 3 };
        taut_wide_shortest(step, sizeof step, z->steps[i % z->spec.step_count]);
        printf("\"%s\",%s,", row->method, step);
        if (row->failure[0]) {
            printf(",,,,,,,,,,,,,,,%s\n", row->refused ? "refused" : "failed");
            continue;
        }
        printf("%ld", row->steps);
        for (int k = 0; k < 8; k++) {
            putchar(',');
            if (shown[k] && values[k] == values[k]) printf("%.10g", (double)values[k]);
        }
        printf(",%ld,%ld,%ld,%.6g,%s,%ld,\n", row->newton_iterations, row->factorisations,
               row->evaluations, row->seconds, code_names[row->code], row->general_steps);
    }
}

/* What the table leaves out as "-" is null. */
static void answer_row(json *j, const session *z, wide step, const taut_comparison_row *row)
{
    const taut_comparison_info *r = &z->info;
    const int done = !row->failure[0], constrained = done && r->kinds == 3;
    const wide none = (wide)NAN;
    taut_json_open(j, NULL, '{');
    taut_json_text(j, "method", row->method);
    taut_json_wide(j, "step", step, 0);
    taut_json_wide(j, "energy", done && r->has_energy ? wide_of(row->energy) : none, 17);
    taut_json_wide(j, "slope", done && r->has_energy ? wide_of(row->slope) : none, 17);
    taut_json_wide(j, "momenta", done && r->has_momenta ? wide_of(row->momentum) : none, 17);
    taut_json_wide(j, "constraint", constrained ? wide_of(row->position) : none, 17);
    taut_json_wide(j, "velocity_constraint", constrained ? wide_of(row->velocity) : none, 17);
    taut_json_wide(j, "error_q", done ? wide_of(row->error[TAUT_ERROR_POSITION]) : none, 17);
    taut_json_wide(j, "error_p", done ? wide_of(row->error[TAUT_ERROR_MOMENTUM]) : none, 17);
    taut_json_wide(j, "error_lambda", constrained ? wide_of(row->error[TAUT_ERROR_MULTIPLIER]) : none, 17);
    taut_json_integer(j, "steps", done ? row->steps : 0);
    taut_json_integer(j, "newton_iterations", done ? row->newton_iterations : 0);
    taut_json_integer(j, "factorisations", done ? row->factorisations : 0);
    taut_json_integer(j, "evaluations", done ? row->evaluations : 0);
    taut_json_number(j, "seconds", done ? row->seconds : NAN);
    taut_json_text(j, "code", done ? code_names[row->code] : NULL);
    taut_json_integer(j, "general_steps", done ? row->general_steps : 0);
    taut_json_text(j, "ended", done ? "finished" : row->refused ? "refused" : "failed");
    taut_json_text(j, "failure", done ? NULL : row->failure);
    taut_json_close(j, '}');
}

static void answer_table(const session *z)
{
    const taut_comparison_info *r = &z->info;
    taut_comparison_row row;
    static const char *const kinds[TAUT_ERRORS] = { "q", "p", "lambda" };
    json *j = answer_json();
    answer_model(z->path, taut_model_title(z->m));
    taut_json_text(j, "precision", r->precision);
    taut_json_wide(j, "until", z->until, 0);
    taut_json_open(j, "reference", '{');
    taut_json_text(j, "precision", r->reference_precision);
    taut_json_open(j, "error", '{');
    for (int k = 0; k < r->kinds; k++) taut_json_wide(j, kinds[k], wide_of(r->reference_error[k]), 17);
    taut_json_close(j, '}');
    taut_json_text(j, "failure", r->reference_failure[0] ? r->reference_failure : NULL);
    taut_json_close(j, '}');
    taut_json_open(j, "rows", '[');
    for (size_t i = 0; row_at(z, i, &row); i++) answer_row(j, z, z->steps[i % z->spec.step_count], &row);
    taut_json_close(j, ']');
    taut_json_text(j, "report", z->report);
}

static void print_notes(const session *z)
{
    const taut_comparison_info *r = &z->info;
    int limited = 0, explicit = 0;
    taut_comparison_row one, *row = &one, best = { 0 }, fastest = { 0 };
    for (size_t i = 0; row_at(z, i, row); i++) {
        if (row->failure[0]) continue;
        explicit |= is_explicit(row);
        limited |= row->limited[TAUT_ERROR_POSITION] || row->limited[TAUT_ERROR_MOMENTUM];
        if (!best.method || wide_of(row->error[TAUT_ERROR_POSITION]) < wide_of(best.error[TAUT_ERROR_POSITION]))
            best = *row;
        if (!fastest.method || row->seconds < fastest.seconds) fastest = *row;
    }
    putchar('\n');
    if (explicit) puts("its: Newton iterations a step; 4f: four evaluations of the equations of motion a step");
    if (best.method) puts("by: n native code, i interpreter, p code for the equations alone, g general path");
    if (limited) puts("~ near round-off or the reference's own error");
    if (best.method && !r->reference_failure[0])
        printf("smallest error: %s   least time: %s\nreference: in %s, its error: q %.0e, p %.0e\n", best.method,
               fastest.method, r->reference_precision, r->reference_error[TAUT_ERROR_POSITION].high,
               r->reference_error[TAUT_ERROR_MOMENTUM].high);
}

/* Reasons of refusals and failures, one each; returns how many rows reached the end. */
static int tell_failures(const session *z)
{
    int done = 0;
    taut_comparison_row row;
    for (size_t i = 0; row_at(z, i, &row); i++)
        if (!row.failure[0]) done++;
        else if (!is_again(z, i) || !row.refused) complain(0, "%s: %s", row.method, row.failure);
    if (z->info.reference_failure[0]) complain(0, "the reference: %s", z->info.reference_failure);
    return done;
}

static void print_result(const session *z)
{
    if (answer_is_json()) {
        answer_table(z);
    } else if (z->csv) {
        print_csv(z);
    } else {
        screen_put(stdout, TONE_HEADING, "%s", taut_model_title(z->m));
        printf("\n  t = 0 .. %.9g   %s", (double)z->until, z->info.precision);
        if (z->spec.step_count == 1)
            printf("   step %.6g, %ld steps", (double)z->steps[0],
                   taut_step_count((double)z->steps[0], (double)z->until));
        puts("\n");
        if (z->spec.step_count == 1) print_table(z);
        else print_work(z);
        print_notes(z);
    }
}

static int write_data(void *user, const char *data, size_t size) { return fwrite(data, 1, size, user) != size; }

static int write_page(void *user, FILE *file)
{
    const session *z = user;
    return taut_comparison_page(z->comparison, write_data, file);
}

static int compare(session *z)
{
    taut_progress *progress = NULL;
    int status = taut_comparison_create(z->context, z->m, &z->spec, &z->comparison), code = EXIT_DONE;
    if (!status) status = taut_progress_create(z->context, &progress);
    screen_watch("compare", progress);
    if (!status) status = taut_comparison_run(z->comparison, progress);
    screen_unwatch();
    taut_progress_release(progress);
    if (status) return complain(EXIT_FAILED, "%s", taut_error_text(z->context));
    z->info.size = sizeof z->info;
    taut_comparison_about(z->comparison, &z->info);
    print_result(z);
    if (fflush(stdout) == EOF) code = complain(EXIT_FAILED, "cannot write to standard output: %s", strerror(errno));
    if (z->report && !code) code = write_whole_file(z->context, z->report, write_page, z);
    if (!tell_failures(z) && !code)
        code = answer_is_json() ? complain(EXIT_FAILED, "no method reached the end") : EXIT_FAILED;
    if (!code && z->report) screen_next("open %s in a browser", z->report);
    return code;
}

static int compare_main(int argc, char **argv)
{
    options o;
    session *z = calloc(1, sizeof *z);
    definitions *d = calloc(1, sizeof *d);
    int parsed = options_parse(&command_compare, argc, argv, &o), code;
    if (parsed || !d || !z) {
        free(d);
        free(z);
        return parsed > 0 ? EXIT_DONE : parsed ? EXIT_USAGE : complain(EXIT_FAILED, "out of memory");
    }
    code = o.positional_count == 1
               ? read_options(&o, z)
               : complain(EXIT_USAGE,
                          "'taut compare' needs one model file, as in: taut compare models/pendulum.lua -m rattle,del");
    if (!code) code = definitions_read(&o, d);
    if (!code && !(z->context = make_context())) code = EXIT_FAILED;
    for (size_t i = 0; !code && i < z->spec.method_count; i++) {
        int status = taut_method_check(z->context, z->methods[i]);
        if (status) code = complain(exit_status_of(status), "%s", taut_error_text(z->context));
    }
    if (!code) code = load_model(z->context, z->path = o.positional[0], d, &z->m);
    if (!code) code = compare(z);
    taut_comparison_release(z->comparison);
    taut_model_release(z->m);
    taut_context_destroy(z->context);
    free(z);
    free(d);
    return code;
}
