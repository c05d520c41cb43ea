/* The model as data: how it is freed, and the names of its parts. */
#include "model/model.h"

#include <stdio.h>
#include <string.h>

void taut_model_free(model *m)
{
    if (!m) return;
    taut_context *context = m->context;
    while (m->text_pieces) {
        void *before;
        memcpy(&before, m->text_pieces, sizeof before);
        taut_mem_free(context, m->text_pieces);
        m->text_pieces = before;
    }
    taut_mem_free(context, m->groups);
    taut_mem_free(context, m->group_of);
    taut_mem_free(context, m->parameters);
    taut_mem_free(context, m->summands);
    taut_mem_free(context, m->embeddings);
    taut_mem_free(context, m->chart);
    taut_mem_free(context, m->ambient);
    taut_mem_free(context, m->constraints);
    taut_mem_free(context, m->contacts);
    taut_mem_free(context, m->forces);
    taut_mem_free(context, m->rates);
    taut_mem_free(context, m->observables);
    taut_mem_free(context, m->start_q);
    taut_mem_free(context, m->start_w);
    taut_mem_free(context, m->start_q1);
    taut_mem_free(context, m->texts);
    taut_mem_free(context, m->shapes);
    taut_mem_free(context, m->places);
    taut_mem_free(context, m->source);
    taut_graph_destroy(m->graph);
    taut_mem_free(context, m);
}

/* Pieces for a few names at first, and for many later. */
enum { TEXT_PIECE_LEAST = 200, TEXT_PIECE_MOST = 1 << 16 };

char *taut_model_text(model *m, const char *text)
{
    const size_t size = strlen(text) + 1;
    if (size > m->text_left) {
        size_t room = m->text_pieces ? TEXT_PIECE_MOST : TEXT_PIECE_LEAST;
        if (room < size) room = size;
        char *piece = taut_mem_resize(m->context, NULL, sizeof m->text_pieces + room, 1);
        if (!piece) return NULL;
        memcpy(piece, &m->text_pieces, sizeof m->text_pieces);
        m->text_pieces = piece;
        m->text_at = piece + sizeof m->text_pieces;
        m->text_left = room;
    }
    char *copy = memcpy(m->text_at, text, size);
    m->text_at += size;
    m->text_left -= size;
    return copy;
}

const group *taut_model_thin_body(const model *m)
{
    for (size_t i = 0; i < m->group_count; i++)
        if (m->groups[i].is_thin) return &m->groups[i];
    return NULL;
}

void taut_model_trim(model *m)
{
    taut_context *c = m->context;
    taut_mem_trim(c, &m->groups, &m->group_capacity, m->group_count, sizeof *m->groups);
    taut_mem_trim(c, &m->group_of, &m->group_of_capacity, m->coordinate_count, sizeof *m->group_of);
    taut_mem_trim(c, &m->summands, &m->summand_capacity, m->summand_count, sizeof *m->summands);
    taut_mem_trim(c, &m->constraints, &m->constraint_capacity, m->constraint_count, sizeof *m->constraints);
    taut_mem_trim(c, &m->forces, &m->force_capacity, m->force_count, sizeof *m->forces);
    taut_mem_trim(c, &m->start_q, &m->start_q_capacity, m->coordinate_count, sizeof *m->start_q);
    taut_mem_trim(c, &m->start_w, &m->start_w_capacity, m->coordinate_count, sizeof *m->start_w);
    taut_mem_trim(c, &m->shapes, &m->shape_capacity, m->shape_count, sizeof *m->shapes);
    taut_mem_trim(c, &m->places, &m->place_capacity, m->place_count, sizeof *m->places);
}

void taut_model_coordinate_name(const model *m, uint32_t coordinate, char *buffer, size_t size)
{
    const group *owner = &m->groups[m->group_of[coordinate]];
    uint32_t component = coordinate - owner->first;
    if (owner->type == GROUP_SCALAR) snprintf(buffer, size, "%s", owner->name);
    else snprintf(buffer, size, "%s.%c", owner->name, (owner->type == GROUP_ROTATION ? "wxyz" : "xyz")[component]);
}

void taut_model_namer(void *user, op o, kind k, uint32_t index, char *buffer, size_t size)
{
    const model *m = user;
    if (o == OP_PARAMETER && index < m->parameter_count) {
        snprintf(buffer, size, "%s", m->parameters[index].name);
    } else if (k == KIND_EMBEDDED || k == KIND_EMBEDDED_DOT) {
        size_t e = 0;
        while (e + 1 < m->embedding_count && m->embeddings[e + 1].first <= index) e++;
        snprintf(buffer, size, "%s.%c%s", m->embeddings[e].name, "xyz"[index - m->embeddings[e].first],
                 k == KIND_EMBEDDED ? "" : ".dot");
    } else if (k == KIND_CONTACT && index < m->contact_count) {
        snprintf(buffer, size, "lambda.%s", m->contacts[index].name);
    } else if (k == KIND_T) {
        snprintf(buffer, size, "t");
    } else if (k == KIND_LAMBDA && index < m->constraint_count) {
        snprintf(buffer, size, "lambda.%s", m->constraints[index].name);
    } else if ((k == KIND_Q || k == KIND_W) && index < m->coordinate_count) {
        char name[256];
        int momentum = m->has_momenta || m->form == FORM_HAMILTONIAN || m->form == FORM_RATES;
        taut_model_coordinate_name(m, index, name, sizeof name);
        if (k == KIND_Q) snprintf(buffer, size, "%s", name);
        else if (momentum) snprintf(buffer, size, "p.%s", name);
        else snprintf(buffer, size, "%s.dot", name);
    } else {
        snprintf(buffer, size, "variable%u.%u", (unsigned)k, (unsigned)index);
    }
}

long taut_model_find_parameter(const model *m, const char *name)
{
    for (size_t i = 0; i < m->parameter_count; i++)
        if (strcmp(m->parameters[i].name, name) == 0) return (long)i;
    return -1;
}

static wide parameter_value(void *user, op o, kind k, uint32_t index)
{
    const model *m = user;
    (void)k;
    return o == OP_PARAMETER ? m->parameters[index].value : (wide)NAN;
}

/* Each is a formula of those before it. */
int taut_model_derive_parameters(model *m, const unsigned char *is_set)
{
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < m->parameter_count; i++) {
        parameter *p = &m->parameters[i];
        if (p->is_set || p->is_input || !p->otherwise || (is_set && is_set[i])) continue;
        status = taut_expr_value(m->graph, p->otherwise, parameter_value, m, &p->value);
    }
    return status;
}

int taut_model_at_rest(const model *m, expr e, expr *rest)
{
    graph *g = m->graph;
    expr *nodes = NULL, *zeros = NULL;
    size_t count = 0, used = 0;
    int status = taut_expr_reachable(g, &e, 1, &nodes, &count);
    if (!status && !(zeros = taut_mem_new(m->context, count, sizeof *zeros))) status = TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; !status && i < count; i++) {
        const node *n = taut_graph_node(g, nodes[i]);
        if (n->op != OP_VARIABLE || n->b != KIND_W) continue;
        if (!(zeros[used] = taut_expr_number(g, 0))) status = TAUT_OUT_OF_MEMORY;
        nodes[used++] = nodes[i];
    }
    *rest = status ? 0 : taut_expr_substitute(g, e, nodes, zeros, used);
    if (*rest) *rest = taut_expr_simplify(g, *rest, NULL, NULL);
    taut_mem_free(m->context, zeros);
    if (nodes) taut_expr_list_free(g, nodes);
    return status ? status : *rest ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}
