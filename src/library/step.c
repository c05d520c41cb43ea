/* Single steps, and the events inside of them. */
#include "library/library.h"

static int take_frame(taut_simulation *z)
{
    int status = z->api->frame(z->engine, z->frame);
    if (!status) taut_engine_widen(z->api, z->frame, z->columns, z->frame);
    return status;
}

/* z->frame as sums of two doubles. */
static void split_frame(const taut_simulation *z, double *high, double *low)
{
    for (size_t i = 0; i < z->columns; i++) {
        high[i] = (double)z->frame[i];
        low[i] = isfinite(high[i]) ? (double)(z->frame[i] - high[i]) : 0;
    }
}

/* Inside a step: the event is kept. The callback is the user's, who may leave it by longjmp or an exception: it is
   called when the step is over and every object is whole. */
int taut_library_on_event(void *user, const engine_event *event)
{
    taut_simulation *z = user;
    size_t at = 2 * z->columns * z->event_count;
    int status = taut_mem_grow(z->context, &z->events, &z->event_capacity, z->event_count + 1, sizeof *z->events);
    if (!status) status = taut_mem_grow(z->context, &z->event_frames, &z->event_frame_capacity, at + 2 * z->columns,
        sizeof *z->event_frames);
    if (!status) status = take_frame(z);
    if (status) return status;
    z->events[z->event_count++] = (taut_event){ .time = (double)event->t,
                                                .contact = event->contact,
                                                .kind = event_kind_name(event->kind),
                                                .impulse = (double)event->impulse };
    split_frame(z, z->event_frames + at, z->event_frames + at + z->columns);
    return TAUT_OK;
}

/* Nothing is held here but the simulation itself, and what it kept of the step is forgotten when the next one
   begins. */
int taut_library_tell_events(taut_simulation *z)
{
    for (size_t i = 0; z->event && i < z->event_count; i++) {
        taut_event told = z->events[i];
        told.frame = z->event_frames + 2 * i * z->columns;
        told.frame_low = told.frame + z->columns;
        const char *call = z->computing;
        z->computing = z->moved_by = z->changed_by = NULL;
        library_leave(z->context);
        int status = z->event(z->event_user, &told);
        library_again(z->context);
        z->computing = call;
        if (z->moved_by || z->changed_by)
            return taut_fail(z->context, TAUT_BAD_USAGE,
                             "at t = %.9g: the event callback called %s; it may read the simulation, and change it "
                             "when the step has returned", told.time, z->moved_by ? z->moved_by : z->changed_by);
        if (!status) continue;
        z->api->take_back(z->engine);
        return taut_fail(z->context, status,
            "at t = %.9g: the event callback refused the %s of contact '%s' with status %d", told.time, told.kind,
                    told.contact, status);
    }
    return TAUT_OK;
}

int taut_library_step(taut_simulation *z, wide h)
{
    z->event_count = 0;
    z->length = NAN;
    int status = z->api->step(z->engine, h);
    return status ? taut_library_failed(z, status) : taut_library_tell_events(z);
}

static int step_again(taut_simulation *z)
{
    z->event_count = 0;
    int status = z->api->step_again(z->engine);
    return status ? taut_library_failed(z, status) : taut_library_tell_events(z);
}

/* A number is read as its shortest decimal form once, not at every step. */
int taut_library_step_of(taut_simulation *z, double h)
{
    if (h == z->length) return step_again(z);
    int status = taut_library_step(z, taut_wide_from_double(h));
    z->length = h;
    return status;
}

int taut_step(taut_simulation *z, double h)
{
    LIBRARY_NEEDS(NULL, z, "simulation");
    int status = taut_library_enter(z, "taut_step");
    if (status) return status;
    if (!(h - h == 0) || h == 0)
        return library_exit(z, taut_fail(z->context, TAUT_BAD_USAGE, "the step must be a finite number other than 0"));
    status = taut_library_step_of(z, h);
    z->moved_by = "taut_step";
    return library_exit(z, status);
}

void taut_events(taut_simulation *z, taut_event_callback callback, void *user)
{
    if (!z) return;
    z->event = callback;
    z->event_user = user;
    z->api->on_event(z->engine, callback ? taut_library_on_event : NULL, z);
}

int taut_flow(taut_simulation *z, double until, double tolerance)
{
    LIBRARY_NEEDS(NULL, z, "simulation");
    int status = taut_library_enter(z, "taut_flow");
    if (status) return status;
    if (!(until - until == 0) || !(tolerance > 0) || !(tolerance < 1))
        return library_exit(z, taut_fail(z->context, TAUT_BAD_USAGE,
                                         "the flow needs a finite time and a tolerance between 0 and 1"));
    z->moved_by = "taut_flow";
    status = z->api->flow(z->engine, taut_wide_from_double(until), taut_wide_from_double(tolerance));
    return library_exit(z, taut_library_failed(z, status));
}

int taut_symplectic_defect(taut_simulation *z, double h, double *defect, double *uncertainty, int *pairs)
{
    engine_symplecticity found = { 0 };
    LIBRARY_NEEDS(NULL, z, "simulation");
    LIBRARY_NEEDS(z->context, defect, "defect");
    int status = taut_library_enter(z, "taut_symplectic_defect");
    if (status) return status;
    z->length = NAN; /* the engine steps in between */
    status = z->api->symplecticity(z->engine, taut_wide_from_double(h), &found);
    *defect = (double)found.defect;
    if (uncertainty) *uncertainty = (double)found.uncertainty;
    if (pairs) *pairs = found.pairs;
    return library_exit(z, status);
}
