/* taut run */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/cli.h"
#include "run/run.h"

static int run_main(int argc, char **argv);

static const option_definition definitions_of_run[] = {
    { "method", 'm', "METHOD", "a name from 'taut methods', with options after a colon (rattle)", 0 },
    { "step", 's', "STEP", "time step (0.01)", 0 },
    { "until", 'T', "END", "end time (10)", 0 },
    { "csv", 0, NULL, "write frames to standard output", 0 },
    { "every", 0, "K", "a frame every K steps, and one at the end (1)", 0 },
    { "define", 'D', "name=value", "set a param or option of the model", 1 },
    { "precision", 0, "double|quad", "of the whole computation (double)", 0 },
    { "tol", 0, "X", "relative tolerance of the Newton iterations (down to round-off)", 0 },
    { "contacts", 0, "event|active-set", "steps of a model with contacts: cut at events, or whole (order 1, needs -m euler) (event)", 0 },
    { "start", 0, "strict|project", "project: move an inconsistent start onto the constraints (strict)", 0 },
};

const command command_run = {
    "run", "MODEL [-m METHOD] [-s STEP] [-T END] [--csv] [--every K] [-D name=value]... [--precision double|quad] [--tol X] "
           "[--contacts event|active-set] [--start strict|project]",
    "run a model and tell what was kept",
    definitions_of_run, sizeof definitions_of_run / sizeof *definitions_of_run, run_main,
    "Columns of --csv: t; coordinates; velocities (a.x.dot); momenta (p.a.x); multipliers (lambda.NAME); energy;\n"
    "constraint (largest |g|); velocity_constraint (largest |dg/dt|); momentum.x .. angular_momentum.z where the model has\n"
    "the symmetry; observables by name. A model with contacts has lambda.NAME and gap.NAME of each, and three columns at the\n"
    "end: an event (impact, rest, release, stick, slip) is a row of its own at its time, with event, contact and impulse;\n"
    "other rows leave these empty.\n\n"
    "Exit status: 0 done, 1 the simulation failed, 2 bad usage or bad model.\n"
};

typedef struct {
    taut_context *context;
    model *m;
    const engine_api *api;
    void *engine;
    run_options options;
    const char *method;
    int csv, progress_shown;
    struct timespec begun, shown;
    wide energy_scale;
} session;

static double seconds_since(const struct timespec *begun)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begun->tv_sec) + 1e-9 * (double)(now.tv_nsec - begun->tv_nsec);
}

/* ---- frames ---- */

static int write_failed(session *z)
{
    return fail(z->context, TAUT_CANNOT_READ, "cannot write to standard output: %s", strerror(errno));
}

static int write_header(session *z)
{
    char name[256];
    size_t count = z->api->column_count(z->engine);
    for (size_t i = 0; i < count; i++) {
        z->api->column_name(z->engine, i, name, sizeof name);
        if (printf("%s%s", i ? "," : "", name) < 0) return write_failed(z);
    }
    if (z->api->event_counts(z->engine) && fputs(",event,contact,impulse", stdout) == EOF) return write_failed(z);
    return putchar('\n') == EOF ? write_failed(z) : TAUT_OK;
}

static int write_values(session *z, const wide *values, size_t count)
{
    char text[64];
    for (size_t i = 0; i < count; i++) {
        wide_format(text, sizeof text, values[i], z->api->digits);
        if ((i && putchar(',') == EOF) || fputs(text, stdout) == EOF) return write_failed(z);
    }
    return TAUT_OK;
}

static int write_frame(void *user, const wide *values, size_t count)
{
    session *z = user;
    int status = write_values(z, values, count);
    if (status) return status;
    if (z->api->event_counts(z->engine) && fputs(",,,", stdout) == EOF) return write_failed(z);
    return putchar('\n') == EOF ? write_failed(z) : TAUT_OK;
}

/* An event is a row of its own. */
static int write_event(void *user, const engine_event *event, const wide *values, size_t count)
{
    session *z = user;
    char impulse[64] = "";
    if (!values) return TAUT_OK;
    int status = write_values(z, values, count);
    if (status) return status;
    if (event->kind == ENGINE_IMPACT) wide_format(impulse, sizeof impulse, event->impulse, z->api->digits);
    return printf(",%s,%s,%s\n", event->kind_name, event->contact, impulse) < 0 ? write_failed(z) : TAUT_OK;
}

/* ---- progress ---- */

static void show_progress(void *user, long done, long steps, wide t, wide energy_error)
{
    session *z = user;
    if (done < steps && z->progress_shown && seconds_since(&z->shown) < 0.1) return;
    double used = seconds_since(&z->begun), left = used * (double)(steps - done) / (double)done;
    if (!z->progress_shown && used < 0.5 && left < 1) return; /* over before it could be read */
    char bar[31];
    int filled = (int)(30.0 * (double)done / (double)steps);
    for (int i = 0; i < 30; i++) bar[i] = i < filled ? '=' : ' ';
    bar[30] = 0;
    fprintf(stderr, "\r[%s] %ld/%ld  t = %.6g  %.0f s left  energy %+.1e ", bar, done, steps, (double)t, left,
            (double)energy_error);
    fflush(stderr);
    z->progress_shown = 1;
    clock_gettime(CLOCK_MONOTONIC, &z->shown);
}

static void end_progress(session *z)
{
    if (z->progress_shown) fputs("\r\033[K", stderr);
}

/* ---- summary ---- */

static wide larger(wide a, wide b) { return a > b ? a : b; }

static void summarise_energy(const watched *w, int conserved)
{
    wide up = w->highest - w->first, down = w->lowest - w->first;
    printf("  energy                %.9g .. %.9g", (double)w->lowest, (double)w->highest);
    if (conserved)
        printf("   error %+.2g .. %+.2g, slope %+.1g per unit time\n", (double)down, (double)up, (double)w->slope);
    else
        printf("   (not conserved by this model: time, forces or contacts change it)\n");
}

static void summarise(const session *z, const run_result *result)
{
    engine_counts counts;
    double used = seconds_since(&z->begun);
    z->api->counts(z->engine, &counts);
    printf("%s\n", z->m->title);
    printf("  method %s   step %.6g   t = 0 .. %.9g   %ld steps in %.3g s (%.3g us each, %.1f Newton iterations)\n\n", z->method,
           (double)z->options.step, (double)result->t, result->steps_done, used,
           result->steps_done ? 1e6 * used / (double)result->steps_done : 0.0,
           result->steps_done ? (double)counts.newton_iterations / (double)result->steps_done : 0.0);
    const watched *w = result->quantities;
    for (size_t i = 0; i < result->quantity_count; i++, w++) {
        if (i == 0 && z->m->form != FORM_RATES) summarise_energy(w, z->api->energy_conserved(z->engine));
        if ((i == 1 || i == 2) && z->m->constraint_count)
            printf("  %-21s at most %.2g\n", i == 1 ? "constraints" : "velocity constraints", (double)w->highest);
        if (i > 2)
            printf("  %-21s %.12g   changed by at most %.2g\n", w->name, (double)w->first,
                   (double)larger(w->highest - w->first, w->first - w->lowest));
    }
    const long *events = z->api->event_counts(z->engine);
    if (events)
        printf("  events                %ld impact%s, %ld rest, %ld release, %ld stick, %ld slip\n", events[ENGINE_IMPACT],
               events[ENGINE_IMPACT] == 1 ? "" : "s", events[ENGINE_REST], events[ENGINE_RELEASE], events[ENGINE_STICK], events[ENGINE_SLIP]);
    if (result->sample_stride > 1) printf("  (looked at every %ld steps)\n", result->sample_stride);
    wide q, v;
    z->api->start_moves(z->engine, &q, &v);
    if (q > (wide)1e-13 || v > (wide)1e-13)
        printf("  The start was moved onto the constraints: positions by %.2g, velocities by %.2g.\n", (double)q, (double)v);
}

/* ---- the command ---- */

static int read_options(const options *o, session *z, engine_options *e)
{
    wide every;
    z->method = options_value(o, "method", "rattle");
    z->csv = options_value(o, "csv", NULL) != NULL;
    if (number_option(o, "step", "0.01", &z->options.step) || number_option(o, "until", "10", &z->options.until) ||
        number_option(o, "every", "1", &every) || number_option(o, "tol", "0", &e->tolerance))
        return EXIT_USAGE;
    if (!(every >= 1) || every != WIDE(floor)(every) || every > (wide)1e15)
        return complain(EXIT_USAGE, "option --every needs a whole number of at least 1");
    if (!(e->tolerance >= 0) || e->tolerance >= (wide)0.1)
        return complain(EXIT_USAGE, "option --tol needs a number between 0 and 0.1");
    z->api = &engine_double;
    if (precision_option(o, &z->api) || start_option(o, &e->project_start)) return EXIT_USAGE;
    if (contacts_option(o, &e->active_set)) return EXIT_USAGE;
    e->method = z->method;
    e->step = z->options.step;
    if (!z->csv && options_value(o, "every", NULL)) return complain(EXIT_USAGE, "option --every needs --csv: without it no frames are written");
    z->options.every = z->csv ? (long)every : 0;
    z->options.samples = 20000;
    z->options.frame = write_frame;
    z->options.event = write_event;
    z->options.user = z;
    if (!z->csv && isatty(2)) z->options.progress = show_progress;
    return EXIT_DONE;
}

static int simulate(session *z, const engine_options *e)
{
    int status = run_check_options(z->context, &z->options);
    if (!status) status = z->api->create(z->m, e, &z->engine);
    if (!status && z->csv) status = write_header(z);
    /* A model that cannot start is a bad model, whatever the reason. */
    if (status) return complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "%s", taut_error_text(z->context));
    run_result result;
    clock_gettime(CLOCK_MONOTONIC, &z->begun);
    status = run_loop(z->context, z->api, z->engine, &z->options, &result);
    end_progress(z);
    if (!z->csv && result.quantities) summarise(z, &result);
    if (!status && fflush(stdout) == EOF) status = write_failed(z);
    int code = EXIT_DONE;
    if (status)
        code = complain(EXIT_FAILED, "stopped after %ld of %ld steps: %s", result.steps_done, result.steps_planned,
                        taut_error_text(z->context));
    run_result_clear(z->context, &result);
    return code;
}

static int run_main(int argc, char **argv)
{
    options o;
    session z = { 0 };
    engine_options e = { 0 };
    definitions *d = calloc(1, sizeof *d);
    int parsed = options_parse(&command_run, argc, argv, &o), code;
    if (parsed || !d) {
        free(d);
        return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    }
    code = read_options(&o, &z, &e);
    if (!code) code = definitions_read(&o, d);
    if (!code && o.positional_count != 1)
        code = complain(EXIT_USAGE, "'taut run' needs one model file, as in: taut run models/pendulum.lua");
    if (!code && !(z.context = make_context())) code = EXIT_FAILED;
    if (!code) code = load_model(z.context, o.positional[0], d, &z.m);
    if (!code) code = simulate(&z, &e);
    if (z.engine) z.api->destroy(z.engine);
    model_destroy(z.m);
    taut_context_destroy(z.context);
    free(d);
    return code;
}
