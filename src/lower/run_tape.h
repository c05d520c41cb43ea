/* The interpreter, as text: RUN_TAPE is its declaration, SUM_OF_PRODUCT(a, b, c) computes a b + c. Each operation
   jumps to the next one by itself, so that processors learn which one that is (labels as values: gcc and clang have
   them). Included more than once, by run.c. */
RUN_TAPE(const program_instruction *code, real *r)
{
    static const void *const labels[FLOW_OPERATIONS] = {
        OPERATIONS(RUN_LABEL, RUN_LABEL, RUN_LABEL, RUN_LABEL)
        &&move, &&multiply_add, &&multiply_subtract, &&subtract_product, &&end,
        &&most, &&below, &&at_most, &&is_number, &&exceeds, &&both, &&either, &&not, &&chosen, &&count,
        &&leave, &&leave_unless_above, &&leave_unless_least, &&next, &&loop, &&repeat, &&condition, &&loop
    };
    const program_instruction *c = code;
    goto *labels[c->op];
    OPERATIONS(RUN_LEAF, RUN_UNARY, RUN_NUMBERED, RUN_BINARY)
move:
    r[c->target] = r[c->a];
    RUN_NEXT;
multiply_add:
    r[c->target] = SUM_OF_PRODUCT(r[c->a], r[c->b], r[c->c]);
    RUN_NEXT;
multiply_subtract:
    r[c->target] = SUM_OF_PRODUCT(r[c->a], r[c->b], -r[c->c]);
    RUN_NEXT;
subtract_product:
    r[c->target] = SUM_OF_PRODUCT(-r[c->a], r[c->b], r[c->c]);
    RUN_NEXT;
most:
    r[c->target] = real_most(r[c->a], r[c->b]);
    RUN_NEXT;
below:
    r[c->target] = r[c->a] < r[c->b];
    RUN_NEXT;
at_most:
    r[c->target] = r[c->a] <= r[c->b];
    RUN_NEXT;
is_number:
    r[c->target] = r[c->a] - r[c->a] == 0;
    RUN_NEXT;
exceeds:
    r[c->target] = REAL(fabs)(r[c->a]) > r[c->c] * REAL(fabs)(r[c->b]);
    RUN_NEXT;
both:
    r[c->target] = r[c->a] != 0 && r[c->b] != 0;
    RUN_NEXT;
either:
    r[c->target] = r[c->a] != 0 || r[c->b] != 0;
    RUN_NEXT;
not:
    r[c->target] = r[c->a] == 0;
    RUN_NEXT;
chosen:
    r[c->target] = r[c->a] != 0 ? r[c->b] : r[c->c];
    RUN_NEXT;
count:
    r[c->target] += 1;
    RUN_NEXT;
leave:
    if (r[c->a] == 0) return (int)c->c;
    RUN_NEXT;
leave_unless_above:
    if (!(r[c->a] > r[c->b])) return (int)c->c;
    RUN_NEXT;
leave_unless_least:
    if (!(r[c->a] >= r[c->b])) return (int)c->c;
    RUN_NEXT;
next:
    if (r[c->a] == 0) {
        RUN_NEXT;
    }
repeat:
    c = code + c->c;
    goto *labels[c->op];
condition:
    if (r[c->a] == 0) goto repeat;
loop:
    RUN_NEXT;
end:
    return FLOW_DONE;
}
