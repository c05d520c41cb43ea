/* Ensembles of double spherical pendula (J4), by any executor.
 *
 *     ensemble speed EXECUTOR METHOD H MEMBERS STEPS THREADS [fast]
 *         time per member and step: in ps of the steps alone, all threads together; in ns on the wall, without starts
 *     ensemble bits METHOD H MEMBERS STEPS THREADS EXECUTOR...
 *         compares all states, to the bit, with single runs
 *     ensemble rows METHOD H MEMBERS STEPS READS THREADS all|kept EXECUTOR...
 *         seconds of READS rows of every member, of all columns or of t, coordinates and energy, STEPS steps in all:
 *         read together, and member by member; all rows are compared, to the bit, with the first ones
 *     ensemble text lanes|gpu METHOD [fast]
 *         the text that the executor compiles
 *
 * BLOCKS=N: blocks of threads on a multiprocessor that the GPU's compiler makes room for. TAUT_MODELS: the folder of
 * models. Member i has its velocities scaled by 1 - i/(4 MEMBERS), as in peers/limit_ensemble.c. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "ensemble/inside.h"

#define VARIED 4
static const executor_vary vary[VARIED] = { { VARY_RATE, 0 }, { VARY_RATE, 1 }, { VARY_RATE, 3 }, { VARY_RATE, 4 } };
static const double velocities[VARIED] = { 3.381, 2.506, 2.497, 10.495 };

static void fail(taut_context *context, const char *what)
{
    fprintf(stderr, "ensemble: %s: %s\n", what, taut_error_text(context));
    exit(1);
}

static model *read_model(taut_context *context)
{
    const char *folder = getenv("TAUT_MODELS");
    char path[500];
    model *m;
    snprintf(path, sizeof path, "%s/double-spherical-pendulum.lua", folder ? folder : "models");
    if (taut_model_read_file(context, path, NULL, 0, &m)) fail(context, path);
    return m;
}

static double *make_values(size_t members)
{
    double *values = malloc(members * VARIED * sizeof *values);
    for (size_t i = 0; i < members; i++)
        for (int k = 0; k < VARIED; k++)
            values[i * VARIED + (size_t)k] = velocities[k] * (1 - 0.25 * (double)i / (double)members);
    return values;
}

static executor *create(model *m, const char *on, const char *method, int threads, int fast, size_t rows_least)
{
    executor *e;
    const int kind = taut_executor_find(on);
    const char *blocks = getenv("BLOCKS");
    if (kind < 0) {
        fprintf(stderr, "ensemble: no executor '%s'\n", on);
        exit(1);
    }
    const executor_options options = { .on = (executor_kind)kind, .method = method,
                                       .threads = threads, .fast = fast, .blocks = blocks ? atoi(blocks) : 0,
                                       .rows_least = rows_least, .vary = vary, .vary_count = VARIED };
    if (taut_executor_create(m, &options, &e)) fail(m->context, on);
    if (*taut_executor_note(e)) fprintf(stderr, "ensemble: %s\n", taut_executor_note(e));
    return e;
}

static size_t failures(const executor_member *members, size_t count)
{
    size_t found = 0;
    for (size_t i = 0; i < count; i++) {
        if (members[i].status && !found++)
            fprintf(stderr, "ensemble: member %zu at t = %g: %s\n", i, members[i].t, members[i].reason);
    }
    return found;
}

static int speed(int count, char **argument)
{
    taut_context *context = taut_context_create(NULL);
    model *m = read_model(context);
    const char *on = argument[0], *method = argument[1];
    const double h = atof(argument[2]);
    const size_t members = (size_t)atof(argument[3]);
    const long steps = (long)atof(argument[4]);
    const int threads = atoi(argument[5]), fast = count > 6 && !strcmp(argument[6], "fast");
    double begin = clock_seconds();
    executor *e = create(m, on, method, threads, fast, 0);
    const double created = clock_seconds() - begin;
    double *values = make_values(members);
    executor_member *found = calloc(members, sizeof *found), *none = calloc(members, sizeof *none);
    const executor_leg leg = { .h = (wide)h, .steps = steps };
    double least = INFINITY, whole = INFINITY, starts = INFINITY;
    long left = 0;
    for (int k = 0; k < 3; k++) {
        begin = clock_seconds();
        if (taut_executor_run(e, &leg, 1, members, values, NULL, NULL, found, NULL)) fail(context, "run");
        whole = fmin(whole, clock_seconds() - begin);
        least = fmin(least, taut_executor_seconds(e));
        begin = clock_seconds();
        if (taut_executor_run(e, &(executor_leg){ 0 }, 1, members, values, NULL, NULL, none, NULL))
            fail(context, "run");
        starts = fmin(starts, clock_seconds() - begin);
    }
    if (!(least > 0)) least = (whole - starts) * threads;
    for (size_t i = 0; i < members; i++) left += found[i].left;
    const double each = 1 / (double)members / (double)steps;
    printf("%s %s h=%g members=%zu steps=%ld threads=%d%s create=%.3gs whole=%.4gs starts=%.4gs steps=%.4gs "
           "ps/member/step=%.5g ns/pendulum/step=%.5g (wall) left=%ld failed=%zu %s\n",
           taut_executor_name(taut_executor_on(e)), method, h, members, steps, threads, fast ? " fast" : "", created,
           whole, starts, least, 1e12 * least * each, 1e9 * (whole - starts) * each, left, failures(found, members),
           taut_executor_device(e));
    taut_executor_destroy(e);
    return 0;
}

/* States of all members as single runs have them: `by` threads of the interpreter. */
static int bits(int count, char **argument)
{
    taut_context *context = taut_context_create(NULL);
    model *m = read_model(context);
    const char *method = argument[0];
    const double h = atof(argument[1]);
    const size_t members = (size_t)atof(argument[2]);
    const long steps = (long)atof(argument[3]);
    const int threads = atoi(argument[4]);
    double *values = make_values(members), *first = NULL;
    executor_member *found = calloc(members, sizeof *found);
    const executor_leg leg = { .h = (wide)h, .steps = steps };
    int differ = 0;
    for (int k = 4; k < count; k++) { /* the interpreter first */
        executor *e = create(m, k == 4 ? "interpreter" : argument[k], method, threads, 0, 0);
        const size_t size = taut_executor_state_size(e), all = members * size;
        double *states = malloc(all * sizeof *states);
        if (taut_executor_run(e, &leg, 1, members, values, NULL, NULL, found, states)) fail(context, "run");
        size_t others = 0;
        for (size_t i = 0; first && i < members; i++)
            others += memcmp(first + i * size, states + i * size, size * sizeof *states) != 0;
        if (first)
            printf("%s %s h=%g members=%zu steps=%ld: %zu of %zu members differ from single runs (%zu numbers each), "
                   "%zu failed, q1[0] = %a\n", taut_executor_name(taut_executor_on(e)), method, h, members, steps,
                   others, members, size, failures(found, members), states[2]);
        differ |= others > 0;
        if (first)
            free(states);
        else
            first = states;
        taut_executor_destroy(e);
    }
    return differ;
}

static size_t choose(taut_context *context, executor *e, int all)
{
    size_t columns[200], count = 0;
    for (size_t i = 0; i < taut_executor_columns(e) && i < 200; i++) {
        const char *kind = taut_executor_column_kind(e, i);
        if (all || !i || !strcmp(kind, "coordinate") || !strcmp(kind, "energy")) columns[count++] = i;
    }
    if (taut_executor_choose(e, columns, count)) fail(context, "columns");
    return count;
}

static int rows(int count, char **argument)
{
    taut_context *context = taut_context_create(NULL);
    model *m = read_model(context);
    const char *method = argument[0];
    const double h = atof(argument[1]);
    const size_t members = (size_t)atof(argument[2]), reads = (size_t)atof(argument[4]);
    const long steps = (long)atof(argument[3]);
    const int threads = atoi(argument[5]), all = !strcmp(argument[6], "all");
    double *values = make_values(members), *first = NULL;
    executor_member *found = calloc(members, sizeof *found);
    executor_leg *legs = calloc(reads, sizeof *legs);
    int differ = 0;
    for (size_t i = 0; i < reads; i++)
        legs[i] = (executor_leg){ .h = (wide)h, .steps = steps / (long)reads, .reads = 1 };
    for (int k = 7; k < count; k++)
        for (int together = 0; together < 2; together++) {
            executor *e = create(m, argument[k], method, threads, 0, together ? 1 : SIZE_MAX);
            const size_t columns = choose(context, e, all), size = reads * columns;
            double *found_rows = malloc(members * size * sizeof *found_rows), least = INFINITY;
            for (int i = 0; i < 2; i++) {
                const double begin = clock_seconds();
                if (taut_executor_run(e, legs, reads, members, values, NULL, found_rows, found, NULL))
                    fail(context, "run");
                least = fmin(least, clock_seconds() - begin);
            }
            size_t others = 0;
            for (size_t i = 0; first && i < members; i++)
                others += memcmp(first + i * size, found_rows + i * size, size * sizeof *first) != 0;
            printf("%s %s h=%g members=%zu steps=%ld rows=%zu columns=%zu threads=%d read %s: %.4g s, %zu "
                   "of %zu members differ, %zu failed\n", taut_executor_name(taut_executor_on(e)), method, h, members,
                   steps, reads, columns, threads, taut_executor_reads_together(e) ? "together" : "one by one",
                   least, others,
                   members, failures(found, members));
            fflush(stdout);
            differ |= others > 0;
            if (first)
                free(found_rows);
            else
                first = found_rows;
            taut_executor_destroy(e);
            if (!strcmp(argument[k], "interpreter")) break;
        }
    return differ;
}

static int text(char **argument, int fast)
{
    taut_context *context = taut_context_create(NULL);
    model *m = read_model(context);
    executor *e = create(m, "interpreter", argument[1], 1, 0, 0);
    unsigned char *varies = calloc(10000, 1);
    const char *why = "";
    text_plan p;
    builder out = { .context = context };
    if (taut_text_plan_create(context, &e->z->method, e->z->s, e->z->declared.own_work, varies, &p, &why))
        fail(context, why);
    const int gpu = !strcmp(argument[0], "gpu");
    if (gpu ? taut_text_cuda(&p, 0, fast, &out) : taut_text_lanes(&p, 16, 1, &out)) fail(context, "text");
    fputs(out.text, stdout);
    return 0;
}

int main(int count, char **argument)
{
    if (count >= 8 && !strcmp(argument[1], "speed")) return speed(count - 2, argument + 2);
    if (count >= 8 && !strcmp(argument[1], "bits")) return bits(count - 2, argument + 2);
    if (count >= 10 && !strcmp(argument[1], "rows")) return rows(count - 2, argument + 2);
    if (count >= 4 && !strcmp(argument[1], "text")) return text(argument + 2, count > 4);
    fprintf(stderr, "usage: ensemble speed|bits|rows|text ...; bench/ensemble.c says how\n");
    return 1;
}
