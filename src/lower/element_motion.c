/* d pi/dt = phi and d/dt (dg/dt) = 0 as one phase of a table, whose unknowns are dw/dt and the multipliers. */
#include "lower/element_motion.h"

#include <string.h>

#include "base/room.h"
#include "lower/clusters.h"

enum { RATES, LAMBDA, GROUPS };
enum { HERE, ALONG };
enum { CORRECTIONS_MOST = 6 };

struct element_motion {
    struct system *s;
    step_table *table;
    element_graph graph;
    size_t offsets[GROUPS + 1];
    clusters *clusters;
    real *unknowns;
    void *room;
};

static void make_table(step_table *t)
{
    X(step_table_begin)(t);
    X(step_add_phase)(t, "multipliers");
    X(step_add_group)(t, 0, STEP_N), X(step_add_group)(t, 0, STEP_C);
    X(step_add_place)(t, 0), X(step_add_place)(t, 0);
    X(step_put)(t, HERE, STEP_Q, STEP_Q0, 1, 0), X(step_put)(t, HERE, STEP_W, STEP_W0, 1, 0);
    X(step_put)(t, HERE, STEP_LAMBDA, LAMBDA, 1, 0);
    X(step_put)(t, ALONG, STEP_Q, STEP_Q0, 1, 0), X(step_put)(t, ALONG, STEP_W, RATES, 1, 0);
    const int motion = X(step_add_equation)(t, 0, STEP_N, "motion of "), constraint = X(step_add_equation)(t, 0, STEP_C, "");
    X(step_add)(t, motion, STEP_PI_RATE, ALONG, 1, 0);
    X(step_add)(t, motion, STEP_PHI, HERE, -1, 0);
    X(step_add)(t, constraint, STEP_RATE_RATE, ALONG, 1, 0);
}

static void lay_out(void *self, room_layout *l)
{
    element_motion *m = self;
    m->unknowns = room_reals(l, m->offsets[GROUPS]);
}

void X(element_motion_destroy)(element_motion *m)
{
    if (!m) return;
    taut_context *context = m->s->context;
    X(clusters_destroy)(m->clusters);
    X(element_graph_clear)(context, &m->graph);
    room_free(context, &m->room);
    taut_mem_free(context, m->table);
    taut_mem_free(context, m);
}

/* Elements of the phase only say which entries the matrix has. */
static int create_clusters(element_motion *m)
{
    const int n = (int)m->s->n, c = (int)m->s->c;
    const element_part part = { .s = m->s, .table = m->table, .graph = &m->graph, .offsets = m->offsets, .size = n + c,
                                .equations = { { 0, 0, STEP_N }, { 1, n, STEP_C } }, .equation_count = 2,
                                .group_count = GROUPS };
    element_phase *elements = NULL;
    int status = X(element_phase_create)(&part, &elements);
    if (!status && elements) status = X(clusters_create)(&part, elements, 0, &m->clusters);
    X(element_phase_destroy)(elements);
    return status;
}

static int create(element_motion *m)
{
    int usable = 0, status = TAUT_OK;
    m->table = taut_mem_new(m->s->context, 1, sizeof *m->table);
    if (!m->table) return TAUT_OUT_OF_MEMORY;
    make_table(m->table);
    m->offsets[LAMBDA] = m->s->n;
    m->offsets[GROUPS] = (size_t)m->s->n + m->s->c;
    status = X(element_graph_create)(m->s, m->table, 0, &m->graph, &usable);
    if (!status && usable) status = create_clusters(m);
    return status || !m->clusters ? status : room_create(m->s->context, lay_out, m, &m->room);
}

int X(element_motion_create)(struct system *s, element_motion **result)
{
    *result = NULL;
    if (s->form != FORM_LAGRANGIAN || !s->c || s->softening || s->structure.nonlinear_multiplier) return TAUT_OK;
    element_motion *m = taut_mem_new(s->context, 1, sizeof *m);
    if (!m) return TAUT_OUT_OF_MEMORY;
    m->s = s;
    const int status = create(m);
    if (!status && m->clusters && !X(clusters_are_rough)(m->clusters))
        *result = m;
    else
        X(element_motion_destroy)(m);
    return status;
}

static real relative(cluster_size size) { return size.largest > 0 ? size.moved / size.largest : size.moved; }

/* Corrections until the next one would be less than rounding errors, as the last two say. */
static int solve(element_motion *m, const element_step *now)
{
    cluster_size sizes[STEP_GROUPS];
    int usable;
    real before = 1;
    X(clusters_begin)(m->clusters, now);
    if (X(clusters_factor)(m->clusters, now, NULL, &usable) || !usable) return 0;
    for (int k = 0; k < CORRECTIONS_MOST; k++) {
        X(clusters_residual)(m->clusters, now, NULL);
        if (X(clusters_solve)(m->clusters, now)) return 0;
        X(clusters_correct)(m->clusters, m->unknowns, sizes);
        const real size = real_most(relative(sizes[RATES]), relative(sizes[LAMBDA]));
        if (!(size - size == 0)) return 0;
        if (k && size * size <= before * REAL_EPSILON / 4) return 1;
        before = k ? size : 1;
    }
    return 0;
}

int X(element_motion_multipliers)(element_motion *m, const state *x, real *lambda)
{
    const struct system *s = m->s;
    const element_step now = { .start = x, .unknowns = m->unknowns, .times = { x->t, x->t_low, x->t } };
    memset(m->unknowns, 0, s->n * sizeof(real));
    memcpy(m->unknowns + s->n, x->lambda, s->c * sizeof(real));
    if (!solve(m, &now)) return 0;
    X(clusters_write)(m->clusters, m->unknowns);
    memcpy(lambda, m->unknowns + s->n, s->c * sizeof(real));
    return 1;
}
