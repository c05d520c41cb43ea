/* How long a simulation is set up with machine code and without: one line KEY=VALUE, milliseconds of wall and processor
 * time that the code takes, the least of several set-ups of either, in turn.
 * usage: start [-m METHOD] MODEL */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "run/engine.h"

enum { TURNS = 15 };

typedef struct {
    double wall, work; /* seconds, the least */
} times;

static int set_up(model *m, const char *method, int native, times *least)
{
    const engine_options options = { .method = method, .native = native, .again = 1 };
    void *engine = NULL;
    const double wall = clock_seconds(), work = clock_work();
    int status = taut_engine_double.create(m, &options, &engine);
    const double passed = clock_seconds() - wall, worked = clock_work() - work;
    if (engine) taut_engine_double.destroy(engine);
    if (passed < least->wall) least->wall = passed;
    if (worked < least->work) least->work = worked;
    return status;
}

int main(int argc, char **argv)
{
    const int named = argc == 4 && strcmp(argv[1], "-m") == 0;
    if (argc != 2 && !named) return fprintf(stderr, "usage: start [-m METHOD] MODEL\n"), 2;
    taut_context *context = taut_context_create(NULL);
    model *m = NULL;
    times with = { 1e30, 1e30 }, without = with;
    int status = context ? taut_model_read_file(context, argv[argc - 1], NULL, 0, &m) : TAUT_OUT_OF_MEMORY;
    for (int i = 0; !status && i < TURNS; i++) {
        status = set_up(m, named ? argv[2] : "rattle", TAUT_NATIVE_AUTO, &with);
        if (!status) status = set_up(m, named ? argv[2] : "rattle", TAUT_NATIVE_OFF, &without);
    }
    if (status)
        fprintf(stderr, "start: %s\n", context ? taut_error_text(context) : "out of memory");
    else
        printf("wall=%.6f work=%.6f\n", 1e3 * (with.wall - without.wall), 1e3 * (with.work - without.work));
    taut_model_free(m);
    if (context) taut_context_destroy(context);
    return status != 0;
}
