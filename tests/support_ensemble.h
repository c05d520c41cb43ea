/* What the tests of executors share: members of a model, each once more as a single run. */
#ifndef TAUT_TESTS_SUPPORT_ENSEMBLE_H
#define TAUT_TESTS_SUPPORT_ENSEMBLE_H

#include "support.h"

#include "ensemble/executor.h"

enum { VARIED_MOST = 4, COLUMNS_MOST = 80 };

/* A model, a method and what varies: start values by their names would need a parser, so by index. */
typedef struct {
    const char *model;      /* a file of models/, or a text if `text` */
    int text;
    const char *method;
    double h;
    long steps;             /* of each of the two legs */
    double tolerance;
    int lanes;              /* 0: as the executor chooses */
    struct {
        vary_kind kind;
        const char *parameter; /* of VARY_PARAMETER */
        uint32_t index;
        double from, to;
    } varied[VARIED_MOST];
} ensemble_case;

typedef struct {
    taut_context *context;
    model *m;
    executor_vary vary[VARIED_MOST];
    size_t vary_count, count, columns, state_size;
    double *values, *rows, *states;
    executor_member *members;
    size_t rows_least;      /* of the executor */
    int fast;
} ensemble_run;

static inline size_t count_varied(const ensemble_case *c)
{
    size_t count = 0;
    while (count < VARIED_MOST && (c->varied[count].from != 0 || c->varied[count].to != 0)) count++;
    return count;
}

static inline void open_ensemble(const ensemble_case *c, size_t count, ensemble_run *r)
{
    char path[512];
    *r = (ensemble_run){ .context = taut_context_create(NULL), .count = count, .vary_count = count_varied(c) };
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, c->model);
    int status = c->text ? taut_model_read_text(r->context, "test.lua", c->model, strlen(c->model), NULL, 0, &r->m)
                         : taut_model_read_file(r->context, path, NULL, 0, &r->m);
    if (status) print_error("%s\n", taut_error_text(r->context));
    assert_int_equal(status, TAUT_OK);
    r->values = calloc(count * r->vary_count + 1, sizeof *r->values);
    for (size_t k = 0; k < r->vary_count; k++) {
        long index = c->varied[k].index;
        if (c->varied[k].kind == VARY_PARAMETER) index = taut_model_find_parameter(r->m, c->varied[k].parameter);
        assert_true(index >= 0);
        r->vary[k] = (executor_vary){ c->varied[k].kind, (uint32_t)index };
        for (size_t i = 0; i < count; i++) /* spread so that no two members have the same value */
            r->values[i * r->vary_count + k] =
                c->varied[k].from + (c->varied[k].to - c->varied[k].from) * (double)((i * (2 * k + 1)) % count)
                / (double)count;
    }
}

static inline void close_ensemble(ensemble_run *r)
{
    free(r->values), free(r->rows), free(r->states), free(r->members);
    taut_model_free(r->m);
    taut_context_destroy(r->context);
}

/* A row at the start, one after `steps` steps, one after as many again and a shorter step. */
enum { READS = 3 };
static inline void fill_legs(const ensemble_case *c, executor_leg *legs)
{
    legs[0] = (executor_leg){ .reads = 1 };
    legs[1] = (executor_leg){ .h = (wide)c->h, .steps = c->steps, .reads = 1 };
    legs[2] = (executor_leg){ .h = (wide)c->h, .steps = c->steps };
    legs[3] = (executor_leg){ .h = (wide)(c->h / 3), .steps = 1, .reads = 1 };
}

static inline executor *create_executor(const ensemble_case *c, ensemble_run *r, executor_kind on, int threads,
                                        int native)
{
    executor *e;
    const executor_options options = { .on = on, .method = c->method, .tolerance = (wide)c->tolerance,
                                       .step = (wide)c->h, .threads = threads, .native = native, .lanes = c->lanes,
                                       .vary = r->vary, .vary_count = r->vary_count,
                                       .rows_least = r->rows_least, .fast = r->fast };
    size_t all[COLUMNS_MOST];
    int status = taut_executor_create(r->m, &options, &e);
    if (status) print_error("%s %s: %s\n", c->model, c->method, taut_error_text(r->context));
    assert_int_equal(status, TAUT_OK);
    r->columns = taut_executor_columns(e) < COLUMNS_MOST ? taut_executor_columns(e) : COLUMNS_MOST;
    for (size_t i = 0; i < r->columns; i++) all[i] = i;
    assert_int_equal(taut_executor_choose(e, all, r->columns), TAUT_OK);
    r->state_size = taut_executor_state_size(e);
    if (!r->rows) {
        r->rows = calloc(r->count * READS * r->columns, sizeof *r->rows);
        r->states = calloc(r->count * r->state_size, sizeof *r->states);
        r->members = calloc(r->count, sizeof *r->members);
    }
    return e;
}

static inline void run_ensemble(const ensemble_case *c, ensemble_run *r, executor *e)
{
    executor_leg legs[4];
    fill_legs(c, legs);
    assert_int_equal(taut_executor_run(e, legs, 4, r->count, r->values, NULL, r->rows, r->members, r->states), TAUT_OK);
}

/* The member as a single run, by the model that it is: its rows and state must be those, to the bit. */
static inline void check_member(const ensemble_case *c, const ensemble_run *r, size_t i)
{
    taut_context *context = taut_context_create(NULL);
    model *m;
    simulation *z = NULL;
    executor_leg legs[4];
    double row[COLUMNS_MOST + 400];
    const engine_options options = { .method = c->method, .tolerance = (wide)c->tolerance, .step = (wide)c->h,
                                     .native = TAUT_NATIVE_OFF };
    fill_legs(c, legs);
    assert_int_equal(taut_member_model(context, r->m, r->vary, r->vary_count, r->values + i * r->vary_count, &m),
                     TAUT_OK);
    int status = X(simulation_create)(m, &options, &z), read = 0;
    for (int k = 0; !status && k < 4; k++) {
        for (long s = 0; !status && s < legs[k].steps; s++) status = X(simulation_step)(z, (double)legs[k].h);
        if (status || !legs[k].reads) continue;
        status = X(simulation_frame)(z, row);
        if (memcmp(row, r->rows + (i * READS + (size_t)read) * r->columns, r->columns * sizeof *row))
            for (size_t a = 0; a < r->columns; a++) {
                const double other = r->rows[(i * READS + (size_t)read) * r->columns + a];
                if (memcmp(&row[a], &other, sizeof other))
                    print_error("%s %s: member %zu, row %d, column %zu: %a and %a\n", c->model, c->method, i, read, a,
                                row[a], other);
            }
        assert_memory_equal(row, r->rows + (i * READS + (size_t)read++) * r->columns, r->columns * sizeof *row);
    }
    if (r->members[i].status != (status < 0 ? -status : status))
        print_error("%s %s: member %zu: %d (%s), alone %d (%s)\n", c->model, c->method, i, r->members[i].status,
                    r->members[i].reason, status, taut_error_text(context));
    assert_int_equal(r->members[i].status, status < 0 ? -status : status);
    if (status) assert_memory_equal(r->members[i].reason, taut_error_text(context), 60);
    if (z && !(status && !z->steps)) {
        const double *x = r->states + i * r->state_size;
        assert_true(x[0] == z->x.t && x[1] == z->x.t_low);
        assert_memory_equal(x + 2, z->x.block, (r->state_size - 2) * sizeof *x);
    }
    X(simulation_destroy)(z);
    taut_model_free(m);
    taut_context_destroy(context);
}

#endif
