/* Run files come from anywhere. Each edit below is one that someone could make to a run file: reading, exporting or
   resuming it must either refuse, with a message that says why, or be none the worse for it. Then random edits, of
   cells and of bytes: whatever they say, nothing crashes and everything ends. */
#include <sqlite3.h>
#include <unistd.h>

#include "record/export.h"
#include "support_record.h"

static char folder[] = "taut-hostile-XXXXXX", whole[300], changed[300], bouncing[300], exported[300];
static const recipe pendulum = { .model = "double-spherical-pendulum", .method = "rattle", .step = 0.01, .steps = 20,
                                 .every = 1, .interval = 1 };
static const recipe ball = { .model = "bouncing-ball", .method = "rattle", .step = 0.01, .steps = 20, .every = 1,
                             .interval = 1 };

static int set_up(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    snprintf(whole, sizeof whole, "%s/whole.taut", folder);
    snprintf(bouncing, sizeof bouncing, "%s/bouncing.taut", folder);
    snprintf(changed, sizeof changed, "%s/changed.taut", folder);
    snprintf(exported, sizeof exported, "%s/changed.csv", folder);
    recorded_run(&pendulum, whole, 0, 10);
    recorded_run(&ball, bouncing, 0, 10);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    unlink(whole), unlink(bouncing), unlink(changed), unlink(exported);
    rmdir(folder);
    return 0;
}

static void copy_file(const char *from, const char *to)
{
    char buffer[4096];
    size_t size;
    FILE *in = fopen(from, "rb"), *out = fopen(to, "wb");
    assert_non_null(in);
    assert_non_null(out);
    while ((size = fread(buffer, 1, sizeof buffer, in))) assert_int_equal(fwrite(buffer, 1, size, out), size);
    fclose(in), fclose(out);
}

/* A copy of the file with this done to it; 0 where SQLite refuses. */
static int edit(const char *from, const char *sql)
{
    sqlite3 *db;
    copy_file(from, changed);
    assert_int_equal(sqlite3_open(changed, &db), SQLITE_OK);
    char *why = NULL;
    int code = sqlite3_exec(db, sql, NULL, NULL, &why);
    sqlite3_free(why);
    sqlite3_close(db);
    return code == SQLITE_OK;
}

enum { READ = 1, RESUME = 2 };

/* Whether reading all of it and resuming it are refused. The message of the last refusal is in `said`. */
static int refusals(const recipe *c, char *said, size_t size)
{
    int refused = 0;
    taut_context *context = taut_context_create(NULL);
    record *r = NULL;
    const record_event *events;
    size_t count;
    said[0] = 0;
    int status = taut_record_open(context, changed, &r);
    if (!status) status = taut_record_events(r, &events, &count);
    if (!status) {
        size_t columns[64], width = taut_record_column_count(r);
        for (size_t i = 0; i < width && i < 64; i++) columns[i] = i;
        status = taut_export_csv(context, r, exported, &(export_options){ columns, width < 64 ? width : 64, 1 });
    }
    if (status) refused |= READ, snprintf(said, size, "%s", taut_error_text(context));
    taut_record_close(r);
    status = recorded_run_in(context, c, changed, 1, 0);
    if (status) refused |= RESUME, snprintf(said, size, "%s", taut_error_text(context));
    taut_context_destroy(context);
    return refused;
}

static void untouched(void **state)
{
    (void)state;
    char said[TAUT_ERROR_TEXT];
    copy_file(whole, changed);
    assert_int_equal(refusals(&pendulum, said, sizeof said), 0);
    copy_file(bouncing, changed);
    assert_int_equal(refusals(&ball, said, sizeof said), 0);
}

/* Checkpoints with another checksum, or without, so that what is behind it is seen. */
#define NO_SUM "delete from checkpoint where name = 'checksum';"
#define NUMBER(name, text) NO_SUM "update checkpoint set value = '" text "' where name = '" name "'"
#define BYTES(name, hex) NO_SUM "update checkpoint set value = x'" hex "' where name = '" name "'"
#define SCHEMA "pragma writable_schema = on; update sqlite_schema set "
#define MINUS_INFINITY "000000000000F0FF"

static void refused_edits(void **state)
{
    (void)state;
    static const struct {
        int refuses;
        const char *sql, *says;
    } all[] = {
        { READ | RESUME, "create trigger t after insert on frames begin delete from frames; end", "trigger 't'" },
        { READ | RESUME, "create view v as select 1", "view 'v'" },
        { READ | RESUME, "create table more (x)", "table 'more'" },
        { READ | RESUME, "create index i on frames (step)", "index 'i'" },
        /* indexes that SQLite makes by itself have no statement, and belong to tables with a text as key */
        { READ | RESUME, SCHEMA "tbl_name = 'frames' where name = 'sqlite_autoindex_run_1'",
          "index 'sqlite_autoindex_run_1'" },
        { READ | RESUME, SCHEMA "tbl_name = 'events' where name = 'sqlite_autoindex_checkpoint_1'",
          "index 'sqlite_autoindex_checkpoint_1'" },
        { READ | RESUME, SCHEMA "type = 'trigger' where name = 'sqlite_autoindex_run_1'",
          "trigger 'sqlite_autoindex_run_1'" },
        { READ | RESUME, "drop table events; create view events as select 1 as event", "events" },
        { READ | RESUME,
          "drop table frames; create view frames as with recursive n(frame) as (select 0 union all "
          "select frame + 1 from n) select frame, 0 as step, 42.0 as energy from n", "frames" },
        { READ | RESUME, "alter table frames add column more real", "frames" },
        { READ | RESUME, "drop table checkpoint", "no checkpoint" },
        { READ | RESUME, "update columns set sql = 'nowhere' where number = 2", "frames" },
        { READ | RESUME, "delete from columns where number = 3", "column 3" },
        { READ | RESUME, "delete from columns", "first column" },
        { READ | RESUME, "update columns set name = x'00ff' where number = 1", "column 1" },
        { READ | RESUME, "update columns set kind = 'energy' where number = 0", "first column" },
        { READ | RESUME, "update run set value = x'00' where name = 'title'", "not a text" },
        { READ | RESUME, "insert into frames (frame, step) values (9223372036854775807, 1)", "no whole number" },
        { READ | RESUME, "insert into frames (frame, step) values (1000000000000, 1)", "frame" },
        { READ, "update frames set energy = 'forty-two' where frame = 3", "frame 3" },
        { READ, "update frames set energy = x'00' where frame = 3", "frame 3" },
        { READ, "delete from frames where frame = 3", "frame 3" },
        { READ, "insert into events (step, t, name, kind) values ('x', 1.0, 'a', 'b')", "event" },
        { RESUME, "update run set value = value || ' ' where name = 'source'", "changed after the run began" },
        { RESUME, "insert into settings values (7, 'g', '1')", "changed after the run began" },
        { RESUME, "update run set value = 'em' where name = 'method'", "changed after the run began" },
        { RESUME, "update checkpoint set value = '7' where name = 'step'", "changed after it was written" },
        { RESUME, "update checkpoint set value = zeroblob(48) where name = 'state.q'", "energy" },
        { RESUME, NO_SUM "update checkpoint set value = zeroblob(48) where name = 'state.q'", "constraints to 16" },
        { RESUME, NO_SUM "update checkpoint set value = zeroblob(40) where name = 'state.q'", "not 6 numbers" },
        { RESUME, NO_SUM "update checkpoint set value = '0' where name = 'state.t'", "not 1 numbers" },
        { RESUME, NO_SUM "delete from checkpoint where name = 'state.p'", "state.p" },
        /* files of earlier versions do not have these */
        { 0, NO_SUM "delete from checkpoint where name in ('state.trend', 'state.change')", "" },
        { RESUME, "delete from checkpoint where name = 'state.trend'", "changed after it was written" },
        { RESUME, BYTES("state.t", MINUS_INFINITY), "not finite" },
        { RESUME, BYTES("state.step", "000000000000F87F"), "not finite" },
        { RESUME, NUMBER("step", "-1"), "step" },
        { RESUME, NUMBER("step", "9223372036854775807"), "step" },
        { RESUME, NUMBER("step", "1e3"), "step" },
        { RESUME, NUMBER("sample_stride", "0"), "sample_stride" },
        { RESUME, NUMBER("origin_step", "1000"), "origin_step" },
        { RESUME, NUMBER("quantities", "1000000"), "quantities" },
        { RESUME, NUMBER("samples", "nan"), "finite" },
        { RESUME, NUMBER("watched.0", "1 2 3"), "6 finite numbers" },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        char said[TAUT_ERROR_TEXT];
        if (!edit(whole, all[i].sql)) fail_msg("SQLite refuses: %s", all[i].sql);
        const int refused = refusals(&pendulum, said, sizeof said);
        if (refused != all[i].refuses) fail_msg("%s: refused %d, \"%s\"", all[i].sql, refused, said);
        if (!strstr(said, all[i].says)) fail_msg("%s: \"%s\" lacks \"%s\"", all[i].sql, said, all[i].says);
    }
}

/* A text or blob of the checkpoint, with a zero behind it. */
static void checkpoint_entry(sqlite3 *db, const char *name, void *to, size_t size)
{
    char sql[100];
    sqlite3_stmt *s;
    snprintf(sql, sizeof sql, "select value from checkpoint where name = '%s'", name);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &s, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(s), SQLITE_ROW);
    const size_t found = (size_t)sqlite3_column_bytes(s, 0);
    assert_true(found < size);
    memcpy(to, sqlite3_column_blob(s, 0), found);
    memset((char *)to + found, 0, size - found);
    sqlite3_finalize(s);
}

/* A copy whose checkpoint says an energy, and has a first bar, that are too large by these parts. The longest bar error
   that the run had is in *usual. */
static void edit_state(double energy, double length, double *usual)
{
    sqlite3 *db;
    sqlite3_stmt *s;
    char text[600], *at = text;
    double q[7], number = 0, residual;
    copy_file(whole, changed);
    assert_int_equal(sqlite3_open(changed, &db), SQLITE_OK);
    checkpoint_entry(db, "watched.1", text, sizeof text);
    for (int i = 0; i < 4; i++) number = strtod(at, &at); /* first last lowest highest */
    checkpoint_entry(db, "residual", text, sizeof text);
    residual = strtod(text, NULL);
    *usual = number > residual ? number : residual;
    checkpoint_entry(db, "energy", text, sizeof text);
    checkpoint_entry(db, "state.q", q, sizeof q);
    for (int i = 0; i < 3; i++) q[i] *= 1 + length;
    assert_int_equal(sqlite3_prepare_v2(db, "update checkpoint set value = ?2 where name = ?1", -1, &s, NULL), SQLITE_OK);
    snprintf(text + 300, 200, "%.17g", strtod(text, NULL) * (1 + energy));
    sqlite3_bind_text(s, 1, "energy", -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, text + 300, -1, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(s), SQLITE_DONE);
    sqlite3_reset(s);
    sqlite3_bind_text(s, 1, "state.q", -1, SQLITE_STATIC);
    sqlite3_bind_blob(s, 2, q, 6 * (int)sizeof *q, SQLITE_STATIC);
    assert_int_equal(sqlite3_step(s), SQLITE_DONE);
    sqlite3_finalize(s);
    assert_int_equal(sqlite3_exec(db, NO_SUM, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

/* The state of a checkpoint is that which the run had: up to a millionth of the energy (the sizes of its terms, some 10
   times the energy itself, count), and 1000 times the bar errors that it had, which are round-off. */
static void other_states_are_refused(void **state)
{
    (void)state;
    char said[TAUT_ERROR_TEXT];
    double usual;
    edit_state(1e-8, 0, &usual);
    assert_int_equal(refusals(&pendulum, said, sizeof said), 0);
    edit_state(1e-4, 0, &usual);
    assert_int_equal(refusals(&pendulum, said, sizeof said), RESUME);
    assert_non_null(strstr(said, "has energy"));
    assert_between(usual, 1e-16, 1e-13);
    /* norm2(a) - 16 becomes 32 times the part by which a is too long, and the other constraint less than that */
    edit_state(0, 100 * usual / 32, &usual);
    assert_int_equal(refusals(&pendulum, said, sizeof said), 0);
    edit_state(0, 1e4 * usual / 32, &usual);
    assert_int_equal(refusals(&pendulum, said, sizeof said), RESUME);
    assert_non_null(strstr(said, "constraints to"));
}

/* The first number of what a state remembers of its contacts is the mode of the first one. */
static void refused_modes(void **state)
{
    (void)state;
    static const char *const modes[] = { "0000000000000040", "0000000000000840", "0000000000E06F40", "000000000000F0BF",
                                         "000000000000E03F" }; /* 2, 3, 255, -1, 1/2: the ball has no friction */
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        char sql[300], said[TAUT_ERROR_TEXT];
        snprintf(sql, sizeof sql,
                 NO_SUM "update checkpoint set value = cast(x'%s' || substr(value, 9) as blob) "
                        "where name = 'state.contacts'",
                 modes[i]);
        assert_true(edit(bouncing, sql));
        assert_int_equal(refusals(&ball, said, sizeof said), RESUME);
        if (!strstr(said, "mode")) fail_msg("\"%s\" lacks \"mode\"", said);
    }
}

static uint64_t seed = 1;
static uint32_t draw(uint32_t below)
{
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((seed >> 33) % below);
}

/* Any cell of any table becomes something else. */
static void random_cells(void **state)
{
    (void)state;
    static const char *const values[] = { "null", "-1", "0", "1", "9223372036854775807", "-9223372036854775808",
                                          "1e300", "-9e999", "''", "'nan'", "'inf'", "'text'", "x''", "zeroblob(8)",
                                          "zeroblob(100000)", "randomblob(8)", "randomblob(48)", "value || value" };
    static const char *const cells[][2] = { { "run", "value" },       { "run", "name" },     { "settings", "value" },
                                            { "columns", "name" },    { "columns", "kind" }, { "columns", "sql" },
                                            { "columns", "chunk" },   { "frames", "step" },  { "frames", "frame" },
                                            { "frames", "energy" },   { "frames", "t" },     { "events", "t" },
                                            { "checkpoint", "value" }, { "checkpoint", "name" } };
    const int count = getenv("TAUT_TEST_LONG") ? 20000 : SANITIZED ? 60 : 250;
    for (int i = 0; i < count; i++) {
        char sql[400], said[TAUT_ERROR_TEXT];
        const uint32_t cell = draw(sizeof cells / sizeof *cells), contacts = draw(2);
        const char *table = draw(2) ? cells[cell][0] : "checkpoint", *column = draw(2) ? cells[cell][1] : "value";
        snprintf(sql, sizeof sql,
                 "%s update %s set %s = %s where rowid = (select rowid from %s order by rowid limit 1 offset %u)",
                 draw(4) ? NO_SUM : "", table, column, values[draw(sizeof values / sizeof *values)], table, draw(40));
        if (!edit(contacts ? bouncing : whole, sql)) continue;
        if (refusals(contacts ? &ball : &pendulum, said, sizeof said)) assert_true(said[0]);
    }
}

static void random_bytes(void **state)
{
    (void)state;
    const int count = getenv("TAUT_TEST_LONG") ? 20000 : SANITIZED ? 60 : 250;
    for (int i = 0; i < count; i++) {
        char said[TAUT_ERROR_TEXT];
        copy_file(whole, changed);
        FILE *file = fopen(changed, "r+b");
        fseek(file, 0, SEEK_END);
        const uint32_t size = (uint32_t)ftell(file), edits = 1 + draw(8);
        for (uint32_t k = 0; k < edits; k++) {
            fseek(file, (long)draw(draw(2) ? size : 4096), SEEK_SET);
            fputc((int)draw(256), file);
        }
        fclose(file);
        if (draw(8) == 0) assert_int_equal(truncate(changed, (off_t)draw(size)), 0);
        if (refusals(&pendulum, said, sizeof said)) assert_true(said[0]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(untouched), cmocka_unit_test(refused_edits),
                                        cmocka_unit_test(other_states_are_refused),
        cmocka_unit_test(refused_modes), cmocka_unit_test(random_cells),
                                        cmocka_unit_test(random_bytes) };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
