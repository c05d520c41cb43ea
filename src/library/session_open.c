/* Sessions from files: a run that is resumed, a member of an ensemble. */
#include <stdio.h>

#include "ensemble/sweep.h"
#include "library/session.h"
#include "record/sweep_file.h"

/* ---- a run ---- */

static int damaged(const taut_session *s, const char *path, const record *r, const char *name)
{
    const char *text = taut_record_property(r, name);
    if (!text) return taut_fail(s->context, TAUT_CANNOT_READ, "'%s' is damaged: it has no '%s'", path, name);
    return taut_fail(s->context, TAUT_CANNOT_READ, "'%s' is damaged: '%s' of the run is '%.60s'", path, name, text);
}

static int find_start(const char *name)
{
    int mode = START_STRICT;
    while (mode < START_MODES && strcmp(name, start_mode_name((start_mode)mode)) != 0) mode++;
    return mode;
}

/* The numbers with which the run was started. What taut_session_create would have refused, no run file has. */
static int read_numbers(taut_session *s, const char *path, const record *r, engine_options *e)
{
    wide every = 0;
    const struct { const char *name; wide *value; } all[] = {
        { "step", &s->options.step }, { "until", &s->options.until }, { "every", &every },
        { "tolerance", &e->tolerance } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *text = taut_record_property(r, all[i].name);
        if (!text || taut_wide_parse(text, all[i].value))
            return taut_fail(s->context, TAUT_CANNOT_READ, "'%s' is damaged: '%s' of the run is not a number", path,
                             all[i].name);
    }
    static const char *const texts[] = { "source", "model", "method", "precision", "start", "status" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!taut_record_property(r, texts[i])) return damaged(s, path, r, texts[i]);
    if (!(every >= 1 && every <= (wide)1e15 && every == (wide)(long)every)) return damaged(s, path, r, "every");
    if (!(e->tolerance >= 0 && e->tolerance < TOLERANCE_BELOW)) return damaged(s, path, r, "tolerance");
    const int start = find_start(taut_record_property(r, "start"));
    if (start == START_MODES) return damaged(s, path, r, "start");
    const char *contacts = taut_record_property(r, "contacts");
    s->options.every = (long)every;
    e->start = (start_mode)start;
    e->method = taut_record_property(r, "method");
    e->active_set = contacts && strcmp(contacts, "active-set") == 0;
    e->step = s->options.step;
    return TAUT_OK;
}

static int load_model(taut_session *s, const record *r, taut_model **result)
{
    const char *source = taut_record_property(r, "source");
    const size_t count = taut_record_setting_count(r);
    definition *d = taut_mem_new(s->context, count, sizeof *d);
    model *m = NULL;
    if (!d) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) taut_record_setting(r, i, &d[i].name, &d[i].value);
    int status =
        taut_model_read_text(s->context, taut_record_property(r, "model"), source, strlen(source), d, count, &m);
    if (!status) status = taut_library_wrap(s->context, m, d, count, result);
    taut_mem_free(s->context, d);
    return status;
}

/* The simulation has the only reference, and uses the model as it is. */
static int simulate(taut_session *s, taut_model *model, const engine_api *api, const engine_options *e)
{
    int status = taut_library_simulation(s->context, model, api, e, 1, &s->z);
    if (status) taut_model_release(model);
    return status;
}

static int resume(taut_session *s, const char *path, engine_options *e)
{
    const record *r = taut_recorder_record(s->recorder);
    const char *precision = taut_record_property(r, "precision");
    const engine_api *api = taut_engine_find(precision);
    taut_model *model = NULL;
    if (!api)
        return taut_fail(s->context, TAUT_UNSUPPORTED, "'%s' is a run in %s precision, which this build does not have",
                         path, precision);
    e->native = s->spec.native, e->threads = s->spec.threads;
    int status = load_model(s, r, &model);
    if (!status) status = simulate(s, model, api, e);
    if (!status) status = taut_recorder_restore(s->recorder, api, s->z->engine, s->options.until, &s->from);
    s->resumed = 1;
    s->options.from = &s->from;
    return status ? status : taut_run_check_options(s->context, &s->options);
}

static int open_run(taut_session *s, const char *path)
{
    engine_options e = { 0 };
    int status = taut_recorder_open(s->context, path, &s->recorder);
    const record *r = status ? NULL : taut_recorder_record(s->recorder);
    if (!status) status = read_numbers(s, path, r, &e);
    if (!status) status = taut_record_check_cells(r);
    if (status) return status;
    if (s->spec.until && taut_wide_parse(s->spec.until, &s->options.until))
        return taut_fail(s->context, TAUT_BAD_USAGE, "until is a number, not '%s'", s->spec.until);
    if (!s->spec.until && strcmp(taut_record_property(r, "status"), "finished") == 0) return TAUT_OK;
    return resume(s, path, &e);
}

int taut_session_open(taut_context *context, const char *path, const taut_session_spec *spec, taut_session **result)
{
    taut_session *s = NULL;
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, path, "path");
    library_begin(context);
    int status = taut_session_make(context, spec, &s);
    if (s) s->spec.write = NULL;
    if (!status) status = open_run(s, path);
    if (status)
        taut_session_release(s);
    else
        *result = s;
    return library_done(context, status);
}

/* ---- a member ---- */

/* The params of the member are settings, so that the run file says them, too. */
static int wrap_member(taut_session *s, const sweep_stored *stored, model *m, const executor_vary *vary,
                       taut_model **result)
{
    const size_t varied = stored->sample->count;
    size_t count = stored->spec.definition_count;
    definition *all = taut_mem_new(s->context, count + varied, sizeof *all);
    char (*numbers)[WIDE_TEXT] = taut_mem_new(s->context, varied, sizeof *numbers);
    int status = all && numbers ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status && count) memcpy(all, stored->spec.definitions, count * sizeof *all);
    for (size_t i = 0; !status && i < varied; i++) {
        if (vary[i].kind != VARY_PARAMETER) continue;
        const parameter *p = &m->parameters[vary[i].index];
        taut_wide_shortest(numbers[i], sizeof numbers[i], p->value);
        all[count++] = (definition){ p->name, numbers[i], 0 };
    }
    if (!status) status = taut_library_wrap(s->context, m, all, count, result);
    else taut_model_free(m);
    taut_mem_free(s->context, all);
    taut_mem_free(s->context, numbers);
    return status;
}

static int make_model(taut_session *s, const sweep_stored *stored, uint64_t member, taut_model **result)
{
    const size_t count = stored->sample->count;
    executor_vary *vary = taut_mem_new(s->context, count, sizeof *vary);
    char **names = taut_mem_new(s->context, count, sizeof *names);
    double *values = taut_mem_new(s->context, count, sizeof *values);
    model *m = NULL;
    int status = vary && names && values ? taut_sweep_resolve(s->context, stored->m, stored->sample, vary, names)
                                         : TAUT_OUT_OF_MEMORY;
    if (!status) {
        taut_sample_values(stored->sample, member, values);
        status = taut_member_model(s->context, stored->m, vary, count, values, &m);
    }
    if (!status) status = wrap_member(s, stored, m, vary, result);
    for (size_t i = 0; names && i < count; i++) taut_mem_free(s->context, names[i]);
    taut_mem_free(s->context, vary);
    taut_mem_free(s->context, names);
    taut_mem_free(s->context, values);
    return status;
}

static int replay(taut_session *s, const sweep_stored *stored, uint64_t member)
{
    taut_model *model = NULL;
    engine_options e = { .method = stored->method, .tolerance = stored->spec.tolerance, .start = stored->spec.start };
    s->options.step = stored->spec.step, s->options.until = stored->spec.until;
    s->spec.step = s->spec.tolerance = NULL;
    int status = taut_session_numbers(s, &e);
    if (!status) status = make_model(s, stored, member, &model);
    if (!status) status = simulate(s, model, &taut_engine_double, &e);
    return status ? status : taut_session_record(s, &e);
}

static int open_member(taut_session *s, const char *path, uint64_t member)
{
    record *r = NULL;
    sweep_stored stored = { 0 };
    int status = taut_record_open(s->context, path, &r);
    if (!status && !taut_sweep_is(r))
        status = taut_fail(s->context, TAUT_BAD_USAGE, "'%s' is a single run, not an ensemble", path);
    if (!status) status = taut_sweep_load(s->context, r, &stored);
    taut_record_close(r);
    if (!status && (member < stored.spec.first || member > stored.spec.last))
        status = taut_fail(s->context, TAUT_BAD_USAGE, "'%s' has members %llu to %llu, not %llu", path,
                           (unsigned long long)stored.spec.first, (unsigned long long)stored.spec.last,
                           (unsigned long long)member);
    if (!status && (status = replay(s, &stored, member))) {
        char said[TAUT_ERROR_TEXT];
        snprintf(said, sizeof said, "%s", taut_error_text(s->context));
        status = taut_fail(s->context, status, "member %llu: %s", (unsigned long long)member, said);
    }
    taut_sweep_stored_clear(s->context, &stored);
    return status;
}

int taut_session_of_member(taut_context *context, const char *path, uint64_t member, const taut_session_spec *spec,
                           taut_session **result)
{
    taut_session *s = NULL;
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, path, "path");
    library_begin(context);
    int status = taut_session_make(context, spec, &s);
    if (!status) status = open_member(s, path, member);
    if (status)
        taut_session_release(s);
    else
        *result = s;
    return library_done(context, status);
}
