/* The dispatcher: checks the pattern, chooses the back end, keeps the account. */
#include "linalg/linear.h"

#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "linalg/linear_backend.h"

struct linear {
    taut_context *context;
    linear_pattern pattern;
    long *users;   /* of the arrays of the pattern */
    const linear_operations *operations;
    void *state;
    linear_info info;
    int automatic; /* the back end may still be exchanged */
    int settled;   /* only a matrix that KLU cannot do exchanges it now */
    int factored, forget;
    double *values;  /* of taut_linear_factor_placed, unless BLOCKS has its own */
    int *same;       /* 0, 1, 2, ...: its places then */
};

/* AUTO's limits, measured. Own LU up to SMALL_MOST unknowns. LAPACK does some DENSE_SPEED times as many operations in a
   second as KLU (1.3 at 20 unknowns, 3 at 500), and is not considered past DENSE_MOST, where the dense matrix alone
   would be a burden. MUMPS factors faster than KLU but solves five times slower: it pays when the factors are both
   large and much larger than the matrix (grids and lattices of 20000 to 40000 unknowns break even). */
enum { SMALL_MOST = 16, DENSE_MOST = 1500 };
static const double DENSE_SPEED = 2, LARGE_FILL = 2e6, LARGE_RATIO = 10;

static const linear_operations *operations_of(linear_backend backend)
{
    switch (backend) {
    case LINEAR_SMALL: return &taut_linear_small;
    case LINEAR_LAPACK: return &taut_linear_lapack;
    case LINEAR_KLU: return &taut_linear_klu;
    case LINEAR_KLU_COLUMNS: return &taut_linear_klu_columns;
    case LINEAR_MUMPS: return &taut_linear_mumps;
    case LINEAR_LDL: return &taut_linear_ldl;
    case LINEAR_BLOCKS: return &taut_linear_blocks;
    default: return NULL;
    }
}

const char *taut_linear_backend_name(linear_backend backend)
{
    const linear_operations *operations = operations_of(backend);
    return operations ? operations->name : "auto";
}

static int check_pattern(taut_context *context, int n, const int *column_start, const int *row_index)
{
    if (n < 0 || column_start[0] != 0) return taut_fail(context, TAUT_BAD_USAGE, "a matrix pattern must start at 0");
    for (int j = 0; j < n; j++) {
        int before = -1;
        if (column_start[j + 1] < column_start[j])
            return taut_fail(context, TAUT_BAD_USAGE, "column %d of a matrix pattern ends before it starts", j);
        for (int p = column_start[j]; p < column_start[j + 1]; p++) {
            if (row_index[p] <= before || row_index[p] >= n)
                return taut_fail(context, TAUT_BAD_USAGE, "column %d of a matrix pattern: rows must ascend below %d", j,
                                 n);
            before = row_index[p];
        }
    }
    return TAUT_OK;
}

static int copy_pattern(linear *solver, int n, const int *column_start, const int *row_index, int symmetric)
{
    linear_pattern *pattern = &solver->pattern;
    size_t entries = (size_t)column_start[n];
    pattern->n = n;
    pattern->entries = column_start[n];
    pattern->symmetric = symmetric;
    pattern->column_start = taut_mem_new(solver->context, (size_t)n + 1, sizeof(int));
    pattern->row_index = taut_mem_new(solver->context, entries, sizeof(int));
    solver->users = taut_mem_new(solver->context, 1, sizeof *solver->users);
    if (solver->users) *solver->users = 1;
    if (!pattern->column_start || !pattern->row_index || !solver->users) return TAUT_OUT_OF_MEMORY;
    memcpy(pattern->column_start, column_start, ((size_t)n + 1) * sizeof(int));
    if (entries) memcpy(pattern->row_index, row_index, entries * sizeof(int));
    return TAUT_OK;
}

static int too_much_fill(const linear *solver, double entries)
{
    return entries > LARGE_FILL && entries > LARGE_RATIO * solver->pattern.entries;
}

static int start(linear *solver, linear_backend backend)
{
    const linear_operations *operations = operations_of(backend);
    void *state = NULL;
    int status = operations->create(solver->context, &solver->pattern, &state);
    if (status) return status;
    if (solver->state) solver->operations->destroy(solver->state);
    solver->operations = operations;
    solver->state = state;
    solver->info.backend = backend;
    return TAUT_OK;
}

/* KLU does some BLOCKS_SPEED times fewer operations in a second than dense fronts. Where its columns are ordered for
   any pivots, it makes no forecast (a negative number): its factors are larger then. */
static const double BLOCKS_SPEED = 4;

/* Blocks in place of what there is, unless they would take longer than KLU: by_klu operations. */
static int start_blocks(linear *solver, const linear_nodes *nodes, double by_klu)
{
    double by_blocks, entries;
    void *state;
    int status = taut_blocks_create(solver->context, &solver->pattern, nodes, &by_blocks, &entries, &state);
    if (status || !state) return status;
    if ((by_klu >= 0 && by_blocks > BLOCKS_SPEED * by_klu) || too_much_fill(solver, entries)) {
        taut_linear_blocks.destroy(state);
        return TAUT_OK;
    }
    solver->operations->destroy(solver->state);
    solver->operations = &taut_linear_blocks;
    solver->state = state;
    solver->info.backend = LINEAR_BLOCKS;
    return TAUT_OK;
}

/* Larger systems are analysed by KLU, whose forecast decides. It comes from the pattern alone, so that the choice does
   not depend on the first values. With nodes, blocks are looked at before LAPACK, which may have to be loaded. */
static int start_automatic(linear *solver, linear_backend sparse, const linear_nodes *nodes)
{
    const int n = solver->pattern.n;
    if (n <= SMALL_MOST) return start(solver, LINEAR_SMALL);
    int status = start(solver, LINEAR_KLU);
    if (status == TAUT_UNSUPPORTED) return start(solver, LINEAR_MUMPS); /* too large to be counted in int */
    if (status) return status;
    double entries, operations;
    const double dense = 2.0 / 3 * n * n * n;
    taut_linear_klu_forecast(solver->state, &entries, &operations);
    const int is_dense = n <= DENSE_MOST && dense < DENSE_SPEED * operations;
    char what[60];
    snprintf(what, sizeof what, "a matrix of %d rows", n);
    if (!is_dense && (status = taut_budget_work(solver->context, operations, what))) return status;
    if (!is_dense && too_much_fill(solver, entries)) return start(solver, LINEAR_MUMPS);
    if (nodes) {
        status = start_blocks(solver, nodes, is_dense ? dense / DENSE_SPEED : sparse == LINEAR_KLU ? operations : -1);
        if (status || solver->info.backend == LINEAR_BLOCKS) return status;
    }
    if (is_dense) return start(solver, LINEAR_LAPACK);
    if (sparse != LINEAR_KLU) status = start(solver, sparse);
    solver->automatic = 1;
    return status;
}

/* nodes: NULL, or those of blocks, where the choice is automatic. */
static int create(taut_context *context, linear_backend backend, int n, const int *column_start, const int *row_index,
                  int symmetric, const linear_nodes *nodes, linear **result)
{
    *result = NULL;
    const int automatic = backend == LINEAR_AUTO || backend == LINEAR_AUTO_COLUMNS;
    if (!automatic && (!operations_of(backend) || !operations_of(backend)->create))
        return taut_fail(context, TAUT_BAD_USAGE, "there is no linear back end %d", (int)backend);
    int status = check_pattern(context, n, column_start, row_index);
    if (status) return status;
    linear *solver = taut_mem_new(context, 1, sizeof *solver);
    if (!solver) return TAUT_OUT_OF_MEMORY;
    solver->context = context;
    solver->info.deficient = solver->info.negative_pivots = -1;
    status = copy_pattern(solver, n, column_start, row_index, symmetric);
    /* nothing to solve: the sparse libraries refuse that, the small solver does not */
    if (!status && n == 0) status = start(solver, LINEAR_SMALL);
    else if (!status && automatic)
        status = start_automatic(solver, backend == LINEAR_AUTO ? LINEAR_KLU : LINEAR_KLU_COLUMNS, nodes);
    else if (!status) status = start(solver, backend);
    if (status) {
        taut_linear_destroy(solver);
        return status;
    }
    *result = solver;
    return TAUT_OK;
}

int taut_linear_create(taut_context *context, linear_backend backend, int n, const int *column_start,
                       const int *row_index, int symmetric, linear **result)
{
    return create(context, backend, n, column_start, row_index, symmetric, NULL, result);
}

int taut_linear_create_blocks(taut_context *context, linear_backend otherwise, int n, const int *column_start,
                              const int *row_index, const linear_nodes *nodes, linear **result)
{
    return create(context, otherwise, n, column_start, row_index, 0, nodes, result);
}

int taut_linear_create_like(const linear *like, linear **result)
{
    linear *solver = *result = taut_mem_new(like->context, 1, sizeof *solver);
    if (!solver) return TAUT_OUT_OF_MEMORY;
    *solver = *like;
    ++*solver->users;
    solver->state = NULL;
    solver->info = (linear_info){ .backend = like->info.backend, .deficient = -1, .negative_pivots = -1 };
    solver->factored = 0;
    solver->values = NULL;
    solver->same = NULL;
    const linear_operations *operations = like->operations;
    int status = operations->create_like ? operations->create_like(like->state, &solver->pattern, &solver->state)
                                         : operations->create(like->context, &solver->pattern, &solver->state);
    if (status) {
        taut_linear_destroy(solver);
        *result = NULL;
    }
    return status;
}

int taut_linear_value_order(linear *solver, const int **order)
{
    *order = NULL;
    return solver->operations == &taut_linear_ldl ? taut_ldl_value_order(solver->state, order) : TAUT_OK;
}

int taut_linear_small_pivots(linear *solver, const double *values, double limit, unsigned char *small)
{
    return taut_ldl_small_pivots(solver->state, values, limit, small);
}

const int *taut_linear_elimination(const linear *solver) { return taut_ldl_elimination(solver->state); }

void taut_linear_use(linear *solver, pool *p)
{
    if (solver->operations == &taut_linear_ldl) taut_ldl_use(solver->state, p);
}

/* Exchanging rows for pivots may have filled KLU's factors far beyond the forecast, or beyond what it can count. */
static int reconsider(linear *solver, const double *values, int status)
{
    linear_info *info = &solver->info;
    if (status != TAUT_UNSUPPORTED
        && (status || solver->settled || !too_much_fill(solver, (double)info->factor_nonzeros)))
        return status;
    solver->automatic = 0;
    int started = start(solver, LINEAR_MUMPS);
    if (started) return status; /* KLU is still there */
    return solver->operations->factor(solver->state, values, 1, info);
}

int taut_linear_factor(linear *solver, const double *values)
{
    const linear_operations *operations = solver->operations;
    linear_info *info = &solver->info;
    solver->factored = 0;
    info->deficient = info->negative_pivots = -1;
    if (!operations->checks_values && !taut_linear_finite(solver->pattern.entries, values))
        return taut_fail(solver->context, TAUT_NOT_FINITE, "the matrix holds a value that is not finite");
    int status = operations->factor(solver->state, values, solver->forget, info);
    if (solver->automatic) status = reconsider(solver, values, status);
    if (status) return status;
    solver->factored = 1;
    solver->forget = 0;
    return TAUT_OK;
}

int taut_linear_takes_lower(const linear *solver)
{
    return solver->operations == &taut_linear_ldl ? taut_ldl_takes_lower(solver->state) : 0;
}

int taut_linear_factor_lower(linear *solver, double *values)
{
    linear_info *info = &solver->info;
    solver->factored = 0;
    info->deficient = info->negative_pivots = -1;
    int status = taut_ldl_factor_lower(solver->state, values, info);
    if (!status) solver->factored = 1, solver->forget = 0;
    return status;
}

void taut_linear_settle(linear *solver, const double *values)
{
    if (!solver->automatic) return;
    linear_info before = solver->info;
    if (taut_linear_factor(solver, values) == TAUT_OK) before.backend = solver->info.backend;
    solver->info = before;
    solver->factored = 0;
    solver->settled = solver->forget = 1;
}

void taut_linear_forget(linear *solver)
{
    solver->forget = 1;
}

static int refuse(const linear *solver)
{
    return taut_fail(solver->context, TAUT_BAD_USAGE, "a linear system is solved before its matrix is factored");
}

int taut_linear_solve(linear *solver, double *b)
{
    if (!solver->factored) return refuse(solver);
    solver->info.solves++;
    return solver->operations->solve(solver->state, b);
}

int taut_linear_solve_transposed(linear *solver, double *b)
{
    if (!solver->factored) return refuse(solver);
    solver->info.solves++;
    return solver->operations->solve_transposed(solver->state, b);
}

static int has_places(const linear *solver) { return solver->operations == &taut_linear_blocks; }

int taut_linear_places(linear *solver, linear_places *places)
{
    const int n = solver->pattern.n, entries = solver->pattern.entries, most = n > entries ? n : entries;
    if (has_places(solver)) {
        taut_blocks_places(solver->state, places);
        return TAUT_OK;
    }
    if (!solver->values) solver->values = taut_mem_new(solver->context, (size_t)entries, sizeof *solver->values);
    if (!solver->same) solver->same = taut_mem_new(solver->context, (size_t)most, sizeof *solver->same);
    if (!solver->values || !solver->same) return TAUT_OUT_OF_MEMORY;
    for (int k = 0; k < most; k++) solver->same[k] = k;
    *places = (linear_places){ solver->same, solver->same, solver->same, entries, n };
    return TAUT_OK;
}

double *taut_linear_values(linear *solver)
{
    return has_places(solver) ? taut_blocks_values(solver->state) : solver->values;
}

double *taut_linear_begin(linear *solver)
{
    double *values = taut_linear_values(solver);
    linear_places places = { .value_count = solver->pattern.entries };
    if (has_places(solver)) taut_blocks_places(solver->state, &places);
    if (places.value_count) memset(values, 0, (size_t)places.value_count * sizeof *values);
    return values;
}

int taut_linear_factor_placed(linear *solver)
{
    linear_info *info = &solver->info;
    if (!has_places(solver)) return taut_linear_factor(solver, solver->values);
    info->deficient = info->negative_pivots = -1;
    const int status = taut_blocks_factor_placed(solver->state, info);
    solver->factored = !status;
    return status;
}

int taut_linear_solve_placed(linear *solver, double *x)
{
    if (!has_places(solver)) return taut_linear_solve(solver, x);
    if (!solver->factored) return refuse(solver);
    solver->info.solves++;
    return taut_blocks_solve_placed(solver->state, x);
}

const linear_info *taut_linear_status(const linear *solver)
{
    return &solver->info;
}

void taut_linear_destroy(linear *solver)
{
    if (!solver) return;
    if (solver->state) solver->operations->destroy(solver->state);
    if (!solver->users || --*solver->users == 0) {
        taut_mem_free(solver->context, solver->pattern.column_start);
        taut_mem_free(solver->context, solver->pattern.row_index);
        taut_mem_free(solver->context, solver->users);
    }
    taut_mem_free(solver->context, solver->values);
    taut_mem_free(solver->context, solver->same);
    taut_mem_free(solver->context, solver);
}
