#include "step/phase.h"

#include <stdio.h>
#include <string.h>

#include "step/chord.h"
#include "system/vector.h"

/* ---- vectors and places ---- */

const real *X(step_vector)(const step_work *w, int vector)
{
    const state *x = w->now.start;
    switch (vector) {
    case STEP_Q0: return x->q;
    case STEP_P0: return x->p;
    case STEP_W0: return x->w;
    case STEP_LAMBDA0: return x->lambda;
    case STEP_TREND0: return x->trend;
    default: return vector < 0 ? w->known[vector + STEP_KNOWN] : w->x + w->offsets[vector];
    }
}

static size_t size_of(const struct system *s, step_size size)
{
    return size == STEP_N ? s->n : size == STEP_C ? s->c : s->embedded;
}

size_t X(step_vector_length)(const step_work *w, int vector)
{
    if (vector >= 0) return size_of(w->s, w->table->groups[vector].size);
    if (vector == STEP_LAMBDA0 || vector == STEP_TREND0) return w->s->c;
    return vector == STEP_Y0 || vector == STEP_Y_RATE0 ? w->s->embedded : w->s->n;
}

/* As add_compensated would add the rest of the sum to q0 or p0, to the bit: the end of a step is where its last place
   was. */
void X(step_sum_value)(const step_work *w, const step_sum *sum, size_t length, real *out)
{
    const state *x = w->now.start;
    const real *base = NULL, *low = NULL, *vectors[STEP_PARTS];
    real factors[STEP_PARTS];
    int count = 0;
    for (int i = 0; i < sum->count; i++) {
        const step_part *part = &sum->parts[i];
        if (part->vector == STEP_Q0)
            base = x->q, low = x->q_low;
        else if (part->vector == STEP_P0)
            base = x->p, low = x->p_low;
        else
            vectors[count] = X(step_vector)(w, part->vector),
            factors[count++] = step_factor(w, part->coefficient, part->power);
    }
    pool *p = w->s->work->pool;
    if (base) {
        X(vector_move)(p, length, count, factors, vectors, base, low, out);
        return;
    }
    pool_clear(p, out, length * sizeof(real));
    for (int i = 0; i < count; i++) X(vector_add)(p, length, factors[i], vectors[i], out);
}

/* What comes behind the numbers of a slot. */
static const step_sum *more_of(const step_place *p, step_slot slot)
{
    static const step_sum none;
    return slot == STEP_Q ? &p->slots[STEP_Q_Y] : slot == STEP_W ? &p->slots[STEP_W_Y] : &none;
}

int X(step_slot_needs_room)(const step_place *p, step_slot slot)
{
    const step_sum *sum = &p->slots[slot];
    return sum->count
           && (sum->count > 1 || sum->parts[0].coefficient != 1 || sum->parts[0].power || more_of(p, slot)->count);
}

static const real *find_slot(step_work *w, int index, step_slot slot)
{
    const step_place *p = &w->table->places[index];
    const step_sum *sum = &p->slots[slot];
    if (!sum->count) return NULL;
    if (!X(step_slot_needs_room)(p, slot)) return X(step_vector)(w, sum->parts[0].vector);
    real *room = w->rooms[index][slot];
    size_t length = X(step_vector_length)(w, sum->parts[0].vector);
    X(step_sum_value)(w, sum, length, room);
    if (more_of(p, slot)->count) X(step_sum_value)(w, more_of(p, slot), w->s->embedded, room + length);
    return room;
}

void X(step_find_place)(step_work *w, int index)
{
    const step_place *p = &w->table->places[index];
    const state *x = w->now.start;
    w->times[index] = p->time == 1 ? w->t1 : x->t + (p->time * w->h + x->t_low);
    w->at[index] = place_at(w->s, find_slot(w, index, STEP_Q), find_slot(w, index, STEP_W), &w->times[index],
                            find_slot(w, index, STEP_LAMBDA));
}

/* ---- compilation: evaluations, uses, entries ---- */

static int in_phase(const step_compiled *p, int vector)
{
    return vector >= p->first_group && vector < p->first_group + p->group_count;
}

static int sum_moves(const step_compiled *p, const step_sum *sum)
{
    for (int i = 0; i < sum->count; i++)
        if (in_phase(p, sum->parts[i].vector)) return 1;
    return 0;
}

static int place_moves(const step_compiled *p, int place)
{
    for (int slot = 0; slot < STEP_SLOTS; slot++)
        if (sum_moves(p, &p->w->table->places[place].slots[slot])) return 1;
    return 0;
}

static int row_of(const step_compiled *p, int equation)
{
    int n = (int)p->w->s->n;
    if (equation >= 0) return p->rows[equation];
    if (p->index >= 0) return -1;
    return equation == STEP_RESULT_Q ? 0 : equation == STEP_RESULT_P ? n : 2 * n;
}

static void number_rows(step_compiled *p)
{
    const step_table *t = p->w->table;
    int row = 0;
    p->first_group = t->group_count;
    for (int g = t->group_count; g-- > 0;)
        if (t->groups[g].phase == p->index && p->index >= 0) {
            p->first_group = g;
            p->group_count++;
            p->size += (int)size_of(p->w->s, t->groups[g].size);
            if (t->groups[g].measure != STEP_NOT_MEASURED) p->measured[t->groups[g].measure] = 1;
        }
    for (int e = 0; e < t->equation_count; e++) {
        p->rows[e] = -1;
        if (t->equations[e].phase != p->index) continue;
        p->rows[e] = row;
        row += (int)size_of(p->w->s, t->equations[e].size);
    }
    if (p->index < 0) p->size = 2 * (int)p->w->s->n + 1;
}

static void add_place(step_compiled *p, int place)
{
    for (int i = 0; i < p->place_count; i++)
        if (p->places[i] == place) return;
    p->places[p->place_count] = place;
    if (place_moves(p, place)) {
        p->places[p->place_count] = p->places[p->moving_count];
        p->places[p->moving_count++] = place;
    }
    p->place_count++;
}

/* Whether two terms are one function at one place. */
static int same_evaluation(const step_term *a, const step_term *b)
{
    return a->function == b->function && a->place == b->place;
}

static void add_evaluation(step_compiled *p, const step_term *term)
{
    const step_work *w = p->w;
    const step_table *t = w->table;
    int vector = term->function == STEP_VECTOR;
    step_evaluation *e = &p->evaluations[p->evaluation_count++];
    *e = (step_evaluation){ .function = term->function, .place = term->place, .first_use = p->use_count };
    e->constant = vector ? !in_phase(p, term->place) : !place_moves(p, term->place);
    e->length = vector ? X(step_vector_length)(w, term->place)
                       : X(step_function_length)(w->s->n, w->s->c, w->s->embedded, term->function);
    if (!vector) add_place(p, term->place);
    for (int i = 0; i < t->term_count; i++)
        if (same_evaluation(&t->terms[i], term) && row_of(p, t->terms[i].equation) >= 0)
            p->uses[p->use_count++] =
                (step_use){ row_of(p, t->terms[i].equation), t->terms[i].power, t->terms[i].coefficient };
    e->use_count = p->use_count - e->first_use;
}

static void list_evaluations(step_compiled *p)
{
    const step_table *t = p->w->table;
    for (int i = 0; i < t->term_count; i++) {
        const step_term *term = &t->terms[i];
        int known = row_of(p, term->equation) < 0 || X(step_function_empty)(p->w->s, term->function)
                    || (term->function == STEP_VECTOR && !X(step_vector_length)(p->w, term->place));
        for (int k = 0; !known && k < i; k++)
            known = row_of(p, t->terms[k].equation) >= 0 && same_evaluation(&t->terms[k], term);
        if (!known) add_evaluation(p, term);
    }
    if (t->from >= 0) add_place(p, t->from);
}

static void add_entry(step_compiled *p, const step_use *use, const block_shape *block, kind by, int group,
                      real coefficient, int power)
{
    int column = (int)(p->w->offsets[group] - p->w->offsets[p->first_group]);
    assembly_entry at = { block, use->row, column, use->power + power, use->coefficient * coefficient, -1 };
    p->entries[p->entry_count++] = (step_entry){ at, by };
}

static void list_entries_of(step_compiled *p, step_evaluation *e)
{
    static const struct {
        kind by;
        step_slot slot;
    } kinds[] = { { KIND_Q, STEP_Q }, { KIND_W, STEP_W }, { KIND_LAMBDA, STEP_LAMBDA } };
    const step_work *w = p->w;
    const step_use *first = p->uses + e->first_use, *end = first + e->use_count;
    e->first_entry = p->entry_count;
    for (const step_use *use = first; !e->constant && e->function == STEP_VECTOR && use < end; use++)
        add_entry(p, use, &w->functions->identities[w->table->groups[e->place].size], KIND_Q, e->place, 1, 0);
    for (int i = 0; !e->constant && e->function != STEP_VECTOR && i < 3; i++) {
        const block_shape *block = X(step_function_block)(w->functions, e->function, kinds[i].by);
        const step_sum *sum = &w->table->places[e->place].slots[kinds[i].slot];
        for (int k = 0; block && k < sum->count; k++)
            for (const step_use *use = first; in_phase(p, sum->parts[k].vector) && use < end; use++)
                add_entry(p, use, block, kinds[i].by, sum->parts[k].vector, sum->parts[k].coefficient,
                          sum->parts[k].power);
    }
    e->entry_count = p->entry_count - e->first_entry;
}

static size_t count_entries(const step_compiled *p)
{
    size_t count = 0;
    for (int i = 0; i < p->evaluation_count; i++) {
        const step_evaluation *e = &p->evaluations[i];
        size_t parts = 1;
        for (int slot = 0; e->function != STEP_VECTOR && slot < STEP_SLOTS; slot++)
            parts += (size_t)p->w->table->places[e->place].slots[slot].count;
        count += parts * (size_t)e->use_count;
    }
    return count;
}

/* ---- which solver ---- */

#define CHORD_LEAST 200 /* unknowns; small matrices are cheap, and better ones save iterations */

static int is_identity(const step_compiled *p, const block_shape *b)
{
    return b >= p->w->functions->identities && b < p->w->functions->identities + STEP_SIZES;
}

/* Every equation is its unknown minus what is known. */
static int is_explicit(const step_compiled *p)
{
    for (int i = 0; i < p->entry_count; i++) {
        const assembly_entry *e = &p->entries[i].at;
        if (!is_identity(p, e->block) || e->coefficient != 1 || e->power || e->row != e->column) return 0;
    }
    return 1;
}

/* The parts of the saddle-point problem of kkt.h: pi_w w - k phi_lambda mu, G v, v - nu_w w. */
enum { SADDLE_PI = 1, SADDLE_FORCE = 2, SADDLE_G = 4, SADDLE_V = 8, SADDLE_NU = 16, SADDLE_NONE = 0 };

static int saddle_part(const step_compiled *p, const assembly_entry *e)
{
    const struct system *s = p->w->s;
    const block_shape *b = s->blocks;
    int own_velocity = s->form != FORM_LAGRANGIAN, n = (int)s->n, multipliers = own_velocity ? 2 * n : n;
    if (!e->row && e->column == multipliers
        && (e->block == &b[BLOCK_PHI_LAMBDA] || e->block == &b[BLOCK_CONSTRAINT_FORCE_LAMBDA]))
        return SADDLE_FORCE;
    if (e->power) return SADDLE_NONE;
    if (e->block == &b[BLOCK_PI_W] && !e->row && !e->column && e->coefficient == 1) return SADDLE_PI;
    if (e->block == &b[BLOCK_G] && e->row == multipliers && e->column == multipliers - n && e->coefficient == 1)
        return SADDLE_G;
    if (!own_velocity || e->row != n) return SADDLE_NONE;
    if (is_identity(p, e->block) && e->column == n && e->coefficient == 1) return SADDLE_V;
    return e->block == &b[BLOCK_NU_W] && !e->column && e->coefficient == -1 ? SADDLE_NU : SADDLE_NONE;
}

/* Is the matrix that of kkt.h, and nothing else? */
static int is_saddle(step_compiled *p)
{
    int own_velocity = p->w->s->form != FORM_LAGRANGIAN, found = 0;
    if (!p->w->s->c || p->group_count != (own_velocity ? 3 : 2)) return 0;
    for (int i = 0; i < p->evaluation_count; i++)
        for (int k = 0; k < p->evaluations[i].entry_count; k++) {
            const assembly_entry *e = &p->entries[p->evaluations[i].first_entry + k].at;
            int part = saddle_part(p, e);
            if (part == SADDLE_NONE) return 0;
            if (part == SADDLE_PI) p->saddle_momentum = i;
            if (part == SADDLE_FORCE) p->saddle_force = i, p->saddle_multiplier = e;
            found |= part;
        }
    return found == (SADDLE_PI | SADDLE_FORCE | SADDLE_G | (own_velocity ? SADDLE_V | SADDLE_NU : 0));
}

/* Which rows and columns belong to which coordinates and constraints. */
static int expect_nodes(step_compiled *p)
{
    const step_work *w = p->w;
    const step_table *t = w->table;
    int status = X(assembly_expect_nodes)(p->matrix, w->s);
    for (int g = p->first_group; !status && g < p->first_group + p->group_count; g++)
        if (t->groups[g].size != STEP_Y)
            X(assembly_columns)(p->matrix, (int)(w->offsets[g] - w->offsets[p->first_group]),
                                t->groups[g].size == STEP_C);
    for (int e = 0; !status && e < t->equation_count; e++)
        if (p->rows[e] >= 0 && t->equations[e].size != STEP_Y)
            X(assembly_rows)(p->matrix, p->rows[e], t->equations[e].size == STEP_C);
    return status;
}

/* Entries of the elements, or of the blocks. */
static int declare_entries(step_compiled *p)
{
    int status = TAUT_OK, *row, *column;
    if (p->elements) {
        status = X(assembly_add_entries)(p->matrix, X(element_phase_entries)(p->elements, NULL, NULL), &row, &column);
        if (!status) X(element_phase_entries)(p->elements, row, column);
        return status;
    }
    for (int i = 0; !status && i < p->entry_count; i++) {
        assembly_entry *e = &p->entries[i].at;
        status = X(assembly_add)(p->matrix, e->block, e->row, e->column, &e->id);
    }
    return status;
}

/* Work is no sum over elements. */
static int has_work(const step_compiled *p)
{
    const step_table *t = p->w->table;
    for (int i = 0; i < t->term_count; i++)
        if (t->terms[i].equation == STEP_RESULT_WORK && !X(step_function_empty)(p->w->s, t->terms[i].function)) return 1;
    return 0;
}

static element_part part_of(const step_compiled *p)
{
    const step_work *w = p->w;
    const step_table *t = w->table;
    element_part part = { .s = w->s, .table = t, .graph = w->graph, .offsets = w->offsets, .size = p->size,
                          .first_group = p->first_group, .group_count = p->group_count,
                          .pushes = p->measured[STEP_MOMENTUM] };
    for (int e = 0; e < t->equation_count; e++)
        if (p->rows[e] >= 0)
            part.equations[part.equation_count++] = (element_rows){ e, p->rows[e], t->equations[e].size };
    if (p->index == t->phase_count - 1 && !has_work(p)) {
        part.results[part.result_count++] = (element_rows){ STEP_RESULT_Q, 0, STEP_N };
        part.results[part.result_count++] = (element_rows){ STEP_RESULT_P, (int)w->s->n, STEP_N };
    }
    return part;
}

static int create_matrix(step_compiled *p)
{
    int status = X(assembly_create)(p->w->s->context, p->size, &p->matrix);
    if (!status) status = expect_nodes(p);
    if (!status) status = declare_entries(p);
    if (!status) status = X(softened_prepare)(p);
    if (status) return status;
    /* what softening adds is no pivot: there, too, the diagonal is no guide */
    if (p->w->table->phases[p->index].many_zeros || p->softened.count) X(assembly_expect_zeros)(p->matrix);
    status = X(assembly_fix)(p->matrix, 0);
    if (!status && p->elements) {
        const element_part part = part_of(p);
        status = X(clusters_create)(&part, p->elements, p->softened.count > 0, &p->clusters);
    }
    if (!status && !p->clusters) status = X(assembly_analyse)(p->matrix); /* with clusters: when they fail, if ever */
    return status || !p->elements ? status : X(element_phase_place)(p->elements, X(assembly_places)(p->matrix));
}

static int create_elements(step_compiled *p)
{
    const element_part part = part_of(p);
    return p->w->graph ? X(element_phase_create)(&part, &p->elements) : TAUT_OK;
}

/* With constant mass in small blocks the saddle-point problem is one for the multipliers alone. */
static int create_solver(step_compiled *p)
{
    if (p->index < 0) return TAUT_OK;
    p->solver = is_explicit(p) ? STEP_EXPLICIT : is_saddle(p) ? STEP_SADDLE : STEP_SPARSE;
    if (p->solver == STEP_EXPLICIT) return TAUT_OK;
    int status = p->solver == STEP_SPARSE && p->size >= CHORD_LEAST ? X(chord_create)(p, &p->chord) : TAUT_OK;
    if (!status && !p->chord && !p->w->s->inverse_mass) status = create_elements(p);
    if (p->elements) p->solver = STEP_SPARSE;
    if (status) return status;
    return p->solver == STEP_SADDLE ? X(kkt_create)(p->w->s, &p->kkt) : create_matrix(p);
}

int X(step_phase_compile)(step_work *w, int index, step_compiled *p)
{
    taut_context *context = w->s->context;
    size_t terms = (size_t)w->table->term_count;
    *p = (step_compiled){ .w = w, .index = index };
    number_rows(p);
    p->evaluations = taut_mem_new(context, terms, sizeof *p->evaluations);
    p->uses = taut_mem_new(context, terms, sizeof *p->uses);
    if (!p->evaluations || !p->uses) return TAUT_OUT_OF_MEMORY;
    list_evaluations(p);
    p->entries = taut_mem_new(context, count_entries(p), sizeof *p->entries);
    if (!p->entries) return TAUT_OUT_OF_MEMORY;
    for (int i = 0; i < p->evaluation_count; i++) {
        step_evaluation *e = &p->evaluations[i];
        list_entries_of(p, e);
        if (e->function == STEP_RATE) p->g_fixed = !sum_moves(p, &w->table->places[e->place].slots[STEP_Q]);
    }
    return create_solver(p);
}

void X(step_phase_clear)(step_compiled *p)
{
    if (!p->w) return;
    taut_context *context = p->w->s->context;
    taut_mem_free(context, p->evaluations);
    taut_mem_free(context, p->uses);
    taut_mem_free(context, p->entries);
    X(softened_clear)(p);
    X(element_phase_destroy)(p->elements);
    X(clusters_destroy)(p->clusters);
    X(assembly_destroy)(p->matrix);
    X(chord_destroy)(p->chord);
    X(kkt_destroy)(p->kkt);
    *p = (step_compiled){ 0 };
}

/* ---- numbers in the workspace ---- */

static size_t g_numbers(const step_compiled *p) { return (size_t)p->w->s->blocks[BLOCK_G].value_count; }

size_t X(step_phase_numbers)(const step_compiled *p)
{
    size_t n = p->w->s->n, longest = n + p->w->s->embedded + p->w->s->c;
    return 2 * (size_t)p->size + g_numbers(p) + n + longest + X(softened_room)(p);
}

void X(step_phase_place)(step_compiled *p, real *numbers)
{
    if (!numbers) return; /* counting */
    p->fixed = numbers;
    p->g = p->fixed + p->size;
    p->saddle_room = p->g + g_numbers(p);
    p->sizes = p->saddle_room + p->w->s->n;
    p->spare = p->sizes + p->size + p->w->s->n + p->w->s->embedded + p->w->s->c;
}

/* ---- values ---- */

static real largest_of(pool *p, real most, real scale, const real *x, size_t count)
{
    return real_most(most, scale * X(vector_largest)(p, count, x));
}

static void evaluate(step_compiled *p, const step_evaluation *e, real *out)
{
    step_work *w = p->w;
    pool *by = w->s->work->pool;
    const real *value = w->value;
    if (e->function == STEP_VECTOR) {
        value = X(step_vector)(w, e->place);
    } else {
        if (e->function == STEP_RATE && !p->g_fixed) X(system_block_values)(w->s, BLOCK_G, &w->at[e->place], p->g);
        w->now.g = p->g;
        X(step_function_value)(w->functions, e->function, &w->now, &w->at[e->place], w->value);
    }
    for (int u = e->first_use; u < e->first_use + e->use_count; u++) {
        real factor = step_factor(w, p->uses[u].coefficient, p->uses[u].power), *row = out + p->uses[u].row;
        X(vector_add)(by, e->length, factor, value, row);
        if (e->function == STEP_VECTOR && e->place == STEP_P0)
            X(vector_add)(by, e->length, factor, w->now.start->p_low, row);
        if (p->measured[STEP_MOMENTUM] && X(step_function_pushes)(e->function))
            w->push = largest_of(by, w->push, factor, value, e->length);
    }
}

static real ratio(real moved, real largest) { return largest > 0 ? moved / largest : moved > 0 ? 1 : moved; }

/* What corrections are compared with, as far as it is known when a phase begins. Velocities that would take more than
   10^5 steps for the distance from the origin count as that fast: the rounding of positions is in them. */
static void begin_measures(step_compiled *p)
{
    const step_work *w = p->w;
    const state *from = w->now.start;
    pool *by = w->s->work->pool;
    real reach = largest_of(by, w->s->least, 1, from->q, from->n);
    p->largest[STEP_MOVES] = reach;
    p->largest[STEP_VELOCITY] = REAL(fabs)(reach / (100000 * w->h));
    if (p->measured[STEP_VELOCITY] && w->s->form == FORM_LAGRANGIAN)
        p->largest[STEP_VELOCITY] = largest_of(by, p->largest[STEP_VELOCITY], 1, from->w, from->n);
    p->largest[STEP_MOMENTUM] = p->measured[STEP_MOMENTUM] ? largest_of(by, 0, 1, from->p, from->n) : 0;
}

void X(step_phase_begin)(step_compiled *p)
{
    step_work *w = p->w;
    for (int i = 0; i < p->place_count; i++) X(step_find_place)(w, p->places[i]);
    if (w->table->from >= 0) w->now.from = &w->at[w->table->from];
    pool_clear(w->s->work->pool, p->fixed, (size_t)p->size * sizeof(real));
    p->chord_tried = 0;
    p->at_work = NEWTON_EXACT;
    p->softened.choose = w->s->softening != NULL;
    w->push = 0;
    begin_measures(p);
    p->clusters_at_work = p->elements_begun = 0;
    p->correction = 0;
    if (p->elements && !w->by_fields) return;
    for (int i = 0; i < p->evaluation_count; i++) {
        const step_evaluation *e = &p->evaluations[i];
        if (e->function == STEP_RATE && p->g_fixed) X(system_block_values)(w->s, BLOCK_G, &w->at[e->place], p->g);
        if (e->constant) evaluate(p, e, p->fixed);
    }
}

void X(step_move_places)(step_compiled *p)
{
    for (int i = 0; i < p->moving_count; i++) X(step_find_place)(p->w, p->places[i]);
}

/* Before elements are asked: where clusters do the work, nobody asks them. */
static void begin_elements(step_compiled *p)
{
    if (!p->elements_begun) X(element_phase_begin)(p->elements, &p->w->elements);
    p->elements_begun = 1;
}

void X(step_phase_residual)(step_compiled *p, real *out)
{
    if (p->elements && !p->w->by_fields) {
        begin_elements(p);
        X(element_phase_residual)(p->elements, &p->w->elements, out, &p->w->push);
        return;
    }
    X(step_move_places)(p);
    pool_copy(p->w->s->work->pool, out, p->fixed, (size_t)p->size * sizeof(real));
    for (int i = 0; i < p->evaluation_count; i++)
        if (!p->evaluations[i].constant) evaluate(p, &p->evaluations[i], out);
}

/* ---- Newton's iteration, on the unknowns in the workspace ---- */

static int residual(void *self, const real *x, real *out)
{
    step_compiled *p = self;
    (void)x;
    if (p->clusters_at_work)
        X(clusters_residual)(p->clusters, &p->w->elements, &p->w->push);
    else
        X(step_phase_residual)(p, out);
    return TAUT_OK;
}

/* Where clusters have the unknowns, and what the equations miss. */
static int whole_residual(void *self, const real *x, real *out)
{
    step_compiled *p = self;
    (void)x;
    if (p->clusters_at_work) X(clusters_write)(p->clusters, p->w->x);
    X(step_phase_residual)(p, out);
    return TAUT_OK;
}

static int corrects(void *self) { return ((const step_compiled *)self)->clusters_at_work; }

void X(step_phase_end)(step_compiled *p)
{
    if (p->clusters_at_work) X(clusters_write)(p->clusters, p->w->x);
}

int X(step_phase_results)(step_compiled *p, real *out)
{
    step_work *w = p->w;
    if (!p->elements || w->by_fields || !X(element_phase_has_results)(p->elements)) return 0;
    out[2 * (size_t)w->s->n] = 0;
    if (p->clusters_at_work) {
        X(clusters_results)(p->clusters, &w->elements, out);
        return 1;
    }
    begin_elements(p);
    memset(out, 0, 2 * (size_t)w->s->n * sizeof *out);
    X(element_phase_results)(p->elements, &w->elements, out);
    return 1;
}

static void put_entries(step_compiled *p, const step_evaluation *e)
{
    step_work *w = p->w;
    const step_entry *entry = p->entries + e->first_entry, *end = entry + e->entry_count, *known = NULL;
    const place *at = e->function == STEP_VECTOR ? NULL : &w->at[e->place];
    for (; entry < end; known = entry++) {
        if (!at)
            for (int k = 0; k < entry->at.block->value_count; k++) w->block[k] = 1;
        else if (!known || known->by != entry->by)
            X(block_values_between)(entry->at.block, w->now.from ? w->now.from : at, at, w->block);
        X(assembly_put)(p->matrix, entry->at.id, step_factor(w, entry->at.coefficient, entry->at.power), w->block);
    }
}

/* First the chord. Where its corrections stagnate, it is the round-off of g that it turns into multipliers, and these
   meet slightly wrong Jacobians: corrections of the other unknowns alone settle that. Nonzero: done. */
static int choose_chord(step_compiled *p, int *status)
{
    int usable = 0;
    *status = TAUT_OK;
    if (p->chord_tried == 1 && p->at_work == NEWTON_ROUGH && p->correction <= REAL(sqrt)(REAL_EPSILON)) {
        p->chord_tried = 2;
        p->at_work = NEWTON_SETTLES;
        return 1;
    }
    if (p->chord_tried) return 0;
    p->chord_tried = 1;
    *status = X(chord_factor)(p->chord, &usable);
    if (*status == TAUT_SINGULAR) *status = TAUT_OK; /* the full matrix has the last word */
    if (usable) p->at_work = NEWTON_ROUGH;
    return usable || *status;
}

static int factor_whole(step_compiled *p)
{
    step_work *w = p->w;
    int status = X(assembly_analyse)(p->matrix);
    if (status) return status;
    X(assembly_zero)(p->matrix);
    if (p->elements) {
        begin_elements(p);
        X(element_phase_matrix)(p->elements, &w->elements, X(assembly_values)(p->matrix));
    }
    for (int i = 0; !p->elements && i < p->evaluation_count; i++) put_entries(p, &p->evaluations[i]);
    X(softened_put)(p);
    status = X(assembly_factor)(p->matrix);
    if (status != TAUT_SINGULAR) return status;
    return taut_fail(w->s->context, TAUT_SINGULAR,
                     "at t = %.9g: the equations of the step are singular; the constraints, the mass matrix or the "
                     "dependence of forces on multipliers lose rank here, or the step is too large: try a smaller one",
                     (double)w->now.start->t);
}

/* Of sizes by group: the largest one relative to what it is compared with. */
static real size_of_correction(const step_compiled *p, const cluster_size *sizes)
{
    const step_work *w = p->w;
    real moved[STEP_MEASURES] = { 0 }, largest[STEP_MEASURES], size = 0;
    memcpy(largest, p->largest, sizeof largest);
    largest[STEP_MOMENTUM] = real_most(largest[STEP_MOMENTUM], w->push);
    for (int g = p->first_group; g < p->first_group + p->group_count; g++) {
        const step_group *group = &w->table->groups[g];
        const cluster_size *of = &sizes[g - p->first_group];
        real scale = group->measure == STEP_MOVES ? step_factor(w, group->scale.coefficient, group->scale.power) : 1;
        if (group->measure == STEP_NOT_MEASURED) continue;
        largest[group->measure] = real_most(largest[group->measure], scale * of->largest);
        moved[group->measure] = real_most(moved[group->measure], scale * of->moved);
    }
    for (int i = 0; i < STEP_MEASURES; i++)
        if (p->measured[i]) size = real_most(size, ratio(moved[i], largest[i]));
    return size;
}

static real measure(void *self, const real *x, const real *change)
{
    step_compiled *p = self;
    const step_work *w = p->w;
    pool *by = w->s->work->pool;
    for (int g = p->first_group; !p->clusters_at_work && g < p->first_group + p->group_count; g++) {
        const step_group *group = &w->table->groups[g];
        const size_t count = size_of(w->s, group->size), at = w->offsets[g] - w->offsets[p->first_group];
        if (group->measure == STEP_NOT_MEASURED) continue;
        p->sizes_by_group[g - p->first_group] =
            (cluster_size){ X(vector_largest)(by, count, x + at), X(vector_largest)(by, count, change + at) };
    }
    return p->correction = size_of_correction(p, p->sizes_by_group);
}

/* Beyond this a prediction says more of multipliers than of the motion. */
#define PREDICTED_MOST ((real)1e-2)

static void begin_clusters(step_compiled *p)
{
    const element_step *now = &p->w->elements;
    X(clusters_begin)(p->clusters, now);
    p->clusters_at_work = 1;
    if (X(clusters_predict)(p->clusters, now, p->sizes_by_group)
        && size_of_correction(p, p->sizes_by_group) <= PREDICTED_MOST)
        X(clusters_accept)(p->clusters);
}

/* The whole matrix takes over: from here, or from where the phase began, to which large corrections by a rough matrix lead
   back (newton.c). */
static void leave_clusters(step_compiled *p, int was_slow)
{
    if (!was_slow || p->correction <= REAL(sqrt)(REAL_EPSILON)) X(clusters_write)(p->clusters, p->w->x);
    p->clusters_at_work = 0;
    p->clusters_failed = 1;
}

static int factor(void *self, const real *x)
{
    step_compiled *p = self;
    step_work *w = p->w;
    int status = TAUT_OK;
    (void)x;
    if (!p->elements) X(step_move_places)(p);
    if (p->solver == STEP_SADDLE) {
        place at = w->at[p->evaluations[p->saddle_momentum].place];
        at.x[KIND_LAMBDA] = w->at[p->evaluations[p->saddle_force].place].x[KIND_LAMBDA];
        return X(kkt_factor)(p->kkt, &at);
    }
    if (p->chord && choose_chord(p, &status)) return status;
    p->at_work = NEWTON_EXACT;
    if (p->clusters && !p->clusters_failed && !w->by_fields && !w->by_whole_matrices) {
        const int is_rough = X(clusters_are_rough)(p->clusters), was_slow = is_rough && p->clusters_at_work;
        int usable = 0;
        if (!p->clusters_at_work) begin_clusters(p);
        if (!was_slow)
            status = X(clusters_factor)(p->clusters, &w->elements, p->softened.count ? X(softened_weights)(p) : NULL,
                                        &usable);
        if (usable && is_rough) p->at_work = NEWTON_ROUGH;
        if (status || usable) return status;
        /* corrections have led astray: the phase begins again (stepper.c) */
        if (!was_slow && p->correction > REAL(sqrt)(REAL_EPSILON)) return TAUT_NO_CONVERGENCE;
        leave_clusters(p, was_slow);
    }
    return factor_whole(p);
}

/* The first one chooses among multipliers that make the same force. */
static int solve_clusters(step_compiled *p, int chooses, real *out)
{
    step_work *w = p->w;
    int status = X(clusters_solve)(p->clusters, &w->elements);
    if (!status && chooses && p->softened.count && !p->softened.stress)
        status = X(clusters_choose)(p->clusters, p->softened.t, w->x);
    if (!status && chooses && p->softened.stress) {
        X(clusters_write)(p->clusters, w->x);
        X(step_move_places)(p);
        X(clusters_take_multipliers)(p->clusters, out);
        status = X(softened_choose)(p, w->x + w->offsets[p->first_group], out, p->spare);
        if (!status) X(clusters_put_multipliers)(p->clusters, out);
    }
    if (!status) X(clusters_correct)(p->clusters, w->x, p->sizes_by_group);
    return status;
}

static int solve(void *self, real *out)
{
    step_compiled *p = self;
    step_work *w = p->w;
    size_t n = w->s->n;
    if (p->solver == STEP_EXPLICIT) return TAUT_OK; /* the matrix is the identity */
    /* the corrections that follow remove what the first choice does to the motion */
    real *unknowns = p->softened.choose ? w->x + w->offsets[p->first_group] : NULL;
    p->softened.choose = 0;
    if (p->clusters_at_work) return solve_clusters(p, unknowns != NULL, out);
    if (p->solver == STEP_SPARSE && p->at_work != NEWTON_EXACT) {
        int status = X(chord_solve)(p->chord, p->at_work == NEWTON_SETTLES, out);
        return status ? status : X(chord_choose)(p->chord, unknowns, out);
    }
    if (p->solver == STEP_SPARSE) {
        int status = X(assembly_solve)(p->matrix, out);
        return status || !p->softened.count ? status : X(softened_choose)(p, unknowns, out, p->spare);
    }
    int own_velocity = w->s->form != FORM_LAGRANGIAN;
    real *v = own_velocity ? out + n : p->saddle_room, *mu = out + (own_velocity ? 2 : 1) * n;
    if (!own_velocity) memset(v, 0, n * sizeof(real));
    int status = X(kkt_solve)(p->kkt, out, v, mu);
    real scale = -step_factor(w, p->saddle_multiplier->coefficient, p->saddle_multiplier->power);
    for (uint32_t k = 0; !status && k < w->s->c; k++) mu[k] /= scale;
    return status ? status : X(kkt_choose)(p->kkt, unknowns ? unknowns + (mu - out) : NULL, mu);
}

static void name(void *self, int row, char *buffer, size_t size)
{
    step_compiled *p = self;
    const step_work *w = p->w;
    int e = 0;
    for (int i = 0; i < w->table->equation_count; i++)
        if (p->rows[i] >= 0 && p->rows[i] <= row && size_of(w->s, w->table->equations[i].size)) e = i;
    const step_equation *equation = &w->table->equations[e];
    char item[150];
    if (equation->size == STEP_C)
        X(system_constraint_name)(w->s, (uint32_t)(row - p->rows[e]), item, sizeof item);
    else if (equation->size == STEP_N)
        X(system_coordinate_name)(w->s, (uint32_t)(row - p->rows[e]), item, sizeof item);
    else
        snprintf(item, sizeof item, "component %d of the embedded points", row - p->rows[e] + 1);
    int written = snprintf(buffer, size, "%s%s", equation->name, item);
    if (equation->point && written > 0 && (size_t)written < size)
        snprintf(buffer + written, size - (size_t)written, " at point %d", equation->point);
}

static newton_matrix kind_of_matrix(void *self) { return ((step_compiled *)self)->at_work; }

/* Of what the corrections move, in the measures of the phase. Not of multipliers: what softened matrices miss is seen in
   the motion, and round-off moves those that make no force. */
real X(step_phase_product)(void *self, const real *a, const real *b)
{
    const step_compiled *p = self;
    const step_work *w = p->w;
    real sum = 0;
    for (int g = p->first_group; g < p->first_group + p->group_count; g++) {
        const step_group *group = &w->table->groups[g];
        if (group->measure == STEP_NOT_MEASURED || group->size == STEP_C) continue;
        const size_t count = size_of(w->s, group->size), at = w->offsets[g] - w->offsets[p->first_group];
        const real largest = real_most(p->largest[group->measure], w->s->least);
        real scale = group->measure == STEP_MOVES ? step_factor(w, group->scale.coefficient, group->scale.power) : 1;
        scale /= largest;
        for (size_t i = at; i < at + count; i++) sum += scale * a[i] * (scale * b[i]);
    }
    return sum;
}

newton_problem X(step_phase_problem)(step_compiled *p)
{
    return (newton_problem){ .self = p, .size = p->size, .residual = residual,
                             .factor = p->solver == STEP_EXPLICIT ? NULL : factor, .solve = solve, .measure = measure,
                             .name = name, .is_round_off = X(step_phase_is_round_off), .kind = p->chord || p->clusters ? kind_of_matrix : NULL,
                             .whole = whole_residual, .corrects = corrects };
}
