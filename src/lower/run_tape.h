/* The interpreter of a tape, as text: RUN_TAPE is its declaration, SUM_OF_PRODUCT(a, b, c) computes a b + c. Each operation
   jumps to the next one by itself, so that processors learn which one that is (labels as values: gcc and clang have
   them). Included more than once, by run.c. */
RUN_TAPE(const segment *t, real *r)
{
    static const void *const labels[PROGRAM_OPERATIONS] = {
        OPERATIONS(RUN_LABEL, RUN_LABEL, RUN_LABEL, RUN_LABEL)
        &&move, &&multiply_add, &&multiply_subtract, &&subtract_product, &&end
    };
    const program_instruction *c = t->code;
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
end:;
}
