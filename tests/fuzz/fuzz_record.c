/* Run files of strangers. The input chooses a run file (a pendulum, a bouncing ball, a run of rkf45, an ensemble) and
   says what is done to it: bytes that change, cells, rows and statements by SQL, numbers of the state, texts of the
   checkpoint. The checksum and the identity may be taken away, so that what is behind them is reached. Then the file is
   read, exported, made a page of, and resumed for some steps. SQLite has the file in memory; on the disk an empty one has
   its name, for those who look whether it is there. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ensemble/sweep.h"
#include "record/export.h"
#include "record/recorder.h"
#include "record/sweep_file.h"
#include "report/page.h"
#include "report/sweep_page.h"
#include "taut/taut.h"
#include "memory_vfs.h"

static const struct {
    const char *method, *text;
} runs[] = {
    { "rattle", "local a = point 'a'\nlagrangian(norm2(a.dot)/2 - param('g', 9.81)*a.z)\n"
                "constraint('rod', norm2(a) - 1)\nstart { a = {0.6, 0, -0.8}, ['a.dot'] = {0, 1, 0} }\n"
                "draw { bar(origin, a) }" },
    { "rattle", "local z = coordinate 'z'\nlagrangian(z.dot^2/2 - z)\ncontact('floor', z, { restitution = 0.5 })\n"
                "start { z = 0.0005, ['z.dot'] = -0.1 }" },
    { "dirac:rkf45,tol=1e-6", "local x = coordinate 'x'\nlagrangian(x.dot^2/2 - x^4)\nstart { x = 1 }\nobserve('e', x^2)" },
};
enum { RUNS = sizeof runs / sizeof *runs, BASES = RUNS + 1, STEPS = 6, COLUMNS_MOST = 64, NAMES_MOST = 64 };

static struct {
    uint8_t *data;
    size_t size;
} bases[BASES];
static char folder[64], file[100], exported[100];

static int stop_after(void *user, taut_simulation *z)
{
    (void)z;
    return --*(int *)user > 0 ? 0 : TAUT_STOP;
}

static int record_run(taut_context *context, int i)
{
    taut_model *m = NULL;
    taut_simulation *z = NULL;
    int left = STEPS;
    int status = taut_model_load_text(context, "run.lua", runs[i].text, strlen(runs[i].text), NULL, 0, &m);
    const taut_options o = { .size = sizeof o, .method = runs[i].method, .native = TAUT_NATIVE_OFF };
    if (!status) status = taut_simulation_create(context, m, &o, &z);
    taut_run r = { .size = sizeof r, .h = 0.01, .until = 1, .file = file, .after = stop_after, .user = &left };
    if (!status) status = taut_advance(z, &r);
    taut_simulation_release(z);
    taut_model_release(m);
    return status;
}

static const volatile int stop_at_once = 1;

static int record_ensemble(taut_context *context)
{
    model *m = NULL;
    sample *varied = NULL;
    sweep *s = NULL;
    sweep_progress p;
    static const char *const vary[] = { "g=uniform(9,10)", "a.x=uniform(0.59,0.61)" };
    int status = taut_model_read_text(context, "run.lua", runs[0].text, strlen(runs[0].text), NULL, 0, &m);
    if (!status) status = taut_sample_create(context, vary, 2, NULL, NULL, DESIGN_RANDOM, 1, 8, &varied);
    const sweep_spec spec = { .m = m, .method = "rattle", .step = taut_wide_from_double(0.01),
                              .until = taut_wide_from_double(0.05), .first = 0, .last = 7, .sample = varied,
                              .stats = STATS_ALL, .paths = 4, .threads = 1, .start = START_PROJECT,
                              .native = TAUT_NATIVE_OFF };
    if (!status) status = taut_sweep_create(context, &spec, &s);
    if (!status) status = taut_sweep_record(s, file, 1);
    if (!status) status = taut_sweep_run(s, &(sweep_watch){ 0 }, &p);
    taut_sweep_free(s);
    taut_sample_free(varied);
    taut_model_free(m);
    return status;
}

static void remove_files(void)
{
    unlink(file), unlink(exported), rmdir(folder);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc, (void)argv;
    struct stat s;
    memory_configure();
    snprintf(folder, sizeof folder, "%s/taut-fuzz-XXXXXX", stat("/dev/shm", &s) ? "/tmp" : "/dev/shm");
    FUZZ_CHECK(mkdtemp(folder), "no folder");
    snprintf(file, sizeof file, "%s/run.taut", folder);
    snprintf(exported, sizeof exported, "%s/run.csv", folder);
    atexit(remove_files);
    for (int i = 0; i < BASES; i++) {
        taut_context *context = taut_context_create(NULL);
        const int status = i < RUNS ? record_run(context, i) : record_ensemble(context);
        FUZZ_CHECK(!status, "run %d: %s", i, taut_error_text(context));
        taut_context_destroy(context);
        FILE *f = fopen(file, "rb");
        FUZZ_CHECK(f && !fstat(fileno(f), &s), "no file");
        bases[i].size = (size_t)s.st_size;
        bases[i].data = malloc(bases[i].size);
        FUZZ_CHECK(bases[i].data && fread(bases[i].data, 1, bases[i].size, f) == bases[i].size, "cannot read it");
        fclose(f);
        unlink(file);
    }
    FILE *f = fopen(file, "wb");
    FUZZ_CHECK(f && !fclose(f), "no file");
    memory_begin();
    return 0;
}

/* ---- what is done to it ---- */

static const char *value_of(choices *c)
{
    static const char *const values[] = { "null", "-1", "0", "1", "2", "9223372036854775807", "-9223372036854775808", "1e300",
                                          "-9e999", "''", "'nan'", "'inf'", "'text'", "x''", "zeroblob(8)", "zeroblob(24)",
                                          "zeroblob(48)", "zeroblob(100000)", "value || value", "value + 1", "-value",
                                          "substr(value, 2)", "'1e999'", "'-0'", "'quad'", "'active-set'", "'project'",
                                          "'finished'", "'failed'", "'rattle:'", "'9007199254740993'", "'0x10'", "' 1'",
                                          "cast('a' || x'00' || 'b' as text)", "'return'", "2147483648", "0.5" };
    return values[choose(c, sizeof values / sizeof *values)];
}

static const char *cell_of(choices *c, const char **column)
{
    static const char *const cells[][2] = {
        { "run", "value" }, { "run", "name" }, { "settings", "value" }, { "settings", "name" }, { "columns", "name" },
        { "columns", "kind" }, { "columns", "sql" }, { "columns", "chunk" }, { "columns", "number" }, { "frames", "step" },
        { "frames", "frame" }, { "frames", "energy" }, { "frames", "t" }, { "events", "t" }, { "events", "kind" },
        { "events", "impulse" }, { "checkpoint", "value" }, { "checkpoint", "name" }, { "varied", "name" },
        { "varied", "law" }, { "moments", "step" }, { "moments", "t" }, { "moments", "kept" }, { "members", "status" },
        { "members", "t" }, { "members", "member" }, { "members", "steps" }, { "paths", "data" }, { "paths", "member" },
        { "sums", "data" }, { "sums", "first" }, { "sums", "last" }, { "statistics", "moment" }, { "statistics", "mean" },
        { "statistics", "count" }, { "histograms", "counts" }, { "histograms", "low" } };
    const uint32_t i = choose(c, sizeof cells / sizeof *cells);
    *column = cells[i][1];
    return cells[i][0];
}

static const char *checkpoint_name(choices *c)
{
    static const char *const names[] = { "step", "sample_stride", "origin_step", "quantities", "samples", "sum_t", "sum_tt",
                                         "origin_time", "watched.0", "watched.1", "state.t", "state.q", "state.w",
                                         "state.p", "state.lambda", "state.contacts", "state.step", "energy", "residual",
                                         "checksum", "iterations", "impacts", "state.work", "state.rest" };
    return names[choose(c, sizeof names / sizeof *names)];
}

/* 8 bytes of a blob: those of the input, or of a number that is special. */
static void blob_hex(choices *c, char hex[17])
{
    static const double special[] = { 0, -0.0, 1, -1, 2, 3, 255, 0.5, 1e300, -1e300, 1e-300, 5e-324, 1e17, -1e17, 0x1p53 };
    double x = special[choose(c, sizeof special / sizeof *special)];
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    const uint32_t kind = choose(c, 6);
    if (kind == 1) bits = 0x7ff0000000000000u;
    if (kind == 2) bits = 0xfff0000000000000u;
    if (kind == 3) bits = 0x7ff8000000000001u;
    for (int i = 0; i < 8; i++)
        snprintf(hex + 2 * i, 3, "%02X", kind >= 4 ? choose(c, 256) : (unsigned)(bits >> 8 * i & 255));
}

static void edit(choices *c, char *sql, size_t size)
{
    static const char *const statements[] = {
        "create trigger t after insert on frames begin delete from frames; end", "create view v as select 1",
        "create table more (x)", "create index i on frames (step)", "drop table events", "drop table checkpoint",
        "delete from columns", "delete from frames", "delete from run", "vacuum", "pragma user_version = 2",
        "pragma application_id = 0", "drop table moments", "delete from members", "delete from moments",
        "alter table frames add column more real", "pragma journal_mode = wal", "delete from statistics",
        "insert into settings values (7, 'g', '1')", "pragma encoding = 'UTF-16'", "reindex",
        "insert into events (step, t, name, kind) values (3, 0.5, 'floor', 'impact')" };
    const char *column, *table;
    char hex[17];
    switch (choose(c, 6)) {
    case 0:
        table = cell_of(c, &column);
        snprintf(sql, size, "update %s set %s = %s where rowid = (select rowid from %s order by rowid limit 1 offset %u)",
                 table, column, value_of(c), table, choose(c, 40));
        break;
    case 1:
        table = cell_of(c, &column);
        snprintf(sql, size, "delete from %s where rowid = (select rowid from %s order by rowid limit 1 offset %u)", table,
                 table, choose(c, 40));
        break;
    case 2: {
        const char *name = checkpoint_name(c);
        const uint32_t at = 8 * choose(c, 8);
        blob_hex(c, hex);
        snprintf(sql, size,
                 "update checkpoint set value = cast(substr(value, 1, %u) || x'%s' || substr(value, %u) as blob) "
                 "where name = '%s'", at, hex, at + 9, name);
        break;
    }
    case 3:
        table = checkpoint_name(c);
        snprintf(sql, size, "update checkpoint set value = %s where name = '%s'", value_of(c), table);
        break;
    case 4: {
        static const char *const names[] = { "method", "step", "until", "every", "tolerance", "start", "contacts",
                                             "precision", "source", "model", "status", "title", "members", "keep", "at",
                                             "stats", "seed", "design", "first", "last", "paths", "lyapunov" };
        const char *name = names[choose(c, sizeof names / sizeof *names)];
        snprintf(sql, size, "update run set value = %s where name = '%s'", value_of(c), name);
        break;
    }
    default: snprintf(sql, size, "%s", statements[choose(c, sizeof statements / sizeof *statements)]);
    }
}

static void change_file(choices *c)
{
    const uint32_t base = choose(c, BASES), how = choose(c, 8);
    size_t size = bases[base].size;
    uint8_t *data = malloc(size);
    if (!data) return;
    memcpy(data, bases[base].data, size);
    if (how >= 6) {
        for (int i = 0; i < 16 && choices_left(c); i++) {
            const uint32_t page = choose(c, (uint32_t)(size / 512 + 1)), at = choose(c, 512);
            if (page * 512u + at < size) data[page * 512u + at] = (uint8_t)choose(c, 256);
        }
        if (how == 7) size = size * choose(c, 256) / 256;
    }
    memory_put(file, data, size);
    free(data);
    sqlite3 *db = NULL;
    if (how < 6 && sqlite3_open(file, &db) == SQLITE_OK) {
        sqlite3_exec(db, "pragma synchronous = off; pragma journal_mode = memory", NULL, NULL, NULL);
        if (how & 1) sqlite3_exec(db, "delete from checkpoint where name = 'checksum'", NULL, NULL, NULL);
        if (how & 2) sqlite3_exec(db, "delete from run where name = 'identity'", NULL, NULL, NULL);
        for (int i = 0; i < 8 && choices_left(c); i++) {
            char sql[500];
            edit(c, sql, sizeof sql);
            sqlite3_exec(db, sql, NULL, NULL, NULL);
        }
    }
    sqlite3_close(db);
}

/* ---- and what is done with it ---- */

static int steps_left;
static int some_steps(void *user, const run_result *so_far, int *stop)
{
    *stop = --steps_left <= 0;
    return taut_recorder_after_step(user, so_far);
}

static int put_frame(void *user, const void *values, size_t count)
{
    (void)count;
    return taut_recorder_frame(user, values);
}

static start_mode start_of(const char *name)
{
    start_mode mode = START_STRICT;
    while (name && mode < START_MODES && strcmp(name, start_mode_name(mode)) != 0) mode++;
    return mode == START_MODES ? START_STRICT : mode;
}

/* As `taut resume` does, for some steps. */
static int resume(taut_context *context)
{
    recorder *w = NULL;
    model *m = NULL;
    void *engine = NULL;
    run_result from = { 0 }, result = { 0 };
    wide step = 0, until = 0, tolerance = 0;
    int status = taut_recorder_open(context, file, &w);
    if (status) return status;
    const record *r = taut_recorder_record(w);
    const char *source = taut_record_property(r, "source"), *precision = taut_record_property(r, "precision"),
               *method = taut_record_property(r, "method"), *contacts = taut_record_property(r, "contacts");
    const struct { const char *name; wide *value; } numbers[] = { { "step", &step }, { "until", &until },
                                                                  { "tolerance", &tolerance } };
    int complete = source && method && precision && taut_engine_find(precision);
    for (int i = 0; complete && i < 3; i++) {
        const char *text = taut_record_property(r, numbers[i].name);
        complete = text && !taut_wide_parse(text, numbers[i].value);
    }
    const engine_api *api = complete ? taut_engine_find(precision) : NULL;
    definition d[4] = { { 0 } };
    const size_t count = taut_record_setting_count(r) < 4 ? taut_record_setting_count(r) : 4;
    for (size_t i = 0; i < count; i++) taut_record_setting(r, i, &d[i].name, &d[i].value);
    if (api) status = taut_model_read_text(context, "run.lua", source, strlen(source), d, count, &m);
    const engine_options e = { .method = method, .step = step, .native = TAUT_NATIVE_OFF,
                               .tolerance = tolerance >= 0 && tolerance < (wide)0.1 ? tolerance : 0,
                               .start = start_of(taut_record_property(r, "start")),
                               .active_set = contacts && strcmp(contacts, "active-set") == 0 };
    if (api && !status) status = api->create(m, &e, &engine);
    if (api && !status) status = taut_recorder_restore(w, api, engine, until, &from);
    const run_options run = { .step = step, .until = until, .every = 1, .samples = 20000, .frame = put_frame,
                              .after_step = some_steps, .user = w, .from = &from };
    if (api && !status) status = taut_run_check_options(context, &run);
    steps_left = 3;
    if (api && !status) {
        status = taut_run_loop(context, api, engine, &run, &result);
        const int recorded = taut_recorder_finish(w, &result, status);
        if (!status) status = recorded;
    }
    taut_recorder_close(w);
    taut_run_result_clear(context, &from);
    taut_run_result_clear(context, &result);
    if (engine) api->destroy(engine);
    taut_model_free(m);
    return status;
}

static int resume_ensemble(taut_context *context, record *r)
{
    sweep_stored stored = { 0 };
    sweep *s = NULL;
    sweep_progress p;
    int status = taut_sweep_load(context, r, &stored);
    stored.spec.native = TAUT_NATIVE_OFF, stored.spec.threads = 1;
    if (!status) status = taut_sweep_create(context, &stored.spec, &s);
    if (!status) status = taut_sweep_continue(s, file);
    if (!status) status = taut_sweep_run(s, &(sweep_watch){ .stop = &stop_at_once }, &p);
    taut_sweep_free(s);
    taut_sweep_stored_clear(context, &stored);
    return status;
}

static int read_all(taut_context *context, record *r)
{
    size_t columns[COLUMNS_MOST], width = taut_record_column_count(r), count;
    const record_event *events;
    if (width > COLUMNS_MOST) width = COLUMNS_MOST;
    for (size_t i = 0; i < width; i++) columns[i] = i;
    int status = taut_record_events(r, &events, &count);
    check_status(context, status);
    status = taut_export_csv(context, r, exported, &(export_options){ columns, width, 1 });
    check_status(context, status);
    FILE *nowhere = fopen("/dev/null", "w");
    if (!nowhere) return TAUT_OK;
    static const char template[] = "<html>" PAGE_MARK "</html>";
    status = taut_sweep_is(r) ? taut_sweep_page_write(context, r, template, sizeof template - 1, nowhere)
                              : taut_page_write(context, r, template, sizeof template - 1, nowhere);
    fclose(nowhere);
    return status;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    choices c = { data, size, 0 };
    bounds b;
    record *r = NULL;
    change_file(&c);
    taut_context *context = bounded_begin(&b);
    int status = taut_record_open(context, file, &r);
    check_status(context, status);
    const int ensemble = !status && taut_sweep_is(r);
    if (!status) status = read_all(context, r);
    check_status(context, status);
    if (ensemble) status = resume_ensemble(context, r);
    check_status(context, status);
    taut_record_close(r);
    if (!ensemble) check_status(context, resume(context));
    bounded_end(&b);
    unlink(exported);
    memory_clear();
    return 0;
}
