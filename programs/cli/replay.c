/* taut replay */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/session.h"
#include "cli/sweeping.h"
#include "record/sweep_file.h"

static int replay_main(int argc, char **argv);

static const option_definition definitions_of_replay[] = {
    { "member", 0, "K", "the member, counted from 0", 0 },
    { "output", 'o', "RUN.taut", "record frames and checkpoints in a run file", 0 },
    { "force", 0, NULL, "replace the run file if there is one", 0 },
    { "csv", 0, NULL, "write frames to standard output", 0 },
    { "every", 0, "K", "a frame every K steps, and one at the end (1)", 0 },
    { "until", 'T', "END", "another end time (that of the ensemble)", 0 },
    OPTION_NATIVE,
    OPTION_THREADS,
};

const command command_replay = {
    "replay",
    "FILE.taut --member K [-o RUN.taut] [--force] [--csv] [--every K] [-T END] [--native auto|on|off] "
    "[--threads N]",
    "a member of an ensemble as a single run",
    definitions_of_replay,
    sizeof definitions_of_replay / sizeof *definitions_of_replay,
    replay_main,
    "The run has all columns and, to the last bit, the numbers that the ensemble kept of the member (unless it was "
    "made\n"
    "with --fast). 'taut report' shows it.\n\n"
    "Exit status: as for 'taut run'.\n"
};

/* The params of the member as settings, so that the run file says them, too. */
typedef struct {
    definition *items;
    char (*texts)[WIDE_TEXT];
    size_t count;
} settings;

static int list_settings(const sweep_stored *stored, const model *m, const executor_vary *vary, settings *s)
{
    const sweep_spec *spec = &stored->spec;
    const size_t varied = stored->sample->count;
    s->items = calloc(spec->definition_count + varied + 1, sizeof *s->items);
    s->texts = calloc(varied + 1, sizeof *s->texts);
    if (!s->items || !s->texts) return complain(EXIT_FAILED, "out of memory");
    for (; s->count < spec->definition_count; s->count++) s->items[s->count] = spec->definitions[s->count];
    for (size_t i = 0; i < varied; i++) {
        if (vary[i].kind != VARY_PARAMETER) continue;
        const parameter *p = &m->parameters[vary[i].index];
        taut_wide_shortest(s->texts[i], WIDE_TEXT, p->value);
        s->items[s->count++] = (definition){ p->name, s->texts[i], 0 };
    }
    return EXIT_DONE;
}

static int member_model(session *z, const sweep_stored *stored, uint64_t member, settings *s)
{
    const size_t count = stored->sample->count;
    executor_vary *vary = calloc(count + 1, sizeof *vary);
    char **names = calloc(count + 1, sizeof *names);
    double *values = calloc(count + 1, sizeof *values);
    int status = vary && names && values ? taut_sweep_resolve(z->context, stored->m, stored->sample, vary, names)
                                         : taut_fail(z->context, TAUT_OUT_OF_MEMORY, "out of memory");
    if (!status) {
        taut_sample_values(stored->sample, member, values);
        status = taut_member_model(z->context, stored->m, vary, count, values, &z->m);
    }
    int code = status ? complain(exit_status_of(status), "%s", taut_error_text(z->context)) : EXIT_DONE;
    if (!code) code = list_settings(stored, z->m, vary, s);
    for (size_t i = 0; names && i < count; i++) taut_mem_free(z->context, names[i]);
    free(vary);
    free(names);
    free(values);
    return code;
}

static int replay(session *z, const options *o, const sweep_stored *stored, uint64_t member, const settings *s)
{
    engine_options e = { .method = stored->method, .tolerance = stored->spec.tolerance, .start = stored->spec.start,
                         .step = stored->spec.step };
    wide every;
    const int replace = options_value(o, "force", NULL) != NULL;
    z->api = &taut_engine_double;
    z->method = stored->method;
    z->csv = options_value(o, "csv", NULL) != NULL;
    z->path = options_value(o, "output", NULL);
    z->options.step = stored->spec.step;
    z->options.until = stored->spec.until;
    if (options_value(o, "until", NULL) && number_option(o, "until", "0", &z->options.until)) return EXIT_USAGE;
    if (number_option(o, "every", "1", &every) || native_option(o, &e.native) || threads_option(o, &e.threads))
        return EXIT_USAGE;
    if (!(every >= 1) || every != WIDE(floor)(every) || every > (wide)1e15)
        return complain(EXIT_USAGE, "option --every needs a whole number of at least 1");
    z->options.every = z->csv || z->path ? (long)every : 0;
    z->native_asked = options_value(o, "native", NULL) != NULL;
    session_prepare(z);
    if (!replace && z->path && access(z->path, F_OK) == 0)
        return complain(EXIT_USAGE, "'%s' exists: --force replaces it; or give -o another name", z->path);
    const recorder_subject subject = { z->m, s->items, s->count, z->api, &e, &z->options };
    int status = taut_run_check_options(z->context, &z->options);
    if (!status) status = z->api->create(z->m, &e, &z->engine);
    if (!status && z->path)
        status = taut_recorder_create(z->context, z->path, replace, &subject, z->engine, &z->recorder);
    if (status)
        return complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "member %llu: %s%s",
                        (unsigned long long)member, taut_error_text(z->context), advice_on(status));
    return session_run(z);
}

static int open_member(session *z, const options *o, sweep_stored *stored, uint64_t *member)
{
    record *r = NULL;
    char *end;
    const char *text = options_value(o, "member", NULL), *path = o->positional[0];
    if (!text) return complain(EXIT_USAGE, "option --member is missing: which one, as in --member 17");
    *member = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end)
        return complain(EXIT_USAGE, "option --member needs a number, not '%s'", text);
    int status = taut_record_open(z->context, path, &r), code = EXIT_DONE;
    if (!status && !taut_sweep_is(r))
        code = complain(EXIT_USAGE, "'%s' is a single run, not an ensemble", path);
    else if (!status)
        status = taut_sweep_load(z->context, r, stored);
    if (status) code = complain(exit_status_of(status), "%s", taut_error_text(z->context));
    if (!code && (*member < stored->spec.first || *member > stored->spec.last))
        code = complain(EXIT_USAGE, "option --member: '%s' has members %llu to %llu, not %s", path,
                        (unsigned long long)stored->spec.first, (unsigned long long)stored->spec.last, text);
    taut_record_close(r);
    return code;
}

static int replay_main(int argc, char **argv)
{
    options o;
    session z = { 0 };
    sweep_stored stored = { 0 };
    settings s = { 0 };
    uint64_t member = 0;
    int parsed = options_parse(&command_replay, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    if (o.positional_count != 1)
        return complain(EXIT_USAGE, "'taut replay' needs one file of an ensemble, as in: taut replay sweep.taut "
                                    "--member 17 -o one.taut");
    if (!(z.context = make_context())) return EXIT_FAILED;
    int code = open_member(&z, &o, &stored, &member);
    if (!code) code = member_model(&z, &stored, member, &s);
    if (!code) code = replay(&z, &o, &stored, member, &s);
    free(s.items);
    free(s.texts);
    taut_sweep_stored_clear(z.context, &stored);
    session_clear(&z);
    return code;
}
