/* What a simulation of the public interface says of itself. */
#include "library/library.h"
#include "method/method.h"
#include "native/native.h"

_Static_assert((int)TAUT_CODE_NATIVE == (int)CODE_NATIVE && (int)TAUT_CODE_PARTLY == (int)CODE_PARTLY, "codes");
_Static_assert(sizeof ((taut_simulation_info *)0)->events == EVENT_KINDS * sizeof(long), "events");

static int what_native_lacks(const native_use *use)
{
    if (!use->failed || use->cause == NATIVE_CAUSE_STOPPED) return TAUT_NATIVE_LACKS_NOTHING;
    return use->cause == NATIVE_CAUSE_BUILD         ? TAUT_NATIVE_LACKS_BUILD
           : use->cause == NATIVE_CAUSE_NO_COMPILER ? TAUT_NATIVE_LACKS_COMPILER
                                                    : TAUT_NATIVE_LACKS_SUCCESS;
}

void taut_simulation_about(const taut_simulation *z, taut_simulation_info *info)
{
    uint32_t coordinates, constraints;
    wide q, w;
    int parts;
    long left;
    if (!z || !info) return;
    z->api->sizes(z->engine, &coordinates, &constraints);
    z->api->start_moves(z->engine, &q, &w);
    const native_use *use = z->api->native(z->engine);
    const int lacks = what_native_lacks(use);
    taut_simulation_info found = { .title = z->model->m->title, .method = z->method, .precision = z->api->name,
                                   .coordinates = coordinates, .constraints = constraints,
                                   .contacts = z->model->m->contact_count,
                                   .energy_conserved = z->api->energy_conserved(z->engine),
                                   .start_moved_positions = library_value(q),
                                   .start_moved_velocities = library_value(w),
                                   .stable = z->api->declared(z->engine)->stable,
                                   .code = (int)z->api->execution(z->engine, &parts, &left),
                                   .native_lacks = lacks, .native_reason = lacks ? use->reason : "" };
    const long *events = z->api->event_counts(z->engine);
    if (events) memcpy(found.events, events, sizeof found.events);
    taut_library_give(&found, sizeof found, info);
}

int taut_frequency(taut_simulation *z, double limit, double *frequency)
{
    wide found = 0;
    LIBRARY_NEEDS(NULL, z, "simulation");
    LIBRARY_NEEDS(z->context, frequency, "frequency");
    int status = taut_library_enter(z, "taut_frequency");
    if (status) return status;
    status = z->api->frequency(z->engine, limit > 0 ? (wide)limit : 0, &found);
    *frequency = status ? 0 : (double)found;
    return library_exit(z, status);
}
