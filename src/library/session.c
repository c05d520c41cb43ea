/* Sessions: runs that are watched, and recorded. */
#include "library/measure.h"
#include "library/session.h"

enum { SAMPLES = 20000, AT_ONCE = 500 };

/* ---- what is given ---- */

int taut_session_make(taut_context *context, const taut_session_spec *given, taut_session **result)
{
    taut_session *s = taut_mem_new(context, 1, sizeof *s);
    *result = s;
    if (!s) return TAUT_OUT_OF_MEMORY;
    s->context = context;
    taut_context_keep(context);
    int status = given ? taut_library_take(context, "taut_session_spec", given, sizeof s->spec, &s->spec) : TAUT_OK;
    if (!status) status = taut_library_check_threads(context, s->spec.threads);
    if (status) return status;
    const taut_session_spec *spec = &s->spec;
    if (spec->native < TAUT_NATIVE_DEFAULT || spec->native > TAUT_NATIVE_OFF)
        return taut_fail(context, TAUT_BAD_USAGE, "native is one of TAUT_NATIVE_*, not %d", spec->native);
    if (spec->start < TAUT_STRICT || spec->start > TAUT_AS_IS)
        return taut_fail(context, TAUT_BAD_USAGE, "start is TAUT_STRICT, TAUT_PROJECT or TAUT_AS_IS, not %d",
                         spec->start);
    if (spec->every < 0)
        return taut_fail(context, TAUT_BAD_USAGE, "every is a number of steps, not %ld", spec->every);
    s->options.samples = SAMPLES;
    s->lines = (csv_out){ .write = spec->write, .user = spec->user };
    return TAUT_OK;
}

static int read_number(taut_context *context, const char *name, const char *text, wide *value)
{
    if (!text || !taut_wide_parse(text, value)) return TAUT_OK;
    return taut_fail(context, TAUT_BAD_USAGE, "%s is a number, not '%s'", name, text);
}

int taut_session_numbers(taut_session *s, engine_options *e)
{
    const taut_session_spec *spec = &s->spec;
    run_options *o = &s->options;
    int status = read_number(s->context, "step", spec->step, &o->step);
    if (!status) status = read_number(s->context, "until", spec->until, &o->until);
    if (!status) status = read_number(s->context, "tolerance", spec->tolerance, &e->tolerance);
    if (!status && !(e->tolerance >= 0 && e->tolerance < TOLERANCE_BELOW))
        status = taut_fail(s->context, TAUT_BAD_USAGE, "tolerance is a number between 0 and 0.1, not '%s'",
                           spec->tolerance);
    if (!o->every && (spec->file || spec->write)) o->every = spec->every ? spec->every : 1;
    e->step = o->step;
    e->native = spec->native;
    e->threads = spec->threads;
    if (!status) status = taut_run_check_options(s->context, o);
    if (!status) taut_run_expect(o, &e->steps, &e->looks, &e->frames);
    return status;
}

int taut_session_record(taut_session *s, const engine_options *e)
{
    if (!s->spec.file) return TAUT_OK;
    const taut_model *model = s->z->model;
    const recorder_subject subject = { model->m, model->settings, model->setting_count, s->z->api, e, &s->options };
    return taut_recorder_create(s->context, s->spec.file, s->spec.replace, &subject, s->z->engine, &s->recorder);
}

static int create(taut_session *s, taut_model *model)
{
    const taut_session_spec *spec = &s->spec;
    const char *precision = spec->precision ? spec->precision : "double";
    const engine_api *api = taut_engine_find(precision);
    if (!api) return taut_fail(s->context, TAUT_UNSUPPORTED, "this build has no precision '%s'", precision);
    engine_options e = { .method = spec->method ? spec->method : "rattle", .start = (start_mode)spec->start,
                         .active_set = spec->active_set };
    s->options.step = (wide)1 / 100, s->options.until = 10;
    int status = taut_session_numbers(s, &e);
    const int in_place = spec->takes_model && model->context == s->context && atomic_load(&model->references) == 1;
    if (!status) status = taut_library_simulation(s->context, model, api, &e, in_place, &s->z);
    if (status) return status;
    if (spec->takes_model && !in_place) taut_model_release(model);
    status = taut_session_record(s, &e);
    if (status && spec->takes_model) taut_model_keep(model); /* it stays the caller's */
    return status;
}

int taut_session_create(taut_context *context, taut_model *model, const taut_session_spec *spec, taut_session **result)
{
    taut_session *s = NULL;
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, model, "model");
    library_begin(context);
    int status = taut_session_make(context, spec, &s);
    if (!status) status = create(s, model);
    if (status)
        taut_session_release(s);
    else
        *result = s;
    return library_done(context, status);
}

void taut_session_release(taut_session *s)
{
    if (!s || (s->z && s->z->computing)) return;
    taut_context *context = s->context;
    taut_recorder_close(s->recorder);
    taut_simulation_release(s->z);
    taut_run_result_clear(context, &s->from);
    taut_run_result_clear(context, &s->result);
    taut_mem_free(context, s);
    taut_context_release(context);
}

/* ---- lines ---- */

static int cannot_write(taut_session *s)
{
    return taut_fail(s->context, TAUT_CANNOT_WRITE, "at t = %.9g: the callback cannot write the frames",
                     taut_time(s->z));
}

static int write_header(taut_session *s)
{
    char name[256];
    for (size_t i = 0; i < s->z->columns; i++) {
        s->z->api->column_name(s->z->engine, i, name, sizeof name);
        if (taut_csv_name(&s->lines, i, name)) return cannot_write(s);
    }
    const int events = s->z->model->m->contact_count != 0;
    if ((events && taut_csv_text(&s->lines, ",event,contact,impulse")) || taut_csv_end(&s->lines)
        || taut_csv_flush(&s->lines))
        return cannot_write(s);
    return TAUT_OK;
}

/* With the three columns of an event, in models that have them. */
static int write_line(taut_session *s, const void *values, size_t count, const char *event, const char *contact,
                      const char *impulse)
{
    csv_out *out = &s->lines;
    const engine_api *api = s->z->api;
    int failed = api->number_size == sizeof(double) ? taut_csv_doubles(out, values, count)
                                                    : taut_csv_values(out, values, count, api->digits);
    const char *const more[] = { event, contact, impulse };
    for (size_t i = 0; s->z->model->m->contact_count && i < 3; i++) failed |= taut_csv_name(out, 1, more[i]);
    return failed || taut_csv_end(out) || taut_csv_flush(out) ? cannot_write(s) : TAUT_OK;
}

/* ---- while it runs ---- */

static int take_frame(void *user, const void *values, size_t count)
{
    taut_session *s = user;
    int status = s->recorder ? taut_recorder_frame(s->recorder, values) : TAUT_OK;
    return status || !s->spec.write ? status : write_line(s, values, count, "", "", "");
}

static int take_event(void *user, const engine_event *event, const void *values, size_t count)
{
    taut_session *s = user;
    char impulse[WIDE_TEXT] = "";
    const char *kind = event_kind_name(event->kind);
    int status = s->recorder ? taut_recorder_event(s->recorder, event->t, event->contact, kind, event->impulse, values)
                             : TAUT_OK;
    if (status || !s->spec.write) return status;
    if (event->kind == EVENT_IMPACT)
        taut_wide_format(impulse, sizeof impulse, event->impulse, s->z->api->digits);
    return write_line(s, values, count, kind, event->contact, impulse);
}

static int is_interrupted(void *user)
{
    const taut_session *s = user;
    return s->spec.interrupt && *s->spec.interrupt;
}

static int after_steps(void *user, const run_result *so_far, int *stop)
{
    taut_session *s = user;
    *stop = is_interrupted(s);
    if (s->meddled)
        return taut_fail(s->context, TAUT_BAD_USAGE,
                         "at t = %.9g: the callback of the progress called %s; it may only read the simulation",
                         taut_time(s->z), s->meddled);
    return s->recorder ? taut_recorder_after_step(s->recorder, so_far) : TAUT_OK;
}

static void show(void *user, long done, long steps, double energy_change)
{
    taut_session *s = user;
    s->z->computing = s->z->moved_by = s->z->changed_by = NULL;
    library_leave(s->context);
    s->spec.progress(s->spec.user, s->z, done, steps, energy_change);
    library_again(s->context);
    s->z->computing = "taut_session_run";
    s->meddled = s->z->moved_by ? s->z->moved_by : s->z->changed_by;
}

static int run(taut_session *s)
{
    run_options *o = &s->options;
    o->frame = take_frame, o->event = take_event;
    o->after_step = s->recorder || s->spec.interrupt || s->spec.progress ? after_steps : NULL;
    o->at_once = s->recorder ? 1 : AT_ONCE;
    o->progress = s->spec.progress ? show : NULL;
    o->from = s->resumed ? &s->from : NULL;
    o->user = s;
    int status = s->spec.write ? write_header(s) : TAUT_OK;
    if (status) return status;
    if (s->spec.interrupt) taut_context_stop(s->context, is_interrupted, s);
    status = taut_run_loop(s->context, s->z->api, s->z->engine, o, &s->result);
    taut_context_stop(s->context, NULL, NULL); /* what was computed is kept */
    if (s->result.stopped && s->result.steps_done < s->result.steps_planned) s->stopped = 1;
    int recorded = s->recorder ? taut_recorder_finish(s->recorder, &s->result, status) : TAUT_OK;
    if (status != TAUT_STOPPED || !is_interrupted(s)) return status ? status : recorded;
    s->stopped = 2;
    return recorded;
}

int taut_session_run(taut_session *s)
{
    LIBRARY_NEEDS(NULL, s, "session");
    if (!s->z) {
        library_begin(s->context);
        return library_done(s->context, TAUT_OK);
    }
    int status = taut_library_enter(s->z, "taut_session_run");
    if (status) return status;
    if (s->ran) status = taut_fail(s->context, TAUT_BAD_USAGE, "a session runs once; taut_session_open continues one");
    s->ran = 1;
    if (!status) status = run(s);
    return library_exit(s->z, status);
}

/* ---- what became of it ---- */

taut_simulation *taut_session_simulation(taut_session *s) { return s ? s->z : NULL; }

/* The kinds of what the run loop watches: energy, constraint, velocity_constraint, conserved ..., and perhaps energy -
   work. 0 where the model does not have it (TAUT_TIME is never watched). */
static int kind_of(const taut_session *s, size_t index)
{
    uint32_t coordinates, constraints;
    const taut_simulation *z = s->z;
    z->api->sizes(z->engine, &coordinates, &constraints);
    if (index == 0) return z->model->m->form != FORM_RATES ? TAUT_ENERGY : TAUT_TIME;
    if (index <= 2) return !constraints ? TAUT_TIME : index == 1 ? TAUT_CONSTRAINT : TAUT_CONSTRAINT_RATE;
    return z->api->balance(z->engine) && index + 1 == s->result.quantity_count ? TAUT_WORK : TAUT_CONSERVED;
}

/* Item `index` of those that the model has; NULL beyond the last. */
static const watched *find_watched(const taut_session *s, size_t index, int *kind)
{
    for (size_t i = 0; s->result.quantities && i < s->result.quantity_count; i++) {
        *kind = kind_of(s, i);
        if (*kind != TAUT_TIME && !index--) return &s->result.quantities[i];
    }
    return NULL;
}

static size_t count_watched(const taut_session *s)
{
    size_t count = 0;
    for (int kind; find_watched(s, count, &kind);) count++;
    return count;
}

void taut_session_about(const taut_session *s, taut_session_info *info)
{
    if (!s || !info) return;
    const run_result *r = s->result.quantities ? &s->result : &s->from;
    taut_session_info found = { .step = library_value(s->options.step), .until = library_value(s->options.until),
                                .steps = r->steps_done, .steps_planned = r->steps_planned,
                                .steps_before = s->from.steps_done, .stopped = s->stopped, .stride = r->sample_stride,
                                .watched = count_watched(s),
                                .committed = s->recorder ? taut_recorder_committed(s->recorder) : -1 };
    found.time = library_value(s->z ? s->z->api->time(s->z->engine) : s->options.until);
    found.finished = !s->z || (s->result.quantities && r->steps_done >= r->steps_planned);
    taut_library_give(&found, sizeof found, info);
}

int taut_session_watched(const taut_session *s, size_t index, taut_watched *given)
{
    int kind;
    LIBRARY_NEEDS(NULL, s, "session");
    LIBRARY_NEEDS(s->context, given, "watched");
    const watched *w = find_watched(s, index, &kind);
    if (!w) return taut_measure_beyond(s->context, "quantity", index, count_watched(s));
    const taut_watched found = { .name = kind == TAUT_WORK ? "energy - work" : w->name, .kind = kind,
                                 .conserved = kind != TAUT_ENERGY || s->z->api->energy_conserved(s->z->engine),
                                 .first = library_value(w->first), .last = library_value(w->last),
                                 .lowest = library_value(w->lowest), .highest = library_value(w->highest),
                                 .slope = library_value(w->slope) };
    taut_library_give(&found, sizeof found, given);
    return TAUT_OK;
}

int taut_session_digits(taut_session *s, size_t index, int which, char *buffer, size_t capacity)
{
    int kind;
    LIBRARY_NEEDS(NULL, s, "session");
    LIBRARY_NEEDS(s->context, buffer, "buffer");
    library_begin(s->context);
    const watched *w = find_watched(s, index, &kind);
    if (!w || which < TAUT_WATCHED_FIRST || which > TAUT_WATCHED_SLOPE || capacity < TAUT_DIGITS_TEXT)
        return library_done(s->context, taut_fail(s->context, TAUT_BAD_USAGE, "there is no number %d of quantity %zu, "
                                                  "or no room for %d bytes", which, index, TAUT_DIGITS_TEXT));
    const wide all[] = { w->first, w->last, w->lowest, w->highest, w->slope };
    taut_wide_format(buffer, capacity, all[which], s->z->api->digits);
    return library_done(s->context, TAUT_OK);
}
