/* The matrix and the arrays of points.c: found once. */
#include "method/points.h"

#ifdef TAUT_REAL_QUAD /* as bars_find */
int X(points_may_serve)(const struct system *s) { return (void)s, 0; }
int X(points_create)(struct system *s, const points_options *o, newton *n, points **result)
{
    (void)s, (void)o, (void)n;
    *result = NULL;
    return TAUT_OK;
}
void X(points_destroy)(points *r) { (void)r; }
#else

#include "method/points_parts.h"

void X(points_destroy)(points *r)
{
    if (!r) return;
    taut_context *context = r->s->context;
    room_free(context, &r->room);
    taut_linear_destroy(r->solver);
    X(bars_destroy)(r->b);
    taut_mem_free(context, r->couplings);
    taut_mem_free(context, r->diagonal);
    taut_mem_free(context, r);
}

static void take_points(const bars *b, room_layout *l, vectors *x)
{
    for (int c = 0; c < BARS_SPACE; c++) x->c[c] = bars_point_reals(b, l);
}

static void take_bars(const bars *b, room_layout *l, vectors *x)
{
    for (int c = 0; c < BARS_SPACE; c++) x->c[c] = room_reals(l, b->bar_room);
}

static void lay_out(void *self, room_layout *l)
{
    points *r = self;
    const bars *b = r->b;
    const size_t c = b->bar_room, n = r->s->n;
    vectors *of_points[] = { &r->q, &r->q1, &r->base, &r->push, &r->v }, *of_bars[] = { &r->d, &r->d1 };
    for (size_t i = 0; i < sizeof of_points / sizeof *of_points; i++) take_points(b, l, of_points[i]);
    for (size_t i = 0; i < sizeof of_bars / sizeof *of_bars; i++) take_bars(b, l, of_bars[i]);
    r->w = bars_point_reals(b, l);
    r->weights = room_reals(l, c), r->between = room_reals(l, c);
    r->y = room_reals(l, c), r->mu = room_reals(l, c), r->rest = room_reals(l, c);
    if (r->chain) {
        tridiagonal *t = &r->bands;
        t->n = (int)b->count;
        t->inverse = room_reals(l, c), t->next = room_reals(l, c), t->skip = room_reals(l, c);
        t->bends = room_reals(l, c);
    }
    r->values = room_take(l, c + 2 * (size_t)r->coupling_count, sizeof *r->values);
    r->known_q = room_reals(l, n);
    r->f = room_reals(l, n), r->f1 = r->steady_force ? r->f : room_reals(l, n);
    r->motion = room_reals(l, n), r->pull = room_reals(l, n);
}

/* The bars at each point, those of point i in bars[start[i]] .. */
static int list_bars(const bars *b, uint32_t **start, uint32_t **at)
{
    taut_context *context = b->s->context;
    const size_t all = b->all;
    *start = taut_mem_new(context, all + 2, sizeof **start);
    *at = taut_mem_new(context, 2 * (size_t)b->count, sizeof **at);
    if (!*start || !*at) return TAUT_OUT_OF_MEMORY;
    uint32_t *first = *start + 1;
    for (uint32_t k = 0; k < b->count; k++) first[b->a[k] + 1]++, first[b->b[k] + 1]++;
    for (size_t i = 1; i <= all; i++) first[i] += first[i - 1];
    for (uint32_t k = 0; k < b->count; k++) {
        (*at)[first[b->a[k]]++] = k;
        (*at)[first[b->b[k]]++] = k;
    }
    return TAUT_OK;
}

/* Each pair once, by its first bar; pairs that share both points are the same twice. Counts only where all is NULL. */
static uint32_t list_couplings(const bars *b, const uint32_t *start, const uint32_t *at, coupling *all)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < b->count; k++)
        for (int end = 0; end < 2; end++) {
            const uint32_t point = end ? b->b[k] : b->a[k];
            for (uint32_t e = start[point]; e < start[point + 1]; e++) {
                const uint32_t l = at[e];
                if (l <= k || (end && (b->a[l] == b->a[k] || b->b[l] == b->a[k]))) continue;
                if (all) all[count] = (coupling){ .k = k, .l = l };
                count++;
            }
        }
    return count;
}

static int find_couplings(points *r)
{
    const bars *b = r->b;
    uint32_t *start, *at;
    int status = list_bars(b, &start, &at);
    if (!status) {
        r->coupling_count = list_couplings(b, start, at, NULL);
        r->couplings = taut_mem_new(r->s->context, r->coupling_count, sizeof *r->couplings);
        if (r->couplings)
            list_couplings(b, start, at, r->couplings);
        else
            status = TAUT_OUT_OF_MEMORY;
    }
    taut_mem_free(r->s->context, start);
    taut_mem_free(r->s->context, at);
    return status;
}

static int make_pattern(points *r, pattern **shape)
{
    taut_context *context = r->s->context;
    const size_t c = r->b->count, most = c + 2 * (size_t)r->coupling_count;
    int *row = taut_mem_new(context, most, sizeof *row), *column = taut_mem_new(context, most, sizeof *column);
    size_t count = 0;
    int status = row && column ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (; !status && count < c; count++) row[count] = column[count] = (int)count;
    for (uint32_t e = 0; !status && e < r->coupling_count; e++, count += 2) {
        row[count] = column[count + 1] = (int)r->couplings[e].k;
        column[count] = row[count + 1] = (int)r->couplings[e].l;
    }
    if (!status) status = taut_pattern_create(context, (int)c, (int)c, row, column, count, shape);
    taut_mem_free(context, row);
    taut_mem_free(context, column);
    return status;
}

static int find_places(points *r, const pattern *shape)
{
    const int *order;
    const uint32_t c = r->b->count;
    r->diagonal = taut_mem_new(r->s->context, c, sizeof *r->diagonal);
    int status = r->diagonal ? taut_linear_value_order(r->solver, &order) : TAUT_OUT_OF_MEMORY;
    if (status) return status;
    r->chain = taut_linear_takes_lower(r->solver) > 0 && r->coupling_count == c - 1 && c > 2;
    for (uint32_t k = 0; k < c; k++) {
        const int at = taut_pattern_find(shape, (int)k, (int)k);
        r->diagonal[k] = order ? order[at] : at;
    }
    for (uint32_t e = 0; e < r->coupling_count; e++) {
        coupling *z = &r->couplings[e];
        const int below = taut_pattern_find(shape, (int)z->k, (int)z->l); /* by columns */
        const int above = taut_pattern_find(shape, (int)z->l, (int)z->k);
        z->below = order ? order[below] : below, z->above = order ? order[above] : above;
    }
    return TAUT_OK;
}

static int make_matrix(points *r)
{
    pattern *shape = NULL;
    int status = find_couplings(r);
    if (!status) status = make_pattern(r, &shape);
    if (!status)
        status = taut_linear_create(r->s->context, LINEAR_LDL, (int)r->b->count, shape->start, shape->index, 1,
                                    &r->solver);
    if (!status) status = find_places(r, shape);
    taut_pattern_destroy(r->s->context, shape);
    return status;
}

/* From some 100,000 points on memory is the limit, and the loops of verlet.c read less of it and go to threads. Below,
   they take twice as long with one thread, and no less with two. */
enum { COORDINATES_MOST = 250000 };

int X(points_may_serve)(const struct system *s)
{
    return s->structure.explicit_force && s->structure.diagonal_mass && s->n <= COORDINATES_MOST;
}

int X(points_create)(struct system *s, const points_options *o, newton *n, points **result)
{
    bars *b = NULL;
    *result = NULL;
    if (!X(points_may_serve)(s) || s->softening) return TAUT_OK;
    int status = X(bars_find)(s, &b);
    if (status || !b) return status;
    points *r = taut_mem_new(s->context, 1, sizeof *r);
    if (!r) {
        X(bars_destroy)(b);
        return TAUT_OUT_OF_MEMORY;
    }
    *r = (points){ .s = s, .b = b, .newton = n, .project = o->project,
                   .steady_force = o->steady_force, .trend = o->trend };
    status = make_matrix(r);
    if (!status) status = room_create(s->context, lay_out, r, &r->room);
    if (status)
        X(points_destroy)(r);
    else
        *result = r;
    return status;
}
#endif
