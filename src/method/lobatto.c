/* The constrained Lobatto IIIA-IIIB pair: the catalogue entry. */
#include "method/lobatto.h"
#include "method/method.h"

static const method_option options[] = {
    { "s", "2..9", "stages (3 if not given); the order is 2s - 2" },
};

static const method_info info = {
    .name = "lobatto",
    .summary = "constrained Lobatto IIIA-IIIB, of any even order, for any Lagrangian or Hamiltonian",
    .source = "Jay 1996, SIAM J. Numer. Anal. 33; Hairer, Lubich & Wanner VII.1.4",
    .equations = "Q_i = q0 + h sum_j a_ij H_p(Q_j,P_j),  P_i = p0 + h sum_j A_ij f_j,  i = 1..s\n"
                 "f_j = -H_q(Q_j,P_j) + G(Q_j)' Lambda_j + F_j,  g(Q_i) = 0\n"
                 "q1 = Q_s,  p1 = p0 + h sum_j b_j f_j,  G1 H_p(q1,p1) + g_t = 0\n"
                 "a: Lobatto IIIA,  A: Lobatto IIIB,  b_i A_ij + b_j a_ji = b_i b_j",
    .slips = "sum_j a_ij psi(Q_j,V_j) = 0, i = 2..s, where g(Q_i) = 0 stands, by Lambda_1 .. Lambda_{s-1};\n"
             "psi(q1,v1) = 0 by Lambda_s: the SPARK methods of Jay 2009, SIAM J. Numer. Anal. 47, of order 2s - 2",
    .order = 4,
    .keeps = KEEPS_SYMPLECTIC | KEEPS_MOMENTUM | KEEPS_REVERSIBLE | KEEPS_POSITION | KEEPS_VELOCITY,
    .options = options,
    .option_count = 1,
};

static int stage_count(taut_context *context, const method_spec *spec, int *count)
{
    return X(method_whole_option)(context, spec, "s", 3, 2, STAGES_MOST, count);
}

static void declare(const method_spec *spec, method_info *declared)
{
    int count = 3;
    stage_count(NULL, spec, &count);
    declared->order = 2 * count - 2;
}

/* Functions pi, nu, phi of system.h, stage times t0 + c_i h understood:
 *
 *     Q_i = q0 + h sum_j a_ij nu(Q_j,W_j),   pi(Q_i,W_i) = p0 + h sum_j A_ij phi(Q_j,W_j,Lambda_j),   i = 1..s
 *     g(Q_i) = 0,   i = 2..s
 *     q1 = Q_s,   p1 = p0 + h sum_j b_j phi(Q_j,W_j,Lambda_j),   G1 nu(q1,w) + g_t = 0 where pi(q1,w) = p1
 *
 * Q_1 is q0, and A_is = 0: the stage system has Lambda_1 .. Lambda_{s-1}, one for each stage that meets the
 * constraints; Lambda_s enters p1 alone and belongs to the velocity constraint. The unknowns of the stages are chosen
 * so that as little as possible is solved for:
 *
 *     Lagrangian (nu is w):    W_1 .. W_s;                        Q_i = q0 + h sum a_ij W_j
 *     with pi = M w, M constant, from three stages on:
 *                              Y_i = h M^-1 phi_i, i = 1 .. s-1;  W_i = w0 + sum A_ij Y_j,
 *                                                                 Q_i = q0 + h c_i w0 + h sum (aA)_ij Y_j
 *     the others (pi is w):    Z_i = h phi_i, i = 1 .. s-1, and U_i = Q_i - q0, i = 2 .. s;    W_i = p0 + sum A_ij Z_j
 *
 * For a Lagrangian, combinations of rows and columns exist (the inverses of A and a, bordered) after which stages meet
 * in the mass matrix alone; they have a third of the entries, but a poor diagonal: on a chain of 1,000 links three
 * stages then take less than half the time, and six take 42 s a step. As they are, the diagonal is the mass matrix. */
typedef struct {
    step_table *t;
    lobatto_pair pair;
    int lagrangian, last;
    int is_part;
    int by_changes;                                                          /* the unknowns are Y */
    real moves[STAGES_MOST][STAGES_MOST];                                    /* aA */
    int w[STAGES_MOST], y[STAGES_MOST], z[STAGES_MOST], u[STAGES_MOST], lambda[STAGES_MOST]; /* groups */
    int at[STAGES_MOST];                                                     /* places */
} stages;

/* Adds the position, or W, of stage i. */
static void put_position(stages *m, int place, int i)
{
    X(step_put)(m->t, place, STEP_Q, STEP_Q0, 1, 0);
    if (m->by_changes) {
        X(step_put)(m->t, place, STEP_Q, STEP_W0, m->pair.c[i], 1);
        for (int j = 0; j < m->last; j++) X(step_put)(m->t, place, STEP_Q, m->y[j], m->moves[i][j], 1);
        return;
    }
    for (int j = 0; m->lagrangian && j <= m->last; j++) X(step_put)(m->t, place, STEP_Q, m->w[j], m->pair.a[i][j], 1);
    if (!m->lagrangian && i) X(step_put)(m->t, place, STEP_Q, m->u[i], 1, 0);
}

static void put_w(stages *m, int place, int i)
{
    if (m->by_changes) {
        X(step_put)(m->t, place, STEP_W, STEP_W0, 1, 0);
        for (int j = 0; j < m->last; j++) X(step_put)(m->t, place, STEP_W, m->y[j], m->pair.A[i][j], 0);
        return;
    }
    if (m->lagrangian) {
        X(step_put)(m->t, place, STEP_W, m->w[i], 1, 0);
        return;
    }
    X(step_put)(m->t, place, STEP_W, STEP_P0, 1, 0);
    for (int j = 0; j < m->last; j++) X(step_put)(m->t, place, STEP_W, m->z[j], m->pair.A[i][j], 0);
}

/* aA. Angular momentum is kept as well as bA = b (1 - c): so that is what stands in the last row. */
static void find_moves(stages *m)
{
    for (int k = 0; k < m->last; k++) m->moves[m->last][k] = m->pair.b[k] * (1 - m->pair.c[k]);
    for (int i = 1; i < m->last; i++)
        for (int k = 0; k < m->last; k++)
            for (int j = 0; j <= m->last; j++) m->moves[i][k] += m->pair.a[i][j] * m->pair.A[j][k];
}

static void stage_unknowns(stages *m)
{
    step_table *t = m->t;
    for (int i = 0; m->by_changes && i < m->last; i++) {
        real most = 0; /* that it moves a stage by */
        for (int k = 1; k <= m->last; k++) most = real_most(most, m->moves[k][i]);
        m->y[i] = X(step_add_group)(t, 0, STEP_N);
        X(step_guess)(t, m->y[i], STEP_W_RATE0, 1, 1);
        X(step_measured)(t, m->y[i], STEP_MOVES, most, 1);
    }
    for (int i = 0; m->lagrangian && !m->by_changes && i <= m->last; i++) {
        m->w[i] = X(step_add_group)(t, 0, STEP_N);
        real change = 0; /* of w up to the stage: h times the sum of its row */
        for (int j = 0; j < m->last; j++) change += m->pair.A[i][j];
        X(step_guess)(t, m->w[i], STEP_W0, 1, 0), X(step_guess)(t, m->w[i], STEP_W_RATE0, change, 1);
        X(step_measured)(t, m->w[i], STEP_MOVES, 1, 1);
    }
    for (int i = 0; !m->lagrangian && i < m->last; i++) {
        m->z[i] = X(step_add_group)(t, 0, STEP_N);
        X(step_guess)(t, m->z[i], STEP_PHI0, 1, 1);
        X(step_measured)(t, m->z[i], STEP_MOMENTUM, 1, 0);
    }
    for (int i = 1; !m->lagrangian && i <= m->last; i++) {
        m->u[i] = X(step_add_group)(t, 0, STEP_N);
        X(step_guess)(t, m->u[i], STEP_NU0, m->pair.c[i], 1);
        X(step_measured)(t, m->u[i], STEP_MOVES, 1, 0);
    }
    for (int i = 0; i < m->last; i++) {
        m->lambda[i] = X(step_add_group)(t, 0, STEP_C);
        X(step_guess_multipliers)(t, m->lambda[i], m->last > 1 || m->is_part ? TREND_NONE : TREND_STEADY);
    }
    for (int i = 0; i <= m->last; i++) {
        m->at[i] = X(step_add_place)(t, m->pair.c[i]);
        put_position(m, m->at[i], i);
        put_w(m, m->at[i], i);
        if (i < m->last) X(step_put)(t, m->at[i], STEP_LAMBDA, m->lambda[i], 1, 0);
    }
}

static void stage_equations(stages *m)
{
    step_table *t = m->t;
    for (int i = 0; m->by_changes && i < m->last; i++) {
        const int change = X(step_add_place)(t, m->pair.c[i]), e = X(step_add_equation)(t, 0, STEP_N, "momentum of ");
        put_position(m, change, i);
        X(step_put)(t, change, STEP_W, m->y[i], 1, 0);
        X(step_add)(t, e, STEP_PI, change, 1, 0);
        X(step_add)(t, e, STEP_PHI, m->at[i], -1, 1);
    }
    for (int i = 0; m->lagrangian && !m->by_changes && i <= m->last; i++) {
        int e = X(step_add_equation)(t, 0, STEP_N, "momentum of ");
        X(step_add)(t, e, STEP_PI_CHANGE, m->at[i], 1, 0);
        for (int j = 0; j < m->last; j++) X(step_add)(t, e, STEP_PHI, m->at[j], -m->pair.A[i][j], 1);
    }
    for (int i = 0; !m->lagrangian && i < m->last; i++) {
        int e = X(step_add_equation)(t, 0, STEP_N, "momentum of ");
        X(step_add)(t, e, STEP_VECTOR, m->z[i], 1, 0);
        X(step_add)(t, e, STEP_PHI, m->at[i], -1, 1);
    }
    for (int i = 1; !m->lagrangian && i <= m->last; i++) {
        int e = X(step_add_equation)(t, 0, STEP_N, "motion of ");
        X(step_add)(t, e, STEP_VECTOR, m->u[i], 1, 0);
        for (int j = 0; j <= m->last; j++) X(step_add)(t, e, STEP_NU, m->at[j], -m->pair.a[i][j], 1);
    }
    for (int i = 1; i <= m->last; i++) {
        int e = X(step_add_equation)(t, 0, STEP_C, "");
        X(step_add)(t, e, STEP_G, m->at[i], 1, 0);
        for (int j = 0; j <= m->last; j++) X(step_add)(t, e, STEP_SLIP, m->at[j], m->pair.a[i][j], 1);
    }
}

/* w, v and the multipliers of the last stage; momenta of the end are sums of impulses, so that they add up to
   round-off. */
static void end_of_step(stages *m, const struct system *s)
{
    step_table *t = m->t;
    int w = X(step_add_group)(t, 1, STEP_N), v = m->lagrangian ? w : X(step_add_group)(t, 1, STEP_N),
        mu = X(step_add_group)(t, 1, STEP_C);
    int end = X(step_add_place)(t, 1), moving = m->lagrangian ? end : X(step_add_place)(t, 1),
        stage = X(step_add_place)(t, 1);
    t->places[stage] = t->places[m->at[m->last]];
    X(step_put)(t, stage, STEP_LAMBDA, mu, 1, 0);
    put_position(m, end, m->last);
    X(step_put)(t, end, STEP_W, w, 1, 0);
    t->groups[w].guess = t->places[stage].slots[STEP_W];
    X(step_measured)(t, w, m->lagrangian ? STEP_VELOCITY : STEP_MOMENTUM, 1, 0);
    X(step_guess)(t, mu, m->lambda[m->last - 1], 1, 0);
    int momentum = X(step_add_equation)(t, 1, STEP_N, "momentum of ");
    X(step_add)(t, momentum, STEP_PI_CHANGE, end, 1, 0);
    for (int j = 0; j <= m->last; j++) {
        int at = j < m->last ? m->at[j] : stage;
        X(step_add)(t, momentum, STEP_PHI, at, -m->pair.b[j], 1);
        X(step_add)(t, STEP_RESULT_P, STEP_PHI, at, m->pair.b[j], 1);
    }
    if (!m->lagrangian) {
        put_position(m, moving, m->last);
        X(step_put)(t, moving, STEP_W, v, 1, 0);
        X(step_guess)(t, v, STEP_NU0, 1, 0);
        X(step_measured)(t, v, STEP_VELOCITY, 1, 0);
        int motion = X(step_add_equation)(t, 1, STEP_N, "motion of ");
        X(step_add)(t, motion, STEP_VECTOR, v, 1, 0);
        X(step_add)(t, motion, STEP_NU, end, -1, 0);
    }
    if (s->c) X(step_add)(t, X(step_add_equation)(t, 1, STEP_C, ""), STEP_RATE, moving, 1, 0);
    t->w = w;
}

void X(lobatto_table)(const struct system *s, int count, int is_part, step_table *t)
{
    stages m = { .t = t, .lagrangian = s->form == FORM_LAGRANGIAN, .last = count - 1, .is_part = is_part };
    m.by_changes = m.lagrangian && count > 2 && s->structure.uncoupled && s->structure.homogeneous;
    X(lobatto_pair_find)(count, &m.pair);
    find_moves(&m);
    X(step_add_phase)(t, "positions of the step");
    X(step_add_phase)(t, "velocity constraints");
    stage_unknowns(&m);
    stage_equations(&m);
    if (m.by_changes) X(step_add)(t, STEP_RESULT_Q, STEP_VECTOR, STEP_W0, 1, 1);
    for (int j = 0; m.by_changes && j < m.last; j++)
        X(step_add)(t, STEP_RESULT_Q, STEP_VECTOR, m.y[j], m.moves[m.last][j], 1);
    for (int j = 0; m.lagrangian && !m.by_changes && j < count; j++)
        X(step_add)(t, STEP_RESULT_Q, STEP_VECTOR, m.w[j], m.pair.b[j], 1);
    if (!m.lagrangian) X(step_add)(t, STEP_RESULT_Q, STEP_VECTOR, m.u[m.last], 1, 0);
    t->lambda = m.lambda[m.last - 1];
    end_of_step(&m, s);
}

static int table(struct system *s, const method_spec *spec, step_table *t)
{
    int count;
    int status = stage_count(s->context, spec, &count);
    if (!status) X(lobatto_table)(s, count, spec->is_part, t);
    return status;
}

const struct method_class X(method_lobatto) = { .info = &info, .declare = declare, .table = table };
