/* Which libraries a process loads: none of LAPACK, BLAS and MUMPS for a small model, and one BLAS where they are
   needed. */
#include <stdio.h>
#include <stdlib.h>

#include "linalg/full.h"
#include "linear_matrices.h"
#include "support.h"
#include "taut/taut.h"

/* How many files of this process's memory have the string in their names; and those of them in another folder. */
static int mapped(const char *name, const char *folder, int *elsewhere)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[4500];
    int count = 0;
    if (!f) skip();
    *elsewhere = 0;
    while (fgets(line, sizeof line, f)) {
        const char *path = strchr(line, '/'), *slash = path ? strrchr(path, '/') : NULL;
        if (!slash || !strstr(slash, name)) continue;
        count++;
        *elsewhere += strncmp(path, folder, strlen(folder)) != 0 || slash != path + strlen(folder);
    }
    fclose(f);
    return count;
}

static void a_small_model_loads_none(void **state)
{
    (void)state;
    static const char *const names[] = { "blas", "lapack", "mumps", "gfortran", "hdf5" };
    taut_model *model;
    taut_simulation *simulation;
    taut_context *context = taut_context_create(NULL);
    double frame[100];
    int elsewhere;
    assert_int_equal(taut_model_load_file(context, MODELS "/double-spherical-pendulum.lua", NULL, 0, &model), TAUT_OK);
    assert_int_equal(taut_simulation_create(context, model, NULL, &simulation), TAUT_OK);
    assert_int_equal(taut_step(simulation, 0.01), TAUT_OK);
    assert_true(taut_count(simulation, TAUT_ALL) <= sizeof frame / sizeof *frame);
    assert_int_equal(taut_get(simulation, TAUT_ALL, 0, taut_count(simulation, TAUT_ALL), frame, NULL), TAUT_OK);
    taut_simulation_release(simulation);
    taut_model_release(model);
    taut_context_destroy(context);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_int_equal(mapped(names[i], "/", &elsewhere), 0);
}

static void there_is_one_blas(void **state)
{
    (void)state;
    static const linear_backend backends[] = { LINEAR_MUMPS, LINEAR_LAPACK };
    static const char *const names[] = { "libblas", "liblapack.", "libopenblas" };
    matrix a = cube(4);
    taut_context *context = taut_context_create(NULL);
    int elsewhere, real_folder = 0;
    for (int i = 0; i < 2; i++) {
        double x[64] = { 1 };
        linear *solver;
        assert_int_equal(taut_linear_create(context, backends[i], a.n, a.start, a.row, 0, &solver), TAUT_OK);
        assert_int_equal(taut_linear_factor(solver, a.value), TAUT_OK);
        assert_int_equal(taut_linear_solve(solver, x), TAUT_OK);
        taut_linear_destroy(solver);
    }
    char *folder = realpath(BLAS_FOLDER, NULL);
    assert_non_null(folder);
    for (int i = 0; i < 3; i++) {
        real_folder += mapped(names[i], folder, &elsewhere);
        assert_int_equal(elsewhere, 0);
    }
    assert_true(real_folder > 0);
    free(folder);
    taut_context_destroy(context);
    end(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(a_small_model_loads_none),
                                        cmocka_unit_test(there_is_one_blas) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
