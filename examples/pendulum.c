/* A pendulum in thirty lines: load, run, read. */
#include <stdio.h>
#include <string.h>
#include <taut/taut.h>

static const char text[] = "local a = point('a', 2)\n"
                           "lagrangian(norm2(a.dot)/2 - 9.81*a.y)\n"
                           "constraint('rod', norm2(a) - 1)\n"
                           "start { a = {1, 0} }\n";

int main(void)
{
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    taut_simulation *pendulum = NULL;
    if (!context) return 1;
    int status = taut_model_load_text(context, "pendulum", text, strlen(text), NULL, 0, &model);
    if (!status) status = taut_simulation_create(context, model, NULL, &pendulum);
    for (int i = 1; !status && i <= 5; i++) {
        taut_run run = { .size = sizeof run, .h = 0.01, .until = 0.2 * i };
        double a[2];
        status = taut_advance(pendulum, &run);
        if (!status) status = taut_get(pendulum, TAUT_POSITION, 0, 2, a, NULL);
        if (!status) printf("t = %.1f  a = (%.4f, %.4f)\n", taut_time(pendulum), a[0], a[1]);
    }
    if (status) fprintf(stderr, "%s\n", taut_error_text(context));
    taut_simulation_release(pendulum);
    taut_model_release(model);
    taut_context_destroy(context);
    return status != 0;
}
