/* taut import: a robot description (URDF or MJCF) as a model of bodies and joints, to go on with. */
#include <stdlib.h>

#include "cli/cli.h"
#include "cli/mjcf.h"
#include "cli/screen.h"
#include "cli/urdf.h"

static int import_main(int argc, char **argv);

static const option_definition definitions_of_import[] = {
    { "output", 'o', "MODEL.lua", "the file to write; without it the model goes to standard output", 0 },
};

const command command_import = {
    "import", "ROBOT [-o MODEL.lua]", "a robot description (URDF, MJCF) as a model of bodies and joints",
    definitions_of_import, sizeof definitions_of_import / sizeof *definitions_of_import, import_main,
    "ROBOT is a URDF file, or an MJCF file of MuJoCo. The model has a body for every link with a mass and a joint for\n"
    "every joint; each joint has an input for its torque or force (of MJCF: each actuator has one), or follows a\n"
    "motion that you write into the file. What has no counterpart stands in the file as a comment. An existing file\n"
    "is replaced.\n"
};

static int write_to(taut_context *context, const char *output, int (*write)(void *, FILE *), void *job)
{
    if (output) return write_whole_file(context, output, write, job);
    return write(job, stdout) ? EXIT_FAILED : EXIT_DONE;
}

static int import_urdf(taut_context *context, const char *path, const xml_node *root, const char *output)
{
    urdf_job w = { .path = path };
    int code = urdf_read(path, root, &w.robot);
    if (!code) code = urdf_prepare(&w);
    if (!code) code = write_to(context, output, urdf_write, &w);
    urdf_clear(&w.robot);
    free(w.order);
    return code;
}

static int import_mjcf(taut_context *context, const char *path, xml_node *root, const char *output)
{
    mjcf_model m;
    int code = mjcf_read(path, root, &m);
    if (!code) code = write_to(context, output, mjcf_write, &m);
    if (!code && m.left_out)
        fprintf(stderr, "taut: note: %d thing%s of the description %s no counterpart here; see the line%s "
                        "'-- left out' of the model\n", m.left_out, m.left_out > 1 ? "s" : "", m.left_out > 1 ? "have" : "has",
                m.left_out > 1 ? "s" : "");
    mjcf_clear(&m);
    return code;
}

static int import_main(int argc, char **argv)
{
    options o;
    xml_node *root = NULL;
    int parsed = options_parse(&command_import, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    if (o.positional_count != 1)
        return complain(EXIT_USAGE,
                        "'taut import' needs one robot description, as in: taut import arm.urdf -o arm.lua");
    taut_context *context = make_context();
    if (!context) return EXIT_FAILED;
    const char *path = o.positional[0], *output = options_value(&o, "output", NULL);
    if (!output) screen_keep_output();
    int code = xml_read(path, &root);
    if (!code && xml_is(root, "robot")) code = import_urdf(context, path, root, output);
    else if (!code && xml_is(root, "mujoco")) code = import_mjcf(context, path, root, output);
    else if (!code)
        code = complain(EXIT_USAGE, "%s:%d: a robot description begins with <robot> or <mujoco>, not with <%s>", path,
                        root->line, root->name);
    xml_free(root);
    char name[4096];
    if (!code && output) screen_next("taut check %s", screen_quoted(output, name, sizeof name));
    taut_context_destroy(context);
    return code;
}
