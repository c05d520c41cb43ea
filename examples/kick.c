/* A pendulum at rest gets a kick. The rod answers with an impulse of its own: the velocity stays on the circle. */
#include "example.h"

static const char text[] = "local a = point('a', 2)\n"
                           "lagrangian(norm2(a.dot)/2 - 9.81*a.y)\n"
                           "constraint('rod', norm2(a) - 1)\n"
                           "start { a = {0.6, -0.8} }\n";

int main(void)
{
    taut_context *context = taut_context_create(NULL);
    taut_model *model = load(context, "pendulum", text);
    taut_simulation *z = NULL;
    const double impulse[2] = { 2, 0 };
    CHECK(context, taut_simulation_create(context, model, NULL, &z));
    CHECK(context, taut_kick(z, impulse));
    printf("velocity (%.4f, %.4f)\n", get(context, z, TAUT_VELOCITY, 0), get(context, z, TAUT_VELOCITY, 1));
    printf("|dg/dt| %s\n", get(context, z, TAUT_CONSTRAINT_RATE, 0) < 1e-14 ? "is round-off" : "is not zero");
    advance(context, z, 0.01, 1);
    printf("t = 1  a = (%.4f, %.4f)\n", get(context, z, TAUT_POSITION, 0), get(context, z, TAUT_POSITION, 1));
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
    return 0;
}
