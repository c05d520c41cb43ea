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

/* The course from `first` on, and where it ends, at most at `end`; all zero where the group itself is not
   arithmetic. */
static uint32_t follow_course(const column *t, uint32_t run, uint32_t first, uint32_t end, course *c)
{
    uint32_t at = first + run;
    if (!begin_course(t, run, first, end, c)) {
        *c = (course){ 0 };
        return at;
    }
    for (uint32_t base = c->base; at < end; at += run) {
        base += (uint32_t)c->outer;
        for (uint32_t m = 0; m < run; m++)
            if (entry(t, at + m) != base + (uint32_t)c->inner * m) return at;
    }
    return at;
}

/* Whether this column alone would have more stretches than `most`. */
static int breaks_often(const column *t, uint32_t run, uint32_t count, uint32_t most)
{
    uint32_t breaks = 0;
    course c;
    for (uint32_t at = 0; at < count && breaks <= most; breaks++) at = follow_course(t, run, at, count, &c);
    return breaks > most;
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

/* The end of the stretch that begins at `first`, and the courses of the columns that count. */
static uint32_t stretch_end(const column *columns, uint32_t used, uint32_t run, uint32_t first, uint32_t count,
                            course *courses)
{
    uint32_t end = count;
    for (uint32_t n = 0; n < used; n++)
        if (!columns[n].loose) end = follow_course(&columns[n], run, first, end, &courses[n]);
    for (uint32_t n = 0; n < used; n++)
        if (end - first == run) courses[n].outer = 0;
    return end;
}

static void list_columns(const batch *b, const kernel *k, uint32_t run, column *columns)
{
    uint32_t limit = b->count / run / GROUPS_LEAST + 1;
    for (uint32_t n = 0; n < k->slots; n++) columns[n] = (column){ b->variables + n, k->slots, 0 };
    for (uint32_t n = 0; n < k->constants; n++) columns[k->slots + n] = (column){ b->constants + n, k->constants, 0 };
    columns[k->slots + k->constants] = (column){ b->rows, 1, 0 };
    for (uint32_t n = 0; n <= k->slots + k->constants; n++)
        columns[n].loose = breaks_often(&columns[n], run, b->count, limit);
}

static int make(taut_context *context, const batch *b, const column *columns, stretches *s)
{
    size_t first_room = 0, course_room = 0, count = 0;
    const size_t most = b->count / s->run / 8;
    for (uint32_t at = 0; at < b->count; count++) {
        if (count == most) { /* none of them is worth while */
            taut_mem_free(context, s->first);
            taut_mem_free(context, s->courses);
            s->first = NULL, s->courses = NULL;
            return TAUT_OK;
        }
        if (taut_mem_grow(context, &s->first, &first_room, count + 2, sizeof *s->first)
            || taut_mem_grow(context, &s->courses, &course_room, (count + 1) * s->columns, sizeof *s->courses))
            return TAUT_OUT_OF_MEMORY;
        s->first[count] = at;
        s->first[count + 1] = at = stretch_end(columns, s->columns, s->run, at, b->count,
                                               s->courses + count * s->columns);
    }
    s->count = (uint32_t)count;
    for (uint32_t n = 0; n < s->count; n++)
        for (uint32_t c = 0; c < s->columns; c++)
            if (columns[c].loose)
                s->courses[(size_t)n * s->columns + c] =
                    X(stretches_course)(s, n, columns[c].at, columns[c].width, 0);
    taut_mem_trim(context, &s->first, &first_room, count + 1, sizeof *s->first);
    taut_mem_trim(context, &s->courses, &course_room, count * s->columns, sizeof *s->courses);
    return TAUT_OK;
}

int X(stretches_find)(taut_context *context, const batch *b, const kernel *k, stretches *s)
{
    *s = (stretches){ .run = 1 };
    if (b->count < STRETCH_LEAST) return TAUT_OK;
    s->run = group_length(b);
    s->columns = k->slots + k->constants + 1;
    column *columns = taut_mem_new(context, s->columns, sizeof *columns);
    int status = columns ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        list_columns(b, k, s->run, columns);
        status = make(context, b, columns, s);
    }
    taut_mem_free(context, columns);
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
    return follow_course(&t, s->run, first, end, &c) == end ? c : (course){ 0 };
}
