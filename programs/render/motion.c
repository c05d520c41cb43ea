#include "render/motion.h"

#include <float.h>
#include <math.h>
#include <string.h>

static const extent NOWHERE = { { INFINITY, INFINITY, INFINITY }, { -INFINITY, -INFINITY, -INFINITY } };

/* Places are single precision. What lies beyond its numbers, or is NaN, is nowhere: no size of the scene follows from
   it, and it is not drawn. */
static int is_somewhere(const double *p)
{
    return fabs(p[0]) <= FLT_MAX && fabs(p[1]) <= FLT_MAX && fabs(p[2]) <= FLT_MAX;
}

static void include(extent *e, const double *p)
{
    if (!is_somewhere(p)) return;
    for (int c = 0; c < 3; c++) {
        if (p[c] < e->low[c]) e->low[c] = p[c];
        if (p[c] > e->high[c]) e->high[c] = p[c];
    }
}

static double diagonal(const extent *e)
{
    double sum = 0;
    for (int c = 0; c < 3; c++)
        if (e->high[c] - e->low[c] < INFINITY && e->high[c] >= e->low[c])
            sum += (e->high[c] - e->low[c]) * (e->high[c] - e->low[c]);
    return sqrt(sum);
}

static size_t place_count(const taut_shape *s) { return s->rows * s->columns; }
static int is_body(const taut_shape *s)
{
    return s->type == TAUT_SHAPE_BOX || s->type == TAUT_SHAPE_DISC || s->type == TAUT_SHAPE_MESH;
}
static int is_rod(const taut_shape *s) { return s->type == TAUT_SHAPE_CYLINDER || s->type == TAUT_SHAPE_CAPSULE; }

static int is_seen(const motion *z, size_t i)
{
    const taut_shape *s = &z->run->shapes[i];
    if (s->type == TAUT_SHAPE_PLANE || s->type == TAUT_SHAPE_GROUND) return 0;
    return s->type != TAUT_SHAPE_MESH || s->triangles;
}

void taut_motion_fill(const motion *z, long i, float *places)
{
    const drawn_run *p = z->run;
    memcpy(places, z->still, 3 * p->shown.places * sizeof *places);
    for (size_t k = 0; k < p->shown.moving; k++)
        memcpy(places + 3 * p->shown.moves[k], z->motion + 3 * ((size_t)i * p->shown.moving + k), 3 * sizeof *places);
}

static void place_at(const float *places, uint32_t place, double *out)
{
    for (int c = 0; c < 3; c++) out[c] = places[3 * place + c];
}

/* ---- points that lie around everything drawn: places, round things with their radius, bodies with their corners ----
 */

typedef void (*visitor)(void *self, const double *at, int moves);

static void visit_round(const motion *z, const float *p, const taut_shape *s, visitor visit, void *self)
{
    for (size_t i = 0; i < place_count(s); i++) {
        uint32_t place = s->places[i];
        double at[3], end[3];
        place_at(p, place, at);
        for (int side = -1; side <= 1; side += 2) {
            for (int c = 0; c < 3; c++) end[c] = at[c] + (c < 2 || !z->run->shown.flat ? side * s->radius : 0);
            visit(self, end, motion_moves(z, place));
        }
    }
}

static void visit_body(const motion *z, const float *p, const taut_shape *s, visitor visit, void *self)
{
    const uint32_t *at = s->places;
    extent e = { { -1, -1, -1 }, { 1, 1, 1 } };
    if (s->type == TAUT_SHAPE_MESH) {
        e = NOWHERE;
        for (size_t i = 0; i < 3 * s->triangles; i++)
            include(&e, (const double[3]){ s->corners[3 * i], s->corners[3 * i + 1], s->corners[3 * i + 2] });
    }
    for (int i = 0; i < 8; i++) {
        double corner[3];
        for (int c = 0; c < 3; c++) {
            double centre = p[3 * at[0] + c];
            corner[c] = centre;
            for (int k = 0; k < 3; k++) corner[c] += (i >> k & 1 ? e.high : e.low)[k] * (p[3 * at[k + 1] + c] - centre);
        }
        visit(self, corner, motion_moves(z, at[0]) || motion_moves(z, at[1]));
    }
}

static void visit_all(const motion *z, const float *p, visitor visit, void *self)
{
    const drawn_run *shown = z->run;
    for (size_t i = 0; i < z->counted_count; i++) {
        double at[3];
        place_at(p, z->counted[i], at);
        visit(self, at, motion_moves(z, z->counted[i]));
    }
    for (size_t i = 0; i < shown->shown.shapes; i++) {
        const taut_shape *s = &shown->shapes[i];
        if (!is_seen(z, i)) continue;
        if (s->radius > 0 && (s->type == TAUT_SHAPE_BALL || is_rod(s))) visit_round(z, p, s, visit, self);
        if (is_body(s)) visit_body(z, p, s, visit, self);
    }
}

/* ---- what is looked for ---- */

static int take_place(motion *z, unsigned char *seen, uint32_t place)
{
    if (!seen[place]) z->counted[z->counted_count++] = place;
    seen[place] = 1;
    return 1;
}

static int count_places(motion *z)
{
    const drawn_run *p = z->run;
    unsigned char *seen = taut_mem_new(z->context, p->shown.places, 1);
    z->counted = taut_mem_new(z->context, p->shown.places, sizeof *z->counted);
    if (seen && z->counted)
        for (size_t i = 0; i < p->shown.shapes; i++) {
            const taut_shape *s = &p->shapes[i];
            size_t count = s->type == TAUT_SHAPE_ARROW ? 1 : place_count(s);
            for (size_t k = 0; is_seen(z, i) && k < count; k++) take_place(z, seen, s->places[k]);
        }
    int status = seen && z->counted ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    taut_mem_free(z->context, seen);
    return status;
}

typedef struct {
    uint32_t *list;
    size_t count;
    unsigned char *seen;
} place_list;

static void trace(const motion *z, place_list *l, uint32_t place)
{
    if (!motion_moves(z, place) || l->seen[place]) return;
    l->seen[place] = 1;
    l->list[l->count++] = place;
}

/* Centres of balls that move; without balls the ends of bars and rods and the centres of bodies; of many, some. */
static int choose_traced(motion *z)
{
    const drawn_run *p = z->run;
    place_list l = { taut_mem_new(z->context, p->shown.places, sizeof *l.list), 0,
                     taut_mem_new(z->context, p->shown.places, 1) };
    int status = l.list && l.seen ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < p->shown.shapes; i++)
        if (p->shapes[i].type == TAUT_SHAPE_BALL) trace(z, &l, p->shapes[i].places[0]);
    for (size_t i = 0, balls = l.count; !status && !balls && i < p->shown.shapes; i++) {
        const taut_shape *s = &p->shapes[i];
        const uint32_t *at = s->places;
        if (s->type == TAUT_SHAPE_BAR || s->type == TAUT_SHAPE_SPRING || is_rod(s))
            trace(z, &l, at[0]), trace(z, &l, at[1]);
        else if (is_body(s)) trace(z, &l, at[motion_moves(z, at[0]) ? 0 : 1]);
    }
    z->traced_count = l.count <= MOTION_TRACED ? (int)l.count : 3;
    for (int k = 0; !status && k < z->traced_count; k++)
        z->traced[k] = l.count <= MOTION_TRACED ? l.list[k]
                       : k == 2                 ? l.list[l.count - 1]
                                                : l.list[(size_t)(k + 1) * l.count / 3];
    taut_mem_free(z->context, l.list);
    taut_mem_free(z->context, l.seen);
    return status;
}

static double distance(const float *p, uint32_t a, uint32_t b)
{
    double sum = 0;
    for (int c = 0; c < 3; c++) sum += ((double)p[3 * a + c] - p[3 * b + c]) * ((double)p[3 * a + c] - p[3 * b + c]);
    return sqrt(sum);
}

static void find_shortest(motion *z)
{
    const drawn_run *p = z->run;
    z->shortest = INFINITY;
    for (size_t i = 0; i < p->shown.shapes; i++) {
        const taut_shape *s = &p->shapes[i];
        double length = s->type == TAUT_SHAPE_BAR ? distance(z->still, s->places[0], s->places[1]) : 0;
        if (length > 0 && length < z->shortest) z->shortest = length;
    }
}

static double longest_arrow(const motion *z, const float *p)
{
    double most = 0;
    for (size_t i = 0; i < z->run->shown.shapes; i++) {
        const taut_shape *s = &z->run->shapes[i];
        double length =
            s->type == TAUT_SHAPE_ARROW && !(s->scale > 0) ? distance(p, s->places[0], s->places[1]) : 0;
        if (length > most && length < INFINITY) most = length;
    }
    return most;
}

double taut_motion_arrow(const motion *z, const taut_shape *s)
{
    double small = z->size < z->span ? z->size : z->span;
    return s->scale > 0 ? s->scale : z->arrow_most > 0 ? 0.3 * small / z->arrow_most : 1;
}

void taut_motion_middle(const motion *z, const float *places, double *middle)
{
    extent e = NOWHERE;
    for (size_t i = 0; i < z->counted_count; i++) {
        double at[3];
        place_at(places, z->counted[i], at);
        if (motion_moves(z, z->counted[i])) include(&e, at);
    }
    for (int c = 0; c < 3; c++) middle[c] = e.high[c] >= e.low[c] ? (e.low[c] + e.high[c]) / 2 : 0;
}

/* ---- measuring ---- */

typedef struct {
    motion *z;
    extent now, part;
    double far;
    size_t count, stride;
    int status;
} survey;

static void measure_point(void *self, const double *at, int moves)
{
    survey *s = self;
    include(&s->now, at);
    if (moves) include(&s->part, at);
}

static void keep_point(void *self, const double *at, int moves)
{
    survey *s = self;
    double far = 0;
    (void)moves;
    if (!is_somewhere(at)) return;
    for (int c = 0; c < 3; c++) far += (at[c] - s->z->centre[c]) * (at[c] - s->z->centre[c]);
    if (far > s->far) s->far = far;
    if (s->count++ % s->stride || s->status) return;
    motion *z = s->z;
    s->status = taut_mem_grow(z->context, &z->cloud, &z->cloud_capacity, z->cloud_count + 1, 3 * sizeof *z->cloud);
    if (s->status) return;
    for (int c = 0; c < 3; c++) z->cloud[3 * z->cloud_count + (size_t)c] = (float)at[c];
    z->cloud_count++;
}

static long sample(const motion *z, long i, long of) { return of > 1 ? i * (z->choice.frames - 1) / (of - 1) : 0; }

/* Nothing is held by what stands still, and there is no ground. */
static int is_free(const motion *z)
{
    const drawn_run *p = z->run;
    for (size_t i = 0; i < p->shown.shapes; i++)
        if (p->shapes[i].type == TAUT_SHAPE_PLANE || p->shapes[i].type == TAUT_SHAPE_GROUND) return 0;
    for (size_t i = 0; i < z->counted_count; i++)
        if (!motion_moves(z, z->counted[i])) return 0;
    return 1;
}

static int is_held(const motion *z)
{
    const drawn_run *p = z->run;
    for (size_t i = 0; i < p->shown.shapes; i++) {
        int moves = 0, stands = 0;
        for (size_t k = 0; k < place_count(&p->shapes[i]); k++)
            if (motion_moves(z, p->shapes[i].places[k])) moves = 1;
            else stands = 1;
        if (p->shapes[i].type != TAUT_SHAPE_ARROW && moves && stands) return 1;
    }
    return 0;
}

static double roundest(const motion *z)
{
    double most = 0;
    for (size_t i = 0; i < z->run->shown.shapes; i++) {
        const taut_shape *s = &z->run->shapes[i];
        if ((s->type == TAUT_SHAPE_BALL || is_rod(s)) && s->radius > most && s->radius <= FLT_MAX) most = s->radius;
    }
    return most;
}

static int measure(motion *z)
{
    long frames = z->choice.frames, most = (long)(2000000 / (3 * z->run->shown.places + 1));
    long samples = most < 50 ? 50 : most;
    extent all = NOWHERE, parts = NOWHERE;
    double part_size = 0;
    if (samples > frames) samples = frames;
    for (long i = 0; i < samples; i++) {
        survey s = { .z = z, .now = NOWHERE, .part = NOWHERE };
        taut_motion_fill(z, sample(z, i, samples), z->scratch);
        visit_all(z, z->scratch, measure_point, &s);
        z->size = fmax(z->size, diagonal(&s.now));
        part_size = fmax(part_size, diagonal(&s.part));
        include(&all, s.now.low), include(&all, s.now.high);
        include(&parts, s.part.low), include(&parts, s.part.high);
        z->arrow_most = fmax(z->arrow_most, longest_arrow(z, z->scratch));
    }
    for (int c = 0; c < 3; c++) {
        if (!(all.high[c] - all.low[c] < INFINITY)) all.low[c] = all.high[c] = 0;
        z->centre[c] = (all.low[c] + all.high[c]) / 2;
    }
    z->box = all;
    z->span = diagonal(&all);
    if (!(z->span > 0)) z->span = 1;
    if (!(z->size > 0)) z->size = z->span;
    int free = is_free(z);
    z->view = fmax((free ? z->size : part_size) * 0.62, 5 * roundest(z)); /* a lone ball wants some air around it */
    if (!(z->view > 0)) z->view = z->span;
    z->drifts = z->run->shown.moving &&
                (free ? z->span > fmax(1.8 * z->size, 3 * z->view) : !is_held(z) && diagonal(&parts) > 12 * z->view);
    survey s = { .z = z, .stride = (z->counted_count + 59) / 60 };
    if (!s.stride) s.stride = 1;
    long looks = samples < 400 ? samples : 400;
    for (long i = 0; i < looks; i++) {
        s.count = (size_t)i;
        taut_motion_fill(z, sample(z, i, looks), z->scratch);
        visit_all(z, z->scratch, keep_point, &s);
    }
    z->reach = s.far > 0 ? sqrt(s.far) : z->span / 2;
    return s.status;
}

/* Frames that follow each other closely enough to speak of a path. */
static long close_frames(const motion *z)
{
    const moving_choice *c = &z->choice;
    return c->every > MOTION_STRIDE && c->dense > 1 ? c->dense : c->frames;
}

static void find_speed(motion *z)
{
    long close = close_frames(z), frames = close < 4000 ? close : 4000, n = 0;
    size_t moving = z->run->shown.moving;
    double sum = 0;
    for (int t = 0; t < z->traced_count; t++)
        for (long k = 1; k < frames; k++, n++) {
            const float *b = z->motion + 3 * ((size_t)k * moving + (size_t)z->slot[z->traced[t]]), *a = b - 3 * moving;
            double step =
                sqrt(((double)b[0] - a[0]) * ((double)b[0] - a[0]) + ((double)b[1] - a[1]) * ((double)b[1] - a[1]) +
                     ((double)b[2] - a[2]) * ((double)b[2] - a[2]));
            if (step < INFINITY) sum += step;
        }
    double duration = z->times[close - 1] - z->times[0];
    z->travel = n ? sum / (double)n : 0;
    z->speed = duration / 20;
    if (z->travel > 0 && close > 1) {
        double scene = z->drifts ? z->size : fmin(z->span, 1.5 * z->size);
        z->speed = fmin(scene * 0.8 * duration / (double)(close - 1) / z->travel, duration / 4);
        z->travel /= (double)(z->choice.dense ? 1 : z->choice.every); /* per frame of the run */
    }
    if (!(z->speed > 0)) z->speed = 1;
}

static int read_frames(motion *z)
{
    const drawn_run *p = z->run;
    int status = TAUT_OK;
    for (long i = 0; !status && i < z->choice.frames; i++) {
        status = taut_drawing_places(z->run->drawing, (size_t)(z->first + moving_frame(&z->choice, i)), &z->times[i],
                                     z->scratch);
        if (status) break;
        if (i == 0) memcpy(z->still, z->scratch, 3 * p->shown.places * sizeof *z->still);
        for (size_t k = 0; k < p->shown.moving; k++)
            memcpy(z->motion + 3 * ((size_t)i * p->shown.moving + k), z->scratch + 3 * p->shown.moves[k],
                   3 * sizeof(float));
    }
    return status;
}

int taut_motion_create(drawn_run *run, long first, long count, motion **result)
{
    const drawn_run *p = run;
    motion *z = taut_mem_new(run->context, 1, sizeof *z);
    *result = z;
    if (!z) return TAUT_OUT_OF_MEMORY;
    *z = (motion){ .context = run->context, .run = run, .first = first,
                   .choice = moving_choose(run->shown.moving, count) };
    z->slot = taut_mem_new(z->context, p->shown.places, sizeof *z->slot);
    z->still = taut_mem_new(z->context, 3 * p->shown.places, sizeof *z->still);
    z->scratch = taut_mem_new(z->context, 3 * p->shown.places, sizeof *z->scratch);
    z->motion = taut_mem_new(z->context, 3 * (size_t)z->choice.frames * p->shown.moving, sizeof *z->motion);
    z->times = taut_mem_new(z->context, (size_t)z->choice.frames, sizeof *z->times);
    int status = z->slot && z->still && z->scratch && z->motion && z->times ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        memset(z->slot, -1, p->shown.places * sizeof *z->slot);
        for (size_t k = 0; k < p->shown.moving; k++) z->slot[p->shown.moves[k]] = (int32_t)k;
        status = count_places(z);
    }
    if (!status) status = choose_traced(z);
    if (!status) status = read_frames(z);
    if (!status) status = measure(z);
    if (!status) {
        find_shortest(z);
        find_speed(z);
        return TAUT_OK;
    }
    taut_motion_destroy(z);
    *result = NULL;
    return status;
}

void taut_motion_destroy(motion *z)
{
    if (!z) return;
    taut_mem_free(z->context, z->slot);
    taut_mem_free(z->context, z->still);
    taut_mem_free(z->context, z->scratch);
    taut_mem_free(z->context, z->motion);
    taut_mem_free(z->context, z->times);
    taut_mem_free(z->context, z->counted);
    taut_mem_free(z->context, z->cloud);
    taut_mem_free(z->context, z);
}
