/* Rows of kept columns as text: the programs of lower/reading.h for many states at once. The operations and their order
   are those of the tapes, as in steps, and so are the bits. */
#include <stdio.h>
#include <string.h>

#include "ensemble/writer.h"

/* The outputs of a program that some column needs, computed late; and whether they count. */
static int put_program(text_writer *w, const row_text *r, int index)
{
    const program *p = w->plan->programs[index].p;
    const size_t checks = r->checks[index], first = p->output_count - 2 * checks;
    int status = taut_text_begin(w, &w->plan->programs[index], &p->flow);
    if (status) return status;
    taut_text_put(w, "    {\n");
    for (size_t i = 0; i < r->column_count; i++) {
        const row_column *c = &r->columns[i];
        if (c->program != index || (c->source != ROW_OUTPUT && c->source != ROW_LARGEST)) continue;
        const uint32_t count = c->source == ROW_OUTPUT ? 1 : c->count;
        for (uint32_t k = 0; k < count; k++) taut_text_need(w, p->outputs[c->first + k]);
        if (c->source == ROW_OUTPUT) {
            taut_text_put(w, "    OUT(%zu) = %s;\n", i, taut_text_vector(w, p->outputs[c->first]).text);
            continue;
        }
        taut_text_put(w, "    { number most = ZERO;\n");
        for (uint32_t k = 0; k < count; k++)
            taut_text_put(w, "    most = %s_most(most, %s);\n", w->lanes ? "lane" : "taut",
                          taut_text_vector(w, p->outputs[c->first + k]).text);
        taut_text_put(w, "    OUT(%zu) = most; }\n", i);
    }
    for (size_t k = 0; k < checks; k++) {
        const uint32_t pivot = p->outputs[first + 2 * k], reference = p->outputs[first + 2 * k + 1];
        taut_text_need(w, pivot), taut_text_need(w, reference);
        taut_text_put(w, "    counts &= %s_exceeds(%s, %s, %a);\n", w->lanes ? "lane" : "taut",
                      taut_text_vector(w, pivot).text, taut_text_vector(w, reference).text, PIVOT_LEAST);
    }
    taut_text_put(w, "    }\n");
    taut_text_end(w);
    return TAUT_OK;
}

/* The columns that are numbers of the state. */
static void put_copies(text_writer *w, const row_text *r)
{
    for (size_t i = 0; i < r->column_count; i++) {
        const row_column *c = &r->columns[i];
        if (c->source == ROW_TIME)
            taut_text_put(w, "    OUT(%zu) = %s;\n", i, w->lanes ? "all(t0)" : "t0");
        else if (c->source == ROW_STATE)
            taut_text_put(w, "    OUT(%zu) = x[%u];\n", i, c->first);
        else if (c->source == ROW_SUM)
            taut_text_put(w, w->lanes ? "    OUT(%zu) = lane_add(x[%u], x[%u]);\n" : "    OUT(%zu) = x[%u] + x[%u];\n", i,
                          c->first, c->first + 1);
    }
}

/* Programs one after the other; their numbers from outside follow each other. */
static int put_programs(text_writer *w, const row_text *r)
{
    int status = TAUT_OK;
    for (int k = 0; !status && k < r->plan.program_count; k++) {
        taut_text_put(w, "#undef EVEN\n#undef ODD\n#define EVEN(i) even[%u + i]\n", r->plan.lengths[k].even_at);
        taut_text_put(w, w->lanes ? "#define ODD(i) odd[%u + i]\n" : "#define ODD(i) odd[(%u + i) * count + member]\n",
                      r->plan.lengths[k].odd_at);
        status = put_program(w, r, k);
    }
    return status;
}

int taut_text_lane_rows(const row_text *r, int lanes, int groups, builder *out)
{
    static const char arguments[] = "(const double *xs, const double *even, const double *odds, const double *time,\n"
                                    "    double *rows, long *sure)";
    text_writer w = { .plan = &r->plan, .out = out, .lanes = lanes };
    taut_builder_put(out, "/* Written by Taut: rows of many trajectories, one per lane. */\n"
                          "#define LANES %d\n#define GROUPS %d\n#define NUMBERS %u\n#define ODDS %u\n"
                          "#define COLUMNS %zu\n",
                     lanes, groups, r->plan.numbers, r->plan.odd_count, r->column_count);
    int status = taut_text_prelude(&r->plan, lanes, out);
    taut_text_put(&w, "#define OUT(i) y[i]\n#define ZERO all(0)\n"
                      "static mask row(const number *restrict x, const double *restrict even,\n"
                      "    const number *restrict odd, number *restrict y, double t0, double t0_low)\n{\n"
                      "    const double t1 = t0, span = 0;\n    mask counts = (mask)~(mask){ 0 };\n"
                      "    (void)even, (void)odd, (void)t0_low, (void)t1, (void)span;\n");
    put_copies(&w, r);
    if (!status) status = put_programs(&w, r);
    taut_text_put(&w, "    return counts;\n}\n\nvoid %s%s;\nvoid %s%s\n{\n", LANE_ROWS_ENTRY, arguments,
                  LANE_ROWS_ENTRY, arguments);
    taut_text_put(&w, "    for (int g = 0; g < GROUPS; g++) {\n"
                      "        const mask counts = row((const number *)xs + g * NUMBERS, even,\n"
                      "            (const number *)odds + g * ODDS, (number *)rows + g * COLUMNS, time[0], time[1]);\n"
                      "        for (int i = 0; i < LANES; i++) sure[g * LANES + i] = bits(counts) >> i & 1;\n    }\n}\n");
    return status ? status : out->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}

int taut_text_cuda_rows(const row_text *r, builder *out)
{
    text_writer w = { .plan = &r->plan, .out = out };
    taut_text_cuda_begin(CUDA_BLOCKS_LONG, out);
    int status = taut_text_prelude(&r->plan, 0, out);
    taut_text_put(&w, "#define OUT(i) rows[(i) * count + member]\n#define ZERO 0\nTAUT_SHARED double even[%u];\n",
                  r->plan.even_count + 1);
    taut_text_put(&w, "TAUT_KERNEL %s(const number *xs, const number *odd, number t0, number t0_low, long long count,\n"
                      "    number *rows, unsigned char *sure)\n{\n    TAUT_LOOP {\n"
                      "    const number t1 = t0, span = 0;\n    int counts = 1;\n    number x[%u];\n"
                      "    (void)t1, (void)span;\n", CUDA_ROWS_ENTRY, r->plan.numbers);
    for (uint32_t i = 0; i < r->plan.numbers; i++)
        taut_text_put(&w, "    x[%u] = xs[%u * count + member];\n", i, i);
    put_copies(&w, r);
    if (!status) status = put_programs(&w, r);
    taut_text_put(&w, "    sure[member] = (unsigned char)counts;\n    }\n}\n");
    return status ? status : out->failed ? TAUT_OUT_OF_MEMORY : TAUT_OK;
}
