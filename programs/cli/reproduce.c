/* taut reproduce */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/screen.h"
#include "reproduce/reproduce.h"

static int reproduce_main(int argc, char **argv);

static const option_definition definitions_of_reproduce[] = {
    { "output", 'o', "DIR", "where results and pages go (reproduction)", 0 },
    { "short", 0, NULL, "only what takes seconds; about a minute in all", 0 },
    { "jobs", 'j', "N", "number of processes at a time (2)", 0 },
    { "again", 0, NULL, "compute again what DIR already contains", 0 },
};

const command command_reproduce = {
    "reproduce", "[PAPER]... [-o DIR] [--short] [--jobs N] [--again]",
    "the papers' tables and figures, computed and compared",
    definitions_of_reproduce, sizeof definitions_of_reproduce / sizeof *definitions_of_reproduce, reproduce_main,
    "PAPER is gonzalez, seiler, man-gao-zhong, jay-simeon or wendlandt-marsden; or comparison, all families of\n"
    "methods on the same problems. Without one, all are run. For each, DIR/PAPER.html shows tables next to the\n"
    "published ones, figures, the claims of the text and the misprints. What is finished is kept in DIR: an\n"
    "interrupted run continues where it stopped.\n\n"
    "Exit status: 0 all figures lie in their bands, 1 one does not or could not be computed, 2 bad usage.\n"
};

static int reproduce_main(int argc, char **argv)
{
    options o;
    wide jobs;
    char root[4200], papers[1024] = "";
    int help = options_parse(&command_reproduce, argc, argv, &o);
    if (help) return help > 0 ? EXIT_DONE : EXIT_USAGE;
    if (number_option(&o, "jobs", "2", &jobs)) return EXIT_USAGE;
    if (!(jobs >= 1 && jobs <= 1024))
        return complain(EXIT_USAGE, "option --jobs needs a number of processes from 1 to 1024");
    for (int i = 0; i < o.positional_count; i++) {
        if (strlen(papers) + strlen(o.positional[i]) + 2 > sizeof papers)
            return complain(EXIT_USAGE, "the names of papers are too long");
        strcat(strcat(papers, o.positional[i]), " ");
    }
    if (!reproduce_root(root, sizeof root))
        return complain(EXIT_USAGE,
                        "the experiments (folder reproduce) are neither next to this program nor in ../share/taut; "
                        "set TAUT_SHARE to the folder that holds reproduce and models");
    reproduce_options chosen = { root,
                                 papers,
                                 options_value(&o, "output", "reproduction"),
                                 options_value(&o, "short", NULL) != NULL,
                                 options_value(&o, "again", NULL) != NULL,
                                 (int)jobs,
                                 screen_is_quiet() };
    return reproduce_run(&chosen);
}
