#include "field/tables.h"

#define RUN_MOST 16          /* instances in a group; longer ones are no groups */
#define GROUPS_LEAST 16      /* a column that breaks more often than once in so many groups is looked up */

/* One column of a table: `width` numbers an instance. */
typedef struct {
    const uint32_t *at;
    uint32_t width;
    int loose;               /* too irregular to count */
} column;

static uint32_t entry(const column *c, uint32_t instance) { return c->at[(size_t)instance * c->width]; }

/* The course that begins with the group at `first`, if the group itself is arithmetic. */
static int begin_course(const column *t, uint32_t run, uint32_t first, uint32_t end, course *c)
{
    *c = (course){ .base = entry(t, first), .steady = 1 };
    if (run > 1) c->inner = (int32_t)(entry(t, first + 1) - c->base);
    if (first + run < end) c->outer = (int32_t)(entry(t, first + run) - c->base);
    for (uint32_t m = 0; m < run; m++)
        if (entry(t, first + m) != c->base + (uint32_t)c->inner * m) return 0;
    return 1;
}

static int continues(const column *t, uint32_t run, uint32_t first, uint32_t instance, const course *c)
{
    uint32_t group = (instance - first) / run, base = c->base + (uint32_t)c->outer * group;
    for (uint32_t m = 0; m < run; m++)
        if (entry(t, instance + m) != base + (uint32_t)c->inner * m) return 0;
    return 1;
}

/* How many stretches this column alone would have. */
static uint32_t count_breaks(const column *t, uint32_t run, uint32_t count)
{
    uint32_t breaks = 0;
    for (uint32_t first = 0, at; first < count; first = at, breaks++) {
        course c;
        int arithmetic = begin_course(t, run, first, count, &c);
        for (at = first + run; arithmetic && at < count && continues(t, run, first, at, &c);) at += run;
    }
    return breaks;
}

/* The instances of one function stand together; all groups must have the length of the first. */
static uint32_t group_length(const batch *b)
{
    uint32_t run = 1;
    while (run < b->count && run <= RUN_MOST && b->rows[run] == b->rows[0]) run++;
    if (run > RUN_MOST || b->count % run) return 1;
    for (uint32_t i = 0; i < b->count; i++)
        if (b->rows[i] != b->rows[i - i % run]) return 1;
    return run;
}

static uint32_t stretch_end(const column *columns, uint32_t used, uint32_t run, uint32_t first, uint32_t count,
                            course *courses)
{
    uint32_t end = count;
    for (uint32_t n = 0; n < used; n++) {
        if (columns[n].loose) continue;
        uint32_t at = first + run;
        if (begin_course(&columns[n], run, first, count, &courses[n]))
            while (at < end && continues(&columns[n], run, first, at, &courses[n])) at += run;
        if (at < end) end = at;
    }
    return end;
}

static void list_columns(const batch *b, const kernel *k, uint32_t run, column *columns)
{
    uint32_t limit = b->count / run / GROUPS_LEAST + 1;
    for (uint32_t n = 0; n < k->slots; n++) columns[n] = (column){ b->variables + n, k->slots, 0 };
    for (uint32_t n = 0; n < k->constants; n++) columns[k->slots + n] = (column){ b->constants + n, k->constants, 0 };
    columns[k->slots + k->constants] = (column){ b->rows, 1, 0 };
    for (uint32_t n = 0; n <= k->slots + k->constants; n++)
        columns[n].loose = count_breaks(&columns[n], run, b->count) > limit;
}

static int make(taut_context *context, const batch *b, const column *columns, course *work, stretches *s)
{
    uint32_t count = 0, at = 0, room;
    for (uint32_t first = 0; first < b->count; count++)
        first = stretch_end(columns, s->columns, s->run, first, b->count, work);
    room = count;
    if (count > b->count / s->run / 8) return TAUT_OK;
    s->first = taut_mem_new(context, (size_t)room + 1, sizeof *s->first);
    s->courses = taut_mem_new(context, (size_t)room * s->columns, sizeof *s->courses);
    if (!s->first || !s->courses) return TAUT_OUT_OF_MEMORY;
    s->count = count;
    for (uint32_t n = 0; n < count; n++) {
        s->first[n] = at;
        at = stretch_end(columns, s->columns, s->run, at, b->count, work);
        s->first[n + 1] = at;
    }
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t c = 0; c < s->columns; c++)
            s->courses[(size_t)n * s->columns + c] =
                X(stretches_course)(s, n, columns[c].at, columns[c].width, 0);
    return TAUT_OK;
}

int X(stretches_find)(taut_context *context, const batch *b, const kernel *k, stretches *s)
{
    *s = (stretches){ .run = 1 };
    if (b->count < STRETCH_LEAST) return TAUT_OK;
    s->run = group_length(b);
    s->columns = k->slots + k->constants + 1;
    column *columns = taut_mem_new(context, s->columns, sizeof *columns);
    course *work = taut_mem_new(context, s->columns, sizeof *work);
    int status = columns && work ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        list_columns(b, k, s->run, columns);
        status = make(context, b, columns, work, s);
    }
    taut_mem_free(context, columns);
    taut_mem_free(context, work);
    return status;
}

void X(stretches_clear)(taut_context *context, stretches *s)
{
    taut_mem_free(context, s->first);
    taut_mem_free(context, s->courses);
    *s = (stretches){ .run = 1 };
}

course X(stretches_course)(const stretches *s, uint32_t stretch, const uint32_t *table, uint32_t width, uint32_t n)
{
    column t = { table + n, width, 0 };
    uint32_t first = s->first[stretch], end = s->first[stretch + 1];
    course c;
    if (!begin_course(&t, s->run, first, end, &c)) return (course){ 0 };
    for (uint32_t at = first; at < end; at += s->run)
        if (!continues(&t, s->run, first, at, &c)) return (course){ 0 };
    return c;
}
