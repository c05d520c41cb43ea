/* Simulations of models with contacts, and a record of their events. */
#ifndef TAUT_TESTS_SUPPORT_CONTACT_H
#define TAUT_TESTS_SUPPORT_CONTACT_H

#include "support.h"

enum { EVENTS = 20000 };

typedef struct {
    simulation *z;
    long count;
    struct {
        real t, impulse;
        int kind;
        char contact[40];
        real q[8], v[8];    /* of the first coordinates, just after */
    } at[EVENTS];
} record;

static inline int note_event(void *user, const engine_event *event)
{
    record *r = user;
    assert_true(r->count < EVENTS);
    r->at[r->count].t = (real)event->t;
    r->at[r->count].impulse = (real)event->impulse;
    r->at[r->count].kind = event->kind;
    snprintf(r->at[r->count].contact, sizeof r->at[0].contact, "%s", event->contact);
    for (uint32_t i = 0; i < r->z->s->n && i < 8; i++)
        r->at[r->count].q[i] = r->z->x.q[i], r->at[r->count].v[i] = r->z->x.w[i];
    r->count++;
    return TAUT_OK;
}

/* A file of models/ ("name") or a text (text != NULL); definitions as name, value, name, value, NULL. */
static inline simulation *open_contact(const char *name, const char *text, const char *method, int active_set,
                                       const char *const *settings)
{
    char path[512];
    model *m = NULL;
    simulation *z = NULL;
    definition d[8];
    size_t count = 0;
    taut_context *context = taut_context_create(NULL);
    assert_non_null(context);
    for (; settings && settings[2 * count]; count++)
        d[count] = (definition){ settings[2 * count], settings[2 * count + 1], 0 };
    snprintf(path, sizeof path, "%s/%s.lua", MODELS, name ? name : "");
    int status = text ? taut_model_read_text(context, "test.lua", text, strlen(text), d, count, &m)
                      : taut_model_read_file(context, path, d, count, &m);
    engine_options options = { .method = method, .active_set = active_set };
    if (!status) status = X(simulation_create)(m, &options, &z);
    if (status) fail_msg("%s", taut_error_text(context));
    return z;
}

static inline record *listen(simulation *z)
{
    record *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->z = z;
    z->on_event = note_event;
    z->on_event_user = r;
    return r;
}

/* The n-th (from 0) event of a kind. */
static inline long nth(const record *r, int kind, long n)
{
    for (long i = 0; i < r->count; i++)
        if (r->at[i].kind == kind && n-- == 0) return i;
    fail_msg("there is no such event");
    return 0;
}

#define ROUND(x) ((x) * REAL_EPSILON) /* so many ulps */

#endif
