#include "solve/legendre.h"

#include <stdio.h>
#include <string.h>

#include "base/room.h"

struct legendre {
    struct system *s;
    /* a Lagrangian with a mass matrix that is not constant in small blocks; x also where p at rest is not constant */
    assembly *matrix;
    int id;
    void *room;            /* of the arrays below */
    real *values;          /* of L_vv */
    real *x;
    newton newton;
    /* the problem at hand: L_v(q,w) = right, or L_vv x = right */
    const real *q, *right;
    const place *at;
    real t;
};

void X(legendre_destroy)(legendre *l)
{
    if (!l) return;
    X(assembly_destroy)(l->matrix);
    room_free(l->s->context, &l->room);
    X(newton_clear)(&l->newton);
    taut_mem_free(l->s->context, l);
}

static void lay_out(void *self, room_layout *at)
{
    legendre *l = self;
    l->values = room_reals(at, (size_t)l->s->blocks[BLOCK_PI_W].value_count);
    l->x = room_reals(at, l->s->n);
}

static int create_matrix(legendre *l)
{
    struct system *s = l->s;
    int status = X(system_prepare_block)(s, BLOCK_PI_W);
    if (!status) status = X(newton_create)(s->context, (int)s->n, 0, &l->newton);
    if (!status) status = X(assembly_create)(s->context, (int)s->n, &l->matrix);
    if (!status) status = X(assembly_add)(l->matrix, &s->blocks[BLOCK_PI_W], 0, 0, &l->id);
    if (!status) status = X(assembly_finish)(l->matrix, 1);
    return status ? status : room_create(s->context, lay_out, l, &l->room);
}

int X(legendre_create)(struct system *s, legendre **result)
{
    *result = NULL;
    legendre *l = taut_mem_new(s->context, 1, sizeof *l);
    if (!l) return TAUT_OUT_OF_MEMORY;
    l->s = s;
    int status = s->form == FORM_LAGRANGIAN && !s->inverse_mass ? create_matrix(l) : TAUT_OK;
    if (!status && s->form == FORM_LAGRANGIAN && s->inverse_mass && !s->offset) {
        status = room_create(s->context, lay_out, l, &l->room);
        if (!status) status = X(field_prepare_gradient)(s->energy, KIND_W);
    }
    if (status)
        X(legendre_destroy)(l);
    else
        *result = l;
    return status;
}

static int form_mass(legendre *l, const place *at)
{
    X(system_block_values)(l->s, BLOCK_PI_W, at, l->values);
    X(assembly_zero)(l->matrix);
    X(assembly_put)(l->matrix, l->id, 1, l->values);
    int status = X(assembly_factor)(l->matrix);
    if (status != TAUT_SINGULAR) return status;
    char name[150] = "?";
    long column = X(assembly_status)(l->matrix)->deficient;
    if (column >= 0 && column < (long)l->s->n) X(system_coordinate_name)(l->s, (uint32_t)column, name, sizeof name);
    return taut_fail(l->s->context, TAUT_SINGULAR,
                     "at t = %.9g: the mass matrix is singular at coordinate '%s': momenta do not determine the "
                     "velocities there",
                     (double)*at->x[KIND_T], name);
}

static int solve(void *self, real *r) { return X(assembly_solve)(((legendre *)self)->matrix, r); }

static real measure(void *self, const real *x, const real *change)
{
    return X(newton_relative)(x, change, (int)((legendre *)self)->s->n);
}

static void name_equation(void *self, int equation, char *buffer, size_t size)
{
    char name[150];
    X(system_coordinate_name)(((legendre *)self)->s, (uint32_t)equation, name, sizeof name);
    snprintf(buffer, size, "momentum of %s", name);
}

static int stage_residual(void *self, const real *w, real *out)
{
    legendre *l = self;
    place at = place_at(l->s, l->q, w, &l->t, NULL);
    X(system_momentum)(l->s, &at, out);
    for (uint32_t i = 0; i < l->s->n; i++) out[i] -= l->right[i];
    return TAUT_OK;
}

static int stage_factor(void *self, const real *w)
{
    legendre *l = self;
    place at = place_at(l->s, l->q, w, &l->t, NULL);
    return form_mass(l, &at);
}

int X(legendre_stage)(legendre *l, const real *q, const real *p, real t, real *w)
{
    struct system *s = l->s;
    if (s->form != FORM_LAGRANGIAN) {
        memcpy(w, p, s->n * sizeof *w);
        return TAUT_OK;
    }
    if (s->inverse_mass) { /* p = M v + a(q,t) */
        place rest = place_at(s, q, NULL, &t, NULL);
        if (!s->offset) X(system_momentum)(s, &rest, l->x);
        for (uint32_t i = 0; i < s->n; i++) w[i] = p[i] - (s->offset ? s->offset[i] : l->x[i]);
        X(system_apply_inverse_mass)(s, w, w);
        return TAUT_OK;
    }
    l->q = q, l->right = p, l->t = t;
    newton_problem problem = { l, (int)s->n, stage_residual, stage_factor, solve, measure, name_equation, NULL, NULL, NULL, NULL };
    return X(newton_solve)(&l->newton, &problem, w, 0, t, "velocities from momenta");
}

static int mass_residual(void *self, const real *x, real *out)
{
    legendre *l = self;
    for (uint32_t i = 0; i < l->s->n; i++) out[i] = -l->right[i];
    X(block_multiply)(&l->s->blocks[BLOCK_PI_W], l->values, 1, x, out);
    return TAUT_OK;
}

static int mass_factor(void *self, const real *x)
{
    (void)x;
    return form_mass(self, ((legendre *)self)->at);
}

int X(legendre_mass_solve)(legendre *l, const place *at, real *x)
{
    struct system *s = l->s;
    if (s->inverse_mass) {
        X(system_apply_inverse_mass)(s, x, x);
        return TAUT_OK;
    }
    l->right = x, l->at = at;
    memset(l->x, 0, s->n * sizeof *x);
    newton_problem problem = { l, (int)s->n, mass_residual, mass_factor, solve, measure, name_equation, NULL, NULL, NULL, NULL };
    int status = X(newton_solve)(&l->newton, &problem, l->x, 0, *at->x[KIND_T], "accelerations");
    if (!status) memcpy(x, l->x, s->n * sizeof *x);
    return status;
}
