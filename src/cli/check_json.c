#include "cli/check_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/dirac.h"
#include "cli/answer.h"
#include "cli/cli.h"
#include "run/engine.h"

/* What the callbacks say, in their order. */
typedef enum { FOUND_START, FOUND_REDUNDANT, FOUND_CONSERVED, FOUND_METHOD } found_kind;
typedef struct {
    found_kind kind;
    char *name, *text;      /* text: what it depends on, why it is refused; or NULL */
    wide value;
    int number;             /* free; the line */
} found;

typedef struct {
    const model *m;
    found *items;
    size_t count, capacity;
    int out_of_memory;
} findings;

static void keep(findings *z, found_kind kind, const char *name, const char *text, wide value, int number)
{
    if (z->count == z->capacity) {
        const size_t capacity = z->capacity ? 2 * z->capacity : 64;
        found *room = realloc(z->items, capacity * sizeof *room);
        if (!room) {
            z->out_of_memory = 1;
            return;
        }
        z->items = room;
        z->capacity = capacity;
    }
    found item = { kind, strdup(name), text ? strdup(text) : NULL, value, number };
    if (!item.name || (text && !item.text)) z->out_of_memory = 1;
    z->items[z->count++] = item;
}

static void on_start(void *user, const char *name, wide value, int free)
{
    keep(user, FOUND_START, name, NULL, value, free);
}

static void on_redundant(void *user, uint32_t k, const char *on)
{
    const constraint *c = &((findings *)user)->m->constraints[k];
    keep(user, FOUND_REDUNDANT, c->name, on, 0, c->line);
}

static void on_conserved(void *user, const char *name) { keep(user, FOUND_CONSERVED, name, NULL, 0, 0); }

static void on_method(void *user, const char *name, const char *refusal)
{
    keep(user, FOUND_METHOD, name, refusal, 0, 0);
}

/* ---- the document ---- */

static void put_items(json *j, const findings *z, const char *key, found_kind kind)
{
    taut_json_open(j, key, '[');
    for (size_t i = 0; i < z->count; i++) {
        const found *f = &z->items[i];
        if (f->kind != kind) continue;
        if (kind == FOUND_CONSERVED) {
            taut_json_text(j, NULL, f->name);
            continue;
        }
        taut_json_open(j, NULL, '{');
        taut_json_text(j, "name", f->name);
        if (kind == FOUND_START) taut_json_wide(j, "value", f->value, 17), taut_json_flag(j, "free", f->number);
        if (kind == FOUND_REDUNDANT) taut_json_integer(j, "line", f->number), taut_json_text(j, "depends_on", f->text);
        if (kind == FOUND_METHOD) taut_json_flag(j, "suits", !f->text), taut_json_text(j, "refusal", f->text);
        taut_json_close(j, '}');
    }
    taut_json_close(j, ']');
}

static void put_structure(json *j, const model *m, const engine_check *c)
{
    static const char *const forms[] = { NULL, "lagrangian", "hamiltonian", "rates" };
    taut_json_text(j, "form", forms[m->form]);
    taut_json_flag(j, "phase_space", c->phase);
    taut_json_flag(j, "time_dependent", c->time_dependent);
    taut_json_flag(j, "forces", c->has_forces);
    taut_json_flag(j, "constant_mass", c->constant_mass);
    taut_json_flag(j, "diagonal_mass", c->diagonal_mass);
    taut_json_integer(j, "largest_mass_block", c->largest_block);
    taut_json_flag(j, "augmented_mass", c->augmented);
    taut_json_flag(j, "fast_path", c->explicit_force);
    taut_json_wide(j, "fastest_frequency", c->frequency > 0 ? c->frequency : (wide)NAN, 6);
    taut_json_integer(j, "terms", (long long)c->instances);
    taut_json_integer(j, "kernels", (long long)c->kernels);
    taut_json_integer(j, "constants", (long long)c->constants);
}

static void put_line(void *user, const char *text) { taut_json_text(user, NULL, text); }

static int put_dirac(json *j, model *m)
{
    dirac *d;
    int status = taut_dirac_analyse(m, &d);
    if (status) return status;
    taut_json_open(j, "dirac", '[');
    status = taut_dirac_report(d, NULL, put_line, j);
    taut_json_close(j, ']');
    taut_dirac_destroy(d);
    return status;
}

static int put_report(const findings *z, model *m, const engine_check *c, int dirac)
{
    json *j = answer_json();
    taut_json_integer(j, "coordinates", c->coordinates);
    taut_json_integer(j, "constraints", c->constraints);
    if (c->rank_known) taut_json_integer(j, "rank", c->rank);
    else taut_json_text(j, "rank", NULL);
    if (c->rank_known) taut_json_integer(j, "degrees_of_freedom", c->degrees_of_freedom);
    else taut_json_text(j, "degrees_of_freedom", NULL);
    taut_json_integer(j, "contacts", c->contacts);
    taut_json_integer(j, "closed_contacts", c->closed);
    put_items(j, z, "redundant", FOUND_REDUNDANT);
    put_structure(j, m, c);
    taut_json_flag(j, "energy_conserved", c->energy_conserved);
    put_items(j, z, "conserved", FOUND_CONSERVED);
    put_items(j, z, "methods", FOUND_METHOD);
    taut_json_flag(j, "start_consistent", !c->start_status);
    taut_json_open(j, "start_moved", '{');
    taut_json_wide(j, "positions", c->moved_q, 17);
    taut_json_wide(j, "velocities", c->moved_w, 17);
    taut_json_close(j, '}');
    put_items(j, z, "start", FOUND_START);
    if (dirac && put_dirac(j, m)) return complain(EXIT_FAILED, "%s", taut_error_text(m->context));
    if (z->out_of_memory) return complain(EXIT_FAILED, "out of memory");
    return c->start_status ? complain(EXIT_USAGE, "%s", c->start_text) : EXIT_DONE;
}

int check_answer(model *m, start_mode start, int dirac)
{
    findings z = { .m = m };
    engine_check c;
    answer_model(m);
    int status = taut_engine_double.check(m, start, &c, on_start, on_redundant, on_conserved, on_method, &z), code;
    if (status)
        code = complain(status == TAUT_OUT_OF_MEMORY ? EXIT_FAILED : EXIT_USAGE, "%s", taut_error_text(m->context));
    else code = put_report(&z, m, &c, dirac);
    for (size_t i = 0; i < z.count; i++) {
        free(z.items[i].name);
        free(z.items[i].text);
    }
    free(z.items);
    return code;
}
