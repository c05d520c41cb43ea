#include "solve/redundancy.h"

#include <stdio.h>
#include <string.h>

/* The diagonal of the matrix of a block at a place. */
static void add_diagonal(const block_shape *b, const real *values, real *out)
{
    for (int i = 0; i < b->part_count; i++) {
        const pattern *p = b->parts[i].shape;
        for (int r = 0; r < p->rows; r++)
            for (int e = p->start[r]; e < p->start[r + 1]; e++, values++)
                if (p->index[e] == r) out[r] += *values;
    }
}

block_id X(redundancy_block)(const struct system *s)
{
    return s->form == FORM_LAGRANGIAN ? BLOCK_PI_W : BLOCK_NU_W;
}

size_t X(redundancy_room)(const struct system *s)
{
    return (size_t)s->n + (size_t)s->blocks[X(redundancy_block)(s)].value_count;
}

/* 1 / M_ii; of a Hamiltonian the diagonal of M^-1 itself. */
static void find_weights(const struct system *s, const place *at, real *values, real *weights)
{
    const block_id id = X(redundancy_block)(s);
    real most = 0;
    X(system_block_values)(s, id, at, values);
    memset(weights, 0, s->n * sizeof *weights);
    add_diagonal(&s->blocks[id], values, weights);
    for (uint32_t i = 0; i < s->n; i++) most = real_most(most, weights[i]);
    for (uint32_t i = 0; i < s->n; i++) { /* a coordinate without mass of its own moves with others */
        real size = REAL(fabs)(weights[i]) > (real)1e-6 * most ? REAL(fabs)(weights[i]) : most;
        weights[i] = !(size > 0) ? 1 : s->form == FORM_LAGRANGIAN ? 1 / size : size;
    }
}

void X(redundancy_diagonal)(const struct system *s, const place *at, const real *g, double part, real *work,
                            double *softening)
{
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    real *weights = work;
    find_weights(s, at, work + s->n, weights);
    for (int k = 0; k < p->rows; k++) {
        real sum = 0;
        for (int e = p->start[k]; e < p->start[k + 1]; e++) sum += g[e] * g[e] * weights[p->index[e]];
        softening[k] = part * (double)sum;
    }
}

int X(redundancy_soften)(struct system *s, const place *at, const real *g, double part)
{
    int status = X(system_prepare_block)(s, X(redundancy_block)(s));
    if (status) return status;
    real *work = taut_mem_new(s->context, X(redundancy_room)(s), sizeof *work);
    double *softening = taut_mem_new(s->context, s->c, sizeof *softening);
    if (work && softening) X(redundancy_diagonal)(s, at, g, part, work, softening);
    taut_mem_free(s->context, work);
    if (!work || !softening) {
        taut_mem_free(s->context, softening);
        return TAUT_OUT_OF_MEMORY;
    }
    taut_mem_free(s->context, s->softening);
    s->softening = softening;
    return TAUT_OK;
}

void X(redundancy_names)(const struct system *s, const real *forces, char *text, size_t size)
{
    enum { NAMED = 3 };
    uint32_t first[NAMED] = { 0 }, count = 0;
    for (; count < NAMED && count < s->c; count++) {
        uint32_t best = s->c;
        for (uint32_t k = 0; k < s->c; k++) {
            int named = (count > 0 && first[0] == k) || (count > 1 && first[1] == k);
            if (!named && (best == s->c || forces[k] > forces[best])) best = k;
        }
        first[count] = best;
    }
    size_t end = 0;
    text[0] = 0;
    for (uint32_t i = 0; i < count && end < size; i++)
        end += (size_t)snprintf(text + end, size - end, "%s'%.30s'", !i ? "" : i + 1 < count ? ", " : " and ",
                                X(system_constraint_origin)(s, first[i]).name);
}
