/* taut ensemble */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/session.h"
#include "cli/sweeping.h"

static int ensemble_main(int argc, char **argv);

const option_definition definitions_of_ensemble[] = {
    { "method", 'm', "METHOD", "a name from 'taut methods', with options after a colon (rattle)", 0 },
    { "step", 's', "STEP", "time step (0.01)", 0 },
    { "until", 'T', "END", "end time (10)", 0 },
    { "members", 0, "N|A..B|A..B/N", "all N members (those of the grid or table), or those from A to B, from 0 (of N)",
      0 },
    { "vary", 0, "NAME=LAW",
      "what varies: a param, an input or a start value; LAW is uniform(A,B), loguniform(A,B), "
      "normal(MEAN,SD), grid(A,B,COUNT) or values(A,B,...)",
      1 },
    { "vary-from", 0, "FILE.csv", "a member per line; the first line names what varies", 0 },
    { "sample", 0, "random|latin|sobol", "how uniform and normal numbers are spread over the members (random)", 0 },
    { "seed", 0, "S", "of the random numbers; member K is a function of S and K (1)", 0 },
    { "keep", 0, "LIST", "columns to keep, separated by commas (t, coordinates, energy)", 0 },
    { "at", 0, "TIMES", "when they are kept for each member, separated by commas (the end)", 0 },
    { "stats", 0, "LIST", "statistics over time: mean,sd,quantiles,histogram or none (all of them)", 0 },
    { "every", 0, "K", "they are taken every K steps (a hundredth of the run)", 0 },
    { "paths", 0, "K", "members whose values are kept at all these times, for quantiles and histograms (2000)", 0 },
    { "lyapunov", 0, NULL, "keep the finite-time Lyapunov exponent, too (column lyapunov)", 0 },
    { "on", 0, "interpreter|lanes|gpu", "what computes the members; the results are the same (lanes)", 0 },
    { "threads", 0, "N", "threads; the results are the same (as many as there are processors)", 0 },
    { "fast", 0, NULL, "the GPU fuses and does not compensate sums: other last digits than a single run", 0 },
    { "output", 'o', "FILE.taut", "the file of the ensemble", 0 },
    { "force", 0, NULL, "replace the file if there is one", 0 },
    { "define", 'D', "name=value", "set a param or option of the model", 1 },
    { "tol", 0, "X", "relative tolerance of the Newton iterations (down to round-off)", 0 },
    { "start", 0, "strict|project|as-is",
      "what happens to a start off the constraints (project where start values vary, otherwise strict)", 0 },
    OPTION_NATIVE,
};
const int ensemble_option_count = sizeof definitions_of_ensemble / sizeof *definitions_of_ensemble;

const command command_ensemble = {
    "ensemble",
    "MODEL --vary NAME=LAW... -o FILE.taut [-m METHOD] [-s STEP] [-T END] [--members N|A..B|A..B/N] "
    "[--vary-from FILE.csv] [--sample random|latin|sobol] [--seed S] [--keep LIST] [--at TIMES] "
    "[--stats LIST] [--every K] [--paths K] [--lyapunov] [--on interpreter|lanes|gpu] [--threads N] [--fast] [--force] "
    "[-D name=value]... [--tol X] [--start strict|project|as-is] [--native auto|on|off]",
    "many members of a model, with other params and starts",
    definitions_of_ensemble,
    sizeof definitions_of_ensemble / sizeof *definitions_of_ensemble,
    ensemble_main,
    "Grids are combined with each other: every value with every one. A member is, to the last bit, the single run "
    "that\n"
    "'taut replay' makes of it, whatever the other members are. Members that fail are recorded with time and reason;\n"
    "the others go on.\n\n"
    "The file is an SQLite database (docs/ensembles.md). 'taut resume' continues an ensemble that was interrupted or\n"
    "killed, 'taut report' makes its page, 'taut export' writes .csv or .h5, 'taut merge' puts parts together.\n\n"
    "Exit status: 0 done (members may have failed), 1 the ensemble failed, 2 bad usage or bad model, 130 or 143 "
    "stopped\n"
    "by a signal and recorded.\n"
};

/* ---- options ---- */

static int whole_option(const options *o, const char *name, const char *otherwise, uint64_t most, uint64_t *value)
{
    const char *text = options_value(o, name, otherwise);
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || errno || *value > most)
        return complain(EXIT_USAGE, "option --%s needs a whole number from 0 to %llu, not '%s'", name,
                        (unsigned long long)most, text);
    return 0;
}

typedef struct {
    uint64_t first, last, of; /* of: 0 where it is not said */
    int is_part;
} member_range;

/* N, A..B or A..B/N */
static int members_option(const options *o, member_range *r)
{
    const char *text = options_value(o, "members", NULL);
    unsigned long long a, b, n;
    int used = 0;
    *r = (member_range){ 0 };
    if (!text) return 0;
    if (strchr(text, '-')) used = 0;
    else if (sscanf(text, "%llu..%llu/%llu%n", &a, &b, &n, &used) == 3 && used && !text[used] && a <= b && b < n)
        *r = (member_range){ a, b, n, 1 };
    else if (used = 0, sscanf(text, "%llu..%llu%n", &a, &b, &used) == 2 && used && !text[used] && a <= b)
        *r = (member_range){ a, b, 0, 1 };
    else if (used = 0, sscanf(text, "%llu%n", &n, &used) == 1 && used && !text[used] && n > 0)
        *r = (member_range){ 0, n - 1, n, 0 };
    else
        used = 0;
    if (used && r->last < (uint64_t)1 << 40) return 0;
    return complain(EXIT_USAGE, "option --members is a number N, a part A..B or a part of N, A..B/N, counted from 0, "
                                "not '%s'", text);
}

enum { TABLE_BYTES_MOST = 256 << 20 }; /* of --vary-from: 10^7 members of one number; the run file holds the table */

static int read_whole_file(const char *path, char **text)
{
    FILE *file = fopen(path, "rb");
    size_t size = 0, capacity = 0, got = 0;
    *text = NULL;
    if (!file) return complain(EXIT_USAGE, "option --vary-from: cannot read '%s': %s", path, strerror(errno));
    do {
        if (size > TABLE_BYTES_MOST) { /* the file may be a device, which has no end */
            fclose(file);
            return complain(EXIT_USAGE, "option --vary-from: '%s' is larger than %d MiB; take fewer members or columns",
                            path, TABLE_BYTES_MOST >> 20);
        }
        if (size + 1 >= capacity) {
            char *more = realloc(*text, capacity = capacity ? 2 * capacity : 65536);
            if (!more) {
                fclose(file);
                return complain(EXIT_FAILED, "out of memory");
            }
            *text = more;
        }
        got = fread(*text + size, 1, capacity - size - 1, file);
        size += got;
    } while (got);
    const int bad = ferror(file);
    fclose(file);
    (*text)[size] = 0;
    if (bad) return complain(EXIT_USAGE, "option --vary-from: cannot read '%s': %s", path, strerror(errno));
    if (strlen(*text) != size) return complain(EXIT_USAGE, "option --vary-from: '%s' is not a text file", path);
    return 0;
}

/* What varies, and which members. */
static int read_sample(const options *o, sweep_request *z)
{
    taut_members_spec *spec = &z->spec;
    member_range members;
    const char *name = options_value(o, "vary-from", NULL), *design = options_value(o, "sample", "random");
    for (int i = 0; i < o->given_count; i++)
        if (strcmp(o->given[i].definition->name, "vary") == 0) z->laws[spec->vary_count++] = o->given[i].value;
    if (strcmp(design, "random") != 0 && strcmp(design, "latin") != 0 && strcmp(design, "sobol") != 0)
        return complain(EXIT_USAGE, "option --sample is random, latin or sobol, not '%s'", design);
    if (!spec->vary_count && !name)
        return complain(EXIT_USAGE,
                        "nothing varies: give --vary, as in --vary \"a.x=uniform(2.7,2.9)\", or --vary-from");
    if (whole_option(o, "seed", "1", UINT64_MAX, &spec->seed) || members_option(o, &members)) return EXIT_USAGE;
    if (name && read_whole_file(name, &z->table)) return EXIT_USAGE;
    spec->vary = z->laws;
    spec->sample = design;
    spec->table = z->table, spec->table_name = name;
    if (members.is_part || members.of) spec->first = members.first, spec->count = members.last - members.first + 1;
    spec->of = members.of;
    spec->part = members.is_part;
    return EXIT_DONE;
}

static int read_stats(const options *o, unsigned *stats)
{
    static const char *const names[] = { "mean", "sd", "quantiles", "histogram" };
    const char *text = options_value(o, "stats", "mean,sd,quantiles,histogram");
    *stats = 0;
    if (strcmp(text, "none") == 0) return EXIT_DONE;
    for (;;) {
        const size_t length = strcspn(text, ",");
        unsigned found = 0;
        for (int i = 0; i < 4; i++)
            if (strlen(names[i]) == length && memcmp(names[i], text, length) == 0) found = 1u << i;
        if (!found)
            return complain(EXIT_USAGE, "option --stats: '%.*s' is none of mean, sd, quantiles, histogram, none",
                            (int)(length < 40 ? length : 40), text);
        *stats |= found;
        if (!text[length]) return EXIT_DONE;
        text += length + 1;
    }
}

/* How a member is computed. */
static int read_method(const options *o, sweep_request *z)
{
    taut_options *with = &z->options;
    wide step, until, tolerance;
    *with = (taut_options){ .size = sizeof *with, .method = options_value(o, "method", NULL) };
    if (number_option(o, "step", "0.01", &step) || number_option(o, "until", "10", &until) ||
        tolerance_option(o, &tolerance) || native_option(o, &with->native))
        return EXIT_USAGE;
    with->tolerance = (double)tolerance;
    with->step = z->spec.h = (double)step;
    z->spec.until = (double)until;
    z->spec.start = options_value(o, "start", NULL);
    return z->spec.start ? start_option(o, 1, &with->start) : EXIT_DONE;
}

/* What is kept of the members, and who computes them. */
static int read_rest(const options *o, taut_members_spec *spec)
{
    uint64_t every, paths;
    if (whole_option(o, "every", "0", (uint64_t)1 << 50, &every) ||
        whole_option(o, "paths", "2000", 100000000, &paths))
        return EXIT_USAGE;
    if (options_value(o, "every", NULL) && !every)
        return complain(EXIT_USAGE, "option --every needs a whole number of at least 1");
    spec->keep = options_value(o, "keep", NULL);
    spec->times = options_value(o, "at", NULL);
    spec->fast = options_value(o, "fast", NULL) != NULL;
    spec->lyapunov = options_value(o, "lyapunov", NULL) != NULL;
    spec->every = (long)every;
    spec->paths = (size_t)paths, spec->no_paths = !paths;
    spec->on = options_value(o, "on", "lanes");
    if (strcmp(spec->on, "interpreter") != 0 && strcmp(spec->on, "lanes") != 0 && strcmp(spec->on, "gpu") != 0)
        return complain(EXIT_USAGE, "option --on is interpreter, lanes or gpu, not '%s'", spec->on);
    return read_stats(o, &spec->stats) || sweep_threads_option(o, &spec->threads) ? EXIT_USAGE : EXIT_DONE;
}

int sweep_request_read(taut_context *context, const options *o, sweep_request *z)
{
    taut_members_spec *spec = &z->spec;
    spec->size = sizeof *spec;
    if (o->positional_count != 1)
        return complain(EXIT_USAGE, "'taut ensemble' needs one model file, as in: taut ensemble models/pendulum.lua "
                                    "--vary \"g=uniform(9.7,9.9)\" --members 100 -o sweep.taut");
    spec->file = options_value(o, "output", NULL);
    spec->replace = options_value(o, "force", NULL) != NULL;
    if (!spec->file)
        return complain(EXIT_USAGE, "option -o is missing: give the file of the ensemble, as in -o sweep.taut");
    if (read_method(o, z) || read_rest(o, spec) || definitions_read(o, &z->definitions)) return EXIT_USAGE;
    const int code = load_model(context, o->positional[0], &z->definitions, &z->model);
    return code ? code : read_sample(o, z);
}

int sweep_request_create(taut_context *context, const sweep_request *z, taut_members **members)
{
    const int status = taut_members_of_model(context, z->model, &z->options, &z->spec, members);
    if (!status) return EXIT_DONE;
    if (!z->spec.count && strstr(taut_error_text(context), "the number of members is missing"))
        return complain(EXIT_USAGE,
                        "option --members is missing: say how many members there are, as in --members 1000");
    return complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "%s%s", taut_error_text(context),
                    advice_on(status));
}

void sweep_request_clear(sweep_request *z)
{
    taut_model_release(z->model);
    free(z->table);
}

/* ---- the command ---- */

/* Members have their own frequencies: the model as it is, with nothing varied, stands for them. What fails here failed
   for members, too, and is recorded there. */
static void tell_unstable(taut_context *context, const sweep_request *z)
{
    taut_options with = z->options;
    taut_simulation *simulation = NULL;
    with.native = TAUT_NATIVE_OFF;
    if (!z->spec.start) with.start = TAUT_PROJECT;
    taut_context_log(context, NULL, NULL); /* notes of the model were given */
    if (taut_simulation_create(context, z->model, &with, &simulation)) return;
    tell_stability(simulation, "of the model at its start, with nothing varied,",
                   unstable_frequency(simulation, with.step));
    taut_simulation_release(simulation);
}

static int go(taut_context *context, const options *o, sweep_request *z)
{
    taut_members *members = NULL;
    int code = sweep_request_read(context, o, z);
    if (code) return code;
    const char *path = z->spec.file;
    if (!z->spec.replace && access(path, F_OK) == 0)
        return complain(EXIT_USAGE,
                        "'%s' exists: 'taut resume' continues it, --force replaces it; or give -o another name", path);
    code = sweep_request_create(context, z, &members);
    if (!code) code = sweep_session(context, members, path);
    taut_members_release(members);
    if (!code) tell_unstable(context, z);
    return code;
}

static int ensemble_main(int argc, char **argv)
{
    options o;
    sweep_request *z = calloc(1, sizeof *z);
    int parsed = options_parse(&command_ensemble, argc, argv, &o);
    if (parsed || !z) {
        free(z);
        return parsed > 0 ? EXIT_DONE : parsed ? EXIT_USAGE : complain(EXIT_FAILED, "out of memory");
    }
    taut_context *context = make_context();
    int code = context ? go(context, &o, z) : EXIT_FAILED;
    sweep_request_clear(z);
    free(z);
    taut_context_destroy(context);
    return code;
}
