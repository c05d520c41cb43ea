/* The document of `taut run --json`. Its members are described in docs/json.md. */
#include <math.h>

#include "base/clock.h"
#include "cli/answer.h"
#include "cli/session.h"

static void put_digits(json *j, const char *name, const char *text, int digits)
{
    wide value = (wide)NAN;
    taut_wide_parse(text, &value);
    taut_json_wide(j, name, value, digits);
}

static void put_quantities(json *j, const session *z, int digits)
{
    static const char *const names[] = { "first", "last", "lowest", "highest", "slope" };
    taut_watched w = { .size = sizeof w };
    char text[TAUT_DIGITS_TEXT];
    taut_json_open(j, "quantities", '[');
    for (size_t i = 0; !taut_session_watched(z->session, i, &w); i++) {
        taut_json_open(j, NULL, '{');
        taut_json_text(j, "name", w.name);
        taut_json_flag(j, "conserved", w.conserved);
        for (int k = TAUT_WATCHED_FIRST; k <= TAUT_WATCHED_SLOPE; k++)
            if (!taut_session_digits(z->session, i, k, text, sizeof text)) put_digits(j, names[k], text, digits);
        taut_json_close(j, '}');
    }
    taut_json_close(j, ']');
}

static void put_work(json *j, const session *z)
{
    taut_work work = { .size = sizeof work };
    taut_counts(z->simulation, &work);
    taut_json_integer(j, "newton_iterations", work.newton_iterations);
    taut_json_integer(j, "factorisations", work.factorisations);
    taut_json_integer(j, "evaluations", work.evaluations);
    taut_json_integer(j, "rejected_steps", work.rejected);
    taut_json_integer(j, "position_projections", work.position_projections);
    taut_json_integer(j, "momentum_projections", work.momentum_projections);
    taut_json_integer(j, "sample_stride", z->info.stride);
}

void session_answer(const session *z, int status)
{
    const taut_session_info *run = &z->info;
    const taut_simulation_info *about = &z->about;
    const int digits = digits_of(about->precision);
    char time[TAUT_DIGITS_TEXT] = "";
    json *j = answer_json();
    taut_digits(z->simulation, TAUT_TIME, 0, time, sizeof time);
    answer_model(z->model, about->title);
    taut_json_text(j, "method", about->method);
    taut_json_text(j, "precision", about->precision);
    taut_json_wide(j, "step", z->step, 0);
    taut_json_wide(j, "until", z->until, 0);
    taut_json_text(j, "ended", status ? "failed" : run->stopped ? "stopped" : "finished");
    put_digits(j, "t", time, digits);
    taut_json_integer(j, "steps", run->steps);
    taut_json_integer(j, "steps_planned", run->steps_planned);
    taut_json_number(j, "seconds", clock_seconds() - z->begun);
    taut_json_number(j, "processor_seconds", clock_work() - z->begun_work);
    put_work(j, z);
    put_quantities(j, z, digits);
    taut_json_open(j, "events", '{');
    for (int k = 0; about->contacts && k < 5; k++) taut_json_integer(j, event_names[k], about->events[k]);
    taut_json_close(j, '}');
    taut_json_open(j, "start_moved", '{');
    taut_json_wide(j, "positions", wide_of(about->start_moved_positions), digits);
    taut_json_wide(j, "velocities", wide_of(about->start_moved_velocities), digits);
    taut_json_close(j, '}');
    taut_json_text(j, "run_file", z->path);
}
