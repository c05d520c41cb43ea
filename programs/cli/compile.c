/* taut compile */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/screen.h"

static int compile_main(int argc, char **argv);

static const option_definition definitions_of_compile[] = {
    { "output", 'o', "FILE.c", "the file to write; FILE.h goes beside it", 0 },
    { "method", 'm', "METHOD",
      "a method, with options: see below (rattle)", 0 },
    { "step", 's', "STEP", "default time step, a macro of the header (0.01)", 0 },
    { "float", 0, NULL, "single precision", 0 },
    { "prefix", 0, "NAME", "begins all external names (from the name of FILE.c)", 0 },
    { "define", 'D', "name=value", "set a param or option of the model", 1 },
    { "tol", 0, "X", "relative tolerance of the Newton iterations (down to round-off)", 0 },
    { "start", 0, "strict|project", "project: move an inconsistent start onto the constraints (strict)", 0 },
};

const command command_compile = {
    "compile",
    "MODEL -o FILE.c [-m METHOD] [-s STEP] [--float] [--prefix NAME] [-D name=value]... [--tol X] "
    "[--start strict|project]",
    "write a model and a method as a C file for other programs",
    definitions_of_compile, sizeof definitions_of_compile / sizeof *definitions_of_compile, compile_main,
    "FILE.c and FILE.h are C11 that need nothing but the C library's math functions: no allocation, no recursion,\n"
    "bounded iterations. The interface is NAME_init, _step, _get, _set (parameters of the model), _status and _reset;\n"
    "FILE.h describes it. The start is that of 'taut run', and in double so is every bit of the motion.\n"
    "Existing files are replaced.\n\n"
    "A step that 'taut run' would leave to its general path (a singular place, slow convergence) fails in the C code:\n"
    "the function says why and leaves the motion as it was. Models with contacts, em:project, naive,\n"
    "extended and dirac with other schemes than rk4, and models with more than some hundred coordinates cannot be\n"
    "written so (docs/compile.md).\n"
};

typedef struct {
    const char *text;
    size_t length;
} content;

static int write_content(void *user, FILE *file)
{
    const content *c = user;
    fwrite(c->text, 1, c->length, file); /* an error is looked for when the file is closed */
    return TAUT_OK;
}

enum { PREFIX_MOST = 40 };

/* The name of FILE.c as an identifier. */
static void make_prefix(const char *base, char *prefix)
{
    size_t length = 0;
    if (!isalpha((unsigned char)*base) || (unsigned char)*base > 127) prefix[length++] = 'm';
    for (; base[0] && base[1] && base[2] && length < PREFIX_MOST; base++) /* not the .c */
        prefix[length++] = (unsigned char)*base < 128 && isalnum((unsigned char)*base) ? *base : '_';
    prefix[length] = 0;
}

typedef struct {
    definitions definitions;
    taut_c_spec spec;
    const char *path;
    char *header_path;
    char prefix[PREFIX_MOST + 1];
} request;

static int read_output(const options *o, request *r)
{
    r->path = options_value(o, "output", NULL);
    size_t length = r->path ? strlen(r->path) : 0;
    if (!r->path) return complain(EXIT_USAGE, "'taut compile' needs -o, the C file to write, as in: -o pendulum.c");
    const char *slash = strrchr(r->path, '/'), *base = slash ? slash + 1 : r->path;
    if (strlen(base) < 3 || strcmp(r->path + length - 2, ".c") != 0)
        return complain(EXIT_USAGE, "option --output: '%s' does not end in .c", r->path);
    r->header_path = malloc(length + 1);
    if (!r->header_path) return complain(EXIT_FAILED, "out of memory");
    memcpy(r->header_path, r->path, length + 1);
    r->header_path[length - 1] = 'h';
    r->spec.header = r->header_path + (base - r->path);
    make_prefix(base, r->prefix);
    r->spec.prefix = options_value(o, "prefix", r->prefix);
    return EXIT_DONE;
}

static int read_options(const options *o, request *r)
{
    taut_c_spec *spec = &r->spec;
    wide step, tolerance;
    spec->size = sizeof *spec;
    spec->method = options_value(o, "method", NULL);
    spec->single = options_value(o, "float", NULL) != NULL;
    spec->step = options_value(o, "step", NULL);
    spec->tolerance = options_value(o, "tol", NULL);
    if (number_option(o, "step", "0.01", &step) || tolerance_option(o, &tolerance)) return EXIT_USAGE;
    if (!(step > 0) || !(step - step == 0)) return complain(EXIT_USAGE, "option --step needs a positive number");
    if (start_option(o, 0, &spec->start)) return EXIT_USAGE;
    return read_output(o, r);
}

static int write_files(taut_context *context, const request *r, const taut_c_code *code)
{
    content header, source;
    header.text = taut_c_header(code, &header.length);
    source.text = taut_c_source(code, &source.length);
    const whole_file files[] = { { r->header_path, write_content, &header }, { r->path, write_content, &source } };
    return write_whole_files(context, files, 2);
}

static int compile(const options *o, request *r)
{
    taut_model *model = NULL;
    taut_c_code *text = NULL;
    taut_context *context = make_context();
    if (!context) return EXIT_FAILED;
    int code = load_model(context, o->positional[0], &r->definitions, &model);
    int status = code ? TAUT_OK : taut_c_create(context, model, &r->spec, &text);
    if (status)
        code = complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "%s%s", taut_error_text(context),
                        advice_on(status));
    if (!code) code = write_files(context, r, text);
    char name[4096];
    if (!code) screen_next("cc -O2 -c %s", screen_quoted(r->path, name, sizeof name));
    taut_c_release(text);
    taut_model_release(model);
    taut_context_destroy(context);
    return code;
}

static int compile_main(int argc, char **argv)
{
    options o;
    int parsed = options_parse(&command_compile, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    request *r = calloc(1, sizeof *r);
    int code = r ? read_options(&o, r) : complain(EXIT_FAILED, "out of memory");
    if (!code) code = definitions_read(&o, &r->definitions);
    if (!code && o.positional_count != 1)
        code = complain(EXIT_USAGE,
                        "'taut compile' needs one model file, as in: taut compile models/pendulum.lua -o pendulum.c");
    if (!code) code = compile(&o, r);
    if (r) free(r->header_path);
    free(r);
    return code;
}
