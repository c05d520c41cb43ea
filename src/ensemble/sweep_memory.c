/* A sweep without a file: the values that quantiles and histograms are made of, as in sweep_finish.c. */
#include <string.h>

#include "ensemble/sweep_inside.h"

void taut_sweep_memory_clear(sweep *s)
{
    taut_mem_free(s->context, s->paths);
    taut_mem_free(s->context, s->kept);
    taut_mem_free(s->context, s->column);
    s->paths = s->kept = s->column = NULL;
}

static int needs_values(const sweep *s) { return (s->spec.stats & (STATS_QUANTILES | STATS_HISTOGRAM)) != 0; }

/* Are the kept values of all members in memory? Otherwise the paths are all that there is. */
static int keeps_all(const sweep *s)
{
    const uint64_t members = s->spec.last - s->spec.first + 1;
    return members > s->spec.paths && members <= SWEEP_FRAMES_MOST / (s->kept_count ? s->kept_count : 1);
}

static int remember_kept(sweep *s, const double *rows)
{
    const size_t columns = s->column_count, size = s->kept_count * columns;
    int status = taut_mem_grow(s->context, &s->kept, &s->kept_capacity, mem_product(s->kept_members + 1, size),
                               sizeof *s->kept);
    if (status) return status;
    double *to = s->kept + s->kept_members++ * size;
    for (size_t k = 0; k < s->moment_count; k++) {
        if (!s->moments[k].kept) continue;
        memcpy(to, rows + k * columns, columns * sizeof *to);
        to += columns;
    }
    return TAUT_OK;
}

int taut_sweep_remember(sweep *s, uint64_t member, const double *rows)
{
    const size_t width = s->moment_count * s->column_count;
    int status = TAUT_OK;
    if (!needs_values(s)) return TAUT_OK;
    if (taut_sweep_key(s->spec.sample->seed, member) <= s->path_key) {
        status = taut_mem_grow(s->context, &s->paths, &s->path_capacity, mem_product(s->path_count + 1, width),
                               sizeof *s->paths);
        if (!status) memcpy(s->paths + s->path_count++ * width, rows, width * sizeof *rows);
    }
    return status || !keeps_all(s) ? status : remember_kept(s, rows);
}

/* The values of a column at a moment: of all members where they are kept, otherwise of those with paths. */
static int column_values(sweep *s, size_t moment, size_t column, size_t *count)
{
    const int all = s->moments[moment].kept && keeps_all(s);
    const size_t members = all ? s->kept_members : s->path_count;
    size_t rank = 0, size = s->moment_count;
    for (size_t k = 0; all && k < moment; k++) rank += s->moments[k].kept != 0;
    if (all) size = s->kept_count;
    int status = taut_mem_grow(s->context, &s->column, &s->column_capacity, members + 1, sizeof *s->column);
    *count = members;
    if (status || !members) return status;
    const double *from = (all ? s->kept : s->paths) + (all ? rank : moment) * s->column_count + column;
    for (size_t i = 0; i < members; i++) s->column[i] = from[i * size * s->column_count];
    return TAUT_OK;
}

int taut_sweep_statistic_of(sweep *s, size_t moment, size_t column, summary *result)
{
    size_t count = 0;
    if (!s->spec.stats || s->file || moment >= s->moment_count || column >= s->column_count)
        return taut_fail(s->context, TAUT_BAD_USAGE, "there are no statistics of column %zu at moment %zu", column,
                         moment);
    int status = needs_values(s) ? column_values(s, moment, column, &count) : TAUT_OK;
    if (!status)
        taut_summary_make(s->spec.stats, &s->sums.cells[moment * s->column_count + column], s->column, count, result);
    return status;
}
