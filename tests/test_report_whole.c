/* What a page has frame by frame of a long run, for sections and spectra: which columns, how many frames of them, the
   numbers, and memory that runs out. */
#include <unistd.h>

#include "record/writer.h"
#include "report/pack.h"

#include "support_allocator.h"
#include "support_record.h"

static char path[] = "taut-whole-XXXXXX";

static const record_column columns[] = {
    { "t", "time" },        { "a.w", "coordinate" },  { "a.x", "coordinate" }, { "a.y", "coordinate" },
    { "a.z", "coordinate" }, { "x", "coordinate" },   { "y", "coordinate" },   { "z", "coordinate" },
    { "x.dot", "velocity" }, { "y.dot", "velocity" }, { "p.z", "momentum" },   { "energy", "energy" },
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static double value_at(long frame, size_t column) { return (double)frame / 8 + 1000000.0 * (double)column; }

static void write_run(long frames, size_t first, size_t count)
{
    taut_context *context = taut_context_create(NULL);
    writer *w = NULL;
    int done;
    unlink(path);
    record_column kept[COLUMNS] = { columns[0] };
    memcpy(kept + 1, columns + first, count * sizeof *kept);
    assert_int_equal(taut_writer_create(context, path, 0, kept, 1 + count, 0, 0, &w), TAUT_OK);
    for (long i = 0; i < frames; i++) {
        double values[COLUMNS] = { value_at(i, 0) };
        for (size_t k = 0; k < count; k++) values[1 + k] = value_at(i, first + k);
        assert_int_equal(taut_writer_frame(w, i, values), TAUT_OK);
    }
    assert_int_equal(taut_writer_commit(w, 1000, &done), TAUT_OK);
    taut_writer_close(w);
    taut_context_destroy(context);
}

/* The names of the columns that are there, each followed by a space; their numbers are checked. */
static long read_whole(const frame_selection *of, char *names, size_t size)
{
    taut_context *context = taut_context_create(NULL);
    record *r = NULL;
    table t = { 0 };
    int status = taut_record_open(context, path, &r);
    const frame_selection all = { 0, 1, status ? 0 : taut_record_frame_count(r) }, *some = of ? of : &all;
    if (status || taut_table_select(context, r, some, &t)) fail_msg("%s", taut_error_text(context));
    names[0] = 0;
    for (size_t k = 0; k < t.whole_count; k++) {
        const char *name = taut_record_columns(r)[t.columns[t.whole[k]].source].name;
        size_t column = 0;
        while (strcmp(columns[column].name, name) != 0) column++;
        snprintf(names + strlen(names), size - strlen(names), "%s ", name);
        for (long i = 0; i < t.whole_rows; i++)
            if (t.whole_values[k * (size_t)t.whole_rows + (size_t)i] != value_at(some->first + i * some->every, column))
                fail_msg("%s, row %ld", name, i);
    }
    const long rows = t.whole_rows;
    taut_table_clear(&t);
    taut_record_close(r);
    taut_context_destroy(context);
    return rows;
}

static void which_columns(void **state)
{
    (void)state;
    char names[200];
    /* 12 columns and a deviation have room for 92,000 frames; pairs of the first coordinate, the last, the others */
    write_run(100001, 1, COLUMNS - 1);
    assert_int_equal(read_whole(NULL, names, sizeof names), 100001);
    assert_string_equal(names, "t x x.dot z p.z y y.dot ");
    /* a part that fits has all its frames anyway */
    assert_int_equal(read_whole(&(frame_selection){ 1000, 3, 30000 }, names, sizeof names), 0);
    assert_string_equal(names, "");
    assert_int_equal(read_whole(&(frame_selection){ 500, 1, 99000 }, names, sizeof names), 99000);
    /* 5 of 250,000 frames are too many */
    write_run(250000, 5, 6);
    assert_int_equal(read_whole(NULL, names, sizeof names), TABLE_WHOLE / 5);
    assert_string_equal(names, "t x x.dot z p.z ");
    /* quaternions where there is nothing else; nothing where there is no coordinate */
    write_run(250000, 1, 4);
    assert_int_equal(read_whole(NULL, names, sizeof names), 250000);
    assert_string_equal(names, "t a.w a.z a.x ");
    write_run(1000000, 11, 1);
    assert_int_equal(read_whole(NULL, names, sizeof names), 0);
}

static int read_and_pack(counter *c)
{
    const taut_allocator allocator = { counted_resize, c };
    taut_context *own = taut_context_create(&allocator);
    if (!own) return TAUT_OUT_OF_MEMORY;
    record *r = NULL;
    table t = { 0 };
    packed p = { 0 };
    int status = taut_record_open(own, path, &r);
    if (!status) status = taut_table_read(own, r, &t);
    if (!status) status = taut_pack_whole(own, &t, taut_record_columns(r), &p);
    if (!status) assert_true(p.channel_count == t.whole_count && p.channel_count == 7);
    taut_pack_clear(own, &p);
    taut_table_clear(&t);
    taut_record_close(r);
    taut_context_destroy(own);
    return status;
}

static void memory(void **state)
{
    (void)state;
    counter whole = { 0 };
    write_run(100001, 1, COLUMNS - 1);
    assert_int_equal(read_and_pack(&whole), TAUT_OK);
    assert_int_equal(whole.live, 0);
    const long stride = getenv("TAUT_TEST_LONG") ? 1 : 1 + whole.calls / 40;
    for (long k = 1; k <= whole.calls; k += stride) {
        counter c = { .fail_at = k, .fail_count = 1 << 30 };
        assert_int_equal(read_and_pack(&c), TAUT_OUT_OF_MEMORY);
        assert_int_equal(c.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(which_columns), cmocka_unit_test(memory) };
    int file = mkstemp(path);
    if (file < 0) return 1;
    close(file);
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(path);
    return failed;
}
