/* taut import: a robot description (URDF or MJCF) as a model of bodies and joints, to go on with. */
#include <unistd.h>

#include "base/new_file.h"
#include "cli/cli.h"
#include "cli/screen.h"
#include "import/import.h"

static int import_main(int argc, char **argv);

static const option_definition definitions_of_import[] = {
    { "output", 'o', "MODEL.lua", "the file to write; without it the model goes to standard output", 0 },
    { "force", 0, NULL, "replace the file if there is one", 0 },
};

const command command_import = {
    "import", "ROBOT [-o MODEL.lua] [--force]", "a robot description (URDF, MJCF) as a model of bodies and joints",
    definitions_of_import, sizeof definitions_of_import / sizeof *definitions_of_import, import_main,
    "ROBOT is a URDF file, or an MJCF file of MuJoCo. The model has a body for every link with a mass and a joint for\n"
    "every joint; each joint has an input for its torque or force (of MJCF: each actuator has one), or follows a\n"
    "motion that you write into the file. What has no counterpart stands in the file as a comment.\n"
};

static int import(taut_context *context, const char *path, const char *output)
{
    description *robot = NULL;
    int status = taut_import_read(context, path, &robot);
    if (status) return complain(exit_status_of(status), "%s", taut_error_text(context));
    int code = EXIT_DONE;
    if (output) code = write_whole_file(context, output, taut_import_write, robot);
    else if ((status = taut_import_write(robot, stdout)) != 0)
        code = complain(exit_status_of(status), "%s", taut_error_text(context));
    const int count = taut_import_left_out(robot);
    if (!code && count)
        fprintf(stderr, "taut: note: %d thing%s of the description %s no counterpart here; see the line%s "
                        "'-- left out' of the model\n", count, count > 1 ? "s" : "", count > 1 ? "have" : "has",
                count > 1 ? "s" : "");
    taut_import_free(robot);
    return code;
}

static int import_main(int argc, char **argv)
{
    options o;
    int parsed = options_parse(&command_import, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    if (o.positional_count != 1)
        return complain(EXIT_USAGE,
                        "'taut import' needs one robot description, as in: taut import arm.urdf -o arm.lua");
    const char *output = options_value(&o, "output", NULL);
    /* it may have been worked on; a device or a pipe stays what it is */
    if (output && !options_value(&o, "force", NULL) && access(output, F_OK) == 0 && !taut_new_file_is_special(output))
        return complain(EXIT_USAGE, "'%s' exists: --force replaces it; or give -o another name", output);
    taut_context *context = make_context();
    if (!context) return EXIT_FAILED;
    if (!output) screen_keep_output();
    int code = import(context, o.positional[0], output);
    char name[4096];
    if (!code && output) screen_next("taut check %s", screen_quoted(output, name, sizeof name));
    taut_context_destroy(context);
    return code;
}
