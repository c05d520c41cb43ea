/* taut: the command. */
#include <errno.h>
#include <malloc.h>
#include <stdio.h>
#include <string.h>

#include "base/near.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/wrap.h"

static const command *const commands[] = {
    &command_run, &command_resume, &command_report, &command_render, &command_plot, &command_export,
    &command_compare, &command_check, &command_converge, &command_verify, &command_reproduce, &command_compile,
    &command_ensemble, &command_replay, &command_merge, &command_import, &command_methods,
};
#define COMMAND_COUNT (sizeof commands / sizeof *commands)

static void help(void)
{
    puts("taut: constrained mechanics without drift\n");
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        char arguments[48]; /* those that are no options, and that there are some */
        const command *c = commands[i];
        const char *first = strstr(c->arguments, "[-");
        snprintf(arguments, sizeof arguments, "%.*s[options]", first ? (int)(first - c->arguments) : 0, c->arguments);
        printf("  taut %-9s %-26s %s\n", c->name, c->option_count ? arguments : c->arguments, c->summary);
    }
    puts("\n  taut COMMAND --help       the options of a command\n"
         "  taut --version            version and precisions\n\n"
         "Try: taut run models/pendulum.lua -m rattle -s 0.01 -T 10");
}

static void version(void)
{
    printf("taut %s (precision: double%s)\n", TAUT_VERSION, strcmp(widest_precision(), "quad") == 0 ? ", quad" : "");
}

static int no_such_command(const char *name)
{
    char text[NEAR_TEXT];
    near_word n = taut_near(name);
    for (size_t i = 0; i < COMMAND_COUNT; i++) taut_near_try(&n, commands[i]->name);
    return complain(EXIT_USAGE, "there is no command '%s'; %s'taut --help' lists them", name,
                    taut_near_text(&n, "", text));
}

static int run_command(int argc, char **argv)
{
    if (argc < 2) {
        help();
        return EXIT_DONE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        if (argc == 2) help();
        for (size_t i = 0; argc > 2 && i < COMMAND_COUNT; i++)
            if (strcmp(argv[2], commands[i]->name) == 0) {
                options_help(commands[i]);
                return EXIT_DONE;
            }
        return argc > 2 ? no_such_command(argv[2]) : EXIT_DONE;
    }
    if (strcmp(name, "--version") == 0) {
        version();
        return EXIT_DONE;
    }
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        if (strcmp(name, commands[i]->name) == 0) return commands[i]->main(argc - 2, argv + 2);
    return no_such_command(name);
}

/* A full disk must not look like success. */
int main(int argc, char **argv)
{
#ifdef __GLIBC__
    mallopt(M_TRIM_THRESHOLD, 32 << 20); /* what one commit gives back, the next one would ask for again */
#endif
    signals_begin();
    wrap_begin();
    int code = run_command(argc, argv);
    answer_end(code);
    if (wrap_end() && code == EXIT_DONE)
        code = complain(EXIT_FAILED, "cannot write to standard output: %s", strerror(errno));
    return code;
}
