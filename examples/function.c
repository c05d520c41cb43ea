/* A function of the program in a model: a bead slides on a landscape of three hills that only C knows, with its
   derivatives, and is slowed down by a drag of which there is a value alone. */
#include "example.h"

/* sum of a exp(-((x - x0)^2 + (y - y0)^2)/2), and x^2/10 + y^2/10 around them */
static int landscape(void *user, int order, const double *x, double *value, double *gradient, double *hessian)
{
    static const double hills[3][3] = { { 1, 0, 0.5 }, { -0.5, 1, -0.3 }, { -0.5, -1, 0.4 } };
    (void)user;
    *value = (x[0] * x[0] + x[1] * x[1]) / 10;
    if (order > 0) gradient[0] = x[0] / 5, gradient[1] = x[1] / 5;
    if (order > 1) hessian[0] = hessian[3] = 0.2, hessian[2] = 0; /* hessian[1] is not read */
    for (int i = 0; i < 3; i++) {
        const double dx = x[0] - hills[i][0], dy = x[1] - hills[i][1];
        const double e = hills[i][2] * exp(-(dx * dx + dy * dy) / 2);
        *value += e;
        if (order > 0) gradient[0] -= e * dx, gradient[1] -= e * dy;
        if (order > 1) hessian[0] += e * (dx * dx - 1), hessian[2] += e * dx * dy, hessian[3] += e * (dy * dy - 1);
    }
    return 0;
}

/* A function may refuse: the step then fails with TAUT_REFUSED. */
static int drag(void *user, int order, const double *speed, double *value, double *gradient, double *hessian)
{
    (void)order, (void)gradient, (void)hessian;
    if (speed[0] > *(const double *)user) return 1;
    *value = 0.02 * speed[0] * speed[0];
    return 0;
}

static const char bead[] =
    "local a = point 'a'\n"
    "local v = norm2(a.dot)\n"
    "lagrangian(v/2 - 9.81*a.z)\n"
    "constraint('landscape', a.z - call('landscape', a.x, a.y))\n"
    "force(a, -call('drag', sqrt(v + 1e-12))*a.dot)\n"
    "start { a = {2, 1, free(0.5)} }\n";

int main(void)
{
    double fastest = 50, worst, at[2] = { 0.3, -0.7 };
    taut_context *context = taut_context_create(NULL);
    taut_simulation *z = NULL;
    CHECK(context, taut_define(context, "landscape", 2, 2, landscape, NULL));
    CHECK(context, taut_define(context, "drag", 1, 0, drag, &fastest));
    CHECK(context, taut_check_function(context, "landscape", at, &worst));
    printf("derivatives agree with differences: %s\n", worst < 1e-8 ? "yes" : "no");

    taut_model *model = load(context, "bead", bead);
    CHECK(context, taut_simulation_create(context, model, NULL, &z));
    for (int second = 1; second <= 3; second++) {
        advance(context, z, 0.005, second);
        printf("t = %d  a = (%.4f, %.4f, %.4f)  energy - work = %.4f\n", second, get(context, z, TAUT_POSITION, 0),
               get(context, z, TAUT_POSITION, 1), get(context, z, TAUT_POSITION, 2),
               get(context, z, TAUT_ENERGY, 0) - get(context, z, TAUT_WORK, 0));
    }
    fastest = 0.1;
    taut_error error = { .size = sizeof error };
    const int status = taut_step(z, 0.005);
    taut_context_error(context, &error);
    printf("%s at t = %.2f, because of %s\n", taut_status_name(status), error.time, error.item);

    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
    return 0;
}
