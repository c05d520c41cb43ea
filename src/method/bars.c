#include "method/bars.h"

#include <string.h>

#ifdef TAUT_REAL_QUAD /* the loops that profit are those of doubles */
int X(bars_find)(struct system *s, bars **result) { return (void)s, *result = NULL, TAUT_OK; }
void X(bars_destroy)(bars *b) { (void)b; }
int X(bars_refresh)(bars *b) { return (void)b, 0; }
int X(bars_weigh)(const bars *b, real *w, int *even) { return (void)b, (void)w, *even = 0; }
#else

enum { STEADY_LEAST = 4, TRIALS = 3 };

static const pattern *rows_of(const struct system *s) { return s->blocks[BLOCK_G].parts[0].shape; }

/* ---- which points ---- */

/* Coordinates first .. first + size - 1 are a point: a new one, or the one that they are already. Returns 0 where
   another point has some of them. */
static int take_point(bars *b, uint32_t *point_of, uint32_t first, uint32_t size, uint32_t *point)
{
    const uint32_t n = b->s->n;
    if (point_of[first] < n) {
        *point = point_of[first];
        return b->first[*point] == first && b->size[*point] == size;
    }
    *point = b->points++;
    b->first[*point] = first, b->size[*point] = (unsigned char)size;
    for (uint32_t i = first; i < first + size; i++) {
        if (point_of[i] < n) return 0;
        point_of[i] = *point;
    }
    return 1;
}

static int is_successive(const int *columns, int count)
{
    for (int e = 1; e < count; e++)
        if (columns[e] != columns[0] + e) return 0;
    return 1;
}

/* The ends of bar k by the columns of its row: two points of three or two coordinates, or one and a fixed place. */
static int take_ends(bars *b, uint32_t *point_of, uint32_t k)
{
    const pattern *p = rows_of(b->s);
    const int *columns = p->index + p->start[k], count = p->start[k + 1] - p->start[k];
    const int ends = count == 6 || count == 4 ? 2 : 1, size = count / ends;
    if ((size != 2 && size != BARS_SPACE) || count != ends * size) return 0;
    for (int end = 0; end < ends; end++) {
        uint32_t *point = end == ends - 1 ? &b->a[k] : &b->b[k]; /* of two the later one is a */
        if (!is_successive(columns + end * size, size)) return 0;
        if (!take_point(b, point_of, (uint32_t)columns[end * size], (uint32_t)size, point)) return 0;
    }
    if (ends == 1) b->b[k] = b->s->n + b->fixed++; /* moved to behind the points when these are counted */
    return 1;
}

/* Points in the order of their coordinates; rank: work. */
static void sort_points(bars *b, const uint32_t *point_of, uint32_t *rank)
{
    const uint32_t n = b->s->n;
    uint32_t next = 0;
    for (uint32_t i = 0; i < n; i++)
        if (b->first[point_of[i]] == i) rank[point_of[i]] = next++;
    b->begin = b->b[0] >= n && rank[b->a[0]] == 0;
    b->behind = b->begin + BARS_FILLED(b->points);
    b->all = b->behind + b->fixed - b->begin;
    b->point_room = BARS_FILLED(b->all) + 2 * BARS_LANES;
    b->bar_room = BARS_FILLED(b->count) + 2 * BARS_LANES;
    for (uint32_t k = 0; k < b->count; k++) {
        b->a[k] = b->begin + rank[b->a[k]];
        b->b[k] = b->b[k] >= n ? bars_fixed(b, b->b[k] - n) : b->begin + rank[b->b[k]];
    }
    next = 0;
    for (uint32_t i = 0; i < n; i += rank[next++] >> 30) rank[next] = i | (uint32_t)b->size[point_of[i]] << 30;
    b->spacing = rank[0] >> 30 == 1 ? 0 : rank[0] >> 30;
    for (uint32_t i = 0; i < b->points; i++) {
        const uint32_t first = rank[i] & ((1u << 30) - 1), size = rank[i] >> 30;
        b->first[b->begin + i] = first, b->size[b->begin + i] = (unsigned char)size;
        if (size != b->spacing || first != i * b->spacing) b->spacing = 0;
    }
}

/* Coordinates that no bar has, as many together as fit into a point. */
static void take_others(bars *b, uint32_t *point_of)
{
    const uint32_t n = b->s->n;
    for (uint32_t i = 0, size; i < n; i += size) {
        uint32_t point;
        size = 1;
        if (point_of[i] < n) continue;
        while (size < BARS_SPACE && i + size < n && point_of[i + size] == n) size++;
        take_point(b, point_of, i, size, &point);
    }
}

static void find_runs(bars *b)
{
    b->run_count = 0;
    for (uint32_t k = 0, count; k < b->count; k += count) {
        for (count = 1; k + count < b->count; count++)
            if (b->a[k + count] != b->a[k] + count || b->b[k + count] != b->b[k] + count) break;
        const int steady = count >= STEADY_LEAST;
        bar_run *before = b->run_count ? &b->runs[b->run_count - 1] : NULL;
        if (!steady && before && !before->steady)
            before->count += count;
        else
            b->runs[b->run_count++] = (bar_run){ .first = k, .count = count, .steady = steady };
    }
}

/* touched: of each point, whether a run has had it; work. */
static void find_fresh(bars *b, unsigned char *touched)
{
    enum { UNTOUCHED, TOUCHED, ASSIGNED };
    const uint32_t all = b->all;
    uint32_t next = 0; /* the first point behind those of fresh runs */
    for (uint32_t r = 0; r < b->run_count; r++) {
        bar_run *run = &b->runs[r];
        const uint32_t a = b->a[run->first];
        run->linked = run->steady && a == b->b[run->first] + 1;
        run->fresh = run->linked && a >= next;
        for (uint32_t i = 0; run->fresh && i < run->count; i++) run->fresh = touched[a + i] == UNTOUCHED;
        for (uint32_t k = run->first; k < run->first + run->count; k++) {
            if (!touched[b->b[k]]) touched[b->b[k]] = TOUCHED;
            if (!touched[b->a[k]]) touched[b->a[k]] = TOUCHED;
        }
        for (uint32_t i = 0; run->fresh && i < run->count; i++) touched[a + i] = ASSIGNED;
        if (run->fresh) next = a + run->count;
    }
    /* Behind the last run zeros are written, see points_push. */
    const bar_run *last = &b->runs[b->run_count - 1];
    const uint32_t filled = last->fresh ? next : b->begin + b->points;
    for (uint32_t i = b->begin; i < all; i++) {
        if (touched[i] == ASSIGNED || (i >= filled && i < b->behind)) continue;
        point_range *before = b->other_count ? &b->others[b->other_count - 1] : NULL;
        if (before && before->first + before->count == i)
            before->count++;
        else
            b->others[b->other_count++] = (point_range){ i, 1 };
    }
    b->one_chain = b->run_count == 1 && last->fresh && b->begin && !b->other_count;
}

static int find_structure(bars *b, int *fits_all)
{
    const uint32_t n = b->s->n;
    uint32_t *point_of = taut_mem_new(b->s->context, n, sizeof *point_of);
    uint32_t *rank = taut_mem_new(b->s->context, n, sizeof *rank);
    unsigned char *touched = taut_mem_new(b->s->context, (size_t)n + b->count + BARS_LANES + 1, sizeof *touched);
    int fits = point_of && rank && touched;
    for (uint32_t i = 0; fits && i < n; i++) point_of[i] = n;
    for (uint32_t k = 0; fits && k < b->count; k++) fits = take_ends(b, point_of, k);
    if (fits) {
        take_others(b, point_of);
        sort_points(b, point_of, rank);
        find_runs(b);
        find_fresh(b, touched);
    }
    const int status = point_of && rank && touched ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    taut_mem_free(b->s->context, touched);
    taut_mem_free(b->s->context, rank);
    taut_mem_free(b->s->context, point_of);
    *fits_all = fits;
    return status;
}

/* ---- scales and lengths ---- */

/* Multiples of 2^-20 below 2, of which differences and products with simple numbers are exact. */
static real next_simple(uint64_t *seed)
{
    *seed ^= *seed << 13, *seed ^= *seed >> 7, *seed ^= *seed << 17;
    return (real)((double)(*seed >> 43) / 1048576);
}

static void evaluate(bars *b)
{
    const real zero = 0;
    const place at = place_at(b->s, b->q, NULL, &zero, NULL);
    X(system_constraints)(b->s, &at, b->g);
    X(system_block_values)(b->s, BLOCK_G, &at, b->entries);
}

/* Coordinate c of an end of bar k at b->q, and of the difference of its ends. */
static real end_at(const bars *b, uint32_t point, uint32_t c)
{
    return bars_is_fixed(b, point) ? bars_place(b, point)[c] : b->q[b->first[point] + c];
}

static real difference(const bars *b, uint32_t k, uint32_t c) { return end_at(b, b->a[k], c) - end_at(b, b->b[k], c); }

/* The entries of row k at end a. */
static const real *entries_of(const bars *b, const real *entries, uint32_t k)
{
    const pattern *p = rows_of(b->s);
    return entries + p->start[k + 1] - b->size[b->a[k]];
}

/* At the origin: entries there, and L^2 s of bars between points. */
static void look_at_origin(bars *b)
{
    memset(b->q, 0, b->s->n * sizeof *b->q);
    evaluate(b);
    memcpy(b->origin, b->entries, (size_t)pattern_entries(rows_of(b->s)) * sizeof *b->origin);
    for (uint32_t k = 0; k < b->count; k++) b->square[k] = -2 * b->g[k];
}

static void move_at_random(bars *b, uint64_t *seed)
{
    for (uint32_t i = 0; i < b->s->n; i++) b->q[i] = next_simple(seed);
    evaluate(b);
}

/* And the fixed place, from the entries at another state. */
static int find_scale(bars *b, uint32_t k)
{
    const real *now = entries_of(b, b->entries, k), *then = entries_of(b, b->origin, k);
    const uint32_t size = b->size[b->a[k]];
    const int fixed = bars_is_fixed(b, b->b[k]);
    real way = 0;
    for (uint32_t c = 0; c < size; c++) {
        const real along = end_at(b, b->a[k], c) - (fixed ? 0 : end_at(b, b->b[k], c));
        if (REAL(fabs)(along) > REAL(fabs)(way)) way = along, b->scale[k] = (now[c] - then[c]) / way;
    }
    for (uint32_t c = 0; fixed && c < size; c++) bars_place(b, b->b[k])[c] = -then[c] / b->scale[k];
    return way != 0 && b->scale[k] != 0 && b->scale[k] - b->scale[k] == 0;
}

/* Whether the entries of row k at b->q are those of a distance, but for rounding errors. */
static int is_distance(const bars *b, uint32_t k)
{
    const real *at_a = entries_of(b, b->entries, k);
    const uint32_t size = b->size[b->a[k]];
    const int two = !bars_is_fixed(b, b->b[k]);
    for (uint32_t c = 0; c < size; c++) {
        const real far = two ? 0 : REAL(fabs)(bars_place(b, b->b[k])[c]);
        const real is = b->scale[k] * difference(b, k, c);
        const real unit = 64 * REAL_EPSILON * REAL(fabs)(b->scale[k]) * (4 + far);
        if (!(REAL(fabs)(at_a[c] - is) <= unit)) return 0;
        if (two && !(REAL(fabs)(*(at_a + c - size) + is) <= unit)) return 0;
    }
    return 1;
}

/* L^2 of bars to fixed places: with the points there, as far as each can be at one. */
static void find_squares(bars *b)
{
    memset(b->q, 0, b->s->n * sizeof *b->q);
    for (uint32_t k = b->count; k-- > 0;)
        for (uint32_t c = 0; bars_is_fixed(b, b->b[k]) && c < b->size[b->a[k]]; c++)
            b->q[b->first[b->a[k]] + c] = bars_place(b, b->b[k])[c];
    evaluate(b);
    for (uint32_t k = 0; k < b->count; k++) {
        const int fixed = bars_is_fixed(b, b->b[k]);
        real far = 0;
        for (uint32_t c = 0; fixed && c < b->size[b->a[k]]; c++) far += difference(b, k, c) * difference(b, k, c);
        b->square[k] = fixed ? far - 2 * b->g[k] / b->scale[k] : b->square[k] / b->scale[k];
    }
}

int X(bars_refresh)(bars *b)
{
    uint64_t seed = 88172645463325252ULL;
    b->version = b->s->constants_version;
    b->known = 1;
    b->holds = 0;
    look_at_origin(b);
    for (int trial = 0; trial < TRIALS; trial++) {
        move_at_random(b, &seed);
        for (uint32_t k = 0; trial == 0 && k < b->count; k++)
            if (!find_scale(b, k)) return 0;
        for (uint32_t k = 0; k < b->count; k++)
            if (!is_distance(b, k)) return 0;
    }
    find_squares(b);
    return b->holds = 1;
}

int X(bars_weigh)(const bars *b, real *w, int *even)
{
    const struct system *s = b->s;
    int fits = 1;
    *even = 1;
    for (uint32_t i = b->begin; i < b->begin + b->points; i++) {
        w[i] = s->inverse_mass[b->first[i]];
        *even &= w[i] == s->inverse_mass[0];
        for (uint32_t j = b->first[i]; j < b->first[i] + b->size[i]; j++)
            fits &= s->inverse_mass[j] == w[i] && s->offset[j] == 0;
    }
    return fits;
}

/* ---- creation ---- */

void X(bars_destroy)(bars *b)
{
    if (!b) return;
    void *all[] = { b->first, b->size,   b->a, b->b, b->runs,    b->others, b->scale,
                    b->square, b->places, b->q, b->g, b->entries, b->origin };
    taut_context *context = b->s->context;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) taut_mem_free(context, all[i]);
    taut_mem_free(context, b);
}

static int make_room(bars *b)
{
    taut_context *context = b->s->context;
    const size_t n = b->s->n, c = b->count, all = (size_t)pattern_entries(rows_of(b->s)), entries = all > n ? all : n;
    b->first = taut_mem_new(context, n + 1, sizeof *b->first);
    b->size = taut_mem_new(context, n + 1, sizeof *b->size);
    b->a = taut_mem_new(context, c, sizeof *b->a), b->b = taut_mem_new(context, c, sizeof *b->b);
    b->runs = taut_mem_new(context, c, sizeof *b->runs);
    b->others = taut_mem_new(context, n + c + BARS_LANES, sizeof *b->others);
    b->scale = taut_mem_new(context, c + 2 * BARS_LANES, sizeof(real));
    b->square = taut_mem_new(context, c + 2 * BARS_LANES, sizeof(real));
    b->places = taut_mem_new(context, c * BARS_SPACE, sizeof(real));
    b->q = taut_mem_new(context, n, sizeof(real)), b->g = taut_mem_new(context, c, sizeof(real));
    b->entries = taut_mem_new(context, entries, sizeof(real));
    b->origin = taut_mem_new(context, entries, sizeof(real));
    return b->first && b->size && b->a && b->b && b->runs && b->others && b->scale && b->square && b->places && b->q
                   && b->g && b->entries && b->origin
               ? TAUT_OK
               : TAUT_OUT_OF_MEMORY;
}

/* Rows of a length that a distance has, which rules out most other systems at once. */
static int may_be_bars(const struct system *s)
{
    const pattern *p = rows_of(s);
    if (!s->c || s->structure.constraint_time || s->slip || s->n >= 1u << 30) return 0;
    for (int k = 0; k < p->rows; k++) {
        const int count = p->start[k + 1] - p->start[k];
        if (count != 2 && count != 3 && count != 4 && count != 6) return 0;
    }
    return 1;
}

int X(bars_find)(struct system *s, bars **result)
{
    int fits = 0;
    *result = NULL;
    if (!may_be_bars(s)) return TAUT_OK;
    bars *b = taut_mem_new(s->context, 1, sizeof *b);
    if (!b) return TAUT_OUT_OF_MEMORY;
    b->s = s;
    b->count = s->c;
    int status = make_room(b);
    if (!status) status = find_structure(b, &fits);
    if (!status && fits) status = X(field_is_quadratic)(s->constraint, KIND_Q, &fits);
    if (!status && fits && X(bars_refresh)(b))
        *result = b;
    else
        X(bars_destroy)(b);
    return status;
}
#endif
