#include "plot/thin.h"

#include <math.h>
#include <stdlib.h>

/* ---- segments that are there already ---- */

static uint64_t square_of(const thinner *t, spot p)
{
    /* the picture is not larger than 2^15 squares, and what lies outside is all the same */
    const double x = fmin(fmax(floor(p.x / t->cell), -16000), 16000);
    const double y = fmin(fmax(floor(p.y / t->cell), -16000), 16000);
    return (uint64_t)(int64_t)(x + 16384) << 16 | (uint64_t)(int64_t)(y + 16384);
}

static int grow_seen(thinner *t)
{
    const size_t size = t->seen_size ? 2 * t->seen_size : 4096;
    uint64_t *more = calloc(size, sizeof *more);
    if (!more) return 1;
    for (size_t i = 0; i < t->seen_size; i++) {
        if (!t->seen[i]) continue;
        size_t at = t->seen[i] * 0x9E3779B97F4A7C15u >> 20;
        while (more[at % size]) at++;
        more[at % size] = t->seen[i];
    }
    free(t->seen);
    t->seen = more;
    t->seen_size = size;
    return 0;
}

/* Was there such a segment? It is noted otherwise. */
static int is_known(thinner *t, spot a, spot b)
{
    const uint64_t p = square_of(t, a), q = square_of(t, b), pair = p < q ? p << 32 | q : q << 32 | p;
    if (2 * t->seen_count >= t->seen_size && grow_seen(t)) {
        t->failed = 1;
        return 0;
    }
    size_t at = pair * 0x9E3779B97F4A7C15u >> 20;
    for (; t->seen[at % t->seen_size]; at++)
        if (t->seen[at % t->seen_size] == pair) return 1;
    t->seen[at % t->seen_size] = pair;
    t->seen_count++;
    return 0;
}

/* ---- pieces ---- */

static void flush_piece(thinner *t)
{
    if (t->count > 1 || (t->count && !t->goes_on)) t->piece(t->user, t->points, t->count);
    t->count = 0;
    t->goes_on = 0;
}

static void keep(thinner *t, spot p)
{
    if (t->failed) return;
    if (t->count == t->capacity) {
        const size_t capacity = t->capacity ? 2 * t->capacity : 1024;
        spot *more = realloc(t->points, capacity * sizeof *more);
        if (!more) {
            t->failed = 1;
            return;
        }
        t->points = more;
        t->capacity = capacity;
    }
    t->points[t->count++] = p;
}

static void emit(thinner *t, spot p)
{
    if (t->dots) {
        if (!is_known(t, p, p)) keep(t, p);
    } else if (t->count && !t->grows && is_known(t, t->points[t->count - 1], p)) {
        const spot before = t->points[t->count - 1];
        if (before.x == p.x && before.y == p.y) return;
        flush_piece(t);
        keep(t, p);
        t->goes_on = 1;
    } else {
        keep(t, p);
    }
}

/* What the column leaves, in the order of its points. */
static void end_column(thinner *t)
{
    if (!t->here) return;
    const spot a = t->low_at < t->high_at ? t->low : t->high, b = t->low_at < t->high_at ? t->high : t->low;
    const size_t first = t->low_at < t->high_at ? t->low_at : t->high_at;
    const size_t second = t->low_at < t->high_at ? t->high_at : t->low_at;
    emit(t, t->first);
    if (first > 0 && first < t->here - 1) emit(t, a);
    if (second > 0 && second < t->here - 1 && second != first) emit(t, b);
    if (t->here > 1) emit(t, t->last);
    t->here = 0;
}

void taut_thin_point(thinner *t, spot p)
{
    if (!isfinite(p.x) || !isfinite(p.y)) {
        end_column(t);
        if (!t->dots) flush_piece(t);
        return;
    }
    if (t->dots) {
        emit(t, p);
        return;
    }
    if (!t->grows) {
        if (!t->count || square_of(t, p) != square_of(t, t->points[t->count - 1])) emit(t, p);
        return;
    }
    if (t->here && floor(p.x / t->cell) != floor(t->first.x / t->cell)) end_column(t);
    if (!t->here) t->first = t->low = t->high = p, t->low_at = t->high_at = 0;
    if (p.y < t->low.y) t->low = p, t->low_at = t->here;
    if (p.y > t->high.y) t->high = p, t->high_at = t->here;
    t->last = p;
    t->here++;
}

int taut_thin_end(thinner *t)
{
    end_column(t);
    flush_piece(t);
    free(t->points);
    free(t->seen);
    t->points = NULL;
    t->seen = NULL;
    return t->failed;
}
