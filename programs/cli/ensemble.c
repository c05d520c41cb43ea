/* taut ensemble */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

int sweep_threads_option(const options *o, int *threads)
{
    const long found = sysconf(_SC_NPROCESSORS_ONLN);
    *threads = found < 1 ? 1 : found > TAUT_THREADS_MOST ? TAUT_THREADS_MOST : (int)found;
    return options_value(o, "threads", NULL) ? threads_option(o, threads) : 0;
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

static int read_sample(taut_context *context, const options *o, sweep_request *z, member_range *members)
{
    const char *texts[OPTIONS_MOST], *name = options_value(o, "vary-from", NULL),
               *design_name = options_value(o, "sample", "random");
    size_t count = 0;
    const sample_design design = taut_sample_design_find(design_name);
    uint64_t seed;
    for (int i = 0; i < o->given_count; i++)
        if (strcmp(o->given[i].definition->name, "vary") == 0) texts[count++] = o->given[i].value;
    if (design == DESIGNS)
        return complain(EXIT_USAGE, "option --sample is random, latin or sobol, not '%s'", design_name);
    if (!count && !name)
        return complain(EXIT_USAGE,
                        "nothing varies: give --vary, as in --vary \"a.x=uniform(2.7,2.9)\", or --vary-from");
    if (whole_option(o, "seed", "1", UINT64_MAX, &seed) || members_option(o, members)) return EXIT_USAGE;
    if (name && read_whole_file(name, &z->table)) return EXIT_USAGE;
    if (taut_sample_create(context, texts, count, z->table, name, design, seed, members->of, &z->sample))
        return complain(EXIT_USAGE, "option --vary%s: %s", count ? "" : "-from", taut_error_text(context));
    if (!members->is_part && !z->sample->members)
        return complain(EXIT_USAGE,
                        "option --members is missing: say how many members there are, as in --members 1000");
    if (!members->is_part) *members = (member_range){ 0, z->sample->members - 1, z->sample->members, 0 };
    z->spec.sample = z->sample;
    z->spec.table = z->table;
    z->spec.table_name = name;
    z->spec.first = members->first;
    z->spec.last = members->last;
    return 0;
}

/* Start values that vary are made consistent, unless the user says otherwise. */
static int read_start(const options *o, sweep_request *z)
{
    int varies = 0;
    for (size_t i = 0; i < z->sample->count; i++)
        varies |= taut_model_find_parameter(z->m, z->sample->varies[i].name) < 0;
    if (options_value(o, "start", NULL)) return inside_start(o, 1, &z->spec.start);
    z->spec.start = varies ? START_PROJECT : START_STRICT;
    return 0;
}

int sweep_request_read(taut_context *context, const options *o, sweep_request *z)
{
    sweep_spec *spec = &z->spec;
    member_range members;
    uint64_t every, paths;
    const char *on = options_value(o, "on", "lanes");
    spec->method = options_value(o, "method", "rattle");
    spec->keep = options_value(o, "keep", NULL);
    spec->at = options_value(o, "at", NULL);
    spec->fast = options_value(o, "fast", NULL) != NULL;
    spec->lyapunov = options_value(o, "lyapunov", NULL) != NULL;
    if (o->positional_count != 1)
        return complain(EXIT_USAGE, "'taut ensemble' needs one model file, as in: taut ensemble models/pendulum.lua "
                                    "--vary \"g=uniform(9.7,9.9)\" --members 100 -o sweep.taut");
    if (!options_value(o, "output", NULL))
        return complain(EXIT_USAGE, "option -o is missing: give the file of the ensemble, as in -o sweep.taut");
    if (number_option(o, "step", "0.01", &spec->step) || number_option(o, "until", "10", &spec->until) ||
        tolerance_option(o, &spec->tolerance) || whole_option(o, "every", "0", (uint64_t)1 << 50, &every) ||
        whole_option(o, "paths", "2000", 100000000, &paths))
        return EXIT_USAGE;
    if (options_value(o, "every", NULL) && !every)
        return complain(EXIT_USAGE, "option --every needs a whole number of at least 1");
    const int kind = taut_executor_find(on);
    if (kind < 0) return complain(EXIT_USAGE, "option --on is interpreter, lanes or gpu, not '%s'", on);
    spec->on = (executor_kind)kind;
    spec->every = (long)every;
    spec->paths = (size_t)paths;
    if (taut_sweep_stats_parse(context, options_value(o, "stats", "mean,sd,quantiles,histogram"), &spec->stats))
        return complain(EXIT_USAGE, "option --stats: %s", taut_error_text(context));
    if (native_option(o, &spec->native) || sweep_threads_option(o, &spec->threads)) return EXIT_USAGE;
    if (definitions_read(o, &z->definitions.given)) return EXIT_USAGE;
    int code = inside_load(context, o->positional[0], &z->definitions, &z->m);
    if (code) return code;
    spec->m = z->m;
    spec->definitions = z->definitions.items;
    spec->definition_count = z->definitions.given.count;
    code = read_sample(context, o, z, &members);
    return code ? code : read_start(o, z);
}

void sweep_request_clear(sweep_request *z)
{
    taut_sample_free(z->sample);
    taut_model_free(z->m);
    free(z->table);
}

/* ---- the command ---- */

/* Members have their own frequencies: the model as it is, with nothing varied, stands for them. What fails here failed
   for members, too, and is recorded there. */
static void tell_unstable(model *m, const sweep_spec *spec)
{
    const engine_api *api = &taut_engine_double;
    const engine_options with = { .method = spec->method, .start = spec->start, .step = spec->step,
                                  .native = TAUT_NATIVE_OFF, .again = 1 };
    void *engine = NULL;
    if (api->create(m, &with, &engine)) return;
    inside_tell_stability(api, engine, "of the model at its start, with nothing varied,",
                   inside_unstable(api, engine, spec->step));
    api->destroy(engine);
}

static int go(taut_context *context, const options *o, sweep_request *z)
{
    const char *path = options_value(o, "output", NULL);
    const int replace = options_value(o, "force", NULL) != NULL;
    sweep *s = NULL;
    int code = sweep_request_read(context, o, z);
    if (code) return code;
    if (!replace && access(path, F_OK) == 0)
        return complain(EXIT_USAGE,
                        "'%s' exists: 'taut resume' continues it, --force replaces it; or give -o another name", path);
    int status = taut_sweep_create(context, &z->spec, &s);
    if (!status) status = taut_sweep_record(s, path, replace);
    code = status ? complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "%s%s", taut_error_text(context),
                             advice_on(status))
                  : sweep_session(context, s, &z->spec, path);
    taut_sweep_free(s);
    if (!code) tell_unstable(z->m, &z->spec);
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
