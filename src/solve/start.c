/* Start values: first the free positions from g = 0, then the free velocities (momenta) from G nu + g_t = 0, both as the solution
 * nearest to the guess (Gauss-Newton, minimum norm); then the whole state is checked, and moved onto the constraints in the metric
 * of the mass matrix - by a rounding error if it was consistent, by as much as it takes with START_PROJECT. */
#include "solve/start.h"

#include <lapacke.h>
#include <string.h>

#include "base/workspace.h"

#define CONSISTENT 1e-9 /* relative displacement that counts as a rounding of the given numbers */

typedef struct {
    struct system *s;
    kkt *kkt;
    state *x;
    const start_value *values[2]; /* of positions and velocities */
    int velocity;            /* unknowns are velocities, else positions */
    void *room;              /* of the arrays below */
    uint32_t *free;          /* coordinates being solved for */
    uint32_t count;
    real *r, *trial;         /* residual (c), saved unknowns */
    real *g;                 /* values of BLOCK_G */
    real *nu;                /* values of BLOCK_NU_W */
    real *a, *b, *v;         /* n */
} starter;

static void starter_clear(starter *z)
{
    mem_free(z->s->context, z->room);
    kkt_destroy(z->kkt);
}

static void lay_out(void *self, layout *l)
{
    starter *z = self;
    const struct system *s = z->s;
    z->free = layout_take(l, s->n, sizeof *z->free);
    z->r = layout_reals(l, s->c);
    z->trial = layout_reals(l, s->n);
    z->g = layout_reals(l, (size_t)s->blocks[BLOCK_G].value_count);
    z->nu = layout_reals(l, (size_t)s->blocks[BLOCK_NU_W].value_count);
    z->a = layout_reals(l, s->n);
    z->b = layout_reals(l, s->n);
    z->v = layout_reals(l, s->n);
}

static int starter_create(starter *z, struct system *s, state *x)
{
    *z = (starter){ .s = s, .x = x, .values = { s->m->start_q, s->m->start_w } };
    int status = system_prepare_block(s, BLOCK_G);
    if (!status) status = system_prepare_block(s, BLOCK_NU_W);
    if (!status) status = workspace_create(s->context, lay_out, z, &z->room);
    return status ? status : kkt_create(s, &z->kkt);
}

static place here(const starter *z) { return place_at(z->x->q, z->x->w, &z->x->t, z->x->lambda); }

/* g, or its time derivative */
static void residual(starter *z, real *out)
{
    struct system *s = z->s;
    place at = here(z);
    if (!z->velocity) {
        system_constraints(s, &at, out);
        return;
    }
    system_velocity(s, &at, z->v);
    system_block_values(s, BLOCK_G, &at, z->g);
    system_constraint_rate(s, &at, out);
    block_multiply(&s->blocks[BLOCK_G], z->g, 1, z->v, out);
}

static uint32_t worst(const real *x, uint32_t count)
{
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++)
        if (REAL(fabs)(x[i]) > REAL(fabs)(x[at])) at = i;
    return at;
}

/* The Jacobian of the residual by the free unknowns, dense, column-major: G, or G nu_w for velocities. */
static void free_jacobian(starter *z, double *dense)
{
    struct system *s = z->s;
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    place at = here(z);
    system_block_values(s, BLOCK_G, &at, z->g);
    system_block_values(s, BLOCK_NU_W, &at, z->nu);
    for (uint32_t f = 0; f < z->count; f++) {
        memset(z->a, 0, s->n * sizeof(real));
        memset(z->b, 0, s->n * sizeof(real));
        z->a[z->free[f]] = 1;
        if (z->velocity)
            block_multiply(&s->blocks[BLOCK_NU_W], z->nu, 1, z->a, z->b);
        else
            z->b[z->free[f]] = 1;
        for (uint32_t k = 0; k < s->c; k++) {
            real sum = 0;
            for (int e = p->start[k]; e < p->start[k + 1]; e++) sum += z->g[e] * z->b[p->index[e]];
            dense[(size_t)f * s->c + k] = (double)sum;
        }
    }
}

/* The first constraint whose row holds a number that is not finite. */
static uint32_t not_finite_row(const double *dense, uint32_t columns, uint32_t rows)
{
    for (uint32_t k = 0; k < rows; k++)
        for (uint32_t f = 0; f < columns; f++)
            if (!(dense[(size_t)f * rows + k] - dense[(size_t)f * rows + k] == 0)) return k;
    return 0;
}

/* One Gauss-Newton step of minimum norm, halved while the residual does not shrink. *size: relative change. */
static int free_step(starter *z, double *dense, double *right, lapack_int *pivot, real *size)
{
    struct system *s = z->s;
    real *unknown = z->velocity ? z->x->w : z->x->q;
    lapack_int m = (lapack_int)s->c, n = (lapack_int)z->count, rank, rows = m > n ? m : n;
    residual(z, z->r);
    real before = real_largest(z->r, s->c);
    free_jacobian(z, dense);
    memset(right, 0, (size_t)rows * sizeof *right);
    for (lapack_int k = 0; k < m; k++) right[k] = (double)-z->r[k];
    memset(pivot, 0, (size_t)n * sizeof *pivot);
    lapack_int info = LAPACKE_dgelsy(LAPACK_COL_MAJOR, m, n, 1, dense, m, right, rows, pivot, 1e-12, &rank);
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR)
        return fail(s->context, TAUT_OUT_OF_MEMORY, "out of memory while solving for the free start values");
    if (info < 0) { /* LAPACKE looks for numbers that are not finite */
        uint32_t k = not_finite_row(dense, z->count, s->c);
        return fail(s->context, TAUT_NOT_FINITE,
                    "%s:%d: constraint '%s' has no finite derivative where the search for the free start values came to; give another "
                    "guess in free()", s->m->file, s->m->constraints[k].line, s->m->constraints[k].name);
    }
    memcpy(z->trial, unknown, s->n * sizeof(real));
    real scale = 1, change = 0;
    for (int halving = 0; halving < 40; halving++, scale /= 2) {
        change = 0;
        for (lapack_int i = 0; i < n; i++) {
            unknown[z->free[i]] = z->trial[z->free[i]] + scale * (real)right[i];
            change = REAL(fmax)(change, REAL(fabs)(scale * (real)right[i]));
        }
        residual(z, z->r);
        if (real_largest(z->r, s->c) <= before) break;
        if (change <= 4 * REAL_EPSILON * (real_largest(z->trial, s->n) + 1)) break;
    }
    *size = change / (real_largest(unknown, s->n) + s->least);
    return TAUT_OK;
}

static int solve_free(starter *z)
{
    struct system *s = z->s;
    const start_value *values = z->values[z->velocity];
    z->count = 0;
    for (uint32_t i = 0; i < s->n; i++)
        if (values[i].type == START_FREE) z->free[z->count++] = i;
    if (!z->count || !s->c) return TAUT_OK;
    size_t rows = s->c > z->count ? s->c : z->count;
    if ((size_t)s->c * z->count > 20000000)
        return fail(s->context, TAUT_UNSUPPORTED,
                    "%u free start values under %u constraints are too many to solve for; give them by a formula", z->count, s->c);
    double *dense = mem_new(s->context, (size_t)s->c * z->count, sizeof *dense);
    double *right = mem_new(s->context, rows, sizeof *right);
    lapack_int *pivot = mem_new(s->context, z->count, sizeof *pivot);
    int status = dense && right && pivot ? TAUT_OK : TAUT_OUT_OF_MEMORY;
    real size = 1, before = 1;
    for (int k = 0; !status && k < 200; k++) {
        status = free_step(z, dense, right, pivot, &size);
        if (!(size > REAL_EPSILON) || (size < (real)1e-12 && size > before / 2)) break; /* round-off */
        before = size;
    }
    mem_free(s->context, dense);
    mem_free(s->context, right);
    mem_free(s->context, pivot);
    return status;
}

/* Moves the unknowns onto the constraints in the mass metric: one Newton step. *size: relative change, *moved: absolute. */
static int project_step(starter *z, real *size, real *moved)
{
    struct system *s = z->s;
    place at = here(z);
    int status = kkt_factor(z->kkt, &at);
    if (status) return status;
    residual(z, z->r);
    for (uint32_t k = 0; k < s->c; k++) z->r[k] = -z->r[k];
    memset(z->a, 0, s->n * sizeof(real));
    memset(z->b, 0, s->n * sizeof(real));
    status = kkt_solve(z->kkt, z->a, z->b, z->r);
    if (status) return status;
    real *unknown = z->velocity ? z->x->w : z->x->q, *change = z->velocity ? z->a : z->b;
    *moved = real_largest(change, s->n);
    *size = *moved / (real_largest(unknown, s->n) + s->least);
    for (uint32_t i = 0; i < s->n; i++) unknown[i] += change[i];
    return TAUT_OK;
}

static int inconsistent(starter *z, real moved)
{
    struct system *s = z->s;
    residual(z, z->r);
    uint32_t k = worst(z->r, s->c);
    const char *what = z->velocity ? "velocities" : "positions";
    if (z->count)
        return fail(s->context, TAUT_BAD_MODEL,
                    "%s:%d: no start %s found: constraint '%s' still misses by %.3g after the free values were solved for; give a "
                    "better guess in free(), free more values, or use --start project",
                    s->m->file, s->m->constraints[k].line, what, s->m->constraints[k].name, (double)z->r[k]);
    return fail(s->context, TAUT_BAD_MODEL,
                "%s:%d: the start %s are inconsistent: %sconstraint '%s' misses by %.3g (the nearest consistent start is %.3g away); "
                "correct the start values, free some with free(guess), or use --start project",
                s->m->file, s->m->constraints[k].line, what, z->velocity ? "the time derivative of " : "",
                s->m->constraints[k].name, (double)z->r[k], (double)moved);
}

static int onto_constraints(starter *z, start_mode mode, real *total)
{
    struct system *s = z->s;
    real *unknown = z->velocity ? z->x->w : z->x->q, size = 0, before = 0, moved;
    *total = 0;
    if (!s->c) return TAUT_OK;
    memcpy(z->trial, unknown, s->n * sizeof(real));
    for (int k = 0; k < 60; k++) {
        int status = project_step(z, &size, &moved);
        if (status) return status;
        if (k == 0 && mode == START_STRICT && !(size <= (real)CONSISTENT)) {
            memcpy(unknown, z->trial, s->n * sizeof(real));
            return inconsistent(z, moved);
        }
        if (k == 0 && size <= 4 * REAL_EPSILON) { /* consistent as given: leave the numbers alone */
            memcpy(unknown, z->trial, s->n * sizeof(real));
            return TAUT_OK;
        }
        if (!(size - size == 0)) break;
        if (size <= REAL_EPSILON || (k > 0 && size < (real)1e-9 && size > before / 2)) {
            for (uint32_t i = 0; i < s->n; i++) *total = real_most(*total, unknown[i] - z->trial[i]);
            return TAUT_OK;
        }
        before = size;
    }
    residual(z, z->r);
    uint32_t k = worst(z->r, s->c);
    return fail(s->context, TAUT_NO_CONVERGENCE,
                "%s:%d: the start values could not be projected onto the constraints: '%s' misses by %.3g; start nearer", s->m->file,
                s->m->constraints[k].line, s->m->constraints[k].name, (double)z->r[k]);
}

static int given_values(struct system *s, state *x)
{
    for (uint32_t i = 0; i < s->n; i++) {
        int status = s->m->start_q[i].value ? system_constant(s, s->m->start_q[i].value, &x->q[i]) : TAUT_OK;
        if (!status && s->m->start_w[i].value) status = system_constant(s, s->m->start_w[i].value, &x->w[i]);
        if (status) return status;
    }
    /* Forces may be nonlinear in the multipliers, with several roots: a guess tells which. In rates they may stand in any way, and zero
       is where powers have no derivative and squares lose the sign: without a guess begin at one there. */
    for (uint32_t k = 0; k < s->c; k++) {
        x->lambda[k] = s->form == FORM_RATES ? 1 : 0;
        int status = s->m->constraints[k].guess ? system_constant(s, s->m->constraints[k].guess, &x->lambda[k]) : TAUT_OK;
        if (status) return status;
    }
    return TAUT_OK;
}

/* Solves for positions, or for velocities as well, from the values in x. */
static int make_consistent(starter *z, int last, start_mode mode, start_report *report)
{
    int status = TAUT_OK;
    for (z->velocity = 0; !status && z->velocity <= last; z->velocity++) {
        real moved = 0;
        status = solve_free(z);
        *(z->velocity ? &report->free_w : &report->free_q) += z->s->c ? z->count : 0;
        if (!status) status = onto_constraints(z, mode, &moved);
        real *most = z->velocity ? &report->moved_w : &report->moved_q;
        *most = REAL(fmax)(*most, moved);
    }
    return status;
}

int start_second_point(struct system *s, start_mode mode, real t, state *x, start_report *report)
{
    starter z;
    int status = TAUT_OK;
    for (uint32_t i = 0; !status && i < s->n; i++) status = system_constant(s, s->m->start_q1[i].value, &x->q[i]);
    x->t = t;
    place at = place_at(x->q, x->w, &x->t, x->lambda);
    if (!status) status = system_check_finite(s, &at, "at the second of the start points");
    if (status) return status;
    status = starter_create(&z, s, x);
    z.values[0] = s->m->start_q1;
    if (!status) status = make_consistent(&z, 0, mode, report);
    starter_clear(&z);
    return status;
}

int start_state(struct system *s, start_mode mode, state *x, start_report *report)
{
    starter z;
    *report = (start_report){ 0 };
    int status = given_values(s, x);
    place at = place_at(x->q, x->w, &x->t, x->lambda);
    if (!status) status = system_check_finite(s, &at, "at the start");
    if (status) return status;
    if (s->m->phase) { /* consistent already: analysis/phase.c */
        const phase_info *found = s->m->phase;
        *report = (start_report){ found->free_q, found->free_w, (real)found->moved_q, (real)found->moved_w };
        system_momentum(s, &at, x->p);
        return TAUT_OK;
    }
    if (mode == START_AS_IS) {
        system_momentum(s, &at, x->p);
        return TAUT_OK;
    }
    status = starter_create(&z, s, x);
    if (!status) status = make_consistent(&z, s->m->start_points_line ? 0 : 1, mode, report);
    starter_clear(&z);
    if (!status) status = system_check_finite(s, &at, "at the start");
    if (!status) system_momentum(s, &at, x->p);
    return status;
}

int start_project(struct system *s, state *x)
{
    starter z;
    real moved;
    if (s->m->phase) return fail(s->context, TAUT_UNSUPPORTED, "states near the start are not looked for on phase space");
    int status = starter_create(&z, s, x);
    for (z.velocity = 0; !status && z.velocity < 2; z.velocity++) status = onto_constraints(&z, START_PROJECT, &moved);
    starter_clear(&z);
    if (status) return status;
    place at = place_at(x->q, x->w, &x->t, x->lambda);
    system_momentum(s, &at, x->p);
    memset(x->q_low, 0, s->n * sizeof(real));
    memset(x->p_low, 0, s->n * sizeof(real));
    return TAUT_OK;
}
