/* A picture for a model without draw: balls at its points, bars where a constraint keeps a distance,
 * a box for a rotation.
 *
 * A constraint keeps the distance of two points exactly when its gradient with respect to them is (s, -s) with s along
 * the line between them; it keeps the distance of one point from a fixed centre when its gradient lines all meet there.
 * Both are tested with exact gradients at a few states, so that every way to write such a constraint is found: norm2(a
 * - b) - l^2, norm(a) - l, x^2 + y^2 - 1. */
#include <math.h>
#include <string.h>

#include "report/picture.h"

enum { TRIALS = 4 };

/* A point of the model: a group of two or three coordinates, or scalars called x.., y.. and z.. */
typedef struct {
    expr at[3];         /* 0 where there is no coordinate */
    uint32_t index[3];
} mass;

typedef struct {
    picture *p;
    mass *masses;
    size_t count;
    uint32_t *owner;    /* per coordinate: 1 + mass, or 0 */
} guesser;

/* ---- points ---- */

static void add_mass(guesser *z, const long index[3])
{
    mass *a = &z->masses[z->count++];
    *a = (mass){ { 0 }, { 0 } };
    for (int k = 0; k < 3; k++) {
        if (index[k] < 0) continue;
        a->index[k] = (uint32_t)index[k];
        a->at[k] = taut_expr_variable(z->p->m->graph, KIND_Q, (uint32_t)index[k]);
        z->owner[index[k]] = (uint32_t)z->count;
    }
}

/* The scalar called `letter` and the rest of the name, or -1. */
static long find_scalar(const model *m, char letter, const char *rest)
{
    for (size_t i = 0; i < m->group_count; i++)
        if (m->groups[i].type == GROUP_SCALAR && m->groups[i].name[0] == letter &&
            strcmp(m->groups[i].name + 1, rest) == 0)
            return (long)m->groups[i].first;
    return -1;
}

static void find_masses(guesser *z)
{
    const model *m = z->p->m;
    for (size_t i = 0; i < m->group_count; i++) {
        const group *g = &m->groups[i];
        if (g->type == GROUP_POINT) {
            long first = (long)g->first, index[3] = { first, first + 1, g->size == 3 ? first + 2 : -1 };
            add_mass(z, index);
        } else if (g->type == GROUP_SCALAR && g->name[0] == 'x' && i < 1000) {
            long index[3] = { (long)g->first, find_scalar(m, 'y', g->name + 1), find_scalar(m, 'z', g->name + 1) };
            if (index[1] >= 0) add_mass(z, index);
        }
    }
}

static drawn_place place_of(guesser *z, const mass *a)
{
    drawn_place place;
    for (int k = 0; k < 3; k++) place.at[k] = a->at[k] ? a->at[k] : taut_expr_number(z->p->m->graph, 0);
    return place;
}

/* ---- distances ---- */

/* The masses that a constraint depends on: how many, at the most 2; -1 when it depends on anything else. Returns a
   status. */
static int masses_of(guesser *z, expr value, const mass *found[2], int *number)
{
    graph *g = z->p->m->graph;
    expr *list = NULL;
    size_t count = 0;
    int masses = 0, status = taut_expr_reachable(g, &value, 1, &list, &count);
    if (status) return status;
    for (size_t i = 0; masses >= 0 && i < count; i++) {
        const node *n = taut_graph_node(g, list[i]);
        if (n->op != OP_VARIABLE) continue;
        uint32_t owner = n->b == KIND_Q ? z->owner[n->a] : 0;
        if (!owner) {
            masses = -1;
        } else if (!(masses > 0 && found[0] == &z->masses[owner - 1]) &&
                   !(masses > 1 && found[1] == &z->masses[owner - 1])) {
            if (masses < 2) found[masses] = &z->masses[owner - 1];
            masses = masses < 2 ? masses + 1 : -1;
        }
    }
    taut_expr_list_free(g, list);
    *number = masses;
    return TAUT_OK;
}

typedef struct {
    const model *m;
    const mass *masses[2];
    double at[2][3];
} trial;

static wide look_up(void *user, op o, kind k, uint32_t index)
{
    const trial *w = user;
    (void)k;
    if (o == OP_PARAMETER) return w->m->parameters[index].value;
    for (int i = 0; i < 2; i++)
        for (int c = 0; w->masses[i] && c < 3; c++)
            if (w->masses[i]->at[c] && w->masses[i]->index[c] == index) return (wide)w->at[i][c];
    return 0;
}

/* Gradients of the constraint at a generic state. */
static int gradients(guesser *z, expr value, int masses, int number, trial *w, double out[2][3])
{
    graph *g = z->p->m->graph;
    static const double numbers[] = { 0.37, 1.13, -0.71, 1.57, -0.23, 0.89, -1.31, 0.59, 1.01, -0.43, 0.19 };
    memset(out, 0, 6 * sizeof out[0][0]);
    for (int i = 0; i < masses; i++)
        for (int c = 0; c < 3; c++)
            w->at[i][c] = w->masses[i]->at[c] ? numbers[(number * 5 + i * 4 + c * 2) % 11] + 0.01 * number : 0;
    for (int i = 0; i < masses; i++)
        for (int c = 0; c < 3; c++) {
            if (!w->masses[i]->at[c]) continue;
            wide slope;
            expr derivative = taut_expr_derivative(g, value, w->masses[i]->at[c]);
            int status = taut_expr_value(g, derivative, look_up, w, &slope);
            if (status) return status;
            out[i][c] = (double)slope;
        }
    return TAUT_OK;
}

static double dot(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* s along d, and not 0 */
static int along(const double s[3], const double d[3])
{
    double factor = dot(s, d) / dot(d, d), rest[3];
    for (int c = 0; c < 3; c++) rest[c] = s[c] - factor * d[c];
    return dot(s, s) > 0 && dot(s, s) < 1e300 && dot(rest, rest) <= 1e-18 * dot(s, s);
}

static int keeps_distance(const trial *w, double s[2][3])
{
    double sum[3], d[3];
    for (int c = 0; c < 3; c++) {
        sum[c] = s[0][c] + s[1][c];
        d[c] = w->at[0][c] - w->at[1][c];
    }
    return dot(sum, sum) <= 1e-18 * dot(s[0], s[0]) && along(s[0], d);
}

/* Adds I - n n' and (I - n n') x of the line through x along s: the point nearest to all lines solves the sums. */
static void add_line(const double x[3], const double s[3], int flat, double matrix[3][4])
{
    double size = dot(s, s);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            double entry = (i == j) - (size > 0 ? s[i] * s[j] / size : 0);
            if (flat && (i == 2 || j == 2)) entry = i == j;
            matrix[i][j] += entry;
            matrix[i][3] += entry * x[j];
        }
}

/* Gauss-Jordan on three rows; 0 when it is (nearly) singular. */
static int solve_three(double matrix[3][4], double x[3])
{
    for (int k = 0; k < 3; k++) {
        int best = k;
        for (int i = k + 1; i < 3; i++)
            if (fabs(matrix[i][k]) > fabs(matrix[best][k])) best = i;
        if (fabs(matrix[best][k]) < 1e-6) return 0;
        for (int j = 0; j < 4; j++) {
            double held = matrix[k][j];
            matrix[k][j] = matrix[best][j];
            matrix[best][j] = held;
        }
        for (int i = 0; i < 3; i++) {
            double factor = i == k ? 0 : matrix[i][k] / matrix[k][k];
            for (int j = 0; j < 4; j++) matrix[i][j] -= factor * matrix[k][j];
        }
    }
    for (int k = 0; k < 3; k++) x[k] = matrix[k][3] / matrix[k][k];
    return 1;
}

static int add_bar(guesser *z, drawn_place from, drawn_place to, int line)
{
    drawn_place ends[2] = { from, to };
    return taut_picture_add(z->p, &(shape){ .type = SHAPE_BAR, .rows = 1, .columns = 2, .line = line }, ends);
}

static int guess_pair(guesser *z, const constraint *k, trial *w)
{
    double s[2][3];
    for (int number = 0; number < TRIALS; number++) {
        int status = gradients(z, k->value, 2, number, w, s);
        if (status) return status;
        if (!keeps_distance(w, s)) return TAUT_OK;
    }
    return add_bar(z, place_of(z, w->masses[0]), place_of(z, w->masses[1]), k->line);
}

static int guess_single(guesser *z, const constraint *k, trial *w)
{
    double x[TRIALS][3], s[TRIALS][2][3], matrix[3][4] = { { 0 } }, centre[3];
    int flat = !w->masses[0]->at[2];
    for (int number = 0; number < TRIALS; number++) {
        int status = gradients(z, k->value, 1, number, w, s[number]);
        if (status) return status;
        memcpy(x[number], w->at[0], sizeof x[number]);
        add_line(x[number], s[number][0], flat, matrix);
    }
    if (!solve_three(matrix, centre)) return TAUT_OK;
    drawn_place from;
    for (int number = 0; number < TRIALS; number++) {
        double d[3];
        for (int c = 0; c < 3; c++) d[c] = x[number][c] - centre[c];
        if (!along(s[number][0], d)) return TAUT_OK;
    }
    for (int c = 0; c < 3; c++)
        from.at[c] = taut_expr_number(z->p->m->graph, fabs(centre[c]) < 1e-12 ? 0 : (wide)centre[c]);
    return add_bar(z, from, place_of(z, w->masses[0]), k->line);
}

/* ---- rotations ---- */

/* A box 1 x 0.6 x 0.3 that turns with r, the number-th of so many rotations: at its point, if there are as many points,
   otherwise beside the one before. */
static int add_rotation(guesser *z, const group *r, size_t number, size_t rotations)
{
    const mass *own = z->count == rotations ? &z->masses[number] : NULL;
    static const double half[3] = { 0.5, 0.3, 0.15 };
    graph *g = z->p->m->graph;
    drawn_place places[4];
    expr q[4];
    for (uint32_t i = 0; i < 4; i++) q[i] = taut_expr_variable(g, KIND_Q, r->first + i);
    for (int row = 0; row < 3; row++) {
        places[0].at[row] = own ? place_of(z, own).at[row] : taut_expr_number(g, row == 0 ? 1.4 * (double)number : 0);
        for (int column = 0; column < 3; column++)
            places[1 + column].at[row] = taut_expr_add(
                g, places[0].at[row],
                taut_expr_mul(g, taut_expr_number(g, (wide)half[column]), taut_rotation_entry(g, q, row, column)));
    }
    return taut_picture_add(z->p, &(shape){ .type = SHAPE_BOX, .rows = 1, .columns = 4, .line = r->line }, places);
}

static int guess_all(guesser *z)
{
    const model *m = z->p->m;
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < m->constraint_count && !z->p->omitted; i++) {
        trial w = { .m = m };
        int masses = 0;
        if (m->constraints[i].velocity) continue; /* no bar, no surface */
        status = masses_of(z, m->constraints[i].value, w.masses, &masses);
        if (status) break;
        if (masses == 2) status = guess_pair(z, &m->constraints[i], &w);
        else if (masses == 1) status = guess_single(z, &m->constraints[i], &w);
    }
    for (size_t i = 0; !status && i < z->count; i++) {
        drawn_place place = place_of(z, &z->masses[i]);
        status = taut_picture_add(z->p, &(shape){ .type = SHAPE_BALL, .rows = 1, .columns = 1 }, &place);
    }
    for (size_t i = 0; !status && i < m->embedding_count; i++) {
        drawn_place place;
        for (uint32_t k = 0; k < 3; k++)
            place.at[k] =
                k < m->embeddings[i].size ? m->chart[m->embeddings[i].first + k] : taut_expr_number(m->graph, 0);
        status = taut_picture_add(z->p, &(shape){ .type = SHAPE_BALL, .rows = 1, .columns = 1 }, &place);
    }
    size_t rotations = 0, number = 0;
    for (size_t i = 0; i < m->group_count; i++) rotations += m->groups[i].type == GROUP_ROTATION;
    for (size_t i = 0; !status && i < m->group_count; i++)
        if (m->groups[i].type == GROUP_ROTATION) status = add_rotation(z, &m->groups[i], number++, rotations);
    return status;
}

int taut_picture_guess(picture *p)
{
    guesser z = { .p = p };
    taut_context *context = p->m->context;
    z.masses = taut_mem_new(context, p->m->group_count, sizeof *z.masses);
    z.owner = taut_mem_new(context, p->m->coordinate_count, sizeof *z.owner);
    int status = z.masses && z.owner ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    if (!status) {
        find_masses(&z);
        status = guess_all(&z);
    }
    taut_mem_free(context, z.masses);
    taut_mem_free(context, z.owner);
    return status;
}
