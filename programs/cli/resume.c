/* taut resume */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/session.h"
#include "cli/sweeping.h"
#include "record/sweep_file.h"

static int resume_main(int argc, char **argv);

static const option_definition definitions_of_resume[] = {
    { "until", 'T', "END", "another end time (that of the run)", 0 },
    OPTION_NATIVE,
    OPTION_THREADS,
};

const command command_resume = {
    "resume", "RUN.taut [-T END] [--native auto|on|off] [--threads N]", "continue a recorded run or ensemble",
    definitions_of_resume, sizeof definitions_of_resume / sizeof *definitions_of_resume, resume_main,
    "The model, the method and everything else are those of the run file. The frames that follow are, to the last\n"
    "bit, those of a run that was never interrupted. Of an ensemble the members that are missing are run.\n\n"
    "Exit status: as for 'taut run'; 0 also when the run is finished already.\n"
};

/* The numbers that the run was started with, and how its steps are computed now. */
typedef struct {
    wide step, until, every, tolerance;
    int native, threads;
} numbers;

static int read_numbers(taut_context *context, const record *r, const char *path, numbers *n)
{
    const struct { const char *name; wide *value; } all[] = {
        { "step", &n->step }, { "until", &n->until }, { "every", &n->every }, { "tolerance", &n->tolerance } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        const char *text = taut_record_property(r, all[i].name);
        if (!text || taut_wide_parse(text, all[i].value))
            return taut_fail(context, TAUT_CANNOT_READ, "'%s' is damaged: '%s' of the run is not a number", path,
                        all[i].name);
    }
    static const char *const texts[] = { "source", "model", "method", "precision", "start", "status" };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!taut_record_property(r, texts[i]))
            return taut_fail(context, TAUT_CANNOT_READ, "'%s' is damaged: it has no '%s'", path, texts[i]);
    return TAUT_OK;
}

static int load(session *z, const record *r)
{
    const char *source = taut_record_property(r, "source");
    size_t count = taut_record_setting_count(r);
    definition *d = calloc(count + 1, sizeof *d);
    if (!d) return taut_fail(z->context, TAUT_OUT_OF_MEMORY, "out of memory");
    for (size_t i = 0; i < count; i++) taut_record_setting(r, i, &d[i].name, &d[i].value);
    int status =
        taut_model_read_text(z->context, taut_record_property(r, "model"), source, strlen(source), d, count, &z->m);
    free(d);
    return status;
}

/* START_MODES: none. */
static start_mode start_of(const char *name)
{
    start_mode mode = START_STRICT;
    while (mode < START_MODES && strcmp(name, start_mode_name(mode)) != 0) mode++;
    return mode;
}

/* What `taut run` would have refused, no run file has. */
static int check_numbers(const session *z, const record *r, const numbers *n)
{
    const char *wrong = NULL;
    if (!(n->every >= 1 && n->every <= (wide)1e15 && n->every == (wide)(long)n->every)) wrong = "every";
    if (!(n->tolerance >= 0 && n->tolerance < TOLERANCE_BELOW)) wrong = "tolerance";
    if (start_of(taut_record_property(r, "start")) == START_MODES) wrong = "start";
    if (!wrong) return TAUT_OK;
    return taut_fail(z->context, TAUT_CANNOT_READ, "'%s' is damaged: '%s' of the run is '%.60s'", z->path, wrong,
                     taut_record_property(r, wrong));
}

/* Model, engine and state out of the file. */
static int restore(session *z, const numbers *n, run_result *from)
{
    const record *r = taut_recorder_record(z->recorder);
    z->method = taut_record_property(r, "method");
    z->api = taut_engine_find(taut_record_property(r, "precision"));
    if (!z->api)
        return taut_fail(z->context, TAUT_UNSUPPORTED, "'%s' is a run in %s precision, which this build does not have",
                    z->path, taut_record_property(r, "precision"));
    const char *start = taut_record_property(r, "start"), *contacts = taut_record_property(r, "contacts");
    const engine_options e = { .method = z->method,
                               .tolerance = n->tolerance,
                               .start = start_of(start),
                               .step = n->step,
                               .native = n->native,
                               .threads = n->threads,
                               .active_set = contacts && strcmp(contacts, "active-set") == 0 };
    z->options.step = n->step;
    z->options.until = n->until;
    z->options.every = (long)n->every;
    int status = load(z, r);
    if (!status) status = z->api->create(z->m, &e, &z->engine);
    if (!status) status = taut_recorder_restore(z->recorder, z->api, z->engine, n->until, from);
    z->options.from = from;
    return status ? status : taut_run_check_options(z->context, &z->options);
}

static int resume(session *z, const options *o)
{
    run_result from = { 0 };
    numbers n = { 0 };
    int code, status = taut_recorder_open(z->context, z->path, &z->recorder);
    const record *r = status ? NULL : taut_recorder_record(z->recorder);
    if (!status) status = read_numbers(z->context, r, z->path, &n);
    if (!status) status = check_numbers(z, r, &n);
    if (!status) status = taut_record_check_cells(r);
    if (status) return complain(EXIT_USAGE, "%s", taut_error_text(z->context));
    if (strcmp(taut_record_property(r, "status"), "finished") == 0 && !options_value(o, "until", NULL)) {
        printf("%s is finished, at t = %s. To continue: taut resume %s -T END\n", z->path,
               taut_record_property(r, "until"), z->path);
        return EXIT_DONE;
    }
    if (number_option(o, "until", taut_record_property(r, "until"), &n.until)) return EXIT_USAGE;
    if (native_option(o, &n.native) || threads_option(o, &n.threads)) return EXIT_USAGE;
    z->native_asked = options_value(o, "native", NULL) != NULL;
    session_prepare(z);
    status = restore(z, &n, &from);
    code = status ? complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "%s", taut_error_text(z->context))
                  : session_run(z);
    taut_run_result_clear(z->context, &from);
    return code;
}

/* 1: the file is that of an ensemble, and *code what became of it. */
static int resumed_ensemble(taut_context *context, const char *path, const options *o, int *code)
{
    record *r = NULL;
    if (taut_record_open(context, path, &r)) return 0; /* a single run says why */
    const int is = taut_sweep_is(r);
    if (is) *code = sweep_resume(context, r, path, o);
    taut_record_close(r);
    return is;
}

static int resume_main(int argc, char **argv)
{
    options o;
    session z = { 0 };
    int parsed = options_parse(&command_resume, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    if (o.positional_count != 1)
        return complain(EXIT_USAGE, "'taut resume' needs one run file, as in: taut resume run.taut");
    if (!(z.context = make_context())) return EXIT_FAILED;
    z.path = o.positional[0];
    int code = EXIT_DONE;
    if (!resumed_ensemble(z.context, z.path, &o, &code)) code = resume(&z, &o);
    session_clear(&z);
    return code;
}
