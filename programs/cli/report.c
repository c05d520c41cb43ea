/* taut report */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/screen.h"

static int report_main(int argc, char **argv);

static const option_definition definitions_of_report[] = {
    { "output", 'o', "FILE", "the page (the run's name with .html)", 0 },
    { "from", 0, "T", "the part of the run from this time (its start)", 0 },
    { "to", 0, "T", "to this time (its end)", 0 },
    { "every", 0, "K", "every K-th frame of it (1)", 0 },
    { "meshes", 0, "FOLDER", "where the meshes that the model draws are (beside the run file)", 0 },
};

const command command_report = {
    "report", "RUN.taut [-o page.html] [--from T] [--to T] [--every K] [--meshes FOLDER]",
    "a page of a run or an ensemble: animation, plots, what was kept",
    definitions_of_report, sizeof definitions_of_report / sizeof *definitions_of_report, report_main,
    "The page is one file that needs nothing else, not even a network: open it in a browser. Of a long run it has\n"
    "the first frames and a summary of the others; --from and --to choose the part to see in full.\n\n"
    "Exit status: 0 done, 1 the page could not be written, 2 bad usage or not a run.\n"
};

typedef struct {
    taut_file *run;
    taut_page_options part;
    FILE *file;
    int error;
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

/* What cannot be written is seen when the file is closed. */
static int put(void *user, const char *data, size_t size)
{
    page_source *z = user;
    if (fwrite(data, 1, size, z->file) != size) z->error = errno;
    return 0;
}

static int write_page(void *user, FILE *file)
{
    page_source *z = user;
    z->file = file;
    const int status = taut_page_part(z->run, &z->part, put, z);
    if (z->error) errno = z->error;
    return status;
}

static int report_main(int argc, char **argv)
{
    options o;
    double from, to;
    taut_page_options part = { .size = sizeof part, .from = &from, .to = &to };
    int parsed = options_parse(&command_report, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    if (o.positional_count != 1)
        return complain(EXIT_USAGE, "'taut report' needs one run file, as in: taut report run.taut");
    part.meshes = options_value(&o, "meshes", NULL);
    if (part_option(&o, &from, &to, &part.every)) return EXIT_USAGE;
    taut_context *context = make_context();
    if (!context) return EXIT_FAILED;
    stop_reading(context);
    taut_file *run = NULL;
    int status = taut_file_open(context, o.positional[0], &run), code = EXIT_DONE;
    if (status) {
        code = complain(exit_status_of(status), "%s", taut_error_text(context));
    } else {
        char *otherwise = name_of_page(o.positional[0]);
        const char *path = options_value(&o, "output", otherwise);
        page_source source = { .run = run, .part = part };
        code = path ? write_whole_file(context, path, write_page, &source) : complain(EXIT_FAILED, "out of memory");
        if (!code) put_output_name(path);
        if (!code) screen_next("open %s in a browser", path);
        free(otherwise);
    }
    taut_file_close(run);
    taut_context_destroy(context);
    return code;
}
