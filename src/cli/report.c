/* taut report */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "report/template.h"
#include "report/page.h"

static int report_main(int argc, char **argv);

static const option_definition definitions_of_report[] = {
    { "output", 'o', "FILE", "the page (the run's name with .html)", 0 },
};

const command command_report = {
    "report", "RUN.taut [-o page.html]", "a page of a run: animation, plots, what was kept",
    definitions_of_report, sizeof definitions_of_report / sizeof *definitions_of_report, report_main,
    "The page is one file that needs nothing else, not even a network: open it in a browser.\n\n"
    "Exit status: 0 done, 1 the page could not be written, 2 bad usage or not a run.\n"
};

typedef struct {
    taut_context *context;
    record *r;
} page_source;

/* run.taut -> run.html */
static char *name_of_page(const char *path)
{
    size_t length = strlen(path);
    if (length > 5 && strcmp(path + length - 5, ".taut") == 0) length -= 5;
    char *name = malloc(length + 6);
    if (name) sprintf(name, "%.*s.html", (int)length, path);
    return name;
}

static int write_page(void *user, FILE *file)
{
    const page_source *z = user;
    return taut_page_write(z->context, z->r, (const char *)taut_template_page, taut_template_page_size, file);
}

static int report_main(int argc, char **argv)
{
    options o;
    int parsed = options_parse(&command_report, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    if (o.positional_count != 1)
        return complain(EXIT_USAGE, "'taut report' needs one run file, as in: taut report run.taut");
    taut_context *context = make_context();
    if (!context) return EXIT_FAILED;
    record *r = NULL;
    int status = taut_record_open(context, o.positional[0], &r), code = EXIT_DONE;
    if (status) {
        code = complain(exit_status_of(status), "%s", taut_error_text(context));
    } else {
        char *otherwise = name_of_page(o.positional[0]);
        const char *path = options_value(&o, "output", otherwise);
        page_source source = { context, r };
        code = path ? write_whole_file(context, path, write_page, &source) : complain(EXIT_FAILED, "out of memory");
        if (!code) printf("%s\n", path);
        free(otherwise);
    }
    taut_record_close(r);
    taut_context_destroy(context);
    return code;
}
