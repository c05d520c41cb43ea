/* The one option parser. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/near.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "cli/screen.h"

int complain(int exit_status, const char *format, ...)
{
    va_list arguments;
    char text[2 * TAUT_ERROR_TEXT];
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    answer_message(exit_status, text);
    if (answer_is_json() || (!exit_status && screen_is_quiet())) return exit_status;
    screen_message(exit_status ? TONE_ERROR : TONE_WARNING, "taut:", text);
    return exit_status;
}

int exit_status_of(int status)
{
    switch (status) {
    case TAUT_OK: return EXIT_DONE;
    case TAUT_BAD_USAGE:
    case TAUT_BAD_MODEL:
    case TAUT_CANNOT_READ:
    case TAUT_CANNOT_WRITE:
    case TAUT_UNSUPPORTED: return EXIT_USAGE;
    case TAUT_STOPPED: return told_to_stop ? 128 + told_to_stop : EXIT_FAILED;
    default: return EXIT_FAILED;
    }
}

const char *advice_on(int status)
{
    if (status != TAUT_SINGULAR && status != -TAUT_SINGULAR) return "";
    return "; 'taut check' shows the rank of the constraints";
}

/* Every command has these, after its own. */
static const option_definition common[] = {
    { "quiet", 'q', NULL, "errors only: no summary, no progress, no warnings", 0 },
    { "color", 0, "auto|always|never", "colour; auto: on a terminal, unless NO_COLOR is set (auto)", 0 },
};
enum { COMMON_COUNT = sizeof common / sizeof *common };

static const option_definition *option_of(const command *c, int i)
{
    return i < c->option_count ? &c->options[i] : &common[i - c->option_count];
}

void options_help(const command *c)
{
    printf("usage: taut %s %s\n\n%s\n\n", c->name, c->arguments, c->summary);
    for (int i = 0; i < c->option_count + COMMON_COUNT; i++) {
        const option_definition *d = option_of(c, i);
        char left[64], letter[8] = "    ";
        if (d->letter) snprintf(letter, sizeof letter, "-%c, ", d->letter);
        snprintf(left, sizeof left, "%s--%s%s%s", letter, d->name, d->value ? " " : "", d->value ? d->value : "");
        printf("  %-33s %s\n", left, d->help);
    }
    printf("  %-33s %s\n", "-h, --help", "this text");
    if (c->more) printf("\n%s", c->more);
}

static const option_definition *find(const command *c, const char *name, size_t length, char letter)
{
    for (int i = 0; i < c->option_count + COMMON_COUNT; i++) {
        const option_definition *d = option_of(c, i);
        if (letter ? d->letter == letter : strlen(d->name) == length && strncmp(d->name, name, length) == 0) return d;
    }
    return NULL;
}

static int keep(const command *c, options *out, const option_definition *d, const char *value)
{
    for (int i = 0; i < out->given_count; i++)
        if (out->given[i].definition == d && !d->repeated)
            return complain(-1, "option --%s is given twice", d->name);
    if (out->given_count == OPTIONS_MOST) return complain(-1, "too many options for 'taut %s'", c->name);
    out->given[out->given_count].definition = d;
    out->given[out->given_count++].value = value ? value : "";
    return 0;
}

static int no_such_option(const command *c, const char *text)
{
    char name[64], advice[NEAR_TEXT];
    const int dashes = text[1] == '-' ? 2 : 1; /* a long name may have lost one */
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text + dashes, "="), text + dashes);
    near_word n = taut_near(name);
    for (int i = 0; i < c->option_count + COMMON_COUNT; i++) taut_near_try(&n, option_of(c, i)->name);
    return complain(-1, "'taut %s' has no option %s; %s'taut %s --help' lists them", c->name, text,
                    taut_near_text(&n, "--", advice), c->name);
}

/* Takes argv[*i] (and its value) as an option. */
static int take_option(const command *c, int argc, char **argv, int *i, options *out)
{
    const char *text = argv[*i], *value = NULL;
    const option_definition *d;
    if (text[1] == '-') {
        const char *equals = strchr(text, '=');
        size_t length = equals ? (size_t)(equals - text) - 2 : strlen(text) - 2;
        d = find(c, text + 2, length, 0);
        if (equals) value = equals + 1;
    } else {
        d = find(c, NULL, 0, text[1]);
        if (text[2]) value = text + 2;
    }
    if (!d) return no_such_option(c, text);
    if (!d->value && value) return complain(-1, "option --%s takes no value", d->name);
    if (d->value && !value) {
        if (*i + 1 >= argc) return complain(-1, "option --%s needs a value: %s", d->name, d->value);
        value = argv[++*i];
    }
    return keep(c, out, d, value);
}

/* --json is looked for before anything can go wrong: what does is said in JSON. */
static void look_for_json(const command *c, int argc, char **argv)
{
    int asked = 0;
    for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0) return;
        asked |= strcmp(argv[i], "--json") == 0;
    }
    if (asked && find(c, "json", 4, 0)) answer_in_json(c->name);
}

static int take_common(const options *o)
{
    const char *colour = options_value(o, "color", "auto");
    if (screen_colour(colour)) return complain(-1, "option --color is auto, always or never, not '%s'", colour);
    const int csv = options_value(o, "csv", NULL) != NULL, json = options_value(o, "json", NULL) != NULL;
    if (csv && json) return complain(-1, "give --csv or --json, not both");
    if (options_value(o, "quiet", NULL)) screen_quiet(csv || json);
    return 0;
}

int options_parse(const command *c, int argc, char **argv, options *out)
{
    int only_positional = 0;
    *out = (options){ 0 };
    look_for_json(c, argc, argv);
    for (int i = 0; i < argc; i++) {
        if (!only_positional && (strcmp(argv[i], "-h") == 0 || strcmp(argv[i], "--help") == 0)) {
            options_help(c);
            return 1;
        }
        if (!only_positional && strcmp(argv[i], "--") == 0) {
            only_positional = 1;
        } else if (!only_positional && argv[i][0] == '-' && argv[i][1]) {
            if (take_option(c, argc, argv, &i, out)) return -1;
        } else if (out->positional_count == POSITIONAL_MOST) {
            return complain(-1, "too many arguments for 'taut %s'", c->name);
        } else {
            out->positional[out->positional_count++] = argv[i];
        }
    }
    return take_common(out);
}

const char *options_value(const options *o, const char *name, const char *otherwise)
{
    for (int i = o->given_count; i-- > 0;)
        if (strcmp(o->given[i].definition->name, name) == 0) return o->given[i].value;
    return otherwise;
}

int number_option(const options *o, const char *name, const char *otherwise, wide *value)
{
    const char *text = options_value(o, name, otherwise);
    if (taut_wide_parse(text, value) || *value != *value)
        return complain(EXIT_USAGE, "option --%s needs a number, not '%s'", name, text);
    return 0;
}

int part_option(const options *o, double *from, double *to, long *every)
{
    wide begin, end, stride;
    if (number_option(o, "from", "-1e300", &begin) || number_option(o, "to", "1e300", &end) ||
        number_option(o, "every", "1", &stride))
        return EXIT_USAGE;
    if (!(stride >= 1 && stride < 1e15) || stride != (wide)(long)stride)
        return complain(EXIT_USAGE, "option --every needs a whole number of at least 1");
    *from = (double)begin, *to = (double)end, *every = (long)stride;
    return EXIT_DONE;
}

/* One number of the list. */
static int read_step(const char *item, wide until, wide *step)
{
    if (taut_wide_parse(item, step) || !(*step > 0) || *step - *step != 0)
        return complain(EXIT_USAGE, "option --steps needs positive numbers with commas between them, not '%s'", item);
    if (taut_step_count((double)*step, (double)until)) return 0;
    wide near = WIDE(fmax)(1, WIDE(round)(until / *step));
    return complain(EXIT_USAGE, "the step %s does not divide the end time %.9g; every step must (%.9g would)", item,
                    (double)until, (double)(until / near));
}

int steps_option(const options *o, wide until, wide *steps, int most, int *count)
{
    const char *text = options_value(o, "steps", "");
    for (*count = 0; *text; (*count)++) {
        char item[64];
        size_t length = strcspn(text, ",");
        if (*count == most) return complain(EXIT_USAGE, "option --steps takes at most %d steps", most);
        snprintf(item, sizeof item, "%.*s", (int)(length < 60 ? length : 60), text);
        if (read_step(item, until, &steps[*count])) return EXIT_USAGE;
        text += length + (text[length] == ',');
    }
    return *count ? 0 : complain(EXIT_USAGE, "option --steps needs at least one step");
}

int precision_option(const options *o, const char **precision)
{
    const char *text = options_value(o, "precision", NULL);
    if (!text) return 0;
    taut_precision p = { .size = sizeof p };
    for (size_t i = 0; taut_precisions(i, &p) == TAUT_OK; i++)
        if (strcmp(text, p.name) == 0) {
            *precision = p.name;
            return 0;
        }
    if (strcmp(text, "quad") == 0)
        return complain(EXIT_USAGE, "this build has no quad precision (its compiler has no 128-bit floating point)");
    return complain(EXIT_USAGE, "option --precision is double or quad, not '%s'", text);
}

const char *widest_precision(void)
{
    taut_precision p = { .size = sizeof p };
    for (size_t i = 0; taut_precisions(i, &p) == TAUT_OK;) i++;
    return p.name;
}

int digits_of(const char *precision)
{
    taut_precision p = { .size = sizeof p };
    for (size_t i = 0; taut_precisions(i, &p) == TAUT_OK; i++)
        if (strcmp(precision, p.name) == 0) break;
    return p.digits;
}

int start_option(const options *o, int as_is, int *start)
{
    static const char *const names[] = { [TAUT_STRICT] = "strict", [TAUT_PROJECT] = "project", [TAUT_AS_IS] = "as-is" };
    const char *text = options_value(o, "start", names[TAUT_STRICT]);
    for (*start = TAUT_STRICT; *start <= (as_is ? TAUT_AS_IS : TAUT_PROJECT); ++*start)
        if (strcmp(text, names[*start]) == 0) return 0;
    return complain(EXIT_USAGE, "option --start is %s, not '%s'",
                    as_is ? "strict, project or as-is" : "strict or project", text);
}

int threads_option(const options *o, int *threads)
{
    const char *text = options_value(o, "threads", "1");
    wide number;
    const int most = TAUT_THREADS_MOST;
    if (taut_wide_parse(text, &number) || number != WIDE(floor)(number) || !(number >= 1) || number > most)
        return complain(EXIT_USAGE, "option --threads is a whole number from 1 to %d, not '%s'", most, text);
    *threads = (int)number;
    return 0;
}

int tolerance_option(const options *o, wide *value)
{
    if (number_option(o, "tol", "0", value)) return EXIT_USAGE;
    if (*value >= 0 && *value < (wide)1 / 10) return 0;
    return complain(EXIT_USAGE, "option --tol needs a number from 0 to less than 0.1");
}

int contacts_option(const options *o, int *active_set)
{
    const char *text = options_value(o, "contacts", "event");
    *active_set = strcmp(text, "active-set") == 0;
    if (!*active_set && strcmp(text, "event") != 0)
        return complain(EXIT_USAGE, "option --contacts is event or active-set, not '%s'", text);
    return 0;
}

int every_option(const options *o, long *every)
{
    wide number;
    if (number_option(o, "every", "1", &number)) return EXIT_USAGE;
    if (!(number >= 1) || number != WIDE(floor)(number) || number > (wide)1e15)
        return complain(EXIT_USAGE, "option --every needs a whole number of at least 1");
    *every = (long)number;
    return 0;
}

int native_option(const options *o, int *mode)
{
    static const char *const names[] = {
        [TAUT_NATIVE_AUTO] = "auto", [TAUT_NATIVE_ON] = "on", [TAUT_NATIVE_OFF] = "off"
    };
    const char *text = options_value(o, "native", NULL), *variable = getenv("TAUT_NATIVE"),
               *name = text ? text : variable ? variable : "auto";
    for (*mode = TAUT_NATIVE_AUTO; *mode <= TAUT_NATIVE_OFF; ++*mode)
        if (strcmp(name, names[*mode]) == 0) return 0;
    return text ? complain(EXIT_USAGE, "option --native is auto, on or off, not '%s'", text)
                : complain(EXIT_USAGE, "the environment variable TAUT_NATIVE is auto, on or off, not '%s'", variable);
}

int definitions_read(const options *o, definitions *d)
{
    d->count = 0;
    for (int i = 0; i < o->given_count; i++) {
        if (strcmp(o->given[i].definition->name, "define") != 0) continue;
        char *text = d->text[d->count];
        if (snprintf(text, sizeof d->text[0], "%s", o->given[i].value) >= (int)sizeof d->text[0])
            return complain(EXIT_USAGE, "-D %.20s...: longer than %zu characters", text, sizeof d->text[0] - 1);
        char *equals = strchr(text, '=');
        if (!equals || equals == text || !equals[1])
            return complain(EXIT_USAGE, "-D needs name=value, not '%s'", o->given[i].value);
        *equals = 0;
        d->items[d->count++] = (taut_setting){ .name = text, .text = equals + 1 };
    }
    return 0;
}

/* Begins as the files of SQLite do. Of a pipe nothing is read: it may be the model. */
static int looks_recorded(const char *path)
{
    static const char database[] = "SQLite format 3";
    char head[sizeof database] = { 0 };
    struct stat about;
    if (stat(path, &about) || !S_ISREG(about.st_mode)) return 0;
    FILE *file = fopen(path, "rb");
    const size_t got = file ? fread(head, 1, sizeof head, file) : 0;
    if (file) fclose(file);
    return got == sizeof head && memcmp(head, database, sizeof head) == 0;
}

/* A file that Taut has recorded, in place of a model. */
static int is_recorded(taut_context *context, const char *path)
{
    taut_file *file = NULL;
    const int is = !taut_file_open(context, path, &file);
    taut_file_close(file);
    return is;
}

/* The setting that a load says the model does not have; NULL: it failed for another reason. */
static const char *unknown_setting(const definitions *d, const taut_error *e)
{
    for (size_t i = 0; e->status == TAUT_BAD_USAGE && i < d->count; i++)
        if (strcmp(d->items[i].name, e->item) == 0) return d->items[i].name;
    for (size_t i = 0; e->status == TAUT_BAD_USAGE && i < d->count; i++)
        if (strstr(e->text, d->items[i].name)) return d->items[i].name; /* too long for an item, or with quotes */
    return NULL;
}

int load_model(taut_context *context, const char *path, const definitions *d, taut_model **m)
{
    answer_file(path);
    if (looks_recorded(path) && is_recorded(context, path))
        return complain(EXIT_USAGE,
                        "'%s' is a recorded run, not a model; 'taut resume' continues it, 'taut report' shows it, "
                        "'taut export' makes a table of it", path);
    const int status = taut_model_load_file(context, path, d->items, d->count, m);
    if (!status) return EXIT_DONE;
    taut_error e = { .size = sizeof e };
    taut_context_error(context, &e);
    const char *unknown = unknown_setting(d, &e);
    if (!unknown) return complain(exit_status_of(status), "%s", e.text);
    if (!*e.near) return complain(EXIT_USAGE, "-D %s: the model has no param or option of that name", unknown);
    return complain(EXIT_USAGE, "-D %s: the model has no param or option of that name; did you mean '%s'?", unknown,
                    e.near);
}

static void remark(void *user, const char *line)
{
    (void)user;
    answer_message(0, line);
    if (answer_is_json() || screen_is_quiet()) return;
    screen_message(TONE_PLAIN, "", line);
}

/* Of processor time, unless the environment allows more: a chain of a million links takes a tenth of it. */
#define LOAD_SECONDS 60.0

/* A number of the environment, from 1 on; 0 where there is none. */
static int read_limit(const char *variable, double most, double *value)
{
    const char *text = getenv(variable);
    wide number = 0;
    *value = 0;
    if (!text || !*text) return 0;
    if (taut_wide_parse(text, &number) || !(number >= 1 && number <= (wide)most))
        return complain(EXIT_USAGE, "the environment variable %s is a number from 1 to %.0e, not '%s'", variable, most,
                        text);
    *value = (double)number;
    return 0;
}

static int limit_loads(taut_context *context)
{
    double mebibytes, seconds;
    if (read_limit("TAUT_LOAD_MEMORY", 1e9, &mebibytes) || read_limit("TAUT_LOAD_SECONDS", 1e9, &seconds))
        return EXIT_USAGE;
    taut_context_limit(context, (size_t)(mebibytes * 1048576), seconds > 0 ? seconds : LOAD_SECONDS);
    return 0;
}

taut_context *make_context(void)
{
    taut_context *context = taut_context_create(NULL);
    if (!context) {
        complain(EXIT_FAILED, "out of memory");
        return NULL;
    }
    taut_context_log(context, remark, NULL);
    if (limit_loads(context)) {
        taut_context_destroy(context);
        return NULL;
    }
    return context;
}
