/* A simulation as bytes: what a checkpoint of a run file holds, in memory. */
#include "library/library.h"

#include "base/sha256.h"

/* Before the parameters (wide numbers) and the fields of the state, one behind the other. */
typedef struct {
    char magic[8];
    uint32_t version, number_size;
    uint64_t size;             /* of all bytes */
    unsigned char model[32];   /* SHA-256 of the source, the method and the precision */
    engine_counts counts;
} head;

static const char MAGIC[8] = "TAUTSAVE";

static void identify(const taut_simulation *z, unsigned char *digest)
{
    const model *m = z->model->m;
    sha256 h;
    taut_sha256_begin(&h);
    taut_sha256_add(&h, m->source, m->source_size);
    taut_sha256_add(&h, z->method, strlen(z->method) + 1);
    taut_sha256_add(&h, z->api->name, strlen(z->api->name) + 1);
    for (size_t i = 0; i < z->model->setting_count; i++) { /* options choose what the script makes */
        const definition *d = &z->model->settings[i];
        if (taut_model_find_parameter(m, d->name) >= 0) continue;
        taut_sha256_add(&h, d->name, strlen(d->name) + 1);
        taut_sha256_add(&h, d->value, strlen(d->value) + 1);
    }
    taut_sha256_end(&h, digest);
}

static size_t size_of(const taut_simulation *z)
{
    size_t size = sizeof(head) + z->model->m->parameter_count * (sizeof(wide) + 1);
    for (int i = 0; i < z->api->field_count(z->engine); i++)
        size += z->api->field(z->engine, i).count * z->api->number_size;
    return size;
}

int taut_save(taut_simulation *z, void *buffer, size_t capacity, size_t *size)
{
    LIBRARY_NEEDS(NULL, z, "simulation");
    LIBRARY_NEEDS(z->context, buffer || !capacity, "buffer");
    library_begin(z->context);
    const size_t need = size_of(z), parameters = z->model->m->parameter_count;
    if (size) *size = need;
    if (capacity == 0) return library_done(z->context, TAUT_OK);
    if (capacity < need)
        return library_done(z->context, taut_fail(z->context, TAUT_BAD_USAGE,
                                                  "the state takes %zu bytes, and there is room for %zu", need,
                                                  capacity));
    head h;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, MAGIC, sizeof h.magic);
    h.version = TAUT_VERSION_NUMBER;
    h.number_size = (uint32_t)z->api->number_size;
    h.size = need;
    identify(z, h.model);
    z->api->counts(z->engine, &h.counts);
    char *to = buffer;
    memcpy(to, &h, sizeof h), to += sizeof h;
    if (parameters) memcpy(to, z->parameters, parameters * sizeof(wide));
    to += parameters * sizeof(wide);
    if (parameters) memcpy(to, z->is_set, parameters);
    to += parameters;
    for (int i = 0; i < z->api->field_count(z->engine); i++) {
        const engine_field f = z->api->field(z->engine, i);
        if (f.count) memcpy(to, f.data, f.count * z->api->number_size);
        to += f.count * z->api->number_size;
    }
    return library_done(z->context, TAUT_OK);
}

/* Are the params, not counting inputs, those of the bytes? */
static int same_params(const taut_simulation *z, const wide *values)
{
    for (size_t i = 0; i < z->param_count; i++)
        if (z->parameters[z->params[i]] != values[z->params[i]]) return 0;
    return 1;
}

static int take_parameters(taut_simulation *z, const char *from)
{
    const size_t count = z->model->m->parameter_count;
    wide *values = taut_mem_new(z->context, 2 * count, sizeof *values), *before = values + count;
    unsigned char *was_set = taut_mem_new(z->context, count, 1);
    int status = values && was_set ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status && count) {
        memcpy(values, from, count * sizeof *values);
        memcpy(before, z->parameters, count * sizeof *before);
        memcpy(was_set, z->is_set, count);
        const int same = same_params(z, values);
        memcpy(z->parameters, values, count * sizeof *values);
        memcpy(z->is_set, from + count * sizeof *values, count);
        status = same ? taut_library_inputs(z) : taut_library_rebuild(z);
        if (status) {
            memcpy(z->parameters, before, count * sizeof *before);
            memcpy(z->is_set, was_set, count);
        }
    }
    taut_mem_free(z->context, values);
    taut_mem_free(z->context, was_set);
    return status;
}

int taut_restore(taut_simulation *z, const void *buffer, size_t size)
{
    head h;
    unsigned char digest[32];
    LIBRARY_NEEDS(NULL, z, "simulation");
    LIBRARY_NEEDS(z->context, buffer, "buffer");
    int status = taut_library_enter(z, "taut_restore");
    if (status) return status;
    if (size >= sizeof h) memcpy(&h, buffer, sizeof h);
    identify(z, digest);
    if (size < sizeof h || memcmp(h.magic, MAGIC, sizeof h.magic) != 0 || h.version != TAUT_VERSION_NUMBER)
        return library_exit(z, taut_fail(z->context, TAUT_BAD_USAGE,
                                         "these bytes are no state that this version of the library saved"));
    if (memcmp(h.model, digest, sizeof digest) != 0 || h.number_size != z->api->number_size || h.size != size_of(z)
        || h.size != size)
        return library_exit(z, taut_fail(z->context, TAUT_BAD_USAGE,
                                         "the state was saved from a simulation of another model, method or "
                                         "precision"));
    z->moved_by = "taut_restore";
    const char *from = (const char *)buffer + sizeof h;
    status = take_parameters(z, from);
    if (status) return library_exit(z, status);
    from += z->model->m->parameter_count * (sizeof(wide) + 1);
    for (int i = 0; i < z->api->field_count(z->engine); i++) {
        const engine_field f = z->api->field(z->engine, i);
        if (f.count) memcpy(f.data, from, f.count * z->api->number_size);
        from += f.count * z->api->number_size;
    }
    status = z->api->restored(z->engine, &h.counts);
    z->event_count = 0;
    return library_exit(z, status);
}
