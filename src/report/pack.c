#include "report/pack.h"

#include <math.h>
#include <string.h>

#include "base/deflate.h"

/* How good a prediction is is measured on so many stretches of the rows, each of so many. */
enum { STRETCHES = 4, STRETCH = 1000 };

/* ---- one channel ---- */

typedef struct {
    const double *x, *like;
    size_t count;
} channel;

static double predict(const channel *c, const pack_code *code, const double *weights, size_t i)
{
    double p = 0;
    if (code->order < 0) {
        p = code->times * c->like[i] + code->plus;
    } else if (i >= (size_t)code->order) {
        if (code->order) p = weights[1] * c->x[i - 1];
        for (int j = 2; j <= code->order; j++) p += weights[j] * c->x[i - (size_t)j];
    } else {
        double w = (double)i; /* -(-1)^j (i over j) */
        if (i) p = w * c->x[i - 1];
        for (size_t j = 2; j <= i; j++) {
            w = -w * (double)(i - j + 1) / (double)j;
            p += w * c->x[i - j];
        }
    }
    return isfinite(p) ? p : 0;
}

static void set_weights(int order, double *weights)
{
    weights[0] = -1;
    for (int j = 1; j <= order; j++) weights[j] = -weights[j - 1] * (double)(order - j + 1) / (double)j;
}

/* Larger numbers have larger integers. */
static uint64_t ordered(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? bits ^ UINT64_MAX >> 1 : bits;
}

static uint64_t difference(double x, double p)
{
    const uint64_t d = ordered(x) - ordered(p);
    return d >> 63 ? ~(d << 1) : d << 1;
}

static double cost(const channel *c, const pack_code *code)
{
    double weights[PACK_ORDER_MOST + 1] = { 0 }, bits = 0;
    const size_t stretches = c->count > STRETCHES * STRETCH ? STRETCHES : 1;
    const size_t length = stretches > 1 ? STRETCH : c->count;
    if (code->order >= 0) set_weights(code->order, weights);
    for (size_t s = 0; s < stretches; s++) {
        const size_t first = stretches > 1 ? s * (c->count - length) / (stretches - 1) : 0;
        for (size_t i = first; i < first + length; i++)
            for (uint64_t d = difference(c->x[i], predict(c, code, weights, i)); d; d >>= 1) bits++;
    }
    return bits;
}

static void consider(const channel *c, pack_code code, pack_code *best, double *least)
{
    const double bits = cost(c, &code);
    if (!(bits < *least)) return;
    *best = code;
    *least = bits;
}

static void put_planes(const channel *c, const pack_code *code, unsigned char *planes)
{
    double weights[PACK_ORDER_MOST + 1];
    if (code->order >= 0) set_weights(code->order, weights);
    for (size_t i = 0; i < c->count; i++) {
        uint64_t d = difference(c->x[i], predict(c, code, weights, i));
        for (size_t k = 0; k < 8; k++, d >>= 8) planes[k * c->count + i] = (unsigned char)d;
    }
}

/* ---- a table ---- */

/* The column of a velocity that belongs to a momentum: p.NAME and NAME.dot. Otherwise that of the same quantity which a
   deviation is of. -1: there is none before it. */
static long related(const table *t, const record_column *columns, size_t k)
{
    const record_column *own = &columns[t->columns[k].source];
    const size_t length = strlen(own->name);
    const int is_momentum = strcmp(own->kind, "momentum") == 0 && strncmp(own->name, "p.", 2) == 0;
    for (size_t j = 0; j < k; j++) {
        const record_column *other = &columns[t->columns[j].source];
        if (t->columns[j].deviation) continue;
        if (t->columns[k].deviation && t->columns[j].source == t->columns[k].source) return (long)j;
        if (is_momentum && strcmp(other->kind, "velocity") == 0 && strlen(other->name) == length + 2 &&
            strncmp(other->name, own->name + 2, length - 2) == 0 && strcmp(other->name + length - 2, ".dot") == 0)
            return (long)j;
    }
    return -1;
}

/* x/y where y is largest: of a momentum and a velocity the mass, if it is one number. */
static double ratio_of(const channel *c)
{
    size_t at = 0;
    for (size_t i = 1; i < c->count; i++)
        if (fabs(c->like[i]) > fabs(c->like[at]) && isfinite(c->like[i])) at = i;
    return c->count && c->like[at] != 0 ? c->x[at] / c->like[at] : 1;
}

static void consider_related(const table *t, const packed *p, size_t k, size_t part, size_t j, pack_code *best,
                             double *least)
{
    const size_t at = part * t->rows;
    const channel c = { t->columns[k].values + at, t->columns[j].values + at, t->rows };
    pack_code code = { -1, j * p->parts + part, 1, 0 };
    if (t->columns[k].deviation) {
        code.plus = t->rows ? t->columns[k].values[0] - t->columns[j].values[0] : 0;
        if (isfinite(code.plus)) consider(&c, code, best, least);
        return;
    }
    code.times = ratio_of(&c);
    if (!isfinite(code.times)) return;
    consider(&c, code, best, least);
    code.times = (double)(float)code.times; /* masses with few digits */
    if (isfinite(code.times)) consider(&c, code, best, least);
}

static void pack_channel(const table *t, const record_column *columns, packed *p, size_t k, size_t part,
                         unsigned char *planes)
{
    channel c = { t->columns[k].values + part * t->rows, NULL, t->rows };
    pack_code best = { 0, 0, 0, 0 };
    double least = INFINITY;
    for (int order = 0; order <= PACK_ORDER_MOST; order++) consider(&c, (pack_code){ order, 0, 0, 0 }, &best, &least);
    const long j = related(t, columns, k);
    if (j >= 0) consider_related(t, p, k, part, (size_t)j, &best, &least);
    if (part > 0) {
        c.like = t->columns[k].values;
        consider(&c, (pack_code){ -1, k * p->parts, 1, 0 }, &best, &least);
    }
    if (best.order < 0) c.like = t->columns[best.like / p->parts].values + best.like % p->parts * t->rows;
    put_planes(&c, &best, planes);
    p->codes[k * p->parts + part] = best;
}

int taut_pack(taut_context *context, const table *t, const record_column *columns, packed *p)
{
    *p = (packed){ .parts = t->bucket > 1 ? 3 : 1 };
    p->channel_count = p->parts * t->column_count;
    p->codes = taut_mem_new(context, p->channel_count, sizeof *p->codes);
    unsigned char *planes = taut_mem_new(context, mem_product(p->channel_count, t->rows), 8);
    int status = p->codes && planes ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < p->channel_count; i++)
        pack_channel(t, columns, p, i / p->parts, i % p->parts, planes + 8 * i * t->rows);
    if (!status) status = taut_deflate(context, planes, 8 * p->channel_count * t->rows, &p->bytes, &p->size);
    taut_mem_free(context, planes);
    return status;
}

int taut_pack_whole(taut_context *context, const table *t, const record_column *columns, packed *p)
{
    *p = (packed){ 0 };
    table whole = { .context = context, .rows = (size_t)t->whole_rows, .bucket = 1, .column_count = t->whole_count };
    whole.columns = taut_mem_new(context, t->whole_count, sizeof *whole.columns);
    if (!whole.columns) return TAUT_OUT_OF_MEMORY;
    for (size_t k = 0; k < t->whole_count; k++)
        whole.columns[k] = (table_column){ .source = t->columns[t->whole[k]].source,
                                           .values = t->whole_values + k * (size_t)t->whole_rows };
    const int status = taut_pack(context, &whole, columns, p);
    taut_mem_free(context, whole.columns);
    return status;
}

void taut_pack_clear(taut_context *context, packed *p)
{
    taut_mem_free(context, p->codes);
    taut_mem_free(context, p->bytes);
    *p = (packed){ 0 };
}
