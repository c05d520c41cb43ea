#include "ensemble/sweep_inside.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "ensemble/counter.h"
#include "run/plan.h"

/* ---- words ---- */

static const char *const stats_names[] = { "mean", "sd", "quantiles", "histogram" };

int taut_sweep_stats_parse(taut_context *context, const char *text, unsigned *stats)
{
    *stats = 0;
    if (strcmp(text, "none") == 0) return TAUT_OK;
    for (const char *at = text;;) {
        const size_t length = strcspn(at, ",");
        unsigned found = 0;
        for (int i = 0; i < 4; i++)
            if (strlen(stats_names[i]) == length && memcmp(stats_names[i], at, length) == 0) found = 1u << i;
        if (!found)
            return taut_fail(context, TAUT_BAD_USAGE, "'%.*s' is none of mean, sd, quantiles, histogram, none",
                             (int)(length < 40 ? length : 40), at);
        *stats |= found;
        if (!at[length]) return TAUT_OK;
        at += length + 1;
    }
}

void taut_sweep_stats_text(unsigned stats, char *buffer, size_t size)
{
    size_t used = 0;
    snprintf(buffer, size, "none");
    for (int i = 0; i < 4; i++)
        if (stats >> i & 1 && used < size)
            used += (size_t)snprintf(buffer + used, size - used, "%s%s", used ? "," : "", stats_names[i]);
}

/* ---- what varies ---- */

static int resolve(taut_context *context, const model *m, const char *name, executor_vary *vary, char **column)
{
    const long parameter = taut_model_find_parameter(m, name);
    if (parameter >= 0) {
        *vary = (executor_vary){ VARY_PARAMETER, (uint32_t)parameter };
        *column = taut_mem_text(context, name);
        return *column ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    }
    const int momenta = m->form == FORM_HAMILTONIAN;
    for (uint32_t i = 0; i < m->coordinate_count; i++) {
        char q[200], w[210];
        taut_model_coordinate_name(m, i, q, sizeof q);
        snprintf(w, sizeof w, momenta ? "p.%s" : "%s.dot", q);
        const int rate = strcmp(name, w) == 0;
        if (!rate && strcmp(name, q) != 0) continue;
        *vary = (executor_vary){ rate ? VARY_RATE : VARY_POSITION, i };
        *column = taut_mem_new(context, strlen(name) + 7, 1);
        if (!*column) return TAUT_OUT_OF_MEMORY;
        memcpy(*column, "start.", 6);
        memcpy(*column + 6, name, strlen(name));
        return TAUT_OK;
    }
    return taut_fail(context, TAUT_BAD_USAGE,
                     "'%s' cannot vary: the model has no param, input, coordinate or %s of that name", name,
                     momenta ? "momentum (p.NAME)" : "velocity (NAME.dot)");
}

int taut_sweep_resolve(taut_context *context, const model *m, const sample *s, executor_vary *vary, char **names)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < s->count; i++)
        status = resolve(context, m, s->varies[i].name, &vary[i], &names[i]);
    return status;
}

/* ---- columns ---- */

static int add_column(sweep *s, size_t column)
{
    char name[256];
    taut_executor_column_name(s->executor, column, name, sizeof name);
    for (size_t i = 0; i < s->column_count; i++)
        if (s->columns[i] == column) return taut_fail(s->context, TAUT_BAD_USAGE, "'%s' is kept twice", name);
    memcpy(s->names[s->column_count], name, sizeof name);
    s->columns[s->column_count++] = column;
    return TAUT_OK;
}

static int find_column(const sweep *s, const char *name, size_t length, size_t *column)
{
    char candidate[256];
    const size_t count = taut_executor_columns(s->executor);
    for (*column = 0; *column < count; ++*column) {
        taut_executor_column_name(s->executor, *column, candidate, sizeof candidate);
        if (strlen(candidate) == length && memcmp(candidate, name, length) == 0) return TAUT_OK;
    }
    return taut_fail(s->context, TAUT_BAD_USAGE,
                     "there is no column '%.*s' to keep; the first line of a run's CSV lists them",
                     (int)(length < 200 ? length : 200), name);
}

static int is_kept_by_default(const char *kind)
{
    return strcmp(kind, "coordinate") == 0 || strcmp(kind, "energy") == 0;
}

/* t comes first, asked for or not. */
static int choose_columns(sweep *s)
{
    const size_t count = taut_executor_columns(s->executor);
    s->columns = taut_mem_new(s->context, count + 2, sizeof *s->columns);
    s->names = taut_mem_new(s->context, count + 2, sizeof *s->names);
    if (!s->columns || !s->names) return TAUT_OUT_OF_MEMORY;
    int status = add_column(s, 0);
    const char *at = s->spec.keep;
    for (size_t i = 1; !at && !status && i < count; i++)
        if (is_kept_by_default(taut_executor_column_kind(s->executor, i))) status = add_column(s, i);
    for (size_t column, length; !status && at; at = at[length] ? at + length + 1 : NULL) {
        length = strcspn(at, ",");
        status = find_column(s, at, length, &column);
        if (!status && column) status = add_column(s, column);
    }
    if (!status && 1 + s->spec.sample->count + s->column_count > 1000)
        status = taut_fail(s->context, TAUT_BAD_USAGE,
                           "%zu columns are too many for the file of an ensemble (1000); choose those to keep",
                           1 + s->spec.sample->count + s->column_count);
    if (!status) status = taut_executor_choose(s->executor, s->columns, s->column_count);
    s->own_count = s->column_count;
    if (!status && s->exponents) {
        for (size_t i = 0; i < s->column_count; i++)
            if (strcmp(s->names[i], "lyapunov") == 0)
                return taut_fail(s->context, TAUT_BAD_USAGE, "a column of the model is called 'lyapunov', too");
        snprintf(s->names[s->column_count++], sizeof *s->names, "lyapunov");
    }
    return status;
}

/* ---- moments ---- */

static int by_number(const void *a, const void *b)
{
    const long x = *(const long *)a, y = *(const long *)b;
    return (x > y) - (x < y);
}

/* The steps at which --at asks for values. */
static int kept_steps(const sweep *s, const run_plan *plan, long *kept, size_t *count)
{
    const sweep_spec *spec = &s->spec;
    *count = 0;
    for (const char *at = spec->at; at;) {
        char item[64];
        wide t;
        const size_t length = strcspn(at, ",");
        snprintf(item, sizeof item, "%.*s", (int)(length < 60 ? length : 60), at);
        if (taut_wide_parse(item, &t) || t != t)
            return taut_fail(s->context, TAUT_BAD_USAGE, "'%s' is not a time; write times with commas between them",
                             item);
        if (!(t >= 0) || t > spec->until * (1 + (wide)1e-9))
            return taut_fail(s->context, TAUT_BAD_USAGE, "the time %s is not between 0 and the end, %.9g", item,
                             (double)spec->until);
        const int at_end = WIDE(fabs)(t - spec->until) <= (wide)1e-9 * spec->until;
        const run_plan to = taut_run_plan(0, t, spec->step);
        if (!at_end && to.partial)
            return taut_fail(s->context, TAUT_BAD_USAGE,
                             "the time %s is not reached: it is no multiple of the step %.9g (%.9g is)", item,
                             (double)spec->step, (double)(WIDE(round)(t / spec->step) * spec->step));
        kept[(*count)++] = at_end ? plan->steps : to.steps;
        at = at[length] ? at + length + 1 : NULL;
    }
    if (!*count) kept[(*count)++] = plan->steps;
    qsort(kept, *count, sizeof *kept, by_number);
    return TAUT_OK;
}

/* The time of the engine after so many steps of h: compensated, as in system/state.c. */
static wide time_after(wide step, long steps)
{
    const double h = (double)step;
    double t = 0, low = 0;
    for (long i = 0; i < steps; i++) {
        const double y = h + low, sum = t + y;
        low = y - (sum - t);
        t = sum;
    }
    return (wide)t + low;
}

/* The steps after the first `at` up to the `next`-th. A member is read where it begins, too. */
static void add_legs(sweep *s, const run_plan *plan, long at, long next, int reads)
{
    run_walk walk = taut_run_walk(plan, at, 0, 0);
    if (reads && next == at) s->legs[s->leg_count++] = (executor_leg){ plan->step, 0, 1 };
    while (walk.done < next) {
        const run_leg leg = taut_run_next(&walk, next - walk.done);
        const wide t = leg.shorter ? time_after(plan->step, walk.done) : 0;
        taut_run_done(&walk, leg.steps);
        s->legs[s->leg_count++] = (executor_leg){ taut_run_length(plan, &leg, t), leg.steps,
                                                  reads && walk.done == next };
    }
}

static int plan_moments(sweep *s)
{
    const sweep_spec *spec = &s->spec;
    const run_plan plan = taut_run_plan(0, spec->until, spec->step);
    if (plan.steps < 1 || (double)plan.steps > 1e15)
        return taut_fail(s->context, TAUT_BAD_USAGE, "steps of %.9g do not lead to the end, %.9g, or are too many",
                         (double)spec->step, (double)spec->until);
    const long steps = plan.steps;
    size_t commas = 1, kept_count = 0;
    for (const char *c = spec->at ? spec->at : ""; *c; c++) commas += *c == ',';
    long *kept = taut_mem_new(s->context, commas + 1, sizeof *kept),
         every = spec->every <= 0 ? taut_run_stride(steps, 100) : spec->every < steps ? spec->every : steps;
    if (!kept) return TAUT_OUT_OF_MEMORY;
    int status = kept_steps(s, &plan, kept, &kept_count);
    const double most = (spec->stats ? (double)steps / (double)every + 2 : 0) + (double)kept_count;
    if (!status && most * (double)s->column_count > 1e7)
        status = taut_fail(s->context, TAUT_BAD_USAGE, "%.0f moments of %zu columns are too many; look less often",
                           most, s->column_count);
    if (!status) {
        s->moments = taut_mem_new(s->context, (size_t)most + 2, sizeof *s->moments);
        s->legs = taut_mem_new(s->context, (size_t)most + 3, sizeof *s->legs);
        if (!s->moments || !s->legs) status = TAUT_OUT_OF_MEMORY;
    }
    long at = 0;
    for (size_t k = 0; !status;) {
        long next = steps + 1;
        if (k < kept_count) next = kept[k];
        if (spec->stats) { /* the next of the regular ones: multiples of every, and the end */
            long regular = s->moment_count ? taut_run_next_multiple(at, every) : 0;
            if (regular > steps) regular = at < steps ? steps : steps + 1;
            if (regular < next) next = regular;
        }
        if (next > steps) break;
        int is_kept = 0;
        while (k < kept_count && kept[k] == next) is_kept = 1, k++;
        add_legs(s, &plan, at, next, 1);
        s->moments[s->moment_count++] = (sweep_moment){
            next, next == steps ? (double)spec->until : (double)(spec->step * next), is_kept };
        s->kept_count += (size_t)is_kept;
        at = next;
    }
    if (!status) add_legs(s, &plan, at, steps, 0); /* to the end, so that members that fail there are known */
    s->steps_each = (double)steps;
    taut_mem_free(s->context, kept);
    return status;
}

/* ---- paths ---- */

uint64_t taut_sweep_key(uint64_t seed, uint64_t member) { return counter_bits(seed, member, 0, 0x300u); }

static void sink(uint64_t *heap, size_t count, size_t at)
{
    for (size_t child; (child = 2 * at + 1) < count; at = child) {
        if (child + 1 < count && heap[child + 1] > heap[child]) child++;
        if (heap[at] >= heap[child]) return;
        const uint64_t x = heap[at];
        heap[at] = heap[child];
        heap[child] = x;
    }
}

int taut_sweep_path_key(taut_context *context, uint64_t seed, uint64_t first, uint64_t last, size_t most, uint64_t *key)
{
    *key = UINT64_MAX;
    if (last - first < most) return TAUT_OK;
    uint64_t *heap = taut_mem_new(context, most + 1, sizeof *heap); /* the largest key on top */
    if (!heap) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < most; i++) heap[i] = taut_sweep_key(seed, first + i);
    for (size_t i = most / 2; i-- > 0;) sink(heap, most, i);
    for (uint64_t k = first + most; most && k <= last; k++) {
        const uint64_t x = taut_sweep_key(seed, k);
        if (x < heap[0]) heap[0] = x, sink(heap, most, 0);
    }
    *key = most ? heap[0] : 0;
    taut_mem_free(context, heap);
    return TAUT_OK;
}

/* ---- made and freed ---- */

void taut_sweep_free(sweep *s)
{
    if (!s) return;
    taut_context *context = s->context;
    taut_executor_destroy(s->executor);
    taut_lyapunov_destroy(s->exponents);
    taut_sweep_writer_close(s->file);
    taut_writer_close(s->writer);
    taut_statistics_clear(&s->sums);
    for (size_t i = 0; s->varied && i < s->spec.sample->count; i++) taut_mem_free(context, s->varied[i]);
    void *blocks[] = { s->vary, s->varied, s->columns, s->names, s->moments, s->legs, s->done, s->values, s->rows,
                       s->frame, s->members, s->raw, s->exponent };
    taut_sweep_memory_clear(s);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) taut_mem_free(context, blocks[i]);
    taut_mem_free(context, s);
}

const executor *taut_sweep_executor(const sweep *s) { return s->executor; }
uint64_t taut_sweep_done(const sweep *s) { return s->done_count; }
uint64_t taut_sweep_failed(const sweep *s) { return s->failed_count; }
size_t taut_sweep_columns(const sweep *s) { return s->column_count; }
const char *taut_sweep_column_name(const sweep *s, size_t column) { return s->names[column]; }
size_t taut_sweep_moments(const sweep *s) { return s->moment_count; }
const sweep_moment *taut_sweep_moment(const sweep *s, size_t moment) { return &s->moments[moment]; }
const char *taut_sweep_varied_name(const sweep *s, size_t i) { return s->varied[i]; }

static int check(taut_context *context, const sweep_spec *spec)
{
    if (!(spec->step > 0) || spec->step - spec->step != 0)
        return taut_fail(context, TAUT_BAD_USAGE, "the step must be a positive number, not %.6g", (double)spec->step);
    if (!(spec->until > 0) || spec->until - spec->until != 0 || spec->until / spec->step > (wide)1e15)
        return taut_fail(context, TAUT_BAD_USAGE,
                         "the end time must lie after the start, and be reached in 1e15 steps");
    if (spec->last < spec->first || spec->last - spec->first > (uint64_t)1 << 40)
        return taut_fail(context, TAUT_BAD_USAGE, "the members are numbered from 0, the first before the last");
    if (spec->sample->members && spec->last >= spec->sample->members)
        return taut_fail(context, TAUT_BAD_USAGE, "the last member is %llu, counted from 0: there are %llu",
                         (unsigned long long)spec->sample->members - 1, (unsigned long long)spec->sample->members);
    return TAUT_OK;
}

int taut_sweep_create(taut_context *context, const sweep_spec *spec, sweep **result)
{
    *result = NULL;
    int status = check(context, spec);
    if (status) return status;
    sweep *s = taut_mem_new(context, 1, sizeof *s);
    if (!s) return TAUT_OUT_OF_MEMORY;
    s->context = context;
    s->spec = *spec;
    s->from = 1;
    const size_t count = spec->sample->count;
    s->vary = taut_mem_new(context, count + 1, sizeof *s->vary);
    s->varied = taut_mem_new(context, count + 1, sizeof *s->varied);
    if (!s->vary || !s->varied) status = TAUT_OUT_OF_MEMORY;
    if (!status) status = taut_sweep_resolve(context, spec->m, spec->sample, s->vary, s->varied);
    const executor_options options = { .on = spec->on, .method = spec->method, .tolerance = spec->tolerance,
                                       .step = spec->step, .start = spec->start, .native = spec->native,
                                       .threads = spec->threads, .fast = spec->fast, .vary = s->vary,
                                       .vary_count = count };
    if (!status) status = taut_executor_create(spec->m, &options, &s->executor);
    if (!status && spec->lyapunov) status = taut_lyapunov_create(spec->m, &options, &s->exponents);
    if (!status) status = choose_columns(s);
    if (!status) status = plan_moments(s);
    if (!status)
        status = taut_sweep_path_key(context, spec->sample->seed, spec->first, spec->last, spec->paths, &s->path_key);
    if (!status && spec->stats) status = taut_statistics_create(context, s->moment_count * s->column_count, &s->sums);
    if (!status && !(s->done = taut_mem_new(context, (size_t)((spec->last - spec->first) / 8 + 1), 1)))
        status = TAUT_OUT_OF_MEMORY;
    if (status)
        taut_sweep_free(s);
    else
        *result = s;
    return status;
}
