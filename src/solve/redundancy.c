#include "solve/redundancy.h"

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

/* 1 / M_ii; of a Hamiltonian the diagonal of M^-1 itself. */
static int find_weights(struct system *s, const place *at, real *weights)
{
    block_id id = s->form == FORM_LAGRANGIAN ? BLOCK_PI_W : BLOCK_NU_W;
    int status = X(system_prepare_block)(s, id);
    real *values = status ? NULL : taut_mem_new(s->context, (size_t)s->blocks[id].value_count, sizeof *values), most = 0;
    if (!status && !values) status = TAUT_OUT_OF_MEMORY;
    if (status) return status;
    X(system_block_values)(s, id, at, values);
    add_diagonal(&s->blocks[id], values, weights);
    taut_mem_free(s->context, values);
    for (uint32_t i = 0; i < s->n; i++) most = real_most(most, weights[i]);
    for (uint32_t i = 0; i < s->n; i++) { /* a coordinate without mass of its own moves with others */
        real size = REAL(fabs)(weights[i]) > (real)1e-6 * most ? REAL(fabs)(weights[i]) : most;
        weights[i] = !(size > 0) ? 1 : s->form == FORM_LAGRANGIAN ? 1 / size : size;
    }
    return TAUT_OK;
}

int X(redundancy_soften)(struct system *s, const place *at, const real *g, double part)
{
    const pattern *p = s->blocks[BLOCK_G].parts[0].shape;
    real *weights = taut_mem_new(s->context, s->n, sizeof *weights);
    double *softening = taut_mem_new(s->context, s->c, sizeof *softening);
    int status = weights && softening ? find_weights(s, at, weights) : TAUT_OUT_OF_MEMORY;
    for (int k = 0; !status && k < p->rows; k++) {
        real sum = 0;
        for (int e = p->start[k]; e < p->start[k + 1]; e++) sum += g[e] * g[e] * weights[p->index[e]];
        softening[k] = part * (double)sum;
    }
    taut_mem_free(s->context, weights);
    if (status) {
        taut_mem_free(s->context, softening);
        return status;
    }
    taut_mem_free(s->context, s->softening);
    s->softening = softening;
    return TAUT_OK;
}
