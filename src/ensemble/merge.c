/* Files of parts of an ensemble as one. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/new_file.h"
#include "ensemble/sweep_inside.h"

typedef struct {
    uint64_t first, last;
    unsigned char *bytes;    /* of its sums */
    size_t size;
} stretch;

typedef struct {
    taut_context *context;
    const char *part;        /* at hand */
    writer *w;
    sweep_writer *file;
    size_t cells;
    stretch *stretches;      size_t count, capacity;
    uint64_t first, last, seed, path_key, members, failed;
    uint64_t *dropped;       size_t dropped_count, dropped_capacity;
} merger;

/* ---- what must agree ---- */

static int check_same(merger *z, const record *a, const record *b)
{
    static const char *const names[] = { "source", "method", "step",  "until",     "tolerance", "start",
                                         "sample", "seed",   "of",    "keep",      "at",        "stats",
                                         "every",  "paths",  "table", "arithmetic", "lyapunov" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *x = taut_record_property(a, names[i]), *y = taut_record_property(b, names[i]);
        if ((!x && !y) || (x && y && strcmp(x, y) == 0)) continue;
        if (strcmp(names[i], "of") == 0 && strcmp(taut_record_property(a, "sample"), "latin") != 0) continue;
        const int is_short = x && y && strlen(x) < 60 && strlen(y) < 60;
        return taut_fail(z->context, TAUT_BAD_USAGE,
                         "'%s' is of another ensemble than the first part: its %s is %s%s%s", z->part,
                         strcmp(names[i], "source") == 0 ? "model"
                         : strcmp(names[i], "of") == 0   ? "number of members"
                                                         : names[i],
                         is_short ? y : "another", is_short ? ", not " : "", is_short ? x : "");
    }
    size_t count = taut_record_setting_count(a);
    int same = count == taut_record_setting_count(b);
    for (size_t i = 0; same && i < count; i++) {
        const char *x[2], *y[2];
        taut_record_setting(a, i, &x[0], &x[1]);
        taut_record_setting(b, i, &y[0], &y[1]);
        same = strcmp(x[0], y[0]) == 0 && strcmp(x[1], y[1]) == 0;
    }
    const size_t columns = taut_record_column_count(a);
    same = same && columns == taut_record_column_count(b);
    for (size_t i = 0; same && i < columns; i++)
        same = strcmp(taut_record_columns(a)[i].name, taut_record_columns(b)[i].name) == 0;
    return same ? TAUT_OK
                : taut_fail(z->context, TAUT_BAD_USAGE,
                            "'%s' is of another ensemble than the first part: its settings or columns are others",
                            z->part);
}

/* All laws as one string. */
typedef struct {
    taut_context *context;
    char *text;
    size_t used, capacity;
} law_text;

static int add_law(void *user, const sweep_varied *v)
{
    law_text *l = user;
    const size_t more = strlen(v->name) + strlen(v->law) + 3;
    int status = taut_mem_grow(l->context, &l->text, &l->capacity, l->used + more, 1);
    if (!status) l->used += (size_t)snprintf(l->text + l->used, more, "%s %s\n", v->name, v->law);
    return status;
}

static int check_laws(merger *z, record *a, record *b)
{
    law_text x = { .context = z->context }, y = { .context = z->context };
    int status = taut_sweep_read_varied(a, add_law, &x);
    if (!status) status = taut_sweep_read_varied(b, add_law, &y);
    if (!status && (x.used != y.used || (x.used && memcmp(x.text, y.text, x.used) != 0)))
        status =
            taut_fail(z->context, TAUT_BAD_USAGE,
                      "'%s' is of another ensemble than the first part: what varies in it is something else", z->part);
    taut_mem_free(z->context, x.text);
    taut_mem_free(z->context, y.text);
    return status;
}

static int take_range(merger *z, const record *r)
{
    unsigned long long first, last;
    const char *text = taut_record_property(r, "members");
    if (!text || sscanf(text, "%llu..%llu", &first, &last) != 2)
        return taut_fail(z->context, TAUT_CANNOT_READ, "'%s' is damaged: it does not say which members it has",
                         z->part);
    if (first < z->first) z->first = first;
    if (last > z->last) z->last = last;
    return TAUT_OK;
}

/* ---- sums ---- */

static int count_moment(void *user, const sweep_moment *m)
{
    (void)m;
    ++*(size_t *)user;
    return TAUT_OK;
}

static int count_varied(void *user, const sweep_varied *v)
{
    (void)v;
    ++*(size_t *)user;
    return TAUT_OK;
}

static int take_sums(void *user, uint64_t first, uint64_t last, const void *bytes, size_t size)
{
    merger *z = user;
    for (size_t i = 0; i < z->count; i++) {
        const stretch *s = &z->stretches[i];
        if (s->first == first && s->last == last) return TAUT_OK; /* the same members, which were compared */
        if (s->first <= last && first <= s->last)
            return taut_fail(
                z->context, TAUT_BAD_USAGE,
                "'%s' has members %llu..%llu, a part before it %llu..%llu: statistics of parts that overlap "
                "cannot be joined; run the members that are missing instead",
                z->part, (unsigned long long)first, (unsigned long long)last, (unsigned long long)s->first,
                (unsigned long long)s->last);
    }
    int status = taut_mem_grow(z->context, &z->stretches, &z->capacity, z->count + 1, sizeof *z->stretches);
    unsigned char *copy = status ? NULL : taut_mem_new(z->context, size + 1, 1);
    if (!copy) return TAUT_OUT_OF_MEMORY;
    if (size) memcpy(copy, bytes, size);
    z->stretches[z->count++] = (stretch){ first, last, copy, size };
    return TAUT_OK;
}

static int by_first(const void *a, const void *b)
{
    const stretch *x = a, *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* The stretches from `from` to before `to`, added up. */
static int put_joined(merger *z, size_t from, size_t to)
{
    statistics sums = { 0 };
    unsigned char *bytes = NULL;
    size_t size;
    int status = taut_statistics_create(z->context, z->cells, &sums);
    for (size_t i = from; !status && i < to; i++)
        status = taut_statistics_unpack(&sums, z->stretches[i].bytes, z->stretches[i].size);
    if (!status) status = taut_statistics_pack(&sums, &bytes, &size);
    if (!status) status = taut_sweep_sums(z->file, z->stretches[from].first, z->stretches[to - 1].last, bytes, size);
    taut_mem_free(z->context, bytes);
    taut_statistics_clear(&sums);
    return status;
}

/* Stretches that follow each other become one, as if one program had done them. */
static int put_sums(merger *z)
{
    int status = taut_sweep_drop_sums(z->file);
    if (z->count) qsort(z->stretches, z->count, sizeof *z->stretches, by_first);
    for (size_t i = 0, next; !status && i < z->count; i = next) {
        next = i + 1;
        while (next < z->count && z->stretches[next].first == z->stretches[next - 1].last + 1) next++;
        status = put_joined(z, i, next);
    }
    return status;
}

/* ---- paths ---- */

static int look_at_path(void *user, uint64_t member, const double *values, size_t count)
{
    merger *z = user;
    (void)values, (void)count;
    if (taut_sweep_key(z->seed, member) <= z->path_key) return TAUT_OK;
    int status = taut_mem_grow(z->context, &z->dropped, &z->dropped_capacity, z->dropped_count + 1, sizeof *z->dropped);
    if (!status) z->dropped[z->dropped_count++] = member;
    return status;
}

static int count_member(void *user, const sweep_member *m)
{
    merger *z = user;
    z->members++;
    z->failed += m->failed != 0;
    return TAUT_OK;
}

static int wait_commit(merger *z)
{
    int done = 0, status = taut_writer_commit(z->w, 5000, &done);
    return status || done ? status : taut_fail(z->context, TAUT_CANNOT_WRITE, "another program reads the new file");
}

/* Everything that is made of all members. */
static int finish(merger *z, const char *path, size_t paths, unsigned stats)
{
    char text[64];
    record *r = NULL;
    snprintf(text, sizeof text, "%llu..%llu", (unsigned long long)z->first, (unsigned long long)z->last);
    int status = put_sums(z);
    if (!status) status = taut_writer_property(z->w, "members", text);
    if (!status) status = taut_sweep_path_key(z->context, z->seed, z->first, z->last, paths, &z->path_key);
    if (!status) status = wait_commit(z);
    if (!status) status = taut_record_open(z->context, path, &r);
    if (!status) status = taut_sweep_read_members(r, count_member, z);
    if (!status) status = taut_sweep_read_paths(r, look_at_path, z);
    taut_record_close(r);
    for (size_t i = 0; !status && i < z->dropped_count; i++) status = taut_sweep_drop_path(z->file, z->dropped[i]);
    if (!status) status = wait_commit(z);
    if (!status) status = taut_sweep_summarise(z->context, path, z->file, stats);
    const int whole = z->members == z->last - z->first + 1;
    if (!status) status = taut_writer_property(z->w, "status", whole ? "finished" : "stopped");
    return status ? status : wait_commit(z);
}

static int check_parts(merger *z, const char *const *paths, size_t count, record **first)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < count; i++) {
        record *r = NULL;
        z->part = paths[i];
        status = taut_record_open(z->context, paths[i], &r);
        if (!status && !taut_sweep_is(r))
            status = taut_fail(z->context, TAUT_BAD_USAGE, "'%s' is a single run, not a part of an ensemble", paths[i]);
        if (!status) status = take_range(z, r);
        if (!status && *first) status = check_same(z, *first, r);
        if (!status && *first) status = check_laws(z, *first, r);
        if (!status && !*first)
            *first = r;
        else
            taut_record_close(r);
    }
    return status;
}

static int add_parts(merger *z, const char *const *paths, size_t count)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < count; i++) status = taut_sweep_join_list(z->file, z->w, paths[i]);
    for (size_t i = 0; !status && i < count; i++) {
        record *r = NULL;
        z->part = paths[i];
        status = taut_sweep_join_add(z->file, z->w, paths[i]);
        if (!status) status = taut_record_open(z->context, paths[i], &r);
        if (!status) status = taut_sweep_read_sums(r, take_sums, z);
        taut_record_close(r);
    }
    return status;
}

static int merge(merger *z, const char *const *paths, size_t count, const char *path)
{
    record *first = NULL;
    sweep_stored stored = { 0 };
    size_t moments = 0, varied = 0;
    int status = check_parts(z, paths, count, &first);
    if (!status) status = taut_sweep_load(z->context, first, &stored);
    if (!status) status = taut_sweep_read_moments(first, count_moment, &moments);
    if (!status) status = taut_sweep_read_varied(first, count_varied, &varied);
    if (!status) z->cells = moments * (taut_record_column_count(first) - 1 - varied);
    if (!status) z->seed = stored.sample->seed;
    if (!status) status = taut_sweep_join_begin(z->context, first, path, &z->w, &z->file);
    taut_record_close(first);
    if (!status) status = add_parts(z, paths, count);
    if (!status) status = finish(z, path, stored.spec.paths, stored.spec.stats);
    taut_sweep_stored_clear(z->context, &stored);
    return status;
}

int taut_sweep_merge(taut_context *context, const char *const *paths, size_t count, const char *to, int replace,
                     sweep_progress *result)
{
    merger z = { .context = context, .first = UINT64_MAX };
    if (!replace && access(to, F_OK) == 0) return taut_fail(context, TAUT_BAD_USAGE, "'%s' exists", to);
    if (taut_new_file_is_special(to))
        return taut_fail(context, TAUT_CANNOT_WRITE, "cannot write '%s': it is not a regular file", to);
    char *part = taut_mem_new(context, strlen(to) + sizeof NEW_FILE_ENDING, 1); /* its name until it is complete */
    if (!part) return TAUT_OUT_OF_MEMORY;
    taut_new_file_name(to, part);
    unlink(part);
    int status = merge(&z, paths, count, part);
    taut_sweep_writer_close(z.file);
    taut_writer_close(z.w);
    if (!status && rename(part, to))
        status = taut_fail(context, TAUT_CANNOT_WRITE, "cannot write '%s': %s", to, strerror(errno));
    if (status) unlink(part);
    for (size_t i = 0; i < z.count; i++) taut_mem_free(context, z.stretches[i].bytes);
    taut_mem_free(context, z.stretches);
    taut_mem_free(context, z.dropped);
    taut_mem_free(context, part);
    *result = (sweep_progress){ .members = status ? 0 : z.last - z.first + 1, .done = z.members, .failed = z.failed };
    return status;
}
