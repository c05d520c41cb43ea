/* Which gradients depend on others (solve/rank.h), and what is left of a vector without them, where that is hard: the
   gradients are nearly dependent all together, though none is on those before it. */
#include <math.h>

#include "solve/rank.h"

#include "support_system.h"

enum { N = 30, C = N - 1 };

/* Gradients G = L Q: Q is the orthonormal cosine transform, L has 1 on its diagonal and -1 below. Of each a sixth or
   more is independent of those before it, and the smallest singular value is near 2^-N: after one pass of Gram-Schmidt
   what should be orthonormal is so up to 1e-8 only. */
static void fill(const pattern *p, real *values, double gradients[C][N])
{
    const double pi = 3.14159265358979323846;
    double q[N][N];
    for (int k = 0; k < N; k++)
        for (int i = 0; i < N; i++) q[k][i] = sqrt((k ? 2.0 : 1.0) / N) * cos(pi * (i + 0.5) * k / N);
    for (int k = 0; k < C; k++)
        for (int i = 0; i < N; i++) {
            gradients[k][i] = q[k][i];
            for (int j = 0; j < k; j++) gradients[k][i] -= q[j][i];
        }
    for (int k = 0; k < C; k++) {
        assert_int_equal(p->start[k + 1] - p->start[k], N);
        for (int e = p->start[k]; e < p->start[k + 1]; e++) values[e] = (real)gradients[k][p->index[e]];
    }
}

static void what_is_left_has_none_of_the_gradients(void **state)
{
    (void)state;
    static double gradients[C][N];
    static real values[C * N];
    sample z;
    rank *found;
    real x[N];
    double size = 0;
    open_sample(&z, "local s = 0\n"
                    "for i = 1, 30 do\n"
                    "  local q = coordinate('q'..i); lagrangian(q.dot^2/2); start { ['q'..i] = 0 }; s = s + i*q\n"
                    "end\n"
                    "for k = 1, 29 do constraint('c'..k, sin(k*s)) end");
    assert_true(z.s->n == N && z.s->c == C);
    assert_int_equal(X(system_prepare_block)(z.s, BLOCK_G), TAUT_OK);
    fill(z.s->blocks[BLOCK_G].parts[0].shape, values, gradients);
    assert_int_equal(X(rank_create)(z.s, values, &found), TAUT_OK);
    assert_int_equal(X(rank_number)(found), C);
    for (int i = 0; i < N; i++) x[i] = i * 7 % 11 - 5;
    X(rank_remove)(found, x);
    for (int i = 0; i < N; i++) size += (double)(x[i] * x[i]);
    assert_true(size > 1e-4); /* there is a direction that no gradient has */
    for (int k = 0; k < C; k++) {
        double along = 0, length = 0;
        for (int i = 0; i < N; i++)
            along += gradients[k][i] * (double)x[i], length += gradients[k][i] * gradients[k][i];
        /* some ulps; more than 1e-9 after one pass */
        assert_true(fabs(along) / sqrt(length * size) < 1e-10);
    }
    X(rank_destroy)(found);
    close_sample(&z);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test_setup_teardown(what_is_left_has_none_of_the_gradients, set_up,
                                                                        tear_down) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
