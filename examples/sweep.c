/* A sweep over a parameter without loading the model again: the height that a pendulum reaches after a quarter of a
   second, for several gravities. */
#include "example.h"

static const char text[] = "local a, g = point('a', 2), param('g', 9.81)\n"
                           "lagrangian(norm2(a.dot)/2 - g*a.y)\n"
                           "constraint('rod', norm2(a) - 1)\n"
                           "start { a = {1, 0} }\n";

int main(void)
{
    static const double gravities[] = { 1.62, 3.72, 8.87, 9.81, 24.79 };
    taut_context *context = taut_context_create(NULL);
    taut_model *model = load(context, "pendulum", text);
    taut_simulation *z = NULL;
    CHECK(context, taut_simulation_create(context, model, NULL, &z));
    const size_t g = (size_t)taut_find(z, TAUT_PARAM, "g"), y = (size_t)taut_find(z, TAUT_POSITION, "a.y");
    for (size_t i = 0; i < sizeof gravities / sizeof *gravities; i++) {
        CHECK(context, taut_set(z, TAUT_PARAM, g, 1, &gravities[i])); /* and it is at its start again */
        advance(context, z, 0.01, 0.25);
        printf("g = %5.2f  y = %.4f\n", gravities[i], get(context, z, TAUT_POSITION, y));
    }
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
    return 0;
}
