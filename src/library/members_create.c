/* Members of an ensemble, made from a simulation, a model or a file: a sweep (ensemble/sweep.h). */
#include "library/members.h"

/* ---- made ---- */

static int keep_settings(taut_members *z, const definition *list, size_t count)
{
    if (!count) return TAUT_OK;
    z->definitions = taut_library_settings(z->context, list, count);
    if (!z->definitions) return TAUT_OUT_OF_MEMORY;
    z->definition_count = count;
    return TAUT_OK;
}

static int copy_settings(taut_members *z, const members_source *from)
{
    definition *list = NULL;
    char (*numbers)[WIDE_TEXT] = NULL;
    size_t count = 0;
    if (!from->prototype) return keep_settings(z, from->model->settings, from->model->setting_count);
    int status = taut_library_list_settings(from->prototype, &list, &count, &numbers);
    if (!status) status = keep_settings(z, list, count);
    taut_mem_free(from->prototype->context, list);
    taut_mem_free(from->prototype->context, numbers);
    return status;
}

static void put_number(builder *to, double x)
{
    char text[WIDE_TEXT];
    taut_wide_shortest(text, sizeof text, taut_wide_from_double(x));
    taut_builder_put(to, "%s", text);
}

/* A file has the values as the text of a table. */
static int write_table(taut_members *z, const taut_members_spec *spec)
{
    if (spec->table) {
        taut_builder_put(&z->table, "%s", spec->table);
        return z->table.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
    }
    for (size_t k = 0; k < spec->name_count; k++) taut_builder_put(&z->table, "%s%s", k ? "," : "", spec->names[k]);
    for (size_t i = 0; i < spec->value_rows; i++) {
        taut_builder_put(&z->table, "\n");
        for (size_t k = 0; k < spec->name_count; k++) {
            if (k) taut_builder_put(&z->table, ",");
            put_number(&z->table, spec->values[i * spec->name_count + k]);
        }
    }
    taut_builder_put(&z->table, "\n");
    return z->table.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

static int write_times(taut_members *z, const taut_members_spec *spec)
{
    if (spec->times) taut_builder_put(&z->at, "%s", spec->times);
    for (size_t i = 0; !spec->times && i < spec->at_count; i++) {
        if (i) taut_builder_put(&z->at, ",");
        put_number(&z->at, spec->at[i]);
    }
    return z->at.failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

static int create_sample(taut_members *z, const taut_members_spec *spec)
{
    const sample_design design = taut_sample_design_find(spec->sample ? spec->sample : "random");
    const uint64_t of = spec->of ? spec->of : spec->count && !spec->part ? spec->first + spec->count : 0;
    const sample_numbers numbers = { spec->names, spec->name_count, spec->value_rows, spec->values };
    if (design == DESIGNS)
        return taut_fail(z->context, TAUT_BAD_USAGE, "sample is random, latin or sobol, not '%s'", spec->sample);
    if (!spec->vary_count && !spec->name_count && !spec->table)
        return taut_fail(z->context, TAUT_BAD_USAGE, "nothing varies: give laws, or names and values");
    int status = TAUT_OK;
    if (spec->table || (spec->file && spec->name_count)) {
        status = write_table(z, spec);
        if (!status)
            status = taut_sample_create(z->context, spec->vary, spec->vary_count, z->table.text, z->table_name, design,
                                        spec->seed, of, &z->sample);
    } else {
        status = taut_sample_create_with(z->context, spec->vary, spec->vary_count, &numbers, design, spec->seed, of,
                                         &z->sample);
    }
    if (status) return status;
    if (!spec->count && !z->sample->members)
        return taut_fail(z->context, TAUT_BAD_USAGE, "the number of members is missing: no grid or values say it");
    if (!spec->count && spec->first >= z->sample->members)
        return taut_fail(z->context, TAUT_BAD_USAGE, "the first member is %llu, counted from 0: there are %llu",
                         (unsigned long long)spec->first, (unsigned long long)z->sample->members);
    z->spec.first = spec->first;
    z->spec.last = spec->count ? spec->first + spec->count - 1 : z->sample->members - 1;
    return TAUT_OK;
}

static int varies_start(const taut_members *z)
{
    for (size_t i = 0; i < z->sample->count; i++)
        if (taut_model_find_parameter(z->m, z->sample->varies[i].name) < 0) return 1;
    return 0;
}

/* What is done with a start that is off the constraints. */
static int choose_start(const taut_members *z, const members_source *from, const taut_members_spec *spec,
                        start_mode *start)
{
    *start = spec->strict ? START_STRICT : varies_start(z) ? START_PROJECT : from->start;
    if (!spec->start) return TAUT_OK;
    for (int mode = START_STRICT; mode < START_MODES; mode++)
        if (strcmp(spec->start, start_mode_name((start_mode)mode)) == 0) {
            *start = (start_mode)mode;
            return TAUT_OK;
        }
    return taut_fail(z->context, TAUT_BAD_USAGE, "start is strict, project or as-is, not '%s'", spec->start);
}

static int fill_spec(taut_members *z, const members_source *from, const taut_members_spec *spec)
{
    const int on = taut_executor_find(spec->on ? spec->on : "lanes");
    if (on < 0)
        return taut_fail(z->context, TAUT_BAD_USAGE, "on is interpreter, lanes or gpu, not '%s'", spec->on);
    sweep_spec *to = &z->spec;
    to->m = z->m;
    to->definitions = z->definitions;
    to->definition_count = z->definition_count;
    to->method = z->method;
    to->step = taut_wide_from_double(spec->h), to->until = taut_wide_from_double(spec->until);
    to->tolerance = from->tolerance;
    to->sample = z->sample;
    to->table = z->table.text, to->table_name = z->table.text ? z->table_name : NULL;
    to->keep = z->keep;
    to->at = z->at.text;
    to->stats = spec->stats;
    to->every = spec->every;
    to->lyapunov = spec->lyapunov != 0;
    to->paths = spec->no_paths ? 0 : spec->paths ? spec->paths : 2000;
    to->on = (executor_kind)on;
    to->threads = spec->threads, to->fast = spec->fast != 0, to->native = from->native;
    return choose_start(z, from, spec, &to->start);
}

static int check(taut_context *context, const taut_members_spec *spec)
{
    int status = taut_library_check_threads(context, spec->threads);
    if (status) return status;
    if (spec->stats > STATS_ALL)
        return taut_fail(context, TAUT_BAD_USAGE, "stats is a sum of TAUT_STATS_*, not %u", spec->stats);
    if (spec->every < 0)
        return taut_fail(context, TAUT_BAD_USAGE, "every is a number of steps, not %ld", spec->every);
    if ((spec->vary_count && !spec->vary) || (spec->name_count && !spec->names) || (spec->at_count && !spec->at)
        || (spec->name_count && spec->value_rows && !spec->values))
        return taut_fail(context, TAUT_BAD_USAGE, "vary, names, values or at is NULL, and its count is not 0; give the "
                                                  "array, or a count of 0");
    for (size_t i = 0; i < spec->vary_count; i++)
        if (!spec->vary[i]) return taut_fail(context, TAUT_BAD_USAGE, "law %zu is NULL; leave it out", i + 1);
    for (size_t i = 0; i < spec->name_count; i++)
        if (!spec->names[i]) return taut_fail(context, TAUT_BAD_USAGE, "name %zu is NULL; leave it out", i + 1);
    if (spec->count > (uint64_t)1 << 40 || spec->first > (uint64_t)1 << 40)
        return taut_fail(context, TAUT_BAD_USAGE, "there are at most 2^40 members");
    return TAUT_OK;
}

static int make(taut_members *z, const members_source *from, const taut_members_spec *spec)
{
    const char *table_name = spec->table && spec->table_name ? spec->table_name : "the values";
    z->method = taut_mem_text(z->context, from->method);
    z->table_name = taut_mem_text(z->context, table_name);
    if (spec->keep) z->keep = taut_mem_text(z->context, spec->keep);
    if (!z->method || !z->table_name || (spec->keep && !z->keep)) return TAUT_OUT_OF_MEMORY;
    int status = from->prototype ? taut_library_model(from->prototype, z->context, &z->m)
                                 : taut_model_copy(z->context, from->model->m, &z->m);
    if (!status && spec->file) status = copy_settings(z, from);
    if (!status) status = write_times(z, spec);
    if (!status) status = create_sample(z, spec);
    if (!status) status = fill_spec(z, from, spec);
    return status ? status : taut_sweep_create(z->context, &z->spec, &z->sweep);
}

static void count_times(taut_members *z)
{
    for (size_t k = 0; k < taut_sweep_moments(z->sweep); k++) z->times += taut_sweep_moment(z->sweep, k)->kept != 0;
}

/* A file that is there and has begun is gone on with, if the spec says so. */
static int open_file(taut_members *z, const taut_members_spec *spec)
{
    record *r = NULL;
    const int goes_on = spec->resume && !taut_record_open(z->context, spec->file, &r);
    taut_record_close(r);
    return goes_on ? taut_sweep_continue(z->sweep, spec->file)
                   : taut_sweep_record(z->sweep, spec->file, spec->replace || spec->resume);
}

static taut_members *begin(taut_context *context)
{
    taut_members *z = taut_mem_new(context, 1, sizeof *z);
    if (!z) return NULL;
    taut_context_keep(context);
    z->context = z->table.context = z->at.context = context;
    return z;
}

static int create(taut_context *context, const members_source *from, const taut_members_spec *given,
                  taut_members **result)
{
    taut_members_spec spec;
    int status = taut_library_take(context, "taut_members_spec", given, sizeof spec, &spec);
    if (!status) status = check(context, &spec);
    taut_members *z = status ? NULL : begin(context);
    if (!z) return status ? status : TAUT_OUT_OF_MEMORY;
    status = make(z, from, &spec);
    if (!status && spec.file) status = open_file(z, &spec);
    if (status) {
        taut_members_release(z);
        return status;
    }
    count_times(z);
    *result = z;
    return TAUT_OK;
}

int taut_members_create(taut_simulation *prototype, const taut_members_spec *given, taut_members **result)
{
    taut_context *context = prototype ? prototype->context : NULL;
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, prototype, "prototype");
    LIBRARY_NEEDS(context, given, "spec");
    library_begin(context);
    const engine_options *o = &prototype->options;
    const members_source from = { .prototype = prototype, .method = prototype->method, .tolerance = o->tolerance,
                                  .start = o->start, .native = o->native };
    int status = TAUT_OK;
    if (prototype->api->number_size != sizeof(double))
        status = taut_fail(context, TAUT_UNSUPPORTED, "members of ensembles are in double precision");
    else if (o->time != 0)
        status = taut_fail(context, TAUT_UNSUPPORTED, "members of ensembles begin at time 0, not at %.9g",
                           (double)o->time);
    return library_done(context, status ? status : create(context, &from, given, result));
}

int taut_members_of_model(taut_context *context, taut_model *model, const taut_options *options,
                          const taut_members_spec *given, taut_members **result)
{
    taut_options o = { 0 };
    const engine_api *api;
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, model, "model");
    LIBRARY_NEEDS(context, given, "spec");
    library_begin(context);
    int status = options ? taut_library_take(context, "taut_options", options, sizeof o, &o) : TAUT_OK;
    if (!status) status = taut_library_check_options(context, &o, &api);
    if (!status && (api->number_size != sizeof(double) || o.time != 0))
        status = taut_fail(context, TAUT_UNSUPPORTED,
                           "members of ensembles are in double precision and begin at time 0");
    const members_source from = { .model = model, .method = o.method ? o.method : "rattle",
                                  .tolerance = taut_wide_from_double(o.tolerance), .start = (start_mode)o.start,
                                  .native = o.native };
    return library_done(context, status ? status : create(context, &from, given, result));
}

static int load(taut_members *z, const char *path)
{
    record *r = NULL;
    int status = taut_record_open(z->context, path, &r);
    if (!status && !taut_sweep_is(r))
        status = taut_fail(z->context, TAUT_BAD_USAGE, "'%s' is a single run, not an ensemble", path);
    if (!status) status = taut_sweep_load(z->context, r, &z->stored);
    taut_record_close(r);
    return status;
}

int taut_members_open(taut_context *context, const char *path, int native, int threads, taut_members **result)
{
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, path, "path");
    library_begin(context);
    int status = taut_library_check_threads(context, threads);
    if (!status && (native < TAUT_NATIVE_DEFAULT || native > TAUT_NATIVE_OFF))
        status = taut_fail(context, TAUT_BAD_USAGE, "native is one of TAUT_NATIVE_*, not %d", native);
    taut_members *z = status ? NULL : begin(context);
    if (!z) return library_done(context, status ? status : TAUT_OUT_OF_MEMORY);
    status = load(z, path);
    z->spec = z->stored.spec;
    z->spec.native = native, z->spec.threads = threads;
    if (!status) status = taut_sweep_create(context, &z->spec, &z->sweep);
    if (!status) status = taut_sweep_continue(z->sweep, path);
    if (status) {
        taut_members_release(z);
        return library_done(context, status);
    }
    count_times(z);
    *result = z;
    return library_done(context, TAUT_OK);
}
