/* taut resume */
#include <stdio.h>

#include "cli/session.h"
#include "cli/sweeping.h"

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

static int resume(session *z, const options *o, const char *path)
{
    wide until;
    taut_session_spec *spec = &z->spec;
    spec->until = options_value(o, "until", NULL);
    if ((spec->until && number_option(o, "until", "", &until)) || native_option(o, &spec->native) ||
        threads_option(o, &spec->threads))
        return EXIT_USAGE;
    z->native_asked = options_value(o, "native", NULL) != NULL;
    z->resumed = 1;
    session_prepare(z, path);
    const int status = taut_session_open(z->context, path, spec, &z->session);
    if (status)
        return complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "%s", taut_error_text(z->context));
    taut_session_info info = { .size = sizeof info };
    taut_session_about(z->session, &info);
    if (!info.finished) return session_run(z);
    char end[WIDE_TEXT];
    taut_wide_shortest(end, sizeof end, wide_of(info.until));
    printf("%s is finished, at t = %s. To continue: taut resume %s -T END\n", path, end, path);
    return EXIT_DONE;
}

/* 1: the file is that of an ensemble, and *code what became of it. */
static int resumed_ensemble(taut_context *context, const char *path, const options *o, int *code)
{
    taut_file *file = NULL;
    if (taut_file_open(context, path, &file)) return 0; /* a single run says why */
    const int is = taut_file_is_ensemble(file);
    if (is) *code = sweep_resume(context, file, path, o);
    taut_file_close(file);
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
    int code = EXIT_DONE;
    if (!resumed_ensemble(z.context, o.positional[0], &o, &code)) code = resume(&z, &o, o.positional[0]);
    session_clear(&z);
    return code;
}
