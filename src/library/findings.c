/* What a model is, of the public interface: the check of an engine, and the report of the Dirac algorithm. */
#include <stdio.h>

#include "analysis/dirac.h"
#include "library/measure.h"

/* ---- findings ---- */

typedef struct {
    char *name, *text;
    taut_value value;
    int is_free, line;
} found;

typedef struct {
    found *items;
    size_t count, capacity;
} found_list;

struct taut_findings {
    measure base;
    start_mode start;
    engine_check check;
    int status;
    char failure[TAUT_ERROR_TEXT];
    found_list lists[TAUT_FOUND_KINDS];
    char **lines;            /* of the Dirac algorithm */
    size_t line_count, line_capacity;
    int out_of_memory;
};

static void keep(taut_findings *z, int kind, const char *name, const char *text, found item)
{
    taut_context *context = z->base.context;
    found_list *list = &z->lists[kind];
    item.name = taut_mem_text(context, name);
    item.text = text ? taut_mem_text(context, text) : NULL;
    if (!item.name || (text && !item.text) ||
        taut_mem_grow(context, &list->items, &list->capacity, list->count + 1, sizeof *list->items)) {
        taut_mem_free(context, item.name);
        taut_mem_free(context, item.text);
        z->out_of_memory = 1;
        return;
    }
    list->items[list->count++] = item;
}

static void on_start(void *user, const char *name, wide value, int free)
{
    keep(user, TAUT_FOUND_START, name, NULL, (found){ .value = library_value(value), .is_free = free });
}

static void on_redundant(void *user, uint32_t k, const char *on)
{
    taut_findings *z = user;
    const constraint *c = &z->base.m->constraints[k];
    keep(z, TAUT_FOUND_DEPENDENT, c->name, on, (found){ .line = c->line });
}

static void on_conserved(void *user, const char *name)
{
    keep(user, TAUT_FOUND_CONSERVED, name, NULL, (found){ 0 });
}

static void on_method(void *user, const char *name, const char *refusal)
{
    keep(user, TAUT_FOUND_METHOD, name, refusal, (found){ 0 });
}

int taut_findings_create(taut_context *context, taut_model *model, int start, taut_findings **result)
{
    start_mode mode;
    LIBRARY_NEEDS(context, result, "result");
    *result = NULL;
    LIBRARY_NEEDS(context, context, "context");
    LIBRARY_NEEDS(context, model, "model");
    library_begin(context);
    int status = taut_measure_start(context, start, &mode);
    taut_findings *z = status ? NULL : taut_mem_new(context, 1, sizeof *z);
    if (!z) return library_done(context, status ? status : TAUT_OUT_OF_MEMORY);
    z->start = mode;
    status = taut_measure_begin(&z->base, context, model, NULL);
    if (!status) {
        z->status = taut_engine_double.check(z->base.m, mode, &z->check, on_start, on_redundant, on_conserved,
                                             on_method, z);
        if (z->status == TAUT_OUT_OF_MEMORY) status = z->status;
        if (z->status) snprintf(z->failure, sizeof z->failure, "%s", taut_error_text(context));
    }
    if (!status && z->out_of_memory) status = taut_fail(context, TAUT_OUT_OF_MEMORY, "out of memory for the findings");
    if (status) taut_findings_release(z);
    else *result = z;
    return library_done(context, status);
}

static void forget_lines(taut_findings *z)
{
    for (size_t i = 0; i < z->line_count; i++) taut_mem_free(z->base.context, z->lines[i]);
    z->line_count = 0;
}

void taut_findings_release(taut_findings *z)
{
    if (!z) return;
    measure base = z->base;
    forget_lines(z);
    taut_mem_free(base.context, z->lines);
    for (int kind = 0; kind < TAUT_FOUND_KINDS; kind++) {
        for (size_t i = 0; i < z->lists[kind].count; i++) {
            taut_mem_free(base.context, z->lists[kind].items[i].name);
            taut_mem_free(base.context, z->lists[kind].items[i].text);
        }
        taut_mem_free(base.context, z->lists[kind].items);
    }
    taut_mem_free(base.context, z);
    taut_measure_end(&base);
}

void taut_findings_about(const taut_findings *z, taut_structure *structure)
{
    static const int forms[] = { [FORM_NONE] = TAUT_FORM_NONE,
                                 [FORM_LAGRANGIAN] = TAUT_FORM_LAGRANGIAN,
                                 [FORM_HAMILTONIAN] = TAUT_FORM_HAMILTONIAN,
                                 [FORM_RATES] = TAUT_FORM_RATES };
    if (!z || !structure) return;
    const engine_check *c = &z->check;
    const model *m = z->base.m;
    const taut_structure found = { .status = z->status,
                                   .failure = z->failure,
                                   .form = forms[m->form],
                                   .phase_space = c->phase,
                                   .coordinates = c->coordinates,
                                   .constraints = c->constraints,
                                   .velocity_constraints = c->velocity_constraints,
                                   .contacts = c->contacts,
                                   .closed = c->closed,
                                   .closed_names = c->closed_names,
                                   .sequential_impacts = m->impact_law == IMPACT_SEQUENTIAL,
                                   .rank_known = c->rank_known,
                                   .rank = c->rank,
                                   .degrees_of_freedom = c->degrees_of_freedom,
                                   .position_freedom = c->position_freedom,
                                   .nonholonomic = c->nonholonomic,
                                   .integrable = c->integrable,
                                   .start_failure = c->start_status ? c->start_text : "",
                                   .start_free = (size_t)c->free_q + c->free_w,
                                   .start_moved_positions = library_value(c->moved_q),
                                   .start_moved_velocities = library_value(c->moved_w),
                                   .time_dependent = c->time_dependent,
                                   .energy_conserved = c->energy_conserved,
                                   .forces = m->force_count,
                                   .has_forces = c->has_forces,
                                   .force_position = c->force_position,
                                   .force_velocity = c->force_velocity,
                                   .force_time = c->force_time,
                                   .force_multiplier = c->force_multiplier,
                                   .constant_mass = c->constant_mass,
                                   .diagonal_mass = c->diagonal_mass,
                                   .largest_mass_block = c->largest_block,
                                   .coupled = !c->uncoupled,
                                   .augmented_mass = c->augmented,
                                   .fast_path = c->explicit_force,
                                   .terms = c->instances,
                                   .kernels = c->kernels,
                                   .constants = c->constants,
                                   .fastest_frequency = library_value(c->frequency) };
    taut_library_give(&found, sizeof found, structure);
}

int taut_findings_item(const taut_findings *z, int kind, size_t index, taut_found *item)
{
    LIBRARY_NEEDS(NULL, z, "findings");
    LIBRARY_NEEDS(z->base.context, item, "found");
    const size_t count = kind < 0 || kind >= TAUT_FOUND_KINDS ? 0 : z->lists[kind].count;
    if (index >= count) return taut_measure_beyond(z->base.context, "item", index, count);
    const found *f = &z->lists[kind].items[index];
    const taut_found given = { .name = f->name, .text = f->text, .value = f->value, .is_free = f->is_free,
                               .line = f->line };
    taut_library_give(&given, sizeof given, item);
    return TAUT_OK;
}

int taut_findings_path(taut_findings *z, const char *method, taut_path *result)
{
    static const int kinds[PATH_KINDS] = { [PATH_STRAIGHT] = TAUT_PATH_STRAIGHT, [PATH_ELEMENTS] = TAUT_PATH_ELEMENTS,
                                           [PATH_FIELDS] = TAUT_PATH_FIELDS,
                                           [PATH_WRITTEN_OUT] = TAUT_PATH_WRITTEN_OUT };
    LIBRARY_NEEDS(NULL, z, "findings");
    taut_context *context = z->base.context;
    LIBRARY_NEEDS(context, method, "method");
    LIBRARY_NEEDS(context, result, "path");
    library_begin(context);
    const engine_options options = { .method = method, .start = z->start, .native = TAUT_NATIVE_OFF, .again = 1,
                                     .quiet = 1 };
    void *engine = NULL;
    const int status = taut_engine_double.create(z->base.m, &options, &engine);
    if (!status) {
        const step_path found = taut_engine_double.path(engine);
        const taut_path given = { .kind = kinds[found.kind], .shapes = found.shapes, .phases = found.phases,
                                  .condensed = found.condensed, .why = found.why ? found.why : "",
                                  .why_fields = found.why_fields ? found.why_fields : "" };
        taut_engine_double.destroy(engine);
        taut_library_give(&given, sizeof given, result);
    }
    return library_done(context, status);
}

/* ---- the Dirac algorithm ---- */

static void on_line(void *user, const char *text)
{
    taut_findings *z = user;
    taut_context *context = z->base.context;
    char *line = taut_mem_text(context, text);
    if (!line || taut_mem_grow(context, &z->lines, &z->line_capacity, z->line_count + 1, sizeof *z->lines)) {
        taut_mem_free(context, line);
        z->out_of_memory = 1;
        return;
    }
    z->lines[z->line_count++] = line;
}

int taut_findings_dirac(taut_findings *z, const char *more, taut_dirac_info *info)
{
    dirac *d;
    LIBRARY_NEEDS(NULL, z, "findings");
    taut_context *context = z->base.context;
    library_begin(context);
    forget_lines(z);
    z->out_of_memory = 0;
    int status = taut_dirac_analyse(z->base.m, &d);
    if (status) return library_done(context, status);
    const taut_dirac_info about = { .covered = d->verdict != DIRAC_REFUSED,
                                    .singular = d->singular,
                                    .asked = z->base.m->phase_line != 0,
                                    .coordinates = z->base.m->coordinate_count };
    if (info) taut_library_give(&about, sizeof about, info);
    status = taut_dirac_report(d, more, on_line, z);
    taut_dirac_destroy(d);
    if (!status && z->out_of_memory) status = taut_fail(context, TAUT_OUT_OF_MEMORY, "out of memory for the report");
    if (status) forget_lines(z);
    return library_done(context, status);
}

const char *taut_findings_dirac_line(const taut_findings *z, size_t index)
{
    return z && index < z->line_count ? z->lines[index] : NULL;
}
