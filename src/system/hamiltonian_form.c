#include "system/hamiltonian_form.h"

#include <string.h>

#include "linalg/dense.h"
#include "system/state.h"
#include "system/system_inside.h"

void X(hamiltonian_form_destroy)(hamiltonian_form *z)
{
    if (!z) return;
    X(field_destroy)(z->field);
    if (z->store) taut_family_clear(z->store, &z->family);
    taut_store_destroy(z->store);
    taut_mem_free(z->context, z->constants);
    taut_mem_free(z->context, z);
}

/* ---- is there one? ---- */

/* The mass matrix at some state. */
typedef struct {
    struct system *s;
    const pattern *shape;
    real *q, *w, *values, *slope;  /* slope: L_w at w = 0 */
    real t;
    uint64_t seed;
} probe;

static real random_number(probe *z) /* in (-1, 1) */
{
    z->seed = z->seed * 6364136223846793005u + 1442695040888963407u;
    return (real)((double)(z->seed >> 11) / 4503599627370496.0 - 1);
}

/* State 0 has the unit quaternion, where e_a are the unit vectors. */
static void look(probe *z, int state)
{
    struct system *s = z->s;
    for (uint32_t i = 0; i < s->n; i++) {
        int rotation = s->m->groups[s->m->group_of[i]].type == GROUP_ROTATION;
        z->q[i] = random_number(z);
        z->w[i] = random_number(z);
        if (rotation && state == 0) z->q[i] = i == s->m->groups[s->m->group_of[i]].first;
    }
    z->t = random_number(z);
    place at = place_at(s, z->q, z->w, &z->t, NULL), rest = place_at(s, z->q, NULL, &z->t, NULL);
    memset(z->values, 0, (size_t)pattern_entries(z->shape) * sizeof(real));
    X(field_hessian)(s->energy, KIND_W, KIND_W, &at, NULL, z->values);
    memset(z->slope, 0, s->n * sizeof(real));
    X(field_gradient)(s->energy, KIND_W, &rest, NULL, z->slope);
}

static real entry(const probe *z, uint32_t i, uint32_t j)
{
    int at = taut_pattern_find(z->shape, (int)i, (int)j);
    return at >= 0 ? z->values[at] : 0;
}

/* e_0 = q, e_a = q times the a-th unit */
static void frame(const real *q, real e[4][4])
{
    for (int i = 0; i < 4; i++) e[0][i] = q[i];
    for (int a = 0; a < 3; a++) {
        int b = (a + 1) % 3, c = (a + 2) % 3; /* u x e_a = u_c e_b - u_b e_c */
        memset(e[a + 1], 0, sizeof e[a + 1]);
        e[a + 1][0] = -q[a + 1];
        e[a + 1][a + 1] = q[0];
        e[a + 1][b + 1] = q[c + 1];
        e[a + 1][c + 1] = -q[b + 1];
    }
}

/* K of the rotation whose coordinates begin at `first`. */
static void body_matrix(const probe *z, uint32_t first, real k[16])
{
    const real *q = z->q + first;
    real e[4][4], size = 0;
    frame(q, e);
    for (int i = 0; i < 4; i++) size += q[i] * q[i];
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            real sum = 0;
            for (uint32_t i = 0; i < 4; i++)
                for (uint32_t j = 0; j < 4; j++) sum += e[a][i] * entry(z, first + i, first + j) * e[b][j];
            k[4 * a + b] = sum / (4 * size * size);
        }
}

/* 1e4 ulps: formulas of a few operations on numbers of size one */
static int same(real x, real y, real size) { return REAL(fabs)(x - y) <= 10000 * REAL_EPSILON * size; }

/* Is the row of coordinate i as it should be, at this state? */
static int row_fits(const probe *z, uint32_t i)
{
    const model *m = z->s->m;
    const group *own = &m->groups[m->group_of[i]];
    int rotation = own->type == GROUP_ROTATION;
    for (int k = z->shape->start[i]; k < z->shape->start[i + 1]; k++) {
        uint32_t j = (uint32_t)z->shape->index[k];
        int inside = rotation ? m->group_of[j] == m->group_of[i] : j == i;
        if (!inside && z->values[k] != 0) return 0;
    }
    return z->slope[i] == 0 && (rotation || entry(z, i, i) != 0);
}

void X(hamiltonian_form_clean)(const struct system *s, const real *q, real *p, real *p_low)
{
    for (size_t k = 0; k < s->m->group_count; k++) {
        const group *own = &s->m->groups[k];
        if (own->type != GROUP_ROTATION) continue;
        real along = 0, size = 0, change[4];
        for (uint32_t i = own->first; i < own->first + 4; i++) along += q[i] * p[i], size += q[i] * q[i];
        for (uint32_t i = 0; i < 4; i++) change[i] = -along / size * q[own->first + i];
        X(add_compensated)(p + own->first, p_low + own->first, change, 4);
    }
}

static int state_fits(probe *z, real *inertias)
{
    const model *m = z->s->m;
    for (uint32_t i = 0; i < z->s->n; i++)
        if (!row_fits(z, i)) return 0;
    for (size_t g = 0; g < m->group_count; g++) {
        real k[16], size = 0;
        if (m->groups[g].type != GROUP_ROTATION) continue;
        body_matrix(z, m->groups[g].first, k);
        for (int i = 0; i < 16; i++) size = real_most(size, inertias[16 * g + (size_t)i]);
        for (int i = 0; i < 16; i++)
            if (!same(k[i], inertias[16 * g + (size_t)i], size)) return 0;
        for (int a = 1; a < 4; a++) /* q itself is apart */
            if (!same(k[a], 0, size) || !same(k[4 * a], 0, size)) return 0;
    }
    return 1;
}

/* ---- the formula ---- */

/* p.e_a(q) */
static expr projection(graph *g, uint32_t first, int a)
{
    expr q[4], p[4];
    for (uint32_t i = 0; i < 4; i++)
        q[i] = taut_expr_variable(g, KIND_Q, first + i), p[i] = taut_expr_variable(g, KIND_W, first + i);
    if (a == 0) {
        expr sum = taut_expr_mul(g, q[0], p[0]);
        for (int i = 1; i < 4; i++) sum = taut_expr_add(g, sum, taut_expr_mul(g, q[i], p[i]));
        return sum;
    }
    int b = 1 + a % 3, c = 1 + (a + 1) % 3;
    expr sum = taut_expr_sub(g, taut_expr_mul(g, q[0], p[a]), taut_expr_mul(g, q[a], p[0]));
    return taut_expr_add(g, sum, taut_expr_sub(g, taut_expr_mul(g, q[c], p[b]), taut_expr_mul(g, q[b], p[c])));
}

static expr rotation_term(graph *g, uint32_t first, const real *inverse)
{
    expr size = taut_expr_number(g, 0), sum = size;
    for (uint32_t i = 0; i < 4; i++)
        size = taut_expr_add(g, size, taut_expr_powi(g, taut_expr_variable(g, KIND_Q, first + i), 2));
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) {
            if (inverse[4 * a + b] == 0) continue;
            expr product = taut_expr_mul(g, projection(g, first, a), projection(g, first, b));
            sum = taut_expr_add(g, sum, taut_expr_mul(g, taut_expr_number(g, (wide)(inverse[4 * a + b] / 8)), product));
        }
    return taut_expr_div(g, sum, taut_expr_powi(g, size, 2));
}

/* -L(q,0,t) */
static int add_potential(struct system *s, hamiltonian_form *z)
{
    graph *g = s->m->graph;
    expr *velocities = taut_mem_new(s->context, s->n, sizeof *velocities),
         *zeros = taut_mem_new(s->context, s->n, sizeof *zeros);
    int status = velocities && zeros ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; !status && i < s->n; i++) {
        velocities[i] = taut_expr_variable(g, KIND_W, i), zeros[i] = taut_expr_number(g, 0);
        if (!velocities[i] || !zeros[i]) status = TAUT_OUT_OF_MEMORY;
    }
    for (size_t k = 0; !status && k < s->m->summand_count; k++) {
        expr rest = taut_expr_neg(g, taut_expr_substitute(g, s->m->summands[k].value, velocities, zeros, s->n));
        status = rest ? taut_family_add(z->store, &z->family, 0, rest) : TAUT_OUT_OF_MEMORY;
    }
    taut_mem_free(s->context, velocities);
    taut_mem_free(s->context, zeros);
    return status;
}

/* masses[i] = d^2 L/dv_i^2 */
static int find_masses(struct system *s, expr *masses)
{
    graph *g = s->m->graph;
    for (size_t k = 0; k < s->m->summand_count; k++) {
        expr value = s->m->summands[k].value, *nodes;
        size_t count;
        int status = taut_expr_reachable(g, &value, 1, &nodes, &count);
        for (size_t i = 0; !status && i < count; i++) {
            node n = *taut_graph_node(g, nodes[i]);
            if (n.op != OP_VARIABLE || n.b != KIND_W) continue;
            expr mass = taut_expr_derivative(g, taut_expr_derivative(g, value, nodes[i]), nodes[i]);
            masses[n.a] = masses[n.a] ? taut_expr_add(g, masses[n.a], mass) : mass;
            if (!masses[n.a]) status = TAUT_OUT_OF_MEMORY;
        }
        taut_expr_list_free(g, nodes);
        if (status) return status;
    }
    return TAUT_OK;
}

static int add_kinetic(struct system *s, const expr *masses, const real *inertias, hamiltonian_form *z)
{
    graph *g = s->m->graph;
    int status = TAUT_OK;
    for (size_t k = 0; !status && k < s->m->group_count; k++) {
        const group *own = &s->m->groups[k];
        if (own->type == GROUP_ROTATION) {
            real matrix[16], inverse[16], work[4];
            int pivot[4];
            memcpy(matrix, inertias + 16 * k, sizeof matrix);
            X(dense_invert)(4, matrix, inverse, pivot, work, 0);
            expr term = rotation_term(g, own->first, inverse);
            status = term ? taut_family_add(z->store, &z->family, 0, term) : TAUT_OUT_OF_MEMORY;
            continue;
        }
        for (uint32_t i = own->first; !status && i < own->first + own->size; i++) {
            expr square = taut_expr_mul(g, taut_expr_number(g, (wide)0.5),
                                        taut_expr_powi(g, taut_expr_variable(g, KIND_W, i), 2));
            expr term = taut_expr_div(g, square, masses[i]);
            status = term ? taut_family_add(z->store, &z->family, 0, term) : TAUT_OUT_OF_MEMORY;
        }
    }
    return status;
}

static int make_field(struct system *s, hamiltonian_form *z)
{
    size_t count = taut_store_constant_count(z->store);
    const expr *constants = taut_store_constants(z->store);
    uint32_t sizes[KIND_COUNT] = { s->n, s->n, 1, s->c };
    int status = TAUT_OK;
    z->family.row_count = 1;
    z->constants = taut_mem_new(s->context, count, sizeof *z->constants);
    if (!z->constants) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) status = X(system_constant)(s, constants[i], &z->constants[i]);
    return status ? status : X(field_create)(z->store, &z->family, sizes, z->constants, s->work, &z->field);
}

static int build(struct system *s, const real *inertias, hamiltonian_form **result)
{
    hamiltonian_form *z = taut_mem_new(s->context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->context = s->context;
    z->store = taut_store_create(s->context, s->m->graph);
    expr *masses = taut_mem_new(s->context, s->n, sizeof *masses);
    int status = z->store && masses ? add_potential(s, z) : TAUT_OUT_OF_MEMORY;
    if (!status) status = find_masses(s, masses);
    if (!status) status = add_kinetic(s, masses, inertias, z);
    taut_mem_free(s->context, masses);
    if (!status) status = make_field(s, z);
    if (status)
        X(hamiltonian_form_destroy)(z);
    else
        *result = z;
    return status;
}

static int has_rotation(const model *m)
{
    for (size_t g = 0; g < m->group_count; g++)
        if (m->groups[g].type == GROUP_ROTATION) return 1;
    return 0;
}

static int examine(struct system *s, probe *z, real *inertias, hamiltonian_form **result)
{
    const model *m = s->m;
    look(z, 0);
    for (size_t g = 0; g < m->group_count; g++)
        if (m->groups[g].type == GROUP_ROTATION) body_matrix(z, m->groups[g].first, inertias + 16 * g);
    for (int state = 0; state < 4; state++) {
        if (state) look(z, state);
        if (!state_fits(z, inertias)) return TAUT_OK;
    }
    return build(s, inertias, result);
}

int X(hamiltonian_form_find)(struct system *s)
{
    if (s->hamiltonian_sought) return TAUT_OK;
    int varies = s->structure.diagonal_mass && !s->structure.uncoupled;
    if (s->form != FORM_LAGRANGIAN || !(varies || has_rotation(s->m))) {
        s->hamiltonian_sought = 1;
        return TAUT_OK;
    }
    probe z = { .s = s, .seed = 1, .shape = X(field_hessian_pattern)(s->energy, KIND_W, KIND_W) };
    size_t n = s->n, entries = (size_t)pattern_entries(z.shape);
    real *room = taut_mem_new(s->context, 3 * n + entries + 16 * s->m->group_count, sizeof *room);
    if (!room) return TAUT_OUT_OF_MEMORY;
    z.q = room, z.w = room + n, z.slope = room + 2 * n, z.values = room + 3 * n;
    int status = examine(s, &z, z.values + entries, &s->hamiltonian);
    s->hamiltonian_sought = !status;
    taut_mem_free(s->context, room);
    return status;
}
