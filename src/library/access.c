/* Numbers of a simulation by kind: names, values, other values. */
#include "expr/call.h"
#include "library/library.h"

#include <stdint.h>

/* ---- kinds ---- */

int taut_library_columns(int kind, engine_column *first, engine_column *last)
{
    static const engine_column types[TAUT_ALL + 1][2] = {
        [TAUT_TIME] = { COLUMN_TIME, COLUMN_TIME },
        [TAUT_POSITION] = { COLUMN_Q, COLUMN_Q },
        [TAUT_VELOCITY] = { COLUMN_V, COLUMN_V },
        [TAUT_MOMENTUM] = { COLUMN_P, COLUMN_P },
        [TAUT_MULTIPLIER] = { COLUMN_LAMBDA, COLUMN_CONTACT },
        [TAUT_GAP] = { COLUMN_GAP, COLUMN_GAP },
        [TAUT_ENERGY] = { COLUMN_ENERGY, COLUMN_ENERGY },
        [TAUT_WORK] = { COLUMN_WORK, COLUMN_WORK },
        [TAUT_CONSTRAINT] = { COLUMN_CONSTRAINT, COLUMN_CONSTRAINT },
        [TAUT_CONSTRAINT_RATE] = { COLUMN_RATE, COLUMN_RATE },
        [TAUT_CONSERVED] = { COLUMN_SYMMETRY, COLUMN_SYMMETRY },
        [TAUT_OBSERVABLE] = { COLUMN_OBSERVABLE, COLUMN_OBSERVABLE },
        [TAUT_MIDPOINT] = { COLUMN_MIDDLE_TIME, COLUMN_MIDDLE_LAMBDA },
        [TAUT_ALL] = { COLUMN_TIME, COLUMN_MIDDLE_LAMBDA },
    };
    if (kind < 0 || kind > TAUT_ALL) return 0;
    *first = types[kind][0], *last = types[kind][1];
    return 1;
}

/* Columns before this type. */
static size_t columns_before(const taut_simulation *z, engine_column type)
{
    size_t count = 0;
    for (int k = 0; k < (int)type; k++) count += z->api->columns_of(z->engine, (engine_column)k);
    return count;
}

size_t taut_count(const taut_simulation *z, int kind)
{
    engine_column first, last;
    if (!z) return 0;
    if (kind == TAUT_PARAM) return z->param_count;
    if (kind == TAUT_INPUT) return z->input_count;
    if (!taut_library_columns(kind, &first, &last)) return 0;
    return columns_before(z, (engine_column)(last + 1)) - columns_before(z, first);
}

/* ---- names ----
   Of all columns, then of the params, then of the inputs: one block of strings, and an open hash table of their
   numbers + 1. */

void taut_library_names_clear(taut_simulation *z)
{
    taut_mem_free(z->context, z->names);
    taut_mem_free(z->context, z->name_at);
    taut_mem_free(z->context, z->name_table);
    z->names = NULL;
    z->name_at = NULL;
    z->name_table = NULL;
}

static size_t name_total(const taut_simulation *z) { return z->columns + z->param_count + z->input_count; }

static size_t hash_of(const char *name)
{
    uint64_t h = 1469598103934665603u; /* FNV-1a */
    for (; *name; name++) h = (h ^ (unsigned char)*name) * 1099511628211u;
    return (size_t)(h ^ h >> 29);
}

static const char *parameter_name(const taut_simulation *z, size_t i)
{
    i -= z->columns;
    return z->model->m->parameters[i < z->param_count ? z->params[i] : z->inputs[i - z->param_count]].name;
}

static int write_names(taut_simulation *z)
{
    size_t used = 0, capacity = 0;
    char name[256];
    for (size_t i = 0; i < name_total(z); i++) {
        const char *text = name;
        if (i < z->columns) z->api->column_name(z->engine, i, name, sizeof name);
        else text = parameter_name(z, i);
        const size_t size = strlen(text) + 1;
        if (taut_mem_grow(z->context, &z->names, &capacity, used + size, 1)) return TAUT_OUT_OF_MEMORY;
        memcpy(z->names + used, text, size);
        z->name_at[i] = used;
        used += size;
    }
    return TAUT_OK;
}

static int make_names(taut_simulation *z)
{
    if (z->name_table) return TAUT_OK;
    const size_t total = name_total(z);
    size_t size = 16;
    while (size < 2 * total) size *= 2;
    z->name_at = taut_mem_new(z->context, total, sizeof *z->name_at);
    int status = z->name_at ? write_names(z) : TAUT_OUT_OF_MEMORY;
    if (!status) z->name_table = taut_mem_new(z->context, size, sizeof *z->name_table);
    if (!z->name_table) {
        taut_library_names_clear(z);
        return TAUT_OUT_OF_MEMORY;
    }
    z->name_table_size = size;
    for (size_t i = 0; i < total; i++) {
        size_t at = hash_of(z->names + z->name_at[i]) & (size - 1);
        while (z->name_table[at]) at = (at + 1) & (size - 1);
        z->name_table[at] = (uint32_t)i + 1;
    }
    return TAUT_OK;
}

/* The numbers of a kind among all names. */
static int range_of(const taut_simulation *z, int kind, size_t *first, size_t *count)
{
    engine_column from, to;
    *count = taut_count(z, kind);
    *first = z->columns + (kind == TAUT_INPUT ? z->param_count : 0);
    if (taut_library_columns(kind, &from, &to)) *first = columns_before(z, from);
    return *count > 0;
}

const char *taut_name(taut_simulation *z, int kind, size_t index)
{
    size_t first, count;
    if (!z || !range_of(z, kind, &first, &count) || index >= count || make_names(z)) return NULL;
    return z->names + z->name_at[first + index];
}

long taut_find(taut_simulation *z, int kind, const char *name)
{
    size_t first, count;
    if (!z || !name || !range_of(z, kind, &first, &count) || make_names(z)) return -1;
    for (size_t at = hash_of(name);; at++) {
        const uint32_t found = z->name_table[at &= z->name_table_size - 1];
        if (!found) return -1;
        const size_t i = found - 1;
        if (i >= first && i - first < count && strcmp(z->names + z->name_at[i], name) == 0) return (long)(i - first);
    }
}

/* ---- values ---- */

static void put_wide(wide value, double *high, double *low)
{
    *high = (double)value;
    if (low) *low = isfinite(*high) ? (double)(value - *high) : 0;
}

static int get_columns(taut_simulation *z, engine_column type, engine_column last, size_t first, size_t count,
                       double *high, double *low)
{
    const int is_double = z->api->number_size == sizeof *high;
    int status = TAUT_OK;
    for (; !status && count && type <= last; type = (engine_column)(type + 1)) {
        const size_t all = z->api->columns_of(z->engine, type);
        if (first >= all) {
            first -= all;
            continue;
        }
        const size_t some = count < all - first ? count : all - first;
        status = z->api->column_values(z->engine, type, first, some, is_double ? (void *)high : (void *)z->frame);
        for (size_t i = 0; !status && !is_double && i < some; i++)
            put_wide(z->frame[i], high + i, low ? low + i : NULL);
        if (is_double && low) memset(low, 0, some * sizeof *low);
        high += some, low = low ? low + some : NULL;
        count -= some, first = 0;
    }
    return status;
}

static int check_range(const taut_simulation *z, int kind, size_t first, size_t count)
{
    const size_t all = taut_count(z, kind);
    if (kind < 0 || kind >= TAUT_KINDS)
        return taut_fail(z->context, TAUT_BAD_USAGE, "there is no kind %d of numbers; see TAUT_TIME .. TAUT_INPUT",
                         kind);
    if (first <= all && count <= all - first) return TAUT_OK;
    return taut_fail(z->context, TAUT_BAD_USAGE,
                     "%zu numbers from %zu on are asked for, and there are %zu of this kind", count, first, all);
}

int taut_library_failed(taut_simulation *z, int status)
{
    if (status) taut_fail_at(z->context, taut_time(z));
    return status;
}

/* What has no value is forgotten, so that it is evaluated when it is asked for the next time. */
int taut_library_read_done(taut_simulation *z, int status, const double *values, size_t count)
{
    if (status || !taut_graph_has_calls(z->model->m->graph)) return taut_library_failed(z, status);
    int finite = !taut_context_has_fault(z->context);
    for (size_t i = 0; i < count; i++) finite &= values[i] - values[i] == 0;
    if (finite) return TAUT_OK;
    z->api->inputs_changed(z->engine); /* to what they are */
    return taut_fail(z->context, TAUT_NOT_FINITE, "at t = %.9g: a number has no value, and the model calls a function",
                     taut_time(z));
}

int taut_get(taut_simulation *z, int kind, size_t first, size_t count, double *high, double *low)
{
    engine_column from, last;
    LIBRARY_NEEDS(NULL, z, "simulation");
    LIBRARY_NEEDS(z->context, high || !count, "high");
    int status = taut_library_enter(z, "taut_get");
    if (status) return status;
    status = check_range(z, kind, first, count);
    if (status) return library_exit(z, status);
    if (taut_library_columns(kind, &from, &last)) {
        status = get_columns(z, from, last, first, count, high, low);
        return library_exit(z, taut_library_read_done(z, status, high, count));
    }
    const size_t *list = kind == TAUT_PARAM ? z->params : z->inputs;
    for (size_t i = 0; i < count; i++) put_wide(z->parameters[list[first + i]], high + i, low ? low + i : NULL);
    return library_exit(z, TAUT_OK);
}

static int get_wide(taut_simulation *z, engine_column type, size_t index, wide *value)
{
    size_t count;
    while (index >= (count = z->api->columns_of(z->engine, type))) index -= count, type++;
    const int status = z->api->column_values(z->engine, type, index, 1, z->frame);
    taut_engine_widen(z->api, z->frame, 1, value);
    return status;
}

/* NOLINTNEXTLINE(misc-redundant-expression): two names for one number */
_Static_assert((int)TAUT_DIGITS_TEXT == (int)WIDE_TEXT, "room for a number");

int taut_digits(taut_simulation *z, int kind, size_t index, char *buffer, size_t capacity)
{
    engine_column from, last;
    wide value = 0;
    LIBRARY_NEEDS(NULL, z, "simulation");
    LIBRARY_NEEDS(z->context, buffer, "buffer");
    int status = taut_library_enter(z, "taut_digits");
    if (status) return status;
    status = check_range(z, kind, index, 1);
    if (!status && capacity < WIDE_TEXT)
        status = taut_fail(z->context, TAUT_BAD_USAGE, "%zu bytes are too few for any number; give %d", capacity,
                           TAUT_DIGITS_TEXT);
    if (status) return library_exit(z, status);
    if (taut_library_columns(kind, &from, &last)) {
        status = get_wide(z, from, index, &value);
        const double high = (double)value;
        status = taut_library_read_done(z, status, &high, 1);
    } else {
        value = z->parameters[kind == TAUT_PARAM ? z->params[index] : z->inputs[index]];
    }
    if (!status) taut_wide_format(buffer, capacity, value, z->api->digits);
    return library_exit(z, status);
}

double taut_time(const taut_simulation *z) { return z ? (double)z->api->time(z->engine) : (double)NAN; }

/* ---- other values ---- */

static int set_params(taut_simulation *z, const size_t *list, size_t count, const double *values)
{
    const size_t all = z->model->m->parameter_count;
    wide *before = taut_mem_new(z->context, all, sizeof *before);
    unsigned char *was_set = taut_mem_new(z->context, all, 1);
    int status = before && was_set ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        memcpy(before, z->parameters, all * sizeof *before);
        memcpy(was_set, z->is_set, all);
        for (size_t i = 0; i < count; i++) {
            z->parameters[list[i]] = taut_wide_from_double(values[i]);
            z->is_set[list[i]] = 1;
        }
        status = taut_library_rebuild(z);
        if (status) {
            memcpy(z->parameters, before, all * sizeof *before);
            memcpy(z->is_set, was_set, all);
        }
    }
    taut_mem_free(z->context, before);
    taut_mem_free(z->context, was_set);
    return status;
}

static int set_inputs(taut_simulation *z, const size_t *list, size_t count, const double *values)
{
    for (size_t i = 0; i < count; i++) z->parameters[list[i]] = values[i];
    return taut_library_inputs(z);
}

int taut_set(taut_simulation *z, int kind, size_t first, size_t count, const double *values)
{
    LIBRARY_NEEDS(NULL, z, "simulation");
    LIBRARY_NEEDS(z->context, values || !count, "values");
    int status = taut_library_enter(z, "taut_set");
    if (status) return status;
    status = check_range(z, kind, first, count);
    if (!status && kind != TAUT_PARAM && kind != TAUT_INPUT)
        status = taut_fail(z->context, TAUT_BAD_USAGE,
                           "only params and inputs are set by themselves; taut_set_state sets a state");
    for (size_t i = 0; !status && i < count; i++)
        if (!(values[i] - values[i] == 0))
            status = taut_fail(z->context, TAUT_NOT_FINITE, "%s '%s' must be a finite number",
                               kind == TAUT_PARAM ? "param" : "input",
                               z->model->m->parameters[(kind == TAUT_PARAM ? z->params : z->inputs)[first + i]].name);
    if (!status && count && kind == TAUT_PARAM) status = set_params(z, z->params + first, count, values);
    if (!status && count && kind == TAUT_INPUT) status = set_inputs(z, z->inputs + first, count, values);
    *(kind == TAUT_PARAM ? &z->moved_by : &z->changed_by) = "taut_set";
    return library_exit(z, status);
}

/* Numbers that a double means, `count` of them, or zeros. */
static int take_numbers(taut_simulation *z, const double *from, size_t count, const char *what, wide *to)
{
    for (size_t i = 0; from && i < count; i++) {
        if (!(from[i] - from[i] == 0))
            return taut_fail(z->context, TAUT_NOT_FINITE, "number %zu of the %s is not finite", i, what);
        to[i] = from[i];
    }
    return TAUT_OK;
}

int taut_set_state(taut_simulation *z, double t, const double *q, int kind, const double *w, int how)
{
    LIBRARY_NEEDS(NULL, z, "simulation");
    LIBRARY_NEEDS(z->context, q, "q");
    return taut_library_set_state(z, taut_wide_from_double(t), q, kind, w, how);
}

int taut_library_set_state(taut_simulation *z, wide t, const double *q, int kind, const double *w, int how)
{
    const size_t n = taut_count(z, TAUT_POSITION);
    int status = taut_library_enter(z, "taut_set_state");
    if (status) return status;
    z->changed_by = "taut_set_state";
    if ((kind != TAUT_VELOCITY && kind != TAUT_MOMENTUM) || how < TAUT_STRICT || how > TAUT_AS_IS)
        status = taut_fail(z->context, TAUT_BAD_USAGE,
                           "a state has positions and, by kind, TAUT_VELOCITY or TAUT_MOMENTUM; how is TAUT_STRICT, "
                           "TAUT_PROJECT or TAUT_AS_IS");
    wide *numbers = status ? NULL : taut_mem_new(z->context, 2 * n, sizeof *numbers);
    if (!status && !numbers) status = TAUT_OUT_OF_MEMORY;
    if (!status && !(t - t == 0)) status = taut_fail(z->context, TAUT_NOT_FINITE, "the time of a state is finite");
    if (!status) status = take_numbers(z, q, n, "positions", numbers);
    if (!status) status = take_numbers(z, w, n, kind == TAUT_VELOCITY ? "velocities" : "momenta", numbers + n);
    if (!status)
        status = z->api->set_state(z->engine, t, numbers, numbers + n, kind == TAUT_MOMENTUM && w, (start_mode)how);
    taut_mem_free(z->context, numbers);
    if (status) taut_fail_at(z->context, (double)t);
    return library_exit(z, status);
}

int taut_kick(taut_simulation *z, const double *impulse)
{
    LIBRARY_NEEDS(NULL, z, "simulation");
    LIBRARY_NEEDS(z->context, impulse, "impulse");
    int status = taut_library_enter(z, "taut_kick");
    if (status) return status;
    z->changed_by = "taut_kick";
    const size_t n = taut_count(z, TAUT_POSITION);
    wide *numbers = taut_mem_new(z->context, n, sizeof *numbers);
    status = numbers ? take_numbers(z, impulse, n, "impulse", numbers) : TAUT_OUT_OF_MEMORY;
    if (!status) status = taut_library_failed(z, z->api->kick(z->engine, numbers));
    taut_mem_free(z->context, numbers);
    return library_exit(z, status);
}

int taut_restart(taut_simulation *z)
{
    LIBRARY_NEEDS(NULL, z, "simulation");
    int status = taut_library_enter(z, "taut_restart");
    if (status) return status;
    z->moved_by = "taut_restart";
    z->api->restart(z->engine);
    z->event_count = 0;
    for (size_t i = 0; i < z->input_count; i++)
        z->parameters[z->inputs[i]] = z->model->m->parameters[z->inputs[i]].value;
    return library_exit(z, taut_library_inputs(z));
}
