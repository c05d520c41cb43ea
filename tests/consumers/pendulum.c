/* A program of somebody else, in C and in C++: a pendulum swings once forth and back by the installed library. Its own
   names are some that the library uses inside. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <taut/taut.h>

int note(int x);
int run_loop(int x);
int taut_fail(int x);
int note(int x) { return x + 1; }
int run_loop(int x) { return note(x); }
int taut_fail(int x) { return run_loop(x); }

static const char text[] = "local a = point('a', 2)\n"
                           "lagrangian(norm2(a.dot)/2 - 9.81*a.y)\n"
                           "constraint('rod', norm2(a) - 1)\n"
                           "start { a = {1, 0} }\n";

int main(void)
{
    taut_model *model = NULL;
    taut_simulation *simulation = NULL;
    double energy = 1, a[2] = { 0, 0 };
    taut_run run;
    memset(&run, 0, sizeof run);
    run.size = sizeof run, run.h = 0.01, run.until = 1;
    taut_context *context = taut_context_create(NULL);
    if (!context || taut_version() != TAUT_VERSION_NUMBER || taut_fail(1) != 2) return 1;
    int status = taut_model_load_text(context, "pendulum", text, strlen(text), NULL, 0, &model);
    if (!status) status = taut_simulation_create(context, model, NULL, &simulation);
    if (!status) status = taut_advance(simulation, &run);
    if (!status) status = taut_get(simulation, TAUT_ENERGY, 0, 1, &energy, NULL);
    if (!status) status = taut_get(simulation, TAUT_POSITION, 0, 2, a, NULL);
    if (status) fprintf(stderr, "%s\n", taut_error_text(context));
    taut_simulation_release(simulation);
    taut_model_release(model);
    taut_context_destroy(context);
    if (status || fabs(energy) > 1e-3 || fabs(hypot(a[0], a[1]) - 1) > 1e-12) return 1;
    printf("x = %.6f  y = %.6f\n", a[0], a[1]);
    return 0;
}
