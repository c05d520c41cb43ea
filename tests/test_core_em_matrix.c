/* The derivatives of discrete gradients that the matrix of em is made of, against differences; and the identities that
   em rests on. */
#include "support_system.h"

enum { N = 5 };
static const char text[] =
    "local a, s, u = point 'a', coordinate 's', coordinate 'u'\n"
    "lagrangian((1 + norm2(a)*sin(s)^2)*norm2(a.dot)/2 + s.dot*u.dot*cos(a.x*u)/4 + exp(s)*s.dot^2/2 + u.dot^2)\n"
    "lagrangian(a.y*u.dot - norm(a)^3*log(3 + s*u) - atan2(a.y, 2 + a.x)*acos(u/4)*time() - abs(s)^1.5*tanh(u + "
    "time()))\n"
    "constraint('g', sqrt(norm2(a) + s^2) - u*cos(time()) - 1)\n"
    "start { a = {1, 0.2, 0.1}, s = 0.5, u = free(0.3) }";

typedef struct {
    real q[N], w[N], t, lambda[1];
} point;

static place place_of(const struct system *s, const point *x) { return place_at(s, x->q, x->w, &x->t, x->lambda); }

static void random_point(generator *r, point *x)
{
    for (int i = 0; i < N; i++) x->q[i] = (real)(0.8 + 0.2 * random_number(r)), x->w[i] = (real)random_number(r);
    x->t = (real)random_number(r);
    x->lambda[0] = (real)1.5;
}

static void discrete_at(const struct system *s, field *f, discrete_mode mode, kind by, const point *from,
                        const point *to, const real *weights, real *out)
{
    place x0 = place_of(s, from), x1 = place_of(s, to);
    memset(out, 0, N * sizeof(real));
    X(field_discrete)(f, mode, by, &x0, &x1, weights, out);
}

/* Central differences of order 2 with d = eps^(1/3): errors of eps^(2/3), times third derivatives of some tens. */
static void check_slope(const struct system *s, field *f, discrete_mode mode, kind a, kind b, const real *weights)
{
    generator r = { 5 };
    point from, to;
    real d = REAL(pow)(REAL_EPSILON, (real)1 / 3), values[200], plus[N], minus[N];
    assert_int_equal(X(field_prepare_discrete)(f, mode, a), TAUT_OK);
    assert_int_equal(X(field_prepare_discrete_slope)(f, mode, a, b), TAUT_OK);
    const pattern *p = X(field_discrete_slope_pattern)(f, mode, a, b);
    assert_true(pattern_entries(p) <= 200);
    random_point(&r, &from);
    random_point(&r, &to);
    place x0 = place_of(s, &from), x1 = place_of(s, &to);
    memset(values, 0, sizeof values);
    X(field_discrete_slope)(f, mode, a, b, &x0, &x1, weights, values);
    for (int j = 0; j < N; j++) {
        point moved = to;
        real *variable = b == KIND_Q ? &moved.q[j] : &moved.w[j], here = *variable;
        *variable = here + d;
        discrete_at(s, f, mode, a, &from, &moved, weights, plus);
        *variable = here - d;
        discrete_at(s, f, mode, a, &from, &moved, weights, minus);
        for (int i = 0; i < N; i++) {
            int at = taut_pattern_find(p, i, j);
            assert_near(at >= 0 ? values[at] : 0, (plus[i] - minus[i]) / (2 * d), 300 * d * d, "slope", i * N + j);
        }
    }
}

static void slopes(void **state)
{
    (void)state;
    sample z;
    real weights[1] = { (real)1.5 };
    open_sample(&z, text);
    check_slope(z.s, z.s->energy, DISCRETE_POLARISED, KIND_Q, KIND_Q, NULL);
    check_slope(z.s, z.s->energy, DISCRETE_POLARISED, KIND_Q, KIND_W, NULL);
    check_slope(z.s, z.s->energy, DISCRETE_JOINT, KIND_Q, KIND_Q, NULL);
    check_slope(z.s, z.s->energy, DISCRETE_JOINT, KIND_Q, KIND_W, NULL);
    check_slope(z.s, z.s->energy, DISCRETE_JOINT, KIND_W, KIND_Q, NULL);
    check_slope(z.s, z.s->energy, DISCRETE_JOINT, KIND_W, KIND_W, NULL);
    check_slope(z.s, z.s->constraint, DISCRETE_JOINT, KIND_Q, KIND_Q, weights);
    close_sample(&z);
}

/* E1 - E0 = (v0 + v1)/2.(p1 - p0) - (D_q L~ . dq + D_t L~ dt) for any two states: what em rests on. And L1 - L0 by the
   joint gradient. */
static void identities(void **state)
{
    (void)state;
    sample z;
    generator r = { 9 };
    open_sample(&z, text);
    field *l = z.s->energy;
    for (int mode = 0; mode < DISCRETE_MODES; mode++)
        for (int by = KIND_Q; by <= KIND_T; by++)
            assert_int_equal(X(field_prepare_discrete)(l, (discrete_mode)mode, (kind)by), TAUT_OK);
    for (int trial = 0; trial < 20; trial++) {
        point from, to;
        real p0[N], p1[N], d[N], e0, e1, sum = 0, l0 = 0, l1 = 0, dt = 0;
        random_point(&r, &from);
        random_point(&r, &to);
        place x0 = place_of(z.s, &from), x1 = place_of(z.s, &to);
        X(system_momentum)(z.s, &x0, p0), X(system_momentum)(z.s, &x1, p1);
        e0 = X(system_energy)(z.s, &x0, from.w), e1 = X(system_energy)(z.s, &x1, to.w);
        discrete_at(z.s, l, DISCRETE_POLARISED, KIND_Q, &from, &to, NULL, d);
        X(field_discrete)(l, DISCRETE_POLARISED, KIND_T, &x0, &x1, NULL, &dt);
        for (int i = 0; i < N; i++) sum += (from.w[i] + to.w[i]) / 2 * (p1[i] - p0[i]) - d[i] * (to.q[i] - from.q[i]);
        sum -= dt * (to.t - from.t);
        assert_near(e1 - e0, sum, 100 * REAL_EPSILON, "energy", trial); /* some thirty terms of size one */
        X(field_values)(l, &x0, &l0), X(field_values)(l, &x1, &l1);
        sum = dt = 0;
        for (int by = KIND_Q; by <= KIND_W; by++) {
            discrete_at(z.s, l, DISCRETE_JOINT, (kind)by, &from, &to, NULL, d);
            for (int i = 0; i < N; i++) sum += d[i] * (by == KIND_Q ? to.q[i] - from.q[i] : to.w[i] - from.w[i]);
        }
        X(field_discrete)(l, DISCRETE_JOINT, KIND_T, &x0, &x1, NULL, &dt);
        assert_near(l1 - l0, sum + dt * (to.t - from.t), 100 * REAL_EPSILON, "L", trial);
    }
    close_sample(&z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(slopes, set_up, tear_down),
        cmocka_unit_test_setup_teardown(identities, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
