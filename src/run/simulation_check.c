/* What a model is: rank of its constraints, start values, conserved quantities, structure, suitable methods. */
#include <stdio.h>
#include <string.h>

#include "run/simulation.h"

#define RANK_WORK 1e9 /* constraints^2 x coordinates up to which the dense rank test is made: a second or so */

/* Gram-Schmidt on the rows of G in the order of declaration: a row that vanishes belongs to a redundant constraint, and
   its coefficients show on which others it depends. */
typedef struct {
    uint32_t rows, columns;
    double *q;            /* orthonormal rows */
    double *r;            /* coefficients of each row in those before it */
    unsigned char *redundant;
} gram_schmidt;

static double dot(const double *x, const double *y, uint32_t n)
{
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

static uint32_t orthogonalise(gram_schmidt *z)
{
    uint32_t rank = 0;
    for (uint32_t k = 0; k < z->rows; k++) {
        double *row = z->q + (size_t)k * z->columns, before = sqrt(dot(row, row, z->columns));
        for (int pass = 0; pass < 2; pass++) /* twice is enough */
            for (uint32_t j = 0; j < k; j++) {
                const double *base = z->q + (size_t)j * z->columns;
                double c = z->redundant[j] ? 0 : dot(base, row, z->columns);
                z->r[(size_t)k * z->rows + j] += c;
                for (uint32_t i = 0; i < z->columns; i++) row[i] -= c * base[i];
            }
        double left = sqrt(dot(row, row, z->columns));
        z->redundant[k] = !(left > 1e-9 * before);
        z->r[(size_t)k * z->rows + k] = left;
        for (uint32_t i = 0; i < z->columns; i++) row[i] = z->redundant[k] ? 0 : row[i] / left;
        rank += !z->redundant[k];
    }
    return rank;
}

/* The constraints on which redundant constraint k depends: solves R' c = r_k backwards. */
static void dependence(const gram_schmidt *z, const model *m, uint32_t k, double *c, char *buffer, size_t size)
{
    size_t at = 0;
    buffer[0] = 0;
    for (uint32_t j = 0; j < k; j++) c[j] = z->r[(size_t)k * z->rows + j];
    for (uint32_t j = k; j-- > 0;) {
        if (z->redundant[j]) {
            c[j] = 0;
            continue;
        }
        c[j] /= z->r[(size_t)j * z->rows + j];
        for (uint32_t i = 0; i < j; i++) c[i] -= c[j] * z->r[(size_t)j * z->rows + i];
    }
    for (uint32_t j = 0; j < k && at + 40 < size; j++)
        if (fabs(c[j]) > 1e-7)
            at += (size_t)snprintf(buffer + at, size - at, "%s'%.30s'", at ? ", " : "", m->constraints[j].name);
}

static int find_rank(simulation *z, engine_check *out, void (*redundant)(void *, uint32_t, const char *), void *user)
{
    struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    out->rank = s->c;
    if (s->m->phase) { /* the Dirac algorithm has looked: second class all of them */
        out->rank_known = 1;
        return TAUT_OK;
    }
    if ((double)s->c * s->c * s->n > RANK_WORK) {
        out->rank_known = !out->start_status; /* the start was found with a regular matrix */
        return TAUT_OK;
    }
    gram_schmidt gs = { s->c, s->n, NULL, NULL, NULL };
    gs.q = mem_new(s->context, (size_t)s->c * s->n, sizeof *gs.q);
    gs.r = mem_new(s->context, (size_t)s->c * s->c, sizeof *gs.r);
    gs.redundant = mem_new(s->context, s->c, 1);
    double *work = mem_new(s->context, s->c, sizeof *work);
    int status = gs.q && gs.r && gs.redundant && work ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        place at = place_at(z->x.q, z->x.w, &z->x.t, NULL);
        system_block_values(s, BLOCK_G, &at, z->g_values);
        for (int r = 0; r < p->rows; r++)
            for (int e = p->start[r]; e < p->start[r + 1]; e++)
                gs.q[(size_t)r * s->n + (size_t)p->index[e]] = (double)z->g_values[e];
        out->rank = orthogonalise(&gs);
        out->rank_known = 1;
        for (uint32_t k = 0; k < s->c; k++) {
            char on[400];
            if (!gs.redundant[k]) continue;
            dependence(&gs, z->m, k, work, on, sizeof on);
            redundant(user, k, on);
        }
    }
    mem_free(s->context, gs.q);
    mem_free(s->context, gs.r);
    mem_free(s->context, gs.redundant);
    mem_free(s->context, work);
    return status;
}

static void copy_structure(const simulation *z, engine_check *out)
{
    const struct system *s = z->s;
    const structure *f = &s->structure;
    out->coordinates = s->n;
    out->constraints = s->c;
    out->time_dependent = f->time_dependent;
    out->has_forces = f->has_forces;
    out->force_position = f->force_position;
    out->force_time = f->force_time;
    out->force_velocity = f->force_velocity;
    out->force_multiplier = f->force_multiplier;
    out->constant_mass = f->constant_mass;
    out->diagonal_mass = f->diagonal_mass;
    out->largest_block = f->largest_block;
    out->separable = f->separable;
    out->augmented = f->augmented;
    out->explicit_force = f->explicit_force;
    out->energy_conserved = s->energy && !f->time_dependent && !f->has_forces && simulation_lossless(z);
    out->kernels = store_kernel_count(s->store);
    out->constants = store_constant_count(s->store);
    const field *fields[] = { s->energy, s->constraint, s->force, s->rate_q, s->rate_w, s->observable };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        if (fields[i]) out->instances += field_instances(fields[i]);
}

static void tell_start(simulation *z, void (*start)(void *, const char *, wide, int), void *user)
{
    const model *m = z->m;
    char name[220], column[230];
    for (uint32_t i = 0; i < z->s->n; i++) {
        model_coordinate_name(m, i, name, sizeof name);
        start(user, name, z->x.q[i], m->start_q[i].type == START_FREE);
    }
    for (uint32_t i = 0; i < z->s->n; i++) {
        model_namer((void *)m, OP_VARIABLE, KIND_W, i, column, sizeof column);
        start(user, column, z->x.w[i], m->start_w[i].type == START_FREE);
    }
}

/* Which contacts are closed at the start. */
static int look_at_contacts(simulation *z, engine_check *out)
{
    hybrid_options options = { 0, NULL, NULL };
    out->contacts = (uint32_t)z->m->contact_count;
    if (!out->contacts || out->start_status) return TAUT_OK;
    int status = hybrid_create(z->m, method_find("rattle"), &z->spec, 0, &options, &z->hybrid);
    if (!status) status = hybrid_start(z->hybrid, &z->x);
    if (status == TAUT_OUT_OF_MEMORY) return status;
    out->start_status = status;
    if (status) snprintf(out->start_text, sizeof out->start_text, "%s", taut_error_text(z->m->context));
    size_t at = 0;
    for (size_t i = 0; !status && i < out->contacts; i++) {
        if (contact_mode_of(&z->x, i) == MODE_OPEN) continue;
        out->closed++;
        if (at + 110 < sizeof out->closed_names)
            at += (size_t)snprintf(out->closed_names + at, sizeof out->closed_names - at, "%s%s", at ? ", " : "",
                                   z->m->contacts[i].name);
    }
    return status ? TAUT_OK : hybrid_symmetries(z->hybrid, &z->x, z->symmetries, &z->symmetry_count);
}

static int look(simulation *z, int project_start, engine_check *out, void (*start)(void *, const char *, wide, int),
                void (*redundant)(void *, uint32_t, const char *), void (*conserved)(void *, const char *),
                void (*method)(void *, const char *, const char *), void *user)
{
    struct system *s = z->s;
    char name[220];
    copy_structure(z, out);
    out->start_status = start_state(s, project_start ? START_PROJECT : START_STRICT, &z->x, &z->start);
    if (out->start_status == TAUT_OUT_OF_MEMORY) return out->start_status;
    if (out->start_status) snprintf(out->start_text, sizeof out->start_text, "%s", taut_error_text(s->context));
    out->free_q = z->start.free_q, out->free_w = z->start.free_w;
    out->moved_q = z->start.moved_q, out->moved_w = z->start.moved_w;
    tell_start(z, start, user);
    int status = find_rank(z, out, redundant, user);
    out->degrees_of_freedom = s->m->phase ? (2 * (int)s->n - (int)s->c) / 2 : (int)s->n - (int)out->rank;
    out->phase = s->m->phase != NULL;
    if (!status) status = symmetry_find(s, z->x.q, z->x.w, z->symmetries, &z->symmetry_count);
    if (!status) status = look_at_contacts(z, out);
    for (int i = 0; !status && i < z->symmetry_count; i++) {
        symmetry_name(s, &z->symmetries[i], name, sizeof name);
        conserved(user, name);
    }
    for (int i = 0; !status && i < method_count(); i++) {
        const struct method_class *c = method_at(i);
        method(user, c->info->name, method_refusal(c, s));
    }
    return status;
}

int simulation_check(model *m, int project_start, engine_check *result,
                     void (*start)(void *user, const char *name, wide value, int free),
                     void (*redundant)(void *user, uint32_t constraint, const char *on),
                     void (*conserved)(void *user, const char *name),
                     void (*method)(void *user, const char *name, const char *refusal), void *user)
{
    *result = (engine_check){ 0 };
    simulation *z = mem_new(m->context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->m = m;
    int status = simulation_system(z, project_start ? PHASE_PROJECT : PHASE_STRICT);
    m = z->m;
    if (!status) status = system_prepare_block(z->s, BLOCK_G);
    if (!status) {
        z->g_values = mem_new(m->context, (size_t)z->s->blocks[BLOCK_G].value_count, sizeof *z->g_values);
        if (!z->g_values) status = TAUT_OUT_OF_MEMORY;
    }
    if (!status) status = state_create(z->s, &z->x);
    if (!status) status = look(z, project_start, result, start, redundant, conserved, method, user);
    simulation_destroy(z);
    return status;
}
