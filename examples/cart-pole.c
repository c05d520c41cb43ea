/* Control in the loop: a pole on a cart is held upright by an LQR at 1 kHz. The tangent of a step at the upright rest
   is the discrete plant (A, B); the gain K solves its Riccati equation. Before each step the hook reads the state and
   sets the force. */
#include "example.h"

enum { N = 4 }; /* x, a, and their momenta */

static const char text[] = "local M, m, l, g = param('M', 1), param('m', 0.1), param('l', 0.5), param('g', 9.81)\n"
                           "local x, a, u = coordinate 'x', coordinate 'a', input('u', 0)\n"
                           "lagrangian((M + m)/2*x.dot^2 + m*l*x.dot*a.dot*cos(a) + m*l^2/2*a.dot^2 - m*g*l*cos(a))\n"
                           "force(x, u)\n"
                           "start { x = 0, a = 0 }\n";

/* P = Q + A'PA - A'PB (R + B'PB)^-1 B'PA, by iteration; K = (R + B'PB)^-1 B'PA. */
static void solve_riccati(double A[N][N], const double *B, const double *Q, double R, double *K)
{
    double P[N][N] = { { 0 } };
    for (int round = 0; round < 20000; round++) {
        double PA[N][N] = { { 0 } }, PB[N] = { 0 }, s = R;
        for (int i = 0; i < N; i++)
            for (int k = 0; k < N; k++) {
                PB[i] += P[i][k] * B[k];
                for (int j = 0; j < N; j++) PA[i][j] += P[i][k] * A[k][j];
            }
        for (int i = 0; i < N; i++) s += B[i] * PB[i];
        for (int j = 0; j < N; j++) {
            K[j] = 0;
            for (int i = 0; i < N; i++) K[j] += B[i] * PA[i][j] / s;
        }
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double sum = i == j ? Q[i] : 0;
                for (int k = 0; k < N; k++) sum += A[k][i] * (PA[k][j] - PB[k] * K[j]);
                P[i][j] = sum;
            }
    }
}

static int control(void *user, taut_simulation *z)
{
    const double *K = user;
    double state[N], u = 0;
    int status = taut_get(z, TAUT_POSITION, 0, 2, state, NULL);
    if (!status) status = taut_get(z, TAUT_MOMENTUM, 0, 2, state + 2, NULL);
    for (int i = 0; i < N; i++) u -= K[i] * state[i];
    return status ? status : taut_set(z, TAUT_INPUT, 0, 1, &u);
}

int main(void)
{
    taut_context *context = taut_context_create(NULL);
    taut_model *model = load(context, "cart-pole", text);
    taut_simulation *z = NULL;
    double A[N][N], B[N], K[N];
    const double weights[N] = { 10, 100, 1, 1 }, tilted[2] = { 0, 0.3 };
    CHECK(context, taut_simulation_create(context, model, NULL, &z));
    CHECK(context, taut_linearise(z, 0.001, A[0], B)); /* at the start: upright, at rest */
    solve_riccati(A, B, weights, 0.1, K);
    CHECK(context, taut_set_state(z, 0, tilted, TAUT_VELOCITY, NULL, TAUT_STRICT));
    for (int second = 0; second <= 5; second++) {
        taut_run run = { .size = sizeof run, .h = 0.001, .until = second, .before = control, .user = K };
        CHECK(context, taut_advance(z, &run));
        printf("t = %d  x = %7.4f  angle = %7.4f\n", second, get(context, z, TAUT_POSITION, 0),
               get(context, z, TAUT_POSITION, 1));
    }
    const int upright = fabs(get(context, z, TAUT_POSITION, 1)) < 0.01;
    printf("%s\n", upright ? "It stands." : "It fell.");
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
    return !upright;
}
