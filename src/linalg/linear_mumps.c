/* The back end for large fill: MUMPS, multifrontal, sequential, loaded when it is needed. It sees the triplets of the
   transposed matrix: it names null pivots by row, and linear.h names columns. */
#include <dmumps_c.h>
#include <math.h>

#include "linalg/exclusive.h"
#include "linalg/library.h"
#include "linalg/linear_backend.h"

enum { JOB_BEGIN = -1, JOB_END = -2, JOB_ANALYSE = 1, JOB_FACTOR = 2, JOB_SOLVE = 3 };
enum { COMM_WORLD = -987654 }; /* MUMPS's name for "the default communicator" */
enum { MEMORY_ATTEMPTS = 12 };

/* As in MUMPS's manual, which counts from 1. */
#define ICNTL(i) icntl[(i) - 1]
#define CNTL(i) cntl[(i) - 1]
#define INFOG(i) infog[(i) - 1]
#define RINFOG(i) rinfog[(i) - 1]

typedef struct {
    taut_context *context;
    const linear_pattern *pattern;
    struct {
        __typeof__(&dmumps_c) dmumps_c;
    } library;
    DMUMPS_STRUC_C mumps;
    int begun, symmetric;
    int *row, *column, *source; /* triplets of the transposed matrix, counted from 1; their place among the values */
    double *values;
} mumps;

static void call(mumps *s, int job)
{
    s->mumps.job = job;
    taut_exclusive_begin();
    s->library.dmumps_c(&s->mumps);
    taut_exclusive_end();
}

static void mumps_destroy(void *state)
{
    mumps *s = state;
    if (!s) return;
    if (s->begun) call(s, JOB_END);
    taut_mem_free(s->context, s->row);
    taut_mem_free(s->context, s->column);
    taut_mem_free(s->context, s->source);
    taut_mem_free(s->context, s->values);
    taut_mem_free(s->context, s);
}

static int mumps_failure(const mumps *s)
{
    int code = s->mumps.INFOG(1);
    /* -5, -7, -13: allocations; -8, -9 and their kin: the workspace was too small, even after all attempts */
    if (code == -5 || code == -7 || code == -8 || code == -9 || code == -13 || code == -14 || code == -15
        || code == -19)
        return taut_fail(s->context, TAUT_OUT_OF_MEMORY, "out of memory in MUMPS (%d, %d)", code, s->mumps.INFOG(2));
    return taut_fail(s->context, TAUT_UNSUPPORTED, "MUMPS fails (%d, %d)", code, s->mumps.INFOG(2));
}

/* Whether the transposed pattern equals the pattern; column j's next unseen row is found by walking the columns in
   order. seen has n entries. */
static int pattern_symmetric(const linear_pattern *pattern, int *seen)
{
    const int *start = pattern->column_start;
    for (int j = 0; j < pattern->n; j++) seen[j] = start[j];
    for (int j = 0; j < pattern->n; j++)
        for (int p = start[j]; p < start[j + 1]; p++) {
            int i = pattern->row_index[p];
            if (seen[i] == start[i + 1] || pattern->row_index[seen[i]] != j) return 0;
            seen[i]++;
        }
    return 1;
}

/* Fills the triplets: all of them, or one triangle. */
static void fill_triplets(mumps *s)
{
    const linear_pattern *pattern = s->pattern;
    int count = 0;
    for (int j = 0; j < pattern->n; j++)
        for (int p = pattern->column_start[j]; p < pattern->column_start[j + 1]; p++) {
            if (s->symmetric && pattern->row_index[p] < j) continue;
            s->row[count] = j + 1;
            s->column[count] = pattern->row_index[p] + 1;
            s->source[count++] = p;
        }
    s->mumps.n = pattern->n;
    s->mumps.nnz = count;
    s->mumps.irn = s->row;
    s->mumps.jcn = s->column;
    s->mumps.a = s->values;
}

static void set_controls(DMUMPS_STRUC_C *m, int matching)
{
    m->ICNTL(1) = m->ICNTL(2) = m->ICNTL(3) = -1; /* no output */
    m->ICNTL(4) = 0;
    /* Approximate minimum fill. SCOTCH, the default, orders the same matrix differently every time it is called; PORD
       ends the process on some small graphs. */
    m->ICNTL(7) = 2;
    m->ICNTL(28) = 1; /* sequential analysis */
    /* Zeros are moved off the diagonal by the pattern alone: others would make the analysis depend on values */
    m->ICNTL(6) = matching;
    m->ICNTL(12) = 1;
    /* Pivots of a tenth of the best at least: against the default, 0.01, a few per cent more fill for three digits less
       growth. Symmetric pivoting (1x1 and 2x2) grows less by itself */
    if (!m->sym) m->CNTL(1) = 0.1;
    m->ICNTL(24) = 1; /* null pivots are detected and listed */
    m->CNTL(3) = LINEAR_SINGULAR;
}

static int load(mumps *s)
{
    static const library_function functions[] = { { "dmumps_c", 0 } };
    return taut_library_load(s->context, "MUMPS", TAUT_MUMPS_FILE, functions, 1, &s->library);
}

static int analyse(mumps *s)
{
    DMUMPS_STRUC_C *m = &s->mumps;
    s->symmetric = s->pattern->symmetric && pattern_symmetric(s->pattern, s->row);
    m->sym = s->symmetric ? 2 : 0;
    m->par = 1;
    m->comm_fortran = COMM_WORLD;
    call(s, JOB_BEGIN);
    if (m->INFOG(1) < 0) return mumps_failure(s);
    s->begun = 1;
    /* On a structurally singular matrix MUMPS's matching fails, and leaks; without it the factorisation names the
       column */
    set_controls(m, !s->symmetric && taut_linear_klu_matches(s->pattern));
    fill_triplets(s);
    call(s, JOB_ANALYSE);
    return m->INFOG(1) < 0 ? mumps_failure(s) : TAUT_OK;
}

static int mumps_create(taut_context *context, const linear_pattern *pattern, void **state)
{
    size_t entries = (size_t)pattern->entries, n = (size_t)pattern->n;
    *state = NULL;
    mumps *s = taut_mem_new(context, 1, sizeof *s);
    if (!s) return TAUT_OUT_OF_MEMORY;
    s->context = context;
    s->pattern = pattern;
    s->row = taut_mem_new(context, entries > n ? entries : n, sizeof *s->row);
    s->column = taut_mem_new(context, entries, sizeof *s->column);
    s->source = taut_mem_new(context, entries, sizeof *s->source);
    s->values = taut_mem_new(context, entries, sizeof *s->values);
    int status = s->row && s->column && s->source && s->values ? load(s) : TAUT_OUT_OF_MEMORY;
    if (!status) status = analyse(s);
    if (status) {
        mumps_destroy(s);
        return status;
    }
    *state = s;
    return TAUT_OK;
}

static int mumps_factor(void *state, const double *values, int anew, linear_info *info)
{
    (void)anew;
    mumps *s = state;
    DMUMPS_STRUC_C *m = &s->mumps;
    for (long i = 0; i < m->nnz; i++) s->values[i] = values[s->source[i]];
    for (int attempt = 0; attempt < MEMORY_ATTEMPTS; attempt++) {
        call(s, JOB_FACTOR);
        if (m->INFOG(1) != -8 && m->INFOG(1) != -9) break;
        m->ICNTL(14) += m->ICNTL(14) > 20 ? m->ICNTL(14) : 20; /* per cent on top of the forecast */
    }
    info->factorisations++;
    if (m->INFOG(1) == -10) return taut_linear_singular(s->context, info, -1);
    if (m->INFOG(1) < 0) return mumps_failure(s);
    if (m->INFOG(28) > 0) return taut_linear_singular(s->context, info, m->pivnul_list[0] - 1);
    /* counts beyond the range of int are given in millions, negative */
    info->factor_nonzeros = m->INFOG(29) < 0 ? -1000000L * m->INFOG(29) : m->INFOG(29);
    info->pivot_growth = 0; /* not measured; MUMPS pivots by threshold, which bounds it */
    info->smallest_pivot = m->RINFOG(21) > 0 ? m->RINFOG(20) / m->RINFOG(21) : 1;
    if (s->symmetric) info->negative_pivots = m->INFOG(12);
    return TAUT_OK;
}

static int apply(mumps *s, double *b, int transposed)
{
    DMUMPS_STRUC_C *m = &s->mumps;
    m->ICNTL(9) = transposed; /* 1: the matrix it was given, which is the transposed one */
    m->rhs = b;
    call(s, JOB_SOLVE);
    m->rhs = NULL;
    return m->INFOG(1) < 0 ? mumps_failure(s) : TAUT_OK;
}

static int mumps_solve(void *state, double *b)
{
    return apply(state, b, 0);
}

static int mumps_solve_transposed(void *state, double *b)
{
    return apply(state, b, 1);
}

const linear_operations taut_linear_mumps = { "mumps",     mumps_create,           mumps_factor,
                                         mumps_solve, mumps_solve_transposed, mumps_destroy, 0, NULL };
