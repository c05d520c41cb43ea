/* taut merge */
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"
#include "cli/screen.h"

static int merge_main(int argc, char **argv);

static const option_definition definitions_of_merge[] = {
    { "output", 'o', "ALL.taut", "the file of all members", 0 },
    { "force", 0, NULL, "replace the file if there is one", 0 },
};

const command command_merge = {
    "merge", "PART.taut... -o ALL.taut [--force]", "parts of an ensemble as one file",
    definitions_of_merge, sizeof definitions_of_merge / sizeof *definitions_of_merge, merge_main,
    "The parts are files of 'taut ensemble' with the same model, settings and seed and other --members; members that\n"
    "two of them have must agree, to the last bit. The parts stay as they are.\n\n"
    "Exit status: 0 done, 1 the file could not be written, 2 bad usage or parts that do not belong together.\n"
};

static int merge_main(int argc, char **argv)
{
    options o;
    taut_members_merged p = { .size = sizeof p };
    int parsed = options_parse(&command_merge, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    const char *path = options_value(&o, "output", NULL);
    if (!path || !o.positional_count)
        return complain(EXIT_USAGE, "'taut merge' needs files and -o, as in: taut merge a.taut b.taut -o all.taut");
    const int replace = options_value(&o, "force", NULL) != NULL;
    if (!replace && access(path, F_OK) == 0)
        return complain(EXIT_USAGE, "'%s' exists: --force replaces it; or give -o another name", path);
    taut_context *context = make_context();
    if (!context) return EXIT_FAILED;
    int status = taut_members_merge(context, o.positional, (size_t)o.positional_count, path, replace, &p),
        code = EXIT_DONE;
    if (status)
        code =
            complain(status == TAUT_CANNOT_READ ? EXIT_USAGE : exit_status_of(status), "%s", taut_error_text(context));
    else
        printf("%s: %llu members, %llu of them failed%s\n", path, (unsigned long long)p.done,
               (unsigned long long)p.failed, p.done < p.members ? "; some are missing" : "");
    taut_context_destroy(context);
    char name[4096];
    if (!code) screen_next("taut report %s", screen_quoted(path, name, sizeof name));
    return code;
}
