#include "linalg/pattern.h"

#include <stdlib.h>
#include <string.h>

#include "base/budget.h"

#define SORTED 16 /* operations for an entry of a row that is sorted */

static pattern *allocate(taut_context *context, int rows, int columns, size_t entries)
{
    pattern *p = taut_mem_new(context, 1, sizeof *p);
    if (!p) return NULL;
    p->rows = rows;
    p->columns = columns;
    p->start = taut_mem_new(context, (size_t)rows + 1, sizeof *p->start);
    p->index = taut_mem_new(context, entries, sizeof *p->index);
    if (!p->start || !p->index) {
        taut_pattern_destroy(context, p);
        return NULL;
    }
    return p;
}

void taut_pattern_destroy(taut_context *context, pattern *p)
{
    if (!p) return;
    taut_mem_free(context, p->start);
    taut_mem_free(context, p->index);
    taut_mem_free(context, p);
}

int taut_pattern_copy(taut_context *context, const pattern *from, pattern **result)
{
    const size_t entries = (size_t)pattern_entries(from);
    pattern *p = *result = allocate(context, from->rows, from->columns, entries);
    if (!p) return TAUT_OUT_OF_MEMORY;
    memcpy(p->start, from->start, ((size_t)from->rows + 1) * sizeof *p->start);
    if (entries) memcpy(p->index, from->index, entries * sizeof *p->index);
    return TAUT_OK;
}

int taut_pattern_identity(taut_context *context, int size, pattern **result)
{
    pattern *p = allocate(context, size, size, (size_t)size);
    *result = p;
    if (!p) return TAUT_OUT_OF_MEMORY;
    for (int i = 0; i < size; i++) p->index[i] = p->start[i] = i;
    p->start[size] = size;
    return TAUT_OK;
}

static int compare(const void *x, const void *y)
{
    int a = *(const int *)x, b = *(const int *)y;
    return (a > b) - (a < b);
}

/* Short rows are the rule: insertion sort up to a few dozen entries. */
static void sort_row(int *index, int count)
{
    if (count > 48) {
        qsort(index, (size_t)count, sizeof *index, compare);
        return;
    }
    for (int i = 1; i < count; i++) {
        int value = index[i], j = i;
        for (; j > 0 && index[j - 1] > value; j--) index[j] = index[j - 1];
        index[j] = value;
    }
}

/* Drops repetitions and sorts every row, in place. mark: a zero for each column. */
static void tidy(pattern *p, int *mark)
{
    int out = 0;
    for (int r = 0; r < p->rows; r++) {
        const int begin = p->start[r], end = p->start[r + 1];
        p->start[r] = out;
        for (int k = begin; k < end; k++) { /* out <= k: what is overwritten was read */
            const int column = p->index[k];
            if (mark[column] == r + 1) continue;
            mark[column] = r + 1;
            p->index[out++] = column;
        }
        sort_row(p->index + p->start[r], out - p->start[r]);
    }
    p->start[p->rows] = out;
}

int taut_pattern_create(taut_context *context, int rows, int columns, const int *row, const int *column, size_t count,
                   pattern **result)
{
    *result = NULL;
    if (count > INT32_MAX)
        return taut_fail(context, TAUT_UNSUPPORTED, "a sparse matrix with %zu entries is beyond the limit of 2^31",
                         count);
    pattern *p = allocate(context, rows, columns, count);
    int *mark = taut_mem_new(context, (size_t)columns, sizeof *mark);
    if (!p || !mark) {
        taut_pattern_destroy(context, p);
        taut_mem_free(context, mark);
        return TAUT_OUT_OF_MEMORY;
    }
    for (size_t k = 0; k < count; k++) p->start[row[k] + 1]++;
    for (int r = 0; r < rows; r++) p->start[r + 1] += p->start[r];
    for (size_t k = 0; k < count; k++) p->index[p->start[row[k]]++] = column[k];
    for (int r = rows; r > 0; r--) p->start[r] = p->start[r - 1];
    p->start[0] = 0;
    tidy(p, mark);
    taut_mem_free(context, mark);
    taut_mem_trim(context, &p->index, &count, (size_t)pattern_entries(p), sizeof *p->index);
    *result = p;
    return TAUT_OK;
}

/* Row i of the product, with the columns at most once: marked by i + 1. Returns their number; row may be NULL. */
static int product_row(const pattern *a, const pattern *b, int i, int *mark, int *row, size_t *looked)
{
    int count = 0;
    for (int e = a->start[i]; e < a->start[i + 1]; e++) {
        const int begin = b->start[a->index[e]], end = b->start[a->index[e] + 1];
        *looked += (size_t)(end - begin);
        for (int f = begin; f < end; f++) {
            int column = b->index[f];
            if (mark[column] == i + 1) continue;
            mark[column] = i + 1;
            if (row) row[count] = column;
            count++;
        }
    }
    return count;
}

static int count_product(taut_context *context, const pattern *a, const pattern *b, int *mark, size_t *count)
{
    size_t done = 0;
    int status = TAUT_OK;
    for (int i = 0; !status && i < a->rows; i++) {
        size_t looked = 1;
        *count += (size_t)product_row(a, b, i, mark, NULL, &looked);
        status = taut_budget_count(context, &done, looked);
    }
    if (!status && *count > INT32_MAX)
        status = taut_fail(context, TAUT_UNSUPPORTED, "a sparse matrix with %zu entries is beyond the limit of 2^31",
                           *count);
    return status;
}

static int fill_product(taut_context *context, const pattern *a, const pattern *b, int *mark, pattern *p)
{
    size_t done = 0;
    int status = TAUT_OK;
    memset(mark, 0, (size_t)b->columns * sizeof *mark);
    for (int i = 0; !status && i < a->rows; i++) {
        size_t looked = 1;
        int *row = p->index + p->start[i], size = product_row(a, b, i, mark, row, &looked);
        sort_row(row, size);
        p->start[i + 1] = p->start[i] + size;
        status = taut_budget_count(context, &done, looked + SORTED * (size_t)size);
    }
    return status;
}

int taut_pattern_product(taut_context *context, const pattern *a, const pattern *b, pattern **result)
{
    size_t count = 0;
    int *mark = taut_mem_new(context, (size_t)b->columns, sizeof *mark);
    *result = NULL;
    if (!mark) return TAUT_OUT_OF_MEMORY;
    int status = count_product(context, a, b, mark, &count);
    pattern *p = status ? NULL : allocate(context, a->rows, b->columns, count);
    if (!status) status = p ? fill_product(context, a, b, mark, p) : TAUT_OUT_OF_MEMORY;
    taut_mem_free(context, mark);
    if (status)
        taut_pattern_destroy(context, p);
    else
        *result = p;
    return status;
}

int taut_pattern_find(const pattern *p, int row, int column)
{
    int low = p->start[row], high = p->start[row + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (p->index[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low < p->start[row + 1] && p->index[low] == column ? low : -1;
}

int taut_pattern_transpose(taut_context *context, const pattern *p, pattern **result, int **from)
{
    int entries = pattern_entries(p);
    pattern *t = allocate(context, p->columns, p->rows, (size_t)entries);
    int *origin = from ? taut_mem_new(context, (size_t)entries, sizeof *origin) : NULL;
    *result = NULL;
    if (!t || (from && !origin)) {
        taut_pattern_destroy(context, t);
        taut_mem_free(context, origin);
        return TAUT_OUT_OF_MEMORY;
    }
    for (int k = 0; k < entries; k++) t->start[p->index[k] + 1]++;
    for (int r = 0; r < t->rows; r++) t->start[r + 1] += t->start[r];
    for (int r = 0; r < p->rows; r++)
        for (int k = p->start[r]; k < p->start[r + 1]; k++) {
            int place = t->start[p->index[k]]++;
            t->index[place] = r;
            if (origin) origin[place] = k;
        }
    for (int r = t->rows; r > 0; r--) t->start[r] = t->start[r - 1];
    t->start[0] = 0;
    *result = t;
    if (from) *from = origin;
    return TAUT_OK;
}
