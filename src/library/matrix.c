/* Matrices at a state: the mass matrix, the Jacobian of the constraints, the tangent of a step. */
#include "expr/call.h"
#include "library/library.h"

static int check_matrix(const taut_simulation *z, int matrix)
{
    if (matrix == TAUT_MASS || matrix == TAUT_JACOBIAN) return TAUT_OK;
    return taut_fail(z->context, TAUT_BAD_USAGE, "there is no matrix %d; see TAUT_MASS and TAUT_JACOBIAN", matrix);
}

static engine_matrix matrix_of(int matrix) { return matrix == TAUT_MASS ? ENGINE_MASS : ENGINE_JACOBIAN; }

int taut_pattern(taut_simulation *z, int matrix, size_t *rows, const int **row_start, const int **column)
{
    int count = 0, columns;
    LIBRARY_NEEDS(NULL, z, "simulation");
    LIBRARY_NEEDS(z->context, rows, "rows");
    LIBRARY_NEEDS(z->context, row_start, "row_start");
    LIBRARY_NEEDS(z->context, column, "column");
    library_begin(z->context);
    int status = check_matrix(z, matrix);
    if (!status)
        status = z->api->matrix_pattern(z->engine, matrix_of(matrix), &count, &columns, row_start, column);
    *rows = status ? 0 : (size_t)count;
    return library_done(z->context, status);
}

int taut_values(taut_simulation *z, int matrix, double *values, size_t capacity)
{
    int rows, columns;
    const int *start, *index;
    LIBRARY_NEEDS(NULL, z, "simulation");
    LIBRARY_NEEDS(z->context, values || !capacity, "values");
    int status = taut_library_enter(z, "taut_values");
    if (status) return status;
    status = check_matrix(z, matrix);
    if (!status) status = z->api->matrix_pattern(z->engine, matrix_of(matrix), &rows, &columns, &start, &index);
    if (status) return library_exit(z, status);
    const size_t count = (size_t)start[rows];
    if (capacity < count)
        return library_exit(z, taut_fail(z->context, TAUT_BAD_USAGE,
                                         "the matrix has %zu entries, and there is room for %zu", count, capacity));
    if (z->api->number_size == sizeof *values)
        return library_exit(z, z->api->matrix_values(z->engine, matrix_of(matrix), values));
    wide *wides = taut_mem_new(z->context, count, sizeof *wides);
    status = wides ? z->api->matrix_values(z->engine, matrix_of(matrix), wides) : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) values[i] = (double)wides[i];
    taut_mem_free(z->context, wides);
    return library_exit(z, status);
}

/* ---- the tangent of a step, exactly ---- */

static int exact_tangent(taut_simulation *z, double h, double *a)
{
    const size_t n = taut_count(z, TAUT_POSITION), size = z->api->number_size;
    void *numbers = taut_mem_new(z->context, mem_product(4 * n, n) + 1, size);
    if (!numbers) return TAUT_OUT_OF_MEMORY;
    double *doubles = numbers;
    wide *wides = numbers;
    for (size_t j = 0; j < 2 * n; j++) { /* vector j is the j-th of (q,p) */
        const size_t at = j < n ? j * n + j : 2 * n * n + j * n + (j - n);
        if (size == sizeof *doubles) doubles[at] = 1;
        else wides[at] = 1;
    }
    char *dp = (char *)numbers + 2 * n * n * size;
    int status = z->api->tangent(z->engine, taut_wide_from_double(h), 2 * n, numbers, dp);
    for (size_t j = 0; !status && j < 2 * n; j++)
        for (size_t i = 0; i < 2 * n; i++) {
            const size_t at = i < n ? j * n + i : 2 * n * n + j * n + (i - n);
            a[i * 2 * n + j] = size == sizeof *doubles ? doubles[at] : (double)wides[at];
        }
    taut_mem_free(z->context, numbers);
    return status;
}

/* ---- by differences ----
   Of fourth order, of steps of an engine of the widest precision from the same state. */

typedef struct {
    const taut_simulation *z;
    library_plan *twin;
    size_t n;
    wide h;
    wide *state;             /* of the twin: all fields, one behind the other */
    size_t state_size;
    wide *base, *at;         /* (q,p); and moved */
    wide *there[4];          /* (q,p) after the step, for each of the four displacements */
} tangent;

/* The fields of the simulation into those of the twin. */
static int copy_state(tangent *t)
{
    const taut_simulation *z = t->z;
    const engine_api *to_api = t->twin->api;
    engine_counts counts = { 0 };
    for (int i = 0; i < z->api->field_count(z->engine); i++) {
        const engine_field from = z->api->field(z->engine, i), to = to_api->field(t->twin->engine, i);
        wide *wides = taut_mem_new(z->context, from.count, sizeof *wides);
        if (!wides) return TAUT_OUT_OF_MEMORY;
        taut_engine_widen(z->api, from.data, from.count, wides);
        for (size_t k = 0; k < to.count; k++) {
            if (to_api->number_size == sizeof(double)) ((double *)to.data)[k] = (double)wides[k];
            else ((wide *)to.data)[k] = wides[k];
        }
        taut_mem_free(z->context, wides);
    }
    to_api->restored(t->twin->engine, &counts);
    return TAUT_OK;
}

static void exchange_state(tangent *t, int save)
{
    const engine_api *api = t->twin->api;
    char *at = (char *)t->state;
    engine_counts counts = { 0 };
    for (int i = 0; i < api->field_count(t->twin->engine); i++) {
        const engine_field f = api->field(t->twin->engine, i);
        if (f.count) memcpy(save ? (void *)at : f.data, save ? f.data : (void *)at, f.count * api->number_size);
        at += f.count * api->number_size;
    }
    if (!save) api->restored(t->twin->engine, &counts);
}

static int make_tangent(tangent *t)
{
    taut_context *context = t->z->context;
    const size_t size = 2 * t->n;
    for (int i = 0; i < t->twin->api->field_count(t->twin->engine); i++)
        t->state_size += t->twin->api->field(t->twin->engine, i).count;
    t->state = taut_mem_new(context, t->state_size, sizeof *t->state);
    t->base = taut_mem_new(context, 6 * size, sizeof *t->base);
    if (!t->state || !t->base) return TAUT_OUT_OF_MEMORY;
    t->at = t->base + size;
    for (size_t k = 0; k < 4; k++) t->there[k] = t->base + (2 + k) * size;
    int status = copy_state(t);
    if (status) return status;
    exchange_state(t, 1);
    t->twin->api->point(t->twin->engine, t->base, t->base + t->n);
    return TAUT_OK;
}

/* The step from the moved point, or with the moved input. */
static int step_from(tangent *t, size_t k)
{
    const engine_api *api = t->twin->api;
    int status = api->set_point(t->twin->engine, t->at, t->at + t->n);
    if (!status) status = api->step(t->twin->engine, t->h);
    if (!status) api->point(t->twin->engine, t->there[k], t->there[k] + t->n);
    exchange_state(t, 0);
    return status;
}

static wide size_at(const wide *x, size_t count)
{
    wide most = 0;
    for (size_t i = 0; i < count; i++)
        if (WIDE(fabs)(x[i]) > most) most = WIDE(fabs)(x[i]);
    return most > 0 ? most : 1;
}

/* 2^-26 of the size leaves errors of 1e-31 and of 1e-26 from round-off in quad; in double they are 1e-12 and 1e-13. */
static wide displacement(const tangent *t)
{
    return t->twin->api->number_size > sizeof(double) ? (wide)0x1p-26 : (wide)0x1p-10;
}

static void put_column(const tangent *t, wide d, size_t column, size_t columns, double *to)
{
    for (size_t i = 0; i < 2 * t->n; i++) {
        const wide near = t->there[1][i] - t->there[2][i], far = t->there[0][i] - t->there[3][i];
        to[i * columns + column] = (double)((8 * near - far) / (12 * d));
    }
}

static const int PLACES[4] = { 2, 1, -1, -2 };

static int by_state(tangent *t, double *a)
{
    const wide sizes[2] = { size_at(t->base, t->n), size_at(t->base + t->n, t->n) };
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < 2 * t->n; i++) {
        const wide d = displacement(t) * sizes[i >= t->n];
        memcpy(t->at, t->base, 2 * t->n * sizeof *t->at);
        for (size_t k = 0; !status && k < 4; k++) {
            t->at[i] = t->base[i] + PLACES[k] * d;
            status = step_from(t, k);
        }
        if (!status) put_column(t, d, i, 2 * t->n, a);
    }
    return status;
}

static int by_inputs(tangent *t, double *b)
{
    const taut_simulation *z = t->z;
    const engine_api *api = t->twin->api;
    int status = TAUT_OK;
    memcpy(t->at, t->base, 2 * t->n * sizeof *t->at);
    for (size_t i = 0; !status && i < z->input_count; i++) {
        wide *value = api->input(t->twin->engine, z->inputs[i]);
        const wide before = *value, d = displacement(t) * (before != 0 ? WIDE(fabs)(before) : 1);
        for (size_t k = 0; !status && k < 4; k++) {
            *value = before + PLACES[k] * d;
            status = api->inputs_changed(t->twin->engine);
            if (!status) status = step_from(t, k);
        }
        *value = before;
        int restored = api->inputs_changed(t->twin->engine);
        if (!status) status = restored;
        if (!status) put_column(t, d, i, z->input_count, b);
    }
    return status;
}

static int differences(taut_simulation *z, double h, double *a, double *b)
{
    /* functions of the user give doubles */
    const engine_api *quad = taut_graph_has_calls(z->model->m->graph) ? NULL : taut_engine_find("quad");
    tangent t = { .z = z, .n = taut_count(z, TAUT_POSITION), .h = taut_wide_from_double(h) };
    engine_options options = z->options;
    options.tolerance = 0;
    options.native = TAUT_NATIVE_OFF;
    options.threads = 1;
    int status = taut_library_plan(z, z->context, quad ? quad : z->api, &options, &t.twin);
    if (!status) status = make_tangent(&t);
    if (!status && a) status = by_state(&t, a);
    if (!status && b) status = by_inputs(&t, b);
    taut_mem_free(z->context, t.state);
    taut_mem_free(z->context, t.base);
    taut_library_plan_release(t.twin);
    return status;
}

int taut_linearise(taut_simulation *z, double h, double *a, double *b)
{
    LIBRARY_NEEDS(NULL, z, "simulation");
    int status = taut_library_enter(z, "taut_linearise");
    if (status) return status;
    if (!(h - h == 0) || h == 0)
        status = taut_fail(z->context, TAUT_BAD_USAGE, "the step must be a finite number other than 0");
    if (!status && z->model->m->contact_count)
        status = taut_fail(z->context, TAUT_UNSUPPORTED,
                           "the tangent of a step is for smooth motion, and this model has contacts");
    const int exact = !status && a ? exact_tangent(z, h, a) : TAUT_UNSUPPORTED;
    if (!status && a && exact != TAUT_UNSUPPORTED) status = exact;
    b = z->input_count ? b : NULL;
    if (!status && (b || (a && exact))) status = differences(z, h, exact ? a : NULL, b);
    return library_exit(z, taut_library_failed(z, status));
}
