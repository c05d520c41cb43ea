#include "record/recorder.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "record/reader.h"
#include "record/writer.h"

struct recorder {
    taut_context *context;
    const engine_api *api;
    void *engine;
    writer *writer;
    record *record;              /* of a run that is gone on with */
    long committed;              /* -1: nothing yet */
    /* when to commit */
    double interval, most;       /* between commits, at the most */
    double commit_time;          /* when the last one ended, and */
    double commit_cost;          /* how long it took */
    double looked;               /* when the clock was read last */
    long look_every, look_in;    /* steps between looks at the clock, and until the next one */
};

void taut_recorder_interval(recorder *r, double first, double most)
{
    r->interval = first;
    r->most = most;
}

long taut_recorder_committed(const recorder *r) { return r->committed; }
const record *taut_recorder_record(const recorder *r) { return r->record; }

void taut_recorder_close(recorder *r)
{
    if (!r) return;
    taut_record_close(r->record);
    taut_writer_close(r->writer);
    taut_mem_free(r->context, r);
}

static recorder *make(taut_context *context)
{
    recorder *r = taut_mem_new(context, 1, sizeof *r);
    if (!r) return NULL;
    r->context = context;
    r->committed = -1;
    r->look_every = r->look_in = 1;
    r->commit_time = r->looked = clock_seconds();
    taut_recorder_interval(r, 0.05, 1);
    return r;
}

/* ---- the head of a new file ---- */

static int put_number(writer *w, const char *name, wide value)
{
    char text[WIDE_TEXT];
    taut_wide_shortest(text, sizeof text, value);
    return taut_writer_property(w, name, text);
}

static int put_head(writer *w, const recorder_subject *s, const void *engine)
{
    char dependent[TAUT_ERROR_TEXT];
    const engine_options *e = s->engine;
    char created[32];
    time_t clock = time(NULL);
    struct tm utc;
    gmtime_r(&clock, &utc);
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    const char *texts[][2] = { { "taut", TAUT_VERSION },
                               { "created", created },
                               { "model", s->m->file },
                               { "source", s->m->source },
                               { "title", s->m->title },
                               { "method", e->method },
                               { "precision", s->api->name },
                               { "start", start_mode_name(e->start) },
                               { "contacts", e->active_set ? "active-set" : "event" },
                               { "status", "running" } };
    const struct { const char *name; wide value;
    } numbers[] = {
        { "step", s->run->step }, { "until", s->run->until }, { "every", s->run->every }, { "tolerance", e->tolerance }
    };
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < sizeof texts / sizeof *texts; i++)
        status = taut_writer_property(w, texts[i][0], texts[i][1]);
    for (size_t i = 0; !status && i < sizeof numbers / sizeof *numbers; i++)
        status = put_number(w, numbers[i].name, numbers[i].value);
    if (!status && s->api->redundancy(engine, dependent, sizeof dependent))
        status = taut_writer_property(w, "redundancy", dependent);
    for (size_t i = 0; !status && i < s->definition_count; i++)
        status = taut_writer_setting(w, i, s->definitions[i].name, s->definitions[i].value);
    return status;
}

/* Columns of the engine; their names are one block that begins at *names. */
static int list_columns(taut_context *context, const engine_api *api, void *engine, record_column **columns,
                        char **names)
{
    enum { NAME = 256 };
    size_t count = api->column_count(engine);
    *columns = taut_mem_new(context, count, sizeof **columns);
    *names = taut_mem_new(context, count, NAME);
    if (!*columns || !*names) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++) {
        api->column_name(engine, i, *names + NAME * i, NAME);
        (*columns)[i] = (record_column){ *names + NAME * i, api->column_kind(engine, i) };
    }
    return TAUT_OK;
}

static double expected_frames(const run_options *o)
{
    return o->every > 0 ? (double)(o->until / o->step) / (double)o->every : 0;
}

int taut_recorder_create(taut_context *context, const char *path, int replace, const recorder_subject *subject,
                         void *engine, recorder **result)
{
    record_column *columns = NULL;
    char *names = NULL;
    *result = NULL;
    if (strlen(subject->m->source) != subject->m->source_size)
        return taut_fail(context, TAUT_BAD_MODEL,
                    "%s: the model contains a zero byte, which a run file cannot hold; remove it", subject->m->file);
    recorder *r = make(context);
    if (!r) return TAUT_OUT_OF_MEMORY;
    r->api = subject->api;
    r->engine = engine;
    int status = list_columns(context, r->api, engine, &columns, &names);
    if (!status)
        status = taut_writer_create(context, path, replace, columns, r->api->column_count(engine),
                                    r->api->number_size > sizeof(double), expected_frames(subject->run), &r->writer);
    if (!status) status = put_head(r->writer, subject, engine);
    if (!status)
        status = taut_writer_property(r->writer, "energy",
                                      r->api->energy_conserved(engine) ? "conserved" : "not conserved");
    taut_mem_free(context, columns);
    taut_mem_free(context, names);
    if (status)
        taut_recorder_close(r);
    else
        *result = r;
    return status;
}

/* ---- checkpoints ---- */

static int put_long(writer *w, const char *name, long value)
{
    char text[32];
    snprintf(text, sizeof text, "%ld", value);
    return taut_writer_checkpoint_text(w, name, text);
}

static int put_wide(writer *w, const char *name, wide value)
{
    char text[WIDE_TEXT];
    taut_wide_format(text, sizeof text, value, WIDE_DIGITS + 2);
    return taut_writer_checkpoint_text(w, name, text);
}

/* first last lowest highest sum sum_t, separated by blanks */
static int put_watched(writer *w, size_t index, const watched *q)
{
    const wide values[] = { q->first, q->last, q->lowest, q->highest, q->sum, q->sum_t };
    char name[300], line[6 * WIDE_TEXT];
    size_t at = 0;
    for (int i = 0; i < 6; i++) {
        if (i) line[at++] = ' ';
        at += (size_t)taut_wide_format(line + at, sizeof line - at, values[i], WIDE_DIGITS + 2);
    }
    snprintf(name, sizeof name, "watched.%zu", index);
    return taut_writer_checkpoint_text(w, name, line);
}

/* What was watched, for readers: a property per quantity. Name, first, last, lowest, highest, slope, separated by
   tabs. */
static int put_extremes(writer *w, const run_result *at)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < at->quantity_count; i++) {
        const watched *q = &at->quantities[i];
        const wide values[] = { q->first, q->last, q->lowest, q->highest, q->slope };
        char name[40], line[sizeof q->name + 5 * (WIDE_TEXT + 1)];
        size_t used = (size_t)snprintf(line, sizeof line, "%s", q->name);
        for (int k = 0; k < 5; k++) {
            line[used++] = '\t';
            used += (size_t)taut_wide_shortest(line + used, sizeof line - used, values[k]);
        }
        snprintf(name, sizeof name, "watched.%zu", i);
        status = taut_writer_property(w, name, line);
    }
    return status;
}

/* What was done on the way, besides steps: the i-th count, with its name in the file. NULL beyond the last. */
static long *count_at(engine_counts *counts, int i, char *name, size_t size)
{
    for (int k = 0; newton_count_at(k).name; k++, i--) {
        snprintf(name, size, "%s", newton_count_at(k).name);
        if (i == 0) return (long *)((char *)&counts->work + newton_count_at(k).at);
    }
    if (i >= EVENT_KINDS) return NULL;
    snprintf(name, size, "%ss", event_kind_name((event_kind)i));
    return &counts->events[i];
}

static int put_checkpoint(recorder *r, const run_result *so_far)
{
    writer *w = r->writer;
    engine_counts counts;
    run_result now = *so_far, *at = &now;
    r->api->counts(r->engine, &counts);
    taut_run_result_update(r->api, r->engine, at);
    const struct { const char *name; long value; } whole[] = {
        { "step", at->steps_done }, { "sample_stride", at->sample_stride }, { "origin_step", at->origin_step },
        { "quantities", (long)at->quantity_count } };
    const struct { const char *name; wide value;
    } numbers[] = {
        { "samples", at->samples }, { "sum_t", at->sum_t }, { "sum_tt", at->sum_tt }, { "origin_time", at->origin_time }
    };
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < sizeof whole / sizeof *whole; i++)
        status = put_long(w, whole[i].name, whole[i].value);
    long *count;
    char name[40];
    for (int i = 0; !status && (count = count_at(&counts, i, name, sizeof name)); i++)
        status = put_long(w, name, *count);
    for (size_t i = 0; !status && i < sizeof numbers / sizeof *numbers; i++)
        status = put_wide(w, numbers[i].name, numbers[i].value);
    for (size_t i = 0; !status && i < at->quantity_count; i++) status = put_watched(w, i, &at->quantities[i]);
    if (!status) status = put_extremes(w, at);
    for (int i = 0, n = r->api->field_count(r->engine); !status && i < n; i++) {
        char name[80];
        engine_field f = r->api->field(r->engine, i);
        snprintf(name, sizeof name, "state.%s", f.name);
        status = taut_writer_checkpoint_numbers(w, name, f.data, f.count, r->api->number_size);
    }
    return status;
}

static int get_long(record *r, const char *name, long *value)
{
    char text[32], *end;
    int status = taut_record_checkpoint_text(r, name, text, sizeof text);
    if (status) return status;
    *value = strtol(text, &end, 10);
    return *end || end == text ? taut_fail(r->d.context, TAUT_CANNOT_READ,
                                           "'%s' is damaged: '%s' of its checkpoint is '%s'", r->d.path, name, text)
                               : TAUT_OK;
}

static int get_wides(record *r, const char *name, wide *values, int count)
{
    char line[6 * WIDE_TEXT], *at = line;
    int status = taut_record_checkpoint_text(r, name, line, sizeof line);
    for (int i = 0; !status && i < count; i++) {
        char *blank = strchr(at, ' ');
        if (blank) *blank = 0;
        if (taut_wide_parse(at, &values[i]) || (!blank && i < count - 1))
            return taut_fail(r->d.context, TAUT_CANNOT_READ, "'%s' is damaged: '%s' of its checkpoint is not numbers",
                        r->d.path, name);
        at = blank ? blank + 1 : at;
    }
    return status;
}

static int get_progress(recorder *z, run_result *at, engine_counts *counts)
{
    record *r = z->record;
    long quantities = 0;
    struct { const char *name; long *value; } whole[] = {
        { "step", &at->steps_done }, { "sample_stride", &at->sample_stride }, { "origin_step", &at->origin_step },
        { "quantities", &quantities } };
    struct { const char *name; wide *value;
    } numbers[] = { { "samples", &at->samples },
                    { "sum_t", &at->sum_t },
                    { "sum_tt", &at->sum_tt },
                    { "origin_time", &at->origin_time } };
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < sizeof whole / sizeof *whole; i++)
        status = get_long(r, whole[i].name, whole[i].value);
    long *count;
    char name[40];
    for (int i = 0; !status && (count = count_at(counts, i, name, sizeof name)); i++) status = get_long(r, name, count);
    for (size_t i = 0; !status && i < sizeof numbers / sizeof *numbers; i++)
        status = get_wides(r, numbers[i].name, numbers[i].value, 1);
    counts->steps = at->steps_done;
    at->quantity_count = z->api->watch_count(z->engine);
    if (!status && (size_t)quantities != at->quantity_count)
        status = taut_fail(z->context, TAUT_UNSUPPORTED,
                      "'%s' cannot be resumed: it has %ld conserved quantities, this Taut finds %zu", r->d.path,
                      quantities, at->quantity_count);
    if (!status && !(at->quantities = taut_mem_new(z->context, at->quantity_count, sizeof *at->quantities)))
        status = TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < at->quantity_count; i++) {
        char name[32];
        wide v[6];
        snprintf(name, sizeof name, "watched.%zu", i);
        status = get_wides(r, name, v, 6);
        if (!status)
            at->quantities[i] =
                (watched){ .first = v[0], .last = v[1], .lowest = v[2], .highest = v[3], .sum = v[4], .sum_t = v[5] };
    }
    return status;
}

/* The model's columns must be those of the file: it is the same model, but perhaps another Taut. */
static int check_columns(const recorder *z)
{
    char name[256];
    size_t count = z->api->column_count(z->engine);
    int same = count == taut_record_column_count(z->record);
    for (size_t i = 0; same && i < count; i++) {
        z->api->column_name(z->engine, i, name, sizeof name);
        same = strcmp(name, taut_record_columns(z->record)[i].name) == 0;
    }
    return same ? TAUT_OK
                : taut_fail(z->context, TAUT_UNSUPPORTED,
                       "'%s' cannot be resumed by this Taut, which records other columns (it was written by taut %s)",
                       z->record->d.path, taut_record_property(z->record, "taut"));
}

int taut_recorder_open(taut_context *context, const char *path, recorder **result)
{
    *result = NULL;
    recorder *r = make(context);
    if (!r) return TAUT_OUT_OF_MEMORY;
    int status = taut_writer_open(context, path, &r->writer); /* first: then no other process changes what is read */
    if (!status) status = taut_record_open(context, path, &r->record);
    if (status)
        taut_recorder_close(r);
    else
        *result = r;
    return status;
}

int taut_recorder_restore(recorder *r, const engine_api *api, void *engine, wide until, run_result *from)
{
    engine_counts counts = { 0 };
    *from = (run_result){ 0 };
    r->api = api;
    r->engine = engine;
    int status = check_columns(r);
    if (!status) status = get_progress(r, from, &counts);
    for (int i = 0, n = api->field_count(engine); !status && i < n; i++) {
        char name[80];
        engine_field f = api->field(engine, i);
        snprintf(name, sizeof name, "state.%s", f.name);
        status = taut_record_checkpoint_numbers(r->record, name, f.data, f.count, api->number_size);
    }
    if (status) return status;
    api->restored(engine, &counts);
    from->t = api->time(engine);
    r->committed = from->steps_done;
    const char *version = taut_record_property(r->record, "taut");
    if (version && strcmp(version, TAUT_VERSION) != 0)
        taut_note(r->context, "'%s' was begun by taut %s and continues with %s: from here on the last bits may differ",
             r->record->d.path, version, TAUT_VERSION);
    status = taut_writer_drop_after(r->writer, from->steps_done);
    if (!status) status = put_number(r->writer, "until", until);
    if (!status) status = taut_writer_property(r->writer, "status", "running");
    if (!status) status = taut_writer_property(r->writer, "message", "");
    return status;
}

/* ---- during the run ---- */

int taut_recorder_frame(recorder *r, const void *values)
{
    return taut_writer_frame(r->writer, r->api->steps(r->engine), values);
}

/* It belongs to the step in progress: a resumed run that repeats the step first removes it, then records it again. */
int taut_recorder_event(recorder *r, wide t, const char *name, const char *kind, wide impulse, const void *values)
{
    const record_event event = { r->api->steps(r->engine) + 1, (double)t, name, kind, (double)impulse };
    int status = taut_writer_event(r->writer, &event);
    return status || !values ? status : taut_writer_frame(r->writer, event.step, values);
}

static int commit(recorder *r, const run_result *at, int wait)
{
    double begun = clock_seconds();
    int done, status = put_checkpoint(r, at);
    if (!status) status = taut_writer_commit(r->writer, wait, &done);
    if (status) return status;
    r->looked = r->commit_time = clock_seconds();
    r->commit_cost = r->commit_time - begun;
    if (!done) return TAUT_OK; /* readers were in the way; the next time takes these frames along */
    r->committed = at->steps_done;
    if (r->interval < r->most) r->interval = 2 * r->interval < r->most ? 2 * r->interval : r->most;
    return TAUT_OK;
}

/* Reading the clock costs a fraction of a small step: read it some hundred times a second. */
static int is_due(recorder *r)
{
    if (r->committed < 0 || taut_writer_is_full(r->writer)) return 1;
    if (--r->look_in > 0) return 0;
    double t = clock_seconds(), passed = t - r->looked;
    r->looked = t;
    if (passed < 0.005 && r->look_every < 1000000) r->look_every *= 2;
    else if (passed > 0.02 && r->look_every > 1) r->look_every /= passed > 0.2 ? r->look_every : 2;
    r->look_in = r->look_every;
    double interval = r->interval > 10 * r->commit_cost ? r->interval : 10 * r->commit_cost;
    return t - r->commit_time >= interval;
}

int taut_recorder_after_step(recorder *r, const run_result *so_far)
{
    return is_due(r) ? commit(r, so_far, 0) : TAUT_OK;
}

int taut_recorder_finish(recorder *r, const run_result *result, int status)
{
    /* wait: a reader may be active, and this is the last chance */
    enum { PATIENCE = 60000 };
    const char *how = status ? "failed" : result->steps_done < result->steps_planned ? "stopped" : "finished";
    char message[TAUT_ERROR_TEXT];
    if (!taut_writer_is_whole(r->writer)) return TAUT_CANNOT_WRITE; /* said already */
    snprintf(message, sizeof message, "%s", status ? taut_error_text(r->context) : "");
    int done = 0, written = taut_writer_property(r->writer, "status", how);
    if (!written) written = taut_writer_property(r->writer, "message", message);
    if (!written) written = status ? put_extremes(r->writer, result) : put_checkpoint(r, result);
    if (!written) written = taut_writer_commit(r->writer, PATIENCE, &done);
    if (!written && !done) written = taut_fail(r->context, TAUT_CANNOT_WRITE,
        "another program has been reading the run file for a minute without a pause");
    if (written) return written;
    if (!status) r->committed = result->steps_done;
    if (status) taut_fail(r->context, status, "%s", message); /* the last word is the run's */
    return TAUT_OK;
}
