#include "run/verify_order.h"

#include <string.h>

#define POINTS 8   /* errors are the largest at t = h, 2h .. 8h: one of them alone may pass through zero */
#define LEVELS 7   /* h, h/2 .. h/64 */
#define LEAST 3    /* halvings at the least */
#define RESTARTS 5 /* with h, h/4 .. h/256 */

typedef struct {
    taut_context *context;
    const engine_api *api;
    void *engine;
    uint32_t n, c;
    wide *reference[2]; /* q and p at the points, by two tolerances */
    wide *now;          /* q, p, lambda */
    wide size[2];
    wide floor[2];      /* relative error that the reference and round-off leave */
} meter;

static wide difference(const wide *x, const wide *y, uint32_t count)
{
    wide most = 0;
    for (uint32_t i = 0; i < count; i++) {
        wide d = WIDE(fabs)(x[i] - (y ? y[i] : 0));
        if (most == most && !(d <= most)) most = d; /* a NaN stays */
    }
    return most;
}

/* The exact flow at the points, and what it is uncertain by. */
static int find_reference(meter *z, wide h)
{
    /* 5e5 round-offs: what the extrapolation can reach */
    wide tolerance = (wide)5e5 * z->api->epsilon;
    for (int loose = 0; loose < 2; loose++, tolerance *= 1000) {
        z->api->restart(z->engine);
        for (int j = 0; j < POINTS; j++) {
            /* The looser one stops half way: the two must not take the same steps. */
            int status = loose ? z->api->flow(z->engine, h * (2 * j + 1) / 2, tolerance) : TAUT_OK;
            if (!status) status = z->api->flow(z->engine, h * (j + 1), tolerance);
            if (!status) status = z->api->solution(z->engine, z->now, z->now + z->n, z->now + 2 * z->n);
            if (status) return status;
            memcpy(z->reference[loose] + (size_t)j * 2 * z->n, z->now, 2 * (size_t)z->n * sizeof *z->now);
        }
    }
    for (int part = 0; part < 2; part++) {
        wide error = 0;
        z->size[part] = 0;
        for (int j = 0; j < POINTS; j++) {
            const wide *fine = z->reference[0] + (size_t)(2 * j + part) * z->n,
                       *other = z->reference[1] + (size_t)(2 * j + part) * z->n;
            error = WIDE(fmax)(error, difference(fine, other, z->n));
            z->size[part] = WIDE(fmax)(z->size[part], difference(fine, NULL, z->n));
        }
        if (!(z->size[part] > 0)) z->size[part] = 1;
        /* 10: both are estimates; 100 ulps: of the steps */
        z->floor[part] = 10 * error / z->size[part] + 100 * z->api->epsilon;
    }
    return TAUT_OK;
}

/* Relative errors in q and p with step h / 2^level. */
static int find_errors(meter *z, wide h, int level, wide *errors)
{
    errors[0] = errors[1] = 0;
    z->api->restart(z->engine);
    for (int j = 0; j < POINTS; j++) {
        int status = TAUT_OK;
        for (int k = 0; !status && k < 1 << level; k++) status = z->api->step(z->engine, h / (1 << level));
        if (!status) status = z->api->solution(z->engine, z->now, z->now + z->n, z->now + 2 * z->n);
        if (status) return status;
        for (int part = 0; part < 2; part++) {
            wide d =
                difference(z->now + part * z->n, z->reference[0] + (size_t)(2 * j + part) * z->n, z->n) / z->size[part];
            if (!(d <= errors[part])) errors[part] = d;
        }
    }
    return TAUT_OK;
}

static void read_orders(const meter *z, wide h, wide errors[][2], int levels, verify_order *out)
{
    out->coarsest = h;
    for (int part = 0; part < 2; part++) {
        verify_order_part *o = &out->parts[part];
        *o = (verify_order_part){ .error = errors[0][part], .floor = z->floor[part], .finest = h,
                                  .exact = errors[0][part] <= z->floor[part] };
        for (int k = 1; k < levels; k++) {
            /* 10 floors: an order from this error is good to a tenth */
            if (!(errors[k][part] > 10 * z->floor[part])) break;
            o->previous = o->order;
            o->order = WIDE(log2)(errors[k - 1][part] / errors[k][part]);
            o->finest = h / (1 << k);
            o->count = k;
        }
        o->settled = o->count >= 2 && WIDE(fabs)(o->order - o->previous) <= (wide)0.1;
    }
}

static int settled(const verify_order *o)
{
    for (int part = 0; part < 2; part++)
        if (!o->parts[part].exact && !o->parts[part].settled) return 0;
    return 1;
}

static int measure_from(meter *z, wide h, verify_order *result)
{
    wide errors[LEVELS][2];
    *result = (verify_order){ 0 };
    int status = find_reference(z, h);
    if (status && status != TAUT_OUT_OF_MEMORY) {
        result->no_reference = 1;
        return TAUT_OK;
    }
    for (int level = 0; !status && level < LEVELS; level++) {
        status = find_errors(z, h, level, errors[level]);
        if (status) break;
        read_orders(z, h, errors, level + 1, result);
        if (level >= LEAST && (settled(result) || (result->parts[0].count < level && result->parts[1].count < level)))
            break;
    }
    return status;
}

int taut_verify_order_measure(taut_context *context, const engine_api *api, void *engine, wide h, verify_order *result)
{
    meter z = { .context = context, .api = api, .engine = engine };
    api->sizes(engine, &z.n, &z.c);
    size_t points = (size_t)POINTS * 2 * z.n;
    wide *room = taut_mem_new(context, 2 * points + 2 * (size_t)z.n + z.c, sizeof *room);
    if (!room) return TAUT_OUT_OF_MEMORY;
    z.reference[0] = room, z.reference[1] = room + points, z.now = room + 2 * points;
    int status = measure_from(&z, h, result);
    for (int k = 1; !status && k < RESTARTS && !result->no_reference && !settled(result); k++) {
        verify_order next;
        h /= 4;
        status = measure_from(&z, h, &next);
        /* round-off: the first was the better one */
        if (status || next.no_reference || next.parts[0].count < 2 || next.parts[1].count < 2) break;
        *result = next;
    }
    taut_mem_free(context, room);
    return status;
}
