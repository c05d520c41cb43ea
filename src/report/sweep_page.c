#include "report/sweep_page.h"

#include <errno.h>
#include <string.h>

#include "base/text.h"
#include "record/sweep_file.h"
#include "report/json.h"
#include "report/page.h"

enum {
    SCATTER_MOST = 20000,    /* members that are listed */
    MAP_MOST = 2000000,      /* the same of two grids, which are a picture */
    NUMBERS_MOST = 4000000,  /* of results */
    FAILURES_MOST = 50,
    PIECE = 4096
};

typedef struct {
    char *name, *law;
    double *levels;          /* of a grid */
    size_t level_count;
} varied;

typedef struct {
    taut_context *context;
    record *r;
    varied *varied;          size_t varied_count, varied_capacity;
    sweep_moment *moments;   size_t moment_count, moment_capacity, kept_count;
    size_t columns;          /* kept, t included */
    double *statistics[9];   /* mean sd lowest highest and quantiles: moment by moment, without t */
    uint64_t first, last, done, failed;
    int is_grid;             /* two grids and nothing else, all members in their order */
    long members, stride;    /* in the file; every so many of them is listed */
    json j;
    int failures;
} page;

/* ---- what the file has ---- */

/* grid(a,b,n) or values(...): its levels. */
static int read_levels(page *z, varied *v)
{
    const char *open = strchr(v->law, '('), *equals = strchr(v->law, '=');
    const int grid = equals && strncmp(equals, "=grid(", 6) == 0, list = equals && strncmp(equals, "=values(", 8) == 0;
    double numbers[3] = { 0 };
    size_t capacity = 0;
    int status = TAUT_OK;
    if (!grid && !list) return TAUT_OK;
    for (const char *at = open; !status && at && (*at == '(' || *at == ',');) {
        char *end;
        const double x = taut_text_number(at + 1, &end);
        while (*end == ' ') end++;
        if (grid && v->level_count < 3) numbers[v->level_count++] = x;
        if (list) {
            status = taut_mem_grow(z->context, &v->levels, &capacity, v->level_count + 1, sizeof *v->levels);
            if (!status) v->levels[v->level_count++] = x;
        }
        at = end;
    }
    if (status || list) return status;
    const size_t count = numbers[2] >= 1 && numbers[2] < 1e7 ? (size_t)numbers[2] : 0;
    v->level_count = count;
    v->levels = taut_mem_new(z->context, count + 1, sizeof *v->levels);
    if (!v->levels) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        v->levels[i] =
            count > 1 ? numbers[0] + (numbers[1] - numbers[0]) * ((double)i / (double)(count - 1)) : numbers[0];
    return TAUT_OK;
}

static int take_varied(void *user, const sweep_varied *x)
{
    page *z = user;
    int status = taut_mem_grow(z->context, &z->varied, &z->varied_capacity, z->varied_count + 1, sizeof *z->varied);
    if (status) return status;
    varied *v = &z->varied[z->varied_count++];
    *v = (varied){ .name = taut_mem_text(z->context, x->name), .law = taut_mem_text(z->context, x->law) };
    return v->name && v->law ? read_levels(z, v) : TAUT_OUT_OF_MEMORY;
}

static int take_moment(void *user, const sweep_moment *m)
{
    page *z = user;
    int status = taut_mem_grow(z->context, &z->moments, &z->moment_capacity, z->moment_count + 1, sizeof *z->moments);
    if (status) return status;
    z->moments[z->moment_count++] = *m;
    z->kept_count += m->kept != 0;
    return TAUT_OK;
}

static int take_statistic(void *user, const sweep_statistic *x)
{
    page *z = user;
    if (!x->column || x->column >= z->columns || x->moment >= z->moment_count) return TAUT_OK;
    const double values[] = { x->mean, x->sd, x->lowest, x->highest, x->quantiles[0], x->quantiles[1], x->quantiles[2],
                              x->quantiles[3], x->quantiles[4] };
    for (int i = 0; i < 9; i++) z->statistics[i][x->moment * (z->columns - 1) + x->column - 1] = values[i];
    return TAUT_OK;
}

static int count_member(void *user, const sweep_member *m)
{
    page *z = user;
    z->done++;
    z->failed += m->failed != 0;
    return TAUT_OK;
}

static int read_head(page *z)
{
    unsigned long long first = 0, last = 0;
    const char *range = taut_record_property(z->r, "members");
    int status = taut_sweep_read_varied(z->r, take_varied, z);
    if (!status) status = taut_sweep_read_moments(z->r, take_moment, z);
    if (!status && (!range || sscanf(range, "%llu..%llu", &first, &last) != 2 || !z->moment_count ||
                    taut_record_column_count(z->r) < 2 + z->varied_count))
        status = taut_fail(z->context, TAUT_CANNOT_READ, "the file of the ensemble is damaged: it has no members");
    if (status) return status;
    z->first = first;
    z->last = last;
    z->columns = taut_record_column_count(z->r) - 1 - z->varied_count;
    for (int i = 0; i < 9; i++) {
        z->statistics[i] = taut_mem_new(z->context, mem_product(z->moment_count, z->columns) + 1, sizeof(double));
        if (!z->statistics[i]) return TAUT_OUT_OF_MEMORY;
        for (size_t k = 0; k < z->moment_count * z->columns; k++) z->statistics[i][k] = (double)NAN;
    }
    status = taut_sweep_read_members(z->r, count_member, z);
    if (!status) status = taut_sweep_read_statistics(z->r, take_statistic, z);
    z->members = z->kept_count ? taut_record_frame_count(z->r) / (long)z->kept_count : 0;
    const double cells = z->varied_count == 2 ? (double)z->varied[0].level_count * (double)z->varied[1].level_count : 0;
    z->is_grid = cells > 1 && cells == (double)z->members && z->first == 0 && z->members <= MAP_MOST;
    z->stride = z->is_grid || z->members <= SCATTER_MOST ? 1 : (z->members + SCATTER_MOST - 1) / SCATTER_MOST;
    return status;
}

/* ---- results ---- */

static long listed_count(const page *z) { return z->members ? (z->members - 1) / z->stride + 1 : 0; }

/* A column of the listed members at a kept moment (its number among them). */
static int read_column(page *z, size_t column, size_t kept, double *values)
{
    double piece[PIECE];
    const long frames = z->members * (long)z->kept_count;
    int status = TAUT_OK;
    for (long at = 0; !status && at < frames; at += PIECE) {
        const long some = frames - at < PIECE ? frames - at : PIECE;
        status = taut_record_read(z->r, at, some, &column, 1, piece);
        for (long i = 0; !status && i < some; i++) {
            const long member = (at + i) / (long)z->kept_count;
            if ((size_t)(at + i) % z->kept_count == kept && member % z->stride == 0)
                values[member / z->stride] = piece[i];
        }
    }
    return status;
}

static void put_floats(page *z, const char *key, const double *values, float *rounded)
{
    const long count = listed_count(z);
    for (long i = 0; i < count; i++) rounded[i] = (float)values[i];
    taut_json_floats(&z->j, key, rounded, (size_t)count);
}

static void put_doubles(page *z, const char *key, const double *values, size_t count)
{
    fprintf(z->j.file, "%s\"%s\":\"", z->j.separate ? "," : "", key);
    taut_base64_doubles(z->j.file, values, count);
    fputc('"', z->j.file);
    z->j.separate = 1;
}

static int put_varied(page *z, double *values, float *rounded)
{
    int status = TAUT_OK;
    taut_json_open(&z->j, "varied", '[');
    for (size_t k = 0; !status && k < z->varied_count; k++) {
        const varied *v = &z->varied[k];
        taut_json_open(&z->j, NULL, '{');
        taut_json_text(&z->j, "name", v->name);
        taut_json_text(&z->j, "law", v->law);
        if (v->levels) {
            taut_json_open(&z->j, "levels", '[');
            for (size_t i = 0; i < v->level_count; i++) taut_json_number(&z->j, NULL, v->levels[i]);
            taut_json_close(&z->j, ']');
        } else {
            taut_json_text(&z->j, "levels", NULL);
        }
        if (z->is_grid) {
            taut_json_text(&z->j, "data", NULL);
        } else {
            status = read_column(z, 1 + k, 0, values);
            if (!status) put_floats(z, "data", values, rounded);
        }
        taut_json_close(&z->j, '}');
    }
    taut_json_close(&z->j, ']');
    return status;
}

/* The last moments first, as many as there is room for. */
static int put_slices(page *z, double *values, float *rounded)
{
    long room = NUMBERS_MOST;
    size_t kept = z->kept_count;
    int status = TAUT_OK;
    taut_json_open(&z->j, "slices", '[');
    for (size_t m = z->moment_count; !status && m-- > 0;) {
        if (!z->moments[m].kept) continue;
        kept--;
        for (size_t c = 1; !status && c < z->columns && room >= listed_count(z); c++) {
            status = read_column(z, 1 + z->varied_count + c, kept, values);
            if (status) break;
            taut_json_open(&z->j, NULL, '{');
            taut_json_integer(&z->j, "moment", (long long)m);
            taut_json_integer(&z->j, "column", (long long)c - 1);
            put_floats(z, "data", values, rounded);
            taut_json_close(&z->j, '}');
            room -= listed_count(z);
        }
    }
    taut_json_close(&z->j, ']');
    return status;
}

static int put_results(page *z)
{
    const size_t count = (size_t)listed_count(z);
    double *values = taut_mem_new(z->context, count + 1, sizeof *values);
    float *rounded = taut_mem_new(z->context, count + 1, sizeof *rounded);
    int status = values && rounded ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) status = read_column(z, 0, 0, values);
    if (!status) {
        taut_json_open(&z->j, "members", '{');
        taut_json_integer(&z->j, "count", (long long)(z->last - z->first + 1));
        taut_json_integer(&z->j, "done", (long long)z->done);
        taut_json_integer(&z->j, "failed", (long long)z->failed);
        taut_json_integer(&z->j, "first", (long long)z->first);
        taut_json_integer(&z->j, "stride", z->stride);
        put_doubles(z, "listed", values, count);
        taut_json_close(&z->j, '}');
        taut_json_flag(&z->j, "grid", z->is_grid);
        status = put_varied(z, values, rounded);
    }
    if (!status) status = put_slices(z, values, rounded);
    taut_mem_free(z->context, values);
    taut_mem_free(z->context, rounded);
    return status;
}

/* ---- the rest ---- */

static int put_histogram(void *user, size_t moment, size_t column, double low, double high, const char *counts)
{
    page *z = user;
    if (!column) return TAUT_OK;
    taut_json_open(&z->j, NULL, '{');
    taut_json_integer(&z->j, "moment", (long long)moment);
    taut_json_integer(&z->j, "column", (long long)column - 1);
    taut_json_number(&z->j, "low", low);
    taut_json_number(&z->j, "high", high);
    taut_json_text(&z->j, "counts", counts);
    taut_json_close(&z->j, '}');
    return TAUT_OK;
}

static int put_failure(void *user, const sweep_member *m)
{
    page *z = user;
    if (!m->failed || z->failures++ >= FAILURES_MOST) return TAUT_OK;
    taut_json_open(&z->j, NULL, '{');
    taut_json_integer(&z->j, "member", (long long)m->member);
    taut_json_number(&z->j, "t", m->t);
    taut_json_text(&z->j, "reason", m->reason);
    taut_json_close(&z->j, '}');
    return TAUT_OK;
}

static void put_statistics(page *z)
{
    static const char *const names[] = { "mean", "sd", "lowest", "highest", "q05", "q25", "q50", "q75", "q95" };
    const size_t count = z->moment_count * (z->columns - 1);
    int has[9] = { 0 };
    for (int i = 0; i < 9; i++)
        for (size_t k = 0; k < count && !has[i]; k++) has[i] = z->statistics[i][k] == z->statistics[i][k];
    taut_json_open(&z->j, "statistics", '{');
    for (int i = 0; i < 9; i++)
        if (has[i]) put_doubles(z, names[i], z->statistics[i], count);
    taut_json_close(&z->j, '}');
    taut_json_open(&z->j, "has", '{');
    taut_json_flag(&z->j, "mean", has[0]);
    taut_json_flag(&z->j, "sd", has[1]);
    taut_json_flag(&z->j, "quantiles", has[6]);
    taut_json_close(&z->j, '}');
}

static void put_fact(page *z, const char *name, const char *text)
{
    if (!text || !*text) return;
    taut_json_open(&z->j, NULL, '[');
    taut_json_text(&z->j, NULL, name);
    taut_json_text(&z->j, NULL, text);
    taut_json_close(&z->j, ']');
}

static void put_facts(page *z)
{
    static const char *const names[][2] = { { "method", "method" }, { "step", "step" }, { "end", "until" },
                                            { "members", "members" }, { "sample", "sample" }, { "seed", "seed" },
                                            { "on", "on" }, { "arithmetic", "arithmetic" }, { "status", "status" } };
    taut_json_open(&z->j, "facts", '[');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put_fact(z, names[i][0], taut_record_property(z->r, names[i][1]));
    for (size_t i = 0; i < z->varied_count; i++) put_fact(z, z->varied[i].name, z->varied[i].law);
    taut_json_close(&z->j, ']');
}

static int put_data(page *z)
{
    const char *path = taut_record_path(z->r), *slash = strrchr(path, '/');
    const char *title = taut_record_property(z->r, "title"), *source = taut_record_property(z->r, "source");
    taut_json_open(&z->j, NULL, '{');
    taut_json_integer(&z->j, "format", 1);
    taut_json_text(&z->j, "title", title ? title : "");
    taut_json_text(&z->j, "file", slash ? slash + 1 : path);
    taut_json_text(&z->j, "source", source ? source : "");
    put_facts(z);
    taut_json_open(&z->j, "columns", '[');
    for (size_t i = 1; i < z->columns; i++)
        taut_json_text(&z->j, NULL, taut_record_columns(z->r)[1 + z->varied_count + i].name);
    taut_json_close(&z->j, ']');
    taut_json_open(&z->j, "moments", '[');
    for (size_t i = 0; i < z->moment_count; i++) {
        taut_json_open(&z->j, NULL, '{');
        taut_json_number(&z->j, "t", z->moments[i].t);
        taut_json_flag(&z->j, "kept", z->moments[i].kept);
        taut_json_close(&z->j, '}');
    }
    taut_json_close(&z->j, ']');
    put_statistics(z);
    int status = put_results(z);
    taut_json_open(&z->j, "histograms", '[');
    if (!status) status = taut_sweep_read_histograms(z->r, put_histogram, z);
    taut_json_close(&z->j, ']');
    taut_json_open(&z->j, "failures", '[');
    if (!status) status = taut_sweep_read_members(z->r, put_failure, z);
    taut_json_close(&z->j, ']');
    taut_json_close(&z->j, '}');
    return status;
}

int taut_sweep_page_write(taut_context *context, record *r, const char *template_text, size_t template_size,
                          FILE *file)
{
    page z = { .context = context, .r = r, .j = { .file = file } };
    const char *mark = taut_page_mark(template_text, template_size);
    if (!mark) return taut_fail(context, TAUT_BAD_USAGE, "the page's template has no place for data (%s)", PAGE_MARK);
    int status = read_head(&z);
    if (!status) {
        fwrite(template_text, 1, (size_t)(mark - template_text), file);
        fputs("<script type=\"application/json\" id=\"data\">", file);
        status = put_data(&z);
        fputs("</script>\n", file);
        mark += strlen(PAGE_MARK);
        fwrite(mark, 1, (size_t)(template_text + template_size - mark), file);
        if (!status && (fflush(file) == EOF || ferror(file)))
            status = taut_fail(context, TAUT_CANNOT_WRITE, "cannot write the page: %s", strerror(errno));
    }
    for (size_t i = 0; i < z.varied_count; i++) {
        taut_mem_free(context, z.varied[i].name);
        taut_mem_free(context, z.varied[i].law);
        taut_mem_free(context, z.varied[i].levels);
    }
    for (int i = 0; i < 9; i++) taut_mem_free(context, z.statistics[i]);
    taut_mem_free(context, z.varied);
    taut_mem_free(context, z.moments);
    return status;
}
