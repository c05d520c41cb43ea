/* Rotations as unit quaternions r = (w, x, y, z) = (w, u): the angular velocity, and how they turn vectors. */
#include "model/script.h"

/* The group that a vector is, whole: its consecutive coordinates. */
static const group *rotation_group(lua_State *L, const vector *r, uint32_t *index)
{
    script *s = taut_script_of(L);
    uint32_t first, k;
    if (!r || r->dimension != 4 || !taut_symbols_is_variable(s, r->at[0], KIND_Q, &first)) return NULL;
    const group *owner = &s->model->groups[s->model->group_of[first]];
    for (uint32_t i = 0; i < 4; i++)
        if (!taut_symbols_is_variable(s, r->at[i], KIND_Q, &k) || k != owner->first + i) return NULL;
    *index = s->model->group_of[first];
    return owner->type == GROUP_ROTATION ? owner : NULL;
}

int taut_rotation_is(lua_State *L, const vector *r)
{
    uint32_t index;
    return rotation_group(L, r, &index) != NULL;
}

/* a b - c d */
static expr difference(graph *g, expr a, expr b, expr c, expr d)
{
    return taut_expr_sub(g, taut_expr_mul(g, a, b), taut_expr_mul(g, c, d));
}

/* omega = 2 vec(conj(r) r') = 2 (w u' - w' u - u x u') */
int taut_rotation_omega(lua_State *L, const vector *r)
{
    graph *g = taut_script_of(L)->graph;
    uint32_t index;
    if (!rotation_group(L, r, &index))
        return taut_script_error(L, "only a rotation has omega; this is %s", taut_symbols_describe(L, 1));
    expr v[4];
    for (int i = 0; i < 4; i++) v[i] = taut_derivative_of_time(L, r->at[i]);
    vector omega = { .dimension = 3, .omega_of = index + 1 };
    for (int i = 0; i < 3; i++) {
        int j = 1 + (i + 1) % 3, k = 1 + (i + 2) % 3;
        expr sum = taut_expr_sub(g, difference(g, r->at[0], v[i + 1], v[0], r->at[i + 1]),
                            difference(g, r->at[j], v[k], r->at[k], v[j]));
        omega.at[i] = taut_expr_mul(g, taut_expr_number(g, 2), sum);
    }
    return taut_vectors_push(L, &omega);
}

/* Row i of the matrix of b -> r b conj(r): (w^2 - u.u) b + 2 u (u.b) + 2 w u x b. It is quadratic in r. */
expr taut_rotation_entry(graph *g, const expr *r, int row, int column)
{
    expr square[4];
    if (row == column) {
        for (int i = 0; i < 4; i++) square[i] = taut_expr_powi(g, r[i], 2);
        int j = 1 + (row + 1) % 3, k = 1 + (row + 2) % 3;
        return taut_expr_sub(g, taut_expr_sub(g, taut_expr_add(g, square[0], square[row + 1]), square[j]), square[k]);
    }
    /* (u x b)_row = -u_third b_column when cyclic */
    int third = 1 + (3 - row - column), cyclic = (row + 1) % 3 == column;
    expr both = taut_expr_mul(g, r[row + 1], r[column + 1]), turn = taut_expr_mul(g, r[0], r[third]);
    return taut_expr_mul(g, taut_expr_number(g, 2),
                         cyclic ? taut_expr_sub(g, both, turn) : taut_expr_add(g, both, turn));
}

int taut_rotation_apply(lua_State *L)
{
    graph *g = taut_script_of(L)->graph;
    const vector *r = taut_vectors_at(L, 1);
    uint32_t index;
    vector body, space = { .dimension = 3 };
    if (!rotation_group(L, r, &index))
        return taut_script_error(L, "apply belongs to rotations; write r:apply{x, y, z}, with a colon");
    taut_vectors_get(L, 2, "apply", &body);
    if (body.dimension == 0) body.dimension = 3;
    if (body.dimension != 3)
        return taut_script_error(L, "apply needs a vector of 3, got %s; write r:apply{x, y, z}",
                                 taut_symbols_describe(L, 2));
    for (int row = 0; row < 3; row++) {
        expr sum = taut_expr_number(g, 0);
        for (int column = 0; column < 3; column++)
            sum = taut_expr_add(g, sum, taut_expr_mul(g, taut_rotation_entry(g, r->at, row, column), body.at[column]));
        space.at[row] = sum;
    }
    return taut_vectors_push(L, &space);
}

/* r' = r (0, omega) / 2 = (-u.omega, w omega + u x omega) / 2 */
void taut_rotation_velocity(graph *g, const expr *r, const expr *omega, expr *velocity)
{
    expr half = taut_expr_number(g, (wide)0.5), sum = taut_expr_number(g, 0);
    for (int i = 0; i < 3; i++) sum = taut_expr_add(g, sum, taut_expr_mul(g, r[i + 1], omega[i]));
    velocity[0] = taut_expr_neg(g, taut_expr_mul(g, half, sum));
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        expr cross = difference(g, r[j + 1], omega[k], r[k + 1], omega[j]);
        velocity[i + 1] = taut_expr_mul(g, half, taut_expr_add(g, taut_expr_mul(g, r[0], omega[i]), cross));
    }
}
