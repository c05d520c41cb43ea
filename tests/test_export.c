/* Export to HDF5, read back with HDF5: every number and the attributes are those of the run. (CSV and XYZ:
   cli/record.sh.) */
#include <hdf5.h>
#include <unistd.h>

#include "record/export.h"
#include "record/writer.h"
#include "support_record.h"

static char folder[] = "taut-export-XXXXXX", path[300], target[300];

static double *read_set(hid_t file, const char *name, hsize_t *size, int *rank)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    if (set < 0) fail_msg("there is no dataset %s", name);
    hid_t space = H5Dget_space(set);
    size[1] = 1;
    *rank = H5Sget_simple_extent_ndims(space);
    H5Sget_simple_extent_dims(space, size, NULL);
    double *values = malloc((size_t)(size[0] * size[1]) * sizeof *values);
    assert_true(H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Sclose(space);
    H5Dclose(set);
    return values;
}

static void assert_text(hid_t object, const char *name, const char *expected)
{
    char *text = NULL;
    hid_t attribute = H5Aopen(object, name, H5P_DEFAULT);
    assert_true(attribute >= 0);
    hid_t type = H5Aget_type(attribute);
    assert_true(H5Aread(attribute, type, &text) >= 0);
    assert_string_equal(text, expected);
    H5free_memory(text);
    H5Tclose(type);
    H5Aclose(attribute);
}

static void export_and_open(record **r, taut_context *context, long every, hid_t *file)
{
    assert_int_equal(taut_record_open(context, path, r), TAUT_OK);
    size_t width = taut_record_column_count(*r), *columns = malloc(width * sizeof *columns);
    for (size_t i = 0; i < width; i++) columns[i] = i;
    if (taut_export_hdf5(context, *r, target, &(export_options){ columns, width, every }))
        fail_msg("%s", taut_error_text(context));
    free(columns);
    *file = H5Fopen(target, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(*file >= 0);
}

static void a_dataset_per_column(void **state)
{
    (void)state;
    const recipe c = { .model = "double-spherical-pendulum",
                       .method = "rattle",
                       .step = 0.01,
                       .steps = 5000,
                       .every = 1,
                       .interval = 1,
                       .setting = "m1",
                       .value = "2.5" };
    recorded_run(&c, path, 0, 0);
    frames all = read_frames_of(path);
    for (long every = 1; every < 8; every += 6) {
        taut_context *context = taut_context_create(NULL);
        record *r;
        hid_t file;
        export_and_open(&r, context, every, &file);
        for (size_t k = 0; k < all.width; k++) {
            hsize_t size[2];
            int rank;
            double *values = read_set(file, taut_record_columns(r)[k].name, size, &rank);
            assert_int_equal(rank, 1);
            assert_int_equal(size[0], (all.count + every - 1) / every);
            for (long f = 0; f < (long)size[0]; f++)
                assert_true(values[f] == (double)all.values[(size_t)(f * every) * all.width + k]);
            free(values);
        }
        assert_text(file, "method", "rattle");
        assert_text(file, "title", "Double spherical pendulum");
        assert_text(file, "source", taut_record_property(r, "source"));
        hid_t group = H5Gopen2(file, "settings", H5P_DEFAULT);
        assert_text(group, "m1", "2.5");
        H5Gclose(group);
        double step;
        hid_t attribute = H5Aopen(file, "step", H5P_DEFAULT);
        assert_true(H5Aread(attribute, H5T_NATIVE_DOUBLE, &step) >= 0 && step == 0.01);
        H5Aclose(attribute);
        assert_int_equal(H5Fget_obj_count(file, H5F_OBJ_ALL), 1); /* the file itself: nothing was left open */
        H5Fclose(file);
        taut_record_close(r);
        taut_context_destroy(context);
    }
    free_frames(&all);
    unlink(path);
    unlink(target);
}

/* 400 links, 4000 columns: one dataset for all coordinates. */
static void one_for_many(void **state)
{
    (void)state;
    const recipe c = { .model = "hanging-chain",
                       .method = "rattle",
                       .step = 0.001,
                       .steps = 100,
                       .every = 1,
                       .interval = 1,
                       .setting = "N",
                       .value = "400" };
    recorded_run(&c, path, 0, 0);
    frames all = read_frames_of(path);
    taut_context *context = taut_context_create(NULL);
    record *r;
    hid_t file;
    hsize_t size[2];
    int rank;
    export_and_open(&r, context, 1, &file);
    double *values = read_set(file, "coordinate", size, &rank);
    assert_int_equal(rank, 2);
    assert_int_equal(size[0], 101);
    assert_int_equal(size[1], 1200);
    for (long f = 0; f < 101; f++)
        for (size_t k = 0; k < 1200; k++)
            assert_true(values[(size_t)f * 1200 + k] == (double)all.values[(size_t)f * all.width + 1 + k]);
    free(values);
    values = read_set(file, "energy", size, &rank);
    long energy = taut_record_column_find(r, "energy");
    for (long f = 0; f < 101; f++) assert_true(values[f] == (double)all.values[(size_t)f * all.width + (size_t)energy]);
    free(values);
    hid_t names = H5Dopen2(file, "coordinate.names", H5P_DEFAULT), type = H5Dget_type(names),
          space = H5Dget_space(names);
    char *texts[1200];
    assert_true(H5Dread(names, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts) >= 0);
    for (size_t k = 0; k < 1200; k++) assert_string_equal(texts[k], taut_record_columns(r)[1 + k].name);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, texts);
    H5Sclose(space);
    H5Tclose(type);
    H5Dclose(names);
    H5Fclose(file);
    taut_record_close(r);
    taut_context_destroy(context);
    free_frames(&all);
    unlink(path);
    unlink(target);
}

/* A slash in a name would be a path of groups. No model has such a name; a file of another program may. */
static void a_name_with_a_slash(void **state)
{
    (void)state;
    static const record_column columns[] = { { "t", "time" }, { "a/b", "observable" } };
    const double values[] = { 1, 2 };
    taut_context *context = taut_context_create(NULL);
    writer *w = NULL;
    record *r;
    hid_t file;
    hsize_t size[2];
    int done, rank;
    assert_int_equal(taut_writer_create(context, path, 0, columns, 2, 0, 0, &w), TAUT_OK);
    assert_int_equal(taut_writer_frame(w, 0, values), TAUT_OK);
    assert_int_equal(taut_writer_commit(w, 1000, &done), TAUT_OK);
    taut_writer_close(w);
    export_and_open(&r, context, 1, &file);
    double *found = read_set(file, "a:b", size, &rank);
    assert_true(size[0] == 1 && found[0] == 2);
    free(found);
    H5Fclose(file);
    taut_record_close(r);
    taut_context_destroy(context);
    unlink(path);
    unlink(target);
}

/* The line of an XYZ file is key=value, with blanks between; a name with one of its marks is one word all the same. */
static void a_name_with_marks(void **state)
{
    (void)state;
    static const record_column columns[] = { { "t", "time" }, { "a b.x", "coordinate" }, { "a b.y", "coordinate" },
                                             { "u,v=\"w\" z\t!", "observable" } };
    const double values[] = { 1, 2, 3, 4 };
    char xyz[300], text[300] = "";
    taut_context *context = taut_context_create(NULL);
    writer *w = NULL;
    record *r;
    int done;
    assert_int_equal(taut_writer_create(context, path, 0, columns, 4, 0, 0, &w), TAUT_OK);
    assert_int_equal(taut_writer_frame(w, 0, values), TAUT_OK);
    assert_int_equal(taut_writer_commit(w, 1000, &done), TAUT_OK);
    taut_writer_close(w);
    assert_int_equal(taut_record_open(context, path, &r), TAUT_OK);
    snprintf(xyz, sizeof xyz, "%s/run.xyz", folder);
    assert_int_equal(taut_export_xyz(context, r, xyz, &(export_options){ .every = 1 }), TAUT_OK);
    FILE *file = fopen(xyz, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    assert_string_equal(text, "1\nProperties=species:S:1:pos:R:3:vel:R:3 Time=1 u_v__w__z_!=4\na_b 2 3 0 0 0 0\n");
    taut_record_close(r);
    taut_context_destroy(context);
    unlink(path);
    unlink(xyz);
}

static void nowhere_to_write(void **state)
{
    (void)state;
    const recipe c = { .model = "pendulum", .method = "rattle", .step = 0.01, .steps = 10, .every = 1, .interval = 1 };
    taut_context *context = taut_context_create(NULL);
    record *r;
    recorded_run(&c, path, 0, 0);
    assert_int_equal(taut_record_open(context, path, &r), TAUT_OK);
    const export_options options = { &(size_t){ 0 }, 1, 1 };
    assert_int_not_equal(taut_export_hdf5(context, r, "/nowhere/run.h5", &options), TAUT_OK);
    assert_non_null(strstr(taut_error_text(context), "cannot write '/nowhere/run.h5'"));
    assert_int_not_equal(taut_export_csv(context, r, "/nowhere/run.csv", &options), TAUT_OK);
    assert_non_null(strstr(taut_error_text(context), "cannot write '/nowhere/run.csv'"));
    taut_record_close(r);
    taut_context_destroy(context);
    unlink(path);
}

int main(void)
{
    if (!mkdtemp(folder)) return 1;
    snprintf(path, sizeof path, "%s/run.taut", folder);
    snprintf(target, sizeof target, "%s/run.h5", folder);
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_dataset_per_column), cmocka_unit_test(one_for_many),
                                        cmocka_unit_test(a_name_with_a_slash), cmocka_unit_test(a_name_with_marks),
                                        cmocka_unit_test(nowhere_to_write) };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    rmdir(folder);
    return failures;
}
