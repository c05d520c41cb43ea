#include "record/sweep_file.h"

#include <stdio.h>
#include <string.h>

#include "record/reader.h"
#include "record/schema.h"
#include "record/statement.h"
#include "record/sweep_inside.h"

const double taut_sweep_quantiles[SWEEP_QUANTILES] = { 0.05, 0.25, 0.5, 0.75, 0.95 };

/* ---- writing ---- */

void taut_sweep_writer_close(sweep_writer *s)
{
    if (!s) return;
    for (int i = 0; i < SWEEP_STATEMENTS; i++) sqlite3_finalize(s->statements[i]);
    taut_mem_free(s->context, s->bytes);
    taut_mem_free(s->context, s);
}

/* Some members in one statement: most of them end alike, and a statement costs as much as some rows. */
#define FINISHED(k) "(?1 + " #k ", 'finished', ?2, ?3, null)"
#define MEMBERS_FINISHED \
    FINISHED(0) "," FINISHED(1) "," FINISHED(2) "," FINISHED(3) "," FINISHED(4) "," FINISHED(5) "," FINISHED(6) "," \
    FINISHED(7) "," FINISHED(8) "," FINISHED(9) "," FINISHED(10) "," FINISHED(11) "," FINISHED(12) "," \
    FINISHED(13) "," FINISHED(14) "," FINISHED(15) "," FINISHED(16) "," FINISHED(17) "," FINISHED(18) "," \
    FINISHED(19) "," FINISHED(20) "," FINISHED(21) "," FINISHED(22) "," FINISHED(23) "," FINISHED(24)
enum { AT_ONCE = 25 };

/* Prepared when it is first needed. */
static int prepared(sweep_writer *s, int which, sqlite3_stmt **statement)
{
    static const char *const sql[SWEEP_STATEMENTS] = {
        [PUT_VARIED] = "insert into main.varied values (?1, ?2, ?3)",
        [PUT_MOMENT] = "insert into main.moments values (?1, ?2, ?3, ?4)",
        [PUT_MEMBER] = "insert into main.members values (?1, ?2, ?3, ?4, ?5)",
        [PUT_MEMBERS] = "insert into main.members values " MEMBERS_FINISHED,
        [PUT_PATH] = "insert into main.paths values (?1, ?2)",
        [PUT_SUMS] = "insert or replace into main.sums values (?1, ?2, ?3)",
        [PUT_STATISTIC] = "insert into main.statistics values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
        [PUT_HISTOGRAM] = "insert into main.histograms values (?1, ?2, ?3, ?4, ?5)",
    };
    int status = s->statements[which] ? TAUT_OK : taut_database_prepare(s->d, sql[which], &s->statements[which]);
    *statement = s->statements[which];
    return status;
}

static int put_varied(sweep_writer *s, const sweep_varied *varied, size_t count)
{
    sqlite3_stmt *q;
    int status = prepared(s, PUT_VARIED, &q);
    for (size_t i = 0; !status && i < count; i++) {
        sqlite3_bind_int64(q, 1, (sqlite3_int64)i);
        sqlite3_bind_text(q, 2, varied[i].name, -1, SQLITE_STATIC);
        sqlite3_bind_text(q, 3, varied[i].law, -1, SQLITE_STATIC);
        status = taut_database_do(s->d, q);
    }
    return status;
}

static int put_moments(sweep_writer *s, const sweep_moment *moments, size_t count)
{
    sqlite3_stmt *q;
    int status = prepared(s, PUT_MOMENT, &q);
    for (size_t i = 0; !status && i < count; i++) {
        sqlite3_bind_int64(q, 1, (sqlite3_int64)i);
        sqlite3_bind_int64(q, 2, moments[i].step);
        sqlite3_bind_double(q, 3, moments[i].t);
        sqlite3_bind_int(q, 4, moments[i].kept);
        status = taut_database_do(s->d, q);
    }
    return status;
}

int taut_sweep_writer_open(taut_context *context, writer *w, sweep_writer **result)
{
    sweep_writer *s = *result = taut_mem_new(context, 1, sizeof *s);
    if (!s) return TAUT_OUT_OF_MEMORY;
    s->context = context;
    s->d = taut_writer_database(w);
    return TAUT_OK;
}

int taut_sweep_writer_create(taut_context *context, writer *w, const sweep_varied *varied, size_t varied_count,
                             const sweep_moment *moments, size_t moment_count, sweep_writer **result)
{
    int status = taut_sweep_writer_open(context, w, result);
    if (status) return status;
    status = taut_schema_create_sweep((*result)->d);
    if (!status) status = put_varied(*result, varied, varied_count);
    if (!status) status = put_moments(*result, moments, moment_count);
    if (status) {
        taut_sweep_writer_close(*result);
        *result = NULL;
    }
    return status;
}

int taut_sweep_member(sweep_writer *s, const sweep_member *m)
{
    sqlite3_stmt *q;
    int status = prepared(s, PUT_MEMBER, &q);
    if (status) return status;
    sqlite3_bind_int64(q, 1, (sqlite3_int64)m->member);
    sqlite3_bind_text(q, 2, m->failed ? "failed" : "finished", -1, SQLITE_STATIC);
    sqlite3_bind_double(q, 3, m->t);
    sqlite3_bind_int64(q, 4, m->steps);
    if (m->failed)
        sqlite3_bind_text(q, 5, m->reason, -1, SQLITE_STATIC);
    else
        sqlite3_bind_null(q, 5);
    return taut_database_do(s->d, q);
}

int taut_sweep_members_finished(sweep_writer *s, uint64_t first, uint64_t count, double t, long steps)
{
    sqlite3_stmt *q;
    int status = count < AT_ONCE ? TAUT_OK : prepared(s, PUT_MEMBERS, &q);
    for (; !status && count >= AT_ONCE; first += AT_ONCE, count -= AT_ONCE) {
        sqlite3_bind_int64(q, 1, (sqlite3_int64)first);
        sqlite3_bind_double(q, 2, t);
        sqlite3_bind_int64(q, 3, steps);
        status = taut_database_do(s->d, q);
    }
    for (; !status && count; first++, count--)
        status = taut_sweep_member(s, &(sweep_member){ .member = first, .t = t, .steps = steps, .reason = "" });
    return status;
}

int taut_sweep_path(sweep_writer *s, uint64_t member, const double *values, size_t count)
{
    sqlite3_stmt *q;
    int status = prepared(s, PUT_PATH, &q);
    if (!status) status = taut_mem_grow(s->context, &s->bytes, &s->capacity, mem_product(count, 8), 1);
    if (status) return status;
    taut_little_endian(s->bytes, values, count, 8);
    sqlite3_bind_int64(q, 1, (sqlite3_int64)member);
    if (sqlite3_bind_blob64(q, 2, s->bytes, count * 8, SQLITE_STATIC)) return taut_database_fail(s->d);
    status = taut_database_do(s->d, q);
    sqlite3_clear_bindings(q);
    return status;
}

int taut_sweep_sums(sweep_writer *s, uint64_t first, uint64_t last, const void *bytes, size_t size)
{
    sqlite3_stmt *q;
    int status = prepared(s, PUT_SUMS, &q);
    if (status) return status;
    sqlite3_bind_int64(q, 1, (sqlite3_int64)first);
    sqlite3_bind_int64(q, 2, (sqlite3_int64)last);
    if (sqlite3_bind_blob64(q, 3, bytes, size, SQLITE_STATIC)) return taut_database_fail(s->d);
    status = taut_database_do(s->d, q);
    sqlite3_clear_bindings(q);
    return status;
}

int taut_sweep_forget(sweep_writer *s)
{
    return taut_database_run(s->d, "delete from main.statistics; delete from main.histograms");
}

int taut_sweep_statistic(sweep_writer *s, const sweep_statistic *x)
{
    sqlite3_stmt *q;
    int status = prepared(s, PUT_STATISTIC, &q);
    if (status) return status;
    sqlite3_bind_int64(q, 1, (sqlite3_int64)x->moment);
    sqlite3_bind_int64(q, 2, (sqlite3_int64)x->column);
    sqlite3_bind_int64(q, 3, (sqlite3_int64)x->count);
    const double values[] = { x->mean, x->sd, x->lowest, x->highest };
    for (int i = 0; i < 4; i++) sqlite3_bind_double(q, 4 + i, values[i]); /* NaN becomes NULL */
    for (int i = 0; i < SWEEP_QUANTILES; i++)
        if (x->quantiles)
            sqlite3_bind_double(q, 8 + i, x->quantiles[i]);
        else
            sqlite3_bind_null(q, 8 + i);
    return taut_database_do(s->d, q);
}

int taut_sweep_histogram(sweep_writer *s, size_t moment, size_t column, double low, double high, const uint64_t *counts,
                         size_t bins)
{
    sqlite3_stmt *q;
    int status = prepared(s, PUT_HISTOGRAM, &q);
    if (!status) status = taut_mem_grow(s->context, &s->bytes, &s->capacity, mem_product(bins, 21) + 1, 1);
    if (status) return status;
    char *line = (char *)s->bytes;
    size_t used = 0;
    line[0] = 0;
    for (size_t i = 0; i < bins; i++)
        used +=
            (size_t)snprintf(line + used, s->capacity - used, "%s%llu", i ? " " : "", (unsigned long long)counts[i]);
    sqlite3_bind_int64(q, 1, (sqlite3_int64)moment);
    sqlite3_bind_int64(q, 2, (sqlite3_int64)column);
    sqlite3_bind_double(q, 3, low);
    sqlite3_bind_double(q, 4, high);
    sqlite3_bind_text(q, 5, line, -1, SQLITE_STATIC);
    status = taut_database_do(s->d, q);
    sqlite3_clear_bindings(q);
    return status;
}

/* ---- reading ---- */

int taut_sweep_is(const record *r)
{
    const char *kind = taut_record_property(r, "kind");
    return kind && strcmp(kind, "ensemble") == 0;
}

int taut_sweep_refuse(const record *r, const char *what)
{
    if (!taut_sweep_is(r)) return TAUT_OK;
    return taut_fail(r->d.context, TAUT_UNSUPPORTED, "'%s' is the file of an ensemble, not of a single run: %s",
                     r->d.path, what);
}

typedef int (*row_taker)(record *r, sqlite3_stmt *q, void *user, void *take);

static int each_row(record *r, const char *sql, row_taker row, void *take, void *user)
{
    sqlite3_stmt *q;
    int found = 0, status = taut_database_prepare(&r->d, sql, &q);
    while (!status && (found = taut_database_row(&r->d, q)) > 0) status = row(r, q, user, take);
    if (!status && found < 0) status = taut_database_fail(&r->d);
    sqlite3_finalize(q);
    return status;
}

static const char *text_of(sqlite3_stmt *q, int i)
{
    const char *text = (const char *)sqlite3_column_text(q, i);
    return text ? text : "";
}
static double number_of(sqlite3_stmt *q, int i)
{
    return sqlite3_column_type(q, i) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(q, i);
}

/* Functions cross as the address of a variable that holds them. */
static int varied_row(record *r, sqlite3_stmt *q, void *user, void *take)
{
    (void)r;
    const sweep_varied v = { text_of(q, 0), text_of(q, 1) };
    return (*(int (**)(void *, const sweep_varied *))take)(user, &v);
}
int taut_sweep_read_varied(record *r, int (*take)(void *user, const sweep_varied *v), void *user)
{
    return each_row(r, "select name, law from varied order by number", varied_row, &take, user);
}

static int moment_row(record *r, sqlite3_stmt *q, void *user, void *take)
{
    (void)r;
    const sweep_moment m = { (long)sqlite3_column_int64(q, 0), number_of(q, 1), sqlite3_column_int(q, 2) };
    return (*(int (**)(void *, const sweep_moment *))take)(user, &m);
}
int taut_sweep_read_moments(record *r, int (*take)(void *user, const sweep_moment *m), void *user)
{
    return each_row(r, "select step, t, kept from moments order by number", moment_row, &take, user);
}

static int member_row(record *r, sqlite3_stmt *q, void *user, void *take)
{
    const char *how = text_of(q, 1);
    const sweep_member m = { .member = (uint64_t)sqlite3_column_int64(q, 0), .failed = strcmp(how, "failed") == 0,
                             .t = number_of(q, 2), .steps = (long)sqlite3_column_int64(q, 3), .reason = text_of(q, 4) };
    if (!m.failed && strcmp(how, "finished") != 0)
        return taut_fail(r->d.context, TAUT_CANNOT_READ, "'%s' is damaged: member %llu has neither finished nor failed",
                         r->d.path, (unsigned long long)m.member);
    return (*(int (**)(void *, const sweep_member *))take)(user, &m);
}
int taut_sweep_read_members(record *r, int (*take)(void *user, const sweep_member *m), void *user)
{
    return each_row(r, "select member, status, t, steps, reason from members order by member", member_row, &take, user);
}

static int path_row(record *r, sqlite3_stmt *q, void *user, void *take)
{
    const size_t size = (size_t)sqlite3_column_bytes(q, 1);
    const void *bytes = sqlite3_column_blob(q, 1);
    double *values = taut_mem_new(r->d.context, size / 8 + 1, sizeof *values);
    if (!values) return TAUT_OUT_OF_MEMORY;
    if (bytes) taut_little_endian(values, bytes, size / 8, 8);
    const int status = (*(int (**)(void *, uint64_t, const double *, size_t))take)(
        user, (uint64_t)sqlite3_column_int64(q, 0), values, size / 8);
    taut_mem_free(r->d.context, values);
    return status;
}
int taut_sweep_read_paths(record *r, int (*take)(void *user, uint64_t member, const double *values, size_t count),
                          void *user)
{
    return each_row(r, "select member, data from paths order by member", path_row, &take, user);
}

static int sums_row(record *r, sqlite3_stmt *q, void *user, void *take)
{
    (void)r;
    return (*(int (**)(void *, uint64_t, uint64_t, const void *, size_t))take)(
        user, (uint64_t)sqlite3_column_int64(q, 0), (uint64_t)sqlite3_column_int64(q, 1), sqlite3_column_blob(q, 2),
        (size_t)sqlite3_column_bytes(q, 2));
}
int taut_sweep_read_sums(record *r,
                         int (*take)(void *user, uint64_t first, uint64_t last, const void *bytes, size_t size),
                         void *user)
{
    return each_row(r, "select first, last, data from sums order by first", sums_row, &take, user);
}

static int statistic_row(record *r, sqlite3_stmt *q, void *user, void *take)
{
    (void)r;
    double quantiles[SWEEP_QUANTILES];
    for (int i = 0; i < SWEEP_QUANTILES; i++) quantiles[i] = number_of(q, 7 + i);
    const sweep_statistic x = { .moment = (size_t)sqlite3_column_int64(q, 0),
                                .column = (size_t)sqlite3_column_int64(q, 1),
                                .count = (uint64_t)sqlite3_column_int64(q, 2), .mean = number_of(q, 3),
                                .sd = number_of(q, 4), .lowest = number_of(q, 5), .highest = number_of(q, 6),
                                .quantiles = quantiles };
    return (*(int (**)(void *, const sweep_statistic *))take)(user, &x);
}
int taut_sweep_read_statistics(record *r, int (*take)(void *user, const sweep_statistic *x), void *user)
{
    return each_row(r, "select * from statistics order by moment, \"column\"", statistic_row, &take, user);
}

static int histogram_row(record *r, sqlite3_stmt *q, void *user, void *take)
{
    (void)r;
    return (*(int (**)(void *, size_t, size_t, double, double, const char *))take)(
        user, (size_t)sqlite3_column_int64(q, 0), (size_t)sqlite3_column_int64(q, 1), number_of(q, 2), number_of(q, 3),
        text_of(q, 4));
}
int taut_sweep_read_histograms(record *r,
                               int (*take)(void *user, size_t moment, size_t column, double low, double high,
                                           const char *counts),
                               void *user)
{
    return each_row(r, "select * from histograms order by moment, \"column\"", histogram_row, &take, user);
}
