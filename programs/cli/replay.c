/* taut replay */
#include <stdlib.h>

#include "cli/session.h"

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

static int replay(session *z, const options *o, uint64_t member)
{
    wide until;
    int code = session_options(z, o);
    if (code) return code;
    z->spec.until = options_value(o, "until", NULL);
    if (z->spec.until && number_option(o, "until", "", &until)) return EXIT_USAGE;
    code = session_refuse_file(z, "");
    if (code) return code;
    const int status = taut_session_of_member(z->context, o->positional[0], member, &z->spec, &z->session);
    if (status)
        return complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "%s%s", taut_error_text(z->context),
                        advice_on(status));
    return session_run(z);
}

static int replay_main(int argc, char **argv)
{
    options o;
    session z = { 0 };
    char *end;
    int parsed = options_parse(&command_replay, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    if (o.positional_count != 1)
        return complain(EXIT_USAGE, "'taut replay' needs one file of an ensemble, as in: taut replay sweep.taut "
                                    "--member 17 -o one.taut");
    const char *text = options_value(&o, "member", NULL);
    if (!text) return complain(EXIT_USAGE, "option --member is missing: which one, as in --member 17");
    const uint64_t member = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end)
        return complain(EXIT_USAGE, "option --member needs a number, not '%s'", text);
    int code = (z.context = make_context()) ? replay(&z, &o, member) : EXIT_FAILED;
    session_clear(&z);
    return code;
}
