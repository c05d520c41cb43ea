#include "run/verify.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "method/method.h"
#include "run/plan.h"
#include "run/verify_growth.h"
#include "run/verify_order.h"

#define STEPS 200        /* of the runs in the wider precision */
#define LONG_STEPS 4000  /* of the energy run, unless given */
#define RETURN_STEPS 50
#define TREND_STEPS (20 * ENGINE_WINDOWS) /* fewer do not tell a trend from an oscillation */
#define SEARCH 9         /* decades to look for a step in */
#define ALIKE 1e-3       /* a chosen step and its half agree to this over 20 steps */

typedef struct {
    taut_context *context;
    const verify_options *options;
    verify_result *result;
    const engine_api *api;
    void *engine;
    const method_info *declared;
    uint32_t n, c;
    wide h;
} check;

const char *taut_verdict_text(verdict v)
{
    static const char *const texts[] = { "holds",     "does not hold", "undecided", "not applicable",
                                         "kept here", "not kept",      "no trend",  "drifts",
                                         "round-off", "run too short", "no return", "measured" };
    return texts[v];
}

int taut_verify_count(const verify_result *result, verdict v)
{
    int count = 0;
    for (int i = 0; i < result->count; i++) count += result->rows[i].verdict == v;
    return count;
}

verify_row *taut_verify_add_row(verify_result *result, const char *property)
{
    verify_row *row = &result->rows[result->count++];
    *row = (verify_row){ .value = (wide)NAN, .limit = (wide)NAN, .verdict = VERDICT_NOT_APPLICABLE, .measured = "-" };
    snprintf(row->property, sizeof row->property, "%s", property);
    snprintf(row->declared, sizeof row->declared, "-");
    return row;
}

static verify_row *add_row(check *z, const char *property) { return taut_verify_add_row(z->result, property); }

static verify_row *add_property(check *z, const char *property, unsigned bit)
{
    verify_row *row = add_row(z, property);
    snprintf(row->declared, sizeof row->declared, "%s", z->declared->keeps & bit ? "yes" : "no");
    return row;
}

static int is_declared(const verify_row *row) { return strcmp(row->declared, "yes") == 0; }

/* A value that is zero within its limit is kept. A limit that is too wide leaves it undecided. */
static void judge(verify_row *row, wide value, wide limit, wide useful)
{
    int kept = value <= limit;
    row->value = value;
    row->limit = limit;
    if (is_declared(row))
        row->verdict = !kept ? VERDICT_FAILS : limit > useful ? VERDICT_UNDECIDED : VERDICT_HOLDS;
    else
        row->verdict = kept && limit <= useful ? VERDICT_KEPT : VERDICT_NOT_KEPT;
}

/* ---- the step ---- */

/* Largest difference of q and p after 20 steps of h and 40 of h/2, relative to their sizes. */
static int halving_error(check *z, wide h, wide *x, wide *y, wide *error)
{
    const engine_api *api = z->options->long_api;
    void *engine = z->options->long_engine;
    int status = TAUT_OK;
    for (int fine = 0; !status && fine < 2; fine++) {
        wide *to = fine ? y : x;
        api->restart(engine);
        for (int k = 0; !status && k < 20 * (1 + fine); k++) status = api->step(engine, h / (1 + fine));
        if (!status) status = api->solution(engine, to, to + z->n, to + 2 * z->n);
    }
    *error = 0;
    for (uint32_t part = 0; !status && part < 2; part++) {
        wide most = 0, size = 0;
        for (uint32_t i = part * z->n; i < (part + 1) * z->n; i++) {
            most = WIDE(fmax)(most, WIDE(fabs)(x[i] - y[i]));
            size = WIDE(fmax)(size, WIDE(fabs)(y[i]));
        }
        if (most > *error * size) *error = most / size;
    }
    return status;
}

/* Where to begin: the exponent of a power of ten that is ten to a hundred times as long as a time of the motion: too
   long for every method. 1 where there is no such time. */
static int first_exponent(check *z, int *exponent)
{
    wide time, power = 1;
    *exponent = 0;
    int status = z->options->long_api->characteristic_time(z->options->long_engine, &time);
    if (status || !(time > 0)) return status == TAUT_OUT_OF_MEMORY ? status : TAUT_OK;
    for (; power < 10 * time; power *= 10) ++*exponent;
    for (; power >= 100 * time; power /= 10) --*exponent;
    return TAUT_OK;
}

/* The largest of 10, 5, 2, 1 ... times a power of ten with which the method is well at work on this model, in SEARCH
   decades. */
static int choose_step(check *z)
{
    static const int digits[] = { 10, 5, 2 };
    wide *room = taut_mem_new(z->context, 2 * (2 * (size_t)z->n + z->c), sizeof *room), error;
    int exponent, status = room ? first_exponent(z, &exponent) : TAUT_OUT_OF_MEMORY;
    int out_of_memory = status != TAUT_OK;
    progress_stage(z->options->progress, "choosing the step", 0);
    for (int k = 0; !out_of_memory && k < 3 * SEARCH; k++) {
        z->h = 1;
        for (int i = exponent; i < k / 3; i++) z->h /= 10;
        for (int i = k / 3; i < exponent; i++) z->h *= 10;
        z->h = z->h * digits[k % 3] / 10;
        status = halving_error(z, z->h, room, room + 2 * (size_t)z->n + z->c, &error);
        if (status == TAUT_OUT_OF_MEMORY || (!status && error <= (wide)ALIKE)) break;
        if (!status)
            status = taut_fail(z->context, TAUT_NO_CONVERGENCE,
                               "no step down to %.0e suits this model: 20 steps and 40 half steps differ by %.1e",
                               (double)z->h, (double)error);
    }
    taut_mem_free(z->context, room);
    return status;
}

/* ---- measurements ---- */

static long long_steps(const check *z) { return taut_run_plan(0, z->result->until, z->h).steps; }

static int run_steps(check *z, long steps)
{
    int status = TAUT_OK;
    for (long k = 0; !status && k < steps; k++) status = z->api->step(z->engine, z->h);
    return status;
}

static int check_order(check *z)
{
    verify_order order;
    if (z->declared->variable) {
        verify_row *row = add_row(z, "order");
        snprintf(row->declared, sizeof row->declared, "%d", z->declared->order);
        snprintf(row->note, sizeof row->note,
                 "the method takes steps of its own: its error follows its tolerance, not the step");
        return TAUT_OK;
    }
    int status = taut_verify_order_measure(z->context, z->api, z->engine, z->h, &order);
    if (status) return status;
    for (int k = 0; k < 2; k++) {
        const verify_order_part *part = &order.parts[k];
        verify_row *row = add_row(z, k ? "order in p" : "order in q");
        int order_declared = k && z->declared->momentum_order ? z->declared->momentum_order : z->declared->order;
        wide declared = order_declared;
        snprintf(row->declared, sizeof row->declared, "%d", order_declared);
        if (order.no_reference) {
            row->verdict = VERDICT_UNDECIDED;
            snprintf(row->note, sizeof row->note, "there is no reference to measure against: %.300s",
                     taut_error_text(z->context));
            continue;
        }
        row->value = part->order;
        if (part->exact) {
            snprintf(row->measured, sizeof row->measured, "no error beyond %.1e", (double)part->floor);
            row->verdict = VERDICT_HOLDS;
            snprintf(row->note, sizeof row->note, "the method is exact on this model, to round-off: any order fits");
            continue;
        }
        if (part->count < 2) {
            snprintf(row->measured, sizeof row->measured, "error %.1e, then round-off", (double)part->error);
            row->verdict = VERDICT_UNDECIDED;
            snprintf(row->note, sizeof row->note,
                     "errors fall below round-off before they show an order%s; try a larger step",
                     z->api->digits < 20 ? " in double precision" : "");
            continue;
        }
        snprintf(row->measured, sizeof row->measured, "%.3f  (h = %.3g .. %.3g)", (double)part->order,
                 (double)order.coarsest, (double)part->finest);
        if (part->order >= declared - (wide)0.25)
            row->verdict = VERDICT_HOLDS;
        else
            row->verdict = part->settled ? VERDICT_FAILS : VERDICT_UNDECIDED;
        if (row->verdict == VERDICT_UNDECIDED)
            snprintf(row->note, sizeof row->note,
                     "the orders of successive halvings still change (%.2f, %.2f); try a smaller step",
                     (double)part->previous, (double)part->order);
        if (part->order > declared + (wide)0.25)
            snprintf(row->note, sizeof row->note, "more than declared on this model%s",
                     part->settled ? "" : ", and still changing");
    }
    return TAUT_OK;
}

/* The worst of three states of the run: a start at rest is special. */
static int check_symplecticity(check *z)
{
    static const int between[] = { 3, 10, 27 };
    verify_row *row = add_property(z, "symplectic", KEEPS_SYMPLECTIC);
    engine_symplecticity worst = { 0 }, now;
    if (z->api->hamiltonian(z->engine) != 1 || z->n <= z->c) {
        int hamiltonian = z->api->hamiltonian(z->engine);
        snprintf(row->note, sizeof row->note,
                 hamiltonian == 0   ? "forces or rates: the motion itself does not keep the form"
                 : hamiltonian == 2 ? "not measured for models on phase space"
                 : hamiltonian == 3 ? "constraints on velocities: the motion itself keeps no such form"
                                    : "the constraints leave no freedom");
        return TAUT_OK;
    }
    z->api->restart(z->engine);
    int status = TAUT_OK;
    for (int k = 0; !status && k < 3; k++) {
        status = run_steps(z, between[k]);
        if (!status) status = z->api->symplecticity(z->engine, z->h, &now);
        if (!status && (k == 0 || !(now.defect * worst.uncertainty <= worst.defect * now.uncertainty))) worst = now;
    }
    if (status) return status;
    /* Ten times the uncertainty, which is itself an estimate. */
    judge(row, worst.defect, 10 * worst.uncertainty, (wide)1e-6);
    snprintf(row->measured, sizeof row->measured, "defect %.1e, seen from %.1e", (double)worst.defect,
             (double)row->limit);
    if (row->verdict == VERDICT_UNDECIDED)
        snprintf(row->note, sizeof row->note,
                 "finite differences are too inaccurate on this model; try a smaller step");
    return TAUT_OK;
}

/* Every step may leave an error of an ulp or two, and they may all add up. */
static wide round_off(const check *z, const engine_kept *kept, long steps)
{
    return z->api->epsilon * kept->scale * (100 + steps);
}

static void kept_row(check *z, verify_row *row, const engine_kept *kept, long steps)
{
    /* useful: a tenth of a per mille of the terms */
    judge(row, kept->error, round_off(z, kept, steps), (wide)1e-4 * kept->scale);
    snprintf(row->measured, sizeof row->measured, "%.1e, relative %.1e", (double)kept->error,
             kept->scale > 0 ? (double)(kept->error / kept->scale) : 0.0);
}

/* Fit of a straight line to the means m[first..last) over their times. */
typedef struct {
    wide slope, error;
} line;

static line fit_line(const wide *m, int first, int last, wide width)
{
    wide n = last - first, x = 0, y = 0, xx = 0, xy = 0, rest = 0;
    for (int i = first; i < last; i++) x += i, y += m[i];
    x /= n, y /= n;
    for (int i = first; i < last; i++) xx += (i - x) * (i - x), xy += (i - x) * (m[i] - y);
    line l = { xy / xx, 0 };
    for (int i = first; i < last; i++) {
        wide r = m[i] - y - l.slope * (i - x);
        rest += r * r;
    }
    l.error = WIDE(sqrt)(rest / ((n - 2) * xx)) / width;
    l.slope /= width;
    return l;
}

/* The line through the means, and whether it is a trend: it stands well above their scatter and goes on in both
   halves of the run; a slow oscillation does not. */
static int find_trend(const wide *means, wide width, line *all)
{
    line early = fit_line(means, 0, ENGINE_WINDOWS / 2, width);
    line late = fit_line(means, ENGINE_WINDOWS / 2, ENGINE_WINDOWS, width);
    *all = fit_line(means, 0, ENGINE_WINDOWS, width);
    wide size = WIDE(fabs)(all->slope);
    int sign = all->slope < 0 ? -1 : 1;
    return size > 5 * all->error && sign * early.slope > size / 3 && sign * late.slope > size / 3;
}

/* The error of a method depends on where the motion is, and follows a motion that does not come back: only one that
   does shows a drift. The kinetic energy tells. A drift moves it as well, by the drift itself or some multiples of
   it: FOLLOWS is far more. */
#define FOLLOWS 10

static void trend_row(verify_row *row, const engine_follow *f, wide span, wide limit)
{
    wide width = span / ENGINE_WINDOWS, range = f->highest - f->lowest;
    line all, motion;
    int trend = find_trend(f->means, width, &all), leaves = find_trend(f->kinetic, width, &motion);
    wide size = WIDE(fabs)(all.slope);
    row->value = all.slope;
    row->limit = 5 * all.error;
    snprintf(row->measured, sizeof row->measured, "%+.1e +- %.0e per unit time", (double)all.slope, (double)all.error);
    if (range <= limit)
        row->verdict = VERDICT_ROUND_OFF;
    else if (f->steps < TREND_STEPS)
        row->verdict = VERDICT_TOO_SHORT;
    else
        row->verdict = trend && size * span > range / 20 ? VERDICT_TREND : VERDICT_NO_TREND;
    if (row->verdict == VERDICT_TREND && leaves && WIDE(fabs)(motion.slope) > FOLLOWS * size) {
        row->verdict = VERDICT_NO_RETURN;
        snprintf(row->note, sizeof row->note,
                 "the motion does not come back in this time (kinetic energy %.2g in the first sixteenth, %.2g in the "
                 "last), and the error follows it: only a motion that comes back shows a drift",
                 (double)f->kinetic[0], (double)f->kinetic[ENGINE_WINDOWS - 1]);
    }
    if (row->verdict == VERDICT_TREND)
        snprintf(row->note, sizeof row->note, "the drift makes up %.0f%% of the error at the end",
                 (double)WIDE(fmin)(100, 100 * size * span / range));
}

/* slow: the same over a long time. */
static void check_energy(check *z, const engine_follow *f, const engine_follow *slow)
{
    verify_row *row = add_property(z, "energy", KEEPS_ENERGY);
    if (!z->api->energy_conserved(z->engine)) {
        snprintf(row->note, sizeof row->note, "the model does not conserve it: %s",
                 z->api->hamiltonian(z->engine) == 3 ? "time or constraints on velocities change it"
                 : z->api->hamiltonian(z->engine)    ? "it depends on time"
                                                     : "forces, rates or time change it");
        return;
    }
    kept_row(z, row, &f->energy, f->steps);
    verify_row *trend = add_row(z, "energy trend");
    long steps = long_steps(z);
    const engine_api *api = z->options->long_api;
    trend_row(trend, slow, z->h * steps, api->epsilon * slow->energy.scale * (100 + steps));
    if (row->verdict != VERDICT_HOLDS && row->verdict != VERDICT_KEPT)
        snprintf(row->measured, sizeof row->measured, "%.1e, relative %.1e", (double)slow->energy.error,
                 (double)(slow->energy.error / slow->energy.scale));
}

static void check_rest(check *z, const engine_follow *f)
{
    verify_row *row = add_property(z, "momenta", KEEPS_MOMENTUM);
    size_t symmetries = z->api->watch_count(z->engine) - 3 - (size_t)z->api->balance(z->engine);
    if (!symmetries) {
        snprintf(row->note, sizeof row->note,
                 "no translation, rotation or shift of a coordinate leaves the model as it is");
        return;
    }
    kept_row(z, row, &f->momentum, f->steps);
    size_t at = 0;
    for (size_t i = 0; i < symmetries && at + 160 < sizeof row->note; i++) {
        char name[100];
        z->api->watch_name(z->engine, 3 + i, name, sizeof name);
        at += (size_t)snprintf(row->note + at, sizeof row->note - at, "%s%s", i ? ", " : "", name);
    }
    if (symmetries > 1) snprintf(row->note + at, sizeof row->note - at, "; the one that changed most");
}

static int check_return(check *z)
{
    verify_row *row = add_property(z, "reversible", KEEPS_REVERSIBLE);
    engine_return r;
    z->api->restart(z->engine);
    int status = z->api->there_and_back(z->engine, z->h, RETURN_STEPS, &r);
    if (status == TAUT_OUT_OF_MEMORY) return status;
    if (status) { /* the way forth was gone by other measurements: it is the way back that fails */
        row->verdict = is_declared(row) ? VERDICT_UNDECIDED : VERDICT_NOT_KEPT;
        snprintf(row->note, sizeof row->note, "the way back failed: %.300s", taut_error_text(z->context));
        return TAUT_OK;
    }
    /* Each of the steps leaves an error of some ulps, and the motion amplifies them. */
    judge(row, r.error, z->api->epsilon * r.growth * (100 + 4 * RETURN_STEPS), (wide)1e-6);
    snprintf(row->measured, sizeof row->measured, "%.1e after %d steps and back", (double)r.error, RETURN_STEPS);
    if (r.growth > 100)
        snprintf(row->note, sizeof row->note,
                 "on the way back the motion amplifies perturbations, also rounding errors, by %.0e: defects "
                 "below %.0e are not visible",
                 (double)r.growth, (double)row->limit);
    return TAUT_OK;
}

static void check_constraints(check *z, const engine_follow *f)
{
    for (int k = 0; k < 2; k++) {
        verify_row *row =
            add_property(z, k ? "velocity dg/dt = 0" : "position g = 0", k ? KEEPS_VELOCITY : KEEPS_POSITION);
        if (z->c && !k && f->no_position)
            snprintf(row->note, sizeof row->note, "all constraints are on velocities");
        else if (z->c)
            kept_row(z, row, k ? &f->velocity : &f->position, f->steps);
        else
            snprintf(row->note, sizeof row->note, "the model has no constraints");
    }
}

/* ---- the measurements, which do not depend on each other ---- */

enum { ORDER, SYMPLECTICITY, FOLLOW, FOLLOW_LONG, RETURN, GROWTH, MEASUREMENTS };

typedef struct {
    const check *z;
    engine_follow follow, slow;
    verify_result parts[MEASUREMENTS]; /* rows that a measurement writes itself */
} measurements;

static int needs_long_engine(int which) { return which == FOLLOW_LONG || which == GROWTH; }

static int measure_one(measurements *all, check *z, int which)
{
    const engine_api *api = needs_long_engine(which) ? z->options->long_api : z->api;
    void *engine = needs_long_engine(which) ? z->options->long_engine : z->engine;
    z->result = &all->parts[which];
    switch (which) {
    case ORDER: return check_order(z);
    case SYMPLECTICITY: return check_symplecticity(z);
    case FOLLOW:
        api->restart(engine);
        return api->follow(engine, z->h, z->result->steps, z->options->progress, &all->follow);
    case FOLLOW_LONG:
        if (!api->energy_conserved(engine)) return TAUT_OK;
        api->restart(engine);
        return api->follow(engine, z->h, long_steps(z), z->options->progress, &all->slow);
    case RETURN: return check_return(z);
    case GROWTH: return z->declared->any_start ? taut_verify_growth_rows(z->context, z->options, z->result) : TAUT_OK;
    default: return TAUT_OK;
    }
}

/* With a check whose engines are free. */
static int do_measurement(measurements *all, check *z, int which)
{
    static const char *const names[MEASUREMENTS] = { "order", "symplecticity", "what is kept", "trend of the energy",
                                                     "reversibility", "growth of errors" };
    run_progress *progress = z->options->progress;
    const long steps = which == FOLLOW ? all->parts[which].steps : which == FOLLOW_LONG ? long_steps(z) : 0;
    progress_stage(progress, names[which], steps);
    const int status = measure_one(all, z, which);
    progress_part_done(progress);
    return status;
}

static int measure_apart(void *self, int which, model *m)
{
    measurements *all = self;
    check z = *all->z;
    verify_options o = *z.options;
    text_locale l = text_locale_enter(); /* of this thread */
    void *engine = NULL;
    const engine_api *api = needs_long_engine(which) ? o.long_api : z.api;
    int status = api->create(m, o.create, &engine);
    z.context = m->context;
    z.engine = o.engine = o.long_engine = engine;
    z.options = &o;
    if (!status) status = do_measurement(all, &z, which);
    if (engine) api->destroy(engine);
    text_locale_leave(l);
    return status;
}

static int measure_all(check *z, measurements *all)
{
    const verify_options *o = z->options;
    if (o->m && o->create && taut_crew_is_several(&o->crew, o->m))
        return taut_crew_run(&o->crew, o->m, MEASUREMENTS, measure_apart, all);
    check here = *z;
    int status = TAUT_OK;
    for (int i = 0; !status && i < MEASUREMENTS; i++) status = do_measurement(all, &here, i);
    return status;
}

static void add_rows(check *z, const verify_result *from)
{
    for (int i = 0; i < from->count; i++) z->result->rows[z->result->count++] = from->rows[i];
}

static int measure(check *z)
{
    z->result->count = 0;
    z->result->step = z->h;
    z->result->until = z->options->until > 0 ? z->options->until : LONG_STEPS * z->h;
    const long steps = long_steps(z);
    if (steps < 0)
        return taut_fail(z->context, TAUT_BAD_USAGE,
                         "that is more than 9e18 steps; choose a larger step or an earlier end");
    z->result->steps = steps < STEPS ? steps : STEPS;
    measurements *all = taut_mem_new(z->context, 1, sizeof *all);
    if (!all) return TAUT_OUT_OF_MEMORY;
    all->z = z;
    for (int i = 0; i < MEASUREMENTS; i++) all->parts[i] = *z->result;
    progress_parts(z->options->progress, MEASUREMENTS);
    int status = measure_all(z, all);
    if (!status) {
        add_rows(z, &all->parts[ORDER]);
        add_rows(z, &all->parts[SYMPLECTICITY]);
        check_energy(z, &all->follow, &all->slow);
        check_rest(z, &all->follow);
        add_rows(z, &all->parts[RETURN]);
        check_constraints(z, &all->follow);
        add_rows(z, &all->parts[GROWTH]);
    }
    taut_mem_free(z->context, all);
    return status;
}

static int run(taut_context *context, const verify_options *options, verify_result *result)
{
    check z = {
        .context = context, .options = options, .result = result, .api = options->api, .engine = options->engine
    };
    *result = (verify_result){ 0 };
    z.declared = z.api->declared(z.engine);
    z.api->sizes(z.engine, &z.n, &z.c);
    z.h = options->step;
    if (z.h > 0) return measure(&z);
    int status = choose_step(&z);
    if (status) return status;
    /* The step suits the first steps; where the motion is rougher later, a smaller one may. */
    status = measure(&z);
    for (int k = 0; k < 4 && status && status != TAUT_OUT_OF_MEMORY; k++) {
        z.h /= 2;
        status = measure(&z);
    }
    return status;
}

int taut_verify_run(taut_context *context, const verify_options *options, verify_result *result)
{
    text_locale l = text_locale_enter(); /* rows are full of numbers as text */
    int status = run(context, options, result);
    text_locale_leave(l);
    return status;
}
