/* Long runs: how what should be kept wanders, over N steps of the double spherical pendulum or another model.
 * usage: long MODEL METHOD H N
 * H is best a power of two, so that times are exact. Ten lines for each factor of two, from 1,000 steps on:
 *     METHOD <tab> steps <tab> largest |momentum - its start| so far <tab> the same of the energy
 * relative to the largest |momentum| and to the energy's size; then a line that begins with "end":
 *     end <tab> METHOD <tab> exponents of both (log of the largest so far against log of the steps, from 10^4 steps on)
 *     <tab> drift of the energy's mean over the run, and its standard error, relative <tab> memory before
 *     and after, KiB
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <taut/taut.h>
#include <unistd.h>

enum { EVERY = 100, ROWS = 10000, WINDOWS = 100 };

typedef struct {
    size_t columns[2];  /* momentum, energy */
    double first[2], largest[2], size[2];
    /* sums for the exponents: of x = log(steps) and y = log(largest so far) */
    double n, x, xx, y[2], xy[2];
    /* of the energy, over the windows of the run */
    double window_sum, mean[WINDOWS];
    long window_count;
} account;

static long memory(void)
{
    long pages = 0, resident = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f) {
        if (fscanf(f, "%ld %ld", &pages, &resident) != 2) resident = 0;
        fclose(f);
    }
    return resident * sysconf(_SC_PAGESIZE) / 1024;
}

static int find_column(taut_simulation *z, const char *name, size_t *column)
{
    for (size_t i = 0; i < taut_count(z, TAUT_ALL); i++) {
        const char *text = taut_name(z, TAUT_ALL, i);
        if (!text || strcmp(text, name) != 0) continue;
        *column = i;
        return 0;
    }
    fprintf(stderr, "the model has no column '%s'\n", name);
    return 1;
}

static void note(account *a, const char *method, long steps)
{
    const double x = log((double)steps);
    printf("%s\t%ld\t%.2e\t%.2e\n", method, steps, a->largest[0] / a->size[0], a->largest[1] / a->size[1]);
    fflush(stdout);
    if (steps < 10000 || !(a->largest[0] > 0 && a->largest[1] > 0)) return;
    a->n++, a->x += x, a->xx += x * x;
    for (int k = 0; k < 2; k++) a->y[k] += log(a->largest[k]), a->xy[k] += x * log(a->largest[k]);
}

static void take(account *a, const double *row, long steps, long all)
{
    for (int k = 0; k < 2; k++) {
        if (steps == 0) a->first[k] = row[k];
        const double away = fabs(row[k] - a->first[k]);
        if (away > a->largest[k]) a->largest[k] = away;
        if (fabs(row[k]) > a->size[k]) a->size[k] = fabs(row[k]);
    }
    a->window_sum += row[1] - a->first[1];
    a->window_count++;
    const long window = steps * WINDOWS / all;
    if (steps && steps * WINDOWS % all == 0 && window <= WINDOWS) {
        a->mean[window - 1] = a->window_sum / (double)a->window_count;
        a->window_sum = 0, a->window_count = 0;
    }
}

/* The slope of the windows' means over the run, and its standard error. */
static void drift(const account *a, double *slope, double *error)
{
    double mean = 0, xx = 0, xy = 0, rest = 0;
    for (int i = 0; i < WINDOWS; i++) mean += a->mean[i] / WINDOWS;
    for (int i = 0; i < WINDOWS; i++) {
        const double x = (i + 0.5) / WINDOWS - 0.5;
        xx += x * x, xy += x * (a->mean[i] - mean);
    }
    *slope = xy / xx;
    for (int i = 0; i < WINDOWS; i++) {
        const double left = a->mean[i] - mean - *slope * ((i + 0.5) / WINDOWS - 0.5);
        rest += left * left;
    }
    *error = sqrt(rest / (WINDOWS - 2) / xx);
}

static double exponent(const account *a, int k)
{
    return (a->n * a->xy[k] - a->x * a->y[k]) / (a->n * a->xx - a->x * a->x);
}

static int go(taut_simulation *z, const char *method, double h, long all)
{
    account a = { 0 };
    double *rows = malloc(2 * (ROWS + 2) * sizeof *rows), slope, error;
    int status = !rows || find_column(z, "angular_momentum.z", &a.columns[0]) || find_column(z, "energy", &a.columns[1])
                     ? TAUT_BAD_USAGE
                     : TAUT_OK;
    long steps = 0, next = 1000, before = 0;
    while (!status && steps < all) {
        const long some = all - steps < (long)EVERY * ROWS ? all - steps : (long)EVERY * ROWS;
        taut_run run = { .size = sizeof run, .h = h, .until = h * (double)(steps + some), .every = EVERY,
                         .columns = a.columns, .column_count = 2, .rows = rows, .row_capacity = ROWS + 2 };
        status = taut_advance(z, &run);
        for (size_t i = steps ? 1 : 0; !status && i < run.row_count; i++) {
            const long at = steps + (long)i * EVERY;
            take(&a, rows + 2 * i, at, all);
            if (at < next) continue;
            note(&a, method, at);
            while (next <= at) next = (long)ceil((double)next * 1.0717734625362931); /* 2^(1/10) */
        }
        steps += some;
        if (!before) before = memory();
    }
    free(rows);
    if (status) return status;
    drift(&a, &slope, &error);
    printf("end\t%s\t%.2f\t%.2f\t%.1e\t%.1e\t%ld\t%ld\n", method, exponent(&a, 0), exponent(&a, 1), slope / a.size[1],
           error / a.size[1], before, memory());
    return TAUT_OK;
}

int main(int argc, char **argv)
{
    taut_model *m = NULL;
    taut_simulation *z = NULL;
    taut_context *context = taut_context_create(NULL);
    if (argc != 5 || !context) return fprintf(stderr, "usage: long MODEL METHOD H N\n"), 2;
    taut_options options = { .size = sizeof options, .method = argv[2] };
    int status = taut_model_load_file(context, argv[1], NULL, 0, &m);
    if (!status) status = taut_simulation_create(context, m, &options, &z);
    if (!status) status = go(z, argv[2], atof(argv[3]), (long)atof(argv[4]));
    if (status) fprintf(stderr, "%s\n", taut_error_text(context));
    taut_simulation_release(z);
    taut_model_release(m);
    taut_context_destroy(context);
    return status != 0;
}
