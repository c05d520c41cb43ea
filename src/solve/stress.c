#include "solve/stress.h"

#include <string.h>

#include "base/room.h"
#include "linalg/linear.h"

/* Beside the constraints (half a step ahead) what depends on others does so up to the square of the step; and where a
   combination of the members does not do at all, it is left out. */
#define NEARLY ((real)1e-3)
#define INDEPENDENT ((real)1e-6) /* as at the start, or more */
/* Solutions are those of factors in double: each pass gains their digits. */
enum { PASSES = sizeof(real) > sizeof(double) ? 3 : 2 };

struct stress {
    const struct system *s;
    const stress_plan *plan;
    const int *order;       /* of the values of g; NULL: as in the pattern */
    const real *g;
    int known;              /* N and the factors are those of g */
    linear *solver;
    void *room;             /* of the arrays below */
    real *n;                /* values of N, by members */
    double *weighed, *plain; /* D N, and N in double */
    double *matrix;         /* N' D N */
    double *y;              /* count */
    real *x;                /* c: what is left of lambda - change */
    real *columns, *r, *factors; /* of stress_combine */
};

void X(stress_destroy)(stress *z)
{
    if (!z) return;
    taut_linear_destroy(z->solver);
    room_free(z->s->context, &z->room);
    taut_mem_free(z->s->context, z);
}

static void lay_out(void *self, room_layout *l)
{
    stress *z = self;
    const stress_plan *p = z->plan;
    const size_t members = (size_t)p->start[p->count], most = (size_t)p->most_members;
    z->n = room_reals(l, members);
    z->weighed = room_take(l, members, sizeof *z->weighed);
    z->plain = room_take(l, members, sizeof *z->plain);
    z->matrix = room_take(l, (size_t)pattern_entries(&p->shape), sizeof *z->matrix);
    z->y = room_take(l, (size_t)p->count, sizeof *z->y);
    z->x = room_reals(l, z->s->c);
    z->columns = room_reals(l, most * (size_t)p->most_rows);
    z->r = room_reals(l, most * most);
    z->factors = room_reals(l, most);
}

int X(stress_create)(const struct system *s, const int *order, stress **result)
{
    *result = NULL;
    if (!s->stresses) return TAUT_OK;
    stress *z = taut_mem_new(s->context, 1, sizeof *z);
    if (!z) return TAUT_OUT_OF_MEMORY;
    z->s = s, z->plan = s->stresses, z->order = order;
    const pattern *shape = &z->plan->shape;
    int status = taut_linear_create(s->context, LINEAR_LDL, shape->rows, shape->start, shape->index, 1, &z->solver);
    if (!status) status = room_create(s->context, lay_out, z, &z->room);
    if (status)
        X(stress_destroy)(z);
    else
        *result = z;
    return status;
}

void X(stress_at)(stress *z, const real *g)
{
    if (z) z->g = g, z->known = 0;
}

/* ---- N ---- */

static real dot(int count, const real *x, const real *y)
{
    real sum = 0;
    for (int i = 0; i < count; i++) sum += x[i] * y[i];
    return sum;
}

/* Modified Gram-Schmidt, each column twice; column 0 comes last. r_ij: column j along the unit column i. */
real X(stress_combine)(int rows, int count, real *columns, real *r, real least, real *x)
{
    real length = REAL(sqrt)(dot(rows, columns, columns));
    memset(r, 0, (size_t)count * (size_t)count * sizeof(real));
    for (int turn = 1; turn <= count; turn++) {
        const int j = turn % count;
        real *v = columns + (size_t)j * (size_t)rows, whole = REAL(sqrt)(dot(rows, v, v));
        for (int pass = 0; pass < 2; pass++)
            for (int i = 1; i < (j ? j : count); i++) {
                const real *unit = columns + (size_t)i * (size_t)rows;
                if (!(r[i * count + i] > 0)) continue;
                const real along = dot(rows, unit, v);
                r[i * count + j] += along;
                for (int k = 0; k < rows; k++) v[k] -= along * unit[k];
            }
        if (!j) break;
        const real left = REAL(sqrt)(dot(rows, v, v));
        r[j * count + j] = left > least * whole ? left : 0;
        for (int k = 0; k < rows && left > least * whole; k++) v[k] /= left;
    }
    x[0] = 1;
    for (int i = count; i-- > 1;) {
        real sum = -r[i * count];
        for (int j = i + 1; j < count; j++) sum -= r[i * count + j] * x[j];
        x[i] = r[i * count + i] > 0 ? sum / r[i * count + i] : 0;
    }
    real left = REAL(sqrt)(dot(rows, columns, columns));
    return length > 0 ? left / length : 1;
}

static void find_column(stress *z, int i)
{
    const stress_plan *p = z->plan;
    const pattern *g = z->s->blocks[BLOCK_G].parts[0].shape;
    const int first = p->start[i], count = p->start[i + 1] - first, rows = p->rows[i];
    memset(z->columns, 0, (size_t)rows * (size_t)count * sizeof(real));
    for (int m = 0; m < count; m++) {
        const int *row = p->entry_row + p->entry_start[first + m];
        const int begin = g->start[p->member[first + m]], end = g->start[p->member[first + m] + 1];
        for (int e = begin; e < end; e++)
            z->columns[m * rows + row[e - begin]] = z->g[z->order ? z->order[e] : e];
    }
    const real left = X(stress_combine)(rows, count, z->columns, z->r, INDEPENDENT, z->factors);
    for (int m = 0; m < count; m++) {
        z->n[first + m] = left <= NEARLY ? z->factors[m] : 0;
        z->plain[first + m] = (double)z->n[first + m];
        z->weighed[first + m] = p->metric[p->member[first + m]] * z->plain[first + m];
    }
}

static int find_all(stress *z)
{
    const stress_plan *p = z->plan;
    for (int i = 0; i < p->count; i++) find_column(z, i);
    for (int i = 0; i < p->count; i++)
        for (int e = p->shape.start[i]; e < p->shape.start[i + 1]; e++) {
            double sum = 0;
            for (int k = p->pair_start[e]; k < p->pair_start[e + 1]; k++)
                sum += z->weighed[p->pair_a[k]] * z->plain[p->pair_b[k]];
            z->matrix[e] = p->shape.index[e] != i || sum > 0 ? sum : 1; /* of one that is left out */
        }
    int status = taut_linear_factor(z->solver, z->matrix);
    z->known = !status;
    return status;
}

/* x -= N (N' D N)^-1 N' D x */
static int take_out(stress *z)
{
    const stress_plan *p = z->plan;
    for (int i = 0; i < p->count; i++) {
        real sum = 0;
        for (int m = p->start[i]; m < p->start[i + 1]; m++)
            sum += (real)p->metric[p->member[m]] * z->n[m] * z->x[p->member[m]];
        z->y[i] = (double)sum;
    }
    int status = taut_linear_solve(z->solver, z->y);
    for (int i = 0; !status && i < p->count; i++)
        for (int m = p->start[i]; m < p->start[i + 1]; m++) z->x[p->member[m]] -= z->n[m] * z->y[i];
    return status;
}

int X(stress_choose)(stress *z, const real *lambda, real *change)
{
    const uint32_t c = z->s->c;
    int status = z->known ? TAUT_OK : find_all(z);
    for (uint32_t k = 0; k < c; k++) z->x[k] = (lambda ? lambda[k] : 0) - change[k];
    for (int pass = 0; !status && pass < PASSES; pass++) status = take_out(z);
    for (uint32_t k = 0; !status && k < c; k++) change[k] = (lambda ? lambda[k] : 0) - z->x[k];
    return status;
}
