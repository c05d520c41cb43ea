/* The symbolic half of the LDL back end: the union of the pattern and its transpose, the order of elimination, the
   pattern of L. Linear in the entries of the matrix and of L; no recursion, chains of a million unknowns are common.
   After Davis, Direct Methods for Sparse Linear Systems, chapter 4. */
#include <amd.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/budget.h"
#include "linalg/linear_ldl.h"

/* The pattern by rows: for each row its columns, ascending, and the place of the entry among the values. */
typedef struct {
    int *start, *column, *place;
} by_rows;

/* counts[k+1] holds how many entries list k has; afterwards counts[k] is where list k starts. */
static void sum_up(int n, int *counts)
{
    for (int k = 0; k < n; k++) counts[k + 1] += counts[k];
}

static void transpose(const linear_pattern *pattern, by_rows *rows, int *next)
{
    const int n = pattern->n;
    for (int p = 0; p < pattern->entries; p++) rows->start[pattern->row_index[p] + 1]++;
    sum_up(n, rows->start);
    memcpy(next, rows->start, (size_t)n * sizeof *next);
    for (int j = 0; j < n; j++)
        for (int p = pattern->column_start[j]; p < pattern->column_start[j + 1]; p++) {
            int slot = next[pattern->row_index[p]]++;
            rows->column[slot] = j;
            rows->place[slot] = p;
        }
}

/* Merges column k above the diagonal with row k left of it into the sources of row k, natural order. source NULL:
   counts only. Returns the number of sources. */
static int merge(const linear_pattern *pattern, const by_rows *rows, int k, ldl_source *source, int *diagonal)
{
    int p = pattern->column_start[k], p_end = pattern->column_start[k + 1];
    int q = rows->start[k], q_end = rows->start[k + 1], count = 0;
    for (;;) {
        int above = p < p_end && pattern->row_index[p] < k ? pattern->row_index[p] : INT_MAX;
        int left = q < q_end && rows->column[q] < k ? rows->column[q] : INT_MAX;
        int column = above < left ? above : left;
        if (column == INT_MAX) break;
        ldl_source entry = { column, -1, -1 };
        if (left == column) entry.lower = rows->place[q++];
        if (above == column) entry.upper = p++;
        if (source) source[count] = entry;
        count++;
    }
    *diagonal = p < p_end && pattern->row_index[p] == k ? p : -1;
    return count;
}

static void free_sources(taut_context *context, ldl_sources *a)
{
    taut_mem_free(context, a->diagonal);
    taut_mem_free(context, a->start);
    taut_mem_free(context, a->entry);
    *a = (ldl_sources){ NULL, NULL, NULL };
}

static int gather(ldl *s, const by_rows *rows)
{
    const int n = s->n;
    ldl_sources *a = &s->sources;
    a->diagonal = taut_mem_new(s->context, (size_t)n, sizeof *a->diagonal);
    a->start = taut_mem_new(s->context, (size_t)n + 1, sizeof *a->start);
    if (!a->diagonal || !a->start) return TAUT_OUT_OF_MEMORY;
    for (int k = 0; k < n; k++) a->start[k + 1] = merge(s->pattern, rows, k, NULL, &a->diagonal[k]);
    sum_up(n, a->start);
    a->entry = taut_mem_new(s->context, (size_t)a->start[n], sizeof *a->entry);
    if (!a->entry) return TAUT_OUT_OF_MEMORY;
    for (int k = 0; k < n; k++) merge(s->pattern, rows, k, a->entry + a->start[k], &a->diagonal[k]);
    return TAUT_OK;
}

static int form_union(ldl *s, int *work)
{
    taut_context *context = s->context;
    size_t n = (size_t)s->n, entries = (size_t)s->pattern->entries;
    by_rows rows = { taut_mem_new(context, n + 1, sizeof(int)), taut_mem_new(context, entries, sizeof(int)),
                     taut_mem_new(context, entries, sizeof(int)) };
    int status = TAUT_OUT_OF_MEMORY;
    if (rows.start && rows.column && rows.place) {
        transpose(s->pattern, &rows, work);
        status = gather(s, &rows);
    }
    taut_mem_free(context, rows.start);
    taut_mem_free(context, rows.column);
    taut_mem_free(context, rows.place);
    return status;
}

/* The same entries in the order of elimination. A pair whose two unknowns change places changes triangles. */
static int permute(taut_context *context, int n, const ldl_sources *a, const int *position, ldl_sources *permuted)
{
    permuted->diagonal = taut_mem_new(context, (size_t)n, sizeof *permuted->diagonal);
    permuted->start = taut_mem_new(context, (size_t)n + 2, sizeof *permuted->start);
    permuted->entry = taut_mem_new(context, (size_t)a->start[n], sizeof *permuted->entry);
    if (!permuted->diagonal || !permuted->start || !permuted->entry) return TAUT_OUT_OF_MEMORY;
    /* counted one place further ahead than usual: filling list k then moves start[k+1] from its head to its end */
    for (int k = 0; k < n; k++)
        for (int p = a->start[k]; p < a->start[k + 1]; p++) {
            int row = position[k], column = position[a->entry[p].column];
            permuted->start[(row > column ? row : column) + 2]++;
        }
    sum_up(n, permuted->start + 1);
    for (int k = 0; k < n; k++) {
        permuted->diagonal[position[k]] = a->diagonal[k];
        for (int p = a->start[k]; p < a->start[k + 1]; p++) {
            ldl_source old = a->entry[p];
            int row = position[k], column = position[old.column];
            ldl_source new = { column, old.lower, old.upper }, mirrored = { row, old.upper, old.lower };
            if (row > column) permuted->entry[permuted->start[row + 1]++] = new;
            else permuted->entry[permuted->start[column + 1]++] = mirrored;
        }
    }
    return TAUT_OK;
}

/* The elimination tree and the sizes of L; n entries each. */
typedef struct {
    int *parent, *seen, *row_count, *column_count;
} tree;

/* parent[j] is the first row below the diagonal of column j of L. */
static void elimination_tree(int n, const ldl_sources *a, tree *t)
{
    int *ancestor = t->seen;
    for (int k = 0; k < n; k++) {
        t->parent[k] = ancestor[k] = -1;
        for (int p = a->start[k]; p < a->start[k + 1]; p++)
            for (int j = a->entry[p].column; j != -1 && j < k;) {
                int next = ancestor[j];
                ancestor[j] = k; /* shortens the path for later rows */
                if (next == -1) t->parent[j] = k;
                j = next;
            }
    }
}

/* Counts the entries of L, by rows and columns: row k of L holds the nodes on the tree's paths from the row's sources
   up to k. Returns the total, or -1 as soon as there are more than limit. */
static long count_entries(int n, const ldl_sources *a, tree *t, long limit)
{
    long total = 0;
    elimination_tree(n, a, t);
    for (int k = 0; k < n; k++) {
        t->row_count[k] = t->column_count[k] = 0;
        t->seen[k] = k;
        for (int p = a->start[k]; p < a->start[k + 1]; p++)
            for (int j = a->entry[p].column; t->seen[j] != k; j = t->parent[j]) {
                t->seen[j] = k;
                t->row_count[k]++;
                t->column_count[j]++;
                if (++total > limit) return -1;
            }
    }
    return total;
}

static int order_by_amd(ldl *s, int *position)
{
    s->order = taut_mem_new(s->context, (size_t)s->n, sizeof *s->order);
    if (!s->order) return TAUT_OUT_OF_MEMORY;
    int code = amd_order(s->n, s->pattern->column_start, s->pattern->row_index, s->order, NULL, NULL);
    if (code == AMD_OUT_OF_MEMORY) return taut_fail(s->context, TAUT_OUT_OF_MEMORY, "out of memory in AMD");
    if (code < 0) return taut_fail(s->context, TAUT_BAD_USAGE, "AMD refuses the pattern");
    for (int k = 0; k < s->n; k++) position[s->order[k]] = k;
    return TAUT_OK;
}

/* Leaves sources, tree and counts in the better order; *total entries of L. The natural order is taken without a look
   at AMD when it has no fill, as a chain numbered from end to end: neighbours in memory stay neighbours. */
static int choose_order(ldl *s, tree *t, long *total)
{
    const int n = s->n;
    *total = count_entries(n, &s->sources, t, s->sources.start[n]);
    if (*total >= 0) return TAUT_OK;

    ldl_sources permuted = { NULL, NULL, NULL };
    int status = order_by_amd(s, t->parent);
    if (!status) status = permute(s->context, n, &s->sources, t->parent, &permuted);
    if (!status) {
        const long most = INT_MAX - 1;
        long by_amd = count_entries(n, &permuted, t, most);
        *total = count_entries(n, &s->sources, t, by_amd >= 0 ? by_amd : most);
        if (*total >= 0) { /* natural after all */
            taut_mem_free(s->context, s->order);
            s->order = NULL;
        } else if (by_amd < 0) {
            status = taut_fail(s->context, TAUT_UNSUPPORTED, "LDL fills too much with these %d unknowns; try MUMPS", n);
        } else {
            ldl_sources natural = s->sources;
            s->sources = permuted;
            permuted = natural;
            *total = count_entries(n, &s->sources, t, by_amd);
        }
    }
    free_sources(s->context, &permuted);
    return status;
}

/* Columns first: rows arrive in ascending order. Then rows from columns: their columns ascend as well. */
static void fill_pattern(ldl *s, tree *t)
{
    const int n = s->n;
    const ldl_sources *a = &s->sources;
    for (int k = 0; k < n; k++) {
        s->row_start[k + 1] = s->row_start[k] + t->row_count[k];
        s->column_start[k + 1] = s->column_start[k] + t->column_count[k];
    }
    int *next = t->column_count;
    memcpy(next, s->column_start, (size_t)n * sizeof *next);
    for (int k = 0; k < n; k++) {
        t->seen[k] = k;
        for (int p = a->start[k]; p < a->start[k + 1]; p++)
            for (int j = a->entry[p].column; t->seen[j] != k; j = t->parent[j]) {
                t->seen[j] = k;
                s->row_index[next[j]++] = k;
            }
    }
    next = t->row_count;
    memcpy(next, s->row_start, (size_t)n * sizeof *next);
    for (int j = 0; j < n; j++)
        for (int slot = s->column_start[j]; slot < s->column_start[j + 1]; slot++)
            s->row[next[s->row_index[slot]]++] = (ldl_link){ j, slot };
}

/* Of an elimination, by the entries of the columns of L. */
static int check_work(const ldl *s, const tree *t)
{
    char what[60];
    double operations = 0;
    for (int k = 0; k < s->n; k++) operations += (double)t->column_count[k] * (double)t->column_count[k];
    snprintf(what, sizeof what, "a matrix of %d rows", s->n);
    return taut_budget_work(s->context, operations, what);
}

static int analyse_with(ldl *s, tree *t)
{
    taut_context *context = s->context;
    size_t n = (size_t)s->n;
    long total = 0;
    if (!t->parent || !t->seen || !t->row_count || !t->column_count) return TAUT_OUT_OF_MEMORY;
    int status = form_union(s, t->seen);
    if (!status) status = choose_order(s, t, &total);
    if (!status) status = check_work(s, t);
    if (status) return status;
    s->row_start = taut_mem_new(context, n + 1, sizeof *s->row_start);
    s->column_start = taut_mem_new(context, n + 1, sizeof *s->column_start);
    s->row = taut_mem_new(context, (size_t)total, sizeof *s->row);
    s->row_index = taut_mem_new(context, (size_t)total, sizeof *s->row_index);
    if (!s->row_start || !s->column_start || !s->row || !s->row_index) return TAUT_OUT_OF_MEMORY;
    fill_pattern(s, t);
    return TAUT_OK;
}

int taut_ldl_analyse(ldl *s)
{
    taut_context *context = s->context;
    size_t n = (size_t)s->n;
    tree t = { taut_mem_new(context, n, sizeof(int)), taut_mem_new(context, n, sizeof(int)),
               taut_mem_new(context, n, sizeof(int)), taut_mem_new(context, n, sizeof(int)) };
    int status = analyse_with(s, &t);
    taut_mem_free(context, t.parent);
    taut_mem_free(context, t.seen);
    taut_mem_free(context, t.row_count);
    taut_mem_free(context, t.column_count);
    return status;
}
