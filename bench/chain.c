/* A chain of N links: seconds of load, of set-up, and of both (start), nanoseconds per mass and step, Newton
 * iterations; one line KEY=VALUE. usage: chain [-m METHOD] [-n STEPS] [-t THREADS] MODEL N
 * Process CPU time; the step time is the least of several batches. With -n it is the mean of that many steps after the
 * first one: the same piece of the motion as another program that does so many, with the corrections that it needs.
 * With -t wall time, of single steps for two seconds: what else the machine does disturbs several threads more than
 * one. Of methods that evaluate a vector field (dirac:rk4) there is also the time per link and evaluation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/engine.h"

typedef struct {
    double (*now)(void);
    double length; /* of a batch, seconds; 0: one step */
    int batches;   /* at the most */
    double most;   /* seconds for all of them, or so */
    long steps;    /* of the one batch after the first step; 0: batches as above */
} timing;

/* The least time per step of some batches. */
static int time_steps(const engine_api *api, void *engine, const timing *by, double *least)
{
    long batch = 1;
    double first = by->now();
    *least = 1e30;
    for (int k = 0; k < by->batches + 1 && (k < 6 || by->now() - first < by->most); k++) {
        double begun = by->now();
        for (long i = 0; i < batch; i++)
            if (api->step(engine, taut_wide_from_double(1e-3))) return 1;
        double each = (by->now() - begun) / (double)batch;
        if (k == 0) /* the first one warms up and sizes the batches */
            batch = each < by->length ? (long)(by->length / each) + 1 : 1;
        else if (each < *least)
            *least = each;
        if (batch > 200) batch = 200; /* all sizes see the same piece of the motion */
        if (by->steps && k == 1) break;
        if (by->steps) batch = by->steps;
    }
    return 0;
}

static int measure(const char *method, int threads, long steps, const char *file, const char *links)
{
    definition n = { "N", links, 0 };
    engine_options options = { .method = method, .threads = threads };
    const timing processor = { clock_work, 0.2, 5, 0, steps }, wall = { clock_seconds, 0, 1000, 2, 0 };
    taut_context *context = taut_context_create(NULL);
    model *m = NULL;
    void *engine = NULL;
    double count = atof(links), begun = clock_work(), least = 0;
    int failed = !context || taut_model_read_file(context, file, &n, 1, &m);
    double loaded = clock_work();
    if (!failed) failed = taut_engine_double.create(m, &options, &engine);
    double ready = clock_work();
    if (!failed) failed = time_steps(&taut_engine_double, engine, threads ? &wall : &processor, &least);
    engine_counts counts = { 0 };
    if (engine) taut_engine_double.counts(engine, &counts);
    if (failed)
        fprintf(stderr, "chain: %s\n", context ? taut_error_text(context) : "out of memory");
    else
        printf("N=%.0f load=%.6f ready=%.6f start=%.6f ns/mass/step=%.5g newton=%.2f", count, loaded - begun,
               ready - loaded, ready - begun, 1e9 * least / count,
               (double)counts.work.iterations / (double)counts.steps);
    if (!failed && counts.work.evaluations)
        printf(" ns/mass/evaluation=%.5g",
               1e9 * least / count * (double)counts.steps / (double)counts.work.evaluations);
    if (!failed) putchar('\n');
    if (engine) taut_engine_double.destroy(engine);
    taut_model_free(m);
    if (context) taut_context_destroy(context);
    return failed;
}

int main(int argc, char **argv)
{
    const char *method = "rattle";
    int first = 1, threads = 0;
    long steps = 0;
    for (; argc > first + 2 && argv[first][0] == '-'; first += 2) {
        if (strcmp(argv[first], "-m") == 0) method = argv[first + 1];
        if (strcmp(argv[first], "-n") == 0) steps = atol(argv[first + 1]);
        if (strcmp(argv[first], "-t") == 0) threads = atoi(argv[first + 1]);
    }
    if (argc != first + 2) return fprintf(stderr, "usage: chain [-m METHOD] [-n STEPS] [-t THREADS] MODEL N\n"), 2;
    return measure(method, threads, steps, argv[first], argv[first + 1]);
}
