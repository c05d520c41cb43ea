/* A run as `taut run`, `taut resume` and `taut replay` make it: frames to standard output or into a run file, a
   progress bar, a summary at the end. */
#include "cli/session.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/answer.h"
#include "cli/screen.h"

const char *const event_names[5] = { "impact", "rest", "release", "stick", "slip" };

static int write_frames(void *user, const char *data, size_t size)
{
    session *z = user;
    if (fwrite(data, 1, size, stdout) == size) return 0;
    z->output_error = errno;
    return 1;
}

/* ---- progress ---- */

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

static void show_progress(void *user, taut_simulation *simulation, long done, long steps, double energy_change)
{
    session *z = user;
    if (!is_time_to_show(z, done >= steps)) return;
    double used = z->looked - z->begun, left = used * (double)(steps - done) / (double)done;
    if (!z->progress_shown && used < 0.5) return; /* over before it could be read */
    char text[160], time[32];
    snprintf(text, sizeof text, "%ld/%ld  t = %.6g  %s left  energy %+.1e", done, steps, taut_time(simulation),
             screen_duration(left, time, sizeof time), energy_change);
    screen_progress((double)done / (double)steps, text);
    z->progress_shown = 1;
    z->shown = clock_seconds();
}

/* ---- summary ---- */

static double change_of(const taut_watched *w)
{
    const wide first = wide_of(w->first), up = wide_of(w->highest) - first, down = first - wide_of(w->lowest);
    return (double)(up > down ? up : down);
}

static void summarise_energy(const taut_watched *w)
{
    const wide first = wide_of(w->first);
    const double slope = w->slope.high;
    printf("  energy                %.9g .. %.9g", w->lowest.high, w->highest.high);
    if (!w->conserved) {
        printf("   (not conserved by this model: time, forces or contacts change it)\n");
        return;
    }
    printf("   error %+.2g .. %+.2g", (double)(wide_of(w->lowest) - first), (double)(wide_of(w->highest) - first));
    if (slope - slope == 0) printf(", slope %+.1g per unit time\n", slope);
    else printf("\n"); /* the sums for the slope have overflowed */
}

/* energy: the quantity of that name. */
static void summarise_quantity(const taut_watched *w, const taut_watched *energy)
{
    switch (w->kind) {
    case TAUT_ENERGY: summarise_energy(w); break;
    case TAUT_CONSTRAINT: printf("  %-21s at most %.2g\n", "constraints", w->highest.high); break;
    case TAUT_CONSTRAINT_RATE: printf("  %-21s at most %.2g\n", "velocity constraints", w->highest.high); break;
    case TAUT_WORK: /* of forces, time and moving constraints, and how well it accounts for the change of the energy */
        printf("  energy balance        work %.9g; energy - work changed by at most %.2g\n",
               (double)(wide_of(energy->last) - wide_of(w->last)), change_of(w));
        break;
    default: printf("  %-21s %.12g   changed by at most %.2g\n", w->name, w->first.high, change_of(w));
    }
}

/* Of methods that integrate a vector field. */
static void summarise_work(const taut_work *c)
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

static void summarise_events(const taut_simulation_info *about)
{
    for (int k = 0; about->contacts && k < 5; k++)
        printf("%s%ld %s%s%s", k ? ", " : "  events                ", about->events[k], event_names[k],
               k == 0 && about->events[k] != 1 ? "s" : "", k == 4 ? "\n" : "");
}

static void summarise(const session *z)
{
    const taut_session_info *run = &z->info;
    const double used = clock_seconds() - z->begun, work_used = clock_work() - z->begun_work;
    const long here = run->steps - run->steps_before;
    taut_work work = { .size = sizeof work };
    taut_watched energy = { .size = sizeof energy }, w = energy;
    char each[32], of_processor[32];
    taut_counts(z->simulation, &work);
    screen_put(stdout, TONE_HEADING, "%s", z->about.title);
    printf("\n  method %s   step %.6g   t = 0 .. %.9g   %ld steps in %.3g s (%s each, %s of processor time, %.1f Newton "
           "iterations)\n\n",
           z->about.method, run->step.high, run->time.high, here, used,
           short_time(here ? used / (double)here : 0.0, each, sizeof each),
           short_time(here ? work_used / (double)here : 0.0, of_processor, sizeof of_processor),
           run->steps ? (double)work.newton_iterations / (double)run->steps : 0.0);
    for (size_t i = 0; !taut_session_watched(z->session, i, &w); i++) {
        if (w.kind == TAUT_ENERGY) energy = w;
        summarise_quantity(&w, &energy);
    }
    summarise_work(&work);
    summarise_events(&z->about);
    if (run->stride > 1) printf("  (looked at every %ld steps)\n", run->stride);
    if (z->about.start_moved_positions.high > 0 || z->about.start_moved_velocities.high > 0)
        printf("  The start was moved onto the constraints: positions by %.2g, velocities by %.2g.\n",
               z->about.start_moved_positions.high, z->about.start_moved_velocities.high);
    if (z->path) printf("  recorded in %s\n", z->path);
}

/* ---- options ---- */

int session_options(session *z, const options *o)
{
    taut_session_spec *spec = &z->spec;
    z->csv = options_value(o, "csv", NULL) != NULL;
    z->native_asked = options_value(o, "native", NULL) != NULL;
    spec->replace = options_value(o, "force", NULL) != NULL;
    if (every_option(o, &spec->every) || native_option(o, &spec->native) || threads_option(o, &spec->threads))
        return EXIT_USAGE;
    session_prepare(z, options_value(o, "output", NULL));
    return EXIT_DONE;
}

void session_prepare(session *z, const char *path)
{
    taut_session_spec *spec = &z->spec;
    z->path = path;
    z->json = answer_is_json();
    spec->size = sizeof *spec;
    spec->file = path;
    spec->write = z->csv ? write_frames : NULL;
    spec->progress = !z->csv && screen_shows_progress() ? show_progress : NULL;
    spec->interrupt = path ? &told_to_stop : NULL; /* otherwise a signal ends the program */
    spec->user = z;
}

int session_refuse_file(const session *z, const char *advice)
{
    if (!z->path || z->spec.replace || access(z->path, F_OK)) return EXIT_DONE;
    return complain(EXIT_USAGE, "'%s' exists: %s--force replaces it; or give -o another name", z->path, advice);
}

/* ---- the run ---- */

enum { FREQUENCY_MOST = 100000 }; /* coordinates; `taut check` looks at larger ones */

double unstable_frequency(taut_simulation *simulation, double step)
{
    taut_simulation_info about = { .size = sizeof about };
    double frequency;
    taut_simulation_about(simulation, &about);
    if (!(about.stable > 0) || about.coordinates > FREQUENCY_MOST) return 0;
    return !taut_frequency(simulation, about.stable / step, &frequency) && frequency * step > about.stable ? frequency : 0;
}

void tell_stability(const taut_simulation *simulation, const char *at, double frequency)
{
    taut_simulation_info about = { .size = sizeof about };
    taut_simulation_about(simulation, &about);
    if (frequency > 0)
        complain(0, "the fastest frequency %s is %.3g: %.*s is unstable there with steps above %.3g; take a "
                    "smaller --step, or a method for stiff motion, em or del", at, frequency,
                 (int)strcspn(about.method, ":"), about.method, about.stable / frequency);
}

/* A step to try where a message asks for a smaller one: a radian of the fastest motion at the state, or a quarter of
   the step, as a number of one digit; an empty text where it asks for something else. */
static void smaller_step(const session *z, const char *said, char *text, size_t size)
{
    double h = z->info.step.high / 4, frequency;
    text[0] = 0;
    if (!strstr(said, "smaller step") && !strstr(said, "smaller one")) return;
    if (!taut_frequency(z->simulation, 0, &frequency) && frequency > 1e-300 && 1 / frequency < h) h = 1 / frequency;
    const double digit = pow(10, floor(log10(h)));
    if (h > 0) snprintf(text, size, ", as --step %.1g", floor(h / digit) * digit);
}

/* The message of the failure; before another call of the library. */
static void keep_reason(const session *z, char *text, size_t size)
{
    if (z->output_error) snprintf(text, size, "cannot write to standard output: %s", strerror(z->output_error));
    else snprintf(text, size, "%s", taut_error_text(z->context));
}

/* Reports why the run ended early, and what to do. Returns the exit status. */
static int tell_end(const session *z, int status, const char *said)
{
    const taut_session_info *run = &z->info;
    char step[60] = "";
    if (status > 0) smaller_step(z, said, step, sizeof step);
    if (run->stopped == 2)
        return complain(128 + told_to_stop, "stopped within step %ld of %ld; '%s' can be resumed from step %ld",
                        run->steps + 1, run->steps_planned, z->path, run->committed);
    if (status && run->committed >= 0 && access(z->path, R_OK) == 0)
        return complain(EXIT_FAILED, "stopped after %ld of %ld steps: %s%s%s; '%s' can be resumed from step %ld",
                        run->steps, run->steps_planned, said, step, advice_on(status), z->path, run->committed);
    if (status)
        return complain(EXIT_FAILED, "stopped after %ld of %ld steps: %s%s%s", run->steps, run->steps_planned, said,
                        step, advice_on(status));
    if (run->stopped)
        return complain(128 + told_to_stop, "stopped at t = %.9g after %ld of %ld steps; to continue: taut resume %s",
                        run->time.high, run->steps, run->steps_planned, z->path);
    return EXIT_DONE;
}

/* No native code is worth a word where it was asked for, or where something is out of order. */
static void tell_native(const session *z)
{
    const int lacks = z->about.native_lacks;
    if (!lacks || (lacks != TAUT_NATIVE_LACKS_SUCCESS && !z->native_asked)) return;
    complain(0, "native code is not available: %s; the run goes on without it, with the same results",
             z->about.native_reason);
}

static void tell_next(const session *z)
{
    char name[4096];
    const char *path = screen_quoted(z->path, name, sizeof name);
    screen_next("taut report %s   or: taut plot %s", path, path);
}

int session_run(session *z)
{
    char said[TAUT_ERROR_TEXT];
    z->simulation = taut_session_simulation(z->session);
    z->info.size = sizeof z->info, z->about.size = sizeof z->about;
    taut_session_about(z->session, &z->info);
    if (z->path) stop_listen();
    const double frequency = z->resumed ? 0 : unstable_frequency(z->simulation, z->info.step.high);
    z->begun = clock_seconds(), z->begun_work = clock_work();
    int status = taut_session_run(z->session);
    keep_reason(z, said, sizeof said);
    taut_session_about(z->session, &z->info);
    taut_simulation_about(z->simulation, &z->about);
    screen_progress_clear();
    tell_native(z);
    if (!status && !z->info.stopped) tell_stability(z->simulation, "at the start", frequency);
    if (z->json) session_answer(z, status);
    else if (!z->csv) summarise(z);
    if (!z->csv && !z->json && (status || z->info.stopped)) putchar('\n'); /* the message stands apart */
    if (fflush(stdout) == EOF && !status) {
        status = TAUT_CANNOT_WRITE;
        snprintf(said, sizeof said, "cannot write to standard output: %s", strerror(errno));
    }
    int code = tell_end(z, status, said);
    if (!code && z->path) tell_next(z);
    return code;
}

void session_clear(session *z)
{
    taut_session_release(z->session);
    taut_context_destroy(z->context);
}
