#include "run/converge.h"

#include <stdio.h>
#include <string.h>

#include "method/method.h"
#include "run/plan.h"

#define TOLERANCE_LEAST 5e5 /* in round-offs: what the extrapolation of the exact flow can reach */
#define ENOUGH 0.01         /* the reference's error relative to the smallest error of the table */
#define AGREES 1e-2         /* a reference that changes by more with its last refinement is none */
/* Rows that agree with each other this much better than with a reference that is far more accurate than the difference:
   another motion. Of a method of order 1 or more, with steps of ratio r, errors are 1/(r - 1) of the difference or
   less. */
#define OTHER 30
/* In this part of the run and with so much shorter steps, errors of a method of order 1 become as much less; those of a
   method that does not converge, hardly. */
#define EARLY 16
#define SHORTER 16
#define LITTLE_LESS 4
#define MORE_THAN_ROUND_OFF 1e6 /* in round-offs of the positions: the start is rounded, and that grows */

typedef struct {
    taut_context *context;
    const engine_api *api, *reference_api;
    void *engine, *reference;
    const converge_options *options;
    converge_result *result;
    uint32_t n, c;
    size_t size;       /* 2n + c */
    wide *solutions;   /* one per row, then the finer and the coarser reference */
} table;

long taut_converge_step_count(wide h, wide until)
{
    const run_plan plan = taut_run_plan(0, until, h);
    return h > 0 ? taut_run_plan_divides(&plan) : 0;
}

void taut_converge_result_clear(taut_context *context, converge_result *result)
{
    taut_mem_free(context, result->rows);
    *result = (converge_result){ 0 };
}

static wide *solution_of(const table *z, int row) { return z->solutions + (size_t)row * z->size; }
#define FINE(z) ((z)->result->count)
#define COARSE(z) ((z)->result->count + 1)

static int run_for(const table *z, const engine_api *api, void *engine, wide h, long steps, wide *out)
{
    run_progress *progress = z->options->progress;
    api->restart(engine);
    for (long k = 0; k < steps; k++) {
        int status = api->step(engine, h);
        if (status) return status;
        progress_step(progress);
    }
    return api->solution(engine, out, out + z->n, out + 2 * z->n);
}

static int run_to_end(const table *z, const engine_api *api, void *engine, long steps, wide *out)
{
    return run_for(z, api, engine, z->options->until / steps, steps, out);
}

/* The number of intervals: two flows are compared, and must not take the same steps where the tolerance lets them take
   large ones. */
static int flow_to_end(const table *z, wide tolerance, int stretches, wide *out)
{
    int status = TAUT_OK;
    z->reference_api->restart(z->reference);
    for (int k = 1; !status && k <= stretches; k++)
        status = z->reference_api->flow(
            z->reference, k == stretches ? z->options->until : z->options->until * k / stretches, tolerance);
    return status ? status : z->reference_api->solution(z->reference, out, out + z->n, out + 2 * z->n);
}

static wide largest_difference(const wide *x, const wide *y, size_t count)
{
    wide most = 0;
    for (size_t i = 0; i < count; i++) {
        wide size = WIDE(fabs)(x[i] - (y ? y[i] : 0));
        if (most == most && !(size <= most)) most = size; /* a NaN stays */
    }
    return most;
}

/* Of solution x to y (to zero if NULL), in q, p and the multipliers. */
static void differences(const table *z, const wide *x, const wide *y, wide *out)
{
    size_t first[] = { 0, z->n, 2 * z->n }, count[] = { z->n, z->n, z->c };
    for (int k = 0; k < CONVERGE_KINDS; k++)
        out[k] = largest_difference(x + first[k], y ? y + first[k] : NULL, count[k]);
}

static int run_row(const table *z, int index, void *engine, const taut_context *context)
{
    converge_row *row = &z->result->rows[index];
    int status = run_to_end(z, z->api, engine, row->steps, solution_of(z, index));
    z->api->strain(engine, row->strain, sizeof row->strain);
    progress_part_done(z->options->progress);
    if (status == TAUT_OUT_OF_MEMORY) return status;
    if (status) snprintf(row->failure, sizeof row->failure, "%.255s", taut_error_text(context));
    return TAUT_OK;
}

/* ---- several threads ---- */

static int is_several(const table *z)
{
    return z->options->m && z->options->engine && taut_crew_is_several(&z->options->crew, z->options->m);
}

static int row_apart(void *self, int index, model *m)
{
    const table *z = self;
    void *engine = NULL;
    int status = z->api->create(m, z->options->engine, &engine);
    if (!status) status = run_row(z, index, engine, m->context);
    if (engine) z->api->destroy(engine);
    return status;
}

/* The reference of a method: piece 0 with its step, piece 1 with half of it. */
static int reference_apart(void *self, int index, model *m)
{
    const table *z = self;
    const long steps = taut_converge_step_count(z->options->reference_step, z->options->until);
    void *engine = NULL;
    int status = z->reference_api->create(m, z->options->reference, &engine);
    if (!status)
        status = run_to_end(z, z->reference_api, engine, (1 + index) * steps,
                            solution_of(z, index ? FINE(z) : COARSE(z)));
    if (engine) z->reference_api->destroy(engine);
    return status;
}

static int run_rows(table *z)
{
    for (int i = 0; i < z->result->count; i++) {
        converge_row *row = &z->result->rows[i];
        row->steps = taut_converge_step_count(z->options->steps[i], z->options->until);
        row->step = z->options->steps[i];
        if (!row->steps)
            return taut_fail(z->context, TAUT_BAD_USAGE,
                             "the step %.9g does not divide the end time %.9g; every step must", (double)row->step,
                             (double)z->options->until);
    }
    int status = TAUT_OK;
    long all = 0;
    for (int i = 0; i < z->result->count; i++) all += z->result->rows[i].steps;
    progress_stage(z->options->progress, "runs", all);
    progress_parts(z->options->progress, z->result->count);
    if (is_several(z)) status = taut_crew_run(&z->options->crew, z->options->m, z->result->count, row_apart, z);
    for (int i = 0; !is_several(z) && !status && i < z->result->count; i++)
        status = run_row(z, i, z->engine, z->context);
    for (int i = 0; i < z->result->count; i++) {
        if (!z->result->rows[i].strain[0]) continue;
        taut_note(z->context, "%s", z->result->rows[i].strain);
        break;
    }
    return status;
}

/* The smallest error to be shown, relative to the solution, from what is known: against the reference if there is one,
   otherwise the rows against each other. */
static wide smallest_error(const table *z, int have_reference)
{
    wide least = 1, size[CONVERGE_KINDS], d[CONVERGE_KINDS];
    for (int i = 0; i < z->result->count; i++)
        for (int j = have_reference ? FINE(z) : i + 1; j < (have_reference ? FINE(z) + 1 : z->result->count); j++) {
            if (z->result->rows[i].failure[0] || (j < z->result->count && z->result->rows[j].failure[0])) continue;
            differences(z, solution_of(z, i), solution_of(z, j), d);
            differences(z, solution_of(z, i), NULL, size);
            for (int k = 0; k < 2; k++)
                if (d[k] > 0 && size[k] > 0 && d[k] / size[k] < least) least = d[k] / size[k];
        }
    return least;
}

/* The change of the reference by the last refinement; at least one ulp. */
static void estimate_error(table *z)
{
    wide size[CONVERGE_KINDS], *error = z->result->reference_error;
    differences(z, solution_of(z, FINE(z)), solution_of(z, COARSE(z)), error);
    differences(z, solution_of(z, FINE(z)), NULL, size);
    for (int k = 0; k < CONVERGE_KINDS; k++) error[k] = WIDE(fmax)(error[k], z->reference_api->epsilon * size[k]);
}

/* The exact flow, refined until the last refinement changes it by far less than the smallest error. */
static int reference_by_flow(table *z)
{
    wide floor = (wide)TOLERANCE_LEAST * z->reference_api->epsilon, tolerance = smallest_error(z, 0) * (wide)1e-4;
    if (tolerance < floor * 1000) tolerance = floor * 1000;
    progress_parts(z->options->progress, 0);
    progress_stage(z->options->progress, "reference, by extrapolation", 0);
    int status = flow_to_end(z, tolerance, 1, solution_of(z, FINE(z)));
    for (int stretches = 2; !status; stretches++) {
        wide *fine = solution_of(z, FINE(z)), *coarse = solution_of(z, COARSE(z)), size[CONVERGE_KINDS];
        memcpy(coarse, fine, z->size * sizeof *fine);
        z->result->reference_coarse = tolerance;
        tolerance = tolerance / 1000 > floor ? tolerance / 1000 : floor;
        z->result->reference_fine = tolerance;
        progress_stage(z->options->progress, "reference, refined", 0);
        status = flow_to_end(z, tolerance, stretches, fine);
        if (status) break;
        estimate_error(z);
        differences(z, fine, NULL, size);
        wide worst = 0;
        for (int k = 0; k < 2; k++)
            if (size[k] > 0 && z->result->reference_error[k] / size[k] > worst)
                worst = z->result->reference_error[k] / size[k];
        if (tolerance <= floor || worst <= (wide)ENOUGH * smallest_error(z, 1)) {
            if (worst <= (wide)AGREES) break;
            return taut_fail(z->context, TAUT_NO_CONVERGENCE,
                             "it does not agree with itself: tolerances %.1e and %.1e lead to positions or momenta "
                             "that differ by %.2g of their size; the motion is chaotic, or passes a singular position "
                             "where it has several ways to go on",
                             (double)z->result->reference_coarse, (double)tolerance, (double)worst);
        }
    }
    return status;
}

/* A method with its step and with half of it; the latter is the reference. */
static int reference_by_method(table *z)
{
    wide h = z->options->reference_step;
    long steps = taut_converge_step_count(h, z->options->until);
    if (!steps)
        return taut_fail(z->context, TAUT_BAD_USAGE, "the reference's step %.9g does not divide the end time %.9g",
                    (double)h, (double)z->options->until);
    int status;
    progress_parts(z->options->progress, 0);
    progress_stage(z->options->progress, "reference", 3 * steps);
    if (is_several(z) && z->options->reference) {
        status = taut_crew_run(&z->options->crew, z->options->m, 2, reference_apart, z);
    } else {
        status = run_to_end(z, z->reference_api, z->reference, steps, solution_of(z, COARSE(z)));
        if (!status) status = run_to_end(z, z->reference_api, z->reference, 2 * steps, solution_of(z, FINE(z)));
    }
    if (!status) estimate_error(z);
    z->result->reference_coarse = h;
    z->result->reference_fine = h / 2;
    return status;
}

/* Errors and orders. Round-off: an error of a few ulps of the solution says nothing about the step. */
static void fill_rows(table *z)
{
    converge_row *before = NULL;
    for (int i = 0; i < z->result->count; i++) {
        converge_row *row = &z->result->rows[i];
        wide size[CONVERGE_KINDS];
        if (row->failure[0]) continue;
        differences(z, solution_of(z, i), solution_of(z, FINE(z)), row->error);
        differences(z, solution_of(z, FINE(z)), NULL, size);
        for (int k = 0; k < CONVERGE_KINDS; k++) {
            row->limited[k] =
                row->error[k] <= 10 * z->result->reference_error[k] || row->error[k] <= 32 * z->api->epsilon * size[k];
            int known = before && !row->limited[k] && !before->limited[k] && before->step != row->step;
            row->order[k] =
                known ? WIDE(log)(before->error[k] / row->error[k]) / WIDE(log)(before->step / row->step) : (wide)NAN;
        }
        before = row;
    }
}

/* The rows of the two shortest steps; next < 0: there are no two. */
static void find_finest(const table *z, int *fine, int *next)
{
    *fine = *next = -1;
    for (int i = 0; i < z->result->count; i++) {
        const converge_row *row = &z->result->rows[i];
        if (row->failure[0]) continue;
        if (*fine < 0 || row->step < z->result->rows[*fine].step)
            *next = *fine, *fine = i;
        else if (row->step > z->result->rows[*fine].step && (*next < 0 || row->step < z->result->rows[*next].step))
            *next = i;
    }
}

/* The reference from the start to `until`. */
static int reference_to(const table *z, wide until, wide *out)
{
    const wide h = z->result->reference_fine;
    if (z->options->reference_step > 0) {
        const long steps = (long)WIDE(ceil)(until / h * (1 - (wide)1e-9));
        return run_for(z, z->reference_api, z->reference, until / steps, steps, out);
    }
    z->reference_api->restart(z->reference);
    int status = z->reference_api->flow(z->reference, until, h);
    return status ? status : z->reference_api->solution(z->reference, out, out + z->n, out + 2 * z->n);
}

/* Two rows and a reference that are not the same motion, by the positions at the end. */
typedef struct {
    const converge_row *fine;  /* that of the shortest step */
    wide apart, error, size;   /* of the rows; of the finest; the positions */
    wide when, early;          /* the error at a time early in the run, with steps so much shorter that it would have
                                  become smaller */
    int from_the_start;        /* and it has not */
} parting;

/* Motions that part in a singular position are one before it: there the error becomes less with shorter steps. That of
   a method that converges to another motion does not. */
static int look_early(const table *z, parting *p)
{
    const long steps = (p->fine->steps + EARLY - 1) / EARLY;
    const wide h = z->options->until / p->fine->steps;
    wide *x = taut_mem_new(z->context, 3 * z->size, sizeof *x), error[CONVERGE_KINDS], finer[CONVERGE_KINDS],
         size[CONVERGE_KINDS];
    if (!x) return TAUT_OUT_OF_MEMORY;
    wide *y = x + z->size, *reference = y + z->size;
    int status = run_for(z, z->api, z->engine, h, steps, x);
    if (!status) status = run_for(z, z->api, z->engine, h / SHORTER, SHORTER * steps, y);
    if (!status) status = reference_to(z, h * steps, reference);
    if (!status) {
        differences(z, x, reference, error);
        differences(z, y, reference, finer);
        differences(z, reference, NULL, size);
        p->when = h * steps;
        p->early = finer[0];
        p->from_the_start = finer[0] > error[0] / LITTLE_LESS &&
                            finer[0] > (wide)MORE_THAN_ROUND_OFF * z->api->epsilon * size[0];
    }
    taut_mem_free(z->context, x);
    return status == TAUT_OUT_OF_MEMORY || status < 0 ? status : TAUT_OK;
}

static void describe_wrong(table *z, const parting *p)
{
    const int order = z->api->declared(z->engine)->order;
    snprintf(z->result->wrong, sizeof z->result->wrong,
             "the method does not converge to the motion of %s: with the two shortest steps positions at t = %.9g "
             "differ by %.2g, and from the reference by %.2g; early, at t = %.3g, it is %.2g with steps of %.2g; %s",
             z->options->reference_step > 0 ? "the reference" : "the equations", (double)z->options->until,
             (double)p->apart, (double)p->error, (double)p->when, (double)p->early,
             (double)(p->fine->step / SHORTER),
             order == 0 ? "it is of order 0 on this model, take another" : "compare it with another method");
}

/* Whether rows and reference are the same motion, by the positions at the end. */
static int compare_motions(table *z)
{
    int fine, next;
    wide apart[CONVERGE_KINDS], size[CONVERGE_KINDS];
    find_finest(z, &fine, &next);
    if (next < 0 || z->api->declared(z->engine)->variable) return TAUT_OK; /* its error is that of its tolerance */
    differences(z, solution_of(z, fine), solution_of(z, next), apart);
    differences(z, solution_of(z, FINE(z)), NULL, size);
    parting p = { .fine = &z->result->rows[fine], .apart = apart[0], .size = size[0] };
    p.error = p.fine->error[0];
    const wide ratio = z->result->rows[next].step / p.fine->step - 1;
    if (!(p.error > OTHER * z->result->reference_error[0]) || !(p.error * WIDE(fmin)(1, ratio) > OTHER * p.apart))
        return TAUT_OK;
    int status = look_early(z, &p);
    if (status) return status;
    if (p.from_the_start) describe_wrong(z, &p);
    if (p.from_the_start || !(p.error > (wide)AGREES * p.size)) return TAUT_OK;
    return taut_fail(z->context, TAUT_NO_CONVERGENCE,
                     "it is another motion than that of the method: with the two shortest steps positions at t = %.9g "
                     "differ by %.2g, and from the reference by %.2g; one of them has changed its branch in a singular "
                     "position on the way",
                     (double)z->options->until, (double)p.apart, (double)p.error);
}

static table table_of(taut_context *context, const engine_api *api, void *engine, const engine_api *reference_api,
                      void *reference, const converge_options *options, wide *solutions, converge_result *result)
{
    table z = { .context = context,
                .api = api,
                .reference_api = reference_api,
                .engine = engine,
                .reference = reference,
                .options = options,
                .result = result,
                .solutions = solutions };
    api->sizes(engine, &z.n, &z.c);
    z.size = 2 * (size_t)z.n + z.c;
    result->kinds = z.c ? 3 : 2;
    return z;
}

static int measure(table *z)
{
    int status = z->options->reference_step > 0 ? reference_by_method(z) : reference_by_flow(z);
    if (!status) fill_rows(z);
    return status;
}

int taut_converge_measure(taut_context *context, const engine_api *api, void *engine, const engine_api *reference_api,
                     void *reference, const converge_options *options, wide *solutions, converge_result *result)
{
    table z = table_of(context, api, engine, reference_api, reference, options, solutions, result);
    return measure(&z);
}

int taut_converge_run(taut_context *context, const engine_api *api, void *engine, const engine_api *reference_api,
                 void *reference, const converge_options *options, converge_result *result)
{
    *result = (converge_result){ .count = options->count };
    table z = table_of(context, api, engine, reference_api, reference, options, NULL, result);
    result->rows = taut_mem_new(context, (size_t)options->count, sizeof *result->rows);
    z.solutions = taut_mem_new(context, z.size * ((size_t)options->count + 2), sizeof *z.solutions);
    int status = result->rows && z.solutions ? run_rows(&z) : TAUT_OUT_OF_MEMORY;
    if (!status) status = measure(&z);
    if (!status) status = compare_motions(&z);
    taut_mem_free(context, z.solutions);
    return status;
}
