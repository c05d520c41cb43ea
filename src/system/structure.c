/* What the model is like: constant mass and its blocks, separability, dependence on time; and the cure for a mass
 * matrix that is singular alone but regular together with the constraints (a unit quaternion, a massless joint):
 *     L + kappa/2 sum (dg_k/dt)^2
 * has the same constrained motion and the same momenta on it, and L_vv + kappa G'G is regular exactly when the KKT
 * matrix is. */
#include "system/system_inside.h"

#include <string.h>

#include "linalg/dense.h"
#include "linalg/partition.h"

#define BLOCK_LIMIT 16    /* largest diagonal block of the mass matrix that is inverted beforehand */
#define RANK_LIMIT 64     /* largest block whose rank is examined; larger ones are left to the solver */

static void copy_block(const partition *p, int b, const pattern *shape, const real *values, real *dense)
{
    int size = p->start[b + 1] - p->start[b];
    const int *members = p->order + p->start[b];
    if (size == 1) {
        int at = taut_pattern_find(shape, members[0], members[0]);
        dense[0] = at >= 0 ? values[at] : 0;
        return;
    }
    memset(dense, 0, (size_t)size * (size_t)size * sizeof *dense);
    for (int r = 0; r < size; r++)
        for (int c = 0; c < size; c++) {
            int at = taut_pattern_find(shape, members[r], members[c]);
            if (at >= 0) dense[r * size + c] = values[at];
        }
}

/* The largest entry of what is left of a matrix after k steps of elimination. */
static real find_pivot(int size, const real *a, int k, int *row, int *column)
{
    real most = -1;
    for (int i = k; i < size; i++)
        for (int j = k; j < size; j++)
            if (REAL(fabs)(a[i * size + j]) > most) most = REAL(fabs)(a[i * size + j]), *row = i, *column = j;
    return most;
}

static void exchange(real *a, real *b, int count, int step)
{
    for (int i = 0; i < count * step; i += step) {
        const real kept = a[i];
        a[i] = b[i], b[i] = kept;
    }
}

/* Is the matrix singular? Elimination with complete pivoting, until what is left counts as nothing: a pivot that is
   only the largest of its column says little about the rank. (A rotation that stands in two of its four coordinates
   couples the other two, of which one has no energy, with 1e-11: large enough for a pivot, and the next one, divided
   by it, is a rounding error that looks like a mass.) Without assuming that it is positive: L_vv may be indefinite, if
   odd. It is scaled to a unit diagonal first, so that the units of the coordinates do not matter: a small inertia next
   to a large mass is none the less there. */
static int is_singular(int size, real *dense)
{
    real scale[RANK_LIMIT];
    for (int i = 0; i < size; i++) {
        real most = REAL(fabs)(dense[i * size + i]);
        for (int j = 0; most == 0 && j < size; j++) most = REAL(fabs)(dense[i * size + j]);
        if (most == 0) return 1;
        scale[i] = 1 / REAL(sqrt)(most);
    }
    for (int i = 0; i < size; i++)
        for (int j = 0; j < size; j++) dense[i * size + j] *= scale[i] * scale[j];
    real first = 0;
    for (int k = 0; k < size; k++) {
        int row = k, column = k;
        const real most = find_pivot(size, dense, k, &row, &column);
        if (k == 0) first = most;
        /* 1e-11 of the largest entry: well above round-off, well below any sensible ratio of masses in one body;
           written so that what is not a number counts as singular */
        if (!(most > (real)1e-11 * first)) return 1;
        exchange(dense + k * size, dense + row * size, size, 1);
        exchange(dense + k, dense + column, size, size);
        for (int i = k + 1; i < size; i++) {
            const real factor = dense[i * size + k] / dense[k * size + k];
            for (int j = k + 1; j < size; j++) dense[i * size + j] -= factor * dense[k * size + j];
        }
    }
    return 0;
}

/* singular[i] = 1 + the block for the coordinates of singular blocks. Returns their number, or -1 without memory. */
static int find_singular(struct system *s, const pattern *shape, const real *values, int *singular)
{
    partition p;
    int found = 0;
    if (taut_partition_create(s->context, shape, &p)) return -1;
    const size_t largest = p.largest < RANK_LIMIT ? (size_t)p.largest : RANK_LIMIT;
    real *dense = taut_mem_new(s->context, largest * largest, sizeof *dense);
    for (int b = 0; dense && b < p.count; b++) {
        int size = p.start[b + 1] - p.start[b];
        if (size > RANK_LIMIT) continue;
        copy_block(&p, b, shape, values, dense);
        if (size == 1 && dense[0] != 0 && dense[0] - dense[0] == 0) continue; /* most are: a mass */
        if (!is_singular(size, dense)) continue;
        for (int k = p.start[b]; k < p.start[b + 1]; k++) singular[p.order[k]] = 1 + b, found++;
    }
    taut_mem_free(s->context, dense);
    taut_partition_clear(s->context, &p);
    return dense ? found : -1;
}

expr X(system_rate_formula)(struct system *s, uint32_t k)
{
    graph *g = s->m->graph;
    expr value = s->m->constraints[k].value, *nodes = NULL;
    size_t count;
    if (s->m->constraints[k].velocity) return value;
    if (taut_expr_reachable(g, &value, 1, &nodes, &count)) return 0;
    expr *directions = taut_mem_new(s->context, count, sizeof *directions), result = 0;
    size_t used = 0;
    for (size_t i = 0; directions && i < count; i++) {
        node n = *taut_graph_node(g, nodes[i]);
        if (n.op != OP_VARIABLE) continue;
        expr e = nodes[i];
        directions[used] = n.b == KIND_Q ? taut_expr_variable(g, KIND_W, n.a) : taut_expr_number(g, 1);
        nodes[used++] = e;
    }
    if (directions) result = taut_expr_directional(g, value, nodes, directions, used);
    taut_mem_free(s->context, directions);
    taut_expr_list_free(g, nodes);
    return result;
}

/* A power of two near the mean of the masses of these coordinates (NULL: of all) that are not zero; 0: all are. */
static real mean_mass(const pattern *shape, const real *values, const int *of, int number)
{
    real sum = 0;
    int count = 0, exponent;
    for (int k = 0; k < number; k++) {
        const int i = of ? of[k] : k, at = taut_pattern_find(shape, i, i);
        if (at >= 0 && values[at] != 0) sum += REAL(fabs)(values[at]), count++;
    }
    if (!count || !(sum > 0)) return 0;
    REAL(frexp)(sum / count, &exponent);
    return REAL(ldexp)(1, exponent - 1);
}

/* That of the model, so that the added terms have the size of the others. */
static real typical_mass(const pattern *shape, const real *values)
{
    const real mean = mean_mass(shape, values, NULL, shape->rows);
    return mean > 0 ? mean : 1;
}

/* Beside a heavy base the parts of a gripper would be lost in terms of that size: where a constraint has coordinates
   whose own masses are less than LIGHT of it, these count, and light[k] is the least of them; otherwise 0. */
#define LIGHT (1 / (real)4096)

static int find_light(struct system *s, const pattern *shape, const real *values, real *light)
{
    const pattern *g = X(field_jacobian_pattern)(s->constraint, KIND_Q);
    const real typical = typical_mass(shape, values);
    partition p;
    int status = taut_partition_create(s->context, shape, &p);
    if (status) return status;
    real *own = taut_mem_new(s->context, (size_t)p.count, sizeof *own);
    for (int b = 0; own && b < p.count; b++)
        own[b] = mean_mass(shape, values, p.order + p.start[b], p.start[b + 1] - p.start[b]);
    for (uint32_t k = 0; own && k < s->c; k++) {
        light[k] = 0;
        for (int i = g->start[k]; i < g->start[k + 1]; i++) {
            const real mass = own[p.block_of[g->index[i]]];
            if (mass > 0 && mass < LIGHT * typical && !(light[k] > 0 && light[k] <= mass)) light[k] = mass;
        }
    }
    status = own ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    taut_mem_free(s->context, own);
    taut_partition_clear(s->context, &p);
    return status;
}

/* How many of the coordinates of constraint k are singular: none, some, all (2), all of one block (3). */
static int coverage(const pattern *shape, uint32_t k, const int *singular)
{
    int some = 0, all = 1, one = 1;
    for (int i = shape->start[k]; i < shape->start[k + 1]; i++) {
        const int block = singular[shape->index[i]];
        some |= block != 0, all &= block != 0, one &= block == singular[shape->index[shape->start[k]]];
    }
    return some + (some && all) + (some && all && one);
}

/* Adds kappa/2 (dg_k/dt)^2 for constraints of this coverage, with a kappa of their own where s->light has one. Discrete
   Lagrangians are made of L without it: dg/dt is not zero along the straight line of a step. */
static int augment(struct system *s, const int *singular, int covered, real kappa)
{
    const pattern *shape = X(field_jacobian_pattern)(s->constraint, KIND_Q);
    graph *g = s->m->graph;
    int status = TAUT_OK;
    for (uint32_t k = 0; !status && k < s->c; k++) {
        if (coverage(shape, k, singular) != covered) continue;
        for (size_t i = 0; !status && !s->structure.augmented && !s->embedded && i < s->m->summand_count; i++)
            status = taut_family_add(s->store, &s->ambient_family, 0, s->m->summands[i].value);
        if (status) return status;
        expr rate = X(system_rate_formula)(s, k);
        const wide half = (wide)(s->light[k] > 0 ? s->light[k] : kappa) / 2;
        expr term = taut_expr_mul(g, taut_expr_number(g, half), taut_expr_powi(g, rate, 2));
        status = term ? taut_family_add(s->store, &s->energy_family, 0, term) : TAUT_OUT_OF_MEMORY;
        s->structure.augmented = 1;
    }
    if (!status && s->structure.augmented) status = X(system_evaluate_constants)(s);
    return status;
}

/* The fields hold on to the table of constants and to the batches: all are rebuilt. */
static int remake_fields(struct system *s)
{
    struct { family *f; field **target; } all[] = {
        { &s->constraint_family, &s->constraint }, { &s->force_family, &s->force },
        { &s->rate_q_family, &s->rate_q },         { &s->rate_w_family, &s->rate_w },
        { &s->observable_family, &s->observable }, { &s->energy_family, &s->energy },
        { &s->slip_family, &s->slip },             { &s->pfaffian_family, &s->pfaffian },
    };
    int status = TAUT_OK;
    for (size_t i = 0; !status && i < sizeof all / sizeof *all; i++) {
        if (!*all[i].target) continue; /* the model has none */
        status = X(system_make_field)(s, all[i].f, all[i].target);
        if (!status) status = X(field_prepare_values)(*all[i].target);
    }
    if (!status && s->embedded) status = X(system_make_field)(s, &s->chart_family, &s->chart);
    if (!status) status = X(system_make_field)(s, &s->ambient_family, &s->ambient);
    if (!status) status = X(field_prepare_gradient)(s->constraint, KIND_Q);
    if (!status && s->pfaffian) status = X(field_prepare_gradient)(s->pfaffian, KIND_W);
    return status ? status : X(field_prepare_jacobian)(s->constraint, KIND_T);
}

static int mass_values_of(struct system *s, field *energy, const place *at, real **values)
{
    int status = X(field_prepare_hessian)(energy, KIND_W, KIND_W);
    if (status) return status;
    const pattern *shape = X(field_hessian_pattern)(energy, KIND_W, KIND_W);
    *values = taut_mem_new(s->context, (size_t)pattern_entries(shape), sizeof **values);
    if (!*values) return TAUT_OUT_OF_MEMORY;
    X(field_hessian)(energy, KIND_W, KIND_W, at, NULL, *values);
    return TAUT_OK;
}

static int mass_values(struct system *s, const place *at, real **values)
{
    return mass_values_of(s, s->energy, at, values);
}

static int report_singular(struct system *s, const int *singular)
{
    char name[200] = "?";
    uint32_t i = 0;
    while (i < s->n && !singular[i]) i++;
    if (i < s->n) taut_model_coordinate_name(s->m, i, name, sizeof name);
    const group *thin = taut_model_thin_body(s->m);
    if (thin)
        return taut_fail(s->context, TAUT_SINGULAR,
                         "%s:%d: body '%.*s' has no inertia about its axis, and no joint keeps it from turning about "
                         "itself: that turning is not determined; give it some inertia about the axis (a thin "
                         "cylinder), or take a point at each end, with a constraint on their distance",
                         s->m->file, thin->line, (int)strlen(thin->name) - 2, thin->name); /* its rotation: name_r */
    return taut_fail(s->context, TAUT_SINGULAR,
                     "%s:%d: the mass matrix is singular: coordinate '%s' has no kinetic energy of its own and the "
                     "constraints do not "
                     "cover it; give it a mass in the Lagrangian, a term with %s.dot, or remove the coordinate",
                     s->m->file, s->m->form_line, name, name);
}

/* What the first look found: other start values must lead to the same (system_refresh_mass). */
static int keep_singular(struct system *s, const int *singular, const pattern *shape, const real *values)
{
    if (s->augmentations++) return TAUT_OK;
    s->singular = taut_mem_new(s->context, s->n, sizeof *s->singular);
    s->light = taut_mem_new(s->context, s->c, sizeof *s->light);
    if (!s->singular || !s->light) return TAUT_OUT_OF_MEMORY;
    memcpy(s->singular, singular, s->n * sizeof *singular);
    s->augmented_by = typical_mass(shape, values);
    return find_light(s, shape, values, s->light);
}

/* Constraints within a singular block come first (the unit length of a rotation): they couple nothing that was not.
   Those between singular blocks, and those that touch one, follow only where it is singular still. */
static int cure_singular_mass(struct system *s, const place *at, real **values)
{
    int *singular = taut_mem_new(s->context, s->n, sizeof *singular), status = singular ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (int covered = 3; !status && covered >= 0; covered--) {
        const pattern *shape = X(field_hessian_pattern)(s->energy, KIND_W, KIND_W);
        memset(singular, 0, s->n * sizeof *singular);
        int found = find_singular(s, shape, *values, singular);
        if (found < 0) status = TAUT_OUT_OF_MEMORY;
        if (found <= 0) break;
        if (covered == 0) {
            status = report_singular(s, singular);
            break;
        }
        status = X(field_prepare_jacobian)(s->constraint, KIND_Q);
        if (!status) status = keep_singular(s, singular, shape, *values);
        if (!status) status = augment(s, singular, covered, typical_mass(shape, *values));
        if (!status && s->structure.augmented) status = remake_fields(s);
        taut_mem_free(s->context, *values);
        *values = NULL;
        if (!status) status = mass_values(s, at, values);
    }
    taut_mem_free(s->context, singular);
    return status;
}

/* W = M^-1 (L), or H_pp itself (H), where it is diagonal. */
static int invert_masses(struct system *s, const pattern *shape, const real *values)
{
    s->inverse_mass = taut_mem_new(s->context, s->n, sizeof *s->inverse_mass);
    if (!s->inverse_mass) return TAUT_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < s->n; i++) {
        int at = taut_pattern_find(shape, (int)i, (int)i);
        real mass = at >= 0 ? values[at] : 0;
        s->inverse_mass[i] = s->form == FORM_LAGRANGIAN ? 1 / mass : mass;
    }
    return taut_pattern_identity(s->context, (int)s->n, &s->inverse_mass_shape);
}

/* The same block by block, on the pattern of full blocks. */
static int invert_blocks(struct system *s, const partition *p, const pattern *shape, const real *values)
{
    if (p->largest == 1) return invert_masses(s, shape, values);
    size_t entries = 0, at = 0;
    for (int b = 0; b < p->count; b++) {
        size_t size = (size_t)(p->start[b + 1] - p->start[b]);
        entries += size * size;
    }
    int *row = taut_mem_new(s->context, entries, sizeof *row),
        *column = taut_mem_new(s->context, entries, sizeof *column);
    s->inverse_mass = taut_mem_new(s->context, entries, sizeof *s->inverse_mass);
    int status = row && column && s->inverse_mass ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    for (int b = 0; !status && b < p->count; b++)
        for (int r = p->start[b]; r < p->start[b + 1]; r++)
            for (int c = p->start[b]; c < p->start[b + 1]; c++, at++) row[at] = p->order[r], column[at] = p->order[c];
    if (!status)
        status = taut_pattern_create(s->context, (int)s->n, (int)s->n, row, column, entries, &s->inverse_mass_shape);
    taut_mem_free(s->context, row);
    taut_mem_free(s->context, column);
    for (int b = 0; !status && b < p->count; b++) {
        real dense[BLOCK_LIMIT * BLOCK_LIMIT], inverse[BLOCK_LIMIT * BLOCK_LIMIT], work[BLOCK_LIMIT];
        int pivot[BLOCK_LIMIT], size = p->start[b + 1] - p->start[b];
        const int *members = p->order + p->start[b];
        copy_block(p, b, shape, values, dense);
        if (s->form == FORM_LAGRANGIAN)
            X(dense_invert)(size, dense, inverse, pivot, work, 0);
        else
            memcpy(inverse, dense, sizeof inverse);
        for (int r = 0; r < size; r++)
            for (int c = 0; c < size; c++)
                s->inverse_mass[taut_pattern_find(s->inverse_mass_shape, members[r], members[c])] =
                    inverse[r * size + c];
    }
    return status;
}

/* Constant mass: nothing but constants in f_ww, and no coupling of w with q or t. */
static int find_constant_mass(struct system *s, const place *at, const real *values)
{
    structure *found = &s->structure;
    partition p;
    int status = X(field_prepare_hessian)(s->energy, KIND_W, KIND_Q);
    if (!status) status = X(field_prepare_hessian)(s->energy, KIND_W, KIND_T);
    if (status) return status;
    const pattern *shape = X(field_hessian_pattern)(s->energy, KIND_W, KIND_W);
    status = taut_partition_create(s->context, shape, &p);
    if (status) return status;
    found->separable = X(field_hessian_zero)(s->energy, KIND_W, KIND_Q);
    found->constant_mass = !X(field_hessian_varies)(s->energy, KIND_W, KIND_W);
    found->uncoupled = found->constant_mass && found->separable && X(field_hessian_zero)(s->energy, KIND_W, KIND_T);
    found->largest_block = p.largest;
    found->diagonal_mass = p.largest <= 1;
    if (found->constant_mass && p.largest <= BLOCK_LIMIT) status = invert_blocks(s, &p, shape, values);
    if (!status && found->uncoupled && p.largest <= BLOCK_LIMIT) {
        s->offset = taut_mem_new(s->context, s->n, sizeof *s->offset);
        if (!s->offset) status = TAUT_OUT_OF_MEMORY;
        place zero = *at;
        zero.x[KIND_W] = NULL; /* the gradient at w = 0 */
        if (!status) status = X(field_prepare_gradient)(s->energy, KIND_W);
        if (!status) X(field_gradient)(s->energy, KIND_W, &zero, NULL, s->offset);
        found->explicit_force = !found->force_velocity && !found->force_multiplier && !s->slip;
    }
    taut_partition_clear(s->context, &p);
    return status;
}

/* W and the offset with the constants of now, where they stand: others have their addresses. */
static int refresh_inverse(struct system *s, const place *at, const pattern *shape, const real *values, int *same)
{
    partition p;
    pattern *old_shape = s->inverse_mass_shape;
    real *old = s->inverse_mass;
    if (!old) return TAUT_OK;
    int status = taut_partition_create(s->context, shape, &p);
    if (status) return status;
    s->inverse_mass_shape = NULL;
    s->inverse_mass = NULL;
    status = invert_blocks(s, &p, shape, values);
    /* masses that are all the same, or not any more, are treated in another way (solve/multiplier.c) */
    for (int i = 1; !status && i < pattern_entries(old_shape); i++)
        *same &= (old[i] == old[0]) == (s->inverse_mass[i] == s->inverse_mass[0]);
    if (!status) memcpy(old, s->inverse_mass, (size_t)pattern_entries(old_shape) * sizeof *old);
    taut_pattern_destroy(s->context, s->inverse_mass_shape);
    taut_mem_free(s->context, s->inverse_mass);
    s->inverse_mass_shape = old_shape;
    s->inverse_mass = old;
    taut_partition_clear(s->context, &p);
    if (status || !s->offset) return status;
    place zero = *at;
    zero.x[KIND_W] = NULL;
    memset(s->offset, 0, s->n * sizeof *s->offset);
    X(field_gradient)(s->energy, KIND_W, &zero, NULL, s->offset);
    return TAUT_OK;
}

/* Would the mass matrix, as the user wrote it, be made regular by the same terms? */
static int refresh_augmentation(struct system *s, const place *at, int *same)
{
    real *values = NULL;
    int *singular = taut_mem_new(s->context, s->n, sizeof *singular);
    real *light = taut_mem_new(s->context, s->c, sizeof *light);
    int status = singular && light ? mass_values_of(s, s->ambient, at, &values) : TAUT_OUT_OF_MEMORY;
    if (!status) {
        const pattern *shape = X(field_hessian_pattern)(s->ambient, KIND_W, KIND_W);
        const int found = find_singular(s, shape, values, singular);
        if (found < 0) status = TAUT_OUT_OF_MEMORY;
        if (!status) status = find_light(s, shape, values, light);
        *same = !memcmp(singular, s->singular, s->n * sizeof *singular)
                && !memcmp(light, s->light, s->c * sizeof *light) && typical_mass(shape, values) == s->augmented_by;
    }
    taut_mem_free(s->context, values);
    taut_mem_free(s->context, light);
    taut_mem_free(s->context, singular);
    return status;
}

int X(system_refresh_mass)(struct system *s, int *same)
{
    real *values = NULL, t = 0, sum = 0;
    place at = place_at(s, s->start.q, s->start.w, &t, NULL);
    *same = 1;
    if (s->form == FORM_RATES) return TAUT_OK;
    /* Constant mass, and with it the offset, depends on constants alone. */
    if (s->mass_is_current && s->structure.constant_mass && !s->structure.augmented) return TAUT_OK;
    int status = s->structure.augmented ? refresh_augmentation(s, &at, same) : TAUT_OK;
    if (!status && *same) status = mass_values(s, &at, &values);
    if (status || !*same) return status;
    const pattern *shape = X(field_hessian_pattern)(s->energy, KIND_W, KIND_W);
    for (int k = 0; k < pattern_entries(shape); k++) sum += values[k] - values[k];
    int *singular = taut_mem_new(s->context, s->n, sizeof *singular);
    if (!singular) status = TAUT_OUT_OF_MEMORY;
    if (!status && s->form == FORM_LAGRANGIAN) {
        const int found = sum == 0 ? find_singular(s, shape, values, singular) : 1;
        if (found < 0) status = TAUT_OUT_OF_MEMORY;
        *same = found == 0;
    }
    if (!status && *same) status = refresh_inverse(s, &at, shape, values, same);
    taut_mem_free(s->context, singular);
    taut_mem_free(s->context, values);
    s->mass_is_current = !status && *same;
    return status;
}

/* Is the derivative of e by each variable zero where all of them are? */
static int vanishes_at_zero(taut_context *context, graph *g, expr e, const kernel *k, int *vanishes)
{
    expr *slots = taut_mem_new(context, 2 * (size_t)k->slots + 1, sizeof *slots), *zeros = slots + k->slots;
    const expr zero = taut_expr_number(g, 0);
    size_t count = 0;
    int failed = !slots || !zero;
    for (uint32_t i = 0; !failed && i < k->slots; i++)
        if (k->slot_kind[i] == KIND_W) zeros[count] = zero, slots[count++] = taut_expr_variable(g, KIND_SLOT, i);
    for (size_t i = 0; !failed && i < count; i++) {
        expr slope = taut_expr_derivative(g, e, slots[i]);
        if (slope) slope = taut_expr_substitute(g, slope, slots, zeros, count);
        failed = !slope;
        *vanishes &= slope == zero;
    }
    taut_mem_free(context, slots);
    return failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

/* Degree in w of each shape, everything else being constant. */
static int find_quadratic(struct system *s)
{
    graph *g = taut_store_shapes(s->store);
    s->structure.quadratic = s->structure.homogeneous = 1;
    for (size_t b = 0; b < s->energy_family.batch_count; b++) {
        const kernel *k = taut_store_kernel(s->store, s->energy_family.batches[b].kernel);
        expr *slots = taut_mem_new(s->context, k->slots, sizeof *slots),
             *others = taut_mem_new(s->context, k->slots, sizeof *others);
        size_t count = 0;
        for (uint32_t i = 0; slots && others && i < k->slots; i++)
            if (k->slot_kind[i] != KIND_W) {
                slots[count] = taut_expr_variable(g, KIND_SLOT, i);
                others[count++] = taut_expr_variable(g, KIND_CONSTANT_SLOT, k->constants + i);
            }
        const expr value = slots && others ? taut_expr_substitute(g, k->value, slots, others, count) : 0;
        const int degree = value ? taut_expr_degree(g, value, 1u << KIND_SLOT) : -1;
        taut_mem_free(s->context, slots);
        taut_mem_free(s->context, others);
        if (degree < 0) return TAUT_OUT_OF_MEMORY;
        if (degree > 2) s->structure.quadratic = s->structure.homogeneous = 0;
        if (s->structure.homogeneous && vanishes_at_zero(s->context, g, value, k, &s->structure.homogeneous))
            return TAUT_OUT_OF_MEMORY;
    }
    return TAUT_OK;
}

/* A formula that is not finite at the start is reported as such, not as a singular matrix. */
static int mass_is_finite(struct system *s, const place *at, const real *values)
{
    real sum = 0;
    const pattern *shape = X(field_hessian_pattern)(s->energy, KIND_W, KIND_W);
    for (int k = 0; k < pattern_entries(shape); k++) sum += values[k] - values[k];
    if (sum == 0) return TAUT_OK;
    int status = X(system_check_finite)(s, at, "at the start");
    return status ? status : taut_fail(s->context, TAUT_NOT_FINITE, "%s:%d: the mass matrix is not finite at the start",
                                  s->m->file, s->m->form_line);
}

/* Is r nonlinear in the multipliers: a force or rate that is no polynomial of degree 1 in them? */
static int find_nonlinear_multiplier(struct system *s)
{
    const model *m = s->m;
    const struct {
        const action *list;
        size_t count;
    } all[] = { { m->forces, m->force_count }, { m->rates, m->rate_count } };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (size_t i = 0; i < all[k].count && !s->structure.nonlinear_multiplier; i++) {
            int degree = taut_expr_degree(m->graph, all[k].list[i].value, 1u << KIND_LAMBDA);
            if (degree < 0) return TAUT_OUT_OF_MEMORY;
            s->structure.nonlinear_multiplier = degree > 1;
        }
    return TAUT_OK;
}

/* Has a velocity constraint a part without velocities, b(q,t)? */
static int find_affine(struct system *s, int *affine)
{
    int status = TAUT_OK;
    *affine = 0;
    for (size_t k = 0; !status && k < s->m->constraint_count; k++) {
        expr rest = 0;
        if (!s->m->constraints[k].velocity) continue;
        status = taut_model_at_rest(s->m, s->m->constraints[k].value, &rest);
        if (!status && !taut_expr_is_number(s->m->graph, rest, 0)) *affine = 1;
    }
    return status;
}

int X(system_find_structure)(struct system *s)
{
    structure *found = &s->structure;
    int affine = 0;
    unsigned force = X(field_kinds)(s->force), rate = X(field_kinds)(s->rate_w), g = X(field_kinds)(s->constraint);
    unsigned energy = s->energy ? X(field_kinds)(s->energy) : X(field_kinds)(s->rate_q);
    const unsigned slip = s->slip ? X(field_kinds)(s->slip) : 0;
    found->constraint_time = (g >> KIND_T) & 1;
    found->time_dependent = ((g | force | rate | energy | slip) >> KIND_T) & 1;
    found->has_forces = s->m->force_count > 0;
    found->force_position = ((force | rate) >> KIND_Q) & 1;
    found->force_time = ((force | rate) >> KIND_T) & 1;
    found->force_velocity = (force >> KIND_W) & 1;
    found->force_multiplier = ((force | rate) >> KIND_LAMBDA) & 1;
    real t = 0;
    int status = found->force_multiplier ? find_nonlinear_multiplier(s) : TAUT_OK;
    if (!status && s->slip) status = find_affine(s, &affine);
    found->constraint_time |= affine;
    place at = place_at(s, s->start.q, s->start.w, &t, NULL); /* for a first look at the mass matrix */
    real *mass = NULL;
    if (!status && s->form != FORM_RATES) status = mass_values(s, &at, &mass);
    if (!status && s->form == FORM_LAGRANGIAN) {
        status = mass_is_finite(s, &at, mass);
        if (!status) status = cure_singular_mass(s, &at, &mass);
    }
    if (!status && s->form != FORM_RATES) status = find_constant_mass(s, &at, mass);
    if (!status && s->form != FORM_RATES) status = find_quadratic(s);
    taut_mem_free(s->context, mass);
    return status;
}
