#include "solve/kkt.h"

#include <string.h>

#include "base/room.h"
#include "solve/assembly.h"
#include "solve/multiplier.h"
#include "solve/redundancy.h"
#include "solve/stress.h"

struct kkt {
    struct system *s;
    void *room;            /* of the arrays below */
    real *g;               /* values of BLOCK_G */
    /* constant mass */
    multiplier *multiplier;
    real *x, *y;           /* n each */
    /* otherwise: unknowns w (n), v (n), lambda (c); for Lagrangian models v is w and left out */
    assembly *matrix;
    int own_velocity;      /* v is an unknown of its own */
    int id_pi, id_phi, id_identity, id_nu, id_g, id_softening;
    block_shape identity, softening;
    pattern *diagonal;     /* c x c, of softened constraints */
    stress *stress;        /* as in multiplier.c */
    const double *own_softening; /* of this matrix alone; NULL: that of the system */
    real *values;          /* of the largest block */
    real *unknowns;
    size_t value_count, unknown_count; /* room for values and unknowns */
};

void X(kkt_destroy)(kkt *k)
{
    if (!k) return;
    taut_context *context = k->s->context;
    if (k->s->kkt == k) k->s->kkt = NULL;
    X(multiplier_destroy)(k->multiplier);
    X(assembly_destroy)(k->matrix);
    taut_pattern_destroy(context, k->diagonal);
    X(stress_destroy)(k->stress);
    room_free(context, &k->room);
    taut_mem_free(context, k);
}

static void lay_out(void *self, room_layout *l)
{
    kkt *k = self;
    k->g = room_reals(l, (size_t)k->s->blocks[BLOCK_G].value_count);
    if (k->matrix) {
        k->values = room_reals(l, k->value_count);
        k->unknowns = room_reals(l, k->unknown_count);
    } else {
        k->x = room_reals(l, k->s->n);
        k->y = room_reals(l, k->s->n);
    }
}

static int analyse(kkt *k, int lambda0)
{
    struct system *s = k->s;
    if (s->kkt && !s->kkt->diagonal == !k->diagonal) return X(assembly_finish_like)(k->matrix, s->kkt->matrix);
    int status = X(assembly_expect_nodes)(k->matrix, s);
    for (int at = 0; !status && at < lambda0; at += (int)s->n)
        X(assembly_rows)(k->matrix, at, 0), X(assembly_columns)(k->matrix, at, 0);
    if (!status) X(assembly_rows)(k->matrix, lambda0, 1), X(assembly_columns)(k->matrix, lambda0, 1);
    return status ? status : X(assembly_finish)(k->matrix, 0);
}

static int create_full(kkt *k)
{
    struct system *s = k->s;
    int n = (int)s->n, c = (int)s->c, largest = 0;
    static const block_id needed[] = { BLOCK_PI_W, BLOCK_PHI_LAMBDA, BLOCK_NU_W };
    int status = TAUT_OK;
    for (int i = 0; !status && i < 3; i++) {
        status = X(system_prepare_block)(s, needed[i]);
        if (s->blocks[needed[i]].value_count > largest) largest = s->blocks[needed[i]].value_count;
    }
    k->own_velocity = s->form != FORM_LAGRANGIAN;
    int v0 = k->own_velocity ? n : 0, lambda0 = v0 + n;
    k->identity.parts[0] = (block_part){ .source = PART_IDENTITY, .shape = s->identity, .sign = 1 };
    k->identity.part_count = 1;
    k->identity.value_count = n;
    if (largest < n) largest = n;
    if (!status) status = X(assembly_create)(s->context, lambda0 + c, &k->matrix);
    if (!status) status = X(assembly_add)(k->matrix, &s->blocks[BLOCK_PI_W], 0, 0, &k->id_pi);
    if (!status) status = X(assembly_add)(k->matrix, &s->blocks[BLOCK_PHI_LAMBDA], 0, lambda0, &k->id_phi);
    if (!status && k->own_velocity) status = X(assembly_add)(k->matrix, &s->blocks[BLOCK_NU_W], n, 0, &k->id_nu);
    if (!status && k->own_velocity) status = X(assembly_add)(k->matrix, &k->identity, n, n, &k->id_identity);
    if (!status) status = X(assembly_add)(k->matrix, &s->blocks[BLOCK_G], lambda0, v0, &k->id_g);
    if (!status && s->softening) {
        status = taut_pattern_identity(s->context, c, &k->diagonal);
        k->softening.parts[0] = (block_part){ .source = PART_IDENTITY, .shape = k->diagonal, .sign = 1 };
        k->softening.part_count = 1;
        k->softening.value_count = c;
        if (largest < c) largest = c;
        if (!status) status = X(assembly_add)(k->matrix, &k->softening, lambda0, lambda0, &k->id_softening);
        if (!status) status = X(stress_create)(s, NULL, &k->stress);
    }
    if (!status) status = analyse(k, lambda0);
    k->value_count = (size_t)largest;
    k->unknown_count = (size_t)(lambda0 + c);
    return status;
}

int X(kkt_create)(struct system *s, kkt **result)
{
    kkt *k = taut_mem_new(s->context, 1, sizeof *k);
    *result = NULL;
    if (!k) return TAUT_OUT_OF_MEMORY;
    k->s = s;
    int status = X(system_prepare_block)(s, BLOCK_G);
    int reduced = X(multiplier_is_enough)(s);
    if (!status && !reduced) status = create_full(k);
    if (!status && reduced && s->c) status = X(multiplier_create)(s, NULL, &k->multiplier);
    if (!status) status = room_create(s->context, lay_out, k, &k->room);
    if (status) {
        X(kkt_destroy)(k);
        return status;
    }
    if (!s->kkt && k->matrix) s->kkt = k;
    *result = k;
    return TAUT_OK;
}

/* Of the derivatives of phi by lambda the first part, G', stays; the forces' may not even be finite. */
static void remove_forces(kkt *k)
{
    const block_shape *b = &k->s->blocks[BLOCK_PHI_LAMBDA];
    if (k->s->form == FORM_RATES || b->part_count < 2) return;
    size_t first = (size_t)b->parts[0].shape->start[b->parts[0].shape->rows];
    memset(k->values + first, 0, ((size_t)b->value_count - first) * sizeof(real));
}

void X(kkt_soften)(kkt *k, const double *softening)
{
    k->own_softening = softening;
    if (k->multiplier) X(multiplier_soften)(k->multiplier, softening);
}

static const double *softening_of(const kkt *k) { return k->own_softening ? k->own_softening : k->s->softening; }

static int factor(kkt *k, const place *at, int forces)
{
    struct system *s = k->s;
    X(system_block_values)(s, BLOCK_G, at, k->g);
    if (k->matrix == NULL) return k->multiplier ? X(multiplier_factor)(k->multiplier, k->g, k->g) : TAUT_OK;
    X(stress_at)(k->stress, k->g);
    X(assembly_zero)(k->matrix);
    X(system_block_values)(s, BLOCK_PI_W, at, k->values);
    X(assembly_put)(k->matrix, k->id_pi, 1, k->values);
    X(system_block_values)(s, BLOCK_PHI_LAMBDA, at, k->values);
    if (!forces) remove_forces(k);
    X(assembly_put)(k->matrix, k->id_phi, -1, k->values);
    X(assembly_put)(k->matrix, k->id_g, 1, k->g);
    if (k->own_velocity) {
        X(system_block_values)(s, BLOCK_NU_W, at, k->values);
        X(assembly_put)(k->matrix, k->id_nu, -1, k->values);
        for (uint32_t i = 0; i < s->n; i++) k->values[i] = 1;
        X(assembly_put)(k->matrix, k->id_identity, 1, k->values);
    }
    if (k->diagonal) {
        for (uint32_t i = 0; i < s->c; i++) k->values[i] = softening_of(k)[i];
        X(assembly_put)(k->matrix, k->id_softening, 1, k->values);
    }
    int status = X(assembly_factor)(k->matrix);
    long first = (long)s->n * (k->own_velocity ? 2 : 1);
    return status == TAUT_SINGULAR ? X(redundant_constraint)(s, X(assembly_status)(k->matrix)->deficient - first)
                                   : status;
}

int X(kkt_factor)(kkt *k, const place *at) { return factor(k, at, 1); }
int X(kkt_factor_without_forces)(kkt *k, const place *at) { return factor(k, at, 0); }

/* S lambda = c - G b - G W a;  then w and v. */
static int solve_reduced(kkt *k, real *a, real *b, real *c)
{
    struct system *s = k->s;
    const block_shape *g = &s->blocks[BLOCK_G];
    uint32_t n = s->n;
    X(system_apply_inverse_mass)(s, a, k->x);
    for (uint32_t i = 0; i < n; i++) k->x[i] += b[i];
    X(block_multiply)(g, k->g, -1, k->x, c);
    int status = k->multiplier ? X(multiplier_solve)(k->multiplier, 1, c) : TAUT_OK;
    if (status) return status;
    X(block_multiply_transposed)(g, k->g, 1, c, a); /* a + G' lambda */
    X(system_apply_inverse_mass)(s, a, k->x);
    for (uint32_t i = 0; i < n; i++) b[i] += k->x[i];
    if (s->form == FORM_LAGRANGIAN) memcpy(a, k->x, n * sizeof *a);
    return TAUT_OK;
}

/* Without own velocities: v = w + b, so G w = c - G b. */
static int solve_full(kkt *k, real *a, real *b, real *c)
{
    struct system *s = k->s;
    uint32_t n = s->n, at = 0;
    if (!k->own_velocity) X(block_multiply)(&s->blocks[BLOCK_G], k->g, -1, b, c);
    memcpy(k->unknowns, a, n * sizeof *a), at += n;
    if (k->own_velocity) memcpy(k->unknowns + at, b, n * sizeof *b), at += n;
    memcpy(k->unknowns + at, c, s->c * sizeof *c);
    int status = X(assembly_solve)(k->matrix, k->unknowns);
    if (status) return status;
    memcpy(a, k->unknowns, n * sizeof *a);
    memcpy(c, k->unknowns + at, s->c * sizeof *c);
    for (uint32_t i = 0; i < n; i++) b[i] = k->own_velocity ? k->unknowns[n + i] : b[i] + a[i];
    return TAUT_OK;
}

int X(kkt_solve)(kkt *k, real *a, real *b, real *c)
{
    return k->matrix ? solve_full(k, a, b, c) : solve_reduced(k, a, b, c);
}

static int choose_full(kkt *k, int passes, const real *lambda, real *c)
{
    const struct system *s = k->s;
    size_t at = (size_t)s->n * (k->own_velocity ? 2 : 1);
    real *spare = k->unknowns + at;
    int status = TAUT_OK;
    if (k->stress) return X(stress_choose)(k->stress, lambda, c);
    for (uint32_t i = 0; i < s->c; i++) spare[i] = (lambda ? lambda[i] : 0) - c[i];
    for (int pass = 0; !status && pass < passes; pass++) {
        memset(k->unknowns, 0, at * sizeof(real));
        for (uint32_t i = 0; i < s->c; i++) spare[i] *= softening_of(k)[i];
        status = X(assembly_solve)(k->matrix, k->unknowns);
    }
    for (uint32_t i = 0; !status && i < s->c; i++) c[i] += spare[i];
    return status;
}

int X(kkt_choose_by)(kkt *k, int passes, const real *lambda, real *c)
{
    if (!k->s->softening || !k->s->c) return TAUT_OK;
    return k->matrix ? choose_full(k, passes, lambda, c) : X(multiplier_choose_by)(k->multiplier, passes, lambda, c);
}

int X(kkt_choose)(kkt *k, const real *lambda, real *c) { return X(kkt_choose_by)(k, REDUNDANCY_PASSES, lambda, c); }

const real *X(kkt_jacobian)(const kkt *k) { return k->g; }
