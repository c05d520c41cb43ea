/* As simulation_strain.c, for many constraints that are several mechanisms: constraints with coordinates in common are
 * one of them, and forces can cancel within one only. A step compares the largest multiplier of each with the last one;
 * a look is for all that have grown. */
#include "run/simulation_strain.h"

#include <string.h>

#include "base/room.h"
#include "solve/redundancy.h"

static uint32_t root_of(uint32_t *parent, uint32_t k)
{
    while (parent[k] != k) k = parent[k] = parent[parent[k]];
    return k;
}

/* The part of each constraint into part[], numbered by their first constraints; first: work of n numbers. Returns how
   many there are. */
static uint32_t find_parts(const pattern *g, uint32_t *part, uint32_t *first)
{
    const uint32_t none = UINT32_MAX;
    uint32_t count = 0;
    for (int i = 0; i < g->columns; i++) first[i] = none;
    for (uint32_t k = 0; k < (uint32_t)g->rows; k++) {
        part[k] = k;
        for (int e = g->start[k]; e < g->start[k + 1]; e++) {
            uint32_t *seen = &first[g->index[e]];
            if (*seen == none) *seen = k;
            const uint32_t a = root_of(part, *seen), b = root_of(part, k);
            part[a < b ? b : a] = a < b ? a : b; /* the first constraint is the root */
        }
    }
    for (uint32_t k = 0; k < (uint32_t)g->rows; k++) /* roots come before what hangs on them, which may be numbered */
        part[k] = part[k] == k ? count++ : part[part[k]];
    return count;
}

typedef struct {
    strain_parts *p;
    uint32_t n, c;
} laying;

static void lay_out(void *self, room_layout *l)
{
    const laying *y = self;
    strain_parts *p = y->p;
    real **arrays[] = { &p->size, &p->calm, &p->looked, &p->before, &p->apart, &p->whole, &p->forces, &p->momenta };
    room_take(l, 1, sizeof *p); /* itself */
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) *arrays[i] = room_reals(l, p->count);
    p->constraints = room_take(l, p->count, sizeof *p->constraints);
    p->of_constraint = room_take(l, y->c, sizeof *p->of_constraint);
    p->of_coordinate = room_take(l, y->n, sizeof *p->of_coordinate);
}

static void fill(strain_parts *p, const pattern *g, const uint32_t *part)
{
    memset(p->of_coordinate, 0xff, (size_t)g->columns * sizeof *p->of_coordinate);
    for (int k = 0; k < g->rows; k++) {
        p->of_constraint[k] = part[k];
        p->constraints[part[k]]++;
        for (int e = g->start[k]; e < g->start[k + 1]; e++) p->of_coordinate[g->index[e]] = part[k];
    }
}

int X(simulation_strain_create)(simulation *z)
{
    const struct system *s = z->s;
    if (s->c <= STRAIN_WEIGHED || z->m->phase || z->m->contact_count) return TAUT_OK;
    const pattern *g = s->blocks[BLOCK_G].parts[0].shape;
    uint32_t *part = taut_mem_new(z->context, (size_t)s->c + s->n, sizeof *part);
    if (!part) return TAUT_OUT_OF_MEMORY;
    strain_parts p = { .count = find_parts(g, part, part + s->c) };
    laying y = { &p, s->n, s->c };
    room_layout l = { 0 };
    lay_out(&y, &l);
    if (p.count > 1) {
        l.block = taut_mem_new(z->context, l.size, 1);
        l.size = 0;
        if (l.block) lay_out(&y, &l), fill(&p, g, part), z->parts = memcpy(l.block, &p, sizeof p);
    }
    const int status = p.count > 1 && !z->parts ? TAUT_OUT_OF_MEMORY : TAUT_OK;
    taut_mem_free(z->context, part);
    return status;
}

void X(simulation_strain_destroy)(simulation *z) { taut_mem_free(z->context, z->parts); }

void X(simulation_strain_forget)(simulation *z)
{
    strain_parts *p = z->parts;
    for (uint32_t i = 0; p && i < p->count; i++) p->size[i] = p->calm[i] = p->looked[i] = 0;
}

void X(simulation_strain_copy)(const simulation *from, simulation *z)
{
    const strain_parts *p = from->parts;
    if (!p || !z->parts) return;
    memcpy(z->parts->size, p->size, p->count * sizeof(real));
    memcpy(z->parts->calm, p->calm, p->count * sizeof(real));
    memcpy(z->parts->looked, p->looked, p->count * sizeof(real));
}

/* sum_k |G_k| |lambda_k| and |G' lambda|^2 of each part, sizes of the other forces and of momenta; the terms of the
   first in z->g. */
static void measure(simulation *z, strain_parts *p)
{
    const struct system *s = z->s;
    for (uint32_t i = 0; i < p->count; i++) p->apart[i] = p->whole[i] = p->forces[i] = p->momenta[i] = 0;
    memcpy(z->lambda, z->x.lambda, s->c * sizeof(real));
    X(simulation_strain_lengths)(z);
    for (uint32_t k = 0; k < s->c; k++) {
        z->g[k] = REAL(sqrt)(z->g_rate[k]) * REAL(fabs)(z->lambda[k]);
        p->apart[p->of_constraint[k]] += z->g[k];
    }
    memset(z->v, 0, s->n * sizeof(real));
    X(block_multiply_transposed)(&s->blocks[BLOCK_G], z->g_values, 1, z->lambda, z->v);
    for (uint32_t i = 0; i < s->n; i++) {
        if (p->of_coordinate[i] == UINT32_MAX) continue;
        p->whole[p->of_coordinate[i]] += z->v[i] * z->v[i];
        p->momenta[p->of_coordinate[i]] += REAL(fabs)(z->x.p[i]);
    }
    if (s->form == FORM_RATES) return;
    place at = place_at(s, z->x.q, z->x.w, &z->x.t, z->lambda);
    X(system_free_force)(s, &at, z->v);
    for (uint32_t i = 0; i < s->n; i++)
        if (p->of_coordinate[i] != UINT32_MAX) p->forces[p->of_coordinate[i]] += REAL(fabs)(z->v[i]);
}

static void report(simulation *z, uint32_t part, real grown)
{
    strain *n = &z->strain;
    for (uint32_t k = 0; k < z->s->c; k++)
        if (z->parts->of_constraint[k] != part) z->g[k] = 0;
    n->seen = 1;
    n->t = z->x.t;
    n->grown = grown;
    X(redundancy_names)(z->s, z->g, n->names, sizeof n->names);
}

/* The multipliers of this part have grown much, and there is something new about it. One constraint alone has nothing
   to cancel with. */
static int is_news(const strain_parts *p, uint32_t i)
{
    return p->constraints[i] > 1 && p->before[i] > 0 && p->size[i] > GROWTH_MUCH * p->before[i]
           && !(p->calm[i] > 0 && !(p->size[i] > STRAIN_NEWS * p->looked[i]));
}

void X(simulation_strain_parts)(simulation *z)
{
    strain_parts *p = z->parts;
    int news = 0;
    memcpy(p->before, p->size, p->count * sizeof(real));
    for (uint32_t i = 0; i < p->count; i++) p->size[i] = 0;
    for (uint32_t k = 0; k < z->s->c; k++) {
        real *size = &p->size[p->of_constraint[k]], now = REAL(fabs)(z->x.lambda[k]);
        if (now > *size) *size = now;
    }
    for (uint32_t i = 0; i < p->count; i++) {
        if (!(p->size[i] > GROWTH_MUCH * p->before[i])) p->calm[i] = 0;
        news |= is_news(p, i);
    }
    if (!news) return;
    measure(z, p);
    for (uint32_t i = 0; i < p->count && !z->strain.seen; i++) {
        if (!is_news(p, i)) continue;
        p->looked[i] = p->size[i];
        const real ratio = p->whole[i] > 0 ? p->apart[i] / REAL(sqrt)(p->whole[i]) : 0;
        if (strain_is_round_off(z, p->apart[i], p->forces[i], p->momenta[i])) continue;
        if (!(p->calm[i] > 0))
            p->calm[i] = ratio;
        else if (ratio > STRAIN_FAR * p->calm[i])
            report(z, i, ratio / p->calm[i]);
    }
}
