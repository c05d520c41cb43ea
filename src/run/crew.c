#include "run/crew.h"

#include <string.h>

#include "base/pool.h"

/* Of a piece: all is in its own context, which lasts until the caller has looked at it. */
typedef struct {
    taut_context *context;
    int status;
    char *notes;          /* lines for the log, each with its zero */
    size_t count, capacity;
} outcome;

typedef struct {
    const crew *c;
    const model *m;
    crew_work work;
    void *self;
    outcome *outcomes;
} job;

static void keep_note(void *user, const char *line)
{
    outcome *o = user;
    const size_t size = strlen(line) + 1;
    if (taut_mem_grow(o->context, &o->notes, &o->capacity, o->count + size, 1)) return; /* the work will fail too */
    memcpy(o->notes + o->count, line, size);
    o->count += size;
}

/* The definitions are marked as they are used: each piece has its own. */
static int do_piece(const job *z, int index, outcome *o)
{
    taut_context *context = o->context;
    const size_t count = z->c->definition_count;
    definition *definitions = taut_mem_new(context, count, sizeof *definitions);
    model *m = NULL;
    if (!definitions) return TAUT_OUT_OF_MEMORY;
    if (count) memcpy(definitions, z->c->definitions, count * sizeof *definitions);
    int status = taut_model_read_text(context, z->m->file, z->m->source, z->m->source_size, definitions, count, &m);
    taut_context_log(context, keep_note, o); /* not before: what the script prints was said when the model was read */
    if (!status) status = z->work(z->self, index, m);
    taut_model_free(m);
    taut_mem_free(context, definitions);
    return status;
}

static void piece(void *self, int index, int worker)
{
    const job *z = self;
    outcome *o = &z->outcomes[index];
    (void)worker;
    o->context = taut_context_create(NULL);
    o->status = o->context ? do_piece(z, index, o) : TAUT_OUT_OF_MEMORY;
}

/* As if it had been done here: what it said, and how it failed. */
static int take_over(taut_context *context, const outcome *o)
{
    for (size_t at = 0; at < o->count; at += strlen(o->notes + at) + 1) taut_note_once(context, o->notes + at);
    if (!o->status) return TAUT_OK;
    return taut_fail(context, o->status, "%s", o->context ? taut_error_text(o->context) : "out of memory");
}

static void forget(outcome *o)
{
    if (o->context) taut_mem_free(o->context, o->notes);
    taut_context_destroy(o->context);
}

int taut_crew_is_several(const crew *c, const model *m)
{
    return c && c->threads > 1 && !taut_context_has_allocator(m->context);
}

static int in_threads(const crew *c, model *m, int pieces, crew_work work, void *self)
{
    taut_context *context = m->context;
    job z = { .c = c, .m = m, .work = work, .self = self };
    pool *p = NULL;
    z.outcomes = taut_mem_new(context, (size_t)pieces, sizeof *z.outcomes);
    int status = z.outcomes ? taut_pool_create(context, c->threads < pieces ? c->threads : pieces, &p)
                            : TAUT_OUT_OF_MEMORY;
    if (!status) taut_pool_run(p, pieces, piece, &z);
    taut_pool_destroy(p);
    for (int i = 0; !status && i < pieces; i++) status = take_over(context, &z.outcomes[i]);
    for (int i = 0; z.outcomes && i < pieces; i++) forget(&z.outcomes[i]);
    taut_mem_free(context, z.outcomes);
    return status;
}

int taut_crew_run(const crew *c, model *m, int pieces, crew_work work, void *self)
{
    if (taut_crew_is_several(c, m) && pieces > 1) return in_threads(c, m, pieces, work, self);
    int status = TAUT_OK;
    for (int i = 0; !status && i < pieces; i++) status = work(self, i, m);
    return status;
}
