/* Slopes of discrete Lagrangians and their derivative. With embedded points, A = sum b_i (L_z' - h (1-c_i) L_z) and Z = (1, chart_q),
 *
 *     -D1 L_d = Z0' A,     d(-D1 L_d)/dv = Z0' K Z1,   K = sum b_i (L_z'z' + h c_i L_z'z - h (1-c_i) (L_zz' + h c_i L_zz)).
 *
 * No product is formed: with u = y' and the y-part of A as unknowns of their own the matrix is sparse in blocks,
 *
 *         v   u     a    lambda
 *       | K K | chart0' | -w G0' |   q-part
 *       | K K |   -1    |        |   y-part:  A_y - a
 *       | -chart1   1   |        |   u - chart1 v
 *       | G1            |        |                        */
#include "method/discrete.h"

#include <string.h>

#include "solve/assembly.h"

enum { PART_WW, PART_WQ, PART_QW, PART_QQ, PART_COUNT }; /* second derivatives of L by z' and z */

struct discrete {
    struct system *s;
    discrete_rule rule;
    field *energy;                     /* L of (z, z') */
    uint32_t n, c, y, z;               /* z = n + y */
    assembly *matrix;
    block_shape parts[PART_COUNT], force_q, force_w, force_lambda, chart_q, chart_transposed, g_transposed, identity;
    pattern *identity_shape;
    int id_parts[PART_COUNT], id_force_q, id_force_w, id_force_lambda, id_chart0, id_chart1, id_minus, id_plus, id_g0, id_g1;
    real *values;                      /* of the largest block */
    real *chart0, *chart1;             /* values of chart_q at both ends */
    real *z0, *z1, *rate;              /* ends and z' */
    real *node[DISCRETE_NODES], node_t[DISCRETE_NODES];
    real *slope_q, *slope_w, *sum;     /* L_z, L_z' at a node; A */
    real *force;
    real *unknowns;
    /* the interval */
    real t0, t1, h;
};

void discrete_destroy(discrete *d)
{
    if (!d) return;
    taut_context *context = d->s->context;
    real *arrays[] = { d->values, d->chart0, d->chart1, d->z0, d->z1, d->rate, d->node[0], d->node[1], d->slope_q, d->slope_w,
                       d->sum, d->force, d->unknowns };
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) mem_free(context, arrays[i]);
    pattern_destroy(context, d->identity_shape);
    assembly_destroy(d->matrix);
    mem_free(context, d);
}

/* ---- creation ---- */

static block_shape one_part(block_part part)
{
    block_shape b = { .part_count = 1 };
    b.parts[0] = part;
    return b;
}

static int prepare_blocks(discrete *d)
{
    static const kind kinds[PART_COUNT][2] = { { KIND_W, KIND_W }, { KIND_W, KIND_Q }, { KIND_Q, KIND_W }, { KIND_Q, KIND_Q } };
    struct system *s = d->s;
    int status = system_prepare_block(s, BLOCK_G);
    for (int i = 0; !status && i < PART_COUNT; i++) {
        d->parts[i] = one_part((block_part){ PART_HESSIAN, d->energy, kinds[i][0], kinds[i][1], 1, 0, 0, NULL, 0 });
        status = block_prepare(s, &d->parts[i]);
    }
    d->force_q = one_part((block_part){ PART_JACOBIAN, s->force, KIND_Q, KIND_Q, 1, 0, 0, NULL, 0 });
    d->force_w = one_part((block_part){ PART_JACOBIAN, s->force, KIND_W, KIND_W, 1, 0, 0, NULL, 0 });
    d->force_lambda = one_part((block_part){ PART_JACOBIAN, s->force, KIND_LAMBDA, KIND_LAMBDA, 1, 0, 0, NULL, 0 });
    d->g_transposed = one_part((block_part){ PART_JACOBIAN, s->constraint, KIND_Q, KIND_Q, 1, 0, 1, NULL, 0 });
    if (!status) status = block_prepare(s, &d->force_q);
    if (!status) status = block_prepare(s, &d->force_w);
    if (!status) status = block_prepare(s, &d->force_lambda);
    if (!status) status = block_prepare(s, &d->g_transposed);
    if (status || !d->y) return status;
    d->chart_q = one_part((block_part){ PART_JACOBIAN, s->chart, KIND_Q, KIND_Q, 1, 0, 0, NULL, 0 });
    d->chart_transposed = d->chart_q;
    d->chart_transposed.parts[0].transposed = 1;
    status = field_prepare_values(s->chart);
    if (!status) status = block_prepare(s, &d->chart_q);
    if (!status) status = block_prepare(s, &d->chart_transposed);
    return status;
}

static int make_identity(discrete *d)
{
    struct system *s = d->s;
    int *index = mem_new(s->context, d->y, sizeof *index);
    if (!index) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < d->y; i++) index[i] = (int)i;
    int status = pattern_create(s->context, (int)d->y, (int)d->y, index, index, d->y, &d->identity_shape);
    mem_free(s->context, index);
    d->identity = one_part((block_part){ PART_IDENTITY, NULL, 0, 0, 1, 0, 0, NULL, 0 });
    d->identity.parts[0].shape = d->identity_shape;
    d->identity.value_count = (int)d->y;
    return status;
}

static int create_matrix(discrete *d)
{
    struct system *s = d->s;
    int n = (int)d->n, y = (int)d->y, z = (int)d->z, c = (int)d->c, lambda = z + y;
    int status = assembly_create(s->context, lambda + c, &d->matrix);
    assembly *a = d->matrix;
    for (int i = 0; !status && i < PART_COUNT; i++) status = assembly_add(a, &d->parts[i], 0, 0, &d->id_parts[i]);
    if (!status && s->structure.has_forces) {
        status = assembly_add(a, &d->force_q, 0, 0, &d->id_force_q);
        if (!status) status = assembly_add(a, &d->force_w, 0, 0, &d->id_force_w);
        if (!status) status = assembly_add(a, &d->force_lambda, 0, lambda, &d->id_force_lambda);
    }
    if (!status && y) {
        status = make_identity(d);
        if (!status) status = assembly_add(a, &d->chart_transposed, 0, z, &d->id_chart0);
        if (!status) status = assembly_add(a, &d->identity, n, z, &d->id_minus);
        if (!status) status = assembly_add(a, &d->chart_q, z, 0, &d->id_chart1);
        if (!status) status = assembly_add(a, &d->identity, z, n, &d->id_plus);
    }
    if (!status) status = assembly_add(a, &d->g_transposed, 0, lambda, &d->id_g0);
    if (!status) status = assembly_add(a, &s->blocks[BLOCK_G], lambda, 0, &d->id_g1);
    return status ? status : assembly_finish(a, 0);
}

static int create_arrays(discrete *d)
{
    int largest = (int)d->y;
    const block_shape *all_blocks[] = { &d->parts[0], &d->parts[1], &d->parts[2], &d->parts[3], &d->force_q, &d->force_w,
                                        &d->force_lambda, &d->g_transposed };
    for (size_t i = 0; i < sizeof all_blocks / sizeof *all_blocks; i++)
        if (all_blocks[i]->value_count > largest) largest = all_blocks[i]->value_count;
    size_t chart = (size_t)d->chart_q.value_count;
    struct { real **array; size_t size; } all[] = {
        { &d->values, (size_t)largest }, { &d->chart0, chart }, { &d->chart1, chart }, { &d->z0, d->z }, { &d->z1, d->z },
        { &d->rate, d->z }, { &d->node[0], d->z }, { &d->node[1], d->z }, { &d->slope_q, d->z }, { &d->slope_w, d->z },
        { &d->sum, d->z }, { &d->force, d->n }, { &d->unknowns, (size_t)d->z + d->y + d->c },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!(*all[i].array = mem_new(d->s->context, all[i].size, sizeof(real)))) return TAUT_OUT_OF_MEMORY;
    return TAUT_OK;
}

int discrete_create(struct system *s, const discrete_rule *rule, discrete **result)
{
    discrete *d = mem_new(s->context, 1, sizeof *d);
    *result = NULL;
    if (!d) return TAUT_OUT_OF_MEMORY;
    d->s = s;
    d->rule = *rule;
    d->n = s->n, d->c = s->c, d->y = s->embedded, d->z = s->n + s->embedded;
    d->energy = s->ambient ? s->ambient : s->energy;
    int status = field_prepare_gradient(d->energy, KIND_Q);
    if (!status) status = field_prepare_gradient(d->energy, KIND_W);
    if (!status) status = prepare_blocks(d);
    if (!status) status = create_arrays(d);
    if (!status) status = create_matrix(d);
    if (status)
        discrete_destroy(d);
    else
        *result = d;
    return status;
}

/* ---- values ---- */

/* z = (q, chart(q,t)), and the chart's derivative */
static void embed(discrete *d, const real *q, const real *t, real *z, real *chart)
{
    place at = place_at(q, NULL, t, NULL);
    memcpy(z, q, d->n * sizeof(real));
    if (!d->y) return;
    memset(z + d->n, 0, d->y * sizeof(real));
    field_values(d->s->chart, &at, z + d->n);
    block_values(&d->chart_q, &at, chart);
}

void discrete_begin(discrete *d, const real *q0, real t0, real t1, real h)
{
    d->t0 = t0, d->t1 = t1, d->h = h;
    embed(d, q0, &d->t0, d->z0, d->chart0);
}

/* out = Z' x */
static void pull_back(const discrete *d, const real *chart, const real *x, real *out)
{
    memcpy(out, x, d->n * sizeof(real));
    if (d->y) block_multiply_transposed(&d->chart_q, chart, 1, x + d->n, out);
}

static place place_of(const discrete *d, int i, const real *lambda)
{
    return place_at(d->node[i], d->rate, &d->node_t[i], lambda);
}

static void place_nodes(discrete *d, const real *q1, const real *v)
{
    embed(d, q1, &d->t1, d->z1, d->chart1);
    memcpy(d->rate, v, d->n * sizeof(real));
    for (uint32_t k = d->n; k < d->z; k++) d->rate[k] = (d->z1[k] - d->z0[k]) / d->h;
    for (int i = 0; i < d->rule.count; i++) {
        real c = d->rule.c[i];
        for (uint32_t k = 0; k < d->z; k++) d->node[i][k] = c == 1 ? d->z1[k] : d->z0[k] + c * (d->z1[k] - d->z0[k]);
        d->node_t[i] = c == 1 ? d->t1 : d->t0 + c * d->h;
    }
}

void discrete_slopes(discrete *d, const real *q1, const real *v, real *departure, real *arrival)
{
    size_t bytes = d->z * sizeof(real);
    real *push = d->unknowns; /* work: D2 L_d by z1, or h sum b_i L_q */
    place_nodes(d, q1, v);
    memset(d->sum, 0, bytes);
    memset(push, 0, bytes);
    for (int i = 0; i < d->rule.count; i++) {
        real b = d->rule.b[i], c = d->rule.c[i];
        place at = place_of(d, i, NULL);
        memset(d->slope_q, 0, bytes);
        memset(d->slope_w, 0, bytes);
        field_gradient(d->energy, KIND_Q, &at, NULL, d->slope_q);
        field_gradient(d->energy, KIND_W, &at, NULL, d->slope_w);
        for (uint32_t k = 0; k < d->z; k++) {
            d->sum[k] += b * (d->slope_w[k] - d->h * (1 - c) * d->slope_q[k]);
            push[k] += b * (d->y ? d->slope_w[k] + d->h * c * d->slope_q[k] : d->h * d->slope_q[k]);
        }
    }
    if (departure) pull_back(d, d->chart0, d->sum, departure);
    if (arrival) pull_back(d, d->chart1, push, arrival);
}

void discrete_force(discrete *d, int end, const real *lambda, real *out)
{
    if (!d->s->structure.has_forces) return;
    for (int i = 0; i < d->rule.count; i++) {
        real c = d->rule.c[i], weight = d->h * d->rule.b[i] * (end ? c : 1 - c);
        place at = place_of(d, i, lambda);
        if (weight == 0) continue;
        memset(d->force, 0, d->n * sizeof(real));
        field_values(d->s->force, &at, d->force);
        for (uint32_t k = 0; k < d->n; k++) out[k] += weight * d->force[k];
    }
}

/* ---- the matrix ---- */

static void put(discrete *d, const block_shape *b, const place *at, int id, real factor)
{
    if (factor == 0) return;
    block_values(b, at, d->values);
    assembly_put(d->matrix, id, factor, d->values);
}

static void put_node(discrete *d, int i, const real *lambda)
{
    real b = d->rule.b[i], c = d->rule.c[i], left = d->h * (1 - c), right = d->h * c;
    place at = place_of(d, i, lambda);
    put(d, &d->parts[PART_WW], &at, d->id_parts[PART_WW], b);
    put(d, &d->parts[PART_WQ], &at, d->id_parts[PART_WQ], b * right);
    put(d, &d->parts[PART_QW], &at, d->id_parts[PART_QW], -b * left);
    put(d, &d->parts[PART_QQ], &at, d->id_parts[PART_QQ], -b * left * right);
    if (!d->s->structure.has_forces) return;
    put(d, &d->force_w, &at, d->id_force_w, -b * left);
    put(d, &d->force_q, &at, d->id_force_q, -b * left * right);
    put(d, &d->force_lambda, &at, d->id_force_lambda, -b * left);
}

int discrete_factor(discrete *d, const real *lambda, real weight)
{
    assembly_zero(d->matrix);
    for (int i = 0; i < d->rule.count; i++) put_node(d, i, lambda);
    if (d->y) {
        assembly_put(d->matrix, d->id_chart0, 1, d->chart0);
        assembly_put(d->matrix, d->id_chart1, -1, d->chart1);
        for (uint32_t k = 0; k < d->y; k++) d->values[k] = 1;
        assembly_put(d->matrix, d->id_plus, 1, d->values);
        assembly_put(d->matrix, d->id_minus, -1, d->values);
    }
    place start = place_at(d->z0, NULL, &d->t0, NULL), end = place_at(d->z1, NULL, &d->t1, NULL);
    put(d, &d->g_transposed, &start, d->id_g0, -weight);
    put(d, &d->s->blocks[BLOCK_G], &end, d->id_g1, 1);
    return assembly_factor(d->matrix);
}

int discrete_solve(discrete *d, real *r)
{
    real *x = d->unknowns;
    size_t own = d->z + d->y;
    memset(x, 0, own * sizeof *x);
    memcpy(x, r, d->n * sizeof *x);
    memcpy(x + own, r + d->n, d->c * sizeof *x);
    int status = assembly_solve(d->matrix, x);
    memcpy(r, x, d->n * sizeof *x);
    memcpy(r + d->n, x + own, d->c * sizeof *x);
    return status;
}
