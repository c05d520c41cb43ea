/* Rough verdicts, for threads of a graphics processor: sizes of corrections in single precision, and verdicts in pairs,
   of what is surely so and of what surely is not. A pass over a flow finds the values that nothing else reads. */
#include <stdio.h>

#include "ensemble/writer.h"

/* Does it stand around tapes? */
static int is_own(const text_writer *w, uint32_t r) { return r >= w->f->value_first; }

/* ---- which values are measures ---- */

/* A measure: a small relative error of an operand is not more than that in the value. */
static int can_be_rough(const text_writer *w, const program_instruction *c)
{
    if (taut_text_is_put_out(w, c->target)) return 0;
    return c->op == OP_MUL || c->op == OP_MAX || c->op == OP_ABS || c->op == FLOW_MOST || c->op == FLOW_CHOSEN ||
           c->op == PROGRAM_MOVE || (c->op == OP_DIV && is_own(w, c->target));
}

static int is_of_truth(const program_instruction *c)
{
    return (c->op >= FLOW_BELOW && c->op <= FLOW_NOT) || c->op >= FLOW_EXITS;
}

/* Marks what something else than measures and verdicts reads; returns whether that was news. */
static int find_exact(const text_writer *w, unsigned char *exact)
{
    int news = 0;
    for (uint32_t i = w->f->count; i-- > 0;) {
        const program_instruction *c = &w->f->code[i];
        uint32_t read[3];
        if (is_of_truth(c) || !flow_has_target(c) || c->op == FLOW_COUNT) continue;
        if (can_be_rough(w, c) && !exact[c->target]) continue;
        news |= !exact[c->target], exact[c->target] = 1;
        for (int k = X(step_flow_operands)(c, read); k-- > 0;) news |= !exact[read[k]], exact[read[k]] = 1;
    }
    return news;
}

/* Largest sizes are found in double, by upper halves; products, and what is made of them, are single. */
static int find_single(const text_writer *w)
{
    int news = 0;
    for (uint32_t i = 0; i < w->f->count; i++) {
        const program_instruction *c = &w->f->code[i];
        uint32_t read[3];
        if (!flow_has_target(c) || !w->roughly[c->target] || w->single[c->target]) continue;
        int single = c->op == OP_MUL || c->op == OP_DIV || c->op == FLOW_CHOSEN || w->writes[c->target] > 1;
        for (int k = X(step_flow_operands)(c, read); k-- > 0;) single |= w->single[read[k]];
        w->single[c->target] = (unsigned char)single;
        news |= single;
    }
    return news;
}

int taut_text_begin_roughly(text_writer *w)
{
    const size_t count = (size_t)w->f->register_count + 1;
    unsigned char *exact = taut_mem_new(w->plan->context, count, 1);
    w->roughly = taut_mem_new(w->plan->context, 2 * count, 1);
    if (exact && w->roughly) {
        w->single = w->roughly + count;
        while (find_exact(w, exact)) continue;
        for (uint32_t i = 0; i < w->f->count; i++) {
            const program_instruction *c = &w->f->code[i];
            if (flow_has_target(c) && !is_of_truth(c) && c->op != FLOW_COUNT && !taut_text_is_put_out(w, c->target) &&
                !(w->facts[c->target] & TEXT_IS_TRUTH))
                w->roughly[c->target] = !exact[c->target];
        }
        while (find_single(w)) continue;
    }
    taut_mem_free(w->plan->context, exact);
    return exact && w->roughly ? TAUT_OK : TAUT_OUT_OF_MEMORY;
}

/* ---- as text ---- */

text_operand taut_text_single(const text_writer *w, uint32_t r)
{
    const text_operand name = taut_text_name(w, r);
    const uint32_t place = taut_text_place(w, r);
    text_operand o = name;
    double literal;
    if (taut_text_literal(w, r, &literal))
        X(emit_number)(literal, 1, o.text, sizeof o.text);
    else if (place != UINT32_MAX && !w->t->varies[r])
        snprintf(o.text, sizeof o.text, "SINGLE(%u)", place);
    else if (!w->single[r])
        snprintf(o.text, sizeof o.text, "(float)%.40s", name.text);
    return o;
}

static text_operand truth_of(const text_writer *w, uint32_t r) { return taut_text_truth(w, r, 0); }

/* What is surely not so. */
text_operand taut_text_not(const text_writer *w, uint32_t r)
{
    text_operand o = taut_text_truth(w, r, 0);
    double literal;
    if (taut_text_literal(w, r, &literal))
        snprintf(o.text, sizeof o.text, literal != 0 ? "0" : "1");
    else
        o.text[0] = 'n';
    return o;
}

static int is_rough(const text_writer *w, uint32_t r)
{
    double literal;
    return w->roughly[r] || !(taut_text_literal(w, r, &literal) || !w->varies[r]);
}

/* A rough verdict: what is surely so, or surely not (is_not); values that are not measures are compared as they are. */
void taut_text_rough(text_writer *w, const program_instruction *c, int is_not)
{
    const int of_truths = c->op == FLOW_BOTH || c->op == FLOW_EITHER || c->op == FLOW_NOT;
    if (c->op == FLOW_CHOSEN) { /* of values that are not measures */
        taut_text_put(w, "%s ? %s : %s", truth_of(w, c->a).text, taut_text_name(w, c->b).text,
                      taut_text_name(w, c->c).text);
        return;
    }
    if (c->op == PROGRAM_MOVE) {
        taut_text_put(w, "%s", (is_not ? taut_text_not : truth_of)(w, c->a).text);
        return;
    }
    const text_operand a = of_truths ? (is_not != (c->op == FLOW_NOT) ? taut_text_not : truth_of)(w, c->a)
                                     : taut_text_single(w, c->a);
    text_operand b = { "" };
    if (c->op != FLOW_NOT && c->op != FLOW_IS_NUMBER)
        b = of_truths ? (is_not ? taut_text_not : truth_of)(w, c->b) : taut_text_single(w, c->b);
    switch (c->op) {
    case FLOW_MOST:
        taut_text_put(w, "taut_about(%s, %s)", taut_text_name(w, c->a).text, taut_text_name(w, c->b).text);
        break;
    case FLOW_BELOW: case FLOW_AT_MOST:
        if (is_rough(w, c->a) || is_rough(w, c->b))
            taut_text_put(w, "taut_surely_below(%s, %s)", is_not ? b.text : a.text, is_not ? a.text : b.text);
        else
            taut_text_put(w, c->op == FLOW_BELOW ? "%s(%s < %s)" : "%s(%s <= %s)", is_not ? "!" : "",
                          taut_text_name(w, c->a).text, taut_text_name(w, c->b).text);
        break;
    case FLOW_IS_NUMBER:
        taut_text_put(w, is_not ? "%s != %s" : "%s - %s == 0", a.text, a.text);
        break;
    case FLOW_EXCEEDS:
        taut_text_put(w, is_not ? "taut_surely_below(taut_abs_single(%s), %s * taut_abs_single(%s))"
                                : "taut_surely_below(%2$s * taut_abs_single(%3$s), taut_abs_single(%1$s))", a.text,
                      taut_text_single(w, c->c).text, b.text);
        break;
    case FLOW_NOT: taut_text_put(w, "%s", a.text); break;
    default: taut_text_put(w, (c->op == FLOW_BOTH) != is_not ? "%s & %s" : "%s | %s", a.text, b.text); break;
    }
}

/* The factor that makes sizes relative, and what it multiplies, are of a size that single precision has room for, and
   that leaves room to what they multiply. Smaller factors, and larger products, are doubtful. */
void taut_text_guard(text_writer *w, const program_instruction *c)
{
    const int is_scale = c->op == OP_DIV && is_own(w, c->target);
    const program_instruction *factor = c->op == OP_MUL && is_own(w, c->target) ? w->source[c->b] : NULL;
    if (!w->roughly || !w->roughly[c->target]) return;
    if (is_scale && taut_text_weighs(w, c->a, 1))
        taut_text_put(w, "    TAUT_SURE((%s > 1e-18f) & (%s < 1e18f));\n", taut_text_name(w, c->target).text,
                      taut_text_name(w, c->target).text);
    else if (factor && factor->op == OP_DIV && is_own(w, factor->target))
        taut_text_put(w, "    TAUT_SURE(taut_abs_single(%s) < 1e17f);\n", taut_text_name(w, c->target).text);
}
