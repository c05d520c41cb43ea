/* The file of a sweep: made, gone on with, read back as a spec. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/sha256.h"
#include "base/text.h"
#include "ensemble/sweep_inside.h"

/* ---- a new file ---- */

static int put_number(writer *w, const char *name, wide value)
{
    char text[WIDE_TEXT];
    taut_wide_shortest(text, sizeof text, value);
    return taut_writer_property(w, name, text);
}

static int put_whole(writer *w, const char *name, uint64_t value)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    return taut_writer_property(w, name, text);
}

/* The names that are kept, whatever was asked for. */
static char *kept_names(const sweep *s)
{
    char *list = taut_mem_new(s->context, s->own_count, sizeof *s->names + 1);
    for (size_t i = 0, used = 0; list && i < s->own_count; i++)
        used += (size_t)sprintf(list + used, "%s%s", i ? "," : "", s->names[i]);
    return list;
}

static void add_text(sha256 *h, const char *text)
{
    taut_sha256_add(h, text ? text : "", text ? strlen(text) + 1 : 1);
}

/* Two sweeps with the same identity are parts of one: their members, kept values and moments are the same. */
static void find_identity(const sweep *s, const char *keep, char *text)
{
    const sweep_spec *spec = &s->spec;
    const uint64_t wholes[] = { spec->sample->seed, spec->sample->design == DESIGN_LATIN ? spec->sample->members : 0,
                                spec->stats, (uint64_t)spec->every, spec->paths, (uint64_t)spec->start,
                                spec->sample->design, (uint64_t)spec->fast, (uint64_t)spec->lyapunov };
    const wide numbers[] = { spec->step, spec->until, spec->tolerance };
    unsigned char digest[SHA256_SIZE];
    sha256 h;
    taut_sha256_begin(&h);
    for (size_t i = 0; i < sizeof wholes / sizeof *wholes; i++) {
        char number[32];
        snprintf(number, sizeof number, "%llu", (unsigned long long)wholes[i]);
        add_text(&h, number);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        char number[WIDE_TEXT];
        taut_wide_shortest(number, sizeof number, numbers[i]);
        add_text(&h, number);
    }
    const char *texts[] = { spec->m->source, spec->method, keep, spec->at, spec->table };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) add_text(&h, texts[i]);
    for (size_t i = 0; i < spec->definition_count; i++) {
        add_text(&h, spec->definitions[i].name);
        add_text(&h, spec->definitions[i].value);
    }
    for (size_t i = 0; i < spec->sample->count; i++) {
        const sample_vary *v = &spec->sample->varies[i];
        add_text(&h, v->name);
        add_text(&h, v->law == LAW_TABLE ? "table" : v->text);
    }
    taut_sha256_end(&h, digest);
    taut_sha256_text(digest, text);
}

static int put_head(sweep *s)
{
    const sweep_spec *spec = &s->spec;
    writer *w = s->writer;
    char created[32], stats[64], members[64];
    time_t clock = time(NULL);
    struct tm utc;
    gmtime_r(&clock, &utc);
    strftime(created, sizeof created, "%Y-%m-%dT%H:%M:%SZ", &utc);
    taut_sweep_stats_text(spec->stats, stats, sizeof stats);
    snprintf(members, sizeof members, "%llu..%llu", (unsigned long long)spec->first, (unsigned long long)spec->last);
    char *keep = kept_names(s);
    if (!keep) return TAUT_OUT_OF_MEMORY;
    char identity[2 * SHA256_SIZE + 1];
    find_identity(s, keep, identity);
    const char *texts[][2] = { { "taut", TAUT_VERSION },
                               { "kind", "ensemble" },
                               { "created", created },
                               { "model", taut_text_file_name(spec->m->file) },
                               { "source", spec->m->source },
                               { "title", spec->m->title },
                               { "method", spec->method },
                               { "precision", "double" },
                               { "start", start_mode_name(spec->start) },
                               { "sample", taut_sample_design_name(spec->sample->design) },
                               { "keep", keep },
                               { "at", spec->at },
                               { "stats", stats },
                               { "members", members },
                               { "on", taut_executor_name(taut_executor_on(s->executor)) },
                               { "arithmetic", spec->fast ? "contracted" : "exact" },
                               { "lyapunov", spec->lyapunov ? "yes" : NULL },
                               { "table", spec->table },
                               { "identity", identity },
                               { "status", "running" } };
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < sizeof texts / sizeof *texts; i++)
        if (texts[i][1]) status = taut_writer_property(w, texts[i][0], texts[i][1]);
    taut_mem_free(s->context, keep);
    const struct { const char *name; wide value; } numbers[] = {
        { "step", spec->step }, { "until", spec->until }, { "tolerance", spec->tolerance } };
    for (size_t i = 0; !status && i < sizeof numbers / sizeof *numbers; i++)
        status = put_number(w, numbers[i].name, numbers[i].value);
    const struct { const char *name; uint64_t value; } wholes[] = { { "seed", spec->sample->seed },
                                                                    { "of", spec->sample->members },
                                                                    { "every", (uint64_t)spec->every },
                                                                    { "paths", spec->paths } };
    for (size_t i = 0; !status && i < sizeof wholes / sizeof *wholes; i++)
        status = put_whole(w, wholes[i].name, wholes[i].value);
    for (size_t i = 0; !status && i < spec->definition_count; i++)
        status = taut_writer_setting(w, i, spec->definitions[i].name, spec->definitions[i].value);
    return status;
}

int taut_sweep_record(sweep *s, const char *path, int replace)
{
    const sample *sample = s->spec.sample;
    const size_t count = 1 + sample->count + s->column_count;
    if (strlen(s->spec.m->source) != s->spec.m->source_size)
        return taut_fail(s->context, TAUT_BAD_MODEL,
                         "%s: the model contains a zero byte, which a run file cannot hold; remove it",
                         s->spec.m->file);
    record_column *columns = taut_mem_new(s->context, count, sizeof *columns);
    sweep_varied *varied = taut_mem_new(s->context, sample->count + 1, sizeof *varied);
    int status = columns && varied ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) {
        const size_t kept = i - 1 - sample->count;
        if (i == 0) columns[i] = (record_column){ "member", "member" };
        else if (i <= sample->count) columns[i] = (record_column){ s->varied[i - 1], "varied" };
        else if (kept == s->own_count) columns[i] = (record_column){ s->names[kept], "exponent" };
        else columns[i] = (record_column){ s->names[kept], taut_executor_column_kind(s->executor, s->columns[kept]) };
    }
    for (size_t i = 0; !status && i < sample->count; i++)
        varied[i] =
            (sweep_varied){ s->varied[i], sample->varies[i].law == LAW_TABLE ? "table" : sample->varies[i].text };
    const double frames = (double)(s->spec.last - s->spec.first + 1) * (double)s->kept_count;
    if (!status) status = taut_writer_create_sweep(s->context, path, replace, columns, count, frames, &s->writer);
    if (!status) status = put_head(s);
    if (!status)
        status = taut_sweep_writer_create(s->context, s->writer, varied, sample->count, s->moments, s->moment_count,
                                          &s->file);
    taut_mem_free(s->context, columns);
    taut_mem_free(s->context, varied);
    return status;
}

/* ---- one that is gone on with ---- */

static int take_member(void *user, const sweep_member *m)
{
    sweep *s = user;
    if (m->member < s->spec.first || m->member > s->spec.last)
        return taut_fail(s->context, TAUT_CANNOT_READ, "the file is damaged: it has a member %llu that is not its own",
                         (unsigned long long)m->member);
    const uint64_t at = m->member - s->spec.first;
    s->done[at / 8] |= (unsigned char)(1 << at % 8);
    s->done_count++;
    s->failed_count += m->failed != 0;
    return TAUT_OK;
}

/* The sums that the next member can be added to. */
static int take_sums(void *user, uint64_t first, uint64_t last, const void *bytes, size_t size)
{
    sweep *s = user;
    uint64_t next = s->spec.first;
    while (next <= s->spec.last && s->done[(next - s->spec.first) / 8] >> (next - s->spec.first) % 8 & 1) next++;
    if (last + 1 != next || !s->spec.stats) return TAUT_OK;
    s->from = first;
    s->to = last;
    return taut_statistics_unpack(&s->sums, bytes, size);
}

static int check_identity(const sweep *s, const record *r)
{
    char identity[2 * SHA256_SIZE + 1], *keep = kept_names(s);
    const char *found = taut_record_property(r, "identity");
    if (!keep) return TAUT_OUT_OF_MEMORY;
    find_identity(s, keep, identity);
    taut_mem_free(s->context, keep);
    const size_t columns = 1 + s->spec.sample->count + s->column_count; /* of a frame, for the writer */
    return found && strcmp(found, identity) == 0 && taut_record_column_count(r) == columns
               ? TAUT_OK
               : taut_fail(s->context, TAUT_BAD_USAGE,
                           "'%s' is of another ensemble: its model, members or options are others; remove it, or go on "
                           "with it as it was begun", taut_record_path(r));
}

int taut_sweep_continue(sweep *s, const char *path)
{
    record *r = NULL;
    int status = taut_writer_open(s->context, path, &s->writer); /* first: then no other process changes what is read */
    if (!status) status = taut_record_open(s->context, path, &r);
    if (!status) status = check_identity(s, r);
    if (!status) status = taut_sweep_read_members(r, take_member, s);
    if (!status) status = taut_sweep_read_sums(r, take_sums, s);
    taut_record_close(r);
    if (!status) status = taut_sweep_writer_open(s->context, s->writer, &s->file);
    if (!status) status = taut_writer_property(s->writer, "status", "running");
    return status ? status : taut_writer_property(s->writer, "message", "");
}

/* ---- back to a spec ---- */

void taut_sweep_stored_clear(taut_context *context, sweep_stored *z)
{
    taut_sample_free(z->sample);
    taut_model_free(z->m);
    for (size_t i = 0; i < z->spec.definition_count; i++) {
        taut_mem_free(context, (char *)z->definitions[i].name);
        taut_mem_free(context, (char *)z->definitions[i].value);
    }
    void *blocks[] = { z->definitions, z->method, z->keep, z->at, z->table };
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(context, blocks[i]);
    *z = (sweep_stored){ 0 };
}

static int damaged(taut_context *context, const char *name)
{
    return taut_fail(context, TAUT_CANNOT_READ, "the file of the ensemble is damaged: its '%s' makes no sense", name);
}

static int get_number(taut_context *context, const record *r, const char *name, wide *value)
{
    const char *text = taut_record_property(r, name);
    return text && !taut_wide_parse(text, value) ? TAUT_OK : damaged(context, name);
}

static int get_whole(taut_context *context, const record *r, const char *name, uint64_t *value)
{
    const char *text = taut_record_property(r, name);
    char *end = NULL;
    if (text) *value = strtoull(text, &end, 10);
    return text && end != text && !*end ? TAUT_OK : damaged(context, name);
}

static int get_text(taut_context *context, const record *r, const char *name, char **value)
{
    const char *text = taut_record_property(r, name);
    if (!text) return TAUT_OK;
    *value = taut_mem_text(context, text);
    return *value ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static int get_range(taut_context *context, const record *r, sweep_spec *spec)
{
    const char *text = taut_record_property(r, "members");
    unsigned long long first, last;
    if (!text || sscanf(text, "%llu..%llu", &first, &last) != 2) return damaged(context, "members");
    spec->first = first;
    spec->last = last;
    return TAUT_OK;
}

typedef struct {
    taut_context *context;
    char **laws;
    size_t count, capacity;
} law_list;

static int take_law(void *user, const sweep_varied *v)
{
    law_list *l = user;
    if (strcmp(v->law, "table") == 0) return TAUT_OK;
    int status = taut_mem_grow(l->context, &l->laws, &l->capacity, l->count + 1, sizeof *l->laws);
    if (status) return status;
    l->laws[l->count] = taut_mem_text(l->context, v->law);
    return l->laws[l->count++] ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static int load_sample(taut_context *context, const record *r, sweep_stored *z)
{
    law_list l = { .context = context };
    uint64_t seed = 0, members = 0;
    sample_design design = DESIGN_RANDOM;
    const char *name = taut_record_property(r, "sample");
    while (name && design < DESIGNS && strcmp(name, taut_sample_design_name(design)) != 0) design++;
    int status = name && design < DESIGNS ? TAUT_OK : damaged(context, "sample");
    if (!status) status = get_whole(context, r, "seed", &seed);
    if (!status) status = get_whole(context, r, "of", &members);
    if (!status) status = get_text(context, r, "table", &z->table);
    if (!status) status = taut_sweep_read_varied((record *)r, take_law, &l);
    if (!status)
        status = taut_sample_create(context, (const char *const *)l.laws, l.count, z->table, "the table of members",
                                    design, seed, members, &z->sample);
    for (size_t i = 0; i < l.count; i++) taut_mem_free(context, l.laws[i]);
    taut_mem_free(context, l.laws);
    return status;
}

static int load_model(taut_context *context, const record *r, sweep_stored *z)
{
    const char *source = taut_record_property(r, "source"), *name = taut_record_property(r, "model");
    const size_t count = taut_record_setting_count(r);
    if (!source || !name) return damaged(context, source ? "model" : "source");
    z->definitions = taut_mem_new(context, count + 1, sizeof *z->definitions);
    if (!z->definitions) return TAUT_OUT_OF_MEMORY;
    z->spec.definitions = z->definitions;
    for (size_t i = 0; i < count; i++) {
        definition *d = &z->definitions[z->spec.definition_count++];
        taut_record_setting(r, i, &d->name, &d->value);
        d->name = taut_mem_text(context, d->name);
        d->value = taut_mem_text(context, d->value);
        if (!d->name || !d->value) return TAUT_OUT_OF_MEMORY;
    }
    return taut_model_read_text(context, name, source, strlen(source), z->definitions, count, &z->m);
}

int taut_sweep_load(taut_context *context, const record *r, sweep_stored *z)
{
    sweep_spec *spec = &z->spec;
    uint64_t every = 0, paths = 0;
    *z = (sweep_stored){ 0 };
    if (!taut_sweep_is(r)) return taut_fail(context, TAUT_BAD_USAGE, "this is a single run, not an ensemble");
    const char *stats = taut_record_property(r, "stats"), *start = taut_record_property(r, "start"),
               *on = taut_record_property(r, "on"), *arithmetic = taut_record_property(r, "arithmetic");
    int status = load_model(context, r, z);
    if (!status) status = load_sample(context, r, z);
    if (!status) status = get_number(context, r, "step", &spec->step);
    if (!status) status = get_number(context, r, "until", &spec->until);
    if (!status) status = get_number(context, r, "tolerance", &spec->tolerance);
    if (!status) status = get_whole(context, r, "every", &every);
    if (!status) status = get_whole(context, r, "paths", &paths);
    if (!status) status = get_range(context, r, spec);
    if (!status) status = get_text(context, r, "method", &z->method);
    if (!status) status = get_text(context, r, "keep", &z->keep);
    if (!status) status = get_text(context, r, "at", &z->at);
    if (!status)
        status = stats && z->method ? taut_sweep_stats_parse(context, stats, &spec->stats) : damaged(context, "stats");
    const int kind = on ? taut_executor_find(on) : -1;
    if (!status && kind < 0) status = damaged(context, "on");
    for (spec->start = START_STRICT; !status && (!start || strcmp(start, start_mode_name(spec->start)) != 0);)
        if (++spec->start == START_MODES) status = damaged(context, "start");
    spec->m = z->m;
    spec->sample = z->sample;
    spec->table = z->table;
    spec->method = z->method;
    spec->keep = z->keep;
    spec->at = z->at;
    spec->every = (long)every;
    spec->paths = (size_t)paths;
    spec->on = (executor_kind)kind;
    spec->lyapunov = taut_record_property(r, "lyapunov") != NULL;
    spec->fast = arithmetic && strcmp(arithmetic, "contracted") == 0;
    spec->threads = 1;
    if (status) taut_sweep_stored_clear(context, z);
    return status;
}
