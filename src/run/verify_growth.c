#include "run/verify_growth.h"

#include <stdio.h>
#include <string.h>

#include "run/plan.h"

#define TRAJECTORY_SAMPLES 500 /* comparisons with the exact solution, at the most */

static int growth_rows(const engine_api *api, void *engine, verify_result *result)
{
    static const char *const names[GROWTH_KINDS] = { "error growth", "energy growth", "position growth",
                                                     "velocity growth" };
    engine_growth g;
    const long steps = taut_run_plan(0, result->until, result->step).steps, from = steps / 10 > 1 ? steps / 10 : 1,
               stride = taut_run_stride(steps, TRAJECTORY_SAMPLES);
    api->restart(engine);
    int status = api->growth(engine, result->step, steps, from, stride, &g);
    if (status) return status;
    for (int k = 0; k < GROWTH_KINDS; k++) {
        if (k == GROWTH_ENERGY && !api->energy_conserved(engine)) continue;
        verify_row *row = taut_verify_add_row(result, names[k]);
        row->value = g.exponent[k];
        row->limit = api->epsilon * g.size * (100 + steps);
        row->verdict = !(g.largest[k] > row->limit) ? VERDICT_ROUND_OFF
                       : steps < 20                 ? VERDICT_TOO_SHORT
                                                    : VERDICT_MEASURED;
        if (row->verdict == VERDICT_MEASURED && g.exponent[k] == g.exponent[k])
            snprintf(row->measured, sizeof row->measured, "as t^%.2f, to %.1e", (double)g.exponent[k],
                     (double)g.largest[k]);
        else
            snprintf(row->measured, sizeof row->measured, "to %.1e", (double)g.largest[k]);
        if (k == GROWTH_TRAJECTORY && g.largest[k] > g.size / 4)
            snprintf(row->note, sizeof row->note,
                     "the error reaches the size of the motion: the exponent says little; try an earlier end");
    }
    return TAUT_OK;
}

static void print_multipliers(const engine_stability *s, char *out, size_t size)
{
    size_t at = (size_t)snprintf(out, size, "multipliers");
    for (int i = 0; i < s->count && at + 40 < size; i++) {
        double re = (double)s->real_part[i], im = (double)s->imaginary_part[i];
        at += (size_t)snprintf(out + at, size - at, i ? ", %.7f" : " %.7f", re);
        if (im != 0) at += (size_t)snprintf(out + at, size - at, " %c %.7fi", im < 0 ? '-' : '+', im < 0 ? -im : im);
    }
}

static int stability_row(const engine_api *api, void *engine, wide period, verify_result *result)
{
    engine_stability s;
    api->restart(engine);
    int status = api->stability(engine, result->step, period, result->until, &s);
    if (status) return status;
    verify_row *row = taut_verify_add_row(result, "manifold");
    if (!s.applies) {
        snprintf(row->note, sizeof row->note, "%s", s.note);
        return TAUT_OK;
    }
    row->verdict = VERDICT_MEASURED;
    row->value = s.norm;
    if (s.periodic) {
        row->value = s.trace;
        snprintf(row->measured, sizeof row->measured, "trace %.7f, det %.7f", (double)s.trace, (double)s.determinant);
        char text[240];
        print_multipliers(&s, text, sizeof text);
        snprintf(row->note, sizeof row->note,
                 "Floquet %s over the period %.14g, after which a residual is at most %.4g times the largest "
                 "before%s",
                 text, (double)s.span, (double)s.norm, s.gap > (wide)1e-5 ? "; the orbit is not closed then" : "");
    } else {
        snprintf(row->measured, sizeof row->measured, "residuals times %.4g at t = %.6g", (double)s.norm,
                 (double)s.span);
        snprintf(row->note, sizeof row->note,
                 "no period found: the largest residual of a state off the constraints, against its largest "
                 "at the start; give the period if you know it");
    }
    return TAUT_OK;
}

int taut_verify_growth_rows(taut_context *context, const verify_options *options, verify_result *result)
{
    (void)context;
    int status = growth_rows(options->long_api, options->long_engine, result);
    return status ? status : stability_row(options->long_api, options->long_engine, options->period, result);
}
