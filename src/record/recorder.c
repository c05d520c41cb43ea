#include "record/recorder.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/text.h"
#include "record/checkpoint.h"
#include "run/plan.h"

struct recorder {
    taut_context *context;
    const engine_api *api;
    void *engine;
    char *file;                  /* of the model, as messages call it; NULL: the run is gone on with */
    writer *writer;
    record *record;              /* of a run that is gone on with */
    long committed;              /* -1: nothing yet */
    long written;                /* the step of the checkpoint that was written last, committed or not; -1: none */
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
    taut_mem_free(r->context, r->file);
    taut_mem_free(r->context, r);
}

static recorder *make(taut_context *context)
{
    recorder *r = taut_mem_new(context, 1, sizeof *r);
    if (!r) return NULL;
    r->context = context;
    r->committed = r->written = -1;
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

/* What makes a run the run that it is. */
static const char *const identity_names[] = { "model", "source", "method", "precision", "start",
                                              "contacts", "step", "every", "tolerance" };
enum { IDENTITY = sizeof identity_names / sizeof *identity_names };

/* The values of those names (NULL: none) and the settings, as 64 digits. */
static void identify(const char *const values[IDENTITY], const definition *settings, size_t count,
                     char text[2 * SHA256_SIZE + 1])
{
    unsigned char digest[SHA256_SIZE];
    sha256 sum;
    taut_sha256_begin(&sum);
    for (int i = 0; i < IDENTITY; i++)
        taut_record_sum(&sum, identity_names[i], values[i] ? values[i] : "", values[i] ? strlen(values[i]) : 0);
    for (size_t i = 0; i < count; i++)
        taut_record_sum(&sum, settings[i].name, settings[i].value, strlen(settings[i].value));
    taut_sha256_end(&sum, digest);
    taut_sha256_text(digest, text);
}

static int put_identity(writer *w, const recorder_subject *s)
{
    char step[WIDE_TEXT], every[WIDE_TEXT], tolerance[WIDE_TEXT], text[2 * SHA256_SIZE + 1];
    const engine_options *e = s->engine;
    taut_wide_shortest(step, sizeof step, s->run->step);
    taut_wide_shortest(every, sizeof every, s->run->every);
    taut_wide_shortest(tolerance, sizeof tolerance, e->tolerance);
    const char *const values[IDENTITY] = { taut_text_file_name(s->m->file), s->m->source, e->method, s->api->name,
                                           start_mode_name(e->start), e->active_set ? "active-set" : "event",
                                           step, every, tolerance };
    identify(values, s->definitions, s->definition_count, text);
    return taut_writer_property(w, "identity", text);
}

/* Is the file's head what it was when the run began? One without identity is of an earlier Taut. */
static int check_identity(const recorder *z)
{
    const record *r = z->record;
    const char *values[IDENTITY], *told = taut_record_property(r, "identity");
    char text[2 * SHA256_SIZE + 1];
    const size_t count = taut_record_setting_count(r);
    if (!told) return TAUT_OK;
    definition *settings = taut_mem_new(z->context, count, sizeof *settings);
    if (!settings) return TAUT_OUT_OF_MEMORY;
    for (int i = 0; i < IDENTITY; i++) values[i] = taut_record_property(r, identity_names[i]);
    for (size_t i = 0; i < count; i++) taut_record_setting(r, i, &settings[i].name, &settings[i].value);
    identify(values, settings, count, text);
    taut_mem_free(z->context, settings);
    return strcmp(told, text) == 0
               ? TAUT_OK
               : taut_fail(z->context, TAUT_CANNOT_READ,
                           "'%s' cannot be resumed: its model, settings or method were changed after the run began; "
                           "start a new run with them",
                           r->d.path);
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
                               { "model", taut_text_file_name(s->m->file) },
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
    return status ? status : put_identity(w, s);
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
    return o->every > 0 ? (double)taut_run_plan(o->begin, o->until, o->step).steps / (double)o->every : 0;
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
    if (!(r->file = taut_mem_text(context, subject->m->file))) {
        taut_recorder_close(r);
        return TAUT_OUT_OF_MEMORY;
    }
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
    if (!status) status = check_identity(r);
    if (status)
        taut_recorder_close(r);
    else
        *result = r;
    return status;
}

int taut_recorder_restore(recorder *r, const engine_api *api, void *engine, wide until, run_result *from)
{
    *from = (run_result){ 0 };
    r->api = api;
    r->engine = engine;
    int status = check_columns(r);
    if (!status) status = taut_checkpoint_read(r->record, api, engine, from);
    if (status) return status;
    r->committed = r->written = from->steps_done;
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

static int write_checkpoint(recorder *r, const run_result *at)
{
    int status = taut_checkpoint_write(r->writer, r->api, r->engine, at);
    if (!status) r->written = at->steps_done;
    return status;
}

static int commit(recorder *r, const run_result *at, int wait)
{
    double begun = clock_seconds();
    int done, status = write_checkpoint(r, at);
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
    if (taut_writer_is_full(r->writer)) return 1;
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
    /* The first checkpoint waits for the first commit. A run that is over before pays for one of them, and one that
       fails can be resumed. */
    int status = r->written < 0 ? write_checkpoint(r, so_far) : TAUT_OK;
    if (status) return status;
    return is_due(r) ? commit(r, so_far, 0) : TAUT_OK;
}

/* What a run file says goes to others: names of files, without folders. */
static int put_message(recorder *r, const char *message)
{
    char text[TAUT_ERROR_TEXT];
    snprintf(text, sizeof text, "%s", message);
    if (r->file) taut_text_hide_folder(text, r->file);
    return taut_writer_property(r->writer, "message", text);
}

int taut_recorder_finish(recorder *r, const run_result *result, int status)
{
    /* wait: a reader may be active, and this is the last chance */
    enum { PATIENCE = 60000 };
    const int whole = !status && result->steps_done == result->steps_planned;
    const char *how = whole ? "finished" : !status || status == TAUT_STOPPED ? "stopped" : "failed";
    char message[TAUT_ERROR_TEXT];
    if (!taut_writer_is_whole(r->writer)) return TAUT_CANNOT_WRITE; /* said already */
    snprintf(message, sizeof message, "%s", status ? taut_error_text(r->context) : "");
    int done = 0, written = taut_writer_property(r->writer, "status", how);
    if (!written) written = put_message(r, message);
    if (!written) written = status ? taut_checkpoint_extremes(r->writer, result)
                                  : write_checkpoint(r, result);
    if (!written) written = taut_writer_commit(r->writer, PATIENCE, &done);
    if (!written && !done) written = taut_fail(r->context, TAUT_CANNOT_WRITE,
        "another program has been reading the run file for a minute without a pause");
    if (written) return written;
    if (!status || r->committed < 0) r->committed = r->written;
    if (status) taut_fail(r->context, status, "%s", message); /* the last word is the run's */
    return TAUT_OK;
}
