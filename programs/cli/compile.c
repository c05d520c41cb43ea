/* taut compile */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/inside.h"
#include "cli/screen.h"
#include "compile/compile.h"

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
    taut_context *context;
} content;

static int write_content(void *user, FILE *file)
{
    const content *c = user;
    if (fwrite(c->text, 1, c->length, file) == c->length) return TAUT_OK;
    return taut_fail(c->context, TAUT_CANNOT_WRITE, "cannot write");
}

/* The name of FILE.c as an identifier. */
static void make_prefix(const char *base, char *prefix)
{
    size_t length = 0;
    if (!isalpha((unsigned char)*base) || (unsigned char)*base > 127) prefix[length++] = 'm';
    for (; base[0] && base[1] && base[2] && length < COMPILE_PREFIX; base++) /* not the .c */
        prefix[length++] = (unsigned char)*base < 128 && isalnum((unsigned char)*base) ? *base : '_';
    prefix[length] = 0;
}

typedef struct {
    compile_options options;
    const char *path;
    char *header_path;
    char prefix[COMPILE_PREFIX + 1];
} request;

static int read_output(const options *o, request *r)
{
    r->path = options_value(o, "output", NULL);
    size_t length = r->path ? strlen(r->path) : 0;
    if (!r->path) return complain(EXIT_USAGE, "'taut compile' needs -o, the C file to write, as in: -o pendulum.c");
    const char *slash = strrchr(r->path, '/'), *base = slash ? slash + 1 : r->path;
    if (strlen(base) < 3 || strcmp(r->path + length - 2, ".c") != 0)
        return complain(EXIT_USAGE, "option --output: '%s' does not end in .c", r->path);
    for (const char *at = base; *at; at++)
        if (*at == '"' || *at == '\\' || (unsigned char)*at < ' ' || strncmp(at, "*/", 2) == 0)
            return complain(EXIT_USAGE,
                            "option --output: a C program cannot include a file of that name; take another");
    r->header_path = malloc(length + 1);
    if (!r->header_path) return complain(EXIT_FAILED, "out of memory");
    memcpy(r->header_path, r->path, length + 1);
    r->header_path[length - 1] = 'h';
    r->options.header = r->header_path + (base - r->path);
    make_prefix(base, r->prefix);
    r->options.prefix = options_value(o, "prefix", r->prefix);
    if (taut_compile_prefix_serves(r->options.prefix)) return EXIT_DONE;
    return complain(EXIT_USAGE,
                    "option --prefix: '%s' cannot begin names of C: at most %d letters, digits and _, a letter first",
                    r->options.prefix, COMPILE_PREFIX);
}

static int read_options(const options *o, request *r)
{
    compile_options *c = &r->options;
    c->method = options_value(o, "method", "rattle");
    c->single = options_value(o, "float", NULL) != NULL;
    if (number_option(o, "step", "0.01", &c->step) || tolerance_option(o, &c->tolerance)) return EXIT_USAGE;
    if (!(c->step > 0) || !(c->step - c->step == 0))
        return complain(EXIT_USAGE, "option --step needs a positive number");
    if (inside_start(o, 0, &c->start)) return EXIT_USAGE;
    return read_output(o, r);
}

static int write_files(taut_context *context, const request *r, const compile_result *text)
{
    content header = { text->header, text->header_length, context };
    content source = { text->source, text->source_length, context };
    const whole_file files[] = { { r->header_path, write_content, &header }, { r->path, write_content, &source } };
    return write_whole_files(context, files, 2);
}

static int compile(const options *o, request *r, inside_definitions *d)
{
    model *m = NULL;
    compile_result text = { 0 };
    taut_context *context = make_context();
    if (!context) return EXIT_FAILED;
    int code = inside_load(context, o->positional[0], d, &m);
    int status = code ? TAUT_OK : taut_compile(m, &r->options, &text);
    if (status)
        code = complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "%s%s", taut_error_text(context),
                        advice_on(status));
    if (!code) code = write_files(context, r, &text);
    char name[4096];
    if (!code) screen_next("cc -O2 -c %s", screen_quoted(r->path, name, sizeof name));
    taut_compile_clear(context, &text);
    taut_model_free(m);
    taut_context_destroy(context);
    return code;
}

static int compile_main(int argc, char **argv)
{
    options o;
    request r = { 0 };
    int parsed = options_parse(&command_compile, argc, argv, &o);
    if (parsed) return parsed > 0 ? EXIT_DONE : EXIT_USAGE;
    inside_definitions *d = calloc(1, sizeof *d);
    int code = d ? read_options(&o, &r) : complain(EXIT_FAILED, "out of memory");
    if (!code) code = definitions_read(&o, &d->given);
    if (!code && o.positional_count != 1)
        code = complain(EXIT_USAGE,
                        "'taut compile' needs one model file, as in: taut compile models/pendulum.lua -o pendulum.c");
    if (!code) code = compile(&o, &r, d);
    free(r.header_path);
    free(d);
    return code;
}
