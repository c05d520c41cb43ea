/* Fields: gather the inputs of a block of instances, run the tape, scatter the outputs. */
#include "field/field.h"

#include <string.h>

#include "field/cuts.h"
#include "field/lanes.h"
#include "field/tables.h"

/* Where the outputs of a batch go: entry of the pattern for each (instance, output), and for symmetric blocks that of
   the mirrored one. The tables are kept only where some stretch has to look them up. */
typedef struct {
    uint32_t *direct, *mirror;
    course *direct_courses, *mirror_courses; /* per stretch and output; NULL without stretches */
    int colours;                             /* see cuts.h */
} map;

/* A sparse derivative of the whole field. */
typedef struct {
    pattern *shape;
    map *maps;  /* one per batch */
    int single; /* every entry is one output of one instance: nothing to add up */
} block;

struct field {
    store *s;
    taut_context *context;
    const family *f;
    size_t batch_count;   /* of the family when the field was made: the family may grow before the field is made anew */
    uint32_t sizes[KIND_COUNT];
    const real *constants;
    workspace *work;      /* to make room in */
    stretches *stretches; /* one per batch */
    cut *cuts;            /* one per batch */
    block jacobians[KIND_COUNT], slopes[KIND_COUNT];
    block ordered[KIND_COUNT]; /* Jacobians in an order of their user; without a shape */
    block hessians[KIND_COUNT][KIND_COUNT];
    block discrete[DISCRETE_MODES][KIND_COUNT];                   /* Jacobians of D_a */
    block discrete_slopes[DISCRETE_MODES][KIND_COUNT][KIND_COUNT];
};

/* ---- creation ---- */

int X(field_create)(store *s, const family *f, const uint32_t *sizes, const real *constants, workspace *w,
                    field **result)
{
    taut_context *context = taut_store_context(s);
    field *created = taut_mem_new(context, 1, sizeof *created);
    *result = created;
    if (!created) return TAUT_OUT_OF_MEMORY;
    created->s = s;
    created->context = context;
    created->f = f;
    created->batch_count = f->batch_count;
    created->constants = constants;
    created->work = w;
    memcpy(created->sizes, sizes, sizeof created->sizes);
    created->stretches = taut_mem_new(context, f->batch_count, sizeof *created->stretches);
    created->cuts = taut_mem_new(context, f->batch_count, sizeof *created->cuts);
    int status = created->stretches && created->cuts ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t n = 0; !status && n < f->batch_count; n++) {
        const kernel *k = taut_store_kernel(s, f->batches[n].kernel);
        status = X(stretches_find)(context, &f->batches[n], k, &created->stretches[n]);
        if (!status) X(cut_find)(&f->batches[n], k, created->stretches[n].run, &created->cuts[n]);
    }
    if (status) {
        X(field_destroy)(created);
        *result = NULL;
    }
    return status;
}

static void block_clear(field *f, block *b)
{
    for (size_t i = 0; b->maps && i < f->batch_count; i++) {
        taut_mem_free(f->context, b->maps[i].direct);
        taut_mem_free(f->context, b->maps[i].mirror);
        taut_mem_free(f->context, b->maps[i].direct_courses);
        taut_mem_free(f->context, b->maps[i].mirror_courses);
    }
    taut_mem_free(f->context, b->maps);
    taut_pattern_destroy(f->context, b->shape);
    *b = (block){ 0 };
}

void X(field_destroy)(field *f)
{
    if (!f) return;
    for (int a = 0; a < KIND_COUNT; a++) {
        block_clear(f, &f->jacobians[a]);
        block_clear(f, &f->ordered[a]);
        block_clear(f, &f->slopes[a]);
        for (int b = 0; b < KIND_COUNT; b++) block_clear(f, &f->hessians[a][b]);
        for (int mode = 0; mode < DISCRETE_MODES; mode++) {
            block_clear(f, &f->discrete[mode][a]);
            for (int b = 0; b < KIND_COUNT; b++) block_clear(f, &f->discrete_slopes[mode][a][b]);
        }
    }
    for (size_t n = 0; f->stretches && n < f->batch_count; n++) X(stretches_clear)(f->context, &f->stretches[n]);
    taut_mem_free(f->context, f->stretches);
    taut_mem_free(f->context, f->cuts);
    taut_mem_free(f->context, f);
}

const family *X(field_family)(const field *f) { return f->f; }
store *X(field_store)(const field *f) { return f->s; }
const real *X(field_constants)(const field *f) { return f->constants; }
uint32_t X(field_rows)(const field *f) { return f->f->row_count; }
unsigned X(field_kinds)(const field *f) { return taut_family_kinds(f->s, f->f); }
size_t X(field_kernels)(const field *f) { return f->batch_count; }

size_t X(field_instances)(const field *f)
{
    size_t count = 0;
    for (size_t b = 0; b < f->batch_count; b++) count += f->f->batches[b].count;
    return count;
}

static kernel *kernel_of(const field *f, size_t b) { return taut_store_kernel(f->s, f->f->batches[b].kernel); }

/* ---- preparation ---- */

static int reserve(const field *f, const tape *t)
{
    return X(workspace_reserve)(f->work, (size_t)t->register_count * LANES, 0, 0);
}

/* The derivatives a kernel has tapes for, by the kinds a and b where they have any. */
typedef enum {
    VALUE,
    GRADIENT,
    HESSIAN,
    SECOND,
    THIRD,
    SLOPE,
    JOINT,
    JOINT_SLOPE,
    POLARISED,
    POLARISED_SLOPE
} derivative;

static derivative discrete_of(discrete_mode mode) { return mode == DISCRETE_JOINT ? JOINT : POLARISED; }
static derivative slope_of(discrete_mode mode) { return mode == DISCRETE_JOINT ? JOINT_SLOPE : POLARISED_SLOPE; }

static tape *tape_of(const kernel *k, derivative d, kind a, kind b)
{
    switch (d) {
    case GRADIENT: return k->gradients[a];
    case HESSIAN: return k->hessians[a][b];
    case SECOND: return k->second;
    case THIRD: return k->third[a];
    case SLOPE: return k->slopes[a];
    case JOINT: return k->discretes[DISCRETE_JOINT][a];
    case JOINT_SLOPE: return k->discrete_slopes[DISCRETE_JOINT][a][b];
    case POLARISED: return k->discretes[DISCRETE_POLARISED][a];
    case POLARISED_SLOPE: return k->discrete_slopes[DISCRETE_POLARISED][a][b];
    default: return k->values;
    }
}

static int make_tape(store *s, kernel *k, derivative d, kind a, kind b)
{
    switch (d) {
    case GRADIENT: return taut_kernel_prepare_gradient(s, k, a);
    case HESSIAN: return taut_kernel_prepare_hessian(s, k, a, b);
    case SECOND: return taut_kernel_prepare_second(s, k);
    case THIRD: return taut_kernel_prepare_third(s, k, a);
    case SLOPE: return taut_kernel_prepare_slope(s, k, a);
    case JOINT: return taut_kernel_prepare_discrete(s, k, DISCRETE_JOINT, a);
    case JOINT_SLOPE: return taut_kernel_prepare_discrete_slope(s, k, DISCRETE_JOINT, a, b);
    case POLARISED: return taut_kernel_prepare_discrete(s, k, DISCRETE_POLARISED, a);
    case POLARISED_SLOPE: return taut_kernel_prepare_discrete_slope(s, k, DISCRETE_POLARISED, a, b);
    default: return taut_kernel_prepare_values(s, k);
    }
}

/* Makes the tape in every kernel of the family, and room for its registers. */
static int prepare(field *f, derivative d, kind a, kind b)
{
    int status = TAUT_OK;
    for (size_t n = 0; !status && n < f->batch_count; n++) {
        status = make_tape(f->s, kernel_of(f, n), d, a, b);
        if (!status) status = reserve(f, tape_of(kernel_of(f, n), d, a, b));
    }
    return status;
}

int X(field_prepare_values)(field *f) { return prepare(f, VALUE, KIND_Q, KIND_Q); }
int X(field_prepare_gradient)(field *f, kind by) { return prepare(f, GRADIENT, by, by); }
int X(field_prepare_second)(field *f) { return prepare(f, SECOND, KIND_Q, KIND_Q); }
int X(field_prepare_third)(field *f, kind by) { return prepare(f, THIRD, by, by); }
int X(field_prepare_slope_gradient)(field *f, kind by) { return prepare(f, SLOPE, by, by); }

/* Row and column of output o of an instance, in a Jacobian (mirror 0) or a Hessian. */
typedef enum { OF_JACOBIAN, OF_HESSIAN, OF_MIRROR } entry_type;

static void entry_of(const batch *b, const kernel *k, const tape *t, uint32_t instance, uint32_t o, entry_type type,
                     int *row, int *column)
{
    const uint32_t *variables = b->variables + (size_t)instance * k->slots;
    uint32_t i = variables[t->output_i[o]];
    if (type == OF_JACOBIAN) {
        *row = (int)b->rows[instance], *column = (int)i;
        return;
    }
    uint32_t j = variables[t->output_j[o]];
    *row = (int)(type == OF_MIRROR ? j : i), *column = (int)(type == OF_MIRROR ? i : j);
}

/* All entries of the block as (row, column) pairs; counts only when row is NULL. */
static size_t list_entries(const field *f, tape *const *tapes, int symmetric, entry_type type, int *row, int *column)
{
    size_t count = 0;
    for (size_t n = 0; n < f->batch_count; n++) {
        const batch *b = &f->f->batches[n];
        const kernel *k = kernel_of(f, n);
        const tape *t = tapes[n];
        for (uint32_t i = 0; i < b->count; i++)
            for (uint32_t o = 0; o < t->output_count; o++)
                for (int mirrored = 0; mirrored <= (symmetric && t->output_i[o] != t->output_j[o]); mirrored++, count++)
                    if (row) entry_of(b, k, t, i, o, mirrored ? OF_MIRROR : type, &row[count], &column[count]);
    }
    return count;
}

/* The courses of a map's table; the table is freed when all are steady. */
static int find_courses(field *f, const stretches *s, uint32_t outputs, uint32_t **table, course **courses)
{
    int steady = 1;
    if (!s->count || !*table) return TAUT_OK;
    *courses = taut_mem_new(f->context, (size_t)s->count * outputs, sizeof **courses);
    if (!*courses) return TAUT_OUT_OF_MEMORY;
    for (uint32_t n = 0; n < s->count; n++)
        for (uint32_t o = 0; o < outputs; o++) {
            course c = X(stretches_course)(s, n, *table, outputs, o);
            (*courses)[(size_t)n * outputs + o] = c;
            steady &= (int)c.steady;
        }
    if (!steady) return TAUT_OK;
    taut_mem_free(f->context, *table);
    *table = NULL;
    return TAUT_OK;
}

static int fill_maps(field *f, block *out, const pattern *shape, const int *order, tape *const *tapes, int symmetric,
                     entry_type type)
{
    size_t hits = 0;
    for (size_t n = 0; n < f->batch_count; n++) {
        const batch *b = &f->f->batches[n];
        const kernel *k = kernel_of(f, n);
        const tape *t = tapes[n];
        size_t size = (size_t)b->count * t->output_count;
        map *m = &out->maps[n];
        m->direct = taut_mem_new(f->context, size, sizeof *m->direct);
        if (symmetric) m->mirror = taut_mem_new(f->context, size, sizeof *m->mirror);
        if (!m->direct || (symmetric && !m->mirror)) return TAUT_OUT_OF_MEMORY;
        for (uint32_t i = 0; i < b->count; i++)
            for (uint32_t o = 0; o < t->output_count; o++) {
                int row, column;
                size_t at = (size_t)i * t->output_count + o;
                entry_of(b, k, t, i, o, type, &row, &column);
                int found = taut_pattern_find(shape, row, column);
                m->direct[at] = (uint32_t)(order ? order[found] : found);
                if (symmetric) m->mirror[at] = (uint32_t)taut_pattern_find(shape, column, row);
            }
        hits += size;
        m->colours = X(cut_colours)(b, &f->cuts[n], t->output_count, m->direct, m->mirror);
        int status = find_courses(f, &f->stretches[n], t->output_count, &m->direct, &m->direct_courses);
        if (!status) status = find_courses(f, &f->stretches[n], t->output_count, &m->mirror, &m->mirror_courses);
        if (status) return status;
    }
    out->single = hits == (size_t)pattern_entries(shape) && !symmetric;
    return TAUT_OK;
}

static int block_create(field *f, block *out, tape *const *tapes, int symmetric, entry_type type, int rows, int columns)
{
    size_t count = list_entries(f, tapes, symmetric, type, NULL, NULL);
    int *row = taut_mem_new(f->context, count, sizeof *row), *column = taut_mem_new(f->context, count, sizeof *column);
    out->maps = taut_mem_new(f->context, f->batch_count, sizeof *out->maps);
    int status = row && column && out->maps ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        list_entries(f, tapes, symmetric, type, row, column);
        status = taut_pattern_create(f->context, rows, columns, row, column, count, &out->shape);
    }
    taut_mem_free(f->context, row);
    taut_mem_free(f->context, column);
    if (!status) status = fill_maps(f, out, out->shape, NULL, tapes, symmetric, type);
    if (status) block_clear(f, out);
    return status;
}


/* Prepares the derivative and the sparse block that collects it, rows x columns; once. */
static int prepare_block(field *f, block *out, derivative d, kind a, kind b, entry_type type, int rows, int columns)
{
    int status = prepare(f, d, a, b);
    if (status || out->shape) return status;
    tape **tapes = taut_mem_new(f->context, f->batch_count, sizeof *tapes);
    if (!tapes) return TAUT_OUT_OF_MEMORY;
    for (size_t n = 0; n < f->batch_count; n++) tapes[n] = tape_of(kernel_of(f, n), d, a, b);
    status = block_create(f, out, tapes, d == HESSIAN && a == b, type, rows, columns);
    taut_mem_free(f->context, tapes);
    return status;
}

int X(field_prepare_jacobian)(field *f, kind by)
{
    return prepare_block(f, &f->jacobians[by], GRADIENT, by, by, OF_JACOBIAN, (int)f->f->row_count, (int)f->sizes[by]);
}

int X(field_prepare_ordered_jacobian)(field *f, kind by, const int *order)
{
    block *out = &f->ordered[by];
    int status = X(field_prepare_jacobian)(f, by);
    if (status || out->maps) return status;
    tape **tapes = taut_mem_new(f->context, f->batch_count, sizeof *tapes);
    out->maps = taut_mem_new(f->context, f->batch_count, sizeof *out->maps);
    status = tapes && out->maps ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t n = 0; !status && n < f->batch_count; n++) tapes[n] = tape_of(kernel_of(f, n), GRADIENT, by, by);
    if (!status) status = fill_maps(f, out, f->jacobians[by].shape, order, tapes, 0, OF_JACOBIAN);
    taut_mem_free(f->context, tapes);
    if (status) block_clear(f, out);
    return status;
}

int X(field_prepare_slope)(field *f, kind by)
{
    return prepare_block(f, &f->slopes[by], SLOPE, by, by, OF_JACOBIAN, (int)f->f->row_count, (int)f->sizes[by]);
}

int X(field_prepare_hessian)(field *f, kind a, kind b)
{
    return prepare_block(f, &f->hessians[a][b], HESSIAN, a, b, OF_HESSIAN, (int)f->sizes[a], (int)f->sizes[b]);
}

int X(field_prepare_discrete)(field *f, discrete_mode mode, kind by) { return prepare(f, discrete_of(mode), by, by); }

int X(field_prepare_discrete_jacobian)(field *f, discrete_mode mode, kind by)
{
    return prepare_block(f, &f->discrete[mode][by], discrete_of(mode), by, by, OF_JACOBIAN, (int)f->f->row_count,
                         (int)f->sizes[by]);
}

int X(field_prepare_discrete_slope)(field *f, discrete_mode mode, kind a, kind b)
{
    return prepare_block(f, &f->discrete_slopes[mode][a][b], slope_of(mode), a, b, OF_HESSIAN, (int)f->sizes[a],
                         (int)f->sizes[b]);
}

int X(field_hessian_zero)(const field *f, kind a, kind b) { return pattern_entries(f->hessians[a][b].shape) == 0; }

int X(field_hessian_varies)(const field *f, kind a, kind b)
{
    for (size_t n = 0; n < f->batch_count; n++)
        if (kernel_of(f, n)->hessian_varies[a][b]) return 1;
    return 0;
}

int X(field_is_quadratic)(field *f, kind by, int *is)
{
    const int status = prepare(f, HESSIAN, by, by);
    *is = !status && !X(field_hessian_varies)(f, by, by);
    return status;
}

/* Does the tape read a variable slot? */
static int reads_variables(const tape *t)
{
    for (uint32_t o = 0; o < t->output_count; o++)
        if (t->outputs[o] < t->slots) return 1;
    for (uint32_t i = 0; t->output_count && i < t->length; i++) {
        const instruction *line = &t->code[i];
        if (line->a < t->slots) return 1;
        if (taut_op_arity(line->op) == 2 && !op_has_number(line->op) && line->b < t->slots) return 1;
    }
    return 0;
}

int X(field_gradient_varies)(const field *f, kind by)
{
    for (size_t n = 0; n < f->batch_count; n++)
        if (reads_variables(kernel_of(f, n)->gradients[by])) return 1;
    return 0;
}

/* ---- evaluation ---- */

/* Instances evaluated together, of one stretch where there are stretches. */
typedef struct {
    uint32_t first, end;    /* end: of all pieces */
    int lanes;
    const course *courses;  /* of the stretch: variables, constants, row; NULL: indices are looked up */
    uint32_t stretch, run, group, groups;
} piece;

/* What next_piece begins with: a piece of no lanes, before those of the instances first .. end - 1. */
static piece before_pieces(const stretches *s, uint32_t first, uint32_t end)
{
    uint32_t low = 0, high = s->count;
    while (low + 1 < high) {
        uint32_t middle = low + (high - low) / 2;
        if (s->first[middle] <= first)
            low = middle;
        else
            high = middle;
    }
    return (piece){ .first = first, .end = end, .stretch = low };
}

/* 0 at the end. */
static int next_piece(const field *f, size_t n, piece *p)
{
    const stretches *s = &f->stretches[n];
    uint32_t count = p->end, first = p->first + (uint32_t)p->lanes;
    if (first >= count) return 0;
    p->first = first;
    if (!s->count) {
        p->lanes = count - first < LANES ? (int)(count - first) : LANES;
        return 1;
    }
    if (p->lanes && first == s->first[p->stretch + 1]) p->stretch++;
    uint32_t most = LANES / s->run * s->run, stop = s->first[p->stretch + 1];
    uint32_t left = (stop < count ? stop : count) - first;
    p->run = s->run;
    p->lanes = (int)(left < most ? left : most);
    p->group = (first - s->first[p->stretch]) / s->run;
    p->groups = (uint32_t)p->lanes / s->run;
    p->courses = s->courses + (size_t)p->stretch * s->columns;
    return 1;
}

/* One number an instance: source[table[instance]], where the table has `width` columns. */
static inline void take(const piece *p, const course *c, const real *source, const uint32_t *table, uint32_t width,
                        real *target)
{
    if (c && c->steady) {
        lanes_take(source, c, p->run, p->group, p->groups, target);
        return;
    }
    table += (size_t)p->first * width;
    for (int i = 0; i < p->lanes; i++) target[i] = source[table[(size_t)i * width]];
}

/* target[table[instance]] += value, of column `n` */
static inline void add(const piece *p, const course *c, real *target, const uint32_t *table, uint32_t width, uint32_t n,
                       const real *value)
{
    if (c && c->steady) {
        lanes_add(target, c, p->run, p->group, p->groups, value);
        return;
    }
    table += (size_t)p->first * width + n;
    for (int i = 0; i < p->lanes; i++) target[table[(size_t)i * width]] += value[i];
}

/* target[table[instance]] = value, of column `n` */
static inline void put(const piece *p, const course *c, real *target, const uint32_t *table, uint32_t width, uint32_t n,
                       const real *value)
{
    if (c && c->steady) {
        lanes_put(target, c, p->run, p->group, p->groups, value);
        return;
    }
    table += (size_t)p->first * width + n;
    for (int i = 0; i < p->lanes; i++) target[table[(size_t)i * width]] = value[i];
}

/* Puts one kind of input of a piece into its registers. */
static inline void pad(real *row, int lanes)
{
    for (int i = lanes; lanes == TAPE_PADDED - 1 && i < TAPE_PADDED; i++) row[i] = row[0];
}

static void gather(const batch *b, const kernel *k, const piece *p, const place *x, real *registers)
{
    for (uint32_t slot = 0; slot < k->slots; slot++) {
        const real *source = x->x[k->slot_kind[slot]];
        real *target = registers + (size_t)slot * LANES;
        if (source)
            take(p, p->courses ? &p->courses[slot] : NULL, source, b->variables + slot, k->slots, target);
        else
            memset(target, 0, (size_t)p->lanes * sizeof *target);
        pad(target, p->lanes);
    }
}

static void gather_constants(const field *f, const batch *b, const kernel *k, const piece *p, const workspace *work,
                             real *registers)
{
    const real *constants = f->constants == work->plan_constants ? work->constants : f->constants;
    for (uint32_t slot = 0; slot < k->constants; slot++) {
        real *target = registers + (size_t)(k->slots + slot) * LANES;
        take(p, p->courses ? &p->courses[k->slots + slot] : NULL, constants, b->constants + slot, k->constants, target);
        pad(target, p->lanes);
    }
}

static const course *row_course(const piece *p, const kernel *k)
{
    return p->courses ? &p->courses[k->slots + k->constants] : NULL;
}

/* Runs tape t on a piece of batch n. u and w are directions, or NULL. */
static void run_block(const field *f, size_t n, const tape *t, const piece *p, const place *x, const place *u,
                      const place *w, real *registers)
{
    const batch *b = &f->f->batches[n];
    const kernel *k = kernel_of(f, n);
    gather(b, k, p, x, registers);
    gather_constants(f, b, k, p, x->work, registers);
    if (u) gather(b, k, p, u, registers + (size_t)(k->slots + k->constants) * LANES);
    if (w) gather(b, k, p, w, registers + (size_t)(2 * k->slots + k->constants) * LANES);
    X(tape_run)(t, registers, p->lanes, x->work->context);
}

/* The weights of a piece's functions; 1 of none. */
static void take_weights(const batch *b, const kernel *k, const piece *p, const real *weights, real *lanes)
{
    if (weights) take(p, row_course(p, k), weights, b->rows, 1, lanes);
}

/* value * weight, in `room` where it is not the value itself */
static const real *weighted(const piece *p, const real *weights, const real *lanes, const real *value, real *room)
{
    if (!weights) return value;
    for (int i = 0; i < p->lanes; i++) room[i] = lanes[i] * value[i];
    return room;
}

/* ---- evaluation of a batch: all at once, or in chunks ---- */

typedef struct evaluation evaluation;

/* The evaluation of a tape over a batch, and what becomes of its outputs. */
struct evaluation {
    const field *f;
    size_t n;                 /* the batch */
    const tape *t;
    const place *x, *u, *w;
    const real *weights;      /* NULL: 1 */
    const map *m;
    int single;               /* entries: overwrites */
    real *out;
    void (*add)(const evaluation *e, const piece *p, const real *registers);
    int colours, colour;
};

/* From a piece of no lanes on. */
static inline void evaluate_pieces(const evaluation *e, piece p, real *registers)
{
    const uint32_t count = e->f->f->batches[e->n].count;
    X(tape_numbers)(e->t, registers, count < LANES ? (int)count : LANES);
    while (next_piece(e->f, e->n, &p)) {
        run_block(e->f, e->n, e->t, &p, e->x, e->u, e->w, registers);
        e->add(e, &p, registers);
    }
}

static void evaluate_chunk(void *self, int index, int worker)
{
    const evaluation *e = self;
    const cut *c = &e->f->cuts[e->n];
    const workspace *work = e->x->work;
    int chunk = index * e->colours + e->colour;
    evaluate_pieces(e, before_pieces(&e->f->stretches[e->n], (uint32_t)chunk * c->length,
                                     cut_end(c, &e->f->f->batches[e->n], chunk)),
                    work->registers + (size_t)worker * work->register_count);
}

static void evaluate(evaluation *e, int colours)
{
    const cut *c = &e->f->cuts[e->n];
    if (e->t->output_count == 0) return;
    if (c->chunks < 2 || !colours) {
        evaluate_pieces(e, (piece){ .end = e->f->f->batches[e->n].count }, e->x->work->registers);
        return;
    }
    e->colours = colours;
    for (e->colour = 0; e->colour < colours; e->colour++)
        taut_pool_run(e->x->work->pool, (c->chunks - e->colour + colours - 1) / colours, evaluate_chunk, e);
}

/* out[row] += the single output */
static void add_rows(const evaluation *e, const piece *p, const real *registers)
{
    add(p, row_course(p, kernel_of(e->f, e->n)), e->out, e->f->f->batches[e->n].rows, 1, 0,
        registers + (size_t)e->t->outputs[0] * LANES);
}

void X(field_values)(const field *f, const place *x, real *out)
{
    for (size_t n = 0; n < f->batch_count; n++) {
        evaluation e = { .f = f, .n = n, .t = kernel_of(f, n)->values, .x = x, .out = out, .add = add_rows };
        evaluate(&e, f->cuts[n].rows);
    }
}

void X(field_second)(const field *f, const place *x, const place *u, real *out)
{
    for (size_t n = 0; n < f->batch_count; n++) {
        evaluation e = { .f = f, .n = n, .t = kernel_of(f, n)->second, .x = x, .u = u, .out = out, .add = add_rows };
        evaluate(&e, f->cuts[n].rows);
    }
}

/* out[variable of slot output_i] += weight * output */
static void add_variables(const evaluation *e, const piece *p, const real *registers)
{
    const batch *b = &e->f->f->batches[e->n];
    const kernel *k = kernel_of(e->f, e->n);
    const tape *t = e->t;
    real lanes[LANES], room[LANES];
    take_weights(b, k, p, e->weights, lanes);
    for (uint32_t o = 0; o < t->output_count; o++) {
        uint32_t slot = t->output_i[o];
        add(p, p->courses ? &p->courses[slot] : NULL, e->out, b->variables, k->slots, slot,
            weighted(p, e->weights, lanes, registers + (size_t)t->outputs[o] * LANES, room));
    }
}

/* One derivative by the variables of a kind, summed over the functions. */
static void sum_variables(const field *f, derivative d, kind by, const place *x, const place *u, const place *w,
                          const real *weights, real *out)
{
    for (size_t n = 0; n < f->batch_count; n++) {
        evaluation e = { .f = f, .n = n, .t = tape_of(kernel_of(f, n), d, by, by), .x = x, .u = u, .w = w,
                         .weights = weights, .out = out, .add = add_variables };
        evaluate(&e, f->cuts[n].variables[by]);
    }
}

void X(field_gradient)(const field *f, kind by, const place *x, const real *weights, real *out)
{
    sum_variables(f, GRADIENT, by, x, NULL, NULL, weights, out);
}

void X(field_slope_gradient)(const field *f, kind by, const place *x, const place *u, const real *weights, real *out)
{
    sum_variables(f, SLOPE, by, x, u, NULL, weights, out);
}

void X(field_third)(const field *f, kind by, const place *x, const place *u, const place *w, const real *weights,
                    real *out)
{
    sum_variables(f, THIRD, by, x, u, w, weights, out);
}

/* values[map] += weight * output; or = output */
static void add_entries(const evaluation *e, const piece *p, const real *registers)
{
    const tape *t = e->t;
    const map *m = e->m;
    const uint32_t outputs = t->output_count;
    const size_t at = (size_t)p->stretch * outputs;
    real lanes[LANES], room[LANES], *values = e->out;
    take_weights(&e->f->f->batches[e->n], kernel_of(e->f, e->n), p, e->weights, lanes);
    for (uint32_t o = 0; o < outputs; o++) {
        const real *value = weighted(p, e->weights, lanes, registers + (size_t)t->outputs[o] * LANES, room);
        if (e->single) {
            put(p, m->direct_courses ? &m->direct_courses[at + o] : NULL, values, m->direct, outputs, o, value);
            continue;
        }
        add(p, m->direct_courses ? &m->direct_courses[at + o] : NULL, values, m->direct, outputs, o, value);
        if ((m->mirror || m->mirror_courses) && t->output_i[o] != t->output_j[o])
            add(p, m->mirror_courses ? &m->mirror_courses[at + o] : NULL, values, m->mirror, outputs, o, value);
    }
}

/* The values of a block. */
static void sum_entries(const field *f, const block *of, derivative d, kind a, kind b, const place *x, const place *u,
                        const real *weights, int single, real *values)
{
    for (size_t n = 0; n < f->batch_count; n++) {
        evaluation e = { .f = f, .n = n, .t = tape_of(kernel_of(f, n), d, a, b), .x = x, .u = u, .weights = weights,
                         .m = &of->maps[n], .single = single, .out = values, .add = add_entries };
        evaluate(&e, single ? 1 : of->maps[n].colours);
    }
}

const pattern *X(field_jacobian_pattern)(const field *f, kind by) { return f->jacobians[by].shape; }
const pattern *X(field_slope_pattern)(const field *f, kind by) { return f->slopes[by].shape; }
const pattern *X(field_hessian_pattern)(const field *f, kind a, kind b) { return f->hessians[a][b].shape; }

void X(field_jacobian)(const field *f, kind by, const place *x, real *values)
{
    sum_entries(f, &f->jacobians[by], GRADIENT, by, by, x, NULL, NULL, 0, values);
}

void X(field_ordered_jacobian)(const field *f, kind by, const place *x, real *values)
{
    const block *b = &f->ordered[by];
    if (!b->single) memset(values, 0, (size_t)pattern_entries(f->jacobians[by].shape) * sizeof *values);
    sum_entries(f, b, GRADIENT, by, by, x, NULL, NULL, b->single, values);
}

/* The first instance of row `row` or a later one, where instances stand in the order of their rows. */
static uint32_t first_of_row(const batch *b, uint32_t row)
{
    uint32_t low = 0, high = b->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (b->rows[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int X(field_by_rows)(const field *f, kind by)
{
    for (size_t n = 0; n < f->batch_count; n++)
        for (uint32_t i = 1; i < f->f->batches[n].count; i++)
            if (f->f->batches[n].rows[i] < f->f->batches[n].rows[i - 1]) return 0;
    return f->ordered[by].single;
}

int X(field_cuts_at)(const field *f, uint32_t row)
{
    for (size_t n = 0; n < f->batch_count; n++) {
        const stretches *s = &f->stretches[n];
        const uint32_t at = first_of_row(&f->f->batches[n], row);
        if (!s->count || at == f->f->batches[n].count) continue;
        const piece p = before_pieces(s, at, at);
        if ((at - s->first[p.stretch]) % s->run != 0) return 0;
    }
    return 1;
}

void X(field_ordered_jacobian_rows)(const field *f, kind by, const place *x, uint32_t from, uint32_t to, int worker,
                                    real *values)
{
    for (size_t n = 0; n < f->batch_count; n++) {
        const batch *b = &f->f->batches[n];
        const evaluation e = { .f = f, .n = n, .t = kernel_of(f, n)->gradients[by], .x = x,
                               .m = &f->ordered[by].maps[n], .single = 1, .out = values, .add = add_entries };
        if (e.t->output_count == 0) continue;
        evaluate_pieces(&e, before_pieces(&f->stretches[n], first_of_row(b, from), first_of_row(b, to)),
                        x->work->registers + (size_t)worker * x->work->register_count);
    }
}

void X(field_slope)(const field *f, kind by, const place *x, const place *u, real *values)
{
    sum_entries(f, &f->slopes[by], SLOPE, by, by, x, u, NULL, 0, values);
}

void X(field_hessian)(const field *f, kind a, kind b, const place *x, const real *weights, real *values)
{
    sum_entries(f, &f->hessians[a][b], HESSIAN, a, b, x, NULL, weights, 0, values);
}

/* ---- discrete gradients: the second place stands where directions do ---- */

void X(field_discrete)(const field *f, discrete_mode mode, kind by, const place *x0, const place *x1,
                       const real *weights, real *out)
{
    sum_variables(f, discrete_of(mode), by, x0, x1, NULL, weights, out);
}

const pattern *X(field_discrete_pattern)(const field *f, discrete_mode mode, kind by)
{
    return f->discrete[mode][by].shape;
}

void X(field_discrete_jacobian)(const field *f, discrete_mode mode, kind by, const place *x0, const place *x1,
                                real *values)
{
    sum_entries(f, &f->discrete[mode][by], discrete_of(mode), by, by, x0, x1, NULL, 0, values);
}

const pattern *X(field_discrete_slope_pattern)(const field *f, discrete_mode mode, kind a, kind b)
{
    return f->discrete_slopes[mode][a][b].shape;
}

void X(field_discrete_slope)(const field *f, discrete_mode mode, kind a, kind b, const place *x0, const place *x1,
                             const real *weights, real *values)
{
    sum_entries(f, &f->discrete_slopes[mode][a][b], slope_of(mode), a, b, x0, x1, weights, 0, values);
}
