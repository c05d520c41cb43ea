/* overhead N: N steps of a pendulum into an array of all columns, as overhead.py does. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taut/taut.h>

static const char text[] = "local g = param('g', 9.81)\n"
                           "local a = point('a', 2)\n"
                           "lagrangian(norm2(a.dot)/2 - g*a.y)\n"
                           "constraint('rod', norm2(a) - 1)\n"
                           "start { a = {1, 0} }\n";

int main(int argc, char **argv)
{
    taut_context *context = taut_context_create(NULL);
    taut_model *model = NULL;
    taut_simulation *z = NULL;
    taut_run run = { .size = sizeof run, .h = 0.01, .until = 0.01 * atoi(argv[argc - 1]) };
    int status = taut_model_load_text(context, "pendulum", text, strlen(text), NULL, 0, &model);
    if (!status) status = taut_simulation_create(context, model, NULL, &z);
    if (!status) {
        run.row_capacity = taut_run_rows(z, &run);
        run.rows = malloc(run.row_capacity * taut_count(z, TAUT_ALL) * sizeof *run.rows);
        status = run.rows ? taut_advance(z, &run) : TAUT_OUT_OF_MEMORY;
    }
    if (status) fprintf(stderr, "%s\n", taut_error_text(context));
    free(run.rows);
    taut_simulation_release(z);
    taut_model_release(model);
    taut_context_destroy(context);
    return status != 0;
}
