#include "system/symmetry.h"

#include <stdio.h>
#include <string.h>

#include "system/system_inside.h"

/* xi = A x (+ b): the infinitesimal action on coordinates (with b) and on their velocities or momenta (without). All A
   here are antisymmetric, so that momenta transform like velocities. */
static inline void act_on(const symmetry *y, const group *g, const real *x, int with_shift, real *xi)
{
    const uint32_t k = y->index, a = (k + 1) % 3, b = (k + 2) % 3; /* e_k x : (.)_b = x_a, (.)_a = -x_b */
    const real *q = x + g->first;
    real *out = xi + g->first;
    if (y->type == SYMMETRY_SHIFT) {
        if (with_shift && k == g->first) out[0] = 1;
    } else if (g->type == GROUP_POINT && y->type == SYMMETRY_TRANSLATION) {
        if (with_shift && k < g->size) out[k] = 1;
    } else if (g->type == GROUP_POINT) {
        if (a < g->size && b < g->size) out[a] = -q[b], out[b] = q[a];
    } else if (g->type == GROUP_ROTATION && y->type == SYMMETRY_ROTATION) {
        /* 1/2 (0, e_k) r */
        out[0] = -q[1 + k] / 2, out[1 + k] = q[0] / 2;
        out[1 + a] = -q[1 + b] / 2, out[1 + b] = q[1 + a] / 2;
    }
}

static void act(const struct system *s, const symmetry *y, const real *x, int with_shift, real *xi)
{
    const model *m = s->m;
    memset(xi, 0, s->n * sizeof *xi);
    for (size_t i = 0; i < m->group_count; i++) act_on(y, &m->groups[i], x, with_shift, xi);
}

void X(symmetry_action)(const struct system *s, const symmetry *y, const real *q, real *xi) { act(s, y, q, 1, xi); }

/* sum += p . A q of a point: q x p, by coordinate */
static inline void turn_point(const real *q, const real *p, real sum[3])
{
    sum[1] += p[0] * q[2], sum[2] += p[0] * -q[1];
    sum[0] += p[1] * -q[2], sum[2] += p[1] * q[0];
    sum[0] += p[2] * q[1], sum[1] += p[2] * -q[0];
}

/* The same of a rotation. */
static inline void turn_rotation(const real *q, const real *p, real sum[3])
{
    const real w = q[0] / 2, x = q[1] / 2, y = q[2] / 2, z = q[3] / 2;
    sum[0] += p[0] * -x, sum[1] += p[0] * -y, sum[2] += p[0] * -z;
    sum[0] += p[1] * w, sum[1] += p[1] * z, sum[2] += p[1] * -y;
    sum[0] += p[2] * -z, sum[1] += p[2] * w, sum[2] += p[2] * x;
    sum[0] += p[3] * y, sum[1] += p[3] * -x, sum[2] += p[3] * w;
}

/* p . xi(q) of translations and rotations about all axes, in one pass. */
void X(symmetry_momenta)(const struct system *s, const symmetry *list, int count, const real *q, const real *p,
                         real *momenta)
{
    const model *m = s->m;
    real along[3] = { 0 }, about[3] = { 0 };
    int moves_all = 0;
    for (int i = 0; i < count; i++) moves_all |= list[i].type != SYMMETRY_SHIFT;
    for (size_t i = 0; moves_all && i < m->group_count; i++) {
        const group *g = &m->groups[i];
        real at[3] = { 0 }, of[3] = { 0 };
        if (g->type == GROUP_ROTATION) turn_rotation(q + g->first, p + g->first, about);
        if (g->type != GROUP_POINT) continue;
        for (uint32_t k = 0; k < g->size; k++) {
            at[k] = q[g->first + k], of[k] = p[g->first + k];
            along[k] += of[k];
        }
        turn_point(at, of, about);
    }
    for (int i = 0; i < count; i++) {
        const uint32_t k = list[i].index;
        momenta[i] = list[i].type == SYMMETRY_SHIFT ? p[k] : list[i].type == SYMMETRY_ROTATION ? about[k] : along[k];
    }
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
    real *q, *w, *dq, *gradient, *lambda;
    real *g;      /* values of BLOCK_G */
    uint64_t seed;
} tester;

/* A symmetry that is looked at: at every state it holds, or it is broken, or the values are not finite there. */
typedef enum { HOLDS, BROKEN, NOT_FINITE } verdict;
typedef struct {
    symmetry y;
    int broken;       /* at one state at least: it is none */
    verdict here;     /* at the state at hand */
    real sum, size;   /* of products that should add up to zero */
} candidate;

static real next_random(tester *z) /* in (-1, 1) */
{
    z->seed ^= z->seed << 13, z->seed ^= z->seed >> 7, z->seed ^= z->seed << 17;
    return (real)((double)(z->seed >> 11) / 4503599627370496.0 - 1.0);
}

/* Adds gradient . xi to the sums, xi by the action on x. */
static void add_product(const tester *z, const real *x, int with_shift, candidate *c)
{
    real sum = c->sum, size = c->size; /* not through memory */
    act(z->s, &c->y, x, with_shift, z->dq);
    for (uint32_t i = 0; i < z->s->n; i++) {
        sum += z->gradient[i] * z->dq[i];
        size += REAL(fabs)(z->gradient[i] * z->dq[i]);
    }
    c->sum = sum, c->size = size;
}

/* 5e3 eps: a true symmetry leaves round-off (of formulas and of the sum); a broken one leaves a good part of the sum,
   or, where a weak outer force stands against strong inner ones that cancel, the ratio of the two. */
static int is_zero(real sum, real size) { return REAL(fabs)(sum) <= 5000 * REAL_EPSILON * size; }

/* The candidates that are not decided at this state. */
static int is_open(const candidate *c) { return !c->broken && c->here == HOLDS; }

static int is_any_left(const candidate *all, int count)
{
    for (int i = 0; i < count; i++)
        if (!all[i].broken) return 1;
    return 0;
}

static void decide(candidate *c)
{
    if (!(c->size - c->size == 0)) c->here = NOT_FINITE;
    else if (!is_zero(c->sum, c->size)) c->here = BROKEN;
}

static void add_action(const tester *z, const real *x, int with_shift, candidate *all, int count)
{
    for (int i = 0; i < count; i++)
        if (is_open(&all[i])) add_product(z, x, with_shift, &all[i]);
}

static void decide_open(candidate *all, int count)
{
    for (int i = 0; i < count; i++)
        if (is_open(&all[i])) decide(&all[i]);
}

static void decide_sums(candidate *all, int count)
{
    decide_open(all, count);
    for (int i = 0; i < count; i++) all[i].sum = all[i].size = 0;
}

/* What belongs to the positions does not depend on the velocities: it is what it is at rest. */
static int is_apart(const struct system *s) { return s->structure.separable && !s->structure.force_velocity; }

static void test_row(const tester *z, const pattern *p, int r, candidate *c)
{
    c->sum = c->size = 0;
    for (int e = p->start[r]; e < p->start[r + 1]; e++) {
        c->sum += z->g[e] * z->dq[p->index[e]];
        c->size += REAL(fabs)(z->g[e] * z->dq[p->index[e]]);
    }
    decide(c);
}

/* What constraints break is seen in the first of them, most often: these are looked at before all else, and of the
   action only what they need. */
enum { FIRST_ROWS = 16 };

static void test_first_rows(tester *z, candidate *c)
{
    const pattern *p = z->s->blocks[BLOCK_G].parts[0].shape;
    const model *m = z->s->m;
    for (int r = 0; r < p->rows && r < FIRST_ROWS && c->here == HOLDS; r++) {
        for (int e = p->start[r]; e < p->start[r + 1]; e++) z->dq[p->index[e]] = 0;
        for (int e = p->start[r]; e < p->start[r + 1]; e++)
            act_on(&c->y, &m->groups[m->group_of[p->index[e]]], z->q, 1, z->dq);
        test_row(z, p, r, c);
    }
    c->sum = c->size = 0;
}

static void test_other_rows(tester *z, candidate *c)
{
    const pattern *p = z->s->blocks[BLOCK_G].parts[0].shape;
    if (p->rows > FIRST_ROWS) act(z->s, &c->y, z->q, 1, z->dq);
    for (int r = FIRST_ROWS; r < p->rows && c->here == HOLDS; r++) test_row(z, p, r, c);
}

/* What becomes of the candidates at this state. Values are evaluated once for all of them. at_rest: z->w is zero, so
   that the action moves no velocities; the constraints, which do not depend on them, were tested before. */
static void test_here(tester *z, const place *at, int at_rest, candidate *all, int count)
{
    struct system *s = z->s;
    if (!is_any_left(all, count)) return;
    for (int i = 0; i < count; i++) all[i].here = HOLDS, all[i].sum = all[i].size = 0;
    if (!at_rest) {
        X(system_block_values)(s, BLOCK_G, at, z->g);
        for (int i = 0; i < count; i++)
            if (is_open(&all[i])) test_first_rows(z, &all[i]);
    }
    memset(z->gradient, 0, s->n * sizeof(real));
    X(field_gradient)(s->energy, KIND_Q, at, NULL, z->gradient);
    add_action(z, z->q, 1, all, count);
    if (is_apart(s)) decide_open(all, count);
    if (!at_rest) {
        memset(z->gradient, 0, s->n * sizeof(real));
        X(field_gradient)(s->energy, KIND_W, at, NULL, z->gradient);
        add_action(z, z->w, 0, all, count);
    }
    decide_sums(all, count);
    if (s->structure.has_forces) {
        memset(z->gradient, 0, s->n * sizeof(real));
        X(field_values)(s->force, at, z->gradient);
        add_action(z, z->q, 1, all, count);
        decide_sums(all, count);
    }
    for (int i = 0; i < count && !at_rest; i++)
        if (is_open(&all[i])) test_other_rows(z, &all[i]);
}

/* Tests the candidates at three random states. A state outside the domain of a formula counts for none of them. */
static void test_all(tester *z, const real *q, const real *w, candidate *all, int count)
{
    struct system *s = z->s;
    real t = (real)0.37, scale = 0, spread = (real)0.3;
    int tested = 0;
    for (uint32_t i = 0; i < s->n; i++) scale = REAL(fmax)(scale, REAL(fabs)(q[i]));
    if (!(scale > 0)) scale = (real)0.1;
    place at = place_at(s, z->q, z->w, &t, z->lambda);
    for (int trial = 0; trial < 20 && tested < 3 && is_any_left(all, count); trial++) {
        int outside = 0;
        for (uint32_t i = 0; i < s->n; i++) {
            z->q[i] = q[i] + spread * scale * next_random(z);
            z->w[i] = w[i] + (1 + REAL(fabs)(w[i])) * next_random(z);
        }
        for (uint32_t k = 0; k < s->c; k++) z->lambda[k] = next_random(z);
        test_here(z, &at, 0, all, count);
        for (int i = 0; i < count; i++) {
            all[i].broken |= all[i].here == BROKEN;
            outside |= !all[i].broken && all[i].here == NOT_FINITE;
        }
        /* at rest as well: in units in which velocities are small, a kinetic energy of 1 hides the potential */
        if (!is_apart(s)) memset(z->w, 0, s->n * sizeof(real));
        if (!outside && !is_apart(s)) test_here(z, &at, 1, all, count);
        for (int i = 0; !outside && i < count; i++) all[i].broken |= all[i].here == BROKEN;
        if (outside)
            spread /= 2; /* stay nearer to the start */
        else
            tested++, t += (real)0.7;
    }
    for (int i = 0; i < count; i++) all[i].broken |= tested < 3;
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
    candidate all[SYMMETRY_LIMIT];
    int candidates = 0, shifts = 0;
    for (int type = SYMMETRY_TRANSLATION; type <= SYMMETRY_ROTATION; type++)
        for (uint32_t axis = 0; axis < 3; axis++) {
            symmetry y = { (symmetry_type)type, axis };
            if (applies(s, &y)) all[candidates++] = (candidate){ .y = y };
        }
    for (size_t i = 0; i < s->m->group_count && shifts < SYMMETRY_LIMIT - 6; i++) {
        symmetry y = { SYMMETRY_SHIFT, s->m->groups[i].first };
        if (s->m->groups[i].type != GROUP_SCALAR) continue;
        shifts++;
        all[candidates++] = (candidate){ .y = y };
    }
    test_all(z, q, w, all, candidates);
    for (int i = 0; i < candidates; i++)
        if (!all[i].broken) list[(*count)++] = all[i].y;
}

int X(symmetry_find)(struct system *s, const real *q, const real *w, symmetry *list, int *count)
{
    *count = 0;
    if (!s->energy || s->phase_space) return TAUT_OK; /* brackets with chi(q,p) are not looked at */
    int status = X(system_prepare_block)(s, BLOCK_G);
    if (status) return status;
    tester z = { .s = s, .seed = 88172645463325252ULL };
    size_t n = s->n, entries = (size_t)s->blocks[BLOCK_G].value_count;
    real *room = taut_mem_new(s->context, 4 * n + s->c + entries, sizeof *room), *at = room;
    if (!room) return TAUT_OUT_OF_MEMORY;
    real **arrays[] = { &z.q, &z.w, &z.dq, &z.gradient };
    for (int i = 0; i < 4; i++, at += n) *arrays[i] = at;
    z.lambda = at;
    z.g = at + s->c;
    find_all(&z, q, w, list, count);
    taut_mem_free(s->context, room);
    return TAUT_OK;
}

/* ---- discrete gradients ---- */

typedef struct {
    tester test;
    field *energy;
    discrete_mode mode;
    real *q1, *w1, *middle, *middle_w; /* the other end, and half way */
    real *by_w;                        /* the gradient by w; test.gradient: by q */
} discrete_tester;

/* Both ends at random. */
static void pick_ends(discrete_tester *z, const real *q, const real *w, real scale, real spread)
{
    tester *t = &z->test;
    for (uint32_t i = 0; i < t->s->n; i++) {
        t->q[i] = q[i] + spread * scale * next_random(t);
        z->q1[i] = t->q[i] + spread * scale * next_random(t);
        t->w[i] = w[i] + (1 + REAL(fabs)(w[i])) * next_random(t);
        z->w1[i] = t->w[i] + (1 + REAL(fabs)(w[i])) * next_random(t);
        z->middle[i] = (t->q[i] + z->q1[i]) / 2;
        z->middle_w[i] = (t->w[i] + z->w1[i]) / 2;
    }
    for (uint32_t k = 0; k < t->s->c; k++) t->lambda[k] = next_random(t);
}

/* D_q f . xi(q) + D_w f . A w */
static verdict test_discrete(discrete_tester *z, const symmetry *y, int with_w)
{
    candidate c = { .y = *y };
    real *by_q = z->test.gradient;
    add_product(&z->test, z->middle, 1, &c);
    if (with_w) {
        z->test.gradient = z->by_w;
        add_product(&z->test, z->middle_w, 0, &c);
        z->test.gradient = by_q;
    }
    decide(&c);
    return c.here;
}

static verdict test_ends(discrete_tester *z, const symmetry *list, int count)
{
    struct system *s = z->test.s;
    const int joint = z->mode == DISCRETE_JOINT;
    real t0 = (real)0.37, t1 = (real)0.47;
    place at0 = place_at(s, z->test.q, z->test.w, &t0, NULL), at1 = place_at(s, z->q1, z->w1, &t1, NULL);
    verdict all = HOLDS;
    memset(z->test.gradient, 0, s->n * sizeof(real));
    memset(z->by_w, 0, s->n * sizeof(real));
    X(field_discrete)(z->energy, z->mode, KIND_Q, &at0, &at1, NULL, z->test.gradient);
    if (joint) X(field_discrete)(z->energy, z->mode, KIND_W, &at0, &at1, NULL, z->by_w);
    for (int i = 0; i < count && all == HOLDS; i++) all = test_discrete(z, &list[i], joint);
    if (!s->c || all != HOLDS) return all;
    memset(z->test.gradient, 0, s->n * sizeof(real));
    X(field_discrete)(s->constraint, DISCRETE_JOINT, KIND_Q, &at0, &at1, z->test.lambda, z->test.gradient);
    for (int i = 0; i < count && all == HOLDS; i++) all = test_discrete(z, &list[i], 0);
    return all;
}

/* Three pairs that are in the domain of all formulas; where there are none nothing is known against it. */
static int suits_all(discrete_tester *z, const real *q, const real *w, const symmetry *list, int count)
{
    real scale = 0, spread = (real)0.1;
    for (uint32_t i = 0; i < z->test.s->n; i++) scale = REAL(fmax)(scale, REAL(fabs)(q[i]));
    if (!(scale > 0)) scale = (real)0.1;
    for (int trial = 0, tested = 0; trial < 20 && tested < 3; trial++) {
        pick_ends(z, q, w, scale, spread);
        const verdict here = test_ends(z, list, count);
        if (here == BROKEN) return 0;
        if (here == HOLDS) tested++;
        else spread /= 2;
    }
    return 1;
}

int X(symmetry_suits_discrete)(struct system *s, field *energy, discrete_mode mode, const real *q, const real *w,
                               const symmetry *list, int count, int *suits)
{
    discrete_tester z = { .test = { .s = s, .seed = 88172645463325252ULL }, .energy = energy, .mode = mode };
    size_t n = s->n;
    *suits = 1;
    if (!count) return TAUT_OK;
    int status = X(field_prepare_discrete)(energy, mode, KIND_Q);
    if (!status && mode == DISCRETE_JOINT) status = X(field_prepare_discrete)(energy, mode, KIND_W);
    if (!status && s->c) status = X(field_prepare_discrete)(s->constraint, DISCRETE_JOINT, KIND_Q);
    if (status) return status;
    real *room = taut_mem_new(s->context, 9 * n + s->c, sizeof *room), *at = room;
    if (!room) return TAUT_OUT_OF_MEMORY;
    real **arrays[] = { &z.test.q, &z.test.w, &z.test.dq, &z.test.gradient, &z.q1, &z.w1, &z.middle, &z.middle_w,
                        &z.by_w };
    for (int i = 0; i < 9; i++, at += n) *arrays[i] = at;
    z.test.lambda = at;
    *suits = suits_all(&z, q, w, list, count);
    taut_mem_free(s->context, room);
    return TAUT_OK;
}
