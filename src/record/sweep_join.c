/* Parts of an ensemble as one file. Rows are copied by SQLite itself, from the parts as attached databases. */
#include <string.h>

#include "record/reader.h"
#include "record/statement.h"
#include "record/sweep_inside.h"

/* ---- a new file ---- */

typedef struct {
    taut_context *context;
    sweep_varied *varied;    size_t varied_count, varied_capacity;
    sweep_moment *moments;   size_t moment_count, moment_capacity;
} head;

static int take_varied(void *user, const sweep_varied *v)
{
    head *h = user;
    int status = taut_mem_grow(h->context, &h->varied, &h->varied_capacity, h->varied_count + 1, sizeof *h->varied);
    if (status) return status;
    sweep_varied *to = &h->varied[h->varied_count++];
    *to = (sweep_varied){ taut_mem_text(h->context, v->name), taut_mem_text(h->context, v->law) };
    return to->name && to->law ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static int take_moment(void *user, const sweep_moment *m)
{
    head *h = user;
    int status = taut_mem_grow(h->context, &h->moments, &h->moment_capacity, h->moment_count + 1, sizeof *h->moments);
    if (!status) h->moments[h->moment_count++] = *m;
    return status;
}

static void clear_head(head *h)
{
    for (size_t i = 0; i < h->varied_count; i++) {
        taut_mem_free(h->context, (char *)h->varied[i].name);
        taut_mem_free(h->context, (char *)h->varied[i].law);
    }
    taut_mem_free(h->context, h->varied);
    taut_mem_free(h->context, h->moments);
}

int taut_sweep_join_begin(taut_context *context, record *part, const char *path, writer **w, sweep_writer **s)
{
    head h = { .context = context };
    int status = taut_sweep_read_varied(part, take_varied, &h);
    *w = NULL;
    *s = NULL;
    if (!status) status = taut_sweep_read_moments(part, take_moment, &h);
    if (!status)
        status = taut_writer_create_sweep(context, path, 1, taut_record_columns(part), taut_record_column_count(part),
                                          1e6, w);
    for (size_t i = 0; !status && i < part->properties.count; i++)
        status = taut_writer_property(*w, part->properties.texts[2 * i], part->properties.texts[2 * i + 1]);
    for (size_t i = 0; !status && i < part->settings.count; i++)
        status = taut_writer_setting(*w, i, part->settings.texts[2 * i], part->settings.texts[2 * i + 1]);
    if (!status)
        status = taut_sweep_writer_create(context, *w, h.varied, h.varied_count, h.moments, h.moment_count, s);
    if (!status)
        status = taut_database_run((*s)->d,
                                   "create temp table ranks (member integer primary key, rank integer);"
                                   "create temp table places (step integer primary key, place integer);"
                                   "insert into temp.places select step, row_number() over (order by number) - 1 "
                                   "from main.moments where kept");
    clear_head(&h);
    return status;
}

/* ---- parts ---- */

static int attach(sweep_writer *s, const char *part)
{
    sqlite3_stmt *q;
    int status = taut_database_prepare(s->d, "attach ?1 as part", &q);
    if (status) return status;
    sqlite3_bind_text(q, 1, part, -1, SQLITE_STATIC);
    status = taut_database_do(s->d, q);
    sqlite3_finalize(q);
    return status;
}

/* A database can be let go of between transactions only. */
static int detach(sweep_writer *s, writer *w)
{
    int done = 0, status = taut_writer_commit_with(w, "detach part", &done);
    if (!status && !done)
        status = taut_fail(s->context, TAUT_CANNOT_WRITE, "another program is reading '%s'", taut_writer_path(w));
    return status;
}

int taut_sweep_join_list(sweep_writer *s, writer *w, const char *part)
{
    int status = attach(s, part);
    if (!status)
        status = taut_database_run(s->d, "insert or ignore into temp.ranks (member) select member from part.members");
    return status ? status : detach(s, w);
}

/* "a.x" is not m."a.x" or ...: NULL is NULL here. */
static int find_difference(sweep_writer *s, const layout *l, const char *part)
{
    text sql = { 0 };
    sqlite3_stmt *q;
    taut_text_add(&sql, "select f.member from part.frames f join temp.ranks r on r.member = f.member "
                        "join temp.places p on p.step = f.step join main.frames m on m.frame = r.rank * "
                        "(select count(*) from temp.places) + p.place where 0");
    for (size_t i = 0; i < l->count; i++)
        taut_text_add_format(&sql, " or f.\"%w\" is not m.\"%w\"", l->sql[i], l->sql[i]);
    taut_text_add(&sql, " union all select f.member from part.members f join main.members m on m.member = f.member "
                        "where f.status is not m.status or f.t is not m.t or f.steps is not m.steps limit 1");
    int status = taut_text_prepare(&sql, s->d, &q);
    if (status) return status;
    const int row = taut_database_row(s->d, q);
    if (row < 0) status = taut_database_fail(s->d);
    if (row > 0)
        status = taut_fail(s->context, TAUT_BAD_USAGE,
                           "member %lld of '%s' is another one in the parts before it: they come from different "
                           "programs, machines or options", (long long)sqlite3_column_int64(q, 0), part);
    sqlite3_finalize(q);
    return status;
}

static int copy_frames(sweep_writer *s, const layout *l)
{
    text sql = { 0 };
    taut_text_add(&sql,
                  "insert or ignore into main.frames select r.rank * (select count(*) from temp.places) + p.place, "
                  "f.step");
    for (size_t i = 0; i < l->count; i++) taut_text_add_format(&sql, ", f.\"%w\"", l->sql[i]);
    taut_text_add(&sql, " from part.frames f join temp.ranks r on r.member = f.member join temp.places p on p.step = "
                        "f.step order by 1");
    return taut_text_run(&sql, s->d);
}

int taut_sweep_join_add(sweep_writer *s, writer *w, const char *part)
{
    layout l = { 0 };
    int status = taut_layout_read(s->d, &l);
    if (!status)
        status = taut_database_run(s->d, "update temp.ranks set rank = found.place from (select member as m, "
                                         "row_number() over (order by member) - 1 as place from temp.ranks) as found "
                                         "where member = found.m and rank is null");
    if (!status) status = attach(s, part);
    if (!status) status = find_difference(s, &l, part);
    if (!status) status = copy_frames(s, &l);
    if (!status)
        status = taut_database_run(s->d, "insert or ignore into main.members select * from part.members;"
                                         "insert or ignore into main.paths select * from part.paths");
    taut_layout_clear(s->context, &l);
    return status ? status : detach(s, w);
}

int taut_sweep_drop_path(sweep_writer *s, uint64_t member)
{
    return taut_database_run_format(s->d, "delete from main.paths where member = %lld", (sqlite3_int64)member);
}

int taut_sweep_drop_sums(sweep_writer *s) { return taut_database_run(s->d, "delete from main.sums"); }
