/* The source. */
#include <stdio.h>
#include <string.h>

#include "compile/plan.h"

static void number_text(const plan *p, double value, char *buffer, size_t size)
{
    X(emit_number)(value, p->options->single, buffer, size);
}

/* ---- tables ---- */

/* In float the low parts take what rounding leaves over of positions and momenta. */
static double start_number(const plan *p, uint32_t i)
{
    const double *x = p->z->begin.block;
    const uint32_t n = p->n;
    if (!p->options->single || i < 3 * n || i >= 5 * n) return x[i];
    const double high = x[i - 3 * n];
    return high - (double)(float)high + x[i];
}

static const char *name_of(const plan *p, uint32_t index)
{
    for (size_t i = 0; i < p->name_count; i++)
        if (p->names[i].index == index) return p->names[i].what;
    return "";
}

static void put_start(const plan *p, builder *out)
{
    char text[40];
    taut_builder_put(out, "\nstatic const number start[%u] = {\n", p->numbers);
    for (uint32_t i = 0; i < p->numbers; i++) {
        const char *what = name_of(p, i);
        number_text(p, start_number(p, i), text, sizeof text);
        taut_builder_put(out, "    %s,%s%s%s\n", text, *what ? " /* " : "", what, *what ? " */" : "");
    }
    taut_builder_put(out, "};\n");
}

static void namer(void *user, op o, kind k, uint32_t index, char *buffer, size_t size)
{
    taut_model_namer(user, o, k, index, buffer, size);
}

static void put_constants(const plan *p, builder *out)
{
    const model *m = p->z->m;
    char text[40], what[100];
    if (p->parameter_count) taut_builder_put(out, "\nstatic const number parameters[%zu] = {\n", p->parameter_count);
    for (size_t i = 0; i < p->parameter_count; i++) {
        number_text(p, (double)m->parameters[p->parameters[i].index].value, text, sizeof text);
        taut_builder_put(out, "    %s, /* %s */\n", text, p->parameters[i].what);
    }
    if (p->parameter_count) taut_builder_put(out, "};\n");
    if (!p->constant_count) return;
    taut_builder_put(out,
                     "\n/* Computed in higher precision and rounded once. */\n"
                     "static const number constants[%u] = {\n",
                     p->constant_count);
    for (uint32_t i = 0; i < p->constant_count; i++) {
        number_text(p, p->z->s->constants[i], text, sizeof text);
        taut_expr_print(m->graph, p->constants[i], namer, (void *)m, what, sizeof what);
        X(emit_comment)(what);
        taut_builder_put(out, "    %s, /* %s */\n", text, what);
    }
    taut_builder_put(out, "};\n");
}

/* ---- constants of parameters ---- */

static void operand_text(const plan *p, expr e, char *buffer, size_t size)
{
    const graph *g = p->z->m->graph;
    const node *n = taut_graph_node(g, e);
    if (n->op == OP_CONSTANT) {
        number_text(p, (double)taut_graph_constant(g, e), buffer, size);
        return;
    }
    snprintf(buffer, size, "e%u", e);
    for (size_t i = 0; n->op == OP_PARAMETER && i < p->parameter_count; i++)
        if (p->parameters[i].index == n->a) snprintf(buffer, size, "p[%zu]", i);
}

static void mark_constant_functions(const plan *p, const expr *list, size_t count, emit_functions *used)
{
    for (size_t i = 0; i < count; i++) {
        const node *n = taut_graph_node(p->z->m->graph, list[i]);
        if (n->op != OP_POWI || (n->b != 2 && n->b != 3)) used->is_used[n->op] = 1;
    }
}

static void put_recompute(const plan *p, const expr *list, size_t count, builder *out)
{
    const graph *g = p->z->m->graph;
    taut_builder_put(out, "\nstatic void recompute(const number *p, number *k)\n{\n");
    for (size_t i = 0; i < count; i++) {
        const node *n = taut_graph_node(g, list[i]);
        char a[40], b[40] = "";
        if (n->op == OP_CONSTANT || n->op == OP_PARAMETER) continue;
        operand_text(p, n->a, a, sizeof a);
        if (!op_has_number((op)n->op) && taut_op_arity((op)n->op) == 2) operand_text(p, n->b, b, sizeof b);
        taut_builder_put(out, "    const number e%u = ", list[i]);
        X(emit_operation)(out, (op)n->op, a, b, (int32_t)n->b, p->options->single);
        taut_builder_put(out, ";\n");
    }
    for (uint32_t i = 0; i < p->constant_count; i++) {
        char text[40];
        operand_text(p, p->constants[i], text, sizeof text);
        taut_builder_put(out, "    k[%u] = %s;\n", i, text);
    }
    taut_builder_put(out, "}\n");
}

/* ---- the interface ---- */

static void put_init(const plan *p, builder *out)
{
    const char *prefix = p->options->prefix;
    taut_builder_put(out, "\nvoid %s_reset(%s_state *z)\n{\n    z->t = 0, z->t_low = 0;\n", prefix, prefix);
    taut_builder_put(out, "    for (int i = 0; i < %u; i++) z->x[i] = start[i];\n", p->numbers);
    if (p->has_reported)
        taut_builder_put(out, "    for (int i = 0; i < %u; i++) z->reported[i] = start[%u + i];\n", p->c, 5 * p->n);
    taut_builder_put(out, "    z->status = %s_OK;\n}\n", p->upper);
    taut_builder_put(out, "\nvoid %s_init(%s_state *z)\n{\n", prefix, prefix);
    if (p->parameter_count)
        taut_builder_put(out, "    for (int i = 0; i < %zu; i++) z->parameter[i] = parameters[i];\n",
                         p->parameter_count);
    if (p->constant_count)
        taut_builder_put(out, "    for (int i = 0; i < %u; i++) z->constant[i] = constants[i];\n", p->constant_count);
    for (int k = 0; k < p->program_count; k++) {
        if (p->setup_counts[k])
            taut_builder_put(out, "    for (int i = 0; i < %u; i++) z->setup%d[i] = 0;\n", p->setup_counts[k], k + 1);
        taut_builder_put(out, "    z->h%d = 0;\n", k + 1);
    }
    taut_builder_put(out, "    %s_reset(z);\n}\n", prefix);
}

static void put_access(const plan *p, builder *out)
{
    const char *prefix = p->options->prefix;
    taut_builder_put(out, "\nint %s_status(const %s_state *z) { return z->status; }\n", prefix, prefix);
    taut_builder_put(out, "\nnumber %s_get(const %s_state *z, int what)\n{\n", prefix, prefix);
    taut_builder_put(out, "    if (what == %s_TIME) return z->t;\n", p->upper);
    if (p->has_reported)
        taut_builder_put(out, "    if (what >= %u && what < %u) return z->reported[what - %u];\n", 5 * p->n,
                         5 * p->n + p->c, 5 * p->n);
    taut_builder_put(out, "    return what >= 0 && what < %u ? z->x[what] : 0;\n}\n", p->numbers);
    if (!p->parameter_count) return;
    taut_builder_put(out,
                     "\nint %s_set(%s_state *z, int parameter, number value)\n{\n"
                     "    int changed = 0;\n"
                     "    if (parameter < 0 || parameter >= %zu) return 1;\n"
                     "    z->parameter[parameter] = value;\n"
                     "    for (int i = 0; i < %zu; i++) changed |= z->parameter[i] != parameters[i];\n"
                     "    if (changed)\n"
                     "        recompute(z->parameter, z->constant);\n"
                     "    else\n"
                     "        for (int i = 0; i < %u; i++) z->constant[i] = constants[i];\n",
                     prefix, prefix, p->parameter_count, p->parameter_count, p->constant_count);
    for (int k = 0; k < p->program_count; k++) taut_builder_put(out, "    z->h%d = 0;\n", k + 1);
    taut_builder_put(out, "    return 0;\n}\n");
}

/* One lowered step of x from (t, t_low) by h. */
static void put_substep(const plan *p, int k, builder *out)
{
    const program *of = p->programs[k];
    char setup[20] = "0", text[40];
    if (p->setup_counts[k]) snprintf(setup, sizeof setup, "z->setup%d", k + 1);
    taut_builder_put(out,
                     "\n/* x := the numbers of the state h later. */\n"
                     "static int substep%d(%s_state *z, number *x, number *t, number *t_low, number h,\n"
                     "                    number *reported)\n{\n"
                     "    number t1 = *t, t1_low = *t_low;\n"
                     "    long counts[%d] = { 0 };\n"
                     "    taut_add(&t1, &t1_low, h);\n"
                     "    const number time[5] = { *t, *t_low, t1, t1 - *t, h };\n",
                     k + 1, p->options->prefix, FLOW_COUNTS);
    taut_builder_put(out,
                     "    const int status = step%d(h != z->h%d, %s, %s, x, time, 0, reported, counts);\n"
                     "    z->h%d = h;\n"
                     "    if (status) return status;\n",
                     k + 1, k + 1, p->constant_count ? "z->constant" : "0", setup, k + 1);
    if (of->lambda_time >= 0) {
        number_text(p, of->lambda_time, text, sizeof text);
        taut_builder_put(out, "    x[%u] = *t + (%s * h + *t_low);\n", plan_t_lambda(p), text);
    }
    taut_builder_put(out, "    *t = t1, *t_low = t1_low;\n    return %s_OK;\n}\n", p->upper);
}

static int program_index(const plan *p, const program *of) { return p->programs[0] == of ? 1 : 2; }

/* A list of substeps. They are made on copies, so that a step that fails changes nothing. */
static void put_composition(const plan *p, builder *out)
{
    char text[40];
    taut_builder_put(out, "\n/* Factors of the substeps. */\nstatic const number factors[%d] = {\n", p->part_count);
    for (int i = 0; i < p->part_count; i++) {
        number_text(p, p->parts[i].factor, text, sizeof text);
        taut_builder_put(out, "    %s,\n", text);
    }
    taut_builder_put(out, "};\n");
    taut_builder_put(out, "\nint %s_step(%s_state *z, number h)\n{\n", p->options->prefix, p->options->prefix);
    taut_builder_put(out, "    number x[%u], t = z->t, t_low = z->t_low;\n", p->numbers);
    if (p->has_reported) taut_builder_put(out, "    number reported[%u] = { 0 };\n", p->c);
    taut_builder_put(out, "    z->status = h > 0 || h < 0 ? %s_OK : %s_NOT_FINITE;\n", p->upper, p->upper);
    taut_builder_put(out, "    for (int i = 0; i < %u; i++) x[i] = z->x[i];\n", p->numbers);
    const char *halved = p->parts[0].halved ? " / 2" : "", *reported = p->has_reported ? "reported" : "0";
    taut_builder_put(out, "    for (int i = 0; !z->status && i < %d; i++) {\n", p->part_count);
    taut_builder_put(out, "        const number part = factors[i] * h%s;\n", halved);
    if (p->program_count == 1)
        taut_builder_put(out, "        z->status = substep1(z, x, &t, &t_low, part, %s);\n    }\n", reported);
    else
        taut_builder_put(out,
                         "        z->status = i %% 2 == %d ? substep1(z, x, &t, &t_low, part, %s)\n"
                         "                               : substep2(z, x, &t, &t_low, part, %s);\n    }\n",
                         program_index(p, p->parts[0].program) - 1, reported, reported);
    taut_builder_put(out, "    if (z->status) return z->status;\n"
                          "    for (int i = 0; i < %u; i++) z->x[i] = x[i];\n",
                     p->numbers);
    if (p->has_reported)
        taut_builder_put(out, "    for (int i = 0; i < %u; i++) z->reported[i] = reported[i];\n", p->c);
    taut_builder_put(out, "    taut_add(&z->t, &z->t_low, h);\n    return %s_OK;\n}\n", p->upper);
}

static void put_step(const plan *p, builder *out)
{
    if (p->part_count > 1) {
        put_composition(p, out);
        return;
    }
    taut_builder_put(out,
                     "\nint %s_step(%s_state *z, number h)\n{\n    z->status = %s_NOT_FINITE;\n"
                     "    if (h > 0 || h < 0) z->status = substep1(z, z->x, &z->t, &z->t_low, h, %s);\n"
                     "    return z->status;\n}\n",
                     p->options->prefix, p->options->prefix, p->upper, p->has_reported ? "z->reported" : "0");
}

/* ---- the whole ---- */

/* sqrt of the C library would be a function of libm, for which firmware has no room: compilers call it even where they
   use the instruction, for errno. 2^54 m, m of 53 or 54 bits, has a root of 54 bits; its last one rounds, and no root
   of 54 bits is halfway, since it would be odd and its square even. */
static const char square_root[] =
    "/* The square root, rounded to nearest: the instruction where the processor has one, otherwise bit by bit. */\n"
    "#if defined(__GNUC__) && (defined(__SSE2__) || defined(__aarch64__))\n"
    "static inline __attribute__((unused)) double taut_own_sqrt(double x)\n"
    "{\n"
    "    double root;\n"
    "#if defined(__aarch64__)\n"
    "    __asm__(\"fsqrt %d0, %d1\" : \"=w\"(root) : \"w\"(x));\n"
    "#elif defined(__AVX__)\n"
    "    __asm__(\"vsqrtsd %1, %1, %0\" : \"=x\"(root) : \"x\"(x));\n"
    "#else\n"
    "    __asm__(\"sqrtsd %1, %0\" : \"=x\"(root) : \"x\"(x));\n"
    "#endif\n"
    "    return root;\n"
    "}\n"
    "#else\n"
    "#include <stdint.h>\n"
    "#ifdef __GNUC__\n"
    "__attribute__((unused))\n"
    "#endif\n"
    "static inline double taut_own_sqrt(double x)\n"
    "{\n"
    "    union {\n"
    "        double x;\n"
    "        uint64_t bits;\n"
    "    } u;\n"
    "    uint64_t m, rest = 0, root = 0;\n"
    "    int e, i;\n"
    "    if (!(x > 0)) return x == 0 ? x : (x - x) / (x - x);\n"
    "    if (x - x != 0) return x;\n"
    "    u.x = x < 0x1p-1022 ? x * 0x1p54 : x;\n"
    "    e = (int)(u.bits >> 52) - 1075 - (x < 0x1p-1022 ? 54 : 0); /* x is m 2^e */\n"
    "    m = (u.bits & 0xfffffffffffff) | 0x10000000000000;\n"
    "    if (e & 1) {\n"
    "        m <<= 1;\n"
    "        e--;\n"
    "    }\n"
    "    for (i = 0; i < 54; i++) {\n"
    "        rest = rest << 2 | (i < 27 ? m >> (52 - 2 * i) & 3 : 0);\n"
    "        root <<= 1;\n"
    "        if (rest >= 2 * root + 1) {\n"
    "            rest -= 2 * root + 1;\n"
    "            root |= 1;\n"
    "        }\n"
    "    }\n"
    "    m = (root + 1) >> 1; /* the root is m 2^(e/2 - 26) */\n"
    "    u.bits = ((uint64_t)(e / 2 + 1049) << 52) + (m - 0x10000000000000);\n"
    "    return u.x;\n"
    "}\n"
    "#endif\n"
    "#define TAUT_SQRT taut_own_sqrt\n\n";

static int put_text(plan *p, const expr *list, size_t count, builder *out)
{
    emit_functions used = { .fuses = 0 };
    int status = TAUT_OK;
    taut_builder_put(out, "/* Written by Taut: %s describes it. */\n#include \"%s\"\n", p->options->header,
                     p->options->header);
    taut_builder_put(out, "\n");
    for (int k = 0; k < p->program_count; k++) X(program_mark_functions)(p->programs[k], &used);
    if (p->parameter_count) mark_constant_functions(p, list, count, &used);
    if (!p->options->single) taut_builder_add(out, square_root, sizeof square_root - 1);
    X(emit_prelude)(out, &used, p->options->single);
    for (int k = 0; !status && k < p->program_count; k++) {
        char name[16];
        snprintf(name, sizeof name, "step%d", k + 1);
        taut_builder_put(out,
                         "/* A step: k are the constants, s what follows from them and h, x the numbers of the state.\n"
                         "   Returns one of the statuses of the header. */\n");
        status = X(program_emit_function)(p->programs[k], name, 1, p->options->single, 1, &p->setup_counts[k], out);
        put_substep(p, k, out);
    }
    put_start(p, out);
    put_constants(p, out);
    if (p->parameter_count) put_recompute(p, list, count, out);
    put_init(p, out);
    put_step(p, out);
    put_access(p, out);
    return status;
}

int taut_compile_source(plan *p, builder *out)
{
    graph *g = p->z->m->graph;
    expr *list = NULL;
    size_t count = 0;
    int status = p->parameter_count ? taut_expr_reachable(g, p->constants, p->constant_count, &list, &count) : TAUT_OK;
    if (!status) status = put_text(p, list, count, out);
    if (list) taut_expr_list_free(g, list);
    return status ? status : out->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}
