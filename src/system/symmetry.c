#include "system/symmetry.h"

#include <stdio.h>
#include <string.h>

#include "system/system_inside.h"

/* xi = A x (+ b): the infinitesimal action on coordinates (with b) and on their velocities or momenta (without). All A
   here are antisymmetric, so that momenta transform like velocities. */
static void act(const struct system *s, const symmetry *y, const real *x, int with_shift, real *xi)
{
    const model *m = s->m;
    memset(xi, 0, s->n * sizeof *xi);
    if (y->type == SYMMETRY_SHIFT) {
        if (with_shift) xi[y->index] = 1;
        return;
    }
    uint32_t k = y->index, a = (k + 1) % 3, b = (k + 2) % 3; /* e_k x : (.)_b = x_a, (.)_a = -x_b */
    for (size_t i = 0; i < m->group_count; i++) {
        const group *g = &m->groups[i];
        const real *q = x + g->first;
        real *out = xi + g->first;
        if (g->type == GROUP_POINT && y->type == SYMMETRY_TRANSLATION) {
            if (with_shift && k < g->size) out[k] = 1;
        } else if (g->type == GROUP_POINT) {
            if (a < g->size && b < g->size) out[a] = -q[b], out[b] = q[a];
        } else if (g->type == GROUP_ROTATION && y->type == SYMMETRY_ROTATION) {
            /* 1/2 (0, e_k) r */
            out[0] = -q[1 + k] / 2, out[1 + k] = q[0] / 2;
            out[1 + a] = -q[1 + b] / 2, out[1 + b] = q[1 + a] / 2;
        }
    }
}

real X(symmetry_momentum)(const struct system *s, const symmetry *y, const real *q, const real *p)
{
    real sum = 0;
    if (y->type == SYMMETRY_SHIFT) return p[y->index];
    real *xi = s->work->vector;
    act(s, y, q, 1, xi);
    for (uint32_t i = 0; i < s->n; i++) sum += p[i] * xi[i];
    return sum;
}

void X(symmetry_name)(const struct system *s, const symmetry *y, char *buffer, size_t size)
{
    static const char axes[] = "xyz";
    char name[200];
    if (y->type == SYMMETRY_SHIFT) {
        taut_model_coordinate_name(s->m, y->index, name, sizeof name);
        snprintf(buffer, size, "p.%s", name);
    } else {
        snprintf(buffer, size, "%s.%c", y->type == SYMMETRY_TRANSLATION ? "momentum" : "angular_momentum",
                 axes[y->index]);
    }
}

/* ---- testing ---- */

typedef struct {
    struct system *s;
    real *q, *w, *dq, *dw, *gradient, *lambda;
    real *g;      /* values of BLOCK_G */
    uint64_t seed;
} tester;

static real next_random(tester *z) /* in (-1, 1) */
{
    z->seed ^= z->seed << 13, z->seed ^= z->seed >> 7, z->seed ^= z->seed << 17;
    return (real)((double)(z->seed >> 11) / 4503599627370496.0 - 1.0);
}

static void add_product(const real *x, const real *y, uint32_t n, real *sum, real *size)
{
    for (uint32_t i = 0; i < n; i++) {
        *sum += x[i] * y[i];
        *size += REAL(fabs)(x[i] * y[i]);
    }
}

/* 5e3 eps: a true symmetry leaves round-off (of formulas and of the sum); a broken one leaves a good part of the sum,
   or, where a weak outer force stands against strong inner ones that cancel, the ratio of the two. */
static int is_zero(real sum, real size) { return REAL(fabs)(sum) <= 5000 * REAL_EPSILON * size; }

/* -1: the values are not finite here, 0: broken, 1: holds at this state */
static int holds_here(tester *z, const symmetry *y, const place *at)
{
    struct system *s = z->s;
    real sum = 0, size = 0;
    act(s, y, z->q, 1, z->dq);
    act(s, y, z->w, 0, z->dw);
    memset(z->gradient, 0, s->n * sizeof(real));
    X(field_gradient)(s->energy, KIND_Q, at, NULL, z->gradient);
    add_product(z->gradient, z->dq, s->n, &sum, &size);
    memset(z->gradient, 0, s->n * sizeof(real));
    X(field_gradient)(s->energy, KIND_W, at, NULL, z->gradient);
    add_product(z->gradient, z->dw, s->n, &sum, &size);
    if (!(size - size == 0)) return -1;
    if (!is_zero(sum, size)) return 0;
    sum = size = 0;
    memset(z->gradient, 0, s->n * sizeof(real));
    X(field_values)(s->force, at, z->gradient);
    add_product(z->gradient, z->dq, s->n, &sum, &size);
    if (!(size - size == 0)) return -1;
    if (!is_zero(sum, size)) return 0;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    X(system_block_values)(s, BLOCK_G, at, z->g);
    for (int r = 0; r < p->rows; r++) {
        sum = size = 0;
        for (int e = p->start[r]; e < p->start[r + 1]; e++) {
            sum += z->g[e] * z->dq[p->index[e]];
            size += REAL(fabs)(z->g[e] * z->dq[p->index[e]]);
        }
        if (!(size - size == 0)) return -1;
        if (!is_zero(sum, size)) return 0;
    }
    return 1;
}

static int holds(tester *z, const symmetry *y, const real *q, const real *w)
{
    struct system *s = z->s;
    real t = (real)0.37, scale = 0, spread = (real)0.3;
    int tested = 0;
    for (uint32_t i = 0; i < s->n; i++) scale = REAL(fmax)(scale, REAL(fabs)(q[i]));
    if (!(scale > 0)) scale = (real)0.1;
    place at = place_at(s, z->q, z->w, &t, z->lambda);
    for (int trial = 0; trial < 20 && tested < 3; trial++) {
        for (uint32_t i = 0; i < s->n; i++) {
            z->q[i] = q[i] + spread * scale * next_random(z);
            z->w[i] = w[i] + (1 + REAL(fabs)(w[i])) * next_random(z);
        }
        for (uint32_t k = 0; k < s->c; k++) z->lambda[k] = next_random(z);
        int result = holds_here(z, y, &at);
        if (result == 0) return 0;
        /* at rest as well: in units in which velocities are small, a kinetic energy of 1 hides the potential */
        memset(z->w, 0, s->n * sizeof(real));
        if (result > 0 && holds_here(z, y, &at) == 0) return 0;
        if (result < 0)
            spread /= 2; /* outside the domain of a formula: stay nearer to the start */
        else
            tested++, t += (real)0.7;
    }
    return tested == 3;
}

/* Does the action move anything in this model? */
static int applies(const struct system *s, const symmetry *y)
{
    for (size_t i = 0; i < s->m->group_count; i++) {
        const group *g = &s->m->groups[i];
        uint32_t a = (y->index + 1) % 3, b = (y->index + 2) % 3;
        if (g->type == GROUP_POINT && y->type == SYMMETRY_TRANSLATION && y->index < g->size) return 1;
        if (g->type == GROUP_POINT && y->type == SYMMETRY_ROTATION && a < g->size && b < g->size) return 1;
        if (g->type == GROUP_ROTATION && y->type == SYMMETRY_ROTATION) return 1;
    }
    return 0;
}

static void find_all(tester *z, const real *q, const real *w, symmetry *list, int *count)
{
    struct system *s = z->s;
    for (int type = SYMMETRY_TRANSLATION; type <= SYMMETRY_ROTATION; type++)
        for (uint32_t axis = 0; axis < 3; axis++) {
            symmetry y = { (symmetry_type)type, axis };
            if (applies(s, &y) && holds(z, &y, q, w)) list[(*count)++] = y;
        }
    int shifts = 0;
    for (size_t i = 0; i < s->m->group_count && shifts < SYMMETRY_LIMIT - 6; i++) {
        symmetry y = { SYMMETRY_SHIFT, s->m->groups[i].first };
        if (s->m->groups[i].type != GROUP_SCALAR) continue;
        shifts++;
        if (holds(z, &y, q, w)) list[(*count)++] = y;
    }
}

int X(symmetry_find)(struct system *s, const real *q, const real *w, symmetry *list, int *count)
{
    *count = 0;
    if (!s->energy || s->phase_space) return TAUT_OK; /* brackets with chi(q,p) are not looked at */
    int status = X(system_prepare_block)(s, BLOCK_G);
    if (status) return status;
    tester z = { .s = s, .seed = 88172645463325252ULL };
    size_t n = s->n, entries = (size_t)s->blocks[BLOCK_G].value_count;
    real *room = taut_mem_new(s->context, 5 * n + s->c + entries, sizeof *room), *at = room;
    if (!room) return TAUT_OUT_OF_MEMORY;
    real **arrays[] = { &z.q, &z.w, &z.dq, &z.dw, &z.gradient };
    for (int i = 0; i < 5; i++, at += n) *arrays[i] = at;
    z.lambda = at;
    z.g = at + s->c;
    find_all(&z, q, w, list, count);
    taut_mem_free(s->context, room);
    return TAUT_OK;
}
