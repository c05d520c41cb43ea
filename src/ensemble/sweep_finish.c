/* Statistics of a sweep, from what its file has: sums of all members, the values of some at all moments, and the kept
   values of all. */
#include <string.h>

#include "ensemble/summary.h"
#include "ensemble/sweep_inside.h"

enum { PIECE = 4096 };

typedef struct {
    taut_context *context;
    record *r;
    sweep_writer *to;
    unsigned stats;
    sweep_moment *moments;   size_t moment_count, moment_capacity;
    size_t varied, columns, kept_count;
    statistics sums;
    double *paths;           size_t path_count, path_capacity;
    double *column;          size_t column_capacity; /* values of a cell */
    long members;
} reader;

static int count_varied(void *user, const sweep_varied *v)
{
    (void)v;
    ((reader *)user)->varied++;
    return TAUT_OK;
}

static int take_moment(void *user, const sweep_moment *m)
{
    reader *z = user;
    int status = taut_mem_grow(z->context, &z->moments, &z->moment_capacity, z->moment_count + 1, sizeof *z->moments);
    if (status) return status;
    z->moments[z->moment_count++] = *m;
    z->kept_count += m->kept != 0;
    return TAUT_OK;
}

static int take_sums(void *user, uint64_t first, uint64_t last, const void *bytes, size_t size)
{
    (void)first, (void)last;
    return taut_statistics_unpack(&((reader *)user)->sums, bytes, size);
}

static int take_path(void *user, uint64_t member, const double *values, size_t count)
{
    reader *z = user;
    const size_t width = z->moment_count * z->columns;
    (void)member;
    if (count != width) return taut_fail(z->context, TAUT_CANNOT_READ, "the file is damaged: a path is too short");
    int status = taut_mem_grow(z->context, &z->paths, &z->path_capacity, mem_product(z->path_count + 1, width),
                               sizeof *z->paths);
    if (status) return status;
    memcpy(z->paths + z->path_count++ * width, values, width * sizeof *values);
    return TAUT_OK;
}

/* The values of a column at a moment: of all members where they are kept, otherwise of those with paths. */
static int column_values(reader *z, size_t moment, size_t column, size_t *count)
{
    const size_t width = z->moment_count * z->columns;
    const long frames = taut_record_frame_count(z->r);
    *count = 0;
    if (!z->moments[moment].kept || z->path_count == (size_t)z->members || frames > SWEEP_FRAMES_MOST) {
        int status = taut_mem_grow(z->context, &z->column, &z->column_capacity, z->path_count + 1, sizeof *z->column);
        for (size_t i = 0; !status && i < z->path_count; i++)
            z->column[(*count)++] = z->paths[i * width + moment * z->columns + column];
        return status;
    }
    size_t rank = 0;
    for (size_t k = 0; k < moment; k++) rank += z->moments[k].kept != 0;
    int status =
        taut_mem_grow(z->context, &z->column, &z->column_capacity, (size_t)z->members + PIECE, sizeof *z->column);
    const size_t wanted = 1 + z->varied + column;
    for (long at = 0; !status && at < frames; at += PIECE) { /* a member's frames follow each other */
        const long some = frames - at < PIECE ? frames - at : PIECE;
        double values[PIECE];
        status = taut_record_read(z->r, at, some, &wanted, 1, values);
        for (long i = 0; !status && i < some; i++)
            if ((size_t)(at + i) % z->kept_count == rank && *count < (size_t)z->members)
                z->column[(*count)++] = values[i];
    }
    return status;
}

static int put_cell(reader *z, size_t moment, size_t column)
{
    summary found;
    size_t count = 0;
    int status = TAUT_OK;
    if (z->stats & (STATS_QUANTILES | STATS_HISTOGRAM)) status = column_values(z, moment, column, &count);
    if (status) return status;
    taut_summary_make(z->stats, &z->sums.cells[moment * z->columns + column], z->column, count, &found);
    const sweep_statistic x = { .moment = moment, .column = column, .count = found.count, .mean = found.mean,
                                .sd = found.sd, .lowest = found.lowest, .highest = found.highest,
                                .quantiles = z->stats & STATS_QUANTILES ? found.quantiles : NULL };
    status = taut_sweep_statistic(z->to, &x);
    if (!status && found.bins)
        status = taut_sweep_histogram(z->to, moment, column, found.low, found.high, found.counts, found.bins);
    return status;
}

static int read_all(reader *z)
{
    int status = taut_sweep_read_varied(z->r, count_varied, z);
    if (!status) status = taut_sweep_read_moments(z->r, take_moment, z);
    if (status) return status;
    z->columns = taut_record_column_count(z->r) - 1 - z->varied;
    z->members = z->kept_count ? taut_record_frame_count(z->r) / (long)z->kept_count : 0;
    status = taut_statistics_create(z->context, z->moment_count * z->columns, &z->sums);
    if (!status) status = taut_sweep_read_sums(z->r, take_sums, z);
    if (!status && z->stats & (STATS_QUANTILES | STATS_HISTOGRAM)) status = taut_sweep_read_paths(z->r, take_path, z);
    return status;
}

int taut_sweep_summarise(taut_context *context, const char *path, sweep_writer *to, unsigned stats)
{
    reader z = { .context = context, .to = to, .stats = stats };
    int status = taut_sweep_forget(to);
    if (status || !stats) return status;
    status = taut_record_open(context, path, &z.r);
    if (!status) status = read_all(&z);
    for (size_t k = 0; !status && k < z.moment_count; k++)
        for (size_t i = 0; !status && i < z.columns; i++) status = put_cell(&z, k, i);
    taut_record_close(z.r);
    taut_statistics_clear(&z.sums);
    taut_mem_free(context, z.moments);
    taut_mem_free(context, z.paths);
    taut_mem_free(context, z.column);
    return status;
}
