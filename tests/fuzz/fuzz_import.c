/* Robot descriptions of strangers (URDF): read, and written as a model, which must then load, or be refused with a message
   that names a line of it. `taut import` itself is called, with files in memory. */
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/cli.h"
#include "model/model.h"
#include "text.h"

static const char *const words[] = { "robot", "link", "joint", "inertial", "mass", "inertia", "origin", "visual", "geometry",
                                     "box", "cylinder", "sphere", "mesh", "parent", "child", "axis", "limit", "dynamics",
                                     "mimic", "revolute", "continuous", "prismatic", "fixed", "planar", "floating", "name",
                                     "type", "value", "xyz", "rpy", "ixx", "iyy", "izz", "ixy", "ixz", "iyz", "size",
                                     "radius", "length", "lower", "upper", "damping", "multiplier", "offset", "filename",
                                     "base", "arm", "effort", "velocity", NULL };
static const char *const templates[] = {
    "<link name=\"$s\"><inertial><mass value=\"$n\"/><inertia ixx=\"$n\" iyy=\"$n\" izz=\"$n\"/></inertial></link>",
    "<joint name=\"$s\" type=\"$w\"><parent link=\"$w\"/><child link=\"$w\"/></joint>", "<link name=\"$w\"/>",
    "<origin xyz=\"$n $n $n\" rpy=\"$n $n $n\"/>", "<axis xyz=\"$n $n $n\"/>", "<limit lower=\"$n\" upper=\"$n\"/>",
    "<mimic joint=\"$w\" multiplier=\"$n\" offset=\"$n\"/>", "<dynamics damping=\"$n\"/>", "<$w $w=\"$n\">", "</$w>",
    "<visual><geometry><box size=\"$n $n $n\"/></geometry></visual>", "<mass value=\"$n\"/>",
    "<visual><geometry><cylinder radius=\"$n\" length=\"$n\"/></geometry></visual>", "<!-- $w -->", "<$w>&#10;&quot;</$w>",
    "<link name=\"a&#10;error()&#10;\"/>", "<joint name=\"--[[&#13;]]\" type=\"&#10;x&#10;\">", "<![CDATA[$w]]>", NULL };
static const vocabulary language = { .words = words, .templates = templates, .separator = '\n' };

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    return text_mutate(data, size, most, seed, &language);
}

static int in, out;
static char in_path[64], out_path[64];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    in = memfd_create("robot", 0), out = memfd_create("model", 0);
    FUZZ_CHECK(in >= 0 && out >= 0, "no file in memory");
    snprintf(in_path, sizeof in_path, "/proc/self/fd/%d", in);
    snprintf(out_path, sizeof out_path, "/proc/self/fd/%d", out);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *arguments[] = { in_path, NULL };
    FUZZ_CHECK(ftruncate(in, 0) == 0 && pwrite(in, data, size, 0) == (ssize_t)size && ftruncate(out, 0) == 0, "no room");
    /* the model goes to standard output */
    fflush(stdout);
    const int before = dup(STDOUT_FILENO);
    FUZZ_CHECK(before >= 0 && lseek(out, 0, SEEK_SET) == 0 && dup2(out, STDOUT_FILENO) >= 0, "no output");
    const int code = command_import.main(1, arguments);
    fflush(stdout);
    FUZZ_CHECK(dup2(before, STDOUT_FILENO) >= 0, "no output");
    close(before);
    FUZZ_CHECK(code >= 0 && code <= 2, "exit status %d", code);
    if (code) return 0;
    const off_t length = lseek(out, 0, SEEK_END);
    char *text = malloc((size_t)length + 1);
    if (!text || pread(out, text, (size_t)length, 0) != length) return free(text), 0;
    bounds b;
    model *m = NULL;
    taut_context *context = bounded_begin(&b);
    const int status = taut_model_read_text(context, "robot.lua", text, (size_t)length, NULL, 0, &m);
    check_status(context, status);
    /* whatever a robot is called, its model is Lua, and no name becomes part of the program */
    if (status)
        FUZZ_CHECK(!strstr(taut_error_text(context), "syntax error") && !strstr(taut_error_text(context), "unexpected symbol")
                   && !strstr(taut_error_text(context), " expected near") && !strstr(taut_error_text(context), "unfinished"),
                   "%s", taut_error_text(context));
    taut_model_free(m);
    bounded_end(&b);
    free(text);
    return 0;
}
