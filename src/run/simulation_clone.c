/* A second simulation that goes on where the first one is: the same plan, objects of its own, and a copy of the block
   of numbers that these work on. */
#include "run/simulation.h"

#include <string.h>

/* What is not in the block: the account, what is watched, and which readings belong to the state. */
static void copy_members(const simulation *from, simulation *z)
{
    z->start = from->start;
    z->column_symmetries = from->column_symmetries;
    z->steps = from->steps;
    z->h = from->h;
    z->work_before = from->work_before;
    newton_counts done = X(simulation_counts)(from);
    newton_counts_add(&z->work_before, &done);
    z->known = from->known;
    z->largest_g = from->largest_g, z->largest_rate = from->largest_rate;
    z->energy = from->energy, z->power = from->power;
    memcpy(z->momenta, from->momenta, sizeof z->momenta);
    memcpy(z->watched, from->watched, sizeof z->watched);
    z->strain = from->strain;
    if (z->strain.size.weights) z->strain.size.weights = z->weights;
    X(simulation_strain_copy)(from, z);
    z->samples = from->samples, z->sum_t = from->sum_t, z->sum_tt = from->sum_tt;
}

int X(simulation_clone)(const simulation *from, taut_context *context, simulation **result)
{
    *result = NULL;
    if (from->hybrid)
        return taut_fail(context, TAUT_UNSUPPORTED,
                         "%s:%d: a simulation with contacts has no clone: what it compiles on its way is its own",
                         from->m->file, from->m->contacts[0].line);
    simulation *z = taut_mem_new(context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->context = context;
    z->m = from->m;
    z->has_calls = from->has_calls;
    z->tolerance = from->tolerance;
    z->declared = from->declared;
    X(method_spec_copy)(&from->spec, &z->spec);
    taut_native_use_begin(&z->native, from->native.mode);
    int status = X(system_share)(from->s, context, &z->s);
    if (!status) z->s->native = &z->native;
    if (!status && from->m == from->s->m) z->m = z->s->m; /* its own where there are inputs */
    memcpy(z->symmetries, from->symmetries, sizeof z->symmetries);
    z->symmetry_count = from->symmetry_count;
    if (!status) status = X(simulation_parts)(z, from->method.class);
    if (!status) status = taut_flat_place(z->flat);
    if (!status) status = taut_flat_copy(from->flat, z->flat);
    if (status) {
        X(simulation_destroy)(z);
        return status;
    }
    copy_members(from, z);
    *result = z;
    return TAUT_OK;
}
