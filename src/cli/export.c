/* taut export */
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "record/export.h"

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

typedef int (*exporter)(taut_context *context, record *r, const char *path, const export_options *options);

static exporter find_exporter(const char *path)
{
    static const struct { const char *ending; exporter f;
    } all[] = { { ".csv", taut_export_csv },
                { ".h5", taut_export_hdf5 },
                { ".hdf5", taut_export_hdf5 },
                { ".xyz", taut_export_xyz } };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        size_t length = strlen(path), ending = strlen(all[i].ending);
        if (length > ending && strcmp(path + length - ending, all[i].ending) == 0) return all[i].f;
    }
    return NULL;
}

/* The columns named in the list, or all of them. */
static int choose(const record *r, const char *list, size_t **columns, size_t *count)
{
    char name[256];
    *count = 0;
    *columns = malloc((taut_record_column_count(r) + (list ? strlen(list) : 0) + 1) * sizeof **columns);
    if (!*columns) return complain(EXIT_FAILED, "out of memory");
    for (size_t i = 0; !list && i < taut_record_column_count(r); i++) (*columns)[(*count)++] = i;
    while (list) {
        size_t length = strcspn(list, ",");
        if (length >= sizeof name) return complain(EXIT_USAGE, "option --columns: no column has a name that long");
        memcpy(name, list, length);
        name[length] = 0;
        long column = taut_record_column_find(r, name);
        if (column < 0)
            return complain(EXIT_USAGE, "the run has no column '%s'; the first line of an export to .csv lists them",
                            name);
        (*columns)[(*count)++] = (size_t)column;
        list = list[length] ? list + length + 1 : NULL;
    }
    return EXIT_DONE;
}

static int export(taut_context *context, const options *o, exporter f)
{
    record *r = NULL;
    size_t *columns = NULL;
    export_options e = { 0 };
    wide every;
    if (number_option(o, "every", "1", &every)) return EXIT_USAGE;
    if (!(every >= 1) || every != WIDE(floor)(every) || every > (wide)1e15)
        return complain(EXIT_USAGE, "option --every needs a whole number of at least 1");
    e.every = (long)every;
    int status = taut_record_open(context, o->positional[0], &r), code = EXIT_DONE;
    if (!status) code = choose(r, options_value(o, "columns", NULL), &columns, &e.column_count);
    e.columns = columns;
    if (!status && !code) status = f(context, r, o->positional[1], &e);
    if (status) code = complain(exit_status_of(status), "%s", taut_error_text(context));
    taut_record_close(r);
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
    exporter f = find_exporter(o.positional[1]);
    if (!f) return complain(EXIT_USAGE, "'%s': the name of an export ends in .csv, .h5 or .xyz", o.positional[1]);
    taut_context *context = make_context();
    if (!context) return EXIT_FAILED;
    stop_reading(context);
    int code = export(context, &o, f);
    taut_context_destroy(context);
    return code;
}
