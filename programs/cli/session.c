/* A run as `taut run` and `taut resume` do it: frames to standard output or into a run file, a progress bar, a summary
   at the end. */
#include "cli/session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/answer.h"
#include "cli/screen.h"
#include "method/method.h"
#include "native/native.h"
#include "record/csv.h"

/* ---- frames ---- */

static int write_failed(const session *z)
{
    return taut_fail(z->context, TAUT_CANNOT_WRITE, "cannot write to standard output: %s", strerror(errno));
}

static int write_header(const session *z)
{
    char name[256];
    size_t count = z->api->column_count(z->engine);
    for (size_t i = 0; i < count; i++) {
        z->api->column_name(z->engine, i, name, sizeof name);
        if (taut_csv_name(stdout, i, name)) return write_failed(z);
    }
    if (z->api->event_counts(z->engine) && fputs(",event,contact,impulse", stdout) == EOF) return write_failed(z);
    return taut_csv_end(stdout) ? write_failed(z) : TAUT_OK;
}

static int write_values(const session *z, const void *values, size_t count)
{
    return z->api->number_size == sizeof(double) ? taut_csv_doubles(stdout, values, count)
                                                 : taut_csv_values(stdout, values, count, z->api->digits);
}

static int take_frame(void *user, const void *values, size_t count)
{
    session *z = user;
    int status = z->recorder ? taut_recorder_frame(z->recorder, values) : TAUT_OK;
    if (status || !z->csv) return status;
    int failed = write_values(z, values, count);
    if (!failed && z->api->event_counts(z->engine)) failed = fputs(",,,", stdout) == EOF;
    return failed || taut_csv_end(stdout) ? write_failed(z) : TAUT_OK;
}

/* An event is a row of its own. */
static int take_event(void *user, const engine_event *event, const void *values, size_t count)
{
    session *z = user;
    char impulse[64] = "";
    int status = z->recorder ? taut_recorder_event(z->recorder, event->t, event->contact, event_kind_name(event->kind),
                                                   event->impulse, values)
                             : TAUT_OK;
    if (status || !z->csv) return status;
    if (event->kind == EVENT_IMPACT) taut_wide_format(impulse, sizeof impulse, event->impulse, z->api->digits);
    int failed = write_values(z, values, count)
                 || printf(",%s,%s,%s", event_kind_name(event->kind), event->contact, impulse) < 0;
    return failed || taut_csv_end(stdout) ? write_failed(z) : TAUT_OK;
}

static int asked_to_stop(void *unused)
{
    (void)unused;
    return told_to_stop != 0;
}

/* ---- progress ---- */

static int after_step(void *user, const run_result *so_far, int *stop)
{
    session *z = user;
    *stop = told_to_stop != 0;
    return taut_recorder_after_step(z->recorder, so_far);
}

/* How many calls to pass over before the clock is read again: some hundred looks a second are enough. */
static int is_time_to_show(session *z, int last)
{
    if (!last && --z->look_in > 0) return 0;
    double now = clock_seconds(), passed = now - z->looked;
    z->looked = now;
    if (passed < 0.005 && z->look_every < 1000000) z->look_every = z->look_every ? 2 * z->look_every : 1;
    else if (passed > 0.02) z->look_every = 1;
    z->look_in = z->look_every;
    return last || !z->progress_shown || now - z->shown >= 0.1;
}

static void show_progress(void *user, long done, long steps, double energy_error)
{
    session *z = user;
    if (!is_time_to_show(z, done >= steps)) return;
    double used = z->looked - z->begun, left = used * (double)(steps - done) / (double)done;
    if (!z->progress_shown && used < 0.5) return; /* over before it could be read */
    char text[160], time[32];
    snprintf(text, sizeof text, "%ld/%ld  t = %.6g  %s left  energy %+.1e", done, steps,
             (double)z->api->time(z->engine), screen_duration(left, time, sizeof time), energy_error);
    screen_progress((double)done / (double)steps, text);
    z->progress_shown = 1;
    z->shown = clock_seconds();
}

/* ---- summary ---- */

static wide larger(wide a, wide b) { return a > b ? a : b; }

static void summarise_energy(const watched *w, int conserved)
{
    wide up = w->highest - w->first, down = w->lowest - w->first;
    printf("  energy                %.9g .. %.9g", (double)w->lowest, (double)w->highest);
    if (conserved && w->slope - w->slope == 0)
        printf("   error %+.2g .. %+.2g, slope %+.1g per unit time\n", (double)down, (double)up, (double)w->slope);
    else if (conserved) /* the sums for the slope have overflowed */
        printf("   error %+.2g .. %+.2g\n", (double)down, (double)up);
    else
        printf("   (not conserved by this model: time, forces or contacts change it)\n");
}

/* The work of forces, time and moving constraints, and how well it accounts for the change of the energy. */
static void summarise_balance(const watched *energy, const watched *balance)
{
    wide off = larger(balance->highest - balance->first, balance->first - balance->lowest);
    printf("  energy balance        work %.9g; energy - work changed by at most %.2g\n",
           (double)(energy->last - balance->last), (double)off);
}

/* Of methods that integrate a vector field. */
static void summarise_work(const newton_counts *c)
{
    if (c->evaluations) printf("  evaluations           %ld of the equations of motion", c->evaluations);
    if (c->rejected) printf(", %ld steps rejected", c->rejected);
    if (c->evaluations) putchar('\n');
    if (c->projected_steps)
        printf("  projections           %ld of positions, %ld of momenta, in %ld steps\n", c->position_projections,
               c->momentum_projections, c->projected_steps);
}

/* Three digits, in the unit that suits. */
static const char *short_time(double seconds, char *text, size_t size)
{
    static const struct { double unit; const char *name; } units[] = { { 1, "s" }, { 1e-3, "ms" }, { 1e-6, "us" } };
    int i = 0;
    while (i < 2 && seconds < 0.9995 * units[i].unit) i++;
    snprintf(text, size, "%.3g %s", seconds / units[i].unit, units[i].name);
    return text;
}

static void summarise(const session *z, const run_result *result)
{
    engine_counts counts;
    double used = clock_seconds() - z->begun, work = clock_work() - z->begun_work;
    long here = result->steps_done - z->steps_before;
    uint32_t coordinates, constraints;
    z->api->counts(z->engine, &counts);
    z->api->sizes(z->engine, &coordinates, &constraints);
    char each[32], of_processor[32];
    screen_put(stdout, TONE_HEADING, "%s", z->m->title);
    printf("\n  method %s   step %.6g   t = 0 .. %.9g   %ld steps in %.3g s (%s each, %s of processor time, %.1f Newton "
           "iterations)\n\n",
           z->method, (double)z->options.step, (double)result->t, here, used,
           short_time(here ? used / (double)here : 0.0, each, sizeof each),
           short_time(here ? work / (double)here : 0.0, of_processor, sizeof of_processor),
           result->steps_done ? (double)counts.work.iterations / (double)result->steps_done : 0.0);
    const watched *w = result->quantities;
    for (size_t i = 0; i < result->quantity_count; i++, w++) {
        if (i == 0 && z->m->form != FORM_RATES) summarise_energy(w, z->api->energy_conserved(z->engine));
        if ((i == 1 || i == 2) && constraints)
            printf("  %-21s at most %.2g\n", i == 1 ? "constraints" : "velocity constraints", (double)w->highest);
        if (z->api->balance(z->engine) && i + 1 == result->quantity_count)
            summarise_balance(result->quantities, w);
        else if (i > 2)
            printf("  %-21s %.12g   changed by at most %.2g\n", w->name, (double)w->first,
                   (double)larger(w->highest - w->first, w->first - w->lowest));
    }
    summarise_work(&counts.work);
    const long *events = z->api->event_counts(z->engine);
    if (events)
        for (int k = 0; k < EVENT_KINDS; k++)
            printf("%s%ld %s%s%s", k ? ", " : "  events                ", events[k], event_kind_name((event_kind)k),
                   k == EVENT_IMPACT && events[k] != 1 ? "s" : "", k + 1 == EVENT_KINDS ? "\n" : "");
    if (result->sample_stride > 1) printf("  (looked at every %ld steps)\n", result->sample_stride);
    wide q, v;
    z->api->start_moves(z->engine, &q, &v);
    if (q > 0 || v > 0)
        printf("  The start was moved onto the constraints: positions by %.2g, velocities by %.2g.\n", (double)q,
               (double)v);
    if (z->path) printf("  recorded in %s\n", z->path);
}

/* ---- the run ---- */

void session_prepare(session *z)
{
    z->options.samples = 20000;
    z->options.frame = take_frame;
    z->options.event = take_event;
    z->options.user = z;
    if (z->path) z->options.after_step = after_step;
    z->json = answer_is_json();
    if (!z->csv && screen_shows_progress()) z->options.progress = show_progress;
}

/* A step to try where a message asks for a smaller one: a radian of the fastest motion at the state, or a quarter of
   the step, as a number of one digit; an empty text where it asks for something else. */
static const char *smaller_step(const session *z)
{
    static char text[60];
    wide frequency = 0;
    const char *said = taut_error_text(z->context);
    double h = (double)z->options.step / 4;
    text[0] = 0;
    if (!strstr(said, "smaller step") && !strstr(said, "smaller one")) return text;
    char kept[TAUT_ERROR_TEXT];
    snprintf(kept, sizeof kept, "%s", said);
    if (!z->api->frequency(z->engine, 0, &frequency) && frequency > 1e-300 && 1 / (double)frequency < h)
        h = 1 / (double)frequency;
    const int status = taut_fail(z->context, TAUT_NO_CONVERGENCE, "%s", kept);
    (void)status;
    const double digit = pow(10, floor(log10(h)));
    if (h > 0) snprintf(text, sizeof text, ", as --step %.1g", floor(h / digit) * digit);
    return text;
}

/* Reports why the run ended early, and what to do. Returns the exit status. */
static int tell_end(const session *z, const run_result *result, int status)
{
    long done = result->steps_done, planned = result->steps_planned;
    const char *step = status > 0 ? smaller_step(z) : "";
    if (status == TAUT_STOPPED)
        return complain(128 + told_to_stop, "stopped within step %ld of %ld; '%s' can be resumed from step %ld",
                        done + 1, planned, z->path, taut_recorder_committed(z->recorder));
    if (status && z->recorder && taut_recorder_committed(z->recorder) >= 0 && access(z->path, R_OK) == 0)
        return complain(EXIT_FAILED, "stopped after %ld of %ld steps: %s%s%s; '%s' can be resumed from step %ld",
                        done, planned, taut_error_text(z->context), step, advice_on(status), z->path,
                        taut_recorder_committed(z->recorder));
    if (status)
        return complain(EXIT_FAILED, "stopped after %ld of %ld steps: %s%s%s", done, planned,
                        taut_error_text(z->context), step, advice_on(status));
    if (result->stopped && done < planned)
        return complain(128 + told_to_stop, "stopped at t = %.9g after %ld of %ld steps; to continue: taut resume %s",
                        (double)result->t, done, planned, z->path);
    return EXIT_DONE;
}

/* No native code is worth a word where it was asked for, or where something is out of order. */
static void tell_native(const session *z)
{
    const native_use *use = z->api->native(z->engine);
    int usual = use->cause == NATIVE_CAUSE_NO_COMPILER || use->cause == NATIVE_CAUSE_BUILD;
    if (!use->failed || use->cause == NATIVE_CAUSE_STOPPED || (usual && !z->native_asked)) return;
    complain(0, "native code is not available: %s; the run goes on without it, with the same results", use->reason);
}

static void tell_next(const session *z)
{
    char name[4096];
    const char *path = screen_quoted(z->path, name, sizeof name);
    screen_next("taut report %s   or: taut plot %s", path, path);
}

int session_run(session *z)
{
    run_result result;
    int status = z->csv ? write_header(z) : TAUT_OK;
    if (status) return complain(EXIT_FAILED, "%s", taut_error_text(z->context));
    if (z->recorder) stop_listen();
    if (z->recorder) taut_context_stop(z->context, asked_to_stop, NULL);
    z->steps_before = z->options.from ? z->options.from->steps_done : 0;
    const double frequency = z->options.from ? 0 : unstable_frequency(z->api, z->engine, z->options.step);
    z->begun = clock_seconds(), z->begun_work = clock_work();
    status = taut_run_loop(z->context, z->api, z->engine, &z->options, &result);
    if (z->recorder) {
        taut_context_stop(z->context, NULL, NULL); /* what was computed is kept */
        int recorded = taut_recorder_finish(z->recorder, &result, status);
        if (!status) status = recorded;
    }
    screen_progress_clear();
    tell_native(z);
    if (!status) tell_stability(z->api, z->engine, "at the start", frequency);
    if (z->json) session_answer(z, &result, status);
    else if (!z->csv && result.quantities) summarise(z, &result);
    if (!z->csv && !z->json && (status || result.stopped)) putchar('\n'); /* the message stands apart */
    if (fflush(stdout) == EOF && !status) status = write_failed(z);
    int code = tell_end(z, &result, status);
    if (!code && z->path) tell_next(z);
    taut_run_result_clear(z->context, &result);
    return code;
}

void session_clear(session *z)
{
    taut_recorder_close(z->recorder);
    if (z->engine) z->api->destroy(z->engine);
    taut_model_free(z->m);
    taut_context_destroy(z->context);
}
