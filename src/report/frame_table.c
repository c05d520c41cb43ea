#include "report/frame_table.h"

#include <math.h>
#include <string.h>

/* Frames per block that is read; fewer when they are wide. */
#define PIECE_VALUES 400000

static int is_kind(const record_column *c, const char *kind) { return strcmp(c->kind, kind) == 0; }

/* The main quantities come before the state: a large system has room for some of its coordinates only. */
static int comes_first(const record_column *c)
{
    static const char *const later[] = { "coordinate", "velocity", "momentum", "multiplier" };
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
        if (is_kind(c, later[i])) return 0;
    return 1;
}

static void add_column(table *t, size_t source, int deviation)
{
    if (t->column_count < TABLE_COLUMNS)
        t->columns[t->column_count++] = (table_column){ .source = source, .deviation = deviation };
    else if (!deviation) t->omitted++;
}

/* Of a large system the first of every kind, as many as give each of the four kinds of the state its share. */
static void choose_columns(table *t, const record *r)
{
    const record_column *columns = taut_record_columns(r);
    size_t count = taut_record_column_count(r), share = TABLE_COLUMNS / 5;
    int all = count + 16 <= TABLE_COLUMNS;
    for (size_t i = 0; i < count; i++)
        if (!all && comes_first(&columns[i])) add_column(t, i, 0);
    for (size_t i = 0, run = 0; i < count; i++) {
        run = i && strcmp(columns[i].kind, columns[i - 1].kind) == 0 ? run + 1 : 0;
        if (all || (!comes_first(&columns[i]) && run < share)) add_column(t, i, 0);
        else if (!comes_first(&columns[i])) t->omitted++;
    }
    for (size_t i = 0; i < count; i++)
        if (is_kind(&columns[i], "energy") || is_kind(&columns[i], "conserved")) add_column(t, i, 1);
}

static int make_room(table *t)
{
    long most = (long)(TABLE_VALUES / (t->column_count ? t->column_count : 1));
    t->bucket = 1;
    if (t->frames > most) {
        long rows = most / 3;
        t->dense = rows / 2 < TABLE_DENSE ? rows / 2 : TABLE_DENSE;
        t->bucket = (t->frames - t->dense + rows - t->dense - 1) / (rows - t->dense);
    }
    t->rows = (size_t)(t->dense + (t->frames - t->dense + t->bucket - 1) / t->bucket);
    for (size_t k = 0; k < t->column_count; k++) {
        t->columns[k].values = taut_mem_new(t->context, mem_product(t->rows, t->bucket > 1 ? 3 : 1), sizeof(double));
        if (!t->columns[k].values) return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

/* A component of a quaternion: NAME.w and the like, in a run that has NAME.w. */
static int is_turn(const table *t, const record_column *columns, const char *name)
{
    const size_t length = strlen(name);
    if (length < 2 || name[length - 2] != '.' || !strchr("wxyz", name[length - 1])) return 0;
    for (size_t k = 0; k < t->column_count; k++) {
        const char *other = columns[t->columns[k].source].name;
        if (strlen(other) == length && strncmp(other, name, length - 1) == 0 && other[length - 1] == 'w') return 1;
    }
    return 0;
}

/* NAME.dot, or p.NAME; column_count where there is none. */
static size_t rate_of(const table *t, const record_column *columns, const char *name)
{
    const size_t length = strlen(name);
    for (int momentum = 0; momentum < 2; momentum++)
        for (size_t k = 0; k < t->column_count; k++) {
            const record_column *c = &columns[t->columns[k].source];
            if (!is_kind(c, momentum ? "momentum" : "velocity")) continue;
            if (momentum ? strncmp(c->name, "p.", 2) == 0 && strcmp(c->name + 2, name) == 0
                         : strncmp(c->name, name, length) == 0 && strcmp(c->name + length, ".dot") == 0)
                return k;
        }
    return t->column_count;
}

/* The coordinates that may be in a section, the first two of them its default: the first, the last, then the others;
   quaternions where there is nothing else. Returns how many. */
static size_t list_coordinates(const table *t, const record_column *columns, size_t *list)
{
    size_t count = 0;
    for (int turns = 0; turns < 2 && !count; turns++)
        for (size_t k = 0; k < t->column_count; k++) {
            const record_column *c = &columns[t->columns[k].source];
            if (is_kind(c, "coordinate") && is_turn(t, columns, c->name) == turns) list[count++] = k;
        }
    if (count < 3) return count;
    const size_t last = list[count - 1];
    memmove(list + 2, list + 1, (count - 2) * sizeof *list);
    list[1] = last;
    return count;
}

static int choose_whole(table *t, const record *r)
{
    const record_column *columns = taut_record_columns(r);
    size_t list[TABLE_COLUMNS];
    const size_t count = t->bucket > 1 ? list_coordinates(t, columns, list) : 0;
    if (!count) return TAUT_OK;
    t->whole = taut_mem_new(t->context, 1 + 2 * count, sizeof *t->whole);
    if (!t->whole) return TAUT_OUT_OF_MEMORY;
    t->whole[t->whole_count++] = 0; /* the time */
    for (size_t i = 0; i < count; i++) {
        const size_t rate = rate_of(t, columns, columns[t->columns[list[i]].source].name);
        const size_t more = rate < t->column_count ? 2 : 1;
        if (i >= 2 && (double)(t->whole_count + more) * (double)t->frames > TABLE_WHOLE) break;
        t->whole[t->whole_count++] = list[i];
        if (more > 1) t->whole[t->whole_count++] = rate;
    }
    const long most = (long)(TABLE_WHOLE / t->whole_count);
    t->whole_rows = t->frames < most ? t->frames : most;
    t->whole_values = taut_mem_new(t->context, t->whole_count * (size_t)t->whole_rows, sizeof *t->whole_values);
    return t->whole_values ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

static void take(table *t, table_column *c, long frame, double value)
{
    int single = frame < t->dense, begins = single || (frame - t->dense) % t->bucket == 0;
    size_t row = (size_t)(single ? frame : t->dense + (frame - t->dense) / t->bucket);
    if (begins) c->values[row] = value;
    if (t->bucket > 1) {
        double *least = &c->values[t->rows + row], *greatest = &c->values[2 * t->rows + row];
        if (begins || !(*least <= value)) *least = isfinite(value) || begins ? value : *least;
        if (begins || !(*greatest >= value)) *greatest = isfinite(value) || begins ? value : *greatest;
    }
    if (!isfinite(value)) {
        c->not_finite++;
        return;
    }
    if ((size_t)frame == c->not_finite) c->first = c->lowest = c->highest = value;
    if (value < c->lowest) c->lowest = value;
    if (value > c->highest) c->highest = value;
    c->last = value;
}

/* Sums for slopes, about the run's first frame. */
typedef struct {
    double n, t, tt;
    double *y, *ty;
    wide *first;
} fit;

static void take_frame(table *t, fit *f, long frame, const wide *values)
{
    double time = (double)(values[0] - f->first[0]);
    for (size_t k = 0; k < t->column_count; k++) {
        table_column *c = &t->columns[k];
        wide from_first = values[k] - f->first[k];
        take(t, c, frame, (double)(c->deviation ? from_first : values[k]));
        f->y[k] += (double)from_first;
        f->ty[k] += time * (double)from_first;
    }
    for (size_t k = 0; frame < t->whole_rows && k < t->whole_count; k++)
        t->whole_values[k * (size_t)t->whole_rows + (size_t)frame] = (double)values[t->whole[k]];
    f->n += 1;
    f->t += time;
    f->tt += time * time;
}

/* The first column of a run is its time. */
static int read_frames(table *t, record *r, const frame_selection *of, fit *f, size_t *sources, wide *values,
                       long piece)
{
    long end = of->first + (of->count - 1) * of->every + 1, next = of->first, taken = 0;
    for (size_t k = 0; k < t->column_count; k++) sources[k] = t->columns[k].source;
    int status = of->count ? taut_record_read_wide(r, 0, 1, sources, t->column_count, f->first) : TAUT_OK;
    for (long first = of->first; !status && of->count && first < end; first += piece) {
        long count = end - first < piece ? end - first : piece;
        status = taut_record_read_wide(r, first, count, sources, t->column_count, values);
        for (; !status && next < first + count; next += of->every)
            take_frame(t, f, taken++, values + (size_t)(next - first) * t->column_count);
    }
    if (status) return status;
    double spread = f->n * f->tt - f->t * f->t;
    for (size_t k = 0; k < t->column_count; k++)
        t->columns[k].slope = spread > 0 ? (f->n * f->ty[k] - f->t * f->y[k]) / spread : 0;
    return TAUT_OK;
}

int taut_table_read(taut_context *context, record *r, table *t)
{
    const frame_selection all = { 0, 1, taut_record_frame_count(r) };
    return taut_table_select(context, r, &all, t);
}

int taut_table_select(taut_context *context, record *r, const frame_selection *selection, table *t)
{
    *t = (table){ .context = context, .frames = selection->count };
    t->columns = taut_mem_new(context, TABLE_COLUMNS, sizeof *t->columns);
    if (!t->columns) return TAUT_OUT_OF_MEMORY;
    choose_columns(t, r);
    int status = make_room(t);
    if (!status) status = choose_whole(t, r);
    const long span = selection->count ? (selection->count - 1) * selection->every + 1 : 1;
    long piece = 1 + (long)(PIECE_VALUES / (t->column_count + 1));
    if (piece > span) piece = span;
    fit f = { .y = taut_mem_new(context, t->column_count, sizeof *f.y),
              .ty = taut_mem_new(context, t->column_count, sizeof *f.ty),
              .first = taut_mem_new(context, t->column_count, sizeof *f.first) };
    size_t *sources = taut_mem_new(context, t->column_count, sizeof *sources);
    wide *values = taut_mem_new(context, (size_t)piece * t->column_count, sizeof *values);
    if (!status)
        status = f.y && f.ty && f.first && sources && values ? read_frames(t, r, selection, &f, sources, values, piece)
                                                             : TAUT_OUT_OF_MEMORY;
    taut_mem_free(context, f.y);
    taut_mem_free(context, f.ty);
    taut_mem_free(context, f.first);
    taut_mem_free(context, sources);
    taut_mem_free(context, values);
    if (status) taut_table_clear(t);
    return status;
}

void taut_table_clear(table *t)
{
    for (size_t k = 0; k < t->column_count; k++) taut_mem_free(t->context, t->columns[k].values);
    taut_mem_free(t->context, t->columns);
    taut_mem_free(t->context, t->whole);
    taut_mem_free(t->context, t->whole_values);
    *t = (table){ 0 };
}
