#include "linalg/row_cuts.h"

#define REST_MOST 16 /* the part of the rows that may be left, one over this */

/* The piece that has all columns of a row, or -1. */
static int piece_of(const pattern *p, int row, uint32_t length)
{
    const int first = p->start[row], end = p->start[row + 1];
    if (first == end) return -1;
    const uint32_t low = (uint32_t)p->index[first] / length, high = (uint32_t)p->index[end - 1] / length;
    return low == high ? (int)low : -1;
}

/* One run of rows for each piece, the first one. Returns how many rows are in none. */
static size_t find_ranges(const pattern *p, uint32_t length, row_range *ranges)
{
    size_t rest = 0;
    for (int k = 0; k < p->rows; k++) {
        int piece = piece_of(p, k, length);
        row_range *r = piece < 0 ? NULL : &ranges[piece];
        if (r && r->end == 0)
            *r = (row_range){ (uint32_t)k, (uint32_t)k + 1 };
        else if (r && r->end == (uint32_t)k)
            r->end++;
        else
            rest++;
    }
    return rest;
}

/* The rows that are in no range, in order; counts only when rest is NULL. */
static int find_rest(const pattern *p, uint32_t length, const row_range *ranges, row_range *rest)
{
    int count = 0, open = 0;
    for (int k = 0; k < p->rows; k++) {
        const int piece = piece_of(p, k, length);
        const uint32_t row = (uint32_t)k;
        if (piece >= 0 && ranges[piece].first <= row && row < ranges[piece].end) {
            open = 0;
            continue;
        }
        if (!open) count++;
        if (rest && !open) rest[count - 1].first = row;
        if (rest) rest[count - 1].end = row + 1;
        open = 1;
    }
    return count;
}

int taut_row_cuts_find(taut_context *context, const pattern *p, uint32_t length, row_cuts *result)
{
    *result = (row_cuts){ .pieces = (int)(((uint32_t)p->columns + length - 1) / length) };
    if (result->pieces < 2) return TAUT_OK;
    result->ranges = taut_mem_new(context, (size_t)result->pieces, sizeof *result->ranges);
    if (!result->ranges) return TAUT_OUT_OF_MEMORY;
    if (find_ranges(p, length, result->ranges) > (size_t)p->rows / REST_MOST) {
        taut_row_cuts_clear(context, result);
        return TAUT_OK;
    }
    result->rest_count = find_rest(p, length, result->ranges, NULL);
    result->rest = taut_mem_new(context, (size_t)result->rest_count, sizeof *result->rest);
    if (!result->rest) {
        taut_row_cuts_clear(context, result);
        return TAUT_OUT_OF_MEMORY;
    }
    find_rest(p, length, result->ranges, result->rest);
    return TAUT_OK;
}

void taut_row_cuts_clear(taut_context *context, row_cuts *c)
{
    taut_mem_free(context, c->ranges);
    taut_mem_free(context, c->rest);
    *c = (row_cuts){ 0 };
}
