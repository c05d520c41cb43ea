/* Threads, each with its own context: linear systems by every back end, models of every kind and one that is large
   enough for MUMPS, run files and exports. No thread sees the others: results are those of one thread alone, bit by
   bit. The linker hands calls of dlsym to the __wrap_ function here (tests/CMakeLists.txt), which gives functions of
   MUMPS and LAPACK that watch, so that two threads within them are seen, whether they do harm or not; and that
   these were at work at all. */
#include <dmumps_c.h>
#include <lapacke.h>
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "record/export.h"
#include "support_library.h"
#include "support_record.h"

#include "linear_matrices.h"

enum { THREADS = 4 };

static atomic_int inside, calls, lapack_calls, collisions;

static void come_in(atomic_int *count)
{
    atomic_fetch_add(count, 1);
    if (atomic_fetch_add(&inside, 1) > 0) atomic_fetch_add(&collisions, 1);
    nanosleep(&(struct timespec){ 0, 100000 }, NULL); /* a chance for the others to come in, on one processor too */
}

static __typeof__(&dmumps_c) real_dmumps_c;
static void watch_dmumps_c(DMUMPS_STRUC_C *m)
{
    come_in(&calls);
    real_dmumps_c(m);
    atomic_fetch_sub(&inside, 1);
}

#define WATCH(name, parameters, arguments)                                                                             \
    static __typeof__(&name) real_##name;                                                                              \
    static lapack_int watch_##name parameters                                                                          \
    {                                                                                                                  \
        come_in(&lapack_calls);                                                                                        \
        lapack_int info = real_##name arguments;                                                                       \
        atomic_fetch_sub(&inside, 1);                                                                                  \
        return info;                                                                                                   \
    }
WATCH(LAPACKE_dgetrf_work, (int order, lapack_int m, lapack_int n, double *a, lapack_int lda, lapack_int *pivot),
      (order, m, n, a, lda, pivot))
WATCH(LAPACKE_dgetrs_work,
      (int order, char trans, lapack_int n, lapack_int nrhs, const double *a, lapack_int lda, const lapack_int *pivot,
       double *b, lapack_int ldb),
      (order, trans, n, nrhs, a, lda, pivot, b, ldb))
WATCH(LAPACKE_dgelsy,
      (int order, lapack_int m, lapack_int n, lapack_int nrhs, double *a, lapack_int lda, double *b, lapack_int ldb,
       lapack_int *pivot, double rcond, lapack_int *rank),
      (order, m, n, nrhs, a, lda, b, ldb, pivot, rcond, rank))
WATCH(LAPACKE_dposv,
      (int order, char part, lapack_int n, lapack_int nrhs, double *a, lapack_int lda, double *b, lapack_int ldb),
      (order, part, n, nrhs, a, lda, b, ldb))

/* Functions of libraries that are loaded: the watcher instead of the real one, which it calls. */
void *__real_dlsym(void *handle, const char *name);
void *__wrap_dlsym(void *handle, const char *name);
void *__wrap_dlsym(void *handle, const char *name)
{
#define WATCHED(function) { #function, (void *)watch_##function, (void **)&real_##function }
    static const struct {
        const char *name;
        void *watch, **real;
    } watched[] = { WATCHED(dmumps_c), WATCHED(LAPACKE_dgetrf_work), WATCHED(LAPACKE_dgetrs_work),
                    WATCHED(LAPACKE_dgelsy), WATCHED(LAPACKE_dposv) };
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    void *found = __real_dlsym(handle, name);
    for (size_t i = 0; found && i < sizeof watched / sizeof *watched; i++)
        if (strcmp(name, watched[i].name) == 0) {
            pthread_mutex_lock(&lock);
            if (!*watched[i].real) *watched[i].real = found;
            pthread_mutex_unlock(&lock);
            return watched[i].watch;
        }
    return found;
}

typedef struct {
    int (*work)(void *out, int variant);
    void *out;
    int variant, status;
    pthread_barrier_t *gate;
} worker;

static void *run_worker(void *user)
{
    worker *w = user;
    pthread_barrier_wait(w->gate);
    w->status = w->work(w->out, w->variant);
    return NULL;
}

/* The work alone, variant by variant, and then by threads at once; the threads' results are the same. */
static void together(int (*work)(void *out, int variant), size_t size, int threads, int variants)
{
    char *alone = calloc((size_t)variants, size), *at_once = calloc((size_t)threads, size);
    worker w[THREADS];
    pthread_t ids[THREADS];
    pthread_barrier_t gate;
    for (int i = 0; i < variants; i++) assert_int_equal(work(alone + (size_t)i * size, i), TAUT_OK);
    atomic_store(&collisions, 0);
    pthread_barrier_init(&gate, NULL, (unsigned)threads);
    for (int i = 0; i < threads; i++) {
        w[i] = (worker){ work, at_once + (size_t)i * size, i % variants, 0, &gate };
        assert_int_equal(pthread_create(&ids[i], NULL, run_worker, &w[i]), 0);
    }
    for (int i = 0; i < threads; i++) pthread_join(ids[i], NULL);
    pthread_barrier_destroy(&gate);
    for (int i = 0; i < threads; i++) {
        assert_int_equal(w[i].status, TAUT_OK);
        if (memcmp(at_once + (size_t)i * size, alone + (size_t)(i % variants) * size, size) != 0)
            fail_msg("thread %d has another result than the same work alone", i);
    }
    assert_int_equal(atomic_load(&collisions), 0);
    free(alone);
    free(at_once);
}

/* ---- linear systems ---- */

enum { CUBE = 6, UNKNOWNS = CUBE * CUBE * CUBE, REPEATS = SANITIZED ? 3 : 10 };

typedef struct {
    double x[UNKNOWNS];
} solution;

static int solve_by(linear_backend backend, double *x)
{
    matrix a = cube(CUBE);
    linear *solver = NULL;
    taut_context *context = taut_context_create(NULL);
    uint64_t seed = 7;
    int status = context ? taut_linear_create(context, backend, a.n, a.start, a.row, 0, &solver) : TAUT_OUT_OF_MEMORY;
    for (int k = 0; !status && k < REPEATS; k++) {
        for (int i = 0; i < UNKNOWNS; i++) x[i] = next_number(&seed);
        status = taut_linear_factor(solver, a.value);
        if (!status) status = taut_linear_solve(solver, x);
        if (!status) status = taut_linear_solve_transposed(solver, x);
    }
    taut_linear_destroy(solver);
    taut_context_destroy(context);
    end(&a);
    return status;
}

/* Not all threads begin with the same back end. */
static int solve_by_all(void *out, int variant)
{
    solution *of = out;
    int status = TAUT_OK;
    for (int k = 0; !status && k < ALL; k++) {
        int which = (k + variant) % ALL;
        status = solve_by(all[which], of[which].x);
    }
    return status;
}

static void linear_systems(void **state)
{
    (void)state;
    atomic_store(&calls, 0);
    atomic_store(&lapack_calls, 0);
    together(solve_by_all, ALL * sizeof(solution), THREADS, 2);
    assert_true(atomic_load(&calls) > 0);
    assert_true(atomic_load(&lapack_calls) > 0);
}

/* ---- models, by the public interface ---- */

enum { COLUMNS = 2000 };

static int simulate(taut_context *context, taut_model *model, const char *method, const char *precision, double h,
    int steps, double *frame,
                    size_t most)
{
    taut_simulation *simulation = NULL;
    taut_options options = { .size = sizeof options };
    options.method = method;
    options.precision = precision;
    int status = taut_simulation_create(context, model, &options, &simulation);
    for (int i = 0; !status && i < steps; i++) status = taut_step(simulation, h);
    if (!status && columns_of(simulation) > most) status = TAUT_UNSUPPORTED;
    if (!status) status = frame_of(simulation, frame);
    if (status) print_error("%s\n", taut_error_text(context));
    taut_simulation_release(simulation);
    return status;
}

/* Springs along the edges of a cube of 12^3 points. 11^3 is the smallest for which KLU's factors exceed 2*10^6 entries
   and MUMPS takes over. */
static const char lattice[] =
    "local N, p = 12, {}\n"
    "for i = 1, N*N*N do\n"
    "  p[i] = point('p' .. i)\n"
    "  local k = i - 1\n"
    "  start { ['p' .. i] = {k % N, k // N % N, k // (N*N)} }\n"
    "  lagrangian(norm2(p[i].dot)/2)\n"
    "  for axis, step in ipairs { 1, N, N*N } do\n"
    "    if k // step % N > 0 then lagrangian(-50*(norm(p[i] - p[i - step]) - 1.01)^2) end\n"
    "  end\n"
    "end\n";
enum { LATTICE_COLUMNS = 3 * 3 * 12 * 12 * 12 + 20 };

static int step_lattice(void *out, int variant)
{
    (void)variant;
    taut_model *model = NULL;
    taut_context *context = taut_context_create(NULL);
    if (!context) return TAUT_OUT_OF_MEMORY;
    int status = taut_model_load_text(context, "lattice", lattice, strlen(lattice), NULL, 0, &model);
    if (!status) status = simulate(context, model, "em", "double", 0.01, SANITIZED ? 1 : 2, out, LATTICE_COLUMNS);
    taut_model_release(model);
    taut_context_destroy(context);
    return status;
}

static void a_large_lattice(void **state)
{
    (void)state;
    atomic_store(&calls, 0);
    together(step_lattice, LATTICE_COLUMNS * sizeof(double), 2, 1);
    assert_true(atomic_load(&calls) > 0);
}

static const struct {
    const char *name, *method;
    double step;
} examples[] = {
    { "double-spherical-pendulum", "rattle", 0.01 }, { "rigid-body", "lobatto:s=3", 0.01 }, { "bouncing-ball",
        "rattle", 0.1 },
    { "hanging-chain", "rattle", 0.001 },            { "triple-pendulum", "em", 0.01 },      { "point-vortices",
        "dirac:rk4", 0.01 },
    { "block-incline", "rattle", 0.05 },             { "driven-pendulum", "em", 0.001 },
};
enum { EXAMPLES = sizeof examples / sizeof *examples };

static int step_examples(void *out, int variant)
{
    double *frames_of = out;
    int status = TAUT_OK;
    for (int k = 0; !status && k < EXAMPLES; k++) {
        int which = (k + 2 * variant) % EXAMPLES;
        const char *precision = "double";
        char path[512];
        taut_model *model = NULL;
        taut_context *context = taut_context_create(NULL);
        if (!context) return TAUT_OUT_OF_MEMORY;
#ifdef TAUT_HAVE_QUAD
        if (which % 2) precision = "quad";
#endif
        snprintf(path, sizeof path, "%s/%s.lua", MODELS, examples[which].name);
        status = taut_model_load_file(context, path, NULL, 0, &model);
        if (!status) status = simulate(context, model, examples[which].method, precision, examples[which].step, 20,
            frames_of + which * COLUMNS, COLUMNS);
        taut_model_release(model);
        taut_context_destroy(context);
    }
    return status;
}

static void models_of_every_kind(void **state)
{
    (void)state;
    together(step_examples, EXAMPLES * COLUMNS * sizeof(double), THREADS, THREADS);
}

/* A chain of 80 bars whose start is solved for: too many for what Taut does without LAPACK (linalg/full.c). */
static const char free_chain[] =
    "local last = nil\n"
    "for i = 1, 80 do\n"
    "  local p = point('p' .. i)\n"
    "  start { ['p' .. i] = {free(i), free(0.1), free(-0.2*i)} }\n"
    "  lagrangian(norm2(p.dot)/2 - 9.81*p.z)\n"
    "  constraint('bar' .. i, last and norm2(p - last) - 1 or norm2(p) - 1)\n"
    "  last = p\n"
    "end\n";

static int start_chain(void *out, int variant)
{
    (void)variant;
    taut_model *model = NULL;
    taut_context *context = taut_context_create(NULL);
    if (!context) return TAUT_OUT_OF_MEMORY;
    int status = taut_model_load_text(context, "chain", free_chain, strlen(free_chain), NULL, 0, &model);
    if (!status) status = simulate(context, model, "rattle", "double", 0.001, 1, out, COLUMNS);
    taut_model_release(model);
    taut_context_destroy(context);
    return status;
}

static void start_values(void **state)
{
    (void)state;
    atomic_store(&lapack_calls, 0);
    together(start_chain, COLUMNS * sizeof(double), THREADS, 1);
    assert_true(atomic_load(&lapack_calls) > 0);
}

/* ---- run files and exports: SQLite and HDF5 ---- */

static char folder[] = "taut-threads-XXXXXX";

typedef struct {
    wide sum;        /* of all numbers of the run */
    long frames;
    int exported;
} recorded;

static int record_run(void *out, int variant)
{
    static atomic_int next;
    recorded *r = out;
    record *run = NULL;
    char path[100], target[120];
    size_t columns[100];
    const recipe c = { .model = "double-spherical-pendulum", .method = "rattle", .step = 0.01 / (1 + variant),
        .steps = 60, .every = 1, .interval = 0.001 };
    snprintf(path, sizeof path, "%s/%d.taut", folder, atomic_fetch_add(&next, 1));
    snprintf(target, sizeof target, "%s.h5", path);
    memset(r, 0, sizeof *r);
    taut_context *context = taut_context_create(NULL);
    int status = recorded_run_in(context, &c, path, 0, 0);
    if (!status) status = taut_record_open(context, path, &run);
    size_t width = status ? 0 : taut_record_column_count(run);
    for (size_t i = 0; i < width && i < 100; i++) columns[i] = i;
    if (!status)
        status = taut_export_hdf5(context, run, target, &(export_options){ columns, width < 100 ? width : 100, 1 });
    r->exported = access(target, R_OK) == 0;
    r->frames = status ? 0 : taut_record_frame_count(run);
    for (long f = 0; !status && f < r->frames; f++) {
        wide row[100];
        status = taut_record_read_wide(run, f, 1, columns, width, row);
        for (size_t k = 0; k < width; k++) r->sum += row[k];
    }
    if (status) print_error("%s\n", taut_error_text(context));
    taut_record_close(run);
    taut_context_destroy(context);
    unlink(path);
    unlink(target);
    return status;
}

static void run_files(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(folder));
    together(record_run, sizeof(recorded), THREADS, THREADS);
    rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_systems), cmocka_unit_test(a_large_lattice), cmocka_unit_test(models_of_every_kind),
        cmocka_unit_test(start_values), cmocka_unit_test(run_files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
