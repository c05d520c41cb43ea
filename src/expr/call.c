#include "expr/call.h"

#include <math.h>
#include <string.h>

#include "expr/graph.h"

/* ---- the table ---- */

int taut_graph_function(graph *g, const context_function *f)
{
    for (size_t i = 0; i < g->function_count; i++)
        if (memcmp(&g->functions[i], f, sizeof *f) == 0) return (int)i;
    if (g->function_count >= CALL_FUNCTIONS) {
        taut_fail(g->context, TAUT_UNSUPPORTED, "a model calls more than %d functions", CALL_FUNCTIONS);
        return -1;
    }
    if (taut_mem_grow(g->context, &g->functions, &g->function_capacity, g->function_count + 1, sizeof *g->functions))
        return -1;
    g->functions[g->function_count] = *f;
    return (int)g->function_count++;
}

const context_function *taut_graph_called(const graph *g, uint32_t function) { return &g->functions[function]; }

int taut_graph_take_functions(graph *g, const graph *from)
{
    if (!from->function_count) return TAUT_OK;
    if (taut_mem_grow(g->context, &g->functions, &g->function_capacity, from->function_count, sizeof *g->functions))
        return TAUT_OUT_OF_MEMORY;
    memcpy(g->functions, from->functions, from->function_count * sizeof *g->functions);
    g->function_count = from->function_count;
    return TAUT_OK;
}

int taut_graph_has_calls(const graph *g) { return g->has_calls; }
int taut_graph_is_refused(const graph *g) { return g->is_refused; }

/* ---- nodes ---- */

expr taut_expr_call(graph *g, uint32_t function, const expr *arguments, size_t count)
{
    expr list = count ? arguments[count - 1] : 0;
    for (size_t i = count; i-- > 1;) list = taut_expr_binary(g, OP_ARGUMENT, arguments[i - 1], list);
    return list ? taut_expr_numbered(g, OP_CALL, list, (int32_t)(function << 16)) : 0;
}

expr taut_call_next(const graph *g, expr *list)
{
    const expr at = *list;
    const node *n = taut_graph_node(g, at);
    if (!at) return 0;
    if (n->op != OP_ARGUMENT) {
        *list = 0;
        return at;
    }
    *list = n->b;
    return n->a;
}

expr taut_call_partial(graph *g, expr e, uint32_t i)
{
    const node n = *taut_graph_node(g, e);
    const context_function *f = taut_graph_called(g, call_function_of(&n));
    const uint32_t component = call_component(&n), count = f->arguments;
    uint32_t next = 1 + i;
    if (component > count) {
        g->is_refused = 1;
        taut_fail(g->context, TAUT_UNSUPPORTED,
                  "third derivatives of the function '%s' are needed here, and functions give two; choose another "
                  "method, or write its formula in the model", f->name);
        return 0;
    }
    if (component) {
        const uint32_t k = component - 1, most = k > i ? k : i, least = k > i ? i : k;
        next = 1 + count + most * (most + 1) / 2 + least;
    }
    return taut_expr_numbered(g, OP_CALL, n.a, (int32_t)(call_function_of(&n) << 16 | next));
}

/* ---- values ---- */

static int is_finite(double x) { return x - x == 0; }

/* What the function itself gives, into `to`. Returns whether all of it is there. */
static int ask(taut_context *context, const context_function *f, int order, const double *x, double *to)
{
    const size_t n = f->arguments;
    double *gradient = to + 1, *hessian = gradient + n;
    const int status = f->function(f->user, order, x, to, order > 0 ? gradient : NULL, order > 1 ? hessian : NULL);
    int finite = is_finite(to[0]);
    for (size_t i = 0; order > 0 && i < n; i++) finite &= is_finite(gradient[i]);
    for (size_t i = 0; order > 1 && i < n; i++)
        for (size_t j = 0; j <= i; j++) finite &= is_finite(hessian[i * n + j]);
    if (!status && finite) return 1;
    taut_context_fault(context, f, status);
    return 0;
}

/* Displacements of differences: cubic and fourth roots of the rounding error, for first and second ones. */
static double displacement(double x, int second) { return (second ? 0x1p-13 : 0x1p-17) * (fabs(x) > 1 ? fabs(x) : 1); }

/* The derivatives of the highest order by central differences of those one below it, in `from`. */
static int difference(taut_context *context, const context_function *f, int order, double *x, double *to, double *from)
{
    const size_t n = f->arguments;
    double *up = from, *down = from + call_size(n, order - 1);
    for (size_t i = 0; i < n; i++) {
        const double at = x[i], high = at + displacement(at, 0), low = at - displacement(at, 0), d = high - low;
        x[i] = high;
        int done = ask(context, f, order - 1, x, up);
        x[i] = low;
        done &= ask(context, f, order - 1, x, down);
        x[i] = at;
        if (!done) return 0;
        if (order == 1) to[1 + i] = (up[0] - down[0]) / d;
        else for (size_t j = 0; j < n; j++) to[1 + n + i * n + j] = (up[1 + j] - down[1 + j]) / d;
    }
    if (order == 2) /* both halves have the same right */
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++)
                to[1 + n + i * n + j] = (to[1 + n + i * n + j] + to[1 + n + j * n + i]) / 2;
    return 1;
}

/* The value with arguments i and j moved by d and e. */
static int ask_at(taut_context *context, const context_function *f, double *x, size_t i, double d, size_t j, double e,
                  double *room, double *value)
{
    const double at_i = x[i], at_j = x[j];
    x[i] = at_i + d;
    x[j] = i == j ? x[j] + e : at_j + e;
    const int done = ask(context, f, 0, x, room);
    x[i] = at_i;
    x[j] = at_j;
    *value = room[0];
    return done;
}

/* Second derivatives of a function that has a value alone. */
static int second_difference(taut_context *context, const context_function *f, double *x, double *to, double *room)
{
    const size_t n = f->arguments;
    double v[4];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j <= i; j++) {
            const double d = displacement(x[i], 1), e = displacement(x[j], 1);
            int done = 1;
            for (int k = 0; k < 4; k++) done &= ask_at(context, f, x, i, k & 1 ? -d : d, j, k & 2 ? -e : e, room, &v[k]);
            if (!done) return 0;
            to[1 + n + i * n + j] = (v[0] - v[1] - v[2] + v[3]) / (4 * d * e);
        }
    return 1;
}

void taut_call_evaluate(taut_context *context, const context_function *f, int order, double *x, double *room)
{
    const size_t all = call_size(f->arguments, order);
    int done = ask(context, f, order < f->order ? order : f->order, x, room);
    if (done && f->order == 0 && order >= 1) done = difference(context, f, 1, x, room, room + all);
    if (done && f->order == 1 && order == 2) done = difference(context, f, 2, x, room, room + all);
    if (done && f->order == 0 && order == 2) done = second_difference(context, f, x, room, room + all);
    if (!done)
        for (size_t i = 0; i < all; i++) room[i] = (double)NAN;
}
