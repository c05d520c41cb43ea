/* A chain of N = 100 .. 10^6 links: load time and time per link and step, which should not depend on N.
 * usage: chain MODEL METHOD N...   Process CPU time; each step time is the least of several batches. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "run/engine.h"

static double cpu(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double peak_mib(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* Steps in batches of about a fifth of a second; the least time per step of five batches. */
static int time_steps(const engine_api *api, void *engine, double *least)
{
    long batch = 1;
    *least = 1e30;
    for (int k = 0; k < 6; k++) {
        double begun = cpu();
        for (long i = 0; i < batch; i++)
            if (api->step(engine, wide_from_double(1e-3))) return 1;
        double each = (cpu() - begun) / (double)batch;
        if (k == 0)
            batch = each < 0.2 ? (long)(0.2 / each) + 1 : 1; /* the first one warms up and sizes the batches */
        else if (each < *least)
            *least = each;
        if (batch > 200) batch = 200; /* all sizes see the same piece of the motion */
    }
    return 0;
}

static int measure(const char *file, const char *method, const char *links)
{
    definition n = { "N", links, 0 };
    engine_options options = { .method = method };
    taut_context *context = taut_context_create(NULL);
    model *m = NULL;
    void *engine = NULL;
    double count = atof(links), begun = cpu(), least = 0;
    int failed = !context || model_load_file(context, file, &n, 1, &m);
    double loaded = cpu();
    if (!failed) failed = engine_double.create(m, &options, &engine);
    double ready = cpu();
    if (!failed) failed = time_steps(&engine_double, engine, &least);
    engine_counts counts = { 0 };
    if (engine) engine_double.counts(engine, &counts);
    if (failed)
        fprintf(stderr, "chain: %s\n", context ? taut_error_text(context) : "out of memory");
    else
        printf("%8.0f  %8.3f %8.2f   %8.3f %8.2f   %10.1f %8.3f %6.2f   %8.0f\n", count, loaded - begun,
               1e6 * (loaded - begun) / count, ready - loaded, 1e6 * (ready - loaded) / count, 1e6 * least, 1e6 * least / count,
               (double)counts.newton_iterations / (double)counts.steps, peak_mib());
    if (engine) engine_double.destroy(engine);
    model_destroy(m);
    if (context) taut_context_destroy(context);
    return failed;
}

int main(int argc, char **argv)
{
    if (argc < 4) return fprintf(stderr, "usage: chain MODEL METHOD N...\n"), 2;
    if (argc == 4) return measure(argv[1], argv[2], argv[3]);
    printf("   links    load s  us/link    ready s  us/link    us/step  us/link Newton   peak MiB\n");
    fflush(stdout);
    for (int i = 3; i < argc; i++) { /* one process each, so that peak memory is its own */
        char command[1000];
        snprintf(command, sizeof command, "'%s' '%s' '%s' '%s'", argv[0], argv[1], argv[2], argv[i]);
        if (system(command)) return 1;
    }
    return 0;
}
