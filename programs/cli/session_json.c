/* The document of `taut run --json`. Its members are described in docs/json.md. */
#include "base/clock.h"
#include "cli/answer.h"
#include "cli/session.h"

static const char *how_it_ended(const run_result *result, int status)
{
    if (status && status != TAUT_STOPPED) return "failed";
    return status || (result->stopped && result->steps_done < result->steps_planned) ? "stopped" : "finished";
}

static void put_quantities(json *j, const session *z, const run_result *result)
{
    const int digits = z->api->digits, kept = z->api->energy_conserved(z->engine), balance = z->api->balance(z->engine);
    uint32_t coordinates, constraints;
    z->api->sizes(z->engine, &coordinates, &constraints);
    taut_json_open(j, "quantities", '[');
    for (size_t i = 0; result->quantities && i < result->quantity_count; i++) {
        const watched *w = &result->quantities[i];
        const int is_residual = i == 1 || i == 2, is_balance = balance && i + 1 == result->quantity_count;
        if ((i == 0 && z->m->form == FORM_RATES) || (is_residual && !constraints)) continue;
        taut_json_open(j, NULL, '{');
        taut_json_text(j, "name", is_balance ? "energy - work" : w->name);
        taut_json_flag(j, "conserved", i == 0 ? kept : 1);
        taut_json_wide(j, "first", w->first, digits);
        taut_json_wide(j, "last", w->last, digits);
        taut_json_wide(j, "lowest", w->lowest, digits);
        taut_json_wide(j, "highest", w->highest, digits);
        taut_json_wide(j, "slope", w->slope, digits);
        taut_json_close(j, '}');
    }
    taut_json_close(j, ']');
}

static void put_work(json *j, const session *z, const run_result *result)
{
    engine_counts counts;
    z->api->counts(z->engine, &counts);
    taut_json_integer(j, "newton_iterations", counts.work.iterations);
    taut_json_integer(j, "factorisations", counts.work.factorisations);
    taut_json_integer(j, "evaluations", counts.work.evaluations);
    taut_json_integer(j, "rejected_steps", counts.work.rejected);
    taut_json_integer(j, "position_projections", counts.work.position_projections);
    taut_json_integer(j, "momentum_projections", counts.work.momentum_projections);
    taut_json_integer(j, "sample_stride", result->sample_stride);
}

void session_answer(const session *z, const run_result *result, int status)
{
    json *j = answer_json();
    wide q, v;
    answer_model(z->m->file, z->m->title);
    taut_json_text(j, "method", z->method);
    taut_json_text(j, "precision", z->api->name);
    taut_json_wide(j, "step", z->options.step, 0);
    taut_json_wide(j, "until", z->options.until, 0);
    taut_json_text(j, "ended", how_it_ended(result, status));
    taut_json_wide(j, "t", result->t, z->api->digits);
    taut_json_integer(j, "steps", result->steps_done);
    taut_json_integer(j, "steps_planned", result->steps_planned);
    taut_json_number(j, "seconds", clock_seconds() - z->begun);
    taut_json_number(j, "processor_seconds", clock_work() - z->begun_work);
    put_work(j, z, result);
    put_quantities(j, z, result);
    const long *events = z->api->event_counts(z->engine);
    taut_json_open(j, "events", '{');
    for (int k = 0; events && k < EVENT_KINDS; k++) taut_json_integer(j, event_kind_name((event_kind)k), events[k]);
    taut_json_close(j, '}');
    z->api->start_moves(z->engine, &q, &v);
    taut_json_open(j, "start_moved", '{');
    taut_json_wide(j, "positions", q, z->api->digits);
    taut_json_wide(j, "velocities", v, z->api->digits);
    taut_json_close(j, '}');
    taut_json_text(j, "run_file", z->path);
}
