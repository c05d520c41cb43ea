#include "model/contact_mode.h"

#include <string.h>

/* Negligible against any slip velocity; without slip it gives the direction itself. Its square is a normal number. */
#define NO_SLIP 1e-150

uint32_t taut_contact_rows(const contact *c, contact_mode mode)
{
    return mode == MODE_OPEN ? 0 : mode == MODE_STICK ? 1 + c->slide_count : 1;
}

contact_mode taut_contact_closed_mode(const contact *c, int slips)
{
    if (!c->friction || c->law == FRICTION_REGULARISED) return MODE_CLOSED;
    return slips ? MODE_SLIP : MODE_STICK;
}

void taut_mode_model_destroy(model *m)
{
    if (!m) return;
    taut_context *context = m->context;
    taut_mem_free(context, m->parameters);
    taut_mem_free(context, m->constraints);
    taut_mem_free(context, m->forces);
    taut_mem_free(context, m->rates);
    taut_mem_free(context, m->observables);
    taut_mem_free(context, m);
}

/* ---- building; an expression of 0 means that memory ran out, which is checked at the end ---- */

typedef struct {
    const model *m;
    model *made;
    graph *g;
    int failed;
    expr *from, *to;   /* multipliers of contacts, and what they are in these modes */
} builder;

static expr parameter_of(builder *b, size_t contact, int slot)
{
    return taut_expr_parameter(b->g, (uint32_t)(b->m->parameter_count + CONTACT_SLOTS * contact + (size_t)slot));
}

static void add_constraint(builder *b, const char *name, expr value, int line, expr guess)
{
    model *p = b->made;
    if (!value || taut_mem_grow(p->context, &p->constraints, &p->constraint_capacity, p->constraint_count + 1,
                           sizeof *p->constraints)) {
        b->failed = 1;
        return;
    }
    p->constraints[p->constraint_count++] =
        (constraint){ .name = (char *)name, .value = value, .line = line, .guess = guess };
}

static void add_force(builder *b, uint32_t target, expr value, int line)
{
    model *p = b->made;
    if (!value || taut_mem_grow(p->context, &p->forces, &p->force_capacity, p->force_count + 1, sizeof *p->forces)) {
        b->failed = 1;
        return;
    }
    if (!taut_expr_is_number(b->g, value, 0)) p->forces[p->force_count++] = (action){ KIND_Q, target, value, line };
}

/* e with the multipliers of contacts replaced. */
static expr with_multipliers(builder *b, expr e)
{
    unsigned kinds = taut_expr_kinds(b->g, e);
    if (kinds == ~0u) b->failed = 1;
    if (b->failed || !(kinds & 1u << KIND_CONTACT)) return e;
    expr result = taut_expr_substitute(b->g, e, b->from, b->to, b->m->contact_count);
    if (!result) b->failed = 1;
    return result;
}

/* ---- slip ---- */

/* Slip of a contact: rows of velocities along the surface, and how a force along each acts on the coordinates. */
typedef struct {
    uint32_t rows;
    expr speed[3];
    expr *on;          /* rows x coordinates; 0 where it does not act */
    expr normal;       /* of the normal force: |gradient of the gap| by the point's coordinates */
    expr multiplier;
} slip;

static expr coordinate_of(builder *b, uint32_t i) { return taut_expr_variable(b->g, KIND_Q, i); }

/* The velocity of a coordinate in the variables of the model. */
static expr velocity_of(builder *b, uint32_t i)
{
    const model *m = b->m;
    expr w = taut_expr_variable(b->g, KIND_W, i), sum = taut_expr_number(b->g, 0);
    if (m->form == FORM_LAGRANGIAN) return w;
    for (size_t k = 0; k < m->summand_count; k++)
        sum = taut_expr_add(b->g, sum, taut_expr_derivative(b->g, m->summands[k].value, w));
    return sum;
}

static expr norm_of(builder *b, const expr *v, uint32_t count)
{
    expr sum = taut_expr_number(b->g, 0);
    for (uint32_t i = 0; i < count; i++) sum = taut_expr_add(b->g, sum, taut_expr_powi(b->g, v[i], 2));
    return taut_expr_unary(b->g, OP_SQRT, sum);
}

/* The gradient of the gap by the coordinates of its first point, into n. Returns its length; 1 where the gap is not of
   points. */
static expr gap_normal(builder *b, const contact *c, expr *n)
{
    if (!c->point_count) return taut_expr_number(b->g, 1);
    const group *p = &b->m->groups[c->point[0]];
    for (uint32_t k = 0; k < p->size; k++) n[k] = taut_expr_derivative(b->g, c->gap, coordinate_of(b, p->first + k));
    return norm_of(b, n, p->size);
}

static void given_slip(builder *b, const contact *c, slip *s)
{
    uint32_t n = b->m->coordinate_count;
    s->rows = c->slide_count;
    for (uint32_t r = 0; r < s->rows; r++) {
        s->speed[r] = taut_expr_derivative(b->g, c->slide[r], taut_expr_variable(b->g, KIND_T, 0));
        expr *list;
        size_t nodes;
        if (taut_expr_reachable(b->g, &c->slide[r], 1, &list, &nodes)) {
            b->failed = 1;
            return;
        }
        for (size_t i = 0; i < nodes; i++) {
            node v = *taut_graph_node(b->g, list[i]);
            if (v.op != OP_VARIABLE || v.b != KIND_Q) continue;
            expr lever = taut_expr_derivative(b->g, c->slide[r], list[i]);
            s->on[r * n + v.a] = lever;
            if (!lever) b->failed = 1;
            s->speed[r] = taut_expr_add(b->g, s->speed[r], taut_expr_mul(b->g, lever, velocity_of(b, v.a)));
        }
        taut_expr_list_free(b->g, list);
    }
}

static expr lever_of(builder *b, const contact *c, uint32_t k, uint32_t i);

/* What the rotation of a body adds to the velocity and to the levers of a slip. */
static void add_spin(builder *b, const contact *c, expr *v)
{
    const group *turn = &b->m->groups[c->turn];
    for (uint32_t k = 0; k < b->m->groups[c->point[0]].size; k++)
        for (uint32_t i = 0; i < turn->size; i++)
            v[k] = taut_expr_add(b->g, v[k],
                                 taut_expr_mul(b->g, lever_of(b, c, k, i), velocity_of(b, turn->first + i)));
}

static void add_spin_levers(builder *b, const contact *c, const expr *tangent, slip *s)
{
    const group *turn = &b->m->groups[c->turn];
    uint32_t count = b->m->coordinate_count, size = b->m->groups[c->point[0]].size;
    for (uint32_t i = 0; i < turn->size; i++)
        for (uint32_t k = 0; k < size; k++) {
            expr lever = lever_of(b, c, k, i), *on = &s->on[(size == 2 ? 0 : k) * count + turn->first + i];
            if (size == 2) lever = taut_expr_mul(b->g, tangent[k], lever);
            *on = size == 2 && k ? taut_expr_add(b->g, *on, lever) : lever;
            if (!*on) b->failed = 1;
        }
}

/* In the plane along the tangent (n_y, -n_x)/|n|, in space the velocity without its part along n. */
static void point_slip(builder *b, const contact *c, const expr *n, slip *s)
{
    graph *g = b->g;
    uint32_t count = b->m->coordinate_count, size = b->m->groups[c->point[0]].size;
    expr v[3], along = taut_expr_number(g, 0);
    for (uint32_t k = 0; k < size; k++) {
        v[k] = velocity_of(b, b->m->groups[c->point[0]].first + k);
        if (c->point_count == 2) v[k] = taut_expr_sub(g, v[k], velocity_of(b, b->m->groups[c->point[1]].first + k));
    }
    if (c->slide_type == SLIDE_BODY) add_spin(b, c, v);
    expr tangent[2] = { taut_expr_div(g, n[1], s->normal), taut_expr_neg(g, taut_expr_div(g, n[0], s->normal)) };
    s->rows = size == 2 ? 1 : 3;
    for (uint32_t k = 0; k < size; k++)
        along = taut_expr_add(g, along, taut_expr_mul(g, size == 2 ? tangent[k] : n[k], v[k]));
    along = size == 2 ? along : taut_expr_div(g, along, taut_expr_powi(g, s->normal, 2));
    s->speed[0] = along;
    for (uint32_t k = 0; size == 3 && k < 3; k++) s->speed[k] = taut_expr_sub(g, v[k], taut_expr_mul(g, n[k], along));
    for (uint32_t p = 0; p < c->point_count; p++)
        for (uint32_t k = 0; k < size; k++) {
            expr lever = size == 2 ? tangent[k] : taut_expr_number(g, 1);
            if (p) lever = taut_expr_neg(g, lever);
            if (!lever) b->failed = 1; /* not: does not act */
            s->on[(size == 2 ? 0 : k) * count + b->m->groups[c->point[p]].first + k] = lever;
        }
    if (c->slide_type == SLIDE_BODY) add_spin_levers(b, c, tangent, s);
}

/* ---- bodies ---- */

static void cross_of(builder *b, const expr *x, const expr *y, expr *out)
{
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        out[k] = taut_expr_sub(b->g, taut_expr_mul(b->g, x[i], y[j]), taut_expr_mul(b->g, x[j], y[i]));
    }
}

/* d(angular velocity)/d(rate of coordinate i of the rotation), in space: omega = 2 vec(r' conj(r)). */
static void spin_by(builder *b, const contact *c, uint32_t i, expr *out)
{
    graph *g = b->g;
    const group *turn = &b->m->groups[c->turn];
    expr two = taut_expr_number(g, 2), w = coordinate_of(b, turn->first), v[3], unit[3], turned[3];
    for (uint32_t k = 0; k < 3; k++) {
        v[k] = coordinate_of(b, turn->first + 1 + k);
        unit[k] = taut_expr_number(g, i == k + 1);
    }
    cross_of(b, v, unit, turned);
    for (uint32_t k = 0; k < 3; k++)
        out[k] = taut_expr_mul(g, two, i == 0 ? taut_expr_neg(g, v[k])
                                              : taut_expr_add(g, taut_expr_mul(g, w, unit[k]), turned[k]));
}

/* Component k of the velocity of the body's material where it touches, by the rate of coordinate i of its rotation. */
static expr lever_of(builder *b, const contact *c, uint32_t k, uint32_t i)
{
    expr spin[3], out[3];
    if (b->m->groups[c->point[0]].size == 2) return k ? c->arm[0] : taut_expr_neg(b->g, c->arm[1]);
    spin_by(b, c, i, spin);
    cross_of(b, spin, c->arm, out);
    return out[k];
}

/* The arm turns with the body: a corner. Otherwise it rolls over the surface of the body: a ball. */
static int arm_turns(builder *b, const contact *c)
{
    const group *turn = &b->m->groups[c->turn];
    expr *list;
    size_t nodes;
    int found = 0;
    if (taut_expr_reachable(b->g, c->arm, b->m->groups[c->point[0]].size, &list, &nodes)) {
        b->failed = 1;
        return 0;
    }
    for (size_t i = 0; i < nodes; i++) {
        node v = *taut_graph_node(b->g, list[i]);
        found |= v.op == OP_VARIABLE && v.b == KIND_Q && v.a >= turn->first && v.a < turn->first + turn->size;
    }
    taut_expr_list_free(b->g, list);
    return found;
}

/* angle/2 over tan(angle/2), of the square of the tangent: 1 - y/3 + y^2/5 - y^3/7, for angles of one step. */
static expr arc_over_tangent(builder *b, expr y)
{
    graph *g = b->g;
    expr sum = taut_expr_number(g, 0);
    for (int k = 3; k >= 0; k--) {
        expr part = taut_expr_div(g, taut_expr_number(g, k % 2 ? -1 : 1), taut_expr_number(g, 2 * k + 1));
        sum = taut_expr_add(g, part, taut_expr_mul(g, y, sum));
    }
    return sum;
}

/* How far the material of the body that touches has moved since the place in the slots, component by component, with
   the velocity of the material at that place: c - c0 + turn x (arm + arm0)/2. turn is 2 tan(angle/2) times the axis for
   an arm that turns with the body, which is exact then; the angle times the axis for one that does not. */
static void body_moved(builder *b, size_t index, const contact *c, expr *out)
{
    graph *g = b->g;
    const group *centre = &b->m->groups[c->point[0]], *turn = &b->m->groups[c->turn];
    expr half = taut_expr_number(g, (wide)0.5), two = taut_expr_number(g, 2), arm[3], moved[3];
    int turns = arm_turns(b, c);
    for (uint32_t k = 0; k < centre->size; k++) {
        arm[k] = taut_expr_mul(g, half, taut_expr_add(g, c->arm[k], parameter_of(b, index, SLOT_ARM + (int)k)));
        out[k] = taut_expr_sub(g, coordinate_of(b, centre->first + k), parameter_of(b, index, SLOT_CENTRE + (int)k));
    }
    if (centre->size == 2) {
        expr angle = taut_expr_sub(g, coordinate_of(b, turn->first), parameter_of(b, index, SLOT_TURN));
        expr turned =
            turns ? taut_expr_mul(g, two, taut_expr_unary(g, OP_TAN, taut_expr_mul(g, half, angle))) : angle;
        out[0] = taut_expr_sub(g, out[0], taut_expr_mul(g, turned, arm[1]));
        out[1] = taut_expr_add(g, out[1], taut_expr_mul(g, turned, arm[0]));
        return;
    }
    expr r[4], r0[4], vec[3], turned[3]; /* r conj(r0) */
    for (uint32_t k = 0; k < 4; k++) {
        r[k] = coordinate_of(b, turn->first + k);
        r0[k] = parameter_of(b, index, SLOT_TURN + (int)k);
    }
    expr part = taut_expr_mul(g, r[0], r0[0]);
    for (int k = 1; k < 4; k++) part = taut_expr_add(g, part, taut_expr_mul(g, r[k], r0[k]));
    cross_of(b, r0 + 1, r + 1, turned);
    for (int k = 0; k < 3; k++) {
        vec[k] = taut_expr_sub(g, taut_expr_mul(g, r0[0], r[k + 1]), taut_expr_mul(g, r[0], r0[k + 1]));
        vec[k] = taut_expr_div(g, taut_expr_mul(g, two, taut_expr_add(g, vec[k], turned[k])), part);
    }
    cross_of(b, vec, arm, moved);
    expr square = taut_expr_number(g, 0); /* of tan(angle/2) */
    for (int k = 0; k < 3; k++)
        square = taut_expr_add(g, square, taut_expr_powi(g, taut_expr_mul(g, half, vec[k]), 2));
    expr arc = turns ? taut_expr_number(g, 1) : arc_over_tangent(b, square);
    for (int k = 0; k < 3; k++) out[k] = taut_expr_add(g, out[k], taut_expr_mul(g, arc, moved[k]));
}

/* The same along tangent r of the slots. */
static expr body_slide(builder *b, size_t index, const contact *c, uint32_t r)
{
    expr moved[3], sum = taut_expr_number(b->g, 0);
    body_moved(b, index, c, moved);
    for (uint32_t k = 0; k < b->m->groups[c->point[0]].size; k++)
        sum = taut_expr_add(b->g, sum,
                            taut_expr_mul(b->g, parameter_of(b, index, SLOT_TANGENT + (int)(3 * r + k)), moved[k]));
    return sum;
}

/* Direction of slip, row by row. Set-valued, one row: a sign that the model is given. Several: u/|u| with u = +-s +
   (nearly nothing) times the given direction; the sign is that of the angle between s and the direction, so that the
   force stays what it was when a step goes through s = 0. To find where that is, u is the given direction alone
   (SLOT_KEEP): u/|u| has no derivative there. Regularised: s/sqrt(s^2 + width^2). */
static void direction_of(builder *b, size_t index, const contact *c, const slip *s, expr *out)
{
    graph *g = b->g;
    expr u[3], along = taut_expr_number(g, 0), sum = taut_expr_number(g, 0);
    if (c->law == FRICTION_REGULARISED) {
        for (uint32_t r = 0; r < s->rows; r++) sum = taut_expr_add(g, sum, taut_expr_powi(g, s->speed[r], 2));
        sum = taut_expr_unary(g, OP_SQRT, taut_expr_add(g, sum, taut_expr_powi(g, c->width, 2)));
        for (uint32_t r = 0; r < s->rows; r++) out[r] = taut_expr_div(g, s->speed[r], sum);
        return;
    }
    if (s->rows == 1) {
        out[0] = parameter_of(b, index, SLOT_DIRECTION);
        return;
    }
    for (uint32_t r = 0; r < s->rows; r++)
        along = taut_expr_add(g, along, taut_expr_mul(g, s->speed[r], parameter_of(b, index, SLOT_DIRECTION + (int)r)));
    expr keep = parameter_of(b, index, SLOT_KEEP);
    along = taut_expr_mul(g, taut_expr_sub(g, taut_expr_number(g, 1), keep), taut_expr_unary(g, OP_SIGN, along));
    for (uint32_t r = 0; r < s->rows; r++)
        u[r] = taut_expr_add(g, taut_expr_mul(g, along, s->speed[r]),
                        taut_expr_mul(g, taut_expr_add(g, keep, taut_expr_number(g, (wide)NO_SLIP)),
                                 parameter_of(b, index, SLOT_DIRECTION + (int)r)));
    sum = norm_of(b, u, s->rows);
    for (uint32_t r = 0; r < s->rows; r++) out[r] = taut_expr_div(g, u[r], sum);
}

/* Friction -mu N (direction of slip), N = lambda |gradient of the gap|. */
static void add_friction(builder *b, size_t index, const contact *c, expr multiplier)
{
    graph *g = b->g;
    uint32_t n = b->m->coordinate_count;
    expr normal[3], direction[3];
    slip s = { .multiplier = multiplier, .on = taut_mem_new(b->m->context, 3 * (size_t)n, sizeof *s.on) };
    if (!s.on) {
        b->failed = 1;
        return;
    }
    s.normal = gap_normal(b, c, normal);
    if (!s.normal) b->failed = 1;
    if (c->slide_type == SLIDE_GIVEN) given_slip(b, c, &s);
    else point_slip(b, c, normal, &s);
    if (!b->failed) {
        direction_of(b, index, c, &s, direction);
        expr size = taut_expr_neg(g, taut_expr_mul(g, c->friction, taut_expr_mul(g, s.normal, multiplier)));
        for (uint32_t r = 0; r < s.rows; r++)
            for (uint32_t i = 0; i < n; i++)
                if (s.on[r * n + i])
                    add_force(b, i, taut_expr_mul(g, taut_expr_mul(g, size, direction[r]), s.on[r * n + i]), c->line);
    }
    taut_mem_free(b->m->context, s.on);
}

/* Rolling resistance: the torque -rho N omega/sqrt(omega^2 + width^2), omega the angular velocity without its part
   along the normal. In the plane omega is that of the angle. */
static void add_rolling(builder *b, const contact *c, expr multiplier)
{
    graph *g = b->g;
    const group *turn = &b->m->groups[c->turn];
    uint32_t rows = turn->size == 1 ? 1 : 3;
    expr n[3], omega[3], by[4][3], along = taut_expr_number(g, 0), square = taut_expr_powi(g, c->roll_width, 2);
    expr normal = gap_normal(b, c, n);
    for (uint32_t k = 0; k < rows; k++) omega[k] = taut_expr_number(g, 0);
    for (uint32_t i = 0; i < turn->size; i++) {
        if (rows == 1) by[i][0] = taut_expr_number(g, 1);
        else spin_by(b, c, i, by[i]);
        for (uint32_t k = 0; k < rows; k++)
            omega[k] = taut_expr_add(g, omega[k], taut_expr_mul(g, by[i][k], velocity_of(b, turn->first + i)));
    }
    for (uint32_t k = 0; rows == 3 && k < 3; k++) along = taut_expr_add(g, along, taut_expr_mul(g, n[k], omega[k]));
    along = taut_expr_div(g, along, taut_expr_powi(g, normal, 2));
    for (uint32_t k = 0; k < rows; k++) {
        if (rows == 3) omega[k] = taut_expr_sub(g, omega[k], taut_expr_mul(g, n[k], along));
        square = taut_expr_add(g, square, taut_expr_powi(g, omega[k], 2));
    }
    expr size = taut_expr_neg(g, taut_expr_div(g, taut_expr_mul(g, c->roll, taut_expr_mul(g, normal, multiplier)),
                                               taut_expr_unary(g, OP_SQRT, square)));
    for (uint32_t i = 0; i < turn->size; i++) {
        expr lever = taut_expr_number(g, 0);
        for (uint32_t k = 0; k < rows; k++)
            lever = taut_expr_add(g, lever, taut_expr_mul(g, by[i][k], omega[k]));
        add_force(b, turn->first + i, taut_expr_mul(g, size, lever), c->line);
    }
}

static void add_stick(builder *b, size_t index, const contact *c)
{
    graph *g = b->g;
    for (uint32_t r = 0; r < c->slide_count; r++) {
        if (c->slide_type == SLIDE_BODY) {
            add_constraint(b, c->name, body_slide(b, index, c, r), c->line, 0);
            continue;
        }
        expr at = taut_expr_neg(g, parameter_of(b, index, SLOT_ANCHOR + (int)r));
        if (c->slide_type == SLIDE_GIVEN) at = taut_expr_add(g, c->slide[r], at);
        for (uint32_t p = 0; c->slide_type == SLIDE_POINTS && p < c->point_count; p++)
            for (uint32_t k = 0; k < b->m->groups[c->point[p]].size; k++) {
                expr part = taut_expr_mul(g, parameter_of(b, index, SLOT_TANGENT + (int)(3 * r + k)),
                                     coordinate_of(b, b->m->groups[c->point[p]].first + k));
                at = taut_expr_add(g, at, p ? taut_expr_neg(g, part) : part);
            }
        add_constraint(b, c->name, at, c->line, 0);
    }
}

/* ---- models ---- */

/* Everything shared but the lists that the model of a mode set has of its own; those are empty, but for the constraints
 * that always hold. */
static int begin(builder *b, const model *m)
{
    *b = (builder){ .m = m, .g = m->graph };
    model *p = taut_mem_new(m->context, 1, sizeof *p);
    b->made = p;
    if (!p) return TAUT_OUT_OF_MEMORY;
    *p = *m;
    p->contacts = NULL;
    p->contact_count = p->contact_capacity = 0;
    p->constraints = NULL;
    p->constraint_count = p->constraint_capacity = 0;
    p->forces = p->rates = NULL;
    p->force_count = p->force_capacity = p->rate_count = p->rate_capacity = 0;
    p->observables = NULL;
    p->observable_count = p->observable_capacity = 0;
    p->parameter_count = m->parameter_count + CONTACT_SLOTS * m->contact_count;
    p->parameters = taut_mem_new(m->context, p->parameter_count, sizeof *p->parameters);
    if (!p->parameters) return TAUT_OUT_OF_MEMORY;
    if (m->parameter_count) memcpy(p->parameters, m->parameters, m->parameter_count * sizeof *p->parameters);
    for (size_t i = 0; i < m->contact_count; i++)
        for (int k = 0; k < CONTACT_SLOTS; k++)
            p->parameters[m->parameter_count + CONTACT_SLOTS * i + (size_t)k] =
                (parameter){ .name = m->contacts[i].name, .line = m->contacts[i].line };
    for (size_t i = 0; i < m->constraint_count; i++)
        add_constraint(b, m->constraints[i].name, m->constraints[i].value, m->constraints[i].line,
                       m->constraints[i].guess);
    return b->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

static int end(builder *b, int status, model **result)
{
    taut_mem_free(b->m->context, b->from);
    taut_mem_free(b->m->context, b->to);
    if (!status && b->failed) status = TAUT_OUT_OF_MEMORY;
    if (status) taut_mode_model_destroy(b->made);
    *result = status ? NULL : b->made;
    return status;
}

/* The constraints of the closed contacts; what all the multipliers are. */
static int add_contacts(builder *b, const unsigned char *modes)
{
    const model *m = b->m;
    b->from = taut_mem_new(m->context, m->contact_count, sizeof *b->from);
    b->to = taut_mem_new(m->context, m->contact_count, sizeof *b->to);
    if (!b->from || !b->to) return TAUT_OUT_OF_MEMORY;
    for (size_t i = 0; i < m->contact_count; i++) {
        const contact *c = &m->contacts[i];
        b->from[i] = taut_expr_variable(b->g, KIND_CONTACT, (uint32_t)i);
        b->to[i] = modes[i] && (modes[i] != MODE_HELD || m->form == FORM_RATES)
                       ? taut_expr_variable(b->g, KIND_LAMBDA, (uint32_t)b->made->constraint_count)
                       : taut_expr_number(b->g, 0);
        if (!b->from[i] || !b->to[i]) return TAUT_OUT_OF_MEMORY;
        if (!modes[i]) continue;
        add_constraint(b, c->name, c->gap, c->line, c->guess);
        if (modes[i] == MODE_STICK) add_stick(b, i, c);
    }
    return b->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

static void copy_actions(builder *b, const action *list, size_t count, action **to, size_t *to_count, size_t *capacity)
{
    if (taut_mem_grow(b->m->context, to, capacity, count, sizeof **to)) {
        b->failed = 1;
        return;
    }
    for (size_t i = 0; i < count; i++) {
        action a = list[i];
        a.value = with_multipliers(b, a.value);
        (*to)[(*to_count)++] = a;
    }
}

int taut_mode_model_create(const model *m, const unsigned char *modes, model **result)
{
    builder b;
    int status = begin(&b, m);
    model *p = b.made;
    if (!status) status = add_contacts(&b, modes);
    if (status) return end(&b, status, result);
    copy_actions(&b, m->forces, m->force_count, &p->forces, &p->force_count, &p->force_capacity);
    copy_actions(&b, m->rates, m->rate_count, &p->rates, &p->rate_count, &p->rate_capacity);
    if (taut_mem_grow(m->context, &p->observables, &p->observable_capacity, m->observable_count,
                      sizeof *p->observables))
        b.failed = 1;
    for (size_t i = 0; !b.failed && i < m->observable_count; i++) {
        observable o = m->observables[i];
        o.value = with_multipliers(&b, o.value);
        p->observables[p->observable_count++] = o;
    }
    for (size_t i = 0; !b.failed && i < m->contact_count; i++)
        if (modes[i] == MODE_SLIP || (modes[i] == MODE_CLOSED && m->contacts[i].friction))
            add_friction(&b, i, &m->contacts[i], b.to[i]);
    for (size_t i = 0; !b.failed && i < m->contact_count; i++)
        if (m->contacts[i].roll && modes[i] != MODE_OPEN && modes[i] != MODE_HELD)
            add_rolling(&b, &m->contacts[i], b.to[i]);
    return end(&b, TAUT_OK, result);
}

int taut_gap_model_create(const model *m, model **result)
{
    builder b;
    int status = begin(&b, m);
    model *p = b.made;
    if (status) return end(&b, status, result);
    for (size_t i = 0; i < m->contact_count; i++)
        add_constraint(&b, m->contacts[i].name, m->contacts[i].gap, m->contacts[i].line, 0);
    for (size_t i = 0; i < m->contact_count; i++)
        for (uint32_t k = 0; m->contacts[i].slide_type == SLIDE_GIVEN && k < m->contacts[i].slide_count; k++)
            add_constraint(&b, m->contacts[i].name, m->contacts[i].slide[k], m->contacts[i].line, 0);
    for (size_t i = 0; i < m->contact_count; i++)
        for (uint32_t k = 0; m->contacts[i].slide_type == SLIDE_BODY && k < m->contacts[i].slide_count; k++)
            add_constraint(&b, m->contacts[i].name, body_slide(&b, i, &m->contacts[i], k), m->contacts[i].line, 0);
    /* The place where a single point rubs against its surroundings is no symmetry's. */
    for (size_t i = 0; i < m->contact_count; i++)
        for (uint32_t k = 0; m->contacts[i].slide_type == SLIDE_POINTS && m->contacts[i].point_count == 1 &&
                             k < m->contacts[i].slide_count + 1;
             k++)
            add_constraint(&b, m->contacts[i].name,
                           taut_expr_variable(b.g, KIND_Q, m->groups[m->contacts[i].point[0]].first + k),
                           m->contacts[i].line, 0);
    if (taut_mem_grow(m->context, &p->observables, &p->observable_capacity, mem_product(4, m->contact_count),
                      sizeof *p->observables))
        b.failed = 1;
    for (size_t i = 0; !b.failed && i < m->contact_count; i++) {
        expr mu = m->contacts[i].friction ? m->contacts[i].friction : taut_expr_number(b.g, 0);
        if (!mu) b.failed = 1;
        p->observables[p->observable_count++] = (observable){ m->contacts[i].name, mu, m->contacts[i].line };
    }
    for (size_t i = 0; !b.failed && i < m->contact_count; i++)
        for (uint32_t k = 0;
             m->contacts[i].slide_type == SLIDE_BODY && k < m->groups[m->contacts[i].point[0]].size; k++)
            p->observables[p->observable_count++] =
                (observable){ m->contacts[i].name, m->contacts[i].arm[k], m->contacts[i].line };
    /* Rates have no derivatives that the kinematics would need; their own are kept, so that velocities are there. */
    for (size_t i = 0; !b.failed && i < m->rate_count; i++) {
        if (taut_mem_grow(m->context, &p->rates, &p->rate_capacity, p->rate_count + 1, sizeof *p->rates)) b.failed = 1;
        else if (m->rates[i].target_kind == KIND_Q) p->rates[p->rate_count++] = m->rates[i];
    }
    return end(&b, TAUT_OK, result);
}
