/* taut export */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

static int export_main(int argc, char **argv);

static const option_definition definitions_of_export[] = {
    { "columns", 0, "LIST", "names separated by commas, for .csv and .h5 (all)", 0 },
    { "every", 0, "K", "every K-th frame, from the first (1)", 0 },
};

const command command_export = {
    "export", "RUN.taut FILE [--columns LIST] [--every K]", "a recorded run as .csv, .h5 (HDF5) or .xyz",
    definitions_of_export, sizeof definitions_of_export / sizeof *definitions_of_export, export_main,
    "FILE.csv is what 'taut run --csv' writes. FILE.h5 has a dataset per column. FILE.xyz has the points of the\n"
    "model (extended XYZ). An existing FILE is replaced. A run that is still being written is exported as far\n"
    "as it is committed.\n"
};

static int is_export(const char *path)
{
    const char *ending;
    for (size_t i = 0; (ending = taut_export_ending(i)); i++) {
        const size_t length = strlen(path), size = strlen(ending);
        if (length > size && strcmp(path + length - size, ending) == 0) return 1;
    }
    return 0;
}

/* The columns named in the list, or all of them. */
static int choose(const taut_file *file, const char *list, size_t **columns, size_t *count)
{
    char name[256];
    *count = 0;
    *columns = malloc((taut_file_columns(file) + (list ? strlen(list) : 0) + 1) * sizeof **columns);
    if (!*columns) return complain(EXIT_FAILED, "out of memory");
    for (size_t i = 0; !list && i < taut_file_columns(file); i++) (*columns)[(*count)++] = i;
    while (list) {
        size_t length = strcspn(list, ",");
        if (length >= sizeof name) return complain(EXIT_USAGE, "option --columns: no column has a name that long");
        memcpy(name, list, length);
        name[length] = 0;
        long column = taut_file_find(file, name);
        if (column < 0)
            return complain(EXIT_USAGE, "the run has no column '%s'; the first line of an export to .csv lists them",
                            name);
        (*columns)[(*count)++] = (size_t)column;
        list = list[length] ? list + length + 1 : NULL;
    }
    return EXIT_DONE;
}

static int export(taut_context *context, const options *o)
{
    taut_file *file = NULL;
    size_t *columns = NULL;
    taut_export e = { .size = sizeof e };
    wide every;
    if (number_option(o, "every", "1", &every)) return EXIT_USAGE;
    if (!(every >= 1) || every != WIDE(floor)(every) || every > (wide)1e15)
        return complain(EXIT_USAGE, "option --every needs a whole number of at least 1");
    e.every = (long)every;
    int status = taut_file_open(context, o->positional[0], &file), code = EXIT_DONE;
    if (!status) code = choose(file, options_value(o, "columns", NULL), &columns, &e.column_count);
    e.columns = columns;
    if (!status && !code) status = taut_file_export(file, o->positional[1], &e);
    if (status) code = complain(exit_status_of(status), "%s", taut_error_text(context));
    taut_file_close(file);
    free(columns);
    return code;
}

static int export_main(int argc, char **argv)
{
    options o;
    int parsed = options_parse(&command_export, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    if (o.positional_count != 2)
        return complain(EXIT_USAGE,
                        "'taut export' needs a run file and the file to write, as in: taut export run.taut run.csv");
    if (!is_export(o.positional[1]))
        return complain(EXIT_USAGE, "'%s': the name of an export ends in .csv, .h5 or .xyz", o.positional[1]);
    taut_context *context = make_context();
    if (!context) return EXIT_FAILED;
    stop_reading(context);
    int code = export(context, &o);
    taut_context_destroy(context);
    return code;
}
